//! Conversions of constants, as far as ptxas computes them itself.
//!
//! It folds what is exact or rounds to nearest; of float to integer also truncation, to u16 and to 32 and 64 bits. A
//! NaN is never folded.

use crate::bits;
use crate::cvt::{Form, Rounding};
use crate::ptx::Type;

/// The result's bits, of a source of these bits, where ptxas computes them.
pub fn fold(form: &Form, bits: u64) -> Option<u64> {
    if form.pack || !folds(form) {
        return None;
    }
    if form.src.is_int() {
        let v = integer(bits, form.src);
        if form.dst == Type::F16 && v != 0 {
            return None;
        }
        return Some(if form.dst.is_int() {
            let v = if form.sat { v.clamp(limits(form.dst).0, limits(form.dst).1) } else { v };
            bits::truncate(v as u64, form.dst.bits())
        } else {
            // Words fit a double exactly, so that one rounding is left.
            encode(finish(v as f64, form), form.dst)
        });
    }
    let v = decode(bits, form.src);
    if v.is_nan() {
        return None;
    }
    let v = if form.ftz && form.src == Type::F32 { flush(v) } else { v };
    if form.dst.is_int() {
        let (low, high) = limits(form.dst);
        return Some(bits::truncate((rounded(v, form.rounding) as i128).clamp(low, high) as u64, form.dst.bits()));
    }
    if form.dst == Type::Tf32 {
        return Some(tf32(bits as u32, form.satfinite).into());
    }
    let v = if form.dst == form.src { rounded(v, form.rounding) } else { v };
    Some(encode(finish(v, form), form.dst))
}

/// Whether ptxas computes conversions of that form.
pub fn folds(f: &Form) -> bool {
    let nearest = matches!(f.rounding, Some(Rounding::Rn));
    match (f.src.is_int(), f.dst.is_int()) {
        (true, true) => true,
        // Of halves only zero is computed.
        (true, false) => f.src.bits() <= 32 && (f.dst == Type::F16 || f.dst == Type::F32 && nearest),
        (false, true) => {
            matches!(f.rounding, Some(Rounding::Rni | Rounding::Rzi)) && (f.dst.bits() >= 32 || f.dst == Type::U16)
        }
        (false, false) => match (f.dst, f.src) {
            (Type::F32, Type::F32) | (Type::F64, Type::F64) => true,
            (Type::F32, Type::F16 | Type::Bf16) | (Type::F64, Type::F16 | Type::F32) => true,
            (Type::F16 | Type::Bf16, Type::F32 | Type::F64) | (Type::F32, Type::F64) => {
                nearest && !f.relu && !f.satfinite
            }
            (Type::Tf32, Type::F32) => f.rounding == Some(Rounding::Rna),
            _ => false,
        },
    }
}

/// Saturation and flushing of a float result.
fn finish(v: f64, form: &Form) -> f64 {
    let v = if form.sat { v.clamp(0.0, 1.0) } else { v };
    if form.ftz && form.dst == Type::F32 { flush(v) } else { v }
}

/// Subnormals of single precision become a zero of their sign.
fn flush(v: f64) -> f64 {
    if v.abs() < f64::from(f32::MIN_POSITIVE) { 0.0_f64.copysign(v) } else { v }
}

fn rounded(v: f64, rounding: Option<Rounding>) -> f64 {
    match rounding {
        Some(Rounding::Rni) => v.round_ties_even(),
        Some(Rounding::Rzi) => v.trunc(),
        Some(Rounding::Rmi) => v.floor(),
        Some(Rounding::Rpi) => v.ceil(),
        _ => v,
    }
}

fn integer(bits: u64, ty: Type) -> i128 {
    let v = bits::truncate(bits, ty.bits());
    if ty.is_signed() { i128::from(bits::sign_extend(v, ty.bits()) as i64) } else { i128::from(v) }
}

fn limits(ty: Type) -> (i128, i128) {
    let bits = ty.bits();
    if ty.is_signed() { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
}

/// The value of a float's bits.
fn decode(bits: u64, ty: Type) -> f64 {
    match ty {
        Type::F16 => from_half(bits as u16),
        Type::Bf16 => f64::from(f32::from_bits((bits as u32) << 16)),
        Type::F32 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits),
    }
}

/// The bits of a value, rounded to nearest even.
fn encode(v: f64, ty: Type) -> u64 {
    match ty {
        Type::F16 => narrow(v, 10, 15).into(),
        Type::Bf16 => narrow(v, 7, 127).into(),
        Type::F32 => u64::from((v as f32).to_bits()),
        _ => v.to_bits(),
    }
}

/// The value of an f16.
pub fn from_half(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, mantissa) = (i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff));
    sign * match exponent {
        0 => mantissa * 2f64.powi(-24),
        31 if mantissa == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        e => (1.0 + mantissa / 1024.0) * 2f64.powi(e - 15),
    }
}

/// A 16-bit float of so many mantissa bits and that bias, rounded to nearest even.
fn narrow(v: f64, mantissa: u32, bias: i32) -> u16 {
    let sign = u16::from(v.is_sign_negative()) << 15;
    let top = ((1 << (15 - mantissa)) - 1) << mantissa;
    let a = v.abs();
    if a == 0.0 {
        return sign;
    }
    // In units of the last place of the binade, or of the subnormals.
    let exponent = ((a.to_bits() >> 52) as i32 - 1023).max(1 - bias);
    let units = (a / 2f64.powi(exponent - mantissa as i32)).round_ties_even();
    let biased = (exponent + bias - 1) as f64 * f64::from(1 << mantissa) + units;
    sign | if biased >= f64::from(top) { top as u16 } else { biased as u16 }
}

/// The emulation of `.rna` to tf32, bit for bit.
fn tf32(bits: u32, satfinite: bool) -> u32 {
    let finite = bits & 0x7fff_ffff < 0x7f80_0000;
    let v = if finite { bits.wrapping_add(0x1000) } else { bits } & 0xffff_e000;
    if satfinite && v & 0x7fff_ffff == 0x7f80_0000 { v - 0x2000 } else { v }
}

/// A float's bits with its sign changed or taken away.
pub fn with_signs(bits: u64, ty: Type, neg: bool, abs: bool) -> u64 {
    let sign = 1_u64 << (ty.bits().max(1) - 1);
    let bits = if abs { bits & !sign } else { bits };
    if neg { bits ^ sign } else { bits }
}

#[cfg(test)]
mod tests {
    use super::{from_half, narrow};

    #[test]
    fn halves_round_to_nearest_even() {
        for (v, bits) in
            [(1.0, 0x3c00), (3.14159274, 0x4248), (65504.0, 0x7bff), (65520.0, 0x7c00), (5.96e-8, 1), (-1.5, 0xbe00)]
        {
            assert_eq!(narrow(v, 10, 15), bits, "{v}");
        }
        for (v, bits) in [(1.0, 0x3f80), (3.14159274, 0x4049), (1.00390625, 0x3f80), (1.01171875, 0x3f82)] {
            assert_eq!(narrow(v, 7, 127), bits, "{v}");
        }
        for bits in [0u16, 1, 0x3ff, 0x400, 0x3c00, 0x7bff, 0x8001, 0xfbff] {
            assert_eq!(narrow(from_half(bits), 10, 15), bits);
        }
    }
}
