//! Pastes a block of cells over rows of a view, repeats one value or row over many, and adds new contacts after the
//! last row.

use std::collections::HashSet;

use roost_model::{contact::ContactField, error::Fault, intervals::Intervals, phone::Region};
use roost_store::{
    tables::{
        contacts::{Inserter, grid::drafts},
        lists::ListRow,
        steps::Act,
    },
    tx::{ReadTx, WriteTx},
    watch::Watch,
};

use super::{
    super::{Grid, ViewId, reading, view::View},
    CellFault, MOVED, Outcome,
    cells::{Item, STRETCH, Sheet, Tally, Want},
    check, patch,
    plan::Names,
    run::gone,
    told, watch,
};
use crate::{
    contact::{fields, made},
    core::{By, Core},
    error::{Error, Result},
    files::import::number::spelling::read_number,
};

/// The maximum number of cells in one paste.
pub const PASTE_CELLS: u64 = 1_000_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PasteMode {
    Plain,
    /// Pastes only into empty cells.
    BlanksOnly,
    /// Writes every text that can be read as a number in E.164 form.
    E164,
    /// Turns rows into columns.
    Transposed,
}

#[derive(Debug, Clone, Copy)]
pub struct Paste<'a> {
    pub view: ViewId,
    pub generation: Option<u32>,
    /// The first row. Rows of the block after the last row of the view become new contacts.
    pub row: u64,
    /// The columns from the focus on, or the selected columns if `into` is given.
    pub columns: &'a [String],
    pub block: &'a [Vec<String>],
    /// The selected rows. There must be at least as many as the block has; the block is repeated if it fits several
    /// times.
    pub into: Option<&'a Intervals>,
    pub mode: PasteMode,
    pub region: Option<&'a str>,
}

/// A row of the block that made no contact, counted from the first row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    pub line: u64,
    pub field: String,
    pub message: String,
}

/// The result of a paste or of its preview.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pasted {
    /// The number of cells in existing rows.
    pub cells: u64,
    pub changed: u64,
    pub drafts: u64,
    pub added: u64,
    /// The row of the first new contact.
    pub first_added: Option<u64>,
    /// The number of rows of the block that made no contact, and their positions.
    pub left_out: u64,
    pub left_out_lines: Vec<u64>,
    /// The first hundred of each.
    pub faults: Vec<CellFault>,
    pub refused: Vec<Refused>,
    pub step: Option<i64>,
}

const FAULTS: usize = 100;

/// The assignment of the block's cells to cells of the view.
struct Layout<'a> {
    block: Vec<Vec<&'a str>>,
    width: usize,
    /// The columns that are written; a column that cannot be set has no field.
    columns: Vec<(String, Option<ContactField>)>,
    items: Vec<Item>,
    /// The rows of the block after the last row of the view.
    new: Vec<usize>,
}

impl<'a> Layout<'a> {
    fn of(tx: &ReadTx, view: &View, paste: &Paste<'a>) -> Result<Self> {
        let standing = view.rows();
        if paste.generation.is_some_and(|seen| seen != standing.generation) {
            return Err(Error::conflict(MOVED));
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
            return Err(Fault::new("rows", "There is nothing to paste.", paste.block.len()).into());
        }
        if width > paste.columns.len() {
            let message = format!(
                "The block has {width} columns, and there are only {} to paste it into. Start further to the left, or copy fewer columns.",
                paste.columns.len()
            );
            return Err(Fault::new("columns", message, paste.columns.len()).into());
        }
        let is_wide = paste.into.is_some() && paste.columns.len().is_multiple_of(width);
        let names = if is_wide { paste.columns } else { &paste.columns[..width] };
        let known = Names::of(tx)?;
        let mut columns = Vec::with_capacity(names.len());
        for (at, name) in names.iter().enumerate() {
            let Some(field) = known.field(name) else {
                return Err(Fault::new(format!("columns[{at}]"), "There is no such field.", name.as_str()).into());
            };
            columns.push((name.clone(), Some(field).filter(|field| fields::is_settable(*field))));
        }
        let (rows, new) = rows(paste, block.len(), standing.ids.len() as u64)?;
        if (rows.len() + new.len()) as u64 * columns.len() as u64 > PASTE_CELLS {
            let message = format!("A paste takes at most {PASTE_CELLS} cells. Set a value, or import a file instead.");
            return Err(Fault::new("rows", message, rows.len() + new.len()).into());
        }
        let items = rows
            .into_iter()
            .enumerate()
            .map(|(n, row)| Item { id: standing.ids[row as usize], row: row as u32, n: n as u32, first: 0 })
            .collect();
        Ok(Self { block, width, columns, items, new })
    }

    /// Returns the cells of a row of the block with their fields. Cells that the row does not have stay unchanged.
    fn cells(&self, line: usize) -> impl Iterator<Item = (ContactField, &'a str)> + '_ {
        let row = &self.block[line % self.block.len()];
        let placed = self.columns.iter().enumerate();
        placed.filter_map(|(at, (_, field))| Some(((*field)?, *row.get(at % self.width)?)))
    }

    fn targets(&self) -> Vec<ContactField> {
        self.columns.iter().filter_map(|(_, field)| *field).collect()
    }

    /// Returns one error for each column that cannot be set.
    fn unsettable(&self, row: u64) -> impl Iterator<Item = CellFault> + '_ {
        let columns = self.columns.iter().filter(|(_, field)| field.is_none());
        columns.map(move |(name, _)| CellFault { row, field: name.clone(), message: fields::FOLLOWS.to_owned() })
    }
}

/// Returns the rows of the view to paste over, in the order of the block, and the rows of the block that become new
/// contacts.
fn rows(paste: &Paste, height: usize, total: u64) -> Result<(Vec<u64>, Vec<usize>)> {
    if let Some(into) = paste.into.map(|into| into.cut(total)).filter(|into| into.len() > 1) {
        if (into.len() as usize) < height {
            let message = format!(
                "The block has {height} rows, and {} are selected. Select the first row alone to paste it there.",
                into.len()
            );
            return Err(Fault::new("into", message, into.len()).into());
        }
        let count = if (into.len() as usize).is_multiple_of(height) { into.len() as usize } else { height };
        return Ok((into.rows().take(count).collect(), Vec::new()));
    }
    let first = paste.into.and_then(|into| into.rows().next()).unwrap_or(paste.row).min(total);
    let over = (total - first).min(height as u64);
    Ok(((first..first + over).collect(), (over as usize..height).collect()))
}

impl PasteMode {
    fn text(self, text: &str, region: impl FnOnce() -> Region) -> Option<String> {
        let number = (self == Self::E164).then(|| read_number(text, region())).flatten();
        Some(number.map_or_else(|| text.to_owned(), |number| number.e164)).filter(|text| !text.is_empty())
    }
}

/// A paste in progress. Without a writer it only counts.
struct Work<'w, 't, 'c> {
    core: &'w Core,
    view: &'w View,
    list: ListRow,
    layout: Layout<'w>,
    sheet: Sheet,
    mode: PasteMode,
    watch: &'w Watch,
    writer: Option<&'t WriteTx<'c>>,
    pasted: Pasted,
    tally: Tally,
    changed: Vec<i64>,
    added: Vec<i64>,
}

impl Work<'_, '_, '_> {
    fn over(&mut self, tx: &ReadTx) -> Result<()> {
        let mut setter = self.writer.map(|tx| self.sheet.setter(tx)).transpose()?;
        let mut there = HashSet::new();
        let (layout, sheet, mode) = (&self.layout, &self.sheet, self.mode);
        for part in layout.items.chunks(STRETCH) {
            check(self.watch)?;
            let changes = sheet.judged(tx, part, self.watch, &mut self.tally, &mut |item, seen, out| {
                there.insert(item.n);
                for (field, text) in layout.cells(item.n as usize) {
                    let at = sheet.at(field);
                    if mode != PasteMode::BlanksOnly || seen.shown(at).is_none() {
                        out.push(Want { at, text: mode.text(text, || sheet.region_of(seen, text)) });
                    }
                }
                Ok(())
            })?;
            if let (Some(tx), Some(setter)) = (self.writer, &mut setter) {
                sheet.write(tx, setter, &changes, self.core.ctx().now())?;
            }
            self.changed.extend(changes.iter().map(|change| change.id));
        }
        let first = layout.columns.first().map_or("", |(name, _)| name.as_str());
        self.tally.faults.extend(gone(&layout.items, |n| there.contains(&n), first));
        Ok(())
    }

    /// Adds contacts for the rows after the last one. A refused cell becomes a draft of the new contact. A row without
    /// a number makes no contact.
    fn append(&mut self, tx: &ReadTx) -> Result<()> {
        let custom = Names::of(tx)?.custom;
        let mut inserter = self.writer.map(|tx| Inserter::new(tx, self.list, &custom)).transpose()?;
        for line in self.layout.new.clone() {
            check(self.watch)?;
            let (mut settled, mut typed) = (fields::Settled::new(), Vec::new());
            for (field, text) in self.layout.cells(line) {
                let Some(text) = self.mode.text(text, || self.sheet.region_of_new()) else { continue };
                match fields::settle_one(field, Some(&text), |_| self.sheet.region_of_new()) {
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
            let contact = match made(self.core, &self.view.spec.list, &settled, &custom) {
                Ok(contact) => contact,
                Err(why) => {
                    self.refuse(line, &typed, &why);
                    continue;
                }
            };
            let row = self.view.rows().ids.len() as u64 + self.pasted.added;
            self.pasted.added += 1;
            for (field, _, message) in &typed {
                self.tally.drafts += 1;
                self.tally.faults.push(CellFault { row, field: field.name().into_owned(), message: message.clone() });
            }
            if let (Some(tx), Some(inserter)) = (self.writer, &mut inserter) {
                let id = inserter.insert(&contact)?;
                for (field, text, _) in &typed {
                    drafts::put(tx, id, &field.name(), Some(text))?;
                }
                self.added.push(id);
            }
        }
        Ok(())
    }

    fn refuse(&mut self, line: usize, typed: &[(ContactField, String, String)], why: &Error) {
        self.pasted.left_out += 1;
        self.pasted.left_out_lines.push(line as u64);
        if self.pasted.refused.len() < FAULTS {
            // The error of the number explains more than the missing number.
            let number = typed.iter().find(|(field, ..)| fields::number_fields(*field).is_some());
            let (field, message) = match number {
                Some((field, _, message)) => (field.name().into_owned(), message.clone()),
                None => (ContactField::PhoneNumber.name().into_owned(), why.to_string()),
            };
            self.pasted.refused.push(Refused { line: line as u64, field, message });
        }
    }

    fn run(&mut self, tx: &ReadTx) -> Result<()> {
        if let Some(tx) = self.writer {
            tx.expect_rows((self.layout.items.len() + self.layout.new.len()) as u64);
        }
        let row = self.layout.items.first().map_or(0, |item| u64::from(item.row));
        let unsettable: Vec<CellFault> = self.layout.unsettable(row).collect();
        self.tally.faults.extend(unsettable);
        self.over(tx)?;
        self.append(tx)
    }

    fn done(self, step: Option<i64>) -> Pasted {
        let tally = Tally::sum([self.tally]);
        Pasted {
            cells: tally.matched,
            changed: tally.changed,
            drafts: tally.drafts,
            faults: tally.faults,
            step,
            ..self.pasted
        }
    }
}

impl Grid {
    /// Pastes a block in one step.
    pub fn paste(&self, core: &Core, by: &By, paste: &Paste) -> Result<Pasted> {
        let view = self.view(paste.view)?;
        let watch = watch(by);
        let (mut pasted, mut changed, added) = core.write(by, |tx| {
            let mut work = begin(core, tx, Some(tx), &view, paste, &watch)?;
            work.run(tx)?;
            let outcome = Outcome {
                updated: work.tally.rows,
                added: work.pasted.added,
                has_values: work.tally.has_values,
                only: None,
            };
            let step = told(core, tx, work.list, &view.spec.list, Act::new("grid_paste"), &outcome)?;
            let (changed, added) = (std::mem::take(&mut work.changed), std::mem::take(&mut work.added));
            Ok::<_, Error>((work.done(step), changed, added))
        })?;
        if let Some(step) = pasted.step.filter(|_| !added.is_empty()) {
            pasted.first_added = Some(view.append(step, &added));
            changed.extend(added);
        }
        patch(core, &view, pasted.step, &changed);
        Ok(pasted)
    }

    /// Returns what a paste would change, without writing anything.
    pub fn paste_preview(&self, core: &Core, by: &By, paste: &Paste) -> Result<Pasted> {
        let view = self.view(paste.view)?;
        let watch = watch(by);
        let mut done = core.scan(&watch, 1, |tx| {
            let mut work = begin(core, tx, None, &view, paste, &watch)?;
            work.run(tx)?;
            Ok(work.done(None))
        })?;
        Ok(done.pop().unwrap_or_default())
    }
}

fn begin<'w, 't, 'c>(
    core: &'w Core,
    tx: &ReadTx,
    writer: Option<&'t WriteTx<'c>>,
    view: &'w View,
    paste: &Paste<'w>,
    watch: &'w Watch,
) -> Result<Work<'w, 't, 'c>> {
    let layout = Layout::of(tx, view, paste)?;
    let list = reading::list_of(tx, &view.spec)?;
    let sheet = Sheet::new(tx, core.ctx(), list, &layout.targets(), &[], paste.region)?;
    let (pasted, tally) = (Pasted::default(), Tally::default());
    let (changed, added) = (Vec::new(), Vec::new());
    Ok(Work { core, view, list, layout, sheet, mode: paste.mode, watch, writer, pasted, tally, changed, added })
}
