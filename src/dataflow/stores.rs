//! Stores that extend what they store.

use crate::ptx::{OperandKind, Type};

use super::flow::{Flow, Value, after};
use super::meaning::Action;
use super::uses::READERS;

impl Flow<'_> {
    /// Whether a store that every way to a statement passes has extended a byte or half to a word, as a type does: ptxas
    /// extends what is stored alone, and does it once for the store and the conversions after it.
    pub fn extended_for_store(&self, v: Value, ty: Type, statement: u32) -> bool {
        let module = self.module();
        self.uses(v).take(READERS).take_while(|site| site.statement < statement).any(|site| {
            let s = &module.statements[site.statement as usize];
            let m = self.meaning(s);
            let data = after(module, s.operands, s.operands + s.operand_count);
            m.action == Action::Store
                && s.guard.is_none()
                && site.operand == data
                && matches!(module.operands[data as usize].kind, OperandKind::Register(_))
                && m.ty.is_some_and(|t| t.bits() == ty.bits() && t.is_signed() == ty.is_signed())
                && self.is_done(site.statement, statement)
        })
    }
}
