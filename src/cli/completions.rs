//! `cvtlower completions SHELL`

use std::io::{self, Write};
use std::process::ExitCode;

use clap::CommandFactory;

use super::args::{Arguments, Completions};

/// Prints the script.
pub fn run(arguments: &Completions) -> anyhow::Result<ExitCode> {
    // The generator panics when it cannot write, so it writes into memory.
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "cvtlower", &mut script);
    io::stdout().write_all(&script)?;
    Ok(ExitCode::SUCCESS)
}
