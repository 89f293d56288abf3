//! Conversions that are done twice: values are equal where they are computed alike of equal values.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::dataflow::meaning::{Action, Meaning};
use crate::ptx::{OperandKind, Statement, StatementKind, Type};

use super::lazy::Work;
use super::numbers::{DEPTH, NEAR, mix};
use super::{NONE, Value, after};

impl Work<'_> {
    /// Find the conversions that an earlier one has done already: of the same source, on every way here. Those who
    /// read them read the earlier.
    pub fn find_twins(&mut self) {
        let scan = self.scan;
        // One that is the only one that is made like it has no like.
        let looks: SmallVec<[u64; 8]> = scan.conversions.iter().map(|&i| self.look(self.statement(i))).collect();
        let mut several: FxHashMap<u64, bool> = FxHashMap::default();
        for &look in &looks {
            several.entry(look).and_modify(|several| *several = true).or_insert(false);
        }
        // By number: the value, its statement, and its width.
        let mut conversions: FxHashMap<u64, (Value, u32, u32)> = FxHashMap::default();
        let mut found: Vec<(Value, Value)> = Vec::new();
        for (&i, look) in scan.conversions.iter().zip(&looks) {
            let s = self.statement(i);
            let Some(result) = self.own_value(s.operands) else { continue };
            if self.made(result).reads.len() > 1 {
                self.find_twins_of_readers(result, result, &mut found);
            }
            // What nothing needs is left out before like values are found.
            if s.guard.is_some() || !several[look] || !scan.snippet && !self.is_live(i) {
                continue;
            }
            let bits = self.meaning(s).ty.map_or(0, Type::bits);
            let number = self.number(result, DEPTH);
            let joined = self.lazy.joined_numbers.contains(&number);
            let mut numbers: SmallVec<[u64; 2]> = SmallVec::from_slice(&[mix(number, self.filled(s))]);
            if self.loops_begun(i) {
                numbers.extend(self.name(s));
            }
            if let Some(&(before, at, _)) = conversions.get(&numbers[0]) {
                let first = self.made(before).like;
                self.lazy.made[result.0 as usize].like = if first == NONE { at } else { first };
            }
            let earlier = numbers.iter().find_map(|number| {
                let &(value, at, of) = conversions.get(number)?;
                // the low word of an extension is that to a word
                (of >= bits && self.is_done(at, i) && !(joined && self.loops_between(at, i))).then_some(value)
            });
            match earlier {
                Some(value) => {
                    // What is made of it is equal too.
                    self.lazy.made[result.0 as usize].number = self.made(value).number;
                    found.push((result, value));
                    self.lazy.twin_statements.insert(i);
                }
                None => conversions.extend(numbers.iter().map(|&number| (number, (result, i, bits)))),
            }
        }
        let mut next = 0;
        while let Some(&(twin, value)) = found.get(next) {
            next += 1;
            self.find_twins_of_readers(twin, value, &mut found);
            self.set_twin(twin, value);
        }
    }

    /// Finds conversions that saturate what an earlier one makes, and those that make what an earlier one saturates.
    pub fn find_begun(&mut self) {
        let scan = self.scan;
        if !scan.conversions.iter().any(|&i| self.meaning(self.statement(i)).unsaturated.is_some()) {
            return;
        }
        let mut seen: FxHashMap<u64, (Value, u32, bool)> = FxHashMap::default();
        for &i in &scan.conversions {
            let s = self.statement(i);
            let m = self.meaning(s);
            let end = s.operands + s.operand_count;
            let source = after(self.module, s.operands, end);
            let (Some(result), Some(of)) = (self.own_value(s.operands), self.own_value(source)) else { continue };
            let float = m.ty.is_some_and(Type::is_float) && source + 1 == end && s.guard.is_none();
            // what is half of a pair is done as one
            let paired = self.abilities.packs_halves && self.lazy.pairs.contains_key(&result);
            if !float || paired || self.saturates_at_once(m) || self.is_twin(i) || !scan.snippet && !self.is_live(i) {
                continue;
            }
            let of = self.copied(of);
            let number = mix(m.unsaturated.unwrap_or(m.kind), self.number(of, DEPTH));
            let saturates = m.unsaturated.is_some();
            match seen.get(&number) {
                Some(&(earlier, at, other)) if other != saturates && self.is_done(at, i) => {
                    self.lazy.begun.insert(result, earlier);
                }
                Some(_) => {}
                None => {
                    seen.insert(number, (result, i, saturates));
                }
            }
        }
    }

    /// Whether one instruction converts and saturates.
    fn saturates_at_once(&self, m: &Meaning) -> bool {
        let widens = m.ty == Some(Type::F32) && m.source == Some(Type::F16);
        self.abilities.halves_to_single && (widens || m.truncates_to_half())
    }

    fn set_twin(&mut self, twin: Value, value: Value) {
        self.lazy.made[twin.0 as usize].twin = value.0;
        self.lazy.twins.entry(value.0).or_default().push(twin.0);
    }

    /// Makes a conversion the twin of another one that ptxas has in the same block, if it does the same of the same.
    pub fn make_twins(&mut self, first: u32, second: u32) -> bool {
        let (s, twin) = (self.statement(first), self.statement(second));
        let bits = |s| self.meaning(s).ty.map_or(0, Type::bits);
        if s.guard.is_some()
            || twin.guard.is_some()
            || bits(s) < bits(twin)
            || self.is_twin(first)
            || self.is_twin(second)
        {
            return false;
        }
        let (Some(value), Some(result)) = (self.own_value(s.operands), self.own_value(twin.operands)) else {
            return false;
        };
        let numbers = [(value, s), (result, twin)].map(|(v, s)| mix(self.number(v, DEPTH), self.filled(s)));
        let live = self.scan.snippet || self.is_live(first) && self.is_live(second);
        if numbers[0] != numbers[1] || !live {
            return false;
        }
        self.lazy.twin_statements.insert(second);
        self.set_twin(result, value);
        true
    }

    /// Find what is made of a twin as it has been made of the value, or twice of the value itself: that is done twice too.
    fn find_twins_of_readers(&mut self, twin: Value, value: Value, found: &mut Vec<(Value, Value)>) {
        let of_twin = self.made_by_readers(twin);
        if of_twin.is_empty() {
            return;
        }
        let of_value = self.made_by_readers(value);
        for (result, second) in of_twin {
            for &(earlier, first) in &of_value {
                let kind = |i: u32| self.meaning(self.statement(i)).kind;
                if first >= second || kind(first) != kind(second) || self.is_twin(first) || self.is_twin(second) {
                    continue;
                }
                let number = self.number(result, DEPTH);
                if number == self.number(earlier, DEPTH)
                    && self.is_live(second)
                    && self.is_live(first)
                    && self.is_done(first, second)
                    && !(self.lazy.joined_numbers.contains(&number) && self.loops_between(first, second))
                {
                    found.push((result, earlier));
                    self.lazy.twin_statements.insert(second);
                    break;
                }
            }
        }
    }

    /// What conversions that do the same have in common without their sources being looked at closely.
    fn look(&mut self, s: &Statement) -> u64 {
        let (kind, source) = self.together(s);
        let Some(value) = self.own_value(source) else { return kind };
        let value = self.copied(value);
        mix(kind, self.kind_of(value))
    }

    /// What the statements that read a value, and do no more than make one of it, make of it: the value and the statement.
    fn made_by_readers(&mut self, v: Value) -> SmallVec<[(Value, u32); 4]> {
        let reads = self.made(v).reads.clone();
        let mut made = SmallVec::new();
        for at in reads.take(NEAR) {
            let i = self.lazy.reads[at as usize].statement;
            let s = self.statement(i);
            let m = self.meaning(s);
            let pure = m.writes && !m.effect && s.guard.is_none() && !matches!(m.action, Action::Load(_) | Action::Cvt);
            if pure
                && matches!(self.module.operands[s.operands as usize].kind, OperandKind::Register(_))
                && let Some(result) = self.own_value(s.operands)
            {
                made.push((result, i));
            }
        }
        made
    }

    /// Whether what a statement makes is there at a later one: it is on every way there, in no loop that has been left.
    /// Over a call ptxas keeps nothing that it can make anew.
    pub fn is_done(&mut self, first: u32, second: u32) -> bool {
        !self.scan.calls_between(first, second) && self.is_before(first, second)
    }

    /// Whether what is loaded for a statement is still there at a later one. Into a loop of several blocks ptxas takes none
    /// of it, nor past one, but loads it again.
    pub fn is_kept(&mut self, first: u32, second: u32) -> bool {
        first <= second
            && !self.scan.calls_between(first, second.saturating_sub(1))
            && self.dominates(first, second)
            && !self.leaves_counted_loop(first, second)
            && !self.begins_blocks_between(first, second)
            && !self.loops_over_blocks(first, second)
    }

    /// Whether a statement is on every way to a later one, and in no loop that has been left.
    fn is_before(&mut self, first: u32, second: u32) -> bool {
        let scan = self.scan;
        let left =
            |lazy: &mut super::lazy::Lazy| lazy.loops.innermost(scan, first).is_some_and(|(_, end)| end < second);
        (scan.block(first) == scan.block(second) || !left(self.lazy)) && self.dominates(first, second)
    }

    /// Whether a statement is in a loop of one block that a later one is behind, and that counts up to an equal number: it is
    /// unrolled into several loops, of which the last ones may not be gone through.
    fn leaves_counted_loop(&mut self, first: u32, second: u32) -> bool {
        let Some((start, end)) = self.lazy.loops.innermost(self.scan, first) else { return false };
        let statements = &self.module.statements[start as usize..end as usize];
        end < second
            && self.is_one_block(start, end)
            && statements.iter().rev().take(NEAR).any(|s| self.meaning(s).tests_equality)
            && statements.iter().rev().take(NEAR).all(|s| {
                let m = self.meaning(s);
                s.kind != StatementKind::Instruction || !m.effect || m.action == Action::Store
            })
    }

    /// Whether a statement is on every way to a later one.
    pub fn dominates(&mut self, first: u32, second: u32) -> bool {
        let scan = self.scan;
        self.lazy.dominators.dominates(self.module, scan, scan.block(first), scan.block(second))
    }

    /// Whether a statement is in a loop that begins behind another one before it: there a register may be written anew.
    fn loops_between(&mut self, first: u32, second: u32) -> bool {
        self.lazy.loops.innermost(self.scan, second).is_some_and(|(start, _)| start > first)
    }

    /// Whether a statement is in a loop of several blocks that begins behind another one.
    fn begins_blocks_between(&mut self, first: u32, second: u32) -> bool {
        let scan = self.scan;
        let mut place = second;
        for _ in 0..DEPTH {
            let Some((start, end)) = self.lazy.loops.innermost(scan, place).filter(|l| l.0 > first) else { break };
            if !self.is_one_block(start, end) {
                return true;
            }
            place = start - 1;
        }
        false
    }

    /// Whether a loop is one block: a way out right before the jump back parts none.
    pub fn is_one_block(&self, start: u32, end: u32) -> bool {
        let statements = &self.module.statements;
        let jumps = |at: u32, guarded: bool| {
            let s = &statements[at as usize];
            s.kind == StatementKind::Instruction
                && self.meaning(s).action == Action::Branch
                && s.guard.is_some() == guarded
        };
        let turned = end > start && jumps(end, false) && jumps(end - 1, true);
        self.scan.block(start) == self.scan.block(if turned { end - 1 } else { end })
    }

    /// Whether a loop of several blocks lies between two statements, on the way from the one to the other.
    fn loops_over_blocks(&self, first: u32, second: u32) -> bool {
        let (scan, statements) = (self.scan, &self.module.statements);
        let from = scan.loops.partition_point(|l| l.0 <= first);
        scan.loops[from..].iter().take_while(|l| l.0 < second).take(NEAR).any(|&(start, end)| {
            let behind = statements.get(end as usize + 1).filter(|s| s.guard.is_none());
            let leaves = behind.is_some_and(|s| match self.meaning(s).action {
                Action::Exit => true,
                Action::Branch => scan.target(self.module, s).is_some_and(|label| label > second),
                _ => false,
            });
            end < second && !self.is_one_block(start, end) && !leaves
        })
    }

    /// Whether an integer cut to a byte fills a half with it, which is done in another way than of a word.
    fn filled(&self, s: &Statement) -> u64 {
        let m = self.meaning(s);
        let cut = !m.sat && m.ty.is_some_and(|ty| ty.bits() == 8) && m.source.is_some_and(Type::is_int);
        match self.module.operands[s.operands as usize].kind {
            OperandKind::Register(r) if cut => {
                self.module.registers[r.0 as usize].ty.is_some_and(|ty| ty.bits() < 32).into()
            }
            _ => 0,
        }
    }

    /// A number that conversions of the same register have in common, whatever that is equal to. Of the first of equal
    /// values that says no more than the number.
    fn name(&mut self, s: &Statement) -> Option<u64> {
        let end = s.operands + s.operand_count;
        let source = after(self.module, s.operands, end);
        let value = self.own_value(source).filter(|_| source + 1 == end)?;
        let value = self.copied(value);
        if self.leads(value, self.made(value).number) {
            return None;
        }
        Some(mix(mix(mix(3, self.meaning(s).kind), u64::from(value.0)), self.filled(s)))
    }
}
