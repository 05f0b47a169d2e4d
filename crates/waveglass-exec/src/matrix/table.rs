//! The matrix instructions: sizes and formats, one instruction a row.
//!
//! The sizes are those of the manuals' lists (CDNA1 ISA table 28, CDNA3 ISA tables 28 and 32, CDNA4
//! ISA tables 28 and 33, RDNA3 ISA table 33, RDNA4 ISA table 41, CDNA5 ISA table 43). An
//! instruction whose mnemonic several generations share has one row; what differs between them
//! (layout, which FP8) follows from the target.

/// The element formats that a mnemonic names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Element {
    F32,
    Xf32,
    F64,
    F16,
    Bf16,
    I8,
    /// Signed where the operand's NEG bit is set.
    Iu8,
    /// The same of 4 bits.
    Iu4,
    /// FNUZ on gfx942, OCP elsewhere.
    Fp8,
    /// FNUZ on gfx942, OCP elsewhere.
    Bf8,
    Fp4,
    /// FP8, BF8, FP6, BF6 or FP4, by a field of the instruction.
    Any,
}

/// The formats of C and D.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Result {
    F32,
    F64,
    I32,
    F16,
    Bf16,
    /// C is F32, D is bfloat16.
    Bf16F32,
}

/// The families.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Family {
    Mfma,
    Smfmac,
    Wmma,
    Swmmac,
}

/// One instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The mnemonic.
    pub name: &'static str,
    /// The family.
    pub family: Family,
    /// M, N and K of one block.
    pub size: [usize; 3],
    /// How many blocks.
    pub blocks: usize,
    /// Elements of A.
    pub a: Element,
    /// Elements of B.
    pub b: Element,
    /// C and D.
    pub result: Result,
    /// Values of K that share a scale; 0 where there are no scales.
    pub scale: usize,
}

impl Row {
    const fn scaled(mut self, block: usize) -> Self {
        self.scale = block;
        self
    }
}

const fn mfma(
    name: &'static str,
    size: [usize; 3],
    blocks: usize,
    a: Element,
    b: Element,
    result: Result,
) -> Row {
    Row {
        name,
        family: Family::Mfma,
        size,
        blocks,
        a,
        b,
        result,
        scale: 0,
    }
}

macro_rules! families {
    ($($name:ident $family:ident)*) => {$(
        const fn $name(
            name: &'static str,
            size: [usize; 3],
            a: Element,
            b: Element,
            result: Result,
        ) -> Row {
            let mut row = mfma(name, size, 1, a, b, result);
            row.family = Family::$family;
            row
        }
    )*};
}

families! { smfmac Smfmac wmma Wmma swmmac Swmmac }

/// The rows of a mnemonic.
pub fn find(name: &str) -> Option<&'static Row> {
    ROWS.iter().find(|r| r.name == name)
}

use Element::{Any, Bf8, Bf16, F16, F32, F64, Fp4, Fp8, I8, Iu4, Iu8, Xf32};

/// All of them.
#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    mfma("v_mfma_f32_16x16x128_f8f6f4", [16, 16, 128], 1, Any, Any, Result::F32),
    mfma("v_mfma_f32_16x16x16_bf16", [16, 16, 16], 1, Bf16, Bf16, Result::F32),
    mfma("v_mfma_f32_16x16x16_f16", [16, 16, 16], 1, F16, F16, Result::F32),
    mfma("v_mfma_f32_16x16x16bf16_1k", [16, 16, 16], 1, Bf16, Bf16, Result::F32),
    mfma("v_mfma_f32_16x16x16f16", [16, 16, 16], 1, F16, F16, Result::F32),
    mfma("v_mfma_f32_16x16x1_4b_f32", [16, 16, 1], 4, F32, F32, Result::F32),
    mfma("v_mfma_f32_16x16x1f32", [16, 16, 1], 4, F32, F32, Result::F32),
    mfma("v_mfma_f32_16x16x2bf16", [16, 16, 2], 4, Bf16, Bf16, Result::F32),
    mfma("v_mfma_f32_16x16x32_bf16", [16, 16, 32], 1, Bf16, Bf16, Result::F32),
    mfma("v_mfma_f32_16x16x32_bf8_bf8", [16, 16, 32], 1, Bf8, Bf8, Result::F32),
    mfma("v_mfma_f32_16x16x32_bf8_fp8", [16, 16, 32], 1, Bf8, Fp8, Result::F32),
    mfma("v_mfma_f32_16x16x32_f16", [16, 16, 32], 1, F16, F16, Result::F32),
    mfma("v_mfma_f32_16x16x32_fp8_bf8", [16, 16, 32], 1, Fp8, Bf8, Result::F32),
    mfma("v_mfma_f32_16x16x32_fp8_fp8", [16, 16, 32], 1, Fp8, Fp8, Result::F32),
    mfma("v_mfma_f32_16x16x4_4b_bf16", [16, 16, 4], 4, Bf16, Bf16, Result::F32),
    mfma("v_mfma_f32_16x16x4_4b_f16", [16, 16, 4], 4, F16, F16, Result::F32),
    mfma("v_mfma_f32_16x16x4_f32", [16, 16, 4], 1, F32, F32, Result::F32),
    mfma("v_mfma_f32_16x16x4bf16_1k", [16, 16, 4], 4, Bf16, Bf16, Result::F32),
    mfma("v_mfma_f32_16x16x4f16", [16, 16, 4], 4, F16, F16, Result::F32),
    mfma("v_mfma_f32_16x16x4f32", [16, 16, 4], 1, F32, F32, Result::F32),
    mfma("v_mfma_f32_16x16x8_xf32", [16, 16, 8], 1, Xf32, Xf32, Result::F32),
    mfma("v_mfma_f32_16x16x8bf16", [16, 16, 8], 1, Bf16, Bf16, Result::F32),
    mfma("v_mfma_f32_32x32x16_bf16", [32, 32, 16], 1, Bf16, Bf16, Result::F32),
    mfma("v_mfma_f32_32x32x16_bf8_bf8", [32, 32, 16], 1, Bf8, Bf8, Result::F32),
    mfma("v_mfma_f32_32x32x16_bf8_fp8", [32, 32, 16], 1, Bf8, Fp8, Result::F32),
    mfma("v_mfma_f32_32x32x16_f16", [32, 32, 16], 1, F16, F16, Result::F32),
    mfma("v_mfma_f32_32x32x16_fp8_bf8", [32, 32, 16], 1, Fp8, Bf8, Result::F32),
    mfma("v_mfma_f32_32x32x16_fp8_fp8", [32, 32, 16], 1, Fp8, Fp8, Result::F32),
    mfma("v_mfma_f32_32x32x1_2b_f32", [32, 32, 1], 2, F32, F32, Result::F32),
    mfma("v_mfma_f32_32x32x1f32", [32, 32, 1], 2, F32, F32, Result::F32),
    mfma("v_mfma_f32_32x32x2_f32", [32, 32, 2], 1, F32, F32, Result::F32),
    mfma("v_mfma_f32_32x32x2bf16", [32, 32, 2], 2, Bf16, Bf16, Result::F32),
    mfma("v_mfma_f32_32x32x2f32", [32, 32, 2], 1, F32, F32, Result::F32),
    mfma("v_mfma_f32_32x32x4_2b_bf16", [32, 32, 4], 2, Bf16, Bf16, Result::F32),
    mfma("v_mfma_f32_32x32x4_2b_f16", [32, 32, 4], 2, F16, F16, Result::F32),
    mfma("v_mfma_f32_32x32x4_xf32", [32, 32, 4], 1, Xf32, Xf32, Result::F32),
    mfma("v_mfma_f32_32x32x4bf16", [32, 32, 4], 1, Bf16, Bf16, Result::F32),
    mfma("v_mfma_f32_32x32x4bf16_1k", [32, 32, 4], 2, Bf16, Bf16, Result::F32),
    mfma("v_mfma_f32_32x32x4f16", [32, 32, 4], 2, F16, F16, Result::F32),
    mfma("v_mfma_f32_32x32x64_f8f6f4", [32, 32, 64], 1, Any, Any, Result::F32),
    mfma("v_mfma_f32_32x32x8_bf16", [32, 32, 8], 1, Bf16, Bf16, Result::F32),
    mfma("v_mfma_f32_32x32x8_f16", [32, 32, 8], 1, F16, F16, Result::F32),
    mfma("v_mfma_f32_32x32x8bf16_1k", [32, 32, 8], 1, Bf16, Bf16, Result::F32),
    mfma("v_mfma_f32_32x32x8f16", [32, 32, 8], 1, F16, F16, Result::F32),
    mfma("v_mfma_f32_4x4x1_16b_f32", [4, 4, 1], 16, F32, F32, Result::F32),
    mfma("v_mfma_f32_4x4x1f32", [4, 4, 1], 16, F32, F32, Result::F32),
    mfma("v_mfma_f32_4x4x2bf16", [4, 4, 2], 16, Bf16, Bf16, Result::F32),
    mfma("v_mfma_f32_4x4x4_16b_bf16", [4, 4, 4], 16, Bf16, Bf16, Result::F32),
    mfma("v_mfma_f32_4x4x4_16b_f16", [4, 4, 4], 16, F16, F16, Result::F32),
    mfma("v_mfma_f32_4x4x4bf16_1k", [4, 4, 4], 16, Bf16, Bf16, Result::F32),
    mfma("v_mfma_f32_4x4x4f16", [4, 4, 4], 16, F16, F16, Result::F32),
    mfma("v_mfma_f64_16x16x4_f64", [16, 16, 4], 1, F64, F64, Result::F64),
    mfma("v_mfma_f64_16x16x4f64", [16, 16, 4], 1, F64, F64, Result::F64),
    mfma("v_mfma_f64_4x4x4_4b_f64", [4, 4, 4], 4, F64, F64, Result::F64),
    mfma("v_mfma_f64_4x4x4f64", [4, 4, 4], 4, F64, F64, Result::F64),
    mfma("v_mfma_i32_16x16x16i8", [16, 16, 16], 1, I8, I8, Result::I32),
    mfma("v_mfma_i32_16x16x32_i8", [16, 16, 32], 1, I8, I8, Result::I32),
    mfma("v_mfma_i32_16x16x4_4b_i8", [16, 16, 4], 4, I8, I8, Result::I32),
    mfma("v_mfma_i32_16x16x4i8", [16, 16, 4], 4, I8, I8, Result::I32),
    mfma("v_mfma_i32_16x16x64_i8", [16, 16, 64], 1, I8, I8, Result::I32),
    mfma("v_mfma_i32_32x32x16_i8", [32, 32, 16], 1, I8, I8, Result::I32),
    mfma("v_mfma_i32_32x32x32_i8", [32, 32, 32], 1, I8, I8, Result::I32),
    mfma("v_mfma_i32_32x32x4_2b_i8", [32, 32, 4], 2, I8, I8, Result::I32),
    mfma("v_mfma_i32_32x32x4i8", [32, 32, 4], 2, I8, I8, Result::I32),
    mfma("v_mfma_i32_32x32x8i8", [32, 32, 8], 1, I8, I8, Result::I32),
    mfma("v_mfma_i32_4x4x4_16b_i8", [4, 4, 4], 16, I8, I8, Result::I32),
    mfma("v_mfma_i32_4x4x4i8", [4, 4, 4], 16, I8, I8, Result::I32),
    mfma("v_mfma_scale_f32_16x16x128_f8f6f4", [16, 16, 128], 1, Any, Any, Result::F32).scaled(32),
    mfma("v_mfma_scale_f32_32x32x64_f8f6f4", [32, 32, 64], 1, Any, Any, Result::F32).scaled(32),
    smfmac("v_smfmac_f32_16x16x128_bf8_bf8", [16, 16, 128], Bf8, Bf8, Result::F32),
    smfmac("v_smfmac_f32_16x16x128_bf8_fp8", [16, 16, 128], Bf8, Fp8, Result::F32),
    smfmac("v_smfmac_f32_16x16x128_fp8_bf8", [16, 16, 128], Fp8, Bf8, Result::F32),
    smfmac("v_smfmac_f32_16x16x128_fp8_fp8", [16, 16, 128], Fp8, Fp8, Result::F32),
    smfmac("v_smfmac_f32_16x16x32_bf16", [16, 16, 32], Bf16, Bf16, Result::F32),
    smfmac("v_smfmac_f32_16x16x32_f16", [16, 16, 32], F16, F16, Result::F32),
    smfmac("v_smfmac_f32_16x16x64_bf16", [16, 16, 64], Bf16, Bf16, Result::F32),
    smfmac("v_smfmac_f32_16x16x64_bf8_bf8", [16, 16, 64], Bf8, Bf8, Result::F32),
    smfmac("v_smfmac_f32_16x16x64_bf8_fp8", [16, 16, 64], Bf8, Fp8, Result::F32),
    smfmac("v_smfmac_f32_16x16x64_f16", [16, 16, 64], F16, F16, Result::F32),
    smfmac("v_smfmac_f32_16x16x64_fp8_bf8", [16, 16, 64], Fp8, Bf8, Result::F32),
    smfmac("v_smfmac_f32_16x16x64_fp8_fp8", [16, 16, 64], Fp8, Fp8, Result::F32),
    smfmac("v_smfmac_f32_32x32x16_bf16", [32, 32, 16], Bf16, Bf16, Result::F32),
    smfmac("v_smfmac_f32_32x32x16_f16", [32, 32, 16], F16, F16, Result::F32),
    smfmac("v_smfmac_f32_32x32x32_bf16", [32, 32, 32], Bf16, Bf16, Result::F32),
    smfmac("v_smfmac_f32_32x32x32_bf8_bf8", [32, 32, 32], Bf8, Bf8, Result::F32),
    smfmac("v_smfmac_f32_32x32x32_bf8_fp8", [32, 32, 32], Bf8, Fp8, Result::F32),
    smfmac("v_smfmac_f32_32x32x32_f16", [32, 32, 32], F16, F16, Result::F32),
    smfmac("v_smfmac_f32_32x32x32_fp8_bf8", [32, 32, 32], Fp8, Bf8, Result::F32),
    smfmac("v_smfmac_f32_32x32x32_fp8_fp8", [32, 32, 32], Fp8, Fp8, Result::F32),
    smfmac("v_smfmac_f32_32x32x64_bf8_bf8", [32, 32, 64], Bf8, Bf8, Result::F32),
    smfmac("v_smfmac_f32_32x32x64_bf8_fp8", [32, 32, 64], Bf8, Fp8, Result::F32),
    smfmac("v_smfmac_f32_32x32x64_fp8_bf8", [32, 32, 64], Fp8, Bf8, Result::F32),
    smfmac("v_smfmac_f32_32x32x64_fp8_fp8", [32, 32, 64], Fp8, Fp8, Result::F32),
    smfmac("v_smfmac_i32_16x16x128_i8", [16, 16, 128], I8, I8, Result::I32),
    smfmac("v_smfmac_i32_16x16x64_i8", [16, 16, 64], I8, I8, Result::I32),
    smfmac("v_smfmac_i32_32x32x32_i8", [32, 32, 32], I8, I8, Result::I32),
    smfmac("v_smfmac_i32_32x32x64_i8", [32, 32, 64], I8, I8, Result::I32),
    wmma("v_wmma_bf16_16x16x16_bf16", [16, 16, 16], Bf16, Bf16, Result::Bf16),
    wmma("v_wmma_bf16_16x16x32_bf16", [16, 16, 32], Bf16, Bf16, Result::Bf16),
    wmma("v_wmma_bf16f32_16x16x32_bf16", [16, 16, 32], Bf16, Bf16, Result::Bf16F32),
    wmma("v_wmma_f16_16x16x128_bf8_bf8", [16, 16, 128], Bf8, Bf8, Result::F16),
    wmma("v_wmma_f16_16x16x128_bf8_fp8", [16, 16, 128], Bf8, Fp8, Result::F16),
    wmma("v_wmma_f16_16x16x128_fp8_bf8", [16, 16, 128], Fp8, Bf8, Result::F16),
    wmma("v_wmma_f16_16x16x128_fp8_fp8", [16, 16, 128], Fp8, Fp8, Result::F16),
    wmma("v_wmma_f16_16x16x16_f16", [16, 16, 16], F16, F16, Result::F16),
    wmma("v_wmma_f16_16x16x32_f16", [16, 16, 32], F16, F16, Result::F16),
    wmma("v_wmma_f16_16x16x64_bf8_bf8", [16, 16, 64], Bf8, Bf8, Result::F16),
    wmma("v_wmma_f16_16x16x64_bf8_fp8", [16, 16, 64], Bf8, Fp8, Result::F16),
    wmma("v_wmma_f16_16x16x64_fp8_bf8", [16, 16, 64], Fp8, Bf8, Result::F16),
    wmma("v_wmma_f16_16x16x64_fp8_fp8", [16, 16, 64], Fp8, Fp8, Result::F16),
    wmma("v_wmma_f32_16x16x128_bf8_bf8", [16, 16, 128], Bf8, Bf8, Result::F32),
    wmma("v_wmma_f32_16x16x128_bf8_fp8", [16, 16, 128], Bf8, Fp8, Result::F32),
    wmma("v_wmma_f32_16x16x128_f8f6f4", [16, 16, 128], Any, Any, Result::F32),
    wmma("v_wmma_f32_16x16x128_fp8_bf8", [16, 16, 128], Fp8, Bf8, Result::F32),
    wmma("v_wmma_f32_16x16x128_fp8_fp8", [16, 16, 128], Fp8, Fp8, Result::F32),
    wmma("v_wmma_f32_16x16x16_bf16", [16, 16, 16], Bf16, Bf16, Result::F32),
    wmma("v_wmma_f32_16x16x16_bf8_bf8", [16, 16, 16], Bf8, Bf8, Result::F32),
    wmma("v_wmma_f32_16x16x16_bf8_fp8", [16, 16, 16], Bf8, Fp8, Result::F32),
    wmma("v_wmma_f32_16x16x16_f16", [16, 16, 16], F16, F16, Result::F32),
    wmma("v_wmma_f32_16x16x16_fp8_bf8", [16, 16, 16], Fp8, Bf8, Result::F32),
    wmma("v_wmma_f32_16x16x16_fp8_fp8", [16, 16, 16], Fp8, Fp8, Result::F32),
    wmma("v_wmma_f32_16x16x32_bf16", [16, 16, 32], Bf16, Bf16, Result::F32),
    wmma("v_wmma_f32_16x16x32_f16", [16, 16, 32], F16, F16, Result::F32),
    wmma("v_wmma_f32_16x16x4_f32", [16, 16, 4], F32, F32, Result::F32),
    wmma("v_wmma_f32_16x16x64_bf8_bf8", [16, 16, 64], Bf8, Bf8, Result::F32),
    wmma("v_wmma_f32_16x16x64_bf8_fp8", [16, 16, 64], Bf8, Fp8, Result::F32),
    wmma("v_wmma_f32_16x16x64_fp8_bf8", [16, 16, 64], Fp8, Bf8, Result::F32),
    wmma("v_wmma_f32_16x16x64_fp8_fp8", [16, 16, 64], Fp8, Fp8, Result::F32),
    wmma("v_wmma_f32_32x16x128_f4", [32, 16, 128], Fp4, Fp4, Result::F32),
    wmma("v_wmma_i32_16x16x16_iu4", [16, 16, 16], Iu4, Iu4, Result::I32),
    wmma("v_wmma_i32_16x16x16_iu8", [16, 16, 16], Iu8, Iu8, Result::I32),
    wmma("v_wmma_i32_16x16x32_iu4", [16, 16, 32], Iu4, Iu4, Result::I32),
    wmma("v_wmma_i32_16x16x64_iu8", [16, 16, 64], Iu8, Iu8, Result::I32),
    wmma("v_wmma_scale16_f32_16x16x128_f8f6f4", [16, 16, 128], Any, Any, Result::F32).scaled(16),
    wmma("v_wmma_scale16_f32_32x16x128_f4", [32, 16, 128], Fp4, Fp4, Result::F32).scaled(16),
    wmma("v_wmma_scale_f32_16x16x128_f8f6f4", [16, 16, 128], Any, Any, Result::F32).scaled(32),
    wmma("v_wmma_scale_f32_32x16x128_f4", [32, 16, 128], Fp4, Fp4, Result::F32).scaled(32),
    swmmac("v_swmmac_bf16_16x16x32_bf16", [16, 16, 32], Bf16, Bf16, Result::Bf16),
    swmmac("v_swmmac_bf16_16x16x64_bf16", [16, 16, 64], Bf16, Bf16, Result::Bf16),
    swmmac("v_swmmac_bf16f32_16x16x64_bf16", [16, 16, 64], Bf16, Bf16, Result::Bf16F32),
    swmmac("v_swmmac_f16_16x16x128_bf8_bf8", [16, 16, 128], Bf8, Bf8, Result::F16),
    swmmac("v_swmmac_f16_16x16x128_bf8_fp8", [16, 16, 128], Bf8, Fp8, Result::F16),
    swmmac("v_swmmac_f16_16x16x128_fp8_bf8", [16, 16, 128], Fp8, Bf8, Result::F16),
    swmmac("v_swmmac_f16_16x16x128_fp8_fp8", [16, 16, 128], Fp8, Fp8, Result::F16),
    swmmac("v_swmmac_f16_16x16x32_f16", [16, 16, 32], F16, F16, Result::F16),
    swmmac("v_swmmac_f16_16x16x64_f16", [16, 16, 64], F16, F16, Result::F16),
    swmmac("v_swmmac_f32_16x16x128_bf8_bf8", [16, 16, 128], Bf8, Bf8, Result::F32),
    swmmac("v_swmmac_f32_16x16x128_bf8_fp8", [16, 16, 128], Bf8, Fp8, Result::F32),
    swmmac("v_swmmac_f32_16x16x128_fp8_bf8", [16, 16, 128], Fp8, Bf8, Result::F32),
    swmmac("v_swmmac_f32_16x16x128_fp8_fp8", [16, 16, 128], Fp8, Fp8, Result::F32),
    swmmac("v_swmmac_f32_16x16x32_bf16", [16, 16, 32], Bf16, Bf16, Result::F32),
    swmmac("v_swmmac_f32_16x16x32_bf8_bf8", [16, 16, 32], Bf8, Bf8, Result::F32),
    swmmac("v_swmmac_f32_16x16x32_bf8_fp8", [16, 16, 32], Bf8, Fp8, Result::F32),
    swmmac("v_swmmac_f32_16x16x32_f16", [16, 16, 32], F16, F16, Result::F32),
    swmmac("v_swmmac_f32_16x16x32_fp8_bf8", [16, 16, 32], Fp8, Bf8, Result::F32),
    swmmac("v_swmmac_f32_16x16x32_fp8_fp8", [16, 16, 32], Fp8, Fp8, Result::F32),
    swmmac("v_swmmac_f32_16x16x64_bf16", [16, 16, 64], Bf16, Bf16, Result::F32),
    swmmac("v_swmmac_f32_16x16x64_f16", [16, 16, 64], F16, F16, Result::F32),
    swmmac("v_swmmac_i32_16x16x128_iu8", [16, 16, 128], Iu8, Iu8, Result::I32),
    swmmac("v_swmmac_i32_16x16x32_iu4", [16, 16, 32], Iu4, Iu4, Result::I32),
    swmmac("v_swmmac_i32_16x16x32_iu8", [16, 16, 32], Iu8, Iu8, Result::I32),
    swmmac("v_swmmac_i32_16x16x64_iu4", [16, 16, 64], Iu4, Iu4, Result::I32),
];
