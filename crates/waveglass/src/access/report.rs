//! What is told of one memory instruction.

use serde::Serialize;

/// What one instruction does.
#[derive(Clone, Debug, Serialize)]
pub struct AccessReport {
    /// The instruction's text.
    pub text: String,
    /// The target's name.
    pub target: &'static str,
    /// How the address comes about, in the manual's terms.
    pub formula: String,
    /// Where that is from.
    pub source: &'static str,
    /// What is the same for all lanes.
    pub shared: Vec<Term>,
    /// Rules that hold for the whole instruction.
    pub notes: Vec<String>,
    /// Whether one access is made for the whole wave: `lanes` then has one element, which is no lane.
    pub scalar: bool,
    /// The lanes.
    pub lanes: Vec<LaneAccess>,
    /// The counters that count it until it is done.
    pub counters: Vec<&'static str>,
    /// Scalar registers that it wrote, and their values.
    pub scalars: Vec<Term>,
    /// Memory violations of what acts for the whole wave; those of lanes stand with the lanes.
    pub violations: Vec<String>,
    /// Where the address that the formula gives is not what was accessed, or a violation that it expects
    /// was none: a defect of Waveglass. The lanes then show what was accessed.
    pub contradictions: Vec<String>,
}

/// A named value in an address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Term {
    /// What it is, with the register or field that it comes from.
    pub name: String,
    /// The value; a negative one in two's complement.
    pub value: u64,
}

/// What one lane does.
#[derive(Clone, Debug, Serialize)]
pub struct LaneAccess {
    /// The lane.
    pub lane: u32,
    /// Whether EXEC has it on; the rest is empty where not.
    pub active: bool,
    /// The lane's own terms.
    pub terms: Vec<Term>,
    /// The parts that it accesses: one, or two of an LDS operation with two addresses.
    pub parts: Vec<Part>,
    /// Its registers after the operation, where it returns something.
    pub result: Vec<u32>,
    /// The memory violation, in words.
    pub fault: Option<String>,
}

/// One contiguous access of a lane.
#[derive(Clone, Debug, Serialize)]
pub struct Part {
    /// The address that the terms add up to.
    pub sum: u64,
    /// Where it falls.
    pub place: Place,
    /// What was checked.
    pub checks: Vec<Check>,
    /// Bytes accessed.
    pub bytes: u32,
    /// What is there after the operation, where it is memory.
    pub content: Option<Vec<u8>>,
}

/// Where an access falls.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "space", rename_all = "snake_case")]
pub enum Place {
    /// Memory.
    Global {
        /// The address.
        address: u64,
        /// The mapped region there.
        region: Option<String>,
    },
    /// The workgroup's LDS.
    Lds {
        /// The byte offset.
        offset: u64,
    },
    /// The global data share.
    Gds {
        /// The byte address.
        address: u64,
    },
    /// The lane's scratch.
    Scratch {
        /// The private offset.
        offset: i64,
        /// Where the swizzle puts it in memory.
        address: u64,
    },
    /// Another lane's register.
    Lane {
        /// The lane.
        lane: u32,
    },
    /// No lane: zero.
    NoLane {
        /// Why.
        why: &'static str,
    },
    /// Nowhere: reads give zero, writes are dropped, no violation.
    Dropped {
        /// Why.
        why: &'static str,
    },
    /// Nowhere: a violation.
    Violation {
        /// Why.
        why: &'static str,
    },
}

/// A condition that hardware tests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    /// The condition with its operands.
    pub text: String,
    /// Whether it held.
    pub holds: bool,
}

impl Part {
    /// Whether the other part begins where this one ends, with the same outcome.
    pub(super) fn goes_on_in(&self, next: &Self) -> bool {
        let same = match (&self.place, &next.place) {
            (Place::Global { region: a, .. }, Place::Global { region: b, .. }) => a == b,
            (Place::Scratch { .. }, Place::Scratch { .. })
            | (Place::Lds { .. }, Place::Lds { .. })
            | (Place::Gds { .. }, Place::Gds { .. }) => true,
            (a, b) => a == b,
        };
        same && next.sum == self.sum.wrapping_add(self.bytes.into())
    }

    pub(super) fn join(&mut self, next: Self) {
        self.bytes += next.bytes;
        for check in next.checks {
            if !self.checks.contains(&check) {
                self.checks.push(check);
            }
        }
    }
}

impl Check {
    pub(super) fn new(holds: bool, text: String) -> Self {
        Self { text, holds }
    }
}
