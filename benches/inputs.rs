//! The texts that are measured: the kernels of `fixtures/bench` again and again, under new names.

use std::fmt::Write;
use std::fs;
use std::path::Path;

/// About the size of a large file that a compiler makes.
pub const SIZE: usize = 6_000_000;

/// A text of at least `size` bytes with about one conversion in a hundred statements.
pub fn sparse(size: usize) -> String {
    // These kernels have more; of four plain conversions one stays, the others become copies.
    repeat("sparse-", size, 4)
}

/// A text of at least `size` bytes with a conversion in about every fifth statement.
pub fn dense(size: usize) -> String {
    repeat("dense-", size, 1)
}

fn repeat(prefix: &str, size: usize, keep: usize) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/bench");
    let mut paths: Vec<_> =
        fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(prefix)));
    paths.sort();
    let mut text = String::from(".version 9.1\n.target sm_89\n.address_size 64\n");
    let mut kernels = Vec::new();
    for path in paths {
        let file = fs::read_to_string(path).expect("a kernel");
        let module = thin(&file, keep);
        let (head, body) = module.split_at(module.find(".visible .entry").expect("a kernel"));
        let head = head.lines().filter(|line| ![".version", ".target", ".address"].iter().any(|d| line.starts_with(d)));
        head.for_each(|line| writeln!(text, "{line}").expect("memory"));
        kernels.push(body.to_owned());
    }
    for (number, kernel) in kernels.iter().enumerate().cycle().enumerate() {
        if text.len() >= size {
            break;
        }
        rename(kernel.1, number, &mut text);
    }
    text
}

/// Leaves one of `keep` conversions and makes copies of the others.
fn thin(text: &str, keep: usize) -> String {
    let mut thinned = String::with_capacity(text.len());
    let mut seen = 0;
    for line in text.lines() {
        match line.trim_start().strip_prefix("cvt.").and_then(|rest| rest.split_once(char::is_whitespace)) {
            Some((_, operands)) if operands.matches(',').count() == 1 => {
                seen += 1;
                if seen % keep == 0 {
                    thinned.push_str(line);
                } else {
                    write!(thinned, "\tmov.b32 \t{operands}").expect("memory");
                }
            }
            _ => thinned.push_str(line),
        }
        thinned.push('\n');
    }
    thinned
}

/// Adds `kernels` with a number behind each kernel's name.
fn rename(kernels: &str, number: usize, text: &mut String) {
    for piece in kernels.split_inclusive('(') {
        match piece.strip_suffix('(').map(|piece| piece.trim_end()).filter(|piece| piece.contains(".entry ")) {
            Some(head) => write!(text, "{head}_{number}(").expect("memory"),
            None => text.push_str(piece),
        }
    }
}
