//! Records what a run sent as an entry of the activity.

use std::collections::BTreeMap;

use roost_ops::{By, Core, Error};
use roost_reconcile::{plan::StepKind, schedule::State};
use roost_store::{
    change_log::{Action, Change, Noun},
    tables::{steps::Act, sync::runs::RunState},
    tx::WriteTx,
};

use super::settle;
use crate::gather;

/// Ends or pauses a run. A run that ended is recorded in the activity.
pub fn end_run(core: &Core, run: i64, state: RunState, why: Option<String>) -> Result<RunState, Error> {
    let now = core.ctx().now();
    if state == RunState::Paused {
        return core.write_quietly(|tx| settle::end(tx, run, state, why, now));
    }
    core.write(&By::sync(), |tx| {
        let state = settle::end(tx, run, state, why, now)?;
        note_sent(tx, run)?;
        Ok(state)
    })
}

/// Records in the activity what an ended run changed at the service. A run that sent nothing leaves no entry.
pub fn note_sent(tx: &WriteTx, run: i64) -> Result<(), Error> {
    let mut sent: BTreeMap<(Noun, Action), u64> = BTreeMap::new();
    gather::each_step(tx, run, |step, state| {
        if state == State::Verified {
            for (what, count) in changes_of(&step.kind) {
                *sent.entry(what).or_default() += count;
            }
        }
        Ok(())
    })?;
    let count: u64 = sent.values().sum();
    if count == 0 {
        return Ok(());
    }
    tx.act(Act::new("sync_push").subject(run.to_string()).count(count).note());
    for ((noun, action), count) in sent.into_iter().filter(|(_, count)| *count > 0) {
        tx.log(Change::bulk(noun, action, count));
    }
    Ok(())
}

/// Returns the changes that a step makes at the service.
fn changes_of(kind: &StepKind) -> Vec<((Noun, Action), u64)> {
    let rows = kind.rows() as u64;
    let one = |noun, action| vec![((noun, action), rows)];
    match kind {
        StepKind::OptOutCreate { .. } => one(Noun::OptOut, Action::Created),
        StepKind::OptOutDelete { .. } => one(Noun::OptOut, Action::Deleted),
        StepKind::ListCreate { .. } => one(Noun::List, Action::Created),
        StepKind::ListDelete { .. } => one(Noun::List, Action::Deleted),
        StepKind::LinkCreate { .. } => one(Noun::ShortLink, Action::Created),
        StepKind::LinkDelete { .. } => one(Noun::ShortLink, Action::Deleted),
        StepKind::SenderDelete { .. } => one(Noun::Sender, Action::Deleted),
        StepKind::ContactDelete { .. } => one(Noun::Contact, Action::Deleted),
        StepKind::Upload { .. } => one(Noun::Contact, Action::Created),
        StepKind::Contacts { items, .. } => {
            let created = items.iter().filter(|item| item.before.is_none()).count() as u64;
            vec![((Noun::Contact, Action::Created), created), ((Noun::Contact, Action::Updated), rows - created)]
        }
    }
}
