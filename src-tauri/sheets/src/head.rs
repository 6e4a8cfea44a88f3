//! Finds the row that names the columns, and the evidence for it.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::block::{BlockRow, RowBlock};

/// Rows among which the head is searched. Titles and notes may be above it.
const SEARCHED_ROWS: usize = 20;
/// Rows below the head that are compared with it.
const COMPARED_ROWS: usize = 100;
/// Most characters of a column's name.
const NAME_MAX: usize = 80;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ImportHeadEvidence"))]
pub enum HeadEvidence {
    /// This many of its cells are known names.
    Known(u32),
    /// This many columns have words in this row and numbers or addresses below it.
    Unlike(u32),
    /// Its cells are distinct words that do not occur again below.
    Distinct,
    /// There is no evidence for a head.
    None,
}

/// The row of the block that names the columns, counted from 0. `None` when the first row is like the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ImportHeadGuess"))]
pub struct HeadGuess {
    pub row: Option<u32>,
    pub by: HeadEvidence,
}

/// Searches the first rows of a file. `knows` returns whether a text is a known name of a column.
pub fn detect_head(block: &RowBlock, knows: &dyn Fn(&str) -> bool) -> HeadGuess {
    let width = usual_width(block);
    let rows = || block.rows().take(SEARCHED_ROWS).enumerate();
    // A title above the table has fewer cells than the table.
    let is_wide = |row: &BlockRow| count_filled(row) * 2 > width && count_filled(row) > 0;
    let candidates = || rows().filter(|(_, row)| is_wide(row));
    // Known names identify the row after any preamble. A single one may be a word of a sentence.
    let known = candidates().map(|(at, row)| (count_known(&row, knows), at));
    let known = known.max_by_key(|(count, at)| (*count, std::cmp::Reverse(*at)));
    if let Some((count @ 1.., at)) = known
        && (count > 1 || count_unlike(block, at, &block.row(at)) > 0)
    {
        return HeadGuess { row: Some(at as u32), by: HeadEvidence::Known(count) };
    }
    // An empty row or a title may separate the preamble from the table.
    let values = candidates().find(|(_, row)| row.cells().any(is_value)).map(|(at, _)| at);
    let parting = rows().take(values.unwrap_or(0)).filter(|(_, row)| !is_wide(row)).map(|(at, _)| at).next_back();
    let behind = candidates().find(|(at, _)| parting.is_some_and(|parting| *at > parting) && Some(*at) < values);
    let Some((at, row)) = behind.or_else(|| candidates().next()) else {
        return HeadGuess { row: None, by: HeadEvidence::None };
    };
    let by = find_evidence(block, at, &row, knows);
    HeadGuess { row: Some(at as u32).filter(|_| by != HeadEvidence::None), by }
}

fn filled_cells<'r>(row: &BlockRow<'r>) -> impl Iterator<Item = &'r str> + use<'r> {
    row.cells().map(str::trim).filter(|cell| !cell.is_empty())
}

/// Counts the known names in a row that may be a head. Returns 0 if a cell is certainly a value.
fn count_known(row: &BlockRow, knows: &dyn Fn(&str) -> bool) -> u32 {
    if filled_cells(row).any(|cell| is_plain_value(cell) || cell.chars().count() > NAME_MAX) {
        return 0;
    }
    filled_cells(row).filter(|cell| knows(cell)).count() as u32
}

fn find_evidence(block: &RowBlock, at: usize, row: &BlockRow, knows: &dyn Fn(&str) -> bool) -> HeadEvidence {
    let cells = || filled_cells(row);
    let known = count_known(row, knows);
    if known > 0 {
        return HeadEvidence::Known(known);
    }
    if cells().any(|cell| is_value(cell) || cell.chars().count() > NAME_MAX) {
        return HeadEvidence::None;
    }
    let unlike = count_unlike(block, at, row);
    if unlike > 0 {
        return HeadEvidence::Unlike(unlike);
    }
    let below = || block.rows().skip(at + 1).take(COMPARED_ROWS);
    let mut names = HashSet::new();
    let are_distinct = cells().all(|cell| names.insert(cell));
    let comes_again = below().any(|other| row.cells().zip(other.cells()).any(|(a, b)| !a.is_empty() && a == b));
    if are_distinct && names.len() > 1 && !comes_again && below().count() > 1 {
        HeadEvidence::Distinct
    } else {
        HeadEvidence::None
    }
}

/// Counts the columns of the row that hold values below it.
fn count_unlike(block: &RowBlock, at: usize, row: &BlockRow) -> u32 {
    let below = || block.rows().skip(at + 1).take(COMPARED_ROWS);
    let unlike = (0..row.len()).filter(|column| {
        let values = below().filter_map(|row| row.get(*column)).map(str::trim).filter(|cell| !cell.is_empty());
        let (mut count, mut like_values) = (0, 0);
        for value in values {
            count += 1;
            like_values += usize::from(is_value(value));
        }
        count > 0 && like_values * 10 >= count * 8
    });
    unlike.count() as u32
}

fn count_filled(row: &BlockRow) -> usize {
    row.cells().filter(|cell| !cell.trim().is_empty()).count()
}

/// Returns the number of filled cells that most rows have.
fn usual_width(block: &RowBlock) -> usize {
    let mut widths: Vec<usize> =
        block.rows().take(SEARCHED_ROWS + COMPARED_ROWS).map(|row| count_filled(&row)).filter(|n| *n > 0).collect();
    widths.sort_unstable();
    widths.get(widths.len() / 2).copied().unwrap_or(0)
}

/// Returns whether a cell is a long number or an address of mail or the web, which is never a column's name.
fn is_plain_value(cell: &str) -> bool {
    let digits = cell.bytes().filter(u8::is_ascii_digit).count();
    cell.contains('@') || cell.contains("://") || (digits > 4 && is_value(cell))
}

/// Returns whether a cell is a number, a date, or an address of mail or the web, which is hardly ever a column's name.
fn is_value(cell: &str) -> bool {
    let digits = cell.bytes().filter(u8::is_ascii_digit).count();
    let letters = cell.chars().filter(|c| c.is_alphabetic()).count();
    cell.contains('@') || cell.contains("://") || (digits > 0 && digits > letters)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::RowFlags;

    fn found(rows: &[&[&str]]) -> (Option<u32>, HeadEvidence) {
        let mut block = RowBlock::default();
        for (at, row) in rows.iter().enumerate() {
            row.iter().for_each(|cell| block.push_cell(cell));
            block.end_row(at as u64 + 1, RowFlags::default());
        }
        let guess = detect_head(&block, &|name| name == "Phone");
        (guess.row, guess.by)
    }

    #[test]
    fn a_row_of_names_is_found_and_the_reason_is_given() {
        assert_eq!(found(&[&["Phone", "x"], &["a", "b"]]), (Some(0), HeadEvidence::Known(1)));
        assert_eq!(found(&[&["nr", "who"], &["0770", "Ada"], &["0771", "Bo"]]), (Some(0), HeadEvidence::Unlike(1)));
        assert_eq!(found(&[&["nr", "who"], &["a", "Ada"], &["b", "Bo"]]), (Some(0), HeadEvidence::Distinct));
    }

    #[test]
    fn titles_and_blank_rows_above_it_are_passed() {
        let rows: &[&[&str]] =
            &[&["Customers of May"], &[], &["", "", ""], &["Phone", "City", "Note"], &["0770", "York", "x"]];
        assert_eq!(found(rows), (Some(3), HeadEvidence::Known(1)));
    }

    #[test]
    fn a_row_of_names_is_found_behind_a_preamble_of_some_lines() {
        let table: &[&[&str]] = &[&["Phone", "City"], &["07700900001", "York"], &["07700900002", "Bath"]];
        let preambles: &[&[&[&str]]] = &[
            &[&["Customers of the north", " all of them"]],
            &[&["Report", "Customers"], &["Date", "2026-01-05"], &[]],
            &[&["Exported by Ada"], &["all", "of them"], &[""]],
        ];
        for preamble in preambles {
            let rows = [preamble, table].concat();
            let mut block = RowBlock::default();
            for (at, row) in rows.iter().enumerate() {
                row.iter().for_each(|cell| block.push_cell(cell));
                block.end_row(at as u64 + 1, RowFlags::default());
            }
            let found = detect_head(&block, &|name| ["Phone", "City"].contains(&name));
            assert_eq!((found.row, found.by), (Some(preamble.len() as u32), HeadEvidence::Known(2)), "{preamble:?}");
        }
        // Without a known name, an empty row marks the end of the preamble.
        let rows: &[&[&str]] = &[&["Customers", "all"], &[], &["nr", "who"], &["0770", "Ada"], &["0771", "Bo"]];
        assert_eq!(found(rows), (Some(2), HeadEvidence::Unlike(1)));
    }

    #[test]
    fn names_with_digits_beside_a_known_one_are_names() {
        assert_eq!(found(&[&["Phone", "C10", "2024"], &["07700900001", "a", "b"]]), (Some(0), HeadEvidence::Known(1)));
        assert_eq!(found(&[&["Phone", "07700900001"], &["x", "07700900002"]]).0, None);
    }

    #[test]
    fn a_file_without_one_has_none() {
        assert_eq!(found(&[&["07700900001"], &["07700900002"]]).0, None);
        assert_eq!(found(&[&["Ada", "York"], &["Bo", "York"], &["Cy", "York"]]).0, None);
        assert_eq!(found(&[&["ada@example.com", "Ada"]]).0, None);
        assert_eq!(found(&[]).0, None);
        assert_eq!(found(&[&[], &[""]]).0, None);
    }
}
