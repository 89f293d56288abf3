//! What 16-bit arithmetic sees of its sources.

use crate::ptx::{OperandKind, Statement, Type};

use super::facts::{How, Known};
use super::flow::{Work, after};
use super::meaning::{Action, Meaning, Space};

/// What 16-bit arithmetic sees of a source: it is zero from this bit on; 64 where it sees nothing.
///
/// ptxas looks at what stands right before the operation, and has another look for each purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Half {
    /// As a term of a sum, and in logic, shifts and choices.
    pub term: u8,
    /// As a factor of a product, which is extended to a word where it is not known.
    pub factor: u8,
}

impl Half {
    /// Nothing.
    pub const NOTHING: Half = Half { term: 64, factor: 64 };

    /// What is seen of what is zero from a bit on.
    pub(super) const fn of(from: u32, how: How) -> Half {
        let from = from as u8;
        match how {
            How::Load | How::Mask | How::Choice | How::Constant => Half { term: from, factor: from },
            // read again with 16 bits
            How::Param => Half { term: if from < 16 { 16 } else { from }, factor: 64 },
            How::Shift | How::Half | How::Other => Half { term: from, factor: 64 },
            How::Unknown | How::Limit | How::Clamp | How::Convert | How::Rounded => Half::NOTHING,
        }
    }
}

/// What a load makes seen: a vector's elements are parts of words, and constants are read again with 16 bits.
pub(super) fn of_load(space: Space, vector: bool, ty: Type) -> Half {
    match space {
        _ if vector || ty.is_signed() => Half::NOTHING,
        Space::Const => Half::of(ty.bits(), How::Param),
        _ => Half::of(ty.bits(), How::Load),
    }
}

/// What a shift to the right by a constant makes seen; `alone` where one place reads the result.
pub(super) fn of_shift(source: Known, by: u32, width: u32, alone: bool) -> Half {
    let half = width == 16;
    let from = width.min(if half { source.half.term.into() } else { source.zero_from.into() });
    let term = from.saturating_sub(by) as u8;
    // whole bytes are taken out by a permutation
    let direct = half && alone && !by.is_multiple_of(8) && source.half.factor <= 16;
    Half { term, factor: if direct { term } else { 64 } }
}

/// What a conversion to an integer makes seen.
pub(super) fn of_conversion(dst: Type, src: Type, source: Half) -> Half {
    let same = |bits: u32| u32::from(source.term) <= bits;
    match (dst.bits(), src.bits()) {
        _ if !src.is_int() && dst.bits() > 8 => Half::NOTHING,
        (_, 64) => Half::NOTHING,
        (bits, from) if src.is_int() && same(bits.min(from)) => source,
        (8, _) | (16, 8) if dst.is_unsigned() && src.is_unsigned() || !src.is_int() => Half { term: 16, factor: 64 },
        _ => Half::NOTHING,
    }
}

/// Whether an operation is 16-bit arithmetic.
pub(super) fn is_half(m: &Meaning) -> bool {
    m.ty.is_some_and(|t| !t.is_float() && t.bits() == 16)
}

/// Whether a sum takes in what makes one of its terms, a shift or a choice of two constants, and loses sight of it.
pub(super) fn loses_term(work: &mut Work<'_>, statement: &Statement, m: &Meaning) -> bool {
    if m.action != Action::Add || !is_half(m) {
        return false;
    }
    let end = statement.operands + statement.operand_count;
    let second = after(work.module, statement.operands, end);
    let third = after(work.module, second, end);
    // doubling is a shift
    work.value(second) != work.value(third) && [second, third].into_iter().any(|at| joins_sum(work, at))
}

fn joins_sum(work: &mut Work<'_>, mut at: u32) -> bool {
    let mut shifted = false;
    loop {
        let Some(v) = work.value(at) else { return false };
        if work.uses(v).len() > 1 || work.escapes(v) {
            return false;
        }
        let s = work.statement(work.made(v).statement);
        let m = work.meaning(s);
        let second = after(work.module, s.operands, s.operands + s.operand_count);
        match m.action {
            Action::Cvt if m.ty.is_some_and(|t| t.is_int() && t.bits() == 16) && s.guard.is_none() => at = second,
            // a choice is shifted where it is made; two shifts are a mask
            Action::Shl if is_half(m) && !shifted => (at, shifted) = (second, true),
            Action::Shr => return m.ty.is_some_and(|t| !t.is_signed()) && !shifted,
            Action::MulHi => return !shifted,
            Action::Selp => {
                let constant =
                    |at: u32| work.module.operands.get(at as usize).is_some_and(|o| o.kind == OperandKind::Integer);
                return constant(second) && constant(second + 1);
            }
            _ => return false,
        }
    }
}
