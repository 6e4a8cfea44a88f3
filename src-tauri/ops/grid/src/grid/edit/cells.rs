//! Writes cells: reads a chunk of rows, checks each cell by the rule of its field, and writes what changes. A text that
//! the rule refuses is stored as a draft.

use std::{borrow::Cow, slice};

use roost_model::{contact::ContactField, error::FieldError, phone::Region, time::Timestamp};
use roost_store::{
    error::Result as StoreResult,
    tables::{
        contacts::grid::{
            drafts,
            edit::CellSetter,
            scan::{self, Row},
        },
        lists::ListRow,
    },
    tx::{ReadTx, WriteTx},
    watch::Watch,
};

use super::{CellError, CellSample};
use roost_ops::{
    contact::fields,
    ctx::Ctx,
    error::Result,
    opt_out::{ContactNumbers, LostOptOut, collect_lost_opt_outs},
};

/// The number of rows that are read, checked and written at once.
pub(crate) const CHUNK_ROWS: usize = 2_000;
const MAX_ERRORS: usize = 100;
const MAX_SAMPLES: usize = 10;

/// Columns read of every row to find out whether a number remains and which region it belongs to.
const NUMBERS: [ContactField; 4] =
    [ContactField::PhoneNumber, ContactField::PhoneRegion, ContactField::WhatsappId, ContactField::WhatsappRegion];
const PHONE: usize = 0;
const WHATSAPP: usize = 2;

/// A row to which an act applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TargetRow {
    pub id: i64,
    /// The position in the view.
    pub row: u32,
    /// The position in the selection, from 0.
    pub n: u32,
    /// The first row of the selected range to which the row belongs.
    pub first: u32,
}

/// The text that an act wants in a cell. `None` empties the cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WantedCell {
    /// The column among those that are read.
    pub at: usize,
    pub text: Option<String>,
}

/// A function that adds the cells that an act wants to change in a row.
pub(super) type CollectWantedCells<'w> = dyn FnMut(&TargetRow, &SheetRow, &mut Vec<WantedCell>) -> StoreResult<()> + 'w;

/// The columns of an act: which are read, which may be written, and how numbers are read.
pub(crate) struct EditSheet {
    list: ListRow,
    reads: Vec<ContactField>,
    names: Vec<Cow<'static, str>>,
    writes: Vec<usize>,
    usual: Region,
    /// Whether the act names a region, which then applies to every row.
    is_given: bool,
}

/// A row as it was read.
pub(crate) struct SheetRow<'r> {
    values: Vec<Option<&'r str>>,
    typed: Option<&'r [(String, String)]>,
    names: &'r [Cow<'static, str>],
}

impl<'r> SheetRow<'r> {
    pub(crate) fn stored_value(&self, at: usize) -> Option<&'r str> {
        self.values[at]
    }

    fn draft_text(&self, at: usize) -> Option<&'r str> {
        let typed = self.typed?;
        typed.iter().find(|(name, _)| *name == self.names[at]).map(|(_, text)| text.as_str())
    }

    /// Returns the text that the cell shows: the draft, if there is one, or the value.
    pub(crate) fn shown_text(&self, at: usize) -> Option<&'r str> {
        self.draft_text(at).or(self.values[at]).filter(|text| !text.is_empty())
    }
}

/// The changes to a row.
#[derive(Debug, Default)]
pub(crate) struct SheetRowChange {
    pub id: i64,
    /// The values of the written columns, or `None` if only drafts change.
    values: Option<Vec<Option<String>>>,
    /// The draft to store for each column, or `None` to remove the draft.
    drafts: Vec<(usize, Option<String>)>,
    /// The contact's numbers before and after, if one of them changes.
    numbers: Option<(ContactNumbers, ContactNumbers)>,
}

/// The counts and samples of an act or of its preview.
#[derive(Debug, Default)]
pub(crate) struct EditTally {
    pub matched: u64,
    pub rows: u64,
    pub changed: u64,
    pub drafts: u64,
    /// Whether any value changed, as opposed to drafts only.
    pub has_values: bool,
    pub faults: Vec<CellError>,
    pub sample: Vec<CellSample>,
    /// The opt-outs that the new numbers lack. Empty in a preview.
    pub lost_opt_outs: Vec<LostOptOut>,
}

impl EditTally {
    fn add_error(&mut self, row: u32, field: &str, message: String) {
        if self.faults.len() < MAX_ERRORS {
            self.faults.push(CellError { row: row.into(), field: field.to_owned(), message });
        }
    }

    /// Adds up the tallies of several threads.
    pub(crate) fn sum(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut all = parts.into_iter().fold(Self::default(), |mut all, part| {
            all.matched += part.matched;
            all.rows += part.rows;
            all.changed += part.changed;
            all.drafts += part.drafts;
            all.has_values |= part.has_values;
            all.faults.extend(part.faults);
            all.sample.extend(part.sample);
            all.lost_opt_outs.extend(part.lost_opt_outs);
            all
        });
        all.faults.sort_by_key(|fault| fault.row);
        all.faults.truncate(MAX_ERRORS);
        all.sample.sort_by_key(|cell| cell.row);
        all.sample.truncate(MAX_SAMPLES);
        all
    }
}

impl EditSheet {
    pub(crate) fn new(
        tx: &ReadTx,
        ctx: &Ctx,
        list: ListRow,
        targets: &[ContactField],
        others: &[ContactField],
        region: Option<&str>,
    ) -> Result<Self> {
        let mut reads = NUMBERS.to_vec();
        for field in targets.iter().chain(others) {
            if !reads.contains(field) {
                reads.push(*field);
            }
        }
        let columns: Vec<ContactField> = targets
            .iter()
            .flat_map(|field| fields::number_fields(*field).map_or_else(|| vec![*field], |two| two.to_vec()))
            .collect();
        let mut writes: Vec<usize> = (0..reads.len()).filter(|at| columns.contains(&reads[*at])).collect();
        writes.dedup();
        let names = reads.iter().map(|field| field.name()).collect();
        let usual = fields::choose_region(tx, ctx, region)?;
        Ok(Self { list, reads, names, writes, usual, is_given: region.is_some() })
    }

    pub(crate) fn column_of(&self, field: ContactField) -> usize {
        self.reads.iter().position(|read| *read == field).unwrap_or(PHONE)
    }

    /// Returns the region in which a number of a row is read.
    pub(crate) fn region_of(&self, seen: &SheetRow, text: &str) -> Region {
        let own = seen.stored_value(PHONE + 1).or(seen.stored_value(WHATSAPP + 1)).filter(|_| !self.is_given);
        fields::region_near(text, self.usual, own.and_then(Region::parse))
    }

    pub(crate) fn new_row_region(&self) -> Region {
        self.usual
    }

    /// Returns the changes to some rows. `wants` adds the wanted cells of each row.
    pub(crate) fn collect_changes(
        &self,
        tx: &ReadTx,
        items: &[TargetRow],
        watch: &Watch,
        tally: &mut EditTally,
        wants: &mut CollectWantedCells,
    ) -> Result<Vec<SheetRowChange>> {
        let ids: Vec<i64> = items.iter().map(|item| item.id).collect();
        let typed = drafts::read_drafts(tx, &ids)?;
        let mut changes = Vec::new();
        let mut wanted = Vec::new();
        scan::visit_by_ids(tx, self.list, &ids, &self.reads, watch, &mut |at, row| {
            let item = &items[at];
            let seen = SheetRow {
                values: self.read_values(row)?,
                typed: typed.get(&item.id).map(Vec::as_slice),
                names: &self.names,
            };
            wanted.clear();
            wants(item, &seen, &mut wanted)?;
            changes.extend(self.check_row(item, &seen, &mut wanted, tally));
            Ok(())
        })?;
        Ok(changes)
    }

    fn read_values<'r>(&self, row: &'r Row) -> StoreResult<Vec<Option<&'r str>>> {
        (0..self.reads.len())
            .map(|at| {
                Ok(scan::text_bytes(row, scan::FIRST_COLUMN + at)?.and_then(|text| std::str::from_utf8(text).ok()))
            })
            .collect()
    }

    fn check_row(
        &self,
        item: &TargetRow,
        seen: &SheetRow,
        wants: &mut Vec<WantedCell>,
        tally: &mut EditTally,
    ) -> Option<SheetRowChange> {
        tally.matched += wants.len() as u64;
        let mut row = RowEdit::default();
        while let Some(WantedCell { at, text }) = wants.pop() {
            // If a cell is given two texts, the last one counts; it comes first here.
            if row.wanted.contains(&at) {
                continue;
            }
            row.wanted.push(at);
            let text = text.filter(|text| !text.is_empty());
            let is_draft = seen.draft_text(at).is_some();
            if text.as_deref() == seen.stored_value(at) {
                if is_draft {
                    row.drafts.push((at, None));
                }
                continue;
            }
            match fields::check_cell(self.reads[at], text.as_deref(), |text| self.region_of(seen, text)) {
                Ok(settled) => {
                    let differing = settled.into_iter().map(|(field, value)| (self.column_of(field), value));
                    row.sets.extend(differing.filter(|(at, value)| value.as_deref() != seen.stored_value(*at)));
                    if is_draft {
                        row.drafts.push((at, None));
                    }
                }
                Err(FieldError { message, .. }) => row.refuse_cell(at, text.unwrap_or_default(), message),
            }
        }
        self.keep_one_number(seen, &mut row);
        row.drafts.retain(|(at, text)| text.as_deref() != seen.draft_text(*at));
        self.count_row(item, seen, &row, tally);
        if row.sets.is_empty() && row.drafts.is_empty() {
            return None;
        }
        tally.rows += 1;
        tally.has_values |= !row.sets.is_empty();
        let values = (!row.sets.is_empty()).then(|| {
            let value = |at: &usize| row.new_value(*at).unwrap_or_else(|| seen.stored_value(*at)).map(str::to_owned);
            self.writes.iter().map(value).collect()
        });
        let numbers = row.sets.iter().any(|(at, _)| [PHONE, WHATSAPP].contains(at)).then(|| {
            let after = |at: usize| row.new_value(at).unwrap_or_else(|| seen.stored_value(at));
            (to_numbers(|at| seen.stored_value(at)), to_numbers(after))
        });
        Some(SheetRowChange { id: item.id, values, drafts: row.drafts, numbers })
    }

    /// Refuses to empty the last number of a contact. A draft in such a cell is removed all the same, so that emptying
    /// the cell restores the number.
    fn keep_one_number(&self, seen: &SheetRow, row: &mut RowEdit) {
        let after = |at: usize| row.new_value(at).unwrap_or_else(|| seen.stored_value(at));
        if after(PHONE).is_some() || after(WHATSAPP).is_some() {
            return;
        }
        for at in [PHONE, WHATSAPP] {
            if seen.stored_value(at).is_some() && row.wanted.contains(&at) {
                row.sets.retain(|(set, _)| *set != at && *set != at + 1);
                let message = fields::no_number_error().to_string();
                if seen.draft_text(at).is_some() {
                    row.faults.push((at, message));
                } else {
                    row.refuse_cell(at, String::new(), message);
                }
            }
        }
    }

    fn count_row(&self, item: &TargetRow, seen: &SheetRow, row: &RowEdit, tally: &mut EditTally) {
        for (at, message) in row.faults.iter().rev() {
            tally.add_error(item.row, &self.names[*at], message.clone());
        }
        for at in row.wanted.iter().rev() {
            let draft = row.drafts.iter().find(|(draft, _)| draft == at).map(|(_, text)| text.as_deref());
            let after = match (draft, row.new_value(*at)) {
                (Some(Some(text)), _) => {
                    tally.drafts += 1;
                    Some(text)
                }
                (_, Some(value)) => {
                    tally.changed += 1;
                    value
                }
                (Some(None), None) => {
                    tally.changed += 1;
                    seen.stored_value(*at)
                }
                (None, None) => continue,
            };
            if tally.sample.len() < MAX_SAMPLES {
                let fault = row.faults.iter().find(|(fault, _)| fault == at).map(|(_, message)| message.clone());
                tally.sample.push(CellSample {
                    row: item.row.into(),
                    field: self.names[*at].clone().into_owned(),
                    before: seen.shown_text(*at).map(str::to_owned),
                    after: after.map(str::to_owned),
                    fault,
                });
            }
        }
    }

    pub(crate) fn new_setter<'t>(&self, tx: &'t WriteTx) -> Result<CellSetter<'t>> {
        let fields: Vec<ContactField> = self.writes.iter().map(|at| self.reads[*at]).collect();
        Ok(CellSetter::new(tx, &fields)?)
    }

    pub(crate) fn write_changes(
        &self,
        tx: &WriteTx,
        setter: &mut CellSetter,
        changes: &[SheetRowChange],
        at: Timestamp,
        tally: &mut EditTally,
    ) -> Result<()> {
        for change in changes {
            tx.check_cancelled()?;
            if let Some((before, after)) = &change.numbers {
                collect_lost_opt_outs(tx, slice::from_ref(before), after, &mut tally.lost_opt_outs)?;
            }
            if let Some(values) = &change.values {
                setter.set_cells(change.id, at, values)?;
            }
            for (cell, text) in &change.drafts {
                drafts::set_draft(tx, change.id, &self.names[*cell], text.as_deref())?;
            }
        }
        Ok(())
    }
}

/// Returns the numbers in the columns that are read of every row.
fn to_numbers<'v>(value: impl Fn(usize) -> Option<&'v str>) -> ContactNumbers {
    ContactNumbers { phone: value(PHONE).map(str::to_owned), whatsapp: value(WHATSAPP).map(str::to_owned) }
}

/// A row while its changes are collected.
#[derive(Default)]
struct RowEdit {
    /// The columns of the wanted cells, the last one first.
    wanted: Vec<usize>,
    sets: Vec<(usize, Option<String>)>,
    drafts: Vec<(usize, Option<String>)>,
    faults: Vec<(usize, String)>,
}

impl RowEdit {
    /// Returns the new value of a column, if it has one.
    fn new_value(&self, at: usize) -> Option<Option<&str>> {
        self.sets.iter().find(|(set, _)| *set == at).map(|(_, value)| value.as_deref())
    }

    fn refuse_cell(&mut self, at: usize, typed: String, message: String) {
        self.drafts.retain(|(draft, _)| *draft != at);
        self.drafts.push((at, Some(typed)));
        self.faults.push((at, message));
    }
}
