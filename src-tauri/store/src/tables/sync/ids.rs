//! Maps records here to records of the service. Most have the same identifier on both sides, and the others are in a
//! table.

use rusqlite::params;

use super::SyncedTable;
use crate::{
    error::Result,
    tx::{ReadTx, WriteTx},
};

/// Returns the service's identifier if it differs from the record's own.
pub fn mapped_uid(tx: &ReadTx, place: SyncedTable, id: i64) -> Result<Option<String>> {
    tx.find_value("SELECT remote_uid FROM sync_ids WHERE place = ?1 AND id = ?2", params![place.number(), id])
}

/// Records that the service knows the record by `uid`.
pub fn set_mapping(tx: &WriteTx, place: SyncedTable, id: i64, uid: &str) -> Result<()> {
    tx.conn()
        .prepare_cached("INSERT OR REPLACE INTO sync_ids (place, id, remote_uid) VALUES (?1, ?2, ?3)")?
        .execute(params![place.number(), id, uid])?;
    Ok(())
}

pub fn forget_mapping(tx: &WriteTx, place: SyncedTable, id: i64) -> Result<()> {
    tx.execute_sql("DELETE FROM sync_ids WHERE place = ?1 AND id = ?2", params![place.number(), id])?;
    Ok(())
}

/// Returns the record's own identifier while it exists here.
pub fn own_uid(tx: &ReadTx, place: SyncedTable, id: i64) -> Result<Option<String>> {
    let sql = format!("SELECT uid FROM {} WHERE id = ?1", place.table());
    tx.find_value(&sql, [id])
}

/// Finds the record with this identifier of its own.
pub fn find_by_own_uid(tx: &ReadTx, place: SyncedTable, uid: &str) -> Result<Option<i64>> {
    let sql = format!("SELECT id FROM {} WHERE uid = ?1", place.table());
    tx.find_value(&sql, [uid])
}

/// Finds the record that the service knows by `uid`, even if it was deleted here but not yet there.
pub fn find_by_service_uid(tx: &ReadTx, place: SyncedTable, uid: &str) -> Result<Option<i64>> {
    let sql = format!("SELECT {}", find_sql(place, "?1"));
    tx.read_value(&sql, [uid])
}

/// Returns SQL that does the same.
pub(super) fn find_sql(place: SyncedTable, uid: &str) -> String {
    let (number, table) = (place.number(), place.table());
    let own = format!("NOT EXISTS (SELECT 1 FROM sync_ids AS other WHERE other.place = {number} AND other.id");
    format!(
        "coalesce((SELECT id FROM sync_ids WHERE place = {number} AND remote_uid = {uid}),
                  (SELECT live.id FROM {table} AS live WHERE live.uid = {uid} AND {own} = live.id)),
                  (SELECT gone.id FROM sync_base AS gone WHERE gone.place = {number} AND gone.uid = {uid} AND {own} = gone.id)))"
    )
}
