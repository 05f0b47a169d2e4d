//! Operations that are lists of steps.

use super::super::encode::{Rm, forms::VPCMPUD};
use super::super::recipe::{Source, Step, V};
use super::{Key, MOMENT, Translator};

impl Translator<'_> {
    /// Runs steps on sources; gives the registers with the result.
    pub(super) fn steps(
        &mut self,
        steps: &[Step],
        sources: &[Source; 3],
        wide: bool,
        chunk: usize,
    ) -> [Option<u8>; 2] {
        let mut sources_in: Vec<(V, u8, bool)> = Vec::new();
        let mut t: [Option<u8>; 4] = [None; 4];
        for v in steps.iter().flat_map(values) {
            match v {
                V::T(i) => {
                    if t[i as usize].is_none() {
                        t[i as usize] = Some(self.fresh());
                    }
                }
                V::C(_) => {}
                source => {
                    if sources_in.iter().all(|&(other, ..)| other != source) {
                        let z = self.step_source(source, sources, chunk);
                        let pinned = std::mem::replace(&mut self.slots[z as usize].pinned, true);
                        sources_in.push((source, z, pinned));
                    }
                }
            }
        }
        let register = |v: V| match v {
            V::T(i) => t[i as usize].unwrap_or(0),
            other => sources_in
                .iter()
                .find(|&&(source, ..)| source == other)
                .map_or(0, |&(_, z, _)| z),
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
                Step::AtMost(x, y) => {
                    let y = self.operand(y, register);
                    self.flag(VPCMPUD, register(x), y, Some(6), chunk);
                }
                // The caller sees to it.
                Step::NumberInTheEnd => {}
            }
        }
        for (_, z, pinned) in sources_in {
            self.slots[z as usize].pinned = pinned;
        }
        for z in t[if wide { 2 } else { 1 }..].iter().flatten() {
            self.release(*z);
        }
        [t[0], t[1].filter(|_| wide)]
    }

    /// A source that steps name.
    fn step_source(&mut self, v: V, sources: &[Source; 3], chunk: usize) -> u8 {
        match v {
            V::S(i) => self.source(sources[i as usize], 0, chunk),
            V::H(i) => self.source(sources[i as usize], 1, chunk),
            V::Half(i, upper) => {
                let z = self.source(sources[i as usize], 0, chunk);
                self.half_as_single(z, upper)
            }
            V::K(v) => self.get(Key::Const(v)),
            V::Row(row) => self.row(row),
            V::T(_) | V::C(_) => 0,
        }
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
        Step::Test(_, a, b, _) | Step::Numbers(a, b) | Step::AtMost(a, b) => vec![a, b],
        Step::NumberInTheEnd => vec![],
    }
}
