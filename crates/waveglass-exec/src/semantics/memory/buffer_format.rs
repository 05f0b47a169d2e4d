//! Buffer loads and stores that convert: `buffer_*_format_*` with the descriptor's format and
//! component selects, `tbuffer_*` with the instruction's format (Vega ISA 8.1.4, RDNA 3 ISA 9.3).
//!
//! D16 forms hold two components a register, the first in the low half.

use super::buffer::{address, count, is_ignored, lanes_of, note_out_of_range, request};
use super::lds_transfer;
use super::{FormatInfo, Half, active, done, has_word, merge_halves, span, vgpr, with_destination};
use crate::machine::Machine;
use crate::program::{Compile, Op, Step};
use crate::semantics::{NEXT, Registry, Semantics, refuse};
use crate::wave::ROW_LANES;
use waveglass_isa::Field;
use waveglass_mem::buffer::{BufferDescriptor, BufferKind, Format, FormatAccess, FormatCode};
use waveglass_mem::{Lanes, Row};

/// Why an access through a format code without a meaning is refused.
pub(super) const RESERVED: &str = "the buffer's data format is a reserved code";

macro_rules! formats {
    ($r:expr; $($typed:literal $components:literal $d16:literal $half:ident: $($name:literal)+;)*) => {$(
        for name in [$($name),+] {
            let compile = if name.contains("_store_") {
                Semantics::Custom(|c| store(c, $typed, $components, $d16, Half::$half))
            } else {
                Semantics::Custom(|c| load(c, $typed, $components, $d16, Half::$half))
            };
            $r.insert(name, compile);
        }
    )*};
}

pub(super) fn register(r: &mut Registry) {
    formats! { r;
        false 1 false Whole: "buffer_load_format_x" "buffer_store_format_x";
        false 2 false Whole: "buffer_load_format_xy" "buffer_store_format_xy";
        false 3 false Whole: "buffer_load_format_xyz" "buffer_store_format_xyz";
        false 4 false Whole: "buffer_load_format_xyzw" "buffer_store_format_xyzw";
        false 1 true Lo:
            "buffer_load_format_d16_x" "buffer_load_d16_format_x"
            "buffer_store_format_d16_x" "buffer_store_d16_format_x";
        false 2 true Lo:
            "buffer_load_format_d16_xy" "buffer_load_d16_format_xy"
            "buffer_store_format_d16_xy" "buffer_store_d16_format_xy";
        false 3 true Lo:
            "buffer_load_format_d16_xyz" "buffer_load_d16_format_xyz"
            "buffer_store_format_d16_xyz" "buffer_store_d16_format_xyz";
        false 4 true Lo:
            "buffer_load_format_d16_xyzw" "buffer_load_d16_format_xyzw"
            "buffer_store_format_d16_xyzw" "buffer_store_d16_format_xyzw";
        false 1 true Hi:
            "buffer_load_format_d16_hi_x" "buffer_load_d16_hi_format_x"
            "buffer_store_format_d16_hi_x" "buffer_store_d16_hi_format_x";
        true 1 false Whole: "tbuffer_load_format_x" "tbuffer_store_format_x";
        true 2 false Whole: "tbuffer_load_format_xy" "tbuffer_store_format_xy";
        true 3 false Whole: "tbuffer_load_format_xyz" "tbuffer_store_format_xyz";
        true 4 false Whole: "tbuffer_load_format_xyzw" "tbuffer_store_format_xyzw";
        true 1 true Lo:
            "tbuffer_load_format_d16_x" "tbuffer_load_d16_format_x"
            "tbuffer_store_format_d16_x" "tbuffer_store_d16_format_x";
        true 2 true Lo:
            "tbuffer_load_format_d16_xy" "tbuffer_load_d16_format_xy"
            "tbuffer_store_format_d16_xy" "tbuffer_store_d16_format_xy";
        true 3 true Lo:
            "tbuffer_load_format_d16_xyz" "tbuffer_load_d16_format_xyz"
            "tbuffer_store_format_d16_xyz" "tbuffer_store_d16_format_xyz";
        true 4 true Lo:
            "tbuffer_load_format_d16_xyzw" "tbuffer_load_d16_format_xyzw"
            "tbuffer_store_format_d16_xyzw" "tbuffer_store_d16_format_xyzw";
    }
}

fn info(c: &Compile<'_>, typed: bool, components: u8, d16: bool) -> FormatInfo {
    FormatInfo {
        code: typed.then(|| c.inst.field(Field::Format) as u8 & 0x7f),
        components,
        d16,
    }
}

fn load(c: &Compile<'_>, typed: bool, components: u8, d16: bool, half: Half) -> Op {
    let format = info(c, typed, components, d16);
    if has_word(c, "lds") {
        return lds_transfer::buffer_format(c, format);
    }
    with_destination(c, Field::Vdata, run_load, |op| {
        op.mem.format = format;
        op.mem.half = half.on(c);
        address(c, op).is_ok()
    })
}

fn store(c: &Compile<'_>, typed: bool, components: u8, d16: bool, half: Half) -> Op {
    let Some(data) = vgpr(c, Field::Vdata) else {
        return refuse(c, "an operand is missing");
    };
    let mut op = c.op(run_store);
    op.d2 = data;
    op.mem.format = info(c, typed, components, d16);
    op.mem.half = half;
    match address(c, &mut op) {
        Ok(()) => op,
        Err(why) => refuse(c, why),
    }
}

/// What the op does through `d`: `Ok(None)` where the format is INVALID, so that loads give zero and
/// stores nothing.
pub(super) fn access(
    d: &BufferDescriptor,
    format: FormatInfo,
) -> Result<Option<FormatAccess>, &'static str> {
    let (code, dst_sel) = match format.code {
        Some(code) => (Format::decode(d.generation, code), FormatAccess::IDENTITY),
        None => (d.resource_format(), d.dst_sel),
    };
    match code {
        FormatCode::Invalid => Ok(None),
        FormatCode::Reserved(_) => Err(RESERVED),
        FormatCode::Format(found) => Ok(Some(FormatAccess {
            format: found,
            dst_sel,
            components: format.components.into(),
            d16: format.d16,
        })),
    }
}

/// The family, as far as the descriptor's rules go.
pub(super) fn kind(format: FormatInfo) -> BufferKind {
    match format.code {
        Some(_) => BufferKind::Typed,
        None => BufferKind::Format,
    }
}

fn run_load(m: &mut Machine<'_>, op: &Op) -> Step {
    let (rows, exec, format) = (m.wave.rows, active(m), op.mem.format);
    let (d, request) = request(m, op, kind(format), 0);
    if is_ignored(&d) {
        return NEXT;
    }
    let access = match access(&d, format) {
        Ok(access) => access,
        Err(why) => return m.refuse(op, why),
    };
    // One register a component, before they are packed.
    let mut loaded: [Row; 8] = [[0; ROW_LANES]; 8];
    if let Some(access) = access {
        let at = lanes_of(m, op);
        let lanes = Lanes::new(&at[..rows * ROW_LANES], exec);
        count(&mut m.stats.read, &d, exec, access.format.bytes());
        let out = d.load_format(m.memory, &request, lanes, &access, &mut loaded, m.port);
        note_out_of_range(m, out);
    }
    let components = format.components as usize;
    if !format.d16 {
        for (i, value) in loaded.chunks_exact(rows).take(components).enumerate() {
            let dst = &mut m.wave.vgpr[span(rows, op.d + i as u32, 1)];
            merge_halves(Half::Whole, dst, value, exec);
        }
        return done(m, op);
    }
    for register in 0..components.div_ceil(2) {
        let (low, high) = loaded[2 * register * rows..].split_at(rows);
        let dst = &mut m.wave.vgpr[span(rows, op.d + register as u32, 1)];
        if 2 * register + 1 == components {
            merge_halves(op.mem.half, dst, low, exec);
            continue;
        }
        let mut both = [[0; ROW_LANES]; 2];
        for (both, (low, high)) in both.iter_mut().zip(low.iter().zip(high)) {
            *both = std::array::from_fn(|i| low[i] | high[i] << 16);
        }
        merge_halves(Half::Whole, dst, &both[..rows], exec);
    }
    done(m, op)
}

fn run_store(m: &mut Machine<'_>, op: &Op) -> Step {
    let (rows, exec, format) = (m.wave.rows, active(m), op.mem.format);
    let (d, request) = request(m, op, kind(format), 0);
    if is_ignored(&d) {
        return NEXT;
    }
    let access = match access(&d, format) {
        Ok(Some(access)) => access,
        Ok(None) => return NEXT,
        Err(why) => return m.refuse(op, why),
    };
    let mut src: [Row; 8] = [[0; ROW_LANES]; 8];
    for (i, to) in src
        .chunks_exact_mut(rows)
        .take(format.components as usize)
        .enumerate()
    {
        let (register, high) = if format.d16 {
            (i / 2, i % 2 == 1 || op.mem.half == Half::Hi)
        } else {
            (i, false)
        };
        let from = &m.wave.vgpr[span(rows, op.d2 + register as u32, 1)];
        for (to, from) in to.iter_mut().zip(from) {
            *to = if high { from.map(|v| v >> 16) } else { *from };
        }
    }
    let at = lanes_of(m, op);
    let lanes = Lanes::new(&at[..rows * ROW_LANES], exec);
    count(&mut m.stats.written, &d, exec, access.format.bytes());
    let out = d.store_format(m.memory, &request, lanes, &access, &src, m.port);
    note_out_of_range(m, out);
    done(m, op)
}
