//! Sizes the page cache of the writer: small as a rule, larger while many rows are written.

use std::cell::Cell;

use rusqlite::Connection;

/// Size of a connection's cache when nothing large is under way, in KiB.
pub(crate) const USUAL_KIB: u64 = 8 << 10;
/// Largest cache that one act may have, in KiB. The indexes of five million contacts take about this much.
const MAX_KIB: u64 = 160 << 10;
/// Cache that the index pages touched by one new row need, in bytes. If they do not fit into the cache, every row reads
/// and writes pages of its own.
const BYTES_PER_ROW: u64 = 32;

/// The cache of one transaction. The extra memory is freed when the transaction ends.
pub(crate) struct PageCache<'c> {
    conn: &'c Connection,
    is_wide: Cell<bool>,
}

impl<'c> PageCache<'c> {
    pub(crate) fn with_usual_size(conn: &'c Connection) -> Self {
        Self { conn, is_wide: Cell::new(false) }
    }

    /// Enlarges the cache for this many rows. A failure to do so is ignored, because it costs only speed.
    pub(crate) fn grow_for_rows(&self, rows: u64) {
        let wanted = (rows.saturating_mul(BYTES_PER_ROW) >> 10).min(MAX_KIB);
        if wanted > USUAL_KIB {
            self.is_wide.set(true);
            let _ = self.set_size(wanted);
        }
    }

    fn set_size(&self, kib: u64) -> rusqlite::Result<()> {
        self.conn.execute_batch(&format!("PRAGMA cache_size = -{kib}"))
    }
}

impl Drop for PageCache<'_> {
    fn drop(&mut self) {
        if self.is_wide.get() {
            let _ = self.set_size(USUAL_KIB);
            let _ = self.conn.execute_batch("PRAGMA shrink_memory");
        }
    }
}
