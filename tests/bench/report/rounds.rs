//! Measures each benchmark several times, each time in a process of its own: the memory of one would hide the growth
//! of another.

use std::{env, error::Error, fs, path::Path, process::Command};

use super::Measurement;
use crate::BenchOutcome;

/// Measures a benchmark in separate processes and returns the median run of each figure.
pub(crate) fn measure_rounds(id: &str, rounds: usize) -> BenchOutcome {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("rows.json");
    let mut rows = Vec::new();
    for round in 1..=rounds {
        eprintln!("measuring {id}, {round} of {rounds} …");
        let status = Command::new(env::current_exe()?).args(["--rows", id]).arg(&file).status()?;
        if !status.success() {
            return Err(format!("its process ended with {status}").into());
        }
        rows.extend(serde_json::from_slice::<Vec<Measurement>>(&fs::read(&file)?)?);
    }
    Ok(merge_runs(rows))
}

/// Measures a benchmark once in this process, for [`measure_rounds`].
pub(crate) fn write_rows(run: fn() -> BenchOutcome, file: &Path) -> Result<(), Box<dyn Error>> {
    Ok(fs::write(file, serde_json::to_vec(&run()?)?)?)
}

/// Merges the runs of each figure, in the order in which the figures were first measured.
fn merge_runs(rows: Vec<Measurement>) -> Vec<Measurement> {
    let mut figures: Vec<Vec<Measurement>> = Vec::new();
    for row in rows {
        match figures.iter_mut().find(|runs| runs[0].is_same_figure(&row)) {
            Some(runs) => runs.push(row),
            None => figures.push(vec![row]),
        }
    }
    figures.into_iter().map(pick_median).collect()
}

/// Returns the run in the middle. Its two figures were measured together, which the median of each would not be.
fn pick_median(mut runs: Vec<Measurement>) -> Measurement {
    runs.sort_by(|a, b| a.ratio.total_cmp(&b.ratio));
    let ratios = runs.iter().map(|run| run.ratio).collect();
    Measurement { runs: ratios, ..runs.swap_remove(runs.len() / 2) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_run_of_each_figure_is_reported_with_the_ratios_of_all() {
        let row = |what: &str, ours: f64| Measurement::at_most("P1", what, "s", ours, 2.0, 1.0);
        let merged = merge_runs(vec![row("a", 3.0), row("b", 1.0), row("a", 1.0), row("a", 2.0)]);
        let facts: Vec<_> = merged.iter().map(|row| (row.what.as_str(), row.ours, row.is_met, &row.runs[..])).collect();
        assert_eq!(facts, [("a", 2.0, true, &[0.5, 1.0, 1.5][..]), ("b", 1.0, true, &[0.5][..])]);
    }
}
