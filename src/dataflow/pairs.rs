//! Which narrowing conversions go together into one packing instruction.
//!
//! ptxas makes one F2FP of two like conversions to half: first of those that a `mov.b32 {a, b}` or a vector store puts
//! side by side, then of any two in a block where the first is not read before the source of the second is made.

use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use crate::ptx::{OperandKind, Statement, Type};

use super::flow::{Flow, Value};
use super::meaning::{Action, SATURATES};
use super::neighbours::Stored;
use super::predicated::Blocks;
use super::sign::Sign;

/// How the half of a pair came to be paired.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pair {
    /// The statement that carries the packing instruction, as far as one does: that which puts the halves together.
    pub at: Option<u32>,
    /// This one goes into the upper half.
    pub high: bool,
    /// The conversion that makes the other half.
    pub other: Value,
}

/// Find the pairs of a function, of whose halves some are stored as words.
pub(super) fn find(flow: &Flow<'_>, words: &[Stored]) {
    let (conversions, packers) = flow.of_pairs();
    let mut halves = conversions.iter().copied().filter(|&i| half_kind(flow, i).is_some()).peekable();
    if halves.peek().is_some() {
        packed(flow, packers);
        let apart = stored(flow, words);
        adjacent(flow, halves, &apart);
    }
}

fn half_kind(flow: &Flow<'_>, statement: u32) -> Option<u8> {
    flow.meaning(&flow.module().statements[statement as usize]).half_kind
}

/// The value of a conversion that can be half of a pair, its kind and its statement.
fn candidate(flow: &Flow<'_>, operand: u32) -> Option<(Value, u8, u32)> {
    let v = flow.value(operand)?;
    let (s, i, _) = flow.maker(v);
    let m = flow.meaning(s);
    let key = m.half_kind.map(|kind| if m.sat && is_clamped_before(flow, s) { kind & !SATURATES } else { kind })?;
    (s.guard.is_none() && flow.is_live(i)).then_some((v, key, i))
}

/// Whether the operation that makes the source clamps it: the conversion is one that does not saturate then.
fn is_clamped_before(flow: &Flow<'_>, s: &Statement) -> bool {
    let Some(v) = flow.arguments(s).nth(1).and_then(|at| flow.value(at)) else { return false };
    let (w, _, _) = flow.maker(v);
    let m = flow.meaning(w);
    matches!(m.action, Action::Mul | Action::Add | Action::Sub | Action::Fma)
        && m.ty == Some(Type::F32)
        && (!m.ftz || flow.meaning(s).ftz)
        && w.guard.is_none()
        && flow.only_reader(w).is_some()
}

/// Pairs that a statement puts side by side.
fn packed(flow: &Flow<'_>, packers: &[u32]) {
    let module = flow.module();
    for &i in packers {
        let s = &module.statements[i as usize];
        let Some(vector) = flow.arguments(s).nth(1) else { continue };
        let OperandKind::Vector(n) = module.operands[vector as usize].kind else { continue };
        for at in (0..u32::from(n) / 2).map(|k| vector + 1 + 2 * k) {
            let (Some(low), Some(high)) = (candidate(flow, at), candidate(flow, at + 1)) else {
                continue;
            };
            let free = [low.0, high.0].iter().all(|&v| flow.pair(v).is_none() && !flow.is_read_as_word(v));
            let (first, second) =
                if flow.maker(low.0).1 < flow.maker(high.0).1 { (low.0, high.0) } else { (high.0, low.0) };
            if low.0 != high.0 && low.1 == high.1 && free && !depends(flow, second, first) {
                flow.set_pair(low.0, Pair { at: Some(i), high: false, other: high.0 });
                flow.set_pair(high.0, Pair { at: Some(i), high: true, other: low.0 });
            }
        }
    }
}

/// How many values are looked at for a dependence.
const LOOKED: usize = 32;

/// Whether the second is made of the first: the two cannot be made at once.
fn depends(flow: &Flow<'_>, second: Value, first: Value) -> bool {
    // what only the packing reads is in no other value
    if flow.uses(first).nth(1).is_none() {
        return false;
    }
    let at = flow.maker(first).1;
    let mut values: SmallVec<[Value; LOOKED]> = SmallVec::new();
    values.push(second);
    let mut next = 0;
    while let Some(&v) = values.get(next) {
        next += 1;
        // a call may have very many
        for o in flow.arguments(flow.maker(v).0).skip(1).take(4) {
            let Some(source) = flow.value(o) else { continue };
            if source == first {
                return true;
            }
            if flow.maker(source).1 > at && values.len() < LOOKED && !values.contains(&source) {
                values.push(source);
            }
        }
    }
    false
}

/// Pairs of which two stores make a word, where that is not put beside another one by permutations. Returns the halves that
/// are stored so and stay apart.
fn stored(flow: &Flow<'_>, words: &[Stored]) -> FxHashSet<Value> {
    let mut blocks = Blocks::default();
    let mut apart = FxHashSet::default();
    for word in words {
        let mut of = |(v, _): (Value, u32)| half(flow, flow.maker(v).1, &mut blocks).filter(|half| half.value == v);
        let (low, high) = (of(word.low), of(word.high));
        let pair = low.as_ref().zip(high.as_ref()).filter(|(low, high)| {
            let read = flow.read_by(low.value).into_iter().filter(|&at| at != word.low.1).min();
            !word.second
                && (low.kind, low.block) == (high.kind, high.block)
                && low.statement < high.statement
                && read.is_none_or(|read| read > high.made)
                && !flow.is_interrupted(low.statement, high.statement)
        });
        match pair {
            Some((low, high)) => {
                flow.set_pair(low.value, Pair { at: None, high: false, other: high.value });
                flow.set_pair(high.value, Pair { at: None, high: true, other: low.value });
            }
            None => apart.extend([low, high].into_iter().flatten().map(|half| half.value)),
        }
    }
    apart
}

/// A conversion that may be half of a pair without being put there.
struct Half {
    value: Value,
    kind: u8,
    statement: u32,
    block: u32,
    /// The statement that makes its source.
    made: u32,
}

/// Pairs of what is left: the next like conversion of the block whose source is made before the first is read.
fn adjacent(flow: &Flow<'_>, halves: impl Iterator<Item = u32>, apart: &FxHashSet<Value>) {
    let mut blocks = Blocks::default();
    let halves = halves.filter_map(|i| half(flow, i, &mut blocks));
    let halves: Vec<Half> = halves.filter(|half| !apart.contains(&half.value)).collect();
    for (n, first) in halves.iter().enumerate() {
        if flow.pair(first.value).is_some() {
            continue;
        }
        let later = halves[n + 1..].iter().take_while(|half| half.block == first.block).take(LOOKED);
        let mut like = later.filter(|half| half.kind == first.kind && flow.pair(half.value).is_none()).peekable();
        if like.peek().is_none() || is_left_behind(flow, first) {
            continue;
        }
        // both are made where the second source is, if nothing has read the first by then; what comes from several ways is there
        // when the block begins
        let read = flow.read_after(first.value, first.statement);
        let second = like.find(|second| {
            read.is_none_or(|read| read > second.made) && !flow.is_interrupted(first.statement, second.statement)
        });
        if let Some(second) = second {
            flow.set_pair(first.value, Pair { at: None, high: false, other: second.value });
            flow.set_pair(second.value, Pair { at: None, high: true, other: first.value });
        }
    }
}

/// The conversion of a statement, if it may be half of a pair.
fn half(flow: &Flow<'_>, i: u32, blocks: &mut Blocks) -> Option<Half> {
    let s = &flow.module().statements[i as usize];
    let (value, kind, statement) = candidate(flow, s.operands)?;
    // a number is converted beforehand
    let number = flow.known_constant(s.operands).is_some();
    if number || flow.pair(value).is_some() || !stands_alone(flow, s, value) || flow.is_predicated(i) {
        return None;
    }
    let made = flow.arguments(s).nth(1).map_or(0, |o| made_at(flow, flow.copied(o), i));
    Some(Half { value, kind, statement, block: blocks.joined(flow, i), made })
}

/// Whether a half is read in another block than it is made in, of what comes from several ways: ptxas moves it to no other
/// conversion then. What comes from one way it makes where it is wanted.
fn is_left_behind(flow: &Flow<'_>, half: &Half) -> bool {
    let s = &flow.module().statements[half.statement as usize];
    flow.is_read_in_other_block(half.value, half.statement)
        && flow.arguments(s).nth(1).is_some_and(|at| flow.is_of_joined(at))
}

/// Where what an operand reads is made; 0 where a register that is written in several places is not written in the block
/// before.
pub(super) fn made_at(flow: &Flow<'_>, operand: u32, place: u32) -> u32 {
    match (flow.value(operand), flow.register(operand)) {
        (Some(v), _) => flow.maker(v).1,
        (None, Some(register)) => {
            let block = flow.block(place);
            let mut before = flow.writes_from_last(register).filter(|&(_, i)| i < place && flow.block(i) == block);
            before.next().map_or(0, |(_, i)| i)
        }
        (None, None) => 0,
    }
}

/// Whether conversions alone lead to the source from a load under the guard that all readers of the result are under: ptxas jumps over all
/// of it at once, and so has it in a block of its own.
fn under_one_guard(flow: &Flow<'_>, v: Value) -> bool {
    let statements = &flow.module().statements;
    let mut readers = flow.uses(v).map(|site| statements[site.statement as usize].guard);
    let Some(Some(guard)) = readers.next() else { return false };
    if !readers.all(|other| other == Some(guard)) {
        return false;
    }
    let mut at = flow.arguments(flow.maker(v).0).nth(1).and_then(|o| flow.value(o));
    for _ in 0..DEPTH {
        let Some(source) = at else { break };
        let (w, _, _) = flow.maker(source);
        if w.guard.is_some() {
            return w.guard == Some(guard) && matches!(flow.meaning(w).action, Action::Load(_));
        }
        if flow.meaning(w).action != Action::Cvt {
            return false;
        }
        at = flow.arguments(w).nth(1).and_then(|o| flow.value(o));
    }
    false
}

/// How many conversions are followed.
const DEPTH: u32 = 8;

/// Nothing wants the whole word of the result, and the source is neither a sign to take in nor merged from two ways.
fn stands_alone(flow: &Flow<'_>, s: &Statement, v: Value) -> bool {
    let source = flow.arguments(s).nth(1).and_then(|o| flow.value(o));
    let paired = || flow.arguments(s).nth(1).is_some_and(|at| flow.is_word_of_pair(at));
    let unfit = source.is_some_and(|source| {
        let (w, _, _) = flow.maker(source);
        let m = flow.meaning(w);
        let merges = match m.action {
            Action::Selp => flow.is_chosen_by_predicate(source),
            _ => m.merges,
        };
        flow.sign(w, Type::F32).is_some_and(|(sign, _)| sign != Sign::Same)
            || merges
            // a guarded load merges nothing: the register is set before
            || w.guard.is_some() && !matches!(m.action, Action::Load(_))
    });
    !unfit && !paired() && !under_one_guard(flow, v) && !flow.is_read_as_word(v) && !flow.is_made_apart(v)
}
