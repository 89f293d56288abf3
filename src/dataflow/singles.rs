//! Half-precision arithmetic that reads and writes f32: HADD2, HMUL2, HFMA2, HSETP2 and HSET2 of sm_75 read a source that
//! was truncated to f16 as the f32 it was, and write an f32 where nothing but conversions to f32 reads the result.

use crate::ptx::{OperandKind, Statement, Type};

use super::flow::{Flow, UseSite, Value};
use super::meaning::Action;
use super::sign::Sign;
use super::uses::{READERS, Use};

/// How many copies, changes of sign and words are followed between the arithmetic and the conversion.
const STEPS: u32 = 6;

/// What arithmetic does in the place of conversions between f16 and f32.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Single {
    /// It writes the f32.
    Written {
        /// Its statement.
        statement: u32,
        /// It saturates, as all the conversions do.
        saturated: bool,
    },
    /// It is rounded as it says, to a half, and saturates, as all the conversions do.
    Saturated,
    /// All that reads the half reads the f32 that is truncated to it.
    Read,
}

/// The conversions that read a result.
#[derive(Debug, Default)]
struct Readers {
    /// How many.
    count: usize,
    /// Each saturates, and no sign is changed before it.
    saturate: bool,
    /// The half that is read, of two.
    element: Option<u16>,
}

impl Flow<'_> {
    /// What the arithmetic does that makes the half at an operand of a conversion to f32.
    pub fn single(&self, at: u32) -> Option<Single> {
        self.single_of(self.arithmetic(at)?)
    }

    /// What arithmetic whose result is a value does for conversions to f32, if they alone read it.
    pub fn single_of(&self, v: Value) -> Option<Single> {
        let (s, statement, _) = self.maker(v);
        let m = self.meaning(s);
        let sums = matches!(m.action, Action::Add | Action::Sub | Action::Mul | Action::Fma);
        if !self.abilities().halves_to_single || !sums || s.guard.is_some() || self.sign(s, Type::F16).is_some() {
            return None;
        }
        let mut readers = Readers { saturate: true, ..Readers::default() };
        match m.ty {
            Some(Type::F16) => readers.element = Some(0),
            Some(Type::F16x2) => {}
            _ => return None,
        }
        if !self.only_made_single(v, false, STEPS, &mut readers) || readers.count == 0 {
            return None;
        }
        match m.rounds {
            false => Some(Single::Written { statement, saturated: readers.saturate }),
            true => readers.saturate.then_some(Single::Saturated),
        }
    }

    /// Whether nothing but arithmetic that reads f32 reads a half.
    pub fn is_read_as_single(&self, v: Value) -> bool {
        self.abilities().halves_to_single && self.uses(v).next().is_some() && self.only_read_as_single(v, STEPS)
    }

    fn only_read_as_single(&self, v: Value, depth: u32) -> bool {
        if depth == 0 || self.escapes(v) {
            return false;
        }
        self.uses(v).take(READERS).all(|site| {
            let s = &self.module().statements[site.statement as usize];
            let m = self.meaning(s);
            let passed = m.action == Action::Mov && self.is_scalar(s) || self.sign(s, Type::F16).is_some();
            if passed && s.guard.is_none() {
                return self.value(s.operands).is_some_and(|v| self.only_read_as_single(v, depth - 1));
            }
            match m.action {
                Action::Add | Action::Sub | Action::Mul => m.ty == Some(Type::F16) && !m.rounds,
                Action::Setp => m.ty == Some(Type::F16),
                Action::Set => m.source == Some(Type::F16),
                _ => false,
            }
        })
    }

    /// Whether a statement writes one register.
    fn is_scalar(&self, s: &Statement) -> bool {
        let kind = |at: u32| self.module().operands[at as usize].kind;
        matches!(kind(s.operands), OperandKind::Register(_))
            && self.arguments(s).nth(1).is_some_and(|at| matches!(kind(at), OperandKind::Register(_)))
    }

    /// Whether a half was truncated from an f32 that arithmetic reads instead.
    pub fn stands_for_single(&self, v: Value) -> bool {
        let (s, _, _) = self.maker(v);
        self.meaning(s).truncates_to_half() && s.guard.is_none() && self.is_read_as_single(v)
    }

    /// The result of arithmetic that an operand is a copy, a half or the negative of.
    fn arithmetic(&self, mut at: u32) -> Option<Value> {
        for _ in 0..STEPS {
            let v = self.value(self.copied(at))?;
            let (s, _, _) = self.maker(v);
            let m = self.meaning(s);
            let next = match m.action {
                _ if s.guard.is_some() => return None,
                Action::Mov | Action::Cvt => self.arguments(s).nth(1),
                _ => self.sign_of_halves(s).map(|(_, next)| next),
            };
            match next {
                Some(next) => at = next,
                None => return Some(v),
            }
        }
        None
    }

    /// As [`Flow::sign`], of a half or of two.
    fn sign_of_halves(&self, s: &Statement) -> Option<(Sign, u32)> {
        match (self.meaning(s).ty?, self.meaning(s).action) {
            (Type::F16x2, Action::Neg) => Some((Sign::Neg, self.arguments(s).nth(1)?)),
            (Type::F16x2, Action::Abs) => Some((Sign::Abs, self.arguments(s).nth(1)?)),
            (ty, _) => self.sign(s, ty),
        }
    }

    /// Whether nothing but conversions to f32 reads a value, of two halves but one.
    fn only_made_single(&self, v: Value, signed: bool, depth: u32, readers: &mut Readers) -> bool {
        if depth == 0 || self.escapes(v) {
            return false;
        }
        self.uses(v).all(|site| {
            readers.count += 1;
            readers.count <= READERS && self.is_made_single(site, signed, depth - 1, readers)
        })
    }

    fn is_made_single(&self, site: UseSite, signed: bool, depth: u32, readers: &mut Readers) -> bool {
        let s = &self.module().statements[site.statement as usize];
        let usage = self.classify(site);
        if let Use::FloatToFloat { to: Type::F32, from: Type::F16, sat } = usage {
            readers.saturate &= sat && !signed;
            return true;
        }
        if s.guard.is_some() {
            return false;
        }
        let sign = self.sign_of_halves(s);
        let result = self.value(s.operands);
        match (usage, sign, self.module().operands[s.operands as usize].kind) {
            (Use::Copy, ..) => result.is_some_and(|v| self.only_made_single(v, signed, depth, readers)),
            (_, Some((sign, _)), _) => {
                let signed = signed || sign != Sign::Same;
                result.is_some_and(|v| self.only_made_single(v, signed, depth, readers))
            }
            // the lower half of two
            (Use::Narrow { to }, ..) if to.bits() == 16 && self.meaning(s).source.is_some_and(|ty| ty.bits() == 32) => {
                *readers.element.get_or_insert(0) == 0
                    && result.is_some_and(|v| self.only_made_single(v, signed, depth, readers))
            }
            (Use::Unpack, _, OperandKind::Vector(2)) => (0..2).all(|element| {
                let Some(half) = self.value(s.operands + 1 + u32::from(element)) else { return true };
                let read = self.uses(half).next().is_some() || self.escapes(half);
                !read
                    || *readers.element.get_or_insert(element) == element
                        && self.only_made_single(half, signed, depth, readers)
            }),
            _ => false,
        }
    }
}
