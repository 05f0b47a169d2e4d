//! Scalar memory addresses (Vega ISA 7, RDNA 3 ISA 8, RDNA 4 ISA 8, CDNA 5 ISA 8).

use super::{AccessError, Check, Explanation, Kind, LaneAccess, Part, Place, Subject, Term};
use crate::fault_report::hex;
use crate::isa::{Field, Operand, RegFile};
use crate::mem::Generation;
use crate::mem::buffer::BufferDescriptor;
use waveglass_exec::program::scalar_number;

/// A buffer that a scalar operation goes through.
struct ScalarBuffer {
    base: u64,
    bytes: u64,
}

impl Subject<'_> {
    pub(super) fn scalar(&self) -> Result<Explanation, AccessError> {
        let name = self.inst.mnemonic();
        let bytes = match self.kind {
            Kind::Atomic => self.bytes,
            _ => bytes_of(name).ok_or(AccessError::NotShown(name))?,
        };
        let generation = self.scene.rules.generation;
        let (offset, offset_term) = self.immediate(Field::Offset, "OFFSET");
        let register = self.scalar_operand(Field::Soffset, "SOFFSET");
        let scratch = name.starts_with("s_scratch");
        let scaled =
            self.inst.target().has_gfx1250_insts() && self.inst.field(Field::Cpol) >> 11 & 1 != 0;
        let scale = match (scratch, scaled) {
            (true, _) => 64,
            (_, true) => i64::from(bytes),
            _ => 1,
        };
        let soffset = register
            .as_ref()
            .map(|(v, term)| ((v & 0xffff_ffff) as i64 * scale, &term.name));
        // From gfx12 on the low bits of each component are ignored, not those of the sum.
        let each = generation.is_gfx12();
        let ignored = u64::from(bytes.min(4)) - 1;
        let component = |v: u64| if each { v & !ignored } else { v };
        let (base, total, buffer, mut shared) = {
            let total = component(soffset.as_ref().map_or(0, |s| s.0) as u64)
                .wrapping_add(component(offset as u64));
            match name.contains("_buffer_") {
                true => {
                    let (b, terms) = self.scalar_buffer(&component);
                    (b.base, total, Some(b), terms)
                }
                false => {
                    let (base, term) = self.scalar_base();
                    (component(base), total, None, vec![term])
                }
            }
        };
        shared.extend(soffset.map(|(value, name)| Term {
            name: match scale {
                1 => name.clone(),
                n => format!("{name} * {n}"),
            },
            value: value as u64,
        }));
        shared.push(offset_term);
        let subject = self.of_bytes(bytes);
        let parts = match &buffer {
            None => subject.scalar_parts(base.wrapping_add(total) & !ignored),
            Some(b) if self.is_negative(offset) => {
                let text = format!("OFFSET {} is not negative", hex(offset.into()));
                let sum = b.base.wrapping_add(total);
                let checks = vec![Check::new(false, text)];
                vec![subject.violation(sum, checks, NEGATIVE)]
            }
            Some(b) => subject.in_scalar_buffer(b, total & !ignored),
        };
        let lane = LaneAccess {
            lane: 0,
            active: true,
            terms: Vec::new(),
            parts,
            result: Vec::new(),
            fault: None,
        };
        let low = match bytes.min(4) {
            1 => None,
            2 => Some("bit 0"),
            _ => Some("bits 1:0"),
        };
        let low = low.map(|bits| match each {
            true => format!("; {bits} of each are ignored"),
            false => format!("; {bits} of the sum are ignored"),
        });
        Ok(Explanation {
            formula: format!(
                "address = {} + SOFFSET + OFFSET{}",
                if buffer.is_some() { "V# base" } else { "SBASE" },
                low.unwrap_or_default()
            ),
            source: "Vega ISA 7.2, RDNA 3 ISA 8.2, RDNA 4 ISA 8.1, CDNA 5 ISA 8.1",
            shared,
            notes: vec![
                "scalar operations return in no order: only a wait for zero tells that one is done"
                    .into(),
            ],
            lanes: vec![lane],
        })
    }

    /// SBASE as an address.
    fn scalar_base(&self) -> (u64, Term) {
        let null = || {
            let name = "SBASE null".into();
            (0, Term { name, value: 0 })
        };
        self.scalar_operand(Field::Sbase, "SBASE")
            .unwrap_or_else(null)
    }

    /// SBASE as a descriptor: base, stride and record count alone matter, and CDNA 5 counts records in bytes.
    fn scalar_buffer(&self, component: &dyn Fn(u64) -> u64) -> (ScalarBuffer, Vec<Term>) {
        // `null` is no buffer.
        let words = match self.inst.operand(Field::Sbase) {
            Some(Operand::Reg(r)) if r.file != RegFile::Null => {
                let first = scalar_number(r) as usize;
                std::array::from_fn(|i| self.wave().sgpr[(first + i) & 127])
            }
            _ => [0; 4],
        };
        let d = BufferDescriptor::decode(words, self.scene.rules.generation);
        let unit = match d.generation {
            Generation::Cdna5 => 1,
            _ => u64::from(d.stride).max(1),
        };
        let term = |name: &str, value| Term {
            name: name.into(),
            value,
        };
        let mut terms = vec![
            term("V# base", d.base),
            term("V# num_records", d.num_records),
        ];
        if unit > 1 {
            terms.insert(1, term("V# stride", unit));
        }
        let bytes = component(d.num_records.saturating_mul(unit));
        let base = component(d.base);
        (ScalarBuffer { base, bytes }, terms)
    }

    /// Whether the immediate is one that makes an access through a buffer a violation (RDNA 3 ISA 8.1.2).
    fn is_negative(&self, offset: i64) -> bool {
        let generation = self.scene.rules.generation;
        let loads = self.kind == Kind::Load;
        let old = matches!(generation, Generation::Rdna1 | Generation::Rdna2);
        offset < 0 && loads && !generation.is_gfx9() && !old
    }

    /// An access at an address, dword by dword where it is not wholly there.
    fn scalar_parts(&self, at: u64) -> Vec<Part> {
        if self.kind == Kind::Atomic {
            return self.in_memory(at, Vec::new());
        }
        self.dword_by_dword(|s, extra| s.global_part(at.wrapping_add(extra), Vec::new()))
    }

    /// The dwords of an access through a buffer: those whose offset is past its end are dropped.
    fn in_scalar_buffer(&self, b: &ScalarBuffer, offset: u64) -> Vec<Part> {
        let dwords = match self.kind {
            Kind::Atomic => 1,
            _ => self.bytes.div_ceil(4),
        };
        let bytes = self.bytes / dwords;
        let base = if self.bytes >= 4 { b.base & !3 } else { b.base };
        let mut parts: Vec<Part> = Vec::new();
        for n in 0..u64::from(dwords) {
            // What is past the end stays there, whatever the sum wraps to.
            let past = u128::from(offset) + 4 * u128::from(n);
            let inside = past < u128::from(b.bytes);
            let text = format!("offset {past:#x} < {:#x}, the buffer's bytes", b.bytes);
            let mut checks = vec![Check::new(inside, text)];
            let sum = base.wrapping_add(offset).wrapping_add(4 * n);
            let subject = self.of_bytes(bytes);
            let next = if !inside {
                vec![Part {
                    sum,
                    place: Place::Dropped {
                        why: self.kind.out_of_range(),
                    },
                    checks,
                    bytes,
                    content: None,
                }]
            } else if self.kind == Kind::Atomic {
                subject.in_memory(sum, std::mem::take(&mut checks))
            } else {
                vec![subject.global_part(sum, std::mem::take(&mut checks))]
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
}

/// Why a scalar access through a buffer touches nothing.
const NEGATIVE: &str = "the immediate offset of an access through a buffer is negative";

/// The bytes that a scalar load or store moves, which its name says.
fn bytes_of(name: &str) -> Option<u32> {
    const SIZES: [(&str, u32); 15] = [
        ("_u8", 1),
        ("_i8", 1),
        ("_u16", 2),
        ("_i16", 2),
        ("_b32", 4),
        ("_b64", 8),
        ("_b96", 12),
        ("_b128", 16),
        ("_b256", 32),
        ("_b512", 64),
        ("_dword", 4),
        ("_dwordx2", 8),
        ("_dwordx4", 16),
        ("_dwordx8", 32),
        ("_dwordx16", 64),
    ];
    let found = SIZES.iter().find(|(suffix, _)| name.ends_with(suffix));
    let moves = name.contains("load") || name.contains("store");
    found.filter(|_| moves).map(|(_, bytes)| *bytes)
}
