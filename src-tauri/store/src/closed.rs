//! What can be done with an account file without opening it as an account: a look at its settings, a copy.

use std::{fs, io::Read, path::Path};

use rusqlite::{Connection, OpenFlags, OptionalExtension};

use crate::{
    error::{Error, Result},
    lock::{beside, make_private},
};

/// The first bytes of every SQLite database.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// Whether a file begins as a database does. An account that was made this moment is still empty, and counts as well.
pub fn looks_like_database(path: &Path) -> Result<bool> {
    let io = |source| Error::Io { path: path.to_owned(), source };
    let mut head = Vec::with_capacity(MAGIC.len());
    fs::File::open(path).map_err(io)?.take(MAGIC.len() as u64).read_to_end(&mut head).map_err(io)?;
    Ok(head.is_empty() || head == MAGIC)
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
    let unfinished = beside(to, ".part");
    make_private(&unfinished);
    // Only a copy that is whole gets the name of one.
    let copied = vacuum(from, &unfinished)
        .and_then(|()| fs::rename(&unfinished, to).map_err(|source| Error::Io { path: to.to_owned(), source }));
    if copied.is_err() {
        let _ = fs::remove_file(&unfinished);
    }
    copied
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
        assert!(!looks_like_database(&path).unwrap());
        assert_eq!(setting(&path, "account.name"), None);
        assert!(copy(&path, &to).is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside it");
    }
}
