//! Stores what a person decides about changes and conflicts, and applies it at once where that is possible.

mod discard;

use roost_model::{error::Fault, opt_out::Scope};
use roost_ops::{By, Core, Error, Noun, opt_out::check_reason};
use roost_reconcile::{
    input::{Choice, ListChoice, OptOutAnswer},
    merge::{Answer, ColumnRule, RowAnswer},
    row::Field,
};
use roost_store::{
    change_log::{Action, Change},
    tables::{
        opt_outs::{self, Warrant},
        steps::Act,
        sync::{
            Place, answers,
            changes::{self, There},
            runs,
        },
    },
};
use serde::Serialize;

use crate::{
    gather::{HELD, Standing},
    merge::{self, Merged},
    pull,
};

pub use discard::{Discarded, discard};

/// The key of an answer that holds a record back.
const HOLD: &str = "held";

/// Records of one kind, by their local keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Records {
    Contacts(Vec<i64>),
    Lists(Vec<i64>),
    Links(Vec<i64>),
    OptOuts(Vec<Standing>),
    Senders(Vec<String>),
}

impl Records {
    /// Parses the keys, or returns `None` if one of them is malformed.
    pub fn parse(place: Place, ids: &[String]) -> Option<Self> {
        let numbers = || ids.iter().map(|id| id.parse().ok()).collect::<Option<Vec<i64>>>();
        Some(match place {
            Place::Contacts => Self::Contacts(numbers()?),
            Place::Lists => Self::Lists(numbers()?),
            Place::ShortLinks => Self::Links(numbers()?),
            Place::OptOuts => Self::OptOuts(ids.iter().map(|id| Standing::parse(id)).collect::<Option<_>>()?),
            Place::Senders => Self::Senders(ids.to_vec()),
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
pub enum Decision {
    Field(Field, Option<Answer>),
    Row(Option<RowAnswer>),
    Choice(Option<Choice>),
    Held(bool),
}

fn written(answer: Option<&impl Serialize>) -> Option<String> {
    answer.and_then(|answer| serde_json::to_string(answer).ok())
}

/// Decides about contacts. Merges that this settles are applied at once.
pub fn contacts(core: &Core, contacts: &[i64], decision: &Decision) -> Result<Merged, Error> {
    let (about, answer) = match decision {
        Decision::Field(field, answer) => (field.name().into_owned(), written(answer.as_ref())),
        Decision::Row(answer) => ("row".to_owned(), written(answer.as_ref())),
        Decision::Choice(choice) => ("choice".to_owned(), written(choice.as_ref())),
        Decision::Held(held) => (HOLD.to_owned(), held.then(|| "true".to_owned())),
    };
    core.write_quietly(|tx| {
        contacts.iter().try_for_each(|id| Ok(answers::set(tx, Place::Contacts, id, &about, answer.as_deref())?))
    })?;
    merge::answered(core, contacts)
}

pub fn list(core: &Core, list: i64, choice: Option<ListChoice>) -> Result<(), Error> {
    core.write_quietly(|tx| Ok(answers::set(tx, Place::Lists, &list, "choice", written(choice.as_ref()).as_deref())?))
}

pub fn link(core: &Core, link: i64, choice: Option<Choice>) -> Result<(), Error> {
    core.write_quietly(|tx| {
        Ok(answers::set(tx, Place::ShortLinks, &link, "choice", written(choice.as_ref()).as_deref())?)
    })
}

/// Removes an opt-out locally that the service no longer has. The user confirms it with a reason after seeing the one
/// record to be removed. It takes effect at once and can be restored from the trash.
pub fn remove_opt_out(core: &Core, by: &By, standing: &Standing, typed_count: u64, reason: &str) -> Result<(), Error> {
    let reason = check_reason(reason)?;
    if typed_count != 1 {
        return Err(Fault::new("typed_count", "Type 1, the number of opt-outs to remove.", typed_count).into());
    }
    let (id, scope) = (standing.id(), pull::opt_out_scope(standing).unwrap_or(Scope::Account));
    core.write(by, |tx| {
        let known = changes::one::<String>(tx, Place::OptOuts, id.clone())?;
        let is_asked = known.there == There::Gone && known.local.is_some() && known.local == known.base;
        let removed = is_asked
            && opt_outs::with_warrant(tx, Warrant::confirmed(typed_count, &reason), |door| {
                door.delete_one(&standing.number, standing.channel, &scope)
            })?;
        if !removed {
            let message =
                "This opt-out is no longer asked about. Nothing was removed; look at it once more.".to_owned();
            return Err(Error::Conflict { message });
        }
        changes::agree(tx, Place::OptOuts, &id, None, None, None)?;
        answers::set(tx, Place::OptOuts, &id, "choice", None)?;
        tx.act(Act::new("opt_out_remove").subject(standing.number.as_str()).count(1).into_trash(Noun::OptOut));
        tx.log(Change::bulk(Noun::OptOut, Action::Deleted, 1));
        Ok::<_, Error>(())
    })
}

pub fn opt_out(core: &Core, standing: &Standing, answer: Option<OptOutAnswer>) -> Result<(), Error> {
    let (id, answer) = (standing.id(), written(answer.as_ref()));
    core.write_quietly(|tx| Ok(answers::set(tx, Place::OptOuts, &id, "choice", answer.as_deref())?))
}

/// Holds records back or releases them. An opt-out that was added is sent first in any case.
pub fn held(core: &Core, records: &Records, held: bool) -> Result<(), Error> {
    let answer = held.then_some("true");
    core.write_quietly(|tx| {
        match records {
            Records::Contacts(ids) => {
                ids.iter().try_for_each(|id| answers::set(tx, Place::Contacts, id, HOLD, answer))?
            }
            Records::Lists(ids) => ids.iter().try_for_each(|id| answers::set(tx, Place::Lists, id, HOLD, answer))?,
            Records::Links(ids) => {
                ids.iter().try_for_each(|id| answers::set(tx, Place::ShortLinks, id, HOLD, answer))?
            }
            Records::OptOuts(ids) => {
                ids.iter().try_for_each(|id| answers::set(tx, Place::OptOuts, &id.id(), HOLD, answer))?
            }
            Records::Senders(ids) => {
                ids.iter().try_for_each(|id| answers::set(tx, Place::Senders, id, HOLD, answer))?
            }
        }
        Ok(())
    })
}

/// Sets the rule that settles the forks of a column without asking.
pub fn column(core: &Core, field: Field, rule: ColumnRule) -> Result<(), Error> {
    let word = serde_json::to_value(rule).ok().and_then(|word| word.as_str().map(str::to_owned));
    core.write_quietly(|tx| Ok(answers::set_rule(tx, &field.name(), word.as_deref())?))
}

/// Holds a column back from sending, or releases it. Its changes remain changes.
pub fn hold_column(core: &Core, field: Field, held: bool) -> Result<(), Error> {
    let about = format!("{HELD}{}", field.name());
    core.write_quietly(|tx| Ok(answers::set_rule(tx, &about, held.then_some("hold"))?))
}

/// Sets whether a local deletion takes precedence although the service's record was edited since.
pub fn deletions(core: &Core, anyway: bool) -> Result<(), Error> {
    core.write_quietly(|tx| Ok(answers::set_rule(tx, "", anyway.then_some("delete_anyway"))?))
}

/// Allows a refused contact to be sent again unchanged.
pub fn resend(core: &Core, contact: i64) -> Result<(), Error> {
    core.write_quietly(|tx| Ok(runs::release(tx, Place::Contacts, &contact)?))
}
