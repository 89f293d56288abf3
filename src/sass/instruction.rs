//! One instruction: guard, operation, operands.

use std::fmt;

use smallvec::SmallVec;

use super::alu::Alu;
use super::convert::Convert;
use super::operand::{Operand, Pred};

/// `@P0` or `@!P0`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Guard {
    /// The predicate.
    pub pred: Pred,
    /// `@!`
    pub negated: bool,
}

impl fmt::Display for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "@{}{}", if self.negated { "!" } else { "" }, self.pred)
    }
}

/// An operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Op {
    /// A conversion.
    Convert(Convert),
    /// An arithmetic or logic instruction.
    Alu(Alu),
}

impl Op {
    /// A load into a uniform register, which says so in its name.
    pub fn loads_uniform(self) -> bool {
        matches!(self, Op::Alu(Alu::Ldcu(_) | Alu::Uldc(_)))
    }
}

impl From<Convert> for Op {
    fn from(c: Convert) -> Self {
        Op::Convert(c)
    }
}

impl From<Alu> for Op {
    fn from(a: Alu) -> Self {
        Op::Alu(a)
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Op::Convert(c) => c.fmt(f),
            Op::Alu(a) => a.fmt(f),
        }
    }
}

/// One SASS instruction.
#[derive(Debug, Clone, PartialEq)]
pub struct Instruction {
    /// Its guard predicate.
    pub guard: Option<Guard>,
    /// What it does.
    pub op: Op,
    /// Destination first.
    pub operands: SmallVec<[Operand; 4]>,
}

impl Instruction {
    /// The guard as printed, `@!P0`.
    pub fn guard(&self) -> Option<Guard> {
        self.guard
    }

    /// The opcode with its modifiers, as printed.
    pub fn opcode(&self) -> Opcode {
        Opcode { op: self.op, uniform: self.is_uniform() && !self.op.loads_uniform() }
    }

    /// Whether it is done in uniform registers throughout.
    fn is_uniform(&self) -> bool {
        let common = self.operands.iter().any(|o| matches!(o, Operand::Reg { .. }));
        !common && self.operands.iter().any(|o| matches!(o, Operand::Uniform { .. }))
    }

    /// The operands as printed, separated by commas.
    pub fn operands(&self) -> impl fmt::Display + '_ {
        Operands(&self.operands)
    }
}

/// An operation as its opcode names it: with a U in front where it is done in uniform registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Opcode {
    op: Op,
    uniform: bool,
}

impl fmt::Display for Opcode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.uniform {
            f.write_str("U")?;
        }
        self.op.fmt(f)
    }
}

struct Operands<'a>(&'a [Operand]);

impl fmt::Display for Operands<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, o) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str(", ")?;
            }
            o.fmt(f)?;
        }
        Ok(())
    }
}

impl fmt::Display for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(g) = self.guard {
            write!(f, "{g} ")?;
        }
        write!(f, "{} {}", self.opcode(), self.operands())
    }
}
