//! Modules that were read in parts, put together again.

use rustc_hash::FxHashMap;

use super::syntax::{Module, NameId, OpcodeId, OperandKind, RegId};

/// A module that grows by parts.
#[derive(Debug)]
pub struct Merger<'s> {
    module: Module<'s>,
    opcodes: FxHashMap<Vec<u8>, OpcodeId>,
    names: FxHashMap<&'s [u8], NameId>,
}

/// What has to be added to the numbers of a part's functions, statements and registers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Offsets {
    /// Of [`Module::functions`].
    pub function: u32,
    /// Of [`Module::statements`].
    pub statement: u32,
    /// Of [`Module::registers`].
    pub register: u32,
}

impl<'s> Merger<'s> {
    /// The first part, whose numbers stay.
    pub fn new(module: Module<'s>) -> Self {
        let opcodes = module.opcodes.iter().zip(0..).map(|(o, id)| (o.text.to_vec(), OpcodeId(id))).collect();
        let names = module.names.iter().zip(0..).map(|(&name, id)| (name, NameId(id))).collect();
        Self { module, opcodes, names }
    }

    /// Adds the next part; opcodes and names get the numbers that they would have in one piece.
    pub fn add(&mut self, part: Module<'s>) -> Offsets {
        let whole = &mut self.module;
        let offsets = Offsets {
            function: whole.functions.len() as u32,
            statement: whole.statements.len() as u32,
            register: whole.registers.len() as u32,
        };
        let (operands, parameters) = (whole.operands.len() as u32, whole.parameters.len() as u32);
        let mentioned = whole.mentioned.len() as u32;
        let mut opcodes = Vec::with_capacity(part.opcodes.len());
        for opcode in part.opcodes {
            let id = *self.opcodes.entry(opcode.text.to_vec()).or_insert_with(|| {
                whole.opcodes.push(opcode);
                OpcodeId(whole.opcodes.len() as u32 - 1)
            });
            opcodes.push(id);
        }
        let mut names = Vec::with_capacity(part.names.len());
        for name in part.names {
            let id = *self.names.entry(name).or_insert_with(|| {
                whole.names.push(name);
                NameId(whole.names.len() as u32 - 1)
            });
            names.push(id);
        }
        whole.statements.extend(part.statements.into_iter().map(|mut s| {
            // labels and braces have none
            s.opcode = opcodes.get(s.opcode.0 as usize).copied().unwrap_or(s.opcode);
            s.operands += operands;
            if let Some(guard) = &mut s.guard {
                guard.register.0 += offsets.register;
            }
            s
        }));
        whole.operands.extend(part.operands.into_iter().map(|mut o| {
            match &mut o.kind {
                OperandKind::Register(RegId(id)) => *id += offsets.register,
                OperandKind::Symbol(id) | OperandKind::Special(id) => *id = names[id.0 as usize],
                _ => {}
            }
            o
        }));
        whole.functions.extend(part.functions.into_iter().map(|mut f| {
            for (range, offset) in [
                (&mut f.statements, offsets.statement),
                (&mut f.registers, offsets.register),
                (&mut f.parameters, parameters),
                (&mut f.mentioned, mentioned),
            ] {
                *range = range.start + offset..range.end + offset;
            }
            f
        }));
        whole.registers.extend(part.registers);
        whole.parameters.extend(part.parameters);
        whole.constants.extend(part.constants);
        whole.shared.extend(part.shared);
        whole.mentioned.extend(part.mentioned.into_iter().map(|id| names[id.0 as usize]));
        offsets
    }

    /// The whole.
    pub fn finish(self) -> Module<'s> {
        self.module
    }
}
