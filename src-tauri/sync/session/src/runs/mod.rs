//! Begins, shows, resumes, cancels and undoes runs.

mod audit_log;
mod refused;

use std::{collections::HashMap, sync::Arc};

use roost_ops::{Actor, StoreError};
use roost_reconcile::{edit_log::UndoLoss, pace::LaneStatus, plan::Lane, row::SyncField, schedule::PlanStepState};
use roost_store::{
    tables::sync::{
        SyncedTable,
        changes::{self, SyncChange},
        runs,
        screens::run_details,
    },
    tx::ReadTx,
};
use roost_sync::{
    SyncError,
    account::{self, cells, identity},
    apply::{self, RunControl, report, undo},
    gather, plan,
};

use crate::{
    PlanLine, RunAttempt, RunCounts, RunDetails, RunLane, RunState, RunStep, RunSummary, RunUndoSummary, Session,
    SessionError, SessionResult, SyncKind,
    plans::{PlanLines, PlanTitles},
    titles::FieldTitles,
};

pub(super) use self::audit_log::AuditCheck;

/// The most runs in the history.
const MAX_RUNS: u32 = 50;
/// The most requests of a run that are listed.
const MAX_ATTEMPTS: u32 = 500;
/// The most losses of an undo that are listed one by one.
const MAX_LOSSES: usize = 100;

/// The steps of a run as they were when it began. They are read once and cached.
pub(super) struct RunSteps {
    run: i64,
    /// The number of refused contacts. The cache expires when it grows, because refused contacts leave their steps.
    refused: u64,
    lines: Vec<PlanLine>,
    steps: Vec<(u32, &'static str, u64)>,
}

impl Session {
    /// Begins the run of a plan.
    pub fn begin_run(&self, plan: i64, typed: &[String]) -> SessionResult<i64> {
        self.check_idle()?;
        self.client()?;
        let (core, typed) = (self.core().clone(), typed.to_vec());
        let run = self.wait_for(async move { plan::begin_run(&core, plan, &typed).await })??;
        self.begin_run_work(run, false)?;
        Ok(run)
    }

    /// Resumes a run that was paused or interrupted.
    pub fn resume_run(&self, run: i64) -> SessionResult<()> {
        self.find_open_run(Some(run))?;
        self.begin_run_work(run, false)
    }

    /// Cancels the open run, even one that nobody works on. Nothing more is sent, and the run still looks for what was
    /// sent. If it cannot, the next pull does.
    pub fn cancel_run(&self) -> SessionResult<()> {
        let run = self.find_open_run(None)?;
        if self.stop() {
            return Ok(());
        }
        // Another account could not show what became of the requests.
        if self.client().is_ok() && !self.read(identity::is_unconfirmed)? {
            return self.begin_run_work(run, true);
        }
        let core = self.core().clone();
        self.wait_for(async move { apply::cancel_run(&core, run).await })??;
        self.announce_change();
        Ok(())
    }

    fn find_open_run(&self, wanted: Option<i64>) -> SessionResult<i64> {
        let open = self.read(|tx| Ok(runs::find_open_run(tx)?))?.map(|run| run.id);
        open.filter(|open| wanted.is_none_or(|wanted| wanted == *open)).ok_or(SessionError::Unknown)
    }

    fn begin_run_work(&self, run: i64, cancelled: bool) -> SessionResult<()> {
        let client = self.client()?;
        self.begin_work(SyncKind::Run, Some(run), move |session, at| {
            let control: &RunControl = &at.reins.control;
            if cancelled {
                control.cancel();
            }
            let ended =
                match at.wait_for(apply::drive_run(session.core(), &client, run, control, &at.reins.progress))? {
                    // The account may be another one and must not be read. The run ends nevertheless.
                    Err(SyncError::Unconfirmed) if cancelled => {
                        at.wait_for(apply::cancel_run(session.core(), run))??;
                        return Ok(());
                    }
                    ended => ended?,
                };
            if cancelled && ended.state == runs::RunState::Paused {
                at.wait_for(apply::cancel_run(session.core(), run))??;
                return Ok(());
            }
            // The run waits for the user, who sees the reason as for any other work.
            ended.stopped.map_or(Ok(()), |why| Err(why.into()))
        })?;
        Ok(())
    }

    /// Returns the newest runs.
    pub fn list_runs(&self) -> SessionResult<Vec<RunSummary>> {
        let at_work = self.active_run();
        let runs = self.read(|tx| Ok(runs::read_runs(tx, MAX_RUNS)?))?;
        runs.into_iter().map(|run| self.summarize_run(run, at_work)).collect()
    }

    fn active_run(&self) -> Option<i64> {
        self.state().work.as_ref().and_then(|work| work.run)
    }

    fn summarize_run(&self, run: runs::SyncRun, at_work: Option<i64>) -> SessionResult<RunSummary> {
        let (tally, rows) =
            self.read(|tx| Ok((run_details::count_run(tx, run.id)?, run_details::count_records(tx, run.id)?)))?;
        Ok(build_summary(&run, self.state_of_run(&run, at_work), tally, rows))
    }

    /// Returns the present state of a run.
    pub fn read_run(&self, id: i64) -> SessionResult<Option<RunDetails>> {
        let Some(run) = self.read(|tx| Ok(runs::read_run(tx, id)?))? else { return Ok(None) };
        let at_work = self.active_run();
        let (tally, step_states, under_way) = self.read(|tx| {
            Ok((
                run_details::count_run(tx, id)?,
                run_details::read_steps(tx, id)?,
                run_details::steps_under_way(tx, id)?,
            ))
        })?;
        let described = self.read_run_steps(id, tally.refused)?;
        let state = |step: u32| step_states.iter().find(|one| one.step == step);
        let mut counts = RunCounts { rejected: tally.refused, ..RunCounts::default() };
        let mut states = HashMap::new();
        let mut lanes: Vec<RunLane> = Vec::new();
        let speed = self.read(|tx| Ok(account::read_speed(tx)?))?;
        let calls_per_second = f64::from(speed.calls_per_second);
        for (step, operation, rows) in &described.steps {
            let Some(one) = state(*step) else { continue };
            let known = parse_state(&one.state);
            states.insert(*step, known);
            // Not finding what was sent proves little, since it may still arrive.
            let is_unsure = one.is_uncertain && at_work != Some(id);
            let counted = match known {
                PlanStepState::Ready | PlanStepState::Cancelled if is_unsure => PlanStepState::Uncertain,
                known => known,
            };
            add_rows(&mut counts, counted, *rows);
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
            lane.done +=
                u64::from(!matches!(known, PlanStepState::Ready | PlanStepState::Intent | PlanStepState::Sent));
            lane.in_flight += u32::from(at_work == Some(id) && under_way.contains(step));
        }
        for now in self.lane_statuses(at_work == Some(id)) {
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
                let known_steps: Vec<_> = line.ids.iter().filter_map(|step| state(*step)).collect();
                let states: Vec<PlanStepState> = line.ids.iter().filter_map(|step| states.get(step).copied()).collect();
                RunStep {
                    step: line.clone(),
                    state: states
                        .iter()
                        .copied()
                        .min_by_key(|state| state_rank(*state))
                        .unwrap_or(PlanStepState::Ready),
                    settled: states.iter().filter(|state| state.is_settled()).count() as u64,
                    reason: known_steps.iter().find_map(|one| one.why.clone()),
                    requests: known_steps.iter().map(|one| one.requests).sum(),
                    trace_id: known_steps.iter().rev().find_map(|one| one.trace_id.clone()),
                }
            })
            .collect();
        let is_at_work = at_work == Some(id) && run.ended_at.is_none();
        let busy = |state| steps.iter().find(|step: &&RunStep| step.state == state);
        let current =
            busy(PlanStepState::Intent).or_else(|| busy(PlanStepState::Sent)).or_else(|| busy(PlanStepState::Accepted));
        let current = current.filter(|_| is_at_work).map(|step| step.step.title.clone());
        let elapsed = self.current_work().filter(|_| is_at_work).map(|work| work.elapsed_ms);
        let rows_per_second = elapsed
            .filter(|ms| *ms >= 1_000 && counts.verified > 0)
            .map(|ms| counts.verified as f64 * 1_000.0 / ms as f64);
        let seconds_left = is_at_work.then(|| {
            let open =
                described.steps.iter().filter(|(id, ..)| states.get(id).is_some_and(|state| !state.is_settled()));
            let jobs = open.filter(|(_, operation, _)| *operation == Lane::ContactsCreate.name());
            estimate_seconds(&lanes, jobs.map(|(.., rows)| rows).sum(), u64::from(speed.rows_per_second))
        });
        let rows = described.steps.iter().map(|(_, _, rows)| rows).sum();
        let run = build_summary(&run, self.state_of_run(&run, at_work), tally, rows);
        Ok(Some(RunDetails { run, is_at_work, steps, counts, lanes, current, rows_per_second, seconds_left }))
    }

    /// Returns the present state of the lanes, if the run is at work.
    fn lane_statuses(&self, is_at_work: bool) -> Vec<LaneStatus> {
        let client = self.state().client.as_ref().map(|(_, client)| Arc::clone(client));
        client.filter(|_| is_at_work).map(|client| client.lane_statuses()).unwrap_or_default()
    }

    fn read_run_steps(&self, run: i64, refused: u64) -> SessionResult<Arc<RunSteps>> {
        let known = self.state().run_steps.clone();
        if let Some(known) = known.filter(|known| known.run == run && known.refused == refused) {
            return Ok(known);
        }
        let described = self.read(|tx| {
            let (mut titles, mut lines, mut steps) = (PlanTitles::for_run(tx), PlanLines::default(), Vec::new());
            gather::for_each_step(tx, run, |step, _| {
                steps.push((step.id, step.lane.name(), step.kind.row_count() as u64));
                lines.add_step(&mut titles, &step)
            })?;
            Ok(RunSteps { run, refused, steps, lines: lines.into_lines() })
        })?;
        let described = Arc::new(described);
        self.state().run_steps = Some(Arc::clone(&described));
        Ok(described)
    }

    /// Returns the newest requests of a run, newest first.
    pub fn list_attempts(&self, run: i64, step: Option<u32>) -> SessionResult<Vec<RunAttempt>> {
        let tally = self.read(|tx| Ok(run_details::count_run(tx, run)?))?;
        let described = self.read_run_steps(run, tally.refused)?;
        let operation = |step| described.steps.iter().find(|(id, ..)| *id == step).map_or("", |(_, name, _)| name);
        let all = self.read(|tx| Ok(run_details::read_attempts(tx, run, step, MAX_ATTEMPTS)?))?;
        let shown = |one: run_details::AttemptRow| {
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
    pub fn report_text(&self, run: i64) -> SessionResult<String> {
        Ok(report::build_report(self.core(), run)?.ok_or(SessionError::Unknown)?.to_markdown())
    }

    /// Returns the report as JSON.
    pub fn report_json(&self, run: i64) -> SessionResult<String> {
        let report = report::build_report(self.core(), run)?.ok_or(SessionError::Unknown)?;
        Ok(serde_json::to_string_pretty(&report).unwrap_or_default())
    }

    /// Returns what undoing a run would do.
    pub fn undo_preview(&self, run: i64) -> SessionResult<RunUndoSummary> {
        self.to_undo_summary(undo::preview_undo(self.core(), run)?)
    }

    /// Undoes a run locally, as one step. The resulting edits are planned and pushed like any other change.
    pub fn undo_run(&self, by: &Actor, run: i64) -> SessionResult<RunUndoSummary> {
        self.check_idle()?;
        let undone = undo::undo_run(self.core(), by, run)?;
        self.to_undo_summary(undone)
    }

    fn to_undo_summary(&self, undone: undo::UndoPreview) -> SessionResult<RunUndoSummary> {
        let lost = self.read(|tx| {
            let fields = FieldTitles::read(tx)?;
            undone
                .lost
                .iter()
                .take(MAX_LOSSES)
                .map(|lost| Ok(describe_loss(tx, &fields, lost)?))
                .collect::<Result<_, _>>()
        })?;
        Ok(RunUndoSummary { count: undone.count, lost, lost_count: undone.lost.len() as u64 })
    }
}

fn build_summary(run: &runs::SyncRun, state: RunState, tally: run_details::RunTotals, rows: u64) -> RunSummary {
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

fn parse_state(word: &str) -> PlanStepState {
    serde_json::from_value(word.into()).unwrap_or(PlanStepState::Ready)
}

fn add_rows(counts: &mut RunCounts, state: PlanStepState, rows: u64) {
    let count = match state {
        PlanStepState::Ready => &mut counts.waiting,
        PlanStepState::Intent | PlanStepState::Sent => &mut counts.sent,
        PlanStepState::Accepted => &mut counts.accepted,
        PlanStepState::Verified => &mut counts.verified,
        PlanStepState::Rejected => &mut counts.rejected,
        PlanStepState::Uncertain => &mut counts.uncertain,
        PlanStepState::Cancelled => &mut counts.cancelled,
    };
    *count += rows;
}

/// Estimates the time left as the plan does: the slowest lane, and the service's work on the contacts. A request with
/// thousands of contacts takes no longer to send than one with a single opt-out.
fn estimate_seconds(lanes: &[RunLane], contacts: u64, rows_per_second: u64) -> u64 {
    let of_lane =
        |lane: &RunLane| (lane.total.saturating_sub(lane.done) as f64 / lane.calls_per_second.max(0.1)).ceil() as u64;
    lanes.iter().map(of_lane).max().unwrap_or(0) + contacts.div_ceil(rows_per_second.max(1))
}

/// Ranks states for a line of several steps: the line shows the state that needs the user most or is least advanced.
fn state_rank(state: PlanStepState) -> u8 {
    match state {
        PlanStepState::Uncertain => 0,
        PlanStepState::Intent | PlanStepState::Sent => 1,
        PlanStepState::Ready => 2,
        PlanStepState::Accepted => 3,
        PlanStepState::Rejected => 4,
        PlanStepState::Cancelled => 5,
        PlanStepState::Verified => 6,
    }
}

/// Describes a loss of an undo in a sentence.
fn describe_loss(tx: &ReadTx, fields: &FieldTitles, lost: &UndoLoss) -> Result<String, StoreError> {
    let (UndoLoss::Identity { id } | UndoLoss::Empty { id, .. } | UndoLoss::ChangedSince { id, .. }) = lost;
    let known: SyncChange<i64> = changes::read_record(tx, SyncedTable::Contacts, *id)?;
    let title = cells::contact_title(&known.local.or(known.base).unwrap_or_default());
    let title = if title.is_empty() { format!("Contact {id}") } else { title };
    let names = |all: &[SyncField]| all.iter().map(|field| fields.title(&field.name())).collect::<Vec<_>>().join(", ");
    Ok(match lost {
        UndoLoss::Identity { .. } => format!("{title}: created again, with another ID and another creation date."),
        UndoLoss::Empty { fields: all, .. } => format!("{title}: {} cannot be emptied at the service.", names(all)),
        UndoLoss::ChangedSince { fields: all, .. } if all.is_empty() => {
            format!("{title}: was changed since, and stays.")
        }
        UndoLoss::ChangedSince { fields: all, .. } => format!("{title}: {} was changed since, and stays.", names(all)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_counts_requests_and_not_the_rows_that_one_request_holds() {
        let lane = |operation: &str, done, total| RunLane {
            operation: operation.to_owned(),
            calls_per_second: 9.0,
            done,
            total,
            in_flight: 0,
            waits_ms: None,
        };
        let lanes = [lane("optouts.create", 56, 191), lane("contacts.create", 0, 4)];
        assert_eq!(estimate_seconds(&lanes, 1_378, 1_000), 15 + 2);
        assert_eq!(estimate_seconds(&lanes[..1], 0, 1_000), 15);
        assert_eq!(estimate_seconds(&[], 0, 0), 0);
    }
}
