//! Stores readings of the service: how far each has come, which records it saw, and where these differ from the local
//! ones.

use std::collections::HashSet;

use roost_model::channel::Channel;
use rusqlite::{OptionalExtension, params, types::FromSql};

use super::{SyncedTable, cells_sql, id_sql, ids::find_sql, local::ServiceTimes};
use crate::{
    error::Result,
    tables::{opt_outs::UNKNOWN_ASSET, parse_stored, settings},
    tx::{ReadTx, WriteTx},
};

/// The state of the readings of one part of the service.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScopeState {
    pub total: Option<u64>,
    /// The time that the service gave for the last reading.
    pub marker: Option<String>,
    pub checked_at: Option<i64>,
    pub full_at: Option<i64>,
    /// Pages that the present reading has read, and the total that its first page stated.
    pub page: u32,
    pub claimed: Option<u64>,
}

/// The setting that holds when the last pull of everything began.
pub(super) const PULL_TIME: &str = "sync.pulled_at";

/// Returns when the last pull that read everything began. The readings of a run and those of a single list do not count,
/// because they read no opt-outs.
pub fn read_pull_time(tx: &ReadTx) -> Result<Option<i64>> {
    Ok(settings::get(tx, PULL_TIME)?.and_then(|at| at.parse().ok()))
}

pub fn set_pull_time(tx: &WriteTx, at: i64) -> Result<()> {
    settings::set(tx, PULL_TIME, &at.to_string())
}

pub fn get(tx: &ReadTx, place: SyncedTable, scope: i64) -> Result<ScopeState> {
    let mut statement = tx.conn().prepare_cached(
        "SELECT total, marker, checked_at, full_at, page, claimed FROM sync_scopes WHERE place = ?1 AND scope = ?2",
    )?;
    let found = statement.query_row(params![place.number(), scope], |row| {
        Ok(ScopeState {
            total: row.get::<_, Option<i64>>(0)?.map(|n| n as u64),
            marker: row.get(1)?,
            checked_at: row.get(2)?,
            full_at: row.get(3)?,
            page: row.get(4)?,
            claimed: row.get::<_, Option<i64>>(5)?.map(|n| n as u64),
        })
    });
    Ok(found.optional()?.unwrap_or_default())
}

pub fn set(tx: &WriteTx, place: SyncedTable, scope: i64, known: &ScopeState) -> Result<()> {
    tx.execute_sql(
        "INSERT OR REPLACE INTO sync_scopes (place, scope, total, marker, checked_at, full_at, page, claimed)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        params![
            place.number(),
            scope,
            known.total.map(|n| n as i64),
            known.marker,
            known.checked_at,
            known.full_at,
            known.page,
            known.claimed.map(|n| n as i64)
        ],
    )?;
    Ok(())
}

/// Returns whether any part of this kind was ever read to its end.
pub fn has_finished(tx: &ReadTx, place: SyncedTable) -> Result<bool> {
    tx.has_row("SELECT 1 FROM sync_scopes WHERE place = ?1 AND full_at IS NOT NULL LIMIT 1", [place.number()])
}

pub fn forget_scope(tx: &WriteTx, place: SyncedTable, scope: i64) -> Result<()> {
    delete_records(tx, place, scope)?;
    tx.execute_sql("DELETE FROM sync_scopes WHERE place = ?1 AND scope = ?2", params![place.number(), scope])?;
    Ok(())
}

/// Discards every reading under way, because the service is about to be changed. The records of lists that are created
/// again stay until the old lists are deleted.
pub fn discard_readings(tx: &WriteTx) -> Result<()> {
    tx.conn().execute_batch(
        "DELETE FROM sync_seen WHERE -scope NOT IN (SELECT id FROM sync_answers WHERE place = 5 AND about = 'superseded_by');
         UPDATE sync_scopes SET page = 0, claimed = NULL",
    )?;
    Ok(())
}

/// Assigns the stored records of one list to another.
pub fn move_records(tx: &WriteTx, scope: i64, to: i64) -> Result<()> {
    tx.execute_sql("UPDATE sync_seen SET scope = ?2 WHERE place = 6 AND scope = ?1", [scope, to])?;
    Ok(())
}

/// A record as the service returned it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceRecord {
    pub uid: String,
    pub cells: String,
    pub times: ServiceTimes,
}

pub fn add_records(tx: &WriteTx, place: SyncedTable, scope: i64, rows: &[ServiceRecord]) -> Result<()> {
    let mut insert = tx.conn().prepare_cached(
        "INSERT OR REPLACE INTO sync_seen (place, scope, remote_uid, cells, made_at, changed_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?;
    for row in rows {
        insert.execute(params![place.number(), scope, row.uid, row.cells, row.times.made, row.times.changed])?;
    }
    Ok(())
}

pub fn delete_records(tx: &WriteTx, place: SyncedTable, scope: i64) -> Result<()> {
    tx.execute_sql("DELETE FROM sync_seen WHERE place = ?1 AND scope = ?2", params![place.number(), scope])?;
    Ok(())
}

pub fn count_records(tx: &ReadTx, place: SyncedTable, scope: i64) -> Result<u64> {
    let mut statement = tx.conn().prepare_cached("SELECT count(*) FROM sync_seen WHERE place = ?1 AND scope = ?2")?;
    Ok(statement.query_row(params![place.number(), scope], |row| row.get::<_, i64>(0))? as u64)
}

/// Runs `sql`, which selects the uid, the cells and the times of stored records, and the matching local contact.
fn query_records(tx: &ReadTx, sql: &str, values: &[&dyn rusqlite::ToSql]) -> Result<Vec<(ServiceRecord, Option<i64>)>> {
    tx.read_rows(sql, values, |row| {
        let times = ServiceTimes { made: row.get(2)?, changed: row.get(3)? };
        Ok((ServiceRecord { uid: row.get(0)?, cells: row.get(1)?, times }, row.get(4)?))
    })
}

/// Reads the next records of a table after `uid`, with the local record of each.
pub fn read_records(
    tx: &ReadTx,
    place: SyncedTable,
    uid: &str,
    most: u32,
) -> Result<Vec<(ServiceRecord, Option<i64>)>> {
    let here = match place {
        SyncedTable::Lists | SyncedTable::Contacts | SyncedTable::ShortLinks => find_sql(place, "s.remote_uid"),
        SyncedTable::Senders | SyncedTable::OptOuts => "NULL".to_owned(),
    };
    let sql = format!(
        "SELECT s.remote_uid, s.cells, s.made_at, s.changed_at, {here} FROM sync_seen AS s
         WHERE s.place = ?1 AND s.scope = 0 AND s.remote_uid > ?2 ORDER BY s.remote_uid LIMIT ?3"
    );
    query_records(tx, &sql, &[&place.number(), &uid, &most])
}

/// Excludes opt-outs that only block a number, because the service has no such record.
fn is_record_sql(place: SyncedTable) -> String {
    match place {
        SyncedTable::OptOuts => format!("substr(t.scope, -{}) <> '{UNKNOWN_ASSET}'", UNKNOWN_ASSET.len()),
        _ => "1".to_owned(),
    }
}

/// Returns the local ids of records that the service had when both sides last agreed, and that the reading did not
/// find.
pub fn missing_records<I: FromSql>(tx: &ReadTx, place: SyncedTable) -> Result<Vec<I>> {
    let (number, table, id) = (place.number(), place.table(), id_sql(place, "t"));
    let is_record = is_record_sql(place);
    let uid = match place {
        SyncedTable::Senders | SyncedTable::OptOuts => id.clone(),
        _ => "t.uid".to_owned(),
    };
    let unseen = |uid: &str| {
        format!(
            "NOT EXISTS (SELECT 1 FROM sync_seen AS s WHERE s.place = {number} AND s.scope = 0 AND s.remote_uid = {uid})"
        )
    };
    let sql = format!(
        "SELECT {id} FROM {table} AS t LEFT JOIN sync_ids AS i ON i.place = {number} AND i.id = {id}
         WHERE {is_record} AND NOT EXISTS (SELECT 1 FROM sync_base AS b WHERE b.place = {number} AND b.id = {id}) AND {}
         UNION ALL
         SELECT b.id FROM sync_base AS b LEFT JOIN sync_ids AS i ON i.place = {number} AND i.id = b.id
         WHERE b.place = {number} AND b.cells IS NOT NULL AND {}",
        unseen(&format!("coalesce(i.remote_uid, {uid})")),
        unseen("coalesce(i.remote_uid, b.uid, b.id)")
    );
    tx.read_rows(&sql, [], |row| row.get(0))
}

/// Counts the records that the reading found and that the service had when both sides last agreed.
pub fn count_common(tx: &ReadTx, place: SyncedTable) -> Result<u64> {
    let here = match place {
        SyncedTable::Senders => "(SELECT id FROM senders AS live WHERE live.id = s.remote_uid
              UNION SELECT id FROM sync_base WHERE place = 1 AND id = s.remote_uid AND cells IS NOT NULL)"
            .to_owned(),
        _ => find_sql(place, "s.remote_uid"),
    };
    let sql = format!("SELECT count({here}) FROM sync_seen AS s WHERE s.place = ?1 AND s.scope = 0");
    Ok(tx.read_value::<i64>(&sql, [place.number()])? as u64)
}

/// Counts the records that both sides have, as far as they agreed.
pub fn count_agreed(tx: &ReadTx, place: SyncedTable) -> Result<u64> {
    let (number, table, id) = (place.number(), place.table(), id_sql(place, "t"));
    let is_record = is_record_sql(place);
    let sql = format!(
        "SELECT (SELECT count(*) FROM {table} AS t WHERE {is_record} AND NOT EXISTS (SELECT 1 FROM sync_base AS b WHERE b.place = {number} AND b.id = {id}))
              + (SELECT count(*) FROM sync_base WHERE place = {number} AND cells IS NOT NULL)"
    );
    Ok(tx.read_value::<i64>(&sql, [])? as u64)
}

/// Counts the opt-outs that the service has and that cannot be stored here.
pub fn count_unmergeable(tx: &ReadTx) -> Result<u64> {
    Ok(tx.read_value::<i64>(
        "SELECT count(*) FROM sync_remote AS r WHERE r.place = 7 AND r.cells IS NOT NULL
           AND NOT EXISTS (SELECT 1 FROM sync_base AS b WHERE b.place = 7 AND b.id = r.id AND b.cells IS NOT NULL)
           AND NOT EXISTS (SELECT 1 FROM opt_outs AS live WHERE live.number = substr(r.id, 1, instr(r.id, ' ') - 1)
             AND live.number || ' ' || live.channel || ' ' || live.scope = r.id)",
        [],
    )? as u64)
}

/// Returns the numbers that an opt-out of an unknown channel or asset blocks, although the service no longer has that
/// opt-out.
pub fn unblocked_numbers(tx: &ReadTx) -> Result<Vec<(String, Channel)>> {
    tx.read_rows(
        "SELECT o.number, o.channel FROM opt_outs AS o WHERE substr(o.scope, -length(?1)) = ?1
           AND NOT EXISTS (SELECT 1 FROM sync_remote AS r WHERE r.place = 7 AND r.cells IS NOT NULL
             AND r.id >= o.number || ' ' AND r.id < o.number || '!'
             AND r.id NOT GLOB o.number || iif(o.channel = 'SMS', ' WHATSAPP *', ' SMS *'))",
        [UNKNOWN_ASSET],
        |row| {
            let channel: String = row.get(1)?;
            Ok((row.get(0)?, parse_stored(1, Channel::parse(&channel), &channel)?))
        },
    )
}

/// Forgets unmerged records of a table that the reading did not find, because the service no longer has them.
pub fn forget_unseen_unmerged(tx: &WriteTx, place: SyncedTable) -> Result<()> {
    tx.execute_sql(
        "DELETE FROM sync_remote WHERE place = ?1 AND cells IS NOT NULL AND NOT EXISTS (SELECT 1 FROM sync_seen AS s
           WHERE s.place = ?1 AND s.scope = 0 AND s.remote_uid = sync_remote.id)",
        [place.number()],
    )?;
    Ok(())
}

/// Returns whether two readings of a list found different contacts or different values.
pub fn readings_differ(tx: &ReadTx, one: i64, other: i64) -> Result<bool> {
    tx.read_value(
        "SELECT EXISTS (SELECT remote_uid, cells FROM sync_seen WHERE place = 6 AND scope = ?1
                        EXCEPT SELECT remote_uid, cells FROM sync_seen WHERE place = 6 AND scope = ?2)
             OR EXISTS (SELECT remote_uid, cells FROM sync_seen WHERE place = 6 AND scope = ?2
                        EXCEPT SELECT remote_uid, cells FROM sync_seen WHERE place = 6 AND scope = ?1)",
        [one, other],
    )
}

/// Stores the contacts of a list as the service had them at the last reading, as if a reading had just found them.
pub fn copy_known_contacts(tx: &WriteTx, list: i64, scope: i64) -> Result<()> {
    forget_scope(tx, SyncedTable::Contacts, scope)?;
    let sql = format!(
        "INSERT INTO sync_seen (place, scope, remote_uid, cells)
         SELECT 6, ?2, k.uid, coalesce(r.cells, k.cells) FROM (
           SELECT c.id, coalesce(i.remote_uid, c.uid) AS uid, {} AS cells
           FROM contacts AS c LEFT JOIN sync_ids AS i ON i.place = 6 AND i.id = c.id
           WHERE c.list_id = ?1 AND NOT EXISTS (SELECT 1 FROM sync_base AS b WHERE b.place = 6 AND b.id = +c.id)
           UNION ALL
           SELECT b.id, coalesce(i.remote_uid, b.uid), b.cells
           FROM sync_base AS b LEFT JOIN sync_ids AS i ON i.place = 6 AND i.id = b.id
           WHERE b.place = 6 AND b.list = ?1 AND b.cells IS NOT NULL) AS k
         LEFT JOIN sync_remote AS r ON r.place = 6 AND r.id = k.id
         WHERE r.id IS NULL OR r.cells IS NOT NULL",
        cells_sql(tx.conn(), SyncedTable::Contacts, "c")?
    );
    tx.execute_sql(&sql, [list, scope])?;
    Ok(())
}

/// Returns one contact that the reading found in a list.
pub fn find_contact(tx: &ReadTx, list: i64, uid: &str) -> Result<Option<ServiceRecord>> {
    let sql = "SELECT remote_uid, cells, made_at, changed_at, NULL FROM sync_seen
         WHERE place = 6 AND scope = ?1 AND remote_uid = ?2";
    Ok(query_records(tx, sql, &[&list, &uid])?.into_iter().next().map(|(seen, _)| seen))
}

/// Reads the next contacts of a list after `uid` that are different here or do not exist here.
pub fn read_differing(tx: &ReadTx, list: i64, uid: &str, most: u32) -> Result<Vec<(ServiceRecord, Option<i64>)>> {
    let sql = format!(
        "SELECT s.remote_uid, s.cells, s.made_at, s.changed_at, s.here
         FROM (SELECT w.*, {} AS here FROM sync_seen AS w WHERE w.place = 6 AND w.scope = ?1 AND w.remote_uid > ?2) AS s
         LEFT JOIN contacts AS c ON c.id = s.here
         WHERE c.id IS NULL OR c.list_id <> ?1 OR {} <> s.cells
            OR EXISTS (SELECT 1 FROM sync_base AS b WHERE b.place = 6 AND b.id = s.here)
            OR EXISTS (SELECT 1 FROM sync_remote AS r WHERE r.place = 6 AND r.id = s.here)
         ORDER BY s.remote_uid LIMIT ?3",
        find_sql(SyncedTable::Contacts, "w.remote_uid"),
        cells_sql(tx.conn(), SyncedTable::Contacts, "c")?
    );
    query_records(tx, &sql, &[&list, &uid, &most])
}

/// Returns the numbers that several contacts of a reading share in `field`.
pub fn shared_numbers(tx: &ReadTx, list: i64, field: &str) -> Result<HashSet<String>> {
    let mut statement = tx.conn().prepare_cached(
        "SELECT cells ->> ?2 AS number FROM sync_seen WHERE place = 6 AND scope = ?1 AND number IS NOT NULL
         GROUP BY number HAVING count(*) > 1",
    )?;
    Ok(statement.query_map(params![list, field], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?)
}

/// Returns contacts of a reading that have no local record and one of `numbers`.
pub fn unknown_contacts(tx: &ReadTx, list: i64, numbers: &[String]) -> Result<Vec<ServiceRecord>> {
    let sql = format!(
        "SELECT s.remote_uid, s.cells, s.made_at, s.changed_at, NULL FROM sync_seen AS s
         WHERE s.place = 6 AND s.scope = ?1
           AND (s.cells ->> 'phone_number' IN (SELECT value FROM json_each(?2))
             OR s.cells ->> 'whatsapp_number' IN (SELECT value FROM json_each(?2)))
           AND {} IS NULL ORDER BY s.remote_uid",
        find_sql(SyncedTable::Contacts, "s.remote_uid")
    );
    let numbers = serde_json::Value::from(numbers.to_vec()).to_string();
    Ok(query_records(tx, &sql, &[&list, &numbers])?.into_iter().map(|(seen, _)| seen).collect())
}

/// Returns contacts that were created here and that the service does not have, with their cells.
pub fn contacts_created_here(tx: &ReadTx, list: i64) -> Result<Vec<(i64, String)>> {
    let sql = format!(
        "SELECT c.id, {} FROM sync_base AS b CROSS JOIN contacts AS c ON c.id = b.id
         WHERE b.place = 6 AND b.cells IS NULL AND c.list_id = ?1
           AND NOT EXISTS (SELECT 1 FROM sync_ids AS i WHERE i.place = 6 AND i.id = b.id) ORDER BY c.id",
        cells_sql(tx.conn(), SyncedTable::Contacts, "c")?
    );
    tx.read_rows(&sql, [list], |row| Ok((row.get(0)?, row.get(1)?)))
}

/// Returns contacts that the service had in the list when both sides last agreed, and that the reading did not find in
/// it.
pub fn missing_contacts(tx: &ReadTx, list: i64) -> Result<Vec<i64>> {
    let mut statement = tx.conn().prepare_cached(
        "SELECT c.id FROM contacts AS c LEFT JOIN sync_ids AS i ON i.place = 6 AND i.id = c.id
         WHERE c.list_id = ?1 AND NOT EXISTS (SELECT 1 FROM sync_base AS b WHERE b.place = 6 AND b.id = +c.id)
           AND NOT EXISTS (SELECT 1 FROM sync_seen AS s WHERE s.place = 6 AND s.scope = ?1 AND s.remote_uid = coalesce(i.remote_uid, c.uid))
         UNION ALL
         SELECT b.id FROM sync_base AS b LEFT JOIN sync_ids AS i ON i.place = 6 AND i.id = b.id
         WHERE b.place = 6 AND b.list = ?1 AND coalesce(i.remote_uid, b.uid) IS NOT NULL
           AND NOT EXISTS (SELECT 1 FROM sync_seen AS s WHERE s.place = 6 AND s.scope = ?1 AND s.remote_uid = coalesce(i.remote_uid, b.uid))",
    )?;
    Ok(statement.query_map([list], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?)
}

/// Counts the contacts that the service should have in a list, according to what both sides last agreed.
pub fn count_expected(tx: &ReadTx, list: i64) -> Result<u64> {
    let count: i64 = tx.read_value(
        "SELECT (SELECT count(*) FROM contacts AS c WHERE c.list_id = ?1
                 AND NOT EXISTS (SELECT 1 FROM sync_base AS b WHERE b.place = 6 AND b.id = +c.id))
              + (SELECT count(*) FROM sync_base WHERE place = 6 AND list = ?1 AND cells IS NOT NULL)",
        [list],
    )?;
    Ok(count as u64)
}
