//! Pulls senders: reads all of them. Only their status changes.

use roost_model::{
    id::SenderId,
    sender::{Sender as OwnSender, SenderStatus},
};
use roost_ops::{By, Error, Noun};
use roost_store::{
    tables::{
        senders as own_senders,
        sync::{
            Place, changes,
            local::Times,
            scopes::{self, Seen},
        },
    },
    tx::WriteTx,
};

use super::{PAGE, Pages, Pulled, Reader, told, told_removed};
use crate::{
    Failed, cells, on,
    remote::{PageAsked, Sender},
};

/// Reads all senders and merges them.
pub async fn read(reader: Reader<'_>, pulled: &mut Pulled) -> Result<(), Failed> {
    reader.begin(Place::Senders).await?;
    let mut found: Vec<Sender> = Vec::new();
    let mut pages = Pages::default();
    while let Some(number) = pages.next(reader)? {
        let page = reader.client.senders(PageAsked { number, size: PAGE }).await?;
        pages.came(reader, &page);
        let seen = |sender: &Sender| Seen {
            uid: sender.uid.clone(),
            cells: cells::made(&[("name", &sender.name)]),
            times: Times::default(),
        };
        reader.put(Place::Senders, page.items.iter().map(seen).collect()).await?;
        found.extend(page.items);
    }
    if !pages.are_complete() {
        pulled.drifting.push(Place::Senders);
    }
    let whole = reader.is_whole(Place::Senders, pages.claimed(), pulled).await?;
    let guarded = on(reader.core, |core| {
        core.read(|tx| Ok(scopes::common(tx, Place::Senders)? == 0 && scopes::agreed(tx, Place::Senders)? > 1))
    });
    if guarded.await? && !reader.asked.believe {
        return Err(Failed::OtherAccount("it has none of the senders that were there."));
    }
    let read = on(reader.core, move |core| {
        core.write(&By::sync(), |tx| {
            let (mut count, mut aside) = (0, 0);
            for sender in found {
                match known(&sender) {
                    Some((id, status)) => count += u64::from(comes(tx, &sender, id, status)?),
                    None => aside += 1,
                }
            }
            told(tx, Noun::Sender, count);
            Ok::<_, Error>((count, aside))
        })
    });
    let (count, aside) = read.await?;
    let gone = on(reader.core, move |core| {
        core.write(&By::sync(), |tx| {
            let gone = if whole { scopes::vanished::<String>(tx, Place::Senders)? } else { Vec::new() };
            let mut count = 0;
            for id in gone {
                if let Ok(own) = SenderId::parse(&id) {
                    count += u64::from(own_senders::delete(tx, &own)?);
                }
                changes::agree(tx, Place::Senders, &id, None, None, None)?;
            }
            scopes::empty(tx, Place::Senders, 0)?;
            told_removed(tx, Noun::Sender, count);
            Ok::<_, Error>(count)
        })
    });
    pulled.beside.senders += count + gone.await?;
    pulled.aside += aside;
    Ok(())
}

/// Returns the identifier and status of a sender, or `None` if this program does not know one of them.
fn known(sender: &Sender) -> Option<(SenderId, SenderStatus)> {
    Some((SenderId::parse(&sender.uid).ok()?, SenderStatus::parse(&sender.status)?))
}

/// Merges a sender, and returns whether it changed locally.
fn comes(tx: &WriteTx, sender: &Sender, id: SenderId, status: SenderStatus) -> Result<bool, Error> {
    let known = changes::one::<String>(tx, Place::Senders, sender.uid.clone())?;
    match own_senders::get(tx, &id)? {
        Some(own) if own.status != status => own_senders::set_status(tx, &id, status)?,
        None if known.base.is_none() && !own_senders::name_is_taken(tx, &sender.name)? => {
            own_senders::insert(tx, &OwnSender { id, name: sender.name.clone(), status })?;
        }
        _ => return Ok(false),
    }
    Ok(true)
}
