//! Which functions a kernel calls, directly or through others.

use rustc_hash::FxHashMap;

use crate::ptx::{Function, FunctionKind, Module};

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
        for name in &module.mentioned[mentioned(&module.functions[i])] {
            if let Some(&callee) = names.get(module.names[name.0 as usize])
                && !called[callee]
            {
                called[callee] = true;
                work.push(callee);
            }
        }
    }
    called
}

fn mentioned(function: &Function) -> std::ops::Range<usize> {
    function.mentioned.start as usize..function.mentioned.end as usize
}
