//! Layouts and products of every instruction on every target.

use super::*;
use std::collections::BTreeMap;

#[test]
fn every_matrix_instruction_gives_the_plain_product_whatever_exec_is() {
    let mut counts = BTreeMap::new();
    for (d, target, wave) in instructions() {
        let row = find(d.mnemonic).unwrap_or_else(|| panic!("{} has no row", d.mnemonic));
        if d.operands().iter().any(|o| o.field == Field::ScaleSrc0) {
            assert_ne!(row.scale, 0, "{}", row.name);
        }
        for (n, f) in formats(row, target).into_iter().enumerate() {
            let mut b = bench(target, wave);
            let case = Case::new(&mut b, d, f, n as u64, 0);
            // Scales of one.
            let scale = if row.scale != 0 { 0x7f7f_7f7f } else { 0 };
            for r in [SCALE_A, SCALE_A + 1, SCALE_B, SCALE_B + 1] {
                b.set(r, |_| scale);
            }
            let before = b.wave.vgpr.clone();
            let hex = encode(d, &format_fields(row, target, f));
            run(
                &mut b,
                &hex,
                &format!("{} {target:?} wave{wave} {f:?}", row.name),
            );
            case.check(&b, &case.want(), &format!("{f:?}"));
            let rows = wave as usize / 32;
            let (from, to) = (
                case.d_base * rows,
                (case.d_base + case.d_registers()) * rows,
            );
            assert!(
                before[..from] == b.wave.vgpr[..from] && before[to..] == b.wave.vgpr[to..],
                "{} {target:?} wave{wave} writes other registers than D",
                row.name
            );
        }
        *counts.entry(target.name()).or_insert(0) += 1;
    }
    // AGPR and VGPR forms, and wave sizes, are rows of their own.
    let want = [("gfx908", 20), ("gfx1100", 12), ("gfx1150", 12)];
    for (target, n) in want {
        assert_eq!(counts[target], n, "{target}: {counts:?}");
    }
}

#[test]
fn each_row_of_the_table_is_an_instruction_of_some_target() {
    for row in super::super::table::ROWS {
        assert!(
            instructions().any(|(d, ..)| d.mnemonic == row.name),
            "{}",
            row.name
        );
    }
}

#[test]
fn operands_are_as_wide_as_the_layout_says() {
    for (d, target, wave) in instructions() {
        let row = find(d.mnemonic).expect("a row");
        let bits = |field: Field| {
            d.operands()
                .iter()
                .find(|o| o.field == field)
                .map(|o| o.bits as usize)
        };
        let f = formats(row, target)[0];
        let [m, n, k] = row.size;
        let lanes = wave as usize;
        let sparse = matches!(row.family, Family::Smfmac | Family::Swmmac);
        let a_k = if sparse { k / 2 } else { k };
        let copies = if target.major() == 11 { lanes / 16 } else { 1 };
        let width = |rows: usize, k: usize, f: Format| {
            (rows * k * row.blocks * f.bits() * copies / lanes).max(32)
        };
        if row.a != Element::Any {
            assert_eq!(
                bits(Field::Src0),
                Some(width(m, a_k, f.0)),
                "{} A",
                row.name
            );
            assert_eq!(bits(Field::Src1), Some(width(n, k, f.1)), "{} B", row.name);
        }
    }
}
