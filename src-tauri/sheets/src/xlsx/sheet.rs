//! Reads one sheet of a workbook as rows of text.

use std::io::BufRead;

use super::parts::{CellStyles, SharedTexts, TextScope, unescape_codes};
use crate::{
    block::{
        RowBlock, RowFlag, RowFlags, RowReader,
        remark::{Remark, RemarkKind, RemarkList, is_rounded},
    },
    error::{FilePosition, SheetError, SheetErrorKind},
    limits::ReadLimits,
    xml::{XmlPiece, XmlReader, XmlTag},
};

/// Reads a sheet.
pub(super) struct SheetReader<R: BufRead> {
    xml: XmlReader<R>,
    cursor: SheetCursor,
    styles: CellStyles,
    shared: SharedTexts,
    limits: ReadLimits,
    rows: u64,
    remarks: RemarkList,
}

/// The position of the reader, and the cell that it is in.
struct SheetCursor {
    sheet: String,
    row: u64,
    is_hidden: bool,
    flags: RowFlags,
    column: usize,
    style: usize,
    kind: CellKind,
    text: String,
    in_value: bool,
    in_inline: TextScope,
    has_formula: bool,
    /// Flags that every row has.
    row_flags: RowFlags,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CellKind {
    Number,
    Shared,
    Text,
    Truth,
    Error,
}

impl SheetCursor {
    fn position(&self, column: Option<usize>) -> FilePosition {
        FilePosition::Row {
            sheet: self.sheet.clone(),
            row: self.row.max(1),
            column: column.map(|column| column as u32 + 1),
        }
    }

    fn error_here(&self, kind: SheetErrorKind) -> SheetError {
        SheetError::new(self.position(Some(self.column)), kind)
    }

    fn begin_row(&mut self, tag: &XmlTag) {
        self.row = tag.number_attribute("r").unwrap_or(self.row.saturating_add(1)).max(1);
        self.is_hidden = tag.attribute_ref("hidden").is_some_and(|value| matches!(&*value, "1" | "true"));
        self.flags = self.row_flags;
    }

    /// Begins a cell. `column` is used if the cell does not name its column.
    fn begin_cell(&mut self, tag: &XmlTag, column: usize) {
        (self.column, self.style, self.kind) = (column, 0, CellKind::Number);
        for (name, value) in tag.attributes() {
            match name {
                "r" => self.column = parse_column(&value).unwrap_or(column),
                "s" => self.style = value.trim().parse().unwrap_or(0),
                "t" => {
                    self.kind = match &*value {
                        "s" => CellKind::Shared,
                        "str" | "inlineStr" | "d" => CellKind::Text,
                        "b" => CellKind::Truth,
                        "e" => CellKind::Error,
                        _ => CellKind::Number,
                    }
                }
                _ => {}
            }
        }
        self.text.clear();
        self.has_formula = false;
        self.in_value = false;
        self.in_inline = TextScope::default();
    }
}

/// Returns the column of a cell name such as `AB7`, counted from 0.
fn parse_column(name: &str) -> Option<usize> {
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

impl<R: BufRead> SheetReader<R> {
    pub(super) fn new(
        xml: XmlReader<R>,
        sheet: String,
        styles: CellStyles,
        shared: SharedTexts,
        remarks: RemarkList,
        limits: ReadLimits,
    ) -> Self {
        let mut row_flags = RowFlags::default();
        if styles.is_of_export {
            row_flags.add(RowFlag::Exact);
        }
        let at = SheetCursor {
            sheet,
            row: 0,
            is_hidden: false,
            flags: row_flags,
            row_flags,
            column: 0,
            style: 0,
            kind: CellKind::Number,
            text: String::new(),
            in_value: false,
            in_inline: TextScope::default(),
            has_formula: false,
        };
        Self { xml, cursor: at, styles, shared, limits, rows: 0, remarks }
    }

    /// Reads until a row ends. Returns false at the end of the sheet.
    fn read_row(&mut self, block: &mut RowBlock) -> Result<bool, SheetError> {
        // A cell without a name follows the one before it.
        let mut next = 0;
        loop {
            match self.xml.next()? {
                XmlPiece::Open(tag) => match tag.name() {
                    "row" => {
                        self.cursor.begin_row(&tag);
                        next = 0;
                    }
                    "c" => {
                        self.cursor.begin_cell(&tag, next);
                        next = self.cursor.column + 1;
                    }
                    "v" => self.cursor.in_value = true,
                    "f" => self.cursor.has_formula = true,
                    other => self.cursor.in_inline.open_tag(other),
                },
                XmlPiece::Text(text) if self.cursor.in_value || self.cursor.in_inline.is_wanted() => {
                    self.cursor.text.push_str(&text);
                    if self.cursor.text.len() > self.limits.cell_bytes {
                        return Err(self.cursor.error_here(SheetErrorKind::CellTooLong(self.limits.cell_bytes)));
                    }
                }
                XmlPiece::Close(name) => match &*name {
                    "v" => self.cursor.in_value = false,
                    "c" => {
                        push_cell(
                            &mut self.cursor,
                            &self.styles,
                            &self.shared,
                            &self.limits,
                            &mut self.remarks,
                            block,
                        )?;
                    }
                    "row" if block.open_cells() > 0 => {
                        if self.rows == self.limits.rows {
                            return Err(SheetError::new(
                                self.cursor.position(None),
                                SheetErrorKind::TooManyRows(self.rows),
                            ));
                        }
                        self.rows += 1;
                        if self.cursor.is_hidden {
                            self.remarks
                                .add_many(RemarkKind::HiddenRow, "", 1, || self.cursor.position(None).to_string());
                        }
                        block.end_row(self.cursor.row, self.cursor.flags);
                        return Ok(true);
                    }
                    other => self.cursor.in_inline.close_tag(other),
                },
                XmlPiece::Text(_) | XmlPiece::Other => {}
                XmlPiece::End => return Ok(false),
            }
        }
    }
}

/// Appends the cell to the growing row. Cells that show nothing are left out at the end of a row.
fn push_cell(
    at: &mut SheetCursor,
    styles: &CellStyles,
    shared: &SharedTexts,
    limits: &ReadLimits,
    remarks: &mut RemarkList,
    block: &mut RowBlock,
) -> Result<(), SheetError> {
    let start;
    let number;
    let text: &str = match at.kind {
        CellKind::Shared if at.text.is_empty() => "",
        CellKind::Shared => {
            let found = at.text.trim().parse().ok().and_then(|n| shared.get(n));
            found
                .ok_or_else(|| at.error_here(SheetErrorKind::Damaged("it names a text that is not there".to_owned())))?
        }
        CellKind::Text => {
            start = &mut at.text;
            unescape_codes(start, 0);
            start
        }
        CellKind::Truth => match at.text.trim() {
            "1" | "true" => "TRUE",
            "" => "",
            _ => "FALSE",
        },
        CellKind::Error => {
            at.flags.add(RowFlag::NoResult);
            &at.text
        }
        CellKind::Number => {
            let stored = at.text.trim();
            let format = styles.format_of(at.style);
            let shown = format.format_value(stored, styles.is_1904);
            if let Some(date) = format.date_value(stored, styles.is_1904) {
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
        if at.has_formula && at.kind == CellKind::Number && at.text.trim().is_empty() {
            at.flags.add(RowFlag::NoResult);
            remarks.add_many(RemarkKind::NoResult, "", 1, || at.position(Some(at.column)).to_string());
        }
        return Ok(());
    }
    if !text.is_ascii() && text.contains('\u{fffd}') {
        at.flags.add(RowFlag::DamagedText);
    }
    if text.len() > limits.cell_bytes {
        return Err(SheetError::new(at.position(Some(at.column)), SheetErrorKind::CellTooLong(limits.cell_bytes)));
    }
    if at.column >= limits.columns {
        return Err(SheetError::new(at.position(Some(at.column)), SheetErrorKind::TooManyColumns(limits.columns)));
    }
    if at.column < block.open_cells() {
        return Err(SheetError::new(
            at.position(Some(at.column)),
            SheetErrorKind::Damaged("its cells are not in order".to_owned()),
        ));
    }
    while block.open_cells() < at.column {
        block.end_cell();
    }
    block.push_cell(text);
    if block.open_row_bytes() > limits.row_bytes {
        return Err(SheetError::new(at.position(None), SheetErrorKind::RowTooLong(limits.row_bytes)));
    }
    Ok(())
}

impl<R: BufRead + Send> RowReader for SheetReader<R> {
    fn fill_block(&mut self, block: &mut RowBlock) -> Result<bool, SheetError> {
        while !block.is_full() {
            match self.read_row(block) {
                Ok(true) => {}
                Ok(false) => {
                    block.drop_open_row();
                    return Ok(false);
                }
                Err(fault) => {
                    block.drop_open_row();
                    // The row says more than the name of the part.
                    return Err(match fault.place {
                        FilePosition::Row { .. } => fault,
                        _ => SheetError::new(self.cursor.position(None), fault.kind),
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
