//! Gravity between bodies: IEEE operations throughout, so bit for bit.

use crate::compare::exact;
use crate::harness::{builds, each};
use crate::input::{f32s_in, f64s_in};

const N: usize = 192;

macro_rules! accelerations {
    ($name:ident, $t:ty) => {
        fn $name(bodies: &[$t], soft: $t) -> Vec<$t> {
            let mut out = Vec::new();
            for me in bodies.chunks(4) {
                let mut a = [0.0; 3];
                for other in bodies.chunks(4) {
                    let d: [$t; 3] = std::array::from_fn(|i| other[i] - me[i]);
                    let square = d[2].mul_add(d[2], soft);
                    let square = d[1].mul_add(d[1], square);
                    let square = d[0].mul_add(d[0], square);
                    let pull = other[3] / (square * square.sqrt());
                    for i in 0..3 {
                        a[i] = d[i].mul_add(pull, a[i]);
                    }
                }
                out.extend([a[0], a[1], a[2], 0.0]);
            }
            out
        }
    };
}
accelerations!(singles, f32);
accelerations!(doubles, f64);

#[test]
fn accelerations_agree_bit_for_bit() {
    let (x, y) = (f32s_in(1, 4 * N, 0.1, 5.0), f64s_in(2, 4 * N, 0.1, 5.0));
    let (want_x, want_y) = (singles(&x, 0.01), doubles(&y, 0.01));
    each(builds("nbody"), |build| {
        let launch = |kernel| {
            build
                .launch(kernel)
                .grid([N as u32 / 64, 1, 1])
                .block([64, 1, 1])
        };
        let out = launch("nbody_f32")
            .buffer(&x)
            .output::<f32>(4 * N)
            .arg(N as u32)
            .arg(0.01f32)
            .run()?;
        exact("nbody_f32", 4, &out.get::<f32>(1), &want_x)?;
        let out = launch("nbody_f64")
            .buffer(&y)
            .output::<f64>(4 * N)
            .arg(N as u32)
            .arg(0.01f64)
            .run()?;
        exact("nbody_f64", 4, &out.get::<f64>(1), &want_y)
    });
}
