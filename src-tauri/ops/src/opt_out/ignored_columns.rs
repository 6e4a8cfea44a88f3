//! Finds the columns that an import of opt-outs does not read, and the rows in which one of them seems to say that the
//! person did not opt out.

use roost_spelling::consent::{classify_name, is_name_of_answers, is_opt_out, word_tables};

use super::{import::ImportColumns, pasted::PastedRow};

/// A column that an import does not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IgnoredColumn {
    /// The heading, or `#2` for the second column without one.
    pub name: String,
    /// The first cell that seems to say that the person did not opt out.
    pub contradiction: Option<ContradictingCell>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContradictingCell {
    /// The line of the text on which the row begins, counted from 1.
    pub row: u32,
    pub text: String,
}

/// Finds the columns with a heading or with values that `columns` leaves out.
pub(super) fn find_ignored_columns(
    columns: &ImportColumns,
    head: Option<&[String]>,
    rows: &[PastedRow],
    width: usize,
) -> Vec<IgnoredColumn> {
    let is_read = |column: usize| {
        [Some(columns.number), columns.channel, columns.asset].into_iter().flatten().any(|read| read as usize == column)
    };
    let mut ignored = Vec::new();
    for column in (0..width).filter(|column| !is_read(*column)) {
        let heading = head.and_then(|head| head.get(column)).map_or("", String::as_str);
        if heading.is_empty() && rows.iter().all(|row| cell_text(row, column).is_empty()) {
            continue;
        }
        let contradicts = |row: &&PastedRow| {
            !cell_text(row, columns.number as usize).is_empty() && may_deny_opt_out(heading, cell_text(row, column))
        };
        let contradiction = rows
            .iter()
            .find(contradicts)
            .map(|row| ContradictingCell { row: row.line, text: cell_text(row, column).to_owned() });
        let name = if heading.is_empty() { format!("#{}", column + 1) } else { heading.to_owned() };
        ignored.push(IgnoredColumn { name, contradiction });
    }
    ignored
}

fn cell_text(row: &PastedRow, column: usize) -> &str {
    row.cells.get(column).map_or("", String::as_str)
}

/// Returns whether a cell says, or may say, that its person did not opt out.
fn may_deny_opt_out(heading: &str, cell: &str) -> bool {
    let answer = cell.trim().trim_end_matches('\u{fe0f}').to_lowercase();
    let is_any = |table: &[&str]| table.contains(&answer.as_str());
    let (is_no, is_granted) = (is_any(word_tables::NO), is_any(word_tables::GRANTED));
    match classify_name(heading) {
        Some(name) if name.grants == Some(false) => answer.is_empty() || is_no || is_granted,
        Some(_) => !is_no && !is_opt_out(cell),
        None if is_name_of_answers(heading) => is_no || is_granted || is_any(word_tables::YES),
        // A single character such as “f” or “0” is an answer only in a column about consent.
        None => is_granted || (is_no && answer.chars().count() > 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_contradicts_an_opt_out_by_the_meaning_of_its_column() {
        for (heading, cell) in [
            ("opted out", "no"),
            ("Unsubscribed at", ""),
            ("opt-out", "0"),
            ("Marketing consent", "yes"),
            ("Newsletter", "2026-01-05"),
            ("SMS", "yes"),
            ("SMS", "no"),
            ("Statuss", "Subscribed"),
            ("", "No"),
        ] {
            assert!(may_deny_opt_out(heading, cell), "{heading}: {cell}");
        }
        for (heading, cell) in [
            ("opted out", "yes"),
            ("Unsubscribed at", "2026-01-05"),
            ("Marketing consent", "no"),
            ("email status", "unsubscribed"),
            ("type", "KEYWORD"),
            ("gender", "f"),
            ("clicks", "0"),
            ("name", "Ada"),
            ("note", ""),
        ] {
            assert!(!may_deny_opt_out(heading, cell), "{heading}: {cell}");
        }
    }
}
