//! The state in which a kernel's waves start, by the HSA ABI (AMDGPUUsage, "Initial Kernel
//! Execution State").

use crate::machine::Env;
use crate::program::Registers;
use crate::trap::{Exceptions, TrapHandler, Traps};
use crate::wave::{Mode, ROW_LANES, Wave, sreg};
use waveglass_isa::Target;
use waveglass_mem::{AlignmentMode, Apertures, Generation, Row, Rules};

/// What SH_MEM_CONFIG, SH_MEM_BASES and LDS_CONFIG are set to, which programs cannot change. The default
/// is what Linux's driver sets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryConfig {
    /// `SH_MEM_CONFIG.ALIGNMENT_MODE`.
    pub alignment: AlignmentMode,
    /// 32-bit flat addresses (`SH_MEM_CONFIG.ADDRESS_MODE`, PTR32); every wave has the copy that it
    /// started with (Vega ISA 9.5).
    pub ptr32: bool,
    /// `SH_MEM_BASES.SHARED_BASE`, where LDS lies in the flat address space; 0 disables it.
    pub shared_base: Option<u16>,
    /// `SH_MEM_BASES.PRIVATE_BASE`, the same for scratch.
    pub private_base: Option<u16>,
    /// Whether M0 bounds LDS accesses on gfx9, as the manuals have it and compiled code does not.
    pub m0_bounds_lds: bool,
    /// Whether LDS accesses out of range go unreported (`LDS_CONFIG.ADDR_OUT_OF_RANGE_REPORTING` = 0).
    pub hide_lds_range: bool,
}

impl MemoryConfig {
    /// The memory rules of a target under these settings.
    pub fn rules(&self, target: Target) -> Rules {
        Rules {
            alignment: self.alignment,
            report_lds_range: !self.hide_lds_range,
            m0_bounds_lds: self.m0_bounds_lds,
            ..rules(target)
        }
    }

    /// Where the apertures of a target lie under these settings.
    pub fn apertures(&self, target: Target) -> Apertures {
        let usual = apertures(target);
        Apertures {
            shared_base: self.shared_base.unwrap_or(usual.shared_base),
            private_base: self.private_base.unwrap_or(usual.private_base),
            ptr32: self.ptr32,
        }
    }
}

/// Which registers a kernel asks the hardware to fill (kernel descriptor,
/// `kernel_code_properties` and `compute_pgm_rsrc2`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Setup {
    /// The private segment's V# in four SGPRs.
    pub private_segment_buffer: bool,
    /// The dispatch packet's address.
    pub dispatch_ptr: bool,
    /// The queue's address.
    pub queue_ptr: bool,
    /// The kernarg segment's address.
    pub kernarg_ptr: bool,
    /// The dispatch id.
    pub dispatch_id: bool,
    /// The scratch base for FLAT_SCRATCH.
    pub flat_scratch_init: bool,
    /// Scratch bytes a work-item.
    pub private_segment_size: bool,
    /// Kernarg dwords copied to SGPRs.
    pub preload_length: u32,
    /// The first of them, in dwords.
    pub preload_offset: u32,
    /// User SGPRs in all.
    pub user_sgprs: u32,
    /// Workgroup id X, Y, Z in an SGPR each.
    pub group_id: [bool; 3],
    /// The workgroup info SGPR.
    pub group_info: bool,
    /// Scratch is set up (and, without architected flat scratch, the wave's offset in an SGPR).
    pub private_segment: bool,
    /// How many of the work-item id's dimensions are wanted: 1 to 3.
    pub item_id: u32,
    /// MODE bits 7:0.
    pub float_mode: u32,
    /// DX10_CLAMP.
    pub dx10_clamp: bool,
    /// IEEE.
    pub ieee: bool,
    /// FP16_OVFL.
    pub fp16_overflow: bool,
    /// Named barriers of a workgroup (gfx1250).
    pub named_barriers: u32,
    /// SH_MEM_CONFIG and SH_MEM_BASES.
    pub memory: MemoryConfig,
    /// The trap handler.
    pub trap_handler: Option<TrapHandler>,
    /// Exceptions that trap from the start (EXCP_EN of `compute_pgm_rsrc2`).
    pub exceptions: Exceptions,
    /// Whether the dispatch gives its waves ordered ids for ordered append, which the packets of a graphics
    /// driver can ask for and those of AQL cannot: each wave's number in the order of the launch.
    ///
    /// Its low 12 bits are `ordered_append_term` in the workgroup info SGPR (RDNA 1 ISA 3.12.2, RDNA 4 ISA
    /// 3.5.3; the Vega manual does not have the table, and is taken to have the same), from where a program puts
    /// them into M0 for `ds_ordered_count`. VGT_GS_MAX_WAVE_ID is as wide.
    pub ordered_append: bool,
}

/// How wide ordered ids are in the workgroup info SGPR.
pub const ORDERED_ID_MASK: u32 = 0xfff;

/// The AQL packet that a dispatch stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet {
    /// Work-items in a workgroup.
    pub block: [u32; 3],
    /// Work-items in the grid.
    pub grid: [u32; 3],
    /// Scratch bytes a work-item.
    pub private_segment: u32,
    /// LDS bytes a workgroup.
    pub group_segment: u32,
    /// The kernel descriptor's address.
    pub kernel_object: u64,
    /// The kernarg segment's address.
    pub kernarg: u64,
}

impl Packet {
    /// The packet's 64 bytes (HSA Platform System Architecture, "kernel dispatch packet").
    pub fn bytes(&self) -> [u8; 64] {
        let mut b = [0; 64];
        // Type 2 is a kernel dispatch; both fences have system scope.
        let header: u16 = 2 | 2 << 9 | 2 << 11;
        b[0..2].copy_from_slice(&header.to_le_bytes());
        b[2..4].copy_from_slice(&3u16.to_le_bytes());
        for i in 0..3 {
            b[4 + 2 * i..6 + 2 * i].copy_from_slice(&(self.block[i] as u16).to_le_bytes());
            b[12 + 4 * i..16 + 4 * i].copy_from_slice(&self.grid[i].to_le_bytes());
        }
        b[24..28].copy_from_slice(&self.private_segment.to_le_bytes());
        b[28..32].copy_from_slice(&self.group_segment.to_le_bytes());
        b[32..40].copy_from_slice(&self.kernel_object.to_le_bytes());
        b[40..48].copy_from_slice(&self.kernarg.to_le_bytes());
        b
    }
}

/// Everything that a launch fixes.
#[derive(Clone, Debug)]
pub struct Dispatch {
    /// The target.
    pub target: Target,
    /// 32 or 64.
    pub wave_size: u32,
    /// Where waves begin.
    pub entry: u64,
    /// What the descriptor asks for.
    pub setup: Setup,
    /// The packet.
    pub packet: Packet,
    /// Where the packet's bytes are.
    pub packet_address: u64,
    /// Where the queue is.
    pub queue_address: u64,
    /// VGPRs a wave.
    pub vgprs: u32,
    /// AGPRs a wave.
    pub agprs: u32,
    /// The kernarg segment's first dwords, for preloading.
    pub kernarg: Vec<u32>,
}

/// The generation whose memory rules a target has.
pub fn memory_generation(target: Target) -> Generation {
    use waveglass_isa::Generation as I;
    match target.generation() {
        I::Gcn5 => Generation::Gcn5,
        I::Cdna1 => Generation::Cdna1,
        I::Cdna2 => Generation::Cdna2,
        I::Cdna3 => Generation::Cdna3,
        I::Cdna4 => Generation::Cdna4,
        I::Cdna5 => Generation::Cdna5,
        I::Rdna1 => Generation::Rdna1,
        I::Rdna2 => Generation::Rdna2,
        I::Rdna3 => Generation::Rdna3,
        I::Rdna3_5 => Generation::Rdna3_5,
        I::Rdna4 => Generation::Rdna4,
    }
}

/// The memory rules of a target.
pub fn rules(target: Target) -> Rules {
    Rules::new(memory_generation(target))
}

/// Where the apertures lie. The driver chooses; Linux's KFD puts LDS at 1 << 48 and scratch at
/// 2 << 48. CDNA 5 tells scratch by six bits, so its base needs one of those.
pub fn apertures(target: Target) -> Apertures {
    let private_base = if target.has_gfx1250_insts() {
        0x2000
    } else {
        2
    };
    Apertures {
        shared_base: 1,
        private_base,
        ptr32: false,
    }
}

impl Dispatch {
    /// Workgroups in the whole grid; more than 64 bits hold are more than can ever run.
    pub fn group_count(&self) -> u64 {
        self.groups()
            .iter()
            .fold(1, |n, &g| u64::saturating_mul(n, g as u64))
    }

    /// Workgroups in the grid; the last of each dimension may be partial.
    pub fn groups(&self) -> [u32; 3] {
        std::array::from_fn(|i| self.packet.grid[i].div_ceil(self.packet.block[i].max(1)))
    }

    /// Work-items of workgroup `group` in each dimension.
    pub fn items(&self, group: [u32; 3]) -> [u32; 3] {
        std::array::from_fn(|i| {
            let block = self.packet.block[i];
            self.packet.grid[i]
                .saturating_sub(group[i].saturating_mul(block))
                .min(block)
        })
    }

    /// Waves in a full workgroup.
    pub fn waves_per_group(&self) -> u32 {
        let items: u64 = self.packet.block.iter().map(|&b| b as u64).product();
        items.div_ceil(self.wave_size as u64) as u32
    }

    /// Bytes of memory that a wave's scratch takes.
    pub fn scratch_bytes(&self) -> u64 {
        // 256-byte granules keep every wave's base aligned for every generation.
        (self.packet.private_segment as u64 * self.wave_size as u64).next_multiple_of(1024)
    }

    /// A dispatch of raw code at `entry`, in workgroups of `block` work-items along x: no arguments, no
    /// scratch or LDS, denormals kept, the work-item's number in its usual register.
    pub fn of_code(
        target: Target,
        wave_size: u32,
        entry: u64,
        block: u32,
        groups: u32,
        registers: Registers,
    ) -> Self {
        Self {
            target,
            wave_size,
            entry,
            setup: Setup {
                float_mode: 0xf0,
                item_id: 1,
                ..Setup::default()
            },
            packet: Packet {
                block: [block, 1, 1],
                grid: [block * groups, 1, 1],
                private_segment: 0,
                group_segment: 0,
                kernel_object: 0,
                kernarg: 0,
            },
            packet_address: 0,
            queue_address: 0,
            vgprs: registers.vgprs,
            agprs: registers.agprs,
            kernarg: Vec::new(),
        }
    }

    /// What handlers need to know of the dispatch.
    pub fn env(&self) -> Env {
        Env {
            apertures: self.setup.memory.apertures(self.target),
            waves_per_group: self.waves_per_group(),
            traps: Traps {
                handler: self.setup.trap_handler,
                ..Traps::default()
            },
            deadline: None,
            ordered_append: self.setup.ordered_append,
            ..Env::alone(self.target, self.packet.group_segment)
        }
    }

    /// How many waves start before those of workgroup `group`.
    fn waves_before(&self, group: [u32; 3]) -> u64 {
        let groups = self.groups();
        // Waves of a workgroup; the last one along each dimension may be partial.
        let waves = |last: [bool; 3]| {
            let items: u64 = (0..3)
                .map(|i| {
                    let at = if last[i] {
                        groups[i].saturating_sub(1)
                    } else {
                        0
                    };
                    u64::from(self.items([at; 3])[i])
                })
                .product();
            items.div_ceil(self.wave_size.into())
        };
        let is_last = |i: usize| group[i] + 1 == groups[i];
        let row = |y, z| u64::from(groups[0] - 1) * waves([false, y, z]) + waves([true, y, z]);
        let layer = |z| u64::from(groups[1] - 1) * row(false, z) + row(true, z);
        u64::from(group[2]) * layer(false)
            + u64::from(group[1]) * row(false, is_last(2))
            + u64::from(group[0]) * waves([false, is_last(1), is_last(2)])
    }

    /// The memory rules of the target.
    pub fn rules(&self) -> Rules {
        self.setup.memory.rules(self.target)
    }

    /// What the starts of this dispatch's waves have in common.
    pub fn starts(&self) -> Starts {
        let mut sgpr = [0; 128];
        self.user_registers(&mut sgpr);
        Starts {
            sgpr,
            full: (0..self.waves_per_group())
                .map(|wave| self.item_ids(self.packet.block, wave))
                .collect(),
        }
    }

    /// Puts a wave that [`Wave::new`] made for this dispatch, or one that has ended, into the state in
    /// which wave `index` of workgroup `group` starts; its scratch lies `scratch_offset` bytes past
    /// `scratch_base`.
    pub fn start(
        &self,
        starts: &Starts,
        w: &mut Wave,
        group: [u32; 3],
        index: u32,
        scratch_base: u64,
        scratch_offset: u64,
    ) {
        w.restart();
        w.group = group;
        w.id_in_group = index;
        w.scratch_size = self.packet.private_segment;
        w.ptr32 = self.setup.memory.ptr32;
        w.mode = self.mode();
        w.enable_exceptions(self.setup.exceptions);
        if self.setup.ordered_append {
            w.ordered_id = self.waves_before(group) + u64::from(index);
        }
        w.sgpr = starts.sgpr;
        self.base_registers(w, scratch_base);
        self.system_registers(w, group, scratch_offset);
        self.flat_scratch(w, scratch_base + scratch_offset);
        let items = self.items(group);
        match starts.full.get(index as usize) {
            Some(ids) if items == self.packet.block => self.put_item_ids(w, ids),
            _ => self.put_item_ids(w, &self.item_ids(items, index)),
        }
    }

    /// MODE: float mode in 7:0, DX10_CLAMP 8, IEEE 9 (gone from gfx12 on), FP16_OVFL 23.
    fn mode(&self) -> Mode {
        let s = &self.setup;
        Mode(
            s.float_mode & 0xff
                | (s.dx10_clamp as u32) << 8
                | (s.ieee as u32) << 9
                | (s.fp16_overflow as u32) << 23,
        )
    }

    /// The user SGPRs, but for those that hold the scratch's base.
    fn user_registers(&self, sgpr: &mut [u32; 128]) {
        let s = &self.setup;
        let mut next = 0;
        let mut push = |v: u32| {
            if next < 106 {
                sgpr[next] = v;
            }
            next += 1;
        };
        if s.private_segment_buffer {
            (0..4).for_each(|_| push(0));
        }
        let packet = s.dispatch_ptr.then_some(self.packet_address);
        let queue = s.queue_ptr.then_some(self.queue_address);
        let kernarg = s.kernarg_ptr.then_some(self.packet.kernarg);
        let id = s.dispatch_id.then_some(0);
        let scratch = s.flat_scratch_init.then_some(0);
        for v in [packet, queue, kernarg, id, scratch].into_iter().flatten() {
            push(v as u32);
            push((v >> 32) as u32);
        }
        if s.private_segment_size {
            push(self.packet.private_segment);
        }
        for i in 0..s.preload_length {
            let at = (s.preload_offset + i) as usize;
            push(self.kernarg.get(at).copied().unwrap_or(0));
        }
    }

    /// The user SGPRs that hold the scratch's base.
    fn base_registers(&self, w: &mut Wave, scratch_base: u64) {
        let s = &self.setup;
        if s.private_segment_buffer {
            w.sgpr[..4].copy_from_slice(&self.private_segment_buffer(scratch_base));
        }
        if s.flat_scratch_init {
            let pairs = [s.dispatch_ptr, s.queue_ptr, s.kernarg_ptr, s.dispatch_id];
            let before = pairs.iter().filter(|&&there| there).count() * 2;
            let at = before + 4 * s.private_segment_buffer as usize;
            w.set_s64(at, scratch_base);
        }
    }

    /// The system SGPRs, which differ from wave to wave.
    fn system_registers(&self, w: &mut Wave, group: [u32; 3], scratch_offset: u64) {
        let s = &self.setup;
        // System SGPRs follow the user SGPRs, all of which are counted.
        let mut next = s.user_sgprs as usize;
        let mut push = |w: &mut Wave, v: u32| {
            if next < 106 {
                w.sgpr[next] = v;
            }
            next += 1;
        };
        if self.target.major() >= 12 {
            // Workgroup ids live in TTMP9 and TTMP7, the wave's number in TTMP8.
            w.sgpr[sreg::TTMP0 + 9] = group[0];
            // Y has the whole register where Z is not asked for.
            w.sgpr[sreg::TTMP0 + 7] = if s.group_id[2] {
                group[1] & 0xffff | group[2] << 16
            } else {
                group[1]
            };
            w.sgpr[sreg::TTMP0 + 8] = (w.id_in_group & 0x1f) << 25;
        } else {
            for (id, wanted) in group.into_iter().zip(s.group_id) {
                if wanted {
                    push(w, id);
                }
            }
        }
        if s.group_info {
            let info = self.group_info(w);
            push(w, info);
        }
        if s.private_segment && !self.architected_flat_scratch() {
            push(w, scratch_offset as u32);
        }
    }

    /// The workgroup info SGPR ("tg_size_en"): the workgroup's size in waves in 5:0, `ordered_append_term` in
    /// 17:6, the wave's number from CDNA 3 and RDNA 2 on in 24:20, and in 31 whether it is the first one; RDNA 4
    /// has the last two elsewhere (RDNA 1 ISA 3.12.2, RDNA 2 ISA 3.12.2, CDNA 3 ISA 3.13, RDNA 4 ISA 3.5.3).
    fn group_info(&self, w: &Wave) -> u32 {
        let target = self.target;
        let mut info = self.waves_per_group() & 0x3f | (w.ordered_id as u32 & ORDERED_ID_MASK) << 6;
        if target.major() < 12 {
            info |= u32::from(w.id_in_group == 0) << 31;
        }
        let has_number = target.has_gfx940_insts()
            || target.major() == 11
            || memory_generation(target) == Generation::Rdna2;
        if has_number {
            info |= (w.id_in_group & 0x1f) << 20;
        }
        info
    }

    /// Whether the hardware sets the scratch base itself.
    fn architected_flat_scratch(&self) -> bool {
        self.target.has_gfx940_insts() || self.target.major() >= 11
    }

    fn flat_scratch(&self, w: &mut Wave, base: u64) {
        if !self.architected_flat_scratch() {
            // The kernel's prolog computes it; until then it is the hardware's idle value.
            return;
        }
        w.scratch_base = base;
        if self.target.is_gfx9() {
            w.set_s64(sreg::FLAT_SCRATCH_LO, base);
        }
    }

    /// The V# of the private segment: swizzled, one element of four bytes a lane, thread ids added
    /// (AMDGPUUsage, "Private Segment Buffer").
    fn private_segment_buffer(&self, base: u64) -> [u32; 4] {
        let swizzle = 1u32 << 31;
        let index_stride: u32 = if self.wave_size == 64 { 3 } else { 2 };
        let add_tid = 1u32 << 23;
        let word3 = if self.target.is_gfx9() {
            index_stride << 21 | add_tid
        } else {
            // FORMAT 32_FLOAT (22), OOB_SELECT 3, RESOURCE_LEVEL 1.
            22 << 12 | index_stride << 21 | add_tid | 1 << 24 | 3 << 28
        };
        [
            base as u32,
            (base >> 32) as u32 & 0xffff | swizzle,
            u32::MAX,
            word3,
        ]
    }

    /// EXEC and the work-item ids of wave `index` of a workgroup with so many items.
    fn item_ids(&self, items: [u32; 3], index: u32) -> ItemIds {
        // Work-items are numbered over the full block of a partial workgroup's own extent.
        let total = items.iter().map(|&i| i as u64).product::<u64>();
        let packed = self.target.has_gfx90a_insts() || self.target.major() >= 11;
        let mut ids = ItemIds {
            exec: 0,
            registers: [[[0; ROW_LANES]; 2]; 3],
        };
        let first = index as u64 * self.wave_size as u64;
        let lanes = total.saturating_sub(first).min(self.wave_size as u64) as usize;
        let (width, height) = (items[0].max(1), items[1].max(1));
        let mut x = (first % width as u64) as u32;
        let mut y = (first / width as u64 % height as u64) as u32;
        let mut z = (first / (width as u64 * height as u64)) as u32;
        for lane in 0..lanes {
            ids.exec |= 1 << lane;
            let values = if packed {
                let packed = match self.setup.item_id {
                    1 => x,
                    2 => x | y << 10,
                    _ => x | y << 10 | z << 20,
                };
                [packed, 0, 0]
            } else {
                [x, y, z]
            };
            for (register, value) in ids.registers.iter_mut().zip(values) {
                register[lane / ROW_LANES][lane % ROW_LANES] = value;
            }
            x += 1;
            if x == width {
                x = 0;
                y += 1;
                if y == height {
                    y = 0;
                    z += 1;
                }
            }
        }
        ids
    }

    fn put_item_ids(&self, w: &mut Wave, ids: &ItemIds) {
        let packed = self.target.has_gfx90a_insts() || self.target.major() >= 11;
        let wanted = if packed { 1 } else { self.setup.item_id.max(1) };
        let rows = w.rows;
        let registers = w.vgpr.chunks_exact_mut(rows).zip(&ids.registers);
        for (to, from) in registers.take(wanted.min(self.vgprs) as usize) {
            to.copy_from_slice(&from[..rows]);
        }
        w.set_exec(ids.exec);
    }
}

/// What the starts of a dispatch's waves have in common, worked out once.
#[derive(Clone, Debug)]
pub struct Starts {
    /// The user SGPRs.
    sgpr: [u32; 128],
    /// The work-item ids of each wave of a full workgroup.
    full: Vec<ItemIds>,
}

/// EXEC and the work-item ids of one wave.
#[derive(Clone, Debug)]
struct ItemIds {
    exec: u64,
    /// X, Y and Z in a register each; all of them in the first where the target packs them.
    registers: [[Row; 2]; 3],
}
