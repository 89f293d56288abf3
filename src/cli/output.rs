//! Where the output goes: standard output, or a file that is written whole or not at all.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, BufWriter, StdoutLock, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use tempfile::NamedTempFile;

use super::input::reason;

/// Large enough that a listing of megabytes takes few calls.
const BUFFER: usize = 128 * 1024;

/// An open destination. What is dropped without [`Output::finish`] leaves no file.
pub enum Output {
    /// Standard output.
    Stdout(BufWriter<StdoutLock<'static>>),
    /// A temporary file beside the one that it becomes.
    Whole(BufWriter<NamedTempFile>, PathBuf),
    /// What is no regular file: a device or a pipe.
    Direct(BufWriter<File>, PathBuf),
}

impl Output {
    /// Opens `path`, or standard output for `None` and `-`.
    pub fn open(path: Option<&Path>) -> anyhow::Result<Self> {
        match path {
            Some(path) if path != Path::new("-") => Self::file(path)
                .map_err(|error| anyhow::anyhow!("cannot write '{}': {}", path.display(), reason(&error))),
            _ => Ok(Self::Stdout(BufWriter::with_capacity(BUFFER, io::stdout().lock()))),
        }
    }

    fn file(path: &Path) -> io::Result<Self> {
        // The file behind a symbolic link is replaced, not the link.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        let permissions = match fs::metadata(&path) {
            Ok(metadata) if metadata.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(metadata) => {
                // A file that must not be written is not replaced either.
                let file = OpenOptions::new().write(true).open(&path)?;
                if !metadata.is_file() {
                    return Ok(Self::Direct(BufWriter::with_capacity(BUFFER, file), path));
                }
                Some(metadata.permissions())
            }
            Err(_) => None,
        };
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut builder = tempfile::Builder::new();
        builder.prefix(".cvtlower-");
        if let Some(created) = created_permissions() {
            builder.permissions(created);
        }
        let file = builder.tempfile_in(folder)?;
        if let Some(permissions) = permissions {
            file.as_file().set_permissions(permissions)?;
        }
        Ok(Self::Whole(BufWriter::with_capacity(BUFFER, file), path))
    }

    /// Brings everything out and the file to its name.
    pub fn finish(self) -> anyhow::Result<()> {
        match self {
            Self::Stdout(mut out) => out.flush().context("cannot write to standard output"),
            Self::Direct(mut out, path) => out.flush().with_context(|| format!("cannot write '{}'", path.display())),
            Self::Whole(out, path) => {
                let named = || format!("cannot write '{}'", path.display());
                let file = out.into_inner().map_err(|error| error.into_error()).with_context(named)?;
                file.persist(&path).map_err(|error| error.error).with_context(named)?;
                Ok(())
            }
        }
    }
}

/// What a new file gets, less the umask; a temporary file alone would be closed to everybody else.
fn created_permissions() -> Option<Permissions> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        Some(Permissions::from_mode(0o666))
    }
    #[cfg(not(unix))]
    None
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Stdout(out) => out.write(bytes),
            Self::Whole(out, _) => out.write(bytes),
            Self::Direct(out, _) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stdout(out) => out.flush(),
            Self::Whole(out, _) => out.flush(),
            Self::Direct(out, _) => out.flush(),
        }
    }
}
