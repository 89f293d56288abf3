//! What a file is judged by and translated for.

use crate::cvt::{self, check_module};
use crate::diagnostic::Diagnostic;
use crate::ptx::Module;
use crate::target::{NEWEST_VERSION, Target};

use super::{Options, diagnose};

/// Target and version of a file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Setting {
    /// The architecture to generate for.
    pub arch: Target,
    /// What legality is judged by.
    pub judge: cvt::Judge,
}

impl Setting {
    /// Read a module's `.target` and `.version`.
    pub fn of(module: &Module<'_>, options: &Options) -> Setting {
        let declared =
            module.target.and_then(|s| std::str::from_utf8(s.of(module.source)).ok()).and_then(Target::parse_declared);
        let arch = options.arch.or(declared).unwrap_or(Target { sm: 75, flavour: crate::target::Flavour::Plain });
        let target = if options.retarget { arch } else { declared.unwrap_or(arch) };
        let version = match module.version {
            Some((v, _)) if !options.retarget => v,
            _ => NEWEST_VERSION,
        };
        Setting { arch, judge: cvt::Judge { target, version } }
    }
}

/// What is wrong with `.version` and `.target`, or that they are missing.
pub fn judge_head(module: &Module<'_>, options: &Options, findings: &mut Vec<Diagnostic>) {
    if options.retarget || module.snippet {
        return;
    }
    let target = module.target.map(|s| String::from_utf8_lossy(s.of(module.source)).into_owned());
    if module.version.is_none() {
        findings
            .push(diagnose::missing_directive(".version", "begin the module with `.version 9.1` and `.target sm_89`"));
    } else if target.is_none() {
        findings
            .push(diagnose::missing_directive(".target", "name the target behind `.version`, such as `.target sm_89`"));
    }
    let version = module.version.map(|(v, _)| v);
    findings.extend(
        check_module(version, target.as_deref(), options.arch).iter().map(|f| diagnose::module_fault(f, module)),
    );
}
