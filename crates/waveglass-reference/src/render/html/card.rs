//! A card as HTML.

use super::bits::bits;
use super::document::list;
use super::{Html, Links, kind_page, prose, slug};
use crate::amd::AmdName;
use crate::card::{Card, Difference, EncodingCard, GenerationRow, Relation};
use crate::catalogue::GENERATIONS;
use crate::fidelity::{Evidence, evidence};
use crate::vocabulary::TermKind;
use waveglass_isa::Generation;

/// The title of a card's page.
pub(crate) fn card_title(card: &Card) -> String {
    format!("{} · {}", card.name, card.generation)
}

/// A card as an HTML page that stands alone: the style is in it, and it has no links.
pub fn card_page(card: &Card) -> String {
    super::standing_alone(&card_title(card), |h| {
        card_main(h, card, &Links::none(generation_named(card.generation)));
    })
}

fn generation_named(name: &str) -> Option<Generation> {
    GENERATIONS.into_iter().find(|g| g.name() == name)
}

/// Generations in words, runs of a family shortened: "GCN 5, CDNA 1 to 4".
pub(crate) fn in_words(names: &[&str]) -> String {
    let at: Vec<usize> = GENERATIONS
        .iter()
        .enumerate()
        .filter(|(_, g)| names.contains(&g.name()))
        .map(|(i, _)| i)
        .collect();
    if at.len() == GENERATIONS.len() {
        return "every generation".to_owned();
    }
    let family = |i: usize| GENERATIONS[i].name().split(' ').next().unwrap_or_default();
    let number = |i: usize| GENERATIONS[i].name().split(' ').nth(1).unwrap_or_default();
    at.chunk_by(|&a, &b| b == a + 1 && family(a) == family(b))
        .map(|run| match *run {
            [one] => GENERATIONS[one].name().to_owned(),
            [a, b] => format!("{} and {}", GENERATIONS[a].name(), number(b)),
            [a, .., b] => format!("{} to {}", GENERATIONS[a].name(), number(b)),
            [] => String::new(),
        })
        .collect::<Vec<_>>()
        .join(", ")
}

/// The card from its heading on.
pub(crate) fn card_main(h: &mut Html, card: &Card, links: &Links) {
    h.raw("<h1>").text(card.name).raw("</h1>");
    card_body(h, card, links);
}

/// The card below its heading.
pub(crate) fn card_body(h: &mut Html, card: &Card, links: &Links) {
    h.raw("<p class=a>").text(card.generation);
    for a in &card.aliases {
        h.raw("; also <code>").text(a.name).raw("</code>");
        if !a.main_in.is_empty() {
            h.raw(", the name on ").text(&in_words(&a.main_in));
        }
    }
    if !card.summary.is_empty() {
        h.raw("<p class=s>");
        prose(h, &card.summary, links);
    }
    code(h, &card.formula, links);
    if !card.prose.is_empty() {
        h.raw("<p>");
        prose(h, &card.prose, links);
    }
    list(h, &card.notes, links);
    encodings(h, card, links);
    operands(h, card, links);
    memory(h, card, links);
    examples(h, card);
    generations(h, card, links);
    targets(h, card);
    group(h, card, links);
}

/// Formulas, in which names in backquotes are links.
pub(crate) fn code(h: &mut Html, lines: &[String], links: &Links) {
    if lines.is_empty() {
        return;
    }
    h.raw("<pre>");
    for (i, line) in lines.iter().enumerate() {
        if i > 0 {
            h.raw("\n");
        }
        prose(h, line, links);
    }
    h.raw("</pre>");
}

fn linked(h: &mut Html, href: Option<String>, text: &str) {
    match href {
        Some(href) => h.link(&href, text),
        None => h.text(text),
    };
}

fn encodings(h: &mut Html, card: &Card, links: &Links) {
    let Some((main, others)) = card.encodings.split_first() else {
        return;
    };
    h.raw("<h2>Encoding</h2><p>");
    encoding_facts(h, main, true, links);
    bits(h, &main.bits);
    if others.is_empty() {
        return;
    }
    h.raw("<h3>Also encoded as</h3><ul>");
    for e in others {
        h.raw("<li>");
        encoding_facts(h, e, false, links);
    }
    h.raw("</ul>");
}

fn encoding_facts(h: &mut Html, e: &EncodingCard, main: bool, links: &Links) {
    let page = |layout: &str| links.page(&format!("encoding/{layout}.html"));
    match &e.layouts[..] {
        [one] => linked(h, page(one), e.name),
        many => {
            h.text(e.name).raw(" (");
            for (i, layout) in many.iter().enumerate() {
                if i > 0 {
                    h.raw(" + ");
                }
                linked(h, page(layout), layout);
            }
            h.raw(")");
        }
    }
    if main {
        h.raw(", format ").text(e.format);
    }
    h.raw(", ").number(e.width).raw(" bits, opcode ");
    for (i, o) in e.opcodes.iter().enumerate() {
        if i > 0 {
            h.raw(" or ");
        }
        h.number(o.value);
        if o.field != "OP" {
            h.raw(" in ").text(o.field);
        }
    }
    if let Some(id) = &e.identifier {
        h.raw(", identifier <code>").text(id).raw("</code>");
    }
}

fn operands(h: &mut Html, card: &Card, links: &Links) {
    if !card.operands.is_empty() {
        h.raw("<h2>Operands</h2><div class=w><table><tr><th>Field<th>Bits<th>Data<th>Access<th>What may stand there<th>AMD's type");
        for o in &card.operands {
            h.raw("<tr><th>")
                .text(o.field)
                .raw("<td>")
                .number(o.field_bits)
                .raw("<td>");
            match o.data_bits {
                Some(bits) => h.number(bits),
                None => h.raw("varies"),
            };
            h.raw("<td>")
                .text(o.access)
                .raw("<td>")
                .text(&allowed(&o.allowed))
                .raw("<td>");
            amd(h, &o.amd_type, &o.amd_format);
        }
        h.raw("</table></div>");
    }
    if !card.implicit.is_empty() || !card.counters.is_empty() {
        h.raw("<p>Without a field: ");
        let mut first = true;
        let mut comma = |h: &mut Html| {
            if !std::mem::take(&mut first) {
                h.raw(", ");
            }
        };
        for i in &card.implicit {
            comma(h);
            linked(h, links.meaning(i.register), i.register);
            h.raw(" ").text(i.access);
        }
        for c in &card.counters {
            comma(h);
            linked(h, links.meaning(c), c);
            h.raw(" counts it");
        }
        h.raw(".");
    }
}

/// What may stand in a field, shortened: which registers "scalar register" means is what the page
/// of registers says.
fn allowed(words: &str) -> String {
    match (words.find(" (SGPR"), words.find(')')) {
        (Some(a), Some(b)) if a < b => format!("{}{}", &words[..a], &words[b + 1..]),
        _ => words.to_owned(),
    }
}

fn amd(h: &mut Html, ty: &Option<AmdName>, format: &Option<AmdName>) {
    let names: Vec<&AmdName> = ty.iter().chain(format).collect();
    let all = names.iter().all(|n| n.inferred);
    for (i, n) in names.iter().enumerate() {
        if i > 0 {
            h.raw(", ");
        }
        h.text(n.name);
        if n.inferred && (!all || i + 1 == names.len()) {
            h.raw(" <i>inferred</i>");
        }
    }
}

fn memory(h: &mut Html, card: &Card, links: &Links) {
    let Some(m) = &card.memory else { return };
    h.raw("<h2>Address and order</h2>");
    code(h, &m.address, links);
    let parts = [
        ("Checked", &m.checks),
        ("Out of range", &m.violations),
        ("When it is done", &m.completion),
    ];
    h.raw("<dl>");
    for (name, lines) in parts {
        if lines.is_empty() {
            continue;
        }
        h.raw("<dt>").text(name);
        for line in lines {
            h.raw("<dd>");
            prose(h, line, links);
        }
    }
    h.raw("</dl>");
    if let Some(href) = links.page(kind_page(TermKind::Memory)) {
        h.raw("<p>");
        h.link(
            &format!("{href}#{}", slug(m.kind)),
            "How each generation does it",
        );
    }
}

fn examples(h: &mut Html, card: &Card) {
    let Some(first) = card.examples.first() else {
        return;
    };
    h.raw("<h2>Examples</h2><table class=x><caption>Bytes on ")
        .text(first.target)
        .raw("</caption>");
    for e in &card.examples {
        h.raw("<tr><td>").text(&e.text).raw("<td>").text(&e.bytes);
        if let Some(w) = e.wave_size {
            h.raw(" wave").number(w);
        }
    }
    h.raw("</table>");
}

/// Generations of which the card says the same, with what it says.
fn grouped(card: &Card) -> Vec<(Vec<&GenerationRow>, String)> {
    let mut groups: Vec<(Vec<&GenerationRow>, String)> = Vec::new();
    for row in &card.generations {
        let words = relation(row, card.name);
        match groups.iter_mut().find(|(_, w)| *w == words) {
            Some((rows, _)) => rows.push(row),
            None => groups.push((vec![row], words)),
        }
    }
    groups
}

/// How many differences of fields a card names.
const SHOWN: usize = 4;

/// What a card says of another generation; the whole comparison stands on the encoding's page.
fn relation(row: &GenerationRow, name: &str) -> String {
    let mut parts: Vec<String> = Vec::new();
    match row.relation {
        Relation::This => return "this page".to_owned(),
        Relation::Absent => return "absent".to_owned(),
        Relation::Same => parts.push("the same".to_owned()),
        Relation::Different => parts.push("different".to_owned()),
    }
    if let Some(there) = row.name.filter(|n| *n != name) {
        parts.push(format!("named {there}"));
    }
    let is_field =
        |d: &&Difference| !matches!(d, Difference::Encoding { .. } | Difference::Opcode { .. });
    let fields: Vec<&Difference> = row.differences.iter().filter(is_field).collect();
    let mut encoding = false;
    for d in row.differences.iter().filter(|d| !is_field(d)) {
        encoding |= matches!(d, Difference::Encoding { .. });
        parts.push(d.to_string());
    }
    // Of another encoding nearly every field differs.
    if encoding && fields.len() > SHOWN {
        parts.push(format!("{} fields", fields.len()));
    } else {
        parts.extend(fields.iter().take(SHOWN).map(ToString::to_string));
        if fields.len() > SHOWN {
            parts.push(format!("{} more fields", fields.len() - SHOWN));
        }
    }
    parts.join("; ")
}

fn generations(h: &mut Html, card: &Card, links: &Links) {
    h.raw("<h2>Generations</h2><table>");
    for (rows, words) in grouped(card) {
        h.raw("<tr><th>");
        for (i, row) in rows.iter().enumerate() {
            if i > 0 {
                h.raw(", ");
            }
            let href = row
                .name
                .filter(|_| row.relation != Relation::This)
                .zip(generation_named(row.generation))
                .and_then(|(n, g)| links.instruction(g, n));
            linked(h, href, row.generation);
        }
        h.raw("<td>").text(&words);
    }
    h.raw("</table>");
    let layout = card.encodings.first().and_then(|e| e.layouts.first());
    let differ = |g: &GenerationRow| g.relation == Relation::Different;
    if card.generations.iter().any(differ)
        && let Some(href) = layout.and_then(|l| links.page(&format!("encoding/{l}.html#compare")))
    {
        h.raw("<p>");
        h.link(&href, "All fields compared");
    }
}

fn targets(h: &mut Html, card: &Card) {
    h.raw("<h2>Targets</h2><table>");
    for supported in [true, false] {
        let names: Vec<&str> = card
            .targets
            .iter()
            .filter(|t| t.supported == supported)
            .map(|t| t.target)
            .collect();
        if !names.is_empty() {
            h.raw("<tr><th>")
                .raw(if supported {
                    "Supported"
                } else {
                    "Not supported"
                })
                .raw("<td>")
                .text(&names.join(", "));
        }
    }
    let mut said: Vec<(String, Vec<&str>)> = Vec::new();
    for f in &card.fidelity {
        let mut words = match f.detail {
            Some(d) => format!("{} ({d})", f.status),
            None => f.status.to_owned(),
        };
        // That it decodes, prints and assembles has evidence for all.
        let tested: Vec<&str> = f
            .target
            .parse()
            .map(|t| evidence(card.name, t))
            .unwrap_or_default()
            .into_iter()
            .filter(|e| matches!(e, Evidence::UnitTest | Evidence::CompiledKernel))
            .map(Evidence::words)
            .collect();
        if !tested.is_empty() {
            words.push_str(", by ");
            words.push_str(&tested.join(" and "));
        }
        match said.iter_mut().find(|(w, _)| *w == words) {
            Some((_, on)) => on.push(f.target),
            None => said.push((words, vec![f.target])),
        }
    }
    for (words, on) in said {
        h.raw("<tr><th>Run on ")
            .text(&on.join(", "))
            .raw("<td>")
            .text(&words);
    }
    h.raw("</table>");
}

/// How many neighbours a card names.
const NEIGHBOURS: usize = 5;

fn group(h: &mut Html, card: &Card, links: &Links) {
    if card.neighbours.is_empty() {
        return;
    }
    h.raw("<h2>More of the group</h2>");
    // Those whose names are most like this one's.
    let alike = |n: &str| {
        n.bytes()
            .zip(card.name.bytes())
            .take_while(|(a, b)| a == b)
            .count()
    };
    let mut near: Vec<(usize, &str)> = card.neighbours.iter().copied().enumerate().collect();
    near.sort_by_key(|&(at, n)| (std::cmp::Reverse(alike(n)), at));
    near.truncate(NEIGHBOURS);
    near.sort_by_key(|&(at, _)| at);
    h.raw("<p>");
    for (i, (_, n)) in near.iter().enumerate() {
        if i > 0 {
            h.raw(", ");
        }
        let href = links.generation.and_then(|g| links.instruction(g, n));
        linked(h, href, n);
    }
    let more = card.neighbours.len() - near.len();
    if more > 0 {
        h.raw(", and ").number(more as u64).raw(" more.");
    }
}
