//! Memory instructions that no public manual gives a meaning that could be executed, with the reason. A
//! run stops at one by name.

/// The instructions under one reason.
type Refusals = &'static [(&'static [&'static str], &'static str)];

/// The memory instructions that are refused whatever their operands, those of one reason together.
pub const REFUSED: Refusals = &[
    (
        &["lds_param_load", "ds_param_load"],
        "the load is of a pixel shader's parameters (RDNA 3 ISA 12.2.1)",
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
