//! The fields of a buffer resource descriptor (V#) on each generation.

use crate::rules::Generation;

/// What a component of the result is taken from (DST_SEL_X to W).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DstSel {
    /// 0: the constant zero.
    Zero,
    /// 1: the constant one.
    One,
    /// 4: the first component.
    R,
    /// 5: the second component.
    G,
    /// 6: the third component.
    B,
    /// 7: the fourth component.
    A,
    /// 2 or 3: no meaning is given to them.
    Reserved(u8),
}

impl DstSel {
    /// Decodes the three-bit field.
    pub const fn from_bits(bits: u32) -> Self {
        match bits & 7 {
            0 => Self::Zero,
            1 => Self::One,
            4 => Self::R,
            5 => Self::G,
            6 => Self::B,
            7 => Self::A,
            reserved => Self::Reserved(reserved as u8),
        }
    }
}

/// Whether, and in elements of what size, the buffer is swizzled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Swizzle {
    /// Linear.
    Off,
    /// Elements of 4 bytes.
    Element4,
    /// Elements of 16 bytes.
    Element16,
    /// RDNA 3 and 4, code 2: reserved by the manual. Addressed as [`Swizzle::Off`].
    Reserved,
}

impl Swizzle {
    /// The element's size in bytes, if swizzling is on.
    pub const fn element_bytes(self) -> Option<u64> {
        match self {
            Self::Element4 => Some(4),
            Self::Element16 => Some(16),
            Self::Off | Self::Reserved => None,
        }
    }
}

/// A decoded V#. Fields that a generation does not have are zero (or `None`).
///
/// Vega ISA 8.1.8, CDNA 5 ISA 9.6, RDNA 1 and 2 ISA 8.1.8, RDNA 3 ISA 9.6, RDNA 4 ISA 9.6.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferDescriptor {
    /// The generation whose layout was decoded.
    pub generation: Generation,
    /// Base address in bytes: 48 bits, 57 on CDNA 5.
    pub base: u64,
    /// The stride field, 14 bits, unscaled.
    pub stride: u32,
    /// The factor that STRIDE_SCALE stands for: 1, 4, 8 or 32 (RDNA 4, CDNA 5).
    pub stride_scale: u32,
    /// NUM_RECORDS: 32 bits, 45 on CDNA 5 (always bytes there).
    pub num_records: u64,
    /// Swizzling.
    pub swizzle: Swizzle,
    /// Lanes that elements are interleaved over: 8, 16, 32 or 64.
    pub index_stride: u32,
    /// ADD_TID_ENABLE: the lane's number is added to the index.
    pub add_tid: bool,
    /// OOB_SELECT, two bits on RDNA, one on CDNA 5; `None` where the rule is fixed.
    pub oob_select: Option<u8>,
    /// DST_SEL_X, Y, Z, W.
    pub dst_sel: [DstSel; 4],
    /// The format: gfx9's DATA_FORMAT (4 bits), or the unified FORMAT of RDNA. CDNA 5 has none.
    pub format: Option<u8>,
    /// gfx9's NUM_FORMAT (3 bits).
    pub num_format: Option<u8>,
    /// CACHE_SWIZZLE (gfx9, RDNA 1 and 2).
    pub cache_swizzle: bool,
    /// USER_VM_ENABLE (gfx9).
    pub user_vm_enable: bool,
    /// USER_VM_MODE (gfx9).
    pub user_vm_mode: bool,
    /// NV (gfx9).
    pub nv: bool,
    /// RESOURCE_LEVEL (RDNA 1 and 2), which must be 1 there.
    pub resource_level: Option<bool>,
    /// LLC_NOALLOC (RDNA 2, 3, 3.5).
    pub llc_no_alloc: u8,
    /// Write compression enable (RDNA 4).
    pub write_compress: bool,
    /// Compression enable (RDNA 4).
    pub compression: bool,
    /// Compression access mode (RDNA 4).
    pub compression_access: u8,
    /// TYPE: 0 for a buffer.
    pub kind: u8,
}

impl BufferDescriptor {
    /// Decodes the four words of a V#.
    ///
    /// ```
    /// use waveglass_mem::{Generation, buffer::BufferDescriptor};
    /// let v = BufferDescriptor::decode([0x1000, 16 << 16, 100, 0x0002_7000], Generation::Gcn5);
    /// assert_eq!((v.base, v.stride, v.num_records), (0x1000, 16, 100));
    /// assert_eq!(v.format, Some(4));
    /// ```
    pub const fn decode(words: [u32; 4], generation: Generation) -> Self {
        let bits = words[0] as u128
            | (words[1] as u128) << 32
            | (words[2] as u128) << 64
            | (words[3] as u128) << 96;
        // Bits `low` to `high` of the whole word.
        const fn field(bits: u128, high: u32, low: u32) -> u64 {
            ((bits >> low) & ((1 << (high - low + 1)) - 1)) as u64
        }
        let gfx9 = generation.is_gfx9();
        let cdna5 = matches!(generation, Generation::Cdna5);
        let rdna4 = matches!(generation, Generation::Rdna4);
        let rdna12 = matches!(generation, Generation::Rdna1 | Generation::Rdna2);
        let rdna3 = matches!(generation, Generation::Rdna3 | Generation::Rdna3_5);
        let scale = match (
            generation,
            field(bits, 115, 114) as u8,
            field(bits, 123, 122) as u8,
        ) {
            (Generation::Rdna4, code, _) | (Generation::Cdna5, _, code) => match code {
                0 => 1,
                1 => 4,
                2 => 8,
                _ => 32,
            },
            _ => 1,
        };
        let swizzle = if cdna5 {
            if field(bits, 124, 124) != 0 {
                Swizzle::Element16
            } else {
                Swizzle::Off
            }
        } else if gfx9 || rdna12 {
            if field(bits, 63, 63) != 0 {
                Swizzle::Element4
            } else {
                Swizzle::Off
            }
        } else {
            match field(bits, 63, 62) {
                0 => Swizzle::Off,
                1 => Swizzle::Element4,
                2 => Swizzle::Reserved,
                _ => Swizzle::Element16,
            }
        };
        let format = if gfx9 {
            Some(field(bits, 114, 111) as u8)
        } else if rdna12 {
            Some(field(bits, 114, 108) as u8)
        } else if cdna5 {
            None
        } else {
            Some(field(bits, 113, 108) as u8)
        };
        let dst_sel = if cdna5 {
            [DstSel::R, DstSel::G, DstSel::B, DstSel::A]
        } else {
            [
                DstSel::from_bits(field(bits, 98, 96) as u32),
                DstSel::from_bits(field(bits, 101, 99) as u32),
                DstSel::from_bits(field(bits, 104, 102) as u32),
                DstSel::from_bits(field(bits, 107, 105) as u32),
            ]
        };
        Self {
            generation,
            base: if cdna5 {
                field(bits, 56, 0)
            } else {
                field(bits, 47, 0)
            },
            stride: if cdna5 {
                field(bits, 121, 108) as u32
            } else {
                field(bits, 61, 48) as u32
            },
            stride_scale: scale,
            num_records: if cdna5 {
                field(bits, 101, 57)
            } else {
                field(bits, 95, 64)
            },
            swizzle,
            index_stride: if cdna5 {
                32
            } else {
                8 << field(bits, 118, 117)
            },
            add_tid: !cdna5 && field(bits, 119, 119) != 0,
            oob_select: if gfx9 {
                None
            } else if cdna5 {
                Some(field(bits, 125, 125) as u8)
            } else {
                Some(field(bits, 125, 124) as u8)
            },
            dst_sel,
            format,
            num_format: if gfx9 {
                Some(field(bits, 110, 108) as u8)
            } else {
                None
            },
            cache_swizzle: (gfx9 || rdna12) && field(bits, 62, 62) != 0,
            user_vm_enable: gfx9 && field(bits, 115, 115) != 0,
            user_vm_mode: gfx9 && field(bits, 116, 116) != 0,
            nv: gfx9 && field(bits, 123, 123) != 0,
            resource_level: if rdna12 {
                Some(field(bits, 120, 120) != 0)
            } else {
                None
            },
            llc_no_alloc: if rdna3 || matches!(generation, Generation::Rdna2) {
                field(bits, 123, 122) as u8
            } else {
                0
            },
            write_compress: rdna4 && field(bits, 120, 120) != 0,
            compression: rdna4 && field(bits, 121, 121) != 0,
            compression_access: if rdna4 {
                field(bits, 123, 122) as u8
            } else {
                0
            },
            kind: field(bits, 127, 126) as u8,
        }
    }

    /// Whether this is an unbound resource: the format is INVALID (0) and, for instructions that do not
    /// convert (`formatted` false), ADD_TID is off (RDNA 3 ISA 9.6). CDNA 5 has no format; there a V# of
    /// zeros has no records, which comes to the same.
    pub const fn is_unbound(&self, formatted: bool) -> bool {
        matches!(self.format, Some(0)) && (formatted || !self.add_tid)
    }

    /// The stride in bytes, scaled. On gfx9, ADD_TID makes DATA_FORMAT the upper four bits of an 18-bit
    /// stride for untyped instructions that do not convert (Vega ISA 8.1.5, table 30).
    pub const fn stride_bytes(&self, formatted: bool) -> u64 {
        let mut stride = self.stride as u64 * self.stride_scale as u64;
        if self.generation.is_gfx9()
            && self.add_tid
            && !formatted
            && let Some(format) = self.format
        {
            stride |= (format as u64) << 14;
        }
        stride
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // points: 9

    /// A word with the fields `(low bit, value)` set.
    fn v(fields: &[(u32, u128)]) -> [u32; 4] {
        let bits = fields.iter().fold(0, |w, (low, value)| w | value << low);
        std::array::from_fn(|i| (bits >> (32 * i)) as u32)
    }

    // Vega ISA 8.1.8, table of the buffer resource descriptor.
    #[test]
    fn gfx9_fields_stand_where_the_vega_manual_has_them() {
        let words = v(&[
            (0, 0x1234_5678_9abc),
            (48, 0x2abc),
            (62, 1),
            (63, 1),
            (64, 0xdead_beef),
            (96, 4),
            (99, 0),
            (102, 1),
            (105, 7),
            (108, 5),
            (111, 14),
            (115, 1),
            (117, 2),
            (119, 1),
            (123, 1),
        ]);
        for generation in [Generation::Gcn5, Generation::Cdna1, Generation::Cdna4] {
            let d = BufferDescriptor::decode(words, generation);
            assert_eq!(d.base, 0x1234_5678_9abc);
            assert_eq!((d.stride, d.num_records), (0x2abc, 0xdead_beef));
            assert!(d.cache_swizzle && d.add_tid && d.user_vm_enable && d.nv);
            assert!(!d.user_vm_mode);
            assert_eq!((d.swizzle, d.index_stride), (Swizzle::Element4, 32));
            assert_eq!((d.format, d.num_format), (Some(14), Some(5)));
            let sel = [DstSel::R, DstSel::Zero, DstSel::One, DstSel::A];
            assert_eq!((d.dst_sel, d.oob_select, d.kind), (sel, None, 0));
            // 18-bit stride: {data_format, stride}.
            assert_eq!(d.stride_bytes(false), 14 << 14 | 0x2abc);
            assert_eq!(d.stride_bytes(true), 0x2abc);
        }
    }

    // rule: the fields of a descriptor stand where each generation has them; section RDNA 1 ISA 8.1.8,
    // RDNA 2 ISA 8.1.8, RDNA 3 ISA 9.6, RDNA 4 ISA 9.6, CDNA 5 ISA 9.6.
    #[test]
    fn rdna_fields_move_between_generations() {
        let words = v(&[(62, 3), (108, 0x77), (117, 3), (120, 1), (122, 2), (124, 3)]);
        let d = BufferDescriptor::decode(words, Generation::Rdna1);
        assert_eq!((d.format, d.oob_select), (Some(0x77), Some(3)));
        assert_eq!((d.swizzle, d.index_stride), (Swizzle::Element4, 64));
        assert_eq!((d.resource_level, d.llc_no_alloc), (Some(true), 0));
        let d = BufferDescriptor::decode(words, Generation::Rdna2);
        assert_eq!(d.llc_no_alloc, 2);
        let d = BufferDescriptor::decode(words, Generation::Rdna3);
        assert_eq!((d.format, d.swizzle), (Some(0x37), Swizzle::Element16));
        assert_eq!((d.resource_level, d.stride_scale), (None, 1));
        let d = BufferDescriptor::decode(v(&[(48, 100), (114, 2), (120, 1)]), Generation::Rdna4);
        assert_eq!(d.stride_bytes(false), 800);
        assert!(d.write_compress && !d.compression);
    }

    // CDNA 5 ISA 9.6: base 56:0, num_records 101:57, stride 121:108, scale 123:122.
    #[test]
    fn cdna5_has_a_57_bit_base_and_a_45_bit_byte_count() {
        let words = v(&[
            (0, 0x1ab_cdef_0123_4567),
            (57, 0x1234_5678_9abc),
            (108, 0x2bcd),
            (122, 3),
            (124, 1),
            (125, 1),
        ]);
        let d = BufferDescriptor::decode(words, Generation::Cdna5);
        assert_eq!(d.base, 0x1ab_cdef_0123_4567);
        assert_eq!(d.num_records, 0x1234_5678_9abc);
        assert_eq!(d.stride_bytes(false), 0x2bcd * 32);
        assert_eq!((d.swizzle, d.index_stride), (Swizzle::Element16, 32));
        assert_eq!((d.oob_select, d.kind, d.format), (Some(1), 0, None));
    }

    // RDNA 3 ISA 9.6.
    #[test]
    fn a_descriptor_of_zeros_is_unbound_unless_add_tid_makes_it_scratch() {
        for generation in Generation::ALL {
            let zero = BufferDescriptor::decode([0; 4], generation);
            assert_eq!(zero.is_unbound(false), generation != Generation::Cdna5);
        }
        let scratch = BufferDescriptor::decode(v(&[(119, 1)]), Generation::Gcn5);
        assert!(!scratch.is_unbound(false));
        assert!(scratch.is_unbound(true));
    }
}
