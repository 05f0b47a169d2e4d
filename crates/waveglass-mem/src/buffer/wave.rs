//! Plain buffer loads, stores and atomics of a whole wave.

use super::address::{BufferLane, BufferRequest, Resolved};
use super::descriptor::BufferDescriptor;
use crate::access::{Element, Lanes, Port, ROW_LANES, Row};
use crate::fault::{FaultKind, Space};
use crate::global::{Atomic, GlobalMemory, set_lane_value};

/// The lanes of a buffer access, resolved for one component.
struct Component {
    addresses: [u64; 64],
    /// Lanes with an address.
    good: u64,
    /// Lanes out of range or without a resource.
    out: u64,
}

impl BufferDescriptor {
    fn component(
        &self,
        request: &BufferRequest,
        lanes: Lanes<'_, BufferLane>,
        component: u32,
    ) -> Component {
        let mut found = Component {
            addresses: [0; 64],
            good: 0,
            out: 0,
        };
        for (lane, input) in lanes.active() {
            match self.resolve(request, &input, component) {
                Resolved::Address(address) => {
                    found.addresses[lane] = address;
                    found.good |= 1 << lane;
                }
                Resolved::OutOfRange | Resolved::Unbound => found.out |= 1 << lane,
                Resolved::NotABuffer => {}
            }
        }
        found
    }

    /// Whether a lane's component lies across two elements of a swizzled buffer, so that its bytes are
    /// apart.
    fn straddles(&self, request: &BufferRequest, lane: &BufferLane, bytes: u32) -> bool {
        self.swizzle.element_bytes() == Some(4)
            && (self.offset(request, lane) & 3) + u64::from(bytes) > 4
    }

    /// Loads `element` for every active lane; `dst` is laid out as for [`GlobalMemory::load`]. Gives the
    /// lanes of which any part was out of range: those parts read zero, without a violation. A
    /// descriptor that is not a buffer's leaves `dst` alone.
    ///
    /// # Panics
    /// If `dst` has too few rows.
    pub fn load(
        &self,
        memory: &GlobalMemory,
        request: &BufferRequest,
        lanes: Lanes<'_, BufferLane>,
        element: Element,
        dst: &mut [Row],
        port: &mut Port,
    ) -> u64 {
        let known = port.faults.len();
        let out = self.load_parts(memory, request, lanes, element, dst, port);
        self.forget_null_pages(port, known);
        out
    }

    fn load_parts(
        &self,
        memory: &GlobalMemory,
        request: &BufferRequest,
        lanes: Lanes<'_, BufferLane>,
        element: Element,
        dst: &mut [Row],
        port: &mut Port,
    ) -> u64 {
        let (rows, count) = (lanes.rows(), lanes.addresses.len());
        let dst = &mut dst[..element.dwords() * rows];
        let first = self.component(request, lanes, 0);
        if element.dwords() > 1 && self.is_simple(request, lanes, &first, element) {
            let lanes = Lanes::new(&first.addresses[..count], first.good);
            memory.load_as(Space::Buffer, lanes, element, dst, port);
            return 0;
        }
        let part = part(element);
        let mut any_out = 0;
        for (d, dst) in dst.chunks_exact_mut(rows).enumerate() {
            let at = self.component(request, lanes, d as u32);
            any_out |= at.out;
            let split = self.split(request, lanes, at.good, part.bytes());
            let whole = Lanes::new(&at.addresses[..count], at.good & !split);
            memory.load_as(Space::Buffer, whole, part, dst, port);
            for (lane, input) in (Lanes {
                exec: split,
                ..lanes
            })
            .active()
            {
                let mut value = 0;
                for i in 0..part.bytes() {
                    let mut byte = [[0; ROW_LANES]; 2];
                    let mut addresses = [0; 64];
                    addresses[lane] = self.address(request, &input, d as u64 * 4 + u64::from(i));
                    let one = Lanes::new(&addresses[..count], 1 << lane);
                    memory.load_as(Space::Buffer, one, Element::U8, &mut byte, port);
                    value |= byte[lane / ROW_LANES][lane % ROW_LANES] << (8 * i);
                }
                dst[lane / ROW_LANES][lane % ROW_LANES] = element.extend(value);
            }
            for (lane, _) in (Lanes {
                exec: at.out,
                ..lanes
            })
            .active()
            {
                dst[lane / ROW_LANES][lane % ROW_LANES] = 0;
            }
        }
        any_out
    }

    /// Stores `element` for every active lane; see [`BufferDescriptor::load`]. Parts out of range are
    /// dropped.
    ///
    /// # Panics
    /// If `src` has too few rows.
    pub fn store(
        &self,
        memory: &GlobalMemory,
        request: &BufferRequest,
        lanes: Lanes<'_, BufferLane>,
        element: Element,
        src: &[Row],
        port: &mut Port,
    ) -> u64 {
        let known = port.faults.len();
        let out = self.store_parts(memory, request, lanes, element, src, port);
        self.forget_null_pages(port, known);
        out
    }

    fn store_parts(
        &self,
        memory: &GlobalMemory,
        request: &BufferRequest,
        lanes: Lanes<'_, BufferLane>,
        element: Element,
        src: &[Row],
        port: &mut Port,
    ) -> u64 {
        let (rows, count) = (lanes.rows(), lanes.addresses.len());
        let src = &src[..element.dwords() * rows];
        let first = self.component(request, lanes, 0);
        if element.dwords() > 1 && self.is_simple(request, lanes, &first, element) {
            let lanes = Lanes::new(&first.addresses[..count], first.good);
            memory.store_as(Space::Buffer, lanes, element, src, port);
            return 0;
        }
        let part = part(element);
        let mut any_out = 0;
        for (d, src) in src.chunks_exact(rows).enumerate() {
            let at = self.component(request, lanes, d as u32);
            any_out |= at.out;
            let split = self.split(request, lanes, at.good, part.bytes());
            let whole = Lanes::new(&at.addresses[..count], at.good & !split);
            memory.store_as(Space::Buffer, whole, part, src, port);
            for (lane, input) in (Lanes {
                exec: split,
                ..lanes
            })
            .active()
            {
                let value = src[lane / ROW_LANES][lane % ROW_LANES];
                for i in 0..part.bytes() {
                    let byte = [[value >> (8 * i); ROW_LANES]; 2];
                    let mut addresses = [0; 64];
                    addresses[lane] = self.address(request, &input, d as u64 * 4 + u64::from(i));
                    let one = Lanes::new(&addresses[..count], 1 << lane);
                    memory.store_as(Space::Buffer, one, Element::U8, &byte, port);
                }
            }
        }
        any_out
    }

    /// Performs an atomic for every active lane; see [`GlobalMemory::atomic`]. Gives the lanes that were
    /// out of range: they read zero and change nothing.
    pub fn atomic(
        &self,
        memory: &GlobalMemory,
        request: &BufferRequest,
        lanes: Lanes<'_, BufferLane>,
        atomic: Atomic<'_>,
        mut dst: Option<&mut [Row]>,
        port: &mut Port,
    ) -> u64 {
        let at = self.component(request, lanes, 0);
        let good = Lanes::new(&at.addresses[..lanes.addresses.len()], at.good);
        let known = port.faults.len();
        memory.atomic_as(Space::Buffer, good, atomic, dst.as_deref_mut(), port);
        self.forget_null_pages(port, known);
        if let Some(dst) = dst {
            for (lane, _) in (Lanes {
                exec: at.out,
                ..lanes
            })
            .active()
            {
                set_lane_value(dst, atomic.width, lanes.rows(), lane, 0);
            }
        }
        at.out
    }

    /// Drops the faults from `known` on at addresses that nothing is mapped at, where the descriptor says that such
    /// pages are "null (return 0 / drop write)": USER_VM_ENABLE with USER_VM_MODE 0 (Vega ISA 8.1.8).
    fn forget_null_pages(&self, port: &mut Port, known: usize) {
        if !self.user_vm_enable || self.user_vm_mode || port.faults.len() == known {
            return;
        }
        let mut at = 0;
        port.faults.retain(|f| {
            at += 1;
            at <= known || f.kind != FaultKind::Unmapped
        });
    }

    /// Whether all lanes' dwords are in range and follow each other in memory.
    fn is_simple(
        &self,
        request: &BufferRequest,
        lanes: Lanes<'_, BufferLane>,
        first: &Component,
        element: Element,
    ) -> bool {
        let last = element.dwords() as u32 - 1;
        self.swizzle.element_bytes() != Some(4)
            && first.good == lanes.exec
            && lanes.active().all(|(_, l)| self.in_range(request, &l, last))
            // The offset's 32 bits must not wrap inside the element.
            && lanes.active().all(|(_, l)| self.offset(request, &l) + 16 <= u64::from(u32::MAX))
    }

    fn split(
        &self,
        request: &BufferRequest,
        lanes: Lanes<'_, BufferLane>,
        good: u64,
        bytes: u32,
    ) -> u64 {
        if self.swizzle.element_bytes().is_none() {
            return 0;
        }
        (Lanes {
            exec: good,
            ..lanes
        })
        .active()
        .filter(|(_, l)| self.straddles(request, l, bytes))
        .fold(0, |mask, (lane, _)| mask | 1 << lane)
    }
}

/// The element that one component moves.
fn part(element: Element) -> Element {
    if element.bytes() < 4 {
        element
    } else {
        Element::B32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::atomic::{AtomicOp, AtomicRules, AtomicWidth};
    use crate::buffer::BufferKind;
    use crate::global::Permission;
    use crate::rules::{Generation, Rules};
    use crate::scratch::ScratchWindow;

    // points: 9

    const BASE: u64 = 0x1_0000;

    fn request(bytes: u32) -> BufferRequest {
        BufferRequest {
            kind: BufferKind::Untyped,
            idxen: false,
            offen: true,
            soffset: 0,
            inst_offset: 0,
            bytes,
        }
    }

    fn lanes_at(offset: impl Fn(u32) -> u32) -> [BufferLane; 64] {
        std::array::from_fn(|lane| BufferLane {
            vindex: 0,
            voffset: offset(lane as u32),
            lane: lane as u32,
        })
    }

    fn memory() -> GlobalMemory {
        let bytes: Vec<u8> = (0..4096u32).flat_map(u32::to_le_bytes).collect();
        let mut memory = GlobalMemory::new();
        memory
            .map_bytes(BASE, &bytes, Permission::ReadWrite, "a")
            .unwrap();
        memory
    }

    // rule: a load across NUM_RECORDS zeroes the dwords outside, without a violation; section Vega ISA
    // 3.11, 8.1.5.
    #[test]
    fn a_raw_load_is_cut_at_num_records_per_dword_without_a_fault() {
        let d =
            BufferDescriptor::decode([BASE as u32, 0, 64 * 8 - 4, 0x0002_7000], Generation::Gcn5);
        let inputs = lanes_at(|l| l * 8);
        let mut port = Port::new(Rules::new(Generation::Gcn5));
        let mut rows = [[7; 32]; 4];
        let lanes = Lanes::new(&inputs, u64::MAX);
        let out = d.load(
            &memory(),
            &request(8),
            lanes,
            Element::B64,
            &mut rows,
            &mut port,
        );
        assert_eq!(out, 1 << 63);
        assert_eq!([rows[0][5], rows[2][5]], [10, 11]);
        assert_eq!([rows[1][31], rows[3][31]], [126, 0]);
        assert!(port.faults.is_empty());
    }

    // The private-segment V# (AMDGPUUsage): swizzled, ADD_TID, index stride 64, reaches what
    // scratch instructions reach.
    // rule: a swizzled buffer with the scratch base reaches what scratch instructions reach; section
    // Vega ISA 8.1.5, 9.5.
    #[test]
    fn a_swizzled_scratch_buffer_and_flat_scratch_see_the_same_bytes() {
        let words = [BASE as u32, 1 << 31, u32::MAX, 1 << 23 | 3 << 21];
        let d = BufferDescriptor::decode(words, Generation::Gcn5);
        let window = ScratchWindow {
            base: BASE + 0x400,
            size: 32,
            wave_size: 64,
        };
        let mut memory = GlobalMemory::new();
        memory
            .map_zeroed(BASE, 0x4000, Permission::ReadWrite, "scratch")
            .unwrap();
        let mut port = Port::new(Rules::new(Generation::Gcn5));
        let shifted = BufferRequest {
            soffset: 0x400,
            ..request(8)
        };
        let mut src = [[0; 32]; 4];
        for (i, value) in src.as_flattened_mut().iter_mut().enumerate() {
            *value = (i as u32).wrapping_mul(0x0404_0407);
        }
        // Aligned, then across two elements.
        for offset in [8, 10] {
            let inputs = lanes_at(|_| offset);
            let lanes = Lanes::new(&inputs, u64::MAX);
            let out = d.store(&memory, &shifted, lanes, Element::B64, &src, &mut port);
            assert_eq!(out, 0);
            let offsets = [i64::from(offset); 64];
            let mut back = [[0; 32]; 4];
            let all = Lanes::new(&offsets, u64::MAX);
            window.load(&memory, all, Element::B64, &mut back, &mut port);
            assert_eq!(back, src);
            let mut back = [[0; 32]; 4];
            d.load(&memory, &shifted, lanes, Element::B64, &mut back, &mut port);
            assert_eq!(back, src);
        }
        assert!(port.faults.is_empty());
    }

    // rule: atomics out of range are dropped and return zero; section Vega ISA 8.1.5.
    #[test]
    fn atomics_out_of_range_change_nothing_and_return_zero() {
        let d = BufferDescriptor::decode([BASE as u32, 0, 8, 0x0002_7000], Generation::Gcn5);
        let inputs = lanes_at(|l| l * 4);
        let memory = memory();
        let mut port = Port::new(Rules::new(Generation::Gcn5));
        let kind = BufferKind::Atomic;
        let request = BufferRequest { kind, ..request(4) };
        let add = Atomic {
            op: AtomicOp::Add,
            width: AtomicWidth::B32,
            data: &[[100; 32]; 2],
            second: &[],
            rules: AtomicRules::integer(Generation::Gcn5),
        };
        let mut rows = [[7; 32]; 2];
        let lanes = Lanes::new(&inputs, 0b111);
        let out = d.atomic(&memory, &request, lanes, add, Some(&mut rows), &mut port);
        assert_eq!((out, &rows[0][..4]), (0b100, &[0, 1, 0, 7][..]));
        let mut bytes = [0; 12];
        assert!(memory.read(BASE, &mut bytes));
        assert_eq!(bytes, [100, 0, 0, 0, 101, 0, 0, 0, 2, 0, 0, 0]);
    }

    // rule: pages that nothing is mapped at read zero and drop writes where USER_VM_ENABLE is set and USER_VM_MODE
    // is 0, and are a violation otherwise; section Vega ISA 8.1.8, CDNA 1 ISA 8.1.8, CDNA 3 ISA 9.1.8.
    #[test]
    fn null_pages_of_a_user_vm_are_no_violation() {
        const ENABLE: u32 = 1 << 19;
        const ERROR: u32 = 1 << 20;
        for generation in [Generation::Gcn5, Generation::Cdna1, Generation::Cdna3] {
            for (word3, faults) in [
                (ENABLE, false),
                (ENABLE | ERROR, true),
                (ERROR, true),
                (0, true),
            ] {
                // Nothing is mapped at 0x5000_0000.
                let words = [0x5000_0000, 0, 64, word3 | 0x0002_7fac];
                let d = BufferDescriptor::decode(words, generation);
                let memory = GlobalMemory::new();
                let mut port = Port::new(Rules::new(generation));
                let lanes = lanes_at(|l| 4 * (l % 4));
                let lanes = Lanes::new(&lanes, 0xf);
                let mut dst = [[7; ROW_LANES]; 8];
                let seen = |port: &mut Port| {
                    let kinds: Vec<FaultKind> = port.faults.drain(..).map(|f| f.kind).collect();
                    assert!(kinds.iter().all(|k| *k == FaultKind::Unmapped));
                    !kinds.is_empty()
                };
                d.load(
                    &memory,
                    &request(8),
                    lanes,
                    Element::B64,
                    &mut dst,
                    &mut port,
                );
                assert_eq!([dst[0][3], dst[2][3], dst[0][4]], [0, 0, 7]);
                assert_eq!(seen(&mut port), faults, "{generation:?} {word3:#x}");
                d.store(&memory, &request(4), lanes, Element::B32, &dst, &mut port);
                assert_eq!(seen(&mut port), faults, "{generation:?} {word3:#x}");
                let mut before = [[7; ROW_LANES]; 2];
                let atomic = Atomic {
                    op: AtomicOp::Add,
                    width: AtomicWidth::B32,
                    data: &dst[..2],
                    second: &[],
                    rules: AtomicRules::integer(generation),
                };
                let result = Some(&mut before[..]);
                d.atomic(&memory, &request(4), lanes, atomic, result, &mut port);
                assert_eq!([before[0][3], before[0][4]], [0, 7]);
                assert_eq!(seen(&mut port), faults, "{generation:?} {word3:#x}");
            }
        }
    }

    // rule: a descriptor of zeros is unbound: loads give zero; section RDNA 3 ISA 9.6.
    #[test]
    fn an_unbound_descriptor_reads_zero() {
        let d = BufferDescriptor::decode([0; 4], Generation::Rdna3);
        let mut port = Port::new(Rules::new(Generation::Rdna3));
        let inputs = lanes_at(|l| l * 4);
        let mut rows = [[7; 32]; 2];
        let lanes = Lanes::new(&inputs, 0b11);
        let out = d.load(
            &memory(),
            &request(4),
            lanes,
            Element::B32,
            &mut rows,
            &mut port,
        );
        assert_eq!((out, &rows[0][..3]), (0b11, &[0, 0, 7][..]));
    }
}
