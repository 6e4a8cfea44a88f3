//! Chooses the telephones of a row: the best of several numbers, in several columns or in one cell, and those that are
//! left.

use std::borrow::Cow;

use roost_model::{
    contact::{Attribute, ContactField},
    phone::{self, Region},
};
use roost_sheets::Row;

use super::{
    super::{
        columns,
        mapping::{
            NumberLabel, Piece, Rule,
            cells::{Source, is_missing},
            phones::{LabelKind, kind_of_label},
        },
        number::{
            PackedNumber, TEXT_MAX,
            country::region_named,
            spelling::{international, plain_number},
        },
    },
    DIGITS_MIN, Plan, Reason, RowFault, TextPlan,
};

/// Characters of a value that are quoted.
const SHOWN: usize = 80;
/// Digits of a number without a country code at most, if it does not begin with a zero.
const NATIONAL_MAX: usize = 10;

#[derive(Debug, Clone)]
pub struct NumberPlan {
    pub field: ContactField,
    pub(super) source: Source,
    pub(super) region: Region,
    pub rule: Rule,
    /// The columns with labels for the numbers of other columns.
    pub(super) labels: Vec<NumberLabel<u32>>,
    /// The source of the country in which the person lives.
    pub(super) country: Option<Source>,
}

/// The country in which a number without a country code was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadIn {
    /// The country of its row.
    Row,
    /// The country of the file.
    File,
}

/// The reason why a number in a column of telephones fills no field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spare {
    Number,
    /// Another number of the cell is imported.
    PartOfCell,
    /// It is not a valid number.
    Invalid,
    /// Its label says that it belongs to a fax or a pager.
    NoPhone,
}

impl Plan {
    /// Visits the column of each telephone that fills no field of the row.
    pub fn spare_numbers(&self, row: &Row, mut visit: impl FnMut(u32, Spare)) {
        let others = self.texts.iter().find(|text| text.other_than.is_some());
        for plan in self.number_plans().filter(|plan| !plan.labels.is_empty()) {
            plan.source.find(row, |piece, _| {
                if let Some(column) = piece.column().filter(|_| plan.rank(piece, row).is_none()) {
                    visit(*column, Spare::NoPhone);
                }
                None::<()>
            });
        }
        for plan in self.number_plans().filter(|plan| plan.may_have_several(row)) {
            let taken = plan.best(row).0;
            let others = others.filter(|_| plan.field == ContactField::PhoneNumber);
            let other = others.and_then(|text| text.other(row, |piece, text| (piece.column().copied(), text)));
            let mut last = None;
            plan.find(&plan.source, row, |piece, text| {
                let number = plan.number(&text, row);
                // The same number in another column is in the account anyway.
                let is_taken = number.is_some_and(|number| taken.is_some_and(|(_, taken)| taken.is_same(number)));
                let is_known = is_error(&text)
                    || is_missing(&text)
                    || is_taken
                    || other.as_ref().is_some_and(|(_, other)| *other == text);
                if let Some(column) = piece.column().copied().filter(|_| !is_known) {
                    let column_of_other = other.as_ref().and_then(|(column, _)| *column);
                    let is_cell_taken = [taken.and_then(|(column, _)| column), column_of_other].contains(&Some(column));
                    let spare = match number {
                        _ if is_cell_taken => Spare::PartOfCell,
                        Some(_) => Spare::Number,
                        None => Spare::Invalid,
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
    pub(super) fn further_numbers(&self, row: &Row, mut visit: impl FnMut(PackedNumber)) {
        let Some(plan) = self.phone.as_ref().or(self.whatsapp.as_ref()) else { return };
        let is_alternate = |text: &&TextPlan| text.field == ContactField::Attribute(Attribute::AlternatePhone);
        let alternates = self.texts.iter().filter(is_alternate).map(|text| &text.source);
        for source in self.phone.iter().map(|phone| &phone.source).chain(alternates) {
            plan.find(source, row, |_, text| {
                // A text behind a number, such as an extension, must not prevent its opt-out.
                let digits =
                    || text.split(|c: char| c.is_alphabetic()).next().filter(|digits| digits.len() < text.len());
                let number = plan.number(&text, row).or_else(|| plan.number(digits()?.trim(), row));
                number.into_iter().for_each(&mut visit);
                None::<()>
            });
        }
    }

    /// Returns the country in which the number of a cell was read, if it has no country code.
    pub fn read_in(&self, column: u32, row: &Row, text: &str) -> Option<ReadIn> {
        let plan = self.number_plans().find(|plan| plan.source.has_column(column))?;
        let text = plain_number(text);
        if has_country_code(&text) || text.bytes().filter(u8::is_ascii_digit).count() < DIGITS_MIN {
            return None;
        }
        match plan.country(row) {
            None => Some(ReadIn::File),
            Some(region) if region == plan.region => Some(ReadIn::Row),
            Some(_) => plan.read(&text, row)?.1,
        }
    }
}

impl NumberPlan {
    /// Offers the numbers of a source to `visit`, the best first, until it returns something. A cell may hold several.
    pub(super) fn find<'r, T>(
        &self,
        source: &Source,
        row: &Row<'r>,
        mut visit: impl FnMut(&Piece<u32>, Cow<'r, str>) -> Option<T>,
    ) -> Option<T> {
        let visit = |piece: &Piece<u32>, text: Cow<'r, str>| {
            if is_missing(&text) {
                return None;
            }
            if !has_separator(&text) || self.number(&text, row).is_some() {
                return visit(piece, text);
            }
            let parts = || self.parts_of(&text, row);
            if parts().iter().any(|part| self.number(part, row).is_some()) {
                parts().into_iter().find_map(|part| visit(piece, Cow::Owned(part.to_owned())))
            } else {
                visit(piece, text)
            }
        };
        if self.labels.is_empty() {
            source.find(row, visit)
        } else {
            source.find_ranked(row, |piece| self.rank(piece, row), visit)
        }
    }

    /// Rates a number by its label; returns `None` if the label says that it is not a telephone.
    fn rank(&self, piece: &Piece<u32>, row: &Row) -> Option<LabelKind> {
        let of_piece = self.labels.iter().find(|of| piece.column() == Some(&of.column));
        let label = of_piece.and_then(|of| row.get(of.label as usize)).unwrap_or_default();
        Some(kind_of_label(label)).filter(|kind| *kind != LabelKind::NoPhone)
    }

    /// Splits a cell at its separators. A word is a separator only between two valid numbers.
    fn parts_of<'t>(&self, text: &'t str, row: &Row) -> Vec<&'t str> {
        let by_sign = text.split(BETWEEN_NUMBERS.map(char::from));
        let by_word = |part: &'t str| {
            let found = WORDS_BETWEEN.into_iter().find_map(|word| part.split_once(word));
            let found = found.filter(|(one, other)| [one, other].iter().all(|part| self.number(part, row).is_some()));
            found.map_or_else(|| vec![part], |(one, other)| vec![one, other])
        };
        by_sign.flat_map(by_word).map(str::trim).filter(|part| !part.is_empty()).collect()
    }

    /// Returns whether a row may hold several numbers.
    pub(super) fn may_have_several(&self, row: &Row) -> bool {
        self.source.is_choice()
            || !self.labels.is_empty()
            || self.source.value(row).is_some_and(|text| has_separator(&text))
    }

    /// Returns the first number that may be mobile, or else the first valid one, with its column. Also returns the
    /// reason why the first of the others is invalid.
    fn best(&self, row: &Row) -> (Option<(Option<u32>, PackedNumber)>, Option<Reason>) {
        let (mut first, mut reason) = (None, None);
        let mobile = self.find(&self.source, row, |piece, text| {
            let number = self.valid(&text, row, &mut reason)?;
            let found = (piece.column().copied(), number);
            let mut buf = [0; TEXT_MAX];
            if phone::may_be_mobile(number.e164(&mut buf)) {
                return Some(found);
            }
            first.get_or_insert(found);
            None
        });
        (mobile.or(first), reason)
    }

    fn valid(&self, text: &str, row: &Row, reason: &mut Option<Reason>) -> Option<PackedNumber> {
        if is_error(text) || is_missing(text) {
            return None;
        }
        let number = self.number(text, row);
        if number.is_none() {
            reason.get_or_insert_with(|| why_no_number(&plain_number(text), self.region));
        }
        number
    }

    /// Returns the best number, or a fault if there are numbers and none is valid.
    pub(super) fn settle(&self, row: &Row) -> Result<PackedNumber, RowFault> {
        let (number, reason) = if self.may_have_several(row) {
            let (best, reason) = self.best(row);
            (best.map(|(_, number)| number), reason)
        } else {
            let mut reason = None;
            (self.source.value(row).and_then(|text| self.valid(&text, row, &mut reason)), reason)
        };
        match (number, reason) {
            (Some(number), _) => Ok(number),
            (None, Some(reason)) => Err(self.fault(reason)),
            (None, None) => Ok(PackedNumber::NONE),
        }
    }

    pub(super) fn number(&self, text: &str, row: &Row) -> Option<PackedNumber> {
        self.read(&plain_number(text), row).map(|(number, _)| number)
    }

    /// Reads a number, and returns the country in which it was read. A number that has a country code, or may have one,
    /// is not read in the country of the row.
    fn read(&self, text: &str, row: &Row) -> Option<(PackedNumber, Option<ReadIn>)> {
        let of = |text: &str, region| phone::parse_contact_number(text, region).as_ref().and_then(PackedNumber::of);
        let text = text.trim();
        let dialled = || of(&international(text)?, self.region).map(|number| (number, None));
        if has_country_code(text) {
            return of(text, self.region).map(|number| (number, None)).or_else(dialled);
        }
        let in_file = || of(text, self.region).map(|number| (number, Some(ReadIn::File)));
        let Some(region) = self.country(row).filter(|region| *region != self.region) else {
            return in_file().or_else(dialled);
        };
        let in_row = || of(text, region).map(|number| (number, Some(ReadIn::Row)));
        let is_national = text.starts_with('0') || text.bytes().filter(u8::is_ascii_digit).count() <= NATIONAL_MAX;
        let found = if is_national { in_row().or_else(in_file) } else { in_file().or_else(in_row) };
        found.or_else(dialled)
    }

    /// Returns whether a text is a number only because its spelling was changed.
    pub(super) fn is_respelled(&self, text: &str) -> bool {
        plain_number(text) != text
            || (international(text).is_some() && phone::parse_contact_number(text, self.region).is_none())
    }

    /// Returns the country that the row names.
    fn country(&self, row: &Row) -> Option<Region> {
        region_named(&self.country.as_ref()?.value(row)?)
    }

    pub(super) fn has_error(&self, row: &Row) -> bool {
        self.source.find(row, |_, text| is_error(&text).then_some(())).is_some()
    }

    pub(super) fn fault(&self, reason: Reason) -> RowFault {
        RowFault { reason, field: Some(self.field) }
    }

    /// Returns the text of the file for a message.
    pub(super) fn source_text(&self, row: &Row) -> String {
        self.source.value(row).unwrap_or_default().chars().take(SHOWN).collect()
    }
}

/// Characters that people and address books put between several numbers in a cell.
const BETWEEN_NUMBERS: [u8; 7] = *b";/,|\n\r:";

const WORDS_BETWEEN: [&str; 8] = [" or ", " and ", " & ", "&", " oder ", " und ", " ou ", " y "];

/// Returns whether a number begins with a plus or an international prefix.
fn has_country_code(text: &str) -> bool {
    text.trim_start().starts_with('+') || text.starts_with("00")
}

fn has_separator(text: &str) -> bool {
    text.bytes().any(|byte| BETWEEN_NUMBERS.contains(&byte)) || WORDS_BETWEEN.iter().any(|word| text.contains(word))
}

/// Returns the reason why a text is not a valid number.
fn why_no_number(text: &str, region: Region) -> Reason {
    if columns::is_shortened(text) {
        return Reason::Spreadsheet;
    }
    let is_bare = text.starts_with(|c: char| ('1'..='9').contains(&c));
    if is_bare && phone::parse_contact_number(&format!("0{text}"), region).is_some() {
        return Reason::LostZero;
    }
    Reason::NotANumber
}

/// Returns whether a text is what spreadsheets show if they have no value.
pub fn is_error(text: &str) -> bool {
    const ERRORS: [&str; 8] = ["#N/A", "#REF!", "#VALUE!", "#DIV/0!", "#NAME?", "#NUM!", "#NULL!", "#SPILL!"];
    text.as_bytes().first() == Some(&b'#')
        && (ERRORS.contains(&text) || (text.len() > 1 && text.bytes().all(|byte| byte == b'#')))
}
