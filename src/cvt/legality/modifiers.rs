//! The rules about modifiers.

use super::Case;
use crate::cvt::form::Rounding;
use crate::cvt::signature::{Class, class, width};
use crate::cvt::violation::{Fault, Misfit, Modifier, Place};
use crate::ptx::Type;

use Rounding::{Rm, Rmi, Rn, Rna, Rni, Rp, Rpi, Rs, Rz, Rzi};

const TO_INTEGRAL: &[Rounding] = &[Rni, Rzi, Rmi, Rpi];

/// What rounding a pair of types takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RoundingRule {
    /// Whether one must be given.
    pub required: bool,
    /// Those that may be given.
    pub takes: &'static [Rounding],
}

/// The rounding that a conversion from `src` to `dst` takes. `.relu` narrows it on f16 and bf16 from f32.
pub fn rounding_rule(dst: Type, src: Type, clamped: bool) -> RoundingRule {
    use Class::*;
    let rule = |required, takes| RoundingRule { required, takes };
    match (class(dst), class(src)) {
        (Integer, Integer) => rule(false, &[]),
        (Integer, _) => rule(true, TO_INTEGRAL),
        (Float | Bf16, Integer) => rule(true, &[Rn, Rz, Rm, Rp]),
        // the same type: to an integral value, or as it is
        (Float | Bf16, _) if dst == src => rule(false, TO_INTEGRAL),
        // f16 and bf16 hold different values: rounding is taken either way, and none means nearest
        (Float, Bf16) | (Bf16, Float) if width(src) == width(dst) || class(src) == Bf16 => {
            rule(false, &[Rn, Rz, Rm, Rp])
        }
        (Float | Bf16, Float) if width(dst) < width(src) => {
            rule(true, if clamped && src == Type::F32 { &[Rn, Rz] } else { &[Rn, Rz, Rm, Rp] })
        }
        // widening is exact
        (Float, Float) => rule(false, &[]),
        (Tf32, _) => rule(true, &[Rn, Rz, Rna]),
        (HalfPair, Float) => rule(true, &[Rn, Rz, Rs]),
        (ScalePair, _) => rule(true, &[Rz, Rp]),
        (NarrowFour, _) => rule(true, &[Rs]),
        (ScaleFour, _) => rule(true, if clamped { &[Rn, Rz] } else { &[Rn, Rz, Rm, Rp] }),
        _ => rule(true, &[Rn]),
    }
}

/// `.relu` with `.rna` on tf32, with `.ftz` on bf16.
pub(super) fn relu_conflicts(c: &mut Case<'_>) {
    if c.decoded.pack || !c.decoded.relu {
        return;
    }
    if c.dst == Type::Tf32 && c.rounds(&[Rna]) {
        c.tell_modifier(Fault::Conflict(Modifier::Relu, Modifier::Rounding(Some(Rna))), Modifier::Relu);
    }
    if clamping_bf16(c) && c.decoded.ftz {
        c.tell_modifier(Fault::Conflict(Modifier::Relu, Modifier::Ftz), Modifier::Ftz);
    }
}

/// The conversions to bf16 that can clamp.
fn clamping_bf16(c: &Case<'_>) -> bool {
    match c.dst {
        Type::Bf16 => c.src == Type::F32,
        Type::Bf16x2 => c.src == Type::F32 || c.classes().1 == Class::NarrowPair,
        _ => false,
    }
}

/// The conversions to f16 and bf16 that can clamp to finite values.
pub(super) fn clamping_half(c: &Case<'_>) -> bool {
    clamping_bf16(c) || (matches!(c.dst, Type::F16 | Type::F16x2) && c.src == Type::F32)
}

/// `.satfinite` on `bf16x2` from narrow types, which no version that ptxas 13.1 knows has.
pub(super) fn satfinite_illegal_for_pair(c: &mut Case<'_>) {
    if c.decoded.satfinite && c.dst == Type::Bf16x2 && c.classes().1 == Class::NarrowPair {
        c.tell_modifier(Fault::IllegalForPair(Modifier::Satfinite), Modifier::Satfinite);
    }
}

/// `.satfinite` on f16 and bf16 goes without `.ftz` and with `.rn` or `.rz` only.
pub(super) fn satfinite_conflicts(c: &mut Case<'_>) {
    if c.decoded.pack || !c.decoded.satfinite || !clamping_half(c) {
        return;
    }
    if c.decoded.ftz {
        c.tell_modifier(Fault::Conflict(Modifier::Satfinite, Modifier::Ftz), Modifier::Ftz);
    }
    let fits = match c.decoded.rounding {
        None => c.dst == Type::F16x2,
        Some(Rs) => c.dst != Type::F16,
        Some(r) => matches!(r, Rn | Rz),
    };
    if !fits {
        let rounding = Modifier::Rounding(c.decoded.rounding);
        c.tell_modifier(Fault::Conflict(Modifier::Satfinite, rounding), rounding);
    }
}

/// `.rs` needs random bits, which only the packed forms from f32 take.
pub(super) fn stochastic_only_packed(c: &mut Case<'_>) {
    if !c.decoded.pack && c.rounds(&[Rs]) && !c.stochastic_pair() {
        let rounding = Modifier::Rounding(c.decoded.rounding);
        c.tell_modifier(Fault::IllegalWithPair(rounding), rounding);
        c.mismatch(Misfit::NoRandom);
    }
}

/// `.relu` on `ue8m0x2`, which holds no negative number.
pub(super) fn relu_on_scale_pair(c: &mut Case<'_>) {
    if c.decoded.relu && matches!(c.classes(), (Class::ScalePair, _) | (_, Class::ScalePair)) {
        c.tell_modifier(Fault::IllegalWith(Modifier::Relu, Type::Ue8m0x2), Modifier::Relu);
    }
}

/// `.sat` on bf16, which has none, and on packed and narrow types.
pub(super) fn sat_early(c: &mut Case<'_>) {
    if !c.decoded.sat || c.decoded.pack {
        return;
    }
    let (d, s) = c.classes();
    let half = c.dst == Type::F16 && c.src == Type::F32 && c.decoded.satfinite;
    if c.packed() || d == Class::Bf16 || s == Class::Bf16 || half {
        c.tell_modifier(Fault::Illegal(Modifier::Sat), Modifier::Sat);
    }
}

/// `.sat` between integers where every value of the source is one of the destination.
pub(super) fn sat_late(c: &mut Case<'_>) {
    if c.decoded.sat && !c.decoded.pack && holds_all(c.dst, c.src) {
        c.tell_modifier(Fault::Illegal(Modifier::Sat), Modifier::Sat);
    }
}

/// Whether `dst` is an integer type that holds every value of the integer type `src`.
pub fn holds_all(dst: Type, src: Type) -> bool {
    if class(dst) != Class::Integer || class(src) != Class::Integer {
        return false;
    }
    let signed = |t| matches!(t, Type::S8 | Type::S16 | Type::S32 | Type::S64);
    match (signed(dst), signed(src)) {
        (false, true) => false,
        (true, false) => width(dst) > width(src),
        _ => width(dst) >= width(src),
    }
}

/// `.ftz` is for f32, and for few forms of it.
pub(super) fn ftz_illegal(c: &mut Case<'_>) {
    if !c.decoded.ftz {
        return;
    }
    if c.decoded.pack {
        c.tell_modifier(Fault::Illegal(Modifier::Ftz), Modifier::Ftz);
        return;
    }
    let (d, s) = c.classes();
    let integers = d == Class::Integer && s == Class::Integer;
    let bf16 = (d == Class::Bf16 || s == Class::Bf16) && c.dst != Type::F32 && c.src != Type::F32;
    let half = c.dst == Type::F16 && c.src == Type::F32 && (c.decoded.satfinite || c.decoded.relu);
    super::availability::ftz_since(c);
    if integers || bf16 || half || c.packed() {
        c.tell_modifier(Fault::Illegal(Modifier::Ftz), Modifier::Ftz);
    }
}

/// `.ftz` has an f32 to flush.
pub(super) fn ftz_nothing(c: &mut Case<'_>) {
    if !c.decoded.ftz || c.decoded.pack {
        return;
    }
    super::availability::ftz_on_odd(c);
    if c.dst != Type::F32 && c.src != Type::F32 {
        c.tell_modifier(Fault::NothingToFlush, Modifier::Ftz);
    }
}

/// The types of 8 and fewer bits, and `s2f6x2`, are always clamped to finite values.
pub(super) fn satfinite_required(c: &mut Case<'_>) {
    let always = matches!(c.classes().0, Class::NarrowPair | Class::FixedPair | Class::NarrowFour);
    if always && !c.decoded.satfinite && !c.decoded.pack {
        let place = c.type_place(c.dst);
        c.tell(Fault::SatfiniteRequired, place);
    }
}

/// `cvt.pack` always saturates.
pub(super) fn sat_required(c: &mut Case<'_>) {
    let d = c.decoded;
    if d.pack && !d.sat {
        c.tell(Fault::SatRequired, Place::Opcode);
    }
}

/// Which rounding the types take. ptxas asks this in layers and tells once a layer, so that one modifier can be
/// told several times.
pub(super) fn rounding(c: &mut Case<'_>) {
    let modifier = Modifier::Rounding(c.decoded.rounding);
    let Some(given) = c.decoded.rounding else {
        if !c.decoded.pack && rounding_rule(c.dst, c.src, false).required {
            c.tell(Fault::RoundingRequired, Place::Opcode);
        }
        return;
    };
    let (d, s) = c.classes();
    let scalar = !c.packed();
    let clamped_f16 = c.dst == Type::F16 && c.src == Type::F32 && (c.decoded.relu || c.decoded.satfinite);
    let relu_layer = c.decoded.relu && !matches!(d, Class::HalfPair | Class::ScalePair);
    let layers = [
        c.decoded.pack,
        // to integers and between like types an integral rounding, to floats another; .rna is tf32's
        !c.decoded.pack
            && if scalar {
                let rule = rounding_rule(c.dst, c.src, false);
                let float = rule.takes.contains(&Rn);
                !(exact(c) || rule.takes.contains(&given) || (float && given == Rs))
            } else {
                TO_INTEGRAL.contains(&given)
            },
        relu_layer && !matches!(given, Rn | Rz | Rs),
        clamped_f16 && TO_INTEGRAL.contains(&given),
        d == Class::HalfPair && !matches!(given, Rn | Rz | Rs),
        matches!(d, Class::NarrowPair | Class::FixedPair) && !matches!(given, Rn | Rs),
        d == Class::HalfPair && matches!(s, Class::NarrowPair | Class::FixedPair) && !matches!(given, Rn | Rs),
        d == Class::HalfPair && c.dst == Type::F16x2 && s == Class::ScalePair && !matches!(given, Rn | Rs),
        d == Class::ScalePair && !matches!(given, Rz | Rp | Rs),
        d == Class::NarrowFour && given != Rs,
    ];
    for _ in layers.into_iter().filter(|&illegal| illegal) {
        c.tell_modifier(Fault::RoundingIllegal, modifier);
    }
}

/// Whether it is a conversion from float to the same or wider float, which is exact.
fn exact(c: &Case<'_>) -> bool {
    c.classes() == (Class::Float, Class::Float) && width(c.dst) >= width(c.src)
}

/// The layers for tf32, for `bf16x2` from `ue8m0x2` and for exact conversions, which come later.
pub(super) fn rounding_again(c: &mut Case<'_>) {
    let Some(given) = c.decoded.rounding else { return };
    let rounding = Modifier::Rounding(c.decoded.rounding);
    let scale_source = c.dst == Type::Bf16x2 && c.classes().1 == Class::ScalePair;
    let tf32 = c.dst == Type::Tf32 && !matches!(given, Rn | Rz | Rna);
    let scale_result = matches!(c.classes().0, Class::ScalePair | Class::FixedPair) && given == Rs;
    if tf32
        || scale_result
        || (scale_source && given != Rn)
        || (exact(c) && !rounding_rule(c.dst, c.src, false).takes.contains(&given))
    {
        c.tell_modifier(Fault::RoundingIllegal, rounding);
    }
    if c.dst == Type::Tf32 && c.decoded.satfinite && !matches!(given, Rn | Rz | Rna) {
        c.tell_modifier(Fault::Conflict(Modifier::Satfinite, rounding), rounding);
    }
}

/// Of the packed and narrow types only tf32 takes `.rna`.
pub(super) fn rounding_away(c: &mut Case<'_>) {
    if c.packed() && !c.decoded.pack && c.rounds(&[Rna]) && c.dst != Type::Tf32 {
        c.tell_modifier(Fault::RoundingIllegal, Modifier::Rounding(c.decoded.rounding));
    }
}

/// `bf16x2` from `ue8m0x2` is exact and takes neither.
pub(super) fn scale_pair_source(c: &mut Case<'_>) {
    if c.dst != Type::Bf16x2 || c.classes().1 != Class::ScalePair || c.decoded.rounding.is_none() {
        return;
    }
    if c.decoded.relu {
        c.tell_modifier(Fault::IllegalWithPair(Modifier::Relu), Modifier::Relu);
    }
    if c.decoded.satfinite {
        c.tell_modifier(Fault::IllegalWithPair(Modifier::Satfinite), Modifier::Satfinite);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_integer_type_holds_another() {
        assert!(holds_all(Type::U32, Type::U16) && holds_all(Type::S32, Type::U16) && holds_all(Type::S8, Type::S8));
        assert!(
            !holds_all(Type::U32, Type::S16) && !holds_all(Type::S16, Type::U16) && !holds_all(Type::U8, Type::U16)
        );
        assert!(!holds_all(Type::F32, Type::U8) && !holds_all(Type::U64, Type::F32));
    }

    #[test]
    fn rounding_follows_from_the_types() {
        let rule = |dst, src| rounding_rule(dst, src, false);
        assert_eq!(rule(Type::S32, Type::F32), RoundingRule { required: true, takes: TO_INTEGRAL });
        assert_eq!(rule(Type::F32, Type::F32), RoundingRule { required: false, takes: TO_INTEGRAL });
        assert_eq!(rule(Type::F64, Type::F32), RoundingRule { required: false, takes: &[] });
        assert_eq!(rule(Type::U8, Type::U64), RoundingRule { required: false, takes: &[] });
        assert_eq!(rule(Type::F64, Type::U8), RoundingRule { required: true, takes: &[Rn, Rz, Rm, Rp] });
        assert_eq!(rule(Type::F32, Type::Bf16), RoundingRule { required: false, takes: &[Rn, Rz, Rm, Rp] });
        assert_eq!(rule(Type::E4m3x4, Type::F32), RoundingRule { required: true, takes: &[Rs] });
        assert_eq!(rounding_rule(Type::Bf16, Type::F32, true).takes, [Rn, Rz]);
    }
}
