//! Removes contacts from the record of local changes if nothing about them is changed.
//!
//! Earlier versions stored the custom fields of a contact in the order of the table's columns. Cells are compared as
//! text, so an unchanged contact would show as changed. Opening an account therefore sorts these fields by number.

use rusqlite::{Connection, params};
use serde_json::{Map, Value};

use super::{SyncedTable, cells_sql};
use crate::error::Result;

/// Sorts the custom fields of every contact that one side changed, and removes the bases of those that are
/// then unchanged.
pub(crate) fn repair_contacts(conn: &Connection) -> Result<()> {
    let mut is_healed = false;
    for table in ["sync_base", "sync_remote"] {
        for (id, cells) in read_with_fields(conn, table)? {
            let Some(ordered) = sort_fields(&cells).filter(|ordered| *ordered != cells) else { continue };
            conn.prepare_cached(&format!("UPDATE {table} SET cells = ?2 WHERE place = 6 AND id = ?1"))?
                .execute(params![id, ordered])?;
            is_healed = true;
        }
    }
    // Another program may be writing to the file, so nothing is written unless something was repaired.
    if !is_healed {
        return Ok(());
    }
    forget_unchanged_contacts(conn)
}

/// Removes the bases of contacts that are the same as their base again, and so no longer changed.
pub(crate) fn forget_unchanged_contacts(conn: &Connection) -> Result<()> {
    let live = cells_sql(conn, SyncedTable::Contacts, "c")?;
    conn.execute_batch(&format!(
        "DELETE FROM sync_base WHERE place = 6 AND cells IS NOT NULL AND EXISTS (
           SELECT 1 FROM contacts AS c WHERE c.id = sync_base.id AND c.list_id = sync_base.list AND {live} = sync_base.cells)"
    ))?;
    Ok(())
}

fn read_with_fields(conn: &Connection, table: &str) -> Result<Vec<(i64, String)>> {
    let mut statement = conn.prepare_cached(&format!(
        "SELECT id, cells FROM {table} WHERE place = 6 AND cells LIKE '%\"field\\_%' ESCAPE '\\'"
    ))?;
    Ok(statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<rusqlite::Result<_>>()?)
}

/// Returns the same cells with their custom fields last and sorted by number. The others keep their order.
fn sort_fields(cells: &str) -> Option<String> {
    let values: Map<String, Value> = serde_json::from_str(cells).ok()?;
    let number = |name: &str| name.strip_prefix("field_").and_then(|number| number.parse::<u32>().ok());
    let place = |name: &str| (number(name), cells.find(&format!("\"{name}\":")));
    let mut names: Vec<&String> = values.keys().collect();
    names.sort_by_key(|name| place(name));
    let members: Vec<String> = names.into_iter().map(|name| format!("\"{name}\":{}", values[name])).collect();
    Some(format!("{{{}}}", members.join(",")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn custom_fields_come_last_by_their_numbers() {
        let mixed = r#"{"phone_number":"+447700900001","firstname":"A","field_10":"x","field_5":"y","field_6":"z"}"#;
        let wanted = r#"{"phone_number":"+447700900001","firstname":"A","field_5":"y","field_6":"z","field_10":"x"}"#;
        assert_eq!(sort_fields(mixed).as_deref(), Some(wanted));
        assert_eq!(sort_fields(wanted).as_deref(), Some(wanted));
        assert_eq!(sort_fields("{}").as_deref(), Some("{}"));
        assert_eq!(sort_fields("no JSON"), None);
    }
}
