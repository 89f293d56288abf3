//! `--diagnostics ptxas`: the very lines that ptxas prints, for tools that read them.
//!
//! ptxas prints every fault, ends at the first fatal one, and then says that it gives up. What it has no text for is
//! printed in ours, so that a failing status never comes without a word.

use std::io::{self, Write};

use super::Findings;
use crate::diagnostic::Severity;

/// What ptxas says without a place and without a last line, when nothing else is wrong.
const ALONE: &str = "SM version specified by .target";

/// Here ptxas adds the file's name, which the parser does not know.
const NAMED: &str = "at start of file";

/// Writes the findings of one file.
pub fn write(findings: &Findings<'_, '_>, out: &mut dyn Write) -> io::Result<()> {
    let mut failed = false;
    let mut alone = None;
    'findings: for finding in &findings.findings {
        let diagnostic = &finding.diagnostic;
        let (severity, texts) = match (diagnostic.severity, diagnostic.fatal) {
            (Severity::Warning, _) => ("warning ", diagnostic.ptxas.as_slice()),
            (Severity::Error, fatal) => {
                let ours = std::slice::from_ref(&diagnostic.message);
                let texts = if diagnostic.ptxas.is_empty() { ours } else { diagnostic.ptxas.as_slice() };
                (if fatal { "fatal   " } else { "error   " }, texts)
            }
        };
        let line = findings.lines.line(diagnostic.anchor.start);
        for text in texts {
            if text.starts_with(ALONE) {
                alone.get_or_insert(text);
                continue;
            }
            write!(out, "ptxas {}, line {line}; {severity}: {text}", findings.path)?;
            if text.ends_with(NAMED) {
                write!(out, " '{}'", findings.path)?;
            }
            writeln!(out)?;
            if diagnostic.severity == Severity::Error {
                failed = true;
            }
            if diagnostic.fatal {
                break 'findings;
            }
        }
    }
    if failed {
        writeln!(out, "ptxas fatal   : Ptx assembly aborted due to errors")?;
    } else if let Some(text) = alone {
        writeln!(out, "ptxas fatal   : {text}")?;
    }
    Ok(())
}
