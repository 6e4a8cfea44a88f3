//! Discards local changes: returns records to what both sides last agreed on, as one act that can be undone.

use roost_model::{
    id::SenderId,
    sender::{Sender, SenderStatus},
    time::Timestamp,
};
use roost_ops::{By, Core, Error, Noun};
use roost_store::{
    change_log::{Action, Change},
    tables::{
        senders,
        steps::Act,
        sync::{
            Place,
            changes::{self, There, Touched},
            local::{self, Added, Times},
            runs,
        },
    },
    tx::WriteTx,
};

use super::Records;
use crate::{cells, gather::Standing, merge, pull};

/// The result of discarding changes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Discarded {
    /// The number of records that were returned to what both sides last agreed on.
    pub count: u64,
    /// The number of opt-outs that were added locally. They stay and are sent.
    pub opt_outs_kept: u64,
}

/// Returns records to what both sides last agreed on, then merges what the service changed meanwhile.
pub fn discard(core: &Core, by: &By, records: &[Records]) -> Result<Discarded, Error> {
    let mut all: Vec<&Records> = records.iter().collect();
    // Lists come first, because a contact that was deleted with its list returns into it.
    all.sort_by_key(|records| !matches!(records, Records::Lists(_)));
    let discarded = core.write(by, |tx| {
        let now = core.ctx().now();
        let (mut count, mut opt_outs_kept) = (0, 0);
        for records in all {
            let (noun, done) = match records {
                Records::Lists(ids) => (Noun::List, each(tx, ids, |id| list(tx, core, *id))?),
                Records::Contacts(ids) => {
                    ids.iter().try_for_each(|id| runs::release(tx, Place::Contacts, id))?;
                    (Noun::Contact, each(tx, ids, |id| contact(tx, core, *id))?)
                }
                Records::Links(ids) => (Noun::ShortLink, each(tx, ids, |id| link(tx, *id, now))?),
                Records::OptOuts(ids) => {
                    opt_outs_kept += each(tx, ids, |id| is_added(tx, id))?;
                    (Noun::OptOut, each(tx, ids, |id| opt_out(tx, id))?)
                }
                Records::Senders(ids) => (Noun::Sender, each(tx, ids, |id| sender(tx, id))?),
            };
            if done > 0 {
                tx.log(Change::bulk(noun, Action::Updated, done));
            }
            count += done;
        }
        if count > 0 {
            tx.act(Act::new("changes_discard").count(count));
        }
        Ok::<_, Error>(Discarded { count, opt_outs_kept })
    })?;
    for records in records {
        if let Records::Contacts(ids) = records {
            merge::answered(core, ids)?;
        }
    }
    Ok(discarded)
}

/// Applies `act` to each record and counts those that it changed.
fn each<I>(tx: &WriteTx, ids: &[I], act: impl Fn(&I) -> Result<bool, Error>) -> Result<u64, Error> {
    let mut count = 0;
    for id in ids {
        tx.check()?;
        count += u64::from(act(id)?);
    }
    Ok(count)
}

/// Returns a contact to the agreed version: moves it back, restores it, or removes it if it was created locally.
fn contact(tx: &WriteTx, core: &Core, id: i64) -> Result<bool, Error> {
    let now = core.ctx().now();
    let known = changes::one::<i64>(tx, Place::Contacts, id)?;
    match (&known.base, &known.local) {
        (Some(base), Some(local)) => {
            let home = known.was_in;
            if let Some(home) = home {
                list(tx, core, home)?;
                local::move_contact(tx, id, home, now)?;
            }
            if base != local {
                local::set_contact(tx, id, base, None)?;
            }
            Ok(home.is_some() || base != local)
        }
        (Some(base), None) => {
            let Some(home) = known.list else { return Ok(false) };
            if local::list(tx, home)?.is_none() {
                list(tx, core, home)?;
            }
            if local::list(tx, home)?.is_none() {
                return Ok(false);
            }
            if local::bring_back_contact(tx, id, home, now)? {
                local::set_contact(tx, id, base, None)?;
            } else {
                let uid = merge::own_uid(tx, core, known.uid.as_deref())?;
                let added = Added { id: Some(id), list: home, uid: &uid, cells: base, times: Times::default() };
                local::add_contact(tx, added, now)?;
            }
            Ok(true)
        }
        (None, Some(_)) if known.there == There::AsAgreed => {
            local::remove_contact(tx, id, now)?;
            Ok(true)
        }
        _ => Ok(false),
    }
}

/// Returns a list to the agreed version, with the contacts that were deleted with it.
fn list(tx: &WriteTx, core: &Core, id: i64) -> Result<bool, Error> {
    let now = core.ctx().now();
    let known = changes::one::<i64>(tx, Place::Lists, id)?;
    let name = |text: &str| cells::text(text, "name");
    match (&known.base, &known.local) {
        (Some(base), Some(local)) if base != local => {
            local::name_list(tx, id, &name(base))?;
            Ok(true)
        }
        (Some(base), None) => {
            if local::bring_back(tx, Place::Lists, id)? {
                local::name_list(tx, id, &name(base))?;
                local::count_anew(tx, id)?;
            } else {
                let uid = pull::own_list_uid(tx, core, known.uid.as_deref())?;
                local::restore_list(tx, id, uid.as_str(), &name(base), now)?;
            }
            // Contacts that were deleted with the list return with it.
            for contact_id in local::touched_in(tx, id)? {
                tx.check()?;
                if changes::one::<i64>(tx, Place::Contacts, contact_id)?.local.is_none() {
                    contact(tx, core, contact_id)?;
                }
            }
            Ok(true)
        }
        (None, Some(_)) => {
            // Contacts that were moved into the list return to their own.
            for contact_id in local::touched_in(tx, id)? {
                let moved: Touched<i64> = changes::one(tx, Place::Contacts, contact_id)?;
                if moved.was_in.is_some() && moved.list == Some(id) {
                    contact(tx, core, contact_id)?;
                }
            }
            local::remove_list(tx, id)?;
            Ok(true)
        }
        _ => Ok(false),
    }
}

fn link(tx: &WriteTx, id: i64, now: Timestamp) -> Result<bool, Error> {
    let known = changes::one::<i64>(tx, Place::ShortLinks, id)?;
    match (&known.base, &known.local) {
        (Some(base), Some(local)) if base != local => {
            local::set_link(tx, id, "", base, now)?;
            Ok(true)
        }
        (Some(base), None) => {
            let Some(uid) = known.uid.as_deref() else { return Ok(false) };
            local::bring_back(tx, Place::ShortLinks, id)?;
            local::set_link(tx, id, uid, base, now)?;
            Ok(true)
        }
        (None, Some(_)) => {
            local::remove_link(tx, id)?;
            Ok(true)
        }
        _ => Ok(false),
    }
}

/// Returns whether an opt-out was added locally. Nothing but a removal with a reason ends it.
fn is_added(tx: &WriteTx, standing: &Standing) -> Result<bool, Error> {
    let known = changes::one::<String>(tx, Place::OptOuts, standing.id())?;
    Ok(known.base.is_none() && known.local.is_some())
}

fn opt_out(tx: &WriteTx, standing: &Standing) -> Result<bool, Error> {
    let known = changes::one::<String>(tx, Place::OptOuts, standing.id())?;
    match known.base {
        Some(base) if known.local.as_ref() != Some(&base) => pull::put_opt_out(tx, standing, Some(&base)),
        _ => Ok(false),
    }
}

fn sender(tx: &WriteTx, id: &str) -> Result<bool, Error> {
    let known = changes::one::<String>(tx, Place::Senders, id.to_owned())?;
    let (Some(base), None, Ok(own)) = (&known.base, &known.local, SenderId::parse(id)) else { return Ok(false) };
    if !local::bring_back(tx, Place::Senders, id.to_owned())? {
        // The next pull updates the status.
        let name = cells::text(base, "name");
        if senders::name_is_taken(tx, &name)? {
            return Ok(false);
        }
        senders::insert(tx, &Sender { id: own, name, status: SenderStatus::Pending })?;
    }
    Ok(true)
}
