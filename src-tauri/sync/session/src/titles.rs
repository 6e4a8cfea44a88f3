//! Builds the titles of records: contacts by name or number, other records by their own name.

use roost_store::{
    tables::{
        custom_fields,
        sync::{SyncedTable, changes, screens},
    },
    tx::ReadTx,
};
use roost_sync::{account::cells, gather::OptOutRecordKey};
use std::collections::BTreeMap;

use crate::{RestoredContact, ScopeList, SyncList, SyncNoun};

/// Returns the title of any record, from the cells of either side.
pub(super) fn record_title(noun: SyncNoun, id: &str, text: &str) -> String {
    match noun {
        SyncNoun::Contact => cells::contact_title(text),
        SyncNoun::List | SyncNoun::Sender => cells::cell_text(text, "name"),
        SyncNoun::ShortLink => cells::cell_text(text, "title"),
        SyncNoun::OptOut => OptOutRecordKey::parse(id).map_or_else(|| id.to_owned(), |key| key.number),
    }
}

/// Returns a list. If it was deleted locally, its name is the one that both sides agreed on.
pub(super) fn find_list(tx: &ReadTx, id: i64) -> Result<Option<SyncList>, roost_ops::StoreError> {
    if let Some((uid, name)) = screens::read_list(tx, id)? {
        return Ok(Some(SyncList { id, uid, name }));
    }
    let record = changes::read_record::<i64>(tx, SyncedTable::Lists, id)?;
    let name = record.base.map(|cells| cells::cell_text(&cells, "name"));
    Ok(name.map(|name| SyncList { id, uid: record.uid.unwrap_or_default(), name }))
}

/// The number of restored contacts that a pull names.
const MAX_RESTORED_SHOWN: usize = 20;

/// Returns the first of the contacts that a pull restored.
pub(super) fn read_restored(tx: &ReadTx, contacts: &[i64]) -> Result<Vec<RestoredContact>, roost_ops::StoreError> {
    let mut restored = Vec::new();
    for id in contacts.iter().take(MAX_RESTORED_SHOWN) {
        let known = changes::read_record::<i64>(tx, SyncedTable::Contacts, *id)?;
        let list = known.list.map_or(Ok(None), |list| screens::read_list(tx, list))?;
        let uid = screens::run_details::contact_uid(tx, *id)?;
        let (Some(cells), Some((list_uid, name)), Some(uid)) = (known.local, list, uid) else { continue };
        let list = ScopeList { uid: list_uid, name };
        restored.push(RestoredContact { uid, name: cells::contact_title(&cells), list });
    }
    Ok(restored)
}

/// The labels of custom fields by name. Every other field is shown by its name.
pub(super) struct FieldTitles(BTreeMap<String, String>);

impl FieldTitles {
    pub(super) fn read(tx: &ReadTx) -> Result<Self, roost_ops::StoreError> {
        let all = custom_fields::read_in_order(tx)?;
        Ok(Self(all.into_iter().map(|field| (format!("field_{}", field.number), field.label)).collect()))
    }

    pub(super) fn title(&self, name: &str) -> String {
        self.0.get(name).map_or_else(|| name.to_owned(), String::clone)
    }
}
