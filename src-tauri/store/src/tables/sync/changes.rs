//! The records on which the two sides differ: what they last agreed on, and what each side has now.

use rusqlite::{ToSql, params, types::FromSql};

use super::{SyncedTable, answers, cells_sql, ids, local, scopes};
use crate::{
    error::Result,
    tx::{ReadTx, WriteTx},
};

/// The state of a record at the service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServiceState {
    AsAgreed,
    Deleted,
    Changed(String),
}

impl ServiceState {
    /// Returns the cells of a record that changed at the service.
    pub fn cells(&self) -> Option<&str> {
        match self {
            Self::Changed(cells) => Some(cells),
            Self::AsAgreed | Self::Deleted => None,
        }
    }
}

/// A record that differs from what both sides last agreed on. Cells are JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyncChange<I> {
    pub id: I,
    /// The list of a contact. For a contact that is deleted here, the list that it was in.
    pub list: Option<i64>,
    /// The list that the contact is in at the service, if it was moved here.
    pub was_in: Option<i64>,
    /// The service's identifier. `None` for a record that was created here.
    pub uid: Option<String>,
    /// The cells that both sides agreed on. `None` for a record that was created here.
    pub base: Option<String>,
    pub local: Option<String>,
    pub at_service: ServiceState,
}

fn changes_sql(tx: &ReadTx, place: SyncedTable, touched: &str) -> Result<String> {
    let (number, table) = (place.number(), place.table());
    let (list, uid) = match place {
        SyncedTable::Contacts => ("live.list_id", "live.uid"),
        SyncedTable::Senders => ("NULL", "live.id"),
        SyncedTable::OptOuts => ("NULL", "NULL"),
        SyncedTable::Lists | SyncedTable::ShortLinks => ("NULL", "live.uid"),
    };
    let same = match place {
        SyncedTable::OptOuts => {
            "live.number = substr(t.id, 1, instr(t.id, ' ') - 1) AND live.number || ' ' || live.channel || ' ' || live.scope = t.id"
        }
        _ => "live.id = t.id",
    };
    let cells = cells_sql(tx.conn(), place, "live")?;
    Ok(format!(
        "SELECT t.id, coalesce({list}, b.list), iif(b.cells IS NOT NULL AND b.list <> {list}, b.list, NULL),
                coalesce(i.remote_uid, iif(b.id IS NULL, {uid}, b.uid)), b.id IS NOT NULL, b.cells,
                iif(live.id IS NULL, NULL, {cells}), r.id IS NOT NULL, r.cells
         FROM ({touched}) AS t LEFT JOIN {table} AS live ON {same}
         LEFT JOIN sync_base AS b ON b.place = {number} AND b.id = t.id
         LEFT JOIN sync_remote AS r ON r.place = {number} AND r.id = t.id
         LEFT JOIN sync_ids AS i ON i.place = {number} AND i.id = t.id"
    ))
}

fn row_to_change<I: FromSql>(row: &rusqlite::Row) -> rusqlite::Result<SyncChange<I>> {
    let local: Option<String> = row.get(6)?;
    let at_service = match (row.get(7)?, row.get(8)?) {
        (false, _) => ServiceState::AsAgreed,
        (true, None) => ServiceState::Deleted,
        (true, Some(cells)) => ServiceState::Changed(cells),
    };
    // Without a stored copy, both sides agreed on the present local cells.
    let base = if row.get(4)? { row.get(5)? } else { local.clone() };
    let (id, list, was_in, uid) = (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
    Ok(SyncChange { id, list, was_in, uid, base, local, at_service })
}

/// Builds the query for all changed records. The ids are sorted before the cells are joined, so that no sorter has to
/// carry the cells.
fn all_sql(tx: &ReadTx, place: SyncedTable) -> Result<String> {
    let number = place.number();
    let touched = format!(
        "SELECT id FROM sync_base WHERE place = {number} UNION SELECT id FROM sync_remote WHERE place = {number} ORDER BY id"
    );
    changes_sql(tx, place, &touched)
}

/// Reads all records of a table that one side changed, by id.
pub fn read_all<I: FromSql>(tx: &ReadTx, place: SyncedTable) -> Result<Vec<SyncChange<I>>> {
    let mut all = Vec::new();
    visit_all(tx, place, |touched| all.push(touched))?;
    Ok(all)
}

/// Visits all records of a table that one side changed, by id.
pub fn visit_all<I: FromSql>(tx: &ReadTx, place: SyncedTable, mut take: impl FnMut(SyncChange<I>)) -> Result<()> {
    let mut statement = tx.conn().prepare_cached(&all_sql(tx, place)?)?;
    for touched in statement.query_map([], row_to_change)? {
        take(touched?);
    }
    Ok(())
}

/// Reads one record, changed or not. A record that neither side knows has neither base nor local cells.
pub fn read_record<I: FromSql + ToSql>(tx: &ReadTx, place: SyncedTable, id: I) -> Result<SyncChange<I>> {
    let sql = changes_sql(tx, place, "SELECT ?1 AS id")?;
    tx.read_row(&sql, [id], row_to_change)
}

/// Returns whether the service has a record, as far as is known. It has neither a record that was created here and
/// never sent, nor one that was deleted there.
pub fn exists_at_service(tx: &ReadTx, place: SyncedTable, id: i64) -> Result<bool> {
    tx.read_value(
        "SELECT NOT EXISTS (SELECT 1 FROM sync_base WHERE place = ?1 AND id = ?2 AND cells IS NULL)
            AND NOT EXISTS (SELECT 1 FROM sync_remote WHERE place = ?1 AND id = ?2 AND cells IS NULL)",
        params![place.number(), id],
    )
}

/// Returns the ids of a number's opt-outs on a channel that one side changed. `beginning` is the id up to the channel.
pub fn changed_opt_outs(tx: &ReadTx, beginning: &str) -> Result<Vec<String>> {
    let mut statement = tx.conn().prepare_cached(
        "SELECT id FROM sync_base WHERE place = 7 AND id >= ?1 || ' ' AND id < ?1 || '!'
         UNION SELECT id FROM sync_remote WHERE place = 7 AND id >= ?1 || ' ' AND id < ?1 || '!'",
    )?;
    Ok(statement.query_map([beginning], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?)
}

/// Returns the contacts of a list that changed at the service and no longer differ here from what was agreed on.
pub fn contacts_changed_only_at_service(tx: &ReadTx, list: i64) -> Result<Vec<i64>> {
    tx.read_rows(
        "SELECT r.id FROM sync_remote AS r JOIN contacts AS c ON c.id = r.id WHERE r.place = ?1 AND c.list_id = ?2
            AND NOT EXISTS (SELECT 1 FROM sync_base AS b WHERE b.place = ?1 AND b.id = r.id)",
        params![SyncedTable::Contacts.number(), list],
        |row| row.get(0),
    )
}

/// Counts the contacts that were changed here.
pub fn count_changed_contacts(tx: &ReadTx) -> Result<u64> {
    Ok(tx.read_value::<i64>("SELECT count(*) FROM sync_base WHERE list IS NOT NULL", [])? as u64)
}

/// Counts the records that wait to be sent, and those that wait for a decision.
pub fn count_pending(tx: &ReadTx) -> Result<(u64, u64)> {
    tx.read_row("SELECT (SELECT count(*) FROM sync_base), (SELECT count(*) FROM sync_remote)", [], |row| {
        Ok((row.get::<_, i64>(0)? as u64, row.get::<_, i64>(1)? as u64))
    })
}

/// Records that both sides agree on `cells` from now on, or that neither has the record. A local difference is a
/// change.
pub fn set_agreed<I: FromSql + ToSql + Clone>(
    tx: &WriteTx,
    place: SyncedTable,
    id: &I,
    list: Option<i64>,
    uid: Option<&str>,
    cells: Option<&str>,
) -> Result<()> {
    let now = read_record(tx, place, id.clone())?;
    if now.local.as_deref() == cells && (now.local.is_none() || now.list == list || list.is_none()) {
        drop_base(tx, place, id)?;
    } else {
        tx.execute_sql(
            "INSERT OR REPLACE INTO sync_base (place, id, list, uid, cells) VALUES (?1, ?2, ?3, ?4, ?5)",
            params![place.number(), id, list, uid, cells],
        )?;
    }
    set_service_state(tx, place, id, &ServiceState::AsAgreed)
}

/// Deletes the agreed state, and with it the holds and refusals of a change that no longer exists.
fn drop_base(tx: &WriteTx, place: SyncedTable, id: &impl ToSql) -> Result<()> {
    for table in ["sync_base WHERE", "sync_quarantine WHERE", "sync_answers WHERE about = 'held' AND"] {
        tx.execute_sql(&format!("DELETE FROM {table} place = ?1 AND id = ?2"), params![place.number(), id])?;
    }
    Ok(())
}

/// Forgets a record that neither side has any more, or that only this side ever had.
pub fn forget_record(tx: &WriteTx, place: SyncedTable, id: i64) -> Result<()> {
    drop_base(tx, place, &id)?;
    set_service_state(tx, place, &id, &ServiceState::AsAgreed)?;
    answers::set_answer(tx, place, &id, answers::SUPERSEDED_BY, None)?;
    answers::set_answer(tx, place, &id, answers::DELETION_SENT, None)?;
    ids::forget_mapping(tx, place, id)
}

/// Treats a record as created here, because the service no longer has it. A record that is gone here too is forgotten.
pub fn mark_record_new(tx: &WriteTx, place: SyncedTable, id: i64, list: Option<i64>) -> Result<()> {
    forget_record(tx, place, id)?;
    set_agreed(tx, place, &id, list, None, None)
}

/// Treats a list and its contacts as created here, because the service no longer has the list.
pub fn mark_list_new(tx: &WriteTx, list: i64) -> Result<()> {
    local::mark_contacts_new(tx, list)?;
    mark_record_new(tx, SyncedTable::Lists, list, None)?;
    scopes::forget_scope(tx, SyncedTable::Contacts, list)
}

/// Returns whether a record was restored here after its deletion was sent, so that the deletion is the reason why the
/// service no longer has it.
pub fn is_restored(tx: &ReadTx, place: SyncedTable, id: i64) -> Result<bool> {
    Ok(answers::is_deletion_sent(tx, place, id)? && read_record::<i64>(tx, place, id)?.local.is_some())
}

/// Stores the state of a record at the service that cannot be merged yet.
pub fn set_service_state(tx: &WriteTx, place: SyncedTable, id: &impl ToSql, state: &ServiceState) -> Result<()> {
    let cells = match state {
        ServiceState::AsAgreed => {
            tx.execute_sql("DELETE FROM sync_remote WHERE place = ?1 AND id = ?2", params![place.number(), id])?;
            return Ok(());
        }
        ServiceState::Deleted => None,
        ServiceState::Changed(cells) => Some(cells),
    };
    tx.conn()
        .prepare_cached("INSERT OR REPLACE INTO sync_remote (place, id, cells) VALUES (?1, ?2, ?3)")?
        .execute(params![place.number(), id, cells])?;
    Ok(())
}

/// Links a contact that was deleted and created again to the record of the service. `id` takes the place of `of`.
pub fn adopt_record(tx: &WriteTx, id: i64, deleted: i64, uid: &str) -> Result<()> {
    let old: Option<(Option<i64>, Option<String>)> = tx.find_row(
        "SELECT list, cells FROM sync_base WHERE place = ?1 AND id = ?2",
        params![SyncedTable::Contacts.number(), deleted],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    let at_service = read_record(tx, SyncedTable::Contacts, deleted)?.at_service;
    forget_record(tx, SyncedTable::Contacts, deleted)?;
    ids::set_mapping(tx, SyncedTable::Contacts, id, uid)?;
    if let Some((list, cells)) = old {
        set_agreed(tx, SyncedTable::Contacts, &id, list, Some(uid), cells.as_deref())?;
    }
    set_service_state(tx, SyncedTable::Contacts, &id, &at_service)
}

/// Records that another record of the service takes the place of this one. The present record counts as created here,
/// and the old one as deleted here under a new number, so that the deletion is remembered until the service no longer
/// has it. Returns that number.
pub fn supersede_record(tx: &WriteTx, place: SyncedTable, id: i64) -> Result<Option<i64>> {
    let known = read_record::<i64>(tx, place, id)?;
    let (Some(base), Some(uid)) = (&known.base, &known.uid) else { return Ok(None) };
    let home = known.was_in.or(known.list);
    let old: i64 =
        tx.read_value("UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = ?1 RETURNING seq", [place.table()])?;
    let mut keep = tx
        .conn()
        .prepare_cached("INSERT OR REPLACE INTO sync_base (place, id, list, uid, cells) VALUES (?1, ?2, ?3, ?4, ?5)")?;
    keep.execute(params![place.number(), old, home, uid, base])?;
    keep.execute(params![place.number(), id, known.list, None::<String>, None::<String>])?;
    ids::forget_mapping(tx, place, id)?;
    ids::set_mapping(tx, place, old, uid)?;
    set_service_state(tx, place, &old, &known.at_service)?;
    set_service_state(tx, place, &id, &ServiceState::AsAgreed)?;
    answers::set_answer(tx, place, &old, answers::SUPERSEDED_BY, Some(&id.to_string()))?;
    Ok(Some(old))
}

#[cfg(test)]
mod tests {
    use roost_model::time::Timestamp;

    use super::*;
    use crate::{
        change_log::ActorKind,
        db::{Db, UndoMemory, WriteOptions},
    };

    /// Returns SQLite's query plan.
    fn ways(tx: &ReadTx, sql: &str) -> Vec<String> {
        let mut statement = tx.conn().prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        statement.query_map([], |row| row.get(3)).unwrap().collect::<rusqlite::Result<_>>().unwrap()
    }

    #[test]
    fn the_queries_for_changes_never_scan_unchanged_records() {
        let db = Db::in_memory().unwrap();
        db.read(|tx| {
            for place in [
                SyncedTable::Senders,
                SyncedTable::Lists,
                SyncedTable::Contacts,
                SyncedTable::OptOuts,
                SyncedTable::ShortLinks,
            ] {
                let ways = ways(tx, &all_sql(tx, place)?);
                assert!(
                    !ways.iter().any(|way| way.starts_with("SCAN live") || way.contains("TEMP B-TREE")),
                    "{ways:#?}"
                );
            }
            let count = ways(tx, "SELECT count(*) FROM sync_base WHERE list IS NOT NULL");
            assert!(count[0].contains("COVERING INDEX sync_base_by_list"), "{count:?}");
            Ok::<_, crate::error::StoreError>(())
        })
        .unwrap();
    }

    #[test]
    fn a_record_is_at_the_service_unless_it_was_never_sent_or_was_deleted_there() {
        let db = Db::in_memory().unwrap();
        let stamp =
            WriteOptions { at: Timestamp::from_unix(1), source: ActorKind::Sync, memory: UndoMemory::On, watch: None };
        db.write(stamp, |tx| {
            let place = SyncedTable::ShortLinks;
            let keep = "INSERT INTO sync_base (place, id, cells) VALUES (?1, ?2, ?3)";
            tx.conn().execute(keep, params![place.number(), 1, None::<String>])?;
            tx.conn().execute(keep, params![place.number(), 2, "{}"])?;
            tx.conn().execute(keep, params![SyncedTable::Lists.number(), 3, None::<String>])?;
            set_service_state(tx, place, &4, &ServiceState::Deleted)?;
            set_service_state(tx, place, &5, &ServiceState::Changed("{}".to_owned()))?;
            let found = (1..=6).map(|id| exists_at_service(tx, place, id)).collect::<Result<Vec<_>>>()?;
            assert_eq!(found, [false, true, true, false, true, true]);
            Ok::<_, crate::error::StoreError>(())
        })
        .unwrap();
    }
}
