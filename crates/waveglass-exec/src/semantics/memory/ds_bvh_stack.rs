//! The stack of nodes that ray traversal keeps in LDS for each lane (RDNA 3 ISA 12.5.3, 16.15, RDNA 4 ISA
//! 12.5.3, 16.15).
//!
//! The manuals' listings push the first nodes of DATA1 and return the last, pop the place after the last push,
//! and leave `DECODE_ADDR`, `ENCODE_ADDR` and the invalid node open. AMD's ray tracing library GPURT has the
//! instructions written out for devices and tools without them (`bvh_stack_dxr_prototype.hlsl` for RDNA 3,
//! `rtip3_ds_stack_emulation.hlsl` for RDNA 4), its compiler LLPC has the codes of the offset, and Mesa's RADV
//! uses the instructions in the same way. That is the reading here:
//!
//! * The nodes of DATA1 are pushed from the last to the first, and the first, W to X, is what is returned ("e.g.
//!   X or top of stack", 12.5.3): it is the nearest of what the intersection has sorted.
//! * 0xffff_ffff is the invalid node. A lane whose stack is empty gets 0xffff_fffe.
//! * Entries of a lane are 128 bytes apart, so that 32 lanes lie side by side.
//! * RDNA 3: the low 18 bits of the address count entries from the bottom and do not wrap; the place in LDS is
//!   the count modulo the stack's size. What is popped is made invalid in LDS: a lane that pops what was
//!   overwritten gets the invalid node.
//! * RDNA 4: a node whose upper 29 bits are ones is none. Under it bit 1 clear says to skip nodes 0 to 3, bit 2
//!   clear nodes 4 to 7. DATA0 with these upper bits is no last node: without the primitive range option all of
//!   DATA1 counts. With it (OFFSET1\[1\]) such a DATA0 whose bit 2 is clear updates node 7, the primitives left,
//!   and pushes nothing else: bit 1 says that none are left, else bit 0 that the next node has them, else that
//!   the next pair has.
//! * Push 4 is push 8 with nodes 4 to 7 invalid. Its primitive range option has no node 7 to update, and is
//!   refused.
//! * Pop 2 gives the second node in the low dword and the first in the high one, or the first in the low one
//!   and the invalid node where there is no second of the same BVH; the listing has them the other way round.
//!   With the triangle pair option (OFFSET1\[0\]) a popped second triangle of a pair brings the first with it in
//!   place of a second pop.

use super::{active, done, immediate, span, vgpr, with_destination};
use crate::machine::Machine;
use crate::program::{Compile, Handler, Op, Step};
use crate::semantics::{NEXT, Registry, Semantics, refuse};
use crate::wave::ROW_LANES;
use waveglass_isa::Field;
use waveglass_mem::{Element, Lanes};

/// No node.
const INVALID: u32 = 0xffff_ffff;
/// What a lane gets that has no node left.
const TERMINAL: u32 = 0xffff_fffe;
/// Bytes from one entry of a lane to the next.
const STRIDE: u32 = 128;

pub(super) fn register(r: &mut Registry) {
    r.insert(
        "ds_bvh_stack_rtn_b32",
        Semantics::Custom(|c| compile(c, 4, run_short)),
    );
    r.insert(
        "ds_bvh_stack_push4_pop1_rtn_b32",
        Semantics::Custom(|c| compile(c, 4, run_ring::<4, 1>)),
    );
    r.insert(
        "ds_bvh_stack_push8_pop1_rtn_b32",
        Semantics::Custom(|c| compile(c, 8, run_ring::<8, 1>)),
    );
    r.insert(
        "ds_bvh_stack_push8_pop2_rtn_b64",
        Semantics::Custom(|c| compile(c, 8, run_ring::<8, 2>)),
    );
}

fn compile(c: &Compile<'_>, nodes: u32, run: Handler) -> Op {
    let Some(address) = c.vector_dst(Field::Addr) else {
        // Its result lies past the allocation.
        return c.op(|_, _| NEXT);
    };
    let offset = immediate(c, Field::Offset);
    if nodes == 4 && c.inst.target().major() >= 12 && offset >> 9 & 1 != 0 {
        return refuse(
            c,
            "OFFSET1[1], the primitive range, of a push of four nodes",
        );
    }
    with_destination(c, Field::Vdst, run, |op| {
        op.target = address;
        op.mem.offset = offset;
        match (vgpr(c, Field::Data0), vgpr(c, Field::Data1)) {
            (Some(last), Some(nodes)) => {
                op.d2 = nodes;
                op.imm = last.into();
                true
            }
            _ => false,
        }
    })
}

/// One lane's operands.
struct Operands {
    address: u32,
    last: u32,
    nodes: [u32; 8],
}

impl Operands {
    fn of<const N: usize>(m: &Machine<'_>, op: &Op, lane: usize) -> Self {
        let mut nodes = [INVALID; 8];
        for (k, node) in nodes[..N].iter_mut().enumerate() {
            *node = m.wave.lane(op.d2 as usize + k, lane);
        }
        Self {
            address: m.wave.lane(op.target as usize, lane),
            last: m.wave.lane(op.imm as usize, lane),
            nodes,
        }
    }
}

/// A lane's entries in LDS.
struct Entries<'a, 'm> {
    m: &'a mut Machine<'m>,
    lane: usize,
    base: u32,
}

impl Entries<'_, '_> {
    fn at(&self, index: u32) -> [u32; 64] {
        let mut at = [0; 64];
        at[self.lane] = self.base.wrapping_add(index * STRIDE);
        at
    }

    fn get(&mut self, index: u32) -> u32 {
        let (at, rows) = (self.at(index), self.m.wave.rows);
        let lanes = Lanes::new(&at[..rows * ROW_LANES], 1 << self.lane);
        let mut value = [[0; ROW_LANES]; 2];
        self.m.stats.read.lds += 4;
        self.m
            .lds
            .load(lanes, Element::B32, &mut value, self.m.port);
        value[self.lane / ROW_LANES][self.lane % ROW_LANES]
    }

    fn set(&mut self, index: u32, node: u32) {
        let (at, rows) = (self.at(index), self.m.wave.rows);
        let lanes = Lanes::new(&at[..rows * ROW_LANES], 1 << self.lane);
        self.m.stats.written.lds += 4;
        let value = [[node; ROW_LANES]; 2];
        self.m.lds.store(lanes, Element::B32, &value, self.m.port);
    }
}

fn lanes(exec: u64) -> impl Iterator<Item = usize> {
    (0..64).filter(move |lane| exec >> lane & 1 != 0)
}

/// Writes one lane's results.
fn put(m: &mut Machine<'_>, op: &Op, lane: usize, results: &[u32], address: u32) {
    let rows = m.wave.rows;
    for (k, &value) in results.iter().enumerate() {
        let to = &mut m.wave.vgpr[span(rows, op.d + k as u32, 1)];
        to[lane / ROW_LANES][lane % ROW_LANES] = value;
    }
    let to = &mut m.wave.vgpr[span(rows, op.target, 1)];
    to[lane / ROW_LANES][lane % ROW_LANES] = address;
}

/// RDNA 3's instruction.
fn run_short(m: &mut Machine<'_>, op: &Op) -> Step {
    // OFFSET1[5:4]: 8, 16, 32 or 64 entries.
    let size = 8 << (op.mem.offset >> 12 & 3);
    for lane in lanes(active(m)) {
        let o = Operands::of::<4>(m, op, lane);
        let mut entries = Entries {
            m,
            lane,
            base: (o.address >> 18) << 2,
        };
        let (node, index) = short_stack(&o, size, &mut entries);
        put(m, op, lane, &[node], o.address & !0x3_ffff | index);
    }
    done(m, op)
}

/// The node to visit next, and the count of entries after that.
fn short_stack(o: &Operands, size: u32, entries: &mut Entries<'_, '_>) -> (u32, u32) {
    const MOST: u32 = 0x3_ffff;
    let mut index = o.address & MOST;
    let nodes = &o.nodes[..4];
    // Back from a child: it and those nearer have been visited.
    let back = o.last != INVALID;
    let mut counts = !back || nodes.contains(&o.last);
    for (k, &node) in nodes.iter().enumerate().rev() {
        counts &= !(back && node == o.last);
        if !counts || node == INVALID {
            continue;
        }
        if k == 0 {
            return (node, index);
        }
        entries.set(index % size, node);
        index = (index + 1).min(MOST);
    }
    if index == 0 {
        return (TERMINAL, 0);
    }
    index -= 1;
    let node = entries.get(index % size);
    entries.set(index % size, INVALID);
    (node, index)
}

/// RDNA 4's address, a ring of entries.
#[derive(Clone, Copy)]
struct Ring {
    valid: u32,
    to_tlas: u32,
    place: u32,
    base: u32,
    has_tlas: bool,
    overflowed: bool,
    popped_tlas: bool,
}

/// A node's type, as far as the stack looks at it: 0 to 3 are triangles, 6 is an instance.
fn node_type(node: u32) -> u32 {
    node & 7
}

const TRIANGLE_1: u32 = 1;
const INSTANCE: u32 = 6;

impl Ring {
    fn decode(address: u32) -> Self {
        Self {
            valid: address & 31,
            to_tlas: address >> 5 & 31,
            place: address >> 10 & 31,
            base: address >> 15 & 0x3fff,
            has_tlas: address >> 29 & 1 != 0,
            overflowed: address >> 30 & 1 != 0,
            popped_tlas: address >> 31 != 0,
        }
    }

    fn encode(self) -> u32 {
        self.valid & 31
            | (self.to_tlas & 31) << 5
            | (self.place & 31) << 10
            | self.base << 15
            | u32::from(self.has_tlas) << 29
            | u32::from(self.overflowed) << 30
            | u32::from(self.popped_tlas) << 31
    }

    fn push(&mut self, node: u32, size: u32, entries: &mut Entries<'_, '_>) {
        self.overflowed |= self.valid == size;
        entries.set(self.place, node);
        self.place = if self.place == size - 1 {
            0
        } else {
            self.place + 1
        };
        self.has_tlas &= self.to_tlas != size;
        self.to_tlas = (self.to_tlas + 1).min(size);
        self.valid = (self.valid + 1).min(size);
    }

    /// The place below.
    fn below(&self, size: u32) -> u32 {
        self.place.checked_sub(1).unwrap_or(size - 1)
    }

    fn step_down(&mut self, size: u32) {
        self.to_tlas = self.to_tlas.saturating_sub(1);
        self.valid = self.valid.saturating_sub(1);
        self.place = self.below(size);
    }

    fn pop(&mut self, size: u32, entries: &mut Entries<'_, '_>) -> u32 {
        self.popped_tlas = self.has_tlas && self.to_tlas == 0;
        self.has_tlas &= !self.popped_tlas;
        if self.valid == 0 {
            (self.popped_tlas, self.has_tlas) = (false, false);
            return if self.overflowed { INVALID } else { TERMINAL };
        }
        self.step_down(size);
        let node = entries.get(self.place);
        if node_type(node) == INSTANCE {
            // What was left of a parent BVH is given up for this one's.
            if self.has_tlas {
                self.valid = self.to_tlas;
                self.overflowed = true;
            }
            self.has_tlas = true;
            self.to_tlas = 0;
        }
        node
    }

    /// A second pop, of a node of the same BVH that is no instance.
    fn pop_more(&mut self, size: u32, entries: &mut Entries<'_, '_>) -> Option<u32> {
        if self.valid == 0 || self.has_tlas && self.to_tlas == 0 {
            return None;
        }
        let node = entries.get(self.below(size));
        if node_type(node) == INSTANCE {
            return None;
        }
        self.step_down(size);
        Some(node)
    }
}

/// Whether a value is one of those that are no nodes.
fn is_none(node: u32) -> bool {
    node >> 3 == INVALID >> 3
}

/// Node 7 of a primitive range, moved on.
fn next_primitive(node: u32, in_next_node: bool) -> u32 {
    if in_next_node {
        // The next 128 bytes, from their first pair.
        (node & !0xf).wrapping_add(0x10)
    } else if node & 0xf == 3 {
        // The types of pairs are 0 to 3 and 8 to 11.
        node ^ 0xb
    } else {
        node.wrapping_add(1)
    }
}

/// Pushes the nodes that count.
fn push_nodes(
    ring: &mut Ring,
    o: &Operands,
    size: u32,
    range: bool,
    entries: &mut Entries<'_, '_>,
) {
    let back = !is_none(o.last);
    let update = range && !back && o.last & 4 == 0;
    if update && o.last & 2 != 0 {
        return;
    }
    // Nodes at which those that count end: the last one visited, and all primitives, which come first.
    let ends = |node: u32| node == o.last || range && node_type(node) <= 3;
    let last_is_primitive = range && node_type(o.last) <= 3;
    let mut counts = !back || last_is_primitive || o.nodes.iter().any(|&n| ends(n));
    let (mut skip_low, mut skip_high) = (false, false);
    for (k, &node) in o.nodes.iter().enumerate().rev() {
        let skipped = if k < 4 { skip_low } else { skip_high };
        if is_none(node) && counts && !skipped {
            skip_low |= node & 2 == 0;
            skip_high |= k >= 4 && node & 4 == 0;
        }
        if update && k == 6 {
            (skip_low, skip_high) = (true, true);
        }
        counts &= !(back && ends(node));
        let skipped = if k < 4 { skip_low } else { skip_high };
        if counts && !is_none(node) && !skipped {
            let node = if update && k == 7 {
                next_primitive(node, o.last & 1 != 0)
            } else {
                node
            };
            ring.push(node, size, entries);
        }
    }
}

fn run_ring<const PUSH: usize, const POP: usize>(m: &mut Machine<'_>, op: &Op) -> Step {
    let exec = active(m);
    if exec == 0 {
        return NEXT;
    }
    let size = op.mem.offset as u32 & 31;
    if size == 0 {
        return m.refuse(op, "OFFSET0[4:0], the stack's size, is zero");
    }
    let (pairs, range) = (op.mem.offset >> 8 & 1 != 0, op.mem.offset >> 9 & 1 != 0);
    for lane in lanes(exec) {
        let o = Operands::of::<PUSH>(m, op, lane);
        let mut ring = Ring::decode(o.address);
        let base = ring.base << 2;
        let entries = &mut Entries { m, lane, base };
        push_nodes(&mut ring, &o, size, range, entries);
        let first = ring.pop(size, entries);
        if POP == 1 {
            put(m, op, lane, &[first], ring.encode());
            continue;
        }
        let second = if pairs && node_type(first) == TRIANGLE_1 {
            Some(first & !7)
        } else {
            ring.pop_more(size, entries)
        };
        let results = match second {
            Some(second) => [second, first],
            None => [first, INVALID],
        };
        put(m, op, lane, &results, ring.encode());
    }
    done(m, op)
}

#[cfg(test)]
#[path = "ds_bvh_stack_tests.rs"]
mod tests;
