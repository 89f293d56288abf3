//! Who loads a parameter of the kernel, and where to: an instruction reads it from a uniform register beside other registers,
//! or from a register of its own.
//!
//! ptxas loads a word where it is read first, for all that reads it behind that on every way there, up to a call, and anew
//! in and behind a loop of several blocks. It goes to a uniform register (LDCU) if all of these instructions can read one, and
//! to a common one (LDC) if not. Neighbours that are read between the same two barriers of a block are loaded at once.

use std::ops::RangeInclusive;
use std::sync::Arc;

use smallvec::SmallVec;

use crate::ptx::{OperandKind, Statement, StatementKind, Type};

use super::facts;
use super::flow::{Flow, Parameter, UseSite, Value};
use super::meaning::{Action, Memory, Space};
use super::uses::{READERS, Use};

/// Copies, extensions and arithmetic with constants one after another are followed so far.
const STEPS: u32 = 4;

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

/// What is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    /// The parameter.
    Word,
    /// The parameter as a word of the pair that it was extended to, or with another sign.
    Extended,
    /// What is made of parameters and constants alone.
    Made,
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
        self.value(source).is_some_and(|v| {
            self.uses(v).take(READERS).take_while(|site| site.statement < statement).any(|site| {
                let to_float = matches!(self.classify(site), Use::ToFloat { from, .. } if from.bits() == 16);
                to_float && self.is_kept(site.statement, statement)
            })
        })
    }

    /// Whether all that reads a pair, which is a parameter of 16 bits with zeros above, can read a uniform register.
    pub fn extends_uniformly(&self, pair: Value) -> bool {
        let query = Query { flow: self, pairs: false };
        let mut found = Vec::new();
        query.read(pair, What::Extended, STEPS, &mut found);
        !self.escapes(pair) && !found.is_empty() && found.iter().all(|r| r.uniform)
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

    /// Whether an operand is a number that all threads of a block have in common.
    fn is_of_block(&self, at: u32) -> bool {
        let module = self.module();
        let OperandKind::Special(name) = module.operands[at as usize].kind else { return false };
        let name = module.names[name.0 as usize];
        [&b"%ctaid"[..], b"%nctaid", b"%ntid"].iter().any(|n| name.starts_with(n))
    }

    /// The width of the register that an operand is.
    fn register_bits(&self, at: u32) -> u32 {
        self.register(at).and_then(|r| self.module().registers[r.0 as usize].ty).map_or(32, Type::bits)
    }
}

impl Query<'_, '_> {
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

    /// Adds what reads a value.
    fn read(&self, v: Value, what: What, depth: u32, found: &mut Vec<Reader>) {
        let flow = self.flow;
        // where it is joined with others, it is loaded for the copy alone
        for site in flow.uses(v).take(READERS) {
            if found.len() >= READERS {
                break;
            }
            if site.operand != u32::MAX {
                self.read_at(site, what, depth, found);
            }
        }
    }

    /// Adds the readers of what a statement makes.
    fn read_result(&self, s: &Statement, what: What, depth: u32, found: &mut Vec<Reader>) {
        match self.flow.value(s.operands).filter(|_| depth > 0) {
            Some(v) => self.read(v, what, depth - 1, found),
            None => found.push(Reader { statement: u32::MAX, uniform: false }),
        }
    }

    /// Whether all that reads what a statement makes can read a uniform register: then it is made in one.
    fn result_is_uniform(&self, s: &Statement, depth: u32) -> bool {
        let mut found = Vec::new();
        self.read_result(s, What::Made, depth, &mut found);
        found.iter().all(|r| r.uniform)
    }

    fn read_at(&self, site: UseSite, what: What, depth: u32, found: &mut Vec<Reader>) {
        let flow = self.flow;
        let s = &flow.module().statements[site.statement as usize];
        let m = flow.meaning(s);
        let ty = m.ty.unwrap_or(Type::B32);
        let mut reads = |uniform: bool| found.push(Reader { statement: site.statement, uniform });
        if m.action == Action::Cvt {
            return self.converted(site, s, what, depth, found);
        }
        if m.action == Action::Mov {
            let vector = |at: u32| matches!(flow.module().operands[at as usize].kind, OperandKind::Vector(_));
            return match flow.arguments(s).nth(1) {
                // of a pair that is taken apart the words are loaded
                _ if vector(s.operands) && ty.bits() == 64 => {}
                Some(of) if !vector(s.operands) && !vector(of) => self.read_result(s, what, depth, found),
                _ => reads(false),
            };
        }
        let stored = m.action == Action::Store && what == What::Word;
        if ty.bits() == 64 && self.pairs != (ty == Type::F64 || stored) || ty.bits() < 64 && self.pairs {
            // the words of a pair are loaded apart from the pair
            return;
        }
        let others: SmallVec<[u32; 4]> = flow.arguments(s).skip(1).filter(|&at| at != site.operand).collect();
        let immediate = others.iter().any(|&at| self.is_immediate(at));
        let register = |at: u32| flow.register(at);
        let same = others.iter().any(|&at| register(at) == register(site.operand));
        let beside = !same && !immediate;
        let alone = || others.iter().all(|&at| self.is_uniform(at, STEPS));
        let integer = !ty.is_float() && !ty.is_packed();
        // where no sum takes a sign, the pair is made in uniform registers and moved
        let moved = what == What::Extended && !self.flow.abilities().sum_takes_sign;
        let second = (m.action == Action::Setp).then(|| others.first().copied()).flatten();
        match m.action {
            // with a constant it is done in uniform registers as well, if nothing but what reads the result is against it
            Action::Add | Action::Sub | Action::Mul | Action::And | Action::Or | Action::Xor
                if integer && immediate =>
            {
                let fused = m.action == Action::Mul && self.is_added(s)
                    || self.flow.abilities().limit_takes_sum && self.is_limited(s);
                reads(!fused && self.result_is_uniform(s, depth));
            }
            Action::Shl | Action::Shr if others.iter().all(|&at| at < site.operand) => {
                let made = alone() && self.result_is_uniform(s, depth);
                reads(made || what == What::Made && !same);
            }
            Action::Shl | Action::Shr => reads(alone() && !self.is_added(s) && self.result_is_uniform(s, depth)),
            Action::Mul if integer && ty.bits() == 64 => {
                let other = others.first().copied();
                reads(beside && !other.is_some_and(|at| self.is_extended(at) || self.is_summed(s, at)));
            }
            Action::Min | Action::Max if integer && ty.bits() == 64 => reads(moved),
            // one register twice leaves no place for a uniform one
            Action::Mad => {
                let twice = others.len() == 2 && register(others[0]) == register(others[1]);
                reads(beside && !twice || alone() && self.result_is_uniform(s, depth));
            }
            Action::Add | Action::Sub if integer && ty.bits() == 32 => {
                let fused = || others.iter().any(|&at| self.is_scaled(at));
                reads(beside && !fused() && !self.is_continued(s));
            }
            Action::And | Action::Or | Action::Xor if ty.bits() == 32 => reads(beside && !self.is_continued(s)),
            Action::Min | Action::Max if integer => {
                let takes = self.flow.abilities().limit_takes_sum;
                reads(beside && !(takes && others.iter().any(|&at| self.is_offset(at))));
            }
            Action::Setp if self.chooses(s, integer) => reads(false),
            Action::Setp if integer && alone() => {
                reads(moved || !immediate && what == What::Word || self.is_branched_by(s))
            }
            Action::Setp if ty.bits() == 32 && integer && second.is_some_and(|at| self.counts(at, site.statement)) => {
                reads(false);
            }
            Action::Setp if ty.bits() == 64 && integer => {
                reads(moved || beside && !second.is_some_and(|at| flow.known(at).fits_unsigned(32)));
            }
            Action::Add
            | Action::Sub
            | Action::Mul
            | Action::MulWide
            | Action::MulHi
            | Action::MadWide
            | Action::Fma
            | Action::And
            | Action::Or
            | Action::Xor
            | Action::Lop3
            | Action::Min
            | Action::Max
            | Action::Setp => reads(beside),
            Action::Neg | Action::Abs if ty.is_float() => self.read_result(s, What::Extended, depth, found),
            Action::Neg | Action::Not => self.read_result(s, what, depth, found),
            Action::Pure if m.counts => reads(self.result_is_uniform(s, depth)),
            Action::Div | Action::Rem => reads(ty.is_unsigned() || integer && ty.bits() == 64),
            // it takes the words of a pair
            Action::Selp if self.pairs => {}
            Action::Store => {
                let moved = what == What::Extended || what == What::Made && ty.bits() == 64 || m.parameter;
                reads(moved && flow.classify(site) != Use::Address);
            }
            Action::Cvta => self.read_result(s, what, depth, found),
            _ => reads(false),
        }
    }

    /// A constant that is written into the instruction: zero is read from RZ.
    fn is_immediate(&self, at: u32) -> bool {
        let module = self.flow.module();
        let float = || facts::float_bits(module.operands[at as usize].span.of(module.source), 64);
        let float = || if module.operands[at as usize].kind == OperandKind::Float { float() } else { None };
        self.flow.constant(at).or_else(float).is_some_and(|bits| bits != 0)
    }

    /// A conversion: one of integers that leaves the word as it is hands it on.
    fn converted(&self, site: UseSite, s: &Statement, what: What, depth: u32, found: &mut Vec<Reader>) {
        let flow = self.flow;
        let m = flow.meaning(s);
        let (Some(to), Some(from)) = (m.ty, m.source) else { return };
        let mut reads = |uniform: bool| found.push(Reader { statement: site.statement, uniform });
        let whole = !(to.is_int() && from.is_int());
        if self.pairs != (whole && from.bits() == 64) {
            return;
        }
        if whole {
            return reads(true);
        }
        if m.sat || m.pack {
            return reads(!m.pack && to.bits() < 32);
        }
        if to.bits() < 32 || from.bits() < 32 {
            // loaded again with its width, unless that is a mask of the word
            if flow.register_bits(s.operands) >= 32 && to.bits() < 32 && from.bits() == 32 {
                reads(false);
            }
            return;
        }
        if to.bits() == 64 && from == Type::S32 {
            let result = flow.value(s.operands);
            let sums =
                |v: Value| self.flow.abilities().sum_takes_sign && flow.wants(v).iter().all(|u| *u == Use::Add(64));
            if result.is_some_and(sums) {
                return reads(false);
            }
            if !result.is_some_and(|v| flow.low_only(v, depth)) {
                reads(true);
            }
        }
        let what = if to.bits() > from.bits() && what == What::Word { What::Extended } else { what };
        self.read_result(s, what, depth, found);
    }

    /// Whether a value is the same for all threads of a block: of parameters, constants and the numbers of the block.
    fn is_uniform(&self, at: u32, depth: u32) -> bool {
        let flow = self.flow;
        let Some(v) = flow.value(at) else { return flow.constant(at).is_some() };
        let (w, _, _) = flow.maker(v);
        let m = flow.meaning(w);
        let mut sources = flow.arguments(w).skip(1);
        match m.action {
            _ if flow.is_fixed(at) => true,
            _ if depth == 0 || w.guard.is_some() => false,
            Action::Mov => sources.next().is_some_and(|at| flow.is_of_block(at) || self.is_uniform(at, depth - 1)),
            Action::Cvt | Action::Add | Action::Sub | Action::Mul | Action::Mad => {
                m.ty.is_some_and(Type::is_int) && sources.all(|at| self.is_uniform(at, depth - 1))
            }
            _ => false,
        }
    }

    /// Whether a minimum or maximum reads what a statement adds.
    fn is_limited(&self, s: &Statement) -> bool {
        let flow = self.flow;
        flow.value(s.operands).is_some_and(|v| {
            flow.uses(v).take(READERS).any(|site| {
                let m = flow.meaning(&flow.module().statements[site.statement as usize]);
                matches!(m.action, Action::Min | Action::Max)
            })
        })
    }

    /// Whether a loop of one block, which is unrolled, counts a register up from what is no constant: a comparison in it becomes
    /// differences of the two. It is not unrolled where a store may change what a load at another count reads.
    fn counts(&self, at: u32, comparison: u32) -> bool {
        let flow = self.flow;
        let Some((register, (start, end))) = flow.register(at).zip(flow.block_loop(comparison)) else { return false };
        let statements = &flow.module().statements[start as usize..end as usize];
        let branch = &flow.module().statements[end as usize];
        let m = |s: &Statement| flow.meaning(s);
        let counted = |s: &Statement| {
            let mut terms = flow.arguments(s).skip(1);
            flow.register(s.operands) == Some(register)
                && m(s).action == Action::Add
                && terms.next().and_then(|at| flow.register(at)) == Some(register)
                && terms.next().is_some_and(|at| flow.constant(at).is_some())
        };
        let mut instructions = statements.iter().filter(|s| s.kind == StatementKind::Instruction);
        let compared = m(&flow.module().statements[comparison as usize]);
        let kept = |s: &Statement| {
            let text = s.span.of(flow.module().source);
            s.kind == StatementKind::Directive && text.windows(8).any(|w| w == b"nounroll")
        };
        !statements.iter().any(kept)
            && (compared.irreflexive || compared.tests_equality)
            && branch.guard.is_some_and(|g| !g.negated)
            && statements.len() <= NEAR
            && instructions.clone().all(|s| !m(s).effect || m(s).action == Action::Store && !m(s).volatile)
            && !self.stores_between(statements)
            && instructions.any(counted)
            && flow
                .statements_from_last(register)
                .take(READERS)
                .find(|&(s, i)| i < start && flow.register(s.operands) == Some(register) && m(s).writes)
                .is_some_and(|(s, _)| match m(s).action {
                    Action::Load(Space::Memory) => false,
                    Action::Mov => !flow.arguments(s).nth(1).is_some_and(|at| self.is_uniform(at, STEPS)),
                    _ => true,
                })
    }

    /// Whether statements of a loop load from and store to one memory, not all of them through registers that are counted up.
    fn stores_between(&self, statements: &[Statement]) -> bool {
        let flow = self.flow;
        let of = |store: bool| {
            statements.iter().filter(move |s| match flow.meaning(s).action {
                Action::Store => store,
                Action::Load(Space::Memory) => !store,
                _ => false,
            })
        };
        let address = |s: &Statement| match flow.meaning(s).action {
            Action::Store => Some(s.operands + 1),
            _ => flow.arguments(s).nth(1).map(|at| at + 1),
        };
        let counted = |s: &Statement| {
            let Some(register) = address(s).and_then(|at| flow.register(at)) else { return false };
            statements.iter().any(|s| {
                let same = |at: u32| flow.register(at) == Some(register);
                flow.meaning(s).action == Action::Add && same(s.operands) && flow.arguments(s).nth(1).is_some_and(same)
            })
        };
        of(true).any(|store| {
            of(false).any(|load| {
                let (a, b) = (flow.meaning(store).memory, flow.meaning(load).memory);
                (a == b || a == Memory::Any || b == Memory::Any) && !(counted(store) && counted(load))
            })
        })
    }

    /// Whether the predicate that a comparison makes chooses a register: the comparison is made into that choice. Without
    /// sums that take a sign one of floats too, but not one of pairs.
    fn chooses(&self, s: &Statement, integer: bool) -> bool {
        let flow = self.flow;
        let sums = flow.abilities().sum_takes_sign;
        let pair = flow.meaning(s).ty.is_some_and(|ty| ty.bits() == 64);
        if !sums && pair || sums && !integer {
            return false;
        }
        flow.value(s.operands).is_some_and(|predicate| {
            flow.uses(predicate).take(READERS).any(|site| {
                let choice = &flow.module().statements[site.statement as usize];
                let m = flow.meaning(choice);
                m.action == Action::Selp
                    && !(sums && m.ty.is_some_and(Type::is_float))
                    && flow
                        .arguments(choice)
                        .skip(1)
                        .take(2)
                        .any(|at| flow.register(at).is_some() && flow.constant(at).is_none())
            })
        })
    }

    /// The one place that reads what a statement makes, with its statement.
    fn only_reader(&self, s: &Statement) -> Option<(UseSite, &Statement)> {
        let mut uses = self.flow.uses(self.flow.value(s.operands)?);
        let site = uses.next().filter(|site| site.operand != u32::MAX)?;
        uses.next().is_none().then(|| (site, &self.flow.module().statements[site.statement as usize]))
    }

    /// Whether a sum with a register that is no parameter takes in what a statement makes.
    fn is_added(&self, s: &Statement) -> bool {
        let flow = self.flow;
        self.only_reader(s).is_some_and(|(site, sum)| {
            let other = |at: u32| at != site.operand && flow.register(at).is_some() && !self.is_uniform(at, STEPS);
            matches!(flow.meaning(sum).action, Action::Add | Action::Sub) && flow.arguments(sum).skip(1).any(other)
        })
    }

    /// Whether what a statement makes is added to a register that it reads itself.
    fn is_summed(&self, s: &Statement, factor: u32) -> bool {
        let flow = self.flow;
        self.only_reader(s).is_some_and(|(_, sum)| {
            flow.meaning(sum).action == Action::Add
                && flow
                    .arguments(sum)
                    .skip(1)
                    .any(|at| flow.register(at).is_some() && flow.register(at) == flow.register(factor))
        })
    }

    /// Whether a sum with a constant takes in a sum, or a mask a logic operation.
    fn is_continued(&self, s: &Statement) -> bool {
        let flow = self.flow;
        let logic = |m: Action| matches!(m, Action::And | Action::Or | Action::Xor);
        self.only_reader(s).is_some_and(|(_, next)| {
            let (first, second) = (flow.meaning(s).action, flow.meaning(next).action);
            logic(first) == logic(second)
                && (logic(second) || matches!(second, Action::Add | Action::Sub))
                && flow.arguments(next).skip(1).any(|at| self.is_immediate(at))
        })
    }

    /// What makes a value for one reader, and a constant that it reads.
    fn made_with_constant(&self, at: u32) -> Option<Action> {
        let flow = self.flow;
        let (w, _, _) = flow.maker(flow.value(at)?);
        let constant = flow.arguments(w).skip(1).any(|at| self.is_immediate(at));
        (constant && w.guard.is_none() && self.only_reader(w).is_some()).then(|| flow.meaning(w).action)
    }

    /// Whether a sum takes in the shift or product by a constant that a value is.
    fn is_scaled(&self, at: u32) -> bool {
        matches!(self.made_with_constant(at), Some(Action::Shl | Action::Mul))
    }

    /// Whether a value is a sum with a constant, for one reader.
    fn is_offset(&self, at: u32) -> bool {
        matches!(self.made_with_constant(at), Some(Action::Add | Action::Sub))
    }

    /// Whether a value is a parameter that was extended.
    fn is_extended(&self, at: u32) -> bool {
        let flow = self.flow;
        let Some(v) = flow.value(at) else { return false };
        let (w, _, _) = flow.maker(v);
        flow.meaning(w).action == Action::Cvt && flow.arguments(w).nth(1).is_some_and(|at| flow.is_fixed(at))
    }

    /// Whether a comparison is for nothing but a branch, of which no way ends the function: all threads go the same way.
    fn is_branched_by(&self, s: &Statement) -> bool {
        let flow = self.flow;
        flow.value(s.operands).is_some_and(|predicate| {
            let mut uses = flow.uses(predicate).take(READERS);
            !flow.escapes(predicate)
                && uses.all(|site| {
                    let branch = &flow.module().statements[site.statement as usize];
                    site.operand == u32::MAX
                        && flow.meaning(branch).action == Action::Branch
                        && !flow.leaves(site.statement)
                })
        })
    }
}
