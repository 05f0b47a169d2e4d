//! Memory instructions that no public manual gives a meaning that could be executed, with the reason. A
//! run stops at one by name.

/// The instructions under one reason.
type Refusals = &'static [(&'static [&'static str], &'static str)];

/// The memory instructions that are refused whatever their operands, those of one reason together.
pub const REFUSED: Refusals = &[
    (
        &["ds_ordered_count"],
        "an ordered count orders waves by ids that only a dispatch of the graphics driver puts in M0 (RDNA 3 \
         ISA 13.4.3), and an AQL packet cannot ask for them",
    ),
    (
        &["ds_bvh_stack_rtn_b32"],
        "the listing of the BVH stack (RDNA 3 ISA 16.15) pops from the place after the last push, and leaves \
         open how the index wraps and which node is the invalid one",
    ),
    (
        &[
            "ds_bvh_stack_push4_pop1_rtn_b32",
            "ds_bvh_stack_push8_pop1_rtn_b32",
            "ds_bvh_stack_push8_pop2_rtn_b64",
        ],
        "the listing of the BVH stack (RDNA 4 ISA 16.15) leaves open how pushes and pops change the fields of \
         the packed address (12.5.3), and which nodes the options of OFFSET1 treat apart",
    ),
    (
        &["ds_add_gs_reg_rtn", "ds_sub_gs_reg_rtn"],
        "the registers belong to the geometry stage's streamout (RDNA 3 ISA 12.6.1)",
    ),
    (
        &["lds_param_load", "ds_param_load"],
        "the load is of a pixel shader's parameters (RDNA 3 ISA 12.2.1)",
    ),
    (
        &["global_atomic_ordered_add_b64"],
        "the next id is masked with VGT_GS_MAX_WAVE_ID (RDNA 4 ISA 16.20), a register of the geometry stage",
    ),
    (
        &["ds_load_tr6_b96", "global_load_tr6_b96"],
        "the figure of 6-bit elements (CDNA 5 ISA 10.9.2) gives the lanes an order of K that the layouts of A \
         and B in the manual do not have",
    ),
    (
        &["tensor_save", "tensor_stop"],
        "the instruction is a trap handler's, to save the tensor data mover's state (CDNA 5 ISA 10.11)",
    ),
];

/// Why a memory instruction is refused.
pub(crate) fn reason(mnemonic: &str) -> Option<&'static str> {
    REFUSED
        .iter()
        .find(|(names, _)| names.contains(&mnemonic))
        .map(|(_, why)| *why)
}
