//! What cvtlower says.

use std::fs;
use std::process::Command;

use serde_json::Value;

use super::kernel::{Kernel, Listing, Module};

/// The instructions of each conversion of each kernel. A crash is a failure that shows the kernel.
pub fn listings(kernels: &[Kernel], arch: &str) -> Vec<Listing> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let source = folder.path().join("k.ptx");
    let module = Module::of(kernels, arch);
    fs::write(&source, &module.text).expect("written");
    let output = Command::new(env!("CARGO_BIN_EXE_cvtlower"))
        .args(["--arch", arch, "--format", "json"])
        .arg(&source)
        .output()
        .expect("cvtlower runs");
    if !matches!(output.status.code(), Some(0 | 1)) || output.stdout.is_empty() {
        if let [kernel] = kernels {
            let said = String::from_utf8_lossy(&output.stderr);
            panic!("cvtlower fails on:\n{}\n{said}", kernel.body.join("\n"));
        }
        let (first, second) = kernels.split_at(kernels.len() / 2);
        let mut all = listings(first, arch);
        all.extend(listings(second, arch));
        return all;
    }
    let document: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let mut listings = vec![Listing::new(); kernels.len()];
    let items = |v: &'_ Value, name: &str| v[name].as_array().cloned().unwrap_or_default();
    for file in items(&document, "files") {
        for function in items(&file, "functions") {
            for conversion in items(&function, "conversions") {
                let line = conversion["line"].as_u64().unwrap_or(0) as usize;
                let Some((kernel, at)) = module.place(line) else { continue };
                let text = |i: &Value| i["text"].as_str().unwrap_or_default().to_owned();
                listings[kernel].insert(at, items(&conversion, "sass").iter().map(text).collect());
            }
        }
    }
    listings
}
