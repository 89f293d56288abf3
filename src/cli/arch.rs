//! `--arch`: names to targets.

use std::str::FromStr;

use cvtlower::target::Target;

/// One value of `--arch`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arch {
    /// Every target there is.
    All,
    /// This one.
    One(Target),
}

impl FromStr for Arch {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        if name == "all" {
            return Ok(Self::All);
        }
        Target::parse(name).map(Self::One).map_err(|unknown| unknown.to_string())
    }
}

/// The targets asked for, each once; empty when each file's `.target` is to be taken.
pub fn targets(archs: &[Arch]) -> Vec<Target> {
    let mut targets = Vec::new();
    for arch in archs {
        match arch {
            Arch::All => return Target::all().collect(),
            Arch::One(target) if targets.contains(target) => {}
            Arch::One(target) => targets.push(*target),
        }
    }
    targets
}
