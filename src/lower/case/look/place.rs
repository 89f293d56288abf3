//! Where in a word a byte or a half stands, and whether it is read there.

use smallvec::SmallVec;

use crate::dataflow::{Action, Space, Value};
use crate::ptx::{OperandKind, RegId, Statement, Type};
use crate::sass::Operand;

use super::super::{Field, Permutation};
use super::Look;

/// As many moves and shuffles one after another as are looked through; a loop of them has no end.
const MOVES: u32 = 8;

/// A byte of a register that a vector load filled.
#[derive(Clone, Copy)]
pub(super) struct Byte {
    /// Which element of the vector it is.
    pub element: u16,
    /// It was extended with its sign, which the load did not do.
    pub taken: bool,
}

impl Look<'_, '_> {
    /// Which byte of a loaded vector a value is: an element, or what at most so many conversions made of it that leave
    /// its value as it is or give it the sign that the load did not.
    pub(super) fn byte_of_word(&self, at: u32, depth: u32) -> Option<Byte> {
        let (w, _, element) = self.flow.maker(self.flow.value(at)?);
        let m = self.flow.meaning(w);
        match m.action {
            Action::Load(Space::Memory | Space::Const) => {
                let vector = matches!(self.module.operands[w.operands as usize].kind, OperandKind::Vector(n) if n > 1);
                (vector && m.ty?.bits() == 8).then_some(Byte { element, taken: false })
            }
            Action::Cvt if w.guard.is_none() && m.ty?.is_int() && m.ty?.bits() <= 32 && !m.sat => {
                let next = self.flow.arguments(w).nth(1)?;
                let byte = self.byte_of_word(next, depth.checked_sub(1)?)?;
                let unsigned = byte.taken || self.flow.known(next).fits_unsigned(8);
                match m.source? {
                    Type::S8 if unsigned => Some(Byte { taken: true, ..byte }),
                    from if from.is_int() && (byte.taken || from.is_signed() != unsigned) => Some(byte),
                    _ => None,
                }
            }
            // a mask that leaves all of the byte
            Action::And if w.guard.is_none() && self.flow.constant(self.flow.arguments(w).nth(2)?)? & 0xff == 0xff => {
                let next = self.flow.arguments(w).nth(1)?;
                let byte = self.byte_of_word(next, depth.checked_sub(1)?)?;
                self.flow.known(next).fits_unsigned(8).then_some(byte)
            }
            _ => None,
        }
    }

    /// The field of a word that a value is, through so many masks at most.
    pub(super) fn field(&self, at: u32, depth: u32) -> Option<Field> {
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

    /// The permutation that a word is, or the word that a value was cut from.
    pub(super) fn permutation(&self, mut at: u32) -> Option<Permutation> {
        let flow = self.flow;
        for _ in 0..MOVES {
            let (w, _, _) = flow.maker(flow.value(at)?);
            let m = flow.meaning(w);
            if w.guard.is_some() {
                return None;
            }
            let mut arguments = flow.arguments(w).skip(1);
            let first = arguments.next()?;
            let cut = m.ty.zip(m.source).is_some_and(|(to, from)| {
                to.is_int() && from.is_int() && to.bits() == 16 && from.bits() == 32 && !m.sat
            });
            match m.action {
                Action::Prmt if m.plain => {
                    let (second, selector) = (arguments.next()?, flow.constant(arguments.next()?)?);
                    let word = |at: u32| match flow.constant(at) {
                        Some(0) => Some(Operand::RZ),
                        Some(_) => None,
                        None => flow.register(at).map(|_| self.operand(at)),
                    };
                    return Some(Permutation { words: [word(first)?, word(second)?], selector: selector as u16 });
                }
                Action::Mov if matches!(self.module.operands[w.operands as usize].kind, OperandKind::Register(_)) => {}
                Action::Cvt if cut => {}
                _ => return None,
            }
            at = first;
        }
        None
    }

    /// Whether the upper element of an unpacked word is read where it is: the word is there, or needed for something else too.
    pub(super) fn upper_half(&self, unpack: &Statement, word: u32, element: u16, count: u16) -> bool {
        let halves = self.flow.meaning(unpack).ty.is_some_and(|t| t.bits() == 16 * u32::from(count));
        halves
            && element % 2 == 1
            && ((0..count).any(|other| other != element && self.element_is_read(unpack, other))
                || match self.flow.value(word) {
                    Some(v) => self.flow.uses(v).nth(1).is_some() || self.flow.escapes(v) || self.made_whole(v),
                    // what is written in several places is there
                    None => true,
                })
            && !self.flow.value(word).is_some_and(|v| self.flow.loads_parameter(self.flow.maker(v).0))
    }

    /// Whether a value is a word shifted right by 16 that is there, or needed as a whole too.
    pub(super) fn is_upper_half(&self, at: u32) -> bool {
        let flow = self.flow;
        let Some(v) = flow.value(at) else { return false };
        let (w, _, _) = flow.maker(v);
        if flow.meaning(w).action != Action::Shr || flow.meaning(w).ty.is_none_or(|t| t.bits() != 32) {
            return false;
        }
        let mut arguments = flow.arguments(w).skip(1);
        let (Some(word), Some(by)) = (arguments.next(), arguments.next()) else { return false };
        flow.constant(by) == Some(16)
            && match flow.value(word) {
                Some(v) => flow.uses(v).nth(1).is_some() || self.made_whole(v),
                // what is written in several places is there
                None => flow.register(word).is_some(),
            }
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

    /// Whether a value is an unsigned shift to the right.
    pub(super) fn is_shifted(&self, at: u32) -> bool {
        self.flow
            .value(at)
            .map(|v| self.flow.meaning(self.flow.maker(v).0))
            .is_some_and(|m| m.action == Action::Shr && !m.ty.is_some_and(Type::is_signed))
    }

    /// A byte of an unpacked word that is read where it stands: not the lowest, nor the one above where that is read too.
    pub(super) fn byte_in_place(&self, unpack: &Statement, of: RegId, element: u16, count: u16) -> Option<Field> {
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
    pub(super) fn element_is_read(&self, s: &Statement, element: u16) -> bool {
        let value: Option<Value> = self.flow.value(s.operands + 1 + u32::from(element));
        value.is_some_and(|v| self.flow.uses(v).next().is_some() || self.flow.escapes(v))
    }
}
