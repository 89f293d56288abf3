//! Conversions that are done twice: values are equal where they are computed alike of equal values.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};
use smallvec::SmallVec;

use crate::dataflow::meaning::Action;
use crate::ptx::{OperandKind, Statement, Type};

use super::lazy::Work;
use super::{Value, after};

/// How far equal values are looked through; the bound keeps a hostile file linear.
const NUMBER_DEPTH: u32 = 16;

/// How many places of a register that is written in several are looked back through for the last one.
const NEAR: usize = 64;

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

impl Work<'_> {
    /// Find the conversions that an earlier one has done already: of the same source, on every way here. Those who
    /// read them read the earlier.
    pub fn find_twins(&mut self) {
        let scan = self.scan;
        // One that is the only one of its kind has no like.
        let mut kinds: FxHashMap<u64, bool> = FxHashMap::default();
        for &i in &scan.conversions {
            kinds.entry(self.kind(self.statement(i))).and_modify(|several| *several = true).or_insert(false);
        }
        if !kinds.values().any(|&several| several) {
            return;
        }
        // By number: the value, its statement, and its width.
        let mut conversions: FxHashMap<u64, (Value, u32, u32)> = FxHashMap::default();
        let mut found: Vec<(Value, Value)> = Vec::new();
        for &i in &scan.conversions {
            let s = self.statement(i);
            // What nothing needs is left out before like values are found.
            if s.guard.is_some() || !kinds[&self.kind(s)] || !scan.snippet && !self.is_live(i) {
                continue;
            }
            let Some(result) = self.own_value(s.operands) else { continue };
            let bits = self.meaning(s).ty.map_or(0, Type::bits);
            let mut numbers: SmallVec<[u64; 2]> = SmallVec::from_slice(&[self.number(result, NUMBER_DEPTH)]);
            if self.loops_begun(i) {
                numbers.extend(self.name(s));
            }
            let earlier = numbers.iter().find_map(|number| {
                let &(value, at, of) = conversions.get(number)?;
                // the low word of an extension is that to a word
                (of >= bits
                    && self.is_done(at, i)
                    && !(self.lazy.joined_numbers.contains(number) && self.loops_between(at, i)))
                .then_some(value)
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
        for (twin, value) in found {
            self.lazy.made[twin.0 as usize].twin = value.0;
            self.lazy.twins.entry(value.0).or_default().push(twin.0);
        }
    }

    /// Whether what a statement makes is there at a later one: it is on every way there, in no loop that has been left.
    /// Over a call ptxas keeps nothing that it can make anew.
    pub fn is_done(&mut self, first: u32, second: u32) -> bool {
        let scan = self.scan;
        let left =
            |lazy: &mut super::lazy::Lazy| lazy.loops.innermost(scan, first).is_some_and(|(_, end)| end < second);
        let (from, to) = (scan.block(first), scan.block(second));
        !scan.calls_between(first, second)
            && (from == to || !left(self.lazy))
            && self.lazy.dominators.dominates(self.module, scan, from, to)
    }

    /// Whether a statement is in a loop that begins behind another one before it: there a register may be written anew.
    fn loops_between(&mut self, first: u32, second: u32) -> bool {
        self.lazy.loops.innermost(self.scan, second).is_some_and(|(start, _)| start > first)
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
        Some(mix(mix(3, u64::from(s.opcode.0)), u64::from(value.0)))
    }

    /// Whether a statement is in or behind the first loop.
    fn loops_begun(&self, statement: u32) -> bool {
        self.scan.loops.first().is_some_and(|first| first.0 <= statement)
    }

    /// Whether no other value is the first of its number among those made where loops have begun.
    fn leads(&self, v: Value, number: u64) -> bool {
        self.lazy.leaders.get(&number).is_none_or(|&first| first == v)
    }

    /// Whether a value is read by its register alone: where loops have begun, in another block than makes it, ptxas sees
    /// no more that an earlier value is equal. What a loop leaves as it is counts as before the loop.
    fn is_by_name(&mut self, source: Value, reader: u32) -> bool {
        let scan = self.scan;
        let made = self.made(source).statement;
        if !self.loops_begun(made) {
            return false;
        }
        let mut place = reader;
        for _ in 0..NUMBER_DEPTH {
            let Some((start, _)) = self.lazy.loops.innermost(scan, place).filter(|l| l.0 > made) else { break };
            place = start - 1;
        }
        scan.block(made) != scan.block(place)
    }

    /// What a copy copies, or the value itself; an element of a packed word is what was packed.
    fn copied(&mut self, mut v: Value) -> Value {
        let module = self.module;
        for _ in 0..NUMBER_DEPTH {
            let element = self.made(v).element;
            let Some((to, mut source)) = self.moved(v) else { break };
            if let OperandKind::Vector(_) = to {
                let Some((_, vector)) = self.own_value(source).and_then(|word| self.moved(word)) else { break };
                if module.operands[vector as usize].kind != to {
                    break;
                }
                source = vector + 1 + u32::from(element);
            }
            let Some(of) = self.own_value(source) else { break };
            v = of;
        }
        v
    }

    /// What the `mov` that makes a value writes to and reads, if it is one.
    fn moved(&self, v: Value) -> Option<(OperandKind, u32)> {
        let s = self.statement(self.made(v).statement);
        let source = after(self.module, s.operands, s.operands + s.operand_count);
        let to = self.module.operands[s.operands as usize].kind;
        (self.meaning(s).action == Action::Mov && s.guard.is_none() && source < s.operands + s.operand_count)
            .then_some((to, source))
    }

    /// The number of a value as a statement reads it.
    fn read(&mut self, source: Value, reader: u32, depth: u32) -> u64 {
        let source = self.copied(source);
        let number = self.number(source, depth);
        if self.leads(source, number) || !self.is_by_name(source, reader) {
            number
        } else {
            mix(1, u64::from(source.0))
        }
    }

    /// A number that equal values have in common: of the opcode that makes it and the numbers of what that reads.
    fn number(&mut self, v: Value, depth: u32) -> u64 {
        let made = self.made(v);
        if made.number != 0 {
            return made.number;
        }
        let (i, element) = (made.statement, made.element);
        let number = self.number_of(i, element, depth).unwrap_or(mix(1, u64::from(v.0)));
        self.lazy.made[v.0 as usize].number = number;
        if self.loops_begun(i) {
            self.lazy.leaders.entry(number).or_insert(v);
        }
        number
    }

    /// What statements that may do the same have in common: the opcode, but extensions of bytes and halves to words and to
    /// pairs of words begin alike.
    fn kind(&self, s: &Statement) -> u64 {
        let m = self.meaning(s);
        match (m.ty, m.source) {
            (Some(to), Some(from))
                if m.action == Action::Cvt
                    && !m.sat
                    && !m.pack
                    && to.is_int()
                    && from.is_int()
                    && to.bits() >= 32
                    && from.bits() <= 16 =>
            {
                u64::MAX - u64::from(from.bits()) * 2 - u64::from(from.is_signed())
            }
            _ => u64::from(s.opcode.0),
        }
    }

    fn number_of(&mut self, i: u32, element: u16, depth: u32) -> Option<u64> {
        let module = self.module;
        let s = self.statement(i);
        let m = self.meaning(s);
        if depth == 0
            || s.guard.is_some()
            || m.effect
            || matches!(m.action, Action::Load(_)) && !self.loads_parameter(s)
        {
            return None;
        }
        let end = s.operands + s.operand_count;
        let results = after(module, s.operands, end);
        let (mut number, mut joined) = (mix(self.kind(s), u64::from(element)), false);
        for at in results..end {
            let o = &module.operands[at as usize];
            let part = match o.kind {
                OperandKind::Register(_) => match self.own_value(at) {
                    Some(source) => self.read(source, i, depth - 1),
                    None => {
                        joined = true;
                        mix(2, u64::from(self.written_last(at)?))
                    }
                },
                OperandKind::Special(name) if constant_special(module.names[name.0 as usize]) => u64::from(name.0),
                OperandKind::Special(_) => return None,
                _ => {
                    let mut hash = FxHasher::default();
                    o.span.of(module.source).hash(&mut hash);
                    hash.finish()
                }
            };
            joined |= self.lazy.joined_numbers.contains(&part);
            number = mix(number, part);
        }
        if joined {
            self.lazy.joined_numbers.insert(number);
        }
        Some(number)
    }

    /// The last place in the text before an operand where its register is written, of as many as are looked at.
    fn written_last(&self, at: u32) -> Option<u32> {
        let (occurrences, module) = (&self.scan.occurrences, self.module);
        occurrences.from(occurrences.before(at)).take(NEAR).find(|&at| {
            let (s, _) = occurrences.statement(module, at);
            self.meaning(s).writes && at < self.scan.results_end(module, s)
        })
    }
}
