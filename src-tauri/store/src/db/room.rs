//! How much of the file the writer keeps in memory: little, and more while many rows are written.

use std::cell::Cell;

use rusqlite::Connection;

/// What a connection keeps when nothing large is under way, in KiB.
pub const USUAL: u64 = 8 << 10;
/// The most that one act may have: about what the indexes of five million contacts take.
const MOST: u64 = 160 << 10;
/// The pages of the indexes that a new row touches come to about this much for each, in bytes. Where they do not fit,
/// every row reads and writes pages of its own.
const OF_A_ROW: u64 = 32;

/// The room of one transaction. What it takes is given back when it is over.
pub struct Room<'c> {
    conn: &'c Connection,
    is_wide: Cell<bool>,
}

impl<'c> Room<'c> {
    pub fn usual(conn: &'c Connection) -> Self {
        Self { conn, is_wide: Cell::new(false) }
    }

    /// Makes room for so many rows. That it cannot be made is no reason to fail.
    pub fn widen(&self, rows: u64) {
        let wanted = (rows.saturating_mul(OF_A_ROW) >> 10).min(MOST);
        if wanted > USUAL {
            self.is_wide.set(true);
            let _ = self.keep(wanted);
        }
    }

    fn keep(&self, kib: u64) -> rusqlite::Result<()> {
        self.conn.execute_batch(&format!("PRAGMA cache_size = -{kib}"))
    }
}

impl Drop for Room<'_> {
    fn drop(&mut self) {
        if self.is_wide.get() {
            let _ = self.keep(USUAL);
            let _ = self.conn.execute_batch("PRAGMA shrink_memory");
        }
    }
}
