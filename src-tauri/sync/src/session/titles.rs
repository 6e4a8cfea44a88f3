//! Builds the titles of records: contacts by name or number, other records by their own name.

use roost_store::{
    tables::{custom_fields, sync::screens},
    tx::ReadTx,
};
use std::collections::BTreeMap;

use super::{SyncList, SyncNoun};
use crate::{cells, gather::OptOutRecordKey};

/// Returns the name of a contact or, if it has none, its number.
pub(super) fn contact_title(text: &str) -> String {
    let of = |name| cells::cell_text(text, name);
    let name = format!("{} {}", of("firstname"), of("lastname"));
    let name = name.trim();
    if !name.is_empty() {
        return name.to_owned();
    }
    let phone = of("phone_number");
    if phone.is_empty() { of("whatsapp_number") } else { phone }
}

/// Returns the title of any record, from the cells of either side.
pub(super) fn record_title(noun: SyncNoun, id: &str, text: &str) -> String {
    match noun {
        SyncNoun::Contact => contact_title(text),
        SyncNoun::List | SyncNoun::Sender => cells::cell_text(text, "name"),
        SyncNoun::ShortLink => cells::cell_text(text, "title"),
        SyncNoun::OptOut => OptOutRecordKey::parse(id).map_or_else(|| id.to_owned(), |standing| standing.number),
    }
}

pub(super) fn find_list(tx: &ReadTx, id: i64) -> Result<Option<SyncList>, roost_ops::StoreError> {
    Ok(screens::read_list(tx, id)?.map(|(uid, name)| SyncList { id, uid, name }))
}

/// The labels of custom fields by name. Every other field is shown by its name.
pub(super) struct FieldTitles(BTreeMap<String, String>);

impl FieldTitles {
    pub fn read(tx: &ReadTx) -> Result<Self, roost_ops::StoreError> {
        let all = custom_fields::read_in_order(tx)?;
        Ok(Self(all.into_iter().map(|field| (format!("field_{}", field.number), field.label)).collect()))
    }

    pub fn title(&self, name: &str) -> String {
        self.0.get(name).map_or_else(|| name.to_owned(), String::clone)
    }
}
