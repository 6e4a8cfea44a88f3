//! Reads account files that another process may have open, and upgrades nothing.

use std::{fs, path::Path};

use rusqlite::Connection;

use crate::{
    error::{Result, StoreError},
    files::{
        closed::{may_be_account, read_head},
        companions,
        header::{self, FileOrigin},
        identity::unless_open_here,
        looking::{self, LookConnection},
        output,
    },
    migrations::{Migrations, SchemaStatus},
    open,
    tx::ReadTx,
};

/// Opens a plain connection to an account that another process may have open, and upgrades nothing.
pub fn connect(path: &Path) -> Result<LookConnection> {
    let about = fs::metadata(path).map_err(|source| StoreError::Io { path: path.to_owned(), source })?;
    if about.len() == 0 || !may_be_account(path)? {
        let detail = open::describe_foreign_file(path, b"");
        return Err(StoreError::Altered { path: path.to_owned(), detail });
    }
    let head = unless_open_here(path, || read_head(path)).and_then(std::result::Result::ok).unwrap_or_default();
    if header::detect_origin(&head) == FileOrigin::Roost && header::is_impossible(&head) {
        let detail = "its header (the first 100 bytes) holds values that no database has".to_owned();
        return Err(open::damaged_error(path, detail));
    }
    if !looking::is_in_use(path) {
        companions::check_companions(path, &head)?;
    }
    let conn = LookConnection::open(path)?;
    open::prepare_connection(&conn)?;
    Ok(conn)
}

/// Names the file in the error of a damaged account, and the way back.
pub fn name_damaged(path: &Path, error: StoreError) -> StoreError {
    match error {
        StoreError::Damaged(cause) => {
            open::damaged_error(path, format!("SQLite cannot read all of its pages ({cause})"))
        }
        other => other,
    }
}

/// Reads an account file in one consistent state, open in another process or not. `read` also gets the version of its
/// schema, which may be older than this program's: nothing is upgraded.
pub fn read_account<T>(path: &Path, read: impl FnOnce(&ReadTx, i32) -> Result<T>) -> Result<T> {
    let path = &output::resolve_links(path);
    let read_all = || -> Result<T> {
        let conn = connect(path)?;
        conn.execute_batch("PRAGMA query_only = ON")?;
        let tx = conn.unchecked_transaction()?;
        let version = read_version(&tx, path)?;
        let answer = read(&ReadTx::new(&tx), version)?;
        tx.finish()?;
        Ok(answer)
    };
    read_all().map_err(|error| name_damaged(path, error))
}

/// Returns the version of a schema that this program knows.
pub fn read_version(conn: &Connection, path: &Path) -> Result<i32> {
    let steps = Migrations::shipped();
    let path = path.to_owned();
    match steps.schema_status(conn)? {
        SchemaStatus::Current => Ok(steps.newest_version()),
        SchemaStatus::Older { version } => Ok(version),
        SchemaStatus::Newer { version } => {
            Err(StoreError::TooNew { path, found: version, known: steps.newest_version() })
        }
        SchemaStatus::Altered { detail } => Err(StoreError::Altered { path, detail }),
        SchemaStatus::Fresh => Err(StoreError::Altered { path, detail: "there is no account in it".to_owned() }),
    }
}
