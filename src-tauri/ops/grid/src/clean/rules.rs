//! Checks one contact against every rule and returns the cells to fix. Searching, showing and fixing use the same
//! check, so that a contact that changed in between is checked again.

use roost_model::{
    contact::{Attribute, ContactField, email},
    time::date::is_impossible_date,
};
use serde::Serialize;

use super::{
    CleanKind,
    facts::{COUNTRY, FIRSTNAME, LASTNAME, NAMES, NameCounts, TextFacts, ZIP},
    letters, numbers,
};
use roost_ops::contact::fields::{self, EMAIL};

use crate::grid::edit::cells::{EditSheet, SheetRow};

/// The reason for a proposed fix.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum CleanEvidence {
    /// The region by whose rules the number was read.
    ReadIn(String),
    /// How often the two names occur in each field of other contacts.
    Names(NameCounts),
    /// The region that the country names, or to which nearly all its numbers belong.
    UsualRegion(String),
}

/// The cells of a contact that a rule would change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct CleanFinding {
    /// The column of each cell in the sheet with its new text, or `None` if no fix is known.
    pub cells: Vec<(usize, Option<String>)>,
    pub evidence: Option<CleanEvidence>,
}

/// What may be wrong with a text. A rule leads to one or more kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CleanRule {
    Number,
    Email,
    Date,
    SpreadsheetNumber,
    Zip,
    Region,
    SwappedNames,
    LetterCase,
    WhiteSpace,
    LookAlikes,
}

fn rules_for(field: ContactField) -> Vec<CleanRule> {
    let mut rules = match field {
        ContactField::PhoneNumber | ContactField::WhatsappId => return vec![CleanRule::Number],
        ContactField::Attribute(Attribute::AlternatePhone) => return vec![CleanRule::Number, CleanRule::WhiteSpace],
        EMAIL => vec![CleanRule::Email],
        ContactField::Attribute(Attribute::DateOfBirth) => vec![CleanRule::Date, CleanRule::SpreadsheetNumber],
        FIRSTNAME => vec![CleanRule::SwappedNames, CleanRule::SpreadsheetNumber],
        COUNTRY => vec![CleanRule::Region, CleanRule::SpreadsheetNumber],
        ZIP => vec![CleanRule::Zip, CleanRule::SpreadsheetNumber],
        _ => vec![CleanRule::SpreadsheetNumber],
    };
    if NAMES.contains(&field) {
        rules.push(CleanRule::LetterCase);
    }
    rules.extend([CleanRule::WhiteSpace, CleanRule::LookAlikes]);
    rules
}

/// Applies the rules to the columns of a sheet.
pub(super) struct CleanRules<'s> {
    sheet: &'s EditSheet,
    facts: &'s TextFacts,
    fields: Vec<(ContactField, usize, Vec<CleanRule>)>,
    first: usize,
    last: usize,
    country: usize,
    regions: [usize; 2],
}

/// Fields that rules read besides the one that they check.
pub(super) const CONTEXT_FIELDS: [ContactField; 3] = [FIRSTNAME, LASTNAME, COUNTRY];

impl<'s> CleanRules<'s> {
    /// The sheet must contain all `fields` and the fields of [`CONTEXT_FIELDS`].
    pub(super) fn new(sheet: &'s EditSheet, facts: &'s TextFacts, fields: &[ContactField]) -> Self {
        Self {
            sheet,
            facts,
            fields: fields.iter().map(|field| (*field, sheet.column_of(*field), rules_for(*field))).collect(),
            first: sheet.column_of(FIRSTNAME),
            last: sheet.column_of(LASTNAME),
            country: sheet.column_of(COUNTRY),
            regions: [sheet.column_of(ContactField::PhoneRegion), sheet.column_of(ContactField::WhatsappRegion)],
        }
    }

    /// Calls `report` for everything the rules find in a contact, with the position of the field among the checked
    /// fields.
    pub(super) fn find_all(&self, row: &SheetRow, mut report: impl FnMut(CleanKind, usize)) {
        for (position, (field, at, rules)) in self.fields.iter().enumerate() {
            let Some(text) = row.shown_text(*at) else { continue };
            for rule in rules {
                if let Some((kind, _)) = self.apply_rule(*rule, *field, *at, text, row) {
                    report(kind, position);
                }
            }
        }
    }

    /// Returns the finding of this kind in one field, if there still is one.
    pub(super) fn find_kind(&self, kind: CleanKind, field: ContactField, row: &SheetRow) -> Option<CleanFinding> {
        let (_, at, rules) = self.fields.iter().find(|(other, ..)| *other == field)?;
        let text = row.shown_text(*at)?;
        let found = rules.iter().filter_map(|rule| self.apply_rule(*rule, field, *at, text, row));
        found.into_iter().find(|(other, _)| *other == kind).map(|(_, finding)| finding)
    }

    /// Returns the region of the contact's phone number, or else of its WhatsApp number.
    fn contact_region<'r>(&self, row: &SheetRow<'r>) -> Option<&'r str> {
        self.regions.iter().find_map(|at| row.stored_value(*at))
    }

    fn apply_rule(
        &self,
        rule: CleanRule,
        field: ContactField,
        at: usize,
        text: &str,
        row: &SheetRow,
    ) -> Option<(CleanKind, CleanFinding)> {
        let with_fix = |text: String| CleanFinding { cells: vec![(at, Some(text))], evidence: None };
        let without_fix = || CleanFinding { cells: vec![(at, None)], evidence: None };
        match rule {
            CleanRule::Number => self.check_number(field, at, text, row),
            CleanRule::Email => {
                if let Some(corrected) = email::fix_typing_error(text) {
                    return Some((CleanKind::EmailSlip, with_fix(corrected)));
                }
                (!email::is_email_address(text)).then(|| (CleanKind::NotAnEmail, without_fix()))
            }
            CleanRule::Date => is_impossible_date(text).then(|| (CleanKind::ImpossibleDate, without_fix())),
            CleanRule::SpreadsheetNumber => {
                let wrong = numbers::check_text(text)?;
                self.keep_if_valid(
                    field,
                    at,
                    wrong.kind,
                    CleanFinding { cells: vec![(at, wrong.mended)], evidence: None },
                    row,
                )
            }
            CleanRule::Zip => {
                let padded = self.facts.padded_zip(text, row.shown_text(self.country), self.contact_region(row))?;
                self.keep_if_valid(field, at, CleanKind::LostZero, with_fix(padded), row)
            }
            CleanRule::Region => {
                let usual = self.facts.find_other_region(text, self.contact_region(row)?)?;
                let evidence = Some(CleanEvidence::UsualRegion(usual));
                Some((CleanKind::RegionMismatch, CleanFinding { cells: vec![(at, None)], evidence }))
            }
            CleanRule::SwappedNames => {
                let (first, last) = (row.shown_text(self.first)?, row.shown_text(self.last)?);
                let counts = self.facts.find_swapped_names(first, last)?;
                let cells = vec![(self.first, Some(last.to_owned())), (self.last, Some(first.to_owned()))];
                let fits = |text: &str| {
                    fields::check_cell(FIRSTNAME, Some(text), |text| self.sheet.region_of(row, text)).is_ok()
                };
                (fits(first) && fits(last)).then_some((
                    CleanKind::SwappedNames,
                    CleanFinding { cells, evidence: Some(CleanEvidence::Names(counts)) },
                ))
            }
            CleanRule::LetterCase => {
                let cased = letters::to_name_case(text, |word| self.facts.spelling(word))?;
                self.keep_if_valid(field, at, CleanKind::LetterCase, with_fix(cased), row)
            }
            CleanRule::WhiteSpace => {
                let tidied = letters::tidy_spaces(text);
                if tidied == text {
                    return None;
                }
                // The number rule removes these spaces as well when it writes the number in E.164 form.
                if rules_for(field).contains(&CleanRule::Number) && self.check_number(field, at, text, row).is_some() {
                    return None;
                }
                self.keep_if_valid(field, at, CleanKind::WhiteSpace, with_fix(tidied), row)
            }
            CleanRule::LookAlikes => {
                let mended = letters::without_look_alikes(text)?;
                self.keep_if_valid(field, at, CleanKind::LookAlike, with_fix(mended), row)
            }
        }
    }

    fn check_number(
        &self,
        field: ContactField,
        at: usize,
        text: &str,
        row: &SheetRow,
    ) -> Option<(CleanKind, CleanFinding)> {
        let is_number = fields::number_fields(field).is_some();
        // A stored number is already in E.164 form.
        if is_number && row.stored_value(at) == Some(text) {
            return None;
        }
        let region = self.sheet.region_of(row, text);
        let wrong = numbers::check_number(text, region, is_number).or_else(|| {
            // The number is valid in the spelling in which it was typed.
            is_number.then(|| numbers::NumberProblem { kind: CleanKind::NotE164, mended: Some(text.to_owned()) })
        })?;
        let evidence = wrong.mended.as_ref().map(|_| CleanEvidence::ReadIn(region.code()));
        self.keep_if_valid(field, at, wrong.kind, CleanFinding { cells: vec![(at, wrong.mended)], evidence }, row)
    }

    /// Returns the finding only if the field accepts the proposed text, or if no text is proposed.
    fn keep_if_valid(
        &self,
        field: ContactField,
        at: usize,
        kind: CleanKind,
        finding: CleanFinding,
        row: &SheetRow,
    ) -> Option<(CleanKind, CleanFinding)> {
        let text = finding.cells.iter().find(|(cell, _)| *cell == at).and_then(|(_, text)| text.as_deref());
        let value = text.filter(|text| !text.is_empty());
        let is_accepted =
            text.is_none() || fields::check_cell(field, value, |text| self.sheet.region_of(row, text)).is_ok();
        is_accepted.then_some((kind, finding))
    }
}
