//! Commands on contacts: reading and editing them, their fields and their history.

pub(super) mod clean;
pub(super) mod duplicate;
pub(super) mod grid;
mod number;
mod paste;

use roost_model::{
    custom_field::CustomField,
    id::ContactId,
    page::{self, PageRequest, SortOrder},
};
use roost_ops::{
    Actor,
    contact::{
        self as act, ContactCard, ContactFilter, ContactWithSameNumber, FieldInfo, FieldValues, TableQuery,
        UpdatedContact,
    },
    history::RecordChange,
};
use serde::{Deserialize, Serialize};

pub(super) use self::{number::*, paste::*};

use super::list::list_id;
use crate::{
    accounts::App,
    error::CommandError,
    reading::{self, read_page_request},
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct ContactPage {
    /// The UID of a list.
    pub list: String,
    pub page_number: u32,
    pub page_size: u32,
    /// Null means newest first. Blank values come last in both directions.
    pub sort: Option<ContactSort>,
    /// Part of any text, or of a number in any spelling.
    pub filter: Option<String>,
    /// True shows contacts that opted out of at least one channel, false those that opted out of none. Null shows both.
    pub opted_out: Option<bool>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct ContactSort {
    /// A field name of contacts, such as `phone_number`, `lastname`, `field_3` or `created_at`.
    pub field: String,
    pub order: SortOrder,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct ContactPageResponse {
    pub total_items: u64,
    pub total_pages: u64,
    pub items: Vec<ContactCard>,
    /// The custom fields in the order of the screen.
    pub fields: Vec<CustomField>,
}

/// A contact by its UID.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct ContactUid {
    pub uid: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct ContactUpdate {
    pub uid: String,
    /// The fields to set. Others stay as they are. Null clears a field.
    #[cfg_attr(feature = "ts", ts(type = "{ [field: string]: string | null }"))]
    pub fields: FieldValues,
    /// The region of numbers without a country code. Null means that of the contact's own number, or of the account.
    pub region: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct ContactFields {
    /// The UID of a list. Custom fields that hold dates in this list are reported as date fields.
    #[serde(default)]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub list: Option<String>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct ContactFieldsAnswer {
    /// Every field that can be filled in, in the order of the screen.
    pub fields: Vec<FieldInfo>,
}

/// The other contacts, in any list, that share a number with a contact.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct ContactElsewhere {
    pub items: Vec<ContactWithSameNumber>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct ContactHistory {
    /// Newest first, without the changes that were undone.
    pub changes: Vec<RecordChange>,
}

pub(super) fn contact_id(path: &str, uid: &str) -> Result<ContactId, CommandError> {
    reading::parse_id(path, uid, ContactId::parse)
}

pub(super) fn page(app: &App, _: &Actor, request: ContactPage) -> Result<ContactPageResponse, CommandError> {
    let wanted: PageRequest = read_page_request(request.page_number, request.page_size)?;
    let query = TableQuery {
        list: list_id("list", &request.list)?,
        which: ContactFilter { text: request.filter, opted_out: request.opted_out },
        sort: request.sort.map(|sort| (sort.field, sort.order)),
        page: wanted,
    };
    let found = act::read_table_page(&app.core()?, &query)?;
    Ok(ContactPageResponse {
        total_items: found.total_items,
        total_pages: page::total_pages(found.total_items, wanted.size),
        items: found.items,
        fields: found.custom_fields,
    })
}

pub(super) fn get(app: &App, _: &Actor, request: ContactUid) -> Result<ContactCard, CommandError> {
    Ok(act::get(&app.core()?, &contact_id("uid", &request.uid)?)?)
}

pub(super) fn update(app: &App, by: &Actor, request: ContactUpdate) -> Result<UpdatedContact, CommandError> {
    let uid = contact_id("uid", &request.uid)?;
    Ok(act::update(&app.core()?, by, &uid, &request.fields, request.region.as_deref())?)
}

pub(super) fn fields(app: &App, _: &Actor, request: ContactFields) -> Result<ContactFieldsAnswer, CommandError> {
    let core = app.core()?;
    let fields = match &request.list {
        Some(list) => act::read_list_fields(&core, &list_id("list", list)?)?,
        None => act::read_fields(&core)?,
    };
    Ok(ContactFieldsAnswer { fields })
}

pub(super) fn elsewhere(app: &App, _: &Actor, request: ContactUid) -> Result<ContactElsewhere, CommandError> {
    Ok(ContactElsewhere { items: act::find_elsewhere(&app.core()?, &contact_id("uid", &request.uid)?)? })
}

pub(super) fn history(app: &App, _: &Actor, request: ContactUid) -> Result<ContactHistory, CommandError> {
    Ok(ContactHistory { changes: act::read_history(&app.core()?, &contact_id("uid", &request.uid)?)? })
}
