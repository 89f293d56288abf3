//! SASS registers for the PTX registers that take part in conversions.
//!
//! One linear scan over a function's conversions: a register is taken from a value's first appearance to its last
//! read, 64-bit values in even pairs. R1 is left out, the ABI's stack pointer. Numbers are not those that
//! ptxas gives, but they are consistent: two values that are needed at once have different registers.

use smallvec::SmallVec;

use crate::dataflow::Flow;
use crate::ptx::{Module, OperandKind, RegId, Type};
use crate::sass::Reg;

/// The highest general register.
const LAST: usize = 254;

/// The assignment of one function.
#[derive(Debug)]
pub struct Registers {
    /// By register; empty in an assignment of a few.
    map: Vec<Option<Reg>>,
    /// The registers that have one, in the order in which they got it.
    assigned: SmallVec<[(RegId, Reg); 4]>,
    /// For each register, the last statement that needs it, plus one; 0 where it is free.
    busy: [u32; LAST + 1],
    /// All below this one are taken up to the statement `expiry`: no need to look at them before.
    taken: usize,
    expiry: u32,
    /// How far back the sources of each statement were looked at, from there on.
    looked: Vec<u8>,
}

impl Default for Registers {
    fn default() -> Self {
        Self::new()
    }
}

impl Registers {
    /// An empty assignment.
    pub fn new() -> Self {
        Registers {
            map: Vec::new(),
            assigned: SmallVec::new(),
            busy: [0; LAST + 1],
            taken: 0,
            expiry: u32::MAX,
            looked: Vec::new(),
        }
    }

    /// An assignment of exactly these.
    pub fn of(pairs: &[(RegId, Reg)]) -> Self {
        let mut all = Registers::new();
        for &(r, reg) in pairs {
            all.assigned.push((r, reg));
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
        for (r, _) in self.assigned.drain(..) {
            if let Some(place) = self.map.get_mut(r.0 as usize) {
                *place = None;
            }
        }
        self.busy.fill(0);
        self.looked.clear();
        (self.taken, self.expiry) = (0, u32::MAX);
    }

    /// The register of a value; RZ where it has none.
    pub fn get(&self, r: RegId) -> Reg {
        if self.map.is_empty() {
            return self.assigned.iter().find(|a| a.0 == r).map_or(Reg::RZ, |a| a.1);
        }
        self.map.get(r.0 as usize).copied().flatten().unwrap_or(Reg::RZ)
    }

    /// Assign the registers that a statement names, and those that its sources are copies of.
    pub fn visit(&mut self, module: &Module<'_>, flow: &Flow<'_>, statement: u32) {
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
                for far in (1..=8).rev() {
                    let Some(v) = flow.value(at).filter(|_| at != s.operands) else { break };
                    let (w, made, element) = flow.maker(v);
                    let Some(next) = flow.arguments(w).nth(1) else { break };
                    let vector = matches!(module.operands[next as usize].kind, OperandKind::Vector(_));
                    if !vector && self.has_looked(flow, made, far) {
                        break;
                    }
                    for o in w.operands + 1..w.operands + w.operand_count {
                        if let Some(r) = flow.register(o) {
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

    /// Whether the sources of a statement were looked at so far back already; now they are.
    fn has_looked(&mut self, flow: &Flow<'_>, statement: u32, far: u8) -> bool {
        let at = (statement - flow.first_statement()) as usize;
        if self.looked.len() <= at {
            self.looked.resize(at + 1, 0);
        }
        let before = self.looked[at];
        self.looked[at] = before.max(far);
        before >= far
    }

    #[inline]
    fn assign(&mut self, module: &Module<'_>, flow: &Flow<'_>, r: RegId, now: u32) {
        if self.map.get(r.0 as usize).is_none_or(Option::is_none) {
            self.assign_anew(module, flow, r, now);
        }
    }

    fn assign_anew(&mut self, module: &Module<'_>, flow: &Flow<'_>, r: RegId, now: u32) {
        if self.map.len() < module.registers.len() {
            self.map.resize(module.registers.len(), None);
        }
        let wide = module.registers[r.0 as usize].ty.is_some_and(|t: Type| t.bits() == 64);
        // All results of a bare snippet are wanted to its end.
        let last = if flow.snippet() { u32::MAX - 1 } else { flow.last(r).max(now) };
        let reg = self.take(wide, now, last + 1);
        self.map[r.0 as usize] = Some(reg);
        self.assigned.push((r, reg));
    }

    fn take(&mut self, wide: bool, now: u32, until: u32) -> Reg {
        if now >= self.expiry {
            (self.taken, self.expiry) = (0, u32::MAX);
        }
        let span = if wide { 2 } else { 1 };
        let at = if wide { self.free_pair(now) } else { self.free(now, until) };
        let at = at
            // All are taken: share the one that is free again first.
            .or_else(|| (2..=LAST - span).step_by(span).min_by_key(|&at| self.busy[at]))
            .unwrap_or(2);
        self.busy[at..at + span].fill(until);
        Reg(at as u8)
    }

    /// The first register that is free, which is from now on taken.
    fn free(&mut self, now: u32, until: u32) -> Option<usize> {
        let mut free = None;
        for place in (self.taken..=LAST).filter(|&place| place != 1) {
            let busy = self.busy[place];
            if busy <= now {
                free = Some(place);
                break;
            }
            self.expiry = self.expiry.min(busy);
        }
        self.taken = free.map_or(LAST, |at| at + 1);
        self.expiry = self.expiry.min(until);
        free
    }

    /// The first pair that is free.
    fn free_pair(&self, now: u32) -> Option<usize> {
        let first = (self.taken / 2 * 2).max(2);
        (first..LAST - 1).step_by(2).find(|&place| self.busy[place] <= now && self.busy[place + 1] <= now)
    }

    /// A register that is free at a statement, for an intermediate value; `nth` counts them.
    pub fn scratch(&self, statement: u32, nth: usize) -> Reg {
        let at = (2..LAST).step_by(2).filter(|&i| self.busy[i] <= statement && self.busy[i + 1] <= statement).nth(nth);
        Reg(at.unwrap_or(LAST - 2 - 2 * (nth % 8)) as u8)
    }
}
