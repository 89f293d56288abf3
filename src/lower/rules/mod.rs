//! The rules, one file a direction, in the order in which they are tried.

pub mod float_to_float;
pub mod float_to_int;
pub mod int_to_float;
pub mod int_to_int;
pub mod narrow;
pub mod pack;
pub mod result;
pub mod saturation;

use super::rule::Rule;

/// The operation rules: the first that matches emits.
pub const OPERATION: &[&[Rule]] = &[
    pack::RULES,
    narrow::RULES,
    float_to_float::RULES,
    float_to_int::RULES,
    int_to_float::RULES,
    saturation::RULES,
    int_to_int::RULES,
];

/// The result rules: the first that matches finishes.
pub const RESULT: &[&[Rule]] = &[result::RULES];

/// All of them.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    OPERATION.iter().chain(RESULT).flat_map(|rules| rules.iter())
}
