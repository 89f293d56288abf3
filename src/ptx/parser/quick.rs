//! The statements that nearly all of a file consists of, read without the lexer.
//!
//! `add.s32 %r1, %r2, -4;`: names, numbers, addresses and vectors with blanks between them, on one line. What is here
//! takes these statements only and leaves the tree exactly as the general way does; of anything else it leaves no
//! trace, and the general way reads it from the opcode on. A name that is looked up twice keeps its meaning.

use super::key::{self, Numbered};
use super::{Parser, RECENT};
use crate::ptx::{Guard, Operand, OperandKind, Span, Statement, StatementKind};

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

/// The byte at a place; behind the end of the file a NUL, which is part of nothing.
#[inline(always)]
fn byte(source: &[u8], at: usize) -> u8 {
    source.get(at).copied().unwrap_or(0)
}

/// The place behind the blanks at `at`.
#[inline(always)]
fn blanks(source: &[u8], mut at: usize) -> usize {
    while matches!(byte(source, at), b' ' | b'\t') {
        at += 1;
    }
    at
}

/// The place behind blanks, line ends and comments up to the line's end.
#[inline]
fn line_blanks(source: &[u8], mut at: usize) -> usize {
    loop {
        match byte(source, at) {
            b' ' | b'\t' | b'\n' | b'\r' => at += 1,
            b'/' if byte(source, at + 1) == b'/' => {
                let rest = source.get(at..).unwrap_or_default();
                at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            }
            _ => return at,
        }
    }
}

/// The end of the name at `at`, if there is one without dots.
#[inline]
fn name_end(source: &[u8], at: usize) -> Option<usize> {
    let mut end = at + 1;
    while class(byte(source, end)) & REST != 0 {
        end += 1;
    }
    let first = class(byte(source, at));
    // a sign alone is an operator or a sink; a dot makes it a dotted name
    let other = first & LETTER == 0 && (first & SIGN == 0 || end == at + 1) || byte(source, end) == b'.';
    (!other).then_some(end)
}

/// The plain number at `at` and its end.
#[inline]
fn number(source: &[u8], at: usize) -> Option<(OperandKind, usize)> {
    if let Some((length, next)) = key::word(source, at).and_then(key::decimal)
        && class(next) == 0
        && next != b'.'
    {
        return Some((OperandKind::Integer, at + length as usize));
    }
    other_number(source, at)
}

fn other_number(source: &[u8], at: usize) -> Option<(OperandKind, usize)> {
    let (mut end, class_of_digits) = match (byte(source, at), byte(source, at + 1)) {
        (b'0', b'x' | b'X' | b'f' | b'F' | b'd' | b'D') => (at + 2, HEX),
        (b'0', _) => (at + 1, 0),
        (b'1'..=b'9', _) => (at + 1, DIGIT),
        _ => return None,
    };
    while class(byte(source, end)) & class_of_digits != 0 {
        end += 1;
    }
    if class(byte(source, end)) != 0 || byte(source, end) == b'.' {
        return None;
    }
    if class_of_digits != HEX {
        return Some((OperandKind::Integer, end));
    }
    match (byte(source, at + 1), end - at - 2) {
        (b'x' | b'X', 1..) => Some((OperandKind::Integer, end)),
        (b'f' | b'F', 8) | (b'd' | b'D', 16) => Some((OperandKind::Float, end)),
        _ => None,
    }
}

/// Three numbers, each with blanks before it; returns their end.
fn place(source: &[u8], mut at: usize) -> Option<usize> {
    for _ in 0..3 {
        let start = blanks(source, at);
        let (OperandKind::Integer, end) = number(source, start).filter(|_| start > at)? else { return None };
        at = end;
    }
    Some(at)
}

#[inline(always)]
fn span(start: usize, end: usize) -> Span {
    Span::new(start as u32, end as u32)
}

/// Where words of a window may begin.
const REACH: u32 = 256;

/// The next bytes of the text, read without asking for its end.
#[derive(Clone, Copy)]
struct Window<'s> {
    bytes: &'s [u8; REACH as usize + 8],
    start: usize,
}

impl<'s> Window<'s> {
    /// From here on another window is taken, so that there is always room for a name and what ends it.
    const FAR: u32 = 208;

    #[inline(always)]
    fn at(source: &'s [u8], start: usize) -> Option<Self> {
        Some(Self { bytes: source.get(start..)?.first_chunk()?, start })
    }

    #[inline(always)]
    fn byte(self, at: u32) -> u8 {
        self.bytes[(at % REACH) as usize]
    }

    #[inline(always)]
    fn word(self, at: u32) -> u64 {
        let at = (at % REACH) as usize;
        u64::from_le_bytes(self.bytes[at..at + 8].first_chunk().copied().unwrap_or_default())
    }

    /// The place behind the blanks at `at`.
    #[inline(always)]
    fn blanks(self, mut at: u32) -> u32 {
        while matches!(self.byte(at), b' ' | b'\t') && at < REACH - 1 {
            at += 1;
        }
        at
    }

    /// The place behind the byte at `at` and the blanks after it, of which there is mostly one.
    #[inline(always)]
    fn blanks_behind(self, at: u32) -> u32 {
        let at = at + 1 + u32::from(self.byte(at + 1) == b' ');
        if self.byte(at) <= b' ' { self.blanks(at) } else { at }
    }

    /// The place behind the blanks and line ends at the start.
    #[inline(always)]
    fn lines(self) -> u32 {
        let mut at = 0;
        while matches!(self.byte(at), b' ' | b'\t' | b'\n' | b'\r') && at < Self::FAR {
            at += 1;
        }
        at
    }

    #[inline(always)]
    fn place(self, at: u32) -> usize {
        self.start + at as usize
    }
}

impl<'s> Parser<'s> {
    /// Operands and `;` behind the opcode, which is the token. `None` where they are not of the usual kind; otherwise
    /// the end of the statement, where [`Self::quick_statements`] goes on.
    pub(super) fn quick_operands(&mut self) -> Option<u32> {
        #[cfg(any(test, fuzzing))]
        if self.general {
            return None;
        }
        if self.source.len() >= u32::MAX as usize - 512 {
            // places just behind the end would be no places
            return None;
        }
        let window = Window::at(self.source, self.span.end as usize)?;
        self.quick_list(self.source, window, 0).map(|end| end as u32)
    }

    /// The usual statements behind the one that ends at `end`; then the token is the first of the next one.
    pub(super) fn quick_statements(&mut self, end: u32) {
        let mut end = end as usize;
        // a snippet's names mean this or that
        if !self.snippet {
            while let Some(next) = self.quick_statement(self.source, end) {
                end = next;
            }
        }
        self.lexer.bump(end - self.span.end as usize);
        self.span.end = end as u32;
        self.advance();
    }

    /// The statement behind `at`, if its opcode is known and its operands are of the usual kind; returns its end.
    #[inline(always)]
    fn quick_statement(&mut self, source: &'s [u8], at: usize) -> Option<usize> {
        let mut window = Window::at(source, at)?;
        let mut start = window.lines();
        if window.byte(start) == b'/' || start == Window::FAR {
            window = Window::at(source, line_blanks(source, window.place(start)))?;
            start = 0;
        }
        match window.byte(start) {
            b'$' => self.quick_label(source, window.place(start)),
            b'.' => self.quick_location(source, window.place(start)),
            b'@' => self.quick_guarded(source, window, start),
            _ => self.quick_instruction(source, window, start, start, None),
        }
    }

    #[inline(never)]
    fn quick_guarded(&mut self, source: &'s [u8], window: Window<'s>, start: u32) -> Option<usize> {
        let negated = window.byte(start + 1) == b'!';
        let at = start + 1 + u32::from(negated);
        let word = Some(window.word(at)).filter(|&word| word as u8 == b'%')?;
        let name = Numbered::of(word).filter(|name| class(name.next) & (REST | SIGN) == 0)?;
        let end = at + name.length;
        let register =
            self.scopes.numbered(name, span(window.place(at), window.place(end)), &mut self.module.registers)?;
        self.quick_instruction(source, window, start, window.blanks(end), Some(Guard { register, negated }))
    }

    /// The instruction whose opcode is at `at`, and with its guard at `start`.
    #[inline(always)]
    fn quick_instruction(
        &mut self,
        source: &'s [u8],
        window: Window<'s>,
        start: u32,
        at: u32,
        guard: Option<Guard>,
    ) -> Option<usize> {
        // an opcode of 31 bytes that begins before this place ends within reach
        if at > Window::FAR + 8 {
            return None;
        }
        let (opcode, length) = key::opcode(|n| window.word(at + n * 8))?;
        let (known, id) = &self.known_opcodes[key::opcode_index(opcode) % RECENT];
        let id = *id;
        if !key::same_opcode(known, &opcode) || length == 0 {
            return None;
        }
        let opcode_end = at + length;
        let operands = self.module.operands.len();
        let end = self.quick_list(source, window, opcode_end)?;
        self.module.statements.push(Statement {
            kind: StatementKind::Instruction,
            guard,
            opcode: id,
            operands: operands as u32,
            operand_count: (self.module.operands.len() - operands) as u32,
            span: span(window.place(start), end),
            opcode_span: span(window.place(at), window.place(opcode_end)),
        });
        Some(end)
    }

    /// `$L__BB0_2:`
    fn quick_label(&mut self, source: &'s [u8], at: usize) -> Option<usize> {
        let end = name_end(source, at)?;
        if byte(source, end) != b':' {
            return None;
        }
        self.push_label(span(at, end), end as u32 + 1);
        Some(end + 1)
    }

    /// `.loc 1 2 3, function_name L, inlined_at 1 2 3`
    fn quick_location(&mut self, source: &'s [u8], at: usize) -> Option<usize> {
        const NAME: &[u8] = b".loc";
        const FUNCTION: &[u8] = b"function_name";
        const INLINED: &[u8] = b"inlined_at";
        let name = span(at, at + NAME.len());
        let starts = |at: usize, word: &[u8]| source.get(at..at + word.len()) == Some(word);
        if !starts(at, NAME) {
            return None;
        }
        let mut end = place(source, name.end as usize)?;
        while byte(source, end) == b',' {
            let word = blanks(source, end + 1);
            end = if starts(word, FUNCTION) {
                let name = blanks(source, word + FUNCTION.len());
                name_end(source, name).filter(|_| name > word + FUNCTION.len())?
            } else if starts(word, INLINED) {
                place(source, word + INLINED.len())?
            } else {
                return None;
            };
        }
        // it may go on with a comma on the next line, or behind a comment
        let next = line_blanks(source, end);
        if next == end || !matches!(byte(source, next), b'a'..=b'z' | b'$' | b'.' | b'@' | b'{' | b'}') {
            return None;
        }
        self.push_directive(name, end as u32);
        Some(end)
    }

    /// Operands and `;` behind an opcode that ends at `at`; leaves nothing where they are not of the usual kind.
    #[inline(always)]
    fn quick_list(&mut self, source: &'s [u8], mut window: Window<'s>, at: u32) -> Option<usize> {
        let keep = self.module.operands.len();
        // how many there are differs from line to line: a loop would be guessed wrong
        let mut at = at + key::blank_run(window.word(at));
        if window.byte(at) <= b' ' {
            at = window.blanks(at);
        }
        if window.byte(at) == b';' {
            return Some(window.place(at) + 1);
        }
        while let Some(mut end) = self.quick_operand(source, window, at) {
            if end > Window::FAR {
                let Some(next) = Window::at(source, window.place(end)) else { break };
                (window, end) = (next, 0);
            }
            if window.byte(end) <= b' ' {
                end = window.blanks(end);
            }
            match window.byte(end) {
                b',' => at = window.blanks_behind(end),
                b';' => return Some(window.place(end) + 1),
                _ => break,
            }
        }
        self.module.operands.truncate(keep);
        None
    }

    /// The operand at `at`; returns its end.
    #[inline(always)]
    fn quick_operand(&mut self, source: &'s [u8], window: Window<'s>, at: u32) -> Option<u32> {
        if let Some(end) = self.quick_numbered(window.word(at), window.place(at)) {
            return Some((end - window.start) as u32);
        }
        self.quick_other_operand(source, window.place(at)).map(|end| (end - window.start) as u32)
    }

    #[inline(never)]
    fn quick_other_operand(&mut self, source: &'s [u8], at: usize) -> Option<usize> {
        match byte(source, at) {
            b'[' => self.quick_address(source, at),
            b'{' => self.quick_vector(source, at),
            b'-' | b'0'..=b'9' => self.quick_number(source, at),
            _ => self.quick_other_name(source, at),
        }
    }

    /// `%r12`, if it is of a range that was looked up not long ago.
    #[inline(always)]
    fn quick_numbered(&mut self, word: u64, at: usize) -> Option<usize> {
        if word as u8 != b'%' {
            return None;
        }
        let numbered = Numbered::of(word)?;
        if class(numbered.next) & (REST | SIGN) != 0 {
            return None;
        }
        let end = at + numbered.length as usize;
        let name = span(at, end);
        let id = self.scopes.numbered(numbered, name, &mut self.module.registers)?;
        self.push(OperandKind::Register(id), name);
        Some(end)
    }

    #[inline]
    fn quick_name(&mut self, source: &'s [u8], at: usize) -> Option<usize> {
        if let Some(end) = key::word(source, at).and_then(|word| self.quick_numbered(word, at)) {
            return Some(end);
        }
        self.quick_other_name(source, at)
    }

    /// A name that is not of a range of registers that was looked up not long ago, or a longer one.
    fn quick_other_name(&mut self, source: &'s [u8], at: usize) -> Option<usize> {
        let text = source.get(at..at + 16).and_then(<[u8]>::first_chunk);
        let Some((name, length)) = text.and_then(key::name) else {
            return self.quick_long_name(source, at);
        };
        let end = at + length as usize;
        let place = span(at, end);
        let numbered = key::split(name, length)
            .and_then(|split| self.scopes.long_numbered(split, place, &mut self.module.registers));
        let id = numbered.or_else(|| self.scopes.known(name));
        let Some(id) = id else { return self.quick_long_name(source, at) };
        self.push(OperandKind::Register(id), place);
        Some(end)
    }

    fn quick_long_name(&mut self, source: &'s [u8], at: usize) -> Option<usize> {
        let end = name_end(source, at)?;
        let place = span(at, end);
        let kind = self.resolve(place);
        self.push(kind, place);
        if let OperandKind::Register(id) = kind
            // a snippet's name may be a label in the next statement
            && !self.snippet
            && let Some(name) = key::known_name(place.of(source))
        {
            self.scopes.remember(name, id);
        }
        Some(end)
    }

    #[inline]
    fn quick_number(&mut self, source: &'s [u8], at: usize) -> Option<usize> {
        let start = if byte(source, at) == b'-' { at + 1 } else { at };
        let (kind, end) = number(source, start)?;
        if start > at {
            self.push(OperandKind::Negated, span(at, end));
        }
        self.push(kind, span(start, end));
        Some(end)
    }

    /// `[a]`, `[a+8]`
    fn quick_address(&mut self, source: &'s [u8], at: usize) -> Option<usize> {
        let place = self.module.operands.len();
        self.push(OperandKind::Address(1), Span::default());
        let mut end = self.quick_name(source, blanks(source, at + 1))?;
        end = blanks(source, end);
        if byte(source, end) == b'+' {
            end = self.quick_number(source, blanks(source, end + 1))?;
            end = blanks(source, end);
            self.module.operands[place].kind = OperandKind::Address(2);
        }
        self.module.operands[place].span = span(at, end + 1);
        (byte(source, end) == b']').then_some(end + 1)
    }

    /// `{a, b}`
    fn quick_vector(&mut self, source: &'s [u8], at: usize) -> Option<usize> {
        let place = self.module.operands.len();
        self.push(OperandKind::Vector(0), Span::default());
        let (mut end, mut count) = (at + 1, 0_u16);
        loop {
            end = self.quick_name(source, blanks(source, end))?;
            end = blanks(source, end);
            count = count.checked_add(1)?;
            match byte(source, end) {
                b',' => end += 1,
                _ => break,
            }
        }
        self.module.operands[place] = Operand { kind: OperandKind::Vector(count), span: span(at, end + 1) };
        (byte(source, end) == b'}').then_some(end + 1)
    }
}

#[cfg(test)]
mod tests;
