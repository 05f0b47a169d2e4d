//! Generic pointers whose lanes point into different memories.

use crate::compare::exact;
use crate::harness::{builds_and_wave64, each, to_bytes};
use crate::input::u32s;

#[test]
pub(crate) fn each_lane_reaches_its_own_space_through_a_call() {
    let n = 512usize;
    let (which, words) = (u32s(1, n), u32s(2, n));
    let (mut want, mut after) = (Vec::new(), words.clone());
    for i in 0..n {
        let id = i as u32;
        let mut lds = (id) ^ 0xaaaa;
        let mut own = [id, id + 1, id + 2, id + 3];
        let p = match which[i] % 3 {
            0 => &mut lds,
            1 => &mut after[i],
            _ => &mut own[i % 4],
        };
        let before = *p;
        let stored = before.wrapping_add(id).wrapping_mul(3).wrapping_add(1);
        *p = stored.wrapping_add(17);
        let rest = own.iter().fold(lds, |s, v| s.wrapping_add(*v));
        want.extend([before, stored, stored, rest]);
    }
    each(builds_and_wave64("generic_pointer"), |build| {
        let launch = build
            .launch("select_space")
            .grid([2, 1, 1])
            .block([256, 1, 1]);
        let out = launch
            .buffer(&which)
            .buffer(&words)
            .output::<u32>(n * 4)
            .run()?;
        exact("select_space", 4, &out.get::<u32>(2), &want)?;
        exact("select_space global words", 1, &out.get::<u32>(1), &after)
    });
}

/// The structure `Wide` after `fill_wide`: its bytes and what `sum_wide` makes of it.
fn wide(v: u32) -> ([u8; 16], u64) {
    let (b, c, d) = (
        v.wrapping_mul(5) as u16,
        v.wrapping_mul(7) as u8,
        v.wrapping_mul(11) as i8,
    );
    let e = u64::from(v).wrapping_mul(0x1_0000_0001);
    let mut bytes = Vec::new();
    bytes.extend(v.to_le_bytes());
    bytes.extend(b.to_le_bytes());
    bytes.extend([c, d as u8]);
    bytes.extend(e.to_le_bytes());
    let head = u64::from(v.wrapping_add(u32::from(b)).wrapping_add(u32::from(c)));
    let sum = head.wrapping_add(i64::from(d) as u64).wrapping_add(e);
    (bytes.try_into().expect("sixteen bytes"), sum)
}

#[test]
pub(crate) fn fields_of_every_width_go_through_generic_pointers() {
    let n = 256usize;
    let which = u32s(3, n);
    let mut after = vec![0x5au8; n * 16];
    let mut want = Vec::new();
    for (i, &v) in which.iter().enumerate() {
        let (bytes, sum) = wide(v);
        if v % 3 == 1 {
            after[i * 16..i * 16 + 16].copy_from_slice(&bytes);
        }
        want.extend([sum, if v % 3 == 2 { sum } else { 15 }]);
    }
    each(builds_and_wave64("generic_pointer"), |build| {
        let launch = build
            .launch("select_space_wide")
            .grid([4, 1, 1])
            .block([64, 1, 1]);
        let out = launch
            .buffer(&which)
            .buffer(&vec![0x5au8; n * 16])
            .output::<u64>(n * 2)
            .run()?;
        exact("select_space_wide", 2, &out.get::<u64>(2), &want)?;
        exact(
            "select_space_wide global bytes",
            16,
            &out.get::<u8>(1),
            &after,
        )
    });
}

#[test]
fn apertures_tell_what_a_pointer_is() {
    let n = 128usize;
    let which: Vec<u32> = u32s(4, n);
    let mut after = vec![9u32; n];
    let mut want = Vec::new();
    for (i, &v) in which.iter().enumerate() {
        let w = v & 3;
        let stored = i as u32 * 3 + 1;
        if w == 1 {
            after[i] = stored;
        }
        let own = if w == 2 { stored } else { i as u32 };
        want.push(u32::from(w == 0) | u32::from(w == 2) << 1 | 1 << 2 | own << 8);
    }
    each(builds_and_wave64("generic_pointer"), |build| {
        let launch = build.launch("classify").grid([2, 1, 1]).block([64, 1, 1]);
        let out = launch
            .buffer(&which)
            .buffer(&to_bytes(&vec![9u32; n]))
            .output::<u32>(n)
            .run()?;
        exact("classify", 1, &out.get::<u32>(2), &want)?;
        exact("classify global words", 1, &out.get::<u32>(1), &after)
    });
}
