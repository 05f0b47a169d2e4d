//! Operations with modifiers under MODE's defaults: no denormal is flushed, everything rounds to
//! nearest even. What surrounds the kernel is compiled in the kernels' builds, since a row that is
//! written in small pieces and read as a whole waits for every piece.

use super::kernel::{self, Ty, in_builds};
use super::modifiers::SourceMods;
use super::result::ResultMods;
use super::{broadcast, mask_in, merge, run_slow, temp, write_mask};
use crate::machine::Machine;
use crate::program::{Op, Src, Step};
use crate::wave::{Mode, Wave};

/// As [`run_slow`](super::run_slow), which it leaves other modes to.
pub(super) fn run_modified(m: &mut Machine<'_>, op: &Op) -> Step {
    let Some(info) = op.valu.as_deref() else {
        return Step::Next;
    };
    let mode = m.wave.mode;
    if op.imm != 0 && !mode.is_default() {
        return run_slow(m, op);
    }
    let n = m.wave.lanes();
    let exec = m.wave.exec();
    let full = m.wave.full_mask();
    m.stats.lane_operations += match exec == full {
        true => n as u64,
        false => exec.count_ones() as u64,
    };
    let [d, a, b, c] = op.lanes.map(|x| x as usize);
    let mut s = [a, b, c];
    let mut write = exec;
    let mut special = info.special;
    while special != 0 {
        let i = special.trailing_zeros() as usize & 3;
        special &= special - 1;
        let (ty, mods) = (info.sources[i], &info.mods[i]);
        let mut from = s[i];
        match op.s[i] {
            Src::None => continue,
            Src::Vgpr(_) => {
                if i == 0
                    && let Some(dpp) = &info.dpp
                {
                    s[0] = temp(m, 0);
                    let dwords = ty.dwords() as usize;
                    write &= dpp.gather(m.wave, from, s[0], dwords, exec);
                    from = s[0];
                }
            }
            scalar => {
                broadcast(m, scalar, ty, i);
            }
        }
        if !mods.is_none() {
            s[i] = temp(m, i);
            prepare(m.wave.lanes_flat(), from, s[i], n, mods, ty, mode);
        }
    }
    let mask_in = mask_in(m, info);
    let whole = write == full && info.out.is_plain();
    let to = if whole { d } else { temp(m, 3) };
    // SAFETY: `level` chose this build by what the CPU reports.
    let mask = unsafe { (op.kernel)(m.wave.lanes_flat(), to, s, n, mask_in) };
    write_mask(m, info, mask & write);
    if whole || info.result == Ty::None {
        return Step::Next;
    }
    if !info.out.is_plain() {
        finish(m.wave, &info.out, to, d, info.result);
    }
    merge(m, info, d, to, write);
    Step::Next
}

in_builds! {
    /// Lays a source at `from` out at `to` as its modifiers say.
    fn prepare(
        regs: &mut [u32],
        from: usize,
        to: usize,
        n: usize,
        mods: &SourceMods,
        ty: Ty,
        mode: Mode,
    ) {
        // A length that is known makes vector instructions of the loops.
        if n == 64 {
            prepare_lanes::<L, 64>(regs, from, to, mods, ty, mode);
        } else {
            prepare_lanes::<L, 32>(regs, from, to, mods, ty, mode);
        }
    }
}

#[inline(always)]
fn prepare_lanes<const L: usize, const N: usize>(
    regs: &mut [u32],
    from: usize,
    to: usize,
    mods: &SourceMods,
    ty: Ty,
    mode: Mode,
) {
    if from != to {
        for k in 0..ty.dwords() as usize {
            kernel::copy::<N>(regs, from + k * N, to + k * N);
        }
    }
    if ty == Ty::Mix && mods.widen_half::<L>(&mut regs[to..to + N]) {
        return;
    }
    let dwords = if ty.dwords() == 1 { N } else { 4 * N };
    mods.apply(&mut regs[to..to + dwords], N, ty, mode);
}

in_builds! {
    /// Makes of a result at `d` what goes to its register, whose lanes are at `old`.
    fn finish(wave: &mut Wave, out: &ResultMods, d: usize, old: usize, ty: Ty) {
        out.apply(wave, d, old, ty);
    }
}
