//! Data-parallel primitives: the first source comes from another lane.

use crate::program::Compile;
use crate::wave::Wave;
use waveglass_isa::Field;

/// Where each lane's first source comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dpp {
    control: Control,
    row_mask: u8,
    bank_mask: u8,
    /// Lanes without a source read zero instead of being switched off.
    bound_ctrl: bool,
    /// Lanes that EXEC switches off are read all the same.
    fetch_inactive: bool,
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

impl Dpp {
    /// The DPP control of an instruction, `None` where it has none.
    pub fn of(c: &Compile<'_>) -> Result<Option<Self>, &'static str> {
        let inst = c.inst;
        if inst.operand_def(Field::Dpp8).is_some() {
            // The selector in SRC0 tells DPP8 (233) from DPP8 with inactive lanes (234).
            let fi = inst.field(Field::Fi) == 234;
            return Ok(Some(Self {
                control: Control::Eight(inst.field(Field::Dpp8) as u32),
                row_mask: 0xf,
                bank_mask: 0xf,
                bound_ctrl: true,
                fetch_inactive: fi,
            }));
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
        Ok(Some(Self {
            control,
            row_mask: inst.field(Field::RowMask) as u8,
            bank_mask: inst.field(Field::BankMask) as u8,
            bound_ctrl: inst.field(Field::BoundCtrl) != 0,
            fetch_inactive: inst.field(Field::Fi) & 1 != 0,
        }))
    }

    /// The lane that `lane` reads from, `None` where the shift leaves the row or wave.
    fn source(&self, lane: usize, lanes: usize) -> Option<usize> {
        let (row, i) = (lane & !15, lane & 15);
        match self.control {
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

    /// Gathers a register's lanes into a temporary; gives the lanes that may be written.
    pub fn gather(&self, wave: &mut Wave, from: usize, to: usize, dwords: usize, exec: u64) -> u64 {
        let n = wave.lanes();
        let mut write = 0;
        let regs = wave.lanes_flat();
        for lane in 0..n {
            // A row mask bit switches a row of 16 off, a bank mask bit every fourth quad.
            let enabled =
                self.row_mask >> (lane / 16) & 1 != 0 && self.bank_mask >> (lane % 16 / 4) & 1 != 0;
            let source = self
                .source(lane, n)
                .filter(|&s| self.fetch_inactive || exec >> s & 1 != 0);
            for k in 0..dwords {
                regs[to + k * n + lane] = source.map_or(0, |s| regs[from + k * n + s]);
            }
            if enabled && (source.is_some() || self.bound_ctrl) {
                write |= 1 << lane;
            }
        }
        write
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
