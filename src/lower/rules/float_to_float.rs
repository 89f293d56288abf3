//! Scalar float to float, and rounding in place.

use crate::cvt::{Form, Rounding};
use crate::dataflow::{Single, Use};
use crate::lower::case::{Case, Origin};
use crate::lower::emit::Emit;
use crate::lower::machine::Packing;
use crate::lower::rule::{Example, Rule};
use crate::lower::rules::narrow::f2fp;
use crate::ptx::Type;
use crate::sass::{Alu, Compare, Convert, Format, Operand, PackMode, Pred, Round, Selector};

/// The smallest normal f32.
const SMALLEST_NORMAL: f32 = f32::MIN_POSITIVE;

/// The SASS format of a scalar float type.
pub fn format(t: Type) -> Option<Format> {
    Some(match t {
        Type::F16 => Format::F16,
        Type::Bf16 => Format::Bf16,
        Type::F32 => Format::F32,
        Type::F64 => Format::F64,
        _ => return None,
    })
}

/// The round mode of a form.
pub fn round(f: &Form) -> Round {
    match f.rounding {
        None | Some(Rounding::Rn | Rounding::Rni | Rounding::Rna) => Round::Near,
        Some(Rounding::Rz | Rounding::Rzi) => Round::Trunc,
        Some(Rounding::Rm | Rounding::Rmi) => Round::Floor,
        Some(Rounding::Rp | Rounding::Rpi) => Round::Ceil,
        Some(Rounding::Rs) => Round::Stochastic,
    }
}

fn integral(f: &Form) -> bool {
    matches!(f.rounding, Some(Rounding::Rni | Rounding::Rzi | Rounding::Rmi | Rounding::Rpi))
}

fn pair(c: &Case, dst: Type, src: Type) -> bool {
    c.form.dst == dst && c.form.src == src
}

fn to_half(c: &Case) -> bool {
    matches!(c.form.dst, Type::F16 | Type::Bf16) && c.form.src == Type::F32
}

fn f2f(c: &Case, ftz: bool) -> Convert {
    let of = |t| format(t).unwrap_or(Format::F32);
    Convert::F2f { dst: of(c.form.dst), src: of(c.form.src), round: round(&c.form), ftz }
}

/// A reader that works on all 32 bits of the register, so that the half above has to be zero; so it has under a predicate.
fn reads_word(c: &Case) -> bool {
    c.read_as_word || c.predicated
}

/// A reader of the half sees what stands above it: a word is read, or a mask reads it as it is.
fn wants_zeros_above(c: &Case) -> bool {
    reads_word(c) || c.any(|u| matches!(u, Use::Mask(_)))
}

/// The operands of a sum that changes nothing but signs and subnormals. A parameter can only be the second one.
pub fn with_zero(operand: Operand, parameter: bool) -> [Operand; 2] {
    if parameter { [Operand::NEG_RZ, operand] } else { [operand, Operand::NEG_RZ] }
}

/// The source as F2FP reads it, which takes no sign in: that of a zero is in a literal, another is put on before.
pub fn without_sign(c: &Case, e: &mut Emit<'_>) -> Operand {
    match c.source.operand {
        Operand::NEG_RZ => Operand::F32(-0.0, Selector::Whole),
        source if source.modified() => {
            let plain = e.scratch();
            e.to(plain, Alu::Fadd { ftz: false, sat: false }, &with_zero(source, c.source.origin.is_parameter()));
            Operand::reg(plain)
        }
        source => source,
    }
}

/// What is flushed, for an instruction that does not flush: a product does so itself.
pub fn flushed(c: &Case, e: &mut Emit<'_>, operand: Operand) -> Operand {
    if c.source.product {
        return operand;
    }
    let flushed = e.scratch();
    let (operand, one) = match operand {
        Operand::Reg { reg, neg: true, abs, sel } => (Operand::Reg { reg, neg: false, abs, sel }, -1.0),
        other => (other, 1.0),
    };
    e.to(flushed, Alu::Fmul { ftz: true }, &[operand, Operand::F32(one, Selector::Whole)]);
    Operand::reg(flushed)
}

/// The rules.
pub const RULES: &[Rule] = &[
    Rule {
        card: 7,
        name: "round-in-place",
        title: "the same format with an integer rounding is FRND, or nothing where an F2I takes the rounding over",
        when: |c| c.form.dst == c.form.src && integral(&c.form) && format(c.form.dst).is_some(),
        emit: |c, e| {
            if !c.form.sat && c.only(|u| matches!(u, Use::FloatToInt { truncates: true, .. })) {
                e.into = c.reader;
                e.folded = Some("the F2I that reads it rounds itself");
                return;
            }
            let format = format(c.form.dst).unwrap_or(Format::F32);
            e.result(Convert::Frnd { format, round: round(&c.form), ftz: c.form.ftz }, &[c.source.operand]);
        },
        why: "the conversion unit rounds to an integral value of the same format",
        examples: &[
            Example { ptx: "cvt.rni.f32.f32 f1, f2;", arch: "sm_89", sass: &["FRND R2, R0"] },
            Example { ptx: ".reg .b64 d<9>; cvt.rzi.f64.f64 d1, d2;", arch: "sm_89", sass: &["FRND.F64.TRUNC R4, R2"] },
            Example { ptx: "cvt.rmi.f16.f16 h1, h2;", arch: "sm_89", sass: &["FRND.F16.FLOOR R2, R0"] },
        ],
    },
    Rule {
        card: 4,
        name: "f32-in-place",
        title: "f32 to f32 is nothing; .ftz adds a zero that flushes, .sat is the clamping add",
        when: |c| pair(c, Type::F32, Type::F32),
        emit: |c, e| {
            if c.form.ftz && !c.form.sat {
                if c.only(|u| matches!(u, Use::FloatToInt { .. })) {
                    e.into = c.reader;
                    e.folded = Some("the F2I that reads it flushes itself");
                    return;
                }
                if c.only(|u| matches!(u, Use::Float(Type::F32, true))) {
                    e.into = c.reader;
                    e.folded = Some("the operation that reads it flushes its operands");
                    return;
                }
                if let Some([a, b]) = c.source.factors {
                    e.product(a, b, false);
                    return;
                }
                let op = Alu::Fadd { ftz: true, sat: false };
                e.result(op, &with_zero(c.source.operand, c.source.origin.is_parameter()));
            } else if !c.form.sat {
                e.folded = Some("the value stays in its register");
            }
        },
        why: "adding -0 changes no value, and .ftz and .sat are modifiers of the add",
        examples: &[
            Example { ptx: "cvt.ftz.f32.f32 f1, f2;", arch: "sm_89", sass: &["FADD.FTZ R2, R0, -RZ"] },
            Example { ptx: "cvt.sat.f32.f32 f1, f2;", arch: "sm_89", sass: &["FADD.SAT R2, RZ, R0"] },
            Example { ptx: "cvt.f32.f32 f1, f2;", arch: "sm_89", sass: &[] },
        ],
    },
    Rule {
        card: 1,
        name: "in-place",
        title: "f64 to f64 is nothing; .sat is a comparison chain",
        when: |c| pair(c, Type::F64, Type::F64),
        emit: |c, e| {
            if !c.form.sat {
                e.folded = Some("the value stays in its register");
            }
        },
        why: "no bit changes",
        examples: &[Example { ptx: ".reg .b64 d<9>; cvt.f64.f64 d1, d2;", arch: "sm_89", sass: &[] }],
    },
    Rule {
        card: 5,
        name: "half-in-place",
        title: "f16 to f16 adds -0 on the half ALU",
        when: |c| pair(c, Type::F16, Type::F16),
        emit: |c, e| {
            if !c.form.sat {
                if let Operand::F32(..) = c.source.operand {
                    let imm = c.source.operand;
                    e.result(
                        Alu::Hadd2 { f32: false, sat: false },
                        &[Operand::NEG_RZ.select(Selector::H0H0), imm, imm],
                    );
                    e.permute(0x5410);
                    return;
                }
                let sources = [c.source.operand.select(Selector::H0H0), Operand::NEG_RZ.select(Selector::H0H0)];
                e.result(Alu::Hadd2 { f32: false, sat: false }, &sources);
                e.permute(0x5410);
            }
        },
        why: "the half ALU works on pairs; the low lane is taken out again",
        examples: &[Example {
            ptx: "cvt.f16.f16 h1, h2;",
            arch: "sm_89",
            sass: &["HADD2 R2, R0.H0_H0, -RZ.H0_H0", "PRMT R2, R2, 0x5410, RZ"],
        }],
    },
    Rule {
        card: 1,
        name: "brain-in-place",
        title: "bf16 to bf16 is a multiply and add that changes nothing",
        when: |c| pair(c, Type::Bf16, Type::Bf16),
        emit: |c, e| {
            let low = |o: Operand| o.select(Selector::H0H0);
            e.result(Alu::Hfma2Bf16, &[low(Operand::NEG_RZ), low(Operand::RZ), low(c.source.operand)]);
            e.permute(0x5410);
        },
        why: "the half ALU works on pairs; the low lane is taken out again",
        examples: &[Example {
            ptx: "cvt.bf16.bf16 h1, h2;",
            arch: "sm_90",
            sass: &["HFMA2.BF16_V2 R2, -RZ.H0_H0, RZ.H0_H0, R0.H0_H0", "PRMT R2, R2, 0x5410, RZ"],
        }],
    },
    Rule {
        card: 5,
        name: "half-result-to-single",
        title: "on sm_75 the arithmetic that alone makes the half writes an f32 itself",
        when: |c| pair(c, Type::F32, Type::F16) && matches!(c.single, Some(Single::Written { .. })),
        emit: |c, e| {
            let Some(Single::Written { statement, saturated }) = c.single else { return };
            e.saturated = true;
            e.value = c.source.plain;
            if c.form.sat && !saturated {
                e.result(Alu::Fadd { ftz: false, sat: true }, &[Operand::RZ, c.source.operand]);
            } else if c.guard.is_none() {
                e.into = Some(statement);
                e.folded = Some("the arithmetic of halves writes an f32");
            }
        },
        why: "HADD2, HMUL2 and HFMA2 write an f32 of sums and products that say nothing of their rounding, where \
              nothing else reads them; a sign is changed by who reads the f32",
        examples: &[Example {
            ptx: "add.f16 h1, h2, h3; cvt.f32.f16 f1, h1; st.global.f32 [d1], f1;",
            arch: "sm_75",
            sass: &[],
        }],
    },
    Rule {
        card: 5,
        name: "half-to-single",
        title: "f16 to f32 is an add of -0 on the half ALU",
        when: |c| pair(c, Type::F32, Type::F16),
        emit: |c, e| {
            let half = c.source.operand.select(if c.source.high { Selector::H1H1 } else { Selector::H0H0 });
            if c.machine.half_alu_widens {
                e.saturated = c.form.sat;
                let sat = c.form.sat && c.single != Some(Single::Saturated);
                // a place in the bank is the second operand only
                let place = c.half_parameter().filter(|_| c.form.sat || matches!(half, Operand::Const { .. }));
                let sources = match place {
                    Some(place) => [Operand::NEG_RZ, place],
                    None => [half, Operand::NEG_RZ.select(Selector::H0H0)],
                };
                e.result(Alu::Hadd2 { f32: true, sat }, &sources);
            } else {
                e.result(Alu::Hadd2 { f32: true, sat: false }, &[Operand::NEG_RZ, half]);
            }
        },
        why: "the half ALU can write an f32, at full rate; every f16 fits, so that .ftz changes nothing",
        examples: &[Example {
            ptx: "cvt.f32.f16 f1, h1;",
            arch: "sm_75",
            sass: &["HADD2.F32 R2, R0.H0_H0, -RZ.H0_H0"],
        }],
    },
    Rule {
        card: 5,
        name: "brain-to-single",
        title: "bf16 to f32 is a shift by 16",
        when: |c| pair(c, Type::F32, Type::Bf16) && !c.form.ftz,
        emit: |c, e| {
            let dst = e.dst;
            e.shift_half(c.machine, dst, c.source.plain);
            e.value = Operand::reg(dst);
        },
        why: "a bf16 is the upper half of an f32",
        examples: &[
            Example { ptx: "cvt.f32.bf16 f1, h1;", arch: "sm_89", sass: &["SHF.L.U32 R2, R0, 0x10, RZ"] },
            Example { ptx: "cvt.f32.bf16 f1, h1;", arch: "sm_120", sass: &["IMAD.U32 R2, R0, 0x10000, RZ"] },
        ],
    },
    Rule {
        card: 5,
        name: "single-to-half-saturating",
        title: ".relu and .satfinite to f16 or bf16 are F2FP.MERGE_C",
        when: |c| to_half(c) && (c.form.relu || c.form.satfinite) && c.machine.packing != Packing::None,
        emit: |c, e| {
            let dst = format(c.form.dst).unwrap_or(Format::F16);
            let source = without_sign(c, e);
            e.result(f2fp(c, dst, Format::F32, PackMode::MergeC), &[source, Operand::RZ]);
        },
        why: "the merging mode is the one with these modifiers; F2FP reads no negated source",
        examples: &[
            Example {
                ptx: "cvt.rn.relu.f16.f32 h1, f1;",
                arch: "sm_89",
                sass: &["F2FP.RELU.F16.F32.MERGE_C R2, R0, RZ"],
            },
            Example {
                ptx: "cvt.rn.satfinite.bf16.f32 h1, f1;",
                arch: "sm_89",
                sass: &["F2FP.SATFINITE.BF16.F32.MERGE_C R2, R0, RZ"],
            },
            Example { ptx: "cvt.rn.relu.f16.f32 h1, f1;", arch: "sm_80", sass: &["F2FP.RELU.MERGE_C R2, R0, RZ"] },
        ],
    },
    Rule {
        card: 5,
        name: "lost-satfinite",
        title: ".satfinite to f16 on sm_75 is lost, and the conversion with it",
        when: |c| to_half(c) && c.form.satfinite && c.machine.packing == Packing::None,
        emit: |_, e| e.folded = Some("a defect of ptxas: the low 16 bits of the f32 are taken instead"),
        why: "a defect of ptxas 13.1: sm_75 has no F2FP, and nothing takes its place",
        examples: &[Example { ptx: "cvt.rn.satfinite.f16.f32 h1, f1;", arch: "sm_75", sass: &[] }],
    },
    Rule {
        card: 5,
        name: "single-for-half-arithmetic",
        title: "on sm_75 the arithmetic that alone reads a truncated f16 reads the f32 itself",
        when: |c| to_half(c) && c.single == Some(Single::Read),
        emit: |c, e| {
            e.saturated = true;
            if c.form.sat {
                e.result(Alu::Fadd { ftz: false, sat: true }, &[Operand::RZ, c.source.operand]);
            } else {
                e.into = c.reader;
                e.folded = Some("the arithmetic of halves reads the f32");
            }
        },
        why: "HADD2, HMUL2, HFMA2, HSETP2 and HSET2 read an f32 and truncate it, where they name no rounding",
        examples: &[Example {
            ptx: "cvt.rz.f16.f32 h1, f1; add.f16 h2, h1, h1; st.global.b16 [d1], h2;",
            arch: "sm_75",
            sass: &[],
        }],
    },
    Rule {
        card: 5,
        name: "single-to-half-truncating-sm75",
        title: "rz to f16 on sm_75 is an add on the half ALU",
        when: |c| {
            to_half(c)
                && c.machine.half_alu_widens
                && round(&c.form) == Round::Trunc
                && (c.form.sat || !wants_zeros_above(c))
        },
        emit: |c, e| {
            e.saturated = c.form.sat;
            let zero = Operand::NEG_RZ.select(Selector::H0H0);
            // what is in the bank is the second operand only
            let sources = match c.single_parameter() {
                Some(place) => [zero, place],
                None => [c.source.operand.select(Selector::F32), zero],
            };
            e.result(Alu::Hadd2 { f32: false, sat: c.form.sat }, &sources);
            if wants_zeros_above(c) {
                e.merge();
            }
        },
        why: "the half ALU of sm_75 reads an f32 and truncates; zeros above the half are made by F2F",
        examples: &[Example { ptx: "cvt.rz.f16.f32 h1, f1;", arch: "sm_75", sass: &["HADD2 R2, R0.F32, -RZ.H0_H0"] }],
    },
    Rule {
        card: 5,
        name: "half-of-a-pair",
        title: "two like conversions to f16 or bf16 are one F2FP, where their halves are put together",
        when: |c| to_half(c) && c.machine.packing != Packing::None && c.pair.is_some(),
        emit: |c, e| {
            e.into = c.pair.and_then(|p| p.at);
            if let (Some(pair), Some(partner), Some(_)) = (c.pair, c.partner, e.into) {
                let dst = format(c.form.dst).unwrap_or(Format::F16);
                let partner = e.named(partner);
                let (high, low) = if pair.high { (c.source.plain, partner) } else { (partner, c.source.plain) };
                e.result(f2fp(c, dst, Format::F32, PackMode::PackAb), &[high, low]);
                e.carried = e.out.pop();
            }
            e.folded = Some("one F2FP makes both halves of the pair");
        },
        why: "F2FP converts two values and packs them",
        examples: &[Example {
            ptx: "cvt.rn.f16.f32 h1, f1; cvt.rn.f16.f32 h2, f2; mov.b32 r1, {h1, h2}; st.global.b32 [d1], r1;",
            arch: "sm_89",
            sass: &[],
        }],
    },
    Rule {
        card: 5,
        name: "single-to-half",
        title: "rn and rz to f16 or bf16 are F2FP.PACK_AB with an empty upper half",
        when: |c| {
            to_half(c)
                && c.machine.packing != Packing::None
                && matches!(round(&c.form), Round::Near | Round::Trunc)
                && !(c.form.ftz && c.form.dst == Type::Bf16)
                && !c.source.operand.modified()
                && !c.word_of_pair
                && (!reads_word(c) || c.form.sat && c.source.origin != Origin::Saturable)
        },
        emit: |c, e| {
            let dst = format(c.form.dst).unwrap_or(Format::F16);
            e.result(f2fp(c, dst, Format::F32, PackMode::PackAb), &[Operand::RZ, c.source.operand]);
            if c.merged && !c.form.sat {
                e.merge();
            }
        },
        why: "the half unit is faster than the conversion unit; it leaves the upper half undefined and reads no negated source",
        examples: &[
            Example { ptx: "cvt.rn.f16.f32 h1, f1;", arch: "sm_80", sass: &["F2FP.PACK_AB R2, RZ, R0"] },
            Example { ptx: "cvt.rz.bf16.f32 h1, f1;", arch: "sm_89", sass: &["F2FP.BF16.F32.PACK_AB.RZ R2, RZ, R0"] },
        ],
    },
    Rule {
        card: 4,
        name: "double-to-single-flushing",
        title: ".ftz from f64 compares with the smallest normal f32 and multiplies it away",
        when: |c| pair(c, Type::F32, Type::F64) && c.form.ftz,
        emit: flush_from_double,
        why: "F2F from f64 has no flushing; a product with the smallest normal number underflows to a signed zero",
        examples: &[
            Example {
                ptx: ".reg .b64 d<9>; cvt.rn.ftz.f32.f64 f1, d1;",
                arch: "sm_89",
                sass: &[
                    "F2F.F32.F64 R0, R2",
                    "DSETP.GEU.AND P0, PT, |R2|, c[0x2][0x0], PT",
                    "@!P0 FMUL R0, R0, 1.175494350822287508e-38",
                ],
            },
            Example {
                ptx: ".reg .b64 d<9>; cvt.rz.ftz.f32.f64 f1, d1;",
                arch: "sm_89",
                sass: &[
                    "F2F.F32.F64.RZ R0, R2",
                    "FSETP.GEU.AND P0, PT, |R0|, 1.175494350822287508e-38, PT",
                    "@!P0 FMUL R0, R0, 1.175494350822287508e-38",
                ],
            },
        ],
    },
    Rule {
        card: 4,
        name: "single-to-double-flushing",
        title: ".ftz to f64 flushes with a product by 1 first",
        when: |c| pair(c, Type::F64, Type::F32) && c.form.ftz,
        emit: |c, e| {
            let source = flushed(c, e, c.source.operand);
            e.result(f2f(c, false), &[source]);
        },
        why: "F2F to f64 has no flushing; FMUL has",
        examples: &[Example {
            ptx: ".reg .b64 d<9>; cvt.ftz.f64.f32 d1, f1;",
            arch: "sm_89",
            sass: &["FMUL.FTZ R4, R0, 1", "F2F.F64.F32 R2, R4"],
        }],
    },
    Rule {
        card: 2,
        name: "float-to-float",
        title: "another width is F2F with both formats named; exact widening has no rounding",
        when: |c| format(c.form.dst).is_some() && format(c.form.src).is_some(),
        emit: |c, e| {
            let ftz = c.form.ftz && (c.form.dst == Type::Bf16 || c.form.src == Type::Bf16);
            e.result(f2f(c, ftz), &[c.source.operand]);
        },
        why: "the conversion unit converts any pair with any rounding, and reads negated and absolute values",
        examples: &[
            Example { ptx: ".reg .b64 d<9>; cvt.rn.f32.f64 f1, d1;", arch: "sm_89", sass: &["F2F.F32.F64 R0, R2"] },
            Example { ptx: ".reg .b64 d<9>; cvt.rm.f32.f64 f1, d1;", arch: "sm_89", sass: &["F2F.F32.F64.RM R0, R2"] },
            Example { ptx: ".reg .b64 d<9>; cvt.f64.f32 d1, f1;", arch: "sm_89", sass: &["F2F.F64.F32 R2, R0"] },
        ],
    },
];

/// The sequences behind `cvt.ftz.f32.f64`.
fn flush_from_double(c: &Case, e: &mut Emit<'_>) {
    let s = c.source.operand;
    let smallest = Operand::F32(SMALLEST_NORMAL, Selector::Whole);
    let (p, saturate) = (Pred(0), Alu::Fadd { ftz: false, sat: true });
    e.saturated = c.form.sat;
    let clamp = |e: &mut Emit<'_>| {
        if c.form.sat {
            let value = e.value;
            e.result(saturate, &[Operand::RZ, value]);
        }
    };
    let flush = |e: &mut Emit<'_>, when: bool| {
        let (dst, value) = (e.dst, e.value);
        e.guarded(Some((p, !when)), dst, Alu::Fmul { ftz: false }, &[value, smallest]);
    };
    match round(&c.form) {
        // What is below the smallest normal before rounding.
        Round::Near => {
            e.result(f2f(c, false), &[s]);
            let limit = Operand::constant(2, 0);
            e.compare(Alu::Dsetp(Compare::Geu), p, Pred::PT, s.absolute(), limit);
            clamp(e);
            flush(e, false);
        }
        // Truncation keeps subnormals subnormal: the result itself tells.
        Round::Trunc => {
            e.result(f2f(c, false), &[s]);
            clamp(e);
            let value = if c.form.sat { e.value } else { e.value.absolute() };
            e.compare(Alu::Fsetp(Compare::Geu), p, Pred::PT, value, smallest);
            flush(e, false);
        }
        // Directed rounding: the limit depends on the sign, one step less where it rounds away from zero.
        down_or_up => {
            let (sign, low, high) = (e.scratch(), e.scratch(), e.scratch());
            let down = down_or_up == Round::Floor;
            e.to(high, Alu::Mov, &[Operand::Bits(if down { 0x380f_ffff } else { 0x3810_0000 })]);
            e.to(sign, Alu::ShiftRight, &[Operand::RZ, Operand::Bits(0x1f), s.high()]);
            e.result(f2f(c, false), &[s]);
            e.isetp(p, Compare::Ne, false, Operand::reg(sign), Operand::RZ);
            let other = Operand::F32(f32::from_bits(if down { 0x3810_0000 } else { 0x380f_ffff }), Selector::Whole);
            let step = Operand::F32(f32::from_bits(0xe000_0001), Selector::Whole);
            e.to(high, Alu::Fsel, &[Operand::reg(high), other, Operand::Pred(p, false)]);
            e.to(low, Alu::Fsel, &[Operand::RZ, step, Operand::Pred(p, down)]);
            e.compare(Alu::Dsetp(Compare::Gt), p, Pred::PT, Operand::reg(low), s.absolute());
            clamp(e);
            flush(e, true);
        }
    }
}
