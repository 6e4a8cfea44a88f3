//! P1, P9 and P12 of the import: a long CSV becomes a list, compared with SQLite's own import of the same rows.

pub(crate) mod file;
pub(crate) mod ours;
mod peer;
pub(crate) mod xlsx;

use std::{env, error::Error, fs, path::Path, process::Command};

use self::{ours::ImportRun, peer::PeerRun};
use crate::{
    BenchOutcome,
    report::{Measurement, median_of},
};

const ROWS: u64 = 1_000_000;
const SIZES: [u64; 4] = [10_000, 100_000, ROWS, 5 * ROWS];
/// The environment variable for the length of the longest file, if there is no space or time for the default (about 5
/// GB on disk).
const LONGEST: &str = "ROOST_BENCH_LONGEST";
const RATIO: f64 = 2.0;
const MEMORY_MIB: f64 = 150.0;
const RUNS: usize = 3;

/// Imports the file in a separate process and checks the result.
fn import_in_process(folder: &Path, file: &Path, rows: u64) -> Result<ImportRun, Box<dyn Error>> {
    let account = folder.join("ours.roost");
    let ran = Command::new(env::current_exe()?).arg("--import").arg(file).arg(&account).output()?;
    if !ran.status.success() {
        return Err(format!("the import failed: {}", String::from_utf8_lossy(&ran.stderr)).into());
    }
    let ran: ImportRun = serde_json::from_slice(&ran.stdout)?;
    let want = file::expected_facts(rows);
    let left = [0, want.new as i64, 0, want.new as i64];
    if (ran.rows, ran.new, ran.twice, ran.invalid, ran.left) != (rows, want.new, want.twice, want.invalid, left) {
        return Err(format!("not what the file holds: {ran}").into());
    }
    empty_folder(folder, "ours")?;
    Ok(ran)
}

fn empty_folder(folder: &Path, of: &str) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(of) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

fn temporary_folder() -> Result<tempfile::TempDir, Box<dyn Error>> {
    fs::create_dir_all("target")?;
    Ok(tempfile::tempdir_in("target")?)
}

/// Ours and the peer run alternately, so that both meet the same conditions.
pub(crate) fn run_bench() -> BenchOutcome {
    let folder = temporary_folder()?;
    let file = folder.path().join("contacts.csv");
    file::make_file(&file, ROWS)?;
    let (mut ours, mut peers) = (Vec::new(), [Vec::new(), Vec::new()]);
    for _ in 0..RUNS {
        let ran = import_in_process(folder.path(), &file, ROWS)?;
        for (has_indexes, peers) in [true, false].into_iter().zip(&mut peers) {
            peers.push(peer::import_with_peer(folder.path(), ROWS, has_indexes)?);
            empty_folder(folder.path(), "peer")?;
            empty_folder(folder.path(), "schema")?;
        }
        eprintln!(
            "  read {:.2} s, rehearsed {:.2} s, accepted {:.2} s; taken back {:.2?} s; {:.0} MiB",
            ran.read, ran.rehearsed, ran.accepted, ran.taken_back, ran.peak
        );
        ours.push(ran);
    }
    let [indexed, plain] = peers;
    let what = format!("import of {ROWS} rows x 16, read to commit; sqlite3 .import");
    let middle = |of: fn(&ImportRun) -> f64| median_of(ours.iter().map(of).collect());
    let peak = ours.iter().map(|ran| ran.peak).fold(0.0, f64::max);
    let import = middle(ImportRun::total_seconds);
    let mut rows = vec![
        Measurement::at_most("P1", what, "s", import, median_of(indexed.iter().map(|run| run.total).collect()), RATIO),
        Measurement::at_most(
            "P9",
            format!("memory of the process that imports {ROWS} rows"),
            "MiB",
            peak,
            MEMORY_MIB,
            1.0,
        ),
    ];
    for (what, peers) in [("with the same indexes", &indexed), ("without indexes", &plain)] {
        let (what, peer) = (format!("processor time of that import; sqlite3 .import {what}"), processor_of(peers));
        rows.push(Measurement::at_most("P1", what, "s", middle(|ran| ran.processor), peer, RATIO));
    }
    for (nth, act) in ["undo", "redo", "revert", "undo of a revert"].into_iter().enumerate() {
        let took = median_of(ours.iter().map(|ran| ran.taken_back[nth]).collect());
        let most = if act == "undo" { 0.5 } else { 1.0 };
        rows.push(Measurement::at_most("acts", format!("{act}, {ROWS} rows; their import"), "s", took, import, most));
    }
    rows.extend(xlsx::measure_reading()?);
    Ok(rows)
}

fn processor_of(peers: &[PeerRun]) -> f64 {
    median_of(peers.iter().map(|run| run.processor).collect())
}

/// P12: a row costs the same in a long file as in a short one.
pub(crate) fn measure_sizes() -> BenchOutcome {
    let longest = match env::var(LONGEST) {
        Ok(given) => given.parse().map_err(|_| format!("{LONGEST} is not a number: {given}"))?,
        Err(_) => u64::MAX,
    };
    let (mut rows, mut first) = (Vec::new(), None);
    for size in SIZES.into_iter().filter(|size| *size <= longest) {
        let folder = temporary_folder()?;
        let file = folder.path().join("contacts.csv");
        file::make_file(&file, size)?;
        // Other load on the machine only adds to a time.
        let (mut least, mut peak) = (f64::MAX, 0.0_f64);
        for _ in 0..if size < ROWS { 5 } else { 2 } {
            let ran = import_in_process(folder.path(), &file, size)?;
            least = least.min(ran.total_seconds() * 1e6 / size as f64);
            peak = peak.max(ran.peak);
        }
        let of_first = *first.get_or_insert(least);
        rows.push(Measurement::at_most("P12", format!("import, a row of {size}"), "us", least, of_first, 1.3));
        eprintln!("  {size} rows are imported, {peak:.0} MiB");
    }
    Ok(rows)
}
