//! Numbers that equal values have in common, as far as ptxas sees that they are equal: of what computes them and of the
//! numbers of what that reads.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use crate::bits;
use crate::dataflow::facts::float_bits;
use crate::dataflow::meaning::{Action, Meaning, Memory, Space, extension_kind, integer_kind};
use crate::ptx::{OperandKind, Statement, Type, literal};

use super::lazy::Work;
use super::{Value, after};

/// How far equal values are looked through; the bound keeps a hostile file linear.
pub const DEPTH: u32 = 16;

/// How many places are looked back through: of a register that is written in several for the last one, of memory for
/// what overwrites it.
pub const NEAR: usize = 64;

/// Two numbers in one; the multiplier is that of splitmix64, whose low bits depend on all.
pub fn mix(a: u64, b: u64) -> u64 {
    let mut x = a.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ b.wrapping_add(0x7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (x ^ (x >> 31)) | 1
}

/// The number of a value that is like no other.
fn itself(v: Value) -> u64 {
    mix(1, u64::from(v.0))
}

/// The number of a constant.
fn constant(bits: u64) -> u64 {
    mix(4, bits)
}

/// The number of what is negated.
fn negated(number: u64) -> u64 {
    mix(5, number)
}

/// Whether ptxas sees that a product with the factors changed is the same: not of halves, nor of pairs of words.
fn commutes(ty: Option<Type>) -> bool {
    ty.is_some_and(|ty| ty.bits() == 32 || ty == Type::F64)
}

/// A special register that has the same value throughout a thread's life.
fn constant_special(name: &[u8]) -> bool {
    [&b"%tid"[..], b"%ntid", b"%ctaid", b"%nctaid", b"%laneid"].iter().any(|n| name.starts_with(n))
}

/// Whether a statement makes what it reads.
fn copies(m: &Meaning) -> bool {
    let as_wide =
        |(to, from): (Type, Type)| to.is_int() && from.is_int() && to.bits() == from.bits() && to.bits() >= 16;
    m.action == Action::Mov || m.action == Action::Cvt && !m.sat && !m.pack && m.ty.zip(m.source).is_some_and(as_wide)
}

/// The types of a conversion of integers that cuts or extends.
fn integers(m: &Meaning) -> Option<(Type, Type)> {
    let (to, from) = m.ty.zip(m.source)?;
    (m.action == Action::Cvt && !m.sat && !m.pack && to.is_int() && from.is_int()).then_some((to, from))
}

/// What a statement reads, while its number is made.
struct Reader {
    statement: u32,
    depth: u32,
    /// It follows from a register that is written in several places.
    joined: bool,
}

impl Work<'_> {
    /// Whether a statement is in or behind the first loop.
    pub fn loops_begun(&self, statement: u32) -> bool {
        self.scan.loops.first().is_some_and(|first| first.0 <= statement)
    }

    /// Whether no other value is the first of its number among those made where loops have begun.
    pub fn leads(&self, v: Value, number: u64) -> bool {
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
        for _ in 0..DEPTH {
            let Some((start, _)) = self.lazy.loops.innermost(scan, place).filter(|l| l.0 > made) else { break };
            place = start - 1;
        }
        scan.block(made) != scan.block(place)
    }

    /// What a copy copies, or the value itself; an element of a packed word is what was packed.
    pub fn copied(&mut self, mut v: Value) -> Value {
        let module = self.module;
        for _ in 0..DEPTH {
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

    /// What the `mov` that makes a value writes to and reads, if it is one; a conversion to an integer as wide is a copy too.
    fn moved(&self, v: Value) -> Option<(OperandKind, u32)> {
        let s = self.statement(self.made(v).statement);
        if !copies(self.meaning(s)) || s.guard.is_some() {
            return None;
        }
        let source = after(self.module, s.operands, s.operands + s.operand_count);
        let to = self.module.operands[s.operands as usize].kind;
        (source < s.operands + s.operand_count).then_some((to, source))
    }

    /// The number of a value as a statement reads it.
    fn read(&mut self, source: Value, reader: &mut Reader) -> u64 {
        let source = self.copied(source);
        let number = self.number(source, reader.depth);
        if self.leads(source, number) {
            return number;
        }
        let s = self.statement(self.made(source).statement);
        // a constant is known everywhere
        if self.meaning(s).action == Action::Mov || !self.is_by_name(source, reader.statement) {
            number
        } else {
            itself(source)
        }
    }

    /// A number that equal values have in common.
    pub fn number(&mut self, v: Value, depth: u32) -> u64 {
        let made = self.made(v);
        if made.number != 0 {
            return made.number;
        }
        let (i, element) = (made.statement, made.element);
        let number = self.number_of(i, element, depth).unwrap_or(itself(v));
        self.lazy.made[v.0 as usize].number = number;
        if self.loops_begun(i) {
            self.lazy.leaders.entry(number).or_insert(v);
        }
        number
    }

    /// What values of one number have in common without their sources being looked at.
    pub fn kind_of(&mut self, v: Value) -> u64 {
        let made = self.made(v);
        let (i, element) = (made.statement, u64::from(made.element));
        let s = self.statement(i);
        let m = self.meaning(s);
        match m.action {
            Action::Load(space) if s.guard.is_none() && !m.effect && !self.loads_parameter(s) => {
                self.written_before(i, space, m).map_or(itself(v), |at| mix(mix(m.kind, element), u64::from(at)))
            }
            // one may be put as another
            Action::Add | Action::Sub | Action::Mul | Action::Mad | Action::Shl | Action::Neg | Action::Mov => 0,
            _ if s.guard.is_some() || m.effect => itself(v),
            _ => mix(m.kind, element),
        }
    }

    /// What a conversion of integers has in common with those that do the same, and the operand that it converts in the end:
    /// of one conversion after another ptxas sees the one that they are together.
    pub fn together(&mut self, s: &Statement) -> (u64, u32) {
        let (module, m) = (self.module, self.meaning(s));
        let (mut kind, mut source) = (m.kind, after(module, s.operands, s.operands + s.operand_count));
        let Some((to, mut from)) = integers(m).filter(|(to, _)| to.bits() >= 32) else { return (kind, source) };
        for _ in 0..DEPTH {
            let Some(v) = self.own_value(source) else { break };
            let v = self.copied(v);
            let inner = self.statement(self.made(v).statement);
            let Some((middle, first)) = integers(self.meaning(inner)).filter(|_| inner.guard.is_none()) else { break };
            if middle.bits() == 16 && first.bits() < 16 {
                // what becomes a half on the way is a half, unless its sign goes on to a word
                if to.bits() != 32 || !first.is_signed() || !from.is_signed() {
                    break;
                }
            } else if middle.bits() < 16 {
                break;
            }
            if from.bits() > middle.bits().min(first.bits()) {
                // an extension of an extension
                if to.bits() <= from.bits() || from.bits() > middle.bits() || first.is_signed() != from.is_signed() {
                    break;
                }
                from = first;
                kind = extension_kind(first);
            }
            source = after(module, inner.operands, inner.operands + inner.operand_count);
        }
        (kind, source)
    }

    fn number_of(&mut self, i: u32, element: u16, depth: u32) -> Option<u64> {
        let s = self.statement(i);
        let m = self.meaning(s);
        if depth == 0 || s.guard.is_some() || m.effect {
            return None;
        }
        if integers(m).is_some() {
            let (kind, source) = self.together(s);
            let mut reader = Reader { statement: i, depth: depth - 1, joined: false };
            let number = mix(kind, self.part(source, m.source, &mut reader)?);
            if reader.joined {
                self.lazy.joined_numbers.insert(number);
            }
            return Some(number);
        }
        let mut kind = mix(m.kind, u64::from(element));
        if let Action::Load(space) = m.action
            && !self.loads_parameter(s)
        {
            kind = mix(kind, u64::from(self.written_before(i, space, m)?));
        }
        let mut reader = Reader { statement: i, depth: depth - 1, joined: false };
        let number = self.combined(s, m, kind, &mut reader)?;
        if reader.joined {
            self.lazy.joined_numbers.insert(number);
        }
        Some(number)
    }

    /// The number of what a statement makes of what it reads: sums and products do not depend on the order.
    fn combined(&mut self, s: &Statement, m: &Meaning, kind: u64, reader: &mut Reader) -> Option<u64> {
        let module = self.module;
        let end = s.operands + s.operand_count;
        let first = after(module, s.operands, end);
        let second = after(module, first, end);
        let third = after(module, second, end);
        let two = first < second && second < end;
        let ordered = |kind: u64, a: u64, b: u64| mix(mix(kind, a.min(b)), a.max(b));
        let integer = m.ty.is_some_and(Type::is_int);
        let whole = m.ty.is_some_and(|ty| (ty.is_int() || ty.is_float()) && ty.bits() >= 32);
        Some(match m.action {
            // a constant
            Action::Mov if second == end && self.literal(first, m.ty).is_some() => self.part(first, m.ty, reader)?,
            Action::Neg if second == end && whole => negated(self.part(first, m.ty, reader)?),
            Action::Add if two && third == end && integer => {
                let (a, a_sum) = self.term(first, second, m, reader)?;
                let (b, b_sum) = self.term(second, first, m, reader)?;
                // of two sums the order counts too
                if a_sum && b_sum { mix(mix(kind, a), b) } else { ordered(kind, a, b) }
            }
            Action::Add if two && third == end && whole => {
                ordered(kind, self.part(first, m.ty, reader)?, self.part(second, m.ty, reader)?)
            }
            Action::Sub if two && third == end && whole => {
                let taken = match self.literal(second, m.ty) {
                    Some(bits) if integer => constant(bits::truncate(bits.wrapping_neg(), m.ty?.bits())),
                    Some(bits) => constant(bits ^ 1 << (m.ty?.bits() - 1)),
                    None => negated(self.part(second, m.ty, reader)?),
                };
                if integer && self.literal(first, m.ty) == Some(0) {
                    taken
                } else {
                    ordered(kind, self.term(first, second, m, reader)?.0, taken)
                }
            }
            Action::Mul if two && third == end => self.product(kind, first, second, m, reader)?,
            // the sum of a product of words
            Action::Mad if m.kind == integer_kind(Action::Mad, 32) && third < end => {
                let product = self.product(mix(integer_kind(Action::Mul, 32), 0), first, second, m, reader)?;
                ordered(mix(integer_kind(Action::Add, 32), 0), product, self.part(third, m.ty, reader)?)
            }
            Action::Fma if commutes(m.ty) && third < end => {
                let factors = [self.part(first, m.ty, reader)?, self.part(second, m.ty, reader)?];
                mix(ordered(kind, factors[0], factors[1]), self.part(third, m.ty, reader)?)
            }
            Action::Min | Action::Max if commutes(m.ty) && two && third == end => {
                ordered(kind, self.part(first, m.ty, reader)?, self.part(second, m.ty, reader)?)
            }
            _ => {
                let (mut number, mut at) = (kind, first);
                while at < end {
                    number = mix(number, self.part(at, m.ty.filter(|ty| !ty.is_float()), reader)?);
                    at = after(module, at, end);
                }
                number
            }
        })
    }

    /// The number of a term of a sum of integers, and whether it is a sum itself: of three terms that ptxas adds at once it
    /// sees the order of those that were a sum before, unless the other term is a constant.
    fn term(&mut self, at: u32, other: u32, m: &Meaning, reader: &mut Reader) -> Option<(u64, bool)> {
        let number = self.part(at, m.ty, reader)?;
        if self.literal(other, m.ty).is_some()
            || !matches!(self.module.operands[at as usize].kind, OperandKind::Register(_))
        {
            return Some((number, false));
        }
        let Some(v) = self.own_value(at) else { return Some((number, false)) };
        let v = self.copied(v);
        let s = self.statement(self.made(v).statement);
        let inner = self.meaning(s);
        let first = after(self.module, s.operands, s.operands + s.operand_count);
        let sum = matches!(inner.action, Action::Add | Action::Sub)
            && s.guard.is_none()
            && s.operand_count == 3
            && self.literal(first, inner.ty).is_none()
            && self.literal(first + 1, inner.ty).is_none();
        if !sum {
            return Some((number, false));
        }
        let ordered = mix(self.part(first, inner.ty, reader)?, self.part(first + 1, inner.ty, reader)?);
        Some((mix(number, ordered), true))
    }

    /// The number of a product; one of a word with a power of two is a shift.
    fn product(&mut self, kind: u64, first: u32, second: u32, m: &Meaning, reader: &mut Reader) -> Option<u64> {
        let ty = m.ty;
        if ty.is_some_and(|ty| ty.is_int() && ty.bits() == 32) && matches!(m.action, Action::Mul | Action::Mad) {
            for (factor, other) in [(second, first), (first, second)] {
                if let Some(by) = self.literal(factor, ty).filter(|by| by.is_power_of_two() && *by > 1) {
                    let shift = mix(integer_kind(Action::Shl, 32), 0);
                    return Some(mix(mix(shift, self.part(other, ty, reader)?), constant(by.trailing_zeros().into())));
                }
            }
        }
        let (a, b) = (self.part(first, ty, reader)?, self.part(second, ty, reader)?);
        let low =
            ty.is_some_and(Type::is_float) || [Action::Mul, Action::Mad].map(|a| integer_kind(a, 32)).contains(&m.kind);
        let (a, b) = if low && commutes(ty) { (a.min(b), a.max(b)) } else { (a, b) };
        Some(mix(mix(kind, a), b))
    }

    /// The bits of a literal in a type.
    fn literal(&self, at: u32, ty: Option<Type>) -> Option<u64> {
        let (ty, module) = (ty?, self.module);
        let o = &module.operands[at as usize];
        match o.kind {
            OperandKind::Float => float_bits(o.span.of(module.source), ty.bits()),
            OperandKind::Integer => {
                literal::integer(o.span.of(module.source)).map(|i| bits::truncate(i.bits, ty.bits()))
            }
            OperandKind::Negated if module.operands.get(at as usize + 1)?.kind == OperandKind::Integer => {
                self.literal(at + 1, Some(ty)).map(|bits| bits::truncate(bits.wrapping_neg(), ty.bits()))
            }
            _ => None,
        }
    }

    /// The number of an operand as its statement reads it; of literals it is that of their value in a type.
    fn part(&mut self, at: u32, ty: Option<Type>, reader: &mut Reader) -> Option<u64> {
        let module = self.module;
        match module.operands[at as usize].kind {
            OperandKind::Register(_) => return self.leaf(at, reader),
            OperandKind::Integer | OperandKind::Float | OperandKind::Negated => {
                if let Some(bits) = self.literal(at, ty) {
                    return Some(constant(bits));
                }
            }
            _ => {}
        }
        let end = after(module, at, module.operands.len() as u32);
        let mut number = self.leaf(at, reader)?;
        for at in at + 1..end {
            number = mix(number, self.leaf(at, reader)?);
        }
        Some(number)
    }

    /// The number of an operand without its children.
    fn leaf(&mut self, at: u32, reader: &mut Reader) -> Option<u64> {
        let module = self.module;
        let o = &module.operands[at as usize];
        let number = match o.kind {
            OperandKind::Register(_) => match self.own_value(at) {
                Some(source) => self.read(source, reader),
                None => {
                    reader.joined = true;
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
        reader.joined |= !self.lazy.joined_numbers.is_empty() && self.lazy.joined_numbers.contains(&number);
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

    /// The statement that may have overwritten what a load reads, or the first one of its block: over that ptxas loads
    /// anew. Constants stay what they are.
    fn written_before(&self, load: u32, space: Space, m: &Meaning) -> Option<u32> {
        match space {
            Space::Param => return None,
            Space::Const => return Some(self.scan.first_statement),
            Space::Memory => {}
        }
        let block = self.scan.block_start(load);
        let overwriting = &self.scan.overwriting;
        let before = &overwriting[..overwriting.partition_point(|&at| at < load)];
        if m.memory == Memory::Unwritten {
            // what waits under a guard is jumped over
            let mut looked = before.iter().rev().take_while(|&&at| at >= block).take(NEAR);
            let parted = looked.find(|&&at| {
                let s = self.statement(at);
                s.guard.is_some() && self.meaning(s).overwrites == Some(Memory::Any)
            });
            return Some(parted.copied().unwrap_or(block));
        }
        let mut looked = before.iter().rev().take_while(|&&at| at >= block).take(NEAR);
        let written = looked.find(|&&at| {
            let other = self.meaning(self.statement(at)).overwrites;
            other.is_some_and(|other| other == m.memory || other == Memory::Any || m.memory == Memory::Any)
        });
        match written {
            Some(&at) => Some(at),
            None => before.iter().rev().nth(NEAR).is_none_or(|&at| at < block).then_some(block),
        }
    }
}
