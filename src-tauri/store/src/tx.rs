//! The two kinds of transaction: one that can only read, and one that writes and remembers what it changed.

use std::{cell::RefCell, ops::Deref};

use rusqlite::Connection;

use crate::change_log::Change;

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
    changes: RefCell<Vec<Change>>,
}

impl<'c> WriteTx<'c> {
    pub(crate) fn new(conn: &'c Connection) -> Self {
        Self { read: ReadTx::new(conn), changes: RefCell::default() }
    }

    /// Notes a change for the log and the feed.
    pub fn log(&self, change: Change) {
        self.changes.borrow_mut().push(change);
    }

    pub(crate) fn take_changes(&self) -> Vec<Change> {
        self.changes.take()
    }
}

impl<'c> Deref for WriteTx<'c> {
    type Target = ReadTx<'c>;

    fn deref(&self) -> &Self::Target {
        &self.read
    }
}
