//! Pages about forms of `cvt` and about types.

use std::fmt::Write;

use super::catalogue::{Cell, Question, RICHEST, TYPES, column, describe, module, name, operands, pair, statement};
use super::detour::detour;
use super::page::{hanging, paragraph};
use crate::cvt::decode::{rounding_name, type_name};
use crate::cvt::signature::{Slot, width};
use crate::cvt::{self, Form, Judge};
use crate::diagnostic::Diagnostic;
use crate::ptx::Type;
use crate::ptx::parser::parse;
use crate::target::{NEWEST_VERSION, Target, Version, knows_version};
use crate::translate::{Context, Fate, Options, translate};

/// The page of an opcode, legal or not.
pub fn form(opcode: &str) -> String {
    let decoded = cvt::decode(opcode.split('.').map(str::as_bytes));
    let types: Vec<Type> = decoded.types.iter().copied().flatten().collect();
    match types.as_slice() {
        [dst, src, ..] => {
            let form = decoded.form(*dst, *src);
            match statement(&form) {
                Some(_) => of_pair(opcode, &form),
                None => unknown_pair(opcode, *dst, *src),
            }
        }
        [ty] => {
            let mut out = format!("{opcode} names one type; a conversion has a destination and a source type.\n\n");
            out.push_str(&of_type(*ty));
            out
        }
        [] => {
            let mut out = String::from(
                "cvt converts a value: cvt{.rounding}{.modifiers}.DESTINATION.SOURCE d, a;\n\n\
                 Name two types to learn what is allowed between them, as in `cvtlower explain cvt.f16.f32`.\n\
                 The types are:\n",
            );
            let names: Vec<&str> = TYPES.iter().map(|&t| type_name(t)).collect();
            super::page::columns(&names, "  ", &mut out);
            out
        }
    }
}

fn unknown_pair(opcode: &str, dst: Type, src: Type) -> String {
    let mut out = format!("{opcode}\n\n");
    let text = format!("There is no conversion from {} to {} on any target.", type_name(src), type_name(dst));
    paragraph(&text, "  ", &mut out);
    out.push('\n');
    for (word, list) in [("to", sources(dst)), ("from", destinations(src))] {
        let ty = if word == "to" { dst } else { src };
        let verb = if word == "to" { "is converted from" } else { "is converted to" };
        hanging(&format!("{} {verb}: {list}", type_name(ty)), "  ", "    ", &mut out);
    }
    out
}

/// Whether some form of a pair is legal somewhere.
fn exists(dst: Type, src: Type) -> bool {
    let mut forms = Vec::new();
    pair(false, dst, src, Judge { target: RICHEST, version: NEWEST_VERSION }, &mut forms);
    !forms.is_empty()
}

fn sources(dst: Type) -> String {
    list(TYPES.iter().copied().filter(|&src| exists(dst, src)))
}

fn destinations(src: Type) -> String {
    list(TYPES.iter().copied().filter(|&dst| exists(dst, src)))
}

fn list(types: impl Iterator<Item = Type>) -> String {
    let names: Vec<&str> = types.map(type_name).collect();
    if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
}

/// The page of a type.
pub fn of_type(ty: Type) -> String {
    let mut out = format!("{}: {}\n\n", type_name(ty), meaning(ty));
    hanging(&destinations(ty), "  converts to:   ", "                 ", &mut out);
    hanging(&sources(ty), "  converts from: ", "                 ", &mut out);
    let _ = writeln!(out, "\n`cvtlower explain cvt.DESTINATION.SOURCE` tells what is allowed between two types.");
    out
}

/// What a type holds.
fn meaning(ty: Type) -> &'static str {
    match ty {
        Type::F16 => "a float of 1 sign, 5 exponent and 10 fraction bits",
        Type::Bf16 => "the upper half of an f32: 1 sign, 8 exponent and 7 fraction bits",
        Type::F32 => "a single-precision float",
        Type::F64 => "a double-precision float",
        Type::Tf32 => "an f32 whose low 13 fraction bits are zero",
        Type::F16x2 => "two f16 in a 32-bit register, the first source in the upper half",
        Type::Bf16x2 => "two bf16 in a 32-bit register, the first source in the upper half",
        Type::E4m3x2 => "two 8-bit floats of 4 exponent and 3 fraction bits in 16 bits",
        Type::E5m2x2 => "two 8-bit floats of 5 exponent and 2 fraction bits in 16 bits",
        Type::E2m3x2 => "two 6-bit floats of 2 exponent and 3 fraction bits, a byte each",
        Type::E3m2x2 => "two 6-bit floats of 3 exponent and 2 fraction bits, a byte each",
        Type::E2m1x2 => "two 4-bit floats of 2 exponent and 1 fraction bit in 8 bits",
        Type::Ue8m0x2 => "two unsigned powers of two, 8 exponent bits each",
        Type::S2f6x2 => "two signed fixed-point numbers of 2 integer and 6 fraction bits",
        Type::E4m3x4 | Type::E5m2x4 => "four 8-bit floats in 32 bits",
        Type::E2m3x4 | Type::E3m2x4 => "four 6-bit floats, a byte each",
        Type::E2m1x4 => "four 4-bit floats in 16 bits",
        Type::Ue8m0x4 => "nothing documented: ptxas takes the name and gives 0",
        t if t.is_int() && t.is_signed() => "a signed integer",
        _ => "an unsigned integer",
    }
}

/// The page of a form of a pair that there is.
fn of_pair(opcode: &str, form: &Form) -> String {
    let Some(text) = statement(form) else { return String::new() };
    let written = text.replacen(&name(form), opcode, 1);
    let source = module([written.clone()]);
    let (parsed, _) = parse(source.as_bytes());
    let Some(question) = Question::of(opcode, &parsed) else { return String::new() };
    let targets: Vec<Target> = Target::all().collect();
    let judge = |target| Judge { target, version: NEWEST_VERSION };
    let legal: Vec<Target> = targets.iter().copied().filter(|&t| question.legal(judge(t))).collect();

    let mut out = format!("{written}\n\n");
    for (n, place) in operands(form).unwrap_or_default().iter().enumerate() {
        let role = if n == 0 { "result" } else { "source" };
        let _ = writeln!(out, "  {:<8}  {role}: {}", place.text, takes(place.slot));
    }
    out.push('\n');
    if legal.is_empty() {
        let _ = writeln!(out, "  Illegal on every target:");
        for finding in findings(&source, RICHEST) {
            write_finding(&finding, &mut out);
        }
        write_allowed(form, &mut out);
        return out;
    }
    write_needs(&question, &legal, &mut out);
    write_modifiers(form, &mut out);
    write_sass(form, &legal, &mut out);
    let missing: Vec<Target> = targets.into_iter().filter(|t| !legal.contains(t)).collect();
    write_missing(form, &source, &missing, &mut out);
    out
}

/// What stands in a place for an operand.
fn takes(slot: Slot) -> String {
    match slot {
        Slot::Wide(t) => format!("{} in a register of {} bits or more", type_name(t), width(t)),
        Slot::Exact(t) => format!("{} in a register of {} bits", type_name(t), width(t)),
        Slot::Byte => "an untyped register of 8 bits (.b8)".to_owned(),
        Slot::Half | Slot::HalfBesideBf16x2 | Slot::FixedBesideBf16x2 => {
            "an untyped register of 16 bits (.b16)".to_owned()
        }
        Slot::FixedResult => "two s2f6 in a 16-bit register".to_owned(),
        Slot::Word => "an untyped register of 32 bits (.b32)".to_owned(),
        Slot::Unchecked => "a 32-bit register".to_owned(),
        Slot::PackRest => "the register whose low bits are shifted in above the pair, 32 bits".to_owned(),
        Slot::Four => "a vector of four f32".to_owned(),
        Slot::OneOrFour => "an f32, or a vector of f32".to_owned(),
        Slot::Random => "random bits in a .b32 register".to_owned(),
        Slot::Factor => "two ue8m0 scales in a .b16 register".to_owned(),
    }
}

/// Every `.version` that the reference takes.
fn versions() -> impl Iterator<Item = Version> {
    (1..=9).flat_map(|major| (0..=9).map(move |minor| (major, minor))).filter(|&v| knows_version(v))
}

fn write_needs(question: &Question, legal: &[Target], out: &mut String) {
    let first = |target: Target| versions().find(|&version| question.legal(Judge { target, version }));
    let mut needs: Vec<(Option<Version>, Vec<Target>)> = Vec::new();
    for &target in legal {
        let version = first(target);
        match needs.iter_mut().find(|(v, _)| *v == version) {
            Some((_, targets)) => targets.push(target),
            None => needs.push((version, vec![target])),
        }
    }
    for (n, (version, targets)) in needs.iter().enumerate() {
        let (major, minor) = version.unwrap_or(NEWEST_VERSION);
        let head = if n == 0 { "  Needs      " } else { "             " };
        let text = format!(".version {major}.{minor} on {}", describe(targets));
        hanging(&text, head, "               ", out);
    }
    let older = (10..75).filter_map(|sm| Target::parse_declared(&format!("sm_{sm}")));
    let oldest = older.into_iter().find(|&target| question.legal(Judge { target, version: NEWEST_VERSION }));
    if let Some(oldest) = oldest {
        let _ = writeln!(out, "             (a .target as old as {oldest} may have it)");
    }
}

/// Which roundings and modifiers may stand in the form's place.
fn write_modifiers(form: &Form, out: &mut String) {
    let mut all = Vec::new();
    pair(form.pack, form.dst, form.src, Judge { target: RICHEST, version: NEWEST_VERSION }, &mut all);
    let roundings: Vec<String> = crate::cvt::forms::ROUNDINGS
        .iter()
        .filter(|&&rounding| all.contains(&Form { rounding, ..*form }))
        .map(|r| r.map_or("none".to_owned(), |r| format!(".{}", rounding_name(r))))
        .collect();
    hanging(&roundings.join(" "), "  Rounding   ", "             ", out);
    let flags: [(&str, bool, Form); 5] = [
        (".ftz", form.ftz, Form { ftz: !form.ftz, ..*form }),
        (".sat", form.sat, Form { sat: !form.sat, ..*form }),
        (".relu", form.relu, Form { relu: !form.relu, ..*form }),
        (".satfinite", form.satfinite, Form { satfinite: !form.satfinite, ..*form }),
        (".scaled::n2::ue8m0", form.scaled, Form { scaled: !form.scaled, ..*form }),
    ];
    let texts: Vec<String> = flags
        .into_iter()
        .filter_map(|(name, set, other)| match (set, all.contains(&other)) {
            (true, true) => Some(format!("{name} may be left out")),
            (true, false) => Some(format!("{name} is required")),
            (false, true) => Some(format!("{name} may be added")),
            (false, false) => None,
        })
        .collect();
    let text = if texts.is_empty() { "none to add".to_owned() } else { texts.join("; ") };
    hanging(&text, "  Modifiers  ", "             ", out);
}

/// The SASS of each target, equal ones together.
fn write_sass(form: &Form, legal: &[Target], out: &mut String) {
    let mut groups: Vec<(Cell, Vec<Target>)> = Vec::new();
    for &target in legal {
        let Some(cell) = column(&[*form], target).pop().flatten() else { continue };
        match groups.iter_mut().find(|(c, _)| *c == cell) {
            Some((_, targets)) => targets.push(target),
            None => groups.push((cell, vec![target])),
        }
    }
    let _ = writeln!(out, "\n  SASS by itself, nothing known of the source and all of the result wanted:");
    let mut rules = Vec::new();
    for (cell, targets) in &groups {
        hanging(&describe(targets), "    ", "    ", out);
        for instruction in &cell.sass {
            let _ = writeln!(out, "      {instruction}");
        }
        if cell.sass.is_empty() {
            let why = match &cell.fate {
                Fate::Folded { why, .. } => why,
                _ => "",
            };
            hanging(&format!("no instruction: {why}"), "      ", "      ", out);
        }
        if !rules.contains(&cell.rule) {
            rules.push(cell.rule);
        }
    }
    for rule in rules {
        let text = format!("{rule} ({}): {}", rule.name(), rule.reason());
        hanging(&text, "  Rule ", "       ", out);
    }
}

/// What is wrong with a module's conversion for a target.
fn findings(source: &str, target: Target) -> Vec<Diagnostic> {
    let options = Options { arch: Some(target), retarget: true, context: Context::Isolated };
    translate(source.as_bytes(), &options).diagnostics
}

fn write_finding(finding: &Diagnostic, out: &mut String) {
    // Which target it is stands above.
    let message = finding.message.split("; the module is for").next().unwrap_or_default();
    hanging(&format!("{message} [{}]", finding.code), "    ", "      ", out);
    if let Some(help) = &finding.help {
        hanging(help, "      ", "      ", out);
    }
}

/// What is legal between the form's types.
fn write_allowed(form: &Form, out: &mut String) {
    let mut all = Vec::new();
    pair(form.pack, form.dst, form.src, Judge { target: RICHEST, version: NEWEST_VERSION }, &mut all);
    if all.is_empty() {
        return;
    }
    let names: Vec<String> = all.iter().map(name).collect();
    let _ = writeln!(out, "\n  Legal between these types (not each on every target):");
    hanging(&names.join(" "), "    ", "    ", out);
}

/// Why the form is missing on some targets, and what does its work there.
fn write_missing(form: &Form, source: &str, missing: &[Target], out: &mut String) {
    let mut groups: Vec<(Vec<Diagnostic>, Vec<String>, Vec<Target>)> = Vec::new();
    for &target in missing {
        let (found, instead) = (findings(source, target), detour(form, target));
        let same = |other: &[Diagnostic]| {
            other.len() == found.len() && other.iter().zip(&found).all(|(a, b)| (a.code, &a.help) == (b.code, &b.help))
        };
        match groups.iter_mut().find(|(f, i, _)| same(f) && *i == instead) {
            Some((_, _, targets)) => targets.push(target),
            None => groups.push((found, instead, vec![target])),
        }
    }
    for (found, instead, targets) in groups {
        out.push('\n');
        hanging(&format!("Not on {}:", describe(&targets)), "  ", "    ", out);
        for finding in &found {
            write_finding(finding, out);
        }
        for line in instead {
            let _ = writeln!(out, "    {line}");
        }
    }
}
