//! Findings for programs: SARIF and GitHub's annotations.

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::{contains, starts_with};
use serde_json::Value;
use tempfile::TempDir;

const ILLEGAL: &str = "cvt.s32.f32 r1, f1;\n  cvt.rn.bf16.f16 h1, h2;\n";

fn folder() -> TempDir {
    let folder = TempDir::new().expect("a folder");
    fs::write(folder.path().join("a b.ptx"), ILLEGAL).expect("written");
    fs::write(folder.path().join("fine.ptx"), "cvt.rzi.s32.f32 r1, f1;\n").expect("written");
    folder
}

fn cvtlower(folder: &TempDir, arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("cvtlower").expect("the program is built");
    command.env_remove("RUST_BACKTRACE").current_dir(folder).args(["--arch", "sm_89"]).args(arguments);
    command
}

/// The document, which the schema of the standard takes.
fn sarif(folder: &TempDir, arguments: &[&str], status: i32) -> Value {
    let output =
        cvtlower(folder, &["--diagnostics", "sarif"]).args(arguments).assert().code(status).get_output().clone();
    let document: Value = serde_json::from_slice(&output.stderr).expect("JSON and nothing else");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/schemas/sarif-2.1.0.json");
    // The published schema has a bracket too many in its pattern of languages, which is no regular expression then.
    let schema = fs::read_to_string(path).expect("the schema").replace("{2}]?$", "{2}?$");
    let schema: Value = serde_json::from_str(&schema).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a valid schema");
    let errors: Vec<String> = validator.iter_errors(&document).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    document
}

#[test]
fn every_file_is_in_one_document() {
    let folder = folder();
    let document = sarif(&folder, &["a b.ptx", "fine.ptx"], 1);
    let run = &document["runs"][0];
    assert_eq!(run["tool"]["driver"]["name"], "cvtlower");
    let results = run["results"].as_array().expect("a list");
    assert!(results.len() >= 2);
    let place = &results[0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "a%20b.ptx");
    assert_eq!((&place["region"]["startLine"], &results[0]["level"]), (&1.into(), &"error".into()));
    let rules: Vec<&Value> =
        run["tool"]["driver"]["rules"].as_array().expect("a list").iter().map(|rule| &rule["id"]).collect();
    assert!(results.iter().all(|result| rules.contains(&&result["ruleId"])));
}

#[test]
fn no_finding_is_a_document_too() {
    let document = sarif(&folder(), &["fine.ptx"], 0);
    assert_eq!(document["runs"][0]["results"], Value::Array(Vec::new()));
}

#[test]
fn what_is_wrong_with_a_file_is_a_notification() {
    let document = sarif(&folder(), &["missing.ptx", "-o", "out.sass"], 2);
    let invocation = &document["runs"][0]["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    let notes = invocation["toolExecutionNotifications"].as_array().expect("a list");
    assert!(notes[0]["message"]["text"].as_str().expect("text").contains("missing.ptx"));
    assert!(notes[1]["message"]["text"].as_str().expect("text").contains("is not written"));
}

#[test]
fn annotations_are_a_line_each() {
    cvtlower(&folder(), &["--diagnostics", "github", "a b.ptx"])
        .assert()
        .code(1)
        .stderr(starts_with("::error file=a b.ptx,line=1,endLine=1,col=1,endColumn="))
        .stderr(contains("line=2,").and(contains(",title=cvt%3A%3A")))
        .stderr(predicate::function(|text: &str| text.lines().all(|line| line.starts_with("::"))));
}
