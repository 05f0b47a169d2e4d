use std::collections::{HashMap, HashSet};
use std::convert::Infallible;
use std::sync::{Mutex, OnceLock};

use super::check::{self, Found};
use super::*;
use crate::vocabulary::{TermKind, terms};

struct Built {
    /// Every page and file with its size.
    sizes: HashMap<String, usize>,
    /// What the checker says of the pages.
    pages: HashMap<String, Result<Found, String>>,
}

/// The whole site, made once for all tests.
fn built() -> &'static Built {
    static BUILT: OnceLock<Built> = OnceLock::new();
    BUILT.get_or_init(|| {
        let built = Mutex::new(Built {
            sizes: HashMap::new(),
            pages: HashMap::new(),
        });
        let Ok(()) = build(|path, text| {
            let checked = path.ends_with(".html").then(|| check::read(text));
            let mut built = built.lock().expect("no test panics in here");
            assert!(
                built.sizes.insert(path.to_owned(), text.len()).is_none(),
                "{path} again"
            );
            if let Some(found) = checked {
                built.pages.insert(path.to_owned(), found);
            }
            Ok::<(), Infallible>(())
        });
        built.into_inner().expect("no test panics in here")
    })
}

/// The path that a link on a page leads to, and the place there.
fn target(page: &str, link: &str) -> (String, Option<String>) {
    let (path, place) = match link.split_once('#') {
        Some((p, id)) => (p, Some(id.to_owned())),
        None => (link, None),
    };
    if path.is_empty() {
        return (page.to_owned(), place);
    }
    let mut at: Vec<&str> = page.split('/').collect();
    at.pop();
    for part in path.split('/') {
        match part {
            ".." => {
                at.pop();
            }
            p => at.push(p),
        }
    }
    (at.join("/"), place)
}

#[test]
fn there_is_a_page_for_every_instruction_of_every_generation() {
    let built = built();
    let mut count = 0;
    for g in GENERATIONS {
        for i in catalogue().instructions() {
            let Some(name) = i.name_in(g) else { continue };
            count += 1;
            let path = format!("{}/{name}.html", amd::key(g));
            assert!(built.pages.contains_key(&path), "{path}");
        }
    }
    assert!(count > 13_000, "{count}");
    let listed: HashSet<String> = paths().into_iter().collect();
    assert_eq!(listed, built.sizes.keys().cloned().collect());
}

#[test]
fn every_page_is_well_formed() {
    let bad: Vec<String> = built()
        .pages
        .iter()
        .filter_map(|(path, found)| Some(format!("{path}: {}", found.as_ref().err()?)))
        .collect();
    assert!(
        bad.is_empty(),
        "{} pages: {:#?}",
        bad.len(),
        &bad[..bad.len().min(10)]
    );
}

#[test]
fn every_link_leads_to_a_page_and_a_place_on_it() {
    let built = built();
    let mut bad: Vec<String> = Vec::new();
    for (path, found) in &built.pages {
        let Ok(found) = found else { continue };
        for link in &found.links {
            assert!(
                !link.starts_with('/') && !link.contains(':'),
                "{path}: {link} is not relative"
            );
            let (to, place) = target(path, link);
            let there = built.sizes.contains_key(&to)
                && place
                    .as_ref()
                    .is_none_or(|id| built.pages[&to].as_ref().is_ok_and(|f| f.ids.contains(id)));
            if !there {
                bad.push(format!("{path}: {link}"));
            }
        }
    }
    bad.sort();
    assert!(
        bad.is_empty(),
        "{} links: {:#?}",
        bad.len(),
        &bad[..bad.len().min(20)]
    );
}

#[test]
fn the_search_leads_to_pages_and_places() {
    let built = built();
    for w in vocabulary::words() {
        let (to, place) = target("index.html", &w.place);
        let found = built.pages.get(&to).and_then(|f| f.as_ref().ok());
        assert!(
            found.is_some_and(|f| place.as_ref().is_none_or(|p| f.ids.contains(p))),
            "{}",
            w.place
        );
    }
}

#[test]
fn the_script_s_links_to_fields_and_types_have_their_places() {
    let built = built();
    let ids = |page: &str| &built.pages[page].as_ref().expect("well-formed").ids;
    for n in crate::amd_names() {
        let page = if n.starts_with("OPR") {
            "vocabulary/operand-types.html"
        } else {
            "vocabulary/data-formats.html"
        };
        assert!(ids(page).contains(&n.to_lowercase()), "{n}");
    }
    for layout in encoding::names() {
        for l in crate::encoding_page(layout, &GENERATIONS).layouts {
            for b in l.bits {
                if b.kind != crate::BitKind::Unassigned {
                    let id = b.name.to_lowercase();
                    assert!(ids("vocabulary/fields.html").contains(&id), "{}", b.name);
                }
            }
        }
    }
}

#[test]
fn the_site_is_smaller_than_60_megabytes() {
    let all: usize = built().sizes.values().sum();
    assert!(all < 60_000_000, "{all}");
}

#[test]
fn a_page_has_the_layout_as_a_table() {
    let page = page("cdna4/buffer_store_format_x.html").expect("it is there");
    // Seed 004: OP 24:18 is 0000100, ACC at 55, 54:53 unassigned.
    for part in [
        "<caption>Bits 63 to 32</caption>",
        "<th scope=col>55",
        ">ACC",
        "<th scope=col colspan=2>54:53",
        "<td colspan=2 class=\"n v\">unassigned",
        "<th scope=col colspan=7>24:18",
        "<td colspan=7 class=o>OP<br>0000100",
        "0x00000000E0100000",
        "OPR_SSRC_NOLIT, FMT_ANY",
    ] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn the_front_page_answers_the_questions() {
    let page = page("index.html").expect("it is there");
    let answers: Vec<_> = terms()
        .iter()
        .filter(|t| t.kind == TermKind::Answer)
        .collect();
    assert!(answers.len() >= 4);
    for a in answers {
        assert!(page.contains(&format!("<details id={}>", front::answer_id(a))));
    }
}

#[test]
fn paths_that_are_none_have_no_page() {
    for path in [
        "",
        "/",
        "index.html/",
        "../index.html",
        "cdna4/../index.html",
        "cdna4/%2e%2e/index.html",
        "cdna9/v_add_f32.html",
        "cdna4/v_dual_add_f32.html",
        "group/none.html",
        "encoding/none.html",
        "vocabulary/none.html",
        "cdna4/v_add_f32",
        "\u{0}",
    ] {
        assert!(super::page(path).is_none(), "{path:?}");
    }
}
