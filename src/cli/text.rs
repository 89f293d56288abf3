//! The text of an input, in memory that is quick to fill.

use std::fs::File;
use std::io::{self, Read};
use std::ops::Deref;

use memmap2::MmapMut;

/// Size of the large pages that memory is asked for in.
const PAGE: usize = 2 << 20;

/// A file's bytes.
///
/// They are read and not mapped: a mapped file that somebody cuts short kills the process. But the first touch of each
/// page of 4 KiB costs as much as reading it, so a large file goes to large pages, where the system has them.
pub enum Text {
    /// A small file, or a stream.
    Small(Vec<u8>),
    /// A large file: so many bytes from this offset on.
    Large(MmapMut, usize, usize),
}

impl Deref for Text {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Small(bytes) => bytes,
            Self::Large(map, start, length) => &map[*start..start + length],
        }
    }
}

impl Text {
    /// Reads `file`, which seems to have `expected` bytes. Its end is where reading it ends, whatever happens to it
    /// meanwhile; `None` when that is more than `largest`.
    pub fn read(mut file: &File, expected: u64, largest: u64) -> io::Result<Option<Self>> {
        if expected > largest {
            return Ok(None);
        }
        let expected = expected as usize;
        // One byte more than expected, so that the end is seen without another allocation.
        let Some((mut map, start)) = (expected >= PAGE).then(|| pages(expected + 1)).flatten() else {
            return stream(file, Vec::with_capacity(expected + 1), largest);
        };
        let space = &mut map[start..start + expected + 1];
        let mut length = 0;
        while length < space.len() {
            match file.read(&mut space[length..]) {
                Ok(0) => return Ok(Some(Self::Large(map, start, length))),
                Ok(more) => length += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        // it has grown
        let begun = space.to_vec();
        stream(file, begun, largest)
    }
}

/// The rest of a stream of which `bytes` have been read; `None` when all of it is more than `largest`.
pub fn stream(reader: impl Read, mut bytes: Vec<u8>, largest: u64) -> io::Result<Option<Text>> {
    let left = (largest + 1).saturating_sub(bytes.len() as u64);
    reader.take(left).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= largest).then_some(Text::Small(bytes)))
}

/// Memory for `length` bytes that begins with a large page, and where in it that is.
fn pages(length: usize) -> Option<(MmapMut, usize)> {
    let map = MmapMut::map_anon(length + PAGE).ok()?;
    #[cfg(target_os = "linux")]
    // where there are no large pages it is memory as any other
    let _ = map.advise(memmap2::Advice::HugePage);
    let start = map.as_ptr().align_offset(PAGE);
    (start < PAGE).then_some((map, start))
}

#[cfg(test)]
mod tests {
    use std::io::{Seek, Write};

    use super::*;

    #[test]
    fn a_file_is_read_to_its_end_whatever_its_size_seemed_to_be() {
        for length in [0, 10, PAGE - 1, PAGE, PAGE + 1, 3 * PAGE + 77] {
            let content: Vec<u8> = (0..length).map(|n| (n % 251) as u8).collect();
            let mut file = tempfile::tempfile().expect("a file");
            file.write_all(&content).expect("written");
            for expected in [0, length / 2, length, length + 5, length + PAGE] {
                file.rewind().expect("a file has a start");
                let text = Text::read(&file, expected as u64, u32::MAX.into()).expect("read").expect("not too large");
                assert!(*text == content[..], "{length} for {expected}");
            }
            file.rewind().expect("a file has a start");
            let limit = (length as u64).saturating_sub(1);
            let expected = Text::read(&file, 0, limit).expect("read").is_none();
            assert_eq!(expected, length > 0);
        }
    }
}
