//! The errors of a database, distinguished as far as a caller acts on them.

use std::path::PathBuf;

use roost_model::error::ErrorCode;
use rusqlite::{ErrorCode as Sqlite, ffi::SQLITE_IOERR_SHMSIZE};

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("{path} was written by a newer Roost (schema {found}, this one knows {known}). Install the newer Roost to open it.", path = path.display())]
    TooNew { path: PathBuf, found: i32, known: i32 },
    #[error("{path} is not an account file of Roost: {detail}. Restore a backup or choose another file.", path = path.display())]
    Altered { path: PathBuf, detail: String },
    #[error(
        "{path} was not opened: {file} beside it {why}. Nothing was changed. Put the file back that it belongs to, or move {file} to another folder and try again.",
        path = path.display(),
        file = file.display()
    )]
    Companion { path: PathBuf, file: PathBuf, why: &'static str },
    #[error("{path} is damaged: {detail}. Nothing was changed. {way_back}", path = path.display())]
    Corrupt { path: PathBuf, detail: String, way_back: String },
    #[error("{path} was {what} while Roost had it open. Nothing was saved. Put the file back in its place, or close Roost and open the file that is there now.", path = path.display())]
    Displaced { path: PathBuf, what: &'static str },
    #[error("{path} is open in another process{holder}. Close it there or choose another file.", path = path.display())]
    Locked { path: PathBuf, holder: String },
    #[error("{path} cannot be an account file: {why}. Choose another name.", path = path.display())]
    NoPlace { path: PathBuf, why: &'static str },
    #[error("{path} cannot be written. Check the permissions of the file and its folder.", path = path.display())]
    ReadOnly { path: PathBuf },
    #[error("{path} cannot be read. Check the permissions of the file and its folder.", path = path.display())]
    Unreadable { path: PathBuf },
    #[error(
        "There is no room left on the device that holds the account. Free some space and try again; nothing was changed."
    )]
    DiskFull,
    #[error(
        "There is no room left in the folder {folder}. Free some space there, or choose another folder; nothing was changed.",
        folder = folder.display()
    )]
    TargetFull { folder: PathBuf },
    #[error("{path} is a damaged copy: {detail}. The account is unchanged. Choose another copy.", path = path.display())]
    DamagedCopy { path: PathBuf, detail: String },
    #[error("{path} is not a copy of an account. The account is unchanged. Choose another file.", path = path.display())]
    NoCopy { path: PathBuf },
    #[error("The account file is damaged: {0}. Close Roost, keep a copy of the file, and put a backup in its place.")]
    Damaged(#[source] rusqlite::Error),
    #[error("The account file is held by another program. Close it there and try again.")]
    Busy(#[source] rusqlite::Error),
    #[error("The account file has become read-only. Check the permissions of the file and its folder.")]
    BecameReadOnly(#[source] rusqlite::Error),
    #[error(
        "The device that holds the account failed: {0}. Check its room, its quota and its health; nothing was changed."
    )]
    Device(#[source] rusqlite::Error),
    #[error("{path}: {source}", path = path.display())]
    Io { path: PathBuf, source: std::io::Error },
    #[error("These bytes are no account of Roost: {detail}. Nothing was changed.")]
    NoImage { detail: String },
    #[error("The account was replaced meanwhile; nothing was changed.")]
    Superseded,
    #[error(
        "{removed} opt-outs would be removed, but {confirmed} were confirmed. Nothing was changed. Check them again \
         and confirm the number shown."
    )]
    Unconfirmed { confirmed: u64, removed: u64 },
    #[error(
        "Something about the number would be left in the table {table}, so nothing was erased. Please report this."
    )]
    NotErased { table: String },
    #[error("{number} is a number of the account itself, from which it sends. Nothing was erased.")]
    OwnNumber { number: String },
    #[error("The operation was cancelled; nothing was changed.")]
    Cancelled,
    #[error("This no longer fits what is there: {0}. Something it depends on was changed since; nothing was changed.")]
    Constraint(#[source] rusqlite::Error),
    #[error("the database refused a statement: {0}")]
    Sql(#[source] rusqlite::Error),
}

pub type Result<T> = std::result::Result<T, StoreError>;

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(Sqlite::DiskFull) => Self::DiskFull,
            Some(Sqlite::DatabaseCorrupt | Sqlite::NotADatabase) => Self::Damaged(error),
            Some(Sqlite::DatabaseBusy | Sqlite::DatabaseLocked) => Self::Busy(error),
            Some(Sqlite::ReadOnly) => Self::BecameReadOnly(error),
            // SQLite could not extend the shared memory file that readers use.
            Some(Sqlite::SystemIoFailure)
                if error.sqlite_error().is_some_and(|e| e.extended_code == SQLITE_IOERR_SHMSIZE) =>
            {
                Self::DiskFull
            }
            Some(Sqlite::SystemIoFailure) => Self::Device(error),
            Some(Sqlite::OperationInterrupted) => Self::Cancelled,
            Some(Sqlite::ConstraintViolation) => Self::Constraint(error),
            _ => Self::Sql(error),
        }
    }
}

impl StoreError {
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::TooNew { .. } => ErrorCode::TooNew,
            Self::Altered { .. } | Self::Companion { .. } => ErrorCode::Altered,
            Self::Corrupt { .. } | Self::Damaged(_) => ErrorCode::Corrupt,
            Self::Locked { .. } | Self::Busy(_) => ErrorCode::Locked,
            Self::Displaced { .. } => ErrorCode::Displaced,
            Self::ReadOnly { .. } | Self::BecameReadOnly(_) => ErrorCode::ReadOnly,
            Self::DiskFull | Self::TargetFull { .. } => ErrorCode::DiskFull,
            Self::NoPlace { .. } | Self::NoImage { .. } | Self::DamagedCopy { .. } | Self::NoCopy { .. } => {
                ErrorCode::Invalid
            }
            Self::Cancelled => ErrorCode::Cancelled,
            Self::Constraint(_) | Self::Superseded | Self::Unconfirmed { .. } | Self::OwnNumber { .. } => {
                ErrorCode::Conflict
            }
            Self::Unreadable { .. } | Self::Device(_) | Self::Io { .. } | Self::NotErased { .. } | Self::Sql(_) => {
                ErrorCode::Internal
            }
        }
    }
}
