//! Trying the rules in their order.

use smallvec::SmallVec;

use crate::dataflow::facts;
use crate::ptx::Type;
use crate::sass::Instruction;
use crate::translate::Fate;

use super::case::{Case, Origin};
use super::emit::Emit;
use super::registers::Registers;
use super::rule::{Rule, RuleId};
use super::rules::{OPERATION, RESULT, int_to_int};

/// What becomes of a conversion.
#[derive(Debug, Clone, PartialEq)]
pub struct Lowering {
    /// The operation rule that matched.
    pub rule: RuleId,
    /// Emitted, folded, constant or dead.
    pub fate: Fate,
    /// The instructions at its own statement.
    pub sass: SmallVec<[Instruction; 1]>,
}

fn first(sets: &[&'static [Rule]], case: &Case<'_>) -> Option<&'static Rule> {
    sets.iter().flat_map(|rules| rules.iter()).find(|r| (r.when)(case))
}

/// Lower a conversion; `statement` is where scratch registers have to be free.
///
/// `None` only for a form that no rule covers, which legality does not let through.
pub fn lower(case: &Case<'_>, registers: &Registers, statement: u32) -> Option<Lowering> {
    let rule = first(OPERATION, case)?;
    let id = RuleId(rule);
    if case.dead {
        return Some(Lowering { rule: id, fate: Fate::Dead, sass: SmallVec::new() });
    }
    if let Some(bits) = constant(case) {
        return Some(Lowering { rule: id, fate: Fate::Constant { bits }, sass: SmallVec::new() });
    }
    let mut e = Emit::new(registers, statement, case.dst, case.source.operand);
    (rule.emit)(case, &mut e);
    if e.folded.is_none()
        && !e.saturated
        && let Some(finish) = first(RESULT, case)
    {
        (finish.emit)(case, &mut e);
    }
    let fate = match e.folded.or(e.note) {
        Some(why) if e.out.is_empty() => Fate::Folded { into: None, sass: SmallVec::new(), why },
        _ => Fate::Emitted,
    };
    Some(Lowering { rule: id, fate, sass: e.out })
}

/// The result's bits where ptxas computes them itself.
fn constant(case: &Case<'_>) -> Option<u64> {
    let (form, value) = (case.form, case.source.known.constant?);
    if case.from_int() && case.to_int() {
        let (dst, src) = (int_to_int::int(form.dst), int_to_int::int(form.src));
        let v = facts::truncate(value, src.bits.into());
        let v = if src.signed { i128::from(facts::sign_extend(v, src.bits.into()) as i64) } else { i128::from(v) };
        let v = if form.sat {
            let (low, high) = if dst.signed {
                (-(1i128 << (dst.bits - 1)), (1i128 << (dst.bits - 1)) - 1)
            } else {
                (0, (1i128 << dst.bits) - 1)
            };
            v.clamp(low, high)
        } else {
            v
        };
        return Some(facts::truncate(v as u64, dst.bits.into()));
    }
    let _ = (Origin::Unknown, Type::F32);
    None
}
