//! Detects what separates and quotes the cells of a text, and the evidence for it.

use serde::{Deserialize, Serialize};

use super::{delimited::DelimitedReader, encoding::Encoding};
use crate::{
    block::{BlockRow, RowBlock, RowFlag, RowReader},
    limits::ReadLimits,
};

/// Most bytes that are examined.
const SAMPLE_BYTES: usize = 128 << 10;
/// Most rows that are examined.
const ROWS_MAX: usize = 400;

/// The rules by which a text is cut into cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ImportDialect"))]
pub struct Dialect {
    /// `None`: a line is one cell.
    pub separator: Option<char>,
    /// `None`: a quote is an ordinary character.
    pub quote: Option<char>,
    /// Whether a backslash in quotes makes the next character an ordinary one.
    #[serde(default)]
    pub backslash: bool,
    /// Whether spaces before a quote have no meaning.
    #[serde(default)]
    pub blanks: bool,
}

impl Dialect {
    pub const COMMA: Self = Self::with_separator(',');
    pub const TAB: Self = Self::with_separator('\t');

    pub const fn with_separator(separator: char) -> Self {
        Self { separator: Some(separator), quote: Some('"'), backslash: false, blanks: false }
    }

    /// Returns what is wrong with a dialect that a person chose.
    pub fn validate(&self) -> Option<&'static str> {
        let is_line_end = |c: char| matches!(c, '\n' | '\r');
        if self.separator.is_some_and(is_line_end) || self.quote.is_some_and(is_line_end) {
            Some("A line end parts rows; choose another character.")
        } else if self.separator.is_some() && self.separator == self.quote {
            Some("Separator and quote must differ.")
        } else if self.quote.is_some_and(|c| !c.is_ascii() || c == '\\' || c == ' ') {
            Some("A quote must be a sign like \" or '.")
        } else {
            None
        }
    }
}

/// A measure of how well a separator cuts the text.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ImportDialectEvidence"))]
pub struct DialectEvidence {
    pub separator: Option<char>,
    /// Number of examined rows, and how many of them have `columns` cells.
    pub rows: u32,
    pub alike: u32,
    pub columns: u32,
}

/// A detected dialect.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ImportDialectGuess"))]
pub struct DialectGuess {
    pub dialect: Dialect,
    /// The first line names it: `sep=;`.
    pub is_noted: bool,
    /// Every separator that was tried, the best first.
    pub evidence: Vec<DialectEvidence>,
}

/// Separators that are tried, each with its weight. Some also occur in ordinary texts.
const SEPARATORS: [(char, f64); 8] =
    [('\t', 1.0), (';', 1.0), (',', 1.0), ('|', 1.0), ('\u{1f}', 1.0), ('^', 0.8), ('~', 0.8), ('¦', 0.8)];
/// Most rows that may be above a table.
const PREAMBLE_ROWS: usize = 20;
/// Weight of a row with one cell in a table of several columns.
const SHORT_ROW_WEIGHT: f64 = 0.8;
/// Weight of a text whose lines are one cell each.
const ONE_COLUMN_WEIGHT: f64 = 0.4;
/// Weight of a quoting in which a quote does not end where it should. The file may just be cut off.
const BROKEN_WEIGHT: f64 = 0.7;

/// Parses `sep=;` in the first line. Returns the separator and the bytes of the line.
pub(super) fn parse_separator_note(text: &str) -> Option<(char, usize)> {
    let rest = text.get(..4).filter(|start| start.eq_ignore_ascii_case("sep="))?;
    let mut letters = text[rest.len()..].chars();
    let separator = letters.next().filter(|c| !matches!(c, '\n' | '\r'))?;
    let behind = letters.as_str();
    let end = if behind.starts_with("\r\n") {
        2
    } else if behind.starts_with(['\n', '\r']) {
        1
    } else if behind.is_empty() {
        0
    } else {
        return None;
    };
    Some((separator, text.len() - behind.len() + end))
}

/// Examines the beginning of a text. `is_whole` means that nothing follows.
pub(crate) fn detect_dialect(text: &str, is_whole: bool) -> DialectGuess {
    let (sample, is_whole) = take_sample(text, is_whole);
    let noted = parse_separator_note(sample);
    let body = noted.map_or(sample, |(_, length)| &sample[length..]);
    let backslash = body.contains("\\\"") && !has_doubled_quotes(body);
    let mut tried: Vec<DialectTrial> = Vec::new();
    for (separator, worth) in SEPARATORS.map(|(c, worth)| (Some(c), worth)).into_iter().chain([(None, 1.0)]) {
        if separator.is_some_and(|c| !body.contains(c)) {
            continue;
        }
        let blanks = separator.is_some_and(|c| body.contains(&format!("{c} \"")));
        let quoted = Dialect { separator, quote: Some('"'), backslash, blanks };
        // A backslash may be the last character of a cell. It escapes quotes only if the text cannot be read otherwise.
        let mut best = DialectTrial::run(Dialect { backslash: false, ..quoted }, worth, body, is_whole);
        if backslash && (best.is_cut_off || best.has_strays) {
            best = DialectTrial::run(quoted, worth, body, is_whole);
        }
        if best.has_single_quotes {
            let single = Dialect { quote: Some('\''), blanks: false, backslash: body.contains("\\'"), ..quoted };
            best = best.better_of(DialectTrial::run(single, worth, body, is_whole));
        }
        // A quote that opens and never closes means that the file is damaged, which is reported with its position,
        // unless quotes are ordinary characters elsewhere in it.
        if best.has_strays || (best.is_cut_off && best.has_quotes && !backslash && !has_doubled_quotes(body)) {
            let plain = Dialect { quote: None, backslash: false, blanks: false, ..quoted };
            best = best.better_of(DialectTrial::run(plain, worth * 0.9, body, is_whole));
        }
        tried.push(best);
    }
    tried.sort_by(|a, b| b.score.total_cmp(&a.score));
    if let Some((separator, _)) = noted {
        let known = tried.iter().find(|trial| trial.dialect.separator == Some(separator)).map(|trial| trial.dialect);
        return DialectGuess {
            dialect: known.unwrap_or(Dialect::with_separator(separator)),
            is_noted: true,
            evidence: tried.iter().map(|trial| trial.evidence).collect(),
        };
    }
    // A text of one column does not show its separator, and a comma is the usual one.
    let dialect = tried.first().map_or(Dialect::COMMA, |best| best.dialect);
    DialectGuess { dialect, is_noted: false, evidence: tried.iter().map(|trial| trial.evidence).collect() }
}

/// Returns whether a quote within a cell is written twice. Two quotes alone are an empty cell, and the first of two may
/// be escaped.
fn has_doubled_quotes(text: &str) -> bool {
    let is_edge =
        |c: Option<char>| c.is_none_or(|c| matches!(c, '\n' | '\r') || SEPARATORS.iter().any(|(other, _)| *other == c));
    text.match_indices("\"\"").any(|(at, pair)| {
        let (before, after) = (text[..at].chars().next_back(), text[at + pair.len()..].chars().next());
        before != Some('\\') && !(is_edge(before) && is_edge(after))
    })
}

/// Returns at most [`SAMPLE_BYTES`] bytes. If something is cut off, the sample ends at a line end.
fn take_sample(text: &str, is_whole: bool) -> (&str, bool) {
    if text.len() <= SAMPLE_BYTES && is_whole {
        return (text, true);
    }
    let mut end = text.len().min(SAMPLE_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let cut = &text[..end];
    match cut.rfind(['\n', '\r']) {
        Some(line_end) => (&cut[..=line_end], false),
        None => (cut, false),
    }
}

struct DialectTrial {
    dialect: Dialect,
    evidence: DialectEvidence,
    score: f64,
    /// A quote closes within a cell.
    has_strays: bool,
    /// A quote opens and never closes.
    is_cut_off: bool,
    /// Some of the cut cells contain a quote.
    has_quotes: bool,
    has_single_quotes: bool,
}

impl DialectTrial {
    fn run(dialect: Dialect, worth: f64, text: &str, is_whole: bool) -> Self {
        let mut block = RowBlock::default();
        // Too many cells are reported by the reading. They do not make another separator better.
        let limits = ReadLimits { columns: usize::MAX, ..ReadLimits::STANDARD };
        let mut rows = DelimitedReader::new(text.as_bytes(), Encoding::UTF_8, &dialect, limits);
        let ended = rows.fill_block(&mut block);
        // The sample may end within a quoted cell that the text closes.
        let is_cut_off = ended.is_err() && is_whole;
        let rows: Vec<_> = block.rows().filter(|row| !row.is_blank()).take(ROWS_MAX).collect();
        let mut widths: Vec<usize> = rows.iter().map(|row| row.len()).collect();
        widths.sort_unstable();
        let (columns, alike) = widths
            .chunk_by(|a, b| a == b)
            .map(|same| (same[0], same.len()))
            .max_by_key(|(width, count)| (*count, *width))
            .unwrap_or((1, 0));
        let (columns, alike, share) =
            match measure_ragged(&rows, &dialect).filter(|_| columns == 1 || alike * 2 <= rows.len()) {
                Some(ragged) => ragged,
                None => (columns, alike, alike as f64 / rows.len().max(1) as f64),
            };
        let strays = rows.iter().filter(|row| row.flags.has(RowFlag::StrayQuote)).count();
        let cells = || rows.iter().flat_map(|row| row.cells()).filter(|cell| !cell.is_empty());
        let count = cells().count().max(1);
        let odd: f64 = cells().map(|cell| cell_oddness(cell, &dialect)).sum();
        // Programs quote only what needs it, so a single cell may be all the evidence. An empty cell needs no quotes.
        let has_single_quotes = cells().any(|cell| cell.starts_with('\'') && cell != "''");
        let width = if columns > 1 { 1.0 + 0.02 * columns.min(20) as f64 } else { ONE_COLUMN_WEIGHT };
        let has_strays = strays > 0;
        let has_quotes = cells().any(|cell| cell.contains('"'));
        let whole = if is_cut_off || has_strays { BROKEN_WEIGHT } else { 1.0 };
        let score = share * share * width * worth * (1.0 - odd / count as f64) * whole;
        let evidence = DialectEvidence {
            separator: dialect.separator,
            rows: rows.len() as u32,
            alike: alike as u32,
            columns: columns as u32,
        };
        Self { dialect, evidence, score, has_strays, is_cut_off, has_quotes, has_single_quotes }
    }

    fn better_of(self, other: Self) -> Self {
        if other.score > self.score { other } else { self }
    }
}

/// Measures a table of which most rows have one cell and the others are complete, or of which some rows have more cells
/// than the first row has names. Returns its columns, the number of complete rows, and the share of rows that match.
fn measure_ragged(rows: &[BlockRow], dialect: &Dialect) -> Option<(usize, usize, f64)> {
    dialect.separator?;
    let first = rows.iter().take(PREAMBLE_ROWS).position(|row| row.len() > 1)?;
    let (width, body) = (rows[first].len(), &rows[first..]);
    let alike = body.iter().filter(|row| row.len() == width).count();
    // After a preamble, most rows must be complete. If the first row is complete, it names the columns.
    let has_evidence = alike > 1 && (first == 0 || alike * 2 > body.len());
    let fits = |row: &BlockRow| row.len() == width || row.len() == 1 || (first == 0 && row.len() > width);
    // A comma followed by a space belongs to a sentence.
    let is_prose = |row: &&BlockRow| row.cells().skip(1).all(|cell| cell.starts_with(' '));
    if !has_evidence || !body.iter().all(fits) || body.iter().filter(|row| row.len() > 1).all(|row| is_prose(&row)) {
        return None;
    }
    let short = rows.len() - alike;
    Some((width, alike, (alike as f64 + SHORT_ROW_WEIGHT * short as f64) / rows.len() as f64))
}

/// Returns how much a cell looks as if it should have been cut further.
fn cell_oddness(cell: &str, dialect: &Dialect) -> f64 {
    let is_in = |quote| cell.len() > 1 && cell.starts_with(quote) && cell.ends_with(quote);
    let is_quoted = is_in('"');
    if (dialect.quote.is_none() && is_quoted) || cell.contains('\t') {
        0.9
    } else if cell.contains([';', '|', '\u{1f}']) || (dialect.quote == Some('"') && is_in('\'')) {
        0.6
    } else if cell.contains(',') {
        0.15
    } else {
        0.0
    }
}
