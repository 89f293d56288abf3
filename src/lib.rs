//! `cvtlower` reads PTX, takes its `cvt` instructions and gives the SASS that ptxas makes of each.

pub mod cvt;
pub mod dataflow;
pub mod diagnostic;
pub mod explain;
pub mod lower;
pub mod ptx;
pub mod reference;
pub mod report;
pub mod sass;
pub mod target;
pub mod translate;
