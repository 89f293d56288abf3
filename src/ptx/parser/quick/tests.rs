//! The quick way and the general way give the same tree.

use proptest::prelude::*;

use super::REACH;
use crate::ptx::parser::{parse, parse_in_general, tests};

/// A kernel with these statements, and registers for them.
fn kernel(statements: &str) -> String {
    let registers = ".reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<2000>; .reg .f32 %f<9>; .reg .b64 %rd<9>;";
    tests::kernel(&format!("{registers}\n{statements}"))
}

proptest! {
    #[test]
    fn changed_modules_are_read_alike(at in any::<prop::sample::Index>(), cut in 0_usize..40, put in ".{0,6}") {
        let mut bytes = include_bytes!("../../../../fixtures/syntax/module.ptx").to_vec();
        let at = at.index(bytes.len());
        let end = (at + cut).min(bytes.len());
        bytes.splice(at..end, put.into_bytes());
        prop_assert!(both_ways_agree(&bytes));
    }

    #[test]
    fn usual_statements_are_read_as_others_are(
        pieces in proptest::collection::vec(proptest::sample::select(USUAL), 0..80),
        at in any::<prop::sample::Index>(),
        put in "[ \\t\n;,%@.$:a0-9{}\\[\\]+-]{0,3}",
    ) {
        let mut body = pieces.concat();
        body.insert_str(at.index(body.len() + 1), &put);
        prop_assert!(both_ways_agree(kernel(&body).as_bytes()), "{body}");
        prop_assert!(both_ways_agree(body.as_bytes()), "{body}");
    }
}

/// What statements without a fault consist of.
const USUAL: &[&str] = &[
    "\tadd.s32 \t%r1, %r2, 5;\n",
    "\tadd.s32 \t%r10, %r1000000, -4;\n",
    "\tcvt.rn.f32.s32 \t%f1, %r12;\n",
    "\t@%p1 bra \t$L__BB0_1;\n",
    "\t@!%p0 mov.u32 %r2, %r02;\n",
    "$L__BB0_1:\n",
    "\t.loc\t1 75 9                          // kernels.py:75:9\n",
    "\t.loc\t1 7 9, function_name $L__info_string0, inlined_at 1 80 2\n",
    "\tld.global.v2.f32 \t{%f1, %f2}, [%rd1+16];\n",
    "\tst.shared.b16 [%rd4], %h1;\n",
    "\tmov.b32 \t%r5, {%h1, %h2};\n",
    "\tmov.u32 \t%r5, %tid.x;\n",
    "\tmov.f32 \t%f7, 0f3F800000;\n",
    "\tret;\n",
    "{\n",
    "}\n",
    "\t.reg .b32 \t%r<4>, r1, %long_named_register_1;\n",
    "\t.reg .b64 \t%rd<9>;\n",
    "\t.reg .f32 %cast_f32_1, %cast_f32_2;\n",
    "\tfma.rn.f32 \t%cast_f32_1, %cast_f32_2, %f3, %f4;\n",
    "\tmov.b64 %rd3, %long_named_register_1;\n",
    "\tadd.s32 %r1 , %r2 ,%r3 ;",
    "// a comment\n",
    "/* } */",
    "\tcall.uni (%r1), f, (%r2);\n",
    "\tbar.sync 0;\n",
];

#[test]
fn a_location_may_go_on_in_the_next_line() {
    for between in ["\n", "\r\n\n", " // x\n", "/* */", "\\\n"] {
        let body = format!("add.s32 %r1, %r2, 5;\n.loc 1 7 9{between}, function_name $L, inlined_at 1 80 2\nret;\n");
        assert!(both_ways_agree(kernel(&body).as_bytes()), "{body}");
    }
}

#[test]
fn a_directive_is_no_opcode_behind_a_guard() {
    for directive in [".pragma \"nounroll\";", ".reg .b32 %q1, %q2;", ".reg $L;", ".pragma ;"] {
        let body = format!(
            "setp.eq.s32 %p1, %r1, %r2;\n{directive}\nadd.s32 %r1, %r2, 5;\n@%p1 {directive}\n@!%p1 .reg %r1, %r2;\n"
        );
        assert!(both_ways_agree(kernel(&body).as_bytes()), "{body}");
    }
}

#[test]
fn a_nul_is_no_end_of_a_name() {
    for body in [
        "add.s32 %r6, %r1;\nadd.s32 %r6, %r1;\n@\0%p1 add.s32 %r6, %r1;\n@%p1\0 ret;\n",
        "add.s32 %r6, %long_1, 0;\nadd.s32 %r6\0, %r1, 0;\n",
        "ret ;\nret ;\nret\0 ;\n",
        "b%r6\th.b%r6\0,%r1 %r2;\n",
    ] {
        assert!(both_ways_agree(kernel(body).as_bytes()), "{body:?}");
    }
}

/// Whether the quick way leaves what the general way leaves, also of statements that are far from the end of the text:
/// it looks at so many bytes at once.
fn both_ways_agree(source: &[u8]) -> bool {
    let agree = |source: &[u8]| format!("{:?}", parse(source)) == format!("{:?}", parse_in_general(source));
    let mut far = source.to_vec();
    far.extend_from_slice(b"\n//");
    far.resize(far.len() + 2 * REACH as usize, b' ');
    agree(source) && agree(&far)
}

#[test]
fn long_statements_are_read_alike() {
    for (blanks, registers) in [(0, 40), (1, 13), (3, 7), (190, 2), (250, 1), (600, 3)] {
        let gap = " ".repeat(blanks);
        let list: Vec<String> = (1..=registers).map(|n| format!("%r{n}")).collect();
        let list = list.join(&format!(",{gap}"));
        for statement in [
            format!("mma{gap} {list};"),
            format!("add.s32 {gap}%r1,{gap}[%rd1{gap}+{gap}4]{gap};"),
            format!("add.s32 {{{list}}}, {{%long_named_register_1,{gap}%cast_f32_1}}, -{gap}4;"),
            format!("@%p1{gap} bra {gap}$L__BB0_1{gap};"),
            format!("\n\n{gap}ret{gap};{gap}// {gap}"),
        ] {
            let body = format!("mma %r1;\nadd.s32 %r1;\nret;\n{statement}\n{statement}\n{statement}\n");
            assert!(both_ways_agree(kernel(&body).as_bytes()), "{body}");
        }
    }
}

#[test]
fn real_files_are_read_alike_in_both_ways() {
    for folder in ["bench", "kernels", "syntax"] {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(folder);
        for entry in std::fs::read_dir(folder).expect("the folder") {
            let path = entry.expect("an entry").path();
            assert!(both_ways_agree(&std::fs::read(&path).expect("the file is read")), "{}", path.display());
        }
    }
}
