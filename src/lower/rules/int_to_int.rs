//! Integer to integer: folds, extensions, saturation.

use crate::dataflow::Use;
use crate::dataflow::facts::How;
use crate::lower::case::{Case, Origin};
use crate::lower::emit::{Emit, Narrow};
use crate::lower::machine::MinMax;
use crate::lower::rule::{Example, Rule};
use crate::ptx::Type;
use crate::sass::{Alu, Compare, Convert, Int, Operand, Pred, Reg, Selector};

/// The SASS format of an integer type.
pub fn int(t: Type) -> Int {
    Int { bits: t.bits() as u8, signed: t.is_signed() }
}

fn int_to_int(c: &Case) -> bool {
    c.from_int() && c.to_int()
}

fn saturating(c: &Case) -> bool {
    int_to_int(c) && c.form.sat
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
        name: "saturate-on-unit",
        title: "s32 to 8 or 16 bits with .sat is I2I",
        when: |c| {
            saturating(c)
                && c.form.src == Type::S32
                && c.form.dst.bits() <= 16
                && !matches!(c.source.origin, Origin::Absolute { .. })
        },
        emit: |c, e| {
            e.result(Convert::I2i { dst: int(c.form.dst) }, &[c.source.plain]);
            e.narrow = if c.form.dst.is_signed() { Narrow::Raw } else { Narrow::Done };
        },
        why: "the conversion unit saturates signed words to bytes and halves, nothing else",
        examples: &[
            Example { ptx: "cvt.sat.u8.s32 r1, r2;", arch: "sm_89", sass: &["I2I.U8.S32.SAT R2, R0"] },
            Example {
                ptx: "cvt.sat.s16.s32 r1, r2;",
                arch: "sm_89",
                sass: &["I2I.S16.S32.SAT R2, R0", "PRMT R2, R2, 0x9910, RZ"],
            },
        ],
    },
    Rule {
        card: 6,
        name: "saturate-by-comparison",
        title: "every other saturating conversion is clamped with minimum, comparison and select",
        when: saturating,
        emit: saturate,
        why: "no unit saturates from unsigned, 64-bit or sub-word sources",
        examples: &[
            Example { ptx: "cvt.sat.u8.u32 r1, r2;", arch: "sm_89", sass: &["IMNMX.U32 R2, R0, 0xff, PT"] },
            Example { ptx: "cvt.sat.u8.u32 r1, r2;", arch: "sm_90", sass: &["VIMNMX.U32 R2, R0, 0xff, PT"] },
            Example {
                ptx: "cvt.sat.u16.u32 r1, r2;",
                arch: "sm_100",
                sass: &["VIMNMX.U32 R2, PT, PT, R0, 0xffff, PT"],
            },
        ],
    },
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
            // A parameter is read again with the narrower width.
            let reread = matches!(c.source.origin, Origin::Param { .. })
                && (!c.form.dst.is_signed() || bits == 8 && c.machine.constant_operands);
            if reread {
                e.folded = Some("the parameter is read again with that width");
                if c.form.dst.is_signed() {
                    e.narrow = Narrow::Extended;
                    e.folded = None;
                }
                return;
            }
            if c.form.dst == Type::S8 && taken_with_sign(c) {
                e.folded = Some("the byte is taken out of its vector with its sign");
                return;
            }
            if c.form.dst == Type::S8 && c.source.field.is_some_and(|f| !f.shifted && f.bits == 8) {
                e.folded = Some("the field is taken out of its word with its sign");
                return;
            }
            let fits = if c.form.dst.is_signed() { known.fits_signed(bits) } else { known.fits_unsigned(bits) };
            if fits && known.how != How::Half && !(c.form.dst.is_signed() && known.how == How::Shift) {
                e.folded = Some("the bits above are already those of the type");
            }
        },
        why: "a 16-bit register holds anything above its half, but a byte in it is extended",
        examples: &[
            Example { ptx: "cvt.u8.u32 r1, r2;", arch: "sm_89", sass: &["LOP3.LUT R2, R0, 0xff, RZ, 0xc0, !PT"] },
            Example { ptx: "cvt.s8.s32 r1, r2;", arch: "sm_89", sass: &["PRMT R2, R0, 0x8880, RZ"] },
            Example { ptx: ".reg .b16 h<9>; cvt.u16.u32 h1, r1;", arch: "sm_89", sass: &[] },
        ],
    },
    Rule {
        card: 6,
        name: "extend",
        title: "an extension is nothing after a load that extends or where a reader extends itself, else a mask or a permute",
        when: int_to_int,
        emit: extend,
        why: "loads extend, the conversion unit reads bytes and halves, shifts and masks cut: only what is left needs an instruction",
        examples: &[
            Example { ptx: "cvt.s32.s16 r1, r2;", arch: "sm_89", sass: &["PRMT R2, R0, 0x9910, RZ"] },
            Example { ptx: "cvt.s32.s8 r1, r2;", arch: "sm_89", sass: &["PRMT R2, R0, 0x8880, RZ"] },
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

/// The byte of a vector is taken out of its word with its sign, where the conversion unit does not read it there.
fn taken_with_sign(c: &Case) -> bool {
    c.source.byte.is_some() && c.source.only_reader && !c.source.cut && !c.any(|u| matches!(u, Use::ToFloat { .. }))
}

/// A byte parameter is read again with the sign that is wanted.
fn reread(c: &Case) -> bool {
    c.machine.constant_operands
        && matches!(c.source.origin, Origin::Param { bits: 8, .. })
        && c.form.src == Type::S8
        && c.form.dst.bits() >= 32
}

/// Whether a shift left by a constant leaves what is above so many bits out itself: in 32 bits no bit of the type goes with
/// it then.
pub fn shifted_within(by: Option<u64>, bits: u32, width: u32) -> bool {
    by.is_some_and(|by| width > 32 || u64::from(bits) + by <= 32)
}

/// Extension to a wider type.
fn extend(c: &Case, e: &mut Emit<'_>) {
    let (dst, src, known) = (c.form.dst, c.form.src, c.source.known);
    e.value = c.source.plain;
    let word = src.bits() == 32;
    if !c.source.half_of_vector() && !c.source.high && c.only(|u| matches!(u, Use::Insert(bits) if *bits <= src.bits()))
    {
        e.pass("no more than the bits of the source are wanted");
        return;
    }
    if src.is_unsigned() {
        let byte_to_float = c.source.byte.is_some()
            && c.only(|u| matches!(u, Use::ToFloat { from, to: Type::F32 } if *from == dst && dst.is_unsigned()));
        let half = matches!(known.how, How::Half | How::Rounded) && dst.bits() != 32;
        let extended = known.fits_unsigned(src.bits()) && !half;
        if (word || extended || c.source.stored) && !(byte_to_float && dst.bits() == 32) {
            // The low word is there; a word above it is zero.
            e.folded = Some(match word || extended {
                true => "the bits above are zero already",
                false => "the store before has extended it already",
            });
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
        let absorbed = readers <= 1
            && !c.source.chosen
            && c.permuted(src.bits()).is_none()
            && !(c.source.high && dst.bits() == 32 && readers > 0)
            && c.only(|u| match *u {
                Use::ShiftLeft(by) => c.joined.is_none() && shifted_within(by, src.bits(), dst.bits()),
                // Of two masks the narrower one is enough.
                Use::Mask(m) => (m & own != own || dst.bits() == 64 && m <= 0xffff) && c.joined.is_none(),
                Use::ToFloat { from, to } => from == dst && dst.is_unsigned() && to == Type::F32,
                _ => false,
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
    let taken = src == Type::S8
        && !c.predicated
        && (taken_with_sign(c) || c.source.field.is_some_and(|f| !f.shifted && f.from > 0));
    let in_place = word
        || !loaded && reread(c)
        || taken
        || c.source.stored
        || !loaded
            && known.fits_signed(src.bits())
            && !matches!(known.how, How::Shift | How::Half | How::Limit)
            && (known.how != How::Rounded || dst.bits() == 32);
    let to_float = c.only(|u| matches!(u, Use::ToFloat { from, to: Type::F32 } if *from == dst && dst.is_signed()));
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
            if in_place && !half {
                if dst.is_unsigned() && c.dst_bits >= 32 && !known.fits_unsigned(15) {
                    e.mask(0xffff);
                } else {
                    e.folded = Some("the load or conversion before extends the sign");
                }
                return;
            }
            let reread = !loaded && c.machine.constant_operands && matches!(c.source.origin, Origin::Param { .. });
            let later = c.only(|u| match *u {
                Use::Extend { from, to } => from.is_signed() && to.is_signed() && to.bits() == 32,
                Use::Compare(t) => t.is_signed(),
                Use::Half { signed } => signed,
                Use::ToFloat { from, to } => from == dst && dst.is_signed() && to == Type::F32,
                _ => false,
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
            if !in_place {
                e.permute(permute);
                e.passed = true;
            }
            let low = c.low_only || low_only(c, 32);
            // A 64-bit sum takes the sign of the low word as its high one, where it is the only reader.
            let summed = c.machine.sum_takes_sign
                && c.only(|u| match *u {
                    Use::Add(64) | Use::Store { bits: 8 | 16 | 32, .. } => true,
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

/// Minimum with an unsigned limit.
fn minimum(c: &Case, e: &mut Emit<'_>, limit: u32) {
    let (value, limit) = (e.value, Operand::Bits(limit));
    match c.machine.min_max {
        MinMax::Imnmx => e.result(Alu::Imnmx { unsigned: true }, &[value, limit, Operand::PT]),
        MinMax::Vimnmx => e.result(Alu::Vimnmx { unsigned: true }, &[value, limit, Operand::PT]),
        MinMax::VimnmxPredicates => {
            e.result(Alu::Vimnmx { unsigned: true }, &[Operand::PT, Operand::PT, value, limit, Operand::PT]);
        }
        MinMax::ImnmxUnlisted => e.note = Some("an IMNMX does it, which ptxas lists under a neighbouring statement"),
    }
}

/// Saturation with comparisons and selects.
fn saturate(c: &Case, e: &mut Emit<'_>) {
    let (dst, src) = (int(c.form.dst), int(c.form.src));
    let (p, q) = (Pred(0), Pred(1));
    let ones = Operand::Bits(0xffff_ffff);
    let top = limit(dst);
    e.value = c.source.plain;
    let (s, known) = (c.source.plain, c.source.known);
    // What is never negative is as good as unsigned.
    let signed = src.signed && !matches!(c.source.origin, Origin::Absolute { .. });
    match (dst.bits, dst.signed, src.bits, signed) {
        (32, false, 32, false) => e.folded = Some("the value is in range"),
        // A pair that is known to hold no more than a byte or half.
        (32, true, 64, true) if c.extended_word() => e.folded = Some("the value is in range"),
        (32, false, 64, true) if c.extended_word() => {
            e.isetp(p, Compare::Lt, false, s, Operand::RZ);
            e.result(Alu::Sel, &[s, Operand::RZ, Operand::Pred(p, true)]);
        }
        (32, false, 64, true) if known.fits_unsigned(31) => e.folded = Some("the value is in range"),
        (32, true, 64, true) if known.sign_from <= 16 && known.zero_from == 64 => {
            e.permute(if known.sign_from <= 8 { 0x8880 } else { 0x9910 });
        }
        (32, false, 64, true) if known.sign_from <= 16 => {
            e.permute(if known.sign_from <= 8 { 0x8880 } else { 0x9910 });
            let value = e.value;
            e.isetp(p, Compare::Lt, false, value, Operand::RZ);
            e.result(Alu::Sel, &[value, Operand::RZ, Operand::Pred(p, true)]);
        }
        // The high word is zero: only the sign bit of the low one can be out of range.
        (32, true, 64, true) if known.fits_unsigned(32) => {
            let sign = e.scratch();
            e.to(sign, Alu::ShiftRightSigned, &[Operand::RZ, Operand::Bits(0x1f), s]);
            e.isetp(p, Compare::Eq, false, Operand::reg(sign), Operand::RZ);
            e.result(Alu::Sel, &[s, Operand::Bits(0x7fff_ffff), Operand::Pred(p, false)]);
        }
        // Negative becomes zero.
        (64, false, 64, true) => {
            let mask = e.scratch();
            let high = e.dst.high();
            e.isetp(p, Compare::Ge, false, s.high(), Operand::RZ);
            e.isetp(q, Compare::Lt, false, s.high(), Operand::RZ);
            e.to(mask, Alu::Sel, &[Operand::RZ, ones, Operand::Pred(p, true)]);
            e.to(high, Alu::Sel, &[s.high(), Operand::RZ, Operand::Pred(q, true)]);
            let low = e.dst;
            e.lop(low, Operand::reg(mask), s, 0xc0);
        }
        // Above the largest signed value.
        (64, true, 64, false) => {
            let mask = e.scratch();
            let (low, high) = (e.dst, e.dst.high());
            e.isetp(p, Compare::Lt, false, s.high(), Operand::RZ);
            e.isetp(q, Compare::Ge, true, s.high(), Operand::Signed(i32::MIN));
            e.to(mask, Alu::Sel, &[Operand::RZ, ones, Operand::Pred(p, true)]);
            e.to(high, Alu::Sel, &[s.high(), Operand::Bits(0x7fff_ffff), Operand::Pred(q, true)]);
            e.lop(low, Operand::reg(mask), s, 0xfc);
        }
        // A sign-extended value: below zero becomes zero, above the limit the limit.
        (bits, false, ..=32, true) => {
            widen(c, e);
            let (low, high) = (bits < 32, e.dst.high());
            if bits == 64 {
                e.to(high, Alu::Mov, &[Operand::RZ]);
            }
            let value = e.value;
            e.isetp(p, Compare::Lt, false, value, Operand::RZ);
            if low {
                e.isetp(q, Compare::Gt, false, value, Operand::Bits(top));
            }
            e.result(Alu::Sel, &[value, Operand::RZ, Operand::Pred(p, true)]);
            if low {
                let value = e.value;
                e.result(Alu::Sel, &[value, Operand::Bits(top), Operand::Pred(q, true)]);
            }
        }
        // s16 to s8.
        (8, true, 16, true) => {
            widen(c, e);
            let value = e.value;
            e.isetp(p, Compare::Lt, false, value, Operand::Signed(-0x80));
            e.isetp(q, Compare::Gt, false, value, Operand::Bits(0x7f));
            e.result(Alu::Sel, &[value, Operand::Bits(0xffff_ff80), Operand::Pred(p, true)]);
            let value = e.value;
            e.result(Alu::Sel, &[value, Operand::Bits(0x7f), Operand::Pred(q, true)]);
            e.narrow = Narrow::Raw;
        }
        // Unsigned to 32 bits signed: the sign bit is out of range.
        (32, true, 32, false) => above_sign(e, p),
        // From 64 bits: fold the high word in first.
        (bits, signed, 64, false) => {
            fold_high(e, s, p);
            match (bits, signed) {
                (32, false) => {}
                (32, true) => above_sign(e, p),
                _ => minimum(c, e, top),
            }
            e.narrow = if signed && bits < 32 { Narrow::Raw } else { Narrow::Done };
        }
        (bits, false, 64, true) => {
            let (a, b) = (e.scratch(), e.scratch());
            e.isetp(p, Compare::Ne, true, s.high(), Operand::RZ);
            e.isetp(q, Compare::Ge, false, s.high(), Operand::RZ);
            e.to(a, Alu::Sel, &[Operand::RZ, ones, Operand::Pred(p, true)]);
            e.to(b, Alu::Sel, &[Operand::RZ, ones, Operand::Pred(q, true)]);
            let dst = e.dst;
            e.to(dst, Alu::Lop3, &[Operand::reg(b), Operand::reg(a), s, Operand::Bits(0xe0), Operand::NOT_PT]);
            e.value = Operand::reg(dst);
            if bits < 32 {
                minimum(c, e, top);
            }
        }
        (bits, true, 64, true) => {
            to_signed_word(c, e, s, p);
            if bits < 32 {
                let value = e.value;
                e.result(Convert::I2i { dst }, &[value]);
                e.narrow = Narrow::Raw;
            }
        }
        // Unsigned sources: a minimum.
        _ => {
            widen(c, e);
            minimum(c, e, top);
            e.narrow = if dst.signed && dst.bits < 32 { Narrow::Raw } else { Narrow::Done };
        }
    }
}

/// The largest value of a type, as far as 32 bits hold it.
fn limit(t: Int) -> u32 {
    let bits = u32::from(t.bits) - u32::from(t.signed);
    if bits >= 32 { u32::MAX } else { (1 << bits) - 1 }
}

/// Extend a byte or half to a word, as the comparison needs it.
fn widen(c: &Case, e: &mut Emit<'_>) {
    // Two conversions that are one F2FP leave the upper half in a register of its own.
    let high = c.source.high && c.source.origin != Origin::Converted;
    let selector = match (c.form.src, high) {
        (Type::U8, _) => 0x7770,
        (Type::S8, _) => 0x8880,
        (Type::U16, false) => 0x7710,
        (Type::S16, false) => 0x9910,
        (Type::U16, true) => 0x7732,
        (Type::S16, true) => 0xbb32,
        _ => return,
    };
    if high {
        e.value = c.source.operand.select(Selector::Whole);
    }
    e.permute(selector);
}

/// All ones where the high word is not zero, else the low word.
fn fold_high(e: &mut Emit<'_>, s: Operand, p: Pred) {
    let mask = e.scratch();
    e.isetp(p, Compare::Ne, true, s.high(), Operand::RZ);
    e.to(mask, Alu::Sel, &[Operand::RZ, Operand::Bits(0xffff_ffff), Operand::Pred(p, true)]);
    let dst = e.dst;
    e.lop(dst, Operand::reg(mask), s, 0xfc);
    e.value = Operand::reg(dst);
}

/// The largest signed word where the sign bit of an unsigned one is set.
fn above_sign(e: &mut Emit<'_>, p: Pred) {
    let value = e.value;
    e.isetp(p, Compare::Ge, true, value, Operand::Signed(i32::MIN));
    e.result(Alu::Sel, &[value, Operand::Bits(0x7fff_ffff), Operand::Pred(p, true)]);
}

/// s64 to s32: the low word where the high one is its sign, else the largest or smallest word.
fn to_signed_word(c: &Case, e: &mut Emit<'_>, s: Operand, p: Pred) {
    let (sign, limit): (Reg, Reg) = (e.scratch(), e.scratch());
    let lowest = Operand::Bits(0x8000_0000);
    e.to(limit, Alu::Mov, &[Operand::Bits(0x7fff_ffff)]);
    e.to(sign, Alu::ShiftRightSigned, &[Operand::RZ, Operand::Bits(0x1f), s]);
    e.isetp(p, Compare::Ge, false, s.high(), Operand::RZ);
    e.lop(sign, Operand::reg(sign), s.high(), 0x3c);
    // What is written as a pair stays in its register, and so does what is needed again; the low word of a sum is
    // overwritten where it is out of range.
    let kept = matches!(c.source.origin, Origin::Load | Origin::Param { .. } | Origin::Converted | Origin::Product);
    if c.machine.predicated_select && !kept && !c.read_later {
        let value = s;
        e.isetp(Pred(1), Compare::Eq, false, Operand::reg(sign), Operand::RZ);
        let dst = e.dst;
        e.to(dst, Alu::Mov, &[value]);
        e.guarded(Some((Pred(1), true)), dst, Alu::Sel, &[Operand::reg(limit), lowest, Operand::Pred(p, false)]);
        e.value = Operand::reg(dst);
        return;
    }
    e.to(limit, Alu::Sel, &[Operand::reg(limit), lowest, Operand::Pred(p, false)]);
    e.isetp(p, Compare::Eq, false, Operand::reg(sign), Operand::RZ);
    e.result(Alu::Sel, &[s, Operand::reg(limit), Operand::Pred(p, false)]);
}
