//! LDS addresses (Vega ISA 10.3, RDNA 3 ISA 12.5, RDNA 4 ISA 12.5).

use super::place::MISALIGNED;
use super::{Check, Explanation, Kind, Part, Subject, Term, register_name};
use crate::isa::Field;
use crate::mem::{AlignmentMode, LdsRange};

impl Subject<'_> {
    pub(super) fn lds(&self) -> Explanation {
        let name = self.inst.mnemonic();
        let two = self.inst.operand_def(Field::Offset1).is_some()
            && self.inst.operand_def(Field::Offset0).is_some();
        let stride = if name.contains("st64") || name.contains("stride64") {
            64
        } else {
            1
        };
        let unit = u64::from(self.bytes) * stride;
        let mut shared = Vec::new();
        let offsets: Vec<u64> = if two {
            [(Field::Offset0, "OFFSET0"), (Field::Offset1, "OFFSET1")]
                .iter()
                .map(|(f, n)| {
                    let (v, _) = self.immediate(*f, n);
                    let value = v as u64 * unit;
                    shared.push(Term {
                        name: format!("{n} * {unit}"),
                        value,
                    });
                    value
                })
                .collect()
        } else {
            let (v, term) = self.immediate(Field::Offset, "OFFSET");
            shared.push(term);
            vec![v as u64]
        };
        let addr = self.register(Field::Addr);
        let lanes = self.lanes(|lane| {
            let base = addr.map_or(0, |r| self.vector(r, 0, lane));
            let terms = addr.map(|r| Term {
                name: format!("ADDR {}", register_name(r)),
                value: base.into(),
            });
            let parts = offsets
                .iter()
                .flat_map(|o| self.lds_parts(u64::from(base.wrapping_add(*o as u32)), &[]))
                .collect();
            (terms.into_iter().collect(), parts)
        });
        let formula = if two {
            format!("LDS offsets = ADDR + OFFSET0 * {unit} and ADDR + OFFSET1 * {unit}")
        } else {
            "LDS offset = ADDR + OFFSET".to_owned()
        };
        Explanation {
            formula,
            source: "Vega ISA 10.3, RDNA 3 ISA 12.5, RDNA 4 ISA 12.5",
            shared,
            notes: Vec::new(),
            lanes,
        }
    }

    /// An access of LDS, whole or cut as the generation has it: loads by dwords, stores by dwords, or by bytes
    /// where any alignment will do (RDNA 4 ISA 3.3.5.1).
    pub(super) fn lds_parts(&self, at: u64, checks: &[Check]) -> Vec<Part> {
        let mut checks = checks.to_vec();
        let Some(at) = self.aligned(at, true, &mut checks) else {
            return vec![self.violation(at, checks, MISALIGNED)];
        };
        let rules = &self.scene.rules;
        let cut = rules.generation.lds_range() == LdsRange::PerDword && self.kind != Kind::Atomic;
        if !cut {
            return vec![self.share_part(at, checks)];
        }
        if self.kind != Kind::Store || rules.alignment != AlignmentMode::Unaligned {
            return self.dword_by_dword(|s, extra| s.share_part(at + extra, checks.clone()));
        }
        let inside = u64::from(self.scene.lds_limit()).saturating_sub(at);
        if inside == 0 || inside >= self.bytes.into() {
            return vec![self.share_part(at, checks)];
        }
        let inside = inside as u32;
        let within = self.of_bytes(inside).share_part(at, checks.clone());
        let rest = self.of_bytes(self.bytes - inside);
        vec![within, rest.share_part(at + u64::from(inside), checks)]
    }
}
