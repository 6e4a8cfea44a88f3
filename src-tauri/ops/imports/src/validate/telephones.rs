//! Chooses the telephones of a row: the best of several numbers, in several columns or in one cell, and those that are
//! left.

use std::borrow::Cow;

use roost_model::{
    contact::{Attribute, ContactField},
    phone::{self, Region},
};
use roost_sheets::BlockRow;

use roost_spelling::{
    country::find_region,
    number::{is_shortened, plain_number, replace_international_prefix},
};

use super::{
    super::mapping::{
        NumberLabel, OverwriteRule, ValuePiece,
        cells::{ValueSource, is_missing_marker},
        phones::{LabelKind, classify_label},
    },
    PHONE_DIGITS_MIN, RejectReason, RowFault, RowPlan, TextPlan,
};
use crate::packed_number::{PackedNumber, TEXT_MAX};

/// Characters of a value that are quoted.
const QUOTED_CHARS: usize = 80;
/// Digits of a number without a country code at most, if it does not begin with a zero.
const NATIONAL_MAX: usize = 10;

#[derive(Debug, Clone)]
pub struct NumberPlan {
    pub field: ContactField,
    pub(super) source: ValueSource,
    pub(super) region: Region,
    pub rule: OverwriteRule,
    /// The columns with labels for the numbers of other columns.
    pub(super) labels: Vec<NumberLabel<u32>>,
    /// The source of the country in which the person lives.
    pub(super) country: Option<ValueSource>,
}

/// The country in which a number without a country code was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CountrySource {
    /// The country of its row.
    Row,
    /// The country of the file.
    File,
}

/// The reason why a number in a column of telephones fills no field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnusedNumber {
    Valid,
    /// Another number of the cell is imported.
    PartOfCell,
    /// It is not a valid number.
    Invalid,
    /// Its label says that it belongs to a fax or a pager.
    NotForMessages,
}

impl RowPlan {
    /// Visits the column of each telephone that fills no field of the row.
    pub fn visit_unused_numbers(&self, row: &BlockRow, mut visit: impl FnMut(u32, UnusedNumber)) {
        let others = self.texts.iter().find(|text| text.different_from.is_some());
        for plan in self.number_plans().filter(|plan| !plan.labels.is_empty()) {
            plan.source.find_value(row, |piece, _| {
                if let Some(column) = piece.column().filter(|_| plan.rank_piece(piece, row).is_none()) {
                    visit(*column, UnusedNumber::NotForMessages);
                }
                None::<()>
            });
        }
        for plan in self.number_plans().filter(|plan| plan.may_hold_several(row)) {
            let taken = plan.choose_best(row).0;
            let others = others.filter(|_| plan.field == ContactField::PhoneNumber);
            let other = others.and_then(|text| text.find_other(row, |piece, text| (piece.column().copied(), text)));
            let mut last = None;
            plan.find_number(&plan.source, row, |piece, text| {
                let number = plan.parse_number(&text, row);
                // The same number in another column is in the account anyway.
                let is_taken = number.is_some_and(|number| taken.is_some_and(|(_, taken)| taken.is_same(number)));
                let is_known = is_spreadsheet_error(&text)
                    || is_missing_marker(&text)
                    || is_taken
                    || other.as_ref().is_some_and(|(_, other)| *other == text);
                if let Some(column) = piece.column().copied().filter(|_| !is_known) {
                    let column_of_other = other.as_ref().and_then(|(column, _)| *column);
                    let is_cell_taken = [taken.and_then(|(column, _)| column), column_of_other].contains(&Some(column));
                    let spare = match number {
                        _ if is_cell_taken => UnusedNumber::PartOfCell,
                        Some(_) => UnusedNumber::Valid,
                        None => UnusedNumber::Invalid,
                    };
                    // A cell from which nothing is imported is visited once.
                    if is_cell_taken || last.replace(column) != Some(column) {
                        visit(column, spare);
                    }
                }
                None::<()>
            });
        }
    }

    /// Visits every valid telephone of a row, including those of its alternate number.
    pub(super) fn visit_valid_numbers(&self, row: &BlockRow, mut visit: impl FnMut(PackedNumber)) {
        let Some(plan) = self.phone.as_ref().or(self.whatsapp.as_ref()) else { return };
        let is_alternate = |text: &&TextPlan| text.field == ContactField::Attribute(Attribute::AlternatePhone);
        let alternates = self.texts.iter().filter(is_alternate).map(|text| &text.source);
        for source in self.phone.iter().map(|phone| &phone.source).chain(alternates) {
            plan.find_number(source, row, |_, text| {
                // A text behind a number, such as an extension, must not prevent its opt-out.
                let digits =
                    || text.split(|c: char| c.is_alphabetic()).next().filter(|digits| digits.len() < text.len());
                let number = plan.parse_number(&text, row).or_else(|| plan.parse_number(digits()?.trim(), row));
                number.into_iter().for_each(&mut visit);
                None::<()>
            });
        }
    }

    /// Returns the country in which the number of a cell was read, if it has no country code.
    pub fn country_source(&self, column: u32, row: &BlockRow, text: &str) -> Option<CountrySource> {
        let plan = self.number_plans().find(|plan| plan.source.has_column(column))?;
        let text = plain_number(text);
        if has_country_code(&text) || text.bytes().filter(u8::is_ascii_digit).count() < PHONE_DIGITS_MIN {
            return None;
        }
        match plan.row_country(row) {
            None => Some(CountrySource::File),
            Some(region) if region == plan.region => Some(CountrySource::Row),
            Some(_) => plan.parse_in_country(&text, row)?.1,
        }
    }
}

impl NumberPlan {
    /// Offers the numbers of a source to `visit`, the best first, until it returns something. A cell may hold several.
    pub(super) fn find_number<'r, T>(
        &self,
        source: &ValueSource,
        row: &BlockRow<'r>,
        mut visit: impl FnMut(&ValuePiece<u32>, Cow<'r, str>) -> Option<T>,
    ) -> Option<T> {
        let visit = |piece: &ValuePiece<u32>, text: Cow<'r, str>| {
            if is_missing_marker(&text) {
                return None;
            }
            if !has_separator(&text) || self.parse_number(&text, row).is_some() {
                return visit(piece, text);
            }
            let parts = || self.split_numbers(&text, row);
            if parts().iter().any(|part| self.parse_number(part, row).is_some()) {
                parts().into_iter().find_map(|part| visit(piece, Cow::Owned(part.to_owned())))
            } else {
                visit(piece, text)
            }
        };
        if self.labels.is_empty() {
            source.find_value(row, visit)
        } else {
            source.find_ranked_value(row, |piece| self.rank_piece(piece, row), visit)
        }
    }

    /// Rates a number by its label; returns `None` if the label says that it is not a telephone.
    fn rank_piece(&self, piece: &ValuePiece<u32>, row: &BlockRow) -> Option<LabelKind> {
        let of_piece = self.labels.iter().find(|of| piece.column() == Some(&of.column));
        let label = of_piece.and_then(|of| row.get(of.label as usize)).unwrap_or_default();
        Some(classify_label(label)).filter(|kind| *kind != LabelKind::NotForMessages)
    }

    /// Splits a cell at its separators. A word is a separator only between two valid numbers.
    fn split_numbers<'t>(&self, text: &'t str, row: &BlockRow) -> Vec<&'t str> {
        let by_sign = text.split(NUMBER_SEPARATORS.map(char::from));
        let by_word = |part: &'t str| {
            let found = SEPARATOR_WORDS.into_iter().find_map(|word| part.split_once(word));
            let found =
                found.filter(|(one, other)| [one, other].iter().all(|part| self.parse_number(part, row).is_some()));
            found.map_or_else(|| vec![part], |(one, other)| vec![one, other])
        };
        by_sign.flat_map(by_word).map(str::trim).filter(|part| !part.is_empty()).collect()
    }

    /// Returns whether a row may hold several numbers.
    pub(super) fn may_hold_several(&self, row: &BlockRow) -> bool {
        self.source.is_choice()
            || !self.labels.is_empty()
            || self.source.read_value(row).is_some_and(|text| has_separator(&text))
    }

    /// Returns the first number that may be mobile, or else the first valid one, with its column. Also returns the
    /// reason why the first of the others is invalid.
    fn choose_best(&self, row: &BlockRow) -> (Option<(Option<u32>, PackedNumber)>, Option<RejectReason>) {
        let (mut first, mut reason) = (None, None);
        let mobile = self.find_number(&self.source, row, |piece, text| {
            let number = self.read_valid(&text, row, &mut reason)?;
            let found = (piece.column().copied(), number);
            let mut buf = [0; TEXT_MAX];
            if phone::may_be_mobile(number.write_e164(&mut buf)) {
                return Some(found);
            }
            first.get_or_insert(found);
            None
        });
        (mobile.or(first), reason)
    }

    fn read_valid(&self, text: &str, row: &BlockRow, reason: &mut Option<RejectReason>) -> Option<PackedNumber> {
        if is_spreadsheet_error(text) || is_missing_marker(text) {
            return None;
        }
        let number = self.parse_number(text, row);
        if number.is_none() {
            reason.get_or_insert_with(|| find_fault_reason(&plain_number(text), self.region));
        }
        number
    }

    /// Returns the best number, or a fault if there are numbers and none is valid.
    pub(super) fn choose_number(&self, row: &BlockRow) -> Result<PackedNumber, RowFault> {
        let (number, reason) = if self.may_hold_several(row) {
            let (best, reason) = self.choose_best(row);
            (best.map(|(_, number)| number), reason)
        } else {
            let mut reason = None;
            (self.source.read_value(row).and_then(|text| self.read_valid(&text, row, &mut reason)), reason)
        };
        match (number, reason) {
            (Some(number), _) => Ok(number),
            (None, Some(reason)) => Err(self.to_fault(reason)),
            (None, None) => Ok(PackedNumber::NONE),
        }
    }

    pub(super) fn parse_number(&self, text: &str, row: &BlockRow) -> Option<PackedNumber> {
        self.parse_in_country(&plain_number(text), row).map(|(number, _)| number)
    }

    /// Reads a number, and returns the country in which it was read. A number that has a country code, or may have one,
    /// is not read in the country of the row.
    fn parse_in_country(&self, text: &str, row: &BlockRow) -> Option<(PackedNumber, Option<CountrySource>)> {
        let of =
            |text: &str, region| phone::parse_contact_number(text, region).as_ref().and_then(PackedNumber::from_phone);
        let text = text.trim();
        let dialled = || of(&replace_international_prefix(text)?, self.region).map(|number| (number, None));
        if has_country_code(text) {
            return of(text, self.region).map(|number| (number, None)).or_else(dialled);
        }
        let in_file = || of(text, self.region).map(|number| (number, Some(CountrySource::File)));
        let Some(region) = self.row_country(row).filter(|region| *region != self.region) else {
            return in_file().or_else(dialled);
        };
        let in_row = || of(text, region).map(|number| (number, Some(CountrySource::Row)));
        let is_national = text.starts_with('0') || text.bytes().filter(u8::is_ascii_digit).count() <= NATIONAL_MAX;
        let found = if is_national { in_row().or_else(in_file) } else { in_file().or_else(in_row) };
        found.or_else(dialled)
    }

    /// Returns whether a text is a number only because its spelling was changed.
    pub(super) fn is_respelled(&self, text: &str) -> bool {
        plain_number(text) != text
            || (replace_international_prefix(text).is_some()
                && phone::parse_contact_number(text, self.region).is_none())
    }

    /// Returns the country that the row names.
    fn row_country(&self, row: &BlockRow) -> Option<Region> {
        find_region(&self.country.as_ref()?.read_value(row)?)
    }

    pub(super) fn has_error(&self, row: &BlockRow) -> bool {
        self.source.find_value(row, |_, text| is_spreadsheet_error(&text).then_some(())).is_some()
    }

    pub(super) fn to_fault(&self, reason: RejectReason) -> RowFault {
        RowFault { reason, field: Some(self.field) }
    }

    /// Returns the text of the file for a message.
    pub(super) fn source_text(&self, row: &BlockRow) -> String {
        self.source.read_value(row).unwrap_or_default().chars().take(QUOTED_CHARS).collect()
    }
}

/// Characters that people and address books put between several numbers in a cell.
const NUMBER_SEPARATORS: [u8; 7] = *b";/,|\n\r:";

const SEPARATOR_WORDS: [&str; 8] = [" or ", " and ", " & ", "&", " oder ", " und ", " ou ", " y "];

/// Returns whether a number begins with a plus or an international prefix.
fn has_country_code(text: &str) -> bool {
    text.trim_start().starts_with('+') || text.starts_with("00")
}

fn has_separator(text: &str) -> bool {
    text.bytes().any(|byte| NUMBER_SEPARATORS.contains(&byte))
        || (text.bytes().any(|byte| byte == b'&' || byte.is_ascii_alphabetic())
            && SEPARATOR_WORDS.iter().any(|word| text.contains(word)))
}

/// Returns the reason why a text is not a valid number.
fn find_fault_reason(text: &str, region: Region) -> RejectReason {
    if is_shortened(text) {
        return RejectReason::Spreadsheet;
    }
    let is_bare = text.starts_with(|c: char| ('1'..='9').contains(&c));
    if is_bare && phone::parse_contact_number(&format!("0{text}"), region).is_some() {
        return RejectReason::LostZero;
    }
    RejectReason::NotANumber
}

/// Returns whether a text is what spreadsheets show if they have no value.
pub fn is_spreadsheet_error(text: &str) -> bool {
    const ERRORS: [&str; 8] = ["#N/A", "#REF!", "#VALUE!", "#DIV/0!", "#NAME?", "#NUM!", "#NULL!", "#SPILL!"];
    text.as_bytes().first() == Some(&b'#')
        && (ERRORS.contains(&text) || (text.len() > 1 && text.bytes().all(|byte| byte == b'#')))
}
