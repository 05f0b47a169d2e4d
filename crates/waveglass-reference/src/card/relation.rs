//! How an instruction stands in another generation: the same, different, absent.

use serde::Serialize;
use waveglass_isa::{EncodingField, Generation, row_layout};

use super::{first_target, rows_in};
use crate::catalogue::Instruction;

/// How an instruction stands in a generation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GenerationRow {
    /// The generation.
    pub generation: &'static str,
    /// Its mnemonic there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<&'static str>,
    /// The main encoding there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding: Option<&'static str>,
    /// Compared with the card's generation.
    pub relation: Relation,
    /// What differs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<Difference>,
}

/// How the main encoding of an instruction compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Relation {
    /// The card's own generation.
    This,
    /// The same encoding, layout and opcode.
    Same,
    /// Something differs.
    Different,
    /// The generation does not have the instruction.
    Absent,
}

/// A difference, told from the card's generation to the other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase", tag = "what")]
pub enum Difference {
    /// Another encoding.
    Encoding {
        /// Its name there.
        there: &'static str,
        /// Its width in bits there.
        width: u32,
    },
    /// Another opcode.
    Opcode {
        /// Here.
        here: u32,
        /// There.
        there: u32,
    },
    /// A field lies elsewhere.
    Moved {
        /// The field.
        field: &'static str,
        /// Its bits here.
        here: String,
        /// Its bits there.
        there: String,
    },
    /// A field is wider or narrower.
    Resized {
        /// The field.
        field: &'static str,
        /// Its bits here.
        here: String,
        /// Its bits there.
        there: String,
    },
    /// A field has other fixed bits.
    Fixed {
        /// The field.
        field: &'static str,
        /// Here.
        here: u32,
        /// There.
        there: u32,
    },
    /// A field that is there and not here.
    New {
        /// The field.
        field: &'static str,
        /// Its bits there.
        there: String,
    },
    /// A field that is here and not there.
    Gone {
        /// The field.
        field: &'static str,
        /// Its bits here.
        here: String,
    },
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Encoding { there, width } => write!(f, "encoding {there}, {width} bits"),
            Self::Opcode { here, there } => write!(f, "opcode {there}, not {here}"),
            Self::Moved { field, here, there } => write!(f, "{field} moved from {here} to {there}"),
            Self::Resized { field, here, there } => write!(f, "{field} at {there}, not {here}"),
            Self::Fixed { field, here, there } => {
                write!(f, "{field} is {there:#b}, not {here:#b}")
            }
            Self::New { field, there } => write!(f, "{field} new at {there}"),
            Self::Gone { field, here } => write!(f, "{field} ({here}) gone"),
        }
    }
}

fn bits(f: &EncodingField) -> String {
    if f.hi == f.lo {
        f.lo.to_string()
    } else {
        format!("{}:{}", f.hi, f.lo)
    }
}

/// The row of generation `there` on the card of generation `here`.
pub(super) fn row(instruction: &Instruction, here: Generation, there: Generation) -> GenerationRow {
    let mut row = GenerationRow {
        generation: there.name(),
        name: instruction.name_in(there),
        encoding: None,
        relation: Relation::Absent,
        differences: Vec::new(),
    };
    let main = |g| {
        let name = instruction.in_generation(g)?;
        let target = first_target(name, g)?;
        let def = *rows_in(name, g).first()?;
        Some((def, row_layout(def, target).first()?.0))
    };
    let Some((def_there, layout_there)) = main(there) else {
        return row;
    };
    row.encoding = Some(def_there.encoding());
    if here == there {
        row.relation = Relation::This;
        return row;
    }
    let Some((def_here, layout_here)) = main(here) else {
        return row;
    };
    let out = &mut row.differences;
    let other_encoding = def_here.encoding() != def_there.encoding();
    if other_encoding {
        out.push(Difference::Encoding {
            there: def_there.encoding(),
            width: def_there.shape.size as u32 * 8,
        });
    }
    if def_here.opcode != def_there.opcode {
        out.push(Difference::Opcode {
            here: def_here.opcode as u32,
            there: def_there.opcode as u32,
        });
    }
    // Reserved bits are bits without a field.
    let named =
        |e: &'static waveglass_isa::Encoding| e.fields.iter().filter(|f| f.name != "RESERVED");
    for h in named(layout_here) {
        let Some(t) = layout_there.field(h.name) else {
            out.push(Difference::Gone {
                field: h.name,
                here: bits(h),
            });
            continue;
        };
        if h.width() != t.width() {
            out.push(Difference::Resized {
                field: h.name,
                here: bits(h),
                there: bits(t),
            });
        } else if h.lo != t.lo {
            out.push(Difference::Moved {
                field: h.name,
                here: bits(h),
                there: bits(t),
            });
        } else if let (Some(a), Some(b)) = (h.fixed, t.fixed)
            && a != b
        {
            out.push(Difference::Fixed {
                field: h.name,
                here: a,
                there: b,
            });
        }
    }
    for t in named(layout_there) {
        if layout_here.field(t.name).is_none() {
            out.push(Difference::New {
                field: t.name,
                there: bits(t),
            });
        }
    }
    row.relation = if out.is_empty() {
        Relation::Same
    } else {
        Relation::Different
    };
    row
}
