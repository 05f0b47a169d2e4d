//! Rules of image instructions: what DMASK, DIM, D16 and A16 ask of the register counts.

use super::candidate::Candidate;
use super::diagnostic::Problem;
use super::modifier::Mod;
use super::operand::{Line, Value};
use super::pattern::Want;
use waveglass_isa::{Field, Inst, InstFlags};

pub(super) fn image(line: &Line, c: &Candidate, inst: &Inst) -> Result<(), Problem> {
    let def = c.def;
    let name = def.mnemonic;
    let Some(demand) = inst.image_demand() else {
        return Ok(());
    };
    let dmask = inst.field(Field::Dmask);
    let dmask_at = line.places[Mod::Dmask as usize] as usize * line.has(Mod::Dmask) as usize;
    if name.starts_with("image_atomic") && !matches!(dmask, 1 | 3 | 15) {
        return Err(Problem::at(dmask_at, "invalid atomic image dmask")
            .help("0x1, 0x3 and 0xf are possible"));
    }
    // Loads of samples select a component as gathers do (RDNA3 ISA 10.1).
    if def.flags.contains(InstFlags::GATHER4) && dmask.count_ones() != 1 {
        return Err(Problem::at(
            dmask_at,
            "invalid image_gather dmask: only one bit must be set",
        ));
    }
    if name == "image_msaa_load" && !matches!(inst.field(Field::Dim), 6 | 7) {
        return Err(Problem::at(
            line.places[Mod::Dim as usize] as usize,
            "invalid dim; must be MSAA type",
        ));
    }
    let data = line
        .ops()
        .iter()
        .zip(&c.pattern.wants)
        .find_map(|(op, w)| match (w, op.value) {
            (Want::Source { operand, .. }, Value::Reg(r))
                if matches!(
                    def.shape.operands[*operand as usize].field,
                    Field::Vdata | Field::VdataIn | Field::Vdst
                ) =>
            {
                Some((r, op.at))
            }
            _ => None,
        });
    if let Some((r, at)) = data
        && r.dwords != demand.0
    {
        return Err(Problem::at(
            at as usize,
            format!(
                "image data size does not match dmask, d16 and tfe: {} registers are needed",
                demand.0
            ),
        ));
    }
    let Some(wanted) = demand.1 else {
        return Ok(());
    };
    let addresses = line.ops().iter().zip(&c.pattern.wants).find_map(|(op, w)| {
        let vaddr = match w {
            Want::Addresses(_) => true,
            Want::Source { operand, .. } => def.shape.operands[*operand as usize]
                .field
                .name()
                .starts_with("vaddr"),
            _ => false,
        };
        vaddr.then_some(op)
    });
    let given = match addresses.map(|o| o.value) {
        Some(Value::Reg(r)) => r.dwords as usize,
        Some(Value::List(first, n)) => line.list[first as usize..first as usize + n as usize]
            .iter()
            .map(|r| r.dwords as usize)
            .sum(),
        _ => return Ok(()),
    };
    if given != wanted as usize {
        return Err(Problem::at(
            addresses.map_or(0, |o| o.at as usize),
            format!("image address size does not match dim and a16: {wanted} registers are needed"),
        ));
    }
    Ok(())
}
