//! What one vector memory access is made of: lanes, the element that each moves, and the wave's port.

use crate::fault::{Access, Fault, FaultKind, Space};
use crate::global::RegionHint;
use crate::rules::{AlignmentMode, Rules};

/// Lanes in a [`Row`].
pub const ROW_LANES: usize = 32;

/// 32 lanes of one VGPR: half of a wave64's register, the whole of a wave32's.
pub type Row = [u32; ROW_LANES];

/// One value for each of `W` lanes, aligned so that the host's vector stores of them do not straddle
/// cache lines: a value that is read alone right after is then forwarded from its store.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub struct PerLane<T, const W: usize>(pub [T; W]);

/// The lanes of one access: an address for each, and EXEC.
///
/// `addresses` holds one value a lane: 32 (wave32) or 64 (wave64). Other lengths up to 64 are allowed;
/// they count as one row up to 32, else two.
#[derive(Clone, Copy, Debug)]
pub struct Lanes<'a, T> {
    /// The address of each lane.
    pub addresses: &'a [T],
    /// EXEC: bit *n* set means that lane *n* takes part.
    pub exec: u64,
}

impl<'a, T: Copy> Lanes<'a, T> {
    /// Lanes with these addresses, of which those in `exec` take part.
    ///
    /// Bits of `exec` past the last address are dropped, as are addresses past 64.
    pub fn new(addresses: &'a [T], exec: u64) -> Self {
        let addresses = &addresses[..addresses.len().min(64)];
        let exec = exec & mask(addresses.len());
        Self { addresses, exec }
    }

    /// Rows that each register has: 1 or 2.
    pub fn rows(&self) -> usize {
        self.addresses.len().div_ceil(ROW_LANES)
    }

    /// Whether every lane of a full wave takes part.
    pub fn is_full(&self) -> bool {
        self.addresses.len().is_multiple_of(ROW_LANES) && self.exec == mask(self.addresses.len())
    }

    /// The lanes that take part, lowest first, with their addresses.
    pub fn active(&self) -> impl Iterator<Item = (usize, T)> + 'a {
        let addresses = self.addresses;
        Bits(self.exec).filter_map(move |lane| addresses.get(lane).map(|&a| (lane, a)))
    }
}

/// The low `n` bits set.
pub(crate) const fn mask(n: usize) -> u64 {
    if n >= 64 { u64::MAX } else { (1 << n) - 1 }
}

/// The numbers of the set bits, lowest first.
#[derive(Clone, Copy)]
pub(crate) struct Bits(pub(crate) u64);

impl Iterator for Bits {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let lane = self.0.trailing_zeros() as usize;
        self.0 &= self.0 - 1;
        Some(lane)
    }
}

/// What a load or store moves for each lane.
///
/// Registers lie register after register, each of one or two rows: dword *d* of lane *l* is
/// `rows[d * lanes.rows() + l / 32][l % 32]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Element {
    /// A byte: loads extend with zeros, stores take bits 7:0.
    U8,
    /// A byte: loads extend the sign, stores take bits 7:0.
    I8,
    /// A 16-bit value: loads extend with zeros, stores take bits 15:0.
    U16,
    /// A 16-bit value: loads extend the sign, stores take bits 15:0.
    I16,
    /// One dword.
    B32,
    /// Two consecutive dwords.
    B64,
    /// Three consecutive dwords.
    B96,
    /// Four consecutive dwords.
    B128,
}

impl Element {
    /// Bytes moved for each lane.
    pub const fn bytes(self) -> u32 {
        match self {
            Self::U8 | Self::I8 => 1,
            Self::U16 | Self::I16 => 2,
            Self::B32 => 4,
            Self::B64 => 8,
            Self::B96 => 12,
            Self::B128 => 16,
        }
    }

    /// VGPRs that each lane's data takes.
    pub const fn dwords(self) -> usize {
        match self {
            Self::B64 => 2,
            Self::B96 => 3,
            Self::B128 => 4,
            _ => 1,
        }
    }

    /// Bytes of one component: the element's own size below a dword, else 4.
    pub const fn component_bytes(self) -> u32 {
        let bytes = self.bytes();
        if bytes < 4 { bytes } else { 4 }
    }

    /// Extends a loaded component to the register's 32 bits.
    pub const fn extend(self, raw: u32) -> u32 {
        match self {
            Self::U8 => raw & 0xff,
            Self::I8 => raw as u8 as i8 as i32 as u32,
            Self::U16 => raw & 0xffff,
            Self::I16 => raw as u16 as i16 as i32 as u32,
            _ => raw,
        }
    }
}

/// Bytes that one lane's access has read or written, as [`Port::trace`] keeps them.
///
/// What a wider access did may stand in several pieces, and a byte may stand in more than one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Touch {
    /// The lane; 0 for scalar accesses and those of a whole wave.
    pub lane: u8,
    /// [`Space::Global`] for all that lies in [`GlobalMemory`](crate::GlobalMemory), scratch included;
    /// [`Space::Lds`] or [`Space::Gds`].
    pub space: Space,
    /// The first byte's virtual address, or its offset in the allocation of LDS or M0's window of GDS.
    pub address: u64,
    /// How many bytes.
    pub bytes: u32,
    /// What was done to them.
    pub access: Access,
}

/// A wave's side of the memory model: its rules, its last-hit hint and the faults it has met.
///
/// One port belongs to one wave (or one host thread); the memories behind it are shared.
#[derive(Clone, Debug)]
pub struct Port {
    /// The rules that the wave's accesses follow.
    pub rules: Rules,
    /// The region that the last access hit.
    pub hint: RegionHint,
    /// The region that the last store of a whole wave hit: a copy need not look up its two regions.
    pub store_hint: RegionHint,
    /// The region that the last scalar load hit.
    pub scalar_hint: RegionHint,
    /// M0, used only where [`Rules::m0_bounds_lds`] is set.
    pub m0: u32,
    /// Which share an [`Lds`](crate::Lds) accessed through this port is, for its faults: [`Space::Lds`], or
    /// [`Space::Gds`] within [`Gds::with_window`](crate::Gds::with_window).
    pub share: Space,
    /// Faults since the last [`Port::take_faults`], in the order met.
    pub faults: Vec<Fault>,
    /// The bytes that accesses through this port have read and written, where it is asked for. Accesses
    /// then take the paths that go lane by lane.
    pub trace: Option<Vec<Touch>>,
}

impl Port {
    /// A port with these rules and no faults.
    pub fn new(rules: Rules) -> Self {
        Self {
            rules,
            hint: RegionHint::default(),
            store_hint: RegionHint::default(),
            scalar_hint: RegionHint::default(),
            m0: u32::MAX,
            share: Space::Lds,
            faults: Vec::new(),
            trace: None,
        }
    }

    /// Makes the port a new wave's, which is likely to touch the regions that the last one did.
    pub fn restart(&mut self, rules: Rules) {
        self.rules = rules;
        self.m0 = u32::MAX;
        self.faults.clear();
    }

    /// Takes the faults met so far.
    pub fn take_faults(&mut self) -> Vec<Fault> {
        std::mem::take(&mut self.faults)
    }

    /// Whether an access may take a path that looks at no lane alone: any alignment will do, and nobody
    /// asks what was touched.
    #[inline(always)]
    pub(crate) fn is_plain(&self) -> bool {
        self.rules.alignment == AlignmentMode::Unaligned && self.trace.is_none()
    }

    /// Adds to the trace, where there is one.
    #[inline(always)]
    pub(crate) fn touch(
        &mut self,
        access: Access,
        space: Space,
        lane: usize,
        address: u64,
        bytes: u32,
    ) {
        if let Some(trace) = &mut self.trace {
            trace.push(Touch {
                lane: lane as u8,
                space,
                address,
                bytes,
                access,
            });
        }
    }

    /// Records a fault that no region has to do with.
    #[cold]
    #[allow(clippy::too_many_arguments)] // the fault's fields
    pub(crate) fn fault(
        &mut self,
        kind: FaultKind,
        access: Access,
        space: Space,
        lane: usize,
        address: u64,
        size: u32,
        limit: Option<u64>,
    ) {
        self.faults.push(Fault {
            kind,
            access,
            space,
            lane: lane as u8,
            address,
            size,
            nearest: None,
            limit,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Generation, GlobalMemory, Lds, Permission, Space};

    // A trace is of what is done: the dwords that are there, of the lanes that are on, wherever they lie.
    #[test]
    fn a_trace_has_the_bytes_that_were_touched_and_no_others() {
        let mut memory = GlobalMemory::new();
        memory
            .map_zeroed(0x1000, 24, Permission::ReadWrite, "a")
            .unwrap();
        let mut port = Port::new(Rules::new(Generation::Gcn5));
        port.trace = Some(Vec::new());
        let mut addresses = [0x1000; 64];
        addresses[3] = 0x1014;
        let mut rows = [[0; ROW_LANES]; 4];
        let lanes = Lanes::new(&addresses, 0b1001);
        memory.load(lanes, Element::B64, &mut rows, &mut port);
        // Lane 3's second dword is past the end.
        let touch = |lane, space, address, bytes, access| Touch {
            lane,
            space,
            address,
            bytes,
            access,
        };
        assert_eq!(
            port.trace.replace(Vec::new()).unwrap(),
            [
                touch(0, Space::Global, 0x1000, 8, Access::Load),
                touch(3, Space::Global, 0x1014, 4, Access::Load)
            ]
        );
        // All lanes on, in one region: the way that looks at no lane is not taken.
        let addresses: [u32; 64] = std::array::from_fn(|lane| 4 * lane as u32);
        let mut lds = Lds::new(256);
        lds.store(
            Lanes::new(&addresses, u64::MAX),
            Element::B32,
            &rows,
            &mut port,
        );
        let trace = port.trace.take().unwrap();
        assert_eq!(trace.len(), 64);
        assert_eq!(trace[63], touch(63, Space::Lds, 252, 4, Access::Store));
        // Without one asked for there is none.
        lds.store(
            Lanes::new(&addresses, u64::MAX),
            Element::B32,
            &rows,
            &mut port,
        );
        assert_eq!(port.trace, None);
    }
}
