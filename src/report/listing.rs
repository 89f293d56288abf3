//! The listing: what `nvdisasm -c -gp` prints, so that the same grep and awk work on both.
//!
//! An instruction stands on a line of its own behind its address; everything that is none is a `//` line.

use std::fmt::Display;
use std::io::{self, Write};

use rayon::prelude::*;

use super::text::{lossy, push_one_line};
use super::{Format, Unit, explain};
use crate::sass::{Instruction, Opcode, Operand, Reg, Selector};
use crate::target::Target;
use crate::translate::{Conversion, Fate, FunctionTranslation};

/// Bytes of an instruction on every target since sm_70.
const INSTRUCTION_BYTES: u64 = 16;

/// Where nvdisasm ends a guard: the instruction starts one blank further.
const GUARD_WIDTH: usize = 18;

/// Conversions that are worth a thread's time; their text fits the caches.
const SHARE: usize = 512;

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
        let mut text = Vec::new();
        self.print(unit, &mut text)?;
        Ok(text)
    }

    fn print(&self, unit: &Unit<'_, '_>, out: &mut dyn Write) -> io::Result<bool> {
        let translation = unit.translation;
        if self.headed {
            writeln!(out, "// {} for {}", unit.path, translation.arch)?;
        }
        if !translation.module.snippet {
            writeln!(out, "\t.target\t{}", translation.arch)?;
        }
        let conversions: usize = translation.functions.iter().map(|f| f.conversions.len()).sum();
        let threads = if conversions <= SHARE { 1 } else { rayon::current_num_threads() };
        let mut sheets: Vec<Sheet<'_>> = (0..threads).map(|_| Sheet::default()).collect();
        let mut rest = translation.functions.as_slice();
        while !rest.is_empty() {
            for sheet in &mut sheets {
                (sheet.functions, rest) = rest.split_at(share(rest));
            }
            match sheets.as_mut_slice() {
                [sheet] => self.fill(unit, sheet)?,
                several => several.par_iter_mut().try_for_each(|sheet| self.fill(unit, sheet))?,
            }
            sheets.iter().try_for_each(|sheet| out.write_all(&sheet.text))?;
        }
        Ok(true)
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

/// What one thread prints at once.
#[derive(Default)]
struct Sheet<'a> {
    functions: &'a [FunctionTranslation],
    texts: Texts,
    text: Vec<u8>,
}

/// How many of the first functions one thread prints at once.
fn share(functions: &[FunctionTranslation]) -> usize {
    let mut conversions = 0;
    let full = functions.iter().position(|function| {
        conversions += function.conversions.len();
        conversions >= SHARE
    });
    full.map_or(functions.len(), |last| last + 1)
}

impl Listing {
    fn fill(&self, unit: &Unit<'_, '_>, sheet: &mut Sheet<'_>) -> io::Result<()> {
        let Sheet { functions, texts, text } = sheet;
        text.clear();
        functions.iter().try_for_each(|function| self.function(unit, function, texts, text))
    }

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
            write_section(&lossy(name), out);
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

/// What nvdisasm prints above a function's code.
fn write_section(name: &str, out: &mut Vec<u8>) {
    const TITLE_WIDTH: usize = 25;
    let mut put = |pieces: &[&str]| pieces.iter().for_each(|piece| out.extend_from_slice(piece.as_bytes()));
    let padding = TITLE_WIDTH.saturating_sub(".text.".len() + name.chars().count());
    put(&["\n\n//--------------------- .text.", name, &" ".repeat(padding), " --------------------------\n"]);
    put(&["\t.section\t.text.", name, ",\"ax\",@progbits\n.text.", name, ":\n"]);
}

/// `        /*0010*/              @!P0 F2I.TRUNC.NTZ R7, R2 ;`
///
/// A listing can have a hundred thousand of these lines, so what they usually have is printed without `fmt`.
fn write_instruction(address: u64, instruction: &Instruction, texts: &mut Texts, out: &mut Vec<u8>) -> io::Result<()> {
    out.extend_from_slice(b"        /*");
    write_hexadecimal(address, 4, out);
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
            Operand::Reg { reg, neg, abs: false, sel } => {
                if neg {
                    out.push(b'-');
                }
                out.push(b'R');
                match reg {
                    Reg::RZ => out.push(b'Z'),
                    Reg(number) => write_number(u32::from(number), out),
                }
                if sel != Selector::Whole {
                    write!(out, "{sel}")?;
                }
            }
            Operand::Bits(bits) => {
                out.extend_from_slice(b"0x");
                write_hexadecimal(bits.into(), 1, out);
            }
            _ => write!(out, "{operand}")?,
        }
    }
    out.extend_from_slice(b" ;\n");
    Ok(())
}

/// At least so many hexadecimal digits.
fn write_hexadecimal(number: u64, least: u32, out: &mut Vec<u8>) {
    let digits = (67 - (number | 1).leading_zeros()) / 4;
    for place in (0..digits.max(least)).rev() {
        out.push(b"0123456789abcdef"[(number >> (place * 4) & 15) as usize]);
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
struct Texts(Vec<(Opcode, String)>);

impl Texts {
    fn opcode(&mut self, instruction: &Instruction) -> &str {
        const KEPT: usize = 32;
        let opcode = instruction.opcode();
        let at = match self.0.iter().position(|(kept, _)| *kept == opcode) {
            Some(at) => at,
            None => {
                self.0.truncate(KEPT - 1);
                self.0.push((opcode, opcode.to_string()));
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
    out.extend_from_slice(b"        // line ");
    write_number(line, out);
    out.extend_from_slice(b": ");
    push_one_line(unit.source_text(conversion.statement), out);
    let shown = out.iter().rposition(|byte| !matches!(byte, b';' | b' ')).map_or(0, |last| last + 1);
    out.truncate(shown);
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
            out.extend_from_slice(b"folded");
            if let Some(statement) = *into {
                out.extend_from_slice(b" into line ");
                write_number(unit.line(statement), out);
                out.extend_from_slice(b" (");
                out.extend_from_slice(unit.statement_opcode(statement).as_bytes());
                write_joined(": ", sass, out)?;
                out.push(b')');
            } else {
                write_joined(" into ", sass, out)?;
            }
            if !why.is_empty() {
                out.extend_from_slice(b": ");
                out.extend_from_slice(why.as_bytes());
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
