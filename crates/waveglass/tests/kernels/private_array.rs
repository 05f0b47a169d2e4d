//! Scratch memory under indices that only the lane knows.

use crate::compare::exact;
use crate::harness::{builds, each};
use crate::input::{bytes, u32s};

#[test]
fn private_sort_sorts() {
    let n = 130;
    let x = u32s(1, n * 24);
    let mut want = x.clone();
    want.chunks_mut(24).for_each(<[u32]>::sort_unstable);
    each(builds("private_array"), |build| {
        let launch = build
            .launch("private_sort")
            .grid([2, 1, 1])
            .block([65, 1, 1]);
        let out = launch.buffer(&x).output::<u32>(n * 24).run()?;
        exact("private_sort", 24, &out.get::<u32>(1), &want)
    });
}

#[test]
fn private_counters_of_each_width_wrap_by_themselves() {
    let (items, n) = (96, 40);
    let x: Vec<u8> = bytes(2, items * n).iter().map(|b| b & 0xc7).collect();
    let mut want = Vec::new();
    for own in x.chunks(n) {
        for value in 0..64u8 {
            let count = own.iter().filter(|b| **b & 63 == value).count() as u64;
            let small = (0xf8 + count) & 0xff;
            let medium = (0xfff0 + 3 * count) & 0xffff;
            let wide = 0xffff_fff0 + 5 * count;
            want.push((small << 56) | (medium << 40) | (wide & 0xff_ffff_ffff));
        }
    }
    each(builds("private_array"), |build| {
        let launch = build
            .launch("private_count")
            .grid([3, 1, 1])
            .block([32, 1, 1]);
        let out = launch
            .buffer(&x)
            .output::<u64>(items * 64)
            .arg(n as u32)
            .run()?;
        exact("private_count", 64, &out.get::<u64>(1), &want)
    });
}

#[test]
fn vectors_in_registers_are_indexed() {
    let n = 64;
    let (x, index) = (u32s(3, n * 16), u32s(4, n));
    each(builds("private_array"), |build| {
        for uniform in [0u32, 6, 15, 0xfff3] {
            let mut want = Vec::new();
            for (own, k) in x.chunks(16).zip(&index) {
                let mut v = own.to_vec();
                let at = |n: u32| (n & 15) as usize;
                v[at(uniform)] = v[at(uniform)].wrapping_add(1000);
                v[at(*k)] ^= 0x5555;
                want.extend([
                    v[at(uniform + 1)],
                    v[at(uniform)],
                    v[at(*k)],
                    v[at(*k >> 8)],
                ]);
            }
            let launch = build
                .launch("vector_index")
                .grid([1, 1, 1])
                .block([64, 1, 1]);
            let out = launch
                .buffer(&x)
                .buffer(&index)
                .output::<u32>(n * 4)
                .arg(uniform)
                .run()?;
            exact(
                &format!("vector_index of {uniform}"),
                4,
                &out.get::<u32>(2),
                &want,
            )?;
        }
        Ok(())
    });
}

#[test]
fn frames_of_8_kib_are_addressed() {
    let x = u32s(5, 128);
    let mut want = Vec::new();
    for &v in &x {
        let mut a: Vec<u32> = (0..2048u32).map(|j| (j * 7).wrapping_add(v)).collect();
        let (mut k, mut sum) = ((v & 2047) as usize, 0u32);
        for _ in 0..32 {
            sum = sum.wrapping_add(a[k]);
            a[k] ^= sum;
            k = (k * 5 + 1023) % 2048;
        }
        want.extend([sum, a[2047].wrapping_add(a[0]).wrapping_add(a[k])]);
    }
    each(builds("private_array"), |build| {
        let launch = build
            .launch("private_large")
            .grid([2, 1, 1])
            .block([64, 1, 1]);
        let out = launch.buffer(&x).output::<u32>(256).run()?;
        exact("private_large", 2, &out.get::<u32>(1), &want)
    });
}
