//! Checks one contact against every rule and returns the cells to fix. Searching, showing and fixing use the same
//! check, so that a contact that changed meanwhile is checked again.

use roost_model::contact::{Attribute, ContactField, email};
use serde::Serialize;

use super::{
    CleanKind,
    facts::{COUNTRY, FIRSTNAME, Facts, LASTNAME, NAMES, NameCounts, ZIP},
    letters, numbers,
};
use crate::contact::{
    fields::{self, EMAIL},
    grid::edit::cells::{Seen, Sheet},
};

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
pub(super) struct Finding {
    /// The column of each cell in the sheet with its new text, or `None` if no fix is known.
    pub cells: Vec<(usize, Option<String>)>,
    pub evidence: Option<CleanEvidence>,
}

/// A rule that checks a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Look {
    Number,
    Email,
    Text,
    Zip,
    Region,
    Swapped,
    Case,
    Blanks,
    Twins,
}

fn looks(field: ContactField) -> Vec<Look> {
    let mut looks = match field {
        ContactField::PhoneNumber | ContactField::WhatsappId => return vec![Look::Number],
        ContactField::Attribute(Attribute::AlternatePhone) => return vec![Look::Number, Look::Blanks],
        EMAIL => vec![Look::Email],
        FIRSTNAME => vec![Look::Swapped, Look::Text],
        COUNTRY => vec![Look::Region, Look::Text],
        ZIP => vec![Look::Zip, Look::Text],
        _ => vec![Look::Text],
    };
    if NAMES.contains(&field) {
        looks.push(Look::Case);
    }
    looks.extend([Look::Blanks, Look::Twins]);
    looks
}

/// The rules, applied to the columns of a sheet.
pub(super) struct Judge<'s> {
    sheet: &'s Sheet,
    facts: &'s Facts,
    fields: Vec<(ContactField, usize, Vec<Look>)>,
    first: usize,
    last: usize,
    country: usize,
    regions: [usize; 2],
}

/// Fields that are read in addition to those that are checked.
pub(super) const CONTEXT: [ContactField; 3] = [FIRSTNAME, LASTNAME, COUNTRY];

impl<'s> Judge<'s> {
    /// Builds the rules. The sheet must contain all `fields` and the fields of [`CONTEXT`].
    pub fn new(sheet: &'s Sheet, facts: &'s Facts, fields: &[ContactField]) -> Self {
        Self {
            sheet,
            facts,
            fields: fields.iter().map(|field| (*field, sheet.at(*field), looks(*field))).collect(),
            first: sheet.at(FIRSTNAME),
            last: sheet.at(LASTNAME),
            country: sheet.at(COUNTRY),
            regions: [sheet.at(ContactField::PhoneRegion), sheet.at(ContactField::WhatsappRegion)],
        }
    }

    /// Calls `found` for everything the rules find in a contact, with the position of the field among the checked
    /// fields.
    pub fn all(&self, seen: &Seen, mut found: impl FnMut(CleanKind, usize)) {
        for (n, (field, at, looks)) in self.fields.iter().enumerate() {
            let Some(text) = seen.shown(*at) else { continue };
            for look in looks {
                if let Some((kind, _)) = self.look(*look, *field, *at, text, seen) {
                    found(kind, n);
                }
            }
        }
    }

    /// Returns what one rule finds in one field.
    pub fn one(&self, kind: CleanKind, field: ContactField, seen: &Seen) -> Option<Finding> {
        let (_, at, looks) = self.fields.iter().find(|(other, ..)| *other == field)?;
        let text = seen.shown(*at)?;
        let found = looks.iter().filter_map(|look| self.look(*look, field, *at, text, seen));
        found.into_iter().find(|(other, _)| *other == kind).map(|(_, finding)| finding)
    }

    /// Returns the region of the contact's own number.
    fn region<'r>(&self, seen: &Seen<'r>) -> Option<&'r str> {
        self.regions.iter().find_map(|at| seen.stored(*at))
    }

    fn look(
        &self,
        look: Look,
        field: ContactField,
        at: usize,
        text: &str,
        seen: &Seen,
    ) -> Option<(CleanKind, Finding)> {
        let one = |text: String| Finding { cells: vec![(at, Some(text))], evidence: None };
        match look {
            Look::Number => self.number(field, at, text, seen),
            Look::Email => {
                if let Some(meant) = email::without_slip(text) {
                    return Some((CleanKind::EmailSlip, one(meant)));
                }
                let finding = Finding { cells: vec![(at, None)], evidence: None };
                (!email::is_email_address(text)).then_some((CleanKind::NotAnEmail, finding))
            }
            Look::Text => {
                let wrong = numbers::text(text)?;
                self.taken(field, at, wrong.kind, Finding { cells: vec![(at, wrong.mended)], evidence: None }, seen)
            }
            Look::Zip => {
                let padded = self.facts.padded_zip(text, seen.shown(self.country), self.region(seen))?;
                self.taken(field, at, CleanKind::LostZero, one(padded), seen)
            }
            Look::Region => {
                let usual = self.facts.other_region(text, self.region(seen)?)?;
                let evidence = Some(CleanEvidence::UsualRegion(usual));
                Some((CleanKind::RegionMismatch, Finding { cells: vec![(at, None)], evidence }))
            }
            Look::Swapped => {
                let (first, last) = (seen.shown(self.first)?, seen.shown(self.last)?);
                let counts = self.facts.swapped(first, last)?;
                let cells = vec![(self.first, Some(last.to_owned())), (self.last, Some(first.to_owned()))];
                let fits = |text: &str| {
                    fields::settle_one(FIRSTNAME, Some(text), |text| self.sheet.region_of(seen, text)).is_ok()
                };
                (fits(first) && fits(last)).then_some((
                    CleanKind::SwappedNames,
                    Finding { cells, evidence: Some(CleanEvidence::Names(counts)) },
                ))
            }
            Look::Case => {
                let named = letters::named(text, |word| self.facts.spelling(word))?;
                self.taken(field, at, CleanKind::LetterCase, one(named), seen)
            }
            Look::Blanks => {
                let tidied = letters::tidied(text);
                if tidied == text {
                    return None;
                }
                // The rule for numbers removes spaces in a number together with the rest of its spelling.
                if looks(field).contains(&Look::Number) && self.number(field, at, text, seen).is_some() {
                    return None;
                }
                self.taken(field, at, CleanKind::WhiteSpace, one(tidied), seen)
            }
            Look::Twins => {
                let mended = letters::without_look_alikes(text)?;
                self.taken(field, at, CleanKind::LookAlike, one(mended), seen)
            }
        }
    }

    fn number(&self, field: ContactField, at: usize, text: &str, seen: &Seen) -> Option<(CleanKind, Finding)> {
        let is_number = fields::number_fields(field).is_some();
        // A stored number is already in E.164 form.
        if is_number && seen.stored(at) == Some(text) {
            return None;
        }
        let region = self.sheet.region_of(seen, text);
        let wrong = numbers::number(text, region, is_number).or_else(|| {
            // The number is valid in the spelling in which it was typed.
            is_number.then(|| numbers::Wrong { kind: CleanKind::NotE164, mended: Some(text.to_owned()) })
        })?;
        let evidence = wrong.mended.as_ref().map(|_| CleanEvidence::ReadIn(region.code()));
        self.taken(field, at, wrong.kind, Finding { cells: vec![(at, wrong.mended)], evidence }, seen)
    }

    /// Returns the finding only if the field's rule accepts the proposed text.
    fn taken(
        &self,
        field: ContactField,
        at: usize,
        kind: CleanKind,
        finding: Finding,
        seen: &Seen,
    ) -> Option<(CleanKind, Finding)> {
        let text = finding.cells.iter().find(|(cell, _)| *cell == at).and_then(|(_, text)| text.as_deref());
        let asked = text.filter(|text| !text.is_empty());
        let is_taken =
            text.is_none() || fields::settle_one(field, asked, |text| self.sheet.region_of(seen, text)).is_ok();
        is_taken.then_some((kind, finding))
    }
}
