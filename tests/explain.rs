//! `cvtlower explain` from outside.

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::{contains, is_empty, starts_with};

fn explain(topic: &[&str]) -> assert_cmd::assert::Assert {
    let mut command = Command::cargo_bin("cvtlower").expect("the program is built");
    command.arg("explain").args(topic).env_remove("RUST_BACKTRACE").assert()
}

#[test]
fn without_a_topic_it_lists_them() {
    explain(&[]).code(0).stderr(is_empty()).stdout(contains("cvt::rounding_illegal").and(contains("float-to-int")));
}

#[test]
fn a_rule_is_known_by_number_and_name() {
    explain(&["5"]).code(0).stdout(starts_with("Rule 5:").and(contains("\npack-halves\n")));
    explain(&["rule", "5"]).code(0).stdout(starts_with("Rule 5:"));
    explain(&["float-to-byte"])
        .code(0)
        .stdout(contains("Holds for: sm_86 and later").and(contains("F2IP.U8.F32.NTZ R")).and(contains("Why:")));
}

#[test]
fn a_form_is_told_with_its_needs_and_its_sass() {
    explain(&["cvt.rn.satfinite.e4m3x2.f32"])
        .code(0)
        .stdout(starts_with("cvt.rn.satfinite.e4m3x2.f32 h1, f2, f3;\n"))
        .stdout(contains(".version 8.1 on sm_89\n").and(contains(".satfinite is required")))
        .stdout(contains("F2FP.SATFINITE.E4M3.F32.PACK_AB_MERGE_C R"))
        .stdout(contains("Not on sm_75 to sm_88:"));
}

#[test]
fn older_targets_are_shown_a_way() {
    explain(&["cvt.rn.f16x2.f32"]).code(0).stdout(contains("Not on sm_75:").and(contains("mov.b32 r1, {h2, h1};")));
    explain(&["cvt.rn.bf16.f16"]).code(0).stdout(contains("cvt.f32.f16;  then  cvt.rn.bf16.f32;"));
}

#[test]
fn a_whole_statement_may_be_pasted() {
    explain(&["cvt.rzi.s32.f32 %r1, %f1;"]).code(0).stdout(starts_with("cvt.rzi.s32.f32 r1, f2;\n"));
}

#[test]
fn an_illegal_form_gets_its_findings() {
    explain(&["cvt.rna.bf16.f32"])
        .code(0)
        .stdout(contains("Illegal on every target").and(contains("[cvt::rounding_illegal]")))
        .stdout(contains("cvt.rn.bf16.f32"));
    explain(&["cvt.f64.e4m3x2"]).code(0).stdout(contains("no conversion from e4m3x2 to f64"));
    explain(&["cvt.rm"]).code(0).stdout(contains("The types are:"));
}

#[test]
fn every_code_is_told_at_length() {
    explain(&["cvt::satfinite_required"]).code(0).stdout(contains("Wrong, for sm_89:").and(contains("Right:")));
    explain(&["satfinite_required"]).code(0).stdout(starts_with("cvt::satfinite_required: "));
}

#[test]
fn an_opcode_lists_its_forms() {
    explain(&["F2IP"]).code(0).stdout(contains("F2IP.U8.F32.NTZ\n  sm_86 and later: cvt{.rni,.rni.sat}.u8.f32\n"));
    explain(&["f2fp.pack_ab"]).code(0).stdout(contains("F2FP.F16.F32.PACK_AB\n").and(contains("sm_80 to sm_88")));
}

#[test]
fn a_type_lists_its_neighbours() {
    explain(&["e2m1x2"]).code(0).stdout(contains("converts from: f32, f16x2, bf16x2"));
}

#[test]
fn the_unknown_gets_the_nearest_names() {
    explain(&["F2FPP"]).code(2).stdout(is_empty()).stderr(contains("did you mean").and(contains("F2FP")));
    explain(&["cvt::rounding_ilegal"]).code(2).stderr(contains("cvt::rounding_illegal"));
    explain(&["qqqqqqqqqqqqqqqq"]).code(2).stderr(contains("`cvtlower explain` lists what there is"));
}
