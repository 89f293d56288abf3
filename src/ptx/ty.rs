//! The fundamental and alternate types of the PTX ISA, as an instruction or a register declaration names them.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

/// A type that ptxas knows by name, for registers, instructions or both.
///
/// PTX ISA, "Types" and "Alternate Floating-Point Data Formats". Packed types count the width of the
/// register that holds them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[expect(missing_docs, reason = "the variants are the type names themselves")]
pub enum Type {
    U2,
    S2,
    U4,
    S4,
    U8,
    S8,
    U16,
    S16,
    U32,
    S32,
    U64,
    S64,
    B1,
    B8,
    B16,
    B32,
    B64,
    B128,
    Pred,
    F16,
    Bf16,
    F32,
    F64,
    F16x2,
    Bf16x2,
    Tf32,
    U8x4,
    S8x4,
    U16x2,
    S16x2,
    F32x2,
    E4m3,
    E5m2,
    E2m3,
    E3m2,
    E2m1,
    Ue8m0,
    Ue4m3,
    E4m3x2,
    E5m2x2,
    E2m3x2,
    E3m2x2,
    E2m1x2,
    Ue8m0x2,
    S2f6x2,
    E4m3x4,
    E5m2x4,
    E2m3x4,
    E3m2x4,
    E2m1x4,
    Ue8m0x4,
    Texref,
    Samplerref,
    Surfref,
}

impl Type {
    /// Every type with its name, without the dot.
    pub const NAMES: &'static [(&'static str, Type)] = &[
        ("u2", Type::U2),
        ("s2", Type::S2),
        ("u4", Type::U4),
        ("s4", Type::S4),
        ("u8", Type::U8),
        ("s8", Type::S8),
        ("u16", Type::U16),
        ("s16", Type::S16),
        ("u32", Type::U32),
        ("s32", Type::S32),
        ("u64", Type::U64),
        ("s64", Type::S64),
        ("b1", Type::B1),
        ("b8", Type::B8),
        ("b16", Type::B16),
        ("b32", Type::B32),
        ("b64", Type::B64),
        ("b128", Type::B128),
        ("pred", Type::Pred),
        ("f16", Type::F16),
        ("bf16", Type::Bf16),
        ("f32", Type::F32),
        ("f64", Type::F64),
        ("f16x2", Type::F16x2),
        ("bf16x2", Type::Bf16x2),
        ("tf32", Type::Tf32),
        ("u8x4", Type::U8x4),
        ("s8x4", Type::S8x4),
        ("u16x2", Type::U16x2),
        ("s16x2", Type::S16x2),
        ("f32x2", Type::F32x2),
        ("e4m3", Type::E4m3),
        ("e5m2", Type::E5m2),
        ("e2m3", Type::E2m3),
        ("e3m2", Type::E3m2),
        ("e2m1", Type::E2m1),
        ("ue8m0", Type::Ue8m0),
        ("ue4m3", Type::Ue4m3),
        ("e4m3x2", Type::E4m3x2),
        ("e5m2x2", Type::E5m2x2),
        ("e2m3x2", Type::E2m3x2),
        ("e3m2x2", Type::E3m2x2),
        ("e2m1x2", Type::E2m1x2),
        ("ue8m0x2", Type::Ue8m0x2),
        ("s2f6x2", Type::S2f6x2),
        ("e4m3x4", Type::E4m3x4),
        ("e5m2x4", Type::E5m2x4),
        ("e2m3x4", Type::E2m3x4),
        ("e3m2x4", Type::E3m2x4),
        ("e2m1x4", Type::E2m1x4),
        ("ue8m0x4", Type::Ue8m0x4),
        ("texref", Type::Texref),
        ("samplerref", Type::Samplerref),
        ("surfref", Type::Surfref),
    ];

    /// The type of that name, without the dot.
    pub fn from_name(name: &[u8]) -> Option<Type> {
        // an opcode's parts are looked up by the thousand
        static BY_NAME: LazyLock<FxHashMap<&[u8], Type>> =
            LazyLock::new(|| Type::NAMES.iter().map(|&(name, ty)| (name.as_bytes(), ty)).collect());
        BY_NAME.get(name).copied()
    }

    /// Two values of 8, 6 or 4 bits each.
    pub const fn is_packed_narrow(self) -> bool {
        use Type::*;
        matches!(self, E4m3x2 | E5m2x2 | E2m3x2 | E3m2x2 | E2m1x2 | Ue8m0x2 | S2f6x2)
    }

    /// Its name, without the dot.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|&&(_, t)| t == self).map_or("", |&(n, _)| n)
    }

    /// Width in bits of the register that holds one; 1 for predicates, 0 for references.
    pub const fn bits(self) -> u32 {
        use Type::*;
        match self {
            Pred | B1 => 1,
            U2 | S2 => 2,
            U4 | S4 => 4,
            U8 | S8 | B8 | E4m3 | E5m2 | E2m3 | E3m2 | E2m1 | Ue8m0 | Ue4m3 | E2m1x2 => 8,
            U16 | S16 | B16 | F16 | Bf16 | E4m3x2 | E5m2x2 | E2m3x2 | E3m2x2 | Ue8m0x2 | S2f6x2 | E2m1x4 => 16,
            U32 | S32 | B32 | F32 | F16x2 | Bf16x2 | Tf32 | U8x4 | S8x4 | U16x2 | S16x2 | E4m3x4 | E5m2x4 | E2m3x4
            | E3m2x4 | Ue8m0x4 => 32,
            U64 | S64 | B64 | F64 | F32x2 => 64,
            B128 => 128,
            Texref | Samplerref | Surfref => 0,
        }
    }

    /// Several values in one register: `f16x2`, `e4m3x4`, ….
    pub const fn is_packed(self) -> bool {
        use Type::*;
        matches!(
            self,
            F16x2
                | Bf16x2
                | F32x2
                | U8x4
                | S8x4
                | U16x2
                | S16x2
                | E4m3x2
                | E5m2x2
                | E2m3x2
                | E3m2x2
                | E2m1x2
                | Ue8m0x2
                | S2f6x2
                | E4m3x4
                | E5m2x4
                | E2m3x4
                | E3m2x4
                | E2m1x4
                | Ue8m0x4
        )
    }

    /// A scalar integer type `uN` or `sN`.
    pub const fn is_int(self) -> bool {
        self.is_signed() || self.is_unsigned()
    }

    /// `sN`
    pub const fn is_signed(self) -> bool {
        use Type::*;
        matches!(self, S2 | S4 | S8 | S16 | S32 | S64)
    }

    /// `uN`
    pub const fn is_unsigned(self) -> bool {
        use Type::*;
        matches!(self, U2 | U4 | U8 | U16 | U32 | U64)
    }

    /// A scalar floating-point type: f16, bf16, f32, f64.
    pub const fn is_float(self) -> bool {
        use Type::*;
        matches!(self, F16 | Bf16 | F32 | F64)
    }
}
