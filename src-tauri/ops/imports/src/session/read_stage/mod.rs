//! Reads the files of an import one after the other and combines their rows.

mod combine;

use std::{
    fs, io,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use roost_sheets::{FilePosition, OpenedSheet, ReadOptions};
use roost_store::{error::StoreError, watch::Watch};

pub(super) use self::combine::CombinedFiles;
use self::combine::{ReadFile, combine_files};
use super::{
    super::{
        reading,
        spool::{DAMAGED_MESSAGE, Spool},
    },
    ImportSession, SessionState,
    open::{
        parts::{self, PartSurvey},
        sources, truncate_text,
    },
    reports::{ImportBreak, ImportFound, ImportWork},
    stored::{StoredFile, StoredRead},
    work::WorkContext,
};
use roost_ops::{
    core::Core,
    error::{Error, Result},
};

/// Characters of the heading above the names of the columns that are stored.
const HEADING_MAX: usize = 200;

/// The result of reading a file.
pub(super) struct ReadOutcome {
    pub read: Option<(StoredRead, Spool)>,
    pub broken: Option<ImportBreak>,
    /// All parts of the file, if it has several and is read for the first time.
    pub parts: Vec<PartSurvey>,
}

impl ImportSession {
    /// Reads the files that wait, and combines all files when everything is read.
    pub(super) fn continue_reading(self: &Arc<Self>, core: &Core) -> Result<()> {
        let waiting = |state: &SessionState| -> u64 {
            state.kept.files.iter().filter(|file| file.is_waiting()).map(|file| file.size).sum()
        };
        {
            let mut state = self.lock_state();
            if state.is_combined() || state.kept.files.is_empty() {
                return Ok(());
            }
            // The running work reads these files as well.
            let bytes = waiting(&state);
            if let Some(working) = state.working.as_mut().filter(|working| working.can_read_more()) {
                working.bytes_total = working.bytes.load(Ordering::Relaxed) + bytes;
                return Ok(());
            }
        }
        self.end_work()?;
        let bytes = waiting(&self.lock_state());
        self.start_work(core, ImportWork::Read, bytes, read_files)
    }
}

fn read_files(context: &WorkContext) -> Result<()> {
    let session = &context.session;
    loop {
        let next = {
            let mut state = session.lock_state();
            let next = state.kept.files.iter().find(|file| file.is_waiting()).cloned();
            let number = next.as_ref().map(|file| file.file);
            if let Some(working) = &mut state.working {
                working.file = number;
                working.is_closed = number.is_none();
            }
            next.map(|file| (file, state.next_spool_name()))
        };
        let Some((file, name)) = next else { break };
        let outcome = read_file(&file, &session.folder, &name, &context.bytes, &context.watch)?;
        session.update_state(context, |state| state.record_read(file.file, outcome))?;
        session.save_state()?;
    }
    let Some((files, path)) = session.lock_state().files_to_combine(&session.folder) else { return Ok(()) };
    let ones: Vec<ReadFile> =
        files.iter().map(|(file, read, spool)| ReadFile { file: *file, read, spool: Arc::clone(spool) }).collect();
    let combined = combine_files(&ones, &path, &context.watch).map_err(to_spool_error)?;
    let combined = session.apply_fixes(combined).map_err(to_spool_error)?;
    session.set_combined(context, combined)
}

/// Converts an error of the spool. An end that was asked for is a cancellation.
pub(super) fn to_spool_error(why: io::Error) -> Error {
    match why.kind() {
        io::ErrorKind::Interrupted => StoreError::Cancelled.into(),
        io::ErrorKind::StorageFull => {
            Error::conflict("The disk has no room for the rows of the file. Free some space and read it again.")
        }
        _ => Error::conflict(format!("The rows of the file cannot be stored: {why}")),
    }
}

/// Reads one file into a new spool.
fn read_file(
    file: &StoredFile,
    folder: &Path,
    name: &str,
    bytes: &Arc<AtomicU64>,
    watch: &Watch,
) -> Result<ReadOutcome> {
    let settings = &file.settings;
    let options = ReadOptions {
        kind: settings.kind,
        encoding: settings.encoding,
        dialect: settings.dialect,
        sheet: settings.sheet.clone(),
        ..ReadOptions::default()
    };
    let source = sources::open_bytes(file, folder, bytes)?;
    let broken = |fault: roost_sheets::SheetError, rows_before, lines_left| ImportBreak {
        message: fault.to_string(),
        place: fault.place,
        rows_before,
        lines_left,
    };
    let mut opened = match roost_sheets::open(Box::new(source), &options) {
        Ok(opened) => opened,
        Err(fault) => return Ok(ReadOutcome { read: None, broken: Some(broken(fault, 0, None)), parts: Vec::new() }),
    };
    let path = folder.join(name);
    let put_aside = |opened: &mut OpenedSheet| {
        let spool = Spool::create(&path).map_err(to_spool_error)?;
        reading::read_file(opened, spool, settings.head, &file.places, watch).map_err(to_spool_error)
    };
    let open = || Ok(Box::new(sources::open_bytes(file, folder, &Arc::default())?) as roost_sheets::FileSource);
    let mut read = put_aside(&mut opened)?;
    if settings.sheet.is_none()
        && let Some(sheet) = parts::choose_better_part(&opened, &read, &options, open)?
        && let Ok(mut better) = roost_sheets::open(open()?, &ReadOptions { sheet: Some(sheet), ..options.clone() })
    {
        drop(read);
        fs::remove_file(&path).map_err(to_spool_error)?;
        read = put_aside(&mut better)?;
        opened = better;
    }
    let rows = read.spool.row_count();
    let interruption = read.fault.take().map(|fault| broken(fault, read.counts.rows, read.lines_left));
    if rows == 0 {
        let nothing = || ImportBreak {
            message: "There are no rows in it.".to_owned(),
            place: FilePosition::File,
            rows_before: 0,
            lines_left: None,
        };
        return Ok(ReadOutcome { read: None, broken: Some(interruption.unwrap_or_else(nothing)), parts: Vec::new() });
    }
    let parts = if file.of.is_none() && opened.sheets.len() > 1 {
        parts::survey_parts(&opened, &read, &options, open, watch)?
    } else {
        Vec::new()
    };
    let OpenedSheet { kind, packing, encoding, dialect, sheets, sheet, .. } = opened;
    let found = ImportFound {
        kind,
        packing: packing.map(str::to_owned),
        encoding,
        dialect,
        sheets,
        sheet: sheet.map(|sheet| sheet as u32),
        head: read.head,
        heads: read.heads,
        first: read.first_value_row,
    };
    let length = read.spool.byte_length();
    let kept = StoredRead {
        found,
        columns: read.columns,
        rows,
        counts: read.counts,
        remarks: read.remarks,
        heading: truncate_text(&read.heading, HEADING_MAX),
        title_of_opt_outs: read.title_of_opt_outs,
        spool: name.to_owned(),
        length,
    };
    Ok(ReadOutcome { read: Some((kept, read.spool)), broken: interruption, parts })
}

/// Opens the spool of a file that was read.
pub(super) fn open_spool(folder: &Path, read: &StoredRead) -> Result<Spool> {
    Spool::open_truncated(&folder.join(&read.spool), read.length).map_err(to_spool_error).and_then(|spool| {
        if spool.row_count() == read.rows { Ok(spool) } else { Err(Error::conflict(DAMAGED_MESSAGE)) }
    })
}

/// Returns the fault of a file whose upload was cut off by the end of the program.
pub(super) fn upload_cut_off() -> ImportBreak {
    let message = "It did not arrive completely before the program ended. Remove it and choose it again.".to_owned();
    ImportBreak { message, place: FilePosition::File, rows_before: 0, lines_left: None }
}

pub(super) type FilesToCombine = Vec<(u32, StoredRead, Arc<Spool>)>;

impl ImportSession {
    fn set_combined(&self, context: &WorkContext, combined: CombinedFiles) -> Result<()> {
        let (mapping, heads) = super::mapping_stage::choose_first_mapping(&context.core, self, &combined)?;
        self.update_state(context, |state| {
            state.combined = Some(Arc::new(combined));
            state.rehearsal = None;
            state.kept.heads = heads;
            if let Some((mapping, by, profile)) = mapping {
                state.kept.mapping = Some(mapping);
                state.kept.by = by;
                state.kept.profile = profile;
            }
        })?;
        self.save_state()
    }
}
