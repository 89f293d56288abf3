//! The codes of findings, each at length, with an example that brings it about and one that is right.

use std::fmt::Write;

use super::codes_table::CODES;
use super::page::{code as code_block, hanging, paragraph};

/// A finding's code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Code {
    /// The code, as findings carry it.
    pub code: &'static str,
    /// What is wrong, in a line.
    pub title: &'static str,
    /// Why it is wrong and what to do.
    pub text: &'static str,
    /// Input that brings it about.
    pub wrong: &'static str,
    /// The target to judge for.
    pub arch: &'static str,
    /// Input without it; empty where there is nothing to put right.
    pub right: &'static str,
}

/// All codes, sorted.
pub fn all() -> impl Iterator<Item = &'static Code> {
    CODES.iter()
}

/// The code of this name, with or without the part before `::`.
pub fn find(name: &str) -> Option<&'static Code> {
    CODES.iter().find(|c| c.code == name || c.code.split_once("::").is_some_and(|(_, short)| short == name))
}

/// The page of a code.
pub fn page(code: &Code) -> String {
    let mut out = format!("{}: {}\n\n", code.code, code.title);
    paragraph(code.text, "", &mut out);
    let _ = writeln!(out, "\nWrong, for {}:\n", code.arch);
    code_block(code.wrong, &mut out);
    if !code.right.is_empty() {
        out.push_str("\nRight:\n\n");
        code_block(code.right, &mut out);
    }
    out
}

/// All codes as a Markdown document.
pub fn document() -> String {
    let mut out = String::from(
        "# Findings\n\n\
         Generated from `src/explain/codes_table.rs`; `CVTLOWER_BLESS=1 cargo test --test documents` writes it again.\n\
         `cvtlower explain CODE` prints the same. Every finding has one of these codes, in every format of \
         `--diagnostics` but `ptxas`.\n\n| code | |\n|---|---|\n",
    );
    for code in CODES {
        let anchor = code.code.replace("::", "");
        let _ = writeln!(out, "| [`{}`](#{anchor}) | {} |", code.code, code.title);
    }
    for code in CODES {
        let _ = write!(out, "\n## {}\n\n{}.\n\n", code.code, code.title);
        hanging(code.text, "", "", &mut out);
        let _ = write!(out, "\nWrong, for {}:\n\n```ptx\n{}\n```\n", code.arch, code.wrong.trim_end());
        if !code.right.is_empty() {
            let _ = write!(out, "\nRight:\n\n```ptx\n{}\n```\n", code.right.trim_end());
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::Target;
    use crate::translate::{Context, Options, translate};

    /// What is too large to be shown.
    const LARGE: &[&str] =
        &["cvt::too_many_errors", "ptx::file_too_large", "ptx::too_many_errors", "ptx::too_many_operands"];

    /// The codes that an input brings about.
    fn found(text: &str, arch: &str) -> Vec<&'static str> {
        let target = Target::parse(arch).expect("a target");
        let options = Options { arch: Some(target), retarget: false, context: Context::Kernel };
        let translation = translate(text.as_bytes(), &options);
        translation.diagnostics.iter().map(|d| d.code).collect()
    }

    #[test]
    fn examples_bring_about_their_codes() {
        for code in all().filter(|c| !c.code.starts_with("input::") && !LARGE.contains(&c.code)) {
            let wrong = found(code.wrong, code.arch);
            assert!(wrong.contains(&code.code), "{}: {wrong:?}", code.code);
            let right = found(code.right, code.arch);
            assert!(right.is_empty() || code.right.is_empty(), "{}: {right:?}", code.code);
        }
    }

    #[test]
    fn every_code_of_the_judge_has_a_text() {
        for (code, _) in crate::cvt::advice::CODES {
            assert!(find(code).is_some(), "{code}");
        }
    }

    #[test]
    fn codes_are_sorted_and_found() {
        assert!(CODES.windows(2).all(|pair| pair[0].code < pair[1].code));
        assert_eq!(find("rounding_illegal").map(|c| c.code), Some("cvt::rounding_illegal"));
        assert_eq!(find("nonsense"), None);
    }
}
