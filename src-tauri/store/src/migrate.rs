//! Bringing a database to the newest schema, with a copy of an older one first.

use std::path::{Path, PathBuf};

use refinery::{Migration, Runner};
use rusqlite::{Connection, OptionalExtension};

use crate::{
    error::{Error, Result},
    lock::beside,
};

mod embedded {
    refinery::embed_migrations!("../../migrations");
}

/// How a database's schema stands to this program.
#[derive(Debug, PartialEq, Eq)]
pub enum Standing {
    Fresh,
    Older { version: i32 },
    Current,
    Newer { version: i32 },
    Altered { detail: String },
}

fn runner() -> Runner {
    embedded::migrations::runner()
}

/// Newest schema version this program knows.
pub fn newest() -> i32 {
    runner().get_migrations().iter().map(|m| m.version() as i32).max().unwrap_or(0)
}

fn applied(conn: &Connection) -> rusqlite::Result<Vec<(i32, String, String)>> {
    let mut statement = conn.prepare("SELECT version, name, checksum FROM refinery_schema_history ORDER BY version")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    rows.collect()
}

pub fn standing(conn: &Connection) -> rusqlite::Result<Standing> {
    let has = |table: &str| -> rusqlite::Result<bool> {
        Ok(conn.query_row("SELECT 1 FROM sqlite_schema WHERE name = ?1", [table], |_| Ok(())).optional()?.is_some())
    };
    let applied = if has("refinery_schema_history")? { applied(conn)? } else { Vec::new() };
    if applied.is_empty() {
        let tables: i64 = conn.query_row("SELECT count(*) FROM sqlite_schema WHERE name <> 'refinery_schema_history'", [], |r| r.get(0))?;
        return Ok(if tables == 0 { Standing::Fresh } else { Standing::Altered { detail: "it holds tables of another program".to_owned() } });
    }
    let runner = runner();
    let known = runner.get_migrations();
    let version = applied.last().map_or(0, |(version, _, _)| *version);
    if version > newest() {
        return Ok(Standing::Newer { version });
    }
    for (version, name, checksum) in &applied {
        let same = |m: &&Migration| m.version() as i32 == *version && m.name() == name && m.checksum().to_string() == *checksum;
        if !known.iter().any(|m| same(&m)) {
            return Ok(Standing::Altered { detail: format!("its schema step {version} ({name}) is not this program's") });
        }
    }
    Ok(if version < newest() { Standing::Older { version } } else { Standing::Current })
}

/// Runs what is missing; each step commits by itself, so a cut-off run goes on at the next start.
pub fn run(conn: &mut Connection, path: &Path) -> Result<()> {
    runner().run(conn).map(|_| ()).map_err(|error| match error.kind() {
        refinery::error::Kind::Connection(_, source) => match source.downcast_ref::<rusqlite::Error>().and_then(rusqlite::Error::sqlite_error_code) {
            Some(rusqlite::ErrorCode::DiskFull) => Error::DiskFull,
            Some(rusqlite::ErrorCode::ReadOnly) => Error::ReadOnly { path: path.to_owned() },
            _ => Error::Io { path: path.to_owned(), source: std::io::Error::other(error.to_string()) },
        },
        _ => Error::Altered { path: path.to_owned(), detail: error.to_string() },
    })
}

/// Copies an older database beside itself before its schema is touched.
pub fn back_up(conn: &Connection, path: &Path, version: i32, stamp: &str) -> Result<PathBuf> {
    let copy = beside(path, &format!(".v{version}-{stamp}.backup"));
    conn.execute("VACUUM INTO ?1", [copy.to_string_lossy()])?;
    Ok(copy)
}
