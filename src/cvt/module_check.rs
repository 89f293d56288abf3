//! What is wrong with a module before any of its statements: its `.version` and `.target`.

use crate::target::{NEWEST_VERSION, Refusal, Target, Version, knows_version};

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModuleFault {
    /// A `.version` that ptxas does not know.
    VersionUnknown(Version),
    /// A `.target` that ptxas does not know.
    TargetUnknown(Box<str>),
    /// A `.version` from before the `.target`.
    VersionTooOld(Version, Target),
    /// A `.target` that cannot be generated for the architecture.
    Refused(Refusal, Target, Target),
}

/// What to mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModulePlace {
    /// The number after `.version`.
    Version,
    /// The name after `.target`.
    Target,
}

/// Checks a module's `.version` and `.target`, as far as they are there, against the architecture to generate for.
/// As in ptxas, an unknown name hides what comes after it.
pub fn check_module(version: Option<Version>, target: Option<&str>, arch: Option<Target>) -> Vec<ModuleFault> {
    let mut found = Vec::new();
    if let Some(v) = version.filter(|&v| !knows_version(v)) {
        return vec![ModuleFault::VersionUnknown(v)];
    }
    let Some(name) = target else { return found };
    let Some(declared) = Target::parse_declared(name) else {
        return vec![ModuleFault::TargetUnknown(name.into())];
    };
    if let Some(v) = version.filter(|&v| v < declared.min_version()) {
        found.push(ModuleFault::VersionTooOld(v, declared));
    }
    if let Some((refusal, arch)) = arch.and_then(|a| Some((declared.refusal(a)?, a))) {
        found.push(ModuleFault::Refused(refusal, declared, arch));
    }
    found
}

impl ModuleFault {
    /// The text that ptxas prints, without the place before it.
    pub fn ptxas(&self) -> String {
        match self {
            ModuleFault::VersionUnknown((x, y)) => {
                let (major, minor) = NEWEST_VERSION;
                format!("Unsupported .version {x}.{y}; current version is '{major}.{minor}'")
            }
            ModuleFault::TargetUnknown(name) => format!("Unsupported .target '{name}'"),
            ModuleFault::VersionTooOld((x, y), target) => {
                format!("PTX .version {x}.{y} does not support .target {target}")
            }
            ModuleFault::Refused(refusal, target, arch) => match refusal {
                Refusal::Newer => "SM version specified by .target is higher than default SM version assumed".into(),
                Refusal::Exact => format!("Program with .target '{target}' cannot be compiled to future architecture"),
                Refusal::OtherName => {
                    format!("PTX with .target '{target}' cannot be compiled for architecture '{arch}'")
                }
                Refusal::OtherFamily => {
                    format!("Program with .target '{target}' cannot be compiled to different SM-family architecture")
                }
            },
        }
    }

    /// Whether ptxas ends at once with it.
    pub fn fatal(&self) -> bool {
        !matches!(self, ModuleFault::VersionTooOld(..))
    }

    /// A stable code.
    pub fn code(&self) -> &'static str {
        match self {
            ModuleFault::VersionUnknown(_) => "module::version_unknown",
            ModuleFault::TargetUnknown(_) => "module::target_unknown",
            ModuleFault::VersionTooOld(..) => "module::version_too_old",
            ModuleFault::Refused(..) => "module::target_refused",
        }
    }

    /// What to mark.
    pub fn place(&self) -> ModulePlace {
        match self {
            ModuleFault::VersionUnknown(_) | ModuleFault::VersionTooOld(..) => ModulePlace::Version,
            _ => ModulePlace::Target,
        }
    }

    /// What is wrong.
    pub fn message(&self) -> String {
        match self {
            ModuleFault::VersionUnknown((x, y)) => format!("ptxas 13.1 does not know PTX ISA {x}.{y}"),
            ModuleFault::TargetUnknown(name) => format!("there is no target `{name}`"),
            ModuleFault::VersionTooOld((x, y), target) => format!("PTX ISA {x}.{y} does not know {target} yet"),
            ModuleFault::Refused(refusal, target, arch) => match refusal {
                Refusal::Newer => format!("a module for {target} does not run on {arch}, which is older"),
                Refusal::Exact | Refusal::OtherName => {
                    format!("a module for {target} runs on nothing else, not on {arch}")
                }
                Refusal::OtherFamily => {
                    format!("a module for {target} runs within its family, and {arch} is of another")
                }
            },
        }
    }

    /// What the marked place is, in a few words.
    pub fn label(&self) -> String {
        match self {
            ModuleFault::VersionUnknown(_) => "not known".into(),
            ModuleFault::TargetUnknown(_) => "no such target".into(),
            ModuleFault::VersionTooOld(..) => "too old for the target".into(),
            ModuleFault::Refused(_, _, arch) => format!("not for {arch}"),
        }
    }

    /// What to write instead.
    pub fn help(&self) -> Option<String> {
        Some(match self {
            ModuleFault::VersionUnknown(v) => {
                let (x, y) = NEWEST_VERSION;
                if *v > NEWEST_VERSION {
                    format!("write `.version {x}.{y}`, unless the file needs something newer")
                } else {
                    format!("versions run from 1.0 to {x}.{y}, not all of them in steps of 0.1")
                }
            }
            ModuleFault::TargetUnknown(name) => {
                let near = Target::nearest(name)?;
                format!("did you mean `{near}`?")
            }
            ModuleFault::VersionTooOld(_, target) => {
                let (x, y) = target.min_version();
                format!("write `.version {x}.{y}` or newer")
            }
            ModuleFault::Refused(refusal, target, arch) => match refusal {
                Refusal::Newer => {
                    format!("generate for {target} or newer, or judge the file as if for {arch} with `--retarget`")
                }
                Refusal::Exact | Refusal::OtherName => {
                    format!(
                        "write `.target {}` to run on later architectures, if no `a` feature is used",
                        Target::plain(target.sm)
                    )
                }
                Refusal::OtherFamily => {
                    format!(
                        "write `.target {}` to run on later architectures, if no `f` feature is used",
                        Target::plain(target.sm)
                    )
                }
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(version: Version, target: &str, arch: &str) -> Vec<String> {
        let arch = Target::parse(arch).unwrap();
        check_module(Some(version), Some(target), Some(arch)).iter().map(ModuleFault::ptxas).collect()
    }

    #[test]
    fn version_and_target_are_checked_in_order() {
        assert_eq!(texts((9, 2), "sm_95", "sm_89"), ["Unsupported .version 9.2; current version is '9.1'"]);
        assert_eq!(texts((9, 1), "sm_95", "sm_89"), ["Unsupported .target 'sm_95'"]);
        assert_eq!(texts((7, 7), "sm_89", "sm_89"), ["PTX .version 7.7 does not support .target sm_89"]);
        assert!(texts((9, 1), "compute_89", "sm_89").is_empty());
    }

    #[test]
    fn a_target_is_checked_against_the_architecture() {
        let refused = |target, arch| texts((9, 1), target, arch).pop().unwrap_or_default();
        assert_eq!(
            refused("sm_90", "sm_89"),
            "SM version specified by .target is higher than default SM version assumed"
        );
        assert_eq!(
            refused("sm_90a", "sm_100"),
            "Program with .target 'sm_90a' cannot be compiled to future architecture"
        );
        assert_eq!(
            refused("sm_100a", "sm_100"),
            "PTX with .target 'sm_100a' cannot be compiled for architecture 'sm_100'"
        );
        assert_eq!(
            refused("sm_100f", "sm_120"),
            "Program with .target 'sm_100f' cannot be compiled to different SM-family architecture"
        );
        for (target, arch) in
            [("sm_89", "sm_121f"), ("sm_100f", "sm_103"), ("sm_101a", "sm_110a"), ("sm_101f", "sm_110")]
        {
            assert_eq!(refused(target, arch), "", "{target} on {arch}");
        }
    }
}
