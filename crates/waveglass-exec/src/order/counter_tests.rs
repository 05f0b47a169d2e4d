//! Which counters each kind of instruction counts with, on each generation.

use waveglass_isa::{Counter, InstBits, InstInfo, Target, rows};

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
