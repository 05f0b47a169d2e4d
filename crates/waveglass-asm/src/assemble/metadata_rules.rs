//! What metadata has to hold (AMDGPUUsage, "Code Object V3 Metadata" and those after it): keys
//! that must be there, and the types and words of those that are known. Others may be anything.

use super::yaml::{Yaml, plain};
use std::borrow::Cow;

#[derive(Clone, Copy)]
enum Kind {
    Text,
    /// One of these words.
    Word(&'static [&'static str]),
    Number,
    Flag,
    /// So many numbers.
    Numbers(usize),
    Texts,
    /// A list of maps.
    Maps(&'static [Rule]),
}

/// A key, whether it must be there, and what it holds.
type Rule = (&'static str, bool, Kind);

const ACCESS: &[&str] = &["read_only", "write_only", "read_write"];

const ARGUMENT: &[Rule] = &[
    (".name", false, Kind::Text),
    (".type_name", false, Kind::Text),
    (".size", true, Kind::Number),
    (".offset", true, Kind::Number),
    (
        ".value_kind",
        true,
        Kind::Word(&[
            "by_value",
            "global_buffer",
            "dynamic_shared_pointer",
            "sampler",
            "image",
            "pipe",
            "queue",
            "hidden_block_count_x",
            "hidden_block_count_y",
            "hidden_block_count_z",
            "hidden_group_size_x",
            "hidden_group_size_y",
            "hidden_group_size_z",
            "hidden_remainder_x",
            "hidden_remainder_y",
            "hidden_remainder_z",
            "hidden_global_offset_x",
            "hidden_global_offset_y",
            "hidden_global_offset_z",
            "hidden_grid_dims",
            "hidden_none",
            "hidden_printf_buffer",
            "hidden_hostcall_buffer",
            "hidden_heap_v1",
            "hidden_default_queue",
            "hidden_completion_action",
            "hidden_multigrid_sync_arg",
            "hidden_dynamic_lds_size",
            "hidden_private_base",
            "hidden_shared_base",
            "hidden_queue_ptr",
        ]),
    ),
    (".pointee_align", false, Kind::Number),
    (
        ".address_space",
        false,
        Kind::Word(&[
            "private", "global", "constant", "local", "generic", "region",
        ]),
    ),
    (".access", false, Kind::Word(ACCESS)),
    (".actual_access", false, Kind::Word(ACCESS)),
    (".is_const", false, Kind::Flag),
    (".is_restrict", false, Kind::Flag),
    (".is_volatile", false, Kind::Flag),
    (".is_pipe", false, Kind::Flag),
];

const KERNEL: &[Rule] = &[
    (".name", true, Kind::Text),
    (".symbol", true, Kind::Text),
    (
        ".language",
        false,
        Kind::Word(&[
            "OpenCL C",
            "OpenCL C++",
            "HCC",
            "HIP",
            "OpenMP",
            "Assembler",
        ]),
    ),
    (".language_version", false, Kind::Numbers(2)),
    (".args", false, Kind::Maps(ARGUMENT)),
    (".reqd_workgroup_size", false, Kind::Numbers(3)),
    (".workgroup_size_hint", false, Kind::Numbers(3)),
    (".cluster_dims", false, Kind::Numbers(3)),
    (".vec_type_hint", false, Kind::Text),
    (".device_enqueue_symbol", false, Kind::Text),
    (".kernarg_segment_size", true, Kind::Number),
    (".group_segment_fixed_size", true, Kind::Number),
    (".private_segment_fixed_size", true, Kind::Number),
    (".uses_dynamic_stack", false, Kind::Flag),
    (".workgroup_processor_mode", false, Kind::Number),
    (".kernarg_segment_align", true, Kind::Number),
    (".wavefront_size", true, Kind::Number),
    (".sgpr_count", true, Kind::Number),
    (".vgpr_count", true, Kind::Number),
    (".max_flat_workgroup_size", true, Kind::Number),
    (".sgpr_spill_count", false, Kind::Number),
    (".vgpr_spill_count", false, Kind::Number),
    (".uniform_work_group_size", false, Kind::Number),
];

const GLOBAL: &[Rule] = &[(".name", true, Kind::Text), (".size", true, Kind::Number)];

const ROOT: &[Rule] = &[
    ("amdhsa.version", true, Kind::Numbers(2)),
    ("amdhsa.printf", false, Kind::Texts),
    ("amdhsa.globals", false, Kind::Maps(GLOBAL)),
    ("amdhsa.kernels", true, Kind::Maps(KERNEL)),
];

/// Says what is wrong with metadata, and turns quoted numbers into numbers where numbers stand.
pub(super) fn check(root: &mut Yaml<'_>) -> Result<(), String> {
    // Where something is wrong, it is looked for again by the order of the rules.
    if holds(root, ROOT) {
        return Ok(());
    }
    map(root, ROOT, "")
}

/// Whether a map keeps the rules.
fn holds(v: &mut Yaml<'_>, rules: &[Rule]) -> bool {
    let Yaml::Map(entries) = v else { return false };
    let mut met = 0u32;
    for (key, v) in entries {
        let Some(n) = rules.iter().position(|r| r.0 == key) else {
            continue;
        };
        // Of two entries of one name the first counts.
        if met >> n & 1 != 0 {
            continue;
        }
        met |= 1 << n;
        let good = match (rules[n].2, &mut *v) {
            (Kind::Maps(rules), Yaml::List(list)) => list.iter_mut().all(|v| holds(v, rules)),
            (Kind::Maps(_), _) => false,
            (kind, v) => value(v, kind, "").is_ok(),
        };
        if !good {
            return false;
        }
    }
    let missing = |(n, r): (usize, &Rule)| r.1 && met >> n & 1 == 0;
    !rules.iter().enumerate().any(missing)
}

fn map(v: &mut Yaml<'_>, rules: &[Rule], path: &str) -> Result<(), String> {
    let Yaml::Map(entries) = v else {
        return Err(format!("{} must be a map", name(path)));
    };
    for &(key, required, kind) in rules {
        let path = format!("{path}/{key}");
        match entries.iter_mut().find(|(k, _)| k == key) {
            Some((_, v)) => value(v, kind, &path)?,
            None if required => return Err(format!("{} is missing", name(&path))),
            None => {}
        }
    }
    Ok(())
}

fn name(path: &str) -> &str {
    match path.trim_start_matches('/') {
        "" => "metadata",
        p => p,
    }
}

/// A number or truth value may stand in quotes.
fn unquoted(v: &mut Yaml<'_>) {
    let inside = match v {
        Yaml::Text(Cow::Borrowed(s)) => plain(s),
        Yaml::Text(Cow::Owned(s)) => match plain(s) {
            Yaml::Unsigned(n) => Yaml::Unsigned(n),
            Yaml::Signed(n) => Yaml::Signed(n),
            Yaml::Bool(b) => Yaml::Bool(b),
            _ => return,
        },
        _ => return,
    };
    *v = inside;
}

fn value(v: &mut Yaml<'_>, kind: Kind, path: &str) -> Result<(), String> {
    let wrong = |what: &str| Err(format!("{} must be {what}", name(path)));
    match kind {
        Kind::Text if matches!(v, Yaml::Text(_)) => Ok(()),
        Kind::Text => wrong("text"),
        Kind::Word(words) => match v {
            Yaml::Text(w) if words.contains(&&**w) => Ok(()),
            Yaml::Text(w) if words.len() < 12 => {
                wrong(&format!("one of {}, not {w:?}", words.join(", ")))
            }
            Yaml::Text(w) => Err(format!("{} cannot be {w:?}", name(path))),
            _ => wrong("text"),
        },
        Kind::Number => {
            unquoted(v);
            if v.is_number() {
                Ok(())
            } else {
                wrong("a number")
            }
        }
        Kind::Flag => {
            unquoted(v);
            if matches!(v, Yaml::Bool(_)) {
                Ok(())
            } else {
                wrong("true or false")
            }
        }
        Kind::Numbers(count) => match v {
            Yaml::List(list) if list.len() == count => list
                .iter_mut()
                .try_for_each(|v| value(v, Kind::Number, path)),
            _ => wrong(&format!("a list of {count} numbers")),
        },
        Kind::Texts => match v {
            Yaml::List(list) => list.iter_mut().try_for_each(|v| value(v, Kind::Text, path)),
            _ => wrong("a list of texts"),
        },
        Kind::Maps(rules) => match v {
            Yaml::List(list) => list
                .iter_mut()
                .enumerate()
                .try_for_each(|(n, v)| map(v, rules, &format!("{path}/{n}"))),
            _ => wrong("a list"),
        },
    }
}
