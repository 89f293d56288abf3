//! The generated documents are those that the program would generate now; CVTLOWER_BLESS=1 writes them.

mod common;
mod expected;

use std::fs;
use std::path::Path;

use common::run;
use expected::{bless, difference};
use serde_json::Value;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn current(name: &str, text: &str) {
    let path = root().join("docs").join(name);
    if bless() {
        fs::write(&path, text).expect("the document is written");
        return;
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == text, "docs/{name} is stale\n{}\nCVTLOWER_BLESS=1 writes it", difference(&kept, text));
}

fn pretty(schema: &impl serde::Serialize) -> String {
    serde_json::to_string_pretty(schema).expect("JSON") + "\n"
}

#[test]
fn rules() {
    let by_hand = fs::read_to_string(root().join("docs/card-and-ptxas.md")).expect("the part kept by hand");
    current("rules.md", &cvtlower::explain::rules_document(&by_hand));
}

#[test]
fn diagnostics() {
    current("diagnostics.md", &cvtlower::explain::codes::document());
}

#[test]
fn schemas() {
    current("schema.json", &pretty(&cvtlower::report::json::schema()));
    current("verify-schema.json", &pretty(&cvtlower::report::verify::schema()));
}

#[test]
fn output_follows_the_schema() {
    let schema: Value = serde_json::to_value(cvtlower::report::json::schema()).expect("a schema");
    let validator = jsonschema::validator_for(&schema).expect("a valid schema");
    let commands = [
        "cvtlower --format json fixtures/kernels/quantize.ptx --arch sm_89",
        "cvtlower --format json --explain fixtures/kernels/quantize.ptx fixtures/illegal.ptx",
        "cvtlower --format json fixtures/kernels/quantize.ptx --arch all",
        "cvtlower --format json --context isolated fixtures/filetests/*.ptx --arch sm_100a",
        "echo 'cvt.f16.f32 h1, f1; cvt.s32.s8 r1, 5;' | cvtlower --format json --arch sm_75",
    ];
    for command in commands {
        let output = run(command, root());
        assert!(matches!(output.status, 0 | 1), "{command}: {}", output.stderr);
        let document: Value = serde_json::from_str(&output.stdout).expect("JSON");
        let errors: Vec<String> =
            validator.iter_errors(&document).map(|e| format!("{}: {e}", e.instance_path())).collect();
        assert!(errors.is_empty(), "{command}: {errors:?}");
    }
}

/// Every code in the sources has a text, and every text a code.
#[test]
fn codes_are_explained() {
    let mut found = Vec::new();
    let mut folders = vec![root().join("src")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if !path.ends_with("explain/codes_table.rs") {
                let text = fs::read_to_string(&path).expect("a source");
                let strings = text.split('"').filter(|s| {
                    let (head, tail) = s.split_once("::").unwrap_or_default();
                    matches!(head, "cvt" | "ptx" | "ptxas" | "module" | "input")
                        && !tail.is_empty()
                        && tail.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
                });
                found.extend(strings.map(str::to_owned));
            }
        }
    }
    for code in &found {
        assert!(
            cvtlower::explain::codes::all().any(|c| c.code == code),
            "{code} has no text in src/explain/codes_table.rs"
        );
    }
    for code in cvtlower::explain::codes::all() {
        assert!(found.iter().any(|f| f == code.code), "{} is no code", code.code);
    }
}
