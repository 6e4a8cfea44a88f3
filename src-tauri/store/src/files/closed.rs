//! Works on account files without opening them as accounts: reads a setting, copies a file, renames it.

use std::{
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
};

use rusqlite::OptionalExtension;

use crate::{
    error::{Result, StoreError},
    files::{
        companions, copies,
        header::{self, HEAD_LENGTH},
        identity::unless_open_here,
        lock::{HeldFile, dated_path, with_suffix},
        looking::LookConnection,
        whole_file::{self, Durability},
    },
};

/// Returns whether a file may be an account: it is empty, or its content says so. Any other file is left untouched.
/// Fails where SQLite would change another file if it read this one.
pub fn may_be_account(path: &Path) -> Result<bool> {
    let io = |source: io::Error| match source.kind() {
        io::ErrorKind::PermissionDenied => StoreError::Unreadable { path: path.to_owned() },
        _ => StoreError::Io { path: path.to_owned(), source },
    };
    if !fs::metadata(path).map_err(io)?.is_file() {
        return Ok(false);
    }
    match unless_open_here(path, || read_head(path)) {
        None => Ok(true),
        Some(head) => {
            let head = head.map_err(io)?;
            let may_be = head.is_empty() || companions::is_account(path, &head);
            if may_be {
                companions::check_companions(path, &head)?;
            }
            Ok(may_be)
        }
    }
}

pub(crate) fn read_head(path: &Path) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    fs::File::open(path)?.take(HEAD_LENGTH).read_to_end(&mut head).map(|_| head)
}

/// Fails if any process has the file open as an account.
pub fn check_closed(path: &Path) -> Result<()> {
    HeldFile::acquire(path).map(drop)
}

/// Gives an account file and its companions a new name with today's date, and returns that name. Nothing is deleted.
/// Refuses a file that neither is an account nor has sound copies of an account beside it, and an account that has
/// companions of another file beside it.
pub fn set_aside(path: &Path) -> Result<PathBuf> {
    let path = &fs::canonicalize(path).map_err(|source| StoreError::Io { path: path.to_owned(), source })?;
    let held = HeldFile::acquire(path)?;
    let head = held.read_head(HEAD_LENGTH)?;
    if !companions::is_account(path, &head) && copies::newest_sound_copy(path).is_none() {
        return Err(StoreError::Altered { path: path.clone(), detail: companions::describe_stranger(path, &head) });
    }
    companions::check_kinds(path, &head)?;
    let _lock = held.lock_beside()?;
    let aside = dated_path(path, copies::SET_ASIDE, "");
    // The account file is renamed last: as long as it exists, nobody starts another account over its log.
    for part in ["-wal", "-shm", ""] {
        let from = with_suffix(path, part);
        match whole_file::rename_durably(&from, &with_suffix(&aside, part)) {
            Ok(()) => {}
            Err(why) if why.kind() == io::ErrorKind::NotFound => {}
            Err(source) => return Err(StoreError::Io { path: from, source }),
        }
    }
    Ok(aside)
}

/// Reads one setting of an account file. Returns `None` when it has none, or when the file cannot be read as an account
/// right now.
pub fn read_setting(path: &Path, key: &str) -> Option<String> {
    may_be_account(path).ok().filter(|may_be| *may_be)?;
    let conn = LookConnection::open(path).ok()?;
    let value = conn.query_row("SELECT value FROM settings WHERE key = ?1", [key], |row| row.get(0)).optional();
    value.unwrap_or_default()
}

/// Copies an account file, open or not, in one consistent state over `to`, which the caller has created empty.
pub fn copy_account(from: &Path, to: &Path) -> Result<()> {
    let io = |source| StoreError::Io { path: to.to_owned(), source };
    if !may_be_account(from)? {
        return Err(StoreError::Altered { path: from.to_owned(), detail: "it belongs to another program".to_owned() });
    }
    // Only a complete copy gets its final name.
    let unfinished = whole_file::create_beside(to).map_err(io)?;
    vacuum_into(from, unfinished.path())?;
    whole_file::rename_over(unfinished, to, Durability::Durable).map_err(io)
}

fn vacuum_into(from: &Path, to: &Path) -> Result<()> {
    let conn = LookConnection::open(from)?;
    copies::copy_into(&conn, to)?;
    header::renumber_copy(&conn, to)
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;
    use crate::db::Db;

    #[test]
    fn an_open_account_is_copied_with_what_was_just_written() {
        let folder = tempfile::tempdir().unwrap();
        let (path, to) = (folder.path().join("a.roost"), folder.path().join("b.roost"));
        let _open = Db::open(&path).unwrap();
        Connection::open(&path).unwrap().execute("INSERT INTO settings VALUES ('account.name', 'Shop')", []).unwrap();
        assert_eq!(read_setting(&path, "account.name").as_deref(), Some("Shop"));
        fs::write(&to, "").unwrap();
        copy_account(&path, &to).unwrap();
        assert_eq!(read_setting(&to, "account.name").as_deref(), Some("Shop"));
        drop(Db::open(&to).unwrap());
    }

    #[test]
    fn a_file_that_is_not_an_account_has_no_settings_and_gives_no_copy() {
        let folder = tempfile::tempdir().unwrap();
        let (path, to) = (folder.path().join("picture"), folder.path().join("b.roost"));
        fs::write(&path, "a picture of a bird ".repeat(100)).unwrap();
        assert!(!may_be_account(&path).unwrap());
        assert_eq!(read_setting(&path, "account.name"), None);
        assert!(copy_account(&path, &to).is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside it");
    }
}
