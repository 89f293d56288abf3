//! What instructions cost, roughly: which unit does the work, and how many instructions there are.
//!
//! The weights only rank one way against another. They follow the throughputs that the CUDA programming guide gives
//! for conversions: a few a clock in the conversion unit, fewer still with 64 bits, against 32 to 64 a clock
//! for what the arithmetic units do.

use std::fmt;

use super::Instruction;

/// Who does an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unit {
    /// The arithmetic units, with them the packing conversions (F2FP, I2FP, F2IP, I2IP).
    Arithmetic,
    /// The conversion unit (F2F, F2I, I2F, I2I, FRND).
    Conversion,
    /// The conversion unit or the f64 unit, on 64 bits.
    Wide,
}

impl Unit {
    /// The unit of an opcode as printed.
    pub fn of(opcode: &str) -> Self {
        let mut parts = opcode.split('.');
        let name = parts.next().unwrap_or_default();
        match name {
            "F2F" | "F2I" | "I2F" | "I2I" | "FRND" => {
                if parts.any(|part| part.ends_with("64")) {
                    Self::Wide
                } else {
                    Self::Conversion
                }
            }
            "DADD" | "DMUL" | "DFMA" | "DSETP" | "DMNMX" => Self::Wide,
            _ => Self::Arithmetic,
        }
    }

    const fn weight(self) -> u32 {
        match self {
            Self::Arithmetic => 1,
            Self::Conversion => 4,
            Self::Wide => 16,
        }
    }
}

/// So many instructions are a sequence: the conversion is emulated.
const SEQUENCE: usize = 3;

/// The way a conversion takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Path {
    /// No instruction at all.
    Free,
    /// Arithmetic units only, an instruction or two.
    Fast,
    /// The conversion unit.
    Conversion,
    /// Several instructions.
    Sequence,
    /// 64 bits.
    Wide,
}

impl Path {
    /// Its name in one word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::Fast => "fast",
            Self::Conversion => "converter",
            Self::Sequence => "sequence",
            Self::Wide => "wide",
        }
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Free => "no instruction",
            Self::Fast => "arithmetic units",
            Self::Conversion => "conversion unit",
            Self::Sequence => "several instructions",
            Self::Wide => "64 bits",
        })
    }
}

/// What some instructions cost together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cost {
    /// The way they take.
    pub path: Path,
    /// The sum of their weights: less is better, and nothing else is meant by it.
    pub weight: u32,
}

impl Cost {
    /// The cost of instructions, by their opcodes as printed.
    pub fn of_opcodes<S: AsRef<str>>(opcodes: &[S]) -> Self {
        let units = || opcodes.iter().map(|opcode| Unit::of(opcode.as_ref()));
        let path = match units().max() {
            None => Path::Free,
            Some(Unit::Wide) => Path::Wide,
            Some(_) if opcodes.len() >= SEQUENCE => Path::Sequence,
            Some(Unit::Conversion) => Path::Conversion,
            Some(Unit::Arithmetic) => Path::Fast,
        };
        Self { path, weight: units().map(Unit::weight).sum() }
    }

    /// The cost of instructions.
    pub fn of(instructions: &[Instruction]) -> Self {
        let opcodes: Vec<String> = instructions.iter().map(|i| i.opcode().to_string()).collect();
        Self::of_opcodes(&opcodes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_follow_the_units() {
        let path = |opcodes: &[&str]| Cost::of_opcodes(opcodes).path;
        assert_eq!(path(&[]), Path::Free);
        assert_eq!(path(&["F2FP.F16.F32.PACK_AB"]), Path::Fast);
        assert_eq!(path(&["F2F.BF16.F32.RM"]), Path::Conversion);
        assert_eq!(path(&["I2F.U64"]), Path::Wide);
        assert_eq!(path(&["F2I.S64.TRUNC"]), Path::Wide);
        assert_eq!(path(&["MOV", "FSETP.GEU.AND", "IADD3", "LOP3.LUT"]), Path::Sequence);
    }
}
