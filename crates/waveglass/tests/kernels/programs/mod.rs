//! Whole programs: what people write for a GPU, a kernel or a few each.

mod fft;
pub(crate) mod grid_barrier;
mod histogram;
mod mandelbrot;
mod nbody;
pub(crate) mod queue;
mod radix_sort;
mod search;
mod sha256;
mod sparse;
mod stencil;
