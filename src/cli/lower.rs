//! `cvtlower [OPTIONS] [FILE]...`: what the program is for.

use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use cvtlower::diagnostic::{Diagnostic, Severity};
use cvtlower::ptx::lines::LineIndex;
use cvtlower::report::diagnostics::{self, Findings};
use cvtlower::report::json::Json;
use cvtlower::report::listing::Listing;
use cvtlower::report::summary::Summary;
use cvtlower::report::table::Table;
use cvtlower::report::{Format, Unit};
use cvtlower::target::Target;
use cvtlower::translate::{Options, Translation, translate};
use rayon::prelude::*;
use serde_sarif::sarif;

use super::args::{self, Color, Lower};
use super::input::{Input, not_ptx};
use super::output::Output;
use super::{FAILED, ILLEGAL, arch, bug, complain, is_set, threads};

/// The exit status that a panic has in every Rust program.
const BUG: u8 = 101;

/// How findings are shown.
#[derive(Debug, Clone, Copy)]
enum Style {
    Fancy { color: bool },
    Plain,
    Ptxas,
    Github,
    Sarif,
}

/// What is the same for all files.
struct Job {
    /// `None` is the file's `.target`; never empty.
    archs: Vec<Option<Target>>,
    options: Options,
    style: Style,
}

/// What came of one file.
struct Done<P> {
    /// What to print, for each target.
    parts: Vec<(Target, P)>,
    /// The findings, rendered.
    findings: Vec<u8>,
    /// The findings as parts of one document.
    results: Vec<sarif::Result>,
    /// What is wrong with the file as such.
    complaint: Option<String>,
    /// Why its text, printed already, could not be written.
    unwritten: Option<io::Error>,
    status: u8,
}

/// Why a file has no result.
enum Stop {
    /// What is wrong with it.
    Complaint(String),
    /// The output could not be written.
    Unwritten(io::Error),
}

impl<P> Done<P> {
    fn failed(status: u8, complaint: String) -> Self {
        let complaint = Some(complaint);
        Self { parts: Vec::new(), findings: Vec::new(), results: Vec::new(), complaint, unwritten: None, status }
    }
}

/// Lowers the files.
pub fn run(arguments: &Lower) -> anyhow::Result<ExitCode> {
    let inputs = Input::all(&arguments.files)?;
    if let Some(output) = arguments.output.as_deref()
        && let Ok(place) = output.canonicalize()
        && arguments.files.iter().any(|file| file.canonicalize().is_ok_and(|file| file == place))
    {
        anyhow::bail!("'{}' is an input: choose another name for the output", output.display());
    }
    let targets = arch::targets(&arguments.arch);
    let archs: Vec<Option<Target>> =
        if targets.is_empty() { vec![None] } else { targets.into_iter().map(Some).collect() };
    let headed = inputs.len() > 1 || archs.len() > 1;
    let options = Options { arch: None, retarget: arguments.retarget, context: arguments.context.into() };
    let job = Job { archs, options, style: style(arguments) };
    let output = arguments.output.as_deref();
    let status = match arguments.format {
        _ if arguments.summary => all(&inputs, &job, Summary::new(arguments.retarget), output)?,
        args::Format::Sass => all(&inputs, &job, Listing::new(arguments.explain, headed), output)?,
        args::Format::Table => all(&inputs, &job, table(arguments, inputs.len() > 1), output)?,
        args::Format::Json => all(&inputs, &job, Json::new(arguments.explain), output)?,
    };
    Ok(ExitCode::from(status))
}

/// Whether to colour what goes to a stream.
fn color(arguments: &Lower, terminal: bool) -> bool {
    match arguments.color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => terminal && !is_set("NO_COLOR") && std::env::var_os("TERM").is_none_or(|term| term != "dumb"),
    }
}

/// The style asked for, or the one that fits where the findings go.
fn style(arguments: &Lower) -> Style {
    let terminal = io::stderr().is_terminal();
    let color = color(arguments, terminal);
    match arguments.diagnostics {
        Some(args::Diagnostics::Fancy) => Style::Fancy { color },
        Some(args::Diagnostics::Plain) => Style::Plain,
        Some(args::Diagnostics::Ptxas) => Style::Ptxas,
        Some(args::Diagnostics::Github) => Style::Github,
        Some(args::Diagnostics::Sarif) => Style::Sarif,
        None if terminal => Style::Fancy { color },
        None => Style::Plain,
    }
}

/// A table that fits the terminal, where there is one.
fn table(arguments: &Lower, headed: bool) -> Table {
    let terminal = arguments.output.as_deref().is_none_or(|path| path == Path::new("-")) && io::stdout().is_terminal();
    let columns = || std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let measured = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    let width = if terminal { columns().or_else(measured) } else { None };
    Table::new(width, color(arguments, terminal), headed)
}

/// Lowers all inputs and prints them in their order.
fn all<F: Format>(inputs: &[Input], job: &Job, mut format: F, output: Option<&Path>) -> anyhow::Result<u8> {
    // Opened first: a place that cannot be written is told before the work and not after it.
    let mut out = Output::open(output)?;
    let mut findings = Vec::new();
    let mut results = Vec::new();
    let mut complaints = Vec::new();
    let mut status = 0;
    let mut printed = false;
    let write_failed = || "cannot write the output";
    // Batches keep what is in flight small however many files there are. One file needs no threads.
    let batch = if inputs.len() > 1 {
        threads::start();
        8 * rayon::current_num_threads()
    } else {
        1
    };
    for batch in inputs.chunks(batch) {
        let done: Vec<_> = match batch {
            // the only one is printed as it goes
            [input] if inputs.len() == 1 => vec![file(input, job, &format, Some(&mut out))],
            several => several.par_iter().map(|input| file(input, job, &format, None)).collect(),
        };
        for done in done {
            if let Some(error) = done.unwritten {
                return Err(error).with_context(write_failed);
            }
            for (arch, part) in done.parts {
                format.put(arch, part, &mut out).with_context(write_failed)?;
                printed = true;
            }
            findings.extend_from_slice(&done.findings);
            results.extend(done.results);
            match done.complaint {
                Some(complaint) if matches!(job.style, Style::Sarif) => complaints.push(complaint),
                Some(complaint) => findings.extend_from_slice(format!("error: {complaint}\n").as_bytes()),
                None => {}
            }
            status = status.max(done.status);
        }
    }
    if printed {
        format.finish(&mut out).with_context(write_failed)?;
    }
    // A file that misses an input is not whole, so it is left as it was; a stream has had its text already.
    let whole = status < FAILED || !matches!(out, Output::Whole(..));
    let finished = if whole { out.finish() } else { Ok(()) };
    if matches!(job.style, Style::Sarif) {
        // What is said besides would spoil the document.
        if let (false, Some(path)) = (whole, output) {
            complaints.push(format!("'{}' is not written", path.display()));
        }
        diagnostics::sarif::write(results, &complaints, status, &mut findings).expect("memory can be written");
    }
    // Findings come last, where they are seen on a terminal. There is nobody to tell when they cannot be written.
    let _ = io::stderr().write_all(&findings);
    finished?;
    if let (false, Some(path), false) = (whole, output, matches!(job.style, Style::Sarif)) {
        complain(&format!("'{}' is not written", path.display()));
    }
    Ok(status)
}

/// Where the only file is printed to.
type Direct<'o> = Option<&'o mut dyn Write>;

/// Lowers one file for all targets; never panics.
fn file<F: Format>(input: &Input, job: &Job, format: &F, out: Direct<'_>) -> Done<F::Part> {
    let name = input.name();
    bug::caught(&name, || match input.read() {
        Ok(source) => source_text(&name, &source, job, format, out),
        Err(complaint) => Done::failed(FAILED, complaint),
    })
    .unwrap_or_else(|complaint| Done::failed(BUG, complaint))
}

/// Lowers a text.
fn source_text<F: Format>(path: &str, source: &[u8], job: &Job, format: &F, out: Direct<'_>) -> Done<F::Part> {
    let not_ptx = not_ptx(source);
    let translated = |arch: &Option<Target>| translated(path, source, *arch, not_ptx.as_ref(), job);
    let lines;
    let results: Result<Vec<_>, Stop> = match job.archs.as_slice() {
        [arch] => {
            let translation;
            if source.len() < threads::WORTH {
                lines = LineIndex::new(source);
                translation = translated(arch);
            } else {
                threads::start();
                (translation, lines) = rayon::join(|| translated(arch), || LineIndex::new(source));
            }
            translation.and_then(|translation| Ok(vec![printed(path, *arch, translation, &lines, format, out)?]))
        }
        several => {
            threads::start();
            lines = LineIndex::new(source);
            several.par_iter().map(|arch| printed(path, *arch, translated(arch)?, &lines, format, None)).collect()
        }
    };
    let results = match results {
        Ok(results) => results,
        Err(Stop::Complaint(complaint)) => return Done::failed(FAILED, complaint),
        Err(Stop::Unwritten(error)) => return Done { unwritten: Some(error), ..Done::failed(FAILED, String::new()) },
    };
    let mut parts = Vec::new();
    let mut found = Vec::new();
    for (arch, part, diagnostics) in results {
        parts.extend(part.map(|part| (arch, part)));
        found.push((arch, diagnostics));
    }
    let findings = Findings { path, source, lines: &lines, findings: diagnostics::merge(found) };
    let illegal = findings.findings.iter().any(|finding| finding.diagnostic.severity == Severity::Error);
    let mut text = Vec::new();
    let mut results = Vec::new();
    let written = match job.style {
        Style::Fancy { color } => diagnostics::fancy::write(&findings, color, &mut text),
        Style::Plain => diagnostics::plain::write(&findings, &mut text),
        Style::Ptxas => diagnostics::ptxas::write(&findings, &mut text),
        Style::Github => diagnostics::github::write(&findings, &mut text),
        Style::Sarif => {
            results = diagnostics::sarif::results(&findings);
            Ok(())
        }
    };
    written.expect("memory can be written");
    let status = if illegal { ILLEGAL } else { 0 };
    Done { parts, findings: text, results, complaint: None, unwritten: None, status }
}

/// What one file gives for one target: its part, if there is a target at all, and its findings.
type ForTarget<P> = (Target, Option<P>, Vec<Diagnostic>);

/// Translates a text for one target.
fn translated<'s>(
    path: &str,
    source: &'s [u8],
    arch: Option<Target>,
    not_ptx: Option<&Diagnostic>,
    job: &Job,
) -> Result<Translation<'s>, Stop> {
    let text = if not_ptx.is_some() { b"".as_slice() } else { source };
    let mut translation = translate(text, &Options { arch, ..job.options });
    if let Some(diagnostic) = not_ptx {
        translation.functions.clear();
        translation.diagnostics = vec![diagnostic.clone()];
    } else if arch.is_none() && translation.module.target.is_none() {
        let complaint = format!("'{path}' has no .target, so the architecture has to be given: --arch sm_89");
        return Err(Stop::Complaint(complaint));
    }
    Ok(translation)
}

/// Prints what was translated, at once if there is a place for it.
fn printed<F: Format>(
    path: &str,
    arch: Option<Target>,
    translation: Translation<'_>,
    lines: &LineIndex<'_>,
    format: &F,
    out: Direct<'_>,
) -> Result<ForTarget<F::Part>, Stop> {
    let mut part = None;
    if arch.is_some() || translation.module.target.is_some() {
        let unit = Unit { path, translation: &translation, lines };
        let done = match out {
            Some(out) => format.print(&unit, out).map_err(Stop::Unwritten)?,
            None => false,
        };
        if !done {
            let failed = |error| Stop::Complaint(format!("cannot print '{path}': {error}"));
            part = Some(format.part(&unit).map_err(failed)?);
        }
    }
    Ok((translation.arch, part, translation.diagnostics))
}
