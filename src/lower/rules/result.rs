//! What is done to a result: saturation of floats, extension of narrow integers.

use crate::dataflow::Use;
use crate::lower::case::{Case, Origin};
use crate::lower::emit::{Emit, Narrow};
use crate::lower::machine::Adder;
use crate::lower::rule::{Example, Rule};
use crate::lower::rules::int_to_int::shifted_within;
use crate::ptx::Type;
use crate::sass::float::F64Literal;
use crate::sass::{Alu, Compare, Operand, Pred, Reg, Selector};

fn clamps(c: &Case, t: Type) -> bool {
    c.form.sat && c.form.dst == t
}

/// The rules.
pub const RULES: &[Rule] = &[
    Rule {
        card: 4,
        name: "saturate-single",
        title: ".sat to f32 adds zero with the clamping modifier, unless the operation before can clamp itself",
        when: |c| clamps(c, Type::F32),
        emit: |c, e| {
            if c.source.origin == Origin::Saturable
                && !c.source.operand.modified()
                && c.source.only_reader
                && !c.form.ftz
            {
                e.into = c.maker;
                e.folded = Some("the operation that made the value clamps it: .SAT is a modifier there");
                return;
            }
            let ftz = c.form.ftz && c.form.src == Type::F32;
            let value = e.value;
            if c.source.clamped && e.out.is_empty() && !ftz {
                e.folded = Some("the operation that made the value clamped it");
                return;
            }
            if never_positive(value)
                && e.out.is_empty()
                && !c.any(|u| matches!(u, Use::Unpack | Use::Copy | Use::Logic | Use::Mask(_)))
                && !ftz
            {
                e.folded = Some("what is never positive clamps to zero");
                return;
            }
            if let (Some([a, b]), true, true) = (c.source.factors, ftz, e.out.is_empty()) {
                e.product(a, b, true);
                return;
            }
            e.result(Alu::Fadd { ftz, sat: true }, &[Operand::RZ, value]);
        },
        why: "adding zero changes no value; .SAT clamps to [0, 1] and turns NaN into 0",
        examples: &[
            Example {
                ptx: "cvt.rn.sat.f32.s32 f1, r1;",
                arch: "sm_89",
                sass: &["I2FP.F32.S32 R2, R0", "FADD.SAT R2, RZ, R2"],
            },
            Example { ptx: "mul.f32 f3, f1, f2; cvt.sat.f32.f32 f4, f3;", arch: "sm_89", sass: &[] },
        ],
    },
    Rule {
        card: 4,
        name: "saturate-half",
        title: ".sat to f16 adds -0 on the half ALU with the clamping modifier",
        when: |c| clamps(c, Type::F16),
        emit: |c, e| {
            if c.source.origin == Origin::Saturable
                && !c.source.operand.modified()
                && c.source.only_reader
                && c.form.src == Type::F32
            {
                return;
            }
            if let Operand::F32(..) = e.value {
                let imm = e.value;
                e.result(Alu::Hadd2 { f32: false, sat: true }, &[Operand::NEG_RZ.select(Selector::H0H0), imm, imm]);
                return;
            }
            let high = c.source.high && e.out.is_empty();
            let value = e.value.select(if high { Selector::H1H1 } else { Selector::H0H0 });
            let none = Operand::NEG_RZ.select(Selector::H0H0);
            // a parameter is read in the bank or in a uniform register, as the second operand
            let parameter = e.out.is_empty() && matches!(c.source.origin, Origin::Param { bits: 16, .. });
            let sources = if parameter { [none, c.half_parameter().unwrap_or(value)] } else { [value, none] };
            e.result(Alu::Hadd2 { f32: false, sat: true }, &sources);
            if c.merged {
                e.merge();
            }
            if c.any(reads_integer) {
                let value = e.value;
                e.result(Alu::Prmt, &[value, Operand::Bits(0x7610), value]);
            }
        },
        why: "the half ALU clamps its results",
        examples: &[
            Example {
                ptx: "cvt.rn.sat.f16.f32 h1, f1;",
                arch: "sm_89",
                sass: &["F2FP.F16.F32.PACK_AB R2, RZ, R0", "HADD2.SAT R2, R2.H0_H0, -RZ.H0_H0"],
            },
            Example { ptx: "cvt.sat.f16.f16 h1, h2;", arch: "sm_89", sass: &["HADD2.SAT R2, R0.H0_H0, -RZ.H0_H0"] },
        ],
    },
    Rule {
        card: 4,
        name: "saturate-double",
        title: ".sat to f64 is a maximum with 0 and a minimum with 1, built of compares and selects",
        when: |c| clamps(c, Type::F64),
        emit: |c, e| {
            // what is widened without loss is clamped before
            if c.source.origin == Origin::Saturable
                && c.form.src == Type::F32
                && !c.source.operand.modified()
                && c.source.only_reader
            {
                return;
            }
            maximum_minimum(e, Operand::RZ, Compare::Max, 0x8_0000);
            maximum_minimum(e, Operand::F64(F64Literal::from_bits(1_f64.to_bits())), Compare::Min, 0x3ff0_0000);
        },
        why: "there is no clamping in double precision; a NaN is made quiet under the second predicate",
        examples: &[Example {
            ptx: ".reg .b64 d<9>; cvt.sat.f64.f64 d1, d2;",
            arch: "sm_89",
            sass: &[
                "DSETP.MAX.AND P0, P1, RZ, R2, PT",
                "MOV R8, RZ",
                "FSEL R6, R8, R3, P0",
                "SEL R8, R8, R2, P0",
                "@P1 LOP3.LUT R6, R3, 0x80000, RZ, 0xfc, !PT",
                "MOV R4, R8",
                "MOV R5, R6",
                "DSETP.MIN.AND P0, P1, R4, 1, PT",
                "FSEL R10, R5, 1.875, P0",
                "SEL R12, R4, RZ, P0",
                "@P1 LOP3.LUT R10, R5, 0x3ff00000, RZ, 0xfc, !PT",
                "MOV R4, R12",
                "MOV R5, R10",
            ],
        }],
    },
    Rule {
        card: 6,
        name: "narrow-result",
        title: "a byte or half is extended within its register, unless the reader does so",
        when: |c| c.to_int() && c.form.dst.bits() <= 16,
        emit: narrow,
        why: "a byte in a 16-bit register is kept extended to 16 bits with zeros above; a half has anything above it",
        examples: &[
            Example {
                ptx: ".reg .b16 h<9>; cvt.rzi.ftz.s8.f32 h1, f1;",
                arch: "sm_89",
                sass: &["F2I.FTZ.S8.TRUNC.NTZ R2, R0", "PRMT R2, R2, 0x8880, RZ", "PRMT R2, R2, 0x7710, RZ"],
            },
            Example {
                ptx: ".reg .b64 d<9>; cvt.rzi.s16.f64 r1, d1;",
                arch: "sm_89",
                sass: &["F2I.S16.F64.TRUNC R0, R2", "PRMT R0, R0, 0x9910, RZ"],
            },
        ],
    },
];

/// A reader that takes a half as an integer.
fn reads_integer(u: &Use) -> bool {
    match u {
        Use::Logic
        | Use::Mask(_)
        | Use::MaskApart
        | Use::ShiftLeft(_)
        | Use::ShiftLeftAdded
        | Use::Add(_)
        | Use::Subtract => true,
        Use::Extend { .. } | Use::Narrow { .. } | Use::Saturate { .. } | Use::Half { .. } => true,
        Use::Compare(ty) => !ty.is_float(),
        Use::FloatToFloat { from, .. } => *from == Type::Bf16,
        _ => false,
    }
}

/// `-|a|`
fn never_positive(o: Operand) -> bool {
    matches!(o, Operand::Reg { neg: true, abs: true, .. })
}

/// One half of the double-precision clamp.
fn maximum_minimum(e: &mut Emit<'_>, limit: Operand, compare: Compare, quiet: u32) {
    let (p, q) = (Pred(0), Pred(1));
    let (v, dst) = (e.value, e.dst);
    let (high, low) = (e.scratch(), e.scratch());
    if compare == Compare::Max {
        e.compare(Alu::Dsetp(compare), p, q, limit, v);
        e.to(low, Alu::Mov, &[Operand::RZ]);
        e.to(high, Alu::Fsel, &[Operand::reg(low), v.high(), Operand::Pred(p, false)]);
        e.to(low, Alu::Sel, &[Operand::reg(low), v, Operand::Pred(p, false)]);
    } else {
        e.compare(Alu::Dsetp(compare), p, q, v, limit);
        e.to(high, Alu::Fsel, &[v.high(), Operand::F32(1.875, Selector::Whole), Operand::Pred(p, false)]);
        e.to(low, Alu::Sel, &[v, Operand::RZ, Operand::Pred(p, false)]);
    }
    let table = [v.high(), Operand::Bits(quiet), Operand::RZ, Operand::Bits(0xfc), Operand::NOT_PT];
    e.guarded(Some((q, false)), high, Alu::Lop3, &table);
    e.to(dst, Alu::Mov, &[Operand::reg(low)]);
    e.to(dst.high(), Alu::Mov, &[Operand::reg(high)]);
    e.value = Operand::reg(dst);
}

/// Extension of a byte or half within its register.
fn narrow(c: &Case, e: &mut Emit<'_>) {
    if e.folded.is_some() || e.narrow == Narrow::Done {
        return;
    }
    if c.dst_bits == 8 {
        if e.out.is_empty() {
            e.folded = Some("a register of 8 bits has no room to extend it in");
        }
        return;
    }
    let (dst, word) = (c.form.dst, c.dst_bits >= 32);
    // The low part of a wider register is not looked through, but in a parameter.
    let part = matches!(c.source.origin, Origin::Part { element: 0, .. })
        || c.form.src.bits() == 64 && c.from_int() && !c.source.origin.is_parameter();
    let plain = e.out.is_empty();
    let extended = e.narrow == Narrow::Extended && !plain;
    let reader_extends = c.only(|u| match *u {
        Use::ToFloat { from, to } => {
            to == Type::F32
                && !(plain && part && from == dst)
                && (from == dst
                    || dst == Type::S8 && !word && from == Type::S16
                    || dst == Type::U8 && !word && from.is_unsigned()
                    || word && !plain && !extended && from.bits() == 32 && from.is_signed() == dst.is_signed())
        }
        Use::Extend { from, to } => dst == Type::S8 && !word && from.is_signed() && to.bits() == 32 && !(plain && part),
        Use::Compare(t) => dst == Type::S8 && !word && t.is_signed(),
        Use::Half { signed } => dst == Type::S8 && !word && signed,
        u if puts_byte_above(&u) => c.uses.len() == 1 && !(plain && part),
        Use::ShiftLeft(by) => dst == Type::U8 && c.joined.is_none() && c.uses.len() == 1 && shifted_within(by, 8, 32),
        Use::Insert(bits) => bits <= dst.bits() && !(plain && (part || c.source.half_of_vector())),
        _ => false,
    });
    let reread = plain && e.narrow == Narrow::Extended;
    match dst {
        Type::U8 if reader_extends || extended && word || c.only_masked && c.joined.is_none() => {}
        Type::U8 => e.mask_source(c, 0xff),
        Type::S8 if reader_extends || extended && word => {}
        Type::S8 => {
            if !reread {
                e.permute(0x8880);
            }
            if !word {
                e.permute(0x7710);
            }
        }
        Type::U16 | Type::S16 if reader_extends => {}
        Type::U16 if word && !extended => e.mask_source(c, 0xffff),
        Type::S16 if word && !extended => e.permute(0x9910),
        _ => {}
    }
    if e.folded.is_some() {
        return;
    }
    if e.out.is_empty() {
        e.pass("the reader takes the bits it wants itself");
    } else if reader_extends || dst == Type::S8 && !word && c.from_int() {
        e.passed = true;
    }
}

/// A store of a vector that puts a byte above another one, which takes no more than the byte.
pub fn puts_byte_above(u: &Use) -> bool {
    matches!(u, Use::Store { bits: 8, element: 1.. })
}

/// Add an immediate, under a guard perhaps, as the architecture does it.
pub fn add_immediate(c: &Case, e: &mut Emit<'_>, guard: Option<(Pred, bool)>, dst: Reg, value: Operand, by: i32) {
    // a positive one is written as bits
    let signed = if by < 0 { Operand::Signed(by) } else { Operand::Bits(by as u32) };
    match c.machine.adder {
        Adder::Iadd3 => e.guarded(guard, dst, Alu::Iadd3, &[value, signed, Operand::RZ]),
        Adder::Viadd => e.guarded(guard, dst, Alu::Viadd, &[value, Operand::Bits(by as u32)]),
        Adder::Iadd3Predicates => {
            e.guarded(guard, dst, Alu::Iadd3, &[Operand::PT, Operand::PT, value, signed, Operand::RZ]);
        }
        Adder::Iadd => e.guarded(guard, dst, Alu::Iadd, &[value, signed]),
    }
}
