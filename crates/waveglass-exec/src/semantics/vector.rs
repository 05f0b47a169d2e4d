//! Vector ALU operations, by the manual's families.

mod compare;
mod convert;
mod dot_mix;
pub(super) mod dual;
mod float16;
mod float32;
mod float64;
mod int16;
mod int32;
mod int64;
mod lanes;
mod move_select;
mod packed;
mod relative;
mod rounded;
mod scaled;
mod small_float;

#[cfg(test)]
mod arithmetic_tests;
#[cfg(test)]
mod family_tests;
#[cfg(test)]
mod fast_path_tests;
#[cfg(test)]
mod row_tests;
#[cfg(test)]
mod small_float_tests;

use super::Registry;

pub(crate) use lanes::{BOUND_CTRL, FETCH_INACTIVE};
pub(crate) use rounded::{Directed, directed};

pub(super) fn register(r: &mut Registry) {
    move_select::register(r);
    int32::register(r);
    int64::register(r);
    float32::register(r);
    float64::register(r);
    convert::register(r);
    compare::register(r);
    float16::register(r);
    int16::register(r);
    packed::register(r);
    dot_mix::register(r);
    lanes::register(r);
    relative::register(r);
    small_float::register(r);
    scaled::register(r);
    dual::register(r);
}
