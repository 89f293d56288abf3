//! The other way round: the forms that make a SASS opcode.

use std::collections::BTreeMap;
use std::fmt::Write;

use rayon::prelude::*;

use super::catalogue::{RICHEST, column, describe, forms, name};
use super::page::hanging;
use crate::cvt::Form;
use crate::cvt::decode::{rounding_name, type_name};
use crate::target::Target;

/// Which forms make which opcodes on which targets.
pub struct Table {
    forms: Vec<Form>,
    /// For each opcode the targets of each form (index).
    opcodes: BTreeMap<String, BTreeMap<usize, Vec<Target>>>,
}

impl Table {
    /// Asks every target about every form.
    pub fn new() -> Table {
        let forms = forms(RICHEST);
        let targets: Vec<Target> = Target::all().collect();
        let columns: Vec<_> = targets.par_iter().map(|&t| column(&forms, t)).collect();
        let mut opcodes: BTreeMap<String, BTreeMap<usize, Vec<Target>>> = BTreeMap::new();
        for (&target, cells) in targets.iter().zip(&columns) {
            for (at, cell) in cells.iter().enumerate() {
                for instruction in cell.iter().flat_map(|c| &c.sass) {
                    let found = opcodes.entry(instruction.opcode().to_string()).or_default().entry(at).or_default();
                    if found.last() != Some(&target) {
                        found.push(target);
                    }
                }
            }
        }
        Table { forms, opcodes }
    }

    /// The opcodes without their suffixes.
    pub fn bases(&self) -> impl Iterator<Item = String> {
        let mut bases: Vec<&str> = self.opcodes.keys().map(|o| o.split('.').next().unwrap_or(o)).collect();
        bases.dedup();
        bases.into_iter().map(str::to_owned)
    }

    /// The page of an opcode, or of all opcodes that begin like it and have the suffixes given.
    pub fn page(&self, wanted: &str) -> Option<String> {
        let mut parts = wanted.split('.');
        let base = parts.next()?;
        let suffixes: Vec<&str> = parts.collect();
        let matches = |opcode: &str| {
            let mut have = opcode.split('.');
            have.next() == Some(base) && suffixes.iter().all(|s| have.clone().any(|h| h == *s))
        };
        let found: Vec<_> = self.opcodes.iter().filter(|(opcode, _)| matches(opcode)).collect();
        if found.is_empty() {
            return None;
        }
        let mut out = format!("{wanted}: the conversions that make it, each looked at by itself\n");
        for (opcode, forms) in found {
            let mut groups: BTreeMap<&[Target], Vec<&Form>> = BTreeMap::new();
            for (&at, targets) in forms {
                groups.entry(targets).or_default().push(&self.forms[at]);
            }
            let _ = writeln!(out, "\n{opcode}");
            for (targets, forms) in groups {
                let text = format!("{}: {}", describe(targets), joined(&forms).join(", "));
                hanging(&text, "  ", "      ", &mut out);
            }
        }
        Some(out)
    }
}

/// Forms of a pair of types in one line each, their modifiers side by side.
fn joined(forms: &[&Form]) -> Vec<String> {
    let mut pairs: Vec<(String, Vec<String>)> = Vec::new();
    for form in forms {
        let types = format!("{}.{}", type_name(form.dst), type_name(form.src));
        let modifiers = modifiers(form);
        match pairs.iter_mut().find(|(t, _)| *t == types) {
            Some((_, all)) => all.push(modifiers),
            None => pairs.push((types, vec![modifiers])),
        }
    }
    let line = |(types, all): (String, Vec<String>)| match all.as_slice() {
        [one] => format!("cvt{one}.{types}"),
        several => format!("cvt{{{}}}.{types}", several.join(",")),
    };
    if let [one] = forms {
        return vec![name(one)];
    }
    pairs.into_iter().map(line).collect()
}

fn modifiers(form: &Form) -> String {
    let mut text = String::from(if form.pack { ".pack" } else { "" });
    if let Some(rounding) = form.rounding {
        text.push('.');
        text.push_str(rounding_name(rounding));
    }
    let flags = [
        (form.ftz, ".ftz"),
        (form.sat, ".sat"),
        (form.relu, ".relu"),
        (form.satfinite, ".satfinite"),
        (form.scaled, ".scaled::n2::ue8m0"),
    ];
    flags.iter().filter(|(set, _)| *set).for_each(|(_, name)| text.push_str(name));
    text
}
