//! What stands outside of bodies: the module's directives, variables and function headers.

use super::Parser;
use crate::ptx::lexer::Token;
use crate::ptx::{Function, FunctionKind, Span, SyntaxError, literal};

impl Parser<'_> {
    /// Everything up to the end of the next function, or of the file: then `false`.
    pub(super) fn module_items(&mut self) -> bool {
        let functions = self.module.functions.len();
        loop {
            if self.module.functions.len() > functions {
                return true;
            }
            match self.token {
                Token::End => {
                    if self.lexer.extras.unterminated_comment.is_some() {
                        self.unexpected("a directive");
                    }
                    return false;
                }
                Token::Directive => self.module_directive(),
                Token::Word | Token::Path | Token::At | Token::LeftBrace if self.may_be_snippet() => self.bare_body(),
                Token::Dwarf => self.advance(),
                _ => {
                    self.unexpected("a directive");
                    self.recover_module();
                }
            }
        }
    }

    /// Whether nothing so far says that this is a module.
    fn may_be_snippet(&self) -> bool {
        let module = &self.module;
        !self.partial
            && module.version.is_none()
            && module.target.is_none()
            && module.address_size.is_none()
            && module.functions.is_empty()
    }

    /// The statements of a snippet.
    fn bare_body(&mut self) {
        // labels may come after the branch, and are no registers
        let mut ahead = self.lexer.clone();
        let mut word = (self.token == Token::Word).then(|| self.text());
        while let Some(token) = ahead.next() {
            if let (Ok(Token::Colon), Some(label)) = (token, word) {
                self.labels.insert(label);
            }
            word = (token == Ok(Token::Word)).then(|| ahead.slice());
        }
        self.module.snippet = true;
        self.snippet = true;
        self.first_parameter = self.module.parameters.len() as u32;
        self.function_body(FunctionKind::Snippet, Span::new(self.span.start, self.span.start), None);
        self.scopes.end_function();
        self.snippet = false;
    }

    /// The statements of a function, whose scope is open and is closed here.
    fn function_body(&mut self, kind: FunctionKind, name: Span, open: Option<Span>) {
        let statements = self.module.statements.len() as u32;
        let registers = self.module.registers.len() as u32;
        let mentioned = self.module.mentioned.len() as u32;
        self.module.own_shared.clear();
        self.bodies += 1;
        self.in_body = true;
        self.body(open);
        self.in_body = false;
        self.module.functions.push(Function {
            kind,
            name,
            statements: statements..self.module.statements.len() as u32,
            registers: registers..self.module.registers.len() as u32,
            parameters: self.first_parameter..self.module.parameters.len() as u32,
            mentioned: mentioned..self.module.mentioned.len() as u32,
        });
        self.implicit.clear();
    }

    /// Whether the token begins something that can only stand outside of bodies.
    pub(super) fn at_module_item(&self) -> bool {
        matches!(
            self.text(),
            b".version"
                | b".target"
                | b".address_size"
                | b".visible"
                | b".extern"
                | b".weak"
                | b".common"
                | b".entry"
                | b".func"
                | b".section"
                | b".alias"
        )
    }

    /// Whether the token begins a directive that says something of the whole module.
    pub(super) fn at_head(&self) -> bool {
        matches!(self.text(), b".version" | b".target" | b".address_size")
    }

    pub(super) fn module_directive(&mut self) {
        let text = self.text();
        if matches!(text, b".reg" | b".loc") && self.may_be_snippet() {
            self.bare_body();
            return;
        }
        let start = self.span;
        let external = std::mem::take(&mut self.external);
        let understood = match text {
            b".version" => self.version(),
            b".target" => self.target(),
            b".address_size" => self.address_size(),
            b".visible" | b".extern" | b".weak" | b".common" => {
                self.advance();
                self.external = text == b".extern";
                let linked = self.token == Token::Directive
                    && !matches!(
                        self.text(),
                        b".visible" | b".extern" | b".weak" | b".version" | b".target" | b".address_size" | b".section"
                    );
                if !linked {
                    self.unexpected("a function or a variable");
                }
                return;
            }
            b".entry" | b".func" => {
                let kind = if text == b".entry" { FunctionKind::Entry } else { FunctionKind::Func };
                self.advance();
                self.scopes.open();
                let understood = self.function(kind, external);
                self.scopes.close();
                self.scopes.end_function();
                understood
            }
            b".reg" => {
                self.advance();
                self.register_declaration()
            }
            b".global" | b".const" | b".shared" | b".local" | b".param" | b".tex" | b".surf" | b".sampler" => {
                self.advance();
                self.variable_declaration(text)
            }
            b".section" => {
                self.advance();
                self.section()
            }
            b".file" | b".loc" => {
                self.advance();
                self.file();
                true
            }
            b".pragma" | b".alias" | b".callprototype" | b".calltargets" | b".branchtargets" => {
                self.advance();
                self.module_statement()
            }
            // DWARF lines of old compilers, after a `.section` without braces
            b".byte" | b".b8" | b".b16" | b".b32" | b".b64" | b".4byte" | b".2byte" | b".8byte" | b".quad" => {
                self.advance();
                self.file();
                true
            }
            _ => {
                self.unexpected("a directive of the module");
                self.advance();
                false
            }
        };
        if !understood {
            if self.span == start {
                self.advance();
            }
            self.recover_module();
        }
    }

    /// Goes to what seems to begin the next item of the module.
    #[cold]
    fn recover_module(&mut self) {
        let mut nesting = 0_u32;
        loop {
            match self.token {
                Token::End => return,
                Token::Directive if self.at_module_item() => return,
                Token::Directive
                    if nesting == 0
                        && self.on_new_line()
                        && matches!(self.text(), b".global" | b".const" | b".shared" | b".file" | b".pragma") =>
                {
                    return;
                }
                Token::Word | Token::Path | Token::At
                    if nesting == 0 && self.on_new_line() && self.may_be_snippet() =>
                {
                    return;
                }
                Token::LeftBrace => nesting += 1,
                Token::RightBrace => {
                    nesting = nesting.saturating_sub(1);
                    if nesting == 0 {
                        self.advance();
                        return;
                    }
                }
                Token::Semicolon if nesting == 0 => {
                    self.advance();
                    return;
                }
                _ => {}
            }
            self.advance();
        }
    }

    /// `.version 8.4`
    fn version(&mut self) -> bool {
        let start = self.span;
        self.advance();
        let text = self.text();
        let number = |digits: &[u8]| std::str::from_utf8(digits).ok()?.parse::<u32>().ok();
        let parts = memchr::memchr(b'.', text).and_then(|dot| Some((number(&text[..dot])?, number(&text[dot + 1..])?)));
        match parts {
            Some(version) if self.token == Token::Float => {
                self.module.version.get_or_insert((version, start.to(self.span)));
                self.advance();
                true
            }
            _ => {
                self.unexpected("a version such as 8.4");
                false
            }
        }
    }

    /// `.target sm_89, debug`
    fn target(&mut self) -> bool {
        self.advance();
        loop {
            if self.token != Token::Word {
                self.unexpected("a target such as sm_89");
                return false;
            }
            match self.module.target {
                None => self.module.target = Some(self.span),
                Some(_) => self.module.target_options.push(self.span),
            }
            self.advance();
            if !self.eat(Token::Comma) {
                return true;
            }
        }
    }

    fn address_size(&mut self) -> bool {
        self.advance();
        let size = literal::integer(self.text()).and_then(|value| u32::try_from(value.bits).ok());
        if self.token != Token::Integer {
            self.unexpected("32 or 64");
            return false;
        }
        self.module.address_size = self.module.address_size.or(size);
        self.advance();
        true
    }

    /// What follows `.entry` or `.func`: results, name, parameters, directives, and a body or `;`.
    fn function(&mut self, kind: FunctionKind, external: bool) -> bool {
        self.first_parameter = self.module.parameters.len() as u32;
        self.parameter_end = 0;
        while self.token == Token::Directive && self.text() == b".attribute" {
            if !self.attribute() {
                return false;
            }
        }
        if self.token == Token::LeftParen && !self.parameters() {
            return false;
        }
        if self.token != Token::Word {
            self.unexpected("a function name");
            return false;
        }
        let name = self.span;
        self.advance();
        if self.token == Token::LeftParen && !self.parameters() {
            return false;
        }
        loop {
            match self.token {
                Token::LeftBrace => {
                    let open = self.span;
                    self.advance();
                    self.function_body(kind, name, Some(open));
                    return true;
                }
                Token::Semicolon => {
                    self.advance();
                    return true;
                }
                // ptxas takes a prototype without `;`; at the end of the file one that is not `.extern` has lost its body
                Token::End => {
                    if !external {
                        self.unexpected("\"{\" or \";\"");
                    }
                    return true;
                }
                Token::Directive if self.at_module_item() => return true,
                Token::Directive => match self.text() {
                    b".attribute" => {
                        if !self.attribute() {
                            return false;
                        }
                    }
                    b".pragma" => {
                        self.advance();
                        while self.eat(Token::Text) || self.eat(Token::Comma) {}
                        if !self.eat(Token::Semicolon) {
                            self.unexpected("\";\"");
                            return false;
                        }
                    }
                    b".global" | b".const" | b".shared" | b".file" => return true,
                    // performance directives: `.maxntid 1, 2, 3`
                    _ => {
                        self.advance();
                        while self.eat(Token::Integer) || self.eat(Token::Comma) {}
                    }
                },
                _ => {
                    self.unexpected("\"{\" or \";\"");
                    return false;
                }
            }
        }
    }

    /// `.attribute(.unified(1, 2))`
    pub(super) fn attribute(&mut self) -> bool {
        self.advance();
        let mut nesting = 0_u32;
        loop {
            match self.token {
                Token::LeftParen => nesting += 1,
                Token::RightParen if nesting == 1 => {
                    self.advance();
                    return true;
                }
                Token::RightParen if nesting > 0 => nesting -= 1,
                Token::Directive | Token::Integer | Token::Comma if nesting > 0 => {}
                _ => {
                    self.unexpected("an attribute");
                    return false;
                }
            }
            self.advance();
        }
    }

    /// Goes past the `;` of what is not looked into.
    fn module_statement(&mut self) -> bool {
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
                Token::Directive
                    if self.on_new_line()
                        && (self.at_module_item()
                            || matches!(self.text(), b".global" | b".const" | b".shared" | b".file")) =>
                {
                    return self.missing_semicolon();
                }
                _ => self.advance(),
            }
        }
    }

    /// `.section .debug_info { … }`; without braces it ends with its line.
    fn section(&mut self) -> bool {
        if !matches!(self.token, Token::Directive | Token::Word | Token::Path) {
            self.unexpected("a section name");
            return false;
        }
        self.advance();
        if self.token != Token::LeftBrace {
            if self.token == Token::End || self.on_new_line() {
                return true;
            }
            if self.token != Token::Comma && self.token != Token::Text {
                self.unexpected("\"{\"");
                return false;
            }
            self.file();
            return true;
        }
        let open = self.span;
        loop {
            self.advance();
            match self.token {
                Token::RightBrace => {
                    self.advance();
                    return true;
                }
                Token::End => {
                    if self.lexer.extras.unterminated_comment.is_some() {
                        self.unexpected("\"}\"");
                    } else {
                        let found = self.end();
                        self.report(SyntaxError::UnterminatedBlock { open, found });
                    }
                    return true;
                }
                Token::Directive if self.at_module_item() && self.on_new_line() => {
                    let found = self.span;
                    self.report(SyntaxError::UnterminatedBlock { open, found });
                    return true;
                }
                Token::Invalid | Token::OpenText => {
                    self.unexpected("data");
                    return false;
                }
                _ => {}
            }
        }
    }

    /// The numbers and strings of a `.file`, which no `;` ends.
    fn file(&mut self) {
        while matches!(self.token, Token::Integer | Token::Text | Token::Comma)
            || (matches!(self.token, Token::Word | Token::Minus | Token::Plus) && !self.on_new_line())
        {
            self.advance();
        }
    }
}
