//! The two kinds of transaction: one that can only read, and one that writes and records what it changes.

use std::{cell::RefCell, ops::Deref, sync::Arc};

use rusqlite::Connection;

use crate::{
    change_log::Change,
    db::room::Room,
    error::{Error, Result},
    row_changes::Recorder,
    tables::steps::{self, Act},
    watch::Watch,
};

/// A consistent view of the account. Functions that read tables take it.
pub struct ReadTx<'c> {
    conn: &'c Connection,
}

impl<'c> ReadTx<'c> {
    pub(crate) fn new(conn: &'c Connection) -> Self {
        Self { conn }
    }

    pub(crate) fn conn(&self) -> &'c Connection {
        self.conn
    }
}

/// The transaction of the one writer. Functions that write tables take it, and it can read as well.
pub struct WriteTx<'c> {
    read: ReadTx<'c>,
    step: i64,
    changes: RefCell<Vec<Change>>,
    act: RefCell<Option<Act>>,
    recorder: &'c Recorder,
    watch: Option<Arc<Watch>>,
    room: Option<&'c Room<'c>>,
}

impl<'c> WriteTx<'c> {
    pub(crate) fn new(
        conn: &'c Connection,
        step: i64,
        recorder: &'c Recorder,
        watch: Option<Arc<Watch>>,
        room: Option<&'c Room<'c>>,
    ) -> Self {
        recorder.record_as(step);
        let (changes, act) = (RefCell::default(), RefCell::default());
        Self { read: ReadTx::new(conn), step, changes, act, recorder, watch, room }
    }

    /// Records a change for the change log and the change feed.
    pub fn log(&self, change: Change) {
        self.changes.borrow_mut().push(change);
    }

    /// Describes the act of this transaction. Without a description, the step is named after its first change.
    pub fn act(&self, act: Act) {
        self.act.replace(Some(act));
    }

    /// Sets the reason of the act, for the time line and the opt-out events. It must be set before the changes are
    /// made.
    pub fn because(&self, reason: &str) -> Result<()> {
        steps::because(self, self.step, reason)
    }

    /// Fails if the act was cancelled. For loops outside of a statement.
    pub fn check(&self) -> Result<()> {
        match &self.watch {
            Some(watch) if watch.is_cancelled() => Err(Error::Cancelled),
            _ => Ok(()),
        }
    }

    /// Announces how many rows will change, to the watch and to the page cache.
    pub fn expect_rows(&self, rows: u64) {
        if let Some(room) = self.room {
            room.widen(rows);
        }
        if let Some(watch) = &self.watch {
            watch.will_change(rows);
        }
    }

    /// Returns the step of this transaction.
    pub fn step(&self) -> i64 {
        self.step
    }

    /// Sets the step to which the following changed rows belong.
    pub(crate) fn record_as(&self, step: i64) {
        self.recorder.record_as(step);
    }

    pub(crate) fn take_changes(&self) -> Vec<Change> {
        self.changes.take()
    }

    pub(crate) fn take_act(&self) -> Option<Act> {
        self.act.take()
    }
}

impl<'c> Deref for WriteTx<'c> {
    type Target = ReadTx<'c>;

    fn deref(&self) -> &Self::Target {
        &self.read
    }
}
