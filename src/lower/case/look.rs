//! Where a source comes from: backwards over copies, signs and the statements that conversions read through.

use smallvec::SmallVec;

use crate::bits;
use crate::cvt::Form;
use crate::cvt::constant::{from_half, with_signs};
use crate::dataflow::facts::How;
use crate::dataflow::uses::READERS;
use crate::dataflow::{Action, Flow, Known, Meaning, Pair, Sign, Space, Use, Value, facts};
use crate::lower::machine::{Machine, Packing};
use crate::lower::registers::Registers;
use crate::ptx::{Module, OperandKind, Statement, Type};
use crate::sass::float::F64Literal;
use crate::sass::{Operand, Round, Selector};

use super::operands::integer;
use super::{Origin, Source};

mod place;

/// A mask of a mask is seldom; the bound keeps a hostile file from overflowing the stack.
const MASKS: u32 = 4;

/// The signs that are put on a value on its way to a conversion.
#[derive(Debug, Clone, Copy, Default)]
struct Signs {
    neg: bool,
    abs: bool,
}

impl Signs {
    /// Put one more on, which is done before these.
    fn put(&mut self, change: Sign) {
        match change {
            Sign::Neg => self.neg ^= !self.abs,
            Sign::Abs => self.abs = true,
            Sign::Same => {}
        }
    }
}

/// What made a value on the way back from a conversion.
struct Made<'f> {
    /// Where the value is read.
    at: u32,
    /// Where the conversion reads its source.
    start: u32,
    /// As many steps back are left to a way that branches off here.
    depth: u32,
    value: Value,
    statement: &'f Statement,
    meaning: &'f Meaning,
    /// Which element of its result.
    element: u16,
    arguments: SmallVec<[u32; 4]>,
}

/// Chains of copies and signs are short; the bound keeps a hostile file linear.
pub(super) const DEPTH: u32 = 8;

/// Following a source back to where its value comes from.
pub(super) struct Look<'a, 's> {
    pub(super) form: &'a Form,
    pub(super) machine: &'static Machine,
    pub(super) module: &'a Module<'s>,
    pub(super) flow: &'a Flow<'a>,
    pub(super) registers: &'a Registers,
}

impl Look<'_, '_> {
    fn operand(&self, at: u32) -> Operand {
        self.flow.register(at).map_or(Operand::RZ, |r| Operand::reg(self.registers.get(r)))
    }

    /// The source that the operand at an index is.
    pub(super) fn at(&self, start: u32, mut source: Source, depth: u32) -> Source {
        let flow = self.flow;
        source.known = flow.known(start);
        source.plain = self.operand(start);
        if let Some(v) = flow.value(start) {
            source.permuted = self.permutation(start);
            source.only_reader = flow.uses(v).nth(1).is_none() && !flow.escapes(v);
            if self.form.src.is_int() && self.form.dst.is_float() {
                // a conversion that is done again counts, as floats are made before that is seen
                source.only_reader &= flow.read_by(v).len() < 2;
            }
            source.first_reader = flow.uses(v).next().is_some_and(|site| site.operand == start);
        }
        source.high = self.is_upper_of_guarded(start);
        let (mut at, mut signs) = (start, Signs::default());
        for _ in 0..depth {
            let Some(made) = self.made(at, start, depth) else { break };
            let next = self.through_sign(&made, &mut signs, &mut source);
            let Some(next) = next.or_else(|| self.through_maker(&made, &mut signs, &mut source)) else { break };
            at = next;
        }
        if let (Some(bits), Origin::Converted | Origin::Computed, true) =
            (source.known.constant, source.origin, self.form.src.is_int())
        {
            source.origin = Origin::Constant(bits);
        }
        source.operand = self.read(at, source.origin, signs);
        // A byte of the upper half is not read in place.
        source.high &= self.form.src.bits() == 16;
        if let (Operand::Reg { .. }, true) = (source.operand, source.high) {
            source.operand = source.operand.select(Selector::H1);
        }
        if self.form.src == Type::E2m1x2 {
            // a byte of a word is read in place
            let element = match source.origin {
                Origin::Part { element, count: 4, .. } => Some(element),
                _ => source.byte,
            };
            if let Some(element) = element.filter(|&element| element > 0) {
                source.operand = source.operand.select(Selector::Byte(element as u8));
            }
        }
        source
    }

    /// The operand that a source is which a change of sign made, and whether that is a parameter; `blank` is a source of which
    /// nothing is known.
    pub(super) fn signed(&self, at: u32, blank: Source) -> Option<(Operand, bool)> {
        let at = self.flow.copied(at);
        let made = self.flow.value(at).map(|v| self.flow.maker(v).0)?;
        let changed = made.guard.is_none() && self.flow.sign(made, self.form.src).is_some();
        let source = changed.then(|| self.at(at, blank, DEPTH)).filter(|source| source.operand.modified())?;
        Some((source.operand, source.origin.is_parameter()))
    }

    /// Whether a half is the upper one of a word that a vector load under a guard keeps or writes: before it both halves
    /// are constants, which ptxas puts into one word.
    fn is_upper_of_guarded(&self, at: u32) -> bool {
        let flow = self.flow;
        let Some(v) = flow.value(at) else { return false };
        let (w, _, element) = flow.maker(v);
        if w.guard.is_none() || element % 2 == 0 {
            return false;
        }
        let m = flow.meaning(w);
        let vector = matches!(self.module.operands[w.operands as usize].kind, OperandKind::Vector(_));
        let halves = matches!(m.action, Action::Load(Space::Memory)) && m.ty.is_some_and(|ty| ty.bits() == 16);
        let constant = |element: u16| {
            let made = flow.value(w.operands + 1 + u32::from(element));
            made.and_then(|v| flow.value_before(v)).is_some_and(|before| flow.known_value(before).constant.is_some())
        };
        let read = |element: u16| {
            flow.value(w.operands + 1 + u32::from(element)).is_some_and(|v| flow.uses(v).next().is_some())
        };
        vector && halves && self.form.dst.is_float() && read(element - 1) && constant(element) && constant(element - 1)
    }

    /// What made the value at a place, unless it is guarded.
    fn made(&self, at: u32, start: u32, depth: u32) -> Option<Made<'_>> {
        let value = self.flow.value(at)?;
        let (statement, _, element) = self.flow.maker(value);
        let arguments = self.flow.arguments(statement).collect();
        let meaning = self.flow.meaning(statement);
        statement.guard.is_none().then_some(Made { at, start, depth, value, statement, meaning, element, arguments })
    }

    /// The register that an argument of a maker is.
    fn argument(&self, made: &Made<'_>, n: usize) -> Option<u32> {
        made.arguments.get(n).copied().filter(|&at| self.flow.register(at).is_some())
    }

    /// What a sign is put on, if the maker does that to a float of the source's format.
    fn through_sign(&self, made: &Made<'_>, signs: &mut Signs, source: &mut Source) -> Option<u32> {
        let (form, m) = (self.form, made.meaning);
        let same = form.src.is_float() && m.ty == Some(form.src);
        let unsigned = same && !signs.neg && !signs.abs;
        source.clamped = unsigned && m.sat;
        source.positive = unsigned && m.positive;
        // A sign change that flushes is read as a sign only by what makes integers, which flushes then, and by the
        // product that flushes before a conversion to f64.
        if !same || m.ftz && !form.dst.is_int() && !(form.ftz && form.dst == Type::F64) {
            return None;
        }
        let (change, next) = self.flow.sign(made.statement, form.src)?;
        self.flow.register(next)?;
        signs.put(change);
        source.flushed |= m.ftz;
        Some(next)
    }

    /// Says of the source what made it. Returns what it is a copy of, if it is one.
    fn through_maker(&self, made: &Made<'_>, signs: &mut Signs, source: &mut Source) -> Option<u32> {
        let (form, m) = (self.form, made.meaning);
        if m.is_half_arithmetic() {
            source.high = self.pair(made.value).is_some_and(|p| p.high);
        }
        match m.action {
            Action::Mov => return self.moved(made, signs, source),
            Action::Abs if m.ty == Some(Type::S32) && self.only_converted(made.value) => {
                if let Some(of) = self.argument(made, 1) {
                    let first = self.flow.uses(made.value).next().is_some_and(|site| site.operand == made.start);
                    source.origin = Origin::Absolute { of: self.operand(of), first };
                }
            }
            Action::Load(space) => self.loaded(made, space, source),
            Action::Mul | Action::Add | Action::Sub | Action::Fma
                if m.ty == Some(form.src) && matches!(form.src, Type::F32 | Type::F16) =>
            {
                self.calculated(made, *signs, source);
            }
            // ends with a product
            Action::Div if form.src == Type::F32 && m.ty == Some(Type::F32) && !m.calls => {
                self.calculated(made, *signs, source);
            }
            Action::Cvt => self.converted(made, source),
            Action::Bfe => {
                source.field = self.field(made.at, MASKS);
                source.origin = Origin::Computed;
            }
            Action::Shr => self.shifted(made, source),
            Action::And => self.masked(made, source),
            Action::Mul | Action::MulWide | Action::Mad => source.origin = Origin::AtOnce,
            Action::Add | Action::Sub | Action::MadWide | Action::Min | Action::Max if self.adds_at_once(m) => {
                source.origin = Origin::AtOnce;
            }
            Action::Selp => {
                source.chosen = self.flow.is_chosen_by_predicate(made.value);
                source.origin = Origin::Computed;
            }
            _ => source.origin = Origin::Computed,
        }
        None
    }

    /// Whether both words of a sum or limit are written at once.
    fn adds_at_once(&self, m: &Meaning) -> bool {
        let pair = |ty: Type| ty.is_int() && (ty.bits() == 64 || m.action == Action::MadWide);
        self.machine.adds_pairs && m.ty.is_some_and(pair)
    }

    /// A copy, a constant, or an element of an unpacked word.
    fn moved(&self, made: &Made<'_>, signs: &mut Signs, source: &mut Source) -> Option<u32> {
        let Some(mut next) = self.argument(made, 1) else {
            if let Some(bits) = self.flow.known(made.at).constant {
                source.origin = Origin::Constant(bits);
                source.known.constant = Some(with_signs(bits, self.form.src, signs.neg, signs.abs));
            }
            return None;
        };
        let (unpack, element) = (made.statement, made.element);
        let OperandKind::Vector(count) = self.module.operands[unpack.operands as usize].kind else {
            return Some(next);
        };
        // the sign of two halves is one of each
        for _ in 0..DEPTH {
            let Some((change, of)) = self.sign_of_halves(next).filter(|_| self.form.src == Type::F16) else { break };
            signs.put(change);
            next = of;
        }
        // What was packed and unpacked again is read where it was before.
        let whole = self.flow.packed_element(next, element, count);
        if let Some(whole) = whole {
            source.known = self.flow.known(whole);
        } else if let Some(of) = self.flow.register(next) {
            source.field = self.byte_in_place(unpack, of, element, count);
            source.origin = Origin::Part { of, element, count };
            source.high = self.upper_half(unpack, next, element, count);
        }
        whole
    }

    /// What is done to the signs of two halves of f16 in a word, and the word before.
    fn sign_of_halves(&self, word: u32) -> Option<(Sign, u32)> {
        let (w, _, _) = self.flow.maker(self.flow.value(word)?);
        let m = self.flow.meaning(w);
        let change = match m.action {
            Action::Neg => Sign::Neg,
            Action::Abs => Sign::Abs,
            _ => return None,
        };
        let of = self.flow.arguments(w).nth(1).filter(|&at| self.flow.register(at).is_some())?;
        (m.ty == Some(Type::F16x2) && w.guard.is_none()).then_some((change, of))
    }

    /// A parameter, or an element of what a load gives.
    fn loaded(&self, made: &Made<'_>, space: Space, source: &mut Source) {
        let (w, ty) = (made.statement, made.meaning.ty);
        let parameter = self.flow.loads_parameter(w);
        source.bank = parameter || space == Space::Const;
        if parameter {
            let offset = self.flow.parameter_offset(made.value);
            source.origin = Origin::Param { offset, bits: ty.map_or(32, Type::bits) };
            if space == Space::Const {
                source.constant = self.flow.constant_offset(made.value);
            }
            return;
        }
        if !matches!(space, Space::Memory | Space::Const) {
            source.origin = Origin::Computed;
            return;
        }
        source.origin = Origin::Load;
        source.high = self.pair(made.value).is_some_and(|pair| pair.high);
        if matches!(self.module.operands[w.operands as usize].kind, OperandKind::Vector(count) if count > 1) {
            match ty.map(Type::bits) {
                Some(16) => {
                    source.high = made.element % 2 == 1 && self.element_is_read(w, made.element - 1);
                    source.known = Known::NOTHING;
                }
                Some(8) => source.byte = Some(made.element),
                _ => {}
            }
        }
    }

    /// The pair that a half is part of, where the machine makes two at once.
    fn pair(&self, v: Value) -> Option<Pair> {
        self.flow.pair(v).filter(|_| self.machine.packing != Packing::None)
    }

    /// The result of float arithmetic.
    fn calculated(&self, made: &Made<'_>, signs: Signs, source: &mut Source) {
        let m = made.meaning;
        source.origin = if m.ftz && !self.form.ftz { Origin::Computed } else { Origin::Saturable };
        let signed = signs.neg || signs.abs;
        source.product =
            matches!(m.action, Action::Mul | Action::Div) && !m.sat && !m.rounds && source.only_reader && !signed;
        if source.product && m.ftz && m.action == Action::Mul {
            let factor = |n: usize| made.arguments.get(n).and_then(|&at| self.factor(at));
            source.factors = factor(1).zip(factor(2)).map(|(a, b)| [a, b]);
        }
    }

    /// The result of a conversion.
    fn converted(&self, made: &Made<'_>, source: &mut Source) {
        let (form, m, flow) = (self.form, made.meaning, self.flow);
        let round = integral_round(self.module, made.statement);
        let narrow = m.ty.is_some_and(|t| t.bits() <= 16);
        source.origin = Origin::Converted;
        source.shared_byte = form.src == Type::U16 && self.extends_shared_byte(made.value);
        source.flushed |= m.ftz
            && !m.sat
            && m.ty == Some(Type::F32)
            && m.source == m.ty
            && round.is_none()
            && !flow.escapes(made.value)
            && self.all_readers(made.value, |u| matches!(u, Use::FloatToInt { .. }));
        let pair = self.pair(made.value);
        source.high = pair.is_some_and(|p| p.high);
        if pair.is_some() {
            source.known = Known::NOTHING;
        }
        let Some(next) = self.argument(made, 1) else { return };
        // A cut to 16 bits of a signed byte that stands in a word leaves it there.
        if narrow && m.source.is_some_and(Type::is_int) {
            source.byte = self.byte_of_word(next, 0).map(|byte| byte.element);
            source.cut = source.byte.is_some();
            if m.source.is_some_and(|t| t.bits() == 32) || flow.known(next).how != How::Unknown {
                source.field = self.field(next, MASKS);
            }
        }
        if form.src.is_int()
            && let Some(byte) = self.byte_of_word(made.at, MASKS)
        {
            (source.byte, source.taken) = (Some(byte.element), byte.taken);
        }
        // The upper half of a word, shifted down and cut, is read where it was by what reads f16 and makes floats.
        source.high |= form.src == Type::F16
            && form.dst.is_float()
            && m.ty.is_some_and(|t| t.bits() == 16)
            && m.source.is_some_and(|t| t.is_int() && t.bits() == 32)
            && self.is_upper_half(next);
        if m.ty == m.source
            && m.ty == Some(form.src)
            && !m.sat
            && let Some(round) = round
            && made.depth > 1
        {
            let of = self.at(next, *source, made.depth / 2).operand;
            source.origin = Origin::Rounded { round, ftz: m.ftz, of };
        }
    }

    /// What a shift to the right brings down.
    fn shifted(&self, made: &Made<'_>, source: &mut Source) {
        let ty = made.meaning.ty;
        source.field = self.field(made.at, MASKS);
        // Shifting a half leaves it unknown what is above.
        if ty.is_some_and(|t| t.bits() == 16) && self.form.dst == Type::F32 {
            source.known = Known::NOTHING;
        }
        source.origin = match made.arguments.get(2).and_then(|&at| self.flow.constant(at)) {
            Some(by) if by < 64 && !ty.is_some_and(Type::is_signed) => Origin::Shifted { by: by as u32 },
            _ => Origin::Computed,
        };
    }

    /// What a mask keeps.
    fn masked(&self, made: &Made<'_>, source: &mut Source) {
        source.field = self.field(made.at, MASKS);
        source.origin = Origin::Computed;
        if self.form.dst.is_float() {
            source.byte = self.byte_of_word(made.at, MASKS).map(|byte| byte.element);
        }
        let constant = made.arguments.get(2).and_then(|&at| self.flow.constant(at));
        if let (Some(of), Some(mask)) = (self.argument(made, 1), constant) {
            let wide = made.meaning.ty.is_some_and(|t| t.bits() >= 32);
            source.origin = match wide && self.is_shifted(of) {
                true => Origin::Shifted { by: 0 },
                false => Origin::Masked { of: self.operand(of), mask },
            };
        }
    }

    /// Whether a half was extended from a byte (signed, or loaded with zeros above) that more than one reads: as a half,
    /// or as the byte that was loaded. Who takes the half's sign goes to the byte itself.
    fn extends_shared_byte(&self, half: Value) -> bool {
        let flow = self.flow;
        let (w, _, _) = flow.maker(half);
        let (m, source) = (flow.meaning(w), flow.arguments(w).nth(1));
        let shared = || {
            let own = |u: &Use| !matches!(u, Use::Extend { from: Type::S16, .. });
            flow.escapes(half) || flow.uses_of(half).take(READERS).filter(own).nth(1).is_some()
        };
        match (m.ty, m.source) {
            (Some(Type::S8), Some(t)) if t.is_float() => shared(),
            (Some(Type::S16 | Type::U16), Some(Type::S8)) => shared(),
            (Some(Type::S16 | Type::U16), Some(Type::U8)) => source.is_some_and(|byte| {
                let known = flow.known(byte);
                known.how == How::Load
                    && known.fits_unsigned(8)
                    && (shared() || flow.value(byte).is_some_and(|v| flow.uses(v).nth(1).is_some()))
            }),
            _ => false,
        }
    }

    /// Whether all that reads a word converts it to a float, or to a pair with its sign.
    fn only_converted(&self, v: Value) -> bool {
        self.form.src.bits() == 32
            && self.all_readers(v, |u| match u {
                Use::ToFloat { from, to } => from == Type::S32 || from == Type::U32 && to == Type::F32,
                Use::Extend { from, .. } => from == Type::S32,
                Use::MultiplyWide => true,
                Use::Saturate { from, .. } => from == Type::S32,
                _ => false,
            })
    }

    /// Whether all that reads a value is of a kind, of as many as are asked.
    fn all_readers(&self, v: Value, kind: impl Fn(Use) -> bool) -> bool {
        self.flow.uses(v).nth(READERS).is_none() && self.flow.uses_of(v).all(kind)
    }

    /// A factor: a register, or a constant.
    fn factor(&self, at: u32) -> Option<Operand> {
        match self
            .flow
            .known(at)
            .constant
            .or_else(|| facts::float_bits(self.module.operands[at as usize].span.of(self.module.source), 32))
        {
            Some(bits) => Some(Operand::F32(f32::from_bits(bits as u32), Selector::Whole)),
            None => self.flow.register(at).map(|_| self.operand(at)),
        }
    }

    /// The operand that reads a source with its signs taken in.
    fn read(&self, at: u32, origin: Origin, Signs { neg, abs }: Signs) -> Operand {
        let src = self.form.src;
        let base = match origin {
            // ptxas reads a 16-bit float parameter where it is used, if it is the lower half of a word.
            Origin::Param { offset: Some(offset), bits: 16 }
                if self.machine.constant_operands && matches!(src, Type::F16 | Type::Bf16) && offset % 4 == 0 =>
            {
                Operand::half_constant(0, self.machine.parameters + offset)
            }
            Origin::Constant(constant) => match src {
                Type::F32 => Operand::F32(f32::from_bits(constant as u32), Selector::Whole),
                Type::F64 => Operand::F64(F64Literal::from_bits(constant)),
                Type::F16 => Operand::F32(from_half(constant as u16) as f32, Selector::Whole),
                t if t.is_int() && bits::truncate(constant, t.bits()) == 0 => Operand::RZ,
                t if t.is_int() && t.bits() <= 32 && self.form.dst.is_float() => integer(constant, t),
                t if t.is_int() && t.bits() <= 32 => Operand::Bits(bits::truncate(constant, t.bits()) as u32),
                _ => self.operand(at),
            },
            _ => self.operand(at),
        };
        match base {
            Operand::F32(v, sel) => {
                let v = if abs { v.abs() } else { v };
                let v = if neg { -v } else { v };
                if v == 0.0 { zero(v.is_sign_negative()) } else { Operand::F32(v, sel) }
            }
            Operand::F64(v) if v.to_bits() << 1 == 0 => zero(!abs && (v.to_bits() != 0) != neg),
            other => other.with_signs((neg, abs)),
        }
    }
}

/// A zero, negative or not.
fn zero(negative: bool) -> Operand {
    if negative { Operand::NEG_RZ } else { Operand::RZ }
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
