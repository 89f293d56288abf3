//! The rules about single operands.

use super::Case;
use crate::cvt::operand::{Guard, OperandShape, Selector, Special, Value};
use crate::cvt::signature::{Class, width};
use crate::cvt::violation::{Fault, OperandFault, Place};
use crate::ptx::Type;

/// Whether it is a vector of some kind.
pub(super) fn is_vector(operand: &OperandShape) -> bool {
    matches!(operand.value, Value::Vector(_) | Value::VectorRegister(..) | Value::Special(Special::Vector))
}

/// The number of its elements.
pub(super) fn vector_length(operand: &OperandShape) -> Option<usize> {
    match &operand.value {
        Value::Vector(elements) => Some(elements.len()),
        Value::VectorRegister(_, n) => Some(usize::from(*n)),
        _ => None,
    }
}

fn place(index: usize) -> Place {
    Place::Operand(u8::try_from(index).unwrap_or(u8::MAX))
}

/// The type by which an operand that is a register goes.
fn register_type(value: &Value) -> Option<Type> {
    match value {
        Value::Register(ty) | Value::VectorRegister(ty, _) => *ty,
        Value::Special(Special::Double) => Some(Type::U64),
        Value::Special(_) => Some(Type::U32),
        _ => None,
    }
}

impl Case<'_> {
    /// `@r`
    pub(super) fn guard(&mut self) {
        if self.operands.guard != Guard::Fine {
            self.tell(Fault::Operand(OperandFault::Guard), Place::Guard);
        }
    }

    /// `_` as the result ends everything.
    pub(super) fn discarded(&mut self) -> bool {
        let sink = self.operands.list.first().is_some_and(|o| o.value == Value::Sink);
        if sink {
            self.tell(Fault::Operand(OperandFault::Discard), Place::Operand(0));
        }
        sink
    }

    /// What is wrong with an operand by itself, whatever the instruction.
    pub(super) fn operands_as_written(&mut self) {
        let operands = self.operands;
        let mut limited = false;
        for (i, operand) in operands.list.iter().enumerate() {
            let at = place(i);
            let name = || operand.selector_name.clone().unwrap_or_default();
            match operand.selector {
                Some(Selector::Unknown) => self.tell(Fault::Operand(OperandFault::SelectorUnknown(name())), at),
                Some(Selector::Field) => self.tell(Fault::Operand(OperandFault::FieldUnknown(name())), at),
                Some(Selector::Video) | None => {}
            }
            if operand.negated {
                let ty = register_type(&operand.value);
                if ty.is_some_and(|t| !matches!(t, Type::B32 | Type::U32 | Type::S32)) {
                    self.tell(Fault::Operand(OperandFault::Minus), at);
                }
            }
            if operand.inverted && register_type(&operand.value).is_some_and(|t| t != Type::Pred) {
                self.tell(Fault::Operand(OperandFault::Not), at);
            }
            if let Value::Vector(elements) = &operand.value {
                self.vector(elements, i);
            }
            limited |= operand.negated && i == 0;
        }
        if limited || operands.list.iter().filter(|o| o.negated).count() > 1 {
            self.tell(Fault::Operand(OperandFault::NegationLimited), Place::Operands);
        }
    }

    fn vector(&mut self, elements: &[Box<OperandShape>], index: usize) {
        let at = place(index);
        let types: Vec<Type> = elements.iter().filter_map(|e| register_type(&e.value)).collect();
        let four = self.classes().0 == Class::NarrowFour && index == 1;
        let wanted = |t: &Type| !four || width(*t) == 32 || *t == Type::Pred;
        if types.windows(2).any(|w| width(w[0]) != width(w[1])) || !types.iter().all(wanted) {
            self.tell(Fault::Operand(OperandFault::VectorMixed), at);
        }
        if !matches!(elements.len(), 1 | 2 | 4) {
            let n = u16::try_from(elements.len()).unwrap_or(u16::MAX);
            self.tell(Fault::Operand(OperandFault::VectorLength(n)), at);
        }
    }

    /// Names that nothing declares are told at the end.
    pub(super) fn unknown_symbols(&mut self) {
        if self.operands.guard == Guard::Undeclared {
            self.tell(
                Fault::Operand(OperandFault::Unknown(self.operands.guard_name.clone().unwrap_or_default())),
                Place::Guard,
            );
        }
        let operands = self.operands;
        for (i, operand) in operands.list.iter().enumerate() {
            if operand.value == Value::Undeclared {
                self.tell(Fault::Operand(OperandFault::Unknown(operand.name.clone().unwrap_or_default())), place(i));
            }
        }
    }
}

/// A special register is never a result.
pub(super) fn read_only(c: &mut Case<'_>) {
    let integers = matches!(c.classes(), (Class::Integer, Class::Integer)) && !c.decoded.pack;
    if integers && matches!(c.operands.list.first(), Some(OperandShape { value: Value::Special(_), .. })) {
        c.tell(Fault::Operand(OperandFault::ReadOnly), Place::Operand(0));
    }
}

/// Special registers go into conversions between integers only.
pub(super) fn special_registers(c: &mut Case<'_>) {
    let integers = matches!(c.classes(), (Class::Integer, Class::Integer)) && !c.decoded.pack;
    let operands = c.operands;
    if let Some(i) = operands.list.iter().position(|o| matches!(o.value, Value::Special(_)))
        && !integers
    {
        c.tell(Fault::Operand(OperandFault::Special), place(i));
    }
}

/// The result is a register.
pub(super) fn result(c: &mut Case<'_>) {
    let operands = c.operands;
    let Some(result) = operands.list.first() else { return };
    if result.paired {
        c.tell(Fault::Operand(OperandFault::Pair), Place::Operand(0));
    }
    let field = result.selector == Some(Selector::Field);
    if field
        || matches!(
            result.value,
            Value::Integer | Value::Float { .. } | Value::RegisterSum(_) | Value::VariableSum | Value::Code
        )
    {
        c.tell(Fault::Operand(OperandFault::NoResult), Place::Operand(0));
    }
}

/// What is left to say of each operand.
pub(super) fn each(c: &mut Case<'_>) {
    let operands = c.operands;
    let negations = operands.list.iter().filter(|o| o.negated).count();
    for (i, operand) in operands.list.iter().enumerate() {
        let at = place(i);
        match operand.value {
            Value::Variable(_) | Value::Address(_) | Value::RegisterAddress(_) => {
                let n = u8::try_from(i).unwrap_or(u8::MAX);
                c.tell(Fault::Operand(OperandFault::NoRegister(n)), at);
            }
            _ if is_vector(operand) && !vector_taken(c, i) => c.tell(Fault::Operand(OperandFault::Vector), at),
            _ => {}
        }
        if operand.negated && i > 0 && negations == 1 {
            c.tell(Fault::Operand(OperandFault::Negation), at);
        }
        match operand.selector {
            Some(Selector::Field) | None => {}
            Some(_) if i == 0 => c.tell(Fault::Operand(OperandFault::SelectedResult), at),
            Some(_) => c.tell(Fault::Operand(OperandFault::SelectedSource), at),
        }
    }
}

/// Whether a vector may stand at operand `index`.
fn vector_taken(c: &Case<'_>, index: usize) -> bool {
    use crate::cvt::signature::Slot;
    let slot = c.signature().and_then(|s| s.slot(index));
    matches!(slot, Some(Slot::Four | Slot::OneOrFour | Slot::Unchecked | Slot::Word | Slot::Random))
}
