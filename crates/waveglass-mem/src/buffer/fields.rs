//! The bits of a V# on each generation, as a table.
//!
//! Sources: Vega ISA 8.1.8, CDNA 3 ISA 9.1.8, RDNA 1 and 2 ISA 8.1.8, RDNA 3, RDNA 4 and CDNA 5 ISA 9.6;
//! LLC_NOALLOC and RDNA 4's compression bits stand in Mesa's register descriptions.

use crate::rules::Generation;

/// A field of a V#.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DescriptorField {
    /// Its name, in lower case.
    pub name: &'static str,
    /// Its lowest bit in the 128.
    pub low: u32,
    /// How many bits it has.
    pub width: u32,
}

impl DescriptorField {
    /// Its highest bit.
    pub const fn high(&self) -> u32 {
        self.low + self.width - 1
    }

    /// The largest value that it holds.
    pub const fn max(&self) -> u64 {
        u64::MAX >> (64 - self.width)
    }

    /// Its value in a V#.
    pub fn get(&self, words: [u32; 4]) -> u64 {
        (bits(words) >> self.low) as u64 & self.max()
    }

    /// The V# with this field set to the low bits of `value`.
    #[must_use]
    pub fn set(&self, words: [u32; 4], value: u64) -> [u32; 4] {
        let mask = u128::from(self.max()) << self.low;
        let all = bits(words) & !mask | u128::from(value) << self.low & mask;
        std::array::from_fn(|i| (all >> (32 * i)) as u32)
    }
}

fn bits(words: [u32; 4]) -> u128 {
    words
        .iter()
        .rev()
        .fold(0, |all, &word| all << 32 | u128::from(word))
}

const fn f(name: &'static str, low: u32, width: u32) -> DescriptorField {
    DescriptorField { name, low, width }
}

const BASE: DescriptorField = f("base", 0, 48);
const STRIDE: DescriptorField = f("stride", 48, 14);
const CACHE_SWIZZLE: DescriptorField = f("cache_swizzle", 62, 1);
const SWIZZLE_ENABLE: DescriptorField = f("swizzle_enable", 63, 1);
const SWIZZLE_ENABLE_2: DescriptorField = f("swizzle_enable", 62, 2);
const NUM_RECORDS: DescriptorField = f("num_records", 64, 32);
const DST_SEL_X: DescriptorField = f("dst_sel_x", 96, 3);
const DST_SEL_Y: DescriptorField = f("dst_sel_y", 99, 3);
const DST_SEL_Z: DescriptorField = f("dst_sel_z", 102, 3);
const DST_SEL_W: DescriptorField = f("dst_sel_w", 105, 3);
const INDEX_STRIDE: DescriptorField = f("index_stride", 117, 2);
const ADD_TID: DescriptorField = f("add_tid_enable", 119, 1);
const LLC_NOALLOC: DescriptorField = f("llc_noalloc", 122, 2);
const OOB_SELECT: DescriptorField = f("oob_select", 124, 2);
const TYPE: DescriptorField = f("type", 126, 2);

const GFX9: &[DescriptorField] = &[
    BASE,
    STRIDE,
    CACHE_SWIZZLE,
    SWIZZLE_ENABLE,
    NUM_RECORDS,
    DST_SEL_X,
    DST_SEL_Y,
    DST_SEL_Z,
    DST_SEL_W,
    f("num_format", 108, 3),
    f("data_format", 111, 4),
    f("user_vm_enable", 115, 1),
    f("user_vm_mode", 116, 1),
    INDEX_STRIDE,
    ADD_TID,
    f("nv", 123, 1),
    TYPE,
];

const RDNA1: &[DescriptorField] = &[
    BASE,
    STRIDE,
    CACHE_SWIZZLE,
    SWIZZLE_ENABLE,
    NUM_RECORDS,
    DST_SEL_X,
    DST_SEL_Y,
    DST_SEL_Z,
    DST_SEL_W,
    f("format", 108, 7),
    INDEX_STRIDE,
    ADD_TID,
    f("resource_level", 120, 1),
    OOB_SELECT,
    TYPE,
];

const RDNA2: &[DescriptorField] = &[
    BASE,
    STRIDE,
    CACHE_SWIZZLE,
    SWIZZLE_ENABLE,
    NUM_RECORDS,
    DST_SEL_X,
    DST_SEL_Y,
    DST_SEL_Z,
    DST_SEL_W,
    f("format", 108, 7),
    INDEX_STRIDE,
    ADD_TID,
    f("resource_level", 120, 1),
    LLC_NOALLOC,
    OOB_SELECT,
    TYPE,
];

const RDNA3: &[DescriptorField] = &[
    BASE,
    STRIDE,
    SWIZZLE_ENABLE_2,
    NUM_RECORDS,
    DST_SEL_X,
    DST_SEL_Y,
    DST_SEL_Z,
    DST_SEL_W,
    f("format", 108, 6),
    INDEX_STRIDE,
    ADD_TID,
    LLC_NOALLOC,
    OOB_SELECT,
    TYPE,
];

const RDNA4: &[DescriptorField] = &[
    BASE,
    STRIDE,
    SWIZZLE_ENABLE_2,
    NUM_RECORDS,
    DST_SEL_X,
    DST_SEL_Y,
    DST_SEL_Z,
    DST_SEL_W,
    f("format", 108, 6),
    f("stride_scale", 114, 2),
    INDEX_STRIDE,
    ADD_TID,
    f("write_compress_enable", 120, 1),
    f("compression_enable", 121, 1),
    f("compression_access_mode", 122, 2),
    OOB_SELECT,
    TYPE,
];

const CDNA5: &[DescriptorField] = &[
    f("base", 0, 57),
    f("num_records", 57, 45),
    f("stride", 108, 14),
    f("stride_scale", 122, 2),
    f("swizzle_enable", 124, 1),
    f("oob_select", 125, 1),
    TYPE,
];

impl DescriptorField {
    /// The fields of a V# on `generation`, lowest bit first.
    ///
    /// ```
    /// use waveglass_mem::{Generation, buffer::DescriptorField};
    /// let fields = DescriptorField::all(Generation::Cdna5);
    /// let records = fields.iter().find(|f| f.name == "num_records").unwrap();
    /// assert_eq!((records.high(), records.low), (101, 57));
    /// ```
    pub const fn all(generation: Generation) -> &'static [Self] {
        match generation {
            Generation::Rdna1 => RDNA1,
            Generation::Rdna2 => RDNA2,
            Generation::Rdna3 | Generation::Rdna3_5 => RDNA3,
            Generation::Rdna4 => RDNA4,
            Generation::Cdna5 => CDNA5,
            _ => GFX9,
        }
    }

    /// The bits that belong to no field and must be zero, as a V#.
    pub fn reserved(generation: Generation) -> [u32; 4] {
        Self::all(generation)
            .iter()
            .fold([u32::MAX; 4], |left, field| field.set(left, 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffer::{BufferDescriptor, DstSel, Swizzle};

    // points: 9

    // rule: the fields of a descriptor do not overlap; section Vega ISA 8.1.8, RDNA 3 ISA 9.6, CDNA 5
    // ISA 9.6.
    #[test]
    fn fields_do_not_overlap_and_stand_in_order() {
        for generation in Generation::ALL {
            let fields = DescriptorField::all(generation);
            for pair in fields.windows(2) {
                assert!(
                    pair[0].high() < pair[1].low,
                    "{generation:?} {}",
                    pair[1].name
                );
            }
            for field in fields {
                assert_eq!(field.get(field.set([0; 4], u64::MAX)), field.max());
                assert_eq!(field.get(field.set([u32::MAX; 4], 0)), 0);
            }
        }
    }

    /// One field set alone, as [`BufferDescriptor::decode`] sees it.
    fn decoded(generation: Generation, name: &str, value: u64) -> BufferDescriptor {
        let mut fields = DescriptorField::all(generation).iter();
        let field = fields.find(|f| f.name == name).expect("a field");
        BufferDescriptor::decode(field.set([0; 4], value), generation)
    }

    // rule: fields of a V#; section Vega ISA 8.1.8, RDNA 1 and 2 ISA 8.1.8, RDNA 3, RDNA 4, CDNA 5 ISA 9.6.
    #[test]
    fn the_table_and_the_decoder_agree_on_every_generation() {
        for g in Generation::ALL {
            let cdna5 = g == Generation::Cdna5;
            for field in DescriptorField::all(g) {
                for value in [1, field.max()] {
                    let d = decoded(g, field.name, value);
                    let seen = match field.name {
                        "base" => d.base,
                        "stride" => d.stride.into(),
                        "num_records" => d.num_records,
                        "cache_swizzle" => d.cache_swizzle.into(),
                        "swizzle_enable" => match d.swizzle {
                            Swizzle::Off => 0,
                            Swizzle::Element16 if !cdna5 => 3,
                            Swizzle::Element4 | Swizzle::Element16 => 1,
                            Swizzle::Reserved => 2,
                        },
                        "dst_sel_x" | "dst_sel_y" | "dst_sel_z" | "dst_sel_w" => {
                            let i = "xyzw".find(&field.name[8..]).expect("a letter");
                            match d.dst_sel[i] {
                                DstSel::One => 1,
                                DstSel::A => 7,
                                other => panic!("{other:?}"),
                            }
                        }
                        "num_format" => d.num_format.map_or(9, u64::from),
                        "data_format" | "format" => d.format.map_or(0, u64::from),
                        "user_vm_enable" => d.user_vm_enable.into(),
                        "user_vm_mode" => d.user_vm_mode.into(),
                        "index_stride" => d.index_stride.trailing_zeros() as u64 - 3,
                        "add_tid_enable" => d.add_tid.into(),
                        "nv" => d.nv.into(),
                        "resource_level" => d.resource_level.map_or(9, u64::from),
                        "llc_noalloc" => d.llc_no_alloc.into(),
                        "oob_select" => d.oob_select.map_or(9, u64::from),
                        "stride_scale" => match d.stride_scale {
                            4 => 1,
                            32 => 3,
                            other => other.into(),
                        },
                        "write_compress_enable" => d.write_compress.into(),
                        "compression_enable" => d.compression.into(),
                        "compression_access_mode" => d.compression_access.into(),
                        "type" => d.kind.into(),
                        other => panic!("{other} is not decoded"),
                    };
                    assert_eq!(seen, value, "{g:?} {}", field.name);
                }
            }
        }
    }

    // rule: the bits of no field are reserved; section Vega ISA 8.1.8, RDNA 2 ISA 8.1.8, CDNA 5 ISA
    // 9.6.
    #[test]
    fn reserved_bits_are_those_of_no_field() {
        assert_eq!(
            DescriptorField::reserved(Generation::Rdna2),
            [0, 0, 0, 1 << 19 | 1 << 20 | 1 << 25]
        );
        // 107:102.
        assert_eq!(
            DescriptorField::reserved(Generation::Cdna5),
            [0, 0, 0, 0x3f << 6]
        );
        let gfx9 = DescriptorField::reserved(Generation::Gcn5);
        assert_eq!(gfx9, [0, 0, 0, 7 << 24 | 3 << 28]);
    }
}
