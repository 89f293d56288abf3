//! Choices that are made by a predicate: of the two values one is made under it, where nothing else needs it.

use smallvec::SmallVec;

use crate::ptx::{Statement, Type};

use super::flow::{Flow, UseSite, Value};
use super::meaning::Action;
use super::uses::READERS;

/// Copies and cuts in a row that are looked through.
const COPIES: u32 = 4;

/// How many values are looked at for what they wait for.
const LOOKED: usize = 16;

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

    /// Whether a value is made under the predicate of the choice that alone reads it: the other value is needed besides, or was
    /// made before.
    pub fn is_made_by_predicate(&self, v: Value) -> bool {
        let mut uses = self.uses(v);
        let (Some(site), None) = (uses.next(), uses.next()) else { return false };
        let s = &self.module().statements[site.statement as usize];
        // a word or pair that is fixed is an operand of the choice
        let fixed = |at| if self.is_half(s) { self.constant(at).is_some() } else { self.is_fixed(at) };
        let other = self.other_choice(site).filter(|&at| s.guard.is_none() && !fixed(at)).and_then(|at| self.value(at));
        // few choices have such a value: they are asked for first
        other.is_some_and(|other| {
            self.is_made_for_one(v) && (!self.is_made_for_one(other) || self.is_half(s) && self.is_made_later(v, other))
        })
    }

    /// Whether a half of a float is made by a predicate, and not at once with the other half that the choice reads.
    pub fn is_made_apart(&self, v: Value) -> bool {
        let other = || {
            let other = self.other_choice(self.uses(v).next()?).and_then(|at| self.value(at))?;
            Some((self.meaning(self.maker(other).0).half_kind.is_some(), self.is_made_for_one(other)))
        };
        self.is_made_by_predicate(v) && other().is_none_or(|(half, single)| !half || single)
    }

    /// Whether a half of a float is put into the register of a choice with something else: as a saturated one always is
    /// (`always`).
    pub fn is_joined_by_choice(&self, v: Value, always: bool) -> bool {
        let single = self.uses(v).nth(1).is_none();
        self.uses(v).take(READERS).any(|site| {
            let Some(at) = self.other_choice(site) else { return false };
            let s = &self.module().statements[site.statement as usize];
            if always {
                return true;
            }
            if self.constant(at).is_some() {
                // what decides is there before the half is
                let condition = self.arguments(s).nth(3).and_then(|at| self.value(at));
                return single && condition.is_none_or(|p| self.waits_for(p) < self.waits_for(v));
            }
            let Some(other) = self.value(at).filter(|_| s.guard.is_none()) else { return false };
            let later = self.is_made_later(v, other);
            if self.is_made_for_one(v) { !later && self.is_made_for_one(other) } else { later }
        })
    }

    /// Whether of the two values of a choice the first is put into its register second: made later, or beside what no
    /// predicate is put on.
    fn is_made_later(&self, v: Value, other: Value) -> bool {
        let (w, made, _) = self.maker(other);
        let m = self.meaning(w);
        let arithmetic = m.action != Action::Cvt && m.ty.is_some_and(|ty| ty.is_float() && ty.bits() == 16);
        let cut = m.action == Action::Cvt
            && m.ty.is_some_and(|ty| ty.is_int() && ty.bits() == 16)
            && m.source.is_some_and(|from| from.is_int() && from.bits() == 32)
            && !m.sat;
        arithmetic || cut || self.maker(v).1 > made
    }

    /// The last statement that makes something a value is computed from; predicates that it is combined of are looked through.
    fn waits_for(&self, v: Value) -> u32 {
        let mut values: SmallVec<[Value; LOOKED]> = SmallVec::new();
        values.push(v);
        let (mut next, mut last) = (0, 0);
        while let Some(&v) = values.get(next) {
            next += 1;
            for at in self.arguments(self.maker(v).0).skip(1).take(4) {
                let Some(source) = self.value(at).filter(|_| self.constant(at).is_none()) else { continue };
                let predicate =
                    self.register(at).and_then(|r| self.module().registers[r.0 as usize].ty) == Some(Type::Pred);
                if !predicate {
                    last = last.max(self.maker(source).1);
                } else if values.len() < LOOKED {
                    values.push(source);
                }
            }
        }
        last
    }

    /// Whether a statement works on halves.
    fn is_half(&self, s: &Statement) -> bool {
        self.meaning(s).ty.is_some_and(|ty| ty.bits() == 16)
    }

    /// Whether a choice between two registers is made by a predicate: one of the two is made for it alone, and under it, into
    /// the other one's register, which nothing reads any more.
    pub fn is_chosen_by_predicate(&self, choice: Value) -> bool {
        let (selp, place, _) = self.maker(choice);
        let made = |n: usize| {
            let at = self.arguments(selp).nth(n).filter(|&at| !self.is_fixed(at))?;
            self.value(at)
        };
        let under = |v: Value, other: Value| {
            let (w, made, _) = self.maker(v);
            let loads = matches!(self.meaning(w).action, Action::Load(_));
            let read = || self.escapes(other) || self.uses(other).take(READERS).any(|site| site.statement > place);
            self.is_made_for_one(v) && !read() && (!loads || !self.overwrites_between(made, place))
        };
        made(1).zip(made(2)).is_some_and(|(a, b)| under(a, b) || under(b, a))
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
