//! Which half-precision arithmetic goes together into one packed instruction: HADD2, HMUL2, HFMA2, HMNMX2.
//!
//! ptxas makes one of two like operations of a block, each half of whose sources comes from where it stands: the halves
//! of one word in their order, or what is free to be put side by side. So the results are the halves of one word too.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::ptx::{OperandKind, Statement};

use super::flow::{Flow, Value};
use super::meaning::{Action, Meaning, integer_kind};
use super::pairs::{Pair, made_at};
use super::predicated::Blocks;
use super::sign::Sign;
use super::singles::Single;
use super::uses::READERS;

/// How many like operations are looked at for one that goes together with another.
const LOOKED: usize = 64;

/// How many changes of sign are followed.
const SIGNS: u32 = 4;

/// An operation that can go together with its like.
#[derive(Debug)]
struct Operation {
    value: Value,
    statement: u32,
    block: u32,
    kind: u64,
    sources: SmallVec<[Source; 3]>,
}

/// What an operation reads.
#[derive(Debug)]
struct Source {
    of: Of,
    neg: bool,
    abs: bool,
    /// The statement that makes it.
    made: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Of {
    Constant,
    /// Half of a word of which the other half, or all, is needed too: which word of what, and whether the upper half.
    Part(Value, u16, bool),
    /// A half in a register of its own, or of a pair.
    Half(Value),
    /// A register that is written in several places.
    Joined(u32),
}

/// Find what goes together of a function's half-precision arithmetic, in the order of the statements.
pub(super) fn find(flow: &Flow<'_>, halves: &[u32]) {
    let mut blocks = Blocks::default();
    let mut seen: FxHashMap<u64, Value> = FxHashMap::default();
    let mut same: Vec<(Value, Value)> = Vec::new();
    let mut operations: Vec<Operation> = Vec::new();
    for &i in halves {
        let Some(operation) = operation(flow, i, &mut blocks) else { continue };
        match seen.insert(flow.number(operation.value), operation.value) {
            Some(first) if flow.is_done(flow.maker(first).1, i) => same.push((operation.value, first)),
            _ => operations.push(operation),
        }
    }
    if operations.len() < 2 {
        return;
    }
    let mut packs = Packs { flow, beside: FxHashMap::default(), ready: FxHashMap::default() };
    // first what stands together as it is, then what can be put together
    for strict in [true, false] {
        for (n, first) in operations.iter().enumerate() {
            if flow.pair(first.value).is_none() {
                packs.find(first, &operations[n + 1..], strict);
            }
        }
    }
    for (again, first) in same {
        if let Some(pair) = flow.pair(first) {
            flow.set_pair(again, pair);
        }
    }
}

/// The operation of a statement, unless it is part of another one.
fn operation(flow: &Flow<'_>, i: u32, blocks: &mut Blocks) -> Option<Operation> {
    let s = &flow.module().statements[i as usize];
    let value = flow.value(s.operands).filter(|_| s.guard.is_none() && flow.is_live(i))?;
    let single = || matches!(flow.single_of(value), Some(Single::Written { .. }));
    if goes_into_sum(flow, s, value) || flow.is_predicated(i) || single() {
        return None;
    }
    let m = flow.meaning(s);
    // the operands, and whether they are negated
    let mut operands: SmallVec<[(u32, bool); 3]> = flow.arguments(s).skip(1).map(|at| (at, false)).collect();
    let mut action = m.action;
    if let (Action::Sub, Some(taken)) = (action, operands.get_mut(1)) {
        (action, taken.1) = (Action::Add, true);
    }
    if let Some((n, product)) = product_of(flow, s) {
        // the factors, then what is added
        let (_, taken) = operands.remove(n);
        let factors = flow.arguments(product).skip(1).enumerate();
        operands.insert_many(0, factors.map(|(at, factor)| (factor, taken && at == 0)));
        action = Action::Fma;
    }
    let kind = match action {
        Action::Min | Action::Max => m.kind,
        Action::Fma if m.action == Action::Fma && !is_plain(flow, s) => m.kind,
        _ => integer_kind(action, m.ty.map_or(0, |ty| 4 * ty as u32) + 2 * u32::from(m.sat) + u32::from(m.ftz)),
    };
    let single = |at: u32| flow.value(flow.copied(at)).is_some_and(|v| flow.stands_for_single(v));
    if operands.iter().any(|&(at, _)| single(at)) {
        return None;
    }
    let sources = operands.iter().map(|&(at, neg)| {
        let source = source(flow, at, m, i);
        Source { neg: source.neg ^ neg, ..source }
    });
    Some(Operation { value, statement: i, block: blocks.joined(flow, i), kind, sources: sources.collect() })
}

/// Whether a product with a sum says no more than its type and that it is rounded to nearest.
fn is_plain(flow: &Flow<'_>, fma: &Statement) -> bool {
    let parts = flow.module().opcodes[fma.opcode.0 as usize].parts().count();
    parts == 3 + usize::from(flow.meaning(fma).ftz)
}

/// The first addend of a sum that is a product made with it, and the product's statement.
fn product_of<'m>(flow: &Flow<'m>, sum: &Statement) -> Option<(usize, &'m Statement)> {
    if !matches!(flow.meaning(sum).action, Action::Add | Action::Sub) || flow.meaning(sum).sat {
        return None;
    }
    flow.arguments(sum).skip(1).enumerate().find_map(|(n, at)| {
        let v = flow.value(at)?;
        let (w, _, _) = flow.maker(v);
        goes_into(flow, w, v, sum, at).then_some((n, w))
    })
}

/// Whether a product is part of the one sum that reads it.
fn goes_into_sum(flow: &Flow<'_>, s: &Statement, v: Value) -> bool {
    flow.meaning(s).action == Action::Mul
        && flow.uses(v).next().is_some_and(|site| {
            let sum = &flow.module().statements[site.statement as usize];
            let taken = product_of(flow, sum).and_then(|(n, _)| flow.arguments(sum).nth(1 + n));
            taken == Some(site.operand)
        })
}

/// Whether a product is made with a sum that reads it: nothing else does, and neither says how it is rounded.
fn goes_into(flow: &Flow<'_>, product: &Statement, v: Value, sum: &Statement, at: u32) -> bool {
    let (p, m) = (flow.meaning(product), flow.meaning(sum));
    let mut uses = flow.uses(v);
    let single = uses.next().is_some_and(|site| site.operand == at) && uses.next().is_none() && !flow.escapes(v);
    p.action == Action::Mul
        && single
        && p.ty == m.ty
        && p.ftz == m.ftz
        && !p.rounds
        && !m.rounds
        && !p.sat
        && product.guard.is_none()
        && sum.guard.is_none()
}

/// What an operand is.
fn source(flow: &Flow<'_>, at: u32, m: &Meaning, place: u32) -> Source {
    let (mut at, mut neg, mut abs) = (flow.copied(at), false, false);
    for _ in 0..SIGNS {
        let Some(v) = flow.value(at) else { break };
        let (w, _, _) = flow.maker(v);
        let Some((sign, next)) = m.ty.filter(|_| w.guard.is_none()).and_then(|ty| flow.sign(w, ty)) else { break };
        match sign {
            Sign::Neg => neg ^= !abs,
            Sign::Abs => abs = true,
            Sign::Same => {}
        }
        at = flow.copied(next);
    }
    let of = match (flow.value(at), flow.register(at)) {
        (_, None) => Of::Constant,
        _ if flow.known_constant(at).is_some() => Of::Constant,
        (None, Some(register)) => Of::Joined(register.0),
        (Some(v), _) => match word(flow, v).filter(|&(word, ..)| is_needed_besides(flow, v, word)) {
            Some((word, element, high)) => Of::Part(word, element, high),
            None => Of::Half(v),
        },
    };
    let made = match flow.value(at) {
        Some(v) => match (word(flow, v), flow.pair(v)) {
            (Some((word, ..)), _) => flow.maker(word).1,
            // two conversions that are one are done where both can be
            (None, Some(pair)) => {
                let sources = [v, pair.other].map(|v| flow.arguments(flow.maker(v).0).nth(1));
                sources
                    .map(|at| at.map_or(0, |at| made_at(flow, flow.copied(at), place)))
                    .into_iter()
                    .max()
                    .unwrap_or(0)
            }
            (None, None) => made_at(flow, at, place),
        },
        None => made_at(flow, at, place),
    };
    Source { of, neg, abs, made }
}

/// The word that a half is part of: what it was unpacked or loaded with, which word of that, and whether it is the upper half.
fn word(flow: &Flow<'_>, v: Value) -> Option<(Value, u16, bool)> {
    let (w, _, element) = flow.maker(v);
    let OperandKind::Vector(count) = flow.module().operands[w.operands as usize].kind else { return None };
    let m = flow.meaning(w);
    let bits = match m.action {
        Action::Load(_) => m.ty?.bits(),
        Action::Mov => m.ty?.bits() / u32::from(count),
        _ => return None,
    };
    let whole = match m.action {
        Action::Mov => flow.value(flow.copied(flow.arguments(w).nth(1)?))?,
        // the first element stands for the vector
        _ => flow.value(w.operands + 1)?,
    };
    (bits == 16 && w.guard.is_none()).then_some((whole, element / 2, element % 2 == 1))
}

/// Whether a word is read besides one half of it, which then does not leave it.
fn is_needed_besides(flow: &Flow<'_>, half: Value, word: Value) -> bool {
    let (unpack, _, element) = flow.maker(half);
    let kind = |s: &Statement| flow.module().operands[s.operands as usize].kind;
    let other = |s: &Statement| {
        let v = flow.value(s.operands + 1 + u32::from(element ^ 1));
        v.is_some_and(|v| flow.uses(v).next().is_some() || flow.escapes(v))
    };
    if flow.meaning(unpack).action != Action::Mov {
        return other(unpack);
    }
    let besides = |s: &Statement| {
        let unpacks = s.guard.is_none() && flow.meaning(s).action == Action::Mov && kind(s) == kind(unpack);
        !unpacks || other(s)
    };
    let statements = &flow.module().statements;
    flow.escapes(word) || flow.uses(word).take(READERS).any(|site| besides(&statements[site.statement as usize]))
}

/// What goes together so far.
struct Packs<'a, 'm> {
    flow: &'a Flow<'m>,
    /// What was put side by side for an operation: with what, and whether into the upper half.
    beside: FxHashMap<Value, (Value, bool)>,
    /// Where what is made together can be done.
    ready: FxHashMap<Value, u32>,
}

impl Packs<'_, '_> {
    /// Puts an operation together with the first one behind it that can be.
    fn find(&mut self, first: &Operation, later: &[Operation], strict: bool) {
        let flow = self.flow;
        let read = flow.read_after(first.value, first.statement);
        let like = |o: &&Operation| o.kind == first.kind && o.block == first.block && flow.pair(o.value).is_none();
        let second = later.iter().take(LOOKED).filter(like).find_map(|second| {
            // both are done where all sources are, if nothing has read the first by then
            let early = read.is_none_or(|read| read > self.made(second));
            let free = early && !flow.is_interrupted(first.statement, second.statement);
            let turned = if free { self.together(first, second, strict) } else { None };
            turned.map(|turned| (second, turned))
        });
        let Some((second, turned)) = second else { return };
        let ready = self.made(first).max(self.made(second));
        for (own, other, high) in [(first, second, turned), (second, first, !turned)] {
            flow.set_pair(own.value, Pair { at: None, high, other: other.value });
            self.ready.insert(own.value, ready);
            for (source, beside) in own.sources.iter().zip(&other.sources) {
                if let (Of::Half(v), Of::Half(beside)) = (source.of, beside.of)
                    && v != beside
                {
                    self.beside.entry(v).or_insert((beside, high));
                }
            }
        }
    }

    /// The statement that makes the last of an operation's sources.
    fn made(&self, o: &Operation) -> u32 {
        let made = |source: &Source| match source.of {
            Of::Half(v) => self.ready.get(&v).copied().unwrap_or(source.made),
            _ => source.made,
        };
        o.sources.iter().map(made).max().unwrap_or(0)
    }

    /// What a half stands beside, and whether it is the upper one.
    fn beside(&self, v: Value) -> Option<(Value, bool)> {
        self.flow.pair(v).map(|pair| (pair.other, pair.high)).or_else(|| self.beside.get(&v).copied())
    }

    /// Whether two operations go together, and if so whether the first one goes into the upper half. What stands beside
    /// something else is not taken from there if that is `strict`.
    fn together(&self, first: &Operation, second: &Operation, strict: bool) -> Option<bool> {
        if second.sources.iter().any(|source| source.of == Of::Half(first.value)) {
            return None;
        }
        let mut turned = None;
        for (n, (a, b)) in first.sources.iter().zip(&second.sources).enumerate() {
            // what is read twice is put beside one thing
            let differ = |i: usize| (first.sources[i].of == a.of) != (second.sources[i].of == b.of);
            if (a.neg, a.abs) != (b.neg, b.abs) || (0..n).any(differ) {
                return None;
            }
            if a.of == b.of {
                continue;
            }
            let order = match (a.of, b.of) {
                (Of::Part(word, at, high), Of::Part(other, also, _)) if (word, at) == (other, also) => Some(high),
                (Of::Constant | Of::Part(..), _) | (_, Of::Constant | Of::Part(..)) => return None,
                (Of::Half(a), Of::Half(b)) => match self.beside(a) {
                    Some((other, high)) if other == b => Some(high),
                    other if strict && (other.is_some() || self.beside(b).is_some()) => return None,
                    _ => None,
                },
                _ => None,
            };
            match (order, turned) {
                (Some(order), Some(turned)) if order != turned => return None,
                (Some(_), _) => turned = order,
                (None, _) => {}
            }
        }
        Some(turned.unwrap_or(false))
    }
}
