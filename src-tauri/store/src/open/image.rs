//! An image is a whole database as bytes. Worlds are made from images, snapshots store them, and a reset restores one.

use std::{
    fmt,
    path::Path,
    sync::{Arc, OnceLock},
};

use rusqlite::{Connection, MAIN_DB};

use crate::{
    error::{Result, StoreError},
    migrations::{Migrations, SchemaStatus},
    schema,
};

/// The first bytes of every SQLite database.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";
/// Bytes of the header that say how the file is written. A database with a write-ahead log is two files, but an image
/// is one.
const FILE_FORMAT_BYTES: std::ops::Range<usize> = 18..20;
const FORMAT_WITHOUT_LOG: u8 = 1;
/// The page size that SQLite uses by default, and so every account has.
const PAGE_SIZE: usize = 4_096;

/// A whole database as bytes. It is cheap to clone, because the bytes are shared.
#[derive(Clone, PartialEq, Eq)]
pub struct Image {
    bytes: Arc<[u8]>,
    /// Determined when the image is made, so that a copy of an account without work needs no second database.
    has_work: bool,
}

impl fmt::Debug for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Image({} bytes)", self.bytes.len())
    }
}

impl Image {
    /// Returns an empty account of this program's schema. It is made once per process, because the migrations take
    /// longer than everything else that a new world needs.
    pub fn empty() -> Result<&'static Self> {
        static EMPTY: OnceLock<Image> = OnceLock::new();
        if let Some(made) = EMPTY.get() {
            return Ok(made);
        }
        let made = Self::from_connection(&mut super::migrated_in_memory(&Migrations::shipped())?)?;
        Ok(EMPTY.get_or_init(|| made))
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Turns bytes from outside into an image. Refuses anything but a sound account of a schema that this program
    /// knows. Upgrades an older schema.
    pub fn check(bytes: &[u8]) -> Result<Self> {
        Self::check_with(bytes, &Migrations::shipped())
    }

    fn check_with(bytes: &[u8], steps: &Migrations) -> Result<Self> {
        let refused = |detail: String| StoreError::NoImage { detail };
        let foreign = |error: rusqlite::Error| refused(error.to_string());
        if !bytes.starts_with(MAGIC) || !bytes.len().is_multiple_of(PAGE_SIZE) {
            return Err(refused("they are no database, or not the whole of one".to_owned()));
        }
        if bytes.get(16..18) != Some(&(PAGE_SIZE as u16).to_be_bytes()[..]) {
            return Err(refused("its pages are not of the size that Roost writes".to_owned()));
        }
        let image = Self { bytes: without_log(bytes), has_work: true };
        let mut conn = super::from_image(&image).map_err(|error| refused(error.to_string()))?;
        let found: String = conn.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0)).map_err(foreign)?;
        if found != "ok" {
            return Err(refused(found));
        }
        match steps.schema_status(&conn).map_err(foreign)? {
            SchemaStatus::Newer { version } => {
                return Err(refused(format!(
                    "a newer Roost wrote it (schema {version}, this one knows {})",
                    steps.newest_version()
                )));
            }
            SchemaStatus::Altered { detail } => return Err(refused(detail)),
            SchemaStatus::Fresh => return Err(refused("there is no account in it".to_owned())),
            SchemaStatus::Older { .. } => {
                steps.run_missing(&mut conn, Path::new("image")).map_err(|error| refused(error.to_string()))?;
            }
            SchemaStatus::Current => {}
        }
        if let Some(detail) = schema::find_difference(&conn, steps)? {
            return Err(refused(detail));
        }
        if conn.prepare("PRAGMA foreign_key_check").and_then(|mut all| all.exists([])).map_err(foreign)? {
            return Err(refused("a record in it belongs to one that is not there".to_owned()));
        }
        Self::from_connection(&mut conn)
    }

    /// Returns the image without queued jobs and owed callbacks, which two accounts must not both do.
    pub fn without_work(&self) -> Result<Self> {
        if self.has_work { Self::from_connection(&mut super::without_work(self)?) } else { Ok(self.clone()) }
    }

    /// Takes an image of what the connection sees now, in one consistent state.
    pub(crate) fn from_connection(conn: &mut Connection) -> Result<Self> {
        let read = |conn: &mut Connection| {
            let has_work = super::has_work(conn)?;
            Ok(Self { bytes: without_log(&conn.serialize(MAIN_DB)?), has_work })
        };
        conn.execute_batch("BEGIN")?;
        let image = read(conn);
        conn.execute_batch("COMMIT")?;
        image
    }
}

fn without_log(bytes: &[u8]) -> Arc<[u8]> {
    let mut bytes: Arc<[u8]> = Arc::from(bytes);
    if let Some(ways) = Arc::make_mut(&mut bytes).get_mut(FILE_FORMAT_BYTES) {
        ways.fill(FORMAT_WITHOUT_LOG);
    }
    bytes
}
