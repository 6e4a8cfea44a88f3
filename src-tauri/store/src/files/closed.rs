//! What can be done with an account file without opening it as an account: a look at its settings, a copy.

use std::{
    fs,
    io::{self, Read},
    path::Path,
};

use rusqlite::{Connection, OpenFlags, OptionalExtension};

use crate::{
    error::{Error, Result},
    files::{
        lock::beside,
        whole_file::{self, Lasting},
    },
};

/// The first bytes of every SQLite database.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// What the first page of every account says, behind the magic.
const APPLICATION_ID: [u8; 4] = *b"Roos";
/// The table of the schema's steps, as the first page names it.
const STEPS: &[u8] = b"refinery_schema_history";

/// Whether a file may be an account: it is empty, or a database whose first page says so. One whose first start was cut
/// off has no table but that of the schema's steps, or says so in its write-ahead log alone. Any other file is left as it
/// is.
pub fn may_be_account(path: &Path) -> Result<bool> {
    let io = |source: io::Error| match source.kind() {
        io::ErrorKind::PermissionDenied => Error::ReadOnly { path: path.to_owned() },
        _ => Error::Io { path: path.to_owned(), source },
    };
    let mut head = Vec::with_capacity(4_096);
    fs::File::open(path).map_err(io)?.take(4_096).read_to_end(&mut head).map_err(io)?;
    if head.is_empty() {
        return Ok(true);
    }
    let (Some(pages), Some(id)) = (head.get(28..32), head.get(68..72).filter(|_| head.starts_with(MAGIC))) else {
        return Ok(false);
    };
    let has_steps = || head.windows(STEPS.len()).any(|part| part == STEPS);
    let is_begun = || *pages <= [0, 0, 0, 1][..] || has_steps() || beside(path, "-wal").exists();
    Ok(id == APPLICATION_ID || id == [0; 4] && is_begun())
}

/// One setting of an account file; none when it has none, or when the file is none that can be read right now.
/// Opened for writing for the same reason as a copy is: nothing stays beside the file.
pub fn setting(path: &Path, key: &str) -> Option<String> {
    let conn = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX);
    conn.and_then(|conn| {
        conn.query_row("SELECT value FROM settings WHERE key = ?1", [key], |row| row.get(0)).optional()
    })
    .unwrap_or_default()
}

/// Copies an account file, open or not, in one consistent state, over `to`, which its caller has made and left empty.
pub fn copy(from: &Path, to: &Path) -> Result<()> {
    let io = |source| Error::Io { path: to.to_owned(), source };
    // Only a copy that is whole gets the name of one.
    let unfinished = whole_file::create_beside(to).map_err(io)?;
    vacuum(from, unfinished.path())?;
    whole_file::rename_over(unfinished, to, Lasting::Surely).map_err(io)
}

fn vacuum(from: &Path, to: &Path) -> Result<()> {
    // For writing, so that the last one out folds the write-ahead log and leaves nothing beside the file.
    let conn = Connection::open_with_flags(from, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    conn.execute("VACUUM INTO ?1", [to.to_string_lossy()])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::Db;

    #[test]
    fn an_open_account_is_copied_with_what_was_just_written() {
        let folder = tempfile::tempdir().unwrap();
        let (path, to) = (folder.path().join("a.roost"), folder.path().join("b.roost"));
        let _open = Db::open(&path).unwrap();
        Connection::open(&path).unwrap().execute("INSERT INTO settings VALUES ('account.name', 'Shop')", []).unwrap();
        assert_eq!(setting(&path, "account.name").as_deref(), Some("Shop"));
        fs::write(&to, "").unwrap();
        copy(&path, &to).unwrap();
        assert_eq!(setting(&to, "account.name").as_deref(), Some("Shop"));
        drop(Db::open(&to).unwrap());
    }

    #[test]
    fn what_is_no_account_has_no_settings_and_gives_no_copy() {
        let folder = tempfile::tempdir().unwrap();
        let (path, to) = (folder.path().join("picture"), folder.path().join("b.roost"));
        fs::write(&path, "a picture of a bird ".repeat(100)).unwrap();
        assert!(!may_be_account(&path).unwrap());
        assert_eq!(setting(&path, "account.name"), None);
        assert!(copy(&path, &to).is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside it");
    }
}
