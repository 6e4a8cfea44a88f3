//! Acts on cells and rows of a view. Each is one step; what a rule refuses is kept as a draft, with the rule's words.

mod bulk;
pub(in crate::contact) mod cells;
mod drafts;
mod paste;
mod plan;
mod rows;
mod run;
#[cfg(test)]
mod tests;
pub(in crate::contact) mod texts;

pub use self::{
    bulk::{
        BulkAct, CopyColumn, CopyMode, FillWay, FillWith, NumberSeries, NumbersRead, TextExtract, TextJoin,
        TextReplace, TextSplit,
    },
    drafts::{CellDraft, UnsentChange},
    paste::{Paste, PasteMode, Pasted, Refused},
    rows::{OptedOut, Sent},
    texts::LetterCase,
};

use std::sync::Arc;

use roost_model::{id::ListId, intervals::Intervals};
use roost_store::{
    change_log::{Action, Change, Noun},
    error::Error as StoreError,
    tables::{
        contacts::view as records,
        lists::{self, ListRow},
        steps::Act,
    },
    tx::WriteTx,
    watch::Watch,
};

use self::cells::{Item, Tally};
use super::{ViewId, view::View};
use crate::{
    contact::fields,
    core::{By, Core},
    error::{Error, Result},
};

/// A cell whose rule refused what was typed, and the rule's words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellFault {
    pub row: u64,
    pub field: String,
    pub message: String,
}

/// What would become of a cell. With a fault, `after` is kept as a draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    pub row: u64,
    pub field: String,
    pub before: Option<String>,
    pub after: Option<String>,
    pub fault: Option<String>,
}

/// Some rows and columns of a view.
#[derive(Debug, Clone, Copy)]
pub struct Selection<'a> {
    pub view: ViewId,
    /// In which the page saw the rows; none: whatever stands there now.
    pub generation: Option<u32>,
    pub rows: &'a Intervals,
    pub columns: &'a [String],
}

/// A cell and what was typed into it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellEdit {
    pub row: u64,
    pub field: String,
    pub text: Option<String>,
}

/// What came of an act on cells, or would.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Edited {
    /// Cells that the act is for.
    pub matched: u64,
    /// Contacts with a changed cell.
    pub rows: u64,
    /// Cells that show another value now.
    pub changed: u64,
    /// Cells that are kept as drafts because of it.
    pub drafts: u64,
    /// The first hundred.
    pub faults: Vec<CellFault>,
    /// The first ten cells that change, in a preview.
    pub sample: Vec<Sample>,
    /// None: nothing changed.
    pub step: Option<i64>,
}

impl Edited {
    fn of(tally: Tally, step: Option<i64>) -> Self {
        let Tally { matched, rows, changed, drafts, faults, sample, .. } = tally;
        Self { matched, rows, changed, drafts, faults, sample, step }
    }

    /// What comes of several acts together, none of them written yet.
    pub fn sum(parts: Vec<Self>) -> Self {
        let tallies = parts.into_iter().map(|Self { matched, rows, changed, drafts, faults, sample, .. }| Tally {
            matched,
            rows,
            changed,
            drafts,
            faults,
            sample,
            ..Tally::default()
        });
        Self::of(Tally::sum(tallies), None)
    }
}

/// Most cells that are typed at once.
pub const EDIT_CELLS: usize = 10_000;

pub(super) const MOVED: &str = "The rows have other places by now. Look at them again and repeat.";

/// Whoever looks on; nobody can be as well.
fn watch(by: &By) -> Arc<Watch> {
    by.watch.clone().unwrap_or_default()
}

fn check(watch: &Watch) -> Result<()> {
    if watch.is_cancelled() { Err(StoreError::Cancelled.into()) } else { Ok(()) }
}

/// The selected rows as they stand in the view.
fn items(view: &View, generation: Option<u32>, rows: &Intervals) -> Result<Vec<Item>> {
    let standing = view.rows();
    if generation.is_some_and(|seen| seen != standing.generation) {
        return Err(Error::conflict(MOVED));
    }
    let rows = rows.cut(standing.ids.len() as u64);
    let mut items = Vec::with_capacity(rows.len() as usize);
    for &(from, to) in rows.pairs() {
        for row in from..to {
            items.push(Item {
                id: standing.ids[row as usize],
                row: row as u32,
                n: items.len() as u32,
                first: from as u32,
            });
        }
    }
    Ok(items)
}

/// What an act did to the contacts of a list.
pub(in crate::contact) struct Outcome {
    pub updated: u64,
    pub added: u64,
    /// Whether a value changed, and not drafts alone.
    pub has_values: bool,
    /// The contact that gives the step its name, where it is about one.
    pub only: Option<i64>,
}

/// Ends the act: the list's clock, the step's name, the log. Nothing is told when nothing changed.
pub(in crate::contact) fn told(
    core: &Core,
    tx: &WriteTx,
    row: ListRow,
    list: &ListId,
    act: Act,
    outcome: &Outcome,
) -> Result<Option<i64>> {
    let Outcome { updated, added, has_values, only } = outcome;
    if updated + added == 0 {
        return Ok(None);
    }
    if *has_values || *added > 0 {
        lists::touch(tx, row, core.ctx().now(), *added as i64)?;
    }
    let mut act = act.count(updated + added);
    let contact = match *only {
        Some(id) => records::rows(tx, &[id], &[])?.pop(),
        None => None,
    };
    if let Some(seen) = &contact {
        act = act.subject(fields::title(&seen.contact)).uid(&seen.contact.uid);
    } else {
        let subject = lists::get(tx, list)?.map_or_else(String::new, |list| list.name);
        act = act.subject(subject).uid(list);
    }
    tx.act(act);
    match &contact {
        Some(seen) => tx.log(Change::one(Noun::Contact, Action::Updated, &seen.contact.uid)),
        None if *updated > 0 => tx.log(Change::many(Noun::Contact, Action::Updated, list, *updated)),
        None => {}
    }
    if *added > 0 {
        tx.log(Change::many(Noun::Contact, Action::Created, list, *added));
    }
    tx.log(Change::one(Noun::List, Action::Updated, list));
    Ok(Some(tx.step()))
}

/// Rows looked at at once, when those that left the filter are marked.
const MARKED: usize = 20_000;

/// The view knows of the act, so that it is not stale by it. That is for the eye only: what was written stands.
fn patch(core: &Core, view: &View, step: Option<i64>, ids: &[i64]) {
    let Some(step) = step else { return };
    let can_leave = view.spec.filter.is_some() || view.spec.text.is_some();
    let ids = if can_leave { ids } else { &[] };
    let mut parts = ids.chunks(MARKED);
    let mut part = parts.next().unwrap_or_default();
    loop {
        if view.edited(core, step, part).is_err() {
            return;
        }
        match parts.next() {
            Some(next) => part = next,
            None => return,
        }
    }
}
