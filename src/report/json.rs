//! `--format json`: one document for all files, its shape written down in the types here.

use crate::diagnostic::Severity;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Write};

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use super::explain::Subop;
use super::text::lossy;
use super::{Format, Unit};
use crate::diagnostic;
use crate::ptx::Span;
use crate::sass::Instruction;
use crate::target::Target;
use crate::translate::{self, Fate, REFERENCE};

/// Counts up when a field changes its meaning or goes away; a new field does not count.
const SCHEMA: u32 = 1;

/// The JSON schema of the document.
pub fn schema() -> Schema {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    settings.into_generator().into_root_schema_for::<Document<'_>>()
}

/// The format of `--format json`.
#[derive(Default)]
pub struct Json {
    explain: bool,
    parts: Vec<(Target, Box<RawValue>)>,
}

impl Json {
    /// A document; `explain` adds to each conversion its rule in words.
    pub fn new(explain: bool) -> Self {
        Self { explain, parts: Vec::new() }
    }
}

impl Format for Json {
    type Part = Box<RawValue>;

    fn part(&self, unit: &Unit<'_, '_>) -> io::Result<Self::Part> {
        Ok(serde_json::value::to_raw_value(&file(unit, self.explain))?)
    }

    fn put(&mut self, arch: Target, part: Self::Part, _: &mut dyn Write) -> io::Result<()> {
        self.parts.push((arch, part));
        Ok(())
    }

    fn finish(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let mut runs: Vec<Run<'_>> = Vec::new();
        for (arch, part) in &self.parts {
            let arch = arch.to_string();
            match runs.iter_mut().find(|run| run.arch == arch) {
                Some(run) => run.files.push(part),
                None => runs.push(Run { arch, files: vec![part] }),
            }
        }
        let (single, runs) = match runs.len() {
            1 => (runs.pop(), None),
            _ => (None, Some(runs)),
        };
        let (arch, files) = single.map(|run| (run.arch, run.files)).unzip();
        let document = Document {
            schema: SCHEMA,
            producer: concat!("cvtlower ", env!("CARGO_PKG_VERSION")),
            arch,
            reference: REFERENCE,
            files,
            runs,
        };
        serde_json::to_writer(&mut *out, &document)?;
        out.write_all(b"\n")
    }
}

/// What `cvtlower --format json` prints. With one target it has `arch` and `files`, with several `runs`.
#[derive(Serialize, JsonSchema)]
struct Document<'a> {
    /// Version of this format.
    schema: u32,
    /// Name and version of the program.
    producer: &'static str,
    /// The architecture that the instructions are for, where it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    arch: Option<String>,
    /// The ptxas whose output is reproduced.
    reference: &'static str,
    /// The files in the order of the command line, where there is one target.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Vec<File<'a>>>")]
    files: Option<Vec<&'a RawValue>>,
    /// One entry a target, where there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    runs: Option<Vec<Run<'a>>>,
}

/// All files for one target.
#[derive(Serialize, JsonSchema)]
struct Run<'a> {
    /// The architecture that the instructions are for.
    arch: String,
    /// The files in the order of the command line.
    #[schemars(with = "Vec<File<'a>>")]
    files: Vec<&'a RawValue>,
}

/// One PTX file.
#[derive(Serialize, JsonSchema)]
struct File<'a> {
    /// Its name as given; `<stdin>` for standard input.
    path: &'a str,
    /// What its `.target` says first.
    target: Option<Cow<'a, str>>,
    /// What its `.version` says, such as `8.4`.
    version: Option<String>,
    /// Its functions in source order.
    functions: Vec<Function<'a>>,
    /// What is wrong with it, every finding by itself.
    #[schemars(with = "Vec<Diagnostic<'a>>")]
    diagnostics: Diagnostics<'a>,
    /// What is worth knowing of a file that is legal: where ptxas itself goes wrong, a byte order mark.
    #[schemars(with = "Vec<Diagnostic<'a>>")]
    warnings: Diagnostics<'a>,
}

/// One function.
#[derive(Serialize, JsonSchema)]
struct Function<'a> {
    /// Its name; empty for the statements of a bare snippet.
    name: Cow<'a, str>,
    /// Its legal conversions in source order.
    #[schemars(with = "Vec<Conversion<'a>>")]
    conversions: Conversions<'a>,
}

/// The conversions of a function, serialised one after the other so that only one is held.
struct Conversions<'a> {
    unit: &'a Unit<'a, 'a>,
    conversions: &'a [translate::Conversion],
    explain: bool,
}

impl Serialize for Conversions<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.conversions.iter().map(|c| conversion(self.unit, c, self.explain)))
    }
}

/// One conversion and what ptxas makes of it.
#[derive(Serialize, JsonSchema)]
struct Conversion<'a> {
    /// Line of the statement's first byte, from 1.
    line: u32,
    /// Column of the statement's first byte, from 1, in characters.
    column: u32,
    /// The statement on one line, without comments.
    ptx: Cow<'a, str>,
    /// Its opcode with all modifiers.
    opcode: Cow<'a, str>,
    /// The number of the rule that gave the instructions.
    rule: String,
    /// What became of it.
    fate: FateName,
    /// The instructions that ptxas attributes to this very statement: none when folded, constant or dead.
    #[schemars(with = "Vec<Sass<'a>>")]
    sass: Instructions<'a>,
    /// The SASS register of each PTX register in the statement.
    #[schemars(with = "BTreeMap<String, String>")]
    registers: Registers<'a>,
    /// What does the work of a folded conversion.
    folded_into: Option<FoldedInto<'a>>,
    /// The bits of a constant result, in hexadecimal.
    #[serde(skip_serializing_if = "Option::is_none")]
    constant: Option<String>,
    /// What the conversion is by itself.
    #[schemars(with = "Vec<Sass<'a>>")]
    isolated: Isolated<'a>,
    /// With `--explain`: the rule in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    explain: Option<Explain>,
}

/// What became of a conversion.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum FateName {
    /// It has instructions of its own.
    Emitted,
    /// Another statement's instructions do its work.
    Folded,
    /// Its result is known.
    Constant,
    /// Its result is not used.
    Dead,
}

/// The statement that does a folded conversion's work; its place is null where it is no single statement.
#[derive(Serialize, JsonSchema)]
struct FoldedInto<'a> {
    /// Line of the statement, from 1.
    line: Option<u32>,
    /// Column of the statement, from 1, in characters.
    column: Option<u32>,
    /// The statement on one line.
    ptx: Option<Cow<'a, str>>,
    /// Its instructions, as far as they are known.
    #[schemars(with = "Vec<Sass<'a>>")]
    sass: Instructions<'a>,
    /// Why the conversion costs nothing.
    why: &'a str,
}

/// Why a conversion came out as it did.
#[derive(Serialize, JsonSchema)]
struct Explain {
    /// What the rule is about.
    title: String,
    /// Why ptxas does so.
    reason: String,
    /// The fields of the internal conversion operation.
    subop: String,
}

/// One SASS instruction, whole and in its parts.
#[derive(Serialize, JsonSchema)]
struct Sass<'a> {
    /// Its guard, such as `@!P0`.
    #[serde(serialize_with = "guard")]
    #[schemars(with = "Option<String>")]
    predicate: &'a Instruction,
    /// The opcode with all suffixes.
    #[serde(serialize_with = "opcode")]
    #[schemars(with = "String")]
    opcode: &'a Instruction,
    /// The operands as nvdisasm writes them.
    #[serde(serialize_with = "operands")]
    #[schemars(with = "String")]
    operands: &'a Instruction,
    /// The whole instruction.
    #[serde(serialize_with = "whole")]
    #[schemars(with = "String")]
    text: &'a Instruction,
}

fn guard<S: Serializer>(instruction: &&Instruction, serializer: S) -> Result<S::Ok, S::Error> {
    instruction.guard().map(|guard| guard.to_string()).serialize(serializer)
}

fn opcode<S: Serializer>(instruction: &&Instruction, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&instruction.opcode())
}

fn operands<S: Serializer>(instruction: &&Instruction, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&instruction.operands())
}

fn whole<S: Serializer>(instruction: &&Instruction, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(instruction)
}

/// Instructions, serialised where they stand.
struct Instructions<'a>(&'a [Instruction]);

impl Serialize for Instructions<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|i| Sass { predicate: i, opcode: i, operands: i, text: i }))
    }
}

/// The instructions of a conversion looked at by itself.
struct Isolated<'a> {
    unit: &'a Unit<'a, 'a>,
    conversion: &'a translate::Conversion,
}

impl Serialize for Isolated<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Instructions(&self.unit.translation.isolated(self.conversion)).serialize(serializer)
    }
}

/// The registers of a conversion by name.
struct Registers<'a> {
    unit: &'a Unit<'a, 'a>,
    conversion: &'a translate::Conversion,
}

impl Serialize for Registers<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let module = &self.unit.translation.module;
        let registers = &self.conversion.registers;
        // A key must not come twice: a register that is source and destination is named once.
        let distinct = registers.iter().enumerate().filter(|(n, (id, _))| registers[..*n].iter().all(|(o, _)| o != id));
        serializer.collect_map(distinct.map(|(_, (id, register))| {
            let name = module.registers[id.0 as usize].name.of(module.source);
            (lossy(name), register.to_string())
        }))
    }
}

/// The findings of one severity of a file.
struct Diagnostics<'a>(&'a Unit<'a, 'a>, Severity);

impl Serialize for Diagnostics<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let found = self.0.translation.diagnostics.iter().filter(|d| d.severity == self.1);
        serializer.collect_seq(found.map(|d| diagnostic(self.0, d)))
    }
}

/// One finding.
#[derive(Serialize, JsonSchema)]
struct Diagnostic<'a> {
    /// Line of the marked place, from 1.
    line: u32,
    /// Column of the marked place, from 1, in characters.
    column: u32,
    /// Line of the marked place's end.
    end_line: u32,
    /// Column past the marked place's last character.
    end_column: u32,
    /// `error` or `warning`.
    severity: SeverityName,
    /// Stable code, such as `cvt::rounding_illegal`.
    code: &'a str,
    /// What is wrong.
    message: &'a str,
    /// What to write instead.
    help: Option<&'a str>,
    /// The very texts that ptxas prints for it.
    ptxas: &'a [String],
}

/// How much a finding weighs.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum SeverityName {
    /// The statement is illegal or does not parse.
    Error,
    /// Something to know; the translation stands.
    Warning,
}

fn file<'a>(unit: &'a Unit<'a, 'a>, explain: bool) -> File<'a> {
    let translation = unit.translation;
    let module = &translation.module;
    let text = |span: Span| lossy(span.of(module.source));
    File {
        path: unit.path,
        target: module.target.map(text),
        version: module.version.map(|((major, minor), _)| format!("{major}.{minor}")),
        functions: translation
            .functions
            .iter()
            .map(|function| Function {
                name: text(module.functions[function.function as usize].name),
                conversions: Conversions { unit, conversions: &function.conversions, explain },
            })
            .collect(),
        diagnostics: Diagnostics(unit, Severity::Error),
        warnings: Diagnostics(unit, Severity::Warning),
    }
}

fn conversion<'a>(unit: &'a Unit<'a, 'a>, conversion: &'a translate::Conversion, explain: bool) -> Conversion<'a> {
    let (line, column) = unit.place(conversion.statement);
    let rule = conversion.rule;
    Conversion {
        line,
        column,
        ptx: unit.statement_text(conversion.statement),
        opcode: unit.statement_opcode(conversion.statement),
        rule: rule.to_string(),
        fate: match conversion.fate {
            Fate::Emitted => FateName::Emitted,
            Fate::Folded { .. } => FateName::Folded,
            Fate::Constant { .. } => FateName::Constant,
            Fate::Dead => FateName::Dead,
        },
        sass: Instructions(&conversion.sass),
        registers: Registers { unit, conversion },
        folded_into: match &conversion.fate {
            Fate::Folded { into, sass, why } => {
                let place = into.map(|statement| unit.place(statement));
                Some(FoldedInto {
                    line: place.map(|(line, _)| line),
                    column: place.map(|(_, column)| column),
                    ptx: into.map(|statement| unit.statement_text(statement)),
                    sass: Instructions(sass),
                    why,
                })
            }
            _ => None,
        },
        constant: match conversion.fate {
            Fate::Constant { bits } => Some(format!("{bits:#x}")),
            _ => None,
        },
        isolated: Isolated { unit, conversion },
        explain: explain.then(|| Explain {
            title: rule.title().to_string(),
            reason: rule.reason().to_string(),
            subop: Subop(&conversion.form).to_string(),
        }),
    }
}

fn diagnostic<'a>(unit: &Unit<'_, '_>, diagnostic: &'a diagnostic::Diagnostic) -> Diagnostic<'a> {
    let (line, column) = unit.lines.place(diagnostic.span.start);
    let (end_line, end_column) = unit.lines.place(diagnostic.span.end.max(diagnostic.span.start));
    Diagnostic {
        line,
        column,
        end_line,
        end_column,
        severity: match diagnostic.severity {
            diagnostic::Severity::Error => SeverityName::Error,
            diagnostic::Severity::Warning => SeverityName::Warning,
        },
        code: diagnostic.code,
        message: &diagnostic.message,
        help: diagnostic.help.as_deref(),
        ptxas: &diagnostic.ptxas,
    }
}
