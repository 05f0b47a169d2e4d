//! Register counts of image instructions, which follow from dmask, dim and the address mode.

use crate::{Field, Inst, OperandDef};

/// How many dwords an image operand covers.
pub(crate) fn dwords(inst: &Inst, o: &OperandDef) -> u8 {
    match o.field {
        Field::Vdata => data_dwords(inst),
        _ => 1,
    }
}

fn data_dwords(inst: &Inst) -> u8 {
    let dmask = inst.field(Field::Dmask).count_ones().max(1) as u8;
    let packed = inst.field(Field::D16) != 0;
    let data = if packed { dmask.div_ceil(2) } else { dmask };
    data + (inst.field(Field::Tfe) | inst.field(Field::Lwe)) as u8
}
