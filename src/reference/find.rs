//! Where ptxas and nvdisasm are.

use std::env;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::run::output;

/// Both tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tools {
    /// The assembler.
    pub ptxas: Tool,
    /// The disassembler.
    pub nvdisasm: Tool,
}

/// One tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tool {
    /// Where it is.
    pub path: PathBuf,
    /// What it says of itself, such as `13.1.115`.
    pub version: String,
}

/// What the user says about where they are.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// `--ptxas`
    pub ptxas: Option<PathBuf>,
    /// `--nvdisasm`
    pub nvdisasm: Option<PathBuf>,
}

/// A tool that is not found or does not run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// What there is to say.
    message: String,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Missing {}

/// The packages that hold the tools.
const INSTALL: &str = "pip install nvidia-cuda-nvcc==13.1.115 nvidia-cuda-nvdisasm";

/// Prints the folders where the active Python environment keeps the tools.
const PYTHON: &str = "\
import glob, os, site, sysconfig
places = {sysconfig.get_path('purelib'), sysconfig.get_path('platlib'), site.getusersitepackages()}
for place in sorted(filter(None, places)):
    for folder in sorted(glob.glob(os.path.join(place, 'nvidia', '*', 'bin'))):
        print(folder)
";

/// Asking a tool for its version, or Python for its folders, takes no longer than this.
const PATIENCE: Duration = Duration::from_secs(20);

impl Tools {
    /// Looks in all the places, in the order in which they count.
    pub fn find(wanted: &Wanted) -> Result<Tools, Missing> {
        let mut python = None;
        let mut one = |name: &str, flag: Option<&Path>, variable: &str| {
            let path = named(name, flag, variable)?
                .or_else(|| on_path(name))
                .or_else(|| in_toolkit(name))
                .or_else(|| in_folders(name, python.get_or_insert_with(python_folders)))
                .ok_or_else(|| not_found(name, variable))?;
            let version = version(&path)?;
            Ok(Tool { path, version })
        };
        Ok(Tools {
            ptxas: one("ptxas", wanted.ptxas.as_deref(), "CVTLOWER_PTXAS")?,
            nvdisasm: one("nvdisasm", wanted.nvdisasm.as_deref(), "CVTLOWER_NVDISASM")?,
        })
    }
}

fn not_found(name: &str, variable: &str) -> Missing {
    let message = format!(
        "no {name} is found: not by --{name} or {variable}, not on the PATH, not in CUDA_HOME or CUDA_PATH, not in \
         the Python environment. Install both tools without a CUDA toolkit by\n    {INSTALL}"
    );
    Missing { message }
}

/// The one that a flag or a variable names. It has to be there: another one in its stead would mislead.
fn named(name: &str, flag: Option<&Path>, variable: &str) -> Result<Option<PathBuf>, Missing> {
    let (path, by) = match (flag, env::var_os(variable).filter(|v| !v.is_empty())) {
        (Some(path), _) => (path.to_path_buf(), format!("--{name}")),
        (None, Some(path)) => (PathBuf::from(path), variable.to_owned()),
        (None, None) => return Ok(None),
    };
    let path = if path.is_dir() { path.join(executable(name)) } else { path };
    if path.is_file() {
        Ok(Some(path))
    } else {
        Err(Missing { message: format!("{by} says '{}', where there is no file", path.display()) })
    }
}

fn executable(name: &str) -> String {
    format!("{name}{}", env::consts::EXE_SUFFIX)
}

fn in_folders(name: &str, folders: &[PathBuf]) -> Option<PathBuf> {
    folders.iter().map(|folder| folder.join(executable(name))).find(|path| path.is_file())
}

fn on_path(name: &str) -> Option<PathBuf> {
    let folders: Vec<PathBuf> = env::split_paths(&env::var_os("PATH")?).collect();
    in_folders(name, &folders)
}

fn in_toolkit(name: &str) -> Option<PathBuf> {
    let roots = ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(env::var_os);
    let folders: Vec<PathBuf> = roots.map(|root| Path::new(&root).join("bin")).collect();
    in_folders(name, &folders)
}

fn python_folders() -> Vec<PathBuf> {
    let python = ["python3", "python"].into_iter().find_map(on_path);
    let Some(python) = python else { return Vec::new() };
    let mut command = Command::new(python);
    command.args(["-c", PYTHON]);
    match output(&mut command, PATIENCE) {
        Ok(done) if done.success => done.stdout.lines().map(PathBuf::from).collect(),
        _ => Vec::new(),
    }
}

/// What `--version` says behind `V`.
fn version(path: &Path) -> Result<String, Missing> {
    let mut command = Command::new(path);
    command.arg("--version");
    let fail = |why: &str| Missing { message: format!("'{}' does not run: {why}", path.display()) };
    let done = output(&mut command, PATIENCE).map_err(|error| fail(&error.to_string()))?;
    let number = |word: &str| {
        let digits = word.trim_end_matches(',').strip_prefix('V')?;
        digits.starts_with(|c: char| c.is_ascii_digit()).then(|| digits.to_owned())
    };
    let found = done.stdout.split_whitespace().find_map(number);
    found.ok_or_else(|| fail("it tells no version, as ptxas and nvdisasm do"))
}
