//! What the tests share: a context that ends itself, errors as text, code objects.

use std::ffi::{CStr, CString};
use waveglass_capi::*;

pub(crate) struct Context(pub(crate) *mut waveglass_capi::Context);

// SAFETY: the functions lock a context.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

impl Context {
    pub(crate) fn new(target: &str) -> Self {
        let target = CString::new(target).unwrap();
        let mut context = std::ptr::null_mut();
        // SAFETY: both pointers are valid.
        let status = unsafe { waveglass_context_create(target.as_ptr(), &mut context) };
        assert_eq!(status, Status::Ok, "{}", error());
        Self(context)
    }

    pub(crate) fn register<T>(&self, memory: &mut [T], access: u32, name: &str) {
        let name = CString::new(name).unwrap();
        let (start, size) = (memory.as_mut_ptr(), size_of_val(memory));
        // SAFETY: every test keeps its buffers until its programs have ended.
        let status = unsafe {
            waveglass_context_register(self.0, start.cast(), size, access, name.as_ptr())
        };
        assert_eq!(status, Status::Ok, "{}", error());
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: made by the library, and not used any more.
        unsafe { waveglass_context_destroy(self.0) };
    }
}

/// The text of the last error.
pub(crate) fn error() -> String {
    // SAFETY: the text is valid until the next call.
    let text = unsafe { CStr::from_ptr(waveglass_last_error()) };
    text.to_str().unwrap().to_owned()
}

/// One of the project's compiled kernels.
#[allow(dead_code)] // not every test file uses one
pub(crate) fn kernels(name: &str) -> Vec<u8> {
    let root = env!("CARGO_MANIFEST_DIR");
    std::fs::read(format!("{root}/../../tests/kernels/built/{name}")).unwrap()
}
