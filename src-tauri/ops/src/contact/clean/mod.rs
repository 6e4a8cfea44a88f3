//! Texts that should be written otherwise: found in a whole list, told with their effect, mended in one step.
//!
//! Nothing is ever guessed: what a spreadsheet took away is flagged and left as it is.

mod apply;
mod facts;
mod find;
mod judge;
mod letters;
mod numbers;
#[cfg(test)]
mod tests;

pub use self::{
    apply::{CleanCell, CleanRow, CleanRows, Mended},
    facts::NameCounts,
    judge::CleanEvidence,
};

use std::{collections::HashSet, sync::Arc, time::Duration};

use roost_model::{contact::ContactField, id::ListId, page::PageRequest};
use serde::{Deserialize, Serialize};

use self::facts::Facts;
use super::run::{Progress, Run, Runs};
use crate::{
    core::Core,
    error::{Error, Result},
};

/// What is wrong with a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum CleanKind {
    /// A spreadsheet took a number for a sum and cut the nought in front.
    LostZero,
    /// A spreadsheet wrote a number as `4.47700900001E+11`, with every digit in it.
    Scientific,
    /// The same as `4.47E+11`: the digits are gone. Flagged only.
    DigitsLost,
    /// A number that can be read, in another spelling.
    NotE164,
    /// Meant as a number, and none: too short, too long, not in use. Flagged only.
    NotANumber,
    /// The number is of another region than nearly all of that country. Flagged only.
    RegionMismatch,
    /// An e-mail address with a slip of the keyboard in its domain, such as `gmial.com`.
    EmailSlip,
    /// Not an e-mail address. Flagged only.
    NotAnEmail,
    /// First and last name stand in each other's place.
    SwappedNames,
    /// All in capitals, or all in small letters.
    LetterCase,
    /// Blanks at the ends, several in a row, characters that nobody sees.
    WhiteSpace,
    /// Letters of another script that look like those of the word.
    LookAlike,
}

impl CleanKind {
    pub const ALL: [Self; 12] = [
        Self::LostZero,
        Self::Scientific,
        Self::DigitsLost,
        Self::NotE164,
        Self::NotANumber,
        Self::RegionMismatch,
        Self::EmailSlip,
        Self::NotAnEmail,
        Self::SwappedNames,
        Self::LetterCase,
        Self::WhiteSpace,
        Self::LookAlike,
    ];

    /// Whether anybody knows how it should be.
    pub fn can_mend(self) -> bool {
        self.act().is_some()
    }

    /// What mending it is called in the time line.
    fn act(self) -> Option<&'static str> {
        match self {
            Self::LostZero => Some("clean_lost_zero"),
            Self::Scientific => Some("clean_scientific"),
            Self::NotE164 => Some("clean_e164"),
            Self::EmailSlip => Some("clean_email_slip"),
            Self::SwappedNames => Some("clean_swapped_names"),
            Self::LetterCase => Some("clean_letter_case"),
            Self::WhiteSpace => Some("clean_white_space"),
            Self::LookAlike => Some("clean_look_alike"),
            Self::DigitsLost | Self::NotANumber | Self::RegionMismatch | Self::NotAnEmail => None,
        }
    }
}

/// One kind of fault in one field of a list.
#[derive(Debug, Clone)]
struct Suggestion {
    kind: CleanKind,
    field: ContactField,
    /// Places among the ids, rising.
    rows: Vec<u32>,
    /// Grows when rows of it were mended, as the others then have other places.
    generation: u32,
    mended: u64,
    is_skipped: bool,
}

/// What was found in a list.
#[derive(Debug, Clone, Default)]
pub(super) struct Found {
    facts: Arc<Facts>,
    ids: Arc<Vec<i64>>,
    /// The biggest effect first.
    suggestions: Vec<Suggestion>,
    /// The number of the first: numbers are never used twice in a run.
    first: u64,
    skipped: HashSet<(CleanKind, ContactField)>,
}

impl Found {
    fn at(&self, number: u64) -> Result<usize> {
        let at = number.checked_sub(self.first).and_then(|at| usize::try_from(at).ok());
        at.filter(|at| *at < self.suggestions.len()).ok_or_else(|| Error::conflict(GONE))
    }
}

const GONE: &str = "This suggestion is gone. Look at the suggestions again.";

/// The clean-ups that pages look at.
#[derive(Default)]
pub struct Clean {
    runs: Runs<Found>,
}

/// How a clean-up stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    pub list: ListId,
    pub progress: Progress,
    /// Suggestions that nobody has decided on, and the contacts of each summed up.
    pub suggestions: u64,
    pub effect: u64,
    pub skipped: u64,
    /// Contacts mended so far, once for each suggestion.
    pub mended: u64,
}

/// A suggestion as people are told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct CleanSuggestion {
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub suggestion: u64,
    pub kind: CleanKind,
    /// By name; of swapped names the first name.
    pub field: String,
    /// Contacts it is about.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub rows: u64,
    /// Rows have other places in each.
    pub generation: u32,
    pub can_mend: bool,
    pub is_skipped: bool,
    /// Contacts mended so far.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub mended: u64,
    /// The first three.
    pub sample: Vec<CleanRow>,
}

/// One page of the suggestions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuggestionPage {
    pub total_items: u64,
    pub items: Vec<CleanSuggestion>,
}

/// Contacts shown with a suggestion.
const HEAD: usize = 3;

impl Clean {
    /// Looks through a list, on a thread of its own.
    pub fn open(&self, core: &Core, list: &ListId) -> Result<u64> {
        crate::list::get(core, list)?;
        let run = self.runs.open(Some(list.clone()));
        start(core, &run, list)?;
        Ok(run.id)
    }

    /// Looks once more. What was skipped stays skipped; numbers of suggestions are new ones.
    pub fn refresh(&self, core: &Core, id: u64) -> Result<()> {
        let (run, list) = self.run(id)?;
        start(core, &run, &list)
    }

    pub fn cancel(&self, id: u64) -> Result<()> {
        self.runs.get(id)?.cancel();
        Ok(())
    }

    /// Lets go of a clean-up; one that is gone already is as good.
    pub fn close(&self, id: u64) {
        self.runs.close(id);
    }

    /// Lets go of all and waits for their threads: the account is about to be closed.
    pub fn end(&self) {
        self.runs.end();
    }

    /// How it stands; with `wait`, as soon as it is done.
    pub fn state(&self, core: &Core, id: u64, wait: Duration) -> Result<State> {
        let (run, list) = self.run(id)?;
        run.wait(wait);
        let (progress, found) = (run.progress(core)?, run.found());
        let open = || found.suggestions.iter().filter(|one| !one.is_skipped && !one.rows.is_empty());
        Ok(State {
            list,
            progress,
            suggestions: open().count() as u64,
            effect: open().map(|one| one.rows.len() as u64).sum(),
            skipped: found.suggestions.iter().filter(|one| one.is_skipped).count() as u64,
            mended: found.suggestions.iter().map(|one| one.mended).sum(),
        })
    }

    /// Puts a suggestion aside for as long as the clean-up is open, or takes it up again.
    pub fn skip(&self, id: u64, suggestion: u64, is_skipped: bool) -> Result<()> {
        let (run, _) = self.run(id)?;
        run.patch(None, |found| {
            let at = found.at(suggestion)?;
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

    /// One page of the suggestions, the biggest effect first; those that were put aside by themselves.
    pub fn page(&self, core: &Core, id: u64, page: PageRequest, is_skipped: bool) -> Result<SuggestionPage> {
        let (run, list) = self.run(id)?;
        let found = run.found();
        let fits = |one: &Suggestion| one.is_skipped == is_skipped && !one.rows.is_empty();
        let fitting = || found.suggestions.iter().enumerate().filter(|(_, one)| fits(one));
        let total_items = fitting().count() as u64;
        let mut items = Vec::new();
        for (at, one) in fitting().skip(page.offset() as usize).take(page.size as usize) {
            let sample = apply::shown(core, &list, &found, one, 0..HEAD)?;
            items.push(CleanSuggestion {
                suggestion: found.first + at as u64,
                kind: one.kind,
                field: one.field.name().into_owned(),
                rows: one.rows.len() as u64,
                generation: one.generation,
                can_mend: one.kind.can_mend(),
                is_skipped: one.is_skipped,
                mended: one.mended,
                sample,
            });
        }
        Ok(SuggestionPage { total_items, items })
    }

    fn run(&self, id: u64) -> Result<(Arc<Run<Found>>, ListId)> {
        let run = self.runs.get(id)?;
        let list = run.list.clone().ok_or_else(|| Error::conflict(super::run::CLOSED))?;
        Ok((run, list))
    }
}

fn start(core: &Core, run: &Arc<Run<Found>>, list: &ListId) -> Result<()> {
    let (list, before) = (list.clone(), run.found());
    run.start(core, "clean", move |core, watch| find::found(core, &list, &before, watch))
}
