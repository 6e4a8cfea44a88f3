//! Figures beside their goals: a table for people, a file for programs, and a page of charts.

mod charts;
pub(crate) mod history;
pub(crate) mod rounds;

use std::{fs, io};

use serde::{Deserialize, Serialize};

use self::history::KeptFigures;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Bound {
    AtMost,
    AtLeast,
}

/// A measurement and its goal.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Measurement {
    pub id: String,
    pub what: String,
    pub unit: String,
    pub ours: f64,
    /// The figure of the peer or of the limit, in the same unit.
    pub reference: f64,
    pub ratio: f64,
    /// How the ratio compares with the goal.
    pub bound: Bound,
    pub goal: f64,
    pub is_met: bool,
    /// The ratio of each run, in order. The other figures are those of the run in the middle.
    pub runs: Vec<f64>,
}

impl Measurement {
    /// Our figure must be at most `goal` times the reference.
    pub(crate) fn at_most(id: &str, what: impl Into<String>, unit: &str, ours: f64, reference: f64, goal: f64) -> Self {
        Self::new((id, what.into(), unit), (ours, reference), Bound::AtMost, goal)
    }

    /// Our figure must be at least `goal` times the reference.
    pub(crate) fn at_least(
        id: &str,
        what: impl Into<String>,
        unit: &str,
        ours: f64,
        reference: f64,
        goal: f64,
    ) -> Self {
        Self::new((id, what.into(), unit), (ours, reference), Bound::AtLeast, goal)
    }

    fn new((id, what, unit): (&str, String, &str), (ours, reference): (f64, f64), bound: Bound, goal: f64) -> Self {
        let ratio = ours / reference;
        let is_met = match bound {
            Bound::AtMost => ratio <= goal,
            Bound::AtLeast => ratio >= goal,
        };
        let (id, unit) = (id.to_owned(), unit.to_owned());
        Self { id, what, unit, ours, reference, ratio, bound, goal, is_met, runs: vec![ratio] }
    }

    fn is_same_figure(&self, other: &Self) -> bool {
        self.id == other.id && self.what == other.what
    }

    fn write_figure(&self, figure: f64) -> String {
        let digits = if figure >= 1_000.0 { 0 } else { 2 };
        format!("{figure:.digits$} {}", self.unit)
    }

    fn write_goal(&self) -> String {
        let sign = if self.bound == Bound::AtMost { "<=" } else { ">=" };
        format!("{sign} {}", self.goal)
    }

    fn write_ratio(&self) -> String {
        match (self.runs.first(), self.runs.last()) {
            (Some(least), Some(most)) if self.runs.len() > 1 => format!("{:.3} ({least:.3}-{most:.3})", self.ratio),
            _ => format!("{:.3}", self.ratio),
        }
    }
}

/// Prints the figures and what became slower, and writes both files.
pub(crate) fn report_rows(rows: &[Measurement], kept: &[KeptFigures]) -> io::Result<()> {
    println!("{:<4} {:<58} {:>12} {:>12} {:>21}  {:<8} met", "id", "what", "ours", "reference", "ratio", "goal");
    for row in rows {
        println!(
            "{:<4} {:<58} {:>12} {:>12} {:>21}  {:<8} {}",
            row.id,
            row.what,
            row.write_figure(row.ours),
            row.write_figure(row.reference),
            row.write_ratio(),
            row.write_goal(),
            if row.is_met { "yes" } else { "NO" }
        );
    }
    for slower in history::find_slower(rows, kept) {
        println!("{slower}");
    }
    fs::create_dir_all("target")?;
    fs::write("target/bench.json", serde_json::to_string_pretty(rows)?)?;
    fs::write("target/bench.html", charts::write_page(rows, kept))?;
    println!("written to target/bench.json and target/bench.html");
    Ok(())
}

/// Returns the median of several runs.
pub(crate) fn median_of(mut runs: Vec<f64>) -> f64 {
    runs.sort_by(f64::total_cmp);
    runs[runs.len() / 2]
}
