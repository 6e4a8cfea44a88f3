//! Reads the value of a field from a row: a cell, or a text that is put together from pieces.

use std::borrow::Cow;

use roost_sheets::{BlockRow, RowFlag};

use roost_spelling::person_name::{find_title, split_last_first, split_title};

use super::{CellPart, PieceChoice, TITLE_PART, ValuePiece};

/// The source of the values of one field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ValueSource {
    /// A whole cell, which can be read without a copy.
    Cell(usize),
    Combined {
        pieces: Vec<ValuePiece<u32>>,
        between: String,
        /// If the pieces are parts of whole names, any of which may have the last name first: the columns whose titles
        /// fill a field of their own.
        titled: Option<Vec<u32>>,
    },
    /// Several pieces, one of which is taken.
    Choice(Vec<ValuePiece<u32>>),
}

impl ValueSource {
    pub fn from_pieces(pieces: &[ValuePiece<u32>], pick: PieceChoice, between: &str) -> Self {
        match (pieces, pick) {
            ([ValuePiece::Column { column, part: None }], _) => Self::Cell(*column as usize),
            (pieces, PieceChoice::All) => {
                Self::Combined { pieces: pieces.to_vec(), between: between.to_owned(), titled: None }
            }
            (pieces, PieceChoice::First | PieceChoice::Other) => Self::Choice(pieces.to_vec()),
        }
    }

    /// Marks the pieces as parts of whole names. The titles of the columns `of_titles` fill a field of their own.
    pub fn with_names(mut self, of_titles: &[u32]) -> Self {
        if let Self::Combined { titled, .. } = &mut self {
            *titled = Some(of_titles.to_vec());
        }
        self
    }

    /// Offers the values that are not blank to `visit`, the best first, until it returns something.
    pub fn find_value<'r, T>(
        &self,
        row: &BlockRow<'r>,
        mut visit: impl FnMut(&ValuePiece<u32>, Cow<'r, str>) -> Option<T>,
    ) -> Option<T> {
        match self {
            Self::Cell(column) => {
                let piece = ValuePiece::Column { column: *column as u32, part: None };
                visit(&piece, Cow::Borrowed(filled_cell(row, *column)?))
            }
            Self::Combined { pieces, .. } => visit(pieces.first()?, self.read_value(row)?),
            Self::Choice(pieces) => pieces
                .iter()
                .find_map(|piece| visit(piece, piece.read_value(row, None).filter(|text| !text.is_empty())?)),
        }
    }

    /// Does the same as [`Self::find`] in the order of `rank`, and skips the pieces without a rank.
    pub fn find_ranked_value<'r, T, R: Ord>(
        &self,
        row: &BlockRow<'r>,
        rank: impl Fn(&ValuePiece<u32>) -> Option<R>,
        mut visit: impl FnMut(&ValuePiece<u32>, Cow<'r, str>) -> Option<T>,
    ) -> Option<T> {
        match self {
            Self::Choice(pieces) => {
                let mut ranked: Vec<(R, &ValuePiece<u32>)> =
                    pieces.iter().filter_map(|piece| Some((rank(piece)?, piece))).collect();
                ranked.sort_by(|a, b| a.0.cmp(&b.0));
                let filled = |piece: &ValuePiece<u32>| piece.read_value(row, None).filter(|text| !text.is_empty());
                ranked.into_iter().find_map(|(_, piece)| visit(piece, filled(piece)?))
            }
            other => other.find_value(row, |piece, text| rank(piece).and_then(|_| visit(piece, text))),
        }
    }

    pub fn has_column(&self, column: u32) -> bool {
        match self {
            Self::Cell(own) => *own == column as usize,
            Self::Combined { pieces, .. } | Self::Choice(pieces) => {
                pieces.iter().any(|piece| piece.column() == Some(&column))
            }
        }
    }

    pub fn is_choice(&self) -> bool {
        matches!(self, Self::Choice(_))
    }

    /// Returns the value of the field; `None` if it is blank.
    pub fn read_value<'r>(&self, row: &BlockRow<'r>) -> Option<Cow<'r, str>> {
        match self {
            Self::Cell(column) => filled_cell(row, *column).map(Cow::Borrowed),
            Self::Combined { pieces, between, titled } => {
                let mut made = String::new();
                let texts = pieces.iter().filter_map(|piece| piece.read_value(row, titled.as_deref()));
                for text in texts.filter(|text| !text.is_empty()) {
                    if !made.is_empty() {
                        made.push_str(between);
                    }
                    made.push_str(&text);
                }
                (!made.trim().is_empty()).then_some(Cow::Owned(made))
            }
            Self::Choice(_) => self.find_value(row, |_, text| Some(text)),
        }
    }
}

impl ValuePiece<u32> {
    fn read_value<'r>(&self, row: &BlockRow<'r>, titled: Option<&[u32]>) -> Option<Cow<'r, str>> {
        match self {
            Self::Constant { text } => Some(Cow::Owned(text.clone())),
            Self::Column { column, part } => {
                let whole = filled_cell(row, *column as usize)?;
                Some(match (part, titled) {
                    (None, _) => Cow::Borrowed(whole),
                    (Some(part), Some(titled)) => read_name_part(whole, part, titled.contains(column)),
                    (Some(part), None) => part.extract_from(whole),
                })
            }
        }
    }
}

/// Returns a part of a whole name, also if its order differs from that of the separator: `Lee, Ann` among names such as
/// `Ann Lee`, or the reverse.
fn read_name_part<'t>(name: &'t str, part: &CellPart, is_titled: bool) -> Cow<'t, str> {
    if part.number == TITLE_PART {
        return part.extract_from(name);
    }
    let (title, name) = if is_titled { split_title(name) } else { ("", name) };
    let is_first = match (part.separator.as_str(), part.number) {
        (" ", number @ (1 | 2)) => number == 1,
        (",", number @ (1 | 2)) => number == 2,
        _ => return part.extract_from(name),
    };
    let (first, last) = if part.separator == "," {
        match name.split_once(char::is_whitespace) {
            Some(names) if !name.contains(',') => names,
            _ if is_first && is_titled => return without_title(part.extract_from(name)),
            _ => return part.extract_from(name),
        }
    } else if let Some((last, first)) = split_last_first(name, false) {
        (if is_titled { split_title(first).1 } else { first }, last)
    } else if !title.is_empty() && !name.contains(char::is_whitespace) {
        // A title is followed by the last name: `Ms Jones`.
        ("", name)
    } else {
        return part.extract_from(name);
    };
    Cow::Borrowed(if is_first { first } else { last }.trim())
}

fn without_title(name: Cow<'_, str>) -> Cow<'_, str> {
    match name {
        Cow::Borrowed(name) => Cow::Borrowed(split_title(name).1),
        Cow::Owned(name) => Cow::Owned(split_title(&name).1.to_owned()),
    }
}

/// Returns whether a text is a marker of pandas or of a database for a missing value.
pub fn is_missing_marker(text: &str) -> bool {
    matches!(text.as_bytes().first(), Some(b'n' | b'N' | b'<' | b'\\'))
        && matches!(text, "nan" | "NaN" | "NaT" | "<NA>" | "NULL" | "null" | "\\N")
}

/// Returns a cell that is not blank. Surrounding white space is removed unless this program exported the row.
fn filled_cell<'r>(row: &BlockRow<'r>, column: usize) -> Option<&'r str> {
    let (whole, text) = row.get(column).map(|cell| (cell, cell.trim())).filter(|(_, text)| !text.is_empty())?;
    Some(if row.flags.has(RowFlag::Exact) { whole } else { text })
}

impl CellPart {
    fn extract_from<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.number == TITLE_PART {
            return Cow::Borrowed(find_title(text));
        }
        let parts: Vec<&str> = if self.separator == " " {
            // Several spaces between words count as one.
            text.split_whitespace().collect()
        } else {
            text.split(self.separator.as_str()).map(str::trim).collect()
        };
        let wanted = usize::try_from(self.number.unsigned_abs()).unwrap_or(usize::MAX);
        let at = if self.number > 0 { wanted.checked_sub(1) } else { parts.len().checked_sub(wanted) };
        match at.and_then(|at| parts.get(at..)) {
            Some([first, ..]) if !self.and_rest => Cow::Borrowed(first),
            Some(rest) => Cow::Owned(rest.join(&self.separator)),
            None => Cow::Borrowed(""),
        }
    }
}

#[cfg(test)]
mod tests {
    use roost_sheets::{RowBlock, RowFlags};

    use super::*;

    fn read_pieces(cells: &[&str], pieces: Vec<ValuePiece<u32>>, between: &str) -> Option<String> {
        let mut block = RowBlock::default();
        cells.iter().for_each(|cell| block.push_cell(cell));
        block.end_row(1, RowFlags::default());
        ValueSource::from_pieces(&pieces, PieceChoice::All, between).read_value(&block.row(0)).map(Cow::into_owned)
    }

    fn whole_column(column: u32) -> ValuePiece<u32> {
        ValuePiece::Column { column, part: None }
    }

    fn column_part(separator: &str, number: i32, and_rest: bool) -> ValuePiece<u32> {
        ValuePiece::Column { column: 0, part: Some(CellPart { separator: separator.to_owned(), number, and_rest }) }
    }

    #[test]
    fn a_cell_is_taken_without_blanks() {
        assert_eq!(read_pieces(&[" York "], vec![whole_column(0)], "").as_deref(), Some("York"));
        assert_eq!(read_pieces(&["'s Gravenhage"], vec![whole_column(0)], "").as_deref(), Some("'s Gravenhage"));
        assert_eq!(read_pieces(&["  "], vec![whole_column(0)], ""), None);
        assert_eq!(read_pieces(&["x"], vec![whole_column(1)], ""), None);
    }

    #[test]
    fn columns_are_put_together_where_they_hold_something() {
        let pieces = || vec![whole_column(0), whole_column(1), ValuePiece::Constant { text: "UK".to_owned() }];
        assert_eq!(read_pieces(&["1 Long Street", "York"], pieces(), ", ").as_deref(), Some("1 Long Street, York, UK"));
        assert_eq!(read_pieces(&["", "York"], pieces(), ", ").as_deref(), Some("York, UK"));
        assert_eq!(read_pieces(&["", ""], vec![whole_column(0), whole_column(1)], ", "), None);
    }

    #[test]
    fn a_cell_is_cut_from_either_end() {
        let name = &["Ada King Lovelace"];
        assert_eq!(read_pieces(name, vec![column_part(" ", 1, false)], "").as_deref(), Some("Ada"));
        assert_eq!(read_pieces(name, vec![column_part(" ", 2, true)], "").as_deref(), Some("King Lovelace"));
        assert_eq!(read_pieces(name, vec![column_part(" ", -1, false)], "").as_deref(), Some("Lovelace"));
        assert_eq!(read_pieces(name, vec![column_part(" ", 4, false)], ""), None);
        assert_eq!(read_pieces(name, vec![column_part(" ", -4, false)], ""), None);
        assert_eq!(read_pieces(&["a, b,c"], vec![column_part(",", 2, true)], "").as_deref(), Some("b,c"));
    }
}
