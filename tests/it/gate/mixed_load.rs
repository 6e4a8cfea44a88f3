//! Mixed load for any length of time. The resources that a server holds after the first minutes must not grow until the
//! end.
//!
//!
//! Memory grows at first, because each connection to the account caches up to 8 MiB of its pages. With one caller, a
//! server grew from 7 to 25 MiB until its file had 8 MB, and by 1 MiB until it had 16 MB. Neither worlds nor reads
//! added to that.

use std::{
    collections::HashSet,
    env,
    fmt::Write as _,
    fs,
    path::Path,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use roost_tests::{Client, Receiver, Spawned, seeds, spawned::binary};
use serde_json::{Value, json};

use super::holding::{memory_mib, process_status};

/// The number of samples of memory, handles, threads and times.
const SAMPLES: u32 = 120;

/// The pause between two rounds of a caller. It keeps the load steady, because the times of an overloaded server are
/// meaningless.
const PAUSE: Duration = Duration::from_millis(100);

/// Returns the length of a test that can have any length.
pub(super) fn soak_time(default: Duration) -> Duration {
    env::var("ROOST_SOAK_SECONDS").ok().and_then(|text| text.parse().ok()).map_or(default, Duration::from_secs)
}

/// The response times since the last sample, and the requested callbacks.
#[derive(Default)]
struct LoadRecord {
    times: Mutex<Vec<Duration>>,
    owed: Mutex<HashSet<String>>,
    /// Deleted worlds, whose callbacks were deleted with them.
    deleted: Mutex<HashSet<String>>,
    count: AtomicUsize,
}

impl LoadRecord {
    fn time_request<T>(&self, act: impl FnOnce() -> T) -> T {
        let begun = Instant::now();
        let done = act();
        self.times.lock().expect("no panic").push(begun.elapsed());
        done
    }

    fn unused_number(&self) -> usize {
        self.count.fetch_add(1, Ordering::Relaxed)
    }
}

#[derive(Debug, Clone, Copy)]
struct LoadSample {
    second: u64,
    memory: u64,
    /// The part of the resident memory that maps files: the code of the program and the account.
    mapped: u64,
    handles: usize,
    threads: u64,
    p99: Duration,
    answers: usize,
    journal_bytes: u64,
}

#[test]
#[ignore = "make soak runs it"]
fn an_hour_of_mixed_load_leaves_everything_flat() {
    let folder = tempfile::TempDir::new().expect("a folder");
    let file = folder.path().join("account.roost");
    let server = Spawned::start(["--limits", "off", "--journal", "on", "--db", file.to_str().expect("text")]);
    let (receiver, record, ends) = (Receiver::start(), LoadRecord::default(), AtomicBool::new(false));
    let samples = thread::scope(|scope| {
        let workers: [fn(&Spawned, &Receiver, &LoadRecord); 4] = [load_contacts, load_worlds, load_reads, load_links];
        for work in workers {
            let (server, receiver, record, ends) = (&server, &receiver, &record, &ends);
            scope.spawn(move || {
                while !ends.load(Ordering::Acquire) {
                    work(server, receiver, record);
                    thread::sleep(PAUSE);
                }
            });
        }
        let samples = watch_server(&server, &record, soak_time(Duration::from_secs(3_600)));
        ends.store(true, Ordering::Release);
        samples
    });
    write_curve(&samples);
    assert_callbacks(&receiver, &record);
    assert_flat(&samples);
}

fn watch_server(server: &Spawned, record: &LoadRecord, length: Duration) -> Vec<LoadSample> {
    let begun = Instant::now();
    let mut samples = Vec::new();
    while begun.elapsed() < length {
        thread::sleep(length / SAMPLES);
        let mut times = std::mem::take(&mut *record.times.lock().expect("no panic"));
        times.sort_unstable();
        samples.push(LoadSample {
            second: begun.elapsed().as_secs(),
            memory: memory_mib(server, "VmRSS:"),
            mapped: memory_mib(server, "RssFile:"),
            handles: fs::read_dir(format!("/proc/{}/fd", server.pid())).expect("handles").count(),
            threads: process_status(server, "Threads:"),
            p99: times.get(times.len() * 99 / 100).copied().unwrap_or_default(),
            answers: times.len(),
            journal_bytes: server.admin().get("/__admin/journal").ok()["bytes"].as_u64().expect("bytes"),
        });
    }
    samples
}

/// Creates a list, adds contacts, reads them, and deletes old lists.
fn load_contacts(server: &Spawned, receiver: &Receiver, record: &LoadRecord) {
    let (client, n) = (server.client(), record.unused_number());
    let list =
        record.time_request(|| client.post("/contacts/v1/lists/create", &json!({ "name": format!("List {n}") })).ok());
    let uid = list["uid"].as_str().expect("a uid");
    let target = format!("/default/{n}");
    record.owed.lock().expect("no panic").insert(target.clone());
    let contacts: Vec<Value> =
        (0..50).map(|at| json!({ "phone_number": seeds::mobile((n * 7 + at) % 1_000), "firstname": "Ada" })).collect();
    let body = json!({
        "list_id": uid, "merge_type": "allowDuplicates", "callback_url": receiver.url(&target), "contacts": contacts,
    });
    record.time_request(|| client.post("/contacts/v1/contacts", &body).ok());
    record.time_request(|| client.get(format!("/contacts/v1/contacts/list/{uid}")).expect(200));
    // Old lists are deleted so that the account does not grow without limit.
    let lists = client.get("/contacts/v1/lists/").items();
    if lists.len() > 50 {
        let oldest = lists.iter().min_by_key(|list| list["created_at"].to_string()).expect("lists");
        client.delete(format!("/contacts/v1/lists/{}", oldest["uid"].as_str().expect("a uid")));
    }
}

/// Creates a world with a job. Its callback is awaited or deleted with the world.
fn load_worlds(server: &Spawned, receiver: &Receiver, record: &LoadRecord) {
    let (admin, n) = (server.admin(), record.unused_number());
    let id = format!("w{n}");
    let made = record.time_request(|| admin.post("/__admin/worlds", &json!({ "name": id })).expect(201).json());
    let client = Client::new(server.address()).with_key(made["api_key"].as_str().expect("a key"));
    let path = |rest: &str| format!("/w/{id}{rest}");
    let list = client.post(path("/contacts/v1/lists/create"), &json!({ "name": "L" })).ok()["uid"].clone();
    let target = format!("/{id}/{n}");
    record.owed.lock().expect("no panic").insert(target.clone());
    let body = json!({
        "list_id": list, "merge_type": "skipDuplicates", "callback_url": receiver.url(&target),
        "contacts": [{ "phone_number": seeds::mobile(n % 1_000) }],
    });
    record.time_request(|| client.post(path("/contacts/v1/contacts"), &body).ok());
    let wait = format!("/__admin/worlds/{id}/settle");
    let is_settled = n.is_multiple_of(2) && admin.post(wait, &json!({ "timeout": "30000ms" })).status == 200;
    if !is_settled {
        record.deleted.lock().expect("no panic").insert(id.clone());
    }
    record.time_request(|| admin.delete(format!("/__admin/worlds/{id}")).expect(204));
}

fn load_reads(server: &Spawned, _: &Receiver, record: &LoadRecord) {
    let (client, admin) = (server.client(), server.admin());
    record.time_request(|| client.get("/contacts/v1/lists/").expect(200));
    record.time_request(|| client.get("/contacts/v1/nowhere").expect(404));
    record.time_request(|| {
        admin.post("/__admin/journal/count", &json!({ "match": { "path": { "matches": ".*lists.*" } } }))
    });
    record.time_request(|| admin.get("/__admin/requests?limit=20").expect(200));
    record.time_request(|| admin.get("/__admin/metrics").expect(200));
}

fn load_links(server: &Spawned, _: &Receiver, record: &LoadRecord) {
    let (client, n) = (server.client(), record.unused_number());
    let body = json!({ "title": format!("Link {n}"), "target_url": "https://shop.example/" });
    record.time_request(|| client.post("/assets/v1/shortlink", &body).expect(200));
    record.time_request(|| client.get("/contacts/v1/optouts"));
}

fn write_curve(samples: &[LoadSample]) {
    let mut text = "second,memory_mib,mapped_mib,handles,threads,p99_micros,answers,journal_bytes\n".to_owned();
    for LoadSample { second, memory, mapped, handles, threads, p99, answers, journal_bytes } in samples {
        let p99 = p99.as_micros();
        writeln!(text, "{second},{memory},{mapped},{handles},{threads},{p99},{answers},{journal_bytes}").expect("text");
    }
    let target = binary().parent().and_then(Path::parent).expect("a folder").join("soak.csv");
    fs::write(target, text).expect("written");
}

/// Checks that each callback arrived or was deleted with its world.
fn assert_callbacks(receiver: &Receiver, record: &LoadRecord) {
    let owed = record.owed.lock().expect("no panic").clone();
    let deleted = record.deleted.lock().expect("no panic").clone();
    let begun = Instant::now();
    loop {
        let came: HashSet<String> = receiver.received().into_iter().map(|call| call.target).collect();
        assert!(came.is_subset(&owed), "{:?}", came.difference(&owed).next());
        let world = |target: &String| target.split('/').nth(1).unwrap_or_default().to_owned();
        let missing: Vec<&String> = owed.difference(&came).filter(|target| !deleted.contains(&world(target))).collect();
        if missing.is_empty() {
            return;
        }
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "{} callbacks did not come: {:?}",
            missing.len(),
            missing[0]
        );
        thread::sleep(Duration::from_secs(1));
    }
}

type SampleFigure = fn(&LoadSample) -> u64;

/// Compares the last third with the one before.
fn assert_flat(samples: &[LoadSample]) {
    let third = samples.len() / 3;
    let (middle, last) = (&samples[third..2 * third], &samples[2 * third..]);
    let most = |part: &[LoadSample], of: SampleFigure| part.iter().map(of).max().unwrap_or_default();
    let figures: [(&str, SampleFigure, u64); 4] = [
        ("MiB", |sample| sample.memory, 5),
        ("handles", |sample| sample.handles as u64, 8),
        ("threads", |sample| sample.threads, 4),
        ("µs for 99 % of the answers", |sample| u64::try_from(sample.p99.as_micros()).unwrap_or(u64::MAX), 20_000),
    ];
    for (name, of, grace) in figures {
        let (before, after) = (most(middle, of), most(last, of));
        assert!(after <= before + before / 10 + grace, "{after} {name} in the last third, {before} in the one before");
    }
}
