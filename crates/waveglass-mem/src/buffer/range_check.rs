//! What is out of a buffer's range, by each generation's rules.

use super::address::{BufferKind, BufferLane, BufferRequest};
use super::descriptor::BufferDescriptor;
use crate::rules::Generation;

impl BufferDescriptor {
    /// Whether a component of a lane is in range (see [`BufferDescriptor::resolve`] for components).
    ///
    /// Plain loads and stores are checked dword by dword with sums that do not wrap; formatted ones and
    /// atomics whole. `index`, `offset`, `payload` (bytes) and `NR` (NUM_RECORDS) as in the manuals:
    ///
    /// * GCN 5, CDNA 1 to 4 (Vega ISA 8.1.5): scratch (`add_tid`, no `idxen`) is never checked; raw
    ///   (no `add_tid`, no swizzle, no `idxen`) is out where `offset >= NR`; structured (`idxen`, stride
    ///   not 0) where `index >= NR`. The manual leaves other combinations open; here `idxen` with stride 0
    ///   and swizzled buffers without `idxen` are checked as raw, since NR then counts bytes, and `idxen`
    ///   with `add_tid` as structured.
    /// * RDNA 1 to 4 (RDNA 3 ISA 9.4.1) by OOB_SELECT. 0: `index >= NR || offset + payload > stride`
    ///   (RDNA 1 and 2: `offset >= stride`; RDNA 1's manual prints `>`, Mesa and RDNA 2's have `>=`);
    ///   1: `index >= NR`; 2: `NR == 0`; 3: swizzled with a stride
    ///   `index >= NR || offset + payload > stride`, else `offset + payload > NR - soffset`. Mode 3 is
    ///   missing in RDNA 2's and RDNA 4's tables; their neighbours' rule stands in.
    /// * CDNA 5 (ISA 9.4.1): swizzled buffers are not checked; else out where
    ///   `index * stride + offset + payload > NR`, and with OOB_SELECT 1 also where
    ///   `offset + payload > stride`.
    pub fn in_range(&self, request: &BufferRequest, lane: &BufferLane, component: u32) -> bool {
        let rule = self.range_rule(request.idxen, request.kind.is_formatted());
        rule.holds(&self.range_values(request, lane, component))
    }

    /// What an access with or without `idxen` is checked for; `formatted` accesses of GCN 5 and CDNA 1 to 4
    /// know a stride of 14 bits only.
    pub fn range_rule(&self, idxen: bool, formatted: bool) -> RangeRule {
        let stride = self.stride_bytes(formatted);
        let swizzled = self.swizzle.element_bytes().is_some();
        let oob = self.oob_select.unwrap_or(0);
        match self.generation {
            g if g.is_gfx9() => {
                if self.add_tid && !idxen {
                    RangeRule::Unchecked
                } else if idxen && stride != 0 {
                    RangeRule::Index
                } else {
                    RangeRule::Offset
                }
            }
            Generation::Cdna5 if swizzled => RangeRule::Unchecked,
            Generation::Cdna5 => RangeRule::Total { record: oob != 0 },
            g => match oob {
                0 => RangeRule::Record {
                    payload: !matches!(g, Generation::Rdna1 | Generation::Rdna2),
                },
                1 => RangeRule::Index,
                2 => RangeRule::NotEmpty,
                _ if swizzled && stride != 0 => RangeRule::Record { payload: true },
                _ => RangeRule::Bytes,
            },
        }
    }

    /// The values that a component of a lane is checked with.
    pub fn range_values(
        &self,
        request: &BufferRequest,
        lane: &BufferLane,
        component: u32,
    ) -> RangeValues {
        let whole = request.kind != BufferKind::Untyped;
        let (extra, payload) = if whole {
            (0, u64::from(request.bytes))
        } else {
            (u64::from(component) * 4, u64::from(request.bytes.min(4)))
        };
        RangeValues {
            index: self.index(request, lane),
            offset: self.offset(request, lane) + extra,
            payload,
            stride: self.stride_bytes(request.kind.is_formatted()),
            records: self.num_records,
            soffset: request.soffset.into(),
        }
    }
}

/// A range check: the condition under which an access is in range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RangeRule {
    /// Always in range.
    Unchecked,
    /// `index < NUM_RECORDS`.
    Index,
    /// `offset < NUM_RECORDS`, whatever the soffset.
    Offset,
    /// `NUM_RECORDS != 0`.
    NotEmpty,
    /// `index < NUM_RECORDS`, and `offset + payload <= stride`, or without payload `offset < stride`.
    Record {
        /// Whether the bytes accessed count.
        payload: bool,
    },
    /// `offset + payload <= NUM_RECORDS - soffset`.
    Bytes,
    /// `stride * index + offset + payload <= NUM_RECORDS`, and for a `record` `offset + payload <= stride`;
    /// the soffset is part of the offset.
    Total {
        /// Whether the record bounds it too.
        record: bool,
    },
}

/// What a [`RangeRule`] compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RangeValues {
    /// The index.
    pub index: u64,
    /// The offset in bytes, that of the component included.
    pub offset: u64,
    /// Bytes checked at once.
    pub payload: u64,
    /// The stride in bytes.
    pub stride: u64,
    /// NUM_RECORDS.
    pub records: u64,
    /// The scalar offset.
    pub soffset: u64,
}

impl RangeRule {
    /// Whether the access is in range.
    pub fn holds(self, v: &RangeValues) -> bool {
        let in_record = v.offset + v.payload <= v.stride;
        match self {
            Self::Unchecked => true,
            Self::Index => v.index < v.records,
            Self::Offset => v.offset < v.records,
            Self::NotEmpty => v.records != 0,
            Self::Record { payload } => {
                v.index < v.records
                    && if payload {
                        in_record
                    } else {
                        v.offset < v.stride
                    }
            }
            Self::Bytes => v.offset + v.payload <= v.records.saturating_sub(v.soffset),
            Self::Total { record } => {
                let total =
                    u128::from(v.index) * u128::from(v.stride) + u128::from(v.offset + v.payload);
                total <= u128::from(v.records) && (!record || in_record)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffer::Swizzle;

    // points: 9

    fn descriptor(generation: Generation, records: u64, stride: u32) -> BufferDescriptor {
        let mut d = BufferDescriptor::decode([0; 4], generation);
        d.format = d.format.map(|_| 4);
        d.num_records = records;
        d.stride = stride;
        d
    }

    const RAW: BufferRequest = BufferRequest {
        kind: BufferKind::Untyped,
        idxen: false,
        offen: true,
        soffset: 0,
        inst_offset: 0,
        bytes: 4,
    };
    const STRUCTURED: BufferRequest = BufferRequest { idxen: true, ..RAW };

    fn lane(vindex: u32, voffset: u32) -> BufferLane {
        BufferLane {
            vindex,
            voffset,
            lane: 0,
        }
    }

    // Vega ISA 8.1.5 "Range checking": raw buffers.
    #[test]
    fn gfx9_raw_compares_the_offset_without_soffset_in_bytes() {
        let d = descriptor(Generation::Gcn5, 16, 0);
        let far = BufferRequest {
            soffset: 0x1000,
            ..RAW
        };
        assert!(d.in_range(&far, &lane(0, 12), 0));
        assert!(d.in_range(&RAW, &lane(0, 15), 0));
        assert!(!d.in_range(&RAW, &lane(0, 16), 0));
    }

    // rule: loads and stores are checked dword by dword, atomics whole; section Vega ISA 8.1.5, RDNA 3
    // ISA 9.4.1.
    #[test]
    fn dwords_are_checked_alone_and_offsets_do_not_wrap() {
        let d = descriptor(Generation::Gcn5, 16, 0);
        let x4 = BufferRequest { bytes: 16, ..RAW };
        let checks = |l: &BufferLane| [0, 1, 2, 3].map(|c| d.in_range(&x4, l, c));
        assert_eq!(checks(&lane(0, 8)), [true, true, false, false]);
        // AMDGPUUsage: an offset of -4 is out for all four dwords.
        assert_eq!(checks(&lane(0, -4i32 as u32)), [false; 4]);
        let atomic = BufferRequest {
            kind: BufferKind::Atomic,
            bytes: 8,
            ..RAW
        };
        let rdna3 = descriptor_oob(Generation::Rdna3, 16, 0, 3);
        assert!(rdna3.in_range(&atomic, &lane(0, 8), 0));
        assert!(!rdna3.in_range(&atomic, &lane(0, 12), 0));
    }

    // Vega ISA 8.1.5: structured buffers count records; scratch buffers are not checked.
    #[test]
    fn gfx9_structured_compares_the_index_and_scratch_nothing() {
        let d = descriptor(Generation::Cdna3, 4, 16);
        assert!(d.in_range(&STRUCTURED, &lane(3, 100), 0));
        assert!(!d.in_range(&STRUCTURED, &lane(4, 0), 0));
        let mut scratch = descriptor(Generation::Gcn5, 0, 0);
        scratch.add_tid = true;
        assert!(scratch.in_range(&RAW, &lane(0, 0xffff_fff0), 0));
    }

    fn descriptor_oob(
        generation: Generation,
        records: u64,
        stride: u32,
        oob: u8,
    ) -> BufferDescriptor {
        let mut d = descriptor(generation, records, stride);
        d.oob_select = Some(oob);
        d
    }

    // RDNA 2 ISA 8.1.5 table 35; RDNA 3 ISA 9.4.1 table 46.
    #[test]
    fn oob_select_0_checks_index_and_offset_in_the_record() {
        for generation in [Generation::Rdna1, Generation::Rdna2] {
            let d = descriptor_oob(generation, 4, 16, 0);
            assert!(d.in_range(&STRUCTURED, &lane(3, 15), 0));
            assert!(!d.in_range(&STRUCTURED, &lane(3, 16), 0));
            assert!(!d.in_range(&STRUCTURED, &lane(4, 0), 0));
        }
        for generation in [Generation::Rdna3, Generation::Rdna3_5, Generation::Rdna4] {
            let d = descriptor_oob(generation, 4, 16, 0);
            assert!(d.in_range(&STRUCTURED, &lane(3, 12), 0));
            assert!(!d.in_range(&STRUCTURED, &lane(3, 13), 0));
            assert!(!d.in_range(&STRUCTURED, &lane(4, 0), 0));
        }
    }

    // rule: OOB_SELECT 1 checks the index, 2 only that the buffer is not empty; section RDNA 3 ISA
    // 9.4.1, RDNA 4 ISA 9.4.1.
    #[test]
    fn oob_select_1_and_2_check_the_index_and_emptiness() {
        for generation in [Generation::Rdna1, Generation::Rdna3, Generation::Rdna4] {
            let d = descriptor_oob(generation, 4, 16, 1);
            assert!(d.in_range(&STRUCTURED, &lane(3, 1000), 0));
            assert!(!d.in_range(&STRUCTURED, &lane(4, 0), 0));
            let d = descriptor_oob(generation, 1, 16, 2);
            assert!(d.in_range(&STRUCTURED, &lane(9, 1000), 0));
            let d = descriptor_oob(generation, 0, 16, 2);
            assert!(!d.in_range(&STRUCTURED, &lane(0, 0), 0));
        }
    }

    // rule: OOB_SELECT 3 checks bytes, less the SGPR offset, or the record where the buffer is
    // swizzled; section RDNA 3 ISA 9.4.1.
    #[test]
    fn oob_select_3_checks_bytes_less_soffset_or_the_record_where_swizzled() {
        let mut d = descriptor_oob(Generation::Rdna3, 64, 16, 3);
        let shifted = BufferRequest { soffset: 32, ..RAW };
        assert!(d.in_range(&RAW, &lane(0, 60), 0));
        assert!(!d.in_range(&RAW, &lane(0, 61), 0));
        assert!(d.in_range(&shifted, &lane(0, 28), 0));
        assert!(!d.in_range(&shifted, &lane(0, 29), 0));
        d.swizzle = Swizzle::Element4;
        assert!(d.in_range(&STRUCTURED, &lane(63, 12), 0));
        assert!(!d.in_range(&STRUCTURED, &lane(63, 16), 0));
        assert!(!d.in_range(&STRUCTURED, &lane(64, 0), 0));
    }

    // CDNA 5 ISA 9.4.1 table 56.
    #[test]
    fn cdna5_checks_total_bytes_with_soffset_and_nothing_where_swizzled() {
        let mut d = descriptor_oob(Generation::Cdna5, 64, 16, 0);
        assert!(d.in_range(&STRUCTURED, &lane(3, 12), 0));
        assert!(!d.in_range(&STRUCTURED, &lane(3, 13), 0));
        assert!(d.in_range(&STRUCTURED, &lane(0, 60), 0));
        let shifted = BufferRequest {
            soffset: 4,
            ..STRUCTURED
        };
        assert!(!d.in_range(&shifted, &lane(3, 12), 0));
        d.oob_select = Some(1);
        assert!(!d.in_range(&STRUCTURED, &lane(0, 60), 0));
        assert!(d.in_range(&STRUCTURED, &lane(0, 12), 0));
        d.swizzle = Swizzle::Element16;
        assert!(d.in_range(&STRUCTURED, &lane(1000, 1000), 0));
    }
}
