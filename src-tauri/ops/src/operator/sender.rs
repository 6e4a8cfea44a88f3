//! Acts on senders.

use roost_model::{
    error::Fault,
    id::SenderId,
    page::{Page, PageRequest},
    sender::{Sender, SenderKind, SenderStatus, check_name},
};
use roost_store::{
    change_log::{Action, Change, Noun},
    tables::{
        senders,
        steps::{self, Act, StepQuery},
    },
    tx::WriteTx,
};

use crate::{
    core::{By, Core},
    error::{Error, OrNotFound, Result},
    history::{self, RecordChange},
};

pub fn page(core: &Core, page: PageRequest) -> Result<Page<Sender>> {
    core.read(|tx| Ok(senders::page(tx, page)?))
}

pub fn get(core: &Core, id: &SenderId) -> Result<Sender> {
    core.read(|tx| senders::get(tx, id)?.or_not_found(Noun::Sender, id))
}

/// Newest first, those with this part in the name and of this status.
pub fn find(core: &Core, name: Option<&str>, status: Option<SenderStatus>, page: PageRequest) -> Result<Page<Sender>> {
    let name = name.map(str::trim).filter(|name| !name.is_empty());
    core.read(|tx| Ok(senders::find(tx, name, status, page)?))
}

pub fn delete(core: &Core, by: &By, id: &SenderId) -> Result<()> {
    core.write(by, |tx| {
        let sender = senders::get(tx, id)?.or_not_found(Noun::Sender, id)?;
        go(tx, &sender, "sender_delete")
    })
}

/// Deletes a sender whose name was typed once more, as it cannot be made again at the service.
pub fn delete_typed(core: &Core, by: &By, id: &SenderId, typed: &str) -> Result<()> {
    core.write(by, |tx| {
        let sender = senders::get(tx, id)?.or_not_found(Noun::Sender, id)?;
        if typed.trim() != sender.name {
            return Err(Fault::new("typed_name", format!("Type {} to delete it.", sender.name), typed).into());
        }
        go(tx, &sender, "sender_delete")
    })
}

fn go(tx: &WriteTx, sender: &Sender, act: &'static str) -> Result<()> {
    senders::delete(tx, &sender.id)?;
    tx.act(Act::new(act).subject(sender.name.as_str()).uid(&sender.id).into_trash(Noun::Sender));
    tx.log(Change::one(Noun::Sender, Action::Deleted, &sender.id));
    Ok(())
}

/// What is remembered of a sender, found by its id or its name; one that is gone by the name it had.
#[derive(Debug, Clone, PartialEq)]
pub struct SenderHistory {
    pub id: Option<SenderId>,
    pub name: String,
    pub changes: Vec<RecordChange>,
}

pub fn history(core: &Core, id: Option<&SenderId>, name: Option<&str>) -> Result<SenderHistory> {
    let (id, name) = core.read(|tx| {
        let there = match (id, name) {
            (Some(id), _) => senders::get(tx, id)?,
            (None, Some(name)) => senders::by_name(tx, name)?,
            (None, None) => return Err(Fault::new("id", "Give an id or a name.", serde_json::Value::Null).into()),
        };
        if let Some(sender) = there {
            return Ok((Some(sender.id), sender.name));
        }
        // Gone: its steps know its name and its id.
        let query = StepQuery {
            noun: Some(Noun::Sender),
            uid: id.map(ToString::to_string),
            text: if id.is_none() { name.map(str::to_owned) } else { None },
            ..StepQuery::default()
        };
        let steps = steps::page(tx, &query, PageRequest { number: 1, size: 50 })?;
        let is_it = |subject: &str| name.is_none_or(|name| subject.to_lowercase() == name.to_lowercase());
        let told = steps.items.into_iter().find_map(|step| {
            let subject = step.subject.filter(|subject| is_it(subject))?;
            Some((SenderId::parse(&step.uid?).ok()?, subject))
        });
        match (told, id) {
            (Some((id, name)), _) => Ok((Some(id), name)),
            (None, id) => Ok((id.cloned(), name.unwrap_or_default().to_owned())),
        }
    })?;
    let changes = match &id {
        Some(id) => history::of_record(core, Noun::Sender, id.as_str())?,
        None => Vec::new(),
    };
    Ok(SenderHistory { id, name, changes })
}

/// Asks for a sender: a name waits for review, a number is verified at once.
pub fn request(core: &Core, by: &By, name: &str) -> Result<Sender> {
    let kind = check_name(name)?;
    core.write(by, |tx| {
        if senders::name_is_taken(tx, name)? {
            return Err(Error::conflict(format!("The account already has a sender {name}.")));
        }
        let sender = add(core, tx, name, kind)?;
        tx.act(Act::new("sender_request").subject(name).uid(&sender.id));
        Ok(sender)
    })
}

/// Adds a sender whose name is known to be free.
pub(crate) fn add(core: &Core, tx: &WriteTx, name: &str, kind: SenderKind) -> Result<Sender> {
    let status = match kind {
        SenderKind::Alphanumeric => SenderStatus::Pending,
        SenderKind::Numeric => SenderStatus::Verified,
    };
    let sender = Sender { id: SenderId::new(core.ctx().ksuid(core.ctx().now())), name: name.to_owned(), status };
    senders::insert(tx, &sender)?;
    tx.log(Change::one(Noun::Sender, Action::Created, &sender.id));
    Ok(sender)
}

/// Approves a pending sender; approving a verified one changes nothing.
pub fn approve(core: &Core, by: &By, id: &SenderId) -> Result<Sender> {
    core.write(by, |tx| {
        let mut sender = senders::get(tx, id)?.or_not_found(Noun::Sender, id)?;
        if sender.status == SenderStatus::Pending {
            sender.status = SenderStatus::Verified;
            senders::set_status(tx, id, sender.status)?;
            tx.act(Act::new("sender_approve").subject(sender.name.as_str()).uid(id));
            tx.log(Change::one(Noun::Sender, Action::Updated, id));
        }
        Ok(sender)
    })
}

/// Refuses a pending sender: it goes.
pub fn refuse(core: &Core, by: &By, id: &SenderId) -> Result<()> {
    core.write(by, |tx| {
        let sender = senders::get(tx, id)?.or_not_found(Noun::Sender, id)?;
        if sender.status == SenderStatus::Verified {
            return Err(Error::conflict(format!(
                "{} is verified and can no longer be rejected. Delete it instead.",
                sender.name
            )));
        }
        go(tx, &sender, "sender_refuse")
    })
}
