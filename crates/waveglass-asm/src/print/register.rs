//! Registers, constants and source modifiers.

use super::Printer;
use waveglass_isa::{
    Field, Half, ModStyle, Operand, OperandDef, OperandKind, OperandType, Reg, RegFile,
};

const FLOATS: [&str; 9] = [
    "0.5",
    "-0.5",
    "1.0",
    "-1.0",
    "2.0",
    "-2.0",
    "4.0",
    "-4.0",
    "0.15915494",
];

impl Printer<'_> {
    /// A register or constant.
    pub(super) fn value(&mut self, o: &OperandDef) {
        if let Some(v) = self.inst.resolve(o) {
            self.resolved(v, o);
        }
    }

    fn resolved(&mut self, v: Operand, o: &OperandDef) {
        match v {
            Operand::Reg(r) => self.register(r),
            Operand::InlineInt(i) => self.integer(i as i64),
            Operand::InlineFloat(f) => self.inline_float(f, o),
            // The constant that a pair's second half shares with the first one's fmaak or fmamk
            // prints as a number.
            Operand::Literal(l) if self.shares_constant(o) => self.shared(l),
            Operand::Literal(l) => self.literal(l, o.ty, o.bits),
            // Scalar comparisons of 16-bit floats print it as integers do.
            Operand::Literal64(l) if o.bits == 16 && self.inst.def().encoding() == "ENC_SOPC" => {
                self.literal64(l, OperandType::Int, 16);
            }
            Operand::Literal64(l) => self.literal64(l, o.ty, o.bits),
            Operand::Imm(i) => self.integer(i),
            Operand::Off => self.out.push_str("off"),
        }
    }

    fn shares_constant(&self, o: &OperandDef) -> bool {
        o.field == Field::Src0Y
            && self.inst.literal_words().is_empty()
            && self.inst.mnemonic().starts_with("v_dual_fmamk")
            && ["v_dual_fmamk_f32", "v_dual_fmaak_f32"]
                .iter()
                .any(|second| self.inst.mnemonic().ends_with(second))
    }

    fn shared(&mut self, l: u32) {
        let float = (240..=248)
            .find(|&s| Operand::inline_float_bits(s, OperandType::Float, 32) == u64::from(l));
        match (l as i32, float) {
            (i @ -16..=64, _) => self.integer(i64::from(i)),
            (_, Some(s)) => self.out.push_str(FLOATS[(s - 240) as usize]),
            _ => self.hex(u64::from(l)),
        }
    }

    fn inline_float(&mut self, selector: u8, o: &OperandDef) {
        match (o.ty, o.bits) {
            // A 16-bit integer operand reads the low half, which is not the number.
            (OperandType::Int | OperandType::Bits, 16) => {
                self.hex(Operand::inline_float_bits(selector, o.ty, 16));
            }
            // LLVM shows the bits of the binary32 constant here.
            (OperandType::PackedF16NoInline, _) => {
                self.hex(Operand::inline_float_bits(selector, OperandType::Float, 32));
            }
            (OperandType::Int | OperandType::Bits | OperandType::Float, 64) if selector == 248 => {
                self.out.push_str("0.15915494309189532");
            }
            // Eight registers of matrix C: doubles on CDNA, and RDNA 3's print as those do.
            (OperandType::Float, 256) if selector == 248 && self.inst.target().major() < 12 => {
                self.out.push_str("0.15915494309189532");
            }
            _ => self.out.push_str(FLOATS[(selector - 240) as usize]),
        }
    }

    /// A constant of a double: a literal gives its high half.
    fn double(&mut self, v: u64) {
        let inline =
            (240..=248).find(|&s| Operand::inline_float_bits(s, OperandType::Float, 64) == v);
        match inline {
            Some(248) => self.out.push_str("0.15915494309189532"),
            Some(s) => self.out.push_str(FLOATS[(s - 240) as usize]),
            None if v == 0 => self.out.push('0'),
            None if v as u32 == 0 => self.hex(v >> 32),
            None => self.hex(v),
        }
    }

    /// A 32-bit literal. Where an inline constant has the same value, `lit(...)` keeps the
    /// assembler from choosing that one.
    pub(super) fn literal(&mut self, l: u32, ty: OperandType, bits: u16) {
        if ty == OperandType::Float && bits == 64 {
            self.double((l as u64) << 32);
        } else if literal_is_inline(l, ty, bits) {
            self.out.push_str("lit(");
            self.hex(l as u64);
            self.out.push(')');
        } else if ty == OperandType::PackedF16NoInline && (-16..=64).contains(&(l as i32)) {
            self.integer(i64::from(l as i32));
        } else if bits == 16 && ty != OperandType::Bf16 {
            self.hex(l as u16 as u64);
        } else {
            self.hex(l as u64);
        }
    }

    /// A 64-bit literal (CDNA 5); narrower operands read its low half.
    pub(super) fn literal64(&mut self, l: u64, ty: OperandType, bits: u16) {
        if l >> 32 == 0 {
            self.out.push_str("lit64(");
            self.hex(l);
            self.out.push(')');
        } else if bits == 64 {
            match ty {
                OperandType::Float if (-16..0).contains(&(l as i64)) => self.integer(l as i64),
                OperandType::Float => self.double(l),
                _ => self.hex(l),
            }
        } else {
            self.low_half(l as u32, ty, bits);
        }
    }

    /// The low half of a 64-bit literal in a narrower operand, which LLVM prints as the constant
    /// that has its value.
    fn low_half(&mut self, l: u32, ty: OperandType, bits: u16) {
        let int16 = bits == 16 && matches!(ty, OperandType::Int | OperandType::Bits);
        let integer = if bits == 16 && !int16 {
            i64::from(l as u16 as i16)
        } else {
            i64::from(l as i32)
        };
        let (wanted, width, read_as) = match (ty, bits) {
            (OperandType::Bf16 | OperandType::PackedF16 | OperandType::PackedBf16, _) => {
                (u64::from(l), 16, ty)
            }
            (OperandType::PackedF16Splat, _) if l >> 16 == l & 0xffff => {
                (u64::from(l as u16), 16, ty)
            }
            // No constant is wider than 16 bits.
            (OperandType::PackedF16Splat, _) => (u64::MAX, 16, ty),
            (OperandType::Float, 16) => (u64::from(l as u16), 16, ty),
            _ => (u64::from(l), 32, OperandType::Float),
        };
        let float = (240..=248).find(|&s| Operand::inline_float_bits(s, read_as, width) == wanted);
        match float {
            _ if (-16..=64).contains(&integer) => self.integer(integer),
            Some(s) => self.out.push_str(FLOATS[(s - 240) as usize]),
            None if bits == 16 && ty != OperandType::Bf16 => self.hex(u64::from(l as u16)),
            None => self.hex(u64::from(l)),
        }
    }

    pub(super) fn register(&mut self, r: Reg) {
        let named: [&str; 3] = match r.file {
            RegFile::Vgpr => return self.numbered("v", r),
            RegFile::Sgpr => return self.numbered("s", r),
            RegFile::Agpr => return self.numbered("a", r),
            RegFile::Ttmp => return self.numbered("ttmp", r),
            RegFile::Vcc => ["vcc_lo", "vcc_hi", "vcc"],
            RegFile::Exec => ["exec_lo", "exec_hi", "exec"],
            RegFile::FlatScratch => ["flat_scratch_lo", "flat_scratch_hi", "flat_scratch"],
            RegFile::XnackMask => ["xnack_mask_lo", "xnack_mask_hi", "xnack_mask"],
            RegFile::M0 => ["m0"; 3],
            RegFile::Null => ["null"; 3],
            RegFile::Scc => ["src_scc"; 3],
            RegFile::Vccz => ["src_vccz"; 3],
            RegFile::Execz => ["src_execz"; 3],
            RegFile::SharedBase => ["src_shared_base"; 3],
            RegFile::SharedLimit => ["src_shared_limit"; 3],
            RegFile::PrivateBase => ["src_private_base"; 3],
            RegFile::PrivateLimit => ["src_private_limit"; 3],
            RegFile::FlatScratchBase => [
                "src_flat_scratch_base_lo",
                "src_flat_scratch_base_hi",
                "src_flat_scratch_base_lo",
            ],
            RegFile::PopsExitingWaveId => ["src_pops_exiting_wave_id"; 3],
            RegFile::LdsDirect => ["src_lds_direct"; 3],
        };
        let which = if r.dwords > 1 {
            2
        } else {
            (r.index & 1) as usize
        };
        self.out.push_str(named[which]);
    }

    fn numbered(&mut self, letter: &str, r: Reg) {
        self.out.push_str(letter);
        if r.dwords > 1 {
            self.out.push('[');
            self.decimal(r.index as u64);
            self.out.push(':');
            self.decimal(r.index as u64 + r.dwords as u64 - 1);
            self.out.push(']');
        } else {
            self.decimal(r.index as u64);
            if let Some(half) = r.half
                && self.options.true16
            {
                self.out.push_str(match half {
                    Half::Lo => ".l",
                    Half::Hi => ".h",
                });
            }
        }
    }

    /// A source with its modifiers around it.
    pub(super) fn modified(&mut self, mods: &OperandDef, source: &OperandDef) {
        const NEG: u64 = 1;
        const ABS: u64 = 2;
        const SEXT: u64 = 16;
        let OperandKind::Mods(style) = mods.kind else {
            return self.value(source);
        };
        let bits = self.inst.raw(mods);
        let close = match style {
            ModStyle::Fp | ModStyle::Fp16 | ModStyle::Packed => {
                let value = self.inst.resolve(source);
                // -1 and neg(1) differ: the first is another constant.
                let constant = match value {
                    Some(Operand::Literal(l)) => !literal_is_inline(l, source.ty, source.bits),
                    Some(Operand::Literal64(l)) => l >> 32 != 0,
                    Some(Operand::Reg(_)) | None => false,
                    Some(_) => true,
                };
                let (open, close) = match (bits & NEG != 0, bits & ABS != 0) {
                    (false, false) => ("", ""),
                    (true, false) if constant => ("neg(", ")"),
                    (true, false) => ("-", ""),
                    (false, true) => ("|", "|"),
                    (true, true) => ("-|", "|"),
                };
                self.out.push_str(open);
                if let Some(v) = value {
                    self.resolved(v, source);
                }
                self.out.push_str(close);
                return;
            }
            ModStyle::Sext | ModStyle::Int | ModStyle::Int16 if bits & SEXT != 0 => {
                self.out.push_str("sext(");
                ")"
            }
            _ => "",
        };
        self.value(source);
        self.out.push_str(close);
    }
}

/// Whether an inline constant of the operand's type stands for the same value as the literal.
pub(super) fn literal_is_inline(l: u32, ty: OperandType, bits: u16) -> bool {
    let small = |i: i64| (-16..=64).contains(&i);
    let float = |bits: u32, of: u64| {
        let ty = if bits == 16 || ty > OperandType::Bf16 {
            ty
        } else {
            OperandType::Float
        };
        (240..=248).any(|s| Operand::inline_float_bits(s, ty, bits) == of)
    };
    match (ty, bits) {
        (OperandType::Float, 64) | (OperandType::PackedF16NoInline, _) => false,
        // A constant stands for both halves; a negative integer does not.
        (OperandType::PackedF16Splat, _) => {
            let both = l >> 16 == l & 0xffff && (l as u16 <= 64 || float(16, l as u16 as u64));
            small(l as i32 as i64) || both
        }
        (_, 64) if !matches!(ty, OperandType::PackedF32 | OperandType::PackedInt32) => {
            l <= 64 || float(64, l as u64)
        }
        // LLVM asks for integers and binary32 values of the whole literal here.
        (OperandType::Int | OperandType::Bits, 16) => small(l as i32 as i64) || float(32, l as u64),
        (_, 16) => small(l as i16 as i64) || float(16, l as u16 as u64),
        _ => small(l as i32 as i64) || float(32, l as u64),
    }
}
