//! P9: the memory that a long list, its view, its texts, its export and acts on all its rows take, the duration of the
//! acts, and whether undo restores everything.

use std::{
    error::Error,
    fs,
    hash::{DefaultHasher, Hasher},
    path::Path,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use roost_exports::{self as export, CsvStyle, ExportRequest, ExportScope, FileFormat};
use roost_grid::grid::{BulkAct, CellSelection, FindDirection, ViewId, ViewSpec, WINDOW_ROWS};
use roost_model::intervals::RowIntervals;
use roost_ops::{Actor, history};
use roost_store::watch::Watch;
use serde_json::{Value, json};

use super::{
    GridBench, ROWS, contact_columns, elapsed_ms, file::make_in_process, peer::SqlitePeer, sorted_and_filtered,
    sorted_spec, temporary_folder,
};
use crate::{
    BenchOutcome,
    memory::{added_peak, resident_now},
    report::{Measurement, median_of},
};

/// The memory that a view, or an act and its undo, may add to the process.
const MEMORY_MIB: f64 = 150.0;
/// The memory that the texts of all lists may add.
const TEXTS_MIB: f64 = 256.0;
const EXPORT_MIB: f64 = 30.0;
/// The number of times that views are opened, searched and closed.
const TURNS: usize = 24;

fn memory_row(what: impl Into<String>, ours: f64, limit: f64) -> Measurement {
    Measurement::at_most("P9", what, "MiB", ours, limit, 1.0)
}

/// Returns a hash of all values of a column.
fn column_hash(bench: &GridBench, view: ViewId, column: &str) -> Result<u64, Box<dyn Error>> {
    let mut hasher = DefaultHasher::new();
    for from in (0..ROWS).step_by(WINDOW_ROWS as usize) {
        hasher.write(&bench.views.grid.read_window(
            &bench.core,
            view,
            None,
            from,
            WINDOW_ROWS,
            &[column.to_owned()],
        )?);
    }
    Ok(hasher.finish())
}

/// Exports the whole list, and searches from one end of a full column to the other.
fn measure_reads(
    bench: &GridBench,
    view: ViewId,
    folder: &Path,
    rows: &mut Vec<Measurement>,
) -> Result<(), Box<dyn Error>> {
    let (core, path, columns) = (&bench.core, folder.join("all.csv"), contact_columns());
    let export = ExportRequest {
        scope: ExportScope::Contacts {
            list: bench.list.clone(),
            ids: bench.views.grid.select_export_rows(view, None, None)?.1,
        },
        format: FileFormat::Csv(CsvStyle::default()),
        columns: columns.clone(),
        headings: columns.clone(),
        short_link_base: String::new(),
        without_opted_out: false,
    };
    let begun = Instant::now();
    let (most, written) = added_peak(|| {
        let mut file = fs::File::create(&path)?;
        let written = export::prepare_export(core, &export)?.write(core, &Arc::default(), &mut file)?;
        file.sync_all()?;
        Ok(written)
    })?;
    let what = format!("export of {written} rows x {}", columns.len());
    rows.push(Measurement::at_most("acts", what.clone(), "s", begun.elapsed().as_secs_f64(), 20.0, 1.0));
    rows.push(memory_row(format!("memory of: {what}"), most, EXPORT_MIB));
    let lines = bytes_of(&path, b'\n')?;
    if (written, lines) != (ROWS, ROWS + 1) {
        return Err(format!("{written} rows were written, and there are {lines} lines").into());
    }
    fs::remove_file(&path)?;
    for (what, column, from, direction, to) in [
        ("down a full column", "email_address", 0, FindDirection::Forwards, ROWS - 1),
        ("up a full column", "email_address", ROWS - 1, FindDirection::Backwards, 0),
        ("down a blank column", "address_2", 0, FindDirection::Forwards, ROWS - 1),
    ] {
        let mut runs = Vec::new();
        for _ in 0..5 {
            let begun = Instant::now();
            let found = bench.views.grid.find_edge(core, view, None, from, column, direction, &Arc::default())?;
            runs.push(elapsed_ms(begun));
            if found != to {
                return Err(format!("the edge {what} is {found}").into());
            }
        }
        rows.push(Measurement::at_most("acts", format!("edge of data, {what}"), "ms", median_of(runs), 100.0, 1.0));
    }
    Ok(())
}

/// Counts a byte in a file.
fn bytes_of(path: &Path, wanted: u8) -> Result<u64, Box<dyn Error>> {
    let (mut file, mut count, mut block) = (fs::File::open(path)?, 0, vec![0; 1 << 16]);
    loop {
        let len = std::io::Read::read(&mut file, &mut block)?;
        if len == 0 {
            return Ok(count);
        }
        count += block[..len].iter().filter(|byte| **byte == wanted).count() as u64;
    }
}

pub(crate) fn run() -> BenchOutcome {
    let folder = temporary_folder()?;
    let bench = GridBench::open(folder.path(), ROWS)?;
    let mut rows = Vec::new();
    eprintln!("  an open account of a million contacts: {:.0} MiB", resident_now()?);

    // The texts of the list are read in the background after the first view is open.
    let (both, view) = added_peak(|| {
        let (view, _) = bench.open_view(ViewSpec { sort: Vec::new(), ..sorted_spec(&bench.list) })?;
        bench.wait_until_prepared();
        Ok(view)
    })?;
    rows.push(memory_row("memory of the texts of 1,000,000 rows, as they are read", both, TEXTS_MIB));
    for (what, spec) in
        [("sorted", sorted_spec(&bench.list)), ("sorted and filtered", sorted_and_filtered(&bench.list))]
    {
        let (most, (_, view)) = added_peak(|| bench.time_build(spec))?;
        rows.push(memory_row(format!("memory of building a view of 1,000,000 rows, {what}"), most, MEMORY_MIB));
        bench.views.grid.close(view);
    }
    measure_turns(&bench, &mut rows)?;
    measure_reads(&bench, view, folder.path(), &mut rows)?;
    measure_acts(&bench, view, &mut rows)?;
    Ok(rows)
}

/// Opens, searches, scrolls and closes views. The process must not hold more memory after many rounds than after a few.
fn measure_turns(bench: &GridBench, rows: &mut Vec<Measurement>) -> Result<(), Box<dyn Error>> {
    let (columns, mut early) = (contact_columns(), 0.0);
    for turn in 0..TURNS {
        let (_, view) = bench.time_build(if turn % 2 == 0 {
            sorted_spec(&bench.list)
        } else {
            sorted_and_filtered(&bench.list)
        })?;
        bench.time_windows(view, turn as u64 * 10_000, &columns)?;
        bench.views.grid.close(view);
        bench.time_search(["silver", "company 4999", "7700900"][turn % 3])?;
        if turn == TURNS / 4 {
            early = resident_now()?;
        }
    }
    let what = format!("memory after {TURNS} views and searches, against after {}", TURNS / 4 + 1);
    rows.push(Measurement::at_most("P9", what, "MiB", resident_now()?, early, 1.1));
    Ok(())
}

fn measure_acts(bench: &GridBench, view: ViewId, rows: &mut Vec<Measurement>) -> Result<(), Box<dyn Error>> {
    let (core, by) = (&bench.core, Actor::user(None));
    let seconds = |what: String, ours: f64, limit: f64| Measurement::at_most("acts", what, "s", ours, limit, 1.0);
    let plain = json!({ "replace": {
        "find": "example.com", "with": "example.org", "regex": false, "whole_cell": false, "case": true
    } });
    for (what, column, act, count) in [
        ("replace in 500,000 rows", "email_address", plain, ROWS / 2),
        ("set a value in 1,000,000 rows", "city", json!({ "set": "Nowhere" }), ROWS),
    ] {
        let act: BulkAct = serde_json::from_value::<BulkAct>(act as Value)?;
        let (wanted, columns) = (RowIntervals::all_below(count), [column.to_owned()]);
        let selection = CellSelection { view, generation: None, rows: &wanted, columns: &columns };
        let timed = |what: String,
                     limit: f64,
                     rows: &mut Vec<Measurement>,
                     act: &dyn Fn() -> Result<u64, Box<dyn Error>>| {
            let begun = Instant::now();
            let (most, changed) = added_peak(act)?;
            rows.push(seconds(what.clone(), begun.elapsed().as_secs_f64(), limit));
            rows.push(memory_row(format!("memory of: {what}"), most, MEMORY_MIB));
            if changed == count { Ok(()) } else { Err(Box::<dyn Error>::from(format!("{what}: {changed} changed"))) }
        };
        let at_first = column_hash(bench, view, column)?;
        timed(format!("preview: {what}"), 5.0, rows, &|| {
            Ok(bench.views.grid.preview_act(core, &by, selection, &act)?.changed)
        })?;
        rows.extend(measure_followed(what, |by| {
            Ok(bench.views.grid.apply_act_to_all(core, by, &[selection], &act).map(drop)?)
        })?);
        if column_hash(bench, view, column)? != at_first {
            return Err(format!("{what}: it was cancelled, and rows are changed").into());
        }
        let begun = Instant::now();
        timed(what.to_owned(), 20.0, rows, &|| {
            Ok(bench.views.grid.apply_act_to_all(core, &by, &[selection], &act)?.changed)
        })?;
        let acting = begun.elapsed().as_secs_f64();
        let done = column_hash(bench, view, column)?;
        rows.extend(measure_followed(&format!("undo: {what}"), |by| Ok(history::undo(core, by).map(drop)?))?);
        let begun = Instant::now();
        timed(format!("undo: {what}"), 20.0, rows, &|| Ok(history::undo(core, &by)?.rows.min(count)))?;
        let undoing = begun.elapsed().as_secs_f64();
        rows.push(seconds(format!("undo beside the act itself: {what}"), undoing, acting));
        if column == "city" {
            let folder = temporary_folder()?;
            let path = folder.path().join("bare.roost");
            make_in_process(&path, ROWS)?;
            let bare = SqlitePeer::open(&path, &columns)?.time_set("Nowhere")?;
            for (act, took) in [("", acting), ("undo: ", undoing)] {
                let what = format!("{act}{what}; a bare UPDATE, and an INSERT of the values before");
                rows.push(Measurement::at_most("P5", what, "s", took, bare, 2.0));
            }
        }
        let undone = column_hash(bench, view, column)?;
        timed(format!("redo: {what}"), 20.0, rows, &|| Ok(history::redo(core, &by)?.rows.min(count)))?;
        if done == at_first || undone != at_first || column_hash(bench, view, column)? != done {
            return Err(format!("{what}: undone and done again, the rows are not what they were").into());
        }
    }
    Ok(())
}

/// The time within which a person sees the progress of an act, or a cancelled act ends.
const NOTICED_MS: f64 = 300.0;

/// Measures the milliseconds from the start of an act to its first counted rows, and from its cancellation to its end.
fn measure_followed(
    what: &str,
    act: impl Fn(&Actor) -> Result<(), Box<dyn Error>>,
) -> Result<[Measurement; 2], Box<dyn Error>> {
    let watch = Arc::new(Watch::default());
    let by = Actor { watch: Some(Arc::clone(&watch)), ..Actor::user(None) };
    let begun = Instant::now();
    let (first, cancelled, ended, is_done) = thread::scope(|scope| {
        let follower = scope.spawn(|| {
            while watch.rows() == 0 && begun.elapsed().as_secs() < 20 {
                thread::sleep(Duration::from_millis(1));
            }
            let first = elapsed_ms(begun);
            // The act has been running for a while by now.
            thread::sleep(Duration::from_millis(500));
            watch.cancel();
            (first, Instant::now())
        });
        let is_done = act(&by).is_ok();
        let ended = Instant::now();
        follower.join().map(|(first, cancelled)| (first, cancelled, ended, is_done))
    })
    .map_err(|_| "the follower of an act ended early")?;
    if is_done {
        return Err(format!("{what}: it ended before it could be cancelled").into());
    }
    let ending = ended.saturating_duration_since(cancelled).as_secs_f64() * 1_000.0;
    let row = |what: String, ours: f64| Measurement::at_most("acts", what, "ms", ours, NOTICED_MS, 1.0);
    Ok([row(format!("first progress of: {what}"), first), row(format!("cancelling: {what}"), ending)])
}
