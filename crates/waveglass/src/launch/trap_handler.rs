//! The trap handler of a launch.

use super::{LaunchError, Module, map_code, place};
use waveglass_exec::{Code, TrapHandler as Vector};
use waveglass_mem::{GlobalMemory, Permission};

/// Code that waves enter at traps, and its memory.
///
/// A wave enters it with STATUS.PRIV set and its program counter in `ttmp[0:1]`, beside the id of the
/// `s_trap` that led there (zero for exceptions); `s_rfe_b64` goes back. TMA holds the address of the
/// handler's memory: `s_getreg_b32` reads it up to gfx10, `s_sendmsg_rtn_b64` later.
///
/// ```
/// use waveglass::{Arg, Module, TrapHandler, asm, isa::Target, link_code_object};
///
/// let object = |source: &str| {
///     let a = asm::assemble(source, Target::Gfx900, &Default::default()).unwrap();
///     Module::load(&link_code_object(&a).unwrap(), None).unwrap()
/// };
/// // It counts the traps of the launch and goes on behind them.
/// let handler = object(
///     "trap_handler:
///        s_getreg_b32 ttmp2, hwreg(18)
///        s_getreg_b32 ttmp3, hwreg(19)
///        s_mov_b32 ttmp4, 1
///        s_atomic_add ttmp4, ttmp[2:3], 0x0
///        s_add_u32 ttmp0, ttmp0, 4
///        s_addc_u32 ttmp1, ttmp1, 0
///        s_and_b32 ttmp1, ttmp1, 0xffff
///        s_rfe_b64 ttmp[0:1]",
/// );
/// let code = asm::assemble("s_trap 1\n s_endpgm", Target::Gfx900, &Default::default()).unwrap();
/// let kernel = Module::raw(code.sections[0].data.clone(), "gfx900").unwrap();
/// let handler = TrapHandler::new(handler).unwrap().memory(vec![0; 64]);
/// let report = kernel.launch(None).unwrap().grid([3, 1, 1]).trap_handler(handler).run().unwrap();
/// assert!(report.error.is_none(), "{:?}", report.error);
/// assert_eq!(report.trap_memory[0], 3);
/// ```
#[derive(Debug)]
pub struct TrapHandler {
    pub(super) module: Module,
    /// Where waves enter, in bytes from the start of the image.
    entry: u64,
    memory: Vec<u8>,
}

/// A handler that lies in a launch's memory.
pub(super) struct Mapped {
    pub(super) vector: Vector,
    code: Vec<u8>,
    base: u64,
    entries: Vec<u64>,
}

impl TrapHandler {
    /// A handler from a module: it starts at the symbol `trap_handler` of a code object, else at its
    /// only function or kernel; raw code starts at its first byte.
    ///
    /// # Errors
    ///
    /// [`LaunchError::Choose`] where a code object leaves open where it starts.
    pub fn new(module: Module) -> Result<Self, LaunchError> {
        let entry = match module.object() {
            None => 0,
            Some(object) => {
                let named = object.symbols().iter().find(|s| s.name == "trap_handler");
                let mut starts = super::entries(object, 0);
                starts.sort_unstable();
                starts.dedup();
                match (named, &starts[..]) {
                    (Some(symbol), _) => symbol.address,
                    (None, [only]) => *only,
                    (None, _) => {
                        return Err(LaunchError::Choose {
                            what: "the trap handler has no symbol trap_handler".into(),
                            choices: object.symbols().iter().map(|s| s.name.clone()).collect(),
                        });
                    }
                }
            }
        };
        Ok(Self {
            module,
            entry,
            memory: Vec::new(),
        })
    }

    /// Gives it memory, whose address is in TMA; [`Report::trap_memory`](super::Report::trap_memory)
    /// has its content after the run.
    #[must_use]
    pub fn memory(mut self, bytes: Vec<u8>) -> Self {
        self.memory = bytes;
        self
    }

    pub(super) fn map(&mut self, memory: &mut GlobalMemory) -> Result<Mapped, LaunchError> {
        let (code, base, mut entries) = map_code(&self.module, place::HANDLER, memory)?;
        let mut vector = Vector {
            tba: place::HANDLER + self.entry,
            tma: 0,
        };
        entries.push(vector.tba);
        if !self.memory.is_empty() {
            const ROOM: u64 = place::PACKET - place::GAP - place::TRAP_MEMORY;
            let size = self.memory.len() as u64;
            if size > ROOM {
                return Err(LaunchError::Bad(format!(
                    "{size} bytes of memory for the trap handler are more than there is room for, {ROOM} bytes"
                )));
            }
            vector.tma = place::TRAP_MEMORY;
            let bytes = std::mem::take(&mut self.memory);
            let title = "trap handler's memory".to_owned();
            memory.map_vec(vector.tma, bytes, Permission::ReadWrite, title)?;
        }
        Ok(Mapped {
            vector,
            code,
            base,
            entries,
        })
    }
}

impl Mapped {
    /// From the start of its image to the end of its code.
    pub(super) fn range(&self) -> std::ops::Range<u64> {
        place::HANDLER..self.base + self.code.len() as u64
    }

    pub(super) fn code(&self) -> Code<'_> {
        Code {
            bytes: &self.code,
            base: self.base,
            entries: &self.entries,
        }
    }
}
