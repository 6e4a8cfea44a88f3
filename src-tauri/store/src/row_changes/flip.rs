//! Reverses the changed rows of a step. The reversal is recorded as well, so reversing that step redoes the first one.

use std::collections::{BTreeMap, HashSet, btree_map::Entry};

use rusqlite::{Connection, OptionalExtension, ToSql, params, params_from_iter, types::Value};

use super::{
    DELETED, INSERTED, INSERTED_RANGE, UPDATED,
    image::{self, ColumnChange},
    places::Place,
    put_back::{Run, put_back, put_back_run},
    range,
};
use crate::{
    change_log::{Action, Noun},
    error::Result,
    tables::{opt_outs, sync},
    tx::WriteTx,
};

/// A summary of what a reversal changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Flipped {
    /// Number of rows that changed.
    pub rows: u64,
    /// Number of records among them, by what the reversal did to each. It has no entry when only the parts of a record
    /// changed, such as the note of a list.
    pub records: BTreeMap<(Noun, Action), u64>,
    /// Rows, or values of rows, that were left because somebody changed them since.
    pub kept: u64,
    /// Opt-outs that the step added. They stay until a person removes them and gives a reason.
    pub opt_outs_kept: u64,
}

impl Flipped {
    fn count(&mut self, place: &Place, remembered: i64, wanted: u64, done: u64) {
        if done > 0 {
            let now = match remembered {
                INSERTED | INSERTED_RANGE if place.is_record => Action::Deleted,
                DELETED if place.is_record => Action::Created,
                _ => Action::Updated,
            };
            self.rows += done;
            *self.records.entry((place.noun, now)).or_default() += if place.is_record { done } else { 0 };
        }
        self.kept += wanted.saturating_sub(done);
    }
}

/// The columns of the tables, read once per reversal.
#[derive(Default)]
pub(super) struct Columns(BTreeMap<u8, Vec<String>>);

impl Columns {
    pub(super) fn of(&mut self, conn: &Connection, place: &Place) -> Result<&[String]> {
        Ok(match self.0.entry(place.number) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(free) => free.insert(place.columns(conn)?),
        })
    }
}

/// Reverses rows `first..=last` of a step, the last row first.
pub fn flip(tx: &WriteTx, step: i64, first: i64, last: i64) -> Result<Flipped> {
    let conn = tx.conn();
    let (mut columns, mut flipped, mut stayed) = (Columns::default(), Flipped::default(), HashSet::new());
    let mut recount = Recount::default();
    each(tx, step, first, last, |visited| {
        let row = match visited {
            Visited::Row(row) => row,
            Visited::Run(run) => {
                let (wanted, done) = put_back_run(tx, &run, columns.of(conn, run.place)?)?;
                flipped.count(run.place, DELETED, wanted, done);
                recount.note(run.place, &Value::Null, wanted == done);
                return Ok(());
            }
        };
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
            INSERTED => (1, u64::from(remove(conn, place, &row.key, row.data.as_deref())?)),
            INSERTED_RANGE => (row.range().1, remove_range(conn, place, row.range())?),
            DELETED => {
                let mut is_back = put_back(conn, place, columns.of(conn, place)?, row.data())?;
                if !is_back && place.table == "opt_outs" {
                    is_back = put_back_renewed(tx, columns.of(conn, place)?, row.data(), &stayed)?;
                    flipped.opt_outs_kept -= u64::from(is_back);
                }
                (1, u64::from(is_back))
            }
            UPDATED => {
                let back = change_back(conn, place, columns.of(conn, place)?, &row)?;
                recount.note(place, &row.key, back.as_ref().is_some_and(|back| back.kept.is_empty()));
                flipped.kept += back.as_ref().map_or(1, |back| back.kept.len() as u64);
                let done = u64::from(back.is_some_and(|back| back.is_done));
                (done, done)
            }
            _ => (1, 0),
        };
        flipped.count(place, row.kind, wanted, done);
        recount.note(place, &row.key, wanted == done);
        Ok(())
    })?;
    recount.run(tx)?;
    Ok(flipped)
}

/// Lists whose contacts must be counted again. The step's change of the count is reversed as a whole, but somebody may
/// have restored, removed or moved some of its contacts since.
#[derive(Default)]
struct Recount {
    lists: HashSet<i64>,
    is_needed: bool,
}

impl Recount {
    fn note(&mut self, place: &Place, key: &Value, is_whole: bool) {
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
            self.lists.into_iter().try_for_each(|list| sync::local::count_anew(tx, list))?;
        }
        Ok(())
    }
}

/// Restores an opt-out in the place of the one that the same step renewed it with, so that the number stays opted out.
fn put_back_renewed(tx: &WriteTx, columns: &[String], image: &[u8], stayed: &HashSet<i64>) -> Result<bool> {
    let Some(place) = Place::of_table("opt_outs") else { return Ok(false) };
    let Some(values) = image::read_row(image) else { return Ok(false) };
    let value = |name: &str| columns.iter().position(|column| column == name).and_then(|at| values.get(at));
    let found = [value("number"), value("channel"), value("scope")];
    let [Some(Value::Text(number)), Some(Value::Text(channel)), Some(Value::Text(scope))] = found else {
        return Ok(false);
    };
    let Some((id, record)) = opt_outs::find(tx, number, channel, scope)? else { return Ok(false) };
    if !stayed.contains(&id) {
        return Ok(false);
    }
    opt_outs::withdraw(tx, &record)?;
    put_back(tx.conn(), place, columns, image)
}

/// One row of the `row_changes` table.
pub(super) struct Remembered {
    pub id: i64,
    /// `None` when a later version of the program recorded the row.
    pub place: Option<&'static Place>,
    pub kind: i64,
    pub key: Value,
    data: Option<Vec<u8>>,
}

impl Remembered {
    pub(super) fn data(&self) -> &[u8] {
        self.data.as_deref().unwrap_or_default()
    }

    /// Returns the first key and the number of keys.
    pub(super) fn range(&self) -> (i64, u64) {
        match (&self.key, self.kind) {
            (Value::Integer(first), INSERTED_RANGE) => (*first, range::read_count(self.data()).max(0) as u64),
            (Value::Integer(first), _) => (*first, 1),
            _ => (0, 0),
        }
    }

    /// Returns whether both rows record inserted rows whose keys are consecutive. Such rows are removed in one
    /// statement.
    fn is_beside(&self, next: &Self) -> bool {
        let is_new = |row: &Self| matches!(row.kind, INSERTED | INSERTED_RANGE);
        let ((first, count), (other, others)) = (self.range(), next.range());
        self.place == next.place
            && self.place.is_some_and(|place| place.comes_in_ranges)
            && is_new(self)
            && is_new(next)
            && (other + others as i64 == first || first + count as i64 == other)
    }

    fn widen(&mut self, next: &Self) {
        let ((first, count), (other, others)) = (self.range(), next.range());
        self.kind = INSERTED_RANGE;
        self.key = Value::Integer(first.min(other));
        self.data = Some(range::write_count((count + others) as i64));
    }
}

/// The recorded change that is to be reversed next.
pub(super) enum Visited {
    Row(Remembered),
    Run(Run),
}

/// Passes rows `first..=last` of a step to `visit`, the last row first.
pub(super) fn each(
    tx: &WriteTx,
    step: i64,
    first: i64,
    last: i64,
    mut visit: impl FnMut(Visited) -> Result<()>,
) -> Result<()> {
    // Rows return in the opposite order, but a list may be missing for other reasons. The commit checks that.
    tx.conn().execute_batch("PRAGMA defer_foreign_keys = ON")?;
    let mut next = last;
    // Rows are read in chunks, because the triggers write into the same table.
    loop {
        let mut rows = stretch(tx.conn(), step, (first, next), "DESC")?;
        let run = Run::at_end(tx.conn(), step, first, &rows)?;
        if let Some(run) = &run {
            rows.retain(|row| row.id > run.last);
        }
        let Some(lowest) = run.as_ref().map(|run| run.first).or(rows.last().map(|row| row.id)) else { return Ok(()) };
        next = lowest - 1;
        let mut rows = rows.into_iter().peekable();
        while let Some(mut row) = rows.next() {
            tx.check()?;
            while let Some(next) = rows.next_if(|next| row.is_beside(next)) {
                row.widen(&next);
            }
            visit(Visited::Row(row))?;
        }
        run.map_or(Ok(()), |run| visit(Visited::Run(run)))?;
    }
}

const STRETCH: i64 = 2_000;

pub(super) fn stretch(conn: &Connection, step: i64, (first, last): (i64, i64), order: &str) -> Result<Vec<Remembered>> {
    let mut statement = conn.prepare_cached(&format!(
        "SELECT id, place, kind, key, data FROM row_changes WHERE id BETWEEN ?1 AND ?2 AND step = ?3 ORDER BY id {order} LIMIT ?4"
    ))?;
    let rows = statement.query_map([first, last, step, STRETCH], |row| {
        let place = Place::by_number(row.get(1)?);
        Ok(Remembered { id: row.get(0)?, place, kind: row.get(2)?, key: row.get(3)?, data: row.get(4)? })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn where_key(place: &Place) -> String {
    let parts: Vec<String> = place.key.iter().enumerate().map(|(i, column)| format!("{column} = ?{}", i + 1)).collect();
    parts.join(" AND ")
}

pub(super) fn remove(conn: &Connection, place: &Place, key: &Value, image: Option<&[u8]>) -> Result<bool> {
    let mut statement = conn.prepare_cached(&format!("DELETE FROM {} WHERE {}", place.table, where_key(place)))?;
    let gone = match image {
        None => statement.execute([key])?,
        Some(image) => statement.execute(params_from_iter(image::read_row(image).unwrap_or_default()))?,
    };
    Ok(gone > 0)
}

pub(super) fn remove_range(conn: &Connection, place: &Place, (first, count): (i64, u64)) -> Result<u64> {
    let sql = format!("DELETE FROM {} WHERE {} BETWEEN ?1 AND ?2", place.table, place.key[0]);
    Ok(conn.prepare_cached(&sql)?.execute([first, first + count as i64 - 1])? as u64)
}

/// Restores a row as it was when it was last deleted, if that is recorded and its key is free.
pub(crate) fn bring_back(conn: &Connection, place: u8, key: &dyn ToSql) -> Result<bool> {
    let Some(place) = Place::by_number(place.into()) else { return Ok(false) };
    let image: Option<Option<Vec<u8>>> = conn
        .prepare_cached(
            "SELECT data FROM row_changes WHERE place = ?1 AND key = ?2 AND kind = ?3 ORDER BY id DESC LIMIT 1",
        )?
        .query_row(params![place.number, key, DELETED], |row| row.get(0))
        .optional()?;
    match image.flatten() {
        Some(image) => put_back(conn, place, &place.columns(conn)?, &image),
        None => Ok(false),
    }
}

/// The result of restoring the values of a row.
#[derive(Default)]
pub(super) struct Back<'c> {
    pub is_done: bool,
    /// Columns whose values were left because somebody changed them since.
    pub kept: Vec<&'c str>,
}

/// Restores the old values of the columns that still have the new ones. Returns `None` if the row no longer exists.
pub(super) fn change_back<'c>(
    conn: &Connection,
    place: &Place,
    columns: &'c [String],
    row: &Remembered,
) -> Result<Option<Back<'c>>> {
    let key = &row.key;
    let mut changes = image::read_changes(row.data()).unwrap_or_default();
    changes.retain(|change: &ColumnChange| change.column < columns.len());
    if changes.is_empty() {
        return Ok(Some(Back::default()));
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
        return Ok(Some(Back { is_done: false, kept }));
    }
    let update = format!("UPDATE {} SET {} WHERE {} = ?1", place.table, sets.join(", "), place.key[0]);
    conn.prepare_cached(&update)?.execute(values.as_slice())?;
    Ok(Some(Back { is_done: true, kept }))
}
