//! Validates rows: turns them into numbers and texts that may be stored, or into the reason why not. Nothing is
//! guessed.

mod reason;
mod telephones;
#[cfg(test)]
mod tests;

use std::{borrow::Cow, ops::Range};

use roost_model::{
    channel::Channel,
    contact::{Attribute, CUSTOM_MAX, ContactField},
    error::{FieldError, has_length},
    phone::Region,
    time::{Timestamp, date::is_impossible_date},
};
use roost_sheets::{BlockRow, RowFlag};

pub use self::{
    reason::{RejectReason, RowFault},
    telephones::{CountrySource, NumberPlan, UnusedNumber, is_spreadsheet_error},
};
use super::mapping::{
    ConsentMapping, MatchBy, OpenMapping, OverwriteRule, PieceChoice, ValuePiece,
    cells::{ValueSource, is_missing_marker},
    consent::OptOutWords,
    dates::{DateOrder, DateRule, latest_day, read_date, read_time},
};
use crate::packed_number::PackedNumber;
use roost_ops::contact::fields;

/// The field that holds the country of a person.
pub const COUNTRY_FIELD: &str = "country";
/// Digits of a telephone number at least.
const PHONE_DIGITS_MIN: usize = 5;

/// The numbers of a row that may be stored. Its texts are read when they are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RowNumbers {
    pub phone: PackedNumber,
    pub whatsapp: PackedNumber,
}

impl RowNumbers {
    /// Returns the number by which rows are compared.
    pub fn number_for(&self, by: MatchBy) -> PackedNumber {
        match by {
            MatchBy::Phone => self.phone,
            MatchBy::Whatsapp => self.whatsapp,
        }
    }

    /// Returns the number that a channel writes to.
    pub fn on_channel(&self, channel: Channel) -> PackedNumber {
        match channel {
            Channel::Sms => self.phone,
            Channel::WhatsApp => self.whatsapp,
        }
    }
}

/// A mapping that is compiled for reading rows: its fields and regions are parsed.
#[derive(Debug, Clone)]
pub struct RowPlan {
    pub phone: Option<NumberPlan>,
    pub whatsapp: Option<NumberPlan>,
    pub texts: Vec<TextPlan>,
    pub match_by: MatchBy,
    pub dates: DateRule,
    consents: Vec<ConsentPlan>,
    /// Rows of files in which everybody opted out.
    pub opted_out_rows: Vec<Range<u64>>,
}

#[derive(Debug, Clone)]
pub struct TextPlan {
    pub field: ContactField,
    source: ValueSource,
    /// If set, the field takes the first telephone number that differs from this one.
    different_from: Option<NumberPlan>,
    /// Whether it holds dates.
    is_date: bool,
    dates: DateRule,
    max: usize,
    pub rule: OverwriteRule,
}

#[derive(Debug, Clone)]
struct ConsentPlan {
    source: ValueSource,
    words: OptOutWords,
    channels: Vec<Channel>,
    date_order: Option<DateOrder>,
}

impl ConsentPlan {
    fn from_consent(consent: &ConsentMapping<u32>, date_order: Option<DateOrder>) -> Self {
        Self {
            date_order,
            source: ValueSource::from_pieces(&consent.pieces, PieceChoice::All, &consent.between),
            words: OptOutWords::from_consent(consent),
            channels: consent.channels.clone(),
        }
    }

    fn opts_out(&self, row: &BlockRow) -> bool {
        self.words.opts_out(&self.source.read_value(row).unwrap_or_default())
    }
}

impl RowPlan {
    /// Compiles a mapping. `region` is used if the mapping names none. Fields that the import creates must have their
    /// numbers already.
    pub fn from_mapping(
        mapping: &OpenMapping,
        columns: usize,
        custom: &[u32],
        region: Region,
    ) -> Result<Self, Vec<FieldError>> {
        let faults = mapping.find_faults(columns, custom);
        if !faults.is_empty() {
            return Err(faults);
        }
        let region_of = |code: &Option<String>| code.as_deref().and_then(Region::parse);
        let file_region = region_of(&mapping.region).unwrap_or(region);
        let dates = DateRule { order: mapping.date_order, latest: None };
        let consents =
            mapping.consents.iter().map(|consent| ConsentPlan::from_consent(consent, mapping.date_order)).collect();
        let country = mapping.targets.iter().find(|target| target.field == COUNTRY_FIELD);
        let country = country.map(|target| ValueSource::from_pieces(&target.pieces, target.pick, &target.between));
        let mut plan = Self {
            phone: None,
            whatsapp: None,
            texts: Vec::new(),
            match_by: mapping.match_by,
            dates,
            consents,
            opted_out_rows: Vec::new(),
        };
        for target in mapping.targets.iter().filter(|target| target.new_field.is_none()) {
            let Some(field) = ContactField::parse(&target.field, |number| custom.contains(&number)) else { continue };
            let (source, rule) = (
                ValueSource::from_pieces(&target.pieces, target.pick, &target.between),
                mapping.overwrite_rule(target),
            );
            let is_name = matches!(field, ContactField::Attribute(Attribute::Firstname | Attribute::Lastname));
            let source = if is_name { source.with_names(&mapping.titled_columns()) } else { source };
            let number = |source| NumberPlan {
                field,
                source,
                region: region_of(&target.region).unwrap_or(file_region),
                rule,
                labels: mapping.labels.clone(),
                // If somebody set a country for the field, the countries of the rows are ignored.
                country: country.clone().filter(|_| target.region.is_none()),
            };
            match field {
                ContactField::PhoneNumber => plan.phone = Some(number(source)),
                ContactField::WhatsappId => plan.whatsapp = Some(number(source)),
                _ => plan.texts.push(TextPlan {
                    field,
                    source,
                    different_from: None,
                    is_date: field == ContactField::Attribute(Attribute::DateOfBirth),
                    dates,
                    max: if let ContactField::Attribute(attribute) = field { attribute.max() } else { CUSTOM_MAX },
                    rule,
                }),
            }
        }
        for target in mapping.targets.iter().filter(|target| target.pick == PieceChoice::Other) {
            let text = plan.texts.iter_mut().find(|text| text.field.name() == target.field);
            text.into_iter().for_each(|text| text.different_from.clone_from(&plan.phone));
        }
        Ok(plan)
    }

    /// Sets the current day, because a date of birth must not be later.
    pub fn set_today(&mut self, now: Timestamp) {
        let latest = latest_day(now);
        self.dates.latest = latest;
        self.texts.iter_mut().for_each(|text| text.dates.latest = latest);
    }

    /// Returns the numbers of a row, if the whole row may be stored.
    pub fn validate_row(&self, row: &BlockRow) -> Result<RowNumbers, RowFault> {
        let of_row = |reason| RowFault { reason, field: None };
        for (flag, reason) in [
            (RowFlag::DamagedText, RejectReason::DamagedText),
            (RowFlag::Nul, RejectReason::Nul),
            (RowFlag::Malformed, RejectReason::Malformed),
        ] {
            if row.flags.has(flag) {
                return Err(of_row(reason));
            }
        }
        let settle =
            |plan: &Option<NumberPlan>| plan.as_ref().map_or(Ok(PackedNumber::NONE), |plan| plan.choose_number(row));
        let numbers = RowNumbers { phone: settle(&self.phone)?, whatsapp: settle(&self.whatsapp)? };
        if numbers.phone.is_none() && numbers.whatsapp.is_none() {
            let error = self.number_plans().find(|plan| plan.has_error(row));
            return Err(error.map_or(of_row(RejectReason::NoNumber), |plan| plan.to_fault(RejectReason::Spreadsheet)));
        }
        for text in &self.texts {
            match text.read_value(row) {
                // A spreadsheet error costs one value, but never a contact.
                Err(fault) if fault.reason != RejectReason::Spreadsheet => return Err(fault),
                _ => {}
            }
        }
        Ok(numbers)
    }

    fn number_plans(&self) -> impl Iterator<Item = &NumberPlan> {
        self.phone.iter().chain(&self.whatsapp)
    }

    /// Returns the valid numbers of a row, whatever else is wrong with it.
    pub fn valid_numbers(&self, row: &BlockRow) -> RowNumbers {
        let settle =
            |plan: &Option<NumberPlan>| plan.as_ref().and_then(|plan| plan.choose_number(row).ok()).unwrap_or_default();
        RowNumbers { phone: settle(&self.phone), whatsapp: settle(&self.whatsapp) }
    }

    /// Returns the value of an existing field for a row; `None` if no target fills the field.
    pub fn field_value(&self, field: ContactField, row: &BlockRow) -> Option<Option<String>> {
        if let Some(plan) = self.number_plans().find(|plan| plan.field == field) {
            let number = plan.choose_number(row).unwrap_or_default();
            return Some(number.to_phone().map(|phone| phone.e164));
        }
        let text = self.texts.iter().find(|text| text.field == field)?;
        Some(text.read_value(row).unwrap_or_default().map(Cow::into_owned))
    }

    /// Returns whether a cell spells its number in a way that had to be changed.
    pub fn is_respelled(&self, text: &str) -> bool {
        self.number_plans().any(|plan| plan.is_respelled(text))
    }

    /// Returns whether a number of the row is a spreadsheet error, so that its value is unknown.
    pub fn has_error(&self, field: ContactField, row: &BlockRow) -> bool {
        self.number_plans().any(|plan| plan.field == field && plan.has_error(row))
    }

    /// Returns the value of a row that would become a draft. Only an e-mail address does.
    pub fn draft_value<'r>(&self, row: &BlockRow<'r>) -> Option<Cow<'r, str>> {
        let text = self.texts.iter().find(|text| text.field == fields::EMAIL)?;
        text.read_value(row).ok()?.filter(|value| text.is_draft(row, value))
    }

    /// Describes what is wrong with a row and quotes it.
    pub fn explain_fault(&self, fault: &RowFault, row: &BlockRow) -> String {
        let number = || self.number_plans().find(|plan| Some(plan.field) == fault.field);
        let text = || self.texts.iter().find(|text| Some(text.field) == fault.field);
        let kind = match fault.field {
            Some(ContactField::WhatsappId) => "WhatsApp number",
            _ => "phone number",
        };
        match (fault.reason, number(), text()) {
            (RejectReason::NotANumber, Some(plan), _) => format!("“{}” is not a valid {kind}.", plan.source_text(row)),
            (RejectReason::LostZero, Some(plan), _) => format!(
                "“{}” is not a valid {kind}; with a zero in front it would be. A spreadsheet may have removed the zero: format the column as text, or correct the number here.",
                plan.source_text(row)
            ),
            (RejectReason::Spreadsheet, Some(plan), _) => format!(
                "“{}” is what a spreadsheet left of a value. Format the column as text and save the file again.",
                plan.source_text(row)
            ),
            (RejectReason::TooLong, _, Some(plan)) => {
                let length = plan.source.read_value(row).map_or(0, |text| text.chars().count());
                format!("The {} has {length} characters; at most {} are allowed.", plan.field.name(), plan.max)
            }
            _ => fault.reason.message().to_owned(),
        }
    }

    /// Returns whether everybody in the file of this row opted out.
    pub fn is_opted_out_row(&self, row: u64) -> bool {
        self.opted_out_rows.iter().any(|rows| rows.contains(&row))
    }

    /// Visits the numbers that a row opts out: all its valid numbers on each channel that the person opted out of, with
    /// the time if a value is one. `at` is the number of the row. A channel counts even if no contact uses the number
    /// there today, because one may do so tomorrow.
    pub fn visit_opt_outs(
        &self,
        at: u64,
        row: &BlockRow,
        numbers: impl Fn() -> RowNumbers,
        mut visit: impl FnMut(PackedNumber, Channel, Option<Timestamp>),
    ) {
        let is_everybody = self.is_opted_out_row(at) || row.flags.has(RowFlag::OptedOut);
        let mut channels: Vec<(Channel, Option<Timestamp>)> = Vec::new();
        if is_everybody {
            channels.extend(Channel::ALL.map(|channel| (channel, None)));
        }
        for consent in self.consents.iter().filter(|consent| consent.opts_out(row)) {
            let time = consent.source.read_value(row).and_then(|text| read_time(&text, consent.date_order));
            for channel in &consent.channels {
                match channels.iter_mut().find(|(known, _)| known == channel) {
                    Some((_, known)) => *known = [*known, time].into_iter().flatten().min(),
                    None => channels.push((*channel, time)),
                }
            }
        }
        if channels.is_empty() {
            return;
        }
        let settled = numbers();
        let mut numbers: Vec<PackedNumber> = Vec::new();
        let mut add = |number: PackedNumber| {
            if !number.is_none() && !numbers.iter().any(|known| known.is_same(number)) {
                numbers.push(number);
            }
        };
        [settled.phone, settled.whatsapp].into_iter().for_each(&mut add);
        self.visit_valid_numbers(row, add);
        for (channel, time) in channels {
            numbers.iter().for_each(|number| visit(*number, channel, time));
        }
    }
}

/// Returns whether a cell of a workbook is an error. A text that looks like one is a text.
pub fn is_error_cell(row: &BlockRow, text: &str) -> bool {
    row.flags.has(RowFlag::NoResult) && is_spreadsheet_error(text)
}

impl TextPlan {
    /// Finds the first telephone that differs from the phone number of the row.
    fn find_other<'r, T>(&self, row: &BlockRow<'r>, taken: impl Fn(&ValuePiece<u32>, Cow<'r, str>) -> T) -> Option<T> {
        let phone = self.different_from.as_ref()?;
        let number = phone.choose_number(row).unwrap_or_default();
        // A text with a few digits is a number with an addition, such as an extension. Any other text is not a number.
        let is_other = |text: &str| match phone.parse_number(text, row) {
            Some(other) => !other.is_same(number),
            None => text.bytes().filter(u8::is_ascii_digit).count() >= PHONE_DIGITS_MIN,
        };
        phone.find_number(&self.source, row, |piece, text| is_other(&text).then(|| taken(piece, text)))
    }

    /// Returns whether a text is a marker of a missing value, or an impossible date in a field of dates.
    fn is_missing_value(&self, text: &str) -> bool {
        is_missing_marker(text)
            || (self.is_date && self.dates.order != Some(DateOrder::AsWritten) && is_impossible_date(text))
    }

    /// Returns whether the import keeps a value of the row as a draft, because the rule of the field refuses it.
    pub fn is_draft(&self, row: &BlockRow, text: &str) -> bool {
        !row.flags.has(RowFlag::Exact) && fields::is_invalid_email(self.field, text)
    }

    /// Returns the value of the field; `None` if it is blank.
    pub fn read_value<'r>(&self, row: &BlockRow<'r>) -> Result<Option<Cow<'r, str>>, RowFault> {
        let text = match self.different_from {
            Some(_) => self.find_other(row, |_, text| text),
            None => self.source.read_value(row),
        };
        let is_exact = row.flags.has(RowFlag::Exact);
        let Some(mut text) = text.filter(|text| is_exact || !self.is_missing_value(text)) else { return Ok(None) };
        if self.is_date
            && !is_exact
            && let Cow::Owned(date) = read_date(&text, self.dates)
        {
            text = Cow::Owned(date);
        }
        let reason = if is_error_cell(row, &text) {
            RejectReason::Spreadsheet
        } else if !has_length(&text, 1, self.max) {
            RejectReason::TooLong
        } else {
            return Ok(Some(text));
        };
        Err(RowFault { reason, field: Some(self.field) })
    }
}
