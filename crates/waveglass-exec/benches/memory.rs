//! Memory instructions on one core, as ratios to plain host code that is measured in the same run.
//!
//! `cargo bench -p waveglass-exec --bench memory` prints one line a measurement: contiguous global
//! accesses beside memcpy over the same bytes, strided and random ones beside a scalar loop over the
//! same addresses, LDS accesses in millions of wave64 instructions a second. The loops' own scalar
//! and vector instructions count against Waveglass. Words after `--` choose lines by their text.

use std::hint::black_box;
use std::time::{Duration, Instant};
use waveglass_exec::{Dispatch, Limits, Program, Registers, ScratchArena, run};
use waveglass_isa::Target;
use waveglass_mem::{GlobalMemory, Permission};

// gfx900 code. Each kernel starts with the buffer's address in s[0:1], the workgroup's id in s2 and
// the lane in v0.

/// Sixteen `global_load_dword` of consecutive lanes, 4 KiB, then the address moves on; 256 times.
const LOAD_B32: &str = "0294038e0003008001800182840004100102027e0004003280020238000104b0008050dc00007f04008150dc00007f08008250dc00007f0c008350dc00007f10008450dc00007f04008550dc00007f08008650dc00007f0c008750dc00007f10008850dc00007f04008950dc00007f08008a50dc00007f0c008b50dc00007f10008c50dc00007f04008d50dc00007f08008e50dc00007f0c008f50dc00007f10ff000032001000008002023804818480048007bfdaff85bf000081bf";
/// Eight `global_load_dwordx2`, else as [`LOAD_B32`].
const LOAD_B64: &str = "0294038e0003008001800182880004100102027e0004003280020238000104b0008054dc00007f04008254dc00007f08008454dc00007f0c008654dc00007f10008854dc00007f04008a54dc00007f08008c54dc00007f0c008e54dc00007f10ff000032001000008002023804818480048007bfeaff85bf000081bf";
/// Four `global_load_dwordx4`, else as [`LOAD_B32`].
const LOAD_B128: &str = "0294038e0003008001800182900004100102027e0004003280020238000104b000805cdc00007f0400845cdc00007f0800885cdc00007f0c008c5cdc00007f10ff000032001000008002023804818480048007bff2ff85bf000081bf";
/// The stores beside [`LOAD_B32`].
const STORE_B32: &str = "0294038e0003008001800182840004100102027e0004003280020238000104b0008070dc00047f00008170dc00087f00008270dc000c7f00008370dc00107f00008470dc00047f00008570dc00087f00008670dc000c7f00008770dc00107f00008870dc00047f00008970dc00087f00008a70dc000c7f00008b70dc00107f00008c70dc00047f00008d70dc00087f00008e70dc000c7f00008f70dc00107f00ff000032001000008002023804818480048007bfdaff85bf000081bf";
/// The stores beside [`LOAD_B64`].
const STORE_B64: &str = "0294038e0003008001800182880004100102027e0004003280020238000104b0008074dc00047f00008274dc00087f00008474dc000c7f00008674dc00107f00008874dc00047f00008a74dc00087f00008c74dc000c7f00008e74dc00107f00ff000032001000008002023804818480048007bfeaff85bf000081bf";
/// The stores beside [`LOAD_B128`].
const STORE_B128: &str = "0294038e0003008001800182900004100102027e0004003280020238000104b000807cdc00047f0000847cdc00087f0000887cdc000c7f00008c7cdc00107f00ff000032001000008002023804818480048007bff2ff85bf000081bf";
/// 4,096 times eight `global_load_dword`; lane l of instruction k reads at `64 * (64 k + l)`.
const LOAD_STRIDED: &str = "ff0083beb179379e0003047e0102067eff3f05b0840008240582058e86000a24800a0a68000a20328006223886000a24ff0a0a6800100000000a24328006263886000a24ff0a0a6800200000000a283280062a3886000a24ff0a0a6800300000000a2c3280062e3886000a24ff0a0a6800400000000a30328006323886000a24ff0a0a6800500000000a34328006363886000a24ff0a0a6800600000000a383280063a3886000a24ff0a0a6800700000000a3c3280063e38001004b0008050dc10007f04008050dc12007f05008050dc14007f06008050dc16007f07008050dc18007f08008050dc1a007f09008050dc1c007f0a008050dc1e007f0b04818480048007bfedff85bf000081bf";
/// The same at `(64 k + l) * 0x9e3779b1 >> 10 & 0xfffc`.
const LOAD_RANDOM: &str = "ff0083beb179379e0003047e0102067eff3f05b0840008240582058e80000a68050085d2050700008a0a0a20050a0a26000a203280062238c0000a68050085d2050700008a0a0a20050a0a26000a243280062638ff000a6880000000050085d2050700008a0a0a20050a0a26000a283280062a38ff000a68c0000000050085d2050700008a0a0a20050a0a26000a2c3280062e38ff000a6800010000050085d2050700008a0a0a20050a0a26000a303280063238ff000a6840010000050085d2050700008a0a0a20050a0a26000a343280063638ff000a6880010000050085d2050700008a0a0a20050a0a26000a383280063a38ff000a68c0010000050085d2050700008a0a0a20050a0a26000a3c3280063e38001004b0008050dc10007f04008050dc12007f05008050dc14007f06008050dc16007f07008050dc18007f08008050dc1a007f09008050dc1c007f0a008050dc1e007f0b04818480048007bfedff85bf000081bf";
/// The stores beside [`LOAD_STRIDED`].
const STORE_STRIDED: &str = "ff0083beb179379e0003047e0102067eff3f05b0840008240582058e86000a24800a0a68000a20328006223886000a24ff0a0a6800100000000a24328006263886000a24ff0a0a6800200000000a283280062a3886000a24ff0a0a6800300000000a2c3280062e3886000a24ff0a0a6800400000000a30328006323886000a24ff0a0a6800500000000a34328006363886000a24ff0a0a6800600000000a383280063a3886000a24ff0a0a6800700000000a3c3280063e38001004b0008070dc10047f00008070dc12057f00008070dc14067f00008070dc16077f00008070dc18087f00008070dc1a097f00008070dc1c0a7f00008070dc1e0b7f0004818480048007bfedff85bf000081bf";
/// The stores beside [`LOAD_RANDOM`].
const STORE_RANDOM: &str = "ff0083beb179379e0003047e0102067eff3f05b0840008240582058e80000a68050085d2050700008a0a0a20050a0a26000a203280062238c0000a68050085d2050700008a0a0a20050a0a26000a243280062638ff000a6880000000050085d2050700008a0a0a20050a0a26000a283280062a38ff000a68c0000000050085d2050700008a0a0a20050a0a26000a2c3280062e38ff000a6800010000050085d2050700008a0a0a20050a0a26000a303280063238ff000a6840010000050085d2050700008a0a0a20050a0a26000a343280063638ff000a6880010000050085d2050700008a0a0a20050a0a26000a383280063a38ff000a68c0010000050085d2050700008a0a0a20050a0a26000a3c3280063e38001004b0008070dc10047f00008070dc12057f00008070dc14067f00008070dc16077f00008070dc18087f00008070dc1a097f00008070dc1c0a7f00008070dc1e0b7f0004818480048007bfedff85bf000081bf";
/// 4,096 times eight `global_load_ubyte` of consecutive lanes.
const LOAD_U8: &str = "810004100102027e0004003280020238001004b0008040dc00007f04408040dc00007f05808040dc00007f06c08040dc00007f07008140dc00007f08408140dc00007f09808140dc00007f0ac08140dc00007f0b04818480048007bfedff85bf000081bf";
/// The stores beside [`LOAD_U8`].
const STORE_U8: &str = "810004100102027e0004003280020238001004b0008060dc00047f00408060dc00057f00808060dc00067f00c08060dc00077f00008160dc00087f00408160dc00097f00808160dc000a7f00c08160dc000b7f0004818480048007bfedff85bf000081bf";
/// The same with `global_load_ushort`.
const LOAD_U16: &str = "820004100102027e0004003280020238001004b0008048dc00007f04808048dc00007f05008148dc00007f06808148dc00007f07008248dc00007f08808248dc00007f09008348dc00007f0a808348dc00007f0b04818480048007bfedff85bf000081bf";
/// The stores beside [`LOAD_U16`].
const STORE_U16: &str = "820004100102027e0004003280020238001004b0008068dc00047f00808068dc00057f00008168dc00067f00808168dc00077f00008268dc00087f00808268dc00097f00008368dc000a7f00808368dc000b7f0004818480048007bfedff85bf000081bf";
/// 4,096 times eight `global_load_dword` of consecutive lanes, of which EXEC has every other one.
const LOAD_HOLES: &str = "840004100102027e0004003280020238ff00febe55555555ff00ffbe55555555001004b0008050dc00007f04008150dc00007f05008250dc00007f06008350dc00007f07008450dc00007f08008550dc00007f09008650dc00007f0a008750dc00007f0b04818480048007bfedff85bf000081bf";
/// The stores beside [`LOAD_HOLES`].
const STORE_HOLES: &str = "840004100102027e0004003280020238ff00febe55555555ff00ffbe55555555001004b0008070dc00047f00008170dc00057f00008270dc00067f00008370dc00077f00008470dc00087f00008570dc00097f00008670dc000a7f00008770dc000b7f0004818480048007bfedff85bf000081bf";
/// 65,536 times sixteen `ds_read_b32`, lane l at `4 l + 256 k`.
const LDS_LOAD: &str = "ff0083beb179379efc3f05b082000224ff0084be0000010000006cd80100000400016cd80100000500026cd80100000600036cd80100000700046cd80100000800056cd80100000900066cd80100000a00076cd80100000b00086cd80100000c00096cd80100000d000a6cd80100000e000b6cd80100000f000c6cd801000010000d6cd801000011000e6cd801000012000f6cd80100001304818480048007bfddff85bf000081bf";
/// The same at `(l * 0x9e3779b1 >> 10 & 0x3ffc) + 256 k`.
const LDS_LOAD_SCATTERED: &str = "ff0083beb179379efc3f05b0010085d2000700008a02022005020226ff0084be0000010000006cd80100000400016cd80100000500026cd80100000600036cd80100000700046cd80100000800056cd80100000900066cd80100000a00076cd80100000b00086cd80100000c00096cd80100000d000a6cd80100000e000b6cd80100000f000c6cd801000010000d6cd801000011000e6cd801000012000f6cd80100001304818480048007bfddff85bf000081bf";
/// The stores beside [`LDS_LOAD`].
const LDS_STORE: &str = "ff0083beb179379efc3f05b082000224ff0084be0000010000001ad80104000000011ad80105000000021ad80106000000031ad80107000000041ad80108000000051ad80109000000061ad8010a000000071ad8010b000000081ad8010c000000091ad8010d0000000a1ad8010e0000000b1ad8010f0000000c1ad801100000000d1ad801110000000e1ad801120000000f1ad80113000004818480048007bfddff85bf000081bf";
/// The stores beside [`LDS_LOAD_SCATTERED`].
const LDS_STORE_SCATTERED: &str = "ff0083beb179379efc3f05b0010085d2000700008a02022005020226ff0084be0000010000001ad80104000000011ad80105000000021ad80106000000031ad80107000000041ad80108000000051ad80109000000061ad8010a000000071ad8010b000000081ad8010c000000091ad8010d0000000a1ad8010e0000000b1ad8010f0000000c1ad801100000000d1ad801110000000e1ad801120000000f1ad80113000004818480048007bfddff85bf000081bf";

const CODE: u64 = 0x1000;
const DATA: u64 = 0x1_0000_0000;
const MIB: usize = 1 << 20;
/// Workgroups of the contiguous kernels, 1 MiB each.
const GROUPS: u32 = 64;

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len() / 2)
        .map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).expect("hex digits"))
        .collect()
}

/// How long a line is measured at least, and how often.
const LONG_ENOUGH: Duration = Duration::from_millis(400);
const OFTEN_ENOUGH: usize = 7;

fn time(run: &mut impl FnMut()) -> Duration {
    let start = Instant::now();
    run();
    start.elapsed()
}

/// Numbers of rounds until it has been long and often enough.
fn rounds() -> impl Iterator<Item = usize> {
    let start = Instant::now();
    (0..).take_while(move |&n| n < OFTEN_ENOUGH || start.elapsed() < LONG_ENOUGH)
}

/// The best of several runs: the machine's other work only ever adds time.
fn best(mut run: impl FnMut()) -> Duration {
    run();
    let times = rounds().map(|_| time(&mut run));
    times.min().unwrap_or_default()
}

/// The best of several runs of either side, which take turns: what else the machine does meets both. A run of the
/// kernels of single lines takes about a millisecond, less than a busy machine's scheduler gives a thread at a
/// time: longer ones of ours would be interrupted more often than the host's.
fn best_of_both(mut ours: impl FnMut(), mut host: impl FnMut()) -> (Duration, Duration) {
    ours();
    host();
    let times = rounds().map(|_| (time(&mut ours), time(&mut host)));
    times
        .reduce(|best, next| (best.0.min(next.0), best.1.min(next.1)))
        .unwrap_or_default()
}

/// A kernel that a number of waves run on one thread.
struct Kernel<'a> {
    memory: &'a GlobalMemory,
    program: Program,
    dispatch: Dispatch,
}

impl<'a> Kernel<'a> {
    fn new(memory: &'a GlobalMemory, hex: &str, groups: u32) -> Self {
        let registers = Registers {
            vgprs: 32,
            agprs: 0,
        };
        let target = Target::Gfx900;
        let program = Program::compile(target, 64, &bytes(hex), CODE, &[], registers);
        let mut dispatch = Dispatch::of_code(target, 64, CODE, 64, groups, registers);
        dispatch.setup.kernarg_ptr = true;
        dispatch.setup.user_sgprs = 2;
        dispatch.setup.group_id = [true, false, false];
        dispatch.packet.group_segment = 64 << 10;
        dispatch.packet.kernarg = DATA;
        Self {
            memory,
            program,
            dispatch,
        }
    }

    fn run(&self) {
        let limits = Limits {
            threads: 1,
            ..Limits::default()
        };
        let arena = ScratchArena { base: 0, size: 0 };
        let (outcome, error) = run(
            &self.dispatch,
            &self.program,
            self.memory,
            arena,
            &limits,
            waveglass_exec::Watch::default(),
        );
        assert!(error.is_none(), "{error:?}");
        assert_eq!(outcome.fault_count, 0);
    }
}

/// Chooses lines by the command line's words.
struct Lines(Vec<String>);

impl Lines {
    fn wanted(&self, what: &str) -> bool {
        self.0.is_empty() || self.0.iter().any(|word| what.contains(word.as_str()))
    }

    /// A line about `accesses` accesses by lanes.
    fn ratio(
        &self,
        what: &str,
        target: f64,
        accesses: usize,
        ours: impl FnMut(),
        host: impl FnMut(),
    ) {
        if !self.wanted(what) {
            return;
        }
        let (ours, host) = best_of_both(ours, host);
        let ratio = ours.as_secs_f64() / host.as_secs_f64();
        let verdict = if ratio <= target { "ok" } else { "MISSED" };
        let each = |time: Duration| time.as_secs_f64() * 1e9 / accesses as f64;
        println!(
            "{what:<28} {ratio:5.2} x the host's time (at most {target}) {verdict:<6} {:6.3} and {:6.3} ns a lane",
            each(ours),
            each(host),
        );
    }

    fn rate(&self, what: &str, target: f64, count: usize, run: impl FnMut()) {
        if !self.wanted(what) {
            return;
        }
        let rate = count as f64 / best(run).as_secs_f64() / 1e6;
        let verdict = if rate >= target { "ok" } else { "MISSED" };
        println!("{what:<28} {rate:5.1} million a second (at least {target}) {verdict}");
    }
}

fn contiguous(memory: &GlobalMemory, lines: &Lines) {
    let source = vec![1u8; GROUPS as usize * MIB];
    let mut target = vec![0u8; GROUPS as usize * MIB];
    for (what, hex, bytes) in [
        ("load B32, contiguous", LOAD_B32, 4),
        ("load B64, contiguous", LOAD_B64, 8),
        ("load B128, contiguous", LOAD_B128, 16),
        ("store B32, contiguous", STORE_B32, 4),
        ("store B64, contiguous", STORE_B64, 8),
        ("store B128, contiguous", STORE_B128, 16),
    ] {
        let kernel = Kernel::new(memory, hex, GROUPS);
        let accesses = GROUPS as usize * MIB / bytes;
        lines.ratio(
            what,
            3.0,
            accesses,
            || kernel.run(),
            || black_box(&mut target[..]).copy_from_slice(black_box(&source)),
        );
    }
}

/// Times that the kernels of single lines, and the host's loops beside them, do their accesses.
const TIMES: usize = 0x1000;

fn spread(memory: &GlobalMemory, lines: &Lines) {
    let strided: Vec<usize> = (0..512).map(|i| i * 16).collect();
    let random: Vec<usize> = (0..512u32)
        .map(|i| (i.wrapping_mul(0x9e37_79b1) >> 10 & 0xfffc) as usize / 4)
        .collect();
    let mut data = vec![1u32; 16 << 10];
    let mut lanes = vec![0u32; 512];
    for (how, indices, load, store) in [
        ("strided", &strided, LOAD_STRIDED, STORE_STRIDED),
        ("random", &random, LOAD_RANDOM, STORE_RANDOM),
    ] {
        let accesses = TIMES * indices.len();
        let kernel = Kernel::new(memory, load, 1);
        lines.ratio(
            &format!("load B32, {how}"),
            2.0,
            accesses,
            || kernel.run(),
            || load_loop(&data, indices, &mut lanes),
        );
        let kernel = Kernel::new(memory, store, 1);
        lines.ratio(
            &format!("store B32, {how}"),
            2.0,
            accesses,
            || kernel.run(),
            || store_loop(&mut data, indices, &lanes, |v| v),
        );
    }
}

/// Bytes, shorts, and waves of which every other lane is off, beside a scalar loop over the same addresses.
fn parts(memory: &GlobalMemory, lines: &Lines) {
    let every: Vec<usize> = (0..512).collect();
    let other: Vec<usize> = (0..512).step_by(2).collect();
    let mut lanes = vec![0u32; 512];
    let (mut bytes, mut shorts, mut dwords) = (vec![1u8; 2048], vec![1u16; 2048], vec![1u32; 2048]);
    for (what, indices, size, hex) in [
        ("load U8, contiguous", &every, 1, LOAD_U8),
        ("load U16, contiguous", &every, 2, LOAD_U16),
        ("load B32, every other lane", &other, 4, LOAD_HOLES),
    ] {
        let kernel = Kernel::new(memory, hex, 1);
        let host = || match size {
            1 => load_loop(&bytes, indices, &mut lanes),
            2 => load_loop(&shorts, indices, &mut lanes),
            _ => load_loop(&dwords, indices, &mut lanes),
        };
        lines.ratio(what, 2.0, TIMES * indices.len(), || kernel.run(), host);
    }
    for (what, indices, size, hex) in [
        ("store U8, contiguous", &every, 1, STORE_U8),
        ("store U16, contiguous", &every, 2, STORE_U16),
        ("store B32, every other lane", &other, 4, STORE_HOLES),
    ] {
        let kernel = Kernel::new(memory, hex, 1);
        let host = || match size {
            1 => store_loop(&mut bytes, indices, &lanes, |v| v as u8),
            2 => store_loop(&mut shorts, indices, &lanes, |v| v as u16),
            _ => store_loop(&mut dwords, indices, &lanes, |v| v),
        };
        lines.ratio(what, 2.0, TIMES * indices.len(), || kernel.run(), host);
    }
}

/// The host's loads beside a kernel's.
#[inline(never)]
fn load_loop<T: Copy + Into<u32>>(data: &[T], indices: &[usize], lanes: &mut [u32]) {
    for _ in 0..TIMES {
        for (to, &from) in black_box(&mut *lanes).iter_mut().zip(black_box(indices)) {
            *to = data[from].into();
        }
    }
}

/// The host's stores beside a kernel's.
#[inline(never)]
fn store_loop<T>(data: &mut [T], indices: &[usize], lanes: &[u32], narrow: impl Fn(u32) -> T) {
    for _ in 0..TIMES {
        for (&from, &to) in black_box(lanes).iter().zip(black_box(indices)) {
            data[to] = narrow(from);
        }
        black_box(&mut *data);
    }
}

fn lds(memory: &GlobalMemory, lines: &Lines) {
    for (what, hex) in [
        ("LDS load B32, contiguous", LDS_LOAD),
        ("LDS load B32, scattered", LDS_LOAD_SCATTERED),
        ("LDS store B32, contiguous", LDS_STORE),
        ("LDS store B32, scattered", LDS_STORE_SCATTERED),
    ] {
        let kernel = Kernel::new(memory, hex, 1);
        lines.rate(what, 30.0, 16 << 16, || kernel.run());
    }
}

fn main() {
    let words = std::env::args().skip(1).filter(|a| !a.starts_with('-'));
    let lines = Lines(words.collect());
    let mut memory = GlobalMemory::new();
    let size = GROUPS as usize * MIB;
    memory
        .map_bytes(DATA, &vec![1; size], Permission::ReadWrite, "benchmark")
        .expect("64 MiB");
    contiguous(&memory, &lines);
    spread(&memory, &lines);
    parts(&memory, &lines);
    lds(&memory, &lines);
}
