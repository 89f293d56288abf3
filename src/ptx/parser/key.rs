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

/// Each byte of a word.
const fn each(byte: u8) -> u64 {
    0x0101_0101_0101_0101 * byte as u64
}

/// Of each byte of a word its highest bit where `word` has a byte up to a blank there.
#[inline(always)]
pub fn blanks(word: u64) -> u64 {
    let low = word & !each(0x80);
    !((low + each(0x7f - b' ')) | word) & each(0x80)
}

/// Of each byte of a word its highest bit where a byte stands that may end an operand: `,` `;` `]` `}` `+`, and `(` `)`
/// `*` `-`, which are part of no name either.
#[inline(always)]
pub fn ends(word: u64) -> u64 {
    let low = word & !each(0x80);
    let listed = (low + each(0x80 - b'(')) & !(low + each(0x7f - b'-'));
    let semicolon = !((low ^ each(b';')) + each(0x7f));
    let closing = !(((low | each(0x20)) ^ each(b'}')) + each(0x7f));
    (listed | semicolon | closing) & !word & each(0x80)
}

/// Of each byte of a word its highest bit where no decimal digit stands.
#[inline(always)]
fn others(word: u64) -> u64 {
    let low = word & !each(0x80);
    (((low ^ each(b'0')) + each(0x7f - 9)) | word) & each(0x80)
}

/// The eight bytes at a place.
#[inline(always)]
pub fn word(text: &[u8], at: usize) -> Option<u64> {
    let bytes = text.get(at..at + 8)?;
    Some(u64::from_le_bytes(bytes.try_into().ok()?))
}

/// The number whose digits are the last so many bits of a word, at most eight digits.
#[inline(always)]
fn number(word: u64, bits: u32) -> u32 {
    let single = word & u64::MAX << (64 - bits) & each(0x0f);
    let pairs = (single.wrapping_mul(10) + (single >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs.wrapping_mul(100) + (pairs >> 16)) & 0x0000_ffff_0000_ffff;
    (fours.wrapping_mul(10_000) + (fours >> 32)) as u32
}

/// Number of blanks and tabs at the start of a word; eight where there is nothing else.
#[inline(always)]
pub fn blank_run(word: u64) -> u32 {
    let low = word & !each(0x80);
    let other = |byte: u8| (low ^ each(byte)) + each(0x7f);
    ((other(b' ') & other(b'\t') | word) & each(0x80)).trailing_zeros() / 8
}

/// A name that ends in a number, such as `%rd12`, read at once.
#[derive(Debug, Clone, Copy)]
pub struct Numbered {
    /// Its length.
    pub length: u32,
    /// The number.
    pub number: u32,
    /// What stands before the number.
    pub prefix: Prefix,
    /// The byte behind it, which may go on with the name; where the name fills the word, its first byte.
    pub next: u8,
}

/// The bytes of a name of up to six bytes, none of which is a NUL, at the top of a word.
pub type Prefix = u64;

/// A name as a [`Prefix`], if it is short enough.
pub fn prefix(name: &[u8]) -> Option<Prefix> {
    (1..=6).contains(&name.len()).then(|| pack(name) << (64 - 8 * name.len()))
}

impl Numbered {
    /// The bytes up to the end of the first number at the start of a word, if the number has no needless zero. What stands
    /// before the number, at whose start is no NUL, has to be known from elsewhere.
    #[inline(always)]
    pub fn of(word: u64) -> Option<Numbered> {
        let others = others(word);
        let prefix = (others ^ each(0x80)).trailing_zeros() & !7;
        if prefix.wrapping_sub(8) > 40 {
            return None;
        }
        let bits = (others & u64::MAX << prefix).trailing_zeros() & !7;
        if (word >> prefix) as u8 == b'0' && bits - prefix > 8 {
            return None;
        }
        let number = number(word << (64 - bits), bits - prefix);
        Some(Numbered { length: bits / 8, number, prefix: word << (64 - prefix), next: (word >> (bits & 63)) as u8 })
    }
}

/// The number of decimal digits at the start of a word and the byte behind them, if they are one number of at most
/// seven digits.
#[inline(always)]
pub fn decimal(word: u64) -> Option<(u32, u8)> {
    let bits = others(word).trailing_zeros() & !7;
    let number = bits.wrapping_sub(8) <= 48 && (bits == 8 || word & 0xff != u64::from(b'0'));
    number.then(|| (bits / 8, (word >> bits) as u8))
}

/// The bytes of a word before the first of those that are marked, and their number.
#[inline(always)]
fn before(word: u64, marked: u64) -> (u64, u32) {
    let bits = marked.trailing_zeros() & !7;
    (word & ((1 << bits) - 1), bits / 8)
}

/// The last word with the length in its last byte, which is free: a NUL in the text is no end.
#[inline(always)]
fn with_length(word: u64, length: u32) -> u64 {
    word | u64::from(length) << 56
}

/// The length of the longest [`Name`].
pub const LONGEST: usize = 15;

/// The bytes of a name of up to [`LONGEST`] bytes and its length, to be looked up at once; what they are has to be known from
/// elsewhere.
pub type Name = [u64; 2];

/// The name at the start of a text, if it ends where an operand may end, and its length.
#[inline(always)]
pub fn name(text: &[u8; 16]) -> Option<(Name, u32)> {
    let (words, _) = text.as_chunks::<8>();
    let [a, b] = [u64::from_le_bytes(words[0]), u64::from_le_bytes(words[1])];
    let (first, second) = (ends(a), ends(b));
    if first != 0 {
        let (a, length) = before(a, first);
        return Some(([a, with_length(0, length)], length));
    }
    if second == 0 {
        return None;
    }
    let (b, length) = before(b, second);
    Some(([a, with_length(b, 8 + length)], 8 + length))
}

/// What stands before the number at the end of a name of so many bytes, and the number, if it has no needless zero.
#[inline(always)]
pub fn split([a, b]: Name, length: u32) -> Option<(Name, u32)> {
    let tail = match length {
        1..8 => a << (64 - 8 * length),
        8 => a,
        9..16 => a >> (8 * length - 64) | b << (128 - 8 * length),
        _ => return None,
    };
    let digits = others(tail).leading_zeros() & !7;
    // the length in the last byte is no digit, but where all is digits there is no name
    if digits == 0 || digits >= 56 || digits == 8 * length {
        return None;
    }
    if digits > 8 && tail >> (64 - digits) & 0xff == u64::from(b'0') {
        return None;
    }
    let prefix = 8 * length - digits;
    let words = match prefix {
        0..64 => [a & ((1 << prefix) - 1), 0],
        _ => [a, b & ((1 << (prefix - 64)) - 1)],
    };
    Some(([words[0], with_length(words[1], prefix / 8)], number(tail, digits)))
}

/// A name as [`name`] gives it, if it is short enough.
pub fn known_name(text: &[u8]) -> Option<Name> {
    let mut bytes = [0; LONGEST + 1];
    bytes[..LONGEST].get_mut(..text.len())?.copy_from_slice(text);
    let (words, _) = bytes.as_chunks::<8>();
    Some([u64::from_le_bytes(words[0]), with_length(u64::from_le_bytes(words[1]), text.len() as u32)])
}

/// An index from the bytes of a name.
#[inline]
pub fn name_slot(name: Name) -> usize {
    (spread(name[0] ^ name[1].rotate_left(19)) >> 40) as usize
}

/// The bytes of an opcode of up to 31 bytes and its length, to be looked up at once.
pub type Opcode = [u64; 4];

/// What stands in four words up to a blank or the end of the line, and its length.
///
/// The words stay in registers: an array that is written by words and compared as a whole is waited for.
#[inline(always)]
pub fn opcode(word: impl Fn(u32) -> u64) -> Option<(Opcode, u32)> {
    let (a, marked) = (word(0), blanks(word(0)));
    if marked != 0 {
        let (a, length) = before(a, marked);
        return Some(([a, 0, 0, with_length(0, length)], length));
    }
    let (b, marked) = (word(1), blanks(word(1)));
    if marked != 0 {
        let (b, length) = before(b, marked);
        return Some(([a, b, 0, with_length(0, 8 + length)], 8 + length));
    }
    let (c, marked) = (word(2), blanks(word(2)));
    if marked != 0 {
        let (c, length) = before(c, marked);
        return Some(([a, b, c, with_length(0, 16 + length)], 16 + length));
    }
    let (d, marked) = (word(3), blanks(word(3)));
    if marked == 0 {
        return None;
    }
    let (d, length) = before(d, marked);
    Some(([a, b, c, with_length(d, 24 + length)], 24 + length))
}

/// Whether two opcodes are the same.
#[inline(always)]
pub fn same_opcode(a: &Opcode, b: &Opcode) -> bool {
    (a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2]) | (a[3] ^ b[3]) == 0
}

/// An opcode as [`opcode`] gives it, if it is short enough.
pub fn known_opcode(text: &[u8]) -> Option<Opcode> {
    let mut bytes = [0; 32];
    bytes[..31].get_mut(..text.len())?.copy_from_slice(text);
    let (words, _) = bytes.as_chunks::<8>();
    let word = |at: usize| u64::from_le_bytes(words[at]);
    Some([word(0), word(1), word(2), with_length(word(3), text.len() as u32)])
}

/// An index from the bytes of an opcode.
#[inline]
pub fn opcode_index([a, b, c, d]: Opcode) -> usize {
    (spread(a ^ b.rotate_left(23) ^ c.rotate_left(41) ^ d.rotate_left(7)) >> 40) as usize
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
    fn numbered_names_are_taken_apart() {
        let of = |text: &str| Numbered::of(word(format!("{text: <8}").as_bytes(), 0).expect("eight bytes"));
        for (text, length, prefix, number) in
            [("%r12,", 4, "%r", 12), ("%p1;", 3, "%p", 1), ("a0]", 2, "a", 0), ("%rd4096}", 7, "%rd", 4096)]
        {
            let n = of(text).expect(text);
            assert_eq!((n.length, n.number), (length, number), "{text}");
            assert_eq!(Some(n.prefix), super::prefix(prefix.as_bytes()), "{text}");
            assert_eq!(n.next, text.as_bytes()[length as usize]);
        }
        for text in ["%r,", "%r01,", "12,", ",", "%long_a1"] {
            assert!(of(text).is_none(), "{text}");
        }
        assert!(of("%rd12345").is_some_and(|n| n.next == b'%'));
        assert!(of("%r\u{b1}1,").is_some_and(|n| n.number == 1 && Some(n.prefix) != super::prefix(b"%r")));
        assert!(of("%r1\u{e9},").is_some_and(|n| n.next > 0x7f));
        assert_eq!((super::prefix(b""), super::prefix(b"abcdefg")), (None, None));
    }

    #[test]
    fn long_names_are_taken_apart() {
        let of = |text: &str| known_name(text.as_bytes()).and_then(|name| split(name, text.len() as u32));
        for (prefix, number) in [("%a1_", 7), ("%cast_f", 32), ("%cast_f32_", 12), ("%alu_", 100), ("abcdefgh", 1)] {
            let prefix_name = known_name(prefix.as_bytes()).expect("short enough");
            assert_eq!(of(&format!("{prefix}{number}")), Some((prefix_name, number)), "{prefix}");
        }
        for text in ["%cast_f", "%cast_01", "12345678", "1234567890", "%a12345678", "7", ""] {
            assert_eq!(of(text), None, "{text}");
        }
        assert_eq!(of("%cast_0").map(|n| n.1), Some(0));
    }

    #[test]
    fn blanks_are_counted() {
        for (text, run) in
            [("        ", 8), (" \t x    ", 3), ("x  ", 0), ("\u{a0} ", 0), (" \n", 1), (" \0  ", 1), ("\t)", 1)]
        {
            assert_eq!(blank_run(word(format!("{text:x<8}").as_bytes(), 0).expect("eight bytes")), run, "{text:?}");
        }
    }

    #[test]
    fn decimal_numbers_are_measured() {
        for (text, found) in
            [("0,", Some((1, b','))), ("127;", Some((3, b';'))), ("07,", None), ("0x1,", Some((1, b'x')))]
        {
            assert_eq!(decimal(word(format!("{text: <8}").as_bytes(), 0).expect("eight bytes")), found, "{text}");
        }
        assert_eq!(decimal(u64::from_le_bytes(*b"12345678")), None);
        assert_eq!(decimal(u64::from_le_bytes(*b",1234567")), None);
    }

    #[test]
    fn names_and_opcodes_are_found_by_their_bytes() {
        for text in ["%r1", "%r12345", "%r123456", "%cast_f32_12", "%fourteen_char"] {
            let found = name(format!("{text:,<16}").as_bytes().first_chunk().expect("sixteen bytes"));
            assert_eq!(found, known_name(text.as_bytes()).map(|name| (name, text.len() as u32)), "{text}");
        }
        for text in ["ret", "cvt.s32.f32", "ld.global.nc.v4.f32", "ld.global.L1::evict_last.v4.b32"] {
            let line = format!("{text: <32}");
            let found = opcode(|n| word(line.as_bytes(), n as usize * 8).expect("32 bytes"));
            assert_eq!(found, known_opcode(text.as_bytes()).map(|opcode| (opcode, text.len() as u32)), "{text}");
        }
        assert_ne!(name(b"%r6\0,%r7,       ").map(|n| n.0), known_name(b"%r6"));
        assert_eq!((known_name(&[b'a'; 16]), known_opcode(&[b'a'; 32])), (None, None));
    }
}
