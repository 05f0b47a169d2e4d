//! Any text, any target: the assembler ends in sections or findings, and what it assembles links
//! or does not, within limits.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::sync::Arc;
use waveglass_asm::{AssembleLimits, AssembleOptions, FileLoader, assemble};
use waveglass_isa::{Decoder, Target};

fuzz_target!(|data: &[u8]| {
    let Some((&first, text)) = data.split_first() else {
        return;
    };
    let target = Target::ALL[(first & 0x3f) as usize % Target::COUNT];
    let wave64 = first & 0x40 != 0 && target.has_wave64();
    let options = AssembleOptions {
        wave_size: Some(if wave64 {
            64
        } else {
            target.default_wave_size()
        }),
        limits: AssembleLimits {
            bytes: 1 << 20,
            statements: 20_000,
            depth: 16,
            findings: 10,
            suggestions: 1,
        },
        files: Some(FileLoader(Arc::new(|name: &str| match name {
            "a" => Ok(b"s_nop 1\n.include \"b\"\n".to_vec()),
            "b" => Ok(b".macro m\n.include \"a\"\n.endm\n".to_vec()),
            "c" => Ok(b".include \"c\"\n".to_vec()),
            _ => Err("no such file".to_owned()),
        }))),
    };
    let source = String::from_utf8_lossy(text);
    match assemble(&source, target, &options) {
        Ok(a) => {
            // What was written as code is code.
            for s in a.sections.iter().filter(|s| s.flags & 4 != 0) {
                let decoder = Decoder::new(target).wave_size(options.wave_size.unwrap_or(32));
                let _ = decoder.decode(&s.data);
            }
        }
        Err(d) => {
            assert!(d.has_errors());
            let _ = d.render("input.s");
        }
    }
});
