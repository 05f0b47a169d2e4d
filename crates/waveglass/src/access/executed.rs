//! What the executor did, against which the explanation is held: two computations of one thing, of which the
//! executor's is shown where they differ.

use super::{Explanation, LaneAccess, Part, Place, Scene};
use crate::mem::{Fault, FaultKind, Space, Touch};
use std::collections::BTreeSet;

/// What came of running the instruction.
pub(super) struct Executed {
    pub(super) faults: Vec<Fault>,
    pub(super) touched: Vec<Touch>,
    /// The wave waits at the instruction.
    pub(super) waits: bool,
}

/// What a byte is part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Share {
    Memory,
    Lds,
    Gds,
}

/// Bytes by where they lie.
type Bytes = BTreeSet<(Share, u64)>;

impl Executed {
    /// The bytes that a lane touched; `window` is where M0's window of GDS begins.
    fn of_lane(&self, lane: u32, window: u64) -> Bytes {
        let mut bytes = Bytes::new();
        for t in self.touched.iter().filter(|t| u32::from(t.lane) == lane) {
            let (share, first) = match t.space {
                Space::Lds => (Share::Lds, t.address),
                Space::Gds => (Share::Gds, t.address.wrapping_add(window)),
                _ => (Share::Memory, t.address),
            };
            bytes.extend((0..u64::from(t.bytes)).map(|i| (share, first.wrapping_add(i))));
        }
        bytes
    }
}

impl Scene {
    /// Where `explanation` differs from what was executed. Lanes of which it was wrong show what they did.
    pub(super) fn compare(
        &self,
        name: &str,
        explanation: &mut Explanation,
        executed: &Executed,
        window: u64,
    ) -> Vec<String> {
        // Counters and turns of GDS are no accesses of a lane, and a wave that waits makes none.
        let apart = name.starts_with("ds_ordered") || name.starts_with("ds_gws");
        let apart = apart || name.contains("_gs_reg") || name.ends_with("_direct_load");
        if apart || executed.waits {
            return Vec::new();
        }
        let mut contradictions = Vec::new();
        for lane in &mut explanation.lanes {
            let touched = executed.of_lane(lane.lane, window);
            if name.starts_with("ds_bvh_stack") {
                // How many entries it touches depends on what they hold.
                lane.parts = self.parts(&touched);
                continue;
            }
            let mut faults = executed
                .faults
                .iter()
                .filter(|f| u32::from(f.lane) == lane.lane);
            // What was read of a wide monitored load in scratch reaches no register.
            let unread = faults.clone().any(|f| f.kind == FaultKind::ScratchAtomic);
            let fault = faults.next();
            let shown = self.shown(lane);
            let expects = lane
                .parts
                .iter()
                .any(|p| matches!(p.place, Place::Violation { .. }));
            if shown == touched || unread && shown.is_empty() {
                if expects == fault.is_some() {
                    continue;
                }
                contradictions.push(match fault {
                    Some(fault) => {
                        format!("lane {}: the checks allow it, and yet: {fault}", lane.lane)
                    }
                    None => format!("lane {}: a check forbids it, and yet it is done", lane.lane),
                });
                continue;
            }
            contradictions.push(format!(
                "lane {}: the formula leads to {}, and the access was of {}",
                lane.lane,
                in_words(&shown),
                in_words(&touched)
            ));
            lane.active |= !touched.is_empty();
            lane.parts = self.parts(&touched);
        }
        contradictions
    }

    /// The bytes that a lane's parts say.
    fn shown(&self, lane: &LaneAccess) -> Bytes {
        let mut bytes = Bytes::new();
        for part in &lane.parts {
            for i in 0..u64::from(part.bytes) {
                bytes.extend(match part.place {
                    Place::Global { address, .. } => Some((Share::Memory, address.wrapping_add(i))),
                    Place::Lds { offset } => Some((Share::Lds, offset.wrapping_add(i))),
                    Place::Gds { address } => Some((Share::Gds, address.wrapping_add(i))),
                    Place::Scratch { offset, .. } => {
                        let at = self
                            .window()
                            .address((offset as u64).wrapping_add(i), lane.lane);
                        Some((Share::Memory, at))
                    }
                    _ => None,
                });
            }
        }
        bytes
    }

    /// Parts of the bytes that were touched.
    fn parts(&self, bytes: &Bytes) -> Vec<Part> {
        runs(bytes)
            .into_iter()
            .map(|(share, first, count)| Part {
                sum: first,
                place: match share {
                    Share::Memory => Place::Global {
                        address: first,
                        region: self.memory.region_at(first).map(|r| r.name.to_string()),
                    },
                    Share::Lds => Place::Lds { offset: first },
                    Share::Gds => Place::Gds { address: first },
                },
                checks: Vec::new(),
                bytes: count,
                content: None,
            })
            .collect()
    }
}

/// Bytes that follow each other, with how many they are.
fn runs(bytes: &Bytes) -> Vec<(Share, u64, u32)> {
    let mut runs: Vec<(Share, u64, u32)> = Vec::new();
    for &(share, at) in bytes {
        match runs.last_mut() {
            Some((s, first, n)) if *s == share && first.wrapping_add((*n).into()) == at => *n += 1,
            _ => runs.push((share, at, 1)),
        }
    }
    runs
}

fn in_words(bytes: &Bytes) -> String {
    let each: Vec<String> = runs(bytes)
        .into_iter()
        .map(|(share, first, count)| {
            let share = match share {
                Share::Memory => "memory",
                Share::Lds => "LDS",
                Share::Gds => "GDS",
            };
            format!("{count} bytes of {share} at {first:#x}")
        })
        .collect();
    match each.as_slice() {
        [] => "nothing".to_owned(),
        some => some.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::Target;
    use crate::mem::Access;

    /// Lane 1 is said to access four bytes at a place.
    fn explained(place: Place) -> Explanation {
        let part = Part {
            sum: 0,
            place,
            checks: Vec::new(),
            bytes: 4,
            content: None,
        };
        let lane = LaneAccess {
            lane: 1,
            active: true,
            terms: Vec::new(),
            parts: vec![part],
            result: Vec::new(),
            fault: None,
        };
        Explanation {
            formula: String::new(),
            source: "",
            shared: Vec::new(),
            notes: Vec::new(),
            lanes: vec![lane],
        }
    }

    fn touch(lane: u8, address: u64) -> Touch {
        Touch {
            lane,
            space: Space::Lds,
            address,
            bytes: 4,
            access: Access::Load,
        }
    }

    fn compare(place: Place, touched: Vec<Touch>, faults: Vec<Fault>) -> (Vec<String>, Vec<Part>) {
        let scene = Scene::new(Target::Gfx900, 64, 64, 0).unwrap();
        let mut explanation = explained(place);
        let executed = Executed {
            faults,
            touched,
            waits: false,
        };
        let said = scene.compare("ds_read_b32", &mut explanation, &executed, 0);
        (said, explanation.lanes.remove(0).parts)
    }

    #[test]
    fn another_address_another_lane_and_another_outcome_are_contradictions() {
        let at = |offset| Place::Lds { offset };
        let (said, _) = compare(at(8), vec![touch(1, 8)], Vec::new());
        assert!(said.is_empty(), "{said:?}");
        // The access of another address is what is shown then.
        let (said, parts) = compare(at(8), vec![touch(1, 12)], Vec::new());
        assert_eq!(
            said,
            [
                "lane 1: the formula leads to 4 bytes of LDS at 0x8, and the access was of 4 bytes of LDS at 0xc"
            ]
        );
        assert_eq!((&parts[0].place, parts[0].bytes), (&at(12), 4));
        let (said, parts) = compare(at(8), vec![touch(0, 8)], Vec::new());
        assert!(
            said[0].ends_with("of nothing") && parts.is_empty(),
            "{said:?}"
        );
        let why = "outside the workgroup's LDS";
        let (said, _) = compare(Place::Violation { why }, Vec::new(), Vec::new());
        assert!(said[0].contains("a check forbids it"), "{said:?}");
        let fault = Fault {
            kind: FaultKind::LdsRange,
            access: Access::Load,
            space: Space::Lds,
            lane: 1,
            address: 64,
            size: 4,
            nearest: None,
            limit: Some(64),
        };
        let (said, _) = compare(Place::Violation { why }, Vec::new(), vec![fault.clone()]);
        assert!(said.is_empty(), "{said:?}");
        let (said, _) = compare(Place::Dropped { why }, Vec::new(), vec![fault]);
        assert!(said[0].contains("the checks allow it"), "{said:?}");
    }
}
