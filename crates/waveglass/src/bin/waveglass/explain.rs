//! `waveglass explain`, `compare` and `search`.

use std::fmt::Write as _;

use anyhow::anyhow;
use clap::Args;
use owo_colors::OwoColorize as _;
use waveglass::isa::{Generation, Target};
use waveglass::reference::{
    self, Cards, Document, GENERATIONS, Instruction, Term, TermKind, card_document, catalogue,
};

use crate::cli::parse_target;
use crate::failure::Failure;
use crate::output;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  waveglass explain buffer_load_u16 --arch \"CDNA 5\"\n  waveglass explain v_add_f32 --target gfx1100\n  waveglass explain --counter vmcnt\n  waveglass explain --encoding ENC_VBUFFER --target gfx1250"
)]
pub(crate) struct ExplainArgs {
    /// An instruction, by any of its names.
    #[arg(required_unless_present_any = ["encoding", "field", "operand_type", "format", "counter", "register", "notation"])]
    name: Option<String>,
    /// The target whose generation the card is of; the newest that has the instruction if none is
    /// named.
    #[arg(long, value_parser = parse_target, conflicts_with = "arch")]
    target: Option<Target>,
    /// The generation, as in "CDNA 5" or rdna3.5.
    #[arg(long, value_parser = parse_generation)]
    arch: Option<Generation>,
    /// Explain an encoding, as in ENC_VBUFFER.
    #[arg(long, value_name = "ENCODING", group = "term", conflicts_with = "name")]
    encoding: Option<String>,
    /// Explain a field of an encoding, as in SADDR.
    #[arg(long, value_name = "FIELD", group = "term", conflicts_with = "name")]
    field: Option<String>,
    /// Explain one of AMD's operand types or data formats, as in OPR_SSRC_NOLIT or FMT_ANY.
    #[arg(long, value_name = "TYPE", group = "term", conflicts_with = "name")]
    operand_type: Option<String>,
    /// Explain a buffer format, as in BUF_FMT_32_FLOAT.
    #[arg(long, value_name = "FORMAT", group = "term", conflicts_with = "name")]
    format: Option<String>,
    /// Explain a counter, as in vmcnt.
    #[arg(long, value_name = "COUNTER", group = "term", conflicts_with = "name")]
    counter: Option<String>,
    /// Explain a register, as in M0.
    #[arg(long, value_name = "REGISTER", group = "term", conflicts_with = "name")]
    register: Option<String>,
    /// Explain a name in the formulas of cards, as in zext; `all` lists them.
    #[arg(long, value_name = "NAME", group = "term", conflicts_with = "name")]
    notation: Option<String>,
    /// Print JSON.
    #[arg(long, group = "as")]
    json: bool,
    /// Print Markdown.
    #[arg(long, group = "as")]
    md: bool,
    /// Print an HTML page.
    #[arg(long, group = "as")]
    html: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  waveglass compare global_load_dword --targets gfx900,gfx1100,gfx1250\n  waveglass compare v_add_f32 v_sub_f32 --targets gfx90a"
)]
pub(crate) struct CompareArgs {
    /// An instruction, by any of its names.
    name: String,
    /// Another.
    name2: Option<String>,
    /// The targets, all if none is named.
    #[arg(long, value_name = "TARGET,...", value_delimiter = ',', value_parser = parse_target)]
    targets: Vec<Target>,
    /// Print JSON.
    #[arg(long, group = "as")]
    json: bool,
    /// Print Markdown.
    #[arg(long, group = "as")]
    md: bool,
    /// Print an HTML page.
    #[arg(long, group = "as")]
    html: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  waveglass search zero-extend 16 buffer load\n  waveglass search atomic float lds"
)]
pub(crate) struct SearchArgs {
    /// Words of names or of what an instruction does; all must fit.
    #[arg(required = true)]
    words: Vec<String>,
    /// How many to print, 1 or more.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// A generation by its name: "CDNA 5", cdna5, "RDNA 3.5", gcn5, vega.
pub(crate) fn parse_generation(s: &str) -> Result<Generation, String> {
    let plain = |n: &str| -> String {
        n.chars()
            .filter(|c| !c.is_whitespace() && *c != '-' && *c != '_')
            .collect::<String>()
            .to_ascii_lowercase()
    };
    let wanted = plain(s);
    let wanted = wanted.strip_prefix("amd").unwrap_or(&wanted);
    if wanted == "vega" {
        return Ok(Generation::Gcn5);
    }
    GENERATIONS
        .into_iter()
        .find(|g| plain(g.name()) == wanted)
        .ok_or_else(|| {
            let all: Vec<&str> = GENERATIONS.iter().map(|g| g.name()).collect();
            format!("the generations are {}", all.join(", "))
        })
}

/// The instruction of a name, or an error that suggests others.
pub(crate) fn find(name: &str) -> Result<&'static Instruction, Failure> {
    if let Some(i) = catalogue().find(name).first() {
        return Ok(i);
    }
    let near = catalogue().near(name);
    let help = if near.is_empty() {
        "; `waveglass search` finds instructions by what they do".to_owned()
    } else {
        format!("; did you mean {}?", near.join(", "))
    };
    Err(anyhow!("{name:?}: no instruction of any target has that name{help}").into())
}

pub(crate) fn explain(args: &ExplainArgs) -> Result<(), Failure> {
    if let Some(name) = &args.name {
        return card(args, name);
    }
    let generation = args.arch.or(args.target.map(Target::generation));
    let terms = [
        (&args.field, TermKind::Field),
        (&args.counter, TermKind::Counter),
        (&args.register, TermKind::Register),
        (&args.operand_type, TermKind::OperandType),
        (&args.encoding, TermKind::Encoding),
        (&args.notation, TermKind::Notation),
    ];
    if let Some(name) = &args.format {
        let format = reference::buffer_format(name).ok_or_else(|| {
            let all: Vec<String> = reference::buffer_formats()
                .into_iter()
                .map(|f| f.name)
                .collect();
            anyhow!("{name:?} is no buffer format; there are {}", all.join(", "))
        })?;
        return if args.json {
            output::write_json(&format)
        } else {
            write(&format.document(), args.form(), name)
        };
    }
    let Some((name, mut kind)) = terms
        .iter()
        .find_map(|(n, k)| n.as_ref().map(|n| (n.as_str(), *k)))
    else {
        return Err(anyhow!("nothing to explain: name an instruction").into());
    };
    if kind == TermKind::OperandType && name.to_ascii_uppercase().starts_with("FMT_") {
        kind = TermKind::DataFormat;
    }
    let found = if kind == TermKind::Notation && name == "all" {
        let all = reference::terms().iter();
        all.filter(|t| t.kind == kind).collect()
    } else {
        reference::find_terms(kind, name)
    };
    if kind == TermKind::Encoding {
        return encoding(args, name, &found, generation);
    }
    if found.is_empty() {
        let mut all: Vec<&str> = reference::terms()
            .iter()
            .filter(|t| t.kind == kind)
            .flat_map(|t| t.names.iter().copied())
            .collect();
        all.sort_unstable();
        all.dedup();
        return Err(anyhow!(
            "{name:?} is no {} that Waveglass knows; there are {}",
            kind.name(),
            all.join(", ")
        )
        .into());
    }
    if args.json {
        return output::write_json(&found);
    }
    let mut doc = Document::default();
    for t in found {
        doc.blocks.extend(t.document().blocks);
    }
    write(&doc, args.form(), name)
}

fn card(args: &ExplainArgs, name: &str) -> Result<(), Failure> {
    let instruction = find(name)?;
    let asked = args.arch.or(args.target.map(Target::generation));
    // The newest generation unless one is named, one in which the name is the main spelling first.
    let lower = name.to_ascii_lowercase();
    let newest = || {
        let by_name = |g: &Generation| instruction.name_in(*g) == Some(&lower);
        GENERATIONS
            .into_iter()
            .rev()
            .find(by_name)
            .or_else(|| instruction.generations().last())
    };
    let Some(generation) = asked.or_else(newest) else {
        return Err(anyhow!("{name:?}: no generation has it").into());
    };
    let Some(card) = Cards::new(generation).card(instruction) else {
        let on: Vec<&str> = instruction.generations().map(|g| g.name()).collect();
        return Err(anyhow!(
            "{} does not exist on {}; it does on {}",
            instruction.all_names()[0],
            generation,
            on.join(", ")
        )
        .into());
    };
    if args.json {
        return output::write_json(&card);
    }
    if args.html {
        return output::write(&reference::card_page(&card));
    }
    write(&card_document(&card), args.form(), name)
}

fn encoding(
    args: &ExplainArgs,
    name: &str,
    found: &[&Term],
    generation: Option<Generation>,
) -> Result<(), Failure> {
    let generations: Vec<Generation> = match generation {
        Some(g) => vec![g],
        None => GENERATIONS.to_vec(),
    };
    let page = reference::encoding_page(name, &generations);
    if page.layouts.is_empty() {
        let all = reference::encoding_names(&generations);
        return Err(anyhow!(
            "{name:?} is no encoding of {}; there are {}",
            generation.map_or("any generation", Generation::name),
            all.join(", ")
        )
        .into());
    }
    if args.json {
        return output::write_json(&page);
    }
    let mut doc = Document::default();
    for t in found {
        doc.blocks.extend(t.document().blocks);
    }
    doc.blocks.extend(page.document().blocks);
    write(&doc, args.form(), name)
}

pub(crate) fn compare(args: &CompareArgs) -> Result<(), Failure> {
    let mut instructions = vec![find(&args.name)?];
    if let Some(n) = &args.name2 {
        let other = find(n)?;
        if !std::ptr::eq(other, instructions[0]) {
            instructions.push(other);
        }
    }
    let targets = if args.targets.is_empty() {
        Target::ALL
    } else {
        &args.targets
    };
    let mut once: Vec<Target> = Vec::new();
    for &t in targets {
        if !once.contains(&t) {
            once.push(t);
        }
    }
    let comparison = reference::compare(&instructions, &once);
    if args.json {
        return output::write_json(&comparison);
    }
    let form = Form::of(args.md, args.html);
    write(&comparison.document(), form, &args.name)
}

pub(crate) fn search(args: &SearchArgs) -> Result<(), Failure> {
    let words = args.words.join(" ");
    let mut hits = reference::search(&words);
    let found = hits.len();
    hits.truncate(args.limit as usize);
    if args.json {
        return output::write_json(&hits);
    }
    if hits.is_empty() {
        return Err(anyhow!("no instruction fits all of {words:?}; try fewer words").into());
    }
    let mut text = String::new();
    for h in &hits {
        let also = if h.aliases.is_empty() {
            String::new()
        } else {
            format!(" ({})", h.aliases.join(", "))
        };
        let _ = writeln!(text, "{}{also}", h.name.bold());
        let _ = writeln!(text, "    {}", h.summary);
        let _ = writeln!(text, "    {}: {}", h.group, h.generations.join(", "));
    }
    if found > hits.len() {
        let _ = writeln!(
            text,
            "{} more; --limit {found} shows them",
            found - hits.len()
        );
    }
    output::write(&text)
}

/// How a document is written.
#[derive(Clone, Copy)]
enum Form {
    Text,
    Markdown,
    Html,
}

impl Form {
    fn of(markdown: bool, html: bool) -> Self {
        match (markdown, html) {
            (true, _) => Self::Markdown,
            (_, true) => Self::Html,
            _ => Self::Text,
        }
    }
}

impl ExplainArgs {
    fn form(&self) -> Form {
        Form::of(self.md, self.html)
    }
}

/// Writes a document; `title` is that of an HTML page.
fn write(doc: &Document, form: Form, title: &str) -> Result<(), Failure> {
    output::write(&match form {
        Form::Text => doc.to_text(100, |h| h.bold().to_string()),
        Form::Markdown => doc.to_markdown(),
        Form::Html => doc.to_html(title),
    })
}
