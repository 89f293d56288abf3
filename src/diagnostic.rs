//! A finding about the input, before any format renders it.

use crate::ptx::Span;

/// How much a finding weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// The statement is illegal or does not parse: exit status 1.
    Error,
    /// Something to know; the translation stands.
    Warning,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// Stable code, such as `cvt::rounding_illegal`; `cvtlower explain CODE` tells more.
    pub code: &'static str,
    /// What is wrong, in the user's terms.
    pub message: String,
    /// What the marked place is, in a few words (the label under the source line).
    pub label: String,
    /// What to write instead.
    pub help: Option<String>,
    /// The place to mark.
    pub span: Span,
    /// The line that ptxas names for the finding is that of this place: the statement's first token after the opcode word.
    pub anchor: Span,
    /// The very texts that ptxas prints for it; empty where ptxas says nothing.
    pub ptxas: Vec<String>,
    /// Whether ptxas ends at once with it (`fatal`).
    pub fatal: bool,
}
