//! Trying the rules in their order.

use smallvec::{SmallVec, smallvec};

use crate::cvt::{Form, constant};
use crate::dataflow::Known;
use crate::ptx::Type;
use crate::sass::{Alu, Guard, Instruction, Op, Operand, Pred};
use crate::translate::Fate;

use super::case::{Case, Guarded, Origin, Source};
use super::emit::Emit;
use super::registers::Registers;
use super::rule::{Rule, RuleId};
use super::rules::{OPERATION, RESULT};
use super::uniform;

/// What becomes of a conversion.
#[derive(Debug, Clone)]
pub struct Lowering {
    /// The operation rule that matched.
    pub rule: RuleId,
    /// Emitted, folded, constant or dead.
    pub fate: Fate,
    /// The instructions at its own statement.
    pub sass: SmallVec<[Instruction; 1]>,
    /// The reader of the result does the conversion or a part of it: of this form, from this source.
    pub passed: Option<(Form, Source)>,
}

fn first(sets: &[&'static [Rule]], case: &Case) -> Option<&'static Rule> {
    sets.iter().flat_map(|rules| rules.iter()).find(|r| (r.when)(case))
}

/// Lower a conversion; `statement` is where scratch registers have to be free.
///
/// `None` only for a form that no rule covers, which legality does not let through.
pub fn lower(case: &Case, registers: &Registers, statement: u32) -> Option<Lowering> {
    let rule = first(OPERATION, case)?;
    let id = RuleId(rule);
    if let Some(into) = case.twin {
        return Some(done_before(id, into, "an earlier conversion of the same source has the result"));
    }
    if case.dead {
        return Some(Lowering { rule: id, fate: Fate::Dead, sass: SmallVec::new(), passed: None });
    }
    if let Some(bits) = case.source.known.constant.and_then(|bits| constant::fold(&case.form, bits)) {
        // of a half that is joined with an earlier one, the zero is put below what the register holds
        if bits == 0 && case.joins {
            let dst = Operand::reg(case.dst);
            let operands = smallvec![dst, Operand::RZ, Operand::Bits(0x7610), dst];
            let sass = smallvec![Instruction { guard: None, op: Alu::Prmt.into(), operands }];
            return Some(Lowering { rule: id, fate: Fate::Emitted, sass, passed: None });
        }
        return Some(Lowering { rule: id, fate: Fate::Constant { bits }, sass: SmallVec::new(), passed: None });
    }
    if let Some((into, _)) = case.begun.filter(|_| !case.form.sat) {
        return Some(done_before(id, into, "an earlier conversion of the same source makes it before it saturates"));
    }
    if let Some(bits) = constant_pair(case) {
        return Some(Lowering { rule: id, fate: Fate::Constant { bits }, sass: SmallVec::new(), passed: None });
    }
    let mut e = Emit::new(registers, statement, case.dst, case.source.operand);
    match case.begun {
        // what is saturated has been made
        Some((_, made)) => e.value = made,
        None => (rule.emit)(case, &mut e),
    }
    if e.folded.is_none()
        && !e.saturated
        && let Some(finish) = first(RESULT, case)
    {
        (finish.emit)(case, &mut e);
    }
    leave_to_field(case, &mut e);
    if let Origin::Absolute { of, first: true } = case.source.origin
        && let Operand::Reg { reg, .. } = case.source.plain
    {
        e.out.insert(0, Instruction { guard: None, op: Alu::Iabs.into(), operands: smallvec![Operand::reg(reg), of] });
    }
    if e.folded.is_none() || !e.out.is_empty() {
        select_guarded(case, &mut e);
    }
    uniform::read_parameters(case, &mut e.out);
    let into = e.into.or(case.reader.filter(|_| e.passed));
    let carried = e.carried.take().map_or_else(Vec::new, |i| vec![i]);
    let fate = match e.folded.or(e.note) {
        Some(why) if e.out.is_empty() => Fate::Folded { into, sass: carried, why },
        _ => Fate::Emitted,
    };
    let passed = e.passed.then(|| passed(case, &e));
    Some(Lowering { rule: id, fate, sass: e.out, passed })
}

/// A conversion that an earlier one has done.
fn done_before(rule: RuleId, into: u32, why: &'static str) -> Lowering {
    let fate = Fate::Folded { into: Some(into), sass: Vec::new(), why };
    Lowering { rule, fate, sass: SmallVec::new(), passed: None }
}

/// Two constants that are rounded to f16 and packed: ptxas computes no other pair.
fn constant_pair(case: &Case) -> Option<u64> {
    let Form { dst: Type::F16x2, src: Type::F32, relu: false, satfinite: false, .. } = case.form else { return None };
    let half = |operand: &Operand| {
        let bits = match *operand {
            Operand::RZ => 0,
            Operand::NEG_RZ => 1 << 31,
            Operand::F32(constant, _) => constant.to_bits(),
            _ => return None,
        };
        constant::fold(&Form { dst: Type::F16, ..case.form }, bits.into())
    };
    match &case.sources[..] {
        [high, low] => Some(half(high)? << 16 | half(low)?),
        _ => None,
    }
}

/// What reads a byte or half that a `bfe` brings down reads it in its word instead: ptxas names no statement for that.
fn leave_to_field(case: &Case, e: &mut Emit<'_>) {
    let field = case.source.field.is_some_and(|f| !f.shifted && f.word.is_none());
    let narrower = case.source.field.is_some_and(|f| case.form.src.bits() == 32 || case.form.src.bits() <= f.bits);
    if !field || !narrower || !case.from_int() || !case.to_int() || case.form.dst.bits() == 64 || e.folded.is_some() {
        return;
    }
    let plain = case.source.plain;
    let before = e.out.len();
    e.out.retain(|i| !i.operands[1..].contains(&plain));
    if e.out.is_empty() && before > 0 {
        e.folded = Some("the field is read where it stands in the word, in the reader's place");
    }
}

/// Under a guard ptxas guards the instructions that write the register, or computes always and selects what it keeps.
fn select_guarded(case: &Case, e: &mut Emit<'_>) {
    let Some(Guarded { negated, old }) = case.guard else { return };
    let Some(old) = old else {
        let writes = if e.out.len() > 1 && !matches!(e.out[0].op, Op::Alu(Alu::Prmt)) { 1 } else { 0 };
        for i in &mut e.out[writes..] {
            i.guard = i.guard.or(Some(Guard { pred: Pred(0), negated }));
        }
        return;
    };
    let op = if case.form.dst.is_float() && case.form.dst.bits() >= 32 { Alu::Fsel } else { Alu::Sel };
    let value = e.value;
    let (dst, low) = (e.dst, old);
    e.result(op, &[value, low, Operand::Pred(Pred(0), negated)]);
    if case.form.dst.bits() == 64 {
        e.to(dst.high(), op, &[value.high(), old.high(), Operand::Pred(Pred(0), negated)]);
    }
}

/// What is left to the reader: all of the conversion, or the extension of its result.
fn passed(case: &Case, e: &Emit<'_>) -> (Form, Source) {
    if e.out.is_empty() || case.from_int() && !case.form.sat || !case.from_int() && case.form.dst.bits() >= 32 {
        return (case.form, case.source);
    }
    let form = Form { src: case.form.dst, rounding: None, ..case.form };
    let (known, origin) = (Known::NOTHING, Origin::Converted);
    (form, Source { operand: e.value, plain: e.value, known, origin, high: false, byte: None, ..case.source })
}
