//! Addresses through buffer descriptors (Vega ISA 8.1.5, RDNA 3 ISA 9.4, RDNA 4 ISA 9.4, CDNA 5 ISA
//! 9.4).

use super::place::{MISALIGNED, UNMAPPED};
use super::{Check, Explanation, Kind, Part, Place, Subject, Term, register_name};
use crate::isa::{Field, Operand};
use crate::mem::buffer::{
    BufferDescriptor, BufferKind, BufferLane, BufferRequest, Format, FormatCode, RangeRule,
    RangeValues, Resolved,
};
use crate::mem::{AlignmentMode, Generation};
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
        let inputs: Vec<(Vec<Term>, BufferLane)> = (0..self.wave().lanes() as u32)
            .map(|lane| self.buffer_lane(&d, &request, lane))
            .collect();
        let exec = self.exec();
        let active = || {
            let lanes = inputs.iter().enumerate();
            lanes.filter(|(n, _)| exec >> n & 1 != 0).map(|(_, l)| &l.1)
        };
        // One access of all lanes, if every dword of every lane is there and follows the last.
        let dwords = request.bytes.div_ceil(4).max(1);
        let one = dwords > 1
            && d.swizzle.element_bytes() != Some(4)
            && active().all(|l| {
                matches!(d.resolve(&request, l, 0), Resolved::Address(_))
                    && d.in_range(&request, l, dwords - 1)
                    && d.offset(&request, l) + 16 <= u64::from(u32::MAX)
            });
        let lanes = self.lanes(|lane| {
            let (terms, l) = &inputs[lane as usize];
            let parts = match format {
                Some(FormatCode::Invalid) => vec![Part {
                    sum: d.address(&request, l, 0),
                    place: Place::Dropped {
                        why: "the format is INVALID: nothing is bound",
                    },
                    checks: Vec::new(),
                    bytes: request.bytes,
                    content: None,
                }],
                _ => self.components(&d, &request, l, one),
            };
            (terms.clone(), parts)
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
            notes: vec![format!(
                "{}; what is out of range {}, without a violation",
                match kind {
                    BufferKind::Untyped => "each dword is checked alone",
                    _ => "checked whole",
                },
                self.kind.dropped()
            )],
            lanes,
        };
        explanation.notes.extend(converted);
        explanation
    }

    /// A lane's index and offset, with their terms.
    fn buffer_lane(
        &self,
        d: &BufferDescriptor,
        request: &BufferRequest,
        lane: u32,
    ) -> (Vec<Term>, BufferLane) {
        let mut terms = Vec::new();
        let mut l = BufferLane {
            lane,
            ..BufferLane::default()
        };
        if let Some(r) = self.register(Field::Vaddr) {
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
        (terms, l)
    }

    /// The alignment mode of an access: data with a format have their own from RDNA 2 on (RDNA 2 ISA 8.1.7, RDNA 3
    /// ISA 9.5).
    fn buffer_alignment(&self, d: &BufferDescriptor, request: &BufferRequest) -> AlignmentMode {
        let own = !d.generation.is_gfx9() && d.generation != Generation::Rdna1;
        if own && request.kind.is_formatted() {
            AlignmentMode::DwordStrict
        } else {
            self.scene.rules.alignment
        }
    }

    /// The dwords of one lane, those that lie together in one part; `one` where they are one access.
    fn components(
        &self,
        d: &BufferDescriptor,
        request: &BufferRequest,
        l: &BufferLane,
        one: bool,
    ) -> Vec<Part> {
        let mode = self.buffer_alignment(d, request);
        let dwords = match self.kind {
            Kind::Atomic => 1,
            _ => request.bytes.div_ceil(4).max(1),
        };
        let mut parts: Vec<Part> = Vec::new();
        for component in 0..dwords {
            let bytes = match self.kind {
                Kind::Atomic => self.bytes,
                _ => (request.bytes - component * 4).min(4),
            };
            let subject = self.of_bytes(bytes);
            let mut checks = vec![Check::new(
                d.in_range(request, l, component),
                range_check(d, request, l, component),
            )];
            let next = match d.resolve(request, l, component) {
                Resolved::Address(_) if straddles(d, request, l, bytes) => {
                    let byte = |i| d.address(request, l, u64::from(component) * 4 + u64::from(i));
                    let byte = |i| self.of_bytes(1).page(d, byte(i), checks.clone());
                    (0..bytes).map(byte).collect()
                }
                Resolved::Address(a) => {
                    // The whole access is aligned, or each dword for itself.
                    let first = a.wrapping_sub(u64::from(component) * 4);
                    let at = if one {
                        let whole = self.of_bytes(request.bytes);
                        let at = whole.aligned_in(mode, first, false, &mut checks);
                        at.map(|at| at.wrapping_add(u64::from(component) * 4))
                    } else {
                        subject.aligned_in(mode, a, false, &mut checks)
                    };
                    vec![match at {
                        Some(at) => subject.page(d, at, checks),
                        None => subject.violation(a, checks, MISALIGNED),
                    }]
                }
                other => vec![Part {
                    sum: d.address(request, l, u64::from(component) * 4),
                    place: Place::Dropped {
                        why: match other {
                            Resolved::OutOfRange => self.kind.out_of_range(),
                            Resolved::Unbound => "the descriptor is null: nothing is bound",
                            _ => "the descriptor is no buffer's",
                        },
                    },
                    checks,
                    bytes,
                    content: None,
                }],
            };
            for part in next {
                match parts.last_mut() {
                    Some(p) if p.goes_on_in(&part) => p.join(part),
                    _ => parts.push(part),
                }
            }
        }
        parts
    }

    /// An access of memory in range, which is null where the descriptor's user VM says so.
    fn page(&self, d: &BufferDescriptor, at: u64, checks: Vec<Check>) -> Part {
        let mut part = self.global_part(at, checks);
        let unmapped = matches!(part.place, Place::Violation { why } if why == UNMAPPED);
        if d.user_vm_enable && !d.user_vm_mode && unmapped {
            part.place = Place::Dropped {
                why: "a null page of the user VM (USER_VM_MODE 0, Vega ISA 8.1.8)",
            };
        }
        part
    }
}

/// Whether a dword lies across two elements of a swizzled buffer, so that its bytes are apart.
fn straddles(d: &BufferDescriptor, request: &BufferRequest, l: &BufferLane, bytes: u32) -> bool {
    request.kind != BufferKind::Atomic
        && d.swizzle.element_bytes() == Some(4)
        && (d.offset(request, l) & 3) + u64::from(bytes) > 4
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
