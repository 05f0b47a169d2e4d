//! Stencils with halos in LDS and columns in registers.

use crate::compare::exact;
use crate::harness::{builds, each};
use crate::input::{f32s_in, f64s_in};

#[test]
fn nine_points_of_a_plane_agree_at_every_edge() {
    let (width, height) = (53usize, 38usize);
    let x = f32s_in(1, width * height, -10.0, 10.0);
    let at = |column: isize, row: isize| {
        let inside = (0..width as isize).contains(&column) && (0..height as isize).contains(&row);
        if inside {
            x[row as usize * width + column as usize]
        } else {
            0.0
        }
    };
    let mut want = Vec::new();
    for r in 0..height as isize {
        for c in 0..width as isize {
            let edges = at(c, r - 1) + at(c - 1, r) + at(c + 1, r) + at(c, r + 1);
            let corners = at(c - 1, r - 1) + at(c + 1, r - 1) + at(c - 1, r + 1) + at(c + 1, r + 1);
            want.push(0.5 * at(c, r) + 0.1 * edges + 0.025 * corners);
        }
    }
    each(builds("stencil"), |build| {
        let out = build
            .launch("stencil_9")
            .grid([4, 3, 1])
            .block([16, 16, 1])
            .buffer(&x)
            .output::<f32>(width * height)
            .arg(width as u32)
            .arg(height as u32)
            .arg(0.5f32)
            .arg(0.1f32)
            .arg(0.025f32)
            .run()?;
        exact("stencil_9", width, &out.get::<f32>(1), &want)
    });
}

#[test]
fn seven_points_of_a_volume_agree_and_its_border_stays() {
    let size = [37usize, 11, 9];
    let [nx, ny, nz] = size;
    let x = f64s_in(2, nx * ny * nz, -10.0, 10.0);
    let mut want = x.clone();
    for k in 1..nz - 1 {
        for j in 1..ny - 1 {
            for i in 1..nx - 1 {
                let at = (k * ny + j) * nx + i;
                let faces = x[at - 1]
                    + x[at + 1]
                    + x[at - nx]
                    + x[at + nx]
                    + x[at - nx * ny]
                    + x[at + nx * ny];
                want[at] = 0.15f64.mul_add(faces, 0.1 * x[at]);
            }
        }
    }
    each(builds("stencil"), |build| {
        let out = build
            .launch("stencil_7")
            .grid([2, 2, 1])
            .block([32, 8, 1])
            .buffer(&x)
            .output::<f64>(nx * ny * nz)
            .arg(nx as u32)
            .arg(ny as u32)
            .arg(nz as u32)
            .arg(0.1f64)
            .arg(0.15f64)
            .run()?;
        exact("stencil_7", nx, &out.get::<f64>(1), &want)
    });
}
