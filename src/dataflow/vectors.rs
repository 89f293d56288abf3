//! Arithmetic of a value with one that is not the same for all threads.

use crate::ptx::OperandKind;

use super::flow::{Flow, UseSite, Value};
use super::meaning::Action;
use super::uses::READERS;

impl Flow<'_> {
    /// Whether all that reads a value puts it together with another register, a parameter or constant not being one: such an
    /// instruction reads a uniform register beside the other one. `packed` says whether halves put together count.
    pub fn meets_registers(&self, v: Value, packed: bool) -> bool {
        let mut uses = self.uses(v).take(READERS).peekable();
        uses.peek().is_some() && !self.escapes(v) && uses.all(|site| self.meets_register(site, packed, true))
    }

    fn meets_register(&self, site: UseSite, packed: bool, shifts: bool) -> bool {
        let s = &self.module().statements[site.statement as usize];
        let m = self.meaning(s);
        let mut arguments = self.arguments(s).skip(1);
        let other = |at: u32| at != site.operand && self.register(at).is_some() && !self.is_fixed(at);
        match m.action {
            _ if site.operand == u32::MAX || m.ty.is_none_or(|t| t.is_float() || t.bits() > 32) => false,
            Action::Add
            | Action::Sub
            | Action::Mul
            | Action::Min
            | Action::Max
            | Action::Or
            | Action::Xor
            | Action::And => arguments.take(2).any(other),
            Action::Mov => arguments.next().is_some_and(|vector| {
                let pair = self.module().operands[vector as usize].kind == OperandKind::Vector(2);
                packed && pair && [vector + 1, vector + 2].into_iter().any(other)
            }),
            Action::Shl if shifts && arguments.nth(1).is_some_and(|by| self.constant(by).is_some()) => {
                self.value(s.operands).is_some_and(|shifted| {
                    let mut uses = self.uses(shifted);
                    let single = uses.next().filter(|_| uses.next().is_none());
                    single.is_some_and(|site| self.meets_register(site, packed, false))
                })
            }
            _ => false,
        }
    }
}
