//! Choosing forms by their text.

use std::fmt;

/// What a form's opcode has to look like.
///
/// With `*` or `?` it is a glob for the whole opcode: `*.bf16.*`. Without, it is dotted parts that have to stand in a
/// row: `bf16` is in `cvt.f32.bf16` and not in `cvt.rn.bf16x2.f32`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern(String);

impl Pattern {
    /// A pattern from its text.
    pub fn new(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// Whether an opcode is like that.
    pub fn matches(&self, opcode: &str) -> bool {
        if self.0.contains(['*', '?']) {
            return glob(self.0.as_bytes(), opcode.as_bytes());
        }
        let wanted = self.0.trim_matches('.');
        opcode.match_indices(wanted).any(|(at, _)| {
            let (before, after) = (&opcode[..at], &opcode[at + wanted.len()..]);
            (before.is_empty() || before.ends_with('.')) && (after.is_empty() || after.starts_with('.'))
        })
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whether `text` is as `pattern` says, `*` being any characters and `?` any one.
fn glob(mut pattern: &[u8], mut text: &[u8]) -> bool {
    // Where the last star stood, and the text that it has not yet taken.
    let mut retry: Option<(&[u8], &[u8])> = None;
    loop {
        match (pattern, text) {
            ([b'*', rest @ ..], _) => {
                retry = Some((rest, text));
                pattern = rest;
            }
            ([], []) => return true,
            ([p, rest @ ..], [t, tail @ ..]) if *p == b'?' || p == t => (pattern, text) = (rest, tail),
            _ => match retry {
                Some((rest, [_, tail @ ..])) => {
                    retry = Some((rest, tail));
                    (pattern, text) = (rest, tail);
                }
                _ => return false,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_stand_in_a_row() {
        let matches = |pattern: &str, text: &str| Pattern::new(pattern).matches(text);
        assert!(matches("bf16", "cvt.f32.bf16") && matches(".bf16.", "cvt.rn.bf16.f32"));
        assert!(!matches("bf16", "cvt.rn.bf16x2.f32") && !matches("cvt.rn", "cvt.rni.s32.f32"));
        assert!(matches("cvt.rn", "cvt.rn.f16.f32") && matches("f16.f32", "cvt.rn.f16.f32"));
        assert!(!matches("rn.f32", "cvt.rn.f16.f32"));
    }

    #[test]
    fn stars_and_question_marks_are_a_glob() {
        let matches = |pattern: &str, text: &str| Pattern::new(pattern).matches(text);
        assert!(matches("*.bf16.*", "cvt.rn.bf16.f32") && !matches("*.bf16.*", "cvt.f32.bf16"));
        assert!(matches("cvt.r?i.s32.*", "cvt.rzi.s32.f32") && !matches("cvt.r?i", "cvt.rzi.s32.f32"));
        assert!(matches("*f32", "cvt.rn.f32.f32") && matches("*", "") && !matches("?", ""));
    }
}
