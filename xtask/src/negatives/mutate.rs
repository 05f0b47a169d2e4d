//! One thing wrong at a time.

use crate::sample::Rng;
use waveglass_isa::Target;

/// What is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// A register past the last of its file.
    Range,
    /// A register tuple that starts one later.
    Aligned,
    /// A register of another file.
    File,
    /// A tuple of another width.
    Width,
    /// A register with a name of its own where another stood.
    Special,
    Dropped,
    Extra,
    Swapped,
    /// A modifier that no instruction has.
    Unknown,
    /// A modifier of other instructions.
    Foreign,
    Twice,
    /// A number out of its field.
    Field,
    /// A constant that does not fit.
    Constant,
    /// A second literal.
    Literal,
    /// A sign or bars that the operand may not have.
    Sign,
    /// The text of any target.
    Generation,
    /// Another name of a name's letters.
    Spelling,
    /// A suffix of another encoding.
    Suffix,
    /// The other wave size.
    Wave,
    /// Modifiers in another order.
    Order,
    /// A bracket, comma or colon too few or too many.
    Punctuation,
}

pub(super) const KINDS: [Kind; 21] = [
    Kind::Range,
    Kind::Aligned,
    Kind::File,
    Kind::Width,
    Kind::Special,
    Kind::Dropped,
    Kind::Extra,
    Kind::Swapped,
    Kind::Unknown,
    Kind::Foreign,
    Kind::Twice,
    Kind::Field,
    Kind::Constant,
    Kind::Literal,
    Kind::Sign,
    Kind::Generation,
    Kind::Spelling,
    Kind::Suffix,
    Kind::Wave,
    Kind::Order,
    Kind::Punctuation,
];

/// A general register in a text.
struct Register<'a> {
    start: usize,
    end: usize,
    file: &'a str,
    first: u32,
    last: u32,
    range: bool,
}

impl Register<'_> {
    fn spell(&self, file: &str, first: u32, last: u32) -> String {
        match self.range {
            true => format!("{file}[{first}:{last}]"),
            false => format!("{file}{first}"),
        }
    }
}

fn number(t: &str) -> Option<(u32, usize)> {
    let n = t.bytes().take_while(u8::is_ascii_digit).count();
    Some((t[..n].parse().ok()?, n))
}

fn registers(text: &str) -> Vec<Register<'_>> {
    let mut list = Vec::new();
    let bytes = text.as_bytes();
    for start in text.find(' ').unwrap_or(text.len())..text.len() {
        let before = bytes[start.max(1) - 1];
        if before.is_ascii_alphanumeric() || matches!(before, b'_' | b'.') {
            continue;
        }
        let rest = &text[start..];
        let Some(file) = ["ttmp", "v", "s", "a"]
            .into_iter()
            .find(|f| rest.starts_with(f))
        else {
            continue;
        };
        let after = &rest[file.len()..];
        let found = match after.strip_prefix('[') {
            Some(inside) => number(inside).and_then(|(first, n)| {
                let (last, m) = number(inside[n..].strip_prefix(':')?)?;
                Some((first, last, n + m + 3, true))
            }),
            None => number(after).map(|(first, n)| (first, first, n, false)),
        };
        if let Some((first, last, length, range)) = found {
            list.push(Register {
                start,
                end: start + file.len() + length,
                file,
                first,
                last,
                range,
            });
        }
    }
    list
}

/// Mnemonic, operands, modifiers.
fn parts(text: &str) -> (&str, Vec<&str>, Vec<&str>) {
    let (name, rest) = text.split_once(' ').unwrap_or((text, ""));
    let mut operands = Vec::new();
    let (mut depth, mut start) = (0, 0);
    for (n, b) in rest.bytes().enumerate() {
        match b {
            b'[' | b'(' => depth += 1,
            b']' | b')' => depth -= 1,
            b',' if depth == 0 => {
                operands.push(rest[start..n].trim());
                start = n + 1;
            }
            _ => {}
        }
    }
    let mut modifiers = Vec::new();
    let last = rest[start..].trim();
    if rest.contains("::") {
        operands.push(last);
    } else if !last.is_empty() {
        let mut words = last.split(' ');
        operands.extend(words.next());
        modifiers.extend(words);
    }
    (name, operands, modifiers)
}

fn join(name: &str, operands: &[&str], modifiers: &[&str]) -> String {
    let mut out = name.to_owned();
    if !operands.is_empty() {
        out.push(' ');
        out.push_str(&operands.join(", "));
    }
    for m in modifiers {
        out.push(' ');
        out.push_str(m);
    }
    out
}

const MODIFIERS: [&str; 74] = [
    "glc",
    "slc",
    "dlc",
    "scc",
    "sc0",
    "sc1",
    "nt",
    "lds",
    "tfe",
    "lwe",
    "offen",
    "idxen",
    "addr64",
    "offset:16",
    "offset0:1",
    "offset1:1",
    "clamp",
    "mul:2",
    "mul:4",
    "div:2",
    "op_sel:[0,1]",
    "op_sel:[1,0,0]",
    "op_sel:[1,1]",
    "op_sel_hi:[0,0]",
    "op_sel_hi:[1,0,1]",
    "neg_lo:[1,0]",
    "neg_hi:[0,1]",
    "quad_perm:[3,2,1,0]",
    "row_shl:1",
    "row_shr:15",
    "row_bcast:15",
    "row_newbcast:3",
    "wave_shl:1",
    "row_share:1",
    "row_xmask:2",
    "row_mirror",
    "row_half_mirror",
    "row_mask:0x3",
    "bank_mask:0x1",
    "bound_ctrl:1",
    "bound_ctrl:0",
    "fi:1",
    "dpp8:[0,1,2,3,4,5,6,7]",
    "dst_sel:BYTE_1",
    "src0_sel:WORD_1",
    "src1_sel:BYTE_3",
    "dst_unused:UNUSED_PRESERVE",
    "gds",
    "unorm",
    "da",
    "r128",
    "a16",
    "d16",
    "dmask:0x3",
    "dim:SQ_RSRC_IMG_2D",
    "dim:SQ_RSRC_IMG_CUBE",
    "cbsz:1",
    "abid:1",
    "blgp:1",
    "high",
    "format:22",
    "dfmt:1",
    "nfmt:2",
    "th:TH_LOAD_NT",
    "th:TH_STORE_RT_NT",
    "scope:SCOPE_DEV",
    "byte_sel:1",
    "index_key:1",
    "matrix_a_fmt:MATRIX_FMT_BF8",
    "matrix_a_reuse",
    "scale_offset",
    "nv",
    "wait_exp:1",
    "bitop3:0x12",
];

const SPECIALS: [&str; 24] = [
    "vcc",
    "vcc_lo",
    "exec",
    "exec_hi",
    "m0",
    "null",
    "scc",
    "vccz",
    "execz",
    "src_lds_direct",
    "lds_direct",
    "src_shared_base",
    "src_private_limit",
    "flat_scratch",
    "flat_scratch_lo",
    "xnack_mask",
    "tba_lo",
    "tma_hi",
    "src_pops_exiting_wave_id",
    "shared_base",
    "off",
    "s[0:3]",
    "v[0:4]",
    "ttmp[4:7]",
];

/// The text with one thing broken, `None` where it has nothing of that kind.
pub(super) fn mutate(
    kind: Kind,
    rng: &mut Rng,
    target: Target,
    wave: u32,
    text: &str,
) -> Option<(u32, String)> {
    let replaced = |r: &Register<'_>, with: &str| {
        Some((
            wave,
            format!("{}{with}{}", &text[..r.start], &text[r.end..]),
        ))
    };
    let all = registers(text);
    let (name, mut operands, mut modifiers) = parts(text);
    let at = |rng: &mut Rng, n: usize| (n > 0).then(|| (rng.next() % n.max(1) as u64) as usize);
    match kind {
        Kind::Range => {
            let r = &all[at(rng, all.len())?];
            let size = match r.file {
                "v" if target.has_gfx1250_insts() => rng.pick(&[256, 1024]),
                "s" => rng.pick(&[102, 104, 106, 108, 112]),
                "ttmp" => rng.pick(&[12, 16]),
                _ => rng.pick(&[256, 512, 65535]),
            };
            let width = r.last.wrapping_sub(r.first);
            let first = size - rng.pick(&[0, width.min(size)]);
            replaced(r, &r.spell(r.file, first, first.wrapping_add(width)))
        }
        Kind::Aligned => {
            let wide: Vec<_> = all.iter().filter(|r| r.range).collect();
            let r = wide[at(rng, wide.len())?];
            let step = rng.pick(&[1, 2, 3]);
            replaced(
                r,
                &r.spell(r.file, r.first + step, r.last.wrapping_add(step)),
            )
        }
        Kind::File => {
            let r = &all[at(rng, all.len())?];
            let other = rng.pick(&["v", "s", "a", "ttmp"]);
            replaced(r, &r.spell(other, r.first, r.last))
        }
        Kind::Width => {
            let r = &all[at(rng, all.len())?];
            let width = rng.pick(&[0, 1, 2, 3, 4, 5, 7, 8, 15, 31]);
            let with = match (width, rng.next() % 2) {
                (0, 0) => format!("{}{}", r.file, r.first),
                _ => format!("{}[{}:{}]", r.file, r.first, r.first + width),
            };
            replaced(r, &with)
        }
        Kind::Special => {
            let with = rng.pick(&SPECIALS);
            let n = at(rng, operands.len())?;
            operands[n] = with;
            Some((wave, join(name, &operands, &modifiers)))
        }
        Kind::Dropped => {
            operands.remove(at(rng, operands.len())?);
            Some((wave, join(name, &operands, &modifiers)))
        }
        Kind::Extra => {
            let n = at(rng, operands.len() + 1)?;
            operands.insert(
                n,
                rng.pick(&["v1", "s2", "0", "v[2:3]", "off", "vcc", "a3", "null"]),
            );
            Some((wave, join(name, &operands, &modifiers)))
        }
        Kind::Swapped => {
            let (a, b) = (at(rng, operands.len())?, at(rng, operands.len())?);
            operands.swap(a, b);
            (a != b).then(|| (wave, join(name, &operands, &modifiers)))
        }
        Kind::Unknown => {
            modifiers.push(rng.pick(&[
                "fast",
                "glcc",
                "offset",
                "offset=4",
                "clamp:2",
                "op_sel",
                "quad_perm",
                "neg",
                "th:",
                "row_shl",
                "dmask",
                "dim:2D_",
                "1",
                "off:3",
            ]));
            Some((wave, join(name, &operands, &modifiers)))
        }
        Kind::Foreign => {
            let n = at(rng, modifiers.len() + 1)?;
            modifiers.insert(n, rng.pick(&MODIFIERS));
            Some((wave, join(name, &operands, &modifiers)))
        }
        Kind::Twice => {
            let m = modifiers[at(rng, modifiers.len())?];
            modifiers.push(m);
            Some((wave, join(name, &operands, &modifiers)))
        }
        Kind::Field => {
            // A number behind a colon or in a modifier's brackets.
            let with = rng.pick(&[
                "-1",
                "2",
                "4",
                "8",
                "16",
                "32",
                "64",
                "256",
                "1024",
                "2048",
                "4095",
                "4096",
                "8191",
                "8192",
                "65536",
                "16777216",
                "-8388609",
                "-4096",
                "-2048",
                "0x100000000",
                "3",
                "7",
            ]);
            let n = at(rng, modifiers.len())?;
            let m = modifiers[n];
            let (key, value) = m.split_once(':')?;
            let broken = match value.strip_prefix('[') {
                Some(inside) => {
                    let mut list: Vec<&str> = inside.trim_end_matches(']').split(',').collect();
                    let i = at(rng, list.len())?;
                    match rng.next() % 3 {
                        0 => list.push("0"),
                        1 => drop(list.remove(i)),
                        _ => list[i] = with,
                    }
                    format!("{key}:[{}]", list.join(","))
                }
                None => format!("{key}:{with}"),
            };
            modifiers[n] = &broken;
            Some((wave, join(name, &operands, &modifiers)))
        }
        Kind::Constant => {
            let n = at(rng, operands.len())?;
            operands[n] = rng.pick(&[
                "0x123456789",
                "0x1ffffffffffffffff",
                "-0x80000001",
                "0xffffffffffffffff",
                "1.5e400",
                "1.0",
                "0.5",
                "0x10000",
                "65",
                "-17",
                "64",
                "0x7fff",
                "-1",
                "0x3f800000",
                "100000.0",
                "0.15915494",
                "0x80000000",
                "4294967295",
                "1e-50",
                "-32769",
            ]);
            Some((wave, join(name, &operands, &modifiers)))
        }
        Kind::Literal => {
            let (a, b) = (at(rng, operands.len())?, at(rng, operands.len())?);
            operands[a] = "0x12345";
            operands[b] = "0x54321";
            (a != b).then(|| (wave, join(name, &operands, &modifiers)))
        }
        Kind::Sign => {
            let n = at(rng, operands.len())?;
            let o = operands[n];
            let broken = match rng.next() % 7 {
                0 => format!("-{o}"),
                1 => format!("|{o}|"),
                2 => format!("abs({o})"),
                3 => format!("neg({o})"),
                4 => format!("sext({o})"),
                5 => format!("--{o}"),
                _ => format!("-|{o}|"),
            };
            operands[n] = &broken;
            Some((wave, join(name, &operands, &modifiers)))
        }
        // The texts of other targets are taken as they are.
        Kind::Generation => None,
        Kind::Spelling => {
            let n = 2 + at(rng, name.len().saturating_sub(2))?;
            let mut broken = name.as_bytes().to_vec();
            match rng.next() % 3 {
                0 => drop(broken.remove(n)),
                1 => broken[n] = b'x',
                _ => broken.swap(n, n - 1),
            }
            let broken = String::from_utf8(broken).ok()?;
            Some((wave, join(&broken, &operands, &modifiers)))
        }
        Kind::Suffix => {
            let base = ["_e32", "_e64_dpp", "_e64", "_dpp", "_sdwa"]
                .iter()
                .find_map(|s| name.strip_suffix(s))
                .unwrap_or(name);
            let suffix = rng.pick(&["_e32", "_e64_dpp", "_e64", "_dpp", "_sdwa", ""]);
            let broken = format!("{base}{suffix}");
            (broken != name).then(|| (wave, join(&broken, &operands, &modifiers)))
        }
        Kind::Wave => {
            (target.has_wave32() && target.has_wave64()).then(|| (96 - wave, text.to_owned()))
        }
        Kind::Order => {
            let (a, b) = (at(rng, modifiers.len())?, at(rng, modifiers.len())?);
            modifiers.swap(a, b);
            (a != b).then(|| (wave, join(name, &operands, &modifiers)))
        }
        Kind::Punctuation => {
            let n = at(rng, text.len())?;
            let n = n + text[n..].find([',', ':', '[', ']', '|', '(', ')', ' '])?;
            let b = &text[n..=n];
            let with = match rng.next() % 3 {
                0 => String::new(),
                1 => format!("{b}{b}"),
                _ => rng.pick(&[",", ":", "[", "]", "|", ")"]).to_owned(),
            };
            Some((wave, format!("{}{with}{}", &text[..n], &text[n + 1..])))
        }
    }
}
