//! The fixture: its text, read and written.
//!
//! Most forms come to the same on most targets, so outcomes and what stands in all columns (a pattern) are written
//! once and have names. The names come from what they name: a change of one does not rename the others in a diff.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use cvtlower::cvt::Spelling;
use cvtlower::cvt::decode::type_name;
use cvtlower::matrix::Surroundings;

/// The contexts, in the order of the columns.
pub const CONTEXTS: [(Surroundings, &str); 2] =
    [(Surroundings::Memory, "memory"), (Surroundings::Registers, "registers")];

/// The ptxas that the fixture is of.
pub const PTXAS: &str = "13.1.115";

const HEAD: &str = "\
# What ptxas says of every form of cvt, on every target that it generates code for, in both contexts of
# `cvtlower matrix --context`. Checked by tests/golden; nothing in src reads it. Made by
#   CVTLOWER_BLESS_PTXAS=1 cargo test --test golden
# [ptxas]     its version
# [targets]   the columns of a context
# [outcomes]  name, `ok` and the shapes of the instructions, or `no` and the messages in ptxas's order
#             (%D and %S for the form's types, %T for the target)
# [patterns]  name, the outcomes target by target (with how often in a row) for memory, then for registers
#             where they differ
# [forms]     modifiers, and under them types and the pattern
";

/// The outcomes of all forms in all columns.
#[derive(Debug, Default)]
pub struct Table {
    /// The version of the ptxas that was asked.
    pub ptxas: String,
    /// The targets; the columns are these for each context.
    pub targets: Vec<String>,
    /// The outcomes, without the names that they mention.
    outcomes: Vec<String>,
    /// For each form its opcode, and for each column the number of an outcome.
    pub rows: Vec<(String, Arc<[usize]>)>,
}

/// The names that messages mention. The rest is the same for many forms and targets.
struct Mentioned<'a> {
    dst: &'a str,
    src: &'a str,
    target: &'a str,
}

impl<'a> Mentioned<'a> {
    fn new(form: &Spelling, target: &'a str) -> Self {
        Self { dst: type_name(form.form.dst), src: type_name(form.form.src), target }
    }

    fn left_out(&self, outcome: &str) -> String {
        if outcome.starts_with("ok") {
            return outcome.to_owned();
        }
        let Self { dst, src, target } = self;
        let text = outcome.replace(&format!(".{dst}.{src}"), ".%D.%S").replace(&format!("'{target}'"), "'%T'");
        text.replace(&format!("'.{dst}'"), "'.%D'").replace(&format!("'.{src}'"), "'.%S'")
    }

    fn put_in<'o>(&self, outcome: &'o str) -> Cow<'o, str> {
        if !outcome.contains('%') {
            return Cow::Borrowed(outcome);
        }
        let mut parts = outcome.split('%');
        let mut text = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (name, rest) = part.split_at(1);
            text += match name {
                "D" => self.dst,
                "S" => self.src,
                "T" => self.target,
                _ => panic!("what is %{name}? {outcome}"),
            };
            text += rest;
        }
        Cow::Owned(text)
    }
}

/// Five bits a letter of an FNV hash: short, and the same on every machine.
fn name(text: &str) -> String {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3));
    (0..6).map(|n| char::from(b"abcdefghijkmnpqrstuvwxyz23456789"[(hash >> (5 * n + 30)) as usize & 31])).collect()
}

/// A table under construction: names and what they name.
#[derive(Default)]
struct Names(BTreeMap<String, String>);

impl Names {
    fn of(&mut self, text: &str) -> String {
        let name = name(text);
        let known = self.0.entry(name.clone()).or_insert_with(|| text.to_owned());
        assert_eq!(known, text, "two things are called {name}");
        name
    }
}

/// The modifiers and the types of an opcode.
pub fn split(form: &Spelling) -> (String, String) {
    let opcode = form.to_string();
    let types = if form.merges { 3 } else { 2 };
    let at = opcode.rmatch_indices('.').nth(types - 1).expect("two types at least").0;
    (opcode[..at].to_owned(), opcode[at..].to_owned())
}

/// `a a a b` as `a*3 b`.
fn runs(names: &[String]) -> String {
    let runs = names.chunk_by(|a, b| a == b).map(|run| match run.len() {
        1 => run[0].clone(),
        n => format!("{}*{n}", run[0]),
    });
    runs.collect::<Vec<_>>().join(" ")
}

/// The text of the fixture, of the outcomes in each column.
pub fn write(ptxas: &str, targets: &[String], forms: &[Spelling], columns: &[Vec<String>]) -> String {
    let (mut outcomes, mut patterns) = (Names::default(), Names::default());
    let mut groups: Vec<(String, String)> = Vec::new();
    for (index, form) in forms.iter().enumerate() {
        let cells = columns.iter().zip(targets.iter().cycle());
        let names: Vec<String> =
            cells.map(|(column, target)| outcomes.of(&Mentioned::new(form, target).left_out(&column[index]))).collect();
        let [memory, registers] = [0, 1].map(|c| runs(&names[c * targets.len()..][..targets.len()]));
        let pattern = patterns.of(&if memory == registers { memory } else { format!("{memory}\t{registers}") });
        let (modifiers, types) = split(form);
        let group = groups.iter().position(|(m, _)| *m == modifiers).unwrap_or_else(|| {
            groups.push((modifiers, String::new()));
            groups.len() - 1
        });
        let _ = writeln!(groups[group].1, "{types}\t{pattern}");
    }
    let mut text = format!("{HEAD}[ptxas]\n{ptxas}\n[targets]\n{}\n[outcomes]\n", targets.join(" "));
    let mut sorted: Vec<_> = outcomes.0.into_iter().collect();
    sorted.sort_by(|a, b| a.1.cmp(&b.1));
    for (name, outcome) in sorted {
        let _ = writeln!(text, "{name}\t{outcome}");
    }
    text.push_str("[patterns]\n");
    for (name, pattern) in patterns.0 {
        let _ = writeln!(text, "{name}\t{pattern}");
    }
    text.push_str("[forms]\n");
    for (modifiers, rows) in groups {
        let _ = write!(text, "{modifiers}\n{rows}");
    }
    text
}

impl Table {
    /// What the fixture has for a row in a column.
    pub fn outcome(&self, row: usize, column: usize, form: &Spelling) -> Cow<'_, str> {
        let target = &self.targets[column % self.targets.len()];
        Mentioned::new(form, target).put_in(&self.outcomes[self.rows[row].1[column]])
    }

    /// Reads the fixture.
    pub fn read(text: &str) -> Table {
        let mut table = Table::default();
        let mut outcomes: BTreeMap<&str, usize> = BTreeMap::new();
        let mut patterns: BTreeMap<&str, Arc<[usize]>> = BTreeMap::new();
        let (mut section, mut modifiers) = ("", "");
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let pair = line.split_once('\t');
            match (section, pair) {
                _ if line.starts_with('[') => section = line,
                ("[ptxas]", None) => table.ptxas = line.to_owned(),
                ("[targets]", None) => table.targets = line.split(' ').map(str::to_owned).collect(),
                ("[outcomes]", Some((name, outcome))) => {
                    assert!(outcomes.insert(name, table.outcomes.len()).is_none(), "{line}");
                    table.outcomes.push(outcome.to_owned());
                }
                ("[patterns]", Some((name, pattern))) => {
                    let (memory, registers) = pattern.split_once('\t').unwrap_or((pattern, pattern));
                    let cells = [memory, registers].map(|runs| expand(runs, &outcomes));
                    assert!(
                        cells.iter().all(|cells| cells.len() == table.targets.len()),
                        "too many or too few: {line}"
                    );
                    assert!(patterns.insert(name, cells.concat().into()).is_none(), "{line}");
                }
                ("[forms]", None) => modifiers = line,
                ("[forms]", Some((types, pattern))) => {
                    let cells = patterns.get(pattern).unwrap_or_else(|| panic!("no such pattern: {line}"));
                    table.rows.push((format!("{modifiers}{types}"), Arc::clone(cells)));
                }
                _ => panic!("not understood in {section}: {line}"),
            }
        }
        table
    }
}

fn expand(runs: &str, outcomes: &BTreeMap<&str, usize>) -> Vec<usize> {
    let run = |run: &str| {
        let (name, times) = run.split_once('*').unwrap_or((run, "1"));
        let outcome = outcomes.get(name).unwrap_or_else(|| panic!("no such outcome: {name}"));
        vec![*outcome; times.parse().expect("how often")]
    };
    runs.split(' ').flat_map(run).collect()
}
