//! Plays one world: random acts, each applied to the world and to its model.

use std::{fmt::Write as _, net::SocketAddr, thread::panicking};

use rand::{Rng, SeedableRng, rngs::StdRng};
use roost_tests::{Answer, Client, Request, seeds, served::time};
use serde_json::{Value, json};

use super::model::{
    CallbackTarget, JobProgress, ModelAccount, ModelJob, ModelLimit, ModelRule, RequestFate, RuleEffect, SendPolicy,
    WorldModel,
};

/// The surroundings that all players share.
#[derive(Clone, Copy)]
pub(super) struct PlayGround<'g> {
    pub server: SocketAddr,
    pub url: &'g str,
    /// The token of the operator of all worlds.
    pub token: &'g str,
    /// The address of the receiver of all worlds.
    pub outside: &'g str,
    pub worlds: usize,
}

pub(super) struct WorldPlayer {
    pub id: String,
    pub number: usize,
    key: String,
    token: String,
    pub chance: StdRng,
    pub model: WorldModel,
    /// Every answer of the interface.
    pub transcript: String,
    /// The acts so far, to explain a failure.
    pub trail: Vec<String>,
    count: usize,
}

impl Drop for WorldPlayer {
    fn drop(&mut self) {
        if panicking() {
            eprintln!("world {}: {}", self.id, self.trail.join(", "));
        }
    }
}

const LISTS: &str = "/contacts/v1/lists/";
pub(super) const MAKE_LIST: &str = "/contacts/v1/lists/create";
const CONTACTS: &str = "/contacts/v1/contacts";
const OPT_OUTS: &str = "/contacts/v1/optouts";
const LINKS: &str = "/assets/v1/shortlink";
const SENDERS: &str = "/assets/v1/senders";
/// The number of phone numbers in a world. It is small, so that numbers repeat.
const NUMBERS: usize = 40;

pub(super) fn to_name(number: usize) -> String {
    format!("w{number:03}")
}

/// The outcome of a request for its caller.
enum RequestResult {
    Answered(Box<Answer>),
    /// The request took effect, but the answer was lost.
    Lost,
    Refused,
}

impl WorldPlayer {
    /// Creates the world and its own seed.
    pub(super) fn create(number: usize, client: &Client, ground: PlayGround<'_>) -> Self {
        let mut player = Self {
            id: to_name(number),
            number,
            key: String::new(),
            token: String::new(),
            chance: StdRng::seed_from_u64(number as u64),
            model: WorldModel::default(),
            transcript: String::new(),
            trail: Vec::new(),
            count: 0,
        };
        player.model.begin = time("2026-01-05T09:00:00Z").unix() + 86_400 * i64::try_from(number).expect("small");
        player.create_world(client, ground);
        player
    }

    /// Creates the world, for the first time or again.
    pub(super) fn create_world(&mut self, client: &Client, ground: PlayGround<'_>) {
        let at = roost_model::time::Timestamp::from_unix(self.model.begin).to_iso();
        let options = json!({
            "name": self.id, "from": "empty", "seed": self.number, "clock": { "mode": "frozen", "now": at },
        });
        let made = Request::post("/__admin/worlds").json(&options).header("authorization", bearer_header(ground.token));
        let made = client.send(made.without("x-auth-key")).expect(201).json();
        let text = |name: &str| made[name].as_str().expect("a text").to_owned();
        (self.key, self.token) = (text("api_key"), text("admin_token"));
        let (list, sender) = (seeds::id("LST_", &self.id), seeds::id("ssd_", &self.id));
        let contact = json!({ "phone_number": seeds::mobile(self.number) });
        let seed = json!({
            "senders": [{ "id": sender, "name": format!("Sender {}", self.id) }],
            "lists": [seeds::list(&list, &format!("seed of {}", self.id), json!([contact]))],
        });
        self.send_as_operator(client, ground, "PUT", "/seed", &seed).expect(200);
        let mut account = ModelAccount::default();
        account.lists.insert(list, (format!("seed of {}", self.id), [seeds::mobile(self.number)].into()));
        account.senders.insert(sender, format!("Sender {}", self.id));
        self.model.start_again(account);
    }

    /// Returns a random number below `most`.
    pub(super) fn draw_below(&mut self, most: usize) -> usize {
        self.chance.random_range(0..most)
    }

    fn one_of<T: Clone>(&mut self, all: impl Iterator<Item = T>) -> Option<T> {
        let all: Vec<T> = all.collect();
        let at = self.draw_below(all.len().max(1));
        all.get(at).cloned()
    }

    pub(super) fn world_key(&self) -> &str {
        &self.key
    }

    /// Returns the header that selects the world.
    pub(super) fn access_header(&self) -> String {
        format!("x-auth-key: {}", self.key)
    }

    /// Returns a name that nothing else uses.
    pub(super) fn unused_name(&mut self) -> String {
        self.count += 1;
        format!("{} of {}", self.count, self.id)
    }

    /// Sends a request of the operator, with the world's own token or with the token for all worlds.
    pub(super) fn send_as_operator(
        &mut self,
        client: &Client,
        ground: PlayGround<'_>,
        method: &str,
        path: &str,
        body: &Value,
    ) -> Answer {
        let (target, token) = match self.draw_below(3) {
            0 => (format!("/__admin{path}"), self.token.as_str()),
            1 => (format!("/__admin/worlds/{}{path}", self.id), self.token.as_str()),
            _ => (format!("/__admin/worlds/{}{path}", self.id), ground.token),
        };
        let request = Request::new(method, target).without("x-auth-key").header("authorization", bearer_header(token));
        let answer = client.send(if method == "GET" { request } else { request.json(body) });
        self.assert_own(&answer);
        answer
    }

    /// Checks that an answer contains nothing of another world.
    fn assert_own(&self, answer: &Answer) {
        let text = String::from_utf8_lossy(&answer.body);
        for (at, _) in text.match_indices(" of w") {
            assert_eq!(text[at + 4..].get(..4), Some(self.id.as_str()), "a leak:{}", answer.shown());
        }
        if let Some(whose) = answer.header("x-harmed") {
            assert_eq!(whose, self.id, "another world's rule:{}", answer.shown());
        }
    }

    /// Sends a request of the interface, addressing the world by key, path or host.
    fn send_request(
        &mut self,
        client: &Client,
        ground: PlayGround<'_>,
        operation: &'static str,
        request: &Request,
    ) -> RequestResult {
        let mut sent = request.clone();
        match self.draw_below(3) {
            0 => sent = sent.header("x-auth-key", &self.key),
            1 => sent.target = format!("/w/{}{}", self.id, sent.target),
            _ => sent = sent.header("host", format!("{}.localhost:{}", self.id, ground.server.port())),
        }
        let fate = self.model.request_fate(operation);
        let answer = client.try_send(&sent);
        let status = answer.as_ref().ok().map(|answer| answer.status);
        self.model.journal.push((request.method.clone(), request.target.clone(), status));
        if let Ok(answer) = &answer {
            self.assert_own(answer);
            let body = answer.text().replace(ground.url, "");
            writeln!(self.transcript, "{} {} {} {body}", request.method, request.target, answer.status)
                .expect("a text");
        }
        match (fate, answer) {
            (RequestFate::Through, Ok(answer)) => {
                assert!(answer.status < 300 && answer.header("x-harmed").is_none(), "{}", answer.shown());
                RequestResult::Answered(Box::new(answer))
            }
            (RequestFate::Limited, Ok(answer)) => {
                answer.expect(429);
                RequestResult::Refused
            }
            (RequestFate::Harmed(RuleEffect::Status(want), is_done), Ok(answer)) => {
                assert_eq!(answer.header("x-harmed"), Some(self.id.as_str()), "{}", answer.shown());
                answer.expect(want);
                if is_done { RequestResult::Lost } else { RequestResult::Refused }
            }
            (RequestFate::Harmed(RuleEffect::Close, is_done), Err(_)) => {
                if is_done {
                    RequestResult::Lost
                } else {
                    RequestResult::Refused
                }
            }
            (fate, answer) => panic!("{fate:?} was expected of {operation}, and {answer:?} came"),
        }
    }

    /// Performs one act on the content of the account.
    pub(super) fn perform_act(&mut self, client: &Client, ground: PlayGround<'_>) {
        match self.draw_below(12) {
            0 | 1 => self.make_list(client, ground),
            2 => self.delete_list(client, ground),
            3..=5 => self.create_contacts(client, ground),
            6 => {
                let body = json!({ "optouts": [{ "number": seeds::mobile(self.draw_below(NUMBERS)) }] });
                let number = body["optouts"][0]["number"].as_str().expect("a number").to_owned();
                if !matches!(
                    self.send_request(client, ground, "optouts.create", &Request::post(OPT_OUTS).json(&body)),
                    RequestResult::Refused
                ) {
                    self.model.account.opt_outs.insert(number);
                }
            }
            7 => {
                let Some(number) = self.one_of(self.model.account.opt_outs.clone().into_iter()) else { return };
                let request = Request::delete(OPT_OUTS).json(&json!({ "numbers": [number] }));
                if !matches!(self.send_request(client, ground, "optouts.delete", &request), RequestResult::Refused) {
                    self.model.account.opt_outs.remove(&number);
                }
            }
            8 => {
                let title = self.unused_name();
                let body = json!({ "title": title, "target_url": "https://shop.example/s" });
                let id = match self.send_request(client, ground, "shortlinks.create", &Request::post(LINKS).json(&body))
                {
                    RequestResult::Answered(answer) => answer.json()["link_id"].as_str().map(str::to_owned),
                    RequestResult::Lost => None,
                    RequestResult::Refused => return,
                };
                self.model.account.links.insert(title, id);
            }
            9 => {
                let known = self.model.account.links.clone().into_iter().filter_map(|(title, id)| Some((title, id?)));
                let Some((title, id)) = self.one_of(known) else { return };
                let request = Request::delete(format!("{LINKS}/{id}"));
                if !matches!(self.send_request(client, ground, "shortlinks.delete", &request), RequestResult::Refused) {
                    self.model.account.links.remove(&title);
                }
            }
            10 => {
                let name = self.unused_name();
                let made = self
                    .send_as_operator(client, ground, "POST", "/senders", &json!({ "name": name }))
                    .expect(201)
                    .json();
                self.model.account.senders.insert(made["id"].as_str().expect("an id").to_owned(), name);
            }
            _ => {
                let Some(id) = self.one_of(self.model.account.senders.clone().into_keys()) else { return };
                let request = Request::delete(format!("{SENDERS}/{id}"));
                if !matches!(self.send_request(client, ground, "senders.delete", &request), RequestResult::Refused) {
                    self.model.account.senders.remove(&id);
                }
            }
        }
    }

    fn make_list(&mut self, client: &Client, ground: PlayGround<'_>) {
        let name = self.unused_name();
        let request = Request::post(MAKE_LIST).json(&json!({ "name": name }));
        let uid = match self.send_request(client, ground, "lists.create", &request) {
            RequestResult::Answered(answer) => answer.json()["uid"].as_str().expect("an id").to_owned(),
            // The list exists, but only the operator can find its ID.
            RequestResult::Lost => {
                let lists = self.send_as_operator(client, ground, "GET", "/export", &Value::Null).ok()["lists"].clone();
                let found = lists.as_array().expect("lists").iter().find(|list| list["name"] == json!(name));
                found.and_then(|list| list["uid"].as_str()).expect("stored").to_owned()
            }
            RequestResult::Refused => return,
        };
        self.model.account.lists.insert(uid, (name, Default::default()));
    }

    /// Deletes a list that no job waits for.
    fn delete_list(&mut self, client: &Client, ground: PlayGround<'_>) {
        let account = self.model.account.clone();
        let has_work = |uid: &String| account.jobs.iter().any(|job| job.list == *uid);
        let Some(uid) = self.one_of(account.lists.keys().filter(|uid| !has_work(uid)).cloned()) else { return };
        let request = Request::delete(format!("/contacts/v1/lists/{uid}"));
        if !matches!(self.send_request(client, ground, "lists.delete", &request), RequestResult::Refused) {
            self.model.account.lists.remove(&uid);
        }
    }

    /// Returns a request body for contacts and the expected job.
    pub(super) fn contacts_request(&mut self, ground: PlayGround<'_>, list: &str, inside: bool) -> (Value, ModelJob) {
        let numbers: Vec<String> =
            (0..1 + self.draw_below(3)).map(|_| seeds::mobile(self.draw_below(NUMBERS))).collect();
        let correlation_id = self.unused_name();
        let url = match inside {
            true => format!("{}/w/{}/__hook/inbox", ground.url, self.id),
            false => format!("{}/{}", ground.outside, self.id),
        };
        let contacts: Vec<Value> = numbers.iter().map(|number| json!({ "phone_number": number })).collect();
        let body = json!({
            "list_id": list, "merge_type": "skipDuplicates", "contacts": contacts,
            "callback_url": url, "correlation_id": correlation_id,
        });
        let callback = CallbackTarget { correlation_id, inside };
        (body, ModelJob { list: list.to_owned(), numbers, queued_at: self.model.now, callback })
    }

    fn create_contacts(&mut self, client: &Client, ground: PlayGround<'_>) {
        let Some(list) = self.one_of(self.model.account.lists.clone().into_keys()) else { return };
        let inside = self.draw_below(4) > 0;
        let (body, job) = self.contacts_request(ground, &list, inside);
        if !matches!(
            self.send_request(client, ground, "contacts.create", &Request::post(CONTACTS).json(&body)),
            RequestResult::Refused
        ) {
            self.model.account.jobs.push(job);
            self.advance_clock(client, ground, 0);
        }
    }

    /// Reads the content and checks that it is as expected.
    pub(super) fn check_content(&mut self, client: &Client, ground: PlayGround<'_>) {
        let (operation, path) = [
            ("lists.query", format!("{LISTS}?page_size=50")),
            ("optouts.query", OPT_OUTS.to_owned()),
            ("senders.query", format!("{SENDERS}/")),
        ][self.draw_below(3)]
        .clone();
        let RequestResult::Answered(answer) = self.send_request(client, ground, operation, &Request::get(path)) else {
            return;
        };
        let account = &self.model.account;
        let want = [account.lists.len(), account.opt_outs.len(), account.senders.len()];
        let at = ["lists.query", "optouts.query", "senders.query"].iter().position(|name| *name == operation);
        assert_eq!(answer.clone().items().len(), want[at.expect("one of them")], "{}", answer.shown());
    }

    pub(super) fn advance_clock(&mut self, client: &Client, ground: PlayGround<'_>, seconds: i64) {
        let far = json!({ "by": format!("{seconds}s") });
        self.send_as_operator(client, ground, "POST", "/clock/advance", &far).expect(200);
        self.model.advance_clock(seconds);
    }

    /// Changes a rule or a policy of the world.
    pub(super) fn change_rule(&mut self, client: &Client, ground: PlayGround<'_>) {
        match self.draw_below(7) {
            0 | 1 => {
                let operation =
                    ["lists.create", "contacts.create", "optouts.create", "shortlinks.create", "lists.query"]
                        [self.draw_below(5)];
                // Clients repeat a GET by themselves if the connection ends before the answer.
                let kinds = if operation == "lists.query" { 2 } else { 3 };
                let harm =
                    [RuleEffect::Status(503), RuleEffect::Status(500), RuleEffect::Close][self.draw_below(kinds)];
                let rule = ModelRule {
                    operation,
                    harm,
                    is_after: self.draw_below(2) == 0,
                    left: 1 + self.draw_below(2) as u32,
                };
                let effect = match harm {
                    RuleEffect::Status(status) => json!({ "status": status, "headers": { "x-harmed": self.id } }),
                    RuleEffect::Close => json!({ "line": "empty" }),
                };
                let body = json!({
                    "match": { "operation": operation }, "effect": effect, "apply": { "first": rule.left },
                    "commit": if rule.is_after { "after" } else { "before" },
                });
                let path = format!("/faults/rules/only-{}", self.id);
                self.send_as_operator(client, ground, "PUT", &path, &body).expect(200);
                self.model.rule = Some(rule);
            }
            2 => {
                let burst = 1 + self.draw_below(3) as i64;
                let (request, limit) = match self.model.limit {
                    Some(_) => (json!({ "enabled": false }), None),
                    None => (
                        json!({ "enabled": true, "per_second": 1, "burst": burst, "scope": "operation" }),
                        Some(ModelLimit::with_burst(burst)),
                    ),
                };
                self.send_as_operator(client, ground, "PATCH", "/limits", &request).expect(200);
                self.model.limit = limit;
            }
            3 => {
                let (request, progress) = [
                    (json!({}), JobProgress::Immediate),
                    (json!({ "progress": "manual" }), JobProgress::Manual),
                    (json!({ "progress": "after", "after": "20s" }), JobProgress::After(20)),
                ][self.draw_below(3)]
                .clone();
                self.send_as_operator(client, ground, "PUT", "/job_policy", &request).expect(200);
                self.model.progress = progress;
                self.advance_clock(client, ground, 0);
            }
            4 => {
                let (request, leaving) = [
                    (json!({}), SendPolicy::default()),
                    (json!({ "hold": true }), SendPolicy { hold: true, delay: 0 }),
                    (json!({ "delay": { "fixed": "30s" } }), SendPolicy { hold: false, delay: 30 }),
                ][self.draw_below(3)]
                .clone();
                self.send_as_operator(client, ground, "PUT", "/callback_policy", &request).expect(200);
                self.model.leaving = leaving;
            }
            5 => {
                let answers = vec![500; self.draw_below(5)];
                self.send_as_operator(client, ground, "PUT", "/hooks/inbox", &json!({ "answers": answers }))
                    .expect(200);
                self.model.script = answers.into();
            }
            _ => {
                self.send_as_operator(client, ground, "POST", "/release_callbacks", &json!({})).expect(200);
                self.model.release_all();
                self.advance_clock(client, ground, 0);
            }
        }
    }

    /// Requests records of another world by names of this world, which must fail.
    pub(super) fn reach_for_others(&mut self, client: &Client, ground: PlayGround<'_>) {
        let other = to_name((self.number + 1 + self.draw_below(ground.worlds - 1)) % ground.worlds);
        let by_token = Request::post(format!("/__admin/worlds/{other}/reset")).without("x-auth-key");
        client.send(by_token.header("authorization", bearer_header(&self.token)).json_text("{}")).expect(403);
        let name = json!({ "name": format!("a stranger of {}", self.id) });
        let by_key = Request::post(format!("/w/{other}{MAKE_LIST}")).header("x-auth-key", &self.key).json(&name);
        let answer = client.send(by_key);
        // The other world may not exist yet.
        assert!([404, 409].contains(&answer.status), "{}", answer.shown());
    }
}

pub(super) fn bearer_header(token: &str) -> String {
    format!("Bearer {token}")
}
