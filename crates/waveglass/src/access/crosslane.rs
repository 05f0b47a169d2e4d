//! LDS instructions that move data between lanes (Vega ISA 10.3.3, 12.13.1, RDNA 3 ISA 12.5.2, CDNA 5 ISA
//! 11.2.3), and those that all lanes do as one: append and consume, the forms with the lane's number.

use super::{Check, Explanation, LaneAccess, Part, Place, Subject, Term, register_name};
use crate::exec::semantics::{permute_group, swizzle_source};
use crate::exec::wave::sreg;
use crate::isa::Field;
use crate::mem::{Generation, lds_addtid};

impl Subject<'_> {
    /// One lane's value as another receives it.
    fn lane_part(&self, from: Option<u32>, why: &'static str, value: u32) -> Part {
        Part {
            sum: from.unwrap_or(0).into(),
            place: match from {
                Some(lane) => Place::Lane { lane },
                None => Place::NoLane { why },
            },
            checks: Vec::new(),
            bytes: 4,
            content: from.map(|_| value.to_le_bytes().to_vec()),
        }
    }

    /// Whether EXEC has a lane on.
    fn is_on(&self, lane: u32) -> bool {
        self.wave().exec() >> lane & 1 != 0
    }

    /// `ds_swizzle_b32`.
    pub(super) fn swizzle(&self) -> Explanation {
        let offset = self.inst.field(Field::Offset) as u32 & 0xffff;
        let data = self.register(Field::Addr);
        let lanes = self.lanes(|lane| {
            let from = swizzle_source(offset, lane);
            let value = data.map_or(0, |r| self.vector(r, 0, from));
            let on = self.is_on(from).then_some(from);
            (
                Vec::new(),
                vec![self.lane_part(on, "the lane that it names is off and reads zero", value)],
            )
        });
        let formula = match offset {
            0xe000.. => "FFT: the lane's bits reversed, above the mask".to_owned(),
            0xc000.. => format!(
                "from lane (lane {} {}) within 32, bits of the mask {:#x} kept",
                if offset >> 10 & 1 != 0 { "-" } else { "+" },
                offset >> 5 & 31,
                offset & 31
            ),
            0x8000.. => format!(
                "within four lanes, from lane {}, {}, {}, {}",
                offset & 3,
                offset >> 2 & 3,
                offset >> 4 & 3,
                offset >> 6 & 3
            ),
            _ => format!(
                "from lane ((lane & {:#x}) | {:#x}) ^ {:#x} within 32",
                offset & 31,
                offset >> 5 & 31,
                offset >> 10 & 31
            ),
        };
        Explanation {
            formula,
            source: "Vega ISA 12.13.1",
            shared: vec![Term {
                name: "OFFSET".into(),
                value: offset.into(),
            }],
            notes: vec![NO_MEMORY.into()],
            lanes,
        }
    }

    /// `ds_permute_b32` (to the lane named) and `ds_bpermute_b32` (from it).
    pub(super) fn permute(&self) -> Explanation {
        let name = self.inst.mnemonic();
        let (offset, offset_term) = self.immediate(Field::Offset, "OFFSET");
        let count = self.wave().lanes() as u32;
        let ones = permute_group(self.inst.target(), count) - 1;
        let (index, data) = (self.register(Field::Addr), self.register(Field::Data0));
        let named = |lane: u32| {
            let index = index.map_or(0, |r| self.vector(r, 0, lane));
            lane & !ones | index.wrapping_add(offset as u32) >> 2 & ones
        };
        let value = |lane| data.map_or(0, |r| self.vector(r, 0, lane));
        let fetches = name.contains("bpermute");
        let reads_all = name.contains("_fi_");
        let lanes = self.lanes(|lane| {
            let terms = index.map(|r| Term {
                name: format!("index {}", register_name(r)),
                value: self.vector(r, 0, lane).into(),
            });
            let (from, why) = if fetches {
                let from = named(lane);
                let on = reads_all || self.is_on(from);
                (
                    on.then_some(from),
                    "the lane that it names is off and reads zero",
                )
            } else {
                let sender = (0..count).rfind(|&l| self.is_on(l) && named(l) == lane);
                (sender, "no lane sends to this one: zero")
            };
            let part = self.lane_part(from, why, from.map_or(0, value));
            (terms.into_iter().collect(), vec![part])
        });
        Explanation {
            formula: if fetches {
                format!("from lane (index + OFFSET) / 4 within {} lanes", ones + 1)
            } else {
                format!(
                    "each lane sends to lane (index + OFFSET) / 4 within {} lanes; of several the highest counts",
                    ones + 1
                )
            },
            source: "Vega ISA 12.13, RDNA 3 ISA 12.5.2, RDNA 4 ISA 12.5.2, CDNA 5 ISA 11.2.3",
            shared: vec![offset_term],
            notes: vec![NO_MEMORY.into()],
            lanes,
        }
    }

    /// `ds_append` and `ds_consume`.
    pub(super) fn append(&self) -> Explanation {
        let (offset, offset_term) = self.immediate(Field::Offset, "OFFSET");
        let mask = match self.scene.rules.generation {
            Generation::Cdna4 | Generation::Cdna5 => 0xf_ffff,
            _ => 0xffff,
        };
        // In GDS M0 is the window, which the offset counts in.
        let m0 = match self.gds_window() {
            Some(_) => 0,
            None => self.wave().sgpr[sreg::M0] & mask,
        };
        let at = m0.wrapping_add(offset as u32);
        let count = self.wave().exec().count_ones();
        let adds = self.inst.mnemonic() == "ds_append";
        let first = self.wave().exec().trailing_zeros();
        let lanes = self.lanes(|lane| {
            let access = lane == first;
            let parts = access.then(|| self.lds_parts(at.into(), &[]));
            (Vec::new(), parts.unwrap_or_default())
        });
        Explanation {
            formula: format!(
                "LDS offset = M0 + OFFSET; the dword there {} the number of active lanes, {count}, once",
                if adds { "grows by" } else { "shrinks by" }
            ),
            source: "Vega ISA 12.13, RDNA 3 ISA 16.15",
            shared: vec![
                Term {
                    name: "M0".into(),
                    value: m0.into(),
                },
                offset_term,
            ],
            notes: vec![format!(
                "lane {first} makes the access, and every active lane gets the value before"
            )],
            lanes,
        }
    }

    /// `lds_direct_load`, `ds_direct_load`: one value for the lanes of each quad of which any is on.
    pub(super) fn direct(&self) -> Explanation {
        let m0 = self.wave().sgpr[sreg::M0];
        let at = u64::from(m0 & 0xffff);
        let (bytes, what) = match m0 >> 16 & 7 {
            0 => (1, "an unsigned byte"),
            1 => (2, "an unsigned short"),
            4 => (1, "a signed byte"),
            5 => (2, "a signed short"),
            _ => (4, "a dword"),
        };
        let end = self.scene.lds.size().into();
        let exec = self.wave().exec();
        let quad = |lane: u32| exec >> (lane & !3) & 0xf != 0;
        let part = || Part {
            sum: at,
            place: if at + bytes <= end {
                Place::Lds { offset: at }
            } else {
                Place::Dropped {
                    why: "what lies outside the workgroup's LDS reads zero",
                }
            },
            checks: vec![Check::new(
                at + bytes <= end,
                format!("{at:#x} + {bytes} <= {end:#x}, the workgroup's LDS"),
            )],
            bytes: bytes as u32,
            content: None,
        };
        let lanes = (0..self.wave().lanes() as u32).map(|lane| LaneAccess {
            lane,
            active: quad(lane),
            terms: Vec::new(),
            parts: quad(lane).then(part).into_iter().collect(),
            result: Vec::new(),
            fault: None,
        });
        Explanation {
            formula: format!("LDS offset = M0[15:0]; M0[18:16] says that it is {what}"),
            source: "RDNA 3 ISA 12.4, RDNA 4 ISA 12.4",
            shared: vec![Term {
                name: "M0".into(),
                value: m0.into(),
            }],
            notes: vec!["all lanes of a quad of which any is on get the value".into()],
            lanes: lanes.collect(),
        }
    }

    /// LDS's forms with the lane's number.
    pub(super) fn addtid(&self) -> Explanation {
        let (offset, offset_term) = self.immediate(Field::Offset, "OFFSET");
        let m0 = self.wave().sgpr[sreg::M0];
        let rules = &self.scene.rules;
        let lanes = self.lanes(|lane| {
            let at = lds_addtid(rules, m0, offset as u16, lane);
            let terms = vec![Term {
                name: "lane * 4".into(),
                value: u64::from(lane) * 4,
            }];
            (terms, self.lds_parts(at.into(), &[]))
        });
        Explanation {
            formula: "LDS offset = M0 + OFFSET + lane * 4".into(),
            source: "RDNA 3 ISA 12.5, CDNA 5 ISA 11.2",
            shared: vec![
                Term {
                    name: "M0".into(),
                    value: m0.into(),
                },
                offset_term,
            ],
            notes: Vec::new(),
            lanes,
        }
    }
}

const NO_MEMORY: &str =
    "no memory is touched: LDS's crossbar moves the data, and LDS's counter counts it";
