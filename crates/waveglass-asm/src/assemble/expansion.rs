//! Text that is not in the source as it stands: where it is read, and what findings say of it.

use super::assembler::Assembler;
use super::diagnostic::{Expansion, Problem};
use std::rc::Rc;

/// What the text is.
#[derive(Clone)]
pub(super) enum What {
    Macro(Rc<[u8]>),
    Repetition,
    File(Rc<str>),
}

/// A text that is being read.
pub(super) struct Frame {
    pub(super) what: What,
    /// The line of it.
    pub(super) line: u32,
}

impl Assembler<'_> {
    /// Reads lines that are not in the source as they stand.
    pub(super) fn enter_text(
        &mut self,
        what: What,
        text: &[u8],
        depth: u32,
        at: usize,
    ) -> Result<(), Problem> {
        let most = self.options.limits.depth;
        if depth >= most {
            let thing = match what {
                What::File(_) => "files",
                _ => "macros",
            };
            return Err(Problem::at(
                at,
                format!("{thing} cannot be nested more than {most} levels deep"),
            ));
        }
        self.expansions += 1;
        // A copy of the text is work even where nothing comes of it.
        self.count_work(text.len() as u64, at)?;
        self.frames.push(Frame { what, line: 1 });
        self.process(text, 1, depth + 1);
        self.frames.pop();
        Ok(())
    }

    /// The texts around the statement at hand, the innermost first.
    pub(super) fn expansions(&self) -> Vec<Expansion> {
        self.frames
            .iter()
            .rev()
            .map(|f| Expansion {
                of: match &f.what {
                    What::Macro(name) => format!("macro {}", String::from_utf8_lossy(name)),
                    What::Repetition => "repetition".to_owned(),
                    What::File(name) => name.to_string(),
                },
                line: f.line,
            })
            .collect()
    }
}
