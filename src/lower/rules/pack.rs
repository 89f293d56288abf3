//! `cvt.pack`: two saturated integers into one register.

use crate::lower::emit::Emit;
use crate::lower::machine::Packing;
use crate::lower::rule::{Example, Rule};
use crate::lower::rules::int_to_int::int;
use crate::sass::{Alu, Convert, Operand, Round, Selector};

/// A constant in a register: only the second source is read as it is.
fn load(e: &mut Emit<'_>, constant: Operand) -> Operand {
    let register = e.scratch();
    e.to(register, Alu::Mov, &[constant]);
    Operand::reg(register)
}

/// The rules.
pub const RULES: &[Rule] = &[
    Rule {
        card: 3,
        name: "pack-floats",
        title: "cvt.pack of two floats rounded to words is one F2IP",
        when: |c| c.form.pack && c.packs_floats.is_some() && c.machine.half_unit_integers,
        emit: |c, e| {
            if let Some((a, b, truncates)) = c.packs_floats {
                let round = if truncates { Round::Trunc } else { Round::Near };
                let third = c.sources.get(2).copied().unwrap_or(Operand::RZ);
                e.result(Convert::F2ip { dst: int(c.form.dst), round }, &[a, b, third]);
            }
        },
        why: "F2IP rounds, saturates and packs in one instruction, where both floats are rounded alike",
        examples: &[Example {
            ptx: "cvt.rni.s32.f32 r1, f1; cvt.rni.s32.f32 r2, f2; cvt.pack.sat.s8.s32.b32 r3, r1, r2, 0;",
            arch: "sm_89",
            sass: &["F2IP.S8.F32.NTZ R0, R0, R0, RZ"],
        }],
    },
    Rule {
        card: 6,
        name: "pack-integers",
        title: "cvt.pack is one I2IP; the third source is shifted in above the pair",
        when: |c| c.form.pack,
        emit: |c, e| {
            let dst = int(c.form.dst);
            let mut third = c.sources.get(2).copied().unwrap_or(Operand::RZ);
            let mut first = c.sources[0];
            if matches!(first, Operand::Bits(_) | Operand::Signed(_)) {
                first = load(e, first);
            }
            if matches!(third, Operand::Bits(_) | Operand::Signed(_)) {
                third = load(e, third);
                // where halves are packed, the constant is put above another one
                if c.machine.packing != Packing::None {
                    e.to(e.dst, Alu::Prmt, &[third, Operand::Bits(0x5410), third]);
                    third = Operand::part(e.dst, Selector::H1);
                }
            }
            // Pairs of 4 or 2 bits leave 24 or 28 bits of the third source.
            let third = match dst.bits {
                4 => third.select(Selector::Bits(24)),
                2 => third.select(Selector::Bits(28)),
                _ => third,
            };
            e.result(Convert::I2ip { dst }, &[first, c.sources[1], third]);
        },
        why: "the conversion unit saturates and packs in one instruction on every architecture from sm_72 on",
        examples: &[
            Example {
                ptx: "cvt.pack.sat.u16.s32 r1, r2, r3;",
                arch: "sm_89",
                sass: &["I2IP.U16.S32.SAT R3, R0, R2, RZ"],
            },
            Example {
                ptx: "cvt.pack.sat.s16.s32 r1, r2, -7;",
                arch: "sm_89",
                sass: &["I2IP.S16.S32.SAT R2, R0, -0x7, RZ"],
            },
            Example {
                ptx: "cvt.pack.sat.s8.s32.b32 r1, r2, r3, r4;",
                arch: "sm_89",
                sass: &["I2IP.S8.S32.SAT R4, R0, R2, R3"],
            },
        ],
    },
];
