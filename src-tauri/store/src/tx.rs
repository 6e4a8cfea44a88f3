//! The two kinds of transaction: one that can only read, and one that writes and records what it changes.

use std::{
    cell::{Cell, RefCell},
    ops::Deref,
    sync::Arc,
};

use rusqlite::{Connection, OptionalExtension, Params, Row, params, types::FromSql};

use crate::{
    change_log::{ChangeLogEntry, Noun},
    error::{Result, StoreError},
    page_cache::PageCache,
    row_recorder::RowRecorder,
    row_recorder::contacts_state::ContactsReader,
    watch::Watch,
};

/// A consistent view of the account. Functions that read tables take it.
pub struct ReadTx<'c> {
    conn: &'c Connection,
    contacts: Option<ContactsReader<'c>>,
}

impl<'c> ReadTx<'c> {
    pub(crate) fn new(conn: &'c Connection) -> Self {
        Self { conn, contacts: None }
    }

    pub(crate) fn with_contacts_state(conn: &'c Connection, contacts: ContactsReader<'c>) -> Self {
        Self { conn, contacts: Some(contacts) }
    }

    /// Returns a number that is the same in two transactions only if they see the same contacts, or `None` if that is
    /// not known, such as when the contacts were changing while the snapshot was taken. The transaction must have read
    /// before, because its first read takes the snapshot.
    pub fn contacts_state(&self) -> Option<u64> {
        self.contacts.and_then(ContactsReader::state)
    }

    pub(crate) fn conn(&self) -> &'c Connection {
        self.conn
    }

    /// Returns the first column of the only row of a query. The statement is reused, as by the functions below.
    pub(crate) fn read_value<T: FromSql>(&self, sql: &str, values: impl Params) -> Result<T> {
        self.read_row(sql, values, |row| row.get(0))
    }

    /// Returns the first column of the first row, if there is a row.
    pub(crate) fn find_value<T: FromSql>(&self, sql: &str, values: impl Params) -> Result<Option<T>> {
        self.find_row(sql, values, |row| row.get(0))
    }

    pub(crate) fn read_row<T>(
        &self,
        sql: &str,
        values: impl Params,
        map: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<T> {
        Ok(self.conn.prepare_cached(sql)?.query_row(values, map)?)
    }

    pub(crate) fn find_row<T>(
        &self,
        sql: &str,
        values: impl Params,
        map: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>> {
        Ok(self.conn.prepare_cached(sql)?.query_row(values, map).optional()?)
    }

    pub(crate) fn read_rows<T, C: FromIterator<T>>(
        &self,
        sql: &str,
        values: impl Params,
        map: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<C> {
        Ok(self.conn.prepare_cached(sql)?.query_map(values, map)?.collect::<rusqlite::Result<_>>()?)
    }

    pub(crate) fn has_row(&self, sql: &str, values: impl Params) -> Result<bool> {
        Ok(self.conn.prepare_cached(sql)?.exists(values)?)
    }
}

/// How an act appears in the timeline, in undo and in the trash.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ActDescription {
    /// The code of the act, such as `sender_request`. Without one, the timeline leaves the act out.
    pub(crate) name: &'static str,
    pub(crate) subject: Option<String>,
    pub(crate) uid: Option<String>,
    pub(crate) count: Option<u64>,
    /// The step that is undone, redone or restored.
    pub(crate) of: Option<i64>,
    /// The noun of the deleted records, if they can be restored from the trash.
    pub(crate) trash: Option<Noun>,
    /// Whether the act is only recorded, so that it cannot be undone.
    pub(crate) is_note: bool,
}

impl ActDescription {
    pub fn new(name: &'static str) -> Self {
        Self { name, ..Self::default() }
    }

    /// Describes an act that is recorded without a name, so that the timeline leaves it out.
    pub fn hidden() -> Self {
        Self::new("").as_note()
    }

    /// Sets the name of the record that the act changes.
    pub fn with_subject(self, name: impl Into<String>) -> Self {
        Self { subject: Some(name.into()), ..self }
    }

    pub fn with_uid(self, uid: impl ToString) -> Self {
        Self { uid: Some(uid.to_string()), ..self }
    }

    pub fn with_count(self, count: u64) -> Self {
        Self { count: Some(count), ..self }
    }

    /// Sets the step that is undone, redone or restored.
    pub fn of_step(self, step: i64) -> Self {
        Self { of: Some(step), ..self }
    }

    /// Allows the deleted records to be restored from the trash.
    pub fn into_trash(self, noun: Noun) -> Self {
        Self { trash: Some(noun), ..self }
    }

    /// Makes this an act that cannot be undone; it is only recorded.
    pub fn as_note(self) -> Self {
        Self { is_note: true, ..self }
    }
}

/// The transaction of the only writer, which can also read. Functions that write tables take it.
pub struct WriteTx<'c> {
    read: ReadTx<'c>,
    step: i64,
    changes: RefCell<Vec<ChangeLogEntry>>,
    act: RefCell<Option<ActDescription>>,
    recorder: &'c RowRecorder,
    watch: Option<Arc<Watch>>,
    page_cache: Option<&'c PageCache<'c>>,
    swapped_rows: Cell<u64>,
}

impl<'c> WriteTx<'c> {
    pub(crate) fn new(
        conn: &'c Connection,
        step: i64,
        recorder: &'c RowRecorder,
        watch: Option<Arc<Watch>>,
        page_cache: Option<&'c PageCache<'c>>,
    ) -> Self {
        recorder.set_step(step);
        let (changes, act) = (RefCell::default(), RefCell::default());
        let swapped_rows = Cell::new(0);
        Self { read: ReadTx::new(conn), step, changes, act, recorder, watch, page_cache, swapped_rows }
    }

    /// Runs a statement, which is reused, and returns how many rows it changed.
    pub(crate) fn execute_sql(&self, sql: &str, values: impl Params) -> Result<usize> {
        Ok(self.read.conn.prepare_cached(sql)?.execute(values)?)
    }

    /// Records a change for the change log and the change feed.
    pub fn log_change(&self, change: ChangeLogEntry) {
        self.changes.borrow_mut().push(change);
    }

    /// Describes the act of this transaction. Without a description, the step is named after its first change.
    pub fn describe_act(&self, act: ActDescription) {
        self.act.replace(Some(act));
    }

    /// Sets the reason of the act, for the timeline and the opt-out events. It must be set before the changes are
    /// made.
    pub fn set_reason(&self, reason: &str) -> Result<()> {
        self.conn()
            .prepare_cached("UPDATE steps SET reason = ?2 WHERE id = ?1")?
            .execute(params![self.step, reason])?;
        Ok(())
    }

    /// Fails if the act was cancelled. Loops outside a statement call it; SQLite's progress handler interrupts a running
    /// statement.
    pub fn check_cancelled(&self) -> Result<()> {
        match &self.watch {
            Some(watch) if watch.is_cancelled() => Err(StoreError::Cancelled),
            _ => Ok(()),
        }
    }

    /// Announces how many rows will change, to the watch and to the page cache.
    pub fn expect_rows(&self, rows: u64) {
        if let Some(page_cache) = self.page_cache {
            page_cache.grow_for_rows(rows);
        }
        if let Some(watch) = &self.watch {
            watch.set_expected(rows);
        }
    }

    /// Returns the step of this transaction.
    pub fn step(&self) -> i64 {
        self.step
    }

    /// Sets the step to which the following changed rows belong.
    pub(crate) fn set_record_step(&self, step: i64) {
        self.recorder.set_step(step);
    }

    /// Counts recorded rows that were swapped in place, so that they have no new number.
    pub(crate) fn note_swapped_rows(&self, rows: u64) {
        self.swapped_rows.update(|before| before + rows);
    }

    pub(crate) fn swapped_rows(&self) -> u64 {
        self.swapped_rows.get()
    }

    pub(crate) fn take_changes(&self) -> Vec<ChangeLogEntry> {
        self.changes.take()
    }

    /// Returns the name of the act, or an empty string if it has not been described.
    pub(crate) fn act_name(&self) -> &'static str {
        self.act.borrow().as_ref().map_or("", |act| act.name)
    }

    pub(crate) fn take_act(&self) -> Option<ActDescription> {
        self.act.take()
    }
}

impl<'c> Deref for WriteTx<'c> {
    type Target = ReadTx<'c>;

    fn deref(&self) -> &Self::Target {
        &self.read
    }
}
