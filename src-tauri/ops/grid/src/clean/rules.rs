//! Checks one contact against every rule and returns the cells to fix. Searching, showing and fixing use the same
//! check, so that a contact that changed meanwhile is checked again.

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
    /// The region in which the number was read.
    ReadIn(String),
    /// How often the two names occur in each field of other contacts.
    Names(NameCounts),
    /// The region to which nearly all numbers of this country belong.
    UsualRegion(String),
}

/// The cells of a contact that a rule would change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct CleanFinding {
    /// The column of each cell in the sheet with its new text, or `None` if no fix is known.
    pub cells: Vec<(usize, Option<String>)>,
    pub evidence: Option<CleanEvidence>,
}

/// A rule that checks a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CleanRule {
    Number,
    Email,
    Date,
    Text,
    Zip,
    Region,
    Swapped,
    Case,
    Blanks,
    Twins,
}

fn rules_for(field: ContactField) -> Vec<CleanRule> {
    let mut looks = match field {
        ContactField::PhoneNumber | ContactField::WhatsappId => return vec![CleanRule::Number],
        ContactField::Attribute(Attribute::AlternatePhone) => return vec![CleanRule::Number, CleanRule::Blanks],
        EMAIL => vec![CleanRule::Email],
        ContactField::Attribute(Attribute::DateOfBirth) => vec![CleanRule::Date, CleanRule::Text],
        FIRSTNAME => vec![CleanRule::Swapped, CleanRule::Text],
        COUNTRY => vec![CleanRule::Region, CleanRule::Text],
        ZIP => vec![CleanRule::Zip, CleanRule::Text],
        _ => vec![CleanRule::Text],
    };
    if NAMES.contains(&field) {
        looks.push(CleanRule::Case);
    }
    looks.extend([CleanRule::Blanks, CleanRule::Twins]);
    looks
}

/// The rules, applied to the columns of a sheet.
pub(super) struct CleanRules<'s> {
    sheet: &'s EditSheet,
    facts: &'s TextFacts,
    fields: Vec<(ContactField, usize, Vec<CleanRule>)>,
    first: usize,
    last: usize,
    country: usize,
    regions: [usize; 2],
}

/// Fields that are read in addition to those that are checked.
pub(super) const CONTEXT: [ContactField; 3] = [FIRSTNAME, LASTNAME, COUNTRY];

impl<'s> CleanRules<'s> {
    /// Builds the rules. The sheet must contain all `fields` and the fields of [`CONTEXT`].
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

    /// Calls `found` for everything the rules find in a contact, with the position of the field among the checked
    /// fields.
    pub(super) fn find_all(&self, seen: &SheetRow, mut found: impl FnMut(CleanKind, usize)) {
        for (n, (field, at, looks)) in self.fields.iter().enumerate() {
            let Some(text) = seen.shown_text(*at) else { continue };
            for look in looks {
                if let Some((kind, _)) = self.check_rule(*look, *field, *at, text, seen) {
                    found(kind, n);
                }
            }
        }
    }

    /// Returns what one rule finds in one field.
    pub(super) fn find_one(&self, kind: CleanKind, field: ContactField, seen: &SheetRow) -> Option<CleanFinding> {
        let (_, at, looks) = self.fields.iter().find(|(other, ..)| *other == field)?;
        let text = seen.shown_text(*at)?;
        let found = looks.iter().filter_map(|look| self.check_rule(*look, field, *at, text, seen));
        found.into_iter().find(|(other, _)| *other == kind).map(|(_, finding)| finding)
    }

    /// Returns the region of the contact's own number.
    fn contact_region<'r>(&self, seen: &SheetRow<'r>) -> Option<&'r str> {
        self.regions.iter().find_map(|at| seen.stored_value(*at))
    }

    fn check_rule(
        &self,
        look: CleanRule,
        field: ContactField,
        at: usize,
        text: &str,
        seen: &SheetRow,
    ) -> Option<(CleanKind, CleanFinding)> {
        let one = |text: String| CleanFinding { cells: vec![(at, Some(text))], evidence: None };
        let without_fix = || CleanFinding { cells: vec![(at, None)], evidence: None };
        match look {
            CleanRule::Number => self.check_number(field, at, text, seen),
            CleanRule::Email => {
                if let Some(meant) = email::fix_typing_error(text) {
                    return Some((CleanKind::EmailSlip, one(meant)));
                }
                (!email::is_email_address(text)).then(|| (CleanKind::NotAnEmail, without_fix()))
            }
            CleanRule::Date => is_impossible_date(text).then(|| (CleanKind::ImpossibleDate, without_fix())),
            CleanRule::Text => {
                let wrong = numbers::check_text(text)?;
                self.keep_if_valid(
                    field,
                    at,
                    wrong.kind,
                    CleanFinding { cells: vec![(at, wrong.mended)], evidence: None },
                    seen,
                )
            }
            CleanRule::Zip => {
                let padded = self.facts.padded_zip(text, seen.shown_text(self.country), self.contact_region(seen))?;
                self.keep_if_valid(field, at, CleanKind::LostZero, one(padded), seen)
            }
            CleanRule::Region => {
                let usual = self.facts.find_other_region(text, self.contact_region(seen)?)?;
                let evidence = Some(CleanEvidence::UsualRegion(usual));
                Some((CleanKind::RegionMismatch, CleanFinding { cells: vec![(at, None)], evidence }))
            }
            CleanRule::Swapped => {
                let (first, last) = (seen.shown_text(self.first)?, seen.shown_text(self.last)?);
                let counts = self.facts.find_swapped_names(first, last)?;
                let cells = vec![(self.first, Some(last.to_owned())), (self.last, Some(first.to_owned()))];
                let fits = |text: &str| {
                    fields::check_cell(FIRSTNAME, Some(text), |text| self.sheet.region_of(seen, text)).is_ok()
                };
                (fits(first) && fits(last)).then_some((
                    CleanKind::SwappedNames,
                    CleanFinding { cells, evidence: Some(CleanEvidence::Names(counts)) },
                ))
            }
            CleanRule::Case => {
                let named = letters::to_name_case(text, |word| self.facts.spelling(word))?;
                self.keep_if_valid(field, at, CleanKind::LetterCase, one(named), seen)
            }
            CleanRule::Blanks => {
                let tidied = letters::tidy_spaces(text);
                if tidied == text {
                    return None;
                }
                // The rule for numbers removes spaces in a number together with the rest of its spelling.
                if rules_for(field).contains(&CleanRule::Number) && self.check_number(field, at, text, seen).is_some() {
                    return None;
                }
                self.keep_if_valid(field, at, CleanKind::WhiteSpace, one(tidied), seen)
            }
            CleanRule::Twins => {
                let mended = letters::without_look_alikes(text)?;
                self.keep_if_valid(field, at, CleanKind::LookAlike, one(mended), seen)
            }
        }
    }

    fn check_number(
        &self,
        field: ContactField,
        at: usize,
        text: &str,
        seen: &SheetRow,
    ) -> Option<(CleanKind, CleanFinding)> {
        let is_number = fields::number_fields(field).is_some();
        // A stored number is already in E.164 form.
        if is_number && seen.stored_value(at) == Some(text) {
            return None;
        }
        let region = self.sheet.region_of(seen, text);
        let wrong = numbers::check_number(text, region, is_number).or_else(|| {
            // The number is valid in the spelling in which it was typed.
            is_number.then(|| numbers::NumberProblem { kind: CleanKind::NotE164, mended: Some(text.to_owned()) })
        })?;
        let evidence = wrong.mended.as_ref().map(|_| CleanEvidence::ReadIn(region.code()));
        self.keep_if_valid(field, at, wrong.kind, CleanFinding { cells: vec![(at, wrong.mended)], evidence }, seen)
    }

    /// Returns the finding only if the field's rule accepts the proposed text.
    fn keep_if_valid(
        &self,
        field: ContactField,
        at: usize,
        kind: CleanKind,
        finding: CleanFinding,
        seen: &SheetRow,
    ) -> Option<(CleanKind, CleanFinding)> {
        let text = finding.cells.iter().find(|(cell, _)| *cell == at).and_then(|(_, text)| text.as_deref());
        let value = text.filter(|text| !text.is_empty());
        let is_taken =
            text.is_none() || fields::check_cell(field, value, |text| self.sheet.region_of(seen, text)).is_ok();
        is_taken.then_some((kind, finding))
    }
}
