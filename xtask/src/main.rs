//! What maintainers run: `cargo xtask help` lists it.

mod asm_vectors;
/// How the `waveglass` crate links, without the crate.
#[expect(unreachable_pub, reason = "it is public in its own crate")]
#[path = "../../crates/waveglass/src/assembly.rs"]
mod assembly;
mod bench;
mod bench_asm;
mod bench_dis;
mod compare;
mod differs;
mod evidence;
mod example_vectors;
mod import;
mod llvm;
mod negatives;
mod rules;
mod sample;
mod semantics;
mod vectors;
mod worker;

use anyhow::{Result, bail};
use waveglass_isa::Target;

const HELP: &str = "\
cargo xtask import FACTS             derive crates/waveglass-isa/data from a folder of instruction facts
cargo xtask compare [TARGET|all] [SAMPLES-A-ROW] [SHOWN] [ENCODING]
                                     compare disassembly with LLVM 22's
cargo xtask compare-whole ...        the same with --true16=off: registers without halves
cargo xtask show TARGET[/WAVE] HEX...  both texts for an instruction's bytes
cargo xtask sweep [TARGET|all]        opcodes that only LLVM or only the table has
cargo xtask bench-asm [TARGET|all] [FILE...]
                                     time the assembler beside LLVM over compiler output, that of the
                                     test kernels where no files are named
cargo xtask bench-dis TARGET|all WAVEGLASS SOURCE...
                                     time that `waveglass dis` against llvm-objdump over compiler output,
                                     a large code object and a small one
cargo xtask bench-decode TARGET FILE time decode and print against LLVM over compiled code
cargo xtask evidence [--check]       write what the tests cover, for the reference's fidelity table
cargo xtask example-vectors [TARGET|all]
                                     ask LLVM about the examples of the reference's cards
cargo xtask rules                    write docs/memory-rules.md from the tests of the memory model
cargo xtask semantics [TARGET|all] [names]
                                     count the instructions that are executed and refused, by family
cargo xtask asm-vectors [TARGET|all]  ask LLVM's assembler about the golden vectors
cargo xtask negatives [TARGET|all] [SHOWN]
                                     texts with one thing wrong, where LLVM and Waveglass answer otherwise
cargo xtask negative-vectors [TARGET|all]
                                     the same, written to crates/waveglass-asm/tests
cargo xtask vectors [TARGET|all]      write the golden vectors of crates/waveglass-asm/tests
";

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args
        .iter()
        .map(String::as_str)
        .collect::<Vec<_>>()
        .as_slice()
    {
        ["import", facts] => import::run(facts.as_ref()),
        [command @ ("compare" | "compare-whole"), rest @ ..] => {
            let targets: Vec<Target> = match rest.first() {
                None | Some(&"all") => Target::ALL.to_vec(),
                Some(t) => t.split(',').map(str::parse).collect::<Result<_, _>>()?,
            };
            let number = |i: usize, default| rest.get(i).map_or(Ok(default), |s| s.parse());
            compare::run(
                &targets,
                &compare::Options {
                    count: number(1, 8)?,
                    show: number(2, 20)? as usize,
                    family: rest.get(3).unwrap_or(&""),
                    true16: *command == "compare",
                },
            )
        }
        ["sweep", list @ ..] => {
            let targets: Vec<Target> = match list.first() {
                None | Some(&"all") => Target::ALL.to_vec(),
                Some(t) => t.split(',').map(str::parse).collect::<Result<_, _>>()?,
            };
            compare::sweep(&targets)
        }
        ["show", target, hex @ ..] => {
            let (target, wave) = target.split_once('/').unwrap_or((target, ""));
            let target: Target = target.parse()?;
            let wave = wave.parse().unwrap_or(target.default_wave_size());
            compare::show(target, wave, hex)
        }
        ["bench-asm", rest @ ..] => {
            let targets: Vec<Target> = match rest.first() {
                // Those that the test kernels are compiled for.
                None | Some(&"all") => Target::ALL
                    .iter()
                    .filter(|t| !matches!(t, Target::Gfx1200 | Target::Gfx1251))
                    .copied()
                    .collect(),
                Some(t) => t.split(',').map(str::parse).collect::<Result<_, _>>()?,
            };
            bench_asm::run(&targets, rest.get(1..).unwrap_or(&[]))
        }
        ["bench-dis", target, waveglass, files @ ..] => {
            let targets: Vec<Target> = match *target {
                "all" => Target::ALL.to_vec(),
                list => list.split(',').map(str::parse).collect::<Result<_, _>>()?,
            };
            bench_dis::run(&targets, waveglass, files)
        }
        ["rules"] => rules::run(),
        ["example-vectors", list @ ..] => {
            let targets: Vec<Target> = match list.first() {
                None | Some(&"all") => Target::ALL.to_vec(),
                Some(t) => t.split(',').map(str::parse).collect::<Result<_, _>>()?,
            };
            example_vectors::run(&targets)
        }
        ["evidence"] => evidence::run(false),
        ["evidence", "--check"] => evidence::run(true),
        ["bench-decode", target, file] => bench::run(target.parse()?, file),
        ["semantics", rest @ ..] => {
            let targets: Vec<Target> = match rest.first() {
                None | Some(&"all") => Target::ALL.to_vec(),
                Some(t) => t.split(',').map(str::parse).collect::<Result<_, _>>()?,
            };
            semantics::run(&targets, rest.get(1) == Some(&"names"))
        }
        ["asm-vectors", list @ ..] => {
            let targets: Vec<Target> = match list.first() {
                None | Some(&"all") => Target::ALL.to_vec(),
                Some(t) => t.split(',').map(str::parse).collect::<Result<_, _>>()?,
            };
            asm_vectors::run(&targets)
        }
        [command @ ("negatives" | "negative-vectors"), rest @ ..] => {
            let targets: Vec<Target> = match rest.first() {
                None | Some(&"all") => Target::ALL.to_vec(),
                Some(t) => t.split(',').map(str::parse).collect::<Result<_, _>>()?,
            };
            let shown = rest.get(1).map_or(Ok(3), |s| s.parse())?;
            negatives::run(&targets, shown, *command == "negative-vectors")
        }
        ["vectors", list @ ..] => {
            let targets: Vec<Target> = match list.first() {
                None | Some(&"all") => Target::ALL.to_vec(),
                Some(t) => t.split(',').map(str::parse).collect::<Result<_, _>>()?,
            };
            vectors::run(&targets)
        }
        ["llvm-worker", cpu, features] => worker::serve(cpu, features),
        ["help"] | [] => {
            print!("{HELP}");
            Ok(())
        }
        other => bail!("unknown command {other:?}\n{HELP}"),
    }
}
