//! The C ABI of Waveglass.
//!
//! `include/waveglass.h` is what C programs see; it is written from this crate's sources, with the
//! documentation, and its top says how the calls belong together. `examples/` has two C programs.
//! Rust programs use [`waveglass::host`], of which this is a thin layer: it checks pointers and sizes,
//! turns errors into a [`Status`] and a text, and keeps panics on this side.
//!
//! `status.rs` has statuses and texts, `context.rs` the context and the memory that is registered,
//! `module.rs` code objects, `dispatch.rs` raw code, `report.rs` counters and memory violations, and
//! `pointer.rs` the checks of what C hands over.

mod context;
mod dispatch;
mod fault_site;
mod module;
mod pointer;
mod report;
mod status;

pub use context::{
    Context, Limits, WAVEGLASS_READ_ONLY, WAVEGLASS_READ_WRITE, waveglass_context_allow_process,
    waveglass_context_create, waveglass_context_destroy, waveglass_context_register,
    waveglass_context_set_limits, waveglass_context_unregister,
};
pub use dispatch::{
    Dispatch, waveglass_dispatch_init, waveglass_dispatch_run, waveglass_dispatch_scratch_size,
};
pub use fault_site::{
    FaultSite, Side, waveglass_context_fault_site, waveglass_context_fault_site_count,
};
pub use module::{
    Module, waveglass_kernel_launch, waveglass_module_destroy, waveglass_module_kernarg_size,
    waveglass_module_kernel_count, waveglass_module_kernel_name, waveglass_module_load,
};
pub use report::{
    Access, Counters, Fault, FaultKind, Space, waveglass_context_counters, waveglass_context_fault,
    waveglass_context_fault_count, waveglass_context_fault_text,
};
pub use status::{Status, waveglass_last_error, waveglass_status_name};

use std::ffi::c_char;

/// The version of this interface. It changes when programs compiled against an older header would not
/// work any more.
pub const WAVEGLASS_ABI_VERSION: u32 = 1;

/// The library's WAVEGLASS_ABI_VERSION, to compare with the header's.
#[unsafe(no_mangle)]
pub extern "C" fn waveglass_abi_version() -> u32 {
    WAVEGLASS_ABI_VERSION
}

/// The library's version, as in "0.1.0".
#[unsafe(no_mangle)]
pub extern "C" fn waveglass_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}
