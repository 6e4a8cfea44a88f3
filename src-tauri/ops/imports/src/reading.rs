//! Reads a file once, up to its end or to the place where it is broken. The rows are copied into a spool, and facts
//! about the columns are gathered on the way.

use std::io;

use roost_model::contact::ContactField;
use roost_sheets::{
    BlockRow, OpenedSheet, Remark, RemarkKind, RowBlock, RowFlag, SheetError, SourceFormat,
    head::{self, HeadEvidence, HeadGuess},
};
use roost_store::watch::Watch;
use serde::{Deserialize, Serialize};

use roost_exports::{columns::ExportColumn, unguard_formula};
use roost_spelling::consent::{is_opt_out_list, is_opt_out_title};

use super::{
    mapping::columns::{ColumnFacts, ColumnScanner},
    mapping::field_suggestions::is_known_name,
    spool::Spool,
};

/// The result of reading a file.
pub struct ReadTable {
    pub spool: Spool,
    /// The names of the columns; blank for a column without a name.
    pub heads: Vec<String>,
    pub head: HeadGuess,
    /// The first row that holds values.
    pub first_value_row: u64,
    pub columns: Vec<ColumnFacts>,
    pub counts: ReadCounts,
    /// The remarks of the reader about everything that it left out or converted.
    pub remarks: Vec<Remark>,
    /// The text above the names of the columns.
    pub heading: String,
    /// A heading, or the name of the list in a JSON file, that says that everybody in the file opted out.
    pub title_of_opt_outs: Option<String>,
    /// The number of lines from the fault on, if they can be counted.
    pub lines_left: Option<u64>,
    /// The fault that ended the reading. The rows before it are good.
    pub fault: Option<SheetError>,
}

impl ReadTable {
    /// Returns the names of the columns up to the last column that has one.
    pub fn heads_up_to_last_named(&self) -> &[String] {
        let end = self.heads.iter().rposition(|head| !head.is_empty()).map_or(0, |last| last + 1);
        &self.heads[..end]
    }
}

/// Counts of the rows and cells of a file. `rows`, `blank_rows` and `above_rows` sum to all rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ReadCounts {
    /// Rows that hold values.
    pub rows: u64,
    /// Cells of these rows that are not blank.
    pub cells: u64,
    /// Blank rows below the names of the columns.
    pub blank_rows: u64,
    /// The row that names the columns and the rows above it.
    pub above_rows: u64,
    /// Cells of these rows that are not blank.
    pub above_cells: u64,
}

/// The place of the row that names the columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ImportHeadRow"))]
pub enum HeadRow {
    #[default]
    FindOut,
    /// A row of the file, from 0.
    At(u32),
    /// No row names the columns: the first row holds values.
    Nowhere,
}

/// Copies the rows of a file into a spool. An error comes from the spool; a fault of the file is part of the result.
/// `places` are the numbers to give to the rows behind the first; rows beyond them keep their own.
pub fn read_file(
    opened: &mut OpenedSheet,
    mut spool: Spool,
    wanted: HeadRow,
    places: &[u64],
    watch: &Watch,
) -> io::Result<ReadTable> {
    let (mut block, mut columns) = (RowBlock::default(), ColumnScanner::default());
    // Only formats whose texts a spreadsheet could run as formulas have guarded texts. The guards remain when a
    // spreadsheet saves such a file as a workbook.
    let has_marks = matches!(opened.kind, SourceFormat::Text | SourceFormat::Xlsx | SourceFormat::Ods);
    let mut found: Option<(HeadGuess, Vec<String>)> = None;
    let mut is_export = None;
    let (mut fault, mut headings) = (None, Vec::new());
    let mut above_cells = 0;
    loop {
        if watch.is_cancelled() {
            return Err(io::ErrorKind::Interrupted.into());
        }
        block.clear();
        let goes_on = opened.rows.fill_block(&mut block).unwrap_or_else(|why| {
            fault = Some(why);
            false
        });
        if has_marks {
            unguard_cells(&mut block);
        }
        let first_of_all = spool.row_count();
        if !places.is_empty() {
            renumber_rows(&mut block, first_of_all, places);
        }
        let (guess, _) = found.get_or_insert_with(|| detect_heads(opened, &block, wanted));
        let first = guess.row.map_or(0, |row| u64::from(row) + 1);
        let above = first.saturating_sub(first_of_all).min(block.len() as u64) as usize;
        above_cells +=
            block.rows().take(above).flat_map(|row| row.cells()).filter(|cell| !cell.trim().is_empty()).count();
        headings.extend(non_blank_cells(&block, above.saturating_sub(1)).map(str::to_owned));
        let has_fields = |row: u32| names_all_fields(&block.row(row as usize));
        let is_export = *is_export.get_or_insert_with(|| guess.row.is_some_and(has_fields));
        flag_exported_rows(opened, is_export, &mut block, above);
        columns.add_block(&block, above);
        watch.add_rows(block.len() as u64);
        spool.push(&block)?;
        if !goes_on {
            break;
        }
    }
    let (head, mut heads) = found.unwrap_or((HeadGuess { row: None, by: HeadEvidence::None }, Vec::new()));
    if let Some(known) = opened.rows.columns() {
        heads = known.to_vec();
    }
    heads.resize(heads.len().max(columns.len()), String::new());
    let mut facts = columns.to_facts();
    facts.resize_with(heads.len(), ColumnFacts::default);
    let first = head.row.map_or(0, |row| u64::from(row) + 1);
    let counts = ReadCounts {
        rows: columns.filled_rows(),
        cells: columns.cell_count(),
        blank_rows: columns.row_count() - columns.filled_rows(),
        above_rows: spool.row_count().min(first),
        above_cells: above_cells as u64,
    };
    let remarks = opened.rows.remarks().to_vec();
    let title = headings.iter().find(|heading| is_opt_out_title(heading)).cloned();
    let title_of_opt_outs = title.or_else(|| find_opt_out_list(opened));
    let heading = headings.join(", ");
    let lines_left = fault.as_ref().and_then(|_| opened.rows.count_rest());
    Ok(ReadTable {
        spool,
        heads,
        head,
        first_value_row: first,
        columns: facts,
        counts,
        remarks,
        heading,
        title_of_opt_outs,
        lines_left,
        fault,
    })
}

/// Returns the cells of the first rows that are not blank.
pub fn non_blank_cells(block: &RowBlock, rows: usize) -> impl Iterator<Item = &str> {
    block.rows().take(rows).flat_map(|row| row.cells()).map(str::trim).filter(|cell| !cell.is_empty())
}

/// Returns the name of the list of a JSON file, or a value beside it, that says that everybody in it opted out. It is
/// known only after the whole file was read.
pub fn find_opt_out_list(opened: &OpenedSheet) -> Option<String> {
    let name = opened.rows.list_name().filter(|name| is_opt_out_list(name));
    let is_beside = |remark: &&Remark| opened.kind == SourceFormat::Json && remark.kind == RemarkKind::Property;
    let beside = opened.rows.remarks().iter().filter(is_beside).map(|remark| remark.example.as_str());
    // Other lists and objects are about other people, and an address may be one for unsubscribing.
    let is_text = |text: &&str| !text.starts_with(['[', '{']) && !text.contains("://");
    let mut titles = beside.filter(|text| is_text(text) && is_opt_out_title(text));
    name.or_else(|| titles.next()).map(str::to_owned)
}

/// Gives rows other numbers. `first` is the number of rows before the block.
fn renumber_rows(block: &mut RowBlock, first: u64, places: &[u64]) {
    let mut numbered = RowBlock::default();
    for (row, at) in block.rows().zip(first..) {
        row.cells().for_each(|cell| numbered.push_cell(cell));
        let place = at.checked_sub(1).and_then(|at| places.get(usize::try_from(at).ok()?));
        numbered.end_row(place.copied().unwrap_or(row.place), row.flags);
    }
    *block = numbered;
}

/// Removes the guards that keep a spreadsheet from running texts as formulas.
fn unguard_cells(block: &mut RowBlock) {
    if !block.rows().flat_map(|row| row.cells()).any(|cell| cell.as_bytes().first() == Some(&b'\'')) {
        return;
    }
    let mut unmarked = RowBlock::default();
    for row in block.rows() {
        for cell in row.cells() {
            // Only a guard at the beginning is removed. Our own workbooks have none.
            let is_marked = !row.flags.has(RowFlag::Exact);
            unmarked.push_cell(if is_marked {
                &cell[cell.len() - unguard_formula(cell.as_bytes()).len()..]
            } else {
                cell
            });
        }
        unmarked.end_row(row.place, row.flags);
    }
    *block = unmarked;
}

/// Flags the rows that our exports wrote. A table is an export if its column names say so (`is_export`), a record if
/// all its values have exactly the names that exports use.
fn flag_exported_rows(opened: &OpenedSheet, is_export: bool, block: &mut RowBlock, above: usize) {
    let Some(columns) = opened.rows.columns() else {
        return block.flag_rows(above, RowFlag::Exact, |_| is_export);
    };
    let fields: Vec<_> = columns.iter().map(|name| ExportColumn::from_export_name(name)).collect();
    block.flag_rows(above, RowFlag::Exact, |row| {
        let filled = row.cells().zip(&fields).filter(|(cell, _)| !cell.is_empty());
        are_exported(filled.map(|(_, field)| *field))
    });
}

/// Returns whether a row has the names of all fields and no others, which is true only of our exports.
fn names_all_fields(row: &BlockRow) -> bool {
    let columns: Option<Vec<ExportColumn>> = row.cells().map(ExportColumn::from_export_name).collect();
    let is_filled_in = |field: &ContactField| {
        matches!(field, ContactField::Attribute(_) | ContactField::PhoneNumber | ContactField::WhatsappId)
    };
    let mut fields = ContactField::BEFORE_CUSTOM.into_iter().filter(is_filled_in);
    columns.is_some_and(|columns| fields.all(|field| columns.contains(&ExportColumn::Field(field))))
}

fn are_exported(columns: impl Iterator<Item = Option<ExportColumn>>) -> bool {
    let mut has_number = false;
    for column in columns {
        let Some(column) = column else { return false };
        has_number |= matches!(column, ExportColumn::Field(ContactField::PhoneNumber | ContactField::WhatsappId));
    }
    has_number
}

/// Finds the row of the first block that names the columns, and returns the names.
pub fn detect_heads(opened: &OpenedSheet, block: &RowBlock, wanted: HeadRow) -> (HeadGuess, Vec<String>) {
    let none = HeadGuess { row: None, by: HeadEvidence::None };
    let guess = match wanted {
        // Records name their values themselves.
        _ if opened.rows.columns().is_some() => none,
        HeadRow::FindOut => head::detect_head(block, &is_known_name),
        HeadRow::At(row) if (row as usize) < block.len() => HeadGuess { row: Some(row), by: HeadEvidence::None },
        HeadRow::At(_) | HeadRow::Nowhere => none,
    };
    let heads = guess.row.map(|row| block.row(row as usize).cells().map(|cell| cell.trim().to_owned()).collect());
    (guess, heads.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use roost_sheets::{ReadOptions, SheetErrorKind, open};

    use super::{super::spool::FrameReader, *};

    fn read_text(text: &str, wanted: HeadRow) -> ReadTable {
        let source = Box::new(Cursor::new(text.as_bytes().to_vec()));
        let mut opened = open(source, &ReadOptions::default()).unwrap();
        read_file(&mut opened, Spool::in_memory(), wanted, &[], &Watch::default()).unwrap()
    }

    #[test]
    fn names_and_columns_of_a_text_are_found() {
        let found = read_text("Our customers\n\nPhone;City\n07700900001;York\n07700900002;\n", HeadRow::FindOut);
        assert_eq!((found.heads.as_slice(), found.first_value_row), (&["Phone".to_owned(), "City".to_owned()][..], 3));
        assert_eq!(found.columns.iter().map(|column| column.filled).collect::<Vec<_>>(), [2, 1]);
        assert_eq!((found.spool.row_count(), found.fault.is_none()), (5, true));
        let counts = ReadCounts { rows: 2, cells: 3, blank_rows: 0, above_rows: 3, above_cells: 3 };
        assert_eq!(found.counts, counts);
    }

    #[test]
    fn a_person_may_say_where_the_names_are() {
        let text = "a,b\nc,d\n1,2\n";
        let found = read_text(text, HeadRow::At(1));
        assert_eq!((found.heads.as_slice(), found.first_value_row), (&["c".to_owned(), "d".to_owned()][..], 2));
        assert_eq!(found.columns[0].samples, ["1"]);
        let found = read_text(text, HeadRow::Nowhere);
        assert_eq!((found.heads.as_slice(), found.first_value_row), (&[String::new(), String::new()][..], 0));
        assert_eq!(found.columns[0].filled, 3);
    }

    #[test]
    fn records_name_their_columns_while_they_are_read() {
        let found = read_text("{\"phone\":\"07700900001\"}\n{\"city\":\"York\"}\n", HeadRow::FindOut);
        assert_eq!((found.heads.as_slice(), found.first_value_row), (&["phone".to_owned(), "city".to_owned()][..], 0));
        assert_eq!(found.spool.row_count(), 2);
    }

    #[test]
    fn marks_against_formulas_are_taken_away_from_texts_alone() {
        let found = read_text("phone,note\n'+447700900001,'=1\n07700900002,o'clock\n", HeadRow::FindOut);
        assert_eq!(found.columns[1].samples, ["=1", "o'clock"]);
        let found = read_text("{\"phone\":\"07700900001\",\"note\":\"'=1\"}\n", HeadRow::FindOut);
        assert_eq!(found.columns[1].samples, ["'=1"]);
    }

    #[test]
    fn rows_of_exports_are_known_by_the_names_of_their_columns() {
        const FIELDS: &str = "list,phone_number,whatsapp_id,alternate_phone,title,firstname,lastname,company_name,\
            email_address,date_of_birth,address_1,address_2,city,state,zip,country,field_1";
        for (text, want) in [
            (format!("{FIELDS}\nMay,07700900001{}\n", ", ".repeat(15)).as_str(), &[true][..]),
            (&format!("{FIELDS},Notes\nMay,07700900001{}\n", ", ".repeat(16)), &[false]),
            ("phone_number,firstname\n07700900001, Ada \n", &[false]),
            ("phone_number,First name\n07700900001, Ada \n", &[false]),
            ("phone_number, firstname\n07700900001, Ada\n", &[false]),
            ("firstname,city\n Ada ,York\n", &[false]),
            (
                "{\"phone_number\":\"07700900001\",\"field_7\":\" x\"}\n{\"whatsapp_id\":\"1\",\"note\":\"x\"}\n",
                &[true, false],
            ),
        ] {
            let found = read_text(text, HeadRow::FindOut);
            let mut reader = FrameReader::default();
            found.spool.read_frame(0, &mut reader).unwrap();
            let rows = reader.block.rows().skip(found.first_value_row as usize);
            assert_eq!(rows.map(|row| row.flags.has(RowFlag::Exact)).collect::<Vec<_>>(), want, "{text}");
        }
    }

    #[test]
    fn rows_before_a_fault_are_kept() {
        let found = read_text("phone,city\n07700900001,York\n07700900002,\"Ba\nth\n", HeadRow::FindOut);
        assert!(matches!(found.fault.as_ref().map(|fault| &fault.kind), Some(SheetErrorKind::CutInQuote)));
        assert_eq!((found.spool.row_count(), found.columns[0].filled), (2, 1));
        assert_eq!(found.lines_left, Some(2));
    }
}
