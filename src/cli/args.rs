//! The arguments.

use std::path::PathBuf;
use std::sync::LazyLock;

use clap::builder::Styles;
use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};
use cvtlower::target::Target;
use cvtlower::translate::{self, REFERENCE};

use super::arch::Arch;

static VERSION: LazyLock<String> = LazyLock::new(|| format!("{} (reference {REFERENCE})", env!("CARGO_PKG_VERSION")));

const TEMPLATE: &str = "\
{about}

{usage-heading} {usage}

{all-args}{after-help}";

const EXAMPLES: &str = "\
Examples:
  cvtlower kernel.ptx --arch sm_89                 what nvdisasm -c -gp would show
  echo 'cvt.rzi.s32.f32 r1, f1;' | cvtlower --arch sm_75,sm_100
  cvtlower --format json -o kernel.json kernel.ptx

Status: 0 all lowered, 1 something in the input is illegal, 2 usage or a file.";

/// Print the SASS that ptxas makes of each PTX cvt, without a CUDA toolkit.
#[derive(Debug, Parser)]
#[command(name = "cvtlower", version = VERSION.as_str(), help_template = TEMPLATE, after_help = EXAMPLES)]
#[command(override_usage = "cvtlower [OPTIONS] [FILE]...\n       cvtlower <COMMAND>")]
#[command(
    args_conflicts_with_subcommands = true,
    disable_help_subcommand = true,
    disable_help_flag = true,
    max_term_width = 100
)]
#[command(styles = Styles::plain())]
pub struct Arguments {
    /// What else to do.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// The arguments of lowering.
    #[command(flatten)]
    pub lower: Lower,
}

/// The subcommands. A file of the same name can be given as `./completions`.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Print every form on the targets asked for: since when it is legal, its SASS, its rule
    Matrix(super::matrix::Arguments),
    /// Tell about a rule, a form of cvt, a SASS opcode or a finding's code
    Explain(Explain),
    /// Compare with a real ptxas, statement by statement
    Verify(Verify),
    /// Print a completion script for a shell
    #[command(hide = true)]
    Completions(Completions),
    /// Print the manual page
    #[command(hide = true)]
    Man,
}

/// The arguments of `cvtlower completions`.
#[derive(Debug, Args)]
pub struct Completions {
    /// The shell
    pub shell: clap_complete::Shell,
    /// Print this help
    #[arg(short, long, action = ArgAction::HelpShort)]
    pub help: Option<bool>,
}

/// The arguments of `cvtlower explain`.
#[derive(Debug, Args)]
pub struct Explain {
    /// A rule (1 to 7 or its name), cvt.rn.f16.f32, F2FP, e4m3x2, cvt::rounding_illegal; none lists them
    pub topic: Vec<String>,
    /// Print this help
    #[arg(short, long, action = ArgAction::HelpShort)]
    pub help: Option<bool>,
}

/// The arguments of `cvtlower verify`.
#[derive(Debug, Args)]
#[command(after_help = VERIFY)]
pub struct Verify {
    /// PTX modules; `-` is standard input
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// The target; default: each file's .target
    #[arg(long, value_name = "ARCH", value_parser = |name: &str| Target::parse(name).map_err(|unknown| unknown.to_string()))]
    pub arch: Option<Target>,
    /// Judge the files as if their .target were ARCH
    #[arg(long, requires = "arch")]
    pub retarget: bool,
    /// The ptxas to run
    #[arg(long, value_name = "PATH")]
    pub ptxas: Option<PathBuf>,
    /// The nvdisasm to run
    #[arg(long, value_name = "PATH")]
    pub nvdisasm: Option<PathBuf>,
    /// text (default) or json
    #[arg(long, value_enum, hide_possible_values = true, hide_default_value = true, value_name = "FMT", default_value_t = VerifyFormat::Text)]
    pub format: VerifyFormat,
    /// Seconds that each tool may take for a file
    #[arg(long, value_name = "S", default_value_t = 60)]
    pub timeout: u64,
    /// Write to FILE, whole or not at all
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Print this help
    #[arg(short, long, action = ArgAction::HelpShort)]
    pub help: Option<bool>,
}

/// `--format` of `cvtlower verify`
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum VerifyFormat {
    /// For people
    Text,
    /// One JSON document
    Json,
}

const VERIFY: &str = "\
The tools are looked for in this order: --ptxas and --nvdisasm; the variables CVTLOWER_PTXAS and
CVTLOWER_NVDISASM; PATH; bin in CUDA_HOME and CUDA_PATH; the packages nvidia-cuda-nvcc and
nvidia-cuda-nvdisasm of the python3 on the PATH.

Status: 0 all agree, 1 something differs, 2 usage, a file, or no tools.";

/// The arguments of lowering files.
#[derive(Debug, Args)]
pub struct Lower {
    /// PTX modules or bare statements; `-` or none is standard input
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Targets, or all; default: the file's .target
    #[arg(long, value_name = "ARCH[,ARCH…]", value_delimiter = ',')]
    pub arch: Vec<Arch>,
    /// Judge the file as if its .target were ARCH
    #[arg(long, requires = "arch")]
    pub retarget: bool,
    /// sass (default), a listing as of nvdisasm; table, targets side by side; or json
    #[arg(long, value_enum, hide_possible_values = true, hide_default_value = true, value_name = "FMT", default_value_t = Format::Sass)]
    pub format: Format,
    /// kernel (default), each cvt with the code around it; or isolated
    #[arg(long, value_enum, hide_possible_values = true, hide_default_value = true, value_name = "CTX", default_value_t = Context::Kernel)]
    pub context: Context,
    /// Say under each conversion its rule, fate and subop fields
    #[arg(long)]
    pub explain: bool,
    /// Count opcodes and fates, and name slow conversions with what would be cheaper
    #[arg(long, conflicts_with_all = ["format", "explain"])]
    pub summary: bool,
    /// Write to FILE, whole or not at all
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// fancy (default on a terminal), plain (one line each), ptxas, github or sarif
    #[arg(long, value_enum, hide_possible_values = true, hide_default_value = true, value_name = "FMT")]
    pub diagnostics: Option<Diagnostics>,
    /// auto (default), always or never; NO_COLOR is obeyed
    #[arg(long, value_enum, hide_possible_values = true, hide_default_value = true, value_name = "WHEN", default_value_t = Color::Auto)]
    pub color: Color,
    /// Print this help
    #[arg(short, long, action = ArgAction::HelpShort)]
    pub help: Option<bool>,
}

/// `--format`
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A listing as nvdisasm prints it
    Sass,
    /// One row a conversion, one column a target
    Table,
    /// One JSON document
    Json,
}

/// `--context`
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Context {
    /// As it stands in its kernel
    Kernel,
    /// By itself
    Isolated,
}

impl From<Context> for translate::Context {
    fn from(context: Context) -> Self {
        match context {
            Context::Kernel => Self::Kernel,
            Context::Isolated => Self::Isolated,
        }
    }
}

/// `--diagnostics`
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Diagnostics {
    /// Drawn, with the source
    Fancy,
    /// One line each
    Plain,
    /// What ptxas prints
    Ptxas,
    /// Annotations of GitHub's workflows
    Github,
    /// One SARIF document
    Sarif,
}

/// `--color`
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Also into files and pipes
    Always,
    /// Not at all
    Never,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn arguments_are_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn help_fits_a_screen() {
        let help = Arguments::command().render_help().to_string();
        assert!(help.lines().count() <= 36, "{help}");
        assert!(help.lines().all(|line| line.chars().count() <= 100), "{help}");
    }
}
