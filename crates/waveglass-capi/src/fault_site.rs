//! Memory violations of the last run, gathered by instruction.

use std::ffi::c_char;

use waveglass::exec::FaultSite as Found;
use waveglass::host::HostReport;
use waveglass::mem;

use crate::context::Context;
use crate::pointer;
use crate::report::{Access, FaultKind, Space, field};
use crate::status::{Failure, Status, call, value};

/// On which side of a region an access lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub enum Side {
    /// There is no region to compare with.
    None = 0,
    /// Wholly before it.
    Before = 1,
    /// Begins before it and reaches into it.
    AcrossStart = 2,
    /// Within it.
    Inside = 3,
    /// Begins within it and reaches past its end.
    AcrossEnd = 4,
    /// Wholly past its end.
    After = 5,
}

impl Side {
    pub(crate) fn of(region: Option<&mem::Nearest>) -> Self {
        match region.map(|r| r.side) {
            None => Self::None,
            Some(mem::Side::Before) => Self::Before,
            Some(mem::Side::AcrossStart) => Self::AcrossStart,
            Some(mem::Side::Inside) => Self::Inside,
            Some(mem::Side::AcrossEnd) => Self::AcrossEnd,
            Some(mem::Side::After) => Self::After,
        }
    }
}

/// All memory violations of one kind that one instruction has met.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct FaultSite {
    /// What was wrong.
    pub kind: FaultKind,
    /// What the lanes were doing.
    pub access: Access,
    /// In which address space.
    pub space: Space,
    /// On which side of the region the accesses lie.
    pub side: Side,
    /// How many accesses of lanes were violations.
    pub count: u64,
    /// How many workgroups met them.
    pub workgroup_count: u64,
    /// How many waves met them.
    pub wave_count: u64,
    /// The first of the workgroups, in the order of ids.
    pub first_workgroup: [u32; 3],
    /// The last.
    pub last_workgroup: [u32; 3],
    /// The waves' numbers in their workgroups, a bit each.
    pub waves: u64,
    /// The lanes, a bit each.
    pub lanes: u64,
    /// The lowest address: an offset in LDS and scratch (there a signed one), else a host address.
    pub lowest_address: u64,
    /// The highest address.
    pub highest_address: u64,
    /// The host address of the instruction.
    pub pc: u64,
    /// The instruction's offset from the start of the code, or from the code object's load address.
    pub code_offset: u64,
    /// The region that was missed: its start. Of several, the one that was missed most.
    pub region_start: u64,
    /// Its size; 0 if there is none.
    pub region_size: u64,
    /// How far outside the nearest access is, in bytes. Before and across the start: how far its first
    /// byte lies below the region. After: how far its first byte lies from the end, 0 right behind it.
    /// Across the end: how many of its bytes are past the end.
    pub distance: u64,
    /// The same of the farthest access.
    pub farthest: u64,
    /// How many of the violations are on this side of this region.
    pub region_count: u64,
    /// The number of the first violation that has details, for waveglass_context_fault.
    pub first_fault: u64,
    /// How many have; they follow each other.
    pub fault_count: u64,
    /// The line of the source; 0 if there is no debug information.
    pub line: u32,
    /// The column; 0 if it is not known.
    pub column: u32,
    /// The source file, cut at its front to fit.
    pub file: [c_char; 256],
    /// The name of the region, cut to fit.
    pub region_name: [c_char; 64],
    /// The kernel, cut to fit; empty of a raw dispatch.
    pub kernel: [c_char; 64],
    /// The instruction as assembly, cut to fit.
    pub instruction: [c_char; 128],
}

/// How many instructions have met memory violations in the last run; one that met several kinds counts for
/// each. All of them are here, however many violations there were.
///
/// # Safety
///
/// `context` is null or a context.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waveglass_context_fault_site_count(context: *mut Context) -> usize {
    value(0, || {
        // SAFETY: as the caller vouches.
        let context = unsafe { pointer::read(context, "context") }.ok()?;
        let state = context.lock();
        Some(state.last.as_ref()?.outcome.faults.len())
    })
}

/// Gives the memory violations of an instruction by its number, from 0 to
/// waveglass_context_fault_site_count - 1; the first to be met is number 0.
///
/// `size` is sizeof(waveglass_fault_site).
///
/// # Safety
///
/// `context` is null or a context; `site` is null or points to `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waveglass_context_fault_site(
    context: *mut Context,
    index: usize,
    site: *mut FaultSite,
    size: usize,
) -> Status {
    call(|| {
        // SAFETY: as the caller vouches.
        let context = unsafe { pointer::read(context, "context")? };
        pointer::check(site, "site")?;
        let state = context.lock();
        let found = state.last.as_ref().and_then(|report| {
            let found = report.outcome.faults.get(index)?;
            Some(structure(found, report, index))
        });
        let value = found.ok_or_else(|| {
            Failure::argument(format!("there is no instruction {index} with violations"))
        })?;
        // SAFETY: as above; the fields lie without gaps.
        unsafe { pointer::write_sized(site, size, &value, "site") }
    })
}

fn structure(found: &Found, report: &HostReport, index: usize) -> FaultSite {
    let region = found.regions.first();
    let nearest = region.map(|r| &r.nearest);
    let entry = report.fault_entry(index);
    let source = entry.as_ref().and_then(|e| e.source.as_ref());
    let before = report.outcome.faults.iter().take(index);
    FaultSite {
        kind: found.kind.into(),
        access: found.access.into(),
        space: found.space.into(),
        side: Side::of(nearest),
        count: found.count,
        workgroup_count: found.group_count,
        wave_count: found.wave_count,
        first_workgroup: found.groups[0],
        last_workgroup: found.groups[1],
        waves: found.waves,
        lanes: found.lanes,
        lowest_address: found.addresses[0],
        highest_address: found.addresses[1],
        pc: found.address,
        code_offset: found.address.wrapping_sub(report.load_address),
        region_start: nearest.map_or(0, |n| n.base),
        region_size: nearest.map_or(0, |n| n.size),
        distance: nearest.map_or(0, |n| n.distance),
        farthest: region.map_or(0, |r| r.farthest),
        region_count: region.map_or(0, |r| r.count),
        first_fault: before.map(|s| s.details.len() as u64).sum(),
        fault_count: found.details.len() as u64,
        line: source.map_or(0, |s| s.line),
        column: source.and_then(|s| s.column).unwrap_or(0),
        file: field(source.map_or("", |s| tail(&s.file, 255))),
        region_name: field(nearest.map_or("", |n| &n.name)),
        kernel: field(entry.as_ref().map_or("", |e| &e.kernel)),
        instruction: field(entry.as_ref().map_or("", |e| &e.instruction)),
    }
}

/// The end of a text, as much as fits `bytes` bytes.
fn tail(text: &str, bytes: usize) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(bytes))..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_keep_their_end() {
        assert_eq!(tail("a/b.cl", 255), "a/b.cl");
        assert_eq!(tail("a/b.cl", 4), "b.cl");
        assert_eq!(tail("éb", 2), "b");
    }
}
