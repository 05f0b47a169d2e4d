//! How exactly the instructions are executed, over all targets.

use waveglass_isa::Target;

use crate::amd;
use crate::fidelity::{Evidence, FidelityEntry, fidelity_entries};
use crate::render::html::{Html, slug};

pub(super) fn write(h: &mut Html) {
    let of: Vec<(Target, Vec<FidelityEntry>)> = Target::ALL
        .iter()
        .map(|&t| (t, fidelity_entries(Some(t), None)))
        .collect();
    // A kind without any evidence has no column.
    let kinds: Vec<Evidence> = Evidence::ALL
        .into_iter()
        .filter(|k| {
            of.iter()
                .any(|(_, entries)| entries.iter().any(|e| e.evidence.contains(k)))
        })
        .collect();
    h.raw("<h2 id=targets>Targets</h2><p>How many instructions of each target, and with which evidence.<div class=w><table class=m><tr><th>Target<th>Generation<th>All<th>Exact<th>Approximate<th>Refused");
    for e in &kinds {
        h.raw("<th>").text(e.words());
    }
    for (t, entries) in &of {
        h.raw("<tr><th>").text(t.name()).raw("<td>");
        h.link(
            &format!("../{}/index.html", amd::key(t.generation())),
            t.generation().name(),
        );
        h.raw("<td>").number(entries.len() as u64);
        for status in ["exact", "approximate", "refused"] {
            let n = entries.iter().filter(|e| e.executed.status == status);
            h.raw("<td>").number(n.count() as u64);
        }
        for kind in &kinds {
            let n = entries.iter().filter(|e| e.evidence.contains(kind));
            h.raw("<td>").number(n.count() as u64);
        }
    }
    h.raw("</table></div>");
    for (status, title) in [
        ("approximate", "Approximate, with the error"),
        ("refused", "Refused, with the reason"),
    ] {
        reasons(h, &of, status, title);
    }
}

/// The instructions of a status, those with the same detail together.
fn reasons(
    h: &mut Html,
    of: &[(Target, Vec<FidelityEntry>)],
    status: &'static str,
    title: &'static str,
) {
    let mut details: Vec<(&str, Vec<(&str, Target)>)> = Vec::new();
    for (t, entries) in of {
        for e in entries.iter().filter(|e| e.executed.status == status) {
            let detail = e.executed.detail.unwrap_or_default();
            let at = details
                .iter()
                .position(|(d, _)| *d == detail)
                .unwrap_or_else(|| {
                    details.push((detail, Vec::new()));
                    details.len() - 1
                });
            let names = &mut details[at].1;
            // The newest target's page stands for those of the others.
            match names.iter_mut().find(|(n, _)| *n == e.name) {
                Some(seen) => seen.1 = *t,
                None => names.push((e.name, *t)),
            }
        }
    }
    h.raw("<h2")
        .attr("id", &slug(status))
        .raw(">")
        .text(title)
        .raw("</h2>");
    if details.is_empty() {
        h.raw("<p>None.");
    }
    for (detail, names) in details {
        h.raw("<h3>").text(detail).raw("</h3><ul class=c>");
        for (name, t) in names {
            h.raw("<li>").link(
                &format!("../{}/{name}.html", amd::key(t.generation())),
                name,
            );
        }
        h.raw("</ul>");
    }
}
