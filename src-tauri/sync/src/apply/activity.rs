//! Records what a run sent as an entry of the activity.

use std::collections::BTreeMap;

use roost_ops::{Actor, Core, Error};
use roost_reconcile::{plan::StepKind, schedule::PlanStepState};
use roost_store::{
    change_log::{ChangeAction, ChangeLogEntry, Noun},
    tables::sync::runs::RunState,
    tx::{ActDescription, WriteTx},
};

use super::settle;
use crate::gather;

/// Ends or pauses a run. A run that ended is recorded in the activity.
pub(super) fn end_run(core: &Core, run: i64, state: RunState, why: Option<String>) -> Result<RunState, Error> {
    let now = core.ctx().now();
    if state == RunState::Paused {
        return core.write_quietly(|tx| settle::close_run(tx, run, state, why, now));
    }
    core.write(&Actor::sync(), |tx| {
        let state = settle::close_run(tx, run, state, why, now)?;
        log_sent_changes(tx, run)?;
        Ok(state)
    })
}

/// Records in the activity what an ended run changed at the service. A run that sent nothing leaves no entry.
pub(super) fn log_sent_changes(tx: &WriteTx, run: i64) -> Result<(), Error> {
    let mut sent: BTreeMap<(Noun, ChangeAction), u64> = BTreeMap::new();
    gather::for_each_step(tx, run, |step, state| {
        if state == PlanStepState::Verified {
            for (what, count) in changes_of_step(&step.kind) {
                *sent.entry(what).or_default() += count;
            }
        }
        Ok(())
    })?;
    let count: u64 = sent.values().sum();
    if count == 0 {
        return Ok(());
    }
    tx.describe_act(ActDescription::new("sync_push").with_subject(run.to_string()).with_count(count).as_note());
    for ((noun, action), count) in sent.into_iter().filter(|(_, count)| *count > 0) {
        tx.log_change(ChangeLogEntry::bulk(noun, action, count));
    }
    Ok(())
}

/// Returns the changes that a step makes at the service.
fn changes_of_step(kind: &StepKind) -> Vec<((Noun, ChangeAction), u64)> {
    let rows = kind.row_count() as u64;
    let one = |noun, action| vec![((noun, action), rows)];
    match kind {
        StepKind::OptOutCreate { .. } => one(Noun::OptOut, ChangeAction::Created),
        StepKind::OptOutDelete { .. } => one(Noun::OptOut, ChangeAction::Deleted),
        StepKind::ListCreate { .. } => one(Noun::List, ChangeAction::Created),
        StepKind::ListDelete { .. } => one(Noun::List, ChangeAction::Deleted),
        StepKind::LinkCreate { .. } => one(Noun::ShortLink, ChangeAction::Created),
        StepKind::LinkDelete { .. } => one(Noun::ShortLink, ChangeAction::Deleted),
        StepKind::SenderDelete { .. } => one(Noun::Sender, ChangeAction::Deleted),
        StepKind::ContactDelete { .. } => one(Noun::Contact, ChangeAction::Deleted),
        StepKind::Upload { .. } => one(Noun::Contact, ChangeAction::Created),
        StepKind::Contacts { items, .. } => {
            let created = items.iter().filter(|item| item.before.is_none()).count() as u64;
            vec![
                ((Noun::Contact, ChangeAction::Created), created),
                ((Noun::Contact, ChangeAction::Updated), rows - created),
            ]
        }
    }
}
