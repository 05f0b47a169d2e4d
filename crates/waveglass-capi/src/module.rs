//! Code objects, and launches of their kernels.

use std::ffi::{CString, c_char, c_void};

use waveglass::LaunchError;
use waveglass::host::{HostLaunch, HostModule};

use crate::context::Context;
use crate::pointer;
use crate::status::{Failure, Status, call, value};

/// A code object, loaded. Its global variables keep their values from launch to launch.
pub struct Module {
    inner: HostModule,
    names: Vec<CString>,
}

/// Loads a code object for the context's target: an ELF file as LLVM's linker writes it, or an offload
/// bundle ("fat binary"), of which the target's code is taken. The bytes are not needed afterwards, and
/// the module may outlive the context.
///
/// # Safety
///
/// `context` is null or a context; `bytes` is null or points to `size` bytes; `module` is null or
/// points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waveglass_module_load(
    context: *mut Context,
    bytes: *const c_void,
    size: usize,
    module: *mut *mut Module,
) -> Status {
    call(|| {
        // SAFETY: as the caller vouches.
        unsafe { pointer::write(module, std::ptr::null_mut(), "module")? };
        // SAFETY: as above.
        let context = unsafe { pointer::read(context, "context")? };
        pointer::check(bytes.cast::<u8>(), "bytes")?;
        // SAFETY: as above.
        let bytes = unsafe { pointer::slice(bytes.cast::<u8>(), size, "bytes")? };
        let id = context.lock().id.clone();
        let inner = HostModule::load(bytes, Some(&id)).map_err(|e| {
            let mut failure = Failure::from(e);
            if failure.status == Status::BadArgument {
                failure.status = Status::BadObject;
            }
            failure
        })?;
        let names = inner.kernels().into_iter();
        let names = names.map(|n| CString::new(n).unwrap_or_default()).collect();
        let new = Box::into_raw(Box::new(Module { inner, names }));
        // SAFETY: as above.
        unsafe { pointer::write(module, new, "module") }
    })
}

/// Unloads a module; null is allowed.
///
/// # Safety
///
/// `module` is null, or came from waveglass_module_load and is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waveglass_module_destroy(module: *mut Module) {
    if module.is_null() || !module.is_aligned() {
        return;
    }
    call(|| {
        // SAFETY: made by `Box::into_raw`, and the caller gives it up.
        drop(unsafe { Box::from_raw(module) });
        Ok(())
    });
}

/// How many kernels a module has; 0 for null.
///
/// # Safety
///
/// `module` is null or a module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waveglass_module_kernel_count(module: *const Module) -> usize {
    value(0, || {
        // SAFETY: as the caller vouches.
        let module = unsafe { pointer::read(module, "module") }.ok()?;
        Some(module.names.len())
    })
}

/// The name of a kernel by its number, valid as long as the module; null if there is no such kernel.
///
/// # Safety
///
/// `module` is null or a module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waveglass_module_kernel_name(
    module: *const Module,
    index: usize,
) -> *const c_char {
    value(std::ptr::null(), || {
        // SAFETY: as the caller vouches.
        let module = unsafe { pointer::read(module, "module") }.ok()?;
        module.names.get(index).map(|n| n.as_ptr())
    })
}

/// Size of a kernel's kernarg segment in bytes, hidden arguments included.
///
/// # Safety
///
/// `module` is null or a module; `kernel` is null or a text that ends with NUL; `size` is null or points
/// to a size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waveglass_module_kernarg_size(
    module: *const Module,
    kernel: *const c_char,
    size: *mut usize,
) -> Status {
    call(|| {
        // SAFETY: as the caller vouches.
        let module = unsafe { pointer::read(module, "module")? };
        // SAFETY: as above.
        let kernel = unsafe { pointer::text(kernel, "kernel")? };
        let Some(bytes) = module.inner.kernarg_size(kernel) else {
            return Err(Failure::argument(format!("there is no kernel {kernel:?}")));
        };
        // SAFETY: as above.
        unsafe { pointer::write(size, bytes, "size") }
    })
}

/// Launches a kernel by name and waits for its end.
///
/// `workgroups` and `workgroup_size` have three dimensions. `kernarg` is the kernarg segment as the
/// kernel's metadata lays it out; pointers in it are host addresses of memory that is registered.
/// Hidden arguments that start past its `kernarg_size` bytes are filled in. `dynamic_lds` is bytes of LDS
/// beyond the kernel's fixed size.
///
/// # Safety
///
/// `context` is null or a context, `module` null or a module; the others are null or point to what is
/// said; the registered memory is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waveglass_kernel_launch(
    context: *mut Context,
    module: *const Module,
    kernel: *const c_char,
    workgroups: *const u32,
    workgroup_size: *const u32,
    kernarg: *const c_void,
    kernarg_size: usize,
    dynamic_lds: u32,
) -> Status {
    call(|| {
        // SAFETY: as the caller vouches, here and below.
        let (context, module) = unsafe {
            (
                pointer::read(context, "context")?,
                pointer::read(module, "module")?,
            )
        };
        // SAFETY: as above.
        let kernel = unsafe { pointer::text(kernel, "kernel")? };
        // SAFETY: as above.
        let (groups, block) = unsafe {
            (
                pointer::read(workgroups.cast::<[u32; 3]>(), "workgroups")?,
                pointer::read(workgroup_size.cast::<[u32; 3]>(), "workgroup_size")?,
            )
        };
        // SAFETY: as above.
        let kernarg = unsafe { pointer::slice(kernarg.cast::<u8>(), kernarg_size, "kernarg")? };
        if kernarg.len() > MOST_KERNARG {
            return Err(Failure::argument(format!(
                "a kernarg segment of {kernarg_size} bytes is not possible"
            )));
        }
        let launch = HostLaunch {
            groups: *groups,
            block: *block,
            kernarg: kernarg.to_vec(),
            dynamic_lds,
        };
        let mut state = context.lock();
        let state = &mut *state;
        state.last = None;
        if module.inner.target() != state.target {
            return Err(LaunchError::Bad(format!(
                "the module is for {}, the context for {}",
                module.inner.target(),
                state.target
            ))
            .into());
        }
        let report = module.inner.launch(
            kernel,
            &launch,
            &state.memory,
            &state.programs,
            &state.limits,
        )?;
        state.finish(report)
    })
}

/// No compiler makes more arguments than this.
const MOST_KERNARG: usize = 1 << 24;
