//! `--diagnostics plain`: one line a fault, `file:line:column: error[code]: message (help)`, as editors read it.

use std::io::{self, Write};

use super::{Findings, Only, grouped, left_out_line, severity_name};
use crate::report::text::Printable;

/// Writes the findings of one file.
pub fn write(findings: &Findings<'_, '_>, out: &mut dyn Write) -> io::Result<()> {
    let (groups, left_out) = grouped(findings);
    for group in groups {
        let diagnostic = &group.first.diagnostic;
        let (line, column) = findings.lines.place(diagnostic.span.start);
        write!(
            out,
            "{}:{line}:{column}: {}[{}]: {}{}",
            findings.path,
            severity_name(diagnostic.severity),
            diagnostic.code,
            Printable(&diagnostic.message),
            Only(&group.first.only),
        )?;
        if let Some(help) = &diagnostic.help {
            write!(out, " (help: {})", Printable(help))?;
        }
        if let Some(tail) = group.tail(findings.lines) {
            write!(out, " ({tail})")?;
        }
        writeln!(out)?;
    }
    if left_out > 0 {
        out.write_all(left_out_line(findings.path, left_out).as_bytes())?;
    }
    Ok(())
}
