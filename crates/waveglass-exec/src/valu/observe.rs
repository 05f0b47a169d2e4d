//! What the lanes of a vector operation show of its operands to whoever watches exceptions.

use super::{Ty, ValuInfo, mode_flushes_input, mode_flushes_output, run_observed, scalar};
use crate::exceptions::{self, Context, Number, Verdict};
use crate::machine::Machine;
use crate::program::{Op, Step};
use crate::trap::Exceptions;
use crate::wave::Wave;

/// The operands of one operation, lane by lane: after neg, abs and selection, before they are flushed.
pub(super) struct Observed {
    sources: [[u64; 64]; 3],
    /// What the operands of `v_fma_mix` have raised before they were widened.
    halves: [Exceptions; 64],
}

impl Observed {
    pub(super) fn new() -> Self {
        Self {
            sources: [[0; 64]; 3],
            halves: [Exceptions::NONE; 64],
        }
    }

    /// Looks at source `i` before its modifiers act.
    pub(super) fn before(&mut self, wave: &mut Wave, info: &ValuInfo, i: usize, at: usize) {
        let ty = match info.sources[i] {
            Ty::Mix => Ty::F16,
            Ty::MixBf16 => Ty::Bf16,
            _ => return,
        };
        let n = wave.lanes();
        let register = &wave.lanes_flat()[at..at + n];
        for (raised, &x) in self.halves.iter_mut().zip(register) {
            // What is flushed there is no operand of the kernel's any more.
            let number = match info.mods[i].mixed_half(x) {
                Some(half) => Number::of(half.into(), ty, false),
                None => Number::of(x.into(), Ty::F32, false),
            };
            *raised |= number.operand();
        }
    }

    /// Takes source `i` from where it lies.
    pub(super) fn source(&mut self, wave: &mut Wave, ty: Ty, i: usize, at: usize) {
        take(wave, ty, at, &mut self.sources[i]);
    }

    /// Adds what the lanes of `active` raise; the kernel's result is at `d`.
    pub(super) fn finish(self, wave: &mut Wave, info: &ValuInfo, d: usize, vcc: u64, active: u64) {
        let Some(rule) = info.exceptions else { return };
        let mut result = [0; 64];
        if info.result != Ty::None {
            take(wave, info.result, d, &mut result);
        }
        let context = Context {
            rule,
            sources: info.sources,
            result: info.result,
            mode: wave.mode,
            flush_in: info
                .sources
                .map(|ty| mode_flushes_input(wave.mode, ty) || info.flushes),
            flush_out: mode_flushes_output(wave.mode, info.result) || info.flushes,
        };
        let mut raised = Exceptions::NONE;
        for lane in 0..wave.lanes() {
            if active >> lane & 1 != 0 {
                let sources = self.sources.map(|s| s[lane]);
                raised |= self.halves[lane];
                raised |= context.lane(sources, result[lane], vcc >> lane & 1 != 0);
            }
        }
        // "Instructions with OMOD!=0 report exceptions, but not: underflow, or inexact" (RDNA4 and
        // CDNA5 ISA 7.2.3.1); the older manuals are silent and are read in the same way.
        if info.out.multiplies(wave, info.result) {
            raised = raised.without(Exceptions::UNDERFLOW | Exceptions::INEXACT);
        }
        wave.raising |= raised;
    }
}

fn take(wave: &mut Wave, ty: Ty, at: usize, to: &mut [u64; 64]) {
    let n = wave.lanes();
    let regs = wave.lanes_flat();
    for (lane, v) in to[..n].iter_mut().enumerate() {
        *v = regs[at + lane].into();
        if ty.dwords() >= 2 {
            *v |= u64::from(regs[at + n + lane]) << 32;
        }
    }
}

/// Makes an op's arithmetic tell its exceptions. `None` where the manuals do not say what it raises,
/// else whether it raises any.
pub(crate) fn watch(op: &mut Op) -> Option<bool> {
    if !op.parts.is_empty() {
        let mut any = false;
        for part in &mut op.parts {
            any |= watch(part)?;
        }
        return Some(any);
    }
    let Some(inst) = op.inst else {
        return Some(false);
    };
    let (sources, result) = op
        .valu
        .as_deref()
        .map_or(([Ty::None; 3], Ty::None), |v| (v.sources, v.result));
    let clamp = inst.field(waveglass_isa::Field::Clamp) != 0;
    let half = op.valu.as_deref().and_then(|v| v.half);
    let name = half.unwrap_or(inst.mnemonic());
    match exceptions::verdict(&inst, name, sources, result, clamp) {
        Verdict::Silent => Some(false),
        Verdict::Unknown => None,
        Verdict::Told => {
            match &mut op.matrix {
                Some(matrix) => matrix.told = true,
                None => op.imm |= exceptions::TOLD,
            }
            Some(true)
        }
        Verdict::Raises(rule) => {
            // Past the allocation an operation does nothing, and reports nothing.
            let Some(info) = op.valu.as_deref_mut() else {
                return Some(false);
            };
            info.exceptions = Some(rule);
            op.run = if inst.def().encoding().starts_with("ENC_SOP") || name.starts_with("v_s_") {
                scalar::run_observed
            } else {
                run_observed
            };
            Some(true)
        }
    }
}

/// An op that may raise exceptions: its result first, then a trap where one is asked for.
pub(crate) fn run_watched(m: &mut Machine<'_>, op: &Op) -> Step {
    let [plain] = &*op.parts else {
        return Step::Next;
    };
    m.wave.raising = Exceptions::NONE;
    let step = (plain.run)(m, plain);
    let raised = m.wave.raising;
    if step != Step::Next || raised.is_empty() || exceptions::suppressed(m.wave) {
        return step;
    }
    m.exceptions(op, raised)
}
