//! What can be wrong with a file, and where.

/// The result of reading a file.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a file, or a part of it, was refused.
///
/// Offsets count bytes from the start of the data given to the parser; inside a compressed bundle
/// they count from the start of the decompressed data.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The bytes are none of the known containers.
    #[error(
        "not a code object or offload bundle: the file starts with {start:02x?}; for bare machine code name a target"
    )]
    UnknownFormat {
        /// The first bytes, at most eight.
        start: Vec<u8>,
    },
    /// The file ends before something that it announces.
    #[error(
        "offset {offset:#x}: {what} needs {needed} bytes but the data ends at {len:#x}; the file is truncated or its header is wrong"
    )]
    Truncated {
        /// Where the thing starts.
        offset: u64,
        /// What was being read.
        what: &'static str,
        /// How many bytes it needs.
        needed: u64,
        /// Length of the data.
        len: u64,
    },
    /// The file contradicts itself or its format.
    #[error("offset {offset:#x}: {what}")]
    Malformed {
        /// Where the contradiction was seen.
        offset: u64,
        /// What is wrong.
        what: String,
    },
    /// A well-formed file that this crate refuses by name.
    #[error("offset {offset:#x}: {what} is not supported; {advice}")]
    Unsupported {
        /// Where it is announced.
        offset: u64,
        /// What it is.
        what: String,
        /// What to do instead.
        advice: &'static str,
    },
    /// The metadata note contradicts itself, its format, or the rest of the file.
    #[error("offset {offset:#x}: metadata {path}: {what}")]
    Metadata {
        /// Offset of the note's contents.
        offset: u64,
        /// Which key, for example `amdhsa.kernels[0].args[2].offset`.
        path: String,
        /// What is wrong.
        what: String,
    },
    /// A size is past a limit of [`Limits`](crate::Limits).
    #[error(
        "offset {offset:#x}: {what} is {size} bytes, over the limit of {limit}; raise the limit if the file is trusted"
    )]
    TooLarge {
        /// Where it is announced.
        offset: u64,
        /// What is too large.
        what: &'static str,
        /// How large it claims or proves to be.
        size: u64,
        /// The limit.
        limit: u64,
    },
    /// A relocation needs a symbol that the code object does not define.
    #[error(
        "offset {offset:#x}: symbol `{name}` is undefined; link the code object that defines it"
    )]
    UndefinedSymbol {
        /// Offset of the relocation record.
        offset: u64,
        /// The symbol.
        name: String,
    },
    /// A bundle has code for several targets, and none is asked for.
    #[error("the file has code for several targets: {}", .available.join(", "))]
    TargetNeeded {
        /// The entries that there are.
        available: Vec<String>,
    },
    /// A bundle has no code object for a target.
    #[error("no code object for {wanted}; the file has: {}", .available.join(", "))]
    NoSuchTarget {
        /// The target asked for.
        wanted: String,
        /// The entries that there are.
        available: Vec<String>,
    },
}

impl Error {
    pub(crate) fn malformed(offset: u64, what: impl Into<String>) -> Self {
        Error::Malformed {
            offset,
            what: what.into(),
        }
    }
}
