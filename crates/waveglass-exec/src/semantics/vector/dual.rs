//! VOPD: two operations in one instruction (RDNA3 ISA 7.6, "Dual Issue VALU").

use crate::alu::int32;
use crate::machine::Machine;
use crate::program::{Compile, Op, Src, Step};
use crate::semantics::table::valu;
use crate::semantics::{self, NEXT, Registry, Semantics, refuse};
use crate::valu;
use waveglass_isa::{Field, Operand};

pub(super) fn register(r: &mut Registry) {
    valu! { r;
        // It exists as half of a pair only.
        "v_bitop2_b32" [table] (m; a: u32, b: u32) -> u32 => int32::v_bitop2_b32(a, b, m.0 as u8);
    }
}

/// A temporary that vector operations leave alone: two registers for one half's result.
const HELD: u32 = 14;

/// Makes the op of a pair, `None` where the mnemonic names no pair.
pub(in crate::semantics) fn compile(c: &Compile<'_>) -> Option<Op> {
    let (x, y) = c.inst.mnemonic().split_once(" :: ")?;
    let imm = |f| c.inst.operand_def(f).map(|_| f);
    let x = half(
        c,
        x,
        Field::VdstX,
        [Field::Src0X, Field::Vsrc1X, Field::Vsrc2X],
        imm(Field::ImmX).or(imm(Field::Imm)),
    );
    let y = half(
        c,
        y,
        Field::VdstY,
        [Field::Src0Y, Field::Vsrc1Y, Field::Vsrc2Y],
        imm(Field::Imm).or(imm(Field::ImmX)),
    );
    let (Some(x), Some(y)) = (x, y) else {
        return Some(refuse(c, "the instruction has no semantics here"));
    };
    // Both halves read before either writes. Where one half's result is no source of the other,
    // running that half first says the same.
    let run = if !reads_result(c, &y, Field::VdstX) {
        run_x_first
    } else if !reads_result(c, &x, Field::VdstY) {
        run_y_first
    } else {
        run_held
    };
    let mut op = c.op(run);
    op.imm = c.temp_base as u64;
    op.parts = Box::new([x, y]);
    Some(op)
}

/// One half as an operation of its own.
fn half(
    c: &Compile<'_>,
    name: &'static str,
    dst: Field,
    sources: [Field; 3],
    imm: Option<Field>,
) -> Option<Op> {
    let whole = name;
    let name = name.strip_prefix("v_dual_")?;
    let Semantics::Valu(spec) = semantics::find(&format!("v_{name}"))? else {
        return None;
    };
    let has = |f| c.inst.operand_def(f).map(|_| f);
    let [s0, s1, s2] = sources;
    let fields = match name {
        // d = s0 * K + s1, and d = s0 * s1 + K.
        "fmamk_f32" => [has(s0), imm, has(s1)],
        "fmaak_f32" => [has(s0), has(s1), imm],
        _ => [has(s0), has(s1), has(s2)],
    };
    let mut op = valu::compile_with(c, spec, fields, dst);
    op.half = Some(whole);
    Some(op)
}

/// Whether an operation reads a register of the result in `dst`.
fn reads_result(c: &Compile<'_>, op: &Op, dst: Field) -> bool {
    let Some(Operand::Reg(r)) = c.inst.operand(dst) else {
        return false;
    };
    let written = r.index as u32..r.index as u32 + r.dwords as u32;
    // A source covers two registers at most.
    op.s.iter()
        .any(|s| matches!(*s, Src::Vgpr(v) if written.contains(&v) || written.contains(&(v + 1))))
}

fn run_x_first(m: &mut Machine<'_>, op: &Op) -> Step {
    run_both(m, op, 0, 1)
}

fn run_y_first(m: &mut Machine<'_>, op: &Op) -> Step {
    run_both(m, op, 1, 0)
}

fn run_both(m: &mut Machine<'_>, op: &Op, first: usize, second: usize) -> Step {
    let pair = &op.parts;
    match (pair[first].run)(m, &pair[first]) {
        Step::Next => (pair[second].run)(m, &pair[second]),
        other => other,
    }
}

/// Each half reads what the other writes: the first one's result waits while the second runs.
fn run_held(m: &mut Machine<'_>, op: &Op) -> Step {
    let [x, y] = &*op.parts else {
        return NEXT;
    };
    let n = m.wave.lanes();
    let dwords = 2.min(op.imm as usize - x.d as usize);
    let (d, held) = (x.d as usize * n, (op.imm as usize + HELD as usize) * n);
    let regs = m.wave.lanes_flat();
    regs.copy_within(d..d + dwords * n, held);
    if let other @ Step::Stop(_) = (x.run)(m, x) {
        return other;
    }
    // The new lanes go to the held place, the old ones come back for the other half to read.
    let regs = m.wave.lanes_flat();
    for i in 0..dwords * n {
        regs.swap(d + i, held + i);
    }
    if let other @ Step::Stop(_) = (y.run)(m, y) {
        return other;
    }
    let width = x.valu.as_deref().map_or(0, |v| v.result_dwords());
    m.wave
        .lanes_flat()
        .copy_within(held..held + width.min(dwords) * n, d);
    NEXT
}

#[cfg(test)]
mod tests {
    use crate::testing::Bench;
    use crate::wave::sreg;
    use waveglass_isa::Target;

    #[test]
    fn both_halves_read_before_either_writes() {
        let mut b = Bench::new(Target::Gfx1100, 32);
        b.set(0, |_| 1);
        b.set(1, |_| 2);
        b.wave.set_exec(!2);
        // v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v1, v0
        b.run_all(&["010110ca00010000"]);
        assert_eq!([b.get(0, 0), b.get(1, 0)], [2, 1]);
        assert_eq!([b.get(0, 1), b.get(1, 1)], [1, 2]);
    }

    #[test]
    fn accumulators_are_sources_too() {
        let mut b = Bench::new(Target::Gfx1100, 32);
        for (r, v) in [(0, 2.0f32), (1, 3.0), (2, 5.0), (3, 7.0)] {
            b.set(r, |_| v.to_bits());
        }
        // v_dual_fmac_f32 v0, v1, v3 :: v_dual_fmac_f32 v1, v0, v2
        b.run_all(&["010700c800050000"]);
        // v0 = 3 * 7 + 2, v1 = 2 * 5 + 3.
        assert_eq!(f32::from_bits(b.get(0, 4)), 23.0);
        assert_eq!(f32::from_bits(b.get(1, 4)), 13.0);
    }

    #[test]
    fn a_select_and_a_constant_each_find_their_own_operands() {
        let mut b = Bench::new(Target::Gfx1100, 32);
        for (r, v) in [(1, 1.0f32), (2, 4.0), (4, 3.0), (5, 0.5)] {
            b.set(r, |_| v.to_bits());
        }
        b.wave.sgpr[sreg::VCC_LO] = 2;
        // v_dual_cndmask_b32 v0, v1, v2 :: v_dual_fmamk_f32 v3, v4, 2.0, v5
        b.run_all(&["010544ca040b020000000040"]);
        let get = |r, lane| f32::from_bits(b.get(r, lane));
        assert_eq!((get(0, 0), get(0, 1), get(3, 0)), (1.0, 4.0, 6.5));
    }

    #[test]
    fn the_long_form_takes_masks_and_third_sources() {
        let mut b = Bench::new(Target::Gfx1250, 32);
        for (r, v) in [(1, 1.0f32), (2, 4.0), (4, 3.0), (5, 0.5), (7, 8.0)] {
            b.set(r, |_| v.to_bits());
        }
        b.wave.sgpr[4] = 2;
        // v_dual_cndmask_b32 v0, v1, v2, s4 :: v_dual_fma_f32 v3, v4, v5, v7
        b.run_all(&["013125cf0401020400050703"]);
        let get = |r, lane| f32::from_bits(b.get(r, lane));
        assert_eq!((get(0, 0), get(0, 1), get(3, 0)), (1.0, 4.0, 9.5));
        b.set(1, |_| 0b1100);
        b.set(2, |_| 0b1010);
        // v_dual_mov_b32 v3, v4 :: v_dual_bitop2_b32 v0, v1, v2 bitop3:0x14
        b.run_all(&["042121cf0101000003021400"]);
        assert_eq!((b.get(0, 0), b.get(3, 0)), (0b0110, 3.0f32.to_bits()));
    }
}
