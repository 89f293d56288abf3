//! The codes of findings, each at length, with an example that brings it about and one that is right.

use std::fmt::Write;

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
         Generated from `src/explain/codes.rs`; `CVTLOWER_BLESS=1 cargo test --test documents` writes it again.\n\
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

const CODES: &[Code] = &[
    Code {
        code: "cvt::ftz_illegal",
        title: ".ftz stands where no f32 takes part",
        text: "Flushing subnormal values to zero is a property of single precision. It may stand on a conversion \
               that has f32 on one side, and from sm_90 on f32 from bf16; anywhere else there is nothing to flush.",
        wrong: "cvt.rn.ftz.f16.f64 h1, d1;",
        arch: "sm_89",
        right: "cvt.rn.f16.f64 h1, d1;",
    },
    Code {
        code: "cvt::modifier_conflict",
        title: "two modifiers exclude each other",
        text: ".sat clamps to [0, 1], .relu to what is not negative, .satfinite to what is finite: .sat goes with \
               neither of the others. Keep the one that is meant.",
        wrong: "cvt.rn.sat.relu.f16.f32 h1, f1;",
        arch: "sm_89",
        right: "cvt.rn.relu.f16.f32 h1, f1;",
    },
    Code {
        code: "cvt::modifier_foreign",
        title: "a modifier of other instructions",
        text: "The name is known, but no conversion has it: a state space, a comparison, a cache operator, a vector \
               size and the like. Leave it out.",
        wrong: "cvt.global.u32.u16 r1, h1;",
        arch: "sm_89",
        right: "cvt.u32.u16 r1, h1;",
    },
    Code {
        code: "cvt::modifier_illegal",
        title: "the conversion does not have this modifier with these types",
        text: "Each modifier is for some pairs of types only: .relu and .satfinite for narrowing from f32 and for \
               packed types, .scaled::n2::ue8m0 for s2f6x2. `cvtlower explain cvt.DESTINATION.SOURCE` lists what a \
               pair has.",
        wrong: "cvt.rn.relu.f32.s32 f1, r1;",
        arch: "sm_89",
        right: "cvt.rn.f32.s32 f1, r1;",
    },
    Code {
        code: "cvt::modifier_repeated",
        title: "a modifier that may be given once is given again",
        text: "A rounding, .ftz and .scaled::n2::ue8m0 may be given once. (.sat, .relu and .satfinite may be \
               repeated; that is not an error to ptxas.)",
        wrong: "cvt.rn.rz.f16.f32 h1, f1;",
        arch: "sm_89",
        right: "cvt.rn.f16.f32 h1, f1;",
    },
    Code {
        code: "cvt::modifier_unknown",
        title: "a dotted part of the opcode has no meaning",
        text: "The parts of the opcode behind `cvt` are roundings, modifiers and types. This is none; most often it \
               is misspelled. `.pack` is one only directly behind `cvt`.",
        wrong: "cvt.rn.satfinit.f16.f32 h1, f1;",
        arch: "sm_89",
        right: "cvt.rn.satfinite.f16.f32 h1, f1;",
    },
    Code {
        code: "cvt::operand_illegal",
        title: "an operand is of a kind that no conversion takes",
        text: "A result is a register, a source a register or a constant. There is no negation, no `[address]`, no \
               variable, no selector such as `.b0`, no predicate beside the result, and no `_`; a guard is a \
               predicate. Move the value into a register first.",
        wrong: "cvt.u32.u32 r1, -r2;",
        arch: "sm_89",
        right: "neg.s32 r3, r2;\ncvt.u32.u32 r1, r3;",
    },
    Code {
        code: "cvt::operands_mismatch",
        title: "the operands are not those of these types",
        text: "There are too few or too many operands, or one is of another type or width. Scalar integers and \
               floats may sit in registers that are wider than they; bf16 and the narrow and packed types want \
               untyped registers (.b8, .b16, .b32) of exactly their width. `.rs` takes random bits as its last \
               source. `cvtlower explain FORM` shows each operand.",
        wrong: "cvt.rn.f16x2.f32 r1, f1;",
        arch: "sm_89",
        right: "cvt.rn.f16x2.f32 r1, f1, f2;",
    },
    Code {
        code: "cvt::rounding_illegal",
        title: "these types do not take this rounding",
        text: "To a narrower float and from an integer to a float: .rn, .rz, .rm, .rp (packed types and, before \
               sm_90, bf16: .rn and .rz, some only one of them). From a float to an integer, and in place: .rni, .rzi, .rmi, .rpi. .rna is \
               for tf32 alone, .rs for packed results on sm_100a and sm_103a. An exact conversion has no rounding.",
        wrong: "cvt.rna.bf16.f32 h1, f1;",
        arch: "sm_89",
        right: "cvt.rn.bf16.f32 h1, f1;",
    },
    Code {
        code: "cvt::rounding_required",
        title: "a rounding has to be given",
        text: "Where the destination cannot hold every value of the source, PTX has no default rounding. C++ and \
               most languages mean .rn to a float and .rzi to an integer.",
        wrong: "cvt.f16.f32 h1, f1;",
        arch: "sm_89",
        right: "cvt.rn.f16.f32 h1, f1;",
    },
    Code {
        code: "cvt::sat_required",
        title: "cvt.pack has to have .sat",
        text: "cvt.pack clamps both integers to the narrow type; it cannot cut them instead.",
        wrong: "cvt.pack.u16.s32 r1, r2, r3;",
        arch: "sm_89",
        right: "cvt.pack.sat.u16.s32 r1, r2, r3;",
    },
    Code {
        code: "cvt::satfinite_required",
        title: ".satfinite has to be given",
        text: "The 8-bit, 6-bit and 4-bit floats are narrowed with saturation only: what is too large becomes the \
               largest finite value.",
        wrong: "cvt.rn.e4m3x2.f32 h1, f1, f2;",
        arch: "sm_89",
        right: "cvt.rn.satfinite.e4m3x2.f32 h1, f1, f2;",
    },
    Code {
        code: "cvt::target_lacks",
        title: "the module's .target does not have this conversion",
        text: "Legality goes by the .target of the module, never by the architecture that code is generated for: \
               a module of .target sm_80 may not have fp8 even when it is assembled for sm_89. Raise the .target \
               (or try `--retarget`), or write what the target has; `cvtlower explain FORM` says what that is. The \
               6- and 4-bit floats, ue8m0 and s2f6 want names with `a`, some with `f`: sm_100 is not sm_100a.",
        wrong: "cvt.rn.bf16.f16 h1, h2;",
        arch: "sm_89",
        right: "cvt.f32.f16 f1, h2;\ncvt.rn.bf16.f32 h1, f1;",
    },
    Code {
        code: "cvt::types_illegal",
        title: "there is no conversion between these types",
        text: "The destination type comes first. Narrow and packed floats are converted from and to f32, f16x2 and \
               bf16x2, as pairs or fours; other ways need two steps.",
        wrong: "cvt.rn.e4m3x2.f64 h1, d1;",
        arch: "sm_89",
        right: "cvt.rn.f32.f64 f1, d1;\ncvt.rn.satfinite.e4m3x2.f32 h1, f2, f1;",
    },
    Code {
        code: "cvt::version_too_old",
        title: "the module's .version is older than this conversion",
        text: "Write the .version that `cvtlower explain FORM` names. A driver has to be as new as the version, so \
               compilers often emit the oldest one that will do.",
        wrong: ".version 8.0\n.target sm_90\n.address_size 64\n.entry k()\n{\n.reg .b16 h;\n.reg .f32 f;\n\
                cvt.rn.satfinite.f16.f32 h, f;\nret;\n}\n",
        arch: "sm_90",
        right: ".version 8.1\n.target sm_90\n.address_size 64\n.entry k()\n{\n.reg .b16 h;\n.reg .f32 f;\n\
                cvt.rn.satfinite.f16.f32 h, f;\nret;\n}\n",
    },
    Code {
        code: "input::binary",
        title: "the input is no text",
        text: "PTX is text. A program, a cubin or an object file holds it in compressed form; `cuobjdump -ptx FILE` \
               prints it.",
        wrong: "\u{7f}ELF…",
        arch: "sm_89",
        right: "",
    },
    Code {
        code: "input::empty",
        title: "there is nothing in the input",
        text: "The file has no byte but blanks: most often the compiler before it failed, or wrote somewhere else.",
        wrong: " ",
        arch: "sm_89",
        right: "",
    },
    Code {
        code: "input::encoding",
        title: "the input is UTF-16 text",
        text: "PTX is ASCII, with anything in its comments. Some shells write UTF-16 when they redirect output; \
               `iconv -f UTF-16 -t UTF-8 FILE` converts it.",
        wrong: "UTF-16 with its byte order mark",
        arch: "sm_89",
        right: "",
    },
    Code {
        code: "ptx::syntax",
        title: "the text is not PTX at this place",
        text: "The statement is left out and reading goes on with the next one, so that everything else is still \
               translated. ptxas ends at its first syntax error.",
        wrong: "cvt.rn.f16.f32 h1 f1;",
        arch: "sm_89",
        right: "cvt.rn.f16.f32 h1, f1;",
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::Target;
    use crate::translate::{Context, Options, translate};

    fn found(text: &str, arch: &str) -> Vec<&'static str> {
        let options = Options { arch: Target::parse(arch).ok(), retarget: false, context: Context::Kernel };
        translate(text.as_bytes(), &options).diagnostics.iter().map(|d| d.code).collect()
    }

    #[test]
    fn examples_bring_about_their_codes() {
        for code in all().filter(|c| !c.code.starts_with("input::")) {
            assert!(
                found(code.wrong, code.arch).contains(&code.code),
                "{}: {:?}",
                code.code,
                found(code.wrong, code.arch)
            );
            assert!(found(code.right, code.arch).is_empty(), "{}: {:?}", code.code, found(code.right, code.arch));
        }
    }

    #[test]
    fn codes_are_sorted_and_found() {
        assert!(CODES.windows(2).all(|pair| pair[0].code < pair[1].code));
        assert_eq!(find("rounding_illegal").map(|c| c.code), Some("cvt::rounding_illegal"));
        assert_eq!(find("nonsense"), None);
    }
}
