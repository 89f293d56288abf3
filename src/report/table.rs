//! `--format table`: one row a conversion, one column a target, differences marked.

use std::io::{self, Write};

use super::listing::write_fate;
use super::text::Printable;
use super::{Format, Unit};
use crate::diagnostic::Severity;
use crate::ptx::StatementKind;
use crate::target::Target;
use crate::translate::{Conversion, Fate};

/// The mark of what is not the same as in the first column.
const DIFFERS: &str = "≠ ";

/// Columns are not made narrower than this; where they would have to be, the cells stand below each other.
const NARROWEST: usize = 18;

/// Between two columns.
const GAP: usize = 2;

/// What becomes of a conversion on a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Emitted,
    Nothing,
    Illegal,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Cell {
    kind: Kind,
    text: String,
}

/// One file for one target.
pub struct Part {
    path: String,
    rows: Vec<(u32, String, Cell)>,
}

/// The format of `--format table`.
pub struct Table {
    /// Columns of the terminal; `None` where the output is none, which is as wide as need be.
    width: Option<usize>,
    color: bool,
    headed: bool,
    pending: Vec<(Target, Part)>,
    files: usize,
}

impl Table {
    /// A table; `headed` names the file above it.
    pub fn new(width: Option<usize>, color: bool, headed: bool) -> Self {
        Self { width, color, headed, pending: Vec::new(), files: 0 }
    }

    /// Writes the file whose parts are all there.
    fn flush(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let parts = std::mem::take(&mut self.pending);
        let Some((_, first)) = parts.first() else { return Ok(()) };
        if self.files > 0 {
            writeln!(out)?;
        }
        self.files += 1;
        if self.headed {
            writeln!(out, "{}", Printable(&first.path))?;
        }
        let grid = Grid::new(&parts, self.color);
        match grid.widths(self.width) {
            Some(widths) => grid.side_by_side(&widths, out),
            None => grid.stacked(self.width.unwrap_or(usize::MAX), out),
        }
    }
}

impl Format for Table {
    type Part = Part;

    fn part(&self, unit: &Unit<'_, '_>) -> io::Result<Part> {
        let translation = unit.translation;
        let module = &translation.module;
        let mut rows = Vec::new();
        let mut diagnostics = translation.diagnostics.iter().peekable();
        for function in &translation.functions {
            let mut conversions = function.conversions.iter().peekable();
            for statement in module.functions[function.function as usize].statements.clone() {
                let s = &module.statements[statement as usize];
                let is_conversion = s.kind == StatementKind::Instruction
                    && module.opcodes[s.opcode.0 as usize].parts().next() == Some(b"cvt");
                if !is_conversion {
                    continue;
                }
                let cell = match conversions.next_if(|c| c.statement == statement) {
                    Some(conversion) => legal(unit, conversion)?,
                    None => {
                        while diagnostics.next_if(|d| d.span.start < s.span.start).is_some() {}
                        let mut messages = Vec::new();
                        while let Some(d) = diagnostics.next_if(|d| d.span.start < s.span.end) {
                            if d.severity == Severity::Error {
                                messages.push(d.message.as_str());
                            }
                        }
                        illegal(&messages)
                    }
                };
                let text = unit.statement_text(statement);
                rows.push((unit.line(statement), text.trim_end_matches([';', ' ']).to_owned(), cell));
            }
        }
        Ok(Part { path: unit.path.to_owned(), rows })
    }

    fn put(&mut self, arch: Target, part: Part, out: &mut dyn Write) -> io::Result<()> {
        let other = self.pending.iter().any(|(target, known)| *target == arch || known.path != part.path);
        if other {
            self.flush(out)?;
        }
        self.pending.push((arch, part));
        Ok(())
    }

    fn finish(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.flush(out)
    }
}

fn legal(unit: &Unit<'_, '_>, conversion: &Conversion) -> io::Result<Cell> {
    if !conversion.sass.is_empty() && matches!(conversion.fate, Fate::Emitted) {
        let texts: Vec<String> = conversion.sass.iter().map(ToString::to_string).collect();
        return Ok(Cell { kind: Kind::Emitted, text: texts.join("; ") });
    }
    let mut text = Vec::new();
    write_fate(unit, conversion, &mut text)?;
    Ok(Cell { kind: Kind::Nothing, text: String::from_utf8_lossy(&text).into_owned() })
}

fn illegal(messages: &[&str]) -> Cell {
    let text = match messages {
        [] => "illegal".to_owned(),
        [message] => format!("illegal: {message}"),
        [message, more @ ..] => format!("illegal: {message} (and {} more)", more.len()),
    };
    Cell { kind: Kind::Illegal, text }
}

/// The cells of one file, ready to be laid out.
struct Grid {
    head: Vec<String>,
    /// Line and statement, then a cell for each target.
    rows: Vec<(Vec<String>, Vec<Style>)>,
    color: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Style {
    kind: Kind,
    differs: bool,
}

impl Style {
    fn escape(self) -> &'static str {
        match self {
            Style { kind: Kind::Illegal, .. } => "\x1b[31m",
            Style { differs: true, .. } => "\x1b[33m",
            Style { kind: Kind::Nothing, .. } => "\x1b[2m",
            Style { kind: Kind::Emitted, .. } => "",
        }
    }
}

impl Grid {
    fn new(parts: &[(Target, Part)], color: bool) -> Self {
        let mut head = vec!["line".to_owned(), "conversion".to_owned()];
        head.extend(parts.iter().map(|(target, _)| target.to_string()));
        let rows = parts[0].1.rows.iter().enumerate();
        let rows = rows.map(|(n, (line, statement, first))| {
            let mut texts = vec![line.to_string(), Printable(statement).to_string()];
            let mut styles = Vec::with_capacity(parts.len());
            for (_, part) in parts {
                let Some((_, _, cell)) = part.rows.get(n) else { continue };
                let differs = cell != first;
                texts.push(format!("{}{}", if differs { DIFFERS } else { "" }, Printable(&cell.text)));
                styles.push(Style { kind: cell.kind, differs });
            }
            (texts, styles)
        });
        Self { head, rows: rows.collect(), color }
    }

    /// The columns' widths, or `None` when they do not fit side by side.
    fn widths(&self, most: Option<usize>) -> Option<Vec<usize>> {
        let mut widths: Vec<usize> = self.head.iter().map(|text| text.chars().count()).collect();
        for (texts, _) in &self.rows {
            for (width, text) in widths.iter_mut().zip(texts) {
                *width = text.chars().count().max(*width);
            }
        }
        let Some(most) = most else { return Some(widths) };
        loop {
            let total = widths.iter().sum::<usize>() + GAP * (widths.len() - 1);
            let widest = widths.iter_mut().max()?;
            match total.checked_sub(most) {
                None | Some(0) => return Some(widths),
                Some(_) if *widest <= NARROWEST => return None,
                Some(_) => *widest -= 1,
            }
        }
    }

    fn side_by_side(&self, widths: &[usize], out: &mut dyn Write) -> io::Result<()> {
        let plain = Style { kind: Kind::Emitted, differs: false };
        self.line(&self.head, &[], plain, widths, out)?;
        let rule: Vec<String> = widths.iter().map(|&width| "─".repeat(width)).collect();
        self.line(&rule, &[], plain, widths, out)?;
        self.rows.iter().try_for_each(|(texts, styles)| self.line(texts, styles, plain, widths, out))
    }

    fn line(
        &self,
        texts: &[String],
        styles: &[Style],
        plain: Style,
        widths: &[usize],
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let cells: Vec<Vec<&str>> = texts.iter().zip(widths).map(|(text, &width)| wrapped(text, width)).collect();
        for n in 0..cells.iter().map(Vec::len).max().unwrap_or(0) {
            let mut blanks = 0;
            for (column, (lines, &width)) in cells.iter().zip(widths).enumerate() {
                let text = lines.get(n).copied().unwrap_or_default();
                if !text.is_empty() {
                    let style = column.checked_sub(2).and_then(|at| styles.get(at)).copied().unwrap_or(plain);
                    write!(out, "{:blanks$}", "")?;
                    self.styled(text, style, out)?;
                    blanks = 0;
                }
                // Blanks are written when something follows them.
                blanks += width.saturating_sub(text.chars().count()) + GAP;
            }
            writeln!(out)?;
        }
        Ok(())
    }

    fn styled(&self, text: &str, style: Style, out: &mut dyn Write) -> io::Result<()> {
        match style.escape() {
            "" => out.write_all(text.as_bytes()),
            _ if !self.color => out.write_all(text.as_bytes()),
            escape => write!(out, "{escape}{text}\x1b[0m"),
        }
    }

    /// One conversion below the other, with its targets below it.
    fn stacked(&self, width: usize, out: &mut dyn Write) -> io::Result<()> {
        let names = &self.head[2..];
        let indent = 2 + names.iter().map(|name| name.chars().count()).max().unwrap_or(0) + GAP;
        for (texts, styles) in &self.rows {
            writeln!(out, "{}: {}", texts[0], texts[1])?;
            for ((name, text), &style) in names.iter().zip(&texts[2..]).zip(styles) {
                for (n, piece) in wrapped(text, width.saturating_sub(indent).max(NARROWEST)).into_iter().enumerate() {
                    let name = if n == 0 { name } else { "" };
                    write!(out, "  {name:width$}", width = indent - 2)?;
                    self.styled(piece, style, out)?;
                    writeln!(out)?;
                }
            }
        }
        Ok(())
    }
}

/// A text in lines of at most `width` characters, broken at blanks where there are any.
fn wrapped(text: &str, width: usize) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut rest = text;
    loop {
        let Some((end, _)) = rest.char_indices().nth(width.max(1)) else {
            lines.push(rest);
            return lines;
        };
        let (at, next) = match rest[..end].rfind(' ') {
            _ if rest[end..].starts_with(' ') => (end, end + 1),
            Some(blank) if blank > 0 => (blank, blank + 1),
            _ => (end, end),
        };
        lines.push(&rest[..at]);
        rest = &rest[next..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(width: Option<usize>, color: bool) -> String {
        let cell = |kind, text: &str| Cell { kind, text: text.to_owned() };
        let row = |cell| (7, "cvt.rn.bf16.f16 %h1, %h2".to_owned(), cell);
        let part = |cell| Part { path: "k.ptx".to_owned(), rows: vec![row(cell)] };
        let mut table = Table::new(width, color, false);
        let mut out = Vec::new();
        let (old, new) = (Target::plain(89), Target::plain(90));
        let illegal = cell(Kind::Illegal, "illegal: it requires sm_90");
        table.put(old, part(illegal), &mut out).expect("memory can be written");
        table.put(new, part(cell(Kind::Emitted, "F2F.BF16.F16 R0, R1")), &mut out).expect("memory can be written");
        table.finish(&mut out).expect("memory can be written");
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn columns_are_side_by_side() {
        let text = table(None, false);
        assert!(
            text.contains("7     cvt.rn.bf16.f16 %h1, %h2  illegal: it requires sm_90  ≠ F2F.BF16.F16 R0, R1\n"),
            "{text}"
        );
    }

    #[test]
    fn narrow_terminals_wrap_and_very_narrow_ones_stack() {
        let text = table(Some(72), false);
        assert!(text.lines().all(|line| line.chars().count() <= 72) && text.starts_with("line  conv"), "{text}");
        let text = table(Some(40), false);
        assert!(text.lines().all(|line| line.chars().count() <= 40) && text.starts_with("7: cvt"), "{text}");
        assert!(text.contains("\n  sm_90  ≠ F2F.BF16.F16 R0, R1\n"), "{text}");
    }

    #[test]
    fn colours_are_asked_for() {
        assert!(table(None, true).contains("\x1b[31millegal") && !table(None, false).contains('\x1b'));
    }

    #[test]
    fn long_words_are_broken() {
        assert_eq!(wrapped("abcdef gh", 4), ["abcd", "ef", "gh"]);
        assert_eq!(wrapped("ab cd ef", 5), ["ab cd", "ef"]);
        assert_eq!(wrapped("", 5), [""]);
    }
}
