//! Writes the values of the service into the account's own records.

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashSet},
};

use roost_model::{phone, time::Timestamp};
use rusqlite::{CachedStatement, OptionalExtension, ToSql, params, params_from_iter};
use serde::Deserialize;
use serde_json::json;

use super::{SyncedTable, contact_columns, scopes::ServiceRecord};
use crate::{
    error::Result,
    row_recorder::{range::InsertedRange, tracked_tables::TrackedTable},
    tables::lists::{self, ListRow},
    tx::{ReadTx, WriteTx},
};

/// The service's times of a record.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ServiceTimes {
    pub made: Option<i64>,
    pub changed: Option<i64>,
}

/// The parameter of the first cell in the statement that inserts a contact.
const FIRST_CELL: usize = 8;

/// The statements that write contacts, made from the columns of the contacts table.
struct ContactSql {
    /// The name of each value in the cells.
    names: Vec<String>,
    insert: String,
    update: String,
}

impl ContactSql {
    fn read_columns(tx: &ReadTx) -> Result<Self> {
        let (names, columns): (Vec<_>, Vec<_>) = contact_columns(tx.conn())?.into_iter().unzip();
        let places = |from: usize| (from..from + columns.len()).map(|at| format!("?{at}")).collect::<Vec<_>>();
        let sets: Vec<String> =
            columns.iter().zip(places(5)).map(|(column, place)| format!("{column} = {place}")).collect();
        let insert = format!(
            "INSERT INTO contacts (uid, list_id, phone_region, whatsapp_region, created_at, updated_at, id, {})
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, {})",
            columns.join(", "),
            places(FIRST_CELL).join(", ")
        );
        let update = format!(
            "UPDATE contacts SET phone_region = ?2, whatsapp_region = ?3, updated_at = coalesce(?4, updated_at), {}
             WHERE id = ?1",
            sets.join(", ")
        );
        Ok(Self { names, insert, update })
    }

    /// Returns the values of the cells in the order of the columns.
    fn order_values<'a>(&self, values: &'a ParsedCells<'_>) -> impl Iterator<Item = Option<&'a str>> {
        self.names.iter().map(|name| values.get(name))
    }
}

/// The cells of a contact by their names. Texts without escapes are borrowed.
#[derive(Default, Deserialize)]
struct ParsedCells<'a>(#[serde(borrow)] BTreeMap<&'a str, CellText<'a>>);

#[derive(Deserialize)]
struct CellText<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'a> ParsedCells<'a> {
    fn parse(cells: &'a str) -> Self {
        serde_json::from_str(cells).unwrap_or_default()
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(|text| text.0.as_ref())
    }

    fn numbers(&self) -> [Option<&str>; 2] {
        ["phone_number", "whatsapp_number"].map(|name| self.get(name))
    }

    /// Derives the regions of both numbers. They are local, because the service returns them for some contacts only.
    fn number_regions(&self) -> [Option<String>; 2] {
        self.numbers().map(|number| phone::parse_international(number?).map(|phone| phone.region))
    }
}

/// Appends contacts of the service that are unknown here to a list. The undo memory records them as one range of rows.
pub struct ContactArrivals<'t> {
    sql: ContactSql,
    insert: CachedStatement<'t>,
    range: InsertedRange<'t>,
    now: Timestamp,
}

impl<'t> ContactArrivals<'t> {
    /// Prepares to append contacts. The caller must add them to the count of the list, and must not change other
    /// contacts before the [end](Self::end).
    pub fn begin(tx: &'t WriteTx<'_>, list: i64, now: Timestamp) -> Result<Self> {
        let range = InsertedRange::begin(tx.conn(), tx.step(), &TrackedTable::CONTACTS)?;
        let sql = ContactSql::read_columns(tx)?;
        let mut insert = tx.conn().prepare_cached(&sql.insert)?;
        insert.raw_bind_parameter(2, list)?;
        Ok(Self { sql, insert, range, now })
    }

    /// Appends a contact with this identifier and returns its id, or `None` if it has no number. Such a contact can
    /// neither be stored nor receive anything.
    pub fn append(&mut self, tx: &WriteTx, uid: &str, seen: &ServiceRecord) -> Result<Option<i64>> {
        let values = ParsedCells::parse(&seen.cells);
        if values.numbers() == [None, None] {
            return Ok(None);
        }
        let [phone, whatsapp] = values.number_regions();
        let insert = &mut self.insert;
        insert.raw_bind_parameter(1, uid)?;
        insert.raw_bind_parameter(3, phone)?;
        insert.raw_bind_parameter(4, whatsapp)?;
        insert.raw_bind_parameter(5, seen.times.made.unwrap_or_else(|| self.now.unix()))?;
        insert.raw_bind_parameter(6, seen.times.changed)?;
        for (at, value) in self.sql.order_values(&values).enumerate() {
            insert.raw_bind_parameter(FIRST_CELL + at, value)?;
        }
        insert.raw_execute()?;
        Ok(Some(tx.conn().last_insert_rowid()))
    }

    /// Records the range and returns the number of appended contacts.
    pub fn end(self) -> Result<u64> {
        drop(self.insert);
        self.range.end()
    }
}

/// Sets the cells of a contact. Cells that are not given become empty.
pub fn set_contact(tx: &WriteTx, id: i64, cells: &str, changed: Option<i64>) -> Result<()> {
    let (sql, values) = (ContactSql::read_columns(tx)?, ParsedCells::parse(cells));
    let [phone, whatsapp] = values.number_regions();
    let fixed: [&dyn ToSql; 4] = [&id, &phone, &whatsapp, &changed];
    write_contact(tx, &sql.update, &fixed, sql.order_values(&values))
}

fn write_contact<'a>(
    tx: &WriteTx,
    sql: &str,
    fixed: &[&dyn ToSql],
    values: impl Iterator<Item = Option<&'a str>>,
) -> Result<()> {
    let values: Vec<Option<&str>> = values.collect();
    let all = fixed.iter().copied().chain(values.iter().map(|value| value as &dyn ToSql));
    tx.execute_sql(sql, params_from_iter(all))?;
    Ok(())
}

/// Returns whether a contact here has this identifier as its own.
pub fn is_own_uid(tx: &ReadTx, uid: &str) -> Result<bool> {
    tx.has_row("SELECT 1 FROM contacts WHERE uid = ?1", [uid])
}

/// A contact that is to be added. It has an `id` only if it returns after a deletion.
#[derive(Debug, Clone, Copy)]
pub struct AddedContact<'a> {
    pub id: Option<i64>,
    pub list: i64,
    pub uid: &'a str,
    pub cells: &'a str,
    pub times: ServiceTimes,
}

/// Adds a contact and adds it to the count of its list.
pub fn add_contact(tx: &WriteTx, added: AddedContact<'_>, now: Timestamp) -> Result<i64> {
    let AddedContact { id, list, uid, cells, times } = added;
    let (sql, values) = (ContactSql::read_columns(tx)?, ParsedCells::parse(cells));
    let [phone, whatsapp] = values.number_regions();
    let made = times.made.unwrap_or_else(|| now.unix());
    let fixed: [&dyn ToSql; 7] = [&uid, &list, &phone, &whatsapp, &made, &times.changed, &id];
    write_contact(tx, &sql.insert, &fixed, sql.order_values(&values))?;
    let id = tx.conn().last_insert_rowid();
    lists::touch(tx, ListRow(list), now, 1)?;
    Ok(id)
}

/// Removes a contact and subtracts it from the count of its list.
pub fn remove_contact(tx: &WriteTx, id: i64, now: Timestamp) -> Result<()> {
    let list: Option<i64> = tx.find_value("DELETE FROM contacts WHERE id = ?1 RETURNING list_id", [id])?;
    list.map_or(Ok(()), |list| lists::touch(tx, ListRow(list), now, -1))
}

pub fn move_contact(tx: &WriteTx, id: i64, to: i64, now: Timestamp) -> Result<()> {
    let from: Option<i64> = tx.find_value("SELECT list_id FROM contacts WHERE id = ?1", [id])?;
    if let Some(from) = from {
        tx.execute_sql("UPDATE contacts SET list_id = ?2 WHERE id = ?1", [id, to])?;
        lists::touch(tx, ListRow(from), now, -1)?;
        lists::touch(tx, ListRow(to), now, 1)?;
    }
    Ok(())
}

/// Returns those of the contacts that do not exist.
pub fn find_missing_contacts(tx: &ReadTx, ids: &[i64]) -> Result<HashSet<i64>> {
    tx.read_rows(
        "SELECT value FROM json_each(?1) AS wanted WHERE NOT EXISTS (SELECT 1 FROM contacts WHERE id = wanted.value)",
        [json!(ids).to_string()],
        |row| row.get(0),
    )
}

/// Reads `count` contacts of a list, beginning with position `from`, by id, with their cells.
pub fn read_contacts(tx: &ReadTx, list: i64, from: u64, count: u64) -> Result<Vec<(i64, String)>> {
    let sql = format!(
        "SELECT id, {} FROM contacts AS c WHERE list_id = ?1 ORDER BY id LIMIT ?3 OFFSET ?2",
        super::cells_sql(tx.conn(), SyncedTable::Contacts, "c")?
    );
    tx.read_rows(&sql, params![list, from as i64, count as i64], |row| Ok((row.get(0)?, row.get(1)?)))
}

/// Counts the contacts of a local list that have this number.
pub fn count_with_number(tx: &ReadTx, list: i64, column: &str, number: &str) -> Result<u32> {
    let sql = format!("SELECT count(*) FROM contacts WHERE list_id = ?1 AND {column} = ?2");
    tx.read_value(&sql, params![list, number])
}

/// Returns the name of a local list and the number of its contacts.
pub fn read_list(tx: &ReadTx, id: i64) -> Result<Option<(String, u64)>> {
    let mut statement = tx.conn().prepare_cached("SELECT name, contact_count FROM lists WHERE id = ?1")?;
    Ok(statement.query_row([id], |row| Ok((row.get(0)?, row.get::<_, i64>(1)? as u64))).optional()?)
}

/// Defines a custom field if it is not defined. Returns whether it was added.
pub fn ensure_field(tx: &WriteTx, number: u32) -> Result<bool> {
    if crate::tables::custom_fields::defined_numbers(tx)?.contains(&number) {
        return Ok(false);
    }
    let back = tx.execute_sql("UPDATE custom_fields SET removed = 0 WHERE number = ?1", [number])?;
    if back == 0 {
        let label = format!("Field {number}");
        crate::tables::custom_fields::insert(tx, &roost_model::custom_field::CustomField { number, label })?;
    }
    Ok(true)
}

/// Moves the values that were entered locally in a custom field to another one. Those that both sides agreed on stay, or
/// return. Returns the number of contacts.
pub fn move_local_values(tx: &WriteTx, from: u32, to: u32) -> Result<u64> {
    let agreed = format!("json_extract(b.cells, '$.field_{from}')");
    let of_contact = "FROM sync_base AS b WHERE b.place = 6 AND b.id = contacts.id";
    let sql = format!(
        "UPDATE contacts SET field_{to} = field_{from}, field_{from} = (SELECT {agreed} {of_contact})
         WHERE field_{from} IS NOT NULL AND EXISTS (SELECT 1 {of_contact} AND field_{from} IS NOT {agreed})"
    );
    let moved = tx.conn().execute(&sql, [])?;
    tx.execute_sql("UPDATE drafts SET field = 'field_' || ?2 WHERE field = 'field_' || ?1", [from, to])?;
    Ok(moved as u64)
}

/// Returns the event that recorded the removal of an opt-out, if it has a reason.
pub fn find_removal_event(tx: &ReadTx, number: &str, channel: &str, scope: &str) -> Result<Option<i64>> {
    let mut statement = tx.conn().prepare_cached(
        "SELECT iif(action = 'removed' AND reason IS NOT NULL, id, NULL) FROM opt_out_events
         WHERE number = ?1 AND channel = ?2 AND scope = ?3 ORDER BY id DESC LIMIT 1",
    )?;
    Ok(statement.query_row([number, channel, scope], |row| row.get(0)).optional()?.flatten())
}

/// Sets the short address that the service gave to a link.
pub fn set_link_address(tx: &WriteTx, id: i64, code: &str, base: &str, made: Option<i64>) -> Result<()> {
    tx.execute_sql(
        "UPDATE short_links SET code = ?2, base = ?3, created_at = coalesce(?4, created_at) WHERE id = ?1",
        params![id, code, base, made],
    )?;
    Ok(())
}

pub fn remove_link(tx: &WriteTx, id: i64) -> Result<()> {
    tx.execute_sql("DELETE FROM short_links WHERE id = ?1", [id])?;
    Ok(())
}

/// Sets the name that the list has at the service.
pub fn set_list_name(tx: &WriteTx, id: i64, name: &str) -> Result<()> {
    tx.execute_sql(
        "UPDATE lists SET name = ?2, name_folded = ?3 WHERE id = ?1",
        params![id, name, name.to_lowercase()],
    )?;
    Ok(())
}

/// Deletes a list here, with its contacts.
pub fn remove_list(tx: &WriteTx, id: i64) -> Result<()> {
    lists::delete(tx, ListRow(id))?;
    Ok(())
}

/// Adds contacts that were added to a list to its count.
pub fn add_to_count(tx: &WriteTx, id: i64, added: u64, now: Timestamp) -> Result<()> {
    lists::touch(tx, ListRow(id), now, added as i64)
}

/// Sets the count of a list to the number of its contacts.
pub fn recount_list(tx: &WriteTx, id: i64) -> Result<()> {
    tx.execute_sql(
        "UPDATE lists SET contact_count = (SELECT count(*) FROM contacts WHERE list_id = ?1) WHERE id = ?1",
        [id],
    )?;
    Ok(())
}

/// Restores a list that was deleted here. It is empty.
pub fn restore_list(tx: &WriteTx, id: i64, uid: &str, name: &str, now: Timestamp) -> Result<()> {
    tx.execute_sql(
        "INSERT INTO lists (id, uid, name, name_folded, created_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?5, ?5)",
        params![id, uid, name, name.to_lowercase(), now.unix()],
    )?;
    Ok(())
}

/// Sets the cells of a short link to those that both sides agreed on, and creates the link if it does not exist.
pub fn set_link(tx: &WriteTx, id: i64, uid: &str, cells: &str, now: Timestamp) -> Result<()> {
    let changed = tx.execute_sql(
        "UPDATE short_links SET title = ?2 ->> 'title', target_url = ?2 ->> 'target_url', tags = ?2 ->> 'tags',
                track_clicks = ?2 ->> 'track_clicks' WHERE id = ?1",
        params![id, cells],
    )?;
    if changed == 0 {
        tx.execute_sql(
            "INSERT INTO short_links (id, uid, title, target_url, tags, track_clicks, code, created_at)
             VALUES (?1, ?2, ?3 ->> 'title', ?3 ->> 'target_url', ?3 ->> 'tags', ?3 ->> 'track_clicks', ?2, ?4)",
            params![id, uid, cells, now.unix()],
        )?;
    }
    Ok(())
}

/// Returns the contacts of one list that either side changed.
pub fn changed_contacts(tx: &ReadTx, list: i64) -> Result<Vec<i64>> {
    let mut statement = tx.conn().prepare_cached(
        "SELECT id FROM sync_base WHERE place = 6 AND list = ?1
         UNION SELECT b.id FROM sync_base AS b JOIN contacts AS c ON c.id = b.id WHERE b.place = 6 AND c.list_id = ?1",
    )?;
    Ok(statement.query_map([list], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?)
}

/// Returns whether any contact of a list was changed here.
pub fn has_list_changes(tx: &ReadTx, id: i64) -> Result<bool> {
    tx.has_row(
        "SELECT 1 FROM sync_base WHERE place = 6 AND list = ?1
         UNION ALL SELECT 1 FROM sync_base AS b JOIN contacts AS c ON c.id = b.id WHERE b.place = 6 AND c.list_id = ?1 LIMIT 1",
        [id],
    )
}

/// Marks the contacts of a list as created here, because the list is created again at the service and is empty there.
/// Deletions from it are forgotten together with the old list.
pub fn mark_contacts_new(tx: &WriteTx, list: i64) -> Result<()> {
    let conn = tx.conn();
    for table in ["sync_ids", "sync_remote"] {
        tx.execute_sql(
            &format!("DELETE FROM {table} WHERE place = 6 AND id IN (SELECT +id FROM contacts WHERE list_id = ?1)"),
            [list],
        )?;
    }
    conn.prepare_cached("DELETE FROM sync_base WHERE place = 6 AND list = ?1 AND id NOT IN (SELECT id FROM contacts)")?
        .execute([list])?;
    tx.execute_sql(
        "INSERT OR REPLACE INTO sync_base (place, id, list) SELECT 6, id, list_id FROM contacts WHERE list_id = ?1",
        [list],
    )?;
    Ok(())
}

/// Forgets what was agreed on the contacts of a list that no longer exist here.
fn forget_gone_contacts(tx: &WriteTx, list: i64) -> Result<()> {
    tx.conn()
        .prepare_cached("DELETE FROM sync_base WHERE place = 6 AND list = ?1 AND id NOT IN (SELECT id FROM contacts)")?
        .execute([list])?;
    Ok(())
}

/// Removes a list that the service no longer has. Contacts that were moved into it return to their former list.
/// Contacts that were moved out of it count as deleted at the service.
pub fn drop_list(tx: &WriteTx, id: i64, now: Timestamp) -> Result<()> {
    let moved_in: Vec<(i64, i64)> = tx.read_rows(
        "SELECT c.id, b.list FROM contacts AS c JOIN sync_base AS b ON b.place = 6 AND b.id = c.id
         WHERE c.list_id = ?1 AND b.cells IS NOT NULL AND b.list <> ?1",
        [id],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    for (contact, home) in moved_in {
        move_contact(tx, contact, home, now)?;
    }
    for table in ["sync_ids", "sync_base", "sync_remote", "sync_answers", "sync_quarantine"] {
        tx.execute_sql(
            &format!("DELETE FROM {table} WHERE place = 6 AND id IN (SELECT +id FROM contacts WHERE list_id = ?1)"),
            [id],
        )?;
    }
    forget_gone_contacts(tx, id)?;
    tx.execute_sql(
        "INSERT OR REPLACE INTO sync_remote (place, id) SELECT 6, id FROM sync_base WHERE place = 6 AND list = ?1",
        [id],
    )?;
    lists::delete(tx, ListRow(id))?;
    // In a person's act, the deletion was tracked as one that is still to be sent.
    forget_gone_contacts(tx, id)?;
    tx.execute_sql("DELETE FROM sync_answers WHERE place = 5 AND id = ?1", [id])?;
    super::scopes::forget_scope(tx, SyncedTable::Contacts, id)?;
    super::scopes::forget_scope(tx, SyncedTable::Contacts, -id)?;
    super::changes::forget_record(tx, SyncedTable::Lists, id)
}
