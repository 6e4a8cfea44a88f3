//! P3: reads over loopback and the creation of lists; reads are compared with a bare axum server that returns the
//! same bytes.

use std::{
    error::Error,
    fs,
    io::{BufRead, BufReader},
    process::{Command, Stdio},
    time::Duration,
};

use serde_json::json;

use crate::{
    BenchOutcome,
    ended::EndedProcess,
    numbers,
    report::Measurement,
    served,
    server::http::{self, CachePolicy},
};

const LIST: &str = "LST_000000000000000000000000001";
const LINK: &str = "shl_000000000000000000000000001";
/// How many lists a second are enough.
const CREATED_LISTS: f64 = 25_000.0;
const TIME: Duration = Duration::from_millis(1_500);

/// Returns an account of the measured size.
pub(crate) fn measured_seed() -> serde_json::Value {
    build_seed(10_000, 500)
}

pub(super) fn build_seed(contact_count: usize, list_count: usize) -> serde_json::Value {
    let contacts: Vec<_> = numbers::fiction(contact_count)
        .into_iter()
        .enumerate()
        .map(|(i, number)| {
            json!({
                "phone_number": number, "title": "Ms", "firstname": format!("First {i}"), "lastname": format!("Last {i}"),
                "city": "London", "country": "United Kingdom", "email_address": format!("person{i}@example.com"), "field_1": "gold", "field_2": i.to_string(),
            })
        })
        .collect();
    let mut lists = vec![json!({ "uid": LIST, "name": "Everybody", "contacts": contacts })];
    lists.extend((1..list_count).map(|i| json!({ "name": format!("List {i}") })));
    let mut links =
        vec![json!({ "link_id": LINK, "title": "Spring", "target_url": "https://shop.example/s", "tags": ["spring"] })];
    links.extend((0..1_000).map(|i| json!({ "title": format!("Link {i}"), "target_url": "https://shop.example/x" })));
    json!({ "lists": lists, "short_links": links })
}

fn start_bare(folder: &std::path::Path) -> Result<(EndedProcess, String), Box<dyn Error>> {
    let mut child = Command::new(std::env::current_exe()?).arg("--bare").arg(folder).stdout(Stdio::piped()).spawn()?;
    let mut address = String::new();
    BufReader::new(child.stdout.take().ok_or("no output")?).read_line(&mut address)?;
    Ok((EndedProcess(child), address.trim().to_owned()))
}

/// Returns the paths of one short link, a page of 25 lists and a page of 100 contacts.
pub(crate) fn read_paths() -> [String; 3] {
    [
        format!("/assets/v1/shortlink/{LINK}"),
        "/contacts/v1/lists/?page_size=25".to_owned(),
        format!("/contacts/v1/contacts/list/{LIST}?page_number=3&page_size=100"),
    ]
}

/// Returns the response at a path.
pub(crate) async fn read_body(address: &str, path: &str) -> Result<Vec<u8>, Box<dyn Error + Send + Sync>> {
    let mut connection = http::BenchConnection::open(address).await?;
    let (status, body) = connection.exchange(&http::get_request(address, path)).await?;
    if status == 200 { Ok(body.to_vec()) } else { Err(format!("{path}: status {status}").into()) }
}

pub(crate) fn run() -> BenchOutcome {
    let folder = tempfile::tempdir()?;
    let seed_file = folder.path().join("seed.json");
    fs::write(&seed_file, measured_seed().to_string())?;
    let ours = served::start(&["--seed", &seed_file.to_string_lossy()])?;
    let runtime = tokio::runtime::Runtime::new()?;
    let [link, lists, contacts] = read_paths();
    // The last number is how many new questions a second are enough, where that is not a part of the bare server's.
    let works = [
        ("one short link", "link", link, 0.75, None),
        ("list page of 25", "lists", lists, 0.35, Some(30_000.0)),
        ("contact page of 100", "contacts", contacts, 0.25, Some(12_000.0)),
    ];
    let bodies = folder.path().join("bodies");
    fs::create_dir(&bodies)?;
    for (_, name, path, ..) in &works {
        let answered = runtime.block_on(read_body(&ours.address, path)).map_err(|error| error.to_string())?;
        fs::write(bodies.join(name), answered)?;
    }
    let (_bare, bare_address) = start_bare(&bodies)?;
    let mut rows = Vec::new();
    for (what, name, path, goal, enough) in works {
        for connections in [1, 16, 64] {
            let measure = |address: &str, path: &str, asking| {
                runtime
                    .block_on(http::measure_load(address, path, asking, connections, TIME))
                    .map_err(|e| e.to_string())
            };
            let reference = measure(&bare_address, &format!("/{name}"), CachePolicy::TheSame)?;
            for (asking, how) in [(CachePolicy::TheSame, "again"), (CachePolicy::Anew, "anew")] {
                let load = measure(&ours.address, &path, asking)?;
                let what = format!("{what}, {connections} connections, {how}");
                rows.push(Measurement::at_least("P3", &what, "/s", load.per_second, reference.per_second, goal));
                if let (Some(enough), CachePolicy::Anew, 16) = (enough, asking, connections) {
                    let what = format!("{what}, against what is enough");
                    rows.push(Measurement::at_least("P3", what, "/s", load.per_second, enough, 1.0));
                }
                rows.push(Measurement::at_most("P3", format!("{what}, p99"), "ms", load.p99_ms, 5.0, 1.0));
            }
        }
    }
    for connections in [1, 16] {
        let address = ours.address.clone();
        let request = move |worker: usize, n: usize| {
            let body = format!(r#"{{"name":"List {worker}.{n}"}}"#);
            http::post_request(&address, "/contacts/v1/lists/create", &body)
        };
        let load = runtime
            .block_on(http::measure_requests(&ours.address, request, connections, TIME))
            .map_err(|error| error.to_string())?;
        let what = format!("create a list, {connections} connections");
        rows.push(Measurement::at_least("P3", &what, "/s", load.per_second, CREATED_LISTS, 1.0));
        rows.push(Measurement::at_most("P3", format!("{what}, p99"), "ms", load.p99_ms, 2.0, 1.0));
    }
    Ok(rows)
}
