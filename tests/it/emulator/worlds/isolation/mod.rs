//! Plays two hundred worlds on thirty-two threads, with random acts, faults, limits, snapshots and resets during
//! running requests. Each world is compared with its own model, which knows no other world. Some worlds are also
//! compared with the same world alone on a server.

mod checks;
mod late;
mod model;
mod player;

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Mutex, PoisonError},
    thread,
};

use roost_emulator::{Journal, JournalLimits};
use roost_tests::{Client, Receiver, Served, Setup, proofs, seeds, until};
use serde_json::{Value, json};

use self::{
    late::Late,
    model::{Account, Leaving, Progress},
    player::{Ground, MAKE_LIST, Player, bearer, name_of},
};

proofs! {
    [] two_hundred_worlds_under_thirty_two_threads_know_nothing_of_each_other;
}

const WORLDS: usize = 200;
const THREADS: usize = 32;
/// The number of turns of a world.
const TURNS: usize = 20;
/// The number of turns of a world before the thread switches to another one.
const IN_A_ROW: usize = 3;
/// Every world whose number is a multiple of this is played again, alone.
const ALONE: usize = 20;

/// The number of requests on separate connections while a world is reset.
const STORM: usize = 12;

/// The kind of request that is under way during a reset.
#[derive(Clone, Copy, PartialEq, Eq)]
enum UnderWay {
    Nobody,
    /// A request whose body does not arrive.
    Body,
    /// An answer that is held back before or after the request takes effect.
    Answer {
        is_after: bool,
    },
    /// A callback to a slow receiver.
    Callback,
}

impl Player {
    fn play(&mut self, client: &Client, ground: Ground<'_>) {
        let kind = self.draw(32);
        self.trail.push(kind.to_string());
        match kind {
            0..=15 => self.act(client, ground),
            16..=18 => self.look(client, ground),
            19..=22 => self.rule(client, ground),
            23 | 24 => {
                let seconds = [1, 20, 30, 60, 200][self.draw(5)];
                self.advance(client, ground, seconds);
            }
            25 | 26 => self.keep(client, ground),
            27 | 28 => self.restore(client, ground),
            29 | 30 => self.reset(client, ground),
            _ => {
                self.meddle(client, ground);
                if self.draw(4) == 0 {
                    self.begin_anew(client, ground);
                }
            }
        }
        if self.draw(6) == 0 {
            self.compare(client, ground);
        }
    }

    fn keep(&mut self, client: &Client, ground: Ground<'_>) {
        let name = ["a", "b"][self.draw(2)];
        if self.model.snapshots.contains_key(name) {
            self.admin(client, ground, "DELETE", &format!("/snapshots/{name}"), &Value::Null).expect(204);
        }
        self.admin(client, ground, "POST", "/snapshots", &json!({ "name": name })).expect(201);
        self.model.keep(name);
    }

    fn restore(&mut self, client: &Client, ground: Ground<'_>) {
        let name = ["a", "b"][self.draw(2)];
        if !self.model.snapshots.contains_key(name) {
            return self.keep(client, ground);
        }
        let late = self.get_under_way(client, ground);
        self.admin(client, ground, "POST", &format!("/snapshots/{name}/restore"), &json!({})).expect(200);
        self.come_late(late);
        self.model.restore(name);
        // Jobs that waited for an event no longer wait, because the rule that held them is not part of a snapshot.
        self.advance(client, ground, 0);
        self.compare(client, ground);
    }

    fn reset(&mut self, client: &Client, ground: Ground<'_>) {
        let keep = ["", "faults", "clock,limits", "random,faults,limits", "journal,clock"][self.draw(5)];
        let path = if keep.is_empty() { "/reset".to_owned() } else { format!("/reset?keep={keep}") };
        let storms = self.draw(2) == 0;
        let late = if keep.contains("journal") {
            // An entry from before, written only now, may be in it or not.
            self.compare(client, ground);
            None
        } else if storms && self.model.limit.is_none() && self.model.rule.is_none() {
            self.storm(client, ground, &path);
            None
        } else {
            self.get_under_way(client, ground)
        };
        self.admin(client, ground, "POST", &path, &json!({})).expect(200);
        self.come_late(late);
        self.model.reset(keep);
        self.compare(client, ground);
    }

    /// Sends requests around the moment of the reset. It is random which of them the reset ends and which belong to the
    /// new epoch. Every record that exists afterwards was acknowledged, and ended requests left none.
    fn storm(&mut self, client: &Client, ground: Ground<'_>, reset: &str) {
        let list = seeds::id("LST_", &self.id);
        let mut reset_asked = None;
        let mut asked = Vec::new();
        for n in 0..STORM {
            let (what, path, body) = if n % 2 == 0 {
                let name = self.name();
                (name.clone(), MAKE_LIST, json!({ "name": name }))
            } else {
                let number = seeds::mobile(500 + n);
                let (mut body, _) = self.creation(ground, &list, true);
                body["contacts"] = json!([{ "phone_number": number }]);
                (number, "/contacts/v1/contacts", body)
            };
            let path = format!("/w/{}{path}", self.id);
            asked.push((what, Late::begin(ground.server, &self.access(), &path, &body.to_string(), true)));
            if n == STORM / 2 {
                let operator = format!("authorization: {}", bearer(ground.token));
                let path = format!("/__admin/worlds/{}{reset}", self.id);
                reset_asked = Some(Late::begin(ground.server, &operator, &path, "{}", true));
            }
        }
        let told = reset_asked.map(Late::go_on).unwrap_or_default();
        assert!(told.starts_with("HTTP/1.1 200"), "{}: {told}", self.id);
        let answers: Vec<(String, String)> = asked.into_iter().map(|(what, late)| (what, late.go_on())).collect();
        self.is_under_way(client, ground, 0);
        let held = self.peek(client, ground, "/export").to_string();
        for (what, answer) in answers {
            let is_there = held.contains(&format!("\"{what}\""));
            assert!(!is_there || answer.starts_with("HTTP/1.1 200"), "{}: {what} was ended with '{answer}'", self.id);
        }
    }

    /// Deletes the world and creates another one with the same name.
    fn begin_anew(&mut self, client: &Client, ground: Ground<'_>) {
        let late = self.get_under_way(client, ground);
        let operator = client.with_token(ground.token);
        operator.delete(format!("/__admin/worlds/{}", self.id)).expect(204);
        self.make(client, ground);
        self.come_late(late);
        self.compare(client, ground);
    }

    /// Starts a request that stays under way until the world is reset.
    fn get_under_way(&mut self, client: &Client, ground: Ground<'_>) -> Option<Late> {
        let how = [
            UnderWay::Nobody,
            UnderWay::Body,
            UnderWay::Answer { is_after: false },
            UnderWay::Answer { is_after: true },
            UnderWay::Callback,
        ][self.draw(5)];
        let list = self.model.account.lists.keys().next().cloned();
        match how {
            UnderWay::Body | UnderWay::Answer { .. } if self.model.limit.is_none() => {
                let name = json!({ "name": self.name() }).to_string();
                let path = format!("/w/{}{MAKE_LIST}", self.id);
                if let UnderWay::Answer { is_after } = how {
                    let rule = json!({
                        "match": { "operation": "lists.create" }, "effect": { "latency": { "fixed": "600000ms" } },
                        "apply": { "first": 1 }, "commit": if is_after { "after" } else { "before" },
                    });
                    self.admin(client, ground, "PUT", &format!("/faults/rules/only-{}", self.id), &rule).expect(200);
                } else {
                    self.admin(client, ground, "DELETE", "/faults", &Value::Null).expect(204);
                }
                // By now the rule was applied, or there is none.
                self.model.rule = None;
                // Earlier requests have their answers and end in a moment.
                self.is_under_way(client, ground, 0);
                let late = Late::begin(ground.server, &self.access(), &path, &name, how != UnderWay::Body);
                self.is_under_way(client, ground, 1);
                Some(late)
            }
            UnderWay::Callback => {
                let list = list.filter(|_| {
                    let model = &self.model;
                    model.progress == Progress::Immediate
                        && model.leaving == Leaving::default()
                        && model.limit.is_none()
                        && model.rule.is_none()
                })?;
                self.admin(client, ground, "DELETE", "/hooks/inbox", &Value::Null);
                self.admin(client, ground, "PUT", "/hooks/inbox", &json!({ "answers": [{ "delay": "10m" }] }))
                    .expect(200);
                let (body, _) = self.creation(ground, &list, true);
                client.with_key(self.key()).post("/contacts/v1/contacts", &body).expect(200);
                let came = self.admin(client, ground, "GET", "/hooks/inbox?wait=60s", &Value::Null).ok();
                assert_eq!(came["came"], 1, "{came}");
                None
            }
            _ => None,
        }
    }

    #[track_caller]
    fn is_under_way(&self, client: &Client, ground: Ground<'_>, count: u64) {
        let is_so = || (self.peek(client, ground, "")["under_way"] == count).then_some(());
        until("so many are under way", is_so);
    }

    fn come_late(&self, late: Option<Late>) {
        let answer = late.map(Late::go_on).unwrap_or_default();
        assert!(answer.is_empty(), "{}: what began before is answered: {answer}", self.id);
    }
}

fn server() -> Served {
    let mut setup = Setup::new().at("2026-01-05T09:00:00Z");
    setup.config.journal = Journal::recording();
    setup.config.journal.limit(JournalLimits { lines: 100_000, bytes: usize::MAX });
    setup.serve()
}

/// Plays these worlds to their end on this many threads and returns the players by number.
fn played(numbers: impl Iterator<Item = usize>, threads: usize) -> BTreeMap<usize, Player> {
    let (api, outside) = (server(), Receiver::start());
    let before = api.admin().get("/__admin/export").ok();
    let (url, token, hook) = (api.url().to_owned(), api.token().to_owned(), outside.url(""));
    let ground = Ground { server: api.address(), url: &url, token: &token, outside: &hook, worlds: WORLDS };
    // The worlds that have not begun, and those that are in progress.
    let waiting: Mutex<VecDeque<Result<(Player, usize), usize>>> = Mutex::new(numbers.map(Err).collect());
    let done = Mutex::new(BTreeMap::new());
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let client = Client::new(ground.server);
                loop {
                    let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
                    let (mut player, mut turn) = match next {
                        None => return,
                        Some(Err(number)) => (Player::begin(number, &client, ground), 0),
                        Some(Ok(begun)) => begun,
                    };
                    for _ in 0..IN_A_ROW {
                        player.play(&client, ground);
                        turn += 1;
                    }
                    if turn < TURNS {
                        waiting.lock().unwrap_or_else(PoisonError::into_inner).push_back(Ok((player, turn)));
                    } else {
                        player.compare(&client, ground);
                        done.lock().unwrap_or_else(PoisonError::into_inner).insert(player.number, player);
                    }
                }
            });
        }
    });
    let mut players = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    // Every late effect has happened by now, because other worlds continued meanwhile.
    let client = Client::new(ground.server);
    players.values_mut().for_each(|player| player.compare(&client, ground));
    assert_eq!(api.admin().get("/__admin/export").ok(), before, "the default world was touched");
    assert!(api.admin().get("/__admin/jobs").items().is_empty());
    let mut came: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for call in outside.received() {
        let told = call.json()["correlation_id"].as_str().expect("a text").to_owned();
        came.entry(call.target.trim_start_matches('/').to_owned()).or_default().push(told);
    }
    for (number, player) in &players {
        assert_eq!(came.remove(&name_of(*number)).unwrap_or_default(), player.model.outside, "{}", player.id);
    }
    assert!(came.is_empty(), "callbacks of nobody: {came:?}");
    players
}

fn two_hundred_worlds_under_thirty_two_threads_know_nothing_of_each_other() {
    let together = played(0..WORLDS, THREADS);
    assert_eq!(together.len(), WORLDS);
    let alone = played((0..WORLDS).step_by(ALONE), 1);
    for (number, player) in &alone {
        let lines = player.transcript.lines().zip(together[number].transcript.lines());
        for (alone, beside_others) in lines {
            assert_eq!(alone, beside_others, "{} is another one beside others", player.id);
        }
        assert_eq!(player.transcript.len(), together[number].transcript.len(), "{}", player.id);
    }
    // The worlds did what the test is about.
    let told = |what: fn(&Player) -> usize| together.values().map(what).sum::<usize>();
    assert!(told(|player| player.model.outside.len()) > 50 && told(|player| player.transcript.len()) > 100_000);
    let all =
        |account: fn(&Account) -> usize| together.values().map(|player| account(&player.model.account)).sum::<usize>();
    assert!(all(|account| account.lists.len()) > WORLDS && all(|account| account.delivered as usize) > 50);
}
