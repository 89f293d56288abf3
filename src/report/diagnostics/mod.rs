//! Findings on standard error: one file a style.
//!
//! A style gets the findings of one file. The same fault many times is shown once with its count, except where a
//! program wants every place (`ptxas`, and the JSON document).

pub mod fancy;
pub mod github;
pub mod plain;
pub mod ptxas;
pub mod sarif;
mod snippet;

use std::fmt;

use rustc_hash::FxHashMap;

use crate::diagnostic::{Diagnostic, Severity};
use crate::ptx::lines::LineIndex;
use crate::target::Target;

/// More distinct faults of one file than anybody reads.
const MOST_GROUPS: usize = 50;

/// How many of the further places are named.
const PLACES_NAMED: usize = 3;

/// One finding, with the targets that it holds for.
pub struct Finding {
    /// What was found.
    pub diagnostic: Diagnostic,
    /// The targets, when it does not hold for all that were asked for.
    pub only: Vec<Target>,
}

/// The findings of a file.
pub struct Findings<'a, 's> {
    /// The file's name as the user gave it.
    pub path: &'a str,
    /// Its text.
    pub source: &'s [u8],
    /// Its lines.
    pub lines: &'a LineIndex<'s>,
    /// What was found, in source order.
    pub findings: Vec<Finding>,
}

/// Puts together what was found for several targets: most findings hold for all of them and are told once.
pub fn merge(runs: Vec<(Target, Vec<Diagnostic>)>) -> Vec<Finding> {
    let all = runs.len();
    let mut findings: Vec<Finding> = Vec::new();
    if all == 1 {
        let diagnostics = runs.into_iter().flat_map(|(_, diagnostics)| diagnostics);
        return diagnostics.map(|diagnostic| Finding { diagnostic, only: Vec::new() }).collect();
    }
    let mut known: FxHashMap<(u32, u32, &'static str, String), usize> = FxHashMap::default();
    for (target, diagnostics) in runs {
        for diagnostic in diagnostics {
            let Diagnostic { span, code, ref message, .. } = diagnostic;
            let index = *known.entry((span.start, span.end, code, message.clone())).or_insert_with(|| {
                findings.push(Finding { diagnostic, only: Vec::new() });
                findings.len() - 1
            });
            if findings[index].only.last() != Some(&target) {
                findings[index].only.push(target);
            }
        }
    }
    for finding in &mut findings {
        if finding.only.len() == all {
            finding.only.clear();
        }
    }
    // Those of a later target come behind those of the first; the sort is stable.
    findings.sort_by_key(|finding| finding.diagnostic.span.start);
    findings
}

/// A fault and how often it is there.
struct Group<'a> {
    first: &'a Finding,
    more: usize,
    /// Where the next few are: byte offsets.
    next: Vec<u32>,
}

impl Group<'_> {
    /// `… and 12 more like it, first at lines 9, 14, 20`; nothing when there is only one.
    fn tail<'s>(&self, lines: &LineIndex<'s>) -> Option<String> {
        let places: Vec<String> = self.next.iter().map(|&offset| lines.line(offset).to_string()).collect();
        let (first, s) = (if self.more > places.len() { "first " } else { "" }, if self.more == 1 { "" } else { "s" });
        (self.more > 0).then(|| format!("… and {} more like it, {first}at line{s} {}", self.more, places.join(", ")))
    }
}

/// The distinct faults in the order of their first places, and the number of findings left out.
fn grouped<'a>(findings: &'a Findings<'_, '_>) -> (Vec<Group<'a>>, usize) {
    let mut groups: Vec<Group<'a>> = Vec::new();
    let mut known: FxHashMap<(&str, &str, &[Target]), usize> = FxHashMap::default();
    let mut left_out = 0;
    for finding in &findings.findings {
        let Diagnostic { code, message, span, .. } = &finding.diagnostic;
        let key = (*code, message.as_str(), finding.only.as_slice());
        if let Some(&index) = known.get(&key) {
            let group = &mut groups[index];
            group.more += 1;
            if group.next.len() < PLACES_NAMED {
                group.next.push(span.start);
            }
        } else if groups.len() < MOST_GROUPS {
            known.insert(key, groups.len());
            groups.push(Group { first: finding, more: 0, next: Vec::new() });
        } else {
            left_out += 1;
        }
    }
    (groups, left_out)
}

/// The last line when findings were left out.
fn left_out_line(path: &str, left_out: usize) -> String {
    format!("{path}: … and {left_out} further findings; --format json has them all\n")
}

/// ` (for sm_75, sm_80)`, or nothing when the finding holds for all targets.
struct Only<'a>(&'a [Target]);

impl fmt::Display for Only<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, target) in self.0.iter().enumerate() {
            write!(f, "{}{target}", if n == 0 { " (for " } else { ", " })?;
        }
        if self.0.is_empty() { Ok(()) } else { write!(f, ")") }
    }
}

/// `error` or `warning`.
fn severity_name(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}
