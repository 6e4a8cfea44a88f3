//! P5: views of a million contacts, compared with bare SQLite in alternating runs.

use std::{hint::black_box, time::Instant};

use roost_grid::grid::{CellEdit, ViewId};
use roost_model::intervals::RowIntervals;
use roost_ops::Actor;

use super::{
    GridBench, ROWS, WINDOW, contact_columns, elapsed_ms, least_of, peer::SqlitePeer, sorted_and_filtered, sorted_spec,
    temporary_folder,
};
use crate::{
    BenchOutcome,
    report::{Measurement, median_of},
};

const RUNS: usize = 5;
const EDITS: u64 = 40;

pub(crate) fn run() -> BenchOutcome {
    let folder = temporary_folder()?;
    let bench = GridBench::open(folder.path(), ROWS)?;
    let columns = contact_columns();
    let peer = SqlitePeer::open(&bench.path, &columns)?;
    let mut rows = Vec::new();

    // The texts are measured first. They are read in the background whenever a long list is opened.
    let begun = Instant::now();
    let (view, _) = bench.open_view(sorted_spec(&bench.list))?;
    bench.wait_until_prepared();
    bench.views.grid.close(view);
    eprintln!("  the texts of the list were in memory after {:.0} ms", elapsed_ms(begun));

    measure_build(&bench, &peer, &mut rows)?;
    measure_window(&bench, &peer, &columns, &mut rows)?;
    measure_search(&bench, &peer, &mut rows)?;
    measure_edit(&bench, &peer, &columns, &mut rows)?;
    Ok(rows)
}

type BenchResult = Result<(), Box<dyn std::error::Error>>;

/// Checks that both found the same rows. Their order differs, because SQLite sorts by bytes and we sort as people read.
fn check_same(what: &str, mut ours: Vec<i64>, mut theirs: Vec<i64>) -> BenchResult {
    ours.sort_unstable();
    theirs.sort_unstable();
    if ours == theirs {
        return Ok(());
    }
    Err(format!("{what}: {} rows, and bare SQLite finds {} or others", ours.len(), theirs.len()).into())
}

fn measure_build(bench: &GridBench, peer: &SqlitePeer, rows: &mut Vec<Measurement>) -> BenchResult {
    let grid = &bench.views.grid;
    for (what, spec, condition) in [
        ("view sorted and filtered", sorted_and_filtered(&bench.list), "city LIKE '%on%'"),
        ("view sorted", sorted_spec(&bench.list), "1"),
    ] {
        let (mut ours, mut theirs, mut total) = (Vec::new(), Vec::new(), 0);
        for run in 0..RUNS {
            let (took, view) = bench.time_build(spec.clone())?;
            ours.push(took);
            let (took, ids) = peer.time_ids(condition)?;
            theirs.push(took);
            total = ids.len();
            if run == 0 {
                check_same(what, grid.row_ids(view, &RowIntervals::all_below(ROWS))?, ids)?;
            }
            grid.close(view);
        }
        rows.push(Measurement::at_most(
            "P5",
            format!("{what}, {total} rows"),
            "ms",
            least_of(&ours),
            least_of(&theirs),
            1.5,
        ));
    }
    Ok(())
}

fn measure_window(
    bench: &GridBench,
    peer: &SqlitePeer,
    columns: &[String],
    rows: &mut Vec<Measurement>,
) -> BenchResult {
    let (view, total) = bench.open_view(sorted_spec(&bench.list))?;
    let ids = bench.views.grid.row_ids(view, &RowIntervals::all_below(total))?;
    let places = [("the first", 0), ("the middle", total / 2), ("the last", total - 2_200)];
    let mut middles = Vec::new();
    for (what, from) in places {
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..RUNS {
            ours.extend(bench.time_windows(view, from, columns)?);
            for n in 0..40 {
                let at = from as usize + n * 50;
                theirs.push(peer.time_window(&ids[at..at + WINDOW as usize])?);
            }
        }
        ours.sort_by(f64::total_cmp);
        let p95 = ours[ours.len() * 95 / 100];
        let what = format!("window of 200 x {}, {what}", columns.len());
        rows.push(Measurement::at_most("P5", format!("{what}: p95"), "ms", p95, 2.0, 1.0));
        middles.push(median_of(ours));
        rows.push(Measurement::at_most(
            "P5",
            format!("{what}: against bare rows"),
            "ms",
            middles[middles.len() - 1],
            median_of(theirs),
            1.5,
        ));
    }
    rows.push(Measurement::at_most("P5", "window at the end against the first", "ms", middles[2], middles[0], 1.3));
    bench.views.grid.close(view);
    Ok(())
}

fn measure_search(bench: &GridBench, peer: &SqlitePeer, rows: &mut Vec<Measurement>) -> BenchResult {
    for (what, text) in
        [("rare", "person-nobody"), ("a few", "company 4999"), ("many", "silver"), ("a number", "7700900")]
    {
        let (mut ours, mut found) = (Vec::new(), Vec::new());
        for _ in 0..RUNS {
            let (took, ids) = bench.time_search(text)?;
            ours.push(took);
            found = ids;
        }
        let total = found.len();
        let (theirs, ids) = peer.time_ids(&peer.contains_condition(text))?;
        check_same(what, found, ids)?;
        rows.push(Measurement::at_most(
            "P5",
            format!("search, {what}: {total} rows"),
            "ms",
            median_of(ours.clone()),
            100.0,
            1.0,
        ));
        let what = format!("search, {what}: against bare LIKE");
        rows.push(Measurement::at_most("P5", what, "ms", median_of(ours), theirs, 1.5));
    }
    Ok(())
}

/// Types into a cell of a filtered and sorted view, then reads the window around it again.
pub(super) fn time_edits(
    bench: &GridBench,
    view: ViewId,
    total: u64,
    columns: &[String],
    round: u64,
) -> Result<[Vec<f64>; 2], Box<dyn std::error::Error>> {
    let (mut edits, mut windows) = (Vec::new(), Vec::new());
    let grid = &bench.views.grid;
    for n in 0..EDITS {
        let row = (total - 1) / EDITS * n;
        let cell = CellEdit { row, field: "city".to_owned(), text: Some(format!("Town {round} {n}")) };
        let begun = Instant::now();
        let edited = grid.edit_cells(&bench.core, &Actor::user(None), view, None, &[cell], None)?;
        edits.push(elapsed_ms(begun));
        if edited.changed != 1 {
            return Err(format!("row {row} was not changed").into());
        }
        let begun = Instant::now();
        black_box(grid.read_window(&bench.core, view, None, row, WINDOW, columns)?);
        windows.push(elapsed_ms(begun));
    }
    Ok([edits, windows])
}

fn measure_edit(bench: &GridBench, peer: &SqlitePeer, columns: &[String], rows: &mut Vec<Measurement>) -> BenchResult {
    let (view, total) = bench.open_view(sorted_and_filtered(&bench.list))?;
    let (mut ours, mut after, mut theirs) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..RUNS as u64 {
        let [edits, windows] = time_edits(bench, view, total, columns, round)?;
        ours.extend(edits);
        after.extend(windows);
        for n in 0..EDITS {
            theirs.push(peer.time_edit((1 + n * (ROWS / EDITS)) as i64, &format!("Place {round} {n}"))?);
        }
    }
    rows.push(Measurement::at_most("P5", "edit of a cell in a view", "ms", median_of(ours), median_of(theirs), 1.5));
    rows.push(Measurement::at_most("P5", "window after an edit", "ms", median_of(after), 2.0, 1.0));
    bench.views.grid.close(view);
    Ok(())
}
