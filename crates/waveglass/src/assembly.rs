//! From assembled sections to a code object.

use waveglass_asm::{Assembled, AssembledRelocationKind, SymbolPlace};
use waveglass_object::{
    LinkError, LinkInput, LinkPlace, LinkRelocation, LinkSection, LinkSymbol, link,
};

/// Links an assembled source to a loadable code object, the bytes of an `.hsaco` file.
///
/// ```
/// use waveglass::{asm, isa::Target, link_code_object};
///
/// let source = ".globl f\n .type f,@function\n f: s_endpgm";
/// let a = asm::assemble(source, Target::Gfx900, &Default::default()).unwrap();
/// let elf = link_code_object(&a).unwrap();
/// assert_eq!(&elf[..4], b"\x7fELF");
/// ```
///
/// # Errors
///
/// [`LinkError`]: a symbol that is not defined, a distance that does not fit.
pub fn link_code_object(a: &Assembled) -> Result<Vec<u8>, LinkError> {
    let sections = a
        .sections
        .iter()
        .map(|s| LinkSection {
            name: &s.name,
            flags: s.flags,
            kind: s.kind,
            align: s.align,
            data: &s.data,
            size: s.size,
            relocations: s
                .relocations
                .iter()
                .map(|r| LinkRelocation {
                    offset: r.offset,
                    kind: relocation(r.kind),
                    symbol: r.symbol,
                    addend: r.addend,
                })
                .collect(),
        })
        .collect();
    let symbols = a
        .symbols
        .iter()
        .map(|s| LinkSymbol {
            name: &s.name,
            place: match s.place {
                SymbolPlace::Undefined => LinkPlace::Undefined,
                SymbolPlace::Absolute => LinkPlace::Absolute,
                SymbolPlace::Section(n) => LinkPlace::Section(n),
            },
            value: s.value,
            size: s.size,
            kind: s.kind,
            binding: s.binding,
            visibility: s.visibility,
        })
        .collect();
    link(&LinkInput {
        flags: flags(a),
        abi_version: a.code_object_version - 2,
        sections,
        symbols,
        metadata: a.metadata.as_deref(),
    })
}

/// `e_flags` (AMDGPUUsage, "ELF Header e_flags for Code Object V4 and V5").
fn flags(a: &Assembled) -> u32 {
    let setting = |there: bool, on: Option<bool>, shift: u32| match (there, on) {
        (false, _) => 0,
        (true, None) => 1 << shift,
        (true, Some(false)) => 2 << shift,
        (true, Some(true)) => 3 << shift,
    };
    a.target.elf_mach()
        | setting(a.target.supports_xnack(), a.xnack, 8)
        | setting(a.target.supports_sramecc(), a.sramecc, 10)
}

/// `R_AMDGPU_*` (AMDGPUUsage, "Relocation Records").
fn relocation(kind: AssembledRelocationKind) -> u32 {
    use AssembledRelocationKind as K;
    match kind {
        K::Abs32Lo => 1,
        K::Abs32Hi => 2,
        K::Abs64 => 3,
        K::Rel32 => 4,
        K::Rel64 => 5,
        K::Abs32 => 6,
        K::GotPcRel32Lo => 8,
        K::GotPcRel32Hi => 9,
        K::Rel32Lo => 10,
        K::Rel32Hi => 11,
        K::Rel16 => 14,
    }
}
