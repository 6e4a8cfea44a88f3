//! Returns how the contacts of a list differ from what both sides last agreed on, for callers that show them row by
//! row.

use std::borrow::Cow;

use roost_model::contact::ContactField;
use rusqlite::{CachedStatement, OptionalExtension, params};
use serde::Serialize;
use serde_json::{Map, Value};

use super::{SyncedTable, cells_sql};
use crate::{error::Result, tables::lists::ListRow, tx::ReadTx};

/// The agreed state of a contact that was changed here since.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgreedContact {
    list: Option<i64>,
    /// `None` if the contact was created here.
    cells: Option<Map<String, Value>>,
    service: ServiceCells,
}

/// What the service has of such a contact.
#[derive(Debug, Clone, PartialEq, Eq)]
enum ServiceCells {
    AsAgreed,
    Deleted,
    Changed(Map<String, Value>),
}

impl AgreedContact {
    /// Returns whether the service does not have the contact in this list.
    pub fn is_added_to(&self, list: ListRow) -> bool {
        self.cells.is_none() || self.list != Some(list.0)
    }

    /// Returns the value that was agreed on, or an empty text.
    pub fn agreed_text(&self, field: ContactField) -> &str {
        find_text(self.cells.as_ref(), field)
    }

    /// Returns the value that the service has, or an empty text.
    fn service_text(&self, field: ContactField) -> &str {
        match &self.service {
            ServiceCells::AsAgreed => self.agreed_text(field),
            ServiceCells::Deleted => "",
            ServiceCells::Changed(cells) => find_text(Some(cells), field),
        }
    }

    /// Returns whether the service changed a value as well that is `here` now, and to another one.
    pub fn is_in_conflict(&self, field: ContactField, here: &str) -> bool {
        let (agreed, service) = (self.agreed_text(field), self.service_text(field));
        let is_changed_there = self.service == ServiceCells::Deleted || service != agreed;
        here != agreed && here != service && is_changed_there
    }
}

fn find_text(cells: Option<&Map<String, Value>>, field: ContactField) -> &str {
    let value = sent_name(field).and_then(|name| cells?.get(name.as_ref()));
    value.and_then(Value::as_str).unwrap_or_default()
}

fn parse_cells(text: &str) -> Map<String, Value> {
    serde_json::from_str(text).unwrap_or_default()
}

/// Returns the name under which a field is sent, or `None` for fields that the service sets itself.
pub fn sent_name(field: ContactField) -> Option<Cow<'static, str>> {
    match field {
        ContactField::PhoneNumber | ContactField::Attribute(_) | ContactField::Custom(_) => Some(field.name()),
        ContactField::WhatsappId => Some(Cow::Borrowed("whatsapp_number")),
        _ => None,
    }
}

/// Looks up contacts one after another. This costs nothing in an account without unsent changes.
pub struct AgreedContacts<'tx>(Option<CachedStatement<'tx>>);

impl<'tx> AgreedContacts<'tx> {
    pub fn new(tx: &'tx ReadTx) -> Result<Self> {
        let mut any = tx.conn().prepare_cached("SELECT 1 FROM sync_base WHERE place = ?1 LIMIT 1")?;
        if !any.exists([SyncedTable::Contacts.number()])? {
            return Ok(Self(None));
        }
        Ok(Self(Some(tx.conn().prepare_cached(
            "SELECT b.list, b.cells, r.id IS NOT NULL, r.cells FROM sync_base AS b
             LEFT JOIN sync_remote AS r ON r.place = b.place AND r.id = b.id WHERE b.place = ?1 AND b.id = ?2",
        )?)))
    }

    pub fn get(&mut self, id: i64) -> Result<Option<AgreedContact>> {
        let Some(statement) = &mut self.0 else { return Ok(None) };
        let found = statement.query_row(params![SyncedTable::Contacts.number(), id], |row| {
            let (cells, service): (Option<String>, Option<String>) = (row.get(1)?, row.get(3)?);
            let service = match (row.get(2)?, service) {
                (false, _) => ServiceCells::AsAgreed,
                (true, None) => ServiceCells::Deleted,
                (true, Some(cells)) => ServiceCells::Changed(parse_cells(&cells)),
            };
            Ok(AgreedContact { list: row.get(0)?, cells: cells.as_deref().map(parse_cells), service })
        });
        Ok(found.optional()?)
    }
}

/// Returns contacts that were deleted from a list here and still exist at the service, newest first.
pub fn deleted_from(tx: &ReadTx, list: ListRow) -> Result<Vec<i64>> {
    tx.read_rows(
        "SELECT id FROM sync_base AS b WHERE place = ?1 AND list = ?2 AND cells IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM contacts WHERE id = +b.id) ORDER BY id DESC",
        params![SyncedTable::Contacts.number(), list.0],
        |row| row.get(0),
    )
}

/// The change of one contact that a push would send.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "GridUnsent"))]
pub enum UnsentChange {
    Added,
    Deleted,
    /// The fields that differ, with the values at the service.
    Edited(Vec<AgreedValue>),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "GridAgreed"))]
pub struct AgreedValue {
    pub field: String,
    /// Empty if the service has no value.
    pub value: String,
    /// Whether the service changed the value as well.
    pub is_conflict: bool,
}

/// Returns the change of a contact of a list that has not been sent to the service.
pub fn find_unsent_change(
    tx: &ReadTx,
    list: ListRow,
    id: i64,
    fields: &[ContactField],
) -> Result<Option<UnsentChange>> {
    let Some(agreed) = AgreedContacts::new(tx)?.get(id)? else { return Ok(None) };
    if agreed.is_added_to(list) {
        return Ok(Some(UnsentChange::Added));
    }
    let sql = format!("SELECT {} FROM contacts AS c WHERE id = ?1", cells_sql(tx.conn(), SyncedTable::Contacts, "c")?);
    let cells: Option<String> = tx.find_value(&sql, [id])?;
    let Some(cells) = cells else { return Ok(Some(UnsentChange::Deleted)) };
    let here = parse_cells(&cells);
    let edited = fields.iter().filter(|field| find_text(Some(&here), **field) != agreed.agreed_text(**field));
    let value = |field: &ContactField| AgreedValue {
        field: field.name().into_owned(),
        value: agreed.service_text(*field).to_owned(),
        is_conflict: agreed.is_in_conflict(*field, find_text(Some(&here), *field)),
    };
    Ok(Some(UnsentChange::Edited(edited.map(value).collect())))
}
