//! Records in JSON: a list of them, or one behind the other, a line each or not.

use std::{borrow::Cow, fmt, io::Read};

use memchr::memchr2;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::{
    block::{Block, RowFlags},
    fault::{Fault, FaultKind},
    growing::Growing,
    limits::Limits,
    source::Rows,
    text::{decode::Letters, encoding::Encoding},
};

/// Whether a text looks like records: a brace with a name behind it, or a bracket with such a brace.
pub fn begins(text: &str) -> bool {
    let text = text.trim_start();
    let text = text.strip_prefix('[').map_or(text, str::trim_start);
    text.strip_prefix('{').is_some_and(|rest| rest.trim_start().starts_with(['"', '}']))
}

/// Records at work.
pub struct Records<R> {
    letters: Letters<R>,
    limits: Limits,
    line: u64,
    rows: u64,
    /// Whether an opened list waits for its end.
    in_list: bool,
    row: Growing,
}

impl<R: Read> Records<R> {
    pub fn new(source: R, encoding: Encoding, limits: Limits) -> Self {
        Self {
            letters: Letters::new(source, encoding),
            limits,
            line: 1,
            rows: 0,
            in_list: false,
            row: Growing::default(),
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

    /// Goes to the next record; false at the end.
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
                '{' => return Ok(true),
                '[' if !self.in_list => {
                    self.in_list = true;
                    self.take(1);
                }
                ']' if self.in_list => {
                    self.in_list = false;
                    self.take(1);
                }
                other => return Err(self.fault(FaultKind::NotARecord(called(other)))),
            }
        }
    }

    /// How many bytes the record takes that begins here.
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
                return Err(self.fault(FaultKind::RowTooLong(self.limits.row_bytes)));
            }
            if self.letters.is_at_end() {
                return Err(self.fault(FaultKind::Damaged("it ends within a record".to_owned())));
            }
            self.more()?;
        }
    }
}

/// Looks for the end of a record, a stretch at a time.
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
                    // What is escaped may not be there yet.
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
            if !self.seek()? {
                return Ok(false);
            }
            let length = self.measure()?;
            if self.rows == self.limits.rows {
                return Err(self.fault(FaultKind::TooManyRows(self.rows)));
            }
            self.row.clear();
            let record = &self.letters.rest()[..length];
            let mut cells = Cells { limits: &self.limits, row: &mut self.row, fault: None };
            let read = read_object(record, &mut String::new(), 0, &mut cells);
            if let Some(kind) = cells.fault.take() {
                return Err(self.fault(kind));
            }
            if let Err(why) = read {
                let line = self.line + (why.line() as u64).saturating_sub(1);
                return Err(Fault::at_line(line, FaultKind::Json(words(&why))));
            }
            self.row.end_row(self.line, RowFlags::default(), block);
            self.rows += 1;
            self.take(length);
        }
        Ok(true)
    }

    fn columns(&self) -> Option<&[String]> {
        Some(self.row.columns())
    }
}

/// What a parser says, without the place, which is told apart.
fn words(why: &serde_json::Error) -> String {
    let said = why.to_string();
    said.split(" at line ").next().unwrap_or(&said).to_owned()
}

/// Where the values of a record go.
struct Cells<'r> {
    limits: &'r Limits,
    row: &'r mut Growing,
    fault: Option<FaultKind>,
}

impl Cells<'_> {
    fn put(&mut self, path: &str, text: &str) {
        if let Err(kind) = self.row.put(path, text, self.limits) {
            self.fault.get_or_insert(kind);
        }
    }
}

/// An object's fields, one after the other, in the order of the file; their values are looked at later.
struct Fields<'c, 'r, 'p> {
    path: &'p mut String,
    depth: usize,
    cells: &'c mut Cells<'r>,
}

fn read_object(text: &str, path: &mut String, depth: usize, cells: &mut Cells) -> serde_json::Result<()> {
    let mut parser = serde_json::Deserializer::from_str(text);
    Fields { path, depth, cells }.deserialize(&mut parser)?;
    parser.end()
}

impl<'de> DeserializeSeed<'de> for Fields<'_, '_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Fields<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a record")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut seen = 0;
        while let Some(name) = map.next_key::<Cow<'de, str>>()? {
            let value: &'de RawValue = map.next_value()?;
            seen += 1;
            if seen > self.cells.limits.columns {
                self.cells.fault.get_or_insert(FaultKind::TooManyColumns(seen - 1));
            }
            if self.cells.fault.is_some() {
                return Ok(());
            }
            let length = self.path.len();
            if length > 0 {
                self.path.push('.');
            }
            self.path.push_str(&name);
            put_value(value.get(), self.path, self.depth + 1, self.cells).map_err(serde::de::Error::custom)?;
            self.path.truncate(length);
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let mut number = 0;
        while let Some(value) = list.next_element::<&'de RawValue>()? {
            if self.cells.fault.is_some() {
                return Ok(());
            }
            let text = value.get();
            let length = self.path.len();
            // Plain values of one field stand in one cell; records within a record are told apart by number.
            if text.starts_with(['{', '[']) {
                number += 1;
                self.path.push_str(&format!(".{number}"));
            }
            put_value(text, self.path, self.depth + 1, self.cells).map_err(serde::de::Error::custom)?;
            self.path.truncate(length);
        }
        Ok(())
    }
}

fn put_value(text: &str, path: &mut String, depth: usize, cells: &mut Cells) -> serde_json::Result<()> {
    match text.as_bytes().first() {
        Some(b'{' | b'[') if depth >= cells.limits.depth => {
            cells.fault.get_or_insert(FaultKind::TooDeep(cells.limits.depth));
        }
        Some(b'{' | b'[') => read_object(text, path, depth, cells)?,
        Some(b'"') => cells.put(path, &serde_json::from_str::<Cow<str>>(text)?),
        Some(b'n') => cells.put(path, ""),
        // Numbers and plain values as they are written: a long number loses no digit.
        _ => cells.put(path, text),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::Place;

    type Table = (Vec<String>, Vec<(u64, Vec<String>)>);

    fn read(text: &str, limits: Limits) -> Result<Table, Fault> {
        let mut records = Records::new(text.as_bytes(), Encoding::UTF_8, limits);
        let mut block = Block::default();
        while records.fill(&mut block)? {}
        let rows = block.rows().map(|row| (row.place, row.cells().map(str::to_owned).collect())).collect();
        Ok((records.row.columns().to_vec(), rows))
    }

    fn table(text: &str) -> Table {
        read(text, Limits::STANDARD).unwrap()
    }

    #[test]
    fn a_list_and_lines_read_alike() {
        let want =
            table("[\n {\"name\": \"Ada\", \"n\": 447700900001},\n {\"n\": 1.50, \"name\": null, \"ok\": true}\n]\n");
        assert_eq!(want.0, ["name", "n", "ok"]);
        assert_eq!(want.1[0], (2, vec!["Ada".to_owned(), "447700900001".to_owned()]));
        assert_eq!(want.1[1], (3, vec![String::new(), "1.50".to_owned(), "true".to_owned()]));
        let lines = table("{\"name\": \"Ada\", \"n\": 447700900001}\n{\"n\": 1.50, \"name\": null, \"ok\": true}");
        assert_eq!(lines.0, want.0);
        assert_eq!(lines.1[1], (2, want.1[1].1.clone()));
    }

    #[test]
    fn what_stands_within_gets_a_name_of_its_own() {
        let (columns, rows) = table(
            r#"{"who":{"first":"A\u00e9\"}{","tags":["x",2]},"phones":[{"n":"1"},{"n":"2"}],"empty":[],"none":{}}"#,
        );
        assert_eq!(columns, ["who.first", "who.tags", "phones.1.n", "phones.2.n"]);
        assert_eq!(rows[0].1, ["Aé\"}{", "x; 2", "1", "2"]);
    }

    #[test]
    fn a_number_loses_no_digit() {
        assert_eq!(table(r#"{"n":123456789012345678901234567890}"#).1[0].1, ["123456789012345678901234567890"]);
    }

    #[test]
    fn faults_have_their_line() {
        for (text, line, words) in [
            ("{\"a\":1}\n{\"a\":}\n", 2, "no valid JSON"),
            ("[{\"a\":1},\n\n{\"a\":1", 3, "ends within a record"),
            ("[{\"a\":1}", 1, "does not end"),
            ("{\"a\":1}\n7", 2, "a number"),
            ("[[{}]]", 1, "a list within a list"),
        ] {
            let fault = read(text, Limits::STANDARD).unwrap_err();
            assert_eq!(fault.place, Place::Line { line, column: None }, "{text}: {fault}");
            assert!(fault.to_string().contains(words), "{text}: {fault}");
        }
    }

    #[test]
    fn nothing_grows_without_end() {
        let limits = Limits { columns: 3, cell_bytes: 10, row_bytes: 1_000, depth: 4, ..Limits::STANDARD };
        let kind = |text: &str| read(text, limits).unwrap_err().kind;
        assert!(matches!(kind(r#"{"a":1,"b":2,"c":3,"d":4}"#), FaultKind::TooManyColumns(3)));
        assert!(matches!(kind(r#"{"a":"01234567890"}"#), FaultKind::CellTooLong(10)));
        assert!(matches!(kind(r#"{"a":{"a":{"a":{"a":{"a":1}}}}}"#), FaultKind::TooDeep(4)));
        assert!(matches!(kind(&"{".repeat(1_000_000)), FaultKind::TooDeep(4)));
        assert!(matches!(kind(&format!("{{\"a\":\"{}", "x".repeat(1 << 20))), FaultKind::RowTooLong(1_000)));
    }

    #[test]
    fn records_are_told_from_other_texts() {
        for text in ["{\"a\":1}", " [ {\"a\":1}]", "[{}]"] {
            assert!(begins(text), "{text}");
        }
        for text in ["[name],number", "{name}", "name\n", "[]", "["] {
            assert!(!begins(text), "{text}");
        }
    }
}
