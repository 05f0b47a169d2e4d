//! Symbols and the expressions that define them.

use super::evaluate::Memory;
use super::expression::{Expr, Node, Variant};
use super::resources::Limits;
use hashbrown::hash_table::Entry;
use hashbrown::{DefaultHashBuilder, HashMap, HashTable};
use std::hash::BuildHasher as _;
use waveglass_isa::Target;

pub(super) type SymbolId = u32;

/// What a symbol stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Definition {
    Undefined,
    /// Section and offset.
    Label(u32, u64),
    Variable(Expr),
}

/// How a symbol is seen from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binding {
    Local,
    Global,
    Weak,
}

#[derive(Clone, Debug)]
pub(super) struct Symbol {
    pub(super) name: Box<[u8]>,
    pub(super) definition: Definition,
    pub(super) binding: Binding,
    /// ELF visibility: 0 default, 1 internal, 2 hidden, 3 protected.
    pub(super) visibility: u8,
    /// ELF symbol type.
    pub(super) kind: u8,
    pub(super) size: Option<Expr>,
    /// `.set` may give a variable another value; `.equiv` and labels may not be defined again.
    pub(super) fixed: bool,
    /// An expression has it.
    used: bool,
}

/// All symbols and expression nodes of a source.
pub(super) struct Symbols {
    pub(super) list: Vec<Symbol>,
    pub(super) nodes: Vec<Node>,
    /// The symbols by their names.
    names: HashTable<SymbolId>,
    hasher: DefaultHashBuilder,
    locals: HashMap<u64, u32>,
    /// The section and offset that `.` stands for.
    pub(super) place: (u32, u64),
    /// A `|` closes an absolute value here.
    pub(super) in_bars: bool,
    pub(super) line: u32,
    pub(super) limits: Limits,
    pub(super) memory: Memory,
}

impl Symbols {
    pub(super) fn new(target: Target, wave_size: u32, visits: u64) -> Self {
        Self {
            list: Vec::new(),
            nodes: Vec::new(),
            names: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
            locals: HashMap::new(),
            place: (0, 0),
            in_bars: false,
            line: 0,
            limits: Limits::new(target, wave_size),
            memory: Memory::new(visits),
        }
    }

    pub(super) fn node(&mut self, n: Node) -> Expr {
        self.nodes.push(n);
        Expr::Node(self.nodes.len() as u32 - 1)
    }

    /// Gives a symbol a value.
    pub(super) fn define(&mut self, id: SymbolId, definition: Definition) {
        let s = &mut self.list[id as usize];
        s.definition = definition;
        if s.used {
            self.memory.generation += 1;
        }
    }

    pub(super) fn here(&mut self) -> Expr {
        self.node(Node::Place(self.place.0, self.place.1))
    }

    pub(super) fn get(&self, name: &[u8]) -> Option<SymbolId> {
        let hash = self.hasher.hash_one(name);
        self.names
            .find(hash, |id| *self.list[*id as usize].name == *name)
            .copied()
    }

    /// The symbol of that name, made where there is none.
    pub(super) fn intern(&mut self, name: &[u8]) -> SymbolId {
        let (list, hasher) = (&self.list, &self.hasher);
        let entry = self.names.entry(
            hasher.hash_one(name),
            |id| *list[*id as usize].name == *name,
            |id| hasher.hash_one(&*list[*id as usize].name),
        );
        let vacant = match entry {
            Entry::Occupied(e) => return *e.get(),
            Entry::Vacant(e) => e,
        };
        let id = list.len() as u32;
        vacant.insert(id);
        self.list.push(Symbol {
            name: name.into(),
            definition: Definition::Undefined,
            binding: Binding::Local,
            visibility: 0,
            kind: 0,
            size: None,
            fixed: false,
            used: false,
        });
        id
    }

    /// A use of a symbol. A variable with a known number is replaced at once, which keeps the
    /// value that it has here when it is set again.
    pub(super) fn reference(&mut self, name: &[u8], variant: Variant) -> Expr {
        let id = self.intern(name);
        if let Definition::Variable(Expr::Const(v)) = self.list[id as usize].definition
            && variant == Variant::None
        {
            return Expr::Const(v);
        }
        self.list[id as usize].used = true;
        self.node(Node::Symbol(id, variant))
    }

    fn local_name(n: u64, count: u32) -> Vec<u8> {
        format!("\u{1}{n}\u{1}{count}").into_bytes()
    }

    /// The symbol of `1:` here.
    pub(super) fn local_define(&mut self, n: u64) -> SymbolId {
        let count = self.locals.entry(n).or_default();
        *count += 1;
        let name = Self::local_name(n, *count);
        self.intern(&name)
    }

    /// `1b` or `1f`.
    pub(super) fn local_reference(&mut self, n: u64, forward: bool) -> Option<Expr> {
        let count = self.locals.get(&n).copied().unwrap_or(0);
        if !forward && count == 0 {
            return None;
        }
        let name = Self::local_name(n, count + forward as u32);
        Some(self.reference(&name, Variant::None))
    }
}
