//! Applies an act to a selection or previews it. It works in chunks, so that a million rows take no more memory than a
//! few.

use std::{
    collections::{BTreeMap, HashSet},
    sync::atomic::{AtomicUsize, Ordering},
};

use roost_model::{contact::ContactField, error::Fault};
use roost_store::{
    db::scanners::HANDS,
    tables::{
        contacts::grid::{drafts, edit},
        lists::ListRow,
        steps::Act,
    },
    tx::WriteTx,
    watch::Watch,
};

use super::{
    super::{Grid, reading},
    BulkAct, CellEdit, CellFault, EDIT_CELLS, Edited, MOVED, Outcome, Selection,
    cells::{Item, STRETCH, Sheet, Tally, Want},
    check, items, patch,
    plan::{Carry, Names, Plan},
    told, watch,
};
use crate::{
    contact::fields,
    core::{By, Core},
    error::{Error, Result},
    grid::ViewId,
};

impl Grid {
    /// Applies an act to every selected cell in one step.
    pub fn act(&self, core: &Core, by: &By, selection: Selection, act: &BulkAct) -> Result<Edited> {
        self.act_on_all(core, by, &[selection], act)
    }

    /// Applies an act to several selections of one view in turn, in one step.
    pub fn act_on_all(&self, core: &Core, by: &By, selections: &[Selection], act: &BulkAct) -> Result<Edited> {
        let Some(first) = selections.first() else { return Ok(Edited::default()) };
        let view = self.view(first.view)?;
        let parts: Vec<Vec<Item>> = selections
            .iter()
            .map(|selection| items(&view, selection.generation, selection.rows))
            .collect::<Result<_>>()?;
        let watch = watch(by);
        let mut ids = Vec::new();
        let edited = core.write(by, |tx| {
            let list = reading::list_of(tx, &view.spec)?;
            tx.expect_rows(parts.iter().map(|items| items.len() as u64).sum());
            let (mut tallies, mut name) = (Vec::with_capacity(selections.len()), None);
            for (selection, items) in selections.iter().zip(parts) {
                let plan = Plan::of(tx, act, selection.columns)?;
                tallies.push(write_part(core, tx, list, &plan, items, &watch, &mut ids)?);
                name = Some(plan.act);
            }
            let tally = Tally::sum(tallies);
            let outcome = Outcome { updated: tally.rows, added: 0, has_values: tally.has_values, only: None };
            let step = match name {
                Some(name) => told(core, tx, list, &view.spec.list, name, &outcome)?,
                None => None,
            };
            Ok::<_, Error>(Edited::of(tally, step))
        })?;
        patch(core, &view, edited.step, &ids);
        Ok(edited)
    }

    /// Returns what an act would change, using several threads. Nothing is written.
    pub fn act_preview(&self, core: &Core, by: &By, selection: Selection, act: &BulkAct) -> Result<Edited> {
        let view = self.view(selection.view)?;
        let items = items(&view, selection.generation, selection.rows)?;
        let watch = watch(by);
        let (plan, sheet) = core.read(|tx| {
            let plan = Plan::of(tx, act, selection.columns)?;
            let list = reading::list_of(tx, &view.spec)?;
            let sheet = Sheet::new(tx, core.ctx(), list, &plan.targets, &plan.sources, plan.region.as_deref())?;
            Ok((plan, sheet))
        })?;
        let hands = if plan.is_in_order() || items.len() <= STRETCH { 1 } else { HANDS };
        let next = AtomicUsize::new(0);
        let places = plan.places(&sheet);
        let tallies = core.scan(&watch, hands, |tx| {
            let (mut tally, mut carry) = (Tally::default(), Carry::default());
            loop {
                let from = next.fetch_add(STRETCH, Ordering::Relaxed);
                let Some(part) = items.get(from..(from + STRETCH).min(items.len())).filter(|part| !part.is_empty())
                else {
                    return Ok(tally);
                };
                sheet.judged(tx, part, &watch, &mut tally, &mut |item, seen, out| {
                    plan.wants(&sheet, &places, item, seen, &mut carry, out)
                })?;
                watch.add_rows(part.len() as u64);
            }
        })?;
        check(&watch)?;
        Ok(Edited::of(Tally::sum(tallies), None))
    }

    /// Writes texts that were typed into cells, in one step.
    pub fn edit(
        &self,
        core: &Core,
        by: &By,
        view: ViewId,
        generation: Option<u32>,
        cells: &[CellEdit],
        region: Option<&str>,
    ) -> Result<Edited> {
        let Some(first) = cells.first() else { return Ok(Edited::default()) };
        if cells.len() > EDIT_CELLS {
            return Err(Fault::new("cells", format!("Give at most {EDIT_CELLS} at once."), cells.len()).into());
        }
        let view = self.view(view)?;
        let standing = view.rows();
        if generation.is_some_and(|seen| seen != standing.generation) {
            return Err(Error::conflict(MOVED));
        }
        let watch = watch(by);
        let mut ids = Vec::new();
        let edited = core.write(by, |tx| {
            let names = Names::of(tx)?;
            let (mut typed, mut targets) = (BTreeMap::<u64, Vec<(ContactField, Option<String>)>>::new(), Vec::new());
            for (n, cell) in cells.iter().enumerate() {
                let path = format!("cells[{n}]");
                let Some(field) = names.field(&cell.field) else {
                    return Err(Fault::new(path, "There is no such field.", cell.field.as_str()).into());
                };
                if !fields::is_settable(field) {
                    return Err(Fault::new(path, fields::FOLLOWS, cell.field.as_str()).into());
                }
                if cell.row >= standing.ids.len() as u64 {
                    return Err(Fault::new(path, "There is no such row.", cell.row).into());
                }
                typed.entry(cell.row).or_default().push((field, cell.text.clone()));
                targets.push(field);
            }
            let list = reading::list_of(tx, &view.spec)?;
            let sheet = Sheet::new(tx, core.ctx(), list, &targets, &[], region)?;
            let items: Vec<Item> = typed
                .keys()
                .enumerate()
                .map(|(n, row)| Item { id: standing.ids[*row as usize], row: *row as u32, n: n as u32, first: 0 })
                .collect();
            let (mut tally, mut there) = (Tally::default(), HashSet::new());
            let mut setter = sheet.setter(tx)?;
            for part in items.chunks(STRETCH) {
                let changes = sheet.judged(tx, part, &watch, &mut tally, &mut |item, _, out| {
                    there.insert(item.n);
                    let row = typed.get(&u64::from(item.row)).into_iter().flatten();
                    out.extend(row.map(|(field, text)| Want { at: sheet.at(*field), text: text.clone() }));
                    Ok(())
                })?;
                sheet.write(tx, &mut setter, &changes, core.ctx().now())?;
                ids.extend(changes.iter().map(|change| change.id));
            }
            tally.faults.extend(gone(&items, |n| there.contains(&n), &first.field));
            tally.sample.clear();
            let only = ids.first().copied().filter(|_| tally.rows == 1);
            let outcome = Outcome { updated: tally.rows, added: 0, has_values: tally.has_values, only };
            let step = told(core, tx, list, &view.spec.list, Act::new("contact_edit"), &outcome)?;
            Ok::<_, Error>(Edited::of(Tally::sum([tally]), step))
        })?;
        patch(core, &view, edited.step, &ids);
        Ok(edited)
    }
}

/// Returns an error for each row whose contact was removed since the page read it.
pub(super) fn gone<'a>(
    items: &'a [Item],
    is_there: impl Fn(u32) -> bool + 'a,
    field: &'a str,
) -> impl Iterator<Item = CellFault> + 'a {
    items.iter().filter(move |item| !is_there(item.n)).map(|item| CellFault {
        row: item.row.into(),
        field: field.to_owned(),
        message: "This contact is gone.".to_owned(),
    })
}

/// Applies a plan to the rows of one selection, and adds the changed contacts to `ids`.
fn write_part(
    core: &Core,
    tx: &WriteTx,
    list: ListRow,
    plan: &Plan,
    mut items: Vec<Item>,
    watch: &Watch,
    ids: &mut Vec<i64>,
) -> Result<Tally> {
    let sheet = Sheet::new(tx, core.ctx(), list, &plan.targets, &plan.sources, plan.region.as_deref())?;
    if !plan.is_in_order() {
        // Rows that are adjacent in the file are read and written faster.
        items.sort_unstable_by_key(|item| item.id);
    }
    let mut tally = Tally::default();
    match plan.same_text() {
        Some(text) if !drafts::any(tx)? => {
            let all: Vec<i64> = items.iter().map(|item| item.id).collect();
            tally = write_same(core, tx, list, &all, &plan.targets, text, watch)?;
            ids.extend(all);
        }
        _ => {
            let places = plan.places(&sheet);
            let (mut carry, mut setter) = (Carry::default(), sheet.setter(tx)?);
            let now = core.ctx().now();
            for part in items.chunks(STRETCH) {
                tx.check()?;
                let changes = sheet.judged(tx, part, watch, &mut tally, &mut |item, seen, out| {
                    plan.wants(&sheet, &places, item, seen, &mut carry, out)
                })?;
                sheet.write(tx, &mut setter, &changes, now)?;
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
fn write_same(
    core: &Core,
    tx: &WriteTx,
    list: ListRow,
    ids: &[i64],
    targets: &[ContactField],
    text: Option<&str>,
    watch: &Watch,
) -> Result<Tally> {
    let mut tally = Tally::default();
    let now = core.ctx().now();
    for part in ids.chunks(STRETCH) {
        tx.check()?;
        let reached = edit::set_all(tx, list, part, targets, text, now)?;
        tally.matched += reached.rows * targets.len() as u64;
        tally.rows += reached.rows_changed;
        tally.changed += reached.cells_changed;
        tally.has_values |= reached.rows_changed > 0;
        watch.add_rows(part.len() as u64 - reached.rows_changed);
    }
    Ok(tally)
}
