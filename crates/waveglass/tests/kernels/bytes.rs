//! Narrow and unaligned accesses.

use crate::compare::exact;
use crate::harness::{builds, each};
use crate::input::{bytes, u32s};

#[test]
fn narrow_loads_extend() {
    let n = 200usize;
    let x = bytes(1, n * 8);
    let want: Vec<u32> = x
        .chunks(8)
        .enumerate()
        .flat_map(|(i, p)| {
            let signed = |k: usize| i32::from(p[k] as i8);
            [
                u32::from(p[i % 8]),
                signed(1) as u32,
                u32::from(u16::from_le_bytes([p[2], p[3]])),
                i32::from(i16::from_le_bytes([p[4], p[5]])) as u32,
                u32::from_le_bytes([p[3], p[4], p[5], p[6]]),
                u32::from(u16::from_le_bytes([p[5], p[6]])),
                u32::from_le_bytes([p[0], p[1], p[6], p[7]]),
                (signed(3) * signed(4) + i32::from(p[5])) as u32,
            ]
        })
        .collect();
    each(builds("bytes"), |build| {
        let launch = build
            .launch("narrow_loads")
            .grid([2, 1, 1])
            .block([100, 1, 1]);
        let out = launch.buffer(&x).output::<u32>(n * 8).run()?;
        exact("narrow_loads", 8, &out.get::<u32>(1), &want)
    });
}

#[test]
fn narrow_stores_leave_their_neighbours_alone() {
    let n = 150usize;
    let x = u32s(2, n);
    let low: Vec<u8> = x.iter().map(|v| (v >> 11) as u8).collect();
    let halves: Vec<u16> = x.iter().map(|v| (v >> 7) as u16).collect();
    let mut odd = vec![0xa5u8];
    for v in &x {
        odd.extend(v.to_le_bytes());
        odd.push(((v >> 16) ^ v) as u8);
    }
    odd.extend([0xa5; 3]);
    each(builds("bytes"), |build| {
        let launch = build
            .launch("narrow_stores")
            .grid([3, 1, 1])
            .block([50, 1, 1]);
        let out = launch
            .buffer(&x)
            .output::<u8>(n)
            .output::<u16>(n)
            .output::<u8>(odd.len())
            .run()?;
        exact("narrow_stores bytes", 1, &out.get::<u8>(1), &low)?;
        exact("narrow_stores halves", 1, &out.get::<u16>(2), &halves)?;
        exact("narrow_stores unaligned", 1, &out.get::<u8>(3), &odd)
    });
}

#[test]
fn luma_agrees() {
    let n = 333usize;
    let x = u32s(3, n);
    let mut want: Vec<u8> = x
        .iter()
        .map(|v| {
            let [r, g, b, _] = v.to_le_bytes().map(u32::from);
            ((77 * r + 150 * g + 29 * b) / 256) as u8
        })
        .collect();
    want.extend([0xa5; 51]);
    each(builds("bytes"), |build| {
        let launch = build
            .launch("rgba_to_gray")
            .grid([6, 1, 1])
            .block([64, 1, 1]);
        let out = launch.buffer(&x).output::<u8>(384).arg(n as u32).run()?;
        exact("rgba_to_gray", 1, &out.get::<u8>(1), &want)
    });
}

#[test]
fn narrow_lds_accesses_agree() {
    let x = bytes(4, 400);
    let (mut want8, mut want16, mut wants) = (Vec::new(), Vec::new(), Vec::new());
    for block in x.chunks(200) {
        let half = |t: usize| u32::from(block[t]) * 257 + t as u32;
        for t in 0..200 {
            let other = 199 - t;
            want8.push(block[other]);
            want16.push(half(other) as u16);
            wants.push(i32::from((block[other] ^ 0x80) as i8) + i32::from(half(t) as u16 as i16));
        }
    }
    each(builds("bytes"), |build| {
        let launch = build
            .launch("narrow_lds")
            .grid([2, 1, 1])
            .block([200, 1, 1]);
        let out = launch
            .buffer(&x)
            .output::<u8>(400)
            .output::<u16>(400)
            .output::<i32>(400)
            .run()?;
        exact("narrow_lds u8", 1, &out.get::<u8>(1), &want8)?;
        exact("narrow_lds u16", 1, &out.get::<u16>(2), &want16)?;
        exact("narrow_lds signed", 1, &out.get::<i32>(3), &wants)
    });
}

#[test]
fn packed_and_12_byte_structures_agree() {
    let n = 128usize;
    let (odd, three) = (bytes(5, n * 15), u32s(6, n * 3));
    let (mut want_odd, mut want_three) = (Vec::new(), Vec::new());
    for (p, t) in odd.chunks(15).zip(three.chunks(3)) {
        let a = p[0];
        let b = u32::from_le_bytes([p[1], p[2], p[3], p[4]]);
        let c = u16::from_le_bytes([p[5], p[6]]);
        let d = u64::from_le_bytes([p[7], p[8], p[9], p[10], p[11], p[12], p[13], p[14]]);
        want_odd.push(a.wrapping_add(1));
        want_odd.extend((b ^ t[0]).to_le_bytes());
        want_odd.extend(c.wrapping_mul(3).to_le_bytes());
        want_odd.extend(d.wrapping_sub(u64::from(t[1])).to_le_bytes());
        want_three.extend([
            t[1].wrapping_add(b),
            t[2].wrapping_add(u32::from(c)),
            ((d >> 32) as u32)
                .wrapping_add(t[0])
                .wrapping_add(u32::from(a)),
        ]);
    }
    each(builds("bytes"), |build| {
        let launch = build.launch("structures").grid([2, 1, 1]).block([64, 1, 1]);
        let launch = launch
            .buffer(&odd)
            .buffer(&three)
            .output::<u8>(n * 15)
            .output::<u32>(n * 3);
        let out = launch.run()?;
        exact("structures packed", 15, &out.get::<u8>(2), &want_odd)?;
        exact("structures of three", 3, &out.get::<u32>(3), &want_three)
    });
}
