//! `--diagnostics github`: workflow commands, which GitHub shows as annotations at the line.

use std::fmt;
use std::io::{self, Write};

use super::{Findings, Only, grouped, left_out_line, severity_name};
use crate::report::text::Printable;

/// Writes the findings of one file.
pub fn write(findings: &Findings<'_, '_>, out: &mut dyn Write) -> io::Result<()> {
    let (groups, left_out) = grouped(findings);
    for group in groups {
        let diagnostic = &group.first.diagnostic;
        let (line, column) = findings.lines.place(diagnostic.span.start);
        let (end_line, end_column) = findings.lines.place(diagnostic.span.end.max(diagnostic.span.start));
        write!(
            out,
            "::{} file={},line={line},endLine={end_line},col={column},endColumn={end_column},title={}::",
            severity_name(diagnostic.severity),
            Property(findings.path),
            Property(diagnostic.code),
        )?;
        write!(out, "{}{}", Message(&Printable(&diagnostic.message).to_string()), Only(&group.first.only))?;
        if let Some(help) = &diagnostic.help {
            write!(out, "%0A{}", Message(help))?;
        }
        if let Some(tail) = group.tail(findings.lines) {
            write!(out, "%0A{tail}")?;
        }
        writeln!(out)?;
    }
    if left_out > 0 {
        write!(out, "::notice::{}", left_out_line(findings.path, left_out))?;
    }
    Ok(())
}

/// The text of a command: a line, so that line ends and the escape itself are escaped.
struct Message<'a>(&'a str);

impl fmt::Display for Message<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        escape(self.0, &[('%', "%25"), ('\r', "%0D"), ('\n', "%0A")], f)
    }
}

/// The value of a property, which ends at a comma or colon.
struct Property<'a>(&'a str);

impl fmt::Display for Property<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        escape(self.0, &[('%', "%25"), ('\r', "%0D"), ('\n', "%0A"), (':', "%3A"), (',', "%2C")], f)
    }
}

fn escape(text: &str, by: &[(char, &str)], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    text.chars().try_for_each(|c| match by.iter().find(|(special, _)| *special == c) {
        Some((_, escaped)) => f.write_str(escaped),
        None => write!(f, "{c}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_end_a_command_is_escaped() {
        assert_eq!(Property("a,b:100%\n").to_string(), "a%2Cb%3A100%25%0A");
        assert_eq!(Message("a, b: 100%\r\n").to_string(), "a, b: 100%25%0D%0A");
    }
}
