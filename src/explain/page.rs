//! Laying out text for a terminal.

use std::fmt::Write;

/// The width that pages are laid out for.
const WIDTH: usize = 100;

/// Adds a paragraph, broken at blanks, each line behind `indent`.
pub fn paragraph(text: &str, indent: &str, out: &mut String) {
    hanging(text, indent, indent, out);
}

/// Adds a paragraph whose first line stands behind `first` and the others behind `rest`.
pub fn hanging(text: &str, first: &str, rest: &str, out: &mut String) {
    let (mut line, mut empty) = (first.to_owned(), true);
    for word in text.split_whitespace() {
        if !empty && line.chars().count() + 1 + word.chars().count() > WIDTH {
            let _ = writeln!(out, "{}", line.trim_end());
            rest.clone_into(&mut line);
            empty = true;
        }
        if !empty {
            line.push(' ');
        }
        line.push_str(word);
        empty = false;
    }
    let _ = writeln!(out, "{}", line.trim_end());
}

/// Adds words in columns.
pub fn columns(words: &[&str], indent: &str, out: &mut String) {
    let widest = words.iter().map(|w| w.chars().count()).max().unwrap_or(0) + 2;
    let per_line = ((WIDTH - indent.len()) / widest.max(1)).max(1);
    for row in words.chunks(per_line) {
        let mut line = indent.to_owned();
        for word in row {
            let _ = write!(line, "{word:<widest$}");
        }
        let _ = writeln!(out, "{}", line.trim_end());
    }
}

/// Adds the lines of a piece of code behind four blanks.
pub fn code(text: &str, out: &mut String) {
    for line in text.trim_end().lines() {
        let _ = writeln!(out, "    {line}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_at_blanks() {
        let mut out = String::new();
        hanging(&"word ".repeat(40), "* ", "  ", &mut out);
        assert!(out.starts_with("* word word"));
        assert!(out.lines().skip(1).all(|l| l.starts_with("  word") && l.len() <= WIDTH));
        assert_eq!(out.matches("word").count(), 40);
    }
}
