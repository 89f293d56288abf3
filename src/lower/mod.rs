//! The rule engine: from a conversion and the facts about it to SASS.
//!
//! A conversion is lowered in two stages. The *operation* rules are tried in order and the first that matches
//! emits; the *result* rules then finish its result (saturation, extension of a narrow integer) as far as the uses
//! want it. A rule is data: see [`rule::Rule`].

pub mod case;
pub mod emit;
pub mod engine;
pub mod machine;
pub mod registers;
pub mod rule;
pub mod rules;
mod uniform;

pub use case::{Case, Origin, Source};
pub use engine::{Lowering, lower};
pub use machine::Machine;
pub use rule::{Example, Rule, RuleId};
