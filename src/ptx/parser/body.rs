//! The statements of a function body or a snippet.

use super::Parser;
use crate::ptx::lexer::Token;
use crate::ptx::{Guard, OpcodeId, Operand, OperandKind, Span, Statement, StatementKind, SyntaxError};

/// Instructions that may stand without modifiers or operands: they tell where a statement begins.
const BARE: [&[u8]; 8] = [b"ret", b"exit", b"trap", b"bra", b"call", b"brkpt", b"mov", b"cvt"];

/// Directives that ptxas takes in a body.
fn is_body_directive(name: &[u8]) -> bool {
    matches!(
        name,
        b".reg"
            | b".local"
            | b".shared"
            | b".param"
            | b".const"
            | b".global"
            | b".tex"
            | b".loc"
            | b".pragma"
            | b".callprototype"
            | b".branchtargets"
            | b".calltargets"
    )
}

impl Parser<'_> {
    /// The statements up to the `}` of the function's own block, which is `open` and which it passes.
    ///
    /// A snippet has none; it ends with the file, or where a module begins after all.
    pub(super) fn body(&mut self, open: Option<Span>) {
        let mut blocks: Vec<Span> = open.into_iter().collect();
        loop {
            match self.token {
                Token::Word | Token::Path => self.instruction(),
                Token::At => self.guarded(),
                Token::Directive => {
                    if self.at_module_item() {
                        if let Some(&open) = blocks.last() {
                            self.report(SyntaxError::UnterminatedBlock { open, found: self.span });
                        }
                        break;
                    }
                    self.directive();
                }
                Token::LeftBrace => {
                    blocks.push(self.span);
                    self.scopes.open();
                    self.simple(StatementKind::Open);
                }
                Token::RightBrace => {
                    if blocks.len() == 1 && open.is_some() {
                        blocks.pop();
                        self.advance();
                        break;
                    }
                    if blocks.pop().is_none() {
                        self.unexpected("a statement");
                        self.advance();
                        continue;
                    }
                    self.scopes.close();
                    self.simple(StatementKind::Close);
                }
                Token::Dwarf => self.advance(),
                Token::End => {
                    self.body_end(blocks.last().copied());
                    break;
                }
                Token::Semicolon => {
                    self.unexpected("a statement");
                    self.advance();
                }
                _ => {
                    self.unexpected("a statement");
                    self.recover();
                }
            }
        }
        // the function's own block is its header's to close
        for _ in usize::from(open.is_some())..blocks.len() {
            self.scopes.close();
        }
    }

    /// The file ends within the blocks of which `open` is the innermost.
    fn body_end(&mut self, open: Option<Span>) {
        let cut = matches!(
            self.errors.last(),
            Some(SyntaxError::UnexpectedEnd { .. } | SyntaxError::UnterminatedString { .. })
        );
        match open {
            _ if self.lexer.extras.unterminated_comment.is_some() => self.unexpected("\"}\""),
            Some(open) if !cut => {
                let found = self.end();
                self.report(SyntaxError::UnterminatedBlock { open, found });
            }
            _ => {}
        }
    }

    /// A brace.
    fn simple(&mut self, kind: StatementKind) {
        let operands = self.module.operands.len() as u32;
        let (span, opcode) = (self.span, OpcodeId(0));
        self.module.statements.push(Statement {
            kind,
            guard: None,
            opcode,
            operands,
            operand_count: 0,
            span,
            opcode_span: span,
        });
        self.advance();
    }

    /// `@p` and what it guards.
    fn guarded(&mut self) {
        let start = self.span.start;
        self.advance();
        let negated = self.eat(Token::Not);
        if self.token != Token::Word {
            self.unexpected("a predicate register");
            self.recover();
            return;
        }
        let name = self.span;
        let register = match self.resolve(name) {
            OperandKind::Register(register) => register,
            // a later check says that it is unknown
            _ => self.implicit_register(name),
        };
        self.advance();
        if !matches!(self.token, Token::Word | Token::Path) {
            self.unexpected("an instruction");
            self.recover();
            return;
        }
        self.instruction_from(start, Some(Guard { register, negated }));
    }

    /// An instruction without guard, or a label.
    #[inline]
    fn instruction(&mut self) {
        self.instruction_from(self.span.start, None);
    }

    #[inline]
    fn instruction_from(&mut self, start: u32, guard: Option<Guard>) {
        let first = self.token;
        let mut opcode_span = self.span;
        let text = self.text();
        let operands = self.module.operands.len() as u32;
        if self.snippet {
            let base = text.split(|&byte| byte == b'.').next().unwrap_or_default();
            self.symbolic = matches!(base, b"bra" | b"brx" | b"call");
        }
        let quick = self.quick_operands();
        let (opcode, end) = match quick {
            Some(end) => (self.intern_opcode(opcode_span), end),
            None => {
                self.advance();
                let opcode = match self.token {
                    Token::Colon if first == Token::Word && guard.is_none() => {
                        self.symbolic = false;
                        self.label(opcode_span);
                        return;
                    }
                    Token::Directive => {
                        let opcode = self.spaced_opcode(text.to_vec());
                        opcode_span.end = self.previous_end;
                        opcode
                    }
                    _ => self.intern_opcode(opcode_span),
                };
                let call = text.starts_with(b"call");
                let end = match self.token {
                    Token::Semicolon => {
                        self.advance();
                        self.previous_end
                    }
                    _ => self.instruction_operands(call),
                };
                (opcode, end)
            }
        };
        self.symbolic = false;
        self.module.statements.push(Statement {
            kind: StatementKind::Instruction,
            guard,
            opcode,
            operands,
            operand_count: self.module.operands.len() as u32 - operands,
            span: Span::new(start, end),
            opcode_span,
        });
        if quick.is_some() {
            self.quick_statements(end);
        }
    }

    /// Operands and `;`. Returns the end of the statement, which is before the `;` that is missing.
    #[inline]
    fn instruction_operands(&mut self, call: bool) -> u32 {
        let mut first = true;
        loop {
            let keep = self.module.operands.len();
            // most operands are a name or a number with `,` or `;` close behind: no need to ask the lexer
            let simple = match self.token {
                Token::Word | Token::Integer | Token::Float => self.next_byte(),
                _ => None,
            };
            if let Some(separator @ (b',' | b';')) = simple {
                let kind = match self.token {
                    Token::Word => self.resolve(self.span),
                    Token::Integer => OperandKind::Integer,
                    _ => OperandKind::Float,
                };
                self.push(kind, self.span);
                self.advance_past_byte();
                if separator == b';' {
                    return self.previous_end;
                }
                first = false;
                continue;
            }
            if !self.operand(first, call) {
                self.give_up(keep);
                return self.previous_end;
            }
            first = false;
            match self.token {
                Token::Comma => self.advance(),
                Token::Semicolon => {
                    self.advance();
                    return self.previous_end;
                }
                _ if self.begins_statement() => {
                    let end = self.previous_end;
                    let found = self.first_part();
                    self.report(SyntaxError::MissingSemicolon { at: Span::new(end, end), found });
                    return end;
                }
                _ => {
                    self.unexpected("\",\" or \";\"");
                    self.give_up(self.module.operands.len());
                    return self.previous_end;
                }
            }
        }
    }

    /// Leaves a statement that is not understood, of whose operands the first `keep` are.
    #[cold]
    fn give_up(&mut self, keep: usize) {
        self.module.operands.truncate(keep);
        let span = self.errors.last().map_or(self.span, SyntaxError::span);
        self.module.operands.push(Operand { kind: OperandKind::Error, span });
        self.recover();
    }

    /// Goes past the next `;`, or to something that seems to begin a statement.
    #[cold]
    pub(super) fn recover(&mut self) {
        let mut moved = false;
        loop {
            match self.token {
                Token::Semicolon => {
                    self.advance();
                    return;
                }
                Token::End | Token::RightBrace => {
                    // a brace in the operands closes a vector: `{a, b c}, d;`
                    let closes_vector = self.token == Token::RightBrace
                        && matches!(
                            self.lexer.clone().next(),
                            Some(Ok(Token::Comma | Token::Semicolon | Token::RightBracket))
                        );
                    if !closes_vector {
                        return;
                    }
                }
                _ if moved && self.on_new_line() && self.begins_statement() => return,
                _ => {}
            }
            self.advance();
            moved = true;
        }
    }

    /// Whether the token seems to begin another statement, so that the one before has no `;`.
    pub(super) fn begins_statement(&self) -> bool {
        match self.token {
            Token::RightBrace => true,
            Token::At => self.on_new_line(),
            Token::Directive => is_body_directive(self.text()) || self.at_module_item(),
            Token::Path => !self.text().starts_with(b"%") && (self.on_new_line() || !self.first_part_is_register()),
            Token::Word => self.on_new_line() && (BARE.contains(&self.text()) || self.followed_by(Token::Colon)),
            Token::LeftBrace => self.on_new_line(),
            _ => false,
        }
    }

    fn first_part_is_register(&self) -> bool {
        let part = self.first_part();
        self.scopes.knows(part) || self.implicit.contains_key(part.of(self.source))
    }

    /// `name:`, whose name has been passed.
    fn label(&mut self, name: Span) {
        self.push_label(name, self.span.end);
        self.advance();
    }

    /// A label whose `:` ends at `end`.
    pub(super) fn push_label(&mut self, name: Span, end: u32) {
        let operands = self.module.operands.len() as u32;
        let id = self.intern_name(name);
        self.push(OperandKind::Symbol(id), name);
        self.module.statements.push(Statement {
            kind: StatementKind::Label,
            guard: None,
            opcode: OpcodeId(0),
            operands,
            operand_count: 1,
            span: Span::new(name.start, end),
            opcode_span: name,
        });
    }

    /// A directive that ends at `end`.
    pub(super) fn push_directive(&mut self, name: Span, end: u32) {
        let opcode = self.intern_opcode(name);
        self.module.statements.push(Statement {
            kind: StatementKind::Directive,
            guard: None,
            opcode,
            operands: self.module.operands.len() as u32,
            operand_count: 0,
            span: Span::new(name.start, end),
            opcode_span: name,
        });
    }

    /// The rest of an opcode that has blanks or comments before some of its dots.
    #[cold]
    fn spaced_opcode(&mut self, mut text: Vec<u8>) -> OpcodeId {
        while self.token == Token::Directive {
            text.extend_from_slice(self.text());
            self.advance();
        }
        self.intern_spaced_opcode(text)
    }

    /// A directive within a body.
    fn directive(&mut self) {
        let name = self.span;
        let text = self.text();
        let understood = match text {
            b".loc" => {
                self.advance();
                self.location()
            }
            b".reg" => {
                self.advance();
                self.register_declaration()
            }
            b".local" | b".shared" | b".param" | b".const" | b".global" | b".tex" => {
                self.advance();
                self.variable_declaration(text)
            }
            _ if is_body_directive(text) => {
                self.advance();
                self.skip_to_semicolon()
            }
            _ => {
                self.unexpected("a statement");
                self.advance();
                false
            }
        };
        if !understood {
            self.recover();
        }
        self.push_directive(name, self.previous_end.max(name.end));
    }

    /// `.loc 1 2 3, function_name L+4, inlined_at 1 2 3`, which no `;` ends; its name has been passed.
    fn location(&mut self) -> bool {
        for _ in 0..3 {
            if !self.eat(Token::Integer) {
                self.unexpected("a number");
                return false;
            }
        }
        while self.eat(Token::Comma) {
            match self.text() {
                b"function_name" => {
                    self.advance();
                    if !self.eat(Token::Word) {
                        self.unexpected("a label");
                        return false;
                    }
                    if self.eat(Token::Plus) && !self.eat(Token::Integer) {
                        self.unexpected("a number");
                        return false;
                    }
                }
                b"inlined_at" => {
                    self.advance();
                    for _ in 0..3 {
                        if !self.eat(Token::Integer) {
                            self.unexpected("a number");
                            return false;
                        }
                    }
                }
                _ => {
                    self.unexpected("\"function_name\" or \"inlined_at\"");
                    return false;
                }
            }
        }
        true
    }

    /// Goes past the `;` of a directive that is not looked into.
    pub(super) fn skip_to_semicolon(&mut self) -> bool {
        // a prototype's parameters look like declarations of their own
        let mut parentheses = 0_u32;
        loop {
            match self.token {
                Token::Semicolon => {
                    self.advance();
                    return true;
                }
                Token::End | Token::Invalid | Token::OpenText => {
                    self.unexpected("\";\"");
                    return false;
                }
                Token::RightBrace => return self.missing_semicolon(),
                Token::Directive | Token::Path | Token::At
                    if parentheses == 0 && self.on_new_line() && self.begins_statement() =>
                {
                    return self.missing_semicolon();
                }
                Token::LeftParen => parentheses += 1,
                Token::RightParen => parentheses = parentheses.saturating_sub(1),
                _ => {}
            }
            self.advance();
        }
    }

    /// Reports that the token should have been a `;`; what came before stands.
    pub(super) fn missing_semicolon(&mut self) -> bool {
        let at = Span::new(self.previous_end, self.previous_end);
        let found = self.first_part();
        self.report(SyntaxError::MissingSemicolon { at, found });
        true
    }
}
