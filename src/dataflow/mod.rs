//! What is known of a register and what is wanted of it, per function.
//!
//! One linear pass each way over flat tables. The forward pass ([`facts`]) finds where a value comes from and
//! which of its bits are known; the backward pass ([`uses`]) finds who reads a result and what of it matters.
//! Both read the syntax tree through [`meaning`], which says once per distinct opcode what it does.

pub mod abilities;
pub mod bank;
pub mod choices;
pub mod copies;
pub mod divergence;
pub mod extended;
pub mod facts;
pub mod flow;
pub mod half;
pub mod logic;
pub mod meaning;
pub mod neighbours;
pub mod packs;
pub mod pairs;
pub mod predicated;
pub mod sign;
pub mod singles;
pub mod sums;
pub mod uses;
pub mod vectors;
pub mod widened;

pub use abilities::Abilities;
pub use bank::Load;
pub use facts::Known;
pub use flow::{Flow, Tables, Value};
pub use logic::{Input, Logic, Merging};
pub use meaning::{Action, Meaning, Space};
pub use pairs::Pair;
pub use sign::Sign;
pub use singles::Single;
pub use uses::Use;
