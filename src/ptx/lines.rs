//! From byte offsets to the lines and columns that people read.
//!
//! Places are asked for a few at a time, and rather many of them: of each block of the text it is kept how many lines
//! there are before it, and the rest is counted when it is asked for.

use std::sync::OnceLock;

use rayon::prelude::*;

/// Bytes of a block: counting half of them takes as long as finding the block.
const BLOCK: usize = 512;

/// Bytes that are worth a thread.
const SHARE: usize = 1 << 20;

/// The lines of a text.
#[derive(Debug, Clone)]
pub struct LineIndex<'s> {
    source: &'s [u8],
    /// For each block, and for the end, the number of line feeds before it.
    before: Vec<u32>,
    /// For each block a place in it, for columns; a long line is not gone through again for each place.
    columns: OnceLock<Vec<Column>>,
}

/// A place at the start of a block that is not within a character.
#[derive(Debug, Clone, Copy)]
struct Column {
    at: u32,
    /// Characters between the start of its line and the place.
    characters: u32,
}

impl<'s> LineIndex<'s> {
    /// Finds the lines of `source`; they end with a line feed (a carriage return before it belongs to the line).
    pub fn new(source: &'s [u8]) -> Self {
        let mut before = Vec::with_capacity(source.len().div_ceil(BLOCK) + 1);
        before.push(0);
        if source.len() < SHARE {
            before.extend(source.chunks(BLOCK).map(feeds));
        } else {
            before.par_extend(source.par_chunks(BLOCK).with_min_len(SHARE / BLOCK).map(feeds));
        }
        let mut lines = 0;
        for block in &mut before {
            lines += *block;
            *block = lines;
        }
        Self { source, before, columns: OnceLock::new() }
    }

    /// Line and column of the byte at `offset`, both from 1; a column counts characters, and each byte that is no
    /// UTF-8 as one. An offset past the end is taken as the end; a byte order mark at the file's start is no column.
    pub fn place(&self, offset: u32) -> (u32, u32) {
        let offset = (offset as usize).min(self.source.len());
        let line = self.line_index(offset);
        let columns = self.columns.get_or_init(|| self.columns());
        let block = columns[..self.block(offset) + 1].iter().rposition(|c| c.at as usize <= offset).unwrap_or(0);
        let Column { at, characters: before } = columns[block];
        let text = &self.source[at as usize..offset];
        let characters = match memchr::memrchr(b'\n', text) {
            Some(feed) => characters(&text[feed + 1..]),
            None => before as usize + characters(text),
        };
        let mark = line == 0 && self.source.starts_with(b"\xEF\xBB\xBF");
        let characters = if mark && offset < 3 { 0 } else { characters - usize::from(mark) };
        (line as u32 + 1, characters as u32 + 1)
    }

    /// Line of the byte at `offset`, from 1.
    pub fn line(&self, offset: u32) -> u32 {
        self.line_index((offset as usize).min(self.source.len())) as u32 + 1
    }

    /// The text of a line, counted from 1, without its end; `None` where there is no such line.
    pub fn text(&self, line: u32) -> Option<&'s [u8]> {
        let wanted = line.checked_sub(1)?;
        let start = if wanted == 0 {
            0
        } else {
            if wanted > *self.before.last()? {
                return None;
            }
            // the block that holds the line feed before the line
            let block = self.before.partition_point(|&lines| lines < wanted).checked_sub(1)?;
            let from = block * BLOCK;
            let within = (wanted - self.before[block]) as usize - 1;
            let end = self.source.len().min(from + BLOCK);
            from + memchr::memchr_iter(b'\n', &self.source[from..end]).nth(within)? + 1
        };
        let rest = &self.source[start..];
        let text = &rest[..memchr::memchr(b'\n', rest).unwrap_or(rest.len())];
        Some(text.strip_suffix(b"\r").unwrap_or(text))
    }

    /// Number of lines; text after the last line feed is one, even when empty.
    pub fn count(&self) -> u32 {
        self.line(u32::MAX)
    }

    /// The block that `offset` is in, which may be the empty one behind a last full block.
    fn block(&self, offset: usize) -> usize {
        offset / BLOCK
    }

    fn line_index(&self, offset: usize) -> usize {
        let block = self.block(offset);
        (self.before[block] + feeds(&self.source[block * BLOCK..offset])) as usize
    }

    fn columns(&self) -> Vec<Column> {
        let mut columns = Vec::with_capacity(self.before.len());
        columns.push(Column { at: 0, characters: 0 });
        for block in 1..=self.source.len() / BLOCK {
            let Column { at: last, characters: before } = columns[block - 1];
            // the bytes that go on a character of the block before are at most three
            let start = block * BLOCK;
            let within = self.source[start..].iter().take(3).take_while(|&&byte| byte & 0xC0 == 0x80).count();
            let at = start + within;
            let text = &self.source[last as usize..at];
            let characters = match memchr::memrchr(b'\n', text) {
                Some(feed) => characters(&text[feed + 1..]) as u32,
                None => before + characters(text) as u32,
            };
            columns.push(Column { at: at as u32, characters });
        }
        columns
    }
}

fn feeds(text: &[u8]) -> u32 {
    memchr::memchr_iter(b'\n', text).count() as u32
}

fn characters(text: &[u8]) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    text.utf8_chunks().map(|chunk| chunk.valid().chars().count() + chunk.invalid().len()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters() {
        let source = "é\tx\n\r\nzß".as_bytes();
        let lines = LineIndex::new(source);
        assert_eq!(lines.place(0), (1, 1));
        assert_eq!(lines.place(3), (1, 3));
        assert_eq!(lines.place(5), (2, 1));
        assert_eq!(lines.place(8), (3, 2));
        assert_eq!(lines.place(900), (3, 3));
        assert_eq!(lines.count(), 3);
        assert_eq!(lines.text(2), Some(&b""[..]));
        assert_eq!(lines.text(4), None);
    }

    #[test]
    fn invalid_utf8_and_byte_order_marks_do_not_disturb() {
        assert_eq!(LineIndex::new(b"\xff\xfe\x80x").place(3), (1, 4));
        assert_eq!(LineIndex::new(b"\xEF\xBB\xBFab").place(4), (1, 2));
        assert_eq!(LineIndex::new(b"").place(0), (1, 1));
    }

    /// What the index keeps by blocks is what counting from the start gives.
    #[test]
    fn blocks_change_nothing() {
        let mut state = 7_u32;
        let mut random = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % below
        };
        for length in [0, 1, 511, 512, 513, 700, 2000] {
            for seldom in [3, 40, 5000] {
                let pieces: [&[u8]; 6] = [b"\n", "é".as_bytes(), "\u{10000}".as_bytes(), b"\xff", b"\x80", b"a"];
                let mut text = if length % 2 == 0 { b"\xEF\xBB\xBF".to_vec() } else { Vec::new() };
                while text.len() < length {
                    let piece = if random(seldom) == 0 { 0 } else { 1 + random(5) as usize };
                    text.extend_from_slice(pieces[piece]);
                }
                compare(&text);
            }
        }
    }

    fn compare(text: &[u8]) {
        let lines = LineIndex::new(text);
        let (mut line, mut start) = (1, 0);
        for offset in 0..=text.len() {
            if offset > 0 && text[offset - 1] == b'\n' {
                (line, start) = (line + 1, offset);
            }
            let begin = if start == 0 && text.starts_with(b"\xEF\xBB\xBF") { 3.min(offset) } else { start };
            let column = characters(&text[begin..offset]) as u32 + 1;
            assert_eq!(lines.place(offset as u32), (line, column), "{offset} of {text:?}");
            assert_eq!(lines.line(offset as u32), line);
        }
        assert_eq!(lines.count(), line);
        let all: Vec<&[u8]> = text.split(|&byte| byte == b'\n').collect();
        for (n, text) in all.iter().enumerate() {
            assert_eq!(lines.text(n as u32 + 1), Some(text.strip_suffix(b"\r").unwrap_or(text)));
        }
        assert_eq!(lines.text(all.len() as u32 + 1), None);
        assert_eq!(lines.text(0), None);
    }
}
