//! The functions of a module, one after the other, with tables that are used again.

use smallvec::SmallVec;

use super::findings::Findings;
use super::judge::{Judge, Judged};
use super::setting::Setting;
use super::{Context, Conversion, Fate, FunctionTranslation};
use crate::cvt::Form;
use crate::dataflow::{Flow, Tables};
use crate::lower::case::{Passed, Surroundings};
use crate::lower::registers::Registers;
use crate::lower::{Case, Machine, lower};
use crate::ptx::parser::Reader;
use crate::ptx::{Module, OperandKind, Renumbered};
use crate::target::Target;

/// What is done of a module, and the tables for the next function.
pub struct Functions<'s> {
    /// What the module is judged by and translated for.
    pub setting: Setting,
    /// The functions so far.
    pub done: Vec<FunctionTranslation>,
    /// What was found in them.
    pub findings: Findings,
    context: Context,
    judge: Judge<'s>,
    tables: Tables,
    registers: Registers,
    /// The conversions of the function at work.
    judged: Vec<Judged>,
    passed: Passed,
    kept: Vec<u32>,
    renumbered: Renumbered,
}

impl<'s> Functions<'s> {
    /// None so far.
    pub fn new(setting: Setting, context: Context) -> Self {
        Self {
            setting,
            done: Vec::new(),
            findings: Findings::default(),
            context,
            judge: Judge::new(setting.judge, setting.arch),
            tables: Tables::default(),
            registers: Registers::new(),
            judged: Vec::new(),
            passed: Passed::default(),
            kept: Vec::new(),
            renumbered: Renumbered::default(),
        }
    }

    /// Translates the last function of the module, as if it were called.
    pub fn translate(&mut self, module: &Module<'s>) {
        let index = module.functions.len() - 1;
        self.judged.clear();
        self.judge.function(module, index, &mut self.judged, &mut self.findings);
        let legal = self.judged.iter().filter(|judged| judged.form.is_some()).count();
        let mut conversions = Vec::with_capacity(legal);
        if legal > 0 {
            let flow = self.tables.analyse(module, index, Machine::of(self.setting.arch).abilities());
            self.registers.clear();
            self.passed.clear();
            for judged in &self.judged {
                let Some(form) = &judged.form else { continue };
                self.registers.visit(module, &flow, judged.statement);
                let place = Place {
                    module,
                    flow: &flow,
                    registers: &self.registers,
                    arch: self.setting.arch,
                    statement: judged.statement,
                };
                conversions.extend(place.convert(form, self.context, &mut self.passed));
            }
            tell_carried(&mut conversions);
        }
        self.done.push(FunctionTranslation { function: index as u32, called: true, conversions });
    }

    /// Forgets the statements of the last function that nobody asks for any more.
    pub fn retain(&mut self, reader: &mut Reader<'s>) {
        let Some(done) = self.done.last_mut() else { return };
        let carriers = done.conversions.iter().filter_map(|c| match c.fate {
            Fate::Folded { into, .. } => into,
            _ => None,
        });
        self.kept.clear();
        self.kept.extend(self.judged.iter().map(|judged| judged.statement).chain(carriers));
        self.kept.sort_unstable();
        self.kept.dedup();
        let Some(first) = reader.module().functions.last().map(|f| f.statements.start) else { return };
        reader.retain(&self.kept, &mut self.renumbered);
        let kept = &self.kept;
        let number = |statement: &mut u32| {
            if let Ok(n) = kept.binary_search(statement) {
                *statement = first + n as u32;
            }
        };
        for c in &mut done.conversions {
            number(&mut c.statement);
            if let Fate::Folded { into: Some(into), .. } = &mut c.fate {
                number(into);
            }
            for (register, _) in &mut c.registers {
                *register = self.renumbered.get(*register).unwrap_or(*register);
            }
        }
    }
}

/// Fills in what a conversion's work is carried by, where that is another conversion, which may leave it to a third.
fn tell_carried(conversions: &mut [Conversion]) {
    for n in (0..conversions.len()).rev() {
        if let Fate::Folded { into: Some(into), sass, .. } = &conversions[n].fate
            && sass.is_empty()
            && let Ok(at) = conversions.binary_search_by_key(into, |other| other.statement)
        {
            let (carrier, carried) = match &conversions[at].fate {
                Fate::Folded { into: Some(next), sass, .. } if at > n => (*next, sass.clone()),
                _ => (*into, conversions[at].sass.to_vec()),
            };
            if let Fate::Folded { into, sass, .. } = &mut conversions[n].fate {
                (*into, *sass) = (Some(carrier), carried);
            }
        }
    }
}

/// A conversion's surroundings.
struct Place<'a, 's> {
    module: &'a Module<'s>,
    flow: &'a Flow<'a>,
    registers: &'a Registers,
    arch: Target,
    statement: u32,
}

impl Place<'_, '_> {
    fn convert(&self, form: &Form, context: Context, passed: &mut Passed) -> Option<Conversion> {
        let s = &self.module.statements[self.statement as usize];
        let machine = Machine::of(self.arch);
        let case = match context {
            Context::Kernel => {
                let Place { module, flow, registers, .. } = *self;
                Case::in_context(form, s, &Surroundings { machine, module, flow, registers, passed })
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
