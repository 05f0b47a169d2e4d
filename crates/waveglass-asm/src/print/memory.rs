//! Modifiers of memory instructions: cache policy, offsets, image fields.

use super::Printer;
use waveglass_isa::{InstFlags, OperandDef, Target};

/// What follows `SQ_RSRC_IMG_` in an image's dimension, by its number (RDNA1 ISA 8.2.1).
pub(crate) const DIMENSIONS: [&str; 8] = [
    "1D",
    "2D",
    "3D",
    "CUBE",
    "1D_ARRAY",
    "2D_ARRAY",
    "2D_MSAA",
    "2D_MSAA_ARRAY",
];

impl Printer<'_> {
    /// The cache policy bits: GLC (or SC0) is bit 0, SLC (NT) 1, DLC 2, SCC (SC1) 4. From gfx12
    /// on the temporal hint is bits 2:0, the scope 4:3, NV 5 and the scaled offset 11.
    pub(super) fn cache_policy(&mut self, raw: u64) {
        if raw == 0 {
            return;
        }
        let target = self.inst.target();
        if target.major() >= 12 {
            if raw & 1 << 11 != 0 {
                self.out.push_str(" scale_offset");
            }
            self.temporal_hint(raw & 7, raw >> 3 & 3);
            self.out.push_str(
                [
                    "",
                    " scope:SCOPE_SE",
                    " scope:SCOPE_DEV",
                    " scope:SCOPE_SYS",
                ][(raw >> 3 & 3) as usize],
            );
            if raw & 1 << 5 != 0 {
                self.out.push_str(" nv");
            }
            return;
        }
        let gfx940 = matches!(target, Target::Gfx942 | Target::Gfx950);
        if raw & 1 != 0 {
            let scalar = self.inst.def().encoding() == "ENC_SMEM";
            self.out
                .push_str(if gfx940 && !scalar { " sc0" } else { " glc" });
        }
        if raw & 2 != 0 {
            self.out.push_str(if gfx940 { " nt" } else { " slc" });
        }
        if raw & 4 != 0 && target.major() >= 10 {
            self.out.push_str(" dlc");
        }
        if raw & 16 != 0 && target.has_gfx90a_insts() {
            self.out.push_str(if gfx940 { " sc1" } else { " scc" });
        }
    }

    /// RDNA4 ISA 4.1.1, "Cache Controls: SCOPE and Temporal-Hint"; the names differ for loads, stores and atomics.
    fn temporal_hint(&mut self, th: u64, scope: u64) {
        if th == 0 {
            return;
        }
        self.out.push_str(" th:");
        let flags = self.inst.def().flags;
        if flags.intersects(InstFlags::ATOMIC_RET | InstFlags::ATOMIC_NO_RET) {
            self.out.push_str("TH_ATOMIC_");
            match th {
                4.. if scope < 2 => self.hex(th),
                4.. => self.out.push_str(if th & 2 != 0 {
                    "CASCADE_NT"
                } else {
                    "CASCADE_RT"
                }),
                3 => self.out.push_str("NT_RETURN"),
                2 => self.out.push_str("NT"),
                _ => self.out.push_str("RETURN"),
            }
            return;
        }
        // Those that do both move between memory and LDS, and their names say which way.
        let store = flags.contains(InstFlags::STORE)
            && (!flags.contains(InstFlags::LOAD) || self.inst.mnemonic().contains("store"));
        if th == 7 && !store {
            return self.hex(th);
        }
        self.out
            .push_str(if store { "TH_STORE_" } else { "TH_LOAD_" });
        self.out.push_str(match th {
            1 => "NT",
            2 => "HT",
            3 if scope == 3 => "BYPASS",
            3 if store => "WB",
            3 => "LU",
            4 => "NT_RT",
            5 => "RT_NT",
            6 => "NT_HT",
            _ => "NT_WB",
        });
    }

    /// ` offset:` and the pattern of DS_SWIZZLE_B32 (Vega ISA 12.13.1).
    pub(super) fn swizzle(&mut self, raw: u64) {
        if raw == 0 {
            return;
        }
        self.out.push_str(" offset:");
        if raw & 0xff00 == 0x8000 {
            self.out.push_str("swizzle(QUAD_PERM");
            for lane in 0..4 {
                self.out.push(',');
                self.integer((raw >> (2 * lane) & 3) as i64);
            }
            self.out.push(')');
            return;
        }
        let (low, high) = (raw & 31, raw >> 5 & 31);
        match raw & 0xe000 {
            // FFT and rotation exist from gfx9 on.
            0xe000 => {
                self.out.push_str("swizzle(FFT,");
                self.integer(low as i64);
                self.out.push(')');
            }
            0xc000 => {
                self.out.push_str("swizzle(ROTATE,");
                self.integer((raw >> 10 & 1) as i64);
                self.out.push(',');
                self.integer(high as i64);
                self.out.push(')');
            }
            0 | 0x2000 | 0x4000 | 0x6000 => self.swizzle_masks(low, high, raw >> 10 & 31),
            _ => self.integer(raw as i64),
        }
    }

    fn swizzle_masks(&mut self, and: u64, or: u64, xor: u64) {
        let group = 32 - and;
        if and == 31 && or == 0 && xor.is_power_of_two() {
            self.out.push_str("swizzle(SWAP,");
            self.integer(xor as i64);
        } else if and == 31 && or == 0 && xor > 0 && (xor + 1).is_power_of_two() {
            self.out.push_str("swizzle(REVERSE,");
            self.integer(xor as i64 + 1);
        } else if group > 1 && group.is_power_of_two() && or < group && xor == 0 {
            self.out.push_str("swizzle(BROADCAST,");
            self.integer(group as i64);
            self.out.push(',');
            self.integer(or as i64);
        } else {
            self.out.push_str("swizzle(BITMASK_PERM,\"");
            // What a lane bit of 0 and of 1 becomes.
            let (zero, one) = (or ^ xor, (and | or) ^ xor);
            for bit in (0..5).rev() {
                self.out.push(match (zero >> bit & 1, one >> bit & 1) {
                    (0, 0) => '0',
                    (0, _) => 'p',
                    (_, 0) => 'i',
                    _ => '1',
                });
            }
            self.out.push('"');
        }
        self.out.push(')');
    }

    /// ` dim:SQ_RSRC_IMG_…`
    pub(super) fn dimension(&mut self, raw: u64) {
        self.out.push_str(" dim:SQ_RSRC_IMG_");
        self.out.push_str(DIMENSIONS[(raw & 7) as usize]);
    }

    /// Bit 15 of gfx9's image instructions is A16, later and earlier R128.
    pub(super) fn r128(&mut self, o: &OperandDef) {
        if self.inst.raw(o) != 0 {
            self.out.push_str(if self.inst.target().is_gfx9() {
                " a16"
            } else {
                " r128"
            });
        }
    }
}
