//! P10: a new world, a reset of a world with ten thousand contacts, ten thousand resets in succession, a restart with
//! an account file, and the memory of large worlds.

use std::{error::Error, fs, process::Command, time::Instant};

use tokio::runtime::Runtime;

use crate::{
    BenchOutcome,
    report::{Measurement, median_of},
    served,
    server::{http, reads, start},
};

const WORLDS: usize = 300;
const RESETS: usize = 10_000;
/// The number of first and of last resets that are compared.
const ENDS: usize = 500;
const RESTARTS: usize = 15;
/// The contacts of the worlds whose memory is measured.
const CONTACTS: u32 = 100_000;
/// The worlds made from one snapshot.
const COPIES: u32 = 5;

/// Returns the milliseconds of each of this many requests, sent in succession on one connection.
fn request_times(
    runtime: &Runtime,
    address: &str,
    requests: impl IntoIterator<Item = Vec<u8>>,
    wanted: u16,
) -> Result<Vec<f64>, Box<dyn Error>> {
    let measuring = async {
        let mut connection = http::BenchConnection::open(address).await?;
        let mut times = Vec::new();
        for request in requests {
            let sent = Instant::now();
            let (status, body) = connection.exchange(&request).await?;
            times.push(sent.elapsed().as_secs_f64() * 1_000.0);
            if status != wanted {
                return Err(format!("status {status}: {}", String::from_utf8_lossy(body)).into());
            }
        }
        Ok::<_, Box<dyn Error + Send + Sync>>(times)
    };
    Ok(runtime.block_on(measuring).map_err(|error| error.to_string())?)
}

pub(crate) fn run() -> BenchOutcome {
    let folder = tempfile::tempdir()?;
    let seed = folder.path().join("seed.json");
    fs::write(&seed, reads::measured_seed().to_string())?;
    let served = served::start(&["--seed", &seed.to_string_lossy()])?;
    let (runtime, address) = (Runtime::new()?, served.address.as_str());
    let post = |path: &str, body: &str| http::operator_request(address, &served.token, path, body);
    let made = |from: &'static str| {
        let wishes = (0..WORLDS).map(move |n| {
            let name = if from == "empty" { format!("e{n}") } else { format!("c{n}") };
            post("/__admin/worlds", &format!(r#"{{"name":"{name}","from":"{from}"}}"#))
        });
        request_times(&runtime, address, wishes, 201)
    };
    let (empty, copied) = (made("empty")?, made("world:default")?);
    let before = served.resident_mib()?;
    let resets = request_times(&runtime, address, (0..RESETS).map(|_| post("/__admin/reset", "{}")), 200)?;
    let (first, last) = (median_of(resets[..ENDS].to_vec()), median_of(resets[RESETS - ENDS..].to_vec()));
    let mut rows = vec![
        Measurement::at_most("P10", "a new world, empty", "ms", median_of(empty), 0.5, 1.0),
        Measurement::at_most("P10", "a new world of 10,000 contacts", "ms", median_of(copied), 5.0, 1.0),
        Measurement::at_most("P10", "a reset with 10,000 contacts", "ms", median_of(resets), 5.0, 1.0),
        Measurement::at_most("P10", "the last of 10,000 resets, by the first", "ms", last, first, 1.3),
        Measurement::at_most(
            "P10",
            "memory after 10,000 resets, by before",
            "MiB",
            served.resident_mib()?,
            before,
            1.1,
        ),
    ];
    drop(served);
    rows.push(measure_restart(&seed.to_string_lossy())?);
    rows.extend(measure_memory()?);
    Ok(rows)
}

/// Measures the start of a server on an account file that an earlier one left, with a fault rule.
fn measure_restart(seed: &str) -> Result<Measurement, Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("account.roost");
    let file = file.to_string_lossy();
    {
        let served = served::start(&["--db", &file, "--seed", seed])?;
        let rule = r#"{"match":{"operation":"senders.query"},"effect":{"status":503}}"#;
        let arrange = http::operator_request(&served.address, &served.token, "/__admin/faults/rules", rule);
        request_times(&Runtime::new()?, &served.address, [arrange], 201)?;
    }
    let times = (0..RESTARTS)
        .map(|_| start::first_answer(&["--db", &file, "--limits", "off"]))
        .collect::<Result<Vec<_>, _>>()?;
    Ok(Measurement::at_most("P10", "a restart with 10,000 contacts, to an answer", "ms", median_of(times), 100.0, 1.0))
}

/// Takes a snapshot and returns the MiB of its pages. The memory that the server takes meanwhile would also include the
/// copies that it makes on the way.
fn take_snapshot(runtime: &Runtime, address: &str, request: &[u8]) -> Result<f64, Box<dyn Error>> {
    let taken = async {
        let mut connection = http::BenchConnection::open(address).await?;
        let (status, body) = connection.exchange(request).await?;
        let snapshot: serde_json::Value = serde_json::from_slice(body)?;
        match (status, snapshot["bytes"].as_f64()) {
            (201, Some(bytes)) => Ok(bytes / (1_024.0 * 1_024.0)),
            _ => Err(format!("status {status}: {snapshot}").into()),
        }
    };
    Ok(runtime.block_on(taken).map_err(|error: Box<dyn Error + Send + Sync>| error.to_string())?)
}

/// Measures what a contact takes besides the pages of the account, and what another world of the same snapshot takes.
fn measure_memory() -> Result<Vec<Measurement>, Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let seed = folder.path().join("seed.json");
    let made = Command::new(served::release_binary()?)
        .args(["fixtures", "gen", "--contacts", &CONTACTS.to_string(), "--out"])
        .arg(&seed)
        .status()?;
    if !made.success() {
        return Err("the seed could not be generated".into());
    }
    let idle = served::start(&[])?.resident_mib()?;
    let served = served::start(&["--seed", &seed.to_string_lossy()])?;
    let first = served.resident_mib()? - idle;
    let runtime = Runtime::new()?;
    let post = |path: &str, body: &str| http::operator_request(&served.address, &served.token, path, body);
    let pages = take_snapshot(&runtime, &served.address, &post("/__admin/snapshots", r#"{"name":"full"}"#))?;
    let with_snapshot = served.resident_mib()?;
    let worlds = (0..COPIES).map(|n| {
        post("/__admin/worlds", &format!(r#"{{"name":"w{n}","from":"snapshot:full","settings":{{"limits":"off"}}}}"#))
    });
    request_times(&runtime, &served.address, worlds, 201)?;
    // A world that was read and written holds more than one that was only made.
    let lists = (0..COPIES).map(|n| {
        let body = r#"{"name":"Another"}"#;
        let (address, length) = (&served.address, body.len());
        format!(
            "POST /w/w{n}/contacts/v1/lists/create HTTP/1.1\r\nHost: {address}\r\nX-AUTH-KEY: bench\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        )
        .into_bytes()
    });
    request_times(&runtime, &served.address, lists, 200)?;
    let each = (served.resident_mib()? - with_snapshot) / f64::from(COPIES);
    // The account and its seed both hold the pages once.
    let beyond_pages = (first - 2.0 * pages) * 1_024.0 / f64::from(CONTACTS);
    Ok(vec![
        Measurement::at_most("P10", "memory per contact beyond the pages", "KiB", beyond_pages, 1.0, 1.0),
        Measurement::at_most("P10", "another world of a snapshot, by the first", "MiB", each, first, 0.1),
    ])
}
