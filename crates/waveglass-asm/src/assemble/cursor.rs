//! A position in one statement's bytes.

use super::diagnostic::Problem;

/// Reads a statement from left to right. All methods that read skip blanks first.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'a> {
    pub(super) src: &'a [u8],
    pub(super) pos: usize,
}

/// Whether `b` may stand in a name.
#[inline]
pub(super) fn is_name(b: u8) -> bool {
    NAME[b as usize]
}

static NAME: [bool; 256] = {
    let mut t = [false; 256];
    let mut i = 0;
    while i < 256 {
        let b = i as u8;
        t[i] = b.is_ascii_alphanumeric() || b == b'_' || b == b'.' || b == b'$' || b == b'@';
        i += 1;
    }
    t
};

/// How many bytes of a name a text starts with.
#[inline]
fn name_length(text: &[u8]) -> usize {
    let mut n = 0;
    while let Some(&[a, b, c, d]) = text[n..].first_chunk()
        && is_name(a) & is_name(b) & is_name(c) & is_name(d)
    {
        n += 4;
    }
    while text.get(n).is_some_and(|b| is_name(*b)) {
        n += 1;
    }
    n
}

impl<'a> Cursor<'a> {
    pub(super) fn new(src: &'a [u8]) -> Self {
        Self { src, pos: 0 }
    }

    /// Skips blanks and comments in `/* */`.
    #[inline]
    pub(super) fn skip(&mut self) {
        while let Some(&b) = self.src.get(self.pos) {
            match b {
                b' ' | b'\t' | b'\r' => self.pos += 1,
                b'/' if self.src.get(self.pos + 1) == Some(&b'*') => {
                    let rest = &self.src[self.pos + 2..];
                    let end = rest.windows(2).position(|w| w == b"*/");
                    self.pos = end.map_or(self.src.len(), |e| self.pos + 2 + e + 2);
                }
                b'/' if self.src.get(self.pos + 1) == Some(&b'/') => {
                    self.src = &self.src[..self.pos];
                }
                b';' => self.src = &self.src[..self.pos],
                _ => return,
            }
        }
    }

    /// The next byte after blanks, 0 at the end.
    #[inline]
    pub(super) fn peek(&mut self) -> u8 {
        self.skip();
        self.src.get(self.pos).copied().unwrap_or(0)
    }

    /// The byte at `n` from here, blanks included; 0 past the end.
    #[inline]
    pub(super) fn at(&self, n: usize) -> u8 {
        self.src.get(self.pos + n).copied().unwrap_or(0)
    }

    #[inline]
    pub(super) fn is_end(&mut self) -> bool {
        self.skip();
        self.pos >= self.src.len()
    }

    /// Takes `b` if it is next.
    #[inline]
    pub(super) fn eat(&mut self, b: u8) -> bool {
        let yes = self.peek() == b && self.pos < self.src.len();
        self.pos += yes as usize;
        yes
    }

    /// Takes letters and digits; empty where there are none.
    pub(super) fn letters_and_digits(&mut self) -> &'a str {
        self.skip();
        let rest = &self.src[self.pos..];
        let n = rest
            .iter()
            .position(|b| !b.is_ascii_alphanumeric())
            .unwrap_or(rest.len());
        self.pos += n;
        std::str::from_utf8(&rest[..n]).unwrap_or("")
    }

    /// After an entry of a list in square brackets: whether another follows.
    #[inline]
    pub(super) fn list_goes_on(&mut self) -> Result<bool, Problem> {
        if self.eat(b',') {
            return Ok(true);
        }
        if self.eat(b']') {
            return Ok(false);
        }
        Err(Problem::at(
            self.pos,
            "expected a comma or a closing square bracket",
        ))
    }

    /// The name that is next, without taking it; empty where there is none.
    #[inline]
    pub(super) fn peek_name(&mut self) -> &'a [u8] {
        self.skip();
        let rest = &self.src[self.pos..];
        match rest.first() {
            Some(b) if b.is_ascii_digit() || *b == b'@' => return &[],
            _ => {}
        }
        &rest[..name_length(rest)]
    }

    /// Takes the name that is next.
    #[inline]
    pub(super) fn name(&mut self) -> &'a [u8] {
        let n = self.peek_name();
        self.pos += n.len();
        n
    }

    /// A decimal number of at most nine digits, without blanks before it.
    #[inline]
    pub(super) fn digits(&mut self) -> Option<u32> {
        let rest = &self.src[self.pos..];
        let (mut v, mut n) = (0u32, 0);
        while let Some(d) = rest
            .get(n)
            .map(|b| b.wrapping_sub(b'0'))
            .filter(|d| *d < 10)
        {
            if n == 9 {
                return None;
            }
            v = v * 10 + d as u32;
            n += 1;
        }
        self.pos += n;
        (n > 0).then_some(v)
    }

    /// What is left, without blanks at its ends.
    pub(super) fn rest(&mut self) -> &'a [u8] {
        self.skip();
        self.src[self.pos..].trim_ascii()
    }
}
