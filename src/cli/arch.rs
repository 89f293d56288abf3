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
        if let Some(target) = Target::all().find(|target| target.to_string() == name) {
            return Ok(Self::One(target));
        }
        let names: Vec<String> = Target::all().map(|target| target.to_string()).collect();
        // `89`, `sm89`, `compute_89`: the number tells what is meant.
        let digits = name.trim_start_matches(|c: char| !c.is_ascii_digit());
        let meant = format!("sm_{digits}");
        let nearest = names
            .iter()
            .max_by_key(|known| {
                (
                    **known == meant,
                    (strsim::jaro(known, &meant) * 1000.0) as u32,
                )
            })
            .filter(|_| !digits.is_empty());
        Err(match nearest {
            Some(nearest) => format!("no such architecture; did you mean {nearest}?"),
            None => format!(
                "no such architecture; known are {} and all",
                names.join(", ")
            ),
        })
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
