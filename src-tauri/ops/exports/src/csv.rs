//! Writes tables as delimited text in the form of RFC 4180.

use serde::Deserialize;
use std::io::{self, Write};

use super::formula::{FormulaPolicy, guard_apostrophe, guard_formula};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ExportDelimiter"))]
pub enum Delimiter {
    #[default]
    Comma,
    /// Spreadsheets expect it in countries where numbers have a decimal comma.
    Semicolon,
    Tab,
}

impl Delimiter {
    fn to_byte(self) -> u8 {
        match self {
            Self::Comma => b',',
            Self::Semicolon => b';',
            Self::Tab => b'\t',
        }
    }
}

/// The form in which a table is written. The encoding is always UTF-8.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CsvStyle {
    pub delimiter: Delimiter,
    pub formulas: FormulaPolicy,
    /// Whether the file starts with a byte order mark, without which older spreadsheets do not read it as UTF-8.
    pub has_mark: bool,
}

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// A table that is being written, line by line.
pub struct CsvFile<W: Write> {
    out: csv::Writer<W>,
    formulas: FormulaPolicy,
}

impl<W: Write> CsvFile<W> {
    /// Starts a file, with a byte order mark if the style asks for one.
    pub fn begin(mut out: W, style: CsvStyle) -> io::Result<Self> {
        if style.has_mark {
            out.write_all(BYTE_ORDER_MARK)?;
        }
        Ok(Self::append_to(out, style))
    }

    /// Continues a file whose beginning was written elsewhere.
    pub fn append_to(out: W, style: CsvStyle) -> Self {
        let out = csv::WriterBuilder::new()
            .delimiter(style.delimiter.to_byte())
            .terminator(csv::Terminator::CRLF)
            .flexible(true)
            .from_writer(out);
        Self { out, formulas: style.formulas }
    }

    pub fn write_cell(&mut self, text: &[u8]) -> io::Result<()> {
        match self.formulas {
            FormulaPolicy::Guarded => self.out.write_field(guard_formula(text))?,
            FormulaPolicy::Unguarded => self.out.write_field(guard_apostrophe(text))?,
        }
        Ok(())
    }

    pub fn end_line(&mut self) -> io::Result<()> {
        Ok(self.out.write_record(None::<&[u8]>)?)
    }

    pub fn write_line<T: AsRef<[u8]>>(&mut self, cells: impl IntoIterator<Item = T>) -> io::Result<()> {
        cells.into_iter().try_for_each(|text| self.write_cell(text.as_ref()))?;
        self.end_line()
    }

    /// Flushes what is left and returns the writer.
    pub fn into_writer(self) -> io::Result<W> {
        self.out.into_inner().map_err(|left| io::Error::new(left.error().kind(), left.error().to_string()))
    }
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*};

    use super::{super::formula::unguard_formula, *};

    fn write_lines(style: CsvStyle, lines: &[Vec<String>]) -> Vec<u8> {
        let mut file = CsvFile::begin(Vec::new(), style).unwrap();
        lines.iter().for_each(|line| file.write_line(line).unwrap());
        file.into_writer().unwrap()
    }

    #[test]
    fn a_line_is_as_other_programs_read_it() {
        let lines =
            [["a", "'=2", "b,c"], ["say \"x\"", "two\nlines", "=1"]].map(|line| line.map(str::to_owned).to_vec());
        let written = |style| String::from_utf8(write_lines(style, &lines)).unwrap();
        let usual = CsvStyle::default();
        assert_eq!(written(usual), "a,''=2,\"b,c\"\r\n\"say \"\"x\"\"\",\"two\nlines\",'=1\r\n");
        let other = CsvStyle { delimiter: Delimiter::Semicolon, formulas: FormulaPolicy::Unguarded, has_mark: true };
        assert_eq!(written(other), "\u{feff}a;''=2;b,c\r\n\"say \"\"x\"\"\";\"two\nlines\";=1\r\n");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_was_written_is_read_back_as_it_was(
            lines in vec(vec("['\"=+@,; \t\r\né-]{0,5}", 3), 0..8),
            delimiter in prop::sample::select(vec![Delimiter::Comma, Delimiter::Semicolon, Delimiter::Tab]),
            is_guarded: bool,
        ) {
            let formulas = if is_guarded { FormulaPolicy::Guarded } else { FormulaPolicy::Unguarded };
            let bytes = write_lines(CsvStyle { delimiter, formulas, has_mark: false }, &lines);
            let mut reader =
                csv::ReaderBuilder::new().has_headers(false).delimiter(delimiter.to_byte()).from_reader(bytes.as_slice());
            let read: Vec<Vec<Vec<u8>>> = reader
                .byte_records()
                .map(|line| line.unwrap().iter().map(|text| unguard_formula(text).to_vec()).collect())
                .collect();
            let expected: Vec<Vec<Vec<u8>>> =
                lines.iter().map(|line| line.iter().map(|text| text.clone().into_bytes()).collect()).collect();
            prop_assert_eq!(read, expected);
        }
    }
}
