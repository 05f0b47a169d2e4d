//! The assembler.
//!
//! A statement goes through `cursor.rs` (bytes), `operand.rs` and `modifier.rs` (operands as
//! written), `matcher.rs` (the row of the instruction table that takes them) into
//! [`InstBits`](waveglass_isa::InstBits).

mod amdhsa;
mod assembled;
mod assembler;
mod block;
mod builder;
mod candidate;
mod cfi;
mod constant;
mod cursor;
mod data;
mod diagnostic;
mod directive;
mod dwarf;
mod emit;
mod evaluate;
mod expansion;
mod expression;
mod finish;
mod format;
mod include;
mod instruction;
mod matcher;
mod metadata;
mod metadata_rules;
mod mnemonics;
mod modifier;
mod modifier_field;
mod modifier_value;
mod operand;
mod operand_field;
mod pattern;
mod register;
mod resources;
mod special;
mod suggest;
mod symbol;
mod validate;
mod validate_image;
mod validate_rule;
mod wait;
mod yaml;

pub use assembled::{
    AssembleLimits, AssembleOptions, Assembled, AssembledRelocation, AssembledRelocationKind,
    AssembledSymbol, FileLoader, Load, Section, SymbolPlace,
};
pub use builder::{Arg, BuildError, CodeBuilder, Label, Modifier, reg};
pub use diagnostic::{Diagnostic, Diagnostics, Expansion, Severity};
pub use mnemonics::aliases;

use assembler::{Again, Assembler};
use cursor::Cursor;
use instruction::Reader;
use matcher::For;
use symbol::Symbols;
use waveglass_isa::{Inst, Target};

/// Assembles a source.
///
/// ```
/// use waveglass_asm::{AssembleOptions, assemble};
/// use waveglass_isa::Target;
///
/// let source = "loop: s_sub_u32 s0, s0, 1\n s_cbranch_scc0 loop\n s_endpgm";
/// let a = assemble(source, Target::Gfx900, &AssembleOptions::default()).unwrap();
/// assert_eq!(a.section(".text").unwrap().data.len(), 12);
/// ```
///
/// # Errors
///
/// All findings, where one of them is an error.
pub fn assemble(
    source: &str,
    target: Target,
    options: &AssembleOptions,
) -> Result<Assembled, Diagnostics> {
    let mut again = Again::default();
    let options = &AssembleOptions {
        wave_size: options
            .wave_size
            .or_else(|| named_wave_size(source, target)),
        ..options.clone()
    };
    loop {
        let a = Assembler::new(target, options, again);
        match a.run(source.as_bytes())? {
            (assembled, None) => return Ok(assembled),
            // Room behind one branch may bring another to the distance, and so may a number that
            // got longer; each pass adds some.
            (_, Some(more)) => again = more,
        }
    }
}

/// The wave size that the source's first kernel names.
fn named_wave_size(source: &str, target: Target) -> Option<u32> {
    const NAME: &str = ".amdhsa_wavefront_size32";
    if !(target.has_wave32() && target.has_wave64()) {
        return None;
    }
    let at = memchr::memmem::find(source.as_bytes(), NAME.as_bytes())?;
    match source[at + NAME.len()..].trim_start().as_bytes().first()? {
        b'0' => Some(64),
        b'1' => Some(32),
        _ => None,
    }
}

/// Assembles single instructions without labels.
///
/// ```
/// use waveglass_asm::LineAssembler;
/// use waveglass_isa::Target;
///
/// let mut asm = LineAssembler::new(Target::Gfx900, 64);
/// let inst = asm.assemble("v_add_f32 v1, v2, v3").unwrap();
/// assert_eq!(inst.words()[0], 0x0202_0702);
/// ```
pub struct LineAssembler {
    reader: Reader,
    symbols: Symbols,
}

impl LineAssembler {
    /// An assembler for a target and a wave size of 32 or 64.
    pub fn new(target: Target, wave_size: u32) -> Self {
        Self {
            reader: Reader::new(For { target, wave_size }, u32::MAX),
            symbols: Symbols::new(target, wave_size, u64::MAX),
        }
    }

    /// Assembles one instruction.
    ///
    /// # Errors
    ///
    /// The finding, with the column at which it lies.
    pub fn assemble(&mut self, text: &str) -> Result<Inst, Diagnostic> {
        let mut c = Cursor::new(text.as_bytes());
        self.symbols.in_bars = false;
        let r = self.reader.read(&mut c, &mut self.symbols);
        let problem = match r {
            Ok(()) if self.reader.matched.fixup.is_none() => {
                return Ok(self.reader.matched.bits.finish());
            }
            Ok(_) => diagnostic::Problem::at(0, "expected absolute expression"),
            Err(p) => p,
        };
        Err(Diagnostic {
            severity: Severity::Error,
            message: problem.message.into_owned(),
            help: problem.help,
            line: 1,
            column: problem.at as u32 + 1,
            source: text.to_owned(),
            expansions: Vec::new(),
        })
    }
}

/// The fields of a kernel descriptor as `.amdhsa_` directives, names without the prefix; `None`
/// where it has bits that no directive sets. `xnack` is that of the code object's target ID: on, off
/// or any. With it goes `reserve_xnack_mask`, which has to agree.
pub fn descriptor_directives(
    descriptor: &[u8; 64],
    target: Target,
    wave_size: u32,
    xnack: Option<bool>,
) -> Option<Vec<(&'static str, u64)>> {
    amdhsa::directives(descriptor, target, wave_size, xnack)
}

/// The metadata note's MessagePack as the YAML of `.amdgpu_metadata`; `None` for values that the
/// directive does not take.
pub fn metadata_yaml(message: &[u8]) -> Option<String> {
    metadata::yaml(message)
}
