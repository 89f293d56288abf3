//! SASS: typed instructions and their printing in nvdisasm's notation. The printer decides nothing.

pub mod alu;
pub mod convert;
pub mod cost;
pub mod float;
pub mod instruction;
pub mod operand;

pub use alu::{Alu, Compare};
pub use convert::{Convert, Format, Int, PackMode, Round};
pub use instruction::{Guard, Instruction, Op, Opcode};
pub use operand::{Operand, Pred, Reg, Selector};
