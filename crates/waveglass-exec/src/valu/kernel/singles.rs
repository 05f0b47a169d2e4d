//! Arithmetic on singles that kernels of 16-bit floats are written with once, for one lane and for a
//! vector of lanes.

use crate::alu::float::add_odd_f32;
use std::ops::{Add, Mul, Sub};

/// A single, or several of them in build 2.
pub trait Single: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {
    /// `self * b + c` rounded to odd, so that a second rounding is exact. One lane computes it for
    /// halves only: their products are exact and their sums do not overflow.
    fn mul_add_odd(self, b: Self, c: Self) -> Self;
    /// `self * b` in the same way.
    fn product_odd(self, b: Self) -> Self;
    /// `1 / self`.
    fn reciprocal(self) -> Self;
    /// The square root.
    fn root(self) -> Self;
    /// The integer below.
    fn down(self) -> Self;
    /// The integer above.
    fn up(self) -> Self;
    /// The integer toward zero.
    fn toward_zero(self) -> Self;
    /// The nearest integer, of two the even one.
    fn nearest_even(self) -> Self;
}

impl Single for f32 {
    #[inline(always)]
    fn mul_add_odd(self, b: Self, c: Self) -> Self {
        add_odd_f32(self * b, c)
    }
    #[inline(always)]
    fn product_odd(self, b: Self) -> Self {
        self * b
    }
    #[inline(always)]
    fn reciprocal(self) -> Self {
        1.0 / self
    }
    #[inline(always)]
    fn root(self) -> Self {
        self.sqrt()
    }
    #[inline(always)]
    fn down(self) -> Self {
        self.floor()
    }
    #[inline(always)]
    fn up(self) -> Self {
        self.ceil()
    }
    #[inline(always)]
    fn toward_zero(self) -> Self {
        self.trunc()
    }
    #[inline(always)]
    fn nearest_even(self) -> Self {
        self.round_ties_even()
    }
}

#[cfg(target_arch = "x86_64")]
pub use x86::Singles;

/// Where there is no build 2, nothing makes vectors.
#[cfg(not(target_arch = "x86_64"))]
pub type Singles = f32;

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::Single;
    use bytemuck::must_cast as cast;
    use std::arch::x86_64::*;
    use std::ops::{Add, Mul, Sub};

    /// Sixteen singles. Only build 2 makes them, and its CPUs have the instructions that work on them;
    /// what makes them is unsafe to call for that.
    #[derive(Clone, Copy)]
    pub struct Singles(__m512);

    macro_rules! operators {
        ($($trait:ident $name:ident $instruction:ident;)*) => {$(
            impl $trait for Singles {
                type Output = Self;
                #[inline(always)]
                fn $name(self, b: Self) -> Self {
                    // SAFETY: there are none but in build 2.
                    Self(unsafe { $instruction(self.0, b.0) })
                }
            }
        )*};
    }

    operators! {
        Add add _mm512_add_ps;
        Sub sub _mm512_sub_ps;
        Mul mul _mm512_mul_ps;
    }

    impl Single for Singles {
        #[inline(always)]
        fn mul_add_odd(self, b: Self, c: Self) -> Self {
            // SAFETY: there are none but in build 2.
            Self(unsafe { mul_add_odd(self.0, b.0, c.0) })
        }
        #[inline(always)]
        fn product_odd(self, b: Self) -> Self {
            // A zero product keeps its sign beside -0.
            // SAFETY: there are none but in build 2.
            Self(unsafe { mul_add_odd(self.0, b.0, _mm512_set1_ps(-0.0)) })
        }
        #[inline(always)]
        fn reciprocal(self) -> Self {
            // SAFETY: there are none but in build 2.
            Self(unsafe { reciprocal(self.0) })
        }
        #[inline(always)]
        fn root(self) -> Self {
            // SAFETY: there are none but in build 2.
            Self(unsafe { _mm512_sqrt_ps(self.0) })
        }
        #[inline(always)]
        fn down(self) -> Self {
            // SAFETY: there are none but in build 2.
            Self(unsafe { integer::<{ _MM_FROUND_TO_NEG_INF }>(self.0) })
        }
        #[inline(always)]
        fn up(self) -> Self {
            // SAFETY: there are none but in build 2.
            Self(unsafe { integer::<{ _MM_FROUND_TO_POS_INF }>(self.0) })
        }
        #[inline(always)]
        fn toward_zero(self) -> Self {
            // SAFETY: there are none but in build 2.
            Self(unsafe { integer::<{ _MM_FROUND_TO_ZERO }>(self.0) })
        }
        #[inline(always)]
        fn nearest_even(self) -> Self {
            // SAFETY: there are none but in build 2.
            Self(unsafe { integer::<{ _MM_FROUND_TO_NEAREST_INT }>(self.0) })
        }
    }

    impl Singles {
        /// The halves in sixteen words.
        ///
        /// # Safety
        ///
        /// For build 2.
        #[inline(always)]
        pub unsafe fn of_halves(halves: [u16; 16]) -> Self {
            // SAFETY: as the caller says.
            Self(unsafe { widen(halves) })
        }

        /// The halves in bits 15:0 of sixteen dwords.
        ///
        /// # Safety
        ///
        /// For build 2.
        #[inline(always)]
        pub unsafe fn of_dwords(dwords: [u32; 16]) -> Self {
            // SAFETY: as the caller says.
            Self(unsafe { widen(words(dwords)) })
        }

        /// Singles by their bits.
        ///
        /// # Safety
        ///
        /// For build 2.
        #[inline(always)]
        pub unsafe fn of_bits(bits: [u32; 16]) -> Self {
            Self(cast(bits))
        }

        /// The bits of the singles.
        #[inline(always)]
        pub fn bits(self) -> [u32; 16] {
            cast(self.0)
        }

        /// Rounded to halves, to nearest even; which NaN comes out is left open.
        #[inline(always)]
        pub fn halves(self) -> [u16; 16] {
            // SAFETY: there are none but in build 2.
            unsafe { narrow(self.0) }
        }

        /// As [`halves`](Self::halves), each in a dword.
        #[inline(always)]
        pub fn half_dwords(self) -> [u32; 16] {
            // SAFETY: there are none but in build 2.
            unsafe { dwords(narrow(self.0)) }
        }

        /// A bit for each that is a NaN.
        #[inline(always)]
        pub fn nan(self) -> u16 {
            // SAFETY: there are none but in build 2.
            unsafe { nan(self.0) }
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn mul_add_odd(a: __m512, b: __m512, c: __m512) -> __m512 {
        const UP: i32 = _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC;
        const DOWN: i32 = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC;
        const ZERO: i32 = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC;
        let up = _mm512_fmadd_round_ps::<UP>(a, b, c);
        let down = _mm512_fmadd_round_ps::<DOWN>(a, b, c);
        let kept = _mm512_castps_si512(_mm512_fmadd_round_ps::<ZERO>(a, b, c));
        // Where the neighbours differ something was lost; zeros of both signs do not.
        let inexact = _mm512_cmp_ps_mask::<_CMP_NEQ_OQ>(up, down);
        let odd = _mm512_mask_or_epi32(kept, inexact, kept, _mm512_set1_epi32(1));
        _mm512_castsi512_ps(odd)
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn reciprocal(a: __m512) -> __m512 {
        _mm512_div_ps(_mm512_set1_ps(1.0), a)
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn integer<const ROUND: i32>(a: __m512) -> __m512 {
        match ROUND {
            _MM_FROUND_TO_NEG_INF => _mm512_roundscale_ps::<{ _MM_FROUND_TO_NEG_INF }>(a),
            _MM_FROUND_TO_POS_INF => _mm512_roundscale_ps::<{ _MM_FROUND_TO_POS_INF }>(a),
            _MM_FROUND_TO_ZERO => _mm512_roundscale_ps::<{ _MM_FROUND_TO_ZERO }>(a),
            _ => _mm512_roundscale_ps::<{ _MM_FROUND_TO_NEAREST_INT }>(a),
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn widen(halves: [u16; 16]) -> __m512 {
        _mm512_cvtph_ps(cast(halves))
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn narrow(singles: __m512) -> [u16; 16] {
        cast(_mm512_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(singles))
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn words(dwords: [u32; 16]) -> [u16; 16] {
        cast(_mm512_cvtepi32_epi16(cast(dwords)))
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn dwords(words: [u16; 16]) -> [u32; 16] {
        cast(_mm512_cvtepu16_epi32(cast(words)))
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn nan(singles: __m512) -> u16 {
        _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(singles, singles)
    }
}
