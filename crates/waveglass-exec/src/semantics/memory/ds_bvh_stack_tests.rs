//! The bytes are LLVM's encodings; the comment before each gives the instruction.

use super::{INVALID, TERMINAL};
use crate::error::Stop;
use crate::program::Step;
use crate::testing::Bench;
use waveglass_isa::Target;

// points: 12

/// ds_bvh_stack_rtn_b32 v20, v1, v2, v[4:7]
const SHORT_8: &str = "0000b4da01020414";
/// ds_bvh_stack_rtn_b32 v20, v1, v2, v[4:7] offset:4096
const SHORT_16: &str = "0010b4da01020414";
/// ds_bvh_stack_push4_pop1_rtn_b32 v20, v1, v2, v[4:7] offset:3
const RING4: &str = "030080db01020414";
/// ds_bvh_stack_push8_pop1_rtn_b32 v20, v1, v2, v[4:11] offset:3
const RING8_3: &str = "030084db01020414";
/// ds_bvh_stack_push8_pop1_rtn_b32 v20, v1, v2, v[4:11] offset:16
const RING8: &str = "100084db01020414";
/// ds_bvh_stack_push8_pop1_rtn_b32 v20, v1, v2, v[4:11] offset:528
const RANGE: &str = "100284db01020414";
/// ds_bvh_stack_push8_pop2_rtn_b64 v[20:21], v1, v2, v[4:11] offset:16
const POP2: &str = "100088db01020414";
/// ds_bvh_stack_push8_pop2_rtn_b64 v[20:21], v1, v2, v[4:11] offset:272
const PAIRS: &str = "100188db01020414";

/// Lane 3's operands; the others are off.
struct Stack(Bench);

impl Stack {
    fn new(target: Target, address: u32) -> Self {
        let mut b = Bench::new(target, 32);
        b.wave.set_exec(1 << 3);
        b.set(1, |_| address);
        Self(b)
    }

    /// Executes with DATA0 and DATA1, which invalid nodes fill up; gives VDST and the address.
    fn step(&mut self, hex: &str, last: u32, nodes: &[u32]) -> (u32, u32) {
        self.0.set(2, |_| last);
        for k in 0..8 {
            let node = nodes.get(k).copied().unwrap_or(INVALID);
            self.0.set(4 + k, |_| node);
        }
        self.0.run_all(&[hex]);
        assert!(self.0.wave.faults.is_empty());
        (self.0.get(20, 3), self.0.get(1, 3))
    }

    fn lds<const N: usize>(&self, from: usize) -> [u32; N] {
        std::array::from_fn(|i| self.0.peek_lds(from + 128 * i))
    }
}

// rule: the stack of RDNA 3: W to Y are pushed, X or the top is returned; section RDNA 3 ISA 12.5.3, 16.15.
#[test]
fn rdna3_pushes_w_to_y_and_returns_x_or_the_top() {
    for target in [Target::Gfx1100, Target::Gfx1150] {
        // The base in dwords in bits 31:18: byte 12, as that of lane 3 in a row of lanes.
        let base = 3 << 18;
        let mut s = Stack::new(target, base);
        assert_eq!(s.step(SHORT_8, INVALID, &[10, 20, 30, 40]), (10, base | 3));
        assert_eq!(s.lds(12), [40, 30, 20, 0]);
        // Other lanes keep what they have.
        assert_eq!((s.0.get(20, 2), s.0.get(1, 2)), (0, base));
        // An invalid node is passed over; without X the top is popped, and its place made invalid.
        let (node, address) = s.step(SHORT_8, INVALID, &[INVALID, INVALID, 50, INVALID]);
        assert_eq!((node, address), (50, base | 3));
        assert_eq!(s.lds(12), [40, 30, 20, INVALID, 0]);
        for (want, left) in [(20, 2), (30, 1), (40, 0), (TERMINAL, 0)] {
            assert_eq!(s.step(SHORT_8, INVALID, &[]), (want, base | left));
        }
        // Nodes that the last one is not among do not count.
        s.step(SHORT_8, INVALID, &[1, 2]);
        assert_eq!(s.step(SHORT_8, TERMINAL, &[5, 6, 7, 8]), (2, base));
    }
}

// rule: back from a child, those before it have been visited; section RDNA 3 ISA 16.15 (DATA_VALID).
#[test]
fn rdna3_leaves_out_what_was_visited() {
    let mut s = Stack::new(Target::Gfx1100, 0);
    // Of 10, 20, 30, 40 the second was the last: 40 and 30 are left.
    assert_eq!(s.step(SHORT_8, 20, &[10, 20, 30, 40]), (30, 1));
    assert_eq!(s.lds(0), [40, INVALID, 0]);
    // The farthest was the last: nothing is left, and 40 is popped.
    assert_eq!(s.step(SHORT_8, 4, &[1, 2, 3, 4]), (40, 0));
    // Nor is the nearest returned where it was the last.
    assert_eq!(s.step(SHORT_8, 1, &[1, 2, 3, 4]), (2, 2));
    assert_eq!(s.lds(0), [4, 3, INVALID, 0]);
}

// rule: the short stack wraps and overwrites older entries; section RDNA 3 ISA 12.5.3.
#[test]
fn rdna3_overwrites_the_oldest_and_then_gives_invalid_nodes() {
    let mut s = Stack::new(Target::Gfx1100, 0);
    for first in [10, 20, 30] {
        s.step(SHORT_8, INVALID, &[first, first + 1, first + 2, first + 3]);
    }
    // Nine pushes on eight places: the ninth is where the first was.
    assert_eq!(s.lds(0), [31, 12, 11, 23, 22, 21, 33, 32, 0]);
    for want in [31, 32, 33, 21, 22, 23, 11, 12] {
        assert_eq!(s.step(SHORT_8, INVALID, &[]).0, want);
    }
    // One is left by the count, and what it was is gone.
    assert_eq!(s.step(SHORT_8, INVALID, &[]), (INVALID, 0));
    assert_eq!(s.step(SHORT_8, INVALID, &[]), (TERMINAL, 0));
    // Sixteen places.
    let mut s = Stack::new(Target::Gfx1100, 0);
    for first in [10, 20, 30] {
        s.step(SHORT_16, INVALID, &[first, first + 1, first + 2, first + 3]);
    }
    assert_eq!(s.lds(1024), [31, 0]);
    // The count stops at its end.
    let mut s = Stack::new(Target::Gfx1100, 0x3_ffff);
    assert_eq!(s.step(SHORT_8, INVALID, &[1, 2]), (1, 0x3_ffff));
    assert_eq!(s.lds(7 * 128), [2]);
}

// rule: the fields of the address of RDNA 4; section RDNA 4 ISA 12.5.3 "Address Fields".
#[test]
fn rdna4_counts_in_the_fields_of_the_address() {
    for target in [Target::Gfx1200, Target::Gfx1201] {
        // The base in dwords in bits 28:15.
        let base = 3 << 15;
        let fields =
            |valid: u32, to_tlas: u32, place: u32| base | place << 10 | to_tlas << 5 | valid;
        let mut s = Stack::new(target, base);
        // Types 5 are boxes. Eight are pushed, one comes back.
        let nodes = [0x15, 0x25, 0x35, 0x45, 0x55, 0x65, 0x75, 0x85];
        assert_eq!(s.step(RING8, INVALID, &nodes), (0x15, fields(7, 7, 7)));
        assert_eq!(
            s.lds(12),
            [0x85, 0x75, 0x65, 0x55, 0x45, 0x35, 0x25, 0x15, 0]
        );
        for (left, want) in [
            (6, 0x25),
            (5, 0x35),
            (4, 0x45),
            (3, 0x55),
            (2, 0x65),
            (1, 0x75),
        ] {
            assert_eq!(
                s.step(RING8, INVALID, &[]),
                (want, fields(left, left, left))
            );
        }
        assert_eq!(s.step(RING8, INVALID, &[]), (0x85, fields(0, 0, 0)));
        assert_eq!(s.step(RING8, INVALID, &[]), (TERMINAL, fields(0, 0, 0)));
        // Four of three places: the ring wraps and has overflowed.
        let (node, address) = s.step(RING4, INVALID, &[0x15, 0x25, 0x35, 0x45]);
        assert_eq!((node, address), (0x15, 1 << 30 | fields(2, 2, 0)));
        assert_eq!(s.lds(12), [0x15, 0x35, 0x25, 0x55]);
        assert_eq!(
            s.step(RING4, INVALID, &[]),
            (0x25, 1 << 30 | fields(1, 1, 2))
        );
        assert_eq!(s.step(RING4, INVALID, &[]).0, 0x35);
        // What was lost is the shader's to find.
        assert_eq!(
            s.step(RING4, INVALID, &[]),
            (INVALID, 1 << 30 | fields(0, 0, 1))
        );
    }
}

// rule: transitions between levels of the BVH; section RDNA 4 ISA 12.5.3 "Address Fields".
#[test]
fn rdna4_tells_when_a_parent_bvh_comes_back() {
    const TLAS_POP: u32 = 1 << 31;
    const HAS_TLAS: u32 = 1 << 29;
    let mut s = Stack::new(Target::Gfx1200, 0);
    // An instance (type 6) over a box: it comes first, and what lies below is the parent's.
    assert_eq!(
        s.step(RING8, INVALID, &[0x16, 0x25]),
        (0x16, HAS_TLAS | 1 << 10 | 1)
    );
    // Two nodes of the instance: the first pop leaves one above the parent's.
    let (node, address) = s.step(RING8, INVALID, &[0x45, 0x55]);
    assert_eq!((node, address), (0x45, HAS_TLAS | 2 << 10 | 1 << 5 | 2));
    assert_eq!(s.step(RING8, INVALID, &[]), (0x55, HAS_TLAS | 1 << 10 | 1));
    // Now the parent's.
    assert_eq!(s.step(RING8, INVALID, &[]), (0x25, TLAS_POP));
    assert_eq!(s.step(RING8, INVALID, &[]), (TERMINAL, 0));
    // An instance within an instance gives the outermost up.
    s.step(RING8, INVALID, &[0x16, 0x25]);
    let (node, address) = s.step(RING8, INVALID, &[0x26, 0x35]);
    assert_eq!((node, address), (0x26, HAS_TLAS | 1 << 30 | 2 << 10 | 1));
    // Entries that push out the parent's end its being there.
    let mut s = Stack::new(Target::Gfx1200, HAS_TLAS | 3 << 5 | 3);
    let (_, address) = s.step(RING8_3, INVALID, &[0x15, 0x25]);
    assert_eq!(address, 1 << 30 | 1 << 10 | 2 << 5 | 2);
}

// rule: skips and the last node; section RDNA 4 ISA 16.15 and AMD's GPURT.
#[test]
fn rdna4_skips_nodes_and_leaves_out_what_was_visited() {
    let nodes = [0x15, 0x25, 0x35, 0x45, 0x55, 0x65, 0x75, 0x85];
    let pushed = |last: u32, nodes: &[u32]| {
        let mut s = Stack::new(Target::Gfx1200, 0);
        let (node, address) = s.step(RING8, last, nodes);
        (node, address & 31)
    };
    // 0xffff_fff9 in node 7 skips all, 0xffff_fffb nodes 4 to 7, 0xffff_fffd nodes 0 to 3.
    let with = |at: usize, value| {
        let mut nodes = nodes;
        nodes[at] = value;
        nodes
    };
    assert_eq!(pushed(INVALID, &with(7, 0xffff_fff9)), (TERMINAL, 0));
    assert_eq!(pushed(INVALID, &with(7, 0xffff_fffb)), (0x15, 3));
    assert_eq!(pushed(INVALID, &with(7, 0xffff_fffd)), (0x55, 2));
    assert_eq!(pushed(INVALID, &with(3, 0xffff_fffd)), (0x55, 3));
    // After node 7, here the only one: what RADV does with an instance's root.
    assert_eq!(
        pushed(INVALID, &[0, 0, 0, 0, 0, 0, 0xffff_fff9, 0x85]),
        (0x85, 0)
    );
    // Back from 0x35: those before it were visited.
    assert_eq!(pushed(0x35, &nodes), (0x45, 4));
    assert_eq!(pushed(0x99, &nodes), (TERMINAL, 0));
}

// rule: primitive ranges; section RDNA 4 ISA 16.15 (OFFSET1[1]) and AMD's GPURT.
#[test]
fn rdna4_moves_a_primitive_range_on() {
    let mut s = Stack::new(Target::Gfx1200, 0);
    let nodes = |last| [0x15, 0x25, 0x35, 0x45, 0x55, 0x65, 0x75, last];
    // The next pair: types 0 to 3, then 8 to 11.
    for (node, want) in [
        (0x100, 0x101),
        (0x102, 0x103),
        (0x103, 0x108),
        (0x108, 0x109),
    ] {
        assert_eq!(s.step(RANGE, 0xffff_fff8, &nodes(node)), (want, 0));
    }
    // The next node, the end of the range.
    assert_eq!(s.step(RANGE, 0xffff_fff9, &nodes(0x103)), (0x110, 0));
    assert_eq!(s.step(RANGE, 0xffff_fffb, &nodes(0x103)), (TERMINAL, 0));
    // Not an update.
    assert_eq!(s.step(RANGE, INVALID, &nodes(0x103)).0, 0x15);
    // Back from a primitive: all of them were visited, boxes are left.
    let mut s = Stack::new(Target::Gfx1200, 0);
    assert_eq!(
        s.step(RANGE, 0x201, &[0x100, 0x108, 0x35, 0x45]),
        (0x35, 1 << 10 | 1 << 5 | 1)
    );
    // ds_bvh_stack_push4_pop1_rtn_b32 v20, v1, v2, v[4:7] offset:528
    let refused = s.0.run("100280db01020414");
    assert!(matches!(refused, Step::Stop(Stop::Refused { why, .. }) if why.contains("OFFSET1")));
    // A stack without places: ds_bvh_stack_push8_pop1_rtn_b32 v20, v1, v2, v[4:11]
    let refused = s.0.run("000084db01020414");
    assert!(matches!(refused, Step::Stop(Stop::Refused { why, .. }) if why.contains("OFFSET0")));
}

// rule: a second pop; section RDNA 4 ISA 16.15 and AMD's GPURT.
#[test]
fn rdna4_pops_a_second_node_of_the_same_bvh() {
    let mut s = Stack::new(Target::Gfx1200, 0);
    let mut step = |hex, nodes: &[u32]| {
        let (low, address) = s.step(hex, INVALID, nodes);
        (low, s.0.get(21, 3), address & 31)
    };
    assert_eq!(step(POP2, &[0x15, 0x25, 0x35]), (0x25, 0x15, 1));
    assert_eq!(step(POP2, &[]), (0x35, INVALID, 0));
    assert_eq!(step(POP2, &[]), (TERMINAL, INVALID, 0));
    // An instance is not a second node.
    assert_eq!(step(POP2, &[0x15, 0x26]), (0x15, INVALID, 1));
    assert_eq!(step(POP2, &[]), (0x26, INVALID, 0));
    // Of a pair of triangles the second brings the first with it.
    assert_eq!(step(POP2, &[0x31, 0x45]), (0x45, 0x31, 0));
    assert_eq!(step(PAIRS, &[0x31, 0x45]), (0x30, 0x31, 1));
}

// rule: stack operations are LDS accesses: outside the allocation they are violations; section RDNA 3
// ISA 3.3.4.1, 12.5.3.
#[test]
fn a_stack_past_the_allocation_is_a_violation() {
    let mut b = Bench::new(Target::Gfx1100, 32);
    b.wave.set_exec(1);
    b.set(1, |_| 1024 << 18);
    b.set(2, |_| INVALID);
    for k in 4..8 {
        b.set(k, |_| 5);
    }
    b.run_all(&[SHORT_8]);
    assert_eq!(b.wave.faults.len(), 3);
    assert_eq!(b.wave.faults[0].fault.address, 4096);
}
