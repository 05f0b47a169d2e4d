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
    m.stats.lane_operations += exec.count_ones() as u64;
    let [d, a, b, c] = op.lanes.map(|x| x as usize);
    let mut s = [a, b, c];
    let mut write = exec;
    for (i, ty) in info.sources.into_iter().enumerate() {
        let mods = &info.mods[i];
        match op.s[i] {
            Src::None => continue,
            Src::Vgpr(_) => {
                let dpp = if i == 0 { info.dpp.as_ref() } else { None };
                let mut from = s[i];
                if let Some(dpp) = dpp {
                    s[i] = temp(m, i);
                    let dwords = ty.dwords() as usize;
                    write &= dpp.gather(m.wave, from, s[i], dwords, exec);
                    from = s[i];
                }
                if !mods.is_none() {
                    s[i] = temp(m, i);
                    prepare(m.wave.lanes_flat(), from, s[i], n, mods, ty, mode);
                }
            }
            scalar => {
                broadcast(m, scalar, ty, i);
                if !mods.is_none() {
                    prepare(m.wave.lanes_flat(), s[i], s[i], n, mods, ty, mode);
                }
            }
        }
    }
    let mask_in = mask_in(m, info);
    let whole = write == m.wave.full_mask() && info.out.is_plain();
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
            prepare_lanes::<64>(regs, from, to, mods, ty, mode);
        } else {
            prepare_lanes::<32>(regs, from, to, mods, ty, mode);
        }
    }
}

#[inline(always)]
fn prepare_lanes<const N: usize>(
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
    let dwords = if ty.dwords() == 1 { N } else { 4 * N };
    mods.apply(&mut regs[to..to + dwords], N, ty, mode);
}

in_builds! {
    /// Makes of a result at `d` what goes to its register, whose lanes are at `old`.
    fn finish(wave: &mut Wave, out: &ResultMods, d: usize, old: usize, ty: Ty) {
        out.apply(wave, d, old, ty);
    }
}
