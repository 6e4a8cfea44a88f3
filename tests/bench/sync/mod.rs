//! P7, P8 and the pull of P9: plans, pulls and pushes of long lists.

pub(crate) mod ours;
pub(crate) mod plan;
mod push;

use std::{
    env,
    error::Error,
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use self::ours::PullRun;
use crate::{
    BenchOutcome,
    grid::file,
    report::{Measurement, median_of},
    served,
    server::http,
};

const PULLED: u64 = 100_000;
const LONG: u64 = 1_000_000;
const RUNS: usize = 3;
const MEMORY_MIB: f64 = 100.0;
/// The time that a row may take, and a million rows.
const ROW_US: f64 = 20.0;
const LONG_SECONDS: f64 = 20.0;

fn temporary_folder() -> Result<tempfile::TempDir, Box<dyn Error>> {
    std::fs::create_dir_all("target")?;
    Ok(tempfile::tempdir_in("target")?)
}

/// Pulls into a new account in a separate process and checks that everything arrived.
fn pull_in_process(folder: &Path, address: &str, mode: &str, rows: u64) -> Result<PullRun, Box<dyn Error>> {
    let account = folder.join("ours.roost");
    let ran = Command::new(env::current_exe()?)
        .args(["--pull", &format!("http://{address}"), mode])
        .arg(&account)
        .output()?;
    if !ran.status.success() {
        return Err(format!("the pull failed: {}", String::from_utf8_lossy(&ran.stderr)).into());
    }
    let ran: PullRun = serde_json::from_slice(&ran.stdout)?;
    if ran.rows != rows {
        return Err(format!("{} contacts came, not {rows}", ran.rows).into());
    }
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with("ours") {
            std::fs::remove_file(entry.path())?;
        }
    }
    Ok(ran)
}

type ReadTime = Result<f64, Box<dyn Error + Send + Sync>>;

/// Measures the emulator's own time for the pages of a list, in succession.
async fn time_pages(address: &str, list: &str, rows: u64) -> ReadTime {
    let mut connection = http::BenchConnection::open(address).await?;
    let begun = Instant::now();
    for page in 1..=rows.div_ceil(100) {
        let path = format!("/contacts/v1/contacts/list/{list}?page_number={page}&page_size=100");
        let (status, _) = connection.exchange(&http::get_request(address, &path)).await?;
        if status != 200 {
            return Err(format!("status {status}").into());
        }
    }
    Ok(begun.elapsed().as_secs_f64())
}

/// Measures the emulator's own time for the whole list in one answer.
async fn time_whole(address: &str, list: &str) -> ReadTime {
    let mut stream = TcpStream::connect(address).await?;
    let begun = Instant::now();
    let head = format!(
        "GET /contacts/v1/contacts/list/{list} HTTP/1.1\r\nHost: {address}\r\nX-AUTH-KEY: bench\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await?;
    let mut buffer = vec![0; 256 * 1024];
    while stream.read(&mut buffer).await? > 0 {}
    Ok(begun.elapsed().as_secs_f64())
}

/// Serves the list from a file, so that the answers cost the same as those of a real account.
fn serve_list(folder: &Path, rows: u64) -> Result<(served::ServedProcess, String), Box<dyn Error>> {
    let database = folder.join(format!("there-{rows}.roost"));
    let list = file::make_in_process(&database, rows)?;
    Ok((served::start(&["--db", &database.to_string_lossy()])?, list.as_str().to_owned()))
}

pub(crate) fn run() -> BenchOutcome {
    let folder = temporary_folder()?;
    let runtime = tokio::runtime::Runtime::new()?;
    let mut rows = Vec::new();
    let (there, list) = serve_list(folder.path(), PULLED)?;
    let (mut paged, mut alone, mut by_page, mut by_whole) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut peak = 0.0_f64;
    for _ in 0..RUNS {
        alone.push(runtime.block_on(time_pages(&there.address, &list, PULLED)).map_err(|why| why.to_string())?);
        paged.push(runtime.block_on(time_whole(&there.address, &list)).map_err(|why| why.to_string())?);
        let ran = pull_in_process(folder.path(), &there.address, "pages", PULLED)?;
        peak = peak.max(ran.peak);
        by_page.push(ran.seconds);
        by_whole.push(pull_in_process(folder.path(), &there.address, "whole", PULLED)?.seconds);
        std::thread::sleep(Duration::from_millis(50));
    }
    drop(there);
    let what = |how: &str| format!("pull of {PULLED} contacts {how}; the emulator alone");
    for (how, ours, alone, most) in [("by pages", by_page, alone, 1.5), ("in one answer", by_whole, paged, 2.0)] {
        let (ours, alone) = (median_of(ours), median_of(alone));
        let a_row = ours * 1e6 / PULLED as f64;
        rows.push(Measurement::at_most("P8", what(how), "s", ours, alone, most));
        rows.push(Measurement::at_most("P8", format!("a row of the pull {how}"), "us", a_row, ROW_US, 1.0));
    }
    rows.push(Measurement::at_most(
        "P9",
        format!("memory of a pull of {PULLED} rows by pages"),
        "MiB",
        peak,
        MEMORY_MIB,
        1.0,
    ));
    rows.extend(push::run()?);
    let (there, _) = serve_list(folder.path(), LONG)?;
    let ran = pull_in_process(folder.path(), &there.address, "whole", LONG)?;
    rows.push(Measurement::at_most("P8", format!("pull of {LONG} contacts"), "s", ran.seconds, LONG_SECONDS, 1.0));
    rows.push(Measurement::at_most("P9", format!("memory of a pull of {LONG} rows"), "MiB", ran.peak, MEMORY_MIB, 1.0));
    Ok(rows)
}
