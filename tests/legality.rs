//! Statements and the messages that ptxas prints for them, in its order: `fixtures/diagnostics/*.tsv`.
//!
//! A row has the module's `.target`, its `.version`, the statement, and the messages joined by ` / ` (none where
//! ptxas takes the statement). The registers are those of [`module`].

use std::path::Path;

use cvtlower::cvt::{Judge, Violation, advice, check, decode, shapes};
use cvtlower::ptx::StatementKind;
use cvtlower::ptx::parser::parse;
use cvtlower::target::Target;

/// A module with one statement in it.
fn module(target: &str, version: &str, statement: &str) -> String {
    format!(
        ".version {version}\n.target {target}\n.address_size 64\n.global .u32 gv;\n.visible .entry k()\n{{\n\
         .reg .b8 b<9>; .reg .b16 h<9>; .reg .b32 r<9>; .reg .b64 d<9>; .reg .f32 f<9>; .reg .f64 fd<9>; .reg .pred p<3>;\n\
         {statement}\nret;\n}}\n"
    )
}

/// What is wrong with the statement.
fn violations(target: &str, version: &str, statement: &str) -> Vec<Violation> {
    let text = module(target, version, statement);
    let (module, _) = parse(text.as_bytes());
    let found = module.statements.iter().find(|s| {
        let opcode = module.opcodes.get(s.opcode.0 as usize).and_then(|o| o.parts().next());
        s.kind == StatementKind::Instruction && opcode == Some(b"cvt")
    });
    let statement = found.unwrap_or_else(|| panic!("no conversion in `{statement}`"));
    let decoded = decode(module.opcodes[statement.opcode.0 as usize].parts());
    let judge =
        Judge { target: Target::parse_declared(target).unwrap(), version: module.version.expect("a version").0 };
    check(&decoded, &shapes(&module, statement), judge).err().unwrap_or_default()
}

fn text(v: &Violation) -> String {
    format!("{}{}", if v.fatal() { "fatal: " } else { "" }, v.ptxas())
}

#[test]
fn messages_are_those_of_ptxas() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/diagnostics");
    let mut wrong = Vec::new();
    let mut rows = 0;
    for file in
        folder.read_dir().unwrap().map(|f| f.unwrap().path()).filter(|p| p.extension().is_some_and(|e| e == "tsv"))
    {
        for line in std::fs::read_to_string(&file).unwrap().lines().skip(1) {
            let [target, version, statement, expected] = line.split('\t').collect::<Vec<_>>()[..] else {
                panic!("{}: {line}", file.display());
            };
            rows += 1;
            let found = violations(target, version, statement).iter().map(text).collect::<Vec<_>>().join(" / ");
            if found != expected {
                wrong.push(format!("{target} {version} {statement}\n  ptxas: {expected}\n  here:  {found}"));
            }
        }
    }
    assert!(rows > 1000, "{rows} rows");
    assert!(wrong.is_empty(), "{} of {rows} rows differ\n{}", wrong.len(), wrong[..wrong.len().min(20)].join("\n"));
}

#[test]
fn every_violation_has_a_listed_code_and_words() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/diagnostics");
    for file in
        folder.read_dir().unwrap().map(|f| f.unwrap().path()).filter(|p| p.extension().is_some_and(|e| e == "tsv"))
    {
        for line in std::fs::read_to_string(&file).unwrap().lines().skip(1) {
            let parts: Vec<_> = line.split('\t').collect();
            for v in violations(parts[0], parts[1], parts[2]) {
                assert!(advice::CODES.iter().any(|(code, _)| *code == v.code()), "{}", v.code());
                assert!(!v.message().is_empty() && !v.label().is_empty(), "{v:?}");
                for words in [v.message(), v.label(), v.help().unwrap_or_default()] {
                    assert!(!words.contains("``") && !words.ends_with('.'), "{words}");
                }
            }
        }
    }
}

/// The first message and its help, in the words for people.
fn advice_on(target: &str, version: &str, statement: &str) -> (String, String) {
    let found = violations(target, version, statement);
    let first = found.first().unwrap_or_else(|| panic!("`{statement}` is legal"));
    (first.message(), first.help().unwrap_or_default())
}

#[test]
fn advice_says_what_to_write_instead() {
    let cases = [
        (
            "sm_89",
            "cvt.rna.bf16.f32 h1, f1;",
            "bf16 from f32 does not round with `.rna`",
            "bf16 from f32 takes `.rn`, `.rz`, `.rm` or `.rp`: write `cvt.rn.bf16.f32`",
        ),
        (
            "sm_89",
            "cvt.rn.bf16.f16 h1, h2;",
            "bf16 from f16 needs sm_90; the module is for sm_89",
            "write `.target sm_90` or newer; on sm_89 go through f32: `cvt.f32.f16`, then `cvt.rn.bf16.f32`",
        ),
        (
            "sm_86",
            "cvt.rn.satfinite.e4m3x2.f32 h1, f1, f2;",
            "e4m3x2 from f32 needs sm_89; the module is for sm_86",
            "write `.target sm_89` or newer",
        ),
        (
            "sm_100",
            "cvt.rs.f16x2.f32 r1, f1, f2, r2;",
            "`.rs` is not there on sm_100",
            "only sm_100a and sm_103a have it: their `a` names, not sm_100; use `.rn`, or add the random bits yourself",
        ),
        (
            "sm_89",
            "cvt.s32.f32 r1, f1;",
            "s32 from f32 needs a rounding modifier",
            "s32 from f32 takes `.rni`, `.rzi`, `.rmi` or `.rpi`: write `cvt.rzi.s32.f32`",
        ),
        (
            "sm_89",
            "cvt.rn.f64.f32 fd1, f1;",
            "f64 from f32 does not round with `.rn`",
            "widening is exact: write `cvt.f64.f32`",
        ),
        (
            "sm_89",
            "cvt.RN.f16.f32 h1, f1;",
            "there is no modifier or type `.RN`",
            "modifiers are written in lower case: `.rn`",
        ),
        (
            "sm_89",
            "cvt.sat.u32.u16 r1, h1;",
            "u32 from u16 does not take `.sat`",
            "u32 holds every value of u16: leave `.sat` out",
        ),
        (
            "sm_100a",
            "cvt.rn.bf16x2.e4m3x2 r1, h1;",
            "bf16x2 from e4m3x2 needs PTX ISA 9.2 (CUDA 13.2); ptxas 13.1 does not know it",
            "go through f16x2: `cvt.rn.f16x2.e4m3x2`, then convert each half to f32 and pack with `cvt.rn.bf16x2.f32`",
        ),
        (
            "sm_89",
            "cvt.rn.pzo.f16.f32 h1, f1;",
            "`.pzo` needs PTX ISA 9.4 and sm_107f; ptxas 13.1 does not know it",
            "",
        ),
        (
            "sm_89",
            "cvt.rn.f16x2.f32 r1, f1;",
            "f16x2 from f32 takes 3 or 4 operands, and here are 2",
            "write `cvt.f16x2.f32 d, a, b;`",
        ),
    ];
    for (target, statement, message, help) in cases {
        assert_eq!(advice_on(target, "9.1", statement), (message.to_owned(), help.to_owned()), "{statement}");
    }
}
