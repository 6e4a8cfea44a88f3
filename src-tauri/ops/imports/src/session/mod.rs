//! Sessions of open imports: their files, mapping and rehearsal. Files and mapping are stored in a folder beside the
//! account file, so that an import of contacts survives the end of the program; the rehearsal is made again.

mod accept_stage;
mod mapping_stage;
mod open;
mod read_stage;
mod rehearsal_stage;
pub mod reject_file;
mod reports;
mod stored;
#[cfg(test)]
mod tests;
mod work;

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use self::{
    read_stage::{CombinedFiles, FilesToCombine, ReadOutcome},
    rehearsal_stage::SessionRehearsal,
    stored::{StoredImport, StoredRead},
    work::RunningWork,
};
use super::spool::Spool;
use roost_ops::error::{Error, Result};

pub use self::{
    mapping_stage::{column_name, parse_target, profiles},
    open::{
        ImportSessions, ImportTask,
        sources::{ImportSource, UploadPiece, list_encodings},
    },
    rehearsal_stage::CellText,
    reports::*,
};

/// An open import.
pub(super) struct ImportSession {
    id: u64,
    folder: PathBuf,
    state: Mutex<SessionState>,
    changed: Condvar,
    /// Held while the import is stored, so that an older state never replaces a newer one.
    saving: Mutex<()>,
}

struct SessionState {
    kept: StoredImport,
    generation: u32,
    /// The rows of each file that was read.
    spools: Vec<(u32, Arc<Spool>)>,
    /// The number of the last spool. Every spool has a name that is not used again.
    last_spool: u32,
    /// The rows of all files together; `None` until every file was read.
    combined: Option<Arc<CombinedFiles>>,
    working: Option<RunningWork>,
    fault: Option<String>,
    rehearsal: Option<Arc<SessionRehearsal>>,
    accepted: Option<ImportAccepted>,
    is_ended: bool,
    /// Whether this import was open when the program last ended and nobody has used it since.
    is_left: bool,
}

const CLOSED_MESSAGE: &str = "This import was accepted or discarded. Open the files again.";

impl SessionState {
    fn new(kept: StoredImport) -> Self {
        Self {
            kept,
            generation: 1,
            spools: Vec::new(),
            last_spool: 0,
            combined: None,
            working: None,
            fault: None,
            rehearsal: None,
            accepted: None,
            is_ended: false,
            is_left: false,
        }
    }

    fn check_open(&self) -> Result<()> {
        if self.is_ended || self.accepted.is_some() { Err(Error::conflict(CLOSED_MESSAGE)) } else { Ok(()) }
    }

    fn next_spool_name(&mut self) -> String {
        self.last_spool += 1;
        format!("{}.spool", self.last_spool)
    }

    fn is_combined(&self) -> bool {
        self.combined.is_some()
    }

    fn record_read(&mut self, file: u32, outcome: ReadOutcome) {
        let Some(kept) = self.kept.files.iter_mut().find(|kept| kept.file == file) else { return };
        kept.broken = outcome.broken;
        self.spools.retain(|(owner, _)| *owner != file);
        kept.read = outcome.read.map(|(read, spool)| {
            self.spools.push((file, Arc::new(spool)));
            read
        });
        if !outcome.parts.is_empty() {
            kept.parts = outcome.parts;
        }
        self.kept.add_same_tables(file);
    }

    /// Returns the files to combine and the path of their spool, once all files can be imported.
    fn files_to_combine(&mut self, folder: &Path) -> Option<(FilesToCombine, PathBuf)> {
        if self.kept.files.is_empty()
            || self.combined.is_some()
            || !self.kept.files.iter().all(stored::StoredFile::is_usable)
        {
            return None;
        }
        let mut all = FilesToCombine::new();
        for file in &self.kept.files {
            let spool = self.spools.iter().find(|(owner, _)| *owner == file.file)?;
            all.push((file.file, file.read.clone()?, Arc::clone(&spool.1)));
        }
        let name = self.next_spool_name();
        Some((all, folder.join(name)))
    }

    /// Drops what was derived from all files together, because a file has changed or the import ends.
    fn drop_combined(&mut self) {
        self.combined = None;
        self.rehearsal = None;
    }

    fn find_read(&self, file: u32) -> Option<(&StoredRead, &Arc<Spool>)> {
        let kept = self.kept.files.iter().find(|kept| kept.file == file)?;
        let spool = self.spools.iter().find(|(owner, _)| *owner == file)?;
        Some((kept.read.as_ref()?, &spool.1))
    }

    fn stage(&self) -> ImportStage {
        if self.accepted.is_some() {
            return ImportStage::Accepted;
        }
        match self.working.as_ref().map(|working| working.work) {
            Some(ImportWork::Read) => return ImportStage::Reading,
            Some(ImportWork::Rehearse) => return ImportStage::Rehearsing,
            Some(ImportWork::Accept) => return ImportStage::Accepting,
            None => {}
        }
        if self.kept.files.is_empty() {
            ImportStage::Empty
        } else if self.kept.files.iter().any(|file| !file.is_whole()) {
            ImportStage::Uploading
        } else if self.rehearsal.is_some() {
            ImportStage::Rehearsed
        } else {
            ImportStage::Mapping
        }
    }

    fn describe_files(&self) -> Vec<ImportFile> {
        let reading = self.working.as_ref().and_then(|working| working.file);
        let describe = |file: &stored::StoredFile| ImportFile {
            file: file.file,
            group: file.group_id(),
            name: file.name.clone(),
            part: file.part_name().map(str::to_owned),
            state: if !file.is_whole() {
                ImportFileState::Uploading
            } else if reading == Some(file.file) {
                ImportFileState::Reading
            } else if file.broken.is_some() {
                ImportFileState::Broken
            } else if file.read.is_some() {
                ImportFileState::Read
            } else {
                ImportFileState::Waiting
            },
            bytes: file.size,
            received: file.received,
            rows: file.read.as_ref().map_or(0, |read| read.counts.rows),
            found: file.read.as_ref().map(|read| read.found.clone()),
            broken: file.broken.clone(),
            settings: file.settings.clone(),
        };
        self.kept.files.iter().map(describe).collect()
    }
}

impl ImportSession {
    fn new(id: u64, folder: PathBuf, kept: StoredImport) -> Self {
        Self {
            id,
            folder,
            state: Mutex::new(SessionState::new(kept)),
            changed: Condvar::new(),
            saving: Mutex::default(),
        }
    }

    fn lock_state(&self) -> MutexGuard<'_, SessionState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stores everything that has to survive the end of the program.
    fn save_state(&self) -> Result<()> {
        let _saving = self.saving.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = self.lock_state().kept.clone();
        kept.write(&self.folder).map_err(|why| open::sources::to_io_error("written", &self.folder, &why))
    }

    /// Waits until no work is running and no upload is expected, or the generation differs from `seen`, or the
    /// timeout ends.
    fn wait_until_idle(&self, seen: Option<u32>, most: Duration) {
        let is_awaited = |state: &mut SessionState| {
            (state.working.is_some() || state.stage() == ImportStage::Uploading)
                && seen.is_none_or(|seen| seen == state.generation)
        };
        drop(self.changed.wait_timeout_while(self.lock_state(), most, is_awaited));
    }

    /// Returns the rows of all files together, or says why they are not available.
    fn require_combined(&self) -> Result<Arc<CombinedFiles>> {
        let state = self.lock_state();
        state.combined.clone().ok_or_else(|| {
            Error::conflict(match state.working {
                Some(_) => "The files are still being read. Wait until this finishes.",
                None => "Some files could not be read. Fix them, or remove them from this import.",
            })
        })
    }
}
