//! Backs up accounts, whether or not another process has them open. A backup gets its name only after it was opened and
//! checked.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use tempfile::TempDir;

use super::reading;
pub use crate::files::copies::{CopyFile, CopyReason, is_sound, list_copies, newest_sound_copy};
use crate::{
    error::{Result, StoreError},
    files::{
        copies,
        header::{self, FileOrigin, HEAD_LENGTH},
        lock::HeldFile,
        looking::{self, LookConnection},
        output::{self, Overwrite, is_device},
        whole_file::{self, Durability},
    },
    open,
    tables::{steps::log, sync::audit},
};

/// Lists the damaged files of an account that were set aside, the newest first.
pub fn list_set_aside(account: &Path) -> Vec<PathBuf> {
    copies::list_set_aside(account)
}

/// Copies an account beside itself and removes the oldest backups.
pub fn make_backup(account: &Path) -> Result<PathBuf> {
    let account = &output::resolve_links(account);
    make_current(account, || {
        let conn = connect_sound(account)?;
        copies::make_copy(&conn, account, CopyReason::Backup)
    })
}

/// Makes a copy again that an erasure overtook. An erasure looks for copies after its commit, so a copy that was begun
/// before and appears later would keep what was erased.
fn make_current(account: &Path, make: impl Fn() -> Result<PathBuf>) -> Result<PathBuf> {
    loop {
        let copy = make()?;
        if count_erasures(&copy)? >= count_erasures(account)? {
            return Ok(copy);
        }
        fs::remove_file(&copy).map_err(|source| StoreError::Io { path: copy, source })?;
    }
}

fn count_erasures(path: &Path) -> Result<usize> {
    reading::read_account(path, |tx, _| Ok(audit::read_without_run(tx).unwrap_or_default().len()))
}

/// Copies an account beside itself as the copy of this day, unless there is one or nothing changed since the last one.
pub fn make_daily_copy(account: &Path) -> Result<Option<PathBuf>> {
    let account = &output::resolve_links(account);
    let newest = copies::list_copies(account).into_iter().find(|copy| copy.reason == CopyReason::Daily);
    if let Some(newest) = newest
        && (copies::is_of_today(&newest) || read_last_change(account)? == read_last_change(&newest.path).ok().flatten())
    {
        return Ok(None);
    }
    let conn = connect_sound(account)?;
    copies::make_copy(&conn, account, CopyReason::Daily).map(Some)
}

/// Returns the newest line in the log of an account.
pub(crate) fn read_last_change(account: &Path) -> Result<Option<String>> {
    reading::read_account(account, |tx, _| log::read_last_line(tx))
}

/// Copies an account to a file that the person named.
pub fn write_backup(account: &Path, to: &Path, overwrite: Overwrite) -> Result<()> {
    if is_device(to) {
        return Err(StoreError::NoPlace { path: to.to_owned(), why: "it is not a plain file" });
    }
    let account = &output::resolve_links(account);
    make_current(account, || write_copy(account, to, overwrite)).map(drop)
}

fn write_copy(account: &Path, to: &Path, overwrite: Overwrite) -> Result<PathBuf> {
    let conn = connect_sound(account)?;
    let to = &match overwrite {
        Overwrite::Allowed => output::resolve_links(to),
        Overwrite::Never => to.to_owned(),
    };
    let write = || {
        let io = |source| StoreError::Io { path: to.clone(), source };
        let unfinished = whole_file::create_beside(to).map_err(io)?;
        copies::copy_into(&conn, unfinished.path())?;
        copies::check_copy(unfinished.path(), to)?;
        header::renumber_copy(&conn, unfinished.path())?;
        match overwrite {
            Overwrite::Allowed => whole_file::rename_over(unfinished, to, Durability::Durable).map_err(io),
            Overwrite::Never => whole_file::rename_new(unfinished, to, Durability::Durable).map_err(io),
        }
    };
    write().map_err(|error| name_full_target(to, error))?;
    Ok(to.clone())
}

/// Names the folder of a file that a full disk could not take. The account may be on another disk.
fn name_full_target(to: &Path, error: StoreError) -> StoreError {
    let is_full = match &error {
        StoreError::DiskFull => true,
        StoreError::Io { source, .. } => {
            matches!(source.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
        }
        _ => false,
    };
    if is_full { StoreError::TargetFull { folder: whole_file::parent_folder(to).to_owned() } } else { error }
}

/// A copy of a copy, in a folder of its own beside the account. It is removed with its folder unless it takes the
/// account's place.
pub struct SideCopy {
    _folder: TempDir,
    path: PathBuf,
}

impl SideCopy {
    /// Copies `copy` beside `account`, which may not exist. `copy` itself is only read.
    pub fn create(copy: &Path, account: &Path) -> Result<Self> {
        let copy = &output::resolve_links(copy);
        let name = account.file_name().unwrap_or_default();
        remove_stale(account);
        let folder = whole_file::create_side_folder(account, Some(whole_file::parent_folder(account)));
        let folder = folder.map_err(|source| StoreError::Io { path: account.to_owned(), source })?;
        let path = folder.path().join(name);
        let conn = connect_copy(copy).map_err(|error| name_unusable(copy, error))?;
        copies::copy_into(&conn, &path)?;
        copies::check_copy(&path, copy)?;
        header::renumber_copy(&conn, &path)?;
        Ok(Self { _folder: folder, path })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Connects to an undamaged copy of an account whose schema this program knows.
fn connect_copy(copy: &Path) -> Result<LookConnection> {
    let conn = connect_sound(copy)?;
    reading::read_version(&conn, copy)?;
    Ok(conn)
}

/// Says of a copy that it cannot be used. The advice for an account in this state would be wrong for a copy.
fn name_unusable(copy: &Path, error: StoreError) -> StoreError {
    let path = copy.to_owned();
    match error {
        StoreError::Corrupt { detail, .. } => StoreError::DamagedCopy { path, detail },
        StoreError::Damaged(cause) => StoreError::DamagedCopy { path, detail: cause.to_string() },
        StoreError::Altered { .. } => StoreError::NoCopy { path },
        other => other,
    }
}

/// Lists the copies in the folders that killed restores of this account left.
pub fn list_unfinished_restores(account: &Path) -> Vec<PathBuf> {
    let prefix = whole_file::side_folder_prefix(account);
    let (prefix, name) = (prefix.as_encoded_bytes(), account.file_name().unwrap_or_default());
    let entries = fs::read_dir(whole_file::parent_folder(account)).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.file_name().as_encoded_bytes().starts_with(prefix));
    folders.map(|entry| entry.path().join(name)).filter(|copy| copy.is_file()).collect()
}

/// Removes the folders that killed restores of this account left, if they hold nothing but an account.
pub(super) fn remove_stale(account: &Path) {
    let prefix = whole_file::side_folder_prefix(account);
    let (prefix, name) = (prefix.as_encoded_bytes(), account.file_name().unwrap_or_default());
    let entries = fs::read_dir(whole_file::parent_folder(account)).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    for folder in folders.filter(|entry| entry.file_name().as_encoded_bytes().starts_with(prefix)) {
        let folder = folder.path();
        let inside: Vec<_> = fs::read_dir(&folder).into_iter().flatten().flatten().collect();
        let is_of_account = |entry: &fs::DirEntry| {
            entry.file_type().is_ok_and(|kind| kind.is_file())
                && entry.file_name().as_encoded_bytes().starts_with(name.as_encoded_bytes())
        };
        let is_ours = inside.is_empty() || inside.iter().all(is_of_account) && is_unused_account(&folder.join(name));
        if is_ours && let Err(why) = fs::remove_dir_all(&folder) {
            tracing::warn!(folder = %folder.display(), %why, "the folder of an unfinished restore cannot be removed");
        }
    }
}

fn is_unused_account(path: &Path) -> bool {
    let head = HeldFile::acquire(path).and_then(|held| held.read_head(HEAD_LENGTH));
    head.is_ok_and(|head| header::detect_origin(&head) == FileOrigin::Roost)
}

/// Connects to an account in which SQLite finds no damage. A backup of a damaged account would push out a sound one.
pub(super) fn connect_sound(account: &Path) -> Result<LookConnection> {
    let check = || -> Result<LookConnection> {
        let conn = reading::connect(account)?;
        if let Some(damage) = looking::find_log_damage(account) {
            return Err(open::damaged_error(account, looking::describe_log_damage(account, damage)));
        }
        let found: String = conn.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
        if found == "ok" { Ok(conn) } else { Err(open::damaged_error(account, found)) }
    };
    check().map_err(|error| reading::name_damaged(account, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_target_names_its_own_folder() {
        let to = Path::new("/media/stick/shop.roost");
        let full = io::Error::from(io::ErrorKind::StorageFull);
        for error in [StoreError::DiskFull, StoreError::Io { path: to.to_owned(), source: full }] {
            let named = name_full_target(to, error);
            assert!(named.to_string().contains("in the folder /media/stick."), "{named}");
        }
        let other = StoreError::Io { path: to.to_owned(), source: io::ErrorKind::NotFound.into() };
        assert!(matches!(name_full_target(to, other), StoreError::Io { .. }));
    }
}
