//! Findings of the parser and the judge as diagnostics.

use crate::cvt::{Defect, ModuleFault, ModulePlace, Place, Violation, defect};
use crate::diagnostic::{Diagnostic, Severity};
use crate::ptx::lines::LineIndex;
use crate::ptx::{Module, OperandKind, Span, Statement, SyntaxError};

/// A finding of the parser.
pub fn syntax(e: &SyntaxError, source: &[u8], lines: &LineIndex<'_>) -> Diagnostic {
    let text = |span: Span| String::from_utf8_lossy(span.of(source)).into_owned();
    let (code, message, label, help) = match *e {
        SyntaxError::UnexpectedToken { found, expected } => {
            ("ptx::unexpected", format!("`{}` cannot stand here", text(found)), format!("expected {expected}"), None)
        }
        SyntaxError::UnexpectedEnd { expected, .. } => (
            "ptx::unexpected_end",
            "the file ends in the middle of something".to_owned(),
            format!("expected {expected}"),
            Some("end the statement with `;`, unless the file is cut off; what comes before this place is translated"),
        ),
        SyntaxError::MissingSemicolon { .. } => (
            "ptx::missing_semicolon",
            "the statement has no `;`".to_owned(),
            "expected `;`".to_owned(),
            Some("end the statement with `;`"),
        ),
        SyntaxError::UnterminatedComment { .. } => (
            "ptx::unterminated_comment",
            "the comment has no end".to_owned(),
            "begins here".to_owned(),
            Some("close it with `*/`; comments do not nest"),
        ),
        SyntaxError::UnterminatedString { .. } => (
            "ptx::unterminated_string",
            "the string has no end".to_owned(),
            "begins here".to_owned(),
            Some("close it with `\"` on the same line"),
        ),
        SyntaxError::UnterminatedBlock { .. } => (
            "ptx::unterminated_block",
            "the block has no end".to_owned(),
            "opened here".to_owned(),
            Some("close it with `}`"),
        ),
        SyntaxError::InvalidCharacter { .. } => (
            "ptx::invalid_character",
            "the character begins nothing that PTX knows".to_owned(),
            "not PTX".to_owned(),
            Some("outside of comments and strings PTX is ASCII"),
        ),
        SyntaxError::ByteOrderMark { .. } => (
            "ptx::byte_order_mark",
            "the file begins with a UTF-8 byte order mark, which ptxas refuses".to_owned(),
            "byte order mark".to_owned(),
            Some("save the file without it; here it is read all the same"),
        ),
        SyntaxError::UnsupportedRegisterType { ty } => (
            "ptx::register_type",
            format!("no register has the type `{}`", text(ty)),
            "not a register type".to_owned(),
            Some("declare the register as `.b16` or `.b32`: bf16, tf32 and packed values live in untyped registers"),
        ),
        SyntaxError::InstructionTypeOnly { ty } => (
            "ptx::instruction_type",
            format!("`{}` is a type of instructions, not of registers", text(ty)),
            "not a register type".to_owned(),
            Some("declare the register untyped, in the width of the packed value"),
        ),
        SyntaxError::DuplicateDeclaration { name, .. } => (
            "ptx::duplicate",
            format!("`{}` is declared twice in this block", text(name)),
            "declared again".to_owned(),
            Some("the first declaration holds"),
        ),
        SyntaxError::TooManyOperands { .. } => (
            "ptx::too_many_operands",
            "the statement has more operands than can be counted".to_owned(),
            "too many operands".to_owned(),
            None,
        ),
        SyntaxError::FileTooLarge { length } => (
            "ptx::file_too_large",
            format!("the file has {length} bytes; files up to 4 GiB are read"),
            String::new(),
            Some("split the module"),
        ),
        SyntaxError::TooManyErrors { more, .. } => {
            ("ptx::too_many_errors", format!("{more} further errors of syntax are not shown"), String::new(), None)
        }
    };
    Diagnostic {
        severity: if e.is_warning() { Severity::Warning } else { Severity::Error },
        code,
        message,
        label,
        help: help.map(str::to_owned),
        span: e.span(),
        anchor: e.anchor(source),
        ptxas: e.ptxas(source, lines).into_iter().collect(),
        fatal: e.fatal(),
    }
}

/// The findings of the judge about one statement; the same fault said more than once in a row is one finding. Where ptxas
/// says something else in between it is two, so that its messages keep their order.
pub fn violations(found: &[Violation], module: &Module<'_>, s: &Statement) -> Vec<Diagnostic> {
    let mut all: Vec<(&Violation, Diagnostic)> = Vec::with_capacity(found.len());
    for v in found {
        if let Some((_, d)) = all.last_mut().filter(|(w, _)| w.fault == v.fault && w.place == v.place) {
            d.ptxas.push(v.ptxas());
            continue;
        }
        let d = Diagnostic {
            severity: Severity::Error,
            code: v.code(),
            message: v.message(),
            label: v.label(),
            help: v.help(),
            span: place(v.place, module, s),
            anchor: anchor(module, s),
            ptxas: vec![v.ptxas()],
            fatal: v.fatal(),
        };
        all.push((v, d));
    }
    all.into_iter().map(|(_, d)| d).collect()
}

/// A warning about what ptxas makes of a legal conversion.
pub fn ptxas_defect(d: Defect, at: Place, module: &Module<'_>, s: &Statement) -> Diagnostic {
    Diagnostic {
        severity: Severity::Warning,
        code: defect::CODE,
        message: d.message().to_owned(),
        label: d.label().to_owned(),
        help: Some(d.help().to_owned()),
        span: place(at, module, s),
        anchor: anchor(module, s),
        ptxas: Vec::new(),
        fatal: false,
    }
}

/// A finding about `.version` or `.target`.
pub fn module_fault(f: &ModuleFault, module: &Module<'_>) -> Diagnostic {
    let span = match f.place() {
        ModulePlace::Version => module.version.map(|(_, span)| span),
        ModulePlace::Target => module.target,
    };
    let span = span.unwrap_or_default();
    Diagnostic {
        severity: Severity::Error,
        code: f.code(),
        message: f.message(),
        label: f.label(),
        help: f.help(),
        span,
        anchor: span,
        ptxas: vec![f.ptxas()],
        fatal: f.fatal(),
    }
}

/// A module without a directive that has to stand at its start.
pub fn missing_directive(directive: &'static str, help: &str) -> Diagnostic {
    Diagnostic {
        severity: Severity::Error,
        code: "module::directive_missing",
        message: format!("the module has no `{directive}`"),
        label: "the first statement of a module".to_owned(),
        help: Some(help.to_owned()),
        span: Span::default(),
        anchor: Span::default(),
        ptxas: vec![format!("Missing {directive} directive at start of file")],
        fatal: true,
    }
}

/// What ptxas names the line of: the first token behind the opcode's first word.
fn anchor(module: &Module<'_>, s: &Statement) -> Span {
    let part = part(module.source, s.opcode_span, 1);
    if part != s.opcode_span {
        return part;
    }
    module.operands.get(s.operands as usize).filter(|_| s.operand_count > 0).map_or(s.span, |o| o.span)
}

/// The place of a finding in its statement.
fn place(at: Place, module: &Module<'_>, s: &Statement) -> Span {
    let operand = |n: usize| direct_operands(module, s).nth(n);
    match at {
        Place::Opcode => s.opcode_span,
        Place::Part(n) => part(module.source, s.opcode_span, n.into()),
        Place::Types => {
            let named = |n: usize| {
                let span = part(module.source, s.opcode_span, n);
                let name = span.of(module.source).strip_prefix(b".").unwrap_or_default();
                (span != s.opcode_span && crate::ptx::Type::from_name(name).is_some()).then_some(span)
            };
            (1..32).filter_map(named).reduce(Span::to).unwrap_or(s.opcode_span)
        }
        Place::Operand(n) => operand(n.into()).unwrap_or(s.opcode_span),
        Place::Operands => direct_operands(module, s).reduce(Span::to).unwrap_or(s.opcode_span),
        Place::Guard => {
            let text = Span::new(s.span.start, s.opcode_span.start);
            let used = text.of(module.source).trim_ascii_end().len() as u32;
            Span::new(text.start, text.start + used)
        }
    }
}

fn direct_operands<'a>(module: &'a Module<'_>, s: &Statement) -> impl Iterator<Item = Span> + 'a {
    let end = (s.operands + s.operand_count) as usize;
    let mut i = s.operands as usize;
    std::iter::from_fn(move || {
        let o = module.operands.get(i).filter(|_| i < end)?;
        let mut pending = 1;
        while pending > 0 && i < end {
            pending = pending - 1 + module.operands[i].kind.children();
            i += 1;
        }
        (o.kind != OperandKind::Error).then_some(o.span)
    })
}

/// The `n`th dotted part of an opcode, with its dot; blanks and comments may stand between them. The whole opcode
/// where it has no such part.
fn part(source: &[u8], opcode: Span, n: usize) -> Span {
    let text = opcode.of(source);
    let (mut i, mut seen) = (0, 0);
    while i < text.len() {
        if text[i..].starts_with(b"/*") {
            i += memchr::memmem::find(&text[i..], b"*/").map_or(text.len() - i, |e| e + 2);
        } else if text[i..].starts_with(b"//") {
            i += memchr::memchr(b'\n', &text[i..]).unwrap_or(text.len() - i);
        } else {
            if text[i] == b'.' {
                seen += 1;
            }
            if seen == n {
                let end = |b: &u8| b.is_ascii_whitespace() || *b == b'/' || *b == b'.';
                let len = 1 + text[i + 1..].iter().position(end).unwrap_or(text.len() - i - 1);
                return Span::new(opcode.start + i as u32, opcode.start + (i + len) as u32);
            }
            i += 1;
        }
    }
    opcode
}

#[cfg(test)]
mod tests {
    use super::part;
    use crate::ptx::Span;

    #[test]
    fn parts_are_found_behind_blanks_and_comments() {
        let text = b"@p cvt .rn /* a.b */ .f32\n.s32 r, s;";
        let opcode = Span::new(3, 30);
        for (n, name) in [(0, &b"cvt"[..]), (1, b".rn"), (2, b".f32"), (3, b".s32")] {
            assert_eq!(part(text, opcode, n).of(text), name);
        }
        assert_eq!(part(text, opcode, 4), opcode);
    }
}
