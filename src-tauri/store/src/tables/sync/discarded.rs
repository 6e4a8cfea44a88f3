//! Remembers the conflicts that a discard settled, so that its undo brings them back as conflicts.

use rusqlite::params;
use serde::{Deserialize, Serialize};

use super::{
    SyncedTable,
    answers::{self, SyncAnswer},
    changes::{self, ServiceState},
};
use crate::{
    error::Result,
    tx::{ReadTx, WriteTx},
};

const PLACE: SyncedTable = SyncedTable::Contacts;
/// The subject of the answer in which a conflict is remembered.
const DISCARDED: &str = "discarded";

/// A contact that both sides had changed, as it was before its local changes were discarded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiscardedConflict {
    id: i64,
    /// The step that discarded the local changes.
    step: i64,
    list: Option<i64>,
    uid: Option<String>,
    base: Option<String>,
    /// What the service had. `None` if it had deleted the contact.
    at_service: Option<String>,
    /// The decisions about single values, each with its subject.
    decided: Vec<(String, String)>,
}

impl DiscardedConflict {
    fn service_state(&self) -> ServiceState {
        self.at_service.clone().map_or(ServiceState::Deleted, ServiceState::Changed)
    }

    fn store(&self, tx: &WriteTx) -> Result<()> {
        let text = serde_json::to_string(self).unwrap_or_default();
        answers::set_answer(tx, PLACE, &self.id, DISCARDED, Some(&text))
    }

    /// Brings the conflict back, unless the service changed the contact meanwhile.
    fn reopen(&self, tx: &WriteTx) -> Result<()> {
        let known = changes::read_record::<i64>(tx, PLACE, self.id)?;
        if known.at_service != ServiceState::AsAgreed || known.base != self.at_service {
            return Ok(());
        }
        changes::set_agreed(tx, PLACE, &self.id, self.list, self.uid.as_deref(), self.base.as_deref())?;
        changes::set_service_state(tx, PLACE, &self.id, &self.service_state())?;
        for (about, answer) in &self.decided {
            answers::set_answer(tx, PLACE, &self.id, about, Some(answer))?;
        }
        self.store(tx)
    }

    /// Settles the conflict in favour of the service, unless the service changed the contact meanwhile.
    fn settle(&self, tx: &WriteTx) -> Result<()> {
        if changes::read_record::<i64>(tx, PLACE, self.id)?.at_service != self.service_state() {
            return Ok(());
        }
        answers::remove_settled(tx, PLACE, &self.id)?;
        match &self.at_service {
            Some(cells) => {
                changes::set_agreed(tx, PLACE, &self.id, self.list, self.uid.as_deref(), Some(cells))?;
            }
            None => changes::mark_record_new(tx, PLACE, self.id, self.list)?,
        }
        self.store(tx)
    }
}

/// Reads those of the contacts that have a conflict, before their local changes are discarded.
pub fn read_conflicts(tx: &WriteTx, contacts: &[i64]) -> Result<Vec<DiscardedConflict>> {
    let mut is_unmerged = tx.conn().prepare_cached("SELECT 1 FROM sync_remote WHERE place = ?1 AND id = ?2")?;
    let mut found = Vec::new();
    for id in contacts {
        if !is_unmerged.exists(params![PLACE.number(), id])? {
            continue;
        }
        let known = changes::read_record::<i64>(tx, PLACE, *id)?;
        let decided = answers::read_of_record::<i64>(tx, PLACE, *id)?.into_iter();
        found.push(DiscardedConflict {
            id: *id,
            step: tx.step(),
            list: known.was_in.or(known.list),
            uid: known.uid,
            base: known.base,
            at_service: known.at_service.cells().map(str::to_owned),
            decided: decided
                .filter(|one| one.about != DISCARDED)
                .map(|SyncAnswer { about, answer, .. }| (about, answer))
                .collect(),
        });
    }
    Ok(found)
}

/// Remembers the conflicts that the discard has settled.
pub fn remember_settled(tx: &WriteTx, conflicts: &[DiscardedConflict]) -> Result<()> {
    for conflict in conflicts {
        if changes::read_record::<i64>(tx, PLACE, conflict.id)?.at_service == ServiceState::AsAgreed {
            conflict.store(tx)?;
        }
    }
    Ok(())
}

/// Reads the conflicts that a step settled. An undo or a redo needs them before it changes the contacts.
pub fn read_of_step(tx: &ReadTx, step: i64) -> Result<Vec<DiscardedConflict>> {
    let mut statement =
        tx.conn().prepare_cached("SELECT answer FROM sync_answers WHERE place = ?1 AND about = ?2 ORDER BY id")?;
    let rows = statement.query_map(params![PLACE.number(), DISCARDED], |row| row.get::<_, String>(0))?;
    let all = rows.collect::<rusqlite::Result<Vec<_>>>()?;
    let known = all.iter().filter_map(|text| serde_json::from_str::<DiscardedConflict>(text).ok());
    Ok(known.filter(|conflict| conflict.step == step).collect())
}

/// Brings conflicts back, after the undo of the step that settled them.
pub fn reopen_all(tx: &WriteTx, conflicts: &[DiscardedConflict]) -> Result<()> {
    conflicts.iter().try_for_each(|conflict| conflict.reopen(tx))
}

/// Settles conflicts again, after the redo of the step that settled them.
pub fn settle_all(tx: &WriteTx, conflicts: &[DiscardedConflict]) -> Result<()> {
    conflicts.iter().try_for_each(|conflict| conflict.settle(tx))
}
