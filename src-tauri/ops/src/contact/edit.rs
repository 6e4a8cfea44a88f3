//! Changes single contacts: adds, pastes, updates and deletes them.

use roost_model::{
    channel::Channel,
    contact::{Contact, ContactField},
    error::FieldError,
    id::{ContactId, ListId},
    phone::Region,
};
use roost_store::{
    change_log::{ChangeAction, ChangeLogEntry, Noun},
    tables::{
        contacts::{self, ContactInserter, grid::drafts, list_view},
        custom_fields,
        lists::{self, ListRow},
        opt_outs,
    },
    tx::{ActDescription, ReadTx, WriteTx},
};
use serde::Serialize;

use super::{
    fields::{self, FieldValues},
    table::{self, ContactCard},
};
use crate::{
    core::{Actor, Core},
    error::{Error, OrNotFound, Result},
    opt_out::{ContactNumbers, LostOptOut, collect_lost_opt_outs},
};

/// Adds a contact to a list.
pub fn add(core: &Core, by: &Actor, list: &ListId, values: &FieldValues, region: Option<&str>) -> Result<ContactCard> {
    Ok(add_row(core, by, list, values, region)?.0)
}

/// Adds a contact and also returns its row and step.
pub fn add_row(
    core: &Core,
    by: &Actor,
    list: &ListId,
    values: &FieldValues,
    region: Option<&str>,
) -> Result<(ContactCard, i64, i64)> {
    core.write(by, |tx| {
        let row = lists::row_of(tx, list)?.or_not_found(Noun::List, list)?;
        let custom = custom_fields::defined_numbers(tx)?;
        let contact = build_contact(core, list, values, &custom, fields::choose_region(tx, core.ctx(), region)?)?;
        let id = ContactInserter::new(tx, row, &custom)?.insert(&contact)?;
        lists::touch(tx, row, contact.created_at, 1)?;
        tx.describe_act(
            ActDescription::new("contact_add").with_subject(fields::contact_title(&contact)).with_uid(&contact.uid),
        );
        tx.log_change(ChangeLogEntry::single(Noun::Contact, ChangeAction::Created, &contact.uid));
        tx.log_change(ChangeLogEntry::single(Noun::List, ChangeAction::Updated, list));
        Ok((table::read_card(tx, &contact.uid)?, id, tx.step()))
    })
}

/// The maximum number of rows in one paste.
pub const PASTE_MAX: usize = 10_000;

/// The result of a paste.
#[derive(Debug, Clone, PartialEq)]
pub struct PasteSummary {
    pub added: u64,
    /// The rows that were left out, counted from 0, with the errors of each.
    pub faults: Vec<(usize, Vec<FieldError>)>,
}

/// Information about the numbers of a row that can be added.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "PasteRow"))]
pub struct PastedRow {
    /// Counted from 0.
    pub row: usize,
    pub numbers: Vec<String>,
    /// Whether a contact of the list has one of the numbers.
    pub is_in_list: bool,
    /// Whether one of the numbers is opted out on its channel.
    pub is_opted_out: bool,
}

impl PastedRow {
    fn from_contact(tx: &ReadTx, list: ListRow, row: usize, contact: &Contact) -> Result<Self> {
        let mut pasted = Self { row, numbers: Vec::new(), is_in_list: false, is_opted_out: false };
        for (channel, phone) in [(Channel::Sms, &contact.phone), (Channel::WhatsApp, &contact.whatsapp)] {
            let Some(phone) = phone else { continue };
            pasted.is_in_list |= contacts::count_with_number(tx, list, &phone.e164)? > 0;
            pasted.is_opted_out |= !opt_outs::read_scopes(tx, &phone.e164, channel)?.is_empty();
            if !pasted.numbers.contains(&phone.e164) {
                pasted.numbers.push(phone.e164.clone());
            }
        }
        Ok(pasted)
    }
}

/// Returns what a paste would do without doing it, with information about the numbers of the rows that can be added.
pub fn preview_paste(
    core: &Core,
    list: &ListId,
    rows: &[FieldValues],
    region: Option<&str>,
) -> Result<(PasteSummary, Vec<PastedRow>)> {
    check_pasted(rows)?;
    core.read(|tx| {
        let list_row = lists::row_of(tx, list)?.or_not_found(Noun::List, list)?;
        let custom = custom_fields::defined_numbers(tx)?;
        let region = fields::choose_region(tx, core.ctx(), region)?;
        let (mut pasted, mut known) = (PasteSummary { added: 0, faults: Vec::new() }, Vec::new());
        for (at, values) in rows.iter().enumerate() {
            match build_contact(core, list, values, &custom, region) {
                Ok(contact) => {
                    pasted.added += 1;
                    known.push(PastedRow::from_contact(tx, list_row, at, &contact)?);
                }
                Err(Error::Invalid { faults }) => pasted.faults.push((at, faults)),
                Err(other) => return Err(other),
            }
        }
        Ok((pasted, known))
    })
}

fn check_pasted(rows: &[FieldValues]) -> Result<()> {
    if rows.len() > PASTE_MAX {
        return Err(FieldError::new("contacts", format!("Give at most {PASTE_MAX} at once."), rows.len()).into());
    }
    Ok(())
}

/// Adds pasted contacts in one act. Invalid rows are left out and returned.
pub fn paste(
    core: &Core,
    by: &Actor,
    list: &ListId,
    rows: &[FieldValues],
    region: Option<&str>,
) -> Result<PasteSummary> {
    check_pasted(rows)?;
    core.write(by, |tx| {
        let row = lists::row_of(tx, list)?.or_not_found(Noun::List, list)?;
        let custom = custom_fields::defined_numbers(tx)?;
        let region = fields::choose_region(tx, core.ctx(), region)?;
        let mut inserter = ContactInserter::new(tx, row, &custom)?;
        let mut pasted = PasteSummary { added: 0, faults: Vec::new() };
        tx.expect_rows(rows.len() as u64);
        for (at, values) in rows.iter().enumerate() {
            tx.check_cancelled()?;
            match build_contact(core, list, values, &custom, region) {
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
            tx.describe_act(
                ActDescription::new("contact_paste").with_subject(name).with_uid(list).with_count(pasted.added),
            );
            tx.log_change(ChangeLogEntry::many(Noun::Contact, ChangeAction::Created, list, pasted.added));
            tx.log_change(ChangeLogEntry::single(Noun::List, ChangeAction::Updated, list));
        }
        Ok(pasted)
    })
}

/// Builds a new contact from the values that were filled in.
fn build_contact(core: &Core, list: &ListId, values: &FieldValues, custom: &[u32], region: Region) -> Result<Contact> {
    build_checked_contact(core, list, &fields::check_values(values, custom, |_| region)?, custom)
}

/// Builds a new contact from checked fields.
pub fn build_checked_contact(
    core: &Core,
    list: &ListId,
    settled: &fields::CheckedFields,
    custom: &[u32],
) -> Result<Contact> {
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
    let contact = with_fields(empty, settled, custom);
    if contact.phone.is_none() && contact.whatsapp.is_none() {
        return Err(fields::no_number_error());
    }
    Ok(contact)
}

/// Returns the contact with the given fields set.
fn with_fields(mut contact: Contact, settled: &fields::CheckedFields, custom: &[u32]) -> Contact {
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

/// A contact as it is after a change.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct UpdatedContact {
    #[serde(flatten)]
    pub card: ContactCard,
    /// The opt-outs that the new numbers lack.
    pub lost_opt_outs: Vec<LostOptOut>,
}

/// Sets the named fields and leaves the others unchanged. Writes nothing if all values are the same as before.
pub fn update(
    core: &Core,
    by: &Actor,
    uid: &ContactId,
    values: &FieldValues,
    region: Option<&str>,
) -> Result<UpdatedContact> {
    core.write(by, |tx| {
        let custom = custom_fields::defined_numbers(tx)?;
        let before = list_view::get(tx, uid, &custom)?.or_not_found(Noun::Contact, uid)?.contact;
        let row = list_view::list_of(tx, uid)?.or_not_found(Noun::Contact, uid)?;
        let (usual, own) = (fields::choose_region(tx, core.ctx(), region)?, fields::own_region(&before));
        let own = own.filter(|_| region.is_none());
        let mut settled = fields::check_values(values, &custom, |text| fields::region_near(text, usual, own))?;
        let dropped = drop_drafts(tx, uid, &settled)?;
        settled.retain(|(field, text)| fields::field_value(&before, *field, &custom) != *text);
        if settled.is_empty() {
            if dropped > 0 {
                tx.describe_act(
                    ActDescription::new("contact_update").with_subject(fields::contact_title(&before)).with_uid(uid),
                );
                tx.log_change(ChangeLogEntry::single(Noun::Contact, ChangeAction::Updated, uid));
            }
            return Ok(UpdatedContact { card: table::read_card(tx, uid)?, lost_opt_outs: Vec::new() });
        }
        let (list, numbers) = (before.list.clone(), ContactNumbers::from_contact(&before));
        let after = with_fields(before, &settled, &custom);
        if after.phone.is_none() && after.whatsapp.is_none() {
            return Err(fields::no_number_error());
        }
        let mut lost_opt_outs = Vec::new();
        collect_lost_opt_outs(tx, &[numbers], &ContactNumbers::from_contact(&after), &mut lost_opt_outs)?;
        let now = core.ctx().now();
        list_view::set_fields(tx, uid, &settled, now)?;
        lists::touch(tx, row, now, 0)?;
        tx.describe_act(
            ActDescription::new("contact_update").with_subject(fields::contact_title(&after)).with_uid(uid),
        );
        tx.log_change(ChangeLogEntry::single(Noun::Contact, ChangeAction::Updated, uid));
        tx.log_change(ChangeLogEntry::single(Noun::List, ChangeAction::Updated, &list));
        Ok(UpdatedContact { card: table::read_card(tx, uid)?, lost_opt_outs })
    })
}

/// Removes drafts of the fields that are set now.
fn drop_drafts(tx: &WriteTx, uid: &ContactId, settled: &fields::CheckedFields) -> Result<u64> {
    if !drafts::has_any(tx)? {
        return Ok(0);
    }
    let names: Vec<_> = settled.iter().map(|(field, _)| field.name()).collect();
    let names: Vec<&str> = names.iter().map(|name| name.as_ref()).collect();
    let row = list_view::row_of(tx, uid)?.or_not_found(Noun::Contact, uid)?;
    Ok(drafts::remove_drafts(tx, row, &names)?)
}

/// Deletes one contact, as the interface does.
pub fn delete(core: &Core, by: &Actor, uid: &ContactId) -> Result<()> {
    core.write(by, |tx| {
        let list = contacts::delete(tx, uid, core.ctx().now())?.or_not_found(Noun::Contact, uid)?;
        tx.log_change(ChangeLogEntry::single(Noun::Contact, ChangeAction::Deleted, uid));
        tx.log_change(ChangeLogEntry::single(Noun::List, ChangeAction::Updated, list));
        Ok(())
    })
}
