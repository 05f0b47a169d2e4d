//! The page that decodes: fields, access lane by lane, the reference's card.

use anyhow::anyhow;
use waveglass::access::{AccessError, AccessReport, LaneAccess, Part, Place};
use waveglass::isa::{Inst, Target};
use waveglass::reference::site::{self, Html};
use waveglass::reference::{Cards, catalogue};
use waveglass::{Card, FieldRow};

use super::state::State;
use crate::access::{self, terms};
use crate::cli::{check_wave_size, parse_target, parse_wave_size};

/// The longest instruction that is read.
const LONGEST: usize = 4096;

/// What was asked.
#[derive(Debug, Default)]
struct Asked {
    code: String,
    target: String,
    wave: String,
    state: Option<State>,
}

impl Asked {
    fn new(query: &str) -> Self {
        let mut asked = Self {
            target: "gfx950".to_owned(),
            ..Self::default()
        };
        let mut state = State::default();
        let mut has_state = false;
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            let value = value.into_owned();
            match &*name {
                "code" => asked.code = value,
                "target" => asked.target = value,
                "wave" => asked.wave = value,
                "state" => has_state = true,
                "reg" => state.registers = value,
                "map" => state.maps = value,
                "lds" => state.lds = value,
                "scratch" => state.scratch = value,
                "exec" => state.exec = value,
                _ => {}
            }
        }
        asked.state = has_state.then_some(state);
        asked
    }

    fn instruction(&self) -> anyhow::Result<Inst> {
        let target = parse_target(&self.target).map_err(|e| anyhow!("{}: {e}", self.target))?;
        let wave = match &*self.wave {
            "" => None,
            w => Some(parse_wave_size(w).map_err(|e| anyhow!("{w}: {e}"))?),
        };
        check_wave_size(target, wave)?;
        if self.code.len() > LONGEST {
            anyhow::bail!("at most {LONGEST} characters are read");
        }
        access::instruction(
            self.code.trim(),
            target,
            wave.unwrap_or(target.default_wave_size()),
        )
    }
}

/// The page for a query, with its status.
pub(super) fn page(query: &str) -> (u16, String) {
    let asked = Asked::new(query);
    let mut h = Html::new();
    h.raw("<h1>Decode</h1><p class=s>Paste the bytes of an instruction in hexadecimal, in the order of memory, or its assembly.");
    form(&mut h, &asked);
    let mut status = 200;
    if !asked.code.trim().is_empty() {
        match asked.instruction() {
            Ok(inst) => {
                if !answer(&mut h, &asked, &inst) {
                    status = 400;
                }
            }
            Err(e) => {
                status = 400;
                error(&mut h, &format!("{e:#}").replace("INSTRUCTION: ", ""));
            }
        }
    }
    (status, site::framed("Decode – Waveglass", "", h))
}

fn error(h: &mut Html, what: &str) {
    h.raw("<p class=e role=alert>").text(what);
}

fn form(h: &mut Html, asked: &Asked) {
    h.raw("<form class=t action=decode><label>Bytes or assembly<textarea name=code rows=2 spellcheck=false required>")
        .text(&asked.code)
        .raw("</textarea></label><div class=row><label>Target<select name=target>");
    for t in Target::ALL {
        h.raw("<option").attr("value", t.name());
        if t.name() == asked.target {
            h.raw(" selected");
        }
        h.raw(">")
            .text(&format!("{} ({})", t.name(), t.generation()));
    }
    h.raw("</select></label><label>Lanes of a wave<select name=wave>");
    for (value, name) in [("", "the target’s usual"), ("32", "32"), ("64", "64")] {
        h.raw("<option").attr("value", value);
        if value == asked.wave {
            h.raw(" selected");
        }
        h.raw(">").text(name);
    }
    h.raw("</select></label><button>Decode</button></div></form>");
}

/// The answer; `false` where a part of it is an error.
fn answer(h: &mut Html, asked: &Asked, inst: &Inst) -> bool {
    let card = Card::new(inst);
    h.raw("<h2 id=decoded>Decoded</h2><pre>")
        .text(&card.text)
        .raw("</pre><p>");
    h.text(&format!(
        "{} on {}, wave{}, {} bytes, as dwords ",
        card.encodings.join(" + "),
        card.target,
        card.wave_size,
        card.words.len() * 4
    ))
    .raw("<code>")
    .text(&card.words.join(" "))
    .raw("</code><div class=w><table id=fields><tr><th>Field<th>Bits<th>Value<th>Meaning");
    for f in &card.fields {
        field(h, f);
    }
    h.raw("</table></div>");
    if !card.operands.is_empty() {
        h.raw("<h3>Operands</h3><div class=w><table><tr><th>Operand<th>Access<th>Type<th>Bits<th>Value");
        for o in &card.operands {
            h.raw("<tr><th>")
                .text(o.name)
                .raw("<td>")
                .text(o.access)
                .raw("<td>")
                .text(&o.ty);
            h.raw("<td>").number(o.bits).raw("<td>").text(&o.value);
        }
        h.raw("</table></div>");
    }
    let list = |names: &[String]| match names {
        [] => "nothing".to_owned(),
        some => some.join(", "),
    };
    h.raw("<p>Reads ")
        .text(&list(&card.reads))
        .raw("; writes ")
        .text(&list(&card.writes));
    if !card.counters.is_empty() {
        h.raw("; counts in ").text(&card.counters.join(", "));
    }
    h.raw(".");
    let fine = lanes(h, asked, inst, &card);
    reference(h, inst);
    fine
}

fn field(h: &mut Html, f: &FieldRow) {
    let bits = if f.hi == f.lo {
        f.lo.to_string()
    } else {
        format!("{}:{}", f.hi, f.lo)
    };
    h.raw("<tr><th>")
        .text(f.name)
        .raw("<td>")
        .text(&bits)
        .raw("<td><code>");
    h.text(&format!("{:#x}", f.value))
        .raw("</code><td>")
        .text(&f.meaning);
}

/// The access lane by lane, on a state that can be changed.
fn lanes(h: &mut Html, asked: &Asked, inst: &Inst, card: &Card) -> bool {
    let state = match &asked.state {
        Some(s) => s.clone(),
        None => State::sensible(inst, card),
    };
    let report = match state.scene(inst).map(|mut scene| scene.access(inst)) {
        Ok(Err(AccessError::NotMemory(_))) => return true,
        Ok(Err(
            e
            @ (AccessError::NotShown(_) | AccessError::Cache { .. } | AccessError::Refused { .. }),
        )) => {
            h.raw("<h2 id=access>Access, lane by lane</h2><p>")
                .show(e)
                .raw(".");
            return true;
        }
        Ok(report) => report.map_err(|e| anyhow!(e)),
        Err(e) => Err(e),
    };
    h.raw("<h2 id=access>Access, lane by lane</h2><p>Each dword of memory, LDS and scratch holds the low half of its own address, so that a loaded value says where it is from.");
    state_form(h, asked, &state);
    match report {
        Ok(report) => {
            table(h, &report);
            true
        }
        Err(e) => {
            error(h, &format!("{e:#}"));
            // A state of the page's own that does not do is no mistake of the reader's.
            asked.state.is_none()
        }
    }
}

fn state_form(h: &mut Html, asked: &Asked, state: &State) {
    h.raw("<form class=t action=decode#access>");
    for (name, value) in [
        ("code", &*asked.code),
        ("target", &asked.target),
        ("wave", &asked.wave),
        ("state", "1"),
    ] {
        h.raw("<input type=hidden")
            .attr("name", name)
            .attr("value", value)
            .raw(">");
    }
    h.raw("<label>Registers, one a line: v2=0,4.. goes on in steps of 4, s[0:1]=0x1000<textarea name=reg rows=4 spellcheck=false>")
        .text(&state.registers)
        .raw("</textarea></label><label>Mapped memory, one BASE:SIZE[:ro] a line<textarea name=map rows=2 spellcheck=false>")
        .text(&state.maps)
        .raw("</textarea></label><div class=row>");
    for (label, name, value) in [
        ("LDS, bytes", "lds", &state.lds),
        ("Scratch of a lane, bytes", "scratch", &state.scratch),
        ("EXEC", "exec", &state.exec),
    ] {
        h.raw("<label>")
            .text(label)
            .raw("<input")
            .attr("name", name)
            .attr("value", value);
        h.raw(" size=14></label>");
    }
    h.raw("<button>Show</button></div></form>");
}

fn table(h: &mut Html, report: &AccessReport) {
    h.raw("<pre>").text(&report.formula);
    if !report.shared.is_empty() {
        h.raw("\n").text(&terms(&report.shared));
    }
    h.raw("</pre><p><small>")
        .text(report.source)
        .raw("</small>");
    if !report.notes.is_empty() {
        h.raw("<ul>");
        for n in &report.notes {
            h.raw("<li>").text(n);
        }
        h.raw("</ul>");
    }
    for c in &report.contradictions {
        h.raw("<p><b class=z>contradiction</b> ")
            .text(c)
            .raw("; what was executed is shown, and this is a defect of Waveglass");
    }
    for v in &report.violations {
        h.raw("<p><b class=z>violation</b> ").text(v);
    }
    h.raw(
        "<div class=w><table id=lanes class=m><tr><th>Lane<th>From<th>Where<th>Checked<th>Result",
    );
    for lane in &report.lanes {
        row(h, lane, report.scalar);
    }
    h.raw("</table></div>");
    if !report.scalars.is_empty() {
        h.raw("<p>Written: ").text(&terms(&report.scalars));
    }
}

fn row(h: &mut Html, lane: &LaneAccess, scalar: bool) {
    h.raw("<tr><th>");
    if scalar {
        h.raw("the wave");
    } else {
        h.number(lane.lane);
    }
    if !lane.active {
        h.raw("<td>off by EXEC<td><td><td>");
        return;
    }
    h.raw("<td>").text(&terms(&lane.terms)).raw("<td>");
    for (i, p) in lane.parts.iter().enumerate() {
        if i > 0 {
            h.raw("<br>");
        }
        h.text(&place(p));
    }
    h.raw("<td>");
    for (i, c) in lane.parts.iter().flat_map(|p| &p.checks).enumerate() {
        if i > 0 {
            h.raw("<br>");
        }
        h.raw(if c.holds {
            "<b class=y>yes</b> "
        } else {
            "<b class=z>no</b> "
        });
        h.text(&c.text);
    }
    h.raw("<td>");
    let result: Vec<String> = lane.result.iter().map(|v| format!("{v:#010x}")).collect();
    h.text(&result.join(" "));
    for content in lane.parts.iter().filter_map(|p| p.content.as_ref()) {
        let bytes: Vec<String> = content.iter().map(|b| format!("{b:02x}")).collect();
        h.raw(if result.is_empty() { "" } else { "<br>" })
            .raw("then holds ")
            .text(&bytes.join(" "));
    }
    if let Some(fault) = &lane.fault {
        h.raw("<br><b class=z>violation</b> ").text(fault);
    }
}

fn place(p: &Part) -> String {
    let s = if p.bytes == 1 { "" } else { "s" };
    let at = match &p.place {
        Place::Global { address, region } => match region {
            Some(r) => format!("global {address:#x} in {r}"),
            None => format!("global {address:#x}"),
        },
        Place::Lds { offset } => format!("LDS {offset:#x}"),
        Place::Gds { address } => format!("GDS {address:#x}"),
        Place::Scratch { offset, address } => {
            format!("scratch {offset:#x}, in memory at {address:#x}")
        }
        Place::Lane { lane } => format!("lane {lane}"),
        Place::NoLane { why } | Place::Dropped { why } | Place::Violation { why } => {
            format!("nothing: {why}")
        }
    };
    format!("{} byte{s}: {at}", p.bytes)
}

/// The reference's card of the instruction; of a pair, those of its halves.
fn reference(h: &mut Html, inst: &Inst) {
    let generation = inst.target().generation();
    for name in inst.mnemonic().split(" :: ") {
        let found = catalogue().find(name);
        let Some(card) = found.first().and_then(|i| Cards::new(generation).card(i)) else {
            continue;
        };
        h.raw("<h2 class=h>")
            .link(&site::address(generation, card.name), card.name)
            .raw("</h2>");
        h.append(site::card(&card, generation));
    }
}
