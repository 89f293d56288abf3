//! What is printed of a translation: one file a format.
//!
//! A format turns each translated file into a part (files are worked on in parallel) and puts the parts together in
//! the order of the command line.

pub mod diagnostics;
pub mod explain;
pub mod json;
pub mod listing;
pub mod matrix;
pub mod summary;
pub mod table;
pub mod text;
pub mod verify;

use std::borrow::Cow;
use std::io::{self, Write};

use crate::ptx::lines::LineIndex;
use crate::target::Target;
use crate::translate::Translation;

/// One translated file, as a format sees it.
pub struct Unit<'a, 's> {
    /// The file's name as the user gave it.
    pub path: &'a str,
    /// What was made of it.
    pub translation: &'a Translation<'s>,
    /// Its lines.
    pub lines: &'a LineIndex<'s>,
}

impl Unit<'_, '_> {
    /// Line and column of a statement, from 1.
    pub fn place(&self, statement: u32) -> (u32, u32) {
        self.lines.place(self.start(statement))
    }

    /// Line of a statement, from 1.
    pub fn line(&self, statement: u32) -> u32 {
        self.lines.line(self.start(statement))
    }

    fn start(&self, statement: u32) -> u32 {
        self.translation.module.statements[statement as usize].span.start
    }

    /// The text of a statement on one line.
    pub fn statement_text(&self, statement: u32) -> Cow<'_, str> {
        text::one_line(self.source_text(statement))
    }

    /// The text of a statement as it stands.
    pub fn source_text(&self, statement: u32) -> &[u8] {
        let module = &self.translation.module;
        module.statements[statement as usize].span.of(module.source)
    }

    /// The opcode of a statement.
    pub fn statement_opcode(&self, statement: u32) -> Cow<'_, str> {
        let module = &self.translation.module;
        let opcode = module.statements[statement as usize].opcode;
        text::lossy(&module.opcodes[opcode.0 as usize].text)
    }
}

/// A way to print translations.
pub trait Format: Sync {
    /// What one file gives.
    type Part: Send;

    /// Renders one file; called from several threads when there are several files.
    fn part(&self, unit: &Unit<'_, '_>) -> io::Result<Self::Part>;

    /// Prints a file that is the only one as it goes, so that its text is not held; `false` where the format does not.
    fn print(&self, _: &Unit<'_, '_>, _: &mut dyn Write) -> io::Result<bool> {
        Ok(false)
    }

    /// Takes the next part in the order of output, and writes what can be written already.
    fn put(&mut self, arch: Target, part: Self::Part, out: &mut dyn Write) -> io::Result<()>;

    /// Writes what is left.
    fn finish(&mut self, out: &mut dyn Write) -> io::Result<()>;
}
