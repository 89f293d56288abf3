//! One file, as it is translated here and as the real ptxas assembles it.

use std::time::Duration;

use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::Serialize;

use super::find::Tools;
use super::rewrite::{Line, Rewritten};
use super::run::{Answer, ask};
use super::shape::shapes;
use crate::ptx::lines::LineIndex;
use crate::ptx::{Module, Span, StatementKind};
use crate::report::text::one_line;
use crate::target::Target;
use crate::translate::{Context, Fate, Options, Translation, translate_whole};

/// How a file compares.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Comparison {
    /// The file's name as given.
    pub path: String,
    /// The target that both sides generated for.
    pub arch: String,
    /// Conversions that were compared.
    pub conversions: u32,
    /// Those whose instructions have the same shapes on both sides.
    pub agreeing: u32,
    /// Those that another statement is said to carry.
    pub folded: u32,
    /// Those of them whose carrying instruction ptxas attributes to that statement.
    pub folded_agreeing: u32,
    /// Messages of ptxas about a file that it refuses, and of ours for it, each counted once where both have it.
    pub messages: u32,
    /// Those that both sides have at the same statement.
    pub messages_agreeing: u32,
    /// The conversions that differ.
    pub differences: Vec<Difference>,
    /// The messages that only one side has.
    pub message_differences: Vec<MessageDifference>,
    /// Why the file could not be compared.
    pub failure: Option<String>,
}

/// A conversion that the two sides lower differently.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Difference {
    /// Line of the statement, from 1.
    pub line: u32,
    /// Column of the statement, from 1, in characters.
    pub column: u32,
    /// The statement on one line.
    pub ptx: String,
    /// The instructions that were foretold.
    pub cvtlower: Vec<String>,
    /// The instructions that ptxas attributes to the statement.
    pub ptxas: Vec<String>,
}

/// A message that one side has and the other has not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MessageDifference {
    /// Line, from 1; absent where ptxas names none.
    pub line: Option<u32>,
    /// Who has it: `cvtlower` or `ptxas`.
    pub only: String,
    /// The text.
    pub message: String,
}

impl Comparison {
    /// Whether nothing differs and nothing failed.
    pub fn agrees(&self) -> bool {
        self.differences.is_empty() && self.message_differences.is_empty() && self.failure.is_none()
    }

    fn failed(path: &str, arch: &str, why: impl Into<String>) -> Comparison {
        let failure = Some(why.into());
        Comparison { path: path.to_owned(), arch: arch.to_owned(), failure, ..Comparison::default() }
    }
}

/// Compares one file. `arch` is by default the file's `.target`.
pub fn compare(
    path: &str,
    source: &[u8],
    arch: Option<Target>,
    retarget: bool,
    tools: &Tools,
    patience: Duration,
) -> Comparison {
    let translation = translate_whole(source, &Options { arch, retarget, context: Context::Kernel });
    let module = &translation.module;
    let name = arch.map_or_else(String::new, |t| t.to_string());
    if module.snippet {
        return Comparison::failed(path, &name, "ptxas takes modules only: .version and .target are missing");
    }
    if arch.is_none() && module.target.is_none() {
        return Comparison::failed(path, &name, "the file has no .target, so --arch has to be given");
    }
    let arch = translation.arch;
    let rewritten = Rewritten::of(module, retarget.then_some(arch));
    let mut comparison = Comparison { path: path.to_owned(), arch: arch.to_string(), ..Comparison::default() };
    let lines = LineIndex::new(source);
    match ask(tools, &rewritten.text, arch, patience) {
        Err(failure) => comparison.failure = Some(failure.to_string()),
        Ok(Answer::Refused(theirs)) => messages(&translation, &rewritten, &lines, theirs, &mut comparison),
        Ok(Answer::Taken(listing)) => {
            messages(&translation, &rewritten, &lines, Vec::new(), &mut comparison);
            instructions(&translation, &rewritten, &lines, listing, &mut comparison);
        }
    }
    comparison
}

/// Compares what each conversion becomes.
fn instructions(
    translation: &Translation<'_>,
    rewritten: &Rewritten,
    lines: &LineIndex<'_>,
    listing: FxHashMap<u32, Vec<String>>,
    comparison: &mut Comparison,
) {
    let module = &translation.module;
    let mut by_statement: FxHashMap<u32, Vec<String>> = FxHashMap::default();
    for (number, instructions) in listing {
        if let Some(Line::Statement(statement)) = rewritten.line(number) {
            by_statement.insert(statement, instructions);
        }
    }
    let none = Vec::new();
    for conversion in translation.functions.iter().flat_map(|f| &f.conversions) {
        comparison.conversions += 1;
        let ours: Vec<String> = conversion.sass.iter().map(ToString::to_string).collect();
        let theirs = by_statement.get(&conversion.statement).unwrap_or(&none);
        if let Fate::Folded { into: Some(into), sass, .. } = &conversion.fate {
            comparison.folded += 1;
            let there = by_statement.get(into).unwrap_or(&none);
            let carried: Vec<String> = sass.iter().map(ToString::to_string).collect();
            let (carried, shapes_there) = (shapes(&carried), shapes(there));
            comparison.folded_agreeing +=
                u32::from(!there.is_empty() && carried.iter().all(|shape| shapes_there.contains(shape)));
        }
        if shapes(&ours) == shapes(theirs) {
            comparison.agreeing += 1;
        } else {
            let span = module.statements[conversion.statement as usize].span;
            let (line, column) = lines.place(span.start);
            let ptx = one_line(span.of(module.source)).into_owned();
            comparison.differences.push(Difference { line, column, ptx, cvtlower: ours, ptxas: theirs.clone() });
        }
    }
}

/// Compares the messages about a file that ptxas refuses, or that it takes although something is found here.
fn messages(
    translation: &Translation<'_>,
    rewritten: &Rewritten,
    lines: &LineIndex<'_>,
    theirs: Vec<(Option<u32>, String)>,
    comparison: &mut Comparison,
) {
    let module = &translation.module;
    let mut theirs: Vec<(Option<u32>, String)> = theirs
        .into_iter()
        .filter_map(|(number, text)| match number.and_then(|n| rewritten.line(n)) {
            Some(Line::Statement(s)) => {
                let statement = &module.statements[s as usize];
                let line = lines.line(statement.span.start);
                let opcode = &module.opcodes[statement.opcode.0 as usize];
                if statement.kind == StatementKind::Instruction && opcode.parts().next() != Some(b"cvt") {
                    // Instructions that are no conversions are not judged here; they keep the file from being assembled.
                    let why = format!("ptxas refuses another instruction, line {line}: {text}");
                    comparison.failure.get_or_insert(why);
                    return None;
                }
                Some((Some(line), text))
            }
            Some(Line::Other(offset)) => Some((Some(lines.line(offset)), text)),
            None => Some((None, text)),
        })
        .collect();
    let place = |anchor: Span| match statement_at(module, anchor.start) {
        Some(s) => lines.line(module.statements[s as usize].span.start),
        None => lines.line(anchor.start),
    };
    for finding in &translation.diagnostics {
        for text in &finding.ptxas {
            comparison.messages += 1;
            let line = place(finding.anchor);
            let same = theirs.iter().position(|(l, t)| t == text && l.is_none_or(|l| l == line));
            if let Some(at) = same {
                comparison.messages_agreeing += 1;
                theirs.remove(at);
            } else {
                let only = "cvtlower".to_owned();
                comparison.message_differences.push(MessageDifference {
                    line: Some(line),
                    only,
                    message: text.clone(),
                });
            }
        }
    }
    for (line, message) in theirs {
        comparison.messages += 1;
        comparison.message_differences.push(MessageDifference { line, only: "ptxas".to_owned(), message });
    }
}

/// The statement that an offset is in.
fn statement_at(module: &Module<'_>, offset: u32) -> Option<u32> {
    let after = module.statements.partition_point(|s| s.span.start <= offset);
    let at = after.checked_sub(1)?;
    (offset < module.statements[at].span.end).then_some(at as u32)
}
