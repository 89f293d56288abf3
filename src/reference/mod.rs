//! A real ptxas and nvdisasm: finding them, running them, comparing with them.

pub mod compare;
pub mod find;
mod rewrite;
pub mod run;
pub mod shape;

pub use compare::{Comparison, Difference, MessageDifference, compare};
pub use find::{Missing, Tools, Wanted};
