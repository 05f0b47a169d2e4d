//! Counters and memory violations of the last run.

use std::ffi::c_char;

use waveglass::exec::{Family as F, Outcome, WaveFault};
use waveglass::mem;

use crate::context::Context;
use crate::fault_site::Side;
use crate::pointer;
use crate::status::{Failure, Status, call, value};

/// What the last run of a context executed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Counters {
    /// Workgroups.
    pub workgroups: u64,
    /// Waves.
    pub waves: u64,
    /// Instructions of all waves.
    pub instructions: u64,
    /// Active lanes, summed over vector instructions.
    pub lane_operations: u64,
    /// Instructions: scalar ALU.
    pub scalar_alu: u64,
    /// Instructions: vector ALU.
    pub vector_alu: u64,
    /// Instructions: scalar memory.
    pub scalar_memory: u64,
    /// Instructions: vector memory.
    pub vector_memory: u64,
    /// Instructions: LDS.
    pub lds: u64,
    /// Instructions: branches.
    pub branches: u64,
    /// Instructions: matrix.
    pub matrix: u64,
    /// Instructions: all others.
    pub other: u64,
    /// Bytes read from global memory.
    pub global_read: u64,
    /// Bytes written to global memory.
    pub global_written: u64,
    /// Bytes read from LDS.
    pub lds_read: u64,
    /// Bytes written to LDS.
    pub lds_written: u64,
    /// Bytes read from scratch.
    pub scratch_read: u64,
    /// Bytes written to scratch.
    pub scratch_written: u64,
    /// Memory violations, those without details included.
    pub violations: u64,
    /// Wall time in nanoseconds.
    pub nanoseconds: u64,
}

/// What was wrong with an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub enum FaultKind {
    /// No memory is registered at the address.
    Unmapped = 0,
    /// The address is in the hole of the flat address space.
    Hole = 1,
    /// A store or atomic to memory that is registered read-only.
    ReadOnly = 2,
    /// The address is misaligned.
    Misaligned = 3,
    /// The address is outside the workgroup's LDS.
    LdsRange = 4,
    /// The offset is outside the lane's scratch.
    ScratchRange = 5,
    /// A global access to the LDS aperture.
    LdsAperture = 6,
    /// A 64-bit atomic on scratch through a flat address.
    ScratchAtomic = 7,
    /// A negative immediate offset of a scalar buffer access.
    NegativeOffset = 8,
    /// The address is past the limit of LDS in M0.
    M0Range = 9,
}

/// What the lane was doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub enum Access {
    /// A read.
    Load = 0,
    /// A write.
    Store = 1,
    /// Both in one.
    Atomic = 2,
}

/// The address space of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub enum Space {
    /// Memory at 64-bit addresses.
    Global = 0,
    /// The workgroup's local data share.
    Lds = 1,
    /// The lane's own memory.
    Scratch = 2,
    /// A flat address that resolved to none of the others.
    Flat = 3,
    /// Memory through a buffer descriptor.
    Buffer = 4,
    /// Memory read by scalar instructions.
    Scalar = 5,
    /// The global data share of all waves.
    Gds = 6,
}

/// A memory violation of one lane.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Fault {
    /// What was wrong.
    pub kind: FaultKind,
    /// What the lane was doing.
    pub access: Access,
    /// In which address space.
    pub space: Space,
    /// The lane; 0 for scalar accesses.
    pub lane: u32,
    /// The wave's number in its workgroup.
    pub wave: u32,
    /// The workgroup.
    pub workgroup: [u32; 3],
    /// Bytes that the lane wanted.
    pub bytes: u32,
    /// Must be ignored.
    pub reserved: u32,
    /// The address: an offset in LDS and scratch, else a host address.
    pub address: u64,
    /// The host address of the instruction.
    pub pc: u64,
    /// The instruction's offset from the start of the code, or from the code object's load address.
    pub code_offset: u64,
    /// The size of the space that was overrun (LDS, scratch); else 0.
    pub limit: u64,
    /// The nearest memory that programs may touch: its start.
    pub nearest_start: u64,
    /// Its size; 0 if there is none.
    pub nearest_size: u64,
    /// How many bytes the access begins before it (negative), or how many bytes behind its end the access
    /// ends (positive: of 4 bytes right behind the end, 4); 0 inside. See distance.
    pub nearest_distance: i64,
    /// The name under which it was registered, cut to fit.
    pub nearest_name: [c_char; 64],
    /// The instruction's mnemonic, cut to fit.
    pub mnemonic: [c_char; 64],
    /// On which side of the nearest memory, or of the LDS or scratch that was overrun, the access lies.
    pub side: Side,
    /// Must be ignored.
    pub reserved2: u32,
    /// How far outside the access is, in bytes. Before and across the start: how far its first byte lies
    /// below. After: how far its first byte lies from the end, 0 right behind it. Across the end: how many
    /// of its bytes are past the end.
    pub distance: u64,
}

/// Gives the counters of the context's last run.
///
/// `size` is sizeof(waveglass_counters). The counters are zero if the last run could not start.
///
/// # Safety
///
/// `context` is null or a context; `counters` is null or points to `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waveglass_context_counters(
    context: *mut Context,
    counters: *mut Counters,
    size: usize,
) -> Status {
    call(|| {
        // SAFETY: as the caller vouches.
        let context = unsafe { pointer::read(context, "context")? };
        pointer::check(counters, "counters")?;
        let state = context.lock();
        let value = state.last.as_ref().map(|report| {
            let outcome = &report.outcome;
            let s = &outcome.stats;
            let family = |f: F| s.by_family[f as usize];
            Counters {
                workgroups: s.groups,
                waves: s.waves,
                instructions: s.instructions,
                lane_operations: s.lane_operations,
                scalar_alu: family(F::Salu),
                vector_alu: family(F::Valu),
                scalar_memory: family(F::Smem),
                vector_memory: family(F::Vmem),
                lds: family(F::Lds),
                branches: family(F::Branch),
                matrix: family(F::Matrix),
                other: family(F::Other),
                global_read: s.read.global,
                global_written: s.written.global,
                lds_read: s.read.lds,
                lds_written: s.written.lds,
                scratch_read: s.read.scratch,
                scratch_written: s.written.scratch,
                violations: outcome.fault_count,
                nanoseconds: report.time.as_nanos() as u64,
            }
        });
        // SAFETY: as above; the fields are 64-bit numbers without gaps.
        unsafe { pointer::write_sized(counters, size, &value.unwrap_or_default(), "counters") }
    })
}

/// How many memory violations of the last run have details.
///
/// # Safety
///
/// `context` is null or a context.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waveglass_context_fault_count(context: *mut Context) -> usize {
    value(0, || {
        // SAFETY: as the caller vouches.
        let context = unsafe { pointer::read(context, "context") }.ok()?;
        let state = context.lock();
        Some(details(&state.last.as_ref()?.outcome).count())
    })
}

/// Gives a memory violation of the last run by its number, from 0 to waveglass_context_fault_count - 1.
///
/// `size` is sizeof(waveglass_fault).
///
/// # Safety
///
/// `context` is null or a context; `fault` is null or points to `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waveglass_context_fault(
    context: *mut Context,
    index: usize,
    fault: *mut Fault,
    size: usize,
) -> Status {
    call(|| {
        // SAFETY: as the caller vouches.
        let context = unsafe { pointer::read(context, "context")? };
        pointer::check(fault, "fault")?;
        let state = context.lock();
        let report = state.last.as_ref().ok_or_else(|| no_fault(index))?;
        let found = details(&report.outcome).nth(index);
        let value = found
            .map(|f| structure(f, report.load_address))
            .ok_or_else(|| no_fault(index))?;
        // SAFETY: as above; the fields lie without gaps.
        unsafe { pointer::write_sized(fault, size, &value, "fault") }
    })
}

/// Writes a memory violation as a sentence to `text`, cut to `size` bytes with the NUL at the end. Gives
/// the length of the whole sentence without the NUL; 0 if there is no such violation.
///
/// # Safety
///
/// `context` is null or a context; `text` is null or points to `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waveglass_context_fault_text(
    context: *mut Context,
    index: usize,
    text: *mut c_char,
    size: usize,
) -> usize {
    value(0, || {
        // SAFETY: as the caller vouches.
        let context = unsafe { pointer::read(context, "context") }.ok()?;
        let state = context.lock();
        let f = details(&state.last.as_ref()?.outcome).nth(index)?;
        let [x, y, z] = f.group;
        let sentence = format!(
            "{} (wave {} of workgroup {x}, {y}, {z}, {} at {:#x})",
            f.fault, f.wave, f.mnemonic, f.address
        );
        if !text.is_null() && size > 0 {
            let bytes = cut(&sentence, size - 1).as_bytes();
            // SAFETY: as above.
            unsafe {
                let to = text.cast::<u8>();
                to.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
                to.add(bytes.len()).write(0);
            }
        }
        Some(sentence.len())
    })
}

fn no_fault(index: usize) -> Failure {
    Failure::argument(format!("there is no memory violation {index}"))
}

/// The memory violations that have details, instruction by instruction.
pub(crate) fn details(outcome: &Outcome) -> impl Iterator<Item = &WaveFault> {
    outcome.faults.iter().flat_map(|site| &site.details)
}

fn structure(f: &WaveFault, load_address: u64) -> Fault {
    let nearest = f.fault.nearest.as_ref();
    let region = f.fault.region();
    Fault {
        kind: f.fault.kind.into(),
        access: f.fault.access.into(),
        space: f.fault.space.into(),
        lane: f.fault.lane.into(),
        wave: f.wave,
        workgroup: f.group,
        bytes: f.fault.size,
        reserved: 0,
        address: f.fault.address,
        pc: f.address,
        code_offset: f.address.wrapping_sub(load_address),
        limit: f.fault.limit.unwrap_or(0),
        nearest_start: nearest.map_or(0, |n| n.base),
        nearest_size: nearest.map_or(0, |n| n.size),
        nearest_distance: nearest.map_or(0, |n| reach(n, f.fault.size)),
        nearest_name: field(nearest.map_or("", |n| &n.name)),
        mnemonic: field(f.mnemonic),
        side: Side::of(region.as_ref()),
        reserved2: 0,
        distance: region.as_ref().map_or(0, |r| r.distance),
    }
}

/// How far an access of `bytes` bytes begins before a region (negative) or reaches past its end.
fn reach(n: &mem::Nearest, bytes: u32) -> i64 {
    let distance = i128::from(n.distance);
    let reach = match n.side {
        mem::Side::Before | mem::Side::AcrossStart => -distance,
        mem::Side::Inside => 0,
        mem::Side::AcrossEnd => distance,
        mem::Side::After => distance + i128::from(bytes),
    };
    reach.clamp(i64::MIN.into(), i64::MAX.into()) as i64
}

macro_rules! same_names {
    ($type:ident: $($name:ident)*) => {
        impl From<mem::$type> for $type {
            fn from(from: mem::$type) -> Self {
                match from {
                    $(mem::$type::$name => Self::$name,)*
                }
            }
        }
    };
}

same_names!(FaultKind: Unmapped Hole ReadOnly Misaligned LdsRange ScratchRange LdsAperture ScratchAtomic
    NegativeOffset M0Range);
same_names!(Access: Load Store Atomic);
same_names!(Space: Global Lds Gds Scratch Flat Buffer Scalar);

/// The text with NULs behind it.
pub(crate) fn field<const N: usize>(text: &str) -> [c_char; N] {
    let mut out = [0; N];
    for (to, from) in out.iter_mut().zip(cut(text, N - 1).bytes()) {
        *to = from as c_char;
    }
    out
}

/// As much of a text as fits `bytes` bytes.
fn cut(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_between_characters() {
        assert_eq!(cut("aé", 3), "aé");
        assert_eq!(cut("aé", 2), "a");
        let long: [c_char; 64] = field(&"x".repeat(80));
        assert_eq!(long[62..], [b'x' as c_char, 0]);
    }
}
