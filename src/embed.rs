//! The short way in, for tests of a compiler: text in, text out.

use std::fmt;

use crate::diagnostic::Severity;
use crate::ptx::lines::LineIndex;
use crate::report::text::one_line;
use crate::target::{Target, UnknownTarget};
use crate::translate::{Context, Fate, Options, translate};

/// One conversion and its SASS.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lowered {
    /// Line of the statement, from 1.
    pub line: u32,
    /// Column of the statement, from 1, in characters.
    pub column: u32,
    /// The statement on one line.
    pub ptx: String,
    /// The instructions that ptxas attributes to the statement; none when it is folded, constant or dead.
    pub sass: Vec<String>,
    /// Why there are no instructions of its own, where there are none.
    pub why: Option<String>,
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Line of the marked place, from 1.
    pub line: u32,
    /// Column of the marked place, from 1, in characters.
    pub column: u32,
    /// Stable code, such as `cvt::rounding_illegal`.
    pub code: &'static str,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub help: Option<String>,
    /// The texts that ptxas prints for it.
    pub ptxas: Vec<String>,
}

/// Why a text is not lowered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LowerError {
    /// There is no such architecture.
    Target(UnknownTarget),
    /// Something in the text is illegal or does not parse.
    Illegal(Vec<Finding>),
}

impl fmt::Display for LowerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LowerError::Target(unknown) => unknown.fmt(f),
            LowerError::Illegal(findings) => {
                for (n, finding) in findings.iter().enumerate() {
                    let separator = if n > 0 { "\n" } else { "" };
                    write!(f, "{separator}{}:{}: {}", finding.line, finding.column, finding.message)?;
                }
                Ok(())
            }
        }
    }
}

impl std::error::Error for LowerError {}

/// Lowers every conversion of a module or a bare list of statements for one architecture.
///
/// A compiler's test can say what its output costs:
///
/// ```
/// let lowered = cvtlower::lower_source("cvt.rzi.s32.f32 r1, f1;", "sm_89")?;
/// assert!(lowered[0].sass[0].starts_with("F2I.TRUNC.NTZ R"));
/// # Ok::<(), cvtlower::LowerError>(())
/// ```
///
/// What ptxas would refuse is an error, with what to write instead:
///
/// ```
/// use cvtlower::LowerError;
///
/// let Err(LowerError::Illegal(findings)) = cvtlower::lower_source("cvt.f16.f32 h1, f1;", "sm_89") else {
///     panic!("a rounding is required");
/// };
/// assert_eq!(findings[0].code, "cvt::rounding_required");
/// assert_eq!(findings[0].ptxas, ["Rounding modifier required for instruction 'cvt'"]);
/// ```
///
/// To keep going past errors, to take the target from the file, or to look at instructions as values, call
/// [`translate`].
pub fn lower_source(ptx: &str, arch: &str) -> Result<Vec<Lowered>, LowerError> {
    let arch = Target::parse(arch).map_err(LowerError::Target)?;
    let source = ptx.as_bytes();
    let lines = LineIndex::new(source);
    let translation = translate(source, &Options { arch: Some(arch), retarget: false, context: Context::Kernel });
    let errors = translation.diagnostics.iter().filter(|d| d.severity == Severity::Error);
    let findings: Vec<Finding> = errors
        .map(|d| {
            let (line, column) = lines.place(d.span.start);
            let (message, help, ptxas) = (d.message.clone(), d.help.clone(), d.ptxas.clone());
            Finding { line, column, code: d.code, message, help, ptxas }
        })
        .collect();
    if !findings.is_empty() {
        return Err(LowerError::Illegal(findings));
    }
    let module = &translation.module;
    let conversions = translation.functions.iter().flat_map(|f| &f.conversions);
    Ok(conversions
        .map(|c| {
            let span = module.statements[c.statement as usize].span;
            let (line, column) = lines.place(span.start);
            let why = match &c.fate {
                Fate::Emitted => None,
                Fate::Folded { why, .. } => Some((*why).to_owned()),
                Fate::Constant { bits } => Some(format!("the result is {bits:#x}")),
                Fate::Dead => Some("the result is not used".to_owned()),
            };
            let ptx = one_line(span.of(source)).into_owned();
            Lowered { line, column, ptx, sass: c.sass.iter().map(ToString::to_string).collect(), why }
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_said() {
        assert!(matches!(lower_source("", "sm_98"), Err(LowerError::Target(_))));
        let error = lower_source("cvt.f16.f32 h1, f1;\n  cvt.rn.f16.f32 h1 f1;", "sm_89").unwrap_err();
        let text = error.to_string();
        assert!(text.starts_with("1:") && text.contains("\n2:"), "{text}");
    }
}
