//! Scalar memory addresses (Vega ISA 7, RDNA 3 ISA 8, RDNA 4 ISA 8, CDNA 5 ISA 8).

use super::{AccessError, Check, Explanation, LaneAccess, Part, Place, Subject, Term};
use crate::isa::{Field, Operand};
use crate::mem::Generation;
use crate::mem::buffer::BufferDescriptor;
use waveglass_exec::program::scalar_number;

impl Subject<'_> {
    pub(super) fn scalar(&self) -> Result<Explanation, AccessError> {
        let name = self.inst.mnemonic();
        let data = self
            .register(Field::Sdst)
            .or_else(|| self.register(Field::Sdata));
        let small = [("_u8", 1), ("_i8", 1), ("_u16", 2), ("_i16", 2)];
        let bytes = small
            .iter()
            .find(|(s, _)| name.ends_with(s))
            .map(|(_, n)| *n)
            .or_else(|| data.map(|r| u32::from(r.dwords) * 4))
            .ok_or(AccessError::NotMemory(name))?;
        let (offset, offset_term) = self.immediate(Field::Offset, "OFFSET");
        let register = self.scalar_operand(Field::Soffset, "SOFFSET");
        let scaled =
            self.inst.target().has_gfx1250_insts() && self.inst.field(Field::Cpol) >> 11 & 1 != 0;
        let scale = if scaled { u64::from(bytes) } else { 1 };
        let soffset = register
            .as_ref()
            .map_or(0, |(v, _)| (*v & 0xffff_ffff) * scale);
        let Some(Operand::Reg(sbase)) = self.inst.operand(Field::Sbase) else {
            return Err(AccessError::NotMemory(name));
        };
        let first = scalar_number(sbase) as usize;
        let mut shared = Vec::new();
        let mut checks = Vec::new();
        let buffer = name.contains("_buffer_");
        let total = offset.wrapping_add(soffset as i64);
        let base = if buffer {
            let words = std::array::from_fn(|i| self.wave().sgpr[(first + i) & 127]);
            let d = BufferDescriptor::decode(words, self.scene.rules.generation);
            shared.push(Term {
                name: "V# base".into(),
                value: d.base,
            });
            // NUM_RECORDS counts records of STRIDE bytes where there is a stride.
            let unit = match d.generation {
                Generation::Cdna5 => 1,
                _ => (u64::from(d.stride) * u64::from(d.stride_scale)).max(1),
            };
            let size = d.num_records.saturating_mul(unit);
            checks.push(Check::new(
                total >= 0 && (total as u64) < size,
                format!("0 <= {total:#x} < {size:#x}, the buffer's bytes"),
            ));
            d.base
        } else {
            let value = self.wave().s64(first);
            shared.push(Term {
                name: format!("SBASE s[{first}:{}]", first + 1),
                value,
            });
            value
        };
        shared.extend(register.map(|r| r.1));
        shared.push(offset_term);
        // Dwords are aligned by dropping the low bits; values below a dword have an aligned base.
        let sum = if bytes >= 4 {
            base.wrapping_add(total as u64) & !3
        } else {
            (base & !3).wrapping_add(total as u64) & !u64::from(bytes - 1)
        };
        let subject = Subject {
            bytes,
            inst: self.inst,
            scene: self.scene,
            extra: 0,
        };
        let mut part = subject.global_part(sum, checks);
        if buffer && part.checks.first().is_some_and(|c| !c.holds) {
            part.place = Place::Dropped {
                why: "out of the buffer's range: zero is read",
            };
        }
        let lane = LaneAccess {
            lane: 0,
            active: true,
            terms: Vec::new(),
            parts: vec![Part { ..part }],
            result: Vec::new(),
            fault: None,
        };
        Ok(Explanation {
            formula: "address = SBASE + OFFSET + SOFFSET; the two low bits of dword accesses are \
                      dropped"
                .into(),
            source: "Vega ISA 7.2, RDNA 3 ISA 8.2, RDNA 4 ISA 8.2",
            shared,
            notes: vec![
                "scalar operations return in no order: only a wait for zero tells that one is done"
                    .into(),
            ],
            lanes: vec![lane],
        })
    }
}
