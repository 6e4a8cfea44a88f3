//! Reads JSON records from a list or one after another, with or without line breaks between them.

mod cells;
mod columns;
#[cfg(test)]
mod tests;
mod wrapper;

use std::io::Read;

use memchr::memchr2;

use crate::{
    block::{
        GrowingRow, RowBlock, RowFlags, RowReader,
        remark::{Remark, RemarkKind, RemarkList},
    },
    error::{SheetError, SheetErrorKind},
    limits::REST_MAX,
    limits::ReadLimits,
    text::{decode::TextBuffer, encoding::Encoding},
};

use self::{
    cells::{RecordCells, put_value, read_object},
    columns::ColumnTable,
    wrapper::{DetectedWrapper, SiblingValue},
};

/// Returns whether a text looks like records: a brace followed by a name, possibly after a bracket.
pub(crate) fn looks_like_records(text: &str) -> bool {
    let text = text.trim_start();
    let text = text.strip_prefix('[').map_or(text, str::trim_start);
    text.strip_prefix('{').is_some_and(|rest| rest.trim_start().starts_with(['"', '}']))
}

/// Reads records from JSON.
pub(crate) struct RecordReader<R> {
    letters: TextBuffer<R>,
    limits: ReadLimits,
    line: u64,
    rows: u64,
    /// Whether an opened list has not ended yet.
    in_list: bool,
    /// Number of objects around the list that have not ended yet.
    wrappers: usize,
    /// Whether the first record was such a wrapper. Others may follow.
    is_wrapped: bool,
    /// A table by columns whose rows are being returned.
    table: Option<ColumnTable>,
    row: GrowingRow,
    remarks: RemarkList,
    list_name: Option<String>,
}

impl<R: Read> RecordReader<R> {
    pub(crate) fn new(source: R, encoding: Encoding, limits: ReadLimits) -> Self {
        Self {
            letters: TextBuffer::new(source, encoding),
            limits,
            line: 1,
            rows: 0,
            in_list: false,
            wrappers: 0,
            is_wrapped: false,
            table: None,
            row: GrowingRow::default(),
            remarks: RemarkList::default(),
            list_name: None,
        }
    }

    fn error_here(&self, kind: SheetErrorKind) -> SheetError {
        SheetError::at_line(self.line, kind)
    }

    fn read_more(&mut self) -> Result<(), SheetError> {
        self.letters.read_more().map_err(|why| SheetError::at_line(self.line, why.into()))
    }

    fn consume(&mut self, bytes: usize) {
        let lines = count_lines(&self.letters.rest().as_bytes()[..bytes]);
        self.line += lines;
        self.letters.consume(bytes);
    }

    /// Goes to the next record. Returns false at the end.
    fn seek_record(&mut self) -> Result<bool, SheetError> {
        loop {
            let rest = self.letters.rest();
            let blank = rest.len() - rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',').len();
            self.consume(blank);
            let Some(first) = self.letters.rest().chars().next() else {
                if self.letters.is_at_end() {
                    let cut = self
                        .in_list
                        .then(|| self.error_here(SheetErrorKind::Damaged("the list does not end".to_owned())));
                    return cut.map_or(Ok(false), Err);
                }
                self.read_more()?;
                continue;
            };
            match first {
                '{' if self.in_list || !self.enter_wrapper()? => return Ok(true),
                '{' => {}
                '[' if !self.in_list && self.wrappers == 0 => {
                    self.in_list = true;
                    self.consume(1);
                }
                ']' if self.in_list => {
                    self.in_list = false;
                    self.consume(1);
                }
                '}' if !self.in_list && self.wrappers > 0 => {
                    self.wrappers -= 1;
                    self.consume(1);
                }
                '"' if !self.in_list && self.wrappers > 0 => self.skip_sibling()?,
                other => return Err(self.error_here(SheetErrorKind::NotARecord(describe_value(other)))),
            }
        }
    }

    /// Enters the list of an object that only wraps it. Returns false if the object is a record.
    fn enter_wrapper(&mut self) -> Result<bool, SheetError> {
        if self.wrappers > 0 || (self.rows > 0 && !self.is_wrapped) {
            return Ok(false);
        }
        loop {
            let (rest, is_last) = (self.letters.rest(), self.letters.is_at_end());
            match wrapper::detect_wrapper(rest, is_last) {
                DetectedWrapper::None => return Ok(false),
                DetectedWrapper::Unknown if is_last || rest.len() > self.limits.row_bytes => return Ok(false),
                DetectedWrapper::Unknown => self.read_more()?,
                DetectedWrapper::List { at, depth, name, siblings } => {
                    self.list_name = Some(name);
                    siblings.iter().for_each(|sibling| remark_sibling(&mut self.remarks, sibling));
                    self.consume(at);
                    (self.in_list, self.wrappers, self.is_wrapped) = (true, depth, true);
                    return Ok(true);
                }
            }
        }
    }

    /// Skips a value that follows the list.
    fn skip_sibling(&mut self) -> Result<(), SheetError> {
        loop {
            let rest = self.letters.rest();
            if let Some((sibling, length)) = wrapper::parse_sibling(rest) {
                remark_sibling(&mut self.remarks, &sibling);
                self.consume(length);
                return Ok(());
            }
            if rest.len() > self.limits.row_bytes {
                return Err(self.error_here(SheetErrorKind::RowTooLong(self.limits.row_bytes)));
            }
            if self.letters.is_at_end() {
                return Err(self.error_here(SheetErrorKind::Damaged("it ends within a record".to_owned())));
            }
            self.read_more()?;
        }
    }

    /// Returns the number of bytes of the record that begins here.
    fn measure_record(&mut self) -> Result<usize, SheetError> {
        let mut scan = RecordScan::default();
        loop {
            if let Some(end) = scan.find_end(self.letters.rest().as_bytes()) {
                return Ok(end);
            }
            if scan.deepest > self.limits.depth {
                return Err(self.error_here(SheetErrorKind::TooDeep(self.limits.depth)));
            }
            if scan.at > self.limits.row_bytes {
                let is_by_columns = !self.in_list && columns::is_column_table(self.letters.rest());
                let kind = if is_by_columns { SheetErrorKind::ByColumns } else { SheetErrorKind::RowTooLong };
                return Err(self.error_here(kind(self.limits.row_bytes)));
            }
            if self.letters.is_at_end() {
                return Err(self.error_here(SheetErrorKind::Damaged("it ends within a record".to_owned())));
            }
            self.read_more()?;
        }
    }

    /// Reads the record in these bytes as a row.
    fn read_record(&mut self, length: usize, block: &mut RowBlock) -> Result<(), SheetError> {
        self.row.clear();
        let record = &self.letters.rest()[..length];
        let mut cells = RecordCells::new(&self.limits, &mut self.row, &mut self.remarks);
        let read = read_object(record, &mut String::new(), 0, &mut cells);
        if let Some(kind) = cells.fault.take() {
            return Err(self.error_here(kind));
        }
        if let Err(why) = read {
            let line = self.line + (why.line() as u64).saturating_sub(1);
            return Err(SheetError::at_line(line, SheetErrorKind::Json(message_only(&why))));
        }
        self.end_row(self.line, block)?;
        self.consume(length);
        Ok(())
    }

    /// Reads the next row of a table by columns. Returns false at its end.
    fn read_table_row(&mut self, block: &mut RowBlock) -> Result<bool, SheetError> {
        let Some(table) = &mut self.table else { return Ok(false) };
        let Some(row) = table.rows.next() else {
            self.table = None;
            return Ok(false);
        };
        let line = table.line;
        self.row.clear();
        let mut cells = RecordCells::new(&self.limits, &mut self.row, &mut self.remarks);
        let mut read = Ok(());
        for (column, value) in row {
            read = read.and_then(|()| put_value(&value, &mut table.names[column].clone(), 1, &mut cells));
        }
        if let Some(kind) = cells.fault.take().or_else(|| Some(SheetErrorKind::Json(message_only(&read.err()?)))) {
            return Err(SheetError::at_line(line, kind));
        }
        self.end_row(line, block)?;
        Ok(true)
    }

    fn end_row(&mut self, line: u64, block: &mut RowBlock) -> Result<(), SheetError> {
        if self.rows == self.limits.rows {
            return Err(SheetError::at_line(line, SheetErrorKind::TooManyRows(self.rows)));
        }
        self.row.end_row(line, RowFlags::default(), block);
        self.rows += 1;
        Ok(())
    }
}

fn remark_sibling(remarks: &mut RemarkList, sibling: &SiblingValue) {
    if sibling.values > 0 {
        remarks.add_many(RemarkKind::Property, &sibling.name, sibling.values, || sibling.example.clone());
    }
}

/// Searches for the end of a record as more text arrives.
#[derive(Default)]
struct RecordScan {
    at: usize,
    depth: usize,
    deepest: usize,
    in_text: bool,
}

impl RecordScan {
    fn find_end(&mut self, bytes: &[u8]) -> Option<usize> {
        while self.at < bytes.len() {
            if self.in_text {
                let Some(found) = memchr2(b'"', b'\\', &bytes[self.at..]) else {
                    self.at = bytes.len();
                    return None;
                };
                self.at += found;
                if bytes[self.at] == b'\\' {
                    // The escaped character may not have arrived yet.
                    if self.at + 1 >= bytes.len() {
                        return None;
                    }
                    self.at += 2;
                    continue;
                }
                self.in_text = false;
            } else {
                match bytes[self.at] {
                    b'"' => self.in_text = true,
                    b'{' | b'[' => {
                        self.depth += 1;
                        self.deepest = self.deepest.max(self.depth);
                    }
                    b'}' | b']' => self.depth = self.depth.saturating_sub(1),
                    _ => {}
                }
            }
            self.at += 1;
            if self.depth == 0 {
                return Some(self.at);
            }
        }
        None
    }
}

fn count_lines(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

fn describe_value(first: char) -> &'static str {
    match first {
        '[' => "a list within a list",
        ']' => "the end of a list that did not begin",
        '"' => "a text",
        '0'..='9' | '-' => "a number",
        't' | 'f' | 'n' => "a plain value",
        _ => "something else",
    }
}

impl<R: Read + Send> RowReader for RecordReader<R> {
    fn fill_block(&mut self, block: &mut RowBlock) -> Result<bool, SheetError> {
        while !block.is_full() {
            if self.read_table_row(block)? {
                continue;
            }
            if !self.seek_record()? {
                return Ok(false);
            }
            let length = self.measure_record()?;
            if self.rows == 0 && !self.in_list {
                self.table = ColumnTable::parse(&self.letters.rest()[..length], self.line);
            }
            if self.table.is_some() {
                self.consume(length);
            } else {
                self.read_record(length, block)?;
            }
        }
        Ok(true)
    }

    fn remarks(&self) -> &[Remark] {
        self.remarks.as_slice()
    }

    fn count_rest(&mut self) -> Option<u64> {
        self.letters.count_rest(REST_MAX)
    }

    fn columns(&self) -> Option<&[String]> {
        Some(self.row.columns())
    }

    fn list_name(&self) -> Option<&str> {
        self.list_name.as_deref()
    }
}

/// Returns the message of a parser without the position, which is reported separately.
fn message_only(why: &serde_json::Error) -> String {
    let message = why.to_string();
    message.split(" at line ").next().unwrap_or(&message).to_owned()
}
