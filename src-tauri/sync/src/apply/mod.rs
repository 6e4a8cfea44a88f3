//! Carries out a run: sends every step, verifies that it arrived and records the result, however often the run is
//! interrupted.

mod arrival;
mod guard;
mod lists;
mod removal;
pub mod report;
mod resolve;
mod rows;
mod send;
mod sent;
mod settle;
pub mod undo;
mod verify;

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    future::Future,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU8, Ordering},
    },
    time::Duration,
};

use futures_util::stream::{FuturesUnordered, StreamExt as _};
use roost_model::time::Timestamp;
use roost_ops::{By, Core, Error};
use roost_reconcile::{
    Plan,
    plan::{Lane, Step, StepKind},
    schedule::{Schedule, State},
};
use roost_store::{
    tables::sync::runs::{self, RunState},
    tx::WriteTx,
};
use tokio::time::sleep;

pub(crate) use self::{
    lists::{keep_list, kept_scope},
    send::call,
    settle::{MAYBE_MADE, identify_link, identify_list, is_maybe_made},
};

use crate::{Client, Failed, Progress, gather, identity, learn_pace, lease::Lease, on, remote};

/// The user's command to a run. All clones share it.
#[derive(Debug, Clone, Default)]
pub struct Control(Arc<AtomicU8>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wish {
    Go,
    Pause,
    Cancel,
}

impl Control {
    /// Pauses the run after the current request. It can be resumed.
    pub fn pause(&self) {
        self.0.fetch_max(1, Ordering::AcqRel);
    }

    /// Sends nothing more. What was sent is still verified.
    pub fn cancel(&self) {
        self.0.store(2, Ordering::Release);
    }

    fn wish(&self) -> Wish {
        match self.0.load(Ordering::Acquire) {
            0 => Wish::Go,
            1 => Wish::Pause,
            _ => Wish::Cancel,
        }
    }
}

/// A run in progress.
#[derive(Clone, Copy)]
struct Run<'a> {
    core: &'a Core,
    client: &'a Client,
    id: i64,
    control: &'a Control,
    progress: &'a Progress,
}

/// The result of a step, with the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Came {
    step: u32,
    state: State,
    why: Option<String>,
}

/// The result of one piece of work.
enum Ended {
    Came(Vec<Came>),
    /// The step was sent, and it is unknown whether the service received it.
    Unheard(u32, remote::Error),
    /// Every other call would fail as well, so the run waits for the user and its steps stay as they are.
    Stopped(remote::Error),
}

type Work<'a> = Pin<Box<dyn Future<Output = Result<(Vec<u32>, Ended), Failed>> + Send + 'a>>;

/// After this many attempts without a response, the step and its run wait for the user. After a complete silence, which
/// lasts a minute each time, the limit is lower.
const UNHEARD: u32 = 5;
const SILENT: u32 = 2;
/// The number of steps of one lane at work at once. The client sends them one after the other.
const AT_ONCE: usize = 2;

/// Returns the list that a step works in.
pub fn list_of(kind: &StepKind) -> Option<i64> {
    match kind {
        StepKind::ListCreate { list, .. }
        | StepKind::Contacts { list, .. }
        | StepKind::Upload { list, .. }
        | StepKind::ContactDelete { list, .. }
        | StepKind::ListDelete { list, .. } => Some(*list),
        _ => None,
    }
}

/// Returns the list to which a step, or its outline, sends contacts.
fn sends_contacts(step: &Step) -> Option<i64> {
    match step.kind {
        StepKind::Contacts { list, .. } | StepKind::Upload { list, .. } => Some(list),
        _ => None,
    }
}

/// Returns the state as the account's tables spell it.
pub fn spelt(state: State) -> String {
    serde_json::to_value(state).ok().and_then(|word| word.as_str().map(str::to_owned)).unwrap_or_default()
}

/// Cancels a run that no process drives. Nothing more is sent, and the next pull finds out whether what was sent
/// arrived.
pub async fn cancel(core: &Core, id: i64) -> Result<RunState, Failed> {
    let ending = async {
        let ended = on(core, move |core| {
            let now = core.ctx().now();
            core.write(&By::sync(), |tx| {
                if runs::run(tx, id)?.is_none_or(|run| run.ended_at.is_some()) {
                    return Ok(None);
                }
                let state = given_up(tx, id, now)?;
                sent::note_sent(tx, id)?;
                Ok(Some(state))
            })
        });
        ended.await?.ok_or(Failed::Unknown)
    };
    Lease::during(core, "cancel", ending).await
}

/// Cancels the open run, if there is one, at once. The caller has the account alone.
pub fn give_up(tx: &WriteTx, now: Timestamp) -> Result<(), Error> {
    match runs::open(tx)? {
        Some(run) => given_up(tx, run.id, now).map(drop),
        None => Ok(()),
    }
}

/// Ends a run. Steps that were sent and not verified are rejected as in doubt.
fn given_up(tx: &WriteTx, run: i64, now: Timestamp) -> Result<RunState, Error> {
    let steps = gather::steps(tx, run)?;
    let spared =
        steps.iter().filter(|(_, state)| *state != State::Verified).filter_map(|(step, _)| doomed_uid(step)).collect();
    for (step, state) in steps {
        if !state.is_settled() && state != State::Ready {
            settle::leave_in_doubt(tx, &step.kind, &spared)?;
            runs::set_step(tx, run, step.id, &spelt(State::Rejected), Some(settle::IN_DOUBT))?;
        }
    }
    settle::end(tx, run, RunState::Cancelled, None, now)
}

/// The end or pause of a run, with the error of the service that paused it.
#[derive(Debug)]
pub struct Outcome {
    pub state: RunState,
    pub stopped: Option<remote::Error>,
}

/// Carries out what is left of a run. A second call continues where the first was interrupted.
pub async fn run(
    core: &Core,
    client: &Client,
    id: i64,
    control: &Control,
    progress: &Progress,
) -> Result<Outcome, Failed> {
    if on(core, |core| core.read(identity::is_unconfirmed)).await? {
        return Err(Failed::Unconfirmed);
    }
    let work = async {
        let ended = go(Run { core, client, id, control, progress }).await;
        learn_pace(core, client).await?;
        ended
    };
    Lease::during(core, "run", work).await
}

/// Drives the steps of a run until none can go on.
async fn go(run: Run<'_>) -> Result<Outcome, Failed> {
    let id = run.id;
    let known = on(run.core, move |core| core.read(|tx| gather::step_outlines(tx, id).map_err(Error::from))).await?;
    let mut plan = Plan { steps: known.iter().map(|(step, _)| step.clone()).collect(), ..Plan::default() };
    let mut schedule = Schedule::new(&plan);
    for (step, state) in &known {
        restore(&mut schedule, step.id, *state);
    }
    let mut at_work: HashSet<u32> = HashSet::new();
    let mut work: FuturesUnordered<Work<'_>> = FuturesUnordered::new();
    let (mut stopped, mut unheard) = (None, HashMap::<u32, u32>::new());
    loop {
        if run.control.wish() == Wish::Cancel {
            schedule.stop();
        }
        if stopped.is_none() && run.control.wish() != Wish::Pause {
            for (steps, next) in wanted(run, &plan, &mut schedule, &at_work) {
                at_work.extend(&steps);
                work.push(next);
            }
        }
        tell(run, &plan, &schedule);
        let Some(ended) = work.next().await else { break };
        let (steps, ended) = match ended {
            // The service cannot be read. The run waits, and the state of what was sent is stored.
            Err(Failed::Service(error)) => (Vec::new(), Ended::Stopped(error)),
            // The run was paused during a read, so the steps that the read concerns keep their state.
            Err(Failed::Stopped) => (Vec::new(), Ended::Came(Vec::new())),
            other => other?,
        };
        at_work.retain(|step| !steps.contains(step));
        match ended {
            Ended::Stopped(why) => {
                for step in steps {
                    restart(&mut schedule, step);
                }
                // The first error is the reason for which the run waits.
                stopped.get_or_insert(why);
            }
            Ended::Unheard(step, error) => {
                let came = Came { step, state: State::Uncertain, why: Some(error.to_string()) };
                advance(run, &mut schedule, came).await?;
                let times = unheard.entry(step).or_default();
                *times += 1;
                if *times >= if error.is_silent() { SILENT } else { UNHEARD } {
                    stopped.get_or_insert(error);
                }
            }
            Ended::Came(all) => {
                for mut came in all {
                    let number = came.step;
                    if came.state == State::Uncertain {
                        // The response did not show what was done. Look it up and send it again, but not forever.
                        let times = unheard.entry(number).or_default();
                        *times += 1;
                        if *times >= UNHEARD {
                            let step = read_step(run, number).await?;
                            let spared = spared(&plan, &schedule);
                            let left = move |core: &Core| {
                                core.write_quietly(|tx| settle::leave_in_doubt(tx, &step.kind, &spared))
                            };
                            on(run.core, left).await?;
                            came =
                                Came { step: number, state: State::Rejected, why: Some(settle::IN_DOUBT.to_owned()) };
                        }
                    }
                    advance(run, &mut schedule, came).await?;
                    // Rows that the service refused are no longer part of their steps.
                    let fresh = on(run.core, move |core| core.read(|tx| Ok(gather::step_outline(tx, id, number)?)));
                    let known = plan.steps.iter_mut().find(|step| step.id == number);
                    if let (Some(known), Some(fresh)) = (known, fresh.await?) {
                        *known = fresh;
                    }
                }
            }
        }
    }
    let state = match (run.control.wish(), &stopped) {
        (_, Some(_)) => RunState::Paused,
        (Wish::Pause, _) if !schedule.is_over() => RunState::Paused,
        (Wish::Cancel, _) => RunState::Cancelled,
        _ => RunState::Done,
    };
    let why = stopped.as_ref().map(ToString::to_string);
    let ended = on(run.core, move |core| sent::end_run(core, id, state, why));
    Ok(Outcome { state: ended.await?, stopped })
}

/// Reports how many rows of the run are settled.
fn tell(run: Run<'_>, plan: &Plan, schedule: &Schedule) {
    let rows = |step: &Step| step.kind.rows() as u64;
    let settled = plan.steps.iter().filter(|step| schedule.state(step.id).is_some_and(State::is_settled));
    run.progress.rows(settled.map(rows).sum(), plan.steps.iter().map(rows).sum());
}

/// Restores the state that a step had when the run was interrupted. A request that may have left without a known end is
/// uncertain.
fn restore(schedule: &mut Schedule, step: u32, state: State) {
    let way: &[State] = match state {
        State::Ready => &[],
        State::Cancelled => &[State::Cancelled],
        State::Intent | State::Sent | State::Uncertain => &[State::Intent, State::Uncertain],
        State::Accepted | State::Verified | State::Rejected => &[State::Intent, State::Sent, state],
    };
    for next in way {
        // The step may already be cancelled because of a step that it depended on.
        let _ = schedule.set(step, *next);
    }
}

/// Resets a step that was about to be sent, because nothing of it happened.
fn restart(schedule: &mut Schedule, step: u32) {
    if schedule.state(step) == Some(State::Intent) {
        let _ = schedule.set(step, State::Ready);
    }
}

/// Advances a step and stores the steps that were cancelled with it.
async fn advance(run: Run<'_>, schedule: &mut Schedule, came: Came) -> Result<(), Failed> {
    if schedule.state(came.step) == Some(State::Intent) {
        let _ = schedule.set(came.step, State::Sent);
    }
    let cancelled = schedule.set(came.step, came.state).unwrap_or_default();
    let id = run.id;
    on(run.core, move |core| {
        core.write_quietly(|tx| {
            runs::set_step(tx, id, came.step, &spelt(came.state), came.why.as_deref())?;
            for step in cancelled {
                let why = format!("step {} did not succeed", came.step);
                runs::set_step(tx, id, step, &spelt(State::Cancelled), Some(&why))?;
            }
            Ok(())
        })
    })
    .await
}

/// Starts all work that can start now: sending, resolving, and verifying a list once nothing more is on its way to it.
fn wanted<'a>(run: Run<'a>, plan: &Plan, schedule: &mut Schedule, at_work: &HashSet<u32>) -> Vec<(Vec<u32>, Work<'a>)> {
    let mut begun: Vec<(Vec<u32>, Work<'a>)> = Vec::new();
    let mut lanes: HashMap<Lane, usize> = HashMap::new();
    for step in plan.steps.iter().filter(|step| at_work.contains(&step.id)) {
        *lanes.entry(step.lane).or_default() += 1;
    }
    // While a list is verified, anything sent to it would look like the work of another writer.
    let is_verified_now = |step: &&Step| at_work.contains(&step.id) && schedule.state(step.id) == Some(State::Accepted);
    let verifying: HashSet<i64> =
        plan.steps.iter().filter(is_verified_now).filter_map(|step| list_of(&step.kind)).collect();
    // Contacts are read before they are changed, and two readings of one list would overwrite each other.
    let mut sending: HashSet<i64> =
        plan.steps.iter().filter(|step| at_work.contains(&step.id)).filter_map(sends_contacts).collect();
    let mut busy: HashSet<i64> = HashSet::new();
    let mut accepted: BTreeMap<i64, Vec<u32>> = BTreeMap::new();
    let spared = spared(plan, schedule);
    for step in &plan.steps {
        let state = schedule.state(step.id);
        let list = list_of(&step.kind);
        if at_work.contains(&step.id) {
            busy.extend(list);
        } else if state == Some(State::Uncertain) {
            busy.extend(list);
            begun.push((vec![step.id], Box::pin(resolve::resolve(run, step.id, spared.clone()))));
        } else if list.is_some_and(|list| verifying.contains(&list)) {
            continue;
        } else if schedule.may_start(step.id) {
            busy.extend(list);
            let places = lanes.entry(step.lane).or_default();
            let is_read = sends_contacts(step).is_some_and(|list| sending.contains(&list));
            if *places < AT_ONCE && !is_read && schedule.set(step.id, State::Intent).is_ok() {
                *places += 1;
                sending.extend(sends_contacts(step));
                begun.push((vec![step.id], Box::pin(send::send(run, step.id))));
            }
        } else if let (Some(State::Accepted), Some(list)) = (state, list) {
            accepted.entry(list).or_default().push(step.id);
        }
    }
    for (list, steps) in accepted {
        if !busy.contains(&list) {
            begun.push((steps.clone(), Box::pin(verify::verify(run, list, steps, spared.clone()))));
        }
    }
    begun
}

/// Returns the records whose deletion is not verified yet. A contact that replaces one of them has not arrived while it
/// is still identified by that record.
fn spared(plan: &Plan, schedule: &Schedule) -> HashSet<String> {
    let is_there = |step: &&Step| schedule.state(step.id).is_some_and(|state| state != State::Verified);
    plan.steps.iter().filter(is_there).filter_map(doomed_uid).collect()
}

fn doomed_uid(step: &Step) -> Option<String> {
    match &step.kind {
        StepKind::ContactDelete { uid, .. } => Some(uid.clone()),
        _ => None,
    }
}

/// Reads a step of the run with all its contacts.
async fn read_step(run: Run<'_>, number: u32) -> Result<Step, Failed> {
    let id = run.id;
    on(run.core, move |core| core.read(|tx| Ok(gather::step(tx, id, number)?))).await?.ok_or(Failed::Unknown)
}

/// Waits, unless the run is paused first. Returns whether it may go on.
async fn pause(run: Run<'_>, wait: Duration) -> bool {
    let mut left = wait;
    while run.control.wish() != Wish::Pause && !left.is_zero() {
        let part = left.min(Duration::from_secs(1));
        sleep(part).await;
        left -= part;
    }
    run.control.wish() != Wish::Pause
}
