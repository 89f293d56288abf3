//! `--diagnostics fancy`: for people at a terminal, drawn by miette.

use std::fmt;
use std::io::{self, Write};

use miette::{LabeledSpan, MietteHandler, MietteHandlerOpts, ReportHandler, SourceCode};

use super::snippet::Snippet;
use super::{Finding, Findings, Only, grouped, left_out_line};
use crate::diagnostic::Severity;
use crate::report::text::Printable;

/// Writes the findings of one file.
pub fn write(findings: &Findings<'_, '_>, color: bool, out: &mut dyn Write) -> io::Result<()> {
    if findings.findings.is_empty() {
        return Ok(());
    }
    let handler = MietteHandlerOpts::new()
        .color(color)
        .terminal_links(false)
        .force_graphical(true)
        .context_lines(1)
        .tab_width(4)
        .build();
    let (groups, left_out) = grouped(findings);
    for group in groups {
        let shown = Shown::new(findings, group.first);
        write!(out, "{}", Drawn(&handler, &shown))?;
        if let Some(tail) = group.tail(findings.lines) {
            writeln!(out, "  {tail}")?;
        }
        writeln!(out)?;
    }
    if left_out > 0 {
        out.write_all(left_out_line(findings.path, left_out).as_bytes())?;
    }
    Ok(())
}

/// A finding as miette takes it.
#[derive(Debug)]
struct Shown {
    code: &'static str,
    severity: miette::Severity,
    message: String,
    help: Option<String>,
    label: LabeledSpan,
    snippet: Snippet,
}

impl Shown {
    fn new(findings: &Findings<'_, '_>, finding: &Finding) -> Self {
        let diagnostic = &finding.diagnostic;
        let snippet = Snippet::new(findings, diagnostic.span);
        let label = Some(Printable(&diagnostic.label).to_string()).filter(|label| !label.is_empty());
        Self {
            code: diagnostic.code,
            severity: match diagnostic.severity {
                Severity::Error => miette::Severity::Error,
                Severity::Warning => miette::Severity::Warning,
            },
            message: format!("{}{}", Printable(&diagnostic.message), Only(&finding.only)),
            help: diagnostic.help.clone(),
            label: LabeledSpan::new_primary_with_span(label, snippet.mark),
            snippet,
        }
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Shown {}

impl miette::Diagnostic for Shown {
    fn code(&self) -> Option<Box<dyn fmt::Display + '_>> {
        Some(Box::new(self.code))
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(self.severity)
    }

    fn help(&self) -> Option<Box<dyn fmt::Display + '_>> {
        self.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.snippet)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(Box::new(std::iter::once(self.label.clone())))
    }
}

/// Draws a diagnostic by a handler: miette's handlers render into a formatter only.
struct Drawn<'a>(&'a MietteHandler, &'a Shown);

impl fmt::Display for Drawn<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.debug(self.1, f)
    }
}
