//! Integer arithmetic of 64 bits: shifts, sums, products with a 64-bit addend.

use crate::alu::int64::*;
use crate::semantics::Registry;
use crate::semantics::table::{masked, valu};

/// A sum that overflowed the signed range, as the nearest value of its addend's sign.
#[inline(always)]
fn clamp_signed(sum: u64, overflow: bool, addend: u64) -> u64 {
    let limit = if (addend as i64) < 0 {
        i64::MIN
    } else {
        i64::MAX
    };
    if overflow { limit as u64 } else { sum }
}

pub(super) fn register(r: &mut Registry) {
    valu! { r;
        "v_mov_b64" [] (a: u64) -> u64 => v_mov_b64(a);
        "v_lshlrev_b64" [] (a: u32, b: u64) -> u64 => v_lshlrev_b64(a, b);
        "v_lshrrev_b64" [] (a: u32, b: u64) -> u64 => v_lshrrev_b64(a, b);
        "v_ashrrev_i64" [] (a: u32, b: u64) -> u64 => v_ashrrev_i64(a, b);
        "v_lshl_add_u64" [] (a: u64, b: u32, c: u64) -> u64 => v_lshl_add_u64(a, b, c);
        "v_add_nc_u64" [] (a: u64, b: u64) -> u64 =>
            v_add_nc_u64(a, b), clamp v_add_nc_u64_clamp(a, b);
        "v_sub_nc_u64" [] (a: u64, b: u64) -> u64 =>
            v_sub_nc_u64(a, b), clamp v_sub_nc_u64_clamp(a, b);
        "v_mul_u64" [] (a: u64, b: u64) -> u64 => v_mul_u64(a, b);
        "v_min_i64" [] (a: u64, b: u64) -> u64 => v_min_i64(a, b);
        "v_max_i64" [] (a: u64, b: u64) -> u64 => v_max_i64(a, b);
        "v_min_u64" [] (a: u64, b: u64) -> u64 => v_min_u64(a, b);
        "v_max_u64" [] (a: u64, b: u64) -> u64 => v_max_u64(a, b);
        "v_mad_nc_u64_u32" [] (a: u32, b: u32, c: u64) -> u64 => v_mad_nc_u64_u32(a, b, c), clamp {
            let (sum, carry) = v_mad_u64_u32(a, b, c);
            if carry { u64::MAX } else { sum }
        };
        "v_mad_nc_i64_i32" [] (a: u32, b: u32, c: u64) -> u64 => v_mad_nc_i64_i32(a, b, c), clamp {
            let (sum, overflow) = v_mad_i64_i32(a, b, c);
            clamp_signed(sum, overflow, c)
        };
    }
    masked! { r;
        "v_mad_u64_u32" | "v_mad_co_u64_u32" CarryOut (_in; a: u32, b: u32, c: u64) -> u64 =>
            v_mad_u64_u32(a, b, c), clamp {
                let (sum, carry) = v_mad_u64_u32(a, b, c);
                (if carry { u64::MAX } else { sum }, carry)
            };
        "v_mad_i64_i32" | "v_mad_co_i64_i32" CarryOut (_in; a: u32, b: u32, c: u64) -> u64 =>
            v_mad_i64_i32(a, b, c), clamp {
                let (sum, overflow) = v_mad_i64_i32(a, b, c);
                (clamp_signed(sum, overflow, c), overflow)
            };
    }
}
