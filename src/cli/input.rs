//! Reading the input, and what is no PTX at all.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, IsTerminal, Read, Write};
use std::ops::Deref;
use std::path::{Path, PathBuf};

use cvtlower::diagnostic::{Diagnostic, Severity};
use cvtlower::ptx::Span;
use memmap2::MmapMut;

/// Places are kept as 32-bit offsets.
const LARGEST: u64 = u32::MAX as u64;

/// Where PTX comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// `-`, or no file at all.
    Stdin,
    /// A file, a pipe or what else opens by a name.
    Path(PathBuf),
}

impl Input {
    /// The inputs that the arguments name.
    pub fn all(files: &[PathBuf]) -> anyhow::Result<Vec<Self>> {
        if files.is_empty() {
            if io::stdin().is_terminal() {
                let _ = writeln!(io::stderr(), "reading PTX from the terminal; end it with Ctrl-D");
            }
            return Ok(vec![Self::Stdin]);
        }
        let stdin = Path::new("-");
        if files.iter().filter(|file| *file == stdin).count() > 1 {
            anyhow::bail!("standard input (-) can be read only once");
        }
        Ok(files.iter().map(|file| if file == stdin { Self::Stdin } else { Self::Path(file.clone()) }).collect())
    }

    /// The name in listings and messages.
    pub fn name(&self) -> Cow<'_, str> {
        match self {
            Self::Stdin => Cow::Borrowed("<stdin>"),
            Self::Path(path) => path.to_string_lossy(),
        }
    }

    /// The whole text.
    pub fn read(&self) -> Result<Text, String> {
        let fail = |error: &dyn std::fmt::Display| format!("cannot read '{}': {error}", self.name());
        let read = match self {
            Self::Stdin => Text::read(io::stdin().lock(), 0),
            Self::Path(path) => File::open(path).and_then(|file| {
                let metadata = file.metadata()?;
                if metadata.is_dir() {
                    return Err(io::ErrorKind::IsADirectory.into());
                }
                Text::read(&file, metadata.len())
            }),
        };
        match read {
            Ok(Some(text)) => Ok(text),
            Ok(None) => Err(fail(&"it is larger than 4 GiB")),
            Err(error) => Err(fail(&reason(&error))),
        }
    }
}

/// The bytes of an input.
///
/// They are read and not mapped: what happens to the file afterwards changes nothing.
pub enum Text {
    /// A short text, or one whose length was not known.
    Short(Vec<u8>),
    /// A long one, in large pages: the system hands those out in less time than it takes to read the text.
    Long {
        pages: MmapMut,
        /// Where the first large page, and the text, begins.
        start: usize,
        length: usize,
    },
}

/// The size of a large page; with smaller ones it is only a length from which they would be worth it.
const PAGE: usize = 2 << 20;

impl Text {
    /// All of `reader`, or `None` when that is too much.
    fn read(mut reader: impl Read, expected: u64) -> io::Result<Option<Self>> {
        if expected > LARGEST {
            return Ok(None);
        }
        let expected = expected as usize;
        if expected >= PAGE
            && let Ok(mut pages) = large_pages(expected)
        {
            let start = pages.as_ptr().align_offset(PAGE).min(PAGE);
            let length = fill(&mut reader, &mut pages[start..start + expected])?;
            let mut more = Vec::new();
            reader.take(LARGEST + 1 - length as u64).read_to_end(&mut more)?;
            if more.is_empty() {
                return Ok(Some(Self::Long { pages, start, length }));
            }
            // It grew while it was read.
            let mut all = pages[start..start + length].to_vec();
            all.append(&mut more);
            return Ok((all.len() as u64 <= LARGEST).then_some(Self::Short(all)));
        }
        // One byte more than expected, so that the end is seen without another allocation.
        let mut bytes = Vec::with_capacity(expected + 1);
        reader.take(LARGEST + 1).read_to_end(&mut bytes)?;
        Ok((bytes.len() as u64 <= LARGEST).then_some(Self::Short(bytes)))
    }
}

impl Deref for Text {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Short(bytes) => bytes,
            Self::Long { pages, start, length } => &pages[*start..start + length],
        }
    }
}

/// Memory for so many bytes behind a border of large pages.
fn large_pages(length: usize) -> io::Result<MmapMut> {
    let pages = MmapMut::map_anon(length + PAGE)?;
    #[cfg(target_os = "linux")]
    pages.advise(memmap2::Advice::HugePage)?;
    Ok(pages)
}

/// Reads until `bytes` are full or the reader is at its end; returns the number of bytes read.
fn fill(reader: &mut impl Read, bytes: &mut [u8]) -> io::Result<usize> {
    let mut length = 0;
    while length < bytes.len() {
        match reader.read(&mut bytes[length..]) {
            Ok(0) => break,
            Ok(read) => length += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(length)
}

/// What an I/O error says, without Rust's " (os error 2)".
pub fn reason(error: &io::Error) -> String {
    without_number(&error.to_string()).to_string()
}

/// A message up to Rust's " (os error 2)".
pub fn without_number(message: &str) -> &str {
    message.split(" (os error").next().unwrap_or(message)
}

/// Says so when the text cannot be PTX: one clear finding in place of a thousand that a parser would make.
pub fn not_ptx(source: &[u8]) -> Option<Diagnostic> {
    let head = &source[..source.len().min(8192)];
    let (code, message, help) = if source.iter().all(u8::is_ascii_whitespace) {
        ("input::empty", "the input is empty", None)
    } else if head.starts_with(b"\x7fELF") {
        (
            "input::binary",
            "this is an ELF file, not PTX",
            Some("`cuobjdump -ptx FILE` prints the PTX that a program or a cubin's fat binary holds"),
        )
    } else if head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff") {
        ("input::encoding", "this is UTF-16 text; PTX is ASCII", Some("`iconv -f UTF-16 -t UTF-8 FILE` converts it"))
    } else if head.contains(&0) {
        ("input::binary", "this is a binary file, not PTX", None)
    } else {
        return None;
    };
    let place = Span::default();
    let ptxas = "Missing .version directive at start of file".to_string();
    Some(Diagnostic {
        severity: Severity::Error,
        code,
        message: message.to_string(),
        label: String::new(),
        help: help.map(str::to_string),
        span: place,
        anchor: place,
        ptxas: if code == "input::empty" { vec![ptxas] } else { Vec::new() },
        fatal: true,
    })
}
