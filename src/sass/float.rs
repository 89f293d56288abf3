//! Floating-point literals as nvdisasm prints them.
//!
//! Twenty significant digits without trailing zeros (C's `%.20g`) below 1e9 and twenty decimals with an
//! exponent (`%.20e`) from there on; infinities are `+INF ` and `-INF ` with a blank behind.

use std::fmt;

/// A single-precision literal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct F32Literal(pub f32);

/// A double-precision literal, by its bits in two words: an operand is smaller so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct F64Literal([u32; 2]);

impl F64Literal {
    /// The literal of these 64 bits.
    pub const fn from_bits(bits: u64) -> Self {
        Self([bits as u32, (bits >> 32) as u32])
    }

    /// Its 64 bits.
    pub const fn to_bits(self) -> u64 {
        self.0[0] as u64 | (self.0[1] as u64) << 32
    }
}

impl fmt::Display for F32Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        literal(f, f64::from(self.0))
    }
}

impl fmt::Display for F64Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        literal(f, f64::from_bits(self.to_bits()))
    }
}

fn literal(f: &mut fmt::Formatter<'_>, v: f64) -> fmt::Result {
    if v.is_nan() {
        return f.write_str(if v.is_sign_negative() { "-QNAN " } else { "+QNAN " });
    }
    if v.is_infinite() {
        return f.write_str(if v > 0.0 { "+INF " } else { "-INF " });
    }
    if v == 0.0 {
        return f.write_str(if v.is_sign_negative() { "-0.0 " } else { "0" });
    }
    let (mantissa, exponent) = scientific(v, if v.abs() >= 1e9 { 20 } else { 19 });
    if v.abs() >= 1e9 {
        return exponential(f, &mantissa, exponent);
    }
    if exponent < -4 {
        return exponential(f, trim(&mantissa), exponent);
    }
    let decimals = (19 - exponent).max(0) as usize;
    let fixed = format!("{v:.decimals$}");
    f.write_str(trim(&fixed))
}

/// Mantissa digits and decimal exponent, correctly rounded.
fn scientific(v: f64, decimals: usize) -> (String, i32) {
    let text = format!("{v:.decimals$e}");
    match text.split_once('e') {
        Some((m, e)) => (m.to_owned(), e.parse().unwrap_or(0)),
        None => (text, 0),
    }
}

fn exponential(f: &mut fmt::Formatter<'_>, mantissa: &str, exponent: i32) -> fmt::Result {
    write!(f, "{mantissa}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
}

fn trim(digits: &str) -> &str {
    if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits }
}

#[cfg(test)]
mod tests {
    use super::F32Literal;

    #[test]
    fn literals_are_those_of_nvdisasm() {
        for (bits, text) in [
            (0x4049_0fdbu32, "3.1415927410125732422"),
            (0x0080_0000, "1.175494350822287508e-38"),
            (0x7f7f_0000, "3.38953138925153547590e+38"),
            (0x0000_7f7f, "4.5736980577097704378e-41"),
            (0x3810_0000, "3.4332275390625e-05"),
            (0x380f_ffff, "3.4332271752646192908e-05"),
            (0xe000_0001, "-3.68934925454656143360e+19"),
            (0x3ff0_0000, "1.875"),
            (0x7f80_0000, "+INF "),
            (0x4b80_0000, "16777216"),
            (0x4e6e_6b28, "1.00000000000000000000e+09"),
            (0x0000_0001, "1.4012984643248170709e-45"),
            (0x3f80_0000, "1"),
        ] {
            assert_eq!(F32Literal(f32::from_bits(bits)).to_string(), text);
        }
    }
}
