//! Reads the steps of a run as the account's tables store them.

use roost_reconcile::{
    plan::{PlanStep, StepKind},
    schedule::PlanStepState,
};
use roost_store::{tables::sync::runs, tx::ReadTx};

use super::{Result, parse_word};

/// Serialises a step for the tables of plans and runs.
pub fn serialize_step(after: &[u32], kind: &StepKind) -> String {
    serde_json::to_string(&(after, kind)).unwrap_or_default()
}

/// Parses a step that [`serialize_step`] wrote. Returns `None` if this program cannot read it.
pub fn parse_step(id: u32, body: &str) -> Option<PlanStep> {
    let (after, kind) = serde_json::from_str::<(Vec<u32>, StepKind)>(body).ok()?;
    Some(PlanStep::new(id, kind, after))
}

/// Returns the state as the account's tables spell it.
pub fn state_text(state: PlanStepState) -> String {
    serde_json::to_value(state).ok().and_then(|word| word.as_str().map(str::to_owned)).unwrap_or_default()
}

/// Returns the list that a step works in.
pub fn list_of_step(kind: &StepKind) -> Option<i64> {
    match kind {
        StepKind::ListCreate { list, .. }
        | StepKind::Contacts { list, .. }
        | StepKind::Upload { list, .. }
        | StepKind::ContactDelete { list, .. }
        | StepKind::ListDelete { list, .. } => Some(*list),
        _ => None,
    }
}

fn parse_run_step(step: runs::RunStep) -> Option<(PlanStep, PlanStepState)> {
    Some((parse_step(step.step, &step.body)?, parse_word(&step.state)?))
}

/// Returns the steps of a run with their states, as they were stored.
pub fn read_steps(tx: &ReadTx, run: i64) -> Result<Vec<(PlanStep, PlanStepState)>> {
    let mut steps = Vec::new();
    for_each_step(tx, run, |step, state| {
        steps.push((step, state));
        Ok(())
    })?;
    Ok(steps)
}

/// Calls `take` with each step of a run and its state.
pub fn for_each_step(tx: &ReadTx, run: i64, mut take: impl FnMut(PlanStep, PlanStepState) -> Result<()>) -> Result<()> {
    runs::visit_steps(tx, run, |step| parse_run_step(step).map_or(Ok(()), |(step, state)| take(step, state)))
}

/// Returns the steps of a run that did not succeed.
pub fn failed_steps(tx: &ReadTx, run: i64) -> Result<Vec<PlanStep>> {
    let steps = runs::steps_in_state(tx, run, &state_text(PlanStepState::Rejected))?;
    Ok(steps.into_iter().filter_map(parse_run_step).map(|(step, _)| step).collect())
}

/// Returns the steps with the number of their contacts in place of the contacts, which take a lot of memory.
pub fn step_outlines(tx: &ReadTx, run: i64) -> Result<Vec<(PlanStep, PlanStepState)>> {
    let mut steps = Vec::new();
    for_each_step(tx, run, |step, state| {
        steps.push((outline_step(step), state));
        Ok(())
    })?;
    Ok(steps)
}

pub fn step_outline(tx: &ReadTx, run: i64, step: u32) -> Result<Option<PlanStep>> {
    Ok(read_step(tx, run, step)?.map(outline_step))
}

fn outline_step(mut step: PlanStep) -> PlanStep {
    if let StepKind::Contacts { list, items, .. } = &step.kind {
        step.kind = StepKind::Upload { list: *list, from: 0, count: items.len() as u64 };
    }
    step
}

/// Returns one step of a run.
pub fn read_step(tx: &ReadTx, run: i64, step: u32) -> Result<Option<PlanStep>> {
    Ok(runs::read_step(tx, run, step)?.and_then(parse_run_step).map(|(step, _)| step))
}
