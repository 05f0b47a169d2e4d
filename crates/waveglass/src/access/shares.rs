//! What DS instructions do beyond plain accesses of LDS: GDS and its units (Vega ISA 10.3, RDNA 3 ISA 12.6,
//! 13.4), both operands in LDS (Vega ISA 10.3.3), the stack of ray traversal (RDNA 3 ISA 12.5.3, RDNA 4 ISA
//! 12.5.3), and the tensor data mover (CDNA 5 ISA 10.11).

use super::{AccessError, Check, Explanation, Kind, LaneAccess, Part, Place, Subject, Term};
use crate::exec::program::scalar_number;
use crate::exec::semantics::src2_addresses;
use crate::exec::wave::sreg;
use crate::isa::{Field, Operand, RegFile};
use crate::mem::{Access, Gds, Generation, TensorDescriptor, TensorGroups};

/// The part of GDS that an instruction reaches.
pub(super) struct Window {
    pub(super) base: u64,
    pub(super) size: u64,
}

fn term(name: impl Into<String>, value: impl Into<u64>) -> Term {
    Term {
        name: name.into(),
        value: value.into(),
    }
}

impl Subject<'_> {
    fn m0(&self) -> u32 {
        self.wave().sgpr[sreg::M0]
    }

    /// The window of GDS that M0 gives, where the instruction has the GDS bit.
    pub(super) fn gds_window(&self) -> Option<Window> {
        let has_bit = self.inst.operand_def(Field::Gds).is_some();
        if !has_bit || self.inst.field(Field::Gds) == 0 {
            return None;
        }
        let all = u64::from(Gds::size(self.scene.rules.generation));
        let base = u64::from(self.m0() >> 16).min(all);
        let size = u64::from(self.m0() & 0xffff).min(all - base);
        Some(Window { base, size })
    }

    /// Makes the explanation of an LDS instruction one of an access to GDS.
    pub(super) fn in_gds(&self, mut of_lds: Explanation) -> Explanation {
        of_lds.formula = of_lds
            .formula
            .replace("LDS offset", "offset in M0's window of GDS");
        of_lds.source = "Vega ISA 10.3, RDNA 3 ISA 12.6";
        of_lds
            .shared
            .push(term("M0[31:16] (base)", self.m0() >> 16));
        of_lds
            .shared
            .push(term("M0[15:0] (size)", self.m0() & 0xffff));
        let single = matches!(
            self.scene.rules.generation,
            Generation::Rdna3 | Generation::Rdna3_5
        );
        let counts = matches!(self.inst.mnemonic(), "ds_append" | "ds_consume");
        if single && !counts {
            of_lds.notes.push(
                "only the first active lane accesses GDS; the others are as if EXEC had them off (RDNA 3 ISA 13.4.2)"
                    .to_owned(),
            );
            let first = self.wave().exec().trailing_zeros();
            for lane in of_lds.lanes.iter_mut().filter(|l| l.lane != first) {
                (lane.active, lane.terms, lane.parts) = (false, Vec::new(), Vec::new());
            }
        }
        of_lds
    }

    /// Lanes with nothing to show but what they have after the instruction.
    fn plain_lanes(&self) -> Vec<LaneAccess> {
        self.lanes(|_| (Vec::new(), Vec::new()))
    }

    /// The first active lane's value of a register; 0 where there is none.
    fn first_value(&self, field: Field) -> u32 {
        let exec = self.wave().exec();
        let lane = if exec == 0 { 0 } else { exec.trailing_zeros() };
        self.register(field).map_or(0, |r| self.vector(r, 0, lane))
    }

    /// Global wave sync, `ds_gws_*`.
    pub(super) fn gws(&self) -> Explanation {
        let (offset, offset_term) = self.immediate(Field::Offset, "OFFSET");
        let base = self.m0() >> 16 & 0x3f;
        let resource = base.wrapping_add(offset as u32 & 0x3f) % 64;
        let (takes_value, what) = match self.inst.mnemonic() {
            "ds_gws_init" => (true, "the counter is set to the first active lane's value"),
            "ds_gws_sema_v" => (false, "the counter grows by one: one more wave may pass"),
            "ds_gws_sema_br" => (
                true,
                "the counter grows by the first active lane's value: so many more waves may pass",
            ),
            "ds_gws_sema_p" => (
                false,
                "the wave waits until the counter is not zero, and takes one from it",
            ),
            "ds_gws_sema_release_all" => (false, "all waves that wait there may pass"),
            _ => (
                true,
                "the wave waits for as many others as the counter says; the last one sets the counter to the first \
                 active lane's value",
            ),
        };
        let mut shared = vec![
            term("M0[21:16]", base),
            offset_term,
            term("resource", resource),
        ];
        if takes_value {
            shared.push(term("value", self.first_value(Field::Data0)));
        }
        Explanation {
            formula: format!("resource = (M0[21:16] + OFFSET) % 64; {what}"),
            source: "Vega ISA 12.13, RDNA 3 ISA 13.4.4",
            shared,
            notes: vec!["resources start with a counter of zero here".to_owned()],
            lanes: self.plain_lanes(),
        }
    }

    /// `ds_add_gs_reg_rtn` and `ds_sub_gs_reg_rtn`.
    pub(super) fn gs_register(&self) -> Explanation {
        let (offset, offset_term) = self.immediate(Field::Offset, "OFFSET");
        let number = offset as u32 >> 2 & 15;
        let sign = if self.inst.mnemonic().contains("sub") {
            '-'
        } else {
            '+'
        };
        Explanation {
            formula: format!(
                "register {number} of GDS, of {} bits, becomes its value {sign} that of the first active lane; the \
                 lane gets the value before",
                if number < 8 { 32 } else { 64 }
            ),
            source: "RDNA 3 ISA 12.6.1",
            shared: vec![offset_term, term("value", self.first_value(Field::Data0))],
            notes: vec!["registers start with zero here".to_owned()],
            lanes: self.plain_lanes(),
        }
    }

    /// `ds_ordered_count`: what the wave whose turn it is adds to a counter in GDS.
    pub(super) fn ordered_count(&self) -> Explanation {
        let (offset, offset_term) = self.immediate(Field::Offset, "OFFSET");
        let (offset, m0) = (offset as u32, self.m0());
        let (index, exec) = (offset >> 2 & 63, self.wave().exec());
        let first = exec.trailing_zeros();
        let gds = &self.scene.env.gds;
        let in_registers = self.inst.target().major() == 11;
        let change = match offset >> 12 & 3 {
            0 => "the counter grows by",
            _ => "the counter becomes",
        };
        let mut shared = vec![
            offset_term,
            term("M0[15:0] (ordered id)", m0 & 0xffff),
            term("wave_release", offset >> 8 & 1),
            term("wave_done", offset >> 9 & 1),
            term(
                "value",
                if exec == 0 {
                    0
                } else {
                    self.first_value(Field::Addr)
                },
            ),
        ];
        let at = u64::from(((m0 >> 16) + 4 * index) & 0xfffc);
        let mut bytes = [0; 4];
        let before = if in_registers {
            shared.push(term("register", index & 15));
            Some(gds.register(index, |value| value))
        } else {
            shared.push(term("M0[31:16] (base)", m0 >> 16));
            shared.push(term("OFFSET0[7:2] (ordered index)", index));
            shared.push(term("address in GDS", at));
            let read = gds.read(at, &mut bytes);
            read.then(|| u32::from_le_bytes(bytes).into())
        };
        shared.extend(before.map(|value| term("before", value)));
        let limit = u64::from(Gds::size(self.scene.rules.generation));
        let mut lanes = self.lanes(|lane| {
            let place = match before {
                Some(_) => Place::Gds { address: at },
                None => Place::Violation { why: "outside GDS" },
            };
            let part = Part {
                sum: at,
                place,
                checks: vec![Check::new(
                    before.is_some(),
                    format!("{at:#x} + 4 <= {limit:#x}, GDS"),
                )],
                bytes: 4,
                content: None,
            };
            let parts = (lane == first && !in_registers).then_some(part);
            (Vec::new(), parts.into_iter().collect())
        });
        if in_registers {
            for lane in lanes.iter_mut().filter(|l| l.lane != first) {
                lane.active = false;
            }
        }
        let mut notes = vec![
            "shown as the wave that M0[15:0] says, all older ones having released their turns"
                .to_owned(),
        ];
        notes.push(if in_registers {
            "only the first active lane gets the value before".to_owned()
        } else {
            "every active lane gets the value before".to_owned()
        });
        Explanation {
            formula: if in_registers {
                format!("register OFFSET0[5:2] of GDS: {change} the first active lane's value")
            } else {
                format!(
                    "GDS address = (M0[31:16] + OFFSET0[7:2] * 4) with bits 15:2; {change} the first active lane's value"
                )
            },
            source: if in_registers {
                "RDNA 3 ISA 13.4.3"
            } else {
                "RDNA 1 ISA 12.13, Vega ISA 12.13"
            },
            shared,
            notes,
            lanes,
        }
    }

    /// `ds_*_src2_*`: both operands in LDS.
    pub(super) fn src2(&self) -> Explanation {
        let bytes = if self.inst.mnemonic().ends_with("64") {
            8
        } else {
            4
        };
        let wide = self.of_bytes(bytes);
        let offset = self.inst.field(Field::Offset) as u32 & 0xffff;
        let address = self.register(Field::Addr);
        let lanes = self.lanes(|lane| {
            let a = address.map_or(0, |r| self.vector(r, 0, lane));
            let (to, from) = src2_addresses(offset, a);
            let terms = vec![
                term("ADDR", a),
                term("distance", i64::from(from.wrapping_sub(to) as i32) as u64),
            ];
            let source = wide.of_kind(Kind::Load).lds_parts(from.into(), &[]);
            let target = wide.of_kind(Kind::Atomic).lds_parts(to.into(), &[]);
            (terms, [source, target].concat())
        });
        let formula = if offset & 0x8000 != 0 {
            "destination = ADDR[16:0]; source = destination + ADDR[31:17] * 4, signed"
        } else {
            "destination = ADDR; source = ADDR + OFFSET[14:0] * 4, signed"
        };
        Explanation {
            formula: formula.to_owned(),
            source: "Vega ISA 10.3.3",
            shared: vec![term("OFFSET", offset)],
            notes: vec!["the source is read, then the destination is changed".to_owned()],
            lanes,
        }
    }

    /// `ds_condxchg32_rtn_b64`.
    pub(super) fn conditional_exchange(&self) -> Explanation {
        let (wide, load) = (self.of_bytes(8), Kind::Load);
        let (offset, offset_term) = self.immediate(Field::Offset, "OFFSET");
        let address = self.register(Field::Addr);
        let lanes = self.lanes(|lane| {
            let a = address.map_or(0, |r| self.vector(r, 0, lane));
            let at = a.wrapping_add(offset as u32) & 0xfff8;
            (
                vec![term("ADDR", a)],
                wide.of_kind(load).lds_parts(at.into(), &[]),
            )
        });
        Explanation {
            formula: "LDS offset = (ADDR + OFFSET) with bits 15:3".to_owned(),
            source: "Vega ISA 12.13, CDNA 3 ISA 12.13",
            shared: vec![offset_term],
            notes: vec![
                "each dword is written, without its top bit, where the data's top bit is set"
                    .to_owned(),
            ],
            lanes,
        }
    }

    /// `ds_bvh_stack_*`: the fields of the stack's address.
    pub(super) fn bvh_stack(&self) -> Explanation {
        let (offset, offset_term) = self.immediate(Field::Offset, "OFFSET");
        let ring = self.inst.target().major() >= 12;
        let size = match ring {
            true => offset as u32 & 31,
            false => 8 << (offset >> 12 & 3),
        };
        let address = self.register(Field::Addr);
        let lanes = self.lanes(|lane| {
            let a = address.map_or(0, |r| self.vector(r, 0, lane));
            let terms = if ring {
                vec![
                    term("stack_base_addr * 4", (a >> 15 & 0x3fff) * 4),
                    term("ring_addr", a >> 10 & 31),
                    term("valid_entries", a & 31),
                    term("entries_to_tlas", a >> 5 & 31),
                    term("has_tlas_in_stack", a >> 29 & 1),
                    term("has_overflowed", a >> 30 & 1),
                ]
            } else {
                vec![
                    term("stack_base", (a >> 18) * 4),
                    term("stack_index", a & 0x3_ffff),
                ]
            };
            (terms, Vec::new())
        });
        Explanation {
            formula: "entry i of a lane's stack is at base + 128 * (i % size)".to_owned(),
            source: "RDNA 3 ISA 12.5.3, RDNA 4 ISA 12.5.3, AMD's GPURT",
            shared: vec![offset_term, term("size", size)],
            notes: vec!["the results are the node to visit and the stack's new address".to_owned()],
            lanes,
        }
    }

    /// `tensor_load_to_lds` and `tensor_store_from_lds`: the descriptor.
    pub(super) fn tensor(&self) -> Result<Explanation, AccessError> {
        let mnemonic = self.inst.mnemonic();
        let access = if mnemonic.contains("load") {
            Access::Load
        } else {
            Access::Store
        };
        let groups = TensorGroups {
            group0: self.group(Field::Vaddr0),
            group1: self.group(Field::Vaddr1),
            group2: self.group(Field::Vaddr2),
            group3: self.group(Field::Vaddr3),
        };
        let d = TensorDescriptor::decode(&groups, access)
            .map_err(|why| AccessError::Refused { mnemonic, why })?;
        let (shared, notes) = match &d {
            Some(d) => tensor_terms(d),
            None => (
                Vec::new(),
                vec!["count is 0: the null tensor, with which nothing happens".to_owned()],
            ),
        };
        Ok(Explanation {
            formula: "memory = global_addr + data_size * (x + y * stride0 + z * stride1 + ...); LDS = lds_addr + bytes of \
                      the tile so far, and the gaps of a load"
                .to_owned(),
            source: "CDNA 5 ISA 10.11",
            shared,
            notes,
            lanes: Vec::new(),
        })
    }

    /// SGPRs of a group of a tensor's descriptor; zeros where the instruction has none.
    fn group<const N: usize>(&self, field: Field) -> [u32; N] {
        match self.inst.operand(field) {
            Some(Operand::Reg(r)) if r.file != RegFile::Null => {
                let first = scalar_number(r) as usize;
                std::array::from_fn(|k| self.wave().sgpr[(first + k) & 127])
            }
            _ => [0; N],
        }
    }

    /// An access of LDS, or of GDS where the instruction says so.
    pub(super) fn share_part(&self, at: u64, mut checks: Vec<Check>) -> Part {
        let window = self.gds_window();
        let (limit, name) = match &window {
            Some(w) => (w.size, "M0's window of GDS"),
            None => (self.scene.lds_limit().into(), self.scene.lds_limit_name()),
        };
        let inside = at + u64::from(self.bytes) <= limit;
        checks.push(Check::new(
            inside,
            format!("{at:#x} + {} <= {limit:#x}, {name}", self.bytes),
        ));
        let reported = self.scene.rules.report_lds_range;
        let place = match &window {
            Some(w) if inside => Place::Gds {
                address: w.base + at,
            },
            None if inside => Place::Lds { offset: at },
            _ if !reported => Place::Dropped {
                why: "out of range, which LDS_CONFIG keeps from being reported",
            },
            Some(_) => Place::Violation {
                why: "outside M0's window of GDS",
            },
            None => Place::Violation {
                why: "outside the workgroup's LDS",
            },
        };
        Part {
            sum: at,
            place,
            checks,
            bytes: self.bytes,
            content: None,
        }
    }
}

/// What a tensor's descriptor says.
fn tensor_terms(d: &TensorDescriptor) -> (Vec<Term>, Vec<String>) {
    let mut terms = vec![
        term("global_addr", d.global_address),
        term("lds_addr", d.lds_address),
        term("data_size", d.element_bytes),
    ];
    for (k, (&tile, &tensor)) in d.tile.iter().zip(&d.tensor).enumerate() {
        if k > 0 && tile == 0 {
            continue;
        }
        terms.push(term(format!("tile_dim{k}"), tile));
        terms.push(term(format!("tensor_dim{k}"), tensor));
        if k > 0 {
            terms.push(term(
                format!("tensor_dim{}_stride", k - 1),
                d.strides[k - 1],
            ));
        }
    }
    let mut notes = Vec::new();
    if let Some(p) = d.padding {
        notes.push(format!(
            "after every {} bytes of the tile {} bytes of LDS are left out",
            p.interval, p.amount
        ));
    }
    if let Some(i) = d.iteration {
        notes.push(format!(
            "{} times, {} elements further in LDS and {} in memory each time",
            i.count, i.lds_increment, i.global_increment
        ));
    }
    if let Some(rows) = &d.rows {
        notes.push(format!("rows of memory: {rows:?}"));
    }
    if let Some(barrier) = d.barrier {
        notes.push(format!(
            "then an arrival at the barrier at LDS {barrier:#x}"
        ));
    }
    notes.push(
        "elements past tensor_dim are zeros in a load and dropped in a store; EXEC does not matter"
            .to_owned(),
    );
    (terms, notes)
}
