//! Reads what the sync screens show: small queries that use an index and return a page at a time.

pub mod run_details;
pub mod unsent_records;

use rusqlite::OptionalExtension;

use super::SyncedTable;
use crate::{
    error::Result,
    tx::{ReadTx, WriteTx},
};

/// Returns the identifier and the name of a local list.
pub fn read_list(tx: &ReadTx, id: i64) -> Result<Option<(String, String)>> {
    tx.find_row("SELECT uid, name FROM lists WHERE id = ?1", [id], |row| Ok((row.get(0)?, row.get(1)?)))
}

/// Returns the row of a local list.
pub fn find_list(tx: &ReadTx, uid: &str) -> Result<Option<i64>> {
    tx.find_value("SELECT id FROM lists WHERE uid = ?1", [uid])
}

/// Returns the newest plan, and whether it has a run.
pub fn newest_plan(tx: &ReadTx) -> Result<Option<(i64, bool)>> {
    let mut statement = tx.conn().prepare_cached(
        "SELECT id, EXISTS (SELECT 1 FROM sync_runs WHERE plan = p.id) FROM sync_plans AS p ORDER BY id DESC LIMIT 1",
    )?;
    Ok(statement.query_row([], |row| Ok((row.get(0)?, row.get(1)?))).optional()?)
}

/// One part of the service, and what is known about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScopeSummary {
    pub place: SyncedTable,
    /// Identifier and name of the local list.
    pub list: Option<(String, String)>,
    pub total: Option<u64>,
    pub checked_at: Option<i64>,
    pub full_at: Option<i64>,
    pub page: u32,
}

pub fn read_scopes(tx: &ReadTx) -> Result<Vec<ScopeSummary>> {
    tx.read_rows(
        "SELECT s.place, l.uid, l.name, s.total, s.checked_at, s.full_at, s.page
         FROM sync_scopes AS s LEFT JOIN lists AS l ON l.id = s.scope AND s.place = 6
         WHERE s.scope = 0 OR l.id IS NOT NULL ORDER BY s.place, l.name_folded, s.scope",
        [],
        |row| {
            let uid: Option<String> = row.get(1)?;
            let list = match uid {
                Some(uid) => Some((uid, row.get(2)?)),
                None => None,
            };
            Ok(ScopeSummary {
                place: table_from_number(row.get(0)?),
                list,
                total: row.get::<_, Option<i64>>(3)?.map(|n| n as u64),
                checked_at: row.get(4)?,
                full_at: row.get(5)?,
                page: row.get(6)?,
            })
        },
    )
}

fn table_from_number(number: i64) -> SyncedTable {
    [SyncedTable::Senders, SyncedTable::Lists, SyncedTable::OptOuts, SyncedTable::ShortLinks]
        .into_iter()
        .find(|place| place.number() == number)
        .unwrap_or(SyncedTable::Contacts)
}

/// Releases the lease of work that was interrupted. The caller must be the only one to have the file open, and must
/// have stopped its own work.
pub fn force_release_lease(tx: &WriteTx) -> Result<()> {
    tx.execute_sql("DELETE FROM sync_lease", [])?;
    Ok(())
}
