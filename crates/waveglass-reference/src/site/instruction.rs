//! The page of an instruction in a generation.

use waveglass_isa::Generation;

use super::frame::{self, Crumb};
use crate::card::Card;
use crate::render::html::{Html, Links, card_main, card_title, slug};

pub(super) fn page(card: &Card, generation: Generation) -> String {
    let links = Links {
        root: Some("../"),
        generation: Some(generation),
    };
    let mut main = Html::new();
    card_main(&mut main, card, &links);
    let crumbs = [
        Crumb {
            href: "index.html".to_owned(),
            name: card.generation,
        },
        Crumb {
            href: format!("../group/{}.html", slug(card.group)),
            name: card.group,
        },
    ];
    frame::page(&card_title(card), "../", &crumbs, main)
}
