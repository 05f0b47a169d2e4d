//! Data-parallel primitives: the first source comes from another lane.

use crate::machine::Machine;
use crate::program::Compile;
use crate::wave::{ROW_LANES, Wave};
use waveglass_isa::Field;

/// Where each lane's first source comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dpp {
    /// The lane that each lane reads.
    sources: Box<[u32; 64]>,
    /// Lanes that have a source.
    valid: u64,
    /// Lanes that the masks leave on.
    enabled: u64,
    /// Every lane reads its own row of 16.
    within_rows: bool,
    /// Lanes without a source read zero instead of being switched off.
    bound_ctrl: bool,
    /// Lanes that EXEC switches off are read all the same.
    fetch_inactive: bool,
}

/// Where the lanes of a wave come from, a row of sixteen at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Moves {
    pub(crate) rows: Vec<Row>,
    /// Lanes without a source read zero instead of being switched off.
    pub(crate) bound_ctrl: bool,
    /// Lanes that EXEC switches off are read all the same.
    pub(crate) fetch_inactive: bool,
}

/// Where the lanes of a row of sixteen come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    /// The rows that are read, two at most.
    pub(crate) from: Vec<usize>,
    /// Which lane each reads: 0 to 15 of the first of them, from 16 on of the second.
    pub(crate) index: [u32; 16],
    /// Lanes that have a source.
    pub(crate) valid: u16,
    /// Lanes that the masks leave on.
    pub(crate) enabled: u16,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Control {
    /// Two bits a lane of a quad.
    QuadPerm(u8),
    RowShiftLeft(u8),
    RowShiftRight(u8),
    RowRotateRight(u8),
    WaveShiftLeft,
    WaveRotateLeft,
    WaveShiftRight,
    WaveRotateRight,
    RowMirror,
    RowHalfMirror,
    RowBroadcast15,
    RowBroadcast31,
    RowShare(u8),
    RowXmask(u8),
    /// Three bits a lane of eight.
    Eight(u32),
}

impl Control {
    /// The lane that `lane` reads from, `None` where the shift leaves the row or wave.
    fn source(&self, lane: usize, lanes: usize) -> Option<usize> {
        let (row, i) = (lane & !15, lane & 15);
        match *self {
            Control::QuadPerm(p) => Some((lane & !3) | (p >> (2 * (lane & 3)) & 3) as usize),
            Control::RowShiftLeft(s) => {
                let j = i + s as usize;
                (j < 16).then_some(row + j)
            }
            Control::RowShiftRight(s) => i.checked_sub(s as usize).map(|j| row + j),
            Control::RowRotateRight(s) => Some(row + (i + 16 - s as usize) % 16),
            Control::WaveShiftLeft => (lane + 1 < lanes).then_some(lane + 1),
            Control::WaveRotateLeft => Some((lane + 1) % lanes),
            Control::WaveShiftRight => lane.checked_sub(1),
            Control::WaveRotateRight => Some((lane + lanes - 1) % lanes),
            Control::RowMirror => Some(row + 15 - i),
            Control::RowHalfMirror => Some((lane & !7) + 7 - (lane & 7)),
            // Lane 15 of each row goes to the whole next row (Vega ISA, DPP_ROW_BCAST15).
            Control::RowBroadcast15 => row.checked_sub(1),
            Control::RowBroadcast31 => (lane >= 32).then_some(31),
            Control::RowShare(s) => Some(row + s as usize),
            Control::RowXmask(x) => Some(row + (i ^ x as usize)),
            Control::Eight(sel) => Some((lane & !7) | (sel >> (3 * (lane & 7)) & 7) as usize),
        }
    }
}

impl Dpp {
    /// The DPP control of an instruction, `None` where it has none.
    pub fn of(c: &Compile<'_>) -> Result<Option<Self>, &'static str> {
        let inst = c.inst;
        if inst.operand_def(Field::Dpp8).is_some() {
            // The selector in SRC0 tells DPP8 (233) from DPP8 with inactive lanes (234).
            let fi = inst.field(Field::Fi) == 234;
            let control = Control::Eight(inst.field(Field::Dpp8) as u32);
            return Ok(Some(Self::new(c, control, [0xf, 0xf], true, fi)));
        }
        if inst.operand_def(Field::DppCtrl).is_none() {
            return Ok(None);
        }
        let ctrl = inst.field(Field::DppCtrl) as u32;
        let low = (ctrl & 0xf) as u8;
        let control = match ctrl {
            0..=0xff => Control::QuadPerm(ctrl as u8),
            0x101..=0x10f => Control::RowShiftLeft(low),
            0x111..=0x11f => Control::RowShiftRight(low),
            0x121..=0x12f => Control::RowRotateRight(low),
            0x130 => Control::WaveShiftLeft,
            0x134 => Control::WaveRotateLeft,
            0x138 => Control::WaveShiftRight,
            0x13c => Control::WaveRotateRight,
            0x140 => Control::RowMirror,
            0x141 => Control::RowHalfMirror,
            0x142 => Control::RowBroadcast15,
            0x143 => Control::RowBroadcast31,
            0x150..=0x15f => Control::RowShare(low),
            0x160..=0x16f => Control::RowXmask(low),
            _ => return Err("a reserved DPP control"),
        };
        let masks = [Field::RowMask, Field::BankMask].map(|f| inst.field(f));
        let bound_ctrl = inst.field(Field::BoundCtrl) != 0;
        let fetch_inactive = inst.field(Field::Fi) & 1 != 0;
        let dpp = Self::new(c, control, masks, bound_ctrl, fetch_inactive);
        Ok(Some(dpp))
    }

    /// The moves of each row, if none reads more than two.
    pub(crate) fn moves(&self) -> Option<Moves> {
        let rows = (0..64 / 16).map(|row| {
            let mut moves = Row {
                from: Vec::new(),
                index: [0; 16],
                valid: (self.valid >> (16 * row)) as u16,
                enabled: (self.enabled >> (16 * row)) as u16,
            };
            for lane in 0..16 {
                if moves.valid >> lane & 1 == 0 {
                    continue;
                }
                let source = self.sources[16 * row + lane] as usize;
                let at = moves.from.iter().position(|&r| r == source / 16);
                let at = at.unwrap_or_else(|| {
                    moves.from.push(source / 16);
                    moves.from.len() - 1
                });
                moves.index[lane] = (16 * at + source % 16) as u32;
            }
            (moves.from.len() <= 2).then_some(moves)
        });
        Some(Moves {
            rows: rows.collect::<Option<_>>()?,
            bound_ctrl: self.bound_ctrl,
            fetch_inactive: self.fetch_inactive,
        })
    }

    fn new(
        c: &Compile<'_>,
        control: Control,
        [row_mask, bank_mask]: [u64; 2],
        bound_ctrl: bool,
        fetch_inactive: bool,
    ) -> Self {
        let lanes = c.rows as usize * ROW_LANES;
        let mut dpp = Self {
            sources: Box::new([0; 64]),
            valid: 0,
            enabled: 0,
            within_rows: true,
            bound_ctrl,
            fetch_inactive,
        };
        for lane in 0..lanes {
            if let Some(source) = control.source(lane, lanes) {
                dpp.sources[lane] = source as u32;
                dpp.valid |= 1 << lane;
                dpp.within_rows &= source / 16 == lane / 16;
            }
            // A row mask bit switches a row of 16 off, a bank mask bit every fourth quad.
            if row_mask >> (lane / 16) & 1 != 0 && bank_mask >> (lane % 16 / 4) & 1 != 0 {
                dpp.enabled |= 1 << lane;
            }
        }
        dpp
    }

    /// Gathers a register's lanes into a temporary; gives the lanes that may be written.
    #[inline(never)]
    pub fn gather(&self, wave: &mut Wave, from: usize, to: usize, dwords: usize, exec: u64) -> u64 {
        let n = wave.lanes();
        let mut valid = self.valid;
        if !self.fetch_inactive && exec != wave.full_mask() {
            valid &= active_sources(&self.sources[..n], exec);
        }
        let regs = wave.lanes_flat();
        for k in 0..dwords {
            let (from, to) = (from + k * n, to + k * n);
            let moved = match self.within_rows {
                true => permute_rows(regs, from, to, n, &self.sources, valid),
                false => permute_wave(regs, from, to, n, &self.sources, valid),
            };
            if !moved {
                permute_one_by_one(regs, from, to, &self.sources[..n], valid);
            }
        }
        match self.bound_ctrl {
            true => self.enabled,
            false => self.enabled & valid,
        }
    }
}

/// The lanes whose source is on.
#[inline(never)]
fn active_sources(sources: &[u32], exec: u64) -> u64 {
    let mut active = 0;
    for (lane, &source) in sources.iter().enumerate() {
        active |= (exec >> (source & 63) & 1) << lane;
    }
    active
}

/// Gathers on machines that have no instruction for it.
#[inline(never)]
pub(super) fn permute_one_by_one(
    regs: &mut [u32],
    from: usize,
    to: usize,
    sources: &[u32],
    valid: u64,
) {
    for (lane, &source) in sources.iter().enumerate() {
        let v = regs[from + source as usize];
        regs[to + lane] = if valid >> lane & 1 != 0 { v } else { 0 };
    }
}

/// Moves lanes of register `from` to those of register `to` that EXEC leaves on; `sources` says which
/// lane each reads, in its own row of 16 or all in the neighbours of their rows. A lane whose source is
/// off keeps its value, or gets zero under `bound_ctrl`, unless `fetch_inactive` lets it be read.
pub(crate) fn permute(
    m: &mut Machine<'_>,
    from: u32,
    to: u32,
    sources: &[u32; 64],
    fetch_inactive: bool,
    bound_ctrl: bool,
) {
    let (n, exec) = (m.wave.lanes(), m.wave.exec());
    let mut valid = m.wave.full_mask();
    if !fetch_inactive && exec != valid {
        valid = active_sources(&sources[..n], exec);
    }
    let (mut from, temp) = (from as usize * n, super::temp(m, 0));
    if sources[0] >= 16 {
        let rows = super::temp(m, 1);
        let regs = m.wave.lanes_flat();
        for row in (0..n).step_by(16) {
            regs.copy_within(from + (row ^ 16)..from + (row ^ 16) + 16, rows + row);
        }
        from = rows;
    }
    let regs = m.wave.lanes_flat();
    if !permute_rows(regs, from, temp, n, sources, valid) {
        for (lane, &source) in sources[..n].iter().enumerate() {
            let at = lane & !15 | source as usize & 15;
            regs[temp + lane] = if valid >> lane & 1 != 0 {
                regs[from + at]
            } else {
                0
            };
        }
    }
    let write = if bound_ctrl { exec } else { exec & valid };
    super::merge_register(m, to as usize * n, temp, write);
}

/// Gathers where every lane reads one of its own row of 16; false where the machine has no instruction
/// for it.
fn permute_rows(
    regs: &mut [u32],
    from: usize,
    to: usize,
    n: usize,
    sources: &[u32; 64],
    valid: u64,
) -> bool {
    #[cfg(target_arch = "x86_64")]
    if super::kernel::level() == 2 {
        // SAFETY: `level` found the CPU to have these features.
        unsafe { permute_rows_avx512(regs, from, to, n, sources, valid) };
        return true;
    }
    let _ = (regs, from, to, n, sources, valid);
    false
}

/// Gathers where lanes read any of the wave; false where the machine has no instruction for it.
pub(super) fn permute_wave(
    regs: &mut [u32],
    from: usize,
    to: usize,
    n: usize,
    sources: &[u32; 64],
    valid: u64,
) -> bool {
    #[cfg(target_arch = "x86_64")]
    if super::kernel::level() == 2 {
        // SAFETY: `level` found the CPU to have these features.
        unsafe { permute_wave_avx512(regs, from, to, n, sources, valid) };
        return true;
    }
    let _ = (regs, from, to, n, sources, valid);
    false
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn permute_wave_avx512(
    regs: &mut [u32],
    from: usize,
    to: usize,
    n: usize,
    sources: &[u32; 64],
    valid: u64,
) {
    use bytemuck::must_cast as cast;
    use std::arch::x86_64::*;
    let row = |at: usize| -> [__m512i; 2] { cast(super::kernel::block(regs, at)) };
    let low = row(from);
    // A wave of 32 lanes names no lane above them.
    let high = if n > ROW_LANES { row(from + 32) } else { low };
    let index: [__m512i; 4] = cast(*sources);
    let mut moved = [_mm512_setzero_si512(); 4];
    for k in 0..4 {
        // The low five bits of an index count, the sixth says which half.
        let lower = _mm512_permutex2var_epi32(low[0], index[k], low[1]);
        let upper = _mm512_permutex2var_epi32(high[0], index[k], high[1]);
        let is_upper = _mm512_test_epi32_mask(index[k], _mm512_set1_epi32(32));
        let lanes = _mm512_mask_blend_epi32(is_upper, lower, upper);
        moved[k] = _mm512_maskz_mov_epi32((valid >> (16 * k)) as u16, lanes);
    }
    super::kernel::set_block(regs, to, cast([moved[0], moved[1]]));
    if n > ROW_LANES {
        super::kernel::set_block(regs, to + 32, cast([moved[2], moved[3]]));
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn permute_rows_avx512(
    regs: &mut [u32],
    from: usize,
    to: usize,
    n: usize,
    sources: &[u32; 64],
    valid: u64,
) {
    use std::arch::x86_64::*;
    assert!(n <= 64 && from + n <= regs.len() && to + n <= regs.len());
    for row in (0..n).step_by(16) {
        let mask = (valid >> row) as u16;
        // SAFETY: sixteen lanes from `row` on are within the `n` of each, as asserted.
        unsafe {
            let lanes = _mm512_loadu_si512(regs.as_ptr().add(from + row).cast());
            // The low four bits of an index count.
            let index = _mm512_loadu_si512(sources.as_ptr().add(row).cast());
            let moved = _mm512_maskz_permutexvar_epi32(mask, index, lanes);
            _mm512_storeu_si512(regs.as_mut_ptr().add(to + row).cast(), moved);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::Bench;
    use waveglass_isa::Target;

    fn bench(target: Target, lanes: u32) -> Bench {
        let mut b = Bench::new(target, lanes);
        b.set(0, |_| 999);
        b.set(1, |lane| lane as u32);
        b
    }

    #[test]
    fn lanes_without_a_source_keep_their_value_or_read_zero() {
        let mut b = bench(Target::Gfx900, 64);
        b.wave.set_exec(!(1 << 20));
        // v_mov_b32_dpp v0, v1 row_shr:1
        b.run_all(&["fa02007e011101ff"]);
        let got = [0, 1, 16, 20, 21].map(|lane| b.get(0, lane));
        assert_eq!(got, [999, 0, 999, 999, 999]);
        // The same with bound_ctrl.
        b.run_all(&["fa02007e011109ff"]);
        let got = [0, 1, 16, 20, 21].map(|lane| b.get(0, lane));
        assert_eq!(got, [0, 0, 0, 999, 0]);
    }

    #[test]
    fn row_broadcast_goes_to_the_next_row_under_the_row_mask() {
        let mut b = bench(Target::Gfx900, 64);
        // v_mov_b32_dpp v0, v1 row_bcast:15 row_mask:0xa
        b.run_all(&["fa02007e014201af"]);
        let got = [0, 16, 31, 32, 48].map(|lane| b.get(0, lane));
        assert_eq!(got, [999, 15, 15, 999, 47]);
    }

    #[test]
    fn dpp8_picks_within_eight_lanes() {
        let mut b = bench(Target::Gfx1030, 32);
        // v_mov_b32_dpp v0, v1 dpp8:[7,6,5,4,3,2,1,0]
        b.run_all(&["e902007e01773905"]);
        assert_eq!([0, 7, 8].map(|lane| b.get(0, lane)), [7, 0, 15]);
    }
}
