//! From byte offsets to the lines and columns that people read.

/// The line starts of a text.
#[derive(Debug, Clone)]
pub struct LineIndex<'s> {
    source: &'s [u8],
    /// Offset of each line's first byte.
    starts: Vec<u32>,
}

impl<'s> LineIndex<'s> {
    /// Finds the lines of `source`; they end with a line feed (a carriage return before it belongs to the line).
    pub fn new(source: &'s [u8]) -> Self {
        let mut starts = Vec::with_capacity(1 + source.len().min(1 << 26) / 32);
        starts.push(0);
        starts.extend(memchr::memchr_iter(b'\n', source).map(|at| at as u32 + 1));
        Self { source, starts }
    }

    /// Line and column of the byte at `offset`, both from 1; a column counts characters, and each byte that is no
    /// UTF-8 as one. An offset past the end is taken as the end; a byte order mark at the file's start is no column.
    pub fn place(&self, offset: u32) -> (u32, u32) {
        let offset = (offset as usize).min(self.source.len());
        let line = self.line_index(offset as u32);
        let mut start = self.starts[line] as usize;
        if start == 0 && self.source.starts_with(b"\xEF\xBB\xBF") {
            start = 3.min(offset);
        }
        let text = &self.source[start..offset];
        let characters = if text.is_ascii() { text.len() } else { characters(text) };
        (line as u32 + 1, characters as u32 + 1)
    }

    /// Line of the byte at `offset`, from 1.
    pub fn line(&self, offset: u32) -> u32 {
        self.line_index(offset) as u32 + 1
    }

    /// The text of a line, counted from 1, without its end; `None` where there is no such line.
    pub fn text(&self, line: u32) -> Option<&'s [u8]> {
        let at = (line as usize).checked_sub(1)?;
        let start = *self.starts.get(at)? as usize;
        let end = self.starts.get(at + 1).map_or(self.source.len(), |&next| next as usize - 1);
        let text = &self.source[start..end];
        Some(text.strip_suffix(b"\r").unwrap_or(text))
    }

    /// Number of lines; text after the last line feed is one, even when empty.
    pub fn count(&self) -> u32 {
        self.starts.len() as u32
    }

    fn line_index(&self, offset: u32) -> usize {
        self.starts.partition_point(|&start| start <= offset) - 1
    }
}

fn characters(text: &[u8]) -> usize {
    text.utf8_chunks().map(|chunk| chunk.valid().chars().count() + chunk.invalid().len()).sum()
}

#[cfg(test)]
mod tests {
    use super::LineIndex;

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
}
