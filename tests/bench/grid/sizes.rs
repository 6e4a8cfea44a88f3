//! P12: a row costs the same in a long list as in a short one.

use std::{env, error::Error};

use super::{
    GridBench, ROWS, WINDOW, contact_columns, least_of, sorted_and_filtered, sorted_spec, temporary_folder, views,
};
use crate::{
    BenchOutcome,
    report::{Measurement, median_of},
};

const SIZES: [u64; 4] = [10_000, 100_000, ROWS, 5 * ROWS];
/// The environment variable for the length of the longest list, if there is no space or time for the default (about 4
/// GB on disk).
const LONGEST: &str = "ROOST_BENCH_LONGEST";
const RUNS: usize = 5;

/// The cost of a row, or of an edit, in microseconds.
struct RowCost {
    what: &'static str,
    us: f64,
}

fn measure_costs(rows: u64) -> Result<Vec<RowCost>, Box<dyn Error>> {
    let folder = temporary_folder()?;
    let bench = GridBench::open(folder.path(), rows)?;
    let (grid, columns) = (&bench.views.grid, contact_columns());
    // The texts are read in the background when a list is opened. The measurement begins after that.
    let (view, total) = bench.open_view(sorted_spec(&bench.list))?;
    bench.wait_until_prepared();
    let mut windows = bench.time_windows(view, total - 2_200, &columns)?;
    windows.extend(bench.time_windows(view, total / 2, &columns)?);
    grid.close(view);
    let (mut filtered, mut whole, mut searches) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..RUNS {
        for (spec, runs) in [(sorted_and_filtered(&bench.list), &mut filtered), (sorted_spec(&bench.list), &mut whole)]
        {
            let (took, view) = bench.time_build(spec)?;
            runs.push(took);
            grid.close(view);
        }
        searches.push(bench.time_search("company 4999")?.0);
    }
    let (view, total) = bench.open_view(sorted_and_filtered(&bench.list))?;
    let [edits, _] = views::time_edits(&bench, view, total, &columns, 0)?;
    let a_row = |took: f64, rows: u64| took * 1_000.0 / rows as f64;
    Ok(vec![
        RowCost { what: "view sorted and filtered, a row", us: a_row(least_of(&filtered), rows) },
        RowCost { what: "view sorted, a row", us: a_row(least_of(&whole), rows) },
        RowCost { what: "search, a row", us: a_row(least_of(&searches), rows) },
        RowCost { what: "window, a row of it", us: a_row(median_of(windows), WINDOW.into()) },
        RowCost { what: "edit of a cell", us: a_row(median_of(edits), 1) },
    ])
}

pub(crate) fn run() -> BenchOutcome {
    let longest = match env::var(LONGEST) {
        Ok(given) => given.parse().map_err(|_| format!("{LONGEST} is not a number: {given}"))?,
        Err(_) => u64::MAX,
    };
    let (mut rows, mut first) = (Vec::new(), Vec::new());
    for size in SIZES.into_iter().filter(|size| *size <= longest) {
        let costs = measure_costs(size)?;
        if first.is_empty() {
            first = costs.iter().map(|cost| cost.us).collect();
        }
        rows.extend(costs.iter().zip(&first).map(|(cost, first)| {
            Measurement::at_most("P12", format!("{} of {size}", cost.what), "us", cost.us, *first, 1.3)
        }));
        eprintln!("  {size} rows are measured");
    }
    Ok(rows)
}
