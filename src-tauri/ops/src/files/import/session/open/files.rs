//! Manages the files of an open import: adds, uploads, reads again, shows and removes them.

use std::{fs, path::PathBuf, sync::Arc};

use roost_model::error::Fault;

use super::{
    super::{
        Session,
        kept::{Bytes, bytes_of},
        read::of_spool,
        sources::{self, ImportSource, Upload},
        told::{ImportRawRow, ImportSettings},
        work::Working,
    },
    Imports, cut,
};
use crate::{core::Core, error::Result, files::import::spool::FrameReader};

/// Characters of a cell that are shown.
const SHOWN: usize = 200;
/// Cells of a row that are shown.
const CELLS_SHOWN: usize = 200;

impl Imports {
    /// Returns the paths of all files of this computer that open imports read.
    pub fn inputs(&self) -> Vec<PathBuf> {
        let open = self.hold();
        let files = open.imports.values().flat_map(|session| session.hold().kept.files.clone());
        files.filter_map(|file| if let Bytes::At(path) = file.bytes { Some(path) } else { None }).collect()
    }

    pub fn add(&self, core: &Core, import: u64, sources: Vec<ImportSource>) -> Result<()> {
        let session = self.get(core, import)?;
        session.end_unless_reading()?;
        {
            let mut standing = session.hold();
            standing.check_open()?;
            let mut kept = standing.kept.clone();
            sources::take(&mut kept, &session.folder, sources)?;
            standing.kept = kept;
            standing.scatter();
            standing.touched(core);
        }
        session.save()?;
        session.read_on(core)
    }

    pub fn upload(&self, core: &Core, import: u64, upload: &Upload) -> Result<u64> {
        let session = self.get(core, import)?;
        let received = {
            let mut standing = session.hold();
            standing.check_open()?;
            let file = standing.file(upload.file)?;
            let received = sources::receive(file, &session.folder, upload)?;
            standing.touched(core);
            received
        };
        if upload.is_last {
            session.save()?;
            session.read_on(core)?;
        }
        Ok(received)
    }

    pub fn remove_file(&self, core: &Core, import: u64, file: u32) -> Result<()> {
        let session = self.get(core, import)?;
        session.end_work()?;
        let (of_bytes, is_last);
        {
            let mut standing = session.hold();
            standing.check_open()?;
            let group = standing.file(file)?.group();
            standing.kept.remove_file(file);
            is_last = standing.kept.files.iter().all(|kept| kept.group() != group);
            of_bytes = group;
            standing.spools.retain(|(of, _)| *of != file);
            standing.kept.mended.clear();
            standing.scatter();
            standing.touched(core);
        }
        // A file that cannot be removed now is removed together with the folder.
        if is_last {
            let _ = fs::remove_file(bytes_of(&session.folder, of_bytes));
        }
        session.save()?;
        session.read_on(core)
    }

    /// Changes how a file is read.
    pub fn read_as(&self, core: &Core, import: u64, file: u32, settings: ImportSettings) -> Result<()> {
        if let Some(told) = settings.dialect.and_then(|dialect| dialect.fault()) {
            return Err(Fault::new("settings.dialect", told, "").into());
        }
        let session = self.get(core, import)?;
        session.end_work()?;
        {
            let mut standing = session.hold();
            standing.check_open()?;
            let kept = standing.file(file)?;
            if kept.settings == settings && !kept.waits() {
                return Ok(());
            }
            let before = std::mem::replace(&mut kept.settings, settings);
            // Whether only the good rows are imported does not affect reading.
            let is_read_anew = ImportSettings { takes_part: kept.settings.takes_part, ..before } != kept.settings;
            if is_read_anew && kept.is_whole() {
                kept.read = None;
                kept.broken = None;
                standing.spools.retain(|(of, _)| *of != file);
                standing.kept.mended.clear();
            }
            standing.scatter();
            standing.touched(core);
        }
        session.save()?;
        session.read_on(core)
    }

    /// Returns rows of a file as they were read.
    pub fn sample(&self, core: &Core, import: u64, file: u32, from: u64, count: usize) -> Result<Vec<ImportRawRow>> {
        let session = self.get(core, import)?;
        session.find_again(core)?;
        let (spool, head, first) = {
            let mut standing = session.hold();
            standing.file(file)?;
            let Some((read, spool)) = standing.read_of(file) else { return Ok(Vec::new()) };
            (Arc::clone(spool), read.found.head.row, read.found.first)
        };
        let (mut reader, mut rows) = (FrameReader::default(), Vec::with_capacity(count));
        let mut row = from;
        while rows.len() < count {
            let Some((frame, at)) = spool.find(row) else { break };
            spool.read(frame, &mut reader).map_err(of_spool)?;
            for at in at..reader.block.len() {
                if rows.len() == count {
                    break;
                }
                let found = reader.block.row(at);
                rows.push(ImportRawRow {
                    row,
                    place: found.place,
                    cells: found.cells().take(CELLS_SHOWN).map(|cell| cut(cell, SHOWN)).collect(),
                    is_head: head.is_some_and(|head| u64::from(head) == row),
                    is_above: row < first && head.is_none_or(|head| u64::from(head) != row),
                });
                row += 1;
            }
        }
        Ok(rows)
    }
}

impl Session {
    /// Ends the running work, except reading, because more files can be added while others are read.
    fn end_unless_reading(&self) -> Result<()> {
        let goes_on = self.hold().working.as_ref().is_some_and(Working::goes_on_reading);
        if goes_on { Ok(()) } else { self.end_work() }
    }
}
