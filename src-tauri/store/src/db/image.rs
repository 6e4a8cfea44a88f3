//! A whole database as bytes: what worlds are made from, what a snapshot keeps, what a reset goes back to.

use std::{
    fmt,
    path::Path,
    sync::{Arc, OnceLock},
};

use rusqlite::{Connection, MAIN_DB};

use crate::{
    error::{Error, Result},
    migrate::{Standing, Steps},
    open, schema,
};

/// The first bytes of every SQLite database.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";
/// Where the header says which way of writing the file wants; with a log beside it there are two files, an image is one.
const WAYS_OF_WRITING: std::ops::Range<usize> = 18..20;
const WITHOUT_LOG: u8 = 1;
/// What SQLite makes unless told otherwise, and so every account.
const PAGE: usize = 4_096;

/// Cheap to clone: the bytes are shared.
#[derive(Clone, PartialEq, Eq)]
pub struct Image {
    bytes: Arc<[u8]>,
    /// Looked up while it is made, so that a copy of an account at rest costs no second one.
    has_work: bool,
}

impl fmt::Debug for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Image({} bytes)", self.bytes.len())
    }
}

impl Image {
    /// An empty account of this program's schema; made once a process, because the migrations take longer than
    /// everything else about a new world.
    pub fn empty() -> Result<&'static Self> {
        static EMPTY: OnceLock<Image> = OnceLock::new();
        if let Some(made) = EMPTY.get() {
            return Ok(made);
        }
        let made = Self::of(&mut open::migrated(&Steps::shipped())?)?;
        Ok(EMPTY.get_or_init(|| made))
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Bytes from outside, which may be anything: they become an image only when they are a sound account of a schema
    /// that this program knows. One of an older schema is brought up.
    pub fn check(bytes: &[u8]) -> Result<Self> {
        Self::checked(bytes, &Steps::shipped())
    }

    fn checked(bytes: &[u8], steps: &Steps) -> Result<Self> {
        let refused = |detail: String| Error::NoImage { detail };
        let foreign = |error: rusqlite::Error| refused(error.to_string());
        if !bytes.starts_with(MAGIC) || !bytes.len().is_multiple_of(PAGE) {
            return Err(refused("they are no database, or not the whole of one".to_owned()));
        }
        if bytes.get(16..18) != Some(&(PAGE as u16).to_be_bytes()[..]) {
            return Err(refused("its pages are not of the size that Roost writes".to_owned()));
        }
        let image = Self { bytes: without_log(bytes), has_work: true };
        let mut conn = open::from_image(&image).map_err(|error| refused(error.to_string()))?;
        let found: String = conn.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0)).map_err(foreign)?;
        if found != "ok" {
            return Err(refused(found));
        }
        match steps.standing(&conn).map_err(foreign)? {
            Standing::Newer { version } => {
                return Err(refused(format!(
                    "a newer Roost wrote it (schema {version}, this one knows {})",
                    steps.newest()
                )));
            }
            Standing::Altered { detail } => return Err(refused(detail)),
            Standing::Fresh => return Err(refused("there is no account in it".to_owned())),
            Standing::Older { .. } => {
                steps.run(&mut conn, Path::new("image")).map_err(|error| refused(error.to_string()))?;
            }
            Standing::Current => {}
        }
        if let Some(detail) = schema::difference(&conn, steps)? {
            return Err(refused(detail));
        }
        if conn.prepare("PRAGMA foreign_key_check").and_then(|mut all| all.exists([])).map_err(foreign)? {
            return Err(refused("a record in it belongs to one that is not there".to_owned()));
        }
        Self::of(&mut conn)
    }

    /// The same without the work that waits and the calls that are owed, which two must not do.
    pub fn without_work(&self) -> Result<Self> {
        if self.has_work { Self::of(&mut open::without_work(self)?) } else { Ok(self.clone()) }
    }

    /// What a connection sees now, in one consistent state.
    pub(crate) fn of(conn: &mut Connection) -> Result<Self> {
        let read = |conn: &mut Connection| {
            let has_work = open::has_work(conn)?;
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
    if let Some(ways) = Arc::make_mut(&mut bytes).get_mut(WAYS_OF_WRITING) {
        ways.fill(WITHOUT_LOG);
    }
    bytes
}
