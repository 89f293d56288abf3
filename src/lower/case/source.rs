//! What a conversion reads, and where that comes from.

use crate::dataflow::{Known, Load};
use crate::ptx::RegId;
use crate::sass::{Operand, Reg, Round};

/// Where a source value comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Origin {
    /// Not known: several definitions, none, or something of no concern.
    Unknown,
    /// Straight from memory.
    Load,
    /// A kernel parameter at this byte offset, or a constant of the module, which has none here.
    Param {
        /// Offset within the parameters.
        offset: Option<u32>,
        /// The width that was loaded, in bits.
        bits: u32,
    },
    /// A constant: its bits.
    Constant(u64),
    /// A rounding to an integral value of the same format.
    Rounded {
        /// Its round mode.
        round: Round,
        /// Its `.ftz`.
        ftz: bool,
        /// What it rounds.
        of: Operand,
    },
    /// A float operation that can saturate its own result: `mul`, `add`, `fma`.
    Saturable,
    /// One half or byte of a wider register: `mov.b32 {a, b}, r`.
    Part {
        /// The wider register.
        of: RegId,
        /// Which element.
        element: u16,
        /// How many elements.
        count: u16,
    },
    /// The low part of a value shifted right.
    Shifted {
        /// By so many bits.
        by: u32,
    },
    /// A value masked by a constant.
    Masked {
        /// The value before.
        of: Operand,
        /// The constant.
        mask: u64,
    },
    /// Another conversion's result.
    Converted,
    /// The absolute value of a word, which only conversions read: the first of them takes it.
    Absolute {
        /// The word.
        of: Operand,
        /// This is the first one.
        first: bool,
    },
    /// A product of integers, or where pairs are added at once a sum, whose words are written at once where they are two.
    AtOnce,
    /// Computed by some arithmetic.
    Computed,
}

impl Origin {
    /// Whether it is a parameter, or a constant of the module that is read as one.
    pub fn is_parameter(self) -> bool {
        matches!(self, Origin::Param { .. })
    }
}

/// A source value.
#[derive(Debug, Clone, Copy)]
pub struct Source {
    /// The operand, negations and absolute values taken in.
    pub operand: Operand,
    /// The register itself.
    pub plain: Operand,
    /// What is known of its bits.
    pub known: Known,
    /// Where it comes from.
    pub origin: Origin,
    /// Width of its register in bits; 32 where nothing declares it.
    pub bits: u32,
    /// The statement that wrote it has no other reader.
    pub only_reader: bool,
    /// No reader stands before this one.
    pub first_reader: bool,
    /// How a parameter of 32 or 64 bits is loaded, where that is known.
    pub load: Option<Load>,
    /// It is made in a uniform register.
    pub uniform: bool,
    /// It is a byte that was extended to a half and is read by others too.
    pub shared_byte: bool,
    /// It is the upper half of its register.
    pub high: bool,
    /// The byte was cut to a 16-bit register on the way.
    pub cut: bool,
    /// It is a byte of a register that a vector load filled.
    pub byte: Option<u16>,
    /// A conversion took that byte out of the register with its sign.
    pub taken: bool,
    /// A flushing that its F2I readers do themselves made it.
    pub flushed: bool,
    /// What made it clamped it to [0, 1] already.
    pub clamped: bool,
    /// What made the value makes nothing negative.
    pub positive: bool,
    /// It is a product that nothing else reads, which can flush.
    pub product: bool,
    /// The factors of a flushing product that nothing else reads.
    pub factors: Option<[Operand; 2]>,
    /// It is written twice, the second time under a predicate, which a choice becomes.
    pub chosen: bool,
    /// The statement before the conversion that has extended it to a word already, as the conversion does.
    pub extended_before: Option<u32>,
    /// It is loaded from the constant bank.
    pub bank: bool,
    /// Where it stands in the bank of the module's constants, in bytes.
    pub constant: Option<u32>,
    /// It is a word whose bytes a `prmt` puts together, or the low part of one.
    pub permuted: Option<Permutation>,
    /// It was taken out of a word.
    pub field: Option<Field>,
}

impl Source {
    /// It is one of the halves that a vector load filled a word with.
    pub fn half_of_vector(&self) -> bool {
        self.origin == Origin::Load && self.known == Known::NOTHING && self.bits == 16
    }
}

/// Bits of a word that a shift or `bfe` brought down, on a border where the conversion unit can read them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// Its width in bits.
    pub bits: u32,
    /// It is sign-extended.
    pub signed: bool,
    /// Its first bit in the word.
    pub from: u32,
    /// A shift brought it down.
    pub shifted: bool,
    /// The shifted word that it was masked from is needed for something else.
    pub shared: bool,
    /// The word, where it was unpacked from one.
    pub word: Option<Reg>,
}

/// Bytes that a `prmt` puts together of two words; a word that is zero is RZ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Permutation {
    /// The words; bytes 0 to 3 are those of the first one, 4 to 7 those of the second one.
    pub words: [Operand; 2],
    /// Which byte each byte of the result is, from the lowest one up, with a fourth bit for a byte's sign.
    pub selector: u16,
}

impl Permutation {
    /// The permutation that takes no more than so many of the low bytes, with zeros above: of one word and RZ. There is
    /// none where the bytes are of two words.
    pub fn low(self, bytes: u32) -> Option<Permutation> {
        let [a, b] = self.words;
        let taken = |n: u32| self.selector >> (4 * n) & 7;
        let kept = self.selector & ((1 << (4 * bytes)) - 1);
        if b == Operand::RZ || (0..bytes).all(|n| taken(n) < 4) {
            return Some(Permutation { words: [a, Operand::RZ], selector: kept | 0x7777 & !((1 << (4 * bytes)) - 1) });
        }
        (a == Operand::RZ || (0..bytes).all(|n| taken(n) >= 4))
            .then_some(Permutation { words: [Operand::RZ, b], selector: kept })
    }
}
