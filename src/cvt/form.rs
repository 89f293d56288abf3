//! The form of a conversion: what its opcode says, decoded.

use crate::ptx::Type;

/// A rounding modifier. PTX ISA, "Rounding Modifiers".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// `.rn`: to nearest even.
    Rn,
    /// `.rz`: towards zero.
    Rz,
    /// `.rm`: towards negative infinity.
    Rm,
    /// `.rp`: towards positive infinity.
    Rp,
    /// `.rni`: to an integral value, nearest even.
    Rni,
    /// `.rzi`: to an integral value, towards zero.
    Rzi,
    /// `.rmi`: to an integral value, towards negative infinity.
    Rmi,
    /// `.rpi`: to an integral value, towards positive infinity.
    Rpi,
    /// `.rna`: to nearest, ties away from zero.
    Rna,
    /// `.rs`: stochastic, by random bits.
    Rs,
}

/// A `cvt` or `cvt.pack` whose opcode was understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Form {
    /// `cvt.pack`
    pub pack: bool,
    /// The rounding modifier.
    pub rounding: Option<Rounding>,
    /// `.ftz`
    pub ftz: bool,
    /// `.sat`
    pub sat: bool,
    /// `.relu`
    pub relu: bool,
    /// `.satfinite`
    pub satfinite: bool,
    /// `.scaled::n2::ue8m0`
    pub scaled: bool,
    /// Destination type.
    pub dst: Type,
    /// Source type.
    pub src: Type,
}
