//! Shows the rows of a suggestion before and after the fix, and applies the fix in one step.

use std::{collections::BTreeMap, ops::Range, sync::Arc};

use roost_model::{
    contact::ContactField,
    error::Fault,
    id::{ContactId, ListId},
    intervals::Intervals,
    page::PageRequest,
};
use roost_store::{
    change_log::Noun,
    tables::{
        contacts::view,
        lists::{self, ListRow},
        steps::Act,
    },
    tx::ReadTx,
    watch::Watch,
};
use serde::Serialize;

use super::{
    Clean, CleanKind, Found, Suggestion,
    facts::LASTNAME,
    judge::{CONTEXT, CleanEvidence, Finding, Judge},
};
use crate::{
    contact::{
        fields,
        grid::edit::{
            Outcome,
            cells::{Item, STRETCH, Sheet, Tally, Want},
            told,
        },
        run::check,
    },
    core::{By, Core},
    ctx::Ctx,
    error::{Error, OrNotFound, Result},
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
    #[cfg_attr(feature = "ts", ts(type = "number"))]
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
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mended {
    /// The number of contacts that were selected.
    pub matched: u64,
    /// The numbers of contacts and cells that changed.
    pub rows: u64,
    pub cells: u64,
    /// The first ten contacts that would change, in a preview.
    pub sample: Vec<CleanRow>,
    /// `None` if nothing changed.
    pub step: Option<i64>,
}

const SAMPLE: usize = 10;
const MOVED: &str = "The rows of this suggestion have other places by now. Look at them again and repeat.";

/// Returns the fields that a fix may write.
fn targets(one: &Suggestion) -> Vec<ContactField> {
    match one.kind {
        CleanKind::SwappedNames => vec![one.field, LASTNAME],
        _ => vec![one.field],
    }
}

fn sheet_of(tx: &ReadTx, ctx: &Ctx, list: &ListId, one: &Suggestion) -> Result<(ListRow, Sheet)> {
    let row = lists::row_of(tx, list)?.or_not_found(Noun::List, list)?;
    Ok((row, Sheet::new(tx, ctx, row, &targets(one), &CONTEXT, None)?))
}

/// Returns the rows at the given positions of a suggestion.
fn items(found: &Found, one: &Suggestion, places: impl Iterator<Item = u64>) -> Vec<Item> {
    let item = |place: u64| {
        let n = one.rows[place as usize];
        Item { id: found.ids[n as usize], row: place as u32, n, first: 0 }
    };
    places.map(item).collect()
}

/// Returns some rows of a suggestion as they are now, with the proposed changes.
pub(super) fn shown(
    core: &Core,
    list: &ListId,
    found: &Found,
    one: &Suggestion,
    places: Range<usize>,
) -> Result<Vec<CleanRow>> {
    let end = places.end.min(one.rows.len());
    let items = items(found, one, (places.start.min(end)..end).map(|place| place as u64));
    core.read(|tx| rows(tx, core.ctx(), list, found, one, &items))
}

fn rows(
    tx: &ReadTx,
    ctx: &Ctx,
    list: &ListId,
    found: &Found,
    one: &Suggestion,
    items: &[Item],
) -> Result<Vec<CleanRow>> {
    let (_, sheet) = sheet_of(tx, ctx, list, one)?;
    let judge = Judge::new(&sheet, &found.facts, &[one.field]);
    let written = targets(one);
    let mut findings: BTreeMap<u32, (Vec<CleanCell>, Option<CleanEvidence>)> = BTreeMap::new();
    sheet.judged(tx, items, &Watch::default(), &mut Tally::default(), &mut |item, seen, _| {
        let Finding { cells, evidence } = judge.one(one.kind, one.field, seen).unwrap_or_default();
        let cell = |(at, after): (usize, Option<String>)| {
            let field = written.iter().find(|field| sheet.at(**field) == at)?;
            let before = seen.shown(at).map(str::to_owned);
            Some(CleanCell { field: field.name().into_owned(), before, after: after.filter(|text| !text.is_empty()) })
        };
        findings.insert(item.row, (cells.into_iter().filter_map(cell).collect(), evidence));
        Ok(())
    })?;
    let mut shown = Vec::with_capacity(items.len());
    for item in items {
        // The contact was removed or moved to another list.
        let Some((cells, evidence)) = findings.remove(&item.row) else { continue };
        let Some(seen) = view::rows(tx, &[item.id], &[])?.pop() else { continue };
        let title = fields::title(&seen.contact);
        shown.push(CleanRow { row: item.row.into(), uid: seen.contact.uid, title, cells, evidence });
    }
    Ok(shown)
}

impl Clean {
    /// Returns one page of the contacts of a suggestion.
    pub fn rows(&self, core: &Core, id: u64, suggestion: u64, page: PageRequest) -> Result<CleanRows> {
        let (run, list) = self.run(id)?;
        let found = run.found();
        let one = &found.suggestions[found.at(suggestion)?];
        let from = page.offset() as usize;
        let items = shown(core, &list, &found, one, from..from.saturating_add(page.size as usize))?;
        Ok(CleanRows { total_items: one.rows.len() as u64, generation: one.generation, items })
    }

    /// Returns the selected rows, or all if none are selected. Fails if the rows have moved since the page read them.
    fn chosen(
        found: &Found,
        suggestion: u64,
        generation: Option<u32>,
        rows: Option<&Intervals>,
    ) -> Result<(usize, Intervals, Vec<Item>)> {
        let at = found.at(suggestion)?;
        let one = &found.suggestions[at];
        if !one.kind.can_mend() {
            let told = "Nobody knows what should stand here. Look at the contacts one by one.";
            return Err(Fault::new("suggestion", told, suggestion).into());
        }
        if rows.is_some() && generation.is_some_and(|seen| seen != one.generation) {
            return Err(Error::conflict(MOVED));
        }
        let total = one.rows.len() as u64;
        let rows = rows.map_or_else(|| Intervals::all(total), |rows| rows.cut(total));
        let items = items(found, one, rows.rows());
        Ok((at, rows, items))
    }

    /// Returns what the fix would change, without writing anything.
    pub fn preview(
        &self,
        core: &Core,
        by: &By,
        id: u64,
        suggestion: u64,
        generation: Option<u32>,
        rows: Option<&Intervals>,
    ) -> Result<Mended> {
        let (run, list) = self.run(id)?;
        let found = run.found();
        let (at, _, items) = Self::chosen(&found, suggestion, generation, rows)?;
        let one = &found.suggestions[at];
        let watch = by.watch.clone().unwrap_or_default();
        watch.will_change(items.len() as u64);
        let told = core.scan(&watch, 1, |tx| {
            let (_, sheet) = sheet_of(tx, core.ctx(), &list, one)?;
            let judge = Judge::new(&sheet, &found.facts, &[one.field]);
            let (mut tally, mut first) = (Tally::default(), Vec::new());
            for part in items.chunks(STRETCH) {
                check(&watch)?;
                let changes = sheet.judged(tx, part, &watch, &mut tally, &mut |item, seen, out| {
                    let wanted = wants(&judge, one, seen, out);
                    if wanted && first.len() < SAMPLE {
                        first.push(*item);
                    }
                    Ok(())
                })?;
                drop(changes);
                watch.add_rows(part.len() as u64);
            }
            let sample = self::rows(tx, core.ctx(), &list, &found, one, &first)?;
            Ok(Mended { matched: items.len() as u64, rows: tally.rows, cells: tally.changed, sample, step: None })
        })?;
        Ok(told.into_iter().next().unwrap_or_default())
    }

    /// Applies the fix to the selected rows of a suggestion, or to all, in one step. Each contact is checked again as
    /// it is now.
    pub fn apply(
        &self,
        core: &Core,
        by: &By,
        id: u64,
        suggestion: u64,
        generation: Option<u32>,
        rows: Option<&Intervals>,
    ) -> Result<Mended> {
        let (run, list) = self.run(id)?;
        let found = run.found();
        let (at, rows, mut items) = Self::chosen(&found, suggestion, generation, rows)?;
        let one = &found.suggestions[at];
        let watch = by.watch.clone().unwrap_or_else(|| Arc::new(Watch::default()));
        items.sort_unstable_by_key(|item| item.id);
        let mended = core.write(by, |tx| {
            let (row, sheet) = sheet_of(tx, core.ctx(), &list, one)?;
            let judge = Judge::new(&sheet, &found.facts, &[one.field]);
            tx.expect_rows(items.len() as u64);
            let (mut tally, mut setter) = (Tally::default(), sheet.setter(tx)?);
            let now = core.ctx().now();
            for part in items.chunks(STRETCH) {
                tx.check()?;
                let changes = sheet.judged(tx, part, &watch, &mut tally, &mut |_, seen, out| {
                    wants(&judge, one, seen, out);
                    Ok(())
                })?;
                sheet.write(tx, &mut setter, &changes, now)?;
            }
            let outcome = Outcome { updated: tally.rows, added: 0, has_values: tally.has_values, only: None };
            let act = Act::new(one.kind.act().unwrap_or("clean_apply"));
            let step = told(core, tx, row, &list, act, &outcome)?;
            let matched = items.len() as u64;
            Ok::<_, Error>(Mended { matched, rows: tally.rows, cells: tally.changed, sample: Vec::new(), step })
        })?;
        let (kind, field) = (one.kind, one.field);
        drop(found);
        run.patch(mended.step, |found| {
            // If the list was searched again meanwhile, this suggestion no longer exists, and the new search decides.
            let Some(one) = found.at(suggestion).ok().map(|at| &mut found.suggestions[at]) else { return };
            if (one.kind, one.field) == (kind, field) {
                let rest = rows.complement(one.rows.len() as u64);
                one.rows = rest.rows().filter_map(|place| one.rows.get(place as usize).copied()).collect();
                one.generation += 1;
                one.mended += mended.rows;
            }
        });
        Ok(mended)
    }
}

/// Adds the changes that the rule proposes for a contact to `out`, and returns whether there are any.
fn wants(judge: &Judge, one: &Suggestion, seen: &crate::contact::grid::edit::cells::Seen, out: &mut Vec<Want>) -> bool {
    let cells = judge.one(one.kind, one.field, seen).unwrap_or_default().cells;
    let before = out.len();
    out.extend(cells.into_iter().filter_map(|(at, text)| Some(Want { at, text: Some(text?) })));
    out.len() > before
}
