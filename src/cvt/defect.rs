//! Where ptxas 13.1 takes a conversion and gets it wrong.

use smallvec::SmallVec;

use super::form::{Form, Rounding};
use super::operand::{OperandShape, Operands, Value};
use super::signature;
use super::violation::Place;
use crate::ptx::Type;
use crate::target::{Feature, Target};

/// The code of all warnings about defects.
pub const CODE: &str = "ptxas::defect";

/// Something that ptxas gets wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Defect {
    /// `.satfinite.f16.f32` for sm_75: the conversion is not done.
    ConversionLost,
    /// `.rna.satfinite.tf32`: some NaN become the largest value.
    NanLost,
    /// `ue8m0x4`: the result is 0.
    AlwaysZero,
    /// A last operand that no form has: ptxas ends with C7907 when the result is used.
    SpareOperand,
    /// A predicate as the source of `e2m1x2` from `bf16x2`: ptxas ends with C7907 when the result is used.
    PredicateSource,
    /// A vector as the source of `e2m1x2` from `bf16x2`: only the first element is read.
    VectorSource,
}

/// Whether any defect can be of this form: all of them are of packed and saturating ones.
pub fn may_be_defective(form: &Form) -> bool {
    !form.pack && (form.satfinite || form.dst.is_packed() || form.src.is_packed())
}

/// What ptxas gets wrong of a legal conversion when it generates code for `arch`.
pub fn defects(form: &Form, operands: &Operands, arch: Target) -> SmallVec<[Defect; 1]> {
    let mut found = SmallVec::new();
    if form.pack {
        return found;
    }
    if form.satfinite && form.dst == Type::F16 && form.src == Type::F32 && !arch.has(Feature::SaturatingHalf) {
        found.push(Defect::ConversionLost);
    }
    if form.satfinite && form.dst == Type::Tf32 && form.rounding == Some(Rounding::Rna) {
        found.push(Defect::NanLost);
    }
    if form.dst == Type::Ue8m0x4 {
        found.push(Defect::AlwaysZero);
    }
    let wants_spare = form.scaled || form.rounding == Some(Rounding::Rs);
    let least = signature::of_cvt(form.dst, form.src).map_or(usize::MAX, |s| s.slots.len());
    if operands.list.len() > least && !wants_spare {
        found.push(Defect::SpareOperand);
    }
    if form.dst == Type::E2m1x2 && form.src == Type::Bf16x2 {
        match operands.list.get(1) {
            Some(OperandShape { inverted: true, .. })
            | Some(OperandShape { value: Value::Register(Some(Type::Pred)), .. }) => {
                found.push(Defect::PredicateSource)
            }
            Some(OperandShape { value: Value::Vector(_) | Value::VectorRegister(..), .. }) => {
                found.push(Defect::VectorSource);
            }
            _ => {}
        }
    }
    found
}

impl Defect {
    /// What happens.
    pub fn message(self) -> &'static str {
        match self {
            Defect::ConversionLost => {
                "for sm_75 ptxas 13.1 drops this conversion: the low 16 bits of the f32 are the result"
            }
            Defect::NanLost => {
                "ptxas 13.1 turns some NaN into the largest finite value: those whose payload is in the low 13 bits"
            }
            Defect::AlwaysZero => "ptxas 13.1 takes `ue8m0x4`, which no document has, and the result is always 0",
            Defect::SpareOperand => {
                "ptxas 13.1 takes this last operand and then ends with an internal error (C7907) if the result is used"
            }
            Defect::PredicateSource => {
                "ptxas 13.1 takes a predicate here and then ends with an internal error (C7907) if the result is used"
            }
            Defect::VectorSource => "ptxas 13.1 takes a vector here and reads only its first element",
        }
    }

    /// What the marked place is, in a few words.
    pub fn label(self) -> &'static str {
        match self {
            Defect::ConversionLost => "lost on sm_75",
            Defect::NanLost => "loses NaN",
            Defect::AlwaysZero => "always 0",
            Defect::SpareOperand => "no form has this operand",
            Defect::PredicateSource => "a predicate",
            Defect::VectorSource => "only the first element is read",
        }
    }

    /// How to avoid it.
    pub fn help(self) -> &'static str {
        match self {
            Defect::ConversionLost => {
                "leave `.satfinite` out and clamp with `min` and `max` before, or compile for sm_80 or later"
            }
            Defect::NanLost => "test for NaN before the conversion, or use `.rn` on sm_100 and later",
            Defect::AlwaysZero => "write two `cvt.rp.satfinite.ue8m0x2.f32` and pack their results with `mov.b32`",
            Defect::SpareOperand => "leave the last operand out",
            Defect::PredicateSource | Defect::VectorSource => "write the pair in one `.b32` register",
        }
    }

    /// What to mark.
    pub fn place(self, operands: &Operands) -> Place {
        match self {
            Defect::SpareOperand => {
                Place::Operand(u8::try_from(operands.list.len().saturating_sub(1)).unwrap_or(u8::MAX))
            }
            Defect::PredicateSource | Defect::VectorSource => Place::Operand(1),
            _ => Place::Opcode,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cvt::{Judge, check, decode};

    fn of(opcode: &str, registers: &[Type], arch: &str) -> Vec<Defect> {
        let decoded = decode(opcode.as_bytes().split(|&b| b == b'.'));
        let list = registers.iter().map(|&t| OperandShape::register(t)).collect();
        let operands = Operands { list, ..Operands::default() };
        let arch = Target::parse(arch).unwrap();
        let form = check(&decoded, &operands, Judge { target: arch, version: (9, 1) }).unwrap();
        defects(&form, &operands, arch).to_vec()
    }

    #[test]
    fn a_saturating_conversion_is_lost_on_sm_75_only() {
        assert_eq!(of("cvt.rn.satfinite.f16.f32", &[Type::B16, Type::F32], "sm_75"), [Defect::ConversionLost]);
        assert_eq!(of("cvt.rn.satfinite.f16.f32", &[Type::B16, Type::F32], "sm_80"), []);
    }

    #[test]
    fn a_spare_operand_is_told() {
        let operands = [Type::B16, Type::B32, Type::B16];
        assert_eq!(of("cvt.rz.ue8m0x2.bf16x2", &operands, "sm_120a"), [Defect::SpareOperand]);
        assert_eq!(of("cvt.rz.ue8m0x2.bf16x2", &operands[..2], "sm_120a"), []);
    }

    #[test]
    fn the_random_bits_are_no_spare_operand() {
        let operands = [Type::B32, Type::F32, Type::F32, Type::B32];
        assert_eq!(of("cvt.rs.f16x2.f32", &operands, "sm_100a"), []);
    }
}
