//! Every form on every target in both contexts, against what ptxas said: `fixtures/golden/matrix.tsv`.
//!
//! Legality, messages, opcodes and the shapes of operands have to be the same, without exception. With
//! `CVTLOWER_BLESS_PTXAS=1` and a ptxas of the fixture's version the fixture is written.

mod engine;
mod real;
mod table;

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::PathBuf;

use cvtlower::cvt::{Form, Spelling, forms};
use cvtlower::matrix::Surroundings;
use cvtlower::matrix::kernel::Kernels;
use cvtlower::ptx::Type;
use cvtlower::reference::{Tools, Wanted};
use cvtlower::target::Target;
use rayon::prelude::*;

use table::{CONTEXTS, PTXAS, Table};

/// So many differences are shown.
const SHOWN: usize = 20;

/// While the fixture is written nobody may read it.
fn bless() -> bool {
    std::env::var_os("CVTLOWER_BLESS_PTXAS").is_some_and(|value| value == "1")
}

fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/golden/matrix.tsv")
}

fn golden() -> Table {
    Table::read(&fs::read_to_string(path()).expect("the fixture"))
}

/// The columns: both contexts of all targets.
fn places() -> Vec<(Surroundings, &'static str, Target)> {
    CONTEXTS.iter().flat_map(|&(around, name)| Target::all().map(move |target| (around, name, target))).collect()
}

/// What is in each column.
fn columns<T: Send>(column: impl Fn(usize, Surroundings, Target) -> T + Sync) -> Vec<T> {
    places().into_par_iter().enumerate().map(|(index, (around, _, target))| column(index, around, target)).collect()
}

/// Whether outcomes are the same.
///
/// In the sequences for f64 some instructions do not depend on each other; which of them stands first is up to the
/// schedule around them. Nowhere else is the order free, and instructions are never more or fewer or others.
fn same(form: &Spelling, got: &str, expected: &str) -> bool {
    let Form { dst, src, sat, ftz, .. } = form.form;
    let free = (dst == Type::F64 && sat) || (dst == Type::F32 && src == Type::F64 && ftz);
    got == expected || (free && engine::sorted(got) == engine::sorted(expected))
}

/// Fails where the outcomes of `forms` are not those of the fixture.
fn assert_golden(forms: &[Spelling], column: impl Fn(Surroundings, Target) -> Vec<String> + Sync) {
    let golden = golden();
    let numbers: HashMap<&str, usize> = golden.rows.iter().map(|(form, _)| form.as_str()).zip(0..).collect();
    let number = |form: &Spelling| numbers.get(form.to_string().as_str()).copied();
    let rows: Vec<usize> =
        forms.iter().map(|form| number(form).unwrap_or_else(|| panic!("{form} is not in the fixture"))).collect();
    let places = places();
    let wrong: Vec<Vec<String>> = columns(|index, around, target| {
        let (_, context, _) = places[index];
        let got = column(around, target);
        assert_eq!(got.len(), forms.len());
        let cells = forms.iter().zip(&rows).zip(got).filter_map(|((form, &row), got)| {
            let expected = golden.outcome(row, index, form);
            let told = || format!("{form} on {target}, {context}\n  expected  {expected}\n  got       {got}\n");
            (!same(form, &got, &expected)).then(told)
        });
        cells.collect()
    });
    let (wrong, all) = (wrong.concat(), forms.len() * places.len());
    let shown = wrong[..wrong.len().min(SHOWN)].concat();
    assert!(wrong.is_empty(), "{} of {all} differ from ptxas {}:\n{shown}", wrong.len(), golden.ptxas);
}

#[test]
fn every_form_is_as_ptxas_has_it() {
    if bless() {
        return;
    }
    let forms = forms::all();
    let kernels = CONTEXTS.map(|(around, _)| (around, Kernels::new(&forms, around)));
    assert_golden(&forms, |around, target| {
        let (_, kernels) = kernels.iter().find(|(a, _)| *a == around).expect("a context");
        engine::column(kernels, target)
    });
}

#[test]
fn the_fixture_has_all_forms_and_targets_and_no_others() {
    if bless() {
        return;
    }
    let golden = golden();
    assert_eq!(golden.ptxas, PTXAS);
    assert_eq!(golden.targets, Target::all().map(|target| target.to_string()).collect::<Vec<_>>());
    let known: BTreeSet<String> = forms::all().iter().map(ToString::to_string).collect();
    let there: BTreeSet<String> = golden.rows.iter().map(|(form, _)| form.clone()).collect();
    assert_eq!(golden.rows.len(), there.len(), "a form is there twice");
    assert!(known.is_subset(&there), "missing: {:?}", known.difference(&there).take(SHOWN).collect::<Vec<_>>());
    assert!(there.is_subset(&known), "extra: {:?}", there.difference(&known).take(SHOWN).collect::<Vec<_>>());
}

/// The lane with the real tools: skipped by name where there are none, or others than the fixture is of.
#[test]
fn lane_real_ptxas_gives_the_fixture() {
    let skipped = |why: &dyn std::fmt::Display| eprintln!("SKIPPED lane_real_ptxas_gives_the_fixture: {why}");
    let tools = match Tools::find(&Wanted::default()) {
        Ok(tools) => tools,
        Err(missing) => {
            assert!(!bless(), "{missing}");
            return skipped(&missing);
        }
    };
    if tools.ptxas.version != PTXAS {
        let why = format!("the fixture is of ptxas {PTXAS}, this is {}", tools.ptxas.version);
        assert!(!bless(), "{why}");
        return skipped(&why);
    }
    let forms = forms::all();
    if bless() {
        let columns = columns(|_, around, target| real::column(&forms, around, target, &tools));
        let targets: Vec<String> = Target::all().map(|target| target.to_string()).collect();
        let text = table::write(&tools.ptxas.version, &targets, &forms, &columns);
        fs::create_dir_all(path().parent().expect("a folder")).expect("the folder");
        fs::write(path(), text).expect("the fixture is written");
        return;
    }
    // A prime step meets all kinds of forms; every form takes minutes.
    let some: Vec<Spelling> = forms.into_iter().step_by(97).collect();
    assert_golden(&some, |around, target| real::column(&some, around, target, &tools));
}
