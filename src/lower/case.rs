//! A conversion with the facts that the rules read.

use smallvec::SmallVec;

use crate::cvt::Form;
use crate::dataflow::extended::Extension;
use crate::dataflow::facts::How;
use crate::dataflow::meaning::extension_in_word;
use crate::dataflow::{Action, Flow, Input, Known, Load, Logic, Merging, Pair, Single, Use, Value};
use crate::ptx::{Module, OperandKind, Statement, Type};
use crate::sass::{Operand, Reg, Selector};

use super::machine::Machine;
use super::registers::Registers;

mod extended;
mod look;
mod merged;
mod operands;
mod passed;
mod source;

use extended::{Extended, extended_from};
use look::Look;
use operands::{first_register, immediate, integer, places};
pub use passed::{Passed, saturates_at_once};
pub use source::{Field, Origin, Permutation, Source};

/// The function of three inputs that a mask and the operation before it are together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Joined {
    /// The inputs.
    pub inputs: [Operand; 3],
    /// What `LOP3` makes of them.
    pub table: u8,
}

/// How ptxas carries out a conversion under a guard.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Guarded {
    /// It is done where the predicate is false.
    pub negated: bool,
    /// It is always computed, and what the register held before, a constant or nothing in particular, is selected
    /// where the guard fails; `None` where the instruction itself is guarded.
    pub old: Option<Operand>,
}

/// What is known around the conversions of a function.
#[derive(Clone, Copy)]
pub struct Surroundings<'a, 's> {
    /// The architecture's abilities.
    pub machine: &'static Machine,
    /// The module.
    pub module: &'a Module<'s>,
    /// Tables of the function.
    pub flow: &'a Flow<'a>,
    /// SASS registers assigned so far.
    pub registers: &'a Registers,
    /// What earlier conversions left to their readers.
    pub passed: &'a Passed,
}

/// A legal conversion and the facts about it.
#[derive(Debug)]
pub struct Case {
    /// What its opcode says.
    pub form: Form,
    /// The architecture's abilities.
    pub machine: &'static Machine,
    /// The first source.
    pub source: Source,
    /// All sources in order, vector elements one by one.
    pub sources: SmallVec<[Operand; 5]>,
    /// Of the sources of a packing conversion those that no register holds yet, as a change of sign makes them: which, what
    /// they are, and whether that is of a parameter.
    pub signed: SmallVec<[(usize, Operand, bool); 2]>,
    /// The second of two floats that are packed, where parameters are loaded into uniform registers.
    pub second: Option<Source>,
    /// The destination.
    pub dst: Reg,
    /// Width of the destination register in bits.
    pub dst_bits: u32,
    /// What the readers want; empty in a snippet where nothing reads it: then all of it is wanted.
    pub uses: SmallVec<[Use; 4]>,
    /// Its guard.
    pub guard: Option<Guarded>,
    /// This extension does the conversion whose result it extends.
    pub takes_over: bool,
    /// An earlier like conversion has the result already: its statement.
    pub twin: Option<u32>,
    /// An earlier conversion has made what this one saturates, or what this one makes and saturates it: its statement, and
    /// what it made.
    pub begun: Option<(u32, Operand)>,
    /// A `cvt.pack` that takes two float conversions in: the floats, and whether they are truncated.
    pub packs_floats: Option<(Operand, Operand, bool)>,
    /// The `cvt.pack` that takes this conversion in.
    pub packed_at: Option<u32>,
    /// The pair of halves that the result goes into.
    pub pair: Option<Pair>,
    /// The source of the other half of that pair.
    pub partner: Option<Operand>,
    /// The upper half of a word of two bf16 is needed in a register of its own; whether the whole word is needed too.
    pub taken_apart: Option<bool>,
    /// The result is a low part of a word put together there: the statement, and the register of what is above it, if that
    /// is not zero.
    pub low_of: Option<(u32, Option<Operand>)>,
    /// Something reads the source after this conversion.
    pub read_later: bool,
    /// An extension to a word was left to this conversion.
    pub widened: bool,
    /// The statement that made the source, where it is one that is seen.
    pub maker: Option<u32>,
    /// The first statement that reads the result.
    pub reader: Option<u32>,
    /// Bit n is set where source n is made by a statement that is seen.
    pub made: u8,
    /// Nothing wants more than the low word of a 64-bit result.
    pub low_only: bool,
    /// Nothing wants more than the high word of a 64-bit result.
    pub high_only: bool,
    /// Whether the result is not read although it could be.
    pub dead: bool,
    /// The mask of the conversion takes the operation before it in.
    pub joined: Option<Joined>,
    /// The logic operation that takes the mask of the conversion in.
    pub taken_at: Option<u32>,
    /// A reader of the half may find another one that was written before it instead, and the block ends here.
    pub joins: bool,
    /// The conversion is done under the predicate of the choice that alone reads it.
    pub predicated: bool,
    /// Of a parameter: all that reads the result puts it together with another register.
    pub beside: bool,
    /// A choice puts the half into a register with something else.
    pub merged: bool,
    /// A half of a float that is read as a word with zeros above.
    pub read_as_word: bool,
    /// The source is one word of a pair that one instruction writes, which the half unit does not read.
    pub word_of_pair: bool,
    /// What arithmetic does of the conversion between f16 and f32.
    pub single: Option<Single>,
    /// Of an unsigned byte in a half all readers take some bits away.
    pub only_masked: bool,
}

impl Case {
    /// The case of a statement in its function.
    pub fn in_context(form: &Form, statement: &Statement, surroundings: &Surroundings<'_, '_>) -> Case {
        let &Surroundings { machine, module, flow, registers, passed } = surroundings;
        let mut case = Case::alone(form, machine, module, registers, statement);
        let first = places(module, statement).next();
        let extended = first.and_then(|at| extended_from(flow, &case.form, at));
        if let Some(Extended { ty, bits, .. }) = extended {
            case.form.src = ty;
            case.source.bits = bits.unwrap_or(case.source.bits);
        }
        let form = &{ case.form };
        if let Some(v) = flow.value(statement.operands) {
            case.uses = flow.wants(v);
            case.dead = case.uses.is_empty() && !flow.snippet();
            case.low_only = form.dst.bits() == 64 && form.dst.is_int() && flow.low_only(v);
            case.high_only = form.dst.bits() == 64 && form.dst.is_int() && flow.high_only(v);
            case.pair = flow.pair(v);
            if statement.guard.is_none() && flow.stands_for_single(v) {
                case.single = Some(Single::Read);
            }
            let byte = form.dst == Type::U8 || form.src == Type::U8 && form.dst.is_int() && form.dst.bits() == 16;
            case.only_masked = byte && case.dst_bits == 16 && flow.only_masked(v, 8, form.src.bits() < 64);
            case.joins =
                case.dst_bits == 16 && flow.escapes(v) && flow.copies_at_end(flow.maker(v).1, statement.operands);
            case.predicated = flow.is_made_by_predicate(v);
            case.merged = form.dst.bits() == 16 && form.dst.is_float() && flow.is_joined_by_choice(v, form.sat);
            case.read_as_word = form.dst.bits() == 16 && form.dst.is_float() && flow.is_read_as_word(v);
            case.word_of_pair = form.src == Type::F32
                && (form.dst.bits() == 16 && form.dst.is_float() || form.dst == Type::U8)
                && flow.arguments(statement).nth(1).is_some_and(|at| flow.is_word_of_pair(at));
            case.reader = flow.uses(v).next().map(|u| u.statement);
            if form.dst.is_packed_narrow() && (form.dst.bits() == 16 || form.dst == Type::E2m1x2) {
                case.low_of = merged::low_of(flow, registers, v);
            }
            if form.dst == Type::Bf16x2 {
                case.taken_apart = flow.taken_apart(v);
            }
            case.partner = case.pair.and_then(|p| {
                let (other, _, _) = flow.maker(p.other);
                let source = flow.arguments(other).nth(1)?;
                flow.register(source).map(|r| Operand::reg(registers.get(r)))
            });
            case.twin = flow.twin(v);
            case.begun = flow.begun(v).map(|earlier| {
                let (maker, at, _) = flow.maker(earlier);
                let result = first_register(module, maker.operands).map_or(Reg::RZ, |r| registers.get(r));
                (at, Operand::reg(result))
            });
            case.packed_at = case.uses.first().and_then(|u| match *u {
                Use::PackIntegers { statement } => Some(statement).filter(|&at| flow.packs_floats(at).is_some()),
                _ => None,
            });
            let all = |u: &Use| matches!(*u, Use::PackIntegers { statement } if flow.packs_floats(statement).is_some());
            if !case.only(all) {
                case.packed_at = None;
            }
        }
        for (n, at) in places(module, statement).enumerate().take(8) {
            case.made |= u8::from(flow.value(at).is_some()) << n;
            // the first one is looked at below
            if let Some(source) = case.sources.get_mut(n).filter(|_| n > 0 || form.pack) {
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
        if let Some(g) = statement.guard {
            let before = flow.before(statement);
            let constant = before.and_then(|v| flow.known_value(v).constant);
            let turned = flow.guard(statement).is_some_and(|v| turned(flow, v));
            let old = match constant {
                Some(0) => Some(Operand::RZ),
                Some(v) if form.dst == Type::F32 => Some(Operand::F32(f32::from_bits(v as u32), Selector::Whole)),
                Some(v) if form.dst.bits() <= 32 => Some(Operand::Bits(v as u32)),
                None if before.is_some() && form.dst.bits() <= 32 => None,
                _ => Some(Operand::reg(case.dst)),
            };
            case.guard = Some(Guarded { negated: g.negated != turned, old });
        }
        if form.pack
            && let Some(statement_index) = flow.value(statement.operands).map(|v| flow.maker(v).1)
            && let Some(truncates) = flow.packs_floats(statement_index)
        {
            let float = |n: u32| {
                let v = flow.value(statement.operands + n)?;
                let (w, _, _) = flow.maker(v);
                let at = flow.arguments(w).nth(1)?;
                flow.register(at).map(|r| Operand::reg(registers.get(r)))
            };
            case.packs_floats = float(1).zip(float(2)).map(|(a, b)| (a, b, truncates));
        }
        let look = Look { form, machine, module, flow, registers };
        let packs = form.src == Type::F32 && case.sources.len() > 1;
        if (packs || form.pack)
            && machine.uniform_parameters
            && let Some(at) = places(module, statement).nth(1)
            && let Some(here) = flow.value(statement.operands).map(|v| flow.maker(v).1)
        {
            let mut second = look.at(at, case.source, DEPTH);
            second.load = flow.load(at, form.src, here);
            case.second = Some(second);
        }
        if packs && let Some(here) = flow.value(statement.operands).map(|v| flow.maker(v).1) {
            let blank = case.source;
            let signed = |(n, at)| {
                let v = flow.value(at)?;
                let (operand, parameter) = look.signed(at, blank)?;
                (!flow.is_put_before(v, here)).then_some((n, operand, parameter))
            };
            case.signed = places(module, statement).enumerate().filter_map(signed).collect();
        }
        if let Some(at) = first.map(|at| extended.map_or(at, |e| e.at))
            && matches!(module.operands[at as usize].kind, OperandKind::Register(_))
        {
            let here = flow.value(statement.operands).map(|v| flow.maker(v).1);
            case.maker = flow.value(at).map(|v| flow.maker(v).1);
            // Uses are in source order: the last one tells, of however many.
            case.read_later = flow.value(at).is_some_and(|v| {
                flow.escapes(v) || flow.uses(v).next_back().is_some_and(|u| here.is_some_and(|here| u.statement > here))
            });
            case.source = look.at(at, case.source, DEPTH);
            case.source.only_reader &= extended.is_none_or(|e| e.alone);
            if form.src == Type::F16 && form.dst == Type::F32 && machine.half_alu_widens {
                case.single = flow.single(at);
            }
            if let (Some(guard), Some(Single::Written { .. })) = (&mut case.guard, case.single) {
                guard.old.get_or_insert(Operand::reg(case.dst));
            }
            case.beside = case.source.origin.is_parameter()
                && machine.uniform_parameters
                && flow.value(statement.operands).is_some_and(|v| flow.meets_registers(v, form.dst.bits() != 16));
            if let (Some(here), true, Origin::Param { offset: Some(_), bits }) =
                (here, machine.uniform_parameters, case.source.origin)
            {
                case.source.load = flow.load(at, form.src, here);
                if bits == 64 && form.src.bits() == 64 && case.compares_in_bank() {
                    let loaded = flow.is_saturated_before(at, here);
                    case.source.load = Some(if loaded { Load::Earlier } else { Load::Uniform(64) });
                }
                if bits == 16 && form.src.bits() == 16 && form.src.is_int() && form.dst.is_float() {
                    let loaded = flow.is_loaded_half(at, here);
                    case.source.load = Some(if loaded { Load::Earlier } else { Load::Uniform(16) });
                }
                // a shift extends what it reads itself
                let shifted = case.any(|u| matches!(u, Use::ShiftLeft(_) | Use::ShiftLeftAdded));
                if form.src == Type::U16 && form.dst.is_int() && form.dst.bits() == 64 && !case.low_only && !shifted {
                    let pair = flow.value(statement.operands);
                    case.beside = pair.is_some_and(|v| flow.extends_uniformly(v));
                }
            }
            let upper = matches!(case.source.origin, Origin::Part { element, .. } if element % 2 == 1);
            case.take_over(flow, at, passed);
            let extension =
                Extension { ty: form.src, stored: !(form.src.bits() == 16 && upper), pair: form.dst.bits() == 64 };
            if form.src.is_int()
                && form.dst.is_int()
                && form.src.bits() <= 16
                && form.dst.bits() >= 32
                && let Some((v, here)) = flow.value(at).zip(here)
            {
                case.source.extended_before = flow.extended_before(v, extension, here);
            }
            if let Some(here) = here
                && statement.guard.is_none()
                && !flow.snippet()
            {
                let merging = Merging { flow, constant_operands: machine.constant_operands };
                let mask = case.mask().filter(|_| !case.predicated);
                case.joined =
                    mask.and_then(|mask| merging.mask(at, mask, here)).and_then(|logic| joined(&logic, registers));
                if mask.is_some() || form.src.is_float() && form.dst == Type::U8 {
                    case.taken_at = flow.value(statement.operands).and_then(|v| merging.taker(v));
                }
            }
        }
        if let Some(first) = case.sources.first_mut()
            && !form.pack
            // a sign is put on in the register itself
            && !(packs && case.source.operand.modified())
        {
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

    /// The case of a statement by itself: nothing is known, everything is wanted.
    pub fn alone(
        form: &Form,
        machine: &'static Machine,
        module: &Module<'_>,
        registers: &Registers,
        statement: &Statement,
    ) -> Case {
        let width = |at: u32| match module.operands.get(at as usize).map(|o| o.kind) {
            Some(OperandKind::Register(r)) => module.registers[r.0 as usize].ty.map_or(32, Type::bits),
            _ => 32,
        };
        let dst_bits = width(statement.operands);
        let form = &in_register(form, dst_bits);
        let dst = first_register(module, statement.operands).map_or(Reg::RZ, |r| registers.get(r));
        let mut sources = SmallVec::new();
        for at in places(module, statement) {
            match module.operands[at as usize].kind {
                OperandKind::Register(r) => sources.push(Operand::reg(registers.get(r))),
                // The destination stands for what a special register is read into.
                OperandKind::Special(name) if module.names[name.0 as usize] != b"WARP_SZ" => {
                    sources.push(Operand::reg(dst));
                }
                _ => sources.push(immediate(form, module, at)),
            }
        }
        let plain = sources.first().copied().unwrap_or(Operand::RZ);
        let constant = match plain {
            Operand::Bits(v) => Some(u64::from(v)),
            Operand::F32(v, _) => Some(u64::from(v.to_bits())),
            Operand::F64(v) => Some(v.to_bits()),
            Operand::RZ => Some(0),
            _ => None,
        };
        let source = Source {
            operand: plain,
            plain,
            known: Known { constant, ..constant.filter(|_| form.src.is_int()).map_or(Known::NOTHING, Known::value) },
            origin: Origin::Unknown,
            bits: width(statement.operands + 1),
            only_reader: false,
            first_reader: false,
            load: None,
            shared_byte: false,
            high: false,
            cut: false,
            taken: false,
            byte: None,
            chosen: false,
            extended_before: None,
            bank: false,
            constant: None,
            permuted: None,
            field: None,
            clamped: false,
            positive: false,
            product: false,
            factors: None,
            flushed: false,
        };
        Case {
            form: *form,
            machine,
            source,
            sources,
            signed: SmallVec::new(),
            dst,
            dst_bits,
            uses: SmallVec::new(),
            guard: None,
            takes_over: false,
            second: None,
            twin: None,
            begun: None,
            packs_floats: None,
            packed_at: None,
            pair: None,
            partner: None,
            low_of: None,
            taken_apart: None,
            read_later: false,
            widened: false,
            maker: None,
            reader: None,
            made: 0,
            low_only: false,
            high_only: false,
            dead: false,
            joined: None,
            taken_at: None,
            joins: false,
            predicated: false,
            beside: false,
            merged: false,
            read_as_word: false,
            word_of_pair: false,
            single: None,
            only_masked: false,
        }
    }

    /// The permutation that takes the low bits of the source, if that is one.
    pub fn permuted(&self, bits: u32) -> Option<Permutation> {
        self.source.permuted.and_then(|p| p.low(bits / 8))
    }

    /// Whether a pair is a signed word that a conversion or load extended.
    pub fn extended_word(&self) -> bool {
        let known = self.source.known;
        let made = match known.how {
            How::Convert => self.source.origin == Origin::Converted,
            How::Load => true,
            _ => false,
        };
        made && known.sign_from == 32
    }

    /// Whether a source is made by a statement that is seen.
    pub fn made(&self, n: usize) -> bool {
        n < 8 && self.made >> n & 1 != 0
    }

    /// Whether every reader is of a kind; not so where there is none.
    pub fn only(&self, kind: impl Fn(&Use) -> bool) -> bool {
        !self.uses.is_empty() && self.uses.iter().all(kind)
    }

    /// Whether some reader is of a kind.
    pub fn any(&self, kind: impl Fn(&Use) -> bool) -> bool {
        self.uses.iter().any(kind)
    }

    /// Whether the low part of a parameter, or of a named constant, is read that fills its register (of a word at least, where
    /// that is a pair): it is loaded by itself.
    pub fn reads_part_of_parameter(&self) -> bool {
        let own = self.form.src.bits();
        matches!(self.source.origin, Origin::Param { bits, .. } if bits > own && bits >= self.source.bits.min(32))
    }

    /// Whether a saturation compares its source where the bank or a uniform register has it. What ptxas makes of pairs in
    /// uniform registers throughout is not that, and words are in registers where no instruction reads the bank.
    pub fn compares_in_bank(&self) -> bool {
        let (dst, src) = (self.form.dst, self.form.src);
        let whole = matches!(self.source.origin, Origin::Param { bits, .. } if bits >= src.bits() || src.bits() == 64);
        let throughout = dst.bits() == 64
            || src.bits() == 64
                && dst.is_signed()
                && src.is_signed()
                && (dst.bits() < 32 || !self.machine.constant_operands);
        let at_least = if self.machine.constant_operands { 32 } else { 64 };
        self.form.sat && self.from_int() && self.to_int() && whole && src.bits() >= at_least && !throughout
    }

    /// The place of a 16-bit parameter in the bank as the half ALU reads it, which selects either half of a word.
    pub fn half_parameter(&self) -> Option<Operand> {
        match self.source.origin {
            Origin::Param { offset: Some(offset), bits: 16 } if self.machine.constant_operands => {
                let half = if offset % 4 == 0 { Selector::H0H0 } else { Selector::H1H1 };
                let place = Operand::half_constant(0, self.machine.parameters + (offset & !3));
                Some(place.select(half).with_signs(self.source.operand.signs()))
            }
            _ => None,
        }
    }

    /// The place of a parameter that is an f32 in the bank as the half ALU reads it.
    pub fn single_parameter(&self) -> Option<Operand> {
        match self.source.origin {
            Origin::Param { offset: Some(offset), bits: 32 } if self.machine.constant_operands => {
                let place = Operand::half_constant(0, self.machine.parameters + offset);
                Some(place.select(Selector::F32).with_signs(self.source.operand.signs()))
            }
            _ => None,
        }
    }

    /// The source is of an integer type.
    pub fn from_int(&self) -> bool {
        self.form.src.is_int()
    }

    /// The destination is of an integer type.
    pub fn to_int(&self) -> bool {
        self.form.dst.is_int()
    }
}

/// What a conversion is in a register of so many bits.
fn in_register(form: &Form, bits: u32) -> Form {
    if bits != 32 || form.sat || form.pack {
        return *form;
    }
    extension_in_word(form.dst, form.src).map_or(*form, |(dst, src)| Form { dst, src, ..*form })
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

/// Chains of copies and signs are short; the bound keeps a hostile file linear.
const DEPTH: u32 = 8;

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
