//! One page to look at, with everything in it: no network, no other file.
//!
//! The matrix repeats itself: most forms do the same on most targets. So what is on a target (a cell) and what is on all
//! of them (a row) stand in tables once, and a form is the number of its modifiers and the number of its row.

use std::hash::Hash;
use std::io::{self, Write};

use rustc_hash::FxHashMap;
use serde::Serialize;

use super::version;
use crate::cvt::decode::{rounding_name, type_name};
use crate::cvt::forms::{LIMITS, ROUNDINGS};
use crate::cvt::{Form, Spelling};
use crate::lower::RuleId;
use crate::matrix::{Cell, Matrix, Reason};
use crate::ptx::Type;
use crate::sass::cost::{Cost, Path};
use crate::translate::REFERENCE;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// A list of distinct things, each with its number.
struct Table<T> {
    list: Vec<T>,
    numbers: FxHashMap<T, usize>,
}

impl<T: Clone + Eq + Hash> Table<T> {
    fn new() -> Self {
        Self { list: Vec::new(), numbers: FxHashMap::default() }
    }

    fn number(&mut self, thing: T) -> usize {
        if let Some(&number) = self.numbers.get(&thing) {
            return number;
        }
        self.list.push(thing.clone());
        self.numbers.insert(thing, self.list.len() - 1);
        self.list.len() - 1
    }
}

/// What the page's script reads.
#[derive(Serialize)]
struct Data {
    producer: &'static str,
    reference: &'static str,
    targets: Vec<String>,
    roundings: Vec<&'static str>,
    limits: Vec<String>,
    paths: Vec<(&'static str, String)>,
    /// Number, name, title and reason.
    rules: Vec<(String, &'static str, &'static str, &'static str)>,
    texts: Vec<String>,
    /// `[reasons]` of an illegal form; `[version, sass, rule, path, warnings]` of a legal one, all but the rule and the
    /// path numbers of texts.
    cells: Vec<Vec<usize>>,
    /// First target and version as texts, then cells and how many targets in a row have them.
    rows: Vec<Vec<usize>>,
    pairs: Vec<Pair>,
}

/// The forms of two types.
#[derive(Serialize)]
struct Pair {
    dst: &'static str,
    src: &'static str,
    pack: bool,
    operands: Vec<String>,
    /// The modifiers' number, the row, the operands, form by form.
    forms: Vec<usize>,
}

/// The modifiers as one number: rounding, ftz, limits, and scaled (or, of `cvt.pack`, merging).
fn modifiers(spelling: &Spelling) -> usize {
    let form = &spelling.form;
    let rounding = ROUNDINGS.iter().position(|&r| r == form.rounding).unwrap_or(0);
    let limits = LIMITS.iter().position(|&l| l == (form.sat, form.relu, form.satfinite)).unwrap_or(0);
    ((rounding * 2 + usize::from(form.ftz)) * LIMITS.len() + limits) * 2 + usize::from(form.scaled || spelling.merges)
}

fn limit_name(&(sat, relu, satfinite): &(bool, bool, bool)) -> String {
    let names = [(".sat", sat), (".relu", relu), (".satfinite", satfinite)];
    names.iter().filter(|(_, set)| *set).map(|(name, _)| *name).collect()
}

const PATHS: [Path; 5] = [Path::Free, Path::Fast, Path::Conversion, Path::Sequence, Path::Wide];

struct Builder {
    texts: Table<String>,
    cells: Table<Vec<usize>>,
    rows: Table<Vec<usize>>,
    rules: FxHashMap<&'static str, usize>,
}

impl Builder {
    fn cell(&mut self, cell: &Cell) -> usize {
        let numbers = match cell {
            Cell::Illegal(reasons) => vec![self.reasons(reasons)],
            Cell::Legal(legal) => {
                let sass = if legal.sass.is_empty() { legal.text() } else { legal.sass.join("\n") };
                let path = Cost::of_opcodes(&legal.opcodes).path;
                vec![
                    self.texts.number(version(legal.version)),
                    self.texts.number(sass),
                    self.rules[legal.rule.name()],
                    PATHS.iter().position(|&p| p == path).unwrap_or(0),
                    self.reasons(&legal.warnings),
                ]
            }
        };
        self.cells.number(numbers)
    }

    fn reasons(&mut self, reasons: &[Reason]) -> usize {
        let mut text = String::new();
        for reason in reasons {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(&reason.message);
            if let Some(help) = &reason.help {
                text.push_str("\n→ ");
                text.push_str(help);
            }
        }
        self.texts.number(text)
    }
}

fn data(matrix: &Matrix) -> Data {
    let rules: Vec<RuleId> = RuleId::all().collect();
    let mut builder = Builder {
        texts: Table::new(),
        cells: Table::new(),
        rows: Table::new(),
        rules: rules.iter().enumerate().map(|(number, rule)| (rule.name(), number)).collect(),
    };
    let mut pairs: Vec<Pair> = Vec::new();
    let mut known: FxHashMap<(bool, Type, Type), usize> = FxHashMap::default();
    for row in &matrix.rows {
        let (first_target, first_version) = match row.minimum {
            Some(minimum) => (minimum.to_string(), version(minimum.version)),
            None => Default::default(),
        };
        let mut numbers = vec![builder.texts.number(first_target), builder.texts.number(first_version)];
        for cell in &row.cells {
            let cell = builder.cell(cell);
            match numbers[2..].last_chunk_mut::<2>() {
                Some([last, count]) if *last == cell => *count += 1,
                _ => numbers.extend([cell, 1]),
            }
        }
        let number = builder.rows.number(numbers);
        let Form { pack, dst, src, .. } = row.spelling.form;
        let pair = *known.entry((pack, dst, src)).or_insert_with(|| {
            pairs.push(Pair {
                dst: type_name(dst),
                src: type_name(src),
                pack,
                operands: Vec::new(),
                forms: Vec::new(),
            });
            pairs.len() - 1
        });
        let Pair { operands, forms, .. } = &mut pairs[pair];
        let text = row.spelling.operands();
        let operand = operands.iter().position(|o| *o == text).unwrap_or_else(|| {
            operands.push(text);
            operands.len() - 1
        });
        forms.extend([modifiers(&row.spelling), number, operand]);
    }
    Data {
        producer: concat!("cvtlower ", env!("CARGO_PKG_VERSION")),
        reference: REFERENCE,
        targets: matrix.targets.iter().map(ToString::to_string).collect(),
        roundings: ROUNDINGS.iter().map(|r| r.map_or("", rounding_name)).collect(),
        limits: LIMITS.iter().map(limit_name).collect(),
        paths: PATHS.iter().map(|path| (path.name(), path.to_string())).collect(),
        rules: rules.iter().map(|r| (r.to_string(), r.name(), r.title(), r.reason())).collect(),
        texts: builder.texts.list,
        cells: builder.cells.list,
        rows: builder.rows.list,
        pairs,
    }
}

/// Writes the page.
pub fn write(matrix: &Matrix, out: &mut dyn Write) -> io::Result<()> {
    // Within a script element nothing may look like its end or like a comment.
    let data = serde_json::to_string(&data(matrix))?.replace('<', "\\u003c");
    let mut rest = PAGE;
    for (mark, text) in [("/*STYLE*/", STYLE), ("\"DATA\"", &data), ("/*SCRIPT*/", SCRIPT)] {
        let (before, after) = rest.split_once(mark).unwrap_or((rest, ""));
        out.write_all(before.as_bytes())?;
        out.write_all(text.as_bytes())?;
        rest = after;
    }
    out.write_all(rest.as_bytes())
}
