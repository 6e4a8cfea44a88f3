//! Which row names the columns, and why that is believed.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::block::{Block, Row};

/// Rows among which it is looked for; above it stand titles and notes.
const AMONG: usize = 20;
/// Rows below it that it is compared with.
const BELOW: usize = 100;
/// Letters that a name of a column has at most.
const NAME_MAX: usize = 80;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "ImportHeadEvidence"))]
pub enum HeadEvidence {
    /// So many of its cells are names that are known.
    Known(u32),
    /// So many columns hold numbers or addresses below it, and words in it.
    Unlike(u32),
    /// Its cells are words that differ and that do not come again below.
    Distinct,
    /// Nothing speaks for one.
    None,
}

/// The row of the block, from 0; none when the first row is one like the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "ImportHeadGuess"))]
pub struct HeadGuess {
    pub row: Option<u32>,
    pub by: HeadEvidence,
}

/// Looks at the first rows of a file. `knows` tells names of columns that mean something.
pub fn detect(block: &Block, knows: &dyn Fn(&str) -> bool) -> HeadGuess {
    let width = usual_width(block);
    let candidates = block.rows().take(AMONG).enumerate();
    // A title above the table has fewer cells than the table.
    let mut candidates = candidates.filter(|(_, row)| filled(row) * 2 > width && filled(row) > 0);
    let Some((at, row)) = candidates.next() else { return HeadGuess { row: None, by: HeadEvidence::None } };
    let by = judge(block, at, &row, knows);
    HeadGuess { row: Some(at as u32).filter(|_| by != HeadEvidence::None), by }
}

fn judge(block: &Block, at: usize, row: &Row, knows: &dyn Fn(&str) -> bool) -> HeadEvidence {
    let cells = || row.cells().map(str::trim).filter(|cell| !cell.is_empty());
    if cells().any(|cell| is_value(cell) || cell.chars().count() > NAME_MAX) {
        return HeadEvidence::None;
    }
    let known = cells().filter(|cell| knows(cell)).count();
    if known > 0 {
        return HeadEvidence::Known(known as u32);
    }
    let below = || block.rows().skip(at + 1).take(BELOW);
    let unlike = (0..row.len()).filter(|column| {
        let values = below().filter_map(|row| row.get(*column)).map(str::trim).filter(|cell| !cell.is_empty());
        let (mut count, mut like_values) = (0, 0);
        for value in values {
            count += 1;
            like_values += usize::from(is_value(value));
        }
        count > 0 && like_values * 10 >= count * 8
    });
    let unlike = unlike.count();
    if unlike > 0 {
        return HeadEvidence::Unlike(unlike as u32);
    }
    let mut names = HashSet::new();
    let are_distinct = cells().all(|cell| names.insert(cell));
    let comes_again = below().any(|other| row.cells().zip(other.cells()).any(|(a, b)| !a.is_empty() && a == b));
    if are_distinct && names.len() > 1 && !comes_again && below().count() > 1 {
        HeadEvidence::Distinct
    } else {
        HeadEvidence::None
    }
}

fn filled(row: &Row) -> usize {
    row.cells().filter(|cell| !cell.trim().is_empty()).count()
}

/// How many filled cells most rows have.
fn usual_width(block: &Block) -> usize {
    let mut widths: Vec<usize> = block.rows().take(AMONG + BELOW).map(|row| filled(&row)).filter(|n| *n > 0).collect();
    widths.sort_unstable();
    widths.get(widths.len() / 2).copied().unwrap_or(0)
}

/// A number, a date, an address of mail or of the web: nothing that a column is called.
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
        let mut block = Block::default();
        for (at, row) in rows.iter().enumerate() {
            row.iter().for_each(|cell| block.cell(cell));
            block.end_row(at as u64 + 1, RowFlags::default());
        }
        let guess = detect(&block, &|name| name == "Phone");
        (guess.row, guess.by)
    }

    #[test]
    fn a_row_of_names_is_found_and_why_is_told() {
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
    fn a_file_without_one_has_none() {
        assert_eq!(found(&[&["07700900001"], &["07700900002"]]).0, None);
        assert_eq!(found(&[&["Ada", "York"], &["Bo", "York"], &["Cy", "York"]]).0, None);
        assert_eq!(found(&[&["ada@example.com", "Ada"]]).0, None);
        assert_eq!(found(&[]).0, None);
        assert_eq!(found(&[&[], &[""]]).0, None);
    }
}
