//! Two buffer instructions field by field: BUFFER_LOAD_U16 in CDNA 5's encoding, BUFFER_STORE_FORMAT_X in CDNA
//! 4's. The bits are put together here, from the manuals' tables of the encodings.

use super::buffer_tests::words;
use crate::testing::{Bench, MEMORY};
use waveglass_isa::{Decoder, Field, Inst, Operand, RegFile, Target};
use waveglass_mem::Generation;

// points: 9

/// Bits of an encoding: (lowest bit, value).
fn bits(fields: &[(u32, u128)]) -> u128 {
    fields.iter().fold(0, |all, (at, value)| all | value << at)
}

fn decode(target: Target, bytes: &[u8]) -> Inst {
    Decoder::new(target)
        .decode(bytes)
        .unwrap_or_else(|e| panic!("{target}: {e}"))
}

fn register(inst: &Inst, field: Field) -> (RegFile, u16, u8) {
    match inst.operand(field) {
        Some(Operand::Reg(r)) => (r.file, r.index, r.dwords),
        other => panic!("{}: {other:?}", field.name()),
    }
}

/// VBUFFER: SOFFSET 6:0, OP 21:14, TFE 22, 0b110001 in 31:26, VDATA 39:32, RSRC 49:41, SCOPE 51:50, TH 54:52,
/// FORMAT 61:55 (1 where there is none), OFFEN 62, IDXEN 63, VADDR 71:64, IOFFSET 95:72.
fn vbuffer(op: u128, soffset: u128, rest: &[(u32, u128)]) -> [u8; 12] {
    let all = bits(&[(0, soffset), (14, op), (26, 0b11_0001), (55, 1)]) | bits(rest);
    let bytes = all.to_le_bytes();
    std::array::from_fn(|i| bytes[i])
}

// rule: the fields of VBUFFER; section RDNA 4 ISA 15.7.1, CDNA 5 ISA 14.5.1.
// claims: buf.u16-3, buf.u16-4, buf.u16-5
#[test]
fn buffer_load_u16_has_the_fields_of_vbuffer() {
    for target in [Target::Gfx1200, Target::Gfx1250] {
        // buffer_load_u16 v5, v[2:3], s[8:11], s3 idxen offen offset:6
        let hex = vbuffer(
            18,
            3,
            &[(32, 5), (41, 8), (62, 1), (63, 1), (64, 2), (72, 6)],
        );
        let inst = decode(target, &hex);
        assert_eq!(inst.mnemonic(), "buffer_load_u16");
        assert_eq!(inst.size(), 12);
        assert_eq!(register(&inst, Field::Vdata), (RegFile::Vgpr, 5, 1));
        assert_eq!(register(&inst, Field::Vaddr), (RegFile::Vgpr, 2, 2));
        assert_eq!(register(&inst, Field::Srsrc), (RegFile::Sgpr, 8, 4));
        assert_eq!(register(&inst, Field::Soffset), (RegFile::Sgpr, 3, 1));
        assert_eq!(inst.operand(Field::Offset), Some(Operand::Imm(6)));
        // Cache policy: SCOPE and TH in two places of 5 bits.
        let hex = vbuffer(18, 3, &[(32, 5), (41, 8), (50, 2), (52, 5)]);
        assert_eq!(decode(target, &hex).field(Field::Cpol) & 0x1f, 2 << 3 | 5);
        // SOFFSET: M0 is 125, NULL 124.
        let hex = vbuffer(18, 125, &[(32, 5), (41, 8)]);
        assert_eq!(
            register(&decode(target, &hex), Field::Soffset).0,
            RegFile::M0
        );
        let hex = vbuffer(18, 124, &[(32, 5), (41, 8)]);
        assert_eq!(
            register(&decode(target, &hex), Field::Soffset).0,
            RegFile::Null
        );
    }
    // RDNA 3: 64 bits of MUBUF, OP 18 in 25:18.
    let old = bits(&[(18, 18), (26, 0b11_1000), (40, 5), (48, 2), (56, 3)]);
    let inst = decode(Target::Gfx1100, &old.to_le_bytes()[..8]);
    assert_eq!((inst.mnemonic(), inst.size()), ("buffer_load_u16", 8));
    assert_eq!(register(&inst, Field::Srsrc), (RegFile::Sgpr, 8, 4));
}

// rule: BUFFER_LOAD_U16 extends 16 bits with zeros; section CDNA 5 ISA 15.16.
// claims: buf.u16-1
#[test]
fn buffer_load_u16_loads_16_bits_and_clears_the_others() {
    for target in [Target::Gfx1200, Target::Gfx1250] {
        let mut b = Bench::new(target, 32);
        b.poke(0, 0x8765_4321);
        b.poke(4, 0x8000_ffff);
        let mut fields = vec![("base", MEMORY), ("num_records", 6), ("stride", 0)];
        if target == Target::Gfx1200 {
            fields.extend([("format", 20), ("oob_select", 3)]);
        }
        b.wave.sgpr[8..12].copy_from_slice(&words(target, &fields));
        b.wave.sgpr[3] = 0;
        b.set(2, |lane| 2 * lane as u32);
        b.set(5, |_| u32::MAX);
        let hex: String = vbuffer(18, 3, &[(32, 5), (41, 8), (62, 1), (64, 2)])
            .iter()
            .map(|b| format!("{b:02x}"))
            .collect();
        b.run_all(&[&hex]);
        // Six bytes are three values; the fourth is past them.
        let got: Vec<u32> = (0..4).map(|lane| b.get(5, lane)).collect();
        assert_eq!(got, [0x4321, 0x8765, 0xffff, 0], "{target}");
    }
}

/// MUBUF of CDNA 4: OFFSET 11:0, OFFEN 12, IDXEN 13, SC0 14, SC1 15, LDS 16, NT 17, OP 24:18, 0b111000 in
/// 31:26, VADDR 39:32, VDATA 47:40, SRSRC 52:48, ACC 55, SOFFSET 63:56.
fn mubuf(op: u128, soffset: u128, rest: &[(u32, u128)]) -> [u8; 8] {
    let all = bits(&[(18, op), (26, 0b11_1000), (56, soffset)]) | bits(rest);
    let bytes = all.to_le_bytes();
    std::array::from_fn(|i| bytes[i])
}

// rule: the fields of MUBUF; section CDNA 4 ISA 13.5.2.
// claims: buf.fmt-2, buf.fmt-3, buf.fmt-4
#[test]
fn buffer_store_format_x_has_the_fields_of_mubuf() {
    let target = Target::Gfx950;
    // buffer_store_format_x v1, v[2:3], s[12:15], s4 idxen offen offset:4095
    let rest = [(0, 4095), (12, 1), (13, 1), (32, 2), (40, 1), (48, 3)];
    let inst = decode(target, &mubuf(4, 4, &rest));
    assert_eq!((inst.mnemonic(), inst.size()), ("buffer_store_format_x", 8));
    assert_eq!(register(&inst, Field::Vdata), (RegFile::Vgpr, 1, 1));
    assert_eq!(register(&inst, Field::Vaddr), (RegFile::Vgpr, 2, 2));
    assert_eq!(register(&inst, Field::Srsrc), (RegFile::Sgpr, 12, 4));
    assert_eq!(register(&inst, Field::Soffset), (RegFile::Sgpr, 4, 1));
    assert_eq!(inst.operand(Field::Offset), Some(Operand::Imm(4095)));
    // SC0, SC1 and NT are cache policy.
    let plain = decode(target, &mubuf(4, 4, &[(48, 3)])).field(Field::Cpol);
    for at in [14, 15, 17] {
        let other = decode(target, &mubuf(4, 4, &[(48, 3), (at, 1)]));
        assert_ne!(other.field(Field::Cpol), plain, "bit {at}");
    }
    // ACC: an accumulation register.
    let inst = decode(target, &mubuf(4, 4, &[(40, 1), (48, 3), (55, 1)]));
    assert_eq!(register(&inst, Field::Vdata), (RegFile::Agpr, 1, 1));
    // SOFFSET: M0 (124), 5 (133), and no literal (255).
    let inst = decode(target, &mubuf(4, 124, &[(48, 3)]));
    assert_eq!(register(&inst, Field::Soffset).0, RegFile::M0);
    let inst = decode(target, &mubuf(4, 133, &[(48, 3)]));
    assert_eq!(inst.operand(Field::Soffset), Some(Operand::InlineInt(5)));
    let literal = [mubuf(4, 255, &[(48, 3)]).as_slice(), &[0; 8]].concat();
    assert!(Decoder::new(target).decode(&literal).is_err());
}

// rule: BUFFER_STORE_FORMAT_X converts by the descriptor's format, TBUFFER_STORE_FORMAT_X by its own; section
// CDNA 4 ISA 9.1.4.
// points: 9, 10
// claims: buf.fmt-1, buf.fmt-5
#[test]
fn buffer_store_format_x_converts_one_component_by_the_descriptor() {
    let target = Target::Gfx950;
    assert_eq!(
        crate::dispatch::memory_generation(target),
        Generation::Cdna4
    );
    let mut b = Bench::new(target, 64);
    // 8-bit unorm: data_format 1, num_format 0; dst_sel x is R.
    let fields = [
        ("base", MEMORY),
        ("num_records", 64),
        ("data_format", 1),
        ("num_format", 0),
        ("dst_sel_x", 4),
    ];
    b.wave.sgpr[12..16].copy_from_slice(&words(target, &fields));
    b.wave.sgpr[4] = 1;
    b.wave.set_exec(1);
    b.poke(0, 0x1111_1111);
    b.set(2, |_| 1);
    // 0.5 * 255 = 127.5, which rounds to 128.
    b.set(1, |_| 0.5f32.to_bits());
    let hex = |b: [u8; 8]| b.iter().map(|b| format!("{b:02x}")).collect::<String>();
    b.run_all(&[&hex(mubuf(4, 4, &[(12, 1), (32, 2), (40, 1), (48, 3)]))]);
    assert_eq!(b.peek(0), 0x1180_1111);
    // 16-bit signed integers: data_format 2, num_format 5. The register is an integer, clamped.
    let fields = [
        ("base", MEMORY),
        ("num_records", 64),
        ("data_format", 2),
        ("num_format", 5),
        ("dst_sel_x", 4),
    ];
    b.wave.sgpr[12..16].copy_from_slice(&words(target, &fields));
    b.set(1, |_| -40_000i32 as u32);
    b.run_all(&[&hex(mubuf(4, 4, &[(12, 1), (32, 2), (40, 1), (48, 3)]))]);
    assert_eq!(b.peek(0), 0x8000_1111);
    // tbuffer_store_format_x v1, v2, s[12:15], s4 offen format:[BUF_DATA_FORMAT_8,BUF_NUM_FORMAT_UINT]: its
    // own format, not the descriptor's. DFMT 22:19, NFMT 25:23, OP 18:15 (4), 0b111010.
    let typed = bits(&[
        (12, 1),
        (15, 4),
        (19, 1),
        (23, 4),
        (26, 0b11_1010),
        (32, 2),
        (40, 1),
        (48, 3),
        (56, 4),
    ]);
    b.set(1, |_| 0x77);
    let bytes: [u8; 8] = std::array::from_fn(|i| typed.to_le_bytes()[i]);
    b.run_all(&[&hex(bytes)]);
    assert_eq!(b.peek(0), 0x8077_1111);
}
