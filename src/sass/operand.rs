//! Operands of SASS instructions.

use std::fmt;

use super::float::{F32Literal, F64Literal};

/// A general register, R0 to R254, or RZ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reg(pub u8);

impl Reg {
    /// The register that reads as zero.
    pub const RZ: Reg = Reg(255);

    /// The upper register of a 64-bit pair.
    pub const fn high(self) -> Reg {
        if self.0 >= 254 { self } else { Reg(self.0 + 1) }
    }
}

impl fmt::Display for Reg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Reg::RZ { f.write_str("RZ") } else { write!(f, "R{}", self.0) }
    }
}

/// A predicate register: P0 to P6 and PT, or UP0 to UP6 and UPT of the uniform datapath, which are eight further on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Pred(pub u8);

impl Pred {
    /// The predicate that is true.
    pub const PT: Pred = Pred(7);

    /// The predicate of the uniform datapath with the same number.
    pub const fn uniform(self) -> Pred {
        Pred(self.0 | 8)
    }
}

impl fmt::Display for Pred {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == self.uniform() {
            f.write_str("U")?;
        }
        match self.0 & 7 {
            7 => f.write_str("PT"),
            number => write!(f, "P{number}"),
        }
    }
}

/// Which part of a register an operand reads; the suffix that nvdisasm prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Selector {
    /// The whole register: no suffix.
    #[default]
    Whole,
    /// `.H0_H0`: the low half for both lanes.
    H0H0,
    /// `.H1_H1`: the high half for both lanes.
    H1H1,
    /// `.H0`: the low half.
    H0,
    /// `.H1`: the high half.
    H1,
    /// `.B1`, `.B2`, `.B3`: one byte.
    Byte(u8),
    /// `.F32`: a single-precision value in a half instruction (sm_75).
    F32,
    /// `.24`, `.28`: the bit from which `I2IP` takes its addend.
    Bits(u8),
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Selector::Whole => Ok(()),
            Selector::H0H0 => f.write_str(".H0_H0"),
            Selector::H1H1 => f.write_str(".H1_H1"),
            Selector::H0 => f.write_str(".H0"),
            Selector::H1 => f.write_str(".H1"),
            Selector::Byte(n) => write!(f, ".B{n}"),
            Selector::F32 => f.write_str(".F32"),
            Selector::Bits(n) => write!(f, ".{n}"),
        }
    }
}

/// An operand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Operand {
    /// A general register with its source modifiers: `-R2`, `|R2|`, `R2.H1_H1`.
    Reg {
        /// The register (the lower one of a pair).
        reg: Reg,
        /// `-`
        neg: bool,
        /// `|…|`
        abs: bool,
        /// Part of the register.
        sel: Selector,
    },
    /// A place in a constant bank: `c[0x0][0x160]`.
    Const {
        /// Bank number.
        bank: u8,
        /// Offset in bytes.
        offset: u32,
        /// Part of the place.
        sel: Selector,
        /// nvdisasm sets a blank between the brackets where the operand is 16 bits wide.
        half: bool,
        /// `-`
        neg: bool,
        /// `|…|`, around the selector too.
        abs: bool,
    },
    /// A uniform register with its source modifiers.
    Uniform {
        /// Its number.
        number: u8,
        /// `-`
        neg: bool,
        /// `|…|`
        abs: bool,
        /// Part of the register.
        sel: Selector,
    },
    /// Bits, printed in hexadecimal.
    Bits(u32),
    /// A small number printed as it is: the immediate pair of HFMA2.
    Bare(u32),
    /// A signed integer, printed with its sign in hexadecimal: `-0x80`.
    Signed(i32),
    /// A single-precision literal with a selector (`4.57e-41.H0`).
    F32(f32, Selector),
    /// A double-precision literal.
    F64(F64Literal),
    /// A predicate, `P0` or `!P0`.
    Pred(Pred, bool),
}

impl Operand {
    /// The number of the uniform register that is zero.
    pub const URZ: u8 = 255;

    /// A plain register.
    pub const fn reg(reg: Reg) -> Self {
        Operand::Reg { reg, neg: false, abs: false, sel: Selector::Whole }
    }

    /// A part of a register.
    pub const fn part(reg: Reg, sel: Selector) -> Self {
        Operand::Reg { reg, neg: false, abs: false, sel }
    }

    /// A place in a constant bank, at an offset in bytes.
    pub const fn constant(bank: u8, offset: u32) -> Self {
        Operand::Const { bank, offset, sel: Selector::Whole, half: false, neg: false, abs: false }
    }

    /// A place of 16 bits in a constant bank.
    pub const fn half_constant(bank: u8, offset: u32) -> Self {
        Operand::Const { bank, offset, sel: Selector::Whole, half: true, neg: false, abs: false }
    }

    /// A plain uniform register.
    pub const fn uniform(number: u8) -> Self {
        Operand::Uniform { number, neg: false, abs: false, sel: Selector::Whole }
    }

    /// RZ.
    pub const RZ: Operand = Operand::reg(Reg::RZ);

    /// `-RZ`
    pub const NEG_RZ: Operand = Operand::Reg { reg: Reg::RZ, neg: true, abs: false, sel: Selector::Whole };

    /// PT.
    pub const PT: Operand = Operand::Pred(Pred::PT, false);

    /// `!PT`
    pub const NOT_PT: Operand = Operand::Pred(Pred::PT, true);

    /// A register or place read through another selector.
    pub const fn select(self, sel: Selector) -> Self {
        match self {
            Operand::Reg { reg, neg, abs, .. } => Operand::Reg { reg, neg, abs, sel },
            Operand::Const { bank, offset, half, neg, abs, .. } => Operand::Const { bank, offset, sel, half, neg, abs },
            Operand::Uniform { number, neg, abs, .. } => Operand::Uniform { number, neg, abs, sel },
            Operand::F32(v, _) => Operand::F32(v, sel),
            other => other,
        }
    }

    /// Whether it has a sign or absolute-value modifier.
    pub const fn modified(self) -> bool {
        let (neg, abs) = self.signs();
        neg || abs
    }

    /// Its sign and absolute-value modifiers.
    pub const fn signs(self) -> (bool, bool) {
        match self {
            Operand::Reg { neg, abs, .. } | Operand::Const { neg, abs, .. } | Operand::Uniform { neg, abs, .. } => {
                (neg, abs)
            }
            _ => (false, false),
        }
    }

    /// A register or place with other sign and absolute-value modifiers.
    pub const fn with_signs(self, (neg, abs): (bool, bool)) -> Self {
        match self {
            Operand::Reg { reg, sel, .. } => Operand::Reg { reg, neg, abs, sel },
            Operand::Const { bank, offset, sel, half, .. } => Operand::Const { bank, offset, sel, half, neg, abs },
            Operand::Uniform { number, sel, .. } => Operand::Uniform { number, neg, abs, sel },
            other => other,
        }
    }

    /// `|a|` of a register.
    pub const fn absolute(self) -> Self {
        match self {
            Operand::Reg { reg, sel, .. } => Operand::Reg { reg, neg: false, abs: true, sel },
            other => other,
        }
    }

    /// The upper word of a pair of registers or in a bank; other operands as they are.
    pub const fn high(self) -> Self {
        match self {
            Operand::Reg { reg, neg, abs, sel } => Operand::Reg { reg: reg.high(), neg, abs, sel },
            Operand::Const { bank, offset, sel, half, neg, abs } => {
                Operand::Const { bank, offset: offset + 4, sel, half, neg, abs }
            }
            Operand::Uniform { number, neg, abs, sel } if number < Operand::URZ => {
                Operand::Uniform { number: number + 1, neg, abs, sel }
            }
            other => other,
        }
    }
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (neg, abs) = self.signs();
        if neg {
            f.write_str("-")?;
        }
        let bar = if abs { "|" } else { "" };
        match *self {
            Operand::Reg { reg, sel, .. } => write!(f, "{bar}{reg}{bar}{sel}"),
            Operand::Const { bank, offset, sel, half, .. } => {
                let blank = if half { " " } else { "" };
                write!(f, "{bar}c[{bank:#x}]{blank}[{offset:#x}]{sel}{bar}")
            }
            Operand::Uniform { number: Operand::URZ, sel, .. } => write!(f, "{bar}URZ{bar}{sel}"),
            Operand::Uniform { number, sel, .. } => write!(f, "{bar}UR{number}{bar}{sel}"),
            Operand::Bits(v) => write!(f, "{v:#x}"),
            Operand::Bare(v) => write!(f, "{v}"),
            Operand::Signed(v) => {
                if v < 0 {
                    write!(f, "-{:#x}", v.unsigned_abs())
                } else {
                    write!(f, "{v:#x}")
                }
            }
            Operand::F32(v, sel) => write!(f, "{}{sel}", F32Literal(v)),
            Operand::F64(v) => write!(f, "{v}"),
            Operand::Pred(p, not) => write!(f, "{}{p}", if not { "!" } else { "" }),
        }
    }
}
