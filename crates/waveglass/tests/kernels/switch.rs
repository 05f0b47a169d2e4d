//! Switches, tables of constants, jump tables, and data that lies in the code object.

use crate::compare::exact;
use crate::harness::{builds, each};
use crate::input::u32s;

fn dense(v: u32) -> u32 {
    match v % 13 {
        0 => v.wrapping_add(1),
        1 => v.wrapping_mul(3),
        2 => v ^ 0x123_4567,
        3 => v >> 3,
        4 => v << 4,
        5 => !v,
        6 => v / 5,
        // Case 7 falls through into 8.
        7 | 8 => (v & 0xffff) * 9,
        9 => v.wrapping_sub(77),
        10 => v | 0xf0f0,
        11 => v & 0x0ff0,
        _ => 42,
    }
}

#[test]
fn every_case_of_a_dense_switch_is_taken() {
    let x = u32s(1, 256);
    assert_eq!(
        x.iter()
            .map(|v| v % 13)
            .collect::<std::collections::BTreeSet<_>>()
            .len(),
        13
    );
    let want: Vec<u32> = x.iter().map(|v| dense(*v)).collect();
    each(builds("switch"), |build| {
        let launch = build
            .launch("switch_dense")
            .grid([4, 1, 1])
            .block([64, 1, 1]);
        let out = launch.buffer(&x).output::<u32>(256).run()?;
        exact("switch_dense", 1, &out.get::<u32>(1), &want)
    });
}

#[test]
fn a_state_machine_that_all_lanes_share_agrees() {
    let x = u32s(2, 64);
    each(builds("switch"), |build| {
        for start in [0u32, 3, 7, 9] {
            let want: Vec<u32> = x
                .iter()
                .map(|&v| {
                    let (mut v, mut state) = (v, start);
                    for _ in 0..16 {
                        (v, state) = match state {
                            0 => (v.wrapping_add(3), 4),
                            1 => (v.wrapping_mul(5), 6),
                            2 => (v ^ (v >> 7), 1),
                            3 => (!v, 7),
                            4 => (v.wrapping_sub(11), 2),
                            5 => (v << 1, 0),
                            6 => (v | 1, 3),
                            7 => (v.rotate_left(9), 5),
                            _ => (0, 0),
                        };
                    }
                    v
                })
                .collect();
            let launch = build
                .launch("switch_uniform")
                .grid([1, 1, 1])
                .block([64, 1, 1]);
            let out = launch.buffer(&x).output::<u32>(64).arg(start).run()?;
            exact(
                &format!("switch_uniform from {start}"),
                1,
                &out.get::<u32>(1),
                &want,
            )?;
        }
        Ok(())
    });
}

#[test]
fn constant_tables_are_found() {
    let x = u32s(3, 128);
    let table = [
        0x9e37_79b9,
        17,
        0x85eb_ca6b,
        4,
        0xc2b2_ae35,
        99,
        0x27d4_eb2f,
        12345,
        1,
        0xdead_beef,
        2,
        7,
        7,
        7,
        7,
        7u32,
    ];
    let want: Vec<u32> = x.iter().map(|v| table[(v & 15) as usize]).collect();
    let uniform = 13u32;
    let writable = [5u32, 4, 3, 2, 1, 0, 0, 0];
    let data: Vec<u32> = x
        .iter()
        .flat_map(|v| [(v & 15) * (v & 15), 169, writable[(v & 7) as usize]])
        .collect();
    each(builds("switch"), |build| {
        let launch = build
            .launch("switch_lookup")
            .grid([2, 1, 1])
            .block([64, 1, 1]);
        let out = launch.buffer(&x).output::<u32>(128).run()?;
        exact("switch_lookup", 1, &out.get::<u32>(1), &want)?;
        let launch = build
            .launch("code_object_data")
            .grid([2, 1, 1])
            .block([64, 1, 1]);
        let out = launch.buffer(&x).output::<u32>(384).arg(uniform).run()?;
        exact("code_object_data", 3, &out.get::<u32>(1), &data)
    });
}

#[test]
fn jump_tables_are_followed() {
    let x = u32s(4, 128);
    each(builds("switch"), |build| {
        // Eight octal digits: which case runs at each step, the lowest digit first.
        for program in [0o76543210u32, 0o01234567, 0o55500017, 0o63636363] {
            let want: Vec<u32> = x
                .iter()
                .map(|&v| {
                    (0..8).fold(v, |v, k| match (program >> (k * 3)) & 7 {
                        0 => v.wrapping_add(100),
                        1 => v.wrapping_mul(7),
                        2 => v ^ 0xff_00ff,
                        3 => v >> 2,
                        4 => v.wrapping_mul(7),
                        5 => v % 1000,
                        6 => v & v.wrapping_sub(1),
                        _ => v.wrapping_neg(),
                    })
                })
                .collect();
            let launch = build
                .launch("switch_jump_table")
                .grid([2, 1, 1])
                .block([64, 1, 1]);
            let out = launch.buffer(&x).output::<u32>(128).arg(program).run()?;
            exact(
                &format!("switch_jump_table {program:#o}"),
                1,
                &out.get::<u32>(1),
                &want,
            )?;
        }
        Ok(())
    });
}
