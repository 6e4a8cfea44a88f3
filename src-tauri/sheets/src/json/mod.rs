//! Reads JSON records from a list or one after another, with or without line breaks between them.

mod cells;
mod columns;
#[cfg(test)]
mod tests;
mod wrapper;

use std::io::Read;

use memchr::memchr2;

use crate::{
    block::{Block, Growing, RowFlags},
    fault::{Fault, FaultKind},
    limits::Limits,
    remark::{Remark, RemarkKind, Remarks},
    source::{REST_MAX, Rows},
    text::{decode::Letters, encoding::Encoding},
};

use self::{
    cells::{Cells, put_value, read_object},
    columns::ColumnTable,
    wrapper::{Sibling, Wrapper},
};

/// Returns whether a text looks like records: a brace followed by a name, possibly after a bracket.
pub fn begins(text: &str) -> bool {
    let text = text.trim_start();
    let text = text.strip_prefix('[').map_or(text, str::trim_start);
    text.strip_prefix('{').is_some_and(|rest| rest.trim_start().starts_with(['"', '}']))
}

/// Reads records from JSON.
pub struct Records<R> {
    letters: Letters<R>,
    limits: Limits,
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
    row: Growing,
    remarks: Remarks,
    list_name: Option<String>,
}

impl<R: Read> Records<R> {
    pub fn new(source: R, encoding: Encoding, limits: Limits) -> Self {
        Self {
            letters: Letters::new(source, encoding),
            limits,
            line: 1,
            rows: 0,
            in_list: false,
            wrappers: 0,
            is_wrapped: false,
            table: None,
            row: Growing::default(),
            remarks: Remarks::default(),
            list_name: None,
        }
    }

    fn fault(&self, kind: FaultKind) -> Fault {
        Fault::at_line(self.line, kind)
    }

    fn more(&mut self) -> Result<(), Fault> {
        self.letters.more().map_err(|why| Fault::at_line(self.line, why.into()))
    }

    fn take(&mut self, bytes: usize) {
        let lines = count_lines(&self.letters.rest().as_bytes()[..bytes]);
        self.line += lines;
        self.letters.take(bytes);
    }

    /// Goes to the next record. Returns false at the end.
    fn seek(&mut self) -> Result<bool, Fault> {
        loop {
            let rest = self.letters.rest();
            let blank = rest.len() - rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',').len();
            self.take(blank);
            let Some(first) = self.letters.rest().chars().next() else {
                if self.letters.is_at_end() {
                    let cut = self.in_list.then(|| self.fault(FaultKind::Damaged("the list does not end".to_owned())));
                    return cut.map_or(Ok(false), Err);
                }
                self.more()?;
                continue;
            };
            match first {
                '{' if self.in_list || !self.enter_wrapper()? => return Ok(true),
                '{' => {}
                '[' if !self.in_list && self.wrappers == 0 => {
                    self.in_list = true;
                    self.take(1);
                }
                ']' if self.in_list => {
                    self.in_list = false;
                    self.take(1);
                }
                '}' if !self.in_list && self.wrappers > 0 => {
                    self.wrappers -= 1;
                    self.take(1);
                }
                '"' if !self.in_list && self.wrappers > 0 => self.sibling()?,
                other => return Err(self.fault(FaultKind::NotARecord(called(other)))),
            }
        }
    }

    /// Enters the list of an object that only wraps it. Returns false if the object is a record.
    fn enter_wrapper(&mut self) -> Result<bool, Fault> {
        if self.wrappers > 0 || (self.rows > 0 && !self.is_wrapped) {
            return Ok(false);
        }
        loop {
            let (rest, is_last) = (self.letters.rest(), self.letters.is_at_end());
            match wrapper::look(rest, is_last) {
                Wrapper::None => return Ok(false),
                Wrapper::Unknown if is_last || rest.len() > self.limits.row_bytes => return Ok(false),
                Wrapper::Unknown => self.more()?,
                Wrapper::List { at, depth, name, siblings } => {
                    self.list_name = Some(name);
                    siblings.iter().for_each(|sibling| pass_over(&mut self.remarks, sibling));
                    self.take(at);
                    (self.in_list, self.wrappers, self.is_wrapped) = (true, depth, true);
                    return Ok(true);
                }
            }
        }
    }

    /// Skips a value that follows the list.
    fn sibling(&mut self) -> Result<(), Fault> {
        loop {
            let rest = self.letters.rest();
            if let Some((sibling, length)) = wrapper::sibling(rest) {
                pass_over(&mut self.remarks, &sibling);
                self.take(length);
                return Ok(());
            }
            if rest.len() > self.limits.row_bytes {
                return Err(self.fault(FaultKind::RowTooLong(self.limits.row_bytes)));
            }
            if self.letters.is_at_end() {
                return Err(self.fault(FaultKind::Damaged("it ends within a record".to_owned())));
            }
            self.more()?;
        }
    }

    /// Returns the number of bytes of the record that begins here.
    fn measure(&mut self) -> Result<usize, Fault> {
        let mut scan = Scan::default();
        loop {
            if let Some(end) = scan.go_on(self.letters.rest().as_bytes()) {
                return Ok(end);
            }
            if scan.deepest > self.limits.depth {
                return Err(self.fault(FaultKind::TooDeep(self.limits.depth)));
            }
            if scan.at > self.limits.row_bytes {
                let is_by_columns = !self.in_list && columns::begins(self.letters.rest());
                let kind = if is_by_columns { FaultKind::ByColumns } else { FaultKind::RowTooLong };
                return Err(self.fault(kind(self.limits.row_bytes)));
            }
            if self.letters.is_at_end() {
                return Err(self.fault(FaultKind::Damaged("it ends within a record".to_owned())));
            }
            self.more()?;
        }
    }

    /// Reads the record in these bytes as a row.
    fn record(&mut self, length: usize, block: &mut Block) -> Result<(), Fault> {
        self.row.clear();
        let record = &self.letters.rest()[..length];
        let mut cells = Cells::new(&self.limits, &mut self.row, &mut self.remarks);
        let read = read_object(record, &mut String::new(), 0, &mut cells);
        if let Some(kind) = cells.fault.take() {
            return Err(self.fault(kind));
        }
        if let Err(why) = read {
            let line = self.line + (why.line() as u64).saturating_sub(1);
            return Err(Fault::at_line(line, FaultKind::Json(words(&why))));
        }
        self.end_row(self.line, block)?;
        self.take(length);
        Ok(())
    }

    /// Reads the next row of a table by columns. Returns false at its end.
    fn row_of_table(&mut self, block: &mut Block) -> Result<bool, Fault> {
        let Some(table) = &mut self.table else { return Ok(false) };
        let Some(row) = table.rows.next() else {
            self.table = None;
            return Ok(false);
        };
        let line = table.line;
        self.row.clear();
        let mut cells = Cells::new(&self.limits, &mut self.row, &mut self.remarks);
        let mut read = Ok(());
        for (column, value) in row {
            read = read.and_then(|()| put_value(&value, &mut table.names[column].clone(), 1, &mut cells));
        }
        if let Some(kind) = cells.fault.take().or_else(|| Some(FaultKind::Json(words(&read.err()?)))) {
            return Err(Fault::at_line(line, kind));
        }
        self.end_row(line, block)?;
        Ok(true)
    }

    fn end_row(&mut self, line: u64, block: &mut Block) -> Result<(), Fault> {
        if self.rows == self.limits.rows {
            return Err(Fault::at_line(line, FaultKind::TooManyRows(self.rows)));
        }
        self.row.end_row(line, RowFlags::default(), block);
        self.rows += 1;
        Ok(())
    }
}

fn pass_over(remarks: &mut Remarks, sibling: &Sibling) {
    if sibling.values > 0 {
        remarks.add_many(RemarkKind::Property, &sibling.name, sibling.values, || sibling.example.clone());
    }
}

/// Searches for the end of a record as more text arrives.
#[derive(Default)]
struct Scan {
    at: usize,
    depth: usize,
    deepest: usize,
    in_text: bool,
}

impl Scan {
    fn go_on(&mut self, bytes: &[u8]) -> Option<usize> {
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

fn called(first: char) -> &'static str {
    match first {
        '[' => "a list within a list",
        ']' => "the end of a list that did not begin",
        '"' => "a text",
        '0'..='9' | '-' => "a number",
        't' | 'f' | 'n' => "a plain value",
        _ => "something else",
    }
}

impl<R: Read + Send> Rows for Records<R> {
    fn fill(&mut self, block: &mut Block) -> Result<bool, Fault> {
        while !block.is_full() {
            if self.row_of_table(block)? {
                continue;
            }
            if !self.seek()? {
                return Ok(false);
            }
            let length = self.measure()?;
            if self.rows == 0 && !self.in_list {
                self.table = ColumnTable::parse(&self.letters.rest()[..length], self.line);
            }
            if self.table.is_some() {
                self.take(length);
            } else {
                self.record(length, block)?;
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
fn words(why: &serde_json::Error) -> String {
    let said = why.to_string();
    said.split(" at line ").next().unwrap_or(&said).to_owned()
}
