//! The service: the emulator in this thread, and between it and the client a network with seeded faults.

use std::{
    collections::{BTreeSet, HashMap},
    hash::{DefaultHasher, Hash as _, Hasher as _},
    sync::{
        Arc, Mutex, MutexGuard,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use futures_util::stream;
use roost_emulator::{Emulator, EmulatorConfig, Journal, Settings, Within};
use roost_model::time::Timestamp;
use roost_ops::{Core, Ctx, ctx::Clock, job};
use roost_sync::remote::{Carried, Failure, Remote, Reply, Request};
use roost_tests::http::message::{header, read_answer, status};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    time::{Instant, sleep},
};

/// Numbers that look random and are the same for the same seed.
#[derive(Debug, Clone)]
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn below(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % sides
    }

    /// Returns true once in `of` draws on average, and never for 0.
    pub fn one_in(&mut self, of: u64) -> bool {
        of > 0 && self.below(of) == 0
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len() as u64) as usize]
    }
}

/// The faults. Each happens once in this many requests, and never for 0.
#[derive(Debug, Clone, Copy, Default)]
pub struct Faults {
    /// The request never arrives. The caller learns this at once or late.
    pub lost: u64,
    /// The request takes effect, but its answer is lost.
    pub unheard: u64,
    /// The answer ends in the middle.
    pub cut: u64,
    /// A proxy answers 502, before or after the effect.
    pub broken: u64,
    /// The request arrives after the caller has given up.
    pub late: u64,
    /// The service accepts a job and never runs it.
    pub forgotten: u64,
    /// A page of contacts lacks its last row.
    pub truncated: u64,
    /// The maximum delay of a job, in seconds.
    pub job_delay: u64,
    /// Whether jobs run in two parts, with other jobs between them.
    pub split: bool,
}

/// The current time: the clock of the runtime, copied to the clocks of the accounts.
#[derive(Clone)]
pub struct Time(Arc<(Mutex<Instant>, Vec<Core>)>);

impl Time {
    pub fn of(clocks: Vec<Core>) -> Self {
        Self(Arc::new((Mutex::new(Instant::now()), clocks)))
    }

    pub fn tell(&self) {
        let mut last = self.0.0.lock().expect("nobody panicked");
        let now = Instant::now();
        for core in &self.0.1 {
            core.ctx().pass(now - *last);
        }
        *last = now;
    }
}

/// The counted parts of an entry in the emulator's journal.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Line {
    pub operation: String,
    /// Nanoseconds.
    pub at: i64,
    pub status: u16,
    pub what: String,
    is_ours: bool,
}

pub struct Service {
    pub core: Core,
    /// Holds few entries. Each request moves them to `lines`.
    journal: Journal,
    lines: Mutex<Vec<Line>>,
    within: Within,
    time: Mutex<Option<Time>>,
    state: Mutex<State>,
    /// Requests and parts of jobs that have not arrived yet.
    on_the_way: AtomicU64,
    /// Called with every request before it is sent.
    looks_on: Mutex<Option<Looker>>,
}

type Looker = Box<dyn FnMut(&Request) + Send>;

struct State {
    seed: u64,
    /// How often each request was made. The fate of a request depends only on this, and not on other requests.
    known: HashMap<u64, u64>,
    faults: Faults,
    /// The number of requests until the connection is cut permanently.
    cut_in: Option<u64>,
    /// Whether queries for contacts return nothing.
    empty: bool,
    /// Numbers that the service treats as invalid.
    refused: BTreeSet<String>,
    last_job: Instant,
}

/// The key of the program under test. Every other caller has another one.
const KEY: &str = "roost";

/// The path to which contacts are sent.
const CONTACTS: &str = "/contacts/v1/contacts";

type Answer = (u16, Option<String>, Vec<u8>);

impl Service {
    pub fn new(seed: u64, settings: Settings) -> Arc<Self> {
        let ctx = Ctx::seeded(Clock::fixed(Timestamp::from_unix(1_767_600_000)), seed);
        let core = Core::in_memory(ctx).expect("a database");
        let journal = Journal::recording();
        let config = EmulatorConfig { settings, journal: journal.clone(), ..EmulatorConfig::default() };
        let within = Emulator::within(config, core.clone()).expect("an emulator");
        let state = State {
            seed,
            known: HashMap::new(),
            faults: Faults::default(),
            cut_in: None,
            empty: false,
            refused: BTreeSet::new(),
            last_job: Instant::now(),
        };
        Arc::new(Self {
            core,
            journal,
            lines: Mutex::default(),
            within,
            time: Mutex::new(None),
            state: Mutex::new(state),
            on_the_way: AtomicU64::new(0),
            looks_on: Mutex::new(None),
        })
    }

    pub fn url(&self) -> &str {
        self.within.url()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nobody panicked")
    }

    /// Returns the dice of a request, which depend on its content and on how often it was made.
    fn dice(&self, request: &Request) -> Dice {
        let mut hasher = DefaultHasher::new();
        (request.method, &request.url, &request.body).hash(&mut hasher);
        let which = hasher.finish();
        let mut state = self.state();
        let times = state.known.entry(which).or_default();
        *times += 1;
        let (times, seed) = (*times, state.seed);
        Dice::new(which ^ seed.rotate_left(32) ^ times.rotate_left(16))
    }

    pub fn keep_time(&self, time: Time) {
        *self.time.lock().expect("nobody panicked") = Some(time);
    }

    fn tell_time(&self) {
        if let Some(time) = &*self.time.lock().expect("nobody panicked") {
            time.tell();
        }
    }

    pub fn faults(&self, faults: Faults) {
        self.state().faults = faults;
    }

    pub fn empty(&self, empty: bool) {
        self.state().empty = empty;
    }

    /// Lets this many requests pass and no more.
    pub fn cut_in(&self, requests: Option<u64>) {
        self.state().cut_in = requests;
    }

    /// Makes these numbers invalid at the service from now on.
    pub fn refuse(&self, numbers: impl IntoIterator<Item = String>) {
        self.state().refused = numbers.into_iter().collect();
    }

    /// Changes a setting of the emulator.
    pub fn set(&self, name: &str, value: Value) {
        self.within.control().set(name, &value).expect("a setting");
    }

    /// Waits until no request is on its way and no job waits.
    pub async fn settle(&self) {
        while self.on_the_way.load(Ordering::Acquire) > 0 {
            sleep(Duration::from_millis(50)).await;
        }
        self.tell_time();
        while job::run_next(&self.core).expect("a job").is_some() {}
    }

    /// Returns every request so far, as the emulator recorded it.
    pub fn lines(&self) -> MutexGuard<'_, Vec<Line>> {
        let mut lines = self.lines.lock().expect("nobody panicked");
        let found = self.journal.page(None, usize::MAX, |_| true);
        assert_eq!(found.dropped, 0, "the journal is whole");
        self.journal.clear();
        lines.extend(found.lines.iter().rev().map(|line| Line {
            operation: line.operation.as_deref().unwrap_or_default().to_owned(),
            at: line.at.unix * 1_000_000_000 + i64::from(line.at.nanos),
            status: line.status.unwrap_or_default(),
            what: format!("{} {}", line.method, line.target),
            is_ours: line.request.headers.iter().any(|(name, _)| name == OURS),
        }));
        lines
    }

    /// Returns the most requests of one operation by the program under test within a second, and the operation.
    pub fn busiest_second(&self) -> (usize, String) {
        let mut came: Vec<Line> = self.lines().iter().filter(|line| line.is_ours).cloned().collect();
        came.sort();
        let within = |at: usize| {
            let first = &came[at];
            let is_within = |other: &&Line| other.operation == first.operation && other.at < first.at + 1_000_000_000;
            (came[at..].iter().take_while(is_within).count(), first.operation.clone())
        };
        (0..came.len()).map(within).max().unwrap_or_default()
    }

    /// Counts the requests of the program under test by operation.
    pub fn calls(&self, operation: &str) -> u64 {
        self.lines().iter().filter(|line| line.is_ours && line.operation == operation).count() as u64
    }

    /// Counts the responses with this status.
    pub fn answered(&self, status: u16) -> u64 {
        self.lines().iter().filter(|line| line.status == status).count() as u64
    }

    pub fn look_on(&self, looker: impl FnMut(&Request) + Send + 'static) {
        *self.looks_on.lock().expect("nobody panicked") = Some(Box::new(looker));
    }

    /// Sends a request of another caller, without faults.
    pub async fn rest(self: &Arc<Self>, method: &'static str, path: &str, body: Option<Value>) -> (u16, Value) {
        let request = Request {
            method,
            url: format!("{}{path}", self.url()),
            key: None,
            body: body.map(|body| Bytes::from(body.to_string())),
        };
        self.tell_time();
        let (status, _, body) = self.exchange(&request, false).await;
        self.after(&request, status);
        (status, serde_json::from_slice(&body).unwrap_or_default())
    }

    /// Sends one request over its own connection, as bytes.
    async fn exchange(&self, request: &Request, is_ours: bool) -> Answer {
        let target = request.url.strip_prefix(self.url()).unwrap_or_default();
        let body = request.body.clone().unwrap_or_default();
        let who = if is_ours { format!("x-auth-key: {KEY}\r\n{OURS}: 1") } else { "x-auth-key: other".to_owned() };
        let head = format!(
            "{} {target} HTTP/1.1\r\nhost: 127.0.0.1:4010\r\nconnection: close\r\ncontent-type: application/json\r\n\
             content-length: {}\r\n{who}\r\n\r\n",
            request.method,
            body.len()
        );
        let (mut mine, theirs) = tokio::io::duplex(64 * 1024);
        let asking = async move {
            mine.write_all(head.as_bytes()).await.expect("heard");
            mine.write_all(&body).await.expect("heard");
            let mut answer = Vec::new();
            mine.read_to_end(&mut answer).await.expect("answered");
            answer
        };
        let (answer, ()) = tokio::join!(asking, self.within.serve(theirs));
        drop(self.lines());
        let message = read_answer(&mut answer.as_slice(), request.method).expect("an answer");
        let retry_after = header(&message.headers, "retry-after").map(str::to_owned);
        (status(&message.start).expect("a status"), retry_after, message.body)
    }

    /// Schedules the job that a request queued.
    fn after(self: &Arc<Self>, request: &Request, status: u16) {
        if request.method != "POST" || !request.url.ends_with(CONTACTS) || status >= 300 {
            return;
        }
        let at = {
            let mut dice = self.dice(request);
            let mut state = self.state();
            let most = state.faults.job_delay * 1_000;
            let wait = if most == 0 { 0 } else { dice.below(most) };
            // Jobs run one after another, in the order of the queue.
            state.last_job = state.last_job.max(Instant::now() + Duration::from_millis(wait));
            state.last_job
        };
        self.later(async move |service| {
            tokio::time::sleep_until(at).await;
            service.tell_time();
            job::run_next(&service.core).expect("a job");
        });
    }

    /// Runs a task at its time, even if nobody waits for it.
    fn later<F>(self: &Arc<Self>, act: impl (FnOnce(Arc<Self>) -> F) + Send + 'static)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        self.on_the_way.fetch_add(1, Ordering::AcqRel);
        let service = self.clone();
        tokio::spawn(async move {
            act(service.clone()).await;
            service.on_the_way.fetch_sub(1, Ordering::AcqRel);
        });
    }
}

/// The header that marks our own requests.
const OURS: &str = "x-under-test";

/// The fate of one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Arrives,
    Lost { told_at_once: bool },
    Unheard { is_late_word: bool },
    Cut,
    BrokenBefore,
    BrokenAfter,
    Forgotten,
    Late(Duration),
}

impl Service {
    /// Draws the fate of the next request and its travel times.
    fn drawn(&self, request: &Request) -> Result<(Fate, Duration, Duration, bool), Failure> {
        let dice = &mut self.dice(request);
        let mut state = self.state();
        if let Some(left) = &mut state.cut_in {
            if *left == 0 {
                return Err(Failure::NoConnection("cut".to_owned()));
            }
            *left -= 1;
        }
        let faults = state.faults;
        let there = Duration::from_millis(1 + dice.below(90));
        let back = Duration::from_millis(1 + dice.below(20));
        let fate = if dice.one_in(faults.lost) {
            Fate::Lost { told_at_once: dice.below(2) == 0 }
        } else if dice.one_in(faults.unheard) {
            Fate::Unheard { is_late_word: dice.below(2) == 0 }
        } else if dice.one_in(faults.cut) {
            Fate::Cut
        } else if dice.one_in(faults.broken) {
            if dice.below(2) == 0 { Fate::BrokenBefore } else { Fate::BrokenAfter }
        } else if request.url.ends_with(CONTACTS) && dice.one_in(faults.forgotten) {
            Fate::Forgotten
        } else if dice.one_in(faults.late) {
            // The client waits a minute for a response, and checks once more before it decides that there is none.
            Fate::Late(Duration::from_secs(61 + dice.below(40)))
        } else {
            Fate::Arrives
        };
        let is_truncated = dice.one_in(faults.truncated);
        Ok((fate, there, back, is_truncated))
    }

    /// Returns the request as it arrives. Numbers that the service refuses are made invalid.
    fn bent(&self, request: Request) -> Request {
        let refused = self.state().refused.clone();
        if refused.is_empty() || !request.url.ends_with(CONTACTS) {
            return request;
        }
        let mut body = String::from_utf8(request.body.clone().unwrap_or_default().to_vec()).expect("text");
        for number in refused {
            body = body.replace(&format!("\"{number}\""), "\"+44770\"");
        }
        Request { body: Some(body.into()), ..request }
    }

    /// Delivers a request to the emulator and returns its response.
    async fn arrive(self: &Arc<Self>, request: Request) -> Answer {
        self.tell_time();
        let request = self.bent(request);
        let (first, rest) = if self.state().faults.split { in_two(&request) } else { (request, None) };
        let answer = self.exchange(&first, true).await;
        self.after(&first, answer.0);
        if let (Some(rest), 200..300) = (rest, answer.0) {
            let wait = Duration::from_millis(self.dice(&rest).below(20_000));
            self.later(async move |service| {
                sleep(wait).await;
                service.tell_time();
                let (status, ..) = service.exchange(&rest, false).await;
                service.after(&rest, status);
            });
        }
        answer
    }

    async fn carried(self: Arc<Self>, request: Request) -> Result<Answer, Failure> {
        let (fate, there, back, is_truncated) = self.drawn(&request)?;
        let is_read = request.method == "GET";
        let contacts = is_read && request.url.contains("/contacts/list/");
        sleep(there).await;
        match fate {
            Fate::Lost { told_at_once: true } => return Err(Failure::Broken("reset".to_owned())),
            Fate::Lost { .. } => return Err(never().await),
            Fate::BrokenBefore => return Ok((502, None, b"<html>".to_vec())),
            Fate::Forgotten => return Ok((200, None, br#"{"message":"queued"}"#.to_vec())),
            Fate::Late(wait) if !is_read => {
                self.later(async move |service| {
                    sleep(wait).await;
                    service.arrive(request).await;
                });
                return Err(never().await);
            }
            _ => {}
        }
        // A sent request arrives, whether or not anybody waits for the response.
        let (told, heard) = tokio::sync::oneshot::channel();
        self.later(async move |service| {
            let answer = service.arrive(request).await;
            let _ = told.send(answer);
        });
        let (status, retry_after, mut body) = heard.await.map_err(|_| Failure::TimedOut(Duration::from_secs(30)))?;
        sleep(back).await;
        match fate {
            Fate::Unheard { is_late_word: true } => return Err(never().await),
            Fate::Unheard { .. } => return Err(Failure::Broken("reset".to_owned())),
            Fate::BrokenAfter => return Ok((502, None, b"<html>".to_vec())),
            _ => {}
        }
        let empty = self.state().empty;
        if contacts && (is_truncated || empty) && status == 200 {
            body = shortened(&body, empty);
        }
        if fate == Fate::Cut {
            body.truncate(body.len() / 2);
        }
        Ok((status, retry_after, body))
    }
}

/// Never answers, so the caller gives up by itself.
async fn never() -> Failure {
    sleep(Duration::from_secs(3_600)).await;
    Failure::TimedOut(Duration::from_secs(30))
}

/// Splits a request into one with the first contacts and one with the others.
fn in_two(request: &Request) -> (Request, Option<Request>) {
    let whole = || (request.clone(), None);
    if !request.url.ends_with(CONTACTS) {
        return whole();
    }
    let Ok(body) = serde_json::from_slice::<Value>(request.body.as_deref().unwrap_or_default()) else { return whole() };
    let Some(contacts) = body["contacts"].as_array().filter(|contacts| contacts.len() > 1) else { return whole() };
    let (first, rest) = contacts.split_at(contacts.len() / 2);
    let part = |contacts: &[Value]| {
        let mut body = body.clone();
        body["contacts"] = json!(contacts);
        Request { body: Some(body.to_string().into()), ..request.clone() }
    };
    (part(first), Some(part(rest)))
}

/// Returns a page without its last row, or without any row and with a matching total.
fn shortened(body: &[u8], empty: bool) -> Vec<u8> {
    let Ok(mut answer) = serde_json::from_slice::<Value>(body) else { return body.to_vec() };
    if let Some(items) = answer["items"].as_array_mut() {
        if empty { items.clear() } else { drop(items.pop()) }
    }
    if empty {
        answer["paging"]["total_items"] = 0.into();
        answer["paging"]["total_pages"] = 0.into();
    }
    answer.to_string().into_bytes()
}

/// The network as the client sees it.
pub struct Network(pub Arc<Service>);

impl Remote for Network {
    fn carry(&self, request: Request) -> Carried<'_> {
        Box::pin(async move {
            if let Some(looker) = &mut *self.0.looks_on.lock().expect("nobody panicked") {
                looker(&request);
            }
            let (status, retry_after, body) = self.0.clone().carried(request).await?;
            let piece = stream::iter([Ok(Bytes::from(body))]);
            Ok(Reply { status, retry_after, date: None, body: Box::pin(piece) })
        })
    }
}
