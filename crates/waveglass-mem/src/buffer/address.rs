//! From a lane's index and offsets to an address.

use super::descriptor::BufferDescriptor;
use crate::rules::Generation;

/// Which family of buffer instructions asks, as far as checks differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BufferKind {
    /// Plain loads and stores: each dword is checked alone.
    Untyped,
    /// `buffer_*_format_*`: the format is the descriptor's; all or nothing.
    Format,
    /// `tbuffer_*`: the format is the instruction's; all or nothing.
    Typed,
    /// Atomics: all or nothing.
    Atomic,
}

impl BufferKind {
    /// Whether data is converted, so that the descriptor's format field is no part of the stride.
    pub const fn is_formatted(self) -> bool {
        matches!(self, Self::Format | Self::Typed)
    }
}

/// What all lanes of a buffer instruction share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferRequest {
    /// The family.
    pub kind: BufferKind,
    /// IDXEN: the index comes from a VGPR.
    pub idxen: bool,
    /// OFFEN: an offset comes from a VGPR.
    pub offen: bool,
    /// The value of SOFFSET.
    pub soffset: u32,
    /// The instruction's immediate offset.
    pub inst_offset: u32,
    /// Bytes that each lane transfers in memory.
    pub bytes: u32,
}

/// What one lane adds. Fields that IDXEN and OFFEN switch off are ignored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BufferLane {
    /// The index from the VGPR.
    pub vindex: u32,
    /// The offset from the VGPR.
    pub voffset: u32,
    /// The lane's number in the wave.
    pub lane: u32,
}

/// Where a dword (or smaller element) of a lane is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Resolved {
    /// At this global address.
    Address(u64),
    /// Out of range: loads give zero, stores and atomics are dropped; no violation.
    OutOfRange,
    /// The resource is unbound: as out of range.
    Unbound,
    /// The descriptor is not a buffer's: the instruction is ignored.
    NotABuffer,
}

impl BufferDescriptor {
    /// The index: `(idxen ? vindex : 0) + (add_tid ? lane : 0)`.
    pub fn index(&self, request: &BufferRequest, lane: &BufferLane) -> u64 {
        let vindex = if request.idxen { lane.vindex } else { 0 };
        let tid = if self.add_tid { lane.lane } else { 0 };
        u64::from(vindex) + u64::from(tid)
    }

    /// The offset: `inst_offset + (offen ? voffset : 0)`, unwrapped. On CDNA 5 soffset is part of it.
    pub fn offset(&self, request: &BufferRequest, lane: &BufferLane) -> u64 {
        let voffset = if request.offen { lane.voffset } else { 0 };
        let offset = u64::from(request.inst_offset) + u64::from(voffset);
        if self.generation == Generation::Cdna5 {
            offset + u64::from(request.soffset)
        } else {
            offset
        }
    }

    /// Resolves component `component` of a lane: the dword at `4 * component`, or for elements below a
    /// dword the element itself (component 0).
    ///
    /// ```
    /// use waveglass_mem::buffer::{BufferDescriptor, BufferKind, BufferLane, BufferRequest, Resolved};
    /// use waveglass_mem::Generation;
    /// // A raw buffer of 8 bytes, data format 32.
    /// let v = BufferDescriptor::decode([0x1000, 0, 8, 0x0002_7000], Generation::Gcn5);
    /// let request = BufferRequest {
    ///     kind: BufferKind::Untyped, idxen: false, offen: true,
    ///     soffset: 0x100, inst_offset: 4, bytes: 8,
    /// };
    /// let lane = BufferLane::default();
    /// assert_eq!(v.resolve(&request, &lane, 0), Resolved::Address(0x1104));
    /// assert_eq!(v.resolve(&request, &lane, 1), Resolved::OutOfRange);
    /// ```
    pub fn resolve(&self, request: &BufferRequest, lane: &BufferLane, component: u32) -> Resolved {
        if self.kind != 0 {
            return Resolved::NotABuffer;
        }
        if self.is_unbound(request.kind.is_formatted()) {
            return Resolved::Unbound;
        }
        if !self.in_range(request, lane, component) {
            return Resolved::OutOfRange;
        }
        Resolved::Address(self.address(request, lane, u64::from(component) * 4))
    }

    /// The address of the byte `extra` bytes into a lane's data, without any check.
    ///
    /// Linear: `base + soffset + offset + stride * index`.
    ///
    /// Swizzled, with elements of `es` bytes interleaved over `is` indices: `base + soffset` and
    /// `((index / is) * stride + (offset / es) * es) * is + (index % is) * es + offset % es`, where RDNA 4
    /// and CDNA 5 take soffset into the swizzled offset instead.
    ///
    /// Sources: Vega ISA 8.1.5, RDNA 3 ISA 9.4, RDNA 4 ISA 9.4, CDNA 5 ISA 9.4.
    pub fn address(&self, request: &BufferRequest, lane: &BufferLane, extra: u64) -> u64 {
        const MASK32: u64 = u32::MAX as u64;
        const MASK45: u64 = (1 << 45) - 1;
        let index = self.index(request, lane);
        let stride = self.stride_bytes(request.kind.is_formatted());
        let voffset = if request.offen { lane.voffset } else { 0 };
        let plain = u64::from(request.inst_offset) + u64::from(voffset);
        let soffset = u64::from(request.soffset);
        let cdna5 = self.generation == Generation::Cdna5;
        let Some(es) = self.swizzle.element_bytes() else {
            let linear = stride.wrapping_mul(index);
            let inner = if cdna5 {
                linear.wrapping_add(plain).wrapping_add(extra) & MASK45
            } else {
                linear.wrapping_add((plain + extra) & MASK32)
            };
            return self.base.wrapping_add(soffset).wrapping_add(inner);
        };
        // An element of 16 bytes need only be dword-aligned; its higher dwords follow linearly
        // (RDNA 4 ISA 9.5).
        let (within, after) = if es == 16 { (0, extra) } else { (extra, 0) };
        let (offset, outer) = match self.generation {
            Generation::Cdna5 => ((plain + soffset + within) & MASK45, 0),
            Generation::Rdna4 => ((plain + soffset + within) & MASK32, 0),
            _ => ((plain + within) & MASK32, soffset),
        };
        let is = u64::from(self.index_stride);
        let swizzled = (index / is)
            .wrapping_mul(stride)
            .wrapping_add(offset / es * es)
            .wrapping_mul(is)
            .wrapping_add(index % is * es)
            .wrapping_add(offset % es);
        self.base
            .wrapping_add(outer)
            .wrapping_add(swizzled)
            .wrapping_add(after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffer::{DstSel, Swizzle};

    // points: 9

    const REQUEST: BufferRequest = BufferRequest {
        kind: BufferKind::Untyped,
        idxen: true,
        offen: true,
        soffset: 0x1000,
        inst_offset: 4,
        bytes: 4,
    };

    fn descriptor(generation: Generation) -> BufferDescriptor {
        let mut d = BufferDescriptor::decode([0; 4], generation);
        d.base = 0x10_0000;
        d.stride = 64;
        d.index_stride = 8;
        d.dst_sel = [DstSel::R; 4];
        d
    }

    const LANE: BufferLane = BufferLane {
        vindex: 10,
        voffset: 18,
        lane: 5,
    };

    // Vega ISA 8.1.5: ADDR = base + sgpr_offset + buffer_offset.
    #[test]
    fn linear_addresses_add_up() {
        for generation in Generation::ALL {
            let mut d = descriptor(generation);
            assert_eq!(d.address(&REQUEST, &LANE, 0), 0x10_1000 + 22 + 640);
            assert_eq!(d.address(&REQUEST, &LANE, 8), 0x10_1000 + 30 + 640);
            let none = BufferRequest {
                idxen: false,
                offen: false,
                ..REQUEST
            };
            assert_eq!(d.address(&none, &LANE, 0), 0x10_1004);
            d.add_tid = true;
            assert_eq!(d.address(&none, &LANE, 0), 0x10_1004 + 5 * 64);
        }
    }

    // index 10 = 1 * 8 + 2; offset 22 = 5 * 4 + 2:
    // ((1 * 64) + 20) * 8 + 2 * 4 + 2 = 682.
    // rule: a swizzled buffer interleaves elements over the index stride; section Vega ISA 8.1.5, CDNA
    // 2 ISA 9.1.5.2, RDNA 3 ISA 9.4.2, RDNA 4 ISA 9.4.2, CDNA 5 ISA 9.4.2.
    #[test]
    fn swizzled_addresses_interleave_elements_over_the_index_stride() {
        for generation in [Generation::Gcn5, Generation::Cdna4, Generation::Rdna3] {
            let mut d = descriptor(generation);
            d.swizzle = Swizzle::Element4;
            assert_eq!(d.address(&REQUEST, &LANE, 0), 0x10_1000 + 682);
            // The next dword is an element further: 4 * 8 bytes on.
            assert_eq!(d.address(&REQUEST, &LANE, 4), 0x10_1000 + 682 + 32);
        }
    }

    // RDNA 4 ISA 9.4: offset 22 + 0x1000 = 1029 * 4 + 2: (64 + 4116) * 8 + 8 + 2 = 33450.
    #[test]
    fn rdna4_swizzles_soffset_too() {
        let mut d = descriptor(Generation::Rdna4);
        d.swizzle = Swizzle::Element4;
        assert_eq!(d.address(&REQUEST, &LANE, 0), 0x10_0000 + 33_450);
        // Elements of 16: offset 4118 = 257 * 16 + 6: (64 + 4112) * 8 + 2 * 16 + 6 = 33446.
        d.swizzle = Swizzle::Element16;
        assert_eq!(d.address(&REQUEST, &LANE, 0), 0x10_0000 + 33_446);
        assert_eq!(d.address(&REQUEST, &LANE, 12), 0x10_0000 + 33_458);
    }

    // rule: a descriptor whose TYPE is not 0 is no buffer; section RDNA 3 ISA 9.6, RDNA 4 ISA 9.6,
    // CDNA 5 ISA 9.6.
    #[test]
    fn a_descriptor_of_another_type_is_told_apart() {
        let mut d = descriptor(Generation::Rdna3);
        d.kind = 2;
        assert_eq!(d.resolve(&REQUEST, &LANE, 0), Resolved::NotABuffer);
        d.kind = 0;
        assert_eq!(d.resolve(&REQUEST, &LANE, 0), Resolved::Unbound);
    }
}
