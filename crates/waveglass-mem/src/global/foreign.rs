//! Memory of the host's own, mapped in place.
//!
//! A caller that keeps its buffers in its own memory (a runtime, an emulator's client) maps them where
//! they are: no copy goes in or out, and another thread of the host sees what waves write as soon as
//! they write it. Unlike memory that a region owns, it starts and ends anywhere.

use std::ptr::NonNull;
use std::sync::Arc;

use super::region::{LINE, Region};
use super::{GlobalMemory, MapError, Permission};

impl GlobalMemory {
    /// Maps `size` bytes of host memory at `start`, at the GPU address that equals the host's.
    /// Nothing is asked of its alignment.
    ///
    /// ```
    /// use waveglass_mem::{GlobalMemory, Permission};
    /// let mut buffer = [1u8, 2, 3, 4];
    /// let start = buffer.as_mut_ptr();
    /// let address = start.expose_provenance() as u64;
    /// let mut memory = GlobalMemory::new();
    /// // SAFETY: the buffer outlives `memory`, and nobody else uses it meanwhile.
    /// unsafe { memory.map_foreign(start, 4, Permission::ReadWrite, "buffer")? };
    /// assert!(memory.write(address + 1, &[7, 8]));
    /// assert!(!memory.write(address + 1, &[0; 4]));
    /// drop(memory);
    /// assert_eq!(buffer, [1, 7, 8, 4]);
    /// # Ok::<(), waveglass_mem::MapError>(())
    /// ```
    ///
    /// # Errors
    /// See [`MapError`].
    ///
    /// # Safety
    /// From now until the region is unmapped or the address space is dropped, the bytes are readable,
    /// and writable with [`Permission::ReadWrite`]; and whatever else touches those that waves access
    /// does so by atomic accesses, or is ordered before or after the waves' own.
    pub unsafe fn map_foreign(
        &mut self,
        start: *mut u8,
        size: u64,
        permission: Permission,
        name: impl Into<Arc<str>>,
    ) -> Result<(), MapError> {
        let base = start.expose_provenance() as u64;
        let at = self.place_unaligned(base, size)?;
        // A host object is smaller than half the address space; `whole_wave` counts on it.
        if size > i64::MAX as u64 {
            return Err(MapError::Overflow { base, size });
        }
        let line = start.map_addr(|a| a & !(LINE - 1)).cast();
        let Some(line) = NonNull::new(line) else {
            // The first line of the host's address space is nobody's.
            return Err(MapError::Overflow { base, size });
        };
        let lead = base % LINE as u64;
        let region = Region {
            base,
            size,
            permission,
            name: name.into(),
            start: line,
            words: (lead + size).div_ceil(LINE as u64) as usize * (LINE / 8),
            layout: None,
        };
        self.regions.insert(at, region);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Atomic, AtomicOp, AtomicRules, AtomicWidth, Element, FaultKind, Generation};
    use crate::{Lanes, Port, Rules};

    /// 64 bytes aligned to a line, of which a part is handed over.
    #[repr(align(16))]
    struct Host([u8; 64]);

    impl Host {
        fn counting() -> Box<Self> {
            Box::new(Self(std::array::from_fn(|i| i as u8)))
        }
    }

    fn map(host: &mut Host, lead: usize, size: u64, permission: Permission) -> (GlobalMemory, u64) {
        let mut memory = GlobalMemory::new();
        let start = host.0[lead..].as_mut_ptr();
        // SAFETY: every test keeps `host` until it is done with the memory, and looks at it after.
        unsafe { memory.map_foreign(start, size, permission, "host") }.unwrap();
        (memory, start as u64)
    }

    fn port() -> Port {
        Port::new(Rules::new(Generation::Rdna3))
    }

    #[test]
    fn exactly_the_bytes_handed_over_can_be_accessed_whatever_their_alignment() {
        for lead in 0..17 {
            for size in 1..21 {
                let mut host = Host::counting();
                let (memory, base) = map(&mut host, lead, size as u64, Permission::ReadWrite);
                for element in [Element::U8, Element::U16, Element::B32, Element::B64] {
                    let bytes = element.bytes() as i64;
                    for at in -8..size as i64 + 8 {
                        let mut rows = [[0xaaaa_aaaa_u32; 32]; 2];
                        let mut port = port();
                        let addresses = [base.wrapping_add_signed(at); 32];
                        memory.load(Lanes::new(&addresses, 1), element, &mut rows, &mut port);
                        let dwords = element.dwords();
                        let part = (element.component_bytes()) as i64;
                        for (d, row) in rows.iter().enumerate().take(dwords) {
                            let first = at + 4 * d as i64;
                            let inside = first >= 0 && first + part <= size as i64;
                            let expected = (0..part).rev().fold(0u32, |v, i| {
                                v << 8 | (lead as i64 + first + i) as u32 & 0xff
                            });
                            let expected = if inside { expected } else { 0 };
                            assert_eq!(row[0], expected, "{lead} {size} {element:?} {at}");
                        }
                        let whole = at >= 0 && at + bytes <= size as i64;
                        assert_eq!(port.faults.is_empty(), whole);
                    }
                }
            }
        }
    }

    #[test]
    fn a_store_changes_no_byte_outside_what_was_handed_over() {
        for lead in 0..9 {
            for size in 1..20usize {
                for at in -5..size as i64 + 5 {
                    let mut host = Host::counting();
                    let (memory, base) = map(&mut host, lead, size as u64, Permission::ReadWrite);
                    let addresses = [base.wrapping_add_signed(at); 32];
                    let src = [[0xffee_ddcc; 32], [0xbbaa_9988; 32]];
                    memory.store(Lanes::new(&addresses, 1), Element::B64, &src, &mut port());
                    drop(memory);
                    let mut expected = Host::counting().0;
                    for d in 0..2i64 {
                        let first = at + 4 * d;
                        if first >= 0 && first + 4 <= size as i64 {
                            let to = (lead as i64 + first) as usize;
                            expected[to..to + 4].copy_from_slice(&src[d as usize][0].to_le_bytes());
                        }
                    }
                    assert_eq!(host.0, expected, "{lead} {size} {at}");
                }
            }
        }
    }

    #[test]
    fn a_whole_wave_finds_its_data_at_any_dword_of_a_line() {
        let mut host: Vec<u32> = (0..400).collect();
        for lead in 0..8 {
            let start = host[lead..].as_mut_ptr().cast();
            let mut memory = GlobalMemory::new();
            // SAFETY: `host` outlives `memory`, and is not used while that is.
            unsafe { memory.map_foreign(start, 4 * 300, Permission::ReadWrite, "host") }.unwrap();
            for (element, step) in [
                (Element::B32, 4),
                (Element::B64, 8),
                (Element::B96, 12),
                (Element::B128, 16),
                (Element::B32, 12),
                (Element::B64, 16),
            ] {
                for shift in [0, 4, 8] {
                    let address = |l: usize| start as u64 + shift + l as u64 * step;
                    let addresses: [u64; 32] = std::array::from_fn(address);
                    let lanes = Lanes::new(&addresses, u64::MAX);
                    let mut rows = vec![[0; 32]; element.dwords()];
                    memory.load(lanes, element, &mut rows, &mut port());
                    for lane in 0..32 {
                        for (d, row) in rows.iter().enumerate() {
                            let index = lead as u64 + shift / 4 + lane as u64 * step / 4 + d as u64;
                            assert_eq!(u64::from(row[lane]), index);
                        }
                    }
                    memory.store(lanes, element, &rows, &mut port());
                }
            }
            drop(memory);
            assert!(host.iter().enumerate().all(|(i, &v)| v == i as u32));
        }
    }

    #[test]
    fn atomics_act_on_the_host_memory_and_read_only_memory_stays_as_it_was() {
        let mut host = Host::counting();
        let add = |memory: &GlobalMemory, address| {
            let mut port = port();
            let atomic = Atomic {
                op: AtomicOp::Add,
                width: AtomicWidth::B32,
                data: &[[1; 32]],
                second: &[],
                rules: AtomicRules::integer(Generation::Rdna3),
            };
            memory.atomic(Lanes::new(&[address; 32], 0b11), atomic, None, &mut port);
            port.faults.first().map(|f| f.kind)
        };
        let (memory, base) = map(&mut host, 20, 8, Permission::ReadWrite);
        assert_eq!(add(&memory, base), None);
        drop(memory);
        assert_eq!(host.0[20..24], [22, 21, 22, 23]);
        let (memory, base) = map(&mut host, 20, 8, Permission::ReadOnly);
        assert_eq!(add(&memory, base), Some(FaultKind::ReadOnly));
        drop(memory);
        assert_eq!(host.0[20..24], [22, 21, 22, 23]);
    }

    #[test]
    fn what_cannot_be_mapped_is_refused() {
        let mut host = Host::counting();
        let start = host.0[3..].as_mut_ptr();
        let (mut memory, _) = map(&mut host, 3, 10, Permission::ReadWrite);
        let mut map = |start, size| {
            // SAFETY: no access is made through this address space.
            unsafe { memory.map_foreign(start, size, Permission::ReadOnly, "other") }
        };
        assert_eq!(map(start, 0), Err(MapError::Empty));
        let end = start.wrapping_add(9);
        assert!(matches!(map(end, 1), Err(MapError::Overlap { .. })));
        assert!(matches!(
            map(start, u64::MAX),
            Err(MapError::Overflow { .. })
        ));
        let null = std::ptr::null_mut();
        assert!(matches!(map(null, 4), Err(MapError::Overflow { .. })));
        assert_eq!(map(start.wrapping_add(10), 2), Ok(()));
    }

    #[test]
    fn taking_a_foreign_region_gives_a_copy() {
        let mut host = Host::counting();
        let (mut memory, base) = map(&mut host, 5, 9, Permission::ReadWrite);
        assert_eq!(memory.take(base), Some((5..14).collect()));
        assert_eq!(memory.region_at(base), None);
    }
}
