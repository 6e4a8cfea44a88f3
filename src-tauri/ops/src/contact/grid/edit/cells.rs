//! Writes cells: reads a chunk of rows, checks each cell by the rule of its field, and writes what changes. A text that
//! the rule refuses is stored as a draft.

use std::borrow::Cow;

use roost_model::{contact::ContactField, error::Fault, phone::Region, time::Timestamp};
use roost_store::{
    error::Result as StoreResult,
    tables::{
        contacts::grid::{
            drafts,
            edit::Setter,
            scan::{self, Row},
        },
        lists::ListRow,
    },
    tx::{ReadTx, WriteTx},
    watch::Watch,
};

use super::{CellFault, Sample};
use crate::{contact::fields, ctx::Ctx, error::Result};

/// The number of rows that are read, checked and written at once.
pub(in crate::contact) const STRETCH: usize = 2_000;
const FAULTS: usize = 100;
const SAMPLE: usize = 10;

/// Columns read of every row to find out whether a number remains and which region it belongs to.
const NUMBERS: [ContactField; 4] =
    [ContactField::PhoneNumber, ContactField::PhoneRegion, ContactField::WhatsappId, ContactField::WhatsappRegion];
const PHONE: usize = 0;
const WHATSAPP: usize = 2;

/// A row to which an act applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::contact) struct Item {
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
pub(in crate::contact) struct Want {
    /// The column among those that are read.
    pub at: usize,
    pub text: Option<String>,
}

/// A function that adds the cells that an act wants to change in a row.
pub(super) type Wanting<'w> = dyn FnMut(&Item, &Seen, &mut Vec<Want>) -> StoreResult<()> + 'w;

/// The columns of an act: which are read, which may be written, and how numbers are read.
pub(in crate::contact) struct Sheet {
    list: ListRow,
    reads: Vec<ContactField>,
    names: Vec<Cow<'static, str>>,
    writes: Vec<usize>,
    usual: Region,
    /// Whether the act names a region, which then applies to every row.
    is_given: bool,
}

/// A row as it was read.
pub(in crate::contact) struct Seen<'r> {
    values: Vec<Option<&'r str>>,
    typed: Option<&'r [(String, String)]>,
    names: &'r [Cow<'static, str>],
}

impl<'r> Seen<'r> {
    pub fn stored(&self, at: usize) -> Option<&'r str> {
        self.values[at]
    }

    fn draft(&self, at: usize) -> Option<&'r str> {
        let typed = self.typed?;
        typed.iter().find(|(name, _)| *name == self.names[at]).map(|(_, text)| text.as_str())
    }

    /// Returns the text that the cell shows: the draft, if there is one, or the value.
    pub fn shown(&self, at: usize) -> Option<&'r str> {
        self.draft(at).or(self.values[at]).filter(|text| !text.is_empty())
    }
}

/// The changes to a row.
#[derive(Debug, Default)]
pub(in crate::contact) struct Change {
    pub id: i64,
    /// The values of the written columns, or `None` if only drafts change.
    values: Option<Vec<Option<String>>>,
    /// The draft to store for each column, or `None` to remove the draft.
    drafts: Vec<(usize, Option<String>)>,
}

/// The counts and samples of an act or of its preview.
#[derive(Debug, Default)]
pub(in crate::contact) struct Tally {
    pub matched: u64,
    pub rows: u64,
    pub changed: u64,
    pub drafts: u64,
    /// Whether any value changed, as opposed to drafts only.
    pub has_values: bool,
    pub faults: Vec<CellFault>,
    pub sample: Vec<Sample>,
}

impl Tally {
    fn fault(&mut self, row: u32, field: &str, message: String) {
        if self.faults.len() < FAULTS {
            self.faults.push(CellFault { row: row.into(), field: field.to_owned(), message });
        }
    }

    /// Adds up the tallies of several threads.
    pub fn sum(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut all = parts.into_iter().fold(Self::default(), |mut all, part| {
            all.matched += part.matched;
            all.rows += part.rows;
            all.changed += part.changed;
            all.drafts += part.drafts;
            all.has_values |= part.has_values;
            all.faults.extend(part.faults);
            all.sample.extend(part.sample);
            all
        });
        all.faults.sort_by_key(|fault| fault.row);
        all.faults.truncate(FAULTS);
        all.sample.sort_by_key(|cell| cell.row);
        all.sample.truncate(SAMPLE);
        all
    }
}

impl Sheet {
    pub fn new(
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
        let usual = fields::region(tx, ctx, region)?;
        Ok(Self { list, reads, names, writes, usual, is_given: region.is_some() })
    }

    pub fn at(&self, field: ContactField) -> usize {
        self.reads.iter().position(|read| *read == field).unwrap_or(PHONE)
    }

    /// Returns the region in which a number of a row is read.
    pub fn region_of(&self, seen: &Seen, text: &str) -> Region {
        let own = seen.stored(PHONE + 1).or(seen.stored(WHATSAPP + 1)).filter(|_| !self.is_given);
        fields::region_near(text, self.usual, own.and_then(Region::parse))
    }

    pub fn region_of_new(&self) -> Region {
        self.usual
    }

    /// Returns the changes to some rows. `wants` adds the wanted cells of each row.
    pub fn judged(
        &self,
        tx: &ReadTx,
        items: &[Item],
        watch: &Watch,
        tally: &mut Tally,
        wants: &mut Wanting,
    ) -> Result<Vec<Change>> {
        let ids: Vec<i64> = items.iter().map(|item| item.id).collect();
        let typed = drafts::of(tx, &ids)?;
        let mut changes = Vec::new();
        let mut wanted = Vec::new();
        scan::by_ids(tx, self.list, &ids, &self.reads, watch, &mut |at, row| {
            let item = &items[at];
            let seen =
                Seen { values: self.values(row)?, typed: typed.get(&item.id).map(Vec::as_slice), names: &self.names };
            wanted.clear();
            wants(item, &seen, &mut wanted)?;
            changes.extend(self.judge(item, &seen, &mut wanted, tally));
            Ok(())
        })?;
        Ok(changes)
    }

    fn values<'r>(&self, row: &'r Row) -> StoreResult<Vec<Option<&'r str>>> {
        (0..self.reads.len())
            .map(|at| Ok(scan::text(row, scan::FIRST_COLUMN + at)?.and_then(|text| std::str::from_utf8(text).ok())))
            .collect()
    }

    fn judge(&self, item: &Item, seen: &Seen, wants: &mut Vec<Want>, tally: &mut Tally) -> Option<Change> {
        tally.matched += wants.len() as u64;
        let mut row = Judged::default();
        while let Some(Want { at, text }) = wants.pop() {
            // If a cell is given two texts, the last one counts; it comes first here.
            if row.seen.contains(&at) {
                continue;
            }
            row.seen.push(at);
            let text = text.filter(|text| !text.is_empty());
            let is_draft = seen.draft(at).is_some();
            if text.as_deref() == seen.stored(at) {
                if is_draft {
                    row.drafts.push((at, None));
                }
                continue;
            }
            match fields::settle_one(self.reads[at], text.as_deref(), |text| self.region_of(seen, text)) {
                Ok(settled) => {
                    let differing = settled.into_iter().map(|(field, value)| (self.at(field), value));
                    row.sets.extend(differing.filter(|(at, value)| value.as_deref() != seen.stored(*at)));
                    if is_draft {
                        row.drafts.push((at, None));
                    }
                }
                Err(Fault { message, .. }) => row.refuse(at, text.unwrap_or_default(), message),
            }
        }
        self.keep_a_number(seen, &mut row);
        row.drafts.retain(|(at, text)| text.as_deref() != seen.draft(*at));
        self.tell(item, seen, &row, tally);
        if row.sets.is_empty() && row.drafts.is_empty() {
            return None;
        }
        tally.rows += 1;
        tally.has_values |= !row.sets.is_empty();
        let values = (!row.sets.is_empty()).then(|| {
            let value = |at: &usize| row.set(*at).unwrap_or_else(|| seen.stored(*at)).map(str::to_owned);
            self.writes.iter().map(value).collect()
        });
        Some(Change { id: item.id, values, drafts: row.drafts })
    }

    /// Refuses to empty the last number of a contact. A draft in such a cell is removed all the same, so that emptying
    /// the cell restores the number.
    fn keep_a_number(&self, seen: &Seen, row: &mut Judged) {
        let after = |at: usize| row.set(at).unwrap_or_else(|| seen.stored(at));
        if after(PHONE).is_some() || after(WHATSAPP).is_some() {
            return;
        }
        for at in [PHONE, WHATSAPP] {
            if seen.stored(at).is_some() && row.seen.contains(&at) {
                row.sets.retain(|(set, _)| *set != at && *set != at + 1);
                let message = fields::no_number().to_string();
                if seen.draft(at).is_some() {
                    row.faults.push((at, message));
                } else {
                    row.refuse(at, String::new(), message);
                }
            }
        }
    }

    fn tell(&self, item: &Item, seen: &Seen, row: &Judged, tally: &mut Tally) {
        for (at, message) in row.faults.iter().rev() {
            tally.fault(item.row, &self.names[*at], message.clone());
        }
        for at in row.seen.iter().rev() {
            let draft = row.drafts.iter().find(|(draft, _)| draft == at).map(|(_, text)| text.as_deref());
            let after = match (draft, row.set(*at)) {
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
                    seen.stored(*at)
                }
                (None, None) => continue,
            };
            if tally.sample.len() < SAMPLE {
                let fault = row.faults.iter().find(|(fault, _)| fault == at).map(|(_, message)| message.clone());
                tally.sample.push(Sample {
                    row: item.row.into(),
                    field: self.names[*at].clone().into_owned(),
                    before: seen.shown(*at).map(str::to_owned),
                    after: after.map(str::to_owned),
                    fault,
                });
            }
        }
    }

    pub fn setter<'t>(&self, tx: &'t WriteTx) -> Result<Setter<'t>> {
        let fields: Vec<ContactField> = self.writes.iter().map(|at| self.reads[*at]).collect();
        Ok(Setter::new(tx, &fields)?)
    }

    pub fn write(&self, tx: &WriteTx, setter: &mut Setter, changes: &[Change], at: Timestamp) -> Result<()> {
        for change in changes {
            tx.check()?;
            if let Some(values) = &change.values {
                setter.set(change.id, at, values)?;
            }
            for (cell, text) in &change.drafts {
                drafts::put(tx, change.id, &self.names[*cell], text.as_deref())?;
            }
        }
        Ok(())
    }
}

/// A row while its changes are collected.
#[derive(Default)]
struct Judged {
    /// The columns of the wanted cells, the last one first.
    seen: Vec<usize>,
    sets: Vec<(usize, Option<String>)>,
    drafts: Vec<(usize, Option<String>)>,
    faults: Vec<(usize, String)>,
}

impl Judged {
    /// Returns the new value of a column, if it has one.
    fn set(&self, at: usize) -> Option<Option<&str>> {
        self.sets.iter().find(|(set, _)| *set == at).map(|(_, value)| value.as_deref())
    }

    fn refuse(&mut self, at: usize, typed: String, message: String) {
        self.drafts.retain(|(draft, _)| *draft != at);
        self.drafts.push((at, Some(typed)));
        self.faults.push((at, message));
    }
}
