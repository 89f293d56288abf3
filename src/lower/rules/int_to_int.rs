//! Integer to integer: folds and extensions.

use crate::dataflow::Use;
use crate::dataflow::facts::How;
use crate::lower::case::{Case, Origin};
use crate::lower::emit::{Emit, Narrow};
use crate::lower::rule::{Example, Rule};
use crate::lower::rules::result::puts_byte_above;
use crate::ptx::Type;
use crate::sass::{Alu, Int, Operand, Selector};

/// The SASS format of an integer type.
pub fn int(t: Type) -> Int {
    Int { bits: t.bits() as u8, signed: t.is_signed() }
}

/// Both types are integers.
pub fn int_to_int(c: &Case) -> bool {
    c.from_int() && c.to_int()
}

/// Only the low bits of the result are read, no more than the source has.
fn low_only(c: &Case, bits: u32) -> bool {
    c.only(|u| match *u {
        Use::Store { bits: b, .. } => b <= bits,
        Use::Mask(m) => m >> bits.min(63) == 0,
        Use::Narrow { to } => to.bits() <= bits,
        _ => false,
    })
}

/// The rules.
pub const RULES: &[Rule] = &[
    Rule {
        card: 6,
        name: "same-width",
        title: "a change of sign alone, or the low part of a register, is nothing",
        when: |c| int_to_int(c) && c.form.dst.bits() >= 32 && c.form.dst.bits() <= c.form.src.bits(),
        emit: |_, e| e.folded = Some("the low bits are where they were"),
        why: "registers have no type; a 32-bit result is the low register of a 64-bit pair",
        examples: &[
            Example { ptx: "cvt.u32.s32 r1, r2;", arch: "sm_89", sass: &[] },
            Example { ptx: ".reg .b64 d<9>; cvt.u32.u64 r1, d1;", arch: "sm_89", sass: &[] },
        ],
    },
    Rule {
        card: 6,
        name: "truncate",
        title: "cutting to 16 bits is nothing, cutting to 8 bits a mask or a sign extension, unless a reader cuts itself",
        when: |c| int_to_int(c) && c.form.dst.bits() <= 16 && c.form.dst.bits() <= c.form.src.bits(),
        emit: |c, e| {
            e.value = c.source.plain;
            e.narrow = Narrow::Raw;
            let (bits, known) = (c.form.dst.bits(), c.source.known);
            // A parameter is read again with the narrower width, if it fills its register; a byte in a half is too, if it
            // has not got a sign that is to go.
            let signed = known.has_sign_of(8);
            let whole = |of: u32| of >= c.source.bits.min(32) || of == 8 && c.source.bits == 16 && !signed;
            let reread = matches!(c.source.origin, Origin::Param { bits: of, .. } if whole(of))
                && (!c.form.dst.is_signed() || bits == 8 && c.machine.constant_operands);
            if reread {
                e.folded = Some("the parameter is read again with that width");
                if c.form.dst.is_signed() {
                    e.narrow = Narrow::Extended;
                    e.folded = None;
                }
                return;
            }
            if bits == 8 && taken_out(c) {
                e.folded = Some("the byte is taken out of its vector with the sign that is wanted");
                return;
            }
            if c.form.dst == Type::S8 && c.source.field.is_some_and(|f| !f.shifted && f.bits == 8) {
                e.folded = Some("the field is taken out of its word with its sign");
                return;
            }
            let fits = if c.form.dst.is_signed() { known.fits_signed(bits) } else { known.fits_unsigned(bits) };
            // a limit or a field without sign is none for a signed byte
            let positive =
                known.zero_from < 64 && matches!(known.how, How::Shift | How::Limit | How::Clamp | How::Other);
            let seen = !matches!(known.how, How::Half | How::Rounded)
                && !(c.form.dst.is_signed() && (positive || known.how == How::Shift));
            if fits && seen {
                e.folded = Some("the bits above are already those of the type");
            }
        },
        why: "a 16-bit register holds anything above its half, but a byte in it is extended",
        examples: &[
            Example {
                ptx: ".reg .b16 h<9>; cvt.u8.u32 h1, r1;",
                arch: "sm_89",
                sass: &["LOP3.LUT R2, R0, 0xff, RZ, 0xc0, !PT"],
            },
            Example {
                ptx: ".reg .b16 h<9>; cvt.s8.s32 h1, r1;",
                arch: "sm_89",
                sass: &["PRMT R2, R0, 0x8880, RZ", "PRMT R2, R2, 0x7710, RZ"],
            },
            Example { ptx: ".reg .b16 h<9>; cvt.u16.u32 h1, r1;", arch: "sm_89", sass: &[] },
        ],
    },
    Rule {
        card: 6,
        name: "extend",
        title: "an extension (a cut too, in a register of a word) is nothing after a load that extends or where a reader extends itself, else a mask or a permute",
        when: int_to_int,
        emit: extend,
        why: "loads extend, the conversion unit reads bytes and halves, shifts and masks cut: only what is left needs an instruction",
        examples: &[
            Example { ptx: "cvt.s32.s16 r1, r2;", arch: "sm_89", sass: &["PRMT R2, R0, 0x9910, RZ"] },
            Example { ptx: "cvt.s32.s8 r1, r2;", arch: "sm_89", sass: &["PRMT R2, R0, 0x8880, RZ"] },
            Example { ptx: "cvt.u8.u32 r1, r2;", arch: "sm_89", sass: &["LOP3.LUT R2, R0, 0xff, RZ, 0xc0, !PT"] },
            Example {
                ptx: ".reg .b64 d<9>; cvt.s64.s32 d1, r1;",
                arch: "sm_89",
                sass: &["SHF.R.S32.HI R3, RZ, 0x1f, R0"],
            },
        ],
    },
];

/// A reader of the high word of a zero-extended pair.
fn reads_high(u: &Use) -> bool {
    matches!(u, Use::Store { bits: 64, .. } | Use::Other | Use::Multiply(64) | Use::Compare(_))
}

/// The byte of a vector is taken out of its word with or without its sign, as it is wanted; ptxas names no statement for it.
fn taken_out(c: &Case) -> bool {
    c.source.byte.is_some() && !c.source.cut && !c.source.taken
}

/// A byte parameter, or the low byte of one, is read again with the sign that is wanted.
fn reread(c: &Case) -> bool {
    c.machine.constant_operands
        && (matches!(c.source.origin, Origin::Param { bits: 8, .. }) && c.source.bits == 16
            || c.reads_part_of_parameter() && c.form.dst.bits() == 32)
        && c.form.src == Type::S8
        && c.form.dst.bits() >= 32
}

/// Whether a shift left by a constant leaves what is above so many bits out itself: in 32 bits no bit of the type goes with
/// it then.
pub fn shifted_within(by: Option<u64>, bits: u32, width: u32) -> bool {
    by.is_some_and(|by| width > 32 || u64::from(bits) + by <= 32)
}

/// Leave an extension to the statement that did it before; a conversion to f32 reads what was extended all the same.
fn extended_before(c: &Case, e: &mut Emit<'_>) {
    e.pass("it has extended the same before");
    e.into = c.source.extended_before;
}

/// A conversion to f32 of all that an extension makes, with the sign that it extends: of the result's own sign nothing is left.
fn widens_to_single(u: &Use, src: Type, dst: Type) -> bool {
    matches!(*u, Use::ToFloat { from, to: Type::F32 }
        if from.bits() == dst.bits() && from.is_signed() == src.is_signed() || from == src)
}

/// Extension to a wider type.
fn extend(c: &Case, e: &mut Emit<'_>) {
    let (dst, src, known) = (c.form.dst, c.form.src, c.source.known);
    e.value = c.source.plain;
    let word = src.bits() == 32;
    // the low part of a pair is not looked through
    let whole = c.source.bits <= 32 && !c.source.half_of_vector() && !c.source.high;
    if whole && c.only(|u| matches!(u, Use::Insert(bits) if *bits <= src.bits())) {
        e.pass("no more than the bits of the source are wanted");
        return;
    }
    if whole && src.bits() == 8 && c.uses.len() == 1 && c.only(puts_byte_above) {
        e.pass("the store takes the byte alone");
        return;
    }
    if c.high_only && src.is_unsigned() {
        e.folded = Some("the zero above is all that is read");
        return;
    }
    if src.is_unsigned() {
        let byte_to_float = c.source.byte.is_some() && c.only(|u| widens_to_single(u, src, dst));
        let half = matches!(known.how, How::Half | How::Rounded) && dst.bits() != 32;
        // A byte is taken out of the word that a load filled without the sign that the load gave it.
        let taken = src == Type::U8 && !c.predicated && taken_out(c);
        let extended = taken || c.reads_part_of_parameter() || known.fits_unsigned(src.bits()) && !half;
        if (word || extended || c.source.extended_before.is_some()) && !(byte_to_float && dst.bits() == 32) {
            // The low word is there; a word above it is zero.
            if word || extended {
                e.folded = Some("the bits above are zero already");
            } else {
                extended_before(c, e);
            }
            if dst.bits() == 64 && c.any(reads_high) {
                e.folded = None;
                let high = e.dst.high();
                e.clear(c.machine, high);
            }
            if dst == Type::S16 && c.dst_bits >= 32 && matches!(known.how, How::Shift | How::Param) {
                e.folded = None;
                e.permute(0x9910);
            }
            return;
        }
        let own = (1 << src.bits()) - 1;
        // It is one reader at most that the mask is left to; conversions read what they want besides.
        let readers = c.uses.iter().filter(|u| matches!(u, Use::ShiftLeft(_) | Use::Mask(_))).count();
        let narrower = c.only(|u| match *u {
            Use::Narrow { to } => to.is_unsigned() && to.bits() < src.bits(),
            Use::Extend { from, .. } => from.is_unsigned() && from.bits() < src.bits(),
            _ => false,
        });
        if narrower && c.joined.is_none() && dst.bits() < 64 {
            e.pass("the reader takes fewer of the bits itself");
            return;
        }
        if c.only_masked && c.joined.is_none() && !c.source.high {
            e.pass("the readers take fewer of the bits themselves");
            return;
        }
        let absorbed = readers <= 1
            && !c.source.chosen
            && c.permuted(src.bits()).is_none()
            && !(c.source.high && dst.bits() == 32 && readers > 0)
            && c.only(|u| match *u {
                Use::ShiftLeft(by) => c.joined.is_none() && shifted_within(by, src.bits(), dst.bits()),
                // Of two masks the narrower one is enough.
                Use::Mask(m) => (m & own != own || dst.bits() == 64 && m <= 0xffff) && c.joined.is_none(),
                _ => widens_to_single(u, src, dst),
            });
        if absorbed {
            e.pass("the reader takes the bits it wants itself");
            return;
        }
        if c.source.high {
            e.value = c.source.operand.select(Selector::Whole);
            e.permute(0x7732);
        } else {
            e.mask_source(c, if src.bits() == 8 { 0xff } else { 0xffff });
        }
        if e.folded.is_none() && dst.bits() == 64 && c.any(reads_high) {
            let high = e.dst.high();
            e.clear(c.machine, high);
        }
        // what is taken in is nowhere by itself
        e.passed = e.folded.is_none() && c.joined.is_none();
        return;
    }
    // Signed: the low word first, then the high one.
    // A signed byte of the constant bank is loaded again with its sign for a word alone, where it is a constant operand;
    // else it is loaded without.
    let bank = c.source.bank && c.source.bits == 16 && known.fits_signed(8) && !known.fits_unsigned(8);
    let loaded = bank
        && match (c.machine.constant_operands, dst.bits()) {
            (true, 32) => !c.source.only_reader,
            (false, 32) => src.bits() == 8 || c.source.only_reader,
            (_, 16) => src.bits() == 8,
            _ => true,
        };
    let taken =
        src == Type::S8 && !c.predicated && (taken_out(c) || c.source.field.is_some_and(|f| !f.shifted && f.from > 0));
    let in_place = word
        || !loaded && reread(c)
        || taken
        || c.source.taken
        || !loaded
            && known.fits_signed(src.bits())
            && !matches!(known.how, How::Shift | How::Half | How::Limit | How::Clamp)
            && (known.how != How::Rounded || dst.bits() == 32)
            // above a signed byte in a half are zeros
            && (known.zero_from != 16 || dst.bits() != 64);
    let to_float = c.only(|u| widens_to_single(u, src, dst));
    let permute = match (src.bits(), c.source.high) {
        _ if loaded && dst.bits() == 32 => 0x8880,
        (8, _) => 0x8880,
        (_, false) => 0x9910,
        (_, true) => 0xbb32,
    };
    if c.source.high {
        e.value = c.source.operand.select(Selector::Whole);
    }
    match dst.bits() {
        16 => {
            // Zeros above the half tell that the sign reaches no further than it.
            let half = known.zero_from == 16 && c.dst_bits < 32;
            if in_place && !half && !(taken && to_float) {
                if dst.is_unsigned() && c.dst_bits >= 32 && !known.fits_unsigned(15) {
                    e.mask(0xffff);
                } else {
                    e.folded = Some("the load or conversion before extends the sign");
                }
                return;
            }
            let narrow = c.source.bits == 16 || c.reads_part_of_parameter();
            let reread = !loaded && narrow && c.machine.constant_operands && c.source.origin.is_parameter();
            let later = c.only(|u| match *u {
                Use::Extend { from, to } => from.is_signed() && to.bits() == 32,
                Use::Compare(t) => t.is_signed(),
                Use::Half { signed } => signed,
                Use::Saturate { from, to } => from.is_signed() && to.bits() == 32,
                _ => widens_to_single(u, src, dst),
            });
            if later {
                e.pass("the reader extends the sign itself");
                return;
            }
            if !reread {
                e.permute(permute);
            }
            if dst.is_unsigned() || c.dst_bits < 32 {
                e.permute(0x7710);
            }
            e.passed = c.dst_bits < 32;
        }
        32 => {
            if in_place && !(to_float && c.source.byte.is_some()) {
                e.folded = Some("the bits above are the sign already");
            } else if c.source.extended_before.is_some() {
                extended_before(c, e);
            } else if to_float {
                e.pass("the conversion that reads it extends the sign itself");
            } else {
                e.permute(permute);
                e.passed = true;
            }
        }
        _ => {
            if to_float {
                e.pass("the conversion that reads it extends the sign itself");
                return;
            }
            let in_place = in_place || c.source.extended_before.is_some();
            if !in_place {
                e.permute(permute);
                e.passed = true;
            }
            // of a pair that is a signed word a limit to a word reads the low one
            let limited = c.only(|u| matches!(u, Use::Saturate { from: Type::S64, to } if to.bits() == 32));
            let low = c.low_only || low_only(c, 32) || limited;
            // A 64-bit sum takes the sign of the low word as its high one, where it is the only reader.
            let summed = c.machine.sum_takes_sign
                && c.only(|u| match *u {
                    Use::Add(64) | Use::Store { bits: 8 | 16 | 32, .. } => true,
                    Use::Mask(mask) => mask >> 32 == 0,
                    Use::Narrow { to } => to.bits() <= 32,
                    // what reads a word reads a twin's, the low one of this
                    Use::Add(32) | Use::Multiply(16 | 32) | Use::MultiplyWide => true,
                    Use::Compare(t) => t.bits() <= 32,
                    Use::ToFloat { from, .. } => from.bits() <= 32,
                    _ => false,
                })
                && c.uses.iter().filter(|u| matches!(u, Use::Add(64))).count() <= 1;
            if low || summed {
                if in_place {
                    e.into = c.reader;
                    e.folded = Some("the reader needs only the low word, or takes its sign itself");
                }
                return;
            }
            let (high, value) = (e.dst.high(), e.value);
            e.to(high, Alu::ShiftRightSigned, &[Operand::RZ, Operand::Bits(0x1f), value]);
        }
    }
}
