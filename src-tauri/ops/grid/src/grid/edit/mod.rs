//! Applies acts to cells and rows of a view. Each act is one step. A text that a rule refuses is stored as a draft and
//! returned with the rule's message.

mod bulk;
pub(crate) mod cells;
mod drafts;
mod paste;
mod plan;
mod rows;
mod run;
#[cfg(test)]
mod tests;
pub(crate) mod texts;

pub use self::{
    bulk::{
        BulkAct, CopyColumn, CopyMode, FillWay, FillWith, NumberSeries, NumbersRead, TextExtract, TextJoin,
        TextReplace, TextSplit,
    },
    drafts::{AgreedValue, CellDraft, UnsentChange},
    paste::{GridPasteSummary, PasteMode, PasteRequest, RefusedLine},
    rows::SendSummary,
    texts::LetterCase,
};

use std::sync::Arc;

use roost_model::{id::ListId, intervals::RowIntervals};
use roost_store::{
    change_log::{ChangeAction, ChangeLogEntry, Noun},
    error::StoreError,
    tables::{
        contacts::list_view,
        lists::{self, ListRow},
    },
    tx::{ActDescription, WriteTx},
    watch::Watch,
};

use self::cells::{EditTally, TargetRow};
use super::{ViewId, view::OpenView};
use roost_ops::{
    contact::fields,
    core::{Actor, Core},
    error::{Error, Result},
    opt_out::LostOptOut,
};
use serde::{Deserialize, Serialize};

/// A cell whose rule refused the typed text, with the message of the rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "GridCellFault"))]
pub struct CellError {
    pub row: u64,
    pub field: String,
    /// The text of the rule that refuses the value.
    pub message: String,
}

/// A cell before and after an act. If there is an error, `after` is stored as a draft.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "GridSample"))]
pub struct CellSample {
    pub row: u64,
    pub field: String,
    pub before: Option<String>,
    pub after: Option<String>,
    pub fault: Option<String>,
}

/// Some rows and columns of a view.
#[derive(Debug, Clone, Copy)]
pub struct CellSelection<'a> {
    pub view: ViewId,
    /// The generation in which the page read the rows. If `None`, the rows are those at the positions now.
    pub generation: Option<u32>,
    pub rows: &'a RowIntervals,
    pub columns: &'a [String],
}

/// A cell and the text typed into it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "GridCellEdit"))]
pub struct CellEdit {
    pub row: u64,
    pub field: String,
    pub text: Option<String>,
}

/// The result of an act on cells, or of its preview.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "GridEdited"))]
pub struct EditSummary {
    /// Cells that the act covers.
    pub matched: u64,
    /// Contacts with a changed cell.
    pub rows: u64,
    /// Cells that show another value.
    pub changed: u64,
    /// Cells whose new text a rule refuses. The text is stored as a draft.
    pub drafts: u64,
    /// The first hundred.
    pub faults: Vec<CellError>,
    /// In a preview, the first ten cells that would change.
    pub sample: Vec<CellSample>,
    /// The opt-outs that the new numbers lack.
    pub lost_opt_outs: Vec<LostOptOut>,
    /// Null if nothing changed, or in a preview.
    pub step: Option<i64>,
}

impl EditSummary {
    fn from_tally(tally: EditTally, step: Option<i64>) -> Self {
        let EditTally { matched, rows, changed, drafts, faults, sample, lost_opt_outs, .. } = tally;
        Self { matched, rows, changed, drafts, faults, sample, lost_opt_outs, step }
    }

    /// Adds up the results of several acts of which none is written yet.
    pub fn sum(parts: Vec<Self>) -> Self {
        let tallies = parts.into_iter().map(|part| {
            let Self { matched, rows, changed, drafts, faults, sample, lost_opt_outs, step: _ } = part;
            EditTally { matched, rows, changed, drafts, faults, sample, lost_opt_outs, ..EditTally::default() }
        });
        Self::from_tally(EditTally::sum(tallies), None)
    }
}

/// The maximum number of cells in one edit.
pub const EDIT_CELLS: usize = 10_000;

pub(super) const ROWS_MOVED: &str = "The rows have moved. Check them, and try again.";

/// Returns the caller's watch, or a new one if there is none.
fn watch_of(by: &Actor) -> Arc<Watch> {
    by.watch.clone().unwrap_or_default()
}

fn check_cancelled(watch: &Watch) -> Result<()> {
    if watch.is_cancelled() { Err(StoreError::Cancelled.into()) } else { Ok(()) }
}

/// Returns the selected rows as they are in the view now.
fn select_rows(view: &OpenView, generation: Option<u32>, rows: &RowIntervals) -> Result<Vec<TargetRow>> {
    let view_rows = view.rows();
    if generation.is_some_and(|seen| seen != view_rows.generation) {
        return Err(Error::conflict(ROWS_MOVED));
    }
    let rows = rows.keep_below(view_rows.ids.len() as u64);
    let mut items = Vec::with_capacity(rows.len() as usize);
    for &(from, to) in rows.pairs() {
        for row in from..to {
            items.push(TargetRow {
                id: view_rows.ids[row as usize],
                row: row as u32,
                n: items.len() as u32,
                first: from as u32,
            });
        }
    }
    Ok(items)
}

/// The changes that an act made to the contacts of a list.
pub(crate) struct ContactChanges {
    pub updated: u64,
    pub added: u64,
    /// Whether any value changed, as opposed to drafts only.
    pub has_values: bool,
    /// The contact that names the step, if the act changed only one.
    pub only: Option<i64>,
}

/// Finishes the act: updates the list's clock, names the step and writes the change log. Does nothing if nothing
/// changed.
pub(crate) fn record_act(
    core: &Core,
    tx: &WriteTx,
    row: ListRow,
    list: &ListId,
    act: ActDescription,
    outcome: &ContactChanges,
) -> Result<Option<i64>> {
    let ContactChanges { updated, added, has_values, only } = outcome;
    if updated + added == 0 {
        return Ok(None);
    }
    if *has_values || *added > 0 {
        lists::touch(tx, row, core.ctx().now(), *added as i64)?;
    }
    let mut act = act.with_count(updated + added);
    let contact = match *only {
        Some(id) => list_view::read_by_ids(tx, &[id], &[])?.pop(),
        None => None,
    };
    if let Some(seen) = &contact {
        act = act.with_subject(fields::contact_title(&seen.contact)).with_uid(&seen.contact.uid);
    } else {
        let subject = lists::get(tx, list)?.map_or_else(String::new, |list| list.name);
        act = act.with_subject(subject).with_uid(list);
    }
    tx.describe_act(act);
    match &contact {
        Some(seen) => tx.log_change(ChangeLogEntry::single(Noun::Contact, ChangeAction::Updated, &seen.contact.uid)),
        None if *updated > 0 => {
            tx.log_change(ChangeLogEntry::many(Noun::Contact, ChangeAction::Updated, list, *updated))
        }
        None => {}
    }
    if *added > 0 {
        tx.log_change(ChangeLogEntry::many(Noun::Contact, ChangeAction::Created, list, *added));
    }
    tx.log_change(ChangeLogEntry::single(Noun::List, ChangeAction::Updated, list));
    Ok(Some(tx.step()))
}

/// The number of rows checked at once when rows that left the filter are marked.
const MARK_CHUNK: usize = 20_000;

/// Applies the step to the view, so that the view does not become stale. An error is ignored, because the change is
/// already committed.
fn patch_view(core: &Core, view: &OpenView, step: Option<i64>, ids: &[i64]) {
    let Some(step) = step else { return };
    let can_leave = view.spec.filter.is_some() || view.spec.text.is_some();
    let ids = if can_leave { ids } else { &[] };
    let mut parts = ids.chunks(MARK_CHUNK);
    let mut part = parts.next().unwrap_or_default();
    loop {
        if view.mark_edited(core, step, part).is_err() {
            return;
        }
        match parts.next() {
            Some(next) => part = next,
            None => return,
        }
    }
}
