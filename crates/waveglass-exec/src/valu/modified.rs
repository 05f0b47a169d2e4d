//! Operations with modifiers under MODE's defaults: no denormal is flushed, everything rounds to
//! nearest even. What surrounds the kernel is compiled in the kernels' builds, since a row that is
//! written in small pieces and read as a whole waits for every piece.

use super::kernel::{Ty, in_builds};
use super::result::ResultMods;
use super::ways::{self, Insertion, Way};
use super::{answers_to_mode, broadcast, mask_in, merge, run_slow, temp, write_mask};
use crate::machine::Machine;
use crate::program::{Op, Src, Step};
use crate::wave::Wave;

/// As [`run_slow`](super::run_slow), which it leaves other modes to.
pub(super) fn run_modified(m: &mut Machine<'_>, op: &Op) -> Step {
    let Some(info) = op.valu.as_deref() else {
        return Step::Next;
    };
    if answers_to_mode(op) && !m.wave.mode.is_default() {
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
        let (ty, way) = (info.sources[i], &info.ways[i]);
        let dwords = ty.dwords() as usize;
        let mut from = s[i];
        match op.s[i] {
            Src::None => continue,
            Src::Vgpr(_) => {
                if i == 0
                    && let Some(dpp) = &info.dpp
                {
                    s[0] = temp(m, 0);
                    write &= dpp.gather(m.wave, from, s[0], dwords, exec);
                    from = s[0];
                }
            }
            scalar => {
                broadcast(m, scalar, ty, i);
            }
        }
        if *way != Way::Plain {
            s[i] = temp(m, i);
            ways::prepare(m.wave.lanes_flat(), from, s[i], n, way, dwords);
        }
    }
    let mask_in = mask_in(m, op, info);
    // A result that leaves nothing of its register needs no place of its own.
    let whole = write == full && info.part == Insertion::WHOLE;
    let to = if whole { d } else { temp(m, 3) };
    // SAFETY: `level` chose this build by what the CPU reports.
    let mask = unsafe { (op.kernel)(m.wave.lanes_flat(), to, s, n, mask_in) };
    write_mask(m, info, mask & write);
    if info.result == Ty::None {
        return Step::Next;
    }
    if info.out.scales(m.wave, info.result) {
        scale(m.wave, &info.out, to, info.result);
    }
    if whole {
        return Step::Next;
    }
    match info.result.dwords() {
        1 => ways::insert(m.wave.lanes_flat(), d, to, n, write, &info.part),
        _ => merge(m, info, d, to, write),
    }
    Step::Next
}

in_builds! {
    /// Multiplies and clamps the result at `d`.
    fn scale(wave: &mut Wave, out: &ResultMods, d: usize, ty: Ty) {
        out.scale(wave, d, ty);
    }
}
