//! One JSON document, its shape written down in the types here.

use std::collections::BTreeMap;
use std::io::{self, Write};

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::Serialize;

use super::version;
use crate::matrix::{self, Matrix};
use crate::translate::REFERENCE;

/// Counts up when a field changes its meaning or goes away; a new field does not count.
const SCHEMA: u32 = 1;

/// The JSON schema of the document.
pub fn schema() -> Schema {
    SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<Document>()
}

/// What `cvtlower matrix --format json` prints.
#[derive(Serialize, JsonSchema)]
struct Document {
    /// Version of this format.
    schema: u32,
    /// Name and version of the program.
    producer: &'static str,
    /// The ptxas whose output is reproduced.
    reference: &'static str,
    /// The targets in the order asked for.
    targets: Vec<String>,
    /// How many forms were asked about; those that are legal nowhere are not printed without `--all`.
    asked: usize,
    /// The forms.
    forms: Vec<Form>,
}

/// One form.
#[derive(Serialize, JsonSchema)]
struct Form {
    /// The opcode with all modifiers.
    form: String,
    /// The operands, such as `d, a`.
    operands: String,
    /// The first target that takes it, or `any`; null where none does.
    min_target: Option<String>,
    /// The first `.version` on that target.
    min_ptx: Option<String>,
    /// Whether the targets differ.
    differs: bool,
    /// What comes of it on each target.
    on: BTreeMap<String, Cell>,
}

/// A form on a target.
#[derive(Serialize, JsonSchema)]
struct Cell {
    /// Whether it is legal.
    legal: bool,
    /// The first `.version` on this target.
    #[serde(skip_serializing_if = "Option::is_none")]
    min_ptx: Option<String>,
    /// The instructions.
    #[serde(skip_serializing_if = "Option::is_none")]
    sass: Option<Vec<String>>,
    /// The number of the rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<String>,
    /// The name of the rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    rule_name: Option<&'static str>,
    /// Why it is illegal.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reasons: Vec<Reason>,
    /// What else is to be known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<Reason>,
}

/// A reason or warning.
#[derive(Serialize, JsonSchema)]
struct Reason {
    /// The diagnostic's code.
    code: &'static str,
    /// What is wrong.
    message: String,
    /// What to write instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<String>,
}

fn reasons(reasons: &[matrix::Reason]) -> Vec<Reason> {
    let one = |r: &matrix::Reason| Reason { code: r.code, message: r.message.clone(), help: r.help.clone() };
    reasons.iter().map(one).collect()
}

fn cell(cell: &matrix::Cell) -> Cell {
    match cell {
        matrix::Cell::Legal(legal) => Cell {
            legal: true,
            min_ptx: Some(version(legal.version)),
            sass: Some(legal.sass.clone()),
            rule: Some(legal.rule.to_string()),
            rule_name: Some(legal.rule.name()),
            reasons: Vec::new(),
            warnings: reasons(&legal.warnings),
        },
        matrix::Cell::Illegal(why) => Cell {
            legal: false,
            min_ptx: None,
            sass: None,
            rule: None,
            rule_name: None,
            reasons: reasons(why),
            warnings: Vec::new(),
        },
    }
}

/// Writes the matrix.
pub fn write(matrix: &Matrix, out: &mut dyn Write) -> io::Result<()> {
    let names: Vec<String> = matrix.targets.iter().map(ToString::to_string).collect();
    let forms = matrix.rows.iter().map(|row| Form {
        form: row.spelling.to_string(),
        operands: row.spelling.operands(),
        min_target: row.minimum.map(|minimum| minimum.to_string()),
        min_ptx: row.minimum.map(|minimum| version(minimum.version)),
        differs: row.differs(),
        on: names.iter().cloned().zip(row.cells.iter().map(cell)).collect(),
    });
    let document = Document {
        schema: SCHEMA,
        producer: concat!("cvtlower ", env!("CARGO_PKG_VERSION")),
        reference: REFERENCE,
        forms: forms.collect(),
        targets: names,
        asked: matrix.asked,
    };
    serde_json::to_writer(&mut *out, &document)?;
    out.write_all(b"\n")
}
