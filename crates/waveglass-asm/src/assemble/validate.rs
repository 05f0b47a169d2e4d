//! Rules over a whole instruction that its fields do not show: how many scalar values a vector
//! instruction may read, register banks of VOPD pairs, and the like.

use super::candidate::{Candidate, Check, Rule};
use super::diagnostic::Problem;
use super::matcher::For;
use super::modifier::Mod;
use super::modifier_value::{TH, TH_BYPASS, TH_NUMBER};
use super::operand::{Line, Op, Value};
use super::pattern::{Form, Want};
use super::validate_image::image;
use super::validate_rule;
use waveglass_isa::{Access, Decoder, Field, InstBits, InstFlags, Reg, RegFile, Target};

/// Rejects what the hardware does not do.
#[inline]
pub(super) fn check(line: &Line, c: &Candidate, bits: &InstBits, on: For) -> Result<(), Problem> {
    if line.has(Mod::Cpol) && line.values[Mod::Cpol as usize] >> 11 & 1 != 0 {
        scaled(line, c)?;
    }
    if line.policy_named & TH != 0 {
        temporal(line, c.def.mnemonic)?;
    }
    match c.check {
        Check::Nothing => Ok(()),
        Check::Vector => vector(line, c, bits, on),
        Check::Store if line.has(Mod::Tfe) => Err(Problem::at(
            line.places[Mod::Tfe as usize] as usize,
            "TFE modifier has no meaning for store instructions",
        )),
        Check::Store => Ok(()),
        Check::Image => image(line, c, &bits.finish()),
        Check::Tensor if line.has(Mod::R128) => Err(Problem::at(
            line.places[Mod::R128 as usize] as usize,
            "instruction must set modifier r128=0",
        )
        .help("descriptor group 1 of a tensor move always has 8 registers")),
        Check::Tensor => Ok(()),
        Check::EvenRegister => aligned(line, on),
        Check::NullFirst => null_first(line),
        Check::Barrier => barrier(line),
        Check::NoLiteral if bits.has_literal() => Err(Problem::at(
            0,
            "invalid operand for instruction: literals are not supported",
        )),
        Check::NoLiteral => Ok(()),
    }
}

/// The third temporal hint has one name where the scope is the system, another where it is not.
fn temporal(line: &Line, name: &str) -> Result<(), Problem> {
    let at = line.places[Mod::Cpol as usize] as usize;
    let policy = line.values[Mod::Cpol as usize];
    let (hint, scope) = (policy & 7, policy >> 3 & 3);
    if line.policy_named & TH_NUMBER != 0 {
        return Ok(());
    }
    if name.starts_with("s_") && matches!(hint, 4..=6) {
        return Err(Problem::at(at, "invalid th value for SMEM instruction"));
    }
    let bypass = line.policy_named & TH_BYPASS != 0;
    if hint == 3 && bypass != (scope == 3) {
        return Err(
            Problem::at(at, "scope and th combination is not valid").help(
                "TH_..._BYPASS goes with SCOPE_SYS, the other names of this hint with the others",
            ),
        );
    }
    Ok(())
}

fn place(ops: &[Op], n: usize) -> usize {
    ops.get(n).map_or(0, |o| o.at as usize)
}

/// A barrier is named by a number or by M0 (RDNA4 ISA 5.6).
fn barrier(line: &Line) -> Result<(), Problem> {
    match line.ops().last() {
        Some(op) if matches!(op.value, Value::Reg(r) if r.file != RegFile::M0) => Err(Problem::at(
            op.at as usize,
            "invalid operand for instruction: a number or m0 names a barrier",
        )),
        _ => Ok(()),
    }
}

/// The offset in a VGPR is what SCALE_OFFSET scales: there has to be one beside a scalar base
/// (CDNA5 ISA 8.1.1 and 10.2).
fn scaled(line: &Line, c: &Candidate) -> Result<(), Problem> {
    let name = c.def.mnemonic;
    let has = |f: Field| c.def.shape.operands.iter().any(|o| o.field == f);
    let fits = if name.starts_with("scratch_") {
        has(Field::Vaddr)
    } else if name.starts_with("s_") {
        !name.starts_with("s_buffer_")
    } else {
        has(Field::Vaddr) && has(Field::Saddr)
    };
    if fits {
        return Ok(());
    }
    Err(Problem::at(
        line.places[Mod::Cpol as usize] as usize,
        "scale_offset is not supported for this instruction",
    ))
}

/// S_WAITCNT_VSCNT and its kin name a register that must be null.
fn null_first(line: &Line) -> Result<(), Problem> {
    match line.ops().first().map(|o| o.value) {
        Some(Value::Reg(r)) if r.file != RegFile::Null => {
            Err(Problem::at(place(line.ops(), 0), "src0 must be null"))
        }
        _ => Ok(()),
    }
}

/// Global wave sync reads an even register on CDNA 2 and later.
fn aligned(line: &Line, on: For) -> Result<(), Problem> {
    match line.ops().first().map(|o| o.value) {
        Some(Value::Reg(r)) if r.index % 2 != 0 => Err(Problem::at(
            place(line.ops(), 0),
            format!("vgpr must be even aligned on {}", on.target),
        )),
        _ => Ok(()),
    }
}

fn vector(line: &Line, c: &Candidate, bits: &InstBits, on: For) -> Result<(), Problem> {
    let def = c.def;
    let mut used = [Reg::new(RegFile::Vgpr, 0, 0); 8];
    let mut count = 0;
    let limit = c.bus.limit;
    // The table has VCC for every pair; those with v_dual_cndmask_b32 without a mask read it.
    let pair = line.split != 0;
    let implicit = match pair {
        true => {
            let masked =
                |ops: &[Op]| matches!(ops.get(3), Some(op) if matches!(op.value, Value::Reg(_)));
            let (x, y) = line.ops().split_at(line.split);
            def.mnemonic
                .split(" :: ")
                .zip([x, y])
                .any(|(n, ops)| n == "v_dual_cndmask_b32" && !masked(ops))
        }
        false => c.bus.vcc,
    };
    if implicit {
        // For LLVM a pair reads all of VCC, which is not the half that may be named beside it.
        let dwords = if pair { 2 } else { on.wave_size / 32 };
        used[0] = Reg::new(RegFile::Vcc, 0, dwords as u8);
        count = 1;
    }
    let mut registers = count;
    let mut last = 0;
    let mut scalars = count > 0;
    for (op, want) in line.ops().iter().zip(c.pattern.written(line.count)) {
        let reg = match (want, op.value) {
            (Want::Source { operand, .. }, Value::Reg(r)) => {
                let o = &def.shape.operands[*operand as usize];
                if o.access == Access::Write {
                    continue;
                }
                if r.file == RegFile::LdsDirect {
                    lds_direct(op, o.field, c, on)?;
                    continue;
                }
                r
            }
            _ => continue,
        };
        let selects = |operand: u8| def.shape.operands[operand as usize].field == Field::Src1;
        if matches!(reg.file, RegFile::Vgpr | RegFile::Agpr | RegFile::Null)
            || c.bus.lane_select
                && reg.file == RegFile::M0
                && matches!(want, Want::Source { operand, .. } if selects(*operand))
        {
            continue;
        }
        scalars = true;
        if !used[..registers].contains(&reg) && registers < used.len() {
            used[registers] = reg;
            registers += 1;
            count += 1;
            last = op.at;
        }
    }
    count += (c.bus.constant || bits.has_literal()) as usize;
    if scalars && count > limit {
        return Err(Problem::at(
            last as usize,
            "invalid operand (violates constant bus restrictions)",
        )
        .help(format!(
            "{} reads at most {limit} scalar value{} on {}",
            def.mnemonic,
            if limit == 1 { "" } else { "s" },
            on.target
        )));
    }
    more(line, c, bits, on)
}

/// Checks of rarer forms.
fn more(line: &Line, c: &Candidate, bits: &InstBits, on: For) -> Result<(), Problem> {
    let def = c.def;
    let ops = line.ops();
    if matches!(c.pattern.form, Form::Dpp | Form::E64Dpp) {
        dpp(line, c, bits, on)?;
    }
    if c.rule != Rule::Nothing {
        validate_rule::check(line, c, bits)?;
    }
    if c.halves {
        validate_rule::mixed(line, c)?;
    }
    // LLVM takes no op_sel for the dot products of CDNA 3 and later.
    if on.target.has_gfx940_insts() && def.flags.contains(InstFlags::DOT) {
        let all = (1 << def.shape.sources.count) - 1;
        let lo = line.value(Mod::OpSel).map_or(0, |v| v & 0xff);
        let hi = line.value(Mod::OpSelHi).map_or(all, |v| v & 0xff);
        if (lo != 0 || hi & all != all) && def.encoding() == "ENC_VOP3P" {
            let m = if lo != 0 { Mod::OpSel } else { Mod::OpSelHi };
            return Err(Problem::at(
                line.places[m as usize] as usize,
                "invalid op_sel operand",
            ));
        }
    }
    // Matrix operations on binary64 of CDNA 3 have neg in the place of blgp.
    if line.has(Mod::Blgp) || line.has(Mod::Neg) {
        let negates = on.target.has_gfx940_insts() && def.mnemonic.starts_with("v_mfma_f64_");
        let m = if negates { Mod::Blgp } else { Mod::Neg };
        if line.has(m) {
            return Err(Problem::at(
                line.places[m as usize] as usize,
                format!("invalid modifier: {} is not supported", m.name()),
            ));
        }
    }
    // op_sel and the halves of registers say the same.
    if line.has(Mod::OpSel) && def.shape.sources.count > 0 && on.target.major() >= 11 {
        halves(line, c)?;
    }
    if c.pattern.form == Form::Sdwa
        && (def.mnemonic.ends_with("_bf8") || def.mnemonic.ends_with("_fp8"))
        && let Some(op) = ops.iter().find(|o| o.sext)
    {
        return Err(Problem::at(
            op.at as usize,
            "sext is not possible for this operand",
        ));
    }
    if def.flags.contains(InstFlags::MAI) {
        matrix_overlap(line, c)?;
        if on.target == Target::Gfx908 {
            mai_gfx908(line, c)?;
        }
    }
    Ok(())
}

/// A suffix `.l` or `.h` and the bit of op_sel must agree.
fn halves(line: &Line, c: &Candidate) -> Result<(), Problem> {
    let v = line.value(Mod::OpSel).unwrap_or(0) & 0xff;
    if v == 0 {
        return Ok(());
    }
    let sources = [Field::Src0, Field::Src1, Field::Src2];
    let count = (c.def.shape.sources.count as usize).min(3);
    for (op, want) in line.ops().iter().zip(&c.pattern.wants) {
        let (Want::Source { operand, .. }, Value::Reg(r)) = (want, op.value) else {
            continue;
        };
        let Some(half) = r.half else { continue };
        let o = &c.def.shape.operands[*operand as usize];
        let bit = match sources.iter().position(|f| *f == o.field) {
            Some(n) if n < count => n,
            Some(_) => continue,
            None if c.def.shape.sources.dst => count,
            None => continue,
        };
        // Those that accumulate read their result as the third source.
        let accumulates = bit == count && count == 3 && c.def.mnemonic.contains("fmac");
        let high = half == waveglass_isa::Half::Hi;
        let third = accumulates && (v >> 2 & 1 != 0) != high;
        if (v >> bit & 1 != 0) != high || third {
            return Err(Problem::at(
                line.places[Mod::OpSel as usize] as usize,
                "op_sel operand conflicts with 16-bit operand suffix",
            ));
        }
    }
    Ok(())
}

/// Sources that CDNA 1 does not take: inline constants as matrix C (LLVM's
/// FeatureMFMAInlineLiteralBug) and scalar registers in V_ACCVGPR_WRITE.
fn mai_gfx908(line: &Line, c: &Candidate) -> Result<(), Problem> {
    let ops = line.ops();
    if c.def.mnemonic.starts_with("v_accvgpr_write") {
        return match ops.get(1) {
            Some(op) if matches!(op.value, Value::Reg(r) if r.file != RegFile::Vgpr) => {
                Err(Problem::at(
                    op.at as usize,
                    "source operand must be either a VGPR or an inline constant",
                ))
            }
            _ => Ok(()),
        };
    }
    match ops.get(3) {
        Some(op) if matches!(op.value, Value::Float(_) | Value::Int(_)) => Err(Problem::at(
            op.at as usize,
            "inline constants are not allowed for this operand",
        )),
        _ => Ok(()),
    }
}

/// Matrix C may be the result's registers or apart from them, not in between, as LLVM has it.
fn matrix_overlap(line: &Line, c: &Candidate) -> Result<(), Problem> {
    let at = |field: Field| {
        line.ops()
            .iter()
            .zip(&c.pattern.wants)
            .find_map(|(op, w)| match (w, op.value) {
                (Want::Source { operand, .. }, Value::Reg(r))
                    if c.def.shape.operands[*operand as usize].field == field =>
                {
                    Some((r, op.at))
                }
                _ => None,
            })
    };
    let (Some((d, _)), Some((s, place))) = (at(Field::Vdst), at(Field::Src2)) else {
        return Ok(());
    };
    let overlap = d.file == s.file
        && d.index < s.index + s.dwords as u16
        && s.index < d.index + d.dwords as u16;
    if overlap && d != s && d.dwords > 4 {
        return Err(Problem::at(
            place as usize,
            "source 2 operand must not partially overlap with dst",
        ));
    }
    Ok(())
}

fn dpp(line: &Line, c: &Candidate, bits: &InstBits, on: For) -> Result<(), Problem> {
    // Before RDNA 3.5 the second source of a DPP form is a VGPR (LLVM's FeatureDPPSrc1SGPR).
    if on.target == Target::Gfx1100 && c.pattern.form == Form::E64Dpp {
        for (op, want) in line.ops().iter().zip(&c.pattern.wants) {
            let Want::Source { operand, .. } = want else {
                continue;
            };
            if c.def.shape.operands[*operand as usize].field != Field::Src1 {
                continue;
            }
            match op.value {
                Value::Int(_) | Value::Float(_) | Value::Expr(_) => {
                    return Err(Problem::at(
                        op.at as usize,
                        "src1 immediate operand invalid for instruction",
                    ));
                }
                Value::Reg(r) if r.file != RegFile::Vgpr => {
                    return Err(Problem::at(
                        op.at as usize,
                        "invalid operand for instruction",
                    ));
                }
                _ => {}
            }
        }
    }
    // 64-bit operands came to DPP with CDNA 2.
    let wide = || {
        c.def
            .shape
            .operands
            .iter()
            .any(|o| o.bits == 64 && o.access == Access::Read)
    };
    if on.target.is_gfx9() && !on.target.has_gfx90a_insts() && wide() {
        return Err(Problem::at(
            0,
            format!(
                "{} does not exist with DPP on {}",
                c.def.mnemonic, on.target
            ),
        ));
    }
    let mut bytes = [0u8; 20];
    for (b, w) in bytes.chunks_exact_mut(4).zip(bits.words()) {
        b.copy_from_slice(&w.to_le_bytes());
    }
    let back = Decoder::new(on.target)
        .wave_size(on.wave_size)
        .decode(&bytes);
    if back.is_err() {
        let m = if line.has(Mod::DppCtrl) {
            Mod::DppCtrl
        } else {
            Mod::Dpp8
        };
        return Err(Problem::at(
            line.places[m as usize] as usize,
            format!(
                "{} does not take this dpp control on {}",
                c.def.mnemonic, on.target
            ),
        ));
    }
    Ok(())
}

/// Whether the operation takes its sources in the other order.
fn is_reversed(name: &str) -> bool {
    name.contains("rev_") && !name.contains("bfrev")
}

fn lds_direct(op: &Op, field: Field, c: &Candidate, on: For) -> Result<(), Problem> {
    let at = op.at as usize;
    if on.target.has_gfx90a_insts() {
        return Err(Problem::at(
            at,
            format!("lds_direct is not supported on {}", on.target),
        ));
    }
    if c.pattern.form == Form::Sdwa || is_reversed(c.def.mnemonic) {
        return Err(Problem::at(
            at,
            "lds_direct cannot be used with this instruction",
        ));
    }
    if field != Field::Src0 {
        return Err(Problem::at(at, "lds_direct may be used as src0 only"));
    }
    Ok(())
}

/// Register banks of a VOPD pair (RDNA3 ISA 7.6, RDNA4 ISA 7.8, CDNA5 ISA 7.8.1): the position of the
/// operand that breaks them.
pub(super) fn pair(line: &Line, c: &Candidate, on: For) -> Result<(), Problem> {
    if line.split == 0 {
        return Ok(());
    }
    let wide = c.def.encoding() == "VOPD3";
    let (first, second) = line.ops().split_at(line.split);
    let names = c
        .def
        .mnemonic
        .split_once(" :: ")
        .unwrap_or((c.def.mnemonic, ""));
    let component = |ops: &[Op], name: &str| -> [Option<Reg>; 4] {
        let mut regs = [None; 4];
        for (slot, op) in regs.iter_mut().zip(ops) {
            *slot = match op.value {
                Value::Reg(r) if r.file == RegFile::Vgpr => Some(r),
                _ => None,
            };
        }
        // Those that accumulate read their result as a third source.
        if name.contains("fmac") || name.contains("dot2acc") {
            regs[3] = regs[0];
        }
        regs
    };
    let (x, y) = (component(first, names.0), component(second, names.1));
    // LLVM compares other operands in this one (see data/llvm-differs.txt).
    // Two moves may read the same bank from gfx12 on.
    let moves = on.target.major() >= 12 && c.def.mnemonic == "v_dual_mov_b32 :: v_dual_mov_b32";
    let odd = moves || on.target.has_gfx1250_insts() && c.def.mnemonic.contains("dot2acc_f32_bf16");
    const MASKS: [[u16; 4]; 2] = [[1, 3, 3, 1], [1, 3, 3, 3]];
    for n in 0..4 {
        let (Some(a), Some(b)) = (x[n], y[n]) else {
            continue;
        };
        let at = place(second, n.min(second.len().saturating_sub(1)));
        if n == 0 {
            let overlap =
                a.index < b.index + b.dwords as u16 && b.index < a.index + a.dwords as u16;
            if overlap && wide {
                return Err(Problem::at(at, "dst registers must be distinct"));
            }
            if wide {
                continue;
            }
            if (a.index ^ b.index) & 1 == 0 {
                return Err(Problem::at(
                    at,
                    "one dst register must be even and the other odd",
                ));
            }
            continue;
        }
        if odd {
            continue;
        }
        let mask = MASKS[wide as usize][n];
        let same_bank = (0..a.dwords as u16)
            .flat_map(|i| (0..b.dwords as u16).map(move |j| (i, j)))
            .any(|(i, j)| (a.index + i) & mask == (b.index + j) & mask);
        let shared = on.target.major() >= 12 && a == b;
        if same_bank && !shared {
            return Err(Problem::at(
                at,
                format!("src{} operands must use different VGPR banks", n - 1),
            ));
        }
    }
    Ok(())
}
