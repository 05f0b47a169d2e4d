//! Moves between memory and LDS that pass no register (Vega ISA 8.1.9, CDNA 3 ISA 10.3, CDNA 5 ISA 10.8),
//! blocks of registers (RDNA 4 ISA 11.1) and loads that transpose (CDNA 4 ISA 11.4, RDNA 4 ISA 11.6, CDNA 5
//! ISA 10.9.2).

use super::place::MISALIGNED;
use super::{Check, Explanation, Kind, LaneAccess, Part, Place, Subject, Term, register_name};
use crate::exec::semantics::lds_transfer_mask;
use crate::exec::wave::sreg;
use crate::isa::Field;

impl Subject<'_> {
    /// Whether data go to or from LDS instead of registers.
    pub(super) fn goes_through_lds(&self) -> bool {
        let name = self.inst.mnemonic();
        let template = self.inst.def().shape.template;
        !name.starts_with("ds_")
            && (name.contains("_lds") || template.split(' ').any(|word| word == "lds"))
    }

    /// The explanation of an access of memory, to which LDS's side is added.
    pub(super) fn with_lds(&self, mut explanation: Explanation) -> Explanation {
        let name = self.inst.mnemonic();
        let asynchronous = name.contains("async");
        let stores = name.contains("store");
        let flat = !name.starts_with("buffer");
        let register = self.register(if stores { Field::Vdata } else { Field::Vdst });
        let register = register.filter(|_| asynchronous);
        let (offset, _) = self.immediate(Field::Offset, "OFFSET");
        let bytes = if asynchronous {
            self.bytes
        } else {
            self.bytes.max(4)
        };
        let step = if bytes > 4 { 16 } else { 4 };
        let m0 = self.wave().sgpr[sreg::M0] & lds_transfer_mask(self.inst.target(), flat);
        explanation.formula += if asynchronous {
            "; LDS offset = VGPR + OFFSET"
        } else if bytes > 4 {
            "; LDS offset = M0 + OFFSET + lane * 16"
        } else {
            "; LDS offset = M0 + OFFSET + lane * 4"
        };
        if !asynchronous {
            explanation.shared.push(Term {
                name: "M0, as an LDS offset".into(),
                value: m0.into(),
            });
            explanation.notes.push(
                "lanes whose LDS offset is outside the allocation are switched off, without a violation"
                    .into(),
            );
        }
        explanation.notes.retain(|n| n != super::flat::NO_LDS);
        let limit = u64::from(self.scene.lds_limit());
        for lane in explanation.lanes.iter_mut().filter(|l| l.active) {
            let at = match register {
                Some(r) => {
                    let value = self.vector(r, 0, lane.lane);
                    lane.terms.push(Term {
                        name: format!("LDS {}", register_name(r)),
                        value: value.into(),
                    });
                    value.wrapping_add(offset as u32)
                }
                None => m0
                    .wrapping_add(offset as u32)
                    .wrapping_add(lane.lane * step),
            };
            let at = u64::from(at);
            let to = self.of_bytes(bytes);
            if stores && asynchronous {
                lane.parts.extend(to.of_kind(Kind::Load).lds_parts(at, &[]));
                continue;
            }
            let inside = at + u64::from(bytes) <= limit;
            let mut checks = vec![Check::new(
                inside,
                format!(
                    "{at:#x} + {bytes} <= {limit:#x}, {}",
                    self.scene.lds_limit_name()
                ),
            )];
            // A lane that is switched off does not access memory either.
            if !inside && !asynchronous {
                lane.parts.clear();
            }
            let kind = if stores { Kind::Load } else { Kind::Store };
            let place = if !inside {
                Place::Dropped {
                    why: "outside the workgroup's LDS",
                }
            } else {
                match to.of_kind(kind).aligned(at, true, &mut checks) {
                    Some(offset) => Place::Lds { offset },
                    None => Place::Violation { why: MISALIGNED },
                }
            };
            lane.parts.push(Part {
                sum: at,
                place,
                checks,
                bytes,
                content: None,
            });
        }
        explanation
    }

    /// The registers of a block that M0 selects, by their distance from the first.
    pub(super) fn block(&self) -> Option<Vec<u32>> {
        let m0 = self.wave().sgpr[sreg::M0];
        self.inst
            .mnemonic()
            .ends_with("_block")
            .then(|| (0..32).filter(|n| m0 >> n & 1 != 0).collect())
    }

    /// A block: an access of a dword for each register that M0 selects.
    pub(super) fn blocks(&self, registers: &[u32]) -> Explanation {
        let scratch = self.inst.mnemonic().starts_with("scratch");
        let each = |n: u32| {
            let subject = Subject {
                bytes: 4,
                extra: i64::from(n) * 4,
                ..*self
            };
            if scratch {
                subject.scratch()
            } else {
                subject.global()
            }
        };
        let mut all = each(0);
        all.lanes.iter_mut().for_each(|l| l.parts.clear());
        for &n in registers {
            for (lane, more) in all.lanes.iter_mut().zip(each(n).lanes) {
                lane.parts.extend(more.parts);
            }
        }
        all.formula += "; register n of the block lies 4 n bytes further, where bit n of M0 is set";
        all.shared.push(Term {
            name: "M0".into(),
            value: self.wave().sgpr[sreg::M0].into(),
        });
        all
    }

    /// Whether it is a load that transposes.
    pub(super) fn transposes(&self) -> bool {
        let name = self.inst.mnemonic();
        name.contains("load_tr") || name.contains("_tr_b")
    }

    /// A load that transposes: what the lanes read, before it is spread over the lanes.
    pub(super) fn transposing(&self, mut explanation: Explanation) -> Explanation {
        if self.exec() != self.wave().exec() {
            explanation
                .notes
                .push("EXEC is not zero, and is taken for all ones (CDNA 5 ISA 11.2.4)".into());
        }
        explanation.notes.push(
            "each lane reads a run of elements; the results are the matrix transposed between the lanes"
                .into(),
        );
        let wave64 = self.wave().lanes() == 64;
        let lds = self.inst.mnemonic().starts_with("ds_");
        if self.inst.target().major() >= 12 && !lds && wave64 {
            explanation
                .notes
                .push("in wave64 lanes 0 to 31 have the addresses".into());
            let second_half = |l: &&mut LaneAccess| l.lane >= 32;
            for lane in explanation.lanes.iter_mut().filter(second_half) {
                lane.parts.clear();
                lane.terms.clear();
            }
        }
        explanation
    }
}
