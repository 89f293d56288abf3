//! `cvtlower man`: the manual page, with those of the subcommands behind it.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::CommandFactory;
use clap_mangen::Man;

use super::args::Arguments;

/// Prints the page as roff.
pub fn run() -> anyhow::Result<ExitCode> {
    let mut command = Arguments::command().display_name("cvtlower");
    command.build();
    let mut page = Vec::new();
    Man::new(command.clone()).title("CVTLOWER").section("1").render(&mut page)?;
    for subcommand in command.get_subcommands().filter(|subcommand| !subcommand.is_hide_set()) {
        let man = Man::new(subcommand.clone());
        page.extend_from_slice(format!(".SH \"CVTLOWER {}\"\n", subcommand.get_name().to_uppercase()).as_bytes());
        man.render_synopsis_section(&mut page)?;
        man.render_options_section(&mut page)?;
        man.render_extra_section(&mut page)?;
    }
    io::stdout().write_all(&page)?;
    Ok(ExitCode::SUCCESS)
}
