//! Any bytes as a file: code objects, bundles, host programs. Seeds: the samples in
//! `crates/waveglass-object/tests/data`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use waveglass_object::{CodeObject, File, Limits};

const LIMITS: Limits = Limits {
    image: 1 << 18,
    decompressed: 1 << 18,
    metadata: 1 << 16,
};

fn load(object: &CodeObject) {
    let _ = object.image().relocated(0x7f00_0000_0000);
    for kernel in object.kernels() {
        assert!(object.image().bytes(kernel.entry, 4).is_some());
        assert!(kernel.descriptor.vgpr_count() > 0);
    }
}

fuzz_target!(|data: &[u8]| {
    match File::parse_with(data, &LIMITS) {
        Ok(File::CodeObject(object)) => load(&object),
        Ok(File::Bundle(bundle)) => {
            for entry in bundle.entries().iter().take(64) {
                if let Ok(object) = CodeObject::parse_with(bundle.data(entry), &LIMITS) {
                    load(&object);
                }
            }
        }
        _ => {}
    }
});
