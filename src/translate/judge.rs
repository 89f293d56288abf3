//! Which statements are conversions, and which of them are legal.

use crate::cvt::{self, Decoded, Form, Names, Operands};
use crate::ptx::{Module, StatementKind};

use super::diagnose::Findings;

/// The judge of a module's conversions: each distinct opcode is decoded once, and a statement whose operands are
/// like those of an earlier legal one is not judged again.
pub struct Judge<'s> {
    by: cvt::Judge,
    names: Names<'s>,
    opcodes: Vec<Option<Box<Known>>>,
}

struct Known {
    decoded: Decoded,
    legal: Vec<(Operands, Form)>,
}

/// So many kinds of operands are remembered for an opcode.
const REMEMBERED: usize = 4;

impl<'s> Judge<'s> {
    /// A judge for the module's opcodes.
    pub fn new(module: &Module<'s>, by: cvt::Judge) -> Self {
        let opcodes = module
            .opcodes
            .iter()
            .map(|o| {
                let conversion = o.parts().next().is_some_and(|base| base == b"cvt");
                conversion.then(|| Box::new(Known { decoded: cvt::decode(o.parts()), legal: Vec::new() }))
            })
            .collect();
        Judge { by, names: Names::default(), opcodes }
    }

    /// The legal conversions of a function, and findings about the others.
    pub fn function(
        &mut self,
        module: &Module<'s>,
        index: usize,
        legal: &mut Vec<(u32, Form)>,
        findings: &mut Findings,
    ) {
        for i in module.functions[index].statements.clone() {
            let s = &module.statements[i as usize];
            if s.kind != StatementKind::Instruction {
                continue;
            }
            let Some(Some(known)) = self.opcodes.get_mut(s.opcode.0 as usize) else { continue };
            match judge(known, cvt::shapes_among(module, s, &self.names), self.by) {
                Ok(form) => legal.push((i, form)),
                Err(violations) => findings.add(&violations, module, s),
            }
        }
    }
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
