//! Reads the memory figures of this process or of another one.

use std::{error::Error, fs};

/// Returns a line of a process's status in MiB.
fn status_mib(process: &str, line: &str) -> Result<f64, Box<dyn Error>> {
    let status = fs::read_to_string(format!("/proc/{process}/status"))?;
    let found =
        status.lines().find_map(|found| found.strip_prefix(line)).ok_or("the process does not report its memory")?;
    let kib: f64 = found.trim().trim_end_matches(" kB").parse()?;
    Ok(kib / 1_024.0)
}

pub(crate) fn resident_now() -> Result<f64, Box<dyn Error>> {
    status_mib("self", "VmRSS:")
}

/// Returns the resident memory of another process.
pub(crate) fn resident_of(process: u32) -> Result<f64, Box<dyn Error>> {
    status_mib(&process.to_string(), "VmRSS:")
}

/// Returns the peak memory of this process since its start, or since [`added`] began.
pub(crate) fn peak_mib() -> Result<f64, Box<dyn Error>> {
    status_mib("self", "VmHWM:")
}

/// Returns the peak memory while `act` ran, minus the memory before.
pub(crate) fn added_peak<T>(act: impl FnOnce() -> Result<T, Box<dyn Error>>) -> Result<(f64, T), Box<dyn Error>> {
    // This resets the peak.
    fs::write("/proc/self/clear_refs", "5")?;
    let before = resident_now()?;
    let done = act()?;
    Ok((peak_mib()? - before, done))
}
