//! Pastes a block of cells over rows of a view, repeats one value or row over many, and adds new contacts after the
//! last row.

use std::collections::HashSet;

use roost_model::{contact::ContactField, error::FieldError, intervals::RowIntervals, phone::Region};
use roost_store::{
    tables::{
        contacts::{ContactInserter, grid::drafts},
        lists::ListRow,
    },
    tx::{ActDescription, ReadTx, WriteTx},
    watch::Watch,
};

use super::{
    super::{Grid, ViewId, reading, view::OpenView},
    CellError, ContactChanges, ROWS_MOVED,
    cells::{CHUNK_ROWS, EditSheet, EditTally, TargetRow, WantedCell},
    check_cancelled, patch_view,
    plan::ColumnNames,
    record_act,
    run::missing_row_errors,
    watch_of,
};
use roost_ops::{
    contact::{build_checked_contact, fields},
    core::{Actor, Core},
    error::{Error, Result},
    opt_out::LostOptOut,
};
use roost_spelling::number::read_number;
use serde::{Deserialize, Serialize};

/// The maximum number of cells in one paste.
pub(super) const PASTE_CELLS: u64 = 1_000_000;

/// The way in which a block is pasted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "GridPasteMode"))]
pub enum PasteMode {
    Plain,
    /// Fills only blank cells.
    BlanksOnly,
    /// Writes every text that is a valid number in E.164 form.
    E164,
    /// Turns rows into columns.
    Transposed,
}

#[derive(Debug, Clone, Copy)]
pub struct PasteRequest<'a> {
    pub view: ViewId,
    pub generation: Option<u32>,
    /// The first row. Rows of the block after the last row of the view become new contacts.
    pub row: u64,
    /// The columns from the focus on, or the selected columns if `into` is given.
    pub columns: &'a [String],
    pub block: &'a [Vec<String>],
    /// The selected rows. There must be at least as many as the block has; the block is repeated if it fits several
    /// times.
    pub into: Option<&'a RowIntervals>,
    pub mode: PasteMode,
    pub region: Option<&'a str>,
}

/// A row of the block that made no contact, counted from the first row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "GridRefused"))]
pub struct RefusedLine {
    pub line: u64,
    pub field: String,
    pub message: String,
}

/// The result of a paste or of its preview.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "GridPasted"))]
pub struct GridPasteSummary {
    /// Cells of existing rows.
    pub cells: u64,
    pub changed: u64,
    pub drafts: u64,
    /// New contacts.
    pub added: u64,
    /// The row of the first new contact.
    pub first_added: Option<u64>,
    /// Lines that became no contact.
    pub left_out: u64,
    /// The numbers of those lines, counted from 0.
    #[cfg_attr(feature = "ts", ts(type = "Array<number>"))]
    pub left_out_lines: Vec<u64>,
    /// The first hundred of each.
    pub faults: Vec<CellError>,
    pub refused: Vec<RefusedLine>,
    /// The opt-outs that the new numbers of existing rows lack.
    pub lost_opt_outs: Vec<LostOptOut>,
    pub step: Option<i64>,
}

const MAX_ERRORS: usize = 100;

/// The assignment of the block's cells to cells of the view.
struct PasteLayout<'a> {
    block: Vec<Vec<&'a str>>,
    width: usize,
    /// The columns that are written; a column that cannot be set has no field.
    columns: Vec<(String, Option<ContactField>)>,
    items: Vec<TargetRow>,
    /// The rows of the block after the last row of the view.
    new: Vec<usize>,
}

impl<'a> PasteLayout<'a> {
    fn from_request(tx: &ReadTx, view: &OpenView, paste: &PasteRequest<'a>) -> Result<Self> {
        let view_rows = view.rows();
        if paste.generation.is_some_and(|seen| seen != view_rows.generation) {
            return Err(Error::conflict(ROWS_MOVED));
        }
        let mut block: Vec<Vec<&str>> =
            paste.block.iter().map(|row| row.iter().map(String::as_str).collect()).collect();
        let width = |block: &[Vec<&str>]| block.iter().map(Vec::len).max().unwrap_or_default();
        if paste.mode == PasteMode::Transposed {
            block = (0..width(&block))
                .map(|at| block.iter().map(|row| row.get(at).copied().unwrap_or_default()).collect())
                .collect();
        }
        let width = width(&block);
        if width == 0 {
            return Err(FieldError::new("rows", "There is nothing to paste.", paste.block.len()).into());
        }
        if width > paste.columns.len() {
            let message = format!(
                "The block has {width} columns, and there are only {} to paste it into. Start further to the left, or copy fewer columns.",
                paste.columns.len()
            );
            return Err(FieldError::new("columns", message, paste.columns.len()).into());
        }
        let is_wide = paste.into.is_some() && paste.columns.len().is_multiple_of(width);
        let names = if is_wide { paste.columns } else { &paste.columns[..width] };
        let known = ColumnNames::read(tx)?;
        let mut columns = Vec::with_capacity(names.len());
        for (at, name) in names.iter().enumerate() {
            let Some(field) = known.to_field(name) else {
                return Err(FieldError::new(format!("columns[{at}]"), "The field was not found.", name.as_str()).into());
            };
            columns.push((name.clone(), Some(field).filter(|field| fields::is_settable(*field))));
        }
        let (rows, new) = assign_rows(paste, block.len(), view_rows.ids.len() as u64)?;
        if (rows.len() + new.len()) as u64 * columns.len() as u64 > PASTE_CELLS {
            let message = format!("A paste takes at most {PASTE_CELLS} cells. Set a value, or import a file instead.");
            return Err(FieldError::new("rows", message, rows.len() + new.len()).into());
        }
        let items = rows
            .into_iter()
            .enumerate()
            .map(|(n, row)| TargetRow { id: view_rows.ids[row as usize], row: row as u32, n: n as u32, first: 0 })
            .collect();
        Ok(Self { block, width, columns, items, new })
    }

    /// Returns the cells of a row of the block with their fields. Cells that the row does not have stay unchanged.
    fn line_cells(&self, line: usize) -> impl Iterator<Item = (ContactField, &'a str)> + '_ {
        let row = &self.block[line % self.block.len()];
        let placed = self.columns.iter().enumerate();
        placed.filter_map(|(at, (_, field))| Some(((*field)?, *row.get(at % self.width)?)))
    }

    fn target_fields(&self) -> Vec<ContactField> {
        self.columns.iter().filter_map(|(_, field)| *field).collect()
    }

    /// Returns one error for each column that cannot be set.
    fn unsettable_errors(&self, row: u64) -> impl Iterator<Item = CellError> + '_ {
        let columns = self.columns.iter().filter(|(_, field)| field.is_none());
        columns.map(move |(name, _)| CellError { row, field: name.clone(), message: fields::NOT_SETTABLE.to_owned() })
    }
}

/// Returns the rows of the view to paste over, in the order of the block, and the rows of the block that become new
/// contacts.
fn assign_rows(paste: &PasteRequest, height: usize, total: u64) -> Result<(Vec<u64>, Vec<usize>)> {
    if let Some(into) = paste.into.map(|into| into.keep_below(total)).filter(|into| into.len() > 1) {
        if (into.len() as usize) < height {
            let message = format!(
                "The block has {height} rows, and {} are selected. Select the first row alone to paste it there.",
                into.len()
            );
            return Err(FieldError::new("into", message, into.len()).into());
        }
        let count = if (into.len() as usize).is_multiple_of(height) { into.len() as usize } else { height };
        return Ok((into.rows().take(count).collect(), Vec::new()));
    }
    let first = paste.into.and_then(|into| into.rows().next()).unwrap_or(paste.row).min(total);
    let over = (total - first).min(height as u64);
    Ok(((first..first + over).collect(), (over as usize..height).collect()))
}

impl PasteMode {
    fn convert_text(self, text: &str, region: impl FnOnce() -> Region) -> Option<String> {
        let number = (self == Self::E164).then(|| read_number(text, region())).flatten();
        Some(number.map_or_else(|| text.to_owned(), |number| number.e164)).filter(|text| !text.is_empty())
    }
}

/// A paste in progress. Without a writer it only counts.
struct PasteWork<'w, 't, 'c> {
    core: &'w Core,
    view: &'w OpenView,
    list: ListRow,
    layout: PasteLayout<'w>,
    sheet: EditSheet,
    mode: PasteMode,
    watch: &'w Watch,
    writer: Option<&'t WriteTx<'c>>,
    pasted: GridPasteSummary,
    tally: EditTally,
    changed: Vec<i64>,
    added: Vec<i64>,
}

impl PasteWork<'_, '_, '_> {
    fn overwrite_rows(&mut self, tx: &ReadTx) -> Result<()> {
        let mut setter = self.writer.map(|tx| self.sheet.new_setter(tx)).transpose()?;
        let mut found = HashSet::new();
        let (layout, sheet, mode) = (&self.layout, &self.sheet, self.mode);
        for part in layout.items.chunks(CHUNK_ROWS) {
            check_cancelled(self.watch)?;
            let changes = sheet.collect_changes(tx, part, self.watch, &mut self.tally, &mut |item, seen, out| {
                found.insert(item.n);
                for (field, text) in layout.line_cells(item.n as usize) {
                    let at = sheet.column_of(field);
                    if mode != PasteMode::BlanksOnly || seen.shown_text(at).is_none() {
                        out.push(WantedCell { at, text: mode.convert_text(text, || sheet.region_of(seen, text)) });
                    }
                }
                Ok(())
            })?;
            if let (Some(tx), Some(setter)) = (self.writer, &mut setter) {
                sheet.write_changes(tx, setter, &changes, self.core.ctx().now(), &mut self.tally)?;
            }
            self.changed.extend(changes.iter().map(|change| change.id));
        }
        let first = layout.columns.first().map_or("", |(name, _)| name.as_str());
        self.tally.faults.extend(missing_row_errors(&layout.items, |n| found.contains(&n), first));
        Ok(())
    }

    /// Adds contacts for the rows after the last one. A refused cell becomes a draft of the new contact. A row without
    /// a number makes no contact.
    fn append_contacts(&mut self, tx: &ReadTx) -> Result<()> {
        let custom = ColumnNames::read(tx)?.custom;
        let mut inserter = self.writer.map(|tx| ContactInserter::new(tx, self.list, &custom)).transpose()?;
        for line in self.layout.new.clone() {
            check_cancelled(self.watch)?;
            let (mut settled, mut typed) = (fields::CheckedFields::new(), Vec::new());
            for (field, text) in self.layout.line_cells(line) {
                let Some(text) = self.mode.convert_text(text, || self.sheet.new_row_region()) else { continue };
                match fields::check_cell(field, Some(&text), |_| self.sheet.new_row_region()) {
                    Ok(columns) => {
                        settled.retain(|(set, _)| columns.iter().all(|(field, _)| field != set));
                        settled.extend(columns);
                    }
                    Err(fault) => typed.push((field, text, fault.message)),
                }
            }
            if settled.is_empty() && typed.is_empty() {
                continue;
            }
            let contact = match build_checked_contact(self.core, &self.view.spec.list, &settled, &custom) {
                Ok(contact) => contact,
                Err(why) => {
                    self.refuse_line(line, &typed, &why);
                    continue;
                }
            };
            let row = self.view.rows().ids.len() as u64 + self.pasted.added;
            self.pasted.added += 1;
            for (field, _, message) in &typed {
                self.tally.drafts += 1;
                self.tally.faults.push(CellError { row, field: field.name().into_owned(), message: message.clone() });
            }
            if let (Some(tx), Some(inserter)) = (self.writer, &mut inserter) {
                let id = inserter.insert(&contact)?;
                for (field, text, _) in &typed {
                    drafts::set_draft(tx, id, &field.name(), Some(text))?;
                }
                self.added.push(id);
            }
        }
        Ok(())
    }

    fn refuse_line(&mut self, line: usize, typed: &[(ContactField, String, String)], why: &Error) {
        self.pasted.left_out += 1;
        self.pasted.left_out_lines.push(line as u64);
        if self.pasted.refused.len() < MAX_ERRORS {
            // The error of the number explains more than the missing number.
            let number = typed.iter().find(|(field, ..)| fields::number_fields(*field).is_some());
            let (field, message) = match number {
                Some((field, _, message)) => (field.name().into_owned(), message.clone()),
                None => (ContactField::PhoneNumber.name().into_owned(), why.to_string()),
            };
            self.pasted.refused.push(RefusedLine { line: line as u64, field, message });
        }
    }

    fn run(&mut self, tx: &ReadTx) -> Result<()> {
        if let Some(tx) = self.writer {
            tx.expect_rows((self.layout.items.len() + self.layout.new.len()) as u64);
        }
        let row = self.layout.items.first().map_or(0, |item| u64::from(item.row));
        let unsettable: Vec<CellError> = self.layout.unsettable_errors(row).collect();
        self.tally.faults.extend(unsettable);
        self.overwrite_rows(tx)?;
        self.append_contacts(tx)
    }

    fn into_summary(self, step: Option<i64>) -> GridPasteSummary {
        let tally = EditTally::sum([self.tally]);
        GridPasteSummary {
            cells: tally.matched,
            changed: tally.changed,
            drafts: tally.drafts,
            faults: tally.faults,
            lost_opt_outs: tally.lost_opt_outs,
            step,
            ..self.pasted
        }
    }
}

impl Grid {
    /// Pastes a block in one step.
    pub fn paste(&self, core: &Core, by: &Actor, paste: &PasteRequest) -> Result<GridPasteSummary> {
        let view = self.find_view(paste.view)?;
        let watch = watch_of(by);
        let (mut pasted, mut changed, added) = core.write(by, |tx| {
            let mut work = start_paste(core, tx, Some(tx), &view, paste, &watch)?;
            work.run(tx)?;
            let outcome = ContactChanges {
                updated: work.tally.rows,
                added: work.pasted.added,
                has_values: work.tally.has_values,
                only: None,
            };
            let step = record_act(core, tx, work.list, &view.spec.list, ActDescription::new("grid_paste"), &outcome)?;
            let (changed, added) = (std::mem::take(&mut work.changed), std::mem::take(&mut work.added));
            Ok::<_, Error>((work.into_summary(step), changed, added))
        })?;
        if let Some(step) = pasted.step.filter(|_| !added.is_empty()) {
            pasted.first_added = Some(view.append_rows(step, &added));
            changed.extend(added);
        }
        patch_view(core, &view, pasted.step, &changed);
        Ok(pasted)
    }

    /// Returns what a paste would change, without writing anything.
    pub fn preview_paste(&self, core: &Core, by: &Actor, paste: &PasteRequest) -> Result<GridPasteSummary> {
        let view = self.find_view(paste.view)?;
        let watch = watch_of(by);
        let mut done = core.scan(&watch, 1, |tx| {
            let mut work = start_paste(core, tx, None, &view, paste, &watch)?;
            work.run(tx)?;
            Ok(work.into_summary(None))
        })?;
        Ok(done.pop().unwrap_or_default())
    }
}

fn start_paste<'w, 't, 'c>(
    core: &'w Core,
    tx: &ReadTx,
    writer: Option<&'t WriteTx<'c>>,
    view: &'w OpenView,
    paste: &PasteRequest<'w>,
    watch: &'w Watch,
) -> Result<PasteWork<'w, 't, 'c>> {
    let layout = PasteLayout::from_request(tx, view, paste)?;
    let list = reading::find_list_row(tx, &view.spec)?;
    let sheet = EditSheet::new(tx, core.ctx(), list, &layout.target_fields(), &[], paste.region)?;
    let (pasted, tally) = (GridPasteSummary::default(), EditTally::default());
    let (changed, added) = (Vec::new(), Vec::new());
    Ok(PasteWork { core, view, list, layout, sheet, mode: paste.mode, watch, writer, pasted, tally, changed, added })
}
