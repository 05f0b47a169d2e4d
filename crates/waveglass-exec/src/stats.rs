//! Counters of a run.

/// The families that instructions are counted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
#[allow(missing_docs)]
pub enum Family {
    Salu,
    Valu,
    Smem,
    Vmem,
    Lds,
    Branch,
    Matrix,
    Other,
}

impl Family {
    /// Every family with its name.
    pub const ALL: [(Family, &'static str); 8] = [
        (Family::Salu, "scalar ALU"),
        (Family::Valu, "vector ALU"),
        (Family::Smem, "scalar memory"),
        (Family::Vmem, "vector memory"),
        (Family::Lds, "LDS"),
        (Family::Branch, "branch"),
        (Family::Matrix, "matrix"),
        (Family::Other, "other"),
    ];
}

/// What was executed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Waves that ran.
    pub waves: u64,
    /// Workgroups that ran.
    pub groups: u64,
    /// Instructions executed by waves.
    pub instructions: u64,
    /// Instructions by [`Family`].
    pub by_family: [u64; 8],
    /// Active lanes summed over vector instructions.
    pub lane_operations: u64,
    /// Interrupts that waves sent to the host (`s_sendmsg` of MSG_INTERRUPT).
    pub interrupts: u64,
    /// Bytes read from global memory, LDS and scratch.
    pub read: SpaceBytes,
    /// Bytes written to global memory, LDS and scratch.
    pub written: SpaceBytes,
}

/// Bytes by address space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SpaceBytes {
    /// Global memory.
    pub global: u64,
    /// LDS.
    pub lds: u64,
    /// Scratch.
    pub scratch: u64,
}

impl Stats {
    /// Adds another's counts.
    pub fn add(&mut self, o: &Stats) {
        self.waves += o.waves;
        self.groups += o.groups;
        self.instructions += o.instructions;
        self.lane_operations += o.lane_operations;
        for (a, b) in self.by_family.iter_mut().zip(o.by_family) {
            *a += b;
        }
        for (a, b) in [(&mut self.read, &o.read), (&mut self.written, &o.written)] {
            a.global += b.global;
            a.lds += b.lds;
            a.scratch += b.scratch;
        }
    }
}
