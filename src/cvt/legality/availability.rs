//! The rules about targets and versions.

use super::Case;
use crate::cvt::form::Rounding;
use crate::cvt::signature::{Class, width};
use crate::cvt::violation::{Fault, Lack, Modifier, Place, Subject};
use crate::ptx::Type;
use crate::target::{Feature, Version};

impl Case<'_> {
    /// Tells where the module's version is older than `version`.
    fn since(&mut self, version: Version, subject: Subject, place: Place) {
        if self.before(version) {
            self.tell(Fault::Lacking(subject, Lack::Version(version)), place);
        }
    }
}

/// Two f32 into a pair; bf16 from anything.
pub(super) fn packed_half(c: &mut Case<'_>) {
    let (d, s) = c.classes();
    let packs = match c.dst {
        Type::F16x2 => c.src == Type::F32,
        Type::Bf16x2 => c.src == Type::F32 || s == Class::NarrowPair,
        _ => d == Class::Bf16 && !c.decoded.pack,
    };
    if packs {
        let place = c.type_place(c.dst);
        c.need(Feature::PackedHalf, Subject::Pair, place);
        c.since((7, 0), Subject::Pair, place);
    }
}

/// `.satfinite` on f16, bf16 and `.rna` to tf32.
pub(super) fn saturating(c: &mut Case<'_>) {
    if !c.decoded.satfinite || c.decoded.pack || !c.before((8, 1)) {
        return;
    }
    let subject = if super::modifiers::clamping_half(c) {
        Subject::Pair
    } else if c.dst == Type::Tf32 && c.rounds(&[Rounding::Rna]) {
        Subject::WithPairRounding
    } else {
        return;
    };
    let place = c.modifier_place(Modifier::Satfinite);
    c.tell(Fault::LackingOn(subject, Lack::Version((8, 1))), place);
}

/// `cvt.pack`.
pub(super) fn pack(c: &mut Case<'_>) {
    if !c.decoded.pack {
        return;
    }
    c.need(Feature::Pack, Subject::Pack, Place::Part(1));
    c.since((6, 5), Subject::Pack, Place::Part(1));
    if matches!(c.dst, Type::U2 | Type::S2 | Type::U4 | Type::S4) && c.src == Type::S32 {
        let place = c.type_place(c.dst);
        c.since((6, 5), Subject::PackSubByte, place);
        c.need(Feature::SubByte, Subject::PackSubByte, place);
    }
}

/// 8-bit floats and f32 or f16x2. They came with sm_90, and to sm_89 with version 8.1.
pub(super) fn fp8(c: &mut Case<'_>) {
    let fp8 = |t| matches!(t, Type::E4m3x2 | Type::E5m2x2);
    let applies = match (c.dst, c.src) {
        (Type::F16x2, s) => fp8(s),
        (d, Type::F32 | Type::F16x2) => fp8(d),
        _ => false,
    };
    if !applies {
        return;
    }
    let place = c.type_place(if fp8(c.dst) { c.dst } else { c.src });
    let (early, late) = (c.has(Feature::Fp8Early), c.has(Feature::Fp8));
    if c.before((8, 1)) {
        c.need(Feature::Fp8Early, Subject::Pair, place);
        if late && !early {
            c.since((8, 1), Subject::PairOn(c.judge.target.sm), place);
        } else {
            c.since((7, 8), Subject::Pair, place);
        }
    } else {
        c.need(Feature::Fp8, Subject::Pair, place);
    }
}

/// 6-bit and 4-bit floats, and 8-bit floats from bf16x2.
pub(super) fn narrow(c: &mut Case<'_>) {
    let small = |t| matches!(t, Type::E2m1x2 | Type::E2m3x2 | Type::E3m2x2);
    let (d, s) = c.classes();
    let version = match (c.dst, c.src) {
        (d, Type::F32) if small(d) => (8, 6),
        (Type::F16x2, s) if small(s) => (8, 6),
        (_, Type::F16x2) if d == Class::NarrowPair && small(c.dst) => (9, 1),
        (_, Type::Bf16x2) if d == Class::NarrowPair => (9, 1),
        _ => return,
    };
    let place = c.type_place(if s == Class::NarrowPair { c.src } else { c.dst });
    c.since(version, Subject::Pair, place);
    c.need(Feature::Narrow, Subject::Pair, place);
}

/// `ue8m0x2`.
pub(super) fn scale_pair(c: &mut Case<'_>) {
    if matches!(c.classes(), (Class::ScalePair, _) | (_, Class::ScalePair)) {
        let place = c.type_place(Type::Ue8m0x2);
        c.since((8, 6), Subject::With(Type::Ue8m0x2), place);
        c.need(Feature::Narrow, Subject::With(Type::Ue8m0x2), place);
    }
}

/// `s2f6x2`.
pub(super) fn fixed_pair(c: &mut Case<'_>) {
    if matches!(c.classes(), (Class::FixedPair, _) | (_, Class::FixedPair)) {
        let place = c.type_place(Type::S2f6x2);
        c.since((9, 1), Subject::With(Type::S2f6x2), place);
        c.need(Feature::S2f6, Subject::With(Type::S2f6x2), place);
    }
}

/// bf16 with anything but f32.
pub(super) fn bf16_scalar(c: &mut Case<'_>) {
    let (d, s) = c.classes();
    if !(d == Class::Bf16 || s == Class::Bf16) || c.dst == Type::F32 || c.src == Type::F32 {
        return;
    }
    let place = c.type_place(Type::Bf16);
    c.need(Feature::Bf16Scalar, Subject::WithPair, place);
    c.since((7, 8), Subject::WithPair, place);
}

/// f32 from bf16: first without `.ftz`.
pub(super) fn bf16_widening(c: &mut Case<'_>) {
    if c.dst != Type::F32 || c.src != Type::Bf16 {
        return;
    }
    if c.decoded.ftz {
        let place = c.modifier_place(Modifier::Ftz);
        c.need(Feature::Bf16Scalar, Subject::WithPairFtz, place);
        c.since((7, 8), Subject::WithPairFtz, place);
    } else {
        let place = c.type_place(Type::Bf16);
        c.need(Feature::Bf16, Subject::WithPair, place);
        c.since((7, 1), Subject::WithPair, place);
    }
}

/// `.ftz` came with version 1.4.
pub(super) fn ftz_since(c: &mut Case<'_>) {
    let place = c.modifier_place(Modifier::Ftz);
    c.since((1, 4), Subject::Modifier(Modifier::Ftz), place);
}

/// Before version 1.5 not from 8-bit types and not to 64-bit types.
pub(super) fn ftz_on_odd(c: &mut Case<'_>) {
    if c.before((1, 5)) && (width(c.src) == 8 || width(c.dst) == 64) {
        c.tell_modifier(Fault::NothingToFlush, Modifier::Ftz);
    }
}

/// tf32, which is told once more than its name has been.
pub(super) fn tf32(c: &mut Case<'_>) {
    if c.dst == Type::Tf32 {
        let place = c.type_place(Type::Tf32);
        c.need(Feature::Bf16, Subject::Type(Type::Tf32), place);
        c.since((7, 0), Subject::Type(Type::Tf32), place);
    }
}

/// tf32: `.rna` first, `.rn` and `.rz` later, `.satfinite` on them later still.
pub(super) fn tf32_rounding(c: &mut Case<'_>) {
    if c.dst != Type::Tf32 {
        return;
    }
    let rounding = c.decoded.rounding;
    if c.rounds(&[Rounding::Rn, Rounding::Rz]) {
        let place = c.modifier_place(Modifier::Rounding(rounding));
        c.need(Feature::Tf32Rounding, Subject::WithPairRounding, place);
        c.since((7, 8), Subject::WithPairRounding, place);
        if c.decoded.satfinite {
            let place = c.modifier_place(Modifier::Satfinite);
            if c.before((8, 6)) {
                c.tell(Fault::LackingOn(Subject::WithPairRounding, Lack::Version((8, 6))), place);
            }
            if !c.has(Feature::Tf32Saturation) {
                c.tell(Fault::LackingOn(Subject::WithPairRounding, Lack::Target(100)), place);
            }
        }
    }
}

/// `.rs`.
pub(super) fn stochastic(c: &mut Case<'_>) {
    if c.rounds(&[Rounding::Rs]) {
        let modifier = Modifier::Rounding(c.decoded.rounding);
        let place = c.modifier_place(modifier);
        c.since((8, 7), Subject::Modifier(modifier), place);
        c.need(Feature::Stochastic, Subject::Modifier(modifier), place);
    }
}

/// `.relu`.
pub(super) fn relu(c: &mut Case<'_>) {
    if c.decoded.relu && !c.decoded.pack {
        let place = c.modifier_place(Modifier::Relu);
        c.since((7, 0), Subject::Modifier(Modifier::Relu), place);
        c.need(Feature::Relu, Subject::Modifier(Modifier::Relu), place);
    }
}
