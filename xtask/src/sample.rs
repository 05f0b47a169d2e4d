//! Instruction bytes that cover the edges of every field of every row.

use waveglass_isa::{ImmStyle, InstDef, OperandDef, OperandKind, Target};

/// A small deterministic generator (xorshift64*).
pub(crate) struct Rng(u64, bool);

impl Rng {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1, false)
    }

    /// The same with few different values for what has no edges, which compresses well.
    pub(crate) fn coarse(seed: u64) -> Self {
        Self(Self::new(seed).0, true)
    }

    /// Any value, or one of few.
    fn any(&mut self) -> u64 {
        let n = self.next();
        if self.1 {
            0x9e37_79b9_7f4a_7c15_u64.rotate_left((n % 8) as u32 * 8)
        } else {
            n
        }
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub(crate) fn choose<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[(self.next() % of.len() as u64) as usize]
    }

    pub(crate) fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[(self.next() % of.len() as u64) as usize]
    }
}

fn set(words: &mut [u32; 5], lo: u32, width: u32, value: u64) {
    for i in 0..width {
        let bit = lo + i;
        let w = (bit / 32) as usize;
        let mask = 1 << (bit % 32);
        words[w] = if value >> i & 1 != 0 {
            words[w] | mask
        } else {
            words[w] & !mask
        };
    }
}

/// Values for one field: its edges most of the time, anything else now and then.
fn value(rng: &mut Rng, target: Target, o: &OperandDef) -> u64 {
    let width: u32 = o
        .spans
        .iter()
        .map(|s| s.1 as u32 + s.2 as u32)
        .max()
        .unwrap_or(0);
    let max = u64::MAX >> (64 - width.clamp(1, 64));
    let random = rng.any() & max;
    let last_sgpr = if target.major() >= 10 { 105 } else { 101 };
    let scalar = |rng: &mut Rng| match rng.next() % 12 {
        0 => 0,
        1 => last_sgpr - 1,
        2 => rng.pick(&[106, 107]),
        3 => rng.pick(&[126, 127]),
        4 => rng.pick(&[124, 125]),
        5 => 108 + rng.any() % 16,
        6 => rng.pick(&[102, 103, 104, 105]),
        _ => rng.any() % (last_sgpr + 1),
    };
    let source = |rng: &mut Rng| match rng.next() % 16 {
        0..4 => scalar(rng),
        4 => rng.pick(&[128, 129, 192]),
        5 => rng.pick(&[193, 208, 195]),
        6 => 240 + rng.next() % 9,
        7 => rng.pick(&[235, 236, 237, 238, 239, 230, 231]),
        8 => rng.pick(&[251, 252, 253, 254]),
        9 | 10 => 255,
        _ => 128 + rng.any() % 81,
    };
    match o.kind {
        OperandKind::Mods(_) => match rng.next() % 3 {
            0 => 0,
            _ => random,
        },
        OperandKind::Scalar | OperandKind::SdwaDst => scalar(rng),
        OperandKind::ScalarSrc | OperandKind::ScalarSrcLit | OperandKind::ScalarSrcLds => {
            source(rng) & max
        }
        OperandKind::Imm(ImmStyle::DppCtrl) => rng.pick(&[
            0, 0x1b, 0xe4, 0xff, 0x101, 0x10f, 0x111, 0x11f, 0x121, 0x12f, 0x130, 0x134, 0x138,
            0x13c, 0x140, 0x141, 0x142, 0x143, 0x150, 0x15f, 0x160, 0x16f, random,
        ]),
        OperandKind::Imm(ImmStyle::Dpp8fi) => rng.pick(&[0xe9, 0xea]),
        OperandKind::Imm(_) => match rng.next() % 4 {
            0 => 0,
            1 => rng.pick(&[1, max, max >> 1, (max >> 1) + 1]),
            _ => random,
        },
        _ if width >= 9 => match rng.next() % 8 {
            0..3 => source(rng),
            3 => 256,
            4 => rng.pick(&[511, 510, 384, 383, max]),
            _ => (256 + rng.any() % 256) | (random & !0x1ff),
        },
        _ => match rng.next() % 6 {
            0 => 0,
            1 => rng.pick(&[1, max, max - 1, max >> 1, (max >> 1) + 1]),
            _ => random,
        },
    }
}

/// One sample of a row: its fixed bits, a choice for every field, and dwords that a literal may take.
pub(crate) fn sample(rng: &mut Rng, target: Target, row: &InstDef) -> [u32; 5] {
    let mut words = [0u32; 5];
    for w in &mut words[row.shape.size as usize / 4..] {
        *w = match rng.next() % 6 {
            0 => rng.pick(&[
                0,
                1,
                64,
                65,
                0xffff_fff0,
                0xffff_ffef,
                0x3f80_0000,
                0x3e22_f983,
            ]),
            1 => rng.any() as u32 & 0xffff,
            2 => 0x3c00_3c00,
            _ => rng.any() as u32,
        };
    }
    for o in row.operands() {
        let v = value(rng, target, o);
        for &(lo, at, width) in o.spans {
            // Fields that others of the shape also hold keep the first choice.
            set(&mut words, lo as u32, width as u32, v >> at);
        }
    }
    // The scalar destination that v_cmpx does not use is EXEC in what assemblers write.
    if row.mnemonic.starts_with("v_cmpx_")
        && row
            .operands()
            .iter()
            .all(|o| o.spans.iter().all(|s| s.0 != 0))
        && !rng.next().is_multiple_of(4)
    {
        words[0] |= 0x7e;
    }
    for (w, (mask, value)) in words.iter_mut().zip(row.shape.mask.iter().zip(&row.value)) {
        *w = *w & !mask | value;
    }
    words
}
