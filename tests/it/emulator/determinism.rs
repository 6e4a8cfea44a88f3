//! The same seed and the same requests give the same bytes, whatever else happens meanwhile.

use std::{collections::BTreeSet, fmt::Write as _, io::ErrorKind, thread};

use rand::{Rng, SeedableRng, rngs::StdRng};
use roost_emulator::{Journal, JournalLimits};
use roost_ops::callback;
use roost_tests::{Client, Receiver, Reply, Request, Served, Setup, Spawned, seeds, until};
use roost_wire::OPERATIONS;
use serde_json::{Value, json};

use super::worlds::create_world;
use crate::rest::{LIST, contacts_of, creation_body};

const START: &str = "2026-01-05T09:00:00Z";
const LISTS: &str = "/contacts/v1/lists/";
const MAKE_LIST: &str = "/contacts/v1/lists/create";
const CONTACTS: &str = "/contacts/v1/contacts";
const OPT_OUTS: &str = "/contacts/v1/optouts";
const LINKS: &str = "/assets/v1/shortlink";
const RANDOM: &str = "/__admin/random";

fn seeded_setup() -> Setup {
    Setup::new().at(START).seed(json!({
        "senders": [{ "id": seeds::id("ssd_", "1"), "name": "AcmeShop" }],
        "lists": [seeds::list(LIST, "VIP", json!([]))],
    }))
}

/// Creates a list and returns its ID.
#[track_caller]
fn create_list(api: &Client, name: &str) -> String {
    api.post(MAKE_LIST, &json!({ "name": name })).ok()["uid"].as_str().expect("an id").to_owned()
}

/// Receivers that always reply in the same way.
struct FixedReceivers([(Receiver, Reply); 3]);

impl FixedReceivers {
    fn start() -> Self {
        let replies = [Reply::Status(204), Reply::Status(500), Reply::Status(404)];
        Self(replies.map(|reply| (Receiver::replying(vec![reply.clone(); 20_000]), reply)))
    }

    fn receiver_url(&self, n: usize) -> String {
        self.0[n].0.url("/hook")
    }
}

/// A run with its known records and a transcript of all answers.
struct TranscribedRun<'r> {
    api: Served,
    chance: StdRng,
    receivers: &'r FixedReceivers,
    lists: Vec<String>,
    contacts: Vec<String>,
    links: Vec<String>,
    senders: Vec<String>,
    answers: String,
}

const REQUESTS: usize = 5_000;

impl<'r> TranscribedRun<'r> {
    fn start(receivers: &'r FixedReceivers) -> Self {
        let mut setup = seeded_setup().set("limits", "on").set("short_link_base", "https://sl.example");
        setup.config.admin_token = Some("the-same-token-in-every-run".to_owned());
        setup.config.journal = Journal::new_recording();
        setup.config.journal.set_admin_recording(true);
        setup.config.journal.set_limits(JournalLimits { lines: 4 * REQUESTS, bytes: usize::MAX });
        let api = setup.serve();
        for (seed, rule) in [
            json!({ "match": { "operation": "lists.create" }, "effect": { "status": 503 } }),
            json!({ "match": { "operation": "contacts.create" }, "effect": { "status": 500 }, "commit": "after" }),
            json!({ "match": { "operation": "shortlinks.create" }, "effect": { "line": "empty" }, "commit": "after" }),
            json!({ "match": { "operation": "optouts.query" }, "effect": { "body": "malformed_json" } }),
            json!({ "match": { "operation": "lists.query" }, "effect": { "headers": { "x-fault": "yes" } } }),
        ]
        .into_iter()
        .enumerate()
        {
            let mut rule = rule;
            rule["apply"] = json!({ "probability": 0.15, "seed": seed });
            api.admin().post("/__admin/faults/rules", &rule).expect(201);
        }
        Self {
            api,
            chance: StdRng::seed_from_u64(20_260_105),
            receivers,
            lists: vec![LIST.to_owned()],
            contacts: Vec::new(),
            links: Vec::new(),
            senders: vec![seeds::id("ssd_", "1")],
            answers: String::new(),
        }
    }

    fn one_of(&mut self, of: impl Fn(&Self) -> &[String]) -> String {
        let n = self.chance.random_range(0..1_000_usize);
        let all = of(self);
        // An ID that never existed, if there is none yet.
        all.get(n % all.len().max(1)).cloned().unwrap_or_else(|| format!("LST_{}", "0".repeat(27)))
    }

    fn unused_number(&mut self) -> String {
        seeds::mobile(self.chance.random_range(0..900))
    }

    /// Sends a request and records the answer.
    fn send_recorded(&mut self, client: &Client, request: &Request) -> Value {
        let answer = match client.try_send(request) {
            Ok(answer) => answer,
            Err(error) => {
                let is_cut = matches!(error.kind(), ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset);
                assert!(is_cut, "{error}");
                self.answers.push_str("the line was closed\n");
                return Value::Null;
            }
        };
        let headers = answer.headers.iter().filter(|(name, _)| !name.eq_ignore_ascii_case("date"));
        let headers: Vec<_> = headers.map(|(name, value)| format!("{name}: {value}")).collect();
        writeln!(self.answers, "{} {} {}\n{}", request.target, answer.status, headers.join(", "), answer.text())
            .expect("a text takes more");
        serde_json::from_slice(&answer.body).unwrap_or_default()
    }

    fn remember_ids(known: &mut Vec<String>, value: &Value) {
        known.extend(value.as_str().map(str::to_owned));
    }

    /// Performs one of the sixteen operations, or an act of the operator.
    fn perform_random_act(&mut self, client: &Client, admin: &Client) {
        let kind = self.chance.random_range(0..23);
        match kind {
            0 => {
                let made = self.send_recorded(client, &Request::post(MAKE_LIST).json(&json!({ "name": "Guests" })));
                Self::remember_ids(&mut self.lists, &made["uid"]);
            }
            1 => drop(self.send_recorded(client, &Request::get(LISTS))),
            2 => {
                let uid = self.one_of(|run| &run.lists[1..]);
                self.send_recorded(client, &Request::delete(format!("/contacts/v1/lists/{uid}")));
            }
            3..=5 => self.create_contacts(client),
            6 | 7 => {
                let list = self.one_of(|run| &run.lists);
                let found = self
                    .send_recorded(client, &Request::get(format!("{}?page_number=1&page_size=9", contacts_of(&list))));
                let uids = found["items"].as_array().into_iter().flatten().map(|contact| contact["uid"].clone());
                uids.for_each(|uid| Self::remember_ids(&mut self.contacts, &uid));
            }
            8 => {
                let uid = self.one_of(|run| &run.contacts);
                self.send_recorded(client, &Request::delete(format!("{CONTACTS}/{uid}")));
            }
            9 => {
                let body = json!({ "optouts": [{ "number": self.unused_number() }, { "number": "none" }] });
                self.send_recorded(client, &Request::post(OPT_OUTS).json(&body));
            }
            10 => drop(self.send_recorded(client, &Request::get(OPT_OUTS))),
            11 => {
                let body = json!({ "numbers": [self.unused_number()] });
                self.send_recorded(client, &Request::delete(OPT_OUTS).json(&body));
            }
            12 | 13 => {
                let body = json!({ "title": "Spring", "target_url": "https://shop.example/s" });
                let made = self.send_recorded(client, &Request::post(LINKS).json(&body));
                Self::remember_ids(&mut self.links, &made["link_id"]);
            }
            14 => {
                let id = self.one_of(|run| &run.links);
                self.send_recorded(client, &Request::get(format!("{LINKS}/{id}")));
            }
            15 => {
                let body = json!({ "filter": { "query": "Spring" } });
                self.send_recorded(client, &Request::post(format!("{LINKS}/filter")).json(&body));
            }
            16 => {
                let id = self.one_of(|run| &run.links);
                self.send_recorded(client, &Request::delete(format!("{LINKS}/{id}")));
            }
            17 => drop(self.send_recorded(client, &Request::get("/assets/v1/senders/"))),
            18 => {
                let id = self.one_of(|run| &run.senders);
                self.send_recorded(client, &Request::get(format!("/assets/v1/senders/{id}")));
            }
            19 => {
                let id = self.one_of(|run| &run.senders);
                self.send_recorded(client, &Request::delete(format!("/assets/v1/senders/{id}")));
            }
            20 => {
                let body = json!({ "name": format!("Sender {}", self.chance.random_range(0..1_000)) });
                let made = self.send_recorded(admin, &Request::post("/__admin/senders").json(&body));
                Self::remember_ids(&mut self.senders, &made["id"]);
            }
            21 => {
                let broken = [Request::get("/contacts/v9/lists"), Request::post(MAKE_LIST).json_text("{")];
                let n = self.chance.random_range(0..broken.len());
                self.send_recorded(client, &broken[n]);
            }
            _ => {
                let far = json!({ "by": format!("{}s", self.chance.random_range(0..20)) });
                self.send_recorded(admin, &Request::post("/__admin/clock/advance").json(&far));
            }
        }
    }

    fn create_contacts(&mut self, client: &Client) {
        let contacts: Vec<_> =
            (0..self.chance.random_range(1..4)).map(|_| json!({ "phone_number": self.unused_number() })).collect();
        let merge_type = ["skipDuplicates", "mergeByPhoneNumber"][self.chance.random_range(0..2)];
        let mut body = creation_body(merge_type, json!(contacts));
        body["list_id"] = json!(self.one_of(|run| &run.lists));
        if let Some(n) = [Some(0), Some(1), Some(2), None][self.chance.random_range(0..4)] {
            body["callback_url"] = json!(self.receivers.receiver_url(n));
        }
        self.send_recorded(client, &Request::post(CONTACTS).json(&body));
        // The job and its callback are settled here, so that the next request finds the same state in every run.
        self.api.settle();
        until("no callback is due", || {
            callback::read_due(self.api.core(), 1).expect("readable").is_empty().then_some(())
        });
    }

    fn read_journal(&self, admin: &Client) -> String {
        let (mut written, mut since) = (String::new(), 0);
        loop {
            let page = admin.get(format!("/__admin/requests?stable=true&limit=1000&since={since}"));
            let items = page.items();
            let Some(last) = items.last() else { return written };
            since = last["seq"].as_u64().expect("a number");
            for line in &items {
                writeln!(written, "{line}").expect("a text takes more");
            }
        }
    }

    fn run_to_end(mut self) -> (String, String) {
        let (client, admin) = (self.api.with_key("a-key"), self.api.admin());
        for _ in 0..REQUESTS {
            self.perform_random_act(&client, &admin);
        }
        let moved =
            self.send_recorded(&admin, &Request::post("/__admin/clock/advance").json(&json!({ "until": "idle" })));
        assert!(!moved["ran"].as_array().expect("what ran").is_empty(), "retries were left: {moved}");
        let journal = self.read_journal(&admin);
        (self.answers, journal)
    }
}

/// Shows the first difference between two texts.
#[track_caller]
pub(crate) fn is_same(what: &str, first: &str, second: &str) {
    if let Some((n, (first, second))) = first.lines().zip(second.lines()).enumerate().find(|(_, (a, b))| a != b) {
        panic!("{what} {n} differ:\n{first}\n{second}");
    }
    assert_eq!(first.len(), second.len(), "one of the {what} is longer");
}

#[test]
fn five_thousand_mixed_requests_give_the_same_bytes_twice() {
    let receivers = FixedReceivers::start();
    let first = TranscribedRun::start(&receivers).run_to_end();
    let second = TranscribedRun::start(&receivers).run_to_end();
    is_same("answers", &first.0, &second.0);
    is_same("journals", &first.1, &second.1);
    // The runs contained what they are meant to test.
    let lines: Vec<Value> = first.1.lines().map(|line| serde_json::from_str(line).expect("a line")).collect();
    let seen = |what: &dyn Fn(&Value) -> bool| lines.iter().filter(|line| what(line)).count();
    for operation in OPERATIONS {
        let done =
            seen(&|line| line["operation"] == operation.name && line["status"].as_u64().is_some_and(|s| s < 300));
        assert!(done > 0, "{} never went well", operation.name);
    }
    assert!(seen(&|line| line["direction"] == "in") >= REQUESTS);
    assert!(seen(&|line| line["attempt"] == 4) > 0, "a receiver had its last chance");
    assert!(seen(&|line| line["status"] == 429) > 0 && seen(&|line| !line["rule"].is_null()) > 100);
    for (receiver, reply) in &receivers.0 {
        assert!(receiver.received().len() > 20, "{reply:?}");
    }
}

#[test]
fn requests_at_the_same_time_do_not_change_each_others_ids() {
    const EACH: usize = 25;
    const CALLERS: usize = 8;
    let made = |at_once: bool| -> [BTreeSet<String>; 2] {
        let api = seeded_setup().serve();
        for n in 0..EACH * CALLERS {
            crate::rest::send_creation(&api, "skipDuplicates", json!([{ "phone_number": seeds::mobile(n) }]))
                .expect(200);
        }
        // The jobs run meanwhile.
        let (api, one) = (&api, |client: &Client| -> Vec<String> {
            (0..EACH)
                .map(|_| {
                    client.get(LISTS).expect(200);
                    create_list(client, "x")
                })
                .collect()
        });
        let clients: Vec<_> = (0..CALLERS).map(|_| api.with_key("a-key")).collect();
        let lists: Vec<Vec<String>> = if at_once {
            thread::scope(|threads| {
                let all: Vec<_> = clients.iter().map(|client| threads.spawn(move || one(client))).collect();
                all.into_iter().map(|one| one.join().expect("made")).collect()
            })
        } else {
            clients.iter().map(one).collect()
        };
        api.settle();
        let contacts = crate::rest::stored_contacts(api).into_iter().map(|contact| contact["uid"].to_string());
        [lists.into_iter().flatten().collect(), contacts.collect()]
    };
    let (one_by_one, at_once) = (made(false), made(true));
    assert_eq!(one_by_one.each_ref().map(BTreeSet::len), [EACH * CALLERS; 2], "none comes twice");
    // Which of the concurrent requests is the seventh is random, but the record that the seventh creates is not.
    assert_eq!(at_once, one_by_one);
}

#[test]
fn who_only_looks_changes_no_ids() {
    let made = |looks: usize| {
        let api = seeded_setup().serve();
        let first = create_list(&api, "one");
        for n in 0..looks {
            api.get(LISTS).expect(200);
            api.get(format!("/assets/v1/senders/{n}")).expect(404);
            api.admin().get("/__admin/jobs").expect(200);
        }
        [first, create_list(&api, "two")]
    };
    assert_eq!(made(0), made(20));
}

#[test]
fn another_seed_gives_other_ids() {
    let made = |seed: u64| {
        let api = seeded_setup().serve();
        let response = api.admin().patch(RANDOM, &json!({ "seed": seed })).ok();
        assert_eq!((&response["seed"], &response["ids"]), (&json!(seed), &json!("random")));
        create_list(&api, "one")
    };
    assert_eq!(made(42), made(42));
    assert_ne!(made(42), made(43));
    assert_ne!(made(42), create_list(&seeded_setup().serve(), "one"));
    let api = Setup::new().serve();
    for request in
        [json!({}), json!({ "seed": -1 }), json!({ "seed": "x" }), json!({ "ids": "uuid" }), json!({ "sed": 1 })]
    {
        api.admin().patch(RANDOM, &request).expect(400);
    }
    assert_eq!(
        api.admin().get(RANDOM).ok()["seed"],
        Value::Null,
        "chance chooses the seed, and the response does not name it"
    );
}

#[test]
fn ids_have_the_chosen_style_and_the_right_prefix() {
    let made = |style: &str, later: bool| {
        let api = seeded_setup().serve();
        api.admin().patch(RANDOM, &json!({ "ids": style })).expect(200);
        if later {
            api.advance(86_400);
        }
        let uid = create_list(&api, "one");
        let link = api.post(LINKS, &json!({ "title": "x", "target_url": "https://shop.example" })).ok();
        let sender = api.admin().post("/__admin/senders", &json!({ "name": "Second" })).expect(201).json();
        crate::rest::create_contacts(&api, "skipDuplicates", json!([{ "phone_number": seeds::mobile(1) }]));
        let contact = crate::rest::stored_contacts(&api)[0]["uid"].clone();
        let ids = [json!(uid), link["link_id"].clone(), sender["id"].clone(), contact];
        for (id, prefix) in ids.iter().zip(["LST_", "shl_", "ssd_", "CON_"]) {
            let id = id.as_str().expect("an id");
            assert!(id.starts_with(prefix) && id.len() == 31, "{style}: {id}");
        }
        ids
    };
    for style in ["random", "sequence", "hash"] {
        assert_eq!(made(style, false), made(style, false), "{style}");
        assert_eq!(made(style, true) == made(style, false), style != "random", "{style}: time is in it, or not");
    }
    let counted = made("sequence", false);
    assert!(counted[0].as_str().is_some_and(|uid| uid.starts_with("LST_0000000000000")), "{counted:?}");
}

#[test]
fn trace_ids_follow_from_the_seed() {
    let read_trace_ids = || {
        let api = seeded_setup().serve();
        let of = |target: &str| api.get(target).expect(404).json()["trace_id"].to_string();
        [of("/assets/v1/senders/x"), of("/assets/v1/senders/x")]
    };
    let first = read_trace_ids();
    assert_eq!(read_trace_ids(), first);
    assert!(first[0] != first[1] && first[0].len() == 18, "{first:?}");
}

#[test]
fn a_reset_starts_the_ids_again() {
    let api = seeded_setup().serve();
    let reset = |query: &str| api.admin().post(format!("/__admin/reset{query}"), &json!({})).expect(200);
    reset("");
    let first = [create_list(&api, "one"), create_list(&api, "two")];
    reset("");
    assert_eq!([create_list(&api, "one"), create_list(&api, "two")], first);
    api.admin().patch(RANDOM, &json!({ "seed": 42, "ids": "hash" })).expect(200);
    reset("?keep=random");
    let kept = create_list(&api, "one");
    assert_eq!(api.admin().get(RANDOM).ok(), json!({ "seed": 42, "ids": "hash", "acts": 1 }));
    reset("?keep=random,clock");
    assert_eq!(create_list(&api, "one"), kept);
    reset("");
    assert_eq!(create_list(&api, "one"), first[0]);
}

#[test]
fn a_snapshot_keeps_the_place_of_the_ids() {
    let api = seeded_setup().serve();
    create_list(&api, "before");
    api.admin().post("/__admin/snapshots", &json!({ "name": "here" })).expect(201);
    let first = [create_list(&api, "one"), create_list(&api, "two")];
    api.admin().patch(RANDOM, &json!({ "seed": 1 })).expect(200);
    api.admin().post("/__admin/snapshots/here/restore", &json!({})).expect(200);
    assert_eq!([create_list(&api, "one"), create_list(&api, "two")], first);
}

#[test]
fn worlds_have_seeds_of_their_own() {
    let made = |options: &Value| {
        let api = seeded_setup().serve();
        let world = create_world(&api, options);
        let seed = api.with_token(&world.token).get(RANDOM).ok()["seed"].clone();
        (seed, create_list(&api.with_key(&world.key), "one"), create_list(&api, "one"))
    };
    let (seed, in_world, in_default) = made(&json!({ "name": "a" }));
    assert_ne!(in_world, in_default, "no two worlds make the same ids");
    assert_eq!(made(&json!({ "name": "a" })), (seed.clone(), in_world.clone(), in_default));
    assert_ne!(made(&json!({ "name": "b" })).0, seed);
    let chosen = made(&json!({ "seed": seed, "ids": "random" }));
    assert_eq!((chosen.0, chosen.1), (seed, in_world), "the seed is all there is to it");
}

#[test]
fn a_copy_creates_no_id_that_its_original_already_has() {
    let api = seeded_setup().serve();
    api.admin().patch(RANDOM, &json!({ "seed": 42 })).expect(200);
    let clock = json!({ "mode": "frozen", "now": START });
    let mut all: BTreeSet<String> = (0..5).map(|_| create_list(&api, "original")).collect();
    api.admin().post("/__admin/snapshots", &json!({ "name": "here" })).expect(201);
    for from in ["world:default", "snapshot:here"] {
        let copy = create_world(&api, &json!({ "from": from, "seed": 42, "clock": clock }));
        let client = api.with_key(&copy.key);
        let before = all.len();
        let more: BTreeSet<String> = (0..5).map(|_| create_list(&client, "copy")).collect();
        all.extend(more.iter().cloned());
        assert!(all.len() == before + 5 || from == "snapshot:here", "{from}");
        assert_eq!(client.get(format!("{LISTS}?page_size=50")).items().len(), 11);
    }
}

#[test]
fn new_ids_do_not_clash_with_records_that_were_exported_and_imported_again() {
    for style in ["random", "sequence", "hash"] {
        let api = seeded_setup().serve();
        api.admin().patch(RANDOM, &json!({ "ids": style })).expect(200);
        let more = |api: &Served| [create_list(api, "one"), create_list(api, "two")];
        more(&api);
        let taken = api.admin().get("/__admin/export").ok();
        api.admin().put("/__admin/seed", &taken).expect(200);
        let first = more(&api);
        api.admin().post("/__admin/reset?keep=random", &json!({})).expect(200);
        assert_eq!(more(&api), first, "{style}: the same beginning once more");
        api.admin().post("/__admin/import?mode=replace", &taken).expect(200);
        more(&api);
        assert_eq!(api.get(LISTS).items().len(), 5, "{style}");
    }
}

#[test]
fn records_of_an_equally_seeded_server_are_imported_without_clashing_ids() {
    for style in ["random", "sequence", "hash"] {
        let begun = || {
            let api = seeded_setup().serve();
            api.admin().patch(RANDOM, &json!({ "ids": style })).expect(200);
            api
        };
        let lists = |api: &Served| [create_list(api, "one"), create_list(api, "two"), create_list(api, "three")];
        let more = |api: &Served| {
            let lists = lists(api);
            crate::rest::create_contacts(api, "allowDuplicates", json!([{ "phone_number": seeds::mobile(1) }]));
            (lists, api.get(contacts_of(LIST)).items().len())
        };
        let anew = |api: &Served| {
            api.admin().post("/__admin/reset?keep=random", &json!({})).expect(200);
            lists(api)
        };
        let twin = begun();
        more(&twin);
        let taken = twin.admin().get("/__admin/export").ok();
        for mode in ["merge", "replace"] {
            let run = || {
                let api = begun();
                api.admin().post(format!("/__admin/import?mode={mode}"), &taken).expect(200);
                let (new, contacts) = more(&api);
                assert_eq!((api.get(LISTS).items().len(), contacts), (7, 2), "{style}, {mode}");
                assert!(style == "hash" || new.is_sorted(), "{style}, {mode}: they sort as they were made");
                assert_eq!(anew(&api), anew(&begun()), "{style}, {mode}: a reset forgets what came in");
                new
            };
            assert_eq!(run(), run(), "{style}, {mode}");
        }
    }
}

#[test]
fn a_file_with_a_seed_makes_no_id_twice() {
    let folder = tempfile::tempdir().expect("a folder");
    let db = folder.path().join("a.roost");
    let db = db.to_str().expect("a name");
    for run in 1..=3 {
        let mut started = Spawned::start(["--db", db, "--random-seed", "42", "--clock", &format!("frozen@{START}")]);
        let client = started.client();
        create_list(&client, "one");
        create_list(&client, "two");
        assert_eq!(client.get(LISTS).items().len(), 2 * run);
        drop(client);
        assert!(started.terminate().success());
    }
}
