//! How a compiled vector operation runs: all sources registers and every lane on, plainly, or in general.

use super::modified::run_modified;
use super::observe::Observed;
use super::ways::Insertion;
use super::{
    Builds, LaneOp, MaskUse, TEMP_REGISTERS, Ty, ValuInfo, kernel, modifiers, result, ways,
};
use crate::machine::Machine;
use crate::program::{Op, Src, Step};
use crate::wave::Mode;

/// Whether MODE's denormal and rounding fields act on an op, which bit 0 of its immediate says.
#[inline(always)]
pub(crate) fn answers_to_mode(op: &Op) -> bool {
    op.imm & 1 != 0
}

/// The [`Setting`](kernel::Setting) of a wave, whose part that the target makes is in the op's
/// immediate.
#[inline(always)]
pub(super) fn setting(m: &Machine<'_>, op: &Op) -> u64 {
    op.imm >> 32 << 32 | u64::from(m.wave.mode.0)
}

/// All sources are registers, nothing modifies anything.
pub(super) fn run_registers(m: &mut Machine<'_>, op: &Op) -> Step {
    if !m.wave.is_full() {
        return run_plain(m, op);
    }
    if answers_to_mode(op) && !m.wave.mode.is_default() {
        return run_slow(m, op);
    }
    let n = m.wave.lanes();
    let setting = setting(m, op);
    let [d, a, b, c] = op.lanes.map(|x| x as usize);
    // SAFETY: `level` chose this build by what the CPU reports.
    unsafe { (op.kernel)(m.wave.lanes_flat(), d, [a, b, c], n, setting) };
    m.stats.lane_operations += n as u64;
    Step::Next
}

/// The same with a result of 16 bits that leaves the upper half of its register as it is.
pub(super) fn run_lower_half(m: &mut Machine<'_>, op: &Op) -> Step {
    if !m.wave.is_full() || answers_to_mode(op) && !m.wave.mode.is_default() {
        return run_modified(m, op);
    }
    let n = m.wave.lanes();
    let setting = setting(m, op);
    let [d, a, b, c] = op.lanes.map(|x| x as usize);
    let to = temp(m, 3);
    // SAFETY: `level` chose this build by what the CPU reports.
    unsafe { (op.kernel)(m.wave.lanes_flat(), to, [a, b, c], n, setting) };
    ways::insert_lower_halves(m.wave.lanes_flat(), d, to, n);
    m.stats.lane_operations += n as u64;
    Step::Next
}

/// Nothing modifies anything; sources may be scalars or constants, masks may come in or out, and
/// lanes may be off.
pub(super) fn run_plain(m: &mut Machine<'_>, op: &Op) -> Step {
    let Some(info) = op.valu.as_deref() else {
        return Step::Next;
    };
    if answers_to_mode(op) && !m.wave.mode.is_default() {
        return run_slow(m, op);
    }
    let n = m.wave.lanes();
    let [d, a, b, c] = op.lanes.map(|x| x as usize);
    let s = [a, b, c];
    for (i, (&source, &at)) in op.s.iter().zip(&s).enumerate() {
        match source {
            Src::Vgpr(_) | Src::None => {}
            // The usual scalars of one register, without the detour over 64 bits.
            Src::Sgpr(r) if info.sources[i].dwords() == 1 => {
                spread(m, at, 1, m.wave.sgpr[r as usize & 127].into());
            }
            Src::Const(v) if info.sources[i].dwords() == 1 => spread(m, at, 1, v),
            other => {
                broadcast(m, other, info.sources[i], i);
            }
        }
    }
    let mask_in = mask_in(m, op, info);
    let exec = m.wave.exec();
    if exec == m.wave.full_mask() {
        m.stats.lane_operations += n as u64;
        // SAFETY: `level` chose this build by what the CPU reports.
        let mask = unsafe { (op.kernel)(m.wave.lanes_flat(), d, s, n, mask_in) };
        write_mask(m, info, mask);
        return Step::Next;
    }
    m.stats.lane_operations += exec.count_ones() as u64;
    let to = match info.result {
        Ty::None => d,
        _ => temp(m, 3),
    };
    // SAFETY: as above.
    let mask = unsafe { (op.kernel)(m.wave.lanes_flat(), to, s, n, mask_in) };
    if info.result != Ty::None {
        merge(m, info, d, to, exec);
    }
    write_mask(m, info, mask & exec);
    Step::Next
}

#[inline(always)]
pub(super) fn mask_in(m: &Machine<'_>, op: &Op, info: &ValuInfo) -> u64 {
    match info.mask_in {
        Src::None => setting(m, op),
        // A truth table is no wider than eight bits, whatever the wave's size.
        s => m.mask(s),
    }
}

/// Writes a mask result; lanes that are off are zero in it ("V_CMP": D[threadId], other bits zero).
#[inline(always)]
pub(super) fn write_mask(m: &mut Machine<'_>, info: &ValuInfo, mask: u64) {
    match info.mask {
        MaskUse::None
        | MaskUse::Select
        | MaskUse::Vcc
        | MaskUse::TruthTable
        | MaskUse::Signed
        | MaskUse::Selection => {}
        MaskUse::Compare | MaskUse::CarryOut | MaskUse::CarryInOut => {
            m.wave.set_mask(info.mask_out as usize, mask);
        }
        MaskUse::CompareExec => {
            m.wave.set_mask(info.mask_out as usize, mask);
            m.wave.set_exec(mask);
        }
    }
}

/// Moves the lanes of `write` from a temporary to the result's register.
pub(super) fn merge(m: &mut Machine<'_>, info: &ValuInfo, d: usize, from: usize, write: u64) {
    let n = m.wave.lanes();
    for k in 0..info.result.dwords() as usize {
        merge_register(m, d + k * n, from + k * n, write);
    }
}

/// Moves the lanes of `write` of one register.
pub(super) fn merge_register(m: &mut Machine<'_>, d: usize, from: usize, write: u64) {
    let n = m.wave.lanes();
    ways::insert(m.wave.lanes_flat(), d, from, n, write, &Insertion::WHOLE);
}

/// Lays a scalar out over the lanes of temporary `i`; gives its position.
#[inline(never)]
pub(super) fn broadcast(m: &mut Machine<'_>, s: Src, ty: Ty, i: usize) -> usize {
    let at = temp(m, i);
    let v = if ty.dwords() == 2 {
        m.s64(s)
    } else {
        m.s32(s) as u64
    };
    spread(m, at, ty.dwords() as usize, v);
    at
}

/// Lays a value of so many dwords out over the registers at `at`.
#[inline]
pub(super) fn spread(m: &mut Machine<'_>, at: usize, dwords: usize, v: u64) {
    struct Spread;
    impl LaneOp for Spread {
        #[inline(always)]
        fn run<const L: usize>(
            regs: &mut [u32],
            d: usize,
            [dwords, ..]: [usize; 3],
            n: usize,
            v: u64,
        ) -> u64 {
            kernel::spread(regs, d, n, dwords, v);
            0
        }
    }
    static SPREAD: Builds = kernel::builds::<Spread>();
    let n = m.wave.lanes();
    // SAFETY: `level` chooses the build by what the CPU reports.
    unsafe { SPREAD[kernel::level()](m.wave.lanes_flat(), at, [dwords, 0, 0], n, v) };
}

/// The position of temporary `i`.
pub(super) fn temp(m: &Machine<'_>, i: usize) -> usize {
    (m.wave.temp_base + TEMP_REGISTERS as usize * i) * m.wave.lanes()
}

/// The general case.
pub(super) fn run_slow(m: &mut Machine<'_>, op: &Op) -> Step {
    run_general::<false>(m, op)
}

/// The general case; the exceptions that active lanes raise are added to [`Wave::raising`].
pub(super) fn run_observed(m: &mut Machine<'_>, op: &Op) -> Step {
    run_general::<true>(m, op)
}

pub(super) fn run_general<const OBSERVE: bool>(m: &mut Machine<'_>, op: &Op) -> Step {
    let Some(info) = op.valu.as_deref() else {
        return Step::Next;
    };
    let n = m.wave.lanes();
    let exec = m.wave.exec();
    m.stats.lane_operations += exec.count_ones() as u64;
    let mode = m.wave.mode;
    let mut s = [0; 3];
    let mut write = exec;
    let mut observed = OBSERVE.then(Observed::new);
    for (i, ty) in info.sources.into_iter().enumerate() {
        if ty == Ty::None {
            continue;
        }
        let dpp = if i == 0 { info.dpp.as_ref() } else { None };
        let flush = mode_flushes_input(mode, ty) || info.flushes;
        s[i] = match op.s[i] {
            Src::Vgpr(r) if info.mods[i].is_none() && dpp.is_none() && !flush => r as usize * n,
            Src::Vgpr(r) => {
                let at = temp(m, i);
                let from = r as usize * n;
                let dwords = ty.dwords() as usize;
                match dpp {
                    Some(d) => write &= d.gather(m.wave, from, at, dwords, exec),
                    None => m.wave.lanes_flat().copy_within(from..from + dwords * n, at),
                }
                at
            }
            other => broadcast(m, other, ty, i),
        };
        if let Some(o) = &mut observed {
            o.before(m.wave, info, i, s[i]);
        }
        if !info.mods[i].is_none() {
            let at = temp(m, i);
            info.mods[i].apply(&mut m.wave.lanes_flat()[at..at + 4 * n], n, ty, mode);
        }
        if let Some(o) = &mut observed {
            o.source(m.wave, ty, i, s[i]);
        }
        if flush {
            let at = s[i];
            modifiers::flush_denormals(&mut m.wave.lanes_flat()[at..at + 2 * n], n, ty);
        }
    }
    let mask_in = mask_in(m, op, info);
    let d = temp(m, 3);
    let kernel = info.kernel(op.kernel, mode);
    // SAFETY: `level` chose this build by what the CPU reports; those of the directed rounding
    // modes run on any.
    let mask = unsafe { kernel(m.wave.lanes_flat(), d, s, n, mask_in) };
    if let Some(o) = observed {
        o.finish(m.wave, info, d, mask_in, write);
    }
    write_mask(m, info, mask & write);
    if info.result == Ty::None {
        return Step::Next;
    }
    result::limit_overflow(m.wave, info, d, s);
    if mode_flushes_output(mode, info.result) || info.flushes {
        modifiers::flush_denormals(&mut m.wave.lanes_flat()[d..d + 2 * n], n, info.result);
    }
    let old = op.lanes[0] as usize;
    info.out.apply(m.wave, d, old, info.result);
    merge(m, info, old, d, write);
    Step::Next
}

/// Whether sources of a type are flushed. Packed bfloat16 "ignores DENORM controls from the MODE register and
/// preserves denorms" (CDNA5 ISA 7.7). No manual says which field single bfloat16 answers to; LLVM marks
/// its operations as rounded by that of f16 and f64, which is taken for denormals too.
pub(super) fn mode_flushes_input(mode: Mode, ty: Ty) -> bool {
    match ty {
        Ty::F32 | Ty::PkF32 => !mode.denorm_f32_in(),
        Ty::F64 | Ty::F16 | Ty::PkF16 | Ty::Bf16 => !mode.denorm_f16_f64_in(),
        _ => false,
    }
}

pub(super) fn mode_flushes_output(mode: Mode, ty: Ty) -> bool {
    match ty {
        Ty::F32 | Ty::PkF32 => !mode.denorm_f32_out(),
        Ty::F64 | Ty::F16 | Ty::PkF16 | Ty::Bf16 => !mode.denorm_f16_f64_out(),
        _ => false,
    }
}
