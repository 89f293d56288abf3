//! Operands: names, literals, vectors, addresses, constant expressions.
//!
//! Each function leaves the token after what it read and returns whether it understood it; if not, it has reported
//! the error and the caller drops what was pushed.

use super::{Parser, special};
use crate::ptx::lexer::Token;
use crate::ptx::{Operand, OperandKind, Span, SyntaxError};

impl Parser<'_> {
    /// One operand of an instruction.
    #[inline]
    pub(super) fn operand(&mut self, first: bool, call: bool) -> bool {
        let at = self.module.operands.len();
        match self.token {
            Token::Word => {
                let name = self.span;
                let kind = self.resolve(name);
                self.push(kind, name);
                self.advance();
                matches!(self.token, Token::Comma | Token::Semicolon) || self.after_name(at)
            }
            Token::Path => self.dotted_name() && self.after_name(at),
            Token::LeftBracket => self.address(),
            Token::LeftBrace => self.vector(),
            Token::LeftParen if call => self.group(),
            // ptxas reads a lone sink as the first operand only
            Token::Sink if first || self.followed_by(Token::Or) => {
                self.push(OperandKind::Sink, self.span);
                self.advance();
                self.token != Token::Or || self.after_name(at)
            }
            Token::Minus | Token::Not => self.signed(),
            _ => self.constant(),
        }
    }

    /// What may follow a name, pushed at index `at`: a selector, an offset, `|p`, an array index.
    fn after_name(&mut self, at: usize) -> bool {
        if is_binary(self.token) && self.module.operands[at].span.of(self.source) == b"WARP_SZ" {
            return self.constant_from(at, true);
        }
        if !self.selector(at) {
            return false;
        }
        match self.token {
            Token::Plus => {
                self.advance();
                let offset = self.module.operands.len();
                if !self.constant() {
                    return false;
                }
                // the offset's leaves become leaves of the whole
                let leaves = match self.module.operands[offset].kind {
                    OperandKind::Expression(leaves) => {
                        self.module.operands.remove(offset);
                        leaves
                    }
                    OperandKind::Negated => {
                        self.module.operands.remove(offset);
                        1
                    }
                    _ => 1,
                };
                self.wrap(at, OperandKind::Expression(leaves.saturating_add(1)));
                true
            }
            Token::Or => {
                self.advance();
                match self.token {
                    Token::Word => {
                        let kind = self.resolve(self.span);
                        self.push(kind, self.span);
                    }
                    Token::Sink => self.push(OperandKind::Sink, self.span),
                    _ => {
                        self.unexpected("a register");
                        return false;
                    }
                }
                self.advance();
                self.wrap(at, OperandKind::Pair);
                true
            }
            Token::LeftBracket => {
                self.advance();
                if !self.constant() {
                    return false;
                }
                if !self.eat(Token::RightBracket) {
                    self.unexpected("\"]\"");
                    return false;
                }
                self.wrap(at, OperandKind::Address(2));
                true
            }
            _ => true,
        }
    }

    /// `.x` after a blank, on the operand at index `at`.
    fn selector(&mut self, at: usize) -> bool {
        if self.token != Token::Directive {
            return true;
        }
        if self.module.operands[at].kind == OperandKind::Selected {
            self.unexpected("\",\" or \";\"");
            return false;
        }
        self.advance();
        self.wrap(at, OperandKind::Selected);
        true
    }

    /// Makes what was pushed from index `at` on the children of a new operand, which ends with the last token.
    fn wrap(&mut self, at: usize, kind: OperandKind) {
        let start = self.module.operands[at].span.start;
        let span = Span::new(start, self.previous_end);
        self.module.operands.insert(at, Operand { kind, span });
    }

    /// `%tid.x`, `%v.x`, `r1.b0`
    fn dotted_name(&mut self) -> bool {
        let span = self.span;
        let text = self.text();
        let dot = memchr::memchr(b'.', text).unwrap_or(text.len());
        let base = Span::new(span.start, span.start + dot as u32);
        let kind = if self.scopes.knows(base) || !special::is_special(base.of(self.source)) {
            Some(self.resolve(base))
        } else {
            None
        };
        match kind {
            None => {
                let name = self.intern_name(span);
                self.push(OperandKind::Special(name), span);
            }
            Some(kind) => {
                if let Some(second) = memchr::memchr(b'.', &text[dot + 1..]) {
                    let found = Span::new(base.end + 1 + second as u32, span.end);
                    self.report(SyntaxError::UnexpectedToken { found, expected: "\",\" or \";\"" });
                    self.advance();
                    return false;
                }
                self.push(OperandKind::Selected, span);
                self.push(kind, base);
            }
        }
        self.advance();
        true
    }

    /// A word or path as the base of an address or an element, without what may follow it.
    fn name(&mut self) -> bool {
        if self.token == Token::Path {
            return self.dotted_name();
        }
        let kind = self.resolve(self.span);
        self.push(kind, self.span);
        self.advance();
        self.selector(self.module.operands.len() - 1)
    }

    /// `-a`, `!p`, or a constant expression that begins so.
    fn signed(&mut self) -> bool {
        let mut ahead = self.lexer.clone();
        let named = matches!(ahead.next(), Some(Ok(Token::Word | Token::Path))) && ahead.slice() != b"WARP_SZ";
        if !named {
            return self.constant();
        }
        let kind = if self.token == Token::Minus { OperandKind::Negated } else { OperandKind::Not };
        let at = self.module.operands.len();
        self.push(kind, self.span);
        self.advance();
        let understood = self.name();
        self.module.operands[at].span.end = self.previous_end;
        understood
    }

    /// `[a]`, `[a+8]`, `[a, {x, y}]`
    fn address(&mut self) -> bool {
        let at = self.module.operands.len();
        let mut count = 0_usize;
        self.push(OperandKind::Address(0), self.span);
        self.advance();
        loop {
            count += 1;
            let understood = match self.token {
                Token::Word | Token::Path => {
                    self.name()
                        && (self.token != Token::Plus || {
                            self.advance();
                            count += 1;
                            self.constant()
                        })
                }
                Token::LeftBrace => self.vector(),
                Token::RightBracket => {
                    self.unexpected("an address");
                    false
                }
                _ => self.constant(),
            };
            if !understood {
                return false;
            }
            match self.token {
                Token::Comma => self.advance(),
                Token::RightBracket => break,
                _ => {
                    self.unexpected("\"]\"");
                    return false;
                }
            }
        }
        self.advance();
        // `[a].unified`
        self.close(at, count, OperandKind::Address) && self.selector(at)
    }

    /// `{a, b}`
    fn vector(&mut self) -> bool {
        let at = self.module.operands.len();
        let mut count = 0;
        self.push(OperandKind::Vector(0), self.span);
        self.advance();
        if !self.list(&mut count, Token::RightBrace) {
            return false;
        }
        self.advance();
        self.close(at, count, OperandKind::Vector)
    }

    /// `(a, b)` of a call, possibly empty.
    fn group(&mut self) -> bool {
        let at = self.module.operands.len();
        let mut count = 0;
        self.push(OperandKind::Group(0), self.span);
        self.advance();
        // in there are values, whatever the names around it mean
        let symbolic = std::mem::replace(&mut self.symbolic, false);
        let understood = self.token == Token::RightParen || self.list(&mut count, Token::RightParen);
        self.symbolic = symbolic;
        if !understood {
            return false;
        }
        self.advance();
        self.close(at, count, OperandKind::Group)
    }

    /// Elements between commas up to `end`, which stays the token.
    fn list(&mut self, count: &mut usize, end: Token) -> bool {
        loop {
            if !self.element() {
                return false;
            }
            *count += 1;
            match self.token {
                Token::Comma => self.advance(),
                token if token == end => return true,
                _ => {
                    self.unexpected(if end == Token::RightBrace { "\",\" or \"}\"" } else { "\",\" or \")\"" });
                    return false;
                }
            }
        }
    }

    /// An element of a vector or group.
    fn element(&mut self) -> bool {
        match self.token {
            Token::Word | Token::Path => self.name(),
            Token::Sink => {
                self.push(OperandKind::Sink, self.span);
                self.advance();
                true
            }
            Token::Minus | Token::Not => self.signed(),
            _ => self.constant(),
        }
    }

    /// Completes a parent at index `at`, whose last token has been passed.
    fn close(&mut self, at: usize, count: usize, kind: fn(u16) -> OperandKind) -> bool {
        let start = self.module.operands[at].span.start;
        let span = Span::new(start, self.previous_end);
        let Ok(count) = u16::try_from(count) else {
            self.report(SyntaxError::TooManyOperands { at: span });
            return false;
        };
        self.module.operands[at] = Operand { kind: kind(count), span };
        true
    }

    /// A constant expression.
    #[inline]
    pub(super) fn constant(&mut self) -> bool {
        let at = self.module.operands.len();
        let kind = match self.token {
            Token::Integer => OperandKind::Integer,
            Token::Float => OperandKind::Float,
            _ => return self.constant_from(at, false),
        };
        self.push(kind, self.span);
        self.advance();
        matches!(self.token, Token::Comma | Token::Semicolon | Token::RightBracket) || self.constant_from(at, true)
    }

    /// The rest of a constant expression whose operands begin at index `at`, `complete` when a leaf has just been read.
    fn constant_from(&mut self, at: usize, mut complete: bool) -> bool {
        let start = if complete { self.module.operands[at].span.start } else { self.span.start };
        let (mut parentheses, mut conditions, mut leaves) = (0_u32, 0_u32, usize::from(complete));
        // the operators that are no leading minus; with none of them it is a leaf or a negated one
        let (mut operators, mut minus) = (0_u32, false);
        let mut opened = false;
        loop {
            if !complete {
                match self.token {
                    Token::Integer => self.push(OperandKind::Integer, self.span),
                    Token::Float => self.push(OperandKind::Float, self.span),
                    Token::Word if self.text() == b"WARP_SZ" => {
                        // a register of that name has no number outside of bodies, where nothing can read it
                        let kind = if self.in_body {
                            self.resolve(self.span)
                        } else {
                            OperandKind::Special(self.intern_name(self.span))
                        };
                        self.push(kind, self.span);
                    }
                    Token::Minus if leaves == 0 && operators == 0 && !minus => minus = true,
                    Token::Minus | Token::Plus | Token::Not | Token::Tilde => operators += 1,
                    Token::LeftParen => {
                        operators += 1;
                        parentheses += 1;
                    }
                    // a cast: `(.s64)`
                    Token::Directive if opened => {
                        self.advance();
                        parentheses -= 1;
                        if self.token != Token::RightParen {
                            self.unexpected("\")\"");
                            return false;
                        }
                    }
                    _ => {
                        self.unexpected("an operand");
                        return false;
                    }
                }
                opened = self.token == Token::LeftParen;
                if matches!(self.token, Token::Integer | Token::Float | Token::Word) {
                    complete = true;
                    leaves += 1;
                }
                self.advance();
                continue;
            }
            match self.token {
                Token::RightParen if parentheses > 0 => parentheses -= 1,
                Token::Question => {
                    conditions += 1;
                    complete = false;
                }
                Token::Colon if conditions > 0 => {
                    conditions -= 1;
                    complete = false;
                }
                token if is_binary(token) => complete = false,
                _ => break,
            }
            operators += 1;
            self.advance();
        }
        if parentheses > 0 || conditions > 0 {
            self.unexpected(if parentheses > 0 { "\")\"" } else { "\":\"" });
            return false;
        }
        let span = Span::new(start, self.previous_end);
        if operators > 0 {
            let Ok(leaves) = u16::try_from(leaves) else {
                self.report(SyntaxError::TooManyOperands { at: span });
                return false;
            };
            self.module.operands.insert(at, Operand { kind: OperandKind::Expression(leaves), span });
        } else if minus {
            self.module.operands.insert(at, Operand { kind: OperandKind::Negated, span });
        }
        true
    }
}

/// Whether the token is a binary operator of constant expressions.
fn is_binary(token: Token) -> bool {
    matches!(
        token,
        Token::Plus
            | Token::Minus
            | Token::Star
            | Token::Slash
            | Token::Percent
            | Token::ShiftLeft
            | Token::ShiftRight
            | Token::Less
            | Token::Greater
            | Token::LessEqual
            | Token::GreaterEqual
            | Token::Equal
            | Token::NotEqual
            | Token::And
            | Token::Xor
            | Token::Or
            | Token::AndAnd
            | Token::OrOr
    )
}
