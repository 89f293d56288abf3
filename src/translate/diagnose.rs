//! Findings of the parser and the judge as diagnostics.

use crate::cvt::{Place, Violation};
use crate::diagnostic::{Diagnostic, Severity};
use crate::ptx::lines::LineIndex;
use crate::ptx::{Module, Span, Statement, SyntaxError};

/// Findings past this number are counted and not kept, so that they cannot take more memory than the text.
const MOST: usize = 20_000;

/// The findings of the judge, as many as are kept.
#[derive(Debug, Default)]
pub struct Findings {
    kept: Vec<Diagnostic>,
    /// The place of the first that is not kept, and how many these are.
    more: Option<(Span, u64)>,
}

impl Findings {
    /// Adds the findings about one statement.
    pub fn add(&mut self, violations: &[Violation], module: &Module<'_>, s: &Statement) {
        for v in violations {
            if self.kept.len() < MOST {
                self.kept.push(violation(v, module, s));
            } else {
                self.more.get_or_insert((s.span, 0)).1 += 1;
            }
        }
    }

    /// All of them, the last one telling how many are left out.
    pub fn into_diagnostics(self) -> impl Iterator<Item = Diagnostic> {
        self.kept.into_iter().chain(self.more.map(|(span, more)| left_out(span, more)))
    }
}

fn left_out(span: Span, more: u64) -> Diagnostic {
    Diagnostic {
        severity: Severity::Error,
        code: "input::too_many_errors",
        message: format!("there are {more} further errors from here on; the first ones are told"),
        label: String::new(),
        help: None,
        span,
        anchor: span,
        ptxas: Vec::new(),
        fatal: false,
    }
}

/// The findings of the parser.
pub fn all_syntax(errors: &[SyntaxError], source: &[u8]) -> Vec<Diagnostic> {
    if errors.is_empty() {
        return Vec::new();
    }
    let lines = LineIndex::new(source);
    errors.iter().map(|e| syntax(e, source, &lines)).collect()
}

/// A finding of the parser.
fn syntax(e: &SyntaxError, source: &[u8], lines: &LineIndex<'_>) -> Diagnostic {
    if let SyntaxError::TooManyErrors { at, more } = *e {
        return left_out(at, more.into());
    }
    Diagnostic {
        severity: if e.is_warning() { Severity::Warning } else { Severity::Error },
        code: "ptx::syntax",
        message: format!("{e:?}"),
        label: String::new(),
        help: None,
        span: e.span(),
        anchor: e.anchor(source),
        ptxas: e.ptxas(source, lines).into_iter().collect(),
        fatal: e.fatal(),
    }
}

/// A finding of the judge.
fn violation(v: &Violation, module: &Module<'_>, s: &Statement) -> Diagnostic {
    Diagnostic {
        severity: Severity::Error,
        code: "cvt::illegal",
        message: v.ptxas(),
        label: String::new(),
        help: None,
        span: place(v.place, module, s),
        anchor: s.span,
        ptxas: vec![v.ptxas()],
        fatal: v.fatal(),
    }
}

/// The place of a finding in its statement.
fn place(at: Place, module: &Module<'_>, s: &Statement) -> Span {
    let _ = module;
    match at {
        Place::Opcode | Place::Part(_) | Place::Types => s.opcode_span,
        Place::Operand(_) | Place::Operands | Place::Guard => s.span,
    }
}
