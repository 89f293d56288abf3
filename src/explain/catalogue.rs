//! Every form of `cvt`, and what each target makes of it: asked of legality and the rules, never written down.

use std::fmt::Write;
use std::sync::LazyLock;

use rayon::prelude::*;
use smallvec::SmallVec;

use crate::cvt::decode::{rounding_name, type_name};
use crate::cvt::signature::{self, Slot};
use crate::cvt::{self, Form, Judge, Operands, Rounding};
use crate::lower::registers::Registers;
use crate::lower::rules::{OPERATION, RESULT};
use crate::lower::{Case, Machine, RuleId};
use crate::ptx::parser::parse;
use crate::ptx::{Module, StatementKind, Type};
use crate::sass::Instruction;
use crate::target::{Flavour, NEWEST_VERSION, Target};
use crate::translate::{Context, Fate, Options, translate};

/// The types that conversions have.
pub const TYPES: &[Type] = &[
    Type::U8,
    Type::S8,
    Type::U16,
    Type::S16,
    Type::U32,
    Type::S32,
    Type::U64,
    Type::S64,
    Type::F16,
    Type::Bf16,
    Type::F32,
    Type::F64,
    Type::Tf32,
    Type::F16x2,
    Type::Bf16x2,
    Type::E4m3x2,
    Type::E5m2x2,
    Type::E2m3x2,
    Type::E3m2x2,
    Type::E2m1x2,
    Type::Ue8m0x2,
    Type::S2f6x2,
    Type::E4m3x4,
    Type::E5m2x4,
    Type::E2m3x4,
    Type::E3m2x4,
    Type::E2m1x4,
    Type::Ue8m0x4,
];

/// The destinations of `cvt.pack`.
const PACK_TYPES: &[Type] = &[Type::U16, Type::S16, Type::U8, Type::S8, Type::U4, Type::S4, Type::U2, Type::S2];

/// The target that has every feature of conversions.
pub const RICHEST: Target = Target { sm: 103, flavour: Flavour::Exact };

/// A conversion's opcode, its modifiers in the order of the manual.
pub fn name(form: &Form) -> String {
    let mut name = String::from(if form.pack { "cvt.pack" } else { "cvt" });
    let rounding = form.rounding.map(rounding_name);
    let flags = [
        (form.ftz, "ftz"),
        (form.sat, "sat"),
        (form.relu, "relu"),
        (form.satfinite, "satfinite"),
        (form.scaled, "scaled::n2::ue8m0"),
    ];
    let flags = flags.into_iter().filter_map(|(set, name)| set.then_some(name));
    let third = (form.pack && form.dst.bits() <= 8).then_some(Type::B32);
    let types = [form.dst, form.src].into_iter().chain(third).map(type_name);
    for part in rounding.into_iter().chain(flags).chain(types) {
        name.push('.');
        name.push_str(part);
    }
    name
}

/// One operand of a form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// What it takes.
    pub slot: Slot,
    /// A register for it, or a vector of registers.
    pub text: String,
    /// The type that the register is declared with.
    pub declared: Type,
}

/// The operands of a form, result first; `None` where the pair of types is unknown.
pub fn operands(form: &Form) -> Option<Vec<Place>> {
    let signature = if form.pack {
        let third = (form.dst.bits() <= 8).then_some(Some(Type::B32));
        let types: SmallVec<[Option<Type>; 3]> = [Some(form.dst), Some(form.src)].into_iter().chain(third).collect();
        signature::of_pack(&types)
    } else {
        signature::of_cvt(form.dst, form.src)
    }?;
    let optional = signature.optional.filter(|slot| match slot {
        Slot::Random => form.rounding == Some(Rounding::Rs),
        Slot::Factor => form.scaled,
        _ => false,
    });
    let mut next = 1;
    let places = signature.slots.iter().copied().chain(optional).map(|slot| {
        let declared = declared(slot);
        let letter = match declared {
            Type::B8 => "b",
            Type::B16 => "h",
            Type::F32 => "f",
            Type::B64 => "d",
            Type::F64 => "e",
            _ => "r",
        };
        let count = if slot == Slot::Four { 4 } else { 1 };
        let names: Vec<String> = (next..next + count).map(|n| format!("{letter}{n}")).collect();
        next += count;
        let text = if count > 1 { format!("{{{}}}", names.join(", ")) } else { names.concat() };
        Place { slot, text, declared }
    });
    Some(places.collect())
}

/// The register type that fits a place. Bytes go in 32-bit registers, where nothing has to be extended.
fn declared(slot: Slot) -> Type {
    match slot {
        Slot::Wide(t) | Slot::Exact(t) => match (t, signature::width(t)) {
            (Type::F32 | Type::F64, _) => t,
            (_, 8) if matches!(slot, Slot::Exact(_)) => Type::B8,
            (_, 16) => Type::B16,
            (_, 64) => Type::B64,
            _ => Type::B32,
        },
        Slot::Byte => Type::B8,
        Slot::Half | Slot::HalfBesideBf16x2 | Slot::FixedBesideBf16x2 | Slot::FixedResult | Slot::Factor => Type::B16,
        Slot::Four | Slot::OneOrFour => Type::F32,
        Slot::Word | Slot::Unchecked | Slot::PackRest | Slot::Random => Type::B32,
    }
}

/// A statement of this form.
pub fn statement(form: &Form) -> Option<String> {
    let operands: Vec<String> = operands(form)?.into_iter().map(|place| place.text).collect();
    Some(format!("{} {};", name(form), operands.join(", ")))
}

/// A module around statements, its registers named as [`operands`] does.
pub fn module(statements: impl IntoIterator<Item = String>) -> String {
    let mut text = String::from(".version 9.1\n.target sm_75\n.address_size 64\n.entry k()\n{\n");
    for (ty, letter) in [("b8", 'b'), ("b16", 'h'), ("b32", 'r'), ("f32", 'f'), ("b64", 'd'), ("f64", 'e')] {
        let _ = writeln!(text, ".reg .{ty} {letter}<9>;");
    }
    for statement in statements {
        text.push_str(&statement);
        text.push('\n');
    }
    text.push_str("ret;\n}\n");
    text
}

/// A form with what legality asks of a statement.
pub struct Question {
    decoded: cvt::Decoded,
    operands: Operands,
}

impl Question {
    /// A question about the single statement of a module.
    pub fn of(opcode: &str, module: &Module<'_>) -> Option<Question> {
        let statement = module.statements.iter().find(|s| s.kind == StatementKind::Instruction)?;
        let decoded = cvt::decode(opcode.split('.').map(str::as_bytes));
        Some(Question { decoded, operands: cvt::shapes(module, statement) })
    }

    /// Whether a module of this target and version may have it.
    pub fn legal(&self, judge: Judge) -> bool {
        cvt::check(&self.decoded, &self.operands, judge).is_ok()
    }
}

/// The legal forms of a target in the newest version.
pub fn forms(target: Target) -> Vec<Form> {
    let judge = Judge { target, version: NEWEST_VERSION };
    let mut forms = Vec::new();
    let pairs = TYPES.iter().flat_map(|&dst| TYPES.iter().map(move |&src| (false, dst, src)));
    for (pack, dst, src) in pairs.chain(PACK_TYPES.iter().map(|&dst| (true, dst, Type::S32))) {
        pair(pack, dst, src, judge, &mut forms);
    }
    forms
}

/// The legal forms of one pair of types.
pub fn pair(pack: bool, dst: Type, src: Type, judge: Judge, forms: &mut Vec<Form>) {
    let plain =
        Form { pack, rounding: None, ftz: false, sat: false, relu: false, satfinite: false, scaled: false, dst, src };
    if operands(&plain).is_none() {
        return;
    }
    // What the operands are depends on two modifiers only, so there are few lists of them.
    let mut asked: Vec<((bool, bool), Operands)> = Vec::new();
    for &rounding in crate::cvt::forms::ROUNDINGS {
        for bits in 0..32u32 {
            let set = |n: u32| bits >> n & 1 != 0;
            let form =
                Form { rounding, ftz: set(0), sat: set(1), relu: set(2), satfinite: set(3), scaled: set(4), ..plain };
            let key = (rounding == Some(Rounding::Rs), form.scaled);
            if !asked.iter().any(|(k, _)| *k == key) {
                let Some(statement) = statement(&form) else { continue };
                let text = module([statement]);
                let (parsed, _) = parse(text.as_bytes());
                let first = parsed.statements.iter().find(|s| s.kind == StatementKind::Instruction);
                asked.extend(first.map(|s| (key, cvt::shapes(&parsed, s))));
            }
            let Some((_, operands)) = asked.iter().find(|(k, _)| *k == key) else { continue };
            let decoded = cvt::decode(name(&form).split('.').map(str::as_bytes));
            if cvt::check(&decoded, operands, judge).is_ok() {
                forms.push(form);
            }
        }
    }
}

/// What a target makes of a form by itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// The rule that lowers it.
    pub rule: RuleId,
    /// Its instructions.
    pub sass: SmallVec<[Instruction; 1]>,
    /// What became of it.
    pub fate: Fate,
}

/// What a target makes of each of these forms; `None` where it is illegal.
pub fn column(forms: &[Form], target: Target) -> Vec<Option<Cell>> {
    let statements: Vec<String> = forms.iter().filter_map(statement).collect();
    debug_assert_eq!(statements.len(), forms.len());
    let text = module(statements);
    let options = Options { arch: Some(target), retarget: true, context: Context::Isolated };
    let translation = translate(text.as_bytes(), &options);
    let mut cells = vec![None; forms.len()];
    let instructions =
        translation.module.statements.iter().zip(0..).filter(|(s, _)| s.kind == StatementKind::Instruction);
    let mut conversions = translation.functions.iter().flat_map(|f| &f.conversions).peekable();
    for (cell, (_, index)) in cells.iter_mut().zip(instructions) {
        if let Some(c) = conversions.next_if(|c| c.statement == index) {
            *cell = Some(Cell { rule: c.rule, sass: c.sass.clone(), fate: c.fate.clone() });
        }
    }
    cells
}

/// The targets on which a rule has a part in some form, by itself or in one of the rule's examples.
pub fn targets_of_rule(rule: RuleId) -> Vec<Target> {
    static BY_FORMS: LazyLock<Vec<(Target, Vec<RuleId>)>> = LazyLock::new(rules_of_forms);
    let in_examples = |target: Target| {
        rule.0.examples.iter().any(|example| {
            let options = Options { arch: Some(target), retarget: true, context: Context::Kernel };
            let translation = translate(example.ptx.as_bytes(), &options);
            translation.functions.iter().flat_map(|f| &f.conversions).any(|c| c.rule == rule)
        })
    };
    BY_FORMS.iter().filter(|(target, rules)| rules.contains(&rule) || in_examples(*target)).map(|(t, _)| *t).collect()
}

/// For each target the rules that have a part in some form by itself.
fn rules_of_forms() -> Vec<(Target, Vec<RuleId>)> {
    let forms = forms(RICHEST);
    let text = module(forms.iter().filter_map(statement));
    let (parsed, _) = parse(text.as_bytes());
    let registers = Registers::new();
    let statements: Vec<_> = parsed.statements.iter().filter(|s| s.kind == StatementKind::Instruction).collect();
    let targets: Vec<Target> = Target::all().collect();
    let of_target = |&target: &Target| {
        let machine = Machine::of(target);
        let mut found: Vec<RuleId> = Vec::new();
        for ((form, s), cell) in forms.iter().zip(&statements).zip(column(&forms, target)) {
            if cell.is_none() {
                continue;
            }
            let case = Case::alone(form, machine, &parsed, &registers, s);
            for set in [OPERATION, RESULT] {
                let first = set.iter().flat_map(|rules| rules.iter()).find(|r| (r.when)(&case)).map(RuleId);
                found.extend(first.filter(|r| !found.contains(r)));
            }
        }
        (target, found)
    };
    targets.par_iter().map(of_target).collect()
}

/// Targets as a sentence names them: runs of neighbours by their ends.
pub fn describe(targets: &[Target]) -> String {
    let all: Vec<Target> = Target::all().collect();
    if targets.len() == all.len() {
        return "every target".to_owned();
    }
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for at in all.iter().enumerate().filter(|(_, t)| targets.contains(t)).map(|(at, _)| at) {
        match runs.last_mut() {
            Some((_, end)) if *end + 1 == at => *end = at,
            _ => runs.push((at, at)),
        }
    }
    let last = all.len() - 1;
    let texts: Vec<String> = runs
        .into_iter()
        .map(|(start, end)| match (all[start], all[end]) {
            (a, _) if end == last && start < last => format!("{a} and later"),
            (a, _) if start == end => a.to_string(),
            (a, b) if end == start + 1 => format!("{a}, {b}"),
            (a, b) => format!("{a} to {b}"),
        })
        .collect();
    if texts.is_empty() { "no target".to_owned() } else { texts.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_richest_target_has_all() {
        let most: Vec<Form> = forms(RICHEST);
        assert!(most.len() > 800, "{}", most.len());
        for sm in ["sm_75", "sm_89", "sm_90a", "sm_100f", "sm_121a"] {
            let target = Target::parse(sm).expect("a target");
            for form in forms(target) {
                assert!(most.contains(&form), "{} of {sm}", name(&form));
            }
        }
    }

    #[test]
    fn every_form_is_lowered() {
        let forms = forms(RICHEST);
        for (form, cell) in forms.iter().zip(column(&forms, RICHEST)) {
            assert!(cell.is_some(), "{}", name(form));
        }
    }

    #[test]
    fn targets_are_named_by_their_runs() {
        let of = |names: &[&str]| -> Vec<Target> { names.iter().filter_map(|n| Target::parse(n).ok()).collect() };
        assert_eq!(describe(&Target::all().collect::<Vec<_>>()), "every target");
        assert_eq!(describe(&of(&["sm_80", "sm_86", "sm_87"])), "sm_80 to sm_87");
        assert_eq!(describe(&of(&["sm_75", "sm_121f"])), "sm_75, sm_121f");
        assert_eq!(describe(&Target::all().filter(|t| t.sm >= 89).collect::<Vec<_>>()), "sm_89 and later");
        assert_eq!(describe(&[]), "no target");
    }
}
