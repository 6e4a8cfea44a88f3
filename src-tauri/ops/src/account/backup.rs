//! Backs up, summarizes and checks account files. None of this needs the account to be closed, and nothing is upgraded.

use std::{
    fs,
    path::{Path, PathBuf},
};

use roost_model::error::ErrorCode;
use roost_store::{
    files::{output, output::Overwrite},
    tables::{
        counts::{self, AccountCounts},
        settings,
        sync::connection,
    },
    upkeep::{backup, check, reading},
};

pub use roost_store::{
    tables::sync::connection::{KeyLocation, ServiceConnection},
    upkeep::{
        backup::CopyReason,
        check::{FaultArea, FileCheck},
    },
};

use super::{AccountProfile, country::COUNTRY};
use crate::error::Result;

/// What an account file holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileSummary {
    /// The version of its schema, which may be older than that of this program.
    pub schema: i32,
    pub profile: AccountProfile,
    /// The country that was chosen for it.
    pub country: Option<String>,
    pub counts: AccountCounts,
    /// The service that it is connected to. The key is never in an account.
    pub connection: Option<ServiceConnection>,
    pub bytes: u64,
}

/// A copy beside an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountCopy {
    pub path: PathBuf,
    pub reason: CopyReason,
    /// The UTC time in its name, such as `20260105-090000`.
    pub date: String,
    pub bytes: u64,
    /// `None` if the copy cannot be read.
    pub summary: Option<FileSummary>,
    /// Whether SQLite finds no damage in it.
    pub is_sound: bool,
}

/// The state of a file that should be an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileStatus {
    Sound(Box<FileSummary>),
    Missing,
    /// The file is empty, or belongs to another program.
    Foreign(String),
    /// SQLite finds damage in it.
    Damaged(String),
    /// A newer Roost wrote it, or it cannot be read right now.
    Unreadable(String),
}

/// Looks at an account file, open in another process or not, and changes nothing.
pub fn inspect_file(path: &Path) -> FileStatus {
    if !path.exists() {
        return FileStatus::Missing;
    }
    match summarize_file(path) {
        Ok(_) if !backup::is_sound(path) => FileStatus::Damaged("SQLite finds damage in its pages.".to_owned()),
        Ok(summary) => FileStatus::Sound(Box::new(summary)),
        Err(error) => match error.code() {
            ErrorCode::Altered => FileStatus::Foreign(error.to_string()),
            ErrorCode::Corrupt => FileStatus::Damaged(error.to_string()),
            _ => FileStatus::Unreadable(error.to_string()),
        },
    }
}

pub fn summarize_file(path: &Path) -> Result<FileSummary> {
    let bytes = fs::metadata(path).map_or(0, |about| about.len());
    Ok(reading::read_account(path, |tx, schema| {
        // An older schema may lack the tables or columns of later ones.
        let setting = |key: &str| settings::get(tx, key).ok().flatten();
        Ok(FileSummary {
            schema,
            profile: AccountProfile::from_settings(|key| Ok::<_, crate::Error>(setting(key))).unwrap_or_default(),
            country: setting(COUNTRY),
            counts: counts::get(tx)?,
            connection: connection::get(tx).ok().flatten(),
            bytes,
        })
    })?)
}

/// Lists the copies beside an account, the newest first. The account itself may be missing or damaged.
pub fn list_copies(account: &Path) -> Vec<AccountCopy> {
    let account = output::resolve_links(account);
    let copies = backup::list_copies(&account).into_iter();
    let read = copies.map(|copy| AccountCopy {
        bytes: fs::metadata(&copy.path).map_or(0, |about| about.len()),
        summary: summarize_file(&copy.path).ok(),
        is_sound: backup::is_sound(&copy.path),
        path: copy.path,
        reason: copy.reason,
        date: copy.date,
    });
    read.collect()
}

/// Lists the damaged files of an account that were set aside, the newest first.
pub fn list_set_aside(account: &Path) -> Vec<PathBuf> {
    backup::list_set_aside(&output::resolve_links(account))
}

/// Returns the newest copy beside an account in which SQLite finds no damage. The account itself may be missing.
pub fn find_sound_copy(account: &Path) -> Option<PathBuf> {
    backup::newest_sound_copy(&output::resolve_links(account))
}

/// Copies an account beside itself, checks the copy, and removes the oldest backups. Returns the new one.
pub fn back_up(account: &Path) -> Result<PathBuf> {
    Ok(backup::make_backup(account)?)
}

/// Makes the copy of this day, unless there is one or nothing changed since the last one. Returns the new one.
pub fn back_up_daily(account: &Path) -> Result<Option<PathBuf>> {
    Ok(backup::make_daily_copy(account)?)
}

/// Copies an account to this file and checks the copy before the file gets its name.
pub fn back_up_to(account: &Path, to: &Path, overwrite: Overwrite) -> Result<()> {
    Ok(backup::write_backup(account, to, overwrite)?)
}

/// Checks the pages, the references, the schema and what only Roost knows about its tables.
pub fn check_file(path: &Path) -> Result<FileCheck> {
    Ok(check::check_file(path)?)
}
