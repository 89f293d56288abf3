//! `cvtlower` reads PTX, takes its `cvt` instructions and gives the SASS that ptxas makes of each.
//!
//! [`lower_source`] is the short way, text in and text out. [`translate::translate`] gives everything that is known:
//! the syntax tree, each conversion's form, rule, fate and typed instructions, and all findings. [`report`] prints
//! that, [`explain`] tells about rules and forms, and [`mod@reference`] compares with a real ptxas.
//!
//! The modules are the stations that the data passes, in this order: [`ptx`] (text to syntax tree), [`cvt`] (one
//! conversion and whether it is legal), [`dataflow`] (what is known of a register and wanted of it), [`lower`] (the
//! rules), [`sass`] (typed instructions and their text), [`report`].

pub mod advice;
pub mod bits;
pub mod cvt;
pub mod dataflow;
pub mod diagnostic;
mod embed;
pub mod explain;
pub mod lower;
pub mod matrix;
pub mod ptx;
pub mod reference;
pub mod report;
pub mod sass;
pub mod target;
pub mod translate;

pub use embed::{Finding, LowerError, Lowered, lower_source};
