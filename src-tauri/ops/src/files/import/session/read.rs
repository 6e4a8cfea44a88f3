//! Reads the files of an import one after the other and combines their rows.

use std::{
    fs, io,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use roost_sheets::{Opened, Options, Place};
use roost_store::{error::Error as StoreError, watch::Watch};

use super::{
    super::{reading, spool::Spool},
    Session, Standing,
    kept::{KeptFile, KeptRead},
    open::{
        cut,
        parts::{self, PartSurvey},
    },
    sources,
    told::{ImportBreak, ImportFound, ImportWork},
    unite::{One, United, unite},
    work::Hands,
};
use crate::{
    core::Core,
    error::{Error, Result},
};

/// Characters of the heading above the names of the columns that are stored.
const HEADING_MAX: usize = 200;

/// The result of reading a file.
pub(super) struct Outcome {
    pub read: Option<(KeptRead, Spool)>,
    pub broken: Option<ImportBreak>,
    /// All parts of the file, if it has several and is read for the first time.
    pub parts: Vec<PartSurvey>,
}

impl Session {
    /// Reads the files that wait, and combines all files when everything is read.
    pub(super) fn read_on(self: &Arc<Self>, core: &Core) -> Result<()> {
        let waiting = |standing: &Standing| -> u64 {
            standing.kept.files.iter().filter(|file| file.waits()).map(|file| file.size).sum()
        };
        {
            let mut standing = self.hold();
            if standing.is_united() || standing.kept.files.is_empty() {
                return Ok(());
            }
            // The running work reads these files as well.
            let bytes = waiting(&standing);
            if let Some(working) = standing.working.as_mut().filter(|working| working.goes_on_reading()) {
                working.bytes_total = working.bytes.load(Ordering::Relaxed) + bytes;
                return Ok(());
            }
        }
        self.end_work()?;
        let bytes = waiting(&self.hold());
        self.start(core, ImportWork::Read, bytes, read_all)
    }
}

fn read_all(hands: &Hands) -> Result<()> {
    let session = &hands.session;
    loop {
        let next = {
            let mut standing = session.hold();
            let next = standing.kept.files.iter().find(|file| file.waits()).cloned();
            let number = next.as_ref().map(|file| file.file);
            if let Some(working) = &mut standing.working {
                working.file = number;
                working.is_closing = number.is_none();
            }
            next.map(|file| (file, standing.next_spool()))
        };
        let Some((file, name)) = next else { break };
        let outcome = one(&file, &session.folder, &name, &hands.bytes, &hands.watch)?;
        session.put(hands, |standing| standing.has_read(file.file, outcome))?;
        session.save()?;
    }
    let Some((files, path)) = session.hold().all_to_unite(&session.folder) else { return Ok(()) };
    let ones: Vec<One> =
        files.iter().map(|(file, read, spool)| One { file: *file, read, spool: Arc::clone(spool) }).collect();
    let united = unite(&ones, &path, &hands.watch).map_err(of_spool)?;
    let united = session.with_mended(united).map_err(of_spool)?;
    session.take_united(hands, united)
}

/// Converts an error of the spool. An end that was asked for is a cancellation.
pub(super) fn of_spool(why: io::Error) -> Error {
    match why.kind() {
        io::ErrorKind::Interrupted => StoreError::Cancelled.into(),
        io::ErrorKind::StorageFull => {
            Error::conflict("There is no room left on the disk for the rows of the file. Make room and read it again.")
        }
        _ => Error::conflict(format!("The rows of the file cannot be put aside: {why}")),
    }
}

/// Reads one file into a new spool.
fn one(file: &KeptFile, folder: &Path, name: &str, bytes: &Arc<AtomicU64>, watch: &Watch) -> Result<Outcome> {
    let settings = &file.settings;
    let options = Options {
        kind: settings.kind,
        encoding: settings.encoding,
        dialect: settings.dialect,
        sheet: settings.sheet.clone(),
        ..Options::default()
    };
    let source = sources::open(file, folder, bytes)?;
    let broken = |fault: roost_sheets::Fault, rows_before, lines_left| ImportBreak {
        message: fault.to_string(),
        place: fault.place,
        rows_before,
        lines_left,
    };
    let mut opened = match roost_sheets::open(Box::new(source), &options) {
        Ok(opened) => opened,
        Err(fault) => return Ok(Outcome { read: None, broken: Some(broken(fault, 0, None)), parts: Vec::new() }),
    };
    let path = folder.join(name);
    let put_aside = |opened: &mut Opened| {
        let spool = Spool::create(&path).map_err(of_spool)?;
        reading::read(opened, spool, settings.head, &file.places, watch).map_err(of_spool)
    };
    let open = || Ok(Box::new(sources::open(file, folder, &Arc::default())?) as roost_sheets::Source);
    let mut read = put_aside(&mut opened)?;
    if settings.sheet.is_none()
        && let Some(sheet) = parts::better_part(&opened, &read, &options, open)?
        && let Ok(mut better) = roost_sheets::open(open()?, &Options { sheet: Some(sheet), ..options.clone() })
    {
        drop(read);
        fs::remove_file(&path).map_err(of_spool)?;
        read = put_aside(&mut better)?;
        opened = better;
    }
    let rows = read.spool.rows();
    let told = read.fault.take().map(|fault| broken(fault, read.counts.rows, read.lines_left));
    if rows == 0 {
        let nothing = || ImportBreak {
            message: "There are no rows in it.".to_owned(),
            place: Place::File,
            rows_before: 0,
            lines_left: None,
        };
        return Ok(Outcome { read: None, broken: Some(told.unwrap_or_else(nothing)), parts: Vec::new() });
    }
    let parts = if file.of.is_none() && opened.sheets.len() > 1 {
        parts::survey(&opened, &read, &options, open, watch)?
    } else {
        Vec::new()
    };
    let Opened { kind, packing, encoding, dialect, sheets, sheet, .. } = opened;
    let found = ImportFound {
        kind,
        packing: packing.map(str::to_owned),
        encoding,
        dialect,
        sheets,
        sheet: sheet.map(|sheet| sheet as u32),
        head: read.head,
        heads: read.heads,
        first: read.first,
    };
    let length = read.spool.length();
    let kept = KeptRead {
        found,
        columns: read.columns,
        rows,
        counts: read.counts,
        remarks: read.remarks,
        heading: cut(&read.heading, HEADING_MAX),
        title_of_opt_outs: read.title_of_opt_outs,
        spool: name.to_owned(),
        length,
    };
    Ok(Outcome { read: Some((kept, read.spool)), broken: told, parts })
}

/// Opens the spool of a file that was read.
pub(super) fn spool_of(folder: &Path, read: &KeptRead) -> Result<Spool> {
    Spool::open_to(&folder.join(&read.spool), read.length)
        .map_err(of_spool)
        .and_then(|spool| if spool.rows() == read.rows { Ok(spool) } else { Err(Error::conflict(DAMAGED)) })
}

/// Returns the fault of a file whose upload was cut off by the end of the program.
pub(super) fn cut_off() -> ImportBreak {
    let message = "Not all of it arrived before the program ended. Take it out and choose it again.".to_owned();
    ImportBreak { message, place: Place::File, rows_before: 0, lines_left: None }
}

const DAMAGED: &str = "What was put aside of the file is damaged. Open the file again.";

pub(super) type ToUnite = Vec<(u32, KeptRead, Arc<Spool>)>;

impl Session {
    fn take_united(&self, hands: &Hands, united: United) -> Result<()> {
        let (mapping, heads) = super::mapping::first_for(&hands.core, self, &united)?;
        self.put(hands, |standing| {
            standing.united = Some(Arc::new(united));
            standing.rehearsal = None;
            standing.kept.heads = heads;
            if let Some((mapping, by, profile)) = mapping {
                standing.kept.mapping = Some(mapping);
                standing.kept.by = by;
                standing.kept.profile = profile;
            }
        })?;
        self.save()
    }
}
