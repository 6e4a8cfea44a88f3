//! Compares a row with the contact that has its number.

use std::borrow::Cow;

use roost_model::contact::ContactField;
use roost_sheets::BlockRow;
use roost_store::{
    error::Result,
    tables::contacts::grid::scan::{self, FIRST_COLUMN},
};

use super::super::{
    mapping::{MatchBy, OverwriteRule},
    validate::{RowNumbers, RowPlan},
    verdicts::RowBucket,
};
use crate::packed_number::{PackedNumber, TEXT_MAX};

/// A value that the import would change.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ValueChange<'a> {
    /// The position of the field in the comparison.
    pub position: usize,
    pub field: ContactField,
    pub before: Option<&'a str>,
    pub after: Option<Cow<'a, str>>,
    /// The new number; none for texts, and if the number would be removed.
    pub number: PackedNumber,
    /// Whether the new value becomes a draft, and the contact keeps its value.
    pub is_draft: bool,
}

/// The differences between a row and a contact.
#[derive(Debug, Default)]
pub(crate) struct RowDifferences<'a> {
    pub changes: Vec<ValueChange<'a>>,
    /// Values of the row that are not imported, because of the value in the list or the overwrite rule.
    pub skipped: Vec<SkippedValue<'a>>,
}

impl RowDifferences<'_> {
    pub(crate) fn bucket(&self) -> RowBucket {
        match (self.changes.is_empty(), self.skipped.is_empty()) {
            (false, _) => RowBucket::Changed,
            (true, false) => RowBucket::Kept,
            (true, true) => RowBucket::Same,
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SkippedValue<'a> {
    /// The position of the field in the comparison.
    pub position: usize,
    pub before: Option<&'a str>,
    pub text: Cow<'a, str>,
}

/// The fields that a mapping fills, except the number by which contacts are found.
pub(crate) struct FieldComparison<'p> {
    pub plan: &'p RowPlan,
    fields: Vec<(ContactField, OverwriteRule)>,
    /// The column of each field in the scan; `None` for a field that the import would create.
    scan_columns: Vec<Option<usize>>,
    columns: Vec<ContactField>,
}

impl<'p> FieldComparison<'p> {
    /// Creates the comparison. `custom` are the custom fields that exist.
    pub(crate) fn new(plan: &'p RowPlan, custom: &[u32]) -> Self {
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
        Self { plan, fields, scan_columns: places, columns }
    }

    /// Returns the column of the contact's uid.
    pub(crate) fn uid_column(&self) -> usize {
        FIRST_COLUMN + self.columns.len() - 1
    }

    /// Returns the columns that are read of a contact.
    pub(crate) fn columns(&self) -> &[ContactField] {
        &self.columns
    }

    pub(crate) fn fields(&self) -> impl Iterator<Item = ContactField> {
        self.fields.iter().map(|(field, _)| *field)
    }

    pub(crate) fn rule(&self, position: usize) -> OverwriteRule {
        self.fields[position].1
    }

    /// Adds every difference to `out`.
    pub(crate) fn compare_row<'a>(
        &self,
        row: &BlockRow<'a>,
        numbers: &RowNumbers,
        contact: &'a scan::Row,
        out: &mut RowDifferences<'a>,
    ) -> Result<()> {
        let texts = self.fields.len() - self.plan.texts.len();
        for (at, (field, rule)) in self.fields.iter().enumerate() {
            let before = self.scan_columns[at].map(|place| scan::text_bytes(contact, place)).transpose()?.flatten();
            let before = before.and_then(|text| std::str::from_utf8(text).ok());
            let (number, after, is_draft) = match at.checked_sub(texts) {
                Some(text) => match self.plan.texts[text].read_value(row) {
                    Ok(value) => {
                        let is_draft = value.as_ref().is_some_and(|value| self.plan.texts[text].is_draft(row, value));
                        (PackedNumber::NONE, value, is_draft)
                    }
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
                    let text =
                        (!number.is_none()).then(|| Cow::Owned(number.write_e164(&mut [0; TEXT_MAX]).to_owned()));
                    (number, text, false)
                }
            };
            let takes = match rule {
                OverwriteRule::Never => false,
                OverwriteRule::IfBlank => before.is_none(),
                OverwriteRule::IfDifferent => after.is_some(),
                OverwriteRule::Always => true,
            };
            if before == after.as_deref() {
                continue;
            }
            if takes {
                out.changes.push(ValueChange { position: at, field: *field, before, after, number, is_draft });
            } else if let Some(text) = after {
                out.skipped.push(SkippedValue { position: at, before, text });
            }
        }
        Ok(())
    }
}
