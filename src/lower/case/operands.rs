//! The operands of a conversion as they are written.

use crate::bits;
use crate::cvt::Form;
use crate::dataflow::facts;
use crate::dataflow::flow::after;
use crate::ptx::{Module, OperandKind, RegId, Statement, Type, literal};
use crate::sass::float::F64Literal;
use crate::sass::{Operand, Selector};

/// The register that an operand is, or of which a part is selected.
pub fn first_register(module: &Module<'_>, at: u32) -> Option<RegId> {
    match module.operands.get(at as usize)?.kind {
        OperandKind::Register(r) => Some(r),
        OperandKind::Selected => first_register(module, at + 1),
        _ => None,
    }
}

/// Where the sources stand, vector elements one by one.
pub fn places<'m>(module: &'m Module<'_>, s: &Statement) -> impl Iterator<Item = u32> + use<'m> {
    let within = |at: u32| matches!(module.operands[at as usize].kind, OperandKind::Vector(_) | OperandKind::Selected);
    let (first, end) = (s.operands + 1, s.operands + s.operand_count);
    let next = move |&at: &u32| Some(if within(at) { at + 1 } else { after(module, at, end) });
    let inside = |at: &u32| *at < end;
    std::iter::successors(Some(first).filter(inside), move |at| next(at).filter(|&at| at < end))
        .filter(move |&at| !within(at))
}

/// An integer as an immediate of so many bits, with the sign of its type.
pub fn integer(bits: u64, ty: Type) -> Operand {
    match bits::sign_extend(bits, ty.bits()) as i32 {
        v if ty.is_signed() && v < 0 => Operand::Signed(v),
        _ => Operand::Bits(bits::truncate(bits, ty.bits()) as u32),
    }
}

/// An immediate source: integers as bits of the source type, floats as literals of the source format.
pub fn immediate(form: &Form, module: &Module<'_>, at: u32) -> Operand {
    let o = &module.operands[at as usize];
    let text = o.span.of(module.source);
    match o.kind {
        OperandKind::Float if facts::float_bits(text, 64) == Some(0) => Operand::RZ,
        OperandKind::Float if form.src == Type::F64 => {
            Operand::F64(F64Literal::from_bits(facts::float_bits(text, 64).unwrap_or(0)))
        }
        OperandKind::Float => {
            Operand::F32(f32::from_bits(facts::float_bits(text, 32).unwrap_or(0) as u32), Selector::Whole)
        }
        _ => match number(form, module, at) {
            0 => Operand::RZ,
            v if form.pack || form.dst.is_float() => integer(v, form.src),
            v => Operand::Bits(v as u32),
        },
    }
}

/// An integer as bits of the source type.
pub fn number(form: &Form, module: &Module<'_>, at: u32) -> u64 {
    let text = module.operands[at as usize].span.of(module.source);
    bits::truncate(literal::expression(text).map_or(0, |i| i.bits), form.src.bits())
}
