//! The import in a separate process, so that its memory is measured alone.

use std::{error::Error, fs::File, path::Path, time::Instant};

use roost_imports::{
    AcceptOptions, Spool, SpooledRows,
    mapping::{OpenMapping, suggest_fields},
    reading::{self, HeadRow},
};
use roost_ops::{Actor, Core, Ctx, custom_field, history};
use serde::{Deserialize, Serialize};

use crate::{memory, processor};

/// The seconds of each pass, and its results.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ImportRun {
    pub read: f64,
    pub rehearsed: f64,
    pub accepted: f64,
    /// The seconds of processor time until the commit.
    pub processor: f64,
    /// The seconds of undo, redo, revert, and undo of the revert.
    pub taken_back: [f64; 4],
    /// The peak memory in MiB, from the start of the process to the commit.
    pub peak: f64,
    pub rows: u64,
    pub new: u64,
    pub twice: u64,
    pub invalid: u64,
    /// The number of contacts after each of the four.
    pub left: [i64; 4],
}

impl ImportRun {
    pub(crate) fn total_seconds(&self) -> f64 {
        self.read + self.rehearsed + self.accepted
    }
}

impl std::fmt::Display for ImportRun {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(&serde_json::to_string(self).map_err(|_| std::fmt::Error)?)
    }
}

type ImportPass = fn(&Core, &Actor, i64) -> Result<(), roost_ops::Error>;

/// The timed acts, in order. Each receives the number of the import.
const ACTS: [ImportPass; 4] = [
    |core, by, _| history::undo(core, by).map(drop),
    |core, by, _| history::redo(core, by).map(drop),
    |core, by, import| roost_imports::history::revert(core, by, import).map(drop),
    |core, by, _| history::undo(core, by).map(drop),
];

/// Imports a file into a new list of a new account.
pub(crate) fn import_file(file: &Path, account: &Path) -> Result<ImportRun, Box<dyn Error>> {
    let core = Core::open(account, Ctx::system())?;
    let by = Actor::user(None);
    let begun = Instant::now();
    let mut opened = roost_sheets::open(Box::new(File::open(file)?), &roost_sheets::ReadOptions::default())?;
    let spool = Spool::create(&account.with_extension("rows"))?;
    let read = reading::read_file(&mut opened, spool, HeadRow::FindOut, &[], &Default::default())?;
    if let Some(fault) = read.fault {
        return Err(fault.into());
    }
    let took_read = begun.elapsed().as_secs_f64();

    let begun = Instant::now();
    let mapping = OpenMapping {
        region: Some("US".to_owned()),
        ..OpenMapping::from_suggestions(&suggest_fields(
            &read.heads,
            &read.columns,
            &[],
            &custom_field::read_all(&core)?,
        ))
    };
    if mapping.targets.len() != read.heads.len() {
        return Err(format!("{} of {} columns were understood", mapping.targets.len(), read.heads.len()).into());
    }
    let rows =
        SpooledRows { spool: &read.spool, heads: &read.heads, first_value_row: read.first_value_row, opted_out: &[] };
    let rehearsal = roost_imports::rehearse_rows(&core, rows, &mapping, None, &Default::default())?;
    let rehearsed = begun.elapsed().as_secs_f64();

    let begun = Instant::now();
    let how =
        AcceptOptions { name: "bench.csv", kind: "text", new_list: Some("Everybody"), typed_count: None, mark: None };
    let accepted = roost_imports::accept_rehearsal(&core, &by, rows, &rehearsal, &how)?;
    let took_accepted = begun.elapsed().as_secs_f64();
    let (peak, processor) = (memory::peak_mib()?, processor::own_seconds()?);
    let counts = accepted.counts;

    let (mut taken_back, mut left) = ([0.0; 4], [0; 4]);
    for (nth, act) in ACTS.iter().enumerate() {
        let begun = Instant::now();
        act(&core, &by, accepted.import)?;
        taken_back[nth] = begun.elapsed().as_secs_f64();
        left[nth] =
            rusqlite::Connection::open(account)?.query_row("SELECT count(*) FROM contacts", [], |row| row.get(0))?;
    }
    Ok(ImportRun {
        read: took_read,
        rehearsed,
        accepted: took_accepted,
        processor,
        taken_back,
        peak,
        rows: read.spool.row_count() - read.first_value_row,
        new: counts.new,
        twice: counts.duplicate_in_file,
        invalid: counts.invalid,
        left,
    })
}
