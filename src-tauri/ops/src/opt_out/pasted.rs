//! Parses pasted text into rows and cells that are separated by tabs, commas, semicolons or vertical bars and quoted as
//! in spreadsheets.

use serde::Serialize;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum PastedSeparator {
    Tab,
    Semicolon,
    Comma,
    Pipe,
    /// One value in each line.
    None,
}

impl PastedSeparator {
    fn to_char(self) -> Option<char> {
        match self {
            Self::Tab => Some('\t'),
            Self::Semicolon => Some(';'),
            Self::Comma => Some(','),
            Self::Pipe => Some('|'),
            Self::None => None,
        }
    }

    /// Returns the separator that splits most of the first lines into the same number of cells, at least two.
    pub fn detect(text: &str) -> Self {
        let start: String = text.lines().take(50).flat_map(|line| [line, "\n"]).collect();
        let even = |separator: &Self| {
            let rows = parse_rows(&start, *separator);
            let width = rows.first().map_or(0, |row| row.cells.len());
            width > 1 && rows.iter().filter(|row| row.cells.len() == width).count() * 10 >= rows.len() * 8
        };
        [Self::Tab, Self::Semicolon, Self::Comma, Self::Pipe].into_iter().find(even).unwrap_or(Self::None)
    }
}

/// A row, and the line of the text on which it begins, counted from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastedRow {
    pub line: u32,
    pub cells: Vec<String>,
}

/// Splits a text into rows without the empty lines. A quotation mark that is never closed is an ordinary character.
pub fn parse_rows(text: &str, separator: PastedSeparator) -> Vec<PastedRow> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let between = separator.to_char();
    let mut rows = Vec::new();
    let (mut line, mut began) = (1, 1);
    let (mut cells, mut cell) = (Vec::new(), String::new());
    let mut rest = text;
    loop {
        if cell.is_empty()
            && between.is_some()
            && let Some((quoted, after, lines)) = rest.strip_prefix('"').and_then(|rest| parse_quoted(rest, between))
        {
            cell = quoted;
            rest = after;
            line += lines;
        }
        let mut chars = rest.chars();
        match chars.next() {
            Some(c) if Some(c) == between => cells.push(std::mem::take(&mut cell).trim().to_owned()),
            Some(c @ ('\n' | '\r')) => {
                if c == '\r' && chars.as_str().starts_with('\n') {
                    chars.next();
                }
                end_row(&mut rows, began, &mut cells, &mut cell);
                line += 1;
                began = line;
            }
            Some(c) => cell.push(c),
            None => {
                end_row(&mut rows, began, &mut cells, &mut cell);
                return rows;
            }
        }
        rest = chars.as_str();
    }
}

fn end_row(rows: &mut Vec<PastedRow>, line: u32, cells: &mut Vec<String>, cell: &mut String) {
    cells.push(std::mem::take(cell).trim().to_owned());
    let cells = std::mem::take(cells);
    if cells.iter().any(|cell| !cell.is_empty()) {
        rows.push(PastedRow { line, cells });
    }
}

/// Returns the content of a quoted cell, the text after it, and the number of line breaks in it.
fn parse_quoted(text: &str, between: Option<char>) -> Option<(String, &str, u32)> {
    let mut cell = String::new();
    let mut rest = text;
    loop {
        let end = rest.find('"')?;
        cell.push_str(&rest[..end]);
        rest = &rest[end + 1..];
        if let Some(after) = rest.strip_prefix('"') {
            cell.push('"');
            rest = after;
        } else if rest.is_empty() || rest.starts_with(['\n', '\r']) || between.is_some_and(|c| rest.starts_with(c)) {
            let lines = cell.matches('\n').count() as u32;
            return Some((cell, rest, lines));
        } else {
            return None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_detected(text: &str) -> (PastedSeparator, Vec<Vec<String>>) {
        let separator = PastedSeparator::detect(text);
        (separator, parse_rows(text, separator).into_iter().map(|row| row.cells).collect())
    }

    #[test]
    fn separators_are_found_and_quotes_understood() {
        assert_eq!(
            parse_detected("07700900001\r\n07700 900002\n\n"),
            (PastedSeparator::None, vec![vec!["07700900001".into()], vec!["07700 900002".into()]])
        );
        assert_eq!(parse_detected("a\tb\n1\t2\n").0, PastedSeparator::Tab);
        assert_eq!(parse_detected("a;b\n1,5;2\n").0, PastedSeparator::Semicolon);
        let (separator, rows) =
            parse_detected("\u{feff}number,note\n\"+44 7700 900001\",\"said \"\"no\"\", twice\nand left\"\n");
        assert_eq!(separator, PastedSeparator::Comma);
        assert_eq!(rows[1], ["+44 7700 900001", "said \"no\", twice\nand left"]);
    }

    #[test]
    fn an_open_quote_swallows_nothing() {
        let rows = parse_rows("\"a,b\nc,d", PastedSeparator::Comma);
        assert_eq!(rows.iter().map(|row| (row.line, row.cells.len())).collect::<Vec<_>>(), [(1, 2), (2, 2)]);
    }

    #[test]
    fn rows_know_their_line() {
        let rows = parse_rows("a,\"b\nc\"\n\nd,e", PastedSeparator::Comma);
        assert_eq!(rows.iter().map(|row| row.line).collect::<Vec<_>>(), [1, 4]);
    }
}
