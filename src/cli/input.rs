//! Reading the input, and what is no PTX at all.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, IsTerminal, Read, Write};
use std::ops::Deref;
use std::path::{Path, PathBuf};

use cvtlower::diagnostic::{Diagnostic, Severity};
use cvtlower::ptx::Span;
use memmap2::MmapMut;
use rayon::prelude::*;

use super::threads;

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
                match Text::read_at_once(&file, metadata.len()) {
                    Some(text) => Ok(Some(text)),
                    None => Text::read(&file, metadata.len()),
                }
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

/// The size of a large page, which a core fills on its own: two that fill one would both get one, and clear it. Where
/// pages are smaller it is only a length from which large ones would be worth it.
const PAGE: usize = 2 << 20;

impl Text {
    /// A long file of `length` bytes, on all cores; `None` where that is not to be had.
    ///
    /// Whether it got longer is not asked: it is what it was when it was opened.
    #[cfg(unix)]
    fn read_at_once(file: &File, length: u64) -> Option<Self> {
        use std::os::unix::fs::FileExt;

        if length > LARGEST || length < PAGE as u64 {
            return None;
        }
        let length = length as usize;
        threads::start();
        let mut pages = MmapMut::map_anon(length + PAGE).ok()?;
        let start = pages.as_ptr().align_offset(PAGE).min(PAGE);
        // without large pages it takes longer, that is all
        #[cfg(target_os = "linux")]
        let _ = pages.advise(memmap2::Advice::HugePage);
        let shares = pages[start..start + length].par_chunks_mut(PAGE).enumerate();
        let read = shares.try_for_each(|(n, share)| file.read_exact_at(share, (n * PAGE) as u64));
        read.ok().map(|()| Self::Long { pages, start, length })
    }

    /// As on Unix, where there is no such thing.
    #[cfg(not(unix))]
    fn read_at_once(_: &File, _: u64) -> Option<Self> {
        None
    }

    /// All of `reader`, or `None` when that is too much.
    fn read(reader: impl Read, expected: u64) -> io::Result<Option<Self>> {
        if expected > LARGEST {
            return Ok(None);
        }
        let expected = expected as usize;
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
