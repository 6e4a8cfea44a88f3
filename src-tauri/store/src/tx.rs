//! The two kinds of transaction: one that can only read, and one that writes and remembers what it changed.

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

/// A consistent view. Tables' reading functions take it.
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

/// The one writer at work. Tables' writing functions take it; it reads as well.
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

    /// Notes a change for the log and the feed.
    pub fn log(&self, change: Change) {
        self.changes.borrow_mut().push(change);
    }

    /// Names the step that this transaction is. Without a name it is called after its first change.
    pub fn act(&self, act: Act) {
        self.act.replace(Some(act));
    }

    /// Why it is done, for the time line and the ledger. Before the changes themselves.
    pub fn because(&self, reason: &str) -> Result<()> {
        steps::because(self, self.step, reason)
    }

    /// Fails when somebody wants the act to end. For loops that are not in a statement.
    pub fn check(&self) -> Result<()> {
        match &self.watch {
            Some(watch) if watch.is_cancelled() => Err(Error::Cancelled),
            _ => Ok(()),
        }
    }

    /// How many rows will be changed: told to whoever looks on, and room is made for them.
    pub fn expect_rows(&self, rows: u64) {
        if let Some(room) = self.room {
            room.widen(rows);
        }
        if let Some(watch) = &self.watch {
            watch.will_change(rows);
        }
    }

    /// This transaction's step.
    pub fn step(&self) -> i64 {
        self.step
    }

    /// The step to which changed rows belong from now on.
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
