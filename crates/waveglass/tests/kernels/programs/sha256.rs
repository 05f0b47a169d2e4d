//! SHA-256 against the digests that NIST publishes and against the host's own, written from FIPS 180-4.

use crate::compare::exact;
use crate::harness::{builds, each};
use crate::input::bytes;

/// The first 32 bits of the fractional part of the `root`th root of `p`: the largest x with
/// x^root <= p * 2^(32 * root), by bisection in integers.
fn fraction_of_root(p: u128, root: u32) -> u32 {
    // The cube of a number of 35 bits times 2^... needs 105 bits: all fit into 128.
    let (mut low, mut high) = (0u128, 1 << 36);
    while high - low > 1 {
        let x = (low + high) / 2;
        if x.pow(root) <= p << (32 * root) {
            low = x;
        } else {
            high = x;
        }
    }
    low as u32
}

fn primes(n: usize) -> Vec<u128> {
    (2u128..)
        .filter(|&p| (2..p).take_while(|d| d * d <= p).all(|d| p % d != 0))
        .take(n)
        .collect()
}

fn sha256(message: &[u8], constants: &[u32], start: &[u32]) -> Vec<u8> {
    let mut padded = message.to_vec();
    padded.push(0x80);
    while padded.len() % 64 != 56 {
        padded.push(0);
    }
    padded.extend_from_slice(&(8 * message.len() as u64).to_be_bytes());
    let mut hash = start.to_vec();
    for block in padded.chunks(64) {
        let mut w: Vec<u32> = block
            .chunks(4)
            .map(|b| u32::from_be_bytes(b.try_into().expect("four bytes")))
            .collect();
        for t in 16..64 {
            let (x, y) = (w[t - 15], w[t - 2]);
            let s0 = x.rotate_right(7) ^ x.rotate_right(18) ^ x >> 3;
            let s1 = y.rotate_right(17) ^ y.rotate_right(19) ^ y >> 10;
            w.push(
                w[t - 16]
                    .wrapping_add(s0)
                    .wrapping_add(w[t - 7])
                    .wrapping_add(s1),
            );
        }
        let mut v = hash.clone();
        for t in 0..64 {
            let (a, e) = (v[0], v[4]);
            let t1 = v[7]
                .wrapping_add(e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25))
                .wrapping_add((e & v[5]) ^ (!e & v[6]))
                .wrapping_add(constants[t])
                .wrapping_add(w[t]);
            let t2 = (a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22))
                .wrapping_add((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
            v.rotate_right(1);
            v[0] = t1.wrapping_add(t2);
            v[4] = v[4].wrapping_add(t1);
        }
        for (h, x) in hash.iter_mut().zip(v) {
            *h = h.wrapping_add(x);
        }
    }
    hash.iter().flat_map(|h| h.to_be_bytes()).collect()
}

fn hex(digest: &[u8]) -> String {
    digest.iter().map(|b| format!("{b:02x}")).collect()
}

#[test]
fn digests_are_those_of_the_standard() {
    let constants: Vec<u32> = primes(64).iter().map(|&p| fraction_of_root(p, 3)).collect();
    let start: Vec<u32> = primes(8).iter().map(|&p| fraction_of_root(p, 2)).collect();
    // FIPS 180-2's examples and the empty message; then every length up to three blocks.
    let published = [
        (
            "",
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        ),
        (
            "abc",
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        ),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
        ),
    ];
    let random = bytes(1, 200);
    let mut messages: Vec<&[u8]> = published.iter().map(|(m, _)| m.as_bytes()).collect();
    messages.extend((0..200).map(|n| &random[..n]));
    let want: Vec<u8> = messages
        .iter()
        .flat_map(|m| sha256(m, &constants, &start))
        .collect();
    for (i, (_, digest)) in published.iter().enumerate() {
        assert_eq!(hex(&want[32 * i..][..32]), *digest);
    }
    let mut offsets = vec![0u32];
    for m in &messages {
        offsets.push(offsets[offsets.len() - 1] + m.len() as u32);
    }
    let n = messages.len();
    each(builds("sha256"), |build| {
        let out = build
            .launch("sha256")
            .grid([n.div_ceil(64) as u32, 1, 1])
            .block([64, 1, 1])
            .buffer(&messages.concat())
            .buffer(&offsets)
            .output::<u8>(32 * n)
            .arg(n as u32)
            .run()?;
        exact("sha256", 32, &out.get::<u8>(2), &want)
    });
}
