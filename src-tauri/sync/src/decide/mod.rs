//! Stores what a person decides about changes and conflicts, and applies it at once where that is possible.

mod clashes;
mod discard;

use roost_model::{error::FieldError, opt_out::OptOutRecordScope};
use roost_ops::{Actor, Core, Error, Noun, opt_out::check_reason};
use roost_reconcile::{
    input::{ChangeChoice, ListChoice, OptOutAnswer},
    merge::{ColumnRule, ForkAnswer, RowAnswer},
    row::SyncField,
};
use roost_store::{
    change_log::{ChangeAction, ChangeLogEntry},
    tables::{
        opt_outs::{self, Warrant},
        sync::{
            SyncedTable, answers,
            changes::{self, ServiceState},
            runs,
        },
    },
    tx::ActDescription,
};
use serde::Serialize;

use crate::{
    gather::{HELD_PREFIX, OptOutRecordKey},
    merge::{self, MergeCounts},
    pull,
};

pub use clashes::settle_clash;
pub use discard::{DiscardSummary, discard_changes};

/// The key of an answer that holds a record back.
const HOLD: &str = "held";

/// Records of one kind, by their local keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordKeys {
    Contacts(Vec<i64>),
    Lists(Vec<i64>),
    Links(Vec<i64>),
    OptOuts(Vec<OptOutRecordKey>),
    Senders(Vec<String>),
}

impl RecordKeys {
    /// Parses the keys, or returns `None` if one of them is malformed.
    pub fn parse(place: SyncedTable, ids: &[String]) -> Option<Self> {
        let numbers = || ids.iter().map(|id| id.parse().ok()).collect::<Option<Vec<i64>>>();
        Some(match place {
            SyncedTable::Contacts => Self::Contacts(numbers()?),
            SyncedTable::Lists => Self::Lists(numbers()?),
            SyncedTable::ShortLinks => Self::Links(numbers()?),
            SyncedTable::OptOuts => {
                Self::OptOuts(ids.iter().map(|id| OptOutRecordKey::parse(id)).collect::<Option<_>>()?)
            }
            SyncedTable::Senders => Self::Senders(ids.to_vec()),
        })
    }

    pub fn len(&self) -> usize {
        match self {
            Self::Contacts(ids) | Self::Lists(ids) | Self::Links(ids) => ids.len(),
            Self::OptOuts(ids) => ids.len(),
            Self::Senders(ids) => ids.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A decision about contacts. `None` withdraws it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ContactDecision {
    Field(SyncField, Option<ForkAnswer>),
    Row(Option<RowAnswer>),
    Choice(Option<ChangeChoice>),
    Held(bool),
}

fn to_json(answer: Option<&impl Serialize>) -> Option<String> {
    answer.and_then(|answer| serde_json::to_string(answer).ok())
}

/// Decides about contacts. Merges that this settles are applied at once.
pub fn decide_contacts(core: &Core, contacts: &[i64], decision: &ContactDecision) -> Result<MergeCounts, Error> {
    let (about, answer) = match decision {
        ContactDecision::Field(field, answer) => (field.name().into_owned(), to_json(answer.as_ref())),
        ContactDecision::Row(answer) => ("row".to_owned(), to_json(answer.as_ref())),
        ContactDecision::Choice(choice) => ("choice".to_owned(), to_json(choice.as_ref())),
        ContactDecision::Held(held) => (HOLD.to_owned(), held.then(|| "true".to_owned())),
    };
    core.write_quietly(|tx| {
        contacts
            .iter()
            .try_for_each(|id| Ok(answers::set_answer(tx, SyncedTable::Contacts, id, &about, answer.as_deref())?))
    })?;
    merge::merge_settled_contacts(core, contacts)
}

pub fn choose_for_list(core: &Core, list: i64, choice: Option<ListChoice>) -> Result<(), Error> {
    core.write_quietly(|tx| {
        Ok(answers::set_answer(tx, SyncedTable::Lists, &list, "choice", to_json(choice.as_ref()).as_deref())?)
    })
}

pub fn choose_for_link(core: &Core, link: i64, choice: Option<ChangeChoice>) -> Result<(), Error> {
    core.write_quietly(|tx| {
        Ok(answers::set_answer(tx, SyncedTable::ShortLinks, &link, "choice", to_json(choice.as_ref()).as_deref())?)
    })
}

/// Removes an opt-out locally that the service no longer has. The user confirms it with a reason after seeing the one
/// record to be removed. It takes effect at once and can be restored from the trash.
pub fn remove_opt_out(
    core: &Core,
    by: &Actor,
    key: &OptOutRecordKey,
    typed_count: u64,
    reason: &str,
) -> Result<(), Error> {
    let reason = check_reason(reason)?;
    if typed_count != 1 {
        return Err(FieldError::new("typed_count", "Type 1, the number of opt-outs to remove.", typed_count).into());
    }
    let (id, scope) = (key.id(), pull::opt_out_scope(key).unwrap_or(OptOutRecordScope::Account));
    core.write(by, |tx| {
        let known = changes::read_record::<String>(tx, SyncedTable::OptOuts, id.clone())?;
        let is_asked = known.at_service == ServiceState::Deleted && known.local.is_some() && known.local == known.base;
        let removed = is_asked
            && opt_outs::with_warrant(tx, Warrant::confirmed(typed_count, &reason), |door| {
                door.delete_one(&key.number, key.channel, &scope)
            })?;
        if !removed {
            let message = "This opt-out needs no decision any more. Nothing was removed. Check it again.".to_owned();
            return Err(Error::Conflict { message });
        }
        changes::set_agreed(tx, SyncedTable::OptOuts, &id, None, None, None)?;
        answers::set_answer(tx, SyncedTable::OptOuts, &id, "choice", None)?;
        tx.describe_act(
            ActDescription::new("opt_out_remove")
                .with_subject(key.number.as_str())
                .with_count(1)
                .into_trash(Noun::OptOut),
        );
        tx.log_change(ChangeLogEntry::bulk(Noun::OptOut, ChangeAction::Deleted, 1));
        Ok::<_, Error>(())
    })
}

pub fn answer_opt_outs(core: &Core, keys: &[OptOutRecordKey], answer: Option<OptOutAnswer>) -> Result<(), Error> {
    let answer = to_json(answer.as_ref());
    core.write_quietly(|tx| {
        for key in keys {
            answers::set_answer(tx, SyncedTable::OptOuts, &key.id(), "choice", answer.as_deref())?;
        }
        Ok(())
    })
}

/// Holds records back or releases them. An opt-out that was added is sent first in any case.
pub fn hold_records(core: &Core, records: &RecordKeys, held: bool) -> Result<(), Error> {
    let answer = held.then_some("true");
    core.write_quietly(|tx| {
        match records {
            RecordKeys::Contacts(ids) => {
                ids.iter().try_for_each(|id| answers::set_answer(tx, SyncedTable::Contacts, id, HOLD, answer))?
            }
            RecordKeys::Lists(ids) => {
                ids.iter().try_for_each(|id| answers::set_answer(tx, SyncedTable::Lists, id, HOLD, answer))?
            }
            RecordKeys::Links(ids) => {
                ids.iter().try_for_each(|id| answers::set_answer(tx, SyncedTable::ShortLinks, id, HOLD, answer))?
            }
            RecordKeys::OptOuts(ids) => {
                ids.iter().try_for_each(|id| answers::set_answer(tx, SyncedTable::OptOuts, &id.id(), HOLD, answer))?
            }
            RecordKeys::Senders(ids) => {
                ids.iter().try_for_each(|id| answers::set_answer(tx, SyncedTable::Senders, id, HOLD, answer))?
            }
        }
        Ok(())
    })
}

/// Sets the rule that settles the forks of a column without asking.
pub fn set_column_rule(core: &Core, field: SyncField, rule: ColumnRule) -> Result<(), Error> {
    let word = serde_json::to_value(rule).ok().and_then(|word| word.as_str().map(str::to_owned));
    core.write_quietly(|tx| Ok(answers::set_rule(tx, &field.name(), word.as_deref())?))
}

/// Holds a column back from sending, or releases it. Its changes remain changes.
pub fn hold_column(core: &Core, field: SyncField, held: bool) -> Result<(), Error> {
    let about = format!("{HELD_PREFIX}{}", field.name());
    core.write_quietly(|tx| Ok(answers::set_rule(tx, &about, held.then_some("hold"))?))
}

/// Sets whether a local deletion takes precedence although the service's record was edited since.
pub fn set_delete_anyway(core: &Core, anyway: bool) -> Result<(), Error> {
    core.write_quietly(|tx| Ok(answers::set_rule(tx, "", anyway.then_some("delete_anyway"))?))
}

/// Allows a refused contact to be sent again unchanged.
pub fn allow_resend(core: &Core, contact: i64) -> Result<(), Error> {
    core.write_quietly(|tx| Ok(runs::release_refused(tx, SyncedTable::Contacts, &contact)?))
}
