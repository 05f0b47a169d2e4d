//! Moves whose register numbers M0 adds to (`v_movrels_b32` and its kin).

use crate::machine::Machine;
use crate::program::{Compile, Handler, Op, Src, Step};
use crate::semantics::{CompileFn, NEXT, Registry, Semantics, find, refuse};
use crate::valu;
use waveglass_isa::Field;

/// Which operands M0 moves, and by which bits.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Index {
    None,
    Whole,
    /// Bits 9:0.
    Low,
    /// Bits 25:16.
    High,
}

impl Index {
    fn offset(self, m0: u32) -> u32 {
        match self {
            Index::None => 0,
            Index::Whole => m0,
            Index::Low => m0 & 0x3ff,
            Index::High => m0 >> 16 & 0x3ff,
        }
    }
}

/// The register that M0 leads to, `None` past the wave's VGPRs.
fn resolve(m: &Machine<'_>, base: u32, index: Index) -> Option<usize> {
    let at = base.checked_add(index.offset(m.m0()))? as usize;
    (at < m.wave.vgpr_count).then_some(at)
}

/// A source past the allocation reads VGPR 0, a destination past it is not written, as for
/// registers that an instruction names.
fn relative_move(m: &mut Machine<'_>, op: &Op, source: Index, dest: Index) -> Step {
    let Some(d) = resolve(m, op.d, dest) else {
        return NEXT;
    };
    let exec = m.wave.exec();
    let from = match op.s[0] {
        Src::Vgpr(s) => Some(resolve(m, s, source).unwrap_or(0)),
        _ => None,
    };
    for lane in 0..m.wave.lanes() {
        if exec >> lane & 1 != 0 {
            let v = match from {
                Some(r) => m.wave.lane(r, lane),
                None => m.s32(op.s[0]),
            };
            m.wave.set_lane(d, lane, v);
        }
    }
    NEXT
}

fn swap_relative(m: &mut Machine<'_>, op: &Op) -> Step {
    let Src::Vgpr(s) = op.s[0] else { return NEXT };
    let (Some(d), Some(s)) = (resolve(m, op.d, Index::High), resolve(m, s, Index::Low)) else {
        // "If either is out of range, discard the instruction" (CDNA5 ISA 3.3.2.2).
        return NEXT;
    };
    let exec = m.wave.exec();
    for lane in 0..m.wave.lanes() {
        if exec >> lane & 1 != 0 {
            let (a, b) = (m.wave.lane(d, lane), m.wave.lane(s, lane));
            m.wave.set_lane(d, lane, b);
            m.wave.set_lane(s, lane, a);
        }
    }
    NEXT
}

fn compile(c: &Compile<'_>, run: Handler) -> Op {
    let Some(d) = c.vector_dst(Field::Vdst) else {
        return c.op(|_, _| NEXT);
    };
    let mut op = c.op(run);
    op.d = d;
    op.s[0] = c.src(Field::Src0);
    op
}

/// A move between registers that M0 leads to, with DPP or SDWA on the way.
fn modified_move(m: &mut Machine<'_>, op: &Op, source: Index, dest: Index) -> Step {
    let [plain] = &*op.parts else { return NEXT };
    let Some(d) = resolve(m, op.d, dest) else {
        return NEXT;
    };
    let mut moved = plain.clone();
    moved.d = d as u32;
    if let Src::Vgpr(s) = op.s[0] {
        moved.s[0] = Src::Vgpr(resolve(m, s, source).unwrap_or(0) as u32);
    }
    valu::place(&mut moved, m.wave.lanes() as u32);
    (moved.run)(m, &moved)
}

/// A relative move: with DPP or SDWA it is `v_mov_b32` in that form, whose registers are put in
/// when it runs.
fn compile_move(c: &Compile<'_>, run: Handler, modified: Handler) -> Op {
    let is_plain = [Field::Dpp8, Field::DppCtrl, Field::DstSel, Field::Src0Sel]
        .iter()
        .all(|f| c.inst.operand_def(*f).is_none());
    if is_plain {
        return compile(c, run);
    }
    let Some(Semantics::Valu(mov)) = find("v_mov_b32") else {
        return refuse(c, "the instruction has no semantics here");
    };
    let plain = valu::compile(c, mov);
    if plain.refused.is_some() || plain.valu.is_none() {
        return plain;
    }
    let mut op = compile(c, modified);
    op.parts = Box::new([plain]);
    op
}

/// A relative move's entry.
macro_rules! moves {
    ($($name:literal $source:ident $dest:ident;)*) => {
        [$((
            $name,
            |c: &Compile<'_>| {
                compile_move(
                    c,
                    |m, op| relative_move(m, op, Index::$source, Index::$dest),
                    |m, op| modified_move(m, op, Index::$source, Index::$dest),
                )
            },
        ),)*]
    };
}

pub(super) fn register(r: &mut Registry) {
    let moves: &[(&'static str, CompileFn)] = &moves! {
        "v_movreld_b32" None Whole;
        "v_movrels_b32" Whole None;
        "v_movrelsd_b32" Whole Whole;
        "v_movrelsd_2_b32" Low High;
    };
    let swap: &[(&'static str, CompileFn)] = &[("v_swaprel_b32", |c| compile(c, swap_relative))];
    for (name, f) in moves.iter().chain(swap) {
        r.insert(name, Semantics::Custom(*f));
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::Bench;
    use crate::wave::sreg;
    use waveglass_isa::Target;

    fn bench(m0: u32) -> Bench {
        let mut b = Bench::new(Target::Gfx1030, 32);
        for r in 0..8 {
            b.set(r, |_| 10 + r as u32);
        }
        b.wave.sgpr[sreg::M0] = m0;
        b
    }

    #[test]
    fn m0_moves_the_source_or_the_destination() {
        let mut b = bench(3);
        // v_movrels_b32 v0, v1
        b.run_all(&["0187007e"]);
        assert_eq!(b.get(0, 0), 14);
        let mut b = bench(3);
        // v_movreld_b32 v0, v1
        b.run_all(&["0185007e"]);
        assert_eq!((b.get(0, 0), b.get(3, 0)), (10, 11));
        let mut b = bench(5 << 16 | 2);
        // v_movrelsd_2_b32 v0, v1
        b.run_all(&["0191007e"]);
        assert_eq!(b.get(5, 0), 13);
    }

    #[test]
    fn relative_moves_take_dpp_and_sdwa() {
        let mut b = bench(3);
        b.set(4, |l| 100 + l as u32);
        // v_movrels_b32_dpp v0, v1 row_shr:1
        b.run_all(&["fa86007e011101ff"]);
        assert_eq!([b.get(0, 0), b.get(0, 1), b.get(0, 9)], [10, 100, 108]);
        // v_movreld_b32_sdwa v0, v4 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_0
        b.run_all(&["f984007e04110000"]);
        assert_eq!(b.get(3, 5), 105 << 8 | 13);
    }

    #[test]
    fn past_the_registers_v0_is_read_and_nothing_is_written() {
        let mut b = bench(1000);
        b.set(0, |_| 77);
        // v_movrels_b32 v0, v1 reads v0; v_movreld_b32 v0, v1 writes nothing.
        b.run_all(&["0187007e", "0185007e"]);
        assert_eq!((b.get(0, 0), b.get(1, 0)), (77, 11));
    }
}
