//! Reads `shapes.tbl` and the files of rows.

use crate::{Operand, Row, Shape, TARGETS};
use std::collections::{BTreeMap, HashMap};

fn hex(s: &str) -> u128 {
    u128::from_str_radix(s.trim_start_matches("0x"), 16).unwrap_or_else(|_| panic!("hex: {s}"))
}

pub(crate) fn read_shapes(text: &str) -> Vec<Shape> {
    let mut shapes: Vec<Shape> = Vec::new();
    for line in text
        .lines()
        .filter(|l| !l.starts_with('#') && !l.trim().is_empty())
    {
        if let Some(rest) = line.strip_prefix("shape ") {
            let w: Vec<&str> = rest.split_whitespace().collect();
            shapes.push(Shape {
                name: w[0].to_owned(),
                encoding: w[1].to_owned(),
                size: w[2].parse().expect("size"),
                mask: hex(w[3]),
                template: String::new(),
                sources: 0,
                image: None,
                sources_dst: false,
                whole: (0, true),
                operands: Vec::new(),
            });
            continue;
        }
        let shape = shapes.last_mut().expect("a shape line first");
        if let Some(t) = line.strip_prefix("  asm ") {
            shape.template = t.to_owned();
        } else if let Some(rest) = line.strip_prefix("  image ") {
            let mut w = rest.split(' ');
            let mut list = || {
                w.next()
                    .expect("four lists")
                    .split(',')
                    .map(|n| 1 << n.parse::<u32>().expect("a register count"))
                    .sum::<u32>()
            };
            shape.image = Some((list(), list(), list().ilog2(), list().ilog2()));
        } else if let Some(n) = line.strip_prefix("  sources ") {
            let (n, dst) = n.split_once(' ').unwrap_or((n, ""));
            shape.sources = n.parse().expect("a number of sources");
            shape.sources_dst = dst == "dst";
        } else if let Some(rest) = line.strip_prefix("  whole ") {
            let (mask, op_sel) = rest.split_once(' ').unwrap_or((rest, ""));
            shape.whole = (hex(mask), op_sel == "op_sel");
        } else if line.trim() == "asm" {
        } else {
            let w: Vec<&str> = line.split_whitespace().collect();
            let spans = w[3..]
                .iter()
                .map(|s| {
                    let (range, at) = s.split_once('@').unwrap_or((s, "0"));
                    let (hi, lo) = range.split_once(':').expect("hi:lo");
                    let (hi, lo): (u32, u32) = (hi.parse().unwrap(), lo.parse().unwrap());
                    (lo, at.parse().unwrap(), hi - lo + 1)
                })
                .collect();
            shape.operands.push(Operand {
                access: w[0].to_owned(),
                name: w[1].to_owned(),
                kind: w[2].to_owned(),
                spans,
            });
        }
    }
    shapes
}

pub(crate) fn read_rows(
    file: &str,
    text: &str,
    shapes: &HashMap<&str, usize>,
    rows: &mut Vec<Row>,
    aliases: &mut BTreeMap<String, Vec<String>>,
) {
    let mut mnemonic = String::new();
    for (n, line) in text.lines().enumerate() {
        if line.starts_with('#') || line.is_empty() {
            continue;
        }
        let w: Vec<&str> = line.split_whitespace().collect();
        if !line.starts_with(' ') {
            let (name, others) = line.split_once(" = ").unwrap_or((line, ""));
            mnemonic = name.to_owned();
            if !others.is_empty() {
                aliases
                    .entry(mnemonic.clone())
                    .or_default()
                    .extend(others.split_whitespace().map(str::to_owned));
            }
            continue;
        }
        assert!(
            w.len() >= 2 + TARGETS + 3,
            "{file}:{}: a row has 19 columns",
            n + 1
        );
        let shape = *shapes
            .get(w[0])
            .unwrap_or_else(|| panic!("{file}:{}: no shape {}", n + 1, w[0]));
        let mut by_opcode: BTreeMap<u32, u16> = BTreeMap::new();
        for t in 0..TARGETS {
            if w[2 + t] != "-" {
                let op = u32::from_str_radix(w[2 + t], 16)
                    .unwrap_or_else(|_| panic!("{file}:{}: opcode {}", n + 1, w[2 + t]));
                *by_opcode.entry(op).or_default() |= 1 << t;
            }
        }
        for (opcode, targets) in by_opcode {
            rows.push(Row {
                mnemonic: mnemonic.clone(),
                shape,
                value: hex(w[1]),
                opcode,
                targets,
                flags: w[2 + TARGETS].to_owned(),
                reads: w[3 + TARGETS].to_owned(),
                writes: w[4 + TARGETS].to_owned(),
                wave: w.get(5 + TARGETS).unwrap_or(&"").to_string(),
            });
        }
    }
}
