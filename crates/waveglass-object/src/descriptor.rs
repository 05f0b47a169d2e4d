//! Kernel descriptors (AMDGPUUsage, "Kernel Descriptor"): 64 bytes that say how a wave starts.

use crate::{Error, Result, TargetId};

/// Rounding mode of MODE (AMDGPUUsage, "Floating Point Rounding Mode Enumeration Values").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoundMode {
    /// To nearest, ties to even.
    NearEven,
    /// Toward +infinity.
    PlusInfinity,
    /// Toward -infinity.
    MinusInfinity,
    /// Toward zero.
    Zero,
}

/// Denormal mode of MODE (AMDGPUUsage, "Floating Point Denorm Mode Enumeration Values").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DenormMode {
    /// Flush sources and results.
    FlushSrcDst,
    /// Flush results.
    FlushDst,
    /// Flush sources.
    FlushSrc,
    /// Flush nothing.
    FlushNone,
}

/// Which work-item ids a wave finds in its VGPRs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkItemIdVgprs {
    /// X.
    X,
    /// X and Y.
    Xy,
    /// X, Y and Z.
    Xyz,
}

/// A kernel descriptor: the raw fields, and accessors for the bit fields of its generation.
///
/// An accessor of a field that the target does not have gives `None` or `false`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelDescriptor {
    target: TargetId,
    /// Fixed LDS of a workgroup in bytes.
    pub group_segment_fixed_size: u32,
    /// Fixed scratch of a work-item in bytes.
    pub private_segment_fixed_size: u32,
    /// Kernarg segment in bytes; 0 may mean unspecified.
    pub kernarg_size: u32,
    /// From the descriptor's address to the first instruction, in bytes.
    pub kernel_code_entry_byte_offset: i64,
    /// `COMPUTE_PGM_RSRC3` as stored.
    pub compute_pgm_rsrc3: u32,
    /// `COMPUTE_PGM_RSRC1` as stored.
    pub compute_pgm_rsrc1: u32,
    /// `COMPUTE_PGM_RSRC2` as stored.
    pub compute_pgm_rsrc2: u32,
    /// Kernel code properties as stored.
    pub kernel_code_properties: u16,
    /// Kernarg preload specification as stored.
    pub kernarg_preload: u16,
}

macro_rules! flags {
    ($($(#[$doc:meta])* $name:ident: $word:ident[$bit:literal] $(if $cond:expr)?;)*) => {
        $( $(#[$doc])* pub fn $name(&self) -> bool {
            self.$word >> $bit & 1 == 1 $(&& { let supported: fn(&Self) -> bool = $cond; supported(self) })?
        } )*
    };
}

impl KernelDescriptor {
    /// Size of a descriptor in bytes.
    pub const SIZE: u64 = 64;

    /// Reads the descriptor `bytes` that lies at `file_offset`.
    ///
    /// # Errors
    ///
    /// Bits set that the target reserves, and modes that the target does not have.
    pub fn parse(bytes: &[u8; 64], file_offset: u64, target: &TargetId) -> Result<Self> {
        let u32_at =
            |i: usize| u32::from_le_bytes([bytes[i], bytes[i + 1], bytes[i + 2], bytes[i + 3]]);
        let u16_at = |i: usize| u16::from_le_bytes([bytes[i], bytes[i + 1]]);
        let reserved = |at: usize, what: &str| {
            Error::malformed(
                file_offset + at as u64,
                format!("kernel descriptor for {}: {what}", target.gfx),
            )
        };
        for range in [12..16, 24..44, 60..64] {
            if let Some(i) = range.clone().find(|&i| bytes[i] != 0) {
                return Err(reserved(i, "a reserved byte is not zero"));
            }
        }
        let mut entry = [0; 8];
        entry.copy_from_slice(&bytes[16..24]);
        let d = KernelDescriptor {
            target: target.clone(),
            group_segment_fixed_size: u32_at(0),
            private_segment_fixed_size: u32_at(4),
            kernarg_size: u32_at(8),
            kernel_code_entry_byte_offset: i64::from_le_bytes(entry),
            compute_pgm_rsrc3: u32_at(44),
            compute_pgm_rsrc1: u32_at(48),
            compute_pgm_rsrc2: u32_at(52),
            kernel_code_properties: u16_at(56),
            kernarg_preload: u16_at(58),
        };
        let (rsrc1, rsrc2, rsrc3, properties) = d.reserved_masks();
        for (at, value, mask, name) in [
            (44, d.compute_pgm_rsrc3, rsrc3, "COMPUTE_PGM_RSRC3"),
            (48, d.compute_pgm_rsrc1, rsrc1, "COMPUTE_PGM_RSRC1"),
            (52, d.compute_pgm_rsrc2, rsrc2, "COMPUTE_PGM_RSRC2"),
            (
                56,
                d.kernel_code_properties.into(),
                properties,
                "KERNEL_CODE_PROPERTIES",
            ),
        ] {
            if value & mask != 0 {
                return Err(reserved(
                    at,
                    &format!("{name} is {value:#010x} but its bits {mask:#010x} are reserved"),
                ));
            }
        }
        if !d.has_kernarg_preload() && d.kernarg_preload != 0 {
            return Err(reserved(
                58,
                "kernarg preload is set but the target has none",
            ));
        }
        if d.compute_pgm_rsrc2 >> 11 & 3 == 3 {
            return Err(reserved(52, "work-item id mode 3 is undefined"));
        }
        if d.target.is_gfx125x() && d.wavefront_size() != 32 {
            return Err(reserved(
                56,
                "wave64 is asked for, but the target has wave32 only",
            ));
        }
        Ok(d)
    }

    /// Bits that must be zero: rsrc1, rsrc2, rsrc3, properties. The bits that the command
    /// processor fills in (PRIORITY, PRIV, DEBUG_MODE and so on) are not counted: it overwrites
    /// them.
    fn reserved_masks(&self) -> (u32, u32, u32, u32) {
        let major = self.major();
        let mut rsrc1 = 1 << 28;
        if !self.target.is_gfx125x() {
            rsrc1 |= 1 << 27;
        }
        if major <= 8 {
            rsrc1 |= 1 << 26;
        }
        if major <= 9 {
            rsrc1 |= 0xe000_0000;
        } else {
            rsrc1 |= 0xf << 6;
        }
        let rsrc2 = if major <= 11 { 1 << 31 } else { 0 };
        let rsrc3 = match major {
            9 if self.target.has_unified_vgprs() => 0xfffe_ffc0,
            0..=9 => u32::MAX,
            10 => 0xffff_fff0,
            11 => 0x7fff_f000,
            _ if self.target.is_gfx125x() => 0x7fc0_100f,
            _ => 0x7fff_d00f,
        };
        let mut properties = 0xf380;
        if major <= 9 {
            properties |= 1 << 10;
        }
        if self.target.has_architected_flat_scratch() {
            properties |= 1 | 1 << 5;
        }
        (rsrc1, rsrc2, rsrc3, properties)
    }

    fn major(&self) -> u32 {
        self.target.version().0
    }

    fn has_kernarg_preload(&self) -> bool {
        self.target.has_unified_vgprs() || self.target.is_gfx125x()
    }

    /// The target whose rules the accessors follow.
    pub fn target(&self) -> &TargetId {
        &self.target
    }

    /// Work-items in a wave: 32 or 64.
    pub fn wavefront_size(&self) -> u32 {
        if self.kernel_code_properties >> 10 & 1 == 1 {
            32
        } else {
            64
        }
    }

    /// VGPRs that one step of the granulated count stands for.
    pub fn vgpr_encoding_granule(&self) -> u32 {
        let wave32 = self.wavefront_size() == 32;
        match self.major() {
            _ if self.target.has_unified_vgprs() => 8,
            0..=9 => 4,
            _ if self.target.is_gfx125x() => 16,
            _ if wave32 => 8,
            _ => 4,
        }
    }

    /// VGPRs that the hardware allocates at a time. From gfx10.3 on these are larger blocks than
    /// the encoding counts in (LLVM's allocation granule, seen in its occupancy figures).
    pub fn vgpr_allocation_granule(&self) -> u32 {
        let wave32 = self.wavefront_size() == 32;
        let (major, minor, _) = self.target.version();
        let in_wave32 = match major {
            _ if self.target.has_unified_vgprs() => return 8,
            0..=9 => return 4,
            _ if self.target.has_1536_vgprs() => 24,
            10 if minor < 3 => 8,
            _ => 16,
        };
        if wave32 { in_wave32 } else { in_wave32 / 2 }
    }

    /// VGPRs a lane that the descriptor asks for: the count the compiler used, rounded up to the
    /// encoding granule. On gfx90a and its kin AGPRs are counted in.
    pub fn vgpr_count(&self) -> u32 {
        ((self.compute_pgm_rsrc1 & 0x3f) + 1) * self.vgpr_encoding_granule()
    }

    /// SGPRs of a wave: blocks of 8 up to gfx8, of 16 on gfx9, always 128 from gfx10 on.
    pub fn sgpr_count(&self) -> u32 {
        let granulated = self.compute_pgm_rsrc1 >> 6 & 0xf;
        match self.major() {
            0..=8 => (granulated + 1) * 8,
            9 => (granulated / 2 + 1) * 16,
            _ => 128,
        }
    }

    /// First AGPR in the unified register file (gfx90a and its kin): 4 to 256.
    pub fn accum_offset(&self) -> Option<u32> {
        self.target
            .has_unified_vgprs()
            .then(|| ((self.compute_pgm_rsrc3 & 0x3f) + 1) * 4)
    }

    /// Shared VGPRs of wave64 subvector mode (gfx10, gfx11).
    pub fn shared_vgpr_count(&self) -> Option<u32> {
        matches!(self.major(), 10 | 11).then_some((self.compute_pgm_rsrc3 & 0xf) * 8)
    }

    /// Bytes of code to prefetch before a wave starts (gfx11 and later).
    pub fn inst_pref_size(&self) -> Option<u32> {
        match self.major() {
            0..=10 => None,
            11 => Some((self.compute_pgm_rsrc3 >> 4 & 0x3f) * 128),
            _ => Some((self.compute_pgm_rsrc3 >> 4 & 0xff) * 128),
        }
    }

    /// Named barriers allocated for a workgroup (gfx125x): 0, 4, 8, 12 or 16.
    pub fn named_barrier_count(&self) -> Option<u32> {
        self.target
            .is_gfx125x()
            .then_some((self.compute_pgm_rsrc3 >> 14 & 7) * 4)
    }

    /// Preferred split between LDS and vector cache (gfx125x), as coded: 0 no preference, then
    /// (n - 1) * 64 KiB of LDS.
    pub fn tcp_split(&self) -> Option<u32> {
        self.target
            .is_gfx125x()
            .then_some(self.compute_pgm_rsrc3 >> 18 & 7)
    }

    /// Whether waves allocate VGPRs dynamically (gfx120x: RSRC2 bit 6; gfx125x: RSRC3 bit 17).
    pub fn dynamic_vgpr(&self) -> bool {
        if self.target.is_gfx125x() {
            self.compute_pgm_rsrc3 >> 17 & 1 == 1
        } else {
            self.major() >= 12 && self.compute_pgm_rsrc2 >> 6 & 1 == 1
        }
    }

    /// Number of user SGPRs.
    pub fn user_sgpr_count(&self) -> u32 {
        let mask = if self.target.is_gfx125x() { 0x3f } else { 0x1f };
        self.compute_pgm_rsrc2 >> 1 & mask
    }

    /// Work-item ids set up in VGPRs.
    pub fn workitem_id(&self) -> WorkItemIdVgprs {
        match self.compute_pgm_rsrc2 >> 11 & 3 {
            0 => WorkItemIdVgprs::X,
            1 => WorkItemIdVgprs::Xy,
            _ => WorkItemIdVgprs::Xyz,
        }
    }

    /// GRANULATED_LDS_SIZE as stored; the command processor uses the dispatch packet instead.
    pub fn granulated_lds_size(&self) -> u32 {
        self.compute_pgm_rsrc2 >> 15 & 0x1ff
    }

    /// Dwords of the kernarg segment to preload into user SGPRs.
    pub fn kernarg_preload_length(&self) -> u32 {
        u32::from(self.kernarg_preload & 0x7f)
    }

    /// Where preloading starts in the kernarg segment, in dwords.
    pub fn kernarg_preload_offset(&self) -> u32 {
        u32::from(self.kernarg_preload >> 7)
    }

    /// The eight bits of FP_ROUND and FP_DENORM as MODE\[7:0\] has them.
    pub fn float_mode(&self) -> u32 {
        self.compute_pgm_rsrc1 >> 12 & 0xff
    }

    /// Wave start priority as stored; the command processor fills it in.
    pub fn priority(&self) -> u32 {
        self.compute_pgm_rsrc1 >> 10 & 3
    }

    /// Rounding of 32-bit operations.
    pub fn round_mode_32(&self) -> RoundMode {
        round_mode(self.compute_pgm_rsrc1 >> 12)
    }

    /// Rounding of 16 and 64-bit operations.
    pub fn round_mode_16_64(&self) -> RoundMode {
        round_mode(self.compute_pgm_rsrc1 >> 14)
    }

    /// Denormals in 32-bit operations.
    pub fn denorm_mode_32(&self) -> DenormMode {
        denorm_mode(self.compute_pgm_rsrc1 >> 16)
    }

    /// Denormals in 16 and 64-bit operations.
    pub fn denorm_mode_16_64(&self) -> DenormMode {
        denorm_mode(self.compute_pgm_rsrc1 >> 18)
    }

    /// The seven exception enables: invalid, denormal source, division by zero, overflow,
    /// underflow, inexact, integer division by zero, from bit 0 up.
    pub fn exceptions(&self) -> u32 {
        self.compute_pgm_rsrc2 >> 24 & 0x7f
    }

    flags! {
        /// PRIV; the command processor fills it in.
        privileged: compute_pgm_rsrc1[20];
        /// Clamp turns NaN to zero (up to gfx11).
        dx10_clamp: compute_pgm_rsrc1[21] if |d| d.major() <= 11;
        /// Round-robin wave scheduling (gfx12).
        wg_rr_en: compute_pgm_rsrc1[21] if |d| d.major() >= 12;
        /// DEBUG_MODE; the command processor fills it in.
        debug_mode: compute_pgm_rsrc1[22];
        /// IEEE mode (up to gfx11).
        ieee_mode: compute_pgm_rsrc1[23] if |d| d.major() <= 11;
        /// DISABLE_PERF (gfx12).
        disable_perf: compute_pgm_rsrc1[23] if |d| d.major() >= 12;
        /// BULKY; the command processor fills it in.
        bulky: compute_pgm_rsrc1[24];
        /// CDBG_USER; the command processor fills it in.
        cdbg_user: compute_pgm_rsrc1[25];
        /// f16 overflow clamps to the largest number (gfx9 and later).
        fp16_overflow: compute_pgm_rsrc1[26] if |d| d.major() >= 9;
        /// Scratch reached through flat operations counts as non-volatile (gfx125x).
        flat_scratch_is_nv: compute_pgm_rsrc1[27] if |d| d.target.is_gfx125x();
        /// WGP rather than CU mode (gfx10 and later).
        wgp_mode: compute_pgm_rsrc1[29] if |d| d.major() >= 10;
        /// Loads and samples return in order (gfx10 and later).
        mem_ordered: compute_pgm_rsrc1[30] if |d| d.major() >= 10;
        /// Forward progress for all waves of a SIMD (gfx10 and later).
        forward_progress: compute_pgm_rsrc1[31] if |d| d.major() >= 10;
        /// Scratch is set up (the wave offset SGPR, or FLAT_SCRATCH where it is architected).
        enable_private_segment: compute_pgm_rsrc2[0];
        /// TRAP_PRESENT (up to gfx11); the command processor fills it in.
        enable_trap_handler: compute_pgm_rsrc2[6] if |d| d.major() <= 11;
        /// Workgroup id X in an SGPR (a TTMP register on gfx12).
        enable_workgroup_id_x: compute_pgm_rsrc2[7];
        /// Workgroup id Y.
        enable_workgroup_id_y: compute_pgm_rsrc2[8];
        /// Workgroup id Z.
        enable_workgroup_id_z: compute_pgm_rsrc2[9];
        /// Workgroup information SGPR.
        enable_workgroup_info: compute_pgm_rsrc2[10];
        /// Address watch exceptions; the command processor fills it in.
        exception_address_watch: compute_pgm_rsrc2[13];
        /// Memory violation exceptions; the command processor fills it in.
        exception_memory: compute_pgm_rsrc2[14];
        /// Waves of a workgroup may be on different CUs (gfx90a and its kin).
        tg_split: compute_pgm_rsrc3[16] if |d| d.target.has_unified_vgprs();
        /// TRAP_ON_START (gfx11).
        trap_on_start: compute_pgm_rsrc3[10] if |d| d.major() == 11;
        /// TRAP_ON_END (gfx11).
        trap_on_end: compute_pgm_rsrc3[11] if |d| d.major() == 11;
        /// Group launch guarantee (gfx12).
        group_launch_guarantee: compute_pgm_rsrc3[13] if |d| d.major() >= 12;
        /// Throttling of all ACE pipes (gfx125x).
        didt_throttle: compute_pgm_rsrc3[21] if |d| d.target.is_gfx125x();
        /// The kernel has image instructions (gfx11 and later, graphics pipelines).
        image_op: compute_pgm_rsrc3[31] if |d| d.major() >= 11;
        /// User SGPRs: private segment buffer (4).
        enable_sgpr_private_segment_buffer: kernel_code_properties[0];
        /// User SGPRs: dispatch packet pointer (2).
        enable_sgpr_dispatch_ptr: kernel_code_properties[1];
        /// User SGPRs: queue pointer (2).
        enable_sgpr_queue_ptr: kernel_code_properties[2];
        /// User SGPRs: kernarg segment pointer (2).
        enable_sgpr_kernarg_segment_ptr: kernel_code_properties[3];
        /// User SGPRs: dispatch id (2).
        enable_sgpr_dispatch_id: kernel_code_properties[4];
        /// User SGPRs: flat scratch init (2).
        enable_sgpr_flat_scratch_init: kernel_code_properties[5];
        /// User SGPRs: private segment size (1).
        enable_sgpr_private_segment_size: kernel_code_properties[6];
        /// The stack grows at run time (code object V5 and later).
        uses_dynamic_stack: kernel_code_properties[11];
    }
}

fn round_mode(bits: u32) -> RoundMode {
    match bits & 3 {
        0 => RoundMode::NearEven,
        1 => RoundMode::PlusInfinity,
        2 => RoundMode::MinusInfinity,
        _ => RoundMode::Zero,
    }
}

fn denorm_mode(bits: u32) -> DenormMode {
    match bits & 3 {
        0 => DenormMode::FlushSrcDst,
        1 => DenormMode::FlushDst,
        2 => DenormMode::FlushSrc,
        _ => DenormMode::FlushNone,
    }
}
