//! Compiled programs, kept for the next run of the same code.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use waveglass_exec::{Code, Exceptions, Options, Program, Registers};
use waveglass_isa::Target;

/// Programs that were compiled before, the last used first. Code is compared byte for byte: a caller
/// may put other code at the same address.
#[derive(Default)]
pub struct Programs {
    kept: Mutex<VecDeque<Kept>>,
}

struct Kept {
    key: Key,
    code: Vec<u8>,
    program: Arc<Program>,
}

/// What a program is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Key {
    pub(super) target: Target,
    pub(super) wave_size: u32,
    /// The code's address.
    pub(super) base: u64,
    pub(super) registers: Registers,
    /// Whether the processor corrects errors of its memory (SRAM ECC).
    pub(super) sramecc: bool,
    /// Exceptions that trap from the start.
    pub(super) exceptions: Exceptions,
}

/// How many programs are kept.
const KEPT: usize = 64;

impl fmt::Debug for Programs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        f.debug_list().entries(kept.iter().map(|k| k.key)).finish()
    }
}

impl Programs {
    /// None yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The program of this code.
    pub(super) fn get(&self, key: Key, code: &[u8], entries: &[u64]) -> Arc<Program> {
        {
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            let found = kept.iter().position(|k| k.key == key && k.code == code);
            if let Some(k) = found.and_then(|i| kept.remove(i)) {
                let program = Arc::clone(&k.program);
                kept.push_front(k);
                return program;
            }
        }
        let program = Arc::new(Program::build(
            key.target,
            key.wave_size,
            Code {
                bytes: code,
                base: key.base,
                entries,
            },
            None,
            key.registers,
            Options {
                sramecc: key.sramecc,
                exceptions: key.exceptions,
                ..Options::default()
            },
        ));
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push_front(Kept {
            key,
            code: code.to_vec(),
            program: Arc::clone(&program),
        });
        kept.truncate(KEPT);
        program
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_code_is_compiled_once_and_other_code_at_its_address_again() {
        let programs = Programs::new();
        let key = Key {
            target: Target::Gfx1100,
            wave_size: 32,
            base: 0x1000,
            registers: Registers { vgprs: 8, agprs: 0 },
            sramecc: true,
            exceptions: Exceptions::NONE,
        };
        let end = 0xbfb0_0000u32.to_le_bytes();
        let nop = 0xbf80_0000u32.to_le_bytes();
        let first = programs.get(key, &end, &[0x1000]);
        assert!(Arc::ptr_eq(&first, &programs.get(key, &end, &[0x1000])));
        assert_eq!(first.ops()[0].mnemonic(), "s_endpgm");
        assert_eq!(
            programs.get(key, &nop, &[0x1000]).ops()[0].mnemonic(),
            "s_nop"
        );
        for base in 0..2 * KEPT as u64 {
            programs.get(Key { base, ..key }, &end, &[base]);
        }
        assert!(!Arc::ptr_eq(&first, &programs.get(key, &end, &[0x1000])));
    }
}
