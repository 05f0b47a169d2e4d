use crate::dispatch::Dispatch;
use crate::order::MemoryOrder;
use crate::program::{Program, Registers, Step};
use crate::run::{Limits, ScratchArena, Watch, run};
use crate::testing::{Bench, MEMORY, MEMORY_SIZE};
use waveglass_isa::Target;
use waveglass_mem::{GlobalMemory, Permission, Space};

// points: 12

/// A wave with a window of GDS: 64 bytes from byte 0x100 on.
fn bench(target: Target) -> Bench {
    let mut b = Bench::new(target, 64);
    b.wave.sgpr[crate::wave::sreg::M0] = 0x100 << 16 | 64;
    b
}

// rule: with the GDS bit an operation acts on GDS, which LDS does not see; section Vega ISA 10.3.3.
#[test]
fn the_gds_bit_sends_loads_stores_and_atomics_to_gds() {
    let mut b = bench(Target::Gfx900);
    b.set(2, |lane| 4 * (lane as u32 % 16));
    b.set(3, |lane| 100 + lane as u32);
    // ds_write_b32 v2, v3 gds; ds_read_b32 v5, v2 gds; ds_read2_b32 v[6:7], v2 offset1:1 gds: lanes 48
    // to 63 are the last of the four that write each dword. Lane 15's second dword is past the window.
    b.run_all(&["00001bd802030000", "00006dd802000005"]);
    assert_eq!(b.wave.lane(5, 0), 148);
    assert_eq!(b.wave.lane(5, 63), 163);
    assert!(b.wave.faults.is_empty());
    b.run_all(&["00016fd802000006"]);
    assert_eq!((b.wave.lane(6, 1), b.wave.lane(7, 1)), (149, 150));
    assert_eq!((b.wave.lane(6, 15), b.wave.lane(7, 15)), (163, 0));
    assert_eq!(b.wave.faults.len(), 4);
    assert_eq!(b.wave.faults[0].fault.space, Space::Gds);
    // ds_add_rtn_u32 v5, v2, v3 offset:4 gds, by lane 0.
    b.wave.set_exec(1);
    b.run_all(&["040041d802030005"]);
    assert_eq!(b.wave.lane(5, 0), 149);
    // ds_append v5 gds by three lanes, at the window's first byte.
    b.wave.set_exec(0b111);
    b.run_all(&["00007dd900000005"]);
    assert_eq!(b.wave.lane(5, 2), 148);
    b.run_all(&["00007bd900000005"]);
    assert_eq!(b.wave.lane(5, 2), 151);
    assert!(b.lds.bytes().iter().all(|&byte| byte == 0));
}

// rule: GDS takes the first active lane only, append and consume all of EXEC; section RDNA 3 ISA 13.4.2,
// 13.4.3.
#[test]
fn rdna3_lets_one_lane_into_gds() {
    let mut b = bench(Target::Gfx1100);
    b.set(2, |lane| 4 * lane as u32);
    b.set(3, |lane| 100 + lane as u32);
    b.wave.set_exec(0b110);
    // ds_store_b32 v2, v3 gds; ds_load_b32 v5, v2 gds
    b.run_all(&["000036d802030000"]);
    b.wave.set_exec(0b111);
    b.set(5, |_| 9);
    b.run_all(&["0000dad802000005"]);
    assert_eq!(b.wave.exec(), 0b111);
    assert_eq!((b.wave.lane(5, 0), b.wave.lane(5, 1)), (0, 9));
    b.wave.set_exec(0b110);
    b.run_all(&["0000dad802000005"]);
    assert_eq!((b.wave.lane(5, 1), b.wave.lane(5, 2)), (101, 9));
    // ds_append v5 gds
    b.run_all(&["0000fad800000005", "0000fad800000005"]);
    assert_eq!((b.wave.lane(5, 1), b.wave.lane(5, 2)), (2, 2));
}

// rule: the resource is M0[21:16] + offset0[5:0], and a wave that must wait asks again; section RDNA 3 ISA
// 13.4.4.
#[test]
fn a_wave_waits_at_a_semaphore_until_it_is_released() {
    for (target, sema_p, sema_v, init) in [
        (
            Target::Gfx900,
            "050039d900000000",
            "050035d900000000",
            "050033d903000000",
        ),
        (
            Target::Gfx1100,
            "050072d800000000",
            "05006ad800000000",
            "050066d803000000",
        ),
    ] {
        let mut b = Bench::new(target, 64);
        b.wave.sgpr[crate::wave::sreg::M0] = 0xffc2_0000;
        assert_eq!(b.run(sema_p), Step::Retry, "{target}");
        b.run_all(&[sema_v, sema_p]);
        // ds_gws_init with the first active lane's value.
        b.set(3, |lane| lane as u32);
        b.wave.set_exec(0b110_0000_0000);
        b.run_all(&[init]);
        b.run_all(&[sema_p; 9]);
        assert_eq!(b.run(sema_p), Step::Retry);
        // With EXEC zero it does not reach the unit.
        b.wave.set_exec(0);
        b.run_all(&[sema_p]);
        // The resource was 2 + 5.
        let other = ([7, 7, 7], 0);
        assert!(b.env.gds.sync(7, other, waveglass_mem::Sync::Release(2)));
        b.wave.set_exec(1);
        b.run_all(&[sema_p]);
        assert!(b.env.gds.sync(7, other, waveglass_mem::Sync::Acquire));
    }
}

// rule: waves of different workgroups meet at a GWS barrier; section Vega ISA 12.13, RDNA 3 ISA 13.4.4.
#[test]
fn workgroups_meet_at_a_global_barrier() {
    //   s_mov_b32 m0, 0; v_mov_b32 v1, 3; v_mov_b32 v2, 0x10000; v_mov_b32 v3, 0; v_mov_b32 v4, 1
    //   s_cmp_lg_u32 s0, 0; s_cbranch_scc1 wait
    //   ds_gws_init v1 offset:9 gds; ds_gws_sema_br v1 offset:8 gds; s_branch go
    // wait: ds_gws_sema_p offset:8 gds
    // go: global_atomic_add v[2:3], v4, off; s_waitcnt vmcnt(0); ds_gws_barrier v1 offset:9 gds
    //   global_load_dword v5, v[2:3], off; v_mov_b32 v6, s0; v_lshl_add_u32 v2, v6, 2, v2
    //   s_waitcnt vmcnt(0); global_store_dword v[2:3], v5, off offset:16; s_endpgm
    // Workgroup 0 sets the barrier up for four waves and lets the three others come to it. Each adds its
    // 64 lanes before the barrier, and reads the sum of all four behind it.
    let code: Vec<u8> = [
        0xbefc0080u32,
        0x7e020283,
        0x7e0402ff,
        0x00010000,
        0x7e060280,
        0x7e080281,
        0xbf078000,
        0xbf850005,
        0xd9330009,
        0x00000001,
        0xd9370008,
        0x00000001,
        0xbf820002,
        0xd9390008,
        0x00000000,
        0xdd088000,
        0x007f0402,
        0xbf8c0f70,
        0xd93b0009,
        0x00000001,
        0xdc508000,
        0x057f0002,
        0x7e0c0200,
        0xd1fd0002,
        0x04090506,
        0xbf8c0f70,
        0xdc708010,
        0x007f0502,
        0xbf810000,
    ]
    .into_iter()
    .flat_map(u32::to_le_bytes)
    .collect();
    let registers = Registers {
        vgprs: 16,
        agprs: 0,
    };
    let program = Program::compile(Target::Gfx900, 64, &code, 0, &[0], registers);
    let mut dispatch = Dispatch::of_code(Target::Gfx900, 64, 0, 64, 4, registers);
    dispatch.setup.group_id = [true, false, false];
    for (threads, order) in [
        (1, MemoryOrder::Eager),
        (2, MemoryOrder::Eager),
        (1, MemoryOrder::InOrder),
        (2, MemoryOrder::Adversarial(1)),
    ] {
        let mut memory = GlobalMemory::new();
        memory
            .map_zeroed(MEMORY, MEMORY_SIZE, Permission::ReadWrite, "memory")
            .unwrap();
        let limits = Limits {
            threads,
            order,
            steps: 1 << 20,
            ..Limits::default()
        };
        let scratch = ScratchArena { base: 0, size: 0 };
        let watch = Watch::default();
        let (outcome, error) = run(&dispatch, &program, &memory, scratch, &limits, watch);
        assert!(error.is_none(), "{order:?}: {error:?}");
        assert_eq!((outcome.fault_count, outcome.hazard_count), (0, 0));
        let mut sums = [0; 32];
        assert!(memory.read(MEMORY, &mut sums));
        let sums = sums
            .as_chunks::<4>()
            .0
            .iter()
            .map(|b| u32::from_le_bytes(*b));
        assert!(sums.eq([256, 0, 0, 0, 256, 256, 256, 256]), "{order:?}");
    }
}
