//! What stands around every page: head, way back, and the script.

use crate::render::html::{Html, Links};

/// A link of the way from the front page to a page: its address from the root, and its name.
pub(super) struct Crumb<'a> {
    pub href: String,
    pub name: &'a str,
}

/// A page's text around `main`.
pub(super) fn page(title: &str, root: &'static str, crumbs: &[Crumb<'_>], main: Html) -> String {
    let mut h = Html::new();
    head(&mut h, title, root);
    h.raw("<nav>");
    h.link(&format!("{root}index.html"), "Waveglass");
    for c in crumbs {
        h.link(&c.href, c.name);
    }
    h.raw("</nav><main>").append(main).raw("</main></html>\n");
    h.into_string()
}

fn head(h: &mut Html, title: &str, root: &str) {
    h.raw("<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content=\"width=device-width\"><title>")
        .text(title)
        .raw("</title><link rel=stylesheet")
        .attr("href", &format!("{root}s.css"))
        .raw("><script")
        .attr("src", &format!("{root}s.js"))
        .raw(" defer></script>");
}

/// A page beside the static ones, for a server that answers questions with the site's look:
/// `root` leads from the page to the site's root ("" or "../"), `main` is the page from its heading on.
pub fn framed(title: &str, root: &'static str, main: Html) -> String {
    page(title, root, &[], main)
}

/// The links of a page one level below the root.
pub(super) fn links() -> Links {
    Links {
        root: Some("../"),
        generation: None,
    }
}
