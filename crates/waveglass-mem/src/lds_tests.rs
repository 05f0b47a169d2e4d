use super::*;
use crate::atomic::{AtomicOp, AtomicRules};
use crate::rules::Generation;

// points: 5

fn port(generation: Generation) -> Port {
    Port::new(Rules::new(generation))
}

/// 64 bytes, byte n holding n.
fn counting() -> Lds {
    let mut lds = Lds::new(64);
    for (i, byte) in lds.bytes_mut().iter_mut().enumerate() {
        *byte = i as u8;
    }
    lds
}

fn load(generation: Generation, element: Element, address: u32) -> (Vec<u32>, usize) {
    let mut port = port(generation);
    let mut rows = vec![[0xdead_beef; 32]; element.dwords()];
    let addresses = [address; 32];
    counting().load(Lanes::new(&addresses, 1), element, &mut rows, &mut port);
    assert_eq!(rows[0][1], 0xdead_beef, "inactive lanes keep their value");
    (rows.iter().map(|r| r[0]).collect(), port.faults.len())
}

// rule: LDS loads sign-extend signed bytes and shorts; unaligned mode takes any address; section Vega
// ISA 10.3.3, RDNA 3 ISA 3.3.4.1.
#[test]
fn loads_extend_and_need_no_alignment_by_default() {
    let mut lds = Lds::new(8);
    lds.bytes_mut()
        .copy_from_slice(&[0x80, 0x81, 0x82, 3, 4, 5, 6, 7]);
    let mut port = port(Generation::Gcn5);
    let mut get = |element, address| {
        let mut rows = [[0; 32]];
        lds.load(Lanes::new(&[address; 32], 1), element, &mut rows, &mut port);
        rows[0][0]
    };
    assert_eq!(get(Element::U8, 0), 0x80);
    assert_eq!(get(Element::I8, 0), 0xffff_ff80);
    assert_eq!(get(Element::U16, 1), 0x8281);
    assert_eq!(get(Element::I16, 1), 0xffff_8281);
    assert_eq!(get(Element::B32, 3), 0x0605_0403);
}

// RDNA 3 ISA 3.3.4.1: "if any part of the LDS-address is out of range, the entire instruction returns
// zero"; RDNA 4 ISA 3.3.5.1: "this is checked per DWORD".
// points: 5, 6
// claims: flat.9.6-7
#[test]
fn a_wide_load_across_the_end_is_zero_whole_on_rdna3_and_per_dword_on_rdna4() {
    let (values, faults) = load(Generation::Rdna3, Element::B128, 56);
    assert_eq!((values, faults), (vec![0, 0, 0, 0], 1));
    let (values, faults) = load(Generation::Rdna4, Element::B128, 56);
    assert_eq!((values, faults), (vec![0x3b3a_3938, 0x3f3e_3d3c, 0, 0], 1));
    // One byte of the dword is out: all of it reads zero.
    assert_eq!(load(Generation::Cdna5, Element::B32, 61), (vec![0], 1));
}

// Vega ISA 9.6: LDS range [0, LDS_SIZE-1].
// claims: flat.9.6-5
#[test]
fn an_address_near_the_top_of_32_bits_is_out_of_range_and_does_not_wrap() {
    for generation in Generation::ALL {
        assert_eq!(load(generation, Element::B64, 0xffff_fffc), (vec![0, 0], 1));
        assert_eq!(load(generation, Element::B32, 60), (vec![0x3f3e_3d3c], 0));
        assert_eq!(load(generation, Element::B32, 64), (vec![0], 1));
    }
}

// RDNA 4 ISA 3.3.5.1: "stored bytes out of range are discarded", byte granularity in UNALIGNED mode.
#[test]
fn a_store_across_the_end_drops_all_on_rdna3_and_only_outside_bytes_on_rdna4() {
    let store = |generation| {
        let mut lds = Lds::new(6);
        let mut port = port(generation);
        let rows = [[0x4433_2211; 32]];
        lds.store(Lanes::new(&[4; 32], 1), Element::B32, &rows, &mut port);
        assert_eq!(port.faults.len(), 1);
        lds.bytes().to_vec()
    };
    assert_eq!(store(Generation::Rdna3), [0, 0, 0, 0, 0, 0]);
    assert_eq!(store(Generation::Rdna4), [0, 0, 0, 0, 0x11, 0x22]);
}

// RDNA 3 ISA 3.3.4.1: B32 & ~3, B64 & ~7, B96 and B128 & ~15.
// claims: set.alignment
#[test]
fn alignment_is_forced_unless_the_mode_is_unaligned() {
    let mut port = port(Generation::Rdna3);
    port.rules.alignment = AlignmentMode::Dword;
    let lds = counting();
    let mut rows = [[0; 32]; 4];
    let mut first = |element, address| {
        lds.load(Lanes::new(&[address; 32], 1), element, &mut rows, &mut port);
        rows[0][0]
    };
    assert_eq!(first(Element::B32, 7), 0x0706_0504);
    assert_eq!(first(Element::B64, 15), 0x0b0a_0908);
    assert_eq!(first(Element::B128, 31), 0x1312_1110);
    assert_eq!(first(Element::B96, 31), 0x1312_1110);
}

// RDNA 3 ISA 3.3.4.1: "MEMVIOL is reported for misaligned LDS accesses when the alignment mode is set
// to STRICT or DWORD_STRICT".
// points: 5, 6
// claims: set.alignment, flat.9.6-4
#[test]
fn strict_modes_report_misaligned_accesses() {
    let lds = counting();
    for (mode, want) in [(AlignmentMode::Strict, 1), (AlignmentMode::DwordStrict, 0)] {
        let mut port = port(Generation::Rdna3);
        port.rules.alignment = mode;
        let mut rows = [[9; 32]; 2];
        lds.load(Lanes::new(&[4; 32], 1), Element::B64, &mut rows, &mut port);
        assert_eq!(port.faults.len(), want, "{mode:?}");
    }
}

// Vega ISA 9.6: [0, MIN(M0, LDS_SIZE)-1]; the setting chooses whether M0 counts.
// claims: flat.9.6-5, flat.9.1-4, set.m0
#[test]
fn m0_bounds_lds_only_on_gfx9_and_only_when_the_setting_says_so() {
    for (generation, setting, want) in [
        (Generation::Gcn5, false, 64),
        (Generation::Gcn5, true, 16),
        (Generation::Cdna3, true, 16),
        (Generation::Rdna2, true, 64),
    ] {
        let mut port = port(generation);
        port.rules.m0_bounds_lds = setting;
        port.m0 = 16;
        assert_eq!(counting().limit(&port), want, "{generation:?} {setting}");
        port.m0 = u32::MAX;
        assert_eq!(counting().limit(&port), 64);
    }
}

// rule: what M0 alone puts out of range is reported as M0's limit, what is outside the allocation as that;
// section Vega ISA 9.6.
// points: 5, 6
#[test]
fn faults_name_the_limit_that_was_passed() {
    let mut port = port(Generation::Gcn5);
    port.rules.m0_bounds_lds = true;
    port.m0 = 16;
    let mut addresses = [0; 64];
    addresses[..4].copy_from_slice(&[12, 16, 60, 64]);
    let mut rows = [[0; 32]; 2];
    let lanes = Lanes::new(&addresses, 0b1111);
    counting().load(lanes, Element::B32, &mut rows, &mut port);
    let faults: Vec<_> = port
        .faults
        .iter()
        .map(|f| (f.lane, f.kind, f.limit, f.region().unwrap().distance))
        .collect();
    assert_eq!(
        faults,
        [
            (1, FaultKind::M0Range, Some(16), 0),
            (2, FaultKind::M0Range, Some(16), 44),
            (3, FaultKind::LdsRange, Some(64), 0)
        ]
    );
    let text = port.faults[0].to_string();
    let end = "address is past the LDS limit in M0 (16 bytes); \
               it starts right behind the end of M0's part of the LDS [0x0, 0x10)";
    assert!(text.ends_with(end), "{text}");
}

// rule: whole waves and single lanes of LDS accesses agree; section no manual says: whole waves are a
// faster way of the model.
#[test]
fn full_waves_agree_with_single_lanes() {
    let mut lds = Lds::new(64 * 16);
    for (i, byte) in lds.bytes_mut().iter_mut().enumerate() {
        *byte = (i * 7 + i / 256) as u8;
    }
    let addresses: Vec<u32> = (0..64).map(|l| l * 37 % 64 * 15).collect();
    for element in [Element::B32, Element::B64, Element::B96, Element::B128] {
        let mut port = port(Generation::Gcn5);
        let mut rows = vec![[0; 32]; element.dwords() * 2];
        lds.load(
            Lanes::new(&addresses, u64::MAX),
            element,
            &mut rows,
            &mut port,
        );
        for (lane, &address) in addresses.iter().enumerate() {
            for d in 0..element.dwords() {
                let at = address as usize + d * 4;
                let want = u32::from_le_bytes(lds.bytes()[at..at + 4].try_into().unwrap());
                assert_eq!(rows[d * 2 + lane / 32][lane % 32], want);
            }
        }
        let mut copy = Lds::new(64 * 16);
        copy.store(Lanes::new(&addresses, u64::MAX), element, &rows, &mut port);
        for &address in &addresses {
            let range = address as usize..address as usize + element.bytes() as usize;
            assert_eq!(copy.bytes()[range.clone()], lds.bytes()[range]);
        }
        assert!(port.faults.is_empty());
    }
}

// rule: lanes off by EXEC keep their registers; section Vega ISA 3.3.
#[test]
fn partial_waves_load_their_lanes_and_keep_the_others() {
    let lds = counting();
    let mut port = port(Generation::Gcn5);
    let mut addresses = [u32::MAX; 64];
    for lane in [3, 40] {
        addresses[lane] = lane as u32;
    }
    let mut rows = [[7; 32]; 4];
    let lanes = Lanes::new(&addresses, 1 << 3 | 1 << 40);
    lds.load(lanes, Element::B64, &mut rows, &mut port);
    assert_eq!([rows[0][3], rows[2][3]], [0x0605_0403, 0x0a09_0807]);
    assert_eq!([rows[1][8], rows[3][8]], [0x2b2a_2928, 0x2f2e_2d2c]);
    let kept = rows.as_flattened().iter().filter(|&&v| v == 7).count();
    assert_eq!((kept, port.faults.len()), (124, 0));
}

// rule: of lanes that store to one address of LDS the highest wins; section no manual says: the order
// of lanes is not specified, as RDNA 3 ISA 12.5.1 says of atomics.
#[test]
fn the_highest_lane_wins_a_store_to_one_address() {
    let mut lds = Lds::new(4);
    let mut port = port(Generation::Gcn5);
    let row: Row = std::array::from_fn(|l| l as u32);
    lds.store(
        Lanes::new(&[0; 32], u64::MAX),
        Element::B32,
        &[row],
        &mut port,
    );
    assert_eq!(lds.bytes(), [31, 0, 0, 0]);
}

#[test]
fn an_atomic_serialises_its_lanes_and_returns_each_value_before() {
    let mut lds = Lds::new(16);
    let mut port = port(Generation::Gcn5);
    let rules = AtomicRules::integer(Generation::Gcn5);
    let mut before = [[99; 32]; 1];
    let add = Atomic {
        op: AtomicOp::Add,
        width: AtomicWidth::B32,
        data: &[[2; 32]],
        second: &[],
        rules,
    };
    lds.atomic(
        Lanes::new(&[4; 32], 0b1011),
        add,
        Some(&mut before),
        &mut port,
    );
    assert_eq!(before[0][..5], [0, 2, 99, 4, 99]);
    assert_eq!(lds.bytes()[4..8], [6, 0, 0, 0]);
    // 64-bit, crossing the halves: 0xffffffff + 1.
    lds.bytes_mut()[8..12].fill(0xff);
    let wide = Atomic {
        width: AtomicWidth::B64,
        data: &[[1; 32], [0; 32]],
        ..add
    };
    lds.atomic(Lanes::new(&[8; 32], 1), wide, None, &mut port);
    assert_eq!(lds.bytes()[8..16], [0, 0, 0, 0, 1, 0, 0, 0]);
    assert!(port.faults.is_empty());
    // Misaligned for its width: nothing happens (RDNA 3 ISA 3.3.4.1).
    lds.atomic(Lanes::new(&[4; 32], 1), wide, None, &mut port);
    assert_eq!(port.faults[0].kind, FaultKind::Misaligned);
    assert_eq!(lds.bytes()[4..8], [6, 0, 0, 0]);
}

// RDNA 3 ISA 12.5, CDNA 5 ISA 11.2.
// points: 12
#[test]
fn addtid_takes_sixteen_bits_of_m0_and_twenty_on_cdna5() {
    let address = |generation| lds_addtid(&Rules::new(generation), 0xff_0010, 8, 3);
    assert_eq!(address(Generation::Rdna3), 0x10 + 8 + 12);
    assert_eq!(address(Generation::Cdna5), 0xf_0010 + 8 + 12);
}

// rule: whether an access out of range is reported is a setting, and what it reads and writes is the same; section
// RDNA 3 ISA 3.3.4.1.
// points: 5, 6
// claims: set.lds-report
#[test]
fn reports_of_lds_ranges_can_be_switched_off() {
    for generation in Generation::ALL {
        for report in [true, false] {
            let mut port = port(generation);
            port.rules.report_lds_range = report;
            let mut lds = counting();
            let mut rows = [[1; 32]];
            let lanes = Lanes::new(&[64; 32], 1);
            lds.load(lanes, Element::B32, &mut rows, &mut port);
            lds.store(lanes, Element::B32, &rows, &mut port);
            assert_eq!(rows[0][0], 0);
            assert_eq!(lds.bytes(), counting().bytes());
            assert_eq!(port.faults.len(), if report { 2 } else { 0 });
        }
    }
}
