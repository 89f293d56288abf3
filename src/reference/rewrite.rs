//! A module with one statement a line, so that ptxas's line table tells the statements apart.

use crate::ptx::{Module, Span};
use crate::report::text::one_line;
use crate::target::Target;

/// The rewritten text.
pub struct Rewritten {
    /// What ptxas gets.
    pub text: Vec<u8>,
    /// For each line, from 1 (the first entry is line 1): the statement on it, or the place in the source that it
    /// begins with.
    lines: Vec<Line>,
}

/// What stands on a line of the rewritten text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Line {
    /// A statement (index into [`Module::statements`]).
    Statement(u32),
    /// Something else, from this offset in the source on.
    Other(u32),
}

impl Rewritten {
    /// Writes each statement on a line of its own. With a target, the module becomes one for it.
    pub fn of(module: &Module<'_>, target: Option<Target>) -> Rewritten {
        let mut out = Rewritten { text: Vec::with_capacity(module.source.len() * 2), lines: vec![Line::Other(0)] };
        let edits = target.map_or_else(Vec::new, |target| edits(module, target));
        let mut at = 0;
        for (statement, index) in module.statements.iter().zip(0..) {
            // A span within the one before it would be printed twice.
            if statement.span.start < at || statement.span.is_empty() {
                continue;
            }
            out.copy(module.source, Span::new(at, statement.span.start), &edits);
            out.start_line(Line::Statement(index));
            out.text.extend_from_slice(one_line(statement.span.of(module.source)).as_bytes());
            out.start_line(Line::Other(statement.span.end));
            at = statement.span.end;
        }
        out.copy(module.source, Span::new(at, module.source.len() as u32), &edits);
        out
    }

    /// What stands on a line, from 1.
    pub fn line(&self, number: u32) -> Option<Line> {
        self.lines.get((number as usize).checked_sub(1)?).copied()
    }

    fn start_line(&mut self, what: Line) {
        if self.text.last().is_some_and(|&b| b != b'\n') {
            self.text.push(b'\n');
            self.lines.push(what);
        } else if let Some(last) = self.lines.last_mut() {
            *last = what;
        }
    }

    /// Copies what is between statements, line ends as they are.
    fn copy(&mut self, source: &[u8], span: Span, edits: &[(Span, String)]) {
        let mut at = span.start;
        for (place, by) in edits.iter().filter(|(p, _)| p.start >= span.start && p.end <= span.end) {
            self.plain(source, Span::new(at, place.start));
            self.text.extend_from_slice(by.as_bytes());
            at = place.end;
        }
        self.plain(source, Span::new(at, span.end));
    }

    fn plain(&mut self, source: &[u8], span: Span) {
        for (&byte, offset) in span.of(source).iter().zip(span.start..) {
            self.text.push(byte);
            if byte == b'\n' {
                self.lines.push(Line::Other(offset + 1));
            }
        }
    }
}

/// What makes the module one of `target` in the newest version. Options that the newest version refuses go.
fn edits(module: &Module<'_>, target: Target) -> Vec<(Span, String)> {
    let (major, minor) = crate::target::NEWEST_VERSION;
    let mut edits = Vec::new();
    edits.extend(module.version.map(|(_, span)| {
        // The number is the last word of the directive.
        let text = span.of(module.source);
        let number = text.iter().rposition(|b| !(b.is_ascii_digit() || *b == b'.')).map_or(0, |at| at as u32 + 1);
        (Span::new(span.start + number, span.end), format!("{major}.{minor}"))
    }));
    edits.extend(module.target.map(|span| (span, target.to_string())));
    for &option in &module.target_options {
        let text = option.of(module.source);
        if !text.starts_with(b"texmode") {
            // The comma before it goes as well; there may be blanks between.
            let before = &module.source[..option.start as usize];
            let comma = before.iter().rposition(|&b| b == b',').map_or(option.start, |at| at as u32);
            edits.push((Span::new(comma, option.end), String::new()));
        }
    }
    edits.sort_by_key(|(span, _)| span.start);
    edits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ptx::parser::parse;

    const SOURCE: &str = ".version 6.0\n.target sm_30, debug // old\n.address_size 64\n.entry k() { .reg .b32 r<3>;\n\
                          L: cvt.u32.u16 r1,\n /* over lines */ r2; ret;\n}\n";

    #[test]
    fn each_statement_has_its_line() {
        let (module, _) = parse(SOURCE.as_bytes());
        let rewritten = Rewritten::of(&module, None);
        let text = String::from_utf8(rewritten.text.clone()).expect("UTF-8");
        let number =
            text.lines().position(|l| l == "cvt.u32.u16 r1, r2;").expect("the statement on one line") as u32 + 1;
        let Some(Line::Statement(index)) = rewritten.line(number) else { panic!("{text}") };
        assert!(module.statements[index as usize].span.of(module.source).starts_with(b"cvt"));
        assert_eq!(text.lines().filter(|l| l.contains("ret;")).collect::<Vec<_>>(), ["ret;"]);
        assert_eq!(text.lines().count() as u32 + 1, rewritten.lines.len() as u32);
    }

    #[test]
    fn a_module_is_made_one_of_a_target() {
        let (module, _) = parse(SOURCE.as_bytes());
        let rewritten = Rewritten::of(&module, Target::parse("sm_89").ok());
        let text = String::from_utf8(rewritten.text).expect("UTF-8");
        assert!(text.starts_with(".version 9.1\n.target sm_89 // old\n"), "{text}");
    }
}
