//! Reads the processor time of this process and of those that it ran.

use std::{error::Error, fs};

/// Linux counts processor time in hundredths of a second, whatever the machine.
const TICKS: f64 = 100.0;

/// Returns the seconds of processor time of this process so far.
pub(crate) fn own_seconds() -> Result<f64, Box<dyn Error>> {
    stat_seconds(11)
}

/// Returns the seconds of processor time of all processes that this one ran and waited for.
pub(crate) fn children_seconds() -> Result<f64, Box<dyn Error>> {
    stat_seconds(13)
}

/// Returns the sum of two fields, counted from the one behind the name of the program.
fn stat_seconds(first: usize) -> Result<f64, Box<dyn Error>> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    let (_, fields) = stat.rsplit_once(") ").ok_or("the process does not report its times")?;
    let fields: Vec<&str> = fields.split(' ').collect();
    let ticks = |at: usize| fields.get(at).ok_or("a time is missing")?.parse::<f64>().map_err(Box::<dyn Error>::from);
    Ok((ticks(first)? + ticks(first + 1)?) / TICKS)
}
