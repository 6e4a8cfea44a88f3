//! The errors that end a reading: what is wrong, where it is, and what to do about it.

use std::{fmt, io};

use serde::{Deserialize, Serialize};

/// A position in a file. All numbers are counted from 1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "in", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ImportPlace"))]
pub enum FilePosition {
    /// The file as a whole.
    File,
    /// A line of a text, with the cell in its row if that is known.
    Line { line: u64, column: Option<u32> },
    /// A row of a sheet, with the cell in it if that is known.
    Row { sheet: String, row: u64, column: Option<u32> },
    /// A part of an archive.
    Part { name: String },
}

impl fmt::Display for FilePosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File => f.write_str("the file"),
            Self::Line { line, column: None } => write!(f, "line {line}"),
            Self::Line { line, column: Some(column) } => write!(f, "line {line}, column {column}"),
            Self::Row { sheet, row, column: None } => write!(f, "sheet “{sheet}”, row {row}"),
            Self::Row { sheet, row, column: Some(column) } => {
                write!(f, "sheet “{sheet}”, cell {}{row}", column_letters(*column))
            }
            Self::Part { name } => write!(f, "the part “{name}”"),
        }
    }
}

/// Returns the letters by which spreadsheets name a column (`A`, `Z`, `AA`), counted from 1.
pub(crate) fn column_letters(mut column: u32) -> String {
    let mut letters = Vec::new();
    while column > 0 {
        column -= 1;
        letters.push(char::from(b'A' + (column % 26) as u8));
        column /= 26;
    }
    letters.iter().rev().collect()
}

/// A kind of file that is not a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnsupportedFormat {
    /// The name with its article, such as `a web page`.
    pub name: &'static str,
    pub advice: &'static str,
}

/// The kind of error. Each has its own message, because each is fixed in another way.
#[derive(Debug, thiserror::Error)]
pub enum SheetErrorKind {
    #[error("it cannot be read: {0}")]
    Io(io::Error),
    #[error("it is empty")]
    Empty,
    #[error(
        "a quote opens here and is not closed within {0} bytes. Close it, or read the file as one whose cells are not quoted"
    )]
    OpenQuote(usize),
    #[error("the file ends within a quoted cell that opens here; it seems to be cut off")]
    CutInQuote,
    #[error("a cell has more than {0} bytes")]
    CellTooLong(usize),
    #[error("a row has more than {0} bytes")]
    RowTooLong(usize),
    #[error("a row has more than {0} bytes. If the separator or the line ends were taken for others, choose them")]
    LineTooLong(usize),
    #[error("a row has more than {0} columns")]
    TooManyColumns(usize),
    #[error("a row has more than {0} columns. If the separator was taken for another, choose it")]
    LineTooWide(usize),
    #[error("a piece of markup has more than {0} bytes")]
    MarkupTooLong(usize),
    #[error("there are more than {0} rows; cut the file into parts")]
    TooManyRows(u64),
    #[error("it is UTF-32, which hardly any program writes; save it as UTF-8")]
    Utf32,
    #[error("its letters are announced by escape sequences of an encoding that cannot be read; save it as UTF-8")]
    Escapes,
    #[error("it is not text and not of a supported file type (text, XLSX, ODS, vCard, JSON)")]
    NotText,
    #[error("this looks like {}, not a table. {}", .0.name, .0.advice)]
    NotATable(UnsupportedFormat),
    #[error("this is {0}, which is not supported. Save its table as CSV, for example with DuckDB or pandas")]
    ColumnarFile(&'static str),
    #[error(
        "it is an old Excel workbook (XLS or XLSB), or one that is locked with a password; save it as XLSX without one"
    )]
    OldWorkbook,
    #[error("it is locked with a password; save it without one")]
    Locked,
    #[error("it is packed in a way that is not understood ({0}); unpack it first")]
    UnknownPacking(String),
    #[error("it is damaged or cut off: {0}")]
    Damaged(String),
    #[error("it unpacks to more than {0} bytes")]
    UnpacksTooLarge(u64),
    #[error("it unpacks to more than {0} times its size, as files do that are made to fill a disk")]
    UnpacksTooMuch(u64),
    #[error("up to here its rows have more than {0} times its size, as files do that are made to fill a disk")]
    RepeatsTooMuch(u64),
    #[error("it holds {0} files, which is more than an archive may hold; unpack it first")]
    ManyFiles(usize),
    #[error("it is a packed file or a workbook within a packed file; unpack it first")]
    PackedTwice,
    #[error("there is no sheet in it")]
    NoSheet,
    #[error("it has no sheet or file called “{0}”")]
    SheetNotFound(String),
    #[error("the texts of its cells have more than {0} bytes")]
    SharedTooLarge(usize),
    #[error("it has more than {0} sheets, links or styles; no program writes so many")]
    TooManyParts(usize),
    #[error("the name of a column has more than {0} bytes")]
    NameTooLong(usize),
    #[error("values stand within each other more than {0} deep")]
    TooDeep(usize),
    #[error("this is no valid JSON: {0}")]
    Json(String),
    #[error("a contact or a list of contacts was expected here, and this is {0}")]
    NotARecord(&'static str),
    #[error(
        "this is a table by columns, as pandas writes it, of more than {0} bytes; write a list of records, in pandas by to_json(orient=\"records\")"
    )]
    ByColumns(usize),
    #[error("this is no vCard: {0}")]
    Card(String),
}

/// An error and its position.
#[derive(Debug)]
pub struct SheetError {
    pub place: FilePosition,
    pub kind: SheetErrorKind,
}

impl SheetError {
    pub fn new(place: FilePosition, kind: SheetErrorKind) -> Self {
        Self { place, kind }
    }

    pub(crate) fn for_file(kind: SheetErrorKind) -> Self {
        Self::new(FilePosition::File, kind)
    }

    pub(crate) fn at_line(line: u64, kind: SheetErrorKind) -> Self {
        Self::new(FilePosition::Line { line, column: None }, kind)
    }

    pub(crate) fn in_part(name: &str, kind: SheetErrorKind) -> Self {
        Self::new(FilePosition::Part { name: name.to_owned() }, kind)
    }

    /// Sets the position of an error unless a more precise one is known.
    pub(crate) fn with_position(self, place: impl FnOnce() -> FilePosition) -> Self {
        if self.place == FilePosition::File { Self { place: place(), ..self } } else { self }
    }
}

impl fmt::Display for SheetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let message = match &self.place {
            FilePosition::File => self.kind.to_string(),
            place => format!("{place}: {}", self.kind),
        };
        let mut letters = message.chars();
        let first = letters.next().map(char::to_uppercase);
        for letter in first.into_iter().flatten() {
            write!(f, "{letter}")?;
        }
        write!(f, "{}.", letters.as_str())
    }
}

impl std::error::Error for SheetError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.kind {
            SheetErrorKind::Io(error) => Some(error),
            _ => None,
        }
    }
}

/// Carries an error through a `Read`. [`SheetErrorKind::from`] extracts it again.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct CarriedError(SheetErrorKind);

impl SheetErrorKind {
    /// Wraps the error for readers that run inside readers of other crates.
    pub(crate) fn into_io_error(self) -> io::Error {
        io::Error::other(CarriedError(self))
    }
}

impl From<io::Error> for SheetErrorKind {
    fn from(error: io::Error) -> Self {
        match error.downcast::<CarriedError>() {
            Ok(CarriedError(kind)) => kind,
            Err(error) => match error.kind() {
                io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => Self::Damaged(error.to_string()),
                io::ErrorKind::UnexpectedEof => Self::Damaged("it ends too early".to_owned()),
                _ => Self::Io(error),
            },
        }
    }
}

impl From<io::Error> for SheetError {
    fn from(error: io::Error) -> Self {
        Self::for_file(error.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_says_where_and_what() {
        let fault = SheetError::at_line(12, SheetErrorKind::CutInQuote);
        assert_eq!(
            fault.to_string(),
            "Line 12: the file ends within a quoted cell that opens here; it seems to be cut off."
        );
        let place = FilePosition::Row { sheet: "Customers".into(), row: 7, column: Some(28) };
        assert_eq!(place.to_string(), "sheet “Customers”, cell AB7");
    }

    #[test]
    fn columns_have_letters() {
        for (column, letters) in [(1, "A"), (26, "Z"), (27, "AA"), (702, "ZZ"), (703, "AAA"), (16_384, "XFD")] {
            assert_eq!(column_letters(column), letters);
        }
    }

    #[test]
    fn a_fault_survives_its_way_through_a_reader() {
        let kind = SheetErrorKind::from(SheetErrorKind::UnpacksTooMuch(200).into_io_error());
        assert!(matches!(kind, SheetErrorKind::UnpacksTooMuch(200)));
        assert!(matches!(
            SheetErrorKind::from(io::Error::from(io::ErrorKind::UnexpectedEof)),
            SheetErrorKind::Damaged(_)
        ));
    }
}
