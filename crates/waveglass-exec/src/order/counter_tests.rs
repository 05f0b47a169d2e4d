//! Which counters each kind of instruction counts with, on each generation.

use waveglass_isa::{Access, Counter, Decoder, Field, InstBits, InstInfo, Target, rows};

// points: 8

/// The counters of the first row of `names` that the target has, without EXPCNT, which says when data have
/// left the registers.
fn counters(target: Target, names: &[&str]) -> Vec<Counter> {
    let def = names
        .iter()
        .find_map(|n| {
            rows().iter().find(|d| {
                d.mnemonic == *n && d.has_target(target) && !d.shape.template.contains(" lds")
            })
        })
        .unwrap_or_else(|| panic!("{target} has none of {names:?}"));
    let inst = InstBits::new(def, target, target.default_wave_size()).finish();
    InstInfo::new(&inst)
        .counters
        .into_iter()
        .filter(|c| *c != Counter::Exp)
        .collect()
}

/// What counts in what.
struct Table {
    targets: &'static [Target],
    load: Counter,
    store: Counter,
    lds: Counter,
    scalar: Counter,
}

const TABLES: [Table; 3] = [
    Table {
        targets: &[
            Target::Gfx900,
            Target::Gfx906,
            Target::Gfx908,
            Target::Gfx90a,
            Target::Gfx942,
            Target::Gfx950,
        ],
        load: Counter::Vm,
        store: Counter::Vm,
        lds: Counter::Lgkm,
        scalar: Counter::Lgkm,
    },
    Table {
        targets: &[
            Target::Gfx1010,
            Target::Gfx1030,
            Target::Gfx1100,
            Target::Gfx1150,
        ],
        load: Counter::Vm,
        store: Counter::Vs,
        lds: Counter::Lgkm,
        scalar: Counter::Lgkm,
    },
    Table {
        targets: &[
            Target::Gfx1200,
            Target::Gfx1201,
            Target::Gfx1250,
            Target::Gfx1251,
        ],
        load: Counter::Load,
        store: Counter::Store,
        lds: Counter::Ds,
        scalar: Counter::Km,
    },
];

// rule: loads and returning atomics count in VM_CNT (LOADcnt), stores in VM_CNT, from RDNA 1 on in VS_CNT
// (STOREcnt), LDS in LGKM_CNT (DScnt), scalar memory in LGKM_CNT (KMcnt), and flat in its memory counter and
// LDS's; section Vega ISA 4.4, 9.2, RDNA 1 ISA 4.4, RDNA 3 ISA 5.6, RDNA 4 ISA 5.7.1, CDNA 5 ISA 5.7.1.
// claims: flat.9.2-4, flat.9.4-6, flat.9.5-7
#[test]
fn each_kind_of_instruction_counts_where_the_generation_has_it() {
    for table in &TABLES {
        for &target in table.targets {
            let check = |names: &[&str], want: &[Counter]| {
                let mut got = counters(target, names);
                let mut want = want.to_vec();
                got.sort_by_key(|c| format!("{c:?}"));
                want.sort_by_key(|c| format!("{c:?}"));
                assert_eq!(got, want, "{names:?} on {target}");
            };
            let Table {
                load,
                store,
                lds,
                scalar,
                ..
            } = *table;
            check(&["global_load_dword", "global_load_b32"], &[load]);
            check(&["scratch_load_dword", "scratch_load_b32"], &[load]);
            check(&["buffer_load_dword", "buffer_load_b32"], &[load]);
            check(&["global_store_dword", "global_store_b32"], &[store]);
            check(&["scratch_store_dword", "scratch_store_b32"], &[store]);
            check(&["buffer_store_dword", "buffer_store_b32"], &[store]);
            check(&["flat_load_dword", "flat_load_b32"], &[load, lds]);
            check(&["flat_store_dword", "flat_store_b32"], &[store, lds]);
            check(&["ds_read_b32", "ds_load_b32"], &[lds]);
            check(&["ds_write_b32", "ds_store_b32"], &[lds]);
            check(&["s_load_dword", "s_load_b32"], &[scalar]);
        }
    }
}

// rule: asynchronous moves count in ASYNCcnt and tensor moves in TENSORcnt; section CDNA 5 ISA 10.8, 10.11.
#[test]
fn cdna5_counts_asynchronous_and_tensor_moves_apart() {
    for target in [Target::Gfx1250, Target::Gfx1251] {
        for name in [
            "global_load_async_to_lds_b32",
            "global_store_async_from_lds_b32",
            "cluster_load_async_to_lds_b32",
        ] {
            assert_eq!(counters(target, &[name]), [Counter::Async], "{name}");
        }
        for name in ["tensor_load_to_lds", "tensor_store_from_lds"] {
            assert_eq!(counters(target, &[name]), [Counter::Tensor], "{name}");
        }
        // LLVM's table counts the asynchronous arrival in DScnt as well, which the manual does not.
        assert!(
            counters(target, &["ds_atomic_async_barrier_arrive_b64"]).contains(&Counter::Async)
        );
        assert_eq!(
            counters(target, &["ds_atomic_barrier_arrive_rtn_b64"]),
            [Counter::Ds]
        );
    }
}

/// The counters of an instruction, given as hex, without EXPCNT.
fn counters_of(target: Target, hex: &str) -> Vec<Counter> {
    let bytes: Vec<u8> = (0..hex.len() / 2)
        .map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap())
        .collect();
    let inst = Decoder::new(target).decode(&bytes).unwrap();
    let counters = InstInfo::new(&inst).counters;
    counters
        .into_iter()
        .filter(|c| *c != Counter::Exp)
        .collect()
}

// rule: an atomic operation that returns counts with the loads; one that does not counts with the stores, in
// VS_CNT (STOREcnt) from RDNA 1 on; section Vega ISA 4.4, RDNA 1 ISA 4.4, RDNA 2 ISA 4.4, RDNA 3 ISA 5.6,
// RDNA 3.5 ISA 5.6, RDNA 4 ISA 5.7.1, 11.1.1, CDNA 5 ISA 5.7.1, 10.1.1.
#[test]
fn atomics_count_as_loads_with_a_result_and_as_stores_without() {
    use Counter::{Ds, Lgkm, Load, Store, Vm, Vs};
    use Target::*;
    // For each: global, flat, buffer, 64-bit compare and swap; without a result and with one.
    let gfx9 = [
        ["008008dd00027f00", "008009dd00027f03"],
        ["000008dd00020000", "000009dd00020003"],
        ["000008e100020080", "004008e100020080"],
        ["008084dd00020000", "008085dd00020006"],
    ];
    let gfx10 = [
        ["0080c8dc00027d00", "0080c9dc00027d03"],
        ["0000c8dc00027d00", "0000c9dc00027d03"],
        ["0000c8e000020080", "0040c8e000020080"],
        ["008044dd00020000", "008045dd00020006"],
    ];
    let gfx11 = [
        ["0000d6dc00027c00", "0040d6dc00027c03"],
        ["0000d4dc00027c00", "0040d4dc00027c03"],
        ["0000d4e000020080", "0040d4e000020080"],
        ["00000add00020000", "00400add00020006"],
    ];
    let gfx12 = [
        ["7c400dee0000000100000000", "7c400dee0300100100000000"],
        ["7c400dec0000000100000000", "7c400dec0300100100000000"],
        ["7c400dc40200800000000000", "7c400dc40200900000000000"],
        ["008010ee0000000100000000", "008010ee0600100100000000"],
    ];
    let gfx9_targets = &[Gfx900, Gfx906, Gfx908, Gfx90a, Gfx942, Gfx950][..];
    for (targets, code, [store, load, lds]) in [
        (gfx9_targets, gfx9, [Vm, Vm, Lgkm]),
        (&[Gfx1010, Gfx1030], gfx10, [Vs, Vm, Lgkm]),
        (&[Gfx1100, Gfx1150], gfx11, [Vs, Vm, Lgkm]),
        (
            &[Gfx1200, Gfx1201, Gfx1250, Gfx1251],
            gfx12,
            [Store, Load, Ds],
        ),
    ] {
        for &target in targets {
            for (i, [without, with]) in code.into_iter().enumerate() {
                let flat: &[Counter] = if i == 1 { &[lds] } else { &[] };
                let want = |c| [&[c], flat].concat();
                assert_eq!(
                    counters_of(target, without),
                    want(store),
                    "{target} {without}"
                );
                assert_eq!(counters_of(target, with), want(load), "{target} {with}");
            }
        }
    }
    // GLC, or bit 0 of TH, of an image atomic, whose operands are the same.
    for (target, without, with, store, load) in [
        (Gfx1030, "080144f000020000", "082144f000020000", Vs, Vm),
        (Gfx1100, "040130f000020000", "044130f000020000", Vs, Vm),
        (
            Gfx1200,
            "010043d00200000000010000",
            "010043d00200100000010000",
            Store,
            Load,
        ),
    ] {
        assert_eq!(counters_of(target, without), [store], "{target}");
        assert_eq!(counters_of(target, with), [load], "{target}");
    }
}

// rule: every atomic of the tables counts with the stores where it has no result, with the loads where it has one;
// section RDNA 1 ISA 4.4, RDNA 3 ISA 5.6, RDNA 4 ISA 5.7.1, CDNA 5 ISA 5.7.1.
// Every other atomic operation, by whether it has a register for the value before.
#[test]
fn every_atomic_of_the_tables_counts_by_its_result() {
    let mut seen = 0;
    for &target in Target::ALL {
        for def in rows().iter().filter(|d| d.has_target(target)) {
            let kinds = ["global_atomic", "flat_atomic", "buffer_atomic"];
            if !kinds.iter().any(|k| def.mnemonic.starts_with(k)) {
                continue;
            }
            let with = def.shape.operands.iter().any(|o| {
                o.field == Field::Vdst || o.field == Field::Vdata && o.access != Access::Read
            });
            let want = match (target.major(), with) {
                (9, _) | (10 | 11, true) => Counter::Vm,
                (10 | 11, false) => Counter::Vs,
                (_, true) => Counter::Load,
                (_, false) => Counter::Store,
            };
            let inst = InstBits::new(def, target, target.default_wave_size()).finish();
            let got = InstInfo::new(&inst).counters;
            assert!(got.contains(&want), "{} {target}: {got:?}", def.mnemonic);
            seen += 1;
        }
    }
    assert!(seen > 2000, "{seen}");
}

// rule: an invalidation counts in LOADcnt, a write-back in STOREcnt; section RDNA 4 ISA 5.7.1, 11.1.1, CDNA 5
// ISA 5.7.1, 10.1.1.
#[test]
fn write_backs_count_as_stores() {
    for target in [
        Target::Gfx1200,
        Target::Gfx1201,
        Target::Gfx1250,
        Target::Gfx1251,
    ] {
        assert_eq!(counters(target, &["global_inv"]), [Counter::Load]);
        assert_eq!(counters(target, &["global_wb"]), [Counter::Store]);
        assert_eq!(counters(target, &["global_wbinv"]), [Counter::Store]);
    }
}
