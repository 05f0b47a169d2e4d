//! Dynamic symbols and their hash tables.

/// The hash of GNU hash tables (DJB's, from 5381).
pub(super) fn gnu_hash(name: &str) -> u32 {
    name.bytes()
        .fold(5381, |h: u32, b| h.wrapping_mul(33).wrapping_add(b as u32))
}

/// The hash of the System V ABI.
fn sysv_hash(name: &str) -> u32 {
    name.bytes().fold(0, |h: u32, b| {
        let h = (h << 4).wrapping_add(b as u32);
        let top = h & 0xf000_0000;
        (h ^ top >> 24) & !top
    })
}

/// `.gnu.hash` over symbols in the order of their buckets, which start at dynamic symbol
/// `first`. Sizes are lld's: four symbols a bucket, twelve bits of filter a symbol.
pub(super) fn gnu_hash_table(names: &[&str], first: u32) -> Vec<u8> {
    let count = names.len();
    let buckets = bucket_count(count);
    let words = mask_words(count);
    let mut out = Vec::new();
    let mut put = |v: u32| out.extend_from_slice(&v.to_le_bytes());
    const SHIFT: u32 = 26;
    put(buckets);
    put(first);
    put(words as u32);
    put(SHIFT);
    let mut filter = vec![0u64; words];
    let mut heads = vec![0u32; buckets as usize];
    let mut chain = Vec::new();
    for (n, name) in names.iter().enumerate() {
        let h = gnu_hash(name);
        let word = &mut filter[(h as usize / 64) & (words - 1)];
        *word |= 1 << (h % 64) | 1 << ((h >> SHIFT) % 64);
        let bucket = h % buckets;
        let head = &mut heads[bucket as usize];
        if *head == 0 {
            *head = first + n as u32;
        }
        let last = names
            .get(n + 1)
            .is_none_or(|next| gnu_hash(next) % buckets != bucket);
        chain.push(h & !1 | last as u32);
    }
    for w in filter {
        out.extend_from_slice(&w.to_le_bytes());
    }
    for v in heads.iter().chain(&chain) {
        out.extend_from_slice(&v.to_le_bytes());
    }
    out
}

pub(super) fn bucket_count(symbols: usize) -> u32 {
    (symbols / 4).max(1) as u32
}

fn mask_words(symbols: usize) -> usize {
    // The power of two above; LLVM's NextPowerOf2 of a power of two is the next one.
    match symbols {
        0 => 1,
        n => (n * 12 / 64 + 1).next_power_of_two(),
    }
}

/// `.hash`: as many buckets as symbols.
pub(super) fn sysv_hash_table(names: &[&str]) -> Vec<u8> {
    let n = names.len();
    let mut buckets = vec![0u32; n];
    let mut chain = vec![0u32; n];
    for (i, name) in names.iter().enumerate().skip(1) {
        let b = sysv_hash(name) as usize % n;
        chain[i] = buckets[b];
        buckets[b] = i as u32;
    }
    let mut out = Vec::new();
    for v in [n as u32, n as u32].iter().chain(&buckets).chain(&chain) {
        out.extend_from_slice(&v.to_le_bytes());
    }
    out
}

/// A string table under construction.
pub(super) struct Strings {
    pub(super) bytes: Vec<u8>,
    seen: std::collections::HashMap<String, u32>,
}

impl Strings {
    pub(super) fn new() -> Self {
        Self {
            bytes: vec![0],
            seen: std::collections::HashMap::new(),
        }
    }

    pub(super) fn add(&mut self, s: &str) -> u32 {
        if s.is_empty() {
            return 0;
        }
        if let Some(&at) = self.seen.get(s) {
            return at;
        }
        let at = self.bytes.len() as u32;
        self.bytes.extend_from_slice(s.as_bytes());
        self.bytes.push(0);
        self.seen.insert(s.to_owned(), at);
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_the_specifications() {
        // The System V ABI's example function, worked by hand for one and two letters.
        assert_eq!(sysv_hash("a"), 0x61);
        assert_eq!(sysv_hash("ab"), 0x61 * 16 + 0x62);
        assert_eq!(gnu_hash(""), 5381);
        assert_eq!(gnu_hash("a"), 5381 * 33 + 0x61);
    }

    #[test]
    fn table_sizes_are_lld_s() {
        // lld's tables for the thirteen symbols of a code object made by clang.
        let names = ["k"; 13];
        assert_eq!(gnu_hash_table(&names, 1).len(), 0x70);
        let all = ["k"; 14];
        assert_eq!(sysv_hash_table(&all).len(), 0x78);
    }
}
