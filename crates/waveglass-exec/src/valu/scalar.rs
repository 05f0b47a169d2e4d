//! Operations of the vector encodings on one scalar (`v_s_rcp_f32`): a scalar source and
//! destination, whatever EXEC is.

use super::{MaskUse, mode_flushes_input, mode_flushes_output};
use super::{ResultMods, SourceMods, Spec, ValuInfo, broadcast, kernel, modifiers, temp};
use crate::machine::Machine;
use crate::program::{Compile, Op, Src, Step};
use crate::wave::sreg;
use waveglass_isa::Field;

/// Compiles an operation of one scalar source around the spec of its vector form.
pub fn compile(c: &Compile<'_>, spec: &Spec) -> Op {
    let mut op = c.op(run);
    op.kernel = spec.kernel[kernel::level()];
    op.d = c.scalar_dst(Field::Vdst);
    op.s[0] = c.src(Field::Src0);
    op.valu = Some(Box::new(ValuInfo {
        sources: spec.sources,
        result: spec.result,
        mask: MaskUse::None,
        mods: [
            SourceMods::of(c, 0, spec.sources[0], Field::Src0),
            SourceMods::default(),
            SourceMods::default(),
        ],
        dpp: None,
        out: ResultMods::of(c, spec, Field::Vdst),
        mask_in: Src::None,
        mask_out: sreg::NULL as u32,
    }));
    op
}

/// The vector kernel runs on a temporary; its first lane is the result.
fn run(m: &mut Machine<'_>, op: &Op) -> Step {
    let Some(info) = op.valu.as_deref() else {
        return Step::Next;
    };
    let n = m.wave.lanes();
    let mode = m.wave.mode;
    let ty = info.sources[0];
    let s = broadcast(m, op.s[0], ty, 0);
    let source = &mut m.wave.lanes_flat()[s..s + 4 * n];
    info.mods[0].apply(source, n, ty);
    if mode_flushes_input(mode, ty) {
        modifiers::flush_denormals(source, n, ty);
    }
    let setting = kernel::Setting::of(m.wave).0;
    let d = temp(m, 3);
    // SAFETY: `level` chose this build by what the CPU reports.
    unsafe { (op.kernel)(m.wave.lanes_flat(), d, [s; 3], n, setting) };
    if mode_flushes_output(mode, info.result) {
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
