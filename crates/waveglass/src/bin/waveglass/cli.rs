//! The command line's grammar.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use waveglass::asm::PrintOptions;
use waveglass::isa::Target;

use crate::access::AccessArgs;
use crate::descriptor::DescriptorArgs;
use crate::explain::{CompareArgs, ExplainArgs, SearchArgs};
use crate::fidelity::FidelityArgs;
use crate::run::RunArgs;
use crate::serve::ServeArgs;
use crate::site::SiteArgs;

/// Run, check and explain AMD GPU machine code on any CPU.
#[derive(Debug, Parser)]
#[command(
    version,
    after_help = "Exit status: 0 done, 1 bad input or usage, 2 a memory violation or a finding,\n3 an instruction that Waveglass refuses, 4 a limit reached."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run an embedded kernel on an embedded input, and say what to try next.
    #[command(after_help = "Example:\n  waveglass demo --target gfx1100")]
    Demo(DemoArgs),
    /// Run a kernel.
    Run(Box<RunArgs>),
    /// Disassemble a code object, a fat binary or raw code.
    Dis(DisArgs),
    /// Assemble a source to a code object.
    Asm(AsmArgs),
    /// Show every bit field of one instruction.
    Decode(DecodeArgs),
    /// Show what one memory instruction does, lane by lane, on a given state.
    Access(AccessArgs),
    /// Explain a buffer resource descriptor (V#), or make one from its fields.
    Descriptor(DescriptorArgs),
    /// Explain an instruction, an encoding, a field, a counter, a register or a format.
    Explain(ExplainArgs),
    /// Set the encodings of an instruction on several targets, or of two instructions, side by side.
    Compare(CompareArgs),
    /// Find instructions by what they do.
    Search(SearchArgs),
    /// Say what Waveglass can do with each instruction, and by which evidence.
    Fidelity(FidelityArgs),
    /// Write the instruction reference as a site of static pages.
    Site(SiteArgs),
    /// Serve the reference on this machine, with a page that decodes and shows accesses.
    Serve(ServeArgs),
    /// List the targets.
    Targets(TargetsArgs),
    /// Print a shell's completion script.
    #[command(after_help = "Example:\n  waveglass completions bash > waveglass.bash")]
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
}

/// On or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Switch {
    On,
    Off,
}

impl Switch {
    pub(crate) fn print_options(self) -> PrintOptions {
        PrintOptions {
            true16: self == Self::On,
        }
    }
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  echo '02 05 06 02' | waveglass dis - --hex --target gfx900\n  waveglass dis tests/kernels/built/linear.O3.hipfb --target gfx90a --kernel saxpy"
)]
pub(crate) struct DisArgs {
    /// A code object, fat binary or raw code; `-` is the standard input.
    pub(crate) file: PathBuf,
    /// The target; needed for raw code, picks one from a fat binary.
    #[arg(long, value_parser = parse_target)]
    pub(crate) target: Option<Target>,
    /// Only this kernel or function.
    #[arg(long, value_name = "NAME", conflicts_with = "hex")]
    pub(crate) kernel: Option<String>,
    /// Read one instruction a line, bytes in hexadecimal; print a line for each, or `invalid`.
    #[arg(long, requires = "target")]
    pub(crate) hex: bool,
    /// Lanes of a wave.
    #[arg(long, value_name = "LANES", value_parser = parse_wave_size)]
    pub(crate) wavesize: Option<u32>,
    /// Name the halves of registers in 16-bit operands (gfx11 and later).
    #[arg(long, value_name = "on|off", default_value = "on")]
    pub(crate) true16: Switch,
    /// Print a source that assembles to the same code, descriptors and metadata.
    #[arg(long, conflicts_with_all = ["hex", "kernel", "json"])]
    pub(crate) asm: bool,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  waveglass dis tests/kernels/built/linear.O3.gfx90a.hsaco --asm > linear.s\n  \
                  waveglass asm linear.s -o linear.hsaco\n  \
                  echo 'v_add_f32 v1, v2, v3' | waveglass asm - --target gfx900 --hex"
)]
pub(crate) struct AsmArgs {
    /// The source; `-` is the standard input.
    pub(crate) file: PathBuf,
    /// The target; the source's `.amdgcn_target` where none is given.
    #[arg(long, value_parser = parse_target)]
    pub(crate) target: Option<Target>,
    /// Where the code object goes; with neither this nor `--hex` the source is only checked.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Print the bytes of each instruction in hexadecimal, a line for each.
    #[arg(long)]
    pub(crate) hex: bool,
    /// Read one instruction a line; answer each with its bytes, or `error: …`.
    #[arg(long, requires = "target", conflicts_with_all = ["output", "hex"])]
    pub(crate) each_line: bool,
    /// Where `.include` and `.incbin` look for files, besides the working directory.
    #[arg(short = 'I', long = "include", value_name = "DIRECTORY")]
    pub(crate) include: Vec<PathBuf>,
    /// Lanes of a wave.
    #[arg(long, value_name = "LANES", value_parser = parse_wave_size)]
    pub(crate) wavesize: Option<u32>,
    /// Print the findings as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  waveglass decode 02050602 --target gfx900")]
pub(crate) struct DecodeArgs {
    /// The instruction's bytes in hexadecimal, in the order of memory.
    #[arg(required = true, value_name = "HEX")]
    pub(crate) hex: Vec<String>,
    /// The target.
    #[arg(long, value_parser = parse_target)]
    pub(crate) target: Target,
    /// Lanes of a wave.
    #[arg(long, value_name = "LANES", value_parser = parse_wave_size)]
    pub(crate) wavesize: Option<u32>,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  waveglass targets --json")]
pub(crate) struct TargetsArgs {
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn parse_target(s: &str) -> Result<Target, String> {
    // Features do not change the instruction set.
    let name = s.split(':').next().unwrap_or(s);
    name.parse().map_err(|_| {
        let all: Vec<&str> = Target::ALL.iter().map(|t| t.name()).collect();
        format!("the targets are {}", all.join(", "))
    })
}

pub(crate) fn parse_wave_size(s: &str) -> Result<u32, String> {
    match s {
        "32" => Ok(32),
        "64" => Ok(64),
        _ => Err("waves have 32 or 64 lanes".to_owned()),
    }
}

/// Refuses a wave size that the target does not have.
pub(crate) fn check_wave_size(target: Target, lanes: Option<u32>) -> anyhow::Result<()> {
    match lanes {
        Some(32) if !target.has_wave32() => {
            anyhow::bail!("{target} has no waves of 32 lanes; leave --wavesize out")
        }
        Some(64) if !target.has_wave64() => {
            anyhow::bail!("{target} has no waves of 64 lanes; leave --wavesize out")
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_grammar_has_no_contradictions() {
        Cli::command().debug_assert();
    }
}

#[derive(clap::Args, Debug)]
pub(crate) struct DemoArgs {
    /// The GPU whose code is run.
    #[arg(long, default_value = "gfx90a", value_name = "TARGET")]
    pub(crate) target: Target,
}
