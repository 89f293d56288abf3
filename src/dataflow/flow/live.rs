//! What contributes to an effect; the rest is dead code.

use crate::ptx::{Module, OperandKind, RegId, Statement, StatementKind};

use super::{Flow, NONE, Value, after};

impl Flow {
    /// Mark what contributes to an effect: a linear work list from the effects back over the values.
    pub(super) fn find_live(&mut self, module: &Module<'_>, first: u32, last: u32) {
        self.live.clear();
        self.live.resize((last - first) as usize, false);
        self.work.clear();
        for i in first..last {
            let s = &module.statements[i as usize];
            if s.kind != StatementKind::Instruction {
                continue;
            }
            if self.meaning(s).effect || s.operand_count == 0 {
                self.live[(i - first) as usize] = true;
                self.work.push(i);
            }
        }
        while let Some(i) = self.work.pop() {
            let s = &module.statements[i as usize];
            if s.guard.is_some()
                && let Ok(at) = self.guards.binary_search_by_key(&i, |g| g.0)
            {
                self.keep(self.guards[at].1, s.guard.map(|g| g.register));
            }
            for o in self.ends[(i - first) as usize]..s.operands + s.operand_count {
                let v = self.values[(o - self.first_operand) as usize];
                if v != NONE {
                    self.keep(v, None);
                } else if let OperandKind::Register(r) = module.operands[o as usize].kind {
                    self.keep(NONE, Some(r));
                }
            }
            if s.guard.is_some() {
                self.keep_old(module, s);
            }
        }
    }

    /// Leaves the reads by dead code out, once for all: one value may have a hundred thousand of them.
    pub(super) fn drop_dead_reads(&mut self) {
        if self.snippet {
            return;
        }
        let (mut from, mut kept) = (0, 0);
        for v in 0..self.made.len() {
            let to = self.use_starts[v + 1] as usize;
            for at in from..to {
                let site = self.uses[at];
                if self.is_live(site.statement) {
                    self.uses[kept] = site;
                    kept += 1;
                }
            }
            from = to;
            self.use_starts[v + 1] = kept as u32;
        }
        self.uses.truncate(kept);
    }

    /// A guarded writing keeps what its register held before.
    fn keep_old(&mut self, module: &Module<'_>, s: &Statement) {
        if let Some(v) = self.before(module, s) {
            self.keep(v.0, None);
        }
        for o in s.operands..after(module, s.operands, s.operands + s.operand_count) {
            if let OperandKind::Register(r) = module.operands[o as usize].kind {
                self.keep(NONE, Some(r));
            }
        }
    }

    /// The writing, in source order, of a guarded statement's result register before it.
    pub fn before(&self, module: &Module<'_>, s: &Statement) -> Option<Value> {
        let OperandKind::Register(r) = module.operands.get(s.operands as usize)?.kind else { return None };
        if self.slots[(r.0 - self.base) as usize].writes < 2 {
            return None;
        }
        let here = self.values[(s.operands - self.first_operand) as usize];
        // The bound keeps a hostile file linear.
        (0..here).rev().take(64).map(Value).find(|&v| {
            let (w, _, _) = self.maker(module, v);
            (w.operands..w.operands + w.operand_count)
                .any(|at| module.operands[at as usize].kind == OperandKind::Register(r))
        })
    }

    /// Something that is needed reads a value; where that is not known, all that the register may hold.
    fn keep(&mut self, v: u32, register: Option<RegId>) {
        if let Some(made) = self.made.get(v as usize) {
            let live = &mut self.live[(made.statement - self.first_statement) as usize];
            if !*live {
                *live = true;
                self.work.push(made.statement);
            }
            return;
        }
        let Some(r) = register else { return };
        let at = r.0 - self.base;
        let slot = &mut self.slots[at as usize];
        if slot.writes < 2 || std::mem::replace(&mut slot.wanted, true) {
            return;
        }
        let mut n = self.open.partition_point(|o| o.0 < at);
        while let Some(&(_, value, _)) = self.open.get(n).filter(|o| o.0 == at) {
            self.made[value as usize].escapes = true;
            self.keep(value, None);
            n += 1;
        }
    }
}
