//! Applies acts to cells and rows of a view. Each act is one step. A text that a rule refuses is stored as a draft and
//! returned with the rule's message.

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

/// A cell whose rule refused the typed text, with the message of the rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellFault {
    pub row: u64,
    pub field: String,
    pub message: String,
}

/// A cell before and after an act. If there is an error, `after` is stored as a draft.
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
    /// The generation in which the page read the rows. If `None`, the rows are those at the positions now.
    pub generation: Option<u32>,
    pub rows: &'a Intervals,
    pub columns: &'a [String],
}

/// A cell and the text typed into it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellEdit {
    pub row: u64,
    pub field: String,
    pub text: Option<String>,
}

/// The result of an act on cells, or of its preview.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Edited {
    /// The number of cells to which the act applies.
    pub matched: u64,
    /// The number of contacts with a changed cell.
    pub rows: u64,
    /// The number of cells that now show another value.
    pub changed: u64,
    /// The number of cells that became drafts.
    pub drafts: u64,
    /// The first hundred errors.
    pub faults: Vec<CellFault>,
    /// The first ten cells that change, in a preview.
    pub sample: Vec<Sample>,
    /// `None` if nothing changed.
    pub step: Option<i64>,
}

impl Edited {
    fn of(tally: Tally, step: Option<i64>) -> Self {
        let Tally { matched, rows, changed, drafts, faults, sample, .. } = tally;
        Self { matched, rows, changed, drafts, faults, sample, step }
    }

    /// Adds up the results of several acts of which none is written yet.
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

/// The maximum number of cells in one edit.
pub const EDIT_CELLS: usize = 10_000;

pub(super) const MOVED: &str = "The rows have other places by now. Look at them again and repeat.";

/// Returns the caller's watch, or a new one if there is none.
fn watch(by: &By) -> Arc<Watch> {
    by.watch.clone().unwrap_or_default()
}

fn check(watch: &Watch) -> Result<()> {
    if watch.is_cancelled() { Err(StoreError::Cancelled.into()) } else { Ok(()) }
}

/// Returns the selected rows as they are in the view now.
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

/// The changes that an act made to the contacts of a list.
pub(in crate::contact) struct Outcome {
    pub updated: u64,
    pub added: u64,
    /// Whether any value changed, as opposed to drafts only.
    pub has_values: bool,
    /// The contact that names the step, if the act changed only one.
    pub only: Option<i64>,
}

/// Finishes the act: updates the list's clock, names the step and writes the change log. Does nothing if nothing
/// changed.
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

/// The number of rows checked at once when rows that left the filter are marked.
const MARKED: usize = 20_000;

/// Applies the step to the view, so that the view does not become stale. An error is ignored, because the change is
/// already committed.
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
