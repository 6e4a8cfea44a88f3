//! The import in a separate process, so that its memory is measured alone.

use std::{error::Error, fs::File, path::Path, time::Instant};

use roost_ops::{
    By, Core, Ctx, custom_field, history,
    import::{
        self, Accept, Rows, Spool,
        mapping::{OpenMapping, suggest},
        reading::{self, HeadRow},
    },
};
use serde::{Deserialize, Serialize};

use crate::memory;

/// The seconds of each pass, and its results.
#[derive(Debug, Serialize, Deserialize)]
pub struct Ran {
    pub read: f64,
    pub rehearsed: f64,
    pub accepted: f64,
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

impl Ran {
    pub fn seconds(&self) -> f64 {
        self.read + self.rehearsed + self.accepted
    }
}

impl std::fmt::Display for Ran {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(&serde_json::to_string(self).map_err(|_| std::fmt::Error)?)
    }
}

type Act = fn(&Core, &By, i64) -> Result<(), roost_ops::Error>;

/// The timed acts, in order. Each receives the number of the import.
const ACTS: [Act; 4] = [
    |core, by, _| history::undo(core, by).map(drop),
    |core, by, _| history::redo(core, by).map(drop),
    |core, by, import| import::history::revert(core, by, import).map(drop),
    |core, by, _| history::undo(core, by).map(drop),
];

/// Imports a file into a new list of a new account.
pub fn run(file: &Path, account: &Path) -> Result<Ran, Box<dyn Error>> {
    let core = Core::open(account, Ctx::system())?;
    let by = By::user(None);
    let begun = Instant::now();
    let mut opened = roost_sheets::open(Box::new(File::open(file)?), &roost_sheets::Options::default())?;
    let spool = Spool::create(&account.with_extension("rows"))?;
    let read = reading::read(&mut opened, spool, HeadRow::FindOut, &[], &Default::default())?;
    if let Some(fault) = read.fault {
        return Err(fault.into());
    }
    let took_read = begun.elapsed().as_secs_f64();

    let begun = Instant::now();
    let mapping = OpenMapping {
        region: Some("US".to_owned()),
        ..OpenMapping::of_suggestions(&suggest(&read.heads, &read.columns, &[], &custom_field::all(&core)?))
    };
    if mapping.targets.len() != read.heads.len() {
        return Err(format!("{} of {} columns were understood", mapping.targets.len(), read.heads.len()).into());
    }
    let rows = Rows { spool: &read.spool, heads: &read.heads, first: read.first, opted_out: &[] };
    let rehearsal = import::rehearse(&core, rows, &mapping, None, &Default::default())?;
    let rehearsed = begun.elapsed().as_secs_f64();

    let begun = Instant::now();
    let how = Accept { name: "bench.csv", kind: "text", new_list: Some("Everybody"), typed_count: None, mark: None };
    let accepted = import::accept(&core, &by, rows, &rehearsal, &how)?;
    let took_accepted = begun.elapsed().as_secs_f64();
    let peak = memory::peak()?;
    let counts = accepted.counts;

    let (mut taken_back, mut left) = ([0.0; 4], [0; 4]);
    for (nth, act) in ACTS.iter().enumerate() {
        let begun = Instant::now();
        act(&core, &by, accepted.import)?;
        taken_back[nth] = begun.elapsed().as_secs_f64();
        left[nth] =
            rusqlite::Connection::open(account)?.query_row("SELECT count(*) FROM contacts", [], |row| row.get(0))?;
    }
    Ok(Ran {
        read: took_read,
        rehearsed,
        accepted: took_accepted,
        taken_back,
        peak,
        rows: read.spool.rows() - read.first,
        new: counts.new,
        twice: counts.duplicate_in_file,
        invalid: counts.invalid,
        left,
    })
}
