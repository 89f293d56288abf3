//! A rule as data.

use std::fmt;

use super::case::Case;
use super::emit::Emit;
use super::rules;

/// An example of a rule: a statement, an architecture, and what comes of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Example {
    /// A bare snippet; its last conversion is the example.
    pub ptx: &'static str,
    /// The architecture.
    pub arch: &'static str,
    /// The instructions of the last conversion, register numbers as they are assigned in the snippet.
    pub sass: &'static [&'static str],
}

/// A lowering rule.
#[derive(Debug)]
pub struct Rule {
    /// The number on the card: 1 direction, 2 float rounding, 3 integer rounding, 4 ftz and sat, 5 narrowing,
    /// 6 integer to integer, 7 rounding in place.
    pub card: u8,
    /// A short name.
    pub name: &'static str,
    /// What it says, in a line.
    pub title: &'static str,
    /// When it holds.
    pub when: fn(&Case) -> bool,
    /// What it emits.
    pub emit: fn(&Case, &mut Emit<'_>),
    /// Why ptxas does so.
    pub why: &'static str,
    /// Examples; they are its tests.
    pub examples: &'static [Example],
}

/// A reference to a rule.
#[derive(Clone, Copy)]
pub struct RuleId(pub &'static Rule);

impl RuleId {
    /// The rule's short name.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// What it says, in a line.
    pub fn title(self) -> &'static str {
        self.0.title
    }

    /// Why ptxas does so.
    pub fn reason(self) -> &'static str {
        self.0.why
    }

    /// Every rule, in the order in which they are tried.
    pub fn all() -> impl Iterator<Item = RuleId> {
        rules::all().map(RuleId)
    }
}

impl PartialEq for RuleId {
    fn eq(&self, other: &Self) -> bool {
        // Not by address: the tables are constants, of which there may be several copies.
        self.0.name == other.0.name
    }
}

impl Eq for RuleId {}

impl fmt::Debug for RuleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.name)
    }
}

impl fmt::Display for RuleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.card)
    }
}
