//! Changing contacts: one by its fields, many by deleting, moving and copying.

use roost_model::{
    contact::{Contact, ContactField},
    error::Fault,
    id::{ContactId, ListId},
    phone::Region,
};
use roost_store::{
    change_log::{Action, Change, Noun},
    tables::{
        batch::Key,
        contacts::{
            self, Inserter,
            grid::drafts,
            picked::{Picked, Way},
            view::{self, Which},
        },
        custom_fields, lists,
        steps::Act,
    },
    tx::WriteTx,
};

pub use roost_store::tables::contacts::picked::{Duplicates, Placed};

use super::{
    fields::{self, FieldValues},
    table::{self, ContactCard},
};
use crate::{
    core::{By, Core},
    error::{Error, OrNotFound, Result},
};

/// Adds a contact to a list.
pub fn add(core: &Core, by: &By, list: &ListId, values: &FieldValues, region: Option<&str>) -> Result<ContactCard> {
    Ok(add_row(core, by, list, values, region)?.0)
}

/// The same, with its row and the step it was.
pub(crate) fn add_row(
    core: &Core,
    by: &By,
    list: &ListId,
    values: &FieldValues,
    region: Option<&str>,
) -> Result<(ContactCard, i64, i64)> {
    core.write(by, |tx| {
        let row = lists::row_of(tx, list)?.or_not_found(Noun::List, list)?;
        let custom = custom_fields::numbers(tx)?;
        let contact = settled(core, list, values, &custom, fields::region(tx, region, Some(row))?)?;
        let id = Inserter::new(tx, row, &custom)?.insert(&contact)?;
        lists::touch(tx, row, contact.created_at, 1)?;
        tx.act(Act::new("contact_add").subject(fields::title(&contact)).uid(&contact.uid));
        tx.log(Change::one(Noun::Contact, Action::Created, &contact.uid));
        tx.log(Change::one(Noun::List, Action::Updated, list));
        Ok((table::read(tx, &contact.uid)?, id, tx.step()))
    })
}

/// Most rows one paste takes.
pub const PASTE_MAX: usize = 10_000;

/// What came of pasted rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Pasted {
    pub added: u64,
    /// Rows that were left out, counted from zero, with what is wrong with each.
    pub faults: Vec<(usize, Vec<Fault>)>,
}

/// What pasting would do, without doing it.
pub fn rehearse(core: &Core, list: &ListId, rows: &[FieldValues], region: Option<&str>) -> Result<Pasted> {
    check_pasted(rows)?;
    core.read(|tx| {
        let row = lists::row_of(tx, list)?.or_not_found(Noun::List, list)?;
        let custom = custom_fields::numbers(tx)?;
        let region = fields::region(tx, region, Some(row))?;
        let mut pasted = Pasted { added: 0, faults: Vec::new() };
        for (at, values) in rows.iter().enumerate() {
            match settled(core, list, values, &custom, region) {
                Ok(_) => pasted.added += 1,
                Err(Error::Invalid { faults }) => pasted.faults.push((at, faults)),
                Err(other) => return Err(other),
            }
        }
        Ok(pasted)
    })
}

fn check_pasted(rows: &[FieldValues]) -> Result<()> {
    if rows.len() > PASTE_MAX {
        return Err(Fault::new("contacts", format!("Give at most {PASTE_MAX} at once."), rows.len()).into());
    }
    Ok(())
}

/// Adds pasted contacts in one act; rows with a fault are left out and told.
pub fn paste(core: &Core, by: &By, list: &ListId, rows: &[FieldValues], region: Option<&str>) -> Result<Pasted> {
    check_pasted(rows)?;
    core.write(by, |tx| {
        let row = lists::row_of(tx, list)?.or_not_found(Noun::List, list)?;
        let custom = custom_fields::numbers(tx)?;
        let region = fields::region(tx, region, Some(row))?;
        let mut inserter = Inserter::new(tx, row, &custom)?;
        let mut pasted = Pasted { added: 0, faults: Vec::new() };
        tx.expect_rows(rows.len() as u64);
        for (at, values) in rows.iter().enumerate() {
            tx.check()?;
            match settled(core, list, values, &custom, region) {
                Ok(contact) => {
                    inserter.insert(&contact)?;
                    pasted.added += 1;
                }
                Err(Error::Invalid { faults }) => pasted.faults.push((at, faults)),
                Err(other) => return Err(other),
            }
        }
        if pasted.added > 0 {
            let name = lists::get(tx, list)?.map_or_else(String::new, |list| list.name);
            lists::touch(tx, row, core.ctx().now(), pasted.added as i64)?;
            tx.act(Act::new("contact_paste").subject(name).uid(list).count(pasted.added));
            tx.log(Change::many(Noun::Contact, Action::Created, list, pasted.added));
            tx.log(Change::one(Noun::List, Action::Updated, list));
        }
        Ok(pasted)
    })
}

/// A new contact of what was filled in.
fn settled(core: &Core, list: &ListId, values: &FieldValues, custom: &[u32], region: Region) -> Result<Contact> {
    made(core, list, &fields::settle(values, custom, region)?, custom)
}

/// A new contact of fields that were checked.
pub(crate) fn made(core: &Core, list: &ListId, settled: &fields::Settled, custom: &[u32]) -> Result<Contact> {
    let now = core.ctx().now();
    let empty = Contact {
        uid: ContactId::new(core.ctx().ksuid(now)),
        list: list.clone(),
        phone: None,
        whatsapp: None,
        attributes: Default::default(),
        custom: vec![None; custom.len()],
        created_at: now,
        updated_at: None,
    };
    let contact = with(empty, settled, custom);
    if contact.phone.is_none() && contact.whatsapp.is_none() {
        return Err(fields::no_number());
    }
    Ok(contact)
}

/// A contact with some fields set.
fn with(mut contact: Contact, settled: &fields::Settled, custom: &[u32]) -> Contact {
    let number = |field: ContactField, region: ContactField| {
        let text = |wanted| settled.iter().find(|(field, _)| *field == wanted).map(|(_, text)| text.clone());
        text(field).map(|e164| {
            e164.map(|e164| roost_model::phone::Phone { e164, region: text(region).flatten().unwrap_or_default() })
        })
    };
    if let Some(phone) = number(ContactField::PhoneNumber, ContactField::PhoneRegion) {
        contact.phone = phone;
    }
    if let Some(whatsapp) = number(ContactField::WhatsappId, ContactField::WhatsappRegion) {
        contact.whatsapp = whatsapp;
    }
    for (field, text) in settled {
        match field {
            ContactField::Attribute(attribute) => contact.attributes[*attribute as usize] = text.clone(),
            ContactField::Custom(number) => {
                if let Some(at) = custom.iter().position(|n| n == number) {
                    contact.custom[at] = text.clone();
                }
            }
            _ => {}
        }
    }
    contact
}

/// Sets the fields named; the others stay. Nothing is written when all are as they were.
pub fn update(
    core: &Core,
    by: &By,
    uid: &ContactId,
    values: &FieldValues,
    region: Option<&str>,
) -> Result<ContactCard> {
    core.write(by, |tx| {
        let custom = custom_fields::numbers(tx)?;
        let before = view::get(tx, uid, &custom)?.or_not_found(Noun::Contact, uid)?.contact;
        let row = view::list_of(tx, uid)?.or_not_found(Noun::Contact, uid)?;
        let own = before.phone.as_ref().or(before.whatsapp.as_ref()).map(|phone| phone.region.clone());
        // A contact's own region tells more than its list's, unless its number is of no country.
        let own = own.filter(|code| roost_model::phone::Region::parse(code).is_some());
        let region = fields::region(tx, region.or(own.as_deref()), Some(row))?;
        let mut settled = fields::settle(values, &custom, region)?;
        let gone = drop_drafts(tx, uid, &settled)?;
        settled.retain(|(field, text)| fields::value(&before, *field, &custom) != *text);
        if settled.is_empty() {
            if gone > 0 {
                tx.act(Act::new("contact_update").subject(fields::title(&before)).uid(uid));
                tx.log(Change::one(Noun::Contact, Action::Updated, uid));
            }
            return table::read(tx, uid);
        }
        let list = before.list.clone();
        let after = with(before, &settled, &custom);
        if after.phone.is_none() && after.whatsapp.is_none() {
            return Err(fields::no_number());
        }
        let now = core.ctx().now();
        view::set(tx, uid, &settled, now)?;
        lists::touch(tx, row, now, 0)?;
        tx.act(Act::new("contact_update").subject(fields::title(&after)).uid(uid));
        tx.log(Change::one(Noun::Contact, Action::Updated, uid));
        tx.log(Change::one(Noun::List, Action::Updated, &list));
        table::read(tx, uid)
    })
}

/// What was typed into cells before gives way to what is set now.
fn drop_drafts(tx: &WriteTx, uid: &ContactId, settled: &fields::Settled) -> Result<u64> {
    if !drafts::any(tx)? {
        return Ok(0);
    }
    let names: Vec<_> = settled.iter().map(|(field, _)| field.name()).collect();
    let names: Vec<&str> = names.iter().map(|name| name.as_ref()).collect();
    let row = view::row_of(tx, uid)?.or_not_found(Noun::Contact, uid)?;
    Ok(drafts::remove(tx, row, &names)?)
}

/// The contacts of an act on many.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    Uids(Vec<ContactId>),
    /// Rows of a list, as views hold them; those that are gone are passed over.
    Rows {
        list: ListId,
        ids: Vec<i64>,
    },
    /// All of a list that fit.
    Matching {
        list: ListId,
        which: Which,
    },
}

fn pick<'t, 'c>(tx: &'t WriteTx<'c>, target: &Target) -> Result<Picked<'t, 'c>> {
    match target {
        Target::Uids(uids) => {
            let picked = Picked::by_uid(tx, uids)?;
            if let ([uid], 0) = (uids.as_slice(), picked.count()?) {
                return None.or_not_found(Noun::Contact, uid);
            }
            Ok(picked)
        }
        Target::Rows { list, ids } => {
            Ok(Picked::by_row(tx, lists::row_of(tx, list)?.or_not_found(Noun::List, list)?, ids)?)
        }
        Target::Matching { list, which } => {
            let row = lists::row_of(tx, list)?.or_not_found(Noun::List, list)?;
            let picked = Picked::none(tx)?;
            picked.add(row, which, &custom_fields::numbers(tx)?, Key::Phone)?;
            Ok(picked)
        }
    }
}

/// Names the act by its one contact, or by the list they are all in.
fn act(tx: &WriteTx, name: &'static str, picked: &Picked, target: &Target, count: u64) -> Result<Act> {
    let mut act = Act::new(name).count(count);
    if let (Target::Uids(uids), 1) = (target, count)
        && let [uid] = uids.as_slice()
    {
        if let Some(seen) = view::get(tx, uid, &[])? {
            act = act.subject(fields::title(&seen.contact)).uid(uid);
        }
    } else if let [(_, list, _)] = picked.sources()?.as_slice()
        && let Some(list) = lists::get(tx, list)?
    {
        act = act.subject(list.name).uid(list.uid);
    }
    Ok(act)
}

fn log_lists(tx: &WriteTx, action: Action, lists: &[(lists::ListRow, ListId, u64)]) {
    for (_, list, count) in lists {
        tx.log(Change::many(Noun::Contact, action, list, *count));
        tx.log(Change::one(Noun::List, Action::Updated, list));
    }
}

/// Deletes contacts into the trash; answers how many. None is no fault: what is gone is gone.
pub fn delete_many(core: &Core, by: &By, target: &Target) -> Result<u64> {
    Ok(delete_rows(core, by, target)?.0)
}

/// The same, and the step it was.
pub(crate) fn delete_rows(core: &Core, by: &By, target: &Target) -> Result<(u64, i64)> {
    core.write(by, |tx| {
        let picked = pick(tx, target)?;
        let count = picked.count()?;
        if count == 0 {
            return Ok((0, tx.step()));
        }
        tx.act(act(tx, "contact_delete", &picked, target, count)?.into_trash(Noun::Contact));
        let sources = picked.sources()?;
        picked.delete(core.ctx().now())?;
        log_lists(tx, Action::Deleted, &sources);
        Ok((count, tx.step()))
    })
}

/// Moves contacts to another list; those that are there already stay. They keep uid and times.
pub fn move_many(core: &Core, by: &By, target: &Target, to: &ListId) -> Result<u64> {
    Ok(move_rows(core, by, target, to, Duplicates::Keep)?.0.placed)
}

/// The same, with what becomes of those whose number is there already: left where they are when they are skipped, gone
/// into the others when they are merged. Answers the rows that left as well.
pub(crate) fn move_rows(
    core: &Core,
    by: &By,
    target: &Target,
    to: &ListId,
    duplicates: Duplicates,
) -> Result<(Placed, Vec<i64>, i64)> {
    core.write(by, |tx| {
        let row = lists::row_of(tx, to)?.or_not_found(Noun::List, to)?;
        let picked = pick(tx, target)?;
        picked.leave_out_of(row)?;
        let count = picked.count()?;
        if count == 0 {
            return Ok((Placed::default(), Vec::new(), tx.step()));
        }
        let act = act(tx, "contact_move", &picked, target, count)?;
        picked.send_to(row)?;
        let placed = place(core, tx, &picked, Way::Move, duplicates)?;
        picked.delete_givers(core.ctx().now())?;
        if placed.placed + placed.merged > 0 {
            tx.act(act.count(placed.placed + placed.merged));
            log_lists(tx, Action::Updated, &picked.sources()?);
            tx.log(Change::one(Noun::List, Action::Updated, to));
        }
        Ok((placed, picked.contacts()?, tx.step()))
    })
}

/// Copies contacts to a list, where they are new.
pub fn copy_many(core: &Core, by: &By, target: &Target, to: &ListId, duplicates: Duplicates) -> Result<Placed> {
    Ok(copy_rows(core, by, target, to, duplicates)?.0)
}

/// The same, and the step it was.
pub(crate) fn copy_rows(
    core: &Core,
    by: &By,
    target: &Target,
    to: &ListId,
    duplicates: Duplicates,
) -> Result<(Placed, i64)> {
    core.write(by, |tx| {
        let row = lists::row_of(tx, to)?.or_not_found(Noun::List, to)?;
        let picked = pick(tx, target)?;
        let count = picked.count()?;
        if count == 0 {
            return Ok((Placed::default(), tx.step()));
        }
        let act = act(tx, "contact_copy", &picked, target, count)?;
        picked.send_to(row)?;
        let placed = place(core, tx, &picked, Way::Copy, duplicates)?;
        if placed.placed + placed.merged > 0 {
            tx.act(act.count(placed.placed + placed.merged));
            tx.log(Change::many(Noun::Contact, Action::Created, to, placed.placed));
            tx.log(Change::one(Noun::List, Action::Updated, to));
        }
        Ok((placed, tx.step()))
    })
}

pub(crate) fn place(core: &Core, tx: &WriteTx, picked: &Picked, way: Way, duplicates: Duplicates) -> Result<Placed> {
    let now = core.ctx().now();
    let custom = custom_fields::numbers(tx)?;
    Ok(picked.place(way, duplicates, now, &custom, || ContactId::new(core.ctx().ksuid(now)))?)
}

/// How many contacts an act would be done to.
pub fn count(core: &Core, target: &Target) -> Result<u64> {
    match target {
        Target::Uids(uids) => Ok(uids.len() as u64),
        Target::Rows { ids, .. } => Ok(ids.len() as u64),
        Target::Matching { list, which } => core.read(|tx| {
            let row = lists::row_of(tx, list)?.or_not_found(Noun::List, list)?;
            Ok(view::count(tx, row, which, &custom_fields::numbers(tx)?)?)
        }),
    }
}

/// Uids as they were sent; every malformed one is a fault of its own.
pub fn parse_uids(uids: &[String], path: &str) -> Result<Vec<ContactId>> {
    let (mut parsed, mut faults) = (Vec::with_capacity(uids.len()), Vec::new());
    for (i, uid) in uids.iter().enumerate() {
        match ContactId::parse(uid) {
            Ok(uid) => parsed.push(uid),
            Err(error) => faults.push(Fault::new(format!("{path}[{i}]"), error.to_string(), uid.as_str())),
        }
    }
    if faults.is_empty() { Ok(parsed) } else { Err(crate::Error::Invalid { faults }) }
}

/// Deletes one contact: the interface's act.
pub fn delete(core: &Core, by: &By, uid: &ContactId) -> Result<()> {
    core.write(by, |tx| {
        let list = contacts::delete(tx, uid, core.ctx().now())?.or_not_found(Noun::Contact, uid)?;
        tx.log(Change::one(Noun::Contact, Action::Deleted, uid));
        tx.log(Change::one(Noun::List, Action::Updated, list));
        Ok(())
    })
}
