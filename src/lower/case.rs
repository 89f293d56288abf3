//! A conversion with the facts that the rules read.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::cvt::Form;
use crate::dataflow::facts::How;
use crate::dataflow::{Action, Flow, Known, Pair, Space, Use, Value, facts};
use crate::ptx::{Module, OperandKind, RegId, Statement, Type, literal};
use crate::sass::{Operand, Reg, Round, Selector};

use super::constant;
use super::machine::{Machine, Packing};
use super::registers::Registers;

/// Where a source value comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Origin {
    /// Not known: several definitions, none, or something of no concern.
    Unknown,
    /// Straight from memory.
    Load,
    /// A kernel parameter at this byte offset.
    Param {
        /// Offset within the parameters.
        offset: Option<u32>,
        /// The width that was loaded, in bits.
        bits: u32,
    },
    /// A constant: its bits.
    Constant(u64),
    /// A rounding to an integral value of the same format.
    Rounded {
        /// Its round mode.
        round: Round,
        /// Its `.ftz`.
        ftz: bool,
        /// What it rounds.
        of: Operand,
    },
    /// A float operation that can saturate its own result: `mul`, `add`, `fma`.
    Saturable,
    /// One half or byte of a wider register: `mov.b32 {a, b}, r`.
    Part {
        /// The wider register.
        of: RegId,
        /// Which element.
        element: u16,
        /// How many elements.
        count: u16,
    },
    /// The low part of a value shifted right.
    Shifted {
        /// By so many bits.
        by: u32,
    },
    /// A value masked by a constant.
    Masked {
        /// The value before.
        of: Operand,
    },
    /// Another conversion's result.
    Converted,
    /// Computed by some arithmetic.
    Computed,
}

/// A source value.
#[derive(Debug, Clone, Copy)]
pub struct Source {
    /// The operand, negations and absolute values taken in.
    pub operand: Operand,
    /// The register itself.
    pub plain: Operand,
    /// What is known of its bits.
    pub known: Known,
    /// Where it comes from.
    pub origin: Origin,
    /// Width of its register in bits; 32 where nothing declares it.
    pub bits: u32,
    /// The statement that wrote it has no other reader.
    pub only_reader: bool,
    /// It is the upper half of its register.
    pub high: bool,
    /// The byte was cut to a 16-bit register on the way.
    pub cut: bool,
    /// It is a byte of a register that a vector load filled.
    pub byte: Option<u16>,
    /// A flushing that its F2I readers do themselves made it.
    pub flushed: bool,
    /// What made it clamped it to [0, 1] already.
    pub clamped: bool,
    /// It was taken out of a word.
    pub field: Option<Field>,
}

/// Bits of a word that a shift or `bfe` brought down, on a border where the conversion unit can read them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// Its width in bits.
    pub bits: u32,
    /// It is sign-extended.
    pub signed: bool,
    /// By a shift: the first bit.
    pub shifted: Option<u32>,
}

/// Conversions that left their work to the reader of their result: by statement, what they are and what they read.
pub type Passed = FxHashMap<u32, (Form, Source)>;

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
    pub flow: &'a Flow,
    /// SASS registers assigned so far.
    pub registers: &'a Registers,
    /// The byte offset of a parameter by its name.
    pub offsets: &'a dyn Fn(&[u8]) -> Option<u32>,
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
    /// A `cvt.pack` that takes two float conversions in: the floats, and whether they are truncated.
    pub packs_floats: Option<(Operand, Operand, bool)>,
    /// The `cvt.pack` that takes this conversion in.
    pub packed_at: Option<u32>,
    /// The pair of halves that the result goes into.
    pub pair: Option<Pair>,
    /// The source of the other half of that pair.
    pub partner: Option<Operand>,
    /// The statement that made the source, where it is one that is seen.
    pub maker: Option<u32>,
    /// The first statement that reads the result.
    pub reader: Option<u32>,
    /// Bit n is set where source n is made by a statement that is seen.
    pub made: u8,
    /// Nothing wants more than the low word of a 64-bit result.
    pub low_only: bool,
    /// Whether the result is not read although it could be.
    pub dead: bool,
}

impl Case {
    /// The case of a statement in its function.
    pub fn in_context(form: &Form, statement: &Statement, surroundings: &Surroundings<'_, '_>) -> Case {
        let &Surroundings { machine, module, flow, registers, offsets, passed } = surroundings;
        let mut case = Case::alone(form, machine, module, registers, statement);
        if let Some(v) = flow.value(statement.operands) {
            case.uses = flow.uses_of(module, v).collect();
            case.dead = case.uses.is_empty() && !flow.snippet();
            case.low_only = form.dst.bits() == 64 && form.dst.is_int() && flow.low_only(module, v, DEPTH / 2);
            case.pair = flow.pair(v);
            case.reader = flow.uses(v).next().map(|u| u.statement);
            case.partner = case.pair.and_then(|p| {
                let (other, _, _) = flow.maker(module, p.other);
                let source = flow.arguments(module, other).nth(1)?;
                flow.register(module, source).map(|r| Operand::reg(registers.get(r)))
            });
            case.twin = flow.twin(v);
            case.packed_at = case.uses.first().and_then(|u| match *u {
                Use::PackIntegers { statement } => {
                    Some(statement).filter(|&at| flow.packs_floats(module, at).is_some())
                }
                _ => None,
            });
            let all = |u: &Use| matches!(*u, Use::PackIntegers { statement } if flow.packs_floats(module, statement).is_some());
            if !case.only(all) {
                case.packed_at = None;
            }
        }
        let end = statement.operands + statement.operand_count;
        let places = (statement.operands + 1..end)
            .filter(|&i| !matches!(module.operands[i as usize].kind, OperandKind::Vector(_) | OperandKind::Selected));
        for (n, at) in places.enumerate().take(8) {
            case.made |= u8::from(flow.value(at).is_some()) << n;
            // A register that holds zero is read as RZ.
            if n > 0
                && flow.known(at).constant == Some(0)
                && let Some(source) = case.sources.get_mut(n)
            {
                *source = Operand::RZ;
            }
        }
        if let Some(g) = statement.guard {
            let before = flow.before(module, statement);
            let constant = before.and_then(|v| flow.known_value(v).constant);
            let turned = flow.guard(statement).is_some_and(|v| turned(module, flow, v));
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
            && let Some(statement_index) = flow.value(statement.operands).map(|v| flow.maker(module, v).1)
            && let Some(truncates) = flow.packs_floats(module, statement_index)
        {
            let float = |n: u32| {
                let v = flow.value(statement.operands + n)?;
                let (w, _, _) = flow.maker(module, v);
                let at = flow.arguments(module, w).nth(1)?;
                flow.register(module, at).map(|r| Operand::reg(registers.get(r)))
            };
            case.packs_floats = float(1).zip(float(2)).map(|(a, b)| (a, b, truncates));
        }
        let look = Look { form, machine, module, flow, registers, offsets };
        if let Some(at) = source_index(module, statement)
            && matches!(module.operands[at as usize].kind, OperandKind::Register(_))
        {
            case.maker = flow.value(at).map(|v| flow.maker(module, v).1);
            case.source = look.at(at, case.source, DEPTH);
            case.take_over(module, flow, at, passed);
        }
        if let Some(first) = case.sources.first_mut()
            && !form.pack
        {
            *first = case.source.operand;
        }
        case
    }

    /// Do what an earlier conversion left to this reader of its result.
    fn take_over(&mut self, module: &Module<'_>, flow: &Flow, at: u32, passed: &Passed) {
        let maker = flow.value(at).map(|v| flow.maker(module, v).1);
        let Some((form, source)) = maker.and_then(|m| passed.get(&m)) else { return };
        if !self.form.src.is_int() || self.form.pack {
            return;
        }
        if form.src.is_int() {
            // The two together extend from the narrower type.
            let wide = form.dst.bits() >= 32 && form.dst.bits() > form.src.bits();
            let signs = self.form.src.is_signed() == form.src.is_signed();
            // Only the conversion to f32 reads the byte or half before its extension to a word.
            if wide && !(signs && self.form.dst == Type::F32 && self.form.src.bits() == form.dst.bits()) {
                return;
            }
            let narrow = if form.dst.bits() <= form.src.bits() { form.dst } else { form.src };
            let same = narrow.bits() == self.form.src.bits();
            // A signed byte in a half has zeros above, which this reader sees.
            let fits = narrow.bits() < self.form.src.bits()
                && narrow.is_signed() == self.form.src.is_signed()
                && (self.form.dst == Type::F32 || self.form.dst.is_int() && narrow.is_signed());
            if same || fits {
                // Of as many bits, it is this reader's sign that counts.
                if !same {
                    self.form.src = narrow;
                }
                self.source = Source { only_reader: false, ..*source };
            }
        } else if self.form.dst.is_int() {
            self.form = *form;
            self.source = *source;
            self.takes_over = true;
        }
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
        let dst = first_register(module, statement.operands).map_or(Reg::RZ, |r| registers.get(r));
        let end = statement.operands + statement.operand_count;
        let mut sources = SmallVec::new();
        for at in statement.operands + 1..end {
            let o = &module.operands[at as usize];
            match o.kind {
                OperandKind::Register(r) => sources.push(Operand::reg(registers.get(r))),
                OperandKind::Vector(_) | OperandKind::Selected => {}
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
            high: false,
            cut: false,
            byte: None,
            field: None,
            clamped: false,
            flushed: false,
        };
        Case {
            form: *form,
            machine,
            source,
            sources,
            dst,
            dst_bits: width(statement.operands),
            uses: SmallVec::new(),
            guard: None,
            takes_over: false,
            twin: None,
            packs_floats: None,
            packed_at: None,
            pair: None,
            partner: None,
            maker: None,
            reader: None,
            made: 0,
            low_only: false,
            dead: false,
        }
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

    /// The source is of an integer type.
    pub fn from_int(&self) -> bool {
        self.form.src.is_int()
    }

    /// The destination is of an integer type.
    pub fn to_int(&self) -> bool {
        self.form.dst.is_int()
    }
}

fn first_register(module: &Module<'_>, at: u32) -> Option<RegId> {
    match module.operands.get(at as usize)?.kind {
        OperandKind::Register(r) => Some(r),
        OperandKind::Selected => first_register(module, at + 1),
        _ => None,
    }
}

fn source_index(module: &Module<'_>, s: &Statement) -> Option<u32> {
    (s.operands + 1..s.operands + s.operand_count)
        .find(|&i| !matches!(module.operands[i as usize].kind, OperandKind::Vector(_) | OperandKind::Selected))
}

/// An immediate source: integers as bits of the source type, floats as literals of the source format.
fn immediate(form: &Form, module: &Module<'_>, at: u32) -> Operand {
    let o = &module.operands[at as usize];
    let text = o.span.of(module.source);
    match o.kind {
        OperandKind::Float if facts::float_bits(text, 64) == Some(0) => Operand::RZ,
        OperandKind::Float if form.src == Type::F64 => {
            Operand::F64(f64::from_bits(facts::float_bits(text, 64).unwrap_or(0)))
        }
        OperandKind::Float => {
            Operand::F32(f32::from_bits(facts::float_bits(text, 32).unwrap_or(0) as u32), Selector::Whole)
        }
        _ => {
            let value = literal::expression(text).map_or(0, |i| i.bits);
            match facts::truncate(value, form.src.bits()) as u32 {
                0 => Operand::RZ,
                v => Operand::Bits(v),
            }
        }
    }
}

/// Chains of copies and signs are short; the bound keeps a hostile file linear.
const DEPTH: u32 = 8;

/// Following a source back to where its value comes from.
struct Look<'a, 's> {
    form: &'a Form,
    machine: &'static Machine,
    module: &'a Module<'s>,
    flow: &'a Flow,
    registers: &'a Registers,
    offsets: &'a dyn Fn(&[u8]) -> Option<u32>,
}

impl Look<'_, '_> {
    fn operand(&self, at: u32) -> Operand {
        self.flow.register(self.module, at).map_or(Operand::RZ, |r| Operand::reg(self.registers.get(r)))
    }

    /// The source that the operand at an index is.
    fn at(&self, start: u32, mut source: Source, depth: u32) -> Source {
        let (module, flow, form) = (self.module, self.flow, self.form);
        source.known = flow.known(start);
        source.plain = self.operand(start);
        let (mut at, mut neg, mut abs) = (start, false, false);
        if let Some(v) = flow.value(start) {
            source.only_reader = flow.uses(v).nth(1).is_none() && !flow.escapes(v);
        }
        for _ in 0..depth {
            let Some(v) = flow.value(at) else { break };
            let (w, _, element) = flow.maker(module, v);
            if w.guard.is_some() {
                break;
            }
            let m = flow.meaning(w);
            let args: SmallVec<[u32; 4]> = flow.arguments(module, w).collect();
            let argument = |n: usize| args.get(n).copied().filter(|&i| flow.register(module, i).is_some());
            let constant = |n: usize| args.get(n).and_then(|&i| flow.constant(module, i));
            let signed = form.src.is_float() && m.ty == Some(form.src);
            source.clamped = signed && m.sat && !neg && !abs;
            match m.action {
                Action::Neg if signed => {
                    let Some(next) = argument(1) else { break };
                    neg ^= !abs;
                    at = next;
                    continue;
                }
                Action::Abs if signed => {
                    let Some(next) = argument(1) else { break };
                    abs = true;
                    at = next;
                    continue;
                }
                Action::Mov => {
                    let Some(next) = argument(1) else {
                        if let Some(bits) = flow.known(at).constant {
                            source.origin = Origin::Constant(bits);
                            source.known.constant = Some(constant::with_signs(bits, form.src, neg, abs));
                        }
                        break;
                    };
                    if let OperandKind::Vector(count) = module.operands[w.operands as usize].kind {
                        // What was packed and unpacked again is read where it was before.
                        if let Some(whole) = self.packed_element(next, element, count) {
                            at = whole;
                            continue;
                        }
                        if let Some(of) = flow.register(module, next) {
                            source.origin = Origin::Part { of, element, count };
                            source.high = self.upper_half(w, next, element, count);
                        }
                        break;
                    }
                    at = next;
                    continue;
                }
                Action::Load(Space::Param) => {
                    let name = args.get(1).and_then(|&i| module.operands.get(i as usize + 1));
                    let offset = name.and_then(|o| (self.offsets)(o.span.of(module.source)));
                    source.origin = Origin::Param { offset, bits: m.ty.map_or(32, Type::bits) };
                }
                Action::Load(Space::Memory) => {
                    source.origin = Origin::Load;
                    if let OperandKind::Vector(count) = module.operands[w.operands as usize].kind
                        && count > 1
                    {
                        match m.ty.map(Type::bits) {
                            Some(16) => {
                                source.high = element % 2 == 1 && self.element_is_read(w, element - 1);
                                source.known = Known::NOTHING;
                            }
                            Some(8) => source.byte = Some(element),
                            _ => {}
                        }
                    }
                }
                Action::Mul | Action::Add | Action::Sub | Action::Fma
                    if m.ty == Some(form.src) && matches!(form.src, Type::F32 | Type::F16) =>
                {
                    source.origin = Origin::Saturable;
                }
                Action::Cvt => {
                    source.origin = Origin::Converted;
                    source.flushed = m.ftz
                        && !m.sat
                        && m.ty == Some(Type::F32)
                        && m.source == m.ty
                        && integral_round(module, w).is_none()
                        && !flow.escapes(v)
                        && flow.uses_of(module, v).all(|u| matches!(u, Use::FloatToInt { .. }));
                    // A cut to 16 bits of a signed byte that stands in a word leaves it there.
                    if m.ty.is_some_and(|t| t.bits() <= 16)
                        && m.source.is_some_and(Type::is_int)
                        && let Some(next) = argument(1)
                    {
                        source.byte = self.byte_of_word(next);
                        source.cut = source.byte.is_some();
                        if m.source.is_some_and(|t| t.bits() == 32) || flow.known(next).how != How::Unknown {
                            source.field = self.field(next);
                        }
                    }
                    source.high = self.machine.packing != Packing::None && flow.pair(v).is_some_and(|p| p.high);
                    // The upper half of a word, shifted down and cut.
                    if m.ty.is_some_and(|t| t.bits() == 16)
                        && m.source.is_some_and(|t| t.is_int() && t.bits() == 32)
                        && let Some(next) = argument(1)
                        && self.is_upper_half(next)
                    {
                        source.high = true;
                    }
                    if m.ty == m.source
                        && m.ty == Some(form.src)
                        && !m.sat
                        && let Some(round) = integral_round(module, w)
                        && let Some(next) = argument(1)
                        && depth > 1
                    {
                        let of = self.at(next, source, depth / 2).operand;
                        source.origin = Origin::Rounded { round, ftz: m.ftz, of };
                    }
                }
                Action::Bfe => {
                    source.field = self.field(at);
                    source.origin = Origin::Computed;
                }
                Action::Shr => {
                    source.field = self.field(at);
                    source.origin = match constant(2) {
                        Some(by) if by < 64 => Origin::Shifted { by: by as u32 },
                        _ => Origin::Computed,
                    };
                }
                Action::And => {
                    source.field = self.field(at);
                    source.origin = match (argument(1), constant(2)) {
                        (Some(of), Some(_)) if self.made_by(of) == Some(Action::Shr) => Origin::Shifted { by: 0 },
                        (Some(of), Some(_)) => Origin::Masked { of: self.operand(of) },
                        _ => Origin::Computed,
                    };
                }
                _ => source.origin = Origin::Computed,
            }
            break;
        }
        source.operand = self.read(at, source.origin, neg, abs);
        if let (Operand::Reg { .. }, true) = (source.operand, source.high && form.src.bits() == 16) {
            source.operand = source.operand.select(Selector::H1);
        }
        source
    }

    /// The element that a word was packed of, as operand.
    fn packed_element(&self, word: u32, element: u16, count: u16) -> Option<u32> {
        let (w, _, _) = self.flow.maker(self.module, self.flow.value(word)?);
        let vector = self.flow.arguments(self.module, w).nth(1)?;
        let same = self.flow.meaning(w).action == Action::Mov
            && w.guard.is_none()
            && self.module.operands[vector as usize].kind == OperandKind::Vector(count);
        let at = vector + 1 + u32::from(element);
        (same && self.flow.value(at).is_some()).then_some(at)
    }

    /// Which byte of a loaded vector or of a word a value is: an element, or a field of 8 bits on a byte's border.
    fn byte_of_word(&self, at: u32) -> Option<u16> {
        let (w, _, element) = self.flow.maker(self.module, self.flow.value(at)?);
        let m = self.flow.meaning(w);
        match m.action {
            Action::Load(Space::Memory) => {
                let vector = matches!(self.module.operands[w.operands as usize].kind, OperandKind::Vector(n) if n > 1);
                (vector && m.ty?.bits() == 8).then_some(element)
            }
            _ => None,
        }
    }

    /// The field of a word that a value is.
    fn field(&self, at: u32) -> Option<Field> {
        let (w, _, _) = self.flow.maker(self.module, self.flow.value(at)?);
        let m = self.flow.meaning(w);
        if w.guard.is_some() || m.ty.is_none_or(|t| t.bits() != 32) {
            return None;
        }
        let arguments: SmallVec<[u32; 4]> = self.flow.arguments(self.module, w).collect();
        let constant = |n: usize| self.flow.constant(self.module, *arguments.get(n)?);
        match m.action {
            Action::Bfe => {
                let (from, bits) = (constant(2)?, constant(3)?);
                let aligned = from + bits <= 32 && (bits == 8 && from % 8 == 0 || bits == 16 && from % 16 == 0);
                aligned.then_some(Field { bits: bits as u32, signed: m.ty?.is_signed(), shifted: None })
            }
            Action::Shr if !m.ty?.is_signed() => {
                let by = constant(2).filter(|by| matches!(by, 8 | 16 | 24))? as u32;
                Some(Field { bits: 32 - by, signed: false, shifted: Some(by) })
            }
            Action::And if constant(2) == Some(0xff) => {
                self.field(*arguments.get(1)?).filter(|f| f.shifted.is_some()).map(|f| Field { bits: 8, ..f })
            }
            _ => None,
        }
    }

    /// Whether the upper element of an unpacked word is read where it is: the word is needed for something else too.
    fn upper_half(&self, unpack: &Statement, word: u32, element: u16, count: u16) -> bool {
        let halves = self.flow.meaning(unpack).ty.is_some_and(|t| t.bits() == 16 * u32::from(count));
        halves
            && element % 2 == 1
            && self.form.src.bits() <= 16
            && ((0..count).any(|other| other != element && self.element_is_read(unpack, other))
                || self.flow.value(word).is_some_and(|v| self.flow.uses(v).nth(1).is_some() || self.flow.escapes(v)))
            && !matches!(self.made_by(word), Some(Action::Load(Space::Param)))
    }

    /// Whether a value is a word shifted right by 16 that is needed as a whole too.
    fn is_upper_half(&self, at: u32) -> bool {
        let (module, flow) = (self.module, self.flow);
        let Some(v) = flow.value(at) else { return false };
        let (w, _, _) = flow.maker(module, v);
        if flow.meaning(w).action != Action::Shr || flow.meaning(w).ty.is_none_or(|t| t.bits() != 32) {
            return false;
        }
        let mut arguments = flow.arguments(module, w).skip(1);
        let (Some(word), Some(by)) = (arguments.next(), arguments.next()) else { return false };
        flow.constant(module, by) == Some(16) && flow.value(word).is_some_and(|v| flow.uses(v).nth(1).is_some())
    }

    fn made_by(&self, at: u32) -> Option<Action> {
        self.flow.value(at).map(|v| self.flow.meaning(self.flow.maker(self.module, v).0).action)
    }

    /// Whether an element of a vector result is read.
    fn element_is_read(&self, s: &Statement, element: u16) -> bool {
        let value: Option<Value> = self.flow.value(s.operands + 1 + u32::from(element));
        value.is_some_and(|v| self.flow.uses(v).next().is_some() || self.flow.escapes(v))
    }

    /// The operand that reads a source with its signs taken in.
    fn read(&self, at: u32, origin: Origin, neg: bool, abs: bool) -> Operand {
        let src = self.form.src;
        let base = match origin {
            // ptxas reads a 16-bit float parameter where it is used.
            Origin::Param { offset: Some(offset), bits: 16 }
                if self.machine.constant_operands && matches!(src, Type::F16 | Type::Bf16) && !neg && !abs =>
            {
                let offset = self.machine.parameters + offset;
                Operand::Const { bank: 0, offset, sel: Selector::Whole, half: true }
            }
            Origin::Constant(bits) => match src {
                Type::F32 if bits as u32 == 0 => Operand::RZ,
                Type::F32 => Operand::F32(f32::from_bits(bits as u32), Selector::Whole),
                Type::F64 => Operand::F64(f64::from_bits(bits)),
                Type::F16 => Operand::F32(constant::from_half(bits as u16) as f32, Selector::Whole),
                t if t.is_int() && t.bits() <= 32 => Operand::Bits(facts::truncate(bits, t.bits()) as u32),
                _ => self.operand(at),
            },
            _ => self.operand(at),
        };
        match base {
            Operand::Reg { reg, sel, .. } => Operand::Reg { reg, neg, abs, sel },
            Operand::F32(v, sel) => {
                let v = if abs { v.abs() } else { v };
                Operand::F32(if neg { -v } else { v }, sel)
            }
            other => other,
        }
    }
}

/// Whether ptxas makes the comparison that gives a predicate the other way round: less becomes not greater.
fn turned(module: &Module<'_>, flow: &Flow, predicate: Value) -> bool {
    let (s, _, _) = flow.maker(module, predicate);
    if flow.meaning(s).action != Action::Setp {
        return false;
    }
    // A parameter is read from the constant bank, which only the second source can be: the two change places.
    let mut arguments = flow.arguments(module, s).skip(1).map(|o| {
        flow.value(o).is_some_and(|v| flow.meaning(flow.maker(module, v).0).action == Action::Load(Space::Param))
    });
    let swapped = arguments.next() == Some(true) && arguments.next() == Some(false);
    module.opcodes[s.opcode.0 as usize].parts().any(|p| match p {
        b"lt" | b"le" | b"lo" | b"ls" => !swapped,
        b"gt" | b"ge" | b"hi" | b"hs" => swapped,
        b"eq" => true,
        _ => false,
    })
}

/// The integer rounding of a conversion's opcode.
fn integral_round(module: &Module<'_>, s: &Statement) -> Option<Round> {
    module.opcodes[s.opcode.0 as usize].parts().find_map(|p| match p {
        b"rni" => Some(Round::Near),
        b"rzi" => Some(Round::Trunc),
        b"rmi" => Some(Round::Floor),
        b"rpi" => Some(Round::Ceil),
        _ => None,
    })
}
