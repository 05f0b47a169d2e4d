//! Vector ALU operations, by the manual's families.

mod move_select;

use super::Registry;

pub(super) fn register(r: &mut Registry) {
    move_select::register(r);
}
