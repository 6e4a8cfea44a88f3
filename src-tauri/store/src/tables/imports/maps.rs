//! The import_maps table: the mappings of the columns of files. They are neither undone nor in the change log.

use roost_model::time::Timestamp;
use rusqlite::{Row, params};

use crate::{
    error::Result,
    tx::{ReadTx, WriteTx},
};

/// Most mappings without a name that are stored.
const UNNAMED_MAX: i64 = 200;

/// A stored mapping of columns. The profile is JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredMapping {
    /// Empty for a mapping that is stored for files with the same columns.
    pub name: String,
    /// Identifies files with the same columns.
    pub signature: String,
    pub profile: String,
    pub used_at: Timestamp,
}

const COLUMNS: &str = "name, signature, profile, used_at";

fn row_to_map(row: &Row) -> rusqlite::Result<StoredMapping> {
    Ok(StoredMapping {
        name: row.get(0)?,
        signature: row.get(1)?,
        profile: row.get(2)?,
        used_at: Timestamp::from_unix(row.get(3)?),
    })
}

/// Reads the mappings with a name, sorted by name.
pub fn read_named(tx: &ReadTx) -> Result<Vec<StoredMapping>> {
    let sql = format!("SELECT {COLUMNS} FROM import_maps WHERE name <> '' ORDER BY lower(name), name");
    tx.read_rows(&sql, [], row_to_map)
}

/// Returns the mapping that was last used for the same columns.
pub fn find_by_signature(tx: &ReadTx, signature: &str) -> Result<Option<StoredMapping>> {
    let sql = format!("SELECT {COLUMNS} FROM import_maps WHERE signature = ?1 ORDER BY used_at DESC, name LIMIT 1");
    tx.find_row(&sql, [signature], row_to_map)
}

/// Stores a mapping. It replaces one of the same name. The oldest mappings without a name are deleted.
pub fn save_mapping(tx: &WriteTx, map: &StoredMapping) -> Result<()> {
    if !map.name.is_empty() {
        remove(tx, &map.name)?;
    }
    tx.execute_sql(
        "INSERT INTO import_maps (name, signature, profile, used_at) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (name, signature) DO UPDATE SET profile = excluded.profile, used_at = excluded.used_at",
        params![map.name, map.signature, map.profile, map.used_at.unix()],
    )?;
    tx.execute_sql(
        "DELETE FROM import_maps WHERE name = '' AND signature IN
             (SELECT signature FROM import_maps WHERE name = '' ORDER BY used_at DESC, signature LIMIT -1 OFFSET ?1)",
        [UNNAMED_MAX],
    )?;
    Ok(())
}

/// Removes the mapping of this name and returns whether it existed.
pub fn remove(tx: &WriteTx, name: &str) -> Result<bool> {
    Ok(tx.execute_sql("DELETE FROM import_maps WHERE name = ?1", [name])? > 0)
}
