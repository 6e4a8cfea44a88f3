//! P5: views of a million contacts, compared with bare SQLite in alternating runs.

use std::{hint::black_box, time::Instant};

use roost_model::intervals::Intervals;
use roost_ops::{
    By,
    grid::{CellEdit, ViewId},
};

use super::{Bench, ROWS, WINDOW, columns, folder, least, ms, peer::Peer, sorted, sorted_and_filtered};
use crate::{
    Outcome,
    report::{Row, median},
};

const RUNS: usize = 5;
const EDITS: u64 = 40;

pub fn run() -> Outcome {
    let folder = folder()?;
    let bench = Bench::open(folder.path(), ROWS)?;
    let columns = columns();
    let peer = Peer::open(&bench.path, &columns)?;
    let mut rows = Vec::new();

    // The texts are measured first. They are read in the background whenever a long list is opened.
    let begun = Instant::now();
    let (view, _) = bench.view(sorted(&bench.list))?;
    bench.prepared();
    bench.core.grid().close(view);
    eprintln!("  the texts of the list were in memory after {:.0} ms", ms(begun));

    build(&bench, &peer, &mut rows)?;
    window(&bench, &peer, &columns, &mut rows)?;
    search(&bench, &peer, &mut rows)?;
    edit(&bench, &peer, &columns, &mut rows)?;
    Ok(rows)
}

type Done = Result<(), Box<dyn std::error::Error>>;

/// Checks that both found the same rows. Their order differs, because SQLite sorts by bytes and we sort as people read.
fn same(what: &str, mut ours: Vec<i64>, mut theirs: Vec<i64>) -> Done {
    ours.sort_unstable();
    theirs.sort_unstable();
    if ours == theirs {
        return Ok(());
    }
    Err(format!("{what}: {} rows, and bare SQLite finds {} or others", ours.len(), theirs.len()).into())
}

fn build(bench: &Bench, peer: &Peer, rows: &mut Vec<Row>) -> Done {
    let grid = bench.core.grid();
    for (what, spec, condition) in [
        ("view sorted and filtered", sorted_and_filtered(&bench.list), "city LIKE '%on%'"),
        ("view sorted", sorted(&bench.list), "1"),
    ] {
        let (mut ours, mut theirs, mut total) = (Vec::new(), Vec::new(), 0);
        for run in 0..RUNS {
            let (took, view) = bench.built(spec.clone())?;
            ours.push(took);
            let (took, ids) = peer.ids(condition)?;
            theirs.push(took);
            total = ids.len();
            if run == 0 {
                same(what, grid.ids_of(view, &Intervals::all(ROWS))?, ids)?;
            }
            grid.close(view);
        }
        rows.push(Row::at_most("P5", format!("{what}, {total} rows"), "ms", least(&ours), least(&theirs), 1.5));
    }
    Ok(())
}

fn window(bench: &Bench, peer: &Peer, columns: &[String], rows: &mut Vec<Row>) -> Done {
    let (view, total) = bench.view(sorted(&bench.list))?;
    let ids = bench.core.grid().ids_of(view, &Intervals::all(total))?;
    let places = [("the first", 0), ("the middle", total / 2), ("the last", total - 2_200)];
    let mut middles = Vec::new();
    for (what, from) in places {
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..RUNS {
            ours.extend(bench.windows(view, from, columns)?);
            for n in 0..40 {
                let at = from as usize + n * 50;
                theirs.push(peer.window(&ids[at..at + WINDOW as usize])?);
            }
        }
        ours.sort_by(f64::total_cmp);
        let p95 = ours[ours.len() * 95 / 100];
        let what = format!("window of 200 x {}, {what}", columns.len());
        rows.push(Row::at_most("P5", format!("{what}: p95"), "ms", p95, 2.0, 1.0));
        middles.push(median(ours));
        rows.push(Row::at_most(
            "P5",
            format!("{what}: against bare rows"),
            "ms",
            middles[middles.len() - 1],
            median(theirs),
            1.5,
        ));
    }
    rows.push(Row::at_most("P5", "window at the end against the first", "ms", middles[2], middles[0], 1.3));
    bench.core.grid().close(view);
    Ok(())
}

fn search(bench: &Bench, peer: &Peer, rows: &mut Vec<Row>) -> Done {
    for (what, text) in
        [("rare", "person-nobody"), ("a few", "company 4999"), ("many", "silver"), ("a number", "7700900")]
    {
        let (mut ours, mut found) = (Vec::new(), Vec::new());
        for _ in 0..RUNS {
            let (took, ids) = bench.search(text)?;
            ours.push(took);
            found = ids;
        }
        let total = found.len();
        let (theirs, ids) = peer.ids(&peer.has(text))?;
        same(what, found, ids)?;
        rows.push(Row::at_most("P5", format!("search, {what}: {total} rows"), "ms", median(ours.clone()), 100.0, 1.0));
        let what = format!("search, {what}: against bare LIKE");
        rows.push(Row::at_most("P5", what, "ms", median(ours), theirs, 1.5));
    }
    Ok(())
}

/// Types into a cell of a filtered and sorted view, then reads the window around it again.
pub(super) fn edits(
    bench: &Bench,
    view: ViewId,
    total: u64,
    columns: &[String],
    round: u64,
) -> Result<[Vec<f64>; 2], Box<dyn std::error::Error>> {
    let (mut edits, mut windows) = (Vec::new(), Vec::new());
    let grid = bench.core.grid();
    for n in 0..EDITS {
        let row = (total - 1) / EDITS * n;
        let cell = CellEdit { row, field: "city".to_owned(), text: Some(format!("Town {round} {n}")) };
        let begun = Instant::now();
        let edited = grid.edit(&bench.core, &By::user(None), view, None, &[cell], None)?;
        edits.push(ms(begun));
        if edited.changed != 1 {
            return Err(format!("row {row} was not changed").into());
        }
        let begun = Instant::now();
        black_box(grid.window(&bench.core, view, None, row, WINDOW, columns)?);
        windows.push(ms(begun));
    }
    Ok([edits, windows])
}

fn edit(bench: &Bench, peer: &Peer, columns: &[String], rows: &mut Vec<Row>) -> Done {
    let (view, total) = bench.view(sorted_and_filtered(&bench.list))?;
    let (mut ours, mut after, mut theirs) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..RUNS as u64 {
        let [edits, windows] = edits(bench, view, total, columns, round)?;
        ours.extend(edits);
        after.extend(windows);
        for n in 0..EDITS {
            theirs.push(peer.edit((1 + n * (ROWS / EDITS)) as i64, &format!("Place {round} {n}"))?);
        }
    }
    rows.push(Row::at_most("P5", "edit of a cell in a view", "ms", median(ours), median(theirs), 1.5));
    rows.push(Row::at_most("P5", "window after an edit", "ms", median(after), 2.0, 1.0));
    bench.core.grid().close(view);
    Ok(())
}
