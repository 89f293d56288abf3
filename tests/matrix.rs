//! `cvtlower matrix` from outside.

use std::fs;
use std::process::Stdio;

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::{contains, is_empty, starts_with};
use serde_json::Value;

fn matrix(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("cvtlower").expect("the program is built");
    command.env_remove("RUST_BACKTRACE").arg("matrix").args(arguments);
    command
}

fn json(arguments: &[&str]) -> Value {
    let output = matrix(arguments).args(["--format", "json"]).assert().code(0).get_output().stdout.clone();
    let document: Value = serde_json::from_slice(&output).expect("JSON");
    let schema = serde_json::to_value(cvtlower::report::matrix::json::schema()).expect("a schema");
    let validator = jsonschema::validator_for(&schema).expect("a valid schema");
    let errors: Vec<String> = validator.iter_errors(&document).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    document
}

fn form<'a>(document: &'a Value, name: &str) -> &'a Value {
    let forms = document["forms"].as_array().expect("a list");
    forms.iter().find(|form| form["form"] == name).unwrap_or_else(|| panic!("no {name}"))
}

#[test]
fn a_form_has_its_minimum_sass_and_rule() {
    matrix(&["--arch", "sm_89", "--filter", "e4m3x2.f32"])
        .assert()
        .code(0)
        .stderr(is_empty())
        .stdout(starts_with("2 of 100 forms are legal on sm_89.\n"))
        .stdout(contains("| cvt.rn.satfinite.e4m3x2.f32 d, a, b"))
        .stdout(contains("| 8.1 | sm_89  | F2FP.SATFINITE.E4M3.F32.PACK_AB_MERGE_C "));
}

#[test]
fn minima_are_asked_of_every_target_and_version() {
    let document = json(&["--arch", "all"]);
    let minimum = |name: &str| {
        let form = form(&document, name);
        [form["min_target"].as_str().expect("a target"), form["min_ptx"].as_str().expect("a version")]
            .map(str::to_owned)
    };
    assert_eq!(minimum("cvt.rn.satfinite.e4m3x2.f32"), ["sm_89", "8.1"]);
    assert_eq!(minimum("cvt.rn.satfinite.e2m1x2.f32"), ["sm_100f", "8.6"]);
    assert_eq!(minimum("cvt.rn.satfinite.s2f6x2.f32"), ["sm_100a", "9.1"]);
    assert_eq!(minimum("cvt.rn.bf16.f32"), ["sm_80", "7.0"]);
    assert_eq!(minimum("cvt.pack.sat.u16.s32"), ["sm_72", "6.5"]);
    assert_eq!(minimum("cvt.rzi.s32.f32"), ["any", "1.0"]);
    // The version belongs to the target: sm_90 had it before sm_89.
    let on = &form(&document, "cvt.rn.satfinite.e4m3x2.f32")["on"];
    assert_eq!((&on["sm_90"]["min_ptx"], &on["sm_89"]["min_ptx"]), (&"7.8".into(), &"8.1".into()));
    assert_eq!(on["sm_86"]["legal"], false);
    assert!(!on["sm_86"]["reasons"].as_array().expect("a list").is_empty());
}

/// `fixtures/minima.tsv` was found by asking ptxas 13.1.115 about each form with every `.version` and `.target`.
#[test]
fn minima_are_those_of_ptxas() {
    let document = json(&["--arch", "sm_75,sm_80,sm_89,sm_90,sm_100,sm_100a"]);
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/minima.tsv");
    let text = fs::read_to_string(path).expect("the table");
    let mut known = std::collections::HashSet::new();
    let forms: std::collections::HashMap<&str, &Value> = document["forms"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|form| (form["form"].as_str().expect("text"), form))
        .collect();
    for line in text.lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let form = forms.get(columns[0]).unwrap_or_else(|| panic!("{} is legal", columns[0]));
        assert_eq!((&form["min_target"], &form["min_ptx"]), (&columns[1].into(), &columns[2].into()), "{}", columns[0]);
        known.insert(columns[0]);
    }
    // And nothing else is legal, but for cvt.pack, which the table leaves out.
    let more: Vec<_> = forms.keys().filter(|form| !known.contains(*form) && !form.starts_with("cvt.pack.")).collect();
    assert!(more.is_empty(), "{more:?}");
}

#[test]
fn the_matrix_says_what_the_main_command_says() {
    let document = json(&["--arch", "sm_89", "--filter", "cvt.rzi.s32"]);
    let told = &form(&document, "cvt.rzi.s32.f32")["on"]["sm_89"];
    assert_eq!(told["rule"], "3");
    assert!(told["sass"][0].as_str().expect("text").starts_with("F2I.TRUNC.NTZ "));
}

#[test]
fn targets_stand_side_by_side_and_differences_are_marked() {
    let output = matrix(&["--arch", "sm_80,sm_90", "--filter", "rn.f32.s32"]).assert().code(0).get_output().clone();
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let row = text.lines().find(|line| line.starts_with("| cvt.rn.f32.s32 ")).expect("a row");
    let cells: Vec<&str> = row.split('|').map(str::trim).collect();
    assert!(cells[4] == "≠" && cells[5].starts_with("I2F R") && cells[6].starts_with("I2FP.F32.S32 R"), "{row}");
}

#[test]
fn illegal_forms_are_asked_for() {
    matrix(&["--arch", "sm_89", "--filter", "cvt.s32.f32"])
        .assert()
        .code(1)
        .stdout(is_empty())
        .stderr("error: no form like 'cvt.s32.f32' is legal there; --all says why\n");
    matrix(&["--arch", "sm_89", "--filter", "cvt.s32.f32", "--all"])
        .assert()
        .code(0)
        .stdout(contains("illegal: ").and(contains("ounding")));
    let all = json(&["--arch", "sm_89", "--all"]);
    assert_eq!(all["forms"].as_array().expect("a list").len(), 19_747);
    assert_eq!(all["asked"], 19_747);
}

#[test]
fn csv_has_a_line_a_form() {
    let output = matrix(&["--arch", "sm_89,sm_90", "--filter", "*.bf16.f16", "--format", "csv"]).assert().code(0);
    let text = String::from_utf8(output.get_output().stdout.clone()).expect("UTF-8");
    let mut lines = text.lines();
    let head = lines.next().expect("a head");
    assert!(head.starts_with("form,operands,min_target,min_ptx,differs,sm_89 legal,"), "{head}");
    let line = lines.find(|line| line.starts_with("cvt.rn.bf16.f16,\"d, a\",sm_90,")).expect("a line");
    assert!(line.contains(",≠,no,") && line.contains("F2F.BF16.F16"), "{line}");
}

#[test]
fn wrong_usage_is_status_2() {
    matrix(&[]).assert().code(2).stderr(contains("--arch sm_89"));
    matrix(&["--arch", "sm_98"]).assert().code(2).stderr(contains("did you mean"));
    matrix(&["--arch", "sm_89", "--filter", "nothing"]).assert().code(1).stderr("error: no form is like 'nothing'\n");
    matrix(&["--arch", "sm_89", "-o", "no/such/folder/m.md"]).assert().code(2).stderr(contains("cannot write"));
}

#[test]
fn a_file_is_written_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("m.csv");
    let path = path.to_str().expect("UTF-8");
    matrix(&["--arch", "sm_89", "--filter", "f16.f32", "--format", "csv", "-o", path])
        .assert()
        .code(0)
        .stdout(is_empty());
    assert!(fs::read_to_string(path).expect("written").contains("cvt.rn.f16.f32,"));
    matrix(&["--arch", "sm_89", "--filter", "nothing", "-o", path]).assert().code(1);
    assert!(fs::read_to_string(path).expect("as it was").contains("cvt.rn.f16.f32,"));
}

#[test]
fn a_closed_pipe_is_no_error() {
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_cvtlower"))
        .args(["matrix", "--arch", "sm_89"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}

#[test]
fn help_fits_a_screen() {
    matrix(&["--help"])
        .assert()
        .code(0)
        .stdout(predicate::function(|text: &str| text.lines().count() <= 32))
        .stdout(contains("--filter"));
}

#[test]
fn the_manual_and_completions_know_the_subcommand() {
    let run = |arguments: &[&str]| {
        let mut command = Command::cargo_bin("cvtlower").expect("the program is built");
        command.args(arguments).assert().code(0)
    };
    run(&["man"]).stdout(contains(".TH CVTLOWER 1").and(contains("CVTLOWER MATRIX")).and(contains("filter")));
    for shell in ["bash", "zsh", "fish"] {
        run(&["completions", shell]).stdout(contains("matrix").and(contains("summary")));
    }
    run(&["--help"]).stdout(contains("matrix").and(contains("completions").not()));
}
