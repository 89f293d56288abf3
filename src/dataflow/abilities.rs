//! What of an architecture matters to what becomes of values.

/// What the instructions of an architecture can do, as far as the surroundings of conversions depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Abilities {
    /// A sum of 64 bits takes the sign of a word.
    pub sum_takes_sign: bool,
    /// A minimum or maximum takes a sum.
    pub limit_takes_sum: bool,
    /// There are minimum and maximum of halves; where there are none it is done in words, which the halves are extended to.
    pub limits_halves: bool,
    /// Arithmetic of halves writes an f32 where that alone is wanted.
    pub halves_to_single: bool,
    /// Two conversions to half go into one instruction.
    pub packs_halves: bool,
    /// Parameters are loaded into registers; no instruction reads them where they are.
    pub loads_parameters: bool,
    /// Floats are computed and converted in uniform registers too.
    pub uniform_floats: bool,
}
