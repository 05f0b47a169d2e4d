//! The reference as a site: one page an instruction and generation, indexes, the vocabulary.
//!
//! Pages are made one by one ([`page`]) or all together ([`build`]); where they go is the
//! caller's business. Every link is relative, so that a site works from any place, a `file://`
//! path included; nothing is loaded from elsewhere.
//!
//! ```
//! use waveglass_reference::site;
//!
//! let page = site::page("cdna4/buffer_store_format_x.html").unwrap();
//! assert!(page.contains("<h1>buffer_store_format_x</h1>"));
//! assert!(site::page("cdna4/../../etc/passwd").is_none());
//! ```

mod encoding;
mod frame;
mod front;
mod generation;
mod group;
mod index;
mod instruction;
mod notation;
mod vocabulary;

#[cfg(test)]
mod check;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use rayon::prelude::*;
use waveglass_isa::Generation;

use crate::amd;
use crate::card::{Card, Cards};
use crate::catalogue::{GENERATIONS, catalogue};

pub use crate::render::html::Html;
use crate::render::html::{Links, card_body};
pub use frame::framed;

/// The style of every page.
pub const STYLE: &str = include_str!("assets/style.css");
/// The script of every page: search, and links from the fields of a layout.
const SCRIPT: &str = include_str!("assets/site.js");

/// A place of the site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place<'a> {
    Front,
    Style,
    Script,
    /// What the search looks through.
    Index,
    Generation(Generation),
    Instruction(Generation, &'a str),
    Groups,
    Group(&'static str),
    Encodings,
    Encoding(&'static str),
    Vocabulary(vocabulary::Page),
}

impl<'a> Place<'a> {
    fn of(path: &'a str) -> Option<Self> {
        match path {
            "index.html" => return Some(Self::Front),
            "s.css" => return Some(Self::Style),
            "s.js" => return Some(Self::Script),
            "index.js" => return Some(Self::Index),
            _ => {}
        }
        let (folder, file) = path.split_once('/')?;
        let name = file.strip_suffix(".html")?;
        match (folder, name) {
            ("group", "index") => Some(Self::Groups),
            ("group", slug) => group::named(slug).map(Self::Group),
            ("encoding", "index") => Some(Self::Encodings),
            ("encoding", layout) => encoding::names()
                .iter()
                .find(|n| **n == layout)
                .map(|n| Self::Encoding(n)),
            ("vocabulary", name) => vocabulary::Page::named(name).map(Self::Vocabulary),
            (key, name) => {
                let generation = GENERATIONS.into_iter().find(|g| amd::key(*g) == key)?;
                if name == "index" {
                    return Some(Self::Generation(generation));
                }
                catalogue()
                    .named(name)?
                    .has_generation(generation)
                    .then_some(Self::Instruction(generation, name))
            }
        }
    }
}

/// The page or file at a path of the site, such as `cdna4/v_add_f32.html`.
pub fn page(path: &str) -> Option<Cow<'static, str>> {
    Some(match Place::of(path)? {
        Place::Style => Cow::Borrowed(STYLE),
        Place::Script => Cow::Borrowed(SCRIPT),
        Place::Index => Cow::Owned(index::script()),
        Place::Front => Cow::Owned(front::page()),
        Place::Generation(g) => Cow::Owned(generation::page(g)),
        Place::Instruction(g, name) => {
            let instruction = *catalogue().find(name).first()?;
            let card = Cards::new(g).card(instruction)?;
            Cow::Owned(instruction::page(&card, g))
        }
        Place::Groups => Cow::Owned(group::index()),
        Place::Group(name) => Cow::Owned(group::page(name)),
        Place::Encodings => Cow::Owned(encoding::index()),
        Place::Encoding(name) => Cow::Owned(encoding::page(name)),
        Place::Vocabulary(page) => Cow::Owned(vocabulary::page(page)),
    })
}

/// The address of an instruction's page from the site's root, by its name in that generation.
pub fn address(generation: Generation, name: &str) -> String {
    format!("{}/{name}.html", amd::key(generation))
}

/// A card as a part of a page at the site's root, without its heading.
pub fn card(card: &Card, generation: Generation) -> Html {
    let mut h = Html::new();
    let links = Links {
        root: Some(""),
        generation: Some(generation),
    };
    card_body(&mut h, card, &links);
    h
}

/// The type of a file of the site, for a server to name.
pub fn content_type(path: &str) -> &'static str {
    match path.rsplit('.').next() {
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        _ => "text/html; charset=utf-8",
    }
}

/// The folders of the site.
pub fn folders() -> Vec<&'static str> {
    GENERATIONS
        .into_iter()
        .map(amd::key)
        .chain(["group", "encoding", "vocabulary"])
        .collect()
}

/// The paths of everything but the instructions' pages.
fn other_paths() -> Vec<String> {
    let fixed = ["index.html", "s.css", "s.js", "index.js"].map(str::to_owned);
    let folder = |folder: &'static str, names: Vec<String>| {
        std::iter::once("index".to_owned())
            .chain(names)
            .map(move |n| format!("{folder}/{n}.html"))
    };
    fixed
        .into_iter()
        .chain(
            GENERATIONS
                .into_iter()
                .map(|g| format!("{}/index.html", amd::key(g))),
        )
        .chain(folder("group", group::slugs()))
        .chain(folder(
            "encoding",
            encoding::names().iter().map(|n| (*n).to_owned()).collect(),
        ))
        .chain(
            vocabulary::Page::ALL
                .iter()
                .map(|p| format!("vocabulary/{}.html", p.file())),
        )
        .collect()
}

/// The paths of every page and file of the site.
pub fn paths() -> Vec<String> {
    let mut paths = other_paths();
    for g in GENERATIONS {
        for i in catalogue().instructions() {
            if let Some(name) = i.name_in(g) {
                paths.push(address(g, name));
            }
        }
    }
    paths
}

/// How many instructions one task makes the pages of.
const CHUNK: usize = 128;

/// Makes everything, on all processors, and hands each path with its text to `write`.
///
/// # Errors
///
/// The first error of `write`.
pub fn build<E: Send>(write: impl Fn(&str, &str) -> Result<(), E> + Sync) -> Result<(), E> {
    let tasks: Vec<(Generation, usize)> = GENERATIONS
        .into_iter()
        .flat_map(|g| {
            let chunks = catalogue().instructions().len().div_ceil(CHUNK);
            (0..chunks).map(move |c| (g, c))
        })
        .collect();
    let (others, instructions) = rayon::join(
        || {
            other_paths()
                .par_iter()
                .try_for_each(|path| page(path).map_or(Ok(()), |text| write(path, &text)))
        },
        || {
            tasks.par_iter().try_for_each(|&(generation, chunk)| {
                let mut cards = Cards::new(generation);
                let all = catalogue().instructions();
                let end = all.len().min((chunk + 1) * CHUNK);
                for i in &all[chunk * CHUNK..end] {
                    if let Some(card) = cards.card(i) {
                        let path = address(generation, card.name);
                        write(&path, &instruction::page(&card, generation))?;
                    }
                }
                Ok(())
            })
        },
    );
    others.and(instructions)
}
