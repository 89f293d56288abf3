//! Files that say themselves what is to come of them: see `fixtures/filetests/README.md`.

mod common;
mod expected;

use std::fs;
use std::path::Path;

use common::run;
use expected::{bless, difference};

#[test]
fn filetests() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/filetests");
    let mut paths: Vec<_> = fs::read_dir(&folder)
        .expect("the folder is read")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "ptx"))
        .collect();
    paths.sort();
    assert!(!paths.is_empty());
    let failures: Vec<String> = paths.iter().filter_map(|path| filetest(path).err()).collect();
    assert!(failures.is_empty(), "{}\nCVTLOWER_BLESS=1 writes what comes out", failures.join("\n"));
}

/// Checks one file, or writes down what comes out.
fn filetest(path: &Path) -> Result<(), String> {
    let name = path.file_name().expect("a name").to_string_lossy();
    let text = fs::read_to_string(path).expect("UTF-8");
    let expectation = |line: &str| ["//>", "//!", "//="].iter().any(|mark| line.starts_with(mark));
    let input: String = text.split_inclusive('\n').take_while(|line| !expectation(line)).collect();
    let expected = &text[input.len()..];
    let commands: Vec<&str> = input.lines().filter_map(|line| line.strip_prefix("// args:")).collect();
    if commands.is_empty() {
        return Err(format!("{name}: has no `// args:` line"));
    }

    // The program sees the input alone, under the file's own name.
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join(name.as_ref()), &input).expect("written");
    let mut actual = String::new();
    for arguments in commands {
        let output = run(&format!("cvtlower {arguments} {name}"), folder.path());
        actual.push_str(&format!("//= {}\n", output.status));
        mark(&mut actual, "//>", &output.stdout);
        mark(&mut actual, "//!", &output.stderr);
    }
    if actual == expected {
        Ok(())
    } else if bless() {
        fs::write(path, input + &actual).expect("written");
        Ok(())
    } else {
        Err(format!("{name}:\n{}", difference(expected, &actual)))
    }
}

fn mark(out: &mut String, mark: &str, text: &str) {
    for line in text.lines() {
        let gap = if line.is_empty() { "" } else { " " };
        out.push_str(&format!("{mark}{gap}{line}\n"));
    }
}
