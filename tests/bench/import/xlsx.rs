//! The reading of a workbook, compared with python-calamine, which reads the same file.

use std::{
    env,
    error::Error,
    fs::{self, File},
    path::Path,
    process::Command,
};

use roost_imports::{
    Spool,
    reading::{self, HeadRow},
};

use super::{RUNS, file, temporary_folder};
use crate::{
    BenchOutcome,
    processor::children_seconds,
    report::{Measurement, median_of},
};

const ROWS: u64 = 200_000;
const PYTHON: &str = "target/venv/bin/python";
const SCRIPT: &str = "tests/bench/import/workbook.py";

/// Reads a workbook into a spool, as the first step of an import does, and returns its rows.
pub(crate) fn read_workbook(file: &Path) -> Result<u64, Box<dyn Error>> {
    let mut opened = roost_sheets::open(Box::new(File::open(file)?), &roost_sheets::ReadOptions::default())?;
    let rows = file.with_extension("rows");
    let read = reading::read_file(&mut opened, Spool::create(&rows)?, HeadRow::FindOut, &[], &Default::default())?;
    // The next run creates it again.
    fs::remove_file(rows)?;
    read.fault.map_or(Ok(read.spool.row_count()), |fault| Err(fault.into()))
}

/// Returns the seconds of processor time of a process that prints the number of the rows.
fn time_reader(command: &mut Command) -> Result<f64, Box<dyn Error>> {
    let before = children_seconds()?;
    let ran = command.output()?;
    let printed = String::from_utf8_lossy(&ran.stdout);
    if !ran.status.success() || printed.trim() != (ROWS + 1).to_string() {
        return Err(
            format!("expected {} rows, got {printed}: {}", ROWS + 1, String::from_utf8_lossy(&ran.stderr)).into()
        );
    }
    Ok(children_seconds()? - before)
}

pub(super) fn measure_reading() -> BenchOutcome {
    let folder = temporary_folder()?;
    let (csv, workbook) = (folder.path().join("contacts.csv"), folder.path().join("contacts.xlsx"));
    file::make_file(&csv, ROWS)?;
    let written = Command::new(PYTHON).args([SCRIPT, "write"]).args([&csv, &workbook]).output();
    let written = written.map_err(|why| format!("{PYTHON} cannot be run ({why}); make setup installs it"))?;
    if !written.status.success() {
        return Err(String::from_utf8_lossy(&written.stderr).into());
    }
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        ours.push(time_reader(Command::new(env::current_exe()?).arg("--workbook").arg(&workbook))?);
        theirs.push(time_reader(Command::new(PYTHON).args([SCRIPT, "read"]).arg(&workbook))?);
    }
    let what = format!("processor time of reading {ROWS} rows of a workbook; python-calamine");
    Ok(vec![Measurement::at_most("P1", what, "s", median_of(ours), median_of(theirs), 1.0)])
}
