//! `waveglass run`: `args` has the grammar of the command line, `value` that of kernel arguments,
//! `array` the contents of buffers and the .npy format, `execute` the place where a kernel runs.

mod args;
mod array;
mod execute;
mod progress;
mod report;
mod trap_handler;
mod value;

pub(crate) use args::{RunArgs, parse_memory_config};
pub(crate) use array::Array;
pub(crate) use report::Statistics;

use crate::failure::Failure;
use crate::output;

pub(crate) fn main(args: RunArgs) -> Result<(), Failure> {
    let json = args.json;
    let (report, failure) = execute::execute(args.into_request()?)?;
    if json {
        output::write_json(&report)?;
    } else {
        output::write(&report.text())?;
    }
    failure.map_or(Ok(()), Err)
}
