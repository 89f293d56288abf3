//! Arguments in, exit status out.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run().unwrap_or_else(|error| cli::failure(&error))
}
