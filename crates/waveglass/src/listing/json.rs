//! A disassembly as JSON: what [`Listing`](super::Listing) gives, without keeping it.

use serde::ser::{SerializeSeq as _, SerializeStruct as _};
use serde::{Serialize, Serializer};

use super::lines::LineView;
use super::{Disassembly, FunctionCode};

impl Serialize for Disassembly<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut out = s.serialize_struct("Listing", 2)?;
        out.serialize_field("target", self.target())?;
        out.serialize_field("functions", &Functions(self))?;
        out.end()
    }
}

struct Functions<'a>(&'a Disassembly<'a>);

impl Serialize for Functions<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_seq(self.0.functions())
    }
}

impl Serialize for FunctionCode<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut out = s.serialize_struct("Function", 5)?;
        out.serialize_field("name", self.name)?;
        out.serialize_field("kernel", &self.kernel)?;
        out.serialize_field("wave_size", &self.wave_size)?;
        out.serialize_field("address", &self.address)?;
        out.serialize_field("lines", &Sequence(self))?;
        out.end()
    }
}

struct Sequence<'a>(&'a FunctionCode<'a>);

impl Serialize for Sequence<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut lines = self.0.lines();
        let mut out = s.serialize_seq(None)?;
        while let Some(line) = lines.next_line() {
            out.serialize_element(&line)?;
        }
        out.end()
    }
}

impl Serialize for LineView<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut out = s.serialize_struct("Line", 4 + usize::from(self.label.is_some()))?;
        match &self.label {
            Some(label) => out.serialize_field("label", label)?,
            None => out.skip_field("label")?,
        }
        out.serialize_field("address", &self.address)?;
        out.serialize_field("bytes", &Bytes(*self))?;
        out.serialize_field("text", self.text)?;
        out.serialize_field("valid", &self.valid)?;
        out.end()
    }
}

struct Bytes<'a>(LineView<'a>);

impl Serialize for Bytes<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut out = s.serialize_seq(None)?;
        for h in self.0.hex() {
            out.serialize_element(h.as_str())?;
        }
        out.end()
    }
}
