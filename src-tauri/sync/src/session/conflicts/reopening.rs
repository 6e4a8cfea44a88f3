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
use roost_ops::{By, Error, Noun};
use roost_store::{
    change_log::{Action, Change},
    tables::{
        steps::Act,
        sync::{
            Place,
            answers::{self, Answer as Decided},
            changes::{self, There, Touched},
            ids,
            local::{self, Added, Times},
            runs, screens,
        },
    },
    tx::{ReadTx, WriteTx},
};

use super::super::{Answer, ConflictsReopened, Refusal, Session};
use crate::Failed;

/// If more contacts are settled at once, their former state is not stored and the answer is final.
const KEPT: usize = 10_000;
const PLACE: Place = Place::Contacts;

/// Numbers are unique across sessions.
static SETTLED: AtomicU64 = AtomicU64::new(1);

/// Contacts before their conflicts were settled, and the former rule if a rule settled them.
pub(super) struct Before {
    pub records: Vec<Remembered>,
    /// The column and its former rule.
    pub rule: Option<(String, Option<String>)>,
}

/// A contact that had a conflict.
pub(super) struct Remembered {
    id: i64,
    /// Its local identifier, and the service's if that differs.
    uids: (Option<String>, Option<String>),
    known: Touched<i64>,
    decided: Vec<Decided<i64>>,
}

/// The conflicts that were settled last, with each contact before and after.
pub struct Settlement {
    id: u64,
    records: Vec<(Remembered, Touched<i64>)>,
    rule: Option<(String, Option<String>)>,
}

impl Remembered {
    fn of(tx: &ReadTx, id: i64) -> Result<Self, Error> {
        Ok(Self {
            id,
            uids: (screens::runs::contact_uid(tx, id)?, ids::other_uid(tx, PLACE, id)?),
            known: changes::one(tx, PLACE, id)?,
            decided: answers::of(tx, PLACE, id)?,
        })
    }

    /// Restores both sides, the agreed version, and the answers of that time.
    fn put_back(&self, tx: &WriteTx, now: Timestamp) -> Result<(), Error> {
        let (id, known) = (self.id, &self.known);
        let standing = changes::one::<i64>(tx, PLACE, id)?.local;
        match (&known.local, &standing) {
            (Some(then), Some(now)) if then != now => local::set_contact(tx, id, then, None)?,
            (Some(then), None) => {
                let (Some(list), (Some(uid), _)) = (known.list, &self.uids) else { return Ok(()) };
                if local::bring_back_contact(tx, id, list, now)? {
                    local::set_contact(tx, id, then, None)?;
                } else {
                    local::add_contact(
                        tx,
                        Added { id: Some(id), list, uid, cells: then, times: Times::default() },
                        now,
                    )?;
                }
            }
            (None, Some(_)) => local::remove_contact(tx, id, now)?,
            _ => {}
        }
        if let (_, Some(uid)) = &self.uids {
            ids::set(tx, PLACE, id, uid)?;
        }
        let list = known.was_in.or(known.list);
        changes::agree(tx, PLACE, &id, list, known.uid.as_deref(), known.base.as_deref())?;
        changes::set_there(tx, PLACE, &id, &known.there)?;
        for given in answers::of::<i64>(tx, PLACE, id)? {
            answers::set(tx, PLACE, &id, &given.about, None)?;
        }
        for Decided { about, answer, .. } in &self.decided {
            answers::set(tx, PLACE, &id, about, Some(answer))?;
        }
        Ok(())
    }
}

impl Session {
    /// Returns the present state of contacts before a decision, or `None` if they are too many to store.
    pub(super) fn remember(&self, contacts: &BTreeSet<i64>) -> Answer<Option<Vec<Remembered>>> {
        if contacts.len() > KEPT {
            return Ok(None);
        }
        self.read(|tx| contacts.iter().map(|id| Remembered::of(tx, *id)).collect::<Result<_, _>>().map(Some))
    }

    /// Stores what was settled, so that it can be reopened, and returns its number.
    pub(super) fn keep_settled(&self, before: Option<Before>) -> Answer<Option<u64>> {
        let Some(Before { records, rule }) = before else {
            self.state().settled = None;
            return Ok(None);
        };
        let left: Vec<Touched<i64>> =
            self.read(|tx| records.iter().map(|one| Ok(changes::one(tx, PLACE, one.id)?)).collect())?;
        let id = SETTLED.fetch_add(1, Ordering::Relaxed);
        let records = records.into_iter().zip(left).collect();
        self.state().settled = Some(Arc::new(Settlement { id, records, rule }));
        Ok(Some(id))
    }

    /// Reopens the conflicts that were settled last. A contact that was changed, sent or read again since stays as it
    /// is.
    pub fn reopen(&self, settlement: u64) -> Answer<ConflictsReopened> {
        self.is_idle()?;
        let settled = self.state().settled.clone().filter(|settled| settled.id == settlement);
        let settled = settled.ok_or(Refusal::Unknown)?;
        // Records that are being sent are settled by their run.
        if self.read(|tx| Ok(runs::open(tx)?))?.is_some() {
            return Err(Failed::Open.into());
        }
        let core = self.core();
        let now = core.ctx().now();
        let reopened = core.write(&By::sync(), |tx| {
            let (mut opened, mut kept) = (0, 0);
            for (before, left) in &settled.records {
                if changes::one::<i64>(tx, PLACE, before.id)? != *left {
                    kept += 1;
                    continue;
                }
                before.put_back(tx, now)?;
                opened += u64::from(left.there == There::AsAgreed && before.known.there != There::AsAgreed);
            }
            if let Some((field, rule)) = &settled.rule {
                answers::set_rule(tx, field, rule.as_deref())?;
            }
            tx.log(Change::bulk(Noun::Contact, Action::Updated, opened));
            tx.act(Act::new("conflicts_reopen").count(opened));
            Ok::<_, Error>(ConflictsReopened { opened, kept })
        })?;
        self.state().settled = None;
        self.moved();
        Ok(reopened)
    }
}
