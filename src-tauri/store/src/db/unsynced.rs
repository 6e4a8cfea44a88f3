//! Writes that do not wait for the disk.

use rusqlite::Connection;

use super::{ActiveWriter, Db};
use crate::{error::StoreError, tx::WriteTx};

impl Db {
    /// Saves what can be fetched again. A loss of power may undo this, until the next commit of another kind.
    pub fn write_unsynced<T, E: From<StoreError>>(&self, f: impl FnOnce(&WriteTx) -> Result<T, E>) -> Result<T, E> {
        let _at_work = ActiveWriter::begin(&self.writers);
        let writer = self.lock_writer();
        let _unsynced = UnsyncedCommits::begin(&writer.conn).map_err(StoreError::from)?;
        self.write_unrecorded(&writer, f)
    }
}

/// Lets SQLite commit to the write-ahead log without waiting for the disk until it is dropped. The log stays consistent,
/// and the next synced commit syncs all of it.
struct UnsyncedCommits<'c>(&'c Connection);

impl<'c> UnsyncedCommits<'c> {
    fn begin(conn: &'c Connection) -> rusqlite::Result<Self> {
        conn.pragma_update(None, "synchronous", "NORMAL")?;
        Ok(Self(conn))
    }
}

impl Drop for UnsyncedCommits<'_> {
    fn drop(&mut self) {
        if let Err(why) = self.0.pragma_update(None, "synchronous", "FULL") {
            tracing::error!(%why, "the commits of an account are not synced any more");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commits_are_synced_again_after_a_write_that_is_not_however_it_ends() {
        let db = Db::in_memory().unwrap();
        let level = |tx: &WriteTx| -> Result<i64, StoreError> {
            Ok(tx.conn().query_row("PRAGMA synchronous", [], |row| row.get(0))?)
        };
        let (normal, full) = (1, 2);
        assert_eq!(db.write_unsynced(level).unwrap(), normal);
        assert_eq!(db.write_quietly(level).unwrap(), full);
        assert!(db.write_unsynced(|_| Err::<(), _>(StoreError::Cancelled)).is_err());
        assert_eq!(db.write_quietly(level).unwrap(), full);
    }
}
