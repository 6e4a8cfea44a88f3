//! Shows the rows of a suggestion before and after the fix, and applies the fix in one step.

use std::{collections::BTreeMap, ops::Range, sync::Arc};

use roost_model::{
    contact::ContactField,
    error::FieldError,
    id::{ContactId, ListId},
    intervals::RowIntervals,
    page::PageRequest,
};
use roost_store::{
    change_log::Noun,
    tables::{
        contacts::list_view,
        lists::{self, ListRow},
    },
    tx::{ActDescription, ReadTx},
    watch::Watch,
};
use serde::Serialize;

use super::{
    CleanFindings, CleanKind, CleanSearches, Suggestion,
    facts::LASTNAME,
    rules::{CONTEXT_FIELDS, CleanEvidence, CleanFinding, CleanRules},
};
use roost_ops::{
    contact::fields,
    core::{Actor, Core},
    ctx::Ctx,
    error::{Error, OrNotFound, Result},
    opt_out::LostOptOut,
};

use crate::{
    background::check_cancelled,
    grid::edit::{
        ContactChanges,
        cells::{CHUNK_ROWS, EditSheet, EditTally, TargetRow, WantedCell},
        record_act,
    },
};

/// A cell before and after the fix.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct CleanCell {
    pub field: String,
    pub before: Option<String>,
    /// Null if no fix is known, and if the cell would be empty.
    pub after: Option<String>,
}

/// A contact of a suggestion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct CleanRow {
    /// The position of the contact in the suggestion.
    pub row: u64,
    pub uid: ContactId,
    pub title: String,
    /// Empty if the contact no longer needs a fix.
    pub cells: Vec<CleanCell>,
    pub evidence: Option<CleanEvidence>,
}

/// One page of the contacts of a suggestion. Removed contacts are left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CleanRows {
    pub total_items: u64,
    pub generation: u32,
    pub items: Vec<CleanRow>,
}

/// The result of a fix or of its preview.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "CleanMended"))]
pub struct CleanSummary {
    /// The number of contacts that were selected.
    pub matched: u64,
    /// The numbers of contacts and cells that changed.
    pub rows: u64,
    pub cells: u64,
    /// The first ten contacts that would change, in a preview.
    #[serde(rename = "sample")]
    pub preview_rows: Vec<CleanRow>,
    /// The opt-outs that the new numbers lack.
    pub lost_opt_outs: Vec<LostOptOut>,
    /// Null if nothing changed, or in a preview.
    pub step: Option<i64>,
}

const SAMPLE: usize = 10;
const ROWS_MOVED: &str = "The rows of this suggestion have moved. Check them, and try again.";

/// Returns the fields that a fix may write.
fn target_fields(one: &Suggestion) -> Vec<ContactField> {
    match one.kind {
        CleanKind::SwappedNames => vec![one.field, LASTNAME],
        _ => vec![one.field],
    }
}

fn open_sheet(tx: &ReadTx, ctx: &Ctx, list: &ListId, one: &Suggestion) -> Result<(ListRow, EditSheet)> {
    let row = lists::row_of(tx, list)?.or_not_found(Noun::List, list)?;
    Ok((row, EditSheet::new(tx, ctx, row, &target_fields(one), &CONTEXT_FIELDS, None)?))
}

/// Returns the rows at the given positions of a suggestion.
fn select_items(found: &CleanFindings, one: &Suggestion, places: impl Iterator<Item = u64>) -> Vec<TargetRow> {
    let item = |place: u64| {
        let n = one.rows[place as usize];
        TargetRow { id: found.ids[n as usize], row: place as u32, n, first: 0 }
    };
    places.map(item).collect()
}

/// Returns some rows of a suggestion as they are now, with the proposed changes.
pub(super) fn describe_rows(
    core: &Core,
    list: &ListId,
    found: &CleanFindings,
    one: &Suggestion,
    places: Range<usize>,
) -> Result<Vec<CleanRow>> {
    let end = places.end.min(one.rows.len());
    let items = select_items(found, one, (places.start.min(end)..end).map(|place| place as u64));
    core.read(|tx| build_rows(tx, core.ctx(), list, found, one, &items))
}

fn build_rows(
    tx: &ReadTx,
    ctx: &Ctx,
    list: &ListId,
    found: &CleanFindings,
    one: &Suggestion,
    items: &[TargetRow],
) -> Result<Vec<CleanRow>> {
    let (_, sheet) = open_sheet(tx, ctx, list, one)?;
    let judge = CleanRules::new(&sheet, &found.facts, &[one.field]);
    let written = target_fields(one);
    let mut findings: BTreeMap<u32, (Vec<CleanCell>, Option<CleanEvidence>)> = BTreeMap::new();
    sheet.collect_changes(tx, items, &Watch::default(), &mut EditTally::default(), &mut |item, seen, _| {
        let CleanFinding { cells, evidence } = judge.find_kind(one.kind, one.field, seen).unwrap_or_default();
        let cell = |(at, after): (usize, Option<String>)| {
            let field = written.iter().find(|field| sheet.column_of(**field) == at)?;
            let before = seen.shown_text(at).map(str::to_owned);
            Some(CleanCell { field: field.name().into_owned(), before, after: after.filter(|text| !text.is_empty()) })
        };
        findings.insert(item.row, (cells.into_iter().filter_map(cell).collect(), evidence));
        Ok(())
    })?;
    let mut shown = Vec::with_capacity(items.len());
    for item in items {
        // The contact was removed or moved to another list.
        let Some((cells, evidence)) = findings.remove(&item.row) else { continue };
        let Some(seen) = list_view::read_by_ids(tx, &[item.id], &[])?.pop() else { continue };
        let title = fields::contact_title(&seen.contact);
        shown.push(CleanRow { row: item.row.into(), uid: seen.contact.uid, title, cells, evidence });
    }
    Ok(shown)
}

impl CleanSearches {
    /// Returns one page of the contacts of a suggestion.
    pub fn read_rows(&self, core: &Core, id: u64, suggestion: u64, page: PageRequest) -> Result<CleanRows> {
        let (run, list) = self.find_search(id)?;
        let found = run.latest_result();
        let one = &found.suggestions[found.position_of(suggestion)?];
        let from = page.offset() as usize;
        let items = describe_rows(core, &list, &found, one, from..from.saturating_add(page.size as usize))?;
        Ok(CleanRows { total_items: one.rows.len() as u64, generation: one.generation, items })
    }

    /// Returns the selected rows, or all if none are selected. Fails if the rows have moved since the page read them.
    fn select_rows(
        found: &CleanFindings,
        suggestion: u64,
        generation: Option<u32>,
        rows: Option<&RowIntervals>,
    ) -> Result<(usize, RowIntervals, Vec<TargetRow>)> {
        let at = found.position_of(suggestion)?;
        let one = &found.suggestions[at];
        if !one.kind.can_fix() {
            let message = "The right value is unknown. Check the contacts one by one.";
            return Err(FieldError::new("suggestion", message, suggestion).into());
        }
        if rows.is_some() && generation.is_some_and(|seen| seen != one.generation) {
            return Err(Error::conflict(ROWS_MOVED));
        }
        let total = one.rows.len() as u64;
        let rows = rows.map_or_else(|| RowIntervals::all_below(total), |rows| rows.keep_below(total));
        let items = select_items(found, one, rows.rows());
        Ok((at, rows, items))
    }

    /// Returns what the fix would change, without writing anything.
    pub fn preview(
        &self,
        core: &Core,
        by: &Actor,
        id: u64,
        suggestion: u64,
        generation: Option<u32>,
        rows: Option<&RowIntervals>,
    ) -> Result<CleanSummary> {
        let (run, list) = self.find_search(id)?;
        let found = run.latest_result();
        let (at, _, items) = Self::select_rows(&found, suggestion, generation, rows)?;
        let one = &found.suggestions[at];
        let watch = by.watch.clone().unwrap_or_default();
        watch.set_expected(items.len() as u64);
        let summaries = core.scan(&watch, 1, |tx| {
            let (_, sheet) = open_sheet(tx, core.ctx(), &list, one)?;
            let judge = CleanRules::new(&sheet, &found.facts, &[one.field]);
            let (mut tally, mut first) = (EditTally::default(), Vec::new());
            for part in items.chunks(CHUNK_ROWS) {
                check_cancelled(&watch)?;
                let changes = sheet.collect_changes(tx, part, &watch, &mut tally, &mut |item, seen, out| {
                    let wanted = push_wanted_cells(&judge, one, seen, out);
                    if wanted && first.len() < SAMPLE {
                        first.push(*item);
                    }
                    Ok(())
                })?;
                drop(changes);
                watch.add_rows(part.len() as u64);
            }
            let sample = self::build_rows(tx, core.ctx(), &list, &found, one, &first)?;
            Ok(CleanSummary {
                matched: items.len() as u64,
                rows: tally.rows,
                cells: tally.changed,
                preview_rows: sample,
                lost_opt_outs: tally.lost_opt_outs,
                step: None,
            })
        })?;
        Ok(summaries.into_iter().next().unwrap_or_default())
    }

    /// Applies the fix to the selected rows of a suggestion, or to all, in one step. Each contact is checked again as
    /// it is now.
    pub fn apply(
        &self,
        core: &Core,
        by: &Actor,
        id: u64,
        suggestion: u64,
        generation: Option<u32>,
        rows: Option<&RowIntervals>,
    ) -> Result<CleanSummary> {
        let (run, list) = self.find_search(id)?;
        let found = run.latest_result();
        let (at, rows, mut items) = Self::select_rows(&found, suggestion, generation, rows)?;
        let one = &found.suggestions[at];
        let watch = by.watch.clone().unwrap_or_else(|| Arc::new(Watch::default()));
        items.sort_unstable_by_key(|item| item.id);
        let mended = core.write(by, |tx| {
            let (row, sheet) = open_sheet(tx, core.ctx(), &list, one)?;
            let judge = CleanRules::new(&sheet, &found.facts, &[one.field]);
            tx.expect_rows(items.len() as u64);
            let (mut tally, mut setter) = (EditTally::default(), sheet.new_setter(tx)?);
            let now = core.ctx().now();
            for part in items.chunks(CHUNK_ROWS) {
                tx.check_cancelled()?;
                let changes = sheet.collect_changes(tx, part, &watch, &mut tally, &mut |_, seen, out| {
                    push_wanted_cells(&judge, one, seen, out);
                    Ok(())
                })?;
                sheet.write_changes(tx, &mut setter, &changes, now, &mut tally)?;
            }
            let outcome = ContactChanges { updated: tally.rows, added: 0, has_values: tally.has_values, only: None };
            let act = ActDescription::new(one.kind.act_name().unwrap_or("clean_apply"));
            let step = record_act(core, tx, row, &list, act, &outcome)?;
            let matched = items.len() as u64;
            Ok::<_, Error>(CleanSummary {
                matched,
                rows: tally.rows,
                cells: tally.changed,
                preview_rows: Vec::new(),
                lost_opt_outs: tally.lost_opt_outs,
                step,
            })
        })?;
        let (kind, field) = (one.kind, one.field);
        drop(found);
        run.patch_result(mended.step, |found| {
            // If the list was searched again meanwhile, this suggestion no longer exists, and the new search decides.
            let Some(one) = found.position_of(suggestion).ok().map(|at| &mut found.suggestions[at]) else { return };
            if (one.kind, one.field) == (kind, field) {
                let rest = rows.complement(one.rows.len() as u64);
                one.rows = rest.rows().filter_map(|place| one.rows.get(place as usize).copied()).collect();
                one.generation += 1;
                one.fixed += mended.rows;
            }
        });
        Ok(mended)
    }
}

/// Adds the changes that the rule proposes for a contact to `out`, and returns whether there are any.
fn push_wanted_cells(
    judge: &CleanRules,
    one: &Suggestion,
    seen: &crate::grid::edit::cells::SheetRow,
    out: &mut Vec<WantedCell>,
) -> bool {
    let cells = judge.find_kind(one.kind, one.field, seen).unwrap_or_default().cells;
    let before = out.len();
    out.extend(cells.into_iter().filter_map(|(at, text)| Some(WantedCell { at, text: Some(text?) })));
    out.len() > before
}
