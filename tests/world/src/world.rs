//! The world, which combines the service, other writers, faults, the person and the judge.

use std::collections::BTreeSet;

use crate::account::{AccountState, Intention};
use crate::dice::Dice;
use crate::judge::ledger::WorldHistory;
use crate::judge::{Violation, judge};
use crate::kinds::{FAULTS, Fault, PERSON_ACT_KINDS, WRITER_ACT_KINDS};
use crate::populate::{add_sparse_fields, populate};
use crate::resolve::resolve_act;
use crate::script::{CallPoint, PersonAct, ScriptClock, ScriptStep, WriterAct};
use crate::service::{
    HiddenRows, JobOrder, OPERATIONS, OptOutScope, ReadNote, RequestOrigin, Service, ServiceReply, find_operation,
    format_http_date,
};
use crate::writers::perform_writer_act;

const START_MS: i64 = 1_767_603_600_000;
const LOGIN_PAGE: &str = "<!DOCTYPE html><html><head><title>Sign in</title></head><body>\
                          <form>Please sign in</form></body></html>";

/// The moment at which a request left the engine. What the person does afterwards cannot stop the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestDeparture(u64);

/// A request that received no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NetworkFailure {
    /// The request was never sent.
    NotConnected,
    /// The request was sent, but its effect is unknown.
    NoAnswer,
}

/// The kind of run that the engine begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunKind {
    Pull,
    FullPull,
    /// Makes a plan and stores it without pushing.
    Plan,
    /// Makes a plan and pushes it.
    Push,
    /// Pushes the plan that was made last, whatever happened since.
    PushOldPlan,
}

/// The adapter's part of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdapterTask {
    Nothing,
    Act(PersonAct),
    Run(RunKind),
    Reopen,
}

/// An event that is armed for the nth call of the next run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ArmedEventAt {
    call: CallPoint,
    what: ArmedEvent,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ArmedEvent {
    Act(PersonAct),
    WriterBefore(WriterAct),
    WriterAfter(WriterAct),
    Fault(Fault),
    KillBefore,
    KillAfter,
}

/// A service with a memory, other writers, faults, a person and a judge.
#[derive(Clone, Debug)]
pub struct World {
    service: Service,
    ledger: WorldHistory,
    our_shift: i64,
    calls: u64,
    /// The moment at which the present request left the engine.
    request_left: u64,
    run_calls: Vec<Option<usize>>,
    run_write: u16,
    armed: Vec<ArmedEventAt>,
    active: Vec<ArmedEventAt>,
    acts: Vec<PersonAct>,
    killed: bool,
    settled: bool,
    operation_counts: [u64; 16],
    occurred: BTreeSet<OccurrenceKind>,
    /// The moment at which the current run began.
    run_began: u64,
    /// Whether a fault or a kill disturbed the current run.
    is_run_disturbed: bool,
    /// The answers of the current run that lacked rows.
    lacking_answers: u32,
    /// Whether every deletion of the current run gets a login page from now on.
    are_deletions_caught: bool,
    /// Whether the account has nothing to send: it showed so after a pull, and the person did nothing since.
    has_nothing_to_send: bool,
}

/// An event that happened at least once: an act that the engine accepted, an act of another writer that found a row to
/// change, or a fault that met a request. Each has its name in a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OccurrenceKind {
    PersonAct(&'static str),
    WriterAct(&'static str),
    Fault(&'static str),
}

impl OccurrenceKind {
    /// Returns everything that can occur.
    pub fn all() -> impl Iterator<Item = OccurrenceKind> {
        let person = PERSON_ACT_KINDS.iter().copied().map(OccurrenceKind::PersonAct);
        let writer = WRITER_ACT_KINDS.iter().copied().map(OccurrenceKind::WriterAct);
        person.chain(writer).chain(FAULTS.iter().copied().map(OccurrenceKind::Fault))
    }
}

impl World {
    /// Creates a small first state, which is random but fixed by the seed.
    pub fn new(seed: u64) -> World {
        let mut dice = Dice::new(seed);
        let mut service = Service::new(seed, START_MS);
        populate(&mut service, &mut dice);
        if seed % 2 == 1 {
            add_sparse_fields(&mut service, &mut Dice::new(!seed));
        }
        let mut world = World {
            service,
            ledger: WorldHistory::default(),
            our_shift: 0,
            calls: 0,
            request_left: 0,
            run_calls: Vec::new(),
            run_write: 0,
            armed: Vec::new(),
            active: Vec::new(),
            acts: Vec::new(),
            killed: false,
            settled: false,
            operation_counts: [0; 16],
            occurred: BTreeSet::new(),
            run_began: 0,
            is_run_disturbed: false,
            lacking_answers: 0,
            are_deletions_caught: false,
            has_nothing_to_send: true,
        };
        world.apply_effects(None);
        world.service.steady_ms += 3_600_000;
        world
    }

    fn apply_effects(&mut self, origin: Option<RequestOrigin>) {
        if !self.service.effects.is_empty() {
            let effects = std::mem::take(&mut self.service.effects);
            self.ledger.merge_rows(effects, origin);
        }
    }

    /// Performs the world's part of a step and returns the adapter's part.
    pub fn perform_step(&mut self, step: &ScriptStep) -> AdapterTask {
        let mut arm = |call: CallPoint, what: ArmedEvent| self.armed.push(ArmedEventAt { call, what });
        match *step {
            ScriptStep::Act(act) => return AdapterTask::Act(act),
            ScriptStep::PullRun => return AdapterTask::Run(RunKind::Pull),
            ScriptStep::FullPullRun => return AdapterTask::Run(RunKind::FullPull),
            ScriptStep::PlanRun => return AdapterTask::Run(RunKind::Plan),
            ScriptStep::PushRun => return AdapterTask::Run(RunKind::Push),
            ScriptStep::PushOldPlan => return AdapterTask::Run(RunKind::PushOldPlan),
            ScriptStep::Reopen => return AdapterTask::Reopen,
            ScriptStep::ActAt(call, act) => arm(call, ArmedEvent::Act(act)),
            ScriptStep::KillBefore(call) => arm(call, ArmedEvent::KillBefore),
            ScriptStep::KillAfter(call) => arm(call, ArmedEvent::KillAfter),
            ScriptStep::WriterBefore(call, act) => arm(call, ArmedEvent::WriterBefore(act)),
            ScriptStep::WriterAfter(call, act) => arm(call, ArmedEvent::WriterAfter(act)),
            ScriptStep::FaultAt(call, fault) => arm(call, ArmedEvent::Fault(fault)),
            ScriptStep::Wait(ms) => self.wait(u64::from(ms)),
            ScriptStep::Writer(act) => self.perform_writer_act(&act),
            ScriptStep::JobDelay(ms) => self.service.job_delay = i64::from(ms),
            ScriptStep::JobOrder(order) => self.service.job_order = order,
            ScriptStep::ClockJump(ScriptClock::Service, ms) => self.service.clock_shift += ms,
            ScriptStep::ClockJump(ScriptClock::Ours, ms) => self.our_shift += ms,
        }
        AdapterTask::Nothing
    }

    fn perform_writer_act(&mut self, act: &WriterAct) {
        if !self.settled {
            if perform_writer_act(&mut self.service, act) {
                self.occurred.insert(OccurrenceKind::WriterAct(act.kind.name()));
            }
            self.apply_effects(None);
        }
    }

    /// Begins a pull, plan or push. Everything that was armed for the next run now applies.
    pub fn begin_run(&mut self) {
        self.run_calls.clear();
        self.run_write = 0;
        self.run_began = self.ledger.next_time();
        self.is_run_disturbed = false;
        self.lacking_answers = 0;
        self.are_deletions_caught = false;
        self.ledger.begin_run(&self.service);
        self.killed = false;
        self.acts.clear();
        self.active = std::mem::take(&mut self.armed);
        if self.settled {
            self.active.clear();
        }
    }

    /// Returns the acts that the person performs now, between two calls. Call this after every request.
    pub fn take_acts(&mut self) -> Vec<PersonAct> {
        std::mem::take(&mut self.acts)
    }

    /// Returns whether the engine was killed in this run. Its memory is lost, but what it stored stays. Every request
    /// of a killed run fails until the next `begin_run`.
    pub fn take_kill(&mut self) -> bool {
        std::mem::take(&mut self.killed)
    }

    /// Returns whether the engine is killed, without clearing the flag.
    pub fn is_killed(&self) -> bool {
        self.killed
    }

    /// Returns whether there is exactly one of everything: a list, a contact in it whose number is opted out of SMS, a
    /// link, a sender.
    pub fn is_smallest(&self) -> bool {
        let service = &self.service;
        let [contact] = service.contacts.as_slice() else { return false };
        let [record] = service.opt_outs.as_slice() else { return false };
        let [number, whatsapp, ..] = &contact.values;
        service.lists.len() == 1
            && service.links.len() == 1
            && service.senders.len() == 1
            && whatsapp.is_none()
            && contact.values.iter().flatten().count() > 1
            && record.number.is_some()
            && record.number == *number
            && record.channel == "SMS"
            && record.scope == OptOutScope::Account
    }

    /// Returns the calls of the last run, each by its position in [`OPERATIONS`] if it is one of them.
    pub fn run_calls(&self) -> &[Option<usize>] {
        &self.run_calls
    }

    /// Returns how often each of [`OPERATIONS`] reached the service.
    pub fn operation_counts(&self) -> [u64; 16] {
        self.operation_counts
    }

    /// Returns everything that occurred so far.
    pub fn mark_occurred(&self) -> &BTreeSet<OccurrenceKind> {
        &self.occurred
    }

    /// Reports that the engine's pull succeeded and left nothing in doubt, and shows the account. Unless a fault
    /// disturbed the reading, the account must have every opt-out that the service had when the pull began, and count
    /// no row as changed that looks like its record. A single answer that lacked a row must not remove it.
    pub fn end_pull(&mut self, account: &AccountState) {
        let mut violations = self.ledger.judge_trash(account);
        // At the end, the person confirms what the account is and what is gone.
        violations.extend(self.ledger.judge_account().filter(|_| !self.settled));
        if self.lacking_answers <= 1 {
            violations.extend(self.ledger.judge_removed_rows(account, &self.service));
        }
        if !self.is_run_disturbed {
            violations.extend(self.ledger.consent.judge_pull(account, &self.service, self.run_began));
            violations.extend(self.ledger.judge_unsent_rows(account, &self.service, self.run_began));
        }
        self.ledger.violations.append(&mut violations);
        self.has_nothing_to_send |= account.unsent.is_empty() && account.pending.is_empty() && !account.has_open_run;
    }

    /// Reports that the engine's push ended and left no run open, and shows the account. What the person deleted before
    /// it began is gone from the service, or is shown as unsent, or a question is open about it.
    pub fn end_push(&mut self, account: &AccountState) {
        let mut violations = self.ledger.judge_deletions(account, &self.service, self.run_began);
        violations.extend(self.ledger.consent.judge_push(account, self.run_began));
        self.ledger.violations.append(&mut violations);
    }

    /// Notes that a request leaves the engine now. Pass the result to [`World::receive_request`] when the request
    /// arrives at the service.
    pub fn begin_request(&mut self) -> RequestDeparture {
        RequestDeparture(self.ledger.next_time())
    }

    /// Handles one request of the engine that arrives at once.
    ///
    ///
    /// # Errors
    ///
    /// [`NetworkFailure`] if no answer came back.
    pub fn send_request(
        &mut self,
        method: &str,
        path: &str,
        headers: &[(String, String)],
        body: Option<&str>,
    ) -> Result<ServiceReply, NetworkFailure> {
        let departure = self.begin_request();
        self.receive_request(departure, method, path, headers, body)
    }

    /// Handles one request of the engine, when it arrives.
    ///
    ///
    /// # Errors
    ///
    /// [`NetworkFailure`] if no answer came back.
    pub fn receive_request(
        &mut self,
        departure: RequestDeparture,
        method: &str,
        path: &str,
        headers: &[(String, String)],
        body: Option<&str>,
    ) -> Result<ServiceReply, NetworkFailure> {
        if self.killed {
            return Err(NetworkFailure::NotConnected);
        }
        self.request_left = departure.0;
        if method == "DELETE" {
            self.ledger.note_deletion_request(path.rsplit('/').next().unwrap_or_default());
        }
        self.run_calls.push(find_operation(method, path));
        self.calls += 1;
        let writes = !matches!(method, "GET" | "HEAD" | "OPTIONS") && !path.contains("/shortlink/filter");
        self.run_write = self.run_write.saturating_add(u16::from(writes));
        if writes && self.has_nothing_to_send {
            let facts = format!("Call {} changes something, but the account had nothing to send.", self.calls);
            self.ledger.violations.push(Violation::new("service.needless-write", path, &facts));
        }
        let is_due = |point: CallPoint| match point {
            CallPoint::Any(number) => usize::from(number) == self.run_calls.len(),
            CallPoint::Write(number) => writes && number == self.run_write,
        };
        let due: Vec<ArmedEvent> = self.active.iter().filter(|set| is_due(set.call)).map(|set| set.what).collect();
        let mut fault = None;
        for happening in &due {
            match happening {
                ArmedEvent::WriterBefore(act) => self.perform_writer_act(act),
                ArmedEvent::Fault(kind) => {
                    fault = Some(*kind);
                    self.occurred.insert(OccurrenceKind::Fault(kind.name()));
                }
                ArmedEvent::KillBefore => self.killed = true,
                _ => {}
            }
        }
        if fault == Some(Fault::LoginPageForDeletions) {
            (self.are_deletions_caught, fault) = (true, None);
        }
        if self.are_deletions_caught && method == "DELETE" {
            fault = Some(Fault::LoginPage);
        }
        self.lacking_answers += u32::from(fault.is_some_and(Fault::hides_rows));
        self.is_run_disturbed |= fault.is_some() || self.killed;
        if self.killed {
            return Err(NetworkFailure::NotConnected);
        }
        self.pass_time(20);
        let killed_after = due.contains(&ArmedEvent::KillAfter);
        let mut answer = self.deliver_request(method, path, headers, body, fault, killed_after);
        self.pass_time(20);
        for happening in &due {
            match happening {
                ArmedEvent::WriterAfter(act) => self.perform_writer_act(act),
                ArmedEvent::Act(act) => self.acts.push(*act),
                _ => {}
            }
        }
        if killed_after {
            self.killed = true;
            self.is_run_disturbed = true;
            answer = Err(NetworkFailure::NoAnswer);
        }
        if let Ok(reply) = &mut answer {
            reply.headers.push(("Date".to_owned(), format_http_date(self.service.now())));
        }
        answer
    }

    fn deliver_request(
        &mut self,
        method: &str,
        path: &str,
        headers: &[(String, String)],
        body: Option<&str>,
        fault: Option<Fault>,
        killed_after: bool,
    ) -> Result<ServiceReply, NetworkFailure> {
        let delivered = fault.is_none_or(Fault::delivers_answer) && !killed_after;
        self.service.hiding = match fault {
            Some(Fault::EmptyRead) => HiddenRows::Everything,
            Some(Fault::TruncatedRead) => HiddenRows::SomeRows,
            Some(Fault::DriftingPage) => HiddenRows::PageStart,
            _ => HiddenRows::Nothing,
        };
        let mut answer = None;
        if fault.is_none_or(Fault::has_effect) {
            if let Some(count) =
                find_operation(method, path).and_then(|position| self.operation_counts.get_mut(position))
            {
                *count += 1;
            }
            let twice = fault == Some(Fault::DeliveredTwice);
            for echo in [false, true].into_iter().take(1 + usize::from(twice)) {
                let moment = self.ledger.next_time();
                let left = self.request_left;
                let origin = RequestOrigin { call: self.calls, left, moment, certain: delivered, echo };
                self.service.origin = origin;
                let reply = self.service.handle_request(method, path, headers, body);
                self.apply_effects(Some(origin));
                if !echo {
                    answer = Some(reply);
                }
            }
        }
        self.service.hiding = HiddenRows::Nothing;
        if delivered && answer.as_ref().is_some_and(|answer| answer.status < 300) {
            let note = std::mem::replace(&mut self.service.read, ReadNote::Nothing);
            self.ledger.merge_as_read(&note, self.calls, &self.service);
        }
        match fault {
            Some(Fault::NotConnected) => Err(NetworkFailure::NotConnected),
            Some(Fault::LostAfter | Fault::LostBefore) => Err(NetworkFailure::NoAnswer),
            Some(Fault::Status503Before | Fault::Status503After) => Ok(ServiceReply {
                status: 503,
                headers: vec![("Content-Type".to_owned(), "text/plain".to_owned())],
                body: "Service Unavailable".to_owned(),
            }),
            Some(Fault::Status500Before | Fault::Status500After) => Ok(fault_reply(500, path)),
            Some(Fault::Status429) => Ok(fault_reply(429, path)),
            Some(Fault::LoginPage) => Ok(ServiceReply {
                status: 200,
                headers: vec![("Content-Type".to_owned(), "text/html".to_owned())],
                body: LOGIN_PAGE.to_owned(),
            }),
            _ => answer.ok_or(NetworkFailure::NoAnswer),
        }
    }

    /// Turns an abstract act into an intention on what the account shows now. Returns `None` if it has no row to
    /// change.
    pub fn resolve_act(&self, act: &PersonAct, account: &AccountState) -> Option<Intention> {
        let assets: Vec<(String, String)> =
            self.service.assets.iter().map(|asset| (asset.uid.clone(), asset.channel.to_owned())).collect();
        resolve_act(act, account, &assets)
    }

    /// Records an intention that the engine accepted, in the order of the statements.
    pub fn record_deed(&mut self, intention: Intention) {
        self.occurred.extend(intention.kind.map(|kind| OccurrenceKind::PersonAct(kind.name())));
        self.has_nothing_to_send = false;
        self.ledger.record_deed(&intention);
    }

    /// Shows the account to the judge. Call this after every run and every act.
    pub fn observe_account(&mut self, account: &AccountState) {
        self.ledger.observe_account(account);
    }

    /// Advances the time and runs jobs.
    pub fn wait(&mut self, ms: u64) {
        self.pass_time(i64::try_from(ms).unwrap_or(i64::MAX / 4));
    }

    fn pass_time(&mut self, ms: i64) {
        self.service.pass_time(ms);
        self.apply_effects(None);
    }

    /// Returns the service's clock, in milliseconds since 1970.
    pub fn now_ms(&self) -> i64 {
        self.service.now()
    }

    /// Returns the engine's own clock.
    pub fn our_clock_ms(&self) -> i64 {
        self.service.steady_ms + self.our_shift
    }

    /// Stops all faults and other writers. Jobs take half a second from now on.
    pub fn settle_all(&mut self) {
        self.settled = true;
        self.armed.clear();
        self.active.clear();
        self.killed = false;
        self.service.job_delay = 500;
        self.service.job_order = JobOrder::Queue;
    }

    /// Returns every broken promise.
    pub fn judge(&self, account: &AccountState) -> Vec<Violation> {
        judge(&self.ledger, &self.service, account)
    }
}

/// Returns the error response with which a fault replaces the true one.
fn fault_reply(status: u16, path: &str) -> ServiceReply {
    let (code, error, message) = if status == 429 {
        ("LIM_001", "TOO_MANY_REQUESTS", "Too many requests")
    } else {
        ("SYS_001", "INTERNAL_SERVER_ERROR", "Internal server error occurred")
    };
    let family = if path.starts_with("/contacts") { "ERR_CNT" } else { "ERR_AST" };
    let trace = "0f1e2d3c4b5a6978";
    let body = if path.starts_with("/assets/v1/senders") {
        format!(r#"{{"trace_id":"{trace}","errors":[{{"message":"{message}"}}]}}"#)
    } else {
        format!(
            r#"{{"trace_id":"{trace}","code":"{family}_{code}","error":"{error}","message":"{message}","status":{status},"timestamp":"2026-01-05T09:00:00.000000000Z","validation_errors":null}}"#
        )
    };
    let mut headers = vec![("Content-Type".to_owned(), "application/json".to_owned())];
    if status == 429 {
        headers.push(("Retry-After".to_owned(), "1".to_owned()));
    }
    ServiceReply { status, headers, body }
}

const _: () = assert!(OPERATIONS.len() == 16);
