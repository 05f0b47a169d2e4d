//! Translated code beside the handlers: the same registers, LDS and counters whatever the operands.

mod modified;
mod operations;

use super::recipe::Work;
use super::{NONE, WARM};
use crate::machine::{Barrier, Env, Machine};
use crate::program::{Program, Registers, Step};
use crate::stats::Stats;
use crate::wave::{Mode, Wave, sreg};
use waveglass_asm::LineAssembler;
use waveglass_isa::{Decoder, Inst, Target};
use waveglass_mem::{GlobalMemory, Lds, Port};

const VGPRS: u32 = 48;
const LDS_SIZE: u32 = 4096;
/// Where the addresses of LDS accesses are.
const ADDRESS: usize = 40;

/// Random dwords.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        (crate::testing::xorshift(&mut self.0) >> 16) as u32
    }
}

/// Operands at which arithmetic has its edges: zeros, denormals, infinities, NaN, the ends of integers.
const EDGES: [u32; 20] = [
    0,
    0x8000_0000,
    1,
    0x8000_0001,
    0x007f_ffff,
    0x0080_0000,
    0x3f80_0000,
    0xbf80_0000,
    0x4f00_0000,
    0xcf00_0000,
    0x4f80_0000,
    0x7f7f_ffff,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0x7f80_0001,
    0xffff_ffff,
    0x7fff_ffff,
    0xffc0_1234,
    31,
];

/// What operands are like.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Operands {
    /// Floats of usual size, LDS addresses in range.
    Usual,
    /// The same of halves, two in each dword.
    Halves,
    /// Any bits, addresses in range.
    Any,
    /// Edges among them, and addresses past the end.
    Edges,
}

/// Two equal waves and their LDS, with a program.
struct Pair {
    program: Program,
    waves: [Wave; 2],
    lds: [Lds; 2],
    stats: [Stats; 2],
}

impl Pair {
    fn new(target: Target, lanes: u32, text: &[&str]) -> Self {
        let mut assembler = LineAssembler::new(target, lanes);
        let mut assemble = |line: &str| {
            assembler
                .assemble(line)
                .unwrap_or_else(|e| panic!("{target:?}: {line}: {}", e.message))
        };
        let code: Vec<Inst> = text.iter().map(|line| assemble(line)).collect();
        let pair = Self::of(target, lanes, &code);
        for (op, line) in pair.program.ops().iter().zip(text) {
            assert!(
                Work::of(op).is_some() || line.starts_with("s_wait") || line.starts_with("s_nop"),
                "{target:?}: {line} has no translation"
            );
        }
        pair
    }

    /// With a program of these instructions.
    fn of(target: Target, lanes: u32, instructions: &[Inst]) -> Self {
        let end = LineAssembler::new(target, lanes).assemble("s_endpgm");
        let end = end.expect("every target has it");
        let mut code = Vec::new();
        for inst in instructions.iter().chain([&end]) {
            for word in &inst.words()[..inst.size() / 4] {
                code.extend(word.to_le_bytes());
            }
        }
        let registers = Registers {
            vgprs: VGPRS,
            agprs: 0,
        };
        let program = Program::compile(target, lanes, &code, 0x1000, &[0x1000], registers);
        let wave = Wave::new(target, lanes, VGPRS as usize, 0);
        Self {
            program,
            waves: [wave.clone(), wave],
            lds: [Lds::new(LDS_SIZE), Lds::new(LDS_SIZE)],
            stats: Default::default(),
        }
    }

    fn fill(&mut self, operands: Operands, exec: u64, random: &mut Random) {
        let wave = &mut self.waves[0];
        let value = |random: &mut Random| match operands {
            // Between 1/8 and 16, of either sign.
            Operands::Usual => {
                let x = random.next();
                x & 0x807f_ffff | (0x3e00_0000 + (x >> 24 & 7) * 0x0080_0000)
            }
            Operands::Halves => {
                let x = random.next();
                x & 0x83ff_83ff | (0x3000_3000 + (x >> 10 & 0x0003_0003) * 0x0400)
            }
            Operands::Any => random.next(),
            Operands::Edges => match random.next() % 3 {
                0 => EDGES[random.next() as usize % EDGES.len()],
                1 => random.next() % 64,
                _ => random.next(),
            },
        };
        for register in 0..VGPRS as usize {
            for lane in 0..wave.lanes() {
                wave.set_lane(register, lane, value(random));
            }
        }
        for s in 0..sreg::VCC_HI + 1 {
            wave.sgpr[s] = value(random);
        }
        wave.scc = random.next() & 1 != 0;
        // Consecutive, the same for all, rows of a tile, scattered, unaligned.
        let (kind, base) = (random.next() % 5, random.next() % 64 * 4);
        for lane in 0..wave.lanes() {
            let l = lane as u32;
            let mut at = match kind {
                0 => base + 4 * l,
                1 => base,
                2 => base + l / 16 * 64,
                3 => random.next() % 512 * 4,
                _ => random.next() % 2048,
            };
            if operands == Operands::Edges && random.next().is_multiple_of(64) {
                at = [LDS_SIZE - 4, LDS_SIZE, u32::MAX - 3, 0x8000_0000][l as usize % 4];
            }
            wave.set_lane(ADDRESS, lane, at);
        }
        wave.set_exec(wave.full_mask() & exec);
        for byte in self.lds[0].bytes_mut() {
            *byte = random.next() as u8;
        }
        self.waves[1] = self.waves[0].clone();
        self.lds[1] = self.lds[0].clone();
    }

    /// Runs one of the two from start to end, in translated code as far as that goes where `native`
    /// holds; gives how many instructions ran in it.
    fn run(&mut self, which: usize, native: bool) -> u32 {
        let target = self.program.target();
        let env = Env::alone(target, LDS_SIZE);
        let (mut barrier, memory) = (Barrier::new(1), GlobalMemory::new());
        let mut port = Port::new(crate::dispatch::rules(target));
        let ops = self.program.ops();
        let (mut ip, mut translated) = (0, 0);
        while let Some(op) = ops.get(ip as usize) {
            let mut m = Machine {
                wave: &mut self.waves[which],
                lds: &mut self.lds[which],
                barrier: &mut barrier,
                memory: &memory,
                port: &mut port,
                env: &env,
                stats: &mut self.stats[which],
            };
            if native
                && op.fragment != NONE
                && let Some(done) = self
                    .program
                    .fragments()
                    .run(&mut m, ops, op.fragment, u32::MAX)
            {
                translated += done.used;
                ip = done.next;
                continue;
            }
            m.stats.by_family[op.family as usize] += 1;
            match (op.run)(&mut m, op) {
                Step::Next => {
                    m.stats.by_family[crate::stats::Family::Salu as usize] += u64::from(op.skipped);
                    ip = op.live;
                }
                Step::Goto(i) => ip = i,
                Step::End => break,
                other => panic!("{other:?}"),
            }
        }
        translated
    }

    fn compare(&self, what: &str) {
        let [handlers, native] = &self.waves;
        for register in 0..VGPRS as usize {
            for lane in 0..handlers.lanes() {
                let (x, y) = (handlers.lane(register, lane), native.lane(register, lane));
                assert_eq!(x, y, "{what}: v{register} lane {lane}: {x:#x} {y:#x}");
            }
        }
        assert_eq!(handlers.sgpr, native.sgpr, "{what}");
        assert_eq!(handlers.scc, native.scc, "{what}");
        assert_eq!(self.lds[0].bytes(), self.lds[1].bytes(), "{what}");
        assert_eq!(self.stats[0], self.stats[1], "{what}");
        assert_eq!(handlers.fault_count, native.fault_count, "{what}");
    }
}

/// Runs each instruction of a list after another one, then all of them together, with operands of every
/// kind.
fn check(target: Target, lanes: u32, text: &[&str]) {
    let first = "v_mov_b32 v47, v46";
    let mut programs: Vec<Vec<&str>> = text
        .iter()
        .filter(|line| !line.starts_with("s_wait"))
        .map(|line| vec![first, *line])
        .collect();
    programs.push(text.to_vec());
    for program in programs {
        together(target, lanes, &program);
    }
}

/// Runs a program with operands of every kind, by the handlers and in translated code.
fn together(target: Target, lanes: u32, program: &[&str]) {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut pair = Pair::new(target, lanes, program);
    if !super::supported() {
        return;
    }
    let mut whole = 0;
    for round in 0..4 * WARM + 192 {
        let operands = match round % 6 {
            0 | 1 => Operands::Usual,
            2 | 3 => Operands::Halves,
            4 => Operands::Any,
            _ => Operands::Edges,
        };
        // Half of the rounds with lanes off, once all of them.
        let exec = match round / 6 % 4 {
            0 | 2 => u64::MAX,
            1 => u64::from(random.next()) << 32 | u64::from(random.next()),
            _ => [1, 0, 0xffff_0000_ffff_0000, 1 << 31][round as usize / 24 % 4],
        };
        pair.fill(operands, exec, &mut random);
        for wave in &mut pair.waves {
            wave.mode = mode(round / 24);
        }
        pair.run(0, false);
        let translated = pair.run(1, true);
        pair.compare(&format!(
            "{target:?} {program:?} {operands:?} {exec:#x} {round}"
        ));
        whole += u32::from(translated as usize == program.len());
    }
    // Usual operands make nothing give up, so a third of the rounds that are warm ran as a whole.
    let alone = program.len() == 2;
    assert!(!alone || whole >= 32, "{target:?} {program:?}: {whole}");
}

/// MODE by turns: denormals kept, or those of singles flushed.
fn mode(turn: u32) -> Mode {
    Mode(if turn.is_multiple_of(2) { 0xf0 } else { 0xc0 })
}

#[test]
fn scalar_operations() {
    check(
        Target::Gfx900,
        64,
        &[
            "s_mov_b32 s0, s1",
            "s_mov_b64 s[2:3], 0x12345678",
            "s_mov_b64 s[2:3], s[8:9]",
            "s_add_u32 s0, s1, s2",
            "s_addc_u32 s3, s4, 0x80000001",
            "s_addc_u32 s3, -1, s4",
            "s_sub_u32 s5, s6, s7",
            "s_subb_u32 s5, s6, s7",
            "s_subb_u32 s5, s6, -1",
            "s_add_i32 s0, s0, s1",
            "s_sub_i32 s0, 5, s1",
            "s_and_b32 s0, s1, s2",
            "s_and_b64 s[0:1], s[2:3], vcc",
            "s_or_b32 s0, s1, 0",
            "s_or_b64 vcc, s[2:3], exec",
            "s_xor_b32 s0, s0, s0",
            "s_xor_b64 s[0:1], s[2:3], -1",
            "s_andn2_b32 s0, s1, s2",
            "s_andn2_b64 s[0:1], exec, vcc",
            "s_mul_i32 s0, s1, s2",
            "s_lshl_b32 s0, s1, 7",
            "s_lshl_b32 s0, s1, s2",
            "s_lshl_b64 s[0:1], s[2:3], s4",
            "s_lshr_b32 s0, s1, s2",
            "s_lshr_b64 s[0:1], s[2:3], 40",
            "s_ashr_i32 s0, s1, s2",
            "s_ashr_i64 s[0:1], s[2:3], s4",
            "s_cselect_b32 s0, s1, s2",
            "s_cselect_b64 s[0:1], s[2:3], -1",
            "s_cmp_eq_u32 s0, s1",
            "s_cmp_lg_i32 s0, 3",
            "s_cmp_gt_i32 s0, s1",
            "s_cmp_ge_i32 s0, s1",
            "s_cmp_lt_i32 s0, s1",
            "s_cmp_le_i32 s0, s1",
            "s_cmp_gt_u32 s0, s1",
            "s_cmp_ge_u32 s0, s1",
            "s_cmp_lt_u32 s0, s1",
            "s_cmp_le_u32 s0, s1",
            "s_cmp_eq_u64 s[0:1], s[0:1]",
            "s_cmp_lg_u64 s[0:1], 0",
            "s_addk_i32 s0, 0x8000",
            "s_cmpk_gt_u32 s0, 0xfff0",
            "s_cmpk_lt_i32 s0, 0xfff0",
            "s_cmpk_lg_i32 s0, 0x7fff",
        ],
    );
    check(
        Target::Gfx1200,
        32,
        &[
            "s_add_nc_u64 s[0:1], s[2:3], s[4:5]",
            "s_sub_nc_u64 s[0:1], s[2:3], 7",
            "s_add_co_ci_u32 s0, s1, s2",
        ],
    );
}

#[test]
fn lanes_by_their_number() {
    for (target, lanes) in [(Target::Gfx900, 64), (Target::Gfx1100, 32)] {
        check(
            target,
            lanes,
            &[
                "v_readlane_b32 s3, v1, 7",
                "v_readlane_b32 s4, v2, s3",
                "v_readfirstlane_b32 s5, v3",
                "v_writelane_b32 v1, s3, 63",
                "v_writelane_b32 v2, -9, s4",
                "v_writelane_b32 v3, 5, 17",
                "v_add3_u32 v1, v1, v2, v3",
                "v_readlane_b32 s3, v1, 17",
            ],
        );
    }
}

#[test]
fn changes_of_exec() {
    for last in [
        "s_mov_b64 exec, s[2:3]",
        "s_mov_b64 exec, -1",
        "s_mov_b32 exec_lo, s2",
        "s_mov_b32 exec_hi, s2",
        "s_and_saveexec_b64 s[4:5], s[6:7]",
        "s_or_saveexec_b64 s[4:5], -1",
        "s_xor_saveexec_b64 vcc, s[6:7]",
        "s_andn2_saveexec_b64 s[6:7], s[6:7]",
        "s_or_b64 exec, exec, s[6:7]",
        "s_andn2_b64 exec, exec, vcc",
        "v_cmpx_lt_u32 vcc, v1, v2",
        "v_cmpx_nle_f32 s[4:5], v1, v2",
        "v_cmpx_gt_i64 vcc, v[2:3], v[4:5]",
    ] {
        check(Target::Gfx900, 64, &[last]);
        let text = [
            "v_mov_b32 v1, v2",
            last,
            "v_mov_b32 v3, v4",
            "v_not_b32 v5, v3",
        ];
        check(Target::Gfx900, 64, &text);
    }
    check(
        Target::Gfx1100,
        32,
        &[
            "s_mov_b32 exec_lo, s2",
            "s_and_saveexec_b32 s4, vcc_lo",
            "s_and_not1_saveexec_b32 s4, s5",
            "v_cmpx_lt_u32 v1, v2",
            "v_cmpx_ge_f32 v1, |v2|",
        ],
    );
    check(Target::Gfx1100, 64, &["v_cmpx_lt_u32 v1, v2"]);
}

#[test]
fn branches() {
    for (target, lanes) in [(Target::Gfx900, 64), (Target::Gfx1100, 32)] {
        for branch in [
            "s_branch 2",
            "s_cbranch_scc0 2",
            "s_cbranch_scc1 2",
            "s_cbranch_vccz 2",
            "s_cbranch_vccnz 2",
            "s_cbranch_execz 2",
            "s_cbranch_execnz 2",
        ] {
            let text = [
                "s_and_b32 vcc_lo, vcc_lo, 1",
                "s_mov_b32 vcc_hi, 0",
                "v_add_f32 v1, v2, v3",
                branch,
                "s_nop 0",
                "v_mul_f32 v1, v1, v1",
                "v_mul_f32 v2, v1, v3",
                "v_mul_f32 v3, v1, v3",
            ];
            together(target, lanes, &text);
        }
    }
}

#[test]
fn random_instructions() {
    for &target in Target::ALL {
        let sizes: &[u32] = match target.major() {
            9 => &[64],
            10 | 11 => &[32, 64],
            _ => &[32],
        };
        for &lanes in sizes {
            random_programs(target, lanes);
        }
    }
}

/// Programs of what random bits decode to and has a translation.
fn random_programs(target: Target, lanes: u32) {
    let mut random = Random(0x1234_5678_9abc_def1);
    let decoder = Decoder::new(target).wave_size(lanes);
    let bench = crate::testing::Bench::new(target, lanes);
    let mut known = Vec::new();
    for _ in 0..40_000 {
        let words = [random.next(), random.next(), random.next(), random.next()];
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let Ok(inst) = decoder.decode(&bytes) else {
            continue;
        };
        // A branch would go anywhere.
        let branches = crate::program::branch_target(&inst, 0).is_some();
        if !branches && Work::of(&bench.compile(&inst)).is_some() {
            known.push(inst);
        }
    }
    assert!(known.len() > 200, "{target:?}: {}", known.len());
    for program in known
        .chunks(12)
        .take(if super::supported() { 40 } else { 0 })
    {
        let mut pair = Pair::of(target, lanes, program);
        let texts: Vec<&str> = program.iter().map(|i| i.mnemonic()).collect();
        for round in 0..4 * WARM + 24 {
            let operands = match round % 4 {
                0 => Operands::Usual,
                1 => Operands::Halves,
                2 => Operands::Any,
                _ => Operands::Edges,
            };
            let exec = match round % 2 {
                0 => u64::MAX,
                _ => u64::from(random.next()) << 32 | u64::from(random.next()),
            };
            pair.fill(operands, exec, &mut random);
            for wave in &mut pair.waves {
                wave.mode = mode(round / 4);
            }
            pair.run(0, false);
            pair.run(1, true);
            pair.compare(&format!(
                "{target:?} {texts:?} {operands:?} {exec:#x} {round}"
            ));
        }
    }
}

#[test]
fn near_relations_are_left_to_the_handlers() {
    for (target, lanes, text) in [
        (Target::Gfx1250, 32, "ds_load_tr16_b128 v[0:3], v4"),
        (Target::Gfx950, 64, "ds_read_b64_tr_b16 v[0:1], v4"),
        (Target::Gfx900, 64, "ds_read_b32 v1, v2 gds"),
        (Target::Gfx900, 64, "ds_write_b64 v1, v[2:3]"),
        (Target::Gfx900, 64, "ds_read_u16 v1, v2"),
        (Target::Gfx900, 64, "v_add_u32 v1, v2, v3 clamp"),
        (Target::Gfx900, 64, "s_mov_b32 m0, s1"),
        (Target::Gfx90a, 64, "v_add_f64 v[2:3], v[4:5], v[6:7] clamp"),
        (Target::Gfx1150, 32, "s_fmac_f32 s1, s2, s3"),
        (Target::Gfx1201, 32, "v_s_exp_f32 s1, s2"),
    ] {
        let mut assembler = LineAssembler::new(target, lanes);
        let inst = assembler
            .assemble(text)
            .unwrap_or_else(|e| panic!("{text}: {}", e.message));
        let op = crate::testing::Bench::new(target, lanes).compile(&inst);
        assert!(Work::of(&op).is_none(), "{text}");
    }
}

#[test]
fn the_handlers_run_where_the_translation_does_not_hold() {
    let mut pair = Pair::new(
        Target::Gfx1100,
        32,
        &["v_add_f32 v1, v2, v3", "v_mul_f32 v4, v1, v3"],
    );
    let text = ["v_add3_u32 v1, v2, v3, v4", "v_mov_b32 v4, v1"];
    let mut integers = Pair::new(Target::Gfx1100, 32, &text);
    if !super::supported() {
        return;
    }
    let mut random = Random(7);
    for round in 0..WARM + 8 {
        pair.fill(Operands::Usual, u64::MAX, &mut random);
        // Results rounded up, denormals of halves flushed.
        let mode = [0xf1, 0x30, 0xf0][round as usize % 3];
        for wave in &mut pair.waves {
            wave.mode = Mode(mode);
        }
        pair.run(0, false);
        let translated = pair.run(1, true);
        pair.compare(&format!("{round}"));
        integers.fill(Operands::Any, u64::MAX, &mut random);
        for wave in &mut integers.waves {
            wave.mode = Mode(mode);
        }
        integers.run(0, false);
        assert_eq!(integers.run(1, true) != 0, round >= WARM);
        integers.compare(&format!("integers {round}"));
        assert_eq!(translated != 0, mode == 0xf0 && round >= WARM, "{round}");
    }
}

#[test]
fn a_branch_into_the_middle_starts_a_fragment_of_its_own() {
    let text = [
        "v_add_u32 v1, v2, v3",
        "v_add_u32 v2, v1, v3",
        "v_add_u32 v3, v1, v2",
        "v_add_u32 v4, v1, v2",
    ];
    let mut assembler = LineAssembler::new(Target::Gfx900, 64);
    let mut words = Vec::new();
    // Back by three instructions of four bytes.
    for line in text.iter().chain(&["s_cbranch_scc1 0xfffd", "s_endpgm"]) {
        let inst = assembler.assemble(line).expect("known instructions");
        words.extend(inst.words()[0].to_le_bytes());
    }
    let registers = Registers {
        vgprs: VGPRS,
        agprs: 0,
    };
    let program = Program::compile(Target::Gfx900, 64, &words, 0x1000, &[0x1000], registers);
    if super::supported() {
        let starts: Vec<bool> = program.ops().iter().map(|o| o.fragment != NONE).collect();
        assert_eq!(starts, [true, false, true, false, false, false]);
    }
}
