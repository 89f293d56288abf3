//! The listing: what `nvdisasm -c -gp` prints, so that the same grep and awk work on both.
//!
//! An instruction stands on a line of its own behind its address; everything that is none is a `//` line.

use std::fmt::Display;
use std::io::{self, Write};

use rayon::prelude::*;

use super::text::lossy;
use super::{Format, Unit, explain};
use crate::sass::{Instruction, Op, Operand, Reg, Selector};
use crate::target::Target;
use crate::translate::{Conversion, Fate, FunctionTranslation};

/// Bytes of an instruction on every target since sm_70.
const INSTRUCTION_BYTES: u64 = 16;

/// Where nvdisasm ends a guard: the instruction starts one blank further.
const GUARD_WIDTH: usize = 18;

/// Conversions that are worth a thread's time.
const SHARE: usize = 1024;

/// Shares for each core: some take longer than others.
const SHARES_PER_CORE: usize = 4;

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
    type Part = Vec<Vec<u8>>;

    fn part(&self, unit: &Unit<'_, '_>) -> io::Result<Vec<Vec<u8>>> {
        let translation = unit.translation;
        let mut head = Vec::new();
        if self.headed {
            writeln!(head, "// {} for {}", unit.path, translation.arch)?;
        }
        if !translation.module.snippet {
            writeln!(head, "\t.target\t{}", translation.arch)?;
        }
        let conversions: usize = translation.functions.iter().map(|f| f.conversions.len()).sum();
        let shares = if conversions < SHARE { 1 } else { SHARES_PER_CORE * rayon::current_num_threads() };
        let functions = translation.functions.len().div_ceil(shares).max(1);
        let write = |functions: &[FunctionTranslation]| {
            let (mut texts, mut out) = (Texts::default(), Vec::with_capacity(4096));
            functions.iter().try_for_each(|function| self.function(unit, function, &mut texts, &mut out))?;
            Ok(out)
        };
        let bodies: io::Result<Vec<Vec<u8>>> = match shares {
            1 => translation.functions.chunks(functions).map(write).collect(),
            _ => translation.functions.par_chunks(functions).map(write).collect(),
        };
        let mut parts = vec![head];
        parts.append(&mut bodies?);
        Ok(parts)
    }

    fn put(&mut self, _: Target, part: Vec<Vec<u8>>, out: &mut dyn Write) -> io::Result<()> {
        if std::mem::replace(&mut self.started, true) {
            out.write_all(b"\n\n")?;
        }
        part.iter().try_for_each(|piece| out.write_all(piece))
    }

    fn finish(&mut self, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}

impl Listing {
    fn function(
        &self,
        unit: &Unit<'_, '_>,
        function: &FunctionTranslation,
        texts: &mut Texts,
        out: &mut Vec<u8>,
    ) -> io::Result<()> {
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
            write_number(line, out);
            out.push(b'\n');
            for instruction in &conversion.sass {
                write_instruction(address, instruction, texts, out)?;
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
///
/// A listing can have a hundred thousand of these lines, so what they usually have is printed without `fmt`.
fn write_instruction(address: u64, instruction: &Instruction, texts: &mut Texts, out: &mut Vec<u8>) -> io::Result<()> {
    out.extend_from_slice(b"        /*");
    write_address(address, out);
    out.extend_from_slice(b"*/");
    match instruction.guard() {
        Some(guard) => write!(out, "{:>GUARD_WIDTH$} ", guard.to_string())?,
        None => out.extend_from_slice(&[b' '; GUARD_WIDTH + 1]),
    }
    out.extend_from_slice(texts.opcode(instruction).as_bytes());
    let mut separator: &[u8] = b" ";
    for operand in &instruction.operands {
        out.extend_from_slice(separator);
        separator = b", ";
        match *operand {
            Operand::Reg { reg, neg: false, abs: false, sel: Selector::Whole } if reg != Reg::RZ => {
                out.push(b'R');
                write_number(u32::from(reg.0), out);
            }
            _ => write!(out, "{operand}")?,
        }
    }
    out.extend_from_slice(b" ;\n");
    Ok(())
}

/// At least four hexadecimal digits.
fn write_address(address: u64, out: &mut Vec<u8>) {
    let digits = (67 - (address | 1).leading_zeros()) / 4;
    for place in (0..digits.max(4)).rev() {
        out.push(b"0123456789abcdef"[(address >> (place * 4) & 15) as usize]);
    }
}

/// A number in decimal.
fn write_number(mut number: u32, out: &mut Vec<u8>) {
    let mut digits = [0; 10];
    let mut start = digits.len();
    loop {
        start -= 1;
        digits[start] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[start..]);
}

/// The opcodes that came last, as printed: a listing has a few dozen different ones.
#[derive(Default)]
struct Texts(Vec<(Op, String)>);

impl Texts {
    fn opcode(&mut self, instruction: &Instruction) -> &str {
        const KEPT: usize = 32;
        let at = match self.0.iter().position(|(op, _)| *op == instruction.op) {
            Some(at) => at,
            None => {
                self.0.truncate(KEPT - 1);
                self.0.push((instruction.op, instruction.opcode().to_string()));
                self.0.len() - 1
            }
        };
        // what comes often moves to the front
        self.0.swap(at, at / 2);
        &self.0[at / 2].1
    }
}

/// The `//` line of a conversion that is no instruction of its own.
fn write_note(unit: &Unit<'_, '_>, line: u32, conversion: &Conversion, out: &mut Vec<u8>) -> io::Result<()> {
    let text = unit.statement_text(conversion.statement);
    out.extend_from_slice(b"        // line ");
    write_number(line, out);
    out.extend_from_slice(b": ");
    out.extend_from_slice(text.trim_end_matches([';', ' ']).as_bytes());
    out.extend_from_slice(b": ");
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
