//! Erases a number in the copies beside an account. A copy is rewritten and then takes the place of the old one.

use std::{
    fs,
    path::{Path, PathBuf},
};

use rusqlite::Connection;
use tempfile::NamedTempFile;

use super::{
    super::{backup, reading},
    ErasureCounts, ErasureRequest, erase_number,
};
use crate::{
    error::{Result, StoreError},
    files::{
        copies, header,
        lock::{HeldFile, with_suffix},
        output,
        whole_file::{self, Durability},
    },
    open,
    row_recorder::RowRecorder,
    tables::sync::audit::AuditEntry,
    tx::WriteTx,
};

/// A copy without the number, which has not yet taken the place of the old one.
pub struct CleanCopy {
    part: NamedTempFile,
    path: PathBuf,
    pub counts: ErasureCounts,
}

/// Lists the files beside an account that hold an earlier state of it: its copies, the damaged files that were set aside,
/// and copies that were saved over a file of the window.
pub fn list_earlier_files(account: &Path) -> Vec<PathBuf> {
    let account = &output::resolve_links(account);
    let copies = copies::list_copies(account).into_iter().map(|copy| copy.path);
    copies.chain(copies::list_set_aside(account)).chain(copies::list_misnamed(account)).collect()
}

impl CleanCopy {
    /// Writes a copy without the number beside it. The copy itself is only read.
    pub fn create(
        copy: &Path,
        request: &ErasureRequest,
        seal: &dyn Fn(Option<&AuditEntry>, &ErasureCounts) -> AuditEntry,
    ) -> Result<Self> {
        let io = |source| StoreError::Io { path: copy.to_owned(), source };
        // Fails if somebody has it open.
        drop(HeldFile::acquire(copy)?);
        let work = whole_file::create_beside(copy).map_err(io)?;
        let read = backup::connect_sound(copy)?;
        reading::read_version(&read, copy)?;
        copies::copy_into(&read, work.path())?;
        drop(read);
        let mut conn = Connection::open(work.path())?;
        open::prepare_connection(&conn)?;
        conn.execute_batch("PRAGMA journal_mode = MEMORY")?;
        let counts = erase_in(&mut conn, request, seal)?;
        // Written once more, so that nothing is left in unused parts of pages.
        let part = whole_file::create_beside(copy).map_err(io)?;
        copies::copy_into(&conn, part.path())?;
        copies::check_copy(part.path(), copy)?;
        header::renumber_copy(&conn, part.path())?;
        Ok(Self { part, path: copy.to_owned(), counts })
    }

    /// Takes the place of the old copy.
    pub fn install(self) -> Result<()> {
        let Self { part, path, .. } = self;
        let io = |source| StoreError::Io { path: path.clone(), source };
        whole_file::rename_over(part, &path, Durability::Durable).map_err(io)?;
        remove_companions(&path)
    }
}

fn erase_in(
    conn: &mut Connection,
    request: &ErasureRequest,
    seal: &dyn Fn(Option<&AuditEntry>, &ErasureCounts) -> AuditEntry,
) -> Result<ErasureCounts> {
    let (tx, recorder) = (conn.transaction()?, RowRecorder::default());
    let counts = erase_number(&WriteTx::new(&tx, 0, &recorder, None, None), request, seal)?;
    tx.commit()?;
    Ok(counts)
}

/// Deletes a copy with the files that SQLite may have left beside it.
pub fn delete_copy(copy: &Path) -> Result<()> {
    drop(HeldFile::acquire(copy)?);
    remove_companions(copy)?;
    remove_if_there(copy)
}

/// Removes the files that SQLite may have left beside a copy.
fn remove_companions(copy: &Path) -> Result<()> {
    ["-wal", "-shm", "-journal"].iter().try_for_each(|suffix| remove_if_there(&with_suffix(copy, suffix)))
}

fn remove_if_there(file: &Path) -> Result<()> {
    match fs::remove_file(file) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
            Err(StoreError::Io { path: file.to_owned(), source })
        }
        _ => Ok(()),
    }
}

/// Removes the folders that killed processes left, which hold copies of this account or of its earlier files.
pub fn remove_unfinished_restores(account: &Path) {
    let account = output::resolve_links(account);
    backup::remove_stale(&account);
    list_earlier_files(&account).iter().for_each(|file| backup::remove_stale(file));
}
