//! Moves between lanes: to and from scalar registers, permutes within rows, swaps.

use crate::machine::Machine;
use crate::program::{Compile, Handler, Op, Src, Step};
use crate::semantics::table::valu;
use crate::semantics::{NEXT, Registry, Semantics};
use crate::valu::kernel::{in_builds, permute_rows};
use crate::valu::{self};
use crate::wave::sreg;
use waveglass_isa::{Field, Half, Operand};

/// Lanes of a row (each manual's "DPP" and "PERMLANE" sections).
const ROW: usize = 16;

/// A register's lanes, copied: a source may be the destination too.
fn lanes(m: &Machine<'_>, register: u32) -> [u32; 64] {
    std::array::from_fn(|lane| match lane < m.wave.lanes() {
        true => m.wave.lane(register as usize, lane),
        false => 0,
    })
}

fn is_active(m: &Machine<'_>, lane: usize) -> bool {
    m.wave.exec() >> lane & 1 != 0
}

/// Writes the lanes that `f` has a value for, where EXEC is on.
fn write(m: &mut Machine<'_>, register: u32, f: impl Fn(usize) -> Option<u32>) {
    for lane in 0..m.wave.lanes() {
        if is_active(m, lane)
            && let Some(v) = f(lane)
        {
            m.wave.set_lane(register as usize, lane, v);
        }
    }
}

/// A source's value in a lane.
fn value(m: &Machine<'_>, s: Src, lane: usize) -> u32 {
    match s {
        Src::Vgpr(r) => m.wave.lane(r as usize, lane),
        other => m.s32(other),
    }
}

/// Sources in order, and a vector destination; nothing is executed where that lies past the
/// wave's registers.
fn to_vector(c: &Compile<'_>, run: Handler) -> Op {
    let Some(d) = c.vector_dst(Field::Vdst) else {
        return c.op(|_, _| NEXT);
    };
    let mut op = c.op(run);
    op.d = d;
    op.s[0] = c.src(Field::Src0);
    op.s[1] = c.src(Field::Src1);
    op.s[2] = c.src(Field::Src2);
    op
}

/// The same with a scalar destination.
fn to_scalar(c: &Compile<'_>, run: Handler) -> Op {
    let mut op = c.op(run);
    op.d = match c.inst.operand(Field::Vdst) {
        Some(Operand::Reg(r)) => crate::program::scalar_number(r),
        _ => sreg::NULL as u32,
    };
    op.s[0] = c.src(Field::Src0);
    op.s[1] = c.src(Field::Src1);
    op
}

/// Two vector registers that exchange lanes: `d` and `d2`.
fn exchange(c: &Compile<'_>, run: Handler) -> Op {
    let (Some(d), Some(s)) = (c.vector_dst(Field::Vdst), c.vector_dst(Field::Src0)) else {
        // "If either is out of range, discard the instruction" (CDNA5 ISA 3.3.2.2).
        return c.op(|_, _| NEXT);
    };
    let mut op = c.op(run);
    op.d = d;
    op.d2 = s;
    let upper =
        |f| matches!(c.inst.operand(f), Some(Operand::Reg(r)) if r.half == Some(Half::Hi)) as u64;
    op.imm = upper(Field::Vdst) | upper(Field::Src0) << 1;
    op
}

/// Lane 0 is read where EXEC is zero ("V_READFIRSTLANE_B32").
fn readfirstlane(m: &mut Machine<'_>, op: &Op) -> Step {
    let v = value(m, op.s[0], m.first_lane());
    m.set_s32(op.d, v);
    NEXT
}

/// The lane select wraps at the wave's size; EXEC does not matter.
fn readlane(m: &mut Machine<'_>, op: &Op) -> Step {
    let lane = m.s32(op.s[1]) as usize % m.wave.lanes();
    let v = value(m, op.s[0], lane);
    m.set_s32(op.d, v);
    NEXT
}

fn writelane(m: &mut Machine<'_>, op: &Op) -> Step {
    let lane = m.s32(op.s[1]) as usize % m.wave.lanes();
    let v = m.s32(op.s[0]);
    m.wave.set_lane(op.d as usize, lane, v);
    NEXT
}

/// OP_SEL of `v_permlane16_b32` and its kin: FI and BOUND_CTRL, kept in the op's `imm`.
pub(crate) const FETCH_INACTIVE: u64 = 1;
pub(crate) const BOUND_CTRL: u64 = 2;

fn permlane(c: &Compile<'_>, run: Handler) -> Op {
    let mut op = to_vector(c, run);
    if op.d2 == 0 && op.s[0] != Src::None {
        let bit = |f, b| (c.inst.field(f) >> 2 & 1) * b;
        op.imm = bit(Field::Src0Modifiers, FETCH_INACTIVE) | bit(Field::Src1Modifiers, BOUND_CTRL);
    }
    op
}

/// Gathers lanes; `source` says which. A lane whose source EXEC switches off keeps its value, or
/// gets zero under BOUND_CTRL, unless FI lets the source be read all the same.
fn gather(m: &mut Machine<'_>, op: &Op, source: impl Fn(&Machine<'_>, usize) -> usize) -> Step {
    let Src::Vgpr(s) = op.s[0] else { return NEXT };
    let from = lanes(m, s);
    let chosen: [Option<u32>; 64] = std::array::from_fn(|lane| {
        if lane >= m.wave.lanes() {
            return None;
        }
        let at = source(m, lane);
        if op.imm & FETCH_INACTIVE != 0 || is_active(m, at) {
            Some(from[at])
        } else {
            (op.imm & BOUND_CTRL != 0).then_some(0)
        }
    });
    write(m, op.d, |lane| chosen[lane]);
    NEXT
}

/// The row of a lane, or its neighbour within the pair of rows.
fn row(lane: usize, other: bool) -> usize {
    ((lane / ROW) ^ other as usize) * ROW
}

in_builds! {
    /// The lane that each lane reads: four bits a lane of the row, of its own row or of its neighbour
    /// within the pair of rows.
    fn select_rows(select: u64, other: bool, sources: &mut [u32; 64]) {
        for (lane, source) in sources.iter_mut().enumerate() {
            let row = ((lane / ROW) ^ usize::from(other)) * ROW;
            *source = (select >> (4 * (lane % ROW)) & 15) as u32 + row as u32;
        }
    }
}

in_builds! {
    /// [`permlane_rows`] of a wave that is all on.
    fn permute_full(regs: &mut [u32], from: usize, to: usize, n: usize, select: u64, other: bool) {
        permute_rows::<L>(regs, from, to, n, select, other);
    }
}

/// `v_permlane16_b32` and `v_permlanex16_b32`.
fn permlane_rows(m: &mut Machine<'_>, op: &Op, other: bool) -> Step {
    let Src::Vgpr(s) = op.s[0] else { return NEXT };
    let select = m.s32(op.s[1]) as u64 | (m.s32(op.s[2]) as u64) << 32;
    if m.wave.is_full() {
        let n = m.wave.lanes();
        let (from, to) = (s as usize * n, op.d as usize * n);
        permute_full(m.wave.lanes_flat(), from, to, n, select, other);
        return NEXT;
    }
    let mut sources = [0; 64];
    select_rows(select, other, &mut sources);
    let fetch_inactive = op.imm & FETCH_INACTIVE != 0;
    let bound_ctrl = op.imm & BOUND_CTRL != 0;
    valu::permute(m, s, op.d, &sources, fetch_inactive, bound_ctrl);
    NEXT
}

fn selected_by_lane(m: &Machine<'_>, op: &Op, lane: usize) -> usize {
    (value(m, op.s[1], lane) & 15) as usize
}

/// Swaps the halves of a wave64; in a wave32 it does nothing ("V_PERMLANE64_B32").
fn permlane64(m: &mut Machine<'_>, op: &Op) -> Step {
    if m.wave.lanes() != 64 {
        return NEXT;
    }
    let Src::Vgpr(s) = op.s[0] else { return NEXT };
    if m.wave.is_full() {
        let [low, high] = [0, 1].map(|half| m.wave.vgpr[2 * s as usize + half]);
        let to = 2 * op.d as usize;
        (m.wave.vgpr[to], m.wave.vgpr[to + 1]) = (high, low);
        return NEXT;
    }
    let from = lanes(m, s);
    write(m, op.d, |lane| Some(from[lane ^ 32]));
    NEXT
}

/// Swaps the odd groups of the first register with the even groups of the second. All lanes are
/// read, EXEC gates what is written.
fn group_swap(m: &mut Machine<'_>, op: &Op, group: usize) -> Step {
    let (first, second) = (lanes(m, op.d), lanes(m, op.d2));
    write(m, op.d2, |lane| {
        (lane & group == 0).then(|| first[lane + group])
    });
    write(m, op.d, |lane| {
        (lane & group != 0).then(|| second[lane - group])
    });
    NEXT
}

fn swap(m: &mut Machine<'_>, op: &Op) -> Step {
    if m.wave.is_full() {
        let rows = m.wave.rows;
        for row in 0..rows {
            let (d, s) = (op.d as usize * rows + row, op.d2 as usize * rows + row);
            m.wave.vgpr.swap(d, s);
        }
        return NEXT;
    }
    let (first, second) = (lanes(m, op.d), lanes(m, op.d2));
    write(m, op.d, |lane| Some(second[lane]));
    write(m, op.d2, |lane| Some(first[lane]));
    NEXT
}

fn swap_halves(m: &mut Machine<'_>, op: &Op) -> Step {
    let shift = |bit: u64| if op.imm & bit != 0 { 16 } else { 0 };
    let (to, from) = (shift(1), shift(2));
    for lane in 0..m.wave.lanes() {
        if !is_active(m, lane) {
            continue;
        }
        let a = m.wave.lane(op.d as usize, lane) >> to & 0xffff;
        let b = m.wave.lane(op.d2 as usize, lane) >> from & 0xffff;
        for (register, shift, v) in [(op.d, to, b), (op.d2, from, a)] {
            let old = m.wave.lane(register as usize, lane);
            let new = old & !(0xffff << shift) | v << shift;
            m.wave.set_lane(register as usize, lane, new);
        }
    }
    NEXT
}

/// Permutes within groups whose width the third source gives (CDNA 5). All lanes are read, EXEC
/// gates what is written. `source` takes the lane's place in its group, the second source and the
/// width. A width that is no power of two, which the manual leaves undefined, or that passes the
/// wave is taken as the next power of two or as the wave.
fn group_permute(
    m: &mut Machine<'_>,
    op: &Op,
    source: impl Fn(usize, u32, usize) -> usize,
) -> Step {
    let Src::Vgpr(s) = op.s[0] else { return NEXT };
    let width = (m.s32(op.s[2]) as usize)
        .min(m.wave.lanes())
        .next_power_of_two();
    let select = m.s32(op.s[1]);
    let from = lanes(m, s);
    write(m, op.d, |lane| {
        let base = lane & !(width - 1);
        from.get(base + source(lane - base, select, width)).copied()
    });
    NEXT
}

fn permlane_bcast(m: &mut Machine<'_>, op: &Op) -> Step {
    group_permute(m, op, |_, select, width| {
        (select & 63) as usize & (width - 1)
    })
}

fn permlane_up(m: &mut Machine<'_>, op: &Op) -> Step {
    group_permute(m, op, |i, delta, _| {
        i.checked_sub(delta as usize).unwrap_or(i)
    })
}

fn permlane_down(m: &mut Machine<'_>, op: &Op) -> Step {
    group_permute(m, op, |i, delta, width| {
        match i.checked_add(delta as usize) {
            Some(at) if at < width => at,
            _ => i,
        }
    })
}

fn permlane_xor(m: &mut Machine<'_>, op: &Op) -> Step {
    let wave = m.wave.lanes() as u32;
    group_permute(m, op, |i, mask, width| {
        let at = i ^ (mask & 63) as usize;
        if mask >= wave || at >= width { i } else { at }
    })
}

/// An index for `ds_bpermute_b32`: the lane that the first source names within the lane's group.
fn permlane_idx_gen(m: &mut Machine<'_>, op: &Op) -> Step {
    let result: [u32; 64] = std::array::from_fn(|lane| {
        let mask = value(m, op.s[1], lane).wrapping_sub(1);
        let select = (value(m, op.s[0], lane) & 63 & mask).wrapping_add(lane as u32 & !mask);
        select << 2
    });
    write(m, op.d, |lane| Some(result[lane]));
    NEXT
}

pub(super) fn register(r: &mut Registry) {
    let custom: &[(&'static str, crate::semantics::CompileFn)] = &[
        ("v_readfirstlane_b32", |c| to_scalar(c, readfirstlane)),
        ("v_readlane_b32", |c| to_scalar(c, readlane)),
        ("v_writelane_b32", |c| to_vector(c, writelane)),
        ("v_permlane16_b32", |c| {
            permlane(c, |m, op| permlane_rows(m, op, false))
        }),
        ("v_permlanex16_b32", |c| {
            permlane(c, |m, op| permlane_rows(m, op, true))
        }),
        ("v_permlane16_var_b32", |c| {
            permlane(c, |m, op| {
                gather(m, op, |m, lane| {
                    row(lane, false) + selected_by_lane(m, op, lane)
                })
            })
        }),
        ("v_permlanex16_var_b32", |c| {
            permlane(c, |m, op| {
                gather(m, op, |m, lane| {
                    row(lane, true) + selected_by_lane(m, op, lane)
                })
            })
        }),
        ("v_permlane64_b32", |c| to_vector(c, permlane64)),
        ("v_permlane16_swap_b32", |c| {
            exchange(c, |m, op| group_swap(m, op, 16))
        }),
        ("v_permlane32_swap_b32", |c| {
            exchange(c, |m, op| group_swap(m, op, 32))
        }),
        ("v_permlane_bcast_b32", |c| to_vector(c, permlane_bcast)),
        ("v_permlane_up_b32", |c| to_vector(c, permlane_up)),
        ("v_permlane_down_b32", |c| to_vector(c, permlane_down)),
        ("v_permlane_xor_b32", |c| to_vector(c, permlane_xor)),
        ("v_permlane_idx_gen_b32", |c| to_vector(c, permlane_idx_gen)),
        ("v_swap_b32", |c| exchange(c, swap)),
        ("v_swap_b16", |c| exchange(c, swap_halves)),
    ];
    for (name, f) in custom {
        r.insert(name, Semantics::Custom(*f));
    }
    valu! { r;
        "v_accvgpr_read_b32" | "v_accvgpr_write_b32" | "v_accvgpr_mov_b32" [] (a: u32) -> u32 => a;
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::Bench;
    use waveglass_isa::Target;

    #[test]
    fn readlane_wraps_its_lane_and_ignores_exec() {
        let mut b = Bench::new(Target::Gfx900, 64);
        b.set(1, |lane| 100 + lane as u32);
        b.wave.set_exec(1);
        b.wave.sgpr[2] = 64 + 5;
        // v_readlane_b32 s3, v1, s2
        b.run_all(&["030089d201050000"]);
        assert_eq!(b.wave.sgpr[3], 105);
        b.wave.set_exec(1 << 7);
        // v_readfirstlane_b32 s3, v1
        b.run_all(&["0105067e"]);
        assert_eq!(b.wave.sgpr[3], 107);
        b.wave.set_exec(0);
        b.run_all(&["0105067e"]);
        assert_eq!(b.wave.sgpr[3], 100);
    }

    #[test]
    fn writelane_writes_one_lane_whatever_exec_is() {
        let mut b = Bench::new(Target::Gfx900, 64);
        b.wave.set_exec(0);
        b.wave.sgpr[2] = 9;
        // v_writelane_b32 v1, s2, 5
        b.run_all(&["01008ad2020a0100"]);
        assert_eq!((b.get(1, 5), b.get(1, 4)), (9, 0));
    }

    #[test]
    fn permlane16_gathers_within_rows_and_x16_from_the_other_row() {
        let mut b = Bench::new(Target::Gfx1030, 32);
        b.set(0, |_| 999);
        b.set(1, |lane| lane as u32);
        // Lane i of a row takes lane 15 - i.
        b.wave.sgpr[0] = 0x89ab_cdef;
        b.wave.sgpr[1] = 0x0123_4567;
        // v_permlane16_b32 v0, v1, s0, s1
        b.run_all(&["000077d701010400"]);
        assert_eq!((b.get(0, 0), b.get(0, 15), b.get(0, 17)), (15, 0, 30));
        // Lane 31 is off: the lanes that would read it get zero under BOUND_CTRL and keep their
        // value without it; itself it is not written.
        b.set(0, |_| 999);
        b.wave.set_exec(0x7fff_ffff);
        // v_permlanex16_b32 v0, v1, s0, s1 op_sel:[0,1]
        b.run_all(&["001078d701010400"]);
        assert_eq!((b.get(0, 0), b.get(0, 1), b.get(0, 16)), (0, 30, 15));
        assert_eq!(b.get(0, 31), 999);
        b.set(0, |_| 999);
        b.run_all(&["000077d701010400"]);
        assert_eq!((b.get(0, 16), b.get(0, 17)), (999, 30));
    }

    #[test]
    fn permlane16_of_a_full_wave_is_as_of_one_with_a_lane_off() {
        for (select, code) in [
            (0x0123_4567_89ab_cdef_u64, "000077d701010400"),
            (0x7777_0000_f0e1_d2c3, "000077d701010400"),
            (0x0123_4567_89ab_cdef, "000078d701010400"),
            (0x7777_0000_f0e1_d2c3, "000078d701010400"),
        ] {
            for lanes in [32, 64] {
                let other = &code[4..6] == "78";
                let mut b = Bench::new(Target::Gfx1030, lanes);
                b.set(1, |lane| 1000 + lane as u32);
                (b.wave.sgpr[0], b.wave.sgpr[1]) = (select as u32, (select >> 32) as u32);
                b.run_all(&[code]);
                for lane in 0..lanes as usize {
                    let from = select >> (4 * (lane % 16)) & 15;
                    let row = lane & !15 ^ if other { 16 } else { 0 };
                    assert_eq!(
                        b.get(0, lane),
                        1000 + row as u32 + from as u32,
                        "{code} {lane}"
                    );
                }
                // In place, with FI and a lane off.
                b.wave.set_exec(b.wave.exec() & !2);
                b.set(0, |_| 7);
                b.run_all(&[&code.replace("00007", "00087")]);
                assert_eq!(b.get(0, 1), 7);
                let from = select as u32 & 15;
                assert_eq!(b.get(0, 0), 1000 + if other { 16 } else { 0 } + from);
            }
        }
    }

    #[test]
    fn permlane64_swaps_halves_of_wave64_only() {
        let mut b = Bench::new(Target::Gfx1100, 64);
        b.set(1, |lane| lane as u32);
        b.run_all(&["01cf007e"]);
        assert_eq!((b.get(0, 0), b.get(0, 33)), (32, 1));
        let mut b = Bench::new(Target::Gfx1100, 32);
        b.set(0, |_| 7);
        b.run_all(&["01cf007e"]);
        assert_eq!(b.get(0, 0), 7);
    }

    #[test]
    fn permlane_swaps_exchange_odd_groups_with_even_ones() {
        let mut b = Bench::new(Target::Gfx950, 64);
        let fill = |b: &mut Bench| {
            b.set(0, |lane| lane as u32);
            b.set(1, |lane| 100 + lane as u32);
        };
        fill(&mut b);
        // v_permlane16_swap_b32 v0, v1
        b.run_all(&["01b3007e"]);
        let get = |b: &Bench, r| [0, 16, 32, 48].map(|lane| b.get(r, lane));
        assert_eq!(get(&b, 0), [0, 100, 32, 132]);
        assert_eq!(get(&b, 1), [16, 116, 48, 148]);
        fill(&mut b);
        // v_permlane32_swap_b32 v0, v1
        b.run_all(&["01b5007e"]);
        assert_eq!(get(&b, 0), [0, 16, 100, 116]);
        assert_eq!(get(&b, 1), [32, 48, 132, 148]);
    }

    #[test]
    fn swaps_exchange_registers_and_halves() {
        let mut b = Bench::new(Target::Gfx900, 64);
        b.set(0, |_| 1);
        b.set(1, |_| 2);
        b.wave.set_exec(1);
        b.run_all(&["01a3007e"]);
        assert_eq!([b.get(0, 0), b.get(1, 0)], [2, 1]);
        assert_eq!([b.get(0, 1), b.get(1, 1)], [1, 2]);
        let mut b = Bench::new(Target::Gfx1100, 32);
        b.set(0, |_| 0xaaaa_bbbb);
        b.set(1, |_| 0xcccc_dddd);
        // v_swap_b16 v0.h, v1.l
        b.run_all(&["01cd007f"]);
        assert_eq!([b.get(0, 0), b.get(1, 0)], [0xdddd_bbbb, 0xcccc_aaaa]);
    }

    #[test]
    fn permlane_up_keeps_the_lanes_below_its_delta() {
        let mut b = Bench::new(Target::Gfx1250, 32);
        b.set(1, |lane| lane as u32);
        // v_permlane_up_b32 v0, v1, 3, 8
        b.run_all(&["000071d601072102"]);
        let got: Vec<u32> = (8..16).map(|lane| b.get(0, lane)).collect();
        assert_eq!(got, [8, 9, 10, 8, 9, 10, 11, 12]);
    }

    #[test]
    fn accumulation_registers_are_a_file_of_their_own() {
        let mut b = Bench::new(Target::Gfx908, 64);
        b.set(1, |lane| lane as u32);
        // v_accvgpr_write_b32 a3, v1; v_accvgpr_read_b32 v2, a3
        b.run_all(&["0340d9d301010018", "0240d8d303010018"]);
        assert_eq!((b.get(2, 9), b.get(3, 9), b.get(64 + 3, 9)), (9, 0, 9));
    }
}
