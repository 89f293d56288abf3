//! Which operands a pair of types takes: the instruction patterns that ptxas matches a statement against.

use smallvec::{SmallVec, smallvec};

use super::operand::{OperandShape, Selector, Special, Value};
use crate::ptx::Type;

/// A place for an operand.
///
/// ptxas matches some places loosely ([`Slot::takes`]) and looks again later ([`Slot::wants`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slot {
    /// A value of this type, in a register that may be wider.
    Wide(Type),
    /// A value of this type, in a register of exactly its width.
    Exact(Type),
    /// A pair of 4-bit floats: 8 bits.
    Byte,
    /// A pair of narrow floats, in forms without bf16x2: 16 bits.
    Half,
    /// A pair of narrow floats, in forms with bf16x2: 16 bits.
    HalfBesideBf16x2,
    /// A pair of `s2f6` in forms with bf16x2, as the source: 16 bits.
    FixedBesideBf16x2,
    /// The result of a conversion to `s2f6x2`: 16 bits, typed or not.
    FixedResult,
    /// tf32, or four narrow floats: 32 bits.
    Word,
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
    /// The factor of `.scaled::n2::ue8m0`, or a 16-bit operand that no documented form has.
    Factor,
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
    // a narrow or packed value, in forms without bf16x2 and with it
    let plain = |ty| match ty {
        Type::E2m1x2 => Slot::Byte,
        Type::F16x2 | Type::Bf16x2 => Slot::Exact(ty),
        _ => Slot::Half,
    };
    let beside = |ty| match class(ty) {
        FixedPair => Slot::FixedBesideBf16x2,
        _ => Slot::HalfBesideBf16x2,
    };
    let result = |ty, other| match class(ty) {
        FixedPair => Slot::FixedResult,
        _ if other == Type::Bf16x2 && ty != Type::E2m1x2 => Slot::HalfBesideBf16x2,
        _ => plain(ty),
    };
    let whole = |slots, optional, satfinite| Signature { slots, optional, relu: true, satfinite };
    Some(match (class(dst), class(src)) {
        (Integer | Float, Integer | Float) => {
            scalar(dst == Type::F16 && src == Type::F32, [Slot::Wide(dst), Slot::Wide(src)])
        }
        (Integer | Float | Bf16, Integer | Float | Bf16) => {
            scalar(dst == Type::Bf16 && src == Type::F32, [Slot::Exact(dst), Slot::Exact(src)])
        }
        (Tf32, Float) if src == Type::F32 => scalar(true, [Slot::Word, Slot::Exact(src)]),
        (HalfPair, Float) if src == Type::F32 => {
            let slot = |ty| if dst == Type::F16x2 { Slot::Wide(ty) } else { Slot::Exact(ty) };
            whole(smallvec![slot(dst), slot(src), slot(src)], Some(Slot::Random), true)
        }
        (HalfPair, NarrowPair | ScalePair | FixedPair) if dst == Type::F16x2 => {
            whole(smallvec![Slot::Exact(dst), plain(src)], None, false)
        }
        (HalfPair, NarrowPair) if src == Type::E2m1x2 => return None,
        (HalfPair, NarrowPair | ScalePair | FixedPair) => {
            whole(smallvec![Slot::Exact(dst), beside(src)], Some(Slot::Factor), true)
        }
        (NarrowPair | ScalePair | FixedPair, Float) if src == Type::F32 => {
            let factor = (dst != Type::E2m1x2).then_some(Slot::Factor);
            whole(smallvec![result(dst, src), Slot::Exact(src), Slot::Exact(src)], factor, true)
        }
        (NarrowPair, HalfPair) if dst == Type::E2m1x2 && src == Type::Bf16x2 => {
            scalar(true, [Slot::Byte, Slot::Unchecked])
        }
        (NarrowPair | ScalePair | FixedPair, HalfPair) => {
            let factor = (src == Type::Bf16x2).then_some(Slot::Factor);
            whole(smallvec![result(dst, src), Slot::Exact(src)], factor, true)
        }
        (NarrowFour, Float) if src == Type::F32 => {
            let result = if dst == Type::E2m1x4 { Slot::Half } else { Slot::Word };
            whole(smallvec![result, Slot::Four, Slot::Random], None, true)
        }
        (ScaleFour, Float) if src == Type::F32 => {
            whole(smallvec![Slot::Word, Slot::OneOrFour, Slot::Unchecked], None, true)
        }
        _ => return None,
    })
}

/// What ptxas takes for `cvt.pack` with these types. The patterns from u32 are there, and refused later.
pub fn of_pack(types: &[Option<Type>]) -> Option<Signature> {
    use Type::*;
    let (a, b) = (Slot::Wide(S32), Slot::Wide(S32));
    let slots = match types {
        [Some(U16 | S16), Some(S32 | U32)] => smallvec![Slot::Wide(U32), a, b],
        [Some(U2 | S2 | U4 | S4 | U8 | S8), Some(S32 | U32), Some(B32)] => {
            smallvec![Slot::Wide(U32), a, b, Slot::PackRest]
        }
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
        if operand.inverted {
            return self.takes_register(Type::Pred);
        }
        if operand.selector == Some(Selector::Field) {
            return self.takes_constant();
        }
        match &operand.value {
            Value::Register(None) | Value::VectorRegister(None, _) => true,
            Value::Register(Some(ty)) => self.takes_register(*ty),
            Value::VectorRegister(Some(ty), _) => self.takes_register(*ty),
            Value::Special(special) => self.takes_special(*special),
            Value::Integer => self.takes_constant(),
            Value::Float { bits32 } => match self {
                Slot::Wide(ty) | Slot::Exact(ty) => matches!(ty, Type::F32 | Type::F64),
                Slot::OneOrFour | Slot::Four | Slot::HalfBesideBf16x2 | Slot::FixedBesideBf16x2 => true,
                Slot::Unchecked | Slot::PackRest | Slot::Word | Slot::Random => *bits32,
                _ => false,
            },
            Value::RegisterAddress(ty) => self.takes_register(ty.unwrap_or(Type::B64)),
            Value::RegisterSum(ty) => {
                let bits = ty.map(width);
                match self {
                    Slot::Byte => bits.is_none(),
                    Slot::Half | Slot::Factor | Slot::FixedResult => bits.is_none_or(|b| b == 16),
                    Slot::Random | Slot::Unchecked | Slot::OneOrFour | Slot::Word | Slot::Four => {
                        bits.is_none_or(|b| b == 32)
                    }
                    _ => true,
                }
            }
            Value::Code => matches!(self, Slot::Wide(_) | Slot::Exact(_) | Slot::PackRest),
            Value::Address(ty) => self.takes_register(ty.unwrap_or(Type::U32)),
            Value::Variable(_) | Value::VariableSum => match self {
                Slot::Wide(ty) | Slot::Exact(ty) => class(ty) == Class::Integer,
                _ => !matches!(
                    self,
                    Slot::Half | Slot::FixedResult | Slot::Byte | Slot::Factor | Slot::Four | Slot::OneOrFour
                ),
            },
            Value::Vector(elements) => match (self, elements.first()) {
                (_, None) => false,
                (_, Some(first)) => self.takes(first),
            },
            Value::Undeclared | Value::Other => false,
            Value::Sink => true,
        }
    }

    /// Whether `operand`, which it takes, is also what it wants.
    pub fn wants(self, operand: &OperandShape) -> bool {
        let bits = match self {
            Slot::Byte => 8,
            Slot::Half | Slot::HalfBesideBf16x2 | Slot::FixedBesideBf16x2 => 16,
            Slot::Word => 32,
            _ => return true,
        };
        match &operand.value {
            Value::Register(Some(ty)) => untyped(*ty) && width(*ty) == bits,
            Value::RegisterSum(Some(ty)) => self != Slot::FixedBesideBf16x2 || width(*ty) == bits,
            Value::Special(_) => self != Slot::FixedBesideBf16x2,
            Value::Register(None) | Value::RegisterSum(None) | Value::Sink => true,
            _ => false,
        }
    }

    /// An integer constant.
    fn takes_constant(self) -> bool {
        match self {
            Slot::Wide(ty) | Slot::Exact(ty) => class(ty) == Class::Integer,
            Slot::PackRest | Slot::Factor | Slot::Byte | Slot::HalfBesideBf16x2 | Slot::FixedBesideBf16x2 => true,
            _ => false,
        }
    }

    fn takes_special(self, special: Special) -> bool {
        let beside = matches!(self, Slot::HalfBesideBf16x2 | Slot::FixedBesideBf16x2);
        let half = beside || (matches!(self, Slot::Exact(_)) && self.takes_register(Type::B16));
        match special {
            Special::Index | Special::Vector | Special::Either if half => true,
            Special::Word | Special::Index | Special::Vector => self.takes_register(Type::B32),
            Special::Double => self.takes_register(Type::B64),
            Special::Either => self.takes_register(Type::B32) || self.takes_register(Type::B64),
        }
    }

    fn takes_register(self, ty: Type) -> bool {
        use Type::*;
        let have = width(ty);
        match self {
            Slot::Wide(want) | Slot::Exact(want) => {
                let fits = if matches!(self, Slot::Wide(_)) { have >= width(want) } else { have == width(want) };
                let kind = match class(want) {
                    Class::Integer => untyped(ty) || ty == F16x2 || class(ty) == Class::Integer,
                    Class::Bf16 => untyped(ty),
                    Class::HalfPair if want == Bf16x2 => untyped(ty),
                    _ => untyped(ty) || ty == want,
                };
                fits && kind
            }
            Slot::Byte => matches!(ty, B8 | U8 | S8),
            Slot::Half | Slot::HalfBesideBf16x2 | Slot::FixedBesideBf16x2 | Slot::FixedResult => {
                matches!(ty, B16 | U16 | S16 | F16)
            }
            Slot::Word | Slot::Unchecked | Slot::Random => matches!(ty, B32 | U32 | S32 | F32 | F16x2 | Pred),
            Slot::PackRest => have >= 32,
            Slot::Four | Slot::OneOrFour => matches!(ty, B32 | F32),
            Slot::Factor => matches!(ty, B16 | U16 | S16),
        }
    }
}

fn untyped(ty: Type) -> bool {
    matches!(ty, Type::B8 | Type::B16 | Type::B32 | Type::B64 | Type::B128)
}
