//! Applies an act to a selection or previews it. It works in chunks, so that a million rows take no more memory than a
//! few.

use std::{
    collections::{BTreeMap, HashSet},
    sync::atomic::{AtomicUsize, Ordering},
};

use roost_model::{contact::ContactField, error::FieldError};
use roost_store::{
    db::scan_pool::MAX_THREADS,
    tables::{
        contacts::grid::{drafts, edit},
        lists::ListRow,
    },
    tx::{ActDescription, WriteTx},
    watch::Watch,
};

use super::{
    super::{Grid, reading},
    BulkAct, CellEdit, CellError, CellSelection, ContactChanges, EDIT_CELLS, EditSummary, ROWS_MOVED,
    cells::{CHUNK_ROWS, EditSheet, EditTally, TargetRow, WantedCell},
    check_cancelled, patch_view,
    plan::{BulkPlan, CarriedTexts, ColumnNames},
    record_act, select_rows, watch_of,
};
use roost_ops::{
    contact::fields,
    core::{Actor, Core},
    error::{Error, Result},
};

use crate::grid::ViewId;

impl Grid {
    /// Applies an act to several selections of one view in turn, in one step.
    pub fn apply_act_to_all(
        &self,
        core: &Core,
        by: &Actor,
        selections: &[CellSelection],
        act: &BulkAct,
    ) -> Result<EditSummary> {
        let Some(first) = selections.first() else { return Ok(EditSummary::default()) };
        let view = self.find_view(first.view)?;
        let parts: Vec<Vec<TargetRow>> = selections
            .iter()
            .map(|selection| select_rows(&view, selection.generation, selection.rows))
            .collect::<Result<_>>()?;
        let watch = watch_of(by);
        let mut ids = Vec::new();
        let edited = core.write(by, |tx| {
            let list = reading::find_list_row(tx, &view.spec)?;
            tx.expect_rows(parts.iter().map(|items| items.len() as u64).sum());
            let (mut tallies, mut name) = (Vec::with_capacity(selections.len()), None);
            for (selection, items) in selections.iter().zip(parts) {
                let plan = BulkPlan::from_act(tx, act, selection.columns)?;
                tallies.push(write_selection(core, tx, list, &plan, items, &watch, &mut ids)?);
                name = Some(plan.act);
            }
            let tally = EditTally::sum(tallies);
            let outcome = ContactChanges { updated: tally.rows, added: 0, has_values: tally.has_values, only: None };
            let step = match name {
                Some(name) => record_act(core, tx, list, &view.spec.list, name, &outcome)?,
                None => None,
            };
            Ok::<_, Error>(EditSummary::from_tally(tally, step))
        })?;
        patch_view(core, &view, edited.step, &ids);
        Ok(edited)
    }

    /// Returns what an act would change, using several threads. Nothing is written.
    pub fn preview_act(&self, core: &Core, by: &Actor, selection: CellSelection, act: &BulkAct) -> Result<EditSummary> {
        let view = self.find_view(selection.view)?;
        let items = select_rows(&view, selection.generation, selection.rows)?;
        let watch = watch_of(by);
        let (plan, sheet) = core.read(|tx| {
            let plan = BulkPlan::from_act(tx, act, selection.columns)?;
            let list = reading::find_list_row(tx, &view.spec)?;
            let sheet = EditSheet::new(tx, core.ctx(), list, &plan.targets, &plan.sources, plan.region.as_deref())?;
            Ok((plan, sheet))
        })?;
        let threads = if plan.needs_view_order() || items.len() <= CHUNK_ROWS { 1 } else { MAX_THREADS };
        let next = AtomicUsize::new(0);
        let places = plan.locate_columns(&sheet);
        let tallies = core.scan(&watch, threads, |tx| {
            let (mut tally, mut carry) = (EditTally::default(), CarriedTexts::default());
            loop {
                let from = next.fetch_add(CHUNK_ROWS, Ordering::Relaxed);
                let Some(part) = items.get(from..(from + CHUNK_ROWS).min(items.len())).filter(|part| !part.is_empty())
                else {
                    return Ok(tally);
                };
                sheet.collect_changes(tx, part, &watch, &mut tally, &mut |item, seen, out| {
                    plan.push_wanted_cells(&sheet, &places, item, seen, &mut carry, out)
                })?;
                watch.add_rows(part.len() as u64);
            }
        })?;
        check_cancelled(&watch)?;
        Ok(EditSummary::from_tally(EditTally::sum(tallies), None))
    }

    /// Writes texts that were typed into cells, in one step.
    pub fn edit_cells(
        &self,
        core: &Core,
        by: &Actor,
        view: ViewId,
        generation: Option<u32>,
        cells: &[CellEdit],
        region: Option<&str>,
    ) -> Result<EditSummary> {
        let Some(first) = cells.first() else { return Ok(EditSummary::default()) };
        if cells.len() > EDIT_CELLS {
            return Err(FieldError::new("cells", format!("Give at most {EDIT_CELLS} at once."), cells.len()).into());
        }
        let view = self.find_view(view)?;
        let view_rows = view.rows();
        if generation.is_some_and(|seen| seen != view_rows.generation) {
            return Err(Error::conflict(ROWS_MOVED));
        }
        let watch = watch_of(by);
        let mut ids = Vec::new();
        let edited = core.write(by, |tx| {
            let names = ColumnNames::read(tx)?;
            let (mut typed, mut targets) = (BTreeMap::<u64, Vec<(ContactField, Option<String>)>>::new(), Vec::new());
            for (n, cell) in cells.iter().enumerate() {
                let path = format!("cells[{n}]");
                let Some(field) = names.to_field(&cell.field) else {
                    return Err(FieldError::new(path, "The field was not found.", cell.field.as_str()).into());
                };
                if !fields::is_settable(field) {
                    return Err(FieldError::new(path, fields::NOT_SETTABLE, cell.field.as_str()).into());
                }
                if cell.row >= view_rows.ids.len() as u64 {
                    return Err(FieldError::new(path, "The row was not found.", cell.row).into());
                }
                typed.entry(cell.row).or_default().push((field, cell.text.clone()));
                targets.push(field);
            }
            let list = reading::find_list_row(tx, &view.spec)?;
            let sheet = EditSheet::new(tx, core.ctx(), list, &targets, &[], region)?;
            let items: Vec<TargetRow> = typed
                .keys()
                .enumerate()
                .map(|(n, row)| TargetRow { id: view_rows.ids[*row as usize], row: *row as u32, n: n as u32, first: 0 })
                .collect();
            let (mut tally, mut found) = (EditTally::default(), HashSet::new());
            let mut setter = sheet.new_setter(tx)?;
            for part in items.chunks(CHUNK_ROWS) {
                let changes = sheet.collect_changes(tx, part, &watch, &mut tally, &mut |item, _, out| {
                    found.insert(item.n);
                    let row = typed.get(&u64::from(item.row)).into_iter().flatten();
                    out.extend(row.map(|(field, text)| WantedCell { at: sheet.column_of(*field), text: text.clone() }));
                    Ok(())
                })?;
                sheet.write_changes(tx, &mut setter, &changes, core.ctx().now(), &mut tally)?;
                ids.extend(changes.iter().map(|change| change.id));
            }
            tally.faults.extend(missing_row_errors(&items, |n| found.contains(&n), &first.field));
            tally.sample.clear();
            let only = ids.first().copied().filter(|_| tally.rows == 1);
            let outcome = ContactChanges { updated: tally.rows, added: 0, has_values: tally.has_values, only };
            let step = record_act(core, tx, list, &view.spec.list, ActDescription::new("contact_edit"), &outcome)?;
            Ok::<_, Error>(EditSummary::from_tally(EditTally::sum([tally]), step))
        })?;
        patch_view(core, &view, edited.step, &ids);
        Ok(edited)
    }
}

/// Returns an error for each row whose contact was removed since the page read it.
pub(super) fn missing_row_errors<'a>(
    items: &'a [TargetRow],
    is_there: impl Fn(u32) -> bool + 'a,
    field: &'a str,
) -> impl Iterator<Item = CellError> + 'a {
    items.iter().filter(move |item| !is_there(item.n)).map(|item| CellError {
        row: item.row.into(),
        field: field.to_owned(),
        message: "This contact no longer exists.".to_owned(),
    })
}

/// Applies a plan to the rows of one selection, and adds the changed contacts to `ids`.
fn write_selection(
    core: &Core,
    tx: &WriteTx,
    list: ListRow,
    plan: &BulkPlan,
    mut items: Vec<TargetRow>,
    watch: &Watch,
    ids: &mut Vec<i64>,
) -> Result<EditTally> {
    let sheet = EditSheet::new(tx, core.ctx(), list, &plan.targets, &plan.sources, plan.region.as_deref())?;
    if !plan.needs_view_order() {
        // Rows that are adjacent in the file are read and written faster.
        items.sort_unstable_by_key(|item| item.id);
    }
    let mut tally = EditTally::default();
    match plan.same_text() {
        Some(text) if !drafts::has_any(tx)? => {
            let all: Vec<i64> = items.iter().map(|item| item.id).collect();
            tally = write_same_text(core, tx, list, &all, &plan.targets, text, watch)?;
            ids.extend(all);
        }
        _ => {
            let places = plan.locate_columns(&sheet);
            let (mut carry, mut setter) = (CarriedTexts::default(), sheet.new_setter(tx)?);
            let now = core.ctx().now();
            for part in items.chunks(CHUNK_ROWS) {
                tx.check_cancelled()?;
                let changes = sheet.collect_changes(tx, part, watch, &mut tally, &mut |item, seen, out| {
                    plan.push_wanted_cells(&sheet, &places, item, seen, &mut carry, out)
                })?;
                sheet.write_changes(tx, &mut setter, &changes, now, &mut tally)?;
                // The writer already counts the changed rows.
                watch.add_rows((part.len() - changes.len()) as u64);
                ids.extend(changes.iter().map(|change| change.id));
            }
        }
    }
    tally.sample.clear();
    Ok(tally)
}

/// Writes one text into all cells, with one statement for each chunk.
fn write_same_text(
    core: &Core,
    tx: &WriteTx,
    list: ListRow,
    ids: &[i64],
    targets: &[ContactField],
    text: Option<&str>,
    watch: &Watch,
) -> Result<EditTally> {
    let mut tally = EditTally::default();
    let now = core.ctx().now();
    for part in ids.chunks(CHUNK_ROWS) {
        tx.check_cancelled()?;
        let reached = edit::set_all(tx, list, part, targets, text, now)?;
        tally.matched += reached.rows * targets.len() as u64;
        tally.rows += reached.rows_changed;
        tally.changed += reached.cells_changed;
        tally.has_values |= reached.rows_changed > 0;
        watch.add_rows(part.len() as u64 - reached.rows_changed);
    }
    Ok(tally)
}
