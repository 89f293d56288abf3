//! `cvtlower verify`: with stand-ins for the tools, and with the real ones where there are any.

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use cvtlower::reference::{Tools, Wanted};
use predicates::prelude::*;
use predicates::str::contains;
use serde_json::Value;
use tempfile::TempDir;

const MODULE: &str = "\
.version 8.4
.target sm_89
.address_size 64
.visible .entry k(.param .u64 p)
{
	.reg .b32 %r<3>; .reg .f32 %f<3>; .reg .b64 %rd<3>;
	ld.param.u64 %rd1, [p]; ld.global.f32 %f1, [%rd1]; cvt.rzi.s32.f32
	%r1, %f1; st.global.u32 [%rd1], %r1;
	ret;
}
";

/// `verify` with nothing of the surroundings that could lead to a tool.
fn verify() -> Command {
    let mut command = Command::cargo_bin("cvtlower").expect("the program is built");
    for variable in ["CVTLOWER_PTXAS", "CVTLOWER_NVDISASM", "CUDA_HOME", "CUDA_PATH", "RUST_BACKTRACE"] {
        command.env_remove(variable);
    }
    command.arg("verify");
    command
}

fn folder() -> TempDir {
    let folder = TempDir::new().expect("a temporary folder");
    fs::write(folder.path().join("k.ptx"), MODULE).expect("k.ptx is written");
    folder
}

/// An executable shell script.
#[cfg(unix)]
fn script(folder: &Path, name: &str, text: &str) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.join(name);
    fs::write(&path, format!("#!/bin/sh\n{text}\n")).expect("the script is written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("the script may be run");
    path
}

#[test]
fn without_tools_it_says_how_to_get_them() {
    let folder = folder();
    verify()
        .current_dir(&folder)
        .env("PATH", "")
        .arg("k.ptx")
        .assert()
        .code(2)
        .stderr(contains("no ptxas is found").and(contains("pip install nvidia-cuda-nvcc")));
    verify()
        .current_dir(&folder)
        .args(["k.ptx", "--ptxas", "nowhere/ptxas"])
        .assert()
        .code(2)
        .stderr(contains("--ptxas says 'nowhere/ptxas'"));
}

/// A ptxas that takes everything, and an nvdisasm that prints `listing`.
#[cfg(unix)]
fn with_stand_ins(folder: &TempDir, ptxas: &str, listing: &str) -> Command {
    let version = "case $1 in --version) echo 'release 13.1, V13.1.115'; exit;; esac";
    let ptxas = script(folder.path(), "ptxas", &format!("{version}\n{ptxas}"));
    let nvdisasm = script(folder.path(), "nvdisasm", &format!("{version}\ncat <<'END'\n{listing}\nEND"));
    let mut command = verify();
    command.current_dir(folder).env("CVTLOWER_PTXAS", ptxas).env("CVTLOWER_NVDISASM", nvdisasm);
    command
}

/// The line that the conversion of [`MODULE`] has when each statement stands on its own.
#[cfg(unix)]
fn listing(instruction: &str) -> String {
    let line = (1..40).map(|n| format!("\t//## File \"in.ptx\", line {n}\n        /*0000*/  {instruction} ;"));
    format!("\t.section .text.k\n{}", line.collect::<Vec<_>>().join("\n"))
}

#[cfg(unix)]
#[test]
fn agreement_and_difference_have_their_statuses() {
    let folder = folder();
    with_stand_ins(&folder, "", &listing("@P0 F2I.TRUNC.NTZ R17, R3"))
        .arg("k.ptx")
        .assert()
        .code(0)
        .stdout(contains("ptxas 13.1.115, nvdisasm 13.1.115\nk.ptx for sm_89: 1 of 1 conversions agree\n"));
    with_stand_ins(&folder, "", &listing("F2I.NTZ R17, R3"))
        .arg("k.ptx")
        .assert()
        .code(1)
        .stdout(contains("0 of 1 (0.0 %)").and(contains("7:53: cvt.rzi.s32.f32 %r1, %f1;")))
        .stdout(contains("F2I.TRUNC.NTZ R").and(contains("F2I.NTZ R17, R3")));
}

#[cfg(unix)]
#[test]
fn a_tool_that_hangs_or_crashes_is_told_and_the_rest_goes_on() {
    let folder = folder();
    fs::write(folder.path().join("bad.ptx"), MODULE.replace("%r1", "%slow")).expect("written");
    for (trouble, told) in [("exec sleep 20", "ptxas was stopped after 1 s"), ("kill -SEGV $$", "ptxas crashed")] {
        let ptxas =
            format!("for a in \"$@\"; do case $a in *.ptx) grep -q slow $a && {{ {trouble}; }};; esac; done; exit 0");
        with_stand_ins(&folder, &ptxas, &listing("F2I.TRUNC.NTZ R17, R3"))
            .args(["bad.ptx", "k.ptx", "--timeout", "1"])
            .assert()
            .code(1)
            .stdout(contains(format!("bad.ptx for sm_89: not compared: {told}")))
            .stdout(contains("k.ptx for sm_89: 1 of 1 conversions agree"))
            .stdout(contains("2 files, 1 of them not compared: 1 of 1 conversions agree"));
    }
}

#[cfg(unix)]
#[test]
fn messages_are_compared_where_ptxas_refuses() {
    let folder = folder();
    fs::write(folder.path().join("k.ptx"), MODULE.replace(".rzi", "")).expect("written");
    let says = |text: &str| {
        format!(
            "for a in \"$@\"; do case $a in *.ptx) n=$(grep -n '^cvt' $a | cut -d: -f1);; esac; done\n\
             echo \"ptxas in.ptx, line $n; error   : {text}\" >&2\n\
             echo 'ptxas fatal   : Ptx assembly aborted due to errors' >&2\nexit 255"
        )
    };
    with_stand_ins(&folder, &says("Rounding modifier required for instruction 'cvt'"), "")
        .arg("k.ptx")
        .assert()
        .code(0)
        .stdout(contains("1 of 1 messages agree"));
    with_stand_ins(&folder, &says("Something else"), "")
        .arg("k.ptx")
        .assert()
        .code(1)
        .stdout(contains("7: only ptxas says: Something else"))
        .stdout(contains("7: only cvtlower says: Rounding modifier required for instruction 'cvt'"));
}

#[cfg(unix)]
#[test]
fn json_follows_its_schema() {
    let folder = folder();
    let output = with_stand_ins(&folder, "", &listing("F2I.NTZ R17, R3"))
        .args(["k.ptx", "--format", "json"])
        .assert()
        .code(1)
        .get_output()
        .stdout
        .clone();
    let document: Value = serde_json::from_slice(&output).expect("JSON");
    let schema = serde_json::to_value(cvtlower::report::verify::schema()).expect("a schema");
    let validator = jsonschema::validator_for(&schema).expect("a valid schema");
    let errors: Vec<String> = validator.iter_errors(&document).map(|e| e.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    assert_eq!(document["files"][0]["differences"][0]["ptxas"][0], "F2I.NTZ R17, R3");
    assert_eq!(document["total"]["agreeing"], 0);
}

/// The lane with the real tools: skipped by name where there are none.
#[test]
fn lane_real_ptxas_agrees_on_the_fixtures() {
    let tools = match Tools::find(&Wanted::default()) {
        Ok(tools) => tools,
        Err(missing) => {
            eprintln!("SKIPPED lane_real_ptxas_agrees_on_the_fixtures: {missing}");
            return;
        }
    };
    let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/kernels");
    let files: Vec<PathBuf> =
        fs::read_dir(kernels).expect("the fixtures").map(|entry| entry.expect("an entry").path()).collect();
    let output = Command::cargo_bin("cvtlower")
        .expect("the program is built")
        .arg("verify")
        .args(files.iter().filter(|file| file.extension().is_some_and(|e| e == "ptx")))
        .args(["--arch", "sm_89", "--format", "json"])
        .env("CVTLOWER_PTXAS", &tools.ptxas.path)
        .env("CVTLOWER_NVDISASM", &tools.nvdisasm.path)
        .output()
        .expect("the program runs");
    let document: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let total = |name: &str| document["total"][name].as_u64().expect("a number");
    assert_eq!(total("failures"), 0, "{document:#}");
    // What depends on scheduling alone is not foretold; another version of ptxas may differ some more.
    assert!(total("agreeing") * 10 >= total("conversions") * 9, "{document:#}");
}
