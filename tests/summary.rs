//! `--summary` and `--format table` from outside.

use std::fs;

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::{contains, is_empty};
use tempfile::TempDir;

const SNIPPET: &str = "cvt.rm.bf16.f32 h1, f1;\ncvt.rn.f32.s32 f2, r1;\n";

fn cvtlower(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("cvtlower").expect("the program is built");
    command.env_remove("RUST_BACKTRACE").env_remove("NO_COLOR").args(arguments);
    command
}

fn folder() -> TempDir {
    let folder = TempDir::new().expect("a folder");
    fs::write(folder.path().join("a.ptx"), SNIPPET).expect("written");
    fs::write(folder.path().join("b.ptx"), SNIPPET).expect("written");
    folder
}

#[test]
fn a_forced_slow_path_is_told_with_what_would_be_cheaper() {
    cvtlower(&["--summary", "--arch", "sm_89"])
        .write_stdin(SNIPPET)
        .assert()
        .code(0)
        .stderr(is_empty())
        .stdout(contains("<stdin> for sm_89: 2 conversions: 2 emitted\n"))
        .stdout(contains("       1  I2FP.F32.S32\n"))
        .stdout(contains("cvt.rm.bf16.f32: F2F.BF16.F32.RM (line 1)\n"))
        .stdout(contains("`.rm` forces F2F here; `.rn` or `.rz` would be F2FP\n"));
}

#[test]
fn several_files_have_totals() {
    let folder = folder();
    cvtlower(&["--summary", "--arch", "sm_89,sm_90", "a.ptx", "b.ptx"])
        .current_dir(&folder)
        .assert()
        .code(0)
        .stdout(contains("a.ptx for sm_89: 2 conversions").and(contains("b.ptx for sm_90: 2 conversions")))
        .stdout(contains("2 files for sm_89: 4 conversions: 4 emitted\n").count(1))
        .stdout(contains("2 files for sm_90: 4 conversions: 4 emitted\n").count(1));
}

#[test]
fn a_summary_is_no_listing() {
    cvtlower(&["--summary", "--format", "json", "--arch", "sm_89"]).write_stdin(SNIPPET).assert().code(2);
}

#[test]
fn what_is_legal_by_the_file_is_what_counts() {
    // By .target sm_80 a bf16 has no .rn from f16, whatever the architecture.
    let module =
        ".version 7.0\n.target sm_80\n.address_size 64\n.entry k() { .reg .b16 h<3>; cvt.rn.bf16.f16 h1, h2; ret; }";
    cvtlower(&["--summary", "--arch", "sm_90"]).write_stdin(module).assert().code(1).stdout(contains("1 illegal"));
}

#[test]
fn a_table_is_plain_when_piped() {
    let folder = folder();
    cvtlower(&["--format", "table", "--arch", "sm_80,sm_90", "a.ptx", "b.ptx"])
        .current_dir(&folder)
        .assert()
        .code(0)
        .stdout(contains("a.ptx\nline  conversion").and(contains("\n\nb.ptx\nline  conversion")))
        .stdout(contains("≠ I2FP.F32.S32"))
        .stdout(contains("\x1b").not());
    cvtlower(&["--format", "table", "--arch", "sm_80,sm_90", "--color", "always", "a.ptx"])
        .current_dir(&folder)
        .assert()
        .code(0)
        .stdout(contains("\x1b[33m≠ I2FP.F32.S32"));
}
