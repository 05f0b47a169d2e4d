//! When memory operations complete, and whether the program waits for them.
//!
//! Hardware issues a memory operation and goes on; counters say how many are outstanding, and
//! `s_waitcnt` and its kin wait for them (Vega ISA 4.4, RDNA 3 ISA 5.6, RDNA 4 ISA 5.7,
//! CDNA 5 ISA 5.7). [`MemoryOrder::Eager`] performs each operation at once, which is one legal
//! order and the fastest to run; a program that forgets a wait does not show it there. In the
//! other orders an operation stays *in flight*: its effect comes later, its destination holds
//! [`POISON`], and an instruction that touches the destination before a wait released it is
//! reported as a [`Hazard`]; what it reads there is poison, even where a random order has had the
//! effect already.
//!
//! # What a wait releases
//!
//! Operations of one type return in order, those of different types out of order, and a wait for
//! `N` leaves at most `N` outstanding. So it releases an operation of an ordered type when more
//! than `N` operations of that type were issued from it on, and one that is in no order (scalar
//! memory, and flat before gfx10) only when `N` is zero. Flat operations need both their counters.
//!
//! | type | counter | order |
//! |---|---|---|
//! | vector memory, loads and stores (gfx9) | vmcnt | in order, mixed too (Vega ISA 4.4) |
//! | loads and returning atomics (gfx10, gfx11; gfx12) | vmcnt; loadcnt | in order (RDNA 3 ISA 5.6) |
//! | stores, other atomics (gfx10, gfx11; gfx12) | vscnt; storecnt | in order |
//! | LDS | lgkmcnt; dscnt | in order |
//! | scalar memory | lgkmcnt; kmcnt | none |
//! | flat, gfx9 | vmcnt and lgkmcnt | none (Vega ISA 9.2.1) |
//! | flat, gfx10 on | vector memory's and LDS's | its halves in order with theirs (RDNA 4 ISA 5.7.1.3) |
//! | asynchronous (CDNA 5) | asynccnt | in order |
//! | direct loads from LDS (gfx11, RDNA 4) | expcnt | in order (RDNA 3 ISA 12.2.1, RDNA 4 ISA 5.7.1) |
//! | tensor moves (CDNA 5) | tensorcnt | in order (CDNA 5 ISA 10.11.1) |
//!
//! For gfx10 to gfx11.5 the manuals still say of flat operations what Vega's says, while
//! compilers rely on the order that the RDNA 4 manual describes (LLVM 22's
//! `FlatLgkmVMemCountInOrder`, set from gfx10 on); the latter is taken.
//!
//! # Effects
//!
//! Within a wave, operations to one place stay in program order ("the load and store to the same
//! address stay in order", RDNA 4 ISA 5.7.1.2). Effects happen in program order within vector
//! memory and within LDS, except that from gfx10 on, where loads and stores have counters of their
//! own, a load may pass stores whose bytes are known to be others. A flat operation is in both
//! orders. Scalar loads are in none, and a wave's tensor moves in none but their own.

mod effects;
mod execute;
mod flight;

#[cfg(test)]
mod counter_tests;
#[cfg(test)]
mod tests;

pub(crate) use effects::Plan;
pub(crate) use execute::execute;
pub(crate) use flight::Flight;

use waveglass_isa::Counter;

/// When memory operations complete.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MemoryOrder {
    /// At once.
    #[default]
    Eager,
    /// As late as waits allow, in the order of issue.
    InOrder,
    /// In a random order that the rules allow; the number is the seed.
    Adversarial(u64),
}

/// What the destination of an operation in flight reads as.
pub const POISON: u32 = 0xbad0_f00d;

/// A register that a [`Hazard`] is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HazardRegister {
    /// A vector register; AGPRs are counted on after the VGPRs.
    Vector(u32),
    /// A scalar register by operand number.
    Scalar(u32),
}

/// How an instruction and an operation in flight meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HazardKind {
    /// It reads a register that the operation has yet to write.
    Read,
    /// It writes a register that the operation has yet to write, and which comes last is not said.
    Write,
}

/// An instruction that touches a register before the wait for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hazard {
    /// What it does.
    pub kind: HazardKind,
    /// The register.
    pub register: HazardRegister,
    /// Address of the instruction.
    pub address: u64,
    /// Its mnemonic.
    pub mnemonic: &'static str,
    /// Address of the operation in flight.
    pub producer: u64,
    /// Its mnemonic.
    pub producer_mnemonic: &'static str,
    /// The counters that it is in, whose wait would have released it.
    pub counters: Vec<Counter>,
    /// Whether only waits for zero release it.
    pub unordered: bool,
    /// The workgroup.
    pub group: [u32; 3],
    /// The wave's position in the workgroup.
    pub wave: u32,
    /// VGPRs of the wave, after which AGPRs are counted.
    pub vgprs: u32,
}

impl Hazard {
    /// The register's name.
    pub fn register_name(&self) -> String {
        match self.register {
            HazardRegister::Vector(i) if i >= self.vgprs => format!("a{}", i - self.vgprs),
            HazardRegister::Vector(i) => format!("v{i}"),
            HazardRegister::Scalar(i) => crate::wave::sreg::name(i as usize),
        }
    }

    /// What happened, in words; `producer` is where the operation in flight stands.
    pub fn explain(&self, producer: u64) -> String {
        let verb = match self.kind {
            HazardKind::Read => "reads",
            HazardKind::Write => "writes",
        };
        let counters: Vec<&str> = self.counters.iter().map(|c| c.name()).collect();
        let counters = counters.join(" and ");
        let missing = if self.unordered {
            format!("it returns in no order, so only a wait for {counters} of zero releases it")
        } else {
            format!("no wait for {counters} has released it")
        };
        format!(
            "{} {verb} {} while {} at {producer:#x} is in flight; {missing}",
            self.mnemonic,
            self.register_name(),
            self.producer_mnemonic,
        )
    }
}

impl std::fmt::Display for Hazard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.explain(self.producer))
    }
}
