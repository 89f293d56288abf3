//! What tests of whole sessions share.

use std::path::Path;
use std::process::Command;

/// What a command line gave.
pub struct Output {
    /// Exit status.
    pub status: i32,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

/// Runs a shell command that finds `cvtlower` as the one just built.
pub fn run(command: &str, folder: &Path) -> Output {
    let program = Path::new(env!("CARGO_BIN_EXE_cvtlower")).parent().expect("it has a folder");
    let path = std::env::var("PATH").unwrap_or_default();
    let output = Command::new("sh")
        .args(["-c", command])
        .current_dir(folder)
        .env("PATH", format!("{}:{path}", program.display()))
        .env("COLUMNS", "100")
        .env("LC_ALL", "C.UTF-8")
        .env_remove("RUST_BACKTRACE")
        .output()
        .expect("the shell runs");
    Output {
        status: output.status.code().expect("an exit status"),
        stdout: String::from_utf8(output.stdout).expect("UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}
