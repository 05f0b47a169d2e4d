use super::*;
use crate::program::{Program, Registers};
use crate::run::{Limits, Outcome, ScratchArena, Watch, run};
use crate::{Dispatch, RunError};
use waveglass_isa::Target;
use waveglass_mem::{GlobalMemory, Permission};

const MEMORY: u64 = 0x10000;
const GROUPS: u32 = 40;
/// Where the load and the store stand in the code.
const LOAD: u64 = 0x14;
const STORE: u64 = 0x28;

// Workgroups of two waves; memory has room for 96 of the 128 work-items' dwords.
//   s_mov_b32 s0, 0x10000; s_mov_b32 s1, 0; s_movk_i32 s2, 100; v_lshlrev_b32 v1, 2, v0
//   loop: global_load_dword v3, v1, s[0:1]; s_sub_u32 s2, s2, 1; s_cmp_lg_u32 s2, 0; s_cbranch_scc1 loop
//   global_store_dword v1, v3, s[0:1] offset:-8; s_endpgm
const CODE: [u32; 13] = [
    0xbe8000ff, 0x00010000, 0xbe810080, 0xb0020064, 0x24020082, 0xdc508000, 0x03000001, 0x80828102,
    0xbf078002, 0xbf85fffb, 0xdc709ff8, 0x00000301, 0xbf810000,
];

fn outcome(limits: &Limits) -> (Outcome, Option<RunError>) {
    let code: Vec<u8> = CODE.into_iter().flat_map(u32::to_le_bytes).collect();
    let registers = Registers { vgprs: 8, agprs: 0 };
    let program = Program::compile(Target::Gfx900, 64, &code, 0, &[0], registers);
    let dispatch = Dispatch::of_code(Target::Gfx900, 64, 0, 128, GROUPS, registers);
    let mut memory = GlobalMemory::new();
    memory
        .map_zeroed(MEMORY, 96 * 4, Permission::ReadWrite, "x")
        .unwrap();
    let scratch = ScratchArena { base: 0, size: 0 };
    run(
        &dispatch,
        &program,
        &memory,
        scratch,
        limits,
        Watch::default(),
    )
}

fn missed(side: Side, distance: u64, farthest: u64, count: u64) -> MissedRegion {
    MissedRegion {
        nearest: Nearest {
            name: "x".into(),
            base: MEMORY,
            size: 96 * 4,
            side,
            distance,
        },
        farthest,
        count,
    }
}

#[test]
fn each_instruction_s_faults_are_counted_however_many_another_has() {
    for threads in [1, 2] {
        let limits = Limits {
            threads,
            faults: 3,
            ..Limits::default()
        };
        let (outcome, error) = outcome(&limits);
        assert!(error.is_none(), "{error:?}");
        let groups = u64::from(GROUPS);
        // 32 work-items load past the end, a hundred times; 2 store before the start and 30 past the end.
        assert_eq!(outcome.fault_count, groups * (3200 + 32));
        let [load, store] = &outcome.faults[..] else {
            panic!("{:?}", outcome.faults);
        };
        assert_eq!((load.address, load.access), (LOAD, Access::Load));
        assert_eq!(
            (load.kind, load.space),
            (FaultKind::Unmapped, Space::Global)
        );
        assert_eq!(load.count, groups * 3200);
        assert_eq!((load.group_count, load.wave_count), (groups, groups));
        assert_eq!(load.groups, [[0, 0, 0], [GROUPS - 1, 0, 0]]);
        assert_eq!((load.waves, load.lanes), (0b10, 0xffff_ffff_0000_0000));
        assert_eq!(load.addresses, [MEMORY + 96 * 4, MEMORY + 127 * 4]);
        assert_eq!(load.regions, [missed(Side::After, 0, 124, groups * 3200)]);

        assert_eq!((store.address, store.access), (STORE, Access::Store));
        assert_eq!(store.count, groups * 32);
        assert_eq!((store.group_count, store.wave_count), (groups, groups * 2));
        assert_eq!((store.waves, store.lanes), (0b11, 0xffff_fffc_0000_0003));
        assert_eq!(store.addresses, [MEMORY - 8, MEMORY - 8 + 127 * 4]);
        let regions = [
            missed(Side::After, 0, 116, groups * 30),
            missed(Side::Before, 4, 8, groups * 2),
        ];
        assert_eq!(store.regions, regions);

        // The details are those of the first workgroup and its waves, on any number of threads.
        let places = |site: &FaultSite| -> Vec<(u32, u32, u8)> {
            let place = |f: &WaveFault| (f.group[0], f.wave, f.fault.lane);
            site.details.iter().map(place).collect()
        };
        assert_eq!(places(load), [(0, 1, 32), (0, 1, 33), (0, 1, 34)]);
        assert_eq!(places(store), [(0, 0, 0), (0, 0, 1), (0, 1, 34)]);
    }
}

#[test]
fn a_run_that_ends_early_has_the_faults_up_to_then() {
    let stopped = Limits {
        threads: 1,
        stop_on_fault: true,
        ..Limits::default()
    };
    let (stopped, error) = outcome(&stopped);
    assert!(matches!(error, Some(RunError::Fault)));
    // The first wave's loads are in range, and the second has not had its turn.
    assert_eq!((stopped.fault_count, stopped.faults.len()), (2, 1));
    assert_eq!(stopped.faults[0].address, STORE);
    assert_eq!(stopped.faults[0].details.len(), 2);
    // The first wave executes 406 instructions, which leaves the second enough for all its loads but not its
    // store.
    let limited = Limits {
        threads: 1,
        steps: 810,
        ..Limits::default()
    };
    let (limited, error) = outcome(&limited);
    assert!(matches!(error, Some(RunError::StepLimit(810))));
    let sum: u64 = limited.faults.iter().map(|s| s.count).sum();
    assert_eq!(limited.fault_count, sum);
    assert_eq!(sum, 2 + 3200);
}

#[test]
fn regions_past_the_first_eight_are_counted() {
    let mut site: Option<FaultSite> = None;
    for n in 0..20u64 {
        let region = MissedRegion {
            nearest: Nearest::of("r".into(), n << 16, 16, (n << 16) + 20, 4),
            farthest: 4,
            count: 2,
        };
        match &mut site {
            Some(site) => site.miss(&region),
            None => {
                let (outcome, _) = outcome(&Limits::default());
                let mut first = outcome.faults[0].clone();
                first.regions = vec![region];
                site = Some(first);
            }
        }
    }
    let site = site.unwrap();
    assert_eq!((site.regions.len(), site.elsewhere), (REGIONS, 24));
}
