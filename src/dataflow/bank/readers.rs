//! What reads a parameter, and whether it can read it from a uniform register beside its other operands.

use smallvec::SmallVec;

use crate::dataflow::flow::{Flow, UseSite, Value};
use crate::dataflow::meaning::Action;
use crate::dataflow::uses::{READERS, Use};
use crate::ptx::{OperandKind, Statement, Type};

use super::{Query, Reader};

/// Copies, extensions and arithmetic with constants one after another are followed so far.
pub(super) const STEPS: u32 = 4;

/// What is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    /// The parameter.
    Word,
    /// The parameter as a word of the pair that it was extended to, or with another sign.
    Extended,
    /// What is made of parameters and constants alone.
    Made,
}

impl Flow<'_> {
    /// Whether an operand is a number that all threads of a block have in common.
    fn is_of_block(&self, at: u32) -> bool {
        let module = self.module();
        let OperandKind::Special(name) = module.operands[at as usize].kind else { return false };
        let name = module.names[name.0 as usize];
        [&b"%ctaid"[..], b"%nctaid", b"%ntid"].iter().any(|n| name.starts_with(n))
    }

    /// The width of the register that an operand is.
    pub(in crate::dataflow) fn register_bits(&self, at: u32) -> u32 {
        self.register(at).and_then(|r| self.module().registers[r.0 as usize].ty).map_or(32, Type::bits)
    }
}

impl Query<'_, '_> {
    /// Adds what reads a value.
    pub(super) fn read(&self, v: Value, what: What, depth: u32, found: &mut Vec<Reader>) {
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
        if what == What::Made && self.is_kept(site, s) {
            return self.read_result(s, what, depth, found);
        }
        if m.action == Action::Cvt {
            return self.converted(site, s, what, depth, found);
        }
        if m.action == Action::Mov {
            let vector = |at: u32| matches!(flow.module().operands[at as usize].kind, OperandKind::Vector(_));
            return match flow.arguments(s).nth(1) {
                // of a pair that is taken apart the words are loaded
                _ if vector(s.operands) && ty.bits() == 64 => {}
                Some(of) if !vector(s.operands) && !vector(of) => self.read_result(s, what, depth, found),
                // halves are put together in a common register
                Some(of) if vector(of) => reads(what == What::Made && ty.bits() == 32),
                _ => reads(false),
            };
        }
        let stored = m.action == Action::Store && what == What::Word;
        if ty.bits() == 64 && self.pairs != (ty == Type::F64 || stored) || ty.bits() < 64 && self.pairs {
            // the words of a pair are loaded apart from the pair
            return;
        }
        let others: SmallVec<[u32; 4]> = flow.arguments(s).skip(1).filter(|&at| at != site.operand).collect();
        let immediate = others.iter().any(|&at| self.flow.is_immediate(at));
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
                if immediate && (integer || self.is_uniform_float(ty)) =>
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
            Action::Add | Action::Sub
                if integer && ty.bits() == 64 && what == What::Made && self.flow.abilities().sum_takes_sign =>
            {
                reads(alone());
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
                let packed = ty.bits() == 16 && !others.is_empty();
                let made = what == What::Made && (ty.bits() == 64 || packed);
                let moved = what == What::Extended || made || m.parameter;
                reads(moved && flow.classify(site) != Use::Address);
            }
            Action::Cvta => self.read_result(s, what, depth, found),
            _ => reads(false),
        }
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
            // the half unit reads no uniform register where it widens
            return reads(what != What::Made || !(from.is_float() && from.bits() == 16 && to == Type::F32));
        }
        if m.sat || m.pack {
            let word = || from.bits() == 32 && !flow.abilities().uniform_floats && self.result_is_uniform(s, depth);
            return reads(!m.pack && (to.bits() < 32 || word()));
        }
        if what == What::Made && from.bits() <= 32 {
            let signed =
                from.is_signed() && to.bits() > from.bits() && !flow.known(site.operand).has_sign_of(from.bits());
            return if signed { reads(false) } else { self.read_result(s, what, depth, found) };
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
            if !result.is_some_and(|v| flow.low_only(v)) {
                reads(true);
            }
        }
        let what = if to.bits() > from.bits() && what == What::Word { What::Extended } else { what };
        self.read_result(s, what, depth, found);
    }

    /// Whether a value is the same for all threads of a block: of parameters, constants and the numbers of the block.
    pub(super) fn is_uniform(&self, at: u32, depth: u32) -> bool {
        let flow = self.flow;
        let Some(v) = flow.value(at) else {
            return flow.constant(at).is_some() || flow.module().operands[at as usize].kind == OperandKind::Float;
        };
        let (w, _, _) = flow.maker(v);
        let m = flow.meaning(w);
        let mut sources = flow.arguments(w).skip(1);
        match m.action {
            _ if flow.is_fixed(at) => true,
            _ if depth == 0 || w.guard.is_some() => false,
            Action::Mov => sources.next().is_some_and(|at| flow.is_of_block(at) || self.is_uniform(at, depth - 1)),
            Action::Cvt
            | Action::Add
            | Action::Sub
            | Action::Mul
            | Action::Mad
            | Action::Fma
            | Action::Neg
            | Action::Abs => {
                let done = |ty: Type| ty.is_int() || self.is_uniform_float(ty);
                m.ty.is_some_and(done) && m.source.is_none_or(done) && sources.all(|at| self.is_uniform(at, depth - 1))
            }
            _ => false,
        }
    }

    /// Whether a limit leaves a float as it is, which was clamped before.
    fn is_kept(&self, site: UseSite, s: &Statement) -> bool {
        let flow = self.flow;
        let Some(v) = flow.value(site.operand) else { return false };
        let (made, m) = (flow.meaning(flow.maker(v).0), flow.meaning(s));
        let zero = || flow.arguments(s).skip(1).any(|at| flow.register(at).is_none() && !flow.is_immediate(at));
        made.ty.is_some_and(Type::is_float)
            && made.ty == m.ty
            && (m.action == Action::Cvt && m.sat && made.sat || m.action == Action::Max && made.positive && zero())
    }

    /// Whether there is arithmetic of a type of floats in uniform registers.
    fn is_uniform_float(&self, ty: Type) -> bool {
        ty == Type::F32 && self.flow.abilities().uniform_floats
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

    /// Whether a sum with a register that is no parameter takes in what a statement makes.
    fn is_added(&self, s: &Statement) -> bool {
        let flow = self.flow;
        self.flow.only_reader(s).is_some_and(|(site, sum)| {
            let other = |at: u32| at != site.operand && flow.register(at).is_some() && !self.is_uniform(at, STEPS);
            matches!(flow.meaning(sum).action, Action::Add | Action::Sub) && flow.arguments(sum).skip(1).any(other)
        })
    }

    /// Whether what a statement makes is added to a register that it reads itself.
    fn is_summed(&self, s: &Statement, factor: u32) -> bool {
        let flow = self.flow;
        self.flow.only_reader(s).is_some_and(|(_, sum)| {
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
        self.flow.only_reader(s).is_some_and(|(_, next)| {
            let (first, second) = (flow.meaning(s).action, flow.meaning(next).action);
            logic(first) == logic(second)
                && (logic(second) || matches!(second, Action::Add | Action::Sub))
                && flow.arguments(next).skip(1).any(|at| self.flow.is_immediate(at))
        })
    }

    /// What makes a value for one reader, and a constant that it reads.
    fn made_with_constant(&self, at: u32) -> Option<Action> {
        let flow = self.flow;
        let (w, _, _) = flow.maker(flow.value(at)?);
        let constant = flow.arguments(w).skip(1).any(|at| self.flow.is_immediate(at));
        (constant && w.guard.is_none() && self.flow.only_reader(w).is_some()).then(|| flow.meaning(w).action)
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
