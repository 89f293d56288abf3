//! From which version and which target on a form is legal: asked, target by target and version by version.

use std::fmt;

use crate::cvt::{self, Decoded, Judge, Operands};
use crate::target::{Flavour, NEWEST_VERSION, Target, Version, versions};

/// The first target and version that take a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Minimum {
    /// The oldest target. One with an `f` stands for its family and what comes after it, each as `f` or `a`; one
    /// with an `a` for names with an `a` only.
    pub target: Target,
    /// The first version on that target, or on the `a` name of the same number.
    pub version: Version,
}

impl Minimum {
    /// Whether every target takes it.
    pub fn is_any(&self) -> bool {
        Target::declared().next() == Some(self.target)
    }
}

impl fmt::Display for Minimum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_any() { f.write_str("any") } else { self.target.fmt(f) }
    }
}

/// A statement as legality sees it.
pub struct Asked {
    /// Its opcode.
    pub decoded: Decoded,
    /// Its operands.
    pub operands: Operands,
}

impl Asked {
    /// Whether it is legal there.
    pub fn is_legal(&self, target: Target, version: Version) -> bool {
        cvt::check(&self.decoded, &self.operands, Judge { target, version }).is_ok()
    }

    /// The first version that takes it on `target`; `None` where none does.
    pub fn version(&self, target: Target) -> Option<Version> {
        if !self.is_legal(target, NEWEST_VERSION) {
            return None;
        }
        versions().find(|&version| version >= target.min_version() && self.is_legal(target, version))
    }

    /// The first target and version; `None` where it is legal nowhere.
    pub fn minimum(&self) -> Option<Minimum> {
        // What an `f` name takes its `a` name takes too, so the `f` says more.
        let order = |t: &Target| (t.flavour != Flavour::Plain, t.flavour == Flavour::Exact);
        let mut targets: Vec<Target> = Target::declared().collect();
        targets.sort_by_key(|t| (order(t), t.sm));
        let (target, first) = targets.iter().find_map(|&target| Some((target, self.version(target)?)))?;
        // An `a` name is older than the `f` name that says more.
        let exact = targets.iter().filter(|t| t.sm == target.sm && target.flavour == Flavour::Family);
        let version = exact.filter_map(|&t| self.version(t)).fold(first, Version::min);
        Some(Minimum { target, version })
    }
}
