//! Matching types and operands against the patterns that ptxas has.

use super::Case;
use crate::cvt::form::Rounding;
use crate::cvt::signature::{Class, Signature};
use crate::cvt::violation::{Fault, Lack, Misfit, Modifier, Place, Subject};
use crate::ptx::Type;
use crate::target::Feature;

impl Case<'_> {
    /// The pattern of the types; without one, ptxas looks at nothing else.
    pub(super) fn pattern(&mut self) -> Option<Signature> {
        let found = self
            .signature()
            .filter(|s| (s.relu || !self.decoded.relu) && (s.satfinite || !self.decoded.satfinite));
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

/// Random bits go with `.rs` and the other way round.
pub(super) fn random_bits(c: &mut Case<'_>) {
    if matches!(c.classes(), (Class::HalfPair, Class::Float)) && c.rounds(&[Rounding::Rs]) != c.has_optional() {
        c.mismatch(Misfit::RandomBits);
    }
    if c.classes().0 == Class::NarrowFour && super::operands::vector_length(&c.operands.list[1]) != Some(4) {
        c.mismatch(Misfit::NoFour);
    }
}

/// `.scaled::n2::ue8m0` is for `s2f6x2` alone, and takes a factor.
pub(super) fn scale_factor(c: &mut Case<'_>) {
    if !c.decoded.scaled || c.decoded.pack {
        return;
    }
    let (d, s) = c.classes();
    let fixed = d == Class::FixedPair || s == Class::FixedPair;
    let narrow_source = matches!(s, Class::NarrowPair | Class::ScalePair | Class::FixedPair);
    let factor = c.has_optional() && !matches!((d, s), (Class::HalfPair, Class::Float));
    if !factor {
        if !narrow_source {
            c.mismatch(Misfit::NoFactor);
        }
        if fixed {
            c.mismatch(Misfit::NoFactor);
        }
    }
}

/// An operand after those of the documented form. With `bf16x2` sources ptxas overlooks it.
pub(super) fn spare_operand(c: &mut Case<'_>) {
    let (d, s) = c.classes();
    let fixed = d == Class::FixedPair || s == Class::FixedPair;
    if !c.has_optional() || matches!((d, s), (Class::HalfPair, Class::Float)) {
        return;
    }
    let overlooked = (c.src == Type::Bf16x2 && !fixed) || s == Class::ScalePair;
    if !overlooked && !(fixed && c.decoded.scaled) {
        c.mismatch(Misfit::Spare);
    }
}

/// Patterns that are there, for later versions, and refused.
pub(super) fn pair_not_yet(c: &mut Case<'_>) {
    if c.not_yet() {
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
    if c.before((9, 1)) {
        let place = c.modifier_place(Modifier::Scaled);
        c.tell(Fault::Lacking(Subject::Modifier(Modifier::Scaled), Lack::Version((9, 1))), place);
    }
    if !c.has(Feature::S2f6) {
        c.tell_modifier(Fault::IllegalHere(Modifier::Scaled), Modifier::Scaled);
    }
    for illegal in [!fixed, !factor] {
        if illegal {
            c.tell_modifier(Fault::Illegal(Modifier::Scaled), Modifier::Scaled);
        }
    }
}
