//! LLVM's disassembler through its C interface, for comparison.

use anyhow::{Context, Result, bail};
use libloading::{Library, Symbol};
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::PathBuf;

type CreateDisasm = unsafe extern "C" fn(
    *const c_char,
    *const c_char,
    *const c_char,
    *mut c_void,
    c_int,
    *const c_void,
    *const c_void,
) -> *mut c_void;
type DisasmInstruction =
    unsafe extern "C" fn(*mut c_void, *const u8, u64, u64, *mut c_char, usize) -> usize;
type SetOptions = unsafe extern "C" fn(*mut c_void, u64) -> c_int;

/// A loaded libLLVM with the AMDGPU target set up.
pub(crate) struct Llvm {
    library: Library,
}

/// A disassembler for one CPU and feature string.
pub(crate) struct Disassembler<'a> {
    handle: *mut c_void,
    run: Symbol<'a, DisasmInstruction>,
}

impl Llvm {
    /// Loads `$LLVM_LIBRARY`, LLVM 22 of the system, or the Rust toolchain's own.
    pub(crate) fn load() -> Result<Self> {
        let mut names: Vec<PathBuf> = std::env::var_os("LLVM_LIBRARY")
            .map(PathBuf::from)
            .into_iter()
            .collect();
        names.push("/usr/lib/llvm-22/lib/libLLVM.so".into());
        names.push("libLLVM.so.22.1".into());
        if let Ok(out) = std::process::Command::new("rustc")
            .args(["--print", "sysroot"])
            .output()
        {
            let lib = PathBuf::from(String::from_utf8_lossy(&out.stdout).trim()).join("lib");
            for entry in std::fs::read_dir(lib).into_iter().flatten().flatten() {
                if entry
                    .file_name()
                    .to_string_lossy()
                    .starts_with("libLLVM.so.22")
                {
                    names.push(entry.path());
                }
            }
        }
        for name in &names {
            // SAFETY: libLLVM's initialisers have no preconditions.
            if let Ok(library) = unsafe { Library::new(name) } {
                let llvm = Self { library };
                llvm.initialise()
                    .with_context(|| format!("{} has no AMDGPU target", name.display()))?;
                return Ok(llvm);
            }
        }
        bail!("no libLLVM 22 among {names:?}; install llvm-22 or set LLVM_LIBRARY")
    }

    fn initialise(&self) -> Result<()> {
        for name in ["TargetInfo", "Target", "TargetMC", "Disassembler"] {
            let symbol = format!("LLVMInitializeAMDGPU{name}\0");
            // SAFETY: these functions of LLVM-C take no arguments and may be called repeatedly.
            unsafe {
                let f: Symbol<'_, unsafe extern "C" fn()> = self.library.get(symbol.as_bytes())?;
                f();
            }
        }
        Ok(())
    }

    /// A disassembler for `cpu`.
    pub(crate) fn disassembler(&self, cpu: &str, features: &str) -> Result<Disassembler<'_>> {
        let triple = CString::new("amdgcn-amd-amdhsa")?;
        let (cpu, features) = (CString::new(cpu)?, CString::new(features)?);
        // SAFETY: the types are those of llvm-c/Disassembler.h; the strings outlive the call.
        unsafe {
            let create: Symbol<'_, CreateDisasm> =
                self.library.get(b"LLVMCreateDisasmCPUFeatures\0")?;
            let handle = create(
                triple.as_ptr(),
                cpu.as_ptr(),
                features.as_ptr(),
                std::ptr::null_mut(),
                0,
                std::ptr::null(),
                std::ptr::null(),
            );
            if handle.is_null() {
                bail!("LLVM knows no {cpu:?}");
            }
            let set: Symbol<'_, SetOptions> = self.library.get(b"LLVMSetDisasmOptions\0")?;
            // Hexadecimal immediates off, comments off: what llvm-mc prints.
            set(handle, 0);
            let run = self.library.get(b"LLVMDisasmInstruction\0")?;
            Ok(Disassembler { handle, run })
        }
    }
}

impl Disassembler<'_> {
    /// The text and size of the instruction at the start of `bytes`, `None` where LLVM finds none.
    pub(crate) fn one(&self, bytes: &[u8]) -> Option<(String, usize)> {
        let mut out = [0u8; 1024];
        // SAFETY: the handle is live, and both buffers are passed with their sizes.
        let n = unsafe {
            (self.run)(
                self.handle,
                bytes.as_ptr(),
                bytes.len() as u64,
                0,
                out.as_mut_ptr().cast(),
                out.len(),
            )
        };
        if n == 0 {
            return None;
        }
        let text = CStr::from_bytes_until_nul(&out).ok()?.to_string_lossy();
        // LLVM answers some malformed operands with a comment, over several lines.
        let line = text.trim().replace('\t', " ");
        Some((line, n))
    }
}
