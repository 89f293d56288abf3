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
        push_words(bytes, &mut line);
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

/// Adds a statement as [`one_line`] gives it.
pub fn push_one_line(bytes: &[u8], out: &mut Vec<u8>) {
    if bytes.is_ascii() && memchr::memchr(b'/', bytes).is_none() {
        push_words(bytes, out);
    } else {
        out.extend_from_slice(one_line(bytes).as_bytes());
    }
}

/// What stands between blanks and control characters, with single blanks.
fn push_words(mut bytes: &[u8], out: &mut Vec<u8>) {
    let is_blank = |&byte: &u8| byte == b' ' || byte.is_ascii_control();
    let mut first = true;
    while let Some(start) = bytes.iter().position(|byte| !is_blank(byte)) {
        let rest = &bytes[start..];
        let end = rest.iter().position(is_blank).unwrap_or(rest.len());
        if !std::mem::take(&mut first) {
            out.push(b' ');
        }
        out.extend_from_slice(&rest[..end]);
        bytes = &rest[end..];
    }
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
        for bytes in [&b"\tcvt.s32.s8  %r1,\r\n %rs1 ;"[..], b"", b"cvt.s32 \xff\0;", b"cvt/**/.s8 \t%r1;"] {
            let mut pushed = b"// ".to_vec();
            push_one_line(bytes, &mut pushed);
            assert_eq!(pushed, [b"// ", one_line(bytes).as_bytes()].concat());
        }
    }

    #[test]
    fn control_characters_are_not_printed() {
        assert_eq!(Printable("a\x1b[31mb\n").to_string(), "a\u{fffd}[31mb\u{fffd}");
    }
}
