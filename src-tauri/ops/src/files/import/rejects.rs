//! Handles the refused rows of an import: they are stored with it, can be fixed, and can be imported later.

use std::collections::BTreeMap;

use roost_model::{error::Fault, phone::Region};
use roost_sheets::{Block, RowFlag, RowFlags};
use roost_store::{
    change_log::{Action, Change, Noun, Source},
    tables::{
        custom_fields,
        imports::{
            self,
            rejects::{self as stored, StoredReject},
        },
        steps::Act,
    },
    tx::ReadTx,
};
use serde::{Deserialize, Serialize};

use super::{
    accept::{self, Accept, Accepted},
    history::there,
    mapping::OpenMapping,
    rehearse::{Rows, rehearse},
    settle::{Plan, Reason},
    spool::Spool,
    verdicts::Bucket,
};
use crate::{
    core::{By, Core},
    error::{Error, Result},
};

/// Rows that are read at once.
const PART: u32 = 1_000;
/// Cells that can be fixed at once.
const EDITS_MAX: usize = 10_000;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "ImportReject"))]
pub struct Reject {
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub reject: i64,
    /// The row's number in the file, from 0.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub row: u64,
    /// The line on which the row begins, or its number in the sheet.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub place: u64,
    pub cells: Vec<String>,
    /// None: the row can be imported now.
    pub reason: Option<Reason>,
    pub message: Option<String>,
    pub field: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "ImportRejectsPage"))]
pub struct RejectsPage {
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub total: u64,
    /// Names of the columns.
    pub columns: Vec<String>,
    pub rows: Vec<Reject>,
}

/// The new text of a cell of a refused row.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "ImportRejectEdit"))]
pub struct RejectEdit {
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub reject: i64,
    pub column: u32,
    pub text: String,
}

/// The result of importing the fixed rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "ImportRejectsAccepted"))]
pub struct RejectsAccepted {
    pub accepted: Accepted,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub left: u64,
}

/// Checks refused rows by the mapping of their import.
struct Judge {
    columns: Vec<String>,
    mapping: OpenMapping,
    plan: Plan,
}

impl Judge {
    fn of(tx: &ReadTx, import: i64) -> Result<Self> {
        let (heads, mapping) = there(imports::columns(tx, import)?)?;
        let columns: Vec<String> = read(&heads)?;
        let mapping: OpenMapping = read(&mapping)?;
        let region = mapping.region.as_deref().and_then(Region::parse).unwrap_or_else(Region::gb);
        let plan = Plan::of(&mapping, columns.len(), &custom_fields::numbers(tx)?, region)
            .map_err(|faults| Error::Invalid { faults })?;
        Ok(Self { columns, mapping, plan })
    }

    fn judge(&self, stored: StoredReject) -> Result<Reject> {
        let cells: Vec<String> = read(&stored.cells)?;
        let mut block = Block::default();
        put(&mut block, &stored, &cells);
        let fault = self.plan.settle(&block.row(0)).err();
        Ok(Reject {
            reject: stored.id,
            row: stored.row,
            place: stored.place,
            cells,
            reason: fault.map(|fault| fault.reason),
            message: fault.map(|fault| self.plan.explain(&fault, &block.row(0))),
            field: fault.and_then(|fault| fault.field).map(|field| field.name().into_owned()),
        })
    }
}

fn read<T: serde::de::DeserializeOwned>(text: &str) -> Result<T> {
    serde_json::from_str(text)
        .map_err(|why| Error::conflict(format!("This import is not kept as this program keeps it: {why}.")))
}

fn put(block: &mut Block, stored: &StoredReject, cells: &[String]) {
    cells.iter().for_each(|cell| block.cell(cell));
    block.end_row(stored.place, RowFlags::from_bits(stored.flags));
}

/// Returns some refused rows of an import, in the order of the file.
pub fn page(core: &Core, import: i64, from: u64, count: u32) -> Result<RejectsPage> {
    core.read(|tx| {
        let judge = Judge::of(tx, import)?;
        let rows = stored::page(tx, import, from, count)?.into_iter().map(|row| judge.judge(row));
        let (rows, total) = (rows.collect::<Result<_>>()?, stored::count(tx, import)?);
        Ok(RejectsPage { total, columns: judge.columns, rows })
    })
}

/// Calls `visit` with every refused row. Returns the names of the columns.
pub fn each(core: &Core, import: i64, mut visit: impl FnMut(Reject) -> Result<()>) -> Result<Vec<String>> {
    core.read(|tx| {
        let judge = Judge::of(tx, import)?;
        each_stored(tx, import, |row| visit(judge.judge(row)?))?;
        Ok(judge.columns)
    })
}

fn each_stored(tx: &ReadTx, import: i64, mut visit: impl FnMut(StoredReject) -> Result<()>) -> Result<()> {
    let mut last = 0;
    loop {
        let part = stored::behind(tx, import, last, PART)?;
        let Some(end) = part.last() else { return Ok(()) };
        last = end.id;
        part.into_iter().try_for_each(&mut visit)?;
    }
}

/// Changes cells of refused rows in one step. Returns these rows with their new state.
pub fn mend(core: &Core, by: &By, import: i64, edits: &[RejectEdit]) -> Result<Vec<Reject>> {
    if !(1..=EDITS_MAX).contains(&edits.len()) {
        return Err(Fault::new("edits", format!("Mend 1 to {EDITS_MAX} cells at once."), edits.len()).into());
    }
    core.write(by, |tx| {
        let judge = Judge::of(tx, import)?;
        let mut typed: BTreeMap<i64, Vec<&RejectEdit>> = BTreeMap::new();
        for (n, edit) in edits.iter().enumerate() {
            if edit.column as usize >= judge.columns.len() {
                return Err(
                    Fault::new(format!("edits[{n}].column"), "The file has no such column.", edit.column).into()
                );
            }
            typed.entry(edit.reject).or_default().push(edit);
        }
        let mut mended = Vec::with_capacity(typed.len());
        for (reject, edits) in typed {
            let missing =
                || Error::conflict("This row is not among the refused ones any more. Look at them once more.");
            let row = stored::get(tx, import, reject)?.ok_or_else(missing)?;
            let mut cells: Vec<String> = read(&row.cells)?;
            for edit in edits {
                cells.resize(cells.len().max(edit.column as usize + 1), String::new());
                cells[edit.column as usize].clone_from(&edit.text);
            }
            let mut flags = RowFlags::default();
            if RowFlags::from_bits(row.flags).has(RowFlag::OptedOut) {
                flags.add(RowFlag::OptedOut);
            }
            stored::mend(tx, reject, &accept::json(&cells)?, flags.bits())?;
            mended.push(judge.judge(there(stored::get(tx, import, reject)?)?)?);
        }
        let of = there(imports::get(tx, import)?)?;
        tx.act(Act::new("import_rejects_mend").subject(of.name).uid(&of.list).count(mended.len() as u64));
        tx.log(Change::one(Noun::List, Action::Updated, &of.list));
        Ok(mended)
    })
}

/// Imports the refused rows that are valid by now into the list of their import; the others stay. The history shows
/// this as a separate import. `typed_count` is required if the rows opt anybody out.
pub fn accept(core: &Core, by: &By, import: i64, typed_count: Option<u64>) -> Result<RejectsAccepted> {
    let (mut spool, mut block, mut ids) = (Spool::in_memory(), Block::default(), Vec::new());
    let (of, judge) = core.read(|tx| {
        each_stored(tx, import, |row| {
            put(&mut block, &row, &read::<Vec<String>>(&row.cells)?);
            ids.push(row.id);
            if block.is_full() {
                spool.push(&block).map_err(super::rehearse::unreadable)?;
                block.clear();
            }
            Ok(())
        })?;
        Ok((there(imports::get(tx, import)?)?, Judge::of(tx, import)?))
    })?;
    spool.push(&block).map_err(super::rehearse::unreadable)?;
    let rows = Rows { spool: &spool, heads: &judge.columns, first: 0, opted_out: &[] };
    let watch = by.watch.clone().unwrap_or_default();
    let rehearsal = rehearse(core, rows, &judge.mapping, Some(&of.list), &watch)?;
    let counts = rehearsal.told().counts;
    if counts.invalid == counts.rows {
        return Err(Error::conflict("None of these rows can be taken yet. Mend them first."));
    }
    let by = By { source: Source::Import, ..by.clone() };
    core.write(&by, |tx| {
        let how = Accept { name: &of.name, kind: &of.kind, new_list: None, typed_count, mark: None };
        let accepted = accept::begin(core, &by, tx, rows, &rehearsal, &how, Some(import))?;
        for (row, id) in ids.iter().enumerate() {
            if rehearsal.verdicts.bucket(row) != Bucket::Invalid {
                stored::delete(tx, import, *id)?;
            }
        }
        Ok(RejectsAccepted { accepted: accepted.end("import_rejects_accept")?, left: counts.invalid })
    })
}

/// Discards refused rows, or all of them if `rejects` is empty. Returns how many were discarded.
pub fn discard(core: &Core, by: &By, import: i64, rejects: &[i64]) -> Result<u64> {
    core.write(by, |tx| {
        let of = there(imports::get(tx, import)?)?;
        let mut ids = rejects.to_vec();
        if ids.is_empty() {
            each_stored(tx, import, |row| {
                ids.push(row.id);
                Ok(())
            })?;
        }
        let mut gone = 0;
        for id in ids {
            tx.check()?;
            gone += u64::from(stored::delete(tx, import, id)?);
        }
        if gone > 0 {
            tx.act(Act::new("import_rejects_discard").subject(of.name).uid(&of.list).count(gone));
            tx.log(Change::one(Noun::List, Action::Updated, &of.list));
        }
        Ok(gone)
    })
}
