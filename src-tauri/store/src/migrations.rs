//! Upgrades a database to the newest schema.

use std::path::Path;

use chrono::DateTime;
use refinery::{Migration, Runner, error::Kind};
use rusqlite::{Connection, OptionalExtension};

use crate::error::{Result, StoreError};

mod embedded {
    refinery::embed_migrations!("../../migrations");
}

/// The status of a database's schema in relation to this program's.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum SchemaStatus {
    Fresh,
    Older { version: i32 },
    Current,
    Newer { version: i32 },
    Altered { detail: String },
}

/// The migrations that a program knows. Tests use a longer list, so that today's files are the older ones.
pub(crate) struct Migrations(Runner);

struct AppliedMigration {
    version: i32,
    name: String,
    on: String,
    checksum: String,
}

impl AppliedMigration {
    fn read_all(conn: &Connection) -> rusqlite::Result<Vec<Self>> {
        let mut statement =
            conn.prepare("SELECT version, name, applied_on, checksum FROM refinery_schema_history ORDER BY version")?;
        let rows = statement.query_map([], |row| {
            Ok(Self { version: row.get(0)?, name: row.get(1)?, on: row.get(2)?, checksum: row.get(3)? })
        })?;
        rows.collect()
    }

    /// Returns whether this row records that migration. The time is parsed as well, because refinery panics at one that
    /// it cannot parse.
    fn matches(&self, step: &Migration) -> bool {
        step.version() == self.version
            && step.name() == self.name
            && step.checksum().to_string() == self.checksum
            && DateTime::parse_from_rfc3339(&self.on).is_ok()
    }
}

impl Migrations {
    /// Returns the migrations of the migrations folder.
    pub(crate) fn shipped() -> Self {
        Self::from_runner(embedded::migrations::runner())
    }

    /// Groups all migrations into one transaction. Otherwise a migration and the row that records it would be two
    /// commits, and a kill between them would leave a file that no version recognizes.
    fn from_runner(runner: Runner) -> Self {
        Self(runner.set_grouped(true))
    }

    /// Returns the shipped migrations and more, given by file name and SQL.
    #[cfg(test)]
    pub(crate) fn shipped_and(more: &[(&str, &str)]) -> Self {
        let later = more.iter().map(|(name, sql)| Migration::unapplied(name, sql).unwrap());
        let all: Vec<Migration> = Self::shipped().0.get_migrations().iter().cloned().chain(later).collect();
        Self::from_runner(Runner::new(&all))
    }

    /// Returns the newest schema version among them.
    pub(crate) fn newest_version(&self) -> i32 {
        self.0.get_migrations().iter().map(Migration::version).max().unwrap_or(0)
    }

    pub(crate) fn schema_status(&self, conn: &Connection) -> rusqlite::Result<SchemaStatus> {
        const HISTORY: &str = "SELECT 1 FROM sqlite_schema WHERE name = 'refinery_schema_history'";
        // A first start that was cut off may have left the empty history and SQLite's own index of it.
        const OTHERS: &str = "SELECT count(*) FROM sqlite_schema WHERE name <> 'refinery_schema_history' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'";
        let has_history = conn.query_row(HISTORY, [], |_| Ok(())).optional()?.is_some();
        let applied = if has_history { AppliedMigration::read_all(conn)? } else { Vec::new() };
        let Some(last) = applied.last() else {
            let others: i64 = conn.query_row(OTHERS, [], |row| row.get(0))?;
            return Ok(if others == 0 {
                SchemaStatus::Fresh
            } else {
                SchemaStatus::Altered { detail: "it holds tables of another program".to_owned() }
            });
        };
        let (version, newest) = (last.version, self.newest_version());
        if version > newest {
            return Ok(SchemaStatus::Newer { version });
        }
        if let Some(strange) = applied.iter().find(|row| !self.0.get_migrations().iter().any(|step| row.matches(step)))
        {
            return Ok(SchemaStatus::Altered {
                detail: format!("its schema step {} ({}) is not this program's", strange.version, strange.name),
            });
        }
        Ok(if version < newest { SchemaStatus::Older { version } } else { SchemaStatus::Current })
    }

    /// Runs the missing migrations in one commit, so that an interrupted run changes nothing.
    pub(crate) fn run_missing(&self, conn: &mut Connection, path: &Path) -> Result<()> {
        self.0.run(conn).map(|_| ()).map_err(|error| {
            let cause = match error.kind() {
                Kind::Connection(_, source) => source.downcast_ref::<rusqlite::Error>(),
                _ => None,
            };
            match cause {
                Some(rusqlite::Error::SqliteFailure(code, message)) => {
                    rusqlite::Error::SqliteFailure(*code, message.clone()).into()
                }
                _ => StoreError::Altered { path: path.to_owned(), detail: error.to_string() },
            }
        })
    }
}
