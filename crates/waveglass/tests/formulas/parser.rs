//! Formulas as trees.

use crate::lexer::{Token, tokens};
use std::rc::Rc;

/// An expression.
#[derive(Debug)]
pub(crate) enum Expr {
    Int(i128),
    Real(f64),
    Name(String),
    Call(String, Vec<Expr>),
    /// `x.f32`, `x.lo`, `x.sign`.
    Member(Box<Expr>, String),
    /// `x.byte[i]`, `x.element[i]`.
    Element(Box<Expr>, String, Box<Expr>),
    /// `x[i]`.
    Index(Box<Expr>, Box<Expr>),
    /// `x[high:low]`.
    Slice(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `x[low +: width]`.
    Part(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `{a, b}`.
    Concat(Vec<Expr>),
    Unary(&'static str, Box<Expr>),
    Binary(&'static str, Box<Expr>, Box<Expr>),
    Cond(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `sum of x for i in a..b`.
    Sum(Box<Expr>, String, Box<Expr>, Box<Expr>),
}

/// A statement.
#[derive(Debug)]
pub(crate) enum Stmt {
    Assign(Expr, Expr),
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    For(String, Expr, Expr, Vec<Stmt>),
    Swap(Expr, Expr),
}

/// A formula.
pub(crate) type Formula = Rc<Vec<Stmt>>;

/// Reads the lines of a formula.
pub(crate) fn parse(lines: &[String]) -> Result<Formula, String> {
    let mut out: Vec<Stmt> = Vec::new();
    for line in lines {
        let mut p = Parser {
            tokens: tokens(line)?,
            at: 0,
        };
        let otherwise = p.take_name("else");
        let mut stmts = p.statements()?;
        if p.at < p.tokens.len() {
            return Err(format!("{line:?}: {:?} is left", p.tokens[p.at]));
        }
        if otherwise {
            attach(&mut out, stmts).ok_or_else(|| format!("{line:?}: else without if"))?;
        } else {
            out.append(&mut stmts);
        }
    }
    Ok(Rc::new(out))
}

/// Puts what follows `else` at the end of the chain of ifs before it.
fn attach(out: &mut [Stmt], stmts: Vec<Stmt>) -> Option<()> {
    let Some(Stmt::If(_, _, otherwise)) = out.last_mut() else {
        return None;
    };
    if otherwise.is_empty() {
        *otherwise = stmts;
        Some(())
    } else {
        attach(otherwise, stmts)
    }
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
}

/// Binary operators, those that bind weakest first (C's order).
const LEVELS: &[&[&str]] = &[
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

type Read<T> = Result<T, String>;

impl Parser {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn take(&mut self, mark: &str) -> bool {
        let found = matches!(self.peek(), Some(Token::Mark(m)) if *m == mark);
        self.at += usize::from(found);
        found
    }

    fn take_name(&mut self, name: &str) -> bool {
        let found = matches!(self.peek(), Some(Token::Name(n)) if n == name);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, mark: &str) -> Read<()> {
        if self.take(mark) {
            return Ok(());
        }
        Err(format!("{mark} is missing before {:?}", self.peek()))
    }

    fn name(&mut self) -> Read<String> {
        match self.tokens.get(self.at) {
            Some(Token::Name(n)) => {
                self.at += 1;
                Ok(n.clone())
            }
            other => Err(format!("{other:?} instead of a name")),
        }
    }

    /// Statements of one line: `;` and, between assignments, `,` stand between them.
    fn statements(&mut self) -> Read<Vec<Stmt>> {
        let mut out = vec![self.statement()?];
        while self.take(";") || self.take(",") {
            out.push(self.statement()?);
        }
        Ok(out)
    }

    fn statement(&mut self) -> Read<Stmt> {
        if self.take_name("if") {
            let cond = self.expr()?;
            if !self.take_name("then") {
                return Err("if without then".to_owned());
            }
            return Ok(Stmt::If(cond, self.statements()?, Vec::new()));
        }
        if self.take_name("for") {
            let (var, low, high) = self.range()?;
            self.expect(":")?;
            return Ok(Stmt::For(var, low, high, self.statements()?));
        }
        let place = self.postfix()?;
        if let Expr::Call(name, mut args) = place {
            if name == "swap" && args.len() == 2 {
                let b = args.pop().ok_or("swap of one")?;
                let a = args.pop().ok_or("swap of none")?;
                return Ok(Stmt::Swap(a, b));
            }
            return Err(format!("{name}(…) is no statement"));
        }
        self.expect("=")?;
        Ok(Stmt::Assign(place, self.expr()?))
    }

    /// `i in a..b`.
    fn range(&mut self) -> Read<(String, Expr, Expr)> {
        let var = self.name()?;
        if !self.take_name("in") {
            return Err("for without in".to_owned());
        }
        let low = self.expr()?;
        self.expect("..")?;
        Ok((var, low, self.expr()?))
    }

    fn expr(&mut self) -> Read<Expr> {
        let cond = self.binary(0)?;
        if !self.take("?") {
            return Ok(cond);
        }
        let yes = self.expr()?;
        self.expect(":")?;
        let no = self.expr()?;
        Ok(Expr::Cond(cond.into(), yes.into(), no.into()))
    }

    fn binary(&mut self, level: usize) -> Read<Expr> {
        let Some(operators) = LEVELS.get(level) else {
            return self.unary();
        };
        let mut left = self.binary(level + 1)?;
        while let Some(op) = operators.iter().find(|o| self.take(o)) {
            let right = self.binary(level + 1)?;
            left = Expr::Binary(op, left.into(), right.into());
        }
        Ok(left)
    }

    fn unary(&mut self) -> Read<Expr> {
        for op in ["-", "~", "!"] {
            if self.take(op) {
                return Ok(Expr::Unary(op, self.unary()?.into()));
            }
        }
        let base = self.postfix()?;
        if self.take("**") {
            return Ok(Expr::Binary("**", base.into(), self.unary()?.into()));
        }
        Ok(base)
    }

    fn postfix(&mut self) -> Read<Expr> {
        let mut e = self.primary()?;
        loop {
            if self.take(".") {
                let member = self.name()?;
                e = if matches!(member.as_str(), "byte" | "element") {
                    self.expect("[")?;
                    let index = self.expr()?;
                    self.expect("]")?;
                    Expr::Element(e.into(), member, index.into())
                } else {
                    Expr::Member(e.into(), member)
                };
            } else if self.take("[") {
                let first = self.expr()?;
                e = if self.take(":") {
                    Expr::Slice(e.into(), first.into(), self.expr()?.into())
                } else if self.take("+:") {
                    Expr::Part(e.into(), first.into(), self.expr()?.into())
                } else {
                    Expr::Index(e.into(), first.into())
                };
                self.expect("]")?;
            } else {
                return Ok(e);
            }
        }
    }

    fn list(&mut self, end: &str) -> Read<Vec<Expr>> {
        let mut out = Vec::new();
        while !self.take(end) {
            if !out.is_empty() {
                self.expect(",")?;
            }
            out.push(self.expr()?);
        }
        Ok(out)
    }

    fn primary(&mut self) -> Read<Expr> {
        let token = self.peek().cloned();
        self.at += 1;
        Ok(match token {
            Some(Token::Int(v)) => Expr::Int(v),
            Some(Token::Real(v)) => Expr::Real(v),
            Some(Token::Mark("(")) => {
                let e = self.expr()?;
                self.expect(")")?;
                e
            }
            Some(Token::Mark("{")) => Expr::Concat(self.list("}")?),
            Some(Token::Name(n)) if n == "sum" && self.take_name("of") => {
                // The body ends before `for`.
                let body = self.binary(8)?;
                if !self.take_name("for") {
                    return Err("sum without for".to_owned());
                }
                let (var, low, high) = self.range()?;
                Expr::Sum(body.into(), var, low.into(), high.into())
            }
            Some(Token::Name(n)) if self.take("(") => Expr::Call(n, self.list(")")?),
            Some(Token::Name(n)) => Expr::Name(n),
            other => return Err(format!("{other:?} begins no expression")),
        })
    }
}
