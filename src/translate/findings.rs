//! The findings about conversions, as many as anybody can use.

use crate::diagnostic::{Diagnostic, Severity};
use crate::ptx::lines::LineIndex;
use crate::ptx::{Span, SyntaxError};

use super::diagnose;

/// Findings past this number are counted and not kept, so that they do not take far more memory than the text.
const MOST: usize = 200_000;

/// Findings in the order in which they came.
#[derive(Debug, Default)]
pub struct Findings {
    kept: Vec<Diagnostic>,
    /// The first error that is not kept, and how many these are.
    more: Option<(Span, u64)>,
}

impl Findings {
    /// Adds a finding. A warning that is not kept is not counted either.
    pub fn push(&mut self, finding: Diagnostic) {
        if self.kept.len() < MOST {
            self.kept.push(finding);
        } else if finding.severity == Severity::Error {
            self.more.get_or_insert((finding.anchor, 0)).1 += 1;
        }
    }

    /// Adds those of the text that follows.
    pub fn append(&mut self, next: Findings) {
        next.kept.into_iter().for_each(|finding| self.push(finding));
        if let Some((place, count)) = next.more {
            self.more.get_or_insert((place, 0)).1 += count;
        }
    }

    /// All of them, the last one telling how many are left out.
    pub fn into_diagnostics(self) -> impl Iterator<Item = Diagnostic> {
        let left_out = self.more.map(|(place, more)| Diagnostic {
            severity: Severity::Error,
            code: "cvt::too_many_errors",
            message: format!("{more} further errors of conversions are not shown"),
            label: String::new(),
            help: None,
            span: place,
            anchor: place,
            ptxas: Vec::new(),
            fatal: false,
        });
        self.kept.into_iter().chain(left_out)
    }
}

/// The findings of the parser.
pub fn of_syntax(errors: &[SyntaxError], source: &[u8]) -> Vec<Diagnostic> {
    if errors.is_empty() {
        return Vec::new();
    }
    let lines = LineIndex::new(source);
    errors.iter().map(|e| diagnose::syntax(e, source, &lines)).collect()
}
