//! Begins, shows, resumes, cancels and undoes runs.

mod record;
mod refused;

use std::{collections::HashMap, sync::Arc};

use roost_ops::{By, StoreError};
use roost_reconcile::{log::Lost, pace::LaneNow, row::Field, schedule::State as StepState};
use roost_store::{
    tables::sync::{
        Place,
        changes::{self, Touched},
        runs as kept,
        screens::runs as found,
    },
    tx::ReadTx,
};

use super::{
    Answer, PlanStep, Refusal, RunAttempt, RunCounts, RunLane, RunShown, RunState, RunStep, RunStepState, RunSummary,
    RunUndone, Session, SyncKind,
    plans::{Lines, Titles},
    titles::{self, Fields},
};
use crate::{
    Failed,
    apply::{self, Control, report, undo},
    gather, identity, plan,
};

pub(super) use self::record::Checked;

/// The most runs in the history.
const RUNS: u32 = 50;
/// The most requests of a run that are listed.
const ATTEMPTS: u32 = 500;
/// The most losses of an undo that are listed one by one.
const LOST: usize = 100;

/// The steps of a run as they were when it began. They are read once and cached.
pub struct Described {
    run: i64,
    /// The number of refused contacts. The cache expires when it grows, because refused contacts leave their steps.
    refused: u64,
    lines: Vec<PlanStep>,
    steps: Vec<(u32, &'static str, u64)>,
}

impl Session {
    /// Begins the run of a plan.
    pub fn begin_run(&self, plan: i64, typed: &[String]) -> Answer<i64> {
        self.is_idle()?;
        self.client()?;
        let (core, typed) = (self.core().clone(), typed.to_vec());
        let run = self.wait(async move { plan::begin(&core, plan, &typed).await })??;
        self.work_on(run, false)?;
        Ok(run)
    }

    /// Resumes a run that was paused or interrupted.
    pub fn resume(&self, run: i64) -> Answer<()> {
        self.open_run(Some(run))?;
        self.work_on(run, false)
    }

    /// Cancels the open run, even one that nobody works on. Nothing more is sent, and the run still looks for what was
    /// sent. If it cannot, the next pull does.
    pub fn cancel_run(&self) -> Answer<()> {
        let run = self.open_run(None)?;
        if self.stop() {
            return Ok(());
        }
        // Another account could not show what became of the requests.
        if self.client().is_ok() && !self.read(identity::is_unconfirmed)? {
            return self.work_on(run, true);
        }
        let core = self.core().clone();
        self.wait(async move { apply::cancel(&core, run).await })??;
        self.moved();
        Ok(())
    }

    fn open_run(&self, wanted: Option<i64>) -> Answer<i64> {
        let open = self.read(|tx| Ok(kept::open(tx)?))?.map(|run| run.id);
        open.filter(|open| wanted.is_none_or(|wanted| wanted == *open)).ok_or(Refusal::Unknown)
    }

    fn work_on(&self, run: i64, cancelled: bool) -> Answer<()> {
        let client = self.client()?;
        self.begin(SyncKind::Run, Some(run), move |session, at| {
            let control: &Control = &at.reins.control;
            if cancelled {
                control.cancel();
            }
            let ended = match at.wait(apply::run(session.core(), &client, run, control, &at.reins.progress))? {
                // The account may be another one and must not be read. The run ends nevertheless.
                Err(Failed::Unconfirmed) if cancelled => {
                    at.wait(apply::cancel(session.core(), run))??;
                    return Ok(());
                }
                ended => ended?,
            };
            if cancelled && ended.state == kept::RunState::Paused {
                at.wait(apply::cancel(session.core(), run))??;
                return Ok(());
            }
            // The run waits for the user, who is told the reason as for any other work.
            ended.stopped.map_or(Ok(()), |why| Err(why.into()))
        })?;
        Ok(())
    }

    /// Returns the newest runs.
    pub fn runs(&self) -> Answer<Vec<RunSummary>> {
        let at_work = self.run_at_work();
        let runs = self.read(|tx| Ok(kept::runs(tx, RUNS)?))?;
        runs.into_iter().map(|run| self.summary(run, at_work)).collect()
    }

    fn run_at_work(&self) -> Option<i64> {
        self.state().work.as_ref().and_then(|work| work.run)
    }

    fn summary(&self, run: kept::Run, at_work: Option<i64>) -> Answer<RunSummary> {
        let (tally, rows) = self.read(|tx| Ok((found::tally(tx, run.id)?, found::rows(tx, run.id)?)))?;
        Ok(summed(&run, self.state_of(&run, at_work), tally, rows))
    }

    /// Returns the present state of a run.
    pub fn run(&self, id: i64) -> Answer<Option<RunShown>> {
        let Some(run) = self.read(|tx| Ok(kept::run(tx, id)?))? else { return Ok(None) };
        let at_work = self.run_at_work();
        let (tally, standing, under_way) =
            self.read(|tx| Ok((found::tally(tx, id)?, found::steps(tx, id)?, found::under_way(tx, id)?)))?;
        let described = self.described(id, tally.refused)?;
        let state = |step: u32| standing.iter().find(|one| one.step == step);
        let mut counts = RunCounts { rejected: tally.refused, ..RunCounts::default() };
        let mut states = HashMap::new();
        let mut lanes: Vec<RunLane> = Vec::new();
        let calls_per_second = f64::from(self.read(|tx| Ok(gather::learnt(tx)?))?.calls_per_second);
        for (step, operation, rows) in &described.steps {
            let Some(one) = state(*step) else { continue };
            let known = state_word(&one.state);
            states.insert(*step, known);
            // Not finding what was sent proves little, since it may still arrive.
            let is_unsure = one.is_unheard && at_work != Some(id);
            let counted = match known {
                RunStepState::Ready | RunStepState::Cancelled if is_unsure => RunStepState::Uncertain,
                known => known,
            };
            add(&mut counts, counted, *rows);
            let at = lanes.iter().position(|lane| lane.operation == *operation).unwrap_or_else(|| {
                lanes.push(RunLane {
                    operation: (*operation).to_owned(),
                    calls_per_second,
                    done: 0,
                    total: 0,
                    in_flight: 0,
                    waits_ms: None,
                });
                lanes.len() - 1
            });
            let lane = &mut lanes[at];
            lane.total += 1;
            lane.done += u64::from(!matches!(known, RunStepState::Ready | RunStepState::Intent | RunStepState::Sent));
            lane.in_flight += u32::from(at_work == Some(id) && under_way.contains(step));
        }
        for now in self.lanes_now(at_work == Some(id)) {
            if let Some(lane) = lanes.iter_mut().find(|lane| lane.operation == now.lane.name()) {
                lane.calls_per_second = now.milli_calls as f64 / 1_000.0;
                lane.in_flight = now.in_flight;
                lane.waits_ms = now.waits_ms;
            }
        }
        let steps: Vec<RunStep> = described
            .lines
            .iter()
            .map(|line| {
                let of: Vec<_> = line.ids.iter().filter_map(|step| state(*step)).collect();
                let states: Vec<RunStepState> = line.ids.iter().filter_map(|step| states.get(step).copied()).collect();
                RunStep {
                    step: line.clone(),
                    state: states.iter().copied().min_by_key(|state| rank(*state)).unwrap_or(RunStepState::Ready),
                    settled: states.iter().filter(|state| is_settled(**state)).count() as u64,
                    reason: of.iter().find_map(|one| one.why.clone()),
                    requests: of.iter().map(|one| one.requests).sum(),
                    trace_id: of.iter().rev().find_map(|one| one.trace_id.clone()),
                }
            })
            .collect();
        let is_at_work = at_work == Some(id) && run.ended_at.is_none();
        let busy = |state| steps.iter().find(|step: &&RunStep| step.state == state);
        let current =
            busy(RunStepState::Intent).or_else(|| busy(RunStepState::Sent)).or_else(|| busy(RunStepState::Accepted));
        let current = current.filter(|_| is_at_work).map(|step| step.step.title.clone());
        let elapsed = self.work().filter(|_| is_at_work).map(|work| work.elapsed_ms);
        let rows_per_second = elapsed
            .filter(|ms| *ms >= 1_000 && counts.verified > 0)
            .map(|ms| counts.verified as f64 * 1_000.0 / ms as f64);
        let left = counts.waiting + counts.sent + counts.accepted + counts.uncertain;
        let seconds_left = rows_per_second.map(|speed| (left as f64 / speed).ceil() as u64);
        let rows = described.steps.iter().map(|(_, _, rows)| rows).sum();
        let run = summed(&run, self.state_of(&run, at_work), tally, rows);
        Ok(Some(RunShown { run, is_at_work, steps, counts, lanes, current, rows_per_second, seconds_left }))
    }

    /// Returns the present state of the lanes, if the run is at work.
    fn lanes_now(&self, is_at_work: bool) -> Vec<LaneNow> {
        let client = self.state().client.as_ref().map(|(_, client)| Arc::clone(client));
        client.filter(|_| is_at_work).map(|client| client.lanes_now()).unwrap_or_default()
    }

    fn described(&self, run: i64, refused: u64) -> Answer<Arc<Described>> {
        let known = self.state().described.clone();
        if let Some(known) = known.filter(|known| known.run == run && known.refused == refused) {
            return Ok(known);
        }
        let described = self.read(|tx| {
            let (mut titles, mut lines, mut steps) = (Titles::of_run(tx), Lines::default(), Vec::new());
            gather::each_step(tx, run, |step, _| {
                steps.push((step.id, step.lane.name(), step.kind.rows() as u64));
                lines.add(&mut titles, &step)
            })?;
            Ok(Described { run, refused, steps, lines: lines.into_steps() })
        })?;
        let described = Arc::new(described);
        self.state().described = Some(Arc::clone(&described));
        Ok(described)
    }

    /// Returns the newest requests of a run, newest first.
    pub fn attempts(&self, run: i64, step: Option<u32>) -> Answer<Vec<RunAttempt>> {
        let tally = self.read(|tx| Ok(found::tally(tx, run)?))?;
        let described = self.described(run, tally.refused)?;
        let operation = |step| described.steps.iter().find(|(id, ..)| *id == step).map_or("", |(_, name, _)| name);
        let all = self.read(|tx| Ok(found::attempts(tx, run, step, ATTEMPTS)?))?;
        let shown = |one: found::Attempt| {
            let ending = one.ending.unwrap_or_default();
            RunAttempt {
                id: one.id,
                step: one.step,
                operation: operation(one.step).to_owned(),
                began_at: one.began_at,
                ended_at: one.ended_at,
                verdict: Some(ending.verdict).filter(|verdict| !verdict.is_empty()),
                status: ending.status,
                code: ending.code,
                trace_id: ending.trace_id,
                body_hash: one.body_hash,
            }
        };
        Ok(all.into_iter().map(shown).collect())
    }

    /// Returns the report as Markdown.
    pub fn report_text(&self, run: i64) -> Answer<String> {
        Ok(report::of(self.core(), run)?.ok_or(Refusal::Unknown)?.text())
    }

    /// Returns the report as JSON.
    pub fn report_json(&self, run: i64) -> Answer<String> {
        let report = report::of(self.core(), run)?.ok_or(Refusal::Unknown)?;
        Ok(serde_json::to_string_pretty(&report).unwrap_or_default())
    }

    /// Returns what undoing a run would do.
    pub fn undo_preview(&self, run: i64) -> Answer<RunUndone> {
        self.told(undo::preview(self.core(), run)?)
    }

    /// Undoes a run locally, as one step. The resulting edits are planned and pushed like any other change.
    pub fn undo_run(&self, by: &By, run: i64) -> Answer<RunUndone> {
        self.is_idle()?;
        let undone = undo::undo(self.core(), by, run)?;
        self.told(undone)
    }

    fn told(&self, undone: undo::Preview) -> Answer<RunUndone> {
        let lost = self.read(|tx| {
            let fields = Fields::of(tx)?;
            undone.lost.iter().take(LOST).map(|lost| Ok(in_words(tx, &fields, lost)?)).collect::<Result<_, _>>()
        })?;
        Ok(RunUndone { count: undone.count, lost, lost_count: undone.lost.len() as u64 })
    }
}

fn summed(run: &kept::Run, state: RunState, tally: found::Tally, rows: u64) -> RunSummary {
    RunSummary {
        id: run.id,
        plan: run.plan,
        state,
        started_at: run.started_at,
        ended_at: run.ended_at,
        why: run.why.clone(),
        step_count: tally.steps,
        rows: rows + tally.refused,
        requests: tally.requests,
        refused: tally.refused,
    }
}

fn state_word(word: &str) -> RunStepState {
    let known: Option<StepState> = serde_json::from_value(word.into()).ok();
    match known {
        Some(StepState::Ready) | None => RunStepState::Ready,
        Some(StepState::Intent) => RunStepState::Intent,
        Some(StepState::Sent) => RunStepState::Sent,
        Some(StepState::Accepted) => RunStepState::Accepted,
        Some(StepState::Verified) => RunStepState::Verified,
        Some(StepState::Rejected) => RunStepState::Rejected,
        Some(StepState::Uncertain) => RunStepState::Uncertain,
        Some(StepState::Cancelled) => RunStepState::Cancelled,
    }
}

fn add(counts: &mut RunCounts, state: RunStepState, rows: u64) {
    let count = match state {
        RunStepState::Ready => &mut counts.waiting,
        RunStepState::Intent | RunStepState::Sent => &mut counts.sent,
        RunStepState::Accepted => &mut counts.accepted,
        RunStepState::Verified => &mut counts.verified,
        RunStepState::Rejected => &mut counts.rejected,
        RunStepState::Uncertain => &mut counts.uncertain,
        RunStepState::Cancelled => &mut counts.cancelled,
    };
    *count += rows;
}

fn is_settled(state: RunStepState) -> bool {
    matches!(state, RunStepState::Verified | RunStepState::Rejected | RunStepState::Cancelled)
}

/// Ranks states for a line of several steps: the line shows the state that needs the user most or is least advanced.
fn rank(state: RunStepState) -> u8 {
    match state {
        RunStepState::Uncertain => 0,
        RunStepState::Intent | RunStepState::Sent => 1,
        RunStepState::Ready => 2,
        RunStepState::Accepted => 3,
        RunStepState::Rejected => 4,
        RunStepState::Cancelled => 5,
        RunStepState::Verified => 6,
    }
}

/// Describes a loss of an undo in a sentence.
fn in_words(tx: &ReadTx, fields: &Fields, lost: &Lost) -> Result<String, StoreError> {
    let (Lost::Identity { id } | Lost::Empty { id, .. } | Lost::ChangedSince { id, .. }) = lost;
    let known: Touched<i64> = changes::one(tx, Place::Contacts, *id)?;
    let title = titles::contact(&known.local.or(known.base).unwrap_or_default());
    let title = if title.is_empty() { format!("Contact {id}") } else { title };
    let names = |all: &[Field]| all.iter().map(|field| fields.title(&field.name())).collect::<Vec<_>>().join(", ");
    Ok(match lost {
        Lost::Identity { .. } => format!("{title}: made anew, with another identifier and another day of birth."),
        Lost::Empty { fields: all, .. } => format!("{title}: {} cannot be emptied at the service.", names(all)),
        Lost::ChangedSince { fields: all, .. } if all.is_empty() => format!("{title}: was changed since, and stays."),
        Lost::ChangedSince { fields: all, .. } => format!("{title}: {} was changed since, and stays.", names(all)),
    })
}
