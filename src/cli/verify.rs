//! `cvtlower verify FILE… --arch ARCH`: what the real ptxas says.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::time::Duration;

use cvtlower::reference::{Comparison, Tools, Wanted, compare};
use cvtlower::report::verify::{write_json, write_text};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rayon::prelude::*;

use super::args::{Verify, VerifyFormat};
use super::input::{Input, not_ptx};
use super::output::Output;
use super::{FAILED, ILLEGAL, bug, complain};

/// Compares the files.
pub fn run(arguments: &Verify) -> anyhow::Result<ExitCode> {
    let inputs = Input::all(&arguments.files)?;
    let tools = Tools::find(&Wanted { ptxas: arguments.ptxas.clone(), nvdisasm: arguments.nvdisasm.clone() })?;
    let mut out = Output::open(arguments.output.as_deref())?;
    let bar = bar(inputs.len());
    let done: Vec<Result<Comparison, String>> = inputs
        .par_iter()
        .map(|input| {
            let result = one(input, arguments, &tools);
            bar.inc(1);
            result
        })
        .collect();
    bar.finish_and_clear();
    let mut status = 0;
    let mut files = Vec::new();
    for result in done {
        match result {
            Ok(file) => {
                status = status.max(if file.agrees() { 0 } else { ILLEGAL });
                files.push(file);
            }
            Err(complaint) => {
                complain(&complaint);
                status = FAILED;
            }
        }
    }
    match arguments.format {
        VerifyFormat::Text => write_text(&files, &tools, &mut out)?,
        VerifyFormat::Json => write_json(&files, &tools, &mut out)?,
    }
    out.flush()?;
    out.finish()?;
    Ok(ExitCode::from(status))
}

/// A bar on a terminal, for more than a file.
fn bar(files: usize) -> ProgressBar {
    let shown = files > 1 && io::stderr().is_terminal();
    let target = if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} files, {eta} left");
    ProgressBar::with_draw_target(Some(files as u64), target)
        .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// Compares one file. What cannot be read is the user's fault, anything else is part of the report.
fn one(input: &Input, arguments: &Verify, tools: &Tools) -> Result<Comparison, String> {
    let name = input.name();
    let source = input.read()?;
    if let Some(finding) = not_ptx(&source) {
        return Ok(Comparison {
            path: name.into_owned(),
            arch: arguments.arch.map_or_else(String::new, |t| t.to_string()),
            failure: Some(finding.message),
            ..Comparison::default()
        });
    }
    let patience = Duration::from_secs(arguments.timeout);
    bug::caught(&name, || compare(&name, &source, arguments.arch, arguments.retarget, tools, patience))
}
