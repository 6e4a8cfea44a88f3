//! Creates account files. A file appears with its whole schema or not at all.

use std::{
    fs,
    io::{ErrorKind, Write},
    path::Path,
};

use rusqlite::MAIN_DB;

use super::migrated_in_memory;
use crate::{
    error::{Result, StoreError},
    files::{
        companions,
        header::random_commit_number,
        lock::{FileLock, HeldFile, LockBeside, open_error},
        whole_file::{self, Durability},
    },
    migrations::Migrations,
};

/// Bytes of the header that say how the file is written, with or without a write-ahead log.
const FILE_FORMAT_BYTES: std::ops::Range<usize> = 18..20;
const FORMAT_WITH_LOG: u8 = 2;

/// Creates an account where no file exists, or in the place of an empty one.
pub(super) fn create_account(path: &Path, steps: &Migrations) -> Result<FileLock> {
    companions::check_kinds(path, &[])?;
    let is_new = !path.exists();
    let beside = LockBeside::acquire(path)?;
    match create_file(path, steps) {
        Ok(held) if is_new => Ok(FileLock::for_created(beside, held)),
        Ok(held) => Ok(FileLock::new(beside, held)),
        Err(why) => {
            beside.remove_if_created();
            Err(why)
        }
    }
}

fn create_file(path: &Path, steps: &Migrations) -> Result<HeldFile> {
    let image = build_image(steps)?;
    let io = |why| open_error(path, path, why);
    let mut part = whole_file::create_beside(path).map_err(io)?;
    part.write_all(&image).map_err(io)?;
    let held = HeldFile::acquire(part.path())?;
    let renamed = match fs::metadata(path) {
        Ok(about) if about.len() == 0 => whole_file::rename_over(part, path, Durability::Durable),
        Ok(_) => Err(ErrorKind::AlreadyExists.into()),
        Err(_) => whole_file::rename_new(part, path, Durability::Durable),
    };
    match renamed {
        Ok(()) => held.with_path(path),
        // The path is a mount point, so no other file can take its place.
        Err(why) if why.kind() == ErrorKind::ResourceBusy => {
            let held = HeldFile::acquire(path)?;
            held.write_content(&image)?;
            Ok(held)
        }
        Err(why) if why.kind() == ErrorKind::AlreadyExists => {
            Err(StoreError::Displaced { path: path.to_owned(), what: "replaced" })
        }
        Err(why) => Err(io(why)),
    }
}

fn build_image(steps: &Migrations) -> Result<Vec<u8>> {
    let mut conn = migrated_in_memory(steps)?;
    conn.pragma_update(None, "user_version", random_commit_number(&conn)?)?;
    let mut image = conn.serialize(MAIN_DB)?.to_vec();
    image[FILE_FORMAT_BYTES].fill(FORMAT_WITH_LOG);
    Ok(image)
}
