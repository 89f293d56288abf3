//! Where a source comes from: backwards over copies, signs and the statements that conversions read through.

use smallvec::SmallVec;

use crate::bits;
use crate::cvt::Form;
use crate::cvt::constant::{from_half, with_signs};
use crate::dataflow::facts::How;
use crate::dataflow::{Action, Flow, Known, Sign, Space, Use, Value, facts};
use crate::lower::machine::{Machine, Packing};
use crate::lower::registers::Registers;
use crate::ptx::{Module, OperandKind, RegId, Statement, Type};
use crate::sass::{Operand, Round, Selector};

use super::{Field, Origin, Source};

/// A mask of a mask is seldom; the bound keeps a hostile file from overflowing the stack.
const MASKS: u32 = 4;

/// As many readers as are asked what they read: a value that a whole file reads is asked for by each of them.
const READERS: usize = 256;

/// As many moves and shuffles one after another as are looked through; a loop of them has no end.
const MOVES: u32 = 8;

/// Following a source back to where its value comes from.
pub(super) struct Look<'a, 's> {
    pub(super) form: &'a Form,
    pub(super) machine: &'static Machine,
    pub(super) module: &'a Module<'s>,
    pub(super) flow: &'a Flow<'a>,
    pub(super) registers: &'a Registers,
    pub(super) offsets: &'a dyn Fn(&[u8]) -> Option<u32>,
}

impl Look<'_, '_> {
    fn operand(&self, at: u32) -> Operand {
        self.flow.register(at).map_or(Operand::RZ, |r| Operand::reg(self.registers.get(r)))
    }

    /// The source that the operand at an index is.
    pub(super) fn at(&self, start: u32, mut source: Source, depth: u32) -> Source {
        let (module, flow, form) = (self.module, self.flow, self.form);
        source.known = flow.known(start);
        source.plain = self.operand(start);
        let (mut at, mut neg, mut abs) = (start, false, false);
        if let Some(v) = flow.value(start) {
            source.only_reader = flow.uses(v).nth(1).is_none() && !flow.escapes(v);
        }
        for _ in 0..depth {
            let Some(v) = flow.value(at) else { break };
            let (w, _, element) = flow.maker(v);
            if w.guard.is_some() {
                break;
            }
            let m = flow.meaning(w);
            let args: SmallVec<[u32; 4]> = flow.arguments(w).collect();
            let argument = |n: usize| args.get(n).copied().filter(|&i| flow.register(i).is_some());
            let constant = |n: usize| args.get(n).and_then(|&i| flow.constant(i));
            let signed = form.src.is_float() && m.ty == Some(form.src);
            // A sign change that flushes is read as a sign only by what makes integers, which flushes then.
            let sign = signed && (!m.ftz || form.dst.is_int());
            source.clamped = signed && m.sat && !neg && !abs;
            if sign
                && let Some((change, next)) = flow.sign(w, form.src)
                && flow.register(next).is_some()
            {
                match change {
                    Sign::Neg => neg ^= !abs,
                    Sign::Abs => abs = true,
                    Sign::Same => {}
                }
                source.flushed |= m.ftz;
                at = next;
                continue;
            }
            match m.action {
                Action::Abs if m.ty == Some(Type::S32) && self.only_converted(v) => {
                    let Some(of) = argument(1) else { break };
                    let first = flow.uses(v).next().is_some_and(|site| site.operand == start);
                    source.origin = Origin::Absolute { of: self.operand(of), first };
                }
                Action::Mov => {
                    let Some(next) = argument(1) else {
                        if let Some(bits) = flow.known(at).constant {
                            source.origin = Origin::Constant(bits);
                            source.known.constant = Some(with_signs(bits, form.src, neg, abs));
                        }
                        break;
                    };
                    if let OperandKind::Vector(count) = module.operands[w.operands as usize].kind {
                        // What was packed and unpacked again is read where it was before.
                        if let Some(whole) = flow.packed_element(next, element, count) {
                            at = whole;
                            continue;
                        }
                        if let Some(of) = flow.register(next) {
                            source.field = self.byte_in_place(w, of, element, count);
                            source.origin = Origin::Part { of, element, count };
                            source.high = self.upper_half(w, next, element, count);
                        }
                        break;
                    }
                    at = next;
                    continue;
                }
                Action::Load(_) if flow.loads_parameter(w) => {
                    let name = args.get(1).and_then(|&i| module.operands.get(i as usize + 1));
                    let constant = m.action == Action::Load(Space::Const);
                    let offset = name.filter(|_| !constant).and_then(|o| (self.offsets)(o.span.of(module.source)));
                    source.origin = Origin::Param { offset, bits: m.ty.map_or(32, Type::bits) };
                }
                Action::Load(Space::Memory | Space::Const) => {
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
                    source.origin = if m.ftz && !form.ftz { Origin::Computed } else { Origin::Saturable };
                    source.product =
                        m.action == Action::Mul && !m.sat && !m.rounds && source.only_reader && !neg && !abs;
                    if source.product && m.ftz {
                        source.factors = args
                            .get(1)
                            .and_then(|&a| self.factor(a))
                            .zip(args.get(2).and_then(|&b| self.factor(b)))
                            .map(|(a, b)| [a, b]);
                    }
                }
                Action::Cvt => {
                    source.origin = Origin::Converted;
                    source.shared_byte = form.src == Type::U16 && self.extends_shared_byte(v);
                    source.flushed = m.ftz
                        && !m.sat
                        && m.ty == Some(Type::F32)
                        && m.source == m.ty
                        && integral_round(module, w).is_none()
                        && !flow.escapes(v)
                        && self.all_readers(v, |u| matches!(u, Use::FloatToInt { .. }));
                    // A cut to 16 bits of a signed byte that stands in a word leaves it there.
                    if m.ty.is_some_and(|t| t.bits() <= 16)
                        && m.source.is_some_and(Type::is_int)
                        && let Some(next) = argument(1)
                    {
                        source.byte = self.byte_of_word(next);
                        source.cut = source.byte.is_some();
                        if m.source.is_some_and(|t| t.bits() == 32) || flow.known(next).how != How::Unknown {
                            source.field = self.field(next, MASKS);
                        }
                    }
                    source.high = self.machine.packing != Packing::None && flow.pair(v).is_some_and(|p| p.high);
                    // The upper half of a word, shifted down and cut, is read where it was by what reads f16 and makes floats.
                    if form.src == Type::F16
                        && form.dst.is_float()
                        && m.ty.is_some_and(|t| t.bits() == 16)
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
                    source.field = self.field(at, MASKS);
                    source.origin = Origin::Computed;
                }
                Action::Shr => {
                    source.field = self.field(at, MASKS);
                    // Shifting a half leaves it unknown what is above.
                    if m.ty.is_some_and(|t| t.bits() == 16) && form.dst == Type::F32 {
                        source.known = Known::NOTHING;
                    }
                    let signed = m.ty.is_some_and(Type::is_signed);
                    source.origin = match constant(2) {
                        Some(by) if by < 64 && !signed => Origin::Shifted { by: by as u32 },
                        _ => Origin::Computed,
                    };
                }
                Action::And => {
                    source.field = self.field(at, MASKS);
                    let wide = m.ty.is_some_and(|t| t.bits() >= 32);
                    source.origin = match (argument(1), constant(2)) {
                        (Some(of), Some(_)) if wide && self.made_by(of) == Some(Action::Shr) => {
                            Origin::Shifted { by: 0 }
                        }
                        (Some(of), Some(_)) => Origin::Masked { of: self.operand(of) },
                        _ => Origin::Computed,
                    };
                }
                Action::Mul | Action::MulWide | Action::Mad => source.origin = Origin::Product,
                _ => source.origin = Origin::Computed,
            }
            break;
        }
        if let (Some(bits), Origin::Converted | Origin::Computed, true) =
            (source.known.constant, source.origin, form.src.is_int())
        {
            source.origin = Origin::Constant(bits);
        }
        source.operand = self.read(at, source.origin, neg, abs);
        // A byte of the upper half is not read in place.
        source.high &= form.src.bits() == 16;
        if let (Operand::Reg { .. }, true) = (source.operand, source.high) {
            source.operand = source.operand.select(Selector::H1);
        }
        source
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

    /// Which byte of a loaded vector or of a word a value is: an element, or a field of 8 bits on a byte's border.
    fn byte_of_word(&self, at: u32) -> Option<u16> {
        let (w, _, element) = self.flow.maker(self.flow.value(at)?);
        let m = self.flow.meaning(w);
        match m.action {
            Action::Load(Space::Memory | Space::Const) => {
                let vector = matches!(self.module.operands[w.operands as usize].kind, OperandKind::Vector(n) if n > 1);
                (vector && m.ty?.bits() == 8).then_some(element)
            }
            _ => None,
        }
    }

    /// The field of a word that a value is, through so many masks at most.
    fn field(&self, at: u32, depth: u32) -> Option<Field> {
        let (w, _, _) = self.flow.maker(self.flow.value(at)?);
        let m = self.flow.meaning(w);
        if w.guard.is_some() || m.ty.is_none_or(|t| t.bits() != 32) {
            return None;
        }
        let arguments: SmallVec<[u32; 4]> = self.flow.arguments(w).collect();
        let constant = |n: usize| self.flow.constant(*arguments.get(n)?);
        match m.action {
            Action::Bfe => {
                let (from, bits) = (constant(2)?, constant(3)?);
                let aligned = from + bits <= 32 && (bits == 8 && from % 8 == 0 || bits == 16 && from % 16 == 0);
                aligned.then_some(Field {
                    bits: bits as u32,
                    signed: m.ty?.is_signed(),
                    from: from as u32,
                    shifted: false,
                    shared: false,
                    word: None,
                })
            }
            Action::Shr if !m.ty?.is_signed() => {
                let by = constant(2).filter(|by| matches!(by, 8 | 16 | 24))? as u32;
                Some(Field { bits: 32 - by, signed: false, from: by, shifted: true, shared: false, word: None })
            }
            Action::And if constant(2) == Some(0xff) => {
                let word = *arguments.get(1)?;
                let shared = self.flow.value(word).is_some_and(|v| self.flow.uses(v).nth(1).is_some());
                let field = self.field(word, depth.checked_sub(1)?);
                field.filter(|f| f.shifted).map(|f| Field { bits: 8, shared, ..f })
            }
            _ => None,
        }
    }

    /// Whether the upper element of an unpacked word is read where it is: the word is there, or needed for something else too.
    fn upper_half(&self, unpack: &Statement, word: u32, element: u16, count: u16) -> bool {
        let halves = self.flow.meaning(unpack).ty.is_some_and(|t| t.bits() == 16 * u32::from(count));
        halves
            && element % 2 == 1
            && ((0..count).any(|other| other != element && self.element_is_read(unpack, other))
                || self
                    .flow
                    .value(word)
                    .is_some_and(|v| self.flow.uses(v).nth(1).is_some() || self.flow.escapes(v) || self.made_whole(v)))
            && !self.flow.value(word).is_some_and(|v| self.flow.loads_parameter(self.flow.maker(v).0))
    }

    /// Whether a value is a word shifted right by 16 that is there, or needed as a whole too.
    fn is_upper_half(&self, at: u32) -> bool {
        let flow = self.flow;
        let Some(v) = flow.value(at) else { return false };
        let (w, _, _) = flow.maker(v);
        if flow.meaning(w).action != Action::Shr || flow.meaning(w).ty.is_none_or(|t| t.bits() != 32) {
            return false;
        }
        let mut arguments = flow.arguments(w).skip(1);
        let (Some(word), Some(by)) = (arguments.next(), arguments.next()) else { return false };
        flow.constant(by) == Some(16)
            && flow.value(word).is_some_and(|v| flow.uses(v).nth(1).is_some() || self.made_whole(v))
    }

    /// Whether a word cannot be made one half at a time: a half of what is loaded alone is loaded alone, arithmetic on two
    /// halves is done on one, and a shuffle moves what it gets.
    fn made_whole(&self, mut v: Value) -> bool {
        let (flow, module) = (self.flow, self.module);
        for _ in 0..MOVES {
            let (w, _, element) = flow.maker(v);
            let m = flow.meaning(w);
            match m.action {
                Action::Load(_) => {
                    let OperandKind::Vector(count) = module.operands[w.operands as usize].kind else { return false };
                    return m.ty.is_some_and(|t| t.bits() >= 32)
                        && (0..count).any(|other| other != element && self.element_is_read(w, other));
                }
                Action::Cvt => return true,
                Action::Mov => {}
                Action::Effect if m.shuffles => {}
                _ => return !m.ty.is_some_and(|t| matches!(t, Type::F16x2 | Type::Bf16x2)),
            }
            match flow.arguments(w).nth(1).and_then(|moved| flow.value(moved)) {
                Some(moved) => v = moved,
                None => return true,
            }
        }
        false
    }

    fn made_by(&self, at: u32) -> Option<Action> {
        self.flow.value(at).map(|v| self.flow.meaning(self.flow.maker(v).0).action)
    }

    /// A byte of an unpacked word that is read where it stands: not the lowest, nor the one above where that is read too.
    fn byte_in_place(&self, unpack: &Statement, of: RegId, element: u16, count: u16) -> Option<Field> {
        let bytes = count == 4 && self.flow.meaning(unpack).ty.is_some_and(|t| t.bits() == 32);
        let own = element == 0 || element == 1 && self.element_is_read(unpack, 0);
        (bytes && !own && self.form.src.bits() == 8).then_some(Field {
            bits: 8,
            signed: self.form.src.is_signed(),
            from: 8 * u32::from(element),
            shifted: false,
            shared: false,
            word: Some(self.registers.get(of)),
        })
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
            Origin::Constant(constant) => match src {
                Type::F32 if constant as u32 == 0 => Operand::RZ,
                Type::F32 => Operand::F32(f32::from_bits(constant as u32), Selector::Whole),
                Type::F64 => Operand::F64(f64::from_bits(constant)),
                Type::F16 => Operand::F32(from_half(constant as u16) as f32, Selector::Whole),
                t if t.is_int() && bits::truncate(constant, t.bits()) == 0 => Operand::RZ,
                t if t.is_int() && t.bits() <= 32 => Operand::Bits(bits::truncate(constant, t.bits()) as u32),
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
