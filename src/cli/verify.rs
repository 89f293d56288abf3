//! stub
use super::args::Verify;
use std::process::ExitCode;
pub fn run(_: &Verify) -> anyhow::Result<ExitCode> {
    Ok(ExitCode::SUCCESS)
}
