//! Loops that ptxas unrolls: what compares their counter with a parameter reads it from a common register.

use crate::dataflow::meaning::{Action, Memory, Space};
use crate::dataflow::uses::READERS;
use crate::ptx::{Statement, StatementKind};

use super::readers::STEPS;
use super::{NEAR, Query};

impl Query<'_, '_> {
    /// Whether a loop of one block, which is unrolled, counts a register up from what is no constant: a comparison in it becomes
    /// differences of the two. It is not unrolled where a store may change what a load at another count reads.
    pub(super) fn counts(&self, at: u32, comparison: u32) -> bool {
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
}
