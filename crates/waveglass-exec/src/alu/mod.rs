//! Arithmetic of the vector instructions: one pure function an instruction,
//! one lane's worth of work.
//!
//! A function is named after its instruction (the newest name, older ones in
//! its description) and stands in the manual's order in the file of its
//! family. Integer and 16-bit float values are raw bits; 32- and 64-bit floats
//! are `f32` and `f64`. The functions have no branches that depend on data
//! where that is possible, so that a loop over the lanes of a wave becomes
//! host vector instructions.
//!
//! What the functions leave to their caller, because it is the same for all of
//! them: operand selection, the input modifiers and the output modifiers
//! ([`modifiers`]), and flushing of denormals according to MODE
//! ([`float::flush_f32`] and its fellows, on inputs before and on results
//! after). Instructions that flush whatever MODE says do it themselves.
//!
//! Start reading at [`int32`] for the shape, at [`float`] for the rules on NaN,
//! rounding and 16-bit formats.

pub mod bf16;
pub mod bytes;
pub mod compare;
pub mod convert;
pub mod cube;
pub mod division;
pub mod dot;
mod elementary;
pub mod float;
pub mod float16;
pub mod float32;
pub mod float64;
pub mod int16;
pub mod int32;
pub mod int64;
pub mod minmax;
pub mod mix;
pub mod modifiers;
pub mod packed;
pub mod rounding;
pub mod small_float;
pub mod transcendental;
