//! Accesses to LDS.

use crate::program::Op;

/// A load or store of whole dwords in LDS.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in super::super) struct Share {
    pub(in super::super) stores: bool,
    /// Dwords at each address.
    pub(in super::super) dwords: u32,
    pub(in super::super) address: u32,
    /// One or two of these: an offset, and the first register of the data.
    pub(in super::super) places: [(u32, u32); 2],
    pub(in super::super) two: bool,
}

pub(super) fn share(name: &str, op: &Op) -> Option<Share> {
    let (stores, two, dwords) = match name {
        "ds_read_b32" | "ds_load_b32" => (false, false, 1),
        "ds_read_b64" | "ds_load_b64" => (false, false, 2),
        "ds_read_b96" | "ds_load_b96" => (false, false, 3),
        "ds_read_b128" | "ds_load_b128" => (false, false, 4),
        "ds_read2_b32" | "ds_load_2addr_b32" => (false, true, 1),
        "ds_read2st64_b32" | "ds_load_2addr_stride64_b32" => (false, true, 1),
        "ds_read2_b64" | "ds_load_2addr_b64" => (false, true, 2),
        "ds_read2st64_b64" | "ds_load_2addr_stride64_b64" => (false, true, 2),
        // Lanes of a wider store that overlap are ordered whole, not dword by dword.
        "ds_write_b32" | "ds_store_b32" => (true, false, 1),
        "ds_write2_b32" | "ds_store_2addr_b32" => (true, true, 1),
        "ds_write2st64_b32" | "ds_store_2addr_stride64_b32" => (true, true, 1),
        _ => return None,
    };
    if op.mem.in_lds.is_some() {
        return None;
    }
    let offsets = [op.mem.offset as u32, op.mem.offset1 as u32];
    // Up to gfx10 the second of two stores to one place does not happen: rare, and the handler knows.
    if stores && two && offsets[0] == offsets[1] {
        return None;
    }
    let data = match (stores, two) {
        (true, true) => [op.d, op.d2],
        (true, false) => [op.d2, 0],
        (false, _) => [op.d, op.d + dwords],
    };
    Some(Share {
        stores,
        dwords,
        address: op.target,
        places: [(offsets[0], data[0]), (offsets[1], data[1])],
        two,
    })
}
