//! P10: a new world, a reset of a world with ten thousand contacts, and ten thousand resets in succession.

use std::{error::Error, fs, time::Instant};

use tokio::runtime::Runtime;

use crate::{
    BenchOutcome,
    report::{Measurement, median_of},
    served,
    server::{http, reads},
};

const WORLDS: usize = 300;
const RESETS: usize = 10_000;
/// The number of first and of last resets that are compared.
const ENDS: usize = 500;

/// Returns the milliseconds of each of this many requests, sent in succession on one connection.
fn request_times(
    runtime: &Runtime,
    address: &str,
    requests: impl IntoIterator<Item = Vec<u8>>,
    wanted: u16,
) -> Result<Vec<f64>, Box<dyn Error>> {
    let asked = async {
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
    Ok(runtime.block_on(asked).map_err(|error| error.to_string())?)
}

pub fn run() -> BenchOutcome {
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
    Ok(vec![
        Measurement::at_most("P10", "a new world, empty", "ms", median_of(empty), 1.0, 1.0),
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
    ])
}
