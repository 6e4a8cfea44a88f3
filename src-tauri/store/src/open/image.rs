//! An image is a whole database as bytes. Worlds are made from images, snapshots store them, and a reset restores one.

use std::{
    fmt,
    path::Path,
    sync::{Arc, OnceLock, Weak},
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
    /// Not `Arc<[u8]>`, whose bytes a [`KnownImage`] would keep in memory.
    bytes: Arc<Vec<u8>>,
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
            return Err(refused("a record refers to one that does not exist".to_owned()));
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

/// The image that an account was loaded from, or the last that was taken of it, while somebody keeps it and the account
/// has not changed since. Taking another one would copy the same pages.
pub(crate) struct KnownImage {
    bytes: Weak<Vec<u8>>,
    has_work: bool,
    /// The rows that the connection had changed.
    changes: u64,
}

impl KnownImage {
    pub(crate) fn new(image: &Image, changes: u64) -> Self {
        Self { bytes: Arc::downgrade(&image.bytes), has_work: image.has_work, changes }
    }

    /// Returns the image if the connection has changed this number of rows in all.
    pub(crate) fn find(&self, changes: u64) -> Option<Image> {
        let bytes = self.bytes.upgrade().filter(|_| self.changes == changes)?;
        Some(Image { bytes, has_work: self.has_work })
    }
}

fn without_log(bytes: &[u8]) -> Arc<Vec<u8>> {
    let mut bytes = bytes.to_vec();
    if let Some(ways) = bytes.get_mut(FILE_FORMAT_BYTES) {
        ways.fill(FORMAT_WITHOUT_LOG);
    }
    Arc::new(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{db::Db, tables::settings};

    #[test]
    fn an_image_is_shared_until_the_account_changes() {
        let db = Db::from_image(Image::empty().unwrap()).unwrap();
        let image = || db.take_image().unwrap();
        let is_same = |one: &Image, other: &Image| Arc::ptr_eq(&one.bytes, &other.bytes);
        assert!(is_same(&image(), Image::empty().unwrap()), "as it was loaded");
        db.write_quietly(|tx| settings::set_unfinished_erasure(tx, Some("1"))).unwrap();
        let changed = image();
        assert_ne!(&changed, Image::empty().unwrap());
        assert!(is_same(&image(), &changed), "as it was taken");
        let read = |image: &Image| Db::from_image(image).unwrap().read(settings::unfinished_erasure).unwrap();
        assert_eq!(read(&changed).as_deref(), Some("1"));
        db.write_quietly(|tx| settings::set_unfinished_erasure(tx, None)).unwrap();
        assert_eq!(read(&image()), None);
        db.replace(&changed, || ()).unwrap();
        assert!(is_same(&image(), &changed), "as it was replaced");
        let kept = Arc::downgrade(&changed.bytes);
        drop(changed);
        assert!(kept.upgrade().is_none(), "nobody keeps it");
    }
}
