//! What two instructions are compared by.
//!
//! Which register a value is in, under which guard an instruction runs and where plain copies are made depends on
//! code that has nothing to do with conversions: register allocation, if-conversion, unrolling. A shape leaves that
//! out and keeps opcode, suffixes, the order of the operands, signs, selectors and immediates.

/// Opcodes that move, jump or synchronise.
const PLUMBING: &[&str] = &[
    "MOV",
    "UMOV",
    "IMAD.MOV",
    "IMAD.MOV.U32",
    "CS2R",
    "R2UR",
    "S2R",
    "S2UR",
    "LDC",
    "ULDC",
    "P2R",
    "R2P",
    "NOP",
    "BRA",
    "BRX",
    "BSSY",
    "BSYNC",
    "BREAK",
    "EXIT",
    "RET",
    "CALL",
    "WARPSYNC",
    "YIELD",
    "DEPBAR",
    "PLOP3",
];

/// Beginnings of shapes that put a constant into a register.
const CONSTANTS: &[&str] = &["IMAD.U32 R, RZ, RZ,", "HFMA2 R, -RZ, RZ,", "HFMA2.MMA R, -RZ, RZ,"];

/// Opcodes that have a twin on the uniform data path.
const UNIFORM: &[&str] = &["SHF", "LOP3", "PRMT", "IADD3", "ISETP", "SEL", "IMAD", "I2F", "F2I", "I2FP", "F2F", "F2FP"];

/// The shape of an instruction.
pub fn shape(instruction: &str) -> String {
    let text = without_guard(instruction);
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if let Some(after) = constant_bank(rest) {
            out.push('R');
            rest = after;
        } else if let Some(after) = rest.strip_prefix(".reuse").filter(|after| !after.starts_with(word)) {
            rest = after;
        } else if word(first) {
            let end = rest.find(|c| !word(c)).unwrap_or(rest.len());
            out.push_str(wiped(&rest[..end]));
            rest = &rest[end..];
        } else {
            if !(first == ' ' && (out.is_empty() || out.ends_with(' '))) {
                out.push(first);
            }
            rest = &rest[first.len_utf8()..];
        }
    }
    out.truncate(out.trim_end().len());
    if let Some(plain) = out.strip_prefix('U')
        && UNIFORM.iter().any(|name| plain.starts_with(name))
    {
        out = plain.to_owned();
    }
    // A left shift by 16 goes to the shifter or to the multiplier as it happens.
    if out == "IMAD.U32 R, R, 0x10000, RZ" { "SHF.L.U32 R, R, 0x10, RZ".to_owned() } else { out }
}

/// The different shapes of a statement's instructions, sorted, without what only moves values.
pub fn shapes<T: AsRef<str>>(instructions: &[T]) -> Vec<String> {
    let mut shapes: Vec<String> = instructions.iter().map(|i| shape(i.as_ref())).filter(|s| !plumbing(s)).collect();
    shapes.sort();
    shapes.dedup();
    shapes
}

fn plumbing(shape: &str) -> bool {
    PLUMBING.iter().any(|name| {
        shape
            .strip_prefix(name)
            .is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_uppercase() || c.is_ascii_digit()))
    }) || CONSTANTS.iter().any(|start| shape.starts_with(start))
}

fn word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// A word with the number of its register taken out.
fn wiped(word: &str) -> &str {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let plain = word.strip_prefix('U').unwrap_or(word);
    match plain {
        "RZ" => "RZ",
        "PT" => "PT",
        _ if plain.strip_prefix('R').is_some_and(digits) => "R",
        _ if plain.strip_prefix('P').is_some_and(|n| n.len() == 1 && digits(n)) => "P",
        _ => word,
    }
}

fn without_guard(text: &str) -> &str {
    let text = text.trim();
    match text.strip_prefix('@') {
        Some(guarded) => guarded.split_once(char::is_whitespace).map_or("", |(_, rest)| rest.trim_start()),
        None => text,
    }
}

/// What follows `c[0x0][0x160]`.
fn constant_bank(text: &str) -> Option<&str> {
    let (bank, rest) = text.strip_prefix("c[")?.split_once("][")?;
    let (_, rest) = rest.split_once(']')?;
    bank.starts_with("0x").then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_chance_decides_is_wiped() {
        assert_eq!(shape("@!P0 F2I.TRUNC.NTZ R7, |R2|"), "F2I.TRUNC.NTZ R, |R|");
        assert_eq!(shape("FADD.FTZ R0, -R12.reuse, -RZ"), "FADD.FTZ R, -R, -RZ");
        assert_eq!(shape("I2FP.F32.S32 R5, c[0x0][0x160]"), "I2FP.F32.S32 R, R");
        assert_eq!(shape("UI2F.U32.RP UR5, UR6"), "I2F.U32.RP R, R");
        assert_eq!(shape("VIMNMX.U32 R0, PT, UPT, R1, 0xff, P1"), "VIMNMX.U32 R, PT, PT, R, 0xff, P");
        assert_eq!(shape("HADD2.F32 R3,  -RZ, R0.H0_H0"), "HADD2.F32 R, -RZ, R.H0_H0");
        assert_eq!(shape("IMAD.U32 R0, R1, 0x10000, RZ"), shape("SHF.L.U32 R9, R1, 0x10, RZ"));
    }

    #[test]
    fn what_only_moves_is_left_out() {
        let listing = [
            "MOV R1, R2",
            "IMAD.MOV.U32 R3, RZ, RZ, R4",
            "CS2R R2, SRZ",
            "HFMA2 R0, -RZ, RZ, 0, 0",
            "S2R R0, SR_TID.X",
        ];
        assert!(shapes(&listing).is_empty());
        assert_eq!(shapes(&["F2I R1, R2", "@P0 F2I R3, R4", "CALLX R1"]), ["CALLX R", "F2I R, R"]);
    }
}
