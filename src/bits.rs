//! Words of so many bits.

/// The low bits of a value.
pub fn truncate(v: u64, bits: u32) -> u64 {
    if bits >= 64 { v } else { v & ((1 << bits) - 1) }
}

/// A value sign-extended from so many bits.
pub fn sign_extend(v: u64, bits: u32) -> u64 {
    if bits == 0 || bits >= 64 { v } else { (((v << (64 - bits)) as i64) >> (64 - bits)) as u64 }
}
