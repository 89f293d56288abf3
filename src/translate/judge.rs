//! Which statements are conversions, and which of them are legal.

use crate::cvt::{self, Decoded, Form, Names, Operands};
use crate::ptx::{Module, OperandKind, Statement, StatementKind, Type};
use crate::target::Target;

use super::diagnose;
use super::findings::Findings;

/// The judge of a module's conversions: each distinct opcode is decoded once, and a statement whose operands are
/// like those of an earlier legal one is not judged again.
pub struct Judge<'s> {
    by: cvt::Judge,
    names: Names<'s>,
    arch: Target,
    opcodes: Vec<Option<Box<Known>>>,
}

/// A conversion of a function.
#[derive(Debug, Clone, Copy)]
pub struct Judged {
    /// Index into [`Module::statements`].
    pub statement: u32,
    /// What it converts, where it is legal.
    pub form: Option<Form>,
}

struct Known {
    decoded: Decoded,
    legal: Vec<(Operands, Form)>,
    /// The same for operands that are plain registers, by their types.
    registers: Vec<(u64, Form)>,
}

/// So many kinds of operands are remembered for an opcode.
const REMEMBERED: usize = 8;

impl<'s> Judge<'s> {
    /// A judge for modules whose head says this.
    pub fn new(by: cvt::Judge, arch: Target) -> Self {
        Judge { by, arch, names: Names::default(), opcodes: Vec::new() }
    }

    /// Decodes the opcodes that are new in the module.
    fn learn(&mut self, module: &Module<'s>) {
        self.opcodes.extend(module.opcodes[self.opcodes.len()..].iter().map(|o| {
            let conversion = o.parts().next().is_some_and(|base| base == b"cvt");
            conversion
                .then(|| Box::new(Known { decoded: cvt::decode(o.parts()), legal: Vec::new(), registers: Vec::new() }))
        }));
    }

    /// The conversions of a function, and findings about the illegal ones.
    pub fn function(
        &mut self,
        module: &Module<'s>,
        index: usize,
        conversions: &mut Vec<Judged>,
        findings: &mut Findings,
    ) {
        self.learn(module);
        for i in module.functions[index].statements.clone() {
            let s = &module.statements[i as usize];
            if s.kind != StatementKind::Instruction {
                continue;
            }
            let Some(Some(known)) = self.opcodes.get_mut(s.opcode.0 as usize) else { continue };
            // What did not parse has its finding already.
            let operands = &module.operands[s.operands as usize..(s.operands + s.operand_count) as usize];
            if operands.last().is_some_and(|o| o.kind == OperandKind::Error) {
                conversions.push(Judged { statement: i, form: None });
                continue;
            }
            let types = register_types(module, s);
            if let Some((_, form)) = types.and_then(|types| known.registers.iter().find(|r| r.0 == types)) {
                conversions.push(Judged { statement: i, form: Some(*form) });
                continue;
            }
            conversions.push(Judged { statement: i, form: None });
            match judge(known, cvt::shapes_among(module, s, &self.names), self.by) {
                Ok(form) => {
                    if cvt::may_be_defective(&form) {
                        let operands = cvt::shapes_among(module, s, &self.names);
                        for d in cvt::defects(&form, &operands, self.arch) {
                            findings.push(diagnose::ptxas_defect(d, d.place(&operands), module, s));
                        }
                    } else if let Some(types) = types.filter(|_| known.registers.len() < REMEMBERED) {
                        known.registers.push((types, form));
                    }
                    if let Some(judged) = conversions.last_mut() {
                        judged.form = Some(form);
                    }
                }
                Err(found) => diagnose::violations(&found, module, s).into_iter().for_each(|d| findings.push(d)),
            }
        }
    }
}

/// The types of a statement's operands where these are few plain registers of known types, in one number: all that
/// legality asks of them.
fn register_types(module: &Module<'_>, s: &Statement) -> Option<u64> {
    if s.operand_count > 7 || s.guard.is_some_and(|g| module.registers[g.register.0 as usize].ty != Some(Type::Pred)) {
        return None;
    }
    let operands = &module.operands[s.operands as usize..(s.operands + s.operand_count) as usize];
    operands.iter().try_fold(1, |types, operand| {
        let OperandKind::Register(r) = operand.kind else { return None };
        let register = &module.registers[r.0 as usize];
        let ty = register.ty.filter(|_| register.vector == 1)?;
        Some(types << 8 | ty as u64)
    })
}

fn judge(known: &mut Known, operands: Operands, by: cvt::Judge) -> Result<Form, Vec<cvt::Violation>> {
    if let Some((_, form)) = known.legal.iter().find(|(o, _)| *o == operands) {
        return Ok(*form);
    }
    let form = cvt::check(&known.decoded, &operands, by)?;
    if known.legal.len() < REMEMBERED {
        known.legal.push((operands, form));
    }
    Ok(form)
}
