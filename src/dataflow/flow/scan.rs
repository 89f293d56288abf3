//! The one pass over all statements of a function: where each register occurs, and which statements are of note.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::occurrences::{Occurrence, Occurrences};
use super::{NONE, after};
use crate::dataflow::meaning::{Action, Meaning};
use crate::ptx::{FunctionKind, Module, OperandKind, RegId, Statement, StatementKind};

/// What an opcode means for the pass, in bits.
type Role = u16;
/// It writes its first operand.
const WRITES: Role = 1;
/// A call, which writes its first operand if that is a group.
const CALL: Role = 2;
/// It ends a block.
const JUMP: Role = 4;
/// Of two like operands nothing is read.
const IRREFLEXIVE: Role = 8;
/// A conversion.
const CONVERSION: Role = 16;
/// It may put values side by side.
const PACKER: Role = 32;
/// ptxas calls a routine for it.
const ROUTINE: Role = 64;
/// It cannot be left out.
const EFFECT: Role = 128;
/// A branch.
const BRANCH: Role = 256;
/// Nothing behind it is done.
const LEAVES: Role = 512;
/// It may overwrite memory.
const OVERWRITES: Role = 1024;
/// ptxas parts a block there.
const PARTS: Role = 2048;
/// ptxas parts a block there if it is guarded.
const GUARDED_PARTS: Role = 4096;

/// Arithmetic of half precision, of which two can go into one instruction.
const HALF: Role = 8192;

/// It loads or stores a half of a word.
const HALFWORD: Role = 16384;

fn role(m: &Meaning) -> Role {
    let bit = |bit: Role, set: bool| if set { bit } else { 0 };
    bit(WRITES, m.writes)
        | bit(CALL, m.action == Action::Call)
        | bit(JUMP, matches!(m.action, Action::Branch | Action::Exit | Action::Call))
        | bit(IRREFLEXIVE, m.irreflexive)
        | bit(CONVERSION, m.action == Action::Cvt)
        | bit(PACKER, matches!(m.action, Action::Mov | Action::Store))
        | bit(ROUTINE, m.calls)
        | bit(EFFECT, m.effect)
        | bit(BRANCH, m.action == Action::Branch)
        | bit(OVERWRITES, m.overwrites.is_some())
        | bit(PARTS, m.parts)
        | bit(GUARDED_PARTS, m.parts_if_guarded())
        | bit(LEAVES, matches!(m.action, Action::Branch | Action::Exit))
        | bit(HALF, m.is_half_arithmetic())
        | bit(HALFWORD, m.reaches_halfword())
}

/// What the pass found.
#[derive(Debug, Default)]
pub struct Scan {
    roles: Vec<Role>,
    pub snippet: bool,
    pub first_statement: u32,
    pub occurrences: Occurrences,
    /// The first statement of each block but the first one, in order.
    bounds: Vec<u32>,
    /// Loops: from the label that is jumped back to, to the jump; in order.
    pub loops: Vec<(u32, u32)>,
    /// Conversions, in order.
    pub conversions: Vec<u32>,
    /// Copies and stores of more than one value, in order.
    pub packers: Vec<u32>,
    /// Arithmetic of half precision, in order.
    pub halves: Vec<u32>,
    /// Loads and stores of halves of words, in order.
    pub halfwords: Vec<u32>,
    /// Calls, and statements that ptxas calls a routine for, in order.
    pub calls: Vec<u32>,
    /// Statements that part a block: ptxas branches in or around them, or lets memory settle; in order.
    parting: Vec<u32>,
    /// What may overwrite memory, in order.
    pub overwriting: Vec<u32>,
    labels: Vec<u32>,
    jumps: Vec<u32>,
    places: FxHashMap<u32, u32>,
    /// A branch takes its target from a table.
    indirect: bool,
    /// How many branches name a label.
    targets: FxHashMap<u32, u32>,
}

impl Scan {
    /// Notes what the opcodes do that follow those that are known.
    pub fn learn(&mut self, meanings: &[Meaning]) {
        self.roles.extend(meanings[self.roles.len()..].iter().map(role));
    }

    /// Goes over a function.
    pub fn function(&mut self, module: &Module<'_>, function: usize) {
        let f = &module.functions[function];
        let statements = &module.statements[f.statements.start as usize..f.statements.end as usize];
        self.snippet = f.kind == FunctionKind::Snippet;
        self.first_statement = f.statements.start;
        for list in [
            &mut self.bounds,
            &mut self.conversions,
            &mut self.packers,
            &mut self.halves,
            &mut self.halfwords,
            &mut self.calls,
            &mut self.parting,
            &mut self.overwriting,
            &mut self.labels,
            &mut self.jumps,
        ] {
            list.clear();
        }
        self.loops.clear();
        self.occurrences.follow(module, f);
        for (s, i) in statements.iter().zip(f.statements.start..) {
            self.occurrences.note(s, i);
            match s.kind {
                StatementKind::Instruction => self.instruction(s, i),
                StatementKind::Label => self.labels.push(i),
                _ => {}
            }
        }
        self.find_blocks(module);
    }

    /// Whether something is called behind the first statement and up to the second.
    pub fn calls_between(&self, first: u32, second: u32) -> bool {
        self.calls.get(self.calls.partition_point(|&at| at <= first)).is_some_and(|&at| at <= second)
    }

    /// What parts a block behind the first statement and up to the second.
    pub fn parting(&self, first: u32, second: u32) -> impl Iterator<Item = u32> {
        let behind = self.parting.partition_point(|&at| at <= first);
        self.parting[behind..].iter().copied().take_while(move |&at| at <= second)
    }

    #[inline]
    fn instruction(&mut self, s: &Statement, i: u32) {
        let role = self.roles[s.opcode.0 as usize];
        if role & PARTS != 0 || s.guard.is_some() && role & GUARDED_PARTS != 0 {
            self.parting.push(i);
        }
        if role & (JUMP | CONVERSION | PACKER | ROUTINE | CALL | OVERWRITES | HALF | HALFWORD) != 0 {
            if role & OVERWRITES != 0 {
                self.overwriting.push(i);
            }
            if role & JUMP != 0 {
                self.jumps.push(i);
            }
            if role & CONVERSION != 0 {
                self.conversions.push(i);
            }
            if role & HALF != 0 {
                self.halves.push(i);
            }
            if role & HALFWORD != 0 {
                self.halfwords.push(i);
            }
            // a result or an address, a vector and two elements
            if role & PACKER != 0 && s.operand_count >= 4 {
                self.packers.push(i);
            }
            if role & (ROUTINE | CALL) != 0 {
                self.calls.push(i);
            }
        }
    }

    /// The places where a register occurs, in the order of the statements; in one, what is read comes before what is
    /// written. Nothing is read of two like operands where nothing of them matters.
    pub fn occurrences(&self, module: &Module<'_>, r: RegId, found: &mut Vec<Occurrence>) {
        found.clear();
        let (mut operand, mut guard) = self.occurrences.last(r);
        while operand != NONE {
            let (s, statement) = self.occurrences.statement(module, operand);
            while let Some((guarded, before)) = self.occurrences.guard(guard).filter(|g| g.0 > statement) {
                found.push(Occurrence { operand: NONE, statement: guarded, element: 0, written: false });
                guard = before;
            }
            let results = self.results_end(module, s);
            // backwards what is written comes first
            let mut read = operand;
            while operand != NONE && operand >= results {
                operand = self.occurrences.before(operand);
            }
            while operand != NONE && operand >= s.operands {
                found.push(Occurrence { operand, statement, element: element(s, operand), written: true });
                operand = self.occurrences.before(operand);
            }
            if !self.is_irreflexive(module, s, results) {
                while read != NONE && read >= results {
                    found.push(Occurrence { operand: read, statement, element: 0, written: false });
                    read = self.occurrences.before(read);
                }
            }
        }
        while let Some((guarded, before)) = self.occurrences.guard(guard) {
            found.push(Occurrence { operand: NONE, statement: guarded, element: 0, written: false });
            guard = before;
        }
        found.reverse();
    }

    /// Whether nothing of a statement's sources matters.
    #[inline]
    pub fn is_irreflexive(&self, module: &Module<'_>, s: &Statement, results: u32) -> bool {
        self.roles[s.opcode.0 as usize] & IRREFLEXIVE != 0
            && same_operands(module, results, s.operands + s.operand_count)
    }

    /// Index past the results of a statement: they stand first.
    #[inline]
    pub fn results_end(&self, module: &Module<'_>, s: &Statement) -> u32 {
        let role = self.roles[s.opcode.0 as usize];
        if role & (WRITES | CALL) == WRITES
            && s.operand_count > 0
            && matches!(module.operands[s.operands as usize].kind, OperandKind::Register(_))
        {
            return s.operands + 1;
        }
        let writes = role & WRITES != 0
            && s.operand_count > 0
            && (role & CALL == 0 || matches!(module.operands[s.operands as usize].kind, OperandKind::Group(_)));
        if writes { after(module, s.operands, s.operands + s.operand_count) } else { s.operands }
    }

    /// Whether an instruction does something besides its results.
    pub fn has_effect(&self, s: &Statement) -> bool {
        self.roles[s.opcode.0 as usize] & EFFECT != 0 || s.operand_count == 0
    }

    /// Finds the blocks and loops. Labels that nothing jumps to, debuggers' marks, part no blocks.
    fn find_blocks(&mut self, module: &Module<'_>) {
        let symbols = |i: u32| {
            let s = &module.statements[i as usize];
            module.operands[s.operands as usize..(s.operands + s.operand_count) as usize].iter().map(|o| o.kind)
        };
        let roles = &self.roles;
        let is_branch = |i: u32| roles[module.statements[i as usize].opcode.0 as usize] & BRANCH != 0;
        self.targets.clear();
        self.places.clear();
        // a branch may take its target from a table: any label may be one
        self.indirect = false;
        for &i in &self.jumps {
            if is_branch(i) {
                for kind in symbols(i) {
                    if let OperandKind::Symbol(name) = kind {
                        *self.targets.entry(name.0).or_default() += 1;
                    }
                }
                self.indirect |= module.statements[i as usize].operand_count != 1;
            }
        }
        let mut labels = self.labels.iter().copied().peekable();
        let jumps = std::mem::take(&mut self.jumps);
        for &jump in jumps.iter().chain(&[NONE]) {
            while let Some(label) = labels.next_if(|&label| label < jump) {
                let Some(OperandKind::Symbol(name)) = symbols(label).next() else { continue };
                if self.indirect || self.targets.contains_key(&name.0) {
                    self.bounds.push(label);
                    self.places.insert(name.0, label);
                }
            }
            if jump == NONE {
                break;
            }
            self.bounds.push(jump + 1);
            if let Some(OperandKind::Symbol(name)) = symbols(jump).next()
                && is_branch(jump)
                && let Some(&label) = self.places.get(&name.0)
            {
                self.loops.push((label, jump));
            }
        }
        self.jumps = jumps;
        self.loops.sort_unstable();
    }

    /// Number of blocks.
    pub fn blocks(&self) -> usize {
        self.bounds.len() + 1
    }

    /// The blocks that each block leads to, at most two; `None` where a table says so.
    pub fn successors(&self, module: &Module<'_>) -> Option<Vec<[u32; 2]>> {
        if self.indirect {
            return None;
        }
        let blocks = self.blocks() as u32;
        let next = |block: u32| if block + 1 < blocks { block + 1 } else { NONE };
        let mut successors: Vec<[u32; 2]> = (0..blocks).map(|block| [next(block), NONE]).collect();
        for &jump in &self.jumps {
            let s = &module.statements[jump as usize];
            let role = self.roles[s.opcode.0 as usize];
            let block = self.block(jump);
            let behind = if role & LEAVES != 0 && s.guard.is_none() { NONE } else { next(block) };
            let target = match module.operands[s.operands as usize..][..s.operand_count as usize] {
                [target] if role & BRANCH != 0 => match target.kind {
                    OperandKind::Symbol(name) => self.places.get(&name.0).map_or(NONE, |&label| self.block(label)),
                    _ => NONE,
                },
                _ => NONE,
            };
            successors[block as usize] = if behind == NONE { [target, NONE] } else { [behind, target] };
        }
        Some(successors)
    }

    /// The label that a branch jumps to.
    pub fn target(&self, module: &Module<'_>, s: &Statement) -> Option<u32> {
        match module.operands.get(s.operands as usize).filter(|_| s.operand_count == 1)?.kind {
            OperandKind::Symbol(name) => self.places.get(&name.0).copied(),
            _ => None,
        }
    }

    /// How many branches may jump to the labels at a place; `None` where a table says so.
    pub fn jumps_to(&self, module: &Module<'_>, place: u32) -> Option<u32> {
        let here = module.statements[place as usize..].iter().take_while(|s| s.kind != StatementKind::Instruction);
        let count = |s: &Statement| match module.operands.get(s.operands as usize).map(|o| o.kind) {
            Some(OperandKind::Symbol(name)) if s.kind == StatementKind::Label => self.targets.get(&name.0).copied(),
            _ => None,
        };
        (!self.indirect).then(|| here.filter_map(count).sum())
    }

    /// Basic block of a statement, counted from the function's start.
    pub fn block(&self, statement: u32) -> u32 {
        self.bounds.partition_point(|&first| first <= statement) as u32
    }

    /// Branches, exits and calls, in order.
    pub fn jumps(&self) -> &[u32] {
        &self.jumps
    }

    /// The first statement of a block, and the first one that is not in it; the last block has no end.
    pub fn bounds_of(&self, block: u32) -> Range<u32> {
        let bound = |at: Option<usize>, other: u32| at.and_then(|at| self.bounds.get(at)).copied().unwrap_or(other);
        bound((block as usize).checked_sub(1), self.first_statement)..bound(Some(block as usize), NONE)
    }

    /// The first statement of the block of a statement.
    pub fn block_start(&self, statement: u32) -> u32 {
        match self.block(statement) {
            0 => self.first_statement,
            block => self.bounds[block as usize - 1],
        }
    }

    /// Basic block of a statement, and the first statement that is not in it.
    pub fn block_and_end(&self, statement: u32) -> (u32, u32) {
        let block = self.block(statement);
        (block, self.bounds.get(block as usize).copied().unwrap_or(NONE))
    }

    /// The last statement that names a register in a way that matters.
    pub fn last(&self, module: &Module<'_>, r: RegId) -> u32 {
        let (mut operand, guard) = self.occurrences.last(r);
        let guarded = self.occurrences.guard(guard).map_or(self.first_statement, |g| g.0);
        while operand != NONE {
            let (s, statement) = self.occurrences.statement(module, operand);
            let results = self.results_end(module, s);
            if operand < results || !self.is_irreflexive(module, s, results) {
                return statement.max(guarded);
            }
            operand = self.occurrences.before(operand);
        }
        guarded
    }
}

/// Which element of a statement's result an operand is: in a vector or pair, which stands before its elements.
pub fn element(s: &Statement, operand: u32) -> u16 {
    (operand - s.operands).saturating_sub(1).try_into().unwrap_or(u16::MAX)
}

/// A comparison of a register with itself.
fn same_operands(module: &Module<'_>, from: u32, to: u32) -> bool {
    match &module.operands[from as usize..to as usize] {
        [a, b] => a.kind == b.kind && matches!(a.kind, OperandKind::Register(_)),
        _ => false,
    }
}
