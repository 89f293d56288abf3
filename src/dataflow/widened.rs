//! What keeps a conversion from the half unit: a half that is read as a word, with zeros above it, and a source that is one
//! word of a pair.

use crate::ptx::{OperandKind, Statement, Type};

use super::flow::{Flow, UseSite, Value};
use super::meaning::{Action, Space};
use super::uses::{READERS, Use};

/// How many copies are followed.
const COPIES: u32 = 4;

impl Flow<'_> {
    /// Whether anything reads a half as a word with zeros above: arithmetic without sign, a sum of either sign, a logic
    /// operation, a shift that makes a float of it, an extension. What takes the sign of it extends it itself.
    pub fn is_read_as_word(&self, half: Value) -> bool {
        self.read_widened(half, COPIES)
    }

    fn read_widened(&self, half: Value, depth: u32) -> bool {
        self.uses(half).take(READERS).any(|site| {
            let s = &self.module().statements[site.statement as usize];
            match self.classify(site) {
                Use::Logic
                | Use::Add(16)
                | Use::ShiftLeft(_)
                | Use::ShiftLeftAdded
                | Use::FloatToFloat { from: Type::Bf16, .. } => true,
                Use::Half { signed } => {
                    // a quotient is a float's, and made of what was divided
                    let divided = self.meaning(s).action == Action::Div && self.argument(s, 1) == Some(site.operand);
                    !signed && !divided
                }
                Use::Compare(ty) => {
                    ty.bits() == 16 && !ty.is_float() && (!ty.is_signed() || self.is_tested_for_zero(s))
                }
                Use::Extend { from, .. } if from.is_unsigned() && from.bits() == 16 => {
                    self.value(s.operands).is_none_or(|word| !self.only_low_half(word, depth))
                }
                Use::Copy if s.guard.is_none() && depth > 0 => {
                    self.value(s.operands).is_some_and(|copy| self.read_widened(copy, depth - 1))
                }
                _ => false,
            }
        })
    }

    /// Whether all that reads a word takes no more than its low half.
    fn only_low_half(&self, word: Value, depth: u32) -> bool {
        !self.escapes(word)
            && self.uses(word).take(READERS).all(|site| {
                let s = &self.module().statements[site.statement as usize];
                let result = || self.value(s.operands).filter(|_| s.guard.is_none() && depth > 0);
                match self.classify(site) {
                    Use::Mask(mask) => mask < 0xffff,
                    Use::Store { bits, .. } => bits <= 16,
                    Use::Narrow { to } if to.bits() == 16 => {
                        result().is_some_and(|half| !self.read_widened(half, depth - 1))
                    }
                    Use::Narrow { to } => to.bits() < 16,
                    Use::Insert(bits) => {
                        bits <= 16 && self.argument(s, 3).and_then(|at| self.constant(at)).is_some_and(|at| at > 0)
                    }
                    Use::Unpack => {
                        let vector = s.operands;
                        let read =
                            |at| self.value(at).is_some_and(|v| self.uses(v).next().is_some() || self.escapes(v));
                        self.module().operands[vector as usize].kind == OperandKind::Vector(2) && !read(vector + 2)
                    }
                    Use::Copy => result().is_some_and(|copy| self.only_low_half(copy, depth - 1)),
                    _ => self.permutes_low_half(site),
                }
            })
    }

    /// Whether an operand is one word of a pair that one instruction writes, and the other word is needed too: the two stay
    /// together. Of a loaded pair of which one word is needed that alone is loaded.
    pub fn is_word_of_pair(&self, at: u32) -> bool {
        let Some((s, _, element)) = self.value(self.copied(at)).map(|v| self.maker(v)) else { return false };
        let module = self.module();
        let apart = self.meaning(s).action == Action::Mov
            && s.guard.is_none()
            && s.operand_count > 0
            && module.operands[s.operands as usize].kind == OperandKind::Vector(2)
            && self.meaning(s).ty.is_some_and(|ty| ty.bits() == 64);
        let Some(pair) = self.argument(s, 1).filter(|_| apart).and_then(|at| self.value(self.copied(at))) else {
            return false;
        };
        let needed = |v| self.uses(v).next().is_some() || self.escapes(v);
        let other = s.operands + 1 + u32::from(element == 0);
        let needed = || self.uses(pair).nth(1).is_some() || self.value(other).is_some_and(needed);
        let (w, _, _) = self.maker(pair);
        let m = self.meaning(w);
        w.guard.is_none()
            && match m.action {
                Action::Load(Space::Memory) => needed(),
                Action::Effect | Action::MulWide => true,
                Action::Cvt => m.source.is_some_and(Type::is_float) || m.ty == Some(Type::F64),
                Action::Add | Action::Sub | Action::Mul | Action::Fma => m.ty == Some(Type::F64),
                _ => false,
            }
    }

    /// An operand of a statement; that of the result is the first.
    fn argument(&self, s: &Statement, n: usize) -> Option<u32> {
        self.arguments(s).nth(n)
    }

    /// Whether a place is a word of a `prmt` of whose bytes it takes none but the low two.
    fn permutes_low_half(&self, site: UseSite) -> bool {
        let s = &self.module().statements[site.statement as usize];
        let mut arguments = self.arguments(s).skip(1);
        let first = arguments.next() == Some(site.operand);
        let selector = arguments.nth(1).and_then(|at| self.constant(at));
        let high = if first { 2..4 } else { 6..8 };
        // the fourth bit of a selector replicates the sign of the byte that the others name
        self.meaning(s).action == Action::Prmt
            && selector.is_some_and(|bytes| (0..4).all(|n| !high.contains(&(bytes >> (4 * n) & 7))))
    }
}
