//! The program from outside: arguments, streams, files and exit statuses.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Command as Process, Stdio};

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::{contains, is_empty, starts_with};
use serde_json::Value;
use tempfile::TempDir;

const MODULE: &str = "\
.version 8.4
.target sm_80
.address_size 64

.visible .entry k(.param .u64 p)
{
	.reg .b32 %r<3>;
	.reg .f32 %f<3>;
	.reg .b64 %rd<3>;
	ld.param.u64 %rd1, [p];
	ld.global.f32 %f1, [%rd1];
	cvt.rzi.s32.f32 %r1, %f1;
	st.global.u32 [%rd1], %r1;
	ret;
}
";

/// Where the conversion of [`MODULE`] stands.
const LINE: u64 = 12;

const SNIPPET: &str = "cvt.rzi.s32.f32 r1, f1;\n";

fn cvtlower() -> Command {
    let mut command = Command::cargo_bin("cvtlower").expect("the program is built");
    command.env_remove("NO_COLOR").env_remove("RUST_BACKTRACE");
    command
}

/// A folder with `k.ptx` in it.
fn folder() -> TempDir {
    let folder = TempDir::new().expect("a temporary folder");
    fs::write(folder.path().join("k.ptx"), MODULE).expect("k.ptx is written");
    folder
}

/// The module with its conversion replaced.
fn with_conversion(conversion: &str) -> String {
    MODULE.replace("cvt.rzi.s32.f32 %r1, %f1;", conversion)
}

/// What stands in a folder, sorted.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("the folder is read");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_module_is_listed_as_nvdisasm_does() {
    let folder = folder();
    cvtlower()
        .current_dir(&folder)
        .args(["k.ptx", "--arch", "sm_89"])
        .assert()
        .code(0)
        .stderr(is_empty())
        .stdout(contains("\t.target\tsm_89\n"))
        .stdout(contains("//--------------------- .text.k                   --------------------------\n"))
        .stdout(contains("\t.section\t.text.k,\"ax\",@progbits\n.text.k:\n"))
        .stdout(contains(format!(
            "\t//## File \"k.ptx\", line {LINE}\n        /*0000*/                   F2I.TRUNC.NTZ "
        )));
}

#[test]
fn the_file_says_the_target() {
    cvtlower().write_stdin(MODULE).assert().code(0).stdout(contains("\t.target\tsm_80\n"));
}

#[test]
fn a_snippet_is_read_from_standard_input() {
    for arguments in [&["--arch", "sm_89"][..], &["--arch", "sm_89", "-"]] {
        cvtlower()
            .args(arguments)
            .write_stdin(SNIPPET)
            .assert()
            .code(0)
            .stderr(is_empty())
            .stdout(contains("File \"<stdin>\", line 1\n").and(contains("F2I.TRUNC.NTZ R")));
    }
}

#[test]
fn several_files_come_in_their_order() {
    let folder = folder();
    let mut arguments = Vec::new();
    for n in 0..40 {
        let name = format!("{n}.ptx");
        fs::write(folder.path().join(&name), MODULE.replace(" k(", &format!(" k{n}("))).expect("written");
        arguments.push(name);
    }
    let output = cvtlower().current_dir(&folder).args(&arguments).assert().code(0).get_output().stdout.clone();
    let listing = String::from_utf8(output).expect("UTF-8");
    let heads: Vec<&str> = listing.lines().filter(|line| line.starts_with("// ")).collect();
    let expected: Vec<String> = (0..40).map(|n| format!("// {n}.ptx for sm_80")).collect();
    assert_eq!(heads, expected);
    assert_eq!(listing.matches("F2I.TRUNC.NTZ").count(), 40);
}

#[test]
fn several_targets_are_a_block_each() {
    cvtlower()
        .args(["--arch", "sm_89,sm_90,sm_89"])
        .write_stdin(SNIPPET)
        .assert()
        .code(0)
        .stdout(starts_with("// <stdin> for sm_89\n").and(contains("// <stdin> for sm_90\n").count(1)));
}

#[test]
fn explain_tells_rule_and_subop() {
    cvtlower()
        .args(["--arch", "sm_89", "--explain"])
        .write_stdin(SNIPPET)
        .assert()
        .code(0)
        .stdout(contains("//   rule 3").and(contains("subop: F2I, source size 32")));
}

fn json(command: &mut Command) -> Value {
    let output = command.args(["--format", "json"]).output().expect("it runs");
    let document: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let schema = serde_json::to_value(cvtlower::report::json::schema()).expect("a schema");
    let validator = jsonschema::validator_for(&schema).expect("a valid schema");
    let errors: Vec<String> = validator.iter_errors(&document).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    document
}

#[test]
fn json_is_as_the_schema_says() {
    let folder = folder();
    let document = json(cvtlower().current_dir(&folder).args(["k.ptx", "--arch", "sm_89"]));
    assert_eq!(document["schema"], 1);
    assert_eq!(document["producer"], concat!("cvtlower ", env!("CARGO_PKG_VERSION")));
    assert_eq!(document["arch"], "sm_89");
    assert_eq!(document["reference"], "ptxas 13.1.115");
    let file = &document["files"][0];
    assert_eq!((&file["path"], &file["target"], &file["version"]), (&"k.ptx".into(), &"sm_80".into(), &"8.4".into()));
    let conversion = &file["functions"][0]["conversions"][0];
    assert_eq!(file["functions"][0]["name"], "k");
    assert_eq!(conversion["line"], LINE);
    assert_eq!(conversion["column"], 2);
    assert_eq!(conversion["ptx"], "cvt.rzi.s32.f32 %r1, %f1;");
    assert_eq!(conversion["fate"], "emitted");
    assert_eq!(conversion["sass"][0]["opcode"], "F2I.TRUNC.NTZ");
    assert_eq!(conversion["sass"][0]["predicate"], Value::Null);
    assert_eq!(conversion["isolated"][0]["opcode"], "F2I.TRUNC.NTZ");
    assert_eq!(conversion["folded_into"], Value::Null);
    assert!(conversion["registers"]["%r1"].is_string() && conversion["registers"]["%f1"].is_string());
    assert_eq!(file["diagnostics"], Value::Array(Vec::new()));
}

#[test]
fn json_repeats_runs_for_several_targets() {
    let document = json(cvtlower().args(["--arch", "sm_89,sm_90"]).write_stdin(SNIPPET));
    assert_eq!(document["runs"][0]["arch"], "sm_89");
    assert_eq!(document["runs"][1]["arch"], "sm_90");
    assert_eq!(document["runs"][1]["files"][0]["path"], "<stdin>");
    assert!(document.get("files").is_none());
}

#[test]
fn json_columns_count_characters() {
    let text = with_conversion("/* é€ */ cvt.s32.f32 %r1, %f1;");
    let document = json(cvtlower().write_stdin(text));
    let diagnostic = &document["files"][0]["diagnostics"][0];
    assert_eq!(diagnostic["line"], LINE);
    assert!((2..=40).contains(&diagnostic["column"].as_u64().expect("a number")));
    assert_eq!(diagnostic["severity"], "error");
    assert_eq!(diagnostic["ptxas"][0], "Rounding modifier required for instruction 'cvt'");
}

#[test]
fn an_illegal_conversion_is_status_1_and_the_rest_is_printed() {
    let text = with_conversion("cvt.s32.f32 %r2, %f1;\n\tcvt.rzi.s32.f32 %r1, %f1;");
    cvtlower()
        .write_stdin(text)
        .assert()
        .code(1)
        .stdout(contains("F2I.TRUNC.NTZ"))
        .stderr(starts_with(format!("<stdin>:{LINE}:2: error[cvt::")));
}

#[test]
fn ptxas_style_is_what_ptxas_prints() {
    let folder = folder();
    fs::write(folder.path().join("e.ptx"), with_conversion("cvt.s32.f32 %r1, %f1;")).expect("written");
    cvtlower().current_dir(&folder).args(["--diagnostics", "ptxas", "e.ptx"]).assert().code(1).stderr(format!(
        "ptxas e.ptx, line {LINE}; error   : Rounding modifier required for instruction 'cvt'\n\
         ptxas fatal   : Ptx assembly aborted due to errors\n"
    ));
}

#[test]
fn the_same_fault_is_told_once() {
    let many = "cvt.s32.f32 %r1, %f1;\n".repeat(20_000);
    for style in ["plain", "fancy"] {
        cvtlower()
            .args(["--diagnostics", style])
            .write_stdin(with_conversion(&many))
            .assert()
            .code(1)
            .stderr(contains("… and 19999 more like it, first at lines 13, 14, 15").count(1))
            .stderr(predicate::function(|text: &str| text.len() < 2000));
    }
}

#[test]
fn colours_are_for_terminals() {
    let text = with_conversion("cvt.s32.f32 %r1, %f1;");
    let colourful = |command: &mut Command| {
        let output = command.args(["--diagnostics", "fancy"]).write_stdin(text.clone()).output().expect("it runs");
        output.stderr.contains(&0x1b)
    };
    assert!(!colourful(&mut cvtlower()));
    assert!(!colourful(cvtlower().env("NO_COLOR", "1")));
    assert!(!colourful(cvtlower().args(["--color", "never"])));
    assert!(colourful(cvtlower().args(["--color", "always"])));
}

#[test]
fn a_closed_pipe_is_no_error() {
    let mut child = Process::new(env!("CARGO_BIN_EXE_cvtlower"))
        .args(["--arch", "sm_89"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(SNIPPET.repeat(20_000).as_bytes()).expect("it reads everything");
    drop(stdin);
    let mut line = String::new();
    let mut stdout = BufReader::with_capacity(64, child.stdout.take().expect("a pipe"));
    stdout.read_line(&mut line).expect("a line");
    drop(stdout);
    let mut errors = String::new();
    child.stderr.take().expect("a pipe").read_to_string(&mut errors).expect("text");
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
    assert_eq!(errors, "");
}

#[test]
fn output_is_written_whole() {
    let folder = folder();
    let old = folder.path().join("out.sass");
    cvtlower().current_dir(&folder).args(["k.ptx", "-o", "out.sass"]).assert().code(0).stdout(is_empty());
    assert!(fs::read_to_string(&old).expect("written").contains("F2I.TRUNC.NTZ"));
    assert_eq!(names(folder.path()), ["k.ptx", "out.sass"]);
}

#[test]
fn output_stays_as_it_was_when_an_input_is_missing() {
    let folder = folder();
    let old = folder.path().join("out.sass");
    fs::write(&old, "old").expect("written");
    cvtlower()
        .current_dir(&folder)
        .args(["k.ptx", "missing.ptx", "-o", "out.sass"])
        .assert()
        .code(2)
        .stderr(contains("'missing.ptx': No such file or directory").and(contains("'out.sass' is not written")));
    assert_eq!(fs::read_to_string(&old).expect("read"), "old");
    assert_eq!(names(folder.path()), ["k.ptx", "out.sass"]);
}

#[test]
fn output_needs_a_folder_and_no_folder_is_output() {
    let folder = folder();
    for (output, reason) in [("no/out.sass", "No such file or directory"), (".", "is a directory")] {
        cvtlower()
            .current_dir(&folder)
            .args(["k.ptx", "-o", output])
            .assert()
            .code(2)
            .stderr(contains("cannot write").and(contains(reason)));
    }
    assert_eq!(names(folder.path()), ["k.ptx"]);
}

#[cfg(unix)]
#[test]
fn an_input_is_not_written_over() {
    let folder = folder();
    let text = with_conversion("cvt.rzi.s32.f32 %r1, %f1;");
    fs::write(folder.path().join("k.ptx"), &text).expect("written");
    let mut command = cvtlower();
    command.current_dir(&folder).args(["-o", "./k.ptx", "k.ptx"]).assert().code(2).stderr(contains("is an input"));
    assert_eq!(fs::read_to_string(folder.path().join("k.ptx")).expect("it is there"), text);
}

#[test]
fn every_command_has_help() {
    for command in ["matrix", "explain", "verify", "completions"] {
        cvtlower().args([command, "--help"]).assert().success().stdout(contains("Usage: cvtlower"));
    }
}

#[test]
fn output_keeps_permissions_and_links() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = folder();
    let file = folder.path().join("out.sass");
    fs::write(&file, "old").expect("written");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).expect("set");
    symlink("out.sass", folder.path().join("link")).expect("linked");
    cvtlower().current_dir(&folder).args(["k.ptx", "-o", "link"]).assert().code(0);
    let metadata = fs::symlink_metadata(&file).expect("there");
    assert_eq!(metadata.permissions().mode() & 0o777, 0o640);
    assert!(fs::symlink_metadata(folder.path().join("link")).expect("there").is_symlink());
    assert!(fs::read_to_string(&file).expect("read").contains("F2I"));
}

#[cfg(target_os = "linux")]
#[test]
fn devices_are_written_directly() {
    let folder = folder();
    cvtlower().current_dir(&folder).args(["k.ptx", "-o", "/dev/null"]).assert().code(0);
    cvtlower()
        .current_dir(&folder)
        .args(["k.ptx", "-o", "/dev/full"])
        .assert()
        .code(2)
        .stderr("error: cannot write '/dev/full': No space left on device\n");
    let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("the device");
    let status = Process::new(env!("CARGO_BIN_EXE_cvtlower"))
        .arg(folder.path().join("k.ptx"))
        .stdout(full)
        .stderr(Stdio::null())
        .status()
        .expect("it runs");
    assert_eq!(status.code(), Some(2));
}

#[test]
fn a_missing_file_leaves_the_others() {
    let folder = folder();
    cvtlower()
        .current_dir(&folder)
        .args(["missing.ptx", "k.ptx"])
        .assert()
        .code(2)
        .stdout(contains("F2I.TRUNC.NTZ"))
        .stderr("error: cannot read 'missing.ptx': No such file or directory\n");
}

#[test]
fn a_directory_is_no_input() {
    let folder = folder();
    cvtlower()
        .current_dir(&folder)
        .arg(".")
        .assert()
        .code(2)
        .stdout(is_empty())
        .stderr("error: cannot read '.': is a directory\n");
}

#[test]
fn an_empty_file_is_told() {
    for text in ["", " \n\t\n"] {
        cvtlower().write_stdin(text).assert().code(1).stderr("<stdin>:1:1: error[input::empty]: the input is empty\n");
    }
}

#[test]
fn a_binary_file_is_told_in_one_line() {
    let mut elf = b"\x7fELF\x02\x01\x01".to_vec();
    elf.resize(5000, 0xa5);
    let noise: Vec<u8> = (0..20_000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    for (bytes, word) in [(elf, "ELF"), (noise, "binary"), (b"\xff\xfe.\0v\0".to_vec(), "UTF-16")] {
        cvtlower()
            .args(["--arch", "sm_89"])
            .write_stdin(bytes)
            .assert()
            .code(1)
            .stderr(contains(word).and(contains("\n").count(1)));
    }
}

#[test]
fn bytes_that_are_no_utf8_do_no_harm() {
    let mut text = b"cvt.s32.f32 r1, f1; // \xff\xfe \xc3\n\xe2\x82cvt.s32.f32 r\xff, f1;".to_vec();
    text.extend(b"\x1b[31m ;");
    for style in ["fancy", "plain", "ptxas"] {
        cvtlower()
            .args(["--arch", "sm_89", "--diagnostics", style])
            .write_stdin(text.clone())
            .assert()
            .code(1)
            .stderr(contains("Rounding modifier").or(contains("error").or(contains("×"))));
    }
    let document = json(cvtlower().args(["--arch", "sm_89"]).write_stdin(text));
    assert!(document["files"][0]["diagnostics"].as_array().is_some_and(|found| !found.is_empty()));
}

#[test]
fn a_line_of_100_000_characters_is_cut() {
    let text =
        "cvt.rzi.s32.f32 r1, f1; ".repeat(2_000) + "cvt.s32.f32 r1, f1; " + &"cvt.rzi.s32.f32 r1, f1; ".repeat(2_000);
    cvtlower()
        .args(["--arch", "sm_89", "--diagnostics", "fancy"])
        .write_stdin(text)
        .assert()
        .code(1)
        .stderr(contains("…").and(contains("cvt.s32.f32")).and(predicate::function(|text: &str| text.len() < 3000)));
}

#[test]
fn a_snippet_needs_an_arch() {
    cvtlower()
        .write_stdin(SNIPPET)
        .assert()
        .code(2)
        .stdout(is_empty())
        .stderr(contains("no .target").and(contains("--arch sm_89")));
}

#[test]
fn an_unknown_arch_names_the_nearest() {
    for (wrong, meant) in [("sm_899", "sm_89"), ("89", "sm_89"), ("compute_90", "sm_90"), ("sm_100s", "sm_100")] {
        cvtlower()
            .args(["--arch", wrong])
            .write_stdin(SNIPPET)
            .assert()
            .code(2)
            .stdout(is_empty())
            .stderr(contains(format!("'{wrong}'")).and(contains(format!("`{meant}`"))));
    }
}

#[test]
fn a_target_newer_than_the_arch_is_an_error_as_in_ptxas() {
    let newer = MODULE.replace("sm_80", "sm_90");
    cvtlower()
        .args(["--arch", "sm_89", "--diagnostics", "ptxas"])
        .write_stdin(newer.clone())
        .assert()
        .code(1)
        .stderr("ptxas fatal   : SM version specified by .target is higher than default SM version assumed\n");
    cvtlower().args(["--arch", "sm_89"]).write_stdin(newer.clone()).assert().code(1).stderr(contains("sm_90"));
    cvtlower()
        .args(["--arch", "sm_89", "--retarget"])
        .write_stdin(newer)
        .assert()
        .code(0)
        .stdout(contains("F2I.TRUNC.NTZ"));
}

#[test]
fn truncated_input_is_told_and_never_a_crash() {
    // A head alone is a module without functions, which is legal.
    let body = MODULE.find(".visible").expect("there");
    for end in (0..MODULE.len() - 2).step_by(3) {
        let output = cvtlower().write_stdin(&MODULE[..end]).output().expect("it runs");
        let code = output.status.code().expect("an exit status");
        assert!(code == 1 || (end <= body && (code == 0 || code == 2)), "status {code} when cut at {end}");
        assert!(code == 0 || !output.stderr.is_empty(), "silent when cut at {end}");
    }
}

#[test]
fn an_undeclared_register_is_told() {
    cvtlower()
        .write_stdin(with_conversion("cvt.rzi.s32.f32 %r1, %q1;"))
        .assert()
        .code(1)
        .stderr(contains(format!("<stdin>:{LINE}:")).and(contains("%q1")));
}

#[test]
fn a_register_of_the_wrong_width_is_told() {
    cvtlower()
        .write_stdin(with_conversion("cvt.rzi.s32.f32 %rd1, %f1;\n\tcvt.rzi.s64.f32 %r1, %f1;"))
        .assert()
        .code(1)
        .stderr(contains(format!("<stdin>:{}:", LINE + 1)).and(contains("s64")));
}

#[test]
fn wrong_arguments_are_status_2() {
    for arguments in [&["--bogus"][..], &["--format", "xml"], &["--retarget"], &["-", "-"], &["--arch"]] {
        cvtlower().args(arguments).write_stdin(MODULE).assert().code(2).stdout(is_empty()).stderr(contains("error:"));
    }
}

#[test]
fn help_and_version_are_short() {
    cvtlower().arg("--version").assert().code(0).stdout(concat!(
        "cvtlower ",
        env!("CARGO_PKG_VERSION"),
        " (reference ptxas 13.1.115)\n"
    ));
    let help = cvtlower().arg("--help").assert().code(0).get_output().stdout.clone();
    let help = String::from_utf8(help).expect("UTF-8");
    assert!(help.contains("Examples:") && help.lines().count() <= 40, "{help}");
}

#[test]
fn completions_are_printed() {
    cvtlower().args(["completions", "bash"]).assert().code(0).stdout(contains("cvtlower"));
}

#[cfg(unix)]
#[test]
fn a_pipe_with_a_name_is_read() {
    let folder = folder();
    let pipe = folder.path().join("pipe");
    assert!(Process::new("mkfifo").arg(&pipe).status().expect("mkfifo runs").success());
    let writer = std::thread::spawn({
        let pipe = pipe.clone();
        move || fs::write(pipe, MODULE)
    });
    cvtlower().arg(&pipe).assert().code(0).stdout(contains("F2I.TRUNC.NTZ"));
    writer.join().expect("it ends").expect("it writes");
}
