//! From text to the SASS of its conversions: the stations of the data in their order.

mod calls;
mod diagnose;
mod findings;
mod functions;
mod judge;
mod parts;
mod setting;

use smallvec::SmallVec;

use self::functions::Functions;
use self::parts::Whole;
use self::setting::{Setting, judge_head};
use crate::cvt::Form;
use crate::diagnostic::Diagnostic;
use crate::lower::registers::Registers;
use crate::lower::{Case, Machine, RuleId, lower};
use crate::ptx::parser::Reader;
use crate::ptx::{Module, RegId, SyntaxError};
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
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// The architecture to generate for; `None` takes the file's `.target`.
    pub arch: Option<Target>,
    /// Judge the file as if its `.target` were `arch` and its `.version` the newest.
    pub retarget: bool,
    /// In the kernel or by itself.
    pub context: Context,
}

/// What became of a conversion.
#[derive(Debug, Clone, PartialEq)]
pub enum Fate {
    /// ptxas attributes instructions to its statement.
    Emitted,
    /// No instruction of its own: another statement's instructions do its work.
    Folded {
        /// The statement that carries it (index into [`Module::statements`]), where it is one statement.
        into: Option<u32>,
        /// The instructions there, as far as they are known.
        sass: Vec<Instruction>,
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
#[derive(Debug, Clone, PartialEq)]
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
#[derive(Debug, Clone, PartialEq)]
pub struct FunctionTranslation {
    /// Index into [`Module::functions`].
    pub function: u32,
    /// Whether it is a kernel, a snippet or called from one; ptxas leaves out every other function.
    pub called: bool,
    /// Its legal conversions in source order.
    pub conversions: Vec<Conversion>,
}

/// A file and everything found in it.
#[derive(Debug)]
pub struct Translation<'s> {
    /// The syntax tree; of the statements it has the conversions and those that carry a conversion's work.
    pub module: Module<'s>,
    /// The architecture that the instructions are for.
    pub arch: Target,
    /// Every function of the module, also those without conversions.
    pub functions: Vec<FunctionTranslation>,
    /// Errors and warnings, in source order.
    pub diagnostics: Vec<Diagnostic>,
}

/// Translate a file: parse it, judge its conversions, lower the legal ones.
///
/// Nothing fails as a whole: what is wrong is in [`Translation::diagnostics`], everything else is translated.
///
/// ```
/// use cvtlower::target::Target;
/// use cvtlower::translate::{Context, Fate, Options, translate};
///
/// let options = Options { arch: Target::parse("sm_90").ok(), retarget: false, context: Context::Kernel };
/// let translation = translate(b"cvt.rn.f16.f32 h1, f1; cvt.f16.f32 h2, f2;", &options);
/// let conversion = &translation.functions[0].conversions[0];
/// assert_eq!(conversion.fate, Fate::Emitted);
/// assert_eq!(conversion.sass[0].opcode().to_string(), "F2FP.F16.F32.PACK_AB");
/// assert_eq!(translation.diagnostics.len(), 1);
/// ```
pub fn translate<'s>(source: &'s [u8], options: &Options) -> Translation<'s> {
    run(source, options, Keep::Conversions)
}

/// As [`translate`], but [`Translation::module`] has all statements.
pub fn translate_whole<'s>(source: &'s [u8], options: &Options) -> Translation<'s> {
    run(source, options, Keep::All)
}

/// As [`translate`], in so many parts however short the text; `None` where it has to be read in one piece.
#[cfg(any(test, fuzzing))]
pub fn translate_in_parts<'s>(source: &'s [u8], options: &Options, parts: usize) -> Option<Translation<'s>> {
    let Whole { module, functions } = parts::translate(source, options, parts)?;
    Some(finish(module, &[], functions, options))
}

/// Which statements are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keep {
    Conversions,
    All,
}

fn run<'s>(source: &'s [u8], options: &Options, keep: Keep) -> Translation<'s> {
    if keep == Keep::Conversions
        && let Some(Whole { module, functions }) = parts::translate(source, options, parts::worth(source))
    {
        return finish(module, &[], functions, options);
    }
    let mut known = None;
    loop {
        let mut reader = Reader::new(source);
        let mut functions: Option<Functions> = None;
        while reader.next_function() {
            let setting = || known.unwrap_or_else(|| Setting::of(reader.module(), options));
            let functions = functions.get_or_insert_with(|| Functions::new(setting(), options.context));
            functions.translate(reader.module());
            if keep == Keep::Conversions {
                functions.retain(&mut reader);
            }
        }
        let (module, errors) = reader.finish();
        let setting = Setting::of(&module, options);
        let functions = functions.unwrap_or_else(|| Functions::new(setting, options.context));
        // `.version` or `.target` may stand behind a function, where they count all the same.
        if functions.setting == setting {
            return finish(module, &errors, functions, options);
        }
        known = Some(setting);
    }
}

/// What can be said when all functions are known.
fn finish<'s>(
    module: Module<'s>,
    errors: &[SyntaxError],
    functions: Functions<'s>,
    options: &Options,
) -> Translation<'s> {
    let mut diagnostics = findings::of_syntax(errors, module.source);
    judge_head(&module, options, &mut diagnostics);
    diagnostics.extend(functions.findings.into_diagnostics());
    let mut done = functions.done;
    for (function, called) in done.iter_mut().zip(calls::called(&module)) {
        function.called = called;
        if !called && options.context == Context::Kernel {
            function.die();
        }
    }
    // Findings about one statement have one anchor and stay in the order of ptxas.
    diagnostics.sort_by_key(|d| d.anchor.start);
    Translation { module, arch: functions.setting.arch, functions: done, diagnostics }
}

impl FunctionTranslation {
    /// No kernel calls it.
    fn die(&mut self) {
        for c in &mut self.conversions {
            c.fate = Fate::Dead;
            c.sass.clear();
        }
    }
}

impl Translation<'_> {
    /// What a conversion is by itself: nothing known of its sources, all of its result wanted.
    pub fn isolated(&self, c: &Conversion) -> SmallVec<[Instruction; 1]> {
        let registers = Registers::of(&c.registers);
        let s = &self.module.statements[c.statement as usize];
        let case = Case::alone(&c.form, Machine::of(self.arch), &self.module, &registers, s);
        lower(&case, &registers, c.statement).map(|l| l.sass).unwrap_or_default()
    }
}
