//! Finds the contacts that changed since a reader last looked, row by row, from the recorded row changes.

use rusqlite::types::Value;

use crate::{
    error::Result,
    row_recorder::{INSERTED_RANGE, SWAPPED_IN_PLACE, range::decode_count},
    tables::steps::log,
    tx::ReadTx,
};

/// The position in the change log and in the recorded rows up to which a reader has seen everything.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangeMark {
    /// The newest recorded row, with its step and key. When the row is forgotten, a later row may get its number.
    row: Option<(i64, i64, Value)>,
    seq: i64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangedContacts {
    /// Row ids of contacts that were created, changed or deleted.
    Ids(Vec<i64>),
    /// The changes are too many to list, or no longer recorded.
    Unknown,
}

/// The number of the contacts table in every file.
const CONTACTS_TABLE: i64 = 6;

pub fn current_mark(tx: &ReadTx) -> Result<ChangeMark> {
    let row = tx.find_row("SELECT id, step, key FROM row_changes ORDER BY id DESC LIMIT 1", [], |row| {
        Ok((row.get(0)?, row.get(1)?, row.get(2)?))
    })?;
    Ok(ChangeMark { row, seq: log::last_seq(tx)? })
}

/// Returns the contacts that changed after a mark, or `Unknown` if there are more than `most`.
pub fn changes_since(tx: &ReadTx, seen: &ChangeMark, most: usize) -> Result<ChangedContacts> {
    let conn = tx.conn();
    if let Some((id, step, key)) = &seen.row {
        let now: Option<(i64, Value)> =
            tx.find_row("SELECT step, key FROM row_changes WHERE id = ?1", [id], |row| Ok((row.get(0)?, row.get(1)?)))?;
        if now.as_ref() != Some(&(*step, key.clone())) {
            return Ok(ChangedContacts::Unknown);
        }
    }
    // Looks for a step that changed contacts and whose rows are not recorded.
    let is_forgotten = tx.has_row(
        "SELECT 1 FROM changes AS c WHERE c.seq > ?1 AND c.noun IN ('contact', 'custom_field')
         AND NOT EXISTS (SELECT 1 FROM steps AS s WHERE s.id = c.step
             AND EXISTS (SELECT 1 FROM row_changes AS r WHERE r.id > ?2)) LIMIT 1",
        [seen.seq, seen.row.as_ref().map_or(0, |(id, ..)| *id)],
    )?;
    if is_forgotten {
        return Ok(ChangedContacts::Unknown);
    }
    let mut statement =
        conn.prepare_cached("SELECT key, kind, data FROM row_changes WHERE id > ?1 AND place = ?2 LIMIT ?3")?;
    let from = seen.row.as_ref().map_or(0, |(id, ..)| *id);
    let mut rows = statement.query([from, CONTACTS_TABLE, most as i64 + 1])?;
    let mut ids: Vec<i64> = Vec::new();
    while let Some(row) = rows.next()? {
        let first: i64 = row.get(0)?;
        let count = match row.get(1)? {
            SWAPPED_IN_PLACE => return Ok(ChangedContacts::Unknown),
            INSERTED_RANGE => decode_count(&row.get::<_, Vec<u8>>(2)?),
            _ => 1,
        };
        if ids.len() as i64 + count > most as i64 {
            return Ok(ChangedContacts::Unknown);
        }
        ids.extend(first..first + count);
    }
    ids.sort_unstable();
    ids.dedup();
    Ok(ChangedContacts::Ids(ids))
}
