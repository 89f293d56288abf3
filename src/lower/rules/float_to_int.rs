//! Float to integer: F2I, and F2IP for bytes.

use crate::dataflow::Use;
use crate::lower::case::{self, Case, Origin};
use crate::lower::emit::Narrow;
use crate::lower::rule::{Example, Rule};
use crate::lower::rules::float_to_float::{flushed, format, round};
use crate::lower::rules::int_to_int::int;
use crate::ptx::Type;
use crate::sass::{Convert, Format, Operand, Round};

fn float_to_int(c: &Case) -> bool {
    c.to_int() && format(c.form.src).is_some()
}

/// What an earlier rounding read, its mode and flushing: a truncation of what was rounded already is that rounding, unless
/// its sign was changed in between.
fn rounded_before(c: &Case) -> Option<(Operand, Round, bool)> {
    match c.source.origin {
        Origin::Rounded { round: earlier, ftz, of }
            if round(&c.form) == Round::Trunc && !c.source.operand.modified() =>
        {
            Some((of, earlier, ftz))
        }
        _ => None,
    }
}

/// The operand, round mode and flushing, an earlier rounding taken in.
fn rounded(c: &Case) -> (Operand, Round, bool) {
    rounded_before(c).unwrap_or_else(|| (c.source.operand, round(&c.form), c.form.ftz))
}

/// Extended to 32 bits by a later statement, which then carries the conversion itself.
fn extended_later(c: &Case) -> bool {
    let dst = c.form.dst;
    c.uses.len() == 1
        && c.only(|u| match *u {
            Use::Extend { from, to } => {
                (from == dst || dst == Type::S8 && from == Type::S16)
                    && to.bits() == 32
                    && (dst.bits() == 16 || c.dst_bits != 16 || dst.is_signed())
            }
            Use::Compare(t) => {
                c.dst_bits < 32 && t.is_signed() == dst.is_signed() && (dst.is_signed() || dst.bits() == 16)
            }
            Use::Half { signed } => {
                if dst.is_signed() {
                    signed
                } else {
                    dst == Type::U16 && !signed
                }
            }
            _ => false,
        })
}

/// The saturating conversions of the result that F2I does at once.
fn saturates_at_once(c: &Case, u: &Use) -> bool {
    c.guard.is_none() && matches!(*u, Use::Saturate { from, to } if case::saturates_at_once(&c.form, from, to))
}

/// The rules.
pub const RULES: &[Rule] = &[
    Rule {
        card: 3,
        name: "float-to-packed-byte",
        title: "a float rounded to a word for cvt.pack alone is converted by the F2IP there",
        when: |c| float_to_int(c) && c.packed_at.is_some() && c.machine.half_unit_integers,
        emit: |c, e| {
            e.into = c.packed_at;
            e.folded = Some("the F2IP that packs it converts it too");
        },
        why: "F2IP rounds, saturates and packs in one instruction",
        examples: &[Example {
            ptx: "cvt.rni.s32.f32 r1, f1; cvt.rni.s32.f32 r2, f2; cvt.pack.sat.s8.s32.b32 r3, r1, r2, 0;",
            arch: "sm_89",
            sass: &["F2IP.S8.F32.NTZ R0, R0, R0, RZ"],
        }],
    },
    Rule {
        card: 3,
        name: "float-to-byte",
        title: "f32 to u8 with rni or rzi is F2IP on the half unit",
        when: |c| {
            let (operand, round, ftz) = rounded(c);
            c.form.dst == Type::U8
                && c.form.src == Type::F32
                && c.machine.half_unit_integers
                && !ftz
                && !c.source.flushed
                && !operand.modified()
                && !c.word_of_pair
                && matches!(round, Round::Near | Round::Trunc)
        },
        emit: |c, e| {
            if c.dst_bits != 16 && !c.takes_over && extended_later(c) {
                e.pass("the extension that reads it carries the conversion: F2IP writes 32 bits");
                return;
            }
            let (operand, round, _) = rounded(c);
            e.result(Convert::F2ip { dst: int(c.form.dst), round }, &[Operand::RZ, operand, Operand::RZ]);
            e.narrow = Narrow::Extended;
        },
        why: "the packing conversion is faster, but unsigned, nearest or truncating only, and reads no negated source",
        examples: &[
            Example { ptx: "cvt.rni.u8.f32 r1, f1;", arch: "sm_89", sass: &["F2IP.U8.F32.NTZ R2, RZ, R0, RZ"] },
            Example { ptx: "cvt.rzi.u8.f32 r1, f1;", arch: "sm_89", sass: &["F2IP.U8.F32.TRUNC.NTZ R2, RZ, R0, RZ"] },
        ],
    },
    Rule {
        card: 3,
        name: "float-to-int",
        title: "float to integer is F2I; sign and width of the destination are a suffix, s32 is silent",
        when: float_to_int,
        emit: |c, e| {
            if c.only(|u| saturates_at_once(c, u)) {
                e.pass("the saturating conversion that reads it is an F2I of its own: that one saturates");
                return;
            }
            let (mut operand, round, mut ftz) = rounded(c);
            let dst = int(c.form.dst);
            let src = format(c.form.src).unwrap_or(Format::F32);
            // The 64-bit conversion has no flushing. A subnormal gives 0 all the same, but for directed rounding away from it.
            // An earlier rounding that is taken in flushes as it did.
            if dst.bits == 64 && ftz && rounded_before(c).is_none() {
                ftz = false;
                if round == Round::Ceil || round == Round::Floor && dst.signed {
                    operand = flushed(c, e, operand);
                }
            }
            let through_word = ftz || src == Format::F64 || c.source.flushed;
            if dst.bits < 32 && !through_word && !c.takes_over && extended_later(c) {
                e.pass("the extension that reads it carries the conversion: F2I writes 32 bits");
                return;
            }
            let ftz = ftz || c.source.flushed;
            e.result(Convert::F2i { dst, src, round, ftz }, &[operand]);
            e.narrow =
                if dst.bits < 32 { if through_word { Narrow::Raw } else { Narrow::Extended } } else { Narrow::Done };
            e.passed = c.any(|u| saturates_at_once(c, u));
        },
        why: "the conversion unit clamps to the destination by itself, so that .sat is silent; NTZ turns NaN into zero where no 64-bit format takes part",
        examples: &[
            Example { ptx: "cvt.rzi.s32.f32 r1, f1;", arch: "sm_89", sass: &["F2I.TRUNC.NTZ R2, R0"] },
            Example { ptx: "cvt.rzi.u32.f32 r1, f1;", arch: "sm_89", sass: &["F2I.U32.TRUNC.NTZ R2, R0"] },
            Example {
                ptx: ".reg .b64 d<9>; cvt.rzi.s64.f64 d1, d2;",
                arch: "sm_89",
                sass: &["F2I.S64.F64.TRUNC R4, R2"],
            },
        ],
    },
];
