//! Reads the contacts of a list as a table shows them: filtered, in any order, with their opt-outs.

use std::{collections::HashMap, fmt::Write};

use roost_model::{
    contact::{Attribute, Contact, ContactField},
    id::{ContactId, ListId},
    phone,
    time::Timestamp,
};
use rusqlite::{Row, ToSql, types::Value};
use serde::Serialize;

use super::{FIRST_CUSTOM, column_names, row_to_contact};
use crate::{
    error::Result,
    tables::{lists::ListRow, parse_stored_id},
    text_functions::TEXTS_PER_CALL,
    tx::{ReadTx, WriteTx},
};

/// The extent to which a person has opted out of a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum OptOutReach {
    None,
    /// Opted out of one or more assets, but not of all.
    Asset,
    Account,
}

/// A contact, and whether its numbers may be messaged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContactWithOptOuts {
    pub contact: Contact,
    pub sms: OptOutReach,
    pub whatsapp: OptOutReach,
}

/// Restricts the contacts of a list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct ContactFilter {
    /// Part of any text, or of a number in any spelling.
    pub text: Option<String>,
    /// `true` for contacts that are opted out on at least one channel, `false` for those that are not opted out.
    pub opted_out: Option<bool>,
}

impl ContactFilter {
    pub fn is_all(&self) -> bool {
        self.search_words().is_none() && self.opted_out.is_none()
    }

    pub(super) fn search_words(&self) -> Option<&str> {
        self.text.as_deref().map(str::trim).filter(|text| !text.is_empty())
    }
}

/// Returns the column that stores a field.
pub(crate) fn column_name(field: ContactField) -> String {
    match field {
        ContactField::PhoneNumber => "phone".to_owned(),
        ContactField::WhatsappId => "whatsapp".to_owned(),
        field => field.name().into_owned(),
    }
}

/// Returns the field that a column stores, or `None` if the column is not a field.
pub fn field_of(column: &str) -> Option<ContactField> {
    match column {
        "phone" => Some(ContactField::PhoneNumber),
        "whatsapp" => Some(ContactField::WhatsappId),
        "phone_number" | "whatsapp_id" => None,
        name => ContactField::parse(name, |_| true),
    }
}

const IS_OPTED_OUT: &str = "(EXISTS (SELECT 1 FROM main.opt_outs WHERE number = c.phone AND channel = 'SMS')
     OR EXISTS (SELECT 1 FROM main.opt_outs WHERE number = c.whatsapp AND channel = 'WHATSAPP'))";

/// Returns SQL that searches all texts and numbers, in several calls of the search function. `?n` holds the words and
/// the next value the digits.
pub(super) fn search_sql(custom: &[u32], n: usize) -> String {
    let texts: Vec<String> = Attribute::ALL
        .map(|attribute| format!("c.{}", attribute.name()))
        .into_iter()
        .chain(custom.iter().map(|number| format!("c.field_{number}")))
        .collect();
    let calls: Vec<String> = texts
        .chunks(TEXTS_PER_CALL)
        .map(|part| format!("roost_finds(?{n}, ?{}, c.phone, c.whatsapp, {})", n + 1, part.join(", ")))
        .collect();
    format!("({})", calls.join(" OR "))
}

/// Returns the values for [`search_sql`].
pub(super) fn search_values(text: &str) -> [Value; 2] {
    [text.to_lowercase().into(), phone::search_digits(text).map_or(Value::Null, Value::from)]
}

/// Returns a condition on `contacts AS c` in the list `?1`, and its values.
pub(super) fn condition_sql(list: ListRow, which: &ContactFilter, custom: &[u32]) -> (String, Vec<Value>) {
    let (mut sql, mut values) = ("c.list_id = ?1".to_owned(), vec![Value::from(list.0)]);
    if let Some(words) = which.search_words() {
        let _ = write!(sql, " AND {}", search_sql(custom, 2));
        values.extend(search_values(words));
    }
    match which.opted_out {
        Some(true) => sql.push_str(&format!(" AND {IS_OPTED_OUT}")),
        Some(false) => sql.push_str(&format!(" AND NOT {IS_OPTED_OUT}")),
        None => {}
    }
    (sql, values)
}

pub fn count(tx: &ReadTx, list: ListRow, which: &ContactFilter, custom: &[u32]) -> Result<u64> {
    let (condition, values) = condition_sql(list, which, custom);
    let sql = format!("SELECT count(*) FROM main.contacts AS c WHERE {condition}");
    let total: i64 = tx.read_value(&sql, rusqlite::params_from_iter(values))?;
    Ok(total as u64)
}

/// Returns the ids of one page of a whole list, newest first, straight from its index.
pub fn newest_ids(tx: &ReadTx, list: ListRow, offset: u64, most: u32) -> Result<Vec<i64>> {
    tx.read_rows(
        "SELECT id FROM contacts WHERE list_id = ?1 ORDER BY created_at DESC, uid DESC LIMIT ?2 OFFSET ?3",
        [list.0, i64::from(most), offset as i64],
        |row| row.get(0),
    )
}

/// Returns the ids of the contacts of a list that follow one of them, newest first.
pub fn ids_after(tx: &ReadTx, list: ListRow, id: i64, most: u32) -> Result<Vec<i64>> {
    tx.read_rows(
        "SELECT c.id FROM contacts AS known CROSS JOIN contacts AS c
         WHERE known.id = ?2 AND c.list_id = ?1 AND (c.created_at, c.uid) < (known.created_at, known.uid)
         ORDER BY c.created_at DESC, c.uid DESC LIMIT ?3",
        [list.0, id, i64::from(most)],
        |row| row.get(0),
    )
}

fn read_reach(row: &Row, at: usize) -> rusqlite::Result<OptOutReach> {
    Ok(match row.get_ref(at)?.as_str_or_null().map_err(rusqlite::Error::from)? {
        None => OptOutReach::None,
        Some("") => OptOutReach::Account,
        Some(_) => OptOutReach::Asset,
    })
}

/// The account's scope is the empty text, and so the smallest.
const REACH_COLUMNS: &str = "(SELECT min(scope) FROM opt_outs WHERE number = c.phone AND channel = 'SMS'),
     (SELECT min(scope) FROM opt_outs WHERE number = c.whatsapp AND channel = 'WHATSAPP')";

fn read_where(
    tx: &ReadTx,
    custom: &[u32],
    condition: &str,
    value: &dyn ToSql,
) -> Result<Vec<(i64, ContactWithOptOuts)>> {
    let names = column_names(custom).replace(", ", ", c.");
    let sql = format!(
        "SELECT c.{names}, {REACH_COLUMNS}, c.id, (SELECT uid FROM lists WHERE id = c.list_id) FROM contacts AS c WHERE {condition}"
    );
    let last = FIRST_CUSTOM + custom.len();
    tx.read_rows(&sql, [value], |row| {
        let list: String = row.get(last + 3)?;
        let contact = row_to_contact(row, &parse_stored_id(last + 3, ListId::parse(&list))?, custom.len())?;
        Ok((
            row.get(last + 2)?,
            ContactWithOptOuts { contact, sms: read_reach(row, last)?, whatsapp: read_reach(row, last + 1)? },
        ))
    })
}

/// Reads contacts by their row ids, in that order.
pub fn read_by_ids(tx: &ReadTx, ids: &[i64], custom: &[u32]) -> Result<Vec<ContactWithOptOuts>> {
    let wanted = serde_json::to_string(ids).unwrap_or_default();
    let found = read_where(tx, custom, "c.id IN (SELECT value FROM json_each(?1))", &wanted)?;
    let mut by_id: HashMap<i64, ContactWithOptOuts> = found.into_iter().collect();
    Ok(ids.iter().filter_map(|id| by_id.remove(id)).collect())
}

pub fn get(tx: &ReadTx, uid: &ContactId, custom: &[u32]) -> Result<Option<ContactWithOptOuts>> {
    Ok(read_where(tx, custom, "c.uid = ?1", &uid.as_str())?.pop().map(|(_, seen)| seen))
}

/// Returns the row id of a contact.
pub fn row_of(tx: &ReadTx, uid: &ContactId) -> Result<Option<i64>> {
    tx.find_value("SELECT id FROM contacts WHERE uid = ?1", [uid.as_str()])
}

pub fn uid_of(tx: &ReadTx, id: i64) -> Result<Option<ContactId>> {
    let uid: Option<String> = tx.find_value("SELECT uid FROM contacts WHERE id = ?1", [id])?;
    Ok(uid.map(|uid| parse_stored_id(0, ContactId::parse(&uid))).transpose()?)
}

/// Returns the list that a contact is in.
pub fn list_of(tx: &ReadTx, uid: &ContactId) -> Result<Option<ListRow>> {
    tx.find_row("SELECT list_id FROM contacts WHERE uid = ?1", [uid.as_str()], |row| row.get(0).map(ListRow))
}

/// Number of contacts, evenly spread over the account, from which the most common region is determined.
const REGION_SAMPLE: i64 = 1_000;

const MOST_COMMON_REGION: &str = "WITH RECURSIVE sample (id) AS (
         SELECT min(id) FROM contacts
         UNION ALL
         SELECT (SELECT min(id) FROM contacts
                 WHERE id > sample.id + ((SELECT max(id) FROM contacts) - (SELECT min(id) FROM contacts)) / ?1)
         FROM sample WHERE sample.id IS NOT NULL
     )
     SELECT coalesce(phone_region, whatsapp_region) AS region FROM sample JOIN contacts USING (id)
     WHERE length(region) = 2 GROUP BY region ORDER BY count(*) DESC, region LIMIT 1";

/// Returns the region that most numbers of the account belong to. In a large account a sample is counted.
pub fn most_common_region(tx: &ReadTx) -> Result<Option<String>> {
    tx.find_value(MOST_COMMON_REGION, [REGION_SAMPLE])
}

/// Sets some fields of a contact. A number must be accompanied by its region.
pub fn set_fields(
    tx: &WriteTx,
    uid: &ContactId,
    fields: &[(ContactField, Option<String>)],
    at: Timestamp,
) -> Result<()> {
    let mut sql = "UPDATE contacts SET updated_at = ?2".to_owned();
    for (n, (field, _)) in fields.iter().enumerate() {
        let _ = write!(sql, ", {} = ?{}", column_name(*field), n + 3);
    }
    sql.push_str(" WHERE uid = ?1");
    let mut values = vec![Value::from(uid.as_str().to_owned()), at.unix().into()];
    values.extend(fields.iter().map(|(_, text)| text.clone().map_or(Value::Null, Value::from)));
    tx.conn().prepare(&sql)?.execute(rusqlite::params_from_iter(values))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{db::Db, error::StoreError};

    #[test]
    fn the_most_common_region_is_sampled_without_reading_all_contacts() {
        let db = Db::in_memory().unwrap();
        let steps: Vec<String> = db
            .read(|tx| {
                let mut statement = tx.conn().prepare(&format!("EXPLAIN QUERY PLAN {MOST_COMMON_REGION}"))?;
                let steps = statement.query_map([REGION_SAMPLE], |row| row.get(3))?.collect::<rusqlite::Result<_>>()?;
                Ok::<_, StoreError>(steps)
            })
            .unwrap();
        assert!(!steps.iter().any(|step| step.starts_with("SCAN contacts")), "{steps:?}");
        assert!(steps.iter().any(|step| step.starts_with("SEARCH contacts")), "{steps:?}");
    }
}
