//! A workgroup's barriers: its own, which all of its waves share, and the named ones of gfx1250
//! (CDNA5 ISA 5.6).

use crate::wave::Wave;

/// How many named barriers a workgroup can have (CDNA5 ISA 5.6.2).
pub const NAMED_BARRIERS: usize = 16;

/// Signals gathered until a barrier completes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Count {
    /// How often it has completed.
    phase: u64,
    /// Signals since.
    signals: u32,
    /// Signals that complete it.
    members: u32,
}

impl Count {
    /// One signal; gives whether it was the first one.
    fn signal(&mut self) -> bool {
        let first = self.signals == 0;
        self.signals += 1;
        self.settle();
        first
    }

    fn settle(&mut self) {
        if self.signals > 0 && self.signals >= self.members {
            self.phase += 1;
            self.signals = 0;
        }
    }
}

/// What a wave waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WaitsFor {
    /// The workgroup's barrier.
    #[default]
    Workgroup,
    /// The named barrier that the wave has joined.
    Named,
}

/// A wave's view of the barriers. A barrier is complete for a wave when it has completed since the
/// wave last passed it, which is the wave's barrierComplete bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BarrierState {
    /// Completions of the workgroup's barrier that this wave has passed.
    passed: u64,
    /// The named barrier that the wave has joined, 0 for none.
    pub joined: u8,
    /// Completions of that barrier that this wave has passed.
    named_passed: u64,
    /// What the wave waits for.
    pub waits_for: WaitsFor,
}

/// The barriers of one workgroup.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Barrier {
    workgroup: Count,
    named: Vec<Count>,
}

impl Barrier {
    /// The barrier of a workgroup of this many waves.
    pub fn new(waves: u32) -> Self {
        Self::with_named(waves, 0)
    }

    /// The same with named barriers, of which there are no more than [`NAMED_BARRIERS`].
    pub fn with_named(waves: u32, named: u32) -> Self {
        Self {
            workgroup: Count {
                members: waves,
                ..Count::default()
            },
            named: vec![Count::default(); (named as usize).min(NAMED_BARRIERS)],
        }
    }

    /// A wave signals the workgroup's barrier; gives whether it is the first one.
    pub fn signal(&mut self) -> bool {
        self.workgroup.signal()
    }

    /// A wave has ended: it will not signal any more.
    pub fn leave(&mut self) {
        self.workgroup.members = self.workgroup.members.saturating_sub(1);
        self.workgroup.settle();
    }

    /// Whether a barrier has completed and the wave has not passed it yet.
    pub fn is_complete(&self, wave: &Wave, what: WaitsFor) -> bool {
        let state = &wave.barriers;
        match what {
            WaitsFor::Workgroup => self.workgroup.phase > state.passed,
            WaitsFor::Named => self
                .named_count(state.joined as u32)
                .is_some_and(|b| b.phase > state.named_passed),
        }
    }

    /// Lets a wave pass what it waits for, if that is complete.
    pub fn pass(&self, wave: &mut Wave) -> bool {
        let state = &mut wave.barriers;
        match state.waits_for {
            WaitsFor::Workgroup => {
                let complete = self.workgroup.phase > state.passed;
                if complete {
                    state.passed = self.workgroup.phase;
                }
                complete
            }
            // Without a joined barrier there is nothing to wait for.
            WaitsFor::Named => match self.named_count(state.joined as u32) {
                Some(b) if b.phase <= state.named_passed => false,
                Some(b) => {
                    state.named_passed = b.phase;
                    true
                }
                None => true,
            },
        }
    }

    fn named_count(&self, number: u32) -> Option<&Count> {
        self.named.get((number as usize).checked_sub(1)?)
    }

    fn named_mut(&mut self, number: u32) -> Option<&mut Count> {
        self.named.get_mut((number as usize).checked_sub(1)?)
    }

    /// Signals a named barrier after setting its members where `members` is not zero; gives whether
    /// the signal was the first one. `None` if there is no such barrier, where nothing happens.
    pub fn signal_named(&mut self, number: u32, members: u32) -> Option<bool> {
        let b = self.named_mut(number)?;
        if members != 0 {
            b.members = members;
        }
        Some(b.signal())
    }

    /// `s_barrier_init`: sets the members where that is not zero and forgets signals.
    pub fn init_named(&mut self, number: u32, members: u32) {
        if let Some(b) = self.named_mut(number) {
            if members != 0 {
                b.members = members;
            }
            b.signals = 0;
        }
    }

    /// `s_barrier_join`: the wave listens to a named barrier from now on.
    pub fn join(&self, number: u32, wave: &mut Wave) {
        if let Some(b) = self.named_count(number) {
            wave.barriers.joined = number as u8;
            wave.barriers.named_passed = b.phase;
        }
    }

    /// `s_barrier_leave`: the wave's barrier has one member less; gives whether it was the last.
    pub fn leave_named(&mut self, wave: &mut Wave) -> bool {
        let number = wave.barriers.joined as u32;
        let Some(b) = self.named_mut(number) else {
            return false;
        };
        wave.barriers.joined = 0;
        b.members = b.members.saturating_sub(1);
        let last = b.members == 0;
        b.settle();
        last
    }

    /// `s_get_barrier_state`: signals in bits 22:16, members in 10:4, and bit 0 for a barrier that
    /// exists; with the number of named barriers over four in bits 26:24.
    pub fn state(&self, number: i32) -> u32 {
        let count = match number {
            -1 => Some(&self.workgroup),
            n => u32::try_from(n).ok().and_then(|n| self.named_count(n)),
        };
        let named = ((self.named.len() as u32 / 4) & 7) << 24;
        match count {
            Some(b) => named | (b.signals & 127) << 16 | (b.members & 127) << 4 | 1,
            None => named,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use waveglass_isa::Target;

    fn wave() -> Wave {
        Wave::new(Target::Gfx1250, 32, 4, 0)
    }

    #[test]
    fn a_wave_passes_each_completion_once() {
        let mut b = Barrier::new(2);
        let mut w = wave();
        assert!(b.signal());
        assert!(!b.pass(&mut w));
        assert!(!b.signal());
        assert!(b.is_complete(&w, WaitsFor::Workgroup));
        assert!(!b.is_complete(&w, WaitsFor::Named));
        assert!(b.pass(&mut w));
        assert!(!b.is_complete(&w, WaitsFor::Workgroup));
        assert!(!b.pass(&mut w));
        // The other wave ends, so that one signal is enough.
        b.leave();
        assert!(b.signal());
        assert!(b.pass(&mut w));
    }

    #[test]
    fn named_barriers_complete_by_their_members() {
        let mut b = Barrier::with_named(4, 4);
        let mut w = wave();
        w.barriers.waits_for = WaitsFor::Named;
        // Nothing joined: nothing to wait for.
        assert!(b.pass(&mut w));
        b.init_named(2, 3);
        b.join(2, &mut w);
        assert_eq!(b.signal_named(2, 0), Some(true));
        assert_eq!(b.signal_named(2, 0), Some(false));
        // Two signals, three members, four named barriers.
        assert_eq!(b.state(2), 1 << 24 | 2 << 16 | 3 << 4 | 1);
        assert_eq!(b.state(-1), 1 << 24 | 4 << 4 | 1);
        assert!(!b.pass(&mut w));
        // One member leaves, which completes the barrier for the others.
        let mut other = wave();
        b.join(2, &mut other);
        assert!(!b.leave_named(&mut other));
        assert!(b.pass(&mut w));
        assert_eq!(b.signal_named(5, 1), None);
        assert_eq!(b.state(5), 1 << 24);
    }
}
