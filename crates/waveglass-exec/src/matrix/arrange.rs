//! Which layout an instruction has on a target.

use super::format::Format;
use super::layout::{Input, Output, Plan, Shape};
use super::table::{Element, Family, Row};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};
use waveglass_isa::Target;

/// Where the rows of an instruction's C and D lie.
pub(super) fn output(row: &Row, target: Target) -> Output {
    match row.family {
        Family::Mfma | Family::Smfmac if row.a == Element::F64 => Output::Mfma(1),
        Family::Mfma | Family::Smfmac => Output::Mfma(4),
        _ if target.major() == 11 => Output::Alternating,
        _ => Output::Halves,
    }
}

/// How A or B is shared out; `k` is half of K for a sparse A.
fn input(
    row: &Row,
    target: Target,
    lanes: usize,
    format: Format,
    k: usize,
    sparse_a: bool,
) -> Input {
    let plain = |groups: usize| Input {
        chunk: k / groups,
        groups,
        swapped: false,
    };
    match row.family {
        Family::Mfma | Family::Smfmac => {
            let groups = 64 / (row.size[0] * row.blocks);
            let most = match (format.bits(), sparse_a) {
                (6, _) => 32,
                (bits, false) => 128 / bits,
                (bits, true) => 64 / bits,
            };
            Input {
                chunk: (k / groups).min(most.max(1)),
                groups,
                swapped: false,
            }
        }
        _ if target.major() == 11 => plain(1),
        _ if is_gfx12(row) => {
            // 4-bit matrices of 16 columns only use 32 lanes of a wave64 (RDNA4 ISA table 43).
            let groups = if format.bits() == 4 && k == 16 {
                2
            } else {
                lanes / 16
            };
            Input {
                swapped: groups == 4,
                ..plain(groups)
            }
        }
        Family::Swmmac => Input {
            chunk: if sparse_a { 8 } else { 16 },
            groups: 2,
            swapped: false,
        },
        Family::Wmma => Input {
            chunk: match format.bits() {
                32 => 2,
                16 => 8,
                8 if row.a == Element::Any => 16,
                8 => 8,
                _ => 32,
            },
            groups: 2,
            swapped: false,
        },
    }
}

/// The instructions that gfx1250 shares with gfx12, laid out as there.
fn is_gfx12(row: &Row) -> bool {
    let bits = match row.a {
        Element::F16 | Element::Bf16 => 16,
        Element::Fp8 | Element::Bf8 | Element::Iu8 => 8,
        Element::Iu4 => 4,
        _ => return false,
    };
    let k = row.size[2];
    match row.family {
        Family::Swmmac => bits == 4 || k == 32,
        _ => bits == 4 || k == 16,
    }
}

type Key = (&'static str, Target, usize, Format, Format);

/// The layout of an instruction, made once.
pub(super) fn plan(
    row: &'static Row,
    target: Target,
    lanes: usize,
    a: Format,
    b: Format,
) -> Arc<Plan> {
    static PLANS: OnceLock<Mutex<HashMap<Key, Arc<Plan>>>> = OnceLock::new();
    let key = (row.name, target, lanes, a, b);
    let plans = PLANS.get_or_init(Default::default);
    // A poisoned lock still guards a map whose entries are whole.
    let mut plans = plans.lock().unwrap_or_else(|e| e.into_inner());
    plans
        .entry(key)
        .or_insert_with(|| Arc::new(new_plan(row, target, lanes, a, b)))
        .clone()
}

fn new_plan(row: &Row, target: Target, lanes: usize, a: Format, b: Format) -> Plan {
    let sparse = matches!(row.family, Family::Smfmac | Family::Swmmac);
    let wmma = matches!(row.family, Family::Wmma | Family::Swmmac);
    let [m, n, k] = row.size;
    // The 32x16 product of WMMA is two of 16x16 (CDNA5 ISA 7.12.2).
    let stacked = if wmma { m / 16 } else { 1 };
    let a_k = if sparse { k / 2 } else { k };
    Plan::new(
        Shape {
            m: m / stacked,
            n,
            k,
            blocks: row.blocks,
            stacked,
            sparse,
        },
        lanes,
        input(row, target, lanes, a, a_k, sparse),
        input(row, target, lanes, b, k, false),
        output(row, target),
    )
}
