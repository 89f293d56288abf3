//! Which values differ between the threads of a warp, as far as ptxas sees.

use crate::ptx::OperandKind;

use super::flow::{Flow, Value, after};
use super::meaning::Action;

/// How many values are followed; of more it is taken that they differ.
const FOLLOWED: u32 = 64;

/// Special registers that each thread of a warp has its own of; all others ptxas takes for the same.
const OF_THREADS: [&[u8]; 3] = [b"%tid", b"%laneid", b"%lanemask"];

/// The clamp and mask of a `shfl` that goes over the whole warp.
const WHOLE_WARP: u64 = 31;

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
            // one lane's word for all
            Action::Effect if m.broadcasts => {
                let mut arguments = self.arguments(s).skip(2).take(2).map(|at| self.constant(at));
                let (lane, clamp) = (arguments.next().flatten(), arguments.next().flatten());
                return !(lane.is_some() && clamp == Some(WHOLE_WARP));
            }
            Action::Effect | Action::Call => return true,
            _ => {}
        }
        let module = self.module();
        let end = s.operands + s.operand_count;
        let of_operand = |at: u32, left: &mut u32| match module.operands[at as usize].kind {
            OperandKind::Register(_) => self.value(at).is_none_or(|v| self.differs(v, left)),
            OperandKind::Special(name) => {
                let name = module.names[name.0 as usize];
                OF_THREADS.iter().any(|own| name.starts_with(own))
            }
            _ => false,
        };
        let guarded = s.guard.is_some() && self.guard_of(made).is_none_or(|v| self.differs(v, left));
        guarded || (after(module, s.operands, end)..end).any(|at| of_operand(at, left))
    }
}
