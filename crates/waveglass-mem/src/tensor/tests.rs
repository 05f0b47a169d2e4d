use super::*;
use crate::access::Port;
use crate::fault::{FaultKind, Space};
use crate::rules::{Generation, Rules};
use crate::{Apertures, GlobalMemory, Lds, Permission};

// points: 12

const MEMORY: u64 = 0x10_0000;
const NO_APERTURES: Apertures = Apertures {
    shared_base: 0,
    private_base: 0,
    ptr32: false,
};

/// A D# bit by bit, as the tables number them.
struct D(TensorGroups);

impl D {
    /// One tile at the start of [`MEMORY`] and of LDS, of elements of `1 << data_size` bytes.
    fn new(data_size: u64) -> Self {
        let mut d = Self(TensorGroups::default());
        d.set(0, 0, 2, 1);
        d.set(0, 64, 57, MEMORY);
        d.set(0, 126, 2, 2);
        d.set(1, 16, 2, data_size);
        d
    }

    fn set(&mut self, group: usize, first: usize, width: usize, value: u64) -> &mut Self {
        let g = &mut self.0;
        let words: &mut [u32] = match group {
            0 => &mut g.group0,
            1 => &mut g.group1,
            2 => &mut g.group2,
            _ => &mut g.group3,
        };
        for i in 0..width {
            let (at, bit) = (first + i, (value >> i & 1) as u32);
            words[at / 32] = words[at / 32] & !(1 << (at % 32)) | bit << (at % 32);
        }
        self
    }

    /// Two dimensions: the tensor's, the tile's, and the stride of a line.
    fn plane(&mut self, tensor: [u64; 2], tile: [u64; 2], stride: u64) -> &mut Self {
        self.set(1, 48, 32, tensor[0]).set(1, 80, 32, tensor[1]);
        self.set(1, 112, 16, tile[0]).set(1, 128, 16, tile[1]);
        self.set(1, 160, 48, stride)
    }

    fn decode(&self, access: Access) -> TensorDescriptor {
        TensorDescriptor::decode(&self.0, access)
            .expect("nothing open")
            .expect("a tensor")
    }

    fn refusal(&self, access: Access) -> &'static str {
        TensorDescriptor::decode(&self.0, access).expect_err("an open field")
    }
}

struct Bench {
    memory: GlobalMemory,
    lds: Lds,
    port: Port,
}

impl Bench {
    /// 4 KiB of memory whose dword n holds n, 256 bytes of LDS full of 0xff.
    fn new() -> Self {
        let mut memory = GlobalMemory::new();
        let bytes: Vec<u8> = (0u32..1024).flat_map(u32::to_le_bytes).collect();
        memory
            .map_bytes(MEMORY, &bytes, Permission::ReadWrite, "memory")
            .expect("nothing is there");
        let mut lds = Lds::new(256);
        lds.bytes_mut().fill(0xff);
        Self {
            memory,
            lds,
            port: Port::new(Rules::new(Generation::Cdna5)),
        }
    }

    fn load(&mut self, d: &D) -> TensorBytes {
        let d = d.decode(Access::Load);
        d.load(
            &self.memory,
            &mut self.lds,
            &NO_APERTURES,
            &mut self.port,
            &mut || true,
        )
        .unwrap()
    }

    fn store(&mut self, d: &D) -> TensorBytes {
        let d = d.decode(Access::Store);
        d.store(
            &self.memory,
            &self.lds,
            &NO_APERTURES,
            &mut self.port,
            &mut || true,
        )
        .unwrap()
    }

    /// Dwords of LDS from the start.
    fn lds<const N: usize>(&self) -> [u32; N] {
        let words = self.lds.bytes().as_chunks::<4>().0;
        std::array::from_fn(|i| u32::from_le_bytes(words[i]))
    }

    /// A dword of memory.
    fn memory(&self, dword: u64) -> u32 {
        let mut bytes = [0; 4];
        assert!(self.memory.read(MEMORY + 4 * dword, &mut bytes));
        u32::from_le_bytes(bytes)
    }
}

/// What LDS holds where nothing was written.
const OLD: u32 = 0xffff_ffff;

// rule: the fields of D# and their codes; section CDNA 5 ISA 10.11.4, tables 62 to 65.
#[test]
fn every_field_lies_where_the_tables_have_it() {
    let mut d = D::new(3);
    d.set(0, 32, 32, 0x8765_4321);
    d.set(0, 64, 57, 0x1aa_5566_7788_99bb);
    d.set(1, 18, 1, 1).set(1, 32, 16, 0x8003);
    d.set(1, 20, 1, 1).set(1, 22, 3, 7).set(1, 25, 7, 127);
    d.plane(
        [0x1234_5678, 0x9abc_def0],
        [0x1111, 0x2222],
        0x1234_5678_9abc,
    );
    d.set(1, 144, 16, 0x3333).set(1, 208, 48, 0x0fed_cba9_8765);
    d.set(2, 0, 32, 0xa1a2_a3a4).set(2, 32, 32, 0xb1b2_b3b4);
    d.set(2, 64, 48, 0xc1c2_c3c4_c5c6).set(2, 112, 16, 0x4444);
    d.set(3, 0, 48, 0xd1d2_d3d4_d5d6);
    d.set(3, 48, 32, 0xe1e2_e3e4).set(3, 80, 16, 0x5555);
    let want = TensorDescriptor {
        lds_address: 0x8765_4321,
        global_address: 0x1aa_5566_7788_99bb,
        element_bytes: 8,
        tensor: [
            0x1234_5678,
            0x9abc_def0,
            0xa1a2_a3a4,
            0xb1b2_b3b4,
            0xe1e2_e3e4,
        ],
        tile: [0x1111, 0x2222, 0x3333, 0x4444, 0x5555],
        strides: [
            0x1234_5678_9abc,
            0x0fed_cba9_8765,
            0xc1c2_c3c4_c5c6,
            0xd1d2_d3d4_d5d6,
        ],
        // 256 dwords, then 128 left out.
        padding: Some(TensorPadding {
            interval: 1024,
            amount: 512,
        }),
        iteration: None,
        rows: None,
        // Bits 18:3.
        barrier: Some(0x4_0018),
    };
    assert_eq!(d.decode(Access::Load), want);
    // Padding is of loads.
    assert_eq!(d.decode(Access::Store).padding, None);
    // With iteration the fourth dimension's fields say something else.
    d.set(1, 19, 1, 1).set(3, 80, 16, 0).set(2, 112, 16, 255);
    let iterating = d.decode(Access::Load);
    assert_eq!(
        iterating.iteration,
        Some(TensorIteration {
            count: 256,
            lds_increment: 0xb1b2_b3b4,
            global_increment: 0xc1c2_c3c4_c5c6,
        })
    );
    assert_eq!(iterating.tile[3..], [0, 0]);
    // No tensor.
    d.set(0, 0, 2, 0);
    assert_eq!(TensorDescriptor::decode(&d.0, Access::Load), Ok(None));
}

// rule: elements past tensor_dim read zero and are not stored; section CDNA 5 ISA 10.11.2, 10.11.6.
#[test]
fn a_tile_past_the_tensor_loads_zeros_and_stores_nothing() {
    // 3 by 3 dwords of a tensor with lines of 16 dwords, of which 2 by 2 are left.
    let mut b = Bench::new();
    let mut d = D::new(2);
    d.plane([2, 2], [3, 3], 16);
    d.set(0, 64, 57, MEMORY + 4 * 5);
    let moved = b.load(&d);
    assert_eq!(b.lds(), [5, 6, 0, 21, 22, 0, 0, 0, 0, OLD]);
    assert_eq!(
        moved,
        TensorBytes {
            global: 16,
            lds: 36
        }
    );
    // Back to memory from LDS of 100, 101, ...
    for (i, word) in b.lds.bytes_mut().chunks_exact_mut(4).enumerate() {
        word.copy_from_slice(&(100 + i as u32).to_le_bytes());
    }
    assert_eq!(
        b.store(&d),
        TensorBytes {
            global: 16,
            lds: 16
        }
    );
    let line = |at: u64| [0, 1, 2].map(|x| b.memory(at + x));
    assert_eq!(
        [line(5), line(21), line(37)],
        [[100, 101, 7], [103, 104, 23], [37, 38, 39]]
    );
    assert!(b.port.faults.is_empty());
}

// rule: an element is 1, 2, 4 or 8 bytes, and all lengths and strides count elements; section CDNA 5 ISA
// 10.11.2.
#[test]
fn lengths_and_strides_count_elements() {
    // Memory's bytes are 0 0 0 0 1 0 0 0 2 0 0 0 3 ...: bytes 3 to 5, then 8 to 10.
    let mut b = Bench::new();
    let mut d = D::new(0);
    b.load(d.plane([9, 9], [3, 2], 5).set(0, 64, 57, MEMORY + 3));
    assert_eq!(b.lds.bytes()[..7], [0, 1, 0, 2, 0, 0, 255]);
    // Shorts 0 to 2, then 5 to 7.
    let mut b = Bench::new();
    b.load(D::new(1).plane([9, 9], [3, 2], 5));
    assert_eq!(b.lds(), [0, 1, 3, OLD]);
    let mut b = Bench::new();
    b.load(D::new(3).plane([9, 9], [1, 2], 5));
    assert_eq!(b.lds(), [0, 1, 10, 11, OLD]);
}

// rule: five dimensions, those that are not used being 0; section CDNA 5 ISA 10.11.2.
#[test]
fn each_dimension_has_a_stride_of_its_own() {
    let mut b = Bench::new();
    let mut d = D::new(2);
    d.plane([9, 9], [1, 2], 3)
        .set(1, 144, 16, 2)
        .set(1, 208, 48, 10);
    d.set(2, 0, 32, 9)
        .set(2, 32, 32, 9)
        .set(2, 64, 48, 100)
        .set(2, 112, 16, 2);
    d.set(3, 0, 48, 500).set(3, 48, 32, 1).set(3, 80, 16, 2);
    b.load(&d);
    // The fifth dimension has one element left, so that the second half is zeros.
    let want = [0, 3, 10, 13, 100, 103, 110, 113];
    assert_eq!(b.lds::<8>(), want);
    assert_eq!(b.lds::<17>()[8..], [0, 0, 0, 0, 0, 0, 0, 0, OLD]);
    d.set(3, 48, 32, 2);
    b.load(&d);
    assert_eq!(b.lds::<16>()[8..], want.map(|v| v + 500));
    // Without the second dimension.
    let mut b = Bench::new();
    d.set(1, 128, 16, 0).set(1, 80, 32, 0).set(3, 80, 16, 0);
    b.load(&d);
    assert_eq!(b.lds(), [0, 10, 100, 110, OLD]);
    // tile_dim0 of 0: nothing.
    let mut b = Bench::new();
    b.load(d.set(1, 112, 16, 0));
    b.store(&d);
    assert_eq!(b.lds(), [OLD]);
}

// rule: pad_interval and pad_amount; gaps keep what they hold; section CDNA 5 ISA 10.11.2.
#[test]
fn padding_leaves_gaps_that_go_on_from_line_to_line() {
    let mut b = Bench::new();
    let mut d = D::new(2);
    d.plane([9, 9], [3, 2], 16).set(1, 20, 1, 1);
    // A dword after every two.
    b.load(&d);
    assert_eq!(b.lds(), [0, 1, OLD, 2, 16, OLD, 17, 18, OLD]);
    // Three dwords after every four.
    let mut b = Bench::new();
    b.load(d.set(1, 22, 3, 1).set(1, 25, 7, 2));
    assert_eq!(b.lds(), [0, 1, 2, 16, OLD, OLD, OLD, 17, 18, OLD]);
    // A line that comes up to the last dword: the gap after it is no violation.
    let mut b = Bench::new();
    b.load(d.plane([9, 9], [4, 1], 0).set(0, 32, 32, 240));
    assert_eq!(b.lds::<64>()[59..], [OLD, 0, 1, 2, 3]);
    assert!(b.port.faults.is_empty());
    d.plane([9, 9], [3, 1], 0).set(1, 16, 2, 0);
    let why = d.refusal(Access::Load);
    assert!(
        why.contains("pad_enable") && why.contains("tile_dim0"),
        "{why}"
    );
    assert!(TensorDescriptor::decode(&d.0, Access::Store).is_ok());
}

// rule: iteration; section CDNA 5 ISA 10.11.3.1.
#[test]
fn iteration_moves_a_tile_again_at_other_addresses() {
    let mut b = Bench::new();
    let mut d = D::new(2);
    // Rows 0 and 2 of four to LDS, then rows 1 and 3 behind a dword.
    d.plane([2, 2], [2, 2], 20).set(1, 19, 1, 1);
    d.set(2, 32, 32, 5).set(2, 64, 48, 10).set(2, 112, 16, 1);
    b.load(&d);
    assert_eq!(b.lds(), [0, 1, 20, 21, OLD, 10, 11, 30, 31, OLD]);
    // The count of bytes since the last gap starts again.
    let mut b = Bench::new();
    d.plane([3, 1], [3, 1], 0).set(1, 20, 1, 1);
    b.load(&d);
    assert_eq!(b.lds(), [0, 1, OLD, 2, OLD, 10, 11, OLD, 12, OLD]);
    d.set(2, 112, 16, 256);
    assert!(d.refusal(Access::Load).contains("iterate_count"));
    d.set(2, 112, 16, 0).set(3, 80, 16, 1);
    assert!(d.refusal(Access::Load).contains("iterate_enable"));
}

// rule: gather and scatter by row indices; section CDNA 5 ISA 10.11.3.2, tables 66 and 67.
#[test]
fn gather_and_scatter_take_rows_by_index() {
    let mut b = Bench::new();
    let mut d = D::new(2);
    // 14 rows of one dword; the thirteenth and fourteenth are in dword 2 of group 3. iterate_enable and
    // the third dimension say nothing here.
    d.plane([9, 100], [1, 14], 10).set(0, 31, 1, 1);
    d.set(1, 19, 1, 1).set(1, 144, 16, 7);
    for row in 0..8 {
        d.set(2, 16 * row, 16, 9 - row as u64);
        d.set(3, 16 * row, 16, 50 + row as u64);
    }
    b.load(&d);
    let want = [
        90, 80, 70, 60, 50, 40, 30, 20, 500, 510, 520, 530, 540, 550, OLD,
    ];
    assert_eq!(b.lds(), want);
    // Two 32-bit rows of two dwords, the second past the tensor.
    let mut b = Bench::new();
    d.set(0, 30, 1, 1).plane([9, 7], [2, 2], 10);
    d.set(2, 0, 32, 6).set(2, 32, 32, 0x1_0000);
    b.load(&d);
    assert_eq!(b.lds(), [60, 61, 0, 0, OLD]);
    b.lds.bytes_mut()[..4].copy_from_slice(&77u32.to_le_bytes());
    b.store(&d);
    assert_eq!([b.memory(60), b.memory(61)], [77, 61]);
    assert!(b.port.faults.is_empty());
    // "Correct handling of out-of-bounds accesses only occurs when each index is greater than or equal to
    // the previous index."
    d.set(2, 0, 32, 0x1_0000).set(2, 32, 32, 6);
    assert!(d.refusal(Access::Load).contains("row indices"));
    d.set(1, 128, 16, 9);
    assert!(d.refusal(Access::Load).contains("tile_dim1"));
}

// rule: violations are told once and the rest goes on; section CDNA 5 ISA 10.11.6.
#[test]
fn a_violation_is_told_once_and_the_rest_moves() {
    // Memory ends after the second dword of each line of two.
    let mut b = Bench::new();
    let mut d = D::new(2);
    d.set(0, 64, 57, MEMORY + 4096 - 4).plane([9, 9], [2, 2], 0);
    b.load(&d);
    assert_eq!(b.lds(), [1023, 0, 1023, 0, OLD]);
    let [fault] = &b.port.take_faults()[..] else {
        panic!("one fault");
    };
    assert_eq!(
        (fault.kind, fault.space, fault.address, fault.size),
        (FaultKind::Unmapped, Space::Global, MEMORY + 4096, 4)
    );
    b.store(&d);
    assert_eq!(b.port.take_faults().len(), 1);
    // Past the end of LDS, in whole elements: the first fits, the second would lie across it.
    let mut b = Bench::new();
    let mut d = D::new(3);
    d.set(0, 32, 32, 244).plane([9, 9], [2, 2], 2);
    b.load(&d);
    assert_eq!(b.lds::<64>()[60..], [OLD, 0, 1, OLD]);
    let faults = b.port.take_faults();
    assert_eq!(faults.len(), 1);
    assert_eq!(
        (faults[0].kind, faults[0].address, faults[0].limit),
        (FaultKind::LdsRange, 252, Some(256))
    );
    b.lds.bytes_mut().fill(0xff);
    b.store(&d);
    assert_eq!(b.port.take_faults().len(), 1);
    assert_eq!([0, 1, 2, 3].map(|i| b.memory(i)), [OLD, OLD, 2, 3]);
    // An address in the hole.
    d.set(0, 32, 32, 0).set(0, 64, 57, 1 << 56);
    b.load(&d);
    assert_eq!(b.port.take_faults()[0].kind, FaultKind::Hole);
    // A store to memory that may only be read.
    let base = 0x20_0000;
    b.memory
        .map_zeroed(base, 64, Permission::ReadOnly, "constants")
        .expect("nothing is there");
    b.store(d.set(0, 64, 57, base));
    assert_eq!(b.port.take_faults()[0].kind, FaultKind::ReadOnly);
}

// A padded row's last gap may lie past the allocation: a reading of "outside the LDS space" (10.11.6).
// rule: a padded row's last gap may lie past the allocation; section CDNA 5 ISA 10.11.6.
#[test]
fn a_store_does_not_read_lds_for_what_it_drops() {
    let mut b = Bench::new();
    let mut d = D::new(2);
    // Rows of two dwords and a gap; the tile ends at 20 + 12 * 20 = 260 bytes.
    d.set(0, 32, 32, 20).plane([2, 20], [3, 20], 2);
    assert_eq!(b.store(&d).lds, 160);
    assert!(b.port.faults.is_empty());
    b.store(d.set(1, 48, 32, 3));
    assert_eq!(b.port.faults.len(), 1);
}

// rule: the fields of a context restore are refused by name; section no manual says: what they do.
#[test]
fn fields_of_a_context_restore_are_refused_by_name() {
    for (first, name) in [
        (2, "is_restore"),
        (3, "is_store"),
        (10, "User_null"),
        (1, "count"),
    ] {
        let mut d = D::new(2);
        d.plane([1, 1], [1, 1], 1).set(0, first, 1, 1);
        let why = d.refusal(Access::Load);
        assert!(why.contains(name), "{name}: {why}");
    }
    let mut d = D::new(2);
    d.plane([1, 1], [1, 1], 1).set(0, 126, 2, 0);
    assert!(d.refusal(Access::Load).contains("type"));
    let mut d = D::new(2);
    d.set(1, 18, 1, 1);
    assert!(d.refusal(Access::Load).contains("atomic_barrier_enable"));
}

// However large a tile is, work ends where LDS does.
// rule: however large a tile is, work ends where LDS does; section CDNA 5 ISA 10.11.6.
#[test]
fn the_largest_tile_ends_with_lds() {
    let mut d = D::new(0);
    d.plane([1, u64::from(u32::MAX)], [1, 0xffff], 0);
    d.set(1, 144, 16, 0xffff).set(2, 0, 32, 1 << 31);
    d.set(2, 32, 32, 1 << 31).set(2, 112, 16, 0xffff);
    d.set(3, 48, 32, 1 << 31).set(3, 80, 16, 0xffff);
    let mut b = Bench::new();
    assert_eq!(b.load(&d).lds, 256);
    assert_eq!(b.store(&d).lds, 256);
    assert_eq!(b.port.faults.len(), 2);
}
