//! Single moves of 16 bytes between memory that threads share and the CPU's vector registers.
//!
//! Rust has no atomics of 16 bytes, and LLVM does not join narrower ones into vector moves. One
//! `VMOVDQA` is what a wave's contiguous accesses want, and it is as good as an atomic: on processors
//! with AVX an aligned 16-byte move is carried out atomically (Intel SDM 3A 9.1.1, AMD APM 2 7.3.2).
//! Written as inline assembly it is opaque to the compiler, which must take it for what a relaxed
//! atomic load or store of the 16 bytes would be.

use std::arch::asm;
use std::arch::x86_64::__m128i;
use std::sync::atomic::AtomicU64;

/// Reads two words.
///
/// # Safety
/// The CPU has AVX, and `from` points to 16 bytes that may be read by atomic accesses, aligned to 16.
#[inline(always)]
pub(super) unsafe fn load(from: *const AtomicU64) -> __m128i {
    let value;
    // SAFETY: one load of 16 bytes that the caller vouches for.
    unsafe {
        asm!(
            "vmovdqa {value}, xmmword ptr [{from}]",
            from = in(reg) from,
            value = lateout(xmm_reg) value,
            options(nostack, readonly, preserves_flags),
        );
    }
    value
}

/// Writes two words.
///
/// # Safety
/// The CPU has AVX, and `to` points to 16 bytes that may be written by atomic accesses, aligned to 16.
#[inline(always)]
pub(super) unsafe fn store(to: *const AtomicU64, value: __m128i) {
    // SAFETY: one store of 16 bytes that the caller vouches for.
    unsafe {
        asm!(
            "vmovdqa xmmword ptr [{to}], {value}",
            to = in(reg) to,
            value = in(xmm_reg) value,
            options(nostack, preserves_flags),
        );
    }
}

/// The dwords of a vector register.
#[inline(always)]
pub(super) fn dwords(v: __m128i) -> [u32; 4] {
    // SAFETY: both are 16 bytes without invalid values.
    unsafe { std::mem::transmute(v) }
}

/// A vector register of these dwords.
#[inline(always)]
pub(super) fn vector(v: [u32; 4]) -> __m128i {
    // SAFETY: as for `dwords`.
    unsafe { std::mem::transmute(v) }
}

/// The bytes of a vector register.
#[inline(always)]
pub(super) fn bytes(v: __m128i) -> [u8; 16] {
    // SAFETY: as for `dwords`.
    unsafe { std::mem::transmute(v) }
}

/// A vector register of these bytes.
#[inline(always)]
pub(super) fn of_bytes(v: [u8; 16]) -> __m128i {
    // SAFETY: as for `dwords`.
    unsafe { std::mem::transmute(v) }
}
