//! Vector ALU operations, by the manual's families.

mod dot_mix;
pub(super) mod dual;
mod float16;
mod int16;
mod lanes;
mod move_select;
mod packed;
mod relative;

use super::Registry;

pub(super) fn register(r: &mut Registry) {
    move_select::register(r);
    float16::register(r);
    int16::register(r);
    packed::register(r);
    dot_mix::register(r);
    lanes::register(r);
    relative::register(r);
}
