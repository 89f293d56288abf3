//! What can be wrong with the text itself, before any instruction is understood.

use super::Span;
use super::lines::LineIndex;

/// A finding of the parser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SyntaxError {
    /// A token that cannot stand here.
    UnexpectedToken {
        /// The token; of a dotted word its first part, as ptxas cuts it.
        found: Span,
        /// What could stand here, such as `","`.
        expected: &'static str,
    },
    /// The file ends in the middle of something.
    UnexpectedEnd {
        /// The empty span at the end of the file.
        at: Span,
        /// What could stand here.
        expected: &'static str,
    },
    /// A statement without `;`, before something that begins another one.
    MissingSemicolon {
        /// The empty span past the statement's last token.
        at: Span,
        /// The token that came instead.
        found: Span,
    },
    /// `/*` without `*/`.
    UnterminatedComment {
        /// The `/*`.
        open: Span,
    },
    /// `"` without an end.
    UnterminatedString {
        /// From the quote to the end of its line.
        text: Span,
    },
    /// `{` without `}`: the file ends, or another function begins.
    UnterminatedBlock {
        /// The `{`.
        open: Span,
        /// Where the `}` was missed: the next function's first token, or the end of the file (empty).
        found: Span,
    },
    /// A byte that begins no token (a control character, `#`, a letter outside of ASCII).
    InvalidCharacter {
        /// The byte; of a UTF-8 sequence all of it.
        found: Span,
    },
    /// A UTF-8 byte order mark: a warning, since it is read here and refused by ptxas.
    ByteOrderMark {
        /// Its three bytes.
        mark: Span,
    },
    /// `.reg .bf16 x`: no register can have this type, or there is no such type.
    UnsupportedRegisterType {
        /// The type with its dot.
        ty: Span,
    },
    /// `.reg .e4m3x2 x`: the type is one of instructions only.
    InstructionTypeOnly {
        /// The type with its dot.
        ty: Span,
    },
    /// A register declared twice in one block; the first declaration holds.
    DuplicateDeclaration {
        /// The second name.
        name: Span,
        /// Whether it declares a range, `%r<5>`.
        range: bool,
    },
    /// An operand with more parts, or a statement with more operands, than the tree can count.
    TooManyOperands {
        /// The operand or the statement.
        at: Span,
    },
    /// The file is longer than a 32-bit place can name.
    FileTooLarge {
        /// Its length in bytes.
        length: u64,
    },
    /// There were more findings than are kept.
    TooManyErrors {
        /// Place of the first that is not kept.
        at: Span,
        /// How many are not kept.
        more: u32,
    },
}

impl SyntaxError {
    /// The place to mark.
    pub fn span(&self) -> Span {
        match *self {
            Self::UnexpectedToken { found, .. } | Self::InvalidCharacter { found } => found,
            Self::UnexpectedEnd { at, .. }
            | Self::MissingSemicolon { at, .. }
            | Self::TooManyOperands { at }
            | Self::TooManyErrors { at, .. } => at,
            Self::UnterminatedComment { open } | Self::UnterminatedBlock { open, .. } => open,
            Self::UnterminatedString { text } => text,
            Self::ByteOrderMark { mark } => mark,
            Self::UnsupportedRegisterType { ty } | Self::InstructionTypeOnly { ty } => ty,
            Self::DuplicateDeclaration { name, .. } => name,
            Self::FileTooLarge { .. } => Span::default(),
        }
    }

    /// The place whose line ptxas names: where it noticed, which for something unclosed is far behind its start.
    pub fn anchor(&self, source: &[u8]) -> Span {
        match *self {
            Self::MissingSemicolon { found, .. } | Self::UnterminatedBlock { found, .. } => found,
            Self::UnterminatedComment { .. } => Span::new(source.len() as u32, source.len() as u32),
            _ => self.span(),
        }
    }

    /// Whether the text is understood all the same.
    pub fn is_warning(&self) -> bool {
        matches!(self, Self::ByteOrderMark { .. })
    }

    /// The text that ptxas 13.1 prints for it, without place and severity; `None` where ptxas has nothing to say.
    pub fn ptxas(&self, source: &[u8], lines: &LineIndex<'_>) -> Option<String> {
        let near = |span: Span| {
            let text = String::from_utf8_lossy(span.of(source));
            Some(format!("Parsing error near '{text}': syntax error"))
        };
        match *self {
            Self::UnexpectedToken { found, .. }
            | Self::MissingSemicolon { found, .. }
            | Self::UnterminatedBlock { found, .. } => near(found),
            Self::UnexpectedEnd { at, .. } => near(at),
            Self::UnterminatedComment { .. } => Some("Parsing error near '': unexpected EOF while scanning".to_owned()),
            Self::UnterminatedString { text } => near(Span::new(text.start, text.start + 1)),
            Self::UnsupportedRegisterType { ty } => near(ty),
            Self::InstructionTypeOnly { ty } => {
                let ty = String::from_utf8_lossy(ty.of(source));
                Some(format!("Type {ty} may only be used as an instruction type"))
            }
            Self::DuplicateDeclaration { name, range } => {
                let name = String::from_utf8_lossy(name.of(source));
                let mark = if range { "<" } else { "" };
                Some(format!("Duplicate definition of variable '{name}{mark}'"))
            }
            // ptxas reads a NUL as the end of the file
            Self::InvalidCharacter { found } => match found.of(source).first() {
                Some(0) => Some(format!("Unexpected EOF encountered on line {}", lines.line(found.start))),
                Some(128..) => {
                    Some(format!("Unexpected non-ASCII character encountered on line {}", lines.line(found.start)))
                }
                _ => near(found),
            },
            Self::ByteOrderMark { .. } => Some("Unexpected non-ASCII character encountered on line 1".to_owned()),
            Self::TooManyOperands { .. } | Self::FileTooLarge { .. } | Self::TooManyErrors { .. } => None,
        }
    }

    /// Whether ptxas ends at once with it.
    pub fn fatal(&self) -> bool {
        !matches!(
            self,
            Self::InstructionTypeOnly { .. } | Self::DuplicateDeclaration { .. } | Self::TooManyOperands { .. }
        )
    }
}
