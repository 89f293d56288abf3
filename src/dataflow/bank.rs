//! Who loads a parameter of the kernel, and where to: an instruction reads it from a uniform register beside other registers,
//! or from a register of its own.
//!
//! ptxas loads a word where it is read first, for all that reads it behind that on every way there, up to a call, and anew
//! in and behind a loop of several blocks. It goes to a uniform register (LDCU) if all of these instructions can read one, and
//! to a common one (LDC) if not. Neighbours that are read between the same two barriers of a block are loaded at once.

use std::ops::RangeInclusive;
use std::sync::Arc;

use crate::ptx::{Statement, StatementKind, Type};

use super::flow::{Flow, Parameter, UseSite, Value};
use super::meaning::Action;
use super::uses::{READERS, Use};

use readers::{STEPS, What};

mod readers;
mod unrolled;

/// As many statements at most before and behind a conversion are looked at for what is loaded together with its source.
const NEAR: usize = 256;

/// How the word that a conversion reads gets into a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Load {
    /// Into a common one.
    Common,
    /// Into a uniform one, for an earlier reader.
    Earlier,
    /// Into uniform ones, so many bits for this conversion first.
    Uniform(u8),
}

/// An instruction that reads a word, and whether it can read it from a uniform register.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reader {
    statement: u32,
    uniform: bool,
}

/// A load: the statement that it is done for, and whether it is one into a uniform register.
#[derive(Debug, Clone, Copy)]
struct Group {
    first: u32,
    uniform: bool,
}

impl Group {
    fn with(self, other: Group) -> Group {
        Group { first: self.first.min(other.first), uniform: self.uniform && other.uniform }
    }
}

/// What is asked of the readers.
#[derive(Clone, Copy)]
struct Query<'f, 'm> {
    flow: &'f Flow<'m>,
    /// Floating-point arithmetic, stores and conversions read a pair at once, anything else its words.
    pairs: bool,
}

impl Flow<'_> {
    /// How a parameter of 32 or 64 bits that a conversion reads is loaded; `None` for anything else.
    pub fn load(&self, source: u32, from: Type, statement: u32) -> Option<Load> {
        let Parameter { offset, bits, .. } = self.parameter(self.value(self.copied(source))?)?;
        if bits < 32 || from.bits() != bits {
            return None;
        }
        let query = Query { flow: self, pairs: bits == 64 };
        let Some(own) = query.own(offset, bits, statement) else { return Some(Load::Common) };
        let (group, bits) = query.together(own, offset, bits);
        Some(match group.uniform {
            true if group.first == statement => Load::Uniform(bits),
            true => Load::Earlier,
            false => Load::Common,
        })
    }

    /// Whether a parameter of 16 bits that a conversion makes a float of was loaded for one before it: what does anything else
    /// with it loads it for itself.
    pub fn is_loaded_half(&self, source: u32, statement: u32) -> bool {
        self.is_read_before(
            source,
            statement,
            |site| matches!(self.classify(site), Use::ToFloat { from, .. } if from.bits() == 16),
        )
    }

    /// Whether the pair that a conversion saturates was loaded for one before it: what else reads the pair has it loaded anew.
    pub fn is_saturated_before(&self, source: u32, statement: u32) -> bool {
        self.is_read_before(source, statement, |site| {
            let m = self.meaning(&self.module().statements[site.statement as usize]);
            m.action == Action::Cvt && m.sat && m.ty.is_some_and(Type::is_int)
        })
    }

    /// Whether something of a kind reads a value before a statement, and what was loaded for it is there still.
    fn is_read_before(&self, source: u32, statement: u32, kind: impl Fn(UseSite) -> bool) -> bool {
        self.value(source).is_some_and(|v| {
            let mut before = self.uses(v).take(READERS).take_while(|site| site.statement < statement);
            before.any(|site| kind(site) && self.is_kept(site.statement, statement))
        })
    }

    /// Whether all that reads a pair, which is a parameter of 16 bits with zeros above, can read a uniform register.
    pub fn extends_uniformly(&self, pair: Value) -> bool {
        Query { flow: self, pairs: false }.reads_uniform(pair, What::Extended)
    }

    /// Whether what a conversion makes of something that all threads have in common is made in a uniform register: all that
    /// reads it can read one.
    pub fn makes_uniform(&self, source: u32, result: Value) -> bool {
        let query = Query { flow: self, pairs: false };
        query.is_uniform(source, STEPS) && query.reads_uniform(result, What::Made)
    }

    /// Whether a value is in a uniform register, which is no parameter.
    pub fn is_in_uniform(&self, at: u32) -> bool {
        let query = Query { flow: self, pairs: false };
        query.is_uniform(at, STEPS) && self.value(at).is_some_and(|v| query.reads_uniform(v, What::Made))
    }

    /// The statements around one that no barrier, call or guarded effect parts from it.
    fn near(&self, statement: u32) -> RangeInclusive<u32> {
        let block = self.block(statement);
        let statements = &self.module().statements;
        let parts = |s: &Statement| {
            s.kind == StatementKind::Instruction && {
                let m = self.meaning(s);
                m.fences || m.calls || m.effect && s.guard.is_some()
            }
        };
        let joined = |at: &u32| self.block(*at) == block && !parts(&statements[*at as usize]);
        let first = (self.first_statement()..statement).rev().take(NEAR).take_while(joined).last();
        let last = (statement + 1..statements.len() as u32).take(NEAR).take_while(joined).last();
        first.unwrap_or(statement)..=last.unwrap_or(statement)
    }
}

impl Query<'_, '_> {
    /// Whether all that reads a value can read a uniform register.
    fn reads_uniform(&self, v: Value, what: What) -> bool {
        let mut found = Vec::new();
        self.read(v, what, STEPS, &mut found);
        !self.flow.escapes(v) && !found.is_empty() && found.iter().all(|r| r.uniform)
    }

    /// The load that a reader finds done, or that is done for it.
    fn own(&self, offset: u32, bits: u32, statement: u32) -> Option<Group> {
        let readers = self.readers(offset, bits);
        let own = readers.iter().position(|r| r.statement == statement)?;
        self.begun(
            &readers,
            readers[..own].iter().position(|r| self.flow.is_kept(r.statement, statement)).unwrap_or(own),
        )
    }

    /// The load that is done for one of the readers of a word, unless it was done before.
    fn begun(&self, readers: &[Reader], at: usize) -> Option<Group> {
        let kept = |a: &Reader, b: &Reader| self.flow.is_kept(a.statement, b.statement);
        let (before, rest) = readers.split_at(at);
        let first = rest.first()?;
        (!before.iter().any(|r| kept(r, first)))
            .then(|| Group { first: first.statement, uniform: rest.iter().all(|r| r.uniform || !kept(first, r)) })
    }

    /// A load together with those of its neighbours, and how wide that is.
    fn together(&self, own: Group, offset: u32, bits: u32) -> (Group, u8) {
        let near = self.flow.near(own.first);
        let pair = match bits {
            64 => own,
            _ => match self.nearby(offset ^ 4, 32, &near) {
                Some(other) => own.with(other),
                None => return (own, 32),
            },
        };
        let other = pair.uniform.then(|| self.nearby_pair(offset & !7 ^ 8, &near)).flatten();
        match other.filter(|other| other.uniform) {
            Some(other) => (pair.with(other), 128),
            None => (pair, 64),
        }
    }

    /// The load of a word among some statements, if one begins there.
    fn nearby(&self, offset: u32, bits: u32, near: &RangeInclusive<u32>) -> Option<Group> {
        let readers = self.readers(offset, bits);
        self.begun(&readers, readers.iter().position(|r| near.contains(&r.statement))?)
    }

    /// The load of 64 bits among some statements, at once or of two words.
    fn nearby_pair(&self, offset: u32, near: &RangeInclusive<u32>) -> Option<Group> {
        self.nearby(offset, 64, near).or_else(|| {
            let low = self.nearby(offset, 32, near).filter(|_| !self.pairs)?;
            Some(low.with(self.nearby(offset + 4, 32, near)?))
        })
    }

    /// All that reads what is loaded from an offset, in source order.
    fn readers(&self, offset: u32, bits: u32) -> Arc<[Reader]> {
        let key = (offset, bits, self.pairs);
        self.flow.readers(key).unwrap_or_else(|| {
            let mut found = Vec::new();
            for v in self.flow.parameters_at(offset, bits) {
                self.read(v, What::Word, STEPS, &mut found);
            }
            found.sort_by_key(|r| r.statement);
            self.flow.set_readers(key, found.into())
        })
    }
}
