//! Flat, global and scratch addresses (Vega ISA 9, RDNA 3 ISA 11, RDNA 4 ISA 11, CDNA 5 ISA 10).

use super::Kind;
use super::place::MISALIGNED;
use super::{Check, Explanation, Part, Place, Subject, Term, register_name};
use crate::fault_report::hex;
use crate::isa::{Field, Reg, RegFile};
use crate::mem::{Apertures, FlatTarget, Generation, ScratchWindow};

/// What is true of global accesses from and to registers.
pub(super) const NO_LDS: &str = "only vector memory's counter counts it: it cannot reach LDS";

/// Why a wide atomic or monitored load touches no scratch.
const WIDE_IN_SCRATCH: &str = "scratch is made of elements of 4 bytes";

/// The bits that tell whether an address is in the LDS aperture.
fn upper_bits(apertures: &Apertures, address: u64) -> String {
    if apertures.shared_base == 0 {
        return "SHARED_BASE is 0, which disables it".to_owned();
    }
    let (bits, shift) = match apertures.ptr32 {
        true => ("31:16", 16),
        false => ("63:32", 32),
    };
    format!(
        "bits {bits} are {:#x}, SHARED_BASE's {:#x}",
        address >> shift,
        apertures.shared_base() >> shift
    )
}

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
        let apertures = self.scene.apertures_of_wave();
        let lanes = self.lanes(|lane| {
            let mut terms = Vec::new();
            let base = base.as_ref().map(|b| b.0).or(addtid.then_some(0));
            let sum = self
                .register_address(lane, base, &mut terms)
                .wrapping_add(offset as u64);
            let lds = apertures.is_lds(sum);
            let checks = vec![Check::new(
                !lds,
                format!("outside the LDS aperture: {}", upper_bits(&apertures, sum)),
            )];
            let parts = if lds {
                vec![self.violation(sum, checks, "a global operation in the LDS aperture")]
            } else if !apertures.ptr32 && Apertures::is_hole(self.generation(), sum) {
                let checks = [checks, vec![self.hole_check(sum)]].concat();
                vec![self.violation(sum, checks, "the hole of the address space")]
            } else {
                self.in_memory(sum, checks)
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
        let apertures = self.scene.apertures_of_wave();
        let lanes = self.lanes(|lane| {
            let mut terms = Vec::new();
            let register = self.register_address(lane, base.as_ref().map(|b| b.0), &mut terms);
            let sum = register.wrapping_add(offset as u64);
            let tested = if after { sum } else { register };
            let tested = if apertures.ptr32 {
                tested & u64::from(u32::MAX)
            } else {
                tested
            };
            let mut checks = vec![Check::new(
                apertures.is_lds(tested),
                format!("in the LDS aperture: {}", upper_bits(&apertures, tested)),
            )];
            if !checks[0].holds {
                checks.push(Check::new(
                    apertures.is_scratch(self.generation(), tested),
                    match apertures.private_base {
                        0 => "in the scratch aperture: PRIVATE_BASE is 0, which disables it".into(),
                        _ => format!(
                            "in the scratch aperture, which starts at {:#x}",
                            apertures.private_base()
                        ),
                    },
                ));
            }
            let target = apertures.resolve(self.generation(), register, offset as i32);
            let whole = !apertures.ptr32;
            if whole && matches!(target, FlatTarget::Global(_) | FlatTarget::Hole(_)) {
                checks.push(self.hole_check(tested));
            }
            let parts = match target {
                FlatTarget::Global(a) => self.in_memory(a, checks),
                FlatTarget::SharedScratch(a) => self.shared_scratch(a, checks),
                FlatTarget::Lds(a) => self.lds_parts(u64::from(a), &checks),
                FlatTarget::Scratch(a) => self.flat_scratch(a, lane, checks),
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
            let parts = self.in_scratch(at, lane, Vec::new());
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

    /// The check that what falls into scratch is of one element of it; `false` where it is not.
    fn fits_an_element(&self, checks: &mut Vec<Check>) -> bool {
        let (what, source) = match self.kind {
            Kind::Atomic => ("an atomic", "RDNA 3 ISA 11.1.1"),
            Kind::Monitor => ("a monitored load", "CDNA 5 ISA 10.10"),
            Kind::Load | Kind::Store => return true,
        };
        let fits = self.bytes <= 4;
        checks.push(Check::new(
            fits,
            format!("{what} in scratch has at most 4 bytes, an element ({source})"),
        ));
        fits
    }

    /// A flat access at a private offset.
    fn flat_scratch(&self, at: i64, lane: u32, mut checks: Vec<Check>) -> Vec<Part> {
        if !self.fits_an_element(&mut checks) {
            return vec![self.violation(at as u64, checks, WIDE_IN_SCRATCH)];
        }
        if self.kind != Kind::Atomic {
            return self.in_scratch(at, lane, checks);
        }
        let mut part = self.scratch_part(at, lane, checks);
        let Place::Scratch { address, .. } = part.place else {
            return vec![part];
        };
        // The address in memory is the one that has to be aligned.
        match self.aligned(address, false, &mut part.checks) {
            None => part.place = Place::Violation { why: MISALIGNED },
            Some(_) => {
                let offset = at & !3;
                let address = self.scene.window().address(offset as u64, lane);
                part.place = Place::Scratch { offset, address };
            }
        }
        vec![part]
    }

    /// A flat access of any lane's scratch by its address in memory (CDNA 5 ISA 10.2.1): dwords of one lane are 32
    /// dwords apart.
    fn shared_scratch(&self, address: u64, mut checks: Vec<Check>) -> Vec<Part> {
        if !self.fits_an_element(&mut checks) {
            return vec![self.violation(address, checks, WIDE_IN_SCRATCH)];
        }
        if self.kind == Kind::Atomic {
            return self.in_memory(address, checks);
        }
        let window = ScratchWindow {
            base: address & !0x7f,
            size: u64::MAX >> 1,
            wave_size: 32,
        };
        let lane = (address >> 2 & 31) as u32;
        let Some(first) = self.aligned(address & 3, false, &mut checks) else {
            return vec![self.violation(address, checks, MISALIGNED)];
        };
        let mut parts: Vec<Part> = Vec::new();
        for extra in (0..u64::from(self.bytes)).step_by(4) {
            let bytes = (self.bytes - extra as u32).min(4);
            let whole = first % 4 + u64::from(bytes) <= 4;
            let step = if whole { bytes } else { 1 };
            for i in (0..bytes).step_by(step as usize) {
                let at = window.address(first + extra + u64::from(i), lane);
                let part = self.of_bytes(step).global_part(at, checks.clone());
                match parts.last_mut() {
                    Some(last) if last.goes_on_in(&part) => last.join(part),
                    _ => parts.push(part),
                }
            }
        }
        parts
    }

    /// An access at a private offset.
    fn in_scratch(&self, at: i64, lane: u32, mut checks: Vec<Check>) -> Vec<Part> {
        match self.aligned(at as u64, false, &mut checks) {
            Some(at) => self.dword_by_dword(|s, extra| {
                s.scratch_part((at as i64).wrapping_add(extra as i64), lane, checks.clone())
            }),
            None => vec![self.violation(at as u64, checks, MISALIGNED)],
        }
    }

    fn scratch_part(&self, at: i64, lane: u32, mut checks: Vec<Check>) -> Part {
        let window = self.scene.window();
        let inside = at >= 0 && (at as u64).saturating_add(self.bytes.into()) <= window.size;
        checks.push(Check::new(
            inside,
            match at {
                ..0 => format!("0 <= {}, the private offset", hex(at.into())),
                _ => format!(
                    "{at:#x} + {} <= {:#x}, the lane's scratch",
                    self.bytes, window.size
                ),
            },
        ));
        let mapped = |i| {
            let address = window.address(at as u64 + u64::from(i), lane);
            self.scene.memory.region_at(address).is_some()
        };
        let place = if !inside {
            Place::Violation {
                why: "outside the lane's scratch",
            }
        } else if !(0..self.bytes).all(mapped) {
            checks.push(Check::new(
                false,
                format!(
                    "a region is mapped at {:#x}, where that lies",
                    window.address(at as u64, lane)
                ),
            ));
            Place::Violation {
                why: "no memory is mapped behind the scratch",
            }
        } else {
            Place::Scratch {
                offset: at,
                address: window.address(at as u64, lane),
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
