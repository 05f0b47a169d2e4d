//! Runs a formula for one lane.

use crate::dest::{Dest, gather};
use crate::float::{F32, F64, Format, Round};
use crate::functions::{self, Place};
use crate::library::Library;
use crate::memory::Memory;
use crate::parser::{Expr, Stmt};
use crate::subject::{Home, Slot, Subject};
use crate::value::{Float, Value, binary, integer_type, ones, unary};
use waveglass::exec::Wave;
use waveglass::exec::wave::sreg;

/// One lane of a wave before the instruction, and what the formula makes of it.
pub(crate) struct Env<'a> {
    pub(crate) wave: &'a Wave,
    subject: &'a Subject,
    library: &'a Library,
    mnemonic: &'a str,
    pub(crate) lane: usize,
    pub(crate) fnuz: bool,
    /// The type of a packed instruction's elements.
    element: Option<&'a str>,
    /// The sources where the formula stands for a call from another formula.
    args: Option<&'a [Value]>,
    pub(crate) target: Option<String>,
    locals: Vec<(String, Value)>,
    pub(crate) d: [Dest; 2],
    /// The first source, where the formula writes it too.
    pub(crate) source: Dest,
    pub(crate) vcc: Option<bool>,
    pub(crate) exec_lane: Option<bool>,
    pub(crate) scc: bool,
    pub(crate) exec: u64,
    /// The largest term of the sums of floats.
    pub(crate) term: f64,
    /// Whether a 64-bit float was scaled past what an f64 holds exactly.
    pub(crate) out_of_range: bool,
    pub(crate) memory: Option<Memory<'a>>,
    /// What is stored: to LDS or memory, the address, the bytes, and the format of a float.
    pub(crate) stores: Vec<(bool, u64, Vec<u8>, Option<Format>)>,
    /// Registers written that the instruction does not name.
    pub(crate) moved: Vec<(Home, u32)>,
    /// Whether a source was a signalling NaN.
    pub(crate) signalling: bool,
    /// Whether a source was a denormal.
    pub(crate) denormal: bool,
}

pub(crate) type Computed<T> = Result<T, String>;

impl<'a> Env<'a> {
    pub(crate) fn new(
        library: &'a Library,
        mnemonic: &'a str,
        wave: &'a Wave,
        subject: &'a Subject,
        lane: usize,
    ) -> Self {
        // A lane mask that the instruction names besides its result is written through VCC.
        let mut d = subject.destinations.iter().filter(|s| !s.mask);
        let (d0, d1) = (d.next(), d.next());
        let whole = subject.destinations.first();
        Self {
            wave,
            subject,
            library,
            mnemonic,
            lane,
            fnuz: matches!(wave.target.name(), "gfx940" | "gfx942"),
            element: element(mnemonic),
            args: None,
            target: None,
            locals: Vec::new(),
            d: [
                Dest::new(d0.or(whole), wave, lane),
                Dest::new(d1, wave, lane),
            ],
            source: Dest::new(subject.sources.first(), wave, lane),
            vcc: None,
            exec_lane: None,
            scc: wave.scc,
            exec: match d0 {
                Some(s) if s.bits == 32 => wave.exec(),
                // The forms of 64 bits read both halves in wave32 too.
                _ => wave.s64(sreg::EXEC_LO),
            },
            term: 0.0,
            out_of_range: false,
            memory: None,
            stores: Vec::new(),
            moved: Vec::new(),
            signalling: false,
            denormal: false,
        }
    }

    /// Runs the statements.
    pub(crate) fn run(&mut self, formula: &[Stmt]) -> Computed<()> {
        for s in formula {
            self.statement(s)?;
        }
        Ok(())
    }

    fn statement(&mut self, s: &Stmt) -> Computed<()> {
        match s {
            Stmt::Assign(place, e) => self.assign(place, e),
            Stmt::If(cond, yes, no) => {
                let taken = self.eval(cond)?.is_true();
                self.run(if taken { yes } else { no })
            }
            Stmt::For(var, low, high, body) => {
                let (low, high) = (self.eval(low)?.as_int()?, self.eval(high)?.as_int()?);
                for i in low..=high {
                    self.set_local(var, Value::int(i));
                    self.run(body)?;
                }
                Ok(())
            }
            Stmt::Swap(a, b) => {
                let ((of_d, i), (of_s, j)) = (self.other_lane(a)?, self.other_lane(b)?);
                if i == self.lane {
                    let v = self.read_lane(&of_s, j)?;
                    self.d[0].set(0, 32, v.raw()?);
                }
                if j == self.lane {
                    let v = self.read_lane(&of_d, i)?;
                    self.source.set(0, 32, v.raw()?);
                }
                Ok(())
            }
        }
    }

    pub(crate) fn set_local(&mut self, name: &str, v: Value) {
        match self.locals.iter_mut().find(|(n, _)| n == name) {
            Some((_, old)) => *old = v,
            None => self.locals.push((name.to_owned(), v)),
        }
    }

    pub(crate) fn index(&mut self, e: &Expr) -> Computed<u32> {
        let v = self.eval(e)?.as_int()?;
        u32::try_from(v).map_err(|_| format!("bit {v}"))
    }

    /// The name and lane of `lane(S0, i)`.
    pub(crate) fn other_lane(&mut self, e: &Expr) -> Computed<(String, usize)> {
        match e {
            Expr::Call(n, args) if n == "lane" => match &args[..] {
                [Expr::Name(of), i] => Ok((of.clone(), self.index(i)? as usize)),
                _ => Err("lane of what is no register".to_owned()),
            },
            _ => Err("no lane".to_owned()),
        }
    }

    fn read_lane(&self, name: &str, lane: usize) -> Computed<Value> {
        let slot = match name {
            "S0" => self.subject.sources.first(),
            "S1" => self.subject.sources.get(1),
            _ => self.subject.destinations.first(),
        };
        let slot = slot.ok_or_else(|| format!("no {name}"))?;
        Ok(Value::bits(slot.dword(self.wave, lane, 0).into(), 32))
    }

    pub(crate) fn slot(&self, name: &str) -> Option<&'a Slot> {
        let at = match name {
            "S0" => 0,
            "S1" => 1,
            "S2" => 2,
            "DATA" | "DATA0" => self.subject.data[0]?,
            "DATA1" => self.subject.data[1]?,
            _ => return None,
        };
        self.subject.sources.get(at)
    }

    /// Bits of an operand, without a copy of the whole tuple.
    fn operand_bits(&self, name: &str, low: u32, width: Option<u32>) -> Option<Computed<Value>> {
        let d = match name {
            "D" | "D0" => Some(&self.d[0]),
            "D1" => Some(&self.d[1]),
            _ => None,
        };
        if let Some(d) = d {
            let width = width.unwrap_or(d.width);
            return Some(Ok(Value::bits(d.get(low, width), width.min(128))));
        }
        if let (Some(args), "S0" | "S1" | "S2") = (self.args, name) {
            let at = usize::from(name.as_bytes()[1] - b'0');
            let v = args.get(at).ok_or_else(|| format!("no {name}"));
            return Some(v.and_then(|v| match width {
                Some(w) => v.slice(low, w),
                None => Ok(*v),
            }));
        }
        if name == "RETURN" {
            let memory = self.memory.as_ref()?;
            let lds = self.mnemonic.starts_with("ds_");
            let v = memory.read(lds, memory.address, 64);
            return Some(v.and_then(|v| v.slice(low, width.unwrap_or(64))));
        }
        if !matches!(name, "S0" | "S1" | "S2" | "DATA" | "DATA0" | "DATA1") {
            return None;
        }
        let Some(slot) = self.slot(name) else {
            return Some(Err(format!("no {name}")));
        };
        let width = width.unwrap_or(slot.bits);
        let bits = gather(low + slot.low, width, |k| {
            slot.dword(self.wave, self.lane, k)
        });
        Some(Ok(Value::bits(bits, width.min(128))))
    }

    fn bits_of(&mut self, base: &Expr, low: u32, width: u32) -> Computed<Value> {
        if let Expr::Name(n) = base {
            if let Some(v) = self.operand_bits(n, low, Some(width)) {
                return v;
            }
            if n == "TABLE" {
                let table = self.subject.table.ok_or("TABLE")?;
                return Ok(Value::bits(u128::from(table) >> low, width));
            }
            if n == "OP_SEL" {
                return Value::bits(self.subject.op_sel.into(), 4).slice(low, width);
            }
        }
        self.eval(base)?.slice(low, width)
    }

    fn member(&mut self, base: &Expr, member: &str) -> Computed<Value> {
        let v = self.read_member(base, member)?;
        if let Value::Float(Float {
            v,
            format: Some(t),
            code,
        }) = v
        {
            self.signalling |= code.is_some_and(|c| t.is_signalling(c));
            self.denormal |= v != 0.0 && v.abs() < t.smallest_normal();
        }
        Ok(v)
    }

    fn read_member(&mut self, base: &Expr, member: &str) -> Computed<Value> {
        if let Expr::Element(base, kind, i) = base
            && kind == "element"
        {
            let t = Format::named(member, self.fnuz);
            let width = t.ok_or_else(|| format!("type {member}"))?.width();
            let i = self.index(i)?;
            return self
                .bits_of(base, i * width, width)?
                .typed(member, self.fnuz);
        }
        if let (Expr::Name(n), "index") = (base, member) {
            let slot = match n.as_str() {
                "D" => self.subject.destinations.first(),
                n => self.slot(n),
            };
            return match slot.map(|s| s.home) {
                Some(Home::Vector(r) | Home::Scalar(r)) => Ok(Value::int(r as i128)),
                _ => Err(format!("the index of {n}")),
            };
        }
        if let Expr::Index(file, i) = base {
            let i_of = |env: &mut Self| env.index(i).map(|i| i as usize);
            match &**file {
                Expr::Name(n) if n == "MEM" || n == "LDS" => {
                    let address = self.eval(i)?.as_int()? as u64;
                    let width = Format::named(member, false).map(Format::width);
                    let width = width.or(integer_type(member).map(|(_, w)| w));
                    let width = width.ok_or_else(|| format!("type {member}"))?;
                    let memory = self.memory.as_ref().ok_or_else(|| format!("reads {n}"))?;
                    return memory
                        .read(n == "LDS", address, width)?
                        .typed(member, false);
                }
                Expr::Name(n) if n == "VGPR" => {
                    let v = self.wave.lane(i_of(self)?, self.lane);
                    return Ok(Value::bits(v.into(), 32));
                }
                Expr::Name(n) if n == "SGPR" => {
                    let v = self.wave.s64(i_of(self)?);
                    return Value::bits(v.into(), 64).typed(member, self.fnuz);
                }
                _ => {}
            }
        }
        if let (Expr::Name(n), "lo" | "hi") = (base, member) {
            let ty = self.element.ok_or("lo of no packed instruction")?;
            let width = ty.trim_start_matches(|c: char| c.is_ascii_alphabetic());
            let width: u32 = width.parse().map_err(|_| format!("type {ty}"))?;
            let low = if member == "hi" { width } else { 0 };
            let v = self.operand_bits(n, low, Some(width));
            return v.ok_or("lo of no operand")??.typed(ty, self.fnuz);
        }
        if let (Expr::Name(n), "sign") = (base, member) {
            let v = match (self.args, self.slot(n)) {
                (None, Some(s)) => {
                    let bit = s.bits - 1;
                    self.operand_bits(n, bit, Some(1)).ok_or("sign")??
                }
                _ => {
                    let f = self.eval(base)?.as_float();
                    let t = f.format.ok_or("the sign of a number without a format")?;
                    Value::truth(f.bits(t) >> (t.width() - 1) & 1 == 1)
                }
            };
            return Ok(v);
        }
        if let (Expr::Name(n), None) = (base, self.args) {
            // As many bits as the type has: an operand may be wider.
            let width = match member {
                "u24" | "i24" => Some(24),
                m => Format::named(m, self.fnuz)
                    .map(Format::width)
                    .or(integer_type(m).map(|(_, w)| w)),
            };
            if let Some(v) = self.operand_bits(n, 0, width) {
                return v?.typed(member, self.fnuz);
            }
        }
        self.eval(base)?.typed(member, self.fnuz)
    }

    fn name(&mut self, n: &str) -> Computed<Value> {
        if let Some((_, v)) = self.locals.iter().find(|(l, _)| l == n) {
            return Ok(*v);
        }
        if let Some(v) = self.operand_bits(n, 0, None) {
            return v;
        }
        Ok(match n {
            "SCC" => Value::truth(self.scc),
            "EXEC" => Value::bits(self.exec.into(), 64),
            "VCC" => Value::bits(self.wave.vcc().into(), 64),
            "M0" => Value::bits(self.wave.sgpr[sreg::M0].into(), 32),
            "lane" => Value::int(self.lane as i128),
            "lanes" => Value::int(self.wave.lanes() as i128),
            "K" => Value::bits(self.subject.literal.into(), 64),
            "SIMM16" => Value::bits(self.subject.simm16.into(), 16),
            "SEL" => Value::int(0),
            "ADDR" | "VADDR" | "RET" | "SADDR" | "offset" | "inst_offset" | "offset0"
            | "offset1" => {
                let memory = self.memory.as_ref().ok_or_else(|| format!("name {n}"))?;
                Value::int(i128::from(memory.named(n, self.subject)))
            }
            "SCALE_SEL" => Value::bits(self.subject.scale_sel.into(), 4),
            "INF" => Value::float(f64::INFINITY, None),
            "NaN" => Value::float(f64::NAN, None),
            "MAX" => Value::float(F32.decode(F32.largest()), None),
            "BELOW_ONE" => {
                let t = self.target.as_deref();
                let t = t.and_then(|t| Format::named(t, self.fnuz));
                let t = t.ok_or("BELOW_ONE of no format")?;
                Value::float(t.decode(t.encode(1.0, Round::Nearest) - 1), Some(t))
            }
            "width" => {
                let s = self.slot("S0").ok_or("no S0")?;
                Value::int(s.bits.into())
            }
            _ => return Err(format!("name {n}")),
        })
    }

    pub(crate) fn eval(&mut self, e: &Expr) -> Computed<Value> {
        match e {
            Expr::Int(v) => Ok(Value::int(*v)),
            Expr::Real(v) => Ok(Value::float(*v, None)),
            Expr::Name(n) => self.name(n),
            Expr::Call(n, args) => self.call(n, args),
            Expr::Member(base, m) => self.member(base, m),
            Expr::Element(base, kind, i) if kind == "byte" => {
                let i = self.index(i)?;
                self.bits_of(base, 8 * i, 8)
            }
            Expr::Element(_, kind, _) => Err(format!("member {kind}")),
            Expr::Index(base, i) => self.lane_bit(base, i),
            Expr::Slice(base, high, low) => {
                let (high, low) = (self.index(high)?, self.index(low)?);
                self.bits_of(base, low, (high + 1).saturating_sub(low))
            }
            Expr::Part(base, low, width) => {
                let (low, width) = (self.index(low)?, self.index(width)?);
                self.bits_of(base, low, width)
            }
            Expr::Concat(parts) => {
                let (mut bits, mut all) = (0u128, 0);
                for p in parts {
                    let Value::Int { v, width } = self.eval(p)? else {
                        return Err("a float beside bits".to_owned());
                    };
                    bits = bits.checked_shl(width).unwrap_or(0) | v as u128 & ones(width);
                    all += width;
                }
                Ok(Value::bits(bits, all))
            }
            Expr::Unary(op, a) => unary(op, self.eval(a)?),
            Expr::Binary("&&", a, b) => {
                let v = self.eval(a)?.is_true() && self.eval(b)?.is_true();
                Ok(Value::truth(v))
            }
            Expr::Binary("||", a, b) => {
                let v = self.eval(a)?.is_true() || self.eval(b)?.is_true();
                Ok(Value::truth(v))
            }
            Expr::Binary(op, a, b) => {
                let a = self.eval(a)?;
                let b = self.eval(b)?;
                self.operate(op, a, b)
            }
            Expr::Cond(c, a, b) => {
                let chosen = if self.eval(c)?.is_true() { a } else { b };
                self.eval(chosen)
            }
            Expr::Sum(body, var, low, high) => {
                let (low, high) = (self.eval(low)?.as_int()?, self.eval(high)?.as_int()?);
                let mut sum = Value::int(0);
                for i in low..=high {
                    self.set_local(var, Value::int(i));
                    let next = self.eval(body)?;
                    sum = self.operate("+", sum, next)?;
                }
                Ok(sum)
            }
        }
    }

    fn operate(&mut self, op: &str, a: Value, b: Value) -> Computed<Value> {
        if let ("*", Value::Float(x), Value::Float(y)) = (op, a, b) {
            let product = x.v * y.v;
            let lost = product.is_infinite() || product.abs() < F64.smallest_normal();
            let scaled = x.format == Some(F64) && y.format.is_none();
            self.out_of_range |= scaled && lost && x.v.is_finite() && x.v != 0.0;
        }
        if op == "+" {
            for v in [a, b] {
                if let Value::Float(f) = v {
                    self.term = self.term.max(f.v.abs());
                }
            }
        }
        binary(op, a, b)
    }

    fn lane_bit(&mut self, base: &Expr, i: &Expr) -> Computed<Value> {
        let i = self.index(i)?;
        match base {
            Expr::Name(n) if n == "VCC" => {
                let mask = match self.subject.mask_in() {
                    Some(s) => Value::bits(gather(0, s.bits, |k| s.dword(self.wave, 0, k)), s.bits),
                    None => Value::bits(self.wave.vcc().into(), 64),
                };
                mask.slice(i, 1)
            }
            Expr::Name(n)
                if matches!(
                    n.as_str(),
                    "MEM" | "LDS" | "SGPR" | "VGPR" | "HWREG" | "IMG" | "GWS"
                ) =>
            {
                Err(format!("reads {n}"))
            }
            _ => self.bits_of(base, i, 1),
        }
    }

    fn call(&mut self, name: &str, args: &[Expr]) -> Computed<Value> {
        if let ("mix", [source]) = (name, args) {
            // Without OP_SEL_HI every source is a 32-bit float.
            return self.member(source, "f32");
        }
        if name == "lane" {
            return match args {
                [Expr::Name(of), i] => {
                    let i = self.index(i)? as usize;
                    self.read_lane(&of.clone(), i)
                }
                _ => Err("lane of what is no register".to_owned()),
            };
        }
        let mut values = [Value::int(0); 3];
        if args.len() > values.len() {
            return Err(format!("function {name}"));
        }
        for (v, a) in values.iter_mut().zip(args) {
            *v = self.eval(a)?;
        }
        let values = &values[..args.len()];
        let place = Place {
            target: self.target.as_deref(),
            fnuz: self.fnuz,
        };
        if let Some(v) = functions::call(name, values, &place) {
            return v;
        }
        self.instruction(name, values)
    }

    /// What the instruction of that name gives.
    fn instruction(&self, name: &str, values: &[Value]) -> Computed<Value> {
        let formula = self.library.formula(name)?;
        let mut inner = Env::new(self.library, "", self.wave, self.subject, self.lane);
        inner.args = Some(values);
        inner.d = [Dest::new(None, self.wave, 0), Dest::new(None, self.wave, 0)];
        inner.run(&formula)?;
        let d = &inner.d[0];
        match d.floats.last() {
            Some((low, t, _)) => {
                let code = d.get(*low, t.width()) as u64;
                Value::bits(code.into(), t.width()).typed(name_of(*t), self.fnuz)
            }
            None => Err(format!("function {name}")),
        }
    }
}

fn name_of(t: Format) -> &'static str {
    match t.width() {
        16 if t.exponent == 8 => "bf16",
        16 => "f16",
        32 => "f32",
        _ => "f64",
    }
}

/// The type of the elements of a packed instruction: the last one in its name.
fn element(mnemonic: &str) -> Option<&str> {
    mnemonic
        .rsplit('_')
        .find(|part| Format::named(part, false).is_some() || integer_type(part).is_some())
}
