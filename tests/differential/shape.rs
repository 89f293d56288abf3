//! What of an instruction is compared: its opcode, modifiers, operand order, signs, halves, RZ and immediates.
//!
//! What depends only on register allocation, scheduling and if-conversion goes: register numbers, guards, `.reuse`, plain moves and
//! constants, control flow, repeats, the uniform twin of an instruction, and the two spellings of a 16-bit left shift.

use std::sync::LazyLock;

use regex::Regex;

struct Rules {
    wiped: Vec<(Regex, &'static str)>,
    plumbing: Regex,
}

static RULES: LazyLock<Rules> = LazyLock::new(|| {
    let wiped = [
        (r"\.reuse\b", ""),
        (r"^@!?U?P(\d|T)\s+", ""),
        (r"\bURZ\b", "RZ"),
        (r"\bU?R\d+\b", "R"),
        (r"\bU?P\d\b", "P"),
        (r"\bUPT\b", "PT"),
        (r"c\[0x\w+\]\[[^\]]*\]", "R"),
        (r"^U(SHF|LOP3|PRMT|IADD3|ISETP|SEL|IMAD|I2F|F2I|I2FP|F2F|F2FP)", "$1"),
        (r"\s+", " "),
        (r"^IMAD\.U32 R, R, 0x10000, RZ$", "SHF.L.U32 R, R, 0x10, RZ"),
    ];
    let compile = |pattern| Regex::new(pattern).expect("a pattern");
    Rules {
        wiped: wiped.into_iter().map(|(pattern, with)| (compile(pattern), with)).collect(),
        plumbing: compile(concat!(
            r"^(?:(?:MOV|UMOV|IMAD\.MOV(?:\.U32)?|CS2R|R2UR|S2R|S2UR|LDC|ULDC|P2R|R2P|NOP|BRA|BRX|BSSY|BSYNC|BREAK|EXIT|RET|",
            r"CALL|WARPSYNC|YIELD|DEPBAR|PLOP3)(?:[^A-Z0-9]|$)|IMAD\.U32 R, RZ, RZ,|HFMA2(?:\.MMA)? R, -RZ, RZ,)",
        )),
    }
});

fn shape(instruction: &str) -> String {
    let mut text = instruction.to_owned();
    for (pattern, with) in &RULES.wiped {
        text = pattern.replace_all(text.trim(), *with).into_owned();
    }
    text
}

/// The distinct shapes of some instructions, sorted, without the plumbing.
pub fn shapes(instructions: &[String]) -> Vec<String> {
    let mut shapes: Vec<String> =
        instructions.iter().map(|i| shape(i)).filter(|s| !RULES.plumbing.is_match(s)).collect();
    shapes.sort();
    shapes.dedup();
    shapes
}

#[test]
fn wipes() {
    let some = ["@!P0 IMAD.MOV.U32 R1, RZ, RZ, R2", "@P0 I2FP.F32.S32 R7, R2.reuse", "I2FP.F32.S32 R9, c[0x0][0x160]"];
    assert_eq!(shapes(&some.map(str::to_owned)), ["I2FP.F32.S32 R, R"]);
    assert_eq!(
        shapes(&["ULOP3.LUT UR4, UR4, 0xff, URZ, 0xc0, !UPT".to_owned()]),
        ["LOP3.LUT R, R, 0xff, RZ, 0xc0, !PT"]
    );
}
