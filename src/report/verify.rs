//! What `cvtlower verify` prints: comparisons with a real ptxas, for people and as JSON.

use std::io::{self, Write};

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::Serialize;

use super::text::Printable;
use crate::reference::find::Tool;
use crate::reference::{Comparison, Tools};

/// The column that the second listing of a difference begins in.
const HALF: usize = 48;

/// Version of the JSON document.
const SCHEMA: u32 = 1;

/// The JSON schema of the document.
pub fn schema() -> Schema {
    SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<Document<'_>>()
}

/// What `cvtlower verify --format json` prints.
#[derive(Serialize, JsonSchema)]
struct Document<'a> {
    /// Version of this format.
    schema: u32,
    /// Name and version of the program.
    producer: &'static str,
    /// The assembler that was run.
    ptxas: Program,
    /// The disassembler that was run.
    nvdisasm: Program,
    /// The files in the order of the command line.
    files: &'a [Comparison],
    /// Sums over the files.
    total: Total,
}

/// A program that was run.
#[derive(Serialize, JsonSchema)]
struct Program {
    /// Where it is.
    path: String,
    /// Its version.
    version: String,
}

impl From<&Tool> for Program {
    fn from(tool: &Tool) -> Self {
        Program { path: tool.path.display().to_string(), version: tool.version.clone() }
    }
}

/// Sums over the files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Total {
    /// Files.
    pub files: u32,
    /// Files without a difference.
    pub files_agreeing: u32,
    /// Files that could not be compared.
    pub failures: u32,
    /// Conversions.
    pub conversions: u32,
    /// Conversions that agree.
    pub agreeing: u32,
    /// Folded conversions with a carrying statement.
    pub folded: u32,
    /// Those that ptxas carries there.
    pub folded_agreeing: u32,
    /// Messages.
    pub messages: u32,
    /// Messages that both have.
    pub messages_agreeing: u32,
}

impl Total {
    /// Adds up.
    pub fn of(files: &[Comparison]) -> Total {
        files.iter().fold(Total::default(), |t, c| Total {
            files: t.files + 1,
            files_agreeing: t.files_agreeing + u32::from(c.agrees()),
            failures: t.failures + u32::from(c.failure.is_some()),
            conversions: t.conversions + c.conversions,
            agreeing: t.agreeing + c.agreeing,
            folded: t.folded + c.folded,
            folded_agreeing: t.folded_agreeing + c.folded_agreeing,
            messages: t.messages + c.messages,
            messages_agreeing: t.messages_agreeing + c.messages_agreeing,
        })
    }
}

/// Writes the JSON document.
pub fn write_json(files: &[Comparison], tools: &Tools, out: &mut dyn Write) -> io::Result<()> {
    let document = Document {
        schema: SCHEMA,
        producer: concat!("cvtlower ", env!("CARGO_PKG_VERSION")),
        ptxas: (&tools.ptxas).into(),
        nvdisasm: (&tools.nvdisasm).into(),
        files,
        total: Total::of(files),
    };
    serde_json::to_writer(&mut *out, &document)?;
    out.write_all(b"\n")
}

/// Writes the versions of both tools, each file, and the sums where there are several.
pub fn write_text(files: &[Comparison], tools: &Tools, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "ptxas {}, nvdisasm {}", tools.ptxas.version, tools.nvdisasm.version)?;
    for file in files {
        write_file(file, out)?;
    }
    if files.len() > 1 {
        let total = Total::of(files);
        write!(out, "\n{} files", total.files)?;
        if total.failures > 0 {
            write!(out, ", {} of them not compared", total.failures)?;
        }
        write!(out, ": ")?;
        write_counts(&total, out)?;
    }
    Ok(())
}

fn write_file(file: &Comparison, out: &mut dyn Write) -> io::Result<()> {
    let arch = if file.arch.is_empty() { String::new() } else { format!(" for {}", file.arch) };
    write!(out, "{}{arch}: ", Printable(&file.path))?;
    if let Some(why) = &file.failure {
        writeln!(out, "not compared: {}", Printable(why))?;
    } else {
        write_counts(&Total::of(std::slice::from_ref(file)), out)?;
    }
    for difference in &file.differences {
        writeln!(out, "  {}:{}: {}", difference.line, difference.column, Printable(&difference.ptx))?;
        writeln!(out, "      {:<HALF$}ptxas", "cvtlower")?;
        let (ours, theirs) = (&difference.cvtlower, &difference.ptxas);
        for at in 0..ours.len().max(theirs.len()).max(1) {
            let side = |list: &[String]| match list.get(at) {
                Some(text) => text.clone(),
                None if list.is_empty() && at == 0 => "(nothing)".to_owned(),
                None => String::new(),
            };
            let row = format!("      {:<HALF$}{}", side(ours), side(theirs));
            writeln!(out, "{}", row.trim_end())?;
        }
    }
    for message in &file.message_differences {
        let line = message.line.map_or_else(String::new, |line| format!("{line}: "));
        writeln!(out, "  {line}only {} says: {}", message.only, Printable(&message.message))?;
    }
    Ok(())
}

fn write_counts(total: &Total, out: &mut dyn Write) -> io::Result<()> {
    let mut parts = Vec::new();
    if total.conversions > 0 || total.messages == 0 {
        parts.push(format!("{} conversions agree", share(total.agreeing, total.conversions)));
    }
    if total.folded > 0 {
        parts.push(format!("{} folded ones are carried where said", share(total.folded_agreeing, total.folded)));
    }
    if total.messages > 0 {
        parts.push(format!("{} messages agree", share(total.messages_agreeing, total.messages)));
    }
    writeln!(out, "{}", parts.join("; "))
}

/// `3 of 4 (75.0 %)`
fn share(part: u32, whole: u32) -> String {
    if whole == 0 || part == whole {
        return format!("{part} of {whole}");
    }
    // Rounded down: 100.0 % is all.
    let mille = u64::from(part) * 1000 / u64::from(whole);
    format!("{part} of {whole} ({}.{} %)", mille / 10, mille % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_never_rounded_up_to_all() {
        assert_eq!(share(9999, 10000), "9999 of 10000 (99.9 %)");
        assert_eq!(share(2, 2), "2 of 2");
        assert_eq!(share(0, 0), "0 of 0");
    }
}
