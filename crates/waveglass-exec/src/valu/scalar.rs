//! Vector operations on one scalar: a scalar source and destination, whatever EXEC is. That is what
//! `v_s_rcp_f32` and its kin and the scalar float operations are.

use super::ways::{Insertion, Way};
use super::{MaskUse, Observed, Ty, result, source_fields};
use super::{ResultMods, SourceMods, Spec, ValuInfo, broadcast, kernel, modifiers, temp};
use crate::machine::Machine;
use crate::program::{Compile, Op, Src, Step};
use crate::wave::sreg;
use waveglass_isa::Field;

/// Compiles an operation of scalar operands around the spec of its vector form; the result goes to
/// `dst`.
pub fn compile(c: &Compile<'_>, spec: &Spec, dst: Field) -> Op {
    let mut op = c.op(run);
    op.kernel = spec.kernel[kernel::level()];
    op.d = c.scalar_dst(dst);
    let mut mods = [SourceMods::default(); 3];
    for (i, field) in source_fields(c, spec).into_iter().enumerate() {
        if spec.sources[i] == Ty::None {
            continue;
        }
        // An accumulator is the destination's old value.
        let field = field.unwrap_or(dst);
        op.s[i] = c.src(field);
        mods[i] = SourceMods::of(c, i, spec.sources[i], field);
    }
    op.valu = Some(Box::new(ValuInfo {
        // It has no lanes, so nothing that goes by the name of a vector operation is for it.
        name: "",
        saturates: false,
        sources: spec.sources,
        special: 0,
        result: spec.result,
        mask: MaskUse::None,
        mods,
        ways: [Way::Plain; 3],
        dpp: None,
        out: ResultMods::of(c, spec, dst),
        part: Insertion::WHOLE,
        mask_in: Src::None,
        mask_out: sreg::NULL as u32,
        directed: spec.directed(),
        overflows: spec.overflows(c.inst.target()),
        flushes: false,
        exceptions: None,
        half: None,
    }));
    op
}

/// The vector kernel runs on a row of temporaries; its first lane is the result.
fn run(m: &mut Machine<'_>, op: &Op) -> Step {
    run_general::<false>(m, op)
}

/// The same with the exceptions, which scalar operations raise as vector ones do (RDNA4 and CDNA5 ISA
/// 6.8).
pub(super) fn run_observed(m: &mut Machine<'_>, op: &Op) -> Step {
    run_general::<true>(m, op)
}

fn run_general<const OBSERVE: bool>(m: &mut Machine<'_>, op: &Op) -> Step {
    let Some(info) = op.valu.as_deref() else {
        return Step::Next;
    };
    let n = m.wave.lanes();
    let mode = m.wave.mode;
    let mut s = [0; 3];
    let mut observed = OBSERVE.then(Observed::new);
    for (i, ty) in info.sources.into_iter().enumerate() {
        if ty == Ty::None {
            continue;
        }
        s[i] = broadcast(m, op.s[i], ty, i);
        let source = &mut m.wave.lanes_flat()[s[i]..s[i] + 4 * n];
        info.mods[i].apply(source, n, ty, mode);
        if let Some(o) = &mut observed {
            o.source(m.wave, ty, i, s[i]);
        }
        let source = &mut m.wave.lanes_flat()[s[i]..s[i] + 4 * n];
        if super::mode_flushes_input(mode, ty) {
            modifiers::flush_denormals(source, n, ty);
        }
    }
    let setting = kernel::Setting::of(m.wave).0;
    let d = temp(m, 3);
    let kernel = info.kernel(op.kernel, mode);
    // SAFETY: `level` chose these builds by what the CPU reports.
    unsafe { kernel(m.wave.lanes_flat(), d, s, n, setting) };
    if let Some(o) = observed {
        // One value, whatever EXEC is.
        o.finish(m.wave, info, d, 0, 1);
    }
    result::limit_overflow(m.wave, info, d, s);
    if super::mode_flushes_output(mode, info.result) {
        modifiers::flush_denormals(&mut m.wave.lanes_flat()[d..d + 2 * n], n, info.result);
    }
    // A 16-bit result leaves zeros above it.
    let zeros = temp(m, 2);
    m.wave.lanes_flat()[zeros..zeros + n].fill(0);
    info.out.apply(m.wave, d, zeros, info.result);
    let v = m.wave.lanes_flat()[d];
    m.set_s32(op.d, v);
    Step::Next
}
