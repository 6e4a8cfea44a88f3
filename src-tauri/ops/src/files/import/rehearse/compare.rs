//! Compares a row with the contact that has its number.

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

/// A value that the import would change.
#[derive(Debug, PartialEq, Eq)]
pub struct Change<'a> {
    /// The position of the field in the comparison.
    pub at: usize,
    pub field: ContactField,
    pub before: Option<&'a str>,
    pub after: Option<Cow<'a, str>>,
    /// The new number; none for texts, and if the number would be removed.
    pub number: PackedNumber,
}

/// The differences between a row and a contact.
#[derive(Debug, Default)]
pub struct Differences<'a> {
    pub changes: Vec<Change<'a>>,
    /// Values of the row that are not imported, because of the value in the list or the overwrite rule.
    pub stays: Vec<Stay<'a>>,
}

#[derive(Debug, PartialEq, Eq)]
pub struct Stay<'a> {
    /// The position of the field in the comparison.
    pub at: usize,
    pub before: Option<&'a str>,
    pub text: Cow<'a, str>,
}

/// The fields that a mapping fills, except the number by which contacts are found.
pub struct Comparison<'p> {
    pub plan: &'p Plan,
    fields: Vec<(ContactField, Rule)>,
    /// The column of each field in the scan; `None` for a field that the import would create.
    places: Vec<Option<usize>>,
    columns: Vec<ContactField>,
}

impl<'p> Comparison<'p> {
    /// Creates the comparison. `custom` are the custom fields that exist.
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

    /// Returns the column of the contact's uid.
    pub fn uid_place(&self) -> usize {
        FIRST_COLUMN + self.columns.len() - 1
    }

    /// Returns the columns that are read of a contact.
    pub fn columns(&self) -> &[ContactField] {
        &self.columns
    }

    pub fn fields(&self) -> impl Iterator<Item = ContactField> {
        self.fields.iter().map(|(field, _)| *field)
    }

    /// Adds every difference to `out`.
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
                    // A spreadsheet error says nothing about the value, so the contact keeps its own.
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
