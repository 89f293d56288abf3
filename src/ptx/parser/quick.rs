//! The statements that nearly all of a file consists of, read without the lexer.
//!
//! `add.s32 %r1, %r2, -4;`: names, numbers, addresses and vectors with blanks between them, on one line. What is here
//! takes these statements only and leaves the tree exactly as the general way does; of anything else it leaves no
//! trace, and the general way reads it from the opcode on. A name that is looked up twice keeps its meaning.

use super::Parser;
use super::key::Short;
use crate::ptx::{Operand, OperandKind, Span};

/// A letter, which begins a name.
const LETTER: u8 = 1;
/// `_`, `$` or `%`, which begin a name when more of it follows.
const SIGN: u8 = 2;
/// A decimal digit.
const DIGIT: u8 = 4;
/// A hexadecimal digit.
const HEX: u8 = 8;
/// What a name goes on with.
const REST: u8 = 16;

const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut at = 0;
    while at < 256 {
        let byte = at as u8;
        classes[at] = match byte {
            b'0'..=b'9' => DIGIT | HEX | REST,
            b'a'..=b'f' | b'A'..=b'F' => LETTER | HEX | REST,
            b'g'..=b'z' | b'G'..=b'Z' => LETTER | REST,
            b'_' | b'$' => SIGN | REST,
            b'%' => SIGN,
            _ => 0,
        };
        at += 1;
    }
    classes
};

#[inline]
fn class(byte: u8) -> u8 {
    CLASSES[byte as usize]
}

impl Parser<'_> {
    /// Operands and `;` behind the opcode, which is the token. `None` where they are not of the usual kind; otherwise
    /// the end of the statement, and the token is the first of the next one.
    #[inline]
    pub(super) fn quick_operands(&mut self) -> Option<u32> {
        if self.source.len() >= u32::MAX as usize - 64 {
            // places just behind the end would be no places
            return None;
        }
        let keep = self.module.operands.len();
        match self.quick_list() {
            Some(end) => {
                self.lexer.bump((end - self.span.end) as usize);
                self.span.end = end;
                self.advance();
                Some(end)
            }
            None => {
                self.module.operands.truncate(keep);
                None
            }
        }
    }

    fn quick_list(&mut self) -> Option<u32> {
        let mut at = self.blanks(self.span.end);
        if self.byte(at) == b';' {
            return Some(at + 1);
        }
        loop {
            at = self.quick_operand(at)?;
            at = self.blanks(at);
            match self.byte(at) {
                b',' => at = self.blanks(at + 1),
                b';' => return Some(at + 1),
                _ => return None,
            }
        }
    }

    /// The operand at `at`; returns its end.
    #[inline]
    fn quick_operand(&mut self, at: u32) -> Option<u32> {
        match self.byte(at) {
            b'[' => self.quick_address(at),
            b'{' => self.quick_vector(at),
            b'-' | b'0'..=b'9' => self.quick_number(at),
            _ => self.quick_name(at),
        }
    }

    #[inline]
    fn quick_name(&mut self, at: u32) -> Option<u32> {
        if let Some(bytes) = self.source.get(at as usize..).and_then(<[u8]>::first_chunk) {
            let short = Short::of(bytes);
            let span = Span::new(at, at + short.length);
            // what begins with a digit, or goes on with a dot, is no name; it is in no range of registers either
            if short.length > 0
                && self.byte(span.end) != b'.'
                && let Some(id) = self.scopes.resolve_short(short, span, &mut self.module.registers)
            {
                self.push(OperandKind::Register(id), span);
                return Some(span.end);
            }
        }
        self.quick_long_name(at)
    }

    fn quick_long_name(&mut self, at: u32) -> Option<u32> {
        let mut end = at + 1;
        while class(self.byte(end)) & REST != 0 {
            end += 1;
        }
        let first = class(self.byte(at));
        // a sign alone is an operator or a sink; a dot makes it a dotted name
        if first & LETTER == 0 && (first & SIGN == 0 || end == at + 1) || self.byte(end) == b'.' {
            return None;
        }
        let span = Span::new(at, end);
        let kind = self.resolve(span);
        self.push(kind, span);
        Some(end)
    }

    #[inline]
    fn quick_number(&mut self, at: u32) -> Option<u32> {
        let start = if self.byte(at) == b'-' { at + 1 } else { at };
        let (kind, end) = self.number(start)?;
        if start > at {
            self.push(OperandKind::Negated, Span::new(at, end));
        }
        self.push(kind, Span::new(start, end));
        Some(end)
    }

    /// The plain number at `at` and its end.
    fn number(&self, at: u32) -> Option<(OperandKind, u32)> {
        let (mut end, class_of_digits) = match (self.byte(at), self.byte(at + 1)) {
            (b'0', b'x' | b'X' | b'f' | b'F' | b'd' | b'D') => (at + 2, HEX),
            (b'0', _) => (at + 1, 0),
            (b'1'..=b'9', _) => (at + 1, DIGIT),
            _ => return None,
        };
        while class(self.byte(end)) & class_of_digits != 0 {
            end += 1;
        }
        if class(self.byte(end)) != 0 || self.byte(end) == b'.' {
            return None;
        }
        if class_of_digits != HEX {
            return Some((OperandKind::Integer, end));
        }
        match (self.byte(at + 1), end - at - 2) {
            (b'x' | b'X', 1..) => Some((OperandKind::Integer, end)),
            (b'f' | b'F', 8) | (b'd' | b'D', 16) => Some((OperandKind::Float, end)),
            _ => None,
        }
    }

    /// `[a]`, `[a+8]`
    fn quick_address(&mut self, at: u32) -> Option<u32> {
        let place = self.module.operands.len();
        self.push(OperandKind::Address(1), Span::default());
        let mut end = self.quick_name(self.blanks(at + 1))?;
        end = self.blanks(end);
        if self.byte(end) == b'+' {
            end = self.quick_number(self.blanks(end + 1))?;
            end = self.blanks(end);
            self.module.operands[place].kind = OperandKind::Address(2);
        }
        self.quick_close(place, at, end, b']')
    }

    /// `{a, b}`
    fn quick_vector(&mut self, at: u32) -> Option<u32> {
        let place = self.module.operands.len();
        self.push(OperandKind::Vector(0), Span::default());
        let (mut end, mut count) = (at + 1, 0_u16);
        loop {
            end = self.quick_name(self.blanks(end))?;
            end = self.blanks(end);
            count = count.checked_add(1)?;
            match self.byte(end) {
                b',' => end += 1,
                _ => break,
            }
        }
        self.module.operands[place].kind = OperandKind::Vector(count);
        self.quick_close(place, at, end, b'}')
    }

    /// The end of a parent that begins at `at`: behind the byte at `end`, which has to be `close`.
    fn quick_close(&mut self, place: usize, at: u32, end: u32, close: u8) -> Option<u32> {
        let Operand { span, .. } = &mut self.module.operands[place];
        *span = Span::new(at, end + 1);
        (self.byte(end) == close).then_some(end + 1)
    }

    /// The byte at `at`; behind the end of the file a NUL, which is part of nothing.
    #[inline]
    fn byte(&self, at: u32) -> u8 {
        self.source.get(at as usize).copied().unwrap_or(0)
    }

    /// The place behind the blanks at `at`.
    #[inline]
    fn blanks(&self, mut at: u32) -> u32 {
        while matches!(self.byte(at), b' ' | b'\t') {
            at += 1;
        }
        at
    }
}
