//! Popular mock servers, measured in the same run as ours: P3, P4, and memory after many requests.
//!
//!
//! `tests/tooling/setup.sh peers` installs them into a separate folder. Their results are reported as measured, whoever
//! is better.

mod kinds;

use std::{
    error::Error,
    fs,
    net::TcpListener,
    path::PathBuf,
    process::Stdio,
    time::{Duration, Instant},
};

use tempfile::TempDir;
use tokio::runtime::Runtime;

use self::kinds::PeerKind;
use crate::{
    BenchOutcome,
    ended::EndedProcess,
    memory,
    report::{Measurement, median_of},
    served,
    server::{
        http::{self, CachePolicy, LoadFigures},
        reads, start,
    },
};

const TIME: Duration = Duration::from_millis(1_500);
/// The time that a process gets to compile its code before it is measured.
const WARM_UP: Duration = Duration::from_secs(4);
const STARTS: usize = 3;
const MANY: u64 = 1_000_000;
/// The longest time for a peer. After that it is reported with the number of requests it reached.
const MANY_MOST: Duration = Duration::from_secs(150);

/// A request to ours and to the peers.
pub(crate) struct PeerRequest {
    pub name: &'static str,
    what: &'static str,
    /// The path at our server.
    path: String,
    /// The same request in the form of json-server, for peers with records.
    pub query: &'static str,
    pub records: usize,
    pub body: Vec<u8>,
    /// The factors by which we must exceed the best peer with fixed bytes and its journal off, and the best peer that
    /// keeps data.
    goals: [f64; 2],
}

impl PeerRequest {
    pub(crate) fn fixed_path(&self) -> String {
        format!("/{}", self.name)
    }
}

/// The folders and the port of a peer.
pub(crate) struct PeerPlace {
    pub installed: PathBuf,
    pub folder: PathBuf,
    pub port: u16,
}

impl PeerPlace {
    pub(crate) fn file_path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    pub(crate) fn port_text(&self) -> String {
        self.port.to_string()
    }

    fn base_address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }
}

/// A peer that runs until this is dropped.
struct RunningPeer {
    child: EndedProcess,
    address: String,
    started_in: Duration,
    _folder: TempDir,
}

fn free_port() -> Result<u16, Box<dyn Error>> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}

fn start_peer(peer: &PeerKind, works: &[PeerRequest], runtime: &Runtime) -> Result<RunningPeer, Box<dyn Error>> {
    let installed = fs::canonicalize("target/peers/node_modules")
        .map_err(|_| "target/peers is not there: run `tests/tooling/setup.sh peers` first")?;
    let folder = tempfile::tempdir()?;
    let place = PeerPlace { installed, folder: folder.path().to_owned(), port: free_port()? };
    (peer.prepare)(&place, works)?;
    let begun = Instant::now();
    let child = (peer.command)(&place).stdout(Stdio::null()).stderr(Stdio::null()).stdin(Stdio::null()).spawn()?;
    let mut running = RunningPeer {
        child: EndedProcess(child),
        address: place.base_address(),
        started_in: Duration::ZERO,
        _folder: folder,
    };
    let request = http::get_request(&running.address, &(peer.path)(&works[0]));
    while begun.elapsed() < Duration::from_secs(120) {
        let answered = runtime.block_on(async {
            let mut line = http::BenchConnection::open(&running.address).await?;
            line.exchange(&request).await.map(|(status, _)| status)
        });
        if answered.is_ok_and(|status| status == 200) {
            running.started_in = begun.elapsed();
            return Ok(running);
        }
        if let Some(ended) = running.child.0.try_wait()? {
            return Err(format!("{} ended at its start: {ended}", peer.name).into());
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    Err(format!("{} did not answer in two minutes", peer.name).into())
}

impl PeerKind {
    fn display_name(&self) -> String {
        match self.journal {
            None => self.name.to_owned(),
            Some(true) => format!("{}, journal on", self.name),
            Some(false) => format!("{}, journal off", self.name),
        }
    }
}

fn peer_requests(ours: &served::ServedProcess, runtime: &Runtime) -> Result<Vec<PeerRequest>, Box<dyn Error>> {
    let requests = [
        ("link", "one short link", "/link/7", 1_001, [4.0, 20.0]),
        ("lists", "list page of 25", "/lists?_page=1&_limit=25", 501, [3.0, 15.0]),
        ("contacts", "contact page of 100", "/contacts?_page=3&_limit=100", 10_000, [1.5, 4.0]),
    ];
    let paths = reads::read_paths();
    let work = |((name, what, query, records, goals), path): ((_, _, _, _, _), String)| {
        let body = runtime.block_on(reads::read_body(&ours.address, &path)).map_err(|error| error.to_string())?;
        Ok(PeerRequest { name, what, path, query, records, body, goals })
    };
    requests.into_iter().zip(paths).map(work).collect()
}

fn measure_load(
    runtime: &Runtime,
    address: &str,
    path: &str,
    connections: usize,
) -> Result<LoadFigures, Box<dyn Error>> {
    Ok(runtime
        .block_on(http::measure_load(address, path, CachePolicy::TheSame, connections, TIME))
        .map_err(|e| e.to_string())?)
}

pub(crate) fn run() -> BenchOutcome {
    let runtime = Runtime::new()?;
    let folder = tempfile::tempdir()?;
    let seed = folder.path().join("seed.json");
    fs::write(&seed, reads::measured_seed().to_string())?;
    let seed = seed.to_string_lossy().into_owned();
    let ours = |journal: &str| served::start(&["--seed", &seed, "--journal", journal]);
    let with_journal = [("journal off", ours("off")?), ("journal on", ours("on")?)];
    let works = peer_requests(&with_journal[0].1, &runtime)?;
    let mut rows = Vec::new();

    let our_start = median_of((0..5).map(|_| start::first_answer(&[])).collect::<Result<_, _>>()?);
    let our_idle = served::start(&[])?.resident_mib()?;
    let our_many: Vec<(u64, f64)> = [&with_journal[0].1, &with_journal[1].1]
        .into_iter()
        .map(|served| {
            let count = after_many(&runtime, &served.address, &works[0].path)?;
            Ok((count, served.resident_mib()?))
        })
        .collect::<Result<_, Box<dyn Error>>>()?;
    for ((journal, _), (count, held)) in with_journal.iter().zip(&our_many) {
        rows.push(Measurement::at_most(
            "P9",
            format!("ours, {journal}: memory after {count} requests"),
            "MiB",
            *held,
            150.0,
            1.0,
        ));
    }

    for peer in &kinds::ALL {
        eprintln!("beside {} …", peer.display_name());
        let called = peer.display_name();
        let starts = (0..STARTS)
            .map(|_| Ok(start_peer(peer, &works, &runtime)?.started_in.as_secs_f64() * 1_000.0))
            .collect::<Result<Vec<_>, Box<dyn Error>>>()?;
        let running = start_peer(peer, &works, &runtime)?;
        let idle = memory::resident_of(running.child.0.id())?;
        rows.push(Measurement::at_most("P4", format!("start, {called}"), "ms", our_start, median_of(starts), 0.1));
        rows.push(Measurement::at_most("P4", format!("idle memory, {called}"), "MiB", our_idle, idle, 0.1));
        for work in &works {
            let path = (peer.path)(work);
            runtime
                .block_on(http::measure_load(&running.address, &path, CachePolicy::TheSame, 16, WARM_UP))
                .map_err(|e| e.to_string())?;
            for connections in [1, 16, 64] {
                let theirs = measure_load(&runtime, &running.address, &path, connections)?;
                for (journal, served) in &with_journal {
                    let found = measure_load(&runtime, &served.address, &work.path, connections)?;
                    let what = format!("{}, {connections} connections, {journal}: {called}", work.what);
                    let goal = work.goals[usize::from(peer.is_stateful)];
                    rows.push(Measurement::at_least("P3", &what, "/s", found.per_second, theirs.per_second, goal));
                    if *journal == "journal off" {
                        rows.push(Measurement::at_most(
                            "P3",
                            format!("{what}, p99"),
                            "ms",
                            found.p99_ms,
                            theirs.p99_ms,
                            1.0,
                        ));
                    }
                }
            }
        }
        let count = after_many(&runtime, &running.address, &(peer.path)(&works[0]))?;
        let held = memory::resident_of(running.child.0.id())?;
        let which = usize::from(peer.journal != Some(false));
        rows.push(Measurement::at_most(
            "P9",
            format!("memory after {count} requests, {called}"),
            "MiB",
            our_many[which].1,
            held,
            1.0,
        ));
    }
    Ok(rows)
}

/// Returns the number of requests that were answered.
fn after_many(runtime: &Runtime, address: &str, path: &str) -> Result<u64, Box<dyn Error>> {
    Ok(runtime.block_on(http::count_answers(address, path, 16, MANY, MANY_MOST)).map_err(|error| error.to_string())?)
}
