//! Checks of what C hands over.

use std::ffi::{CStr, c_char};

use crate::status::Failure;

/// A reference to what `pointer` points to.
///
/// # Safety
/// If it is neither null nor misaligned, `pointer` points to a `T` that nobody writes meanwhile.
pub(crate) unsafe fn read<'a, T>(pointer: *const T, what: &str) -> Result<&'a T, Failure> {
    check(pointer, what)?;
    // SAFETY: not null, aligned, and the caller vouches for the rest.
    Ok(unsafe { &*pointer })
}

/// Writes `value` to where `pointer` points.
///
/// # Safety
/// If it is neither null nor misaligned, `pointer` points to memory for a `T` that is the call's own.
pub(crate) unsafe fn write<T>(pointer: *mut T, value: T, what: &str) -> Result<(), Failure> {
    check(pointer, what)?;
    // SAFETY: not null, aligned, and the caller vouches for the rest.
    unsafe { pointer.write(value) };
    Ok(())
}

/// Refuses a null or misaligned pointer.
pub(crate) fn check<T>(pointer: *const T, what: &str) -> Result<(), Failure> {
    if pointer.is_null() {
        return Err(Failure::argument(format!("{what} is null")));
    }
    if !pointer.is_aligned() {
        return Err(Failure::argument(format!("{what} is misaligned")));
    }
    Ok(())
}

/// `count` values at `pointer`, which may be null if there are none.
///
/// # Safety
/// As for [`read`], for all of them.
pub(crate) unsafe fn slice<'a, T>(
    pointer: *const T,
    count: usize,
    what: &str,
) -> Result<&'a [T], Failure> {
    if count == 0 {
        return Ok(&[]);
    }
    check(pointer, what)?;
    let fits = count
        .checked_mul(size_of::<T>())
        .is_some_and(|bytes| bytes <= isize::MAX as usize);
    if !fits {
        return Err(Failure::argument(format!("{what} is too large")));
    }
    // SAFETY: not null, aligned, no larger than an object can be; the caller vouches for the rest.
    Ok(unsafe { std::slice::from_raw_parts(pointer, count) })
}

/// A text.
///
/// # Safety
/// If it is not null, `pointer` points to a text that ends with NUL, which nobody writes meanwhile.
pub(crate) unsafe fn text<'a>(pointer: *const c_char, what: &str) -> Result<&'a str, Failure> {
    check(pointer, what)?;
    // SAFETY: not null, and the caller vouches for the rest.
    let text = unsafe { CStr::from_ptr(pointer) };
    text.to_str()
        .map_err(|_| Failure::argument(format!("{what} is no UTF-8")))
}

/// Copies the first bytes of a structure to a caller that knows `size` bytes of it.
///
/// # Safety
/// If it is not null, `pointer` points to `size` bytes that are the call's own. `T` has no padding.
pub(crate) unsafe fn write_sized<T: Copy>(
    pointer: *mut T,
    size: usize,
    value: &T,
    what: &str,
) -> Result<(), Failure> {
    if pointer.is_null() {
        return Err(Failure::argument(format!("{what} is null")));
    }
    let known = size.min(size_of::<T>());
    // SAFETY: the caller has `size` bytes, `value` as many as its type has; they are apart, since the
    // one is ours.
    unsafe {
        let from = std::ptr::from_ref(value).cast::<u8>();
        let to = pointer.cast::<u8>();
        to.copy_from_nonoverlapping(from, known);
        // A newer caller's further fields are zero.
        to.add(known).write_bytes(0, size - known);
    }
    Ok(())
}

/// Reads a structure that begins with its size, as the caller knew it. What an older caller's lacks
/// is zero; what a newer one's has beyond must be.
///
/// # Safety
/// If it is neither null nor misaligned, `pointer` points to a structure that begins with its true
/// size as a `usize`. All zeros are a valid `T`, and so is any content of its fields.
pub(crate) unsafe fn read_sized<T: Copy>(
    pointer: *const T,
    least: usize,
    what: &str,
) -> Result<T, Failure> {
    check(pointer, what)?;
    // SAFETY: not null, aligned, and the caller vouches for the size in front.
    let size = unsafe { pointer.cast::<usize>().read() };
    if size < least || size > MOST {
        return Err(Failure::argument(format!(
            "the size of {what} is {size}, which no version of it has"
        )));
    }
    let known = size.min(size_of::<T>());
    // SAFETY: zeros are a valid `T`; the structure has `size` bytes.
    unsafe {
        let mut value: T = std::mem::zeroed();
        let from = pointer.cast::<u8>();
        std::ptr::from_mut(&mut value)
            .cast::<u8>()
            .copy_from_nonoverlapping(from, known);
        let beyond = std::slice::from_raw_parts(from.add(known), size - known);
        if beyond.iter().any(|&b| b != 0) {
            return Err(Failure::argument(format!(
                "{what} has fields set that this version of Waveglass does not know"
            )));
        }
        Ok(value)
    }
}

/// Larger than any structure will be: a size past it is garbage.
const MOST: usize = 4096;
