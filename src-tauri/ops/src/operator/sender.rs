//! Contains the acts on senders.

use roost_model::{
    error::FieldError,
    id::SenderId,
    page::{Page, PageRequest},
    sender::{Sender, SenderKind, SenderStatus, check_name},
};
use roost_store::{
    change_log::{ChangeAction, ChangeLogEntry, Noun},
    tables::{
        senders,
        steps::{self, StepQuery},
    },
    tx::{ActDescription, WriteTx},
};
use serde::Serialize;

use crate::{
    core::{Actor, Core},
    error::{Error, OrNotFound, Result},
    history::{self, RecordChange},
};

pub fn read_page(core: &Core, page: PageRequest) -> Result<Page<Sender>> {
    core.read(|tx| Ok(senders::read_page(tx, page)?))
}

pub fn get(core: &Core, id: &SenderId) -> Result<Sender> {
    core.read(|tx| senders::get(tx, id)?.or_not_found(Noun::Sender, id))
}

/// Returns the senders with this text in the name and with this status, newest first.
pub fn find_senders(
    core: &Core,
    name: Option<&str>,
    status: Option<SenderStatus>,
    page: PageRequest,
) -> Result<Page<Sender>> {
    let name = name.map(str::trim).filter(|name| !name.is_empty());
    core.read(|tx| Ok(senders::find_page(tx, name, status, page)?))
}

pub fn delete(core: &Core, by: &Actor, id: &SenderId) -> Result<()> {
    core.write(by, |tx| {
        let sender = senders::get(tx, id)?.or_not_found(Noun::Sender, id)?;
        move_to_trash(tx, &sender, "sender_delete")
    })
}

/// Deletes a sender if its name was typed correctly, because it cannot be restored at the service.
pub fn delete_typed(core: &Core, by: &Actor, id: &SenderId, typed: &str) -> Result<()> {
    core.write(by, |tx| {
        let sender = senders::get(tx, id)?.or_not_found(Noun::Sender, id)?;
        if typed.trim() != sender.name {
            return Err(FieldError::new("typed_name", format!("Type {} to delete it.", sender.name), typed).into());
        }
        move_to_trash(tx, &sender, "sender_delete")
    })
}

fn move_to_trash(tx: &WriteTx, sender: &Sender, act: &'static str) -> Result<()> {
    senders::delete(tx, &sender.id)?;
    tx.describe_act(
        ActDescription::new(act).with_subject(sender.name.as_str()).with_uid(&sender.id).into_trash(Noun::Sender),
    );
    tx.log_change(ChangeLogEntry::single(Noun::Sender, ChangeAction::Deleted, &sender.id));
    Ok(())
}

/// The recorded changes of a sender, found by its id or its name. A removed sender is found by its former name.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct SenderHistory {
    pub id: Option<SenderId>,
    pub name: String,
    /// Newest first.
    #[serde(rename = "events")]
    pub changes: Vec<RecordChange>,
}

pub fn read_history(core: &Core, id: Option<&SenderId>, name: Option<&str>) -> Result<SenderHistory> {
    let (id, name) = core.read(|tx| {
        let existing = match (id, name) {
            (Some(id), _) => senders::get(tx, id)?,
            (None, Some(name)) => senders::find_by_name(tx, name)?,
            (None, None) => return Err(FieldError::new("id", "Give an id or a name.", serde_json::Value::Null).into()),
        };
        if let Some(sender) = existing {
            return Ok((Some(sender.id), sender.name));
        }
        // The sender was removed, so its name and id come from its steps.
        let query = StepQuery {
            noun: Some(Noun::Sender),
            uid: id.map(ToString::to_string),
            text: if id.is_none() { name.map(str::to_owned) } else { None },
            ..StepQuery::default()
        };
        let steps = steps::read_page(tx, &query, PageRequest { number: 1, size: 50 })?;
        let is_it = |subject: &str| name.is_none_or(|name| subject.to_lowercase() == name.to_lowercase());
        let found = steps.items.into_iter().find_map(|step| {
            let subject = step.subject.filter(|subject| is_it(subject))?;
            Some((SenderId::parse(&step.uid?).ok()?, subject))
        });
        match (found, id) {
            (Some((id, name)), _) => Ok((Some(id), name)),
            (None, id) => Ok((id.cloned(), name.unwrap_or_default().to_owned())),
        }
    })?;
    let changes = match &id {
        Some(id) => history::read_record_history(core, Noun::Sender, id.as_str())?,
        None => Vec::new(),
    };
    Ok(SenderHistory { id, name, changes })
}

/// Requests a sender. A name waits for review; a number is verified at once.
pub fn request(core: &Core, by: &Actor, name: &str) -> Result<Sender> {
    let kind = check_name(name)?;
    core.write(by, |tx| {
        if senders::is_name_taken(tx, name)? {
            return Err(Error::conflict(format!("The account already has a sender {name}.")));
        }
        let sender = insert_sender(core, tx, name, kind)?;
        tx.describe_act(ActDescription::new("sender_request").with_subject(name).with_uid(&sender.id));
        Ok(sender)
    })
}

/// Inserts a sender whose name is known to be free.
pub(crate) fn insert_sender(core: &Core, tx: &WriteTx, name: &str, kind: SenderKind) -> Result<Sender> {
    let status = match kind {
        SenderKind::Alphanumeric => SenderStatus::Pending,
        SenderKind::Numeric => SenderStatus::Verified,
    };
    let sender = Sender { id: SenderId::new(core.ctx().ksuid(core.ctx().now())), name: name.to_owned(), status };
    senders::insert(tx, &sender)?;
    tx.log_change(ChangeLogEntry::single(Noun::Sender, ChangeAction::Created, &sender.id));
    Ok(sender)
}

/// Approves a pending sender. A verified one stays unchanged.
pub fn approve(core: &Core, by: &Actor, id: &SenderId) -> Result<Sender> {
    core.write(by, |tx| {
        let mut sender = senders::get(tx, id)?.or_not_found(Noun::Sender, id)?;
        if sender.status == SenderStatus::Pending {
            sender.status = SenderStatus::Verified;
            senders::set_status(tx, id, sender.status)?;
            tx.describe_act(ActDescription::new("sender_approve").with_subject(sender.name.as_str()).with_uid(id));
            tx.log_change(ChangeLogEntry::single(Noun::Sender, ChangeAction::Updated, id));
        }
        Ok(sender)
    })
}

/// Refuses a pending sender, which removes it.
pub fn refuse(core: &Core, by: &Actor, id: &SenderId) -> Result<()> {
    core.write(by, |tx| {
        let sender = senders::get(tx, id)?.or_not_found(Noun::Sender, id)?;
        if sender.status == SenderStatus::Verified {
            return Err(Error::conflict(format!(
                "{} is verified and can no longer be rejected. Delete it instead.",
                sender.name
            )));
        }
        move_to_trash(tx, &sender, "sender_refuse")
    })
}
