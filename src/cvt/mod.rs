//! One conversion: its form, its decoding, its legality. Knows no text and no SASS.

pub mod advice;
pub mod constant;
pub mod decode;
pub mod defect;
pub mod foreign;
pub mod form;
pub mod forms;
pub mod legality;
pub mod module_check;
pub mod operand;
pub mod signature;
pub mod violation;

pub use decode::{Decoded, decode};
pub use defect::{Defect, defects, may_be_defective};
pub use form::{Form, Rounding};
pub use forms::Spelling;
pub use legality::{Judge, check};
pub use module_check::{ModuleFault, ModulePlace, check_module};
pub use operand::{Names, OperandShape, Operands, shapes, shapes_among};
pub use violation::{Fault, Place, Violation};
