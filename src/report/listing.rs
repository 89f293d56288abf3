//! The listing: what `nvdisasm -c -gp` prints, so that the same grep and awk work on both.
//!
//! An instruction stands on a line of its own behind its address; everything that is none is a `//` line.

use std::fmt::Display;
use std::io::{self, Write};

use super::text::lossy;
use super::{Format, Unit, explain};
use crate::sass::Instruction;
use crate::target::Target;
use crate::translate::{Conversion, Fate, FunctionTranslation};

/// Bytes of an instruction on every target since sm_70.
const INSTRUCTION_BYTES: u64 = 16;

/// Where nvdisasm ends a guard: the instruction starts one blank further.
const GUARD_WIDTH: usize = 18;

/// The format of `--format sass`.
pub struct Listing {
    /// Say under each conversion why it came out so.
    pub explain: bool,
    /// Head each part with its file and target: there are several.
    pub headed: bool,
    /// Whether a part was put already.
    started: bool,
}

impl Listing {
    /// A listing; `headed` when there are several files or targets.
    pub fn new(explain: bool, headed: bool) -> Self {
        Self { explain, headed, started: false }
    }
}

impl Format for Listing {
    type Part = Vec<u8>;

    fn part(&self, unit: &Unit<'_, '_>) -> io::Result<Vec<u8>> {
        let translation = unit.translation;
        let mut out = Vec::with_capacity(4096);
        if self.headed {
            writeln!(out, "// {} for {}", unit.path, translation.arch)?;
        }
        if !translation.module.snippet {
            writeln!(out, "\t.target\t{}", translation.arch)?;
        }
        for function in &translation.functions {
            self.function(unit, function, &mut out)?;
        }
        Ok(out)
    }

    fn put(&mut self, _: Target, part: Vec<u8>, out: &mut dyn Write) -> io::Result<()> {
        if std::mem::replace(&mut self.started, true) {
            out.write_all(b"\n\n")?;
        }
        out.write_all(&part)
    }

    fn finish(&mut self, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}

impl Listing {
    fn function(&self, unit: &Unit<'_, '_>, function: &FunctionTranslation, out: &mut Vec<u8>) -> io::Result<()> {
        let module = &unit.translation.module;
        let name = module.functions[function.function as usize].name.of(module.source);
        if !name.is_empty() {
            let name = lossy(name);
            let section = format!(".text.{name}");
            write!(out, "\n\n//--------------------- {section:<25} --------------------------\n")?;
            write!(out, "\t.section\t{section},\"ax\",@progbits\n{section}:\n")?;
        }
        let file = format!("\t//## File \"{}\", line ", unit.path);
        let mut address = 0;
        for conversion in &function.conversions {
            let line = unit.line(conversion.statement);
            out.extend_from_slice(file.as_bytes());
            writeln!(out, "{line}")?;
            for instruction in &conversion.sass {
                write_instruction(address, instruction, out)?;
                address += INSTRUCTION_BYTES;
            }
            let noted = !matches!(conversion.fate, Fate::Emitted) || conversion.sass.is_empty();
            if noted {
                write_note(unit, line, conversion, out)?;
            }
            if self.explain {
                explain::write(unit, conversion, noted, out)?;
            }
        }
        Ok(())
    }
}

/// `        /*0010*/              @!P0 F2I.TRUNC.NTZ R7, R2 ;`
fn write_instruction(address: u64, instruction: &Instruction, out: &mut Vec<u8>) -> io::Result<()> {
    write!(out, "        /*{address:04x}*/")?;
    match instruction.guard() {
        Some(guard) => write!(out, "{:>GUARD_WIDTH$} ", guard.to_string())?,
        None => out.extend_from_slice(&[b' '; GUARD_WIDTH + 1]),
    }
    write!(out, "{}", instruction.opcode())?;
    let end = out.len();
    write!(out, " {}", instruction.operands())?;
    if out.len() == end + 1 {
        out.truncate(end);
    }
    out.extend_from_slice(b" ;\n");
    Ok(())
}

/// The `//` line of a conversion that is no instruction of its own.
fn write_note(unit: &Unit<'_, '_>, line: u32, conversion: &Conversion, out: &mut Vec<u8>) -> io::Result<()> {
    let text = unit.statement_text(conversion.statement);
    write!(out, "        // line {line}: {}: ", text.trim_end_matches([';', ' ']))?;
    write_fate(unit, conversion, out)?;
    out.push(b'\n');
    Ok(())
}

/// What became of a conversion, in words.
pub(super) fn write_fate(unit: &Unit<'_, '_>, conversion: &Conversion, out: &mut Vec<u8>) -> io::Result<()> {
    match &conversion.fate {
        Fate::Emitted if conversion.sass.is_empty() => write!(out, "no instruction"),
        Fate::Emitted => write!(out, "emitted"),
        Fate::Dead => write!(out, "dead: its result is not used"),
        Fate::Constant { bits } => write!(out, "constant {bits:#x}"),
        Fate::Folded { into, sass, why } => {
            write!(out, "folded")?;
            if let Some(statement) = *into {
                let line = unit.line(statement);
                write!(out, " into line {line} ({}", unit.statement_opcode(statement))?;
                write_joined(": ", sass, out)?;
                write!(out, ")")?;
            } else {
                write_joined(" into ", sass, out)?;
            }
            if !why.is_empty() {
                write!(out, ": {why}")?;
            }
            Ok(())
        }
    }
}

/// `before`, then the items with `; ` between them; nothing where there are none.
fn write_joined<T: Display>(before: &str, items: &[T], out: &mut Vec<u8>) -> io::Result<()> {
    let mut separator = before;
    for item in items {
        write!(out, "{separator}{item}")?;
        separator = "; ";
    }
    Ok(())
}
