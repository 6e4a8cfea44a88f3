//! Manages the files of an open import: adds, uploads, reads again, shows and removes them.

use std::{fs, path::PathBuf, sync::Arc};

use roost_model::error::FieldError;

use super::{
    super::{
        ImportSession,
        read_stage::to_spool_error,
        reports::{ImportRawRow, ImportSettings},
        stored::{BytesLocation, bytes_path},
        work::RunningWork,
    },
    ImportSessions,
    sources::{self, ImportSource, UploadPiece},
    truncate_text,
};
use roost_ops::{core::Core, error::Result};

use crate::spool::FrameReader;

/// Characters of a cell that are shown.
const CELL_CHARS_SHOWN: usize = 200;
/// Cells of a row that are shown.
const ROW_CELLS_SHOWN: usize = 200;

impl ImportSessions {
    /// Returns the paths of all files of this computer that open imports read.
    pub fn input_paths(&self) -> Vec<PathBuf> {
        let open = self.lock_open();
        let files = open.imports.values().flat_map(|session| session.lock_state().kept.files.clone());
        files.filter_map(|file| if let BytesLocation::At(path) = file.bytes { Some(path) } else { None }).collect()
    }

    pub fn add_files(&self, core: &Core, import: u64, sources: Vec<ImportSource>) -> Result<()> {
        let session = self.get(core, import)?;
        session.end_unless_reading()?;
        {
            let mut state = session.lock_state();
            state.check_open()?;
            let mut kept = state.kept.clone();
            sources::add_sources(&mut kept, &session.folder, sources)?;
            state.kept = kept;
            state.drop_combined();
            state.mark_changed(core);
        }
        session.save_state()?;
        session.continue_reading(core)
    }

    pub fn receive_upload(&self, core: &Core, import: u64, upload: &UploadPiece) -> Result<u64> {
        let session = self.get(core, import)?;
        let received = {
            let mut state = session.lock_state();
            state.check_open()?;
            let file = state.find_file(upload.file)?;
            let received = sources::append_upload(file, &session.folder, upload)?;
            state.mark_changed(core);
            received
        };
        if upload.is_last {
            session.save_state()?;
            session.continue_reading(core)?;
        }
        Ok(received)
    }

    pub fn remove_file(&self, core: &Core, import: u64, file: u32) -> Result<()> {
        let session = self.get(core, import)?;
        session.end_work()?;
        let (of_bytes, is_last);
        {
            let mut state = session.lock_state();
            state.check_open()?;
            let group = state.find_file(file)?.group_id();
            state.kept.remove_file(file);
            is_last = state.kept.files.iter().all(|kept| kept.group_id() != group);
            of_bytes = group;
            state.spools.retain(|(owner, _)| *owner != file);
            state.kept.mended.clear();
            state.drop_combined();
            state.mark_changed(core);
        }
        // A file that cannot be removed now is removed together with the folder.
        if is_last {
            let _ = fs::remove_file(bytes_path(&session.folder, of_bytes));
        }
        session.save_state()?;
        session.continue_reading(core)
    }

    /// Changes how a file is read.
    pub fn set_file_settings(&self, core: &Core, import: u64, file: u32, settings: ImportSettings) -> Result<()> {
        if let Some(message) = settings.dialect.and_then(|dialect| dialect.validate()) {
            return Err(FieldError::new("settings.dialect", message, "").into());
        }
        let session = self.get(core, import)?;
        session.end_work()?;
        {
            let mut state = session.lock_state();
            state.check_open()?;
            let kept = state.find_file(file)?;
            if kept.settings == settings && !kept.is_waiting() {
                return Ok(());
            }
            let before = std::mem::replace(&mut kept.settings, settings);
            // Whether only the good rows are imported does not affect reading.
            let is_read_anew = ImportSettings { takes_part: kept.settings.takes_part, ..before } != kept.settings;
            if is_read_anew && kept.is_whole() {
                kept.read = None;
                kept.broken = None;
                state.spools.retain(|(owner, _)| *owner != file);
                state.kept.mended.clear();
            }
            state.drop_combined();
            state.mark_changed(core);
        }
        session.save_state()?;
        session.continue_reading(core)
    }

    /// Returns rows of a file as they were read.
    pub fn sample_rows(
        &self,
        core: &Core,
        import: u64,
        file: u32,
        from: u64,
        count: usize,
    ) -> Result<Vec<ImportRawRow>> {
        let session = self.get(core, import)?;
        session.ensure_loaded(core)?;
        let (spool, head, first) = {
            let mut state = session.lock_state();
            state.find_file(file)?;
            let Some((read, spool)) = state.find_read(file) else { return Ok(Vec::new()) };
            (Arc::clone(spool), read.found.head.row, read.found.first)
        };
        let (mut reader, mut rows) = (FrameReader::default(), Vec::with_capacity(count));
        let mut row = from;
        while rows.len() < count {
            let Some((frame, at)) = spool.locate_row(row) else { break };
            spool.read_frame(frame, &mut reader).map_err(to_spool_error)?;
            for at in at..reader.block.len() {
                if rows.len() == count {
                    break;
                }
                let found = reader.block.row(at);
                rows.push(ImportRawRow {
                    row,
                    place: found.place,
                    cells: found
                        .cells()
                        .take(ROW_CELLS_SHOWN)
                        .map(|cell| truncate_text(cell, CELL_CHARS_SHOWN))
                        .collect(),
                    is_head: head.is_some_and(|head| u64::from(head) == row),
                    is_above: row < first && head.is_none_or(|head| u64::from(head) != row),
                });
                row += 1;
            }
        }
        Ok(rows)
    }
}

impl ImportSession {
    /// Ends the running work, except reading, because more files can be added while others are read.
    fn end_unless_reading(&self) -> Result<()> {
        let goes_on = self.lock_state().working.as_ref().is_some_and(RunningWork::can_read_more);
        if goes_on { Ok(()) } else { self.end_work() }
    }
}
