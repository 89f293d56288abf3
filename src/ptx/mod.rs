//! The PTX language: lexer, parser, syntax tree, types and places. It knows no GPU.

pub mod error;
pub mod lexer;
pub mod lines;
pub mod literal;
pub mod merge;
pub mod parser;
pub mod span;
pub mod syntax;
pub mod ty;

pub use error::SyntaxError;
pub use span::Span;
pub use syntax::*;
pub use ty::Type;
