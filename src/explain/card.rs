//! The card: seven rules of thumb that the lowering rules are numbered by.

/// One rule of the card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Card {
    /// Its number.
    pub number: u8,
    /// What it is about.
    pub title: &'static str,
    /// What it says.
    pub text: &'static str,
}

/// The seven rules.
pub const CARD: &[Card] = &[
    Card {
        number: 1,
        title: "The direction of the type pair chooses the operation",
        text: "Float to float of another width is F2F or, to 16 bits and less, F2FP; float to integer is F2I; integer \
               to float is I2F, or I2FP for words; integer to integer is no operation at all unless it saturates. \
               The opcode is followed by destination and source format, of which the natural 32-bit one is left out.",
    },
    Card {
        number: 2,
        title: "Rounding to a float is a suffix",
        text: ".rn is silent; .rz, .rm and .rp are printed as RZ, RM and RP. An exact widening has no rounding.",
    },
    Card {
        number: 3,
        title: "Rounding to an integer is a suffix",
        text: ".rni is silent; .rzi, .rmi and .rpi are printed as TRUNC, FLOOR and CEIL. NTZ stands on the forms \
               without a 64-bit format. Sign and width of the destination are a suffix, s32 is silent.",
    },
    Card {
        number: 4,
        title: "Flushing and saturation are modifiers, or additions of zero",
        text: ".ftz is a bit of the operation where it has one, else a product or sum that flushes. .sat costs nothing \
               in F2I, which clamps in any case; to a float it is a clamping addition of zero.",
    },
    Card {
        number: 5,
        title: "Narrow and packed floats go to the half unit",
        text: "f16, bf16, tf32, fp8, fp6, fp4, ue8m0 and s2f6 are packed and unpacked by F2FP; f16 is widened by the \
               half ALU, bf16 by a shift. f64 and directed rounding stay on the slower conversion unit, F2F.",
    },
    Card {
        number: 6,
        title: "Integer to integer folds into what is around it",
        text: "Loads extend, stores cut, arithmetic reads the low word: a conversion between integers is nothing where \
               its neighbours do the work, else a mask, a permute or a shift. Saturation needs I2I or comparisons.",
    },
    Card {
        number: 7,
        title: "Rounding in place is FRND",
        text: "The same float type on both sides with an integer rounding is FRND, with the integer spelling of the mode.",
    },
];
