//! Typed loads and stores of a whole wave.

use super::{Format, Layout};
use crate::access::{Element, Lanes, Port, ROW_LANES, Row};
use crate::buffer::descriptor::{BufferDescriptor, DstSel};
use crate::buffer::{BufferLane, BufferRequest};
use crate::global::GlobalMemory;
use crate::rules::{AlignmentMode, Generation};

/// What a typed instruction asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormatAccess {
    /// The format: the descriptor's or the instruction's.
    pub format: Format,
    /// Where components go: the descriptor's selects, or [`FormatAccess::IDENTITY`] for `tbuffer_*`.
    pub dst_sel: [DstSel; 4],
    /// Components in registers: 1 for `_x` to 4 for `_xyzw`.
    pub components: usize,
    /// Whether registers hold 16-bit values.
    pub d16: bool,
}

impl FormatAccess {
    /// The selects of instructions that take none from the descriptor.
    pub const IDENTITY: [DstSel; 4] = [DstSel::R, DstSel::G, DstSel::B, DstSel::A];

    /// The value of result component `i`; one that the format does not have is zero ("X000", "XY00",
    /// … in RDNA 3 ISA 9.3).
    fn selected(&self, i: usize, loaded: &[u32; 4]) -> u32 {
        match self.dst_sel[i] {
            DstSel::R => loaded[0],
            DstSel::G => loaded[1],
            DstSel::B => loaded[2],
            DstSel::A => loaded[3],
            DstSel::One => self.format.number.one(self.d16),
            DstSel::Zero | DstSel::Reserved(_) => 0,
        }
    }

    /// Register values from an element's dwords.
    fn load(&self, element: &[u32; 4]) -> [u32; 4] {
        let number = self.format.number;
        let mut loaded = [0; 4];
        let mut at = 0;
        for (value, &width) in loaded.iter_mut().zip(self.format.layout.widths()) {
            let bits = element[at as usize / 32] >> (at % 32) & (u32::MAX >> (32 - width));
            *value = if self.d16 {
                number.load_d16(bits, width)
            } else {
                number.load(bits, width)
            };
            at += width;
        }
        std::array::from_fn(|i| self.selected(i, &loaded))
    }

    /// An element's dwords from register values: each component of memory takes what its select names
    /// among the four.
    fn store(&self, registers: &[u32; 4]) -> [u32; 4] {
        let number = self.format.number;
        let mut element = [0; 4];
        let mut at = 0;
        for (i, &width) in self.format.layout.widths().iter().enumerate() {
            let value = self.selected(i, registers);
            let bits = if self.d16 {
                number.store_d16(value, width)
            } else {
                number.store(value, width)
            };
            element[at as usize / 32] |= bits << (at % 32);
            at += width;
        }
        element
    }
}

/// The plain element that moves a layout's bytes.
fn element(layout: Layout) -> Element {
    match layout.bytes() {
        1 => Element::U8,
        2 => Element::U16,
        4 => Element::B32,
        8 => Element::B64,
        12 => Element::B96,
        _ => Element::B128,
    }
}

impl BufferDescriptor {
    /// Loads with conversion for every active lane. `dst` has `access.components` registers, one a
    /// component; 16-bit values are in their low halves. `request.bytes` is set here. Gives the lanes
    /// that were out of range, whose components are zero, or one where the select says so.
    ///
    /// A descriptor that is not a buffer's leaves `dst` alone.
    ///
    /// # Panics
    /// If `dst` has too few rows.
    pub fn load_format(
        &self,
        memory: &GlobalMemory,
        request: &BufferRequest,
        lanes: Lanes<'_, BufferLane>,
        access: &FormatAccess,
        dst: &mut [Row],
        port: &mut Port,
    ) -> u64 {
        if self.kind != 0 {
            return 0;
        }
        let rows = lanes.rows();
        let element = element(access.format.layout);
        let request = BufferRequest {
            bytes: element.bytes(),
            ..*request
        };
        let mut raw = [[0; ROW_LANES]; 8];
        let out = self.with_format_alignment(port, |port| {
            self.load(memory, &request, lanes, element, &mut raw, port)
        });
        for (lane, _) in lanes.active() {
            let (row, column) = (lane / ROW_LANES, lane % ROW_LANES);
            let mut bits = [0; 4];
            for (d, bits) in bits.iter_mut().take(element.dwords()).enumerate() {
                *bits = raw[d * rows + row][column];
            }
            let values = access.load(&bits);
            for (i, value) in values.iter().take(access.components).enumerate() {
                dst[i * rows + row][column] = *value;
            }
        }
        out
    }

    /// Stores with conversion for every active lane; see [`BufferDescriptor::load_format`].
    ///
    /// Components that the instruction does not have are zero (RDNA 3 ISA 9.3.2), on RDNA 4 copies of the first:
    /// "if the surface has 4 components and the shader only supplies X and Y, the result is written with XYXX"
    /// (RDNA 4 ISA 9.3).
    ///
    /// # Panics
    /// If `src` has too few rows.
    pub fn store_format(
        &self,
        memory: &GlobalMemory,
        request: &BufferRequest,
        lanes: Lanes<'_, BufferLane>,
        access: &FormatAccess,
        src: &[Row],
        port: &mut Port,
    ) -> u64 {
        let rows = lanes.rows();
        let element = element(access.format.layout);
        let request = BufferRequest {
            bytes: element.bytes(),
            ..*request
        };
        let mut raw = [[0; ROW_LANES]; 8];
        for (lane, _) in lanes.active() {
            let (row, column) = (lane / ROW_LANES, lane % ROW_LANES);
            let mut values = [0; 4];
            for (i, value) in values.iter_mut().take(access.components).enumerate() {
                *value = src[i * rows + row][column];
            }
            if self.generation == Generation::Rdna4 {
                let first = values[0];
                values[access.components..].fill(first);
            }
            let bits = access.store(&values);
            for (d, bits) in bits.iter().take(element.dwords()).enumerate() {
                raw[d * rows + row][column] = *bits;
            }
        }
        self.with_format_alignment(port, |port| {
            self.store(memory, &request, lanes, element, &raw, port)
        })
    }

    /// Runs `access` under the alignment rule of typed accesses: from RDNA 2 on they must be aligned to
    /// the smaller of the element and a dword whatever the mode (RDNA 2 ISA 8.1.7, RDNA 3 ISA 9.5);
    /// before, the mode decides.
    fn with_format_alignment<T>(&self, port: &mut Port, access: impl FnOnce(&mut Port) -> T) -> T {
        let mode = port.rules.alignment;
        if !self.generation.is_gfx9() && self.generation != Generation::Rdna1 {
            port.rules.alignment = AlignmentMode::DwordStrict;
        }
        let done = access(port);
        port.rules.alignment = mode;
        done
    }
}
