//! Opening an account file: what state it is in decides what happens.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use chrono::Utc;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::{
    error::{Error, Result},
    lock::{FileLock, beside},
    migrate::{self, Standing},
    schema,
};

/// How long a statement waits for another program that looks into the file.
const PATIENCE: Duration = Duration::from_secs(2);
const STATEMENTS_KEPT: usize = 128;

/// An open file: its writer, a few readers, and the lock that keeps others out.
pub struct Opened {
    pub writer: Connection,
    pub readers: Vec<Connection>,
    pub lock: FileLock,
}

/// The pragmas of every connection; `adr/0003` says why each.
fn prepare(conn: &Connection) -> rusqlite::Result<()> {
    conn.busy_timeout(PATIENCE)?;
    conn.set_prepared_statement_cache_capacity(STATEMENTS_KEPT);
    conn.execute_batch(
        "PRAGMA foreign_keys = ON;
         PRAGMA trusted_schema = OFF;
         PRAGMA cell_size_check = ON;
         PRAGMA temp_store = MEMORY;
         PRAGMA cache_size = -8192;
         PRAGMA synchronous = FULL;
         PRAGMA journal_size_limit = 67108864;",
    )
}

/// A database of its own in memory, gone when dropped.
pub fn in_memory() -> Result<Connection> {
    let mut conn = Connection::open_in_memory()?;
    prepare(&conn)?;
    migrate::run(&mut conn, Path::new(":memory:"))?;
    Ok(conn)
}

pub fn file(path: &Path, readers: usize) -> Result<Opened> {
    let lock = FileLock::acquire(path)?;
    let mut writer = match examine(path) {
        Ok(conn) => conn,
        Err(Error::Damaged(cause)) => return Err(set_aside(path, &cause)?),
        Err(error) => return Err(error),
    };
    bring_up(&mut writer, path)?;
    let readers = (0..readers).map(|_| reader(path)).collect::<Result<_>>()?;
    Ok(Opened { writer, readers, lock })
}

/// Opens for writing and reads enough to know a damaged file.
fn examine(path: &Path) -> Result<Connection> {
    let conn = Connection::open(path).map_err(|error| match error.sqlite_error_code() {
        Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => Error::ReadOnly { path: path.to_owned() },
        _ => Error::from(error),
    })?;
    if conn.is_readonly("main")? {
        return Err(Error::ReadOnly { path: path.to_owned() });
    }
    conn.busy_timeout(PATIENCE)?;
    // The first read of the schema is where a file that is no database shows itself.
    conn.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
    conn.execute_batch("PRAGMA journal_mode = WAL;")?;
    prepare(&conn)?;
    Ok(conn)
}

fn bring_up(conn: &mut Connection, path: &Path) -> Result<()> {
    match migrate::standing(conn)? {
        Standing::Fresh => migrate::run(conn, path),
        Standing::Current => match schema::difference(conn)? {
            None => Ok(()),
            Some(detail) => Err(Error::Altered { path: path.to_owned(), detail }),
        },
        Standing::Older { version } => {
            let copy = migrate::back_up(conn, path, version, &stamp())?;
            tracing::info!(copy = %copy.display(), version, "kept a copy of the older account file");
            migrate::run(conn, path)
        }
        Standing::Newer { version } => Err(Error::TooNew { path: path.to_owned(), found: version, known: migrate::newest() }),
        Standing::Altered { detail } => Err(Error::Altered { path: path.to_owned(), detail }),
    }
}

fn reader(path: &Path) -> Result<Connection> {
    let conn = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    prepare(&conn)?;
    Ok(conn)
}

#[expect(clippy::disallowed_methods, reason = "the dated name of a copy is for people; no record depends on it")]
fn stamp() -> String {
    Utc::now().format("%Y%m%d-%H%M%S").to_string()
}

/// Renames a damaged file and what belongs to it; nothing is deleted.
fn set_aside(path: &Path, cause: &rusqlite::Error) -> Result<Error> {
    let suffix = format!(".damaged-{}", stamp());
    let aside = beside(path, &suffix);
    for part in ["", "-wal", "-shm"] {
        let from = beside(path, part);
        let to: PathBuf = beside(&aside, part);
        match fs::rename(&from, &to) {
            Ok(()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(source) => return Err(Error::Io { path: from, source }),
        }
    }
    Ok(Error::Corrupt { path: path.to_owned(), detail: cause.to_string(), set_aside: aside })
}
