//! Reads one sheet of a workbook as rows of text.

use std::io::BufRead;

use super::parts::{Shared, Styles, TextOf, unescape};
use crate::{
    block::{Block, RowFlag, RowFlags},
    fault::{Fault, FaultKind, Place},
    limits::Limits,
    remark::{Remark, RemarkKind, Remarks, is_rounded},
    source::Rows,
    xml::{Piece, Tag, Xml},
};

/// Reads a sheet.
pub struct Cells<R: BufRead> {
    xml: Xml<R>,
    at: At,
    styles: Styles,
    shared: Shared,
    limits: Limits,
    rows: u64,
    remarks: Remarks,
}

/// The position of the reader, and the cell that it is in.
struct At {
    sheet: String,
    row: u64,
    is_hidden: bool,
    flags: RowFlags,
    column: usize,
    style: usize,
    kind: Kind,
    text: String,
    in_value: bool,
    in_inline: TextOf,
    has_formula: bool,
    /// Flags that every row has.
    row_flags: RowFlags,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Number,
    Shared,
    Text,
    Truth,
    Error,
}

impl At {
    fn place(&self, column: Option<usize>) -> Place {
        Place::Row { sheet: self.sheet.clone(), row: self.row.max(1), column: column.map(|column| column as u32 + 1) }
    }

    fn fault(&self, kind: FaultKind) -> Fault {
        Fault::new(self.place(Some(self.column)), kind)
    }

    fn begin_row(&mut self, tag: &Tag) {
        self.row = tag.number("r").unwrap_or(self.row.saturating_add(1)).max(1);
        self.is_hidden = tag.value("hidden").is_some_and(|value| matches!(&*value, "1" | "true"));
        self.flags = self.row_flags;
    }

    /// Begins a cell. `column` is used if the cell does not name its column.
    fn begin_cell(&mut self, tag: &Tag, column: usize) {
        (self.column, self.style, self.kind) = (column, 0, Kind::Number);
        for (name, value) in tag.values() {
            match name {
                "r" => self.column = column_of(&value).unwrap_or(column),
                "s" => self.style = value.trim().parse().unwrap_or(0),
                "t" => {
                    self.kind = match &*value {
                        "s" => Kind::Shared,
                        "str" | "inlineStr" | "d" => Kind::Text,
                        "b" => Kind::Truth,
                        "e" => Kind::Error,
                        _ => Kind::Number,
                    }
                }
                _ => {}
            }
        }
        self.text.clear();
        self.has_formula = false;
        self.in_value = false;
        self.in_inline = TextOf::default();
    }
}

/// Returns the column of a cell name such as `AB7`, counted from 0.
fn column_of(name: &str) -> Option<usize> {
    let letters = name.trim_start_matches('$').bytes().take_while(u8::is_ascii_alphabetic);
    let mut column = 0_usize;
    for letter in letters {
        column = column * 26 + usize::from(letter.to_ascii_uppercase() - b'A') + 1;
        if column > 1 << 20 {
            return None;
        }
    }
    column.checked_sub(1)
}

impl<R: BufRead> Cells<R> {
    pub fn new(xml: Xml<R>, sheet: String, styles: Styles, shared: Shared, remarks: Remarks, limits: Limits) -> Self {
        let mut row_flags = RowFlags::default();
        if styles.is_of_export {
            row_flags.add(RowFlag::Exact);
        }
        let at = At {
            sheet,
            row: 0,
            is_hidden: false,
            flags: row_flags,
            row_flags,
            column: 0,
            style: 0,
            kind: Kind::Number,
            text: String::new(),
            in_value: false,
            in_inline: TextOf::default(),
            has_formula: false,
        };
        Self { xml, at, styles, shared, limits, rows: 0, remarks }
    }

    /// Reads until a row ends. Returns false at the end of the sheet.
    fn row(&mut self, block: &mut Block) -> Result<bool, Fault> {
        // A cell without a name follows the one before it.
        let mut next = 0;
        loop {
            match self.xml.next()? {
                Piece::Open(tag) => match tag.name() {
                    "row" => {
                        self.at.begin_row(&tag);
                        next = 0;
                    }
                    "c" => {
                        self.at.begin_cell(&tag, next);
                        next = self.at.column + 1;
                    }
                    "v" => self.at.in_value = true,
                    "f" => self.at.has_formula = true,
                    other => self.at.in_inline.open(other),
                },
                Piece::Text(text) if self.at.in_value || self.at.in_inline.is_wanted() => {
                    self.at.text.push_str(&text);
                    if self.at.text.len() > self.limits.cell_bytes {
                        return Err(self.at.fault(FaultKind::CellTooLong(self.limits.cell_bytes)));
                    }
                }
                Piece::Close(name) => match &*name {
                    "v" => self.at.in_value = false,
                    "c" => {
                        put(&mut self.at, &self.styles, &self.shared, &self.limits, &mut self.remarks, block)?;
                    }
                    "row" if block.open_cells() > 0 => {
                        if self.rows == self.limits.rows {
                            return Err(Fault::new(self.at.place(None), FaultKind::TooManyRows(self.rows)));
                        }
                        self.rows += 1;
                        if self.at.is_hidden {
                            self.remarks.add_many(RemarkKind::HiddenRow, "", 1, || self.at.place(None).to_string());
                        }
                        block.end_row(self.at.row, self.at.flags);
                        return Ok(true);
                    }
                    other => self.at.in_inline.close(other),
                },
                Piece::Text(_) | Piece::Other => {}
                Piece::End => return Ok(false),
            }
        }
    }
}

/// Appends the cell to the growing row. Cells that show nothing are left out at the end of a row.
fn put(
    at: &mut At,
    styles: &Styles,
    shared: &Shared,
    limits: &Limits,
    remarks: &mut Remarks,
    block: &mut Block,
) -> Result<(), Fault> {
    let start;
    let number;
    let text: &str = match at.kind {
        Kind::Shared if at.text.is_empty() => "",
        Kind::Shared => {
            let found = at.text.trim().parse().ok().and_then(|n| shared.get(n));
            found.ok_or_else(|| at.fault(FaultKind::Damaged("it names a text that is not there".to_owned())))?
        }
        Kind::Text => {
            start = &mut at.text;
            unescape(start, 0);
            start
        }
        Kind::Truth => match at.text.trim() {
            "1" | "true" => "TRUE",
            "" => "",
            _ => "FALSE",
        },
        Kind::Error => {
            at.flags.add(RowFlag::NoResult);
            &at.text
        }
        Kind::Number => {
            let stored = at.text.trim();
            let format = styles.format(at.style);
            let shown = format.shown(stored, styles.is_1904);
            if let Some(date) = format.date(stored, styles.is_1904) {
                if date != shown {
                    remarks.add_many(RemarkKind::Date, "", 1, || format!("{date} ({shown})"));
                }
                number = date;
            } else {
                number = shown;
            }
            if number.trim().is_empty() && !stored.is_empty() {
                remarks.add(RemarkKind::Hidden, "", stored);
            } else if is_rounded(stored, &number) {
                remarks.add_many(RemarkKind::Rounded, "", 1, || format!("{number} ({stored})"));
            }
            &number
        }
    };
    if text.is_empty() {
        if at.has_formula && at.kind == Kind::Number && at.text.trim().is_empty() {
            at.flags.add(RowFlag::NoResult);
            remarks.add_many(RemarkKind::NoResult, "", 1, || at.place(Some(at.column)).to_string());
        }
        return Ok(());
    }
    if !text.is_ascii() && text.contains('\u{fffd}') {
        at.flags.add(RowFlag::DamagedText);
    }
    if text.len() > limits.cell_bytes {
        return Err(Fault::new(at.place(Some(at.column)), FaultKind::CellTooLong(limits.cell_bytes)));
    }
    if at.column >= limits.columns {
        return Err(Fault::new(at.place(Some(at.column)), FaultKind::TooManyColumns(limits.columns)));
    }
    if at.column < block.open_cells() {
        return Err(Fault::new(at.place(Some(at.column)), FaultKind::Damaged("its cells are not in order".to_owned())));
    }
    while block.open_cells() < at.column {
        block.end_cell();
    }
    block.cell(text);
    if block.open_row_bytes() > limits.row_bytes {
        return Err(Fault::new(at.place(None), FaultKind::RowTooLong(limits.row_bytes)));
    }
    Ok(())
}

impl<R: BufRead + Send> Rows for Cells<R> {
    fn fill(&mut self, block: &mut Block) -> Result<bool, Fault> {
        while !block.is_full() {
            match self.row(block) {
                Ok(true) => {}
                Ok(false) => {
                    block.drop_open();
                    return Ok(false);
                }
                Err(fault) => {
                    block.drop_open();
                    // The row says more than the name of the part.
                    return Err(match fault.place {
                        Place::Row { .. } => fault,
                        _ => Fault::new(self.at.place(None), fault.kind),
                    });
                }
            }
        }
        Ok(true)
    }

    fn remarks(&self) -> &[Remark] {
        self.remarks.as_slice()
    }
}
