//! The arguments of `waveglass run`, and the request that they make.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::Args;
use waveglass::exec::MemoryOrder;
use waveglass::isa::Target;
use waveglass::mem::AlignmentMode;
use waveglass::{Exceptions, MemoryConfig};

use super::value::ArgValue;
use crate::cli::{check_wave_size, parse_target, parse_wave_size};

#[derive(Debug, Args)]
#[command(
    after_help = "Values of --arg:\n  @a.npy @a.bin          a buffer with the file's content\n  zeros:f32:4096         a buffer of zeros\n  fill:u32:4096:7        a buffer of one value\n  iota:u32:4096          a buffer 0, 1, 2, ...\n  random:f32:4096:SEED   floats in [0, 1), integers over their range\n  1024  2.5              scalars of the argument's own size; 2 is an integer, 2.0 a float\n  u64:1024  f32:2.5      scalars of a type, checked against the argument's size\n\nExample:\n  waveglass run tests/kernels/built/linear.O3.hipfb --target gfx1100 --kernel vector_add \\\n    --grid 4 --block 64 --arg iota:f32:256 --arg fill:f32:256:0.5 --arg zeros:f32:256 \\\n    --arg 250 --print 2:8 --stats\n\nThe same with operations in flight as late as the program's waits allow:\n  waveglass run tests/kernels/built/linear.O3.hipfb --target gfx1100 --kernel vector_add \\\n    --grid 4 --block 64 --arg iota:f32:256 --arg fill:f32:256:0.5 --arg zeros:f32:256 \\\n    --arg 250 --memory-order inorder"
)]
pub(crate) struct RunArgs {
    /// A code object, fat binary or raw code.
    pub(crate) file: PathBuf,
    /// The kernel; not needed where the file has one.
    #[arg(long, value_name = "NAME")]
    pub(crate) kernel: Option<String>,
    /// The target: picks one from a fat binary, says what raw code is for.
    #[arg(long, value_parser = parse_target)]
    pub(crate) target: Option<Target>,
    /// Lanes of a wave, for raw code.
    #[arg(long, value_name = "LANES", value_parser = parse_wave_size)]
    pub(crate) wavesize: Option<u32>,
    /// Workgroups.
    #[arg(long, value_name = "X[,Y[,Z]]")]
    pub(crate) grid: Extent,
    /// Work-items in a workgroup.
    #[arg(long, value_name = "X[,Y[,Z]]")]
    pub(crate) block: Extent,
    /// A kernel argument, in order or by name.
    #[arg(long = "arg", value_name = "[NAME=]VALUE", allow_hyphen_values = true)]
    pub(crate) args: Vec<NamedValue>,
    /// Write a buffer to a file after the run (.npy keeps element type and shape).
    #[arg(long = "out", value_name = "[NAME|INDEX=]FILE")]
    pub(crate) outs: Vec<Output>,
    /// Print a buffer's first elements after the run.
    #[arg(long = "print", value_name = "NAME|INDEX[:COUNT]")]
    pub(crate) prints: Vec<Print>,
    /// Print what the run did.
    #[arg(long)]
    pub(crate) stats: bool,
    /// List the instructions executed with how exactly they are, and say where approximate results
    /// went.
    #[arg(long)]
    pub(crate) fidelity: bool,
    /// Write a trace of the instructions to a file.
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
    /// Stop after this many instructions of all waves.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_steps: Option<u64>,
    /// Stop after this many seconds.
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub(crate) timeout: Option<Duration>,
    /// Execute every instruction by its own handler: translate no runs of them to the host's machine
    /// code. Results are the same, slower.
    #[arg(long)]
    pub(crate) interpret: bool,
    /// Threads to run workgroups on; 1 gives the same order each time.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) threads: Option<u16>,
    /// When memory operations complete: at once; as late as waits allow; in a random legal order.
    /// The last two report registers that are used before a wait for them.
    #[arg(
        long,
        value_name = "eager|inorder|adversarial[:SEED]",
        default_value = "eager",
        value_parser = parse_order
    )]
    pub(crate) memory_order: MemoryOrder,
    /// A trap handler: assembler source (.s), a code object, or raw code. Waves enter it at
    /// `trap_handler`, or at its first byte.
    #[arg(long, value_name = "FILE")]
    pub(crate) trap_handler: Option<PathBuf>,
    /// Memory that the trap handler finds by TMA; its first elements are printed after the run.
    #[arg(long, value_name = "VALUE", requires = "trap_handler")]
    pub(crate) trap_memory: Option<ArgValue>,
    /// Exceptions that trap: invalid, input-denormal, div0, overflow, underflow, inexact, int-div0,
    /// mem-viol. Without a trap handler the first of them ends the run.
    #[arg(long, value_name = "KIND[,KIND]", value_parser = parse_exceptions)]
    pub(crate) trap_on: Option<Exceptions>,
    /// SH_MEM_CONFIG, SH_MEM_BASES and LDS_CONFIG: align=dword|dword-strict|strict|unaligned, ptr32,
    /// shared-base=N, private-base=N (0 disables the aperture), m0-bounds-lds, hide-lds-range.
    #[arg(long, value_name = "SETTING[,SETTING]", value_parser = parse_memory_config)]
    pub(crate) sh_mem_config: Option<MemoryConfig>,
    /// Give waves ordered ids, in the workgroup info SGPR's bits 17:6, for ds_ordered_count and
    /// global_atomic_ordered_add_b64: the dispatch has ordered append on.
    #[arg(long)]
    pub(crate) ordered_append: bool,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Everything that a run needs to know.
#[derive(Clone, Debug)]
pub(crate) struct RunRequest {
    pub(crate) file: PathBuf,
    pub(crate) kernel: Option<String>,
    pub(crate) target: Option<Target>,
    pub(crate) wavesize: Option<u32>,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) args: Vec<NamedValue>,
    pub(crate) outs: Vec<Output>,
    pub(crate) prints: Vec<Print>,
    pub(crate) stats: bool,
    pub(crate) fidelity: bool,
    pub(crate) trace: Option<PathBuf>,
    pub(crate) max_steps: Option<u64>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) interpret: bool,
    pub(crate) threads: Option<u16>,
    pub(crate) memory_order: MemoryOrder,
    pub(crate) trap_handler: Option<PathBuf>,
    pub(crate) trap_memory: Option<ArgValue>,
    pub(crate) trap_on: Exceptions,
    pub(crate) memory_config: MemoryConfig,
    pub(crate) ordered_append: bool,
}

impl RunArgs {
    pub(crate) fn into_request(self) -> anyhow::Result<RunRequest> {
        if let Some(target) = self.target {
            check_wave_size(target, self.wavesize)?;
        }
        let items = self
            .block
            .0
            .iter()
            .fold(1u64, |n, &b| n.saturating_mul(b.into()));
        if items > 1024 {
            anyhow::bail!("--block: {items} work-items; a workgroup has at most 1024");
        }
        Ok(RunRequest {
            file: self.file,
            kernel: self.kernel,
            target: self.target,
            wavesize: self.wavesize,
            grid: self.grid.0,
            block: self.block.0,
            args: self.args,
            outs: self.outs,
            prints: self.prints,
            stats: self.stats,
            fidelity: self.fidelity,
            trace: self.trace,
            max_steps: self.max_steps,
            timeout: self.timeout,
            interpret: self.interpret,
            threads: self.threads,
            memory_order: self.memory_order,
            trap_handler: self.trap_handler,
            trap_memory: self.trap_memory,
            trap_on: self.trap_on.unwrap_or_default(),
            memory_config: self.sh_mem_config.unwrap_or_default(),
            ordered_append: self.ordered_append,
        })
    }
}

fn parse_order(s: &str) -> Result<MemoryOrder, String> {
    match s.split_once(':') {
        None if s == "eager" => Ok(MemoryOrder::Eager),
        None if s == "inorder" => Ok(MemoryOrder::InOrder),
        None if s == "adversarial" => Ok(MemoryOrder::Adversarial(0)),
        Some(("adversarial", seed)) => seed
            .parse()
            .map(MemoryOrder::Adversarial)
            .map_err(|_| format!("{seed:?} is no seed; a number, as in adversarial:7")),
        _ => Err("the orders are eager, inorder and adversarial[:SEED]".to_owned()),
    }
}

fn parse_exceptions(s: &str) -> Result<Exceptions, String> {
    let mut all = Exceptions::NONE;
    for part in s.split(',') {
        let found = Exceptions::NAMES.iter().find(|(_, name)| *name == part);
        let Some((e, _)) = found else {
            let names: Vec<&str> = Exceptions::NAMES.iter().map(|(_, n)| *n).collect();
            return Err(format!(
                "{part:?} is no exception; they are {}",
                names.join(", ")
            ));
        };
        all |= *e;
    }
    Ok(all)
}

/// SH_MEM_CONFIG and its kin, each setting once.
pub(crate) fn parse_memory_config(s: &str) -> Result<MemoryConfig, String> {
    let mut config = MemoryConfig::default();
    let mut given = Vec::new();
    for part in s.split(',') {
        let name = part.split('=').next().unwrap_or_default();
        if given.contains(&name) {
            return Err(format!("{name} is given twice; give it once"));
        }
        given.push(name);
        let base = |v: &str| {
            let parsed = match v.strip_prefix("0x") {
                Some(hex) => u16::from_str_radix(hex, 16),
                None => v.parse(),
            };
            parsed.map_err(|_| format!("{v:?} is no base; 16 bits, as in 0x2000"))
        };
        match part.split_once('=') {
            None if part == "ptr32" => config.ptr32 = true,
            None if part == "m0-bounds-lds" => config.m0_bounds_lds = true,
            None if part == "hide-lds-range" => config.hide_lds_range = true,
            Some(("shared-base", v)) => config.shared_base = Some(base(v)?),
            Some(("private-base", v)) => config.private_base = Some(base(v)?),
            Some(("align", v)) => {
                config.alignment = match v {
                    "dword" => AlignmentMode::Dword,
                    "dword-strict" => AlignmentMode::DwordStrict,
                    "strict" => AlignmentMode::Strict,
                    "unaligned" => AlignmentMode::Unaligned,
                    _ => {
                        return Err(format!(
                            "{v:?} is no alignment mode; they are dword, dword-strict, strict, \
                             unaligned"
                        ));
                    }
                }
            }
            _ => {
                return Err(format!(
                    "{part:?} is no setting; they are align=, ptr32, shared-base=, private-base=, \
                     m0-bounds-lds, hide-lds-range"
                ));
            }
        }
    }
    if let (Some(shared), Some(private)) = (config.shared_base, config.private_base)
        && shared == private
        && shared != 0
    {
        return Err(format!(
            "shared-base and private-base are both {shared:#x}; the apertures of LDS and scratch lie apart"
        ));
    }
    Ok(config)
}

fn parse_seconds(s: &str) -> Result<Duration, String> {
    s.parse::<f64>()
        .ok()
        .filter(|f| *f > 0.0)
        .and_then(|f| Duration::try_from_secs_f64(f).ok())
        .ok_or_else(|| "a number of seconds above zero, as in 2.5".to_owned())
}

/// `X[,Y[,Z]]`, each at least 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent(pub(crate) [u32; 3]);

impl FromStr for Extent {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        let mut out = [1; 3];
        for (i, part) in s.split(',').enumerate() {
            let n: u32 = part
                .trim()
                .parse()
                .map_err(|_| format!("{part:?} is no number; X[,Y[,Z]] as in 16 or 4,4"))?;
            if n == 0 {
                return Err("each extent is at least 1".to_owned());
            }
            *out.get_mut(i).ok_or("at most three extents, X,Y,Z")? = n;
        }
        Ok(Self(out))
    }
}

/// A kernel argument by its name or its place among the explicit ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Which {
    Index(usize),
    Name(String),
}

impl std::fmt::Display for Which {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Index(i) => i.fmt(f),
            Self::Name(n) => n.fmt(f),
        }
    }
}

impl Which {
    fn parse(s: &str) -> Option<Self> {
        if let Ok(i) = s.parse() {
            return Some(Self::Index(i));
        }
        is_name(s).then(|| Self::Name(s.to_owned()))
    }
}

fn is_name(s: &str) -> bool {
    let mut c = s.chars();
    c.next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && c.all(|c| c.is_alphanumeric() || "_.$".contains(c))
}

/// `[NAME=]VALUE`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NamedValue {
    pub(crate) name: Option<String>,
    pub(crate) value: ArgValue,
}

impl FromStr for NamedValue {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        match s.split_once('=') {
            Some((name, value)) if is_name(name) => Ok(Self {
                name: Some(name.to_owned()),
                value: value.parse()?,
            }),
            _ => Ok(Self {
                name: None,
                value: s.parse()?,
            }),
        }
    }
}

/// `[NAME|INDEX=]FILE`; without a name the last buffer that the kernel may write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Output {
    pub(crate) which: Option<Which>,
    pub(crate) file: PathBuf,
}

impl FromStr for Output {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        let (which, file) = match s.split_once('=') {
            Some((w, f)) if Which::parse(w).is_some() => (Which::parse(w), f),
            _ => (None, s),
        };
        if file.is_empty() {
            return Err("a file name is missing".to_owned());
        }
        Ok(Self {
            which,
            file: file.into(),
        })
    }
}

/// `NAME|INDEX[:COUNT]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Print {
    pub(crate) which: Which,
    pub(crate) count: Option<usize>,
}

impl FromStr for Print {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        let (which, count) = match s.split_once(':') {
            Some((w, c)) => {
                let c = c.parse().map_err(|_| format!("{c:?} is no count"))?;
                (w, Some(c))
            }
            None => (s, None),
        };
        let which = Which::parse(which)
            .ok_or_else(|| format!("{which:?} is neither an argument's name nor its index"))?;
        Ok(Self { which, count })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extents_fill_up_with_ones() {
        assert_eq!("16".parse(), Ok(Extent([16, 1, 1])));
        assert_eq!("16,2".parse(), Ok(Extent([16, 2, 1])));
        assert_eq!("1,2,3".parse(), Ok(Extent([1, 2, 3])));
        for bad in ["", "0", "1,2,3,4", "x", "1,", "-1", "99999999999"] {
            assert!(bad.parse::<Extent>().is_err(), "{bad}");
        }
    }

    #[test]
    fn exceptions_and_memory_settings_go_by_name() {
        assert_eq!(
            parse_exceptions("invalid,div0"),
            Ok(Exceptions::INVALID | Exceptions::DIVISION_BY_ZERO)
        );
        assert!(parse_exceptions("nan").is_err());
        let config = parse_memory_config("align=strict,ptr32,shared-base=0x10").unwrap();
        assert_eq!(config.alignment, AlignmentMode::Strict);
        assert_eq!((config.ptr32, config.shared_base), (true, Some(16)));
        assert_eq!((config.private_base, config.m0_bounds_lds), (None, false));
        for bad in ["align=8", "ptr64", "shared-base=0x12345", ""] {
            assert!(parse_memory_config(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_name_stands_before_the_first_equals_sign() {
        let named: NamedValue = "n=u32:4".parse().unwrap();
        assert_eq!(named.name.as_deref(), Some("n"));
        // A file name may have one too.
        let file: NamedValue = "@a=b.bin".parse().unwrap();
        assert_eq!(file.name, None);
    }

    #[test]
    fn outputs_and_prints_name_arguments_by_place_or_name() {
        let out: Output = "2=c.npy".parse().unwrap();
        assert_eq!(out.which, Some(Which::Index(2)));
        assert_eq!(out.file, PathBuf::from("c.npy"));
        let out: Output = "dst=c.bin".parse().unwrap();
        assert_eq!(out.which, Some(Which::Name("dst".to_owned())));
        let out: Output = "dir/c=1.npy".parse().unwrap();
        assert_eq!(out.which, None);
        assert!("2=".parse::<Output>().is_err());
        let print: Print = "dst:8".parse().unwrap();
        assert_eq!(
            (print.which, print.count),
            (Which::Name("dst".to_owned()), Some(8))
        );
        assert!("2:x".parse::<Print>().is_err());
        assert!("+".parse::<Print>().is_err());
    }
}
