//! One conversion: its form, its decoding, its legality. Knows no text and no SASS.

pub mod form;

pub use form::{Form, Rounding};
