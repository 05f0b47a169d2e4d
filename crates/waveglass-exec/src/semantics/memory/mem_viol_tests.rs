//! MEM_VIOL, from LDS and from each way into the texture path.

use crate::testing::{Bench, MEMORY, MEMORY_SIZE};
use waveglass_isa::Target;
use waveglass_mem::Space;

/// A target with `ds_read_b32 v4, v2`, `flat_load_dword v4, v[2:3]`, `global_load_dword v4, v[2:3], off` and
/// `buffer_load_dword v4, v2, s[8:11], 0 offen`, and the words of a descriptor of the memory without a bound.
type Way = (Target, [&'static str; 4], [u32; 4]);

const GFX12: [&str; 4] = [
    "0000d8d802000004",
    "7c0005ec0400000002000000",
    "7c0005ee0400000002000000",
    "7c0005c40410804002000000",
];
const BASE: u32 = MEMORY as u32;
const WAYS: [Way; 6] = [
    (
        Target::Gfx900,
        [
            "00006cd802000004",
            "000050dc02000004",
            "008050dc02007f04",
            "001050e002040280",
        ],
        [BASE, 0, u32::MAX, 4 << 15],
    ),
    (
        Target::Gfx90a,
        [
            "00006cd802000004",
            "000050dc02000004",
            "008050dc02007f04",
            "001050e002040280",
        ],
        [BASE, 0, u32::MAX, 4 << 15],
    ),
    (
        Target::Gfx1030,
        [
            "0000d8d802000004",
            "000030dc02007d04",
            "008030dc02007d04",
            "001030e002040280",
        ],
        [BASE, 0, u32::MAX, 3 << 28 | 22 << 12],
    ),
    (
        Target::Gfx1100,
        [
            "0000d8d802000004",
            "000050dc02007c04",
            "000052dc02007c04",
            "000050e002044280",
        ],
        [BASE, 0, u32::MAX, 3 << 28 | 22 << 12],
    ),
    (
        Target::Gfx1200,
        GFX12,
        [BASE, 0, u32::MAX, 3 << 28 | 22 << 12],
    ),
    // CDNA 5 ISA 9.6: NUM_RECORDS has bits 101:57.
    (Target::Gfx1250, GFX12, [BASE, 0x7f << 25, u32::MAX, 0]),
];

// rule: an address error sets MEM_VIOL whether LDS or the texture path finds it: TRAPSTS bit 8, from RDNA 4 on
// EXCP_FLAG_PRIV bit 4, with the first one's source in bits 31:30; section Vega ISA 9.6, 3.10.1, RDNA 4 ISA
// 3.4.10, 11.3, CDNA 5 ISA 10.3.
// claims: flat.9.6-8
#[test]
fn an_address_error_in_lds_and_in_the_texture_path_sets_mem_viol() {
    for (target, [ds, flat, global, buffer], descriptor) in WAYS {
        let mut b = Bench::new(target, target.default_wave_size());
        let shared = b.env.apertures.shared_base();
        let end = MEMORY + MEMORY_SIZE;
        // The instruction, an address in range and one that is not, the space of the fault.
        for (what, code, good, bad, space) in [
            ("LDS", ds, 0, 4096, Space::Lds),
            ("flat, in LDS", flat, shared, shared + 4096, Space::Lds),
            ("flat, in memory", flat, MEMORY, end, Space::Global),
            ("global", global, MEMORY, end, Space::Global),
            ("buffer", buffer, 0, MEMORY_SIZE, Space::Buffer),
        ] {
            let mut run = |address: u64| {
                b.wave.sgpr[8..12].copy_from_slice(&descriptor);
                b.wave.set_exec(0b10);
                b.set(2, |_| address as u32);
                b.set(3, |_| (address >> 32) as u32);
                b.set(4, |_| 7);
                (b.wave.trapsts, b.wave.first_violation) = (0, 0);
                b.wave.faults.clear();
                b.run_all(&[code]);
                let spaces: Vec<Space> = b.wave.faults.iter().map(|f| f.fault.space).collect();
                (b.wave.trapsts, b.wave.first_violation, b.get(4, 1), spaces)
            };
            assert_eq!(run(good), (0, 0, 0, vec![]), "{target} {what}");
            let (mem_viol, source) = match (target.major() >= 12, space) {
                (false, _) => (1 << 8, None),
                (true, Space::Lds) => (1 << 4, Some(2)),
                (true, _) => (1 << 4, Some(3)),
            };
            let (bits, first, read, spaces) = run(bad);
            assert_eq!((bits, read), (mem_viol, 0), "{target} {what}");
            assert_eq!(spaces, [space], "{target} {what}");
            if let Some(source) = source {
                assert_eq!(first, source, "{target} {what}");
            }
        }
    }
}
