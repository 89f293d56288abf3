//! Registers of the kernels: their classes, and what the values in them mean.

use std::fmt;

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// An 8-bit integer in a 16-bit register.
    Byte,
    /// A 16-bit integer.
    Short,
    /// A 32-bit integer.
    Word,
    /// A 64-bit integer.
    Long,
    /// An f32.
    Single,
    /// An f64.
    Double,
    /// An f16.
    Half,
    /// A bf16.
    Bfloat,
    /// Two f16.
    Halves,
    /// Two bf16.
    Bfloats,
    /// A predicate.
    Truth,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 11] = [
        Kind::Byte,
        Kind::Short,
        Kind::Word,
        Kind::Long,
        Kind::Single,
        Kind::Double,
        Kind::Half,
        Kind::Bfloat,
        Kind::Halves,
        Kind::Bfloats,
        Kind::Truth,
    ];

    /// The registers that hold it.
    pub fn class(self) -> Class {
        match self {
            Kind::Byte | Kind::Short | Kind::Half | Kind::Bfloat => Class::Rs,
            Kind::Word | Kind::Halves | Kind::Bfloats => Class::R,
            Kind::Long => Class::Rd,
            Kind::Single => Class::F,
            Kind::Double => Class::Fd,
            Kind::Truth => Class::P,
        }
    }
}

/// A register class, named as nvcc names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// `%rs`, 16 bits.
    Rs,
    /// `%r`, 32 bits.
    R,
    /// `%rd`, 64 bits.
    Rd,
    /// `%f`, f32.
    F,
    /// `%fd`, f64.
    Fd,
    /// `%p`.
    P,
}

impl Class {
    /// Every class.
    pub const ALL: [Class; 6] = [Class::Rs, Class::R, Class::Rd, Class::F, Class::Fd, Class::P];

    /// Its prefix and the type that declares it.
    pub fn names(self) -> (&'static str, &'static str) {
        match self {
            Class::Rs => ("%rs", "b16"),
            Class::R => ("%r", "b32"),
            Class::Rd => ("%rd", "b64"),
            Class::F => ("%f", "f32"),
            Class::Fd => ("%fd", "f64"),
            Class::P => ("%p", "pred"),
        }
    }
}

/// A register.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reg(pub Class, pub u32);

impl fmt::Display for Reg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.0.names().0, self.1)
    }
}

/// The registers that a piece of text names, with the place of each.
pub fn named(text: &str) -> Vec<(std::ops::Range<usize>, Reg)> {
    let mut found = Vec::new();
    for (start, _) in text.match_indices('%') {
        let rest = &text[start + 1..];
        let letters = rest.bytes().take_while(u8::is_ascii_lowercase).count();
        let digits = rest[letters..].bytes().take_while(u8::is_ascii_digit).count();
        let class = Class::ALL.into_iter().find(|c| c.names().0[1..] == rest[..letters]);
        if let (Some(class), Ok(number)) = (class, rest[letters..letters + digits].parse()) {
            found.push((start..start + 1 + letters + digits, Reg(class, number)));
        }
    }
    found
}
