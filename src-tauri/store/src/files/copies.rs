//! Copies that Roost makes beside an account, before an upgrade and before a replacement.

use std::{
    ffi::OsStr,
    fs,
    io::Read,
    path::{Path, PathBuf},
};

use rusqlite::{Connection, OpenFlags};

use super::{
    closed,
    header::{self, FileOrigin, HEAD_LENGTH},
    identity::unless_open_here,
    lock::{HeldFile, dated_path},
    whole_file::{self, Durability, parent_folder},
};
use crate::error::{Result, StoreError};

/// Number of copies of each kind that stay beside an account. The README states it.
const COPIES_PER_KIND: usize = 5;
const SUFFIX: &str = ".backup";
/// The first bytes of every rollback journal.
const JOURNAL: &[u8] = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";

/// The event before which a copy was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopyReason {
    /// An upgrade of the schema from this version.
    Upgrade(i32),
    /// A replacement of everything by an image.
    Replacement,
}

impl CopyReason {
    fn name_part(self) -> String {
        match self {
            Self::Upgrade(version) => format!(".v{version}-"),
            Self::Replacement => ".replaced-".to_owned(),
        }
    }
}

/// A file whose name is that of such a copy.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct CopyFile {
    date: String,
    /// Numbers the copies that were made in the same second.
    number: u32,
    is_upgrade: bool,
    path: PathBuf,
}

impl CopyFile {
    /// Parses a name such as `account.roost.replaced-20260105-090000-2.backup`.
    fn parse(account: &OsStr, path: PathBuf, name: &str) -> Option<Self> {
        let rest = name.strip_prefix(account.to_str()?)?.strip_suffix(SUFFIX)?;
        let (is_upgrade, stamp) = match rest.strip_prefix(".replaced-") {
            Some(stamp) => (false, stamp),
            None => {
                let (version, stamp) = rest.strip_prefix(".v")?.split_once('-')?;
                (version.parse::<u32>().is_ok(), stamp).0.then_some((true, stamp))?
            }
        };
        let (date, number) = (stamp.get(..15)?, stamp.get(15..)?);
        let is_date =
            date.bytes().enumerate().all(|(at, byte)| if at == 8 { byte == b'-' } else { byte.is_ascii_digit() });
        let number = if number.is_empty() { 0 } else { number.strip_prefix('-')?.parse().ok()? };
        is_date.then(|| Self { date: date.to_owned(), number, is_upgrade, path })
    }
}

/// Returns whether a file of this name is a copy of an account of that name.
pub fn is_copy_name(account: &str, name: &str) -> bool {
    CopyFile::parse(OsStr::new(account), PathBuf::new(), name).is_some()
}

/// Lists the plain files in the account's folder with their names.
fn files_in_folder(account: &Path) -> impl Iterator<Item = (PathBuf, String)> {
    let entries = fs::read_dir(parent_folder(account)).into_iter().flatten().flatten();
    let files = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    files.filter_map(|entry| Some((entry.path(), entry.file_name().into_string().ok()?)))
}

/// Lists the copies of an account, the newest first.
fn list_copies(account: &Path) -> Vec<CopyFile> {
    let name = account.file_name().unwrap_or_default();
    let mut copies: Vec<CopyFile> =
        files_in_folder(account).filter_map(|(path, copy)| CopyFile::parse(name, path, &copy)).collect();
    copies.sort_by(|one, other| other.cmp(one));
    copies
}

/// Copies an open database beside itself and removes the oldest copies of the same kind.
pub fn make_copy(conn: &Connection, account: &Path, reason: CopyReason) -> Result<PathBuf> {
    let copy = dated_path(account, &reason.name_part(), SUFFIX);
    let io = |source| StoreError::Io { path: copy.clone(), source };
    // Only a complete copy gets its final name.
    let unfinished = whole_file::create_beside(&copy).map_err(io)?;
    conn.execute("VACUUM INTO ?1", [unfinished.path().to_string_lossy()])?;
    header::renumber_copy(conn, unfinished.path())?;
    whole_file::rename_over(unfinished, &copy, Durability::Durable).map_err(io)?;
    let is_upgrade = matches!(reason, CopyReason::Upgrade(_));
    for old in list_copies(account).iter().filter(|copy| copy.is_upgrade == is_upgrade).skip(COPIES_PER_KIND) {
        remove_copy(&old.path);
    }
    Ok(copy)
}

/// Removes a copy that nobody has open, provided that its content is an account as well.
fn remove_copy(path: &Path) {
    let Ok(held) = HeldFile::acquire(path) else { return };
    if held.read_head(HEAD_LENGTH).is_ok_and(|head| header::detect_origin(&head) == FileOrigin::Roost)
        && let Err(why) = fs::remove_file(path)
    {
        tracing::warn!(copy = %path.display(), %why, "an old copy cannot be removed");
    }
}

/// Removes unfinished copies and unfinished new files of this account, which a killed process left. The caller holds
/// the account, so nobody is making one now.
pub fn remove_unfinished(account: &Path) {
    let name = account.file_name().unwrap_or_default();
    for (path, part) in files_in_folder(account) {
        // Matches `.account.roost.replaced-20260105-090000.backup.x7Zq1c.part` and SQLite's journal of it.
        let part = part.strip_suffix("-journal").unwrap_or(&part);
        let copy = part.strip_prefix('.').and_then(|part| part.strip_suffix(".part")?.rsplit_once('.'));
        let is_named = copy.is_some_and(|(copy, random)| {
            random.bytes().all(|byte| byte.is_ascii_alphanumeric())
                && (name == copy || CopyFile::parse(name, path.clone(), copy).is_some())
        });
        if is_named
            && is_unfinished_copy(&path)
            && let Err(why) = fs::remove_file(&path)
        {
            tracing::warn!(part = %path.display(), %why, "an unfinished copy cannot be removed");
        }
    }
}

/// Returns whether a file has the content of an unfinished copy or of its journal. The first page may still be missing.
fn is_unfinished_copy(path: &Path) -> bool {
    let mut head = Vec::new();
    let read = fs::File::open(path).and_then(|file| file.take(100).read_to_end(&mut head));
    read.is_ok()
        && (head.starts_with(JOURNAL)
            || head.iter().all(|byte| *byte == 0)
            || header::detect_origin(&head) == FileOrigin::Roost)
}

/// Returns the newest copy in which SQLite finds no damage.
pub fn newest_sound_copy(account: &Path) -> Option<PathBuf> {
    list_copies(account)
        .into_iter()
        .map(|copy| copy.path)
        .filter(|path| closed::may_be_account(path).unwrap_or(false))
        .find(|path| unless_open_here(path, || passes_quick_check(path)) == Some(true))
}

fn passes_quick_check(path: &Path) -> bool {
    let check = || {
        let conn =
            Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
        conn.execute_batch("PRAGMA locking_mode = EXCLUSIVE")?;
        conn.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0))
    };
    check().is_ok_and(|found| found == "ok")
}
