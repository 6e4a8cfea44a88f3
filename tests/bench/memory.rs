//! What a process itself says of its memory: this one, or another.

use std::{error::Error, fs};

/// A line of a process's own figures, in MiB.
fn held(process: &str, line: &str) -> Result<f64, Box<dyn Error>> {
    let status = fs::read_to_string(format!("/proc/{process}/status"))?;
    let found =
        status.lines().find_map(|found| found.strip_prefix(line)).ok_or("the process does not tell its memory")?;
    let kib: f64 = found.trim().trim_end_matches(" kB").parse()?;
    Ok(kib / 1_024.0)
}

pub fn now() -> Result<f64, Box<dyn Error>> {
    held("self", "VmRSS:")
}

/// What another process holds.
pub fn of(process: u32) -> Result<f64, Box<dyn Error>> {
    held(&process.to_string(), "VmRSS:")
}

/// The most that the process held since it began, or since [`added`] began.
pub fn peak() -> Result<f64, Box<dyn Error>> {
    held("self", "VmHWM:")
}

/// What the process held at most while `act` ran, over what it held before.
pub fn added<T>(act: impl FnOnce() -> Result<T, Box<dyn Error>>) -> Result<(f64, T), Box<dyn Error>> {
    // The peak begins anew.
    fs::write("/proc/self/clear_refs", "5")?;
    let before = now()?;
    let done = act()?;
    Ok((peak()? - before, done))
}
