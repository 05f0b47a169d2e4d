//! A checker of the HTML that the site is made of: nesting with the end tags that HTML lets one
//! leave out, unique ids, quoted values, and where links lead.

use std::collections::HashSet;

/// What a page refers to, and what can be referred to in it.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub links: Vec<String>,
    pub ids: HashSet<String>,
}

const VOID: [&str; 6] = ["meta", "link", "br", "input", "img", "hr"];

/// Elements that end by themselves where one of the second list begins, or where their parent ends.
fn ended_by(open: &str) -> &'static [&'static str] {
    match open {
        "p" => &[
            "p", "div", "ul", "ol", "dl", "table", "pre", "h1", "h2", "h3", "h4", "details",
            "form", "main", "nav",
        ],
        "li" => &["li"],
        "dt" | "dd" => &["dt", "dd"],
        "tr" => &["tr"],
        "td" | "th" => &["td", "th", "tr"],
        "caption" => &["tr"],
        "option" => &["option"],
        _ => &[],
    }
}

fn may_stay_open(name: &str) -> bool {
    matches!(
        name,
        "p" | "li" | "dt" | "dd" | "tr" | "td" | "th" | "option"
    )
}

fn allowed_in(parent: &str, name: &str) -> bool {
    match parent {
        "table" => matches!(name, "tr" | "caption"),
        "tr" => matches!(name, "td" | "th"),
        "ul" | "ol" => name == "li",
        "dl" => matches!(name, "dt" | "dd"),
        // Text alone, and what may stand within it.
        "p" | "h1" | "h2" | "h3" | "h4" | "dt" | "summary" | "a" | "code" | "small" | "i"
        | "span" | "b" | "pre" | "caption" | "label" => matches!(
            name,
            "a" | "code" | "small" | "i" | "span" | "b" | "br" | "input" | "select" | "textarea"
        ),
        _ => true,
    }
}

/// Reads a page; an error says what is wrong with it.
pub(super) fn read(page: &str) -> Result<Found, String> {
    let mut found = Found::default();
    let mut open: Vec<&str> = Vec::new();
    let mut rest = page
        .strip_prefix("<!doctype html>")
        .ok_or("no document type")?;
    while let Some(at) = rest.find('<') {
        text(&rest[..at])?;
        rest = &rest[at + 1..];
        if let Some(end) = rest.strip_prefix('/') {
            let (name, after) = end.split_once('>').ok_or("an end tag without an end")?;
            rest = after;
            // A paragraph ends with its parent, but not with these.
            let ends_all = !matches!(name, "a" | "noscript");
            while ends_all && open.last().is_some_and(|o| *o != name && may_stay_open(o)) {
                open.pop();
            }
            if open.pop() != Some(name) {
                return Err(format!("</{name}> within {open:?}"));
            }
            continue;
        }
        let length = rest
            .find(|c: char| !c.is_ascii_alphanumeric())
            .ok_or("a tag without an end")?;
        let name = &rest[..length];
        if name.is_empty() {
            return Err(format!("a bare < before {:?}", rest.get(..20)));
        }
        rest = &rest[length..];
        while open.last().is_some_and(|o| ended_by(o).contains(&name)) {
            open.pop();
        }
        if let Some(parent) = open.last()
            && !allowed_in(parent, name)
        {
            return Err(format!("<{name}> within {open:?}"));
        }
        rest = attributes(rest, &mut found)?;
        if !VOID.contains(&name) {
            open.push(name);
        }
        if name == "script" || name == "style" {
            let end = rest.find("</").ok_or("a script without an end")?;
            rest = &rest[end..];
        }
    }
    text(rest)?;
    if !open.is_empty() {
        return Err(format!("{open:?} at the end"));
    }
    Ok(found)
}

fn text(text: &str) -> Result<(), String> {
    for (at, _) in text.match_indices('&') {
        let known = ["&amp;", "&lt;", "&gt;", "&quot;"];
        if !known.iter().any(|k| text[at..].starts_with(k)) {
            return Err(format!("a bare & in {text:?}"));
        }
    }
    if text.contains('>') {
        return Err(format!("{text:?}"));
    }
    Ok(())
}

fn attributes<'a>(mut rest: &'a str, found: &mut Found) -> Result<&'a str, String> {
    let mut names: Vec<&str> = Vec::new();
    loop {
        if let Some(after) = rest.strip_prefix('>') {
            return Ok(after);
        }
        rest = rest
            .strip_prefix(' ')
            .ok_or_else(|| format!("no blank before {:?}", rest.get(..20)))?;
        let length = rest
            .find(['=', ' ', '>'])
            .ok_or("an attribute without an end")?;
        let name = &rest[..length];
        if name.is_empty() || names.contains(&name) {
            return Err(format!("attribute {name:?} again, or without a name"));
        }
        names.push(name);
        rest = &rest[length..];
        let Some(after) = rest.strip_prefix('=') else {
            continue;
        };
        let value = match after.strip_prefix('"') {
            Some(quoted) => {
                let (value, after) = quoted.split_once('"').ok_or("a quote without an end")?;
                rest = after;
                value
            }
            None => {
                let end = after.find([' ', '>']).ok_or("a value without an end")?;
                rest = &after[end..];
                let value = &after[..end];
                if value.is_empty() || value.contains(['"', '\'', '`', '=', '<']) {
                    return Err(format!("{name}={value} needs quotes"));
                }
                value
            }
        };
        text(value)?;
        match name {
            "href" | "src" => found.links.push(value.to_owned()),
            "id" if !found.ids.insert(value.to_owned()) => {
                return Err(format!("id {value} again"));
            }
            _ => {}
        }
    }
}

#[test]
fn the_checker_finds_what_is_wrong() {
    let good = "<!doctype html><html lang=en><p>a<ul><li>b<li>c &amp; d</ul><table><caption>x</caption><tr><th scope=col>a<tr><td id=a>b</table><a href=\"x y\">z</a></html>";
    let found = read(good).expect("good");
    assert_eq!(found.links, ["x y"]);
    assert!(found.ids.contains("a"));
    for bad in [
        "<html></html>",
        "<!doctype html><b>a",
        "<!doctype html><b><i>a</b></i>",
        "<!doctype html><p>a & b",
        "<!doctype html><p>a < b",
        "<!doctype html><p id=a><p id=a>",
        "<!doctype html><table><td>a</table>",
        "<!doctype html><ul><p>a</ul>",
        "<!doctype html><a href=a=b>c</a>",
        "<!doctype html><a href=\"a>b</a>",
        "<!doctype html><h2><p>a</h2>",
        "<!doctype html><noscript><p>a</noscript>",
    ] {
        assert!(read(bad).is_err(), "{bad}");
    }
}
