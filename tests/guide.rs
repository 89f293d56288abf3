//! The commands of the guide and the examples are run: `sh` and `make` are really called.

mod common;

use std::fs;
use std::path::Path;
use std::process::Command;

use common::run;
use tempfile::TempDir;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Whether a program is there; says which lane is skipped when not.
fn present(program: &str, lane: &str) -> bool {
    let found = Command::new(program).arg("--version").output().is_ok();
    if !found {
        eprintln!("SKIPPED {lane}: there is no {program}");
    }
    found
}

#[test]
fn commands_of_the_guide_work() {
    let folder = TempDir::new().expect("a temporary folder");
    let fixtures = root().join("fixtures/kernels");
    fs::create_dir_all(folder.path().join("fixtures/kernels")).expect("a folder");
    for entry in fs::read_dir(fixtures).expect("the fixtures") {
        let path = entry.expect("an entry").path();
        fs::copy(&path, folder.path().join("fixtures/kernels").join(path.file_name().expect("a name")))
            .expect("copied");
    }
    let guide = fs::read_to_string(root().join("docs/guide.md")).expect("the guide");
    let mut commands = 0;
    for block in guide.split("```sh\n").skip(1) {
        for command in block.split("```").next().expect("a block").lines() {
            let output = run(command, folder.path());
            assert_eq!(output.status, 0, "{command}\n{}", output.stderr);
            commands += 1;
        }
    }
    assert!(commands >= 8, "{commands}");
}

#[cfg(unix)]
#[test]
fn make_makes_listings() {
    if !present("make", "make_makes_listings") {
        return;
    }
    let folder = TempDir::new().expect("a temporary folder");
    fs::copy(root().join("docs/examples/Makefile"), folder.path().join("Makefile")).expect("copied");
    fs::copy(root().join("fixtures/kernels/quantize.ptx"), folder.path().join("quantize.ptx")).expect("copied");
    let made = run("make ARCH=sm_90 2>&1", folder.path());
    assert_eq!(made.status, 0, "{}", made.stdout);
    let listing = fs::read_to_string(folder.path().join("quantize.sass")).expect("the listing");
    assert!(listing.starts_with("\t.target\tsm_90\n"), "{listing}");
    let again = run("make -q ARCH=sm_90", folder.path());
    assert_eq!(again.status, 0, "nothing is to be done again");
    fs::copy(root().join("fixtures/illegal.ptx"), folder.path().join("illegal.ptx")).expect("copied");
    let failed = run("make ARCH=sm_90 2>&1", folder.path());
    assert_ne!(failed.status, 0);
    assert!(!folder.path().join("illegal.sass").exists());
}

#[cfg(unix)]
#[test]
fn the_pipeline_counts_opcodes() {
    let output = run("sh docs/examples/opcodes.sh sm_89 fixtures/kernels/quantize.ptx", root());
    assert_eq!(output.status, 0, "{}", output.stderr);
    let counted: Vec<(u32, &str)> = output
        .stdout
        .lines()
        .map(|line| line.trim().split_once(' ').expect("a count and an opcode"))
        .map(|(count, opcode)| (count.parse().expect("a number"), opcode))
        .collect();
    assert!(counted.contains(&(4, "HADD2.F32")), "{}", output.stdout);
    assert!(counted.iter().all(|(_, opcode)| !opcode.is_empty() && !opcode.contains('@')), "{}", output.stdout);
}
