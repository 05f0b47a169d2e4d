//! Addresses through buffer descriptors (Vega ISA 8.1.5, RDNA 3 ISA 9.4, RDNA 4 ISA 9.4, CDNA 5 ISA
//! 9.4).

use super::{Check, Explanation, Part, Place, Subject, Term, register_name};
use crate::isa::{Field, Operand};
use crate::mem::Generation;
use crate::mem::buffer::{
    BufferDescriptor, BufferKind, BufferLane, BufferRequest, Format, FormatCode, RangeRule,
    RangeValues, Resolved,
};
use waveglass_exec::program::scalar_number;

impl Subject<'_> {
    pub(super) fn buffer(&self) -> Explanation {
        let name = self.inst.mnemonic();
        let template = self.inst.def().shape.template;
        let has = |word: &str| {
            template
                .split([' ', ','])
                .flat_map(|w| w.split('$').take(1))
                .any(|w| w == word)
        };
        let first = match self.inst.operand(Field::Srsrc) {
            Some(Operand::Reg(r)) => scalar_number(r) as usize,
            _ => 0,
        };
        let words = std::array::from_fn(|i| self.wave().sgpr[(first + i) & 127]);
        let d = BufferDescriptor::decode(words, self.scene.rules.generation);
        let (offset, offset_term) = self.immediate(Field::Offset, "OFFSET");
        let soffset = self.scalar_operand(Field::Soffset, "SOFFSET");
        let kind = if name.contains("atomic") {
            BufferKind::Atomic
        } else if name.starts_with("tbuffer") {
            BufferKind::Typed
        } else if name.contains("format") {
            BufferKind::Format
        } else {
            BufferKind::Untyped
        };
        let format = match kind {
            BufferKind::Format => Some(d.resource_format()),
            BufferKind::Typed => {
                let code = self.inst.field(Field::Format) as u8 & 0x7f;
                Some(Format::decode(d.generation, code))
            }
            _ => None,
        };
        let request = BufferRequest {
            kind,
            idxen: has("idxen"),
            offen: has("offen"),
            soffset: soffset.as_ref().map_or(0, |s| s.0 as u32),
            inst_offset: offset as u32,
            bytes: match format {
                Some(FormatCode::Format(f)) => f.bytes(),
                _ => self.bytes,
            },
        };
        let mut shared = vec![
            term("V# base", d.base),
            term("V# stride", u64::from(d.stride) * u64::from(d.stride_scale)),
            term("V# num_records", d.num_records),
        ];
        shared.extend(soffset.map(|s| s.1));
        shared.push(offset_term);
        let vaddr = self.register(Field::Vaddr);
        let lanes = self.lanes(|lane| {
            let mut terms = Vec::new();
            let mut l = BufferLane {
                lane,
                ..BufferLane::default()
            };
            if let Some(r) = vaddr {
                let mut at = 0;
                if request.idxen {
                    l.vindex = self.vector(r, 0, lane);
                    let name = format!("VINDEX {}", dword_name(r, 0));
                    terms.push(term(&name, l.vindex.into()));
                    at = 1;
                }
                if request.offen {
                    l.voffset = self.vector(r, at, lane);
                    let name = format!("VOFFSET {}", dword_name(r, at));
                    terms.push(term(&name, l.voffset.into()));
                }
            }
            if d.add_tid {
                terms.push(term("lane (ADD_TID)", lane.into()));
            }
            (terms, self.components(&d, &request, &l))
        });
        let converted = format.map(|format| match format {
            FormatCode::Format(f) => format!("data is converted: {f}"),
            FormatCode::Invalid => "the format is INVALID: nothing is bound".to_owned(),
            FormatCode::Reserved(code) => format!("the format code {code} is reserved"),
        });
        let mut explanation = Explanation {
            formula: formula(&d),
            source: "Vega ISA 8.1.5, RDNA 3 ISA 9.4, RDNA 4 ISA 9.4, CDNA 5 ISA 9.4",
            shared,
            notes: vec![
                if kind == BufferKind::Untyped {
                    "each dword is checked alone; out of range reads zero and drops its write, \
                     without a violation"
                } else {
                    "checked whole; out of range reads zero and drops its write, without a violation"
                }
                .into(),
            ],
            lanes,
        };
        explanation.notes.extend(converted);
        explanation
    }

    /// The dwords of one lane, those that lie together in one part.
    fn components(
        &self,
        d: &BufferDescriptor,
        request: &BufferRequest,
        l: &BufferLane,
    ) -> Vec<Part> {
        let dwords = request.bytes.div_ceil(4).max(1);
        let mut parts: Vec<Part> = Vec::new();
        for component in 0..dwords {
            let bytes = (request.bytes - component * 4).min(4);
            let subject = Subject {
                inst: self.inst,
                scene: self.scene,
                bytes,
                extra: 0,
            };
            let check = Check::new(
                d.in_range(request, l, component),
                range_check(d, request, l, component),
            );
            let part = match d.resolve(request, l, component) {
                Resolved::Address(a) => subject.global_part(a, vec![check]),
                other => Part {
                    sum: d.address(request, l, u64::from(component) * 4),
                    place: Place::Dropped {
                        why: match other {
                            Resolved::OutOfRange => "out of the buffer's range",
                            Resolved::Unbound => "the descriptor is null: nothing is bound",
                            _ => "the descriptor is no buffer's",
                        },
                    },
                    checks: vec![check],
                    bytes,
                    content: None,
                },
            };
            match parts.last_mut() {
                Some(p) if p.goes_on_in(&part) => p.join(part),
                _ => parts.push(part),
            }
        }
        parts
    }
}

fn term(name: &str, value: u64) -> Term {
    Term {
        name: name.to_owned(),
        value,
    }
}

fn dword_name(mut r: crate::isa::Reg, dword: u32) -> String {
    r.index += dword as u16;
    r.dwords = 1;
    register_name(r)
}

fn formula(d: &BufferDescriptor) -> String {
    let index = "index = (idxen ? VINDEX : 0) + (ADD_TID ? lane : 0)";
    let offset = "offset = OFFSET + (offen ? VOFFSET : 0)";
    match d.swizzle.element_bytes() {
        None => format!("{index}; {offset}; address = base + SOFFSET + stride * index + offset"),
        Some(es) => {
            let is = d.index_stride;
            let inside = matches!(d.generation, Generation::Rdna4 | Generation::Cdna5);
            let (outer, offset) = if inside {
                ("base", "offset = OFFSET + (offen ? VOFFSET : 0) + SOFFSET")
            } else {
                ("base + SOFFSET", offset)
            };
            format!(
                "{index}; {offset}; address = {outer} + ((index / {is}) * stride + offset / {es} * \
                 {es}) * {is} + index % {is} * {es} + offset % {es}"
            )
        }
    }
}

/// The range check of a component, with its operands.
fn range_check(d: &BufferDescriptor, r: &BufferRequest, l: &BufferLane, component: u32) -> String {
    let rule = d.range_rule(r.idxen, r.kind.is_formatted());
    let RangeValues {
        index,
        offset,
        payload,
        stride,
        records,
        soffset,
    } = d.range_values(r, l, component);
    let in_index = format!("index {index} < num_records {records}");
    let in_record = format!("offset {offset:#x} + {payload} <= stride {stride:#x}");
    let condition = match rule {
        RangeRule::Unchecked if d.generation == Generation::Cdna5 => {
            return "a swizzled buffer is not checked".into();
        }
        RangeRule::Unchecked => {
            return "a scratch buffer (add_tid without idxen) is not checked".into();
        }
        RangeRule::Index if d.generation.is_gfx9() => format!("structured: {in_index}"),
        RangeRule::Index => in_index,
        RangeRule::Offset => format!("raw: offset {offset:#x} < num_records {records:#x}"),
        RangeRule::NotEmpty => format!("num_records {records} is not 0"),
        RangeRule::Record { payload: true } => format!("{in_index} and {in_record}"),
        RangeRule::Record { payload: false } => {
            format!("{in_index} and offset {offset:#x} < stride {stride:#x}")
        }
        RangeRule::Bytes => format!(
            "offset {offset:#x} + {payload} <= num_records {records:#x} - SOFFSET {soffset:#x}"
        ),
        RangeRule::Total { record } => {
            let more = if record {
                format!(" and {in_record}")
            } else {
                String::new()
            };
            return format!(
                "index {index} * stride {stride:#x} + offset {offset:#x} + {payload} <= num_records \
                 {records:#x}{more}"
            );
        }
    };
    match d.oob_select {
        Some(mode) if !d.generation.is_gfx9() => format!("OOB_SELECT {mode}: {condition}"),
        _ => condition,
    }
}
