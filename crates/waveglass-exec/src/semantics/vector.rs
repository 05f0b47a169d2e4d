//! Vector ALU operations, by the manual's families.

mod compare;
mod convert;
mod float32;
mod float64;
mod int32;
mod int64;
mod move_select;

#[cfg(test)]
mod arithmetic_tests;

use super::Registry;

pub(super) fn register(r: &mut Registry) {
    move_select::register(r);
    int32::register(r);
    int64::register(r);
    float32::register(r);
    float64::register(r);
    convert::register(r);
    compare::register(r);
}
