//! Buffers: memory through a buffer resource descriptor (V#).
//!
//! `fields` names the 128 bits, `descriptor` decodes them, `address` turns a lane's index and offsets into an address,
//! `range_check` decides what is out of range, `wave` moves data for a whole wave, `format` converts
//! what typed instructions move.

mod address;
mod descriptor;
mod fields;
mod format;
mod range_check;
mod wave;

pub use address::{BufferKind, BufferLane, BufferRequest, Resolved};
pub use descriptor::{BufferDescriptor, DstSel, Swizzle};
pub use fields::DescriptorField;
pub use format::{Format, FormatAccess, FormatCode, Layout, NumberFormat};
pub use range_check::{RangeRule, RangeValues};
