//! The statements that nearly all of a file consists of, read without the lexer.
//!
//! `add.s32 %r1, %r2, -4;`: names, numbers, addresses and vectors with blanks between them, on one line. What is here
//! takes these statements only and leaves the tree exactly as the general way does; of anything else it leaves no
//! trace, and the general way reads it from the opcode on. A name that is looked up twice keeps its meaning.

use super::key::{self, Numbered};
use super::{Parser, RECENT};
use crate::ptx::{Guard, Operand, OperandKind, RegId, Span, Statement, StatementKind};

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
    /// the end of the statement, where [`Self::quick_statements`] goes on.
    #[inline]
    pub(super) fn quick_operands(&mut self) -> Option<u32> {
        #[cfg(any(test, fuzzing))]
        if self.general {
            return None;
        }
        if self.source.len() >= u32::MAX as usize - 64 {
            // places just behind the end would be no places
            return None;
        }
        let keep = self.module.operands.len();
        let end = self.quick_list(self.span.end);
        if end.is_none() {
            self.module.operands.truncate(keep);
        }
        end
    }

    /// The usual statements behind the one that ends at `end`; then the token is the first of the next one.
    pub(super) fn quick_statements(&mut self, mut end: u32) {
        // a snippet's names mean this or that
        if !self.snippet {
            while let Some(next) = self.quick_statement(end) {
                end = next;
            }
        }
        self.lexer.bump((end - self.span.end) as usize);
        self.span.end = end;
        self.advance();
    }

    /// The statement behind `at`, if its opcode is known and its operands are of the usual kind; returns its end.
    #[inline]
    fn quick_statement(&mut self, at: u32) -> Option<u32> {
        let start = self.line_blanks(at);
        match self.byte(start) {
            b'$' => self.quick_label(start),
            b'.' => self.quick_location(start),
            b'@' => {
                let negated = self.byte(start + 1) == b'!';
                let at = start + 1 + u32::from(negated);
                let name = Numbered::of(self.source.get(at as usize..)?.first_chunk()?, key::blanks)?;
                let span = Span::new(at, at + name.length);
                let register = self.scopes.numbered(name, span, &mut self.module.registers)?;
                self.quick_instruction(start, self.blanks(span.end), Some(Guard { register, negated }))
            }
            _ => self.quick_instruction(start, start, None),
        }
    }

    /// The instruction whose opcode is at `at`, and with its guard at `start`.
    #[inline(always)]
    fn quick_instruction(&mut self, start: u32, at: u32, guard: Option<Guard>) -> Option<u32> {
        let (opcode, length) = key::opcode(self.source.get(at as usize..)?.first_chunk()?)?;
        let (known, id) = &self.known_opcodes[key::opcode_index(opcode) % RECENT];
        let id = *id;
        if !key::same_opcode(known, &opcode) || length == 0 {
            return None;
        }
        let opcode_span = Span::new(at, at + length);
        let operands = self.module.operands.len();
        let Some(end) = self.quick_list(opcode_span.end) else {
            self.module.operands.truncate(operands);
            return None;
        };
        self.module.statements.push(Statement {
            kind: StatementKind::Instruction,
            guard,
            opcode: id,
            operands: operands as u32,
            operand_count: (self.module.operands.len() - operands) as u32,
            span: Span::new(start, end),
            opcode_span,
        });
        Some(end)
    }

    /// `$L__BB0_2:`
    fn quick_label(&mut self, at: u32) -> Option<u32> {
        let name = Span::new(at, self.name_end(at)?);
        if self.byte(name.end) != b':' {
            return None;
        }
        self.push_label(name, name.end + 1);
        Some(name.end + 1)
    }

    /// `.loc 1 2 3, function_name L, inlined_at 1 2 3`
    fn quick_location(&mut self, at: u32) -> Option<u32> {
        const NAME: &[u8] = b".loc";
        let name = Span::new(at, at + NAME.len() as u32);
        if self.source.get(at as usize..name.end as usize) != Some(NAME) {
            return None;
        }
        let mut end = self.quick_place(name.end)?;
        while self.byte(end) == b',' {
            let word = self.blanks(end + 1);
            end = self.name_end(word)?;
            end = match Span::new(word, end).of(self.source) {
                b"function_name" => {
                    let name = self.blanks(end);
                    self.name_end(name).filter(|_| name > end)?
                }
                b"inlined_at" => self.quick_place(end)?,
                _ => return None,
            };
        }
        // it may go on with a comma on the next line, or behind a comment
        let next = self.line_blanks(end);
        if next == end || !matches!(self.byte(next), b'a'..=b'z' | b'$' | b'.' | b'@' | b'{' | b'}') {
            return None;
        }
        self.push_directive(name, end);
        Some(end)
    }

    /// Three numbers, each with blanks before it; returns their end.
    fn quick_place(&self, mut at: u32) -> Option<u32> {
        for _ in 0..3 {
            let start = self.blanks(at);
            let (OperandKind::Integer, end) = self.number(start).filter(|_| start > at)? else { return None };
            at = end;
        }
        Some(at)
    }

    /// The end of the name at `at`, if there is one without dots.
    #[inline]
    fn name_end(&self, at: u32) -> Option<u32> {
        let mut end = at + 1;
        while class(self.byte(end)) & REST != 0 {
            end += 1;
        }
        let first = class(self.byte(at));
        // a sign alone is an operator or a sink; a dot makes it a dotted name
        let other = first & LETTER == 0 && (first & SIGN == 0 || end == at + 1) || self.byte(end) == b'.';
        (!other).then_some(end)
    }

    /// The place behind blanks, line ends and comments up to the line's end.
    #[inline]
    fn line_blanks(&self, mut at: u32) -> u32 {
        loop {
            match self.byte(at) {
                b' ' | b'\t' | b'\n' | b'\r' => at += 1,
                b'/' if self.byte(at + 1) == b'/' => {
                    let rest = self.source.get(at as usize..).unwrap_or_default();
                    at += memchr::memchr(b'\n', rest).unwrap_or(rest.len()) as u32;
                }
                _ => return at,
            }
        }
    }

    /// Operands and `;` behind an opcode that ends at `at`.
    #[inline]
    fn quick_list(&mut self, at: u32) -> Option<u32> {
        let mut at = self.blanks(at);
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
    #[inline(always)]
    fn quick_operand(&mut self, at: u32) -> Option<u32> {
        match self.byte(at) {
            b'%' => self.quick_name(at),
            b'[' => self.quick_address(at),
            b'{' => self.quick_vector(at),
            b'-' | b'0'..=b'9' => self.quick_number(at),
            _ => self.quick_other_name(at),
        }
    }

    #[inline(always)]
    fn quick_name(&mut self, at: u32) -> Option<u32> {
        if let Some(text) = self.source.get(at as usize..).and_then(<[u8]>::first_chunk)
            && let Some(numbered) = Numbered::of(text, key::ends)
        {
            let span = Span::new(at, at + numbered.length);
            if let Some(id) = self.scopes.numbered(numbered, span, &mut self.module.registers) {
                self.push(OperandKind::Register(id), span);
                return Some(span.end);
            }
        }
        self.quick_other_name(at)
    }

    /// A name that is not of a range of registers that was looked up not long ago.
    #[inline(never)]
    fn quick_other_name(&mut self, at: u32) -> Option<u32> {
        let text = self.source.get(at as usize..).and_then(<[u8]>::first_chunk);
        if let Some((name, length)) = text.and_then(key::name)
            && let Some(id) = self.scopes.known(name)
        {
            let span = Span::new(at, at + length);
            self.push(OperandKind::Register(id), span);
            return Some(span.end);
        }
        self.quick_long_name(at)
    }

    fn quick_long_name(&mut self, at: u32) -> Option<u32> {
        let end = self.name_end(at)?;
        let span = Span::new(at, end);
        let kind = self.resolve(span);
        self.push(kind, span);
        if let OperandKind::Register(id) = kind {
            self.remember(span, id);
        }
        Some(end)
    }

    fn remember(&mut self, name: Span, id: RegId) {
        // a snippet's name may be a label in the next statement
        if !self.snippet
            && let Some(name) = key::known_name(name.of(self.source))
        {
            self.scopes.remember(name, id);
        }
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

#[cfg(test)]
mod tests;
