//! P4: the time from exec to the first successful response, and resident memory when idle.

use std::{
    error::Error,
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use crate::{
    BenchOutcome,
    ended::EndedProcess,
    report::{Measurement, median_of},
    served,
    server::reads::build_seed,
};

const RUNS: usize = 15;
const SEEDED_CONTACTS: usize = 1_000;
const SEEDED_LISTS: usize = 200;

/// Returns the milliseconds from exec to a 200, as a test suite would wait for it.
pub(crate) fn first_answer(args: &[&str]) -> Result<f64, Box<dyn Error>> {
    let begin = Instant::now();
    let command = Command::new(served::release_binary()?)
        .args(["serve", "--port", "0"])
        .args(args)
        .stdout(Stdio::piped())
        .spawn();
    let mut child = EndedProcess(command?);
    let mut line = String::new();
    BufReader::new(child.0.stdout.take().ok_or("no output")?).read_line(&mut line)?;
    let address = line.trim().rsplit_once("http://").ok_or("no address in the first line")?.1.to_owned();
    let answered = request_once(&address);
    let elapsed = begin.elapsed().as_secs_f64() * 1_000.0;
    answered.map(|()| elapsed)
}

fn request_once(address: &str) -> Result<(), Box<dyn Error>> {
    let mut stream = TcpStream::connect(address)?;
    write!(
        stream,
        "GET /contacts/v1/lists/ HTTP/1.1\r\nHost: {address}\r\nX-AUTH-KEY: bench\r\nConnection: close\r\n\r\n"
    )?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    if answer.starts_with("HTTP/1.1 200") { Ok(()) } else { Err(format!("not a good answer: {answer}").into()) }
}

pub(crate) fn run() -> BenchOutcome {
    let times = (0..RUNS).map(|_| first_answer(&[])).collect::<Result<Vec<_>, _>>()?;
    let folder = tempfile::tempdir()?;
    let seed = folder.path().join("seed.json");
    fs::write(&seed, build_seed(SEEDED_CONTACTS, SEEDED_LISTS).to_string())?;
    let seed = seed.to_string_lossy();
    let seeded = (0..RUNS).map(|_| first_answer(&["--seed", &seed])).collect::<Result<Vec<_>, _>>()?;
    let served = served::start(&[])?;
    std::thread::sleep(Duration::from_millis(500));
    let what = format!("exec to first good answer, {SEEDED_CONTACTS} contacts and {SEEDED_LISTS} lists seeded");
    Ok(vec![
        Measurement::at_most("P4", "exec to first good answer", "ms", median_of(times), 30.0, 1.0),
        Measurement::at_most("P4", what, "ms", median_of(seeded), 30.0, 1.0),
        Measurement::at_most("P4", "resident memory, idle", "MiB", served.resident_mib()?, 20.0, 1.0),
    ])
}
