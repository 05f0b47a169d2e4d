//! Damaged samples end in a value or an error: never a panic, never unbounded memory.

use std::path::PathBuf;
use waveglass_object::{Bundle, CodeObject, File, Limits};

const LIMITS: Limits = Limits {
    image: 1 << 20,
    decompressed: 1 << 20,
    metadata: 1 << 16,
};

fn samples() -> Vec<(PathBuf, Vec<u8>)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data");
    let mut samples: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| {
            p.extension()
                .is_some_and(|e| e != "hip" && e != "s" && e != "sh")
        })
        .map(|p| (p.clone(), std::fs::read(p).unwrap()))
        .collect();
    samples.sort();
    assert!(samples.len() >= 15);
    samples
}

fn use_object(object: &CodeObject) {
    for base in [0, 0x7f00_0000_0000, u64::MAX - 0xfff] {
        let _ = object.image().relocated(base);
    }
    for kernel in object.kernels() {
        assert!(object.image().bytes(kernel.entry, 4).is_some());
    }
}

fn use_bundle(bundle: &Bundle<'_>) {
    for entry in bundle.entries() {
        if let Ok(object) = CodeObject::parse_with(bundle.data(entry), &LIMITS) {
            use_object(&object);
        }
    }
}

fn read(data: &[u8]) -> bool {
    match File::parse_with(data, &LIMITS) {
        Ok(File::CodeObject(object)) => use_object(&object),
        Ok(File::Bundle(bundle)) => use_bundle(&bundle),
        Ok(_) => {}
        Err(e) => {
            assert!(!e.to_string().is_empty());
            return false;
        }
    }
    true
}

#[test]
fn every_truncation_ends_without_panic() {
    for (path, data) in samples() {
        assert!(read(&data), "{}", path.display());
        for len in 0..data.len() {
            read(&data[..len]);
        }
    }
}

#[test]
fn every_flipped_byte_ends_without_panic() {
    for (_, mut data) in samples() {
        for i in 0..data.len() {
            for flip in [0x01, 0x80, 0xff] {
                data[i] ^= flip;
                read(&data);
                data[i] ^= flip;
            }
        }
    }
}

#[test]
fn a_bundle_that_claims_much_more_than_it_holds_is_refused() {
    let mut data = b"CCOB\x02\x00\x01\x00".to_vec();
    data.extend(64u32.to_le_bytes());
    data.extend(0xffff_ffffu32.to_le_bytes());
    data.resize(64, 0);
    let error = File::parse(&data).unwrap_err().to_string();
    assert!(error.contains("over the limit of 1073741824"), "{error}");
}

#[test]
fn nested_metadata_is_refused_without_recursion() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/vadd-gfx90a-v5.co");
    let mut data = std::fs::read(path).unwrap();
    let note = data.windows(7).position(|w| w == b"AMDGPU\0").unwrap() + 8;
    // Arrays of one array, as deep as the note is long.
    data[note..note + 512].fill(0x91);
    let error = File::parse(&data).unwrap_err().to_string();
    assert!(error.contains("bad MessagePack"), "{error}");
}
