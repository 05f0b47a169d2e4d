//! AMD's own names for operands: types (`OPR_VGPR`) and data formats (`FMT_NUM_F32`).
//!
//! AMD publishes machine-readable specifications for six of the eleven generations
//! (`data/amd_operands.tbl`). For the others the nearest generation's names stand in, marked as
//! inferred.

use std::cmp::Ordering;

use serde::Serialize;
use waveglass_isa::Generation;

/// A name of AMD's, and whether it is that generation's own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AmdName {
    /// The name, as in "OPR_VGPR".
    pub name: &'static str,
    /// Whether no public specification of the generation gives it, so that it was taken from the
    /// nearest generation that has one.
    pub inferred: bool,
}

/// What AMD says of one operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AmdOperand {
    pub ty: Option<AmdName>,
    pub format: Option<AmdName>,
    pub bits: u32,
}

const TABLE: &str = include_str!("../data/amd_operands.tbl");

/// The name of a generation in the table.
pub(crate) fn key(generation: Generation) -> &'static str {
    match generation {
        Generation::Gcn5 => "gcn5",
        Generation::Cdna1 => "cdna1",
        Generation::Cdna2 => "cdna2",
        Generation::Cdna3 => "cdna3",
        Generation::Cdna4 => "cdna4",
        Generation::Cdna5 => "cdna5",
        Generation::Rdna1 => "rdna1",
        Generation::Rdna2 => "rdna2",
        Generation::Rdna3 => "rdna3",
        Generation::Rdna3_5 => "rdna3.5",
        Generation::Rdna4 => "rdna4",
    }
}

/// Where names are looked for, the nearest first: the generation itself, then those whose
/// encodings are most like its own.
fn nearest(generation: Generation) -> &'static [&'static str] {
    match generation {
        Generation::Gcn5 => &["gcn5", "cdna1", "cdna2", "cdna3", "cdna4"],
        Generation::Cdna1 => &["cdna1", "cdna2", "cdna3", "cdna4"],
        Generation::Cdna2 => &["cdna2", "cdna3", "cdna4", "cdna1"],
        Generation::Cdna3 => &["cdna3", "cdna4", "cdna2", "cdna1"],
        Generation::Cdna4 => &["cdna4", "cdna3", "cdna2", "cdna1"],
        Generation::Cdna5 => &["cdna5", "rdna4", "rdna3.5", "cdna4"],
        Generation::Rdna1 => &["rdna1", "rdna3.5", "rdna4", "cdna1"],
        Generation::Rdna2 => &["rdna2", "rdna3.5", "rdna4", "cdna1"],
        Generation::Rdna3 | Generation::Rdna3_5 => &["rdna3.5", "rdna4"],
        Generation::Rdna4 => &["rdna4", "rdna3.5"],
    }
}

/// The lines of an entry.
fn entries(name: &str, layout: &str) -> impl Iterator<Item = &'static str> {
    let body = find(TABLE, (name, layout)).unwrap_or_default();
    body.lines().map_while(|l| l.strip_prefix(' '))
}

/// What stands from an entry's head on. Heads (mnemonic and layout) are sorted, so that halving
/// the text finds one without reading all of it.
fn find(table: &'static str, wanted: (&str, &str)) -> Option<&'static str> {
    let (mut low, mut high) = (0, table.len());
    while low < high {
        let middle = low.midpoint(high);
        // The first head from the middle on.
        let mut start = match middle {
            0 => 0,
            _ => line_after(table, middle - 1),
        };
        while start < high && table[start..].starts_with([' ', '#']) {
            start = line_after(table, start);
        }
        if start >= high {
            high = middle;
            continue;
        }
        let end = line_after(table, start);
        let head = table[start..end].trim_end().split_once(' ')?;
        match head.cmp(&wanted) {
            Ordering::Equal => return Some(&table[end..]),
            Ordering::Less => low = end,
            Ordering::Greater => high = middle,
        }
    }
    None
}

/// Where the line after the one that holds byte `at` starts.
fn line_after(table: &str, at: usize) -> usize {
    let rest = &table.as_bytes()[at..];
    let end = rest.iter().position(|&b| b == b'\n');
    end.map_or(table.len(), |n| at + n + 1)
}

/// Layouts under which a specification may list an instruction that stands in `layout`.
fn layouts(layout: &str) -> &'static [&'static str] {
    match layout {
        "VOP3A" | "VOP3" => &["VOP3"],
        "VOP3B" | "VOP3SD" => &["VOP3SD", "VOP3"],
        "MUBUF" | "VBUFFER" => &["MUBUF", "VBUFFER"],
        "MTBUF" => &["MTBUF", "VBUFFER"],
        "FLAT" | "VFLAT" => &["FLAT", "VFLAT"],
        "GLOBAL" | "VGLOBAL" => &["GLOBAL", "VGLOBAL"],
        "SCRATCH" | "VSCRATCH" => &["SCRATCH", "VSCRATCH"],
        "MIMG" | "VIMAGE" | "VSAMPLE" => &["MIMG", "VIMAGE", "VSAMPLE"],
        "EXP" | "VEXPORT" => &["EXP", "VEXPORT"],
        "LDSDIR" | "VDSDIR" => &["LDSDIR", "VDSDIR"],
        "VOP3P_MFMA" | "VOP3P" => &["VOP3P_MFMA", "VOP3P"],
        "VINTERP" | "VINTRP" => &["VINTERP", "VINTRP"],
        "VOP3PX2" => &["VOP3PX2"],
        "DS" => &["DS"],
        "SMEM" => &["SMEM"],
        "SOP1" => &["SOP1"],
        "SOP2" => &["SOP2"],
        "SOPC" => &["SOPC"],
        "SOPK" => &["SOPK"],
        "SOPP" => &["SOPP"],
        "VOP1" => &["VOP1"],
        "VOP2" => &["VOP2"],
        "VOPC" => &["VOPC"],
        "VOPD" | "VOPD3" => &["VOPD"],
        _ => &[],
    }
}

/// A field's name in the specifications, without what tells generations' spellings apart.
fn plain(field: &str) -> &str {
    match field {
        "SRSRC" | "RSRC" => "RSRC",
        "SSAMP" | "SAMP" => "SAMP",
        "ADDR" | "VADDR" | "VADDR0" => "ADDR",
        "DATA" | "VSRC" => "DATA",
        "VSRC0" | "SRC0" => "SRC0",
        "SCL_SRC0" | "SCALE_SRC0" => "SCALE_SRC0",
        "SCL_SRC1" | "SCALE_SRC1" => "SCALE_SRC1",
        "OFFSET" | "IOFFSET" => "OFFSET",
        other => other,
    }
}

/// The seed of what is known of CDNA 5 beyond the specifications: AMD's reference page of
/// buffer_load_u16 gives these names.
const PUBLISHED: &[(&str, &str, &str, &str, &str)] = &[
    ("cdna5", "buffer_load_u16", "VDATA", "OPR_VGPR", "FMT_ANY"),
    ("cdna5", "buffer_load_u16", "VADDR", "OPR_VGPR", "FMT_ANY"),
    (
        "cdna5",
        "buffer_load_u16",
        "RSRC",
        "OPR_SREG",
        "FMT_RSRC_SCRATCH",
    ),
    (
        "cdna5",
        "buffer_load_u16",
        "SOFFSET",
        "OPR_SREG_M0",
        "FMT_ANY",
    ),
];

/// What AMD says of the operand in `field` of an instruction known by `names` in a generation.
pub(crate) fn operand(
    generation: Generation,
    names: &[&str],
    layout: &str,
    field: &str,
) -> Option<AmdOperand> {
    let own = key(generation);
    let mut found: Option<AmdOperand> = None;
    for &near in nearest(generation) {
        for &name in names {
            for &in_layout in layouts(layout) {
                let Some((ty, format, bits)) = listed(near, name, in_layout, field) else {
                    continue;
                };
                // RDNA 3.5 has RDNA 3's encodings, yet it is another generation.
                let inferred = near != own;
                let f = found.get_or_insert(AmdOperand {
                    ty: None,
                    format: None,
                    bits,
                });
                f.ty = f.ty.take().or(ty.map(|name| AmdName { name, inferred }));
                f.format = f
                    .format
                    .take()
                    .or(format.map(|name| AmdName { name, inferred }));
            }
        }
        if let Some(f) = &found
            && f.ty.is_some()
            && f.format.is_some()
        {
            break;
        }
    }
    for &(g, name, f, ty, format) in PUBLISHED {
        if g == own && f == field && names.contains(&name) {
            let published = |name| {
                Some(AmdName {
                    name,
                    inferred: false,
                })
            };
            let bits = found.as_ref().map_or(0, |f| f.bits);
            found = Some(AmdOperand {
                ty: published(ty),
                format: published(format),
                bits,
            });
        }
    }
    found
}

/// Type, format and width.
type Listed = (Option<&'static str>, Option<&'static str>, u32);

fn listed(generation: &str, name: &str, layout: &str, field: &str) -> Option<Listed> {
    let operands = entries(name, layout).find_map(|e| {
        let (generations, operands) = e.split_once(' ')?;
        generations
            .split(',')
            .any(|g| g == generation)
            .then_some(operands)
    })?;
    operands.split(' ').find_map(|o| {
        let (f, facts) = o.split_once('=')?;
        if plain(f) != plain(field) {
            return None;
        }
        let mut facts = facts.split(',');
        let mut named = || facts.next().filter(|n| *n != "-");
        Some((named(), named(), named()?.parse().ok()?))
    })
}

/// Every operand type and data format that the specifications name, sorted.
pub fn amd_names() -> Vec<&'static str> {
    let mut names: Vec<&'static str> = TABLE
        .lines()
        .filter(|l| l.starts_with(' '))
        .flat_map(|l| l.split([' ', '=', ',']))
        .filter(|w| w.starts_with("OPR_") || w.starts_with("FMT_"))
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halving_finds_every_head_and_no_other() {
        let mut at = 0;
        let mut heads = Vec::new();
        for line in TABLE.split_inclusive('\n') {
            at += line.len();
            if let Some(head) = line.trim_end().split_once(' ')
                && !line.starts_with([' ', '#'])
            {
                heads.push(head);
                assert_eq!(find(TABLE, head), Some(&TABLE[at..]), "{head:?}");
                assert_eq!(find(TABLE, (head.0, "~")), None);
            }
        }
        assert!(heads.len() > 1000 && heads.is_sorted());
        for name in ["", "zzz", "v_add_f"] {
            assert_eq!(find(TABLE, (name, "VOP2")), None);
        }
    }

    #[test]
    fn a_generation_with_a_specification_has_names_of_its_own() {
        let o = operand(
            Generation::Cdna4,
            &["buffer_store_format_x"],
            "MUBUF",
            "SOFFSET",
        )
        .unwrap();
        assert_eq!(
            o.ty.unwrap(),
            AmdName {
                name: "OPR_SSRC_NOLIT",
                inferred: false
            }
        );
        assert_eq!(o.format.unwrap().name, "FMT_ANY");
    }

    #[test]
    fn others_take_the_nearest_generation_s() {
        let o = operand(Generation::Gcn5, &["v_add_f32"], "VOP2", "SRC0").unwrap();
        assert_eq!(
            o.ty.unwrap(),
            AmdName {
                name: "OPR_SRC",
                inferred: true
            }
        );
        assert_eq!(
            o.format.unwrap(),
            AmdName {
                name: "FMT_NUM_F32",
                inferred: true
            }
        );
    }

    #[test]
    fn cdna3_s_type_is_its_own_and_the_format_its_neighbour_s() {
        let o = operand(Generation::Cdna3, &["v_add_f32"], "VOP2", "VDST").unwrap();
        assert!(!o.ty.unwrap().inferred);
        assert!(o.format.unwrap().inferred);
    }
}
