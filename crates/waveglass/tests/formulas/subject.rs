//! Which registers the names of a formula stand for.

use waveglass::exec::Wave;
use waveglass::exec::program::scalar_number;
use waveglass::isa::{
    Access, Field, Half, Inst, MASK_BITS, Operand, OperandDef, OperandKind, Piece, RegFile,
};

/// Where an operand's value lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Home {
    /// A vector register of the wave's file.
    Vector(usize),
    /// A scalar register.
    Scalar(usize),
    /// SCC, VCC and the like come from elsewhere; a constant is the same in all lanes.
    Constant(u64),
}

/// An operand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    pub(crate) home: Home,
    /// Width in bits.
    pub(crate) bits: u32,
    /// The first bit, 16 for a high half.
    pub(crate) low: u32,
    /// Whether it is one bit a lane.
    pub(crate) mask: bool,
    /// Whether the instruction also writes it, or only reads it.
    pub(crate) access: Access,
}

impl Slot {
    pub(crate) fn dwords(&self) -> usize {
        (self.low + self.bits).div_ceil(32) as usize
    }

    /// One of the operand's registers.
    pub(crate) fn dword(&self, wave: &Wave, lane: usize, k: usize) -> u32 {
        match self.home {
            Home::Vector(r) => wave.lane(r + k, lane),
            Home::Scalar(r) => wave.sgpr.get(r + k).copied().unwrap_or(0),
            Home::Constant(c) => c.checked_shr(32 * k as u32).unwrap_or(0) as u32,
        }
    }
}

/// The operands of an instruction by the names that formulas give them.
#[derive(Debug, Default)]
pub(crate) struct Subject {
    pub(crate) sources: Vec<Slot>,
    pub(crate) destinations: Vec<Slot>,
    pub(crate) literal: u64,
    pub(crate) simm16: u64,
    /// The truth table of BITOP3.
    pub(crate) table: Option<u64>,
    /// DATA or DATA0, and DATA1: their places among the sources.
    pub(crate) data: [Option<usize>; 2],
    /// The addresses: a vector register, a scalar one, a buffer's descriptor, an offset in a register.
    pub(crate) vaddr: Option<Slot>,
    pub(crate) saddr: Option<Slot>,
    pub(crate) descriptor: Option<Slot>,
    pub(crate) soffset: Option<Slot>,
    pub(crate) offset: i64,
    pub(crate) offsets: [u64; 2],
    pub(crate) scale_sel: u64,
    pub(crate) op_sel: u64,
}

fn home(wave: &Wave, value: Operand) -> Option<Home> {
    Some(match value {
        Operand::Reg(r) => match r.file {
            RegFile::Vgpr => Home::Vector(r.index.into()),
            RegFile::Agpr => Home::Vector(wave.agpr_base + usize::from(r.index)),
            RegFile::Sgpr | RegFile::Vcc | RegFile::Exec | RegFile::M0 => {
                Home::Scalar(scalar_number(r) as usize)
            }
            _ => return None,
        },
        Operand::InlineInt(v) => Home::Constant(i64::from(v) as u64),
        Operand::Literal(v) => Home::Constant(v.into()),
        Operand::Literal64(v) => Home::Constant(v),
        _ => return None,
    })
}

impl Subject {
    /// The operands of `inst`, or of one half of a VOPD pair.
    pub(crate) fn new(inst: &Inst, wave: &Wave, half: Option<usize>) -> Result<Self, String> {
        let def = inst.def();
        let mut out = Self::default();
        let mut part = 0;
        for piece in def.shape.pieces {
            let (at, mods) = match piece {
                Piece::SecondName => {
                    part = 1;
                    continue;
                }
                Piece::Operand(at) => (*at, None),
                Piece::Modified { source, mods } => (*source, Some(*mods)),
                _ => continue,
            };
            if half.is_some_and(|h| h != part) {
                continue;
            }
            let o = &def.operands()[usize::from(at)];
            if let Some(m) = mods.and_then(|m| def.operands().get(usize::from(m))) {
                let raw = inst.raw(m);
                out.op_sel |= (raw >> 2 & 1) << out.sources.len();
                if out.sources.is_empty() && def.shape.sources.dst {
                    out.op_sel |= raw & 8;
                }
            }
            out.add(inst, wave, o)?;
        }
        Ok(out)
    }

    fn add(&mut self, inst: &Inst, wave: &Wave, o: &'static OperandDef) -> Result<(), String> {
        if matches!(o.kind, OperandKind::Mods(_)) {
            return Ok(());
        }
        let Some(value) = inst.resolve(o) else {
            return Err(format!("operand {:?}", o.field));
        };
        if let OperandKind::Imm(style) = o.kind {
            let raw = match value {
                Operand::Literal(v) => v.into(),
                Operand::Literal64(v) => v,
                Operand::Imm(v) => v as u64,
                _ => inst.raw(o),
            };
            match format!("{style:?}").as_str() {
                "Kimmfp16" | "Kimmfp32" | "Kimmfp64" => self.literal = raw,
                "I16imm" | "S16imm" | "U16imm" | "Hwreg" => self.simm16 = raw & 0xffff,
                "Bitop3" => self.table = Some(inst.raw(o)),
                _ if o.field == Field::Offset => {
                    self.offset = match value {
                        Operand::Imm(v) => v,
                        _ => inst.raw(o) as i64,
                    }
                }
                _ if o.field == Field::Offset0 => self.offsets[0] = inst.raw(o),
                _ if o.field == Field::Offset1 => self.offsets[1] = inst.raw(o),
                _ if o.field == Field::ScaleSel => self.scale_sel = inst.raw(o),
                _ => {}
            }
            return Ok(());
        }
        if value == Operand::Off || matches!(value, Operand::Reg(r) if r.file == RegFile::Null) {
            return Ok(());
        }
        let home = home(wave, value).ok_or_else(|| format!("operand {value:?}"))?;
        let mask = o.bits == MASK_BITS;
        let low = match value {
            Operand::Reg(r) if r.half == Some(Half::Hi) => 16,
            _ => 0,
        };
        let slot = Slot {
            home,
            bits: if mask {
                wave.lanes() as u32
            } else {
                o.bits.into()
            },
            low,
            mask,
            access: o.access,
        };
        // The comparisons with an immediate read the register of the destination's field.
        let written = o.access != Access::Read || matches!(o.field, Field::Sdst | Field::Vdst);
        if written {
            self.destinations.push(slot);
        } else {
            let next = Some(self.sources.len());
            match o.field {
                Field::Vdata | Field::Data0 => self.data[0] = next,
                Field::Data1 => self.data[1] = next,
                Field::Vaddr | Field::Addr => self.vaddr = Some(slot),
                Field::Saddr => self.saddr = Some(slot),
                Field::Srsrc | Field::Rsrc => self.descriptor = Some(slot),
                Field::Soffset => self.soffset = Some(slot),
                _ => {}
            }
            self.sources.push(slot);
        }
        Ok(())
    }

    /// The lane mask that the instruction names to write.
    pub(crate) fn mask_out(&self) -> Option<&Slot> {
        self.destinations.iter().find(|s| s.mask)
    }

    /// The lane mask that the instruction names to read.
    pub(crate) fn mask_in(&self) -> Option<&Slot> {
        self.sources.iter().find(|s| s.mask)
    }
}
