//! What tests of whole sessions share.

use std::path::Path;
use std::process::Command;

/// What a command line gave.
#[allow(dead_code, reason = "each test program uses what it needs")]
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

/// Whether expectations are to be written and not checked.
#[allow(dead_code, reason = "each test program uses what it needs")]
pub fn bless() -> bool {
    std::env::var_os("CVTLOWER_BLESS").is_some_and(|value| value == "1")
}

/// The lines from the first difference on, `-` expected and `+` come out.
#[allow(dead_code, reason = "each test program uses what it needs")]
pub fn difference(expected: &str, actual: &str) -> String {
    let same = expected.lines().zip(actual.lines()).take_while(|(a, b)| a == b).count();
    let rest = |sign: char, text: &str| -> String {
        text.lines().skip(same).take(12).map(|line| format!("{sign} {line}\n")).collect()
    };
    rest('-', expected) + &rest('+', actual)
}
