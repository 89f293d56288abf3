//! Any suffixes and operands give SASS or an error, never both and never neither.
#![no_main]

use arbitrary::Arbitrary;
use cvtlower::diagnostic::Severity;
use cvtlower::target::Target;
use cvtlower::translate::{Context, Fate, Options, translate};
use libfuzzer_sys::fuzz_target;

const PARTS: [&str; 72] = [
    "rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi", "rna", "rs", "ftz", "sat", "satfinite", "relu", "scaled::n2::ue8m0", "pack", "u8",
    "s8", "u16", "s16", "u32", "s32", "u64", "s64", "b8", "b16", "b32", "b64", "b128", "f16", "bf16", "f32", "f64", "tf32", "f16x2",
    "bf16x2", "e4m3x2", "e5m2x2", "e2m3x2", "e3m2x2", "e2m1x2", "ue8m0x2", "s2f6x2", "e4m3x4", "e5m2x4", "e2m3x4", "e3m2x4", "e2m1x4",
    "e4m3", "u4", "s4", "u2", "s2", "pred", "wide", "hi", "global", "to", "v2", "approx", "aligned", "x", "rn", "rz", "satfinite", "f32",
    "f16x2", "s32", "u32", "f64", "relu", "sat",
];

const OPERANDS: [&str; 40] = [
    "%r1", "%r2", "%r3", "%f1", "%f2", "%f3", "%h1", "%h2", "%rd1", "%rd2", "%d1", "%d2", "%c1", "%c2", "%p1", "%q1", "-%f1", "-%r1",
    "!%p1", "7", "-7", "0", "0x80000000", "1.5", "-0.0", "0f7FC00000", "0d7FF0000000000000", "99999999999999999999", "%tid.x", "%clock64",
    "%tid", "WARP_SZ", "var", "{%f1, %f2, %f3, %f1}", "{%h1, %h2}", "[%rd1]", "_", "%r1.b0", "%p1|%p2", "nothing",
];

#[derive(Debug, Arbitrary)]
struct Input {
    parts: Vec<u8>,
    operands: Vec<u8>,
    guarded: bool,
    target: u8,
    version: u8,
    arch: u8,
    isolated: bool,
}

fuzz_target!(|input: Input| {
    let pick = |from: &[&'static str], by: &[u8]| -> Vec<&'static str> { by.iter().take(9).map(|&n| from[usize::from(n) % from.len()]).collect() };
    let (parts, operands) = (pick(&PARTS, &input.parts), pick(&OPERANDS, &input.operands));
    let targets: Vec<Target> = Target::all().collect();
    let target = targets[usize::from(input.target) % targets.len()];
    let version = 60 + u32::from(input.version) % 33;
    let text = format!(
        ".version {}.{}\n.target {target}\n.address_size 64\n.global .b32 var;\n.entry k() {{\n.reg .b32 %r<4>, %q<2>;\n.reg .f32 %f<4>;\n\
         .reg .b16 %h<3>;\n.reg .b64 %rd<3>;\n.reg .f64 %d<3>;\n.reg .b8 %c<3>;\n.reg .pred %p<3>;\n{}cvt.{} {};\nret;\n}}\n",
        version / 10,
        version % 10,
        if input.guarded { "@%p1 " } else { "" },
        parts.join("."),
        operands.join(", "),
    );
    let context = if input.isolated { Context::Isolated } else { Context::Kernel };
    let arch = targets[usize::from(input.arch) % targets.len()];
    let translation = translate(text.as_bytes(), &Options { arch: Some(arch), retarget: false, context });
    let conversions = &translation.functions[0].conversions;
    let place = text.find("cvt.").expect("it is there") as u32;
    let errors = translation.diagnostics.iter().filter(|d| d.severity == Severity::Error && d.span.start >= place.saturating_sub(6)).count();
    assert!(conversions.len() <= 1);
    match conversions.first() {
        Some(_) => assert_eq!(errors, 0, "{text}"),
        None => assert!(errors > 0, "{text}\n{:?}", translation.diagnostics),
    }
    if let Some(c) = conversions.first()
        && context == Context::Isolated
    {
        assert!(!c.sass.is_empty() || !matches!(c.fate, Fate::Dead), "{text}");
    }
});
