//! Deterministic inputs: a small generator, and the edge values of each type.

/// Marsaglia's xorshift64.
pub(crate) struct Xorshift(u64);

impl Xorshift {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// In `low..high`.
    pub(crate) fn range(&mut self, low: f64, high: f64) -> f64 {
        low + (self.next() >> 11) as f64 * 2f64.powi(-53) * (high - low)
    }
}

pub(crate) fn u32s(seed: u64, n: usize) -> Vec<u32> {
    let mut r = Xorshift::new(seed);
    (0..n).map(|_| (r.next() >> 32) as u32).collect()
}

pub(crate) fn u64s(seed: u64, n: usize) -> Vec<u64> {
    let mut r = Xorshift::new(seed);
    (0..n).map(|_| r.next()).collect()
}

pub(crate) fn bytes(seed: u64, n: usize) -> Vec<u8> {
    let mut r = Xorshift::new(seed);
    (0..n).map(|_| (r.next() >> 32) as u8).collect()
}

pub(crate) fn f32s_in(seed: u64, n: usize, low: f64, high: f64) -> Vec<f32> {
    let mut r = Xorshift::new(seed);
    (0..n).map(|_| r.range(low, high) as f32).collect()
}

pub(crate) fn f64s_in(seed: u64, n: usize, low: f64, high: f64) -> Vec<f64> {
    let mut r = Xorshift::new(seed);
    (0..n).map(|_| r.range(low, high)).collect()
}

/// Every pair of `edges`, then random values up to `n` pairs; edges that leave no room are an error of the test.
pub(crate) fn pairs<T: Copy>(
    edges: &[T],
    n: usize,
    mut random: impl FnMut() -> T,
) -> (Vec<T>, Vec<T>) {
    assert!(
        edges.len() * edges.len() <= n,
        "{} pairs do not fit into {n}",
        edges.len() * edges.len()
    );
    let (mut a, mut b): (Vec<T>, Vec<T>) = edges
        .iter()
        .flat_map(|&x| edges.iter().map(move |&y| (x, y)))
        .unzip();
    while a.len() < n {
        a.push(random());
        b.push(random());
    }
    (a, b)
}

pub(crate) const U32_EDGES: [u32; 14] = [
    0,
    1,
    2,
    3,
    7,
    0x7fff_ffff,
    0x8000_0000,
    0x8000_0001,
    0xffff_ffff,
    0xffff_fffe,
    0xffff,
    0x10000,
    31,
    0x0fff_ffff,
];

pub(crate) const U64_EDGES: [u64; 14] = [
    0,
    1,
    2,
    10,
    63,
    0xffff_ffff,
    0x1_0000_0000,
    0x1_0000_0001,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    0x8000_0000_0000_0001,
    0xffff_ffff_ffff_ffff,
    0xffff_ffff_0000_0000,
    0x00ff_ffff_ffff_ffff,
];

/// Bits: zeros, denormals, the normal range's ends, ones, infinities, a quiet NaN. A signalling NaN is not among them,
/// since compilers may quiet it or not.
pub(crate) const F32_EDGES: [u32; 14] = [
    0x0000_0000,
    0x8000_0000,
    0x0000_0001,
    0x807f_ffff,
    0x0080_0000,
    0x7f7f_ffff,
    0xff7f_ffff,
    0x3f80_0000,
    0xbf80_0000,
    0x3f80_0001,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0x4b80_0001,
];

pub(crate) const F64_EDGES: [u64; 14] = [
    0x0000_0000_0000_0000,
    0x8000_0000_0000_0000,
    0x0000_0000_0000_0001,
    0x800f_ffff_ffff_ffff,
    0x0010_0000_0000_0000,
    0x7fef_ffff_ffff_ffff,
    0xffef_ffff_ffff_ffff,
    0x3ff0_0000_0000_0000,
    0xbff0_0000_0000_0000,
    0x3ff0_0000_0000_0001,
    0x7ff0_0000_0000_0000,
    0xfff0_0000_0000_0000,
    0x7ff8_0000_0000_0000,
    0x4340_0000_0000_0001,
];

pub(crate) const F16_EDGES: [u16; 14] = [
    0x0000, 0x8000, 0x0001, 0x83ff, 0x0400, 0x7bff, 0xfbff, 0x3c00, 0xbc00, 0x3c01, 0x7c00, 0xfc00,
    0x7e00, 0x6801,
];
