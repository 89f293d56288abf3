//! Declarations: which names are registers, of which type, and which are variables.

use super::Parser;
use super::scopes::Declared;
use crate::ptx::lexer::Token;
use crate::ptx::{Parameter, Shared, Span, SyntaxError, Type, literal};

/// How ptxas 13.1 takes a type in `.reg`.
enum RegisterType {
    Allowed(Type),
    /// "Type … may only be used as an instruction type"
    InstructionOnly(Type),
    /// A syntax error.
    Unsupported,
}

fn register_type(name: &[u8]) -> RegisterType {
    use RegisterType::{Allowed, InstructionOnly, Unsupported};
    match name {
        b".pred" => Allowed(Type::Pred),
        b".b8" => Allowed(Type::B8),
        b".b16" => Allowed(Type::B16),
        b".b32" => Allowed(Type::B32),
        b".b64" => Allowed(Type::B64),
        b".b128" => Allowed(Type::B128),
        b".u8" => Allowed(Type::U8),
        b".u16" => Allowed(Type::U16),
        b".u32" => Allowed(Type::U32),
        b".u64" => Allowed(Type::U64),
        b".s8" => Allowed(Type::S8),
        b".s16" => Allowed(Type::S16),
        b".s32" => Allowed(Type::S32),
        b".s64" => Allowed(Type::S64),
        b".f16" => Allowed(Type::F16),
        b".f16x2" => Allowed(Type::F16x2),
        b".f32" => Allowed(Type::F32),
        b".f64" => Allowed(Type::F64),
        // ptxas takes these without a word, although no manual does
        b".e2m1x4" => Allowed(Type::E2m1x4),
        _ => match instruction_type(name) {
            Some(ty) => InstructionOnly(ty),
            None => Unsupported,
        },
    }
}

fn instruction_type(name: &[u8]) -> Option<Type> {
    Some(match name {
        b".e4m3" => Type::E4m3,
        b".e5m2" => Type::E5m2,
        b".e4m3x2" => Type::E4m3x2,
        b".e5m2x2" => Type::E5m2x2,
        b".ue8m0x2" => Type::Ue8m0x2,
        b".s2f6x2" => Type::S2f6x2,
        b".u16x2" => Type::U16x2,
        b".s16x2" => Type::S16x2,
        b".f32x2" => Type::F32x2,
        _ => return None,
    })
}

impl Parser<'_> {
    /// What follows `.reg`, up to and past its `;`.
    pub(super) fn register_declaration(&mut self) -> bool {
        let Some((ty, vector)) = self.register_head() else {
            return false;
        };
        // ptxas takes a type without a name
        if self.eat(Token::Semicolon) {
            return true;
        }
        loop {
            if self.token != Token::Word {
                self.unexpected("a register name");
                return false;
            }
            let name = self.span;
            self.advance();
            let declared = match self.token {
                Token::Less => match self.range() {
                    Some(declared) => declared,
                    None => return false,
                },
                _ => Declared::Scalar,
            };
            if !self.scopes.declare(name, declared, ty, vector) {
                let range = declared != Declared::Scalar;
                self.report(SyntaxError::DuplicateDeclaration { name, range });
            }
            match self.token {
                Token::Comma => self.advance(),
                Token::Semicolon => {
                    self.advance();
                    return true;
                }
                _ if self.begins_statement() => return self.missing_semicolon(),
                _ => {
                    self.unexpected("\",\" or \";\"");
                    return false;
                }
            }
        }
    }

    /// Alignment, vector size and type of a `.reg`.
    fn register_head(&mut self) -> Option<(Option<Type>, u8)> {
        let mut vector = 1;
        loop {
            if self.token != Token::Directive {
                self.unexpected("a type");
                return None;
            }
            match self.text() {
                b".v2" => vector = 2,
                b".v4" => vector = 4,
                b".align" => {
                    self.advance();
                    if self.token != Token::Integer {
                        self.unexpected("a number");
                        return None;
                    }
                }
                name => {
                    let span = self.span;
                    let ty = match register_type(name) {
                        RegisterType::Allowed(ty) => Some(ty),
                        RegisterType::InstructionOnly(ty) => {
                            self.report(SyntaxError::InstructionTypeOnly { ty: span });
                            Some(ty)
                        }
                        RegisterType::Unsupported => {
                            self.report(SyntaxError::UnsupportedRegisterType { ty: span });
                            None
                        }
                    };
                    self.advance();
                    return Some((ty, vector));
                }
            }
            self.advance();
        }
    }

    /// `<5>`
    fn range(&mut self) -> Option<Declared> {
        self.advance();
        if self.token != Token::Integer {
            self.unexpected("a number");
            return None;
        }
        // more registers than a number can name are as good as the most it can
        let count = literal::integer(self.text())
            .map_or(0, |value| if value.overflow { u32::MAX } else { u32::try_from(value.bits).unwrap_or(u32::MAX) });
        self.advance();
        if !self.eat(Token::Greater) {
            self.unexpected("\">\"");
            return None;
        }
        Some(Declared::Range(count))
    }

    /// What follows `.local` and the like, up to and past its `;`: the names hide registers of outer blocks. A
    /// `constant` has a place in the module's bank.
    pub(super) fn variable_declaration(&mut self, space: &[u8]) -> bool {
        let Some(layout) = self.variable_head() else { return false };
        loop {
            if self.token != Token::Word {
                self.unexpected("a variable name");
                return false;
            }
            let name = self.span;
            self.scopes.declare(name, Declared::Variable, None, 1);
            self.advance();
            if self.token == Token::Less && self.range().is_none() {
                return false;
            }
            let behind = self.span.start as usize;
            let Some(elements) = self.dimensions() else { return false };
            let mut brackets =
                self.source[behind..self.span.start as usize].iter().filter(|b| !b.is_ascii_whitespace());
            let unsized_array = brackets.next() == Some(&b'[') && brackets.next() == Some(&b']');
            let mut rows = 1;
            if self.eat(Token::Assign) {
                let Some(given) = self.initialiser() else { return false };
                rows = if unsized_array { given } else { 1 };
            }
            match space {
                b".const" => self.place_constant(name, layout, elements.saturating_mul(rows)),
                b".shared" => {
                    let size = layout.size.saturating_mul(elements).saturating_mul(u32::from(!unsized_array));
                    let shared = Shared { name, size, align: layout.align.max(1) };
                    let variables = if self.in_body { &mut self.module.own_shared } else { &mut self.module.shared };
                    variables.insert(name.of(self.source), shared);
                }
                _ => {}
            }
            match self.token {
                Token::Comma => self.advance(),
                Token::Semicolon => {
                    self.advance();
                    return true;
                }
                Token::Directive | Token::RightBrace => return self.missing_semicolon(),
                _ if self.begins_statement() => return self.missing_semicolon(),
                _ => {
                    self.unexpected("\",\" or \";\"");
                    return false;
                }
            }
        }
    }

    /// Alignment, attributes, vector size and type of a variable or parameter; which of them ptxas takes where is
    /// not looked into.
    fn variable_head(&mut self) -> Option<Layout> {
        let mut layout = Layout { size: 0, align: 0 };
        let mut pointee = false;
        let mut vector = 1;
        while self.token == Token::Directive {
            match self.text() {
                b".align" => {
                    self.advance();
                    let text = self.text();
                    if !self.eat(Token::Integer) {
                        self.unexpected("a number");
                        return None;
                    }
                    if !pointee {
                        layout.align = literal::integer(text).map_or(0, |i| i.bits.min(128) as u32);
                    }
                }
                b".attribute" => {
                    if !self.attribute() {
                        return None;
                    }
                }
                text => {
                    // The alignment behind `.ptr` is that of what it points to.
                    pointee |= text == b".ptr";
                    if let [b'.', b'v', count @ b'1'..=b'9'] = text {
                        vector = u32::from(count - b'0');
                    }
                    if let Some(ty) = text.get(1..).and_then(Type::from_name) {
                        layout.size = ty.bits().div_ceil(8) * vector;
                        layout.align = layout.align.max(layout.size);
                    }
                    self.advance();
                }
            }
        }
        Some(layout)
    }

    /// `[2][]`
    fn dimensions(&mut self) -> Option<u32> {
        let mut elements = 1_u32;
        while self.eat(Token::LeftBracket) {
            if self.eat(Token::RightBracket) {
                continue;
            }
            let operands = self.module.operands.len();
            let start = self.span.start;
            let understood = self.constant();
            self.module.operands.truncate(operands);
            if !understood {
                return None;
            }
            let count = literal::expression(Span::new(start, self.previous_end).of(self.source));
            elements = elements.saturating_mul(count.map_or(1, |i| i.bits.min(u64::from(u32::MAX)) as u32));
            if !self.eat(Token::RightBracket) {
                self.unexpected("\"]\"");
                return None;
            }
        }
        Some(elements)
    }

    /// What follows the `=` of a variable, and how many elements its outermost braces have. It may be megabytes long;
    /// only its brackets and commas are looked at.
    fn initialiser(&mut self) -> Option<u32> {
        let mut nesting = 0_u32;
        let mut elements = 1_u32;
        loop {
            match self.token {
                Token::Comma | Token::Semicolon if nesting == 0 => return Some(elements),
                Token::Directive if nesting == 0 => return Some(elements),
                Token::Comma if nesting == 1 => elements = elements.saturating_add(1),
                Token::LeftBrace | Token::LeftParen => nesting += 1,
                Token::RightBrace | Token::RightParen if nesting > 0 => nesting -= 1,
                Token::RightBrace | Token::RightParen | Token::Semicolon | Token::Dot => {
                    self.unexpected("a value");
                    return None;
                }
                Token::End | Token::Invalid | Token::OpenText => {
                    self.unexpected("a value");
                    return None;
                }
                _ => {}
            }
            self.advance();
        }
    }

    /// The parameters of a function, from `(` past `)`; registers among them are declared.
    pub(super) fn parameters(&mut self) -> bool {
        self.advance();
        if self.eat(Token::RightParen) {
            return true;
        }
        loop {
            if self.token != Token::Directive {
                self.unexpected("a parameter");
                return false;
            }
            let mut register = None;
            let mut layout = Layout { size: 0, align: 0 };
            if self.text() == b".reg" {
                self.advance();
                register = self.register_head();
                if register.is_none() {
                    return false;
                }
            } else {
                let Some(l) = self.variable_head() else { return false };
                layout = l;
            }
            let name = self.span;
            match (self.token, register) {
                (Token::Word, Some((ty, vector))) => self.declare_parameter(self.span, ty, vector),
                (Token::Word | Token::Sink, _) => {}
                _ => {
                    self.unexpected("a parameter name");
                    return false;
                }
            }
            self.advance();
            let Some(elements) = self.dimensions() else { return false };
            if register.is_none() {
                self.place_parameter(name, layout, elements);
            }
            match self.token {
                Token::Comma => self.advance(),
                Token::RightParen => {
                    self.advance();
                    return true;
                }
                _ => {
                    self.unexpected("\",\" or \")\"");
                    return false;
                }
            }
        }
    }

    /// Parameters stand one behind the other, each at the next multiple of its alignment.
    fn place_parameter(&mut self, name: Span, layout: Layout, elements: u32) {
        let align = layout.align.max(1);
        let offset = self.parameter_end.div_ceil(align).saturating_mul(align);
        self.module.parameters.push(Parameter { name, offset });
        self.parameter_end = offset.saturating_add(layout.size.saturating_mul(elements));
    }

    /// A constant stands behind those that were declared before, used or not. (ptxas puts those of `.extern`
    /// first; they stand first where they are declared first.)
    fn place_constant(&mut self, name: Span, layout: Layout, elements: u32) {
        let align = layout.align.max(1);
        let offset = self.constant_end.div_ceil(align).saturating_mul(align);
        self.module.constants.insert(name.of(self.source), offset);
        self.constant_end = offset.saturating_add(layout.size.saturating_mul(elements));
    }

    fn declare_parameter(&mut self, name: Span, ty: Option<Type>, vector: u8) {
        if !self.scopes.declare(name, Declared::Scalar, ty, vector) {
            self.report(SyntaxError::DuplicateDeclaration { name, range: false });
        }
    }
}

/// Size and alignment of a parameter's type, in bytes.
#[derive(Debug, Clone, Copy)]
struct Layout {
    size: u32,
    align: u32,
}
