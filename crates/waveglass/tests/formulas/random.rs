//! Operand values: random ones, and the ones at edges.

/// xorshift64*.
pub(crate) struct Random(u64);

impl Random {
    /// A sequence of its own for each name.
    pub(crate) fn new(name: &str) -> Self {
        // FNV-1a.
        let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325u64, |h, b| {
            (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3)
        });
        Self(hash | 1)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        ((self.next() >> 33) % n as u64) as usize
    }

    fn choice<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}

/// Zeros, the denormals and normals at the ends, one and its neighbours, halves, infinities, quiet
/// and signalling NaNs.
const F16S: &[u16] = &[
    0, 0x8000, 1, 0x8001, 0x03ff, 0x83ff, 0x0400, 0x8400, 0x3bff, 0x3c00, 0xbc00, 0x3c01, 0x3800,
    0xb800, 0x3e00, 0xc100, 0x4248, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0xfe01, 0x7c01, 0xfd00,
];
const F32S: &[u32] = &[
    0,
    0x8000_0000,
    1,
    0x8000_0001,
    0x007f_ffff,
    0x807f_ffff,
    0x0080_0000,
    0x8080_0000,
    0x3f7f_ffff,
    0x3f80_0000,
    0xbf80_0000,
    0x3f80_0001,
    0x3f00_0000,
    0xbf00_0000,
    0x4020_0000,
    0xc020_0000,
    0x4f00_0000,
    0xcf00_0000,
    0x4f80_0000,
    0x7f7f_ffff,
    0xff7f_ffff,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0xffc0_0001,
    0x7f80_0001,
    0xffa0_0000,
    0x4780_0000,
    0x3e80_0000,
];
const F64S: &[u64] = &[
    0,
    1 << 63,
    1,
    1 << 63 | 1,
    0x000f_ffff_ffff_ffff,
    0x0010_0000_0000_0000,
    0x3fef_ffff_ffff_ffff,
    0x3ff0_0000_0000_0000,
    0xbff0_0000_0000_0000,
    0x3fe0_0000_0000_0000,
    0xc004_0000_0000_0000,
    0x41e0_0000_0000_0000,
    0xc1e0_0000_0020_0000,
    0x7fef_ffff_ffff_ffff,
    0xffef_ffff_ffff_ffff,
    0x7ff0_0000_0000_0000,
    0xfff0_0000_0000_0000,
    0x7ff8_0000_0000_0000,
    0x7ff0_0000_0000_0001,
    0xfff4_0000_0000_0000,
];
const INTEGERS: &[u32] = &[
    0,
    1,
    2,
    15,
    16,
    31,
    32,
    33,
    63,
    64,
    0x7f,
    0x80,
    0xff,
    0x7fff,
    0x8000,
    0xffff,
    0x7f_ffff,
    0x80_0000,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_fffe,
    u32::MAX,
    0x8000_8000,
    0x7fff_7fff,
    0xffff_0000,
    0x0080_0004,
];

/// How many kinds of values there are.
pub(crate) const KINDS: usize = 10;

/// Two dwords of a kind of value.
pub(crate) fn pair(r: &mut Random, kind: usize) -> [u32; 2] {
    let split = |v: u64| [v as u32, (v >> 32) as u32];
    let ends = |r: &mut Random, width: u32| -> u64 { r.next() >> (64 - width) };
    match kind {
        0 => split(r.next()),
        1 => [r.choice(INTEGERS), r.choice(INTEGERS)],
        // Small and small negative numbers.
        2 => {
            let small = |r: &mut Random| {
                let width = 1 + r.below(31) as u32;
                let v = ends(r, width) as u32;
                if r.below(2) == 0 { v } else { v.wrapping_neg() }
            };
            let v = small(r);
            let sign = if r.below(2) == 0 {
                0
            } else {
                (v as i32 >> 31) as u32
            };
            [v, sign]
        }
        3 => [r.choice(F32S), r.choice(F32S)],
        // Ordinary 32-bit floats whose exponents are near to each other.
        4 => {
            let f = |r: &mut Random| {
                let sign = (r.below(2) as u32) << 31;
                sign | (117 + r.below(24) as u32) << 23 | ends(r, 23) as u32
            };
            [f(r), f(r)]
        }
        5 => {
            let f = |r: &mut Random| u32::from(r.choice(F16S)) | u32::from(r.choice(F16S)) << 16;
            [f(r), f(r)]
        }
        6 => {
            let f = |r: &mut Random| {
                let sign = (r.below(2) as u32) << 15;
                sign | (9 + r.below(12) as u32) << 10 | ends(r, 10) as u32
            };
            [f(r) | f(r) << 16, f(r) | f(r) << 16]
        }
        7 => split(r.choice(F64S)),
        8 => {
            let sign = (r.below(2) as u64) << 63;
            split(sign | (1010 + r.below(30) as u64) << 52 | ends(r, 52))
        }
        // Any exponent.
        _ => {
            let sparse = r.next() & r.next() & r.next();
            split(r.next() & 0xfff0_0000_fff0_0000 | sparse & 0x000f_ffff_000f_ffff)
        }
    }
}
