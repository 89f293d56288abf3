//! The reference tools: ptxas, and nvdisasm with its line table.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use super::kernel::{Kernel, Listing, Module};

/// Where the tools are.
#[derive(Debug)]
pub struct Reference {
    ptxas: PathBuf,
    nvdisasm: PathBuf,
}

fn tool(variable: &str, name: &str) -> Option<PathBuf> {
    if let Some(path) = env::var_os(variable).filter(|v| !v.is_empty()) {
        let path = PathBuf::from(path);
        assert!(path.is_file(), "{variable} names no file: {}", path.display());
        return Some(path);
    }
    env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join(name)).find(|path| path.is_file())
}

fn run(program: &Path, arguments: &[&str], file: &Path) -> Output {
    Command::new(program)
        .args(arguments)
        .arg(file)
        .output()
        .unwrap_or_else(|e| panic!("{} does not run: {e}", program.display()))
}

impl Reference {
    /// Look for the tools.
    pub fn find() -> Option<Reference> {
        Some(Reference { ptxas: tool("CVTLOWER_PTXAS", "ptxas")?, nvdisasm: tool("CVTLOWER_NVDISASM", "nvdisasm")? })
    }

    /// What ptxas attributes to each statement of each kernel; none where it refuses the kernel.
    pub fn listings(&self, kernels: &[Kernel], arch: &str) -> Vec<Option<Listing>> {
        let mut taken: Vec<usize> = (0..kernels.len()).collect();
        let mut listings = vec![None; kernels.len()];
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (source, cubin) = (folder.path().join("k.ptx"), folder.path().join("k.cubin"));
        let output = cubin.to_str().expect("UTF-8");
        while !taken.is_empty() {
            let module = Module::of(taken.iter().map(|&i| &kernels[i]), arch);
            fs::write(&source, &module.text).expect("written");
            let compiled = run(&self.ptxas, &["-lineinfo", "-arch", arch, "-o", output], &source);
            if compiled.status.success() {
                let listed = run(&self.nvdisasm, &["-c", "-gp"], &cubin);
                assert!(listed.status.success(), "nvdisasm: {}", String::from_utf8_lossy(&listed.stderr));
                for &i in &taken {
                    listings[i] = Some(Listing::new());
                }
                read(&String::from_utf8_lossy(&listed.stdout), &module, |kernel, at, instruction| {
                    let listing = listings[taken[kernel]].get_or_insert_default();
                    listing.entry(at).or_default().push(instruction);
                });
                break;
            }
            let said = String::from_utf8_lossy(&compiled.stdout) + String::from_utf8_lossy(&compiled.stderr);
            let refused: Vec<usize> = said.lines().filter_map(faulty_line).filter_map(|l| module.kernel(l)).collect();
            assert!(!refused.is_empty(), "ptxas: {said}");
            let mut index = 0;
            taken.retain(|_| {
                index += 1;
                !refused.contains(&(index - 1))
            });
        }
        listings
    }
}

/// The line that a message of ptxas is about.
fn faulty_line(message: &str) -> Option<usize> {
    let (place, fault) = message.split_once(';')?;
    let line = place.strip_prefix("ptxas ")?.rsplit_once(", line ")?.1.parse().ok()?;
    let fault = fault.trim_start();
    (fault.starts_with("error") || fault.starts_with("fatal")).then_some(line)
}

/// Read a listing: each instruction goes to the statement on the line that was named last.
fn read(listing: &str, module: &Module, mut found: impl FnMut(usize, usize, String)) {
    let mut current = None;
    for line in listing.lines() {
        let text = line.trim_start();
        if let Some((_, after)) = text.split_once("//## File ") {
            let number = after.split_once(", line ").map_or("", |(_, n)| n);
            let digits = number.bytes().take_while(u8::is_ascii_digit).count();
            current = number[..digits].parse().ok().and_then(|line| module.place(line));
        } else if text.starts_with(".section") {
            current = None;
        } else if let (Some((kernel, at)), Some((_, rest))) =
            (current, text.strip_prefix("/*").and_then(|t| t.split_once("*/")))
            && let Some((instruction, _)) = rest.split_once(';')
        {
            found(kernel, at, instruction.trim().to_owned());
        }
    }
}
