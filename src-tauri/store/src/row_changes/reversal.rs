//! Reverses the changed rows of a step. The reversal is recorded as well, so reversing that step redoes the first one.

use std::{
    collections::{BTreeMap, HashSet, btree_map::Entry},
    iter,
};

use rusqlite::{Connection, OptionalExtension, ToSql, params, params_from_iter, types::Value};

use super::{
    removal::remove_rows,
    restore::{DeletedRange, RANGE_MIN, ReversalRecord, restore_range, restore_row, restore_updates},
};
use crate::{
    change_log::{ChangeAction, Noun},
    error::Result,
    row_recorder::{
        DELETED, INSERTED, INSERTED_RANGE, SWAPPED_IN_PLACE, UPDATED, range,
        row_encoding::{self, ColumnChange},
        tracked_tables::TrackedTable,
    },
    tables::{opt_outs, sync},
    tx::WriteTx,
};

/// A summary of what a reversal changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReversalSummary {
    /// Number of rows that changed.
    pub rows: u64,
    /// Number of records among them, by what the reversal did to each. It has no entry when only the parts of a record
    /// changed, such as the note of a list.
    pub records: BTreeMap<(Noun, ChangeAction), u64>,
    /// Rows, or values of rows, that were left because somebody changed them since.
    pub kept: u64,
    /// Opt-outs that the step added. They stay until a person removes them and gives a reason.
    pub opt_outs_kept: u64,
}

impl ReversalSummary {
    /// Returns whether opt-outs that stay are all that the step has left to reverse.
    pub fn only_kept_opt_outs(&self) -> bool {
        self.rows == 0 && self.opt_outs_kept > 0
    }

    fn count_rows(&mut self, place: &TrackedTable, remembered: i64, wanted: u64, done: u64) {
        if done > 0 {
            let now = match remembered {
                INSERTED | INSERTED_RANGE if place.is_record => ChangeAction::Deleted,
                DELETED if place.is_record => ChangeAction::Created,
                _ => ChangeAction::Updated,
            };
            self.rows += done;
            *self.records.entry((place.noun, now)).or_default() += if place.is_record { done } else { 0 };
        }
        self.kept += wanted.saturating_sub(done);
    }
}

/// The columns of the tables, read once per reversal.
#[derive(Default)]
pub(super) struct TableColumns(BTreeMap<u8, Vec<String>>);

impl TableColumns {
    pub(super) fn get_or_read(&mut self, conn: &Connection, place: &TrackedTable) -> Result<&[String]> {
        Ok(match self.0.entry(place.number) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(free) => free.insert(place.read_columns(conn)?),
        })
    }
}

/// The recorded contacts whose old and new values a reversal swaps in place. That spares recording them anew and
/// forgetting the former rows, which takes as long as restoring the values.
///
/// The next reversal visits these rows in the order of this one instead of the opposite order. So each contact may be
/// among them once, and nothing that this reversal visits before them may have changed contacts.
#[derive(Default)]
pub(super) struct SwappedRows {
    /// The lowest and the highest number of the rows.
    pub range: Option<(i64, i64)>,
    contacts: HashSet<i64>,
    is_closed: bool,
}

impl SwappedRows {
    pub(super) fn count(&self) -> u64 {
        self.contacts.len() as u64
    }

    /// Returns whether these rows may be swapped in place.
    fn admits(&mut self, place: &TrackedTable, rows: &[RecordedRow]) -> bool {
        let is_first = |row: &RecordedRow| matches!(row.key, Value::Integer(id) if self.contacts.insert(id));
        self.is_closed = self.is_closed || *place != TrackedTable::CONTACTS || !rows.iter().all(is_first);
        !self.is_closed
    }

    /// Adds the swapped rows, which precede those of the calls before.
    fn add(&mut self, rows: &[RecordedRow]) {
        if let (Some(highest), Some(lowest)) = (rows.first(), rows.last()) {
            self.range = Some((lowest.id, self.range.map_or(highest.id, |(_, highest)| highest)));
        }
    }

    /// Ends the range at a row that is recorded anew. A change of another table may precede the range.
    fn end_at(&mut self, place: Option<&TrackedTable>) {
        self.is_closed |= self.range.is_some() || place.is_none_or(|place| *place == TrackedTable::CONTACTS);
    }
}

/// What becomes of the older opt-outs that a step renewed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RenewedOptOuts {
    /// The newer records stay, because an undo does not weaken the evidence of an opt-out.
    Stay,
    /// The older records return, because the step was an edit of them.
    Return,
}

/// Reverses rows `first..=last` of a step, the last row first. The reversal is appended to the recorded rows, except for
/// rows that it may swap in place.
pub(super) fn reverse_rows(
    tx: &WriteTx,
    step: i64,
    (first, last): (i64, i64),
    renewed: RenewedOptOuts,
    mut swapped: Option<&mut SwappedRows>,
) -> Result<ReversalSummary> {
    let conn = tx.conn();
    let (mut columns, mut flipped, mut stayed) = (TableColumns::default(), ReversalSummary::default(), HashSet::new());
    let mut recount = ListRecount::default();
    visit_rows(tx, step, first, last, |visited| {
        let row = match visited {
            RecordedChange::Row(row) => row,
            RecordedChange::DeletedRange(run) => {
                swapped.iter_mut().for_each(|swapped| swapped.end_at(Some(run.place)));
                let (wanted, done) = restore_range(tx, &run, columns.get_or_read(conn, run.place)?)?;
                flipped.count_rows(run.place, DELETED, wanted, done);
                recount.note_row(run.place, &Value::Null, wanted == done);
                return Ok(());
            }
            RecordedChange::Updates(place, rows) => {
                let swapped = swapped.as_mut().and_then(|swapped| swapped.admits(place, &rows).then_some(swapped));
                let record = if swapped.is_some() { ReversalRecord::Swapped } else { ReversalRecord::Appended };
                let columns = columns.get_or_read(conn, place)?;
                let unchanged = restore_updates(tx, place, columns, (&rows, record), |row, back| {
                    count_update(place, row, back, &mut flipped, &mut recount);
                    Ok(())
                })?;
                if let Some(swapped) = swapped {
                    swapped.add(&rows[..unchanged]);
                    if unchanged < rows.len() {
                        swapped.end_at(Some(place));
                    }
                }
                return Ok(());
            }
        };
        if row.kind == SWAPPED_IN_PLACE {
            return Ok(());
        }
        swapped.iter_mut().for_each(|swapped| swapped.end_at(row.place));
        let Some(place) = row.place else {
            flipped.kept += 1;
            return Ok(());
        };
        if place.table == "opt_outs" && matches!(row.kind, INSERTED | INSERTED_RANGE) {
            let (first, count) = row.range();
            flipped.opt_outs_kept += count;
            stayed.extend(first..first + count as i64);
            return Ok(());
        }
        let (wanted, done) = match row.kind {
            INSERTED => (1, u64::from(remove_row(conn, place, &row.key, row.data.as_deref())?)),
            INSERTED_RANGE => {
                let columns = columns.get_or_read(conn, place)?;
                (row.range().1, remove_rows(conn, place, columns, row.range(), ("true", &[]))?)
            }
            DELETED if place.table == "opt_outs" && renewed == RenewedOptOuts::Stay && !stayed.is_empty() => {
                return Ok(());
            }
            DELETED => {
                let mut is_back = restore_row(conn, place, columns.get_or_read(conn, place)?, row.data())?;
                if !is_back && place.table == "opt_outs" {
                    is_back = restore_renewed_opt_out(tx, columns.get_or_read(conn, place)?, row.data(), &stayed)?;
                    flipped.opt_outs_kept -= u64::from(is_back);
                }
                (1, u64::from(is_back))
            }
            UPDATED => {
                let back = restore_columns(conn, place, columns.get_or_read(conn, place)?, &row)?;
                count_update(place, &row, back, &mut flipped, &mut recount);
                return Ok(());
            }
            _ => (1, 0),
        };
        flipped.count_rows(place, row.kind, wanted, done);
        recount.note_row(place, &row.key, wanted == done);
        Ok(())
    })?;
    recount.run(tx)?;
    Ok(flipped)
}

/// Counts a row whose old values were to be restored.
fn count_update(
    place: &TrackedTable,
    row: &RecordedRow,
    back: Option<RestoredColumns>,
    flipped: &mut ReversalSummary,
    recount: &mut ListRecount,
) {
    recount.note_row(place, &row.key, back.as_ref().is_some_and(|back| back.kept.is_empty()));
    flipped.kept += back.as_ref().map_or(1, |back| back.kept.len() as u64);
    let done = u64::from(back.is_some_and(|back| back.is_done));
    flipped.count_rows(place, UPDATED, done, done);
}

/// Lists whose contacts must be counted again. The step's change of the count is reversed as a whole, but somebody may
/// have restored, removed or moved some of its contacts since.
#[derive(Default)]
struct ListRecount {
    lists: HashSet<i64>,
    is_needed: bool,
}

impl ListRecount {
    fn note_row(&mut self, place: &TrackedTable, key: &Value, is_whole: bool) {
        if !matches!(place.table, "lists" | "contacts") {
            return;
        }
        self.is_needed |= !is_whole;
        if let ("lists", Value::Integer(list)) = (place.table, key) {
            self.lists.insert(*list);
        }
    }

    fn run(self, tx: &WriteTx) -> Result<()> {
        if self.is_needed {
            self.lists.into_iter().try_for_each(|list| sync::local::recount_list(tx, list))?;
        }
        Ok(())
    }
}

/// Restores an opt-out in the place of the one that the same step renewed it with, so that the number stays opted out.
fn restore_renewed_opt_out(tx: &WriteTx, columns: &[String], image: &[u8], stayed: &HashSet<i64>) -> Result<bool> {
    let Some(place) = TrackedTable::find_by_name("opt_outs") else { return Ok(false) };
    let Some(values) = row_encoding::read_row(image) else { return Ok(false) };
    let value = |name: &str| columns.iter().position(|column| column == name).and_then(|at| values.get(at));
    let found = [value("number"), value("channel"), value("scope")];
    let [Some(Value::Text(number)), Some(Value::Text(channel)), Some(Value::Text(scope))] = found else {
        return Ok(false);
    };
    let Some((id, record)) = opt_outs::find_with_row(tx, number, channel, scope)? else { return Ok(false) };
    if !stayed.contains(&id) {
        return Ok(false);
    }
    opt_outs::remove_for_renewal(tx, &record)?;
    restore_row(tx.conn(), place, columns, image)
}

/// One row of the `row_changes` table.
pub(super) struct RecordedRow {
    pub id: i64,
    /// `None` when a later version of the program recorded the row.
    pub place: Option<&'static TrackedTable>,
    pub kind: i64,
    pub key: Value,
    data: Option<Vec<u8>>,
}

impl RecordedRow {
    pub(super) fn data(&self) -> &[u8] {
        self.data.as_deref().unwrap_or_default()
    }

    /// Returns the first key and the number of keys.
    pub(super) fn range(&self) -> (i64, u64) {
        match (&self.key, self.kind) {
            (Value::Integer(first), INSERTED_RANGE) => (*first, range::decode_count(self.data()).max(0) as u64),
            (Value::Integer(first), _) => (*first, 1),
            _ => (0, 0),
        }
    }

    /// Returns whether both rows record inserted rows whose keys are consecutive. Such rows are removed in one
    /// statement.
    fn is_adjacent(&self, next: &Self) -> bool {
        let is_new = |row: &Self| matches!(row.kind, INSERTED | INSERTED_RANGE);
        let ((first, count), (other, others)) = (self.range(), next.range());
        self.place == next.place
            && self.place.is_some_and(|place| place.comes_in_ranges)
            && is_new(self)
            && is_new(next)
            && (other + others as i64 == first || first + count as i64 == other)
    }

    fn merge_range(&mut self, next: &Self) {
        let ((first, count), (other, others)) = (self.range(), next.range());
        self.kind = INSERTED_RANGE;
        self.key = Value::Integer(first.min(other));
        self.data = Some(range::encode_count((count + others) as i64));
    }
}

/// The recorded change that is to be reversed next.
pub(super) enum RecordedChange {
    Row(RecordedRow),
    /// Many changed rows of one table, the last row first.
    Updates(&'static TrackedTable, Vec<RecordedRow>),
    DeletedRange(DeletedRange),
}

/// Passes rows `first..=last` of a step to `visit`, the last row first.
pub(super) fn visit_rows(
    tx: &WriteTx,
    step: i64,
    first: i64,
    last: i64,
    mut visit: impl FnMut(RecordedChange) -> Result<()>,
) -> Result<()> {
    // Rows return in the opposite order, but a list may be missing for other reasons. The commit checks that.
    tx.conn().execute_batch("PRAGMA defer_foreign_keys = ON")?;
    let (mut next, mut updated) = (last, None);
    // Rows are read in chunks, because the triggers write into the same table.
    loop {
        let mut rows = read_chunk(tx.conn(), step, (first, next), "DESC")?;
        let run = DeletedRange::at_end(tx.conn(), step, first, &rows)?;
        if let Some(run) = &run {
            rows.retain(|row| row.id > run.last);
        }
        let Some(lowest) = run.as_ref().map(|run| run.first).or(rows.last().map(|row| row.id)) else { return Ok(()) };
        next = lowest - 1;
        let mut rows = rows.into_iter().peekable();
        while let Some(mut row) = rows.next() {
            tx.check_cancelled()?;
            while let Some(next) = rows.next_if(|next| row.is_adjacent(next)) {
                row.merge_range(&next);
            }
            let Some(place) = row.place.filter(|place| row.kind == UPDATED && place.comes_in_ranges) else {
                updated = None;
                visit(RecordedChange::Row(row))?;
                continue;
            };
            let mut updates = vec![row];
            updates.extend(iter::from_fn(|| rows.next_if(|next| next.kind == UPDATED && next.place == Some(place))));
            // The rows of a few may continue those of the chunk before.
            if updates.len() >= RANGE_MIN || updated == Some(place) {
                updated = Some(place);
                visit(RecordedChange::Updates(place, updates))?;
            } else {
                updates.into_iter().try_for_each(|row| visit(RecordedChange::Row(row)))?;
            }
        }
        run.map_or(Ok(()), |run| visit(RecordedChange::DeletedRange(run)))?;
    }
}

const CHUNK_ROWS: i64 = 2_000;

pub(super) fn read_chunk(
    conn: &Connection,
    step: i64,
    (first, last): (i64, i64),
    order: &str,
) -> Result<Vec<RecordedRow>> {
    let mut statement = conn.prepare_cached(&format!(
        "SELECT id, place, kind, key, data FROM row_changes WHERE id BETWEEN ?1 AND ?2 AND step = ?3 ORDER BY id {order} LIMIT ?4"
    ))?;
    let rows = statement.query_map([first, last, step, CHUNK_ROWS], |row| {
        let place = TrackedTable::find_by_number(row.get(1)?);
        Ok(RecordedRow { id: row.get(0)?, place, kind: row.get(2)?, key: row.get(3)?, data: row.get(4)? })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn key_condition(place: &TrackedTable) -> String {
    let parts: Vec<String> = place.key.iter().enumerate().map(|(i, column)| format!("{column} = ?{}", i + 1)).collect();
    parts.join(" AND ")
}

pub(super) fn remove_row(conn: &Connection, place: &TrackedTable, key: &Value, image: Option<&[u8]>) -> Result<bool> {
    let mut statement = conn.prepare_cached(&format!("DELETE FROM {} WHERE {}", place.table, key_condition(place)))?;
    let deleted = match image {
        None => statement.execute([key])?,
        Some(image) => statement.execute(params_from_iter(row_encoding::read_row(image).unwrap_or_default()))?,
    };
    Ok(deleted > 0)
}

pub(super) fn remove_range(conn: &Connection, place: &TrackedTable, (first, count): (i64, u64)) -> Result<u64> {
    let sql = format!("DELETE FROM {} WHERE {} BETWEEN ?1 AND ?2", place.table, place.key[0]);
    Ok(conn.prepare_cached(&sql)?.execute([first, first + count as i64 - 1])? as u64)
}

/// Restores a row as it was when it was last deleted, if that is recorded and its key is free.
pub(crate) fn restore_last_deleted(conn: &Connection, place: u8, key: &dyn ToSql) -> Result<bool> {
    let Some(place) = TrackedTable::find_by_number(place.into()) else { return Ok(false) };
    let image: Option<Option<Vec<u8>>> = conn
        .prepare_cached(
            "SELECT data FROM row_changes WHERE place = ?1 AND key = ?2 AND kind = ?3 ORDER BY id DESC LIMIT 1",
        )?
        .query_row(params![place.number, key, DELETED], |row| row.get(0))
        .optional()?;
    match image.flatten() {
        Some(image) => restore_row(conn, place, &place.read_columns(conn)?, &image),
        None => Ok(false),
    }
}

/// The result of restoring the values of a row.
#[derive(Default)]
pub(super) struct RestoredColumns<'c> {
    pub is_done: bool,
    /// Columns whose values were left because somebody changed them since.
    pub kept: Vec<&'c str>,
}

/// Restores the old values of the columns that still have the new ones. Returns `None` if the row no longer exists.
pub(super) fn restore_columns<'c>(
    conn: &Connection,
    place: &TrackedTable,
    columns: &'c [String],
    row: &RecordedRow,
) -> Result<Option<RestoredColumns<'c>>> {
    let key = &row.key;
    let mut changes = row_encoding::read_changes(row.data()).unwrap_or_default();
    changes.retain(|change: &ColumnChange| change.column < columns.len());
    if changes.is_empty() {
        return Ok(Some(RestoredColumns::default()));
    }
    let names: Vec<&str> = changes.iter().map(|change| columns[change.column].as_str()).collect();
    let select = format!("SELECT {} FROM {} WHERE {} = ?1", names.join(", "), place.table, place.key[0]);
    let now: Option<Vec<Value>> = conn
        .prepare_cached(&select)?
        .query_row([key], |row| (0..names.len()).map(|i| row.get(i)).collect())
        .optional()?;
    let Some(now) = now else { return Ok(None) };
    let (mut sets, mut values): (Vec<String>, Vec<&dyn ToSql>) = (Vec::new(), vec![key]);
    let counted: Vec<Option<i64>> = changes
        .iter()
        .zip(&names)
        .zip(&now)
        .map(|((change, name), now)| match (&change.old, &change.new, now) {
            (Value::Integer(old), Value::Integer(new), Value::Integer(now)) if place.counters.contains(name) => {
                Some(now + old - new)
            }
            _ => None,
        })
        .collect();
    let mut kept = Vec::new();
    for (i, change) in changes.iter().enumerate() {
        let value: &dyn ToSql = match &counted[i] {
            Some(count) => count,
            None if now[i] == change.new => &change.old,
            None => {
                kept.push(names[i]);
                continue;
            }
        };
        values.push(value);
        sets.push(format!("{} = ?{}", names[i], values.len()));
    }
    if sets.is_empty() {
        return Ok(Some(RestoredColumns { is_done: false, kept }));
    }
    let update = format!("UPDATE {} SET {} WHERE {} = ?1", place.table, sets.join(", "), place.key[0]);
    conn.prepare_cached(&update)?.execute(values.as_slice())?;
    Ok(Some(RestoredColumns { is_done: true, kept }))
}
