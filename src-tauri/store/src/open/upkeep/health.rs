//! Looks at an account file from outside: its companions, who holds it, its room, and how much waits in it. Nothing that
//! this returns is a value of a record.

#[cfg(unix)]
use std::os::unix::fs::MetadataExt;
use std::{
    fs,
    path::{Path, PathBuf},
};

use rusqlite::Connection;

use super::reading;
use crate::{
    error::{Result, StoreError},
    files::{
        companions, disk,
        identity::{FileId, is_open_here},
        lock::{read_lock_holder, with_suffix},
        looking::{self, can_write},
        output, whole_file,
    },
    migrations::Migrations,
    open,
    tables::sync::{changes, runs, scopes, screens::unsent_records},
    tx::ReadTx,
};

/// The suffix of the folder of the imports that are under way.
const IMPORTS: &str = ".imports";

/// An account file as the system sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileFacts {
    pub bytes: u64,
    /// The size of the write-ahead log, or nothing if there is none.
    pub log_bytes: Option<u64>,
    /// Whether a process has the account open, and which, where the system reports it.
    pub holder: Option<Option<u32>>,
    /// The permission bits, where the system has them.
    pub mode: Option<u32>,
    pub can_write: bool,
    pub can_write_folder: bool,
    /// The free bytes of the file system, where the system reports them.
    pub free_bytes: Option<u64>,
    /// Whether the system encrypts the disk, where it says so.
    pub is_disk_encrypted: Option<bool>,
}

/// What waits in an account, in numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WaitingWork {
    /// When everything was last read from the service, in seconds since 1970.
    pub pulled_at: Option<i64>,
    /// When the last run that ended did so.
    pub pushed_at: Option<i64>,
    pub open_run: Option<(i64, runs::RunState)>,
    /// Changes that were not sent.
    pub changes: u64,
    /// Records of which the service has another value, and a person decides.
    pub questions: u64,
    /// Records that the service refused.
    pub refused: u64,
    pub drafts: u64,
    pub jobs: u64,
    pub callbacks: u64,
    pub imports: u64,
}

/// The tables of an account with their numbers of rows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TableCounts {
    pub schema: i32,
    /// The tables that this program knows. Their names are those of the program.
    pub tables: Vec<(String, u64)>,
    /// How many other tables, indexes, triggers and views there are.
    pub unknown: u64,
    /// How many columns of custom fields the contacts have.
    pub custom_columns: u64,
}

/// Reads what the system knows about an account file. Opens nothing and changes nothing.
pub fn read_file_facts(path: &Path) -> Result<FileFacts> {
    let path = &output::resolve_links(path);
    let about = fs::metadata(path).map_err(|source| StoreError::Io { path: path.clone(), source })?;
    let length = |path: PathBuf| fs::metadata(path).ok().map(|about| about.len());
    let folder = whole_file::parent_folder(path);
    Ok(FileFacts {
        bytes: about.len(),
        log_bytes: length(with_suffix(path, companions::LOG)),
        holder: find_holder(path),
        #[cfg(unix)]
        mode: Some(about.mode() & 0o777),
        #[cfg(not(unix))]
        mode: None,
        can_write: can_write(path),
        can_write_folder: can_write(folder),
        free_bytes: looking::free_bytes(folder),
        is_disk_encrypted: disk::is_disk_encrypted(path),
    })
}

fn find_holder(path: &Path) -> Option<Option<u32>> {
    if is_open_here(path) {
        return Some(Some(std::process::id()));
    }
    let by_lock = FileId::from_path(path).ok().and_then(|id| id.lock_holder());
    by_lock.or_else(|| read_lock_holder(path)).map(Some)
}

/// Counts what waits in an account, open in another process or not.
pub fn count_waiting_work(path: &Path) -> Result<WaitingWork> {
    let mut waiting = reading::read_account(path, |tx, _| Ok(count_in_account(tx)))?;
    let imports = fs::read_dir(with_suffix(&output::resolve_links(path), IMPORTS));
    waiting.imports = imports.map_or(0, |entries| entries.count() as u64);
    Ok(waiting)
}

/// An older schema may lack the tables of later ones, so each number is read for itself.
fn count_in_account(tx: &ReadTx) -> WaitingWork {
    let number = |sql: &str| tx.conn().query_row(sql, [], |row| row.get::<_, Option<i64>>(0)).ok().flatten();
    let count = |sql: &str| number(sql).unwrap_or_default() as u64;
    let open = runs::find_open_run(tx).ok().flatten();
    let (changes, questions) = changes::count_pending(tx).unwrap_or_default();
    let (_, refused) = unsent_records::count_waiting(tx).unwrap_or_default();
    WaitingWork {
        pulled_at: scopes::read_pull_time(tx).ok().flatten(),
        pushed_at: number("SELECT max(ended_at) FROM sync_runs"),
        open_run: open.map(|run| (run.id, run.state)),
        changes,
        questions,
        refused,
        drafts: count("SELECT count(*) FROM drafts"),
        jobs: count("SELECT count(*) FROM jobs WHERE state = 'queued'"),
        callbacks: count("SELECT count(*) FROM callbacks WHERE state = 'waiting'"),
        imports: 0,
    }
}

/// Counts the rows of every table that this program knows.
pub fn count_tables(path: &Path) -> Result<TableCounts> {
    const NAMES: &str =
        "SELECT name FROM sqlite_schema WHERE type = ?1 AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name";
    let names = |conn: &Connection, kind: &str| -> Result<Vec<String>> {
        Ok(conn.prepare(NAMES)?.query_map([kind], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?)
    };
    let ideal = open::migrated_in_memory(&Migrations::shipped())?;
    reading::read_account(path, |tx, schema| {
        let conn = tx.conn();
        let mut found = TableCounts { schema, ..TableCounts::default() };
        for kind in ["table", "index", "trigger", "view"] {
            let known = names(&ideal, kind)?;
            let (ours, others): (Vec<_>, Vec<_>) =
                names(conn, kind)?.into_iter().partition(|name| known.contains(name));
            found.unknown += others.len() as u64;
            for name in ours.into_iter().filter(|_| kind == "table") {
                let rows: i64 = conn.query_row(&format!("SELECT count(*) FROM \"{name}\""), [], |row| row.get(0))?;
                found.tables.push((name, rows as u64));
            }
        }
        let columns = "SELECT count(*) FROM pragma_table_info('contacts') WHERE name GLOB 'field_[0-9]*'";
        found.custom_columns = conn.query_row(columns, [], |row| row.get::<_, i64>(0))? as u64;
        Ok(found)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::Db;

    #[test]
    fn what_a_file_holds_is_counted_without_its_values() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.roost");
        let open = Db::open(&path).unwrap();
        let insert =
            "INSERT INTO lists (uid, name, name_folded, created_at, updated_at) VALUES ('LST_1', 'VIP', 'vip', 0, 0);
             INSERT INTO contacts (uid, list_id, phone, created_at) VALUES ('CON_1', 1, '+447700900001', 0);
             INSERT INTO drafts (contact_id, field, text) VALUES (1, 'phone_number', '0770');
             CREATE TABLE \"secret notes\" (text TEXT)";
        Connection::open(&path).unwrap().execute_batch(insert).unwrap();
        assert_eq!(read_file_facts(&path).unwrap().holder, Some(Some(std::process::id())));
        let waiting = count_waiting_work(&path).unwrap();
        assert_eq!((waiting.drafts, waiting.questions, waiting.pulled_at, waiting.open_run), (1, 0, None, None));
        let counts = count_tables(&path).unwrap();
        assert_eq!((counts.unknown, counts.custom_columns), (1, 3));
        let rows = |name: &str| counts.tables.iter().find(|(table, _)| table == name).map(|(_, rows)| *rows);
        assert_eq!((rows("lists"), rows("contacts"), rows("secret notes")), (Some(1), Some(1), None));
        drop(open);
        let facts = read_file_facts(&path).unwrap();
        assert_eq!((facts.holder, facts.can_write), (None, true));
        #[cfg(unix)]
        assert_eq!((facts.mode, facts.free_bytes.is_some()), (Some(0o600), true));
    }
}
