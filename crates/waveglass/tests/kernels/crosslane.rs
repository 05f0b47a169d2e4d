//! Cross-lane instructions, against a model that says for each lane which lane it reads.

use crate::compare::exact;
use crate::harness::{Build, builds_and_wave64, each};
use crate::input::u32s;

/// Applies `f(values of the wave, lane)` to each wave of workgroups of `block` work-items.
fn waves<T>(x: &[u32], block: usize, wave: u32, f: impl Fn(&[u32], usize) -> Vec<T>) -> Vec<T> {
    x.chunks(block)
        .flat_map(|group| group.chunks(wave as usize))
        .flat_map(|lanes| {
            (0..lanes.len())
                .flat_map(|lane| f(lanes, lane))
                .collect::<Vec<T>>()
        })
        .collect()
}

/// A whole number of waves of 64 lanes in each workgroup.
const BLOCK: usize = 128;

fn run(build: &Build, kernel: &str, x: &[u32], width: usize) -> Result<Vec<u32>, String> {
    let launch = build
        .launch(kernel)
        .grid([(x.len() / BLOCK) as u32, 1, 1])
        .block([BLOCK as u32, 1, 1]);
    Ok(launch
        .buffer(x)
        .output::<u32>(x.len() * width)
        .run()?
        .get(1))
}

fn mask(lanes: &[u32], p: impl Fn(u32) -> bool) -> u64 {
    lanes
        .iter()
        .enumerate()
        .fold(0, |m, (i, v)| m | u64::from(p(*v)) << i)
}

#[test]
fn ballots_count_active_lanes_only() {
    let mut x = u32s(1, 300);
    x[5] = 0x8000_0000;
    x[177] = 0x8000_0000;
    each(builds_and_wave64("crosslane"), |build| {
        let want = waves(&x, 100, build.wave, |lanes, lane| {
            let odd = mask(lanes, |v| v & 1 != 0);
            let fours = mask(lanes, |v| v & 4 != 0);
            let inside = lanes[lane] & 2 != 0;
            let first = lanes.iter().find(|v| **v & 2 != 0).copied().unwrap_or(0);
            vec![
                odd,
                mask(lanes, |_| true),
                if inside {
                    mask(lanes, |v| v & 3 == 3)
                } else {
                    0
                },
                if inside { u64::from(first) } else { 0 },
                u64::from((fours & ((1 << lane) - 1)).count_ones()) + 7,
                u64::from(fours.count_ones()),
                lane as u64 | u64::from(build.wave) << 8,
                mask(lanes, |v| v == 0x8000_0000),
            ]
        });
        let launch = build.launch("ballots").grid([3, 1, 1]).block([100, 1, 1]);
        let out = launch.buffer(&x).output::<u64>(300 * 8).run()?;
        exact("ballots", 8, &out.get::<u64>(1), &want)
    });
}

#[test]
pub(crate) fn waterfall_loops_serve_each_value_once() {
    let x = u32s(2, 256);
    each(builds_and_wave64("crosslane"), |build| {
        let want = waves(&x, BLOCK, build.wave, |lanes, lane| {
            let mut order: Vec<u32> = Vec::new();
            for v in lanes.iter().map(|v| v & 7) {
                if !order.contains(&v) {
                    order.push(v);
                }
            }
            let own = lanes[lane] & 7;
            let round = order
                .iter()
                .position(|v| *v == own)
                .expect("each value was seen") as u32;
            // Without optimisation, clang moves what follows the break behind the loop, where all
            // lanes have come together again.
            let lanes_served = if build.name.contains("O0") {
                lanes.len() as u32
            } else {
                lanes.iter().filter(|v| **v & 7 == own).count() as u32
            };
            vec![round * 100 + own * 10 + lanes_served * 1000]
        });
        exact("waterfall", 1, &run(build, "waterfall", &x, 1)?, &want)
    });
}

/// The lane that ds_bpermute reads. GFX10 and GFX11 permute the halves of a wave64 by themselves.
fn bpermute(build: &Build, lane: usize, index: u32) -> usize {
    let halves = build.target.starts_with("gfx10") || build.target.starts_with("gfx11");
    if halves || build.wave == 32 {
        (lane & 32) + (index % 32) as usize
    } else {
        (index % 64) as usize
    }
}

#[test]
fn single_lanes_are_read_and_written() {
    let x = u32s(3, 256);
    each(builds_and_wave64("crosslane"), |build| {
        for which in [0usize, 17, 31] {
            let want = waves(&x, BLOCK, build.wave, |v, lane| {
                let written = if lane == which {
                    which as u32 + 1000
                } else {
                    v[lane]
                };
                vec![
                    v[0],
                    v[0],
                    v[31],
                    v[which],
                    written,
                    v[bpermute(build, lane, which as u32)],
                ]
            });
            let launch = build
                .launch("read_lanes")
                .grid([2, 1, 1])
                .block([BLOCK as u32, 1, 1]);
            let out = launch
                .buffer(&x)
                .output::<u32>(256 * 6)
                .arg(which as u32)
                .run()?;
            exact(
                &format!("read_lanes of {which}"),
                6,
                &out.get::<u32>(1),
                &want,
            )?;
        }
        Ok(())
    });
}

#[test]
pub(crate) fn lds_crossbar_moves_between_lanes() {
    let (x, index) = (u32s(4, 256), u32s(5, 256));
    each(builds_and_wave64("crosslane"), |build| {
        let wave = build.wave as usize;
        let numbers: Vec<u32> = (0..256).collect();
        let want = waves(&numbers, BLOCK, build.wave, |ids, lane| {
            let base = ids[0] as usize;
            let from = [
                bpermute(build, lane, index[base + lane] & 0x3fff_ffff),
                lane ^ 5,
                lane ^ 1,
                lane ^ 3,
                (lane & 32) | (lane & 16),
                lane ^ 31,
            ];
            from.map(|l| x[base + l % wave]).to_vec()
        });
        let launch = build
            .launch("lds_crossbar")
            .grid([2, 1, 1])
            .block([BLOCK as u32, 1, 1]);
        let out = launch
            .buffer(&x)
            .buffer(&index)
            .output::<u32>(256 * 6)
            .run()?;
        exact("lds_crossbar", 6, &out.get::<u32>(2), &want)
    });
}

/// Lane `lane` reads lane `from` of its row of 16, if there is one.
fn row(v: &[u32], lane: usize, from: isize) -> Option<u32> {
    (0..16)
        .contains(&from)
        .then(|| v[(lane & !15) + from as usize])
}

#[test]
fn dpp_controls_of_all_targets_agree() {
    let x = u32s(6, 256);
    each(builds_and_wave64("crosslane"), |build| {
        let numbers: Vec<u32> = (0..256).collect();
        let want = waves(&numbers, BLOCK, build.wave, |ids, lane| {
            let v: Vec<u32> = ids.iter().map(|i| x[*i as usize]).collect();
            let old = 0x1111_0000 + ids[lane];
            let own = (lane & 15) as isize;
            let ror = |n: isize| row(&v, lane, (own - n).rem_euclid(16)).expect("in the row");
            let odd_row = (lane >> 4) & 1 == 1;
            let odd_bank = (lane >> 2) & 1 == 1;
            vec![
                v[lane ^ 3],
                v[lane ^ 1],
                row(&v, lane, own + 1).unwrap_or(old),
                row(&v, lane, own + 3).unwrap_or(0),
                row(&v, lane, own - 1).unwrap_or(old),
                row(&v, lane, own - 15).unwrap_or(0),
                ror(1),
                ror(13),
                v[lane ^ 15],
                v[lane ^ 7],
                if odd_row {
                    old
                } else {
                    row(&v, lane, own - 1).unwrap_or(0)
                },
                if odd_bank { ror(1) } else { old },
            ]
        });
        exact("dpp_common", 12, &run(build, "dpp_common", &x, 12)?, &want)
    });
}

#[test]
fn dpp_in_arithmetic_reads_zero_from_inactive_lanes() {
    let x = u32s(7, 256);
    each(builds_and_wave64("crosslane"), |build| {
        let want = waves(&x, BLOCK, build.wave, |v, lane| {
            let own = (lane & 15) as isize;
            let active = |from: isize| row(v, lane, from).filter(|w| w & 1 == 1).unwrap_or(0);
            vec![if v[lane] & 1 == 1 {
                (0..4).fold(0u32, |s, k| s.wrapping_add(active(own - k)))
            } else {
                0
            }]
        });
        // Four steps of doubling distance make a sum over the row up to the lane.
        let sums = waves(&x, BLOCK, build.wave, |v, lane| {
            vec![
                v[lane & !15..=lane]
                    .iter()
                    .map(|w| (w & 0xff) as f32)
                    .sum::<f32>(),
            ]
        });
        let launch = build
            .launch("dpp_row_scan")
            .grid([2, 1, 1])
            .block([BLOCK as u32, 1, 1]);
        let out = launch
            .buffer(&x)
            .output::<u32>(256)
            .output::<f32>(256)
            .run()?;
        exact("dpp_row_scan", 1, &out.get::<u32>(1), &want)?;
        // The scan starts with distance 1, so the sum doubles its way up: 1, 2, 4, 8.
        exact("dpp_row_scan f32", 1, &out.get::<f32>(2), &sums)
    });
}

#[test]
fn dpp_across_rows_agrees_on_gfx9() {
    let x = u32s(8, 256);
    let gfx9: Vec<Build> = builds_and_wave64("crosslane")
        .into_iter()
        .filter(Build::is_gfx9)
        .collect();
    let numbers: Vec<u32> = (0..256).collect();
    let want = waves(&numbers, BLOCK, 64, |ids, lane| {
        let v: Vec<u32> = ids.iter().map(|i| x[*i as usize]).collect();
        let old = 0x2222_0000 + ids[lane];
        vec![
            v.get(lane + 1).copied().unwrap_or(old),
            v[(lane + 1) % 64],
            if lane == 0 { 0 } else { v[lane - 1] },
            v[(lane + 63) % 64],
            if (lane >> 4) & 1 == 1 {
                v[(lane & !15) - 1]
            } else {
                old
            },
            if lane >= 32 { v[31] } else { old },
        ]
    });
    each(gfx9, |build| {
        exact("dpp_wave", 6, &run(build, "dpp_wave", &x, 6)?, &want)
    });
}

#[test]
fn row_newbcast_agrees_on_cdna2_and_later() {
    let x = u32s(9, 256);
    let cdna = ["gfx90a", "gfx942", "gfx950"];
    let builds = builds_and_wave64("crosslane")
        .into_iter()
        .filter(|b| cdna.contains(&b.target))
        .collect();
    let want = waves(&x, BLOCK, 64, |v, lane| {
        vec![v[lane & !15], v[(lane & !15) + 11]]
    });
    each(builds, |build| {
        exact(
            "dpp_newbcast",
            2,
            &run(build, "dpp_newbcast", &x, 2)?,
            &want,
        )
    });
}

#[test]
fn rows_are_shared_and_permuted_on_gfx10_and_later() {
    let x = u32s(10, 256);
    let nibble = |low: u32, high: u32, k: usize| {
        ((u64::from(high) << 32 | u64::from(low)) >> (4 * k)) as usize & 15
    };
    let builds = builds_and_wave64("crosslane")
        .into_iter()
        .filter(|b| !b.is_gfx9())
        .collect();
    each(builds, |build| {
        let want = waves(&x, BLOCK, build.wave, |v, lane| {
            let (row, own) = (lane & !15, lane & 15);
            vec![
                v[row],
                v[row + 13],
                v[lane ^ 3],
                v[(lane & !7) + [1, 2, 3, 0, 7, 7, 5, 4][lane & 7]],
                v[row + nibble(0x6420_fdb9, 0x1357_9ace, own)],
                v[(row ^ 16) + nibble(0x0123_4567, 0x89ab_cdef, own)],
            ]
        });
        exact("dpp_rows", 6, &run(build, "dpp_rows", &x, 6)?, &want)
    });
}

#[test]
fn permlane64_swaps_the_halves_of_a_wave64() {
    let x = u32s(11, 256);
    // In a wave32 the instruction does nothing at all (RDNA3 ISA 16.8), and its result stays
    // whatever the register held.
    let later = |b: &Build| {
        b.wave == 64 && (b.target.starts_with("gfx11") || b.target.starts_with("gfx12"))
    };
    each(
        builds_and_wave64("crosslane")
            .into_iter()
            .filter(later)
            .collect(),
        |build| {
            let want = waves(&x, BLOCK, build.wave, |v, lane| vec![v[lane ^ 32]]);
            exact("permlane64", 1, &run(build, "permlane64", &x, 1)?, &want)
        },
    );
}

#[test]
fn rows_and_halves_are_swapped_between_registers() {
    let x = u32s(12, 256);
    let has = |b: &Build| b.target == "gfx950" || b.target == "gfx1250";
    each(
        builds_and_wave64("crosslane")
            .into_iter()
            .filter(has)
            .collect(),
        |build| {
            let want = waves(&x, BLOCK, build.wave, |v, lane| {
                let odd = lane & 16 != 0;
                let mut row = vec![
                    if odd { !v[lane - 16] } else { v[lane] },
                    if odd { !v[lane] } else { v[lane + 16] },
                ];
                row.extend(match (build.target, lane >= 32) {
                    ("gfx950", true) => [!v[lane - 32], !v[lane]],
                    ("gfx950", false) => [v[lane], v[lane + 32]],
                    _ => [0, 0],
                });
                row
            });
            exact(
                "permlane_swap",
                4,
                &run(build, "permlane_swap", &x, 4)?,
                &want,
            )
        },
    );
}

#[test]
fn butterflies_sum_a_wave() {
    let x = u32s(13, 256);
    each(builds_and_wave64("crosslane"), |build| {
        let want = waves(&x, BLOCK, build.wave, |v, _| {
            vec![v.iter().fold(0u32, |s, w| s.wrapping_add(*w))]
        });
        exact("wave_sum", 1, &run(build, "wave_sum", &x, 1)?, &want)
    });
}
