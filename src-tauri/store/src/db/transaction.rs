//! A transaction whose statements stay prepared, because preparing them takes longer than running them.

use std::ops::Deref;

use rusqlite::Connection;

/// A transaction that rolls back when it is dropped before its commit.
pub(super) struct OpenTransaction<'c>(&'c Connection);

impl<'c> OpenTransaction<'c> {
    pub(super) fn begin_read(conn: &'c Connection) -> rusqlite::Result<Self> {
        Self::begin(conn, "BEGIN")
    }

    /// Takes the write lock at once, so that no later statement has to wait for it.
    pub(super) fn begin_write(conn: &'c Connection) -> rusqlite::Result<Self> {
        Self::begin(conn, "BEGIN IMMEDIATE")
    }

    fn begin(conn: &'c Connection, sql: &str) -> rusqlite::Result<Self> {
        conn.prepare_cached(sql)?.execute([])?;
        Ok(Self(conn))
    }

    pub(super) fn connection(&self) -> &'c Connection {
        self.0
    }

    pub(super) fn commit(self) -> rusqlite::Result<()> {
        self.0.prepare_cached("COMMIT")?.execute([]).map(drop)
    }
}

impl Deref for OpenTransaction<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.0
    }
}

impl Drop for OpenTransaction<'_> {
    fn drop(&mut self) {
        if !self.0.is_autocommit() {
            // A failed rollback leaves the next transaction to fail, which reports it.
            let _ = self.0.execute_batch("ROLLBACK");
        }
    }
}
