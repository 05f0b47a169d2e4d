//! Flat, global and scratch addresses (Vega ISA 9, RDNA 3 ISA 11, RDNA 4 ISA 11, CDNA 5 ISA 10).

use super::{Check, Explanation, Part, Place, Subject, Term, register_name};
use crate::isa::{Field, Reg, RegFile};
use crate::mem::{Apertures, FlatTarget, Generation};

/// What is true of global accesses from and to registers.
pub(super) const NO_LDS: &str = "only vector memory's counter counts it: it cannot reach LDS";

fn scaled_name(vaddr: Reg, scale: Option<i64>) -> String {
    match scale {
        None | Some(1) => format!("VADDR {}", register_name(vaddr)),
        Some(n) => format!("VADDR {} * {n}", register_name(vaddr)),
    }
}

impl Subject<'_> {
    fn generation(&self) -> Generation {
        self.scene.rules.generation
    }

    /// What a 32-bit vector offset is multiplied with, and whether it is signed (CDNA 5 ISA 10.1.1).
    fn scale(&self) -> Option<i64> {
        self.inst.target().has_gfx1250_insts().then(|| {
            let scaled = self.inst.field(Field::Cpol) >> 11 & 1 != 0;
            if scaled { i64::from(self.bytes) } else { 1 }
        })
    }

    /// The register part of an address, with its terms.
    fn register_address(&self, lane: u32, base: Option<u64>, terms: &mut Vec<Term>) -> u64 {
        let Some(vaddr) = self.register(Field::Vaddr) else {
            // ADDTID: four bytes a lane.
            terms.push(Term {
                name: "lane * 4".into(),
                value: u64::from(lane) * 4,
            });
            return base.unwrap_or(0).wrapping_add(u64::from(lane) * 4);
        };
        let low = self.vector(vaddr, 0, lane);
        let name = scaled_name(vaddr, self.scale().filter(|_| base.is_some()));
        match base {
            None => {
                let value = u64::from(low) | u64::from(self.vector(vaddr, 1, lane)) << 32;
                terms.push(Term { name, value });
                value
            }
            Some(base) => {
                let value = match self.scale() {
                    Some(scale) => (i64::from(low as i32) * scale) as u64,
                    None => u64::from(low),
                };
                terms.push(Term { name, value });
                base.wrapping_add(value)
            }
        }
    }

    pub(super) fn global(&self) -> Explanation {
        let (offset, offset_term) = self.immediate(Field::Offset, "OFFSET");
        let base = self.scalar_operand(Field::Saddr, "SADDR");
        let addtid = self.register(Field::Vaddr).is_none();
        let formula = match (addtid, base.is_some(), self.scale()) {
            (true, ..) => "address = SADDR + OFFSET + lane * 4",
            (_, false, _) => "address = VADDR[63:0] + OFFSET",
            (_, true, None) => "address = SADDR[63:0] + VADDR[31:0] (unsigned) + OFFSET",
            (_, true, Some(1)) => "address = SADDR[63:0] + VADDR[31:0] (signed) + OFFSET",
            (_, true, Some(_)) => "address = SADDR[63:0] + VADDR[31:0] (signed) * size + OFFSET",
        };
        let mut shared: Vec<Term> = base.iter().map(|b| b.1.clone()).collect();
        shared.push(offset_term);
        let apertures = self.scene.env.apertures;
        let lanes = self.lanes(|lane| {
            let mut terms = Vec::new();
            let base = base.as_ref().map(|b| b.0).or(addtid.then_some(0));
            let sum = self
                .register_address(lane, base, &mut terms)
                .wrapping_add(offset as u64);
            let lds = apertures.is_lds(sum);
            let checks = vec![Check::new(
                !lds,
                format!(
                    "outside the LDS aperture: bits 63:32 are {:#x}, SHARED_BASE's {:#x}",
                    sum >> 32,
                    apertures.shared_base() >> 32
                ),
            )];
            let parts = if lds {
                vec![self.violation(sum, checks, "a global operation in the LDS aperture")]
            } else if Apertures::is_hole(self.generation(), sum) {
                let checks = [checks, vec![self.hole_check(sum)]].concat();
                vec![self.violation(sum, checks, "the hole of the address space")]
            } else {
                self.dword_by_dword(|s, at| s.global_part(sum.wrapping_add(at), checks.clone()))
            };
            (terms, parts)
        });
        Explanation {
            formula: formula.into(),
            source: "Vega ISA 9.4, RDNA 3 ISA 11.2, CDNA 5 ISA 10.1.1",
            shared,
            notes: vec![NO_LDS.into()],
            lanes,
        }
    }

    fn violation(&self, sum: u64, checks: Vec<Check>, why: &'static str) -> Part {
        Part {
            sum,
            place: Place::Violation { why },
            checks,
            bytes: self.bytes,
            content: None,
        }
    }

    fn hole_check(&self, address: u64) -> Check {
        let top = match self.generation() {
            Generation::Cdna5 => 56,
            _ => 47,
        };
        Check::new(
            !Apertures::is_hole(self.generation(), address),
            format!("bits 63:{top} of {address:#x} are all the same"),
        )
    }

    pub(super) fn flat(&self) -> Explanation {
        let (offset, offset_term) = self.immediate(Field::Offset, "OFFSET");
        let base = self.scalar_operand(Field::Saddr, "SADDR");
        let after = self.generation() == Generation::Cdna5;
        let formula = if after {
            "address = (SADDR +) VADDR + OFFSET; the apertures are tested on the sum"
        } else {
            "address = VADDR + OFFSET; the apertures are tested on VADDR, before OFFSET"
        };
        let mut shared: Vec<Term> = base.iter().map(|b| b.1.clone()).collect();
        shared.push(offset_term);
        let apertures = self.scene.env.apertures;
        let lanes = self.lanes(|lane| {
            let mut terms = Vec::new();
            let register = self.register_address(lane, base.as_ref().map(|b| b.0), &mut terms);
            let sum = register.wrapping_add(offset as u64);
            let tested = if after { sum } else { register };
            let mut checks = vec![Check::new(
                apertures.is_lds(tested),
                format!(
                    "in the LDS aperture: bits 63:32 are {:#x}, SHARED_BASE's {:#x}",
                    tested >> 32,
                    apertures.shared_base() >> 32
                ),
            )];
            if !checks[0].holds {
                checks.push(Check::new(
                    apertures.is_scratch(self.generation(), tested),
                    format!(
                        "in the scratch aperture, which starts at {:#x}",
                        apertures.private_base()
                    ),
                ));
            }
            let target = apertures.resolve(self.generation(), register, offset as i32);
            if matches!(target, FlatTarget::Global(_) | FlatTarget::Hole(_)) {
                checks.push(self.hole_check(tested));
            }
            let parts = match target {
                FlatTarget::Global(a) | FlatTarget::SharedScratch(a) => {
                    self.dword_by_dword(|s, at| s.global_part(a.wrapping_add(at), checks.clone()))
                }
                FlatTarget::Lds(a) => self.lds_parts(u64::from(a), &checks),
                FlatTarget::Scratch(a) => self.dword_by_dword(|s, at| {
                    s.scratch_part(a.wrapping_add(at as i64), lane, checks.clone())
                }),
                FlatTarget::Hole(a) => {
                    vec![self.violation(a, checks, "the hole of the address space")]
                }
            };
            (terms, parts)
        });
        let wait = if self.inst.target().is_gfx9() {
            "it is done when both counters say so, and since flat operations return in no order \
             only waits for zero tell (Vega ISA 9.2.2)"
        } else {
            "it is done when both counters say so: each half completes on its own"
        };
        Explanation {
            formula: formula.into(),
            source: "Vega ISA 9.3, RDNA 3 ISA 11.2, RDNA 4 ISA 11.2, CDNA 5 ISA 10.2",
            shared,
            notes: vec![wait.into()],
            lanes,
        }
    }

    pub(super) fn scratch(&self) -> Explanation {
        let (offset, offset_term) = self.immediate(Field::Offset, "OFFSET");
        let base = self.scalar_operand(Field::Saddr, "SADDR");
        let signed = self.inst.target().major() >= 12;
        let scale = self.scale().unwrap_or(1);
        let window = self.scene.window();
        let mut shared = vec![Term {
            name: if self.inst.target().is_gfx9() {
                "SCRATCH_BASE flat_scratch".into()
            } else {
                "SCRATCH_BASE".into()
            },
            value: window.base,
        }];
        shared.extend(base.iter().map(|b| b.1.clone()));
        shared.push(offset_term);
        let vaddr = self
            .register(Field::Vaddr)
            .filter(|r| r.file == RegFile::Vgpr);
        let scalar = base.map_or(0, |(v, _)| {
            if signed {
                i64::from(v as u32 as i32)
            } else {
                i64::from(v as u32)
            }
        });
        let lanes = self.lanes(|lane| {
            let mut terms = Vec::new();
            let mut at = scalar + offset;
            if let Some(r) = vaddr {
                let v = self.vector(r, 0, lane);
                let value = if signed {
                    i64::from(v as i32) * scale
                } else {
                    i64::from(v)
                };
                terms.push(Term {
                    name: scaled_name(r, Some(scale)),
                    value: value as u64,
                });
                at += value;
            }
            let parts = self.dword_by_dword(|s, extra| {
                s.scratch_part(at.wrapping_add(extra as i64), lane, Vec::new())
            });
            (terms, parts)
        });
        Explanation {
            formula: format!(
                "private offset = VADDR + SADDR + OFFSET ({}); address = SCRATCH_BASE + \
                 (offset & ~3) * {} + lane * 4 + (offset & 3)",
                if signed {
                    "signed"
                } else {
                    "registers unsigned"
                },
                self.wave().lanes()
            ),
            source: "Vega ISA 9.5, RDNA 3 ISA 11.2, RDNA 4 ISA 11.2",
            shared,
            notes: vec!["no aperture is tested, and LDS is never touched".into()],
            lanes,
        }
    }

    fn scratch_part(&self, at: i64, lane: u32, mut checks: Vec<Check>) -> Part {
        let window = self.scene.window();
        let inside = at >= 0 && at as u64 + u64::from(self.bytes) <= window.size;
        checks.push(Check::new(
            inside,
            format!(
                "0 <= {at:#x} and {at:#x} + {} <= {:#x}, the lane's scratch",
                self.bytes, window.size
            ),
        ));
        let place = if inside {
            Place::Scratch {
                offset: at,
                address: window.address(at as u64, lane),
            }
        } else {
            Place::Violation {
                why: "outside the lane's scratch",
            }
        };
        Part {
            sum: at as u64,
            place,
            checks,
            bytes: self.bytes,
            content: None,
        }
    }
}
