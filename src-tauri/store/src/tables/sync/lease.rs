//! The lease to read and change the service. One window or program holds it at a time.

use roost_model::time::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};

use crate::{error::Result, tx::WriteTx};

/// A lease that was not renewed for this many seconds is dead.
const DEAD_AFTER: i64 = 60;

/// The first word of the name of an owner that reads the service and merges what it read.
pub const PULL: &str = "pull";

/// Returns the owner of the lease if it pulls.
pub(crate) fn find_pull(conn: &Connection) -> Result<Option<String>> {
    let owner: Option<String> =
        conn.prepare_cached("SELECT owner FROM sync_lease")?.query_row([], |row| row.get(0)).optional()?;
    Ok(owner.filter(|owner| owner.split(' ').next() == Some(PULL)))
}

/// Takes or renews the lease. Returns false while another holds it.
pub fn acquire_lease(tx: &WriteTx, owner: &str, now: Timestamp) -> Result<bool> {
    let held = tx.execute_sql(
        "INSERT INTO sync_lease (id, owner, beat) VALUES (1, ?1, ?2)
         ON CONFLICT (id) DO UPDATE SET owner = ?1, beat = ?2 WHERE owner = ?1 OR beat < ?2 - ?3",
        params![owner, now.unix(), DEAD_AFTER],
    )?;
    Ok(held > 0)
}

pub fn release_lease(tx: &WriteTx, owner: &str) -> Result<()> {
    tx.execute_sql("DELETE FROM sync_lease WHERE owner = ?1", [owner])?;
    Ok(())
}

/// Removes a lease on opening: its holder has ended, because nobody else has the file open. Nothing is written if there
/// was none.
pub(crate) fn clear_lease(conn: &Connection) -> Result<()> {
    if conn.prepare("SELECT 1 FROM sync_lease")?.exists([])? {
        conn.execute("DELETE FROM sync_lease", [])?;
    }
    Ok(())
}
