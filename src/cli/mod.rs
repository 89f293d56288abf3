//! The command line: one file a subcommand, and what they share.

mod arch;
mod args;
mod bug;
mod completions;
mod explain;
mod input;
mod lower;
mod man;
mod matrix;
mod output;
mod threads;
mod verify;

use std::ffi::OsStr;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;

use args::{Arguments, Command};

/// Something in the input is illegal or does not parse.
const ILLEGAL: u8 = 1;

/// Usage, or a file that cannot be read or written.
const FAILED: u8 = 2;

/// Runs what the arguments ask for.
pub fn run() -> anyhow::Result<ExitCode> {
    bug::quiet_panics();
    let arguments = Arguments::parse();
    match arguments.command {
        Some(Command::Matrix(ref matrix)) => matrix::run(matrix),
        Some(Command::Explain(ref explain)) => explain::run(explain),
        Some(Command::Verify(ref verify)) => verify::run(verify),
        Some(Command::Completions(ref completions)) => completions::run(completions),
        Some(Command::Man) => man::run(),
        None => lower::run(&arguments.lower),
    }
}

/// Says what went wrong; a reader that closed the pipe wants to hear nothing.
pub fn failure(error: &anyhow::Error) -> ExitCode {
    let closed = |cause: &(dyn std::error::Error + 'static)| {
        cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    };
    if error.chain().any(closed) {
        return ExitCode::SUCCESS;
    }
    complain(input::without_number(&format!("{error:#}")));
    ExitCode::from(FAILED)
}

/// An error that is about no place in a file. Standard error may be closed: then there is nobody to tell.
fn complain(message: &str) {
    let _ = writeln!(io::stderr(), "error: {message}");
}

/// Whether an environment variable is set to anything but nothing, as NO_COLOR wants it.
fn is_set(variable: &str) -> bool {
    std::env::var_os(variable).is_some_and(|value| value != OsStr::new(""))
}
