//! `cvtlower explain [TOPIC]`

use std::io::{self, Write};
use std::process::ExitCode;

use cvtlower::explain;

use super::args::Explain;
use super::{FAILED, complain};

/// Prints the page of a topic, or what topics there are.
pub fn run(arguments: &Explain) -> anyhow::Result<ExitCode> {
    let page = match arguments.topic.join(" ").trim() {
        "" => explain::overview(),
        topic => match explain::topic(topic) {
            Ok(page) => page,
            Err(unknown) => {
                let near = match unknown.nearest.as_slice() {
                    [] => "`cvtlower explain` lists what there is".to_owned(),
                    names => format!("did you mean {}?", names.join(", ")),
                };
                complain(&format!("there is nothing about '{}'; {near}", unknown.topic));
                return Ok(ExitCode::from(FAILED));
            }
        },
    };
    io::stdout().write_all(page.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}
