//! Records every changed row through temporary triggers on the writer's connection. The records serve undo, redo,
//! restoring and the history of a record.

pub(crate) mod contacts_state;
pub(crate) mod range;
pub(crate) mod row_encoding;
pub(crate) mod tracked_tables;

use std::{
    fmt::Write,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicI64, Ordering},
    },
};

use rusqlite::{Connection, functions::FunctionFlags};

use self::tracked_tables::{TRACKED_TABLES, TrackedTable};
use crate::{error::Result, watch::Watch};

pub(crate) const INSERTED: i64 = 1;
pub(crate) const UPDATED: i64 = 2;
pub(crate) const DELETED: i64 = 3;
/// Rows with consecutive keys: the key is the first one, and the data is their number.
pub(crate) const INSERTED_RANGE: i64 = 4;
/// A row about a person whose data was erased. Nothing restores it.
pub(crate) const ERASED_ROW: i64 = 5;
/// A mark that a reversal swapped the values of recorded contacts in place, because these rows keep their numbers. The
/// key is 0.
pub(crate) const SWAPPED_IN_PLACE: i64 = 6;

/// Columns per call of the noting function. Each needs two arguments, and every SQLite allows at least 127.
const COLUMNS_PER_CALL: usize = 60;

/// The state that the triggers of one writer share with the transaction.
#[derive(Default)]
pub(crate) struct RowRecorder {
    step: AtomicI64,
    watch: Mutex<Option<Arc<Watch>>>,
    is_installed: AtomicBool,
    /// Whether a contact changed since this was last asked.
    has_contacts_changed: AtomicBool,
}

/// Ends the watching when it is dropped.
pub(crate) struct WatchGuard<'a>(&'a RowRecorder);

impl Drop for WatchGuard<'_> {
    fn drop(&mut self) {
        *self.0.lock_watch() = None;
    }
}

/// How often a statement checks for cancellation, in instructions of SQLite's virtual machine. This is about every
/// millisecond.
const CANCEL_CHECK_INSTRUCTIONS: i32 = 20_000;

impl RowRecorder {
    /// Installs the functions that the triggers call on the writer's connection.
    pub(crate) fn install(conn: &mut Connection) -> rusqlite::Result<Arc<Self>> {
        let recorder = Arc::new(Self::default());
        let looker = Arc::clone(&recorder);
        conn.progress_handler(CANCEL_CHECK_INSTRUCTIONS, Some(move || looker.is_cancelled()))?;
        let noted = Arc::clone(&recorder);
        conn.update_hook(Some(move |_, _: &str, table: &str, _| {
            if table == TrackedTable::CONTACTS.table {
                noted.has_contacts_changed.store(true, Ordering::Relaxed);
            }
        }))?;
        let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_INNOCUOUS;
        let step = Arc::clone(&recorder);
        conn.create_scalar_function("roost_step", 0, flags, move |_| Ok(step.note_row()))?;
        let pure = flags | FunctionFlags::SQLITE_DETERMINISTIC;
        conn.create_scalar_function("roost_row", -1, pure, |ctx| {
            Ok(row_encoding::encode_row((0..ctx.len()).map(|i| ctx.get_raw(i))))
        })?;
        conn.create_scalar_function("roost_changed", -1, pure, |ctx| {
            let first: u32 = ctx.get(0)?;
            let mut note = Vec::with_capacity(64);
            for at in (1..ctx.len()).step_by(2) {
                row_encoding::encode_change(&mut note, first as usize + at / 2, ctx.get_raw(at), ctx.get_raw(at + 1));
            }
            Ok(note)
        })?;
        conn.create_scalar_function("roost_joined", -1, pure, |ctx| {
            let mut all = Vec::new();
            for i in 0..ctx.len() {
                all.extend_from_slice(ctx.get_raw(i).as_blob().map_err(rusqlite::Error::from)?);
            }
            Ok(all)
        })?;
        Ok(recorder)
    }

    /// Returns whether a contact changed since the last call.
    pub(crate) fn take_contacts_changed(&self) -> bool {
        self.has_contacts_changed.swap(false, Ordering::Relaxed)
    }

    fn note_row(&self) -> i64 {
        if let Some(watch) = &*self.lock_watch() {
            watch.count_row();
        }
        self.step.load(Ordering::Relaxed)
    }

    fn lock_watch(&self) -> std::sync::MutexGuard<'_, Option<Arc<Watch>>> {
        self.watch.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the step to which the following rows belong.
    pub(crate) fn set_step(&self, step: i64) {
        self.step.store(step, Ordering::Relaxed);
    }

    /// Lets `watch` count rows and interrupt statements until the returned guard is dropped.
    pub(crate) fn watch(&self, watch: Option<&Arc<Watch>>) -> WatchGuard<'_> {
        *self.lock_watch() = watch.cloned();
        WatchGuard(self)
    }

    fn is_cancelled(&self) -> bool {
        self.lock_watch().as_ref().is_some_and(|watch| watch.is_cancelled())
    }

    /// Creates or drops the triggers, outside of transactions. They are dropped for a seed, because nobody undoes one.
    pub(crate) fn set_triggers(&self, conn: &Connection, on: bool) -> Result<()> {
        if self.is_installed.load(Ordering::Relaxed) != on {
            let change = if on { create_triggers } else { drop_triggers };
            TRACKED_TABLES.iter().try_for_each(|place| change(conn, place))?;
            self.is_installed.store(on, Ordering::Relaxed);
        }
        Ok(())
    }
}

/// Recreates the triggers of a table after it got a column. A rollback undoes this together with the column.
pub(crate) fn recreate_triggers(conn: &Connection, table: &str) -> Result<()> {
    let exists = conn
        .prepare_cached("SELECT 1 FROM sqlite_temp_schema WHERE type = 'trigger' AND tbl_name = ?1")?
        .exists([table])?;
    if let Some(place) = TrackedTable::find_by_name(table).filter(|_| exists) {
        drop_triggers(conn, place)?;
        create_triggers(conn, place)?;
    }
    Ok(())
}

const EVENTS: [&str; 3] = ["inserted", "updated", "deleted"];

pub(crate) fn drop_triggers(conn: &Connection, place: &TrackedTable) -> Result<()> {
    for event in EVENTS {
        conn.execute_batch(&format!("DROP TRIGGER IF EXISTS temp.roost_{}_{event}", place.table))?;
    }
    Ok(())
}

pub(crate) fn create_triggers(conn: &Connection, place: &TrackedTable) -> Result<()> {
    let TrackedTable { number, table, key, .. } = place;
    let columns = place.read_columns(conn)?;
    let first = key[0];
    // A key of one column is stored with the row already. A longer key is stored as an image.
    let inserted =
        if key.len() == 1 { "NULL".to_owned() } else { format!("roost_row({})", prefix_columns("new", key)) };
    let deleted = image_sql("old", &columns);
    let mut calls = Vec::new();
    for (n, part) in columns.chunks(COLUMNS_PER_CALL).enumerate() {
        let mut call = format!("roost_changed({}", n * COLUMNS_PER_CALL);
        for column in part {
            let _ = write!(call, ", old.{column}, new.{column}");
        }
        call.push(')');
        calls.push(call);
    }
    let updated = join_calls(&calls);
    let events = [
        ("INSERT", INSERTED, "new", inserted),
        ("UPDATE", UPDATED, "old", updated),
        ("DELETE", DELETED, "old", deleted),
    ];
    for (event, (act, kind, row, data)) in EVENTS.iter().zip(events) {
        conn.execute_batch(&format!(
            "CREATE TEMP TRIGGER IF NOT EXISTS roost_{table}_{event} AFTER {act} ON main.{table} BEGIN
                 INSERT INTO row_changes (step, place, kind, key, data)
                 VALUES (roost_step(), {number}, {kind}, {row}.{first}, {data});
             END"
        ))?;
    }
    Ok(())
}

/// Returns SQL for the image of a row. `row` is `old` or a table.
pub(crate) fn image_sql(row: &str, columns: &[String]) -> String {
    let calls: Vec<String> =
        columns.chunks(COLUMNS_PER_CALL).map(|part| format!("roost_row({})", prefix_columns(row, part))).collect();
    join_calls(&calls)
}

fn join_calls(calls: &[String]) -> String {
    if let [one] = calls { one.clone() } else { format!("roost_joined({})", calls.join(", ")) }
}

fn prefix_columns<S: AsRef<str>>(row: &str, columns: &[S]) -> String {
    columns.iter().map(|column| format!("{row}.{}", column.as_ref())).collect::<Vec<_>>().join(", ")
}

/// Returns the number of the newest recorded row.
pub(crate) fn last_row(conn: &Connection) -> Result<i64> {
    Ok(conn.prepare_cached("SELECT coalesce(max(id), 0) FROM row_changes")?.query_row([], |row| row.get(0))?)
}

/// Deletes the recorded rows of a step, which can then no longer be undone.
pub(crate) fn forget_rows(conn: &Connection, step: i64, first: i64, last: i64) -> Result<()> {
    conn.prepare_cached("DELETE FROM row_changes WHERE id BETWEEN ?1 AND ?2 AND step = ?3")?
        .execute([first, last, step])?;
    Ok(())
}
