//! Runs `kill -9` at random moments of first starts, seeds, jobs and callbacks. Nothing that was acknowledged is lost
//! or doubled.
//!
//!
//! A process is killed by its own ID only. The seed of all random choices is printed, and `CRASH_SEED` repeats them.

use std::{
    collections::BTreeMap,
    fs,
    hash::{BuildHasher, RandomState},
    path::{Path, PathBuf},
    process::Stdio,
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use rand::{Rng, SeedableRng, rngs::StdRng, seq::IndexedRandom};
use roost_tests::{Client, Receiver, Reply, Request, Setup, Spawned, spawned::command, until};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::whole::{assert_whole, read_rows};

const FIRST_STARTS: usize = 24;
const SEEDINGS: usize = 8;
const ROUNDS: usize = 18;
const LISTS: usize = 3;
const MERGE_TYPES: [&str; 4] =
    ["skipDuplicates", "allowDuplicates", "mergeByPhoneNumberInList", "mergeByWhatsappIdInList"];

/// Proves: D83, D87, D88, D91.
#[test]
fn fifty_kills_lose_nothing_and_double_nothing() {
    let seed = std::env::var("CRASH_SEED").ok().and_then(|text| text.parse().ok());
    let seed: u64 = seed.unwrap_or_else(|| RandomState::new().hash_one("crash"));
    eprintln!("CRASH_SEED={seed}");
    let mut random = StdRng::seed_from_u64(seed);
    let begun = Instant::now();
    kill_first_starts(&mut random);
    eprintln!("{FIRST_STARTS} first starts: {:?}", begun.elapsed());
    kill_seedings(&mut random);
    eprintln!("{SEEDINGS} seedings: {:?}", begun.elapsed());
    kill_at_work(&mut random);
    eprintln!("{ROUNDS} rounds of work: {:?}", begun.elapsed());
}

/// A folder with an account file.
struct AccountFolder {
    folder: TempDir,
    file: PathBuf,
}

impl AccountFolder {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let file = folder.path().join("account.roost");
        Self { folder, file }
    }

    fn serve_command(&self) -> StartCommand {
        let mut command = StartCommand::new();
        command.arguments.extend(["--limits", "off", "--db", self.file.to_str().unwrap()].map(str::to_owned));
        command
    }

    /// Copies the file as the killed process left it. Opening the file itself would repair it.
    fn inspect_copy(&self) -> CopiedFile {
        let folder = TempDir::new().unwrap();
        for part in ["", "-wal"] {
            let from = self.folder.path().join(format!("account.roost{part}"));
            if from.exists() {
                fs::copy(from, folder.path().join(format!("account.roost{part}"))).unwrap();
            }
        }
        CopiedFile { file: folder.path().join("account.roost"), _folder: folder }
    }
}

struct CopiedFile {
    file: PathBuf,
    _folder: TempDir,
}

impl CopiedFile {
    /// Returns whether the schema exists. If any part of it exists, all of it must.
    fn has_schema(&self) -> bool {
        let tables = "SELECT count(*) FROM sqlite_schema WHERE name IN ('lists', 'jobs', 'changes')";
        let has_schema = match read_rows(&self.file, tables).concat().as_slice() {
            [Some(count)] if count == "0" => false,
            [Some(count)] => {
                assert_eq!(count, "3", "a schema is made whole or not at all");
                true
            }
            other => panic!("{other:?}"),
        };
        if has_schema {
            let steps = read_column(&self.file, "SELECT count(*) FROM refinery_schema_history");
            assert_ne!(steps, ["0"], "a schema is recorded with the commit that makes it");
            assert_whole(&self.file);
        }
        has_schema
    }
}

/// The arguments of one start.
struct StartCommand {
    arguments: Vec<String>,
}

impl StartCommand {
    fn new() -> Self {
        Self { arguments: Vec::new() }
    }

    fn with_args<const N: usize>(mut self, more: [&str; N]) -> Self {
        self.arguments.extend(more.map(str::to_owned));
        self
    }

    /// Starts a server and kills it after a while, ready or not.
    fn kill_after(&self, wait: Duration) {
        let mut child = command(["serve", "--port", "0"]).args(&self.arguments).stdout(Stdio::null()).spawn().unwrap();
        thread::sleep(wait);
        child.kill().unwrap();
        child.wait().unwrap();
    }

    fn start(&self) -> Spawned {
        Spawned::start(&self.arguments)
    }
}

/// Measures the time from an undisturbed start to the first answer.
fn undisturbed_start(command: &StartCommand) -> Duration {
    let begun = Instant::now();
    let mut served = command.start();
    let took = begun.elapsed();
    assert!(served.terminate().success());
    took
}

fn random_part(random: &mut StdRng, whole: Duration) -> Duration {
    whole.mul_f64(random.random_range(0.0..1.2))
}

fn kill_first_starts(random: &mut StdRng) {
    let whole = undisturbed_start(&AccountFolder::new().serve_command());
    for _ in 0..FIRST_STARTS {
        let place = AccountFolder::new();
        place.serve_command().kill_after(random_part(random, whole));
        place.inspect_copy().has_schema();
        let mut served = place.serve_command().start();
        served.client().post("/contacts/v1/lists/create", &json!({ "name": "VIP" })).expect(200);
        assert!(served.terminate().success());
        assert_whole(&place.file);
    }
}

fn kill_seedings(random: &mut StdRng) {
    const CONTACTS: usize = 5_000;
    let folder = TempDir::new().unwrap();
    let seed = folder.path().join("seed.json");
    let contact = |n: usize| json!({ "phone_number": fiction_number(n), "firstname": format!("first {n}") });
    let list = json!({ "name": "VIP", "contacts": (0..CONTACTS).map(contact).collect::<Vec<_>>() });
    fs::write(&seed, json!({ "senders": [{ "name": "Roost" }], "lists": [list] }).to_string()).unwrap();
    let seeded = |place: &AccountFolder| place.serve_command().with_args(["--seed", seed.to_str().unwrap()]);
    let whole = undisturbed_start(&seeded(&AccountFolder::new()));
    for _ in 0..SEEDINGS {
        let place = AccountFolder::new();
        seeded(&place).kill_after(random_part(random, whole));
        let look = place.inspect_copy();
        let took_all = look.has_schema() && {
            let held = read_rows(&look.file, "SELECT (SELECT count(*) FROM senders), (SELECT count(*) FROM contacts)")
                .concat();
            let all = [Some("1".to_owned()), Some(CONTACTS.to_string())];
            assert!(held == all || held == [Some("0".to_owned()), Some("0".to_owned())], "all or nothing: {held:?}");
            held == all
        };
        // A seed fills only an empty account, so the content of the file shows whether the seed must be repeated.
        let mut served = match Spawned::try_start(&seeded(&place).arguments) {
            Ok(served) => {
                assert!(!took_all);
                served
            }
            Err((_, stderr)) => {
                assert!(took_all && stderr.contains("already holds data"), "{stderr}");
                place.serve_command().start()
            }
        };
        assert_eq!(served.client().get("/contacts/v1/lists/").column("name"), ["VIP"]);
        assert!(served.terminate().success());
        assert_whole(&place.file);
        assert_eq!(read_rows(&place.file, "SELECT count(*) FROM contacts").concat(), [Some(CONTACTS.to_string())]);
    }
}

/// Returns one of the two thousand numbers reserved for fiction.
fn fiction_number(n: usize) -> String {
    let last = n % 1_000;
    if n % 2_000 < 1_000 { format!("+44770090{last:04}") } else { format!("+44163296{last:04}") }
}

/// A contact job that can be generated again from its number alone.
#[derive(Debug, Clone, Copy)]
struct GeneratedJob {
    number: u64,
}

impl GeneratedJob {
    fn correlation_id(self) -> String {
        format!("job-{}", self.number)
    }

    fn seeded_random(self) -> StdRng {
        StdRng::seed_from_u64(self.number)
    }

    fn list_index(self) -> usize {
        self.seeded_random().random_range(0..LISTS)
    }

    fn request_body(self, list_uid: &str, callback_url: &str) -> Value {
        let mut random = self.seeded_random();
        let contacts: Vec<Value> =
            (0..random.random_range(1_000..4_000)).map(|n| self.build_contact(n, &mut random)).collect();
        let merge_type = MERGE_TYPES[self.number as usize % MERGE_TYPES.len()];
        json!({
            "list_id": list_uid, "merge_type": merge_type, "callback_url": callback_url,
            "correlation_id": self.correlation_id(), "contacts": contacts,
        })
    }

    fn build_contact(self, n: usize, random: &mut StdRng) -> Value {
        let mut contact = json!({});
        let kind = random.random_range(0..4);
        if kind != 0 {
            contact["phone_number"] = fiction_number(random.random_range(0..2_000)).into();
        }
        if kind <= 1 {
            contact["whatsapp_number"] = fiction_number(random.random_range(0..2_000)).into();
        }
        for key in ["title", "firstname", "city", "email_address", "field_1", "field_3"] {
            if random.random_bool(0.3) {
                contact[key] = format!("{}-{n}-{key}", self.number).into();
            }
        }
        contact
    }
}

/// The requested changes, and which of them were acknowledged.
#[derive(Default)]
struct ChangeLedger {
    /// The acknowledged jobs, in order.
    jobs: Vec<GeneratedJob>,
    /// A job that was sent when the server was killed. It may be stored or not.
    unsure_job: Option<GeneratedJob>,
    /// Whether a record exists, by its name.
    things: BTreeMap<String, bool>,
    unsure_thing: Option<String>,
}

fn kill_at_work(random: &mut StdRng) {
    let place = AccountFolder::new();
    let receiver = Receiver::replying(random_replies(random));
    let command = place.serve_command().with_args(["--set", &format!("callback.retries={}", ["1"; 30].join(","))]);
    let mut next_job = random.random_range(0..u64::MAX / 2);
    let mut ledger = ChangeLedger::default();
    {
        let mut served = command.start();
        for n in 0..LISTS {
            served.client().post("/contacts/v1/lists/create", &json!({ "name": format!("work {n}") })).expect(200);
        }
        served.kill();
    }
    let mut found = InterruptedStates::default();
    for round in 0..3 * ROUNDS {
        // Where a kill finds the server is chance. Go on until it was at work often enough.
        if round >= ROUNDS && found.are_enough() {
            break;
        }
        // Some servers are killed during their start.
        if round % 6 == 5 {
            command.kill_after(Duration::from_millis(random.random_range(0..60)));
        } else {
            let mut served = command.start();
            // Most are killed when a job that was just acknowledged is about to run.
            let is_after_a_job = random.random_bool(0.6);
            let wait = Duration::from_millis(random.random_range(if is_after_a_job { 0..80 } else { 20..1_000 }));
            let before = ledger.jobs.len();
            let (jobs, things) = (random.random_range(1..4), random.random());
            let kept = Mutex::new(std::mem::take(&mut ledger));
            let ends = AtomicBool::new(false);
            let uids = contact_uids(&served.client());
            thread::scope(|scope| {
                scope.spawn(|| {
                    ask_for_jobs(&served.client(), &kept, &uids, next_job..next_job + jobs, &receiver.url("/hook"))
                });
                scope.spawn(|| ask_for_things(&served.client(), &kept, &ends, StdRng::seed_from_u64(things)));
                if is_after_a_job {
                    until("a job is acknowledged", || (kept.lock().unwrap().jobs.len() > before).then_some(()));
                }
                thread::sleep(wait);
                let pid = served.pid().to_string();
                assert!(std::process::Command::new("kill").args(["-9", &pid]).status().unwrap().success());
                ends.store(true, Ordering::Release);
            });
            served.wait();
            next_job += jobs;
            ledger = kept.into_inner().unwrap();
        }
        let look = place.inspect_copy();
        assert!(look.has_schema());
        found.count_states(&look.file, &ledger);
        settle_jobs(&look.file, &mut ledger);
        settle_things(&look.file, &mut ledger);
    }
    found.assert_enough();
    let mut served = command.start();
    wait_until_done(&served);
    assert!(served.terminate().success(), "{}", served.stderr());
    assert_whole(&place.file);
    settle_jobs(&place.file, &mut ledger);
    settle_things(&place.file, &mut ledger);
    eprintln!(
        "{} jobs, {} things, {} callbacks came",
        ledger.jobs.len(),
        ledger.things.len(),
        receiver.received().len()
    );
    check_callbacks(&place.file, &ledger, &receiver);
    compare_with_uninterrupted(&place.file, &ledger);
}

/// Counts the states that the kills interrupted, so that the test fails if it kills only idle servers.
#[derive(Default)]
struct InterruptedStates {
    waiting_jobs: usize,
    owed_callbacks: usize,
    cut_attempts: usize,
    unsure_requests: usize,
}

impl InterruptedStates {
    fn count_states(&mut self, file: &Path, ledger: &ChangeLedger) {
        let any = |sql: &str| usize::from(read_column(file, sql) != ["0"]);
        self.waiting_jobs += any("SELECT count(*) FROM jobs WHERE state = 'queued'");
        self.owed_callbacks += any("SELECT count(*) FROM callbacks WHERE state = 'waiting'");
        self.cut_attempts += any("SELECT count(*) FROM callback_attempts a WHERE finished_at IS NULL
            AND id = (SELECT max(id) FROM callback_attempts b WHERE b.callback_id = a.callback_id)");
        self.unsure_requests += usize::from(ledger.unsure_job.is_some() || ledger.unsure_thing.is_some());
    }

    fn are_enough(&self) -> bool {
        self.waiting_jobs.min(self.owed_callbacks).min(self.unsure_requests) > 2
    }

    fn assert_enough(&self) {
        let Self { waiting_jobs, owed_callbacks, cut_attempts, unsure_requests } = self;
        eprintln!(
            "kills with waiting jobs {waiting_jobs}, owed callbacks {owed_callbacks}, a try cut off {cut_attempts}, a request cut off {unsure_requests}"
        );
        assert!(self.are_enough(), "the kills came at idle moments");
    }
}

/// Returns the replies of the receiver: first silence, so that kills interrupt attempts, then replies that cause
/// retries, and finally success.
fn random_replies(random: &mut StdRng) -> Vec<Reply> {
    let early = [Reply::Silence, Reply::Silence, Reply::Status(200), Reply::Status(503), Reply::Close];
    let late = [Reply::Status(200), Reply::Status(204), Reply::Status(503), Reply::Status(429), Reply::Close];
    let mut some = |table: &[Reply]| table.choose(random).cloned().unwrap();
    (0..60).map(|n| if n < 30 { some(&early) } else { some(&late) }).collect()
}

fn contact_uids(client: &Client) -> Vec<String> {
    let lists = client.get("/contacts/v1/lists/?name=work&sort_by=name&sort_order=ASC");
    lists.column("uid")
}

fn ask_for_jobs(
    client: &Client,
    ledger: &Mutex<ChangeLedger>,
    uids: &[String],
    numbers: std::ops::Range<u64>,
    hook: &str,
) {
    for job in numbers.map(|number| GeneratedJob { number }) {
        let body = job.request_body(&uids[job.list_index()], hook);
        match client.try_send(&Request::post("/contacts/v1/contacts").json(&body)) {
            Ok(answer) => {
                answer.expect(200);
                ledger.lock().unwrap().jobs.push(job);
            }
            Err(_) => {
                ledger.lock().unwrap().unsure_job = Some(job);
                return;
            }
        }
    }
}

/// Creates and deletes short links, lists and opt-outs one after another until the server is killed.
fn ask_for_things(client: &Client, ledger: &Mutex<ChangeLedger>, ends: &AtomicBool, mut random: StdRng) {
    while !ends.load(Ordering::Acquire) {
        let name =
            format!("{} {}", ["list", "link", "optout"].choose(&mut random).unwrap(), random.random_range(0..40));
        let is_there = ledger.lock().unwrap().things.get(&name).copied().unwrap_or(false);
        let request = if is_there { delete_thing(client, &name) } else { Some(make_thing(&name)) };
        let Some(request) = request else { return };
        ledger.lock().unwrap().unsure_thing = Some(name.clone());
        let Ok(answer) = client.try_send(&request) else { return };
        assert!((200..300).contains(&answer.status), "{}", answer.shown());
        let mut ledger = ledger.lock().unwrap();
        ledger.unsure_thing = None;
        ledger.things.insert(name, !is_there);
    }
}

fn opt_out_number(name: &str) -> String {
    fiction_number(name.trim_start_matches("optout ").parse().unwrap())
}

fn make_thing(name: &str) -> Request {
    match name.split(' ').next() {
        Some("list") => Request::post("/contacts/v1/lists/create").json(&json!({ "name": name })),
        Some("link") => {
            let link = json!({ "title": name, "target_url": "https://shop.example/s" });
            Request::post("/assets/v1/shortlink").json(&link)
        }
        _ => Request::post("/contacts/v1/optouts").json(&json!({ "optouts": [{ "number": opt_out_number(name) }] })),
    }
}

/// Returns nothing if the server was killed while it was asked for the UID.
fn delete_thing(client: &Client, name: &str) -> Option<Request> {
    let found = |request: Request, key: &str, id: &str| -> Option<String> {
        let answer = client.try_send(&request).ok()?;
        let items = answer.items();
        let one = items.iter().find(|item| item[key] == name).unwrap_or_else(|| panic!("{name} is gone: {items:?}"));
        Some(one[id].as_str().unwrap().to_owned())
    };
    match name.split(' ').next() {
        Some("list") => {
            let query = Request::get(format!("/contacts/v1/lists/?page_size=100&name={}", name.replace(' ', "%20")));
            Some(Request::delete(format!("/contacts/v1/lists/{}", found(query, "name", "uid")?)))
        }
        Some("link") => {
            let query = Request::post("/assets/v1/shortlink/filter").json(&json!({ "page": { "page_size": 100 } }));
            Some(Request::delete(format!("/assets/v1/shortlink/{}", found(query, "title", "link_id")?)))
        }
        _ => Some(Request::delete("/contacts/v1/optouts").json(&json!({ "numbers": [opt_out_number(name)] }))),
    }
}

fn read_column(file: &Path, sql: &str) -> Vec<String> {
    read_rows(file, sql).into_iter().flatten().flatten().collect()
}

/// Checks that the stored jobs are the acknowledged ones, in their order, and possibly the one under way.
fn settle_jobs(file: &Path, ledger: &mut ChangeLedger) {
    let stored = read_column(file, "SELECT correlation_id FROM jobs ORDER BY id");
    if let Some(unsure) = ledger.unsure_job.take()
        && stored.len() == ledger.jobs.len() + 1
    {
        ledger.jobs.push(unsure);
    }
    let acknowledged: Vec<_> = ledger.jobs.iter().map(|job| job.correlation_id()).collect();
    assert_eq!(stored, acknowledged);
}

/// Checks that each stored record exists once and was acknowledged, except for the one under way.
fn settle_things(file: &Path, ledger: &mut ChangeLedger) {
    let mut stored =
        read_column(file, "SELECT name FROM lists WHERE name LIKE 'list %' UNION ALL SELECT title FROM short_links");
    let numbers = read_column(file, "SELECT number FROM opt_outs");
    let name = |n: usize| format!("optout {n}");
    stored.extend((0..40).map(name).filter(|name| numbers.contains(&opt_out_number(name))));
    assert_eq!(numbers.len(), stored.iter().filter(|name| name.starts_with("optout")).count());
    if let Some(unsure) = ledger.unsure_thing.take() {
        let is_there = stored.contains(&unsure);
        ledger.things.insert(unsure, is_there);
    }
    stored.sort();
    let expected: Vec<_> =
        ledger.things.iter().filter(|(_, is_there)| **is_there).map(|(name, _)| name.as_str()).collect();
    assert_eq!(stored, expected);
}

/// Waits until no job waits and no callback is owed.
fn wait_until_done(served: &Spawned) {
    let admin = served.admin();
    let begun = Instant::now();
    loop {
        // The order matters. When a job no longer waits, the callback that it owes is stored.
        let jobs = admin.get("/__admin/jobs?page_size=100").items();
        let pending = admin.get("/__admin/callbacks?page_size=100").items();
        let waits = |items: &[Value], state: &str| items.iter().any(|item| item["state"] == state);
        if !waits(&jobs, "queued") && !waits(&pending, "waiting") {
            return;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "jobs or callbacks do not end");
        thread::sleep(Duration::from_millis(50));
    }
}

/// Checks that each callback was sent at least once, that every attempt is recorded with the same bytes, and that the
/// bytes contain the totals of the job.
fn check_callbacks(file: &Path, ledger: &ChangeLedger, receiver: &Receiver) {
    let mut came: BTreeMap<String, Vec<Vec<u8>>> = BTreeMap::new();
    for received in receiver.received() {
        let correlation = received.json()["correlation_id"].as_str().unwrap().to_owned();
        came.entry(correlation).or_default().push(received.body);
    }
    let rows = read_rows(
        file,
        "SELECT j.correlation_id, j.imported, j.merged, j.failed, c.attempts, c.state FROM jobs j JOIN callbacks c ON c.job_id = j.id",
    );
    assert_eq!(rows.len(), ledger.jobs.len(), "one callback for each job");
    for row in rows {
        let [correlation, imported, merged, failed, attempts, state] = row.try_into().unwrap();
        let (correlation, attempts): (String, usize) = (correlation.unwrap(), attempts.unwrap().parse().unwrap());
        let bodies = came.remove(&correlation).unwrap_or_else(|| panic!("nothing came for {correlation} ({state:?})"));
        assert!(bodies.len() <= attempts, "{correlation}: {} came, {attempts} are on record", bodies.len());
        assert!(bodies.iter().all(|body| *body == bodies[0]), "{correlation}: the same bytes each time");
        let results = &serde_json::from_slice::<Value>(&bodies[0]).unwrap()["results"];
        let expected = json!({ "total_contacts_imported": imported, "total_contacts_merged": merged, "total_contacts_failed": failed });
        assert_eq!(*results, expected, "{correlation}");
        assert!(state.as_deref() == Some("delivered") || attempts > 30, "{correlation}: {state:?} after {attempts}");
    }
    assert!(came.is_empty(), "callbacks of no job: {:?}", came.keys());
}

/// Checks that the same jobs in the same order on an undisturbed server give the same contacts, outcomes and totals.
fn compare_with_uninterrupted(file: &Path, ledger: &ChangeLedger) {
    let place = AccountFolder::new();
    let served = Setup::new().on_file(&place.file).serve();
    for n in 0..LISTS {
        served.post("/contacts/v1/lists/create", &json!({ "name": format!("work {n}") })).expect(200);
    }
    let uids = contact_uids(&served);
    for job in &ledger.jobs {
        let mut body = job.request_body(&uids[job.list_index()], "");
        body.as_object_mut().unwrap().remove("callback_url");
        served.post("/contacts/v1/contacts", &body).expect(200);
    }
    served.settle();
    served.stop();
    let tables = [
        "SELECT l.name, c.id, c.phone, c.phone_region, c.whatsapp, c.whatsapp_region, title, firstname, city, email_address, field_1, field_3,
         c.updated_at IS NOT NULL FROM contacts c JOIN lists l ON l.id = c.list_id ORDER BY c.id",
        "SELECT correlation_id, list_name, imported, merged, skipped, failed FROM jobs ORDER BY id",
        "SELECT job_id, position, outcome, contact_id FROM job_outcomes ORDER BY job_id, position",
    ];
    for sql in tables {
        let (killed, undisturbed) = (read_rows(file, sql), read_rows(&place.file, sql));
        assert_eq!(killed.len(), undisturbed.len(), "{sql}");
        if let Some((a, b)) = killed.iter().zip(&undisturbed).find(|(a, b)| a != b) {
            panic!("after kills {a:?}, undisturbed {b:?}: {sql}");
        }
    }
    let total: i64 = read_rows(file, "SELECT count(*) FROM contacts").concat()[0].as_deref().unwrap().parse().unwrap();
    assert!(total > 5_000, "{total}");
}
