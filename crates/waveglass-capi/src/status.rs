//! Statuses, and the text of the last error.

use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

use waveglass::mem::MapError;
use waveglass::{LaunchError, RunError};

/// What came of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub enum Status {
    /// It is done.
    Ok = 0,
    /// An argument is null, misaligned, out of range, or does not fit the others.
    BadArgument = 1,
    /// The bytes are no code object that Waveglass reads, or have no code for the target.
    BadObject = 2,
    /// The name is no target of Waveglass.
    UnknownTarget = 3,
    /// The host has not enough memory.
    OutOfMemory = 4,
    /// The program ran, and touched memory that it may not touch: see waveglass_context_fault.
    MemoryViolation = 5,
    /// The program came to an instruction that Waveglass does not implement.
    Refused = 6,
    /// The program came to bytes that are no instruction.
    InvalidInstruction = 7,
    /// The program jumped to where it has no code.
    BadJump = 8,
    /// The program trapped.
    Trap = 9,
    /// All waves of a workgroup wait for each other.
    Deadlock = 10,
    /// The limit on instructions is reached.
    InstructionLimit = 11,
    /// The limit on time is reached.
    TimeLimit = 12,
    /// A mistake in Waveglass itself. The context is still usable; please report it.
    Internal = 13,
}

impl Status {
    const ALL: [(Self, &'static CStr); 14] = [
        (Self::Ok, c"ok"),
        (Self::BadArgument, c"bad argument"),
        (Self::BadObject, c"bad code object"),
        (Self::UnknownTarget, c"unknown target"),
        (Self::OutOfMemory, c"out of memory"),
        (Self::MemoryViolation, c"memory violation"),
        (Self::Refused, c"instruction not implemented"),
        (Self::InvalidInstruction, c"invalid instruction"),
        (Self::BadJump, c"bad jump"),
        (Self::Trap, c"trap"),
        (Self::Deadlock, c"deadlock"),
        (Self::InstructionLimit, c"instruction limit"),
        (Self::TimeLimit, c"time limit"),
        (Self::Internal, c"internal error"),
    ];
}

/// The name of a status, as in "memory violation"; "unknown status" for other numbers.
#[unsafe(no_mangle)]
pub extern "C" fn waveglass_status_name(status: i32) -> *const c_char {
    Status::ALL
        .iter()
        .find(|(s, _)| *s as i32 == status)
        .map_or(c"unknown status", |(_, name)| name)
        .as_ptr()
}

thread_local! {
    static LAST: RefCell<CString> = RefCell::default();
}

/// What went wrong in the last call of this thread that has a status, in words; empty if nothing did.
/// The text is valid until this thread makes the next such call.
#[unsafe(no_mangle)]
pub extern "C" fn waveglass_last_error() -> *const c_char {
    // A thread that is ending may have no text any more.
    LAST.try_with(|last| last.borrow().as_ptr())
        .unwrap_or(c"".as_ptr())
}

fn set_last(text: &str) {
    // A text with a NUL in it (from a file's names, say) is cut there.
    let text = text.split('\0').next().unwrap_or("");
    let text = CString::new(text).unwrap_or_default();
    let _ = LAST.try_with(|last| last.replace(text));
}

/// A status other than [`Status::Ok`] with its text.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) status: Status,
    pub(crate) text: String,
}

impl Failure {
    pub(crate) fn new(status: Status, text: impl Into<String>) -> Self {
        Self {
            status,
            text: text.into(),
        }
    }

    pub(crate) fn argument(text: impl Into<String>) -> Self {
        Self::new(Status::BadArgument, text)
    }
}

impl From<MapError> for Failure {
    fn from(e: MapError) -> Self {
        let status = match e {
            MapError::OutOfMemory { .. } => Status::OutOfMemory,
            _ => Status::BadArgument,
        };
        Self::new(status, e.to_string())
    }
}

impl From<LaunchError> for Failure {
    fn from(e: LaunchError) -> Self {
        let status = match e {
            LaunchError::Map(e) => return e.into(),
            LaunchError::Object(_) => Status::BadObject,
            LaunchError::UnknownTarget { .. } => Status::UnknownTarget,
            LaunchError::Choose { .. } | LaunchError::Bad(_) => Status::BadArgument,
        };
        Self::new(status, e.to_string())
    }
}

impl From<&RunError> for Failure {
    fn from(e: &RunError) -> Self {
        let status = match e {
            RunError::Refused { .. } => Status::Refused,
            RunError::Invalid { .. } => Status::InvalidInstruction,
            RunError::BadJump { .. } => Status::BadJump,
            RunError::Trap { .. } | RunError::Exception { .. } => Status::Trap,
            RunError::Fault => Status::MemoryViolation,
            RunError::StepLimit(_) => Status::InstructionLimit,
            RunError::Timeout(_) => Status::TimeLimit,
            RunError::Deadlock { .. } | RunError::SyncDeadlock { .. } => Status::Deadlock,
            RunError::Launch(_) => Status::BadArgument,
        };
        Self::new(status, e.to_string())
    }
}

/// Runs a call's body: its failure becomes the status and this thread's text, and so does a panic.
pub(crate) fn call(body: impl FnOnce() -> Result<(), Failure>) -> Status {
    // What a body may leave half done lies behind a lock, and is a whole value at every moment.
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => {
            set_last("");
            Status::Ok
        }
        Ok(Err(failure)) => {
            set_last(&failure.text);
            failure.status
        }
        Err(panic) => {
            set_last(&format!("a mistake in Waveglass: {}", message(&*panic)));
            Status::Internal
        }
    }
}

/// The same for calls that give a value; a failure gives `otherwise`.
pub(crate) fn value<T>(otherwise: T, body: impl FnOnce() -> Option<T>) -> T {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Some(v)) => v,
        _ => otherwise,
    }
}

fn message(panic: &(dyn Any + Send)) -> &str {
    if let Some(s) = panic.downcast_ref::<&str>() {
        s
    } else if let Some(s) = panic.downcast_ref::<String>() {
        s
    } else {
        "(no message)"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last() -> String {
        // SAFETY: the text is valid until the next call.
        unsafe { CStr::from_ptr(waveglass_last_error()) }
            .to_str()
            .unwrap()
            .to_owned()
    }

    #[test]
    fn a_panic_becomes_a_status_and_a_text() {
        assert_eq!(call(|| panic!("the {}th row", 7)), Status::Internal);
        assert_eq!(last(), "a mistake in Waveglass: the 7th row");
        assert_eq!(value(3, || panic!("no")), 3);
        assert_eq!(call(|| Ok(())), Status::Ok);
        assert_eq!(last(), "");
    }

    #[test]
    fn each_thread_has_its_own_text() {
        call(|| Err(Failure::argument("here\0 and not there")));
        let other = std::thread::spawn(last).join().unwrap();
        assert_eq!((last().as_str(), other.as_str()), ("here", ""));
    }

    #[test]
    fn every_status_has_its_own_name() {
        for (i, (status, name)) in Status::ALL.iter().enumerate() {
            assert_eq!(*status as usize, i);
            // SAFETY: names are static.
            let given = unsafe { CStr::from_ptr(waveglass_status_name(i as i32)) };
            assert_eq!(given, *name);
        }
        for other in [-1, Status::ALL.len() as i32] {
            // SAFETY: as above.
            let given = unsafe { CStr::from_ptr(waveglass_status_name(other)) };
            assert_eq!(given, c"unknown status");
        }
    }
}
