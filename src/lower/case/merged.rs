//! Narrow conversions that merge what they make into the word that a statement puts together.

use smallvec::SmallVec;

use crate::dataflow::{Action, Flow, Value};
use crate::lower::registers::Registers;
use crate::ptx::{OperandKind, Type};
use crate::sass::Operand;

/// Bytes of a word.
const BYTES: u32 = 4;

/// Where a half is the lower one of two that a `mov` or a vector store puts into a word, and the upper one; or a byte is one
/// of the low ones that a `mov` puts into a word, and what stands above it, nothing where that is zero.
pub(super) fn low_of(flow: &Flow<'_>, registers: &Registers, v: Value) -> Option<(u32, Option<Operand>)> {
    let (maker, _, _) = flow.maker(v);
    if flow.meaning(maker).ty == Some(Type::E2m1x2) {
        return low_byte_of(flow, registers, v);
    }
    // what comes from several ways is not merged where it may be somewhere else, nor what is put into a register for that
    let of_ways = |v: Value| {
        let m = flow.meaning(flow.maker(v).0);
        m.calls || m.merges && m.action != Action::Selp
    };
    let joined = |at: u32| flow.register(at).is_some() && flow.value(at).is_none_or(of_ways);
    let parameter = |at: u32| flow.value(flow.copied(at)).is_some_and(|v| flow.loads_parameter(flow.maker(v).0));
    let put = |at: u32| flow.known_constant(at).is_some_and(|constant| constant != 0) || parameter(at);
    let alone = flow.arguments(maker).nth(2).is_none();
    let mut sources = flow.arguments(maker).skip(1);
    let differ = || {
        let number = |at: u32| flow.value(at).map(|v| flow.number(v));
        let numbers: SmallVec<[_; 4]> = flow.arguments(maker).skip(1).map(number).collect();
        numbers.iter().any(|number| *number != numbers[0])
    };
    let uniform = |at: u32| alone && flow.abilities().loads_parameters && parameter(at);
    if sources.any(|at| joined(at) || uniform(at) || put(at) && differ()) {
        return None;
    }
    let module = flow.module();
    flow.uses(v).find_map(|site| {
        let s = &module.statements[site.statement as usize];
        if !matches!(flow.meaning(s).action, Action::Mov | Action::Store) || site.operand == u32::MAX {
            return None;
        }
        let vector = flow.arguments(s).nth(1)?;
        let OperandKind::Vector(count) = module.operands[vector as usize].kind else { return None };
        let element = site.operand.checked_sub(vector + 1)?;
        let upper = site.operand + 1;
        (count % 2 == 0 && element % 2 == 0)
            .then(|| flow.register(upper).map(|r| (site.statement, Some(Operand::reg(registers.get(r))))))?
    })
}

/// As [`low_of`], of a byte of two e2m1 that nothing else reads.
fn low_byte_of(flow: &Flow<'_>, registers: &Registers, v: Value) -> Option<(u32, Option<Operand>)> {
    let module = flow.module();
    let site = flow.uses(v).next().filter(|site| site.operand != u32::MAX)?;
    let s = &module.statements[site.statement as usize];
    let m = flow.meaning(s);
    let first = flow.arguments(s).nth(1)? + 1;
    let whole = m.action == Action::Mov
        && s.guard.is_none()
        && m.ty.is_some_and(|ty| ty.bits() == 32)
        && module.operands[first as usize - 1].kind == OperandKind::Vector(BYTES as u16);
    let element = site.operand.checked_sub(first).filter(|_| whole)?;
    let converted = |n: u32| {
        flow.value(first + n).is_some_and(|byte| {
            let (w, _, _) = flow.maker(byte);
            let m = flow.meaning(w);
            let made = m.ty == Some(Type::E2m1x2) && m.source == Some(Type::F32) && w.guard.is_none();
            made && flow.uses(byte).nth(1).is_none() && !flow.escapes(byte)
        })
    };
    let zero = |n: u32| flow.constant(first + n) == Some(0);
    // two bytes below another two, or one below nothing
    let merged = match [0, 1, 2, 3].map(converted) {
        [false, ..] => 0,
        [_, true, true, true] => 4,
        [_, true, true, false] if zero(3) => 3,
        [_, true, ..] => 2,
        [_, false, true, true] => 0,
        [_, false, ..] => u32::from(zero(1)),
    };
    let above = flow.register(first + element + 1).filter(|_| element + 1 < BYTES);
    (element < merged).then(|| (site.statement, above.map(|r| Operand::reg(registers.get(r)))))
}
