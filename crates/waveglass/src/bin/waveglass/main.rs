//! The `waveglass` command: arguments, output and exit statuses around the library.

mod access;
mod asm;
mod cli;
mod decode;
mod demo;
mod descriptor;
mod dis;
mod explain;
mod failure;
mod fidelity;
mod output;
mod run;
mod serve;
mod site;
mod targets;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use cli::{Cli, Command};
use failure::Failure;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(e) => {
            // Help and version are no errors; bad usage is 1 here, where clap has 2.
            let status = u8::from(e.use_stderr());
            let _ = e.print();
            return ExitCode::from(status);
        }
    };
    match dispatch(cli.command) {
        Ok(()) => ExitCode::SUCCESS,
        // A reader that has seen enough is no error.
        Err(e) if e.is_broken_pipe() => ExitCode::SUCCESS,
        Err(e) => {
            use owo_colors::OwoColorize as _;
            anstream::eprintln!("{} {:#}", "error:".red().bold(), e.error);
            ExitCode::from(e.status)
        }
    }
}

fn dispatch(command: Command) -> Result<(), Failure> {
    match command {
        Command::Demo(args) => demo::main(&args),
        Command::Run(args) => run::main(*args),
        Command::Dis(args) => dis::main(&args),
        Command::Asm(args) => asm::main(&args),
        Command::Decode(args) => decode::main(&args),
        Command::Access(args) => access::main(&args),
        Command::Descriptor(args) => descriptor::main(&args),
        Command::Explain(args) => explain::explain(&args),
        Command::Compare(args) => explain::compare(&args),
        Command::Search(args) => explain::search(&args),
        Command::Fidelity(args) => fidelity::main(&args),
        Command::Site(args) => site::main(&args),
        Command::Serve(args) => serve::main(&args),
        Command::Targets(args) => targets::main(&args),
        Command::Completions { shell } => {
            let mut text = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "waveglass", &mut text);
            output::write(&String::from_utf8_lossy(&text))
        }
    }
}
