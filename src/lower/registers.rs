//! SASS registers for the PTX registers that take part in conversions.
//!
//! One linear scan over a function's conversions: a register is taken from a value's first appearance to its last
//! read, 64-bit values in even pairs. R1 is left out, the ABI's stack pointer. Numbers are not those that
//! ptxas gives, but they are consistent: two values that are needed at once have different registers.

use rustc_hash::FxHashMap;

use crate::dataflow::Flow;
use crate::ptx::{Module, OperandKind, RegId, Type};
use crate::sass::Reg;

/// The highest general register.
const LAST: usize = 254;

/// The assignment of one function.
#[derive(Debug, Default)]
pub struct Registers {
    map: FxHashMap<RegId, Reg>,
    /// For each register, the last statement that needs it, plus one; 0 where it is free.
    busy: Vec<u32>,
}

impl Registers {
    /// An empty assignment.
    pub fn new() -> Self {
        Registers { map: FxHashMap::default(), busy: vec![0; LAST + 1] }
    }

    /// An assignment of exactly these.
    pub fn of(pairs: &[(RegId, Reg)]) -> Self {
        let mut all = Registers::new();
        for &(r, reg) in pairs {
            all.map.insert(r, reg);
            for at in [reg.0, reg.high().0] {
                if let Some(b) = all.busy.get_mut(usize::from(at)) {
                    *b = u32::MAX;
                }
            }
        }
        all
    }

    /// Forget everything.
    pub fn clear(&mut self) {
        self.map.clear();
        self.busy.iter_mut().for_each(|b| *b = 0);
    }

    /// The register of a value; RZ where it has none.
    pub fn get(&self, r: RegId) -> Reg {
        self.map.get(&r).copied().unwrap_or(Reg::RZ)
    }

    /// Assign the registers that a statement names, and those that its sources are copies of.
    pub fn visit(&mut self, module: &Module<'_>, flow: &Flow, statement: u32) {
        let s = &module.statements[statement as usize];
        // Sources first, so that a result may not share a register with them.
        let end = s.operands + s.operand_count;
        for at in (s.operands + 1..end).chain(std::iter::once(s.operands)) {
            if at < end
                && let OperandKind::Register(r) = module.operands[at as usize].kind
            {
                self.assign(module, flow, r, statement);
                // What the source is a copy, a part or a sign change of is read in its stead.
                let mut at = at;
                for _ in 0..8 {
                    let Some(v) = flow.value(at).filter(|_| at != s.operands) else { break };
                    let (w, _, element) = flow.maker(module, v);
                    let Some(next) = flow.arguments(module, w).nth(1) else { break };
                    for o in w.operands + 1..w.operands + w.operand_count {
                        if let Some(r) = flow.register(module, o) {
                            self.assign(module, flow, r, statement);
                        }
                    }
                    at = match module.operands[next as usize].kind {
                        OperandKind::Vector(n) => next + 1 + u32::from(element.min(n.saturating_sub(1))),
                        _ => next,
                    };
                }
            }
        }
    }

    fn assign(&mut self, module: &Module<'_>, flow: &Flow, r: RegId, now: u32) {
        if self.map.contains_key(&r) {
            return;
        }
        let wide = module.registers[r.0 as usize].ty.is_some_and(|t: Type| t.bits() == 64);
        let last = flow.last(r).max(now);
        let reg = self.take(wide, now, last + 1);
        self.map.insert(r, reg);
    }

    fn take(&mut self, wide: bool, now: u32, until: u32) -> Reg {
        let (step, span) = if wide { (2, 2) } else { (1, 1) };
        let fits = |at: usize| at != 1 && (!wide || at + 1 <= LAST - 1) && at + span <= LAST + 1;
        let free = |busy: &[u32], at: usize| (at..at + span).all(|i| busy[i] <= now);
        let at = (0..=LAST)
            .step_by(step)
            .filter(|&at| fits(at) && !(wide && at == 0))
            .find(|&at| free(&self.busy, at))
            // All are taken: share the one that is free again first.
            .or_else(|| (2..LAST).step_by(step).filter(|&at| fits(at)).min_by_key(|&at| self.busy[at]))
            .unwrap_or(2);
        for b in &mut self.busy[at..at + span] {
            *b = until;
        }
        Reg(at as u8)
    }

    /// A register that is free at a statement, for an intermediate value; `nth` counts them.
    pub fn scratch(&self, statement: u32, nth: usize) -> Reg {
        let at = (2..LAST).step_by(2).filter(|&i| self.busy[i] <= statement && self.busy[i + 1] <= statement).nth(nth);
        Reg(at.unwrap_or(LAST - 2 - 2 * (nth % 8)) as u8)
    }
}
