//! Register counts of image instructions, which follow from DMASK, DIM and the address mode
//! (Vega ISA 8.2, RDNA1 ISA 8.2, RDNA4 ISA 10.3).

use crate::table::ImageSizes;
use crate::{Field, Inst, InstFlags, OperandDef};

/// How many dwords an image operand covers.
pub(crate) fn dwords(inst: &Inst, o: &OperandDef) -> u8 {
    let Some(form) = &inst.def().shape.image else {
        return 1;
    };
    let (data, addresses) = counts(inst, form);
    match o.field {
        Field::Vdata | Field::VdataIn | Field::Vdst => data,
        _ if !form.list => addresses,
        // Where the list has fewer places than there are addresses, its last is a tuple.
        _ if addresses > form.own_addresses && is_last(inst, form, o) => {
            addresses - form.own_addresses + 1
        }
        _ => 1,
    }
}

fn is_last(inst: &Inst, form: &ImageSizes, o: &OperandDef) -> bool {
    let operands = inst.def().shape.operands;
    operands
        .iter()
        .position(|x| x.field == Field::Vaddr0)
        .and_then(|i| operands.get(i + form.own_addresses as usize - 1))
        .is_some_and(|x| x.field == o.field)
}

/// How many places of the address list are used.
pub(crate) fn listed(inst: &Inst) -> u8 {
    inst.def()
        .shape
        .image
        .as_ref()
        .map_or(0, |form| counts(inst, form).1.min(form.own_addresses))
}

/// What the fields ask for, whether or not a form has it.
pub(crate) fn demand(inst: &Inst) -> Option<(u8, Option<u8>)> {
    let form = inst.def().shape.image.as_ref()?;
    let addresses = (inst.target().major() >= 10).then(|| match address_dwords(inst) {
        // Tuples of more than twelve registers are of sixteen.
        n if n > 12 && !form.list && inst.def().encoding() != "ENC_VSAMPLE" => 16,
        n => n,
    });
    Some((data_dwords(inst), addresses))
}

/// The registers of data by DMASK, D16 and TFE.
fn data_dwords(inst: &Inst) -> u8 {
    let channels = inst.field(Field::Dmask).count_ones().max(1) as u8;
    let channels = if inst.def().flags.contains(InstFlags::GATHER4) {
        4
    } else {
        channels
    };
    let data = match inst.field(Field::D16) {
        0 => channels,
        _ => channels.div_ceil(2),
    };
    data + (inst.field(Field::Tfe) != 0) as u8
}

/// Registers of data and of addresses.
fn counts(inst: &Inst, form: &ImageSizes) -> (u8, u8) {
    let own = (form.own_data, form.own_addresses);
    let target = inst.target();
    let mut addresses = own.1;
    if target.major() >= 10 {
        addresses = address_dwords(inst);
        if !form.list {
            // Tuples of more than twelve registers are of sixteen.
            if addresses > 12 && inst.def().encoding() != "ENC_VSAMPLE" {
                addresses = 16;
            }
        } else if addresses > own.1 && target.major() == 10 {
            return own;
        }
    }
    let data = data_dwords(inst);
    let available = form.data == 1 || form.data >> data & 1 != 0;
    // Data past the last register, or at an odd one where tuples are aligned, and such addresses,
    // leave the form as it is.
    let first = inst.field(Field::Vdata) & 0xff;
    let fits = data == own.0
        || first + data as u64 <= 256
            && !(data > 1 && first & 1 != 0 && target.has_aligned_vgprs());
    let address_fits = addresses == own.1
        || match (form.list, addresses > own.1) {
            (true, false) => true,
            (true, true) => inst
                .def()
                .shape
                .operands
                .iter()
                .find(|o| is_last(inst, form, o))
                .is_none_or(|o| inst.raw(o) + (addresses - own.1) as u64 <= 255),
            (false, _) => {
                let first = match inst.operand_def(Field::Vaddr0) {
                    Some(o) => inst.raw(o),
                    None => inst.field(Field::Vaddr),
                };
                first + addresses as u64 <= 256
            }
        };
    if available && fits && address_fits && form.addresses >> addresses & 1 != 0 {
        (data, addresses)
    } else {
        own
    }
}

/// The dwords of addresses that the opcode, DIM and A16 ask for.
fn address_dwords(inst: &Inst) -> u8 {
    // Coordinates and gradients by dimension.
    const DIMENSIONS: [(u8, u8); 8] = [
        (1, 2),
        (2, 4),
        (3, 6),
        (3, 4),
        (2, 2),
        (3, 4),
        (3, 4),
        (4, 4),
    ];
    let (coordinates, gradients) = DIMENSIONS[(inst.field(Field::Dim) & 7) as usize];
    let what = inst.def().image;
    let a16 = inst.field(Field::A16) != 0;
    let mut components = 0;
    if what & 1 << 2 != 0 {
        components += coordinates;
    }
    components += what >> 3 & 1;
    let mut dwords = what & 3;
    dwords += if a16 {
        components.div_ceil(2)
    } else {
        components
    };
    if what & 1 << 4 != 0 {
        dwords += match what & 1 << 5 {
            0 => gradients,
            // Two gradients a dword, those of x and y apart.
            _ => (gradients / 2).next_multiple_of(2),
        };
    }
    dwords
}
