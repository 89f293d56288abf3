//! Trying the rules in their order.

use smallvec::{SmallVec, smallvec};

use crate::cvt::{Form, constant};
use crate::dataflow::{Known, Load, Use};
use crate::ptx::Type;
use crate::sass::{Alu, Convert, Guard, Instruction, Op, Operand, PackMode, Pred};
use crate::translate::Fate;

use super::case::{Case, Guarded, Origin, Source};
use super::emit::Emit;
use super::registers::Registers;
use super::rule::{Rule, RuleId};
use super::rules::{OPERATION, RESULT};

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
        let why = "an earlier conversion of the same source has the result";
        return Some(Lowering {
            rule: id,
            fate: Fate::Folded { into: Some(into), sass: Vec::new(), why },
            sass: SmallVec::new(),
            passed: None,
        });
    }
    if let Some((into, _)) = case.begun.filter(|_| !case.form.sat && !case.dead) {
        let why = "an earlier conversion of the same source makes it before it saturates";
        return Some(Lowering {
            rule: id,
            fate: Fate::Folded { into: Some(into), sass: Vec::new(), why },
            sass: SmallVec::new(),
            passed: None,
        });
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
    match &case.second {
        Some(second) => uniform_pack(case, second, &mut e.out),
        None => uniform_parameter(case, &mut e.out),
    }
    uniform_rereading(case, &mut e.out);
    let into = e.into.or(case.reader.filter(|_| e.passed));
    let carried = e.carried.take().map_or_else(Vec::new, |i| vec![i]);
    let fate = match e.folded.or(e.note) {
        Some(why) if e.out.is_empty() => Fate::Folded { into, sass: carried, why },
        _ => Fate::Emitted,
    };
    let passed = e.passed.then(|| passed(case, &e));
    Some(Lowering { rule: id, fate, sass: e.out, passed })
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
        // a negative zero is not among the sources, as it has a sign
        [_, low] => Some(half(&case.source.operand)? << 16 | half(low)?),
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

/// Read a parameter from a uniform register, and load it there for its first reader.
fn uniform_parameter(case: &Case, out: &mut SmallVec<[Instruction; 1]>) {
    let Origin::Param { offset, bits } = case.source.origin else { return };
    let Some(first) = out.first_mut().filter(|_| case.machine.uniform_parameters) else { return };
    let to_float = case.from_int() && case.form.dst.is_float();
    let narrowed = (to_float || matches!(first.op, Op::Convert(Convert::I2i { .. }))) && case.reads_part_of_parameter();
    // A narrower one is extended where it is loaded; what makes f32 of it reads it again as it stands there, and the half
    // unit does if zeros are above.
    let extended = to_float && case.form.src.bits().max(case.source.bits) > bits;
    let signed = case.source.known.has_sign_of(bits);
    let reread = match first.op {
        Op::Convert(Convert::I2f { src, .. }) => {
            case.form.dst == Type::F32 && u32::from(src.bits) == bits && src.signed == signed
        }
        _ => !case.form.src.is_signed() && !signed,
    };
    let widened = case.compares_in_bank() && bits < case.form.src.bits();
    if extended && !reread || !to_float && is_extended_load(case) || widened {
        return;
    }
    let reads_uniform = match first.op {
        Op::Convert(Convert::I2f { .. }) => case.form.src.bits() > 8 || narrowed || reread,
        Op::Convert(_) => true,
        Op::Alu(Alu::Isetp { .. }) if case.compares_in_bank() => true,
        Op::Alu(Alu::Fadd { .. } | Alu::Hadd2 { f32: false, sat: true }) => true,
        Op::Alu(Alu::ShiftRightSigned) if case.source.load.is_some() => true,
        Op::Alu(Alu::ShiftRightSigned) => {
            !case.machine.sum_takes_sign
                || stores_pair(case)
                || !case.any(|u| matches!(u, Use::Compare(_) | Use::Other | Use::Add(_)))
        }
        Op::Alu(_) => false,
    };
    // beside other readers mostly only what is wide is uniform
    let wide = case.form.dst.bits() == 64 || case.form.src.bits() == 64;
    let loads = match case.source.load {
        _ if narrowed => true,
        Some(load) => load != Load::Common,
        None => case.source.only_reader || case.source.first_reader && wide,
    };
    if !(loads && reads_uniform) {
        return;
    }
    let uniform = Operand::uniform(UNIFORM);
    let width = match (case.source.load, first.op) {
        _ if narrowed => case.form.src.bits() as u8,
        _ if extended => bits as u8,
        (Some(Load::Uniform(bits)), _) => bits,
        _ if case.from_int() && bits < 16 => bits as u8,
        (_, Op::Convert(Convert::I2f { src, .. })) => src.bits,
        _ => bits.max(case.form.src.bits()) as u8,
    };
    let mut replaced = false;
    // a saturation reads it more than once, and each word of a pair by itself
    let reading = if case.compares_in_bank() { out.len() } else { 1 };
    for o in out[..reading].iter_mut().flat_map(|i| &mut i.operands[1..]) {
        let Operand::Reg { sel, .. } = *o else { continue };
        let (plain, read) = (case.source.plain, case.source.operand);
        let instead = match *o {
            o if plain.select(sel) == o || read.select(sel) == o => uniform,
            o if reading > 1 && plain.high() == o => uniform.high(),
            _ => continue,
        };
        *o = instead.select(sel).with_signs(o.signs());
        replaced = true;
    }
    if replaced && (narrowed || case.source.load != Some(Load::Earlier)) {
        // neighbours that are loaded at once begin where that many bytes do
        let at = in_bank(case, offset, !(u32::from(width) / 8 - 1));
        out.insert(0, load_uniform(width, at));
    }
}

/// Read parameters that are packed, or that a sign is put on before, from uniform registers, and load each there for its
/// first reader.
fn uniform_pack(case: &Case, second: &Source, out: &mut SmallVec<[Instruction; 1]>) {
    let same = { second.origin == case.source.origin && second.operand.signs() == case.source.operand.signs() };
    // what is the first of a pack is in a register if the second one is in the bank, or is a literal
    let literal =
        !merges(out) && matches!(case.sources.get(1), Some(Operand::F32(..) | Operand::Bits(_) | Operand::Signed(_)));
    for (source, in_register) in [(&case.source, literal || same || case.form.pack), (second, same)] {
        let Origin::Param { offset, bits: 32 } = source.origin else { continue };
        let loads = source.only_reader || source.load.is_some_and(|load| load != Load::Common);
        let signed = source.operand.modified();
        let reads = |o: &Operand| matches!(*o, Operand::Reg { .. }) && o.with_signs((false, false)) == source.plain;
        let Some(reader) = out.iter_mut().find(|i| i.operands[1..].iter().any(reads)) else { continue };
        if !loads || in_register && !signed {
            continue;
        }
        for o in reader.operands[1..].iter_mut().filter(|o| reads(o)) {
            *o = Operand::uniform(UNIFORM).with_signs(o.signs());
        }
        if source.load != Some(Load::Earlier) {
            out.insert(0, load_uniform(32, in_bank(case, offset, u32::MAX)));
        }
    }
}

/// Whether what packs two floats merges them into something.
fn merges(out: &[Instruction]) -> bool {
    out.iter().any(|i| matches!(i.op, Op::Convert(Convert::F2fp { mode: PackMode::PackAbMergeC, .. })))
}

/// Whether a parameter of less than a word is loaded into a wider register, where it is extended.
fn is_extended_load(case: &Case) -> bool {
    matches!(case.source.origin, Origin::Param { bits, .. } if case.from_int() && bits < 32 && bits < case.source.bits)
}

/// Where a parameter or a constant of the module stands, its offset masked.
fn in_bank(case: &Case, parameter: Option<u32>, mask: u32) -> Operand {
    let (bank, offset) = match (case.source.constant, parameter) {
        (Some(constant), _) => (3, constant),
        (None, offset) => (0, case.machine.parameters.wrapping_add(offset.unwrap_or(0))),
    };
    Operand::constant(bank, offset & mask)
}

/// The load of so many bits into the uniform register.
fn load_uniform(bits: u8, at: Operand) -> Instruction {
    let operands = SmallVec::from_slice(&[Operand::uniform(UNIFORM), at]);
    Instruction { guard: None, op: Alu::Ldcu(bits).into(), operands }
}

/// A pair that is stored is made of uniform registers.
fn stores_pair(case: &Case) -> bool {
    case.any(|u| matches!(u, Use::Store { bits: 64, .. }))
}

/// Load a parameter again with the width that a conversion to or from a byte or half wants, and extend it there, where what
/// reads the result has another register beside it.
fn uniform_rereading(case: &Case, out: &mut SmallVec<[Instruction; 1]>) {
    let Origin::Param { offset, bits } = case.source.origin else { return };
    let (dst, src) = (case.form.dst, case.form.src);
    if !case.machine.uniform_parameters || is_extended_load(case) {
        return;
    }
    let at = in_bank(case, offset, u32::MAX);
    let word = case.dst_bits >= 32;
    let width = match (dst.bits(), src.bits()) {
        // the low part of a word is read where it is
        (8 | 16, _) if dst.is_unsigned() && word => return,
        (8, 16..) => 8,
        (16, 16 | 32) => 16,
        (32 | 64, 16) if src.is_signed() => 16,
        (64, own @ (8 | 16)) if src.is_unsigned() && bits > own => {
            out.insert(0, load_uniform(own as u8, at));
            return;
        }
        (64, 16 | 32) if src.is_unsigned() && stores_pair(case) => src.bits(),
        (64, 16) if case.beside && bits == 16 => {
            // the zeros above are RZ
            out.clear();
            out.push(load_uniform(16, at));
            return;
        }
        _ => return,
    };
    let beside = match dst.bits() {
        64 => case
            .only(|u| matches!(u, Use::Multiply(64) | Use::ShiftLeft(_) | Use::Mask(_) | Use::Store { bits: 64, .. })),
        _ => case.beside,
    };
    let integers = case.from_int() && case.to_int() && !case.form.sat && !case.form.pack;
    if !beside || !case.source.only_reader || !integers {
        return;
    }
    let permute = Op::Alu(Alu::Prmt);
    if !case.machine.uniform_permute && out.iter().any(|i| i.op == permute) {
        return;
    }
    for i in out.iter_mut().filter(|i| i.op == permute) {
        i.op = Alu::Uprmt.into();
        i.operands[0] = Operand::uniform(UNIFORM);
        i.operands[1] = Operand::uniform(UNIFORM);
        i.operands[3] = Operand::uniform(Operand::URZ);
    }
    out.insert(0, load_uniform(width as u8, at));
}

/// The uniform register that stands for all of them.
const UNIFORM: u8 = 4;

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
    let op = if case.form.dst.is_float() { Alu::Fsel } else { Alu::Sel };
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
