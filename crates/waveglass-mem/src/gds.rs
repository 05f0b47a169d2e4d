//! GDS, the data share of all waves on a device, and global wave sync (GWS), its 64 counters that
//! waves of any workgroup meet at.
//!
//! Both belong to one launch here: it starts with zeros, as no packet of a queue can say what they hold.
//! GDS is addressed as LDS is, within the window that M0 gives: its size in bits 15:0, its first byte
//! in bits 31:16 (RDNA 3 ISA 12.6).

use crate::access::Port;
use crate::fault::Space;
use crate::lds::Lds;
use crate::rules::Generation;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How many sync resources there are (RDNA 3 ISA 13.4.4).
const RESOURCES: usize = 64;
/// How many registers GDS has besides its memory (RDNA 3 ISA 12.6.1).
const REGISTERS: usize = 16;
/// A resource's counter has 12 bits (RDNA 3 ISA 13.4.4).
const COUNTER: u32 = 0xfff;

/// A device's global data share and global wave sync.
#[derive(Debug)]
pub struct Gds {
    memory: Mutex<Lds>,
    sync: Mutex<[Resource; RESOURCES]>,
    registers: Mutex<[u64; REGISTERS]>,
    /// How many waves have released their turn.
    turn: Mutex<u64>,
}

/// A wave of a launch, as global wave sync knows it: the workgroup and the wave in it.
pub type WaveId = ([u32; 3], u32);

/// What a wave asks of a sync resource. The operations are those of the instructions `DS_GWS_*` (Vega ISA
/// 12.13); of a barrier the manuals before RDNA 3 and ROCm's library agree that counts are of waves
/// less one, which RDNA 3's text says of all counts but the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sync {
    /// Sets the counter.
    Init(u32),
    /// Semaphore: one more may pass.
    Release(u32),
    /// Semaphore: all that wait may pass.
    ReleaseAll,
    /// Semaphore: waits until it may pass.
    Acquire,
    /// Barrier: waits for as many others as the counter says; the last wave sets the counter for the
    /// next time.
    Barrier(u32),
}

#[derive(Clone, Debug, Default)]
struct Resource {
    counter: u32,
    flag: bool,
    /// Waves that wait, the first to come first, each with the barrier's flag when it came.
    queue: VecDeque<(WaveId, bool)>,
}

impl Resource {
    /// One attempt of `wave`; `true` lets it go on.
    fn attempt(&mut self, wave: WaveId, what: Sync) -> bool {
        let place = self.queue.iter().position(|w| w.0 == wave);
        match what {
            Sync::Init(count) => {
                self.counter = count & COUNTER;
                self.flag = false;
            }
            Sync::Release(count) => self.counter = self.counter.wrapping_add(count) & COUNTER,
            Sync::ReleaseAll => {
                self.counter = self.counter.wrapping_add(self.queue.len() as u32) & COUNTER;
            }
            Sync::Acquire => {
                let first = match place {
                    Some(n) => n == 0,
                    None => self.queue.is_empty(),
                };
                if self.counter == 0 || !first {
                    if place.is_none() {
                        self.queue.push_back((wave, self.flag));
                    }
                    return false;
                }
                self.counter -= 1;
                if place.is_some() {
                    self.queue.pop_front();
                }
            }
            Sync::Barrier(next) => match place {
                Some(n) if self.queue[n].1 == self.flag => return false,
                Some(n) => {
                    self.queue.remove(n);
                }
                None if self.counter == 0 => {
                    self.flag = !self.flag;
                    self.counter = next & COUNTER;
                }
                None => {
                    self.counter -= 1;
                    self.queue.push_back((wave, self.flag));
                    return false;
                }
            },
        }
        true
    }
}

impl Gds {
    /// Bytes of GDS on a generation's devices, 0 where there is none: 64 KiB (Vega ISA 2.2.2, RDNA 1 ISA
    /// 2.3.2, RDNA 2 ISA 2.3.2), 4 KiB (CDNA 1 ISA 2.2.2, RDNA 3 ISA 1.2.2.2); the manuals of CDNA 2 on and
    /// of RDNA 4 on have none.
    pub const fn size(generation: Generation) -> u32 {
        match generation {
            Generation::Gcn5 | Generation::Rdna1 | Generation::Rdna2 => 64 << 10,
            Generation::Cdna1 | Generation::Rdna3 | Generation::Rdna3_5 => 4 << 10,
            _ => 0,
        }
    }

    /// A device's, all zeros.
    pub fn new(generation: Generation) -> Self {
        Self {
            memory: Mutex::new(Lds::new(Self::size(generation))),
            sync: Mutex::new(std::array::from_fn(|_| Resource::default())),
            registers: Mutex::new([0; REGISTERS]),
            turn: Mutex::new(0),
        }
    }

    /// Reads bytes of its memory as the host: `false`, and `out` untouched, past its end.
    pub fn read(&self, address: u64, out: &mut [u8]) -> bool {
        let memory = lock(&self.memory);
        let Ok(first) = usize::try_from(address) else {
            return false;
        };
        match memory.bytes().get(first..).and_then(|b| b.get(..out.len())) {
            Some(bytes) => out.copy_from_slice(bytes),
            None => return false,
        }
        true
    }

    /// Changes the register `number` (of which the low four bits count); gives what it held. Registers 0 to 7
    /// have 32 bits, the others 64 (RDNA 3 ISA 12.6.1, table 61).
    pub fn register(&self, number: u32, change: impl FnOnce(u64) -> u64) -> u64 {
        let mut registers = lock(&self.registers);
        let number = number as usize % REGISTERS;
        let before = registers[number];
        let after = change(before);
        registers[number] = if number < 8 {
            after & u64::from(u32::MAX)
        } else {
            after
        };
        before
    }

    /// Changes the dword at `address` of GDS; gives what it held, `None` past its end.
    pub fn dword(&self, address: u32, change: impl FnOnce(u32) -> u32) -> Option<u32> {
        let mut memory = lock(&self.memory);
        let bytes = memory.bytes_mut().get_mut(address as usize..)?;
        let dword = bytes.first_chunk_mut()?;
        let before = u32::from_le_bytes(*dword);
        *dword = change(before).to_le_bytes();
        Some(before)
    }

    /// Lets the wave whose turn is number `turn` act, counted from 0 in the order of the launch; `None` says
    /// that older waves have not released theirs. With `release` its own turn ends (RDNA 1 ISA 12.13,
    /// DS_ORDERED_COUNT).
    pub fn in_turn<R>(&self, turn: u64, release: bool, act: impl FnOnce() -> R) -> Option<R> {
        let mut next = lock(&self.turn);
        if *next < turn {
            return None;
        }
        let result = act();
        if release && *next == turn {
            *next += 1;
        }
        Some(result)
    }

    /// Gives `access` the window that `m0` describes as if it were LDS: addresses count from its first
    /// byte, and past its end they are out of range. Faults say GDS. Accesses of different waves do not
    /// overlap.
    pub fn with_window<R>(
        &self,
        m0: u32,
        port: &mut Port,
        access: impl FnOnce(&mut Lds, &mut Port) -> R,
    ) -> R {
        let mut memory = lock(&self.memory);
        let all = memory.bytes_mut();
        let first = ((m0 >> 16) as usize).min(all.len());
        let size = ((m0 & 0xffff) as usize).min(all.len() - first);
        let mut window = Lds::new(size as u32);
        window.bytes_mut().copy_from_slice(&all[first..][..size]);
        port.share = Space::Gds;
        let result = access(&mut window, port);
        port.share = Space::Lds;
        all[first..][..size].copy_from_slice(window.bytes());
        result
    }

    /// Sends `wave`'s operation to the resource `number` (of which the low six bits count); `false` says
    /// that the wave waits and has to ask again.
    pub fn sync(&self, number: u32, wave: WaveId, what: Sync) -> bool {
        let mut resources = lock(&self.sync);
        resources[number as usize % RESOURCES].attempt(wave, what)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::{Element, Lanes};
    use crate::rules::Rules;

    // points: 12

    fn wave(n: u32) -> WaveId {
        ([n, 0, 0], 0)
    }

    // rule: M0 gives GDS accesses their window, size in bits 15:0 and first byte in 31:16; section RDNA 3
    // ISA 12.6, table of instruction fields in 13.4.3.
    #[test]
    fn m0_holds_the_window_of_gds() {
        let gds = Gds::new(Generation::Gcn5);
        let mut port = Port::new(Rules::new(Generation::Gcn5));
        let m0 = 0x100 << 16 | 8;
        let mut store = |m0, address, value| {
            gds.with_window(m0, &mut port, |lds, port| {
                let rows = [[value; 32]];
                lds.store(Lanes::new(&[address; 32], 1), Element::B32, &rows, port);
            });
            std::mem::take(&mut port.faults)
        };
        assert!(store(m0, 4, 7).is_empty());
        // Eight bytes long: byte 8 is outside, and reported as GDS's.
        let faults = store(m0, 8, 9);
        assert_eq!((faults.len(), faults[0].space), (1, Space::Gds));
        assert_eq!(faults[0].limit, Some(8));
        // An address that would come below the window by wrapping is outside too.
        assert_eq!(store(m0, 0xffff_ff00, 9).len(), 1);
        // The window's first byte is byte 0x100 of the whole.
        let mut rows = [[0; 32]];
        gds.with_window(0xffff, &mut port, |lds, port| {
            lds.load(Lanes::new(&[0x104; 32], 1), Element::B32, &mut rows, port);
        });
        assert_eq!(rows[0][0], 7);
        // CDNA 2 has no GDS: every access is out of range.
        let none = Gds::new(Generation::Cdna2);
        none.with_window(0xffff, &mut port, |lds, _| assert_eq!(lds.size(), 0));
    }

    // rule: a GWS barrier lets waves go when as many others have come as its counter said, and the last
    // sets the next count; section Vega ISA 12.13 (DS_GWS_BARRIER), RDNA 3 ISA 13.4.4.
    #[test]
    fn a_gws_barrier_meets_its_waves_again_and_again() {
        let gds = Gds::new(Generation::Gcn5);
        assert!(gds.sync(5, wave(0), Sync::Init(2)));
        for _ in 0..3 {
            assert!(!gds.sync(5, wave(0), Sync::Barrier(2)));
            assert!(!gds.sync(5, wave(1), Sync::Barrier(2)));
            assert!(!gds.sync(5, wave(0), Sync::Barrier(2)));
            // The third of three: it goes on at once, and the others when they ask again.
            assert!(gds.sync(5, wave(2), Sync::Barrier(2)));
            assert!(gds.sync(5, wave(1), Sync::Barrier(2)));
            assert!(gds.sync(5, wave(0), Sync::Barrier(2)));
        }
        // The wave that comes first to the next round waits there, whoever is still in the last.
        assert!(!gds.sync(5, wave(0), Sync::Barrier(1)));
        assert!(!gds.sync(5, wave(1), Sync::Barrier(1)));
        assert!(gds.sync(5, wave(2), Sync::Barrier(1)));
        assert!(gds.sync(5, wave(0), Sync::Barrier(1)));
        assert!(!gds.sync(5, wave(0), Sync::Barrier(1)));
        assert!(gds.sync(5, wave(1), Sync::Barrier(1)));
        // Two waves from now on: wave 0 was the first of them, so wave 2 is the last.
        assert!(gds.sync(5, wave(2), Sync::Barrier(1)));
        assert!(gds.sync(5, wave(0), Sync::Barrier(1)));
    }

    // rule: a GWS semaphore lets a wave pass for each release, in the order in which they came; section
    // Vega ISA 12.13 (DS_GWS_SEMA_V, _BR, _P, _RELEASE_ALL).
    #[test]
    fn a_gws_semaphore_lets_as_many_pass_as_were_released() {
        let gds = Gds::new(Generation::Rdna3);
        assert!(!gds.sync(64 + 3, wave(0), Sync::Acquire));
        assert!(!gds.sync(3, wave(1), Sync::Acquire));
        assert!(gds.sync(3, wave(9), Sync::Release(1)));
        // First come, first served; a wave that only now comes has no place before them.
        assert!(!gds.sync(3, wave(2), Sync::Acquire));
        assert!(!gds.sync(3, wave(1), Sync::Acquire));
        assert!(gds.sync(3, wave(0), Sync::Acquire));
        assert!(!gds.sync(3, wave(1), Sync::Acquire));
        assert!(gds.sync(3, wave(9), Sync::ReleaseAll));
        assert!(gds.sync(3, wave(1), Sync::Acquire));
        assert!(gds.sync(3, wave(2), Sync::Acquire));
        assert!(!gds.sync(3, wave(0), Sync::Acquire));
        // Nobody waits at resource 4: releasing all has no effect.
        assert!(gds.sync(4, wave(9), Sync::ReleaseAll));
        assert!(!gds.sync(4, wave(0), Sync::Acquire));
        // In bulk, ahead of those who come.
        assert!(gds.sync(6, wave(9), Sync::Release(2)));
        assert!(gds.sync(6, wave(0), Sync::Acquire));
        assert!(gds.sync(6, wave(1), Sync::Acquire));
        assert!(!gds.sync(6, wave(2), Sync::Acquire));
    }
}
