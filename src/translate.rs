//! From text to the SASS of its conversions: the stations of the data in their order.

mod calls;
mod diagnose;
mod findings;
mod judge;
mod setting;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use self::findings::Findings;
use crate::cvt::Form;
use crate::dataflow::Flow;
use crate::diagnostic::Diagnostic;
use crate::lower::case::{Passed, Surroundings};
use crate::lower::registers::Registers;
use crate::lower::{Case, Machine, RuleId, lower};
use crate::ptx::parser::parse;
use crate::ptx::{Module, OperandKind, RegId};
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
    /// The syntax tree.
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
    let (module, errors) = parse(source);
    let mut diagnostics = findings::of_syntax(&errors, source);
    let mut findings = Findings::default();
    let setting = setting::Setting::of(&module, options, &mut diagnostics);
    let mut flow = Flow::new(&module);
    let mut registers = Registers::new();
    let mut judge = judge::Judge::new(&module, setting.judge, setting.arch);
    let mut functions = Vec::with_capacity(module.functions.len());
    let mut legal = Vec::new();
    let mut passed = Passed::default();
    let called = calls::called(&module);
    let mut parameters: FxHashMap<&'s [u8], u32> = FxHashMap::default();
    for (index, &is_called) in called.iter().enumerate() {
        legal.clear();
        judge.function(&module, index, &mut legal, &mut findings);
        let mut conversions = Vec::with_capacity(legal.len());
        if !legal.is_empty() {
            flow.analyse(&module, index);
            registers.clear();
            let own =
                module.functions[index].parameters.start as usize..module.functions[index].parameters.end as usize;
            parameters.clear();
            // of two with one name the first one counts
            parameters.extend(module.parameters[own].iter().rev().map(|p| (p.name.of(source), p.offset)));
            passed.clear();
            for (statement, form) in &legal {
                registers.visit(&module, &flow, *statement);
                let place = Place {
                    parameters: &parameters,
                    module: &module,
                    flow: &flow,
                    registers: &registers,
                    arch: setting.arch,
                    statement: *statement,
                };
                conversions.extend(place.convert(form, options.context, &mut passed));
            }
        }
        let at: Vec<(u32, SmallVec<[Instruction; 1]>)> = conversions
            .iter()
            .filter(|c| matches!(&c.fate, Fate::Folded { into: Some(_), sass, .. } if sass.is_empty()))
            .filter_map(|c| {
                let Fate::Folded { into: Some(into), .. } = c.fate else { return None };
                let n = conversions.binary_search_by_key(&into, |other| other.statement).ok()?;
                Some((c.statement, conversions[n].sass.clone()))
            })
            .collect();
        for (statement, instructions) in at {
            if let Ok(n) = conversions.binary_search_by_key(&statement, |c| c.statement)
                && let Fate::Folded { sass, .. } = &mut conversions[n].fate
            {
                *sass = instructions.into_vec();
            }
        }
        if !is_called && options.context == Context::Kernel {
            for c in &mut conversions {
                c.fate = Fate::Dead;
                c.sass.clear();
            }
        }
        functions.push(FunctionTranslation { function: index as u32, called: is_called, conversions });
    }
    diagnostics.extend(findings.into_diagnostics());
    // Findings about one statement have one anchor and stay in the order of ptxas.
    diagnostics.sort_by_key(|d| d.anchor.start);
    Translation { module, arch: setting.arch, functions, diagnostics }
}

/// A conversion's surroundings.
struct Place<'a, 's> {
    /// The offsets of the function's parameters by name.
    parameters: &'a FxHashMap<&'s [u8], u32>,
    module: &'a Module<'s>,
    flow: &'a Flow,
    registers: &'a Registers,
    arch: Target,
    statement: u32,
}

impl Place<'_, '_> {
    fn convert(&self, form: &Form, context: Context, passed: &mut Passed) -> Option<Conversion> {
        let s = &self.module.statements[self.statement as usize];
        let machine = Machine::of(self.arch);
        let offsets = |name: &[u8]| self.parameters.get(name).copied();
        let case = match context {
            Context::Kernel => {
                let Place { module, flow, registers, .. } = *self;
                Case::in_context(form, s, &Surroundings { machine, module, flow, registers, offsets: &offsets, passed })
            }
            Context::Isolated => Case::alone(form, machine, self.module, self.registers, s),
        };
        let lowering = lower(&case, self.registers, self.statement)?;
        if let Some(work) = lowering.passed {
            passed.insert(self.statement, work);
        }
        let mut registers = SmallVec::new();
        for at in s.operands..s.operands + s.operand_count {
            if let OperandKind::Register(r) = self.module.operands[at as usize].kind {
                registers.push((r, self.registers.get(r)));
            }
        }
        Some(Conversion {
            statement: self.statement,
            form: *form,
            rule: lowering.rule,
            fate: lowering.fate,
            sass: lowering.sass,
            registers,
        })
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
