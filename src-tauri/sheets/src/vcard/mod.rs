//! Reads vCards of the versions 2.1, 3 and 4, as phones and address books write them. A card becomes a row.

mod names;
mod property;

use std::io::Read;

use self::property::CardProperty;
use crate::{
    block::{
        GrowingRow, RowBlock, RowFlag, RowFlags, RowReader,
        remark::{Remark, RemarkKind, RemarkList},
    },
    error::{SheetError, SheetErrorKind},
    limits::REST_MAX,
    limits::ReadLimits,
    text::{decode::TextBuffer, encoding::Encoding},
};

/// Reads cards.
pub(crate) struct CardReader<R> {
    letters: TextBuffer<R>,
    limits: ReadLimits,
    line: u64,
    /// The line on which the present card begins.
    unfinished: u64,
    rows: u64,
    row: GrowingRow,
    remarks: RemarkList,
}

/// Pictures, sounds and keys may be long and are not imported.
const LEFT_OUT: [&str; 4] = ["PHOTO", "LOGO", "SOUND", "KEY"];

/// A line together with its continuation lines.
struct CardLine {
    text: String,
    number: u64,
    is_left_out: bool,
}

impl<R: Read> CardReader<R> {
    pub(crate) fn new(source: R, encoding: Encoding, limits: ReadLimits) -> Self {
        let letters = TextBuffer::new(source, encoding);
        let (row, remarks) = (GrowingRow::default(), RemarkList::default());
        Self { letters, limits, line: 1, unfinished: 1, rows: 0, row, remarks }
    }

    fn read_more(&mut self) -> Result<(), SheetError> {
        self.letters.read_more().map_err(|why| SheetError::at_line(self.line, why.into()))
    }

    /// Finds the next line of the file and returns its length without its end, or `None` after the last.
    fn find_line_end(&mut self) -> Result<Option<usize>, SheetError> {
        let mut looked_at = 0;
        loop {
            let rest = self.letters.rest();
            let found = memchr::memchr2(b'\n', b'\r', &rest.as_bytes()[looked_at..]).map(|found| looked_at + found);
            match found {
                Some(end) if end + 1 < rest.len() || self.letters.is_at_end() => return Ok(Some(end)),
                _ if self.letters.is_at_end() => return Ok(Some(rest.len()).filter(|length| *length > 0)),
                _ => {}
            }
            looked_at = found.unwrap_or(rest.len());
            if rest.len() > self.limits.row_bytes {
                return Err(SheetError::at_line(self.line, SheetErrorKind::RowTooLong(self.limits.row_bytes)));
            }
            self.read_more()?;
        }
    }

    /// Skips a line of this length and its end.
    fn skip_line(&mut self, length: usize) {
        let end = &self.letters.rest().as_bytes()[length..];
        let end = match end {
            [b'\r', b'\n', ..] => 2,
            [] => 0,
            _ => 1,
        };
        self.letters.consume(length + end);
        self.line += 1;
    }

    /// Reads the next line with the lines folded into it.
    fn read_folded_line(&mut self) -> Result<Option<CardLine>, SheetError> {
        let Some(length) = self.find_line_end()? else { return Ok(None) };
        let text = &self.letters.rest()[..length];
        let name = text.split([':', ';']).next().unwrap_or_default();
        let name = name.rsplit('.').next().unwrap_or_default();
        let is_left_out = LEFT_OUT.iter().any(|left_out| name.eq_ignore_ascii_case(left_out));
        let mut line = CardLine { text: text.to_owned(), number: self.line, is_left_out };
        self.skip_line(length);
        let is_quoted = property::is_quoted_printable(&line.text);
        loop {
            let Some(length) = self.find_line_end()? else { return Ok(Some(line)) };
            let next = &self.letters.rest()[..length];
            if is_quoted && line.text.ends_with('=') {
                line.text.pop();
                line.text.push_str(next);
            } else if let Some(folded) = next.strip_prefix([' ', '\t']) {
                if !line.is_left_out {
                    line.text.push_str(folded);
                }
            } else if line.is_left_out && !next.contains(':') {
                // Version 2.1 also continues a line without a space before it.
            } else {
                return Ok(Some(line));
            }
            if line.text.len() > self.limits.cell_bytes {
                return Err(SheetError::at_line(line.number, SheetErrorKind::CellTooLong(self.limits.cell_bytes)));
            }
            self.skip_line(length);
        }
    }

    /// Reads the next card as a row. Returns false at the end.
    fn read_card(&mut self, block: &mut RowBlock) -> Result<bool, SheetError> {
        let began = loop {
            self.unfinished = self.line;
            let Some(line) = self.read_folded_line()? else { return Ok(false) };
            if is_mark(&line.text, "BEGIN") {
                break line.number;
            }
            if !line.text.trim().is_empty() {
                let words = "a card begins with BEGIN:VCARD".to_owned();
                return Err(SheetError::at_line(line.number, SheetErrorKind::Card(words)));
            }
        };
        let (mut properties, mut flags) = (Vec::new(), RowFlags::default());
        let mut bytes = 0;
        loop {
            let Some(line) = self.read_folded_line()? else {
                let words = "it ends within the card that begins here".to_owned();
                return Err(SheetError::at_line(began, SheetErrorKind::Damaged(words)));
            };
            if is_mark(&line.text, "END") {
                break;
            }
            if is_mark(&line.text, "BEGIN") {
                let words = "another card begins before this one ends".to_owned();
                return Err(SheetError::at_line(line.number, SheetErrorKind::Card(words)));
            }
            if line.text.trim().is_empty() {
                continue;
            }
            if line.is_left_out {
                let name = line.text.split([':', ';']).next().unwrap_or_default();
                let name = name.rsplit('.').next().unwrap_or_default().to_ascii_uppercase();
                self.remarks.add(RemarkKind::Property, &name, "");
                continue;
            }
            bytes += line.text.len();
            if bytes > self.limits.row_bytes {
                return Err(SheetError::at_line(began, SheetErrorKind::RowTooLong(self.limits.row_bytes)));
            }
            if properties.len() == self.limits.columns {
                return Err(SheetError::at_line(line.number, SheetErrorKind::TooManyColumns(self.limits.columns)));
            }
            match CardProperty::parse(&line.text) {
                Some(property) => properties.push(property),
                None => {
                    flags.add(RowFlag::Malformed);
                    self.remarks.add(RemarkKind::Property, "", &line.text);
                }
            }
        }
        if self.rows == self.limits.rows {
            return Err(SheetError::at_line(began, SheetErrorKind::TooManyRows(self.rows)));
        }
        if properties.iter().any(CardProperty::is_export_mark) {
            flags.add(RowFlag::Exact);
            properties.iter_mut().for_each(CardProperty::keep_space);
        }
        self.row.clear();
        property::fill_row(&properties, &mut self.row, &self.limits, &mut self.remarks)
            .map_err(|kind| SheetError::at_line(began, kind))?;
        self.row.end_row(began, flags, block);
        self.rows += 1;
        Ok(true)
    }
}

fn is_mark(text: &str, mark: &str) -> bool {
    text.split_once(':').is_some_and(|(name, value)| {
        name.trim().eq_ignore_ascii_case(mark) && value.trim().eq_ignore_ascii_case("VCARD")
    })
}

impl<R: Read + Send> RowReader for CardReader<R> {
    fn fill_block(&mut self, block: &mut RowBlock) -> Result<bool, SheetError> {
        while !block.is_full() {
            if !self.read_card(block)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn remarks(&self) -> &[Remark] {
        self.remarks.as_slice()
    }

    fn count_rest(&mut self) -> Option<u64> {
        // The lines of the damaged card have been consumed already.
        let taken = self.line - self.unfinished;
        Some(taken + self.letters.count_rest(REST_MAX)?)
    }

    fn columns(&self) -> Option<&[String]> {
        Some(self.row.columns())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::FilePosition;

    /// The line of a card, and its filled cells with their columns.
    type Named = (u64, Vec<(String, String)>);

    fn read(text: &str, limits: ReadLimits) -> Result<Vec<Named>, SheetError> {
        let mut cards = CardReader::new(text.as_bytes(), Encoding::UTF_8, limits);
        let mut block = RowBlock::default();
        while cards.fill_block(&mut block)? {}
        let columns = cards.columns().unwrap().to_vec();
        let named = |row: crate::block::BlockRow| {
            let cells = columns.iter().zip(row.cells()).filter(|(_, cell)| !cell.is_empty());
            cells.map(|(column, cell)| (column.clone(), cell.to_owned())).collect()
        };
        Ok(block.rows().map(|row| (row.place, named(row))).collect())
    }

    fn card(text: &str) -> Vec<(String, String)> {
        read(text, ReadLimits::STANDARD).unwrap().remove(0).1
    }

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect()
    }

    #[test]
    fn a_card_of_version_3_is_a_row() {
        let text = "BEGIN:VCARD\r\nVERSION:3.0\r\nN:Lovelace;Ada;King;Ms;\r\nFN:Ms Ada Lovelace\r\n\
                    ORG:Engines\\, Ltd;Research\r\nTEL;TYPE=CELL,VOICE:+44 7700 900001\r\nTEL;TYPE=CELL:+44 7700 900002\r\n\
                    TEL;TYPE=WORK,FAX:+44 1632 960001\r\nEMAIL;TYPE=INTERNET:ada@example.com\r\n\
                    ADR;TYPE=HOME:;Flat 2;1 Long\r\n  Street;London;;N1 1AA;UK\r\nBDAY:18151210\r\n\
                    NOTE:two\\nlines\r\nPHOTO;ENCODING=b;TYPE=JPEG:AAAA\r\n BBBB\r\nEND:VCARD\r\n";
        assert_eq!(
            card(text),
            pairs(&[
                ("Last name", "Lovelace"),
                ("First name", "Ada"),
                ("Middle name", "King"),
                ("Title", "Ms"),
                ("Company", "Engines, Ltd"),
                ("Department", "Research"),
                ("Mobile", "+44 7700 900001"),
                ("Mobile 2", "+44 7700 900002"),
                ("Work fax", "+44 1632 960001"),
                ("Email address", "ada@example.com"),
                ("Address line 2", "Flat 2"),
                ("Street", "1 Long Street"),
                ("City", "London"),
                ("Postcode", "N1 1AA"),
                ("Country", "UK"),
                ("Birthday", "1815-12-10"),
                ("Note", "two\nlines"),
            ])
        );
    }

    #[test]
    fn a_card_of_version_2_1_is_decoded() {
        let text = "BEGIN:VCARD\nVERSION:2.1\nN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCller;J=C3=B6=\n=72g;;;\n\
                    TEL;CELL;PREF:07700900003\nTEL;X-WhatsApp:07700900004\n\
                    NOTE;ENCODING=QUOTED-PRINTABLE;CHARSET=ISO-8859-1:caf=E9\n\
                    PHOTO;ENCODING=BASE64;JPEG:AAAA\nBBBB\n\nEND:VCARD\n";
        assert_eq!(
            card(text),
            pairs(&[
                ("Last name", "Müller"),
                ("First name", "Jörg"),
                ("Mobile", "07700900003"),
                ("WhatsApp", "07700900004"),
                ("Note", "café"),
            ])
        );
    }

    #[test]
    fn version_4_and_labels_of_groups_are_understood() {
        let text = "BEGIN:VCARD\nVERSION:4.0\nFN:Ada\nTEL;VALUE=uri;TYPE=\"cell,voice\":tel:+447700900001\n\
                    item1.TEL:+447700900002\nitem1.X-ABLabel:WhatsApp\nitem2.TEL:+447700900003\n\
                    item2.X-ABLabel:_$!<Home>!$_\nBDAY;VALUE=date-and-or-time:--0412\nCATEGORIES:a,b\\,c\nEND:VCARD";
        assert_eq!(
            card(text),
            pairs(&[
                ("First name", "Ada"),
                ("Mobile", "+447700900001"),
                ("WhatsApp", "+447700900002"),
                ("Home phone", "+447700900003"),
                ("Birthday", "--04-12"),
                ("Groups", "a; b,c"),
            ])
        );
    }

    #[test]
    fn labels_and_types_that_a_person_made_up_have_a_column() {
        for (lines, want) in [
            (
                "item1.TEL;TYPE=CELL:1\nitem1.X-ABLabel:STOP do not text",
                &[("Mobile", "1"), ("Label", "STOP do not text")][..],
            ),
            ("TEL;TYPE=CELL,STOP:1", &[("Mobile", "1"), ("Label", "STOP")]),
            ("TEL;CELL;STOP:1\nTEL;DO-NOT-CALL:2", &[("Mobile", "1"), ("Label", "STOP; DO-NOT-CALL"), ("Phone", "2")]),
            ("item1.EMAIL:a\nitem1.X-ABLabel:unsubscribed", &[("Email address", "a"), ("Label", "unsubscribed")]),
            ("item1.TEL:1\nitem1.X-ABLabel:_$!<Work>!$_", &[("Work phone", "1")]),
            ("item1.TEL:1\nitem1.X-ABLabel:iPhone", &[("Mobile", "1")]),
            ("TEL;WORK;VOICE;PREF;ENCODING=QUOTED-PRINTABLE;8BIT:1", &[("Work phone", "1")]),
        ] {
            assert_eq!(card(&format!("BEGIN:VCARD\n{lines}\nEND:VCARD\n")), pairs(want), "{lines}");
        }
    }

    #[test]
    fn a_full_name_alone_is_taken_apart_and_one_that_repeats_is_not_taken_twice() {
        for (lines, want) in [
            ("FN:Ada King Lovelace", &[("First name", "Ada"), ("Last name", "King Lovelace")][..]),
            ("FN:Lovelace\\, Ada", &[("First name", "Ada"), ("Last name", "Lovelace")]),
            ("N:;;;;\nFN:Ada", &[("First name", "Ada")]),
            ("FN:Dr. Ada Lovelace", &[("Title", "Dr."), ("First name", "Ada"), ("Last name", "Lovelace")]),
            ("FN:Lovelace\\, Dr. Ada", &[("Title", "Dr."), ("First name", "Ada"), ("Last name", "Lovelace")]),
            ("FN:Ms Jones", &[("Title", "Ms"), ("Last name", "Jones")]),
            ("FN:Ada Lovelace\\, PhD", &[("First name", "Ada"), ("Last name", "Lovelace, PhD")]),
            ("FN:Ada\nN:Lovelace;Ada;;;", &[("Last name", "Lovelace"), ("First name", "Ada")]),
            (
                "N:Lovelace;Ada;;;\nFN:The Countess",
                &[("Last name", "Lovelace"), ("First name", "Ada"), ("Full name", "The Countess")],
            ),
            ("FN:Example Taxis\nORG:Example Taxis", &[("Company", "Example Taxis")]),
            ("FN:+44 7700 900001\nTEL:+447700900001", &[("Phone", "+447700900001")]),
            ("FN:-\nEMAIL:ada@example.com", &[("Email address", "ada@example.com")]),
        ] {
            assert_eq!(card(&format!("BEGIN:VCARD\n{lines}\nEND:VCARD\n")), pairs(want), "{lines}");
        }
    }

    #[test]
    fn what_no_column_holds_is_reported() {
        let text = "BEGIN:VCARD\nnothing that is known\nVERSION:3.0\nPRODID:x\nN:a;b;c;d;e;f\nORG:Shop;Sales;North\nGENDER:F\n\
                    IMPP:sip:ada@example.com\nPHOTO;ENCODING=b:AAAA\n BBBB\n\
                    TEL:tel:+447700900001;ext=7\nFN:b a\nGENDER:\nEND:VCARD\n";
        let mut cards = CardReader::new(text.as_bytes(), Encoding::UTF_8, ReadLimits::STANDARD);
        let mut block = RowBlock::default();
        while cards.fill_block(&mut block).unwrap() {}
        let shown: Vec<_> = cards.remarks().iter().map(|r| (r.kind, r.name.as_str(), r.example.as_str())).collect();
        use RemarkKind::{Form, Property, Repeated};
        assert_eq!(
            shown,
            [
                (Property, "", "nothing that is known"),
                (Property, "PHOTO", ""),
                (Form, "VERSION", "3.0"),
                (Form, "PRODID", "x"),
                (Property, "N", "f"),
                (Property, "ORG", "North"),
                (Property, "GENDER", "F"),
                (Property, "IMPP", "sip:ada@example.com"),
                (Property, "TEL", "ext=7"),
                (Repeated, "FN", "b a"),
            ]
        );
    }

    #[test]
    fn faults_have_their_line() {
        for (text, line, words) in [
            ("BEGIN:VCARD\nFN:a\nEND:VCARD\nFN:b\n", 4, "begins with BEGIN"),
            ("BEGIN:VCARD\nFN:a\nEND:VCARD\nBEGIN:VCARD\nFN:b\n", 4, "ends within"),
            ("BEGIN:VCARD\nFN:a\nBEGIN:VCARD\n", 3, "another card"),
        ] {
            let fault = read(text, ReadLimits::STANDARD).unwrap_err();
            assert_eq!(fault.place, FilePosition::Line { line, column: None }, "{fault}");
            assert!(fault.to_string().contains(words), "{fault}");
        }
        let limits = ReadLimits { cell_bytes: 100, row_bytes: 1_000, ..ReadLimits::STANDARD };
        let folded = format!("BEGIN:VCARD\nNOTE:{}\nEND:VCARD", "x\n ".repeat(5_000));
        assert!(matches!(read(&folded, limits).unwrap_err().kind, SheetErrorKind::CellTooLong(100)));
        let long = format!("BEGIN:VCARD\nNOTE:{}", "x".repeat(1 << 20));
        assert!(matches!(read(&long, limits).unwrap_err().kind, SheetErrorKind::RowTooLong(1_000)));
    }

    #[test]
    fn lines_of_a_broken_card_are_counted_with_those_behind_it() {
        let whole = "BEGIN:VCARD\nFN:a\nEND:VCARD\n";
        for (rest, lines) in [
            ("BEGIN:VCARD\nFN:b\nTEL:+44770", 3),
            ("BEGIN:VCARD\nFN:b\nBEGIN:VCARD\nFN:c\nEND:VCARD\n", 5),
            ("FN:b\nEND:VCARD\n", 2),
        ] {
            let text = format!("{whole}{rest}");
            let mut cards = CardReader::new(text.as_bytes(), Encoding::UTF_8, ReadLimits::STANDARD);
            let mut block = RowBlock::default();
            assert!(cards.fill_block(&mut block).is_err());
            assert_eq!((block.len(), cards.count_rest()), (1, Some(lines)), "{rest}");
        }
    }

    #[test]
    fn a_second_address_has_a_column_of_its_own() {
        let text = "BEGIN:VCARD\nFN:Ada\nADR;TYPE=HOME:;;;York;;;\nADR;TYPE=WORK:;;12 High Street;Leeds;;LS1 1AA;UK\n\
                    ADR:;;;Bath;;;\nEND:VCARD\n";
        let want =
            [("First name", "Ada"), ("City", "York"), ("Other address", "12 High Street, Leeds, LS1 1AA, UK; Bath")];
        assert_eq!(card(text), pairs(&want));
    }

    #[test]
    fn rows_know_the_line_of_their_card() {
        let text = "BEGIN:VCARD\nFN:a\nEND:VCARD\n\nBEGIN:VCARD\nFN:b\nEND:VCARD\n";
        let rows = read(text, ReadLimits::STANDARD).unwrap();
        assert_eq!(rows.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [1, 5]);
    }
}
