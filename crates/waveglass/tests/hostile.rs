//! No bytes make the listing or the card panic.

use waveglass::asm::PrintOptions;
use waveglass::isa::{Decoder, Target};
use waveglass::{Card, Listing, ListingOptions};

#[test]
fn random_bytes_end_in_a_listing_and_cards() {
    let mut state = 1u64;
    for &target in Target::ALL {
        for round in 0..300 {
            let mut bytes: Vec<u8> = (0..203)
                .map(|_| {
                    state = state
                        .wrapping_mul(6364136223846793005)
                        .wrapping_add(1442695040888963407);
                    (state >> 56) as u8
                })
                .collect();
            // Random top bits are mostly VOP2; give the other encodings their turn.
            if round % 2 == 0 {
                for (i, b) in bytes.iter_mut().skip(3).step_by(8).enumerate() {
                    *b = 0xbc_u8
                        .wrapping_add((round as u8).wrapping_mul(7))
                        .wrapping_add(i as u8)
                        | 0x80;
                }
            }
            for wave_size in [32, 64] {
                let options = ListingOptions {
                    wave_size: Some(wave_size),
                    print: PrintOptions::default(),
                };
                let listing = Listing::of_code(target, &bytes, &options);
                let lines = &listing.functions[0].lines;
                let covered: usize = lines
                    .iter()
                    .map(|l| l.bytes.iter().map(|b| b.len() / 2).sum::<usize>())
                    .sum();
                assert_eq!(
                    covered,
                    bytes.len(),
                    "{target}: every byte stands in the listing"
                );
                let decoder = Decoder::new(target).wave_size(wave_size);
                for at in (0..bytes.len()).step_by(4) {
                    if let Ok(inst) = decoder.decode(&bytes[at..]) {
                        let card = Card::new(&inst);
                        assert!(!card.fields.is_empty(), "{target} {}", card.text);
                    }
                }
            }
        }
    }
}

#[test]
fn branches_name_labels_and_leave_targets_amid_instructions_as_numbers() {
    // s_branch +1; s_nop 0; s_branch -3; v_add_f32 with a literal; s_branch into that literal.
    let words = [
        0xbf82_0001u32,
        0xbf80_0000,
        0xbf82_fffd,
        0x0202_04ff,
        0x1234_5678,
        0xbf82_fffe,
    ];
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let options = ListingOptions {
        wave_size: None,
        print: PrintOptions::default(),
    };
    let listing = Listing::of_code(Target::Gfx900, &bytes, &options);
    let lines = &listing.functions[0].lines;
    assert_eq!(lines[0].label.as_deref(), Some("L1"));
    assert_eq!(lines[0].text, "s_branch L2");
    assert_eq!(lines[2].label.as_deref(), Some("L2"));
    assert_eq!(lines[2].text, "s_branch L1");
    assert!(!lines[4].text.contains('L'), "{}", lines[4].text);
}
