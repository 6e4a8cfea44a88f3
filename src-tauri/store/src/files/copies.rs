//! Copies that Roost makes beside an account: before an upgrade, a replacement, a large act or a pull that removes
//! something, once a day, and as backups.

use std::{
    ffi::OsStr,
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
};

use rusqlite::{
    Connection, OpenFlags,
    types::{ToSqlOutput, ValueRef},
};

use super::{
    closed,
    companions::{INDEX, LOG},
    header::{self, FileOrigin, HEAD_LENGTH},
    identity::is_open_here,
    lock::{HeldFile, dated_path, open_error, private_options, time_stamp, with_suffix},
    looking::{self, LookConnection},
    whole_file::{self, Durability, parent_folder},
    write_ahead_log,
};
use crate::error::{Result, StoreError};

/// Number of copies of each kind that stay beside an account. The README states it.
const COPIES_PER_KIND: usize = 5;
const SUFFIX: &str = ".backup";
/// The text before the date in the name of a damaged file that was set aside.
pub(crate) const SET_ASIDE: &str = ".damaged-";
/// The same for a copy of an account and its log that Roost made because the log was damaged.
const SET_ASIDE_LOG: &str = ".damaged-log-";
/// The first bytes of every rollback journal.
const JOURNAL: &[u8] = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";

/// Why a copy was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CopyReason {
    /// An upgrade of the schema from this version followed.
    Upgrade(i32),
    /// A replacement of everything followed.
    Replacement,
    /// A person or a script asked for a backup.
    Backup,
    /// The account was open on this day and had changed.
    Daily,
    /// An act that changed many records followed.
    BulkAct,
    /// A pull that removed something followed.
    Pull,
}

impl CopyReason {
    /// The reasons that are written as a word.
    const IN_WORDS: [Self; 5] = [Self::Replacement, Self::Backup, Self::Daily, Self::BulkAct, Self::Pull];

    fn name_part(self) -> String {
        match self {
            Self::Upgrade(version) => format!(".v{version}-"),
            Self::Replacement => ".replaced-".to_owned(),
            Self::Backup => ".saved-".to_owned(),
            Self::Daily => ".daily-".to_owned(),
            Self::BulkAct => ".bulk-".to_owned(),
            Self::Pull => ".pull-".to_owned(),
        }
    }

    /// Returns whether copies made for both reasons are counted together.
    fn is_same_kind(self, other: Self) -> bool {
        std::mem::discriminant(&self) == std::mem::discriminant(&other)
    }
}

/// A file whose name is that of such a copy.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CopyFile {
    /// The UTC time in its name, such as `20260105-090000`.
    pub date: String,
    /// Numbers the copies that were made in the same second.
    number: u32,
    pub reason: CopyReason,
    pub path: PathBuf,
}

impl CopyFile {
    /// Parses a name such as `account.roost.replaced-20260105-090000-2.backup`.
    fn parse(account: &OsStr, path: PathBuf, name: &str) -> Option<Self> {
        let rest = name.strip_prefix(account.to_str()?)?.strip_suffix(SUFFIX)?;
        let mut in_words = CopyReason::IN_WORDS.into_iter();
        let named = in_words.find_map(|reason| Some((reason, rest.strip_prefix(&*reason.name_part())?)));
        let (reason, stamp) = match named {
            Some(found) => found,
            None => {
                let (version, stamp) = rest.strip_prefix(".v")?.split_once('-')?;
                (CopyReason::Upgrade(version.parse().ok().filter(|version| *version >= 0)?), stamp)
            }
        };
        let (date, number) = parse_stamp(stamp)?;
        Some(Self { date: date.to_owned(), number, reason, path })
    }
}

/// Parses a date such as `20260105-090000`, which a number may follow.
fn parse_stamp(stamp: &str) -> Option<(&str, u32)> {
    let (date, number) = (stamp.get(..15)?, stamp.get(15..)?);
    let is_date = date.bytes().enumerate().all(|(at, byte)| if at == 8 { byte == b'-' } else { byte.is_ascii_digit() });
    let number = if number.is_empty() { 0 } else { number.strip_prefix('-')?.parse().ok()? };
    is_date.then_some((date, number))
}

/// Returns whether a file of this name is a copy of an account of that name.
pub(crate) fn is_copy_name(account: &str, name: &str) -> bool {
    CopyFile::parse(OsStr::new(account), PathBuf::new(), name).is_some()
}

/// Lists the plain files in the account's folder with their names.
fn files_in_folder(account: &Path) -> impl Iterator<Item = (PathBuf, String)> {
    let entries = fs::read_dir(parent_folder(account)).into_iter().flatten().flatten();
    let files = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    files.filter_map(|entry| Some((entry.path(), entry.file_name().into_string().ok()?)))
}

/// Lists the copies of an account, the newest first.
pub fn list_copies(account: &Path) -> Vec<CopyFile> {
    let name = account.file_name().unwrap_or_default();
    let mut copies: Vec<CopyFile> =
        files_in_folder(account).filter_map(|(path, copy)| CopyFile::parse(name, path, &copy)).collect();
    copies.sort_by(|one, other| other.cmp(one));
    copies
}

/// Returns whether a copy was made today.
pub(crate) fn is_of_today(copy: &CopyFile) -> bool {
    copy.date.get(..8) == time_stamp().get(..8)
}

/// Lists the damaged account files of this name that were set aside, the newest first, without the files beside them.
pub(crate) fn list_set_aside(account: &Path) -> Vec<PathBuf> {
    list_dated(account, &[SET_ASIDE, SET_ASIDE_LOG])
}

/// Lists accounts in the folder that were saved over a file of the window, such as `accounts.json`. The window gave them
/// a name such as `accounts.json.damaged-2` because it could not read them.
pub(crate) fn list_misnamed(account: &Path) -> Vec<PathBuf> {
    let is_account = |path: &Path| {
        let mut head = Vec::new();
        let read = fs::File::open(path).and_then(|file| file.take(HEAD_LENGTH).read_to_end(&mut head));
        read.is_ok() && header::detect_origin(&head) == FileOrigin::Roost
    };
    files_in_folder(account)
        .filter(|(path, name)| is_misnamed(name) && is_account(path))
        .map(|(path, _)| path)
        .collect()
}

fn is_misnamed(name: &str) -> bool {
    let number = name.split_once(".json.damaged").map(|(_, number)| number.strip_prefix('-').unwrap_or(number));
    number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Lists the files of an account whose names have a date after one of these parts, the newest first.
fn list_dated(account: &Path, parts: &[&str]) -> Vec<PathBuf> {
    let name = account.file_name().and_then(OsStr::to_str).unwrap_or_default();
    let parse = |path: PathBuf, file: &str| {
        let (date, number) = parse_dated_name(name, file, parts)?;
        Some((date.to_owned(), number, path))
    };
    let mut found: Vec<_> = files_in_folder(account).filter_map(|(path, file)| parse(path, &file)).collect();
    found.sort_by(|one, other| other.cmp(one));
    found.into_iter().map(|(_, _, path)| path).collect()
}

/// Parses the date behind the name of an account and one of these parts.
fn parse_dated_name<'a>(account: &str, file: &'a str, parts: &[&str]) -> Option<(&'a str, u32)> {
    let rest = file.strip_prefix(account)?;
    parts.iter().find_map(|part| parse_stamp(rest.strip_prefix(part)?))
}

/// Copies an account and its damaged log under another name, before SQLite drops what it cannot read of the log. The
/// caller holds the account, and no connection to it is open. Returns the copy of the account. The newest five stay.
pub(crate) fn keep_damaged_log(account: &Path) -> Result<PathBuf> {
    let kept = dated_path(account, SET_ASIDE_LOG, "");
    for suffix in ["", LOG] {
        let (from, to) = (with_suffix(account, suffix), with_suffix(&kept, suffix));
        let copy = || {
            let part = whole_file::create_beside(account)?;
            fs::copy(&from, part.path())?;
            whole_file::rename_new(part, &to, Durability::Durable)
        };
        copy().map_err(|why| open_error(account, &from, why))?;
    }
    for old in list_dated(account, &[SET_ASIDE_LOG]).into_iter().skip(COPIES_PER_KIND) {
        for suffix in [LOG, INDEX, ""] {
            drop(fs::remove_file(with_suffix(&old, suffix)));
        }
    }
    Ok(kept)
}

/// Returns a name for a new copy that stands after all others of its kind. A name that became free within this second is
/// not used again, because the new copy would count as the oldest of them.
fn next_copy_path(account: &Path, reason: CopyReason) -> PathBuf {
    let free = dated_path(account, &reason.name_part(), SUFFIX);
    let (account_name, name) = (account.file_name().unwrap_or_default(), free.file_name().and_then(OsStr::to_str));
    let Some(wanted) = name.and_then(|name| CopyFile::parse(account_name, free.clone(), name)) else { return free };
    let same_second = list_copies(account).into_iter();
    let same_second = same_second.filter(|copy| copy.reason.is_same_kind(reason) && copy.date == wanted.date);
    match same_second.map(|copy| copy.number).max() {
        Some(last) if last >= wanted.number => {
            with_suffix(account, &format!("{}{}-{}{SUFFIX}", reason.name_part(), wanted.date, last + 1))
        }
        _ => free,
    }
}

/// Copies an open database beside itself and removes the oldest copies of the same kind.
pub(crate) fn make_copy(conn: &Connection, account: &Path, reason: CopyReason) -> Result<PathBuf> {
    make_copy_of(conn, conn, account, reason)
}

/// Does the same, and compares the copy with `state`, which may read the state that is copied for longer than `conn`.
pub(crate) fn make_copy_of(
    state: &Connection,
    conn: &Connection,
    account: &Path,
    reason: CopyReason,
) -> Result<PathBuf> {
    let copy = next_copy_path(account, reason);
    let io = |source| StoreError::Io { path: copy.clone(), source };
    // Only a complete copy that was opened and compared gets its final name.
    let unfinished = whole_file::create_beside(&copy).map_err(io)?;
    let commit = read_commit_number(state)?;
    copy_into(conn, unfinished.path())?;
    match reason {
        CopyReason::Backup | CopyReason::Daily | CopyReason::BulkAct | CopyReason::Pull => {
            check_copy(unfinished.path(), &copy)?
        }
        // Somebody waits for what follows, and the indexes can be made again.
        CopyReason::Upgrade(_) | CopyReason::Replacement => {
            require_sound(unfinished.path(), &copy, "PRAGMA quick_check(1)")?;
        }
    }
    compare_copy(state, commit, unfinished.path(), &copy)?;
    header::renumber_copy(conn, unfinished.path())?;
    match whole_file::rename_new(unfinished, &copy, Durability::Durable) {
        // Somebody else made a copy in the same second.
        Err(why) if why.kind() == io::ErrorKind::AlreadyExists => return make_copy_of(state, conn, account, reason),
        renamed => renamed.map_err(io)?,
    }
    let same_kind = list_copies(account).into_iter().filter(|copy| copy.reason.is_same_kind(reason));
    for old in same_kind.skip(COPIES_PER_KIND) {
        remove_copy(&old.path);
    }
    Ok(copy)
}

/// Copies a database into a file that only its owner may read, which is new or empty.
pub(crate) fn copy_into(conn: &Connection, to: &Path) -> Result<()> {
    let io = |source| StoreError::Io { path: to.to_owned(), source };
    drop(private_options().create(true).open(to).map_err(io)?);
    // A name need not be UTF-8, and SQLite takes its bytes as they are.
    let name = ToSqlOutput::Borrowed(ValueRef::Text(to.as_os_str().as_encoded_bytes()));
    conn.execute("VACUUM INTO ?1", [name])?;
    Ok(())
}

/// Fails unless SQLite can open a finished copy and finds no damage in it. `named` is the name that it is about to get.
pub(crate) fn check_copy(path: &Path, named: &Path) -> Result<()> {
    require_sound(path, named, "PRAGMA integrity_check(1)")
}

fn require_sound(path: &Path, named: &Path, pragma: &str) -> Result<()> {
    if passes_check(path, pragma) {
        return Ok(());
    }
    let detail = "the copy was read again and is damaged, so it was not kept".to_owned();
    Err(StoreError::Altered { path: named.to_owned(), detail })
}

fn read_commit_number(conn: &Connection) -> rusqlite::Result<i32> {
    conn.query_row("PRAGMA main.user_version", [], |row| row.get(0))
}

/// Fails unless a copy has the schema of its original and as many rows in each table. The rows are compared unless
/// another process wrote to the original since `commit`.
fn compare_copy(original: &Connection, commit: i32, copy: &Path, named: &Path) -> Result<()> {
    let copy = Connection::open_with_flags(copy, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    copy.execute_batch("PRAGMA locking_mode = EXCLUSIVE")?;
    let (schema, counts) = (read_schema(original)?, count_rows(original)?);
    let is_comparable = read_commit_number(original)? == commit;
    let has_rows = || Ok::<_, StoreError>(read_commit_number(&copy)? == commit && count_rows(&copy)? == counts);
    if read_schema(&copy)? == schema && (!is_comparable || has_rows()?) {
        return Ok(());
    }
    let detail = "the copy was read again and differs from the account, so it was not kept".to_owned();
    Err(StoreError::Altered { path: named.to_owned(), detail })
}

/// Reads the statements that created everything in a database.
fn read_schema(conn: &Connection) -> rusqlite::Result<Vec<(String, Option<String>)>> {
    let mut statement = conn.prepare("SELECT name, sql FROM main.sqlite_schema ORDER BY type, name")?;
    statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

fn count_rows(conn: &Connection) -> rusqlite::Result<Vec<(String, i64)>> {
    let names = "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name <> 'sqlite_stat1' ORDER BY name";
    let mut statement = conn.prepare(names)?;
    let names: Vec<String> = statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    let count = |name: String| {
        let count = conn.query_row(&format!("SELECT count(*) FROM main.\"{name}\""), [], |row| row.get(0))?;
        Ok((name, count))
    };
    names.into_iter().map(count).collect()
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
pub(crate) fn remove_unfinished(account: &Path) {
    let name = account.file_name().unwrap_or_default();
    let is_set_aside = |file: &str| {
        name.to_str().is_some_and(|name| parse_dated_name(name, file, &[SET_ASIDE, SET_ASIDE_LOG]).is_some())
    };
    for (path, part) in files_in_folder(account) {
        // Matches `.account.roost.replaced-20260105-090000.backup.x7Zq1c.part` and SQLite's journal of it. An erasure also
        // rewrites files that were set aside.
        let part = part.strip_suffix("-journal").unwrap_or(&part);
        let copy = part.strip_prefix('.').and_then(|part| part.strip_suffix(".part")?.rsplit_once('.'));
        let is_named = copy.is_some_and(|(copy, random)| {
            random.bytes().all(|byte| byte.is_ascii_alphanumeric())
                && (name == copy
                    || is_set_aside(copy)
                    || is_misnamed(copy)
                    || CopyFile::parse(name, path.clone(), copy).is_some())
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
            || write_ahead_log::is_log(&head)
            || head.iter().all(|byte| *byte == 0)
            || header::detect_origin(&head) == FileOrigin::Roost)
}

/// Returns the newest copy in which SQLite finds no damage.
pub fn newest_sound_copy(account: &Path) -> Option<PathBuf> {
    list_copies(account).into_iter().map(|copy| copy.path).find(|path| is_sound(path))
}

/// Returns whether a file is an account in which SQLite finds no damage. False for an account that is open here.
pub fn is_sound(path: &Path) -> bool {
    let check = || -> Result<String> {
        let conn = LookConnection::open(path)?;
        Ok(conn.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?)
    };
    closed::may_be_account(path).unwrap_or(false)
        && !is_open_here(path)
        && looking::find_log_damage(path).is_none()
        && check().is_ok_and(|found| found == "ok")
}

fn passes_check(path: &Path, pragma: &str) -> bool {
    let check = || {
        let conn =
            Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
        conn.execute_batch("PRAGMA locking_mode = EXCLUSIVE")?;
        // SQLite finds an empty file sound.
        let id: i32 = conn.query_row("PRAGMA application_id", [], |row| row.get(0))?;
        Ok::<_, rusqlite::Error>((id, conn.query_row(pragma, [], |row| row.get::<_, String>(0))?))
    };
    check().is_ok_and(|(id, found)| id.to_be_bytes() == header::APPLICATION_ID && found == "ok")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_that_lacks_something_is_not_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("copy");
        let original = Connection::open_in_memory().unwrap();
        original.execute_batch("CREATE TABLE t (a); CREATE INDEX i ON t (a); INSERT INTO t VALUES (1), (2)").unwrap();
        let commit = read_commit_number(&original).unwrap();
        let compare = |change: &str| {
            let _ = fs::remove_file(&path);
            copy_into(&original, &path).unwrap();
            Connection::open(&path).unwrap().execute_batch(change).unwrap();
            compare_copy(&original, commit, &path, Path::new("named"))
        };
        assert!(compare("").is_ok());
        for change in ["DELETE FROM t WHERE a = 1", "DROP INDEX i", "DROP TABLE t", "CREATE TABLE more (a)"] {
            let why = compare(change).unwrap_err().to_string();
            assert!(why.contains("differs from the account"), "{change}: {why}");
        }
        original.execute_batch("INSERT INTO t VALUES (3); PRAGMA user_version = 7").unwrap();
        assert!(compare("DELETE FROM t").is_ok(), "somebody wrote meanwhile, so the rows cannot be compared");
    }
}
