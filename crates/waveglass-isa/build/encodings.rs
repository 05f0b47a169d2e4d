//! Reads `data/encodings.tbl` and writes the static `ENCODINGS`.

use std::fmt::Write as _;

/// The generations in the order of `waveglass_isa::Generation`.
const GENERATIONS: [&str; 11] = [
    "gcn5", "cdna1", "cdna2", "cdna3", "cdna4", "rdna1", "rdna2", "rdna3", "rdna3.5", "rdna4",
    "cdna5",
];

pub(crate) fn write_encodings(text: &mut String, table: &str) {
    let mut out = String::new();
    let mut count = 0;
    for (n, line) in table.lines().enumerate() {
        let at = n + 1;
        if line.starts_with('#') || line.trim().is_empty() {
            continue;
        }
        if let Some(rest) = line.strip_prefix("encoding ") {
            let words: Vec<&str> = rest.split_whitespace().collect();
            let bits: u32 = words[1]
                .parse()
                .unwrap_or_else(|_| panic!("encodings.tbl:{at}: a width"));
            if count > 0 {
                out.push_str("]},\n");
            }
            count += 1;
            write!(
                out,
                "Encoding{{name:{:?},bits:{bits},generations:{:#x},fields:&[",
                words[0],
                generations(&words[2..], at)
            )
            .unwrap();
            continue;
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        assert!(
            words.len().is_multiple_of(2),
            "encodings.tbl:{at}: pairs of name and bits"
        );
        for pair in words.chunks(2) {
            let (range, fixed) = match pair[1].split_once('=') {
                Some((r, v)) => (r, Some(v)),
                None => (pair[1], None),
            };
            let (hi, lo) = range
                .split_once(':')
                .unwrap_or_else(|| panic!("encodings.tbl:{at}: hi:lo"));
            let fixed = fixed.map(|v| {
                u32::from_str_radix(v, 2).unwrap_or_else(|_| panic!("encodings.tbl:{at}: {v}"))
            });
            write!(
                out,
                "EncodingField{{name:{:?},hi:{hi},lo:{lo},fixed:{fixed:?}}},",
                pair[0]
            )
            .unwrap();
        }
    }
    out.push_str("]},\n");
    writeln!(
        text,
        "pub(crate) static ENCODINGS: [Encoding; {count}] = [\n{out}];"
    )
    .unwrap();
}

fn generations(names: &[&str], at: usize) -> u16 {
    if names == ["all"] {
        return (1 << GENERATIONS.len()) - 1;
    }
    names.iter().fold(0, |mask, name| {
        let i = GENERATIONS
            .iter()
            .position(|g| g == name)
            .unwrap_or_else(|| panic!("encodings.tbl:{at}: no generation {name}"));
        mask | 1 << i
    })
}
