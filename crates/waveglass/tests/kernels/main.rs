//! Runs the compiled test kernels (`tests/kernels/`) on every target and compares what they leave in memory with the
//! same computation on the host, written here a second time.
//!
//! A test goes through all builds of its kernel and reports each that differs, with the first value that does.
//! `WAVEGLASS_KERNEL_TARGET=gfx90a` and `WAVEGLASS_KERNEL_BUILD=O3` narrow the builds down.

mod abi;
mod bytes;
mod calls;
mod compare;
mod crosslane;
mod diverge;
mod evidence;
mod float32;
mod float64;
mod generic_pointer;
mod half;
mod harness;
mod input;
mod integer;
mod linear;
mod matmul;
mod matrix;
mod orders;
mod private_array;
mod programs;
mod reduce;
mod switch;
mod tensor;
mod transcendental;
mod triton;
