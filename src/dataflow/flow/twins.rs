//! Conversions that are done twice: values are equal where they are computed alike of equal values.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use crate::dataflow::meaning::{Action, Space};
use crate::ptx::{Module, OperandKind, Statement, StatementKind};

use super::{Flow, Made, NONE, Value, after};

/// How far equal values are looked through; the bound keeps a hostile file linear.
const NUMBER_DEPTH: u32 = 16;

/// The value that an earlier conversion has made already.
fn earlier(made: &[Made], v: u32) -> u32 {
    match made.get(v as usize) {
        Some(m) if m.twin != NONE => m.twin,
        _ => v,
    }
}

/// Two numbers in one; the multiplier is that of splitmix64, whose low bits depend on all.
fn mix(a: u64, b: u64) -> u64 {
    let mut x = a.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ b.wrapping_add(0x7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (x ^ (x >> 31)) | 1
}

/// A special register that has the same value throughout a thread's life.
fn constant_special(name: &[u8]) -> bool {
    [&b"%tid"[..], b"%ntid", b"%ctaid", b"%nctaid", b"%laneid"].iter().any(|n| name.starts_with(n))
}

impl Flow {
    /// Find the conversions that an earlier one has done already: of the same source, on every way here. Those who
    /// read them read the earlier.
    pub(super) fn find_twins(&mut self, module: &Module<'_>, first: u32, last: u32) {
        self.conversions.clear();
        self.numbers.clear();
        // Without a label between, what comes first is done first.
        let (mut region, mut found) = (0, false);
        for i in first..last {
            let s = &module.statements[i as usize];
            if self.target(module, s).is_some() {
                region = self.blocks[(i - first) as usize];
            }
            // What nothing needs is left out before like values are found.
            if s.kind != StatementKind::Instruction
                || self.meaning(s).action != Action::Cvt
                || s.guard.is_some()
                || !self.snippet && !self.live[(i - first) as usize]
            {
                continue;
            }
            let Some(result) = self.value(s.operands) else { continue };
            if self.numbers.is_empty() {
                self.numbers.resize(self.made.len(), 0);
            }
            let number = self.number(module, result, NUMBER_DEPTH);
            match self.conversions.get(&number) {
                Some(&(value, at, earlier))
                    if earlier == region || self.blocks[(at - self.first_statement) as usize] == 0 =>
                {
                    self.made[result.index()].twin = value;
                    self.live[(i - first) as usize] = false;
                    found = true;
                }
                _ => {
                    self.conversions.insert(number, (result.0, i, region));
                }
            }
        }
        if !found {
            return;
        }
        for (v, _) in &mut self.reads {
            *v = earlier(&self.made, *v);
        }
        // Results keep their own values.
        for i in first..last {
            let s = &module.statements[i as usize];
            for o in self.ends[(i - first) as usize].max(s.operands)..s.operands + s.operand_count {
                let v = &mut self.values[(o - self.first_operand) as usize];
                *v = earlier(&self.made, *v);
            }
        }
        for (_, v) in &mut self.guards {
            *v = earlier(&self.made, *v);
        }
        self.sort_reads();
    }

    /// A number that equal values have in common: of the opcode that makes it and the numbers of what that reads.
    fn number(&mut self, module: &Module<'_>, v: Value, depth: u32) -> u64 {
        let known = self.numbers[v.index()];
        if known != 0 {
            return known;
        }
        let (s, _, element) = self.maker(module, v);
        let number = self.number_of(module, s, element, depth).unwrap_or(mix(1, u64::from(v.0)));
        self.numbers[v.index()] = number;
        number
    }

    fn number_of(&mut self, module: &Module<'_>, s: &Statement, element: u16, depth: u32) -> Option<u64> {
        let m = *self.meaning(s);
        let param = m.action == Action::Load(Space::Param);
        if depth == 0 || s.guard.is_some() || m.effect || matches!(m.action, Action::Load(_)) && !param {
            return None;
        }
        let end = s.operands + s.operand_count;
        let results = after(module, s.operands, end);
        if m.action == Action::Mov && results + 1 == end {
            let source = self.value(results);
            match (module.operands[s.operands as usize].kind, source) {
                // A copy is what it copies; an element of a packed word is what was packed.
                (OperandKind::Register(_), Some(source)) => return Some(self.number(module, source, depth - 1)),
                (OperandKind::Vector(count), Some(source)) => {
                    let (w, _, _) = self.maker(module, source);
                    let vector = after(module, w.operands, w.operands + w.operand_count);
                    if self.meaning(w).action == Action::Mov
                        && w.guard.is_none()
                        && module.operands.get(vector as usize).map(|o| o.kind) == Some(OperandKind::Vector(count))
                        && let Some(part) = self.value(vector + 1 + u32::from(element))
                    {
                        return Some(self.number(module, part, depth - 1));
                    }
                }
                _ => {}
            }
        }
        let mut number = mix(u64::from(s.opcode.0), u64::from(element));
        for at in results..end {
            let o = &module.operands[at as usize];
            let part = match o.kind {
                OperandKind::Register(_) => {
                    let source = self.value(at)?;
                    self.number(module, source, depth - 1)
                }
                OperandKind::Special(name) if constant_special(module.names[name.0 as usize]) => u64::from(name.0),
                OperandKind::Special(_) => return None,
                _ => {
                    let mut hash = FxHasher::default();
                    o.span.of(module.source).hash(&mut hash);
                    hash.finish()
                }
            };
            number = mix(number, part);
        }
        Some(number)
    }
}
