//! Operations that are lists of steps.

use super::super::encode::Rm;
use super::super::recipe::{Source, Step, V};
use super::{MOMENT, Translator};

impl Translator<'_> {
    /// Runs steps on sources; gives the register with the result.
    pub(super) fn steps(&mut self, steps: &[Step], sources: &[Source; 3], chunk: usize) -> u8 {
        let mut s = [None; 3];
        let mut t: [Option<u8>; 4] = [None; 4];
        let all = steps.iter().flat_map(values);
        for v in all {
            match v {
                V::S(i) if s[i as usize].is_none() => {
                    let z = self.source(sources[i as usize], 0, chunk);
                    s[i as usize] = Some((
                        z,
                        std::mem::replace(&mut self.slots[z as usize].pinned, true),
                    ));
                }
                V::T(i) if t[i as usize].is_none() => t[i as usize] = Some(self.fresh()),
                _ => {}
            }
        }
        let register = |v: V| match v {
            V::S(i) => s[i as usize].map_or(0, |(z, _)| z),
            V::T(i) => t[i as usize].unwrap_or(0),
            V::C(_) => 0,
        };
        for step in steps {
            match *step {
                Step::One(f, to, x) => {
                    self.code
                        .vector(f, register(to), 0, Rm::Reg(register(x)), 0);
                }
                Step::OneImm(f, to, x, imm) => {
                    let x = Rm::Reg(register(x));
                    self.code.vector_imm(f, register(to), 0, x, 0, imm);
                }
                Step::Two(f, to, x, y) => {
                    let y = self.operand(y, register);
                    self.code.vector(f, register(to), register(x), y, 0);
                }
                Step::Imm(f, to, x, y, imm) => {
                    let y = self.operand(y, register);
                    self.code
                        .vector_imm(f, register(to), register(x), y, 0, imm);
                }
                Step::Where(f, to, x, y) => {
                    let y = self.operand(y, register);
                    self.code.vector(f, register(to), register(x), y, MOMENT);
                }
                Step::Shift(extension, to, x, count) => {
                    self.shift(register(to), extension, register(x), count.into());
                }
                Step::Test(f, x, y, imm) => {
                    let y = self.operand(y, register);
                    self.code.vector(f, MOMENT, register(x), y, 0);
                    self.code.bytes.extend(imm);
                }
                Step::Numbers(x, y) => self.flag_nan(register(x), register(y), chunk),
                // The caller sees to it.
                Step::NumberInTheEnd => {}
            }
        }
        for (z, pinned) in s.into_iter().flatten() {
            self.slots[z as usize].pinned = pinned;
        }
        for z in t[1..].iter().flatten() {
            self.release(*z);
        }
        t[0].unwrap_or(0)
    }

    /// The last operand of a step.
    fn operand(&mut self, v: V, register: impl Fn(V) -> u8) -> Rm {
        match v {
            V::C(v) => self.each(v),
            v => Rm::Reg(register(v)),
        }
    }
}

/// The values that a step names.
fn values(step: &Step) -> Vec<V> {
    match *step {
        Step::One(_, a, b) | Step::OneImm(_, a, b, _) | Step::Shift(_, a, b, _) => vec![a, b],
        Step::Two(_, a, b, c) | Step::Imm(_, a, b, c, _) | Step::Where(_, a, b, c) => {
            vec![a, b, c]
        }
        Step::Test(_, a, b, _) | Step::Numbers(a, b) => vec![a, b],
        Step::NumberInTheEnd => vec![],
    }
}
