//! The cube map instructions: face, coordinates and major axis of a direction.

/// Which axis has the largest magnitude; z wins ties over y, y over x.
#[inline(always)]
fn major(x: f32, y: f32, z: f32) -> (bool, bool) {
    let (ax, ay, az) = (x.abs(), y.abs(), z.abs());
    let z_major = az >= ax && az >= ay;
    (z_major, !z_major && ay >= ax)
}

/// `v_cubeid_f32`: the face 0.0 to 5.0 in the order +x, -x, +y, -y, +z, -z.
#[inline(always)]
pub fn v_cubeid_f32(x: f32, y: f32, z: f32) -> f32 {
    let side = |axis: f32, face: f32| if axis < 0.0 { face + 1.0 } else { face };
    match major(x, y, z) {
        (true, _) => side(z, 4.0),
        (_, true) => side(y, 2.0),
        _ => side(x, 0.0),
    }
}

/// `v_cubesc_f32`: the S coordinate on the face.
#[inline(always)]
pub fn v_cubesc_f32(x: f32, y: f32, z: f32) -> f32 {
    match major(x, y, z) {
        (true, _) => {
            if z < 0.0 {
                -x
            } else {
                x
            }
        }
        (_, true) => x,
        _ => {
            if x < 0.0 {
                z
            } else {
                -z
            }
        }
    }
}

/// `v_cubetc_f32`: the T coordinate on the face.
#[inline(always)]
pub fn v_cubetc_f32(x: f32, y: f32, z: f32) -> f32 {
    match major(x, y, z) {
        (false, true) => {
            if y < 0.0 {
                -z
            } else {
                z
            }
        }
        _ => -y,
    }
}

/// `v_cubema_f32`: twice the major axis, signed.
#[inline(always)]
pub fn v_cubema_f32(x: f32, y: f32, z: f32) -> f32 {
    match major(x, y, z) {
        (true, _) => z * 2.0,
        (_, true) => y * 2.0,
        _ => x * 2.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_face_has_its_number_and_coordinates() {
        // Direction, then face, S, T and doubled major axis from the manual's cases.
        let cases = [
            ((3.0, 1.0, 2.0), (0.0, -2.0, -1.0, 6.0)),
            ((-3.0, 1.0, 2.0), (1.0, 2.0, -1.0, -6.0)),
            ((1.0, 3.0, 2.0), (2.0, 1.0, 2.0, 6.0)),
            ((1.0, -3.0, 2.0), (3.0, 1.0, -2.0, -6.0)),
            ((1.0, 2.0, 3.0), (4.0, 1.0, -2.0, 6.0)),
            ((1.0, 2.0, -3.0), (5.0, -1.0, -2.0, -6.0)),
            ((1.0, 1.0, 1.0), (4.0, 1.0, -1.0, 2.0)),
            ((1.0, 1.0, 0.0), (2.0, 1.0, 0.0, 2.0)),
        ];
        for ((x, y, z), expected) in cases {
            let got = (
                v_cubeid_f32(x, y, z),
                v_cubesc_f32(x, y, z),
                v_cubetc_f32(x, y, z),
                v_cubema_f32(x, y, z),
            );
            assert_eq!(got, expected, "{x} {y} {z}");
        }
    }
}
