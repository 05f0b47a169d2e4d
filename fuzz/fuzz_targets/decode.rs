//! Any bytes, any target: decoding, operands and printing end in a result.
#![no_main]

use libfuzzer_sys::fuzz_target;
use waveglass_asm::{PrintOptions, print};
use waveglass_isa::{Decoder, Target};

fuzz_target!(|data: &[u8]| {
    let Some((&first, mut code)) = data.split_first() else {
        return;
    };
    let target = Target::ALL[(first & 0x3f) as usize % Target::COUNT];
    let lanes = if first & 0x40 != 0 && target.has_wave64() {
        64
    } else {
        target.default_wave_size()
    };
    let decoder = Decoder::new(target).wave_size(lanes);
    let options = PrintOptions {
        true16: first & 0x80 == 0,
    };
    let mut text = String::new();
    while !code.is_empty() {
        match decoder.decode(code) {
            Ok(inst) => {
                assert!(inst.size() >= 4 && inst.size() % 4 == 0 && inst.size() <= code.len());
                for (def, _) in inst.operands() {
                    let _ = inst.constant(def.field);
                }
                text.clear();
                print(&inst, &options, &mut text);
                assert!(!text.is_empty());
                code = &code[inst.size()..];
            }
            Err(_) => code = &code[code.len().min(4)..],
        }
    }
});
