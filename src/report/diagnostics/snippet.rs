//! The few characters of source shown with a finding.
//!
//! A snippet is cut out of the file before it reaches the renderer: files have millions of lines and lines have
//! 100,000 characters, and what is no UTF-8 is shown with replacement characters at offsets that still fit.

use miette::{MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};

use super::Findings;
use crate::ptx::Span;

/// The longest marked piece that is shown, in bytes.
const MOST_MARKED: usize = 120;

/// Bytes shown of a line before and after the marked piece.
const MARGIN: usize = 100;

/// A cut of a file, with its place in it.
#[derive(Debug)]
pub(super) struct Snippet {
    name: String,
    text: String,
    /// The marked place, from 0.
    line: usize,
    column: usize,
    /// Line of the text's first character, from 0.
    first_line: usize,
    /// The marked piece within the text.
    pub(super) mark: SourceSpan,
}

impl Snippet {
    /// Cuts out the line of `span` with one line before and after.
    pub(super) fn new(findings: &Findings<'_, '_>, span: Span) -> Self {
        let source = findings.source;
        let start = (span.start as usize).min(source.len());
        let line_start = memchr::memrchr(b'\n', &source[..start]).map_or(0, |newline| newline + 1);
        let line_end = start + memchr::memchr(b'\n', &source[start..]).unwrap_or(source.len() - start);
        let end = (span.end as usize).clamp(start, line_end).min(start + MOST_MARKED);

        let mut text = String::new();
        let (line, column) = findings.lines.place(span.start);
        let (line, column) = (line.saturating_sub(1) as usize, column.saturating_sub(1) as usize);
        let mut first_line = line;
        if line_start > 0 && source[line_start - 1] == b'\n' {
            let previous_end = line_start - 1;
            let previous = memchr::memrchr(b'\n', &source[..previous_end]).map_or(0, |at| at + 1);
            push_cut(&mut text, source, previous, previous_end, false);
            text.push('\n');
            first_line = line.saturating_sub(1);
        }
        push_cut(&mut text, source, line_start, start, true);
        let mark_start = text.len();
        push(&mut text, &source[start..end]);
        let mark = SourceSpan::new(mark_start.into(), text.len() - mark_start);
        push_cut(&mut text, source, end, line_end, false);
        if line_end + 1 < source.len() {
            let next = line_end + 1;
            let next_end = next + memchr::memchr(b'\n', &source[next..]).unwrap_or(source.len() - next);
            text.push('\n');
            push_cut(&mut text, source, next, next_end, false);
        }
        Self { name: findings.path.to_string(), text, line, column, first_line, mark }
    }
}

/// Appends the piece, its end or its start replaced by an ellipsis when it is long.
fn push_cut(text: &mut String, source: &[u8], start: usize, end: usize, keep_end: bool) {
    let piece = &source[start..end];
    if piece.len() <= MARGIN {
        push(text, piece.strip_suffix(b"\r").unwrap_or(piece));
    } else if keep_end {
        text.push('…');
        let kept = &piece[piece.len() - MARGIN..];
        let torn = kept.iter().take(3).take_while(|&&b| b & 0xc0 == 0x80).count();
        push(text, &kept[torn..]);
    } else {
        let mut kept = MARGIN;
        while kept > MARGIN - 3 && piece[kept] & 0xc0 == 0x80 {
            kept -= 1;
        }
        push(text, &piece[..kept]);
        text.push('…');
    }
}

/// Appends bytes as characters that can be printed.
fn push(text: &mut String, bytes: &[u8]) {
    let visible = |c: char| {
        if c.is_control() && c != '\t' { '\u{fffd}' } else { c }
    };
    text.extend(String::from_utf8_lossy(bytes).chars().map(visible));
}

impl SourceCode for Snippet {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        context_lines_before: usize,
        context_lines_after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let contents = self.text.as_bytes().read_span(span, context_lines_before, context_lines_after)?;
        // Without context lines only the heading is asked for: the marked place itself.
        let heading = context_lines_before == 0 && context_lines_after == 0;
        Ok(Box::new(MietteSpanContents::new_named(
            self.name.clone(),
            contents.data(),
            *contents.span(),
            if heading { self.line } else { self.first_line + contents.line() },
            if heading { self.column } else { contents.column() },
            contents.line_count(),
        )))
    }
}
