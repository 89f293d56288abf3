//! Which values differ between the threads of a warp, as far as ptxas sees.

use crate::ptx::OperandKind;

use super::flow::{Flow, Value, after};
use super::meaning::Action;

/// How many values are followed; of more it is taken that they differ.
const FOLLOWED: u32 = 64;

/// Special registers that are the same in all threads of a warp.
const SAME: [&[u8]; 6] = [b"%ctaid", b"%nctaid", b"%ntid", b"%cluster", b"%ncluster", b"%gridid"];

impl Flow<'_> {
    /// Whether a branch may be taken by some threads of a warp and not by others.
    pub(super) fn is_divergent(&self, branch: u32) -> bool {
        let mut left = FOLLOWED;
        self.guard_of(branch).is_none_or(|v| self.differs(v, &mut left))
    }

    fn differs(&self, v: Value, left: &mut u32) -> bool {
        let Some(next) = left.checked_sub(1) else { return true };
        *left = next;
        let (s, made, _) = self.maker(v);
        let m = self.meaning(s);
        match m.action {
            // one thread's word for all
            Action::Effect if m.shuffles => return false,
            Action::Effect | Action::Call => return true,
            _ => {}
        }
        let module = self.module();
        let end = s.operands + s.operand_count;
        let of_operand = |at: u32, left: &mut u32| match module.operands[at as usize].kind {
            OperandKind::Register(_) => self.value(at).is_none_or(|v| self.differs(v, left)),
            OperandKind::Special(name) => {
                let name = module.names[name.0 as usize];
                !SAME.iter().any(|same| name.starts_with(same))
            }
            _ => false,
        };
        let guarded = s.guard.is_some() && self.guard_of(made).is_none_or(|v| self.differs(v, left));
        guarded || (after(module, s.operands, end)..end).any(|at| of_operand(at, left))
    }
}
