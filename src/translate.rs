//! From text to the SASS of its conversions: the stations of the data in their order.

use smallvec::SmallVec;

use crate::cvt::Form;
use crate::diagnostic::Diagnostic;
use crate::lower::RuleId;
use crate::ptx::{Module, RegId};
use crate::sass::{Instruction, Reg};
use crate::target::Target;

/// The version of ptxas whose output is reproduced.
pub const REFERENCE: &str = "ptxas 13.1.115";

/// How a conversion is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Context {
    /// As it stands in its kernel, with the code around it.
    #[default]
    Kernel,
    /// By itself: nothing is known of its sources, all of its result is wanted.
    Isolated,
}

/// What to translate for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// The architecture to generate for; `None` takes the file's `.target`.
    pub arch: Option<Target>,
    /// Judge the file as if its `.target` were `arch` and its `.version` the newest.
    pub retarget: bool,
    /// In the kernel or by itself.
    pub context: Context,
}

/// What became of a conversion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// ptxas attributes instructions to its statement.
    Emitted,
    /// No instruction of its own: another statement's instructions do its work.
    Folded {
        /// The statement that carries it (index into [`Module::statements`]), where it is one statement.
        into: Option<u32>,
        /// The instructions there, as far as they are known.
        sass: SmallVec<[Instruction; 1]>,
        /// Why, in a few words.
        why: &'static str,
    },
    /// The result is known: the value's bits, and how many of them.
    Constant {
        /// The bits of the result.
        bits: u64,
    },
    /// The result is not used.
    Dead,
}

/// One legal conversion and what ptxas makes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conversion {
    /// Index into [`Module::statements`].
    pub statement: u32,
    /// What its opcode says.
    pub form: Form,
    /// The rule that gave the instructions.
    pub rule: RuleId,
    /// Emitted, folded, constant or dead.
    pub fate: Fate,
    /// The instructions that ptxas attributes to this statement.
    pub sass: SmallVec<[Instruction; 1]>,
    /// The SASS register of each PTX register in the statement.
    pub registers: SmallVec<[(RegId, Reg); 3]>,
}

/// A function and its conversions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionTranslation {
    /// Index into [`Module::functions`].
    pub function: u32,
    /// Its legal conversions in source order.
    pub conversions: Vec<Conversion>,
}

/// A file and everything found in it.
#[derive(Debug)]
pub struct Translation<'s> {
    /// The syntax tree.
    pub module: Module<'s>,
    /// The architecture that the instructions are for.
    pub arch: Target,
    /// Every function of the module, also those without conversions.
    pub functions: Vec<FunctionTranslation>,
    /// Errors and warnings, in source order.
    pub diagnostics: Vec<Diagnostic>,
}
