//! The matrix of all forms on all targets: each form, legal or why not, since when, its SASS and the rule.
//!
//! Nothing of it is stored. The forms are enumerated, each is put into a kernel, the kernels are translated, and
//! what comes of them is the matrix.

pub mod kernel;
mod minimum;
pub mod pattern;

use rayon::prelude::*;

use crate::cvt::{self, Spelling, forms};
use crate::diagnostic::Severity;
use crate::lower::RuleId;
use crate::ptx::parser::parse;
use crate::target::{Target, Version};
use crate::translate::{Context, Conversion, Fate, Options, translate};

use kernel::Kernels;
pub use kernel::Surroundings;
use minimum::Asked;
pub use minimum::Minimum;
use pattern::Pattern;

/// What the matrix is wanted of.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// The targets, side by side.
    pub targets: Vec<Target>,
    /// Forms that match all of these.
    pub patterns: Vec<Pattern>,
    /// Also the forms that none of the targets takes.
    pub illegal: bool,
    /// What stands around the conversions.
    pub surroundings: Surroundings,
}

/// The matrix.
#[derive(Debug)]
pub struct Matrix {
    /// The targets, in the order of the cells.
    pub targets: Vec<Target>,
    /// One row a form.
    pub rows: Vec<Row>,
    /// How many forms were asked about.
    pub asked: usize,
}

/// One form.
#[derive(Debug)]
pub struct Row {
    /// The form as it is written.
    pub spelling: Spelling,
    /// The first target and version that take it; `None` where none does.
    pub minimum: Option<Minimum>,
    /// What comes of it, target by target.
    pub cells: Vec<Cell>,
}

/// A form on a target.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// It is legal.
    Legal(Legal),
    /// It is not: the reasons in the order of ptxas.
    Illegal(Vec<Reason>),
}

/// A legal form on a target.
#[derive(Debug, Clone, PartialEq)]
pub struct Legal {
    /// The first `.version` that takes it on this target.
    pub version: Version,
    /// The rule that gave the instructions.
    pub rule: RuleId,
    /// Emitted, folded, constant or dead.
    pub fate: Fate,
    /// The instructions as printed.
    pub sass: Vec<String>,
    /// The opcodes of the instructions.
    pub opcodes: Vec<String>,
    /// Warnings about it.
    pub warnings: Vec<Reason>,
}

/// Why a form is illegal, or what is to be known about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// In our words.
    pub message: String,
    /// What to write instead.
    pub help: Option<String>,
    /// The diagnostic's code.
    pub code: &'static str,
}

impl Cell {
    /// What is there, where it is legal.
    pub fn legal(&self) -> Option<&Legal> {
        match self {
            Self::Legal(legal) => Some(legal),
            Self::Illegal(_) => None,
        }
    }

    /// The instructions on one line, or the first reason.
    pub fn text(&self) -> String {
        match self {
            Self::Legal(legal) => legal.text(),
            Self::Illegal(reasons) => {
                let first = reasons.first().map_or("illegal", |reason| reason.message.as_str());
                match reasons.len() {
                    0 | 1 => first.to_owned(),
                    more => format!("{first} (and {} more)", more - 1),
                }
            }
        }
    }

    /// Whether two targets do the same with the form: the same instructions, or none is legal.
    pub fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Legal(a), Self::Legal(b)) => a.sass == b.sass,
            (Self::Illegal(_), Self::Illegal(_)) => true,
            _ => false,
        }
    }
}

impl Legal {
    /// The instructions on one line.
    pub fn text(&self) -> String {
        match (&self.fate, self.sass.as_slice()) {
            (Fate::Constant { bits }, []) => format!("(constant {bits:#x})"),
            (Fate::Dead, []) => "(dead)".to_owned(),
            (Fate::Folded { why, .. }, []) if !why.is_empty() => format!("(nothing: {why})"),
            (_, []) => "(nothing)".to_owned(),
            (_, sass) => sass.join(" ; "),
        }
    }
}

impl Row {
    /// Whether the targets differ.
    pub fn differs(&self) -> bool {
        self.cells.iter().any(|cell| !cell.same(&self.cells[0]))
    }

    /// Whether any of the targets takes it.
    pub fn is_legal(&self) -> bool {
        self.cells.iter().any(|cell| cell.legal().is_some())
    }
}

impl Matrix {
    /// Asks the rules.
    pub fn new(wanted: &Wanted) -> Self {
        let mut spellings = forms::all();
        if !wanted.patterns.is_empty() {
            spellings.retain(|spelling| {
                let text = spelling.to_string();
                wanted.patterns.iter().all(|pattern| pattern.matches(&text))
            });
        }
        let asked = spellings.len();
        let judged = judge(&spellings, wanted);
        let (spellings, judged): (Vec<_>, Vec<_>) = spellings
            .into_iter()
            .zip(judged)
            .filter(|(_, (_, versions))| wanted.illegal || versions.iter().any(Option::is_some))
            .unzip();
        let kernels = Kernels::new(&spellings, wanted.surroundings);
        let columns: Vec<Vec<Outcome>> =
            wanted.targets.par_iter().map(|&target| column(&kernels, target, spellings.len())).collect();
        let mut columns: Vec<_> = columns.into_iter().map(Vec::into_iter).collect();
        let rows = spellings
            .into_iter()
            .zip(judged)
            .map(|(spelling, (minimum, versions))| {
                let cells = columns.iter_mut().zip(versions);
                let cells = cells.map(|(column, version)| column.next().unwrap_or_default().cell(version)).collect();
                Row { spelling, minimum, cells }
            })
            .collect();
        Self { targets: wanted.targets.clone(), rows, asked }
    }
}

/// Where a form is legal at all, and since which version on each of the wanted targets.
type Judged = (Option<Minimum>, Vec<Option<Version>>);

fn judge(spellings: &[Spelling], wanted: &Wanted) -> Vec<Judged> {
    let kernels = Kernels::new(spellings, wanted.surroundings);
    let (module, _) = parse(kernels.text.as_bytes());
    let mut statements = module.statements.iter().peekable();
    let asked: Vec<Option<Asked>> = kernels
        .places
        .iter()
        .map(|&place| {
            let statement = statements.find(|s| s.span.start >= place).filter(|s| s.span.start == place)?;
            let decoded = cvt::decode(module.opcodes[statement.opcode.0 as usize].parts());
            Some(Asked { decoded, operands: cvt::shapes(&module, statement) })
        })
        .collect();
    asked
        .par_iter()
        .map(|asked| {
            let asked = asked.as_ref();
            let versions: Vec<_> = wanted.targets.iter().map(|&t| asked.and_then(|a| a.version(t))).collect();
            let shown = wanted.illegal || versions.iter().any(Option::is_some);
            let minimum = if shown { asked.and_then(Asked::minimum) } else { None };
            (minimum, versions)
        })
        .collect()
}

/// What translation says of one form.
#[derive(Default)]
struct Outcome {
    conversion: Option<Conversion>,
    errors: Vec<Reason>,
    warnings: Vec<Reason>,
}

impl Outcome {
    fn cell(self, version: Option<Version>) -> Cell {
        match (self.conversion, version) {
            (Some(conversion), Some(version)) => Cell::Legal(Legal {
                version,
                rule: conversion.rule,
                sass: conversion.sass.iter().map(ToString::to_string).collect(),
                opcodes: conversion.sass.iter().map(|instruction| instruction.opcode().to_string()).collect(),
                fate: conversion.fate,
                warnings: self.warnings,
            }),
            _ => Cell::Illegal(self.errors),
        }
    }
}

/// The outcomes of all kernels on one target.
fn column(kernels: &Kernels, target: Target, count: usize) -> Vec<Outcome> {
    let options = Options { arch: Some(target), retarget: true, context: Context::Kernel };
    let translation = translate(kernels.text.as_bytes(), &options);
    let mut outcomes: Vec<Outcome> = std::iter::repeat_with(Outcome::default).take(count).collect();
    let statements = &translation.module.statements;
    for conversion in translation.functions.into_iter().flat_map(|f| f.conversions) {
        let start = statements[conversion.statement as usize].span.start;
        if let Ok(index) = kernels.places.binary_search(&start) {
            outcomes[index].conversion = Some(conversion);
        }
    }
    for diagnostic in translation.diagnostics {
        let index = kernels.places.partition_point(|&place| place <= diagnostic.span.start);
        let Some(outcome) = index.checked_sub(1).and_then(|index| outcomes.get_mut(index)) else { continue };
        let reasons = match diagnostic.severity {
            Severity::Error => &mut outcome.errors,
            Severity::Warning => &mut outcome.warnings,
        };
        reasons.push(Reason { message: diagnostic.message, help: diagnostic.help, code: diagnostic.code });
    }
    outcomes
}
