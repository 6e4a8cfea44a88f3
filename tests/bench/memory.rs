//! What the process itself says of its memory.

use std::{error::Error, fs};

/// A line of the process's own figures, in MiB.
fn held(line: &str) -> Result<f64, Box<dyn Error>> {
    let status = fs::read_to_string("/proc/self/status")?;
    let found =
        status.lines().find_map(|found| found.strip_prefix(line)).ok_or("the process does not tell its memory")?;
    let kib: f64 = found.trim().trim_end_matches(" kB").parse()?;
    Ok(kib / 1_024.0)
}

pub fn now() -> Result<f64, Box<dyn Error>> {
    held("VmRSS:")
}

/// The most that the process held since it began, or since [`added`] began.
pub fn peak() -> Result<f64, Box<dyn Error>> {
    held("VmHWM:")
}

/// What the process held at most while `act` ran, over what it held before.
pub fn added<T>(act: impl FnOnce() -> Result<T, Box<dyn Error>>) -> Result<(f64, T), Box<dyn Error>> {
    // The peak begins anew.
    fs::write("/proc/self/clear_refs", "5")?;
    let before = now()?;
    let done = act()?;
    Ok((peak()? - before, done))
}

/// Resident memory of another process, in MiB.
pub fn of(process: u32) -> Result<f64, Box<dyn Error>> {
    let status = fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).ok_or("no VmRSS")?;
    let kib: f64 = line.split_whitespace().nth(1).ok_or("no figure")?.parse()?;
    Ok(kib / 1_024.0)
}
