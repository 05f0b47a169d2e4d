//! Numbers, written without the formatting machinery: they stand in almost every instruction.

use super::Printer;

/// "000", "001" and so on to "999", in one string.
const TRIPLES: &str = {
    const TEXT: [u8; 3000] = {
        let mut t = [b'0'; 3000];
        let mut i = 0;
        while i < 1000 {
            t[3 * i] = b'0' + (i / 100) as u8;
            t[3 * i + 1] = b'0' + (i / 10 % 10) as u8;
            t[3 * i + 2] = b'0' + (i % 10) as u8;
            i += 1;
        }
        t
    };
    match std::str::from_utf8(&TEXT) {
        Ok(s) => s,
        Err(_) => panic!("digits are ASCII"),
    }
};

impl Printer<'_> {
    /// A decimal number.
    pub(super) fn decimal(&mut self, v: u64) {
        if v < 1000 {
            let v = v as usize;
            let skip = if v < 10 {
                2
            } else if v < 100 {
                1
            } else {
                0
            };
            self.out.push_str(&TRIPLES[3 * v + skip..3 * v + 3]);
        } else {
            self.decimal(v / 1000);
            let low = (v % 1000) as usize;
            self.out.push_str(&TRIPLES[3 * low..3 * low + 3]);
        }
    }

    /// A decimal number with its sign.
    pub(super) fn integer(&mut self, i: i64) {
        if i < 0 {
            self.out.push('-');
        }
        self.decimal(i.unsigned_abs());
    }

    /// A hexadecimal number after `0x`.
    pub(super) fn hex(&mut self, v: u64) {
        const DIGITS: &str = "0123456789abcdef";
        self.out.push_str("0x");
        let digits = (64 - v.leading_zeros()).div_ceil(4).max(1);
        for i in (0..digits).rev() {
            let d = (v >> (4 * i) & 15) as usize;
            self.out.push_str(&DIGITS[d..d + 1]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PrintOptions;
    use waveglass_isa::{Target, decode};

    #[test]
    fn numbers_read_as_the_standard_library_writes_them() {
        let inst = decode(Target::Gfx900, &[0, 0, 0, 0x7e]).expect("v_nop");
        for v in [
            0u64,
            7,
            10,
            99,
            100,
            999,
            1000,
            1001,
            65_535,
            1 << 40,
            u64::MAX,
        ] {
            let mut out = String::new();
            let options = PrintOptions::default();
            let mut p = Printer {
                inst: &inst,
                options: &options,
                out: &mut out,
            };
            p.decimal(v);
            p.integer(-(v as i64 & i64::MAX));
            p.hex(v);
            assert_eq!(out, format!("{v}{}{v:#x}", -(v as i64 & i64::MAX)));
        }
    }
}
