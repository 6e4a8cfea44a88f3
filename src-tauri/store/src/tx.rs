//! The two kinds of transaction: one that can only read, and one that writes and records what it changes.

use std::{cell::RefCell, ops::Deref, sync::Arc};

use rusqlite::Connection;

use crate::{
    change_log::ChangeLogEntry,
    db::{contacts_state::ContactsReader, page_cache::PageCache},
    error::{Result, StoreError},
    row_changes::RowRecorder,
    tables::steps::{self, ActDescription},
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

    pub(crate) fn in_state(conn: &'c Connection, contacts: ContactsReader<'c>) -> Self {
        Self { conn, contacts: Some(contacts) }
    }

    /// Returns a number that is the same in two transactions only if they see the same contacts, or `None` if that is
    /// not known. Something must have been read before.
    pub fn contacts_state(&self) -> Option<u64> {
        self.contacts.and_then(ContactsReader::state)
    }

    pub(crate) fn conn(&self) -> &'c Connection {
        self.conn
    }
}

/// The transaction of the one writer. Functions that write tables take it, and it can read as well.
pub struct WriteTx<'c> {
    read: ReadTx<'c>,
    step: i64,
    changes: RefCell<Vec<ChangeLogEntry>>,
    act: RefCell<Option<ActDescription>>,
    recorder: &'c RowRecorder,
    watch: Option<Arc<Watch>>,
    room: Option<&'c PageCache<'c>>,
}

impl<'c> WriteTx<'c> {
    pub(crate) fn new(
        conn: &'c Connection,
        step: i64,
        recorder: &'c RowRecorder,
        watch: Option<Arc<Watch>>,
        room: Option<&'c PageCache<'c>>,
    ) -> Self {
        recorder.set_step(step);
        let (changes, act) = (RefCell::default(), RefCell::default());
        Self { read: ReadTx::new(conn), step, changes, act, recorder, watch, room }
    }

    /// Records a change for the change log and the change feed.
    pub fn log_change(&self, change: ChangeLogEntry) {
        self.changes.borrow_mut().push(change);
    }

    /// Describes the act of this transaction. Without a description, the step is named after its first change.
    pub fn describe_act(&self, act: ActDescription) {
        self.act.replace(Some(act));
    }

    /// Sets the reason of the act, for the time line and the opt-out events. It must be set before the changes are
    /// made.
    pub fn set_reason(&self, reason: &str) -> Result<()> {
        steps::set_reason(self, self.step, reason)
    }

    /// Fails if the act was cancelled. For loops outside of a statement.
    pub fn check_cancelled(&self) -> Result<()> {
        match &self.watch {
            Some(watch) if watch.is_cancelled() => Err(StoreError::Cancelled),
            _ => Ok(()),
        }
    }

    /// Announces how many rows will change, to the watch and to the page cache.
    pub fn expect_rows(&self, rows: u64) {
        if let Some(room) = self.room {
            room.grow_for_rows(rows);
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

    pub(crate) fn take_changes(&self) -> Vec<ChangeLogEntry> {
        self.changes.take()
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
