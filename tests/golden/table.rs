//! The fixture: its text, read and written.
//!
//! Most forms come to the same on most targets, so outcomes and what stands in all columns (a pattern) are written
//! once and have names. The names come from what they name: a change of one does not rename the others in a diff.

use std::collections::BTreeMap;
use std::fmt::Write;

use cvtlower::cvt::Spelling;
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
# [patterns]  name, the outcomes target by target (with how often in a row) for memory, then for registers
#             where they differ
# [forms]     modifiers, and under them types and the pattern
";

/// The outcomes of all forms in all columns.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// The version of the ptxas that was asked.
    pub ptxas: String,
    /// The targets; the columns are these for each context.
    pub targets: Vec<String>,
    /// For each form its opcode and an outcome for each column.
    pub rows: Vec<(String, Vec<String>)>,
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

impl Table {
    /// The text of the fixture. The rows are of `forms`.
    pub fn write(&self, forms: &[Spelling]) -> String {
        let (mut outcomes, mut patterns) = (Names::default(), Names::default());
        let mut groups: Vec<(String, String)> = Vec::new();
        for (form, (_, cells)) in forms.iter().zip(&self.rows) {
            let names: Vec<String> = cells.iter().map(|cell| outcomes.of(cell)).collect();
            let [memory, registers] = [0, 1].map(|c| runs(&names[c * self.targets.len()..][..self.targets.len()]));
            let pattern = patterns.of(&if memory == registers { memory } else { format!("{memory}\t{registers}") });
            let (modifiers, types) = split(form);
            let group = groups.iter().position(|(m, _)| *m == modifiers).unwrap_or_else(|| {
                groups.push((modifiers, String::new()));
                groups.len() - 1
            });
            let _ = writeln!(groups[group].1, "{types}\t{pattern}");
        }
        let mut text = format!("{HEAD}[ptxas]\n{}\n[targets]\n{}\n[outcomes]\n", self.ptxas, self.targets.join(" "));
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

    /// Reads the fixture.
    pub fn read(text: &str) -> Table {
        let mut table = Table::default();
        let mut outcomes: BTreeMap<&str, &str> = BTreeMap::new();
        let mut patterns: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        let (mut section, mut modifiers) = ("", "");
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let pair = line.split_once('\t');
            match (section, pair) {
                _ if line.starts_with('[') => section = line,
                ("[ptxas]", None) => table.ptxas = line.to_owned(),
                ("[targets]", None) => table.targets = line.split(' ').map(str::to_owned).collect(),
                ("[outcomes]", Some((name, outcome))) => assert!(outcomes.insert(name, outcome).is_none(), "{line}"),
                ("[patterns]", Some((name, pattern))) => {
                    let (memory, registers) = pattern.split_once('\t').unwrap_or((pattern, pattern));
                    let cells = [memory, registers].map(|runs| expand(runs, &outcomes));
                    assert!(cells.iter().all(|cells| cells.len() == table.targets.len()), "too many or too few: {line}");
                    assert!(patterns.insert(name, cells.concat()).is_none(), "{line}");
                }
                ("[forms]", None) => modifiers = line,
                ("[forms]", Some((types, pattern))) => {
                    let cells = patterns.get(pattern).unwrap_or_else(|| panic!("no such pattern: {line}"));
                    table.rows.push((format!("{modifiers}{types}"), cells.clone()));
                }
                _ => panic!("not understood in {section}: {line}"),
            }
        }
        table
    }
}

fn expand(runs: &str, outcomes: &BTreeMap<&str, &str>) -> Vec<String> {
    let run = |run: &str| {
        let (name, times) = run.split_once('*').unwrap_or((run, "1"));
        let outcome = outcomes.get(name).unwrap_or_else(|| panic!("no such outcome: {name}"));
        vec![(*outcome).to_owned(); times.parse().expect("how often")]
    };
    runs.split(' ').flat_map(run).collect()
}
