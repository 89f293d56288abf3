//! What a float is made of where a pair or a word was extended for it.

use crate::cvt::Form;
use crate::dataflow::facts::How;
use crate::dataflow::{Action, Flow};
use crate::ptx::{OperandKind, Statement, Type};

/// What a pair or a word was extended from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Extended {
    /// The operand that was.
    pub at: u32,
    /// The type it was extended from.
    pub ty: Type,
    /// Width of its register in bits, where that is another one.
    pub bits: Option<u32>,
    /// Nothing else reads what was extended.
    pub alone: bool,
}

/// Whether a statement loads halves of a vector.
fn half_of_vector(flow: &Flow<'_>, load: &Statement) -> bool {
    let vector = matches!(flow.module().operands[load.operands as usize].kind, OperandKind::Vector(_));
    vector && flow.meaning(load).ty.is_some_and(|ty| ty.bits() == 16)
}

/// What a pair was extended from of which an f32 is made, or a word that is half a word of a vector: ptxas makes it of that.
pub(super) fn extended_from(flow: &Flow<'_>, form: &Form, at: u32) -> Option<Extended> {
    if !form.src.is_int() || form.src.bits() < 32 || form.dst != Type::F32 {
        return None;
    }
    let v = flow.value(flow.copied(at))?;
    let (w, _, _) = flow.maker(v);
    let m = flow.meaning(w);
    let narrow = |ty: &Type| ty.is_signed() == form.src.is_signed() && ty.bits() <= 32;
    let pair = form.src.bits() == 64;
    match m.action {
        _ if w.guard.is_some() => None,
        Action::Cvt if pair && m.ty.is_some_and(|ty| ty.is_int() && ty.bits() == 64) && !m.sat && !m.pack => {
            let from = flow.arguments(w).nth(1)?;
            let register = flow.register(from)?;
            let bits = flow.module().registers[register.0 as usize].ty.map_or(32, Type::bits);
            let alone = flow.uses(v).nth(1).is_none() && !flow.escapes(v);
            Some(Extended { at: from, ty: m.source.filter(narrow)?, bits: Some(bits), alone })
        }
        Action::Load(_) if pair && flow.known_value(v).how == How::Load || half_of_vector(flow, w) => {
            Some(Extended { at, ty: m.ty.filter(narrow)?, bits: None, alone: true })
        }
        _ => None,
    }
}
