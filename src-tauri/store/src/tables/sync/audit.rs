//! The audit: every effect on the service and every erasure. Entries are only added, and each is sealed together with
//! the seal before it. An erasure may shorten the bodies of earlier entries.

use rusqlite::{Row, params};

use crate::{
    error::Result,
    tx::{ReadTx, WriteTx},
};

/// An entry of the audit. `before` and `seal` are hexadecimal digests, which the caller computes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEntry {
    pub seq: u64,
    pub run: Option<i64>,
    /// The effect or the erasure as JSON.
    pub body: String,
    /// The seal of the previous entry.
    pub before: String,
    pub seal: String,
}

const COLUMNS: &str = "seq, run, body, before, seal";

fn row_to_entry(row: &Row) -> rusqlite::Result<AuditEntry> {
    Ok(AuditEntry {
        seq: row.get::<_, i64>(0)? as u64,
        run: row.get(1)?,
        body: row.get(2)?,
        before: row.get(3)?,
        seal: row.get(4)?,
    })
}

pub fn last_entry(tx: &ReadTx) -> Result<Option<AuditEntry>> {
    tx.find_row(&format!("SELECT {COLUMNS} FROM audit ORDER BY seq DESC LIMIT 1"), [], row_to_entry)
}

pub fn append_entry(tx: &WriteTx, entry: &AuditEntry) -> Result<()> {
    tx.conn()
        .prepare_cached("INSERT INTO audit (seq, run, body, before, seal) VALUES (?1, ?2, ?3, ?4, ?5)")?
        .execute(params![entry.seq as i64, entry.run, entry.body, entry.before, entry.seal])?;
    Ok(())
}

/// Reads the entries after `seq`, of one run or of all, oldest first.
pub fn read_after(tx: &ReadTx, seq: u64, run: Option<i64>, limit: u32) -> Result<Vec<AuditEntry>> {
    let sql = format!("SELECT {COLUMNS} FROM audit WHERE seq > ?1 AND (?2 IS NULL OR run = ?2) ORDER BY seq LIMIT ?3");
    tx.read_rows(&sql, params![seq as i64, run, limit], row_to_entry)
}

/// Returns the bodies of the entries that belong to no run, which are those for erasures, oldest first.
pub fn read_without_run(tx: &ReadTx) -> Result<Vec<String>> {
    tx.read_rows("SELECT body FROM audit WHERE run IS NULL ORDER BY seq", [], |row| row.get(0))
}
