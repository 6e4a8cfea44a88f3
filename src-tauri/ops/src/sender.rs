//! Acts on senders.

use roost_model::{
    id::SenderId,
    page::{Page, PageRequest},
    sender::{Sender, SenderKind, SenderStatus, check_name},
};
use roost_store::{
    change_log::{Action, Change, Noun},
    tables::senders,
    tx::WriteTx,
};

use crate::{
    core::{By, Core},
    error::{Error, OrNotFound, Result},
};

pub fn page(core: &Core, page: PageRequest) -> Result<Page<Sender>> {
    core.read(|tx| Ok(senders::page(tx, page)?))
}

pub fn get(core: &Core, id: &SenderId) -> Result<Sender> {
    core.read(|tx| senders::get(tx, id)?.or_not_found(Noun::Sender, id))
}

pub fn delete(core: &Core, by: &By, id: &SenderId) -> Result<()> {
    core.write(by, |tx| {
        senders::delete(tx, id)?.or_not_found(Noun::Sender, id)?;
        tx.log(Change::one(Noun::Sender, Action::Deleted, id));
        Ok(())
    })
}

/// Asks for a sender: a name waits for review, a number is verified at once.
pub fn request(core: &Core, by: &By, name: &str) -> Result<Sender> {
    let kind = check_name(name)?;
    core.write(by, |tx| {
        if senders::name_is_taken(tx, name)? {
            return Err(Error::conflict(format!("The account has a sender {name} already.")));
        }
        add(core, tx, name, kind)
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
                "{} is verified and can no longer be refused; delete it instead.",
                sender.name
            )));
        }
        senders::delete(tx, id)?;
        tx.log(Change::one(Noun::Sender, Action::Deleted, id));
        Ok(())
    })
}
