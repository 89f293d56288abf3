//! The tables of one function: its values, where each is made, where it is read, what is known of it.
//!
//! A value is one writing of a register. Within a basic block a read refers to the last writing before it; across
//! blocks it does so where the register is written only once. Any other read is of an unknown value, and the writings
//! that may reach it escape. So straight-line code that uses a register again is seen as what it is, without
//! building a control-flow graph.
//!
//! The buffers are kept from function to function, so that a file costs a handful of allocations.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ptx::{FunctionKind, Module, Operand, OperandKind, RegId, Statement, StatementKind, literal};

use super::facts::{self, Known};
use super::meaning::{Action, Meaning};
use super::pairs::{self, Pair};

mod live;
mod twins;

/// One writing of a register, numbered within the function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Value(u32);

impl Value {
    /// Its number.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

const NONE: u32 = u32::MAX;

/// One place that reads a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UseSite {
    /// Index into [`Module::statements`].
    pub statement: u32,
    /// Index into [`Module::operands`]; `u32::MAX` for a guard.
    pub operand: u32,
}

/// How a value is made.
#[derive(Debug, Clone, Copy)]
struct Made {
    /// Index into [`Module::statements`].
    statement: u32,
    /// Which element of a vector result.
    element: u16,
    /// An unknown read may see it.
    escapes: bool,
    /// The value that an earlier like conversion made already: this one.
    twin: u32,
}

/// What is kept of each register while the statements are walked.
#[derive(Debug, Clone, Copy)]
struct Slot {
    /// How many times the register is written.
    writes: u32,
    /// Its last value so far, or its only one.
    value: u32,
    /// The block of that writing.
    block: u32,
    /// Something that is needed reads it without knowing which value it gets.
    wanted: bool,
    /// The last statement that names the register.
    last: u32,
}

/// The tables, filled for one function at a time.
#[derive(Debug, Default)]
pub struct Flow {
    meanings: Vec<Meaning>,
    base: u32,
    snippet: bool,
    first_statement: u32,
    first_operand: u32,
    slots: Vec<Slot>,
    made: Vec<Made>,
    /// The value that each operand reads or writes, or none.
    values: Vec<u32>,
    /// The value that each statement's guard reads, or none; only for guarded statements.
    guards: Vec<(u32, u32)>,
    use_starts: Vec<u32>,
    uses: Vec<UseSite>,
    known: Vec<Known>,
    live: Vec<bool>,
    pairs: Vec<Option<Pair>>,
    /// Basic block of each statement, counted from the function's start.
    blocks: Vec<u32>,
    /// Index past the results of each statement; 0 where it is no instruction.
    ends: Vec<u32>,
    /// Loops: from the label that is jumped back to, to the jump.
    loops: Vec<(u32, u32)>,
    /// For each statement the start of the innermost loop around it, plus one; 0 where there is none. Empty without loops.
    loop_starts: Vec<u32>,
    labels: FxHashMap<u32, u32>,
    /// Names of labels that branches name.
    targets: FxHashSet<u32>,
    /// Some branch takes its target from a table: any label may be one.
    indirect: bool,
    /// Some statement of the function can make half of a pair.
    halves: bool,
    work: Vec<u32>,
    reads: Vec<(u32, UseSite)>,
    open: Vec<(u32, u32, u32)>,
    /// Conversions so far by number: the value and its place.
    conversions: FxHashMap<u64, (u32, u32, u32)>,
    /// By value, the number that equal values have in common; 0 where it is not worked out.
    numbers: Vec<u64>,
}

impl Flow {
    /// Fill the tables for one function of the module.
    pub fn analyse(&mut self, module: &Module<'_>, function: usize) {
        self.meanings.extend(module.opcodes[self.meanings.len()..].iter().map(Meaning::of));
        let f = &module.functions[function];
        let (first, last) = (f.statements.start, f.statements.end);
        let statements = &module.statements[first as usize..last as usize];
        self.base = f.registers.start;
        self.snippet = f.kind == FunctionKind::Snippet;
        self.first_statement = first;
        self.first_operand = statements.first().map_or(0, |s| s.operands);
        let last_operand = statements.iter().map(|s| s.operands + s.operand_count).max().unwrap_or(0);
        let empty = Slot { writes: 0, value: NONE, block: NONE, wanted: false, last: first };
        self.slots.clear();
        self.slots.resize(f.registers.len(), empty);
        self.values.clear();
        self.values.resize(last_operand.saturating_sub(self.first_operand) as usize, NONE);
        self.made.clear();
        self.reads.clear();
        self.open.clear();
        self.guards.clear();
        self.number_writes(module, first, last);
        self.find_loops(first, last);
        self.connect_reads(module, first, last);
        self.sort_reads();
        self.find_live(module, first, last);
        self.find_twins(module, first, last);
        self.drop_dead_reads();
        self.known.clear();
        self.known.resize(self.made.len(), Known::NOTHING);
        for i in first..last {
            let s = &module.statements[i as usize];
            if s.kind == StatementKind::Instruction {
                facts::record(self, module, s);
            }
        }
        let mut found = std::mem::take(&mut self.pairs);
        let halves = self.halves;
        pairs::find(self, module, if halves { first } else { last }, last, &mut found, self.made.len());
        self.pairs = found;
    }

    /// Give every writing its number, and find the blocks.
    fn number_writes(&mut self, module: &Module<'_>, first: u32, last: u32) {
        self.blocks.clear();
        self.ends.clear();
        self.halves = false;
        self.loops.clear();
        self.labels.clear();
        self.find_targets(module, first, last);
        let mut block = 0;
        for i in first..last {
            let s = &module.statements[i as usize];
            if let Some(name) = self.target(module, s) {
                block += 1;
                self.labels.insert(name, i);
            }
            self.blocks.push(block);
            if s.kind != StatementKind::Instruction {
                self.ends.push(0);
                continue;
            }
            self.halves |= self.meaning(s).half_kind.is_some();
            let end = self.results_end(module, s);
            self.ends.push(end);
            let mut element = 0;
            for o in s.operands..end {
                if let OperandKind::Register(r) = module.operands[o as usize].kind {
                    let value = self.made.len() as u32;
                    self.made.push(Made { statement: i, element, escapes: false, twin: NONE });
                    element += 1;
                    self.values[(o - self.first_operand) as usize] = value;
                    let slot = &mut self.slots[(r.0 - self.base) as usize];
                    slot.writes += 1;
                    slot.value = value;
                }
            }
            if matches!(self.meaning(s).action, Action::Branch | Action::Exit | Action::Call) {
                block += 1;
                if let Some(OperandKind::Symbol(name)) = module.operands.get(s.operands as usize).map(|o| o.kind)
                    && self.meaning(s).action == Action::Branch
                    && let Some(&label) = self.labels.get(&name.0)
                {
                    self.loops.push((label, i));
                }
            }
        }
    }

    /// Find the loop around each statement that begins last.
    fn find_loops(&mut self, first: u32, last: u32) {
        self.loop_starts.clear();
        if self.loops.is_empty() {
            return;
        }
        self.loops.sort_unstable();
        let mut open: Vec<(u32, u32)> = Vec::new();
        let mut loops = self.loops.iter().copied().peekable();
        for i in first..last {
            while let Some(next) = loops.next_if(|next| next.0 <= i) {
                open.push(next);
            }
            while open.last().is_some_and(|l| l.1 < i) {
                open.pop();
            }
            self.loop_starts.push(open.last().map_or(0, |l| l.0 + 1));
        }
    }

    /// Find the labels that are jumped to; the others, debuggers' marks, part no blocks.
    fn find_targets(&mut self, module: &Module<'_>, first: u32, last: u32) {
        self.targets.clear();
        self.indirect = false;
        for s in &module.statements[first as usize..last as usize] {
            if s.kind != StatementKind::Instruction || self.meaning(s).action != Action::Branch {
                continue;
            }
            for o in &module.operands[s.operands as usize..(s.operands + s.operand_count) as usize] {
                if let OperandKind::Symbol(name) = o.kind {
                    self.targets.insert(name.0);
                }
            }
            self.indirect |= s.operand_count != 1;
        }
    }

    /// The name of a label that something may jump to.
    fn target(&self, module: &Module<'_>, s: &Statement) -> Option<u32> {
        if s.kind != StatementKind::Label {
            return None;
        }
        match module.operands.get(s.operands as usize)?.kind {
            OperandKind::Symbol(name) if self.indirect || self.targets.contains(&name.0) => Some(name.0),
            _ => None,
        }
    }

    /// Find the value of every read.
    fn connect_reads(&mut self, module: &Module<'_>, first: u32, last: u32) {
        for i in first..last {
            let s = &module.statements[i as usize];
            if s.kind != StatementKind::Instruction {
                continue;
            }
            let block = self.blocks[(i - first) as usize];
            if let Some(g) = s.guard {
                let v = self.read(g.register, block, UseSite { statement: i, operand: NONE });
                self.guards.push((i, v));
            }
            let results = self.ends[(i - first) as usize];
            let known_result =
                self.meaning(s).irreflexive && same_operands(module, results, s.operands + s.operand_count);
            for o in results..s.operands + s.operand_count {
                if let OperandKind::Register(r) = module.operands[o as usize].kind {
                    if known_result {
                        continue;
                    }
                    let v = self.read(r, block, UseSite { statement: i, operand: o });
                    self.values[(o - self.first_operand) as usize] = v;
                }
            }
            for o in s.operands..results {
                if let OperandKind::Register(r) = module.operands[o as usize].kind {
                    let at = (r.0 - self.base) as usize;
                    if s.guard.is_some() && self.slots[at].writes > 1 {
                        // The old value may stay: it is read, in a way that nothing is known of.
                        self.read(r, block, UseSite { statement: i, operand: NONE });
                    }
                    let v = self.values[(o - self.first_operand) as usize];
                    let slot = &mut self.slots[at];
                    slot.last = slot.last.max(i);
                    if slot.writes > 1 {
                        // What the block leaves behind may be read by another.
                        if slot.block != NONE && slot.block != block && slot.value != NONE {
                            self.open.push((at as u32, slot.value, slot.block));
                        }
                        slot.value = v;
                        slot.block = block;
                    }
                }
            }
        }
        for (at, slot) in self.slots.iter().enumerate() {
            if slot.writes > 1 && slot.value != NONE {
                self.open.push((at as u32, slot.value, slot.block));
            }
        }
        self.open.sort_unstable();
    }

    #[inline]
    fn read(&mut self, r: RegId, block: u32, site: UseSite) -> u32 {
        let slot = &mut self.slots[(r.0 - self.base) as usize];
        slot.last = slot.last.max(site.statement);
        let value = match slot.writes {
            0 => NONE,
            1 => slot.value,
            _ if slot.block == block => slot.value,
            _ => NONE,
        };
        if value != NONE {
            self.reads.push((value, site));
        }
        value
    }

    /// Counting sort of the reads by value: those of one value stand together, in source order.
    fn sort_reads(&mut self) {
        let values = self.made.len();
        self.use_starts.clear();
        self.use_starts.resize(values + 1, 0);
        for &(v, _) in &self.reads {
            self.use_starts[v as usize + 1] += 1;
        }
        for v in 0..values {
            self.use_starts[v + 1] += self.use_starts[v];
        }
        self.uses.clear();
        self.uses.resize(self.reads.len(), UseSite { statement: 0, operand: 0 });
        self.work.clear();
        self.work.extend_from_slice(&self.use_starts[..values]);
        for &(v, site) in &self.reads {
            let at = &mut self.work[v as usize];
            self.uses[*at as usize] = site;
            *at += 1;
        }
    }

    /// Index past the results of a statement: they stand first.
    #[inline]
    fn results_end(&self, module: &Module<'_>, s: &Statement) -> u32 {
        let m = self.meaning(s);
        let writes = m.writes
            && s.operand_count > 0
            && (m.action != Action::Call || matches!(module.operands[s.operands as usize].kind, OperandKind::Group(_)));
        if writes { after(module, s.operands, s.operands + s.operand_count) } else { s.operands }
    }

    /// The indices of a statement's direct operands.
    pub fn arguments<'a>(&self, module: &'a Module<'_>, s: &Statement) -> impl Iterator<Item = u32> + use<'a> {
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
    pub fn meaning(&self, s: &Statement) -> &Meaning {
        &self.meanings[s.opcode.0 as usize]
    }

    /// Whether the function is a bare snippet, whose results are all wanted.
    pub fn snippet(&self) -> bool {
        self.snippet
    }

    /// The value that an operand reads or writes.
    #[inline]
    pub fn value(&self, operand: u32) -> Option<Value> {
        let v = *self.values.get(operand.wrapping_sub(self.first_operand) as usize)?;
        (v != NONE).then_some(Value(v))
    }

    /// The statement that makes a value (with its index), and which of its results it is.
    pub fn maker<'m>(&self, module: &'m Module<'_>, v: Value) -> (&'m Statement, u32, u16) {
        let m = self.made[v.0 as usize];
        (&module.statements[m.statement as usize], m.statement, m.element)
    }

    /// The value that a statement's guard reads.
    pub fn guard(&self, s: &Statement) -> Option<Value> {
        s.guard?;
        let made = self.value(s.operands)?;
        let i = self.made[made.index()].statement;
        let at = self.guards.binary_search_by_key(&i, |g| g.0).ok()?;
        (self.guards[at].1 != NONE).then_some(Value(self.guards[at].1))
    }

    /// The statement of an earlier like conversion that makes the same value.
    pub fn twin(&self, v: Value) -> Option<u32> {
        self.made.get(self.made[v.index()].twin as usize).map(|m| m.statement)
    }

    /// Whether a read somewhere may see the value without being known.
    pub fn escapes(&self, v: Value) -> bool {
        self.made[v.0 as usize].escapes
    }

    /// The pair that a conversion to half is part of.
    pub fn pair(&self, v: Value) -> Option<Pair> {
        self.pairs.get(v.index()).copied().flatten()
    }

    /// The places that read a value, in source order, dead code left out.
    pub fn uses(&self, v: Value) -> impl Iterator<Item = UseSite> + '_ {
        let range = self.use_starts[v.0 as usize] as usize..self.use_starts[v.0 as usize + 1] as usize;
        self.uses[range].iter().copied()
    }

    /// Whether a statement contributes to an effect.
    pub fn is_live(&self, statement: u32) -> bool {
        self.live[(statement - self.first_statement) as usize]
    }

    /// Basic block of a statement, counted from the function's start.
    pub fn block(&self, statement: u32) -> u32 {
        self.blocks[(statement - self.first_statement) as usize]
    }

    /// The last statement that names a register.
    pub fn last(&self, r: RegId) -> u32 {
        self.slots.get(r.0.wrapping_sub(self.base) as usize).map_or(0, |s| s.last)
    }

    /// Whether a statement is in a loop that another one before it is not in.
    pub fn loops_around(&self, inner: u32, outer: u32) -> bool {
        let innermost = self.loop_starts.get((inner - self.first_statement) as usize);
        innermost.is_some_and(|&start| start > outer + 1)
    }

    /// What is known of the bits that an operand reads.
    pub fn known(&self, operand: u32) -> Known {
        self.value(operand).map_or(Known::NOTHING, |v| self.known_value(v))
    }

    /// What is known of a value's bits.
    pub fn known_value(&self, v: Value) -> Known {
        self.known[v.0 as usize]
    }

    /// Note what is known of the value that an operand writes; under a guard the old one may stay.
    pub(super) fn learn(&mut self, s: &Statement, operand: u32, k: Known) {
        if let Some(v) = self.value(operand)
            && s.guard.is_none()
        {
            self.known[v.0 as usize] = k;
        }
    }

    /// The integer that an operand is, literal or register with a known constant.
    pub fn constant(&self, module: &Module<'_>, operand: u32) -> Option<u64> {
        let o: &Operand = module.operands.get(operand as usize)?;
        match o.kind {
            OperandKind::Integer => literal::integer(o.span.of(module.source)).map(|i| i.bits),
            OperandKind::Negated => self.constant(module, operand + 1).map(u64::wrapping_neg),
            OperandKind::Register(_) => self.known(operand).constant,
            _ => None,
        }
    }

    /// The register that an operand is.
    pub fn register(&self, module: &Module<'_>, operand: u32) -> Option<RegId> {
        match module.operands.get(operand as usize)?.kind {
            OperandKind::Register(r) => Some(r),
            _ => None,
        }
    }
}

/// A comparison of a register with itself.
fn same_operands(module: &Module<'_>, from: u32, to: u32) -> bool {
    match &module.operands[from as usize..to as usize] {
        [a, b] => a.kind == b.kind && matches!(a.kind, OperandKind::Register(_)),
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
