//! Machine code as a command processor starts it.

use std::ffi::c_void;

use waveglass::host::{RawDispatch, Rsrc, ScratchPlace};

use crate::context::{Context, State};
use crate::pointer;
use crate::status::{Failure, Status, call};

/// Machine code and the register values with which a command processor would start it.
/// waveglass_dispatch_init fills in what most programs need.
///
/// Waves start at the first byte of the code. SGPRs 0 and on hold the user SGPRs, as many as
/// RSRC2.USER_SGPR says; the workgroup ids that RSRC2 asks for follow (on gfx12 they are in TTMP9 and
/// TTMP7, and the wave's number in TTMP8), then the workgroup info, then, on targets before gfx942 and gfx11, the wave's scratch offset if
/// RSRC2.SCRATCH_EN is set. VGPR 0 holds the work-item ids, ten bits each, on gfx90a and later of gfx9 and
/// on gfx11 and later; VGPRs 0 to 2 hold them on the others, as many as RSRC2.TIDIG_COMP_CNT says. All
/// else is zero.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Dispatch {
    /// sizeof(waveglass_dispatch).
    pub size: usize,
    /// The machine code. Programs may read it; it need not be registered.
    pub code: *const c_void,
    /// Its size in bytes.
    pub code_size: usize,
    /// Workgroups in each dimension.
    pub workgroups: [u32; 3],
    /// Work-items of a workgroup in each dimension; 1024 at most in all.
    pub workgroup_size: [u32; 3],
    /// Lanes in a wave: 32, 64, or 0 for the target's usual number.
    pub wave_size: u32,
    /// COMPUTE_PGM_RSRC1: number of VGPRs, MODE.
    pub rsrc1: u32,
    /// COMPUTE_PGM_RSRC2: user SGPRs, workgroup ids, work-item ids, LDS, scratch.
    pub rsrc2: u32,
    /// COMPUTE_PGM_RSRC3: where AGPRs begin (gfx90a, gfx942, gfx950); zero on gfx900, gfx906, gfx908.
    pub rsrc3: u32,
    /// The kernarg segment, which must be registered. If `user_sgprs` is null, its address is the value of
    /// user SGPRs 0 and 1; otherwise it has no effect.
    pub kernarg: *const c_void,
    /// The values of COMPUTE_USER_DATA, or null. Values past RSRC2.USER_SGPR are not loaded, missing ones
    /// are zero.
    pub user_sgprs: *const u32,
    /// How many there are.
    pub user_sgpr_count: u32,
    /// Scratch bytes of a lane.
    pub scratch_bytes: u32,
    /// Memory for scratch, or null to have it allocated for the run. It must be registered, and start at
    /// a multiple of 256. Targets before gfx942 and gfx11 find scratch through addresses in user SGPRs,
    /// so that their callers must know where it is.
    pub scratch: *mut c_void,
    /// Its size in bytes; waveglass_dispatch_scratch_size says how much it takes.
    pub scratch_size: u64,
    /// LDS bytes of a workgroup; 0 takes RSRC2.LDS_SIZE times the target's granule (512 bytes; 1280 on
    /// gfx950, 2048 on gfx1250 and gfx1251).
    pub lds_bytes: u32,
    /// Must be zero.
    pub reserved: u32,
}

/// Fills `dispatch` in for the context's target: its size, one workgroup of one work-item, the usual wave
/// size, every register that a wave can have, MODE as compilers set it (round to nearest even, all
/// denormals kept, DX10_CLAMP and IEEE where there are such), RSRC2 zero, no code.
///
/// The result is for waves of the usual size. Callers that set `wave_size` to the other one on gfx10 to
/// gfx12 set RSRC1.VGPRS (bits 5:0) to 63 for 64 lanes and to 31 for 32 lanes.
///
/// # Safety
///
/// `context` is null or a context; `dispatch` is null or points to `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waveglass_dispatch_init(
    context: *mut Context,
    dispatch: *mut Dispatch,
    size: usize,
) -> Status {
    call(|| {
        // SAFETY: as the caller vouches.
        let context = unsafe { pointer::read(context, "context")? };
        pointer::check(dispatch, "dispatch")?;
        if size < FIRST_SIZE {
            return Err(Failure::argument(format!(
                "the size of dispatch is {size}, which no version of it has"
            )));
        }
        let target = context.lock().target;
        let rsrc = Rsrc::all_registers(target, target.default_wave_size());
        let value = Dispatch {
            size,
            code: std::ptr::null(),
            code_size: 0,
            workgroups: [1; 3],
            workgroup_size: [1; 3],
            wave_size: 0,
            rsrc1: rsrc.rsrc1,
            rsrc2: rsrc.rsrc2,
            rsrc3: rsrc.rsrc3,
            kernarg: std::ptr::null(),
            user_sgprs: std::ptr::null(),
            user_sgpr_count: 0,
            scratch_bytes: 0,
            scratch: std::ptr::null_mut(),
            scratch_size: 0,
            lds_bytes: 0,
            reserved: 0,
        };
        // SAFETY: as above; the fields lie without gaps.
        unsafe { pointer::write_sized(dispatch, size, &value, "dispatch") }
    })
}

/// Runs machine code and waits for its end.
///
/// # Safety
///
/// `context` is null or a context; `dispatch` is null or points to a dispatch that begins with its size,
/// whose pointers are null or point to what is said of them; the registered memory is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waveglass_dispatch_run(
    context: *mut Context,
    dispatch: *const Dispatch,
) -> Status {
    call(|| {
        // SAFETY: as the caller vouches.
        let context = unsafe { pointer::read(context, "context")? };
        let mut state = context.lock();
        let state = &mut *state;
        state.last = None;
        // SAFETY: as above.
        let raw = unsafe { raw(state, dispatch)? };
        // SAFETY: as above.
        let report = unsafe { raw.run(&state.memory, &state.programs, &state.limits)? };
        state.finish(report)
    })
}

/// How many bytes of scratch memory a dispatch takes under the context's limits (it depends on the number
/// of threads), for callers that bring it themselves.
///
/// # Safety
///
/// As for waveglass_dispatch_run; `size` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waveglass_dispatch_scratch_size(
    context: *mut Context,
    dispatch: *const Dispatch,
    size: *mut u64,
) -> Status {
    call(|| {
        // SAFETY: as the caller vouches.
        let context = unsafe { pointer::read(context, "context")? };
        let state = context.lock();
        // SAFETY: as above.
        let raw = unsafe { raw(&state, dispatch)? };
        let bytes = raw.scratch_size(&state.limits)?;
        // SAFETY: as above.
        unsafe { pointer::write(size, bytes, "size") }
    })
}

/// The size that the structure had in the first version.
const FIRST_SIZE: usize = std::mem::offset_of!(Dispatch, reserved) + size_of::<u32>();

/// Reads a dispatch.
///
/// # Safety
/// As for [`waveglass_dispatch_run`].
unsafe fn raw(state: &State, dispatch: *const Dispatch) -> Result<RawDispatch, Failure> {
    // SAFETY: as the caller vouches; the fields are integers and raw pointers.
    let d = unsafe { pointer::read_sized(dispatch, FIRST_SIZE, "dispatch")? };
    if d.reserved != 0 {
        return Err(Failure::argument("dispatch.reserved is not zero"));
    }
    pointer::check(d.code.cast::<u32>(), "dispatch.code")?;
    let user_data = if d.user_sgprs.is_null() {
        if d.user_sgpr_count != 0 {
            return Err(Failure::argument("dispatch.user_sgprs is null"));
        }
        let kernarg = d.kernarg.expose_provenance() as u64;
        vec![kernarg as u32, (kernarg >> 32) as u32]
    } else {
        let count = d.user_sgpr_count as usize;
        // SAFETY: as above.
        unsafe { pointer::slice(d.user_sgprs, count, "dispatch.user_sgprs")? }.to_vec()
    };
    let scratch = (!d.scratch.is_null()).then(|| ScratchPlace {
        address: d.scratch.expose_provenance() as u64,
        size: d.scratch_size,
    });
    if scratch.is_none() && d.scratch_size != 0 {
        return Err(Failure::argument("dispatch.scratch is null"));
    }
    Ok(RawDispatch {
        sramecc: !state.id.contains("sramecc-"),
        wave_size: (d.wave_size != 0).then_some(d.wave_size),
        groups: d.workgroups,
        block: d.workgroup_size,
        rsrc: Rsrc {
            rsrc1: d.rsrc1,
            rsrc2: d.rsrc2,
            rsrc3: d.rsrc3,
        },
        user_data,
        scratch_bytes: d.scratch_bytes,
        scratch,
        lds_bytes: (d.lds_bytes != 0).then_some(d.lds_bytes),
        ..RawDispatch::new(state.target, d.code.cast(), d.code_size)
    })
}
