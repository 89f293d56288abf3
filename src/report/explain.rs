//! `--explain`: why a conversion came out as it did, as `//` lines under it.

use std::fmt;
use std::io::{self, Write};

use super::Unit;
use super::listing::write_fate;
use crate::cvt::{Form, Rounding};
use crate::ptx::Type;
use crate::translate::Conversion;

/// Writes the explanation of one conversion; `noted` when its statement and fate stand above already.
pub(super) fn write(unit: &Unit<'_, '_>, conversion: &Conversion, noted: bool, out: &mut Vec<u8>) -> io::Result<()> {
    let rule = conversion.rule;
    if !noted {
        let text = unit.statement_text(conversion.statement);
        write!(out, "        //   {text} ")?;
        write_fate(unit, conversion, out)?;
        out.push(b'\n');
    }
    writeln!(out, "        //   rule {rule}, {}: {}", rule.title(), rule.reason())?;
    writeln!(out, "        //   subop: {}", Subop(&conversion.form))
}

/// The fields of ptxas's internal conversion operation: class, sizes, signs, round mode, ftz and sat.
pub struct Subop<'a>(pub &'a Form);

/// What the operation takes a type for.
#[derive(Clone, Copy, PartialEq)]
enum Class {
    Float,
    Signed,
    Unsigned,
}

/// Class and width of one element, and how many of them a register holds.
fn shape(ty: Type) -> (Class, u32, u32) {
    use Class::{Float, Signed, Unsigned};
    match ty {
        Type::U2 => (Unsigned, 2, 1),
        Type::S2 => (Signed, 2, 1),
        Type::U4 => (Unsigned, 4, 1),
        Type::S4 => (Signed, 4, 1),
        Type::U8 | Type::B8 => (Unsigned, 8, 1),
        Type::S8 => (Signed, 8, 1),
        Type::U16 | Type::B16 => (Unsigned, 16, 1),
        Type::S16 => (Signed, 16, 1),
        Type::U32 | Type::B32 => (Unsigned, 32, 1),
        Type::S32 => (Signed, 32, 1),
        Type::U64 | Type::B64 => (Unsigned, 64, 1),
        Type::S64 => (Signed, 64, 1),
        Type::B128 => (Unsigned, 128, 1),
        Type::B1 | Type::Pred | Type::Texref | Type::Samplerref | Type::Surfref => (Unsigned, 1, 1),
        Type::U8x4 => (Unsigned, 8, 4),
        Type::S8x4 => (Signed, 8, 4),
        Type::U16x2 => (Unsigned, 16, 2),
        Type::S16x2 => (Signed, 16, 2),
        Type::F16 | Type::Bf16 => (Float, 16, 1),
        Type::F16x2 | Type::Bf16x2 => (Float, 16, 2),
        Type::F32 | Type::Tf32 => (Float, 32, 1),
        Type::F32x2 => (Float, 32, 2),
        Type::F64 => (Float, 64, 1),
        Type::E4m3 | Type::E5m2 | Type::Ue8m0 | Type::Ue4m3 => (Float, 8, 1),
        Type::E2m3 | Type::E3m2 => (Float, 6, 1),
        Type::E2m1 => (Float, 4, 1),
        Type::E4m3x2 | Type::E5m2x2 | Type::Ue8m0x2 | Type::S2f6x2 => (Float, 8, 2),
        Type::E2m3x2 | Type::E3m2x2 => (Float, 6, 2),
        Type::E2m1x2 => (Float, 4, 2),
        Type::E4m3x4 | Type::E5m2x4 | Type::Ue8m0x4 => (Float, 8, 4),
        Type::E2m3x4 | Type::E3m2x4 => (Float, 6, 4),
        Type::E2m1x4 => (Float, 4, 4),
    }
}

impl fmt::Display for Subop<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let form = self.0;
        let ((from, from_bits, from_lanes), (to, to_bits, to_lanes)) = (shape(form.src), shape(form.dst));
        let letter = |class| if class == Class::Float { 'F' } else { 'I' };
        // The round mode is one field of four values; where the opcode names none, integers are cut and floats rounded.
        let round = match form.rounding {
            Some(Rounding::Rn | Rounding::Rni) => "nearest (0)",
            Some(Rounding::Rm | Rounding::Rmi) => "floor (1)",
            Some(Rounding::Rp | Rounding::Rpi) => "ceil (2)",
            Some(Rounding::Rz | Rounding::Rzi) => "trunc (3)",
            Some(Rounding::Rna) => "nearest away (emulated)",
            Some(Rounding::Rs) => "stochastic",
            None => "none (0)",
        };
        write!(f, "{}2{}, source size {}", letter(from), letter(to), from_bits.max(16))?;
        if from == Class::Unsigned {
            write!(f, ", source unsigned")?;
        }
        for (name, bits, lanes) in [("source", from_bits, from_lanes), ("destination", to_bits, to_lanes)] {
            if bits <= 16 {
                write!(f, ", {name} half width")?;
            }
            if lanes > 1 {
                write!(f, ", {name} packed x{lanes}")?;
            }
        }
        write!(f, ", round {round}, ftz {}, sat {}", u8::from(form.ftz), u8::from(form.sat))?;
        for (name, set) in [("relu", form.relu), ("satfinite", form.satfinite), ("scaled", form.scaled)] {
            if set {
                write!(f, ", {name} 1")?;
            }
        }
        Ok(())
    }
}
