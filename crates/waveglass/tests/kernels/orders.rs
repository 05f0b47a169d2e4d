//! Compiled programs wait for what they use: they give the same in every memory order, and no
//! register is used in flight.

use super::{
    calls, crosslane, diverge, generic_pointer, linear, matmul, programs, reduce, tensor, triton,
};
use crate::harness::{in_order, plain, with_order};
use waveglass::exec::MemoryOrder;

const TESTS: &[fn()] = &[
    linear::vector_add_leaves_what_is_past_its_tail_alone,
    reduce::u32_sums_wrap,
    reduce::compare_and_swap_loops_lose_no_update,
    reduce::last_block_sees_every_partial_sum,
    reduce::histogram_counts_each_byte_once,
    generic_pointer::each_lane_reaches_its_own_space_through_a_call,
    generic_pointer::fields_of_every_width_go_through_generic_pointers,
    matmul::matmul_tiled_handles_edges_that_tiles_do_not_divide,
    calls::each_lane_calls_its_own_function,
    calls::functions_recurse_through_each_other,
    calls::arguments_beyond_the_registers_arrive,
    crosslane::lds_crossbar_moves_between_lanes,
    crosslane::waterfall_loops_serve_each_value_once,
    diverge::barriers_between_divergent_branches_hold,
    tensor::tiles_are_transposed_with_padding_and_zeros_past_the_edges,
    tensor::rows_are_gathered_and_scattered,
    programs::queue::a_queue_that_its_workers_fill_is_worked_off,
    programs::queue::each_task_is_taken_by_one_workgroup,
    programs::grid_barrier::workgroups_meet_at_a_barrier_of_the_grid,
];

fn all(order: MemoryOrder) {
    for &test in TESTS {
        in_order(order, "O3", test);
    }
    for test in [
        triton::products_of_small_integers_are_exact,
        triton::attention_agrees_with_softmax_of_all_scores,
    ] {
        in_order(order, "triton", test);
    }
}

#[test]
fn results_are_the_same_when_operations_complete_as_late_as_they_may() {
    all(MemoryOrder::InOrder);
}

#[test]
fn results_are_the_same_when_operations_complete_in_a_random_legal_order() {
    all(MemoryOrder::Adversarial(1));
}

#[test]
fn a_program_without_its_waits_is_caught() {
    let mut build = plain("linear.O3.gfx90a.hsaco", "gfx90a", 64);
    build.change_dwords(|w| {
        // s_waitcnt becomes s_nop 0.
        if w >> 16 == 0xbf8c { 0xbf80_0000 } else { w }
    });
    let run = |order| {
        let out = std::cell::RefCell::new(None);
        with_order(order, || {
            let launch = build.launch("vector_add").grid([1; 3]).block([64, 1, 1]);
            let launch = launch.buffer(&[1f32; 64]).buffer(&[2f32; 64]);
            *out.borrow_mut() = Some(launch.output::<f32>(64).arg(64i32).run());
        });
        out.into_inner().expect("it has run")
    };
    let eager = run(MemoryOrder::Eager).expect("at once is one legal order");
    assert_eq!(eager.get::<f32>(2), [3f32; 64]);
    let error = run(MemoryOrder::InOrder)
        .map(drop)
        .expect_err("no wait has released anything");
    assert!(error.contains("is in flight"), "{error}");
}
