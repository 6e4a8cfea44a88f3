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
use roost_emulator::{EmbeddedEmulator, Emulator, EmulatorConfig, Journal, Settings};
use roost_model::time::Timestamp;
use roost_ops::{Core, Ctx, ctx::Clock, job};
use roost_sync::remote::{CallFailure, ReplyFuture, ServiceRequest, ServiceResponse, ServiceTransport};
use roost_tests::http::message::{header, read_answer, status};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    time::{Instant, sleep},
};

/// Numbers that look random and are the same for the same seed.
#[derive(Debug, Clone)]
pub(super) struct RequestDice(u64);

impl RequestDice {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) fn draw_below(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % sides
    }

    /// Returns true once in `of` draws on average, and never for 0.
    pub(super) fn one_in(&mut self, of: u64) -> bool {
        of > 0 && self.draw_below(of) == 0
    }

    pub(super) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.draw_below(from.len() as u64) as usize]
    }
}

/// The faults. Each happens once in this many requests, and never for 0.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct NetworkFaults {
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
pub(super) struct VirtualTime(Arc<(Mutex<Instant>, Vec<Core>)>);

impl VirtualTime {
    pub(super) fn for_clocks(clocks: Vec<Core>) -> Self {
        Self(Arc::new((Mutex::new(Instant::now()), clocks)))
    }

    pub(super) fn set_clocks(&self) {
        let mut last = self.0.0.lock().expect("nobody panicked");
        let now = Instant::now();
        for core in &self.0.1 {
            core.ctx().advance_by(now - *last);
        }
        *last = now;
    }
}

/// The counted parts of an entry in the emulator's journal.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct JournalLine {
    pub operation: String,
    /// Nanoseconds.
    pub at: i64,
    pub status: u16,
    pub what: String,
    is_ours: bool,
}

pub(super) struct SimulatedService {
    pub core: Core,
    /// Holds few entries. Each request moves them to `lines`.
    journal: Journal,
    lines: Mutex<Vec<JournalLine>>,
    within: EmbeddedEmulator,
    time: Mutex<Option<VirtualTime>>,
    state: Mutex<ServiceState>,
    /// Requests and parts of jobs that have not arrived yet.
    on_the_way: AtomicU64,
    /// Called with every request before it is sent.
    looks_on: Mutex<Option<RequestObserver>>,
}

type RequestObserver = Box<dyn FnMut(&ServiceRequest) + Send>;

struct ServiceState {
    seed: u64,
    /// How often each request was made. The fate of a request depends only on this, and not on other requests.
    known: HashMap<u64, u64>,
    faults: NetworkFaults,
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

type RawResponse = (u16, Option<String>, Vec<u8>);

impl SimulatedService {
    pub(super) fn new(seed: u64, settings: Settings) -> Arc<Self> {
        let ctx = Ctx::seeded(Clock::fixed(Timestamp::from_unix(1_767_600_000)), seed);
        let core = Core::in_memory(ctx).expect("a database");
        let journal = Journal::new_recording();
        let config = EmulatorConfig { settings, journal: journal.clone(), ..EmulatorConfig::default() };
        let within = Emulator::embed(config, core.clone()).expect("an emulator");
        let state = ServiceState {
            seed,
            known: HashMap::new(),
            faults: NetworkFaults::default(),
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

    pub(super) fn url(&self) -> &str {
        self.within.url()
    }

    fn lock_state(&self) -> MutexGuard<'_, ServiceState> {
        self.state.lock().expect("nobody panicked")
    }

    /// Returns the dice of a request, which depend on its content and on how often it was made.
    fn dice_for(&self, request: &ServiceRequest) -> RequestDice {
        let mut hasher = DefaultHasher::new();
        (request.method, &request.url, &request.body).hash(&mut hasher);
        let which = hasher.finish();
        let mut state = self.lock_state();
        let times = state.known.entry(which).or_default();
        *times += 1;
        let (times, seed) = (*times, state.seed);
        RequestDice::new(which ^ seed.rotate_left(32) ^ times.rotate_left(16))
    }

    pub(super) fn attach_clock(&self, time: VirtualTime) {
        *self.time.lock().expect("nobody panicked") = Some(time);
    }

    fn update_clocks(&self) {
        if let Some(time) = &*self.time.lock().expect("nobody panicked") {
            time.set_clocks();
        }
    }

    pub(super) fn set_faults(&self, faults: NetworkFaults) {
        self.lock_state().faults = faults;
    }

    pub(super) fn set_empty(&self, empty: bool) {
        self.lock_state().empty = empty;
    }

    /// Lets this many requests pass and no more.
    pub(super) fn stop_after(&self, requests: Option<u64>) {
        self.lock_state().cut_in = requests;
    }

    /// Makes these numbers invalid at the service from now on.
    pub(super) fn refuse_numbers(&self, numbers: impl IntoIterator<Item = String>) {
        self.lock_state().refused = numbers.into_iter().collect();
    }

    /// Changes a setting of the emulator.
    pub(super) fn change_setting(&self, name: &str, value: Value) {
        self.within.control().change_setting(name, &value).expect("a setting");
    }

    /// Waits until no request is on its way and no job waits.
    pub(super) async fn wait_until_idle(&self) {
        while self.on_the_way.load(Ordering::Acquire) > 0 {
            sleep(Duration::from_millis(50)).await;
        }
        self.update_clocks();
        while job::run_next(&self.core).expect("a job").is_some() {}
    }

    /// Returns every request so far, as the emulator recorded it.
    pub(super) fn lock_lines(&self) -> MutexGuard<'_, Vec<JournalLine>> {
        let mut lines = self.lines.lock().expect("nobody panicked");
        let found = self.journal.read_page(None, usize::MAX, |_| true);
        assert_eq!(found.dropped, 0, "the journal is whole");
        self.journal.clear();
        lines.extend(found.lines.iter().rev().map(|line| JournalLine {
            operation: line.operation.as_deref().unwrap_or_default().to_owned(),
            at: line.at.unix * 1_000_000_000 + i64::from(line.at.nanos),
            status: line.status.unwrap_or_default(),
            what: format!("{} {}", line.method, line.target),
            is_ours: line.request.headers.iter().any(|(name, _)| name == OURS),
        }));
        lines
    }

    /// Returns the most requests of one operation by the program under test within a second, and the operation.
    pub(super) fn busiest_second(&self) -> (usize, String) {
        let mut came: Vec<JournalLine> = self.lock_lines().iter().filter(|line| line.is_ours).cloned().collect();
        came.sort();
        let within = |at: usize| {
            let first = &came[at];
            let is_within =
                |other: &&JournalLine| other.operation == first.operation && other.at < first.at + 1_000_000_000;
            (came[at..].iter().take_while(is_within).count(), first.operation.clone())
        };
        (0..came.len()).map(within).max().unwrap_or_default()
    }

    /// Counts the requests of the program under test by operation.
    pub(super) fn count_calls(&self, operation: &str) -> u64 {
        self.lock_lines().iter().filter(|line| line.is_ours && line.operation == operation).count() as u64
    }

    /// Counts the responses with this status.
    pub(super) fn count_answered(&self, status: u16) -> u64 {
        self.lock_lines().iter().filter(|line| line.status == status).count() as u64
    }

    pub(super) fn set_observer(&self, looker: impl FnMut(&ServiceRequest) + Send + 'static) {
        *self.looks_on.lock().expect("nobody panicked") = Some(Box::new(looker));
    }

    /// Sends a request of another caller, without faults.
    pub(super) async fn send_as_other(
        self: &Arc<Self>,
        method: &'static str,
        path: &str,
        body: Option<Value>,
    ) -> (u16, Value) {
        let request = ServiceRequest {
            method,
            url: format!("{}{path}", self.url()),
            key: None,
            body: body.map(|body| Bytes::from(body.to_string())),
        };
        self.update_clocks();
        let (status, _, body) = self.exchange_bytes(&request, false).await;
        self.schedule_job(&request, status);
        (status, serde_json::from_slice(&body).unwrap_or_default())
    }

    /// Sends one request over its own connection, as bytes.
    async fn exchange_bytes(&self, request: &ServiceRequest, is_ours: bool) -> RawResponse {
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
        drop(self.lock_lines());
        let message = read_answer(&mut answer.as_slice(), request.method).expect("an answer");
        let retry_after = header(&message.headers, "retry-after").map(str::to_owned);
        (status(&message.start).expect("a status"), retry_after, message.body)
    }

    /// Schedules the job that a request queued.
    fn schedule_job(self: &Arc<Self>, request: &ServiceRequest, status: u16) {
        if request.method != "POST" || !request.url.ends_with(CONTACTS) || status >= 300 {
            return;
        }
        let at = {
            let mut dice = self.dice_for(request);
            let mut state = self.lock_state();
            let most = state.faults.job_delay * 1_000;
            let wait = if most == 0 { 0 } else { dice.draw_below(most) };
            // Jobs run one after another, in the order of the queue.
            state.last_job = state.last_job.max(Instant::now() + Duration::from_millis(wait));
            state.last_job
        };
        self.run_later(async move |service| {
            tokio::time::sleep_until(at).await;
            service.update_clocks();
            job::run_next(&service.core).expect("a job");
        });
    }

    /// Runs a task at its time, even if nobody waits for it.
    fn run_later<F>(self: &Arc<Self>, act: impl (FnOnce(Arc<Self>) -> F) + Send + 'static)
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
enum RequestFate {
    Arrives,
    Lost { told_at_once: bool },
    Unheard { is_late_word: bool },
    Cut,
    BrokenBefore,
    BrokenAfter,
    Forgotten,
    Late(Duration),
}

impl SimulatedService {
    /// Draws the fate of the next request and its travel times.
    fn draw_fate(&self, request: &ServiceRequest) -> Result<(RequestFate, Duration, Duration, bool), CallFailure> {
        let dice = &mut self.dice_for(request);
        let mut state = self.lock_state();
        if let Some(left) = &mut state.cut_in {
            if *left == 0 {
                return Err(CallFailure::NoConnection("cut".to_owned()));
            }
            *left -= 1;
        }
        let faults = state.faults;
        let there = Duration::from_millis(1 + dice.draw_below(90));
        let back = Duration::from_millis(1 + dice.draw_below(20));
        let fate = if dice.one_in(faults.lost) {
            RequestFate::Lost { told_at_once: dice.draw_below(2) == 0 }
        } else if dice.one_in(faults.unheard) {
            RequestFate::Unheard { is_late_word: dice.draw_below(2) == 0 }
        } else if dice.one_in(faults.cut) {
            RequestFate::Cut
        } else if dice.one_in(faults.broken) {
            if dice.draw_below(2) == 0 { RequestFate::BrokenBefore } else { RequestFate::BrokenAfter }
        } else if request.url.ends_with(CONTACTS) && dice.one_in(faults.forgotten) {
            RequestFate::Forgotten
        } else if dice.one_in(faults.late) {
            // The client waits a minute for a response, and checks once more before it decides that there is none.
            RequestFate::Late(Duration::from_secs(61 + dice.draw_below(40)))
        } else {
            RequestFate::Arrives
        };
        let is_truncated = dice.one_in(faults.truncated);
        Ok((fate, there, back, is_truncated))
    }

    /// Returns the request as it arrives. Numbers that the service refuses are made invalid.
    fn bend_request(&self, request: ServiceRequest) -> ServiceRequest {
        let refused = self.lock_state().refused.clone();
        if refused.is_empty() || !request.url.ends_with(CONTACTS) {
            return request;
        }
        let mut body = String::from_utf8(request.body.clone().unwrap_or_default().to_vec()).expect("text");
        for number in refused {
            body = body.replace(&format!("\"{number}\""), "\"+44770\"");
        }
        ServiceRequest { body: Some(body.into()), ..request }
    }

    /// Delivers a request to the emulator and returns its response.
    async fn deliver(self: &Arc<Self>, request: ServiceRequest) -> RawResponse {
        self.update_clocks();
        let request = self.bend_request(request);
        let (first, rest) = if self.lock_state().faults.split { split_request(&request) } else { (request, None) };
        let answer = self.exchange_bytes(&first, true).await;
        self.schedule_job(&first, answer.0);
        if let (Some(rest), 200..300) = (rest, answer.0) {
            let wait = Duration::from_millis(self.dice_for(&rest).draw_below(20_000));
            self.run_later(async move |service| {
                sleep(wait).await;
                service.update_clocks();
                let (status, ..) = service.exchange_bytes(&rest, false).await;
                service.schedule_job(&rest, status);
            });
        }
        answer
    }

    async fn carry_request(self: Arc<Self>, request: ServiceRequest) -> Result<RawResponse, CallFailure> {
        let (fate, there, back, is_truncated) = self.draw_fate(&request)?;
        let is_read = request.method == "GET";
        let contacts = is_read && request.url.contains("/contacts/list/");
        sleep(there).await;
        match fate {
            RequestFate::Lost { told_at_once: true } => return Err(CallFailure::Broken("reset".to_owned())),
            RequestFate::Lost { .. } => return Err(never_answer().await),
            RequestFate::BrokenBefore => return Ok((502, None, b"<html>".to_vec())),
            RequestFate::Forgotten => return Ok((200, None, br#"{"message":"queued"}"#.to_vec())),
            RequestFate::Late(wait) if !is_read => {
                self.run_later(async move |service| {
                    sleep(wait).await;
                    service.deliver(request).await;
                });
                return Err(never_answer().await);
            }
            _ => {}
        }
        // A sent request arrives, whether or not anybody waits for the response.
        let (sender, heard) = tokio::sync::oneshot::channel();
        self.run_later(async move |service| {
            let answer = service.deliver(request).await;
            let _ = sender.send(answer);
        });
        let (status, retry_after, mut body) =
            heard.await.map_err(|_| CallFailure::TimedOut(Duration::from_secs(30)))?;
        sleep(back).await;
        match fate {
            RequestFate::Unheard { is_late_word: true } => return Err(never_answer().await),
            RequestFate::Unheard { .. } => return Err(CallFailure::Broken("reset".to_owned())),
            RequestFate::BrokenAfter => return Ok((502, None, b"<html>".to_vec())),
            _ => {}
        }
        let empty = self.lock_state().empty;
        if contacts && (is_truncated || empty) && status == 200 {
            body = shorten_page(&body, empty);
        }
        if fate == RequestFate::Cut {
            body.truncate(body.len() / 2);
        }
        Ok((status, retry_after, body))
    }
}

/// Never answers, so the caller gives up by itself.
async fn never_answer() -> CallFailure {
    sleep(Duration::from_secs(3_600)).await;
    CallFailure::TimedOut(Duration::from_secs(30))
}

/// Splits a request into one with the first contacts and one with the others.
fn split_request(request: &ServiceRequest) -> (ServiceRequest, Option<ServiceRequest>) {
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
        ServiceRequest { body: Some(body.to_string().into()), ..request.clone() }
    };
    (part(first), Some(part(rest)))
}

/// Returns a page without its last row, or without any row and with a matching total.
fn shorten_page(body: &[u8], empty: bool) -> Vec<u8> {
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
pub(super) struct SimulatedNetwork(pub Arc<SimulatedService>);

impl ServiceTransport for SimulatedNetwork {
    fn carry_request(&self, request: ServiceRequest) -> ReplyFuture<'_> {
        Box::pin(async move {
            if let Some(looker) = &mut *self.0.looks_on.lock().expect("nobody panicked") {
                looker(&request);
            }
            let (status, retry_after, body) = self.0.clone().carry_request(request).await?;
            let piece = stream::iter([Ok(Bytes::from(body))]);
            Ok(ServiceResponse { status, retry_after, date: None, body: Box::pin(piece) })
        })
    }
}
