//! The kept figures of releases, and what became slower than they were.

use std::{error::Error, fs, path::Path, thread};

use roost_ops::Ctx;
use serde::{Deserialize, Serialize};

use super::{Bound, Measurement};

const FOLDER: &str = "tests/bench/history";
/// The noise of a figure that was measured once, as a part of its ratio.
const SINGLE_RUN_NOISE: f64 = 0.125;
/// The least noise of a figure, however well its runs agree.
const LEAST_NOISE: f64 = 0.05;

/// The figures of a release, on one machine.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct KeptFigures {
    pub name: String,
    /// Seconds since 1970.
    pub measured_at: i64,
    pub cores: usize,
    pub rows: Vec<Measurement>,
}

impl KeptFigures {
    pub(super) fn find(&self, row: &Measurement) -> Option<&Measurement> {
        self.rows.iter().find(|kept| kept.is_same_figure(row))
    }
}

/// Reads all kept figures, the oldest first.
pub(crate) fn read_history() -> Result<Vec<KeptFigures>, Box<dyn Error>> {
    let mut history = Vec::new();
    for entry in fs::read_dir(FOLDER)? {
        let path = entry?.path();
        let kept = serde_json::from_slice(&fs::read(&path)?);
        history.push(kept.map_err(|why| format!("{} cannot be read: {why}", path.display()))?);
    }
    history.sort_by_key(|kept: &KeptFigures| kept.measured_at);
    Ok(history)
}

/// Keeps these figures under a name. Figures of the same name that were not measured again stay.
pub(crate) fn keep_figures(name: &str, rows: &[Measurement]) -> Result<(), Box<dyn Error>> {
    let path = Path::new(FOLDER).join(name).with_added_extension("json");
    let mut all = rows.to_vec();
    if path.exists() {
        let before: KeptFigures = serde_json::from_slice(&fs::read(&path)?)?;
        all.extend(before.rows.into_iter().filter(|kept| !rows.iter().any(|row| row.is_same_figure(kept))));
    }
    let kept = KeptFigures {
        name: name.to_owned(),
        measured_at: Ctx::system().now().unix(),
        cores: thread::available_parallelism()?.get(),
        rows: all,
    };
    Ok(fs::write(path, serde_json::to_string_pretty(&kept)? + "\n")?)
}

/// Describes the figures that are worse than their last kept ones by more than the noise.
pub(super) fn find_slower(rows: &[Measurement], history: &[KeptFigures]) -> Vec<String> {
    let last = |row: &Measurement| {
        let kept = history.iter().rev().find_map(|kept| Some((kept.name.clone(), kept.find(row)?)));
        kept.filter(|(_, before)| loss(before, row) > noise(before) + noise(row))
    };
    let describe = |row: &Measurement, (name, before): (String, &Measurement)| {
        format!("slower than in {name}: {} {}, {:.3} instead of {:.3}", row.id, row.what, row.ratio, before.ratio)
    };
    rows.iter().filter_map(|row| Some(describe(row, last(row)?))).collect()
}

/// Returns by which part a figure is worse than before.
fn loss(before: &Measurement, now: &Measurement) -> f64 {
    match now.bound {
        Bound::AtMost => now.ratio / before.ratio - 1.0,
        Bound::AtLeast => before.ratio / now.ratio - 1.0,
    }
}

fn noise(row: &Measurement) -> f64 {
    match (row.runs.first(), row.runs.last()) {
        (Some(least), Some(most)) if row.runs.len() > 1 => ((most - least) / 2.0 / row.ratio).max(LEAST_NOISE),
        _ => SINGLE_RUN_NOISE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(name: &str, measured_at: i64, rows: Vec<Measurement>) -> KeptFigures {
        KeptFigures { name: name.to_owned(), measured_at, cores: 2, rows }
    }

    #[test]
    fn a_figure_that_is_worse_than_its_last_kept_one_is_named_unless_the_noise_explains_it() {
        let least = |what: &str, ours: f64| Measurement::at_least("P3", what, "/s", ours, 100.0, 0.5);
        let most = |what: &str, ours: f64| Measurement::at_most("P1", what, "s", ours, 1.0, 2.0);
        let spread = |row: Measurement, runs: [f64; 3]| Measurement { runs: runs.to_vec(), ..row };
        let before = [
            kept("one", 1, vec![most("time", 9.0), least("new", 1.0)]),
            kept(
                "two",
                2,
                vec![
                    spread(most("time", 1.0), [1.0, 1.0, 1.0]),
                    least("calls", 80.0),
                    spread(most("noisy", 1.0), [0.5, 1.0, 1.5]),
                ],
            ),
        ];
        let now =
            [most("time", 1.2), least("calls", 50.0), most("noisy", 1.5), least("new", 1.0), most("unknown", 9.0)];
        assert_eq!(
            find_slower(&now, &before),
            [
                "slower than in two: P1 time, 1.200 instead of 1.000",
                "slower than in two: P3 calls, 0.500 instead of 0.800",
            ]
        );
        assert!(find_slower(&[most("time", 1.1), least("calls", 70.0)], &before).is_empty());
    }

    #[test]
    fn the_kept_figures_can_be_read() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/bench/history");
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let kept: KeptFigures = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
            assert_eq!(path.file_stem().unwrap().to_string_lossy(), kept.name);
            assert!(!kept.rows.is_empty(), "{}", path.display());
        }
    }
}
