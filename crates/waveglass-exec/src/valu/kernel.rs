//! Lane kernels: one instruction's arithmetic over all lanes of its registers.
//!
//! A kernel reads and writes runs of lanes in the wave's flat register file, a row at a time
//! so that the compiler turns each block into vector instructions. Every kernel is compiled
//! for the baseline CPU, for AVX2 with FMA, and for AVX-512; the program takes the best that the
//! machine has. `lane` has the types that stand for a lane of an operand, `map` the loops over lanes,
//! `halves` those over 16-bit floats with the arithmetic of `singles`, `bytes` rows of packed bytes and nibbles,
//! `division` the loops of the division macro, `permlane` moves within rows of sixteen, `setting` what a kernel may ask about its wave.

mod bytes;
mod division;
mod halves;
mod lane;
mod map;
mod permlane;
mod setting;
mod singles;
mod small_float;

use crate::rows::ROW_LANES;
use std::sync::OnceLock;

pub(crate) use super::simd::permute_bytes;
pub use bytes::*;
pub use division::*;
pub use halves::*;
pub use lane::*;
pub use map::*;
pub use permlane::*;
pub use setting::Setting;
pub use singles::{Single, Singles};
pub use small_float::*;

/// `(registers, destination, sources, lanes, mask in) -> mask out`. Positions are of the first
/// lane; a 64-bit operand's high halves lie one register further.
///
/// It is unsafe to call because it may use instructions that only some CPUs have.
pub type Kernel = unsafe fn(&mut [u32], usize, [usize; 3], usize, u64) -> u64;

/// Lanes that a kernel handles at once: a row.
pub const BLOCK: usize = ROW_LANES;

/// The three builds of a kernel: baseline, AVX2, AVX-512.
pub type Builds = [Kernel; 3];

/// The arithmetic of one instruction over a run of lanes.
pub trait LaneOp {
    /// Executes it in build `L` (see [`level`]).
    fn run<const L: usize>(regs: &mut [u32], d: usize, s: [usize; 3], n: usize, mask: u64) -> u64;
}

fn baseline<T: LaneOp>(r: &mut [u32], d: usize, s: [usize; 3], n: usize, m: u64) -> u64 {
    T::run::<0>(r, d, s, n, m)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
fn avx2<T: LaneOp>(r: &mut [u32], d: usize, s: [usize; 3], n: usize, m: u64) -> u64 {
    T::run::<1>(r, d, s, n, m)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(
    enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512cd,fma,f16c,bmi1,bmi2,lzcnt,popcnt"
)]
fn avx512<T: LaneOp>(r: &mut [u32], d: usize, s: [usize; 3], n: usize, m: u64) -> u64 {
    T::run::<2>(r, d, s, n, m)
}

/// Defines a function in the builds of lane kernels: a call takes the best that the machine has. What
/// the body calls must be inlined for that to matter; `L` is the build (see [`level`]).
macro_rules! in_builds {
    ($(#[$meta:meta])* $vis:vis fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $body:block) => {
        $(#[$meta])*
        $vis fn $name($($arg: $ty),*) {
            #[inline(always)]
            fn body<const L: usize>($($arg: $ty),*) $body
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
                fn avx2($($arg: $ty),*) {
                    body::<1>($($arg),*);
                }
                #[target_feature(
                    enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512cd,fma,f16c,bmi1,bmi2,lzcnt,popcnt"
                )]
                fn avx512($($arg: $ty),*) {
                    body::<2>($($arg),*);
                }
                match $crate::valu::kernel::level() {
                    // SAFETY: `level` found the CPU to have these features.
                    2 => return unsafe { avx512($($arg),*) },
                    // SAFETY: as above.
                    1 => return unsafe { avx2($($arg),*) },
                    _ => {}
                }
            }
            // Apart from its caller, which is small and fast without it.
            #[inline(never)]
            fn baseline($($arg: $ty),*) {
                body::<0>($($arg),*);
            }
            baseline($($arg),*);
        }
    };
}
pub(crate) use in_builds;

/// The builds of an operation's kernel.
#[cfg(target_arch = "x86_64")]
pub const fn builds<T: LaneOp>() -> Builds {
    [baseline::<T>, avx2::<T>, avx512::<T>]
}

/// The builds of an operation's kernel.
#[cfg(not(target_arch = "x86_64"))]
pub const fn builds<T: LaneOp>() -> Builds {
    [baseline::<T>, baseline::<T>, baseline::<T>]
}

/// The baseline build alone, for what need not be fast.
pub fn portable<T: LaneOp>() -> Kernel {
    baseline::<T>
}

/// The best build that this machine runs: an index into [`Builds`].
#[inline]
pub fn level() -> usize {
    static LEVEL: OnceLock<usize> = OnceLock::new();
    *LEVEL.get_or_init(|| {
        #[cfg(target_arch = "x86_64")]
        {
            let avx2 = is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("fma")
                && is_x86_feature_detected!("f16c")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("lzcnt")
                && is_x86_feature_detected!("popcnt");
            let avx512 = avx2
                && is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512cd");
            avx2 as usize + avx512 as usize
        }
        #[cfg(not(target_arch = "x86_64"))]
        0
    })
}
