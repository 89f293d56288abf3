//! What changes nothing of a float but its sign.

use crate::ptx::{OperandKind, Statement, Type};

use super::facts::float_bits;
use super::flow::{Flow, UseSite, Value};
use super::meaning::Action;
use super::uses::READERS;

/// What becomes of a float.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// Its sign is changed.
    Neg,
    /// Its sign is taken away.
    Abs,
    /// It stays what it is.
    Same,
}

impl Flow<'_> {
    /// What a statement does to a float of a type, and the operand that it is, if it does no more: `neg`, `abs`, and a
    /// product with 1 or -1 that says nothing about rounding.
    pub fn sign(&self, s: &Statement, ty: Type) -> Option<(Sign, u32)> {
        let m = self.meaning(s);
        if m.ty != Some(ty) || !ty.is_float() {
            return None;
        }
        let mut arguments = self.arguments(s).skip(1);
        let first = arguments.next()?;
        match m.action {
            Action::Neg => Some((Sign::Neg, first)),
            Action::Abs => Some((Sign::Abs, first)),
            Action::Mul if !m.sat && !m.rounds => {
                let second = arguments.next()?;
                let (factor, other) = match self.unit(second, ty) {
                    Some(negative) => (negative, first),
                    None => (self.unit(first, ty)?, second),
                };
                self.register(other)?;
                match factor {
                    true => Some((Sign::Neg, other)),
                    // a product with 1 may be there to flush
                    false => (!m.ftz).then_some((Sign::Same, other)),
                }
            }
            _ => None,
        }
    }

    /// Whether a float that a change of sign made is in a register of its own at a statement: something on every way there
    /// reads it and takes no sign in.
    pub fn is_put_before(&self, v: Value, statement: u32) -> bool {
        self.uses(v)
            .take(READERS)
            .take_while(|site| site.statement < statement)
            .any(|site| !self.takes_sign_in(site) && self.is_done(site.statement, statement))
    }

    /// Whether a reader of a float takes the sign of it in: arithmetic and comparisons of floats do, and conversions of one.
    fn takes_sign_in(&self, site: UseSite) -> bool {
        let s = &self.module().statements[site.statement as usize];
        let m = self.meaning(s);
        match m.action {
            Action::Cvt => s.operand_count == 2,
            Action::Add | Action::Sub | Action::Mul | Action::Fma | Action::Div => true,
            Action::Neg | Action::Abs | Action::Min | Action::Max => true,
            Action::Setp | Action::Set | Action::Selp | Action::Mov => true,
            _ => false,
        }
    }

    /// Whether an operand is -1, where it is 1 or -1.
    fn unit(&self, at: u32, ty: Type) -> Option<bool> {
        let module = self.module();
        let o = module.operands.get(at as usize)?;
        let bits = match o.kind {
            OperandKind::Float => float_bits(o.span.of(module.source), ty.bits())?,
            OperandKind::Register(_) => self.known_constant(at)?,
            _ => return None,
        };
        let one = match ty {
            Type::F16 => 0x3c00,
            Type::F32 => u64::from(1_f32.to_bits()),
            Type::F64 => 1_f64.to_bits(),
            _ => return None,
        };
        let sign = 1 << (ty.bits() - 1);
        (bits & !sign == one).then_some(bits & sign != 0)
    }
}
