//! A buffer resource descriptor (V#) in words: its fields, how addresses are formed through it, what is
//! checked and what a typed access gives.

use crate::isa::Target;
use crate::mem::Generation;
use crate::mem::buffer::{
    BufferDescriptor, DescriptorField, DstSel, Format, FormatCode, NumberFormat, RangeRule, Swizzle,
};
use serde::Serialize;
use waveglass_exec::dispatch::memory_generation;

/// Everything that can be said about one V# on one target.
///
/// ```
/// use waveglass::{DescriptorCard, isa::Target};
/// let card = DescriptorCard::new([0x1_0000, 0, 256, 0x2_7fac], Target::Gfx90a);
/// assert_eq!(card.summary, "linear buffer of 256 bytes at 0x10000");
/// assert!(card.checks[1].contains("inst_offset + voffset >= 0x100"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DescriptorCard {
    /// The target.
    pub target: &'static str,
    /// The generation, as in "CDNA 2".
    pub generation: &'static str,
    /// The four words.
    pub words: [String; 4],
    /// What it is, in a line.
    pub summary: String,
    /// The fields, lowest bit first.
    pub fields: Vec<DescriptorRow>,
    /// How an address is formed.
    pub address: Vec<String>,
    /// What makes an access out of range, and what happens then.
    pub checks: Vec<String>,
    /// What accesses that convert give; empty on targets without them.
    pub typed: Vec<String>,
    /// What looks wrong.
    pub notes: Vec<String>,
}

/// A field of a V#.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DescriptorRow {
    /// The name.
    pub name: &'static str,
    /// The highest bit.
    pub high: u32,
    /// The lowest bit.
    pub low: u32,
    /// The value.
    pub value: u64,
    /// What it means.
    pub meaning: String,
}

/// Why a field could not be set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DescriptorError {
    /// The generation has no such field.
    #[error("a V# of {generation} has no field {name:?}; it has {fields}")]
    NoField {
        /// The name asked for.
        name: String,
        /// The generation.
        generation: &'static str,
        /// The names that there are.
        fields: String,
    },
    /// The value does not fit.
    #[error("{name} has {width} bits: {value:#x} does not fit")]
    TooLarge {
        /// The field.
        name: &'static str,
        /// Its width.
        width: u32,
        /// The value.
        value: u64,
    },
    /// The value is no number and no name that the field has.
    #[error("{value:?} is no value of {name}: {expected}")]
    BadValue {
        /// The field.
        name: String,
        /// The value.
        value: String,
        /// What is expected.
        expected: String,
    },
}

/// Sets a field of a V# by name; `value` is a number, or one of the field's own names: `R`, `G`, `B`, `A`
/// for selects, `16_FLOAT` and the like for `format`, which on gfx9 stands for both halves of it.
///
/// # Errors
/// [`DescriptorError`].
pub fn set_descriptor_field(
    words: [u32; 4],
    target: Target,
    name: &str,
    value: &str,
) -> Result<[u32; 4], DescriptorError> {
    let generation = memory_generation(target);
    let fields = DescriptorField::all(generation);
    let find = |name: &str| fields.iter().find(|f| f.name == name);
    if name == "format" && parse_number(value).is_none() {
        let code = Format::all(generation)
            .find(|(_, f)| f.to_string().eq_ignore_ascii_case(value))
            .map(|(code, _)| code)
            .ok_or_else(|| DescriptorError::BadValue {
                name: name.to_owned(),
                value: value.to_owned(),
                expected: match generation {
                    Generation::Cdna5 => "its V# has no format".to_owned(),
                    _ => format!("{} has no such format", target.generation()),
                },
            })?;
        if let (Some(data), Some(number)) = (find("data_format"), find("num_format")) {
            let words = data.set(words, u64::from(code & 15));
            return Ok(number.set(words, u64::from(code >> 4)));
        }
        if let Some(field) = find("format") {
            return Ok(field.set(words, code.into()));
        }
    }
    let field = find(name).ok_or_else(|| DescriptorError::NoField {
        name: name.to_owned(),
        generation: target.generation().name(),
        fields: fields.iter().map(|f| f.name).collect::<Vec<_>>().join(", "),
    })?;
    let named = match value.to_ascii_uppercase().as_str() {
        "R" => Some(4),
        "G" => Some(5),
        "B" => Some(6),
        "A" => Some(7),
        _ => None,
    };
    let value = named
        .filter(|_| name.starts_with("dst_sel"))
        .or_else(|| parse_number(value))
        .ok_or_else(|| DescriptorError::BadValue {
            name: name.to_owned(),
            value: value.to_owned(),
            expected: if is_too_wide(value) {
                format!(
                    "at most {:#x}: the field has {} bits",
                    field.max(),
                    field.width
                )
            } else if name.starts_with("dst_sel") {
                "R, G, B, A, 0 or 1".to_owned()
            } else {
                "a number, decimal or with 0x".to_owned()
            },
        })?;
    if value > field.max() {
        return Err(DescriptorError::TooLarge {
            name: field.name,
            width: field.width,
            value,
        });
    }
    Ok(field.set(words, value))
}

fn parse_number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}

/// Whether it is a number, of more than 64 bits.
fn is_too_wide(text: &str) -> bool {
    let parsed = match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16),
        None => text.parse(),
    };
    parsed.is_err_and(|e| *e.kind() == std::num::IntErrorKind::PosOverflow)
}

/// What the card is made from.
struct Subject {
    generation: Generation,
    d: BufferDescriptor,
}

impl DescriptorCard {
    /// The card of the V# in these words.
    pub fn new(words: [u32; 4], target: Target) -> Self {
        let generation = memory_generation(target);
        let subject = Subject {
            generation,
            d: BufferDescriptor::decode(words, generation),
        };
        let fields = DescriptorField::all(generation)
            .iter()
            .map(|f| DescriptorRow {
                name: f.name,
                high: f.high(),
                low: f.low,
                value: f.get(words),
                meaning: subject.meaning(f, f.get(words)),
            })
            .collect();
        Self {
            target: target.name(),
            generation: target.generation().name(),
            words: words.map(|w| format!("0x{w:08x}")),
            summary: subject.summary(),
            fields,
            address: subject.address(),
            checks: subject.checks(),
            typed: subject.typed(),
            notes: subject.notes(words),
        }
    }
}

fn select(s: DstSel) -> String {
    match s {
        DstSel::Zero => "0".to_owned(),
        DstSel::One => "1".to_owned(),
        DstSel::R => "R".to_owned(),
        DstSel::G => "G".to_owned(),
        DstSel::B => "B".to_owned(),
        DstSel::A => "A".to_owned(),
        DstSel::Reserved(code) => format!("reserved {code}"),
    }
}

impl Subject {
    fn stride(&self) -> u64 {
        self.d.stride_bytes(true)
    }

    /// The stride of untyped accesses, which on gfx9 may have 18 bits.
    fn plain_stride(&self) -> u64 {
        self.d.stride_bytes(false)
    }

    fn is_cdna5(&self) -> bool {
        self.generation == Generation::Cdna5
    }

    fn summary(&self) -> String {
        let d = &self.d;
        if d.kind != 0 {
            return "no buffer's descriptor: buffer instructions ignore it".to_owned();
        }
        if d.is_unbound(false) {
            return "unbound: loads give 0, stores and atomics are dropped".to_owned();
        }
        let swizzle = match d.swizzle {
            Swizzle::Off | Swizzle::Reserved => "linear",
            Swizzle::Element4 | Swizzle::Element16 => "swizzled",
        };
        let thread = if d.add_tid { ", indexed by lane" } else { "" };
        let records = d.num_records;
        let counted =
            |unit: &str| format!("{records} {unit}{}", if records == 1 { "" } else { "s" });
        let size = match (self.counts_records(), self.plain_stride()) {
            (_, 0) | (false, _) => counted("byte"),
            (true, stride) => format!("{} of {stride} bytes", counted("record")),
        };
        format!("{swizzle} buffer of {size} at {:#x}{thread}", d.base)
    }

    /// Whether NUM_RECORDS is compared with an index rather than with bytes.
    fn counts_records(&self) -> bool {
        let d = &self.d;
        match d.oob_select {
            None => d.swizzle != Swizzle::Off || self.plain_stride() != 0,
            Some(_) if self.is_cdna5() => false,
            Some(0 | 1) => true,
            Some(3) => d.swizzle.element_bytes().is_some() && d.stride != 0,
            Some(_) => self.plain_stride() != 0,
        }
    }

    fn meaning(&self, field: &DescriptorField, value: u64) -> String {
        let d = &self.d;
        let yes_no = |yes: &str, no: &str| if value != 0 { yes } else { no }.to_owned();
        match field.name {
            "base" => format!("{:#x}", d.base),
            "stride" => {
                let scale = d.stride_scale;
                match (value, scale) {
                    (0, _) => "none".to_owned(),
                    (_, 1) => format!("{value} bytes"),
                    _ => format!("{value} * {scale} = {} bytes", self.stride()),
                }
            }
            "num_records" if self.is_cdna5() => format!("{value} bytes"),
            "num_records" => match self.counts_records() {
                true if d.oob_select.is_none() => {
                    format!("{value}: records where idxen is set, else bytes")
                }
                true => format!("{value} records"),
                false => format!("{value} bytes"),
            },
            "cache_swizzle" => yes_no("cache banks swizzled (no effect on data)", "no"),
            "swizzle_enable" => match d.swizzle {
                Swizzle::Off => "linear".to_owned(),
                Swizzle::Element4 => "elements of 4 bytes interleaved".to_owned(),
                Swizzle::Element16 => "elements of 16 bytes interleaved".to_owned(),
                Swizzle::Reserved => "reserved; addressed as linear".to_owned(),
            },
            "index_stride" => match d.swizzle.element_bytes() {
                Some(_) => format!("over {} indices", d.index_stride),
                None => format!("{} indices (not swizzled: unused)", d.index_stride),
            },
            "add_tid_enable" => yes_no("the lane's number is added to the index", "no"),
            "dst_sel_x" | "dst_sel_y" | "dst_sel_z" | "dst_sel_w" => {
                select(DstSel::from_bits(value as u32))
            }
            "num_format" | "data_format" | "format" => self.format_meaning(field.name, value),
            "stride_scale" => format!("stride times {}", d.stride_scale),
            "oob_select" => self.oob_meaning(value).to_owned(),
            "user_vm_enable" => yes_no("user VM: mapped through a tiled pool", "no"),
            "user_vm_mode" if !d.user_vm_enable => "unused".to_owned(),
            "user_vm_mode" => yes_no("error on a missing page", "null on a missing page"),
            "nv" => yes_no("non-volatile", "volatile as the page says"),
            "resource_level" => yes_no("1, as it must be", "must be 1"),
            "llc_noalloc" => format!("{value} (no effect on data)"),
            "write_compress_enable" | "compression_enable" | "compression_access_mode" => {
                format!("{value} (no effect on data)")
            }
            "type" => match value {
                0 => "buffer".to_owned(),
                _ => "not a buffer".to_owned(),
            },
            _ => String::new(),
        }
    }

    fn oob_meaning(&self, value: u64) -> &'static str {
        match (self.is_cdna5(), value) {
            (true, 0) => "bytes of the whole buffer",
            (true, _) => "bytes of the whole buffer, and of the record",
            (false, 0) => "index, and offset within the record",
            (false, 1) => "index only",
            (false, 2) => "nothing, unless the buffer is empty",
            (false, _) => "raw: bytes",
        }
    }

    fn format_meaning(&self, name: &str, value: u64) -> String {
        let stride = "upper bits of the stride in untyped accesses";
        if name == "data_format" && self.d.add_tid {
            return match self.d.resource_format() {
                FormatCode::Format(f) => format!("{}; {stride}", f.layout.name()),
                _ => stride.to_owned(),
            };
        }
        match (name, self.d.resource_format()) {
            (_, FormatCode::Invalid) if name != "num_format" => "INVALID".to_owned(),
            ("data_format", FormatCode::Format(f)) => f.layout.name().to_owned(),
            ("num_format", FormatCode::Format(f)) => f.number.name().to_owned(),
            (_, FormatCode::Format(f)) => f.to_string(),
            ("num_format", FormatCode::Invalid) => "unused".to_owned(),
            _ => format!("{value}: reserved"),
        }
    }

    fn address(&self) -> Vec<String> {
        let d = &self.d;
        if d.kind != 0 || d.is_unbound(false) {
            return vec!["none: nothing is accessed".to_owned()];
        }
        let lane = if d.add_tid { " + lane" } else { "" };
        let index = format!("index  = (idxen ? vindex : 0){lane}");
        let offset = "offset = inst_offset + (offen ? voffset : 0)".to_owned();
        let stride = if self.plain_stride() == self.stride() {
            format!("{}", self.stride())
        } else {
            format!(
                "{} ({} where the access converts)",
                self.plain_stride(),
                self.stride()
            )
        };
        let base = format!("{:#x}", d.base);
        let by_index = match self.plain_stride().max(self.stride()) {
            0 => String::new(),
            _ => format!(" + {stride} * index"),
        };
        match d.swizzle.element_bytes() {
            None if self.is_cdna5() => vec![
                index,
                offset,
                format!("address = {base} + soffset + ((offset{by_index}) mod 2^45)"),
            ],
            None => vec![
                index,
                offset,
                format!("address = {base} + soffset + offset{by_index}"),
            ],
            Some(es) => {
                let is = d.index_stride;
                let inside = matches!(self.generation, Generation::Rdna4 | Generation::Cdna5);
                let (offset, outer) = if inside {
                    let bits = if self.is_cdna5() { 45 } else { 32 };
                    (format!("{offset} + soffset, mod 2^{bits}"), "")
                } else {
                    (offset, " + soffset")
                };
                vec![
                    index,
                    offset,
                    format!(
                        "address = {base}{outer} + (index / {is} * {stride} + offset / {es} * {es}) * {is}"
                    ),
                    format!(
                        "        + index % {is} * {es} + offset % {es}        (whole quotients)"
                    ),
                ]
            }
        }
    }

    fn checks(&self) -> Vec<String> {
        let d = &self.d;
        if d.kind != 0 {
            return vec!["none: the instruction is ignored, registers and memory stay".to_owned()];
        }
        if d.is_unbound(false) {
            return vec!["none: every access is out of range".to_owned()];
        }
        let mut out = Vec::new();
        let rule = |idxen| self.out_of_range(d.range_rule(idxen, false));
        if self.generation.is_gfx9() {
            out.push(
                "untyped loads and stores are checked dword by dword, typed ones and atomics by their first byte"
                    .to_owned(),
            );
            out.push(format!("without idxen: {}", rule(false).concat()));
            let zero = if self.plain_stride() == 0 {
                ", the stride being 0"
            } else {
                ""
            };
            out.push(format!("with idxen{zero}: {}", rule(true).concat()));
        } else {
            out.push(
                "untyped loads and stores are checked dword by dword, typed ones and atomics whole; payload = \
                 bytes checked at once"
                    .to_owned(),
            );
            out.extend(rule(true));
        }
        out.push(
            "then loads give 0, stores and atomics are dropped; that is no memory violation"
                .to_owned(),
        );
        out.push(
            if self.d.user_vm_enable && !self.d.user_vm_mode {
                "in range, an address that nothing is mapped at gives 0 and drops writes (user VM, mode 0; Vega ISA \
                 8.1.8)"
            } else {
                "in range, the address must still be mapped: if it is not, that is a memory violation"
            }
            .to_owned(),
        );
        out
    }

    /// What a rule keeps out, in words.
    fn out_of_range(&self, rule: RangeRule) -> Vec<String> {
        let records = self.d.num_records;
        let stride = self.plain_stride();
        let out = match rule {
            RangeRule::Unchecked if self.is_cdna5() => {
                "never out of range: a swizzled buffer is not checked".to_owned()
            }
            RangeRule::Unchecked => "never out of range (a scratch buffer)".to_owned(),
            RangeRule::Index => format!("out of range where index >= {records:#x}"),
            RangeRule::Offset => format!(
                "out of range where inst_offset + voffset >= {records:#x}; soffset does not count"
            ),
            RangeRule::NotEmpty if records == 0 => {
                "always out of range: the buffer is empty".to_owned()
            }
            RangeRule::NotEmpty => "never out of range: the buffer is not empty".to_owned(),
            RangeRule::Record { payload: true } => {
                format!("out of range where index >= {records:#x} or offset + payload > {stride}")
            }
            RangeRule::Record { payload: false } => {
                format!("out of range where index >= {records:#x} or offset >= {stride}")
            }
            RangeRule::Bytes => format!(
                "out of range where offset + payload > {records:#x} - soffset; the index is not looked at"
            ),
            RangeRule::Total { record } => {
                let mut out = vec![format!(
                    "out of range where {stride} * index + offset + soffset + payload > {records:#x}"
                )];
                if record {
                    out.push(format!(
                        "and where offset + soffset + payload > {stride}, the record"
                    ));
                }
                return out;
            }
        };
        vec![out]
    }

    fn typed(&self) -> Vec<String> {
        let d = &self.d;
        // Of another type the instruction is ignored, whatever the format.
        if self.is_cdna5() || d.kind != 0 {
            return Vec::new();
        }
        match d.resource_format() {
            FormatCode::Invalid => {
                vec![
                    "buffer_*_format_*: the format is INVALID; loads give 0, stores are dropped"
                        .to_owned(),
                ]
            }
            FormatCode::Reserved(code) => vec![format!(
                "buffer_*_format_*: format code {code} is reserved, and Waveglass refuses the access"
            )],
            FormatCode::Format(f) => {
                // A component that the format does not have is zero.
                let has = f.layout.widths().len();
                let selected: Vec<String> = d
                    .dst_sel
                    .iter()
                    .map(|s| match s {
                        DstSel::G if has < 2 => DstSel::Zero,
                        DstSel::B if has < 3 => DstSel::Zero,
                        DstSel::A if has < 4 => DstSel::Zero,
                        other => *other,
                    })
                    .map(select)
                    .collect();
                let one = match f.number {
                    NumberFormat::Uint | NumberFormat::Sint => "integer",
                    _ => "float",
                };
                let widths: Vec<String> = f.layout.widths().iter().map(u32::to_string).collect();
                let constant = |s: &DstSel| matches!(s, DstSel::Zero | DstSel::One);
                let gives = if d.dst_sel.iter().all(constant) {
                    format!(
                        "buffer_load_format_xyzw gives ({}): every select is a constant, and none is of the data",
                        selected.join(", ")
                    )
                } else {
                    format!(
                        "buffer_load_format_xyzw gives ({}) of {f}, as {one}s",
                        selected.join(", ")
                    )
                };
                vec![
                    gives,
                    format!(
                        "an element is {} bytes: {} component{} of {} bits, the first in the lowest",
                        f.bytes(),
                        widths.len(),
                        if widths.len() == 1 { "" } else { "s" },
                        widths.join(", ")
                    ),
                    "tbuffer_* take the instruction's format and no selects".to_owned(),
                ]
            }
        }
    }

    fn notes(&self, words: [u32; 4]) -> Vec<String> {
        let d = &self.d;
        let mut out = Vec::new();
        let reserved = DescriptorField::reserved(self.generation);
        for (i, (word, reserved)) in words.iter().zip(reserved).enumerate() {
            if word & reserved != 0 {
                out.push(format!(
                    "word {i} has reserved bits set: 0x{:08x}",
                    word & reserved
                ));
            }
        }
        if d.kind != 0 {
            out.push("type is not 0: this may be an image descriptor".to_owned());
            return out;
        }
        if d.is_unbound(false) {
            out.push(
                "the format is INVALID (0), which unbinds the buffer for untyped accesses too"
                    .to_owned(),
            );
        }
        if d.resource_level == Some(false) {
            out.push("resource_level must be 1".to_owned());
        }
        if let Some(es) = d.swizzle.element_bytes()
            && !self.plain_stride().is_multiple_of(es)
        {
            out.push(format!(
                "a swizzled buffer's stride must be a multiple of {es}"
            ));
        }
        if d.swizzle == Swizzle::Reserved {
            out.push("swizzle_enable 2 is reserved".to_owned());
        }
        if d.num_records == 0 && !d.is_unbound(false) {
            out.push("num_records is 0: nothing that is checked is in range".to_owned());
        }
        for (name, sel) in ["x", "y", "z", "w"].iter().zip(d.dst_sel) {
            if let DstSel::Reserved(code) = sel {
                out.push(format!(
                    "dst_sel_{name} has the reserved code {code}; it is taken for 0"
                ));
            }
        }
        if self.generation.is_gfx9() && d.add_tid && d.swizzle != Swizzle::Off {
            out.push(
                "this is the form of a scratch buffer: lanes interleaved, no range check without idxen"
                    .to_owned(),
            );
        }
        out
    }
}
