//! Escape counts of the Mandelbrot set: lanes leave a loop one by one.

use crate::compare::exact;
use crate::harness::{builds, each};

const WIDTH: usize = 60;
const HEIGHT: usize = 34;
const MOST: u32 = 80;

macro_rules! counts {
    ($t:ty, $x0:expr, $y0:expr, $step:expr) => {{
        let mut counts = Vec::new();
        for row in 0..HEIGHT {
            for column in 0..WIDTH {
                let cx: $t = $x0 + column as $t * $step;
                let cy: $t = $y0 + row as $t * $step;
                let (mut x, mut y) = (0.0, 0.0);
                let mut n = 0;
                while n < MOST && x * x + y * y <= 4.0 {
                    (x, y) = (x * x - y * y + cx, 2.0 * x * y + cy);
                    n += 1;
                }
                counts.push(n);
            }
        }
        counts
    }};
}

#[test]
fn escape_counts_agree_in_both_precisions() {
    // The whole set, and in f64 the surroundings of i, which is at its edge, where 2^-40 matters.
    let whole: Vec<u32> = counts!(f64, -2.2, -0.95, 0.05);
    let deep: Vec<u32> = counts!(f64, -3.1e-11, 0.999_999_999_984, 1e-12);
    let single: Vec<u32> = counts!(f32, -2.2f32, -0.95f32, 0.05f32);
    let kinds: std::collections::BTreeSet<_> = deep.iter().collect();
    assert!(kinds.len() > 8, "a place where counts differ: {kinds:?}");
    each(builds("mandelbrot"), |build| {
        let launch = |kernel| {
            build
                .launch(kernel)
                .grid([2, 5, 1])
                .block([32, 8, 1])
                .output::<u32>(WIDTH * HEIGHT)
                .arg(WIDTH as u32)
                .arg(HEIGHT as u32)
        };
        let got = |out: crate::harness::Outputs| out.get::<u32>(0);
        let out = launch("mandelbrot_f64").arg(-2.2f64).arg(-0.95f64);
        let out = out.arg(0.05f64).arg(MOST).run()?;
        exact("mandelbrot_f64", WIDTH, &got(out), &whole)?;
        let out = launch("mandelbrot_f64").arg(-3.1e-11f64);
        let out = out
            .arg(0.999_999_999_984f64)
            .arg(1e-12f64)
            .arg(MOST)
            .run()?;
        exact("mandelbrot_f64 deep", WIDTH, &got(out), &deep)?;
        let out = launch("mandelbrot_f32").arg(-2.2f32).arg(-0.95f32);
        let out = out.arg(0.05f32).arg(MOST).run()?;
        exact("mandelbrot_f32", WIDTH, &got(out), &single)
    });
}
