//! Data-parallel primitives: where a lane takes its first source from.

use super::Printer;

/// `dpp_ctrl`; the decoder rejects the values that the target does not have.
pub(super) fn control(p: &mut Printer<'_>, v: u64) {
    let (name, count) = match v {
        0..=0xff => {
            p.out.push_str("quad_perm:[");
            for n in 0..4 {
                if n > 0 {
                    p.out.push(',');
                }
                p.decimal(v >> (2 * n) & 3);
            }
            return p.out.push(']');
        }
        0x101..=0x10f => ("row_shl:", v & 15),
        0x111..=0x11f => ("row_shr:", v & 15),
        0x121..=0x12f => ("row_ror:", v & 15),
        0x130 => return p.out.push_str("wave_shl:1"),
        0x134 => return p.out.push_str("wave_rol:1"),
        0x138 => return p.out.push_str("wave_shr:1"),
        0x13c => return p.out.push_str("wave_ror:1"),
        0x140 => return p.out.push_str("row_mirror"),
        0x141 => return p.out.push_str("row_half_mirror"),
        0x142 => return p.out.push_str("row_bcast:15"),
        0x143 => return p.out.push_str("row_bcast:31"),
        0x150..=0x15f if p.inst.target().major() == 9 => ("row_newbcast:", v & 15),
        0x150..=0x15f => ("row_share:", v & 15),
        _ => ("row_xmask:", v & 15),
    };
    p.out.push_str(name);
    p.decimal(count);
}

/// Eight lane numbers of three bits.
pub(super) fn dpp8(p: &mut Printer<'_>, v: u64) {
    p.out.push_str("dpp8:[");
    for n in 0..8 {
        if n > 0 {
            p.out.push(',');
        }
        p.decimal(v >> (3 * n) & 7);
    }
    p.out.push(']');
}
