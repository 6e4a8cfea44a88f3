//! Reads the numbers of a list from their index alone.

use rusqlite::params;

use crate::{
    error::{Result, StoreError},
    tables::{batch::MatchKey, lists::ListRow},
    tx::ReadTx,
    watch::Watch,
};

/// Rows between two checks for cancellation.
const CANCEL_CHECK_ROWS: u64 = 16_384;

/// Passes every number of a list with its contact to `visit`. Equal numbers follow one another.
pub fn visit_numbers(
    tx: &ReadTx,
    list: ListRow,
    key: MatchKey,
    watch: &Watch,
    mut visit: impl FnMut(&str, i64) -> Result<()>,
) -> Result<()> {
    let column = key.column();
    let mut statement = tx.conn().prepare_cached(&format!(
        "SELECT {column}, id FROM contacts INDEXED BY contacts_by_{column} WHERE list_id = ?1 AND {column} IS NOT NULL ORDER BY {column}"
    ))?;
    let mut rows = statement.query([list.0])?;
    let mut read = 0_u64;
    while let Some(row) = rows.next()? {
        visit(row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?, row.get(1)?)?;
        read += 1;
        if read.is_multiple_of(CANCEL_CHECK_ROWS) && watch.is_cancelled() {
            return Err(StoreError::Cancelled);
        }
    }
    Ok(())
}

/// Returns the phone and the WhatsApp number of a contact.
pub fn read_numbers(tx: &ReadTx, contact: i64) -> Result<(Option<String>, Option<String>)> {
    tx.read_row("SELECT phone, whatsapp FROM contacts WHERE id = ?1", [contact], |row| Ok((row.get(0)?, row.get(1)?)))
}

/// Finds the contacts of a list that have a number. The statement is reused for many numbers.
pub struct NumberProbe<'t> {
    statement: rusqlite::CachedStatement<'t>,
    list: ListRow,
}

impl<'t> NumberProbe<'t> {
    pub fn new(tx: &ReadTx<'t>, list: ListRow, key: MatchKey) -> Result<Self> {
        let column = key.column();
        let sql = format!(
            "SELECT id FROM contacts INDEXED BY contacts_by_{column} WHERE list_id = ?1 AND {column} = ?2 ORDER BY id"
        );
        Ok(Self { statement: tx.conn().prepare_cached(&sql)?, list })
    }

    pub fn find_contacts(&mut self, number: &str, mut visit: impl FnMut(i64) -> Result<()>) -> Result<()> {
        let mut rows = self.statement.query(params![self.list.0, number])?;
        while let Some(row) = rows.next()? {
            visit(row.get(0)?)?;
        }
        Ok(())
    }
}
