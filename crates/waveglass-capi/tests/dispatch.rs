//! Raw dispatches: the state in which waves start, by RSRC1 to 3 and the user SGPRs, on each generation.
//!
//! `probes/` has the programs; expected values are AMDGPUUsage's ("Initial Kernel Execution State",
//! "compute_pgm_rsrc2").

mod common;

use common::{Context, error};
use std::collections::BTreeSet;
use std::ffi::c_void;
use waveglass_capi::*;

fn probe(name: &str, target: &str) -> Vec<u32> {
    let root = env!("CARGO_MANIFEST_DIR");
    let bytes = std::fs::read(format!("{root}/tests/probes/{name}.{target}.bin")).unwrap();
    let (dwords, _) = bytes.as_chunks::<4>();
    dwords.iter().map(|&b| u32::from_le_bytes(b)).collect()
}

fn init(context: &Context, code: &[u32]) -> Dispatch {
    let mut d = std::mem::MaybeUninit::<Dispatch>::uninit();
    // SAFETY: the structure has its own size; it is initialised when the call gives Ok.
    unsafe {
        let status = waveglass_dispatch_init(context.0, d.as_mut_ptr(), size_of::<Dispatch>());
        assert_eq!(status, Status::Ok, "{}", error());
        let mut d = d.assume_init();
        d.code = code.as_ptr().cast();
        d.code_size = size_of_val(code);
        d
    }
}

fn run(context: &Context, d: &Dispatch) -> Status {
    // SAFETY: the tests keep code, values and buffers until the call is over.
    unsafe { waveglass_dispatch_run(context.0, d) }
}

/// What one lane of `state.s` found.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Record {
    /// s2 to s9.
    sgprs: [u32; 8],
    /// v0 to v2.
    vgprs: [u32; 3],
    ttmp9: u32,
    ttmp7: u32,
}

/// Runs `state.s` with these values in s2 and on; gives what each lane found.
fn state(target: &str, groups: [u32; 3], block: [u32; 3], rsrc2: u32, user: &[u32]) -> Vec<Record> {
    let context = Context::new(target);
    let lanes: u32 = groups.iter().chain(&block).product();
    let mut out = vec![0u32; 16 + 16 * lanes as usize];
    context.register(&mut out, WAVEGLASS_READ_WRITE, "out");
    let code = probe("state", target);
    let address = out.as_ptr() as u64;
    let mut values = vec![address as u32, (address >> 32) as u32];
    values.extend(user);
    let mut d = init(&context, &code);
    d.workgroups = groups;
    d.workgroup_size = block;
    d.rsrc2 = rsrc2;
    d.user_sgprs = values.as_ptr();
    d.user_sgpr_count = values.len() as u32;
    assert_eq!(run(&context, &d), Status::Ok, "{target}: {}", error());
    assert_eq!(out[0], lanes);
    let (records, _) = out[16..].as_chunks::<16>();
    records
        .iter()
        .map(|r| Record {
            sgprs: std::array::from_fn(|i| r[i]),
            vgprs: std::array::from_fn(|i| r[8 + i]),
            ttmp9: r[11],
            ttmp7: r[12],
        })
        .collect()
}

/// RSRC2: user SGPRs, which workgroup ids, workgroup info, how many work-item ids.
fn rsrc2(user: u32, group_ids: [bool; 3], info: bool, item_ids: u32) -> u32 {
    let [x, y, z] = group_ids.map(u32::from);
    user << 1 | x << 7 | y << 8 | z << 9 | u32::from(info) << 10 | (item_ids - 1) << 11
}

const ALL: [&str; 8] = [
    "gfx900", "gfx90a", "gfx942", "gfx950", "gfx1030", "gfx1100", "gfx1201", "gfx1250",
];

fn ids_in_ttmp(target: &str) -> bool {
    target.starts_with("gfx12")
}

/// CDNA 2 and later and RDNA 3 and later have the ids in one register, ten bits each.
fn packed(target: &str) -> bool {
    !matches!(target, "gfx900" | "gfx1030")
}

#[test]
fn workgroup_ids_follow_the_user_sgprs_as_rsrc2_asks() {
    let (groups, block) = ([2, 3, 2], [4, 1, 1]);
    for target in ALL {
        for user in [2, 4] {
            for wanted in 0..8u32 {
                let wanted = [0, 1, 2].map(|i| wanted >> i & 1 == 1);
                let found = state(
                    target,
                    groups,
                    block,
                    rsrc2(user, wanted, false, 1),
                    &[7, 8, 9],
                );
                let mut expected = BTreeSet::new();
                for (z, y, x, item) in (0..2).flat_map(|z| {
                    (0..3).flat_map(move |y| {
                        (0..2).flat_map(move |x| (0..4).map(move |item| (z, y, x, item)))
                    })
                }) {
                    let mut sgprs = vec![7, 8];
                    sgprs.truncate(user as usize - 2);
                    let (mut ttmp9, mut ttmp7) = (0, 0);
                    if ids_in_ttmp(target) {
                        ttmp9 = x;
                        ttmp7 = if wanted[2] { y | z << 16 } else { y };
                    } else {
                        let ids = [x, y, z].into_iter().zip(wanted);
                        sgprs.extend(ids.filter(|(_, w)| *w).map(|(id, _)| id));
                    }
                    sgprs.resize(8, 0);
                    expected.insert(Record {
                        sgprs: sgprs.try_into().unwrap(),
                        vgprs: [item, 0, 0],
                        ttmp9,
                        ttmp7,
                    });
                }
                assert_eq!(found.len(), 48);
                assert_eq!(
                    BTreeSet::from_iter(found),
                    expected,
                    "{target} {user} {wanted:?}"
                );
            }
        }
    }
}

#[test]
fn work_item_ids_lie_in_one_register_or_three() {
    let block = [3, 4, 5];
    for target in ALL {
        for wanted in 1..=3 {
            let found = state(
                target,
                [1; 3],
                block,
                rsrc2(2, [false; 3], false, wanted),
                &[],
            );
            let vgprs: BTreeSet<[u32; 3]> = found.iter().map(|r| r.vgprs).collect();
            let mut expected = BTreeSet::new();
            for (z, y, x) in
                (0..5).flat_map(|z| (0..4).flat_map(move |y| (0..3).map(move |x| (z, y, x))))
            {
                let ids = [x, y, z].map(|id: u32| id);
                let kept: [u32; 3] =
                    std::array::from_fn(|i| if i < wanted as usize { ids[i] } else { 0 });
                expected.insert(if packed(target) {
                    [kept[0] | kept[1] << 10 | kept[2] << 20, 0, 0]
                } else {
                    kept
                });
            }
            assert_eq!(vgprs, expected, "{target} {wanted}");
        }
    }
}

// RDNA 2 and 3 have the wave's number in bits 24:20 too (RDNA 2 ISA 3.12.2, RDNA 3 ISA 3.5.3).
#[test]
fn workgroup_info_has_the_first_wave_bit_and_the_number_of_waves() {
    for (target, lanes, numbered) in [
        ("gfx900", 64, false),
        ("gfx90a", 64, false),
        ("gfx1030", 32, true),
        ("gfx1100", 32, true),
    ] {
        let asked = rsrc2(2, [true, false, false], true, 1);
        let found = state(target, [1; 3], [lanes * 3, 1, 1], asked, &[]);
        let info: BTreeSet<u32> = found.iter().map(|r| r.sgprs[1]).collect();
        let numbers = [1, 2].map(|n| if numbered { n << 20 } else { 0 });
        assert_eq!(
            info,
            [1 << 31 | 3, numbers[0] | 3, numbers[1] | 3].into(),
            "{target}"
        );
    }
}

#[test]
fn lds_size_counts_in_each_target_s_granules() {
    let granules = [
        ("gfx900", 512),
        ("gfx90a", 512),
        ("gfx942", 512),
        ("gfx950", 1280),
        ("gfx1030", 512),
        ("gfx1100", 512),
        ("gfx1201", 512),
        ("gfx1250", 2048),
    ];
    for (target, granule) in granules {
        let context = Context::new(target);
        let code = probe("lds", target);
        let store = |rsrc2: u32, bytes: u32, address: u32| {
            let mut d = init(&context, &code);
            d.rsrc2 = rsrc2 | 1 << 1;
            d.lds_bytes = bytes;
            d.user_sgprs = &address;
            d.user_sgpr_count = 1;
            run(&context, &d)
        };
        let three = 3 << 15;
        assert_eq!(store(three, 0, 3 * granule - 4), Status::Ok, "{}", error());
        assert_eq!(
            store(three, 0, 3 * granule),
            Status::MemoryViolation,
            "{target}"
        );
        // SAFETY: valid pointers.
        unsafe {
            let mut fault: Fault = std::mem::zeroed();
            let get = waveglass_context_fault(context.0, 0, &mut fault, size_of::<Fault>());
            assert_eq!(get, Status::Ok);
            assert_eq!((fault.kind, fault.space), (FaultKind::LdsRange, Space::Lds));
            assert_eq!(fault.limit, u64::from(3 * granule));
            assert_eq!((fault.code_offset, fault.nearest_size), (4, 0));
        }
        // Bytes that are said go before granules.
        assert_eq!(store(three, 100, 96), Status::Ok);
        assert_eq!(store(three, 100, 100), Status::MemoryViolation);
        assert_eq!(store(0, 0, 0), Status::MemoryViolation);
        assert_eq!(store(0, 1 << 20, 0), Status::BadArgument);
        assert!(error().contains("LDS"), "{}", error());
    }
}

#[test]
fn scratch_is_bounded_by_its_bytes_a_lane() {
    for target in ["gfx942", "gfx950", "gfx1100", "gfx1201", "gfx1250"] {
        let context = Context::new(target);
        let code = probe("scratch", target);
        let store = |offset: u32| {
            let mut d = init(&context, &code);
            d.workgroup_size = [64, 1, 1];
            d.workgroups = [100, 1, 1];
            d.rsrc2 = rsrc2(3, [true, false, false], false, 1) | 1;
            d.scratch_bytes = 64;
            let values = [0, 0, offset];
            d.user_sgprs = values.as_ptr();
            d.user_sgpr_count = 3;
            run(&context, &d)
        };
        assert_eq!(store(60), Status::Ok, "{target}: {}", error());
        assert_eq!(store(64), Status::MemoryViolation, "{target}");
        assert!(error().contains("scratch"), "{}", error());
    }
}

#[test]
fn scratch_that_the_caller_brings_lies_where_it_says() {
    #[repr(align(256))]
    struct Memory([u32; 64 * 64]);
    for (target, waves) in [("gfx900", 1), ("gfx90a", 1), ("gfx1100", 2)] {
        let context = Context::new(target);
        let limits = Limits {
            size: size_of::<Limits>(),
            instructions: 0,
            nanoseconds: 0,
            threads: 1,
            faults: 0,
            stop_at_fault: 0,
            reserved: 0,
        };
        let code = probe("scratch", target);
        let mut memory = Box::new(Memory([u32::MAX; 64 * 64]));
        context.register(&mut memory.0, WAVEGLASS_READ_WRITE, "scratch");
        let address = memory.0.as_ptr() as u64;
        let mut d = init(&context, &code);
        d.workgroups = [3, 1, 1];
        d.workgroup_size = [64, 1, 1];
        d.rsrc2 = rsrc2(3, [true, false, false], false, 1) | 1;
        d.scratch_bytes = 32;
        let values = [address as u32, (address >> 32) as u32, 8];
        d.user_sgprs = values.as_ptr();
        d.user_sgpr_count = 3;
        d.scratch = memory.0.as_mut_ptr().cast();
        // SAFETY: valid pointers.
        unsafe {
            assert_eq!(waveglass_context_set_limits(context.0, &limits), Status::Ok);
            let mut needed = 0;
            let asked = waveglass_dispatch_scratch_size(context.0, &d, &mut needed);
            assert_eq!(asked, Status::Ok, "{}", error());
            // Three workgroups of 64 lanes with 32 bytes each.
            assert_eq!(needed, 3 * 64 * 32, "{target}");
            d.scratch_size = needed - 1;
            assert_eq!(run(&context, &d), Status::BadArgument);
            d.scratch_size = needed;
        }
        assert_eq!(run(&context, &d), Status::Ok, "{target}: {}", error());
        // Offset 8 of each lane is the third dword of its wave's swizzled scratch.
        let lanes = 64 / waves;
        for group in 0..3 {
            for wave in 0..waves {
                let start = (group * waves + wave) * lanes * 8;
                for (i, &v) in memory.0[start..start + lanes * 8].iter().enumerate() {
                    let stored = (2 * lanes..3 * lanes).contains(&i);
                    assert_eq!(
                        v,
                        if stored { group as u32 } else { u32::MAX },
                        "{target} {i}"
                    );
                }
            }
        }
    }
}

#[test]
fn the_whole_process_can_be_allowed_and_strays_are_still_caught() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let context = Context::new("gfx1100");
    let code = probe("state", "gfx1100");
    let mut out = [0u32; 32];
    let out = out.as_mut_ptr();
    let dispatch = |address: u64| {
        let mut d = init(&context, &code);
        d.rsrc2 = rsrc2(2, [false; 3], false, 1);
        d.kernarg = std::ptr::without_provenance(address as usize);
        run(&context, &d)
    };
    let address = out.expose_provenance() as u64;
    assert_eq!(dispatch(address), Status::MemoryViolation);
    // SAFETY: the program writes to `out` alone.
    unsafe {
        assert_eq!(
            waveglass_context_allow_process(context.0, true),
            Status::Ok,
            "{}",
            error()
        );
        assert_eq!(dispatch(address), Status::Ok, "{}", error());
        assert_eq!(out.read_volatile(), 1);
        for stray in [0, 0x1000, 0x7fff_ffff_f000, 1 << 63, u64::MAX - 63] {
            assert_eq!(dispatch(stray), Status::MemoryViolation, "{stray:#x}");
        }
        // The program's own text is there, to be read.
        let text = waveglass_dispatch_run as *const () as u64 & !63;
        assert_eq!(dispatch(text), Status::MemoryViolation);
        assert!(error().contains("read-only"), "{}", error());
        assert_eq!(
            waveglass_context_allow_process(context.0, false),
            Status::Ok
        );
    }
    assert_eq!(dispatch(address), Status::MemoryViolation);
}

#[test]
fn register_values_that_cannot_be_are_refused_by_name() {
    let refused = |target: &str, change: &dyn Fn(&mut Dispatch), says: &str| {
        let context = Context::new(target);
        let code = probe("lds", target);
        let mut d = init(&context, &code);
        change(&mut d);
        assert_eq!(run(&context, &d), Status::BadArgument, "{target}: {says}");
        assert!(error().contains(says), "{target}: {} / {says}", error());
    };
    refused("gfx1100", &|d| d.rsrc2 |= 3 << 11, "mode 3");
    refused("gfx1100", &|d| d.rsrc2 |= 1 << 6 | 1 << 24, "exceptions");
    refused("gfx1100", &|d| d.rsrc3 |= 1 << 10, "trap");
    refused("gfx1201", &|d| d.rsrc2 |= 1 << 6, "dynamic VGPR");
    refused("gfx900", &|d| d.rsrc3 = 1, "COMPUTE_PGM_RSRC3");
    refused("gfx900", &|d| d.rsrc1 |= 1 << 28, "COMPUTE_PGM_RSRC1");
    refused("gfx900", &|d| d.wave_size = 32, "32 lanes");
    refused("gfx1250", &|d| d.wave_size = 64, "64 lanes");
    refused("gfx1100", &|d| d.wave_size = 16, "16 lanes");
    refused("gfx1100", &|d| d.workgroups[1] = 0, "empty");
    refused(
        "gfx1100",
        &|d| d.workgroup_size = [u32::MAX; 3],
        "work-items",
    );
    let sizes = ([u32::MAX, 1, 1], [2, 1, 1]);
    refused(
        "gfx1100",
        &|d| (d.workgroups, d.workgroup_size) = sizes,
        "too many",
    );
    refused("gfx1100", &|d| d.code = std::ptr::null(), "null");
    refused("gfx1100", &|d| d.code_size = 0, "no code");
    refused(
        "gfx1100",
        &|d| d.code = d.code.wrapping_byte_add(2),
        "misaligned",
    );
    refused("gfx1100", &|d| d.user_sgpr_count = 1, "user_sgprs");
    refused("gfx1100", &|d| d.scratch_size = 1, "scratch");
    refused("gfx1100", &|d| d.reserved = 1, "reserved");
    refused("gfx1100", &|d| d.size = 8, "size");
    let odd = 0x1234_5601 as *mut c_void;
    refused(
        "gfx1100",
        &|d| (d.scratch, d.scratch_size) = (odd, 1 << 30),
        "256",
    );
    // What hardware ignores is ignored: SGPRS from gfx10 on, exceptions without a trap handler.
    let context = Context::new("gfx1100");
    let code = probe("lds", "gfx1100");
    let mut d = init(&context, &code);
    d.rsrc1 |= 0xf << 6;
    d.rsrc2 |= 0x7f << 24;
    d.lds_bytes = 4;
    assert_eq!(run(&context, &d), Status::Ok, "{}", error());
}

#[test]
fn code_that_is_none_and_code_that_runs_off_its_end_stop_the_run() {
    let context = Context::new("gfx1100");
    // No instruction of gfx11 has these bits.
    let code = [u32::MAX, 0xbfb0_0000];
    assert_eq!(
        run(&context, &init(&context, &code)),
        Status::InvalidInstruction
    );
    // s_nop 0, and nothing behind it.
    let code = [0xbf80_0000u32];
    assert_eq!(
        run(&context, &init(&context, &code)),
        Status::BadJump,
        "{}",
        error()
    );
    // The same place has other code now: what was compiled before is not run again.
    let mut code = [0xbf80_0000u32, 0xbfb0_0000];
    assert_eq!(
        run(&context, &init(&context, &code)),
        Status::Ok,
        "{}",
        error()
    );
    code[1] = u32::MAX;
    assert_eq!(
        run(&context, &init(&context, &code)),
        Status::InvalidInstruction
    );
    // s_trap 2.
    let code = [0xbf90_0002u32, 0xbfb0_0000];
    assert_eq!(
        run(&context, &init(&context, &code)),
        Status::Trap,
        "{}",
        error()
    );
}

#[test]
fn scratch_that_no_host_has_is_an_error_not_an_abort() {
    let context = Context::new("gfx1100");
    let code = probe("lds", "gfx1100");
    let mut d = init(&context, &code);
    d.workgroup_size = [1024, 1, 1];
    d.workgroups = [1 << 20, 1, 1];
    d.scratch_bytes = u32::MAX;
    // A host that promises memory that it does not have gets on to the store, which has no LDS.
    let status = run(&context, &d);
    let expected = [Status::OutOfMemory, Status::MemoryViolation];
    assert!(expected.contains(&status), "{status:?} {}", error());
}

#[test]
fn no_bytes_bring_the_process_down() {
    let mut seed = 0x9e37_79b9_7f4a_7c15u64;
    let mut random = move || {
        // xorshift64*
        seed ^= seed >> 12;
        seed ^= seed << 25;
        seed ^= seed >> 27;
        (seed.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) as u32
    };
    for target in ALL {
        let context = Context::new(target);
        let limits = Limits {
            size: size_of::<Limits>(),
            instructions: 2000,
            nanoseconds: 1_000_000_000,
            threads: 1,
            faults: 4,
            stop_at_fault: 0,
            reserved: 0,
        };
        // SAFETY: valid pointers.
        let set = unsafe { waveglass_context_set_limits(context.0, &limits) };
        assert_eq!(set, Status::Ok);
        let mut memory = vec![0u32; 1024];
        context.register(&mut memory, WAVEGLASS_READ_WRITE, "memory");
        let probe = probe("state", target);
        for round in 0..300 {
            // Random bytes mostly stop at once; a program with some words changed gets further.
            let mut code = probe.clone();
            if round % 3 == 0 {
                code.iter_mut().for_each(|word| *word = random());
            } else {
                for _ in 0..1 + random() % 4 {
                    let at = random() as usize % code.len();
                    code[at] ^= 1 << (random() % 32);
                }
            }
            let address = memory.as_ptr() as u64;
            let values = [address as u32, (address >> 32) as u32, random(), random()];
            let mut d = init(&context, &code);
            d.workgroups = [1 + random() % 3, 1, 1];
            d.workgroup_size = [1 + random() % 100, 1, 1];
            d.rsrc2 = random() & 0x1fff;
            d.scratch_bytes = random() % 100;
            d.user_sgprs = values.as_ptr();
            d.user_sgpr_count = 4;
            let status = run(&context, &d);
            assert_ne!(status, Status::Internal, "{target} {code:x?}: {}", error());
        }
    }
}
