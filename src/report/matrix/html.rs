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
    /// `[0, reasons…]` of an illegal form; `[1, version, sass, rule, path, warnings…]` of a legal one, all but the rule
    /// and the path numbers of texts.
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
    fn cell(&mut self, cell: &Cell, names: &Names) -> usize {
        let numbers = match cell {
            Cell::Illegal(reasons) => {
                let mut numbers = vec![0];
                self.reasons(reasons, names, &mut numbers);
                numbers
            }
            Cell::Legal(legal) => {
                let sass = if legal.sass.is_empty() { legal.text() } else { legal.sass.join("\n") };
                let path = Cost::of_opcodes(&legal.opcodes).path;
                let mut numbers = vec![
                    1,
                    self.texts.number(version(legal.version)),
                    self.texts.number(sass),
                    self.rules[legal.rule.name()],
                    PATHS.iter().position(|&p| p == path).unwrap_or(0),
                ];
                self.reasons(&legal.warnings, names, &mut numbers);
                numbers
            }
        };
        self.cells.number(numbers)
    }

    fn reasons(&mut self, reasons: &[Reason], names: &Names, numbers: &mut Vec<usize>) {
        for reason in reasons {
            numbers.push(self.texts.number(names.left_out(&reason.message)));
            if let Some(help) = &reason.help {
                numbers.push(self.texts.number(names.left_out(&format!("→ {help}"))));
            }
        }
    }
}

/// The names that messages mention. They are left out of the texts and put in again by the page, so that a text is
/// the same for many forms and targets.
struct Names {
    form: String,
    types: String,
    target: String,
    words: [&'static str; 3],
}

impl Names {
    fn new(spelling: &Spelling) -> Self {
        let Form { rounding, dst, src, .. } = spelling.form;
        Self {
            form: spelling.to_string(),
            types: format!(".{}.{}", type_name(dst), type_name(src)),
            target: String::new(),
            words: [rounding.map_or("", rounding_name), type_name(dst), type_name(src)],
        }
    }

    fn left_out(&self, text: &str) -> String {
        let mut text = text.replace(&self.form, "\u{1}").replace(&self.types, "\u{2}");
        for (word, mark) in std::iter::once(self.target.as_str()).chain(self.words).zip('\u{3}'..) {
            text = without_word(&text, word, mark);
        }
        text
    }
}

/// The text with `mark` wherever `word` stands by itself.
fn without_word(text: &str, word: &str, mark: char) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(word).filter(|_| !word.is_empty()) {
        let (before, after) = (&rest[..at], &rest[at + word.len()..]);
        let joins = |c: char| c.is_alphanumeric() || c == '_';
        let alone = !before.chars().next_back().or(out.chars().next_back()).is_some_and(joins)
            && !after.chars().next().is_some_and(joins);
        out.push_str(before);
        if alone {
            out.push(mark)
        } else {
            out.push_str(word)
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

fn data(matrix: &Matrix) -> Data {
    let rules: Vec<RuleId> = RuleId::all().collect();
    let mut builder = Builder {
        texts: Table::new(),
        cells: Table::new(),
        rows: Table::new(),
        rules: rules.iter().enumerate().map(|(number, rule)| (rule.name(), number)).collect(),
    };
    let targets: Vec<String> = matrix.targets.iter().map(ToString::to_string).collect();
    let mut pairs: Vec<Pair> = Vec::new();
    let mut known: FxHashMap<(bool, Type, Type), usize> = FxHashMap::default();
    for row in &matrix.rows {
        let (first_target, first_version) = match row.minimum {
            Some(minimum) => (minimum.to_string(), version(minimum.version)),
            None => Default::default(),
        };
        let mut numbers = vec![builder.texts.number(first_target), builder.texts.number(first_version)];
        let Form { pack, dst, src, .. } = row.spelling.form;
        let mut names = Names::new(&row.spelling);
        for (cell, target) in row.cells.iter().zip(&targets) {
            names.target.clone_from(target);
            let cell = builder.cell(cell, &names);
            match numbers[2..].last_chunk_mut::<2>() {
                Some([last, count]) if *last == cell => *count += 1,
                _ => numbers.extend([cell, 1]),
            }
        }
        let number = builder.rows.number(numbers);
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
        targets,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_left_out_where_they_stand_alone() {
        assert_eq!(without_word("f16 from `.f16x2.f16`", "f16", '#'), "# from `.f16x2.#`");
        assert_eq!(without_word("sm_100 or sm_100a", "sm_100", '#'), "# or sm_100a");
        assert_eq!(without_word("bf16", "f16", '#'), "bf16");
        assert_eq!(without_word("any", "", '#'), "any");
    }
}
