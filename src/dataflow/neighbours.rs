//! Halves that stand side by side in memory: ptxas loads and stores two of them as one word where it knows that the word is
//! aligned.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::ptx::{NameId, OperandKind, RegId, Statement, StatementKind};

use super::flow::{Flow, Value, after};
use super::meaning::{Action, Memory, Space};
use super::pairs::Pair;
use super::uses::{READERS, Use};

/// How many steps of an address are followed.
const STEPS: u32 = 12;

/// How many accesses are looked at for the other half.
const NEAR: usize = 16;

/// How many statements are looked at between two stores.
const BETWEEN: u32 = 128;

/// How many writings of a register are looked at.
const WRITES: usize = 4;

/// What everything is a multiple of, as a power of two: an address of which no bit is known to be set.
const ZERO: u32 = 32;

/// What a variable that stands first in shared memory is aligned to, in bytes.
pub(super) const FIRST: u32 = 16;

/// Where an address counts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Root {
    Symbol(NameId),
    Value(Value),
    Joined(RegId),
}

/// A load or store of half a word.
#[derive(Debug, Clone, Copy)]
struct Access {
    statement: u32,
    block: u32,
    root: Root,
    offset: i64,
    memory: Memory,
    value: Value,
}

/// A word that two stores of halves are joined to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stored {
    /// What goes into the lower half, and the statement that stores it.
    pub low: (Value, u32),
    /// The same of the upper half.
    pub high: (Value, u32),
    /// It is the upper word of a pair that is stored at once.
    pub second: bool,
}

/// Find the halves that are loaded together, and tell those that are stored together.
pub(super) fn find(flow: &Flow<'_>, accesses: &[u32]) -> Vec<Stored> {
    let mut loads: FxHashMap<(Root, u32), Vec<Access>> = FxHashMap::default();
    let mut known = Known { flow, evidence: None };
    let mut stored = Vec::new();
    let mut run: Vec<Access> = Vec::new();
    for &i in accesses {
        let Some(access) = access(flow, i) else { continue };
        let s = &flow.module().statements[i as usize];
        if flow.meaning(s).action == Action::Store {
            if !goes_on(flow, &run, &access) {
                words(&mut known, &mut run, &mut stored);
            }
            run.push(access);
            continue;
        }
        let others = loads.entry((access.root, access.block)).or_default();
        let other = others.iter().rev().take(NEAR).find(|other| {
            other.offset == access.offset ^ 2
                && other.memory == access.memory
                && flow.pair(other.value).is_none()
                && !is_overwritten(flow, other, &access)
        });
        if let Some(other) = other.copied()
            && known.is_aligned(&access, access.offset.min(other.offset), 2)
            && [access.value, other.value].iter().all(|&v| is_half(flow, v))
        {
            for (own, beside) in [(&access, &other), (&other, &access)] {
                let high = own.offset > beside.offset;
                flow.set_pair(own.value, Pair { at: None, high, other: beside.value });
            }
        }
        others.push(access);
    }
    words(&mut known, &mut run, &mut stored);
    stored
}

/// The access of a statement, if it is one that may be joined.
fn access(flow: &Flow<'_>, i: u32) -> Option<Access> {
    let s = &flow.module().statements[i as usize];
    let m = flow.meaning(s);
    let end = s.operands + s.operand_count;
    let second = after(flow.module(), s.operands, end);
    let (at, of) = if m.action == Action::Store { (s.operands, second) } else { (second, s.operands) };
    let joins = matches!(m.memory, Memory::Global | Memory::Unwritten | Memory::Shared)
        && (m.action != Action::Store || m.memory == Memory::Shared);
    if s.guard.is_some() || m.volatile || !joins || !flow.is_live(i) || flow.is_predicated(i) {
        return None;
    }
    let (root, offset) = address(flow, at)?;
    let value = flow.register(of).and_then(|_| flow.value(of))?;
    Some(Access { statement: i, block: flow.block(i), root, offset, memory: m.memory, value })
}

/// Where an address operand points.
fn address(flow: &Flow<'_>, at: u32) -> Option<(Root, i64)> {
    let operands = &flow.module().operands;
    // a statement that is cut short has none
    let OperandKind::Address(count) = operands.get(at as usize)?.kind else { return None };
    let mut offset = match count {
        1 => 0,
        2 => flow.constant(at + 2)? as i64,
        _ => return None,
    };
    let mut at = at + 1;
    for _ in 0..STEPS {
        at = flow.copied(at);
        let v = match operands[at as usize].kind {
            OperandKind::Symbol(name) => return Some((Root::Symbol(name), offset)),
            OperandKind::Register(register) => match flow.value(at) {
                Some(v) => v,
                None => return Some((Root::Joined(register), offset)),
            },
            _ => return None,
        };
        let (w, _, _) = flow.maker(v);
        let mut arguments = flow.arguments(w).skip(1);
        let (first, second) = (arguments.next(), arguments.next());
        let added = second.and_then(|at| flow.constant(at)).filter(|_| flow.meaning(w).action == Action::Add);
        at = match (flow.meaning(w).action, first, added) {
            _ if w.guard.is_some() => return Some((Root::Value(v), offset)),
            (Action::Add, Some(of), Some(by)) => {
                let bits = flow.meaning(w).ty?.bits();
                let by = if bits == 32 { i64::from(by as u32 as i32) } else { by as i64 };
                offset = offset.wrapping_add(by);
                of
            }
            (Action::Cvta | Action::Mov, Some(of), _) if second.is_none() && !is_vector(flow, w) => of,
            _ => return Some((Root::Value(v), offset)),
        };
    }
    None
}

fn is_vector(flow: &Flow<'_>, s: &Statement) -> bool {
    matches!(flow.module().operands[s.operands as usize].kind, OperandKind::Vector(_))
}

/// Whether memory may be written between two loads.
fn is_overwritten(flow: &Flow<'_>, first: &Access, second: &Access) -> bool {
    flow.overwriting(first.statement, second.statement).any(|at| {
        let m = flow.meaning(&flow.module().statements[at as usize]);
        let same = m.overwrites.is_some_and(|memory| memory == Memory::Any || memory == first.memory);
        same && !matches!(m.action, Action::Load(_)) && first.memory != Memory::Unwritten
    })
}

/// Whether a store goes on with those before it: nothing between reaches the same memory.
fn goes_on(flow: &Flow<'_>, run: &[Access], store: &Access) -> bool {
    let Some(last) = run.last() else { return true };
    let reaches = |s: &Statement| {
        let m = flow.meaning(s);
        let memory = |memory: Memory| matches!(memory, Memory::Any | Memory::Shared);
        s.kind == StatementKind::Instruction
            && match m.action {
                Action::Load(Space::Memory) | Action::Store => memory(m.memory),
                _ => m.fences || m.overwrites.is_some_and(memory),
            }
    };
    last.root == store.root
        && last.block == store.block
        && run.len() < NEAR
        && store.statement - last.statement < BETWEEN
        && run.iter().all(|other| other.offset != store.offset)
        && !flow.module().statements[last.statement as usize + 1..store.statement as usize].iter().any(reaches)
}

/// The words that a run of stores makes.
fn words(known: &mut Known<'_, '_>, run: &mut Vec<Access>, stored: &mut Vec<Stored>) {
    run.sort_by_key(|access| access.offset);
    let mut words: SmallVec<[(Access, Access); 8]> = SmallVec::new();
    for pair in run.windows(2) {
        let (low, high) = (pair[0], pair[1]);
        if high.offset == low.offset + 2 && known.is_aligned(&low, low.offset, 2) {
            words.push((low, high));
        }
    }
    for (n, (low, high)) in words.iter().enumerate() {
        let before = n.checked_sub(1).map(|before| words[before].0);
        let second =
            before.is_some_and(|before| before.offset == low.offset - 4 && known.is_aligned(&before, before.offset, 3));
        stored.push(Stored { low: (low.value, low.statement), high: (high.value, high.statement), second });
    }
    run.clear();
}

/// Whether all that reads a half takes it as one: floats, and what moves it. Integers are words.
fn is_half(flow: &Flow<'_>, v: Value) -> bool {
    let half = |site| match flow.classify(site) {
        Use::ToFloat { .. } | Use::FloatToFloat { .. } | Use::FloatToInt { .. } | Use::Float(..) => true,
        Use::Store { .. } | Use::Pack { .. } => true,
        Use::Compare(ty) => ty.is_float(),
        Use::Other => {
            flow.meaning(&flow.module().statements[site.statement as usize]).ty.is_some_and(|ty| ty.is_float())
        }
        _ => false,
    };
    !flow.escapes(v) && flow.register_bits(flow.maker(v).0.operands) == 16 && flow.uses(v).take(READERS).all(half)
}

/// An access of a word or more.
struct Aligned {
    statement: u32,
    offset: i64,
    /// How many bytes, as a power of two.
    power: u32,
}

/// What is known of addresses.
struct Known<'a, 'm> {
    flow: &'a Flow<'m>,
    /// The accesses of words at each root.
    evidence: Option<FxHashMap<Root, Vec<Aligned>>>,
}

impl Known<'_, '_> {
    /// Whether a place at the root of an access is a multiple of a power of two.
    fn is_aligned(&mut self, access: &Access, offset: i64, power: u32) -> bool {
        if (offset as u64).trailing_zeros() >= power && self.of_root(access.root) >= power {
            return true;
        }
        let flow = self.flow;
        let evidence = self.evidence.get_or_insert_with(|| evidence(flow));
        evidence.get(&access.root).is_some_and(|places| {
            places.iter().any(|place| {
                let (at, here) = (place.statement, access.statement);
                place.power >= power
                    && (offset.wrapping_sub(place.offset) as u64).trailing_zeros() >= power
                    && (flow.block(at) == access.block || at < here && flow.dominates(at, here))
            })
        })
    }

    fn of_root(&self, root: Root) -> u32 {
        match root {
            Root::Symbol(name) => self.flow.shared_alignment(name).map_or(0, |bytes| bytes.trailing_zeros()),
            Root::Value(v) => zeros_of_value(self.flow, v, STEPS, &mut SmallVec::new()),
            Root::Joined(register) => zeros_of_joined(self.flow, register, STEPS, &mut SmallVec::new()),
        }
    }
}

/// Registers that are being looked at: what comes back to them says nothing.
type Open = SmallVec<[RegId; 4]>;

/// How many bits of an operand are zero from the lowest on.
fn zeros(flow: &Flow<'_>, at: u32, steps: u32, open: &mut Open) -> u32 {
    if let Some(bits) = flow.constant(at) {
        return if bits == 0 { ZERO } else { bits.trailing_zeros().min(ZERO) };
    }
    match flow.module().operands[at as usize].kind {
        OperandKind::Symbol(name) => flow.shared_alignment(name).map_or(0, |bytes| bytes.trailing_zeros()),
        OperandKind::Register(register) => match flow.value(at) {
            Some(v) => zeros_of_value(flow, v, steps, open),
            None => zeros_of_joined(flow, register, steps, open),
        },
        _ => 0,
    }
}

/// The same of a register that is written in several places.
fn zeros_of_joined(flow: &Flow<'_>, register: RegId, steps: u32, open: &mut Open) -> u32 {
    if open.contains(&register) {
        return ZERO;
    }
    open.push(register);
    let mut writes = flow.writes_from_last(register).map(|(s, _)| s);
    let of = |s: &Statement, open: &mut Open| zeros_of_statement(flow, s, steps, open);
    let known = writes.by_ref().take(WRITES).map(|s| of(s, open)).min().unwrap_or(0);
    open.pop();
    if writes.next().is_some() { 0 } else { known }
}

/// The same of a value.
fn zeros_of_value(flow: &Flow<'_>, v: Value, steps: u32, open: &mut Open) -> u32 {
    zeros_of_statement(flow, flow.maker(v).0, steps, open)
}

fn zeros_of_statement(flow: &Flow<'_>, s: &Statement, steps: u32, open: &mut Open) -> u32 {
    let Some(steps) = steps.checked_sub(1).filter(|_| !is_vector(flow, s)) else { return 0 };
    let arguments: SmallVec<[u32; 4]> = flow.arguments(s).skip(1).collect();
    let mut of = |n: usize| arguments.get(n).map_or(0, |&at| zeros(flow, at, steps, open));
    let m = flow.meaning(s);
    let product = |a: u32, b: u32| (a + b).min(ZERO);
    match m.action {
        Action::Mov | Action::Cvta if arguments.len() == 1 => of(0),
        Action::Cvt if !m.sat && m.source.is_some_and(|ty| ty.is_int()) && m.ty.is_some_and(|ty| ty.is_int()) => of(0),
        Action::Add | Action::Sub | Action::Or | Action::Xor => of(0).min(of(1)),
        Action::And => of(0).max(of(1)),
        Action::Selp => of(0).min(of(1)),
        Action::Shl => match arguments.get(1).and_then(|&by| flow.constant(by)) {
            Some(by) => product(of(0), by.min(u64::from(ZERO)) as u32),
            None => of(0),
        },
        Action::Mul | Action::MulWide => product(of(0), of(1)),
        Action::Mad | Action::MadWide => product(of(0), of(1)).min(of(2)),
        _ => 0,
    }
}

/// The accesses of a function that say what their addresses are multiples of.
fn evidence(flow: &Flow<'_>) -> FxHashMap<Root, Vec<Aligned>> {
    let mut found: FxHashMap<Root, Vec<Aligned>> = FxHashMap::default();
    for (s, i) in flow.statements() {
        let m = flow.meaning(s);
        if s.kind != StatementKind::Instruction || s.guard.is_some() {
            continue;
        }
        let end = s.operands + s.operand_count;
        let second = after(flow.module(), s.operands, end);
        let (at, of) = match m.action {
            Action::Store => (s.operands, second),
            Action::Load(_) => (second, s.operands),
            _ => continue,
        };
        let elements = match flow.module().operands.get(of as usize).map(|o| o.kind) {
            Some(OperandKind::Vector(count)) => u32::from(count),
            _ => 1,
        };
        let bytes = m.ty.map_or(1, |ty| ty.bits() * elements / 8);
        if bytes >= 4
            && at < end
            && let Some((root, offset)) = address(flow, at)
        {
            found.entry(root).or_default().push(Aligned { statement: i, offset, power: bytes.trailing_zeros() });
        }
    }
    found
}
