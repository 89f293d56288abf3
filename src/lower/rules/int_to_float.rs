//! Integer to float: I2F, and I2FP for 32-bit integers.

use crate::dataflow::facts::{How, Known};
use crate::lower::case::{Case, Field, Origin};
use crate::lower::emit::Emit;
use crate::lower::rule::{Example, Rule};
use crate::lower::rules::float_to_float::{format, round};
use crate::lower::rules::int_to_int::int;
use crate::lower::uniform;
use crate::ptx::Type;
use crate::sass::{Convert, Format, Int, Operand, Round, Selector};

fn int_to_float(c: &Case) -> bool {
    c.from_int() && format(c.form.dst).is_some()
}

/// What the conversion reads, after what is known of the source.
fn reads(c: &Case) -> Int {
    let src = int(c.form.src);
    let known = c.source.known;
    match src.bits {
        32 if matches!(c.source.origin, Origin::Absolute { .. }) => Int { bits: 32, signed: true },
        8 | 16 if is_literal(c) => Int { bits: 32, signed: src.signed },
        // A parameter or constant is read again with its own width.
        16 | 32
            if matches!(c.source.origin, Origin::Param { bits: 8 | 16, .. })
                && c.form.dst == Type::F32
                && src.signed
                && known.fits_signed(16)
                && !known.fits_unsigned(16) =>
        {
            Int { bits: if known.fits_signed(8) { 8 } else { 16 }, signed: true }
        }
        _ => src,
    }
}

/// The source is a number in the statement.
fn is_literal(c: &Case) -> bool {
    matches!(c.source.operand, Operand::Bits(_) | Operand::Signed(_))
}

/// The source is known to be a zero-extended value that may be read as a whole word.
fn is_word(c: &Case, bits: u8) -> bool {
    bits == 32
        || c.source.known.fits_unsigned(bits.into())
            && !(c.source.bits == 64 && c.source.known.how == How::Convert)
            && !matches!(
                c.source.known.how,
                How::Mask | How::Half | How::Rounded | How::Choice | How::Clamp | How::Unknown
            )
            && (c.source.known.how != How::Load || c.source.only_reader || c.source.byte.is_some())
            && !(bits == 16 && c.source.shared_byte)
        || bits == 16 && matches!(c.source.origin, Origin::Param { bits: 8 | 16, .. })
        || c.reads_part_of_parameter()
}

/// The half unit can do the conversion.
fn on_half_unit(c: &Case) -> bool {
    c.form.dst == Type::F32 && c.machine.half_unit_integers && matches!(round(&c.form), Round::Near | Round::Trunc)
}

/// The half unit converts a byte that the load takes out of its word with zeros above: an unsigned one that nothing else
/// reads or that was cut on the way, or a half that has no sign.
fn half_unit_takes_byte(c: &Case) -> bool {
    let bits = c.form.src.bits();
    let unsigned = match c.form.src.is_signed() {
        true => bits > 8 && c.source.known.fits_unsigned(8),
        false => c.source.only_reader || c.source.cut,
    };
    on_half_unit(c) && bits <= 16 && unsigned
}

/// The conversion unit reads the field in its word.
fn reads_field(c: &Case, f: Field) -> bool {
    let src = c.form.src;
    match (f.shifted, src.is_signed()) {
        (false, _) if src.bits() == 32 => true,
        (false, _) if src.bits() < f.bits => false,
        (false, true) => src.bits() <= 16,
        (false, false) if f.signed => src.bits() <= f.bits,
        (false, false) => src.bits() <= 16 && (!on_half_unit(c) || !c.source.only_reader),
        (true, true) => false,
        // A mask that leaves a byte of what was shifted is taken in by the conversion unit only.
        (true, false) => match src.bits() {
            32 => {
                matches!((f.from, f.bits), (24, _) | (16, 16))
                    || f.bits == 8 && (f.shared || !c.source.only_reader || !on_half_unit(c))
            }
            16 => f.from >= 16 && !on_half_unit(c),
            8 => !on_half_unit(c),
            _ => false,
        },
    }
}

/// A signed byte that was cut to a half, with zeros above that.
fn is_cut_sign(known: Known) -> bool {
    known.how == How::Convert && known.zero_from == 16 && known.sign_from == 8
}

/// What a shift brought down, with other bits above.
fn shifted(c: &Case, bits: u8) -> bool {
    match c.source.field {
        _ if matches!(c.source.known.how, How::Choice | How::Clamp) => true,
        // the sign of a byte that was cut
        _ if bits == 8 && is_cut_sign(c.source.known) => true,
        // Masked to a byte, which only a byte's reader does again.
        Some(f) if f.shifted => f.bits != 8 || bits == 8,
        Some(f) => u32::from(bits) < f.bits && c.source.only_reader,
        _ => matches!(c.source.origin, Origin::Shifted { .. }),
    }
}

/// The instruction that does the conversion, from a bit of a word on; ptxas names no statement for it.
fn elsewhere(c: &Case, e: &mut Emit<'_>, src: Int, from: u32) {
    let selector = match (src.bits, from) {
        (8, 8..) => Selector::Byte((from / 8) as u8),
        (16, 16) => Selector::H1,
        _ => Selector::Whole,
    };
    let dst = format(c.form.dst).unwrap_or(Format::F32);
    let word = c.source.field.and_then(|f| f.word).map_or(c.source.plain, Operand::reg);
    e.result(Convert::I2f { dst, src, round: round(&c.form) }, &[word.select(selector)]);
    e.carried = e.out.pop();
}

/// A byte of a shifted word that only this conversion reads: the mask is done here.
fn masked_field(c: &Case) -> bool {
    c.form.src == Type::U32
        && c.source.only_reader
        && c.source.known.how == How::Mask
        && c.source.field.is_some_and(|f| f.shifted && !f.shared && f.from < 24 && f.bits == 8)
}

/// The low byte of a half that a load zero-extended for this conversion alone.
fn is_loaded_half(c: &Case) -> bool {
    c.source.only_reader
        && c.source.origin == Origin::Load
        && c.source.known.how == How::Load
        && c.source.known.zero_from == 16
}

/// The rules.
pub const RULES: &[Rule] = &[
    Rule {
        card: 2,
        name: "field-of-word",
        title: "a byte or half that a bfe or shift takes out of a word is read by I2F where it stood",
        when: |c| int_to_float(c) && !c.predicated && c.source.field.is_some_and(|f| reads_field(c, f)),
        emit: |c, e| {
            if let Some(f) = c.source.field {
                let narrow = c.form.src.bits() == 8;
                let bits = if narrow { 8 } else { f.bits.min(16) as u8 };
                let signed = if narrow { c.form.src.is_signed() } else { f.signed };
                elsewhere(c, e, Int { bits, signed }, f.from);
            }
            e.folded = Some("the conversion reads the field where it stands in the word, in the reader's place");
        },
        why: "the conversion unit selects bytes and halves of its source; the half unit, which converts words, does not",
        examples: &[
            Example { ptx: ".reg .b64 d<9>; shr.u32 r2, r1, 8; cvt.rn.f64.u8 d1, r2;", arch: "sm_89", sass: &[] },
            Example { ptx: "bfe.u32 r2, r1, 16, 8; cvt.rn.f32.u32 f1, r2;", arch: "sm_89", sass: &[] },
        ],
    },
    Rule {
        card: 2,
        name: "byte-of-vector",
        title: "a byte of a loaded vector is read by I2F where it stands",
        when: |c| {
            int_to_float(c)
                && !c.predicated
                && c.source.byte.is_some()
                && c.form.src.bits() < 64
                && (c.form.src != Type::U16 || c.source.known.fits_unsigned(8))
                && match c.source.taken {
                    true => c.form.dst == Type::F32,
                    false => c.widened || !half_unit_takes_byte(c),
                }
        },
        emit: |c, e| {
            let signed = c.form.src.is_signed();
            elsewhere(c, e, Int { bits: 8, signed }, 8 * u32::from(c.source.byte.unwrap_or(0) % 4));
            e.folded = Some("the byte is converted where it stands in the loaded word, in the reader's place");
        },
        why: "the conversion unit selects bytes of its source",
        examples: &[Example {
            ptx: ".reg .b64 d<9>; ld.global.v4.s8 {h1, h2, h3, h4}, [d1]; cvt.rn.f32.s8 f1, h1; cvt.rn.f32.s8 f2, h2;",
            arch: "sm_89",
            sass: &[],
        }],
    },
    Rule {
        card: 2,
        name: "word-to-single",
        title: "a 32-bit integer to f32 with rn or rz is I2FP; so is a narrower unsigned one that is already extended",
        when: |c| {
            let src = reads(c);
            c.form.dst == Type::F32
                && int_to_float(c)
                && c.machine.half_unit_integers
                && matches!(round(&c.form), Round::Near | Round::Trunc)
                && src.bits <= 32
                && (src.bits == 32 && !masked_part(c)
                    || src.bits < 32
                        && !src.signed
                        && c.source.operand != Operand::RZ
                        && (is_word(c, src.bits) || shifted(c, src.bits) || src.bits == 8 && is_loaded_half(c)))
        },
        emit: |c, e| {
            let src = reads(c);
            if src.bits < 32 && !is_word(c, src.bits) || masked_field(c) {
                // Bits above the byte that the shift brought down.
                let cut = e.scratch();
                let dst = std::mem::replace(&mut e.dst, cut);
                e.value = c.source.plain;
                e.mask(if src.bits == 16 { 0xffff } else { 0xff });
                e.dst = dst;
            } else {
                e.value = c.source.operand;
            }
            let value = e.value;
            e.result(Convert::I2fp { src: Int { bits: 32, signed: src.signed }, round: round(&c.form) }, &[value]);
        },
        why: "the half unit converts 32-bit words, nearest or truncating only",
        examples: &[
            Example { ptx: "cvt.rn.f32.s32 f1, r1;", arch: "sm_89", sass: &["I2FP.F32.S32 R2, R0"] },
            Example { ptx: "cvt.rz.f32.u32 f1, r1;", arch: "sm_89", sass: &["I2FP.F32.U32.RZ R2, R0"] },
            Example {
                ptx: ".reg .b64 d<9>; ld.global.u8 h1, [d1]; cvt.rn.f32.u8 f1, h1;",
                arch: "sm_89",
                sass: &["I2FP.F32.U32 R4, R0"],
            },
        ],
    },
    Rule {
        card: 2,
        name: "int-to-float",
        title: "any other integer to float is I2F; sign and width of the source are a suffix, s32 is silent",
        when: int_to_float,
        emit: |c, e| {
            let mut src = reads(c);
            let mut operand = c.source.operand;
            if let Origin::Masked { of, .. } = c.source.origin
                && masked_part(c)
            {
                src = Int { bits: if c.source.known.fits_unsigned(8) { 8 } else { 16 }, signed: false };
                operand = of;
            }
            if is_literal(c) && src.bits == 64 {
                // no instruction holds so many bits
                operand = match c.machine.constant_operands {
                    true => Operand::constant(2, 0),
                    false => uniform::literal(c.source.known.constant.unwrap_or(0), &mut e.out),
                };
            }
            let dst = format(c.form.dst).unwrap_or(Format::F32);
            e.result(Convert::I2f { dst, src, round: round(&c.form) }, &[operand]);
        },
        why: "the conversion unit extends bytes and halves itself, and has every rounding",
        examples: &[
            Example { ptx: ".reg .b64 d<9>; cvt.rn.f32.u64 f1, d1;", arch: "sm_89", sass: &["I2F.U64 R0, R2"] },
            Example { ptx: "cvt.rm.f32.s32 f1, r1;", arch: "sm_89", sass: &["I2F.RM R2, R0"] },
            Example { ptx: "cvt.rn.f32.s32 f1, r1;", arch: "sm_80", sass: &["I2F R2, R0"] },
        ],
    },
];

/// An unsigned 32-bit source masked to a byte or half: the mask goes and the part is read.
fn masked_part(c: &Case) -> bool {
    c.form.src == Type::U32
        && c.form.dst == Type::F32
        && c.source.known.how == How::Mask
        && matches!(c.source.known.zero_from, 8 | 16)
        && matches!(c.source.origin, Origin::Masked { .. })
}
