//! Hashes of names, made for names of a few bytes.

use std::hash::Hasher;

use rustc_hash::FxHasher;

/// Names up to this length are their own key.
const EXACT: usize = 7;

/// A 64-bit key of a name: different for different names of up to seven bytes, a hash for longer ones.
///
/// `kind` (0 or 1) tells apart keys of one name.
#[inline]
pub fn key(name: &[u8], kind: u8) -> u64 {
    let (bits, length) = match name.len() {
        0..=EXACT => (pack(name), name.len() as u64),
        _ => {
            let mut hasher = FxHasher::default();
            hasher.write(name);
            (hasher.finish() >> 8, 15)
        }
    };
    bits | length << 56 | u64::from(kind) << 60
}

/// Whether names with this key may still differ.
#[inline]
pub fn is_hash(key: u64) -> bool {
    key >> 56 & 15 == 15
}

/// Spreads a key over the high bits, which make the better index.
#[inline]
pub fn spread(key: u64) -> u64 {
    key.wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// A few bits of an opcode; those of one file seldom collide.
#[inline]
pub fn opcode_slot(text: &[u8]) -> u64 {
    let bits = match (text.first_chunk::<8>(), text.last_chunk::<8>()) {
        (Some(first), Some(last)) => u64::from_le_bytes(*first) ^ spread(u64::from_le_bytes(*last)),
        _ => pack(text),
    };
    spread(bits ^ text.len() as u64)
}

/// Up to seven bytes as a number.
#[inline]
fn pack(name: &[u8]) -> u64 {
    match (name.first_chunk::<4>(), name.last_chunk::<4>()) {
        (Some(first), Some(last)) => {
            let shift = (name.len() - 4) * 8;
            u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << (shift & 63)
        }
        _ => name.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_names_have_keys_of_their_own() {
        let names: [&[u8]; 9] = [b"", b"a", b"aa", b"aaa", b"aaaa", b"aaaaa", b"aaaaaaa", b"aaaaaab", b"baaaaaa"];
        for (at, name) in names.iter().enumerate() {
            assert!(!is_hash(key(name, 1)));
            assert_ne!(key(name, 0), key(name, 1));
            for other in &names[at + 1..] {
                assert_ne!(key(name, 0), key(other, 0));
            }
        }
        assert!(is_hash(key(b"aaaaaaaa", 0)));
    }
}
