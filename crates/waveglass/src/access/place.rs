//! Where an access falls once its address is known: alignment, mapped memory, the cut into dwords.

use super::{Check, Kind, Part, Place, Subject};
use crate::mem::{AlignmentMode, Generation, Permission};

/// Why an access of no region is a violation.
pub(super) const UNMAPPED: &str = "no memory is mapped there";

/// Why a misaligned access touches nothing.
pub(super) const MISALIGNED: &str = "misaligned";

fn mode_name(mode: AlignmentMode) -> &'static str {
    match mode {
        AlignmentMode::Dword => "DWORD",
        AlignmentMode::DwordStrict => "DWORD_STRICT",
        AlignmentMode::Strict => "STRICT",
        AlignmentMode::Unaligned => "UNALIGNED",
    }
}

impl Subject<'_> {
    /// The same access with so many bytes.
    pub(super) fn of_bytes(&self, bytes: u32) -> Subject<'_> {
        Subject { bytes, ..*self }
    }

    /// The same access of another kind.
    pub(super) fn of_kind(&self, kind: Kind) -> Subject<'_> {
        Subject { kind, ..*self }
    }

    /// The address that is used under the alignment rule, `None` where there is a violation instead.
    ///
    /// Atomics and monitored loads must be aligned to their size in every mode (RDNA 3 ISA 3.3.4.1, CDNA 5 ISA
    /// 10.10), which the DWORD mode brings about outside LDS (RDNA 4 ISA 9.5).
    pub(super) fn aligned(&self, at: u64, lds: bool, checks: &mut Vec<Check>) -> Option<u64> {
        self.aligned_in(self.scene.rules.alignment, at, lds, checks)
    }

    /// [`Self::aligned`] in an alignment mode.
    pub(super) fn aligned_in(
        &self,
        mode: AlignmentMode,
        at: u64,
        lds: bool,
        checks: &mut Vec<Check>,
    ) -> Option<u64> {
        let bytes = u64::from(self.bytes);
        let native = if bytes == 12 { 16 } else { bytes };
        let natural = matches!(self.kind, Kind::Atomic | Kind::Monitor);
        if mode == AlignmentMode::Unaligned && !natural {
            return Some(at);
        }
        let dword = bytes.min(4);
        // "MEMVIOL" for misaligned atomics in every mode (RDNA 3 ISA 9.5), of which RDNA 4's 9.5 takes this one out.
        let forced = !matches!(
            self.scene.rules.generation,
            Generation::Rdna3 | Generation::Rdna3_5
        );
        // What must hold, and what the address is cut to.
        let (need, grain) = match (self.kind, mode) {
            (Kind::Atomic, AlignmentMode::Dword) if !lds && forced => (1, bytes),
            (Kind::Atomic | Kind::Monitor, _) => (bytes, bytes),
            (_, AlignmentMode::Dword) => (1, if lds { native } else { dword }),
            (_, AlignmentMode::DwordStrict) => (dword, if lds { native } else { 1 }),
            _ if lds => (native, native),
            _ if bytes.is_power_of_two() => (bytes, 1),
            _ => (dword, 1),
        };
        let holds = at.is_multiple_of(need);
        if need > 1 || natural {
            let asked = if natural {
                String::new()
            } else {
                format!(", as the alignment mode {} asks", mode_name(mode))
            };
            let need = need.max(if natural { bytes } else { 1 });
            let is = at.is_multiple_of(need);
            checks.push(Check::new(
                is,
                format!("{at:#x} is a multiple of {need}{asked}"),
            ));
        }
        let cut = at & !(grain - 1);
        if holds && cut != at {
            checks.push(Check::new(
                true,
                format!(
                    "the alignment mode {} makes {at:#x} {cut:#x}, a multiple of {grain}",
                    mode_name(mode)
                ),
            ));
        }
        holds.then_some(cut)
    }

    /// A part that touches nothing and is a violation.
    pub(super) fn violation(&self, sum: u64, checks: Vec<Check>, why: &'static str) -> Part {
        Part {
            sum,
            place: Place::Violation { why },
            checks,
            bytes: self.bytes,
            content: None,
        }
    }

    /// A part in memory at an address.
    pub(super) fn in_memory(&self, sum: u64, mut checks: Vec<Check>) -> Vec<Part> {
        match self.aligned(sum, false, &mut checks) {
            Some(at) => self
                .dword_by_dword(|s, extra| s.global_part(at.wrapping_add(extra), checks.clone())),
            None => vec![self.violation(sum, checks, MISALIGNED)],
        }
    }

    /// An access whose dwords are checked alone: one part if all of it is fine, else dword by dword.
    pub(super) fn dword_by_dword(&self, part: impl Fn(&Subject<'_>, u64) -> Part) -> Vec<Part> {
        let whole = part(self, 0);
        let fine = !matches!(whole.place, Place::Violation { .. } | Place::Dropped { .. });
        if fine || self.bytes <= 4 || self.kind == Kind::Atomic {
            return vec![whole];
        }
        let mut parts: Vec<Part> = Vec::new();
        for at in (0..self.bytes).step_by(4) {
            let next = part(&self.of_bytes(4), at.into());
            match parts.last_mut() {
                Some(last) if last.goes_on_in(&next) => last.join(next),
                _ => parts.push(next),
            }
        }
        parts
    }

    /// An access of memory, with the checks that it is there and may be written.
    pub(super) fn global_part(&self, sum: u64, mut checks: Vec<Check>) -> Part {
        let memory = &self.scene.memory;
        let end = u128::from(sum) + u128::from(self.bytes);
        let (mut regions, mut at) = (Vec::new(), u128::from(sum));
        while at < end {
            let Some(region) = u64::try_from(at).ok().and_then(|at| memory.region_at(at)) else {
                break;
            };
            at = u128::from(region.base) + u128::from(region.size);
            regions.push(region);
        }
        let inside = at >= end;
        let names: Vec<&str> = regions.iter().map(|r| &*r.name).collect();
        let names = names.join(" and ");
        checks.push(match regions.len() {
            0 => Check::new(false, format!("a region is mapped at {sum:#x}")),
            _ => Check::new(
                inside,
                format!("{sum:#x} + {} <= {at:#x}, the end of {names}", self.bytes),
            ),
        });
        let writes = matches!(self.kind, Kind::Store | Kind::Atomic);
        let writable = regions
            .iter()
            .all(|r| r.permission == Permission::ReadWrite);
        if inside && writes {
            checks.push(Check::new(writable, format!("{names} may be written")));
        }
        let place = if !inside {
            Place::Violation { why: UNMAPPED }
        } else if writes && !writable {
            Place::Violation {
                why: "the memory there is read-only",
            }
        } else {
            Place::Global {
                address: sum,
                region: Some(names),
            }
        };
        Part {
            sum,
            place,
            checks,
            bytes: self.bytes,
            content: None,
        }
    }
}
