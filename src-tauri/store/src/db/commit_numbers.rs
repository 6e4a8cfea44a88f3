//! Numbers the commits of a file, by which a log is matched to its file (`files::write_ahead_log`).

use std::sync::atomic::Ordering;

use rusqlite::Connection;

use super::{Db, WriterConnection, transaction::OpenTransaction};
use crate::{error::Result, files::header, row_recorder::RowRecorder};

impl Db {
    /// Continues the numbers of a file's commits at random before its first commit since it was opened. Whoever copies
    /// or renames a file without its log and changes both would otherwise have two histories with the same numbers, and
    /// the log of one would be folded into the other. The first of two empty commits has the next number, so that the
    /// log follows its file.
    pub(super) fn begin_own_numbers(&self, writer: &WriterConnection) -> Result<()> {
        if self.lock.is_none() || self.has_own_numbers.load(Ordering::Acquire) {
            return Ok(());
        }
        self.commit_numbered(OpenTransaction::begin_write(&writer.conn)?, &writer.recorder)?;
        let tx = OpenTransaction::begin_write(&writer.conn)?;
        let number = header::random_commit_number(&tx)?;
        self.commit_as(tx, &writer.recorder, number)?;
        self.has_own_numbers.store(true, Ordering::Release);
        Ok(())
    }

    /// Commits and, for a file, gives the commit the next number.
    pub(super) fn commit_numbered(&self, tx: OpenTransaction<'_>, recorder: &RowRecorder) -> Result<()> {
        let number = if self.lock.is_some() { next_commit_number(&tx)? } else { 0 };
        self.commit_as(tx, recorder, number)
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
