//! The values of one function: where each is made, where it is read, what is known of it.
//!
//! A value is one writing of a register. Within a basic block a read refers to the last writing before it; across
//! blocks it does so where the register is written only once. Any other read is of an unknown value, and the writings
//! that may reach it escape. So straight-line code that uses a register again is seen as what it is, without
//! a control-flow graph; only for conversions that are done twice is one built.
//!
//! One pass over a function notes where each register occurs (`scan`); everything else is found when it is asked
//! for, and kept: few statements have to do with a conversion. The buffers are kept from function to function.

use std::cell::RefCell;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::ptx::{Module, NameId, OperandKind, RegId, Statement, StatementKind, Type, literal};

use super::abilities::Abilities;
use super::bank::Reader;
use super::facts::{self, Known};
use super::meaning::{Action, Meaning};
use super::neighbours;
use super::packs;
use super::pairs::{self, Pair};
use lazy::Lazy;
use scan::Scan;

mod dominators;
mod lazy;
mod live;
mod numbers;
mod occurrences;
mod reach;
mod scan;
mod twins;

pub(super) use lazy::Work;

/// One writing of a register, numbered within the function in the order in which they were asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Value(u32);

const NONE: u32 = u32::MAX;

/// One place that reads a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UseSite {
    /// Index into [`Module::statements`].
    pub statement: u32,
    /// Index into [`Module::operands`]; `u32::MAX` for a guard, and for what a guarded writing leaves.
    pub operand: u32,
}

/// An element of what is loaded of a kernel's parameters.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parameter {
    /// Where it stands, counted from the first parameter.
    pub offset: u32,
    /// Its width in bits.
    pub bits: u32,
    /// What is loaded.
    pub value: Value,
}

/// The tables behind a [`Flow`], for the functions of one module.
#[derive(Debug, Default)]
pub struct Tables {
    meanings: Vec<Meaning>,
    scan: Scan,
    lazy: RefCell<Lazy>,
}

impl Tables {
    /// Goes over one function of the module, which is always the same module, for an architecture.
    pub fn analyse<'m>(&'m mut self, module: &'m Module<'_>, function: usize, abilities: Abilities) -> Flow<'m> {
        self.meanings.extend(module.opcodes[self.meanings.len()..].iter().map(Meaning::of));
        self.scan.learn(&self.meanings);
        self.scan.function(module, function);
        let function = &module.functions[function];
        self.lazy.get_mut().clear(&self.scan, function, self.scan.occurrences.operands());
        let flow = Flow { module, abilities, meanings: &self.meanings, scan: &self.scan, lazy: &self.lazy };
        flow.work(|w| w.find_twins());
        let half = |ty: Option<Type>| ty.is_some_and(|ty| ty.bits() == 16);
        let meanings = self.scan.conversions.iter().map(|&i| flow.meaning(&module.statements[i as usize]));
        let (makes, reads) =
            meanings.fold((false, false), |(makes, reads), m| (makes || half(m.ty), reads || half(m.source)));
        let stored = match self.scan.halfwords.len() {
            2.. if makes || reads => neighbours::find(&flow, &self.scan.halfwords),
            _ => Vec::new(),
        };
        if self.scan.conversions.len() > 1 {
            flow.find_twins_of_arms();
            pairs::find(&flow, &stored);
            flow.work(|w| w.find_begun());
        }
        if reads && self.scan.halves.len() > 1 {
            packs::find(&flow, &self.scan.halves);
        }
        flow
    }
}

/// What is known of one function.
#[derive(Debug, Clone, Copy)]
pub struct Flow<'m> {
    module: &'m Module<'m>,
    abilities: Abilities,
    meanings: &'m [Meaning],
    scan: &'m Scan,
    lazy: &'m RefCell<Lazy>,
}

impl<'m> Flow<'m> {
    fn work<R>(&self, work: impl FnOnce(&mut Work<'_>) -> R) -> R {
        let Flow { module, abilities, meanings, scan, lazy } = *self;
        work(&mut Work { module, abilities, meanings, scan, lazy: &mut lazy.borrow_mut() })
    }

    /// The module.
    pub fn module(&self) -> &'m Module<'m> {
        self.module
    }

    /// What the architecture can do.
    pub fn abilities(&self) -> Abilities {
        self.abilities
    }

    /// The indices of a statement's direct operands.
    pub fn arguments(&self, s: &Statement) -> impl Iterator<Item = u32> + use<'m> {
        let module = self.module;
        let end = s.operands + s.operand_count;
        let mut i = s.operands;
        std::iter::from_fn(move || {
            (i < end).then(|| {
                let at = i;
                i = after(module, i, end);
                at
            })
        })
    }

    /// What a statement's opcode does.
    #[inline]
    pub fn meaning(&self, s: &Statement) -> &'m Meaning {
        meaning(self.module, self.meanings, s)
    }

    /// The function's first statement.
    pub fn first_statement(&self) -> u32 {
        self.scan.first_statement
    }

    /// Whether the function is a bare snippet, whose results are all wanted.
    pub fn snippet(&self) -> bool {
        self.scan.snippet
    }

    /// The value that an operand reads or writes.
    #[inline]
    pub fn value(&self, operand: u32) -> Option<Value> {
        self.work(|w| w.value(operand))
    }

    /// The statement that makes a value (with its index), and which of its results it is.
    pub fn maker(&self, v: Value) -> (&'m Statement, u32, u16) {
        let lazy = self.lazy.borrow();
        let m = &lazy.made[v.0 as usize];
        (&self.module.statements[m.statement as usize], m.statement, m.element)
    }

    /// Whether a statement loads from where operands are read too: a parameter of the kernel (not of a function, and not
    /// the result of a call), or a constant of the module by its name.
    pub fn loads_parameter(&self, s: &Statement) -> bool {
        self.work(|w| w.loads_parameter(s))
    }

    /// Where the element of a kernel's parameter stands that a value is, counted from the first one.
    pub fn parameter_offset(&self, v: Value) -> Option<u32> {
        self.parameter(v).map(|p| p.offset)
    }

    /// Where the element of a constant of the module stands in its bank that a value is.
    pub fn constant_offset(&self, v: Value) -> Option<u32> {
        let (s, _, element) = self.maker(v);
        let (offset, bits) = self.work(|w| w.constant_offset(s))?;
        Some(offset.wrapping_add(u32::from(element) * bits / 8))
    }

    /// The element of a kernel's parameter that a value is.
    pub(super) fn parameter(&self, v: Value) -> Option<Parameter> {
        let (s, _, element) = self.maker(v);
        let (offset, bits) = self.work(|w| w.parameter_offset(s))?;
        Some(Parameter { offset: offset.wrapping_add(u32::from(element) * bits / 8), bits, value: v })
    }

    /// What is loaded of so many bits from a place among the kernel's parameters.
    pub(super) fn parameters_at(&self, offset: u32, bits: u32) -> SmallVec<[Value; 2]> {
        self.work(|w| {
            let all = w.parameters();
            let first = all.partition_point(|p| (p.offset, p.bits) < (offset, bits));
            all[first..].iter().take_while(|p| (p.offset, p.bits) == (offset, bits)).map(|p| p.value).collect()
        })
    }

    /// What reads a parameter, as far as it was found.
    pub(super) fn readers(&self, of: (u32, u32, bool)) -> Option<Arc<[Reader]>> {
        self.lazy.borrow().readers.get(&of).cloned()
    }

    /// Keeps what reads a parameter.
    pub(super) fn set_readers(&self, of: (u32, u32, bool), readers: Arc<[Reader]>) -> Arc<[Reader]> {
        self.lazy.borrow_mut().readers.entry(of).or_insert(readers).clone()
    }

    /// The value that a statement's guard reads, where the statement makes one.
    pub fn guard(&self, s: &Statement) -> Option<Value> {
        s.guard?;
        let (_, statement, _) = self.maker(self.value(s.operands)?);
        self.guard_of(statement)
    }

    /// The value of the predicate that a statement is guarded by.
    pub(super) fn guard_of(&self, statement: u32) -> Option<Value> {
        let register = self.module.statements[statement as usize].guard?.register;
        self.work(|w| w.guard(register, statement))
    }

    /// The writing, in source order, of a guarded statement's result register before it.
    pub fn before(&self, s: &Statement) -> Option<Value> {
        self.value_before(self.value(s.operands)?)
    }

    /// The writing, in source order, of a value's register before it.
    pub fn value_before(&self, value: Value) -> Option<Value> {
        let before = self.lazy.borrow().made[value.0 as usize].before;
        (before != NONE).then_some(Value(before))
    }

    /// The statement of an earlier like conversion that makes the same value.
    pub fn twin(&self, v: Value) -> Option<u32> {
        let lazy = self.lazy.borrow();
        lazy.made.get(lazy.made[v.0 as usize].twin as usize).map(|m| m.statement)
    }

    /// The result of an earlier conversion that makes what this one saturates, or saturates what this one makes.
    pub fn begun(&self, v: Value) -> Option<Value> {
        self.lazy.borrow().begun.get(&v).copied()
    }

    /// Where a value is made first, by whichever of the conversions that make an equal one stands first in the text: ptxas
    /// gives equal values one register, and takes values in the order of their registers.
    pub(super) fn made_first(&self, v: Value) -> u32 {
        let lazy = self.lazy.borrow();
        let m = &lazy.made[v.0 as usize];
        if m.like == NONE { m.statement } else { m.like }
    }

    /// A number that a value has in common with those that ptxas sees are equal to it.
    pub fn number(&self, v: Value) -> u64 {
        self.work(|w| w.number(v, numbers::DEPTH))
    }

    /// Makes a conversion the twin of another one that ptxas has in the same block, if it does the same of the same.
    pub(super) fn make_twins(&self, first: u32, second: u32) -> bool {
        self.work(|w| w.make_twins(first, second))
    }

    /// Whether what a statement makes is there at a later one, as far as ptxas keeps it.
    pub(super) fn is_done(&self, first: u32, second: u32) -> bool {
        self.work(|w| w.is_done(first, second))
    }

    /// Whether what is loaded for a statement is still there at a later one.
    pub(super) fn is_kept(&self, first: u32, second: u32) -> bool {
        self.work(|w| w.is_kept(first, second))
    }

    /// Whether a read somewhere may see the value without being known.
    pub fn escapes(&self, v: Value) -> bool {
        self.work(|w| w.escapes(v))
    }

    /// The pair that a conversion to half is part of.
    pub fn pair(&self, v: Value) -> Option<Pair> {
        self.lazy.borrow().pairs.get(&v).copied()
    }

    /// The places that read a value, in source order, dead code left out.
    pub fn uses(&self, v: Value) -> impl DoubleEndedIterator<Item = UseSite> + use<'m> {
        let lazy = self.lazy;
        let range = self.work(|w| w.uses(v));
        range.map(move |at| lazy.borrow().uses[at as usize])
    }

    /// The statements behind one that read a value as an operand, even in dead code.
    pub(super) fn reads_after(&self, v: Value, statement: u32) -> SmallVec<[u32; 4]> {
        self.work(|w| w.reads_after(v, statement))
    }

    /// Whether a statement contributes to an effect.
    pub fn is_live(&self, statement: u32) -> bool {
        self.work(|w| w.is_live(statement) && !w.is_twin(statement))
    }

    /// Basic block of a statement, counted from the function's start.
    pub fn block(&self, statement: u32) -> u32 {
        self.scan.block(statement)
    }

    /// Where the basic block of a statement begins, and where the next one does.
    pub(super) fn block_bounds(&self, statement: u32) -> (u32, u32) {
        (self.scan.block_start(statement), self.scan.block_and_end(statement).1)
    }

    /// How many branches may jump to a place; `None` where a table says so.
    pub(super) fn jumps_to(&self, place: u32) -> Option<u32> {
        self.scan.jumps_to(self.module, place)
    }

    /// The label that a branch jumps to.
    pub(super) fn target(&self, branch: &Statement) -> Option<u32> {
        self.scan.target(self.module, branch)
    }

    /// The last statement that names a register.
    pub fn last(&self, r: RegId) -> u32 {
        self.scan.last(self.module, r)
    }

    /// Whether a statement is in a loop that another one before it is not in.
    pub fn loops_around(&self, inner: u32, outer: u32) -> bool {
        self.work(|w| w.lazy.loops.innermost(w.scan, inner)).is_some_and(|(start, _)| start > outer)
    }

    /// What was found of whether a value is computed from what comes from several ways.
    pub(super) fn known_join(&self, v: Value) -> Option<bool> {
        self.work(|w| w.lazy.joins.get(&v).copied())
    }

    /// Keeps what was found of that.
    pub(super) fn keep_join(&self, v: Value, joined: bool) {
        self.work(|w| w.lazy.joins.insert(v, joined));
    }

    /// The loop around a statement that begins last: its first statement and the branch.
    pub(super) fn innermost_loop(&self, statement: u32) -> Option<(u32, u32)> {
        self.work(|w| w.lazy.loops.innermost(w.scan, statement))
    }

    /// The loop of one block that a statement is in: its first statement and the branch.
    pub(super) fn block_loop(&self, statement: u32) -> Option<(u32, u32)> {
        self.work(|w| w.lazy.loops.innermost(w.scan, statement).filter(|&(start, end)| w.is_one_block(start, end)))
    }

    /// What is known of the bits that an operand reads.
    pub fn known(&self, operand: u32) -> Known {
        self.value(operand).map_or(Known::NOTHING, |v| self.known_value(v))
    }

    /// The constant that a register as an operand is known to hold.
    pub fn known_constant(&self, operand: u32) -> Option<u64> {
        let v = self.value(operand)?;
        // most of what is no constant does not follow from one
        if facts::follows(self.meaning(self.maker(v).0)) { self.known_value(v).constant } else { None }
    }

    /// What is known of a value's bits.
    pub fn known_value(&self, v: Value) -> Known {
        self.work(|w| w.known_value(v))
    }

    /// The integer that an operand is, literal or register with a known constant.
    pub fn constant(&self, operand: u32) -> Option<u64> {
        constant(self.module, operand, |operand| self.known_constant(operand))
    }

    /// The statements that have a register as an operand, from the last one back, with their indices.
    pub(super) fn statements_from_last(&self, r: RegId) -> impl Iterator<Item = (&'m Statement, u32)> + use<'m> {
        let (occurrences, module) = (&self.scan.occurrences, self.module);
        let last = occurrences.last(r).0;
        occurrences.from(last).map(move |at| occurrences.statement(module, at))
    }

    /// The statements that write a register, from the last one on, of as many as are looked at that name it.
    pub(super) fn writes_from_last(&self, r: RegId) -> impl Iterator<Item = (&'m Statement, u32)> {
        let (scan, module) = (self.scan, self.module);
        let named = scan.occurrences.from(scan.occurrences.last(r).0).take(super::uses::READERS);
        named.filter_map(move |at| {
            let (s, i) = scan.occurrences.statement(module, at);
            (self.meaning(s).writes && at < scan.results_end(module, s)).then_some((s, i))
        })
    }

    /// Whether a statement ends its block without a branch, and a register that it writes was written before: what is joined
    /// with that is copied there.
    pub fn copies_at_end(&self, statement: u32, operand: u32) -> bool {
        let (occurrences, module) = (&self.scan.occurrences, self.module);
        let next = module.statements[statement as usize + 1..]
            .iter()
            .find(|s| matches!(s.kind, StatementKind::Instruction | StatementKind::Label));
        next.is_some_and(|s| s.kind == StatementKind::Label)
            && occurrences
                .from(occurrences.before(operand))
                .take(super::uses::READERS)
                .map(|at| (at, occurrences.statement(module, at).0))
                .any(|(at, s)| s.operands == at && self.meaning(s).writes)
    }

    /// The register that an operand is.
    pub fn register(&self, operand: u32) -> Option<RegId> {
        match self.module.operands.get(operand as usize)?.kind {
            OperandKind::Register(r) => Some(r),
            _ => None,
        }
    }

    /// The conversions, and the statements that put values side by side: indices into [`Module::statements`].
    pub(super) fn of_pairs(&self) -> (&'m [u32], &'m [u32]) {
        (&self.scan.conversions, &self.scan.packers)
    }

    /// Whether a branch jumps, or does not jump, to where the function ends.
    pub(super) fn leaves(&self, branch: u32) -> bool {
        let statements = &self.module.statements;
        let ends = |from: u32| {
            let next = statements[from as usize + 1..].iter().find(|s| s.kind != StatementKind::Directive);
            next.is_none_or(|s| s.kind == StatementKind::Instruction && self.meaning(s).action == Action::Exit)
        };
        ends(branch) || self.scan.target(self.module, &statements[branch as usize]).is_none_or(ends)
    }

    /// Whether a statement between two others may overwrite memory.
    pub(super) fn overwrites_between(&self, first: u32, second: u32) -> bool {
        let overwriting = &self.scan.overwriting;
        overwriting.get(overwriting.partition_point(|&at| at <= first)).is_some_and(|&at| at < second)
    }

    /// The statements between two others that may overwrite memory.
    pub(super) fn overwriting(&self, first: u32, second: u32) -> impl Iterator<Item = u32> {
        let overwriting = &self.scan.overwriting;
        let behind = overwriting.partition_point(|&at| at <= first);
        overwriting[behind..].iter().copied().take_while(move |&at| at < second)
    }

    /// Whether a statement is on every way to a later one.
    pub(super) fn dominates(&self, first: u32, second: u32) -> bool {
        self.work(|w| w.dominates(first, second))
    }

    /// The function's statements, with their indices.
    pub(super) fn statements(&self) -> impl Iterator<Item = (&'m Statement, u32)> + use<'m> {
        let (module, first) = (self.module, self.scan.first_statement);
        let function = module.functions.iter().rfind(|f| f.statements.start == first);
        function.map_or(0..0, |f| f.statements.clone()).map(|i| (&module.statements[i as usize], i))
    }

    /// What a variable in shared memory is aligned to, in bytes: of those that a function names its own stand first, then
    /// the module's, one behind the other in the order in which they are declared, and last what has no size.
    pub(super) fn shared_alignment(&self, name: NameId) -> Option<u32> {
        let (module, first) = (self.module, self.scan.first_statement);
        let mut lazy = self.lazy.borrow_mut();
        let places = lazy.shared.get_or_insert_with(|| {
            let Some(function) = module.functions.iter().rfind(|f| f.statements.start == first) else {
                return FxHashMap::default();
            };
            let mentioned = &module.mentioned[function.mentioned.start as usize..function.mentioned.end as usize];
            let named = mentioned.iter().map(|&name| (name, module.names[name.0 as usize]));
            let variable = |(name, text): (NameId, &[u8])| match module.own_shared.get(text) {
                Some(own) => Some((name, true, own)),
                None => Some((name, false, module.shared.get(text)?)),
            };
            let mut shared: Vec<_> = named.filter_map(variable).collect();
            shared.sort_by_key(|(_, own, shared)| (shared.size == 0, !own, shared.name.start));
            let mut end = 0_u32;
            let places = shared.into_iter().map(|(name, _, shared)| {
                let align = if shared.size == 0 { neighbours::FIRST.max(shared.align) } else { shared.align };
                let place = end.div_ceil(align).saturating_mul(align);
                end = place.saturating_add(shared.size);
                let known = neighbours::FIRST.max(align);
                (name, 1 << place.trailing_zeros().min(known.trailing_zeros()))
            });
            places.collect()
        });
        places.get(&name).copied()
    }

    /// Whether ptxas has two statements, the second behind the first, in different blocks.
    pub(super) fn is_parted(&self, first: u32, second: u32) -> bool {
        self.block(first) != self.block(second) || self.scan.parting(first, second).next().is_some()
    }

    /// Whether a value is read in another block than that of the statement which makes it, even by what is done before; what
    /// is jumped over under a guard parts none.
    pub(super) fn is_read_in_other_block(&self, v: Value, statement: u32) -> bool {
        let parts = |at: u32| self.meaning(&self.module.statements[at as usize]).parts;
        let other = |at: u32| self.block(at) != self.block(statement) || self.scan.parting(statement, at).any(parts);
        self.read_by(v).into_iter().take(super::uses::READERS).any(other)
    }

    /// The statements that read a value itself, and none that is equal to it; dead code left out.
    pub fn read_by(&self, v: Value) -> SmallVec<[u32; 4]> {
        self.work(|w| w.read_by(v))
    }

    /// Whether a routine is called or memory settles between two statements of a block.
    pub(super) fn is_interrupted(&self, first: u32, second: u32) -> bool {
        self.scan.parting(first, second).any(|at| {
            let m = self.meaning(&self.module.statements[at as usize]);
            m.calls || m.settles
        })
    }

    pub(super) fn set_pair(&self, v: Value, pair: Pair) {
        self.lazy.borrow_mut().pairs.insert(v, pair);
    }
}

/// The integer that an operand is, where `known` tells of registers.
pub(super) fn constant(module: &Module<'_>, operand: u32, known: impl FnOnce(u32) -> Option<u64>) -> Option<u64> {
    let mut at = operand;
    while module.operands.get(at as usize)?.kind == OperandKind::Negated {
        at += 1;
    }
    let o = module.operands[at as usize];
    let value = match o.kind {
        OperandKind::Integer => literal::integer(o.span.of(module.source))?.bits,
        OperandKind::Register(_) => known(at)?,
        _ => return None,
    };
    Some(if (at - operand).is_multiple_of(2) { value } else { value.wrapping_neg() })
}

/// What a statement's opcode does with a register of its result's width.
#[inline]
fn meaning<'m>(module: &Module<'_>, meanings: &'m [Meaning], s: &Statement) -> &'m Meaning {
    let m = &meanings[s.opcode.0 as usize];
    match m.in_word {
        Some(extension) if fills_word(module, s) => extension,
        _ => m,
    }
}

/// Whether a result goes into a register of a word.
fn fills_word(module: &Module<'_>, s: &Statement) -> bool {
    match module.operands.get(s.operands as usize).map(|o| o.kind) {
        Some(OperandKind::Register(r)) => module.registers[r.0 as usize].ty.is_none_or(|ty| ty.bits() == 32),
        _ => false,
    }
}

/// Index past the operand at `i` and its children.
#[inline]
pub fn after(module: &Module<'_>, i: u32, end: u32) -> u32 {
    match module.operands.get(i as usize) {
        Some(operand) if i < end && operand.kind.children() == 0 => i + 1,
        _ => after_family(module, i, end),
    }
}

fn after_family(module: &Module<'_>, mut i: u32, end: u32) -> u32 {
    let mut pending = 1;
    while pending > 0 && i < end {
        pending += module.operands[i as usize].kind.children();
        pending -= 1;
        i += 1;
    }
    i
}
