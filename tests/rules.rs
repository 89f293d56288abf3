//! Each rule's examples are its tests.

use cvtlower::lower::RuleId;
use cvtlower::lower::rules::OPERATION;
use cvtlower::reference::shape::shape;
use cvtlower::target::Target;
use cvtlower::translate::{Context, Options, translate};

/// Register numbers are left out: they follow from the assignment, which is no part of a rule.
fn wiped<T: AsRef<str>>(instructions: &[T]) -> Vec<String> {
    instructions.iter().map(|i| shape(i.as_ref())).collect()
}

#[test]
fn examples_come_out_as_they_say() {
    for rule in RuleId::all() {
        for example in rule.0.examples {
            let arch = Target::parse(example.arch).expect("a target");
            let options = Options { arch: Some(arch), retarget: false, context: Context::Kernel };
            let translation = translate(example.ptx.as_bytes(), &options);
            let errors: Vec<&str> = translation.diagnostics.iter().map(|d| d.message.as_str()).collect();
            let conversions: Vec<_> = translation.functions.iter().flat_map(|f| &f.conversions).collect();
            let last = conversions.last().unwrap_or_else(|| panic!("{rule:?}: {} {errors:?}", example.ptx));
            let sass: Vec<String> = last.sass.iter().map(ToString::to_string).collect();
            assert_eq!(wiped(&sass), wiped(example.sass), "{rule:?}: {} for {arch}", example.ptx);
            let operation = OPERATION.iter().any(|rules| rules.iter().any(|r| r.name == rule.name()));
            let named = conversions.iter().any(|c| c.rule == rule);
            assert!(named || !operation, "{rule:?} has no part in {}", example.ptx);
        }
    }
}

#[test]
fn every_rule_has_an_example() {
    let without: Vec<&str> = RuleId::all().filter(|r| r.0.examples.is_empty()).map(RuleId::name).collect();
    assert!(without.is_empty(), "{without:?}");
}

#[test]
fn names_are_unique() {
    let mut names: Vec<&str> = RuleId::all().map(RuleId::name).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
}
