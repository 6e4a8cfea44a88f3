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
use roost_tests::{Client, Receiver, Served, Setup, seeds, until};
use serde_json::{Value, json};

use self::{
    late::DelayedRequest,
    model::{JobProgress, ModelAccount, SendPolicy},
    player::{MAKE_LIST, PlayGround, WorldPlayer, bearer_header, to_name},
};

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

impl WorldPlayer {
    fn play_turn(&mut self, client: &Client, ground: PlayGround<'_>) {
        let kind = self.draw_below(32);
        self.trail.push(kind.to_string());
        match kind {
            0..=15 => self.perform_act(client, ground),
            16..=18 => self.check_content(client, ground),
            19..=22 => self.change_rule(client, ground),
            23 | 24 => {
                let seconds = [1, 20, 30, 60, 200][self.draw_below(5)];
                self.advance_clock(client, ground, seconds);
            }
            25 | 26 => self.take_snapshot(client, ground),
            27 | 28 => self.restore_snapshot(client, ground),
            29 | 30 => self.reset_world(client, ground),
            _ => {
                self.reach_for_others(client, ground);
                if self.draw_below(4) == 0 {
                    self.create_again(client, ground);
                }
            }
        }
        if self.draw_below(6) == 0 {
            self.compare_with_model(client, ground);
        }
    }

    fn take_snapshot(&mut self, client: &Client, ground: PlayGround<'_>) {
        let name = ["a", "b"][self.draw_below(2)];
        if self.model.snapshots.contains_key(name) {
            self.send_as_operator(client, ground, "DELETE", &format!("/snapshots/{name}"), &Value::Null).expect(204);
        }
        self.send_as_operator(client, ground, "POST", "/snapshots", &json!({ "name": name })).expect(201);
        self.model.take_snapshot(name);
    }

    fn restore_snapshot(&mut self, client: &Client, ground: PlayGround<'_>) {
        let name = ["a", "b"][self.draw_below(2)];
        if !self.model.snapshots.contains_key(name) {
            return self.take_snapshot(client, ground);
        }
        let late = self.start_request(client, ground);
        self.send_as_operator(client, ground, "POST", &format!("/snapshots/{name}/restore"), &json!({})).expect(200);
        self.finish_late(late);
        self.model.restore(name);
        // Jobs that waited for an event no longer wait, because the rule that held them is not part of a snapshot.
        self.advance_clock(client, ground, 0);
        self.compare_with_model(client, ground);
    }

    fn reset_world(&mut self, client: &Client, ground: PlayGround<'_>) {
        let keep = ["", "faults", "clock,limits", "random,faults,limits", "journal,clock"][self.draw_below(5)];
        let path = if keep.is_empty() { "/reset".to_owned() } else { format!("/reset?keep={keep}") };
        let storms = self.draw_below(2) == 0;
        let late = if keep.contains("journal") {
            // An entry from before, written only now, may be in it or not.
            self.compare_with_model(client, ground);
            None
        } else if storms && self.model.limit.is_none() && self.model.rule.is_none() {
            self.send_around_reset(client, ground, &path);
            None
        } else {
            self.start_request(client, ground)
        };
        self.send_as_operator(client, ground, "POST", &path, &json!({})).expect(200);
        self.finish_late(late);
        self.model.reset(keep);
        self.compare_with_model(client, ground);
    }

    /// Sends requests around the moment of the reset. It is random which of them the reset ends and which belong to the
    /// new epoch. Every record that exists afterwards was acknowledged, and ended requests left none.
    fn send_around_reset(&mut self, client: &Client, ground: PlayGround<'_>, reset: &str) {
        let list = seeds::id("LST_", &self.id);
        let mut reset_asked = None;
        let mut requests = Vec::new();
        for n in 0..STORM {
            let (what, path, body) = if n % 2 == 0 {
                let name = self.unused_name();
                (name.clone(), MAKE_LIST, json!({ "name": name }))
            } else {
                let number = seeds::mobile(500 + n);
                let (mut body, _) = self.contacts_request(ground, &list, true);
                body["contacts"] = json!([{ "phone_number": number }]);
                (number, "/contacts/v1/contacts", body)
            };
            let path = format!("/w/{}{path}", self.id);
            requests.push((
                what,
                DelayedRequest::send_head(ground.server, &self.access_header(), &path, &body.to_string(), true),
            ));
            if n == STORM / 2 {
                let operator = format!("authorization: {}", bearer_header(ground.token));
                let path = format!("/__admin/worlds/{}{reset}", self.id);
                reset_asked = Some(DelayedRequest::send_head(ground.server, &operator, &path, "{}", true));
            }
        }
        let response = reset_asked.map(DelayedRequest::continue_request).unwrap_or_default();
        assert!(response.starts_with("HTTP/1.1 200"), "{}: {response}", self.id);
        let answers: Vec<(String, String)> =
            requests.into_iter().map(|(what, late)| (what, late.continue_request())).collect();
        self.assert_in_progress(client, ground, 0);
        let held = self.read_plainly(client, ground, "/export").to_string();
        for (what, answer) in answers {
            let is_there = held.contains(&format!("\"{what}\""));
            assert!(!is_there || answer.starts_with("HTTP/1.1 200"), "{}: {what} was ended with '{answer}'", self.id);
        }
    }

    /// Deletes the world and creates another one with the same name.
    fn create_again(&mut self, client: &Client, ground: PlayGround<'_>) {
        let late = self.start_request(client, ground);
        let operator = client.with_token(ground.token);
        operator.delete(format!("/__admin/worlds/{}", self.id)).expect(204);
        self.create_world(client, ground);
        self.finish_late(late);
        self.compare_with_model(client, ground);
    }

    /// Starts a request that stays under way until the world is reset.
    fn start_request(&mut self, client: &Client, ground: PlayGround<'_>) -> Option<DelayedRequest> {
        let how = [
            UnderWay::Nobody,
            UnderWay::Body,
            UnderWay::Answer { is_after: false },
            UnderWay::Answer { is_after: true },
            UnderWay::Callback,
        ][self.draw_below(5)];
        let list = self.model.account.lists.keys().next().cloned();
        match how {
            UnderWay::Body | UnderWay::Answer { .. } if self.model.limit.is_none() => {
                let name = json!({ "name": self.unused_name() }).to_string();
                let path = format!("/w/{}{MAKE_LIST}", self.id);
                if let UnderWay::Answer { is_after } = how {
                    let rule = json!({
                        "match": { "operation": "lists.create" }, "effect": { "latency": { "fixed": "600000ms" } },
                        "apply": { "first": 1 }, "commit": if is_after { "after" } else { "before" },
                    });
                    self.send_as_operator(client, ground, "PUT", &format!("/faults/rules/only-{}", self.id), &rule)
                        .expect(200);
                } else {
                    self.send_as_operator(client, ground, "DELETE", "/faults", &Value::Null).expect(204);
                }
                // By now the rule was applied, or there is none.
                self.model.rule = None;
                // Earlier requests have their answers and end in a moment.
                self.assert_in_progress(client, ground, 0);
                let late = DelayedRequest::send_head(
                    ground.server,
                    &self.access_header(),
                    &path,
                    &name,
                    how != UnderWay::Body,
                );
                self.assert_in_progress(client, ground, 1);
                Some(late)
            }
            UnderWay::Callback => {
                let list = list.filter(|_| {
                    let model = &self.model;
                    model.progress == JobProgress::Immediate
                        && model.leaving == SendPolicy::default()
                        && model.limit.is_none()
                        && model.rule.is_none()
                })?;
                self.send_as_operator(client, ground, "DELETE", "/hooks/inbox", &Value::Null);
                self.send_as_operator(
                    client,
                    ground,
                    "PUT",
                    "/hooks/inbox",
                    &json!({ "answers": [{ "delay": "10m" }] }),
                )
                .expect(200);
                let (body, _) = self.contacts_request(ground, &list, true);
                client.with_key(self.world_key()).post("/contacts/v1/contacts", &body).expect(200);
                let came = self.send_as_operator(client, ground, "GET", "/hooks/inbox?wait=60s", &Value::Null).ok();
                assert_eq!(came["came"], 1, "{came}");
                None
            }
            _ => None,
        }
    }

    #[track_caller]
    fn assert_in_progress(&self, client: &Client, ground: PlayGround<'_>, count: u64) {
        let is_so = || (self.read_plainly(client, ground, "")["under_way"] == count).then_some(());
        until("so many are under way", is_so);
    }

    fn finish_late(&self, late: Option<DelayedRequest>) {
        let answer = late.map(DelayedRequest::continue_request).unwrap_or_default();
        assert!(answer.is_empty(), "{}: what began before is answered: {answer}", self.id);
    }
}

fn start_server() -> Served {
    let mut setup = Setup::new().at("2026-01-05T09:00:00Z");
    setup.config.journal = Journal::new_recording();
    setup.config.journal.set_limits(JournalLimits { lines: 100_000, bytes: usize::MAX });
    setup.serve()
}

/// Plays these worlds to their end on this many threads and returns the players by number.
fn play_worlds(numbers: impl Iterator<Item = usize>, threads: usize) -> BTreeMap<usize, WorldPlayer> {
    let (api, outside) = (start_server(), Receiver::start());
    let before = api.admin().get("/__admin/export").ok();
    let (url, token, hook) = (api.url().to_owned(), api.token().to_owned(), outside.url(""));
    let ground = PlayGround { server: api.address(), url: &url, token: &token, outside: &hook, worlds: WORLDS };
    // The worlds that have not begun, and those that are in progress.
    let waiting: Mutex<VecDeque<Result<(WorldPlayer, usize), usize>>> = Mutex::new(numbers.map(Err).collect());
    let done = Mutex::new(BTreeMap::new());
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let client = Client::new(ground.server);
                loop {
                    let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
                    let (mut player, mut turn) = match next {
                        None => return,
                        Some(Err(number)) => (WorldPlayer::create(number, &client, ground), 0),
                        Some(Ok(begun)) => begun,
                    };
                    for _ in 0..IN_A_ROW {
                        player.play_turn(&client, ground);
                        turn += 1;
                    }
                    if turn < TURNS {
                        waiting.lock().unwrap_or_else(PoisonError::into_inner).push_back(Ok((player, turn)));
                    } else {
                        player.compare_with_model(&client, ground);
                        done.lock().unwrap_or_else(PoisonError::into_inner).insert(player.number, player);
                    }
                }
            });
        }
    });
    let mut players = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    // Every late effect has happened by now, because other worlds continued meanwhile.
    let client = Client::new(ground.server);
    players.values_mut().for_each(|player| player.compare_with_model(&client, ground));
    assert_eq!(api.admin().get("/__admin/export").ok(), before, "the default world was touched");
    assert!(api.admin().get("/__admin/jobs").items().is_empty());
    let mut came: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for call in outside.received() {
        let correlation_id = call.json()["correlation_id"].as_str().expect("a text").to_owned();
        came.entry(call.target.trim_start_matches('/').to_owned()).or_default().push(correlation_id);
    }
    for (number, player) in &players {
        assert_eq!(came.remove(&to_name(*number)).unwrap_or_default(), player.model.outside, "{}", player.id);
    }
    assert!(came.is_empty(), "callbacks of nobody: {came:?}");
    players
}

#[test]
fn two_hundred_worlds_under_thirty_two_threads_know_nothing_of_each_other() {
    let together = play_worlds(0..WORLDS, THREADS);
    assert_eq!(together.len(), WORLDS);
    let alone = play_worlds((0..WORLDS).step_by(ALONE), 1);
    for (number, player) in &alone {
        let lines = player.transcript.lines().zip(together[number].transcript.lines());
        for (alone, beside_others) in lines {
            assert_eq!(alone, beside_others, "{} is another one beside others", player.id);
        }
        assert_eq!(player.transcript.len(), together[number].transcript.len(), "{}", player.id);
    }
    // The worlds did what the test is about.
    let total = |what: fn(&WorldPlayer) -> usize| together.values().map(what).sum::<usize>();
    assert!(total(|player| player.model.outside.len()) > 50 && total(|player| player.transcript.len()) > 100_000);
    let all = |account: fn(&ModelAccount) -> usize| {
        together.values().map(|player| account(&player.model.account)).sum::<usize>()
    };
    assert!(all(|account| account.lists.len()) > WORLDS && all(|account| account.delivered as usize) > 50);
}
