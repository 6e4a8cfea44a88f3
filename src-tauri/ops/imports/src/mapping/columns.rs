//! Gathers facts about the columns of a file: samples, the most frequent values, and what the values look like.

use std::collections::HashMap;

use roost_sheets::{RowBlock, RowFlag};
use serde::{Deserialize, Serialize};

use roost_spelling::{
    number::{international_region, is_shortened, plain_number, replace_international_prefix},
    person_name::find_title,
};

use super::{
    consent::OptOutFacts,
    dates::{WrittenDate, parse_file_date},
};

/// The most sample values of a column.
pub const SAMPLES_MAX: usize = 8;
/// Distinct values of a column that are counted. A column with more gets no histogram.
const COUNTED_MAX: usize = 256;
/// The most values of a histogram.
pub const HISTOGRAM_MAX: usize = 12;
/// Numbers without a country code that are remembered for a column.
pub const NATIONALS_MAX: usize = 100;
/// Characters of a value that are shown.
const SHOWN_CHARS: usize = 80;
/// The fewest digits of a text that looks like a number.
const NUMBER_DIGITS_MIN: usize = 7;
/// Rows whose values are all examined. In later rows, a value is examined only if it is new and its column has few.
const EXAMINED_ROWS: u64 = 50_000;

/// A value, and the number of examined rows that have it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ImportValueCount"))]
pub struct ValueCount {
    pub text: String,
    pub count: u32,
}

impl ValueCount {
    /// Formats the value with its count: `“yes” (3 rows)`.
    pub fn describe_rows(&self) -> String {
        match self.count {
            0 => format!("“{}”", self.text),
            1 => format!("“{}” (1 row)", self.text),
            count => format!("“{}” ({count} rows)", self.text),
        }
    }
}

/// The facts that are known about one column of a file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ImportColumnFacts"))]
pub struct ColumnFacts {
    /// Rows that have a value in this column.
    pub filled: u64,
    /// Rows that have no value in this column, but one in another.
    #[serde(default)]
    pub blank: u64,
    /// The first distinct values. None of them is blank.
    pub samples: Vec<String>,
    /// The most frequent values; empty if nearly all values differ.
    pub histogram: Vec<ValueCount>,
    /// All values, the most frequent first; empty if there are too many to count.
    #[serde(default)]
    pub values: Vec<ValueCount>,
    pub looks: ContentCounts,
    /// The regions of the examined numbers that have a country code, the most frequent first.
    #[serde(default)]
    pub regions: Vec<ValueCount>,
    /// The first numbers without a country code.
    #[serde(default)]
    pub nationals: Vec<String>,
    /// The signs in all rows that somebody opted out.
    #[serde(default)]
    pub opt_outs: OptOutFacts,
    /// Whether an examined value begins with the title of a person.
    #[serde(default)]
    #[cfg_attr(feature = "ts", ts(skip))]
    pub has_titles: bool,
}

impl ColumnFacts {
    /// Returns the known values, and whether the column has no others.
    pub fn known_values(&self) -> (Vec<&str>, bool) {
        match self.values.as_slice() {
            [] => (self.samples.iter().map(String::as_str).collect(), self.samples.len() < SAMPLES_MAX),
            values => (values.iter().map(|counted| counted.text.as_str()).collect(), true),
        }
    }
}

/// How many of the examined values look like a number, an email address, a date and so on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ImportLooks"))]
pub struct ContentCounts {
    pub values: u32,
    pub numbers: u32,
    pub emails: u32,
    pub dates: u32,
    /// Numbers that a spreadsheet shortened: `4.47E+11`.
    pub shortened: u32,
    /// Dates in which only the day can come first.
    #[serde(default)]
    pub day_first: u32,
    /// Dates in which only the month can come first.
    #[serde(default)]
    pub month_first: u32,
    /// Dates that have two meanings.
    #[serde(default)]
    pub ambiguous_dates: u32,
}

impl ContentCounts {
    /// Counts a value. With `is_exact`, dates are taken as they are, so that the order of day and month does not
    /// matter.
    fn add_value(&mut self, text: &str, is_exact: bool) -> ContentKind {
        self.values += 1;
        let look = guess_content(text);
        match look {
            ContentKind::Number => self.numbers += 1,
            ContentKind::Email => self.emails += 1,
            ContentKind::Date => self.dates += 1,
            ContentKind::Shortened => self.shortened += 1,
            ContentKind::Other => {}
        }
        match (!is_exact).then(|| parse_file_date(text, None)).flatten() {
            Some(WrittenDate::DayFirst(_)) => self.day_first += 1,
            Some(WrittenDate::MonthFirst(_)) => self.month_first += 1,
            Some(WrittenDate::Ambiguous { .. }) => self.ambiguous_dates += 1,
            Some(WrittenDate::Certain(_)) | None => {}
        }
        look
    }

    /// Returns whether at least four of five values are among those counted.
    pub fn are_mostly(&self, count: u32) -> bool {
        self.values > 0 && u64::from(count) * 5 >= u64::from(self.values) * 4
    }
}

/// The kind of content that a value looks like, whatever its column is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContentKind {
    Number,
    Email,
    Date,
    Shortened,
    Other,
}

/// Guesses what a value is. Nothing is accepted or refused by it.
pub fn guess_content(text: &str) -> ContentKind {
    let text = text.trim();
    // A remaining quote belongs to another format, such as JSON.
    if text.starts_with('"') || text.is_ascii() && !text.bytes().any(|byte| byte.is_ascii_digit() || byte == b'@') {
        return ContentKind::Other;
    }
    if is_address(text) {
        return ContentKind::Email;
    }
    if has_too_few_digits(text) {
        return ContentKind::Other;
    }
    guess_plain_content(text)
}

/// Guesses what a value is once it is written as a person would type a number.
fn guess_plain_content(text: &str) -> ContentKind {
    let text = &*plain_number(text);
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    if is_shortened(text) {
        return ContentKind::Shortened;
    }
    if let Some((name, domain)) = text.split_once('@') {
        let is_email = !name.is_empty() && domain.contains('.') && !text.contains(char::is_whitespace);
        return if is_email { ContentKind::Email } else { ContentKind::Other };
    }
    if is_date(text) {
        return ContentKind::Date;
    }
    let is_number = (NUMBER_DIGITS_MIN..=15).contains(&digits)
        && text
            .chars()
            .all(|c| c.is_ascii_digit() || matches!(c, '+' | ' ' | '(' | ')' | '-' | '.' | '/' | '\u{a0}' | '\''));
    if is_number { ContentKind::Number } else { ContentKind::Other }
}

/// Returns whether a text is nothing but an email address, as most texts with an `@` are.
fn is_address(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
    let is_letter = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphabetic);
    text.split_once('@').is_some_and(|(name, domain)| {
        is_letter(name.as_bytes().first())
            && is_letter(domain.as_bytes().last())
            && name.bytes().chain(domain.bytes()).all(is_part)
            && domain.contains('.')
            // These are the numbers of WhatsApp.
            && !matches!(domain, "c.us" | "s.whatsapp.net")
    })
}

/// Returns whether a text has too few digits for a number, and not the signs of a date or of a shortened number:
/// `12 High Street`.
fn has_too_few_digits(text: &str) -> bool {
    let bytes = text.as_bytes();
    text.is_ascii()
        && !bytes.iter().any(|byte| matches!(byte, b'@' | b'-' | b'.' | b'/'))
        && !bytes.windows(2).any(|pair| matches!(pair, [b'0'..=b'9' | b',', b'e' | b'E']))
        && bytes.iter().filter(|byte| byte.is_ascii_digit()).count() < NUMBER_DIGITS_MIN
}

/// Returns whether a number has neither a country code nor an international prefix.
fn is_national(text: &str) -> bool {
    let text = plain_number(text);
    !text.trim().starts_with('+') && replace_international_prefix(&text).is_none()
}

/// Returns whether a text is three numbers with the same separator between them, of which at most one has four digits.
fn is_date(text: &str) -> bool {
    let Some(between) = text.chars().find(|c| !c.is_ascii_digit()).filter(|c| matches!(c, '-' | '.' | '/')) else {
        return false;
    };
    let parts: Vec<&str> = text.split(between).collect();
    let is_part = |part: &&str| matches!(part.len(), 1 | 2 | 4) && part.bytes().all(|byte| byte.is_ascii_digit());
    let years = parts.iter().filter(|part| part.len() == 4).count();
    parts.len() == 3 && parts.iter().all(is_part) && years <= 1 && parts[1].len() <= 2
}

/// Gathers facts about the columns of a file while it is read.
#[derive(Default, Clone)]
pub struct ColumnScanner {
    rows: u64,
    filled_rows: u64,
    columns: Vec<ColumnCounter>,
}

#[derive(Default, Clone)]
struct ColumnCounter {
    filled: u64,
    samples: Vec<String>,
    counts: HashMap<String, u32>,
    has_too_many: bool,
    looks: ContentCounts,
    regions: HashMap<String, u32>,
    nationals: Vec<String>,
    opt_outs: OptOutFacts,
    has_titles: bool,
}

impl ColumnScanner {
    /// Adds the rows of a block, from the row `from` on. They hold values, not headings.
    pub fn add_block(&mut self, block: &RowBlock, from: usize) {
        for row in (from..block.len()).map(|at| block.row(at)) {
            if self.columns.len() < row.len() {
                self.columns.resize_with(row.len(), ColumnCounter::default);
            }
            let is_looked_at = self.rows < EXAMINED_ROWS;
            self.rows += 1;
            let mut is_filled = false;
            for (column, cell) in self.columns.iter_mut().zip(row.cells()) {
                if cell.is_empty() || cell.trim().is_empty() {
                    continue;
                }
                is_filled = true;
                column.filled += 1;
                column.opt_outs.add_cell(cell);
                if is_looked_at || !column.count_if_known(cell) {
                    column.examine_cell(cell, row.flags.has(RowFlag::Exact));
                }
            }
            self.filled_rows += u64::from(is_filled);
        }
    }

    pub fn row_count(&self) -> u64 {
        self.rows
    }

    /// Returns the number of rows that are not blank.
    pub fn filled_rows(&self) -> u64 {
        self.filled_rows
    }

    /// Returns the number of cells that are not blank.
    pub fn cell_count(&self) -> u64 {
        self.columns.iter().map(|column| column.filled).sum()
    }

    pub fn len(&self) -> usize {
        self.columns.len()
    }

    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    pub fn to_facts(&self) -> Vec<ColumnFacts> {
        self.columns.iter().map(|column| column.to_facts(self.filled_rows)).collect()
    }
}

impl ColumnCounter {
    /// Counts a value that is counted already. Returns whether the value needs no further examination, because it was
    /// counted or because the column has too many values.
    fn count_if_known(&mut self, cell: &str) -> bool {
        self.has_too_many
            || self.counts.get_mut(cell).is_some_and(|count| {
                *count += 1;
                true
            })
    }

    fn examine_cell(&mut self, cell: &str, is_exact: bool) {
        let kind = self.looks.add_value(cell, is_exact);
        let is_number = kind == ContentKind::Number;
        self.has_titles = self.has_titles || (kind == ContentKind::Other && !find_title(cell).is_empty());
        if is_number && self.nationals.len() < NATIONALS_MAX && is_national(cell) {
            self.nationals.push(truncate_value(cell));
        }
        if let Some(region) = international_region(cell) {
            *self.regions.entry(region).or_default() += 1;
        }
        if self.samples.len() < SAMPLES_MAX && !self.samples.iter().any(|known| is_truncated_from(known, cell)) {
            self.samples.push(truncate_value(cell));
        }
        if self.has_too_many {
            return;
        }
        let has_room = self.counts.len() < COUNTED_MAX;
        match self.counts.get_mut(cell) {
            Some(count) => *count += 1,
            None if has_room => {
                self.counts.insert(cell.to_owned(), 1);
            }
            None => {
                self.has_too_many = true;
                self.counts = HashMap::new();
            }
        }
    }

    fn to_facts(&self, rows: u64) -> ColumnFacts {
        let values = sort_counts(&self.counts);
        // If hardly any value repeats, a histogram says nothing.
        let has_bars = values.len() as u64 * 2 <= u64::from(self.looks.values);
        let histogram = values.iter().take(if has_bars { HISTOGRAM_MAX } else { 0 }).cloned().collect();
        ColumnFacts {
            filled: self.filled,
            blank: rows.saturating_sub(self.filled),
            samples: self.samples.clone(),
            histogram,
            values,
            looks: self.looks,
            regions: sort_counts(&self.regions),
            nationals: self.nationals.clone(),
            opt_outs: self.opt_outs.clone(),
            has_titles: self.has_titles,
        }
    }
}

/// Returns the values, the most frequent first.
fn sort_counts(counts: &HashMap<String, u32>) -> Vec<ValueCount> {
    let mut counted: Vec<ValueCount> =
        counts.iter().map(|(text, count)| ValueCount { text: truncate_value(text), count: *count }).collect();
    counted.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.text.cmp(&b.text)));
    counted
}

fn truncate_value(text: &str) -> String {
    match text.char_indices().nth(SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn is_truncated_from(shown: &str, text: &str) -> bool {
    shown.strip_suffix('…').map_or(shown == text, |start| shown == text || text.starts_with(start))
}

#[cfg(test)]
mod tests {
    use roost_sheets::RowFlags;

    use super::*;

    #[test]
    fn one_value_among_many_says_that_somebody_opted_out() {
        let mut columns = ColumnScanner::default();
        let mut add = |values: &mut dyn Iterator<Item = String>| {
            let mut block = RowBlock::default();
            for (row, value) in values.enumerate() {
                block.push_cell(&value);
                block.push_cell(&format!("The unsubscribed of row {row}"));
                block.end_row(row as u64, RowFlags::default());
            }
            columns.add_block(&block, 0);
            columns.to_facts().iter().map(|facts| facts.opt_outs.has_any()).collect::<Vec<_>>()
        };
        // More values than are counted, and more rows than are examined.
        let kinds = (0..EXAMINED_ROWS + 10).map(|row| format!("kind, {row}"));
        assert_eq!(add(&mut { kinds }), [false, false]);
        assert_eq!(add(&mut ["vip, Unsubscribed".to_owned()].into_iter()), [true, false]);
        let OptOutFacts { sure, doubtful, values, .. } = &columns.to_facts()[0].opt_outs;
        assert_eq!((*sure, *doubtful, values[0].text.as_str(), values[0].count), (1, 0, "unsubscribed", 1));
    }

    proptest::proptest! {
        #[test]
        fn the_quick_checks_of_a_value_agree_with_the_full_guess_of_its_content(
            address in "[a-z.0-9]{0,8}@[a-z.0-9]{0,8}",
            text in "([a-f ,'+(eE:x]|[0-9]{1,2}){0,8}",
        ) {
            if is_address(&address) {
                proptest::prop_assert_eq!(guess_plain_content(&address), ContentKind::Email);
            }
            if has_too_few_digits(&text) {
                proptest::prop_assert_eq!(guess_plain_content(&text), ContentKind::Other);
            }
        }
    }

    fn scan_rows(rows: &[&[&str]]) -> Vec<ColumnFacts> {
        let mut block = RowBlock::default();
        for row in rows {
            row.iter().for_each(|cell| block.push_cell(cell));
            block.end_row(1, RowFlags::default());
        }
        let mut columns = ColumnScanner::default();
        columns.add_block(&block, 1);
        assert_eq!(columns.row_count(), rows.len() as u64 - 1);
        columns.to_facts()
    }

    #[test]
    fn blank_cells_are_not_sampled_and_values_are_counted() {
        let facts = scan_rows(&[&["city", "note"], &["", " "], &["York"], &["Bath", "x"], &["York"], &["York", ""]]);
        assert_eq!((facts[0].filled, facts[1].filled), (4, 1));
        assert_eq!(facts[0].samples, ["York", "Bath"]);
        let counted = |text: &str, count| ValueCount { text: text.to_owned(), count };
        assert_eq!(facts[0].histogram, [counted("York", 3), counted("Bath", 1)]);
        assert_eq!(facts[1].histogram, [], "one value is no distribution");
    }

    #[test]
    fn a_column_of_many_values_has_no_histogram() {
        let cells: Vec<String> = (0..1_000).map(|n| format!("value {n}")).collect();
        let rows: Vec<Vec<&str>> = cells.iter().map(|cell| vec![cell.as_str()]).collect();
        let rows: Vec<&[&str]> = rows.iter().map(Vec::as_slice).collect();
        let facts = scan_rows(&rows);
        assert_eq!((facts[0].histogram.len(), facts[0].samples.len(), facts[0].filled), (0, SAMPLES_MAX, 999));
    }

    #[test]
    fn the_regions_of_international_numbers_are_counted() {
        let facts = scan_rows(&[
            &["mobile"],
            &["+44 7700 900001"],
            &["+12025550123"],
            &["tel:+447700900002"],
            &["07700 900003"],
        ]);
        let counted = |text: &str, count| ValueCount { text: text.to_owned(), count };
        assert_eq!(facts[0].regions, [counted("GB", 2), counted("US", 1)]);
    }

    #[test]
    fn long_values_are_cut_where_they_are_shown() {
        let long = "é".repeat(200);
        let facts = scan_rows(&[&["head"], &[&long], &[&long]]);
        assert_eq!(facts[0].samples.len(), 1);
        assert_eq!(facts[0].samples[0].chars().count(), SHOWN_CHARS + 1);
    }

    #[test]
    fn values_look_like_what_they_are() {
        for (text, want) in [
            ("+44 7700 900001", ContentKind::Number),
            ("(07700) 900-001", ContentKind::Number),
            ("'07700900001", ContentKind::Number),
            ("ada@example.com", ContentKind::Email),
            ("at @ home", ContentKind::Other),
            ("1985-04-12", ContentKind::Date),
            ("12.4.85", ContentKind::Date),
            ("12/04/1985", ContentKind::Date),
            ("4.47E+11", ContentKind::Shortened),
            ("4,47E+11", ContentKind::Shortened),
            ("\"+44 7700 900001\"", ContentKind::Other),
            ("Eve", ContentKind::Other),
            ("42", ContentKind::Other),
            ("", ContentKind::Other),
        ] {
            assert_eq!(guess_content(text), want, "{text}");
        }
    }
}
