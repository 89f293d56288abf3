//! Sums of 64 bits: which of them take the sign of an addend themselves, so that it need not be made a pair.
//!
//! ptxas puts sums of three together (IADD3 and IADD3.X, which want pairs), and a product or shift with the sum that it goes
//! into (IMAD.WIDE, LEA). A sum of two with one addend that is extended from a word is LEA.HI.X.SX32.

use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use crate::ptx::{RegId, Statement, Type};

use super::flow::{Flow, UseSite, Value, after};
use super::meaning::Action;
use super::uses::READERS;

/// How many constants are followed that an address has added.
const OFFSETS: u32 = 4;

/// How many values are looked at for one that is joined of several ways.
const JOINS: usize = 512;

/// How many places of a register are looked at for one that counts it up and one that it begins at.
const COUNTERS: usize = 16;

impl Flow<'_> {
    /// A 64-bit sum that takes the sign of its sign-extended addend itself (LEA.HI.X.SX32): a sum of two. Products, sums of
    /// three and what a loop counts up take a pair; an offset of an address is no addend.
    pub(super) fn takes_sign(&self, s: &Statement, site: UseSite, position: u32, end: u32) -> bool {
        let module = self.module();
        let second = after(module, s.operands, end);
        let other = if position == 1 { after(module, second, end) } else { second };
        let result = self.value(s.operands);
        let is_address = result.is_some_and(|v| self.only_address(v, OFFSETS));
        // what goes into uniform registers is a pair before
        if result.is_some_and(|v| self.is_uniform_address(v)) {
            return false;
        }
        let extension = self.value(site.operand).map(|v| self.maker(v));
        let here = self.value(site.operand).map(|v| self.made_first(v));
        if extension.is_some_and(|(w, here, _)| {
            self.is_pair_of_joined(w, site.statement) || self.is_left_behind(w, here, site.statement)
        }) {
            return false;
        }
        let made_here = self.addend(other, is_address).is_some_and(|v| {
            let (w, made, _) = self.maker(v);
            let single = self.uses(v).nth(1).is_none() && !self.escapes(v);
            let (m, takes_away) = (self.meaning(w), self.meaning(s).action == Action::Sub);
            let extended = match m.action {
                Action::Cvt => m.source,
                Action::Load(_) => m.ty.filter(|t| t.bits() < 64),
                _ => None,
            };
            // a loop leaves what takes several instructions where it was made
            let outside = || self.loops_around(site.statement, made);
            match m.action {
                Action::MulWide => !takes_away && (single || self.goes_into_sums(v)),
                Action::MadWide | Action::Shl => single && !takes_away,
                Action::Mul => !takes_away && (single || self.goes_into_sums(v)) && !outside(),
                Action::Mad => single && !takes_away && !outside(),
                Action::Add | Action::Sub => {
                    let fixed = || self.arguments(w).skip(1).all(|at| self.is_fixed(at));
                    single && !self.is_fused(w, false) && (fixed() || !outside())
                }
                // of two that are extended with their sign the first one's is taken, unless it is needed as a pair too;
                // what is taken away has no sign of its own to give
                Action::Cvt | Action::Load(_) if extended.is_some_and(Type::is_signed) && !takes_away => {
                    single
                        && here.is_none_or(|here| self.made_first(v) < here)
                        && !self.is_left_behind(w, made, site.statement)
                }
                _ => false,
            }
        });
        if !is_address
            && self.constant(other).is_some()
            && let Some(v) = result
            && let Some(next) = self.uses(v).next()
        {
            // an offset too, if the sum that it is added to is an address
            let n = &module.statements[next.statement as usize];
            let end = n.operands + n.operand_count;
            let first = after(module, n.operands, end);
            let addends = [first, after(module, first, end)];
            let single = self.uses(v).nth(1).is_none() && !self.escapes(v);
            let sum = single && self.meaning(n).action == Action::Add && next.operand != u32::MAX;
            if !sum {
                return true;
            }
            if addends.iter().any(|&at| self.constant(at).is_some()) {
                return false;
            }
            if self.value(n.operands).is_some_and(|v| self.only_address(v, OFFSETS)) {
                return self.takes_sign(n, next, if next.operand == first { 1 } else { 2 }, end);
            }
            return addends.iter().any(|&at| self.is_fixed(at));
        }
        let summed_again = self.summed_again(s, site.statement, self.is_fixed(other));
        // what a loop counts up is added to a pair that is made before the loop
        let counted = self.value(site.operand).is_some_and(|v| {
            let (_, made, _) = self.maker(v);
            self.loops_around(site.statement, made) && self.is_counted(other, site.statement)
        });
        !made_here && !summed_again && !counted
    }

    /// Whether a 64-bit product is done again in each sum that reads it, with which it is one instruction: where nothing else
    /// does, but a shift of a product by a constant, which is another one; one of two registers within its block only.
    fn goes_into_sums(&self, product: Value) -> bool {
        let (w, made, _) = self.maker(product);
        let factors = || self.arguments(w).skip(1).take(2);
        let (constant, fixed) =
            (factors().any(|at| self.constant(at).is_some()), factors().any(|at| self.is_fixed(at)));
        !self.escapes(product)
            && self.uses(product).take(READERS).all(|site| {
                let m = self.meaning(&self.module().statements[site.statement as usize]);
                match m.action {
                    Action::Add | Action::Sub => fixed || !self.is_parted(made, site.statement),
                    Action::Shl => constant,
                    _ => false,
                }
            })
    }

    /// Whether an extension makes a pair for a sum, as the word is joined of several: a quotient or remainder, which ptxas
    /// corrects under predicates, or a choice that it makes by one. A quotient that is read behind the sum's block too is
    /// joined before, as one in the last block of a loop is; in a loop, no choice is made by a predicate.
    fn is_pair_of_joined(&self, extension: &Statement, place: u32) -> bool {
        let word = self.arguments(extension).nth(1).and_then(|at| self.value(at));
        word.is_some_and(|v| {
            let (w, _, _) = self.maker(v);
            let m = self.meaning(w);
            match m.action {
                Action::Div | Action::Rem => {
                    m.ty.is_some_and(|t| t.is_int() && t.bits() == 32)
                        && self.arguments(w).nth(2).is_some_and(|at| self.constant(at).is_none())
                        && self.innermost_loop(place).is_none_or(|(_, end)| self.block(end) != self.block(place))
                        && !self.uses(v).take(READERS).any(|site| self.is_parted(place, site.statement))
                }
                Action::Selp => self.is_chosen_by_predicate(v) && self.innermost_loop(place).is_none(),
                _ => false,
            }
        })
    }

    /// Whether an extension stays in a block before that of the sum, where it makes a pair: that of a word which is computed
    /// from what ptxas joins of several ways. Others it makes where they are wanted.
    fn is_left_behind(&self, extension: &Statement, here: u32, sum: u32) -> bool {
        let word = self.arguments(extension).nth(1).filter(|_| self.is_parted(here, sum));
        word.is_some_and(|at| self.is_of_joined(at))
    }

    /// Whether an operand is computed from what comes from several ways. What is found is kept for what is computed from it.
    pub(super) fn is_of_joined(&self, operand: u32) -> bool {
        let mut seen = FxHashSet::default();
        let mut waiting = SmallVec::<[u32; 8]>::from_slice(&[operand]);
        let mut joined = false;
        while let (Some(at), false) = (waiting.pop(), joined) {
            let Some(register) = self.register(at) else { continue };
            let Some(v) = self.value(at) else {
                joined = self.is_written_in_blocks(register);
                continue;
            };
            if let Some(known) = self.known_join(v) {
                joined = known;
                continue;
            }
            let (w, _, _) = self.maker(v);
            let m = self.meaning(w);
            joined = m.parts || w.guard.is_some() && m.parts_if_guarded();
            if !joined && seen.len() < JOINS && seen.insert(v) {
                waiting.extend(w.operands + 1..w.operands + w.operand_count);
            }
        }
        if let Some(v) = self.value(operand) {
            self.keep_join(v, joined);
        }
        joined
    }

    /// Whether a register is written in several blocks, but for changes under a guard that compute alone: those are choices.
    fn is_written_in_blocks(&self, register: RegId) -> bool {
        let alone = |s: &Statement| s.guard.is_some() && !self.meaning(s).parts_if_guarded();
        let mut blocks = self.writes_from_last(register).filter(|&(s, _)| !alone(s)).map(|(_, i)| self.block(i));
        blocks.next().is_some_and(|last| blocks.any(|block| block != last))
    }

    /// Whether a register is counted up by a constant behind a statement that reads it, from what is computed before.
    fn is_counted(&self, at: u32, statement: u32) -> bool {
        let Some(register) = self.register(at) else { return false };
        let mut counted = false;
        for (s, i) in self.statements_from_last(register).take(COUNTERS) {
            if s.guard.is_some() || self.register(s.operands) != Some(register) || !self.meaning(s).writes {
                continue;
            }
            let mut arguments = self.arguments(s).skip(1);
            let (first, second) = (arguments.next(), arguments.next());
            if i < statement {
                return counted && !first.is_some_and(|at| second.is_none() && self.is_fixed(at));
            }
            counted |= self.meaning(s).action == Action::Add
                && first.and_then(|at| self.register(at)) == Some(register)
                && second.is_some_and(|at| self.constant(at).is_some());
        }
        counted
    }

    /// A constant or a parameter, of which an instruction reads one at most.
    pub(super) fn is_fixed(&self, at: u32) -> bool {
        let mut at = at;
        for _ in 0..OFFSETS {
            let Some(v) = self.value(at) else { break };
            let (w, _, _) = self.maker(v);
            match self.meaning(w).action {
                Action::Load(_) => return self.loads_parameter(w),
                Action::Mov | Action::Cvta => match self.arguments(w).nth(1) {
                    Some(next) => at = next,
                    None => break,
                },
                _ => break,
            }
        }
        self.constant(at).is_some()
    }

    /// Whether nothing but one other sum reads a 64-bit sum: the two are one of three.
    fn summed_again(&self, s: &Statement, statement: u32, fixed: bool) -> bool {
        let module = self.module();
        self.value(s.operands).is_some_and(|v| {
            let mut uses = self.uses(v);
            let (Some(next), None) = (uses.next(), uses.next()) else { return false };
            let n = &module.statements[next.statement as usize];
            let offset = || self.arguments(n).skip(1).any(|o| self.constant(o).is_some());
            let sum = match self.meaning(n).action {
                Action::Add | Action::Sub => true,
                // a product and a sum in one statement are two, of which the sum is put together with others
                Action::MadWide => self.arguments(n).nth(3) == Some(next.operand),
                _ => false,
            };
            sum && next.operand != u32::MAX
                // a sum before a loop is not put together with one in it
                && !self.loops_around(next.statement, statement)
                && !(fixed && self.arguments(n).skip(1).any(|o| self.is_fixed(o)))
                && !self.is_fused(n, true)
                && !(offset() && self.value(n.operands).is_some_and(|v| self.only_address(v, OFFSETS)))
        })
    }

    /// What is added; of an address without its constant offset.
    fn addend(&self, at: u32, is_address: bool) -> Option<Value> {
        let mut v = self.value(at)?;
        for _ in 0..OFFSETS {
            let (w, _, _) = self.maker(v);
            let mut arguments = self.arguments(w).skip(1);
            let (Some(a), Some(b)) = (arguments.next(), arguments.next()) else { break };
            if !is_address || w.guard.is_some() || self.meaning(w).action != Action::Add || self.constant(b).is_none() {
                break;
            }
            v = self.value(a)?;
        }
        Some(v)
    }

    /// A sum that is one instruction with the product or shift in it (IMAD.WIDE, LEA); a 64-bit product is several, the last
    /// of which takes an addend too.
    fn is_fused(&self, s: &Statement, with_product: bool) -> bool {
        self.meaning(s).action == Action::Add
            && self.arguments(s).skip(1).any(|at| {
                self.value(at).is_some_and(|v| {
                    let (w, _, _) = self.maker(v);
                    let by_constant = || self.arguments(w).nth(2).is_some_and(|by| self.constant(by).is_some());
                    let single = self.uses(v).nth(1).is_none() && !self.escapes(v);
                    match self.meaning(w).action {
                        Action::MulWide => single,
                        Action::Mul => with_product && (single || self.goes_into_sums(v)),
                        Action::Shl => by_constant() && single,
                        _ => false,
                    }
                })
            })
    }

    /// Whether a 64-bit value is an address that is read in uniform registers, and nothing else.
    fn is_uniform_address(&self, v: Value) -> bool {
        let uniform = |site: UseSite| self.meaning(&self.module().statements[site.statement as usize]).uniform;
        !self.escapes(v) && self.uses(v).next().is_some_and(uniform) && self.uses(v).take(READERS).all(uniform)
    }

    /// Whether a 64-bit value is an address and nothing else, constant offsets added.
    fn only_address(&self, v: Value, depth: u32) -> bool {
        let module = self.module();
        let mut uses = self.uses(v).peekable();
        uses.peek().is_some()
            && !self.escapes(v)
            && uses.all(|site| {
                let s = &module.statements[site.statement as usize];
                let m = self.meaning(s);
                match m.action {
                    Action::Load(_) => true,
                    Action::Store => site.operand < after(module, s.operands, s.operands + s.operand_count),
                    Action::Add => {
                        depth > 0
                            && self.arguments(s).nth(2).is_some_and(|o| self.constant(o).is_some())
                            && self.value(s.operands).is_some_and(|v| self.only_address(v, depth - 1))
                    }
                    _ => false,
                }
            })
    }
}
