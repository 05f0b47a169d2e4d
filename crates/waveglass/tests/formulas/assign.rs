//! Assignments: what stands left of the equals sign.

use crate::eval::{Computed, Env};
use crate::float::Format;
use crate::parser::Expr;
use crate::subject::Home;
use crate::value::{Value, integer_type, ones};

/// What an assignment writes.
struct Written {
    name: &'static str,
    low: u32,
    width: Option<u32>,
    ty: Option<String>,
}

impl Env<'_> {
    pub(crate) fn assign(&mut self, place: &Expr, e: &Expr) -> Computed<()> {
        if let Expr::Name(n) = place {
            match n.as_str() {
                "SCC" => {
                    self.scc = self.eval(e)?.is_true();
                    return Ok(());
                }
                "EXEC" => {
                    let bits = self.slot("S0").map_or(64, |s| s.bits);
                    self.exec = (self.eval(e)?.raw()? & ones(bits)) as u64;
                    return Ok(());
                }
                n if !matches!(n, "D" | "D0" | "D1" | "S0") => {
                    if matches!(n, "M0" | "PC" | "MODE" | "VCC") {
                        return Err(format!("writes {n}"));
                    }
                    self.target = None;
                    let v = self.eval(e)?;
                    self.set_local(n, v);
                    return Ok(());
                }
                _ => {}
            }
        }
        if let Expr::Index(base, _) = place
            && let Expr::Name(n) = &**base
            && matches!(n.as_str(), "VCC" | "D1" | "EXEC")
        {
            let bit = Some(self.eval(e)?.is_true());
            if n == "EXEC" {
                self.exec_lane = bit;
            } else {
                self.vcc = bit;
            }
            return Ok(());
        }
        if let Some(home) = self.moved_to(place)? {
            let bits = self.eval(e)?.raw()?;
            self.moved.push((home, bits as u32));
            if let (Home::Scalar(r), Expr::Member(_, ty)) = (home, place)
                && ty == "b64"
            {
                self.moved.push((Home::Scalar(r + 1), (bits >> 32) as u32));
            }
            return Ok(());
        }
        if let Some((lds, address, ty)) = self.stored(place)? {
            return self.store(lds, address, ty, e);
        }
        let Some(at) = self.place(place)? else {
            return Ok(());
        };
        self.target.clone_from(&at.ty);
        let v = self.eval(e)?;
        let dest = match at.name {
            "D1" => &mut self.d[1],
            "S0" => &mut self.source,
            _ => &mut self.d[0],
        };
        let format = at.ty.as_deref().and_then(|t| Format::named(t, self.fnuz));
        let format = format.or(match v {
            Value::Float(f) => f.format,
            Value::Int { .. } => None,
        });
        let (bits, width) = match (v, format) {
            (_, Some(t)) => (u128::from(v.as_float().bits(t)), t.width()),
            (v, None) => (v.raw()?, dest.width),
        };
        let ty = at.ty.as_deref().and_then(integer_type).map(|(_, w)| w);
        let width = at.width.or(ty).unwrap_or(width);
        dest.set(at.low, width, bits);
        if let Some(t) = format {
            dest.floats.push((at.low, t, v.as_float().v.is_nan()));
        }
        Ok(())
    }

    /// The space, address and type of `MEM[a].u32` and `LDS[a].u32`.
    fn stored<'e>(&mut self, e: &'e Expr) -> Computed<Option<(bool, u64, &'e str)>> {
        let Expr::Member(base, ty) = e else {
            return Ok(None);
        };
        let Expr::Index(space, at) = &**base else {
            return Ok(None);
        };
        match &**space {
            Expr::Name(n) if n == "MEM" || n == "LDS" => {
                let lds = n == "LDS";
                Ok(Some((lds, self.eval(at)?.as_int()? as u64, ty)))
            }
            _ => Ok(None),
        }
    }

    fn store(&mut self, lds: bool, address: u64, ty: &str, e: &Expr) -> Computed<()> {
        let v = self.eval(e)?;
        let format = Format::named(ty, false);
        let (bits, width) = match (v, format) {
            (Value::Float(f), Some(t)) => (f.bits(t).into(), t.width()),
            (v, Some(t)) => (v.raw()?, t.width()),
            (v, None) => {
                let (_, width) = integer_type(ty).ok_or_else(|| format!("type {ty}"))?;
                (v.raw()?, width)
            }
        };
        let bytes = bits.to_le_bytes()[..width as usize / 8].to_vec();
        self.stores.push((lds, address, bytes, format));
        Ok(())
    }

    /// The register of `VGPR[i].b32` and `SGPR[i].b32`.
    fn moved_to(&mut self, e: &Expr) -> Computed<Option<Home>> {
        let Expr::Member(base, _) = e else {
            return Ok(None);
        };
        let Expr::Index(file, i) = &**base else {
            return Ok(None);
        };
        let Expr::Name(file) = &**file else {
            return Ok(None);
        };
        let home: fn(usize) -> Home = match file.as_str() {
            "VGPR" => Home::Vector,
            "SGPR" => Home::Scalar,
            _ => return Ok(None),
        };
        Ok(Some(home(self.index(i)? as usize)))
    }

    /// What an assignment writes; `None` for another lane's register.
    fn place(&mut self, e: &Expr) -> Computed<Option<Written>> {
        match e {
            Expr::Name(n) => {
                let name = match n.as_str() {
                    "D" | "D0" => "D",
                    "D1" => "D1",
                    "S0" => "S0",
                    n => return Err(format!("writes {n}")),
                };
                Ok(Some(Written {
                    name,
                    low: 0,
                    width: None,
                    ty: None,
                }))
            }
            Expr::Call(n, _) if n == "lane" => {
                let (name, lane) = self.other_lane(e)?;
                let own = lane == self.lane;
                Ok(own.then(|| Written {
                    name: if name == "S0" { "S0" } else { "D" },
                    low: 0,
                    width: None,
                    ty: None,
                }))
            }
            Expr::Member(base, ty) => {
                let at = self.place(base)?;
                Ok(at.map(|at| Written {
                    ty: Some(ty.clone()),
                    ..at
                }))
            }
            Expr::Element(base, _, i) => self.part_of(base, |env| Ok((8 * env.index(i)?, 8))),
            Expr::Index(base, i) => self.part_of(base, |env| Ok((env.index(i)?, 1))),
            Expr::Slice(base, high, low) => self.part_of(base, |env| {
                let (high, low) = (env.index(high)?, env.index(low)?);
                Ok((low, (high + 1).saturating_sub(low)))
            }),
            _ => Err("writes what is no register".to_owned()),
        }
    }

    fn part_of(
        &mut self,
        base: &Expr,
        part: impl Fn(&mut Self) -> Computed<(u32, u32)>,
    ) -> Computed<Option<Written>> {
        let (low, width) = part(self)?;
        let at = self.place(base)?;
        Ok(at.map(|at| Written {
            low: at.low + low,
            width: Some(width),
            ..at
        }))
    }
}
