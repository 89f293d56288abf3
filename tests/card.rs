//! The examples of the card's seven rules, as bare snippets and inside a module.
//!
//! What stands here is what ptxas 13.1.115 makes of each in a kernel that loads the sources and stores the result;
//! docs/card-and-ptxas.md tells where that is not what the card says.

use cvtlower::reference::shape::shapes;
use cvtlower::target::Target;
use cvtlower::translate::{Context, Conversion, Fate, Options, Translation, translate};

/// One example.
struct Row {
    card: u8,
    arch: &'static str,
    ptx: &'static str,
    /// Its instructions without register numbers, sorted.
    shapes: &'static [&'static str],
}

const fn row(card: u8, arch: &'static str, ptx: &'static str, shapes: &'static [&'static str]) -> Row {
    Row { card, arch, ptx, shapes }
}

const ROWS: &[Row] = &[
    row(1, "sm_89", "cvt.rn.f32.f64 f1, d1;", &["F2F.F32.F64 R, R"]),
    row(1, "sm_89", "cvt.rzi.s8.f64 r1, d1;", &["F2I.S8.F64.TRUNC R, R", "PRMT R, R, 0x8880, RZ"]),
    row(1, "sm_89", "cvt.rn.f32.u64 f1, d1;", &["I2F.U64 R, R"]),
    row(1, "sm_89", "cvt.rn.f32.s32 f1, r1;", &["I2FP.F32.S32 R, R"]),
    row(1, "sm_80", "cvt.rn.f32.s32 f1, r1;", &["I2F R, R"]),
    row(2, "sm_89", "cvt.rm.f32.f64 f1, d1;", &["F2F.F32.F64.RM R, R"]),
    row(2, "sm_89", "cvt.rz.f32.s32 f1, r1;", &["I2FP.F32.S32.RZ R, R"]),
    row(2, "sm_89", "cvt.f64.f32 d1, f1;", &["F2F.F64.F32 R, R"]),
    row(3, "sm_89", "cvt.rzi.s32.f32 r1, f1;", &["F2I.TRUNC.NTZ R, R"]),
    row(3, "sm_89", "cvt.rzi.u32.f32 r1, f1;", &["F2I.U32.TRUNC.NTZ R, R"]),
    row(3, "sm_89", "cvt.rzi.s64.f64 d1, d2;", &["F2I.S64.F64.TRUNC R, R"]),
    row(3, "sm_89", "cvt.rzi.s8.f32 r1, f1;", &["F2I.S8.TRUNC.NTZ R, R"]),
    row(3, "sm_89", "cvt.rzi.u8.f32 r1, f1;", &["F2IP.U8.F32.TRUNC.NTZ R, RZ, R, RZ"]),
    row(3, "sm_89", "cvt.rmi.s32.f32 r1, f1;", &["F2I.FLOOR.NTZ R, R"]),
    row(3, "sm_89", "cvt.rpi.s32.f32 r1, f1;", &["F2I.CEIL.NTZ R, R"]),
    row(4, "sm_89", "cvt.rzi.ftz.s32.f32 r1, f1;", &["F2I.FTZ.TRUNC.NTZ R, R"]),
    row(4, "sm_89", "cvt.sat.f32.f32 f1, f2;", &["FADD.SAT R, RZ, R"]),
    row(4, "sm_89", "cvt.rzi.sat.s32.f32 r1, f1;", &["F2I.TRUNC.NTZ R, R"]),
    row(5, "sm_89", "cvt.rn.f16.f32 h1, f1;", &["F2FP.F16.F32.PACK_AB R, RZ, R"]),
    row(5, "sm_80", "cvt.rn.f16.f32 h1, f1;", &["F2FP.PACK_AB R, RZ, R"]),
    row(5, "sm_90", "cvt.rn.tf32.f32 r1, f1;", &["F2FP.TF32.F32.PACK_B R, R"]),
    row(
        5,
        "sm_89",
        "cvt.rn.satfinite.e4m3x2.f32 h1, f1, f2;",
        &["F2FP.SATFINITE.E4M3.F32.PACK_AB_MERGE_C R, R, R, RZ"],
    ),
    row(5, "sm_89", "cvt.rn.relu.f16.f32 h1, f1;", &["F2FP.RELU.F16.F32.MERGE_C R, R, RZ"]),
    row(5, "sm_89", "cvt.rn.relu.f16x2.f32 r1, f1, f2;", &["F2FP.RELU.F16.F32.PACK_AB R, R, R"]),
    row(5, "sm_89", "cvt.rn.f16x2.e4m3x2 r1, h1;", &["F2FP.F16.E4M3.UNPACK_B R, R"]),
    row(
        5,
        "sm_100a",
        "cvt.rn.satfinite.e2m3x2.f32 h1, f1, f2;",
        &["F2FP.SATFINITE.E2M3.F32.PACK_AB_MERGE_C R, R, R, RZ"],
    ),
    row(
        5,
        "sm_100a",
        "cvt.rn.satfinite.e2m1x2.f32 b1, f1, f2;",
        &["F2FP.SATFINITE.E2M1.F32.PACK_AB_MERGE_C R, R, R, RZ"],
    ),
    row(
        5,
        "sm_100a",
        "cvt.rz.satfinite.ue8m0x2.f32 h1, f1, f2;",
        &["F2FP.SATFINITE.E8.F32.PACK_AB_MERGE_C.RZ R, R, R, RZ"],
    ),
    row(
        5,
        "sm_100a",
        "cvt.rn.satfinite.s2f6x2.f32 h1, f1, f2;",
        &["F2FP.SATFINITE.S2_6.F32.PACK_AB_MERGE_C R, R, R, 3.38953138925153547590e+38"],
    ),
    row(5, "sm_89", "cvt.rn.f16.f64 h1, d1;", &["F2F.F16.F64 R, R"]),
    row(5, "sm_89", "cvt.f64.f16 d1, h1;", &["F2F.F64.F16 R, R"]),
    row(5, "sm_89", "cvt.f32.f16 f1, h1;", &["HADD2.F32 R, -RZ, R.H0_H0"]),
    row(
        5,
        "sm_89",
        "cvt.rna.tf32.f32 r1, f1;",
        &[
            "FSETP.GEU.AND P, PT, |R|, +INF , PT",
            "IMAD.IADD.U32 R, R, 0x1, R",
            "LOP3.LUT R, R, 0xffffe000, RZ, 0xc0, !PT",
        ],
    ),
    row(5, "sm_89", "cvt.rm.f16.f32 h1, f1;", &["F2F.F16.F32.RM R, R"]),
    row(6, "sm_89", "cvt.s32.s16 r1, r2;", &["PRMT R, R, 0x9910, RZ"]),
    row(6, "sm_89", "cvt.u32.u16 r1, r2;", &["LOP3.LUT R, R, 0xffff, RZ, 0xc0, !PT"]),
    row(6, "sm_89", "cvt.sat.s8.s32 r1, r2;", &["I2I.S8.S32.SAT R, R", "PRMT R, R, 0x8880, RZ"]),
    row(6, "sm_89", "cvt.sat.u8.s32 r1, r2;", &["I2I.U8.S32.SAT R, R"]),
    row(6, "sm_89", "cvt.u32.s32 r1, r2;", &[]),
    row(7, "sm_89", "cvt.rni.f32.f32 f1, f2;", &["FRND R, R"]),
    row(7, "sm_89", "cvt.rzi.f32.f32 f1, f2;", &["FRND.TRUNC R, R"]),
    row(7, "sm_89", "cvt.rmi.f32.f32 f1, f2;", &["FRND.FLOOR R, R"]),
    row(7, "sm_89", "cvt.rpi.f32.f32 f1, f2;", &["FRND.CEIL R, R"]),
    row(7, "sm_89", "cvt.rzi.f64.f64 d1, d2;", &["FRND.F64.TRUNC R, R"]),
];

/// Registers are named by their widths.
const REGISTERS: &str =
    ".reg .b8 b<9>; .reg .b16 h<9>; .reg .b32 r<9>; .reg .f32 f<9>; .reg .b64 d<9>; .reg .b16 wide<2>;";

fn bits(register: &str) -> u32 {
    match register.as_bytes()[0] {
        b'b' => 8,
        b'h' => 16,
        b'd' => 64,
        _ => 32,
    }
}

/// A kernel that loads the sources, converts, and stores the result.
fn module(row: &Row) -> String {
    let (_, operands) = row.ptx.trim_end_matches(';').split_once(' ').expect("operands");
    let mut names = operands.split(", ");
    let result = names.next().expect("a result");
    let loads: String =
        names.zip(0..).map(|(n, i)| format!("ld.global.b{} {n}, [from+{}];\n", bits(n), 64 * i)).collect();
    let store = match bits(result) {
        8 => format!("cvt.u16.u8 wide1, {result};\nst.global.b16 [to], wide1;"),
        n => format!("st.global.b{n} [to], {result};"),
    };
    format!(
        ".version 9.1\n.target {}\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u64 q)\n{{\n{REGISTERS}\n\
         .reg .b64 from, to;\nld.param.u64 from, [p];\nld.param.u64 to, [q];\n{loads}{}\n{store}\nret;\n}}\n",
        row.arch, row.ptx
    )
}

/// The conversion of a text that is written like this.
fn conversion<'a>(translation: &'a Translation<'_>, ptx: &str) -> &'a Conversion {
    let module = &translation.module;
    let errors: Vec<&str> = translation.diagnostics.iter().map(|d| d.message.as_str()).collect();
    let text = |c: &Conversion| module.statements[c.statement as usize].span.of(module.source);
    let mut all = translation.functions.iter().flat_map(|f| &f.conversions);
    all.find(|c| text(c).starts_with(ptx.trim_end_matches(';').as_bytes()))
        .unwrap_or_else(|| panic!("{ptx}: {errors:?}"))
}

fn options(arch: &str) -> Options {
    Options { arch: Target::parse(arch).ok(), retarget: false, context: Context::Kernel }
}

fn lowered(text: &str, row: &Row) -> Vec<String> {
    let translation = translate(text.as_bytes(), &options(row.arch));
    let sass = &conversion(&translation, row.ptx).sass;
    shapes(&sass.iter().map(ToString::to_string).collect::<Vec<_>>())
}

#[test]
fn as_bare_snippets() {
    for row in ROWS {
        let text = format!("{REGISTERS} {}", row.ptx);
        assert_eq!(lowered(&text, row), row.shapes, "rule {}: {} for {}", row.card, row.ptx, row.arch);
    }
}

#[test]
fn inside_a_module() {
    for row in ROWS {
        assert_eq!(lowered(&module(row), row), row.shapes, "rule {}: {} for {}", row.card, row.ptx, row.arch);
    }
}

#[test]
fn every_rule_has_its_rows() {
    assert!((1..=7).all(|card| ROWS.iter().any(|row| row.card == card)));
}

/// Rule 6: a load of that width and sign, or a store of that width, does the work.
#[test]
fn integers_fold_into_memory() {
    for (load, cvt, store) in [
        ("ld.global.u16 h1, [from];", "cvt.u32.u16 r1, h1;", "st.global.b32 [to], r1;"),
        ("ld.global.s8 h1, [from];", "cvt.s32.s8 r1, h1;", "st.global.b32 [to], r1;"),
        ("ld.global.b32 r1, [from];", "cvt.u16.u32 h1, r1;", "st.global.u16 [to], h1;"),
    ] {
        let text = format!(
            ".version 9.1\n.target sm_89\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{\n{REGISTERS}\n\
             .reg .b64 from, to;\nld.param.u64 from, [p];\nld.param.u64 to, [p];\n{load}\n{cvt}\n{store}\nret;\n}}\n"
        );
        let translation = translate(text.as_bytes(), &options("sm_89"));
        let found = conversion(&translation, cvt);
        assert!(found.sass.is_empty() && matches!(found.fate, Fate::Folded { .. }), "{cvt} {found:?}");
    }
}

/// Rule 5 and legality: `.rna` rounds to tf32 alone.
#[test]
fn away_from_zero_is_for_tf32_alone() {
    for arch in ["sm_80", "sm_89", "sm_90", "sm_100a", "sm_120"] {
        let translation = translate(b"cvt.rna.bf16.f32 h1, f1;", &options(arch));
        let codes: Vec<&str> = translation.diagnostics.iter().map(|d| d.code).collect();
        assert_eq!(codes, ["cvt::rounding_illegal"], "{arch}");
    }
}
