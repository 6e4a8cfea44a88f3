//! Finds texts in a whole list that should be written differently, shows the effect of each fix, and applies it in one
//! step.
//!
//! A fix is never a guess: digits that a spreadsheet removed are flagged and left unchanged.

mod apply;
mod facts;
mod find;
mod letters;
mod numbers;
mod rules;
#[cfg(test)]
mod tests;

pub use self::{
    apply::{CleanCell, CleanRow, CleanRows, CleanSummary},
    facts::NameCounts,
    rules::CleanEvidence,
};

use std::{collections::HashSet, sync::Arc, time::Duration};

use roost_model::{contact::ContactField, id::ListId, page::PageRequest};
use serde::{Deserialize, Serialize};

use self::facts::TextFacts;
use crate::{
    SearchProgress,
    background::{BackgroundSearch, BackgroundSearches},
};
use roost_ops::{
    core::Core,
    error::{Error, Result},
};

/// The kind of problem in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum CleanKind {
    /// A spreadsheet treated a phone number as an integer and removed the leading 0.
    LostZero,
    /// A spreadsheet wrote a number as `4.47700900001E+11`, which still contains every digit.
    Scientific,
    /// A spreadsheet wrote a number as `4.47E+11`, and the digits are lost. Flagged only.
    DigitsLost,
    /// A valid number in another spelling.
    NotE164,
    /// A text that was meant as a number but is invalid: too short, too long or not in use. Flagged only.
    NotANumber,
    /// The number belongs to another region than nearly all numbers of that country. Flagged only.
    RegionMismatch,
    /// An email address with a typing error in its domain, such as `gmial.com`.
    EmailSlip,
    /// Not an email address. Flagged only.
    NotAnEmail,
    /// A date of birth that no calendar has. Flagged only.
    ImpossibleDate,
    /// First and last name are in each other's field.
    SwappedNames,
    /// The text is entirely in upper case or entirely in lower case.
    LetterCase,
    /// Spaces at the ends, repeated spaces, or invisible characters.
    WhiteSpace,
    /// Letters of another script that look like letters of the word.
    LookAlike,
}

impl CleanKind {
    pub const ALL: [Self; 13] = [
        Self::LostZero,
        Self::Scientific,
        Self::DigitsLost,
        Self::NotE164,
        Self::NotANumber,
        Self::RegionMismatch,
        Self::EmailSlip,
        Self::NotAnEmail,
        Self::ImpossibleDate,
        Self::SwappedNames,
        Self::LetterCase,
        Self::WhiteSpace,
        Self::LookAlike,
    ];

    /// Returns whether a fix is known.
    pub fn can_fix(self) -> bool {
        self.act_name().is_some()
    }

    /// Returns the name of the fix's act in the timeline.
    fn act_name(self) -> Option<&'static str> {
        match self {
            Self::LostZero => Some("clean_lost_zero"),
            Self::Scientific => Some("clean_scientific"),
            Self::NotE164 => Some("clean_e164"),
            Self::EmailSlip => Some("clean_email_slip"),
            Self::SwappedNames => Some("clean_swapped_names"),
            Self::LetterCase => Some("clean_letter_case"),
            Self::WhiteSpace => Some("clean_white_space"),
            Self::LookAlike => Some("clean_look_alike"),
            Self::DigitsLost | Self::NotANumber | Self::RegionMismatch | Self::NotAnEmail | Self::ImpossibleDate => {
                None
            }
        }
    }
}

/// One kind of problem in one field of a list.
#[derive(Debug, Clone)]
struct Suggestion {
    kind: CleanKind,
    field: ContactField,
    /// Positions in the array of ids, in ascending order.
    rows: Vec<u32>,
    /// Increases when some rows are fixed, because the other rows then have other positions.
    generation: u32,
    fixed: u64,
    is_skipped: bool,
}

/// The result of a search.
#[derive(Debug, Clone, Default)]
pub(super) struct CleanFindings {
    facts: Arc<TextFacts>,
    ids: Arc<Vec<i64>>,
    /// The suggestions, the largest effect first.
    suggestions: Vec<Suggestion>,
    /// The number of the first suggestion. A number is never used twice in a search.
    first: u64,
    skipped: HashSet<(CleanKind, ContactField)>,
}

impl CleanFindings {
    fn position_of(&self, number: u64) -> Result<usize> {
        let at = number.checked_sub(self.first).and_then(|at| usize::try_from(at).ok());
        at.filter(|at| *at < self.suggestions.len()).ok_or_else(|| Error::conflict(GONE))
    }
}

const GONE: &str = "This suggestion no longer exists. Search again.";

/// The clean-up searches that pages have open.
#[derive(Default)]
pub struct CleanSearches {
    runs: BackgroundSearches<CleanFindings>,
}

/// The status of a clean-up search.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "CleanState"))]
pub struct CleanStatus {
    /// The number of the search.
    pub id: u64,
    pub list: ListId,
    #[serde(flatten)]
    pub progress: SearchProgress,
    /// The number of open suggestions, and the sum of their contacts.
    pub suggestions: u64,
    pub effect: u64,
    pub skipped: u64,
    /// The number of contacts fixed so far, counted once for each suggestion.
    #[serde(rename = "mended")]
    pub fixed: u64,
}

/// A suggestion as it is shown to people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct CleanSuggestion {
    pub suggestion: u64,
    pub kind: CleanKind,
    /// The name of the field; for swapped names, the first name.
    pub field: String,
    /// The number of affected contacts.
    pub rows: u64,
    /// The generation of the row positions: each generation numbers the rows differently.
    pub generation: u32,
    pub can_mend: bool,
    pub is_skipped: bool,
    /// The number of contacts fixed so far.
    pub mended: u64,
    /// The first three contacts.
    pub sample: Vec<CleanRow>,
}

/// One page of the suggestions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuggestionPage {
    pub total_items: u64,
    pub items: Vec<CleanSuggestion>,
}

/// The number of contacts shown with a suggestion.
const CONTACTS_SHOWN: usize = 3;

impl CleanSearches {
    /// Starts a search of a list on a separate thread, and returns its id.
    pub fn open(&self, core: &Core, list: &ListId) -> Result<u64> {
        roost_ops::list::get(core, list)?;
        let run = self.runs.open(Some(list.clone()));
        start_search(core, &run, list)?;
        Ok(run.id)
    }

    /// Searches again. Skipped suggestions stay skipped, and all suggestions get new numbers.
    pub fn refresh(&self, core: &Core, id: u64) -> Result<()> {
        let (run, list) = self.find_search(id)?;
        start_search(core, &run, &list)
    }

    pub fn cancel(&self, id: u64) -> Result<()> {
        self.runs.get(id)?.cancel();
        Ok(())
    }

    /// Closes a search. Closing a search that is already closed has no effect.
    pub fn close(&self, id: u64) {
        self.runs.close(id);
    }

    /// Closes all searches and waits for their threads. The account is about to be closed.
    pub fn close_all(&self) {
        self.runs.close_all();
    }

    /// Returns the status, after waiting up to `wait` for the search to finish.
    pub fn read_status(&self, core: &Core, id: u64, wait: Duration) -> Result<CleanStatus> {
        let (run, list) = self.find_search(id)?;
        run.wait(wait);
        let (progress, found) = (run.read_progress(core)?, run.latest_result());
        let open = || found.suggestions.iter().filter(|one| !one.is_skipped && !one.rows.is_empty());
        Ok(CleanStatus {
            id,
            list,
            progress,
            suggestions: open().count() as u64,
            effect: open().map(|one| one.rows.len() as u64).sum(),
            skipped: found.suggestions.iter().filter(|one| one.is_skipped).count() as u64,
            fixed: found.suggestions.iter().map(|one| one.fixed).sum(),
        })
    }

    /// Skips a suggestion for as long as the search is open, or restores it.
    pub fn set_skipped(&self, id: u64, suggestion: u64, is_skipped: bool) -> Result<()> {
        let (run, _) = self.find_search(id)?;
        run.patch_result(None, |found| {
            let at = found.position_of(suggestion)?;
            let one = &mut found.suggestions[at];
            one.is_skipped = is_skipped;
            let known = (one.kind, one.field);
            if is_skipped {
                found.skipped.insert(known);
            } else {
                found.skipped.remove(&known);
            }
            Ok(())
        })
    }

    /// Returns one page of the open or of the skipped suggestions, the largest effect first.
    pub fn read_page(&self, core: &Core, id: u64, page: PageRequest, is_skipped: bool) -> Result<SuggestionPage> {
        let (run, list) = self.find_search(id)?;
        let found = run.latest_result();
        let fits = |one: &Suggestion| one.is_skipped == is_skipped && !one.rows.is_empty();
        let fitting = || found.suggestions.iter().enumerate().filter(|(_, one)| fits(one));
        let total_items = fitting().count() as u64;
        let mut items = Vec::new();
        for (at, one) in fitting().skip(page.offset() as usize).take(page.size as usize) {
            let sample = apply::describe_rows(core, &list, &found, one, 0..CONTACTS_SHOWN)?;
            items.push(CleanSuggestion {
                suggestion: found.first + at as u64,
                kind: one.kind,
                field: one.field.name().into_owned(),
                rows: one.rows.len() as u64,
                generation: one.generation,
                can_mend: one.kind.can_fix(),
                is_skipped: one.is_skipped,
                mended: one.fixed,
                sample,
            });
        }
        Ok(SuggestionPage { total_items, items })
    }

    fn find_search(&self, id: u64) -> Result<(Arc<BackgroundSearch<CleanFindings>>, ListId)> {
        let run = self.runs.get(id)?;
        let list = run.list.clone().ok_or_else(|| Error::conflict(crate::background::CLOSED))?;
        Ok((run, list))
    }
}

fn start_search(core: &Core, run: &Arc<BackgroundSearch<CleanFindings>>, list: &ListId) -> Result<()> {
    let (list, before) = (list.clone(), run.latest_result());
    run.start(core, "clean", move |core, watch| find::find_suggestions(core, &list, &before, watch))
}
