//! Which narrowing conversions go together into one packing instruction.
//!
//! ptxas makes one F2FP of two like conversions to half: first of those that a `mov.b32 {a, b}` or a vector store puts
//! side by side, then of any two in a block where the first is not read before the second is made.

use crate::ptx::{Module, OperandKind, Statement, StatementKind};

use super::flow::{Flow, Value};
use super::meaning::Action;
use super::uses::Use;

/// How the half of a pair came to be paired.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pair {
    /// The statement that carries the packing instruction, as far as one does: that which puts the halves together.
    pub at: Option<u32>,
    /// This one goes into the upper half.
    pub high: bool,
    /// The conversion that makes the other half.
    pub other: Value,
}

/// Find the pairs of a function; `pairs` gets one entry a value.
pub(super) fn find(
    flow: &Flow,
    module: &Module<'_>,
    first: u32,
    last: u32,
    pairs: &mut Vec<Option<Pair>>,
    values: usize,
) {
    pairs.clear();
    pairs.resize(values, None);
    packed(flow, module, first, last, pairs);
    adjacent(flow, module, first, last, pairs);
}

/// The value of a conversion that can be half of a pair, and its kind.
fn candidate(flow: &Flow, module: &Module<'_>, operand: u32) -> Option<(Value, u8, u32)> {
    let v = flow.value(operand)?;
    let (s, i, _) = flow.maker(module, v);
    let key = flow.meaning(s).half_kind?;
    (s.guard.is_none() && flow.is_live(i)).then_some((v, key, flow.block(i)))
}

/// Pairs that a statement puts side by side.
fn packed(flow: &Flow, module: &Module<'_>, first: u32, last: u32, pairs: &mut [Option<Pair>]) {
    for i in first..last {
        let s = &module.statements[i as usize];
        if s.kind != StatementKind::Instruction || !matches!(flow.meaning(s).action, Action::Mov | Action::Store) {
            continue;
        }
        let Some(vector) = flow.arguments(module, s).nth(1) else { continue };
        let OperandKind::Vector(n) = module.operands[vector as usize].kind else { continue };
        for at in (0..u32::from(n) / 2).map(|k| vector + 1 + 2 * k) {
            let (Some(low), Some(high)) = (candidate(flow, module, at), candidate(flow, module, at + 1)) else {
                continue;
            };
            let free = pairs[low.0.index()].is_none() && pairs[high.0.index()].is_none();
            if low.0 != high.0 && low.1 == high.1 && free {
                pairs[low.0.index()] = Some(Pair { at: Some(i), high: false, other: high.0 });
                pairs[high.0.index()] = Some(Pair { at: Some(i), high: true, other: low.0 });
            }
        }
    }
}

/// Pairs of what is left: the next like conversion of the block, while the first is not read yet.
fn adjacent(flow: &Flow, module: &Module<'_>, first: u32, last: u32, pairs: &mut [Option<Pair>]) {
    let mut waiting: Vec<(Value, u8, u32)> = Vec::new();
    for i in first..last {
        let s = &module.statements[i as usize];
        if s.kind != StatementKind::Instruction {
            continue;
        }
        if flow.meaning(s).calls {
            waiting.clear();
        }
        if !waiting.is_empty() {
            waiting.retain(|w| !reads(flow, s, w.0));
        }
        let Some((v, key, block)) = candidate(flow, module, s.operands) else { continue };
        if flow.meaning(s).half_kind.is_none() || pairs[v.index()].is_some() || !stands_alone(flow, module, s, v) {
            continue;
        }
        match waiting.iter().position(|w| w.1 == key && w.2 == block) {
            Some(at) => {
                let low = waiting.swap_remove(at).0;
                pairs[low.index()] = Some(Pair { at: None, high: false, other: v });
                pairs[v.index()] = Some(Pair { at: None, high: true, other: low });
            }
            None => {
                waiting.retain(|w| w.1 != key);
                waiting.push((v, key, block));
            }
        }
    }
}

fn reads(flow: &Flow, s: &Statement, v: Value) -> bool {
    (s.operands..s.operands + s.operand_count).any(|o| flow.value(o) == Some(v))
}

/// Nothing wants the whole word of the result, and the source is neither a sign to take in nor merged from two ways.
fn stands_alone(flow: &Flow, module: &Module<'_>, s: &Statement, v: Value) -> bool {
    let source = flow.arguments(module, s).nth(1).and_then(|o| flow.value(o));
    let unfit = source.is_some_and(|source| {
        let (w, _, _) = flow.maker(module, source);
        let m = flow.meaning(w);
        // A select from a constant is a predicated copy.
        let constant = m.action == Action::Selp
            && flow.arguments(module, w).skip(1).take(2).any(|o| flow.register(module, o).is_none());
        matches!(m.action, Action::Neg | Action::Abs) || m.merges && !constant || w.guard.is_some()
    });
    !unfit
        && !flow.uses_of(module, v).any(|u| match u {
            Use::Logic | Use::Extend { .. } => true,
            Use::FloatToFloat { from, .. } => from == crate::ptx::Type::Bf16,
            _ => false,
        })
}
