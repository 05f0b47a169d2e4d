//! The values of expressions, as far as they are known.
//!
//! A source may define a chain of symbols of any length in any order, so the walk has its own
//! stack, and keeps the value of each node until a symbol that was used gets another definition.

use super::expression::{Expr, Function, Node, Operator, Variant, apply, negate};
use super::symbol::{Definition, SymbolId, Symbols};
use std::cell::{Cell, RefCell};

/// A value relative to a section or to a symbol that is defined elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Value {
    pub(super) base: Base,
    pub(super) offset: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Base {
    Absolute,
    Section(u32),
    Undefined(SymbolId),
}

/// What is known of a node.
#[derive(Clone, Copy)]
enum State {
    /// Its parts are being looked at: met again, it depends on itself.
    Open,
    Done(Option<Value>),
}

/// Values of nodes that were asked for.
pub(super) struct Memory {
    /// The state of a node with the generation in which it was found out.
    nodes: RefCell<Vec<(u32, State)>>,
    /// Counts definitions that make older values void.
    pub(super) generation: u32,
    /// Nodes that may still be visited; a source is refused when none is left.
    left: Cell<u64>,
}

impl Memory {
    pub(super) fn new(visits: u64) -> Self {
        Self {
            nodes: RefCell::default(),
            generation: 1,
            left: Cell::new(visits),
        }
    }
}

fn absolute(offset: i64) -> Option<Value> {
    Some(Value {
        base: Base::Absolute,
        offset,
    })
}

impl Symbols {
    /// Whether expressions took more steps than the source may ask for.
    pub(super) fn is_exhausted(&self) -> bool {
        self.memory.left.get() == 0
    }

    /// The value of an expression as far as it is known; `None` where it has none.
    pub(super) fn evaluate(&self, e: Expr) -> Option<Value> {
        match self.at_once(e) {
            Ok(v) => v,
            Err(n) => self.walk(n),
        }
    }

    /// The value of an expression that depends on no place.
    pub(super) fn constant(&self, e: Expr) -> Option<i64> {
        self.evaluate(e)
            .filter(|v| v.base == Base::Absolute)
            .map(|v| v.offset)
    }

    /// The value where no other node has to be known for it, else the node.
    #[inline]
    fn at_once(&self, e: Expr) -> Result<Option<Value>, u32> {
        let n = match e {
            Expr::Const(v) => return Ok(absolute(v)),
            Expr::Node(n) => n,
        };
        let (base, offset) = match self.nodes[n as usize] {
            Node::Place(section, offset) => (Base::Section(section), offset as i64),
            Node::Symbol(id, _) => match self.list[id as usize].definition {
                Definition::Undefined => (Base::Undefined(id), 0),
                Definition::Label(section, offset) => (Base::Section(section), offset as i64),
                Definition::Variable(Expr::Const(v)) => (Base::Absolute, v),
                Definition::Variable(Expr::Node(_)) => return Err(n),
            },
            _ => return Err(n),
        };
        Ok(Some(Value { base, offset }))
    }

    fn walk(&self, root: u32) -> Option<Value> {
        let mut memory = self.memory.nodes.borrow_mut();
        if memory.len() < self.nodes.len() {
            memory.resize(self.nodes.len(), (0, State::Done(None)));
        }
        let generation = self.memory.generation;
        let mut stack = vec![root];
        while let Some(&n) = stack.last() {
            let left = self.memory.left.get();
            if left == 0 {
                return None;
            }
            self.memory.left.set(left - 1);
            let (of, state) = memory[n as usize];
            let opened = of == generation;
            if opened && matches!(state, State::Done(_)) {
                stack.pop();
                continue;
            }
            let depth = stack.len();
            // The value of a part; parts not looked at yet go onto the stack.
            let mut part = |e: Expr| match self.at_once(e) {
                Ok(v) => v,
                Err(m) => match memory[m as usize] {
                    (of, State::Done(v)) if of == generation => v,
                    (of, State::Open) if of == generation => None,
                    _ => {
                        stack.push(m);
                        None
                    }
                },
            };
            let v = match &self.nodes[n as usize] {
                Node::Place(..) => self.at_once(Expr::Node(n)).unwrap_or(None),
                Node::Symbol(id, _) => match self.list[*id as usize].definition {
                    Definition::Variable(e) => part(e),
                    _ => self.at_once(Expr::Node(n)).unwrap_or(None),
                },
                Node::Unary(op, e) => part(*e)
                    .filter(|v| v.base == Base::Absolute)
                    .and_then(|v| absolute(negate(*op, v.offset))),
                Node::Binary(op, a, b) => {
                    let (a, b) = (part(*a), part(*b));
                    a.zip(b).and_then(|(a, b)| combine(*op, a, b))
                }
                Node::Function(f, list) => {
                    let values: Vec<_> = list.iter().map(|e| part(*e)).collect();
                    self.function(*f, &values)
                }
            };
            if stack.len() > depth && !opened {
                memory[n as usize] = (generation, State::Open);
                continue;
            }
            // An open node is met again when its parts are done, or are open because they depend
            // on it: then it has no value.
            stack.truncate(depth - 1);
            memory[n as usize] = (generation, State::Done(v));
        }
        match memory[root as usize] {
            (of, State::Done(v)) if of == generation => v,
            _ => None,
        }
    }

    fn function(&self, f: Function, parts: &[Option<Value>]) -> Option<Value> {
        let mut values = [0i64; 8];
        let mut result: Option<i64> = None;
        for (n, v) in parts.iter().enumerate() {
            let v = v.filter(|v| v.base == Base::Absolute)?;
            if let Some(slot) = values.get_mut(n) {
                *slot = v.offset;
            }
            result = Some(match (result, f) {
                (None, _) => v.offset,
                (Some(r), Function::Max) => r.max(v.offset),
                (Some(r), _) => r | v.offset,
            });
        }
        absolute(match f {
            Function::Max | Function::Or => result?,
            _ => self.limits.function(f, &values)?,
        })
    }

    /// The one symbol to which numbers are added; `None` where there are several or none.
    pub(super) fn only_symbol(&self, mut e: Expr) -> Option<SymbolId> {
        loop {
            let Expr::Node(n) = e else { return None };
            e = match &self.nodes[n as usize] {
                Node::Symbol(id, _) => return Some(*id),
                Node::Binary(Operator::Add, a, b) => match (self.constant(*a), self.constant(*b)) {
                    (None, Some(_)) => *a,
                    (Some(_), None) => *b,
                    _ => return None,
                },
                Node::Binary(Operator::Subtract, a, b) if self.constant(*b).is_some() => *a,
                _ => return None,
            };
        }
    }

    /// The variant that an expression asks of its first symbol that has one.
    pub(super) fn variant(&self, e: Expr) -> Variant {
        let mut stack = vec![e];
        while let Some(e) = stack.pop() {
            let Expr::Node(n) = e else { continue };
            match &self.nodes[n as usize] {
                Node::Symbol(_, Variant::None) => {}
                Node::Symbol(_, v) => return *v,
                Node::Unary(_, e) => stack.push(*e),
                Node::Binary(_, a, b) => stack.extend([*b, *a]),
                Node::Place(..) | Node::Function(..) => {}
            }
        }
        Variant::None
    }
}

fn combine(op: Operator, a: Value, b: Value) -> Option<Value> {
    match (op, a.base, b.base) {
        (_, Base::Absolute, Base::Absolute) => absolute(apply(op, a.offset, b.offset)?),
        (Operator::Add, base, Base::Absolute) | (Operator::Add, Base::Absolute, base) => {
            Some(Value {
                base,
                offset: a.offset.wrapping_add(b.offset),
            })
        }
        (Operator::Subtract, base, Base::Absolute) => Some(Value {
            base,
            offset: a.offset.wrapping_sub(b.offset),
        }),
        // Distances and comparisons of places in one section are numbers.
        (
            Operator::Subtract
            | Operator::Equal
            | Operator::NotEqual
            | Operator::Less
            | Operator::LessEqual
            | Operator::Greater
            | Operator::GreaterEqual,
            x,
            y,
        ) if x == y => absolute(apply(op, a.offset, b.offset)?),
        _ => None,
    }
}
