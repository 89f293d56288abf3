//! Narrowing and packed floats: the half unit's F2FP.

use smallvec::SmallVec;

use crate::cvt::{Form, Rounding};
use crate::dataflow::Use;
use crate::lower::case::Case;
use crate::lower::emit::Emit;
use crate::lower::machine::Packing;
use crate::lower::rule::{Example, Rule};
use crate::lower::rules::float_to_float::{format, round, with_zero, without_sign};
use crate::ptx::Type;
use crate::sass::{Alu, Compare, Convert, Format, Operand, PackMode, Pred, Selector};

/// The default scale of the s2f6 forms: 2^0 for both elements, as bits 0x7f7f.
const UNIT_SCALE: u32 = 0x7f7f;

/// The element format of a packed type.
fn element(t: Type) -> Option<Format> {
    Some(match t {
        Type::F16x2 => Format::F16,
        Type::Bf16x2 => Format::Bf16,
        Type::E4m3x2 | Type::E4m3x4 => Format::E4m3,
        Type::E5m2x2 | Type::E5m2x4 => Format::E5m2,
        Type::E2m3x2 | Type::E2m3x4 => Format::E2m3,
        Type::E3m2x2 | Type::E3m2x4 => Format::E3m2,
        Type::E2m1x2 | Type::E2m1x4 => Format::E2m1,
        Type::Ue8m0x2 => Format::E8,
        Type::S2f6x2 => Format::S2f6,
        _ => return None,
    })
}

fn packed(t: Type) -> bool {
    element(t).is_some()
}

fn four(t: Type) -> bool {
    matches!(t, Type::E4m3x4 | Type::E5m2x4 | Type::E2m3x4 | Type::E3m2x4 | Type::E2m1x4)
}

fn half_pair(t: Type) -> bool {
    matches!(t, Type::F16x2 | Type::Bf16x2)
}

/// The sources, those with a sign taken in put into their registers: F2FP reads none. A constant is read as the second
/// source only, and not by what merges.
fn plain_sources(c: &Case, e: &mut Emit<'_>, merges: bool) -> SmallVec<[Operand; 5]> {
    let mut sources = c.sources.clone();
    for (n, source) in sources.iter_mut().enumerate() {
        let constant = match *source {
            Operand::F32(constant, _) if n != 1 || merges => constant,
            Operand::NEG_RZ => -0.0,
            _ => continue,
        };
        let register = e.scratch();
        e.to(register, Alu::Mov, &[Operand::Bits(constant.to_bits())]);
        *source = Operand::reg(register);
    }
    for (n, &(at, signed, parameter)) in c.signed.iter().enumerate() {
        let same = c.signed[..n].iter().find(|(before, ..)| c.sources[*before] == c.sources[at]);
        sources[at] = match same {
            Some(&(before, ..)) => sources[before],
            None => {
                let plain = e.named(c.sources[at]);
                if let Operand::Reg { reg, .. } = plain {
                    e.to(reg, Alu::Fadd { ftz: false, sat: false }, &with_zero(signed, parameter));
                }
                plain
            }
        };
    }
    sources
}

/// F2FP with the form's modifiers.
pub fn f2fp(c: &Case, dst: Format, src: Format, mode: PackMode) -> Convert {
    Convert::F2fp {
        dst,
        src,
        mode,
        round: round(&c.form),
        satfinite: c.form.satfinite,
        relu: c.form.relu,
        short: c.machine.packing == Packing::Short,
    }
}

fn formats(c: &Case) -> (Format, Format) {
    let of = |t: Type| element(t).or_else(|| format(t)).unwrap_or(Format::F32);
    (of(c.form.dst), of(c.form.src))
}

/// `.rna` to tf32: bit arithmetic, for no unit rounds so.
fn rna_tf32(f: &Form) -> bool {
    f.dst == Type::Tf32 && f.rounding == Some(Rounding::Rna)
}

/// Leave the instruction to the statement that puts the result below another half: it merges that in.
fn merge_into_word(c: &Case, e: &mut Emit<'_>) {
    let Some((at, upper)) = c.low_of else { return };
    let upper = upper.map_or(Operand::RZ, |upper| e.named(upper));
    let Some(mut instruction) = e.out.pop() else { return };
    if let Some(third) = instruction.operands.last_mut()
        && *third == Operand::RZ
    {
        *third = upper;
        e.carried = Some(instruction);
        e.into = Some(at);
        e.folded = Some("the F2FP merges the rest of the word in, where that is put together");
    } else {
        e.out.push(instruction);
    }
}

/// Take the upper half out of a word of two bf16 where it becomes an f32: no shift reads it in place.
fn take_apart(c: &Case, e: &mut Emit<'_>) {
    let Some(whole) = c.taken_apart else { return };
    let (word, upper) = (Operand::reg(e.dst), e.scratch());
    e.to(upper, Alu::Prmt, &[word, Operand::Bits(0x7632), Operand::reg(upper)]);
    if whole {
        e.to(e.dst, Alu::Prmt, &[word, Operand::Bits(0x5410), Operand::reg(upper)]);
    }
}

/// The rules.
pub const RULES: &[Rule] = &[
    Rule {
        card: 5,
        name: "tf32-away",
        title: "cvt.rna.tf32 adds half a unit to what is finite and clears the low 13 bits",
        when: |c| rna_tf32(&c.form),
        emit: |c, e| {
            let (s, one, half) = (c.source.plain, e.scratch(), e.scratch());
            let infinity = Operand::F32(f32::INFINITY, Selector::Whole);
            let shared = c.read_later || c.machine.constant_operands && c.source.origin.is_parameter();
            let positive = if c.source.positive { s } else { s.absolute() };
            if c.source.operand.modified() {
                // ptxas names the statement that changes the sign for the sum.
                e.compare(Alu::Fsetp(Compare::Geu), Pred(0), Pred::PT, positive, infinity);
                e.to(one, Alu::Mov, &[s]);
            } else if shared {
                // The source is needed as it was.
                e.compare(Alu::Fsetp(Compare::Geu), Pred(0), Pred::PT, positive, infinity);
                super::result::add_immediate(c, e, None, one, s, 0x1000);
                e.to(one, Alu::Sel, &[Operand::reg(one), s, Operand::Pred(Pred(0), true)]);
            } else {
                e.to(half, Alu::Mov, &[Operand::Bits(0x1000)]);
                e.to(one, Alu::Mov, &[s]);
                e.compare(Alu::Fsetp(Compare::Geu), Pred(0), Pred::PT, positive, infinity);
                let add = [Operand::reg(one), Operand::Bits(1), Operand::reg(half)];
                e.guarded(Some((Pred(0), true)), one, Alu::ImadIadd, &add);
            }
            e.value = Operand::reg(one);
            if c.only(|u| *u == Use::Tf32) && !c.form.satfinite {
                e.note = Some("the product that reads it takes no more than the bits of a tf32");
                return;
            }
            // A reader that only masks by as much does the clearing itself.
            e.mask(0xffff_e000);
            if c.form.satfinite {
                e.compare(Alu::Fsetp(Compare::Geu), Pred(0), Pred::PT, e.value.absolute(), infinity);
                let (dst, value) = (e.dst, e.value);
                super::result::add_immediate(c, e, Some((Pred(0), false)), dst, value, -0x2000);
            }
        },
        why: "no unit rounds ties away from zero; finite values get 0x1000 added, and .satfinite takes one tf32 step back from infinity",
        examples: &[
            Example {
                ptx: "cvt.rna.tf32.f32 r1, f1;",
                arch: "sm_89",
                sass: &[
                    "MOV R6, 0x1000",
                    "MOV R4, R0",
                    "FSETP.GEU.AND P0, PT, |R0|, +INF , PT",
                    "@!P0 IMAD.IADD.U32 R4, R4, 0x1, R6",
                    "LOP3.LUT R2, R4, 0xffffe000, RZ, 0xc0, !PT",
                ],
            },
            Example {
                ptx: "cvt.rna.satfinite.tf32.f32 r1, f1;",
                arch: "sm_80",
                sass: &[
                    "MOV R6, 0x1000",
                    "MOV R4, R0",
                    "FSETP.GEU.AND P0, PT, |R0|, +INF , PT",
                    "@!P0 IMAD.IADD.U32 R4, R4, 0x1, R6",
                    "LOP3.LUT R2, R4, 0xffffe000, RZ, 0xc0, !PT",
                    "FSETP.GEU.AND P0, PT, |R2|, +INF , PT",
                    "@P0 IADD3 R2, R2, -0x2000, RZ",
                ],
            },
        ],
    },
    Rule {
        card: 5,
        name: "tf32",
        title: "rn and rz to tf32 are F2FP.PACK_B",
        when: |c| c.form.dst == Type::Tf32,
        emit: |c, e| {
            let source = without_sign(c, e);
            e.result(f2fp(c, Format::Tf32, Format::F32, PackMode::PackB), &[source]);
        },
        why: "the half unit rounds to tf32 in place from sm_90 on",
        examples: &[
            Example { ptx: "cvt.rn.tf32.f32 r1, f1;", arch: "sm_90", sass: &["F2FP.TF32.F32.PACK_B R2, R0"] },
            Example {
                ptx: "cvt.rz.relu.tf32.f32 r1, f1;",
                arch: "sm_90",
                sass: &["F2FP.RELU.TF32.F32.PACK_B.RZ R2, R0"],
            },
        ],
    },
    Rule {
        card: 5,
        name: "always-zero",
        title: "ue8m0x4 is accepted and always gives 0",
        when: |c| c.form.dst == Type::Ue8m0x4,
        emit: |_, e| e.result(Alu::Mov, &[Operand::RZ]),
        why: "a defect of ptxas 13.1: the form is not documented, passes the parser on every target and produces no conversion",
        examples: &[Example { ptx: "cvt.rn.ue8m0x4.f32 r1, f1, f2;", arch: "sm_89", sass: &["MOV R3, RZ"] }],
    },
    Rule {
        card: 5,
        name: "pack-halves",
        title: "two f32 into f16x2 or bf16x2 are F2FP.PACK_AB",
        when: |c| half_pair(c.form.dst) && c.form.src == Type::F32,
        emit: |c, e| {
            let (dst, src) = formats(c);
            let sources = plain_sources(c, e, false);
            e.result(f2fp(c, dst, src, PackMode::PackAb), &sources);
            take_apart(c, e);
        },
        why: "the half unit converts and packs two values in one instruction; .rs takes the random bits as a third source. \
              An upper bf16 that becomes an f32 is taken out at once, and the word put together again for who reads it whole",
        examples: &[
            Example { ptx: "cvt.rn.f16x2.f32 r1, f1, f2;", arch: "sm_89", sass: &["F2FP.F16.F32.PACK_AB R3, R0, R2"] },
            Example { ptx: "cvt.rn.bf16x2.f32 r1, f1, f2;", arch: "sm_80", sass: &["F2FP.BF16.PACK_AB R3, R0, R2"] },
            Example {
                ptx: "cvt.rs.f16x2.f32 r1, f1, f2, r2;",
                arch: "sm_100a",
                sass: &["F2FP.F16.F32.PACK_AB.RS R4, R0, R2, R3"],
            },
        ],
    },
    Rule {
        card: 5,
        name: "pack-four",
        title: "the x4 forms are two F2FP, the second merging into the first",
        when: |c| four(c.form.dst),
        emit: |c, e| {
            let (dst, src) = formats(c);
            let low = e.scratch();
            let sources = plain_sources(c, e, true);
            let op = f2fp(c, dst, src, PackMode::PackAbMergeC);
            e.to(low, op, &[sources[2], sources[3], sources[4]]);
            e.result(op, &[sources[0], sources[1], sources[4]]);
        },
        why: "an F2FP takes two values; the pairs come one after the other",
        examples: &[Example {
            ptx: "cvt.rs.satfinite.e4m3x4.f32 r1, {f1, f2, f3, f4}, r2;",
            arch: "sm_100a",
            sass: &[
                "F2FP.SATFINITE.E4M3.F32.PACK_AB_MERGE_C.RS R8, R3, R4, R5",
                "F2FP.SATFINITE.E4M3.F32.PACK_AB_MERGE_C.RS R6, R0, R2, R5",
            ],
        }],
    },
    Rule {
        card: 5,
        name: "pack-narrow",
        title: "two f32 into an 8-, 6- or 4-bit pair are F2FP.PACK_AB_MERGE_C with nothing to merge",
        when: |c| packed(c.form.dst) && c.form.src == Type::F32,
        emit: |c, e| {
            let (dst, src) = formats(c);
            let sources = plain_sources(c, e, true);
            let third = scale(c, e, Operand::RZ, 2, Selector::Whole);
            e.result(f2fp(c, dst, src, PackMode::PackAbMergeC), &[sources[0], sources[1], third]);
            merge_into_word(c, e);
        },
        why: "the merge operand is RZ; for s2f6 it is the scale, 1.0 where none is given",
        examples: &[
            Example {
                ptx: "cvt.rn.satfinite.e4m3x2.f32 h1, f1, f2;",
                arch: "sm_89",
                sass: &["F2FP.SATFINITE.E4M3.F32.PACK_AB_MERGE_C R3, R0, R2, RZ"],
            },
            Example {
                ptx: "cvt.rn.satfinite.e2m1x2.f32 b1, f1, f2;",
                arch: "sm_100a",
                sass: &["F2FP.SATFINITE.E2M1.F32.PACK_AB_MERGE_C R3, R0, R2, RZ"],
            },
            Example {
                ptx: "cvt.rn.satfinite.s2f6x2.f32 h1, f1, f2;",
                arch: "sm_100a",
                sass: &["F2FP.SATFINITE.S2_6.F32.PACK_AB_MERGE_C R3, R0, R2, 3.38953138925153547590e+38"],
            },
        ],
    },
    Rule {
        card: 5,
        name: "halves-to-narrow",
        title: "f16x2 or bf16x2 into a narrow pair is F2FP.UNPACK_B_MERGE_C",
        when: |c| packed(c.form.dst) && !half_pair(c.form.dst) && half_pair(c.form.src),
        emit: |c, e| {
            let (dst, src) = formats(c);
            let third = scale(c, e, Operand::RZ, 1, Selector::Whole);
            e.result(f2fp(c, dst, src, PackMode::UnpackBMergeC), &[c.sources[0], third]);
            merge_into_word(c, e);
        },
        why: "both halves are unpacked, narrowed and merged with nothing",
        examples: &[
            Example {
                ptx: "cvt.rn.satfinite.e5m2x2.f16x2 h1, r1;",
                arch: "sm_89",
                sass: &["F2FP.SATFINITE.E5M2.F16.UNPACK_B_MERGE_C R2, R0, RZ"],
            },
            Example {
                ptx: "cvt.rn.satfinite.e4m3x2.bf16x2 h1, r1;",
                arch: "sm_100a",
                sass: &["F2FP.SATFINITE.E4M3.BF16.UNPACK_B_MERGE_C R2, R0, RZ"],
            },
        ],
    },
    Rule {
        card: 5,
        name: "narrow-to-halves",
        title: "a narrow pair into f16x2 or bf16x2 is F2FP.UNPACK_B",
        when: |c| half_pair(c.form.dst) && packed(c.form.src),
        emit: |c, e| {
            let (dst, src) = formats(c);
            let op = f2fp(c, dst, src, PackMode::UnpackB);
            if src == Format::S2f6 {
                let unit = Operand::F32(f32::from_bits(UNIT_SCALE), Selector::H0);
                let scale = c.sources.get(1).map_or(unit, |s| s.select(Selector::H0));
                e.result(op, &[c.sources[0], scale]);
            } else {
                // a constant is written as the float that its bits are
                let literal = |bits: u64| match bits as u32 {
                    0 => Operand::RZ,
                    bits => Operand::F32(f32::from_bits(bits), Selector::Whole),
                };
                e.result(op, &[c.source.known.constant.map_or(c.sources[0], literal)]);
            }
            take_apart(c, e);
        },
        why: "every narrow value fits a half, so that only the scale of s2f6 is a second source",
        examples: &[
            Example { ptx: "cvt.rn.f16x2.e4m3x2 r1, h1;", arch: "sm_89", sass: &["F2FP.F16.E4M3.UNPACK_B R2, R0"] },
            Example { ptx: "cvt.rn.bf16x2.ue8m0x2 r1, h1;", arch: "sm_100a", sass: &["F2FP.BF16.E8.UNPACK_B R2, R0"] },
        ],
    },
];

/// The merge operand: the scale in its upper half for s2f6, else nothing.
fn scale(c: &Case, e: &mut Emit<'_>, none: Operand, at: usize, sel: Selector) -> Operand {
    if c.form.dst != Type::S2f6x2 {
        return none;
    }
    match c.sources.get(at) {
        Some(&s) => {
            let shifted = e.scratch();
            // A scale is shifted where it is made.
            if !c.made(at) {
                e.shift_half(c.machine, shifted, s);
            }
            Operand::part(shifted, sel)
        }
        None => Operand::F32(f32::from_bits(UNIT_SCALE << 16), sel),
    }
}
