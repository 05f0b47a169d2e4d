//! Buffers: memory through a buffer resource descriptor (V#).
//!
//! `descriptor` decodes the 128 bits, `address` turns a lane's index and offsets into an address,
//! `range_check` decides what is out of range, `wave` moves data for a whole wave, `format` converts
//! what typed instructions move.

mod address;
mod descriptor;
mod format;
mod range_check;
mod wave;

pub use address::{BufferKind, BufferLane, BufferRequest, Resolved};
pub use descriptor::{BufferDescriptor, DstSel, Swizzle};
pub use format::{Format, FormatAccess, FormatCode, Layout, NumberFormat};
