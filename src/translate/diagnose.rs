//! Findings of the parser and the judge as diagnostics.

use crate::cvt::{Place, Violation};
use crate::diagnostic::{Diagnostic, Severity};
use crate::ptx::{Module, Span, Statement, SyntaxError};

/// A finding of the parser.
pub fn syntax(e: &SyntaxError, source: &[u8]) -> Diagnostic {
    Diagnostic {
        severity: if e.is_warning() { Severity::Warning } else { Severity::Error },
        code: "ptx::syntax",
        message: format!("{e:?}"),
        label: String::new(),
        help: None,
        span: e.span(),
        anchor: e.anchor(source),
        ptxas: e.ptxas(source).into_iter().collect(),
        fatal: e.fatal(),
    }
}

/// A finding of the judge.
pub fn violation(v: &Violation, module: &Module<'_>, s: &Statement) -> Diagnostic {
    Diagnostic {
        severity: Severity::Error,
        code: v.code(),
        message: v.message(),
        label: v.label(),
        help: v.help(),
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
