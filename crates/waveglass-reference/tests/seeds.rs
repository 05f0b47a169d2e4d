//! The facts of two pages of an instruction reference, each of them on our card of the same
//! instruction: buffer_load_u16 of CDNA 5 and buffer_store_format_x of CDNA 4.
//!
//! The values are typed from those pages. They leave open whether RDNA 1 and 2 share the layout and
//! which targets have the second instruction; the cards say it, and the golden vectors of the
//! assembler hold them to LLVM's answer.

use waveglass_asm::LineAssembler;
use waveglass_isa::{Generation, Target};
use waveglass_reference::{
    BitKind, Card, Cards, Difference, Relation, TermKind, catalogue, find_terms,
};

fn card(name: &str, generation: Generation) -> Card {
    let found = catalogue().find(name);
    Cards::new(generation)
        .card(found[0])
        .expect("the generation has it")
}

/// (field or fixed bits, highest bit, lowest bit).
fn layout(card: &Card) -> Vec<(String, u32, u32)> {
    card.encodings[0]
        .bits
        .iter()
        .map(|b| {
            let name = match (b.kind, &b.value) {
                (BitKind::Fixed | BitKind::Opcode, Some(v)) => v.clone(),
                _ => b.name.to_owned(),
            };
            (name, b.hi, b.lo)
        })
        .collect()
}

fn listed(rows: &[(&str, u32, u32)]) -> Vec<(String, u32, u32)> {
    rows.iter().map(|&(n, h, l)| (n.to_owned(), h, l)).collect()
}

/// (field, access, bits of the field, type, format) of each operand in order.
fn operands(card: &Card) -> Vec<(&str, &str, u32, &str, &str)> {
    card.operands
        .iter()
        .map(|o| {
            (
                o.field,
                o.access,
                o.field_bits,
                o.amd_type.as_ref().map_or("", |n| n.name),
                o.amd_format.as_ref().map_or("", |n| n.name),
            )
        })
        .collect()
}

fn relation(card: &Card, generation: Generation) -> (Relation, &[Difference]) {
    let row = card
        .generations
        .iter()
        .find(|g| g.generation == generation.name())
        .expect("every generation has a row");
    (row.relation, &row.differences)
}

fn is_other_encoding(differences: &[Difference]) -> bool {
    differences
        .iter()
        .any(|d| matches!(d, Difference::Encoding { .. }))
}

fn is_other_layout(differences: &[Difference]) -> bool {
    differences.iter().any(|d| {
        matches!(
            d,
            Difference::Moved { .. }
                | Difference::Resized { .. }
                | Difference::New { .. }
                | Difference::Gone { .. }
        )
    })
}

#[test]
fn buffer_load_u16_of_cdna5() {
    let card = card("buffer_load_u16", Generation::Cdna5);
    assert_eq!(card.name, "buffer_load_u16");
    assert_eq!(card.group, "Buffer memory");
    assert_eq!(
        card.summary,
        "Loads 16 bits from a buffer and zero-extends them to 32 bits."
    );
    assert!(card.aliases.iter().any(|a| a.name == "buffer_load_ushort"));
    let e = &card.encodings[0];
    assert_eq!(
        (e.name, e.format, e.width, e.opcodes[0].value),
        ("ENC_VBUFFER", "MUBUF", 96, 18)
    );
    assert_eq!(e.identifier.as_deref(), Some("0x0000000000000000C4048000"));
    let mut bits = layout(&card);
    // An instruction that is not typed fixes FORMAT at 1.
    assert_eq!(e.bits[4].kind, BitKind::Form);
    bits[4].0 = "FORMAT".to_owned();
    assert_eq!(
        bits,
        listed(&[
            ("IOFFSET", 95, 72),
            ("VADDR", 71, 64),
            ("IDXEN", 63, 63),
            ("OFFEN", 62, 62),
            ("FORMAT", 61, 55),
            ("TH", 54, 52),
            ("SCOPE", 51, 50),
            ("RSRC", 49, 41),
            ("unassigned", 40, 40),
            ("VDATA", 39, 32),
            ("110001", 31, 26),
            ("unassigned", 25, 23),
            ("TFE", 22, 22),
            ("00010010", 21, 14),
            ("unassigned", 13, 8),
            ("NV", 7, 7),
            ("SOFFSET", 6, 0),
        ])
    );
    assert_eq!(
        operands(&card),
        [
            ("VDATA", "written", 8, "OPR_VGPR", "FMT_ANY"),
            ("VADDR", "read", 8, "OPR_VGPR", "FMT_ANY"),
            ("RSRC", "read", 9, "OPR_SREG", "FMT_RSRC_SCRATCH"),
            ("SOFFSET", "read", 7, "OPR_SREG_M0", "FMT_ANY"),
        ]
    );
    assert!(
        card.operands
            .iter()
            .flat_map(|o| [&o.amd_type, &o.amd_format])
            .all(|n| n.as_ref().is_some_and(|n| !n.inferred))
    );
    assert_eq!(card.operands[2].data_bits, Some(128));
    for older in [Generation::Rdna3, Generation::Rdna3_5] {
        let (relation, differences) = relation(&card, older);
        assert_eq!(relation, Relation::Different);
        assert!(is_other_layout(differences));
        assert!(differences.iter().any(|d| matches!(
            d,
            Difference::Encoding {
                there: "ENC_MUBUF",
                width: 64
            }
        )));
    }
    assert_eq!(relation(&card, Generation::Rdna4).0, Relation::Same);
    assert!(
        card.targets
            .iter()
            .any(|t| t.target == "gfx1100" && t.supported)
    );
    let example = "buffer_load_u16 v5, off, s[8:11], s3";
    for target in [Target::Gfx1250, Target::Gfx1100] {
        LineAssembler::new(target, 32)
            .assemble(example)
            .expect("an example of the page");
    }
}

#[test]
fn buffer_store_format_x_of_cdna4() {
    let card = card("buffer_store_format_x", Generation::Cdna4);
    assert_eq!(card.name, "buffer_store_format_x");
    assert!(card.group.starts_with("Buffer memory"), "{}", card.group);
    for word in ["Converts 32 bits", "one component", "stores"] {
        let all = format!("{} {}", card.summary, card.prose);
        assert!(all.contains(word), "{all}");
    }
    let e = &card.encodings[0];
    assert_eq!(
        (e.name, e.format, e.width, e.opcodes[0].value),
        ("ENC_MUBUF", "MUBUF", 64, 4)
    );
    assert_eq!(e.identifier.as_deref(), Some("0x00000000E0100000"));
    assert_eq!(
        layout(&card),
        listed(&[
            ("SOFFSET", 63, 56),
            ("ACC", 55, 55),
            ("unassigned", 54, 53),
            ("SRSRC", 52, 48),
            ("VDATA", 47, 40),
            ("VADDR", 39, 32),
            ("111000", 31, 26),
            ("unassigned", 25, 25),
            ("0000100", 24, 18),
            ("NT", 17, 17),
            ("LDS", 16, 16),
            ("SC1", 15, 15),
            ("SC0", 14, 14),
            ("IDXEN", 13, 13),
            ("OFFEN", 12, 12),
            ("OFFSET", 11, 0),
        ])
    );
    assert_eq!(
        operands(&card),
        [
            ("VDATA", "read", 8, "OPR_VGPR_OR_ACCVGPR", "FMT_ANY"),
            ("VADDR", "read", 8, "OPR_VGPR", "FMT_ANY"),
            ("SRSRC", "read", 5, "OPR_SREG", "FMT_RSRC_TYPED"),
            ("SOFFSET", "read", 8, "OPR_SSRC_NOLIT", "FMT_ANY"),
        ]
    );
    assert_eq!(card.operands[2].data_bits, Some(128));
    // What the page says, and the two generations that it could not verify.
    for (generation, other_encoding) in [
        (Generation::Cdna2, false),
        (Generation::Cdna1, false),
        (Generation::Rdna4, true),
        (Generation::Rdna3_5, false),
        (Generation::Rdna3, false),
        (Generation::Rdna2, false),
        (Generation::Rdna1, false),
    ] {
        let (relation, differences) = relation(&card, generation);
        assert_eq!(relation, Relation::Different, "{generation}");
        assert!(is_other_layout(differences), "{generation}");
        assert_eq!(
            is_other_encoding(differences),
            other_encoding,
            "{generation}"
        );
    }
    assert_eq!(relation(&card, Generation::Cdna3).0, Relation::Same);
    assert_eq!(relation(&card, Generation::Cdna5).0, Relation::Absent);
    let supported: Vec<&str> = card
        .targets
        .iter()
        .filter(|t| t.supported)
        .map(|t| t.target)
        .collect();
    assert_eq!(
        supported,
        [
            "gfx900", "gfx906", "gfx908", "gfx90a", "gfx942", "gfx950", "gfx1010", "gfx1030",
            "gfx1100", "gfx1150", "gfx1200", "gfx1201"
        ]
    );
    LineAssembler::new(Target::Gfx950, 64)
        .assemble("buffer_store_format_x v1, off, s[12:15], s4")
        .expect("the page's example");
}

#[test]
fn the_pages_words_for_operands_are_explained() {
    for (kind, name, words) in [
        (TermKind::OperandType, "OPR_VGPR", &["Vector"][..]),
        (TermKind::OperandType, "OPR_SREG", &["VCC", "NULL"]),
        (TermKind::OperandType, "OPR_SREG_M0", &["M0"]),
        (TermKind::DataFormat, "FMT_ANY", &["ny"]),
        (
            TermKind::DataFormat,
            "FMT_RSRC_SCRATCH",
            &["128 bits", "buffer", "descriptor"],
        ),
        (
            TermKind::DataFormat,
            "FMT_RSRC_TYPED",
            &["128 bits", "buffer", "descriptor"],
        ),
    ] {
        let terms = find_terms(kind, name);
        let text = terms
            .iter()
            .flat_map(|t| t.text.iter().chain(&t.notes))
            .cloned()
            .collect::<Vec<_>>()
            .join(" ");
        for w in words {
            assert!(text.contains(w), "{name}: {text:?} lacks {w}");
        }
    }
}
