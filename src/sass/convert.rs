//! The conversion instructions: typed subop fields, and the opcode text that nvdisasm makes of them.
//!
//! ptxas has one internal conversion with fields for the format pair, a round-mode enum, ftz, sat and the
//! NaN-to-zero flag. The natural 32-bit format (f32, s32) is silent except where both formats are always printed.

use std::fmt;

/// A floating-point format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the variants are the formats' own names")]
pub enum Format {
    F16,
    Bf16,
    F32,
    F64,
    Tf32,
    E4m3,
    E5m2,
    E2m3,
    E3m2,
    E2m1,
    E8,
    S2f6,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::F16 => "F16",
            Format::Bf16 => "BF16",
            Format::F32 => "F32",
            Format::F64 => "F64",
            Format::Tf32 => "TF32",
            Format::E4m3 => "E4M3",
            Format::E5m2 => "E5M2",
            Format::E2m3 => "E2M3",
            Format::E3m2 => "E3M2",
            Format::E2m1 => "E2M1",
            Format::E8 => "E8",
            Format::S2f6 => "S2_6",
        })
    }
}

/// An integer format: width in bits and signedness.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Int {
    /// 2, 4, 8, 16, 32 or 64.
    pub bits: u8,
    /// Two's complement.
    pub signed: bool,
}

impl Int {
    /// The format whose name nvdisasm leaves out.
    pub const S32: Int = Int { bits: 32, signed: true };
    /// 32 bits, unsigned.
    pub const U32: Int = Int { bits: 32, signed: false };
}

impl fmt::Display for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.signed { 'S' } else { 'U' }, self.bits)
    }
}

/// The round-mode enum of the conversion units: nearest 0, floor 1, ceil 2, trunc 3; stochastic apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Round {
    /// To nearest even: silent.
    Near,
    /// Towards negative infinity: `.RM`, `.FLOOR`.
    Floor,
    /// Towards positive infinity: `.RP`, `.CEIL`.
    Ceil,
    /// Towards zero: `.RZ`, `.TRUNC`.
    Trunc,
    /// By random bits: `.RS`.
    Stochastic,
}

impl Round {
    /// Suffix where the result is floating-point.
    pub const fn float(self) -> &'static str {
        match self {
            Round::Near => "",
            Round::Floor => ".RM",
            Round::Ceil => ".RP",
            Round::Trunc => ".RZ",
            Round::Stochastic => ".RS",
        }
    }

    /// Suffix where the result is an integral value.
    pub const fn integral(self) -> &'static str {
        match self {
            Round::Near | Round::Stochastic => "",
            Round::Floor => ".FLOOR",
            Round::Ceil => ".CEIL",
            Round::Trunc => ".TRUNC",
        }
    }
}

/// How F2FP packs its results or unpacks its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the variants are nvdisasm's own names")]
pub enum PackMode {
    PackAb,
    PackB,
    MergeC,
    PackAbMergeC,
    UnpackB,
    UnpackBMergeC,
}

impl fmt::Display for PackMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PackMode::PackAb => "PACK_AB",
            PackMode::PackB => "PACK_B",
            PackMode::MergeC => "MERGE_C",
            PackMode::PackAbMergeC => "PACK_AB_MERGE_C",
            PackMode::UnpackB => "UNPACK_B",
            PackMode::UnpackBMergeC => "UNPACK_B_MERGE_C",
        })
    }
}

/// A conversion instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Convert {
    /// Float to float of another format on the conversion unit.
    F2f {
        /// Destination format.
        dst: Format,
        /// Source format.
        src: Format,
        /// Round mode.
        round: Round,
        /// Subnormals become zero.
        ftz: bool,
    },
    /// Float to narrow or packed float on the half unit.
    F2fp {
        /// Destination format.
        dst: Format,
        /// Source format.
        src: Format,
        /// Merge mode.
        mode: PackMode,
        /// Round mode.
        round: Round,
        /// Overflow gives the largest finite value.
        satfinite: bool,
        /// Negative values become zero.
        relu: bool,
        /// The spelling of sm_80 to sm_88, which names only bf16.
        short: bool,
    },
    /// Float to integer.
    F2i {
        /// Destination format.
        dst: Int,
        /// Source format.
        src: Format,
        /// Round mode.
        round: Round,
        /// Subnormals become zero.
        ftz: bool,
    },
    /// Float to packed 8-bit integers.
    F2ip {
        /// Destination format.
        dst: Int,
        /// Round mode.
        round: Round,
    },
    /// Integer to float on the conversion unit.
    I2f {
        /// Destination format.
        dst: Format,
        /// Source format.
        src: Int,
        /// Round mode.
        round: Round,
    },
    /// 32-bit integer to f32 on the half unit.
    I2fp {
        /// Source format.
        src: Int,
        /// Round mode.
        round: Round,
    },
    /// Round to an integral value of the same format.
    Frnd {
        /// The format.
        format: Format,
        /// Round mode.
        round: Round,
        /// Subnormals become zero.
        ftz: bool,
    },
    /// Saturating s32 to a narrower integer.
    I2i {
        /// Destination format.
        dst: Int,
    },
    /// Two saturating s32 to narrow integers, packed.
    I2ip {
        /// Destination format.
        dst: Int,
    },
}

impl Convert {
    /// NaN becomes zero: set by F2I and F2IP where no 64-bit format takes part.
    pub const fn nan_to_zero(self) -> bool {
        match self {
            Convert::F2i { dst, src, .. } => dst.bits < 64 && !matches!(src, Format::F64),
            Convert::F2ip { .. } => true,
            _ => false,
        }
    }
}

impl fmt::Display for Convert {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flag = |on: bool, text: &'static str| if on { text } else { "" };
        match *self {
            Convert::F2f { dst, src, round, ftz } => {
                write!(f, "F2F{}.{dst}.{src}{}", flag(ftz, ".FTZ"), round.float())
            }
            Convert::F2fp { dst, src, mode, round, satfinite, relu, short } => {
                write!(f, "F2FP{}{}", flag(satfinite, ".SATFINITE"), flag(relu, ".RELU"))?;
                match (short, dst) {
                    (true, Format::F16) => {}
                    (true, dst) => write!(f, ".{dst}")?,
                    (false, dst) => write!(f, ".{dst}.{src}")?,
                }
                write!(f, ".{mode}{}", round.float())
            }
            Convert::F2i { dst, src, round, ftz } => {
                write!(f, "F2I{}", flag(ftz, ".FTZ"))?;
                if dst != Int::S32 {
                    write!(f, ".{dst}")?;
                }
                if src != Format::F32 {
                    write!(f, ".{src}")?;
                }
                write!(f, "{}{}", round.integral(), flag(self.nan_to_zero(), ".NTZ"))
            }
            Convert::F2ip { dst, round } => {
                write!(f, "F2IP.{dst}.F32{}{}", round.integral(), flag(self.nan_to_zero(), ".NTZ"))
            }
            Convert::I2f { dst, src, round } => {
                f.write_str("I2F")?;
                if dst != Format::F32 {
                    write!(f, ".{dst}")?;
                }
                if src != Int::S32 {
                    write!(f, ".{src}")?;
                }
                f.write_str(round.float())
            }
            Convert::I2fp { src, round } => write!(f, "I2FP.F32.{src}{}", round.float()),
            Convert::Frnd { format, round, ftz } => {
                write!(f, "FRND{}", flag(ftz, ".FTZ"))?;
                if format != Format::F32 {
                    write!(f, ".{format}")?;
                }
                f.write_str(round.integral())
            }
            Convert::I2i { dst } => write!(f, "I2I.{dst}.S32.SAT"),
            Convert::I2ip { dst } => write!(f, "I2IP.{dst}.S32.SAT"),
        }
    }
}
