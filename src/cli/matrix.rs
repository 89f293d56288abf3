//! `cvtlower matrix`: every form on the targets asked for.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::{ArgAction, Args, ValueEnum};
use cvtlower::matrix::pattern::Pattern;
use cvtlower::matrix::{Matrix, Surroundings, Wanted};
use cvtlower::report::matrix::{csv, html, json, markdown};
use cvtlower::target::Target;

use super::arch::{self, Arch};
use super::output::Output;
use super::{ILLEGAL, complain};

const EXAMPLES: &str = "\
Without --all a form is printed when one of the targets takes it. A PATTERN with * or ? is a
glob for the whole opcode (\"*.bf16.*\"); without, it is dotted parts in a row (\"rn.bf16\" or
cvt.rn, which is not cvt.rni). The SASS is that of a kernel, with the ABI's registers.

Examples:
  cvtlower matrix --arch sm_89 --filter bf16
  cvtlower matrix --arch sm_86,sm_100a --filter '*.e4m3x2.*' --format csv
  cvtlower matrix --format html -o matrix.html     a page to look at, all targets

Status: 0 printed, 1 no form matches, 2 usage or a file.";

/// The arguments of `cvtlower matrix`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, override_usage = "cvtlower matrix --arch ARCH[,ARCH…] [OPTIONS]")]
pub struct Arguments {
    /// Targets, side by side with differences marked, or all (the default of html)
    #[arg(long, value_name = "ARCH[,ARCH…]", value_delimiter = ',')]
    pub arch: Vec<Arch>,
    /// Only forms like this; given several times, those like all of them
    #[arg(long, value_name = "PATTERN")]
    pub filter: Vec<String>,
    /// Also the forms that are legal on none of the targets, and why
    #[arg(long)]
    pub all: bool,
    /// md (default), csv, json or html
    #[arg(long, value_enum, hide_possible_values = true, hide_default_value = true, value_name = "FMT", default_value_t = Format::Md)]
    pub format: Format,
    /// registers (default), all bits wanted and nothing known; or memory, from loads to stores
    #[arg(long, value_enum, hide_possible_values = true, hide_default_value = true, value_name = "CTX", default_value_t = Around::Registers)]
    pub context: Around,
    /// Write to FILE, whole or not at all
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Print this help
    #[arg(short, long, action = ArgAction::HelpShort)]
    pub help: Option<bool>,
}

/// `--format`
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A Markdown table
    Md,
    /// Comma-separated values
    Csv,
    /// One JSON document
    Json,
    /// A page to look at
    Html,
}

/// `--context`
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Around {
    /// All bits of integers are wanted and nothing is known of them
    Registers,
    /// From typed loads to typed stores
    Memory,
}

/// Prints the matrix.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let mut targets = arch::targets(&arguments.arch);
    if targets.is_empty() {
        anyhow::ensure!(arguments.format == Format::Html, "which targets? --arch sm_89, or --arch all");
        targets = Target::all().collect();
    }
    let wanted = Wanted {
        targets,
        patterns: arguments.filter.iter().map(|text| Pattern::new(text)).collect(),
        // The page says of every combination why it is illegal.
        illegal: arguments.all || arguments.format == Format::Html,
        surroundings: match arguments.context {
            Around::Registers => Surroundings::Registers,
            Around::Memory => Surroundings::Memory,
        },
    };
    let mut out = Output::open(arguments.output.as_deref())?;
    let matrix = Matrix::new(&wanted);
    if matrix.rows.is_empty() {
        complain(&nothing(&matrix, arguments));
        return Ok(ExitCode::from(ILLEGAL));
    }
    let written = match arguments.format {
        Format::Md => markdown::write(&matrix, &mut out),
        Format::Csv => csv::write(&matrix, &mut out),
        Format::Json => json::write(&matrix, &mut out),
        Format::Html => html::write(&matrix, &mut out),
    };
    written.context("cannot write the output")?;
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}

/// Why nothing is printed.
fn nothing(matrix: &Matrix, arguments: &Arguments) -> String {
    let patterns: Vec<String> = arguments.filter.iter().map(|pattern| format!("'{pattern}'")).collect();
    let patterns = patterns.join(" and ");
    match matrix.asked {
        0 => format!("no form is like {patterns}"),
        _ => format!("no form like {patterns} is legal there; --all says why"),
    }
}
