//! The tables of one function: where each register is written, where it is read, what is known of it.
//!
//! The buffers are kept from function to function, so that a file costs a handful of allocations.

use crate::ptx::{Module, Opcode, Operand, OperandKind, RegId, Statement, StatementKind, literal};

use super::facts::{self, Known};
use super::meaning::{Action, Meaning};

/// Where a register is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Def {
    /// Nowhere in the function.
    None,
    /// By exactly one statement (its index in the module), as its `element`th result.
    One {
        /// Index into [`Module::statements`].
        statement: u32,
        /// Which element of a vector result.
        element: u16,
    },
    /// By several statements.
    Many,
}

/// One place that reads a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UseSite {
    /// Index into [`Module::statements`].
    pub statement: u32,
    /// Index into [`Module::operands`]; `u32::MAX` for a guard.
    pub operand: u32,
}

/// The tables, filled for one function at a time.
#[derive(Debug, Default)]
pub struct Flow {
    meanings: Vec<Meaning>,
    base: u32,
    snippet: bool,
    first_statement: u32,
    defs: Vec<Def>,
    use_starts: Vec<u32>,
    uses: Vec<UseSite>,
    known: Vec<Known>,
    live: Vec<bool>,
    /// Basic block of each statement, counted from the function's start.
    blocks: Vec<u32>,
    work: Vec<u32>,
    scratch: Vec<(u32, UseSite)>,
}

impl Flow {
    /// Tables for a module; its opcodes are read once.
    pub fn new(module: &Module<'_>) -> Flow {
        Flow { meanings: module.opcodes.iter().map(|o: &Opcode<'_>| Meaning::of(o)).collect(), ..Flow::default() }
    }

    /// Fill the tables for one function of the module.
    pub fn analyse(&mut self, module: &Module<'_>, function: usize) {
        let f = &module.functions[function];
        let (first, last) = (f.statements.start, f.statements.end);
        self.base = f.registers.start;
        self.snippet = f.kind == crate::ptx::FunctionKind::Snippet;
        self.first_statement = first;
        let registers = f.registers.len();
        self.defs.clear();
        self.defs.resize(registers, Def::None);
        self.use_starts.clear();
        self.use_starts.resize(registers + 1, 0);
        self.scratch.clear();
        self.blocks.clear();
        let mut block = 0;
        for i in first..last {
            let s = &module.statements[i as usize];
            if s.kind == StatementKind::Label {
                block += 1;
            }
            self.blocks.push(block);
            if s.kind == StatementKind::Instruction {
                self.record(module, i, s);
                if matches!(self.meaning(s).action, Action::Branch | Action::Exit | Action::Call) {
                    block += 1;
                }
            }
        }
        // Counting sort of the uses by register: reads of one register stand together, in source order.
        for &(r, _) in &self.scratch {
            self.use_starts[r as usize + 1] += 1;
        }
        for r in 0..registers {
            self.use_starts[r + 1] += self.use_starts[r];
        }
        self.uses.clear();
        self.uses.resize(self.scratch.len(), UseSite { statement: 0, operand: 0 });
        self.work.clear();
        self.work.extend_from_slice(&self.use_starts[..registers]);
        for &(r, site) in &self.scratch {
            let at = &mut self.work[r as usize];
            self.uses[*at as usize] = site;
            *at += 1;
        }
        self.find_live(module, first, last);
        self.known.clear();
        self.known.resize(registers, Known::NOTHING);
        for i in first..last {
            let s = &module.statements[i as usize];
            if s.kind == StatementKind::Instruction {
                facts::record(self, module, s);
            }
        }
    }

    fn record(&mut self, module: &Module<'_>, index: u32, s: &Statement) {
        if let Some(g) = s.guard {
            self.scratch.push((g.register.0 - self.base, UseSite { statement: index, operand: u32::MAX }));
        }
        let end = s.operands + s.operand_count;
        let mut i = s.operands;
        if self.writes_first(module, s) {
            let after = self.after(module, i, end);
            let mut element = 0;
            while i < after {
                if let OperandKind::Register(r) = module.operands[i as usize].kind {
                    let d = &mut self.defs[(r.0 - self.base) as usize];
                    *d = if *d == Def::None { Def::One { statement: index, element } } else { Def::Many };
                    element += 1;
                }
                i += 1;
            }
        }
        while i < end {
            if let OperandKind::Register(r) = module.operands[i as usize].kind {
                self.scratch.push((r.0 - self.base, UseSite { statement: index, operand: i }));
            }
            i += 1;
        }
    }

    /// Whether the first operand is a result.
    fn writes_first(&self, module: &Module<'_>, s: &Statement) -> bool {
        s.operand_count > 0
            && match self.meaning(s).action {
                Action::Store | Action::Sink | Action::Branch | Action::Exit => false,
                Action::Call => matches!(module.operands[s.operands as usize].kind, OperandKind::Group(_)),
                _ => true,
            }
    }

    /// Index past the operand at `i` and its children.
    pub fn after(&self, module: &Module<'_>, mut i: u32, end: u32) -> u32 {
        let mut pending = 1;
        while pending > 0 && i < end {
            pending += module.operands[i as usize].kind.children();
            pending -= 1;
            i += 1;
        }
        i
    }

    /// The indices of a statement's direct operands.
    pub fn arguments<'a>(&'a self, module: &'a Module<'_>, s: &Statement) -> impl Iterator<Item = u32> + 'a {
        let end = s.operands + s.operand_count;
        let mut i = s.operands;
        std::iter::from_fn(move || {
            (i < end).then(|| {
                let at = i;
                i = self.after(module, i, end);
                at
            })
        })
    }

    /// Mark what contributes to an effect; a linear work list over definitions.
    fn find_live(&mut self, module: &Module<'_>, first: u32, last: u32) {
        self.live.clear();
        self.live.resize((last - first) as usize, false);
        // Definitions of registers with several of them are found by a second table: statement lists by register.
        self.work.clear();
        for i in first..last {
            let s = &module.statements[i as usize];
            let root = s.kind == StatementKind::Instruction && {
                let m = self.meaning(s);
                matches!(m.action, Action::Store | Action::Sink | Action::Branch | Action::Exit | Action::Call | Action::Effect)
                    || m.volatile
                    || s.operand_count == 0
            };
            if root {
                self.live[(i - first) as usize] = true;
                self.work.push(i);
            }
        }
        // Registers written more than once keep all their writers alive: they are few, so they are simply roots
        // when anything at all reads them.
        for i in first..last {
            let s = &module.statements[i as usize];
            if s.kind != StatementKind::Instruction || self.live[(i - first) as usize] || !self.writes_first(module, s) {
                continue;
            }
            let end = self.after(module, s.operands, s.operands + s.operand_count);
            let many = (s.operands..end).any(|o| match module.operands[o as usize].kind {
                OperandKind::Register(r) => {
                    let r = r.0 - self.base;
                    self.defs[r as usize] == Def::Many && self.use_starts[r as usize + 1] > self.use_starts[r as usize]
                }
                _ => false,
            });
            if many {
                self.live[(i - first) as usize] = true;
                self.work.push(i);
            }
        }
        while let Some(i) = self.work.pop() {
            let s = &module.statements[i as usize];
            if let Some(g) = s.guard {
                self.keep(g.register, first);
            }
            let end = s.operands + s.operand_count;
            let from = if self.writes_first(module, s) { self.after(module, s.operands, end) } else { s.operands };
            for o in from..end {
                if let OperandKind::Register(r) = module.operands[o as usize].kind {
                    self.keep(r, first);
                }
            }
        }
    }

    fn keep(&mut self, r: RegId, first: u32) {
        if let Def::One { statement, .. } = self.defs[(r.0 - self.base) as usize] {
            let live = &mut self.live[(statement - first) as usize];
            if !*live {
                *live = true;
                self.work.push(statement);
            }
        }
    }

    /// What a statement's opcode does.
    pub fn meaning(&self, s: &Statement) -> &Meaning {
        &self.meanings[s.opcode.0 as usize]
    }

    /// Whether the function is a bare snippet, whose results are all wanted.
    pub fn snippet(&self) -> bool {
        self.snippet
    }

    /// Where a register is written.
    pub fn def(&self, r: RegId) -> Def {
        self.defs.get((r.0.wrapping_sub(self.base)) as usize).copied().unwrap_or(Def::None)
    }

    /// The one statement that writes a register, if it is one.
    pub fn writer<'m>(&self, module: &'m Module<'_>, r: RegId) -> Option<(&'m Statement, u32)> {
        match self.def(r) {
            Def::One { statement, .. } => Some((&module.statements[statement as usize], statement)),
            _ => None,
        }
    }

    /// The places that read a register, in source order, dead code left out.
    pub fn uses(&self, r: RegId) -> impl Iterator<Item = UseSite> + '_ {
        let r = (r.0 - self.base) as usize;
        let range = match (self.use_starts.get(r), self.use_starts.get(r + 1)) {
            (Some(&a), Some(&b)) => a as usize..b as usize,
            _ => 0..0,
        };
        self.uses[range].iter().copied().filter(|u| self.snippet || self.live[(u.statement - self.first_statement) as usize])
    }

    /// Whether a statement contributes to an effect.
    pub fn is_live(&self, statement: u32) -> bool {
        self.live[(statement - self.first_statement) as usize]
    }

    /// Basic block of a statement, counted from the function's start.
    pub fn block(&self, statement: u32) -> u32 {
        self.blocks[(statement - self.first_statement) as usize]
    }

    /// What is known of a register's bits.
    pub fn known(&self, r: RegId) -> Known {
        self.known.get((r.0.wrapping_sub(self.base)) as usize).copied().unwrap_or(Known::NOTHING)
    }

    /// Note what is known of a register; a register with several writers stays unknown.
    pub(super) fn learn(&mut self, r: RegId, k: Known) {
        let i = (r.0 - self.base) as usize;
        if matches!(self.defs[i], Def::One { .. }) {
            self.known[i] = k;
        }
    }

    /// The integer that an operand is, literal or register with a known constant.
    pub fn constant(&self, module: &Module<'_>, operand: u32) -> Option<u64> {
        let o: &Operand = module.operands.get(operand as usize)?;
        match o.kind {
            OperandKind::Integer => literal::integer(o.span.of(module.source)),
            OperandKind::Negated => self.constant(module, operand + 1).map(u64::wrapping_neg),
            OperandKind::Register(r) => self.known(r).constant,
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
