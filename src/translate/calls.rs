//! Which functions a kernel calls, directly or through others.

use rustc_hash::FxHashMap;

use crate::ptx::{FunctionKind, Module, OperandKind, StatementKind};

/// For each function of the module, whether it is a kernel or a snippet, or such a one names it, or a function that is
/// named. ptxas generates no code for the others.
pub fn called(module: &Module<'_>) -> Vec<bool> {
    let mut called: Vec<bool> = module.functions.iter().map(|f| f.kind != FunctionKind::Func).collect();
    if called.iter().all(|&c| c) {
        return called;
    }
    let names: FxHashMap<&[u8], usize> =
        module.functions.iter().enumerate().map(|(i, f)| (f.name.of(module.source), i)).collect();
    let mut work: Vec<usize> = (0..called.len()).filter(|&i| called[i]).collect();
    while let Some(i) = work.pop() {
        let statements = module.functions[i].statements.clone();
        for s in &module.statements[statements.start as usize..statements.end as usize] {
            if s.kind != StatementKind::Instruction {
                continue;
            }
            for o in &module.operands[s.operands as usize..(s.operands + s.operand_count) as usize] {
                if let OperandKind::Symbol(name) = o.kind
                    && let Some(&callee) = names.get(module.names[name.0 as usize])
                    && !called[callee]
                {
                    called[callee] = true;
                    work.push(callee);
                }
            }
        }
    }
    called
}
