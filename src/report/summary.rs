//! `--summary`: what the conversions of a file cost, at a glance.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};

use super::text::Printable;
use super::{Format, Unit};
use crate::advice::{self, Adviser};
use crate::sass::cost::Cost;
use crate::target::Target;
use crate::translate::Fate;

/// How many places are named.
const PLACES_NAMED: usize = 4;

/// What is counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Counts {
    conversions: usize,
    emitted: usize,
    folded: usize,
    constant: usize,
    dead: usize,
    illegal: usize,
    opcodes: BTreeMap<String, usize>,
    slow: BTreeMap<Slow, Places>,
}

/// A slow conversion: those of one opcode that come out alike are told once. The dearest come first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Slow {
    weight: std::cmp::Reverse<u32>,
    opcode: String,
    sass: String,
    advice: Vec<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Places {
    count: usize,
    lines: Vec<u32>,
}

impl Counts {
    fn add(&mut self, other: &Counts) {
        self.conversions += other.conversions;
        self.emitted += other.emitted;
        self.folded += other.folded;
        self.constant += other.constant;
        self.dead += other.dead;
        self.illegal += other.illegal;
        for (opcode, count) in &other.opcodes {
            *self.opcodes.entry(opcode.clone()).or_default() += count;
        }
        for (slow, places) in &other.slow {
            // Lines of several files would say nothing.
            self.slow.entry(slow.clone()).or_default().count += places.count;
        }
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let n = self.conversions;
        write!(out, "{n} conversion{}", if n == 1 { "" } else { "s" })?;
        let mut separator = ": ";
        for (count, name) in [
            (self.emitted, "emitted"),
            (self.folded, "folded"),
            (self.constant, "constant"),
            (self.dead, "dead"),
            (self.illegal, "illegal"),
        ] {
            if count > 0 {
                write!(out, "{separator}{count} {name}")?;
                separator = ", ";
            }
        }
        writeln!(out)?;
        let mut opcodes: Vec<_> = self.opcodes.iter().collect();
        opcodes.sort_by_key(|&(name, &count)| (std::cmp::Reverse(count), name));
        for (name, count) in opcodes {
            writeln!(out, "  {count:>6}  {name}")?;
        }
        if self.slow.is_empty() {
            return Ok(());
        }
        let slow: usize = self.slow.values().map(|places| places.count).sum();
        writeln!(out, "  slow: {slow}")?;
        for (slow, places) in &self.slow {
            write!(out, "  {:>6}  {}: {}", places.count, Printable(&slow.opcode), slow.sass)?;
            for (n, line) in places.lines.iter().enumerate() {
                let s = if places.lines.len() > 1 { "s" } else { "" };
                write!(out, "{}{line}", if n == 0 { format!(" (line{s} ") } else { ", ".to_owned() })?;
            }
            let closing = if places.count > places.lines.len() { ", …)" } else { ")" };
            writeln!(out, "{}", if places.lines.is_empty() { "" } else { closing })?;
            for advice in &slow.advice {
                writeln!(out, "          {advice}")?;
            }
            if slow.advice.is_empty() {
                writeln!(out, "          no other rounding, modifier or target is cheaper")?;
            }
        }
        Ok(())
    }
}

/// The counts of one file.
pub struct Part {
    path: String,
    counts: Counts,
}

/// The format of `--summary`.
#[derive(Default)]
pub struct Summary {
    retarget: bool,
    totals: Vec<(Target, usize, Counts)>,
}

impl Summary {
    /// A summary; `retarget` when files are judged by the architecture.
    pub fn new(retarget: bool) -> Self {
        Self { retarget, totals: Vec::new() }
    }
}

impl Format for Summary {
    type Part = Part;

    fn part(&self, unit: &Unit<'_, '_>) -> io::Result<Part> {
        let translation = unit.translation;
        let module = &translation.module;
        let adviser = Adviser::new(translation.arch, advice::judge_of(translation, self.retarget));
        // Most conversions of a file are of a few forms: each is looked at once.
        let mut looked: HashMap<(u32, Vec<String>), Option<Slow>> = HashMap::new();
        let mut counts = Counts::default();
        let all = module.statements.iter().filter(|s| {
            s.kind == crate::ptx::StatementKind::Instruction
                && module.opcodes[s.opcode.0 as usize].parts().next() == Some(b"cvt")
        });
        counts.conversions = all.count();
        for conversion in translation.functions.iter().flat_map(|f| &f.conversions) {
            match conversion.fate {
                Fate::Emitted => counts.emitted += 1,
                Fate::Folded { .. } => counts.folded += 1,
                Fate::Constant { .. } => counts.constant += 1,
                Fate::Dead => counts.dead += 1,
            }
            // What ptxas does in no statement's place is done all the same.
            let elsewhere = match &conversion.fate {
                Fate::Folded { into: None, sass, .. } => sass.as_slice(),
                _ => &[],
            };
            let all = conversion.sass.iter().chain(elsewhere);
            let opcodes: Vec<String> = all.map(|i| i.opcode().to_string()).collect();
            for opcode in &opcodes {
                match counts.opcodes.get_mut(opcode) {
                    Some(count) => *count += 1,
                    None => drop(counts.opcodes.insert(opcode.clone(), 1)),
                }
            }
            let number = module.statements[conversion.statement as usize].opcode.0;
            let slow = looked.entry((number, opcodes)).or_insert_with_key(|(_, opcodes)| {
                let slow = advice::is_slow(opcodes)
                    || (!opcodes.is_empty() && adviser.is_avoidable(&conversion.form, opcodes));
                slow.then(|| Slow {
                    weight: std::cmp::Reverse(Cost::of_opcodes(opcodes).weight),
                    opcode: unit.statement_opcode(conversion.statement).into_owned(),
                    sass: match opcodes.as_slice() {
                        [one] => one.clone(),
                        several => advice::principal(several),
                    },
                    advice: adviser.advice(&conversion.form, opcodes),
                })
            });
            if let Some(slow) = slow {
                let places = counts.slow.entry(slow.clone()).or_default();
                places.count += 1;
                if places.lines.len() < PLACES_NAMED {
                    places.lines.push(unit.line(conversion.statement));
                }
            }
        }
        let legal = counts.emitted + counts.folded + counts.constant + counts.dead;
        counts.illegal = counts.conversions.saturating_sub(legal);
        Ok(Part { path: unit.path.to_owned(), counts })
    }

    fn put(&mut self, arch: Target, part: Part, out: &mut dyn Write) -> io::Result<()> {
        if !self.totals.is_empty() {
            writeln!(out)?;
        }
        write!(out, "{} for {arch}: ", Printable(&part.path))?;
        part.counts.write(out)?;
        match self.totals.iter_mut().find(|(target, ..)| *target == arch) {
            Some((_, files, total)) => {
                *files += 1;
                total.add(&part.counts);
            }
            None => {
                let mut total = Counts::default();
                total.add(&part.counts);
                self.totals.push((arch, 1, total));
            }
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut dyn Write) -> io::Result<()> {
        for (arch, files, total) in self.totals.iter().filter(|(_, files, _)| *files > 1) {
            write!(out, "\n{files} files for {arch}: ")?;
            total.write(out)?;
        }
        Ok(())
    }
}
