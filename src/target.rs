//! The targets: one table of what each can do. Every question about a target is asked here.

/// The flavour of an architecture name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Flavour {
    /// `sm_100`: runs on every newer architecture.
    Plain,
    /// `sm_100f`: runs within its family.
    Family,
    /// `sm_100a`: runs on exactly this architecture.
    Exact,
}

/// An architecture to generate SASS for, such as `sm_89` or `sm_100a`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Target {
    /// The number: 89 for `sm_89`.
    pub sm: u16,
    /// Plain, family or exact.
    pub flavour: Flavour,
}
