//! What is done on every way to a statement: the blocks that dominate its block.
//!
//! The algorithm of Cooper, Harvey and Kennedy, over the blocks that [`super::scan`] found, when it is first asked for. It
//! is quick on the graphs of real functions; a bound on its steps keeps a hostile one linear, and leaves the question
//! open there.

use std::ops::Range;

use super::NONE;
use super::scan::Scan;
use crate::ptx::Module;

/// Steps that are taken for each block, before it is given up.
const STEPS: usize = 64;

/// The tree of the blocks under those that dominate them; blocks are numbered as [`Scan::block`] does.
#[derive(Debug, Default)]
pub struct Dominators {
    found: bool,
    /// The block nearest to each that dominates it; `NONE` where no way leads to a block.
    immediate: Vec<u32>,
    /// The place of each block in reverse postorder; `NONE` where no way leads to it.
    order: Vec<u32>,
    /// The places in the tree, parents first, of each block and all that it dominates; empty where nothing is known.
    places: Vec<Range<u32>>,
}

impl Dominators {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.found = false;
        self.immediate.clear();
        self.order.clear();
        self.places.clear();
    }

    /// Whether every way to the second block leads through the first.
    pub fn dominates(&mut self, module: &Module<'_>, scan: &Scan, first: u32, second: u32) -> bool {
        if first == 0 || first == second {
            return true;
        }
        if !self.found {
            self.found = true;
            if let Some(successors) = scan.successors(module) {
                self.work_out(&successors);
            }
        }
        self.is_under(first, second)
    }

    /// Whether every way to the second block leads through the first, as the tree says.
    pub fn is_under(&self, first: u32, second: u32) -> bool {
        match (self.places.get(first as usize), self.places.get(second as usize)) {
            (Some(all), Some(place)) => !place.is_empty() && all.contains(&place.start),
            _ => false,
        }
    }

    /// Builds the tree from what each block leads to.
    pub fn work_out(&mut self, successors: &[[u32; 2]]) {
        if let Some(reached) = self.find(successors) {
            self.number(&reached);
        }
    }

    /// Numbers the tree, of the blocks that are reached in their order.
    fn number(&mut self, reached: &[u32]) {
        let mut sizes = vec![0_u32; self.immediate.len()];
        for &block in reached.iter().rev() {
            sizes[block as usize] += 1;
            if block != 0 {
                sizes[self.immediate[block as usize] as usize] += sizes[block as usize];
            }
        }
        // where the next child of each block goes
        let mut next = vec![0_u32; sizes.len()];
        self.places.resize(sizes.len(), 0..0);
        for &block in reached {
            let size = sizes[block as usize];
            let parent = &mut next[self.immediate[block as usize] as usize];
            let start = *parent;
            *parent += size;
            self.places[block as usize] = start..start + size;
            next[block as usize] = start + 1;
        }
    }

    /// Finds the immediate dominators; returns the blocks that are reached, in reverse postorder. `None` where it takes too
    /// many steps.
    fn find(&mut self, successors: &[[u32; 2]]) -> Option<Vec<u32>> {
        let blocks = successors.len();
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
        // the predecessors of each block, those that come last in front: from there it is not far to what is common
        let mut predecessors = vec![Vec::new(); blocks];
        for &block in reversed.iter().rev() {
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
        Some(reversed)
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a way from the first block to the second one avoids another.
    fn avoids(successors: &[[u32; 2]], without: u32, to: u32) -> bool {
        let mut seen = vec![false; successors.len()];
        let mut stack = if without == 0 { vec![] } else { vec![0] };
        while let Some(block) = stack.pop() {
            if !std::mem::replace(&mut seen[block as usize], true) {
                stack.extend(successors[block as usize].iter().filter(|&&next| next != NONE && next != without));
            }
        }
        seen[to as usize]
    }

    #[test]
    fn a_block_dominates_what_no_way_around_it_leads_to() {
        let mut state = 1_u64;
        let mut random = |below: u32| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as u32 % below
        };
        for round in 0..400 {
            let blocks = 2 + round % 12;
            let successors: Vec<[u32; 2]> = (0..blocks)
                .map(|block| {
                    let next = if block + 1 < blocks && random(4) > 0 { block + 1 } else { NONE };
                    let jump = if random(2) > 0 { random(blocks) } else { NONE };
                    if next == NONE { [jump, NONE] } else { [next, jump] }
                })
                .collect();
            let mut dominators = Dominators::default();
            dominators.work_out(&successors);
            for first in 0..blocks {
                for second in 0..blocks {
                    let reached = avoids(&successors, NONE, second);
                    let expected = reached && (first == second || !avoids(&successors, first, second));
                    assert_eq!(dominators.is_under(first, second), expected, "{first} {second} {successors:?}");
                }
            }
        }
    }
}
