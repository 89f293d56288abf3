//! Matching types and operands against the patterns that ptxas has.

use super::Case;
use crate::cvt::form::Rounding;
use crate::cvt::operand::{OperandShape, Value};
use crate::cvt::signature::{Class, Signature};
use crate::cvt::violation::{Fault, Lack, Misfit, Modifier, Place, Subject};
use crate::ptx::Type;
use crate::target::Feature;

impl Case<'_> {
    /// The pattern of the types; without one, ptxas looks at nothing else.
    pub(super) fn pattern(&mut self) -> Option<Signature> {
        let found =
            self.signature().filter(|s| (s.relu || !self.decoded.relu) && (s.satfinite || !self.decoded.satfinite));
        if found.is_none() {
            self.tell(Fault::Types, Place::Types);
        }
        found
    }

    /// Whether the operands fit the pattern; where not, ptxas looks at nothing else.
    pub(super) fn match_operands(&mut self, signature: &Signature) -> bool {
        let list = &self.operands.list;
        let least = signature.slots.len();
        let most = least + usize::from(signature.optional.is_some());
        let misfit = if list.len() < least || list.len() > most {
            let n = |n: usize| u8::try_from(n).unwrap_or(u8::MAX);
            Some(Misfit::Count(n(list.len()), n(least), n(most)))
        } else {
            let unfit = list.iter().enumerate().position(|(i, o)| !signature.slot(i).is_some_and(|s| s.takes(o)));
            unfit.map(|i| Misfit::Operand(u8::try_from(i).unwrap_or(u8::MAX)))
        };
        if let Some(misfit) = misfit {
            self.mismatch(misfit);
        }
        misfit.is_none()
    }

    /// Whether an operand stands in the optional place.
    fn has_optional(&self) -> bool {
        self.signature().is_some_and(|s| self.operands.list.len() > s.slots.len())
    }
}

/// Narrow and packed values stand in untyped registers.
pub(super) fn untyped_registers(c: &mut Case<'_>) {
    if c.decoded.pack {
        return;
    }
    let Some(signature) = c.signature() else { return };
    let unfit = c.operands.list.iter().enumerate().position(|(i, o)| signature.slot(i).is_some_and(|s| !s.wants(o)));
    if let Some(i) = unfit {
        c.mismatch(Misfit::Operand(u8::try_from(i).unwrap_or(u8::MAX)));
    }
}

/// Random bits go with `.rs` and the other way round.
pub(super) fn random_bits(c: &mut Case<'_>) {
    let stochastic = c.rounds(&[Rounding::Rs]);
    let list = &c.operands.list;
    let bits = |o: &OperandShape| match &o.value {
        Value::Register(ty) | Value::RegisterSum(ty) => ty.is_none_or(|t| t == Type::B32),
        _ => false,
    };
    match c.classes() {
        (Class::HalfPair, Class::Float) => {
            let given = c.has_optional();
            let unfit = given && !list.last().is_some_and(bits);
            if stochastic != given {
                c.mismatch(Misfit::RandomBits);
            }
            // told once on f16x2, twice on bf16x2
            if unfit && (stochastic || c.dst == Type::Bf16x2) {
                c.mismatch(Misfit::Operand(3));
            }
        }
        (Class::NarrowFour, _) if stochastic => {
            if super::operands::vector_length(&list[1]) != Some(4) {
                c.mismatch(Misfit::NoFour);
            } else if !bits(&list[2]) {
                c.mismatch(Misfit::Operand(2));
            }
        }
        _ => {}
    }
}

/// With `.scaled::n2::ue8m0` the last operand is a 16-bit untyped register.
pub(super) fn scale_factor(c: &mut Case<'_>) {
    let factor = |o: &OperandShape| match &o.value {
        Value::Register(ty) | Value::RegisterSum(ty) => ty.is_none_or(|t| t == Type::B16),
        _ => false,
    };
    if c.decoded.scaled && !c.decoded.pack && !c.operands.list.last().is_some_and(factor) {
        c.mismatch(Misfit::NoFactor);
    }
}

/// An operand after those of the documented form. With `bf16x2` sources ptxas overlooks it.
pub(super) fn spare_operand(c: &mut Case<'_>) {
    let (d, s) = c.classes();
    let fixed = d == Class::FixedPair || s == Class::FixedPair;
    let overlooked =
        c.src == Type::Bf16x2 || s == Class::ScalePair || matches!((d, s), (Class::HalfPair, Class::Float));
    if c.has_optional() && !fixed && !overlooked {
        c.mismatch(Misfit::Spare);
    }
}

/// `s2f6x2` takes a factor with `.scaled::n2::ue8m0`, and none without.
pub(super) fn fixed_factor(c: &mut Case<'_>) {
    let (d, s) = c.classes();
    if (d == Class::FixedPair || s == Class::FixedPair) && c.decoded.scaled != c.has_optional() {
        c.mismatch(if c.decoded.scaled { Misfit::NoFactor } else { Misfit::Spare });
    }
}

/// Patterns that are there, for later versions, and refused.
pub(super) fn pair_not_yet(c: &mut Case<'_>) {
    if c.not_yet() || (c.decoded.pack && c.src == Type::U32) {
        c.tell(Fault::Types, Place::Types);
    }
}

/// What `.scaled::n2::ue8m0` is refused for.
pub(super) fn scaled(c: &mut Case<'_>) {
    if !c.decoded.scaled {
        return;
    }
    let (d, s) = c.classes();
    let fixed = d == Class::FixedPair || s == Class::FixedPair;
    let factor = c.has_optional() && !matches!((d, s), (Class::HalfPair, Class::Float));
    if !factor {
        c.tell_modifier(Fault::Illegal(Modifier::Scaled), Modifier::Scaled);
    }
    if c.before((9, 1)) {
        let place = c.modifier_place(Modifier::Scaled);
        c.tell(Fault::Lacking(Subject::Modifier(Modifier::Scaled), Lack::Version((9, 1))), place);
    }
    if !c.has(Feature::S2f6) {
        c.tell_modifier(Fault::IllegalHere(Modifier::Scaled), Modifier::Scaled);
    }
    if !fixed {
        c.tell_modifier(Fault::Illegal(Modifier::Scaled), Modifier::Scaled);
    }
}
