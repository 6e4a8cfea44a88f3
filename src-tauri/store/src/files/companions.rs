//! Checks the files that lie beside an account under the names that SQLite uses. SQLite overwrites and deletes such
//! files, whoever made them, so each is checked before SQLite runs.

use std::{
    fs::{self, File},
    io::{ErrorKind, Read},
    path::{Path, PathBuf},
};

use super::{
    header::{self, FileOrigin},
    lock::with_suffix,
    write_ahead_log::{self, WriteAheadLog},
};
use crate::error::{Result, StoreError};

pub(crate) const LOG: &str = "-wal";
pub(crate) const INDEX: &str = "-shm";
const JOURNAL: &str = "-journal";
/// First number of a log's index, in the byte order of the computer.
const INDEX_FORMAT: [u8; 4] = 3_007_000_u32.to_ne_bytes();
/// SQLite extends an index by this many bytes, and cuts one that nobody uses to three.
const INDEX_UNIT: u64 = 4_096;
const INDEX_CUT_LENGTH: u64 = 3;

fn companion_error(account: &Path, file: PathBuf, why: &'static str) -> StoreError {
    StoreError::Companion { path: account.to_owned(), file, why }
}

/// Refuses a file that cannot be SQLite's companion of an account with this first page. Changes nothing.
pub(crate) fn check_kinds(account: &Path, head: &[u8]) -> Result<()> {
    for suffix in [LOG, INDEX, JOURNAL] {
        let file = with_suffix(account, suffix);
        let io = |source| StoreError::Io { path: file.clone(), source };
        let about = match file.symlink_metadata() {
            Ok(about) => about,
            Err(why) if why.kind() == ErrorKind::NotFound => continue,
            Err(why) => return Err(io(why)),
        };
        if !about.is_file() {
            return Err(companion_error(account, file, "is a link, a folder or a device"));
        }
        let mut start = Vec::new();
        File::open(&file).and_then(|file| file.take(32).read_to_end(&mut start)).map_err(io)?;
        let why = match suffix {
            JOURNAL => "is a rollback journal, which Roost does not use, or another program's file",
            LOG if head.is_empty() => "may hold changes of an account file that is missing",
            LOG if !start.is_empty() && !write_ahead_log::is_log(&start) => "is not a write-ahead log",
            INDEX if !is_index(&start, about.len()) => "is not the index of a write-ahead log",
            _ => continue,
        };
        return Err(companion_error(account, file, why));
    }
    Ok(())
}

fn is_index(start: &[u8], length: u64) -> bool {
    match start.get(..4) {
        Some(number) => length.is_multiple_of(INDEX_UNIT) && (number == INDEX_FORMAT || number == [0; 4]),
        None => length <= INDEX_CUT_LENGTH && (INDEX_FORMAT.starts_with(start) || start.iter().all(|byte| *byte == 0)),
    }
}

/// Checks the kinds of all companions and refuses a log that belongs to another file.
pub(crate) fn check_companions(account: &Path, head: &[u8]) -> Result<()> {
    check_kinds(account, head)?;
    let file = with_suffix(account, LOG);
    let log = WriteAheadLog::read(&file).map_err(|source| StoreError::Io { path: file.clone(), source })?;
    if log.follows(header::commit_number(head)) {
        return Ok(());
    }
    Err(companion_error(account, file, "holds changes of another account, or of another state of this one"))
}

/// Explains why a file with this first page is not an account.
pub(crate) fn describe_stranger(account: &Path, head: &[u8]) -> String {
    match header::detect_origin(head) {
        FileOrigin::Bare => format!(
            "it holds no tables. Either it belongs to another program, or it is a new account whose content is in {}, which is missing or damaged",
            with_suffix(account, LOG).display()
        ),
        _ => "it belongs to another program, or its first page is damaged".to_owned(),
    }
}

/// Returns whether a file with this first page is an account, by its own content or by its log.
pub(crate) fn is_account(account: &Path, head: &[u8]) -> bool {
    match header::detect_origin(head) {
        FileOrigin::Roost => true,
        FileOrigin::Bare => {
            let log = with_suffix(account, LOG);
            fs::symlink_metadata(&log).is_ok_and(|about| about.is_file())
                && WriteAheadLog::read(&log).is_ok_and(|log| log.is_of_account())
        }
        FileOrigin::Empty | FileOrigin::Foreign => false,
    }
}
