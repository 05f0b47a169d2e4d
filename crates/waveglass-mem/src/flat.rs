//! Flat addressing: one address that resolves to global memory, LDS or scratch.
//!
//! [`Apertures`] tells where an address falls; [`Flat`] performs accesses whose lanes may fall in
//! different spaces.
//!
//! Where the aperture test stands relative to the immediate offset:
//!
//! | generations | tested address | source |
//! |---|---|---|
//! | GCN 5, CDNA 1 to 4, RDNA 1, 2 | before the offset | see below |
//! | RDNA 3, 3.5, 4 | before the offset | "uses only the base address, not the IOFFSET" (RDNA 4 ISA 11.2) |
//! | CDNA 5 | after all offsets | the equations of CDNA 5 ISA 10.2 (its 10.3 still has the older text) |
//!
//! The older manuals do not say. Their flat offset is unsigned and compilers fold a constant only into
//! an address of the same object, so that both readings agree on compiled code; "before" is taken as
//! the rule that the later manuals spell out.

use crate::access::{Element, Lanes, Port, ROW_LANES, Row};
use crate::atomic::AtomicWidth;
use crate::fault::{Access, FaultKind, Space};
use crate::global::{Atomic, GlobalMemory, set_lane_value};
use crate::lds::Lds;
use crate::rules::Generation;
use crate::scratch::ScratchWindow;

/// `SH_MEM_BASES` and the pointer size: where the LDS and scratch apertures lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Apertures {
    /// `SHARED_BASE`, the LDS aperture; 0 disables it.
    pub shared_base: u16,
    /// `PRIVATE_BASE`, the scratch aperture; 0 disables it.
    pub private_base: u16,
    /// 32-bit pointers (PTR32, `SH_MEM_CONFIG.ADDRESS_MODE` = 1): apertures of 64 KiB at `base << 16`.
    pub ptr32: bool,
}

/// Where a flat address falls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// This global address.
    Global(u64),
    /// This byte offset in the workgroup's LDS, not yet checked against its size.
    Lds(u32),
    /// This private offset of the lane, not yet checked against the scratch size.
    Scratch(i64),
    /// Scratch of any wave, at this global address (CDNA 5, ISA 10.2.1).
    SharedScratch(u64),
    /// No memory: a violation.
    Hole(u64),
}

impl Apertures {
    /// Decodes `SH_MEM_BASES`: PRIVATE_BASE in bits 15:0, SHARED_BASE in bits 31:16.
    pub const fn from_bases(sh_mem_bases: u32, ptr32: bool) -> Self {
        Self {
            shared_base: (sh_mem_bases >> 16) as u16,
            private_base: sh_mem_bases as u16,
            ptr32,
        }
    }

    const fn start(&self, base: u16) -> u64 {
        if self.ptr32 {
            (base as u64) << 16
        } else {
            (base as u64) << 48
        }
    }

    const fn last(&self, base: u16) -> u64 {
        self.start(base) | if self.ptr32 { 0xffff } else { 0xffff_ffff }
    }

    /// The SHARED_BASE operand: the LDS aperture's first address (RDNA 3 ISA 6.9).
    pub const fn shared_base(&self) -> u64 {
        self.start(self.shared_base)
    }

    /// The SHARED_LIMIT operand: the LDS aperture's last address.
    pub const fn shared_limit(&self) -> u64 {
        self.last(self.shared_base)
    }

    /// The PRIVATE_BASE operand: the scratch aperture's first address.
    pub const fn private_base(&self) -> u64 {
        self.start(self.private_base)
    }

    /// The PRIVATE_LIMIT operand: the scratch aperture's last address.
    pub const fn private_limit(&self) -> u64 {
        self.last(self.private_base)
    }

    /// CDNA 5's FLAT_SCRATCH_BASE operand for a wave32 whose scratch is at `scratch_base`, a multiple
    /// of 128: the flat address of lane 0's private offset 0 (CDNA 5 ISA 10.2.1). The lane goes to
    /// bits 56:52.
    pub const fn flat_scratch_base(&self, scratch_base: u64) -> u64 {
        let aperture = (self.private_base as u64 >> 10) << 58;
        aperture | ((scratch_base & 0x01ff_ffff_ffff_ff80) >> 7) << 2
    }

    /// Whether the address is in the LDS aperture.
    #[inline]
    pub const fn is_lds(&self, address: u64) -> bool {
        let shift = if self.ptr32 { 16 } else { 32 };
        self.shared_base != 0 && address >> shift == self.shared_base() >> shift
    }

    /// Whether the address is in the scratch aperture: 2^32 bytes, or on CDNA 5 all addresses with
    /// `PRIVATE_BASE[15:10]` in bits 63:58.
    #[inline]
    pub const fn is_scratch(&self, generation: Generation, address: u64) -> bool {
        if self.private_base == 0 {
            return false;
        }
        if matches!(generation, Generation::Cdna5) && !self.ptr32 {
            // Those bits zero would make ordinary addresses scratch: as disabled as a base of zero.
            let top = self.private_base as u64 >> 10;
            return top != 0 && address >> 58 == top;
        }
        let shift = if self.ptr32 { 16 } else { 32 };
        address >> shift == self.private_base() >> shift
    }

    /// Whether the address is in neither memory segment: bits 63:47 (CDNA 5: 63:56) differ from each
    /// other. The apertures are tested first and lie in the hole.
    #[inline]
    pub const fn is_hole(generation: Generation, address: u64) -> bool {
        let top = match generation {
            Generation::Cdna5 => address as i64 >> 56,
            _ => address as i64 >> 47,
        };
        top != 0 && top != -1
    }

    /// Where a lane of a flat instruction accesses.
    ///
    /// `address` is the register address (on CDNA 5 with its SGPR base and scaled offset already
    /// added), `offset` the immediate. Under PTR32 the address has 32 bits.
    ///
    /// ```
    /// use waveglass_mem::{Apertures, Generation, Target};
    /// let apertures = Apertures::from_bases(0x2000_1000, false);
    /// let g = Generation::Gcn5;
    /// assert_eq!(apertures.resolve(g, 0x2000_0000_0000_0010, 4), Target::Lds(0x14));
    /// assert_eq!(apertures.resolve(g, 0x1000_0000_0000_0010, 4), Target::Scratch(0x14));
    /// assert_eq!(apertures.resolve(g, 0x7fff_0000_0000, 4), Target::Global(0x7fff_0000_0004));
    /// assert_eq!(apertures.resolve(g, 0x8000_0000_0000, 4), Target::Hole(0x8000_0000_0004));
    /// ```
    #[inline]
    pub const fn resolve(&self, generation: Generation, address: u64, offset: i32) -> Target {
        let mut address = address;
        let mut sum = address.wrapping_add(offset as i64 as u64);
        if self.ptr32 {
            address &= 0xffff_ffff;
            sum &= 0xffff_ffff;
        }
        let tested = match generation {
            Generation::Cdna5 => sum,
            _ => address,
        };
        if self.is_lds(tested) {
            let base = self.shared_base();
            let at = match generation {
                // RDNA 4 ISA 11.2: 17-bit sum that wraps unnoticed.
                Generation::Rdna4 => sum as u32 & 0x1_ffff,
                Generation::Cdna5 => sum as u32,
                _ => {
                    let at = (tested - base) as i64 + offset as i64;
                    // Below the aperture no offset is in range; the top of 32 bits never is.
                    if at < 0 { u32::MAX } else { at as u32 }
                }
            };
            Target::Lds(at)
        } else if self.is_scratch(generation, tested) {
            if matches!(generation, Generation::Cdna5) && !self.ptr32 {
                // CDNA 5 ISA 10.2: {addr[51:2], addr[56:52], addr[1:0]}; bit 57 says wave64.
                if sum >> 57 & 1 != 0 {
                    return Target::Hole(sum);
                }
                let element = sum >> 2 & 0x0003_ffff_ffff_ffff;
                let lane = sum >> 52 & 31;
                return Target::SharedScratch(element << 7 | lane << 2 | sum & 3);
            }
            Target::Scratch((tested - self.private_base()) as i64 + offset as i64)
        } else if !self.ptr32 && Self::is_hole(generation, tested) {
            Target::Hole(sum)
        } else {
            Target::Global(sum)
        }
    }
}

/// Where the lanes of one flat access fall.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlatLanes {
    /// Lanes in global memory (CDNA 5's shared scratch too, see `shared_scratch`).
    pub global: u64,
    /// Lanes in LDS.
    pub lds: u64,
    /// Lanes in this wave's scratch by private offset.
    pub scratch: u64,
    /// Lanes in scratch by global address (CDNA 5).
    pub shared_scratch: u64,
    /// Lanes in the hole.
    pub hole: u64,
    /// For each lane its global address, or its offset in LDS or scratch (two's complement).
    pub addresses: [u64; 64],
    /// How many lanes there are.
    len: usize,
}

impl FlatLanes {
    /// Classifies the active lanes. A wave that is wholly global takes one pass.
    pub fn classify(
        apertures: &Apertures,
        generation: Generation,
        lanes: Lanes<'_, u64>,
        offset: i32,
    ) -> Self {
        let mut out = Self {
            global: 0,
            lds: 0,
            scratch: 0,
            shared_scratch: 0,
            hole: 0,
            addresses: [0; 64],
            len: lanes.addresses.len(),
        };
        for (sum, address) in out.addresses.iter_mut().zip(lanes.addresses) {
            *sum = address.wrapping_add(offset as i64 as u64);
        }
        // In the low segment with room for any offset, no address can be in an aperture: in 64-bit
        // mode those start at 2^48.
        let low = |bits: u64| bits >> 46 == 0;
        if !apertures.ptr32 && offset.unsigned_abs() < 1 << 24 {
            let bits = lanes.active().fold(0, |bits, (_, a)| bits | a);
            let sums = lanes
                .active()
                .fold(0, |bits, (l, _)| bits | out.addresses[l]);
            if low(bits) && low(sums) {
                out.global = lanes.exec;
                return out;
            }
        }
        for (lane, address) in lanes.active() {
            let bit = 1 << lane;
            out.addresses[lane] = match apertures.resolve(generation, address, offset) {
                Target::Global(at) => {
                    out.global |= bit;
                    at
                }
                Target::Lds(at) => {
                    out.lds |= bit;
                    at.into()
                }
                Target::Scratch(at) => {
                    out.scratch |= bit;
                    at as u64
                }
                Target::SharedScratch(at) => {
                    out.shared_scratch |= bit;
                    at
                }
                Target::Hole(at) => {
                    out.hole |= bit;
                    at
                }
            };
        }
        out
    }

    fn addresses(&self) -> &[u64] {
        &self.addresses[..self.len]
    }

    fn lds_offsets(&self) -> [u32; 64] {
        self.addresses.map(|a| a as u32)
    }

    fn scratch_offsets(&self) -> [i64; 64] {
        self.addresses.map(|a| a as i64)
    }
}

/// What a flat access can reach: the wave's view of all three spaces.
#[derive(Debug)]
pub struct Flat<'a> {
    /// The apertures.
    pub apertures: Apertures,
    /// Global memory.
    pub memory: &'a GlobalMemory,
    /// The workgroup's LDS.
    pub lds: &'a mut Lds,
    /// The wave's scratch.
    pub scratch: ScratchWindow,
}

impl Flat<'_> {
    /// Loads `element` for every active lane from wherever its address falls; `offset` is the
    /// immediate. Says where the lanes fell. `dst` is laid out as for [`GlobalMemory::load`].
    ///
    /// # Panics
    /// If `dst` has too few rows.
    pub fn load(
        &mut self,
        lanes: Lanes<'_, u64>,
        offset: i32,
        element: Element,
        dst: &mut [Row],
        port: &mut Port,
    ) -> FlatLanes {
        let at = FlatLanes::classify(&self.apertures, port.rules.generation, lanes, offset);
        let (len, all) = (at.len, at.addresses());
        if at.global != 0 {
            let lanes = Lanes::new(all, at.global);
            self.memory
                .load_as(Space::Global, lanes, element, dst, port);
        }
        if at.shared_scratch != 0 {
            let lanes = Lanes::new(all, at.shared_scratch);
            self.shared_scratch_load(lanes, element, dst, port);
        }
        if at.lds != 0 {
            let offsets = at.lds_offsets();
            self.lds
                .load(Lanes::new(&offsets[..len], at.lds), element, dst, port);
        }
        if at.scratch != 0 {
            let offsets = at.scratch_offsets();
            let lanes = Lanes::new(&offsets[..len], at.scratch);
            self.scratch.load(self.memory, lanes, element, dst, port);
        }
        let rows = Lanes::new(all, 0).rows();
        for (lane, address) in Lanes::new(all, at.hole).active() {
            hole(port, Access::Load, lane, address, element.bytes());
            for d in 0..element.dwords() {
                dst[d * rows + lane / ROW_LANES][lane % ROW_LANES] = 0;
            }
        }
        at
    }

    /// Stores `element` for every active lane to wherever its address falls; see [`Flat::load`].
    ///
    /// # Panics
    /// If `src` has too few rows.
    pub fn store(
        &mut self,
        lanes: Lanes<'_, u64>,
        offset: i32,
        element: Element,
        src: &[Row],
        port: &mut Port,
    ) -> FlatLanes {
        let at = FlatLanes::classify(&self.apertures, port.rules.generation, lanes, offset);
        let (len, all) = (at.len, at.addresses());
        if at.global != 0 {
            let lanes = Lanes::new(all, at.global);
            self.memory
                .store_as(Space::Global, lanes, element, src, port);
        }
        if at.shared_scratch != 0 {
            let lanes = Lanes::new(all, at.shared_scratch);
            self.shared_scratch_store(lanes, element, src, port);
        }
        if at.lds != 0 {
            let offsets = at.lds_offsets();
            self.lds
                .store(Lanes::new(&offsets[..len], at.lds), element, src, port);
        }
        if at.scratch != 0 {
            let offsets = at.scratch_offsets();
            let lanes = Lanes::new(&offsets[..len], at.scratch);
            self.scratch.store(self.memory, lanes, element, src, port);
        }
        for (lane, address) in Lanes::new(all, at.hole).active() {
            hole(port, Access::Store, lane, address, element.bytes());
        }
        at
    }

    /// Performs an atomic for every active lane where its address falls; see [`GlobalMemory::atomic`].
    /// A 64-bit atomic on scratch is a violation: scratch is made of 4-byte elements (RDNA 3 ISA 11.1.1).
    ///
    /// `lds_rules` are the float rules for the lanes that fall in LDS, where they differ from those of
    /// the cache.
    pub fn atomic(
        &mut self,
        lanes: Lanes<'_, u64>,
        offset: i32,
        atomic: Atomic<'_>,
        lds_rules: crate::AtomicRules,
        mut dst: Option<&mut [Row]>,
        port: &mut Port,
    ) -> FlatLanes {
        let at = FlatLanes::classify(&self.apertures, port.rules.generation, lanes, offset);
        let (len, all) = (at.len, at.addresses());
        let rows = Lanes::new(all, 0).rows();
        let bytes = atomic.width.bytes();
        if at.global != 0 {
            let lanes = Lanes::new(all, at.global);
            self.memory
                .atomic_as(Space::Global, lanes, atomic, dst.as_deref_mut(), port);
        }
        if at.lds != 0 {
            let offsets = at.lds_offsets();
            let lanes = Lanes::new(&offsets[..len], at.lds);
            let rules = lds_rules;
            self.lds
                .atomic(lanes, Atomic { rules, ..atomic }, dst.as_deref_mut(), port);
        }
        let mut bad = at.hole;
        for (lane, address) in Lanes::new(all, at.hole).active() {
            hole(port, Access::Atomic, lane, address, bytes);
        }
        let mut elements = [0u64; 64];
        elements.copy_from_slice(&at.addresses);
        let mut good = 0u64;
        for (lane, address) in Lanes::new(all, at.scratch | at.shared_scratch).active() {
            let private = at.scratch >> lane & 1 != 0;
            let size = self.scratch.size;
            if atomic.width == AtomicWidth::B64 {
                let kind = FaultKind::ScratchAtomic;
                port.fault(
                    kind,
                    Access::Atomic,
                    Space::Scratch,
                    lane,
                    address,
                    bytes,
                    None,
                );
            } else if private && (address >= size || size - address < 4) {
                let (kind, limit) = (FaultKind::ScratchRange, Some(size));
                port.fault(
                    kind,
                    Access::Atomic,
                    Space::Scratch,
                    lane,
                    address,
                    bytes,
                    limit,
                );
            } else {
                if private {
                    elements[lane] = self.scratch.address(address, lane as u32);
                }
                good |= 1 << lane;
                continue;
            }
            bad |= 1 << lane;
        }
        if good != 0 {
            let lanes = Lanes::new(&elements[..len], good);
            self.memory
                .atomic_as(Space::Scratch, lanes, atomic, dst.as_deref_mut(), port);
        }
        if let Some(dst) = dst {
            for (lane, _) in Lanes::new(all, bad).active() {
                set_lane_value(dst, atomic.width, rows, lane, 0);
            }
        }
        at
    }

    /// The window that turns a lane's shared scratch address back into base and offset: all of memory,
    /// with the lane and element of the address itself.
    fn shared_window(address: u64) -> (ScratchWindow, u32) {
        let lane = (address >> 2 & 31) as u32;
        let window = ScratchWindow {
            base: address & !0x7f,
            size: u64::MAX >> 1,
            wave_size: 32,
        };
        (window, lane)
    }

    fn shared_scratch_load(
        &self,
        lanes: Lanes<'_, u64>,
        element: Element,
        dst: &mut [Row],
        port: &mut Port,
    ) {
        let rows = lanes.rows();
        for (lane, address) in lanes.active() {
            let (window, owner) = Self::shared_window(address);
            let mut offsets = [0i64; 32];
            offsets[owner as usize] = (address & 3) as i64;
            let mut data = [[0; ROW_LANES]; 4];
            let one = Lanes::new(&offsets, 1 << owner);
            let before = port.faults.len();
            let touched = port.trace.as_ref().map_or(0, Vec::len);
            window.load(self.memory, one, element, &mut data, port);
            met_by(port, before, lane);
            touched_by(port, touched, lane);
            for d in 0..element.dwords() {
                dst[d * rows + lane / ROW_LANES][lane % ROW_LANES] = data[d][owner as usize];
            }
        }
    }

    fn shared_scratch_store(
        &self,
        lanes: Lanes<'_, u64>,
        element: Element,
        src: &[Row],
        port: &mut Port,
    ) {
        let rows = lanes.rows();
        for (lane, address) in lanes.active() {
            let (window, owner) = Self::shared_window(address);
            let mut offsets = [0i64; 32];
            offsets[owner as usize] = (address & 3) as i64;
            let mut data = [[0; ROW_LANES]; 4];
            for d in 0..element.dwords() {
                data[d][owner as usize] = src[d * rows + lane / ROW_LANES][lane % ROW_LANES];
            }
            let one = Lanes::new(&offsets, 1 << owner);
            let before = port.faults.len();
            let touched = port.trace.as_ref().map_or(0, Vec::len);
            window.store(self.memory, one, element, &data, port);
            met_by(port, before, lane);
            touched_by(port, touched, lane);
        }
    }
}

/// Takes the lanes that a global instruction may not access out of `lanes`: those in the LDS aperture
/// (Vega ISA 9.4: MEM_VIOL) and those in the hole. The rest is for [`GlobalMemory`]; the lanes taken
/// out are returned, for the caller to zero, and have left a fault.
///
/// The addresses are final ones, with the immediate added.
pub fn reject_non_global(
    apertures: &Apertures,
    lanes: &mut Lanes<'_, u64>,
    access: Access,
    bytes: u32,
    port: &mut Port,
) -> u64 {
    let bits = lanes.active().fold(0, |bits, (_, a)| bits | a);
    if !apertures.ptr32 && bits >> 47 == 0 {
        return 0;
    }
    let generation = port.rules.generation;
    let mut bad = 0;
    for (lane, address) in lanes.active() {
        let kind = if apertures.is_lds(address) {
            FaultKind::LdsAperture
        } else if !apertures.ptr32 && Apertures::is_hole(generation, address) {
            FaultKind::Hole
        } else {
            continue;
        };
        port.fault(kind, access, Space::Global, lane, address, bytes, None);
        bad |= 1 << lane;
    }
    lanes.exec &= !bad;
    bad
}

/// Gives the faults from the `first` on to the lane that met them: an access to the scratch of a lane is
/// made in that lane's place.
fn met_by(port: &mut Port, first: usize, lane: usize) {
    for fault in &mut port.faults[first..] {
        fault.lane = lane as u8;
    }
}

/// The same for the trace.
fn touched_by(port: &mut Port, first: usize, lane: usize) {
    for touch in port.trace.iter_mut().flatten().skip(first) {
        touch.lane = lane as u8;
    }
}

#[cold]
fn hole(port: &mut Port, access: Access, lane: usize, address: u64, bytes: u32) {
    let kind = FaultKind::Hole;
    port.fault(kind, access, Space::Flat, lane, address, bytes, None);
}

#[cfg(test)]
#[path = "flat_tests.rs"]
mod tests;
