//! Small blocks that a branch jumps over: ptxas puts them under the branch's predicate before it looks for pairs of
//! conversions, which it looks for within blocks.

use crate::ptx::{OperandKind, Statement, StatementKind, Type};

use super::flow::{Flow, after};
use super::meaning::Action;

/// Instructions of SASS that such a block has at most, a jump at its end among them, where all threads of a warp go the
/// same way.
const MOST: u32 = 6;

/// The same where threads may go different ways.
const MOST_DIVERGENT: u32 = 8;

/// The same where a loop becomes one block by it.
const MOST_OF_LOOP: u32 = 20;

/// Statements of a block that are looked at.
const STATEMENTS: u32 = 48;

/// The largest offset of an address that an instruction takes, in bytes.
const OFFSET: u64 = 0x7f_ffff;

/// How many blocks are one at most, as far as they are looked at.
const JOINED: u32 = 64;

/// A 64-bit sum of words: two instructions and a carry.
const CARRIED: u32 = 3;

/// How a block is come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// A branch jumps over it.
    Skipped,
    /// The same, and it ends with a jump or an exit.
    Then,
    /// The block before it jumps over it.
    Else,
}

/// The blocks that ptxas has when small ones are under predicates: what is around them is one block then.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    /// The last block that was asked for, and the first of those that it is one with.
    last: Option<(u32, u32)>,
}

impl Blocks {
    /// The block of a statement that ptxas has it in, which is counted as the first of those that became it.
    pub(super) fn joined(&mut self, flow: &Flow<'_>, statement: u32) -> u32 {
        let block = flow.block(statement);
        match self.last {
            Some((last, joined)) if last == block => joined,
            _ => {
                let joined = flow.joined_block(statement);
                self.last = Some((block, joined));
                joined
            }
        }
    }
}

impl Flow<'_> {
    /// The first of the blocks that are one with the block of a statement.
    fn joined_block(&self, statement: u32) -> u32 {
        let mut block = statement;
        for _ in 0..JOINED {
            let (start, _) = self.block_bounds(block);
            let (mut at, mut ways) = (start, 0);
            while let Some(before) = self.last_instruction(at).filter(|&before| self.is_predicated(before)) {
                at = self.block_bounds(before).0;
                ways += 1;
            }
            // nothing else jumps there
            if ways == 0 || ways > 2 || self.jumps_to(start) != Some(1) {
                break;
            }
            let Some(before) = self.last_instruction(at) else { break };
            block = before;
        }
        self.block(block)
    }

    /// Whether a statement is in a block that ptxas puts under a predicate.
    pub(super) fn is_predicated(&self, statement: u32) -> bool {
        let (start, end) = self.block_bounds(statement);
        match self.place(start, end) {
            None => false,
            Some(Place::Skipped) => self.goes_on_at(end) && self.is_small((start, end), start, end),
            Some(Place::Then) => self.is_small((start, end), start, self.join(end)),
            Some(Place::Else) => self.then_of(start, end).is_some(),
        }
    }

    /// Where the first of two blocks begins and ends of which a branch takes one and ptxas makes one, if the other one is
    /// that which is given.
    fn then_of(&self, start: u32, end: u32) -> Option<(u32, u32)> {
        let then = self.block_bounds(self.last_instruction(start)?);
        let both = self.place(then.0, then.1) == Some(Place::Then) && self.is_small(then, then.0, end);
        (both && self.goes_on_at(end) && self.is_small((start, end), then.0, end)).then_some(then)
    }

    /// Find the conversions of one of two blocks that ptxas makes one of which the other one has the like.
    pub(super) fn find_twins_of_arms(&self) {
        let (conversions, _) = self.of_pairs();
        for &second in conversions {
            let (start, end) = self.block_bounds(second);
            if self.place(start, end) != Some(Place::Else) {
                continue;
            }
            let Some((start, end)) = self.then_of(start, end) else { continue };
            let first = conversions.partition_point(|&at| at < start);
            for &first in conversions[first..].iter().take_while(|&&at| at < end) {
                if self.make_twins(first, second) {
                    break;
                }
            }
        }
    }

    fn place(&self, start: u32, end: u32) -> Option<Place> {
        let statements = &self.module().statements;
        // the last block of a function has no end
        if end as usize > statements.len() {
            return None;
        }
        let before = &statements[self.last_instruction(start)? as usize];
        // between a jump and a label may be what is nowhere reached
        if self.first_instruction(self.target(before)?) != self.first_instruction(end) {
            return None;
        }
        let last = &statements[self.last_instruction(end).filter(|&at| at >= start)? as usize];
        let ends = match self.meaning(last).action {
            Action::Branch => self.target(last).is_some_and(|label| label >= end),
            Action::Exit => true,
            _ if before.guard.is_none() => return Some(Place::Else),
            _ => return Some(Place::Skipped),
        };
        (ends && last.guard.is_none() && before.guard.is_some()).then_some(Place::Then)
    }

    /// The last instruction before a place.
    fn last_instruction(&self, before: u32) -> Option<u32> {
        let statements = &self.module().statements;
        (0..before).rev().find(|&at| statements[at as usize].kind == StatementKind::Instruction)
    }

    /// The first instruction from a place on.
    fn first_instruction(&self, from: u32) -> Option<u32> {
        let statements = &self.module().statements;
        (from..statements.len() as u32).find(|&at| statements[at as usize].kind == StatementKind::Instruction)
    }

    /// Whether anything is done from a place on: a jump to where nothing is becomes an exit under the predicate.
    fn goes_on_at(&self, from: u32) -> bool {
        let first = self.first_instruction(from).map(|at| &self.module().statements[at as usize]);
        first.is_some_and(|s| self.meaning(s).action != Action::Exit)
    }

    /// Where what a block jumps to at its end begins.
    fn join(&self, end: u32) -> u32 {
        let last = self.last_instruction(end).map(|at| &self.module().statements[at as usize]);
        last.and_then(|s| self.target(s)).unwrap_or(end)
    }

    /// Whether all of a block can be put under a predicate, and is not more than ptxas does so with. The branch stands before
    /// `first`; the ways come together at `join`.
    fn is_small(&self, (start, end): (u32, u32), first: u32, join: u32) -> bool {
        if end - start > STATEMENTS {
            return false;
        }
        let mut all = 0;
        for s in &self.module().statements[start as usize..end as usize] {
            if s.kind == StatementKind::Instruction {
                let Some(instructions) = self.instructions(s, start) else { return false };
                all += instructions;
            }
        }
        let divergent = || self.last_instruction(first).is_some_and(|branch| self.is_divergent(branch));
        all <= MOST || all <= MOST_DIVERGENT && divergent() || all <= MOST_OF_LOOP && self.ends_loop(first, join)
    }

    /// Whether the ways of a branch come together at the end of a loop which has no other one, and no threads wait in.
    fn ends_loop(&self, first: u32, join: u32) -> bool {
        let statements = &self.module().statements;
        let of = |at: Option<u32>| at.map(|at| &statements[at as usize]);
        let (Some(branch), (_, end)) = (self.last_instruction(first), self.block_bounds(join)) else { return false };
        let (before, _) = self.block_bounds(branch);
        if end as usize > statements.len() {
            return false;
        }
        let Some(last) = of(self.last_instruction(end)).filter(|s| s.guard.is_some()) else { return false };
        let Some(head) = self.target(last).filter(|&head| head <= branch) else { return false };
        // what is skipped itself goes to the same place
        let skipped =
            of(self.last_instruction(before)).and_then(|s| self.target(s)).is_some_and(|label| label > branch);
        let parts = |&at: &u32| {
            let s = &statements[at as usize];
            s.kind == StatementKind::Instruction
                && (self.meaning(s).fences || at < branch && self.target(s).is_some_and(|label| label > at))
        };
        !skipped && !(head..end).any(|at| parts(&at))
    }

    /// About how many instructions a statement becomes; `None` if they cannot be under a predicate, or are too many.
    fn instructions(&self, s: &Statement, start: u32) -> Option<u32> {
        let m = self.meaning(s);
        let wide = m.ty.is_some_and(|t| t.bits() == 64);
        let own = match m.action {
            _ if m.calls || m.fences => return None,
            Action::Div | Action::Rem | Action::Call | Action::Sink => return None,
            Action::Effect if !m.shuffles => return None,
            Action::Store => {
                let end = s.operands + s.operand_count;
                let first = after(self.module(), s.operands, end);
                let element = |at: u32| {
                    matches!(self.module().operands[first as usize].kind, OperandKind::Vector(_))
                        && self.value(at).is_some_and(|v| self.maker(v).1 >= start)
                };
                // a number is put into a register, and what is made here for a vector into its place
                1 + (first..end)
                    .filter(|&at| self.register(at).is_none() && self.is_immediate(at) || element(at))
                    .count() as u32
            }
            Action::Load(_) if self.loads_parameter(s) => 0,
            Action::Cvta => 0,
            Action::Mov => u32::from(self.arguments(s).nth(1).is_some_and(|at| self.register(at).is_none())),
            Action::Cvt => {
                let (to, from) = (m.ty?, m.source?);
                let int = to.is_int() && from.is_int() && !m.sat;
                let taken = to.bits() == 64 || to.bits() <= from.bits();
                u32::from(!(int && taken))
            }
            Action::MulWide => u32::from(!self.is_summed(s)),
            Action::Shl if self.is_summed(s) && (wide || self.is_by_constant(s)) => 0,
            Action::Shl if wide => 2,
            Action::Mul | Action::Mad if wide => return None,
            Action::Add if wide => self.sum_instructions(s),
            Action::Pure if m.merges => CARRIED,
            _ if wide && m.ty.is_some_and(Type::is_int) => 2,
            _ => 1,
        };
        Some(own + if self.abilities().loads_parameters { self.parameters(s, start) } else { 0 })
    }

    fn is_by_constant(&self, s: &Statement) -> bool {
        self.arguments(s).nth(2).is_some_and(|by| self.constant(by).is_some())
    }

    /// Whether the one reader of a product or a shift is a sum, which it goes into.
    fn is_summed(&self, s: &Statement) -> bool {
        let sum = |s: &Statement| matches!(self.meaning(s).action, Action::Add | Action::Or);
        self.only_reader(s).is_some_and(|(_, reader)| sum(reader))
            && self.value(s.operands).is_some_and(|v| !self.escapes(v))
    }

    /// The instructions of a 64-bit sum.
    fn sum_instructions(&self, s: &Statement) -> u32 {
        let addends = || self.arguments(s).skip(1);
        if addends().any(|at| self.constant(at).is_some_and(|by| by <= OFFSET)) {
            return 0;
        }
        let product = addends().find_map(|at| {
            let (w, _, _) = self.maker(self.value(at)?);
            (self.meaning(w).action == Action::MulWide && self.is_summed(w)).then_some(w)
        });
        match product {
            // of a number and a parameter one is put into a register
            Some(w) => {
                let number = self.is_by_constant(w);
                1 + u32::from(number && !self.abilities().loads_parameters && addends().any(|at| self.is_fixed(at)))
            }
            None if self.abilities().sum_takes_sign => CARRIED,
            None => 1,
        }
    }

    /// The parameters of 64 bits that a statement is the first to read, which are loaded in its block; others are read in
    /// uniform registers.
    fn parameters(&self, s: &Statement, start: u32) -> u32 {
        let action = |i: u32| self.meaning(&self.module().statements[i as usize]).action;
        let loaded = |at: u32| {
            let Some(v) = self.value(at) else { return false };
            let (mut w, made, _) = self.maker(v);
            if action(made) == Action::Cvta
                && let Some(of) = self.arguments(w).nth(1).and_then(|at| self.value(at))
            {
                w = self.maker(of).0;
            }
            let first = self.uses(v).find(|site| !matches!(action(site.statement), Action::Cvta | Action::Mov));
            self.loads_parameter(w)
                && self.meaning(w).ty.is_some_and(|t| t.bits() == 64)
                && first.is_some_and(|site| site.operand == at && site.statement >= start)
        };
        (s.operands..s.operands + s.operand_count).filter(|&at| loaded(at)).count() as u32
    }
}
