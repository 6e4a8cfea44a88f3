//! Numbers the commits of a file, by which a log is matched to its file (`files::write_ahead_log`).

use std::sync::atomic::Ordering;

use rusqlite::Connection;

use super::{Db, WriterConnection, transaction::OpenTransaction};
use crate::{error::Result, files::header, row_recorder::RowRecorder};

/// The length at which SQLite folds the log into the file by itself: its own default.
const PAGES_UNTIL_FOLDED: u32 = 1_000;

impl Db {
    /// Commits and, for a file, gives the commit the next number.
    ///
    /// After the first commit since the file was opened, the numbers continue from a random one. Whoever copies or
    /// renames a file without its log and changes both would otherwise have two histories with the same numbers, and
    /// the log of one would be folded into the other.
    pub(super) fn commit_numbered(&self, tx: OpenTransaction<'_>, recorder: &RowRecorder) -> Result<()> {
        let conn = tx.connection();
        let number = if self.lock.is_some() { next_commit_number(conn)? } else { 0 };
        if self.lock.is_none() || self.has_own_numbers.load(Ordering::Acquire) {
            return self.commit_as(tx, recorder, number);
        }
        // A log that began with the random number, after the commit before it was folded into the file, would not follow
        // the file. So nothing is folded between the two.
        conn.pragma_update(None, "wal_autocheckpoint", 0)?;
        let done = self.commit_as(tx, recorder, number);
        if done.is_ok() {
            // What the caller wanted is stored. The next commit tries again.
            match self.continue_at_random(conn, recorder) {
                Ok(()) => self.has_own_numbers.store(true, Ordering::Release),
                Err(why) => tracing::warn!(%why, "the commits of an account have no numbers of their own yet"),
            }
        }
        conn.pragma_update(None, "wal_autocheckpoint", PAGES_UNTIL_FOLDED)?;
        done
    }

    fn continue_at_random(&self, conn: &Connection, recorder: &RowRecorder) -> Result<()> {
        let tx = OpenTransaction::begin_write(conn)?;
        let number = header::random_commit_number(conn)?;
        self.commit_as(tx, recorder, number)
    }

    /// Gives a file's commits numbers of their own before its whole content is replaced, which is not committed here.
    pub(super) fn begin_own_numbers(&self, writer: &WriterConnection) -> Result<()> {
        if self.lock.is_none() || self.has_own_numbers.load(Ordering::Acquire) {
            return Ok(());
        }
        self.commit_numbered(OpenTransaction::begin_write(&writer.conn)?, &writer.recorder)
    }

    fn commit_as(&self, tx: OpenTransaction<'_>, recorder: &RowRecorder, number: i32) -> Result<()> {
        self.check_file_in_place()?;
        if self.lock.is_some() {
            tx.pragma_update(None, "user_version", number)?;
        }
        let _change = recorder.take_contacts_changed().then(|| self.contacts.begin_change());
        let done = tx.commit();
        self.has_failed.store(done.is_err(), Ordering::Release);
        Ok(done?)
    }
}

pub(super) fn next_commit_number(conn: &Connection) -> rusqlite::Result<i32> {
    let mark: i32 = conn.prepare_cached("PRAGMA user_version")?.query_row([], |row| row.get(0))?;
    Ok(mark.wrapping_add(1))
}
