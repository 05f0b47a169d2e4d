//! Runs an instruction and its formula on the same registers.

use crate::bench::Bench;
use crate::dest::Dest;
use crate::eval::Env;
use crate::float::{F64, Format, Special, exponent_of, power};
use crate::library::{Library, OtherHalf};
use crate::parser::Stmt;
use crate::random::{KINDS, Random, pair};
use crate::subject::{Home, Slot, Subject};
use waveglass::exec::Wave;
use waveglass::exec::wave::{Mode, sreg};
use waveglass::isa::{Access, Inst};

/// What came of a form of an instruction.
pub(crate) enum Outcome {
    /// The formula said what the executor did.
    Same,
    /// The formula cannot be evaluated, or the executor refuses.
    NotCompared(String),
    /// They differ.
    Differs(String),
}

/// One half of a pair, or the whole instruction.
pub(crate) struct Part<'a> {
    pub(crate) mnemonic: &'a str,
    pub(crate) half: Option<usize>,
}

/// How often registers are filled.
const ROUNDS: usize = 3;
/// The same for instructions without lanes.
const SCALAR_ROUNDS: usize = 120;

/// Compares an instruction with the formulas of its parts.
pub(crate) fn check(
    bench: &mut Bench,
    library: &Library,
    inst: &Inst,
    parts: &[Part<'_>],
) -> Outcome {
    let mut formulas = Vec::new();
    for p in parts {
        let formula = library.formula(p.mnemonic);
        let subject = Subject::new(inst, &bench.wave, p.half);
        match formula.and_then(|f| subject.map(|s| (f, s))) {
            Ok(found) => formulas.push((p.mnemonic, found.0, found.1)),
            Err(why) => return Outcome::NotCompared(why),
        }
    }
    let op = bench.compile(inst);
    let vector = inst.mnemonic().starts_with("v_") && !inst.mnemonic().starts_with("v_s_");
    let mut random = Random::new(parts[0].mnemonic);
    let rounds = if vector { ROUNDS } else { SCALAR_ROUNDS };
    for round in 0..rounds {
        let reads_lanes = formulas.iter().any(|(_, f, _)| reads_lanes(f));
        fill(
            &mut bench.wave,
            &mut random,
            vector,
            round,
            &formulas,
            reads_lanes,
        );
        let before = bench.wave.clone();
        // What cannot be evaluated is not executed with any values either.
        for (mnemonic, formula, subject) in &formulas {
            let mut env = Env::new(library, mnemonic, &before, subject, 0);
            if let Err(why) = env.run(formula) {
                return Outcome::NotCompared(why);
            }
        }
        if let Err(why) = bench.run(&op) {
            return Outcome::NotCompared(format!("refused: {why}"));
        }
        for (mnemonic, formula, subject) in &formulas {
            let one = One {
                library,
                mnemonic,
                formula,
                subject,
                before: &before,
                after: &bench.wave,
                approximate: is_approximate(library, formula),
            };
            match if vector { one.lanes() } else { one.scalar() } {
                Outcome::Same => {}
                other => return other,
            }
        }
    }
    Outcome::Same
}

fn reads_lanes(formula: &[Stmt]) -> bool {
    format!("{formula:?}").contains("Call(\"lane\"")
}

/// Fills the registers that the instruction reads.
fn fill(
    wave: &mut Wave,
    random: &mut Random,
    vector: bool,
    round: usize,
    formulas: &[(&str, crate::parser::Formula, Subject)],
    reads_lanes: bool,
) {
    let lanes = wave.lanes();
    wave.mode = Mode(0xf0);
    wave.scc = round % 2 == 1;
    let full = wave.full_mask();
    // Part of the lanes is off in one round.
    let exec = if vector && (reads_lanes || round != 1) {
        full
    } else {
        random.next() & full | 1
    };
    wave.set_exec(exec);
    if !vector {
        wave.sgpr[sreg::EXEC_HI] = random.next() as u32;
    }
    wave.set_mask(sreg::VCC_LO, random.next());
    wave.sgpr[sreg::M0] = random.below(8) as u32;
    if formulas.iter().any(|(m, _, _)| m.contains("rel")) {
        // Even numbers, which moves of 64 bits ask for.
        let part = |r: &mut Random| 2 * r.below(4) as u32;
        wave.sgpr[sreg::M0] = part(random);
        if formulas[0].0.contains("_2_") || formulas[0].0.contains("swap") {
            wave.sgpr[sreg::M0] |= part(random) << 16;
        }
        for r in 0..32 {
            wave.sgpr[r] = random.next() as u32;
            for lane in 0..lanes {
                wave.set_lane(r, lane, random.next() as u32);
            }
        }
    }
    for (_, _, subject) in formulas {
        for slot in subject.sources.iter().chain(&subject.destinations) {
            match slot.home {
                Home::Vector(r) => {
                    for lane in 0..lanes {
                        let kind = (lane + round) % KINDS;
                        for k in (0..slot.dwords().max(1)).step_by(2) {
                            let two = pair(random, kind);
                            wave.set_lane(r + k, lane, two[0]);
                            if k + 1 < slot.dwords() {
                                wave.set_lane(r + k + 1, lane, two[1]);
                            }
                        }
                    }
                }
                Home::Scalar(r) if r != sreg::EXEC_LO && r != sreg::EXEC_HI => {
                    let kind = round % KINDS;
                    for k in (0..slot.dwords().max(1)).step_by(2) {
                        let two = pair(random, kind);
                        wave.sgpr[(r + k) & 127] = two[0];
                        if k + 1 < slot.dwords() {
                            wave.sgpr[(r + k + 1) & 127] = two[1];
                        }
                    }
                }
                _ => {}
            }
        }
    }
    // The width of a group of lanes is a power of two, and lanes are within it.
    if formulas
        .iter()
        .any(|(m, _, _)| m.starts_with("v_permlane_"))
    {
        let [_, first, second] = [0, 1, 2].map(|i| formulas[0].2.sources.get(i));
        let width = 2 << random.below(5);
        let indexed = formulas[0].0 == "v_permlane_idx_gen_b32";
        for (slot, v) in [
            (first, if indexed { width } else { random.below(width) }),
            (second, width),
        ] {
            if let Some(Home::Scalar(r)) = slot.map(|s| s.home) {
                wave.sgpr[r] = v as u32;
            }
        }
    }
    // What comparisons with an immediate look for, and its neighbours.
    if let (0, Some((_, _, s))) = (round % 3, formulas.first())
        && let (true, Some(Home::Scalar(r))) =
            (s.simm16 != 0, s.destinations.first().map(|d| d.home))
    {
        let simm = match round % 2 {
            0 => s.simm16 as i16 as u32,
            _ => s.simm16 as u32,
        };
        wave.sgpr[r] = simm.wrapping_add(random.below(3) as u32).wrapping_sub(1);
    }
    for (_, _, subject) in formulas {
        for (n, two) in subject.sources.windows(2).enumerate() {
            make_equal(wave, two, vector, round, n);
        }
    }
}

/// Makes neighbouring sources equal in some lanes, which random ones never are.
fn make_equal(wave: &mut Wave, two: &[Slot], vector: bool, round: usize, n: usize) {
    let dwords = two[0].dwords().min(two[1].dwords());
    for k in 0..dwords {
        match (two[0].home, two[1].home) {
            (Home::Scalar(x), Home::Scalar(y)) if !vector && round % 5 == 2 * n => {
                wave.sgpr[(y + k) & 127] = wave.sgpr[(x + k) & 127];
            }
            (Home::Vector(x), Home::Vector(y)) => {
                // All kinds of values come to stand in these lanes in turn.
                for lane in (0..wave.lanes()).filter(|lane| lane % 7 == 2 + n) {
                    let v = wave.lane(x + k, lane);
                    wave.set_lane(y + k, lane, v);
                }
            }
            _ => {}
        }
    }
}

/// An instruction that has run.
pub(crate) struct One<'a> {
    pub(crate) library: &'a Library,
    pub(crate) mnemonic: &'a str,
    pub(crate) formula: &'a [Stmt],
    pub(crate) subject: &'a Subject,
    pub(crate) before: &'a Wave,
    pub(crate) after: &'a Wave,
    /// Whether the formula has a function that the manuals give an accuracy of.
    pub(crate) approximate: bool,
}

impl<'a> One<'a> {
    /// The lane before the instruction.
    pub(crate) fn env_before(&self, lane: usize) -> Env<'a> {
        Env::new(self.library, self.mnemonic, self.before, self.subject, lane)
    }

    fn env(&self, lane: usize) -> Result<Env<'a>, String> {
        let mut env = self.env_before(lane);
        env.run(self.formula)?;
        Ok(env)
    }

    fn lanes(&self) -> Outcome {
        let exec = self.before.exec();
        let lanes = self.before.lanes();
        let (mut vcc, mut exec_out) = (None, None);
        for lane in 0..lanes {
            let env = match self.env(lane) {
                Ok(env) => env,
                Err(why) => return Outcome::NotCompared(why),
            };
            if env.out_of_range || env.denormal && self.flushes_denormals() {
                continue;
            }
            let on = exec >> lane & 1 == 1;
            if let Some(why) = self.moved(&env, lane).filter(|_| on) {
                return Outcome::Differs(self.explain(lane, &why));
            }
            let mut vectors = self.subject.destinations.iter().filter(|s| !s.mask);
            for d in &env.d {
                let Some(slot) = vectors.next() else { break };
                let found = if on
                    || matches!(slot.home, Home::Scalar(_))
                    || writes_any_lane(self.formula)
                {
                    self.compare(&env, d, slot, lane)
                } else {
                    self.kept(slot, lane)
                };
                if let Some(why) = found {
                    return Outcome::Differs(self.explain(lane, &why));
                }
            }
            let source = self.subject.sources.first();
            if let Some(slot) = source.filter(|_| env.source.assigned[0] != 0 && on)
                && let Some(why) = self.compare(&env, &env.source, slot, lane)
            {
                return Outcome::Differs(self.explain(lane, &why));
            }
            for (bit, mask) in [(env.vcc, &mut vcc), (env.exec_lane, &mut exec_out)] {
                if let Some(bit) = bit {
                    *mask.get_or_insert(0u64) |= u64::from(bit && on) << lane;
                }
            }
        }
        let named = self.subject.mask_out().map(|s| s.home);
        let written = match named {
            Some(Home::Scalar(r)) => self.after.mask(r),
            _ => self.after.vcc(),
        };
        if let Some(vcc) = vcc.filter(|v| *v != written) {
            let lane = (vcc ^ written).trailing_zeros() as usize;
            let why = format!("the mask is {written:#x}, {vcc:#x} by the formula");
            return Outcome::Differs(self.explain(lane, &why));
        }
        let expected = exec_out.unwrap_or(exec);
        if self.after.exec() != expected {
            let lane = (self.after.exec() ^ expected).trailing_zeros() as usize;
            let why = format!(
                "EXEC is {:#x}, {expected:#x} by the formula",
                self.after.exec()
            );
            return Outcome::Differs(self.explain(lane, &why));
        }
        Outcome::Same
    }

    fn scalar(&self) -> Outcome {
        let env = match self.env(0) {
            Ok(env) => env,
            Err(why) => return Outcome::NotCompared(why),
        };
        for (d, slot) in env.d.iter().zip(&self.subject.destinations) {
            if let Some(why) = self.compare(&env, d, slot, 0) {
                return Outcome::Differs(self.explain(0, &why));
            }
        }
        if let Some(why) = self.moved(&env, 0) {
            return Outcome::Differs(self.explain(0, &why));
        }
        let scc = env.scc && !self.equal_gives_no_scc();
        if scc != self.after.scc {
            let why = format!("SCC is {}, {scc} by the formula", self.after.scc);
            return Outcome::Differs(self.explain(0, &why));
        }
        let mut exec = self.before.s64(sreg::EXEC_LO);
        match self.subject.destinations.first() {
            Some(d) if d.bits == 32 => exec = exec >> 32 << 32 | env.exec & u64::from(u32::MAX),
            _ => exec = env.exec,
        }
        let got = self.after.s64(sreg::EXEC_LO);
        if exec != got {
            let why = format!("EXEC is {got:#x}, {exec:#x} by the formula");
            return Outcome::Differs(self.explain(0, &why));
        }
        Outcome::Same
    }

    /// RDNA 4 flushes denormals in these whatever MODE says (a note of the descriptions).
    fn flushes_denormals(&self) -> bool {
        self.before.target.generation() == waveglass::isa::Generation::Rdna4
            && (self.mnemonic.starts_with("v_cube") || self.mnemonic == "v_fma_dx9_zero_f32")
    }

    /// The maximum of equal sources clears SCC by the manuals that compare with `>` (a note of the
    /// descriptions): GCN 5, CDNA 1 and 2, RDNA 1 to 3.
    fn equal_gives_no_scc(&self) -> bool {
        use waveglass::isa::Generation::{Cdna1, Cdna2, Gcn5, Rdna1, Rdna2, Rdna3};
        let [a, b] = [0, 1].map(|i| self.subject.sources.get(i));
        let value = |s: Option<&Slot>| s.map(|s| s.dword(self.before, 0, 0));
        self.mnemonic.starts_with("s_max_")
            && !self.mnemonic.contains("_f")
            && value(a) == value(b)
            && matches!(
                self.before.target.generation(),
                Gcn5 | Cdna1 | Cdna2 | Rdna1 | Rdna2 | Rdna3
            )
    }

    /// What differs between a destination and what the formula made of it.
    pub(crate) fn compare(
        &self,
        env: &Env<'_>,
        d: &Dest,
        slot: &Slot,
        lane: usize,
    ) -> Option<String> {
        let dwords = slot.dwords().max(1);
        let tolerance = Tolerance {
            approximate: self.approximate,
            sum: self.mnemonic.contains("_dot").then_some(env.term),
            denormal: env.denormal,
        };
        let mut got = [0u32; 32];
        for (k, g) in got.iter_mut().enumerate().take(dwords) {
            *g = slot.dword(self.after, lane, k);
        }
        if slot.low == 16 {
            got[0] >>= 16;
        }
        let mut expected = d.words;
        for &(low, format, nan) in &d.floats {
            let (at, shift) = (low as usize / 32, low % 32);
            let read = |w: &[u32; 32]| {
                let high = w.get(at + 1).copied().unwrap_or(0);
                (u64::from(w[at]) | u64::from(high) << 32) >> shift
                    & crate::value::ones(format.width()) as u64
            };
            let (e, g) = (read(&expected), read(&got));
            // A NaN in a format without one is the largest number of any sign.
            let no_nan = nan && format.special == Special::Numbers;
            let largest = no_nan && g & format.largest() == format.largest();
            if largest || tolerance.accepts(format, e, g) {
                for i in 0..format.width() {
                    let (k, bit) = ((low + i) as usize / 32, 1 << ((low + i) % 32));
                    expected[k] = expected[k] & !bit | got[k] & bit;
                }
            }
        }
        // What M0 led to may be this very register.
        if !env.moved.is_empty() {
            return None;
        }
        let half = left_half(d).is_some();
        if let Some(why) = self.other_half(d, slot, lane) {
            return Some(why);
        }
        (0..dwords).find_map(|k| {
            // What the formula does not assign is kept.
            let mask = if half { d.assigned[k] } else { u32::MAX };
            ((expected[k] ^ got[k]) & mask != 0).then(|| {
                let (e, g) = (hex(&d.words, dwords), hex(&got, dwords));
                format!("{g}, {e} by the formula")
            })
        })
    }

    /// A register that M0 led to.
    fn moved(&self, env: &Env<'_>, lane: usize) -> Option<String> {
        env.moved.iter().find_map(|(home, v)| {
            let got = match *home {
                Home::Vector(r) => self.after.lane(r, lane),
                Home::Scalar(r) => self.after.sgpr[r & 127],
                Home::Constant(_) => return None,
            };
            (got != *v).then(|| format!("{home:?} is {got:#x}, {v:#x} by the formula"))
        })
    }

    /// What the notes say of the half of a register that the formula does not write.
    fn other_half(&self, d: &Dest, slot: &Slot, lane: usize) -> Option<String> {
        let left = left_half(d)?;
        let rule = match slot.home {
            Home::Vector(_) => self.library.other_half(self.mnemonic),
            _ => OtherHalf::Zero,
        };
        let zero = match rule {
            OtherHalf::Kept => false,
            OtherHalf::ZeroOnCdna5 => {
                self.before.target.generation() == waveglass::isa::Generation::Cdna5
            }
            OtherHalf::Zero => true,
            OtherHalf::ZeroBefore => self.before.target.is_gfx9(),
        };
        let half = |w: u32| w >> (left - slot.low) & 0xffff;
        let got = half(slot.dword(self.after, lane, 0));
        let old = half(slot.dword(self.before, lane, 0));
        let expected = if zero { 0 } else { old };
        (got != expected).then(|| format!("the other half is {got:#x}, {expected:#x} by {rule:?}"))
    }

    /// An inactive lane keeps its register.
    pub(crate) fn kept(&self, slot: &Slot, lane: usize) -> Option<String> {
        (0..slot.dwords()).find_map(|k| {
            let (old, new) = (
                slot.dword(self.before, lane, k),
                slot.dword(self.after, lane, k),
            );
            (old != new && slot.access != Access::Read)
                .then(|| format!("an inactive lane has {new:#x} in place of {old:#x}"))
        })
    }

    pub(crate) fn explain(&self, lane: usize, why: &str) -> String {
        let mut text = String::new();
        for (n, slot) in self.subject.sources.iter().enumerate() {
            let words: Vec<u32> = (0..slot.dwords())
                .map(|k| slot.dword(self.before, lane, k))
                .collect();
            text += &format!(" S{n}={}", hex(&words, words.len()));
        }
        if let Some(d) = self.subject.destinations.first() {
            let words: Vec<u32> = (0..d.dwords())
                .map(|k| d.dword(self.before, lane, k))
                .collect();
            text += &format!(" D={}", hex(&words, words.len()));
        }
        format!(
            "{}: lane {lane}:{text} SCC={} VCC={:#x}: {why}",
            self.mnemonic,
            self.before.scc,
            self.before.vcc()
        )
    }
}

/// The first bit of the half of a register that is left, where one half is written.
fn left_half(d: &Dest) -> Option<u32> {
    match d.assigned[..2] {
        [0xffff, 0] => Some(16),
        [0xffff_0000, 0] => Some(0),
        _ => None,
    }
}

/// Whether the formula writes a lane whether it is active or not.
fn writes_any_lane(formula: &[Stmt]) -> bool {
    format!("{formula:?}").contains("Assign(Member(Call(\"lane\"")
}

fn hex(words: &[u32], dwords: usize) -> String {
    let digits: String = words[..dwords]
        .iter()
        .rev()
        .map(|w| format!("{w:08x}"))
        .collect();
    format!("0x{digits}")
}

/// How far a result may be from the formula's.
#[derive(Clone, Copy, Debug)]
struct Tolerance {
    approximate: bool,
    /// A sum of products that are rounded in an order and as often as the manuals do not say: its
    /// largest term.
    sum: Option<f64>,
    /// Whether a source was a denormal, which such sums flush on some targets.
    denormal: bool,
}

/// Functions that hardware, and the executor, approximate; the descriptions give the accuracy.
const APPROXIMATED: &[&str] = &["exp2", "log2", "rcp", "sqrt", "tanh", "sin2pi", "cos2pi"];

/// Whether the formula, or one that it calls, has an approximated function.
fn is_approximate(library: &Library, formula: &[Stmt]) -> bool {
    let text = format!("{formula:?}");
    text.split("Call(\"").skip(1).any(|rest| {
        let name = rest.split('"').next().unwrap_or_default();
        APPROXIMATED.contains(&name)
            || name.starts_with("v_")
                && library
                    .formula(name)
                    .is_ok_and(|f| is_approximate(library, &f))
    })
}

impl Tolerance {
    fn accepts(self, format: Format, expected: u64, got: u64) -> bool {
        // Which NaN an operation gives is no part of the formulas.
        if format.is_nan(expected) && format.is_nan(got) {
            return true;
        }
        if let Some(term) = self.sum {
            return accepts_sum(format, expected, got, term, self.denormal);
        }
        if !self.approximate || format.is_nan(expected) || format.is_nan(got) {
            return false;
        }
        // "Only a starting value: the error may reach 2**29 ULP"; "accurate to 1 ULP".
        let most = if format == F64 { 1 << 29 } else { 1 };
        format.distance(expected, got) <= most
    }
}

/// Whether a sum is what rounding after each step, in any order, could give.
fn accepts_sum(format: Format, expected: u64, got: u64, term: f64, denormal: bool) -> bool {
    let (e, g) = (format.decode(expected), format.decode(got));
    if expected == got || denormal || term >= 0.5 * format.decode(format.largest()) {
        return true;
    }
    let flushed = e.abs() < format.smallest_normal() && g == 0.0;
    let last_place = exponent_of(term).max(1 - format.bias) - format.significand as i32;
    flushed || (e - g).abs() <= 4.0 * power(last_place)
}
