//! Carries out a run: sends every step, verifies that it arrived and records the result, however often the run is
//! interrupted.

mod activity;
mod arrival;
mod guard;
mod lists;
mod removal;
pub mod report;
mod resolve;
mod rows;
mod send;
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
use roost_ops::{Actor, Core, Error};
use roost_reconcile::{
    SyncPlan,
    plan::{Lane, PlanStep, StepKind},
    schedule::{PlanStepState, StepSchedule},
};
use roost_store::{
    tables::sync::runs::{self, RunState},
    tx::WriteTx,
};
use tokio::time::sleep;

pub(crate) use self::{lists::store_known_contacts, send::build_call, settle::may_be_created};

use crate::{
    Client, Progress, SyncError,
    gather::{self, list_of_step, state_text},
    identity,
    lease::Lease,
    remote, run_blocking, store_pace,
};

/// The user's command to a run. All clones share it.
#[derive(Debug, Clone, Default)]
pub struct RunControl(Arc<AtomicU8>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RunCommand {
    Continue,
    Pause,
    Cancel,
}

impl RunControl {
    /// Pauses the run after the current request. It can be resumed.
    pub fn pause(&self) {
        self.0.fetch_max(1, Ordering::AcqRel);
    }

    /// Sends nothing more. What was sent is still verified.
    pub fn cancel(&self) {
        self.0.store(2, Ordering::Release);
    }

    fn command(&self) -> RunCommand {
        match self.0.load(Ordering::Acquire) {
            0 => RunCommand::Continue,
            1 => RunCommand::Pause,
            _ => RunCommand::Cancel,
        }
    }
}

/// A run in progress.
#[derive(Clone, Copy)]
struct ActiveRun<'a> {
    core: &'a Core,
    client: &'a Client,
    id: i64,
    control: &'a RunControl,
    progress: &'a Progress,
}

/// The result of a step, with the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
struct StepResult {
    step: u32,
    state: PlanStepState,
    why: Option<String>,
}

/// The result of one piece of work.
enum WorkResult {
    Finished(Vec<StepResult>),
    /// The step was sent, and it is unknown whether the service received it.
    Unanswered(u32, remote::ServiceError),
    /// Every other call would fail as well, so the run waits for the user and its steps stay as they are.
    Stopped(remote::ServiceError),
}

type StepWork<'a> = Pin<Box<dyn Future<Output = Result<(Vec<u32>, WorkResult), SyncError>> + Send + 'a>>;

/// After this many attempts without a response, the step and its run wait for the user. After a complete silence, which
/// lasts a minute each time, the limit is lower.
const MAX_UNANSWERED: u32 = 5;
const MAX_SILENT: u32 = 2;
/// The number of steps of one lane at work at once. The client sends them one after the other.
const STEPS_PER_LANE: usize = 2;

/// Returns the list to which a step, or its outline, sends contacts.
fn target_list(step: &PlanStep) -> Option<i64> {
    match step.kind {
        StepKind::Contacts { list, .. } | StepKind::Upload { list, .. } => Some(list),
        _ => None,
    }
}

/// Cancels a run that no process drives. Nothing more is sent, and the next pull finds out whether what was sent
/// arrived.
pub async fn cancel_run(core: &Core, id: i64) -> Result<RunState, SyncError> {
    let ending = async {
        let ended = run_blocking(core, move |core| {
            let now = core.ctx().now();
            core.write(&Actor::sync(), |tx| {
                if runs::read_run(tx, id)?.is_none_or(|run| run.ended_at.is_some()) {
                    return Ok(None);
                }
                let state = give_up_run(tx, id, now)?;
                activity::log_sent_changes(tx, id)?;
                Ok(Some(state))
            })
        });
        ended.await?.ok_or(SyncError::Unknown)
    };
    Lease::hold_during(core, "cancel", ending).await
}

/// Cancels the open run, if there is one, at once. The caller has the account alone.
pub fn give_up_open_run(tx: &WriteTx, now: Timestamp) -> Result<(), Error> {
    match runs::find_open_run(tx)? {
        Some(run) => give_up_run(tx, run.id, now).map(drop),
        None => Ok(()),
    }
}

/// Ends a run. Steps that were sent and not verified are rejected as in doubt.
fn give_up_run(tx: &WriteTx, run: i64, now: Timestamp) -> Result<RunState, Error> {
    let steps = gather::read_steps(tx, run)?;
    let spared = steps
        .iter()
        .filter(|(_, state)| *state != PlanStepState::Verified)
        .filter_map(|(step, _)| uid_to_delete(step))
        .collect();
    for (step, state) in steps {
        if !state.is_settled() && state != PlanStepState::Ready {
            settle::leave_in_doubt(tx, &step.kind, &spared)?;
            runs::set_step(tx, run, step.id, &state_text(PlanStepState::Rejected), Some(settle::IN_DOUBT))?;
        }
    }
    settle::close_run(tx, run, RunState::Cancelled, None, now)
}

/// The end or pause of a run, with the error of the service that paused it.
#[derive(Debug)]
pub struct RunOutcome {
    pub state: RunState,
    pub stopped: Option<remote::ServiceError>,
}

/// Carries out what is left of a run. A second call continues where the first was interrupted.
pub async fn drive_run(
    core: &Core,
    client: &Client,
    id: i64,
    control: &RunControl,
    progress: &Progress,
) -> Result<RunOutcome, SyncError> {
    if run_blocking(core, |core| core.read(identity::is_unconfirmed)).await? {
        return Err(SyncError::Unconfirmed);
    }
    let work = async {
        let ended = drive_steps(ActiveRun { core, client, id, control, progress }).await;
        store_pace(core, client).await?;
        ended
    };
    Lease::hold_during(core, "run", work).await
}

/// Drives the steps of a run until none can go on.
async fn drive_steps(run: ActiveRun<'_>) -> Result<RunOutcome, SyncError> {
    let id = run.id;
    let start = move |core: &Core| {
        core.write_quietly(|tx| {
            if let Some(ended) = runs::read_run(tx, id)?.filter(|stored| stored.ended_at.is_some()) {
                return Ok(Err(ended.state));
            }
            // The reason for which the run waited no longer holds.
            runs::set_state(tx, id, RunState::Running, None, None)?;
            Ok::<_, Error>(Ok(gather::step_outlines(tx, id)?))
        })
    };
    let known = match run_blocking(run.core, start).await? {
        Ok(known) => known,
        // It was ended before it was resumed.
        Err(state) => return Ok(RunOutcome { state, stopped: None }),
    };
    let mut plan = SyncPlan { steps: known.iter().map(|(step, _)| step.clone()).collect(), ..SyncPlan::default() };
    let mut schedule = StepSchedule::new(&plan);
    for (step, state) in &known {
        restore_state(&mut schedule, step.id, *state);
    }
    let mut at_work: HashSet<u32> = HashSet::new();
    let mut work: FuturesUnordered<StepWork<'_>> = FuturesUnordered::new();
    let (mut stopped, mut unheard) = (None, HashMap::<u32, u32>::new());
    loop {
        if run.control.command() == RunCommand::Cancel {
            schedule.stop();
        }
        if stopped.is_none() && run.control.command() != RunCommand::Pause {
            for (steps, next) in start_ready_work(run, &plan, &mut schedule, &at_work) {
                at_work.extend(&steps);
                work.push(next);
            }
        }
        report_progress(run, &plan, &schedule);
        let Some(ended) = work.next().await else { break };
        let (steps, ended) = match ended {
            // The service cannot be read. The run waits, and the state of what was sent is stored.
            Err(SyncError::Service(error)) => (Vec::new(), WorkResult::Stopped(error)),
            // The run was paused during a read, so the steps that the read concerns keep their state.
            Err(SyncError::Stopped) => (Vec::new(), WorkResult::Finished(Vec::new())),
            other => other?,
        };
        at_work.retain(|step| !steps.contains(step));
        match ended {
            WorkResult::Stopped(why) => {
                for step in steps {
                    reset_intent(&mut schedule, step);
                }
                // The first error is the reason for which the run waits.
                stopped.get_or_insert(why);
            }
            WorkResult::Unanswered(step, error) => {
                let came = StepResult { step, state: PlanStepState::Uncertain, why: Some(error.to_string()) };
                advance_step(run, &mut schedule, came).await?;
                let times = unheard.entry(step).or_default();
                *times += 1;
                if *times >= if error.is_silent() { MAX_SILENT } else { MAX_UNANSWERED } {
                    stopped.get_or_insert(error);
                }
            }
            WorkResult::Finished(all) => {
                for mut came in all {
                    let number = came.step;
                    if came.state == PlanStepState::Uncertain {
                        // The response did not show what was done. Look it up and send it again, but not forever.
                        let times = unheard.entry(number).or_default();
                        *times += 1;
                        if *times >= MAX_UNANSWERED {
                            let step = read_step(run, number).await?;
                            let spared = spared_uids(&plan, &schedule);
                            let left = move |core: &Core| {
                                core.write_quietly(|tx| settle::leave_in_doubt(tx, &step.kind, &spared))
                            };
                            run_blocking(run.core, left).await?;
                            came = StepResult {
                                step: number,
                                state: PlanStepState::Rejected,
                                why: Some(settle::IN_DOUBT.to_owned()),
                            };
                        }
                    }
                    advance_step(run, &mut schedule, came).await?;
                    // Rows that the service refused are no longer part of their steps.
                    let fresh =
                        run_blocking(run.core, move |core| core.read(|tx| Ok(gather::step_outline(tx, id, number)?)));
                    let known = plan.steps.iter_mut().find(|step| step.id == number);
                    if let (Some(known), Some(fresh)) = (known, fresh.await?) {
                        *known = fresh;
                    }
                }
            }
        }
    }
    let command = run.control.command();
    // A pause is the reason that the user knows, whatever the service did while the last request ended.
    let stopped = stopped.filter(|_| command != RunCommand::Pause);
    let state = match command {
        _ if stopped.is_some() => RunState::Paused,
        RunCommand::Pause if !schedule.is_over() => RunState::Paused,
        RunCommand::Cancel => RunState::Cancelled,
        _ => RunState::Done,
    };
    let why = stopped.as_ref().map(ToString::to_string);
    let ended = run_blocking(run.core, move |core| activity::end_run(core, id, state, why));
    Ok(RunOutcome { state: ended.await?, stopped })
}

/// Reports how many rows of the run are settled.
fn report_progress(run: ActiveRun<'_>, plan: &SyncPlan, schedule: &StepSchedule) {
    let rows = |step: &PlanStep| step.kind.row_count() as u64;
    let settled = plan.steps.iter().filter(|step| schedule.step_state(step.id).is_some_and(PlanStepState::is_settled));
    run.progress.set_rows(settled.map(rows).sum(), plan.steps.iter().map(rows).sum());
}

/// Restores the state that a step had when the run was interrupted. A request that may have left without a known end is
/// uncertain.
fn restore_state(schedule: &mut StepSchedule, step: u32, state: PlanStepState) {
    let way: &[PlanStepState] = match state {
        PlanStepState::Ready => &[],
        PlanStepState::Cancelled => &[PlanStepState::Cancelled],
        PlanStepState::Intent | PlanStepState::Sent | PlanStepState::Uncertain => {
            &[PlanStepState::Intent, PlanStepState::Uncertain]
        }
        PlanStepState::Accepted | PlanStepState::Verified | PlanStepState::Rejected => {
            &[PlanStepState::Intent, PlanStepState::Sent, state]
        }
    };
    for next in way {
        // The step may already be cancelled because of a step that it depended on.
        let _ = schedule.advance_step(step, *next);
    }
}

/// Resets a step that was about to be sent, because nothing of it happened.
fn reset_intent(schedule: &mut StepSchedule, step: u32) {
    if schedule.step_state(step) == Some(PlanStepState::Intent) {
        let _ = schedule.advance_step(step, PlanStepState::Ready);
    }
}

/// Advances a step and stores the steps that were cancelled with it.
async fn advance_step(run: ActiveRun<'_>, schedule: &mut StepSchedule, came: StepResult) -> Result<(), SyncError> {
    if schedule.step_state(came.step) == Some(PlanStepState::Intent) {
        let _ = schedule.advance_step(came.step, PlanStepState::Sent);
    }
    let cancelled = schedule.advance_step(came.step, came.state).unwrap_or_default();
    let id = run.id;
    run_blocking(run.core, move |core| {
        core.write_quietly(|tx| {
            runs::set_step(tx, id, came.step, &state_text(came.state), came.why.as_deref())?;
            for step in cancelled {
                let why = format!("step {} did not succeed", came.step);
                runs::set_step(tx, id, step, &state_text(PlanStepState::Cancelled), Some(&why))?;
            }
            Ok(())
        })
    })
    .await
}

/// Starts all work that can start now: sending, resolving, and verifying a list once nothing more is on its way to it.
fn start_ready_work<'a>(
    run: ActiveRun<'a>,
    plan: &SyncPlan,
    schedule: &mut StepSchedule,
    at_work: &HashSet<u32>,
) -> Vec<(Vec<u32>, StepWork<'a>)> {
    let mut begun: Vec<(Vec<u32>, StepWork<'a>)> = Vec::new();
    let mut lanes: HashMap<Lane, usize> = HashMap::new();
    for step in plan.steps.iter().filter(|step| at_work.contains(&step.id)) {
        *lanes.entry(step.lane).or_default() += 1;
    }
    // While a list is verified, anything sent to it would look like the work of another writer.
    let is_verified_now =
        |step: &&PlanStep| at_work.contains(&step.id) && schedule.step_state(step.id) == Some(PlanStepState::Accepted);
    let verifying: HashSet<i64> =
        plan.steps.iter().filter(is_verified_now).filter_map(|step| list_of_step(&step.kind)).collect();
    // Contacts are read before they are changed, and two readings of one list would overwrite each other.
    let mut sending: HashSet<i64> =
        plan.steps.iter().filter(|step| at_work.contains(&step.id)).filter_map(target_list).collect();
    let mut busy: HashSet<i64> = HashSet::new();
    let mut accepted: BTreeMap<i64, Vec<u32>> = BTreeMap::new();
    let spared = spared_uids(plan, schedule);
    for step in &plan.steps {
        let state = schedule.step_state(step.id);
        let list = list_of_step(&step.kind);
        if at_work.contains(&step.id) {
            busy.extend(list);
        } else if state == Some(PlanStepState::Uncertain) {
            busy.extend(list);
            begun.push((vec![step.id], Box::pin(resolve::resolve_step(run, step.id, spared.clone()))));
        } else if list.is_some_and(|list| verifying.contains(&list)) {
            continue;
        } else if schedule.can_start(step.id) {
            busy.extend(list);
            let places = lanes.entry(step.lane).or_default();
            let is_read = target_list(step).is_some_and(|list| sending.contains(&list));
            if *places < STEPS_PER_LANE && !is_read && schedule.advance_step(step.id, PlanStepState::Intent).is_ok() {
                *places += 1;
                sending.extend(target_list(step));
                begun.push((vec![step.id], Box::pin(send::send_step(run, step.id))));
            }
        } else if let (Some(PlanStepState::Accepted), Some(list)) = (state, list) {
            accepted.entry(list).or_default().push(step.id);
        }
    }
    for (list, steps) in accepted {
        if !busy.contains(&list) {
            begun.push((steps.clone(), Box::pin(verify::verify_list(run, list, steps, spared.clone()))));
        }
    }
    begun
}

/// Returns the records whose deletion is not verified yet. A contact that replaces one of them has not arrived while it
/// is still identified by that record.
fn spared_uids(plan: &SyncPlan, schedule: &StepSchedule) -> HashSet<String> {
    let is_there =
        |step: &&PlanStep| schedule.step_state(step.id).is_some_and(|state| state != PlanStepState::Verified);
    plan.steps.iter().filter(is_there).filter_map(uid_to_delete).collect()
}

fn uid_to_delete(step: &PlanStep) -> Option<String> {
    match &step.kind {
        StepKind::ContactDelete { uid, .. } => Some(uid.clone()),
        _ => None,
    }
}

/// Reads a step of the run with all its contacts.
async fn read_step(run: ActiveRun<'_>, number: u32) -> Result<PlanStep, SyncError> {
    let id = run.id;
    run_blocking(run.core, move |core| core.read(|tx| Ok(gather::read_step(tx, id, number)?)))
        .await?
        .ok_or(SyncError::Unknown)
}

/// Waits, unless the run is paused first. Returns whether it may go on.
async fn wait_unless_paused(run: ActiveRun<'_>, wait: Duration) -> bool {
    let mut left = wait;
    while run.control.command() != RunCommand::Pause && !left.is_zero() {
        let part = left.min(Duration::from_secs(1));
        sleep(part).await;
        left -= part;
    }
    run.control.command() != RunCommand::Pause
}
