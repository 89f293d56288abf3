//! Integer to integer with saturation.

use crate::lower::case::{Case, Origin};
use crate::lower::emit::{Emit, Narrow};
use crate::lower::machine::MinMax;
use crate::lower::rule::{Example, Rule};
use crate::lower::rules::int_to_int::{int, int_to_int};
use crate::ptx::Type;
use crate::sass::{Alu, Compare, Convert, Int, Op, Operand, Pred, Reg, Selector};

fn saturating(c: &Case) -> bool {
    int_to_int(c) && c.form.sat
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
];

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
    let known_word = known.fits_unsigned(32);
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
        // The high word is zero: what is left is a word without sign.
        (64, _, 64, _) if known_word => {
            let high = e.dst.high();
            e.clear(c.machine, high);
        }
        (32, false, 64, _) if known_word => e.folded = Some("the value is in range"),
        (32, true, 64, false) if known_word => above_sign(e, p),
        // of the low word only the sign bit can be out of range
        (32, true, 64, true) if known_word => below_sign(e, s, p),
        (_, true, 64, true) if known_word => {
            below_sign(e, s, p);
            let value = e.value;
            e.result(Convert::I2i { dst }, &[value]);
            e.narrow = Narrow::Raw;
        }
        (_, signed, 64, _) if known_word => {
            minimum(c, e, top);
            e.narrow = if signed { Narrow::Raw } else { Narrow::Done };
        }
        (32, true, 64, true) if known.sign_from <= 16 && known.zero_from == 64 => {
            e.permute(if known.sign_from <= 8 { 0x8880 } else { 0x9910 });
        }
        (32, false, 64, true) if known.sign_from <= 16 => {
            e.permute(if known.sign_from <= 8 { 0x8880 } else { 0x9910 });
            let value = e.value;
            e.isetp(p, Compare::Lt, false, value, Operand::RZ);
            e.result(Alu::Sel, &[value, Operand::RZ, Operand::Pred(p, true)]);
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
    if c.compares_in_bank() {
        put_second(c.source.plain, e);
    }
}

/// The bank and uniform registers are second operands only: what is compared with zero or chosen from there changes places.
fn put_second(source: Operand, e: &mut Emit<'_>) {
    let read = |o: Operand| o == source || o == source.high();
    for i in &mut e.out {
        match (&mut i.op, i.operands.as_mut_slice()) {
            (Op::Alu(Alu::Isetp { compare, .. }), [_, _, a, b, _]) if read(*a) && *b == Operand::RZ => {
                std::mem::swap(a, b);
                *compare = compare.mirrored();
            }
            (Op::Alu(Alu::Sel), [_, a, b, Operand::Pred(_, not)]) if read(*a) && *b == Operand::RZ => {
                std::mem::swap(a, b);
                *not = !*not;
            }
            // which of the last two is which is all the same to that table
            (Op::Alu(Alu::Lop3), [_, _, a, b, Operand::Bits(0xe0), _]) if read(*b) => std::mem::swap(a, b),
            _ => {}
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
    if reread_with_sign(c) {
        return;
    }
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

/// Whether the byte of a parameter is read again with its sign, for the comparison. One that has it already is read again
/// only to be kept as a word: elsewhere its extension is done anew.
fn reread_with_sign(c: &Case) -> bool {
    let (own, known, register) = (c.form.src, c.source.known, c.source.bits);
    if !c.machine.constant_operands || !own.is_signed() || own.bits() > 16 {
        return false;
    }
    match c.source.origin {
        Origin::Param { bits: 8, .. } if known.has_sign_of(8) => {
            c.form.dst == Type::U32 && (register == 16 || register == 32 && own == Type::S8)
        }
        Origin::Param { bits: 8, .. } => own == Type::S8 && register != 32,
        _ => own == Type::S8 && c.reads_part_of_parameter(),
    }
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

/// The largest signed word where the sign bit of a pair's low one is set, whose high one is zero.
fn below_sign(e: &mut Emit<'_>, s: Operand, p: Pred) {
    let sign = e.scratch();
    e.to(sign, Alu::ShiftRightSigned, &[Operand::RZ, Operand::Bits(0x1f), s]);
    e.isetp(p, Compare::Eq, false, Operand::reg(sign), Operand::RZ);
    e.result(Alu::Sel, &[s, Operand::Bits(0x7fff_ffff), Operand::Pred(p, false)]);
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
    let kept = matches!(c.source.origin, Origin::Load | Origin::Converted | Origin::AtOnce);
    let parameter = c.source.origin.is_parameter();
    // A parameter is loaded anew into registers of its own, which are overwritten, whatever else reads it.
    if !c.machine.constant_operands
        && parameter
        && let Operand::Reg { reg, .. } = s
    {
        e.isetp(Pred(1), Compare::Ne, false, Operand::reg(sign), Operand::RZ);
        e.guarded(Some((Pred(1), false)), reg, Alu::Sel, &[Operand::reg(limit), lowest, Operand::Pred(p, false)]);
        e.value = s;
        return;
    }
    if !kept && !parameter && !c.read_later {
        let value = s;
        e.isetp(Pred(1), Compare::Eq, false, Operand::reg(sign), Operand::RZ);
        let dst = e.dst;
        e.to(dst, Alu::Mov, &[value]);
        e.guarded(Some((Pred(1), true)), dst, Alu::Sel, &[Operand::reg(limit), lowest, Operand::Pred(p, false)]);
        e.value = Operand::reg(dst);
        return;
    }
    e.to(limit, Alu::Sel, &[Operand::reg(limit), lowest, Operand::Pred(p, false)]);
    // what is read in the bank is chosen second
    let (compare, sources) = match c.compares_in_bank() {
        true => (Compare::Ne, [Operand::reg(limit), s]),
        false => (Compare::Eq, [s, Operand::reg(limit)]),
    };
    e.isetp(p, compare, false, Operand::reg(sign), Operand::RZ);
    e.result(Alu::Sel, &[sources[0], sources[1], Operand::Pred(p, false)]);
}
