//! Reads rows of a text whose cells are separated by a character and may be quoted.

use std::io::Read;

use memchr::{memchr, memchr2, memchr3, memmem};

use super::{decode::TextBuffer, dialect::Dialect, encoding::Encoding};
use crate::{
    block::{
        RowBlock, RowFlag, RowFlags, RowReader,
        remark::{Remark, RemarkKind, RemarkList},
    },
    error::{FilePosition, SheetError, SheetErrorKind},
    limits::REST_MAX,
    limits::ReadLimits,
};

/// Reads a delimited text.
pub(crate) struct DelimitedReader<R> {
    letters: TextBuffer<R>,
    rules: DialectRules,
    /// The line on which the next row begins, counted from 1.
    line: u64,
    rows: u64,
    is_begun: bool,
    remarks: RemarkList,
}

/// A dialect in the form that cuts rows.
struct DialectRules {
    /// Bytes of the separator. Empty when a row is one cell.
    separator: Vec<u8>,
    /// Its first byte. A line end when there is none, which changes nothing.
    first: u8,
    quote: Option<u8>,
    backslash: bool,
    blanks: bool,
    limits: ReadLimits,
}

/// The extent of a row in the text.
struct RowExtent {
    bytes: usize,
    lines: u64,
    flags: RowFlags,
}

impl RowExtent {
    /// Builds an error in the next cell. `line` is that of the row.
    fn cell_error(&self, line: u64, cell: usize, kind: SheetErrorKind) -> SheetError {
        SheetError::new(FilePosition::Line { line: line + self.lines - 1, column: Some(cell as u32 + 1) }, kind)
    }
}

impl<R: Read> DelimitedReader<R> {
    /// Creates a reader. The byte order mark must already be removed from the source.
    pub(crate) fn new(source: R, encoding: Encoding, dialect: &Dialect, limits: ReadLimits) -> Self {
        let mut bytes = [0; 4];
        let separator = dialect.separator.map(|c| c.encode_utf8(&mut bytes).as_bytes().to_vec()).unwrap_or_default();
        let rules = DialectRules {
            first: separator.first().copied().unwrap_or(b'\n'),
            separator,
            quote: dialect.quote.and_then(|c| u8::try_from(c).ok()).filter(u8::is_ascii),
            backslash: dialect.backslash,
            blanks: dialect.blanks,
            limits,
        };
        Self {
            letters: TextBuffer::new(source, encoding),
            rules,
            line: 1,
            rows: 0,
            is_begun: false,
            remarks: RemarkList::default(),
        }
    }

    fn read_more(&mut self) -> Result<(), SheetError> {
        self.letters.read_more().map_err(|why| SheetError::at_line(self.line, why.into()))
    }

    /// Skips a first line `sep=;`, which spreadsheets write for themselves.
    fn skip_separator_note(&mut self) -> Result<(), SheetError> {
        self.read_more()?;
        let rest = self.letters.rest();
        if let Some(length) = super::dialect::parse_separator_note(rest).map(|(_, length)| length) {
            self.remarks.add(RemarkKind::Form, "sep=", rest[..length].trim());
            self.letters.consume(length);
            self.line += 1;
        }
        self.is_begun = true;
        Ok(())
    }
}

impl<R: Read + Send> RowReader for DelimitedReader<R> {
    fn fill_block(&mut self, block: &mut RowBlock) -> Result<bool, SheetError> {
        if !self.is_begun {
            self.skip_separator_note()?;
        }
        while !block.is_full() {
            let rest = self.letters.rest();
            if rest.is_empty() && self.letters.is_at_end() {
                return Ok(false);
            }
            let taken = match self.rules.cut_row(rest, self.letters.is_at_end(), self.line, block) {
                Ok(taken) => taken,
                Err(fault) => {
                    block.drop_open_row();
                    return Err(fault);
                }
            };
            let Some(mut taken) = taken else {
                block.drop_open_row();
                if rest.len() > self.rules.limits.row_bytes {
                    return Err(SheetError::at_line(
                        self.line,
                        SheetErrorKind::LineTooLong(self.rules.limits.row_bytes),
                    ));
                }
                self.read_more()?;
                continue;
            };
            if taken.bytes > self.rules.limits.row_bytes {
                block.drop_open_row();
                return Err(SheetError::at_line(self.line, SheetErrorKind::LineTooLong(self.rules.limits.row_bytes)));
            }
            if self.rows == self.rules.limits.rows {
                block.drop_open_row();
                return Err(SheetError::at_line(self.line, SheetErrorKind::TooManyRows(self.rows)));
            }
            if self.letters.has_damage() && memmem::find(block.open_row().as_bytes(), REPLACED).is_some() {
                taken.flags.add(RowFlag::DamagedText);
            }
            if self.letters.has_nul() && memchr(0, block.open_row().as_bytes()).is_some() {
                taken.flags.add(RowFlag::Nul);
            }
            block.end_row(self.line, taken.flags);
            self.rows += 1;
            self.line += taken.lines;
            self.letters.consume(taken.bytes);
        }
        Ok(true)
    }

    fn remarks(&self) -> &[Remark] {
        self.remarks.as_slice()
    }

    fn count_rest(&mut self) -> Option<u64> {
        self.letters.count_rest(REST_MAX)
    }
}

const REPLACED: &[u8] = "\u{fffd}".as_bytes();

/// The way in which a cell ends.
enum CellEnd {
    Cell,
    Row {
        at: usize,
    },
    /// More text is needed to decide.
    Unknown,
}

impl DialectRules {
    /// Cuts one row. Returns `None` if its end is not in the text yet.
    fn cut_row(
        &self,
        text: &str,
        is_last: bool,
        line: u64,
        block: &mut RowBlock,
    ) -> Result<Option<RowExtent>, SheetError> {
        let bytes = text.as_bytes();
        let mut at = 0;
        let mut taken = RowExtent { bytes: 0, lines: 1, flags: RowFlags::default() };
        loop {
            let cell = block.open_cells();
            if cell == self.limits.columns {
                return Err(taken.cell_error(line, cell, SheetErrorKind::LineTooWide(cell)));
            }
            let start = self.quoted_start(bytes, at);
            if let Some(open) = start {
                match self.take_quoted(text, open, is_last, block) {
                    Some((behind, lines)) => {
                        taken.lines += lines;
                        at = behind;
                    }
                    None if bytes.len() - open > self.limits.cell_bytes => {
                        return Err(taken.cell_error(line, cell, SheetErrorKind::OpenQuote(self.limits.cell_bytes)));
                    }
                    None if is_last => return Err(taken.cell_error(line, cell, SheetErrorKind::CutInQuote)),
                    None => return Ok(None),
                }
            }
            let stop = self.find_stop(bytes, at);
            let between = &text[at..stop];
            // Spaces after a closing quote have no meaning.
            if start.is_none() || between.bytes().any(|byte| byte != b' ') {
                if start.is_some() {
                    taken.flags.add(RowFlag::StrayQuote);
                }
                block.push(between);
            }
            let end = self.classify_end(bytes, stop, is_last);
            if block.open_bytes() > self.limits.cell_bytes {
                return Err(taken.cell_error(line, cell, SheetErrorKind::CellTooLong(self.limits.cell_bytes)));
            }
            block.end_cell();
            match end {
                CellEnd::Cell => at = stop + self.separator.len(),
                CellEnd::Row { at } => {
                    taken.bytes = at;
                    return Ok(Some(taken));
                }
                CellEnd::Unknown => return Ok(None),
            }
        }
    }

    /// Returns where the content of a quoted cell begins, if this is one.
    fn quoted_start(&self, bytes: &[u8], at: usize) -> Option<usize> {
        let quote = self.quote?;
        let mut first = at;
        if self.blanks {
            while bytes.get(first) == Some(&b' ') {
                first += 1;
            }
        }
        (bytes.get(first) == Some(&quote)).then_some(first + 1)
    }

    /// Takes quoted content. Returns where it ends and the number of line ends in it, or `None` if it does not end.
    fn take_quoted(&self, text: &str, open: usize, is_last: bool, block: &mut RowBlock) -> Option<(usize, u64)> {
        let bytes = text.as_bytes();
        let quote = self.quote.unwrap_or(b'"');
        let mut from = open;
        loop {
            let rest = &bytes[from..];
            let found = if self.backslash { memchr2(quote, b'\\', rest) } else { memchr(quote, rest) };
            let Some(found) = found.map(|found| from + found) else { break };
            let next = bytes.get(found + 1);
            if next.is_none() && !is_last {
                break;
            }
            block.push(&text[from..found]);
            if bytes[found] == b'\\' && bytes[found] != quote {
                // The escaped character is taken literally. It may have several bytes.
                let Some(letter) = text[found + 1..].chars().next() else { break };
                block.push_char(letter);
                from = found + 1 + letter.len_utf8();
            } else if next == Some(&quote) {
                block.push(&text[found..=found]);
                from = found + 2;
            } else {
                return Some((found + 1, line_ends(&bytes[open..found])));
            }
        }
        None
    }

    /// Returns the position of the next separator or line end, or of the end of the text.
    fn find_stop(&self, bytes: &[u8], at: usize) -> usize {
        let mut from = at;
        while let Some(found) = memchr3(self.first, b'\n', b'\r', &bytes[from..]) {
            let stop = from + found;
            if matches!(bytes[stop], b'\n' | b'\r') || bytes[stop..].starts_with(&self.separator) {
                return stop;
            }
            from = stop + 1;
        }
        bytes.len()
    }

    fn classify_end(&self, bytes: &[u8], stop: usize, is_last: bool) -> CellEnd {
        match bytes.get(stop) {
            None if is_last => CellEnd::Row { at: stop },
            None => CellEnd::Unknown,
            Some(b'\n') => CellEnd::Row { at: stop + 1 },
            Some(b'\r') => match bytes.get(stop + 1) {
                None if !is_last => CellEnd::Unknown,
                Some(b'\n') => CellEnd::Row { at: stop + 2 },
                _ => CellEnd::Row { at: stop + 1 },
            },
            Some(_) => CellEnd::Cell,
        }
    }
}

/// Counts line ends of any kind, of which a quoted cell may have several.
fn line_ends(bytes: &[u8]) -> u64 {
    let mut ends = 0;
    let mut from = 0;
    while let Some(found) = memchr2(b'\n', b'\r', &bytes[from..]) {
        let at = from + found;
        from = at + if bytes[at] == b'\r' && bytes.get(at + 1) == Some(&b'\n') { 2 } else { 1 };
        ends += 1;
    }
    ends
}
