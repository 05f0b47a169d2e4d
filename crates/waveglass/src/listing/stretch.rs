//! Which stretches of a code object are functions.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use waveglass_object::{CodeObject, SymbolKind};

/// A named stretch of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stretch<'a> {
    pub(super) name: &'a str,
    pub(super) address: u64,
    pub(super) size: u64,
}

/// The functions and kernels by address; sections without any stand as a whole.
pub(super) fn stretches(object: &CodeObject) -> Vec<Stretch<'_>> {
    let mut starts: BTreeMap<u64, (&str, u64)> = BTreeMap::new();
    for s in object.symbols() {
        if s.kind == SymbolKind::Function && s.defined {
            starts.entry(s.address).or_insert((&s.name, s.size));
        }
    }
    // A kernel's own name wins over an alias of its entry.
    for k in object.kernels() {
        let size = k.code_size.unwrap_or(0);
        let known = starts.get(&k.entry).map_or(size, |s| s.1.max(size));
        starts.insert(k.entry, (&k.name, known));
    }
    for t in object.text() {
        let mut inside = starts.range(t.address..t.address.saturating_add(t.size));
        if t.size > 0 && inside.next().is_none() {
            starts.insert(t.address, (&t.name, t.size));
        }
    }
    let mut out: Vec<Stretch<'_>> = starts
        .into_iter()
        .map(|(address, (name, size))| Stretch {
            name,
            address,
            size,
        })
        .collect();
    close(object, &mut out);
    out
}

/// Symbols without a size end with their section, or where the next symbol starts.
fn close(object: &CodeObject, stretches: &mut [Stretch<'_>]) {
    let mut sections: Vec<(u64, u64, usize)> = object
        .text()
        .iter()
        .enumerate()
        .map(|(n, t)| (t.address, t.address.saturating_add(t.size), n))
        .collect();
    sections.sort_unstable();
    let mut sections = sections.into_iter().peekable();
    // The sections that have begun, the first one of the file on top: sections may overlap.
    let mut begun = BinaryHeap::new();
    for i in 0..stretches.len() {
        let address = stretches[i].address;
        while let Some((_, end, n)) = sections.next_if(|s| s.0 <= address) {
            begun.push(Reverse((n, end)));
        }
        while begun
            .peek()
            .is_some_and(|Reverse((_, end))| *end <= address)
        {
            begun.pop();
        }
        if stretches[i].size > 0 {
            continue;
        }
        let section = begun.peek().map(|Reverse((_, end))| *end);
        let next = stretches.get(i + 1).map(|s| s.address);
        let end = match (section, next) {
            (Some(s), Some(n)) => s.min(n),
            (Some(s), None) => s,
            (None, n) => n.unwrap_or(address),
        };
        stretches[i].size = end.saturating_sub(address);
    }
}
