//! What is never come to: nothing leads there, or only a branch that does not go that way, as a branch before it on
//! the same predicate has shown.

use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::dataflow::meaning::Action;
use crate::dataflow::uses::READERS;
use crate::ptx::{RegId, StatementKind};

use super::NONE;
use super::dominators::Dominators;
use super::lazy::Work;

/// How often ways that are not gone are taken away.
const ROUNDS: usize = 8;

/// How many blocks are looked at that tell what a predicate is.
const TOLD: usize = 16;

/// The statements that are never come to.
#[derive(Debug, Default)]
pub struct Unreached {
    found: bool,
    /// In order.
    ranges: Vec<Range<u32>>,
}

impl Unreached {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.found = false;
        self.ranges.clear();
    }

    fn contains(&self, statement: u32) -> bool {
        let behind = self.ranges.partition_point(|range| range.start <= statement);
        behind > 0 && self.ranges[behind - 1].contains(&statement)
    }
}

/// A branch or an exit under a guard.
struct Branch {
    block: u32,
    predicate: RegId,
    negated: bool,
    /// The blocks that it leads to: where it does not jump, and where it does; `NONE` where that is no block.
    ways: [u32; 2],
    /// Whether either way is nothing but a statement that leaves, which goes under the predicate: so both ways are one
    /// block, and a loop that is behind it is not entered from here.
    leaves: bool,
}

impl Branch {
    /// What the predicate is where the branch jumps, or does not.
    fn value(&self, jumps: bool) -> bool {
        jumps != self.negated
    }
}

impl Work<'_> {
    /// Whether a statement is never come to.
    pub fn is_unreached(&mut self, statement: u32) -> bool {
        if !self.lazy.unreached.found {
            self.lazy.unreached.found = true;
            self.find_unreached();
        }
        self.lazy.unreached.contains(statement)
    }

    fn find_unreached(&mut self) {
        let scan = self.scan;
        if scan.snippet || scan.blocks() < 2 {
            return;
        }
        let Some(mut successors) = scan.successors(self.module) else { return };
        let branches = self.repeated_branches(&successors);
        let mut reached = reached_of(&successors);
        for _ in 0..ROUNDS {
            if !take_away(&mut successors, &branches, &reached) {
                break;
            }
            reached = reached_of(&successors);
        }
        let unreached = (0..).zip(&reached).filter(|(_, reached)| !**reached);
        self.lazy.unreached.ranges = unreached.map(|(block, _)| scan.bounds_of(block)).collect();
    }

    /// The branches of which several are on the same predicate, in order.
    fn repeated_branches(&mut self, successors: &[[u32; 2]]) -> Vec<Branch> {
        let scan = self.scan;
        let mut found = Vec::new();
        let mut counts: FxHashMap<RegId, u32> = FxHashMap::default();
        for &statement in scan.jumps() {
            let s = self.statement(statement);
            let Some(guard) = s.guard.filter(|_| self.meaning(s).action != Action::Call) else { continue };
            let (block, predicate) = (scan.block(statement), guard.register);
            // what leads back closes a loop, which stays one
            if successors[block as usize].iter().any(|&next| next <= block) {
                continue;
            }
            let ways = match successors[block as usize] {
                // nothing is behind the last block
                [target, NONE] if block as usize + 1 == scan.blocks() => [NONE, target],
                ways => ways,
            };
            let leaves = ways.iter().any(|&way| way == NONE || self.only_leaves(way, &successors[way as usize]));
            found.push(Branch { block, predicate, negated: guard.negated, ways, leaves });
            *counts.entry(predicate).or_default() += 1;
        }
        counts.retain(|&predicate, count| *count > 1 && self.is_written_once(predicate));
        found.retain(|branch| counts.contains_key(&branch.predicate));
        found
    }

    /// Whether a block is nothing but a statement that leaves the function.
    fn only_leaves(&self, block: u32, successors: &[u32; 2]) -> bool {
        let bounds = self.scan.bounds_of(block);
        let statements = self.module.statements.iter().take(bounds.end as usize).skip(bounds.start as usize);
        *successors == [NONE; 2] && statements.filter(|s| s.kind == StatementKind::Instruction).count() == 1
    }

    /// Whether one statement writes a register, outside of all loops, so that it is the same wherever that has been done.
    /// What is written in a loop ptxas does not follow.
    fn is_written_once(&mut self, r: RegId) -> bool {
        let (scan, module) = (self.scan, self.module);
        let mut writes = 0;
        let mut in_loop = false;
        for at in scan.occurrences.from(scan.occurrences.last(r).0).take(READERS) {
            let (s, statement) = scan.occurrences.statement(module, at);
            let written = self.meaning(s).writes && at < scan.results_end(module, s);
            writes += if written && s.guard.is_some() { 2 } else { u32::from(written) };
            in_loop |= written && self.lazy.loops.innermost(scan, statement).is_some();
        }
        writes == 1 && !in_loop
    }
}

/// The blocks that are come to.
fn reached_of(successors: &[[u32; 2]]) -> Vec<bool> {
    let mut reached = vec![false; successors.len()];
    let mut stack = vec![0];
    while let Some(block) = stack.pop() {
        if !std::mem::replace(&mut reached[block as usize], true) {
            stack.extend(successors[block as usize].iter().copied().filter(|&next| next != NONE));
        }
    }
    reached
}

/// Takes the ways away that branches do not go; whether there were any.
fn take_away(successors: &mut [[u32; 2]], branches: &[Branch], reached: &[bool]) -> bool {
    if branches.is_empty() {
        return false;
    }
    let mut dominators = Dominators::default();
    dominators.work_out(successors);
    // how many ways lead to each block, and whether one of them leads back
    let mut ways = vec![(0_u32, false); successors.len()];
    ways[0].0 = 1;
    for (block, next) in (0..).zip(&*successors).filter(|(block, _)| reached[*block as usize]) {
        for &next in next.iter().filter(|&&next| next != NONE) {
            let (ahead, back) = &mut ways[next as usize];
            *back |= dominators.is_under(next, block);
            *ahead += u32::from(!dominators.is_under(next, block));
        }
    }
    // the blocks that one way leads to, which tells what the predicate is
    let mut told: FxHashMap<RegId, Vec<(u32, bool)>> = FxHashMap::default();
    for branch in branches.iter().filter(|branch| reached[branch.block as usize]) {
        for (way, jumps) in branch.ways.into_iter().zip([false, true]) {
            let own = way != NONE
                && branch.ways[0] != branch.ways[1]
                && matches!(ways[way as usize], (1, back) if !back || branch.leaves);
            let told = told.entry(branch.predicate).or_default();
            if own && told.len() < TOLD {
                told.push((way, branch.value(jumps)));
            }
        }
    }
    let mut taken = false;
    for branch in branches.iter().filter(|branch| reached[branch.block as usize]) {
        let known = told[&branch.predicate].iter().find(|(block, _)| dominators.is_under(*block, branch.block));
        let Some(&(_, value)) = known else { continue };
        let way = branch.ways[usize::from(value == branch.value(true))];
        let only = [way, NONE];
        taken |= successors[branch.block as usize] != only;
        successors[branch.block as usize] = only;
    }
    taken
}
