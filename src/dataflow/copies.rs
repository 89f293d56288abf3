//! Copies: what was moved, or packed and unpacked again, is what it was.

use smallvec::SmallVec;

use crate::ptx::{OperandKind, Type};

use super::flow::{Flow, UseSite, Value};
use super::meaning::Action;
use super::uses::{HighResult, Use};

/// How many copies are followed.
const COPIES: u32 = 4;

impl Flow<'_> {
    /// The element that a word was packed of, as operand.
    pub fn packed_element(&self, word: u32, element: u16, count: u16) -> Option<u32> {
        let (w, _, _) = self.maker(self.value(word)?);
        let vector = self.arguments(w).nth(1)?;
        let same = self.meaning(w).action == Action::Mov
            && w.guard.is_none()
            && self.module().operands[vector as usize].kind == OperandKind::Vector(count);
        let at = vector + 1 + u32::from(element);
        (same && self.value(at).is_some()).then_some(at)
    }

    /// The operand whose copy an operand is; what was packed and unpacked again is a copy too.
    pub fn copied(&self, mut at: u32) -> u32 {
        for _ in 0..COPIES {
            let Some(v) = self.value(at) else { break };
            let (w, _, element) = self.maker(v);
            if w.guard.is_some() || self.meaning(w).action != Action::Mov {
                break;
            }
            let Some(source) = self.arguments(w).nth(1).filter(|&o| self.register(o).is_some()) else { break };
            at = match self.module().operands[w.operands as usize].kind {
                OperandKind::Register(_) => source,
                OperandKind::Vector(count) => match self.packed_element(source, element, count) {
                    Some(part) => part,
                    None => break,
                },
                _ => break,
            };
        }
        at
    }

    /// The first place behind a statement that reads a value or a copy of it as an operand, even in dead code.
    pub(super) fn read_after(&self, v: Value, statement: u32) -> Option<u32> {
        self.first_read(v, statement, COPIES)
    }

    fn first_read(&self, v: Value, statement: u32, depth: u32) -> Option<u32> {
        let mut first = None;
        for at in self.reads_after(v, statement) {
            match self.copy(at).filter(|_| depth > 0) {
                Some(copy) => first = first.into_iter().chain(self.first_read(copy, at, depth - 1)).min(),
                None => return first.into_iter().chain([at]).min(),
            }
        }
        first
    }

    /// The register that a statement copies another one to, if that is all it does.
    fn copy(&self, statement: u32) -> Option<Value> {
        let s = &self.module().statements[statement as usize];
        let plain = s.guard.is_none() && self.meaning(s).action == Action::Mov;
        let of = self.arguments(s).nth(1).filter(|&at| plain && self.register(at).is_some());
        of.and_then(|_| self.value(s.operands))
    }

    /// What the places that read a value, or a copy of it, use it for.
    pub fn wants(&self, v: Value) -> SmallVec<[Use; 4]> {
        let mut found = SmallVec::new();
        self.add_wants(v, COPIES, &mut found);
        found
    }

    /// Whether a bitwise operation leaves the high word of a pair alone, and sums that take a sign are all that reads it.
    fn is_summed_through(&self, site: UseSite) -> bool {
        let s = &self.module().statements[site.statement as usize];
        s.guard.is_none()
            && self.high_result(site) == Some(HighResult::Same)
            && self.value(s.operands).is_some_and(|result| {
                !self.escapes(result) && self.uses(result).all(|site| self.classify(site) == Use::Add(64))
            })
    }

    fn add_wants(&self, v: Value, depth: u32, found: &mut SmallVec<[Use; 4]>) {
        let statements = &self.module().statements;
        let extended = self.meaning(self.maker(v).0).source == Some(Type::S32);
        for site in self.uses(v) {
            let usage = self.classify(site);
            let s = &statements[site.statement as usize];
            let copy = match usage {
                _ if s.guard.is_some() || depth == 0 => None,
                Use::Copy => self.value(s.operands),
                // what is put into a word that is only taken apart again
                Use::Pack { element, of, .. } => self.value(s.operands).and_then(|word| {
                    let mut readers = self.uses(word);
                    let (Some(reader), None) = (readers.next(), readers.next()) else { return None };
                    let unpack = &statements[reader.statement as usize];
                    let apart = !self.escapes(word)
                        && unpack.guard.is_none()
                        && self.classify(reader) == Use::Unpack
                        && self.module().operands[unpack.operands as usize].kind == OperandKind::Vector(of);
                    if apart { self.value(unpack.operands + 1 + u32::from(element)) } else { None }
                }),
                _ => None,
            };
            match copy.filter(|&copy| !self.escapes(copy)) {
                Some(copy) => self.add_wants(copy, depth - 1, found),
                // a sum takes the sign of an extension through what leaves the high word alone
                None if self.is_summed_through(site) => found.push(Use::Add(64)),
                // of what goes on as its low word nothing wants more
                None if extended && self.goes_on_low(site) => found.push(Use::Narrow { to: Type::U32 }),
                None => found.push(usage),
            }
        }
        if self.escapes(v) {
            found.push(Use::Other);
        }
    }
}
