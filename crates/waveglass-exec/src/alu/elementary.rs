//! Elementary functions in double precision, from which the operations of
//! [`transcendental`](super::transcendental) are rounded: polynomials that are the same on every host, since
//! they multiply and add in a fixed order and never fuse.

/// Evaluates a polynomial, highest coefficient first.
#[inline(always)]
fn polynomial(x: f64, coefficients: &[f64]) -> f64 {
    let (mut sum, rest) = match coefficients.split_first() {
        Some((&first, rest)) => (first, rest),
        None => (0.0, coefficients),
    };
    for &c in rest {
        sum = sum * x + c;
    }
    sum
}

/// Evaluates a polynomial from its coefficients of the even and of the odd powers, each highest first:
/// two short chains of dependent steps instead of a long one.
#[inline(always)]
fn halved_polynomial(x: f64, even: &[f64], odd: &[f64]) -> f64 {
    let z = x * x;
    polynomial(z, even) + x * polynomial(z, odd)
}

/// 2 to the power of `x`, for an `x` within +-1020.
#[inline(always)]
fn exp2(x: f64) -> f64 {
    // Beside 1.5 * 2^52 the nearest whole number stands in the lowest bits.
    let beside = 6_755_399_441_055_744.0;
    let number = x + beside;
    let y = x - (number - beside);
    // The minimax polynomial of 2^y - 1 for |y| <= 1/2: of 2^y its relative error is 2^-54.3.
    let series = y * halved_polynomial(
        y,
        &[
            4.078_078_287_001_962_6e-10,
            1.018_064_758_798_934_5e-7,
            1.525_272_738_546_812_9e-5,
            0.001_333_355_815_343_949_7,
            0.055_504_108_664_790_4,
            0.693_147_180_559_945_7,
        ],
        &[
            7.072_570_205_493_106e-9,
            1.321_544_267_635_620_2e-6,
            0.000_154_035_304_415_704_54,
            0.009_618_129_107_607_004,
            0.240_226_506_959_100_97,
        ],
    );
    f64::from_bits(
        (1.0 + series)
            .to_bits()
            .wrapping_add(number.to_bits() << 52),
    )
}

/// 2 to the power of `a`, no NaN, rounded once.
#[inline(always)]
pub(super) fn exp2_f32(a: f32) -> f32 {
    // Beyond these there are only zero and infinity.
    exp2(f64::from(a.clamp(-160.0, 160.0))) as f32
}

/// The reciprocal square root of a single-precision number, its denormals included: Newton's iteration
/// from a linear guess at the exponent and the first bits, whose relative error of 2^-4.8 is squared five
/// times over.
#[inline(always)]
pub(super) fn rsqrt(x: f32) -> f64 {
    let x64 = f64::from(x);
    let half = 0.5 * x64;
    let mut y = f64::from_bits(0x5fe6_eb50_c7b5_37a9u64.wrapping_sub(x64.to_bits() >> 1));
    for _ in 0..5 {
        y *= 1.5 - half * y * y;
    }
    let y = if x == f32::INFINITY { 0.0 } else { y };
    let y = if x < 0.0 || x.is_nan() { f64::NAN } else { y };
    let infinity = f64::INFINITY.copysign(x64);
    if x == 0.0 { infinity } else { y }
}

/// `e` plus the base-two logarithm of an `m` between the square roots of 1/2 and of 2.
#[inline(always)]
fn log2_of_parts(m: f64, e: f64) -> f64 {
    // log2(m) = 2 log2(e) atanh(s), |s| < 0.172: a minimax polynomial in the square of s whose relative
    // error is 2^-55.9.
    let s = (m - 1.0) / (m + 1.0);
    let series = halved_polynomial(
        s * s,
        &[
            0.219_131_830_687_886_22,
            0.320_597_110_439_283_2,
            0.577_078_016_275_160_2,
            2.0 * std::f64::consts::LOG2_E,
        ],
        &[
            0.231_053_729_786_035_9,
            0.262_405_934_598_609_9,
            0.412_198_600_366_194_93,
            0.961_796_693_926_117_1,
        ],
    );
    e + s * series
}

/// The base-two logarithm of a positive normal number.
#[inline(always)]
pub(super) fn log2(x: f64) -> f64 {
    let bits = x.to_bits();
    // Split into m * 2^e with sqrt(1/2) <= m < sqrt(2).
    let raised = bits.wrapping_add(0x3ff0_0000_0000_0000 - 0x3fe6_a09e_667f_3bcd);
    let e = (raised >> 52) as i32 - 1023;
    let m = f64::from_bits(bits.wrapping_sub((e as i64 as u64) << 52));
    log2_of_parts(m, f64::from(e))
}

/// As [`log2`], of a single: the steps on its bits cost half of those on a double's.
#[inline(always)]
pub(super) fn log2_f32(x: f32) -> f64 {
    let bits = x.to_bits();
    let raised = bits.wrapping_add(0x3f80_0000 - 0x3f35_04f4);
    let e = (raised >> 23) as i32 - 127;
    let m = f32::from_bits(bits.wrapping_sub((e as u32) << 23));
    log2_of_parts(f64::from(m), f64::from(e))
}

/// Sine of `turns` revolutions, at most a quarter to either side.
#[inline(always)]
fn sin_turns(turns: f64) -> f64 {
    let z = turns * turns;
    // The minimax polynomial in the square; its relative error is 2^-54.5, that of the number tau.
    let series = halved_polynomial(
        z,
        &[
            -0.710_649_275_165_069_9,
            -15.094_602_327_734_8,
            -76.705_859_733_615_03,
            -41.341_702_240_399_28,
        ],
        &[
            0.072_938_797_627_286_74,
            3.819_197_327_959_042_5,
            42.058_692_747_997_895,
            81.605_249_275_918_9,
        ],
    );
    // The larger part last: this way the sum is as near as one rounding leaves it.
    turns * std::f64::consts::TAU + turns * z * series
}

/// What `a` has beyond the nearest whole number, exactly.
#[inline(always)]
fn beyond_whole(a: f32) -> f32 {
    a - a.round_ties_even()
}

/// Sine of `a` revolutions, exactly reduced; +0 at whole and half turns.
#[inline(always)]
pub(super) fn sin_revolutions(a: f32) -> f64 {
    let f = beyond_whole(a);
    // Exact too: the result lies within a quarter turn of zero.
    let folded = if f.abs() > 0.25 {
        0.5f32.copysign(f) - f
    } else {
        f
    };
    sin_turns(f64::from(folded))
}

/// Cosine of `a` revolutions: the sine a quarter turn on.
#[inline(always)]
pub(super) fn cos_revolutions(a: f32) -> f64 {
    sin_turns(0.25 - f64::from(beyond_whole(a).abs()))
}

/// Hyperbolic tangent.
#[inline(always)]
pub(super) fn tanh(x: f64) -> f64 {
    let a = x.abs().min(40.0);
    // Near zero the series avoids the cancellation of the quotient.
    let z = a * a;
    let small = a * polynomial(
        z,
        &[
            21_844.0 / 6_081_075.0,
            -1382.0 / 155_925.0,
            62.0 / 2835.0,
            -17.0 / 315.0,
            2.0 / 15.0,
            -1.0 / 3.0,
            1.0,
        ],
    );
    let e = exp2(a * (2.0 * std::f64::consts::LOG2_E));
    let large = 1.0 - 2.0 / (e + 1.0);
    (if a < 0.03 { small } else { large }).copysign(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random_singles() -> impl Iterator<Item = f32> {
        let mut state = 3u64;
        std::iter::repeat_with(move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(77);
            f32::from_bits((state >> 32) as u32)
        })
    }

    /// Relative difference from the host library's value, in units of 2^-48.
    fn error(got: f64, host: f64) -> f64 {
        if got == host {
            0.0
        } else {
            (got - host).abs() / host.abs() * 2f64.powi(48)
        }
    }

    #[test]
    fn the_polynomials_are_within_their_stated_error() {
        let mut checked = 0;
        for x in random_singles().take(300_000).map(f64::from) {
            if x.is_normal() && x > 0.0 {
                assert!(error(log2(x), x.log2()) < 1.0, "log2 {x:e}");
                checked += 1;
            }
            if x.abs() < 1000.0 {
                assert!(error(exp2(x), x.exp2()) < 1.0, "exp2 {x:e}");
                assert!(error(tanh(x), x.tanh()) < 8.0, "tanh {x:e}");
            }
            let f = x - x.round_ties_even();
            if f.abs() <= 0.25 && f.abs() > 1e-30 {
                assert!(
                    error(sin_turns(f), (f * std::f64::consts::TAU).sin()) < 1.0,
                    "sin {f:e}"
                );
            }
        }
        assert!(checked > 100_000);
        // A dense walk where the functions do their work.
        for i in -4000..4000 {
            let x = f64::from(i) / 777.0;
            assert!(error(exp2(x), x.exp2()) < 1.0);
            assert!(error(tanh(x), x.tanh()) < 8.0, "tanh {x}");
            let x = x as f32;
            let (sin, cos) = (f64::from(x.fract()) * std::f64::consts::TAU).sin_cos();
            assert!((cos_revolutions(x) - cos).abs() < 1e-14, "cos {x}");
            assert!((sin_revolutions(x) - sin).abs() < 1e-14, "sin {x}");
        }
        for i in 1..8000 {
            let x = 1.0 + f64::from(i - 4000) / 100_000.0;
            assert!(error(log2(x), x.log2()) < 1.0, "log2 {x}");
        }
    }
}
