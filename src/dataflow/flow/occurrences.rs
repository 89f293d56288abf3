//! Where each register of a function occurs: chains through its operands and guards, from the last place to the first.

use super::NONE;
use crate::ptx::{Function, Module, OperandKind, RegId, Statement};

/// One place where a register is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occurrence {
    /// Index into [`Module::operands`]; `NONE` for a guard.
    pub operand: u32,
    /// Index into [`Module::statements`].
    pub statement: u32,
    /// Which element of the result it is.
    pub element: u16,
    /// It is written.
    pub written: bool,
}

/// One in so many operands has its statement noted; the others' are found from there.
const STEP: u32 = 8;

/// The chains of one function.
#[derive(Debug, Default)]
pub struct Occurrences {
    pub first_operand: u32,
    pub first_register: u32,
    /// For each operand the one before it that is the same register.
    before: Vec<u32>,
    /// For each register the last operand that it is; behind them the last operand that is no register.
    last: Vec<u32>,
    /// The guards: the statement, and the guard before it of the same register.
    guards: Vec<(u32, u32)>,
    /// For each register its last guard; empty where there is no guard.
    last_guard: Vec<u32>,
    /// The statement of every [`STEP`]th operand.
    statements: Vec<u32>,
}

impl Occurrences {
    /// Forgets everything, and follows the registers through a function's operands.
    pub fn follow(&mut self, module: &Module<'_>, function: &Function) {
        let statements = &module.statements[function.statements.start as usize..function.statements.end as usize];
        self.first_operand = statements.first().map_or(0, |s| s.operands);
        self.first_register = function.registers.start;
        let end = statements.last().map_or(0, |s| s.operands + s.operand_count);
        self.last.clear();
        let registers = function.registers.len();
        self.last.resize(registers + 1, NONE);
        self.guards.clear();
        self.last_guard.clear();
        self.statements.clear();
        self.before.clear();
        let operands = &module.operands[self.first_operand as usize..end.max(self.first_operand) as usize];
        // operands that are no registers are followed like those of one register: that is no branch to guess
        self.before.extend(operands.iter().zip(self.first_operand..).map(|(o, at)| {
            let register = match o.kind {
                OperandKind::Register(r) => r.0,
                _ => NONE,
            };
            let register = (register.wrapping_sub(self.first_register) as usize).min(registers);
            std::mem::replace(&mut self.last[register], at)
        }));
    }

    /// Notes a statement; they come in order.
    #[inline(always)]
    pub fn note(&mut self, s: &Statement, i: u32) {
        while (self.statements.len() as u32) * STEP < s.operands + s.operand_count - self.first_operand {
            self.statements.push(i);
        }
        if let Some(guard) = s.guard {
            self.note_guard(guard.register, i);
        }
    }

    fn note_guard(&mut self, r: RegId, statement: u32) {
        if self.last_guard.is_empty() {
            self.last_guard.resize(self.last.len(), NONE);
        }
        let last = &mut self.last_guard[(r.0 - self.first_register) as usize];
        let before = std::mem::replace(last, self.guards.len() as u32);
        self.guards.push((statement, before));
    }

    /// Number of operands.
    pub fn operands(&self) -> usize {
        self.before.len()
    }

    /// Number of registers.
    pub fn registers(&self) -> usize {
        self.last.len().saturating_sub(1)
    }

    /// The statement of an operand, with its index.
    pub fn statement<'m>(&self, module: &'m Module<'_>, operand: u32) -> (&'m Statement, u32) {
        let mut at = self.statements[((operand - self.first_operand) / STEP) as usize];
        loop {
            let s = &module.statements[at as usize];
            if operand < s.operands + s.operand_count {
                return (s, at);
            }
            at += 1;
        }
    }

    /// The last operand that a register is, or `NONE`, and its last guard, or `NONE`.
    pub fn last(&self, r: RegId) -> (u32, u32) {
        let at = r.0.wrapping_sub(self.first_register) as usize;
        let last = |of: &[u32]| of.get(at).copied().unwrap_or(NONE);
        if at >= self.registers() { (NONE, NONE) } else { (last(&self.last), last(&self.last_guard)) }
    }

    /// The operand before another one that is the same register, or `NONE`.
    pub fn before(&self, operand: u32) -> u32 {
        self.before[(operand - self.first_operand) as usize]
    }

    /// An operand, if it is one, and those before it that are the same register, from the last one back.
    pub fn from(&self, operand: u32) -> impl Iterator<Item = u32> + use<'_> {
        let some = |at: u32| (at != NONE).then_some(at);
        std::iter::successors(some(operand), move |&at| some(self.before(at)))
    }

    /// The statement of a guard, if it is one, and the guard before it of the same register, or `NONE`.
    pub fn guard(&self, at: u32) -> Option<(u32, u32)> {
        self.guards.get(at as usize).copied()
    }
}
