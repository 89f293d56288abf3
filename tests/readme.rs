//! The sessions of README.md are real: each `$` line of a `console` block is run and its output compared.

mod common;
mod expected;

use std::fs;
use std::path::Path;

use common::run;
use expected::{bless, difference};

#[test]
fn sessions_are_real() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = root.join("README.md");
    let text = fs::read_to_string(&path).expect("README.md is read");
    let actual = replayed(&text, root);
    if bless() {
        fs::write(&path, actual).expect("README.md is written");
    } else {
        assert!(actual == text, "{}\nCVTLOWER_BLESS=1 writes what comes out", difference(&text, &actual));
    }
}

/// The text with the output of every session as it comes out.
fn replayed(text: &str, root: &Path) -> String {
    let mut out = String::new();
    let mut session = false;
    for line in text.lines() {
        if line.starts_with("```") {
            session = line == "```console";
        } else if session {
            let Some(command) = line.strip_prefix("$ ") else {
                continue;
            };
            let output = run(command, root);
            assert!(matches!(output.status, 0 | 1), "{command}: {}", output.stderr);
            out.push_str(&format!("{line}\n{}{}", output.stdout, output.stderr));
            continue;
        }
        out.push_str(line);
        out.push('\n');
    }
    out
}
