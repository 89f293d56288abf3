//! What is done on every way to a statement: the blocks that dominate its block.
//!
//! The algorithm of Cooper, Harvey and Kennedy, over the blocks that [`super::scan`] found, when it is first asked for. It
//! is quick on the graphs of real functions; a bound on its steps keeps a hostile one linear, and leaves the question
//! open there.

use super::NONE;
use super::scan::Scan;
use crate::ptx::Module;

/// Steps that are taken for each block, before it is given up.
const STEPS: usize = 64;

/// The dominator of each block that is nearest to it; blocks are numbered as [`Scan::block`] does.
#[derive(Debug, Default)]
pub struct Dominators {
    found: bool,
    /// `NONE` where no way leads to a block, or nothing is known.
    immediate: Vec<u32>,
    /// The place of each block in reverse postorder; `NONE` where no way leads to it.
    order: Vec<u32>,
}

impl Dominators {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.found = false;
        self.immediate.clear();
        self.order.clear();
    }

    /// Whether every way to the second block leads through the first.
    pub fn dominates(&mut self, module: &Module<'_>, scan: &Scan, first: u32, second: u32) -> bool {
        if first == 0 || first == second {
            return true;
        }
        if !self.found {
            self.found = true;
            if self.find(module, scan).is_none() {
                self.immediate.clear();
            }
        }
        let rank = |block: u32| self.order.get(block as usize).copied().filter(|&rank| rank != NONE);
        let Some(goal) = rank(first) else { return false };
        let mut at = second;
        while rank(at).is_some_and(|rank| rank > goal) {
            match self.immediate.get(at as usize) {
                Some(&next) if next != NONE => at = next,
                _ => return false,
            }
        }
        at == first
    }

    /// `None` where it takes too many steps, or jumps go where tables say.
    fn find(&mut self, module: &Module<'_>, scan: &Scan) -> Option<()> {
        let blocks = scan.blocks();
        let successors = scan.successors(module)?;
        self.immediate.resize(blocks, NONE);
        self.order.resize(blocks, NONE);
        // depth first, blocks behind all that they lead to
        let mut reversed: Vec<u32> = Vec::new();
        let mut seen = vec![false; blocks];
        let mut stack = vec![(0_u32, 0_usize)];
        seen[0] = true;
        while let Some((block, next)) = stack.pop() {
            match successors[block as usize].get(next).copied().filter(|&to| to != NONE) {
                Some(to) => {
                    stack.push((block, next + 1));
                    if !std::mem::replace(&mut seen[to as usize], true) {
                        stack.push((to, 0));
                    }
                }
                None => reversed.push(block),
            }
        }
        reversed.reverse();
        for (&block, rank) in reversed.iter().zip(0..) {
            self.order[block as usize] = rank;
        }
        // the predecessors of each block, those that come first in front
        let mut predecessors = vec![Vec::new(); blocks];
        for &block in &reversed {
            for &to in successors[block as usize].iter().filter(|&&to| to != NONE) {
                predecessors[to as usize].push(block);
            }
        }
        self.immediate[0] = 0;
        let mut steps = STEPS * blocks;
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for &block in &reversed[1..] {
                let mut dominator = NONE;
                for &from in &predecessors[block as usize] {
                    steps = steps.checked_sub(1)?;
                    if self.immediate[from as usize] != NONE {
                        dominator = match dominator {
                            NONE => from,
                            other => self.common(from, other, &mut steps)?,
                        };
                    }
                }
                if self.immediate[block as usize] != dominator {
                    self.immediate[block as usize] = dominator;
                    changed = true;
                }
            }
        }
        Some(())
    }

    /// The nearest block that dominates both.
    fn common(&self, mut a: u32, mut b: u32, steps: &mut usize) -> Option<u32> {
        while a != b {
            *steps = steps.checked_sub(1)?;
            if self.order[a as usize] > self.order[b as usize] {
                a = self.immediate[a as usize];
            } else {
                b = self.immediate[b as usize];
            }
        }
        Some(a)
    }
}
