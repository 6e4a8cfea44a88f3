//! What a row would change of the contact that has its number.

use std::borrow::Cow;

use roost_model::contact::ContactField;
use roost_sheets::Row;
use roost_store::{
    error::Result,
    tables::contacts::grid::scan::{self, FIRST_COLUMN},
};

use super::super::{
    mapping::{MatchBy, Rule},
    number::{PackedNumber, TEXT_MAX},
    settle::{Numbers, Plan},
};

/// A value that would be another one.
#[derive(Debug, PartialEq, Eq)]
pub struct Change<'a> {
    /// The number of the field in the comparison.
    pub at: usize,
    pub field: ContactField,
    pub before: Option<&'a str>,
    pub after: Option<Cow<'a, str>>,
    /// The number it would be; none for texts, and where it would go.
    pub number: PackedNumber,
}

/// What a row would do to a contact.
#[derive(Debug, Default)]
pub struct Differences<'a> {
    pub changes: Vec<Change<'a>>,
    /// Values of the row that are not taken, because the list has another one or the rule says so.
    pub stays: Vec<Stay<'a>>,
}

#[derive(Debug, PartialEq, Eq)]
pub struct Stay<'a> {
    /// The number of the field in the comparison.
    pub at: usize,
    pub before: Option<&'a str>,
    pub text: Cow<'a, str>,
}

/// The fields that a mapping fills, beside the number that contacts are found by.
pub struct Comparison<'p> {
    pub plan: &'p Plan,
    fields: Vec<(ContactField, Rule)>,
    /// Where each field stands among the columns; fields that are yet to be made stand nowhere.
    places: Vec<Option<usize>>,
    columns: Vec<ContactField>,
}

impl<'p> Comparison<'p> {
    /// `custom` are the custom fields that contacts have.
    pub fn of(plan: &'p Plan, custom: &[u32]) -> Self {
        let other = match plan.match_by {
            MatchBy::Phone => &plan.whatsapp,
            MatchBy::Whatsapp => &plan.phone,
        };
        let other = other.as_ref().map(|number| (number.field, number.rule));
        let fields: Vec<_> = other.into_iter().chain(plan.texts.iter().map(|text| (text.field, text.rule))).collect();
        let (mut places, mut columns) = (Vec::with_capacity(fields.len()), Vec::new());
        for (field, _) in &fields {
            let is_there = !matches!(field, ContactField::Custom(number) if !custom.contains(number));
            places.push(is_there.then(|| FIRST_COLUMN + columns.len()));
            columns.extend(is_there.then_some(*field));
        }
        columns.push(ContactField::Uid);
        Self { plan, fields, places, columns }
    }

    /// Where the contact's uid stands.
    pub fn uid_place(&self) -> usize {
        FIRST_COLUMN + self.columns.len() - 1
    }

    /// What is read of a contact.
    pub fn columns(&self) -> &[ContactField] {
        &self.columns
    }

    pub fn fields(&self) -> impl Iterator<Item = ContactField> {
        self.fields.iter().map(|(field, _)| *field)
    }

    /// Puts every difference into `out`.
    pub fn compare<'a>(
        &self,
        row: &Row<'a>,
        numbers: &Numbers,
        contact: &'a scan::Row,
        out: &mut Differences<'a>,
    ) -> Result<()> {
        let texts = self.fields.len() - self.plan.texts.len();
        for (at, (field, rule)) in self.fields.iter().enumerate() {
            let before = self.places[at].map(|place| scan::text(contact, place)).transpose()?.flatten();
            let before = before.and_then(|text| std::str::from_utf8(text).ok());
            let (number, after) = match at.checked_sub(texts) {
                Some(text) => match self.plan.texts[text].value(row) {
                    Ok(value) => (PackedNumber::NONE, value),
                    // The error of a spreadsheet says nothing about the value.
                    Err(_) => continue,
                },
                None => {
                    let number = match self.plan.match_by {
                        MatchBy::Phone => numbers.whatsapp,
                        MatchBy::Whatsapp => numbers.phone,
                    };
                    if number.is_none() && self.plan.has_error(*field, row) {
                        continue;
                    }
                    let text = (!number.is_none()).then(|| Cow::Owned(number.e164(&mut [0; TEXT_MAX]).to_owned()));
                    (number, text)
                }
            };
            let takes = match rule {
                Rule::Never => false,
                Rule::IfBlank => before.is_none(),
                Rule::IfDifferent => after.is_some(),
                Rule::Always => true,
            };
            if before == after.as_deref() {
                continue;
            }
            if takes {
                out.changes.push(Change { at, field: *field, before, after, number });
            } else if let Some(text) = after {
                out.stays.push(Stay { at, before, text });
            }
        }
        Ok(())
    }
}
