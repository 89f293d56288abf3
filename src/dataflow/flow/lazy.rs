//! What is found when it is asked for.

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::dominators::Dominators;
use super::occurrences::Occurrence;
use super::reach::Unreached;
use super::scan::{Scan, element};
use super::{NONE, Parameter, UseSite, Value, after, constant, meaning};
use crate::dataflow::abilities::Abilities;
use crate::dataflow::bank::Reader;
use crate::dataflow::facts::{self, Known};
use crate::dataflow::meaning::{Action, Meaning, Space};
use crate::dataflow::pairs::Pair;
use crate::ptx::{Function, FunctionKind, Module, NameId, OperandKind, RegId, Statement, StatementKind};

/// How a value is made, and what is known of it.
#[derive(Debug, Clone)]
pub struct Made {
    /// Index into [`Module::statements`].
    pub statement: u32,
    /// Which element of a vector result.
    pub element: u16,
    /// Its register, counted from the function's first.
    pub register: u32,
    /// The operand that it is written to.
    pub operand: u32,
    /// It is the last one of its block, so that another block may read it without its being known.
    pub open: bool,
    /// The value of the same register before it.
    pub before: u32,
    /// The next writing of its register, where that is guarded and so keeps it.
    pub kept_by: u32,
    /// The value that an earlier like conversion made already: this one.
    pub twin: u32,
    /// The first conversion in the text that makes an equal value, on whatever way, where there is one before.
    pub like: u32,
    /// The places that read it: indices into [`Lazy::reads`].
    pub reads: Range<u32>,
    /// The places that count as uses: indices into [`Lazy::uses`].
    uses: Option<Range<u32>>,
    known: Option<Known>,
    /// The number that equal values have in common; 0 while it is not worked out.
    pub number: u64,
}

/// What is found of a register.
#[derive(Debug, Clone, Default)]
struct Register {
    found: bool,
    /// Statements that want it without knowing which of its values: indices into [`Lazy::wants`].
    wants: Range<u32>,
}

/// What is found of a function.
#[derive(Debug, Default)]
pub struct Lazy {
    registers: Vec<Register>,
    pub made: Vec<Made>,
    pub reads: Vec<UseSite>,
    pub uses: Vec<UseSite>,
    pub wants: Vec<u32>,
    /// The value that each operand reads or writes, where its register is found.
    values: Vec<u32>,
    /// The values that guards read, by statement.
    guards: FxHashMap<u32, u32>,
    /// The values that another one is the twin of.
    pub twins: FxHashMap<u32, SmallVec<[u32; 2]>>,
    /// The statements of twins.
    pub twin_statements: FxHashSet<u32>,
    /// Of conversions that saturate what an earlier one makes, or make what an earlier one saturates: the other's value.
    pub begun: FxHashMap<Value, Value>,
    /// The numbers of values that follow from a register that is written in several places.
    pub joined_numbers: FxHashSet<u64>,
    /// The first value of each number, of those made where loops have begun.
    pub leaders: FxHashMap<u64, Value>,
    /// Values that were asked for whether they are computed from what comes from several ways.
    pub joins: FxHashMap<Value, bool>,
    pub pairs: FxHashMap<Value, Pair>,
    /// What the variables in shared memory are aligned to that the function names, in bytes.
    pub shared: Option<FxHashMap<NameId, u32>>,
    pub liveness: super::live::Liveness,
    pub loops: Loops,
    pub dominators: Dominators,
    pub unreached: Unreached,
    /// The kernel's parameters by name: indices into [`Module::parameters`].
    parameters: Option<Vec<u32>>,
    /// What is loaded of them, by offset.
    pub loads: Option<Vec<Parameter>>,
    /// What reads them: by offset, width and whether pairs are read at once.
    pub readers: FxHashMap<(u32, u32, bool), Arc<[Reader]>>,
    chain: Vec<Occurrence>,
    found: Vec<(u32, UseSite)>,
    work: Vec<u32>,
}

impl Lazy {
    /// Forgets everything, and makes room for a function.
    pub fn clear(&mut self, scan: &Scan, function: &Function, operands: usize) {
        self.registers.clear();
        self.registers.resize(scan.occurrences.registers(), Register::default());
        self.values.clear();
        self.values.resize(operands, NONE);
        self.made.clear();
        self.reads.clear();
        self.uses.clear();
        self.wants.clear();
        self.guards.clear();
        self.twins.clear();
        self.twin_statements.clear();
        self.begun.clear();
        self.joined_numbers.clear();
        self.leaders.clear();
        self.joins.clear();
        self.pairs.clear();
        self.shared = None;
        self.liveness.clear(function.statements.len(), scan.occurrences.registers());
        self.loops.innermost.clear();
        self.dominators.clear();
        self.unreached.clear();
        self.parameters = None;
        self.loads = None;
        self.readers.clear();
    }
}

/// The loops around statements.
#[derive(Debug, Default)]
pub struct Loops {
    /// For each statement start and end of the loop around it that begins last; `NONE` where there is none.
    innermost: Vec<(u32, u32)>,
}

impl Loops {
    /// Start and end of the loop around a statement that begins last.
    pub fn innermost(&mut self, scan: &Scan, statement: u32) -> Option<(u32, u32)> {
        if self.innermost.is_empty() {
            let end = scan.loops.iter().map(|l| l.1).max()?;
            let mut open: Vec<(u32, u32)> = Vec::new();
            let mut loops = scan.loops.iter().copied().peekable();
            for i in scan.first_statement..=end {
                while let Some(next) = loops.next_if(|next| next.0 <= i) {
                    open.push(next);
                }
                while open.last().is_some_and(|l| l.1 < i) {
                    open.pop();
                }
                self.innermost.push(open.last().map_or((NONE, NONE), |&l| l));
            }
        }
        self.innermost.get((statement - scan.first_statement) as usize).copied().filter(|l| l.0 != NONE)
    }
}

/// What is found so far, with what it is found from.
pub struct Work<'a> {
    pub module: &'a Module<'a>,
    pub abilities: Abilities,
    pub meanings: &'a [Meaning],
    pub scan: &'a Scan,
    pub lazy: &'a mut Lazy,
}

impl<'a> Work<'a> {
    pub fn meaning(&self, s: &Statement) -> &'a Meaning {
        meaning(self.module, self.meanings, s)
    }

    pub fn statement(&self, i: u32) -> &'a Statement {
        &self.module.statements[i as usize]
    }

    pub fn made(&self, v: Value) -> &Made {
        &self.lazy.made[v.0 as usize]
    }

    /// Whether a statement loads from where operands are read too: a parameter of the kernel (not of a function, and not
    /// the result of a call), or a constant of the module by its name.
    pub fn loads_parameter(&mut self, s: &Statement) -> bool {
        match self.meaning(s).action {
            Action::Load(Space::Param) if self.scan.snippet => true,
            Action::Load(Space::Param) => self.parameter(s).is_some(),
            Action::Load(Space::Const) => self.symbol(s).is_some(),
            _ => false,
        }
    }

    /// The name that a statement loads from: of an address behind the result, with its place among the operands.
    fn symbol(&self, s: &Statement) -> Option<u32> {
        let module = self.module;
        let end = s.operands + s.operand_count;
        let at = after(module, s.operands, end) + 1;
        (at < end && matches!(module.operands[at as usize].kind, OperandKind::Symbol(_))).then_some(at)
    }

    /// The kernel's parameter that a statement names behind its result: an index into [`Module::parameters`].
    fn parameter(&mut self, s: &Statement) -> Option<u32> {
        let module = self.module;
        let symbol = module.operands[self.symbol(s)? as usize];
        let name = |at: u32| module.parameters[at as usize].name.of(module.source);
        let parameters = self.lazy.parameters.get_or_insert_with(|| {
            let function = module.functions.iter().rfind(|f| f.statements.start == self.scan.first_statement);
            let function = function.filter(|f| f.kind == FunctionKind::Entry);
            let mut own: Vec<u32> = function.map_or(0..0, |f| f.parameters.clone()).collect();
            own.sort_by_key(|&at| name(at));
            own
        });
        let found = parameters.binary_search_by_key(&symbol.span.of(module.source), |&at| name(at)).ok()?;
        parameters.get(found).copied()
    }

    /// Where a statement loads from, counted from the kernel's first parameter, and the bits of each element.
    pub fn parameter_offset(&mut self, s: &Statement) -> Option<(u32, u32)> {
        let m = *self.meaning(s);
        let (Action::Load(Space::Param), Some(ty)) = (m.action, m.ty) else { return None };
        let parameter = self.parameter(s)?;
        let added = self.added(s, self.symbol(s)?)?;
        Some((self.module.parameters[parameter as usize].offset.wrapping_add(added), ty.bits()))
    }

    /// Where a statement loads from in the bank of the module's constants, and the bits of each element.
    pub fn constant_offset(&mut self, s: &Statement) -> Option<(u32, u32)> {
        let m = *self.meaning(s);
        let (Action::Load(Space::Const), Some(ty)) = (m.action, m.ty) else { return None };
        let symbol = self.symbol(s)?;
        let name = self.module.operands[symbol as usize].span.of(self.module.source);
        let offset = self.module.constants.get(name)?;
        Some((offset.wrapping_add(self.added(s, symbol)?), ty.bits()))
    }

    /// What an address adds to its name.
    fn added(&self, s: &Statement, symbol: u32) -> Option<u32> {
        let added = (symbol + 1 < s.operands + s.operand_count).then(|| constant(self.module, symbol + 1, |_| None));
        added.map_or(Some(0), |added| added.map(|bits| bits as u32))
    }

    /// What is loaded of the kernel's parameters, by offset.
    pub fn parameters(&mut self) -> &[Parameter] {
        if self.lazy.loads.is_none() {
            let mut found = Vec::new();
            let function = self.module.functions.iter().rfind(|f| f.statements.start == self.scan.first_statement);
            for s in function
                .map_or(&[][..], |f| &self.module.statements[f.statements.start as usize..f.statements.end as usize])
            {
                if s.kind != StatementKind::Instruction || !matches!(self.meaning(s).action, Action::Load(Space::Param))
                {
                    continue;
                }
                let Some((offset, bits)) = self.parameter_offset(s) else { continue };
                let (first, count) = match self.module.operands[s.operands as usize].kind {
                    OperandKind::Vector(count) => (s.operands + 1, u32::from(count)),
                    _ => (s.operands, 1),
                };
                for element in 0..count {
                    if let Some(value) = self.value(first + element) {
                        found.push(Parameter { offset: offset + element * bits / 8, bits, value });
                    }
                }
            }
            found.sort_by_key(|p| (p.offset, p.bits));
            self.lazy.loads = Some(found);
        }
        self.lazy.loads.as_deref().unwrap_or_default()
    }

    /// The value that an operand reads or writes, as it stands there.
    pub fn own_value(&mut self, operand: u32) -> Option<Value> {
        let at = operand.wrapping_sub(self.scan.occurrences.first_operand) as usize;
        if let Some(&known) = self.lazy.values.get(at)
            && known != NONE
        {
            return Some(Value(known));
        }
        let OperandKind::Register(r) = self.module.operands.get(operand as usize)?.kind else { return None };
        self.find(r);
        self.lazy.values.get(at).copied().filter(|&v| v != NONE).map(Value)
    }

    /// The value that an operand reads or writes; what a twin made is read from the first.
    pub fn value(&mut self, operand: u32) -> Option<Value> {
        let value = self.own_value(operand)?;
        let made = self.made(value);
        Some(if made.twin != NONE && made.operand != operand { Value(made.twin) } else { value })
    }

    /// The value that the guard of a statement reads.
    pub fn guard(&mut self, r: RegId, statement: u32) -> Option<Value> {
        self.find(r);
        self.lazy.guards.get(&statement).copied().map(Value)
    }

    /// Finds the values of a register and who reads which.
    fn find(&mut self, r: RegId) {
        let register = r.0.wrapping_sub(self.scan.occurrences.first_register);
        match self.lazy.registers.get_mut(register as usize) {
            Some(state) if !state.found => state.found = true,
            _ => return,
        }
        // most registers are written once, and guard nothing
        if self.find_one(r, register) {
            return;
        }
        let mut chain = std::mem::take(&mut self.lazy.chain);
        self.scan.occurrences(self.module, r, &mut chain);
        self.find_many(register, &chain);
        self.lazy.chain = chain;
    }

    /// The value of a register that is written once at most and guards nothing; `false` if it is another one.
    fn find_one(&mut self, r: RegId, register: u32) -> bool {
        let (module, scan) = (self.module, self.scan);
        let (mut operand, guard) = scan.occurrences.last(r);
        if guard != NONE {
            return false;
        }
        let start = self.lazy.reads.len();
        let mut written = None;
        while operand != NONE {
            let (s, statement) = scan.occurrences.statement(module, operand);
            let results = scan.results_end(module, s);
            if operand >= results {
                if !scan.is_irreflexive(module, s, results) {
                    self.lazy.reads.push(UseSite { statement, operand });
                }
            } else if written
                .replace(Occurrence { operand, statement, element: element(s, operand), written: true })
                .is_some()
            {
                self.lazy.reads.truncate(start);
                return false;
            }
            operand = scan.occurrences.before(operand);
        }
        let Some(written) = written else {
            self.lazy.reads.truncate(start);
            return true;
        };
        let value = self.lazy.made.len() as u32;
        self.make(register, &written, NONE);
        let Lazy { reads, values, made, .. } = &mut *self.lazy;
        reads[start..].reverse();
        for site in &reads[start..] {
            values[(site.operand - scan.occurrences.first_operand) as usize] = value;
        }
        made[value as usize].reads = start as u32..reads.len() as u32;
        true
    }

    /// As [`Self::find_one`], of any register.
    fn find_many(&mut self, register: u32, chain: &[Occurrence]) {
        let mut found = std::mem::take(&mut self.lazy.found);
        found.clear();
        let (mut value, mut of) = (NONE, NONE);
        let wants = self.lazy.wants.len() as u32;
        let (mut block, mut until) = (0, self.scan.first_statement);
        for o in chain {
            if o.statement >= until {
                (block, until) = self.scan.block_and_end(o.statement);
            }
            if !o.written {
                if of == block && value != NONE {
                    let site = UseSite { statement: o.statement, operand: o.operand };
                    found.push((value, site));
                    self.connect(site, value);
                } else {
                    self.lazy.wants.push(o.statement);
                }
                continue;
            }
            let statement = self.statement(o.statement);
            let guarded = statement.guard.is_some();
            if guarded {
                // The old value may stay: it is read, in a way that nothing is known of.
                if of == block && value != NONE {
                    found.push((value, UseSite { statement: o.statement, operand: NONE }));
                }
                self.lazy.wants.push(o.statement);
            }
            if let Some(before) = self.lazy.made.get_mut(value as usize) {
                // What the block leaves behind may be read by another.
                before.open |= of != block;
                before.kept_by = if guarded && o.operand == statement.operands { o.statement } else { NONE };
            }
            let new = self.lazy.made.len() as u32;
            self.make(register, o, value);
            (value, of) = (new, block);
        }
        if let Some(last) = self.lazy.made.get_mut(value as usize) {
            last.open = true;
        }
        self.lazy.registers[register as usize].wants = wants..self.lazy.wants.len() as u32;
        // those of one value stand together, in source order
        found.sort_by_key(|f| f.0);
        for group in found.chunk_by(|a, b| a.0 == b.0) {
            let start = self.lazy.reads.len() as u32;
            self.lazy.reads.extend(group.iter().map(|f| f.1));
            self.lazy.made[group[0].0 as usize].reads = start..self.lazy.reads.len() as u32;
        }
        self.lazy.found = found;
    }

    fn make(&mut self, register: u32, o: &Occurrence, before: u32) {
        let value = self.lazy.made.len() as u32;
        self.lazy.values[(o.operand - self.scan.occurrences.first_operand) as usize] = value;
        self.lazy.made.push(Made {
            statement: o.statement,
            element: o.element,
            register,
            operand: o.operand,
            open: false,
            before,
            kept_by: NONE,
            twin: NONE,
            like: NONE,
            reads: 0..0,
            uses: None,
            known: None,
            number: 0,
        });
    }

    /// Notes that a place reads a value.
    fn connect(&mut self, site: UseSite, value: u32) {
        match site.operand {
            NONE => drop(self.lazy.guards.insert(site.statement, value)),
            operand => self.lazy.values[(operand - self.scan.occurrences.first_operand) as usize] = value,
        }
    }

    /// Whether a read somewhere may see the value without being known.
    pub fn escapes(&mut self, v: Value) -> bool {
        let made = self.made(v);
        made.open && self.is_wanted(made.register)
    }

    /// The statements that want some value of a register: indices into [`Lazy::wants`].
    pub fn wants(&self, register: u32) -> Range<u32> {
        self.lazy.registers[register as usize].wants.clone()
    }

    /// Whether the statement is a conversion that an earlier one has done.
    pub fn is_twin(&self, statement: u32) -> bool {
        self.lazy.twin_statements.contains(&statement)
    }

    /// The places that read a value and its twins, in source order.
    fn all_reads(&self, v: Value) -> SmallVec<[UseSite; 4]> {
        let of = |v: u32| {
            let range = self.lazy.made[v as usize].reads.clone();
            &self.lazy.reads[range.start as usize..range.end as usize]
        };
        if self.made(v).twin != NONE {
            return SmallVec::new();
        }
        let mut all: SmallVec<[UseSite; 4]> = SmallVec::from_slice(of(v.0));
        if let Some(twins) = self.lazy.twins.get(&v.0) {
            twins.iter().for_each(|&twin| all.extend_from_slice(of(twin)));
            all.sort_by_key(|site| (site.statement, site.operand));
        }
        all
    }

    /// The uses of a value: indices into [`Lazy::uses`].
    pub fn uses(&mut self, v: Value) -> Range<u32> {
        if let Some(known) = &self.made(v).uses {
            return known.clone();
        }
        let all = self.all_reads(v);
        let start = self.lazy.uses.len() as u32;
        for site in all {
            if self.scan.snippet || self.is_live(site.statement) && !self.is_twin(site.statement) {
                self.lazy.uses.push(site);
            }
        }
        let range = start..self.lazy.uses.len() as u32;
        self.lazy.made[v.0 as usize].uses = Some(range.clone());
        range
    }

    /// The statements behind one that read a value as an operand, even in dead code.
    pub fn reads_after(&self, v: Value, statement: u32) -> SmallVec<[u32; 4]> {
        let reads = self.all_reads(v).into_iter().filter(|r| r.statement > statement && r.operand != NONE);
        reads.map(|r| r.statement).collect()
    }

    /// The statements that read a value itself, and none that is equal to it; dead code left out.
    pub fn read_by(&mut self, v: Value) -> SmallVec<[u32; 4]> {
        let reads = self.made(v).reads.clone();
        let statements = reads.map(|at| self.lazy.reads[at as usize].statement);
        let all: SmallVec<[u32; 4]> = statements.collect();
        all.into_iter().filter(|&at| self.scan.snippet || self.is_live(at)).collect()
    }

    /// What is known of a value's bits.
    pub fn known_value(&mut self, v: Value) -> Known {
        if let Some(known) = self.made(v).known {
            return known;
        }
        // What a value follows from stands before it: no value is waited for twice.
        let bottom = self.lazy.work.len();
        self.lazy.work.push(v.0);
        while let Some(&top) = self.lazy.work[bottom..].last() {
            if self.lazy.made[top as usize].known.is_some() || !self.wait_for_sources(Value(top)) {
                let known = self.lazy.made[top as usize].known;
                let known = known.unwrap_or_else(|| facts::of_value(self, Value(top)));
                self.lazy.made[top as usize].known = Some(known);
                self.lazy.work.pop();
            }
        }
        self.made(v).known.unwrap_or(Known::NOTHING)
    }

    /// Puts the unknown values that a value follows from on the list; `false` where there are none.
    fn wait_for_sources(&mut self, v: Value) -> bool {
        let made = self.made(v).statement;
        let s = self.statement(made);
        if !facts::follows(self.meaning(s)) || s.guard.is_some() {
            return false;
        }
        let before = self.lazy.work.len();
        for at in self.scan.results_end(self.module, s)..s.operands + s.operand_count {
            if let Some(source) = self.value(at)
                && self.made(source).known.is_none()
                && self.made(source).statement < made
            {
                self.lazy.work.push(source.0);
            }
        }
        self.lazy.work.len() > before
    }

    /// What is known of the bits that an operand of a statement reads, by the statements before it.
    pub fn known_before(&self, operand: u32, statement: u32) -> Known {
        let value = self.lazy.values.get(operand.wrapping_sub(self.scan.occurrences.first_operand) as usize).copied();
        let Some(made) = self.lazy.made.get(value.unwrap_or(NONE) as usize) else { return Known::NOTHING };
        let made = self.lazy.made.get(made.twin as usize).unwrap_or(made);
        made.known.filter(|_| made.statement < statement).unwrap_or(Known::NOTHING)
    }
}
