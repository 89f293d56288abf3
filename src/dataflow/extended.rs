//! Statements that extend a byte or half that they read: ptxas does it once for them and for the conversions behind them.

use crate::ptx::{OperandKind, Type};

use super::flow::{Flow, UseSite, Value, after};
use super::meaning::Action;
use super::uses::READERS;

/// As many readers of a byte, and conversions one after another, are looked at.
const NEAR: usize = 16;

/// An extension to a word.
#[derive(Debug, Clone, Copy)]
pub struct Extension {
    /// From this type.
    pub ty: Type,
    /// A store does it: not of an upper half, which it takes out.
    pub stored: bool,
    /// To a pair of words.
    pub pair: bool,
}

impl Flow<'_> {
    /// The statement on every way to another one that has extended a byte or half to a word before, as a type does.
    pub fn extended_before(&self, v: Value, how: Extension, statement: u32) -> Option<u32> {
        if how.pair && how.ty == Type::S16 {
            // a half that was made of a float or a byte is extended anew for a pair
            let m = self.meaning(self.maker(v).0);
            if m.action == Action::Cvt && m.source.is_some_and(|from| from.is_float() || from.bits() == 8) {
                return None;
            }
        }
        self.uses(v)
            .take(READERS)
            .take_while(|site| site.statement < statement)
            .find(|&site| self.extends(site, how) && self.is_done(site.statement, statement))
            .map(|site| site.statement)
            .or_else(|| self.extended_as_half(v, statement).filter(|_| how.ty == Type::S8))
    }

    /// As [`Self::extended_before`], of a signed byte as a half: what extends the half extends the byte.
    fn extended_as_half(&self, v: Value, statement: u32) -> Option<u32> {
        let statements = &self.module().statements;
        let extension = Extension { ty: Type::S16, stored: false, pair: false };
        self.uses(self.whole_of_byte(v)).take(NEAR).find_map(|site| {
            let s = &statements[site.statement as usize];
            let m = self.meaning(s);
            let half = m.source == Some(Type::S8) && m.ty.is_some_and(|t| t.is_int() && t.bits() == 16);
            let half = half && m.action == Action::Cvt && !m.sat && s.guard.is_none();
            let mut uses = self.uses(self.value(s.operands).filter(|_| half)?).take(NEAR);
            uses.find(|&site| {
                site.statement < statement && self.extends(site, extension) && self.is_done(site.statement, statement)
            })
            .map(|site| site.statement)
        })
    }

    /// Whether a place reads all of an extended word, and does not extend it itself.
    fn reads_word(&self, site: UseSite) -> bool {
        let m = self.meaning(&self.module().statements[site.statement as usize]);
        let word = m.ty.is_some_and(|t| t.bits() == 32 && !t.is_float());
        word && matches!(
            m.action,
            Action::Add
                | Action::Sub
                | Action::Mul
                | Action::MulWide
                | Action::Mad
                | Action::Min
                | Action::Max
                | Action::Setp
                | Action::Store
        )
    }

    /// What a value was that conversions of integers left the low byte of.
    fn whole_of_byte(&self, mut v: Value) -> Value {
        for _ in 0..NEAR {
            let (s, _, _) = self.maker(v);
            let m = self.meaning(s);
            let integers = m.ty.zip(m.source).is_some_and(|(to, from)| to.is_int() && from.is_int());
            if m.action != Action::Cvt || m.sat || m.pack || s.guard.is_some() || !integers {
                break;
            }
            let Some(source) = self.arguments(s).nth(1).and_then(|at| self.value(at)) else { break };
            v = source;
        }
        v
    }

    /// Whether a statement extends what it reads as a type does: a store of that alone, and a comparison, product, limit or
    /// shift to the right of halves, which are done in words.
    fn extends(&self, site: UseSite, Extension { ty, stored, .. }: Extension) -> bool {
        let module = self.module();
        let s = &module.statements[site.statement as usize];
        let m = self.meaning(s);
        let end = s.operands + s.operand_count;
        let first = after(module, s.operands, end);
        let alike = |of: Option<Type>| of.is_some_and(|t| t.bits() == ty.bits() && t.is_signed() == ty.is_signed());
        match m.action {
            Action::Store => {
                stored
                    && alike(m.ty)
                    && s.guard.is_none()
                    && site.operand == first
                    && matches!(module.operands[first as usize].kind, OperandKind::Register(_))
            }
            // to a word that something reads as one; a pair has that word too
            Action::Cvt => {
                m.source == Some(ty)
                    && !m.sat
                    && s.guard.is_none()
                    && m.ty.is_some_and(|t| t.is_int() && t.bits() == 32)
                    && self
                        .value(s.operands)
                        .is_some_and(|word| self.uses(word).take(READERS).any(|site| self.reads_word(site)))
            }
            _ if ty.bits() != 16 => false,
            Action::Set => alike(m.source),
            Action::Min | Action::Max => !self.abilities().limits_halves && alike(m.ty),
            Action::Setp | Action::Mul | Action::MulWide | Action::MulHi => alike(m.ty),
            // not what the product is added to
            Action::Mad | Action::MadWide => alike(m.ty) && site.operand <= after(module, first, end),
            Action::Shr => alike(m.ty) && site.operand == first,
            _ => false,
        }
    }
}
