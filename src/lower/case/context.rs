//! A conversion in its function: what the rules are told of its surroundings.

use smallvec::SmallVec;

use crate::cvt::Form;
use crate::dataflow::extended::Extension;
use crate::dataflow::{Action, Flow, Input, Load, Logic, Merging, Single, Use, Value};
use crate::ptx::{OperandKind, Statement, Type};
use crate::sass::{Operand, Reg, Selector};

use super::extended::{Extended, extended_from};
use super::look::{DEPTH, Look};
use super::operands::{first_register, integer, places};
use super::{Case, Guarded, Joined, Origin, Surroundings, merged};
use crate::lower::registers::Registers;

impl Case {
    /// The case of a statement in its function.
    pub fn in_context(form: &Form, statement: &Statement, surroundings: &Surroundings<'_, '_>) -> Case {
        let &Surroundings { machine, module, flow, registers, .. } = surroundings;
        let mut case = Case::alone(form, machine, module, registers, statement);
        let first = places(module, statement).next();
        let extended = first.and_then(|at| extended_from(flow, &case.form, at));
        if let Some(Extended { ty, bits, .. }) = extended {
            case.form.src = ty;
            case.source.bits = bits.unwrap_or(case.source.bits);
        }
        let result = flow.value(statement.operands);
        let here = result.map(|v| flow.maker(v).1);
        let context = Context { form: case.form, statement, surroundings: *surroundings, result, here };
        if let Some(v) = result {
            context.result(&mut case, v);
        }
        context.constants(&mut case);
        context.guard(&mut case);
        context.packed(&mut case);
        if let Some(at) = first.map(|at| extended.map_or(at, |e| e.at))
            && matches!(module.operands[at as usize].kind, OperandKind::Register(_))
        {
            context.source(&mut case, at, extended.is_none_or(|e| e.alone));
        }
        // a sign is put on in the register itself
        let signed = context.packs(&case) && case.source.operand.modified() && case.source.operand != Operand::NEG_RZ;
        if let Some(first) = case.sources.first_mut().filter(|_| !case.form.pack && !signed) {
            *first = case.source.operand;
        }
        case
    }

    /// The bits that the conversion keeps by a mask, if it does.
    fn mask(&self) -> Option<u64> {
        let Form { dst, src, sat, pack, .. } = self.form;
        let bits = match (dst, dst.bits() > src.bits()) {
            _ if !src.is_int() || !dst.is_int() || sat || pack => return None,
            (_, true) if src.is_unsigned() && src.bits() < 32 => src.bits(),
            (Type::U8, false) => 8,
            (Type::U16, false) if self.dst_bits >= 32 => 16,
            _ => return None,
        };
        Some((1 << bits) - 1)
    }
}

/// A conversion in its function.
struct Context<'a, 's> {
    form: Form,
    statement: &'a Statement,
    surroundings: Surroundings<'a, 's>,
    /// Its result.
    result: Option<Value>,
    /// Its statement, where it has a result.
    here: Option<u32>,
}

impl Context<'_, '_> {
    /// Whether several floats are packed.
    fn packs(&self, case: &Case) -> bool {
        self.form.src == Type::F32 && case.sources.len() > 1
    }

    /// The register of an operand.
    fn register(&self, at: u32) -> Option<Operand> {
        let Surroundings { flow, registers, .. } = self.surroundings;
        flow.register(at).map(|r| Operand::reg(registers.get(r)))
    }

    /// The register that a conversion reads which made a value.
    fn source_of(&self, v: Value) -> Option<Operand> {
        let flow = self.surroundings.flow;
        self.register(flow.arguments(flow.maker(v).0).nth(1)?)
    }

    /// What becomes of the result.
    fn result(&self, case: &mut Case, v: Value) {
        let Surroundings { module, flow, registers, .. } = self.surroundings;
        let Form { dst, src, sat, .. } = self.form;
        let half = dst.bits() == 16 && dst.is_float();
        let pair = dst.bits() == 64 && dst.is_int();
        case.uses = flow.wants(v);
        case.dead = case.uses.is_empty() && !flow.snippet();
        case.low_only = pair && flow.low_only(v);
        case.high_only = pair && flow.high_only(v);
        case.pair = flow.pair(v);
        if self.statement.guard.is_none() && flow.stands_for_single(v) {
            case.single = Some(Single::Read);
        }
        let byte = dst == Type::U8 || src == Type::U8 && dst.is_int() && dst.bits() == 16;
        case.only_masked = byte && case.dst_bits == 16 && flow.only_masked(v, 8, src.bits() < 64);
        case.joins =
            case.dst_bits == 16 && flow.escapes(v) && flow.copies_at_end(flow.maker(v).1, self.statement.operands);
        case.predicated = flow.is_made_by_predicate(v);
        case.merged = half && flow.is_joined_by_choice(v, sat);
        case.read_as_word = half && flow.is_read_as_word(v);
        case.word_of_pair = src == Type::F32
            && (half || dst == Type::U8)
            && flow.arguments(self.statement).nth(1).is_some_and(|at| flow.is_word_of_pair(at));
        case.reader = flow.uses(v).next().map(|u| u.statement);
        if dst.is_packed_narrow() && (dst.bits() == 16 || dst == Type::E2m1x2) {
            case.low_of = merged::low_of(flow, registers, v);
        }
        if dst == Type::Bf16x2 {
            case.taken_apart = flow.taken_apart(v);
        }
        case.partner = case.pair.and_then(|p| self.source_of(p.other));
        case.twin = flow.twin(v);
        case.begun = flow.begun(v).map(|earlier| {
            let (maker, at, _) = flow.maker(earlier);
            let result = first_register(module, maker.operands).map_or(Reg::RZ, |r| registers.get(r));
            (at, Operand::reg(result))
        });
        let packed = |u: &Use| match *u {
            Use::PackIntegers { statement } => Some(statement).filter(|&at| flow.packs_floats(at).is_some()),
            _ => None,
        };
        if case.only(|u| packed(u).is_some()) {
            case.packed_at = case.uses.first().and_then(packed);
        }
    }

    /// Sources that are constants, and those that statements make which are seen.
    fn constants(&self, case: &mut Case) {
        let (Surroundings { module, flow, .. }, form) = (self.surroundings, self.form);
        for (n, at) in places(module, self.statement).enumerate().take(8) {
            case.made |= u8::from(flow.value(at).is_some()) << n;
            // the first one is looked at by itself
            let Some(source) = case.sources.get_mut(n).filter(|_| n > 0 || form.pack) else { continue };
            match flow.known_constant(at) {
                // A register that holds zero is read as RZ.
                Some(0) => *source = Operand::RZ,
                // `cvt.pack` and what packs two floats read other constants too.
                Some(bits) if n > 0 && form.pack => *source = integer(bits, form.src),
                Some(bits) if n == 1 && form.src == Type::F32 => {
                    *source = Operand::F32(f32::from_bits(bits as u32), Selector::Whole);
                }
                _ => {}
            }
        }
    }

    /// The guard, and what is kept where it fails.
    fn guard(&self, case: &mut Case) {
        let (flow, dst) = (self.surroundings.flow, self.form.dst);
        let Some(g) = self.statement.guard else { return };
        let before = flow.before(self.statement);
        let constant = before.and_then(|v| flow.known_value(v).constant);
        let turned = flow.guard(self.statement).is_some_and(|v| turned(flow, v));
        let old = match constant {
            Some(0) => Some(Operand::RZ),
            Some(v) if dst == Type::F32 => Some(Operand::F32(f32::from_bits(v as u32), Selector::Whole)),
            Some(v) if dst.bits() <= 32 => Some(Operand::Bits(v as u32)),
            None if before.is_some() && dst.bits() <= 32 => None,
            _ => Some(Operand::reg(case.dst)),
        };
        case.guard = Some(Guarded { negated: g.negated != turned, old });
    }

    /// What is packed: floats that are not integers yet, the second source, and those with a sign.
    fn packed(&self, case: &mut Case) {
        let (Surroundings { machine, module, flow, .. }, form) = (self.surroundings, self.form);
        let (Some(here), packs) = (self.here, self.packs(case)) else { return };
        if !packs && !form.pack {
            return;
        }
        if form.pack
            && let Some(truncates) = flow.packs_floats(here)
        {
            let float = |n: u32| self.source_of(flow.value(self.statement.operands + n)?);
            case.packs_floats = float(1).zip(float(2)).map(|(a, b)| (a, b, truncates));
        }
        let look = self.look();
        if machine.uniform_parameters
            && let Some(at) = places(module, self.statement).nth(1)
        {
            let mut second = look.at(at, case.source, DEPTH);
            second.load = flow.load(at, form.src, here);
            case.second = Some(second);
        }
        if packs {
            let signed = |(n, at)| {
                let v = flow.value(at)?;
                let (operand, parameter) = look.signed(at, case.source)?;
                (!flow.is_put_before(v, here)).then_some((n, operand, parameter))
            };
            case.signed = places(module, self.statement).enumerate().filter_map(signed).collect();
        }
    }

    /// The source that a register holds; `alone` where nothing else reads what was extended of it.
    fn source(&self, case: &mut Case, at: u32, alone: bool) {
        let (Surroundings { machine, flow, passed, .. }, form) = (self.surroundings, self.form);
        let value = flow.value(at);
        case.maker = value.map(|v| flow.maker(v).1);
        // Uses are in source order: the last one tells, of however many.
        case.read_later = value.is_some_and(|v| {
            flow.escapes(v)
                || flow.uses(v).next_back().is_some_and(|u| self.here.is_some_and(|here| u.statement > here))
        });
        case.source = self.look().at(at, case.source, DEPTH);
        case.source.only_reader &= alone;
        if form.src == Type::F16 && form.dst == Type::F32 && machine.half_alu_widens {
            case.single = flow.single(at);
        }
        if let (Some(guard), Some(Single::Written { .. })) = (&mut case.guard, case.single) {
            guard.old.get_or_insert(Operand::reg(case.dst));
        }
        if machine.uniform_parameters {
            let parameter = case.source.origin.is_parameter();
            case.source.uniform = !parameter && flow.is_in_uniform(at);
            case.uniform = self.result.is_some_and(|v| flow.makes_uniform(at, v));
            if parameter {
                self.parameter(case, at);
            }
        } else if case.source.origin.is_parameter()
            && (form.src.is_int() && form.dst.is_int() || form.src == Type::Bf16 && form.dst == Type::F32)
        {
            case.uniform = self.result.is_some_and(|v| flow.makes_uniform(at, v));
        }
        let upper = matches!(case.source.origin, Origin::Part { element, .. } if element % 2 == 1);
        case.take_over(flow, at, passed);
        let extends = form.src.is_int() && form.dst.is_int() && form.src.bits() <= 16 && form.dst.bits() >= 32;
        if let (true, Some(v), Some(here)) = (extends, value, self.here) {
            let stored = !(form.src.bits() == 16 && upper);
            let extension = Extension { ty: form.src, stored, pair: form.dst.bits() == 64 };
            case.source.extended_before = flow.extended_before(v, extension, here);
        }
        if self.statement.guard.is_none() && !flow.snippet() {
            self.logic(case, at);
        }
    }

    /// How the parameter that is the source is loaded, and whether what reads the result reads another register too.
    fn parameter(&self, case: &mut Case, at: u32) {
        let (flow, Form { src, dst, .. }) = (self.surroundings.flow, self.form);
        let Some((v, here)) = self.result.zip(self.here) else { return };
        case.beside = flow.meets_registers(v, dst.bits() != 16);
        let Origin::Param { offset: Some(_), bits } = case.source.origin else { return };
        case.source.load = flow.load(at, src, here);
        if bits == 64 && src.bits() == 64 && case.compares_in_bank() {
            let loaded = flow.is_saturated_before(at, here);
            case.source.load = Some(if loaded { Load::Earlier } else { Load::Uniform(64) });
        }
        if bits == 16 && src.bits() == 16 && src.is_int() && dst.is_float() {
            let loaded = flow.is_loaded_half(at, here);
            case.source.load = Some(if loaded { Load::Earlier } else { Load::Uniform(16) });
        }
        // a shift extends what it reads itself
        let shifted = case.any(|u| matches!(u, Use::ShiftLeft(_) | Use::ShiftLeftAdded));
        if src == Type::U16 && dst.is_int() && dst.bits() == 64 && !case.low_only && !shifted {
            case.beside = flow.extends_uniformly(v);
        }
    }

    /// The logic operations that go together with the mask of the conversion.
    fn logic(&self, case: &mut Case, at: u32) {
        let Surroundings { machine, flow, registers, .. } = self.surroundings;
        let Some((v, here)) = self.result.zip(self.here) else { return };
        let merging = Merging { flow, constant_operands: machine.constant_operands };
        let mask = case.mask().filter(|_| !case.predicated);
        case.joined = mask.and_then(|mask| merging.mask(at, mask, here)).and_then(|logic| joined(&logic, registers));
        if mask.is_some() || self.form.src.is_float() && self.form.dst == Type::U8 {
            case.taken_at = merging.taker(v);
        }
    }

    fn look(&self) -> Look<'_, '_> {
        let Surroundings { machine, module, flow, registers, .. } = self.surroundings;
        Look { form: &self.form, machine, module, flow, registers }
    }
}

/// A function of three registers or a constant, as operands.
fn joined(logic: &Logic, registers: &Registers) -> Option<Joined> {
    let operand = |input: &Input| match *input {
        Input::Register { register, .. } => Some(Operand::reg(registers.get(register))),
        Input::Constant(bits) => Some(Operand::Bits(bits as u32)),
        Input::Parameter(_) => None,
    };
    let inputs: Option<SmallVec<[Operand; 3]>> = logic.inputs.iter().map(operand).collect();
    Some(Joined { inputs: inputs?.into_inner().ok()?, table: logic.table })
}

/// Whether ptxas makes the comparison that gives a predicate the other way round: less becomes not greater.
fn turned(flow: &Flow<'_>, predicate: Value) -> bool {
    let (s, _, _) = flow.maker(predicate);
    if flow.meaning(s).action != Action::Setp {
        return false;
    }
    // A parameter is read from the constant bank, which only the second source can be: the two change places.
    let mut arguments =
        flow.arguments(s).skip(1).map(|o| flow.value(o).is_some_and(|v| flow.loads_parameter(flow.maker(v).0)));
    let swapped = arguments.next() == Some(true) && arguments.next() == Some(false);
    flow.module().opcodes[s.opcode.0 as usize].parts().any(|p| match p {
        b"lt" | b"le" | b"lo" | b"ls" => !swapped,
        b"gt" | b"ge" | b"hi" | b"hs" => swapped,
        b"eq" => true,
        _ => false,
    })
}
