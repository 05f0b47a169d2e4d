//! Which memory instructions of which targets are refused.
//!
//! Every row of the tables is made into bytes, decoded, compiled and executed under an EXEC of zero; an
//! op that stops with a refusal is one. The list of them stands here, so that one that comes or goes is
//! seen, and a form that loses its semantics while others of its mnemonic keep them.

use crate::error::Stop;
use crate::program::Step;
use crate::testing::Bench;
use std::collections::{BTreeMap, BTreeSet};
use waveglass_isa::{Decoder, Target, rows};

/// Refused on the targets named, because they are graphics' (parameter and direct loads, streamout,
/// ordered counts), synchronise beyond a workgroup (GWS), or are not documented well enough.
const REFUSED: &[(&[&str], &str)] = &[
    (
        &[
            "ds_gws_barrier",
            "ds_gws_init",
            "ds_gws_sema_br",
            "ds_gws_sema_p",
            "ds_gws_sema_release_all",
            "ds_gws_sema_v",
        ],
        "gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1010 gfx1030 gfx1100 gfx1150",
    ),
    (
        &["ds_ordered_count"],
        "gfx900 gfx906 gfx908 gfx1010 gfx1030 gfx1100 gfx1150",
    ),
    // The order of push and increment in the manual's text leaves a pop that reads past the top.
    (&["ds_bvh_stack_rtn_b32"], "gfx1100 gfx1150"),
    (
        &[
            "ds_bvh_stack_push4_pop1_rtn_b32",
            "ds_bvh_stack_push8_pop1_rtn_b32",
            "ds_bvh_stack_push8_pop2_rtn_b64",
        ],
        "gfx1200 gfx1201",
    ),
    (
        &[
            "ds_add_gs_reg_rtn",
            "ds_sub_gs_reg_rtn",
            "lds_direct_load",
            "lds_param_load",
        ],
        "gfx1100 gfx1150",
    ),
    (
        &[
            "ds_direct_load",
            "ds_param_load",
            "global_atomic_ordered_add_b64",
        ],
        "gfx1200 gfx1201",
    ),
    // The width of the barrier's count is a setting that the manual does not place.
    (
        &[
            "ds_atomic_async_barrier_arrive_b64",
            "ds_atomic_barrier_arrive_rtn_b64",
        ],
        "gfx1250 gfx1251",
    ),
    (
        &[
            "ds_load_tr6_b96",
            "global_load_tr6_b96",
            "tensor_load_to_lds",
            "tensor_save",
            "tensor_stop",
            "tensor_store_from_lds",
        ],
        "gfx1250 gfx1251",
    ),
];

/// Whether an instruction is one of memory.
fn is_memory(mnemonic: &str, encoding: &str) -> bool {
    const ENCODINGS: [&str; 8] = [
        "SMEM", "DS", "MUBUF", "MTBUF", "VBUFFER", "FLAT", "VGLOBAL", "VSCRATCH",
    ];
    ENCODINGS.iter().any(|e| encoding.contains(e)) || mnemonic.starts_with("tensor")
}

#[test]
fn the_refused_memory_instructions_are_these() {
    let mut refused: BTreeSet<(String, &str)> = BTreeSet::new();
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for &target in Target::ALL {
        let mut seen: BTreeMap<&str, bool> = BTreeMap::new();
        for def in rows().iter().filter(|d| d.has_target(target)) {
            if !is_memory(def.mnemonic, def.encoding()) {
                continue;
            }
            let lanes = if target.is_gfx9() || def.wave == 64 {
                64
            } else {
                32
            };
            let bytes: Vec<u8> = def.value.iter().flat_map(|w| w.to_le_bytes()).collect();
            let inst = Decoder::new(target)
                .wave_size(lanes)
                .decode(&bytes)
                .unwrap_or_else(|e| panic!("{} on {target}: {e}", def.mnemonic));
            let hex: String = bytes[..inst.size()]
                .iter()
                .map(|b| format!("{b:02x}"))
                .collect();
            let mut b = Bench::new(target, lanes);
            b.wave.set_exec(0);
            let is_refused = matches!(b.run(&hex), Step::Stop(Stop::Refused { .. }));
            *seen.entry(inst.mnemonic()).or_default() |= is_refused;
        }
        for (mnemonic, is_refused) in seen {
            let (done, left) = counts.entry(target.name()).or_default();
            if is_refused {
                *left += 1;
                refused.insert((mnemonic.to_owned(), target.name()));
            } else {
                *done += 1;
            }
        }
    }
    println!("target: done, refused: {counts:?}");
    let want: BTreeSet<(String, &str)> = REFUSED
        .iter()
        .flat_map(|(names, targets)| {
            names
                .iter()
                .flat_map(|n| targets.split(' ').map(|t| ((*n).to_owned(), t)))
        })
        .collect();
    let difference: Vec<_> = refused.symmetric_difference(&want).collect();
    assert!(difference.is_empty(), "{difference:?}");
}
