//! Many clients use one account file at once. Every answer is one that the interface defines, and in the end the totals
//! add up.

use std::{
    collections::{BTreeMap, BTreeSet},
    thread,
    time::{Duration, Instant},
};

use rand::{Rng, SeedableRng, rngs::StdRng};
use roost_tests::{
    Answer, Client, Expected, Request, Setup, Spawned,
    expected::{
        C, L, bad_body, bad_format, invalid, malformed_uid, message_only, not_found, shape_a, shape_b, unknown,
    },
};
use roost_wire::OPERATIONS;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::whole::{assert_whole, read_rows};

const CLIENTS: usize = 64;
const TIME: Duration = Duration::from_secs(6);
/// The senders and numbers that each client uses alone.
const SENDERS: usize = 3;
const NUMBERS: usize = 12;

/// Proves: D32, D83.
#[test]
fn sixty_four_clients_on_one_file_get_defined_answers_and_totals_add_up() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("account.roost");
    let mut served = Spawned::start(["--limits", "off", "--db", file.to_str().unwrap()]);
    let admin = served.admin();
    let sender = |name: String| admin.post("/__admin/senders", &json!({ "name": name })).expect(201).json();
    let mut callers: Vec<ConcurrentClient> = (0..CLIENTS)
        .map(|n| {
            let senders = (0..SENDERS).map(|i| sender(format!("C{n}-{i}"))).map(|sender| (sender, true)).collect();
            ConcurrentClient::new(n, served.client(), senders)
        })
        .collect();
    // On a busy machine the clients continue until every operation was tried often enough.
    let mut turns = vec![TIME];
    turns.extend([TIME / 4; 12]);
    for turn in turns {
        let ends = Instant::now() + turn;
        thread::scope(|scope| {
            for caller in &mut callers {
                scope.spawn(move || {
                    while Instant::now() < ends {
                        caller.perform_random_act();
                    }
                });
            }
        });
        if OPERATIONS.iter().all(|operation| count_succeeded(&callers, operation.name) >= CLIENTS) {
            break;
        }
    }
    let begun = Instant::now();
    while callers.iter().any(|caller| !caller.has_settled()) {
        assert!(begun.elapsed() < Duration::from_secs(60), "the jobs do not end");
        thread::sleep(Duration::from_millis(20));
    }
    eprintln!("the last jobs ended {:?} after the last request", begun.elapsed());
    let counts = callers.iter().flat_map(|caller| &caller.asked);
    let mut totals: BTreeMap<(&str, u16), usize> = BTreeMap::new();
    counts.for_each(|(key, count)| *totals.entry(*key).or_default() += count);
    eprintln!("{} requests: {totals:?}", totals.values().sum::<usize>());
    let mut times: Vec<Duration> = callers.iter_mut().flat_map(|caller| std::mem::take(&mut caller.times)).collect();
    times.sort();
    eprintln!(
        "half within {:?}, 99 % within {:?}, all within {:?}",
        times[times.len() / 2],
        times[times.len() * 99 / 100],
        times[times.len() - 1]
    );
    for operation in OPERATIONS {
        let good = count_succeeded(&callers, operation.name);
        assert!(good >= CLIENTS, "{} succeeded {good} times only", operation.name);
    }
    assert!(served.terminate().success(), "{}", served.stderr());
    assert!(!served.stderr().contains("ERROR"), "{}", served.stderr());
    assert_whole(&file);
    totals_add_up(&file, &callers);
}

/// Counts the successful requests of an operation.
fn count_succeeded(callers: &[ConcurrentClient], operation: &str) -> usize {
    let counts = callers.iter().flat_map(|caller| &caller.asked);
    counts.filter(|((name, status), _)| *name == operation && *status < 300).map(|(_, n)| n).sum()
}

/// A client with its own records that no other client touches, and a ledger of them.
struct ConcurrentClient {
    n: usize,
    client: Client,
    random: StdRng,
    made: usize,
    /// Each sender as it was created, and whether it still exists.
    senders: Vec<(Value, bool)>,
    lists: Vec<OwnList>,
    links: Vec<Value>,
    /// By the index of the number.
    opt_outs: BTreeSet<usize>,
    asked: BTreeMap<(&'static str, u16), usize>,
    times: Vec<Duration>,
}

/// A list, and the result that its jobs must have in their order.
struct OwnList {
    uid: String,
    name: String,
    /// The number of contacts for each phone number, by the index of the number.
    phones: BTreeMap<usize, usize>,
    /// Contacts without a phone number. No job looks for them, so they can be deleted while jobs wait.
    others: usize,
    imported: usize,
    deleted: usize,
}

impl OwnList {
    fn count_contacts(&self) -> usize {
        self.phones.values().sum::<usize>() + self.others
    }
}

fn object_keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> =
        value.as_object().unwrap_or_else(|| panic!("no object: {value}")).keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

const CONTACT_KEYS: [&str; 23] = [
    "address_1",
    "address_2",
    "alternate_phone",
    "city",
    "company_name",
    "country",
    "created_at",
    "date_of_birth",
    "email_address",
    "field_1",
    "field_2",
    "field_3",
    "firstname",
    "lastname",
    "phone_number",
    "phone_region",
    "state",
    "title",
    "uid",
    "updated_at",
    "whatsapp_id",
    "whatsapp_region",
    "zip",
];

impl ConcurrentClient {
    fn new(n: usize, client: Client, senders: Vec<(Value, bool)>) -> Self {
        Self {
            n,
            client,
            random: StdRng::seed_from_u64(n as u64),
            made: 0,
            senders,
            lists: Vec::new(),
            links: Vec::new(),
            opt_outs: BTreeSet::new(),
            asked: BTreeMap::new(),
            times: Vec::new(),
        }
    }

    fn send_counted(&mut self, operation: &'static str, request: Request) -> Answer {
        let begun = Instant::now();
        let answer = self.client.send(request);
        self.times.push(begun.elapsed());
        assert!(answer.status < 500, "{}", answer.shown());
        *self.asked.entry((operation, answer.status)).or_default() += 1;
        answer
    }

    fn unused_number(&self, place: usize) -> String {
        let n = self.n * NUMBERS + place;
        if n < 1_000 { format!("+44770090{n:04}") } else { format!("+44163296{:04}", n - 1_000) }
    }

    fn pick_index(&mut self, len: usize) -> Option<usize> {
        (len > 0).then(|| self.random.random_range(0..len))
    }

    fn unused_name(&mut self) -> String {
        self.made += 1;
        format!("c{:02}-{}", self.n, self.made)
    }

    fn perform_random_act(&mut self) {
        match self.random.random_range(0..20) {
            0 => self.senders_query(),
            1 => self.sender_get(),
            2 if self.random.random_bool(0.1) => self.sender_delete(),
            3 => self.lists_query(),
            4 if self.lists.len() < 6 => self.list_create(),
            5 if self.random.random_bool(0.1) => self.list_delete(),
            6..=7 => self.contacts_query(),
            8 => self.contacts_create(),
            9..=10 => self.contact_delete(),
            11 => self.opt_outs_query(),
            12 => self.opt_out_create(),
            13 => self.opt_outs_delete(),
            14 if self.links.len() < 6 => self.link_create(),
            15 => self.link_get(),
            16 => self.links_search(),
            17 if self.random.random_bool(0.5) => self.link_delete(),
            _ => self.send_invalid(),
        }
    }

    fn senders_query(&mut self) {
        let found = self.send_counted("senders.query", Request::get("/assets/v1/senders/?page_size=100")).ok();
        assert_eq!(object_keys(&found), ["items", "paging"]);
        let ids: Vec<_> = found["items"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap()).collect();
        assert!(ids.windows(2).all(|pair| pair[0] > pair[1]), "newest first");
        assert!(found["items"].as_array().unwrap().iter().all(|item| object_keys(item) == ["id", "name", "status"]));
    }

    fn sender_get(&mut self) {
        let at = self.random.random_range(0..self.senders.len());
        let (sender, is_there) = self.senders[at].clone();
        let answer = self.send_counted(
            "senders.get",
            Request::get(format!("/assets/v1/senders/{}", sender["id"].as_str().unwrap())),
        );
        answer.is(&if is_there { Expected::new(200, sender) } else { no_sender() });
    }

    fn sender_delete(&mut self) {
        let at = self.random.random_range(0..self.senders.len());
        let id = self.senders[at].0["id"].as_str().unwrap().to_owned();
        let was_there = std::mem::replace(&mut self.senders[at].1, false);
        let answer = self.send_counted("senders.delete", Request::delete(format!("/assets/v1/senders/{id}")));
        answer.is(&if was_there { Expected::empty(204) } else { no_sender() });
    }

    fn lists_query(&mut self) {
        let target = format!("/contacts/v1/lists/?page_size=100&sort_by=name&sort_order=ASC&name=c{:02}-", self.n);
        let items = self.send_counted("lists.query", Request::get(target)).items();
        assert!(items.iter().all(|item| object_keys(item) == ["created_at", "name", "uid", "updated_at"]));
        let found: BTreeSet<_> =
            items.iter().map(|item| (item["uid"].as_str().unwrap(), item["name"].as_str().unwrap())).collect();
        let own: BTreeSet<_> = self.lists.iter().map(|list| (list.uid.as_str(), list.name.as_str())).collect();
        assert_eq!(found, own, "a client reads what it wrote");
    }

    fn list_create(&mut self) {
        let name = self.unused_name();
        let made = self
            .send_counted("lists.create", Request::post("/contacts/v1/lists/create").json(&json!({ "name": name })))
            .ok();
        assert_eq!((object_keys(&made), &made["name"]), (vec!["name", "uid"], &json!(name)));
        let uid = made["uid"].as_str().unwrap().to_owned();
        self.lists.push(OwnList { uid, name, phones: BTreeMap::new(), others: 0, imported: 0, deleted: 0 });
    }

    fn list_delete(&mut self) {
        let Some(at) = self.pick_index(self.lists.len()) else { return };
        let list = self.lists.swap_remove(at);
        let path = format!("/contacts/v1/lists/{}", list.uid);
        self.send_counted("lists.delete", Request::delete(&path)).is(&Expected::empty(204));
        self.send_counted("lists.delete", Request::delete(&path)).is(&unknown("List not found"));
        self.send_counted("contacts.query", Request::get(format!("/contacts/v1/contacts/list/{}", list.uid)))
            .is(&unknown("List not found"));
    }

    fn contacts_query(&mut self) {
        let Some(at) = self.pick_index(self.lists.len()) else { return };
        let page = ["", "?page_number=1&page_size=100", "?page_number=2&page_size=3"][self.random.random_range(0..3)];
        let target = format!("/contacts/v1/contacts/list/{}{page}", self.lists[at].uid);
        let found = self.send_counted("contacts.query", Request::get(target)).ok();
        let items = found["items"].as_array().unwrap();
        assert!(items.iter().all(|item| object_keys(item) == CONTACT_KEYS), "{found}");
        let total = found["paging"]["total_items"].as_u64().unwrap() as usize;
        assert!(!page.is_empty() || items.len() == total, "all of them");
        let uids: BTreeSet<_> = items.iter().map(|item| item["uid"].as_str().unwrap()).collect();
        assert_eq!(uids.len(), items.len(), "none twice");
    }

    fn contacts_create(&mut self) {
        let Some(at) = self.pick_index(self.lists.len()) else { return };
        let places: Vec<usize> =
            (0..self.random.random_range(1..12)).map(|_| self.random.random_range(0..NUMBERS)).collect();
        let kind = self.random.random_range(0..4);
        let contacts: Vec<Value> = places
            .iter()
            .map(|place| {
                let key = if kind == 3 { "whatsapp_number" } else { "phone_number" };
                json!({ key: self.unused_number(*place), "firstname": format!("{place}") })
            })
            .collect();
        let merge_type = ["skipDuplicates", "allowDuplicates", "mergeByPhoneNumberInList", "allowDuplicates"][kind];
        let body = json!({ "list_id": self.lists[at].uid, "merge_type": merge_type, "contacts": contacts });
        let queued = self.send_counted("contacts.create", Request::post("/contacts/v1/contacts").json(&body)).ok();
        let list = &mut self.lists[at];
        let expected = json!({
            "list_id": list.uid, "list_name": list.name, "code": "SUCCESS_CNT_GEN_001",
            "message": "The contacts creation request has been queued.",
        });
        assert_eq!(queued, expected);
        let before = list.count_contacts();
        for place in places {
            match kind {
                3 => list.others += 1,
                1 => *list.phones.entry(place).or_default() += 1,
                _ => drop(list.phones.entry(place).or_insert(1)),
            }
        }
        list.imported += list.count_contacts() - before;
    }

    /// Deletes one of the contacts that no job looks for.
    fn contact_delete(&mut self) {
        let Some(at) = self.pick_index(self.lists.len()) else { return };
        let target = format!("/contacts/v1/contacts/list/{}?fields=uid,phone_number", self.lists[at].uid);
        let items = self.send_counted("contacts.query", Request::get(target)).items();
        assert!(items.iter().all(|item| object_keys(item) == ["phone_number", "uid"]));
        let Some(one) = items.iter().find(|item| item["phone_number"].is_null()) else { return };
        let path = format!("/contacts/v1/contacts/{}", one["uid"].as_str().unwrap());
        self.send_counted("contacts.delete", Request::delete(&path)).is(&Expected::empty(204));
        self.send_counted("contacts.delete", Request::delete(&path)).is(&unknown("Contact not found"));
        self.lists[at].others -= 1;
        self.lists[at].deleted += 1;
    }

    fn opt_outs_query(&mut self) {
        let place = self.random.random_range(0..NUMBERS);
        let number = self.unused_number(place);
        let target = format!("/contacts/v1/optouts?number={}", number.replace('+', "%2B"));
        let items = self.send_counted("optouts.query", Request::get(target)).items();
        assert_eq!(items.len(), usize::from(self.opt_outs.contains(&place)), "{items:?}");
        for item in items {
            assert_eq!(
                object_keys(&item),
                ["account_level_opt_out", "channel", "number", "opt_out_time", "opt_out_type"]
            );
            assert_eq!((&item["number"], &item["opt_out_type"]), (&json!(number), &json!("api_import")));
        }
    }

    fn opt_out_create(&mut self) {
        let place = self.random.random_range(0..NUMBERS);
        let body = json!({ "optouts": [{ "number": self.unused_number(place) }] });
        let made =
            self.send_counted("optouts.create", Request::post("/contacts/v1/optouts").json(&body)).expect(201).json();
        assert_eq!((&made["total_submitted"], &made["total_succeeded"]), (&json!(1), &json!(1)), "{made}");
        assert_eq!(made["items"][0]["status"], "success");
        self.opt_outs.insert(place);
    }

    fn opt_outs_delete(&mut self) {
        let places: Vec<usize> = (0..3).map(|_| self.random.random_range(0..NUMBERS)).collect();
        let numbers: Vec<String> = places.iter().map(|place| self.unused_number(*place)).collect();
        let request = Request::delete("/contacts/v1/optouts").json(&json!({ "numbers": numbers, "channel": "SMS" }));
        let response = self.send_counted("optouts.delete", request).ok();
        // They are removed in order, so the second of two equal numbers is not found.
        let removed = places.iter().map(|place| self.opt_outs.remove(place)).collect::<Vec<_>>();
        let status: Vec<bool> =
            response["items"].as_array().unwrap().iter().map(|item| item["status"] == "success").collect();
        assert_eq!(status, removed, "{response}");
    }

    fn link_create(&mut self) {
        let title = self.unused_name();
        let body =
            json!({ "title": title, "target_url": "https://shop.example/s", "tags": [format!("client-{}", self.n)] });
        let made = self.send_counted("shortlinks.create", Request::post("/assets/v1/shortlink").json(&body)).ok();
        assert_eq!(
            object_keys(&made),
            ["created_at", "link_id", "short_link_url", "tags", "target_url", "title", "track_clicks"]
        );
        self.links.push(made);
    }

    fn link_get(&mut self) {
        let Some(at) = self.pick_index(self.links.len()) else { return };
        let link = self.links[at].clone();
        let path = format!("/assets/v1/shortlink/{}", link["link_id"].as_str().unwrap());
        self.send_counted("shortlinks.get", Request::get(path)).is(&Expected::new(200, link));
    }

    fn links_search(&mut self) {
        let body = json!({ "filter": { "tags": [format!("client-{}", self.n)] }, "page": { "page_size": 100 } });
        let items =
            self.send_counted("shortlinks.search", Request::post("/assets/v1/shortlink/filter").json(&body)).items();
        let ids = |links: &[Value]| {
            links.iter().map(|link| link["link_id"].as_str().unwrap().to_owned()).collect::<BTreeSet<_>>()
        };
        assert_eq!(ids(&items), ids(&self.links), "a client finds what it made");
    }

    fn link_delete(&mut self) {
        let Some(at) = self.pick_index(self.links.len()) else { return };
        let link = self.links.swap_remove(at);
        let id = link["link_id"].as_str().unwrap();
        let path = format!("/assets/v1/shortlink/{id}");
        self.send_counted("shortlinks.delete", Request::delete(&path)).is(&Expected::empty(204));
        self.send_counted("shortlinks.get", Request::get(&path))
            .is(&not_found(L, &format!("Short link with id '{id}' not found")));
    }

    /// Sends an invalid request, which must be refused in the usual way even under load.
    fn send_invalid(&mut self) {
        match self.random.random_range(0..7) {
            0 => {
                let fault = json!([{ "message": "must be less than or equal to 100", "field": "get_all_sms_senders.page_size" }]);
                self.send_counted("senders.query", Request::get("/assets/v1/senders/?page_size=101"))
                    .is(&shape_a(400, fault));
            }
            1 => self
                .send_counted("lists.query", Request::get("/contacts/v1/lists/?page_size=x"))
                .is(&bad_format("page_size", "int")),
            2 => {
                let request = Request::post("/contacts/v1/lists/create").json(&json!({ "name": "" }));
                self.send_counted("lists.create", request).is(&invalid(C, &[("name", "Invalid list name", json!(""))]));
            }
            3 => {
                let request = Request::delete("/contacts/v1/contacts/CON_1");
                self.send_counted("contacts.delete", request).is(&malformed_uid(C, "deleteContact.uid", "CON_1"));
            }
            4 => {
                let request = Request::post("/contacts/v1/contacts").json_text("{\"list_id\":");
                self.send_counted("contacts.create", request).is(&bad_body(C));
            }
            5 => {
                let client = self.client.without("x-auth-key");
                client.get("/assets/v1/senders/").is(&message_only(401, "Unauthorized"));
            }
            _ => {
                let answer = self.client.send(Request::new("PUT", "/assets/v1/shortlink/filter"));
                answer.is(&shape_b(405, L, "REQ_003", "METHOD_NOT_ALLOWED", "Method not allowed"));
            }
        }
    }

    /// Returns whether every list holds the result of its jobs.
    fn has_settled(&self) -> bool {
        self.lists.iter().all(|list| {
            let found =
                self.client.get(format!("/contacts/v1/contacts/list/{}?page_number=1&page_size=1", list.uid)).ok();
            let total = found["paging"]["total_items"].as_u64().unwrap() as usize;
            assert!(total <= list.count_contacts(), "{} holds {total}, more than was asked for", list.name);
            total == list.count_contacts()
        })
    }
}

fn no_sender() -> Expected {
    shape_a(404, json!([{ "message": "Sender not found for the account", "code": 3006 }]))
}

/// Checks that the file holds exactly the records of the ledgers.
fn totals_add_up(file: &std::path::Path, callers: &[ConcurrentClient]) {
    let sum = |of: fn(&ConcurrentClient) -> usize| Some(callers.iter().map(of).sum::<usize>().to_string());
    let held = "SELECT (SELECT count(*) FROM senders), (SELECT count(*) FROM lists), (SELECT count(*) FROM contacts),
        (SELECT count(*) FROM opt_outs), (SELECT count(*) FROM short_links), (SELECT count(*) FROM jobs WHERE state = 'queued')";
    let expected = [
        sum(|caller| caller.senders.iter().filter(|(_, is_there)| *is_there).count()),
        sum(|caller| caller.lists.len()),
        sum(|caller| caller.lists.iter().map(OwnList::count_contacts).sum()),
        sum(|caller| caller.opt_outs.len()),
        sum(|caller| caller.links.len()),
        Some("0".to_owned()),
    ];
    assert_eq!(read_rows(file, held), [expected]);
    let by_list = "SELECT l.name, l.contact_count, sum(j.imported) FROM lists l LEFT JOIN jobs j ON j.list_uid = l.uid GROUP BY l.id";
    let stored: BTreeMap<String, Vec<Option<String>>> =
        read_rows(file, by_list).into_iter().map(|mut row| (row.remove(0).unwrap(), row)).collect();
    for list in callers.iter().flat_map(|caller| &caller.lists) {
        let [count, imported] = stored[&list.name].clone().try_into().unwrap();
        let number = |text: Option<String>| text.map_or(0, |text| text.parse::<usize>().unwrap());
        let (count, imported) = (number(count), number(imported));
        assert_eq!((count, imported), (list.count_contacts(), list.imported), "{}", list.name);
        assert_eq!(count, imported - list.deleted, "{}", list.name);
    }
}

/// The times at which a client sent a request and received its response. The server admitted it somewhere in between.
type CallSpan = (Duration, Duration);

/// Proves: D24, D25, D26.
#[test]
fn never_more_than_burst_and_rate_are_let_in_for_a_key_and_an_operation() {
    const RATE: f64 = 10.0;
    let served = Setup::new().set("limits", "on").serve();
    let list =
        served.post("/contacts/v1/lists/create", &json!({ "name": "VIP" })).ok()["uid"].as_str().unwrap().to_owned();
    let contacts = format!("/contacts/v1/contacts/list/{list}");
    let lanes = [
        ("a", "/contacts/v1/lists/"),
        ("a", "/assets/v1/senders/"),
        ("a", contacts.as_str()),
        ("b", "/contacts/v1/lists/"),
        ("b", "/contacts/v1/optouts"),
    ];
    let begun = Instant::now();
    let time = Duration::from_secs(5);
    // Four connections put load on each lane. Another client stays well below the limit.
    let press = |key: &'static str, path: &str| -> Vec<CallSpan> {
        let client = served.with_key(key);
        let mut let_in = Vec::new();
        while begun.elapsed() < time {
            let sent = begun.elapsed();
            let answer = client.get(path);
            match answer.status {
                200 => let_in.push((sent, begun.elapsed())),
                _ => {
                    let seconds: u64 = answer.header("retry-after").unwrap().parse().unwrap();
                    assert_eq!(seconds, 1, "ten a second: there is a token within one");
                    answer.is(&too_many(path));
                    thread::sleep(Duration::from_millis(2));
                }
            }
        }
        let_in
    };
    let press = &press;
    let let_in: Vec<Vec<CallSpan>> = thread::scope(|scope| {
        let pressing: Vec<Vec<_>> =
            lanes.iter().map(|(key, path)| (0..4).map(|_| scope.spawn(move || press(key, path))).collect()).collect();
        let calm = served.with_key("calm");
        while begun.elapsed() < time {
            calm.get("/contacts/v1/lists/").expect(200);
            thread::sleep(Duration::from_millis(120));
        }
        pressing.into_iter().map(|lane| lane.into_iter().flat_map(|one| one.join().unwrap()).collect()).collect()
    });
    for ((key, path), spans) in lanes.iter().zip(&let_in) {
        let most = RATE + RATE * time.as_secs_f64();
        eprintln!("{key} {path}: {} let in, {most} at most", spans.len());
        assert!(
            spans.len() as f64 >= most * 0.6,
            "{} let in of {most}: the lane must not be tighter than its stated rate",
            spans.len()
        );
        for (from, _) in spans {
            for (_, to) in spans.iter().filter(|(_, to)| to > from) {
                let within = spans.iter().filter(|(sent, answered)| sent >= from && answered <= to).count() as f64;
                let allowed = RATE + RATE * (*to - *from).as_secs_f64();
                assert!(within <= allowed, "{key} {path}: {within} let in within {:?}", *to - *from);
            }
        }
    }
    // A client that waits as long as the response said is admitted.
    thread::sleep(Duration::from_secs(1));
    for (key, path) in lanes {
        served.with_key(key).get(path).expect(200);
    }
}

fn too_many(path: &str) -> Expected {
    if path.starts_with("/assets/v1/senders") {
        return message_only(429, "Too many requests");
    }
    shape_b(429, C, "LIM_001", "TOO_MANY_REQUESTS", "Too many requests")
}
