//! Memory instructions: one lane's registers, memory and LDS before and after.

use crate::bench::{BYTES, Bench, MEMORY};
use crate::check::{One, Outcome};
use crate::eval::Env;
use crate::float::Format;
use crate::library::Library;
use crate::random::{KINDS, Random, pair};
use crate::subject::{Home, Slot, Subject};
use crate::value::{Value, ones};
use waveglass::exec::Wave;
use waveglass::exec::wave::{Mode, sreg};
use waveglass::isa::{Generation, Inst, Target};

/// Memory and LDS before the instruction, and one lane's address.
#[derive(Clone, Copy)]
pub(crate) struct Memory<'a> {
    pub(crate) address: u64,
    /// The lane's address register.
    pub(crate) register: u64,
    pub(crate) saddr: u64,
    pub(crate) bytes: &'a [u8],
    pub(crate) lds: &'a [u8],
}

impl Memory<'_> {
    /// Bits at an address.
    pub(crate) fn read(&self, lds: bool, address: u64, width: u32) -> Result<Value, String> {
        let (bytes, base) = if lds {
            (self.lds, 0)
        } else {
            (self.bytes, MEMORY)
        };
        let at = address.wrapping_sub(base) as usize;
        let found = bytes.get(at..).and_then(|b| b.get(..width as usize / 8));
        let found = found.ok_or(NO_MEMORY)?;
        let bits = found
            .iter()
            .rev()
            .fold(0u128, |b, x| b << 8 | u128::from(*x));
        Ok(Value::bits(bits & ones(width), width))
    }

    /// A name of an address formula.
    pub(crate) fn named(&self, name: &str, subject: &Subject) -> i64 {
        match name {
            "ADDR" => self.address as i64,
            "VADDR" => self.register as i64,
            "SADDR" => self.saddr as i64,
            "RET" => i64::from(!subject.destinations.is_empty()),
            "offset0" => subject.offsets[0] as i64,
            "offset1" => subject.offsets[1] as i64,
            _ => subject.offset,
        }
    }
}

/// The reason where the example names no scalar address.
const NO_MEMORY: &str = "an address without memory";
/// How often registers and memory are filled.
const ROUNDS: usize = 20;
/// What M0 holds: an LDS address of the forms that take it from there.
const M0: u32 = 64;

/// Compares a memory instruction with its formula, one lane at a time.
pub(crate) fn check_memory(
    bench: &mut Bench,
    library: &Library,
    inst: &Inst,
    mnemonic: &str,
) -> Outcome {
    let found = library
        .formula(mnemonic)
        .and_then(|f| Ok((f, Subject::new(inst, &bench.wave, None)?)));
    let (formula, subject) = match found {
        Ok(found) => found,
        Err(why) => return Outcome::NotCompared(why),
    };
    let op = bench.compile(inst);
    let mut random = Random::new(mnemonic);
    fill_memory(bench, &mut random);
    for round in 0..ROUNDS {
        let lane = random.below(bench.wave.lanes());
        let memory = match address(
            bench,
            &subject,
            mnemonic,
            lane,
            32 + 16 * random.below(48) as u64,
        ) {
            Ok(m) => m,
            Err(why) => return Outcome::NotCompared(why),
        };
        fill(bench, &mut random, round, lane, &subject, memory.0);
        let mut bytes = vec![0; BYTES];
        bench.memory.read(MEMORY, &mut bytes);
        let lds = bench.lds.bytes().to_vec();
        let before = bench.wave.clone();
        if let Err(why) = bench.run(&op) {
            return Outcome::NotCompared(format!("refused: {why}"));
        }
        let one = One {
            library,
            mnemonic,
            formula: &formula,
            subject: &subject,
            before: &before,
            after: &bench.wave,
            approximate: false,
        };
        let mut env = one.env_before(lane);
        env.memory = Some(Memory {
            address: memory.0,
            register: memory.1,
            saddr: memory.2,
            bytes: &bytes,
            lds: &lds,
        });
        if let Err(why) = env.run(&formula) {
            return Outcome::NotCompared(why);
        }
        let outside = |(lds, address, ..): &(bool, u64, _, _)| {
            address.wrapping_sub(if *lds { 0 } else { MEMORY }) >= BYTES as u64
        };
        if env.stores.iter().any(outside) {
            return Outcome::NotCompared(NO_MEMORY.to_owned());
        }
        if let Some(why) = differs(bench, &one, &env, lane, &bytes, &lds) {
            let why = format!("{why} (address {:#x})", memory.0);
            return Outcome::Differs(one.explain(lane, &why));
        }
    }
    Outcome::Same
}

fn fill_memory(bench: &mut Bench, random: &mut Random) {
    let mut bytes = Vec::with_capacity(BYTES);
    while bytes.len() < BYTES {
        let kind = bytes.len() / 8 % KINDS;
        for w in pair(random, kind) {
            bytes.extend(w.to_le_bytes());
        }
    }
    bench.memory.write(MEMORY, &bytes);
    bench.lds.bytes_mut().copy_from_slice(&bytes);
}

/// Puts an address into the registers that name it: the address of the access, that in the lane's
/// register, and that in scalar registers.
fn address(
    bench: &mut Bench,
    subject: &Subject,
    mnemonic: &str,
    lane: usize,
    at: u64,
) -> Result<(u64, u64, u64), String> {
    let wave = &mut bench.wave;
    let offset = subject.offset as u64;
    if let Some(d) = subject.descriptor {
        let Home::Scalar(r) = d.home else {
            return Err("a descriptor in no scalar registers".to_owned());
        };
        wave.set_s64(r, MEMORY);
        wave.sgpr[r + 2] = BYTES as u32;
        wave.sgpr[r + 3] = 0x0102_7000;
        if wave.target.major() >= 10 {
            // OOB_SELECT 3: the range check of raw buffers (RDNA1 ISA 8.1.8).
            wave.sgpr[r + 3] |= 3 << 28;
        }
        if matches!(wave.target, Target::Gfx1250 | Target::Gfx1251) {
            // CDNA 5 ISA 9.6: base 56:0, num_records 101:57.
            let v = u128::from(MEMORY) | (BYTES as u128) << 57;
            for k in 0..4 {
                wave.sgpr[r + k] = (v >> (32 * k)) as u32;
            }
        }
        let soffset = match subject.soffset.map(|s| s.home) {
            Some(Home::Scalar(s)) => {
                wave.sgpr[s] = at.wrapping_sub(offset) as u32;
                at.wrapping_sub(offset)
            }
            Some(Home::Constant(c)) => c,
            _ => 0,
        };
        // An index or offset in vector registers adds nothing.
        if let Some(Slot {
            home: Home::Vector(r),
            ..
        }) = subject.vaddr
        {
            wave.set_lane(r, lane, 0);
            wave.set_lane(r + 1, lane, 0);
        }
        return Ok((MEMORY + soffset + offset, 0, MEMORY));
    }
    let mut base = 0;
    if let Some(Home::Scalar(s)) = subject.saddr.map(|s| s.home) {
        base = MEMORY;
        wave.set_s64(s, base);
    }
    let lds = mnemonic.starts_with("ds_");
    let Some(Slot {
        home: Home::Vector(r),
        bits,
        ..
    }) = subject.vaddr
    else {
        // LDS operations without an address register take it from M0.
        let from = if lds { M0.into() } else { base };
        return Ok((from.wrapping_add(offset), 0, base));
    };
    let at = at.wrapping_sub(offset);
    let register = if lds || base != 0 {
        at
    } else {
        MEMORY.wrapping_add(at)
    };
    wave.set_lane(r, lane, register as u32);
    if bits > 32 {
        wave.set_lane(r + 1, lane, (register >> 32) as u32);
    }
    Ok((
        base.wrapping_add(register).wrapping_add(offset),
        register,
        base,
    ))
}

/// Fills the data's registers and what the access finds.
fn fill(
    bench: &mut Bench,
    random: &mut Random,
    round: usize,
    lane: usize,
    subject: &Subject,
    address: u64,
) {
    let wave = &mut bench.wave;
    wave.mode = Mode(0xf0);
    wave.set_exec(1 << lane);
    wave.sgpr[sreg::M0] = M0;
    let data = subject
        .data
        .iter()
        .flatten()
        .map(|at| &subject.sources[*at]);
    for slot in data.chain(&subject.destinations) {
        let Home::Vector(r) = slot.home else { continue };
        for k in (0..slot.dwords()).step_by(2) {
            let two = pair(random, round % KINDS);
            wave.set_lane(r + k, lane, two[0]);
            if k + 1 < slot.dwords() {
                wave.set_lane(r + k + 1, lane, two[1]);
            }
        }
    }
    // The same kind of value in memory, and every third time what a comparison looks for.
    let mut found = Vec::new();
    for _ in 0..2 {
        found.extend(
            pair(random, round % KINDS)
                .iter()
                .flat_map(|w| w.to_le_bytes()),
        );
    }
    if round.is_multiple_of(3) {
        let comparands = match subject.data {
            [Some(a), Some(b)] => vec![subject.sources[a], subject.sources[b]],
            [Some(a), None] => vec![subject.sources[a]],
            _ => Vec::new(),
        };
        if let Some(slot) = comparands.get(random.below(comparands.len().max(1))) {
            let half = if comparands.len() == 1 && slot.dwords() > 1 {
                slot.dwords() / 2
            } else {
                0
            };
            for k in half..slot.dwords() {
                let w = slot.dword(wave, lane, k).to_le_bytes();
                let at = 4 * (k - half);
                if let Some(bytes) = found.get_mut(at..at + 4) {
                    bytes.copy_from_slice(&w);
                }
            }
        }
    }
    bench.memory.write(address, &found);
    let at = address as usize;
    if let Some(bytes) = bench.lds.bytes_mut().get_mut(at..at + found.len()) {
        bytes.copy_from_slice(&found);
    }
}

/// What the instruction did that the formula does not say.
fn differs(
    bench: &Bench,
    one: &One<'_>,
    env: &Env<'_>,
    lane: usize,
    bytes: &[u8],
    lds: &[u8],
) -> Option<String> {
    if let Some(slot) = one.subject.destinations.first() {
        if let Some(why) = one.compare(env, &env.d[0], slot, lane) {
            return Some(why);
        }
        let other = (lane + 1) % one.before.lanes();
        if let Some(why) = one.kept(slot, other) {
            return Some(why);
        }
    }
    let mut after = vec![0; BYTES];
    bench.memory.read(MEMORY, &mut after);
    let after_lds = bench.lds.bytes().to_vec();
    let mut expected = [bytes.to_vec(), lds.to_vec()];
    for (to_lds, address, stored, format) in &env.stores {
        let at = address.wrapping_sub(if *to_lds { 0 } else { MEMORY }) as usize;
        let got = if *to_lds { &after_lds } else { &after };
        let place = expected[usize::from(*to_lds)].get_mut(at..at + stored.len());
        let Some(place) = place else {
            return Some(format!("the formula stores to {address:#x}"));
        };
        let got = &got[at..at + stored.len()];
        let same = format.is_some_and(|t| is_same_float(one, env, t, stored, got));
        place.copy_from_slice(if same { got } else { stored });
    }
    for (got, expected, space) in [
        (&after, &expected[0], "memory"),
        (&after_lds, &expected[1], "LDS"),
    ] {
        if let Some(i) = (0..BYTES).find(|i| got[*i] != expected[*i]) {
            let from = i & !7;
            return Some(format!(
                "{space} at {i:#x} has {:02x?}, {:02x?} by the formula",
                &got[from..from + 8],
                &expected[from..from + 8]
            ));
        }
    }
    None
}

/// Whether the two stand for the same: any NaN is any other, and float additions of the chips before
/// CDNA 3 and RDNA 4 flush denormals (notes of the descriptions).
fn is_same_float(one: &One<'_>, env: &Env<'_>, t: Format, expected: &[u8], got: &[u8]) -> bool {
    let code = |b: &[u8]| b.iter().rev().fold(0u64, |c, x| c << 8 | u64::from(*x));
    let (e, g) = (code(expected), code(got));
    if t.is_nan(e) && t.is_nan(g) {
        return true;
    }
    let signalling = env.signalling && !one.mnemonic.contains("_num");
    if signalling && t.is_nan(g) && (one.mnemonic.contains("min") || one.mnemonic.contains("max")) {
        return true;
    }
    let flushes = one.mnemonic.contains("add_f32") && flushes_additions(one.before);
    let v = t.decode(e);
    flushes && (env.denormal || v != 0.0 && v.abs() < t.smallest_normal() && t.decode(g) == 0.0)
}

fn flushes_additions(wave: &Wave) -> bool {
    use Generation::{Cdna3, Cdna4, Cdna5, Rdna4};
    !matches!(wave.target.generation(), Cdna3 | Cdna4 | Cdna5 | Rdna4)
}
