//! `--diagnostics sarif`: one SARIF 2.1.0 document for all files, as code scanning services read it.

use std::collections::BTreeSet;
use std::io::{self, Write};

use serde_json::json;
use serde_sarif::sarif::{
    ArtifactLocation, Invocation, Location, Message, Notification, PhysicalLocation, Region, ReportingDescriptor,
    Result as Found, ResultLevel, Run, Sarif, Tool, ToolComponent,
};

use super::{Findings, Only};
use crate::diagnostic::Severity;
use crate::translate::REFERENCE;

/// The schema that the document names.
const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// The results of one file: every place, since the reader groups them.
pub fn results(findings: &Findings<'_, '_>) -> Vec<Found> {
    findings
        .findings
        .iter()
        .map(|finding| {
            let diagnostic = &finding.diagnostic;
            let (line, column) = findings.lines.place(diagnostic.span.start);
            let (end_line, end_column) = findings.lines.place(diagnostic.span.end.max(diagnostic.span.start));
            let mut text = format!("{}{}", diagnostic.message, Only(&finding.only));
            if let Some(help) = &diagnostic.help {
                text.push_str("\n\n");
                text.push_str(help);
            }
            let region = Region::builder()
                .start_line(i64::from(line))
                .start_column(i64::from(column))
                .end_line(i64::from(end_line))
                .end_column(i64::from(end_column))
                .build();
            let artifact = ArtifactLocation::builder().uri(uri(findings.path)).build();
            let place = PhysicalLocation::builder().artifact_location(artifact).region(region).build();
            Found::builder()
                .rule_id(diagnostic.code)
                .level(match diagnostic.severity {
                    Severity::Error => ResultLevel::Error,
                    Severity::Warning => ResultLevel::Warning,
                })
                .message(Message::builder().text(text).build())
                .locations(vec![Location::builder().physical_location(place).build()])
                .build()
        })
        .collect()
}

/// Writes the document; `complaints` are about files as such, and `status` is the exit status.
pub fn write(results: Vec<Found>, complaints: &[String], status: u8, out: &mut dyn Write) -> io::Result<()> {
    let codes: BTreeSet<String> = results.iter().filter_map(|result| result.rule_id.clone()).collect();
    let rules: Vec<_> = codes.into_iter().map(|code| ReportingDescriptor::builder().id(code).build()).collect();
    let driver = ToolComponent::builder()
        .name(env!("CARGO_PKG_NAME"))
        .version(env!("CARGO_PKG_VERSION"))
        .full_name(format!("cvtlower {} (reference {REFERENCE})", env!("CARGO_PKG_VERSION")))
        .rules(rules)
        .build();
    let notifications: Vec<_> = complaints
        .iter()
        .map(|text| {
            let message = Message::builder().text(text.clone()).build();
            Notification::builder().message(message).level(json!("error")).build()
        })
        .collect();
    let invocation = Invocation::builder()
        .execution_successful(complaints.is_empty())
        .exit_code(i64::from(status))
        .tool_execution_notifications(notifications)
        .build();
    let run = Run::builder()
        .tool(Tool::builder().driver(driver).build())
        .invocations(vec![invocation])
        .column_kind(json!("unicodeCodePoints"))
        .results(results)
        .build();
    let document = Sarif::builder().schema(SCHEMA).version(json!("2.1.0")).runs(vec![run]).build();
    serde_json::to_writer(&mut *out, &document)?;
    out.write_all(b"\n")
}

/// A file's name as a URI reference: what has a meaning in one is escaped.
fn uri(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => uri.push(char::from(byte)),
            b'\\' if cfg!(windows) => uri.push('/'),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_uris() {
        assert_eq!(uri("src/a b%.ptx"), "src/a%20b%25.ptx");
        assert_eq!(uri("<stdin>"), "%3Cstdin%3E");
    }
}
