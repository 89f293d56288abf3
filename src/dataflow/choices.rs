//! Choices that are made by a predicate: of the two values one is made under it, where nothing else needs it.

use crate::ptx::Statement;

use super::flow::{Flow, UseSite, Value};
use super::meaning::Action;
use super::uses::READERS;

/// Copies and cuts in a row that are looked through.
const COPIES: u32 = 4;

impl Flow<'_> {
    /// The other value of a choice that reads a value as one of its two.
    fn other_choice(&self, site: UseSite) -> Option<u32> {
        let s = &self.module().statements[site.statement as usize];
        let mut two = self.arguments(s).skip(1).take(2);
        let (first, second) = two.next().zip(two.next()).filter(|_| self.meaning(s).action == Action::Selp)?;
        match (first == site.operand, second == site.operand) {
            (true, _) => Some(second),
            (_, true) => Some(first),
            _ => None,
        }
    }

    /// Whether a value is made under the predicate of the choice that alone reads it: the other value is needed besides.
    pub fn is_made_by_predicate(&self, v: Value) -> bool {
        let mut uses = self.uses(v);
        let (Some(site), None) = (uses.next(), uses.next()) else { return false };
        let guarded = self.module().statements[site.statement as usize].guard.is_some();
        let other = self.other_choice(site).filter(|&at| !guarded && !self.is_fixed(at)).and_then(|at| self.value(at));
        // few choices have such a value: they are asked for first
        other.is_some_and(|other| self.is_made_for_one(v) && !self.is_made_for_one(other))
    }

    /// Whether a half is put into the register of a choice with something else: with a constant, if the choice alone reads
    /// it; or with anything (`always`).
    pub fn is_joined_by_choice(&self, v: Value, always: bool) -> bool {
        let single = self.uses(v).nth(1).is_none();
        self.uses(v)
            .take(READERS)
            .any(|site| self.other_choice(site).is_some_and(|other| always || single && self.constant(other).is_some()))
    }

    /// Whether a choice between two registers is made by a predicate: one of the two is made for it alone, and under it.
    pub fn is_chosen_by_predicate(&self, selp: &Statement) -> bool {
        let made = |n: usize| {
            let at = self.arguments(selp).nth(n).filter(|&at| !self.is_fixed(at))?;
            self.value(at)
        };
        made(1).zip(made(2)).is_some_and(|(a, b)| self.is_made_for_one(a) || self.is_made_for_one(b))
    }

    /// Whether what computes a value, copies and cuts of it looked through, does so for one reader and for nothing else.
    fn is_made_for_one(&self, mut v: Value) -> bool {
        for _ in 0..COPIES {
            let (w, _, _) = self.maker(v);
            let m = self.meaning(w);
            if m.effect || w.guard.is_some() || self.uses(v).nth(1).is_some() || self.escapes(v) {
                return false;
            }
            let integers = m.ty.zip(m.source).is_some_and(|(to, from)| to.is_int() && from.is_int());
            let copied = m.action == Action::Mov || m.action == Action::Cvt && integers && !m.sat;
            let next = self.arguments(w).nth(1).filter(|_| copied).map(|at| self.value(at));
            match next {
                Some(Some(next)) => v = next,
                Some(None) => return false,
                None => return true,
            }
        }
        false
    }
}
