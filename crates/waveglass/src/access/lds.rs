//! LDS addresses (Vega ISA 10.3, RDNA 3 ISA 12.5, RDNA 4 ISA 12.5).

use super::{Check, Explanation, Part, Subject, Term, register_name};
use crate::isa::Field;
use crate::mem::LdsRange;

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

    /// An access of LDS, whole or dword by dword as the generation has it.
    pub(super) fn lds_parts(&self, at: u64, checks: &[Check]) -> Vec<Part> {
        match self.scene.rules.generation.lds_range() {
            LdsRange::Whole => vec![self.lds_part(at, checks.to_vec())],
            LdsRange::PerDword => {
                self.dword_by_dword(|s, extra| s.lds_part(at + extra, checks.to_vec()))
            }
        }
    }

    fn lds_part(&self, at: u64, checks: Vec<Check>) -> Part {
        self.share_part(at, checks, self.is_aligned())
    }
}
