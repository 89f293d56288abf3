//! The parser: from bytes to the syntax tree, and on past every error.
//!
//! It is written by hand, without recursion, and pulls its tokens as it goes. A statement costs no allocation:
//! it is a few pushes onto the module's flat tables. An error is noted and the parser goes on where the next
//! statement seems to begin.

mod body;
mod declarations;
mod key;
mod operands;
mod quick;
mod scopes;
mod special;
mod toplevel;

use std::borrow::Cow;

use logos::Logos;
use rustc_hash::{FxHashMap, FxHashSet};

use self::scopes::{Meaning, Scopes};
use super::error::SyntaxError;
use super::lexer::Token;
use super::span::Span;
use super::syntax::{Module, NameId, Opcode, OpcodeId, Operand, OperandKind, RegId, Register, Renumbered};

/// Findings past this number are not kept: a binary file has one every few bytes.
const MAX_ERRORS: usize = 10_000;

/// Source length up to which memory is reserved from an estimate.
const RESERVE_FOR: usize = 64 << 20;

/// Reads a PTX module, or a bare list of statements.
///
/// It always returns what it understood; the errors are in the order in which they were noticed. Nothing in the bytes makes it
/// panic, and its memory is bounded by a small multiple of the input.
pub fn parse(source: &[u8]) -> (Module<'_>, Vec<SyntaxError>) {
    let mut reader = Reader::new(source);
    let parser = &mut reader.parser;
    if parser.source.len() <= RESERVE_FOR {
        // shares of typical files; what is not filled is never touched and costs no memory
        parser.module.statements.reserve(parser.source.len() / 24);
        parser.module.operands.reserve(parser.source.len() / 9);
    }
    while reader.next_function() {}
    reader.finish()
}

/// As [`parse`], every statement in the general way: what [`parse`] has to give.
#[cfg(any(test, fuzzing))]
pub fn parse_in_general(source: &[u8]) -> (Module<'_>, Vec<SyntaxError>) {
    let mut reader = Reader::new(source);
    reader.parser.general = true;
    while reader.next_function() {}
    reader.finish()
}

/// Reads a module function by function, so that not all of its statements have to be held at once.
///
/// As [`parse`], it never fails as a whole.
pub struct Reader<'s> {
    parser: Parser<'s>,
}

impl<'s> Reader<'s> {
    /// A reader at the start of a text.
    pub fn new(source: &'s [u8]) -> Self {
        if u32::try_from(source.len()).is_err() {
            let mut parser = Parser::new(&[]);
            parser.errors.push(SyntaxError::FileTooLarge { length: source.len() as u64 });
            return Self { parser };
        }
        Self { parser: Parser::new(source) }
    }

    /// A reader of the part of a module up to `end` that begins behind a function, at `start`.
    ///
    /// It knows nothing of what is declared before.
    pub fn part(source: &'s [u8], start: usize, end: usize) -> Self {
        let mut parser = Parser::at(&source[..end], start);
        parser.module.source = source;
        parser.partial = true;
        Self { parser }
    }

    /// `.version`, `.target` and `.address_size` at the start of a text.
    pub fn head(source: &'s [u8]) -> Module<'s> {
        let mut reader = Self::new(source);
        while reader.parser.at_head() {
            reader.parser.module_directive();
        }
        reader.parser.module
    }

    /// The names that are declared outside of functions, and whether each is a variable's; `None` where such a name
    /// is one that PTX gives a meaning.
    pub fn declared(&self) -> Option<Vec<(&'s [u8], bool)>> {
        let all = self.parser.scopes.declared();
        all.map(|(name, variable)| (!special::is_special(name)).then_some((name, variable))).collect()
    }

    /// Reads up to the end of the next function with a body; `false` where there is none up to the end of the file.
    pub fn next_function(&mut self) -> bool {
        self.parser.module_items()
    }

    /// What was read so far; the function read last is the last one of it.
    pub fn module(&self) -> &Module<'s> {
        &self.parser.module
    }

    /// Whether nothing was wrong so far.
    pub fn is_clean(&self) -> bool {
        self.parser.errors.is_empty()
    }

    /// Forgets the statements of the function read last but these, as [`Module::retain`] does.
    pub fn retain(&mut self, kept: &[u32], renumbered: &mut Renumbered) {
        self.parser.module.retain(kept, renumbered);
    }

    /// The module and the errors, in the order in which they were noticed.
    pub fn finish(self) -> (Module<'s>, Vec<SyntaxError>) {
        (self.parser.module, self.parser.errors)
    }
}

fn empty(source: &[u8]) -> Module<'_> {
    Module {
        source,
        snippet: false,
        version: None,
        target: None,
        target_options: Vec::new(),
        address_size: None,
        functions: Vec::new(),
        statements: Vec::new(),
        operands: Vec::new(),
        opcodes: Vec::new(),
        names: Vec::new(),
        registers: Vec::new(),
        parameters: Vec::new(),
        constants: FxHashMap::default(),
        shared: FxHashMap::default(),
        own_shared: FxHashMap::default(),
        mentioned: Vec::new(),
    }
}

/// Number of opcodes that are found at once.
const RECENT: usize = 512;

struct Parser<'s> {
    source: &'s [u8],
    lexer: logos::Lexer<'s, Token>,
    /// The token to look at.
    token: Token,
    /// Its place.
    span: Span,
    /// End of the token before.
    previous_end: u32,
    module: Module<'s>,
    errors: Vec<SyntaxError>,
    scopes: Scopes<'s>,
    opcodes: FxHashMap<&'s [u8], OpcodeId>,
    /// The last opcode of each [`key::opcode_slot`]: most statements need no other look-up.
    recent_opcodes: Box<[(Span, OpcodeId); RECENT]>,
    /// The last opcode of each slot by its bytes: statements that are read without the lexer.
    known_opcodes: Box<[(key::Opcode, OpcodeId); RECENT]>,
    /// Opcodes that had blanks or comments in them when they first came.
    spaced_opcodes: FxHashMap<Vec<u8>, OpcodeId>,
    names: FxHashMap<&'s [u8], NameId>,
    /// For each name the number of bodies at its last mention.
    mentions: Vec<u32>,
    /// Number of bodies begun so far.
    bodies: u32,
    /// Within a body.
    in_body: bool,
    /// Registers of this function that nothing declares.
    implicit: FxHashMap<&'s [u8], RegId>,
    /// In a snippet: the names that stand before a colon somewhere, which are no registers.
    labels: FxHashSet<&'s [u8]>,
    /// After `.extern`.
    external: bool,
    /// Every statement is read in the general way.
    #[cfg(any(test, fuzzing))]
    general: bool,
    /// Begins within a module.
    partial: bool,
    /// Within a snippet, whose undeclared names are registers.
    snippet: bool,
    /// The first parameter of this function.
    first_parameter: u32,
    /// End of the parameters so far, in bytes; 0 at a function's head.
    parameter_end: u32,
    /// End of the module's constants so far, in bytes.
    constant_end: u32,
    /// Within a branch or call, whose undeclared names are labels and functions.
    symbolic: bool,
}

impl<'s> Parser<'s> {
    fn new(source: &'s [u8]) -> Self {
        Self::at(source, 0)
    }

    fn at(source: &'s [u8], start: usize) -> Self {
        let mut lexer = Token::lexer(source);
        lexer.bump(start);
        let mut parser = Self {
            source,
            lexer,
            token: Token::End,
            span: Span::default(),
            previous_end: 0,
            module: empty(source),
            errors: Vec::new(),
            scopes: Scopes::new(source),
            opcodes: FxHashMap::default(),
            recent_opcodes: Box::new([(Span::default(), OpcodeId(0)); RECENT]),
            known_opcodes: Box::new([([0; 4], OpcodeId(0)); RECENT]),
            spaced_opcodes: FxHashMap::default(),
            names: FxHashMap::default(),
            mentions: Vec::new(),
            bodies: 0,
            in_body: false,
            implicit: FxHashMap::default(),
            labels: FxHashSet::default(),
            external: false,
            #[cfg(any(test, fuzzing))]
            general: false,
            partial: false,
            snippet: false,
            symbolic: false,
            first_parameter: 0,
            parameter_end: 0,
            constant_end: 0,
        };
        if start == 0 && source.starts_with(b"\xEF\xBB\xBF") {
            parser.lexer.bump(3);
            parser.errors.push(SyntaxError::ByteOrderMark { mark: Span::new(0, 3) });
        }
        parser.scopes.open();
        parser.advance();
        parser
    }

    /// Goes to the next token.
    #[inline]
    fn advance(&mut self) {
        self.previous_end = self.span.end;
        self.token = match self.lexer.next() {
            Some(Ok(token)) => token,
            Some(Err(())) => Token::Invalid,
            None => Token::End,
        };
        let span = self.lexer.span();
        self.span = Span::new(span.start as u32, span.end as u32);
    }

    /// The byte after the token, when the token is the last that was read.
    #[inline]
    fn next_byte(&self) -> Option<u8> {
        self.source.get(self.span.end as usize).copied()
    }

    /// Goes past the token and the one byte after it, known to be a token of its own.
    #[inline]
    fn advance_past_byte(&mut self) {
        self.lexer.bump(1);
        self.span.end += 1;
        self.advance();
    }

    /// Goes past the token if it is `token`.
    #[inline]
    fn eat(&mut self, token: Token) -> bool {
        let found = self.token == token;
        if found {
            self.advance();
        }
        found
    }

    /// The text of the token.
    #[inline]
    fn text(&self) -> &'s [u8] {
        self.span.of(self.source)
    }

    fn report(&mut self, error: SyntaxError) {
        let full = self.errors.len() == MAX_ERRORS;
        match self.errors.last_mut() {
            Some(SyntaxError::TooManyErrors { more, .. }) => *more = more.saturating_add(1),
            _ if full => {
                self.errors.push(SyntaxError::TooManyErrors { at: error.span(), more: 1 });
            }
            _ => self.errors.push(error),
        }
    }

    /// Reports the token as one that cannot stand here.
    #[cold]
    fn unexpected(&mut self, expected: &'static str) {
        let span = self.span;
        match self.token {
            Token::End => {
                let at = self.end();
                match self.lexer.extras.unterminated_comment.take() {
                    Some(start) => {
                        self.report(SyntaxError::UnterminatedComment { open: Span::new(start, start + 2) });
                    }
                    // one end of the file is enough
                    None if matches!(
                        self.errors.last(),
                        Some(
                            SyntaxError::UnexpectedEnd { .. }
                                | SyntaxError::UnterminatedComment { .. }
                                | SyntaxError::UnterminatedString { .. }
                        )
                    ) => {}
                    None => self.report(SyntaxError::UnexpectedEnd { at, expected }),
                }
            }
            Token::OpenText => self.report(SyntaxError::UnterminatedString { text: span }),
            Token::Invalid => {
                let found = self.whole_character();
                self.report(SyntaxError::InvalidCharacter { found });
            }
            _ => {
                let found = self.first_part();
                self.report(SyntaxError::UnexpectedToken { found, expected });
            }
        }
    }

    /// The empty span at the end of the file.
    fn end(&self) -> Span {
        Span::new(self.source.len() as u32, self.source.len() as u32)
    }

    /// The token as ptxas cuts it: the part before the first dot.
    fn first_part(&self) -> Span {
        let text = self.text();
        match memchr::memchr(b'.', text) {
            Some(dot) if self.token == Token::Path => Span::new(self.span.start, self.span.start + dot as u32),
            _ => self.span,
        }
    }

    /// An invalid token's first byte, with the rest of its UTF-8 sequence.
    fn whole_character(&self) -> Span {
        let rest = &self.source[self.span.start as usize..];
        // no more than a character can have: a chunk of valid text may be all of the file
        let rest = &rest[..rest.len().min(4)];
        let length = rest.utf8_chunks().next().and_then(|chunk| chunk.valid().chars().next());
        Span::new(self.span.start, self.span.start + length.map_or(1, |c| c.len_utf8() as u32))
    }

    /// Whether a line ends between the previous token and this one.
    fn on_new_line(&self) -> bool {
        let between = Span::new(self.previous_end, self.span.start).of(self.source);
        memchr::memchr(b'\n', between).is_some()
    }

    /// Whether the token that follows this one begins with `byte`; for the slow paths of errors.
    fn followed_by(&self, token: Token) -> bool {
        self.lexer.clone().next() == Some(Ok(token))
    }

    fn intern_name(&mut self, name: Span) -> NameId {
        let text = name.of(self.source);
        let (names, mentions) = (&mut self.module.names, &mut self.mentions);
        let id = *self.names.entry(text).or_insert_with(|| {
            names.push(text);
            mentions.push(u32::MAX);
            NameId(names.len() as u32 - 1)
        });
        if std::mem::replace(&mut self.mentions[id.0 as usize], self.bodies) != self.bodies {
            self.module.mentioned.push(id);
        }
        id
    }

    #[inline]
    fn intern_opcode(&mut self, span: Span) -> OpcodeId {
        let text = span.of(self.source);
        let slot = key::opcode_slot(text) as usize >> 24 & (RECENT - 1);
        let (recent, id) = self.recent_opcodes[slot];
        let id = if recent.of(self.source) == text {
            id
        } else {
            let id = self.intern_other_opcode(text);
            self.recent_opcodes[slot] = (span, id);
            id
        };
        // a directive's name is interned too, and is no opcode behind a guard; an opcode that comes here has been put out
        // of its slot
        if !text.starts_with(b".")
            && let Some(known) = key::known_opcode(text)
        {
            self.known_opcodes[key::opcode_index(known) % RECENT] = (known, id);
        }
        id
    }

    fn intern_other_opcode(&mut self, text: &'s [u8]) -> OpcodeId {
        if let Some(&id) = self.opcodes.get(text) {
            return id;
        }
        let id = match self.spaced_opcodes.get(text) {
            Some(&id) => id,
            None => self.new_opcode(Cow::Borrowed(text)),
        };
        self.opcodes.insert(text, id);
        id
    }

    /// An opcode whose text does not stand in the source in one piece.
    fn intern_spaced_opcode(&mut self, text: Vec<u8>) -> OpcodeId {
        let known = self.opcodes.get(text.as_slice()).or_else(|| self.spaced_opcodes.get(&text));
        if let Some(&id) = known {
            return id;
        }
        let id = self.new_opcode(Cow::Owned(text.clone()));
        self.spaced_opcodes.insert(text, id);
        id
    }

    fn new_opcode(&mut self, text: Cow<'s, [u8]>) -> OpcodeId {
        self.module.opcodes.push(Opcode { text });
        OpcodeId(self.module.opcodes.len() as u32 - 1)
    }

    /// What an identifier without dots means as an operand.
    #[inline]
    fn resolve(&mut self, name: Span) -> OperandKind {
        match self.scopes.resolve(name, &mut self.module.registers) {
            Meaning::Register(id) => OperandKind::Register(id),
            Meaning::Variable => OperandKind::Symbol(self.intern_name(name)),
            Meaning::Unknown => self.resolve_undeclared(name),
        }
    }

    fn resolve_undeclared(&mut self, name: Span) -> OperandKind {
        let text = name.of(self.source);
        if special::is_special(text) {
            OperandKind::Special(self.intern_name(name))
        } else if self.snippet && !self.symbolic && !self.labels.contains(text) {
            OperandKind::Register(self.implicit_register(name))
        } else {
            OperandKind::Symbol(self.intern_name(name))
        }
    }

    /// A register that nothing declares.
    fn implicit_register(&mut self, name: Span) -> RegId {
        let registers = &mut self.module.registers;
        *self.implicit.entry(name.of(self.source)).or_insert_with(|| {
            registers.push(Register { name, ty: None, vector: 1 });
            RegId(registers.len() as u32 - 1)
        })
    }

    #[inline]
    fn push(&mut self, kind: OperandKind, span: Span) {
        self.module.operands.push(Operand { kind, span });
    }
}

#[cfg(test)]
mod tests;
