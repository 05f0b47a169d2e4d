//! A matrix in column-major order, read by the lanes that the manuals name, ends up row by row.

use crate::error::Stop;
use crate::program::Step;
use crate::testing::Bench;
use waveglass_isa::Target;

// points: 3, 12

/// Writes element `(k, m)` of `bits` bits at bit `(k * 16 + m) * bits`, with value `f(k, m)`.
fn matrix(columns: usize, bits: u32, f: impl Fn(usize, usize) -> u32) -> Vec<u32> {
    let mut dwords = vec![0u32; columns * 16 * bits as usize / 32];
    for k in 0..columns {
        for m in 0..16 {
            for b in 0..bits {
                let at = (k * 16 + m) * bits as usize + b as usize;
                dwords[at / 32] |= (f(k, m) >> b & 1) << (at % 32);
            }
        }
    }
    dwords
}

/// Element `j` of `bits` bits in a lane's result from register `v` on.
fn element(b: &Bench, v: usize, lane: usize, j: usize, bits: u32) -> u32 {
    (0..bits)
        .map(|i| {
            let at = j * bits as usize + i as usize;
            (b.get(v + at / 32, lane) >> (at % 32) & 1) << i
        })
        .fold(0, |all, bit| all | bit)
}

fn fill(b: &mut Bench, dwords: &[u32]) {
    for (i, &v) in dwords.iter().enumerate() {
        b.poke_lds(4 * i, v);
        b.poke(4 * i as u64, v);
    }
}

/// The K and the half of M that a lane reads in CDNA 5's figure (ISA 10.9.2) for 16 and 8 bits.
fn figure(lane: usize, bits: u32) -> (usize, usize) {
    match bits {
        // Lanes 0-7: K 0-7, M 0-7; 8-15: K 0-7, M 8-15; 16-23: K 8-15, M 0-7; 24-31: the rest.
        16 => ([0, 8][lane / 16] + lane % 8, [0, 8, 0, 8][lane / 8]),
        // Lanes 0-3: K 0-3, M 0-7; 4-7: K 0-3, M 8-15; 8-11: K 4-7, M 0-7; …
        _ => (lane / 8 * 4 + lane % 4, [0, 8][lane / 4 % 2]),
    }
}

// rule: GLOBAL_LOAD_TR, DS_LOAD_TR of 16 and 8 bits, wave32; section CDNA 5 ISA 10.9.2 (figure), 7.12.2
// (layout of A), 11.2.4; RDNA 4 ISA 11.6.2.
#[test]
fn wave32_lanes_get_a_row_and_eight_columns() {
    for (target, hex, bits, lds) in [
        // ds_load_tr16_b128 v[4:7], v2; ds_load_tr8_b64 v[4:5], v2
        (Target::Gfx1250, "0000f0db02000004", 16, true),
        (Target::Gfx1250, "0000f4db02000004", 8, true),
        // global_load_tr16_b128 v[4:7], v[2:3], off; global_load_tr8_b64 v[4:5], v2, s[4:5]
        (Target::Gfx1250, "7cc015ee0400000002000000", 16, false),
        (Target::Gfx1250, "040016ee0400000002000000", 8, false),
        // global_load_tr_b128 v[4:7], v[2:3], off; global_load_tr_b64 v[4:5], v[2:3], off
        (Target::Gfx1200, "7cc015ee0400000002000000", 16, false),
        (Target::Gfx1200, "7c0016ee0400000002000000", 8, false),
    ] {
        let mut b = Bench::new(target, 32);
        let value = |k: usize, m: usize| (k * 16 + m) as u32;
        fill(&mut b, &matrix(16, bits, value));
        let at = |lane: usize| {
            let (k, m) = figure(lane, bits);
            (k * 16 + m) * bits as usize / 8
        };
        if lds || hex.starts_with("04") {
            b.set(2, |l| at(l) as u32);
            b.wave.set_s64(4, crate::testing::MEMORY);
        } else {
            b.set_address(2, |l| at(l) as u64);
        }
        b.run_all(&[hex]);
        for lane in 0..32 {
            for j in 0..8 {
                let want = value(j + lane / 16 * 8, lane % 16);
                assert_eq!(element(&b, 4, lane, j, bits), want, "{hex} {lane} {j}");
            }
        }
    }
}

// rule: wave64 spreads the matrix over 64 lanes and takes addresses from lanes 0 to 31; section RDNA 4
// ISA 11.6.2, 7.12.2.
#[test]
fn wave64_lanes_get_a_row_and_four_columns() {
    // global_load_tr_b128 v[4:5], v[2:3], off; global_load_tr_b64 v4, v[2:3], off
    for (hex, bits) in [
        ("7cc015ee0400000002000000", 16),
        ("7c0016ee0400000002000000", 8),
    ] {
        let mut b = Bench::new(Target::Gfx1201, 64);
        let value = |k: usize, m: usize| (k * 16 + m) as u32;
        fill(&mut b, &matrix(16, bits, value));
        b.set_address(2, |l| {
            let (k, m) = figure(l % 32, bits);
            ((k * 16 + m) * bits as usize / 8 + l / 32 * 0x10_0000) as u64
        });
        b.run_all(&[hex]);
        for lane in 0..64 {
            for j in 0..4 {
                let k = j + [0, 8, 4, 12][lane / 16];
                let want = value(k, lane % 16);
                assert_eq!(element(&b, 4, lane, j, bits), want, "{bits} {lane} {j}");
            }
        }
        assert!(b.wave.faults.is_empty());
    }
}

// rule: DS_READ_*_TR_*; section CDNA 4 ISA 11.4.
#[test]
fn cdna4_transposes_within_16_lanes() {
    for (hex, bits, each) in [
        // ds_read_b64_tr_b16 v[4:5], v2 offset:8
        ("0800c6d902000004", 16, 4),
        // ds_read_b64_tr_b8 v[4:5], v2
        ("0000c4d902000004", 8, 8),
        // ds_read_b64_tr_b4 v[4:5], v2
        ("0000c0d902000004", 4, 16),
        // ds_read_b96_tr_b6 v[4:6], v2
        ("0000c2d902000004", 6, 16),
    ] {
        let mut b = Bench::new(Target::Gfx950, 64);
        // Four groups of `each` columns of K, one after the other.
        let value = |k: usize, m: usize| ((k * 7 + m * 3) & ((1 << bits) - 1)) as u32;
        fill(&mut b, &matrix(4 * each, bits, value));
        let step = each * bits as usize / 8;
        let offset = if bits == 16 { 8 } else { 0 };
        b.set(2, |l| ((l * step) as u32).wrapping_sub(offset));
        b.run_all(&[hex]);
        for lane in 0..64 {
            for j in 0..each {
                let want = value(lane / 16 * each + j, lane % 16);
                assert_eq!(element(&b, 4, lane, j, bits), want, "{bits} {lane} {j}");
            }
        }
    }
}

// rule: elements of 4 bits; section CDNA 5 ISA 10.9.2 (figure): lanes 0-7 K 0-7, 8-15 K 16-23, 16-23 K
// 8-15, 24-31 K 24-31.
#[test]
fn cdna5_four_bit_elements_go_by_16_lanes() {
    let mut b = Bench::new(Target::Gfx1250, 32);
    let value = |k: usize, m: usize| ((k + 3 * m) & 15) as u32;
    fill(&mut b, &matrix(32, 4, value));
    let k_of = |lane: usize| lane % 8 + [0, 16, 8, 24][lane / 8];
    b.set(2, |l| 8 * k_of(l) as u32);
    // ds_load_tr4_b64 v[4:5], v2
    b.run_all(&["0000e8db02000004"]);
    for lane in 0..32 {
        for j in 0..16 {
            let want = value(k_of(lane / 16 * 16 + j), lane % 16);
            assert_eq!(element(&b, 4, lane, j, 4), want);
        }
    }
}

// rule: elements of 6 bits; section CDNA 5 ISA 10.9.2 (figure): lanes 0-7 K 0-3 and 8-11, 8-15 K 4-7 and
// 12-15, 16-31 the same 16 further; they arrive in the order of K.
#[test]
fn cdna5_six_bit_elements_are_put_into_the_order_of_k() {
    const READS: [usize; 16] = [0, 1, 2, 3, 8, 9, 10, 11, 4, 5, 6, 7, 12, 13, 14, 15];
    let value = |k: usize, m: usize| ((k * 5 + m * 11) & 63) as u32;
    let check = |b: &Bench| {
        for lane in 0..32 {
            for j in 0..16 {
                let want = value(lane / 16 * 16 + j, lane % 16);
                assert_eq!(element(b, 4, lane, j, 6), want, "{lane} {j}");
            }
        }
    };
    let k_of = |lane: usize| READS[lane % 16] + lane / 16 * 16;
    for target in [Target::Gfx1250, Target::Gfx1251] {
        let mut b = Bench::new(target, 32);
        fill(&mut b, &matrix(32, 6, value));
        b.set(2, |l| 12 * k_of(l) as u32);
        // ds_load_tr6_b96 v[4:6], v2
        b.run_all(&["0000ecdb02000004"]);
        check(&b);
        let mut b = Bench::new(target, 32);
        fill(&mut b, &matrix(32, 6, value));
        b.set_address(2, |l| 12 * k_of(l) as u64);
        // global_load_tr6_b96 v[4:6], v[2:3], off
        b.run_all(&["7c001dee0400000002000000"]);
        check(&b);
    }
}

// rule: EXEC; section CDNA 4 ISA 11.4, RDNA 4 ISA 11.6.2, CDNA 5 ISA 10.9.2 and 11.2.4.
#[test]
fn a_partial_exec_is_refused_where_exec_counts() {
    let mut b = Bench::new(Target::Gfx950, 64);
    b.set(4, |_| 7);
    b.wave.set_exec(0);
    b.run_all(&["0000c4d902000004"]);
    assert_eq!(b.get(4, 0), 7);
    b.wave.set_exec(1);
    let step = b.run("0000c4d902000004");
    assert!(matches!(step, Step::Stop(Stop::Refused { why, .. }) if why.contains("EXEC")));
    // CDNA 5's LDS form takes all lanes.
    for exec in [2, 0] {
        let mut b = Bench::new(Target::Gfx1250, 32);
        b.poke_lds(0, 0x0002_0001);
        b.wave.set_exec(exec);
        b.run_all(&["0000f0db02000004"]);
        assert_eq!(
            [b.get(4, 0), b.get(4, 1), b.get(4, 2)],
            [0x0001_0001, 0x0002_0002, 0]
        );
    }
}
