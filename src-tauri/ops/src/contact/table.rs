//! Reads contacts as the screen shows them: pages of a list, single records, the same person in other lists, and a
//! contact's history.

use std::{collections::BTreeMap, sync::Arc};

use roost_model::{
    contact::{Contact, ContactField},
    custom_field::CustomField,
    id::{ContactId, ListId},
    page::{PageRequest, SortOrder},
    phone,
    time::Timestamp,
};
use roost_store::{
    change_log::Noun,
    tables::{
        contacts::{
            list_view::{self, ContactFilter, ContactWithOptOuts, OptOutReach},
            order, search,
        },
        custom_fields, lists,
    },
    tx::ReadTx,
};
use serde::Serialize;

use super::fields;
use crate::core::list_cache::OrderKey;
use roost_spelling::number;

use crate::{
    core::Core,
    error::{OrNotFound, Result},
    history::{self, RecordChange},
};

/// A contact with its fields by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ContactCard {
    pub uid: ContactId,
    pub list_uid: ListId,
    /// The fields that are filled, by name: `phone_number`, `phone_region`, `title`, `field_3`.
    pub values: BTreeMap<String, String>,
    pub created_at: Timestamp,
    /// The time of the last change, or `None` if the contact was never changed.
    pub updated_at: Option<Timestamp>,
    /// The scope in which its phone number is opted out of SMS.
    pub sms: OptOutReach,
    /// The scope in which its WhatsApp number is opted out of WhatsApp.
    pub whatsapp: OptOutReach,
}

pub fn to_card(seen: ContactWithOptOuts, custom: &[u32]) -> ContactCard {
    let ContactWithOptOuts { contact, sms, whatsapp } = seen;
    let values = fields::stored_fields(custom)
        .into_iter()
        .filter_map(|field| Some((field.name().into_owned(), fields::field_value(&contact, field, custom)?)))
        .collect();
    let Contact { uid, list, created_at, updated_at, .. } = contact;
    ContactCard { uid, list_uid: list, values, created_at, updated_at, sms, whatsapp }
}

/// The contacts of a list to return, and their order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableQuery {
    pub list: ListId,
    pub which: ContactFilter,
    /// The name of the field to sort by. If `None`, the newest contacts come first.
    pub sort: Option<(String, SortOrder)>,
    pub page: PageRequest,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TablePage {
    pub total_items: u64,
    pub items: Vec<ContactCard>,
    /// The custom fields in the order of the screen.
    pub custom_fields: Vec<CustomField>,
}

/// Returns one page of a list as a table.
pub fn read_table_page(core: &Core, query: &TableQuery) -> Result<TablePage> {
    let generation = core.generation();
    core.read(|tx| {
        let row = lists::row_of(tx, &query.list)?.or_not_found(Noun::List, &query.list)?;
        let custom = custom_fields::defined_numbers(tx)?;
        let sort = match &query.sort {
            Some((name, order)) => Some((fields::find_sortable_field(tx, name, "sort.field")?, *order)),
            None => None,
        };
        // An index holds the newest contacts first, and sorting by the creation time gives the same order.
        let is_newest = matches!(sort, None | Some((ContactField::CreatedAt, SortOrder::Descending)));
        let (total_items, ids) = if query.which.is_all() && is_newest {
            let total = lists::get(tx, &query.list)?.map_or(0, |list| list.contact_count);
            (total, list_view::newest_ids(tx, row, query.page.offset(), query.page.size)?)
        } else {
            let key = OrderKey { list: query.list.clone(), which: query.which.clone(), sort, generation };
            let all = match core.list_cache().find_order(&key) {
                Some(ids) => ids,
                None => core.list_cache().insert_order(key, order::sorted_ids(tx, row, &query.which, &custom, sort)?),
            };
            (all.len() as u64, page_slice(&all, query.page))
        };
        let items = list_view::read_by_ids(tx, &ids, &custom)?.into_iter().map(|seen| to_card(seen, &custom)).collect();
        Ok(TablePage { total_items, items, custom_fields: custom_fields::read_in_order(tx)? })
    })
}

fn page_slice(ids: &Arc<Vec<i64>>, page: PageRequest) -> Vec<i64> {
    ids.iter().skip(page.offset() as usize).take(page.size as usize).copied().collect()
}

pub fn get(core: &Core, uid: &ContactId) -> Result<ContactCard> {
    core.read(|tx| read_card(tx, uid))
}

pub fn read_card(tx: &ReadTx, uid: &ContactId) -> Result<ContactCard> {
    let custom = custom_fields::defined_numbers(tx)?;
    Ok(to_card(list_view::get(tx, uid, &custom)?.or_not_found(Noun::Contact, uid)?, &custom))
}

/// The numbers that a contact shares with another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum SharedNumber {
    Phone,
    Whatsapp,
    Both,
}

/// A contact with the same number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ContactWithSameNumber {
    pub uid: ContactId,
    pub list_uid: ListId,
    pub list_name: String,
    pub name: String,
    pub phone_number: Option<String>,
    pub whatsapp_id: Option<String>,
    pub shared: SharedNumber,
}

/// The maximum number of lists searched for a number by one command.
const LISTS_PROBED: u32 = 5_000;

/// Returns the other contacts of any list that share a number with this one.
pub fn find_elsewhere(core: &Core, uid: &ContactId) -> Result<Vec<ContactWithSameNumber>> {
    core.read(|tx| {
        let me = search::find_by_uid(tx, uid)?.or_not_found(Noun::Contact, uid)?;
        let lists = search::lists_from(tx, 0, LISTS_PROBED)?;
        let found = search::find_by_numbers(tx, &lists, me.phone.as_deref(), me.whatsapp.as_deref())?;
        let mine = |number: &Option<String>| number.is_some() && (*number == me.phone || *number == me.whatsapp);
        let others = found.into_iter().filter(|other| other.id != me.id).map(|other| ContactWithSameNumber {
            shared: match (mine(&other.phone), mine(&other.whatsapp)) {
                (true, true) => SharedNumber::Both,
                (false, true) => SharedNumber::Whatsapp,
                (_, false) => SharedNumber::Phone,
            },
            name: full_name(other.firstname.as_deref(), other.lastname.as_deref()),
            uid: other.uid,
            list_uid: other.list,
            list_name: other.list_name,
            phone_number: other.phone,
            whatsapp_id: other.whatsapp,
        });
        Ok(others.collect())
    })
}

pub fn full_name(first: Option<&str>, last: Option<&str>) -> String {
    [first, last].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// Returns every recorded change, newest first, with fields named as in contacts.
pub fn read_history(core: &Core, uid: &ContactId) -> Result<Vec<RecordChange>> {
    let mut changes = history::read_record_history(core, Noun::Contact, uid.as_str())?;
    for change in &mut changes {
        for field in &mut change.fields {
            if let Some(known) = list_view::field_of(&field.field) {
                field.field = known.name().into_owned();
            }
        }
    }
    Ok(changes)
}

/// What is known of a number while it is typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberReading {
    pub reading: phone::TypedNumber,
    /// The region in which the number was read.
    pub region: String,
}

/// Reads a number as it would be stored for an existing or a new contact, in the given region or in that of the
/// account.
pub fn read_number(
    core: &Core,
    text: &str,
    region: Option<&str>,
    contact: Option<&ContactId>,
) -> Result<NumberReading> {
    core.read(|tx| {
        let usual = fields::choose_region(tx, core.ctx(), region)?;
        let of_contact =
            contact.filter(|_| region.is_none()).map(|uid| list_view::get(tx, uid, &[])).transpose()?.flatten();
        let own = of_contact.and_then(|seen| fields::own_region(&seen.contact));
        let region = fields::region_near(text, usual, own);
        let reading = match number::read_number(text, region) {
            Some(phone) => phone::TypedNumber::Valid(phone::format_number(phone)),
            None => phone::read_typed(text, region),
        };
        Ok(NumberReading { reading, region: region.code() })
    })
}
