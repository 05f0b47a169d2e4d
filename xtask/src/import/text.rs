//! The text of the table files.

use super::shape::Shape;
use super::table::Table;
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::path::Path;
use waveglass_isa::Target;

impl Table {
    /// Writes `shapes.tbl` and a file for each family of instructions.
    pub(crate) fn write(mut self, out: &Path) -> Result<()> {
        self.resolve_halves();
        std::fs::create_dir_all(out)?;
        let mut shapes: Vec<Shape> = self
            .rows
            .keys()
            .map(|k| k.shape.clone())
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect();
        shapes.sort();
        let mut names: HashMap<Shape, String> = HashMap::new();
        let mut counts: HashMap<String, u32> = HashMap::new();
        let mut text = String::from(SHAPES_HEADER);
        for shape in &shapes {
            let short = shape
                .encoding
                .trim_start_matches("ENC_")
                .to_ascii_lowercase()
                .replace("_vop_", "_");
            let n = counts.entry(short.clone()).or_default();
            *n += 1;
            let name = format!("{short}.{n}");
            writeln!(
                text,
                "shape {name} {} {} {:#x}\n  asm {}",
                shape.encoding, shape.size, shape.mask, shape.template
            )?;
            if let Some((data, addresses, d, a)) = &shape.image {
                let list = |l: &[u32]| l.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
                writeln!(text, "  image {} {} {d} {a}", list(data), list(addresses))?;
            }
            match shape.sources {
                (0, _) => {}
                (n, dst) => writeln!(text, "  sources {n}{}", if dst { " dst" } else { "" })?,
            }
            if let Some((mask, op_sel)) = shape.whole {
                writeln!(
                    text,
                    "  whole {mask:#x}{}",
                    if op_sel { " op_sel" } else { "" }
                )?;
            }
            for o in &shape.operands {
                write!(text, "  {} {} {}", o.access, o.name, o.kind)?;
                for (lo, op_lo, width) in &o.spans {
                    let hi = lo + width - 1;
                    match op_lo {
                        0 => write!(text, " {hi}:{lo}")?,
                        n => write!(text, " {hi}:{lo}@{n}")?,
                    }
                }
                text.push('\n');
            }
            names.insert(shape.clone(), name);
        }
        std::fs::write(out.join("shapes.tbl"), text)?;

        let mut files: BTreeMap<&'static str, String> = BTreeMap::new();
        let mut last: HashMap<&'static str, String> = HashMap::new();
        for (key, targets) in &self.rows {
            let family = family(&key.shape.encoding);
            let file = files.entry(family).or_insert_with(rows_header);
            if last.get(family) != Some(&key.mnemonic) {
                file.push_str(&key.mnemonic);
                if let Some(aliases) = self.aliases.get(&key.mnemonic)
                    && !aliases.is_empty()
                {
                    let list: Vec<&str> = aliases.iter().map(String::as_str).collect();
                    write!(file, " = {}", list.join(" "))?;
                }
                file.push('\n');
                last.insert(family, key.mnemonic.clone());
            }
            // Targets whose fixed bits differ by more than the opcode's place stand in rows
            // of their own.
            let mut by_rest: BTreeMap<u128, Vec<(Target, u32, u128)>> = BTreeMap::new();
            for (&t, &(value, opcode)) in targets {
                by_rest.entry(value).or_default().push((t, opcode, value));
            }
            for (value, list) in by_rest {
                write!(file, "  {:<18} {:#x}", names[&key.shape], value)?;
                for &t in Target::ALL {
                    match list.iter().find(|(x, _, _)| *x == t) {
                        Some((_, op, _)) => write!(file, " {op:x}")?,
                        None => file.push_str(" -"),
                    }
                }
                write!(file, " {}", key.attributes)?;
                if !key.wave.is_empty() {
                    write!(file, " {}", key.wave)?;
                }
                file.push('\n');
            }
        }
        for (name, text) in files {
            std::fs::write(out.join(format!("{name}.tbl")), text)?;
        }
        Ok(())
    }
}

const SHAPES_HEADER: &str = "\
# Operand shapes: what a form of an instruction looks like apart from its name and opcode.
#
#   shape NAME ENCODING BYTES MASK     MASK: the bits whose values the row fixes
#     asm TEMPLATE                     $name stands for an operand
#     image DATA ADDRESSES D A         register counts that an image instruction's fields may ask for;
#                                      D and A where they ask for others
#     sources N [dst]                  op_sel, op_sel_hi, neg_lo and neg_hi list N sources;
#                                      op_sel also the destination
#     whole ZEROS [op_sel]             the form that names no halves: further bits that are zero in
#                                      it (all: there is none), and whether it shows op_sel
#     r|w NAME KIND HI:LO[@BIT]...     where the operand's bits lie; @BIT: from that bit of the operand up
#
# KIND is <what>.<bits>.<type> for registers and constants, mods.<which> for source modifiers,
# imm.<style> for other fields. What: v VGPR, va VGPR or AGPR, a AGPR, s scalar register,
# sc/sl scalar source without/with literal, vsc/vs any source without/with literal, vr VGPR in a
# source field, vi/ai VGPR/AGPR or inline constant, sdwa source of an SDWA form; lo: registers
# 0-127, h: a half that op_sel names. Type: b bits, i integer, f IEEE float, bf bfloat16, v2… packed.
# mask: as wide as a wave.
";

fn rows_header() -> String {
    let mut s = String::from(
        "# MNEMONIC [= other spellings]\n#   SHAPE FIXED-BITS opcode on each target (hex, - where absent) flags reads writes [w32|w64]\n#  ",
    );
    for t in Target::ALL {
        s.push(' ');
        s.push_str(t.name());
    }
    s.push('\n');
    s
}

fn family(encoding: &str) -> &'static str {
    match encoding {
        e if e.starts_with("ENC_SOP") => "scalar_alu",
        "ENC_SMEM" => "scalar_memory",
        "VOPDXY" | "VOPD3" => "vopd",
        "ENC_VINTRP" | "ENC_VINTERP" | "ENC_LDSDIR" | "ENC_VDSDIR" | "ENC_EXP" | "ENC_VEXPORT" => {
            "interpolation_export"
        }
        e if e.starts_with("ENC_VOP3P") || e.starts_with("VOP3P") => "vop3p",
        e if e.starts_with("VOP3") || e == "ENC_VOP3" => "vop3",
        e if e.contains("VOP1") => "vop1",
        e if e.contains("VOP2") => "vop2",
        e if e.contains("VOPC") => "vopc",
        "ENC_DS" | "ENC_VDS" => "data_share",
        "ENC_MUBUF" | "ENC_MTBUF" | "ENC_VBUFFER" => "buffer",
        e if e.starts_with("ENC_FLAT") => "flat",
        "ENC_VFLAT" | "ENC_VGLOBAL" | "ENC_VSCRATCH" => "flat",
        "ENC_MIMG" | "ENC_VIMAGE" | "ENC_VSAMPLE" => "image",
        other => panic!("encoding {other} belongs to no family"),
    }
}
