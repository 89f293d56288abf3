//! One conversion: its form, its decoding, its legality. Knows no text and no SASS.

pub mod code;
pub mod decode;
pub mod foreign;
pub mod form;
pub mod legality;
pub mod operand;
pub mod signature;
pub mod violation;

pub use decode::{Decoded, decode};
pub use form::{Form, Rounding};
pub use legality::{Judge, check};
pub use operand::{OperandShape, Operands, shapes};
pub use violation::{Fault, Place, Violation};
