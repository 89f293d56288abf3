//! The tokens of PTX, as ptxas cuts them.
//!
//! Tokens are coarse: an opcode with its modifiers is one [`Token::Path`], so that the common statement has few of
//! them. ptxas cuts at every dot; an error that names such a token therefore names its first part only.

use logos::{Lexer, Logos, Skip};

/// What the lexer notices besides tokens.
#[derive(Debug, Clone, Default)]
pub struct Notes {
    /// Start of a `/*` that nothing closes; it swallows the rest of the file.
    pub unterminated_comment: Option<u32>,
}

fn line_comment<'s>(lexer: &mut Lexer<'s, Token>) -> Skip {
    let rest = lexer.remainder();
    lexer.bump(memchr::memchr(b'\n', rest).unwrap_or(rest.len()));
    Skip
}

fn block_comment<'s>(lexer: &mut Lexer<'s, Token>) -> Skip {
    let rest = lexer.remainder();
    match memchr::memmem::find(rest, b"*/") {
        Some(at) => lexer.bump(at + 2),
        None => {
            lexer.extras.unterminated_comment = Some(lexer.span().start as u32);
            lexer.bump(rest.len());
        }
    }
    Skip
}

/// A string ends at the next quote: ptxas knows no escapes in it (a path may end in a backslash), and lets it
/// span lines.
fn string<'s>(lexer: &mut Lexer<'s, Token>) -> Token {
    let rest = lexer.remainder();
    match memchr::memchr(b'"', rest) {
        Some(at) => {
            lexer.bump(at + 1);
            Token::Text
        }
        None => {
            lexer.bump(memchr::memchr(b'\n', rest).unwrap_or(rest.len()));
            Token::OpenText
        }
    }
}

/// One token. Blanks and comments stand between tokens and are none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Logos)]
#[logos(utf8 = false, extras = Notes)]
#[logos(skip r"[ \t\r\n]+")]
#[logos(skip r"\\\r?\n")]
#[logos(skip("//", line_comment))]
#[logos(skip(r"/\*", block_comment))]
#[logos(subpattern rest = r"[A-Za-z0-9_$]")]
pub enum Token {
    /// An identifier, or an opcode without modifiers: `%r1`, `$L__BB0_2`, `ret`.
    #[regex(r"[A-Za-z](?&rest)*|[_$%](?&rest)+", priority = 10)]
    Word,
    /// An identifier with dotted parts: `cvt.rn.f32.s32`, `%tid.x`, `%v.x`.
    #[regex(r"([A-Za-z](?&rest)*|[_$%](?&rest)+)(\.[A-Za-z0-9](?&rest)*(::(?&rest)+)*)+", priority = 10)]
    Path,
    /// A dotted word on its own: a directive, a type, a modifier after a blank.
    #[regex(r"\.[A-Za-z0-9](?&rest)*(::(?&rest)+)*", priority = 5)]
    Directive,
    /// An integer literal.
    #[regex(r"(0[0-7]*|[1-9][0-9]*|0[xX][0-9A-Fa-f]+|0[bB][01]+)U?", priority = 10)]
    Integer,
    /// A floating-point literal.
    #[regex(r"([0-9]+\.[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", priority = 10)]
    #[regex(r"[0-9]+[eE][+-]?[0-9]+", priority = 10)]
    #[regex(r"0[fF][0-9A-Fa-f]{8}", priority = 12)]
    #[regex(r"0[dD][0-9A-Fa-f]{16}", priority = 12)]
    Float,
    /// A string with its quotes.
    #[token("\"", string)]
    Text,
    /// A quote that nothing closes, up to the end of the line.
    OpenText,
    /// `,`
    #[token(",")]
    Comma,
    /// `;`
    #[token(";")]
    Semicolon,
    /// `:`
    #[token(":")]
    Colon,
    /// `{`
    #[token("{")]
    LeftBrace,
    /// `}`
    #[token("}")]
    RightBrace,
    /// `[`
    #[token("[")]
    LeftBracket,
    /// `]`
    #[token("]")]
    RightBracket,
    /// `(`
    #[token("(")]
    LeftParen,
    /// `)`
    #[token(")")]
    RightParen,
    /// `@`
    #[token("@")]
    At,
    /// An old DWARF line, `@@DWARF …`, whole.
    #[regex("@@DWARF", |lexer| { line_comment(lexer); })]
    Dwarf,
    /// `_` alone, the operand that takes no result.
    #[token("_")]
    Sink,
    /// `=`
    #[token("=")]
    Assign,
    /// `.` that no word follows: always an error.
    #[token(".")]
    Dot,
    /// `+`
    #[token("+")]
    Plus,
    /// `-`
    #[token("-")]
    Minus,
    /// `!`
    #[token("!")]
    Not,
    /// `~`
    #[token("~")]
    Tilde,
    /// `*`
    #[token("*")]
    Star,
    /// `/`
    #[token("/")]
    Slash,
    /// `%` alone; with a word after it, it begins an identifier, as in ptxas.
    #[token("%")]
    Percent,
    /// `<`
    #[token("<")]
    Less,
    /// `>`
    #[token(">")]
    Greater,
    /// `<<`
    #[token("<<")]
    ShiftLeft,
    /// `>>`
    #[token(">>")]
    ShiftRight,
    /// `<=`
    #[token("<=")]
    LessEqual,
    /// `>=`
    #[token(">=")]
    GreaterEqual,
    /// `==`
    #[token("==")]
    Equal,
    /// `!=`
    #[token("!=")]
    NotEqual,
    /// `&`
    #[token("&")]
    And,
    /// `^`
    #[token("^")]
    Xor,
    /// `|`
    #[token("|")]
    Or,
    /// `&&`
    #[token("&&")]
    AndAnd,
    /// `||`
    #[token("||")]
    OrOr,
    /// `?`
    #[token("?")]
    Question,
    /// A byte that begins no token.
    Invalid,
    /// The end of the file.
    End,
}
