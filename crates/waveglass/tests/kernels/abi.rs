//! What a kernel finds at its start (AMDGPUUsage, "Kernel Prolog", "Kernel Dispatch", and the hidden arguments of code object V4
//! and V5).

use crate::compare::{exact, f16_round};
use crate::harness::{Build, Outputs, TARGETS, builds_and_wave64, builds_of, each, from_bytes};
use crate::input::u32s;

/// Every build for whole workgroups, in each code object version.
fn all() -> Vec<Build> {
    let mut all = builds_and_wave64("abi");
    all.extend(builds_of(
        "abi",
        &["O0.v4", "O3.v4", "O3.v5", "O3.v6"],
        &TARGETS,
    ));
    all
}

/// Every place of a grid of work-items, x fastest.
fn places(size: [u32; 3]) -> impl Iterator<Item = [u32; 3]> {
    (0..size[2])
        .flat_map(move |z| (0..size[1]).flat_map(move |y| (0..size[0]).map(move |x| [x, y, z])))
}

#[test]
fn ids_tell_the_place_in_a_grid_of_three_dimensions() {
    for (grid, block) in [
        ([3, 2, 4], [5, 3, 2]),
        ([1, 1, 1], [64, 1, 1]),
        ([2, 3, 1], [7, 11, 1]),
        ([1, 2, 3], [1, 1, 33]),
    ] {
        let size = [grid[0] * block[0], grid[1] * block[1], grid[2] * block[2]];
        let split = |p: [u32; 3]| {
            let group = [p[0] / block[0], p[1] / block[1], p[2] / block[2]];
            (group, [p[0] % block[0], p[1] % block[1], p[2] % block[2]])
        };
        let want: Vec<u32> = places(size)
            .flat_map(|p| {
                let (group, item) = split(p);
                [group, item].concat()
            })
            .collect();
        let packed: Vec<u32> = places(size).map(|p| pack(split(p))).collect();
        each(all(), |build| {
            let out = build
                .launch("ids")
                .grid(grid)
                .block(block)
                .output::<u32>(want.len())
                .run()?;
            exact(
                &format!("ids of {grid:?} x {block:?}"),
                6,
                &out.get::<u32>(0),
                &want,
            )?;
            let launch = build
                .launch("ids_strided")
                .grid(grid)
                .block(block)
                .output::<u32>(packed.len());
            let launch = launch
                .arg(block[0])
                .arg(block[1])
                .arg(block[2])
                .arg(size[0])
                .arg(size[1]);
            exact("ids_strided", 1, &launch.run()?.get::<u32>(0), &packed)
        });
    }
}

fn pack((group, item): ([u32; 3], [u32; 3])) -> u32 {
    group[0] | group[1] << 5 | group[2] << 10 | item[0] << 15 | item[1] << 21 | item[2] << 26
}

#[test]
fn ids_that_are_enabled_alone_arrive() {
    each(all(), |build| {
        let out = build
            .launch("id_y_only")
            .grid([2, 3, 2])
            .block([3, 5, 2])
            .buffer(&[0u32; 15])
            .arg(5u32)
            .run()?;
        exact("id_y_only", 1, &out.get::<u32>(0), &[2 * 2 * 3 * 2; 15])?;
        let out = build
            .launch("id_z_only")
            .grid([2, 1, 4])
            .block([8, 2, 3])
            .buffer(&[0u32; 12])
            .arg(3u32)
            .run()?;
        exact("id_z_only", 1, &out.get::<u32>(0), &[2 * 8 * 2; 12])
    });
}

#[test]
fn partial_workgroups_end_at_the_grid() {
    let (size, block) = ([37u32, 11, 5], [8u32, 4, 2]);
    let want: Vec<u32> = places(size)
        .map(|p| {
            let group = [p[0] / block[0], p[1] / block[1], p[2] / block[2]];
            pack((group, [p[0] % block[0], p[1] % block[1], p[2] % block[2]]))
        })
        .collect();
    each(
        builds_of("abi", &["O0.partial", "O3.partial"], &TARGETS),
        |build| {
            let launch = build
                .launch("ids_strided")
                .block(block)
                .work_items(size)
                .output::<u32>(want.len());
            let launch = launch
                .arg(block[0])
                .arg(block[1])
                .arg(block[2])
                .arg(size[0])
                .arg(size[1]);
            exact("ids_strided", 1, &launch.run()?.get::<u32>(0), &want)?;
            let launch = build.launch("launch_abi").block(block).work_items(size);
            let launch = launch
                .output::<u32>(16)
                .output::<u32>(64)
                .output::<u64>(8)
                .arg(0x1357_9bdfu32);
            // Whole workgroups along each axis, then what is left over.
            hidden_v5(&launch.run()?, [4, 2, 2], block, [5, 3, 1])
        },
    );
}

/// The hidden arguments of code object V5: block counts, group sizes, remainders, offsets, dimensions, hostcall.
fn hidden_v5(
    out: &Outputs,
    blocks: [u32; 3],
    block: [u32; 3],
    rest: [u32; 3],
) -> Result<(), String> {
    let words = out.get::<u32>(1);
    let halves: Vec<u16> = from_bytes(&out.buffers[1]);
    let wide: Vec<u64> = from_bytes(&out.buffers[1]);
    exact("hidden_block_count", 1, &words[..3], &blocks)?;
    exact(
        "hidden_group_size",
        1,
        &halves[6..9],
        &block.map(|v| v as u16),
    )?;
    exact(
        "hidden_remainder",
        1,
        &halves[9..12],
        &rest.map(|v| v as u16),
    )?;
    exact("hidden_global_offset", 1, &wide[5..8], &[0; 3])?;
    exact("hidden_grid_dims", 1, &halves[32..33], &[3])?;
    exact("hidden_hostcall_buffer", 1, &wide[10..11], &[0])
}

#[test]
fn dispatch_packet_and_hidden_arguments_are_true() {
    let (grid, block) = ([3u32, 2, 4], [5u32, 3, 2]);
    each(all(), |build| {
        let mark = 0x1234_5678u32;
        let launch = build.launch("launch_abi").grid(grid).block(block);
        let launch = launch
            .output::<u32>(16)
            .output::<u32>(64)
            .output::<u64>(8)
            .arg(mark);
        let out = launch.run()?;
        let packet = out.get::<u32>(0);
        // hsa_kernel_dispatch_packet_t: type 2 in the header's low byte, the number of dimensions in setup's low bits.
        exact("packet type", 1, &[packet[0] & 0xff], &[2])?;
        exact("packet dimensions", 1, &[(packet[0] >> 16) & 3], &[3])?;
        exact(
            "packet workgroup size",
            1,
            &packet[1..3],
            &[block[0] | block[1] << 16, block[2]],
        )?;
        exact("packet grid size", 1, &packet[3..6], &[15, 6, 8])?;
        exact("packet group segment size", 1, &packet[7..8], &[0])?;
        if packet[8] | packet[9] == 0 {
            return Err("launch_abi: the packet's kernel object is null".to_owned());
        }
        let misc = out.get::<u64>(2);
        let want = [
            u64::from(mark),
            u64::from(mark),
            u64::from(build.wave),
            5 | 3 << 16 | 2 << 32,
            15 | 6 << 32,
            8,
            1,
            0x600d_f00d,
        ];
        exact("launch_abi", 8, &misc, &want)?;
        if build.name.contains("v4") {
            // Offsets, printf or hostcall buffer, default queue, completion action, multigrid: all absent.
            exact(
                "hidden arguments of V4",
                1,
                &out.get::<u32>(1)[..14],
                &[0; 14],
            )
        } else {
            hidden_v5(&out, grid, block, [0; 3])
        }
    });
}

#[test]
fn arguments_of_every_size_arrive() {
    let half = f16_round(-1.5);
    let (wide, double) = (0x8765_4321_0fed_cba9u64, -1.0e-300f64);
    let vector = [1.0f32, -2.0, 3.5, f32::INFINITY];
    let mut pair = vec![0x99u8, 0, 0, 0];
    pair.extend(0xcafe_f00du32.to_le_bytes());
    let bits = double.to_bits();
    let mut want = vec![
        0xfe,
        -2i32 as u32,
        wide as u32,
        (wide >> 32) as u32,
        -128i32 as u32,
        (-1.5f32).to_bits(),
        bits as u32,
        (bits >> 32) as u32,
        0xbeef,
    ];
    want.extend(vector.map(f32::to_bits));
    want.extend([0x99, 0xcafe_f00d, -7i32 as u32]);
    each(all(), |build| {
        let launch = build.launch("arguments").grid([2, 1, 1]).block([64, 1, 1]);
        let launch = launch
            .arg(0xfeu8)
            .arg(-2i16)
            .arg(wide)
            .arg(-128i8)
            .arg(half)
            .arg(double)
            .output::<u32>(16);
        let launch = launch
            .arg(0xbeefu16)
            .arg_bytes(&vector.map(f32::to_le_bytes).concat())
            .arg_bytes(&pair)
            .arg(-7i32);
        exact("arguments", 16, &launch.run()?.get::<u32>(0), &want)
    });
}

#[test]
fn preloaded_arguments_equal_those_in_memory() {
    let (a, b, c, d, e) = (
        0x8000_0001u32,
        77u32,
        0x1_0000_0003u64,
        0xffffu16,
        0x1234u16,
    );
    let base = a
        .wrapping_mul(3)
        .wrapping_add(b * 5)
        .wrapping_add(3 * 7 + 11 + 0xffff * 13 + 0x1234 * 17);
    let want: Vec<u32> = (0..128).map(|i| base.wrapping_add(i)).collect();
    let mut builds = all();
    builds.extend(builds_of(
        "abi",
        &["O3.preload"],
        &["gfx90a", "gfx942", "gfx950", "gfx1250"],
    ));
    each(builds, |build| {
        let launch = build.launch("preloaded").grid([2, 1, 1]).block([64, 1, 1]);
        let out = launch
            .arg(a)
            .arg(b)
            .output::<u32>(128)
            .arg(c)
            .arg(d)
            .arg(e)
            .run()?;
        exact("preloaded", 1, &out.get::<u32>(0), &want)
    });
}

#[test]
fn dynamic_lds_is_as_large_as_asked() {
    let x = u32s(1, 512);
    let want: Vec<u32> = x
        .chunks(256)
        .flat_map(|block| {
            block
                .iter()
                .rev()
                .enumerate()
                .map(|(t, v)| v.wrapping_add(t as u32))
        })
        .collect();
    each(all(), |build| {
        let launch = build
            .launch("dynamic_shared")
            .grid([2, 1, 1])
            .block([256, 1, 1])
            .dynamic_lds(1024);
        exact(
            "dynamic_shared",
            1,
            &launch.buffer(&x).output::<u32>(512).run()?.get::<u32>(1),
            &want,
        )
    });
}
