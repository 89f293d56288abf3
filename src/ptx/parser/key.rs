//! Hashes of names, made for names of a few bytes.

use std::hash::Hasher;

use rustc_hash::FxHasher;

/// Names up to this length are their own key.
pub const EXACT: usize = 7;

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

/// A name of up to seven bytes, read at once with what follows it.
#[derive(Debug, Clone, Copy)]
pub struct Short {
    /// Its length; 0 where there is no name or a longer one.
    pub length: u32,
    /// Length of what stands before its last digits.
    pub prefix: u32,
    /// The number that its last digits make; of use where there are any.
    pub number: u32,
    /// Whether these are digits without a needless zero before them.
    pub numbered: bool,
    /// The bytes.
    word: u64,
}

/// Each byte of a word.
const fn each(byte: u8) -> u64 {
    0x0101_0101_0101_0101 * byte as u64
}

impl Short {
    /// The name at the start of eight bytes, of letters, digits, `_`, `$` and a leading `%`. All of them are looked at
    /// together: of each byte the highest bit says what it is.
    #[inline]
    pub fn of(bytes: &[u8; 8]) -> Short {
        let word = u64::from_le_bytes(*bytes);
        let high = each(0x80);
        // without the highest bits no sum carries over to the next byte
        let low = word & !high;
        let between = |x: u64, from: u8, to: u8| (x + each(0x80 - from)) & !(x + each(0x7f - to));
        let is = |byte: u8| !((low ^ each(byte)) + each(0x7f));
        let digits = between(low, b'0', b'9') & !word & high;
        let letters = between(low | each(0x20), b'a', b'z');
        let percent = 0x80 & is(b'%');
        let name = (digits | (letters | is(b'_') | is(b'$')) & !word & high) | percent & !word;
        let length = (!name & high).trailing_zeros() / 8;
        if length == 0 || length > EXACT as u32 {
            return Short { length: 0, prefix: 0, number: 0, numbered: false, word };
        }
        let others = !digits & high & ((1 << (length * 8)) - 1);
        let prefix = (64 - others.leading_zeros()) / 8;
        let count = length - prefix;
        // the digits at the top, zeros below; then pairs, fours and eights of them together
        let top = (word << (64 - length * 8)) & each(0x0f) & (u64::MAX << (64 - count * 8).min(63));
        let pairs = (top.wrapping_mul(10) + (top >> 8)) & 0x00ff_00ff_00ff_00ff;
        let fours = (pairs.wrapping_mul(100) + (pairs >> 16)) & 0x0000_ffff_0000_ffff;
        let number = (fours.wrapping_mul(10_000) + (fours >> 32)) as u32;
        let zero = word >> (prefix * 8) & 0xff == u64::from(b'0');
        Short { length, prefix, number, numbered: count == 1 || count > 1 && !zero, word }
    }

    /// The key of what stands before the digits, with kind 1.
    #[inline]
    pub fn prefix_key(self) -> u64 {
        self.word & ((1 << (self.prefix * 8)) - 1) | u64::from(self.prefix) << 56 | 1 << 60
    }
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

    #[test]
    fn short_names_are_taken_apart() {
        let short = |text: &str| Short::of(format!("{text:;<8}").as_bytes().first_chunk().expect("eight bytes"));
        for name in ["%r12", "%p1", "a", "%r0", "$x_9", "_123456", "%rd100", "7", "Z9z"] {
            let s = short(name);
            let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
            assert_eq!(s.length as usize, name.len(), "{name}");
            assert_eq!(s.prefix as usize, name.len() - digits, "{name}");
            assert_eq!(s.numbered, digits > 0, "{name}");
            assert_eq!(s.prefix_key(), key(&name.as_bytes()[..name.len() - digits], 1), "{name}");
            if digits > 0 {
                assert_eq!(name[name.len() - digits..].parse(), Ok(s.number), "{name}");
            }
        }
        assert!(!short("%r01").numbered);
        assert_eq!(short("abcdefgh").length, 0);
        for byte in 0..=u8::MAX {
            let inside = byte.is_ascii_alphanumeric() || b"_$".contains(&byte);
            let at = |place: usize| {
                let mut text = *b"abcdefg;";
                text[place] = byte;
                Short::of(&text).length as usize
            };
            assert_eq!(at(3), if inside { 7 } else { 3 }, "{byte}");
            assert_eq!(at(0), if inside || byte == b'%' { 7 } else { 0 }, "{byte}");
        }
    }
}
