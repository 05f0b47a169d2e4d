//! Kernels that work rows out in a fast way unless one of their results is a NaN: the exact way must give
//! the same numbers.

use crate::semantics::{Semantics, registry};
use crate::valu::kernel::{BLOCK, Setting, level};
use crate::valu::{ClampKind, MaskUse, Spec, Ty};

/// Lanes of a register here.
const LANES: usize = 64;
/// Where the sources and the result lie.
const SOURCES: [usize; 3] = [0, 4 * LANES, 8 * LANES];
const RESULT: usize = 12 * LANES;

struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        crate::testing::xorshift(&mut self.0).wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A 16-bit float that is no NaN, by the position of its exponent: often an edge.
    fn half(&mut self, mantissa: u32) -> u32 {
        let infinity = (0x7fff >> mantissa) << mantissa;
        let edges = [
            0,
            1,
            (1 << mantissa) - 1,
            1 << mantissa,
            infinity - 1,
            infinity,
            infinity >> 1 & infinity,
        ];
        let sign = (self.next() as u32 & 1) << 15;
        let magnitude = match self.next() % 4 {
            0 => edges[self.next() as usize % edges.len()],
            // Near one, where sums cancel and products have odd ends.
            1 => (infinity >> 1 & infinity) + (self.next() as u32 & 0x3ff) - 0x1ff,
            _ => self.next() as u32 & 0x7fff,
        };
        sign | magnitude.min(infinity)
    }

    /// A single that is no NaN.
    fn single(&mut self) -> u32 {
        let sign = (self.next() as u32 & 1) << 31;
        let magnitude = match self.next() % 4 {
            0 => [0, 1, 0x7f_ffff, 0x80_0000, 0x7f7f_ffff, 0x7f80_0000][self.next() as usize % 6],
            1 => 0x3f80_0000 + (self.next() as u32 & 0xff_ffff) - 0x80_0000,
            _ => self.next() as u32 & 0x7fff_ffff,
        };
        sign | magnitude.min(0x7f80_0000)
    }

    /// A double that is no NaN.
    fn double(&mut self) -> u64 {
        match self.next() % 4 {
            0 => f64::from(f32::from_bits(self.single())).to_bits(),
            _ => {
                let x = self.next();
                let exponent = 1023 - 40 + self.next() % 80;
                x & 0x800f_ffff_ffff_ffff | exponent << 52
            }
        }
    }

    /// The dwords of an operand's lane.
    fn operand(&mut self, ty: Ty) -> [u32; 2] {
        let pair = |x: u64| [x as u32, (x >> 32) as u32];
        match ty {
            Ty::F16 | Ty::PkF16 => [self.half(10) | self.half(10) << 16, 0],
            Ty::Bf16 | Ty::PkBf16 => [self.half(7) | self.half(7) << 16, 0],
            Ty::F32 | Ty::PkF32 | Ty::Mix | Ty::MixBf16 => [self.single(), self.single()],
            Ty::F64 => pair(self.double()),
            _ => pair(self.next()),
        }
    }
}

/// A NaN in an operand's lane.
fn nan(ty: Ty) -> Option<[u32; 2]> {
    Some(match ty {
        Ty::F16 | Ty::PkF16 => [0x7e00_7e00, 0],
        Ty::Bf16 | Ty::PkBf16 => [0x7fc0_7fc0, 0],
        Ty::F32 | Ty::PkF32 | Ty::Mix | Ty::MixBf16 => [0x7fc0_0000; 2],
        Ty::F64 => [0, 0x7ff8_0000],
        _ => return None,
    })
}

fn put(regs: &mut [u32], source: usize, lane: usize, dwords: [u32; 2]) {
    for (k, v) in dwords.into_iter().enumerate() {
        regs[SOURCES[source] + k * LANES + lane] = v;
    }
}

fn check(spec: &Spec, build: usize, numbers: &mut Numbers) {
    let Some((source, planted)) = (0..3).find_map(|k| Some((k, nan(spec.sources[k])?))) else {
        return;
    };
    let kernels = match spec.clamp {
        ClampKind::Saturating(clamped) => vec![spec.kernel, clamped],
        ClampKind::Float => vec![spec.kernel],
    };
    for round in 0..24 {
        let mut regs = vec![0; 16 * LANES];
        for k in 0..3 {
            for lane in 0..LANES {
                let operand = numbers.operand(spec.sources[k]);
                put(&mut regs, k, lane, operand);
            }
        }
        let setting = match spec.mask {
            MaskUse::None | MaskUse::Selection => {
                let major = [9, 10, 11, 12][round % 4];
                Setting(0xf0 | (numbers.next() & 1) << 9 | major << 32).0
            }
            _ => numbers.next(),
        };
        let mut with_nan = regs.clone();
        // One in each row makes all of the row go the exact way.
        let lane = round % BLOCK;
        put(&mut with_nan, source, lane, planted);
        put(&mut with_nan, source, BLOCK + lane, planted);
        for kernel in &kernels {
            let (mut fast, mut exact) = (regs.clone(), with_nan.clone());
            // SAFETY: the machine has the build.
            let bits = unsafe { kernel[build](&mut fast, RESULT, SOURCES, LANES, setting) };
            // SAFETY: as above.
            let exact_bits = unsafe { kernel[build](&mut exact, RESULT, SOURCES, LANES, setting) };
            let planted = 1 << lane | 1 << (BLOCK + lane);
            assert_eq!(bits | planted, exact_bits | planted, "{}", spec.name);
            for at in RESULT..RESULT + 4 * LANES {
                if at % BLOCK != lane {
                    let operands: Vec<u32> = SOURCES
                        .iter()
                        .flat_map(|s| [regs[s + at % LANES], regs[s + LANES + at % LANES]])
                        .collect();
                    assert_eq!(
                        fast[at], exact[at],
                        "{} in build {build}: {operands:x?}",
                        spec.name
                    );
                }
            }
        }
    }
}

#[test]
fn fast_rows_are_exact() {
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    for semantics in registry().values() {
        if let Semantics::Valu(spec) = semantics {
            for build in 0..=level() {
                check(spec, build, &mut numbers);
            }
        }
    }
}

/// All builds give the same bits, NaN among the sources and results too.
#[test]
fn builds_agree() {
    let mut numbers = Numbers(0x1357_9bdf_0246_8ace);
    for semantics in registry().values() {
        let Semantics::Valu(spec) = semantics else {
            continue;
        };
        for _ in 0..8 {
            let mut regs = vec![0; 16 * LANES];
            for (i, v) in regs.iter_mut().enumerate() {
                let ty = spec.sources[(i / (4 * LANES)).min(2)];
                *v = match i % 5 {
                    0 => numbers.next() as u32,
                    _ => numbers.operand(ty)[i / LANES % 2],
                };
            }
            let setting = match spec.mask {
                MaskUse::None | MaskUse::Selection => 0xf0 | 9 << 32,
                _ => numbers.next(),
            };
            let run = |build: usize| {
                let mut regs = regs.clone();
                // SAFETY: the machine has the build.
                let bits =
                    unsafe { spec.kernel[build](&mut regs, RESULT, SOURCES, LANES, setting) };
                (regs, bits)
            };
            let baseline = run(0);
            for build in 1..=level() {
                assert!(run(build) == baseline, "{} in build {build}", spec.name);
            }
        }
    }
}
