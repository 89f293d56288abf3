//! Which operands a pair of types takes: the instruction patterns that ptxas matches a statement against.

use smallvec::{SmallVec, smallvec};

use super::operand::{OperandShape, Special, Value};
use crate::ptx::Type;

/// A place for an operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slot {
    /// A value of this type, in a register that may be wider.
    Wide(Type),
    /// A value of this type, in a register of exactly its width.
    Exact(Type),
    /// An untyped register of this many bits: the packed and narrow types.
    Bits(u8),
    /// A pair of `ue8m0` or a scale-like value to be read: 16 bits.
    Ue8m0Pair,
    /// The result of a conversion to `s2f6x2`: 16 bits, typed or not.
    S2f6Pair,
    /// The source of `e2m1x2` from `bf16x2`, which is hardly looked at.
    Unchecked,
    /// `c` of `cvt.pack`.
    PackRest,
    /// Four f32 in a vector.
    Four,
    /// The first source of `ue8m0x4`: an f32 or a vector.
    OneOrFour,
    /// The random bits of `.rs`.
    Random,
    /// The factor of `.scaled::n2::ue8m0`.
    Scale,
    /// A 16-bit operand that no documented form has.
    Spare,
}

/// What ptxas takes for a pair of types.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// The operands that must be there, result first.
    pub slots: SmallVec<[Slot; 4]>,
    /// One more operand that may be there.
    pub optional: Option<Slot>,
    /// Whether the pattern has `.relu`.
    pub relu: bool,
    /// Whether the pattern has `.satfinite`.
    pub satfinite: bool,
}

/// The kind of a type in a conversion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// `u8` to `s64`
    Integer,
    /// `f16 f32 f64`
    Float,
    /// `bf16`
    Bf16,
    /// `f16x2 bf16x2`
    HalfPair,
    /// `tf32`
    Tf32,
    /// `e4m3x2 e5m2x2 e2m3x2 e3m2x2 e2m1x2`
    NarrowPair,
    /// `ue8m0x2`
    ScalePair,
    /// `s2f6x2`
    FixedPair,
    /// `e4m3x4` and kin
    NarrowFour,
    /// `ue8m0x4`
    ScaleFour,
    /// No type of a conversion.
    Other,
}

/// The kind of `ty`.
pub fn class(ty: Type) -> Class {
    use Type::*;
    match ty {
        U8 | S8 | U16 | S16 | U32 | S32 | U64 | S64 => Class::Integer,
        F16 | F32 | F64 => Class::Float,
        Bf16 => Class::Bf16,
        F16x2 | Bf16x2 => Class::HalfPair,
        Tf32 => Class::Tf32,
        E4m3x2 | E5m2x2 | E2m3x2 | E3m2x2 | E2m1x2 => Class::NarrowPair,
        Ue8m0x2 => Class::ScalePair,
        S2f6x2 => Class::FixedPair,
        E4m3x4 | E5m2x4 | E2m3x4 | E3m2x4 | E2m1x4 => Class::NarrowFour,
        Ue8m0x4 => Class::ScaleFour,
        _ => Class::Other,
    }
}

/// Width in bits of a value of type `ty`; 0 for what is no register's type.
pub fn width(ty: Type) -> u8 {
    use Type::*;
    match ty {
        U8 | S8 | B8 | E2m1x2 => 8,
        U16 | S16 | B16 | F16 | Bf16 | E4m3x2 | E5m2x2 | E2m3x2 | E3m2x2 | Ue8m0x2 | S2f6x2 | E2m1x4 => 16,
        U32 | S32 | B32 | F32 | F16x2 | Bf16x2 | Tf32 | E4m3x4 | E5m2x4 | E2m3x4 | E3m2x4 | Ue8m0x4 => 32,
        U64 | S64 | B64 | F64 => 64,
        B128 => 128,
        _ => 0,
    }
}

/// What ptxas takes for a conversion from `src` to `dst`; `None` where the pair is unknown to it.
pub fn of_cvt(dst: Type, src: Type) -> Option<Signature> {
    use Class::*;
    let scalar = |relu_satfinite: bool, slots: [Slot; 2]| Signature {
        slots: smallvec![slots[0], slots[1]],
        optional: None,
        relu: relu_satfinite,
        satfinite: relu_satfinite,
    };
    let bits = |ty| match class(ty) {
        ScalePair => Slot::Ue8m0Pair,
        HalfPair if ty == Type::F16x2 => Slot::Exact(ty),
        _ => Slot::Bits(width(ty)),
    };
    let to = |ty| match class(ty) {
        FixedPair => Slot::S2f6Pair,
        ScalePair => Slot::Bits(16),
        _ => bits(ty),
    };
    Some(match (class(dst), class(src)) {
        (Integer | Float, Integer | Float) => {
            scalar(dst == Type::F16 && src == Type::F32, [Slot::Wide(dst), Slot::Wide(src)])
        }
        (Integer | Float | Bf16, Integer | Float | Bf16) => scalar(src == Type::F32, [Slot::Exact(dst), Slot::Exact(src)]),
        (Tf32, Float) if src == Type::F32 => scalar(true, [Slot::Bits(32), Slot::Exact(src)]),
        (HalfPair, Float) if src == Type::F32 => {
            let f32_slot = if dst == Type::F16x2 { Slot::Wide(src) } else { Slot::Exact(src) };
            let result = if dst == Type::F16x2 { Slot::Wide(dst) } else { Slot::Bits(32) };
            Signature {
                slots: smallvec![result, f32_slot, f32_slot],
                optional: Some(Slot::Random),
                relu: true,
                satfinite: true,
            }
        }
        (HalfPair, NarrowPair | ScalePair | FixedPair) if dst == Type::F16x2 => Signature {
            slots: smallvec![Slot::Exact(dst), bits(src)],
            optional: None,
            relu: true,
            satfinite: false,
        },
        (HalfPair, NarrowPair) if src == Type::E2m1x2 => return None,
        (HalfPair, NarrowPair | ScalePair | FixedPair) => Signature {
            slots: smallvec![Slot::Bits(32), bits(src)],
            optional: Some(if class(src) == FixedPair { Slot::Scale } else { Slot::Spare }),
            relu: true,
            satfinite: true,
        },
        (NarrowPair | ScalePair | FixedPair, Float) if src == Type::F32 => Signature {
            slots: smallvec![to(dst), Slot::Exact(src), Slot::Exact(src)],
            optional: (dst != Type::E2m1x2).then_some(Slot::Scale),
            relu: true,
            satfinite: true,
        },
        (NarrowPair, HalfPair) if dst == Type::E2m1x2 => scalar(
            true,
            [Slot::Bits(8), if src == Type::F16x2 { Slot::Exact(src) } else { Slot::Unchecked }],
        ),
        (NarrowPair | ScalePair | FixedPair, HalfPair) => Signature {
            slots: smallvec![to(dst), bits(src)],
            optional: match (src, class(dst)) {
                (Type::F16x2, _) => None,
                (_, FixedPair) => Some(Slot::Scale),
                _ => Some(Slot::Spare),
            },
            relu: true,
            satfinite: true,
        },
        (NarrowFour, Float) if src == Type::F32 => Signature {
            slots: smallvec![Slot::Bits(width(dst)), Slot::Four, Slot::Random],
            optional: None,
            relu: true,
            satfinite: true,
        },
        (ScaleFour, Float) if src == Type::F32 => Signature {
            slots: smallvec![Slot::Bits(32), Slot::OneOrFour, Slot::Unchecked],
            optional: None,
            relu: true,
            satfinite: true,
        },
        _ => return None,
    })
}

/// What ptxas takes for `cvt.pack` with these types.
pub fn of_pack(types: &[Option<Type>]) -> Option<Signature> {
    use Type::*;
    let (a, b) = (Slot::Wide(S32), Slot::Wide(S32));
    let slots = match types {
        [Some(U16 | S16), Some(S32)] => smallvec![Slot::Wide(U32), a, b],
        [Some(U2 | S2 | U4 | S4 | U8 | S8), Some(S32), Some(B32)] => smallvec![Slot::Wide(U32), a, b, Slot::PackRest],
        _ => return None,
    };
    Some(Signature { slots, optional: None, relu: true, satfinite: true })
}

impl Signature {
    /// The slot of operand `index` when there are `count` operands.
    pub fn slot(&self, index: usize) -> Option<Slot> {
        self.slots.get(index).copied().or(if index == self.slots.len() { self.optional } else { None })
    }
}

impl Slot {
    /// Whether ptxas matches `operand` with this place. A match may still be refused for other reasons.
    pub fn takes(self, operand: &OperandShape) -> bool {
        match &operand.value {
            Value::Register(None) | Value::VectorRegister(None, _) => true,
            Value::Register(Some(ty)) => self.takes_register(*ty),
            Value::VectorRegister(Some(ty), _) => self.takes_register(*ty),
            Value::Special(s) => match s {
                Special::Word | Special::Vector => self.takes_register(Type::B32),
                Special::Double => self.takes_register(Type::B64),
                Special::Either => self.takes_register(Type::B32) || self.takes_register(Type::B64),
            },
            Value::Integer => match self {
                Slot::Wide(ty) | Slot::Exact(ty) => class(ty) == Class::Integer,
                Slot::PackRest | Slot::Spare => true,
                _ => false,
            },
            Value::Float { bits32 } => match self {
                Slot::Wide(ty) | Slot::Exact(ty) => matches!(ty, Type::F32 | Type::F64),
                Slot::OneOrFour => true,
                Slot::Unchecked | Slot::PackRest => *bits32,
                _ => false,
            },
            Value::RegisterSum(ty) => self.takes_sum(*ty),
            Value::Code => {
                matches!(self, Slot::Wide(_) | Slot::Exact(_) | Slot::PackRest | Slot::Bits(32))
            }
            Value::Variable | Value::VariableSum | Value::Address => match self {
                Slot::Wide(ty) | Slot::Exact(ty) => class(ty) == Class::Integer,
                Slot::PackRest | Slot::Unchecked => true,
                _ => false,
            },
            Value::Vector(elements) => match (self, elements.first()) {
                (Slot::Four, _) => true,
                (_, None) => false,
                (Slot::OneOrFour, Some(first)) => !matches!(first.value, Value::Register(Some(Type::Pred))),
                (_, Some(first)) => self.takes(first),
            },
            Value::Undeclared | Value::Other => false,
            Value::Sink => true,
        }
    }

    fn takes_register(self, ty: Type) -> bool {
        use Type::*;
        let have = width(ty);
        let untyped = matches!(ty, B8 | B16 | B32 | B64 | B128);
        match self {
            Slot::Wide(want) | Slot::Exact(want) => {
                let fits = if matches!(self, Slot::Wide(_)) { have >= width(want) } else { have == width(want) };
                let kind = match class(want) {
                    Class::Integer => untyped || ty == F16x2 || class(ty) == Class::Integer,
                    Class::Bf16 => untyped,
                    _ => untyped || ty == want,
                };
                fits && kind
            }
            Slot::Bits(bits) => untyped && have == bits,
            Slot::Ue8m0Pair => ty == B16,
            Slot::S2f6Pair => matches!(ty, B16 | U16 | S16 | F16),
            Slot::Unchecked => matches!(ty, B32 | U32 | S32 | F32 | F16x2 | Pred),
            Slot::PackRest => have >= 32,
            Slot::Four => matches!(ty, B32 | F32),
            Slot::OneOrFour => matches!(ty, B32 | F32),
            Slot::Random => ty == B32,
            Slot::Scale => ty == B16,
            Slot::Spare => matches!(ty, B16 | U16 | S16),
        }
    }

    /// `r2+1` has the type that is needed, almost everywhere.
    fn takes_sum(self, ty: Option<Type>) -> bool {
        let bits = ty.map(width);
        match self {
            Slot::Wide(_) | Slot::Exact(_) | Slot::PackRest | Slot::Bits(32) | Slot::Ue8m0Pair => true,
            Slot::Bits(16) | Slot::Scale | Slot::Spare => bits.is_none_or(|b| b == 16),
            Slot::Random | Slot::Unchecked | Slot::OneOrFour => bits.is_none_or(|b| b == 32),
            Slot::Bits(_) | Slot::S2f6Pair | Slot::Four => false,
        }
    }
}
