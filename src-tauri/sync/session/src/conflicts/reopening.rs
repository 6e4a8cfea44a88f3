//! Reopens the conflicts that were settled last, as long as nothing else has been settled and their records are
//! unchanged.

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use roost_model::time::Timestamp;
use roost_ops::{Actor, Error, Noun};
use roost_store::{
    change_log::{ChangeAction, ChangeLogEntry},
    row_changes,
    tables::sync::{
        SyncedTable,
        answers::{self, SyncAnswer},
        changes::{self, ServiceState, SyncChange},
        ids,
        local::{self, AddedContact, ServiceTimes},
        runs, screens,
    },
    tx::{ActDescription, ReadTx, WriteTx},
};
use roost_sync::SyncError;

use crate::{ConflictsReopened, Session, SessionError, SessionResult};

/// If more contacts are settled at once, their former state is not stored and the answer is final.
const MAX_REMEMBERED: usize = 10_000;
const PLACE: SyncedTable = SyncedTable::Contacts;

/// Numbers are unique across sessions.
static NEXT_SETTLEMENT: AtomicU64 = AtomicU64::new(1);

/// Contacts before their conflicts were settled, and the former rule if a rule settled them.
pub(super) struct FormerState {
    pub records: Vec<RememberedContact>,
    /// The column and its former rule.
    pub rule: Option<(String, Option<String>)>,
}

/// A contact that had a conflict.
pub(super) struct RememberedContact {
    id: i64,
    /// Its local identifier, and the service's if that differs.
    uids: (Option<String>, Option<String>),
    known: SyncChange<i64>,
    decided: Vec<SyncAnswer<i64>>,
}

/// The conflicts that were settled last, with each contact before and after.
pub(crate) struct LastSettlement {
    id: u64,
    records: Vec<(RememberedContact, SyncChange<i64>)>,
    rule: Option<(String, Option<String>)>,
}

impl RememberedContact {
    fn read(tx: &ReadTx, id: i64) -> Result<Self, Error> {
        Ok(Self {
            id,
            uids: (screens::run_details::contact_uid(tx, id)?, ids::mapped_uid(tx, PLACE, id)?),
            known: changes::read_record(tx, PLACE, id)?,
            decided: answers::read_of_record(tx, PLACE, id)?,
        })
    }

    /// Restores both sides, the agreed version, and the answers of that time.
    fn restore(&self, tx: &WriteTx, now: Timestamp) -> Result<(), Error> {
        let (id, known) = (self.id, &self.known);
        let place = changes::read_record::<i64>(tx, PLACE, id)?.local;
        match (&known.local, &place) {
            (Some(then), Some(now)) if then != now => local::set_contact(tx, id, then, None)?,
            (Some(then), None) => {
                let (Some(list), (Some(uid), _)) = (known.list, &self.uids) else { return Ok(()) };
                if row_changes::restore_contact(tx, id, list, now)? {
                    local::set_contact(tx, id, then, None)?;
                } else {
                    local::add_contact(
                        tx,
                        AddedContact { id: Some(id), list, uid, cells: then, times: ServiceTimes::default() },
                        now,
                    )?;
                }
            }
            (None, Some(_)) => local::remove_contact(tx, id, now)?,
            _ => {}
        }
        if let (_, Some(uid)) = &self.uids {
            ids::set_mapping(tx, PLACE, id, uid)?;
        }
        let list = known.was_in.or(known.list);
        changes::set_agreed(tx, PLACE, &id, list, known.uid.as_deref(), known.base.as_deref())?;
        changes::set_service_state(tx, PLACE, &id, &known.at_service)?;
        for given in answers::read_of_record::<i64>(tx, PLACE, id)? {
            answers::set_answer(tx, PLACE, &id, &given.about, None)?;
        }
        for SyncAnswer { about, answer, .. } in &self.decided {
            answers::set_answer(tx, PLACE, &id, about, Some(answer))?;
        }
        Ok(())
    }
}

impl Session {
    /// Returns the present state of contacts before a decision, or `None` if they are too many to store.
    pub(super) fn remember_contacts(&self, contacts: &BTreeSet<i64>) -> SessionResult<Option<Vec<RememberedContact>>> {
        if contacts.len() > MAX_REMEMBERED {
            return Ok(None);
        }
        self.read(|tx| contacts.iter().map(|id| RememberedContact::read(tx, *id)).collect::<Result<_, _>>().map(Some))
    }

    /// Stores what was settled, so that it can be reopened, and returns its number.
    pub(super) fn store_settlement(&self, before: Option<FormerState>) -> SessionResult<Option<u64>> {
        let Some(FormerState { records, rule }) = before else {
            self.state().settled = None;
            return Ok(None);
        };
        let left: Vec<SyncChange<i64>> =
            self.read(|tx| records.iter().map(|one| Ok(changes::read_record(tx, PLACE, one.id)?)).collect())?;
        let id = NEXT_SETTLEMENT.fetch_add(1, Ordering::Relaxed);
        let records = records.into_iter().zip(left).collect();
        self.state().settled = Some(Arc::new(LastSettlement { id, records, rule }));
        Ok(Some(id))
    }

    /// Reopens the conflicts that were settled last. A contact that was changed, sent or read again since stays as it
    /// is.
    pub fn reopen_settlement(&self, settlement: u64) -> SessionResult<ConflictsReopened> {
        self.check_idle()?;
        let settled = self.state().settled.clone().filter(|settled| settled.id == settlement);
        let settled = settled.ok_or(SessionError::Unknown)?;
        // Records that are being sent are settled by their run.
        if self.read(|tx| Ok(runs::find_open_run(tx)?))?.is_some() {
            return Err(SyncError::Open.into());
        }
        let core = self.core();
        let now = core.ctx().now();
        let reopened = core.write(&Actor::sync(), |tx| {
            let (mut opened, mut kept) = (0, 0);
            for (before, left) in &settled.records {
                if changes::read_record::<i64>(tx, PLACE, before.id)? != *left {
                    kept += 1;
                    continue;
                }
                before.restore(tx, now)?;
                opened += u64::from(
                    left.at_service == ServiceState::AsAgreed && before.known.at_service != ServiceState::AsAgreed,
                );
            }
            if let Some((field, rule)) = &settled.rule {
                answers::set_rule(tx, field, rule.as_deref())?;
            }
            tx.log_change(ChangeLogEntry::bulk(Noun::Contact, ChangeAction::Updated, opened));
            tx.describe_act(ActDescription::new("conflicts_reopen").with_count(opened));
            Ok::<_, Error>(ConflictsReopened { opened, kept })
        })?;
        self.state().settled = None;
        self.announce_change();
        Ok(reopened)
    }
}
