//! Opens an account file and acts according to the state it is in.

mod creation;
pub mod image;
pub mod upkeep;

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use roost_model::error::shell::quote_path;
use rusqlite::{
    Connection, ErrorCode, MAIN_DB, OpenFlags,
    backup::{Backup, StepResult},
    config::DbConfig,
    ffi,
};

use self::image::Image;
use crate::{
    error::{Result, StoreError},
    files::{
        companions,
        copies::{self, CopyReason},
        header::{self, FileOrigin, HEAD_LENGTH},
        lock::{FileLock, HeldFile, with_suffix},
        output, write_ahead_log,
    },
    migrations::{Migrations, SchemaStatus},
    page_cache, schema,
    tables::sync,
    text_functions,
};

/// How long a statement waits for another program that reads the file.
const BUSY_TIMEOUT: Duration = Duration::from_secs(2);
const STATEMENT_CACHE_SIZE: usize = 128;
/// Files up to this size are checked page by page on opening. This takes about a quarter of a second and finds damage
/// before it spreads into copies.
pub(crate) const FULL_CHECK_MAX: u64 = 128 << 20;

/// An open file: its writer, a few readers, and the lock that keeps other processes out.
pub(crate) struct OpenedFile {
    pub readers: Vec<Connection>,
    pub writer: Connection,
    pub lock: FileLock,
    /// The copy of the account that was made because its log was damaged.
    pub damaged_log_copy: Option<PathBuf>,
}

/// Sets the pragmas of every connection. `adr/0003` gives the reason for each.
pub(crate) fn prepare_connection(conn: &Connection) -> rusqlite::Result<()> {
    conn.busy_timeout(BUSY_TIMEOUT)?;
    conn.set_prepared_statement_cache_capacity(STATEMENT_CACHE_SIZE);
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    conn.execute_batch(&format!(
        "PRAGMA foreign_keys = ON;
         PRAGMA trusted_schema = OFF;
         PRAGMA cell_size_check = ON;
         PRAGMA temp_store = MEMORY;
         PRAGMA cache_size = -{};
         PRAGMA synchronous = FULL;
         PRAGMA fullfsync = ON;
         PRAGMA checkpoint_fullfsync = ON;
         PRAGMA journal_size_limit = 67108864;",
        page_cache::USUAL_KIB
    ))?;
    text_functions::install_functions(conn)?;
    sync::install_functions(conn)
}

/// Creates a database in memory and runs the migrations on it.
pub(crate) fn migrated_in_memory(steps: &Migrations) -> Result<Connection> {
    let mut conn = Connection::open_in_memory()?;
    prepare_connection(&conn)?;
    steps.run_missing(&mut conn, Path::new(":memory:"))?;
    Ok(conn)
}

/// Creates an empty database in memory, without the size limit of one that was loaded.
pub(crate) fn in_memory() -> Result<Connection> {
    let mut conn = Connection::open_in_memory()?;
    copy_database(&load_image(Image::empty()?)?, &mut conn)?;
    prepare_connection(&conn)?;
    Ok(conn)
}

/// Images up to this size are loaded directly, which takes a tenth of the time of a copy. SQLite lets a loaded database
/// grow to one gibibyte and no further, so a large one is copied instead.
const LOADED_MAX: usize = 256 << 20;

/// Loads an image into a database in memory and prepares the connection.
pub(crate) fn from_image(image: &Image) -> Result<Connection> {
    let loaded = load_image(image)?;
    let conn = if image.bytes().len() <= LOADED_MAX {
        loaded
    } else {
        let mut conn = Connection::open_in_memory()?;
        copy_database(&loaded, &mut conn)?;
        conn
    };
    prepare_connection(&conn)?;
    Ok(conn)
}

/// Images from this size on leave memory when [`from_image_beside_memory`] loads them.
const FILED_MIN: usize = 8 << 20;

/// Loads an image. A large one goes into a temporary file without a name, of which only the pages in use are in memory,
/// so that many copies of a large account do not use up the memory. Without room for the file, it stays in memory.
pub(crate) fn from_image_beside_memory(image: &Image) -> Result<Connection> {
    match image.bytes().len() >= FILED_MIN {
        true => in_temporary_file(image).or_else(|_| from_image(image)),
        false => from_image(image),
    }
}

/// SQLite removes the file when it opens it, so that nothing is left of it.
fn in_temporary_file(image: &Image) -> Result<Connection> {
    let mut conn = Connection::open("")?;
    conn.execute_batch(&format!("PRAGMA journal_mode = MEMORY; PRAGMA cache_size = -{}", page_cache::USUAL_KIB))?;
    copy_database(&load_image(image)?, &mut conn)?;
    prepare_connection(&conn)?;
    Ok(conn)
}

/// Loads an image without preparing the connection for an account.
pub(crate) fn load_image(image: &Image) -> Result<Connection> {
    let mut conn = Connection::open_in_memory()?;
    conn.deserialize_read_exact(MAIN_DB, image.bytes(), image.bytes().len(), false)?;
    Ok(conn)
}

/// Replaces one database by another, page by page, in one commit.
pub(crate) fn copy_database(from: &Connection, to: &mut Connection) -> Result<()> {
    match Backup::new(from, to)?.step(-1)? {
        StepResult::Done => Ok(()),
        _ => Err(rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_BUSY), None).into()),
    }
}

/// Deletes what no copy needs: the undo memory of the original.
const DELETE_HISTORY: &str = "BEGIN;
     DELETE FROM row_changes;
     DELETE FROM steps;
     DELETE FROM connection;
     COMMIT;";

/// Ends the work that two accounts must not both do: queued jobs and owed callbacks.
const END_WORK: &str = "BEGIN;
     DELETE FROM jobs WHERE state = 'queued';
     UPDATE callbacks SET state = 'given_up', next_at = NULL WHERE state = 'waiting';
     COMMIT;";
const HAS_WORK: &str = "SELECT EXISTS (SELECT 1 FROM jobs WHERE state = 'queued')
     OR EXISTS (SELECT 1 FROM callbacks WHERE state = 'waiting')";

/// Copies a database into memory, page by page, so that ids, numbers and codes that are used up stay used up.
pub(crate) fn copy_in_memory(from: &Connection) -> Result<Connection> {
    let mut conn = Connection::open_in_memory()?;
    copy_database(from, &mut conn)?;
    prepare_connection(&conn)?;
    conn.execute_batch(DELETE_HISTORY)?;
    conn.execute_batch(END_WORK)?;
    Ok(conn)
}

pub(crate) fn has_work(conn: &Connection) -> rusqlite::Result<bool> {
    conn.query_row(HAS_WORK, [], |row| row.get(0))
}

/// Loads an image and ends its queued work.
pub(crate) fn without_work(image: &Image) -> Result<Connection> {
    let conn = from_image(image)?;
    conn.execute_batch(END_WORK)?;
    Ok(conn)
}

pub(crate) fn open_file(path: &Path, readers: usize, steps: &Migrations) -> Result<OpenedFile> {
    if path.is_dir() {
        return Err(StoreError::NoPlace { path: path.to_owned(), why: "it is a folder" });
    }
    if path.is_symlink() && !path.exists() {
        let why = "it is a symbolic link to a file that does not exist";
        return Err(StoreError::NoPlace { path: path.to_owned(), why });
    }
    // The lock, the copies and files that are set aside belong to the file itself, whatever link led to it.
    let path = &output::resolve_links(path);
    let lock = lock_account(path, steps)?;
    copies::remove_unfinished(path);
    let damaged_log_copy = keep_damaged_log(path)?;
    let writer = match open_writer(path, steps) {
        Err(StoreError::Damaged(cause)) => {
            return Err(damaged_error(path, format!("SQLite cannot read all of its pages ({cause})")));
        }
        other => other?,
    };
    let readers = (0..readers).map(|_| open_reader(path)).collect::<Result<_>>()?;
    lock.check_file_in_place()?;
    Ok(OpenedFile { readers, writer, lock, damaged_log_copy })
}

/// Keeps a copy of a damaged log, because SQLite drops what it cannot read of it.
fn keep_damaged_log(path: &Path) -> Result<Option<PathBuf>> {
    let (log, index) = (with_suffix(path, companions::LOG), with_suffix(path, companions::INDEX));
    let found = write_ahead_log::find_damage(&log, &index);
    let Some(damage) = found.map_err(|source| StoreError::Io { path: log, source })? else { return Ok(None) };
    let copy = copies::keep_damaged_log(path)?;
    tracing::error!(
        account = %path.display(), copy = %copy.display(), frame = damage.frame, frames = damage.frames,
        "the log of the account was damaged: changes after that frame are lost. The account and the log were copied before it was opened"
    );
    Ok(Some(copy))
}

/// Locks an account file, and creates it first if there is none. Refuses any other file without changing it.
fn lock_account(path: &Path, steps: &Migrations) -> Result<FileLock> {
    if !path.exists() {
        return creation::create_account(path, steps);
    }
    let held = HeldFile::acquire(path)?;
    let head = held.read_head(HEAD_LENGTH)?;
    if header::detect_origin(&head) == FileOrigin::Empty {
        drop(held);
        return creation::create_account(path, steps);
    }
    if !companions::is_account(path, &head) {
        return Err(StoreError::Altered { path: path.to_owned(), detail: describe_foreign_file(path, &head) });
    }
    if header::detect_origin(&head) == FileOrigin::Roost && header::is_impossible(&head) {
        return Err(damaged_error(
            path,
            "its header (the first 100 bytes) holds values that no database has".to_owned(),
        ));
    }
    companions::check_companions(path, &head)?;
    held.lock_beside()
}

/// Explains why a file is not accepted as an account. It may be an account whose first page was overwritten.
pub(crate) fn describe_foreign_file(path: &Path, head: &[u8]) -> String {
    let mut detail = companions::describe_stranger(path, head);
    if let Some(copy) = copies::newest_sound_copy(path) {
        detail += &format!(
            "; the newest sound copy of an account of this name is {}. To go back to it, move {} to another folder and \
             run `roost account restore --db {} {}`",
            copy.display(),
            path.display(),
            quote_path(path),
            quote_path(&copy)
        );
    }
    detail
}

/// Builds the error for a damaged file, which names the way back. The file itself stays where it is.
pub(crate) fn damaged_error(path: &Path, detail: String) -> StoreError {
    let file = quote_path(path);
    let way_back = match copies::newest_sound_copy(path) {
        Some(copy) => format!(
            "The newest sound copy is {}. To go back to it, run `roost set-aside --db {file}`, then `roost account \
             restore --db {file} {}`.",
            copy.display(),
            quote_path(&copy)
        ),
        None => {
            format!("No sound copy is beside it. Run `roost set-aside --db {file}`, then put a backup in its place.")
        }
    };
    StoreError::Corrupt { path: path.to_owned(), detail, way_back }
}

/// Opens for writing and upgrades the schema. A file that is not an account, or whose schema is too new, is only read.
fn open_writer(path: &Path, steps: &Migrations) -> Result<Connection> {
    let cannot_write = |error: rusqlite::Error| match error.sqlite_error_code() {
        Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied | ErrorCode::ReadOnly) => {
            StoreError::ReadOnly { path: path.to_owned() }
        }
        _ => StoreError::from(error),
    };
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut conn = Connection::open_with_flags(path, flags).map_err(cannot_write)?;
    if conn.is_readonly("main")? {
        return Err(StoreError::ReadOnly { path: path.to_owned() });
    }
    conn.busy_timeout(BUSY_TIMEOUT)?;
    let examine = || {
        // The first read fails if the file is not a database.
        let status = match steps.schema_status(&conn).map_err(cannot_write)? {
            SchemaStatus::Newer { version } => {
                return Err(StoreError::TooNew {
                    path: path.to_owned(),
                    found: version,
                    known: steps.newest_version(),
                });
            }
            SchemaStatus::Altered { detail } => return Err(StoreError::Altered { path: path.to_owned(), detail }),
            status @ (SchemaStatus::Fresh | SchemaStatus::Older { .. } | SchemaStatus::Current) => status,
        };
        check_pages(&conn, path)?;
        if status == SchemaStatus::Current
            && let Some(detail) = schema::find_difference(&conn, steps)?
        {
            return Err(StoreError::Altered { path: path.to_owned(), detail });
        }
        Ok(status)
    };
    // These statements are correct, so if SQLite refuses one, the file is damaged.
    let status = examine().map_err(|error| match error {
        StoreError::Sql(cause) => StoreError::Damaged(cause),
        other => other,
    })?;
    enable_write_ahead_log(&conn).map_err(cannot_write)?;
    prepare_connection(&conn)?;
    if let SchemaStatus::Older { version } = status {
        let copy = copies::make_copy(&conn, path, CopyReason::Upgrade(version))?;
        tracing::info!(copy = %copy.display(), version, "kept a copy of the older account file");
    }
    if status != SchemaStatus::Current {
        steps.run_missing(&mut conn, path)?;
    }
    Ok(conn)
}

/// Turns the write-ahead log on, and gives a file of an earlier version a number for its commits. Each is one write
/// into the first page, which needs no rollback journal, so Roost never leaves one.
fn enable_write_ahead_log(conn: &Connection) -> rusqlite::Result<()> {
    let mark: i32 = conn.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    let mode: String = conn.query_row("PRAGMA journal_mode", [], |row| row.get(0))?;
    if mark == 0 || mode != "wal" {
        match conn.query_row("PRAGMA journal_mode = OFF", [], |_| Ok(())) {
            // Another program reads the file, so its log stays. The commit numbers continue from 0.
            Err(why) if mode == "wal" && why.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => return Ok(()),
            turned_off => turned_off?,
        }
    }
    if mark == 0 {
        conn.pragma_update(None, "user_version", header::random_commit_number(conn)?)?;
    }
    conn.execute_batch("PRAGMA journal_mode = WAL;")
}

/// Checks every page for damage unless the file is too large for that.
fn check_pages(conn: &Connection, path: &Path) -> Result<()> {
    if fs::metadata(path).is_ok_and(|file| file.len() > FULL_CHECK_MAX) {
        return Ok(());
    }
    let found: String = conn.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if found == "ok" {
        return Ok(());
    }
    let code = ffi::Error::new(ffi::SQLITE_CORRUPT);
    Err(StoreError::Damaged(rusqlite::Error::SqliteFailure(code, Some(found))))
}

/// Opens one more connection that only reads.
pub(crate) fn open_reader(path: &Path) -> Result<Connection> {
    let conn = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    prepare_connection(&conn)?;
    Ok(conn)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    const LATER: (&str, &str) =
        ("V901__colour", "ALTER TABLE lists ADD COLUMN colour TEXT; UPDATE lists SET colour = 'red'");
    const LATEST: (&str, &str) = ("V902__notes", "CREATE TABLE notes (text TEXT)");

    /// Creates an account file of the shipped schema with one list.
    fn older(folder: &Path) -> PathBuf {
        let path = folder.join("account.roost");
        let opened = open_file(&path, 1, &Migrations::shipped()).unwrap();
        let list =
            "INSERT INTO lists (uid, name, name_folded, created_at, updated_at) VALUES ('LST_1', 'VIP', 'vip', 0, 0)";
        opened.writer.execute_batch(list).unwrap();
        path
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> =
            fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.retain(|name| !name.ends_with(".lock"));
        names.sort();
        names
    }

    fn text(conn: &Connection, sql: &str) -> String {
        conn.query_row(sql, [], |row| row.get(0)).unwrap()
    }

    #[test]
    fn an_older_file_is_copied_and_then_brought_up() {
        let folder = tempfile::tempdir().unwrap();
        let path = older(folder.path());
        let opened = open_file(&path, 1, &Migrations::shipped_and(&[LATER, LATEST])).unwrap();
        assert_eq!(text(&opened.writer, "SELECT name || colour FROM lists"), "VIPred");
        assert_eq!(text(&opened.writer, "PRAGMA integrity_check"), "ok");
        drop(opened);
        let (names, shipped) = (names(folder.path()), Migrations::shipped().newest_version());
        assert_eq!(names.len(), 2, "{names:?}");
        assert!(
            names[1].starts_with(&format!("account.roost.v{shipped}-")) && names[1].ends_with(".backup"),
            "{names:?}"
        );
        let copy = open_file(&folder.path().join(&names[1]), 1, &Migrations::shipped()).unwrap();
        assert_eq!(text(&copy.writer, "SELECT name FROM lists"), "VIP");
        assert!(matches!(
            open_file(&path, 1, &Migrations::shipped()),
            Err(StoreError::TooNew { found: 902, known, .. }) if known == shipped
        ));
    }

    #[test]
    fn each_upgrade_has_its_copy() {
        let folder = tempfile::tempdir().unwrap();
        let path = older(folder.path());
        drop(open_file(&path, 1, &Migrations::shipped_and(&[LATER])).unwrap());
        let opened = open_file(&path, 1, &Migrations::shipped_and(&[LATER, LATEST])).unwrap();
        assert_eq!(text(&opened.writer, "SELECT name || colour FROM lists"), "VIPred");
        assert_eq!(text(&opened.writer, "SELECT count(*) || '' FROM notes"), "0");
        assert_eq!(
            names(folder.path()).iter().filter(|name| name.ends_with(".backup")).count(),
            2,
            "one copy before each"
        );
    }

    /// The migrations before it are undone as well: a file has either the old version or the new one.
    #[test]
    fn a_step_that_fails_leaves_the_older_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = older(folder.path());
        let broken = ("V902__broken", "UPDATE lists SET name = 'lost'; CREATE TABLE lists (id)");
        let refused = open_file(&path, 1, &Migrations::shipped_and(&[LATER, broken])).err().unwrap();
        assert!(refused.to_string().contains("account.roost"), "{refused}");
        let opened = open_file(&path, 1, &Migrations::shipped()).unwrap();
        assert_eq!(text(&opened.writer, "SELECT name FROM lists"), "VIP");
        assert_eq!(text(&opened.writer, "PRAGMA integrity_check"), "ok");
    }

    #[test]
    fn copies_of_the_same_second_are_all_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = older(folder.path());
        let before = fs::read(&path).unwrap();
        for _ in 0..3 {
            fs::write(&path, &before).unwrap();
            drop(open_file(&path, 1, &Migrations::shipped_and(&[LATER])).unwrap());
        }
        let names = names(folder.path());
        assert_eq!(names.len(), 4, "{names:?}");
    }

    /// The migration library panics at a time that it cannot parse.
    #[test]
    fn an_older_file_with_an_unreadable_history_is_altered() {
        let folder = tempfile::tempdir().unwrap();
        let path = older(folder.path());
        for change in ["applied_on = 'yesterday'", "checksum = 'none'", "name = 'other'"] {
            Connection::open(&path)
                .unwrap()
                .execute(&format!("UPDATE refinery_schema_history SET {change}"), [])
                .unwrap();
            let refused = open_file(&path, 1, &Migrations::shipped_and(&[LATER]));
            assert!(matches!(refused, Err(StoreError::Altered { .. })), "{change}");
        }
        assert_eq!(names(folder.path()), ["account.roost"], "nothing to copy: nothing is changed");
    }
}
