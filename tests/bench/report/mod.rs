//! Writes the results as a table for people and as a file for programs.

use std::{fs, io, path::PathBuf};

use serde::Serialize;

/// A measurement and its goal.
#[derive(Debug, Serialize)]
pub(crate) struct Measurement {
    pub id: &'static str,
    pub what: String,
    pub ours: f64,
    /// The figure of the peer or of the limit, in the same unit.
    pub reference: f64,
    pub ratio: f64,
    pub goal: String,
    pub met: bool,
    #[serde(skip)]
    pub unit: &'static str,
}

impl Measurement {
    /// Our figure must be at most `goal` times the reference.
    pub(crate) fn at_most(
        id: &'static str,
        what: impl Into<String>,
        unit: &'static str,
        ours: f64,
        reference: f64,
        goal: f64,
    ) -> Self {
        let ratio = ours / reference;
        Self { id, what: what.into(), ours, reference, ratio, goal: format!("<= {goal}"), met: ratio <= goal, unit }
    }

    /// Our figure must be at least `goal` times the reference.
    pub(crate) fn at_least(
        id: &'static str,
        what: impl Into<String>,
        unit: &'static str,
        ours: f64,
        reference: f64,
        goal: f64,
    ) -> Self {
        let ratio = ours / reference;
        Self { id, what: what.into(), ours, reference, ratio, goal: format!(">= {goal}"), met: ratio >= goal, unit }
    }
}

pub(crate) fn print_rows(rows: &[Measurement]) {
    println!("{:<4} {:<58} {:>12} {:>12} {:>8}  {:<8} met", "id", "what", "ours", "reference", "ratio", "goal");
    for row in rows {
        let figure =
            |n: f64| format!("{} {}", if n >= 1_000.0 { format!("{n:.0}") } else { format!("{n:.2}") }, row.unit);
        println!(
            "{:<4} {:<58} {:>12} {:>12} {:>8.3}  {:<8} {}",
            row.id,
            row.what,
            figure(row.ours),
            figure(row.reference),
            row.ratio,
            row.goal,
            if row.met { "yes" } else { "NO" }
        );
    }
}

pub(crate) fn write_report(rows: &[Measurement]) -> io::Result<PathBuf> {
    let path = PathBuf::from("target/bench.json");
    fs::create_dir_all("target")?;
    fs::write(&path, serde_json::to_string_pretty(rows)?)?;
    Ok(path)
}

/// Returns the median of several runs.
pub(crate) fn median_of(mut runs: Vec<f64>) -> f64 {
    runs.sort_by(f64::total_cmp);
    runs[runs.len() / 2]
}
