//! What all threads have in common is computed in uniform registers, if all that reads it can read one.

use smallvec::{SmallVec, smallvec};

use crate::dataflow::Load;
use crate::lower::case::{Case, Origin};
use crate::ptx::Type;
use crate::sass::{Alu, Compare, Convert, Guard, Instruction, Int, Op, Operand, Pred, Reg, Selector};

use super::{UNIFORM, extends_pair, in_bank, load_uniform};

/// Does in uniform registers what can be done there, and reads from there what was made there; under a guard nothing is.
pub fn in_uniform_registers(case: &Case, out: &mut SmallVec<[Instruction; 1]>) {
    if case.source.uniform {
        for o in out.iter_mut().filter(|i| !i.op.loads_uniform()).flat_map(|i| &mut i.operands[1..]) {
            if let Operand::Reg { sel, .. } = *o
                && o.with_signs((false, false)).select(Selector::Whole) == case.source.plain
            {
                *o = Operand::uniform(UNIFORM).select(sel).with_signs(o.signs());
            }
        }
    }
    let computed = || out.iter().filter(|i| !i.op.loads_uniform());
    let pair = case.form.dst.bits() == 64;
    let sign = computed().find(|i| i.op == Alu::ShiftRightSigned.into());
    let uniform = match sign {
        Some(sign) if pair => case.source.origin.is_parameter() && (extends_pair(case) || reads_uniform(sign)),
        _ => case.uniform,
    };
    // a pair that is clamped is loaded for that alone
    let common = case.source.load == Some(Load::Common) && case.form.src.bits() < 64;
    // what is moved alone is moved where it is wanted
    let moved = computed().all(|i| i.op == Alu::Mov.into());
    if !uniform || case.guard.is_some() || common || moved || !computed().all(|i| has_uniform_form(case, i.op)) {
        return;
    }
    let loaded = out.iter().any(|i| i.op.loads_uniform());
    let mut registers = Registers { case, between: SmallVec::new() };
    *out = out.drain(..).flat_map(limited).map(|i| uniform_form(&mut registers, i)).collect();
    if let Some(load) = load(case).filter(|_| !loaded) {
        out.insert(0, load);
    }
}

/// Whether an instruction reads a uniform register.
fn reads_uniform(i: &Instruction) -> bool {
    i.operands.iter().any(|o| matches!(o, Operand::Uniform { .. }))
}

/// The load of the parameter that is computed with, where it is loaded for that.
fn load(case: &Case) -> Option<Instruction> {
    let Origin::Param { offset, bits } = case.source.origin else { return None };
    let read = if case.form.sat { bits } else { case.form.src.bits().min(case.form.dst.bits()) };
    let width = match case.source.load {
        Some(Load::Uniform(bits)) => bits,
        _ if case.form.sat && bits >= 32 => bits as u8,
        // a part of it that fills its register is loaded again, and a half that gets a sign
        None if bits > read && bits >= case.source.bits.min(32) || read == 16 && case.form.src.is_signed() => {
            read as u8
        }
        _ => return None,
    };
    let mut load = load_uniform(width, in_bank(case, offset, !(u32::from(width) / 8 - 1)));
    if !case.machine.uniform_parameters {
        let signed = read == 8 && (case.form.dst.is_signed() || case.form.src == Type::S8);
        load.op = Alu::Uldc(Int { bits: width, signed }).into();
    }
    Some(load)
}

/// Whether there is a form of an operation on uniform registers.
fn has_uniform_form(case: &Case, op: Op) -> bool {
    let floats = case.machine.uniform_floats;
    let wide = case.form.dst.bits() == 64 || case.form.src.bits() == 64;
    match op {
        Op::Alu(Alu::Prmt) => case.machine.uniform_permute,
        Op::Alu(Alu::Lop3 | Alu::ShiftLeft | Alu::ShiftRightSigned | Alu::Mov) => true,
        Op::Alu(Alu::Isetp { .. } | Alu::Sel) => wide || !floats,
        Op::Alu(Alu::Imnmx { .. } | Alu::Vimnmx { .. }) => !floats,
        Op::Alu(Alu::ImadU32 | Alu::Fadd { .. }) => floats,
        Op::Convert(Convert::F2fp { .. }) => false,
        Op::Convert(_) => floats && !wide,
        Op::Alu(_) => false,
    }
}

/// A minimum is a comparison and a choice in uniform registers.
fn limited(i: Instruction) -> SmallVec<[Instruction; 2]> {
    let (Op::Alu(Alu::Imnmx { unsigned } | Alu::Vimnmx { unsigned }), &[dst, .., value, limit, Operand::PT]) =
        (i.op, &i.operands[..])
    else {
        return smallvec![i];
    };
    let (p, below) = (Operand::Pred(Pred(0), false), Alu::Isetp { compare: Compare::Lt, unsigned });
    let compared = smallvec![p, Operand::PT, value, limit, Operand::PT];
    smallvec![
        Instruction { guard: None, op: below.into(), operands: compared },
        Instruction { guard: None, op: Alu::Sel.into(), operands: smallvec![dst, value, limit, p] },
    ]
}

/// An instruction with uniform registers in the place of its registers and predicates.
fn uniform_form(registers: &mut Registers<'_>, mut i: Instruction) -> Instruction {
    if i.op.loads_uniform() {
        return i;
    }
    if i.op == Alu::ImadU32.into() {
        i.op = Alu::ShiftLeft.into();
        i.operands[2] = Operand::Bits(0x10);
    }
    i.guard = i.guard.map(|guard| Guard { pred: guard.pred.uniform(), ..guard });
    for o in &mut i.operands {
        match *o {
            Operand::Pred(pred, negated) => *o = Operand::Pred(pred.uniform(), negated),
            Operand::Reg { reg, neg, abs, sel } => {
                *o = Operand::Uniform { number: registers.number(reg), neg, abs, sel };
            }
            // the parameter is loaded for it
            Operand::Const { bank: 0, neg, abs, sel, .. } => {
                *o = Operand::Uniform { number: UNIFORM, neg, abs, sel };
            }
            _ => {}
        }
    }
    let zero = |o: &Operand| matches!(*o, Operand::Uniform { number: Operand::URZ, .. });
    match i.op {
        // the register comes first, but where the sum saturates
        Op::Alu(Alu::Fadd { sat: false, .. }) => i.operands[1..].sort_by_key(zero),
        Op::Alu(Alu::Isetp { compare, unsigned }) if zero(&i.operands[2]) && !registers.keeps_order() => {
            i.op = Alu::Isetp { compare: compare.mirrored(), unsigned }.into();
            i.operands.swap(2, 3);
        }
        Op::Alu(Alu::Sel) if zero(&i.operands[1]) && matches!(i.operands[2], Operand::Uniform { .. }) => {
            i.operands.swap(1, 2);
            if let Operand::Pred(_, negated) = &mut i.operands[3] {
                *negated = !*negated;
            }
        }
        _ => {}
    }
    i
}

/// The uniform registers in the place of common ones: the source's and the result's first, behind them what is between.
struct Registers<'a> {
    case: &'a Case,
    between: SmallVec<[Reg; 4]>,
}

impl Registers<'_> {
    /// A pair is compared as it would be in the bank.
    fn keeps_order(&self) -> bool {
        self.case.machine.constant_operands && self.case.form.src.bits() == 64
    }

    fn number(&mut self, reg: Reg) -> u8 {
        if reg == Reg::RZ {
            return Operand::URZ;
        }
        let source = match self.case.source.plain {
            Operand::Reg { reg, .. } => reg,
            _ => Reg::RZ,
        };
        for register in [source, self.case.dst] {
            match reg {
                _ if reg == register => return UNIFORM,
                _ if register != Reg::RZ && reg == register.high() => return UNIFORM + 1,
                _ => {}
            }
        }
        let at = self.between.iter().position(|&r| r == reg).unwrap_or_else(|| {
            self.between.push(reg);
            self.between.len() - 1
        });
        UNIFORM + 2 + at as u8
    }
}
