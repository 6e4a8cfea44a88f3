//! Merges observed records of the service with the account: applies them, records the agreement, or raises a conflict.

use roost_model::{id::ContactId, time::Timestamp};
use roost_ops::{By, Core, Error, Noun};
use roost_reconcile::{
    Row,
    adopt::adopt,
    input::{ContactChange, Seen as There},
    merge::{Note, Policy},
    row::Difference,
};
use roost_store::{
    change_log::{Action, Change},
    tables::{
        steps::Act,
        sync::{
            Place, answers, changes, ids,
            local::{self, Added, Times},
            scopes::{self, Seen},
        },
    },
    tx::WriteTx,
};

use crate::{cells, gather, pull};

/// The number of rows in one transaction.
pub const STRETCH: u32 = 1_000;

/// The counts of a merge.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Merged {
    pub added: u64,
    pub changed: u64,
    pub removed: u64,
    /// Conflicts that a person has to decide.
    pub questions: u64,
    /// Contacts of one list that were seen in another. Nothing was done about them.
    pub elsewhere: u64,
    /// Contacts that were deleted locally and restored because the service's record was edited since.
    pub brought_back: u64,
}

impl Merged {
    pub fn add(&mut self, other: Self) {
        self.added += other.added;
        self.changed += other.changed;
        self.removed += other.removed;
        self.questions += other.questions;
        self.elsewhere += other.elsewhere;
        self.brought_back += other.brought_back;
    }

    /// Writes the counts to the change log, so that pages are refreshed.
    pub fn tell(self, tx: &WriteTx) {
        let counts = [
            (Action::Created, self.added + self.brought_back),
            (Action::Updated, self.changed),
            (Action::Deleted, self.removed),
        ];
        for (action, count) in counts.into_iter().filter(|(_, count)| *count > 0) {
            tx.log(Change::bulk(Noun::Contact, action, count));
            tx.act(Act::new("sync_pull").count(count));
        }
    }
}

/// The settings of a merge.
pub struct Rules<'a> {
    core: &'a Core,
    now: Timestamp,
    policy: Policy,
}

impl<'a> Rules<'a> {
    pub fn of(core: &'a Core) -> Result<Self, Error> {
        Ok(Self { core, now: core.ctx().now(), policy: core.read(|tx| Ok(gather::policy(tx)?))? })
    }
}

/// Merges one contact with its present state at the service, or with its absence.
pub fn take(
    tx: &WriteTx,
    rules: &Rules<'_>,
    (list, id): (i64, i64),
    seen: Option<&Seen>,
    merged: &mut Merged,
) -> Result<(), Error> {
    let touched = changes::one::<i64>(tx, Place::Contacts, id)?;
    if seen.is_some() && touched.was_in.is_none() && touched.list.is_some_and(|home| home != list) {
        merged.elsewhere += 1;
        return Ok(());
    }
    let uid = touched.uid.clone();
    let decided = gather::decided(answers::of(tx, Place::Contacts, id)?).remove(&id).unwrap_or_default();
    let mut change = gather::change(touched, decided);
    change.remote = match seen.map(|seen| cells::row(&seen.cells)) {
        None if change.base.is_none() => There::AsBase,
        None => There::Gone,
        Some(row) if change.base.as_ref() == Some(&row) => There::AsBase,
        Some(row) => There::Is(row),
    };
    let aside = match &change.remote {
        There::AsBase => changes::There::AsAgreed,
        There::Gone => changes::There::Gone,
        There::Is(row) => changes::There::Is(cells::of(row)),
    };
    if hand_on(tx, rules, &change, seen, merged)? {
        return Ok(());
    }
    // A contact that was moved locally keeps its original list until it has arrived.
    let is_elsewhere = change.was_in.is_some_and(|home| home != list) && seen.is_some();
    let settled = if is_elsewhere { None } else { change.settle(&rules.policy).ok() };
    let Some(settled) = settled else {
        merged.questions += u64::from(aside != changes::There::AsAgreed && change.was_in.is_none());
        return Ok(changes::set_there(tx, Place::Contacts, &id, &aside)?);
    };
    let times = seen.map_or(Times::default(), |seen| seen.times);
    match (&settled.target, &change.local) {
        (Some(target), Some(local)) if target != local => {
            local::set_contact(tx, id, &cells::of(target), times.changed)?;
            merged.changed += 1;
        }
        (Some(target), None) => {
            let (cells, own) = (cells::of(target), own_uid(tx, rules.core, uid.as_deref())?);
            local::add_contact(tx, Added { id: Some(id), list, uid: &own, cells: &cells, times }, rules.now)?;
            merged.brought_back += u64::from(settled.note == Some(Note::DeletionDropped));
        }
        (None, Some(_)) => {
            local::remove_contact(tx, id, rules.now)?;
            merged.removed += 1;
        }
        _ => {}
    }
    answers::spend(tx, Place::Contacts, &id)?;
    match change.there() {
        Some(row) => {
            let uid = seen.map(|seen| seen.uid.as_str()).or(uid.as_deref());
            Ok(changes::agree(tx, Place::Contacts, &id, Some(list), uid, Some(&cells::of(row)))?)
        }
        None => {
            changes::forget(tx, Place::Contacts, id)?;
            Ok(changes::agree(tx, Place::Contacts, &id, Some(list), None, None)?)
        }
    }
}

/// Carries another writer's change of an old record over to the record that replaced it. Values that the user has
/// changed there and not sent yet stay.
fn hand_on(
    tx: &WriteTx,
    rules: &Rules<'_>,
    change: &ContactChange,
    seen: Option<&Seen>,
    merged: &mut Merged,
) -> Result<bool, Error> {
    let (Some(base), There::Is(row), Some(seen), None) = (&change.base, &change.remote, seen, &change.local) else {
        return Ok(false);
    };
    let Some(successor) = answers::successor(tx, Place::Contacts, change.id)? else { return Ok(false) };
    let new = changes::one::<i64>(tx, Place::Contacts, successor)?;
    let Some(own) = new.local.as_deref().map(cells::row) else { return Ok(false) };
    let sent = new.base.as_deref().map(cells::row);
    let mut target = own.clone();
    for Difference { field, .. } in base.differences(row) {
        let is_sent = sent.as_ref().is_some_and(|sent| sent.get(field) == own.get(field));
        if is_sent || own.get(field) == base.get(field) {
            target.set(field, row.get(field));
        }
    }
    if target != own {
        local::set_contact(tx, successor, &cells::of(&target), Some(rules.now.unix()))?;
        merged.changed += 1;
    }
    changes::agree(tx, Place::Contacts, &change.id, Some(change.list), Some(&seen.uid), Some(&cells::of(row)))?;
    Ok(true)
}

/// Returns the service's identifier if the record can take it, otherwise a new one.
pub fn own_uid(tx: &WriteTx, core: &Core, uid: Option<&str>) -> Result<String, Error> {
    match uid {
        Some(uid) if ContactId::parse(uid).is_ok() && !local::is_own_uid(tx, uid)? => Ok(uid.to_owned()),
        _ => Ok(ContactId::new(core.ctx().ksuid(core.ctx().now())).as_str().to_owned()),
    }
}

/// Adds a contact that is unknown locally. Its list does not count it yet.
fn come(
    tx: &WriteTx,
    rules: &Rules<'_>,
    contacts: &local::Contacts,
    (list, seen): (i64, &Seen),
) -> Result<bool, Error> {
    // A contact without a number can neither be stored nor receive anything.
    if cells::row(&seen.cells).keys().next().is_none() {
        return Ok(false);
    }
    let uid = own_uid(tx, rules.core, Some(&seen.uid))?;
    let added = Added { id: None, list, uid: &uid, cells: &seen.cells, times: seen.times };
    let id = contacts.add(tx, added, rules.now)?;
    if uid != seen.uid {
        ids::set(tx, Place::Contacts, id, &seen.uid)?;
    }
    Ok(true)
}

/// Identifies contacts that were created locally with contacts that appeared at the service, and returns the pairs. The
/// records that they replace are still to be deleted.
pub fn meet(tx: &WriteTx, list: i64, here: &[(i64, Row)]) -> Result<Vec<(i64, Seen)>, Error> {
    let numbers: Vec<String> = here.iter().flat_map(|(_, row)| row.keys()).map(|key| key.number).collect();
    if numbers.is_empty() {
        return Ok(Vec::new());
    }
    let strangers = scopes::strangers(tx, list, &numbers)?;
    let there: Vec<(&str, Row)> = strangers.iter().map(|seen| (seen.uid.as_str(), cells::row(&seen.cells))).collect();
    let there: Vec<(&str, &Row)> = there.iter().map(|(uid, row)| (*uid, row)).collect();
    let here: Vec<(i64, &Row)> = here.iter().map(|(id, row)| (*id, row)).collect();
    let mut met = Vec::new();
    for (id, uid) in adopt(&here, &there) {
        changes::supersede(tx, Place::Contacts, id)?;
        ids::set(tx, Place::Contacts, id, uid)?;
        answers::set(tx, Place::Contacts, &id, "choice", None)?;
        met.extend(strangers.iter().find(|seen| seen.uid == uid).map(|seen| (id, seen.clone())));
    }
    Ok(met)
}

/// Merges the observed rows of a list. If `is_whole`, a contact that was not seen no longer exists.
pub fn list(core: &Core, list: i64, is_whole: bool) -> Result<Merged, Error> {
    let rules = Rules::of(core)?;
    let mut all = core.write(&By::sync(), |tx| {
        let mut merged = Merged::default();
        let made = scopes::made_here(tx, list)?;
        let made: Vec<(i64, Row)> = made.into_iter().map(|(id, text)| (id, cells::row(&text))).collect();
        for (id, seen) in meet(tx, list, &made)? {
            take(tx, &rules, (list, id), Some(&seen), &mut merged)?;
        }
        merged.tell(tx);
        Ok::<_, Error>(merged)
    })?;
    let mut behind = String::new();
    loop {
        let (last, merged) = core.write(&By::sync(), |tx| {
            let mut merged = Merged::default();
            let rows = scopes::differing(tx, list, &behind, STRETCH)?;
            let contacts = local::Contacts::of(tx)?;
            for (seen, id) in &rows {
                match id {
                    Some(id) => take(tx, &rules, (list, *id), Some(seen), &mut merged)?,
                    None => merged.added += u64::from(come(tx, &rules, &contacts, (list, seen))?),
                }
            }
            if merged.added > 0 {
                local::count_in(tx, list, merged.added, rules.now)?;
            }
            merged.tell(tx);
            Ok::<_, Error>((rows.last().map(|(seen, _)| seen.uid.clone()), merged))
        })?;
        all.add(merged);
        match last {
            Some(last) => behind = last,
            None => break,
        }
    }
    let missing = if is_whole { core.read(|tx| Ok(scopes::missing(tx, list)?))? } else { Vec::new() };
    for part in missing.chunks(STRETCH as usize) {
        all.add(gone(core, list, part)?);
    }
    Ok(all)
}

/// Merges the absence of contacts that no longer exist at the service.
pub fn gone(core: &Core, list: i64, contacts: &[i64]) -> Result<Merged, Error> {
    let rules = Rules::of(core)?;
    core.write(&By::sync(), |tx| {
        let mut merged = Merged::default();
        for id in contacts {
            take(tx, &rules, (list, *id), None, &mut merged)?;
        }
        pull::told_removed(tx, Noun::Contact, merged.removed);
        Ok(merged)
    })
}

/// Applies what a person's answers settle, at once.
pub fn answered(core: &Core, contacts: &[i64]) -> Result<Merged, Error> {
    let rules = Rules::of(core)?;
    core.write(&By::sync(), |tx| {
        let mut merged = Merged::default();
        for id in contacts {
            let touched = changes::one::<i64>(tx, Place::Contacts, *id)?;
            let Some(list) = touched.was_in.or(touched.list) else { continue };
            let uid = touched.uid.unwrap_or_default();
            let seen = match touched.there {
                changes::There::AsAgreed => continue,
                changes::There::Gone => None,
                changes::There::Is(cells) => Some(Seen { uid, cells, times: Times::default() }),
            };
            take(tx, &rules, (list, *id), seen.as_ref(), &mut merged)?;
        }
        merged.tell(tx);
        Ok(merged)
    })
}
