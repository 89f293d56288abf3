//! What a file is judged by and translated for.

use crate::cvt;
use crate::diagnostic::Diagnostic;
use crate::ptx::Module;
use crate::target::Target;

use super::Options;

/// The newest PTX ISA version that the reference knows.
const NEWEST: (u32, u32) = (9, 1);

/// Target and version of a file.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// The architecture to generate for.
    pub arch: Target,
    /// What legality is judged by.
    pub judge: cvt::Judge,
}

impl Setting {
    /// Read a module's `.target` and `.version`.
    pub fn of(module: &Module<'_>, options: &Options, _findings: &mut Vec<Diagnostic>) -> Setting {
        let declared =
            module.target.and_then(|s| std::str::from_utf8(s.of(module.source)).ok()).and_then(Target::parse_declared);
        let arch = options.arch.or(declared).unwrap_or(Target { sm: 75, flavour: crate::target::Flavour::Plain });
        let target = if options.retarget { arch } else { declared.unwrap_or(arch) };
        let version = match module.version {
            Some((v, _)) if !options.retarget => v,
            _ => NEWEST,
        };
        Setting { arch, judge: cvt::Judge { target, version } }
    }
}
