//! Stores what both sides last agreed on at the first local change, through temporary triggers on the writer's
//! connection.
//!
//! A row that is changed is first copied to `sync_base`. When it is changed back, the copy is deleted. What a sync
//! writes is not a local change.

use rusqlite::Connection;

use super::{SyncedTable, cells_sql, id_sql};
use crate::error::Result;

const TRACKED: [SyncedTable; 5] =
    [SyncedTable::Senders, SyncedTable::Lists, SyncedTable::Contacts, SyncedTable::OptOuts, SyncedTable::ShortLinks];

/// Creates the triggers if the account is connected to a service, and drops them otherwise.
pub(crate) fn update_triggers(conn: &Connection) -> Result<()> {
    let is_connected = conn.prepare_cached("SELECT 1 FROM connection")?.exists([])?;
    let installed = "SELECT 1 FROM sqlite_temp_schema WHERE type = 'trigger' AND name GLOB 'sync_*'";
    let is_installed = conn.prepare_cached(installed)?.exists([])?;
    for place in TRACKED {
        let table = place.table();
        for event in ["come", "change", "go"].iter().filter(|_| is_installed) {
            conn.execute_batch(&format!("DROP TRIGGER IF EXISTS temp.sync_{table}_{event}"))?;
        }
        if is_connected {
            create_triggers(conn, place)?;
        }
    }
    Ok(())
}

/// Marks all existing records as created here.
pub(super) fn mark_created_here(conn: &Connection) -> Result<()> {
    for place in TRACKED {
        let list = if place == SyncedTable::Contacts { "t.list_id" } else { "NULL" };
        conn.execute_batch(&format!(
            "INSERT OR IGNORE INTO sync_base (place, id, list) SELECT {}, {}, {list} FROM {} AS t",
            place.number(),
            id_sql(place, "t"),
            place.table()
        ))?;
    }
    Ok(())
}

fn create_triggers(conn: &Connection, place: SyncedTable) -> Result<()> {
    let (table, number) = (place.table(), place.number());
    let (old, new) = (cells_sql(conn, place, "old")?, cells_sql(conn, place, "new")?);
    let (old_id, new_id) = (id_sql(place, "old"), id_sql(place, "new"));
    let (old_list, new_list) =
        if place == SyncedTable::Contacts { ("old.list_id", "new.list_id") } else { ("NULL", "NULL") };
    let uid = match place {
        SyncedTable::Senders => "old.id",
        SyncedTable::OptOuts => "NULL",
        _ => "old.uid",
    };
    // The transaction's own step is the newest one, even while the transaction undoes another step.
    const LOCAL: &str = "(SELECT source FROM steps ORDER BY id DESC LIMIT 1) IS NOT 'sync'";
    let keep = format!(
        "INSERT OR IGNORE INTO sync_base (place, id, list, uid, cells) VALUES ({number}, {old_id}, {old_list}, {uid}, {old});"
    );
    let changed_back = format!(
        "DELETE FROM sync_base WHERE place = {number} AND id = {new_id} AND list IS {new_list} AND cells = {new};"
    );
    let made_here = format!("place = {number} AND id = {old_id} AND cells IS NULL");
    conn.execute_batch(&format!(
        "CREATE TEMP TRIGGER sync_{table}_come AFTER INSERT ON main.{table} WHEN {LOCAL} BEGIN
             INSERT OR IGNORE INTO sync_base (place, id, list) VALUES ({number}, {new_id}, {new_list});
             {changed_back}
         END;
         CREATE TEMP TRIGGER sync_{table}_change AFTER UPDATE ON main.{table} WHEN {LOCAL} BEGIN
             {keep}
             {changed_back}
         END;
         CREATE TEMP TRIGGER sync_{table}_go AFTER DELETE ON main.{table} WHEN {LOCAL} BEGIN
             {keep}
             DELETE FROM sync_base WHERE {made_here};
             DELETE FROM sync_answers WHERE place = {number} AND id = {old_id};
         END;"
    ))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use roost_model::time::Timestamp;
    use rusqlite::StatementStatus;

    use super::*;
    use crate::{
        change_log::{ActorKind, ChangeAction, ChangeLogEntry, Noun},
        db::{Db, UndoMemory, WriteOptions},
        error::StoreError,
        tables::sync::{
            changes::{self, ServiceState, SyncChange},
            connection::{self, ServiceConnection},
        },
    };

    fn connected() -> Db {
        let db = Db::in_memory().unwrap();
        act(
            &db,
            ActorKind::Sync,
            "INSERT INTO lists (id, uid, name, name_folded, created_at, updated_at) VALUES (1, 'L', 'A', 'a', 0, 0)",
        );
        let text = || "{}".to_owned();
        let service = ServiceConnection {
            uid: "u".to_owned(),
            name: "S".to_owned(),
            base_url: "http://localhost".to_owned(),
            header: "X".to_owned(),
            key_at: None,
            read_only: false,
            plain_http: false,
            paths: text(),
            rates: text(),
            capabilities: text(),
            learnt: text(),
        };
        db.write_quietly(|tx| connection::set(tx, &service)).unwrap();
        db.write_quietly(|tx| {
            tx.conn().execute_batch("DELETE FROM sync_base")?;
            Ok::<_, StoreError>(())
        })
        .unwrap();
        act(&db, ActorKind::Sync, &insert(1, "a"));
        db
    }

    fn insert(id: i64, name: &str) -> String {
        format!(
            "INSERT INTO contacts (id, uid, list_id, phone, firstname, created_at) VALUES ({id}, 'C{id}', 1, '+44770090000{id}', '{name}', 0)"
        )
    }

    fn act(db: &Db, source: ActorKind, sql: &str) {
        let stamp = WriteOptions { at: Timestamp::from_unix(1), source, memory: UndoMemory::On, watch: None };
        db.write(stamp, |tx| {
            tx.log_change(ChangeLogEntry::bulk(Noun::Contact, ChangeAction::Updated, 1));
            Ok::<_, StoreError>(tx.conn().execute_batch(sql)?)
        })
        .unwrap();
    }

    fn touched(db: &Db) -> Vec<SyncChange<i64>> {
        db.read(|tx| changes::read_all(tx, SyncedTable::Contacts)).unwrap()
    }

    #[test]
    fn the_agreed_version_is_kept_from_the_first_change_until_it_is_changed_back() {
        let db = connected();
        assert!(touched(&db).is_empty(), "what a sync brings is agreed on");
        act(&db, ActorKind::User, "UPDATE contacts SET firstname = 'b'");
        act(&db, ActorKind::User, "UPDATE contacts SET firstname = 'c \"quoted\"', updated_at = 5");
        let cells = |name: &str| Some(format!(r#"{{"phone_number":"+447700900001","firstname":"{name}"}}"#));
        let [one] = &touched(&db)[..] else { panic!("one change") };
        assert_eq!((&one.base, &one.local), (&cells("a"), &cells("c \\\"quoted\\\"")));
        assert_eq!((one.uid.as_deref(), &one.at_service), (Some("C1"), &ServiceState::AsAgreed));
        act(&db, ActorKind::User, "UPDATE contacts SET firstname = 'a'");
        assert!(touched(&db).is_empty());
    }

    #[test]
    fn what_is_made_and_deleted_here_leaves_nothing_and_what_was_agreed_on_stays_known() {
        let db = connected();
        act(&db, ActorKind::User, &insert(2, "x"));
        let [made] = &touched(&db)[..] else { panic!("one change") };
        assert_eq!((made.id, &made.base, &made.uid), (2, &None, &None), "nobody there knows it");
        act(&db, ActorKind::User, "DELETE FROM contacts");
        let [deleted] = &touched(&db)[..] else { panic!("one change") };
        assert_eq!((deleted.id, deleted.uid.as_deref(), &deleted.local, deleted.list), (1, Some("C1"), &None, Some(1)));
        act(&db, ActorKind::User, &insert(1, "a"));
        assert!(touched(&db).is_empty(), "it came back as it was");
    }

    #[test]
    fn a_change_costs_the_same_however_much_was_changed_before() {
        let db = connected();
        let mut made = 1;
        let mut cost = |until: i64| {
            let mut steps = 0;
            let stamp = WriteOptions {
                at: Timestamp::from_unix(1),
                source: ActorKind::User,
                memory: UndoMemory::On,
                watch: None,
            };
            db.write(stamp, |tx| {
                tx.log_change(ChangeLogEntry::bulk(Noun::Contact, ChangeAction::Created, 1));
                while made < until {
                    made += 1;
                    let sql =
                        "INSERT INTO contacts (id, uid, list_id, phone, created_at) VALUES (?1, 'C' || ?1, 1, ?1, 0)";
                    let mut insert = tx.conn().prepare(sql)?;
                    insert.execute([made])?;
                    steps = insert.get_status(StatementStatus::VmStep);
                }
                Ok::<_, StoreError>(())
            })
            .unwrap();
            steps
        };
        let (few, many) = (cost(10), cost(2_000));
        assert!(many < few + few / 10, "{few} steps of SQLite's machine became {many}");
    }
}
