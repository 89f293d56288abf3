//! Source text made fit to print.

use std::borrow::Cow;
use std::fmt;

/// A statement on one line: comments taken out, blanks and line ends become single blanks.
///
/// The comments have to go because listings are searched for `/*…*/` addresses.
pub fn one_line(bytes: &[u8]) -> Cow<'_, str> {
    let plain = bytes
        .iter()
        .zip(bytes.iter().skip(1).chain([&b';']))
        .all(|(&b, &next)| matches!(b, b'!'..=b'~' if b != b'/') || (b == b' ' && next != b' '));
    if plain && let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut line = Vec::with_capacity(bytes.len());
    if memchr::memchr(b'/', bytes).is_none() {
        for word in bytes.split(|byte| byte.is_ascii_control() || *byte == b' ').filter(|word| !word.is_empty()) {
            if !line.is_empty() {
                line.push(b' ');
            }
            line.extend_from_slice(word);
        }
        return Cow::Owned(text(line));
    }
    let mut rest = bytes;
    while let [first, tail @ ..] = rest {
        let skipped = match (first, tail.first()) {
            (b'/', Some(b'/')) => memchr::memchr(b'\n', rest).unwrap_or(rest.len()),
            (b'/', Some(b'*')) => memchr::memmem::find(&rest[2..], b"*/").map_or(rest.len(), |end| end + 4),
            _ if first.is_ascii_whitespace() || first.is_ascii_control() => 1,
            _ => {
                line.push(*first);
                rest = tail;
                continue;
            }
        };
        if line.last().is_some_and(|&b| b != b' ') {
            line.push(b' ');
        }
        rest = &rest[skipped..];
    }
    line.truncate(line.trim_ascii_end().len());
    Cow::Owned(text(line))
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// Bytes as text; the usual case, valid and borrowed, is the quick one.
pub fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(bytes),
    }
}

/// Shows a text without control characters: what comes from a file must not steer the terminal or break a line.
pub struct Printable<'a>(pub &'a str);

impl fmt::Display for Printable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut first = true;
        for piece in self.0.split(char::is_control) {
            if !first {
                f.write_str("\u{fffd}")?;
            }
            first = false;
            f.write_str(piece)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_come_on_one_line() {
        let line = |text: &'static str| one_line(text.as_bytes());
        assert!(matches!(line("cvt.s32.s8 %r1, %rs1;"), Cow::Borrowed(_)));
        assert_eq!(line("cvt.rzi.s32.f32 \t%r1, %f1;"), "cvt.rzi.s32.f32 %r1, %f1;");
        assert_eq!(line("cvt.s32.s8 // why\r\n  %r1,/* a\nb */%rs1;"), "cvt.s32.s8 %r1, %rs1;");
        assert_eq!(line("cvt /* open"), "cvt");
        assert_eq!(one_line(b"cvt.s32 \xff\0;"), "cvt.s32 \u{fffd} ;");
    }

    #[test]
    fn control_characters_are_not_printed() {
        assert_eq!(Printable("a\x1b[31mb\n").to_string(), "a\u{fffd}[31mb\u{fffd}");
    }
}
