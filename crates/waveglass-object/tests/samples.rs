//! What the samples hold, as their sources, llvm-readelf and llvm-objdump say.

use waveglass_object::*;

fn read(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn object(name: &str) -> CodeObject {
    CodeObject::parse(&read(name)).unwrap()
}

#[test]
fn descriptors_hold_what_the_directives_set() {
    for (name, vgprs, wave) in [
        ("kd-gfx900.co", 40, 64),
        ("kd-gfx942.co", 40, 64),
        ("kd-gfx1030.co", 40, 32),
        ("kd-gfx1030-wave64.co", 40, 64),
        ("kd-gfx1100.co", 40, 32),
        ("kd-gfx1201.co", 40, 32),
        ("kd-gfx1250.co", 48, 32),
    ] {
        let object = object(name);
        let d = &object.kernel("k").unwrap().descriptor;
        assert_eq!(
            (d.vgpr_count(), d.wavefront_size()),
            (vgprs, wave),
            "{name}"
        );
        assert_eq!(d.group_segment_fixed_size, 1234, "{name}");
        assert_eq!(d.private_segment_fixed_size, 48, "{name}");
        assert_eq!(d.kernarg_size, 72, "{name}");
        assert_eq!(d.user_sgpr_count(), 9, "{name}");
        assert!(d.enable_sgpr_dispatch_ptr() && d.enable_sgpr_kernarg_segment_ptr());
        assert!(!d.enable_sgpr_queue_ptr() && !d.enable_sgpr_dispatch_id());
        assert!(
            d.enable_workgroup_id_x() && d.enable_workgroup_id_y() && !d.enable_workgroup_id_z()
        );
        assert_eq!(d.workitem_id(), WorkItemIdVgprs::Xyz);
        assert_eq!(d.round_mode_32(), RoundMode::PlusInfinity);
        assert_eq!(d.round_mode_16_64(), RoundMode::MinusInfinity);
        assert_eq!(d.denorm_mode_32(), DenormMode::FlushNone);
        assert_eq!(d.denorm_mode_16_64(), DenormMode::FlushDst);
        assert_eq!(d.exceptions(), 1 << 3, "{name}");
        assert!(d.fp16_overflow());
    }
    let descriptor = |name| object(name).kernel("k").unwrap().descriptor.clone();
    let d = descriptor("kd-gfx942.co");
    assert_eq!((d.accum_offset(), d.tg_split()), (Some(36), true));
    assert_eq!(
        (d.kernarg_preload_length(), d.kernarg_preload_offset()),
        (3, 2)
    );
    let d = descriptor("kd-gfx1030.co");
    assert_eq!(
        (d.wgp_mode(), d.forward_progress(), d.mem_ordered()),
        (false, true, true)
    );
    assert_eq!(
        descriptor("kd-gfx1030-wave64.co").shared_vgpr_count(),
        Some(16)
    );
    assert_eq!(descriptor("kd-gfx1100.co").inst_pref_size(), Some(640));
    assert_eq!(descriptor("kd-gfx1201.co").inst_pref_size(), Some(640));
    assert_eq!(descriptor("kd-gfx1250.co").inst_pref_size(), Some(896));
    assert_eq!(descriptor("kd-gfx1250.co").named_barrier_count(), Some(8));
}

#[test]
fn versions_features_and_metadata_are_read() {
    for (name, version) in [
        ("vadd-gfx90a-v4.co", CodeObjectVersion::V4),
        ("vadd-gfx90a-v5.co", CodeObjectVersion::V5),
        ("vadd-gfx90a-v6.co", CodeObjectVersion::V6),
    ] {
        let object = object(name);
        assert_eq!(object.version(), version);
        assert_eq!(object.target().gfx, "gfx90a");
        assert_eq!(
            (object.target().xnack, object.target().sramecc),
            (Feature::Any, Feature::Any)
        );
        let m = object.kernel("vadd").unwrap().metadata.clone().unwrap();
        assert_eq!(
            (
                m.group_segment_fixed_size,
                m.vgpr_count,
                m.max_flat_workgroup_size
            ),
            (256, 8, 256)
        );
        // V4 has no such key.
        assert_eq!(m.uniform_work_group_size, version >= CodeObjectVersion::V5);
        let explicit: Vec<_> = m
            .args
            .iter()
            .map(|a| (a.offset, a.size, a.kind))
            .take(5)
            .collect();
        let pointer = ValueKind::GlobalBuffer;
        assert_eq!(
            explicit,
            [
                (0, 8, pointer),
                (8, 8, pointer),
                (16, 8, pointer),
                (24, 4, ValueKind::ByValue),
                (32, 8, pointer)
            ]
        );
    }
    let t = object("vadd-gfx90a-on-off.co").target().clone();
    assert_eq!((t.xnack, t.sramecc), (Feature::On, Feature::Off));
    let t = object("vadd-gfx11-generic.co").target().clone();
    assert_eq!((t.gfx, t.generic_version), ("gfx11-generic", 1));
}

#[test]
fn a_relative_relocation_adds_the_load_address() {
    let image = object("vadd-gfx90a-v5.co")
        .image()
        .relocated(0x10_0000)
        .unwrap();
    let s = image
        .segments
        .iter()
        .find(|s| s.address == 0x10_3cb0)
        .unwrap();
    assert_eq!(s.data[0x10..0x18], 0x10_3cb4u64.to_le_bytes());
}

#[test]
fn every_container_gives_the_same_code_object() {
    let plain = read("vadd.bundle");
    let File::Bundle(bundle) = File::parse(&plain).unwrap() else {
        panic!("not a bundle")
    };
    assert_eq!(bundle.find("gfx1100").count(), 1);
    let expected = bundle.code_objects("gfx906").unwrap().remove(0);
    for name in [
        "vadd-v3.ccob",
        "bundler-v2.ccob",
        "bundler-v3.ccob",
        "vadd-host.o",
        "vadd.packager",
    ] {
        let data = read(name);
        let found = File::parse(&data)
            .unwrap()
            .code_objects(Some("gfx906"))
            .unwrap()
            .remove(0);
        // Each compilation has its own symbol for its unit: the code is what must be the same.
        let code = |o: &CodeObject| o.image().segments()[1].clone();
        assert_eq!(code(&found), code(&expected), "{name}");
    }
    let error = bundle.code_objects("gfx950").unwrap_err().to_string();
    assert!(
        error.contains("gfx1100") && error.contains("gfx906"),
        "{error}"
    );
}

#[test]
fn code_object_v2_is_refused_by_name() {
    let mut data = read("vadd-gfx90a-v5.co");
    data[8] = 0;
    assert!(
        File::parse(&data)
            .unwrap_err()
            .to_string()
            .contains("code object V2")
    );
}

#[test]
fn an_absolute_relocation_is_symbol_and_addend_at_the_load_address() {
    let image = object("relocations.co").image().clone();
    let kinds: Vec<_> = image.relocations().iter().map(|r| r.kind).collect();
    assert_eq!(kinds, [RelocationKind::Word64; 2]);
    let word = image.relocations().iter().map(|r| r.address).min().unwrap();
    let base = 0x7f00_0000_0000;
    let loaded = image.relocated(base).unwrap();
    let s = loaded
        .segments
        .iter()
        .rfind(|s| s.address <= base + word)
        .unwrap();
    let at = (base + word - s.address) as usize;
    // `here` stands after the two words.
    assert_eq!(s.data[at..at + 8], (base + word + 16 + 5).to_le_bytes());
    assert_eq!(s.data[at + 8..at + 16], (base + word).to_le_bytes());
}

#[test]
fn v3_has_one_bit_for_each_feature() {
    // AMDGPUUsage, "AMDGPU ELF Header e_flags for Code Object V3": xnack 0x100, sramecc 0x200.
    for (bits, xnack, sramecc) in [
        (0, Feature::Unsupported, Feature::Unsupported),
        (0x100, Feature::On, Feature::Unsupported),
        (0x300, Feature::On, Feature::On),
    ] {
        let mut data = read("vadd-gfx90a-v4.co");
        data[8] = 1;
        let flags = 0x3f_u32 | bits;
        data[48..52].copy_from_slice(&flags.to_le_bytes());
        let object = CodeObject::parse(&data).unwrap();
        assert_eq!(object.version(), CodeObjectVersion::V3);
        let t = object.target();
        assert_eq!((t.gfx, t.xnack, t.sramecc), ("gfx90a", xnack, sramecc));
    }
}

#[test]
fn the_first_compressed_format_and_zlib_are_read() {
    use std::io::Write;
    let plain = read("vadd.bundle");
    let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    zlib.write_all(&plain).unwrap();
    // Magic, version 1, method 0 (zlib), decompressed size, hash; no total size.
    let mut data = b"CCOB\x01\0\0\0".to_vec();
    data.extend((plain.len() as u32).to_le_bytes());
    data.extend([0; 8]);
    data.extend(zlib.finish().unwrap());
    let code = |data: &[u8]| {
        let objects = File::parse(data)
            .unwrap()
            .code_objects(Some("gfx906"))
            .unwrap();
        objects[0].image().segments()[1].clone()
    };
    assert_eq!(code(&data), code(&plain));
}

#[test]
fn a_file_without_section_headers_is_refused() {
    let mut data = read("vadd-gfx90a-v5.co");
    // e_shoff, then e_shnum and e_shstrndx.
    data[40..48].fill(0);
    data[60..64].fill(0);
    let error = CodeObject::parse(&data).unwrap_err().to_string();
    assert!(error.contains("section headers"), "{error}");
}
