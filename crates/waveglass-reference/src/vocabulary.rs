//! The vocabulary: fields, counters, registers, operand types, encodings, memory kinds.
use crate::card::MemoryFacts;
use waveglass_isa::Generation;
pub(crate) fn memory(_m: &str, _e: &str, _g: Generation) -> Option<MemoryFacts> {
    None
}
