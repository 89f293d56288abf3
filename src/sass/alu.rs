//! The arithmetic and logic instructions that conversions are helped out by.

use std::fmt;

use super::convert::Int;

/// A comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the variants are nvdisasm's own names")]
pub enum Compare {
    Lt,
    Le,
    Eq,
    Ne,
    Gt,
    Ge,
    Geu,
    Max,
    Min,
}

impl Compare {
    /// The comparison with its operands the other way round.
    pub fn mirrored(self) -> Compare {
        match self {
            Compare::Lt => Compare::Gt,
            Compare::Le => Compare::Ge,
            Compare::Gt => Compare::Lt,
            Compare::Ge => Compare::Le,
            other => other,
        }
    }
}

impl fmt::Display for Compare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Compare::Lt => "LT",
            Compare::Le => "LE",
            Compare::Eq => "EQ",
            Compare::Ne => "NE",
            Compare::Gt => "GT",
            Compare::Ge => "GE",
            Compare::Geu => "GEU",
            Compare::Max => "MAX",
            Compare::Min => "MIN",
        })
    }
}

/// An arithmetic or logic instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Alu {
    /// Single-precision product and sum.
    Ffma {
        /// Subnormals become zero.
        ftz: bool,
        /// Clamp to [0, 1].
        sat: bool,
    },
    /// Single-precision add.
    Fadd {
        /// Subnormals become zero.
        ftz: bool,
        /// Clamp to [0, 1].
        sat: bool,
    },
    /// Single-precision multiply.
    Fmul {
        /// Subnormals become zero.
        ftz: bool,
    },
    /// Half-precision add.
    Hadd2 {
        /// The result is single-precision.
        f32: bool,
        /// Clamp to [0, 1].
        sat: bool,
    },
    /// Single-precision select.
    Fsel,
    /// Single-precision compare.
    Fsetp(Compare),
    /// Double-precision compare.
    Dsetp(Compare),
    /// Integer compare.
    Isetp {
        /// The comparison.
        compare: Compare,
        /// 32 bits without sign.
        unsigned: bool,
    },
    /// Select.
    Sel,
    /// Three-input logic.
    Lop3,
    /// Byte permute.
    Prmt,
    /// `SHF.L.U32`
    ShiftLeft,
    /// `SHF.R.S32.HI`
    ShiftRightSigned,
    /// `SHF.R.U32.HI`
    ShiftRight,
    /// Minimum or maximum up to sm_89, and on sm_110.
    Imnmx {
        /// 32 bits without sign.
        unsigned: bool,
    },
    /// Minimum or maximum of the vector unit, from sm_90.
    Vimnmx {
        /// 32 bits without sign.
        unsigned: bool,
    },
    /// Absolute value of a word.
    Iabs,
    /// Three-input add.
    Iadd3,
    /// Two-input add of sm_120.
    Iadd,
    /// Add on the vector unit (sm_90, sm_100).
    Viadd,
    /// Add on the multiplier.
    ImadIadd,
    /// Load of a parameter into a uniform register from sm_100 on: 8, 16, 32, 64 or 128 bits.
    Ldcu(u8),
    /// Load of a parameter into a uniform register up to sm_90, extended there.
    Uldc(Int),
    /// Move.
    Mov,
    /// Half-precision multiply and add, used to clear a register; `.MMA` up to sm_90.
    Hfma2 {
        /// `.MMA`
        mma: bool,
    },
    /// Brain-float multiply and add.
    Hfma2Bf16,
    /// `IMAD.U32`: a left shift on the multiplier.
    ImadU32,
}

impl fmt::Display for Alu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flag = |on: bool, text: &'static str| if on { text } else { "" };
        match *self {
            Alu::Ffma { ftz, sat } => write!(f, "FFMA{}{}", flag(ftz, ".FTZ"), flag(sat, ".SAT")),
            Alu::Fadd { ftz, sat } => write!(f, "FADD{}{}", flag(ftz, ".FTZ"), flag(sat, ".SAT")),
            Alu::Fmul { ftz } => write!(f, "FMUL{}", flag(ftz, ".FTZ")),
            Alu::Hadd2 { f32, sat } => write!(f, "HADD2{}{}", flag(f32, ".F32"), flag(sat, ".SAT")),
            Alu::Fsel => f.write_str("FSEL"),
            Alu::Fsetp(c) => write!(f, "FSETP.{c}.AND"),
            Alu::Dsetp(c) => write!(f, "DSETP.{c}.AND"),
            Alu::Isetp { compare, unsigned } => write!(f, "ISETP.{compare}{}.AND", flag(unsigned, ".U32")),
            Alu::Sel => f.write_str("SEL"),
            Alu::Lop3 => f.write_str("LOP3.LUT"),
            Alu::Prmt => f.write_str("PRMT"),
            Alu::ShiftLeft => f.write_str("SHF.L.U32"),
            Alu::ShiftRightSigned => f.write_str("SHF.R.S32.HI"),
            Alu::ShiftRight => f.write_str("SHF.R.U32.HI"),
            Alu::Imnmx { unsigned } => write!(f, "IMNMX{}", flag(unsigned, ".U32")),
            Alu::Vimnmx { unsigned } => write!(f, "VIMNMX{}", flag(unsigned, ".U32")),
            Alu::Iabs => f.write_str("IABS"),
            Alu::Iadd3 => f.write_str("IADD3"),
            Alu::Iadd => f.write_str("IADD"),
            Alu::Viadd => f.write_str("VIADD"),
            Alu::ImadIadd => f.write_str("IMAD.IADD.U32"),
            Alu::Ldcu(bits) => f.write_str(match bits {
                8 => "LDCU.U8",
                16 => "LDCU.U16",
                64 => "LDCU.64",
                128 => "LDCU.128",
                _ => "LDCU",
            }),
            Alu::Uldc(Int { bits: 32, .. }) => f.write_str("ULDC"),
            Alu::Uldc(Int { bits: 64, .. }) => f.write_str("ULDC.64"),
            Alu::Uldc(int) => write!(f, "ULDC.{int}"),
            Alu::Mov => f.write_str("MOV"),
            Alu::Hfma2 { mma } => write!(f, "HFMA2{}", flag(mma, ".MMA")),
            Alu::Hfma2Bf16 => f.write_str("HFMA2.BF16_V2"),
            Alu::ImadU32 => f.write_str("IMAD.U32"),
        }
    }
}
